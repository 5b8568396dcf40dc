"""Obstacles that touch or overlap are one: its outlines, how a pawl moves along it, and what it is called."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.unit.snap.one_pawl import (
    CLASP,
    EXACT,
    FLOAT,
    SLAB,
    TIP,
    box,
    fastener,
    grid_case,
    pieces,
    story,
    swept,
)
from tests.unit.snap.one_pawl import ring as drawn

from pliant.snap.generate import random_fastener, ratchet
from pliant.snap.geometry import pawl_scene as scenes
from pliant.snap.geometry.intersections import edge_relation, edges_of, to_integer_points
from pliant.snap.geometry.outlines import NO_VERTEX, Boundary, boundary_of, normal_outline
from pliant.snap.geometry.union import union_boundaries
from pliant.snap.model import Fastener, Obstacle, SnapStudy
from pliant.snap.questions.outcome import outcome
from pliant.snap.solve import solve
from pliant.snap.sweep.contact_names import NamedContact
from pliant.snap.sweep.plan import travel_in, united_obstacles

both = pytest.mark.parametrize("arithmetic", [EXACT, FLOAT], ids=["exact", "float"])
SEEDS = st.integers(0, 10**6)


def unite(*outlines: Any) -> list[Boundary]:
    return list(union_boundaries([normal_outline(drawn(*outline)) for outline in outlines]))


def twice_area(each: Boundary) -> Fraction:
    """Positive about a body, negative about a hole."""
    return sum((a[0] * b[1] - a[1] * b[0] for a, b in edges_of(each.points)), Fraction(0))


# Outlines


def test_squares_side_by_side_are_a_rectangle():
    (whole,) = unite(box(0, 0, 1, 1), box(1, 0, 2, 1))
    assert whole.points == box(0, 0, 2, 1)
    assert list(zip(whole.owner, whole.drawn, strict=True)) == [(0, 0), (1, 1), (1, 2), (0, 3)]
    assert all(whole.convex)


def test_a_post_on_a_slab_is_a_tee_upside_down():
    (whole,) = unite(box(0, 0, 6, 1), box(2, 1, 4, 5))
    assert whole.points == drawn((0, 0), (6, 0), (6, 1), (4, 1), (4, 5), (2, 5), (2, 1), (0, 1))
    assert [(k, vertex) for k, vertex in enumerate(whole.drawn) if whole.owner[k] == 1] == [
        *((3, 1), (4, 2), (5, 3), (6, 0))
    ]
    assert whole.convex == (True, True, True, False, True, True, False, True)


def test_faces_that_lie_on_each_other_in_part_are_open_for_the_rest():
    (whole,) = unite(box(0, 0, 2, 2), box(2, 1, 4, 3))
    assert whole.points == drawn((0, 0), (2, 0), (2, 1), (4, 1), (4, 3), (2, 3), (2, 2), (0, 2))


def test_overlapping_obstacles_have_reflex_corners_that_nobody_drew():
    (whole,) = unite(box(0, 0, 3, 3), drawn((1, 2), (4, "1/2"), (4, 4)))
    crossings = [k for k, vertex in enumerate(whole.drawn) if vertex == NO_VERTEX]
    assert [whole.points[k] for k in crossings] == [*drawn((3, 1), ("5/2", 3))]
    assert [k for k, convex in enumerate(whole.convex) if not convex] == crossings
    assert whole.points == drawn((0, 0), (3, 0), (3, 1), (4, "1/2"), (4, 4), ("5/2", 3), (0, 3))


def test_an_obstacle_inside_another_is_not_there():
    for inner in (box(1, 1, 2, 2), box(0, 1, 2, 2), box(0, 0, 2, 2), box(0, 0, 3, 3)):
        assert unite(inner, box(0, 0, 3, 3))[0].points == box(0, 0, 3, 3)
        assert len(unite(inner, box(0, 0, 3, 3))) == 1


def test_bodies_that_touch_at_a_corner_stay_two():
    for other in (box(1, 1, 2, 2), drawn((1, "1/2"), (2, 0), (2, 1))):
        one, two = unite(box(0, 0, 1, 1), other)
        assert (one.points, two.points) == (box(0, 0, 1, 1), other)


def test_obstacles_apart_by_less_than_a_double_tells_stay_two():
    hair = Fraction(1, 10**30)
    assert len(unite(box(0, 0, 1, 1), box(1 + hair, 0, 2, 1))) == 2
    assert len(unite(box(0, 0, 1, 1), box(1 - hair, 0, 2, 1))) == 1


FRAME = (box(0, 0, 20, 2), box(0, 2, 2, 18), box(18, 2, 20, 18), box(0, 18, 20, 20))


def test_a_frame_of_four_blocks_has_a_hole_clockwise():
    outer, hole = unite(*FRAME)
    assert (outer.points, all(outer.convex)) == (box(0, 0, 20, 20), True)
    assert {*hole.points} == {*box(2, 2, 18, 18)}
    assert (twice_area(outer), twice_area(hole)) == (800, -512)
    assert not any(hole.convex)


def test_where_a_hole_is_shut_by_a_corner_on_a_corner_there_are_two_wedges():
    """Two angles joined at one end. One loop goes in and out again; each corner is really there."""
    low = drawn((0, 0), (4, 0), (4, 1), (1, 1), (1, 3), (0, 3))
    high = drawn((1, 3), (3, 3), (3, 1), (4, 1), (4, 4), (1, 4))
    (whole,) = unite(low, high)
    twice = [k for k, point in enumerate(whole.points) if point == (1, 3)]
    assert [(whole.owner[k], whole.convex[k]) for k in twice] == [(1, True), (0, True)]
    around, inside = drawn((0, 0), (4, 0), (4, 4), (1, 4)), drawn((1, 3), (3, 3), (3, 1), (1, 1))
    assert whole.points == (*around, *inside, *drawn((1, 3), (0, 3)))


@settings(deadline=None, max_examples=75)
@given(st.lists(SEEDS, min_size=1, max_size=3))
def test_the_outlines_are_those_of_the_union_and_do_not_cross(seeds):
    outlines = [drawn(*outline) for seed in seeds for outline in grid_case(seed)["outlines"]]
    found = unite(*outlines)
    whole = shapely.union_all([shapely.Polygon(np.array(outline, float)) for outline in outlines])
    assert float(sum(map(twice_area, found))) / 2 == pytest.approx(whole.area, rel=1e-9)
    lines = [shapely.LinearRing(np.array(each.points, float)) for each in found]
    assert sum(line.length for line in lines) == pytest.approx(whole.boundary.length, rel=1e-9)
    assert shapely.hausdorff_distance(shapely.union_all(lines), whole.boundary) < 1e-9
    edges = [edge for each in to_integer_points(*(each.points for each in found)) for edge in edges_of(each)]
    assert all(edge_relation(one, other) != "cross" for one, other in combinations(edges, 2))


@settings(deadline=None, max_examples=30)
@given(SEEDS)
def test_the_same_obstacles_twice_are_as_good_as_once(seed):
    outlines = grid_case(seed)["outlines"]
    once, twice = unite(*outlines), unite(*outlines, *(outline[::-1] for outline in outlines))
    assert [each.points for each in twice] == [each.points for each in once]


def test_far_from_others_nothing_changes():
    rings = [normal_outline(drawn(*box(3 * k, 0, 3 * k + 1, 1))) for k in range(50)]
    assert list(union_boundaries(rings)) == [boundary_of(one, owner) for owner, one in enumerate(rings)]


def test_a_rack_of_blocks_is_the_rack_in_one_piece():
    def corners(model: Fastener) -> set[Any]:
        return {*united_obstacles(model).points}

    assert corners(ratchet(9, blocks=True)) == corners(ratchet(9))


# Motion


def split(outline: Any, start: int, end: int) -> list[Any]:
    """An outline in two, by the chord from a vertex to the middle of an edge; the edges meet there again."""
    turned = (*outline[start:], *outline[:start])
    (ax, ay), (bx, by) = turned[end], turned[(end + 1) % len(turned)]
    middle = ((ax + bx) / 2, (ay + by) / 2)
    return [(*turned[: end + 1], middle), (turned[0], middle, *turned[end + 1 :])]


def is_chord(outline: Any, halves: list[Any]) -> bool:
    """Whether a split went through the inside."""
    area, line = shapely.Polygon(outline), shapely.LineString([halves[1][0], halves[1][1]])
    met = shapely.intersection(line, area.boundary)
    return area.covers(line) and met.geom_type == "MultiPoint" and len(met.geoms) == 2


@settings(deadline=None, max_examples=30)
@given(SEEDS, st.data())
def test_a_fastener_moves_among_obstacles_cut_in_two_as_among_whole_ones(seed, data):
    model = random_fastener(seed)
    which = data.draw(st.integers(0, len(model.obstacles) - 1))
    outline = model.outline(model.obstacles[which])
    start, end = data.draw(st.integers(0, len(outline) - 1)), data.draw(st.integers(1, len(outline) - 2))
    halves = split(outline, start, end)
    assume(is_chord(outline, halves))
    parts = list(model.obstacles)
    parts[which : which + 1] = [Obstacle(outline=half, at=parts[which].at) for half in halves]
    cut = model.model_copy(update={"obstacles": tuple(parts)})
    for one, other in zip(
        travel_in(model, EXACT, united_obstacles(model)),
        travel_in(cut, EXACT, united_obstacles(cut)),
        strict=True,
    ):
        assert (one.cause, one.by) == (other.cause, other.by)
        for who, path in one.paths.items():
            there = other.paths[who]
            assert [event.kind for event in path.events] == [event.kind for event in there.events]
            ends = [path.end, *(event.point for event in path.events)]
            others = [there.end, *(event.point for event in there.events)]
            assert all(map(same, ends, others))
            assert pieces(path) == pieces(there)


@pytest.mark.few(20)
@pytest.mark.parametrize("seed", range(60))
def test_the_motion_is_that_among_the_obstacles_each_for_itself(seed, monkeypatch: pytest.MonkeyPatch):
    """A seam has no width. It only adds stops to the way, where one edge gives way to the next."""
    case = grid_case(seed)
    now = swept(case["pawl"], *case["outlines"], velocity=case["velocity"])
    monkeypatch.setattr(
        scenes, "union_boundaries", lambda rings: [boundary_of(one, owner) for owner, one in enumerate(rings)]
    )
    each = swept(case["pawl"], *case["outlines"], velocity=case["velocity"])
    assert now.cause == each.cause
    assert same(now.end, each.end)
    stops = [piece.end for piece in each.pieces]
    assert all(any(same(piece.end, stop) for stop in stops) for piece in now.pieces)


def same(one: Any, other: Any) -> bool:
    """Whether two points are one, exactly."""
    return one.against(other.time) == 0 and one.turn == other.turn and EXACT.compare(one.u, other.u) == 0


TALL = [(3, -2), (0, -3), (-2, -4), (0, 0)]
HALVED = (
    pytest.param(
        CLASP, SLAB, (box(-6, 0, -1, 1), box(-1, 0, "3/2", 1)), {"velocity": (0, 1), "hinge": (0, 2)}
    ),
    pytest.param(
        TALL, box(2, -4, 3, -3), (drawn((2, -3), (3, -4), (3, -3)), drawn((2, -3), (2, -4), (3, -4))), {}
    ),
)


@both
@pytest.mark.parametrize(
    ("pawl", "whole", "halves", "case"), HALVED, ids=["flush faces", "one corner of two"]
)
def test_a_pawl_that_jams_on_one_obstacle_in_two_jams_on_one(arithmetic, pawl, whole, halves, case):
    path = swept(pawl, *halves, arithmetic=arithmetic, **case)
    assert [kind for kind, _ in story(path)] == ["contact", "jam on one"]
    assert story(path) == story(swept(pawl, whole, arithmetic=arithmetic, **case))


@both
def test_a_seam_in_a_face_is_slid_over_and_one_at_a_corner_is_snapped_off(arithmetic):
    """The seams: up the ramp, along the level top, and from the corner where the tip goes down and leaves."""
    level = drawn((5, -6), (14, -6), (10, -3), (8, -3))
    parts = (
        drawn((5, -6), (6, -6), (6, -5)),
        drawn((6, -6), (9, -6), (9, -3), (8, -3), (6, -5)),
        drawn((9, -6), (10, -3), (9, -3)),
        drawn((9, -6), (14, -6), (10, -3)),
    )
    path = swept(TIP, *parts, velocity=(1, 0), arithmetic=arithmetic)
    assert [kind for kind, _ in story(path)] == ["contact", "change", "change", "change", "snap off", "rests"]
    assert story(path) == story(swept(TIP, level, velocity=(1, 0), arithmetic=arithmetic))


@both
def test_a_pawl_in_a_frame_of_blocks_moves_as_in_one_with_a_slit(arithmetic):
    slit = drawn(
        *((0, 0), (20, 0), (20, 20), (18, 20), (18, 2), (2, 2), (2, 18), (17, 18), (17, 20), (0, 20))
    )
    bar = drawn((-1, 0), (2, -5), (1, 0))
    for velocity in ((0, -1), (1, -1), (-1, 0)):
        case = {"velocity": velocity, "hinge": (9, 12), "until": 15, "arithmetic": arithmetic}
        among, within = swept(bar, *FRAME, **case), swept(bar, slit, **case)
        assert len(story(within)) > 0
        assert (among.cause, story(among), pieces(among)) == (within.cause, story(within), pieces(within))


# Names


def named(*outlines: Any, pawl: Any = TIP, arithmetic: str = "exact", **root: Any) -> list[list[str]]:
    """The contacts of every event."""
    model = fastener(pawl, *outlines, root=root)
    events = solve(model, SnapStudy(arithmetic=arithmetic)).way_in.events
    return [list(map(str, event.contacts)) for event in events]


def test_vertices_and_edges_are_called_as_they_are_drawn():
    """Over blocks with one top: against the first, along all, and off the last one's far corner."""
    tops = (box(4, -6, 8, -4), box(8, -6, 9, -4), box(9, -6, 14, -4))
    first, climbed, off, landed = named(*tops, velocity=(1, 0), until=30)
    assert first == ["vertex 3 of obstacle 1 on edge 1-2 of pawl"]
    assert climbed[:2] == [f"vertex 1 of pawl on edge {edge} of obstacle 1" for edge in ("2-3", "3-0")]
    assert "vertex 1 of pawl on edge 2-3 of obstacle 3" in off
    assert landed == []


