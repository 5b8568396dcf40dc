"""Outlines that touch, overlap or lie apart: exactly, where floats would be wrong too."""

from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

import pytest
import shapely

from pliant.snap.faults import outline_fault
from pliant.snap.geometry import intersections as module
from pliant.snap.geometry.intersections import Points, RegionRelation, are_disjoint, region_relation

HAIR = Fraction(1, 10**40)
SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]
THIRD = Fraction(1, 3)

Corners = list[tuple[int, int]]


def random_corners(random: Random) -> Corners:
    """Three to eight points of a small grid: every kind of fault, and outlines that often touch."""
    size = random.choice([2, 3, 4, 6])
    return [(random.randint(0, size), random.randint(0, size)) for _ in range(random.randint(3, 8))]


def ring(points: Any, scale: Any = 1, right: Any = 0, up: Any = 0) -> Points:
    return [(Fraction(x) * scale + right, Fraction(y) * scale + up) for x, y in points]


def floating_fault(points: list[tuple[int, int]]) -> bool:
    """GEOS's verdict, which is exact for small whole numbers."""
    repeats = any(points[k] == points[k - 1] for k in range(len(points)))
    return repeats or not shapely.Polygon(points).is_valid or shapely.Polygon(points).area == 0


def floating_meeting(one: list[Any], other: list[Any]) -> RegionRelation:
    first, second = shapely.Polygon(one), shapely.Polygon(other)
    if shapely.relate_pattern(first, second, "T********"):
        return RegionRelation.OVERLAPPING
    return RegionRelation.TOUCHING if first.intersects(second) else RegionRelation.APART


@pytest.fixture(params=[0, module.FEW], ids=["chosen", "all"])
def few(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Whether pairs of edges are chosen by boxes, or all looked at."""
    monkeypatch.setattr(module, "FEW", request.param)
    return request.param


# One with itself


@pytest.mark.usefixtures("few")
def test_outlines_are_judged_as_geos_does_where_it_is_exact():
    random, good = Random(1), 0
    for _ in range(3000):
        points = random_corners(random)
        assert bool(outline_fault(ring(points, THIRD))) == floating_fault(points), points
        good += not floating_fault(points)
    assert good > 400


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(
    ("gap", "problem"),
    [
        (HAIR, ""),
        (0, "edges 3 and 4 lie on each other; an outline has its inside between its edges"),
        (-HAIR, "edges 2 and 4 touch; an outline must not touch itself"),
    ],
)
def test_a_slit_thinner_than_any_double_can_tell_decides(gap: Fraction, problem: str):
    slit = [(0, 0), (3, 0), (3, 3), (1 + gap, 3), (1, 1), (1, 3), (0, 3)]
    assert outline_fault(ring(slit)) == problem


@pytest.mark.parametrize(
    ("points", "problem"),
    [
        ([(0, 0), (1, 0)], "has 2 different vertices; an outline needs at least 3"),
        ([(0, 0), (1, 0), (1, 0), (0, 1)], "vertex 2 repeats the one before it"),
        ([(0, 0), (1, 0), (0, 1), (0, 0)], "vertex 0 repeats the one before it"),
        ([(0, 0), (1, 1), (2, 2), (3, 3)], "has no area"),
        ([(0, 0), (2, 2), (2, 0), (0, 2)], "edges 0 and 2 cross; an outline must not cross itself"),
        ([(0, 0), (4, 0), (4, 4), (2, 0), (0, 4)], "edges 0 and 2 touch; an outline must not touch itself"),
        (
            [(0, 0), (4, 0), (6, 0), (4, 0), (4, 4)],
            "edges 1 and 2 lie on each other; an outline has its inside between its edges",
        ),
    ],
)
def test_what_is_wrong_with_an_outline_is_told_with_where(points: Any, problem: str):
    assert outline_fault(ring(points)) == problem


def test_corners_on_a_straight_edge_are_allowed():
    assert outline_fault(ring([(0, 0), (1, 0), (2, 0), (2, 2), (0, 2)])) == ""


def test_an_outline_of_too_many_edges_near_each_other_is_left_to_floats(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "LOOKED_AT", 10)
    assert outline_fault(ring(SQUARE)) == ""
    crossing = [(0, 0), (2, 2), (2, 0), (0, 2)]
    assert outline_fault(ring(crossing)) == "edges 0 and 2 cross; an outline must not cross itself"


# Two with each other


@pytest.mark.usefixtures("few")
def test_pairs_are_judged_as_geos_does_where_it_is_exact():
    random = Random(2)
    drawn = (random_corners(random) for _ in range(2000))
    good = [points for points in drawn if not floating_fault(points)]
    seen: Counter[RegionRelation] = Counter()
    for one in good:
        right, up = random.randint(-3, 3), random.randint(-3, 3)
        other = [(x + right, y + up) for x, y in random.choice(good)]
        wanted = floating_meeting(one, other)
        assert region_relation(ring(one, THIRD), ring(other, THIRD)) is wanted, (one, other)
        assert region_relation(ring(other[::-1], THIRD), ring(one, THIRD)) is wanted, (one, other)
        assert are_disjoint(ring(one, THIRD), ring(other, THIRD)) == (wanted is RegionRelation.APART), (
            one,
            other,
        )
        seen[wanted] += 1
    assert min(seen.values()) > 30
    assert len(seen) == 3


@pytest.mark.parametrize(
    ("gap", "wanted"),
    [(HAIR, RegionRelation.APART), (0, RegionRelation.TOUCHING), (-HAIR, RegionRelation.OVERLAPPING)],
)
def test_a_hair_decides(gap: Fraction, wanted: RegionRelation):
    assert region_relation(ring(SQUARE), ring(SQUARE, right=1 + gap)) is wanted
    assert region_relation(ring(SQUARE), ring(SQUARE, right=1 + gap, up=THIRD)) is wanted
    # A corner before the middle of an edge, far from the origin.
    wedge = [(1 + gap, Fraction(1, 3)), (2, 0), (2, 1)]
    far = Fraction(10**12)
    assert region_relation(ring(SQUARE, right=far), ring(wedge, right=far)) is wanted


@pytest.mark.parametrize(
    "other",
    [
        SQUARE,
        SQUARE[::-1],
        SQUARE[2:] + SQUARE[:2],
        [(0, 0), (THIRD, 0), (1, 0), (1, 1), (0, 1)],
    ],
    ids=["itself", "the other way round", "from another corner", "with a corner more"],
)
def test_the_same_outline_overlaps_itself_however_it_is_listed(other: Any):
    assert region_relation(ring(SQUARE), ring(other)) is RegionRelation.OVERLAPPING


def test_what_is_held_overlaps_and_what_fits_into_a_gap_does_not():
    assert region_relation(ring(SQUARE), ring(SQUARE, THIRD, THIRD, THIRD)) is RegionRelation.OVERLAPPING
    assert region_relation(ring(SQUARE, THIRD, THIRD, THIRD), ring(SQUARE)) is RegionRelation.OVERLAPPING
    fork = [(0, 0), (3, 0), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3), (0, 3)]
    assert region_relation(ring(fork), ring(SQUARE, right=1, up=1)) is RegionRelation.TOUCHING
    assert region_relation(ring(fork), ring(SQUARE, right=1, up=1 - HAIR)) is RegionRelation.OVERLAPPING
    assert region_relation(ring(fork), ring(SQUARE, THIRD, Fraction(4, 3), 2)) is RegionRelation.APART
