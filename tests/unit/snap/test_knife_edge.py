"""Corner meets corner: both outcomes, and that it is a knife's edge."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from tests.unit.snap.one_pawl import fastener, grid_case, mirrored, ring

from pliant.snap.arithmetic.exact import ExactArithmetic
from pliant.snap.model import Fastener, SnapStudy
from pliant.snap.questions.knife_edge import side_offsets
from pliant.snap.questions.outcome import outcome, shifted_fastener
from pliant.snap.result import SnapResult
from pliant.snap.solve import solve
from pliant.snap.start.overlaps import first_overlap, obstacle_tree
from pliant.snap.status import SnapStatus

# A hook whose face is flush with the edge of the wall it shall pass: what is drawn first.
HOOK = ring((-1, 3), (-1, "-25.242"), (1, "-25.242"), (4, -17), (1, "-11.804"), (1, 3))
WALL = ring((1, "-1/2"), (40, "-1/2"), (40, 0), (1, 0))
DOWN = {"velocity": (0, -1), "until": "16.4"}


def clip(hook=HOOK, wall=WALL, hinge=(0, "26.242"), friction: str = "0.2", root=DOWN, **asked) -> SnapResult:
    model = fastener(hook, wall, root=root, hinge=hinge, friction=friction, stiffness=1875)
    return solve(model, SnapStudy(reverse=True, frames=3, **asked))


@pytest.mark.parametrize("arithmetic", ["exact", "float"])
def test_a_hook_flush_with_the_wall_goes_in_on_one_side_and_lands_on_the_other(arithmetic):
    result = clip(arithmetic=arithmetic)
    assert result.status is SnapStatus.KNIFE_EDGE
    edge = result.knife_edge
    assert (str(edge.corners), edge.corners.travel) == ("vertex 2 of pawl meets vertex 3 of obstacle 1", 1)
    assert [side.where for side in edge.sides] == ["to the left", "to the right"]
    assert [side.way_in.status for side in edge.sides] == [SnapStatus.THROUGH, SnapStatus.STUCK]
    assert result.way_in is edge.sides[0].way_in
    clear = clip(hinge=("-0.00001", "26.242"), arithmetic=arithmetic)  # what is found there is what is told
    assert clear.knife_edge is None
    assert result.peak_force == pytest.approx(clear.peak_force)
    assert result.way_in.threshold.value == pytest.approx(clear.way_in.threshold.value)
    assert result.way_back.peak_force == pytest.approx(clear.way_back.peak_force)
    text = result.summary()
    assert text.startswith("On a knife's edge: vertex 2 of pawl meets vertex 3 of obstacle 1 after 1 mm")
    assert "A hair to the left, it goes all the way" in text
    assert "A hair to the right, it does not go in: friction locks" in text
    told = json.loads(json.dumps(result.to_dict()))
    assert told["status"] == "knife_edge"
    assert [side["status"] for side in told["knife_edge"]["sides"]] == ["through", "stuck"]
    assert told["knife_edge"]["sides"][0]["peak_force"] == pytest.approx(clear.peak_force)


def test_a_little_clearance_or_overlap_is_no_knife_s_edge():
    for offset, status in (("-0.001", SnapStatus.THROUGH), ("0.001", SnapStatus.STUCK)):
        result = clip(hinge=(offset, "26.242"))
        assert (result.status, result.knife_edge) == (status, None)


def test_mirrored_turned_and_without_friction_it_is_one_too():
    left = clip(mirrored(HOOK), mirrored(WALL))
    assert [side.where for side in left.knife_edge.sides] == ["to the right", "to the left"]
    turned = [[(-y, x) for x, y in part] for part in (HOOK, WALL)]
    level = clip(*turned, hinge=("-26.242", 0), root={"velocity": (1, 0), "until": "16.4"})
    assert [side.where for side in level.knife_edge.sides] == ["down", "up"]
    assert level.peak_force == pytest.approx(left.peak_force)
    assert clip(friction="0").knife_edge is not None


def test_a_root_flush_with_a_wall_on_one_side_sits_on_it_if_it_starts_a_hair_aside():
    block = ring((0, 0), (4, 0), (4, 3), (0, 3))
    model = Fastener.model_validate(
        {
            "root": {"velocity": (0, -1), "until": 9, "outline": block},
            "pawls": [{"name": "pawl", "hinge": (2, 2), "outline": block, "stiffness": 1, "stops": [0, 0]}],
            "obstacles": [{"outline": ring((4, -6), (9, -6), (9, -2), (4, -2))}],
        }
    )
    assert solve(model, SnapStudy(frames=2)).status is SnapStatus.KNIFE_EDGE


def missed(seeds: range) -> list[int]:
    """Parts on a grid that end otherwise a hair aside, at a corner on a corner, and are not said to."""
    found: list[int] = []
    for seed in seeds:
        case = grid_case(seed)
        model = fastener(case["pawl"], *case["outlines"], root={"velocity": case["velocity"]})
        result, tree = solve(model, SnapStudy(frames=2)), obstacle_tree(model)
        moved = [shifted_fastener(model, offset) for offset in side_offsets(model, case["velocity"])]
        ends = {
            outcome(each, ExactArithmetic()).cause == "until"
            for each in moved
            if first_overlap(each, tree) is None
        }
        if len({*ends, outcome(model, ExactArithmetic()).cause == "until"}) > 1 and result.knife_edge is None:
            found.append(seed)
    return found


@pytest.mark.slow
def test_of_parts_on_a_grid_few_knife_s_edges_are_missed():
    """In 50 a corner grazes an edge it comes parallel to, so that no two corners meet."""
    assert missed(range(60)) == [50]


def test_a_hair_is_small_and_exact():
    model = clip().model
    assert side_offsets(model, (Fraction(0), Fraction(-2))) == (
        (Fraction(1, 10**5), 0),
        (-Fraction(1, 10**5), 0),
    )


NOSE = ring((-1, 1), (-1, -8), (0, -8), (1, -6), (0, -6), (0, 1))  # a ramp below, a square face above
BLOCK = ring((-1, 1), (-1, -8), (1, -8), (1, 1))


def ends(model: Fastener, **asked) -> tuple[SnapStatus, list[str], list[str]]:
    """How it ends, and on the sides of a knife's edge: in, and out."""
    result = solve(model, SnapStudy(reverse=True, frames=2, **asked))
    sides = () if result.knife_edge is None else result.knife_edge.sides
    return result.status, [s.way_in.status.name for s in sides], [s.way_back.status.name for s in sides]


