"""Forces along a motion: in balance, within the cone, and paid for by energy."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from tests.unit.snap.one_pawl import FLOAT, HILL, HOOK, TEE, TIP, angle, box, fastener, grid_case, ring, swept

from pliant.snap.arithmetic.exact import ExactArithmetic
from pliant.snap.force.force_curve import PawlLoad, contact_spans, force_curve, pawl_angles, pawl_load
from pliant.snap.generate import cantilever_hook, random_fastener, two_hooks
from pliant.snap.geometry.features import EDGE, VERTEX
from pliant.snap.handbook.formulas import hinged_force, mating_force
from pliant.snap.model import Fastener
from pliant.snap.springs.spring import PawlSpring, springs_of
from pliant.snap.sweep.path import Path, PathPiece
from pliant.snap.sweep.plan import Course, travel_back, travel_in, united_obstacles

SPRING = PawlSpring(100.0, 0.0)
FRICTIONS = (0.0, 0.2, 0.5)


class Moments(NamedTuple):
    """A contact at some moments: what the engine says, and what geometry does."""

    path: Path
    piece: PathPiece
    t: Any
    found: PawlLoad
    turned: Any  # (K,) rad
    lever: Any  # (K, 2)
    normal: Any  # (K, 2) of the force on the pawl
    rate: Any  # (K,) of the angle
    slip: Any  # (K, 2) of the pawl's material over the obstacle


def contacts(path: Path, friction: float, spring: PawlSpring = SPRING) -> Iterator[Moments]:
    for piece in path.pieces:
        if piece.motion == "arc" and piece.end.t - piece.start.t > 1e-6:
            t = piece.start.t + (piece.end.t - piece.start.t) * np.array([0.2, 0.5, 0.8])
            found = pawl_load(path, piece, t, spring, friction)
            yield Moments(path, piece, t, found, *geometry(path, piece, t))


def geometry(path: Path, piece: PathPiece, t: Any) -> tuple[Any, Any, Any, Any, Any]:
    """From angles and outlines alone."""
    scene, (kind, i, j) = path.scene, piece.contacts[0]
    turned = pawl_angles(path, piece, t)
    pawl = np.stack([scene.bodies.pawl.x, scene.bodies.pawl.y], axis=1)
    stones = np.stack([scene.bodies.obstacles.x, scene.bodies.obstacles.y], axis=1)
    way = np.array([scene.bodies.hinge.vx, scene.bodies.hinge.vy])
    hinge = np.array([scene.bodies.hinge.x, scene.bodies.hinge.y]) + t[:, None] * way
    if kind == VERTEX:
        lever = rotated(np.broadcast_to(pawl[i], (len(t), 2)), turned)
        edge = stones[scene.bodies.obstacles.following[j]] - stones[j]
        normal = np.broadcast_to(np.array([edge[1], -edge[0]]) / np.hypot(*edge), lever.shape)
    else:
        lever = stones[j] - hinge
        edge = pawl[(i + 1) % len(pawl)] - pawl[i]
        unit = np.array([-edge[1], edge[0]]) / np.hypot(*edge)
        normal = rotated(np.broadcast_to(unit, lever.shape), turned)
    upright = np.stack([-lever[:, 1], lever[:, 0]], axis=1)
    rate = -(normal @ way) / (upright * normal).sum(axis=1)
    return turned, lever, normal, rate, way + rate[:, None] * upright


def rotated(vectors: Any, by: Any) -> Any:
    c, s = np.cos(by), np.sin(by)
    return np.stack([c * vectors[:, 0] - s * vectors[:, 1], s * vectors[:, 0] + c * vectors[:, 1]], axis=1)


def cross(a: Any, b: Any) -> Any:
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


def grid_paths(count: int, friction: float) -> Iterator[Path]:
    rough = Fraction(friction).limit_denominator(100)
    for seed in range(count):
        case = grid_case(seed)
        yield swept(
            case["pawl"], *case["outlines"], velocity=case["velocity"], friction=rough, arithmetic=FLOAT
        )


def courses_of(model: Fastener) -> tuple[Course, ...]:
    return travel_in(model, FLOAT, united_obstacles(model))


def curve_of(course: Course, model: Fastener) -> Any:
    return force_curve(course, springs_of(model), float(model.friction), (0.0, 0.0))


# Balance


@pytest.mark.parametrize("friction", FRICTIONS)
def test_contact_and_spring_balance_about_the_hinge(friction):
    compared = 0
    for path in grid_paths(40, friction):
        for at in contacts(path, friction):
            assert cross(at.lever, at.found.force) == pytest.approx(100 * at.turned)
            assert at.found.torque == pytest.approx(100 * at.turned)
            compared += 1
    assert compared > 20


@pytest.mark.parametrize("friction", FRICTIONS)
def test_forces_push_and_lie_on_the_edge_of_the_cone_that_hinders_the_slide(friction):
    for path in grid_paths(40, friction):
        for at in contacts(path, friction):
            pressing = (at.found.force * at.normal).sum(axis=1)
            dragging = at.found.force - pressing[:, None] * at.normal
            assert (pressing > 0).all()
            speed = np.hypot(*at.slip.T)[:, None]
            assert dragging * speed == pytest.approx(-friction * pressing[:, None] * at.slip, abs=1e-8)


@pytest.mark.parametrize("friction", FRICTIONS)
def test_what_the_root_puts_in_goes_into_the_spring_and_into_heat(friction):
    """F |v| = κ θ dθ/dt + |slip| times the drag."""
    for path in grid_paths(40, friction):
        for at in contacts(path, friction):
            speed = math.hypot(path.scene.bodies.hinge.vx, path.scene.bodies.hinge.vy)
            pressing = (at.found.force * at.normal).sum(axis=1)
            heat = friction * pressing * np.hypot(*at.slip.T)
            stored = 100 * at.turned * at.rate
            size = np.abs(stored).max() + heat.max()
            assert at.found.against * speed == pytest.approx(stored + heat, abs=1e-8 * size)
            assert (heat >= 0).all()


def test_forces_act_at_the_contact():
    for path in grid_paths(10, 0.0):
        for at in contacts(path, 0.0):
            hinge = np.array([path.scene.bodies.hinge.x, path.scene.bodies.hinge.y])
            hinge = hinge + at.t[:, None] * np.array([path.scene.bodies.hinge.vx, path.scene.bodies.hinge.vy])
            assert at.found.place == pytest.approx(hinge + at.lever, abs=1e-9)


def test_a_pawl_at_rest_is_not_pressed():
    path = swept(TIP, HILL, velocity=(1, 0), arithmetic=FLOAT)
    found = pawl_load(path, path.pieces[0], np.array([1.0, 2.0]), SPRING, 0.3)
    assert not found.force.any()
    assert not found.against.any()


# Energy


def dropped(path: Path, end: float) -> float:
    """Energy of the spring that snaps let go, and what it holds in the end."""
    held, last = 0.0, 0.0
    for event in path.events:
        if event.point.t <= end and event.kind.startswith("snap"):
            held += 50 * angle(event.point) ** 2
        if event.point.t <= end and event.kind in ("lands", "rests"):
            held -= 50 * angle(event.point) ** 2
    for piece in path.pieces:
        if piece.start.t <= end:
            last = float(pawl_angles(path, piece, np.array([min(end, piece.end.t)]))[0])
    return held + 50 * last**2


@pytest.mark.few(15)
@pytest.mark.parametrize("seed", range(40))
def test_without_friction_work_is_what_the_springs_hold_and_what_snaps_let_go(seed):
    model = random_fastener(seed).model_copy(update={"friction": Fraction(0)})
    for course in courses_of(model):
        wanted = sum(dropped(course.paths[pawl.name], course.ends) for pawl in model.pawls)
        assert curve_of(course, model).work == pytest.approx(wanted, rel=1e-6, abs=1e-7)


def test_without_friction_two_hooks_give_back_all_that_was_put_in():
    model = two_hooks()
    assert curve_of(courses_of(model)[0], model).work == pytest.approx(0, abs=1e-9)


def test_friction_costs_work_both_ways():
    model = two_hooks(friction=Fraction(3, 10))
    there = courses_of(model)
    again = travel_back(model, FLOAT, united_obstacles(model), there)
    assert curve_of(there[0], model).work > 0
    assert curve_of(again[0], model).work > 0


@pytest.mark.parametrize("friction", [0, Fraction(1, 5)])
def test_speed_does_not_change_forces_or_work(friction):
    cases = [
        fastener(TIP, HILL, root={"velocity": (pace, 0), "until": Fraction(20, pace)}, friction=friction)
        for pace in (1, 4)
    ]
    slow, fast = (curve_of(courses_of(model)[0], model) for model in cases)
    assert fast.peak == pytest.approx(slow.peak)
    assert fast.work == pytest.approx(slow.work, rel=1e-6)
    assert fast.peak_at == pytest.approx(slow.peak_at / 4, abs=1e-6)


# Peaks


def test_on_a_vertex_the_force_is_greatest_at_an_end_of_its_slide():
    """[DonaldPai1993] Prop. A.1 holds for type B: the size of the contact force has no peak within."""
    compared = 0
    for path in grid_paths(60, 0.2):
        for piece in path.pieces:
            if piece.motion == "arc" and piece.contacts[0][0] == VERTEX:
                t = np.linspace(piece.start.t, piece.end.t, 60)[1:-1]
                size = np.hypot(*pawl_load(path, piece, t, SPRING, 0.2).force.T)
                slides = np.sign(np.diff(pawl_angles(path, piece, t)))
                if piece.end.t - piece.start.t > 1e-3 and len(np.unique(slides)) == 1:
                    assert size[1:-1].max() <= max(size[0], size[-1]) * (1 + 1e-9)
                    compared += 1
    assert compared > 15


def inner_peak() -> Fastener:
    """A long bar pressed on a corner near its hinge: as it turns, the corner goes away from the hinge."""
    return fastener(
        ring((-1, 0), (9, 0), (9, 1), (-1, 1)), box(2, -12, 4, -3), root={"velocity": (0, -1), "until": 8}
    )


def test_on_an_edge_the_force_can_be_greatest_within_its_slide():
    """Differs: [DonaldPai1993] Prop. A.1. Here F = κ θ cos² θ / 2, tan θ = (t - 3) / 2: at θ tan θ = 1/2."""
    model = inner_peak()
    course = courses_of(model)[0]
    found = curve_of(course, model)
    piece = course.paths["pawl"].pieces[1]
    at = 0.6532711870944031
    assert piece.contacts[0][0] == EDGE
    assert piece.start.t < found.peak_at < piece.end.t
    assert found.peak_at == pytest.approx(3 + 2 * math.tan(at), abs=1e-6)
    assert found.peak == pytest.approx(50 * at * math.cos(at) ** 2, rel=1e-9)


def test_the_greatest_sample_is_never_above_the_peak():
    for seed in range(30):
        model = random_fastener(seed)
        for course in courses_of(model):
            found = curve_of(course, model)
            finite = found.high[np.isfinite(found.high)]
            assert found.peak >= finite.max(initial=0.0) * (1 - 1e-12)


# The whole


def test_hooks_in_a_row_add_up_and_turn_the_root():
    """Mirrored hooks: forces across cancel, forces along add, and torques about the middle cancel."""
    model = two_hooks(friction=Fraction(1, 5))
    found = curve_of(courses_of(model)[0], model)
    assert found.pawls["left"] == pytest.approx(found.pawls["right"])
    assert found.total == pytest.approx(found.pawls["left"] * 2)
    assert found.force[:, 0] == pytest.approx(0, abs=1e-9)
    assert found.force[:, 1] == pytest.approx(found.total)
    assert found.torque == pytest.approx(0, abs=1e-9)
    assert found.angles["left"] == pytest.approx(-found.angles["right"])


def test_torque_is_about_the_point_asked_for():
    model = fastener(HOOK, TEE, root={"velocity": (0, -1), "until": 8}, hinge=(-4, 9))
    course = courses_of(model)[0]
    here, there = (force_curve(course, springs_of(model), 0.0, about) for about in ((0.0, 0.0), (2.0, 1.0)))
    x, y = here.force.T
    assert there.torque == pytest.approx(here.torque - (2 * y - 1 * x))


def test_spans_cover_a_course_without_gaps():
    model = random_fastener(3)
    for course in courses_of(model):
        whole = contact_spans(course)
        assert whole[0].begin == course.begins
        assert whole[-1].end == course.ends
        assert all(a.end == b.begin for a, b in pairwise(whole))


def test_a_flush_slide_leaves_the_force_open_between_its_two_ends():
    """A bar set upright by a ramp slides along the wall below it, on its lower end or at the wall's top."""
    bar = ring(("-4/5", "-3/5"), ("26/5", "-43/5"), ("34/5", "-37/5"), ("4/5", "3/5"))
    model = fastener(
        bar,
        ring((1, -60), (30, -60), (30, 9), (1, -20)),
        root={"velocity": (0, -1), "until": 15},
        friction="1/10",
    )
    course = courses_of(model)[0]
    found = curve_of(course, model)
    late = found.t > 12
    turned = 100 * math.asin(3 / 5)
    # On a lever L below the hinge and 1 beside it: N (L - μ) = κ |θ|, and the force along is μ N.
    ends = [0.1 * turned / (lever - 0.1) for lever in (10.0, 20.0 - found.t[late])]
    assert found.low[late] == pytest.approx(np.minimum(*np.broadcast_arrays(*ends)))
    assert found.high[late] == pytest.approx(np.maximum(*np.broadcast_arrays(*ends)))


