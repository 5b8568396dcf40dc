"""Strings that become taut together and then hold a mechanism: no snap, and tight where closed forms have it.

Before, it is free to move; as they become taut the room that is left to it shrinks as a root, and then its
energy grows with the fourth power of displacements: rests are flat, and nothing there loses its stability.
"""

from __future__ import annotations

from math import hypot

import numpy as np
import pytest

from pliant.relax.generate import prism
from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.result import RelaxResult
from pliant.relax.solve import solve
from pliant.relax.status import RelaxStatus


def slow(*case: object) -> object:
    return pytest.param(*case, marks=pytest.mark.slow)


def tightened(model: Mechanism, frames: int = 1) -> RelaxResult:
    """A mechanism that comes to rest without an event on its way."""
    result = solve(model, RelaxStudy(frames=frames))
    assert result.status is RelaxStatus.CONVERGED
    assert [one for one in result.assessment.notices if one.kind in ("snap", "unstable", "branch")] == []
    return result


def turned_prism(struts: int, pull: float, turn: np.ndarray) -> Mechanism:
    data = prism(struts, pull).model_dump(exclude_unset=True)
    data["nodes"] = {name: tuple(turn @ place) for name, place in data["nodes"].items()}
    for guide in data["guides"]:
        for kind in ("line", "plane"):
            if guide.get(kind) is not None:
                guide[kind] = tuple(turn @ guide[kind])
    return Mechanism.model_validate(data)


OTHERS = [slow(struts, seed) for struts in (3, 4, 5, 6) for seed in range(6)]


@pytest.mark.few(1)
@pytest.mark.parametrize(("struts", "seed"), [(3, 9), (3, 19), *OTHERS])
def test_a_prism_becomes_tight_without_a_snap_however_it_is_turned(struts, seed):
    """From a pull of 0.06 on strings are taut, of more struts from 0.12 on: before, the twist is not one."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn[:, 0] *= np.sign(np.linalg.det(turn))
    pull = float(rng.choice([0.06, 0.06, 0.08])) * (1 if struts == 3 else 2)
    result = tightened(turned_prism(struts, pull, turn))
    arms = [ring - ring.mean(axis=0) for ring in (result.points[-1] @ turn).reshape(2, struts, 3)]
    angles = [np.degrees(np.arctan2(ring[:, 1], ring[:, 0])) for ring in arms]
    np.testing.assert_allclose((angles[1] - np.roll(angles[0], 1)) % 360, 90 + 180 / struts, atol=1e-6)


@pytest.mark.parametrize("frames", [1, 7])
@pytest.mark.parametrize("seed", [0, 1, *map(slow, range(2, 8))])
def test_a_knot_between_two_strings_ends_where_they_pull_alike(seed, frames):
    """On the straight line between their ends, reeled in at any two paces: it was drawn off it."""
    rng = np.random.default_rng(seed)
    span, drawn = 100.0, np.array([rng.uniform(30, 70), rng.uniform(-20, 20)])
    stiff, end = rng.uniform(0.5, 20, 2), rng.uniform(38, 49, 2)
    result = tightened(
        Mechanism.model_validate(
            {
                "ground": ["l", "r"],
                "nodes": {"l": [0, 0], "r": [span, 0], "m": drawn.tolist()},
                "strings": [
                    {"nodes": [side, "m"], "length": far, "to": short, "stiffness": k}
                    for side, far, short, k in zip(
                        "lr",
                        (hypot(*drawn) + rng.uniform(0, 5), hypot(*(drawn - [span, 0])) + rng.uniform(0, 5)),
                        end.tolist(),
                        stiff.tolist(),
                        strict=True,
                    )
                ],
            }
        ),
        frames,
    )
    over = span - end.sum()
    x = end[0] + over * stiff[1] / stiff.sum()
    np.testing.assert_allclose(result.nodes["m"], [x, 0], atol=1e-6)


@pytest.mark.parametrize("count", [2, 3, 4, slow(5), slow(6)])
@pytest.mark.parametrize("drawn", [(0.0, 0.0), (3.0, 1.0)])
def test_a_hub_is_drawn_to_the_middle_of_its_posts(count, drawn):
    """Strings to the corners of a regular polygon: in the middle they are taut as drawn."""
    corners = 40 * np.column_stack([f(2 * np.pi * np.arange(count) / count) for f in (np.cos, np.sin)])
    names = [f"p{k}" for k in range(count)]
    result = tightened(
        Mechanism.model_validate(
            {
                "ground": names,
                "nodes": dict(zip(names, corners.tolist(), strict=True)) | {"m": list(drawn)},
                "strings": [
                    {"nodes": [name, "m"], "length": hypot(*(corner - drawn)), "to": 39.0, "stiffness": 5.0}
                    for name, corner in zip(names, corners, strict=True)
                ],
            }
        )
    )
    np.testing.assert_allclose(result.nodes["m"], [0, 0], atol=1e-6)
    np.testing.assert_allclose(result.frames[-1].elongations.link_forces, 5.0, atol=1e-6)
