"""Every ending of a flex study, and what its result says."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from tests.solved import solved

import pliant
from pliant import gallery
from pliant.core.errors import InputError
from pliant.core.progress import Interrupted
from pliant.files import model_of
from pliant.flex.generate import bar, voxels
from pliant.flex.lp.program import Solution
from pliant.flex.model import Assembly, FlexStudy, Term
from pliant.flex.solve import solve
from pliant.flex.status import FlexStatus
from pliant.flex.stepping import linearization as promise_module


def box(left, bottom, right, top):
    return [[left, bottom], [right, bottom], [right, top], [left, top]]


def assembly(*bodies: dict, maximize: dict | None = None, study: dict | None = None, **rest) -> Assembly:
    maximize = maximize or {"body": bodies[-1]["name"], "direction": [1, 0]}
    return Assembly.model_validate(
        {"bodies": list(bodies), "study": {"maximize": [maximize], **(study or {})}, **rest}
    )


CAGE = {"name": "cage", "outline": box(-20, -20, 20, 20), "holes": [box(-5.2, -5.2, 5.2, 5.2)], "fixed": True}
PEG = {"name": "peg", "outline": box(-5, -5, 5, 5)}
FLOOR = {"name": "floor", "outline": box(-5, -1, 5, 0), "fixed": True}


def test_converged_says_how_far_and_what_is_left_to_gain():
    result = solve(assembly(CAGE, PEG))
    assert result.status is FlexStatus.CONVERGED
    assert result.objective == pytest.approx(0.2, rel=2e-6)
    assert abs(result.left) <= 1e-4 * 0.2
    assert result.poses["peg"][0] == pytest.approx(0.2, rel=2e-6)
    assert result.poses["cage"] == (0, 0, 0)
    assert "Moves by 0.2" in result.summary()


def test_a_part_without_play_is_locked():
    tight = {**CAGE, "holes": [box(-5, -5, 5, 5)]}
    result = solve(assembly(tight, PEG))
    assert result.status is FlexStatus.LOCKED
    assert result.objective == 0.0
    assert result.steps == 0
    assert "Locked" in result.summary()


FIXED_PEG = {**PEG, "fixed": True}
STILL = {
    "everything is fixed": (
        [CAGE, FIXED_PEG],
        {"body": "peg", "direction": [1, 0]},
        "body",
        "'peg' is fixed",
    ),
    "there is one body": ([FLOOR], {"body": "floor", "spin": 1}, "body", "'floor' is fixed"),
    "it is fixed": ([CAGE, PEG], {"body": "cage", "direction": [1, 0]}, "body", "'cage' is fixed"),
    "its point is fixed": (
        [CAGE, PEG],
        {"body": "cage", "direction": [1, 0], "point": [9, 9]},
        "body",
        "fixed",
    ),
    "its weight is 0": ([CAGE, PEG], {"body": "peg", "direction": [1, 0], "weight": 0}, "weight", "is 0"),
    "its spin is 0": ([CAGE, PEG], {"body": "peg", "spin": 0}, "spin", "is 0"),
    "nothing goes outwards": ([CAGE, FIXED_PEG], {"radial": [0, 0]}, "radial", "every body is held"),
    "nothing gathers": ([CAGE, FIXED_PEG], {"gather": "peg"}, "gather", "every body is held"),
}


@pytest.mark.parametrize("case", STILL)
def test_an_objective_that_nothing_can_change_is_refused_by_load_and_by_solve(case):
    bodies, term, key, said = STILL[case]
    data = {"pliant": 1, "kind": "assembly", "bodies": bodies}
    with pytest.raises(InputError) as caught:
        model_of({**data, "study": {"maximize": [term, term]}})
    assert [fault.where for fault in caught.value.faults] == [f"study.maximize[{k}].{key}" for k in range(2)]
    assert said in caught.value.faults[0].problem
    assert caught.value.faults[0].cure
    with pytest.raises(InputError) as caught:
        model_of({**data, "study": {"flex": {"maximize": [term]}}})
    assert caught.value.faults[0].where == f"study.flex.maximize[0].{key}"
    model = model_of(data)
    with pytest.raises(InputError) as caught:
        pliant.solve(model, maximize=[term])
    assert caught.value.faults[0].where == f"maximize[0].{key}"
    with pytest.raises(InputError) as caught:
        solve(model, FlexStudy(maximize=(Term.model_validate(term),)))
    assert caught.value.faults[0].where == f"study.maximize[0].{key}"


def test_a_term_that_counts_for_nothing_may_stand_beside_one_that_counts():
    terms = [{"body": "cage", "direction": [1, 0]}, {"body": "peg", "direction": [1, 0]}]
    model = Assembly.model_validate({"bodies": [CAGE, PEG], "study": {"maximize": terms}})
    assert solve(model).objective == pytest.approx(0.2, rel=2e-6)


@pytest.mark.parametrize("unit", [1e-3, 1.0, 7e3])
@pytest.mark.parametrize(
    ("terms", "where", "said"),
    [
        ([{"radial": [0.1, 0.3]}], "study.maximize[0].radial", "at this very centre"),
        ([{"gather": "peg"}], "study.maximize[0].gather", "stands on the line"),
        (
            [{"body": "peg", "spin": 0.3}, {"body": "peg", "spin": -0.1, "weight": 3}],
            "study.maximize",
            "cancel",
        ),
        (
            [{"body": "peg", "direction": [1, 0], "point": [k, 0], "weight": 1 - 2 * k} for k in range(2)],
            "study.maximize",
            "cancel",
        ),
    ],
)
def test_an_objective_that_is_zero_as_drawn_is_said_to_be(terms, where, said, unit):
    """A body at the very centre, all on the line already, terms that cancel: not "Locked"."""
    terms = [{**t, "radial": [0.1 * unit, 0.3 * unit]} if "radial" in t else t for t in terms]
    peg = {"name": "peg", "outline": (unit * np.array(box(-0.4, -0.2, 0.6, 0.8))).tolist()}
    cage = {**CAGE, **{k: (unit * np.array(CAGE[k])).tolist() for k in ("outline", "holes")}}
    with pytest.raises(InputError) as caught:
        solve(Assembly.model_validate({"bodies": [cage, peg], "study": {"maximize": terms}}))
    (fault,) = caught.value.faults
    assert fault.where == where
    assert said in fault.problem
    assert fault.cure


def test_free_names_the_body_and_its_direction():
    result = solve(
        assembly(
            FLOOR,
            {"name": "block", "outline": box(-1, 0.1, 1, 2)},
            maximize={"body": "block", "direction": [0, 1]},
        )
    )
    assert result.status is FlexStatus.FREE
    assert result.leaving.bodies == ("block",)
    assert result.leaving.velocities[0][1] > 0
    assert result.linear is None
    assert "block can leave" in result.summary()
    assert result.to_dict()["leaving"]["velocities"].keys() == {"block"}


def test_overlapping_says_which_pairs_how_deep_and_the_clearance_that_cures_it():
    model = assembly(
        FLOOR,
        {"name": "block", "outline": box(-1, -0.3, 1, 2)},
        maximize={"body": "block", "direction": [0, -1]},
    )
    result = solve(model)
    assert result.status is FlexStatus.OVERLAPPING
    assert result.drawn[0].bodies == ("floor", "block")
    assert result.drawn[0].depth == pytest.approx(0.3, rel=1e-6)
    assert "0.3" in result.summary()
    cured = solve(model.model_copy(update={"clearance": 1.01 * result.cure}))
    assert cured.status is not FlexStatus.OVERLAPPING
    assert cured.objective == pytest.approx(0.003, rel=1e-3)


@pytest.mark.usefixtures("not_shaken")
def test_the_step_limit_is_an_ending_of_its_own():
    model = gallery.load("eight-blocks")
    limited = model.model_copy(update={"study": model.study.model_copy(update={"steps": 2})})
    result = solve(limited)
    assert result.status is FlexStatus.STEP_LIMIT
    assert result.steps == 2
    assert result.status.exit_code != 0
    assert "Not converged after 2 steps" in result.summary()
    assert result.objective < solve(model).objective


def test_a_solver_that_fails_is_said_to_have_failed(monkeypatch):
    def broken(program, solver="auto", tolerance=1e-8, start=None) -> Solution:
        return Solution(
            solved=False,
            step=np.zeros_like(program.cost),
            forces=np.zeros(len(program.gaps)),
            bound_forces=np.zeros_like(program.cost),
            objective=0.0,
            relative_gap=np.inf,
            iterations=0,
            solver="broken",
            message="out of luck",
        )

    monkeypatch.setattr(promise_module, "solve_program", broken)
    result = solve(assembly(CAGE, PEG))
    assert result.status is FlexStatus.SOLVER_FAILED
    assert "out of luck" in result.message
    assert result.status.exit_code != 0
    assert result.steps == 0


def test_every_status_is_a_sentence_with_an_exit_code():
    assert {status.name for status in FlexStatus} == {
        "CONVERGED", "LOCKED", "FREE", "TURNING", "OVERLAPPING", "VIOLATED", "STEP_LIMIT", "SOLVER_FAILED",
        "BLOCKED",
    }  # fmt: skip
    assert all(str(status) and isinstance(status.exit_code, int) for status in FlexStatus)


def test_an_interrupted_solve_hands_over_what_it_has_done():
    def impatient(done: int, total: int | None, text: str) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        solve(gallery.load("eight-blocks"), progress=impatient)
    result = caught.value.result
    assert result.steps == 3
    assert len(result.frames.accepted) == 4
    assert result.objective == pytest.approx(result.frames.objective[-1], rel=1e-12)
    assert result.objective > 0
    assert "interrupted" in result.message
    json.dumps(result.to_dict(), allow_nan=False)


def test_an_interruption_before_the_first_step_leaves_the_drawn_pose():
    def at_once(done: int, total: int | None, text: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        solve(assembly(CAGE, PEG), progress=at_once)
    assert caught.value.result.objective == 0.0
    assert len(caught.value.result.frames.poses) == 1


@pytest.mark.usefixtures("not_shaken")
def test_progress_is_reported_step_by_step():
    seen = []
    result = solve(gallery.load("eight-blocks"), progress=lambda done, total, text: seen.append(done))
    assert seen[0] == 0
    assert seen == sorted(seen)
    assert result.steps - 1 <= seen[-1] <= result.steps


@pytest.mark.usefixtures("not_shaken")
def test_a_group_that_is_not_in_the_objective_changes_nothing():
    far = {"name": "far", "outline": box(-1, 0, 1, 2), "pose": [100, 100, 0]}
    drifter = {"name": "drifter", "outline": box(-1, 0, 1, 2), "pose": [102.2, 100, 0.1]}
    alone = solve(assembly(CAGE, PEG))
    result = solve(assembly(CAGE, PEG, far, drifter, maximize={"body": "peg", "direction": [1, 0]}))
    assert result.status is FlexStatus.CONVERGED
    assert result.objective == pytest.approx(alone.objective, rel=2e-6)
    assert np.isfinite(result.frames.poses).all()
    assert math.dist(result.poses["far"][:2], (100, 100)) < 10


def test_bodies_may_touch_as_drawn():
    result = solve(
        assembly(
            FLOOR,
            {"name": "block", "outline": box(-1, 0, 1, 2)},
            maximize={"body": "block", "direction": [0, -1]},
        )
    )
    assert result.status is FlexStatus.LOCKED


def test_a_peg_in_a_hole_of_a_moving_body_moves_with_it():
    """Holes hold: the ring is caged, and the peg has its play in the ring on top of the ring's."""
    ring = {"name": "ring", "outline": box(-5, -5, 5, 5), "holes": [box(-2, -2, 2, 2)]}
    core = {"name": "core", "outline": box(-1.7, -1.7, 1.7, 1.7)}
    result = solve(assembly(CAGE, ring, core))
    assert result.status is FlexStatus.CONVERGED
    assert result.objective == pytest.approx(0.5, rel=1e-5)


