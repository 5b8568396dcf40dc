"""MuJoCo and pliant.relax drive the same lengths and land on the same pose.

Only mechanisms that their lengths determine: what is free to move comes to rest wherever a method leaves it.
"""

from __future__ import annotations

import numpy as np
import pytest

from pliant.relax.assemble.build import build
from pliant.relax.generate import peaucellier, stewart
from pliant.relax.model import Actuator, Mechanism, RelaxStudy
from pliant.relax.solve import solve
from pliant.relax.status import RelaxStatus

pytest.importorskip("mujoco", reason="the peer is not installed: pip install pliant[dev]")

from benchmarks.mujoco_peer import settle_network
from tests.properties.random_frames import truss


def squeezed_peaucellier() -> Mechanism:
    """Its crank driven by the length across its angle: MuJoCo is given lengths only."""
    pull = (Actuator(nodes=("A", "C"), to=5.6),)
    return peaucellier().model_copy(update={"rotors": (), "actuators": pull})


CASES = {
    "Peaucellier's linkage": squeezed_peaucellier(),
    "a Stewart platform": stewart(1),
    "three platforms of one hand": stewart(3, "same"),
    "three platforms, every other mirrored": stewart(3, "alt"),
    **{f"a plane truss, {seed}": truss(2, seed) for seed in range(3)},
    **{f"a truss in space, {seed}": truss(3, seed) for seed in range(3)},
}


@pytest.mark.parametrize("model", CASES.values(), ids=CASES)
def test_mujoco_lands_on_the_same_pose(model):
    net = build(model)
    assert not len(net.parts.couplings.laws)
    peer = settle_network(net.drawn, net.parts.links.ends, net.free, net.drive.rest[0], net.drive.rest[-1])
    result = solve(model, RelaxStudy(frames=6))
    assert peer.length_error < 1e-10
    assert result.status is RelaxStatus.CONVERGED
    assert np.abs(peer.x - net.drawn).max() > 0.01
    assert result.frames[-1].x == pytest.approx(peer.x, abs=1e-8)
