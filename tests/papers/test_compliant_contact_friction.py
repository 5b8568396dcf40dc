"""[DonaldPai1993] sections 6, 7 and 9.3: which way contacts slide and how fast, and where they stick."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from tests.papers.contact_cases import (
    BLOCK,
    FLOOR,
    HALF,
    LEANING,
    OVER_THE_HINGE,
    QUARTER,
    TABLE,
    WEDGE,
    Floats,
    Point,
    cross,
    exact_value,
    fastener,
    frame,
    geometry,
    inside,
    rotated,
    run,
    sliding,
    sliding_speed,
    told,
)

from pliant.snap.arithmetic.exact import ExactArithmetic
from pliant.snap.arithmetic.floating import FloatArithmetic, FloatPoint
from pliant.snap.force.force_curve import pawl_angles
from pliant.snap.generate import two_hooks
from pliant.snap.geometry.contact_curves import ContactCurve, contact_curve
from pliant.snap.geometry.features import VERTEX, FeaturePair
from pliant.snap.geometry.pawl_scene import Scene, pawl_scene, unite_obstacles
from pliant.snap.model import Fastener
from pliant.snap.result import SnapResult
from pliant.snap.sweep.friction_cone import friction_cone, friction_terms, is_locked

STICKS, SLIDES = {"I", "III"}, {"II", "IV"}


def sector(hinge: Floats, n: Floats, v: Floats, mu: float) -> str:
    """Where the hinge is as seen from the contact: hinge = β n + γ f_e."""
    beta, gamma = np.linalg.solve(np.column_stack([n, n - mu * v]), hinge)
    return {(True, True): "I", (False, True): "II", (False, False): "III", (True, False): "IV"}[
        bool(beta > 0), bool(gamma > 0)
    ]


def some_contacts(count: int = 400) -> Iterator[tuple[Floats, Floats, Floats, float]]:
    """Levers, normals, sliding directions and frictions."""
    rng = np.random.default_rng(0)
    for r, tilt, side, mu in zip(
        rng.normal(size=(count, 2)), rng.uniform(0, 2 * np.pi, count), rng.choice([-1, 1], count),
        rng.uniform(0.05, 2, count), strict=True,
    ):  # fmt: skip
        n = np.array([math.cos(tilt), math.sin(tilt)])
        yield r, n, side * np.array([n[1], -n[0]]), mu


# Props 6.1 and 6.2, eq. 6


def test_props_6_1_and_6_2_a_contact_slides_in_sectors_ii_and_iv_and_sticks_in_i_and_iii():
    """Force balance: where a spring presses, a force along f_e holds if its torque has the normal's sign."""
    seen = set()
    for r, n, v, mu in some_contacts():
        held = np.sign(cross(r, n - mu * v)) == np.sign(cross(r, n))
        here = sector(-r, n, v, mu)
        assert (here in SLIDES) == held
        seen.add(here)
    assert seen == STICKS | SLIDES


def test_eq_6_holds_for_one_direction_of_sliding_only():
    """Differs: r × f = αβμ (n × v), and n × v is −1 for one of the two."""
    sides = set()
    for r, n, v, mu in some_contacts():
        beta, _ = np.linalg.solve(np.column_stack([n, n - mu * v]), -r)
        side = round(float(cross(n, v)))
        assert cross(r, n - mu * v) == pytest.approx(beta * mu * side)
        sides.add(side)
    assert sides == {-1, 1}


def some_touching(rng: np.random.Generator, kind: int) -> tuple[Scene, ContactCurve, FloatPoint] | None:
    """Two triangles that touch at some angle while one of them moves; None where they do not."""
    corners, ways = rng.integers(-6, 7, (2, 3, 2)), rng.integers(-5, 6, (2, 2))
    pawl, stone, (hinge, velocity) = (
        [(Fraction(int(x)), Fraction(int(y))) for x, y in each] for each in (*corners, ways)
    )
    areas = [np.linalg.det(np.column_stack([each, np.ones(3)])) for each in corners]
    if min(map(abs, areas)) < 0.5 or velocity == (0, 0):
        return None
    here = pawl_scene(FloatArithmetic(), pawl, hinge, velocity, unite_obstacles([stone]), Fraction(1))
    u, contact = float(rng.uniform(-1, 1)), contact_curve(here, (kind, 0, 0), 0)
    if abs(contact.alpha(u)) < 1e-6 or here.pawl[0] == (0, 0):
        return None
    return here, contact, FloatArithmetic().point(u, 0, contact.line)


