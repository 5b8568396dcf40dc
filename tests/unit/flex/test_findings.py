"""Findings: what overlaps as drawn and its cure, what can leave, what cannot be satisfied."""

from __future__ import annotations

import numpy as np
import pytest

from pliant.flex.contact.overlap import measure_overlaps, near_pairs
from pliant.flex.diagnosis.as_drawn import DrawnOverlap, overlaps_as_drawn
from pliant.flex.diagnosis.unbounded import find_leaving, recession_direction, smallest_relaxation
from pliant.flex.lp.program import Program
from pliant.flex.model import Assembly
from pliant.flex.problem.system import System, compile_system
from pliant.flex.solve import solve
from pliant.flex.status import FlexStatus
from pliant.flex.stepping.step import configuration_at


def box(left, bottom, right, top):
    return [[left, bottom], [right, bottom], [right, top], [left, top]]


def assembly(*bodies: dict, maximize: dict | None = None, **rest) -> Assembly:
    maximize = maximize or {"body": bodies[-1]["name"], "direction": [1, 0]}
    return Assembly.model_validate({"bodies": list(bodies), "study": {"maximize": [maximize]}, **rest})


def system_of(model: Assembly):
    return compile_system(model, model.study.for_command("flex"))


def program_of(system) -> Program:
    here = configuration_at(system, system.parts.drawn, system.reach, None)
    return system.program(here.contacts.rows, here.poses, np.full((len(system.parts.free), 3), np.inf))


FLOOR = {"name": "floor", "outline": box(-5, -1, 5, 0), "fixed": True}


def drawn(system: System) -> tuple[DrawnOverlap, ...]:
    parts = system.parts
    return overlaps_as_drawn(system, measure_overlaps(parts, parts.drawn, near_pairs(parts, parts.drawn)))


def test_overlaps_are_listed_with_the_deepest_first():
    model = assembly(
        FLOOR,
        {"name": "shallow", "outline": box(-3, -0.1, -1, 2)},
        {"name": "deep", "outline": box(1, -0.3, 3, 2)},
        {"name": "clear", "outline": box(-0.5, 0.1, 0.5, 2)},
    )
    found = drawn(system_of(model))
    assert [overlap.bodies for overlap in found] == [("floor", "deep"), ("floor", "shallow")]
    assert [overlap.depth for overlap in found] == pytest.approx([0.3, 0.1], rel=1e-6)
    assert [overlap.area for overlap in found] == pytest.approx([0.6, 0.2])


@pytest.mark.parametrize("turn", [0.0, 0.3])
@pytest.mark.parametrize("depth", [0.02, 0.4])
def test_the_cure_is_the_clearance_that_cures_and_hardly_more_than_that(turn, depth):
    model = assembly(FLOOR, {"name": "block", "outline": box(-1, 0, 1, 2), "pose": [0, -depth, turn]})
    result = solve(model)
    assert result.status is FlexStatus.OVERLAPPING
    cured = model.model_copy(update={"clearance": result.cure})
    assert not drawn(system_of(cured))
    still = model.model_copy(update={"clearance": 0.98 * result.cure})
    system = system_of(still)
    first, second = system.parts.polygons(system.parts.drawn)
    assert first.intersection(second).area > 0


def test_a_cure_counts_from_the_clearance_the_model_already_has():
    model = assembly(FLOOR, {"name": "block", "outline": box(-1, -0.5, 1, 2)}, clearance=0.1)
    result = solve(model)
    assert result.drawn[0].depth == pytest.approx(0.4, rel=1e-6)
    assert result.cure == pytest.approx(0.5, rel=1e-6)


def test_bodies_that_touch_do_not_overlap():
    assert drawn(system_of(assembly(FLOOR, {"name": "block", "outline": box(-1, 0, 1, 2)}))) == ()


def test_a_pair_joined_by_a_pin_may_lie_one_over_the_other():
    arm = {"name": "arm", "outline": box(-1, -0.5, 1, 2)}
    model = assembly(FLOOR, arm, pins=[{"bodies": ["floor", "arm"], "at": [0, -0.2]}])
    assert drawn(system_of(model)) == ()


def channel() -> Assembly:
    return assembly(
        {"name": "floor", "outline": box(-6, -3, 6, -1.1), "fixed": True},
        {"name": "roof", "outline": box(-6, 1.1, 6, 3), "fixed": True},
        {"name": "block", "outline": box(-2, -1, 2, 1)},
    )


def test_recession_finds_the_way_along_an_open_channel():
    system = system_of(channel())
    motion = recession_direction(system, program_of(system))
    assert motion is not None
    assert motion[0, 0] == pytest.approx(1.0, abs=1e-5)
    assert np.abs(motion[0, 1:]).max() < 1e-5


