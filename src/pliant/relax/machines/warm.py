"""The compiled loops of many machines at once, and small batches that use every one of them."""

from __future__ import annotations

import numpy as np

from pliant.core.loops import Loops

MODULES = ("batch",)


def exercise() -> None:
    """Batches in the plane and in space, of one topology and of several."""
    from pliant.relax.machines.batch import relax
    from pliant.relax.machines.population import machines

    links = np.array([(0, 1), (1, 2), (2, 0)])
    for axes in (2, 3):
        drawn = np.random.default_rng(0).normal(size=(2, 3, axes))
        relax(machines(drawn, links), 1)
        relax(machines(drawn, np.array([links, links])), 1)


LOOPS = Loops("relax.machines", MODULES, exercise)
