"""[DonaldPai1993] sections 5, 8 and 9.1: contacts as curves over time and angle, and where they meet."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
import shapely
from flint import fmpq, fmpz_poly
from tests.papers.contact_cases import (
    BLOCK,
    FLOOR,
    HALF,
    LEANING,
    NEEDLE,
    OVER_THE_HINGE,
    RIDGE,
    TABLE,
    WEDGE,
    angle_at,
    exact_value,
    fastener,
    inside,
    overlap,
    pieces,
    rotated,
    run,
    told,
)

from pliant import gallery
from pliant.snap.arithmetic.exact import ExactArithmetic
from pliant.snap.arithmetic.polynomials import fraction
from pliant.snap.generate import motion_diode, random_fastener, two_hooks
from pliant.snap.geometry.contact_curves import ContactCurve, contact_curve
from pliant.snap.geometry.features import EDGE, VERTEX
from pliant.snap.geometry.pawl_scene import Scene, pawl_scene, unite_obstacles
from pliant.snap.questions.configuration_space import configuration_slice
from pliant.snap.result import SnapResult
from pliant.snap.status import SnapStatus

Vector = tuple[Fraction, Fraction]


# Eqs 3 to 5, 22 to 25, 28: C surfaces


def some_vectors(rng: np.random.Generator, count: int, size: int = 6) -> list[Vector]:
    return [(Fraction(int(x), 2), Fraction(int(y), 2)) for x, y in rng.integers(-size, size + 1, (count, 2))]


def some_hull(rng: np.random.Generator) -> list[Vector]:
    """A convex outline, counter-clockwise."""
    while True:
        hull = shapely.MultiPoint(some_vectors(rng, 5)).convex_hull
        if isinstance(hull, shapely.Polygon):
            points = list(shapely.geometry.polygon.orient(hull).exterior.coords)[:-1]
            return [(Fraction(x), Fraction(y)) for x, y in points]


def some_scene(seed: int) -> Scene:
    """A convex pawl and a convex obstacle somewhere, and a velocity."""
    rng = np.random.default_rng(seed)
    hinge, velocity = some_vectors(rng, 2)
    if velocity == (0, 0):
        velocity = (Fraction(1), Fraction(0))
    return pawl_scene(
        ExactArithmetic(), some_hull(rng), hinge, velocity, unite_obstacles([some_hull(rng)]), Fraction(1)
    )


def every_curve(here: Scene) -> Iterator[ContactCurve]:
    for kind in (VERTEX, EDGE):
        for i in range(len(here.pawl)):
            for j in range(len(here.obstacles.points)):
                yield contact_curve(here, (kind, i, j), 0)


def as_printed(here: Scene, contact: ContactCurve, u: Fraction, t: Fraction) -> Fraction:
    """Eq. 3 or 4 with the normal as long as its edge, times (1 + u²) as in eq. 23, coordinates as scaled."""
    kind, i, j = contact.pair
    c, s = (1 - u * u) / (1 + u * u), 2 * u / (1 + u * u)
    p = [here.hinge[k] + t * here.velocity[k] for k in (0, 1)]

    def turned(x: Fraction, y: Fraction) -> Vector:
        return c * x - s * y, s * x + c * y

    def edge(start: tuple[int, int], end: tuple[int, int]) -> tuple[Vector, Fraction]:
        """Its outward normal, and how far along it the edge is."""
        n = Fraction(end[1] - start[1]), Fraction(start[0] - end[0])
        return n, start[0] * n[0] + start[1] * n[1]

    if kind == VERTEX:
        n, d = edge(here.corner(j), here.corner(here.obstacles.following[j]))
        r = turned(*here.pawl[i])
        return (1 + u * u) * ((r[0] + p[0]) * n[0] + (r[1] + p[1]) * n[1] - d)
    n, d = edge(here.pawl[i], here.pawl[(i + 1) % len(here.pawl)])
    m, q = turned(*n), here.corner(j)
    return (1 + u * u) * ((q[0] - p[0]) * m[0] + (q[1] - p[1]) * m[1] - d)


@pytest.mark.parametrize("seed", range(6))
def test_eqs_3_and_4_become_the_curve_of_eq_28(seed):
    here = some_scene(seed)
    rng = np.random.default_rng(seed)
    for contact in every_curve(here):
        u, t = (Fraction(int(top), int(bottom)) for top, bottom in rng.integers(1, 20, (2, 2)))
        at = fmpq(u.numerator, u.denominator)
        alpha, beta = (fraction(fmpq(0) + poly(at)) for poly in (contact.alpha, contact.beta))
        assert alpha * t + beta == as_printed(here, contact, u, t)


@pytest.mark.parametrize("seed", range(6))
def test_eqs_23_to_25_curves_are_quadratic_in_u_with_coefficients_affine_in_t_and_the_hinge(seed):
    """Eq. 22: the hinge's coordinates appear once in each term, so that second differences vanish."""
    here = some_scene(seed)
    for contact in every_curve(here):
        assert max(contact.alpha.degree(), contact.beta.degree()) <= 2
        kind, i, j = contact.pair
        for step in ((1, 0), (0, 1), (2, -3)):
            betas = [
                contact_curve(_moved(here, tuple(k * s for s in step)), (kind, i, j), 0).beta
                for k in (0, 1, 2)
            ]
            assert betas[0] - 2 * betas[1] + betas[2] == fmpz_poly([])


