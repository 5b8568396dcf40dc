"""The gallery's linkages do what they are known for."""

import math
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from tests.solved import names_of_kind

import pliant
from pliant import gallery
from pliant.linkage.status import TraceStatus

LINKAGES = names_of_kind("linkage")
ENDINGS = {
    "parallelogram": TraceStatus.CHANGE_POINTS,
    "ellipse-trammel": TraceStatus.CHANGE_POINTS,
    "non-grashof": TraceStatus.LIMITED,
    "tangent": TraceStatus.UNBOUNDED,
    "coupler-driven": TraceStatus.CHANGE_POINTS,
}


@cache
def traced(name: str) -> Any:
    return pliant.solve(gallery.load(name), samples=720)


def curve(name: str, joint: str) -> np.ndarray:
    motion = traced(name).motion
    return motion.points[:, motion.point_names.index(joint)]


def nearest(name: str, joint: str, place: tuple[float, float]) -> float:
    """How near a joint comes to a place, on the straight pieces between the samples."""
    path = curve(name, joint)
    start, step = path[:-1], np.diff(path, axis=0)
    share = np.clip(((place - start) * step).sum(1) / (step**2).sum(1), 0, 1)
    return float(np.linalg.norm(start + share[:, None] * step - place, axis=1).min())


def guide(name: str, slider: Any) -> list[np.ndarray]:
    """Two points of a slider's line, at every pose where a link carries it."""
    if slider.on is None:
        return [np.array(end) for end in slider.along]
    (link,) = [link for link in gallery.load(name).links if link.label == slider.on]
    first, second = (curve(name, joint) @ [1, 1j] for joint in link.joints[:2])
    if slider.along is None:
        return [np.stack([end.real, end.imag], axis=1) for end in (first, second)]
    ends = [
        first + (complex(*end) - first[0]) / (second[0] - first[0]) * (second - first) for end in slider.along
    ]
    return [np.stack([end.real, end.imag], axis=1) for end in ends]


@pytest.mark.parametrize("name", LINKAGES)
def test_each_linkage_runs_as_it_is_told(name: str):
    assert traced(name).status is ENDINGS.get(name, TraceStatus.RUNS)


@pytest.mark.parametrize("name", LINKAGES)
def test_links_keep_their_lengths_and_sliders_their_lines(name: str):
    model = gallery.load(name)
    size = np.ptp(list(model.joints.values()), axis=0).max()
    for link in model.links:
        for first, second in combinations(link.joints, 2):
            drawn = math.dist(model.joints[first], model.joints[second])
            lengths = np.linalg.norm(curve(name, first) - curve(name, second), axis=1)
            np.testing.assert_allclose(lengths, drawn, rtol=0, atol=1e-11 * size)
    for slider in model.sliders:
        ends = guide(name, slider)
        along = np.asarray(ends[1]) - np.asarray(ends[0])
        offset = curve(name, slider.joint) - ends[0]
        across = along[..., 0] * offset[..., 1] - along[..., 1] * offset[..., 0]
        np.testing.assert_allclose(across / np.linalg.norm(along, axis=-1), 0, atol=1e-9 * size)


def test_jansens_foot_walks_in_its_known_box():
    foot = curve("jansen", "P5")
    np.testing.assert_allclose(foot[0], [-43.16011, -91.75693], atol=1e-5)
    np.testing.assert_allclose(foot.min(0), [-71.52155, -91.83389], atol=2e-3)
    np.testing.assert_allclose(foot.max(0), [-3.61313, -69.37671], atol=2e-3)


def test_klanns_foot_walks_in_its_known_box():
    foot = curve("klann", "foot")
    np.testing.assert_allclose(foot.min(0), [-0.277, -0.726], atol=2e-3)
    np.testing.assert_allclose(foot.max(0), [24.975, 16.120], atol=2e-3)


def test_peaucelliers_point_stays_on_its_line():
    path = curve("peaucellier", "P")
    np.testing.assert_allclose(path[:, 0], 16 / 3, rtol=1e-12)
    assert np.ptp(path[:, 1]) > 10


def test_hoekens_point_is_straight_for_half_a_turn():
    motion = traced("hoeken").motion
    straight = curve("hoeken", "P")[np.cos(np.radians(motion.values)) >= 0]
    assert len(straight) >= 360
    assert 4 - 1e-9 <= straight[:, 1].min() <= straight[:, 1].max() <= 4.00977
    assert np.ptp(straight[:, 0]) > 3.9


def test_chebyshevs_point_passes_where_it_must():
    assert nearest("chebyshev", "P", (0, 4)) < 1e-4
    assert nearest("chebyshev", "P", (-2, 4)) < 1e-4


def test_watts_point_is_on_watts_curve():
    x, y = curve("watt", "P").T
    angle, radius2 = np.arctan2(y, x), x * x + y * y
    root = np.sqrt(np.maximum(1 - 6.25 * np.cos(angle) ** 2, 0))
    roots = [4 - (2.5 * np.sin(angle) + sign * root) ** 2 for sign in (1, -1)]
    away = radius2 > 1e-3  # the angle says nothing where the curve crosses itself
    off = np.minimum(*(np.abs(radius2 - curve) for curve in roots))
    np.testing.assert_allclose(off[away], 0, atol=1e-9)
    assert away.sum() > 500


