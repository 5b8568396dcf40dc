"""Compile pliant's loops ahead of the tests: two test processes that start cold would each compile all.

    python tests/kernels.py

What is missing here is compiled by the first test that needs it.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np

import pliant
from pliant import gallery
from pliant.relax.generate import peaucellier
from pliant.relax.model import RelaxStudy
from pliant.relax.solve import solve


def newton() -> None:
    """Newton's steps of mechanisms, and what is asked of a pose; then assemblies."""
    pinned = pliant.solve(peaucellier(), frames=2)
    assert pinned.freedoms + len(pinned.singular_values)
    for name in ("slender", "collision", "hoist"):  # a load that buckles, contacts, a wrap
        pliant.solve(gallery.load(name), frames=1)
    pliant.solve(gallery.load("beam-1703"), steps=1)


def others() -> None:
    """All else, with what shares loops with Newton's steps last: by then those are there."""
    _batches()
    _linkages()
    _fasteners()
    for method in ("sync", "async", "momentum"):
        solve(peaucellier(), RelaxStudy(method=method, frames=1, iterations=2, noise=1e-9))


def _batches() -> None:
    from pliant.relax.batch import relax
    from pliant.relax.machines import machines

    links = np.array([(0, 1), (1, 2), (2, 0)])
    for axes in (2, 3):
        drawn = np.random.default_rng(0).normal(size=(2, 3, axes))
        relax(machines(drawn, links), 1)
        relax(machines(drawn, np.array([links, links])), 1)
    relax(machines(drawn[..., :2], links), 1, dtype=np.float32)


def _linkages() -> None:
    from pliant.linkage.synthesis import path

    for name in ("jansen", "six-bar-coupled", "slider-crank"):
        pliant.solve(gallery.load(name))
    leg = gallery.load("jansen")
    x, y = leg.joints["P4"]
    pliant.edit(leg, move=[{"joint": "P4", "to": [x + 1, y]}])
    path([[0, 0], [20, 25], [50, 30], [80, 10]], closed=False)


def _fasteners() -> None:
    for arithmetic in ("exact", "float"):
        pliant.solve(gallery.load("motion-diode"), arithmetic=arithmetic, directions=4)


PARTS = {"newton": newton, "others": others}

if __name__ == "__main__":
    if len(sys.argv) > 1:
        PARTS[sys.argv[1]]()
    else:
        parts = [subprocess.Popen([sys.executable, __file__, part]) for part in PARTS]
        sys.exit(max(part.wait() for part in parts))
