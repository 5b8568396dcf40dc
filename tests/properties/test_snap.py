"""Over random fasteners: how one is written down changes nothing, parts never overlap, and floats agree."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.affinity import rotate, translate
from tests.unit.snap.one_pawl import EXACT, FLOAT, angle, grid_case, swept

from pliant.snap.force.force_curve import pawl_angles
from pliant.snap.generate import random_fastener
from pliant.snap.model import Fastener
from pliant.snap.sweep.path import Path
from pliant.snap.sweep.plan import stops_of, travel_back, travel_in, united_obstacles

Vector = tuple[Any, Any]
ROUNDING = 1e-7  # how deep a pawl placed by floats may be in an obstacle
NUDGE = 1e-4  # rad towards rest, by which a pawl that is held comes into one

seeds = st.integers(0, 99_999)


def over_seeds(examples: int) -> Callable[[Callable], Callable]:
    """The same ones every time."""
    chosen = settings(max_examples=examples, deadline=None, derandomize=True)
    return lambda test: chosen(given(seed=seeds)(test))


@dataclass(frozen=True)
class Case:
    """One pawl, what it meets, and how it is moved."""

    pawl: tuple[Vector, ...]
    outlines: tuple[tuple[Vector, ...], ...]
    velocity: Vector
    hinge: Vector
    stops: tuple[Any, Any]
    until: Any

    def path(self, arithmetic: Any, friction: Any = 0) -> Path:
        how = {"velocity": self.velocity, "hinge": self.hinge, "stops": self.stops, "until": self.until}
        return swept(self.pawl, *self.outlines, arithmetic=arithmetic, friction=friction, **how)

    def placed(self, linear: Callable[[Vector], Vector], shift: Vector = (0, 0)) -> Case:
        """Moved in the world; what is drawn about the hinge is only turned."""

        def moved(point: Vector) -> Vector:
            x, y = linear(point)
            return x + shift[0], y + shift[1]

        return replace(
            self,
            pawl=tuple(map(linear, self.pawl)),
            outlines=tuple(tuple(map(moved, outline)) for outline in self.outlines),
            velocity=linear(self.velocity),
            hinge=moved(self.hinge),
        )


def general(seed: int) -> Case:
    """The first pawl of a random fastener."""
    model = random_fastener(seed)
    pawl = model.pawls[0]
    outlines = tuple(
        tuple((x + part.at[0], y + part.at[1]) for x, y in model.outline(part)) for part in model.obstacles
    )
    return Case(
        tuple(model.outline_at_rest(pawl)),
        outlines,
        model.root.velocity or (0, 0),
        pawl.hinge,
        stops_of(pawl),
        24,
    )


def flush(seed: int) -> Case:
    """Parts on a small grid, where much coincides."""
    case = grid_case(seed)
    return Case(
        tuple(case["pawl"]), tuple(map(tuple, case["outlines"])), case["velocity"], (0, 0), (None,) * 2, 20
    )


def nearly_flush(seed: int) -> Case:
    """The same with some coordinates moved by next to nothing: what coincided comes in quick succession."""
    random, case = Random(seed), flush(seed)
    hair = Fraction(1, 10 ** random.choice([9, 15, 20, 40]))

    def jittered(point: Vector) -> Vector:
        x, y = (value + hair * random.choice([-2, -1, 0, 0, 0, 1, 2]) for value in point)
        return x, y

    def lowered(outline: tuple[Vector, ...]) -> tuple[Vector, ...]:
        return tuple((x, y - Fraction(1, 2)) for x, y in map(jittered, outline))  # away from the pawl

    moved = replace(case, pawl=tuple(map(jittered, case.pawl)), outlines=tuple(map(lowered, case.outlines)))
    return moved if Placed(moved).is_free(0.0, 0.0) else case


of_all_families = pytest.mark.parametrize("family", [general, flush, nearly_flush])
of_both_families = pytest.mark.parametrize("family", [general, flush])


def kinds(path: Path) -> list[str]:
    return [event.kind for event in path.events]


def times(path: Path) -> list[float]:
    return [event.point.t for event in path.events] + [path.end.t]


def turns(path: Path) -> list[float]:
    return [angle(event.point) for event in path.events] + [angle(path.end)]


def assert_same(one: Path, other: Path, pace: Any = 1, sense: int = 1) -> None:
    """The same events at the same t and angles, exactly: numbers are compared as what they are."""
    assert (kinds(one), one.cause) == (kinds(other), other.cause)
    assert times(other) == pytest.approx([t / float(pace) for t in times(one)], abs=1e-9)
    assert turns(other) == pytest.approx([sense * turn for turn in turns(one)], abs=1e-9)
    if pace == 1:
        for event, again in zip(one.events, other.events, strict=True):
            assert EXACT.compare(event.point.time, again.point.time) == 0
            tangent = event.point.u if sense == 1 else EXACT.negated(event.point.u)
            assert EXACT.compare(tangent, again.point.u) == 0


# How it is written down


@of_all_families
@over_seeds(8)
def test_a_rigid_motion_moves_everything_along(family, seed):
    """Turned by the angle with cosine 3/5, and put elsewhere."""
    case = family(seed)
    shift = (Fraction(Random(seed).randint(-99, 99), 7), Fraction(10**6))

    def turned(point: Vector) -> Vector:
        x, y = map(Fraction, point)
        return (3 * x - 4 * y) / 5, (4 * x + 3 * y) / 5

    assert_same(case.path(EXACT), case.placed(turned, shift).path(EXACT))


@of_all_families
@over_seeds(8)
def test_a_mirror_turns_every_angle_round(family, seed):
    case = family(seed)
    low, high = case.stops
    mirrored = replace(
        case.placed(lambda point: (-point[0], point[1])),
        stops=(None if high is None else -high, None if low is None else -low),
    )
    assert_same(case.path(EXACT), mirrored.path(EXACT), sense=-1)


@of_both_families
@over_seeds(8)
def test_the_unit_of_length_does_not_matter(family, seed):
    case, factor = family(seed), Fraction(Random(seed).choice([3, 1000]), Random(seed).choice([7, 11**9]))
    assert_same(case.path(EXACT), case.placed(lambda p: (p[0] * factor, p[1] * factor)).path(EXACT))


@of_both_families
@over_seeds(8)
def test_speed_scales_time_and_nothing_else(family, seed):
    case, pace = family(seed), Fraction(7, 3)
    fast = replace(
        case, velocity=(case.velocity[0] * pace, case.velocity[1] * pace), until=Fraction(case.until) / pace
    )
    assert_same(case.path(EXACT), fast.path(EXACT), pace=pace)


@of_all_families
@over_seeds(8)
def test_where_an_outline_begins_and_which_way_it_runs_does_not_matter(family, seed):
    case, random = family(seed), Random(seed)

    def redrawn(outline: tuple[Vector, ...]) -> tuple[Vector, ...]:
        first = random.randrange(len(outline))
        turned = outline[first:] + outline[:first]
        return turned[::-1] if random.random() < 0.5 else turned

    others = list(map(redrawn, case.outlines))
    random.shuffle(others)
    assert_same(case.path(EXACT), replace(case, pawl=redrawn(case.pawl), outlines=tuple(others)).path(EXACT))


@of_both_families
@over_seeds(8)
def test_an_obstacle_cut_in_two_is_still_one(family, seed):
    """Along a line through two of its vertices that lies inside it: the pawl moves as before."""
    case = family(seed)
    halves = tuple(half for outline in case.outlines for half in cut(outline))
    one, other = case.path(EXACT), replace(case, outlines=halves).path(EXACT)
    assert other.cause == one.cause
    assert EXACT.compare(one.end.time, other.end.time) == 0
    for t in np.linspace(0, one.end.t, 30)[1:-1] if one.pieces else ():
        assert turned_at(other, t) == pytest.approx(turned_at(one, t), abs=1e-9)


def cut(outline: tuple[Vector, ...]) -> list[tuple[Vector, ...]]:
    whole = shapely.Polygon([(float(x), float(y)) for x, y in outline])
    for far in range(2, len(outline) - 1):
        ends = [(float(x), float(y)) for x, y in (outline[0], outline[far])]
        between = shapely.LineString(ends)
        if whole.covers(between) and between.intersection(whole.boundary).length == 0:
            halves = [outline[: far + 1], (*outline[far:], outline[0])]
            if all(shapely.Polygon([(float(x), float(y)) for x, y in half]).is_valid for half in halves):
                return halves
    return [outline]


# Where the parts are


def samples(path: Path, count: int = 5) -> Iterator[tuple[str, float, float]]:
    """How it moves, t and angle, at some moments of every piece that lasts."""
    for piece in path.pieces:
        if piece.end.t - piece.start.t < 1e-6:
            continue
        t = np.linspace(piece.start.t, piece.end.t, count + 2)[1:-1]
        for at, turned in zip(t.tolist(), pawl_angles(path, piece, t).tolist(), strict=True):
            yield piece.motion, at, turned


class Placed:
    """A case as shapely sees it."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.pawl = shapely.Polygon([(float(x), float(y)) for x, y in case.pawl])
        outlines = [shapely.Polygon([(float(x), float(y)) for x, y in outline]) for outline in case.outlines]
        self.stones = shapely.union_all(outlines)

    def at(self, t: float, turned: float) -> Any:
        (x, y), (vx, vy) = (map(float, pair) for pair in (self.case.hinge, self.case.velocity))
        return translate(rotate(self.pawl, turned, (0, 0), use_radians=True), x + t * vx, y + t * vy)

    def is_free(self, t: float, turned: float) -> bool:
        return not self.at(t, turned).buffer(-ROUNDING).intersects(self.stones)