def test_roberts_point_passes_the_middle_and_a_pivot():
    assert nearest("roberts", "P", (1, 0)) < 1e-4
    assert nearest("roberts", "P", (2, 0)) < 1e-4


def test_the_pantograph_copies_two_and_a_half_times_as_large():
    np.testing.assert_allclose(curve("pantograph", "Q"), 2.5 * curve("pantograph", "P"), atol=1e-12)


def test_the_parallelogram_stays_one():
    bar = curve("parallelogram", "C") - curve("parallelogram", "B")
    np.testing.assert_allclose(bar, [[3, 0]] * len(bar), atol=1e-9)


def test_the_non_grashof_crank_stops_at_its_exact_limit():
    angles = np.degrees(np.arctan2(*curve("non-grashof", "B").T[::-1]))
    np.testing.assert_allclose([angles.min(), angles.max()], [-78.58484, 78.58484], atol=1e-5)


def test_the_levers_forth_and_back_take_the_cranks_angles_between_its_ends():
    tip = curve("quick-return", "E")[:, 0]
    forth = (np.diff(tip) > 0).sum() / (len(tip) - 1)
    swing = math.asin(30 / 40)
    assert abs(max(forth, 1 - forth) - (math.pi + 2 * swing) / (2 * math.pi)) < 0.003


def test_the_trammel_draws_an_ellipse():
    x, y = curve("ellipse-trammel", "P").T
    np.testing.assert_allclose((x / 150) ** 2 + (y / 50) ** 2, 1, atol=1e-9)
    assert np.ptp(x) > 299


def test_the_coupled_six_bar_needs_its_joints_found_together():
    from pliant.linkage.kinematics.mobility import compile_plan

    rules = compile_plan(gallery.load("six-bar-coupled")).describe()
    assert {"rule": "coupled", "joints": ["C", "D", "E"]} in rules


def test_the_edited_leg_strides_longer_and_flatter_and_still_walks():
    before, after = (
        pliant.solve(gallery.load(name), samples=720) for name in ("jansen", "strandbeest-edited")
    )
    angles = before.motion.values
    stands = (angles <= 90) | (angles >= 280)
    old, new = (result.motion.points[:, -1] for result in (before, after))
    assert after.status is TraceStatus.RUNS
    assert np.ptp(new[:, 0]) > 1.09 * np.ptp(old[:, 0])
    assert straightness(new[stands]) < 0.7 * straightness(old[stands])


def straightness(path: np.ndarray) -> float:
    """How far a path departs from its best straight line, on average."""
    return float(np.linalg.svd(path - path.mean(0))[1][1] / np.sqrt(len(path)))


def test_the_yoke_moves_by_the_cosine_of_its_crank():
    angles = np.radians(traced("scotch-yoke").motion.values) + np.arctan2(18, 24)
    np.testing.assert_allclose(curve("scotch-yoke", "S")[:, 0], 36 + 30 * np.cos(angles), atol=1e-12)


def test_the_tangent_runs_off_where_its_crank_is_upright():
    upright = np.pi / 2 - np.arctan2(6, 8)
    np.testing.assert_allclose(traced("tangent").limits, [upright - np.pi, upright], atol=1e-12)


def test_the_table_stays_level_and_its_cylinder_carries_it():
    c, d = curve("lift-table", "C"), curve("lift-table", "D")
    np.testing.assert_allclose(c[:, 1], d[:, 1], atol=1e-9)
    result = traced("lift-table")
    height = curve("lift-table", "T")[:, 1]
    work = float(np.trapezoid(result.forces.torques[0], result.angles))
    assert work == pytest.approx(2000 * (height[-1] - height[0]), rel=1e-4)


def test_the_scissor_lift_rises_by_twice_its_cylinder_and_is_held_by_the_work_it_does():
    result, out = traced("cylinder-lift"), traced("cylinder-lift").angles
    np.testing.assert_allclose(curve("cylinder-lift", "C")[:, 1], 2 * (150 + out), rtol=1e-12)
    np.testing.assert_allclose(curve("cylinder-lift", "D")[:, 1], 2 * (150 + out), rtol=1e-12)
    np.testing.assert_allclose(result.forces.torques[0], 6000, rtol=1e-9)


def test_the_press_pushes_the_ram_by_the_work_of_its_motor():
    result, ram = traced("toggle-press"), curve("toggle-press", "R")[:, 1]
    work = float(np.trapezoid(result.forces.torques[0], result.angles))
    assert work == pytest.approx(-1000 * (ram[-1] - ram[0]), rel=1e-4)


def test_the_parallelogram_that_its_coupler_drives_stays_one():
    apart = curve("coupler-driven", "C") - curve("coupler-driven", "B")
    np.testing.assert_allclose(apart, np.broadcast_to([30, 0], apart.shape), atol=1e-5)
    met = [change.t * 360 for change in traced("coupler-driven").reached.changes]
    np.testing.assert_allclose(met, np.degrees(np.arctan2(6, -8)) + np.array([0, 180]), atol=1e-7)
