"""Parts that lie in obstacles at the start: who, in whom, how deep; touching is allowed."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pliant.core.errors import InputError
from pliant.snap.generate import cantilever_hook, motion_diode, ratchet, two_hooks
from pliant.snap.geometry.intersections import RegionRelation, region_relation
from pliant.snap.geometry.penetration import penetration_depth
from pliant.snap.model import Fastener
from pliant.snap.start import checks as module
from pliant.snap.start.checks import check_start
from pliant.snap.start.overlaps import overlaps

HAIR = Fraction(1, 10**40)
SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1]]
SLOTTED = [[0, 0], [4, 0], [4, 9], [3, 9], [3, 1], [2, 1], [2, 9], [0, 9]]


def exactly(points: Any, right: Any = 0, up: Any = 0) -> Any:
    return [(Fraction(x) + right, Fraction(y) + up) for x, y in points]


def fastener(hinge: Any, **keys: Any) -> Fastener:
    """A square pawl and a square obstacle with its lower left corner at the origin."""
    pawl = {"name": "pawl", "hinge": hinge, "outline": SQUARE, "stiffness": 1, **keys.pop("pawl", {})}
    return Fastener.model_validate(
        {"root": {"velocity": [0, -1]}, "pawls": [pawl], "obstacles": [{"outline": SQUARE}], **keys}
    )


def told(model: Fastener) -> list[tuple[str, str, float]]:
    return [(overlap.part.name, overlap.obstacle, overlap.depth) for overlap in overlaps(model)]


@pytest.mark.parametrize("model", [two_hooks(), motion_diode(), ratchet(3, blocks=True), cantilever_hook()])
def test_designs_start_apart(model: Fastener):
    assert told(model) == []
    check_start(model)


@pytest.mark.parametrize("hinge", [[1, 0], [0, 1], [-1, Fraction(-1, 2)], [1, 1], [2, 2]])
def test_touching_is_allowed(hinge: Any):
    check_start(fastener(hinge))


def test_an_overlap_thinner_than_any_double_can_tell_is_refused():
    ((_, _, deep),) = told(fastener([1 - HAIR, 0]))
    assert deep < 1e-15
    with pytest.raises(InputError) as caught:
        check_start(fastener([1 - HAIR, 0]))
    assert str(caught.value) == (
        "pawls[0]: 'pawl' overlaps 'obstacle 1' at the start, by less than 1e-12 mm. "
        "Start further back, or redraw one of the two; they may touch"
    )


def test_every_overlap_is_told_with_who_and_how_deep():
    model = fastener(
        ["3/4", 0],
        units="in",
        root={"velocity": [0, -1], "outline": [[0, 1], [3, 1], [3, 2], [0, 2]]},
        obstacles=[{"outline": SQUARE}, {"name": "lid", "outline": SQUARE, "at": [2, "3/2"]}],
    )
    assert told(model) == [("pawl", "obstacle 1", 0.25), ("root", "lid", 0.5)]
    with pytest.raises(InputError) as caught:
        check_start(model)
    assert [str(fault) for fault in caught.value.faults] == [
        "pawls[0]: 'pawl' overlaps 'obstacle 1' at the start, by 0.25 in. "
        "Start further back, or redraw one of the two; they may touch",
        "root.outline: 'root' overlaps 'lid' at the start, by 0.5 in. "
        "Start further back, or redraw one of the two; they may touch",
    ]


def test_a_crowd_of_overlaps_is_told_in_part(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "LISTED", 2)
    with pytest.raises(InputError) as caught:
        check_start(fastener([0, 0], obstacles=[{"outline": SQUARE}] * 5))
    assert len(caught.value.faults) == 2


def test_a_pawl_starts_turned_by_its_rest():
    """A quarter turn of the square about its corner takes it to the left of its hinge."""
    turned = fastener([1, 0], pawl={"rest": "90 deg"})
    assert turned.placed(turned.pawls[0]) == exactly([[1, 0], [1, 1], [0, 1], [0, 0]])
    assert told(turned) == [("pawl", "obstacle 1", 1.0)]
    assert told(fastener([1, 0])) == []


def test_an_obstacles_place_moves_its_outline():
    model = fastener([5, 5], obstacles=[{"outline": SQUARE, "at": ["1/3", -2]}])
    assert model.placed(model.obstacles[0]) == exactly(SQUARE, Fraction(1, 3), -2)


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        (SQUARE, exactly(SQUARE, Fraction(3, 4), Fraction(1, 2)), 0.25),
        (SQUARE, SQUARE, 1),
        ([[4, 4], [5, 4], [5, 5], [4, 5]], [[0, 0], [10, 0], [10, 10], [0, 10]], 5),
        # A square on the slope of a triangle goes out across it.
        (SQUARE, [[0, 1], [1, 0], [1, 1]], 0.5**0.5),
        # A bar in a slot that is wide enough for it, where hulls would have it leave the slot.
        ([[1.9, 1], [2.7, 1], [2.7, 9], [1.9, 9]], SLOTTED, 0.1),
    ],
    ids=["a corner", "the same", "held", "a slope", "a slot"],
)
def test_the_depth_is_the_shortest_way_out(one: Any, other: Any, wanted: float):
    first, second = exactly(one), exactly(other)
    assert penetration_depth(first, second) == pytest.approx(wanted, rel=1e-9)
    assert penetration_depth(second, first) == pytest.approx(wanted, rel=1e-9)


def test_moved_by_its_depth_some_way_a_part_is_out_and_by_less_it_is_not():
    rng = np.random.default_rng(3)
    angles = np.linspace(0, 2 * np.pi, 360, endpoint=False)
    seen = 0
    for one, other in rng.integers(0, 7, (60, 2, 3, 2)).tolist():
        if not all(np.linalg.det(np.subtract(ring[1:], ring[0])) for ring in (one, other)):
            continue
        first, second = exactly(one), exactly(other)
        if region_relation(first, second) is not RegionRelation.OVERLAPPING:
            continue
        ways = penetration_depth(first, second) * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        for share, wanted in ((0.999, False), (1.001, True)):
            moved = (exactly(one, Fraction(x), Fraction(y)) for x, y in (share * ways).tolist())
            out = any(region_relation(ring, second) is not RegionRelation.OVERLAPPING for ring in moved)
            assert out == wanted, (one, other, share)
        seen += 1
    assert seen > 20


def test_a_depth_of_very_many_edges_is_that_of_the_hulls(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("pliant.snap.geometry.penetration.PAIRS", 10)
    assert penetration_depth(exactly(SQUARE), exactly(SQUARE, Fraction(3, 4))) == 0.25
