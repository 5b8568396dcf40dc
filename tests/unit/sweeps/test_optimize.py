"""Searches for the best values: closed forms, limits, what has no answer, and words that cannot be used."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from scipy.optimize import brentq

import pliant
from pliant.cli import main
from pliant.core.errors import InputError
from pliant.core.progress import silent
from pliant.sweeps.goals import FigureGoal, FigureLimit, meant, read_goal, read_limit
from pliant.sweeps.optimize import Effort, Job, read_job, run_job
from pliant.sweeps.optimum import OptimizeResult, OptimizeStatus
from pliant.sweeps.solve_case import solve_for_figures
from pliant.sweeps.variables import read_variables

PEG = """
pliant = 1
kind = "assembly"
clearance = "gap"
[parameters]
gap = 0.2
width = 10
area = "width^2"
[[bodies]]
name = "plate"
outline = [[-30, -30], [30, -30], [30, 30], [-30, 30]]
holes = [[["-width/2", "-width/2"], ["width/2", "-width/2"], ["width/2", "width/2"], ["-width/2", "width/2"]]]
fixed = true
[[bodies]]
name = "peg"
outline = [["-width/2", "-width/2"], ["width/2", "-width/2"], ["width/2", "width/2"], ["-width/2", "width/2"]]
[study]
maximize = [{ body = "peg", spin = 1 }]
"""


@pytest.fixture
def peg(tmp_path: Path) -> Path:
    path = tmp_path / "peg.toml"
    path.write_text(PEG)
    return path


def run(*words: Any) -> Any:
    return CliRunner().invoke(main, [str(word) for word in words])


def tilt(gap: float, width: float) -> float:
    """Of a square peg, each outline inset by half the gap: cos t + sin t = (w + c)/(w − c)."""
    return brentq(lambda t: math.cos(t) + math.sin(t) - (width + gap) / (width - gap), 0, 0.5)


Figures = Callable[[Mapping[str, Any]], dict[str, float] | None]


def sought(
    figures: Figures, ranges: Mapping[str, Any], goal: str, *limits: str, **effort: Any
) -> OptimizeResult:
    """A search of formulas in place of solves; None has no answer."""

    def answers(tasks: Sequence[str], _progress: Any) -> dict[str, Any]:
        rows: dict[str, Any] = {}
        for task in tasks:
            case = json.loads(task)
            found = figures(case["changes"] or own)
            known = {} if found is None else {name: {name: found[name]} for name in case["report"]}
            rows[task] = {
                "status": "done",
                "message": "",
                "failed": found is None,
                "figures": known,
                "unknown": {},
            }
        return rows

    own = {name: 0.5 for name in ranges}
    text = json.dumps({"pliant": 1, "kind": "assembly", "parameters": own})
    variables = tuple(read_variables(ranges, "mm"))
    kept = tuple(read_limit(limit, "mm") for limit in limits)

    def solve(tasks: Sequence[str], progress: Any) -> dict[str, Any]:
        written = [task for task in tasks if json.loads(task)["name"] == "written"]
        if written:
            import tomllib

            own.update(tomllib.loads(json.loads(written[0])["text"])["parameters"])
        return answers(tasks, progress)

    job = Job(text, ".json", "assembly", variables, read_goal(goal, "mm"), kept, {})
    return run_job(job, Effort(**effort), solve)


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("minimize peak_force", FigureGoal("minimize", "peak_force")),
        (" Maximise  max(force.insertion) ", FigureGoal("maximize", "max(force.insertion)")),
        ("poses.lid[0] = 1/8 in", FigureGoal("meet", "poses.lid[0]", 3.175)),
    ],
)
def test_goals_are_read_with_their_units(text: str, goal: FigureGoal):
    assert read_goal(text, "mm") == goal


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("strain <= 2%", FigureLimit("strain", high=0.02)),
        ("objective>=1", FigureLimit("objective", low=1)),
        ("0.3 >= objective", FigureLimit("objective", high=0.3)),
        ("1 <= gap ≤ 2", FigureLimit("gap", 1, 2)),
        ("2 >= gap >= 1", FigureLimit("gap", 1, 2)),
        ("locked = 0", FigureLimit("locked", 0, 0)),
    ],
)
def test_limits_are_read_either_way_round(text: str, limit: FigureLimit):
    assert read_limit(text, "mm") == limit
    assert read_limit(str(limit), "mm") == limit


@pytest.mark.parametrize(
    "text", ["", "strain", "strain <", "strain < 2", "<= 2", "strain <= two", "2 <= a <= 1", "1 <= a >= 0"]
)
def test_what_is_no_limit_is_refused_with_a_cure(text: str):
    with pytest.raises(InputError, match="--limit"):
        read_limit(text, "mm")


def test_a_limit_on_a_table_is_kept_by_its_worst_figure():
    limit = FigureLimit("strain", high=0.02)
    assert limit.margin([0.01, 0.025]) == pytest.approx(-0.005)
    assert limit.worst({"a": 0.01, "b": 0.025}) == ("b", 0.025)
    assert math.isnan(limit.margin([]))


def test_a_table_of_tables_is_meant_by_the_first_figure_of_each_entry():
    strain = {"strain.a.peak": 0.01, "strain.a.limit": 0.04, "strain.b.peak": 0.02, "strain.b.limit": 0.04}
    assert meant("strain", {"strain": strain}) == {"strain.a.peak": 0.01, "strain.b.peak": 0.02}
    pose = {"poses.lid[0]": 1.0, "poses.lid[1]": 2.0}
    assert meant("poses.lid", {"poses.lid": pose}) == pose
    assert meant("end", {"end": {"end.t": 1.0, "end.angles.a": 2.0}}) == {"end.t": 1.0, "end.angles.a": 2.0}


def test_the_least_of_a_bowl_is_found_inside_and_at_an_edge():
    def bowl(at: Mapping[str, Any]) -> dict[str, float]:
        return {"f": (at["a"] - 0.3) ** 2 + 2 * (at["b"] - 0.6) ** 2 + 0.5 * at["a"] * at["b"]}

    inside = sought(bowl, {"a": "0:1", "b": "0:1"}, "minimize f")
    assert inside.status is OptimizeStatus.BEST_FOUND
    a, b = inside.best.values["a"], inside.best.values["b"]  # 2a + b/2 = 3/5, 4b + a/2 = 12/5
    assert (a, b) == (pytest.approx(4.8 / 31, abs=1e-4), pytest.approx(18 / 31, abs=1e-4))
    edge = sought(bowl, {"a": "0.4:1", "b": "0:1"}, "minimize f")
    assert edge.best.values["a"] == pytest.approx(0.4, abs=1e-6)


def test_a_limit_is_reached_and_not_passed():
    """The largest x + 2y on a disc of radius 2 is 2√5, at (2, 4)/√5."""
    found = sought(
        lambda at: {"sum": at["x"] + 2 * at["y"], "r": math.hypot(at["x"], at["y"])},
        {"x": "-3:3", "y": (-3, 3)},
        "maximize sum",
        "r <= 2",
    )
    assert found.status is OptimizeStatus.BEST_FOUND
    assert found.best.goal == pytest.approx(2 * math.sqrt(5), rel=1e-5)
    assert 0 <= found.best.margins[0] < 1e-5
    assert found.best.values["x"] == pytest.approx(2 / math.sqrt(5), abs=5e-3)


def test_of_many_hollows_the_deepest_is_found():
    found = sought(
        lambda at: {"f": 0.1 * (at["a"] - 3) ** 2 - math.cos(3 * at["a"])}, {"a": "-10:10"}, "minimize f"
    )
    deepest = brentq(lambda a: 0.2 * (a - 3) + 3 * math.sin(3 * a), 2.0, 2.3)
    assert found.best.values["a"] == pytest.approx(deepest, abs=1e-3)


def test_a_value_is_met_to_the_last_digits():
    found = sought(lambda at: {"f": at["a"] ** 3}, {"a": "0:3"}, "f = 8")
    assert found.status is OptimizeStatus.MET
    assert found.best.values["a"] == pytest.approx(2, abs=1e-8)
    assert found.again == 0


def test_a_value_out_of_reach_is_said_to_be_and_not_met():
    found = sought(lambda at: {"f": at["a"] ** 2}, {"a": "0:3"}, "f = 10")
    assert found.status is OptimizeStatus.BEST_FOUND
    assert found.summary().startswith("Comes no nearer to f = 10 than 9, at a = 3.")


def test_limits_that_nothing_keeps_are_named_with_what_is_missing():
    found = sought(
        lambda at: {"f": at["a"], "g": at["a"] ** 2 + 1}, {"a": "-2:2"}, "minimize f", "g <= 0.75", "f >= -5"
    )
    assert found.status is OptimizeStatus.INFEASIBLE
    assert found.status.exit_code == 0
    assert "still breaks g <= 0.75 by 0.25." in found.summary()


def test_values_without_an_answer_are_counted_and_kept_out():
    found = sought(
        lambda at: None if at["a"] > 0.5 else {"f": at["a"]}, {"a": "0:1"}, "maximize f", evaluations=120
    )
    assert 0 < found.failed < 120
    assert found.best.values["a"] == pytest.approx(0.5, abs=2e-3)
    none = sought(lambda at: None, {"a": "0:1"}, "maximize f", evaluations=60)
    assert none.status is OptimizeStatus.UNSOLVED
    assert none.status.exit_code == 3


def test_a_search_that_may_try_too_little_does_not_say_that_it_is_at_its_end():
    found = sought(
        lambda at: {"f": (at["a"] - 0.3) ** 2 + (at["b"] - at["a"] ** 2) ** 2},
        {"a": "0:1", "b": "0:1"},
        "minimize f",
        evaluations=30,
    )
    assert found.status is OptimizeStatus.NOT_CONVERGED
    assert len(found.trials) <= 30


def test_listed_values_are_all_tried_where_they_are_few():
    found = sought(
        lambda at: {"f": at["n"] * at["a"]}, {"n": "3:7:2", "a": [1, 2, 5]}, "maximize f", "f <= 20"
    )
    assert (found.every, len(found.trials)) == (True, 9)
    assert found.best.values == {"n": 3, "a": 5}


def test_listed_values_and_ranges_are_sought_together():
    found = sought(
        lambda at: {"f": (at["a"] - at["n"] / 10) ** 2 + abs(at["n"] - 7)},
        {"n": "1:9:1", "a": "0:1"},
        "minimize f",
    )
    assert found.best.values["n"] == 7
    assert found.best.values["a"] == pytest.approx(0.7, abs=1e-4)


def test_the_same_seed_tries_the_same_values():
    def valley(at: Mapping[str, Any]) -> dict[str, float]:
        return {"f": (at["a"] - 0.3) ** 2 + (at["b"] - at["a"] ** 2) ** 2}

    ranges = {"a": "0:1", "b": "0:1"}
    first, again, other = (sought(valley, ranges, "minimize f", seed=seed) for seed in (4, 4, 5))
    assert [trial.values for trial in first.trials] == [trial.values for trial in again.trials]
    assert [trial.values for trial in first.trials] != [trial.values for trial in other.trials]


def test_progress_is_drawn_with_the_best_so_far():
    plot = sought(lambda at: {"f": at["a"] ** 2}, {"a": "-1:1"}, "minimize f", "f >= 0.04").plot()
    assert [one.name for one in plot.series] == ["keeps the limits", "does not", "best so far"]
    best = plot.series[-1]
    assert (best.y[1:] <= best.y[:-1]).all()
    assert 0.04 <= best.y[-1] < 0.0401


@pytest.mark.slow
def test_a_peg_tilts_as_far_as_asked_and_the_written_model_does_so_again(peg: Path, tmp_path: Path):
    best, trials, answer = (tmp_path / name for name in ("best.toml", "trials.csv", "answer.json"))
    words = ["gap=0.05:0.5", "--goal", "objective = 0.03", "-o", best, "-o", trials, "--json", answer]
    found = run("optimize", peg, *words, "--jobs", 1, "-o", tmp_path / "way.png")
    assert found.exit_code == 0, found.output
    assert found.stdout.startswith("Meets objective = 1.71887°, at gap = ")
    data = json.loads(answer.read_text())
    gap = data["best"]["values"]["gap"]
    assert tilt(gap, 10) == pytest.approx(0.03, rel=2e-5)
    written: Any = pliant.load(best)
    assert written.parameters == {"gap": gap, "width": 10, "area": 100}
    assert pliant.solve(written).to_dict()["objective"] == data["best"]["goal"]
    assert pliant.load(best, parameters={"width": 12}) != written  # it can be varied further
    assert not list(tmp_path.glob("*.jsonl"))
    assert data["again"] == 0


@pytest.mark.slow
def test_a_search_is_the_same_in_one_process_and_two(peg: Path):
    one, two = (
        pliant.optimize(
            peg, {"gap": (0.05, 0.5)}, "maximize objective", ["objective <= 0.04"], jobs=jobs, evaluations=50
        )
        for jobs in (1, 2)
    )
    assert one.trials == two.trials
    assert one.best.values["gap"] == two.best.values["gap"]
    assert tilt(one.best.values["gap"], 10) == pytest.approx(0.04, rel=1e-4)


def test_a_file_knows_before_it_is_solved_where_a_search_begins(peg: Path):
    job = read_job(peg, {"gap": "0.1:0.3", "width": "10:20"}, "minimize area", [])
    assert job.start == [pytest.approx(0.5), 0.0]
    assert read_job(peg, {"gap": "0.3:0.5"}, "minimize area", []).start is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["gap=0.5:0.1", "--goal", "minimize objective"], "gap: goes from 0.5 to 0.1, which is backwards"),
        (["gap=1:1", "--goal", "minimize objective"], "which is one value"),
        (["gap=1", "--goal", "minimize objective"], "has 1 value to try"),
        (["gp=0:1", "--goal", "minimize objective"], "Did you mean 'gap'?"),
        (["area=0:1", "--goal", "minimize objective"], "nothing in the file depends on it"),
        (["gap=0:1", "--goal", "smaller objective"], "is no goal"),
        (["gap=0:1", "--goal", "minimize objective", "--limit", "2"], "is no limit"),
        (["gap=0:1", "gap=0:2", "--goal", "minimize objective"], "given twice"),
        (["gap", "--goal", "minimize objective"], "write a=10:20"),
    ],
)
def test_bad_words_of_a_search_are_refused_with_a_cure(peg: Path, words: list[str], said: str):
    found = run("optimize", peg, *words)
    assert found.exit_code == 2
    assert said in found.output


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("goal", "limit", "said"),
    [
        ("minimize objectiv", "gap >= 0", "--goal: 'objectiv' is no figure"),
        ("minimize objective", "objectve <= 1", "--limit: 'objectve' is no figure"),
        ("minimize poses", "gap >= 0", "is 6 figures. Name one: poses.plate[0]"),
    ],
)
def test_a_figure_that_is_none_is_refused_after_one_solve(peg: Path, goal: str, limit: str, said: str):
    found = run("optimize", peg, "gap=0.1:0.3", "--goal", goal, "--limit", limit, "--jobs", 1)
    assert found.exit_code == 2
    assert said in found.output
    assert not list(peg.parent.glob("*.jsonl"))


def here(tasks: Sequence[str], _progress: Any) -> dict[str, Any]:
    """Solves without processes of its own."""
    return {task: solve_for_figures(task, silent) for task in tasks}


WIPER = """
pliant = 1
kind = "linkage"
ground = ["A", "D"]
[parameters]
crank = 20
[joints]
A = [0, 0]
B = ["crank", 0]
C = [80, 60]
D = [100, 0]
[[links]]
joints = ["A", "B"]
[[links]]
joints = ["B", "C"]
[[links]]
joints = ["D", "C"]
[[motors]]
joint = "A"
drives = "B"
[study]
trace = ["C"]
samples = 90
"""


def test_a_four_bar_swings_its_rocker_as_far_as_asked(tmp_path: Path):
    """The rocker turns where crank and coupler are in line: |AC| = l ± r, by the law of cosines at D."""

    def length(crank: float) -> float:
        rocker, ground, coupler = math.hypot(20, 60), 100.0, math.hypot(80 - crank, 60)
        ends = [
            math.acos((rocker**2 + ground**2 - (coupler + side * crank) ** 2) / (2 * rocker * ground))
            for side in (1, -1)
        ]
        return 2 * rocker * (ends[0] - ends[1])

    (tmp_path / "wiper.toml").write_text(WIPER)
    job = read_job(tmp_path / "wiper.toml", {"crank": "10:30"}, "curves.C.length = 100", [])
    found = run_job(job, Effort(), here)
    assert found.status is OptimizeStatus.MET
    assert found.best.values["crank"] == pytest.approx(brentq(lambda r: length(r) - 100, 10, 30), rel=1e-5)


SPRING = """
pliant = 1
kind = "mechanism"
ground = ["top"]
gravity = [0, -10]
masses = { block = 2 }
[parameters]
k = 4
[nodes]
top = [0, 0]
block = [0, -30]
[[springs]]
nodes = ["top", "block"]
stiffness = "k"
length = 30
"""


def test_a_weight_hangs_as_low_as_asked(tmp_path: Path):
    (tmp_path / "spring.toml").write_text(SPRING)
    job = read_job(tmp_path / "spring.toml", {"k": "1:10"}, "nodes.block[1] = -36", [])
    found = run_job(job, Effort(), here)
    assert found.best.values["k"] == pytest.approx(20 / 6, rel=1e-5)
    assert found.status is OptimizeStatus.MET


@pytest.mark.slow
def test_a_hook_is_as_thick_as_its_strain_allows_and_its_force_the_cube_of_that():
    path = pliant.gallery.path("sized-snap")
    start = pliant.solve(pliant.load(path)).to_dict()
    job = read_job(path, {"thickness": "1:3"}, "maximize peak_force", ["strain <= 0.03"])
    found = run_job(job, Effort(evaluations=80), here)
    thickness = 2 * 0.03 / start["strain"]["hook"]["peak"]
    assert found.status is OptimizeStatus.BEST_FOUND
    assert found.best.values["thickness"] == pytest.approx(thickness, abs=4e-5)
    assert found.best.goal == pytest.approx(start["peak_force"] * (thickness / 2) ** 3, rel=1e-4)
    assert found.best.margins[0] >= 0


def test_ctrl_c_keeps_the_best_so_far(peg: Path):
    job = read_job(peg, {"width": "5:20"}, "maximize area", ["area <= 150"])
    asked = 0

    def until_told(tasks: Sequence[str], _progress: Any) -> dict[str, Any]:
        nonlocal asked
        rows: dict[str, Any] = {}
        for task in tasks:
            asked += 1
            if asked > 15:
                break
            width = json.loads(task)["changes"].get("width", 10)
            own = {"figures": {"area": {"area": width**2}}, "unknown": {}}
            rows[task] = {"status": "done", "message": "", "failed": False, **own}
        return rows

    found = run_job(job, Effort(), until_told)
    assert (found.stopped, found.status) == (True, OptimizeStatus.NOT_CONVERGED)
    assert len(found.trials) == 14  # and the file as it stands
    assert found.best.goal == max(trial.goal for trial in found.trials if trial.keeps)
    assert f"width = {found.best.values['width']}"[:15] in found.text


def test_a_written_model_that_gives_other_figures_is_not_called_met(peg: Path):
    job = read_job(peg, {"width": "5:20"}, "area = 150", [])

    def another(tasks: Sequence[str], _progress: Any) -> dict[str, Any]:
        rows: dict[str, Any] = {}
        for task in tasks:
            case = json.loads(task)
            area = 7.0 if case["name"] == "written" else case["changes"].get("width", 10) ** 2
            own = {"figures": {"area": {"area": area}}, "unknown": {}}
            rows[task] = {"status": "done", "message": "", "failed": False, **own}
        return rows

    found = run_job(job, Effort(), another)
    assert found.status is OptimizeStatus.NOT_CONVERGED
    assert found.again == pytest.approx(143 / 150)
    assert "the written model gives other figures" in found.summary()


def test_a_jump_over_the_value_sought_is_not_called_met():
    found = sought(lambda at: {"f": 1.0 if at["a"] < 0.4 else 3.0}, {"a": "0:1"}, "f = 2", evaluations=100)
    assert found.status is not OptimizeStatus.MET
    assert abs(found.best.goal - 2) == 1
