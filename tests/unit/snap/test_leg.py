"""The motion of one pawl, event by event: cases made by hand, with times that can be worked out on paper."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from tests.unit.snap.one_pawl import (
    CLASP,
    EXACT,
    FLOAT,
    HILL,
    HOOK,
    SLAB,
    TEE,
    TIP,
    angle,
    at_rest,
    box,
    grid_case,
    mirrored,
    pieces,
    ring,
    scene_of,
    story,
    swept,
)

from pliant.snap.arithmetic.polynomials import fraction
from pliant.snap.geometry.contact_curves import contact_curve
from pliant.snap.geometry.features import EDGE, VERTEX
from pliant.snap.sweep.leg import sweep_leg
from pliant.snap.sweep.path import Path

both = pytest.mark.parametrize("arithmetic", [EXACT, FLOAT], ids=["exact", "float"])

ROOT_10, ROOT_5 = math.sqrt(10), math.sqrt(5)
DIODE = ring((4, 1), (-2, 0), (-2, -2))
STONES = (
    ring((1, 3), (5, 2), (5, 3)),
    ring((1, -2), (6, -3), (6, -2)),
    ring((-1, -2), (-5, -1), (-5, -3)),
)


def told(path: Path) -> list[Any]:
    """The kinds of events and their times, one after another."""
    return [item for event in story(path) for item in event]


def exact_times(path: Path) -> list[Fraction | None]:
    """Of every event: its t where that is rational."""
    times = [event.point.time.reduced for event in path.events]
    return [fraction(time.low) if time.is_rational else None for time in times]


# One test for each kind of event


@both
def test_a_tip_over_a_hill_touches_climbs_slides_level_and_snaps_off_behind(arithmetic):
    """It snaps off where its lever is at right angles to the slope: (-3, -4), a third after the top's end."""
    path = swept(TIP, HILL, velocity=(1, 0), arithmetic=arithmetic)
    assert [kind for kind, _ in story(path)] == ["contact", "change", "change", "change", "snap off", "rests"]
    assert [t for _, t in story(path)] == pytest.approx([6, 9.613249509, 12, 14, 43 / 3, 43 / 3])
    assert [motion for motion, _, _ in pieces(path)] == ["rest", "arc", "arc", "flat", "arc", "rest"]
    assert angle(path.events[2].point) == pytest.approx(-math.acos(3 / 5))
    assert angle(path.events[4].point) == pytest.approx(-math.asin(3 / 5))
    assert path.events[4].contacts == ((VERTEX, 1, 1),)
    assert (path.cause, angle(path.end)) == ("until", 0)


def test_rational_times_are_known_as_rational():
    path = swept(TIP, HILL, velocity=(1, 0))
    assert exact_times(path) == [6, None, 12, 14, Fraction(43, 3), Fraction(43, 3)]


@both
def test_a_pawl_comes_back_to_rest_along_a_slope_and_is_released(arithmetic):
    path = swept(HOOK, TEE, hinge=(-4, 9), until=8, arithmetic=arithmetic)
    assert [kind for kind, _ in story(path)] == ["contact", "change", "change", "release"]
    assert [t for _, t in story(path)] == pytest.approx([3 / 2, 2.708497378, 3.708497378, 13 / 3])
    assert pieces(path)[-1] == ("rest", pytest.approx(13 / 3), 8)


@both
def test_after_a_release_the_next_contact_is_found(arithmetic):
    path = swept(HOOK, box(-3, 0, 3, 1), box(-3, -10, 3, -9), hinge=(-4, 9), arithmetic=arithmetic)
    first, second = story(path)[:4], story(path)[4:]
    assert [(kind, pytest.approx(t + 10)) for kind, t in first] == second


@both
def test_two_contacts_that_close_on_a_pawl_jam_it(arithmetic):
    path = swept(DIODE, *STONES, velocity=(0, 1), hinge=(0, -9), until=18, arithmetic=arithmetic)
    assert told(path) == ["contact", 5.4, "jam", pytest.approx(6.309218, abs=1e-6)]
    assert path.cause == "jam"
    assert angle(path.end) == pytest.approx(-0.228906, abs=1e-6)
    assert {pair[0] for pair in path.touching} == {VERTEX}
    assert len(path.touching) == 2