def _moved(here: Scene, by: tuple[int, ...]) -> Scene:
    hinge = here.hinge[0] + by[0], here.hinge[1] + by[1]
    return replace(here, hinge=hinge, curves={})


def applies(here: Scene, contact: ContactCurve, angle: float) -> bool:
    """Whether the vertex would touch the edge first, both of its own edges pointing away from it."""
    kind, i, j = contact.pair
    pawl = rotated(np.array(here.pawl, np.float64), angle)
    stone = np.array([here.corner(k) for k in range(len(here.obstacles.points))], np.float64)
    tips, edges, tip, edge = (pawl, stone, i, j) if kind == VERTEX else (stone, pawl, j, i)
    along = edges[(edge + 1) % len(edges)] - edges[edge]
    rays = [tips[(tip + step) % len(tips)] - tips[tip] for step in (-1, 1)]
    return all(along[1] * ray[0] - along[0] * ray[1] >= 0 for ray in rays)


@pytest.mark.parametrize("seed", range(8))
def test_eq_5_parts_overlap_where_every_applicable_constraint_is_negative(seed):
    here = some_scene(seed)
    rng = np.random.default_rng(seed)
    pawl = np.array(here.pawl, np.float64)
    stone = shapely.Polygon([here.corner(k) for k in range(len(here.obstacles.points))])
    found = set()
    for angle, t in zip(rng.uniform(-1.5, 1.5, 60), rng.uniform(-6, 6, 60), strict=True):
        u = math.tan(angle / 2)
        hinge = np.array(here.hinge, np.float64) + t * np.array(here.velocity, np.float64)
        area = shapely.Polygon(rotated(pawl, angle) + hinge).intersection(stone).area
        least = max(_value(contact, u, t) for contact in every_curve(here) if applies(here, contact, angle))
        if abs(least) > 1e-9:
            assert (least < 0) == (area > 0)
            found.add(least < 0)
    assert found == {True, False}


def _value(contact: ContactCurve, u: float, t: float) -> float:
    alpha, beta = (sum(int(poly[n]) * u**n for n in range(3)) for poly in (contact.alpha, contact.beta))
    return alpha * t + beta


# Eqs 26, 27, 29 and Fig. 12: the discriminant


def discriminant(contact: ContactCurve) -> tuple[int, int, int]:
    """Eq. 27: its coefficients, from the constant up."""
    (c1, b1, a1), (c0, b0, a0) = (
        tuple(int(poly[n]) for n in range(3)) for poly in (contact.alpha, contact.beta)
    )
    return b0**2 - 4 * a0 * c0, 2 * (b0 * b1 - 2 * a0 * c1 - 2 * a1 * c0), b1**2 - 4 * a1 * c1


@pytest.mark.parametrize("seed", range(6))
def test_eq_27_the_discriminant_vanishes_exactly_where_a_curve_turns_back(seed):
    """With t = −β/α, α²Δ(t) = (α′β − αβ′)²: an identity of polynomials in u."""
    for contact in every_curve(some_scene(seed)):
        constant, middle, square = discriminant(contact)
        alpha, beta = contact.line
        assert square * beta**2 - middle * alpha * beta + constant * alpha**2 == contact.turning**2