def test_landings_are_exact_where_floats_hold_coefficients_and_not_their_squares():
    assert nearly_flush(16057).path(EXACT).cause == "until"


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("family", "arithmetic"),
    [(general, EXACT), (general, FLOAT), (flush, EXACT), (flush, FLOAT), (nearly_flush, EXACT)],
    ids=["general-exact", "general-float", "flush-exact", "flush-float", "nearly-exact"],
)
@over_seeds(12)
def test_parts_never_overlap_and_what_is_turned_is_held(family, arithmetic, seed):
    case = family(seed)
    path, placed = case.path(arithmetic), Placed(case)
    assert path.cause != "limit"
    for motion, t, turned in samples(path):
        assert placed.is_free(t, turned)
        if motion == "rest":
            assert abs(turned) < 1e-12
        elif abs(turned) > 2 * NUDGE:
            held = placed.at(t, turned - math.copysign(NUDGE, turned))
            assert held.intersection(placed.stones).area > 0
            assert placed.at(t, turned).distance(placed.stones) < 1e-9


@of_both_families
@over_seeds(12)
def test_a_snap_passes_through_free_angles_only_and_towards_rest(family, seed):
    case = family(seed)
    path, placed = case.path(EXACT), Placed(case)
    for event, landing in pairwise(path.events):
        if event.kind.startswith("snap"):
            start, end = angle(event.point), angle(landing.point)
            assert EXACT.compare(event.point.time, landing.point.time) == 0
            assert abs(end) < abs(start)
            assert start * end >= 0
            for turned in np.linspace(start, end, 25)[1:-1]:
                assert placed.is_free(event.point.t, turned)