def test_recession_finds_nothing_where_the_motion_is_bounded():
    caged = assembly(
        {"name": "cage", "outline": box(-5, -5, 5, 5), "holes": [box(-1.2, -1.2, 1.2, 1.2)], "fixed": True},
        {"name": "peg", "outline": box(-1, -1, 1, 1)},
    )
    system = system_of(caged.model_copy(update={"study": caged.study.model_copy(update={"reach": 3.0})}))
    assert recession_direction(system, program_of(system)) is None


def test_what_leaves_is_named_with_its_velocity_and_proven_by_playing_it():
    system = system_of(channel())
    program = program_of(system)
    away = find_leaving(system, system.parts.drawn, program)
    assert away.bodies == ("block",)
    assert np.array(away.velocities) == pytest.approx(np.array([[1.0, 0.0]]), abs=1e-5)


def test_a_way_that_hits_something_further_off_is_no_way_out_and_the_motion_stops_there():
    wall = {"name": "wall", "outline": box(20, -30, 22, 30), "fixed": True}
    floor, roof, block = (body.model_dump() for body in channel().bodies)
    model = assembly(floor, roof, wall, block)
    system = system_of(model)
    program = program_of(system)
    assert find_leaving(system, system.parts.drawn, program) is None
    result = solve(model)
    assert result.status is FlexStatus.CONVERGED
    assert result.objective >= 18.0 - 1e-4  # its face at the wall; turned by 90 degrees it gets further


@pytest.mark.parametrize(("away", "status"), [(1, FlexStatus.FREE), (-1, FlexStatus.CONVERGED)])
def test_two_bodies_that_leave_apart_are_free_and_towards_each_other_they_meet(away, status):
    bodies = [
        FLOOR,
        {"name": "left", "outline": box(-4, 1, -3, 2)},
        {"name": "right", "outline": box(3, 1, 4, 2)},
    ]
    terms = [{"body": "left", "direction": [-away, 0]}, {"body": "right", "direction": [away, 0]}]
    held = [{"body": name, "rotation": 0.0, "y": [0, 0]} for name in ("left", "right")]
    model = Assembly.model_validate({"bodies": bodies, "limits": held, "study": {"maximize": terms}})
    result = solve(model)
    assert result.status is status
    if status is FlexStatus.FREE:
        assert set(result.leaving.bodies) == {"left", "right"}
    else:
        assert result.objective == pytest.approx(6.0, rel=1e-5)


def test_what_leaves_is_shown_leaving_until_it_is_clear_of_the_rest():
    result = solve(channel())
    motion = result.motion
    assert motion.frames > len(result.frames.poses)
    still, block = motion.poses[:, 0], motion.poses[:, motion.bodies.index("block")]
    assert (still == still[0]).all()
    assert block[-1, 0] - 2 > 6  # its rear is beyond the end of the channel
    assert np.isnan(motion.signals["objective"].values[-1])  # nothing was measured there
    assert result.poses["block"] == tuple(result.frames.poses[-1, motion.bodies.index("block")])


def test_a_turn_without_end_is_a_finding_of_its_own():
    wheel = {"name": "wheel", "outline": box(-1, -1, 1, 1), "pose": [0, 9, 0]}
    pin = {"bodies": ["floor", "wheel"], "at": [0, 9]}
    result = solve(assembly(FLOOR, wheel, maximize={"body": "wheel", "spin": 1}, pins=[pin]))
    assert result.status is FlexStatus.TURNING
    assert result.leaving is None
    assert result.turning.bodies == ("wheel",)
    assert result.turning.turns[0] > 2 * np.pi
    assert result.turning.proven
    assert "Turns without end: wheel" in result.summary()


def one_coordinate(gaps, signs, equal=None) -> Program:
    """Rows sign·x + gap ≥ 0 in x alone."""
    count = len(gaps)
    blocks = np.zeros((count, 2, 3))
    blocks[:, 0, 0] = signs
    return Program(
        pairs=np.tile([0, -1], (count, 1)),
        blocks=blocks,
        gaps=np.array(gaps, float),
        equal=np.zeros(count, bool) if equal is None else np.array(equal),
        cost=np.array([[1.0, 0, 0]]),
        bound=np.full((1, 3), np.inf),
        centres=np.zeros((1, 2)),
    )


def test_a_feasible_program_needs_no_relaxation():
    assert smallest_relaxation(one_coordinate([0.1, -0.05], [1, -1])) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("unit", [1.0, 1e-8, 1e8])
def test_two_walls_too_near_each_other_need_half_the_missing_room_each(unit):
    # x ≥ 0.3 and x ≤ −0.1: 0.4 is missing.
    program = one_coordinate([-0.3 * unit, -0.1 * unit], [1, -1])
    assert smallest_relaxation(program) == pytest.approx(0.2 * unit, rel=1e-6, abs=0)


def test_an_equality_can_be_missed_from_either_side():
    # x = 0.3 and x ≤ −0.1
    assert smallest_relaxation(one_coordinate([-0.3, -0.1], [1, -1], [True, False])) == pytest.approx(0.2)
