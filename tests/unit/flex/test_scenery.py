"""Scenery: fixed bodies drawn far from everything change neither the answer nor what is loaded."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import shapely

from pliant.flex.contact.neighbours import gap_scale
from pliant.flex.generate.jigsaw import jigsaw
from pliant.flex.geometry.parts import compile_parts
from pliant.flex.model import Assembly
from pliant.flex.problem.system import compile_system
from pliant.flex.result import FlexResult
from pliant.flex.solve import solve
from pliant.flex.status import FlexStatus


def box(left, bottom, width, height):
    return [[left, bottom], [left + width, bottom], [left + width, bottom + height], [left, bottom + height]]


def posts(count: int, far: float, size: float = 4.0) -> list[dict]:
    """On a circle, so that none is in the way of what goes along an axis or along a diagonal."""
    angles = 2 * np.pi * (np.arange(count) + 0.37) / max(count, 1)
    return [
        {
            "name": f"post {place}",
            "outline": box(-size / 2, -size / 2, size, size),
            "pose": [far * np.cos(angle), far * np.sin(angle), angle],
            "fixed": True,
        }
        for place, angle in enumerate(angles)
    ]


def block_before_a_wall(scenery: list[dict]) -> Assembly:
    """0.2 from it, and free along it."""
    wall = {"name": "wall", "outline": box(2.2, -5, 2, 10), "fixed": True}
    block = {"name": "block", "outline": box(0, -1, 2, 2)}
    study = {"maximize": [{"body": "block", "direction": [1, 0]}]}
    return Assembly.model_validate({"bodies": [wall, block, *scenery], "study": study})


def gears(scenery: list[dict]) -> Assembly:
    """Two on their pivots, of which one is turned until the play between their teeth is gone and on."""
    flank = [(-0.25, -1.2), (-0.2, -0.9), (-0.08, 1), (0.08, 1), (0.2, -0.9), (0.25, -1.2)]
    turns = [(2 * np.pi / 12 * (tooth + share), 12 + rise) for tooth in range(12) for share, rise in flank]
    ring = [[radius * np.cos(angle), radius * np.sin(angle)] for angle, radius in turns]
    bodies = [
        {"name": "base", "outline": box(0, -40, 2, 2), "fixed": True},
        {"name": "left", "outline": ring},
        {"name": "right", "outline": ring, "pose": [24.3, 0, np.pi / 12]},
    ]
    pins = [{"bodies": ["base", "left"], "at": [0, 0]}, {"bodies": ["base", "right"], "at": [24.3, 0]}]
    study = {"maximize": [{"body": "left", "spin": 1}], "steps": 6}
    return Assembly.model_validate({"bodies": [*bodies, *scenery], "pins": pins, "study": study})


def spun_on_a_floor(scenery: list[dict]) -> Assembly:
    """Nothing holds the block: only that it turns for ever is asked."""
    floor = {"name": "floor", "outline": box(-6, -2, 12, 2), "fixed": True}
    block = {"name": "block", "outline": box(-1, 0.1, 2, 2)}
    study = {"maximize": [{"body": "block", "spin": 1}], "steps": 6}
    return Assembly.model_validate({"bodies": [floor, block, *scenery], "study": study})


def assert_as_without(make, scenery: list[dict]) -> FlexResult:
    alone, result = solve(make([])), solve(make(scenery))
    assert result.status is alone.status
    assert result.objective == alone.objective
    assert (result.rows, result.gap, result.threshold) == (alone.rows, alone.gap, alone.threshold)
    bodies = alone.frames.poses.shape[1]
    assert np.array_equal(result.frames.poses[:, :bodies], alone.frames.poses)
    return result


@pytest.mark.usefixtures("not_shaken")
@pytest.mark.parametrize("count", [0, 1, 2, 5, 50, 100, 150])
def test_a_block_goes_to_its_wall_however_many_bodies_stand_far_away(count):
    result = assert_as_without(block_before_a_wall, posts(count, far=1000))
    assert result.status is FlexStatus.CONVERGED
    assert result.objective == pytest.approx(0.2, abs=1e-6)


@pytest.mark.parametrize("size", [1e-3, pytest.param(300.0, marks=pytest.mark.slow)])
def test_the_size_of_scenery_does_not_matter(size):
    assert_as_without(block_before_a_wall, posts(3, far=1000, size=size))


@pytest.mark.parametrize("count", [4, 100])
def test_gears_turn_the_same_with_posts_far_away(count):
    assert_as_without(gears, posts(count, far=1000))


@pytest.mark.parametrize(("count", "far"), [(5, 3000), (50, 1e5)])
def test_a_block_that_nothing_holds_turns_the_same_with_posts_far_away(count, far):
    assert_as_without(spun_on_a_floor, posts(count, far=far))


def test_scenery_is_measured_by_what_moves_and_by_what_is_near_that():
    parts = compile_parts(block_before_a_wall(posts(5, far=1000)))
    assert parts.scenery.tolist() == [False, False, *[True] * 5]
    alone = compile_parts(block_before_a_wall([]))
    assert not alone.scenery.any()
    assert (parts.size, parts.extent) == (alone.size, alone.extent)
    assert gap_scale(parts, 0.0) == pytest.approx(0.2)


def test_a_long_tray_of_four_walls_is_no_scenery():
    """A wall counts where another one does that reaches so far."""
    walls = {
        "left": (-1, 0, 1, 50),
        "right": (900, 0, 1, 50),
        "lower": (-1, -1, 902, 1),
        "upper": (-1, 50, 902, 1),
    }
    bodies = [{"name": name, "outline": box(*wall), "fixed": True} for name, wall in walls.items()]
    peg = {"name": "peg", "outline": box(0.1, 0.1, 2, 2)}
    parts = compile_parts(Assembly.model_validate({"bodies": [*bodies, peg]}))
    assert not parts.scenery.any()
    assert parts.extent > 900


def test_where_nothing_moves_all_counts():
    held = [{"name": name, "outline": box(x, 0, 1, 1), "fixed": True} for name, x in (("a", 0), ("b", 50))]
    parts = compile_parts(Assembly.model_validate({"bodies": held}))
    assert not parts.scenery.any()
    assert parts.extent == pytest.approx(50 + np.sqrt(2))
    assert parts.size == pytest.approx(np.sqrt(2))


def test_the_only_body_in_the_way_counts_however_far_it_is():
    wall = {"name": "wall", "outline": box(1000, -5, 2, 10), "fixed": True}
    block = {"name": "block", "outline": box(0, -1, 2, 2)}
    straight = {"body": "block", "y": [0, 0], "rotation": 0}
    study = {"maximize": [{"body": "block", "direction": [1, 0]}]}
    result = solve(Assembly.model_validate({"bodies": [wall, block], "limits": [straight], "study": study}))
    assert result.status is FlexStatus.CONVERGED
    assert result.objective == pytest.approx(998, rel=1e-4)


def test_fixed_bodies_do_not_make_small_work_large():
    few = jigsaw(2, 2, vertices=40)
    far = [{"name": f"far {k}", "outline": box(1000 + 10 * k, 0, 4, 4), "fixed": True} for k in range(400)]
    many = Assembly.model_validate(few.model_dump() | {"bodies": [*few.model_dump()["bodies"], *far]})
    alone, beside = (compile_system(model, model.study.for_command("flex")) for model in (few, many))
    assert (beside.reach, beside.threshold, beside.least) == (alone.reach, alone.threshold, alone.least)


@pytest.mark.slow
def test_beside_hundreds_of_fixed_bodies_no_compiler_is_loaded():
    """Nor for a body that goes along a shore of many thousand vertices, of which few are near."""
    script = """