@both
def test_a_snap_from_a_vertex_lands_on_the_next_obstacle(arithmetic):
    path = swept(DIODE, *STONES, hinge=(0, 9), until=18, arithmetic=arithmetic)
    kinds = ["contact", "snap from a vertex", "lands", "change", "snap from a vertex", "rests"]
    assert [kind for kind, _ in story(path)] == kinds
    assert [t for _, t in story(path)] == pytest.approx([5.5, 10, 10, 10.7782321, 15, 15])
    snap, landing = path.events[1], path.events[2]
    assert math.tan(angle(snap.point) / 2) == pytest.approx(3 / 5)
    assert 0 < angle(landing.point) < angle(snap.point)
    assert landing.contacts == ((EDGE, 0, 6),)


@both
def test_a_vertex_pulled_straight_from_its_hinge_jams_on_one_contact(arithmetic):
    """Its lever (1, -3) turns until it points straight down, and is √10 long then."""
    path = swept(CLASP, SLAB, velocity=(0, 1), hinge=(0, 2), arithmetic=arithmetic)
    assert told(path) == ["contact", 1, "jam on one", pytest.approx(ROOT_10 - 2)]
    assert angle(path.end) == pytest.approx(-math.atan(1 / 3))


def test_a_jam_s_time_is_a_root_of_its_polynomial_of_least_degree():
    path = swept(CLASP, SLAB, velocity=(0, 1), hinge=(0, 2))
    assert path.end.time.reduced.poly.coeffs() == [-6, 4, 1]  # t² + 4t - 6


@both
def test_a_stop_ends_the_motion_where_it_is_reached(arithmetic):
    """On the ramp t = 11 - 5 (cos θ + sin θ)."""
    path = swept(TIP, HILL, velocity=(1, 0), stops=("-1/4", 1), arithmetic=arithmetic)
    assert path.cause == "stop"
    assert told(path) == ["contact", 6, "stop", pytest.approx(11 - 5 * (15 - 8) / 17)]
    assert path.end.angle == -1 / 4


@both
def test_a_stop_further_away_is_no_hindrance(arithmetic):
    near = swept(TIP, HILL, velocity=(1, 0), stops=("-1/2", 0), arithmetic=arithmetic)
    assert story(near) == story(swept(TIP, HILL, velocity=(1, 0), arithmetic=arithmetic))


@both
def test_a_pawl_held_against_a_stop_at_rest_yields_one_way_only(arithmetic):
    against = swept(TIP, HILL, velocity=(1, 0), stops=(0, 1), arithmetic=arithmetic)
    assert (against.cause, told(against)) == ("stop", ["stop", 6])
    yielding = swept(TIP, HILL, velocity=(1, 0), stops=(-1, 0), arithmetic=arithmetic)
    assert story(yielding)[0] == ("contact", 6)
    assert yielding.cause == "until"


@both
@pytest.mark.parametrize(
    "below", [box(-3, -9, 3, -8), ring((0, -8), (-3, -9), (3, -9))], ids=["a floor", "a point"]
)
def test_a_push_along_the_lever_at_rest_is_a_dead_centre(below, arithmetic):
    path = swept(TIP, below, arithmetic=arithmetic)
    assert (path.cause, told(path)) == ("dead centre", ["dead centre", 3])


@both
def test_a_push_along_the_lever_goes_to_the_side_that_a_stop_leaves(arithmetic):
    """The floor is met at a vertical tangent: u² = t / (10 - t) after it."""
    path = swept(TIP, box(-3, -9, 3, -8), stops=(0, 1), until="7/2", arithmetic=arithmetic)
    assert told(path) == ["contact", 3]
    assert path.end.angle == pytest.approx(math.sqrt(0.5 / 9.5))


@both
def test_the_legs_end_ends_an_arc_where_it_is(arithmetic):
    path = swept(TIP, HILL, velocity=(1, 0), until=8, arithmetic=arithmetic)
    assert path.cause == "until"
    assert math.cos(angle(path.end)) + math.sin(angle(path.end)) == pytest.approx(3 / 5)
    assert path.touching == ((VERTEX, 1, 3),)


@both
def test_the_limit_of_events_ends_a_sweep(arithmetic):
    scene = scene_of(TIP, HILL, velocity=(1, 0), arithmetic=arithmetic)
    assert sweep_leg(scene, at_rest(scene), limit=3).cause == "limit"


# Flush, fitting and grazing


@both
def test_a_pawl_that_fits_a_slot_exactly_slides_through(arithmetic):
    path = swept(box(-1, -4, 1, 0), box(-5, -20, -1, -8), box(1, -20, 5, -8), until=30, arithmetic=arithmetic)
    assert (path.cause, story(path)) == ("until", [])
    assert angle(path.end) == 0