@of_all_families
@over_seeds(12)
def test_time_goes_on_and_pieces_follow_each_other(family, seed):
    path = family(seed).path(EXACT)
    for piece, following in pairwise(path.pieces):
        assert EXACT.compare(piece.end.time, following.start.time) == 0
    for piece in path.pieces:
        assert EXACT.compare(piece.start.time, piece.end.time) <= 0
    assert sorted(times(path)) == pytest.approx(times(path), abs=1e-9)


@of_both_families
@over_seeds(12)
def test_a_jam_leaves_no_angle_nearby_that_is_free(family, seed):
    case = family(seed)
    path, placed = case.path(EXACT), Placed(case)
    if path.cause == "jam":
        soon = path.end.t + 1e-5
        for turned in angle(path.end) + np.linspace(-1e-3, 1e-3, 81):
            assert placed.at(soon, turned).intersection(placed.stones).area > 0


# By floats, and with friction


@of_both_families
@pytest.mark.parametrize("friction", [0, Fraction(3, 10)])
@over_seeds(15)
def test_floats_tell_the_same_story(family, friction, seed):
    case = family(seed)
    exact, by_floats = case.path(EXACT, friction), case.path(FLOAT, friction)
    assert (kinds(by_floats), by_floats.cause) == (kinds(exact), exact.cause)
    assert times(by_floats) == pytest.approx(times(exact), abs=1e-7)
    assert turns(by_floats) == pytest.approx(turns(exact), abs=1e-6)


