"""What happens next at a point where contacts meet: each kind of answer, from the wedges that touch there."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest
from tests.unit.snap.one_pawl import (
    CLASP,
    EXACT,
    FLOAT,
    SLAB,
    TIP,
    at_rest,
    box,
    grid_case,
    ring,
    scene_of,
    swept,
)

from pliant.snap.geometry.contact_curves import contact_curve
from pliant.snap.geometry.features import EDGE, VERTEX
from pliant.snap.geometry.pawl_scene import Scene
from pliant.snap.sweep.leg import contacts_at
from pliant.snap.sweep.next_motion import NextMotion, next_motion, rest_and_stop_lines, stop_in_chart

both = pytest.mark.parametrize("arithmetic", [EXACT, FLOAT], ids=["exact", "float"])
FLOOR = box(-9, -9, 9, -8)
BLOCK = box(-1, -4, 1, 0)


def turned_to(scene: Scene, u: Any, t: Any) -> Any:
    """A point at a rational angle and time."""
    arithmetic = scene.arithmetic
    at = arithmetic.number(Fraction(u))
    return arithmetic.point(at, 0, arithmetic.line(arithmetic.scalar(Fraction(t))))


def after(scene: Scene, point: Any) -> NextMotion:
    return next_motion(scene, point, contacts_at(scene, point))


# Without contact


@both
def test_what_touches_nothing_rests_or_snaps(arithmetic):
    scene = scene_of(TIP, FLOOR, arithmetic=arithmetic)
    assert after(scene, at_rest(scene)) == NextMotion("rest")
    assert after(scene, turned_to(scene, "1/2", 0)) == NextMotion("snap")
    assert after(scene, turned_to(scene, "-1/2", 0)) == NextMotion("snap")


# From rest


@both
def test_a_vertex_beside_its_hinge_is_pushed_to_the_outside(arithmetic):
    for x, side in ((3, 1), (-3, -1)):
        scene = scene_of(ring((-1, 0), (x, -4), (1, 0)), FLOOR, arithmetic=arithmetic)
        found = after(scene, at_rest(scene, 4))
        assert (found.kind, found.side) == ("arc", side)
        assert found.curves[0].pair == (VERTEX, 1, 2)


@both
def test_a_vertex_below_its_hinge_is_at_a_dead_centre(arithmetic):
    scene = scene_of(TIP, FLOOR, arithmetic=arithmetic)
    assert after(scene, at_rest(scene, 3)).kind == "dead centre"


@both
def test_a_flush_edge_across_the_hinge_jams_and_one_beside_it_turns(arithmetic):
    scene = scene_of(BLOCK, FLOOR, arithmetic=arithmetic)
    assert after(scene, at_rest(scene, 4)).kind == "jam"
    for pawl, side in ((box(1, -4, 3, 0), 1), (box(-3, -4, -1, 0), -1)):
        scene = scene_of(pawl, FLOOR, arithmetic=arithmetic)
        found = after(scene, at_rest(scene, 4))
        assert (found.kind, found.side) == ("arc", side)
        assert found.curves[0].pair == (VERTEX, 0 if side > 0 else 1, 2)


@both
@pytest.mark.parametrize("stone", [box(1, -9, 3, -4), ring((1, -6), (3, -7), (3, -5)), box(1, -4, 3, 3)])
def test_what_lies_along_the_way_leaves_a_pawl_at_rest(stone, arithmetic):
    scene = scene_of(BLOCK, stone, arithmetic=arithmetic)
    for t in (0, 1, 2, 5):
        assert after(scene, at_rest(scene, t)).kind == "rest"


@both
def test_corner_on_corner_can_go_either_way_or_is_let_past(arithmetic):
    """The pawl's lower right corner on the stone's upper left one: over its top, or down its side."""
    stone = box(1, -9, 3, -4)
    kinds = {}
    for velocity in ((0, -1), (1, 0), (1, -1), (-1, -1), (1, 1)):
        scene = scene_of(BLOCK, stone, velocity=velocity, arithmetic=arithmetic)
        kinds[velocity] = after(scene, at_rest(scene)).kind
    assert kinds == {
        (0, -1): "rest",
        (1, 0): "rest",
        (1, -1): "dead centre",
        (-1, -1): "rest",
        (1, 1): "rest",
    }


# Off rest


@both
def test_a_tip_that_touches_what_does_not_hold_it_snaps_back(arithmetic):
    """u = 1/2 turns (0, -5) to (4, -3): there is a wall beyond it."""
    scene = scene_of(TIP, box(4, -9, 6, 9), arithmetic=arithmetic)
    point = turned_to(scene, "1/2", 0)
    assert [contact.pair for contact in contacts_at(scene, point)] == [(VERTEX, 1, 3)]
    assert after(scene, point).kind == "snap"


@both
def test_a_contact_that_holds_is_followed_whichever_way_the_hinge_goes(arithmetic):
    """On a floor the tip is held: the arc is followed down and up, and along it the angle stays."""
    for velocity, kind in (((0, -1), "arc"), ((0, 1), "arc"), ((1, 0), "flat")):
        scene = scene_of(TIP, box(-9, -9, 9, -3), velocity=velocity, arithmetic=arithmetic)
        assert after(scene, turned_to(scene, "1/2", 0)).kind == kind


@both
def test_at_the_end_of_its_lever_a_contact_breaks_or_jams(arithmetic):
    """A vertex straight below its hinge, on a floor it recedes from or under a slab it is pulled against."""
    pawl = ring((3, -4), (4, 0), (-1, 1))  # (3, -4) is straight below where it is turned by -u = 1/3
    scene = scene_of(pawl, box(-9, -9, 9, -5), velocity=(0, 1), arithmetic=arithmetic)
    assert after(scene, turned_to(scene, "-1/3", 0)).kind == "snap"
    path = swept(CLASP, SLAB, velocity=(0, 1), hinge=(0, 2), arithmetic=arithmetic)
    assert next_motion(path.scene, path.end, contacts_at(path.scene, path.end)).kind == "jam"


@both
def test_a_stop_counts_as_a_wall(arithmetic):
    scene = scene_of(ring((-1, 0), (3, -4), (1, 0)), FLOOR, stops=(-1, 0), arithmetic=arithmetic)
    assert after(scene, at_rest(scene, 4)).kind == "jam"
    scene = scene_of(TIP, FLOOR, stops=(-1, 0), arithmetic=arithmetic)
    found = after(scene, at_rest(scene, 3))
    assert (found.kind, found.side) == ("arc", -1)


def test_a_stop_is_found_in_the_chart_it_lies_in():
    assert stop_in_chart(Fraction(1, 2), 0) == Fraction(1, 2)
    assert stop_in_chart(Fraction(3), 1) == Fraction(-1, 3)
    assert stop_in_chart(Fraction(-3), -1) == Fraction(1, 3)
    assert stop_in_chart(Fraction(3), -1) is None
    assert stop_in_chart(Fraction(3), 2) is None
    scene = scene_of(TIP, FLOOR, stops=("-3", "1/2"))
    assert rest_and_stop_lines(scene, 0) == [[0, 1], [3, 1], [-1, 2]]
    assert rest_and_stop_lines(scene, -1) == [[-1, 3]]


# However it is asked


def test_the_order_of_contacts_does_not_matter():
    compared = 0
    for seed in range(40):
        case = grid_case(seed)
        path = swept(case["pawl"], *case["outlines"], velocity=case["velocity"])
        for event in path.events:
            contacts = contacts_at(path.scene, event.point)
            if 2 <= len(contacts) <= 5:
                found = {
                    _told(next_motion(path.scene, event.point, order)) for order in permutations(contacts)
                }
                assert len(found) == 1
                compared += 1
    assert compared > 20


def test_floats_and_fractions_give_the_same_answer_at_every_event():
    for seed in range(40):
        case = grid_case(seed)
        path = swept(case["pawl"], *case["outlines"], velocity=case["velocity"])
        scene = scene_of(case["pawl"], *case["outlines"], velocity=case["velocity"], arithmetic=FLOAT)
        for event in path.events:
            point = FLOAT.point(event.point.angle, event.point.turn, None, event.point.t)
            contacts = [
                contact_curve(scene, c.pair, point.turn) for c in contacts_at(path.scene, event.point)
            ]
            wanted = next_motion(path.scene, event.point, contacts_at(path.scene, event.point))
            assert _told(next_motion(scene, point, contacts)) == _told(wanted)


def _told(found: NextMotion) -> tuple[Any, ...]:
    return found.kind, found.side, frozenset(c.pair for c in found.curves)


def test_a_curve_s_kind_is_that_of_its_pair():
    scene = scene_of(BLOCK, FLOOR)
    assert contact_curve(scene, (VERTEX, 0, 2), 0).round is not None
    assert contact_curve(scene, (EDGE, 0, 2), 0).round is None
    assert contact_curve(scene, (VERTEX, 0, 1), 0).is_flat