@both
def test_a_pawl_turned_by_a_funnel_slides_through_a_slot_it_fits_exactly(arithmetic):
    """A bar 2 wide at 4 to 3, set upright by a ramp that ends where the slot, 2 wide, begins."""
    bar = ring(("-4/5", "-3/5"), ("26/5", "-43/5"), ("34/5", "-37/5"), ("4/5", "3/5"))
    funnel = ring((1, -60), (30, -60), (30, 9), (1, -20))
    path = swept(bar, funnel, box(-30, -60, -1, -22), until=45, arithmetic=arithmetic)
    assert told(path) == ["contact", 6.8, "change", 10]
    assert {motion for motion, begin, _ in pieces(path) if begin >= 10} == {"flat"}
    assert (path.cause, angle(path.end)) == ("until", pytest.approx(-math.asin(3 / 5)))


@both
def test_a_slot_too_narrow_by_a_hair_jams_and_one_wider_by_a_hair_does_not(arithmetic):
    hair = Fraction(1, 10**40) if arithmetic is EXACT else Fraction(1, 10**6)
    causes = []
    for edge in (1 - hair, 1 + hair):
        sides = box(-5, -20, -1, -8), box(edge, -20, 5, -8)
        causes.append(swept(box(-1, -4, 1, 0), *sides, until=30, arithmetic=arithmetic).cause)
    assert causes == ["jam", "until"]


@both
def test_a_vertex_that_grazes_a_wall_along_the_way_has_no_effect(arithmetic):
    for stone in (ring((1, -8), (3, -9), (3, -7)), ring((1, -8), (3, -9), (3, -8)), box(1, -9, 3, -8)):
        path = swept(box(-1, -4, 1, 0), stone, arithmetic=arithmetic)
        assert (path.cause, story(path)) == ("until", [])


@both
def test_a_stone_that_touches_a_sliding_pawl_in_one_moment_has_no_effect(arithmetic):
    """On the hill's top the pawl's upper end is at (16/5, 12/5): at t = 13 it brushes a point."""
    pawl, point = ring((-1, 0), (0, -5), (1, 0), (0, 4)), ring(("81/5", "12/5"), (17, 9), (15, 9))
    free = swept(pawl, HILL, velocity=(1, 0), until=14, arithmetic=arithmetic)
    brushed = swept(pawl, HILL, point, velocity=(1, 0), until=14, arithmetic=arithmetic)
    assert story(brushed) == story(free)
    assert ("flat", 13, 14) in pieces(brushed)


@both
def test_a_flush_landing_on_edges_that_begin_together_turns_the_pawl(arithmetic):
    """The block's far corner, on a lever of 3/2, is what it turns on."""
    path = swept(box(-2, -4, -1, 0), box(-2, -12, "-3/2", -10), until=8, arithmetic=arithmetic)
    assert path.events[0].kind == "contact"
    assert path.pieces[1].contacts == ((EDGE, 0, 2),)
    assert angle(path.pieces[1].end) < 0


@both
def test_a_flush_landing_across_the_hinge_jams(arithmetic):
    path = swept(box(-1, -4, 1, 0), box(-3, -9, 3, -8), arithmetic=arithmetic)
    assert (path.cause, told(path)) == ("jam", ["jam", 4])


@both
def test_a_flush_side_slides_past_a_corner_at_an_irrational_angle(arithmetic):
    """The side goes through the hinge and the corner lies on the hinge's path: it holds until they meet."""
    pawl = ring((1, -2), (1, 1), (0, 1), (0, -1))
    path = swept(pawl, ring((2, -4), (-2, -5), (2, -5)), velocity=(1, -2), until=4, arithmetic=arithmetic)
    assert told(path)[:6] == ["contact", 1, "change", pytest.approx(2 - 1 / ROOT_5), "snap off", 2]
    assert path.pieces[2].motion == "flat"
    assert path.pieces[2].start.angle == pytest.approx(ROOT_5 - 2)
    assert angle(path.end) == 0


@both
def test_an_arc_comes_to_the_angle_at_which_its_edge_is_parallel_to_the_way(arithmetic):
    """α and β vanish together there, at t = 5; then the pawl, upright, slides down flush with the block."""
    path = swept(box(-1, -1, 3, 0), box(1, -6, 2, -5), arithmetic=arithmetic)
    flat = [piece for piece in path.pieces if piece.motion == "flat"]
    assert flat[0].start.t == pytest.approx(5)
    assert flat[-1].end.t == pytest.approx(9)
    assert angle(flat[0].start) == pytest.approx(math.pi / 2)
    assert (path.cause, angle(path.end)) == ("until", 0)