@pytest.mark.parametrize("kind", [VERTEX, 1 - VERTEX])
def test_props_6_1_and_6_2_are_the_one_test_of_the_sweep(kind):
    rng = np.random.default_rng(1)
    seen = set()
    for _ in range(300):
        mu = Fraction(int(rng.integers(1, 9)), 4)
        if (found := some_touching(rng, kind)) is None:
            continue
        here, contact, point = found
        lever, normal, way = geometry(here, contact.pair, 2 * math.atan(point.u), point.t)
        if abs(cross(lever, normal)) < 1e-9:
            continue  # no torque: it neither holds a spring nor slides
        v = np.sign(sliding_speed(lever, normal, way, kind)) * np.array([normal[1], -normal[0]])
        where = sector(-lever, normal, v, float(mu))
        contact_grip = friction_terms(here, contact, 0)
        assert is_locked(point, contact_grip, friction_cone(here, contact_grip, mu)) == (where in STICKS)
        seen.add(where)
    assert seen == STICKS | SLIDES


# Eqs 7 to 17: speeds


@pytest.mark.parametrize(("kind", "equations"), [(VERTEX, "7 to 11"), (1 - VERTEX, "12 to 17")])
def test_eqs_7_to_17_the_contact_stays_and_slides_at_the_speed_printed(kind, equations):
    """By differences of the path: of the pawl's vertex, or of the obstacle's in the frame of the pawl."""
    assert len(sliding(kind)) > 5
    for path, piece in sliding(kind):
        step = 1e-5 * (piece.end.t - piece.start.t)
        for t in inside(piece, 3):
            moments = np.array([t - step, t, t + step])
            turned = pawl_angles(path, piece, moments)
            here = [
                geometry(path.scene, piece.contacts[0], a, s) for a, s in zip(turned, moments, strict=True)
            ]
            lever, normal, velocity = here[1]
            hinge = [velocity * s for s in moments]
            if kind == VERTEX:
                places = [h + r for (r, _, _), h in zip(here, hinge, strict=True)]
            else:
                places = [rotated(r, turned[1] - a) for (r, _, _), a in zip(here, turned, strict=True)]
            speed = frame((places[2] - places[0]) / (2 * step), normal)
            size = max(1.0, abs(speed[0]))
            assert speed[1] == pytest.approx(0, abs=1e-6 * size), equations
            assert speed[0] == pytest.approx(sliding_speed(lever, normal, velocity, kind), abs=1e-5 * size)


@pytest.mark.parametrize("kind", [VERTEX, 1 - VERTEX])
def test_eqs_8_and_16_the_angular_velocity(kind):
    for path, piece in sliding(kind):
        step = 1e-5 * (piece.end.t - piece.start.t)
        t = inside(piece, 1)[0]
        before, angle, after = pawl_angles(path, piece, np.array([t - step, t, t + step]))
        lever, normal, velocity = geometry(path.scene, piece.contacts[0], angle, t)
        omega = -frame(velocity, normal)[1] / frame(lever, normal)[0]
        assert (after - before) / (2 * step) == pytest.approx(omega, rel=1e-5, abs=1e-8)


def test_fig_10_sliding_reverses_where_the_lever_is_square_to_the_motion():
    """Dragged back and pressed down, the tip first slides forth: r·ṗ changes its sign at r = √8.5 (1, −1)."""
    path = run(fastener(LEANING, FLOOR, velocity=(-1, -1), until=4)).way_in.last.paths["pawl"]
    arc = path.pieces[1]
    reversal = 5 - math.sqrt(8.5)
    assert arc.start.t < reversal < arc.end.t
    moments = reversal + np.array([-0.1, 0.1])
    speeds = [
        sliding_speed(*geometry(path.scene, arc.contacts[0], angle, t), VERTEX)
        for angle, t in zip(pawl_angles(path, arc, moments), moments, strict=True)
    ]
    assert speeds[0] > 0 > speeds[1]
    (angle,) = pawl_angles(path, arc, np.array([reversal]))
    lever, normal, velocity = geometry(path.scene, arc.contacts[0], angle, reversal)
    assert lever == pytest.approx([math.sqrt(8.5), -math.sqrt(8.5)], abs=1e-9)
    assert sliding_speed(lever, normal, velocity, VERTEX) == pytest.approx(0, abs=1e-9)


# Section 7: the time of sticking, type B

LENGTH = math.sqrt(17)


def over_its_hinge(mu: Fraction) -> SnapResult:
    """A tip above its hinge, drawn down onto a table."""
    return run(fastener(OVER_THE_HINGE, TABLE, friction=mu))