@pytest.mark.parametrize("seed", range(6))
def test_fig_12_a_curve_lives_between_its_turns_if_of_type_b_and_outside_them_if_of_type_a(seed):
    here = some_scene(seed)
    speed = here.velocity[0] ** 2 + here.velocity[1] ** 2
    for contact in every_curve(here):
        square, (kind, i, _) = discriminant(contact)[2], contact.pair
        if kind == VERTEX:
            assert square == -4 * int(contact.round[0]) ** 2
        else:
            start, end = here.pawl[i], here.pawl[(i + 1) % len(here.pawl)]
            assert square == 4 * speed * ((end[0] - start[0]) ** 2 + (end[1] - start[1]) ** 2)


FACING_THE_HINGE = [(3, 1), (3, -1), (5, 0), (5, 1)]  # its first edge has d = −3
SPIKE = [(5, Fraction(-14, 5)), (4, Fraction(-54, 5)), (Fraction(23, 5), Fraction(-54, 5))]
TURNS = {
    "B breaks": (fastener(NEEDLE, RIDGE, velocity=(1, 0)), "snap off"),
    "B jams": (fastener(OVER_THE_HINGE, TABLE), "jam on one"),
    "A breaks": (fastener(FACING_THE_HINGE, SPIKE, velocity=(1, Fraction(-8, 5))), "snap off"),
    "A jams": (fastener(BLOCK, WEDGE, velocity=(1, 0)), "jam on one"),
}


@cache
def turned(name: str) -> SnapResult:
    return run(TURNS[name][0])


@pytest.mark.parametrize("name", TURNS)
def test_fig_13_at_a_double_root_contact_breaks_or_jams_by_the_sign_of_sigma(name):
    """Eq. 29: there u = −B/2A, and σ = α(u) is positive where it breaks, negative where it jams."""
    result, kind = turned(name), TURNS[name][1]
    event = next(event for event in result.events if event.kind == kind)
    path = result.way_in.last.paths["pawl"]
    last = next(piece for piece in path.pieces if piece.end.t == pytest.approx(event.t))
    contact = contact_curve(path.scene, last.contacts[0], 0)
    assert ("A" if last.contacts[0][0] == EDGE else "B") == name[0]
    t = exact_value(event.exact)
    constant, middle, square = discriminant(contact)
    assert square * t * t + middle * t + constant == pytest.approx(0, abs=1e-20)
    a, b = (int(contact.alpha[n]) * t + int(contact.beta[n]) for n in (2, 1))
    assert float(-b / (2 * a)) == pytest.approx(math.tan(event.angle / 2), abs=1e-12)
    sigma = path.scene.arithmetic.sign_at(contact.alpha, last.end.u)
    assert sigma == (1 if kind == "snap off" else -1)


def test_fig_13_type_b_breaks_where_the_pawl_stands_upright_on_the_edge():
    """The ridge falls by 3 in 10: the needle snaps off as it leans back by as much."""
    snap = next(event for event in turned("B breaks").events if event.kind == "snap off")
    assert snap.angle == pytest.approx(-math.atan(3 / 10), abs=1e-12)
    assert told(turned("B breaks").way_in)[-1] == "rests"


def test_fig_13_type_b_jams_where_the_vertex_is_right_above_the_hinge():
    event = turned("B jams").events[-1]
    assert (event.t, event.angle) == pytest.approx((1 + math.sqrt(17), math.atan(1 / 4)), abs=1e-12)


def test_fig_13_type_a_jams_where_the_vertex_is_as_near_as_the_edge():
    """|r| = d = 2, with the vertex one above the hinge's path."""
    event = turned("A jams").events[-1]
    assert (event.t, event.angle) == pytest.approx((4 - math.sqrt(3), math.pi / 6), abs=1e-12)


def test_fig_13_type_a_breaks_where_the_edge_faces_the_hinge():
    """Differs: the paper has this case for impossible; with d = −3 it breaks at |r| = 3, while sliding."""
    result = turned("A breaks")
    assert told(result.way_in) == ["contact", "change", "snap off", "rests"]
    snap = result.events[2]
    r = np.array([5.0, -2.8]) - snap.t * np.array([1.0, -1.6])
    assert np.hypot(*r) == pytest.approx(3, abs=1e-12)
    assert snap.angle == pytest.approx(math.atan2(r[1], r[0]), abs=1e-12)
    assert overlap(result.model, 0, snap.t + 1e-6, snap.angle / 2) == 0