@both
def test_starting_in_contact_it_leaves_follows_or_jams_as_the_way_demands(arithmetic):
    floor, block = box(-10, -6, 50, -4), box(-1, -4, 1, 0)
    for velocity in ((1, 1), (1, 0)):
        path = swept(block, floor, velocity=velocity, arithmetic=arithmetic)
        assert (path.cause, story(path)) == ("until", [])
    path = swept(block, floor, velocity=(1, -1), arithmetic=arithmetic)
    assert (path.cause, told(path)) == ("jam", ["jam", 0])


# What the pawl and the obstacles are


@both
def test_touching_obstacles_are_as_good_as_one(arithmetic):
    one = swept(HOOK, TEE, hinge=(-4, 9), until=8, arithmetic=arithmetic)
    parts = [(-1, -12, 1, 0), (-3, 0, 0, 1), (0, 0, 3, 1), (-1, -13, 1, -12)]
    several = swept(HOOK, *(box(*part) for part in parts), hinge=(-4, 9), until=8, arithmetic=arithmetic)
    assert story(several) == story(one)
    assert pieces(several) == pieces(one)


@both
def test_vertices_on_straight_edges_change_nothing(arithmetic):
    plain = swept(HOOK, TEE, hinge=(-4, 9), until=8, arithmetic=arithmetic)
    hook = (*HOOK[:1], *ring(("-1/2", -3)), *HOOK[1:3], *ring((1, "-13/2")), *HOOK[3:])
    tee = (*TEE[:5], *ring((0, 1)), *TEE[5:])
    assert story(swept(hook, tee, hinge=(-4, 9), until=8, arithmetic=arithmetic)) == story(plain)


@both
@pytest.mark.parametrize("seed", range(12))
def test_a_mirror_turns_angles_round_and_nothing_else(seed, arithmetic):
    case = grid_case(seed)
    way = case["velocity"]
    path = swept(case["pawl"], *case["outlines"], velocity=way, arithmetic=arithmetic)
    other = swept(
        mirrored(case["pawl"]),
        *map(mirrored, case["outlines"]),
        velocity=(-way[0], way[1]),
        arithmetic=arithmetic,
    )
    assert (other.cause, story(other)) == (path.cause, story(path))
    angles = [angle(event.point) for event in path.events]
    assert [-angle(event.point) for event in other.events] == pytest.approx(angles)


@both
def test_a_pawl_s_own_vertex_may_be_its_hinge(arithmetic):
    pawl = ring((0, 0), (3, -4), (4, -3))
    path = swept(pawl, box(2, -12, 9, -10), arithmetic=arithmetic)
    assert path.events[0].kind == "contact"
    assert path.events[0].point.t == pytest.approx(6)
    touched = swept(pawl, box(-9, -12, 1, -10), arithmetic=arithmetic)
    assert (touched.cause, touched.end.t) == ("jam", 10)


@both
def test_a_hinge_may_be_outside_its_pawl_and_pass_where_the_pawl_could_not(arithmetic):
    """It goes right round the block, upside down, and comes off it from below."""
    path = swept(box(2, -4, 3, -2), box("5/2", -10, 4, -9), arithmetic=arithmetic)
    kinds = ["contact", *["change"] * 5, "snap from a vertex", "rests"]
    assert [kind for kind, _ in story(path)] == kinds
    assert max(angle(piece.end) for piece in path.pieces) > 2
    assert path.cause == "until"


@both
def test_an_edge_that_faces_its_hinge_breaks_contact(arithmetic):
    """d < 0: it breaks where the corner is at the foot of the hinge, |d| = 11/√26 from it."""
    pawl, stone = [(3, -4), (4, -3), (2, 1)], [(7, -1), (4, -2), (7, -2)]
    path = swept(pawl, stone, velocity=(1, 0), arithmetic=arithmetic)
    snap = next(event for event in path.events if event.kind == "snap off")
    assert snap.contacts == ((EDGE, 2, 2),)
    assert math.hypot(7 - snap.point.t, 2) == pytest.approx(11 / math.sqrt(26))


@both
def test_a_wheel_is_wound_up_by_peg_after_peg(arithmetic):
    """Each of six turns it a quarter further, while the next already holds it; then it unwinds at once."""
    arm, reach = Fraction(1, 4), 3
    quarter = [(arm, arm), (arm, reach), (-arm, reach)]
    wheel = [point for k in range(4) for point in (_turned(corner, k) for corner in quarter)]
    pegs = [box(4 * k - Fraction(1, 8), "-17/8", 4 * k + Fraction(1, 8), "-15/8") for k in range(1, 7)]
    path = swept(wheel, *pegs, velocity=(1, 0), until=40, arithmetic=arithmetic)
    times = [t for _, t in story(path)]
    assert times[:11] == pytest.approx([29 / 8, *(t for k in range(5) for t in (6 + 4 * k, 61 / 8 + 4 * k))])
    angles = [angle(event.point) for event in path.events]
    assert angles[2:11:2] == pytest.approx([-math.pi / 2 * k for k in range(1, 6)])
    assert [kind for kind, _ in story(path)][-2:] == ["snap from a vertex", "rests"]
    assert angles[-2] == pytest.approx(-8.835550214882296)
    assert [piece.turn for piece in path.pieces[-2:]] == [-3, 0]