def test_a_preload_is_felt_from_the_first_touch():
    """2 N·mm against a stop: at the first touch, at rest, the contact already holds it."""
    stops = ("-1 u", 0)
    model = fastener(TIP, HILL, root={"velocity": (1, 0), "until": 20}, preload=2, stops=stops)
    course = courses_of(model)[0]
    path = course.paths["pawl"]
    piece = path.pieces[1]
    t = np.array([piece.start.t, piece.end.t])
    found = pawl_load(path, piece, t, springs_of(model)["pawl"], 0.0)
    assert found.torque == pytest.approx(100 * pawl_angles(path, piece, t) - 2)
    assert found.against[0] == pytest.approx(2 / 5)  # on a lever of 5 across the way: F = 2 / 5 at 45°
    assert curve_of(course, model).peak > curve_of(*_without_preload()).peak


def _without_preload() -> tuple[Course, Fastener]:
    model = fastener(TIP, HILL, root={"velocity": (1, 0), "until": 20})
    return courses_of(model)[0], model


# Handbooks


def test_a_hook_on_a_ramp_takes_the_force_of_the_handbook_with_its_lever():
    """F = κ|θ| K / (L - x K) at every moment of the way in."""
    ramp, friction = Fraction(1, 2), Fraction(1, 5)
    model = cantilever_hook(ramp=ramp, friction=friction)
    course = courses_of(model)[0]
    path = course.paths["hook"]
    piece = next(p for p in path.pieces if p.motion == "arc")
    assert piece.contacts[0][0] == VERTEX
    t = np.linspace(piece.start.t, piece.end.t, 9)[1:-1]
    found = pawl_load(path, piece, t, springs_of(model)["hook"], float(friction))
    _, lever, _, _, _ = geometry(path, piece, t)
    wanted = hinged_force(
        100, pawl_angles(path, piece, t), -lever[:, 1], lever[:, 0], math.atan(ramp), float(friction)
    )
    assert found.against == pytest.approx(wanted)


