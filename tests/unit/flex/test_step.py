"""One step: it keeps what the program promised, never overlaps, and goes back where it must."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pliant import gallery
from pliant.flex.contact.overlap import measure_overlaps, near_pairs
from pliant.flex.contact.sweep import Crossings
from pliant.flex.model import Assembly
from pliant.flex.problem.system import compile_system
from pliant.flex.stepping import step as one_step
from pliant.flex.stepping.linearization import linear_step
from pliant.flex.stepping.step import (
    advance_poses,
    arc,
    configuration_at,
    is_usable,
    largest_travel,
    take_step,
)


def box(left, bottom, right, top):
    return [[left, bottom], [right, bottom], [right, top], [left, top]]


def start_of(model: Assembly):
    system = compile_system(model, model.study.for_command("flex"))
    return system, configuration_at(system, system.parts.drawn, system.reach, None)


def peg(hole: float = 10.4) -> Assembly:
    half = hole / 2
    cage = {"name": "cage", "outline": box(-20, -20, 20, 20), "holes": [box(-half, -half, half, half)]}
    bodies = [{**cage, "fixed": True}, {"name": "peg", "outline": box(-5, -5, 5, 5)}]
    return Assembly.model_validate({"bodies": bodies, "study": {"maximize": [{"body": "peg", "spin": 1}]}})


@pytest.mark.parametrize("name", ["square-peg", "joint-pair", "arm", "lever", "latch"])
@pytest.mark.parametrize("fraction", [0.1, 0.5])
def test_the_correction_brings_the_distances_to_what_the_program_promised(name, fraction):
    system, here = start_of(gallery.load(name))
    found = linear_step(system, here, 0.1)
    step = found.solution.step
    rows = system.rows(here.contacts.rows)
    promised = found.program.gaps + fraction * found.program.change(step)
    straight = here.poses.copy()
    straight[system.parts.free] += fraction * step
    missed = np.abs(system.gaps(rows, straight) - promised)
    left = np.abs(system.gaps(rows, advance_poses(system, here, found.program, step, fraction)) - promised)
    # Distances the program lets close must come out best; weights leave the others loose.
    tight = promised < 0.1 * max(system.gap, 1e-9) + 1e-12
    assert left[tight].max(initial=0.0) <= max(1e-3 * missed.max(), 1e-9)


def test_a_step_of_nothing_leaves_the_pose():
    system, here = start_of(peg())
    found = linear_step(system, here, 0.1)
    assert advance_poses(system, here, found.program, 0 * found.solution.step, 1.0) == pytest.approx(
        here.poses, abs=1e-12
    )


def test_a_move_gains_and_keeps_the_overlap_within_the_threshold_by_rows_and_by_area():
    for name in ("square-peg", "joint-pair", "eight-blocks", "bricks"):
        system, here = start_of(gallery.load(name))
        found = linear_step(system, here, None)
        moved = take_step(system, found, 0.3)
        there = moved.there
        assert 0 < moved.fraction <= 1
        assert there.value > here.value
        assert there.violation <= system.threshold
        found_by_area = measure_overlaps(system.parts, there.poses, near_pairs(system.parts, there.poses))
        assert found_by_area.worst <= system.threshold


def test_no_body_turns_further_in_a_move_than_the_turn_allows_beyond_its_correction():
    system, here = start_of(peg(hole=13.0))
    found = linear_step(system, here, None)
    there = take_step(system, found, 0.05).there
    assert 0.04 < np.abs(there.poses - here.poses)[:, 2].max() <= 0.055


def test_neighbours_go_no_further_past_each_other_than_the_reach():
    """A thin wall that nobody selected: a long step would jump over it."""
    wall = {"name": "wall", "outline": box(3, -1, 3.01, 1), "fixed": True}
    floor = {"name": "floor", "outline": box(-50, -2, 50, -1.05), "fixed": True}
    block = {"name": "block", "outline": box(-1, -1, 1, 1)}
    end = {"body": "block", "x": [-1, 20], "rotation": 0.0, "y": [0, 0]}
    model = Assembly.model_validate(
        {
            "bodies": [wall, floor, block],
            "limits": [end],
            "study": {"maximize": [{"body": "block", "direction": [1, 0]}]},
        }
    )
    system, here = start_of(model)
    found = linear_step(system, here, None)
    assert found.gain == pytest.approx(20, rel=1e-5)  # as far as the program knows
    moved = take_step(system, found, 0.3)
    assert moved.fraction * 20 <= system.reach * (1 + 1e-9)
    assert moved.there.value < 2.0


def test_travel_is_that_of_neighbours_relative_to_each_other():
    system, here = start_of(gallery.load("eight-blocks"))
    together = np.tile([0.7, -0.2, 0.0], (len(system.parts.free), 1))
    fixed = system.parts.moving < 0
    against_the_held = largest_travel(system, here, together)
    assert against_the_held == pytest.approx(np.hypot(0.7, 0.2))
    assert fixed.sum() == 2  # the held block and the ground
    assert largest_travel(system, here, 0 * together) == 0


def test_an_overlap_at_the_start_is_mended_by_the_next_move():
    """Re-enforcement: the program steps backward out of a violation."""
    system, here = start_of(peg())
    poses = here.poses.copy()
    poses[1, 0] += 0.2 + 5 * system.threshold  # into the wall by more than is allowed
    deep = configuration_at(system, poses, system.reach, here.contacts)
    assert deep.violation == pytest.approx(5 * system.threshold)
    found = linear_step(system, deep, 0.3)
    moved = take_step(system, found, 0.3)
    assert moved is not None
    assert moved.there.violation <= deep.violation / 2 + 1e-12


def test_the_arc_starts_along_the_step_and_ends_where_the_correction_put_it():
    system, here = start_of(peg())
    before, after, step = here.poses, here.poses.copy(), np.array([[0.1, 0.0, 1.6]])
    after[1] += (0.1, 0.01, 1.6)
    way = arc(system, before, step, after)
    assert way[-1] == pytest.approx(after)
    assert (way[0] - before)[1] * len(way) == pytest.approx(step[0], abs=1e-3)


def test_bodies_that_only_the_correction_turns_leave_their_way_between_frames_by_the_threshold_at_most():
    system, here = start_of(peg())
    after = here.poses.copy()
    after[1] += (0.1, 0.01, 0.6)
    arm = system.parts.size / 2 + np.hypot(*system.parts.origins[1])
    for share in (0.0, 0.3, 1.0):
        way = arc(system, here.poses, share * np.array([[0.1, 0.0, 0.6]]), after)
        turned = np.diff(np.concatenate([here.poses[None], way])[:, 1, 2])
        assert arm * turned.max() ** 2 / 8 <= system.threshold
    assert len(arc(system, here.poses, np.zeros((1, 3)), here.poses)) == 1


def test_a_way_that_gets_too_deep_follows_the_cubic_of_all_that_is_known(monkeypatch):
    """Ways along contacts are smooth: here q(t) = t s + t²a + t³b, on which corrections put the poses."""
    system, here = start_of(peg(38.0))
    first, second, third = np.random.default_rng(0).normal((0, 0, 0.3), 0.01, (3, 1, 3))

    def curve(t):
        poses = here.poses.copy()
        poses[system.parts.free] += t * first + t**2 * second + t**3 * third
        return poses

    linear = linear_step(system, here, 0.3)
    linear = replace(linear, solution=replace(linear.solution, step=first))
    monkeypatch.setattr(one_step, "advance_poses", lambda *given: curve(given[-1]))
    deep = [Crossings(np.zeros(1, np.int64), np.zeros(1, np.int64), 0.0, lambda: np.zeros(1, np.int64))]
    free = replace(deep[0], vertex=deep[0].vertex[:0], body=deep[0].body[:0])
    monkeypatch.setattr(one_step, "sweep", lambda *given: deep.pop() if deep else free)
    way, met = one_step.checked_path(system, linear, 1.0, curve(1.0))
    assert not met.any
    assert len(way) > 2
    times = np.arange(1, len(way) + 1) / len(way)
    assert way == pytest.approx(np.array([curve(t) for t in times]), abs=1e-12)


def test_a_body_drawn_far_from_its_origin_has_more_frames_on_the_way():
    """Between frames poses go straight in the user's frame, and a body far from it swings off its way."""
    near, far = (
        peg(),
        peg().model_copy(
            update={
                "bodies": (
                    peg().bodies[0],
                    peg()
                    .bodies[1]
                    .model_copy(
                        update={
                            "pose": (-3e3, 0.0, 0.0),
                            "outline": tuple((x + 3e3, y) for x, y in peg().bodies[1].outline),
                        }
                    ),
                )
            }
        ),
    )
    step = np.array([[0.0, 0.0, 0.05]])
    counts = []
    for model in (near, far):
        system, here = start_of(model)
        counts.append(len(arc(system, here.poses, step, here.poses)))
    assert counts[0] < 10
    assert counts[1] > 20


def test_an_unbalanced_answer_is_not_usable_though_it_violates_nothing():
    """What solvers return for an unbounded program: no step, no forces, and no gap between them."""
    system, here = start_of(peg())
    found = linear_step(system, here, None)
    assert is_usable(system, found.program, found.solution)
    nothing = replace(
        found.solution,
        solved=False,
        step=0 * found.solution.step,
        forces=0 * found.solution.forces,
        objective=0.0,
        relative_gap=0.0,
    )
    unbounded = replace(found.program, bound=np.full_like(found.program.bound, np.inf))
    assert not is_usable(system, unbounded, nothing)


def test_an_answer_solved_to_a_little_less_than_asked_is_usable_and_one_that_overlaps_is_not():
    system, here = start_of(peg())
    found = linear_step(system, here, None)
    nearly = replace(found.solution, solved=False, relative_gap=1e-3)
    far = replace(nearly, step=1.5 * nearly.step)
    assert is_usable(system, found.program, nearly)
    assert not is_usable(system, found.program, far)