def _turned(point: tuple[Any, Any], quarters: int) -> tuple[Any, Any]:
    x, y = point
    for _ in range(quarters):
        x, y = -y, x
    return x, y


@both
@pytest.mark.parametrize("turn", [-5, -1, 1, 2])
def test_a_free_pawl_unwinds_at_once_however_far_it_is_wound(turn, arithmetic):
    scene = scene_of(TIP, box(20, -9, 21, -8), until=3, arithmetic=arithmetic)
    start = arithmetic.point(arithmetic.number(Fraction(1, 3)), turn, arithmetic.line(arithmetic.scalar(0)))
    path = sweep_leg(scene, start)
    assert story(path) == [("snap off", 0), ("rests", 0)]
    assert pieces(path) == [("rest", 0, 3)]


@both
def test_a_wound_pawl_is_held_by_the_first_stone_on_its_way_back(arithmetic):
    """Wound by a turn and a half, it comes to lie on a peg at its right with a whole turn still on it."""
    scene = scene_of(box("-1/4", -6, "1/4", 0), box(3, "-1/2", 4, "1/4"), until=1, arithmetic=arithmetic)
    start = arithmetic.point(arithmetic.number(Fraction(0)), 3, arithmetic.line(arithmetic.scalar(0)))
    path = sweep_leg(scene, start)
    assert [kind for kind, _ in story(path)][:2] == ["snap off", "lands"]
    assert 2 * math.pi + math.pi / 2 < angle(path.events[1].point) < 2 * math.pi + 3 / 4 * math.pi


@both
def test_many_coincident_events_are_one(arithmetic):
    """A comb lands flush on a comb: five teeth on five stones at once, all on one side of the hinge."""
    comb = [(1, 0), (1, -4)]
    for k in range(1, 6):
        comb += [(2 * k, -4), (2 * k, -3), (2 * k + 1, -3), (2 * k + 1, -4)]
    comb += [(12, -4), (12, 0)]
    stones = [box(2 * k + 1, -12, 2 * k + 2, -10) for k in range(5)]
    path = swept(comb, *stones, until="121/20", arithmetic=arithmetic)
    assert story(path)[0] == ("contact", 6)
    assert path.cause == "until"
    single = swept(box(1, -4, 12, 0), box(1, -12, 10, -10), until="121/20", arithmetic=arithmetic)
    assert angle(path.end) == pytest.approx(angle(single.end))


# What breaks and what jams


@pytest.mark.few(20)
@pytest.mark.parametrize("seed", range(60))
def test_a_contact_on_one_lever_ends_as_its_side_of_the_hinge_says(seed):
    """Snap off: type A with d < 0, type B with the hinge on the free side; a jam on one: the others.

    Differs: [DonaldPai1993] has no break of type A; d may be negative where the hinge is outside the pawl.
    """
    case = grid_case(seed)
    path = swept(case["pawl"], *case["outlines"], velocity=case["velocity"], arithmetic=FLOAT)
    for event in path.events:
        if event.kind in ("snap off", "jam on one") and len(event.contacts) == 1:
            side = _side_of_hinge(path, event)
            assert side <= 0 if event.kind == "snap off" else side >= 0


def _side_of_hinge(path: Path, event: Any) -> int:
    """The sign of d, or of lever · normal; 0 where the hinge itself is met."""
    contact = contact_curve(path.scene, event.contacts[0], event.point.turn)
    kind, i, j = contact.pair
    if kind == EDGE:
        (ax, ay), (bx, by) = path.scene.pawl[i], path.scene.pawl[(i + 1) % len(path.scene.pawl)]
        value = ax * (by - ay) - ay * (bx - ax)
    else:
        (x, y), turn = path.scene.pawl[i], angle(event.point)
        across = [math.cos(turn) * x - math.sin(turn) * y, math.sin(turn) * x + math.cos(turn) * y]
        (ax, ay), (bx, by) = (path.scene.corner(k) for k in (j, path.scene.obstacles.following[j]))
        value = across[0] * (by - ay) - across[1] * (bx - ax)
    return 0 if abs(value) < 1e-9 else (1 if value > 0 else -1)