@pytest.mark.usefixtures("not_shaken")
def test_a_shape_shared_by_bodies_is_the_same_as_an_outline_of_their_own():
    model = voxels(bar(3, 2), clearance=0.02)
    own = Assembly.model_validate(
        {
            "clearance": 0.02,
            "bodies": [
                {"name": b.name, "outline": model.shapes[b.shape], "pose": b.pose, "fixed": b.fixed}
                for b in model.bodies
            ],
            "study": model.study.model_dump(exclude_none=True),
        }
    )
    shared, separate = solve(model), solve(own)
    assert shared.objective == pytest.approx(separate.objective, rel=1e-6)
    assert (shared.rows, shared.columns) == (separate.rows, separate.columns)


def test_the_pins_polygon_error_is_said():
    link = {"name": "link", "outline": box(-1, -1, 12, 1)}
    pin = {"bodies": ["floor", "link"], "at": [0, -0.5], "clearance": 0.4, "sides": 8}
    result = solve(assembly(FLOOR, link, pins=[pin], limits=[{"body": "link", "rotation": 0.0}]))
    assert result.pin_error == pytest.approx(0.2 * (1 - math.cos(math.pi / 8)))
    assert "polygons leave out" in result.summary()
    assert result.to_dict()["pin_error"] == result.pin_error