@pytest.mark.parametrize("mu", [Fraction(1, 10), Fraction(1, 5)])
def test_sec_7_type_b_sticks_where_the_lever_is_the_root_of_one_plus_mu_squared_shorter(mu):
    """Differs: printed is |p|/(1 + μ²), which is no lever of length |p|. The table is at y = −1."""
    lock = over_its_hinge(mu).events[-1]
    corrected, printed = (1 + LENGTH / (1 + float(mu) ** 2) ** power for power in (0.5, 1))
    assert (lock.kind, lock.t) == ("lock", pytest.approx(corrected, abs=1e-12))
    assert abs(lock.t - printed) > 0.01
    assert (exact_value(lock.exact) - 1) ** 2 * (1 + mu**2) == pytest.approx(17, abs=1e-30)


def pushed_back() -> Fastener:
    """A tip that is dragged along a floor and slowly pressed on it; on the way back it is pushed ahead."""
    return fastener(LEANING, FLOOR, velocity=(-1, Fraction(-1, 10)), until=30, friction=Fraction(3, 10))


def test_sec_7_with_the_hinge_on_the_free_side_the_lever_points_down():
    """Differs: r = −|p|(n − μv)/√(1 + μ²). Printed, with a plus, the hinge would be below the floor."""
    result = run(pushed_back(), reverse=True)
    assert told(result.way_in) == ["contact"]
    lock = result.way_back.events[-1]
    assert (lock.kind, lock.at) == ("lock", pytest.approx(10 * (5 - LENGTH / math.sqrt(1.09)), abs=1e-10))
    lever = rotated(np.array([1.0, -4.0]), lock.angle)
    n, v = np.array([0.0, 1.0]), np.array([1.0, 0.0])
    assert lever == pytest.approx(-LENGTH * (n - 0.3 * v) / math.sqrt(1.09), abs=1e-9)


def test_sec_7_dragged_the_other_way_the_same_contact_does_not_stick():
    """The way in passes the same angle, with r·ṗ of the other sign."""
    result = run(pushed_back(), reverse=True)
    assert result.way_in.angles["pawl"] > result.way_back.events[-1].angle > 0
    assert result.way_in.threshold is None
    assert result.way_back.to_dict()["lock_friction_exact"] == "1/4"


# Eqs 18 to 21: the time of sticking, type A


@cache
def pushed_against(mu: Fraction) -> SnapResult:
    """A block whose face, d = 2 from the hinge, is pushed against a corner one above it."""
    return run(fastener(BLOCK, WEDGE, velocity=(1, 0), friction=mu), reverse=True)


@pytest.mark.parametrize("mu", [Fraction(1, 10), Fraction(1, 5), Fraction(2, 5)])
def test_eq_21_type_a_sticks_where_the_vertex_is_d_times_the_root_of_one_plus_mu_squared_away(mu):
    lock = pushed_against(mu).events[-1]
    t = exact_value(lock.exact)
    assert lock.kind == "lock"
    assert (4 - t) ** 2 + 1 == pytest.approx(4 * (1 + mu**2), abs=1e-30)


def test_eqs_18_to_20_there_the_lever_is_along_the_edge_of_the_friction_cone():
    mu = 0.2
    result = pushed_against(Fraction(1, 5))
    path, lock = result.way_in.last.paths["pawl"], result.events[-1]
    r, m, velocity = geometry(path.scene, path.pieces[-1].contacts[0], lock.angle, lock.t)
    x = np.array([m[1], -m[0]])
    v = math.copysign(1, sliding_speed(r, m, velocity, 1 - VERTEX)) * x
    size, root = np.hypot(*r), math.sqrt(1 + mu**2)
    assert r == pytest.approx(size / root * (m - mu * v), abs=1e-9)
    assert r @ m == pytest.approx(size / root, abs=1e-9)
    assert r @ m == pytest.approx(2, abs=1e-9)


def test_eq_21_needs_the_size_of_d_and_the_sign_of_the_approach():
    """Differs: coming out, the hooks' d is −13/√10, and printed, |r| = d√(1 + μ²) has no solution."""
    mu = Fraction(3, 5)
    way_in, way_back = run(two_hooks(mu), reverse=True).ways
    hook = two_hooks().pawls[0].outline
    (ax, ay), (bx, by) = hook[3], hook[4]
    normal = np.array([by - ay, ax - bx], np.float64) / math.hypot(bx - ax, by - ay)
    d = float(normal @ np.array(hook[3], np.float64))
    assert d == pytest.approx(-13 / math.sqrt(10))
    r = np.array([1.0, -14 / 3])  # from the hinge to the T, where it is met on the way out
    assert np.hypot(*r) < abs(d) * math.sqrt(1 + float(mu) ** 2)
    assert (way_in.last.cause, way_back.last.cause) == ("stop", "lock")


def test_eq_21_a_vertex_that_recedes_does_not_stick():
    """From where it stuck the block goes back, over the same lever."""
    assert pushed_against(Fraction(2, 5)).way_back.last.cause == "until"


