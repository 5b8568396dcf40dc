"""Where friction locks a contact: the paper's propositions against kinematics and statics done afresh.

Here a contact is r (from hinge to contact), N (the normal of the force on the pawl) and v (of the hinge).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.optimize import linprog
from tests.unit.snap.one_pawl import (
    CLASP,
    EXACT,
    FLOAT,
    HOOK,
    SLAB,
    TEE,
    TIP,
    angle,
    box,
    grid_case,
    scene_of,
    story,
    swept,
)

from pliant.snap.geometry.contact_curves import contact_curve
from pliant.snap.geometry.features import EDGE, VERTEX
from pliant.snap.sweep.friction_cone import friction_cone, friction_terms, is_locked
from pliant.snap.sweep.leg import sweep_leg
from pliant.snap.sweep.path import Path, PathPiece

both = pytest.mark.parametrize("arithmetic", [EXACT, FLOAT], ids=["exact", "float"])
FRICTIONS = [Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(5, 2)]


class State(NamedTuple):
    """A contact that slides, as the sweep and as plain vectors."""

    path: Path
    piece: PathPiece
    point: Any
    lever: Any
    normal: Any
    velocity: Any


def states(count: int) -> Iterator[State]:
    """Places on the arcs of pawls that go without friction."""
    for seed in range(count):
        case = grid_case(seed)
        path = swept(case["pawl"], *case["outlines"], velocity=case["velocity"], arithmetic=FLOAT)
        for piece in path.pieces:
            if piece.motion == "arc":
                line = contact_curve(path.scene, piece.contacts[0], piece.turn).line
                for share in (0.1, 0.5, 0.9):
                    u = piece.start.angle + share * (piece.end.angle - piece.start.angle)
                    point = FLOAT.point(u, piece.turn, line)
                    yield State(path, piece, point, *vectors(path, piece.contacts[0], point))


def vectors(path: Path, pair: tuple[int, int, int], point: Any) -> tuple[Any, Any, Any]:
    """Lever, normal of the force on the pawl, and velocity, from the outlines as drawn."""
    scene, (kind, i, j), turn = path.scene, pair, angle(point)
    across = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    pawl = np.stack([scene.bodies.pawl.x, scene.bodies.pawl.y], axis=1) @ across.T
    stones = np.array([[float(x), float(y)] for x, y in scene.obstacles.points])
    velocity = np.array([scene.bodies.hinge.vx, scene.bodies.hinge.vy])
    hinge = np.array([scene.bodies.hinge.x, scene.bodies.hinge.y]) + point.t * velocity
    if kind == VERTEX:
        edge = stones[scene.obstacles.following[j]] - stones[j]
        return pawl[i], np.array([edge[1], -edge[0]]) / np.hypot(*edge), velocity
    edge = pawl[(i + 1) % len(pawl)] - pawl[i]
    return stones[j] - hinge, np.array([-edge[1], edge[0]]) / np.hypot(*edge), velocity


def cross(a: Any, b: Any) -> float:
    return float(a[0] * b[1] - a[1] * b[0])


def slip(state: State) -> float:
    """How fast the pawl's material slides along (N_y, -N_x), from a turn that keeps the contact."""
    r, n, v = state.lever, state.normal, state.velocity
    turned = np.array([-r[1], r[0]])
    rate = -(v @ n) / (turned @ n)
    return float((v + rate * turned) @ np.array([n[1], -n[0]]))


def sticks(state: State, friction: float) -> bool | None:
    """Props 6.1, 6.2: whether the force of sliding turns the pawl the wrong way; None on a close call."""
    along = np.array([state.normal[1], -state.normal[0]])
    force = state.normal - friction * np.sign(slip(state)) * along
    needed, given = cross(state.lever, state.normal), cross(state.lever, force)
    if min(abs(needed), abs(given), abs(slip(state))) < 1e-6:
        return None
    return given * needed < 0


def wedges(state: State, friction: float) -> bool:
    """Whether a force in the cone has no moment about the hinge and opposes its motion: a linear program."""
    along = friction * np.array([state.normal[1], -state.normal[0]])
    edges = np.stack([state.normal + along, state.normal - along])
    moments = [cross(state.lever, edge) for edge in edges]
    found = linprog([1, 1], A_eq=[moments, (edges @ state.velocity).tolist()], b_eq=[0, -1])
    return found.status == 0


def says(state: State, friction: Fraction) -> bool:
    """What the sweep goes by."""
    scene, turn = state.path.scene, state.piece.turn
    contact = friction_terms(scene, contact_curve(scene, state.piece.contacts[0], turn), turn)
    return is_locked(state.point, contact, friction_cone(scene, contact, friction))