# Fig. 11 and section 8.3.2: branches


def test_fig_11_of_two_angles_that_touch_the_motion_keeps_to_its_own():
    """Both are free, and between them the needle overlaps the floor, so that no way leads across."""
    result = run(fastener(LEANING, FLOOR, until=4))
    path = result.way_in.last.paths["pawl"]
    for t in (1.5, 2.0, 3.0):
        height, lean = 5 - t, math.atan2(-4, 1)
        both = [
            math.asin(-height / math.sqrt(17)) - lean,
            -math.pi - math.asin(-height / math.sqrt(17)) - lean,
        ]
        assert [overlap(result.model, 0, t, angle) for angle in both] == pytest.approx([0, 0], abs=1e-9)
        assert overlap(result.model, 0, t, sum(both) / 2) > 0.01
        assert angle_at(path, t) == pytest.approx(both[0], abs=1e-12)


@pytest.mark.parametrize(
    "model", [two_hooks(), motion_diode(), *(random_fastener(seed) for seed in range(12))]
)
def test_sec_8_3_2_every_piece_keeps_its_branch_sign(model):
    """The sign of 2Au + B, which chooses the root in eq. 26, from one end of a piece to the other."""
    for path, piece in pieces(run(model).way_in):
        if piece.motion != "arc":
            continue
        contact = contact_curve(path.scene, piece.contacts[0], piece.turn)
        low, high = sorted((piece.start.angle, piece.end.angle))
        slopes = [_value_of_slope(contact, u) for u in np.linspace(low, high, 7)[1:-1]]
        assert len(set(np.sign(slopes))) == 1


def _value_of_slope(contact: ContactCurve, u: float) -> float:
    """2Au + B on the curve."""
    alpha, beta = ([int(poly[n]) for n in range(3)] for poly in contact.line)
    t = -sum(beta[n] * u**n for n in range(3)) / sum(alpha[n] * u**n for n in range(3))
    return 2 * (alpha[2] * t + beta[2]) * u + alpha[1] * t + beta[1]


# Fig. 14: translation parallel to the edge


def test_fig_14_along_an_edge_parallel_to_the_motion_the_angle_stays():
    """Decided: it is a flat piece, σ = 0 throughout, and ends where the edge does; no snap."""
    path = run(two_hooks()).way_in.last.paths["left"]
    flat = [piece for piece in path.pieces if piece.motion == "flat"]
    assert len(flat) == 1
    assert contact_curve(path.scene, flat[0].contacts[0], 0).is_flat
    assert flat[0].end.t - flat[0].start.t == pytest.approx(1, abs=1e-12)
    assert np.ptp([angle_at(path, t) for t in inside(flat[0])]) == 0


def test_fig_14_of_type_a_the_pawl_stays_flush_until_it_is_past():
    """Turned by −π/2 its edge is parallel to the motion, with the corner on it: from t = 7 to t = 10.

    As drawn, that is: a hair to either side the force is another, so that it is told as a knife's edge.
    """
    box, block = [(-2, -1), (0, -1), (0, 0), (-2, 0)], [(-2, -8), (-1, -8), (-1, -7), (-2, -7)]
    drawn = run(fastener(box, block)).knife_edge.drawn
    flat = [piece for piece in drawn.last.paths["pawl"].pieces if piece.motion == "flat"]
    assert (flat[0].start.t, flat[-1].end.t) == (7, 10)
    assert {piece.turn * math.pi + 2 * math.atan(piece.start.angle) for piece in flat} == {-math.pi / 2}
    assert told(drawn)[-2:] == ["snap from a vertex", "rests"]


def test_fig_14_where_the_pawl_stands_upright_on_such_an_edge_it_is_not_pushed():
    """There the contact has no lever: at rest the needle grazes the plateau and goes on."""
    plateau = [(4, -6), (9, -6), (9, -4), (4, -4)]
    assert run(fastener(NEEDLE, plateau, velocity=(1, 0))).status is SnapStatus.NEVER_TOUCHES


# Figs. 15 to 18: forced nongenericity