def test_a_nose_flush_with_the_wall_holds_or_not():
    wall = ring((1, -15), (5, -15), (5, -12), (1, -12))
    model = fastener(NOSE, wall, root={"velocity": (0, -1), "until": 16}, friction="0.2")
    assert ends(model) == (SnapStatus.KNIFE_EDGE, ["NEVER_TOUCHES", "THROUGH"], ["NEVER_TOUCHES", "STUCK"])
    assert solve(model, SnapStudy(frames=2)).status is SnapStatus.NEVER_TOUCHES  # in, it is none


def test_a_hair_aside_is_square_to_the_leg_on_which_corners_meet():
    block = ring((6, -16), (9, -16), (9, -12), (6, -12))
    legs = [{"velocity": (0, -1), "until": 4}, {"velocity": (1, 0), "until": 14}]
    result = solve(fastener(BLOCK, block, root={"plan": legs}), SnapStudy(frames=2))
    assert result.status is SnapStatus.KNIFE_EDGE
    assert [side.where for side in result.knife_edge.sides] == ["up", "down"]
    assert [round(side.way_in.peak_force, 3) for side in result.knife_edge.sides] == [0, 3.013]


def test_tip_on_tip_is_told_on_both_sides():
    tip = ring((-1, 1), (-1, -6), (0, -8), (1, -6), (1, 1))
    post = ring((0, -12), (-1, -14), (1, -14))
    model = fastener(tip, post, root={"velocity": (0, -1), "until": 16}, friction="0.2")
    status, into, _ = ends(model)
    assert (status, into) == (SnapStatus.KNIFE_EDGE, ["STUCK", "STUCK"])


@pytest.mark.parametrize("offset", ["0", "1e-6", "-1e-6", "1e-5", "1e-3"])
def test_floats_leave_what_nearly_coincides_to_exact_numbers(offset):
    """A foot lands flush, its corner on the slab's, with the hinge straight above its other corner."""
    foot = ring((1, 1), (1, -6), (0, -6), (-1, -4), (0, -4), (0, 1))
    slab = ring((-2, -10), (3, -10), (3, -8), (-2, -8))
    root = {"velocity": (1, -1), "until": 24}
    model = fastener(foot, slab, root=root, hinge=(Fraction(offset), Fraction(offset)))
    assert ends(model, arithmetic="float") == ends(model) == (SnapStatus.THROUGH, [], [])


def told(
    case: dict, scale: Fraction = Fraction(1), mirror: int = 1, friction: str = "0", **asked
) -> list[tuple[str, float]]:
    """How parts on a grid end, in and back, and how far they get, in the units of the grid."""

    def placed(points) -> list[tuple[Fraction, Fraction]]:
        return [(mirror * scale * x, scale * y) for x, y in points]

    (velocity,) = placed([case["velocity"]])
    outlines = [placed(outline) for outline in case["outlines"]]
    of_pawl = {"stiffness": 100 * scale, "friction": friction}
    model = fastener(placed(case["pawl"]), *outlines, root={"velocity": velocity}, **of_pawl)
    result = solve(model, SnapStudy(reverse=True, frames=2, **asked))
    ways = [(way.status.name, round(way.travel / float(scale), 3)) for way in result.ways]
    return [(result.status.name, 0.0), *ways]


SLOWER = [pytest.param(seed, marks=pytest.mark.slow) for seed in (0, 1, 2, 3, 4, *range(7, 30))]


@pytest.mark.parametrize("seed", [5, 6, *SLOWER])
def test_parts_on_a_grid_end_alike_by_floats_mirrored_and_in_other_units(seed):
    case = grid_case(seed)
    exact = told(case)
    assert told(case, arithmetic="float") == exact
    assert told(case, mirror=-1) == exact
    assert told(case, Fraction(5, 127)) == exact


@pytest.mark.parametrize("seed", [1032, 1080])
@pytest.mark.parametrize("scale", [Fraction(1), Fraction(127, 5)], ids=["mm", "inch"])
def test_a_corner_that_grazes_another_is_no_knife_s_edge_in_any_unit(seed, scale):
    """Square to its hinge a pawl that overlaps by a hair presses with any force, over no way at all."""
    friction = ("0", "0.1", "0.3")[seed % 3]
    assert told(grid_case(seed), scale, friction=friction)[0] == ("NEVER_TOUCHES", 0.0)