def test_a_long_hook_beside_its_hinge_s_line_takes_the_handbook_s_force():
    """x/L → 0: W = P (μ + tan α) / (1 - μ tan α), with P = κ|θ|/L."""
    off = []
    for length in (30, 300, 3000):
        model = cantilever_hook(length=length, friction=Fraction(1, 5))
        course = courses_of(model)[0]
        path = course.paths["hook"]
        piece = next(p for p in path.pieces if p.motion == "arc")
        t = np.array([0.5 * (piece.start.t + piece.end.t)])
        found = pawl_load(path, piece, t, springs_of(model)["hook"], 0.2)
        _, lever, _, _, _ = geometry(path, piece, t)
        across = 100 * np.abs(pawl_angles(path, piece, t)) / -lever[:, 1]
        off.append(float(found.against[0] / mating_force(across, math.atan(0.5), 0.2)[0] - 1))
    assert abs(off[1]) < abs(off[0]) / 5
    assert abs(off[2]) < 2e-3


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(1, 1000), Fraction(127, 5)])
def test_friction_resists_up_to_the_very_end_of_a_slide_that_snaps(scale):
    """There the normal points at the hinge, so that rounding decided which way friction acts."""
    case, hair = grid_case(2020), Fraction(1, 10**6)

    def placed(points) -> list[tuple[Fraction, Fraction]]:
        return [(scale * x, scale * y) for x, y in points]

    (velocity, hinge), outlines = placed([case["velocity"], (hair, -hair)]), map(placed, case["outlines"])
    of_pawl = {"stiffness": 100 * scale, "friction": "0.1", "hinge": hinge}
    model = fastener(placed(case["pawl"]), *outlines, root={"velocity": velocity}, **of_pawl)
    (course,) = travel_in(model, ExactArithmetic(), united_obstacles(model))
    found = force_curve(course, springs_of(model), 0.1, (0.0, 0.0))
    assert found.peak == pytest.approx(43.6724, abs=1e-3)
    snap = int(np.argmin(found.total))  # the spring pushes it on there, and no sample resists
    assert found.total[snap] < -300
    assert found.total[snap] == pytest.approx(found.total[snap - 1], rel=0.2)