def test_a_study_given_to_solve_replaces_the_models_own():
    model = assembly(CAGE, PEG)
    result = solve(model, FlexStudy(maximize=(Term(body="peg", direction=(0, -2)),)))
    assert result.objective == pytest.approx(0.4, rel=2e-6)


def test_the_flex_table_of_a_study_overrides_the_common_keys():
    model = assembly(CAGE, PEG, study={"flex": {"maximize": [{"body": "peg", "spin": 1}]}})
    assert solve(model).objective == pytest.approx(
        math.asin(10.4 / 10 / math.sqrt(2)) - math.pi / 4, rel=2e-6
    )


def test_a_study_without_an_objective_is_bad_input():
    with pytest.raises(InputError, match="names nothing to maximise"):
        solve(Assembly.model_validate({"bodies": [CAGE, PEG]}))


@pytest.mark.usefixtures("not_shaken")
def test_the_threshold_is_a_hundredth_of_the_gap_or_what_the_user_says():
    assert solve(assembly(CAGE, PEG)).threshold == pytest.approx(0.002)
    result = solve(assembly(CAGE, PEG, study={"threshold": 1e-5}, maximize={"body": "peg", "spin": 1}))
    assert result.threshold == 1e-5
    assert result.overlap <= 1e-5
    assert result.violation <= 1e-5