# Props 6.1 and 6.2


def test_contacts_stick_where_the_force_of_sliding_would_turn_the_pawl_the_wrong_way():
    seen = {(kind, stuck): 0 for kind in (VERTEX, EDGE) for stuck in (True, False)}
    for state in states(60):
        for friction in FRICTIONS:
            stuck = sticks(state, float(friction))
            if stuck is not None:
                assert says(state, friction) == stuck
                seen[state.piece.contacts[0][0], stuck] += 1
    assert min(seen.values()) > 20


def test_contacts_stick_where_a_force_in_the_cone_alone_can_hold_the_hinge():
    compared = 0
    for state in states(25):
        for friction in FRICTIONS[1:3]:
            if sticks(state, float(friction)) is not None:
                assert says(state, friction) == wedges(state, float(friction))
                compared += 1
    assert compared > 60


def test_all_four_sectors_occur_and_decide():
    """-r = β N + γ (N - μ slip): it sticks in sectors I and III and slides in II and IV."""
    seen = {1: 0, 2: 0, 3: 0, 4: 0}
    for state in states(60):
        for friction in FRICTIONS:
            if sticks(state, float(friction)) is None:
                continue
            along = np.array([state.normal[1], -state.normal[0]])
            edge = state.normal - float(friction) * np.sign(slip(state)) * along
            beta, gamma = np.linalg.solve(np.stack([state.normal, edge], axis=1), -state.lever)
            sector = (1 if beta > 0 else 2) if gamma > 0 else (4 if beta > 0 else 3)
            assert says(state, friction) == (sector in (1, 3))
            seen[sector] += 1
    assert min(seen.values()) > 3


def test_a_slide_reverses_where_the_lever_is_at_right_angles_to_the_way():
    """Eqs 11, 17: the sliding speed has the sign of r · v over r x N."""
    for state in states(40):
        across, ahead = cross(state.lever, state.normal), float(state.lever @ state.velocity)
        if abs(across) > 1e-6 and abs(ahead) > 1e-6:
            assert np.sign(slip(state)) == np.sign(ahead) * np.sign(across)


def test_what_the_sweep_computes_with_is_what_the_vectors_say():
    """r x N, r · N and r · v, each up to one positive factor."""
    for state in states(20):
        scene, turn, point = state.path.scene, state.piece.turn, state.point
        contact = friction_terms(scene, contact_curve(scene, state.piece.contacts[0], turn), turn)
        found = [a(point.u) * point.t + b(point.u) for a, b in (contact.across, contact.along)]
        wanted = [cross(state.lever, state.normal), float(state.lever @ state.normal)]
        size = math.hypot(*found) / math.hypot(*wanted)
        assert found == pytest.approx([value * size for value in wanted], abs=1e-9 * size)
        a, b = contact.ahead
        ahead = (a(point.u) * point.t + b(point.u)) / (1 + point.u**2)
        assert ahead == pytest.approx(float(state.lever @ state.velocity), abs=1e-9)


# When


@both
@pytest.mark.parametrize("friction", ["1/10", "1/4", "2/7"])
def test_a_vertex_pulled_by_its_hinge_sticks_before_it_would_jam(friction, arithmetic):
    """R p = |p| (n - μ v) / √(1+μ²), where the hinge is behind the edge.

    Differs: [DonaldPai1993] sec. 7 has |p| (n + μ v) / (1+μ²).
    """
    path = swept(CLASP, SLAB, velocity=(0, 1), hinge=(0, 2), friction=friction, arithmetic=arithmetic)
    lever, _, _ = vectors(path, path.touching[0], path.end)
    mu, normal, slide = float(Fraction(friction)), np.array([0, -1]), np.array([-1, 0])
    assert path.cause == "lock"
    assert lever == pytest.approx(math.sqrt(10) * (normal - mu * slide) / math.hypot(1, mu))
    assert path.end.t == pytest.approx(math.sqrt(10) / math.hypot(1, mu) - 2)


@both
def test_a_vertex_that_touches_within_the_cone_sticks_at_once(arithmetic):
    path = swept(CLASP, SLAB, velocity=(0, 1), hinge=(0, 2), friction="1/3", arithmetic=arithmetic)
    assert (path.cause, story(path)) == ("lock", [("contact", 1), ("lock", 1)])
    assert len(path.pieces) == 2