def test_fig_15_dragged_diagonally_the_hook_aligns_with_the_t_and_snaps_off():
    result = run(gallery.load("dragged-hook"))
    assert told(result.way_in, "left") == [
        "contact",
        "change",
        "change",
        "change",
        "snap from a vertex",
        "rests",
    ]
    heel, both = result.events[:2]
    assert result.model.root.velocity == (1, Fraction(-2, 5))
    assert [str(contact) for contact in heel.contacts] == ["vertex 1 of left on edge 4-5 of T"]
    assert {str(contact) for contact in both.contacts} == {
        "vertex 1 of left on edge 4-5 of T", "vertex 2 of left on edge 4-5 of T",
    }  # fmt: skip


def test_figs_16_and_17_three_polynomials_vanish_at_one_time_exactly():
    """f_i and f_j of the sole's two vertices, and g_ij = f_i − f_j, which says that the sole is level."""
    path = run(gallery.load("dragged-hook")).way_in.last.paths["left"]
    event = path.events[1]
    f_i, f_j = (contact_curve(path.scene, (VERTEX, vertex, 4), 0) for vertex in (1, 2))
    assert event.point.sign(*f_i.line) == event.point.sign(*f_j.line) == 0
    g = f_i.beta - f_j.beta
    assert f_i.alpha == f_j.alpha
    assert not g.is_zero()
    assert path.scene.arithmetic.sign_at(g, event.point.u) == 0


def test_figs_16_and_17_the_time_is_that_of_the_level_sole():
    """Level, the sole is 31/√17 below the hinge, which is at 43/5 − 2t/5 above the T."""
    both = run(gallery.load("dragged-hook")).events[1]
    assert both.angle == pytest.approx(-math.atan(1 / 4), abs=1e-15)
    assert both.exact.startswith("root of 17*t^2 + (-731)*t + 1852 in")
    assert 17 * (Fraction(43, 5) - Fraction(2, 5) * exact_value(both.exact)) ** 2 == pytest.approx(
        961, abs=1e-30
    )


@pytest.mark.parametrize("seed", range(12))
def test_fig_18_whatever_the_start_the_singular_set_cannot_be_avoided(seed):
    """Between heel alone and toe alone there is always a moment when both touch."""
    rng = np.random.default_rng(seed)
    wedge = [(-1, -8), (1, Fraction(-15, 2)), (HALF, 0), (-HALF, 0)]
    down, start = (Fraction(int(rng.integers(low, 20)), 20) for low in (2, 0))
    path = run(
        fastener(
            wedge,
            [(-9, -20), (60, -20), (60, -10), (-9, -10)],
            velocity=(1, -down),
            hinge=(start, start),
            until=30,
        )
    ).way_in.last.paths["pawl"]
    alone = [{pair[1] for pair in piece.contacts} for piece in path.pieces if piece.contacts]
    assert alone[:2] == [{0}, {1}]
    change = path.events[1]
    assert {pair[1] for pair in change.contacts} == {0, 1}
    assert change.point.angle == pytest.approx(math.tan(-math.atan(1 / 4) / 2), abs=1e-15)


# Sections 8.2 and 8.4.1: resultants


def resultant(first: ContactCurve, second: ContactCurve, t: Fraction) -> Fraction:
    """Of two curves as quadratics in u, at a time: zero where they have a common root."""

    def at(contact: ContactCurve) -> list[Fraction]:
        return [int(contact.alpha[n]) * t + int(contact.beta[n]) for n in range(3)]

    (c1, b1, a1), (c2, b2, a2) = at(first), at(second)
    return (a1 * c2 - a2 * c1) ** 2 - (a1 * b2 - a2 * b1) * (b1 * c2 - b2 * c1)


def test_sec_8_2_resultants_vanish_where_a_second_constraint_is_struck():
    for result in (run(motion_diode()), run(motion_diode(start=(0, -9), velocity=(0, 1)))):
        path = result.way_in.last.paths["pawl"]
        struck = next(h for h in path.events if h.kind in ("change", "jam"))
        first, second = (contact_curve(path.scene, pair, 0) for pair in struck.contacts)
        event = next(event for event in result.events if event.kind == struck.kind)
        t = exact_value(event.exact)
        size = abs(resultant(first, second, t + 1))
        assert abs(resultant(first, second, t)) < size / 10**30


