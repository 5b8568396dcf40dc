"""Blocks with friction: in a stack each carries the weight above it, and a row is pushed by all of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.result import RelaxResult
from pliant.relax.solve import solve
from pliant.relax.status import RelaxStatus

WIDE, HIGH, RADIUS = 2.0, 1.0, 0.1
NEAR = 1e-8


def slow(*case: object) -> object:
    return pytest.param(*case, marks=pytest.mark.slow)


def block(at: int, x: float, y: float) -> tuple[dict[str, list[float]], list[str]]:
    """Corners of a block by their names, from its lower left one counter-clockwise."""
    names = [f"{corner}{at}" for corner in "abcd"]
    corners = [[x, y], [x + WIDE, y], [x + WIDE, y + HIGH], [x, y + HIGH]]
    return dict(zip(names, corners, strict=True)), names


def rubbing(ends: list[str], on: tuple[str, str], friction: float) -> dict[str, Any]:
    members = [(end, end) for end in ends]
    return {"members": members, "against": [on], "radius": RADIUS, "friction": friction}


def rests(**fields: Any) -> RelaxResult:
    result = solve(Mechanism.model_validate(fields), RelaxStudy(frames=1))
    assert result.status is RelaxStatus.CONVERGED
    return result


def pressed(result: RelaxResult) -> dict[tuple[str, str], float]:
    """What each corner presses on the segment below it with, at the end."""
    net, found = result.network, result.frames[-1].elongations
    ends = net.parts.touch.ends[found.touching]
    return {
        (net.names[first], net.names[third]): -float(force)
        for (first, _, third, _), force in zip(ends, found.touch_forces, strict=True)
    }


@pytest.mark.parametrize("gap", [0.0, 0.01])
@pytest.mark.parametrize("shift", [0.0, 0.15])
@pytest.mark.parametrize("count", [3, 7, slow(12), slow(20)])
def test_in_a_stack_each_block_carries_the_weight_above_it(count, shift, gap):
    """Drawn touching or a little apart, one straight above the other or with its right corner beyond it."""
    nodes: dict[str, Any] = {"l": [-20, 0], "r": [20, 0]}
    plates, contacts, below = [], [], ("l", "r")
    for k in range(count):
        left, bottom = shift * (k % 2), RADIUS + gap + k * (HIGH + RADIUS + gap)
        corners, names = block(k, left, bottom)
        nodes |= corners
        plates.append({"nodes": names})
        contacts.append(rubbing(names[:2], below, 0.5))
        if k and shift:
            contacts.append(rubbing([f"c{k - 1}", f"d{k - 1}"], (names[0], names[1]), 0.5))
        below = (names[3], names[2])
    result = rests(ground=["l", "r"], nodes=nodes, plates=plates, contacts=contacts, gravity=[0, -1])
    on = np.zeros(count)
    for (first, second), force in pressed(result).items():
        on[max(int(name[1:]) if name[1:] else 0 for name in (first, second))] += force
    np.testing.assert_allclose(on, 4 * np.arange(count, 0, -1), atol=NEAR)
    reaction = sum(each[-1] for each in result.reactions.values())
    np.testing.assert_allclose(reaction, [0, 4 * count], atol=NEAR)
    levels = result.points[-1][2:].reshape(count, 4, 2)[:, 0, 1]
    np.testing.assert_allclose(levels, RADIUS + (HIGH + RADIUS) * np.arange(count), atol=NEAR)


@pytest.mark.parametrize("count", [1, 4, slow(12), slow(20)])
def test_a_row_of_blocks_is_pushed_with_the_friction_of_all(count):
    step = WIDE + RADIUS
    nodes: dict[str, Any] = {"l": [-5, 0], "r": [step * count + 9, 0], "g": [-3, RADIUS]}
    plates, contacts = [], []
    for k in range(count):
        corners, names = block(k, k * step, RADIUS)
        nodes |= corners
        plates.append({"nodes": names})
        contacts.append(rubbing(names[:2], ("l", "r"), 0.5))
        if k:
            contacts.append(rubbing([names[0], names[3]], (f"b{k - 1}", f"c{k - 1}"), 0.0))
    result = rests(
        ground=["l", "r", "g"], nodes=nodes, plates=plates, contacts=contacts, gravity=[0, -1],
        actuators=[{"nodes": ["g", "a0"], "to": 4.0}],
    )  # fmt: skip
    assert result.forces[0].values[-1] == pytest.approx(-2.0 * count, abs=NEAR)
    floor = sum(result.reactions[name][-1] for name in "lr")
    np.testing.assert_allclose(floor, [-2.0 * count, 4.0 * count], atol=NEAR)
    np.testing.assert_allclose(result.points[-1][3::4, 0], 1.0 + step * np.arange(count), atol=NEAR)


def test_forty_blocks_side_by_side_rest_where_they_are_drawn():
    nodes: dict[str, Any] = {"l": [-5, 0], "r": [125, 0]}
    corners, names = zip(*(block(k, 3.0 * k, RADIUS) for k in range(40)), strict=True)
    for each in corners:
        nodes |= each
    result = rests(
        ground=["l", "r"],
        nodes=nodes,
        plates=[{"nodes": each} for each in names],
        contacts=[rubbing([end for each in names for end in each[:2]], ("l", "r"), 0.5)],
        gravity=[0, -1],
    )
    np.testing.assert_allclose(list(pressed(result).values()), 2.0, atol=NEAR)
    assert np.abs(result.points[-1] - result.points[0]).max() < NEAR
    assert sum(each[-1, 1] for each in result.reactions.values()) == pytest.approx(160, abs=NEAR)