def ahead_of_its_hinge(friction: Any, arithmetic: Any = EXACT) -> Path:
    """A tip that leans forward, (4, -3), on a floor from which its hinge recedes: upright at t = 2."""
    scene = scene_of(TIP, box(-9, -5, 40, -3), velocity=(3, 1), until=9, arithmetic=arithmetic)
    half = arithmetic.number(Fraction(1, 2))
    start = arithmetic.point(half, 0, arithmetic.line(arithmetic.scalar(Fraction(0))))
    return sweep_leg(scene, start, Fraction(friction))


@both
@pytest.mark.parametrize("friction", ["1/2", "3/4", "1"])
def test_a_vertex_whose_hinge_recedes_sticks_on_its_way_to_the_normal(friction, arithmetic):
    """R p = -|p| (n - μ v) / √(1+μ²), where the hinge is on the free side."""
    path = ahead_of_its_hinge(friction, arithmetic)
    lever, _, _ = vectors(path, path.touching[0], path.end)
    mu, normal, slide = float(Fraction(friction)), np.array([0, 1]), np.array([1, 0])
    assert path.cause == "lock"
    assert lever == pytest.approx(-5 * (normal - mu * slide) / math.hypot(1, mu))
    assert path.end.t == pytest.approx(5 / math.hypot(1, mu) - 3)


@both
def test_a_receding_hinge_lets_a_vertex_slide_stick_and_slide(arithmetic):
    """It sticks while its lever is in the cone and still ahead: 1/3 < r_x / -r_y ≤ 1/2.

    Differs: [DonaldPai1993] sec. 7 has one sliding region between two sticking ones.
    """
    path = ahead_of_its_hinge(0, arithmetic)
    assert story(path)[-2:] == [("contact", 0), ("release", 2)]
    scene, piece = path.scene, path.pieces[0]
    arc = contact_curve(scene, piece.contacts[0], 0)
    contact = friction_terms(scene, arc, 0)
    edges = friction_cone(scene, contact, Fraction(1, 2))
    found = []
    for slope in (0.9, 0.501, 0.499, 0.4, 0.334, 0.332, 0.1):  # r_x / -r_y is tan θ
        u = arithmetic.number(Fraction((math.hypot(1, slope) - 1) / slope))
        found.append(is_locked(arithmetic.point(u, 0, arc.line), contact, edges))
    assert found == [False, False, True, True, True, False, False]
    assert ahead_of_its_hinge("1/3", arithmetic).cause == "until"


@both
@pytest.mark.parametrize("friction", ["7/10", "4/5", "9/10"])
def test_a_corner_on_an_edge_sticks_at_the_distance_of_eq_21(friction, arithmetic):
    """|r| = d √(1+μ²), with d = 16/√13 and the corner a quarter to the hinge's right."""
    path = swept(HOOK, TEE, hinge=(-4, 9), until=8, friction=friction, arithmetic=arithmetic)
    square = 256 / 13 * (1 + float(Fraction(friction)) ** 2)
    assert path.cause == "lock"
    assert path.end.t == pytest.approx(8 - math.sqrt(square - 1))
    if arithmetic is EXACT:
        assert path.end.time.reduced.poly.degree() == 2


@both
def test_an_edge_that_faces_its_hinge_sticks_at_the_first_touch_or_not_at_all(arithmetic):
    """d < 0: eq. 21 with |d|, and a hinge that goes away from the corner."""
    for friction, stuck in (("23/39", True), ("58/100", False)):
        path = swept(
            HOOK, TEE, hinge=(-4, 1), velocity=(0, 1), until=8, friction=friction, arithmetic=arithmetic
        )
        assert (path.cause == "lock") == stuck
        if stuck:
            depth = 13 / 2 / math.sqrt(5 / 2)
            assert path.end.t == pytest.approx(11 / 3)
            assert math.hypot(1, 1 + path.end.t) == pytest.approx(depth * math.hypot(1, 23 / 39))


@both
def test_friction_shortens_a_way_and_does_not_change_it(arithmetic):
    for seed in range(20):
        case = grid_case(seed)
        free = swept(case["pawl"], *case["outlines"], velocity=case["velocity"], arithmetic=arithmetic)
        rough = swept(
            case["pawl"], *case["outlines"], velocity=case["velocity"], friction="2/5", arithmetic=arithmetic
        )
        shared = [event for event in story(rough) if event[0] != "lock"]
        assert shared == story(free)[: len(shared)]
        assert rough.cause == "lock" or story(rough) == story(free)


def test_what_is_at_rest_does_not_stick():
    """A pawl that slides through a slot it fits, or along a wall, carries no load."""
    path = swept(box(-1, -4, 1, 0), box(-5, -20, -1, -8), box(1, -20, 5, -8), friction=2, until=30)
    assert path.cause == "until"