# Section 9.3: sliding and sticking regions


def exact(points: Sequence[Point]) -> list[tuple[Fraction, Fraction]]:
    return [(Fraction(x), Fraction(y)) for x, y in points]


def states_of(
    here: Scene, pair: FeaturePair, u: Floats, mu: Fraction, turn: int = 0
) -> list[tuple[float, str]]:
    """When a contact is at some angles, and whether it sticks there."""
    contact = contact_curve(here, pair, turn)
    contact_grip = friction_terms(here, contact, turn)
    edges = friction_cone(here, contact_grip, mu)
    points = [
        ExactArithmetic().point(ExactArithmetic().number(Fraction(value)), turn, contact.line) for value in u
    ]
    return [(point.t, "stick" if is_locked(point, contact_grip, edges) else "slide") for point in points]


def in_turn(states: list[tuple[float, str]]) -> str:
    """What they are one after another in time."""
    ordered = [state for _, state in sorted(states)]
    return " ".join(state for k, state in enumerate(ordered) if not k or ordered[k - 1] != state)


def regions(velocity: tuple[Fraction, Fraction]) -> str:
    """Of a tip that goes along a floor, with a friction of 0.3."""
    here = pawl_scene(
        ExactArithmetic(),
        exact(TIP),
        *exact([(0, 0)]),
        velocity,
        unite_obstacles([exact(FLOOR)]),
        Fraction(1),
    )
    return in_turn(states_of(here, (VERTEX, 0, 2), HALF_TURN, Fraction(3, 10)))


TIP = [(4, 0), (0, 1), (0, -1)]  # its first vertex is level with the hinge at u = 0
HALF_TURN = np.linspace(-0.999, 0.999, 400)  # from straight down to straight up


def test_sec_9_3_an_approaching_hinge_slides_between_two_sticking_regions():
    assert regions((Fraction(1), Fraction(-1, 2))) == "stick slide stick"


def test_sec_9_3_a_receding_hinge_slides_sticks_and_slides():
    """Differs: the paper's three regions of type B are those of a hinge that comes nearer."""
    assert regions((Fraction(1), Fraction(1, 10))) == "slide stick slide"


@pytest.mark.parametrize(("mu", "pattern"), [(QUARTER, "slide stick slide"), (Fraction(0), "slide")])
def test_sec_9_3_type_a_has_at_most_one_sticking_region(mu, pattern):
    """The vertex comes within d√(1 + μ²) of the hinge and goes away on the other side, where it slides."""
    here = pawl_scene(
        ExactArithmetic(),
        exact(BLOCK),
        *exact([(0, 0), (1, 0)]),
        unite_obstacles([exact(WEDGE)]),
        Fraction(1),
    )
    states = [
        state
        for turn in (0, 1)
        for state in states_of(here, (1 - VERTEX, 1, 0), np.linspace(-0.99, 0.99, 200), mu, turn)
    ]
    assert in_turn(states) == pattern


def test_sec_9_3_friction_ends_a_motion_and_does_not_change_it():
    smooth, rough = (run(two_hooks(mu)).events for mu in (0, Fraction(3, 10)))
    assert [(e.kind, e.pawl, e.exact) for e in smooth] == [(e.kind, e.pawl, e.exact) for e in rough]


ARMED = [(-2, -1), (-QUARTER, -1), (0, -4), (QUARTER, -1), (2, -1), (2, 1), (-2, 1)]
PIN = [(4, -3), (7 * HALF, -7), (9 * HALF, -7)]
AHEAD = [
    (Fraction(83, 10), Fraction(-6, 5)),
    (Fraction(113, 10), Fraction(-17, 10)),
    (Fraction(113, 10), Fraction(-7, 10)),
]
LANDINGS = [
    (Fraction(0), ["lands", "jam on one"]),
    (Fraction(1, 5), ["lands", "lock"]),
    (Fraction(2, 5), ["lands", "lock"]),
]


@pytest.mark.parametrize(("mu", "end"), LANDINGS)
def test_sec_9_3_after_a_snap_it_is_checked_whether_the_pawl_sticks_where_it_lands(mu, end):
    result = run(fastener(ARMED, PIN, AHEAD, velocity=(1, 0), friction=mu))
    assert told(result.way_in)[-2:] == end
    lands, last = result.way_in.last.paths["pawl"].events[-2:]
    assert (lands.point.against(last.point.time) == 0) is (mu == Fraction(2, 5))


@pytest.mark.parametrize(("mu", "at_once"), [(Fraction(1, 5), False), (Fraction(1, 4), True)])
def test_sec_9_3_so_it_is_after_a_translation(mu, at_once):
    contact, lock = over_its_hinge(mu).events
    assert (contact.exact == lock.exact) is at_once