@of_both_families
@over_seeds(15)
def test_floats_do_not_mind_where_a_drawing_lies(family, seed):
    case = family(seed)
    here = case.path(FLOAT)
    there = case.placed(lambda point: point, (Fraction(10**5, 7), Fraction(-(10**5)))).path(FLOAT)
    assert (kinds(there), there.cause) == (kinds(here), here.cause)
    assert times(there) == pytest.approx(times(here), abs=1e-7)


@of_both_families
@over_seeds(15)
def test_more_friction_never_leads_further(family, seed):
    case = family(seed)
    ends = [case.path(FLOAT, friction).end.t for friction in (0, Fraction(1, 5), Fraction(3, 5), Fraction(2))]
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(ends))


# There and back


@over_seeds(15)
def test_without_friction_a_way_without_snaps_is_gone_back_as_it_was_come(seed):
    model = random_fastener(seed).model_copy(update={"friction": Fraction(0)})
    fixed = united_obstacles(model)
    (way,) = travel_in(model, EXACT, fixed)
    (again,) = travel_back(model, EXACT, fixed, (way,))
    for pawl in model.pawls:
        path, returning = way.paths[pawl.name], again.paths[pawl.name]
        snaps = [event.point.t for event in path.events if event.kind.startswith("snap")]
        first = max((t for t in snaps if t < way.ends), default=0.0)
        for t in np.linspace(max(first, -again.ends), way.ends, 9)[1:-1]:
            assert turned_at(returning, -t) == pytest.approx(turned_at(path, t), abs=1e-7)


def turned_at(path: Path, t: float) -> float:
    """A pawl's angle at a t strictly within its way."""
    piece = next(piece for piece in path.pieces if piece.start.t <= t <= piece.end.t)
    return float(pawl_angles(path, piece, np.array([t]))[0])


@over_seeds(15)
def test_a_whole_fastener_goes_there_and_back_by_either_arithmetic(seed):
    model = random_fastener(seed)
    fixed = united_obstacles(model)
    ways = [_ends(model, fixed, arithmetic) for arithmetic in (EXACT, FLOAT)]
    assert ways[0][0] == ways[1][0]
    assert ways[1][1] == pytest.approx(ways[0][1], abs=1e-7)


def _ends(model: Fastener, fixed: Any, arithmetic: Any) -> tuple[list[tuple[str, str]], list[float]]:
    there = travel_in(model, arithmetic, fixed)
    again = travel_back(model, arithmetic, fixed, there)
    courses = [*there, *again]
    return [(course.cause, course.by) for course in courses], [course.ends for course in courses]