@pytest.mark.usefixtures("not_shaken")
def test_the_clearance_opens_every_gap_by_itself():
    for clearance in (0.1, 0.3):
        result = solve(assembly({**CAGE, "holes": [box(-5, -5, 5, 5)]}, PEG, clearance=clearance))
        assert result.gap == clearance
        assert result.objective == pytest.approx(clearance, rel=2e-6)


def test_frames_start_as_drawn_and_end_at_the_answer():
    result = solved("eight-blocks")
    drawn = np.array([body.pose for body in result.model.bodies])
    assert result.frames.poses[0] == pytest.approx(drawn, abs=1e-9)
    assert result.frames.objective[0] == pytest.approx(0.0, abs=1e-12)
    assert result.frames.objective[-1] == result.objective
    assert result.frames.accepted[0] == 0
    assert result.frames.accepted[-1] == len(result.frames.poses) - 1
    held = [place for place, body in enumerate(result.model.bodies) if body.fixed]
    assert np.ptp(result.frames.poses[:, held], axis=0).max() == 0.0


def test_the_motion_has_every_body_its_signals_and_an_event_at_the_end():
    result = solve(assembly(CAGE, PEG))
    motion = result.motion
    assert motion.bodies == ("cage", "peg")
    assert motion.signals["objective"].values[-1] == result.objective
    assert motion.events[-1].kind == "converged"
    assert motion.body_scalars["travel"][-1].tolist() == pytest.approx([0.0, 0.2], rel=1e-5, abs=1e-9)
    turned = motion.poses[-1, :, 2] - motion.poses[0, :, 2]
    assert motion.body_scalars["turn (deg)"][-1] == pytest.approx(np.degrees(turned))


@pytest.mark.usefixtures("not_shaken")
def test_the_result_is_json_without_nan():
    for model in (assembly(CAGE, PEG), gallery.load("arm")):
        data = json.loads(json.dumps(solve(model).to_dict(), allow_nan=False))
        assert data["status"] in {status.name.lower() for status in FlexStatus}
        assert set(data["poses"]) == {body.name for body in model.bodies}


def test_charts_show_the_progress_and_the_shares():
    result = solved("lever")
    charts = result.plots()
    assert charts["progress"].series[0].y[-1] == result.objective
    assert charts["shares"].series[0].y.sum() == pytest.approx(1.0, abs=1e-6)


@pytest.mark.usefixtures("not_shaken")
@pytest.mark.parametrize("turn", [0.01, 0.2, 0.7])
def test_a_turn_is_said_in_degrees(turn):
    limits = [{"body": "peg", "rotation": turn, "x": [0, 0], "y": [0, 0]}]
    wide = {**CAGE, "holes": [box(-9, -9, 9, 9)]}
    result = solve(assembly(wide, PEG, maximize={"body": "peg", "spin": 1}, limits=limits))
    assert f"Moves by {math.degrees(turn):.6g}°; then" in result.summary()
    assert " rad" not in result.summary()
    travel = solve(assembly(wide, PEG, limits=limits[:0]))
    assert "°" not in travel.summary()


def test_films_are_paced_by_travel():
    """As long is shown of a way as it is long, however many frames and steps it took."""
    wall = {"name": "wall", "outline": [[12, -3], [13, -3], [13, 3], [12, 3]], "fixed": True}
    link = {"name": "link", "outline": [[-0.5, -0.5], [8, -0.5], [8, 0.5], [-0.5, 0.5]]}
    post = {"name": "post", "outline": [[-2, -2], [-1, -2], [-1, 2], [-2, 2]], "fixed": True}
    model = Assembly.model_validate(
        {
            "bodies": [post, wall, link],
            "pins": [{"bodies": ["post", "link"], "at": [0, 0], "clearance": 0.1}],
            "study": {"maximize": [{"body": "link", "spin": 1.0}]},
            "limits": [{"body": "link", "rotation": 0.4}],
        }
    )
    motion = solve(model).motion
    link = motion.poses[:, motion.bodies.index("link")]
    tip = link[:, :2] + np.stack([8 * np.cos(link[:, 2]), 8 * np.sin(link[:, 2])], axis=1)
    moved = np.hypot(*np.diff(tip, axis=0).T)
    shown = np.diff(motion.values)
    assert motion.axis == "travel"
    assert (shown >= 0.5 * moved - 1e-9).all()
    assert (shown[:-1] <= 2.0 * moved[:-1]).all()  # the last one is a shift of the whole link
