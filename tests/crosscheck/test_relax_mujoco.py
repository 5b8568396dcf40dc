"""MuJoCo and pliant.relax drive the same lengths and land on the same pose.

Only mechanisms that their lengths determine: what is free to move comes to rest wherever a method leaves it.
"""

from __future__ import annotations

import numpy as np
import pytest

from pliant.relax.build import build
from pliant.relax.generate import peaucellier, stewart
from pliant.relax.model import Actuator, Mechanism, RelaxStudy
from pliant.relax.solve import solve
from pliant.relax.status import RelaxStatus

pytest.importorskip("mujoco", reason="the peer is not installed: pip install pliant[dev]")

from benchmarks.mujoco_peer import settle_network


def truss(dimension: int, seed: int, joints: int = 9) -> Mechanism:
    """Joints added one by one, each on as many links as it has coordinates; a third of them are driven."""
    rng = np.random.default_rng([dimension, seed])
    places = (4 * np.eye(dimension)).tolist()
    pairs = []
    while len(places) < joints:
        near = rng.choice(len(places), dimension, replace=False)
        place = rng.uniform(0, 4, dimension)
        arms = place - np.array(places)[near]
        spread = np.linalg.svd(arms / np.linalg.norm(arms, axis=1)[:, None], compute_uv=False)[-1]
        if spread > 0.4:  # not nearly in line, or in a plane, where a small change would lead far
            pairs += [(int(k), len(places)) for k in near]
            places.append(place.tolist())
    chosen = rng.random(len(pairs)) < 1 / 3
    lengths = [float(np.linalg.norm(np.subtract(places[i], places[j]))) for i, j in pairs]
    links = [{"nodes": (f"n{i}", f"n{j}")} for i, j in pairs]
    driven = [
        {**link, "to": length * rng.uniform(0.96, 1.04)}
        for link, length, drive in zip(links, lengths, chosen, strict=True)
        if drive
    ]
    return Mechanism.model_validate(
        {
            "ground": [f"n{k}" for k in range(dimension)],
            "nodes": {f"n{k}": tuple(place) for k, place in enumerate(places)},
            "bars": [link for link, drive in zip(links, chosen, strict=True) if not drive],
            "actuators": driven,
        }
    )


def squeezed_peaucellier() -> Mechanism:
    """Its crank driven by the length across its angle: MuJoCo is given lengths only."""
    pull = (Actuator(nodes=("A", "C"), to=5.0),)
    return peaucellier().model_copy(update={"rotors": (), "actuators": pull})


CASES = {
    "Peaucellier's linkage": squeezed_peaucellier(),
    "a Stewart platform": stewart(1),
    "three platforms of one hand": stewart(3, "same"),
    "three platforms, every other mirrored": stewart(3, "alt"),
    **{f"a plane truss, {seed}": truss(2, seed) for seed in range(4)},
    **{f"a truss in space, {seed}": truss(3, seed) for seed in range(4)},
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