import sys
import numpy as np
from pliant.flex.model import Assembly
from pliant.flex.solve import solve

x = np.linspace(0, 9000, 9000)
shore = [[0, -50], [9000, -50], *np.column_stack([x, np.sin(x / 7)])[::-1].tolist()]
posts = [
    {"name": f"post {k}", "outline": [[k, 900], [k + 0.5, 900], [k, 901]], "fixed": True} for k in range(400)
]
boat = {"name": "boat", "outline": [[50, 3], [54, 3], [54, 5], [50, 5]]}
study = {"maximize": [{"body": "boat", "direction": [0, -1]}], "steps": 3}
bodies = [{"name": "shore", "outline": shore, "fixed": True}, boat, *posts]
assert solve(Assembly.model_validate({"bodies": bodies, "study": study})).objective > 1
assert "numba" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_shapes_are_inset_once_however_often_parts_are_shaken(monkeypatch):
    """Each push to the side is a system of its own, of the same parts."""
    made = []
    buffer = shapely.buffer
    monkeypatch.setattr(shapely, "buffer", lambda *args, **how: made.append(args[1]) or buffer(*args, **how))
    solve(block_before_a_wall([]))
    inset = [depth for depth in made if np.ndim(depth) == 0 and depth < 0]
    assert inset
    assert len(inset) == len(set(inset))