def test_sec_8_4_1_resultants_say_nothing_of_curves_that_coincide():
    """Differs: a vertex slides from one block to the next, where the resultant is zero at every time.

    The blocks touch at a corner only, so that their tops stay two edges.
    """
    blocks = [(0, -8), (2, -8), (3, -5), (0, -5)], [(4, -8), (8, -8), (8, -5), (3, -5)]
    result = run(fastener(LEANING, *blocks, until=4))
    path = result.way_in.last.paths["pawl"]
    first, second = (contact_curve(path.scene, piece.contacts[0], 0) for piece in path.pieces[1:])
    assert first.pair != second.pair
    assert [resultant(first, second, Fraction(t)) for t in (1, 2, 7)] == [0, 0, 0]
    whole = run(fastener(LEANING, [(0, -8), (8, -8), (8, -5), (0, -5)], until=4))
    assert result.way_in.angles == whole.way_in.angles
    assert result.events[1].t == pytest.approx(5 - 2 * math.sqrt(2), abs=1e-12)


def test_sec_8_4_1_resultants_say_nothing_of_edges_parallel_to_the_motion():
    """Differs: α is zero throughout, so that time does not appear in either of two such constraints."""
    here = run(two_hooks()).way_in.last.paths["left"].scene
    sides = [contact_curve(here, (VERTEX, vertex, 5), 0) for vertex in (2, 3)]
    assert all(side.is_flat for side in sides)
    assert len({resultant(*sides, Fraction(t)) for t in range(5)}) == 1


ARM = [
    (3, 0),
    (Fraction(3, 4), HALF),
    (3 * HALF, 5 * HALF),
    (0, 1),
    (-3 * HALF, 5 * HALF),
    (Fraction(-3, 4), HALF),
]
STAR = [*ARM, *((-x, -y) for x, y in ARM)]


@cache
def pinion() -> SnapResult:
    """A star dragged along a rack of pins, which turn it."""
    pins = [[(x, -2), (x - HALF / 2, -4), (x + HALF / 2, -4)] for x in (4 + 5 * HALF * k for k in range(8))]
    return run(fastener(STAR, *pins, velocity=(1, 0), until=30))


def test_sec_8_4_1_past_half_a_turn_a_second_chart_is_needed():
    """Differs: at θ = π the leading coefficient is zero and u is nowhere; the motion goes on."""
    path = pinion().way_in.last.paths["pawl"]
    arcs = [piece for piece in path.pieces if piece.motion == "arc"]
    assert {piece.turn for piece in arcs} == {0, -1, -2, -3}
    assert max(abs(piece.start.angle) for piece in arcs) <= 1
    for before, after in pairwise(arcs):
        here, there = before.turn * math.pi + 2 * math.atan(before.end.angle), after.turn * math.pi
        assert here == pytest.approx(there + 2 * math.atan(after.start.angle), abs=1e-9)


def test_note_4_a_pawl_turned_round_is_cocked_and_not_at_rest():
    """The covering space: after 2π it still pushes back, and from −8.7 rad it snaps back to 0."""
    snap, rests = pinion().events[-2:]
    assert (snap.kind, rests.kind) == ("snap from a vertex", "rests")
    assert snap.angle == pytest.approx(-8.695, abs=1e-3)
    assert (pinion().way_in.last.paths["pawl"].end.turn, rests.angle) == (0, 0)
    curve_of_forces = pinion().way_in.curves[0]
    turned_round = np.abs(curve_of_forces.angles["pawl"] + 2 * math.pi).argmin()
    assert np.hypot(*curve_of_forces.force[turned_round]) > 100


def test_a_pawl_turned_round_never_overlaps_a_pin():
    samples = pinion().way_in.curves[0]
    for t, angle in zip(samples.t[::5], samples.angles["pawl"][::5], strict=True):
        assert overlap(pinion().model, 0, t, angle) < 1e-9


# Section 9.1: the slice


def test_fig_19_the_slice_of_a_pawl_is_drawn_with_its_free_component():
    """Section 9, point 1: the motion never leaves the component it starts in."""
    course = run(motion_diode()).way_in.last
    piece = configuration_slice(course, "pawl", Fraction(0))
    assert piece.reach.buffer(1e-2).covers(shapely.LineString(piece.path))
    assert piece.forbidden.area > 0