@pytest.mark.parametrize(("x", "owner"), [(-5, 1), (0, 2), (5, 3)])
@pytest.mark.parametrize("arithmetic", ["exact", "float"])
def test_a_place_on_a_face_of_several_is_called_by_the_one_that_is_there(x, owner, arithmetic):
    tops = [box(left - x, -9, right - x, -8) for left, right in ((-8, -2), (-2, 2), (2, 8))]
    way = {"velocity": (0, -1), "until": 5}
    assert named(*tops, arithmetic=arithmetic, **way)[0] == [
        f"vertex 1 of pawl on edge 2-3 of obstacle {owner}"
    ]
    assert outcome(fastener(TIP, *tops, root=way), EXACT).contact == NamedContact(
        "pawl", 1, f"obstacle {owner}", (2, 3)
    )


def test_what_happens_is_told_alike_when_others_come_to_touch_elsewhere():
    """A run is compared with others by what is touched, whatever is joined to what far away."""
    hill = drawn((5, -6), (14, -6), (10, -3), (8, -3))
    apart, touching = ((box(0, -50, 1, -49), box(x, -50, 3, -49), hill) for x in (2, 1))
    one, other = (
        outcome(fastener(TIP, *outlines, root={"velocity": (1, 0), "until": 20}), EXACT)
        for outlines in (apart, touching)
    )
    assert one.first != other.first
    assert one.signature == other.signature
