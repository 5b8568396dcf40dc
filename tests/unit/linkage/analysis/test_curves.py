"""Curves of traced points: lengths, areas, boxes, strokes and dwells against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import ellipe

from pliant import gallery, solve
from pliant.linkage.analysis.curves import (
    Box,
    Track,
    area,
    box,
    dwell,
    length,
    swept_region,
    time_ratio,
    top_speed,
    track,
)
from pliant.linkage.generate import four_bar, jansen, linkage, meet, slider_crank
from pliant.linkage.kinematics.drive import motor_drive
from pliant.linkage.kinematics.limits import motion_range, poses_at
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.kinematics.poses import rates
from pliant.linkage.model import Linkage
from pliant.linkage.solve import sample_parameters


def tracks(model: Linkage, count: int = 360) -> dict[str, Track]:
    """Every joint's, by the motor's angle, as far as the linkage runs; straight on through change points."""
    plan, path = compile_plan(model), motor_drive(model, count)
    reached = motion_range(plan, path, smooth=True)
    t = sample_parameters(path, reached)
    poses = poses_at(plan, path, reached, t)
    v, a = rates(poses, np.ones_like(poses.angles), np.zeros_like(poses.angles))
    period = None if reached.above or not path.closed else 2 * np.pi
    return {
        name: track(poses.angles[0], poses.x[k], v[k], a[k], period)
        for k, name in enumerate(plan.structure.names)
    }


def harmonic(t: np.ndarray, period: float | None, *waves: tuple[complex, int]) -> Track:
    """x + iy = Σ c e^{int}."""
    z, v, a = (sum(c * (1j * n) ** order * np.exp(1j * n * t) for c, n in waves) for order in range(3))
    return track(t, *(np.stack([w.real, w.imag]) for w in (z, v, a)), period)


def turn(count: int) -> np.ndarray:
    return np.arange(count) * 2 * np.pi / count


def test_a_circles_measures_are_exact_from_a_dozen_samples():
    circle = harmonic(turn(12) + 0.1, 2 * np.pi, (3.0, 1), (1 + 2j, 0))
    assert length(circle) == pytest.approx(6 * np.pi, rel=1e-14)
    assert area(circle) == pytest.approx(9 * np.pi, rel=1e-14)
    assert area(harmonic(turn(12), 2 * np.pi, (3.0, -1))) == pytest.approx(-9 * np.pi, rel=1e-14)


def test_the_length_of_a_curve_that_is_not_closed_is_of_fourth_order():
    def error(count: int) -> float:
        return abs(length(harmonic(np.linspace(0, 2, count + 1), None, (1.0, 1))) - 2)

    assert error(10) / error(20) == pytest.approx(16, rel=0.02)
    assert error(100) < 1e-8


def test_a_curve_that_is_not_closed_has_no_area():
    assert area(harmonic(np.linspace(0, 1, 9), None, (1.0, 1))) is None


def test_jansens_foot_has_its_known_area_and_box():
    foot = tracks(jansen())["P5"]
    assert area(foot) == pytest.approx(875.936, abs=5e-4)
    found = box(foot)
    assert found.low == pytest.approx((-71.52155, -91.83389), abs=1e-5)
    assert found.high == pytest.approx((-3.61313, -69.37671), abs=1e-5)
    assert found.size == pytest.approx((67.90842, 22.45718), abs=2e-5)


def test_jansens_area_has_converged_at_a_hundred_samples():
    few, many = (tracks(jansen(), count)["P5"] for count in (100, 700))
    assert area(few) == pytest.approx(area(many), rel=1e-9)
    assert length(few) == pytest.approx(length(many), rel=1e-6)


def test_the_trammel_draws_an_ellipse():
    h, k, at = 2.0, 0.5, 0.4
    middle, x = h * np.exp(1j * at), complex(2 * h * np.cos(at))
    joints = {"O": 0j, "M": middle, "X": x, "Y": 2j * h * np.sin(at), "P": middle + k * (x - middle)}
    guides = [{"joint": "X", "along": [[0, 0], [1, 0]]}, {"joint": "Y", "along": [[0, 0], [0, 1]]}]
    model = linkage(joints, "O", ("O M", "X M Y P"), sliders=guides)
    a, b = h * (1 + k), h * (1 - k)
    found = tracks(model)["P"]
    assert area(found) == pytest.approx(np.pi * a * b, rel=1e-9)
    assert length(found) == pytest.approx(4 * a * ellipe(1 - (b / a) ** 2), rel=1e-9)
    assert box(found).high == pytest.approx((a, b), rel=1e-8)
    assert box(found).low == pytest.approx((-a, -b), rel=1e-8)


@pytest.mark.parametrize(("r", "rod", "offset"), [(1, 3, 0), (1, 3, 0.8), (2, 5, -1.5)])
def test_a_sliders_stroke_and_time_ratio_are_the_textbooks(r, rod, offset):
    slide = tracks(slider_crank(r, rod, offset, 0.4))["P"]
    far, near = (np.sqrt((rod + side * r) ** 2 - offset**2) for side in (1, -1))
    assert box(slide).low[0] == pytest.approx(near, abs=1e-8)
    assert box(slide).high[0] == pytest.approx(far, abs=1e-8)
    assert length(slide) == pytest.approx(2 * (far - near), rel=1e-4)  # the speed has corners where it is 0
    alpha = abs(np.arcsin(offset / (rod - r)) - np.arcsin(offset / (rod + r)))
    found = time_ratio(slide)
    assert found.ratio == pytest.approx((np.pi + alpha) / (np.pi - alpha), abs=1e-7)
    assert found.reason == ""
    assert np.abs(found.direction) == pytest.approx([1, 0], abs=1e-12)


def test_a_sliders_top_speed_is_that_of_its_formula():
    r, rod, offset, drawn_at = 1.0, 3.0, 0.8, 0.4

    def speed(angle: float) -> float:
        b = r * np.sin(angle) - offset
        return abs(-r * np.sin(angle) - b * r * np.cos(angle) / np.sqrt(rod**2 - b**2))

    best = minimize_scalar(lambda q: -speed(q), bounds=(3.5, 6.0), method="bounded", options={"xatol": 1e-10})
    other = minimize_scalar(
        lambda q: -speed(q), bounds=(0.5, 2.5), method="bounded", options={"xatol": 1e-10}
    )
    best = min(best, other, key=lambda found: found.fun)
    found = top_speed(tracks(slider_crank(r, rod, offset, drawn_at))["P"])
    assert found.speed == pytest.approx(-best.fun, rel=1e-9)
    assert (found.t + drawn_at) % (2 * np.pi) == pytest.approx(best.x, abs=1e-5)


def test_a_rockers_time_ratio_comes_from_its_dead_centres():
    ground, first, coupler, last = 4.0, 1.0, 3.5, 2.5
    angles = [np.angle(meet(0j, coupler + side * first, complex(ground), last)) for side in (1, -1)]
    between = (angles[1] + np.pi - angles[0]) % (2 * np.pi)
    ratio = max(between, 2 * np.pi - between) / min(between, 2 * np.pi - between)
    found = time_ratio(tracks(four_bar(ground, first, coupler, last, 1.0))["C"])
    assert found.ratio == pytest.approx(ratio, abs=1e-7)
    assert ratio > 1.01


def test_without_two_turns_there_is_no_time_ratio_but_a_reason():
    wavy = harmonic(turn(60), 2 * np.pi, (1.0, 2), (1.0, -2), (0.1, 1))
    assert time_ratio(wavy).ratio is None
    assert time_ratio(wavy).reason == "it turns 4 times in a cycle, not twice"
    assert len(time_ratio(wavy).turns) == 4
    assert time_ratio(harmonic(np.linspace(0, 1, 9), None, (1.0, 1))).reason == "the cycle is not closed"
    assert time_ratio(harmonic(turn(9), 2 * np.pi, (5.0, 0))).reason == "the point does not move"


@pytest.mark.parametrize("below", [0.05, 0.3])
def test_a_harmonic_strokes_dwell_is_an_arcsine(below):
    line = harmonic(turn(100) + 0.02, 2 * np.pi, (1.0, 1), (1.0, -1))
    assert dwell(line, below) == pytest.approx(2 * np.arcsin(below) / np.pi, abs=1e-6)


def test_a_fixed_point_dwells_all_the_time_and_one_on_a_circle_never():
    assert dwell(harmonic(turn(9), 2 * np.pi, (5.0, 0))) == 1.0
    assert dwell(harmonic(turn(9), 2 * np.pi, (5.0, 1))) == 0.0


def test_the_room_swept_holds_every_joint():
    found = swept_region(list(tracks(jansen()).values()))
    boxes = [box(one) for one in tracks(jansen()).values()]
    assert found.box == Box(
        (min(b.low[0] for b in boxes), min(b.low[1] for b in boxes)),
        (max(b.high[0] for b in boxes), max(b.high[1] for b in boxes)),
    )
    ring = found.hull
    sides = np.roll(ring, -1, axis=0) - ring
    for one in tracks(jansen(), 50).values():
        inside = sides[:, 0] * (one.x[1][:, None] - ring[:, 1]) - sides[:, 1] * (
            one.x[0][:, None] - ring[:, 0]
        )
        assert (inside >= -1e-2 * np.hypot(*sides.T)).all()
    x, y = ring.T
    assert found.area == pytest.approx(0.5 * (x @ np.roll(y, -1) - y @ np.roll(x, -1)))


def test_the_room_of_a_crank_is_its_disc():
    found = swept_region(
        [harmonic(turn(360) + 0.001, 2 * np.pi, (2.0, 1)), harmonic(turn(360), 2 * np.pi, (0.0, 0))]
    )
    assert found.area == pytest.approx(4 * np.pi, rel=1e-4)
    assert found.box.low == pytest.approx((-2, -2), abs=1e-9)


def test_the_room_of_a_slider_is_a_line():
    found = swept_region([harmonic(turn(60), 2 * np.pi, (1.0, 1), (1.0, -1))])
    assert found.area == 0.0
    assert sorted(found.hull[:, 0]) == pytest.approx([-2, 2])


def test_up_to_a_limit_where_velocities_grow_without_end_the_length_is_the_arcs():
    """From −α to α of D-A, by way of the pose with crank and coupler in line: there and back.

    The run stops 1e-9 short of its limits, which is 1e-4 along the arc.
    """
    rocker = tracks(four_bar(4, 3, 2, 2.5, 0.3))["C"]
    assert rocker.period is None
    there = np.arccos((4**2 + 2.5**2 - 5**2) / (2 * 4 * 2.5))
    assert length(rocker) == pytest.approx(2.5 * 2 * there, rel=1e-4)


def test_in_a_change_point_a_velocity_of_rounding_is_left_out():
    """A parallelogram sampled in its change points, where the rule gives velocities of 1e16."""
    model = four_bar(3, 1, 3, 1, np.pi / 2)
    plan, path = compile_plan(model), motor_drive(model, 360)
    reached = motion_range(plan, path, smooth=True)
    poses = poses_at(plan, path, reached, path.samples)
    v, a = rates(poses, np.ones_like(poses.angles), np.zeros_like(poses.angles))
    assert np.abs(v[2]).max() > 1e3
    tip = track(poses.angles[0], poses.x[2], v[2], a[2], 2 * np.pi)
    assert length(tip) == pytest.approx(2 * np.pi, rel=1e-4)
    assert area(tip) == pytest.approx(np.pi, rel=1e-4)
    assert top_speed(tip).speed == pytest.approx(1.0, rel=1e-3)


def test_a_single_pose_has_no_length():
    one = track(np.zeros(1), np.ones((2, 1)), np.ones((2, 1)), np.ones((2, 1)))
    assert length(one) == 0.0
    assert box(one) == Box((1.0, 1.0), (1.0, 1.0))


@pytest.mark.parametrize("count", [180, 359, 360, 361, 720])
def test_a_curve_with_kinks_encloses_what_its_pieces_do(count):
    """The parallelogram that keeps its side at its change points, on samples of a count that four divides."""
    model = gallery.load("parallelogram")
    kinked, finely = (solve(model, branch="side", samples=k).tracks["P"] for k in (count, 14_400))
    steps = np.roll(finely.x, -1, axis=1) - finely.x
    enclosed = 0.5 * float((finely.x[0] * steps[1] - finely.x[1] * steps[0]).sum())
    cut = 0.0 if count % 4 == 0 else 2 / count  # a step at either kink that goes past it
    assert area(kinked) == pytest.approx(enclosed, rel=1e-6 + cut**2)
    assert length(kinked) == pytest.approx(np.hypot(*steps).sum(), rel=1e-6 + cut)
