"""Tolerances: spreads, samples, yields and contributions against closed forms, and what is refused."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.special import ndtr
from scipy.stats import binomtest, kstest, truncnorm

import pliant
from pliant.cli import main
from pliant.core.errors import InputError
from pliant.core.model import Process, Tolerance
from pliant.core.progress import silent
from pliant.sweeps.process_spreads import PROCESSES
from pliant.sweeps.sampling import draw, read_tolerance, spread_of
from pliant.sweeps.solve_case import solve_for_figures
from pliant.sweeps.statistics import contributions, share_interval
from pliant.sweeps.tolerance_result import TolerancesResult
from pliant.sweeps.tolerance_status import ToleranceStatus
from pliant.sweeps.tolerances import read_lot, run_lot

STACK = """
pliant = 1
kind = "assembly"
clearance = 0
[parameters]
slot = 12.4
a = 4
b = 8
[tolerances]
slot = { normal = 0.05 }
a = { normal = 0.09, sigmas = 3 }
b = { uniform = 0.06 }
[[bodies]]
name = "tray"
outline = [[-2, -2], ["slot + 2", -2], ["slot + 2", 7], [-2, 7]]
holes = [[[0, 0], ["slot", 0], ["slot", 5], [0, 5]]]
fixed = true
[[bodies]]
name = "block"
outline = [[0, 0], ["a + b", 0], ["a + b", 5], [0, 5]]
[study]
maximize = [{ body = "block", direction = [1, 0] }]
"""
SIGMA = math.sqrt(0.05**2 + 0.03**2 + 0.06**2 / 3)  # of slot − a − b


@pytest.fixture
def stack(tmp_path: Path) -> Path:
    path = tmp_path / "stack.toml"
    path.write_text(STACK)
    return path


def run(*words: Any) -> Any:
    return CliRunner().invoke(main, [str(word) for word in words])


Figure = Callable[[Mapping[str, float]], float | None]


def sampled(
    path: Path, figure: Figure, limits: Sequence[str] = (), given: Mapping[str, Any] | None = None, **how: Any
) -> TolerancesResult:
    """Samples of formulas in place of solves; None has no answer."""
    nominal: dict[str, float] = {"slot": 12.4, "a": 4, "b": 8}

    def solve(tasks: Sequence[str], _progress: Any) -> dict[str, Any]:
        rows: dict[str, Any] = {}
        for task in tasks:
            found = figure({**nominal, **json.loads(task)["changes"]})
            row = {"status": "done", "message": "no", "failed": found is None, "seconds": 0.0, "unknown": {}}
            rows[task] = row | ({} if found is None else {"figures": {"play": {"play": found}}})
        return rows

    return run_lot(read_lot(path, given or {}, ["play"], limits, **how), solve)


def play(at: Mapping[str, float]) -> float:
    return at["slot"] - at["a"] - at["b"]


def spread(drawn: float = 10.0, mm: float = 1.0, folder: Path | None = None, **keys: Any) -> Any:
    return spread_of("width", Tolerance(**keys), drawn, mm, folder)


@pytest.mark.parametrize(
    ("keys", "distribution"),
    [
        ({"normal": 0.15, "sigmas": 3, "shift": 0.1}, lambda x: ndtr((x - 10.1) / 0.05)),
        ({"uniform": 0.2}, lambda x: np.clip((x - 9.8) / 0.4, 0, 1)),
        ({"normal": 0.1, "within": 0.12}, truncnorm(-1.2, 1.2, 10, 0.1).cdf),
        ({"normal": 0.1, "within": 0.12, "shift": 0.06}, truncnorm(-1.8, 0.6, 10.06, 0.1).cdf),
    ],
)
def test_samples_are_spread_as_the_tolerance_says(keys: dict[str, Any], distribution: Any):
    values = draw([spread(**keys)], 4000, seed=3)[:, 0]
    assert kstest(values, distribution).pvalue > 0.01


def test_measured_values_are_drawn_as_often_as_they_were_found_and_moved_to_another_nominal():
    values = draw([spread(12.0, measured=[10.1, 9.9, 9.9, 9.9], nominal=10)], 4000, seed=1)[:, 0]
    assert set(values) == {12.1, 11.9}
    assert (values == 12.1).mean() == pytest.approx(0.25, abs=0.03)
    assert set(draw([spread(12.0, measured=[10.1, 9.9])], 50, seed=1)[:, 0]) == {10.1, 9.9}


def test_measured_values_are_read_from_a_table_in_the_models_folder(tmp_path: Path):
    (tmp_path / "gauge.csv").write_text("part,width\n1,9.98\n2,10.03\n")
    assert spread(folder=tmp_path, file="gauge.csv", column="width").measured == (9.98, 10.03)
    with pytest.raises(InputError, match="Did you mean 'width'"):
        spread(folder=tmp_path, file="gauge.csv", column="wdth")
    (tmp_path / "bad.csv").write_text("width\n9.98\nbroad\n")
    with pytest.raises(InputError, match=r"bad\.csv line 3: 'broad' is no measured value"):
        spread(folder=tmp_path, file="bad.csv")
    (tmp_path / "empty.csv").write_text("width\n")
    with pytest.raises(InputError, match="no rows"):
        spread(folder=tmp_path, file="empty.csv")


@pytest.mark.parametrize(
    "file", ["../gauge.csv", "/etc/gauge.csv", "C:\\gauge.csv", "a/../../g.csv", "g.txt"]
)
def test_tables_outside_the_models_folder_are_refused(file: str):
    with pytest.raises(InputError, match=r"no \.csv in the model's folder"):
        Tolerance(file=file)


def test_a_link_that_leads_out_of_the_folder_is_refused(tmp_path: Path):
    (tmp_path / "model").mkdir()
    (tmp_path / "gauge.csv").write_text("width\n9.98\n")
    (tmp_path / "model" / "gauge.csv").symlink_to(tmp_path / "gauge.csv")
    with pytest.raises(InputError, match="outside the model's folder"):
        spread(folder=tmp_path / "model", file="gauge.csv")


def test_every_process_of_the_schema_has_a_spread_in_the_files_unit():
    assert set(get_args(Process)) == set(PROCESSES)
    assert spread(process="laser").sigma == pytest.approx(0.127 / 3)
    assert spread(1.0, 0.1, process="laser").sigma == pytest.approx(0.0127 / 3)  # cm
    assert spread(200.0, process="fdm").sigma == pytest.approx(1 / 3)  # half a percent is more than 0.3 mm
    hole = spread(5.0, process="fdm-hole")
    assert (hole.low, hole.high) == (pytest.approx(4.7), pytest.approx(4.9))


def test_a_sample_depends_neither_on_how_many_there_are_nor_on_what_else_varies():
    one = spread(normal=0.1)
    other = spread_of("height", Tolerance(uniform=1), 3.0, 1.0, None)
    few, many = draw([one], 5, seed=7), draw([other, one], 50, seed=7)
    assert few[:, 0].tolist() == many[:5, 1].tolist()
    assert few[:, 0].tolist() != draw([one], 5, seed=8)[:, 0].tolist()


@pytest.mark.parametrize(("count", "total"), [(0, 20), (20, 20), (7, 20), (950, 1000)])
def test_the_interval_of_a_yield_is_that_of_clopper_and_pearson(count: int, total: int):
    known = binomtest(count, total).proportion_ci(0.95, "exact")
    assert share_interval(count, total) == (pytest.approx(known.low), pytest.approx(known.high))


def test_contributions_of_a_sum_are_its_variances_and_of_squares_theirs():
    x = np.random.default_rng(1).normal(size=(4000, 3)) * [0.1, 0.2, 0.3]
    found = contributions(x, x.sum(axis=1))
    assert found.shares == pytest.approx(np.array([1, 4, 9]) / 14, abs=0.02)
    assert found.unexplained < 1e-9
    squares = contributions(x, (x**2).sum(axis=1))  # var x² = 2σ⁴
    assert squares.shares == pytest.approx(np.array([1, 16, 81]) / 98, abs=0.03)
    assert squares.unexplained < 1e-9


def test_what_inputs_do_only_together_is_unexplained():
    x = np.random.default_rng(2).normal(size=(4000, 2))
    found = contributions(x, x[:, 0] * x[:, 1])
    assert found.shares == pytest.approx([0, 0], abs=0.01)
    assert found.unexplained > 0.98


def test_noise_contributes_nothing_and_what_does_not_vary_has_no_contributions():
    rng = np.random.default_rng(3)
    x = np.column_stack([rng.normal(size=300), np.ones(300), rng.normal(size=300)])
    found = contributions(x, x[:, 0] + 1e-12 * x[:, 2])
    assert found.shares == pytest.approx([1, 0, 0], abs=1e-6)
    assert contributions(x, np.full(300, 0.1)) is None


def test_a_linear_stack_has_the_mean_the_sigma_the_yield_and_the_shares_of_its_formula(stack: Path):
    found = sampled(stack, play, ["play <= 0.5", "play >= 0.25"], samples=5000)
    one = found.figures["play"]
    assert one.nominal == pytest.approx(0.4)
    assert one.mean == pytest.approx(0.4, abs=4 * SIGMA / math.sqrt(5000))
    assert one.sigma == pytest.approx(SIGMA, rel=0.04)
    low, high = found.interval
    # Of a normal and a uniform, not quite normal itself: integrate over the uniform.
    b = np.linspace(-0.06, 0.06, 2001)
    rest = math.hypot(0.05, 0.03)
    known = float(np.mean(ndtr((0.1 + b) / rest) - ndtr((-0.15 + b) / rest)))
    assert low < known < high
    assert high - low < 0.03
    shares = np.array([0.05**2, 0.03**2, 0.06**2 / 3]) / SIGMA**2
    assert one.contributions.shares == pytest.approx(shares, abs=0.03)
    assert one.contributions.unexplained < 1e-9
    assert one.percentiles[2] == pytest.approx(0.4, abs=0.005)
    assert found.status is ToleranceStatus.SOME_FAIL


def test_a_dimension_with_a_tolerance_of_its_own_keeps_to_its_own_nominal(stack: Path):
    stack.write_text(STACK.replace("slot = 12.4", 'slot = "a + b + 0.4"'))
    found = sampled(stack, play, samples=3000)
    assert found.figures["play"].sigma == pytest.approx(SIGMA, rel=0.05)


def test_samples_without_an_answer_keep_no_limit_and_are_counted(stack: Path):
    found = sampled(stack, lambda at: None if at["a"] > 4 else play(at), ["play >= 0"], samples=400)
    assert found.samples.failed == pytest.approx(200, abs=40)
    assert found.passing == 1 - found.samples.failed / 400
    assert "no answer" in found.summary().split("\n")[0]
    none = sampled(stack, lambda at: None, ["play >= 0"], samples=5)
    assert (none.status, none.passing) == (ToleranceStatus.UNSOLVED, 0.0)


def test_the_worst_samples_are_those_farthest_beyond_a_limit_and_are_written_as_models(
    stack: Path, tmp_path: Path
):
    found = sampled(stack, play, ["play >= 0.3"], samples=200)
    worst = found.worst(3)
    values = found.values("play")
    assert [values[place] for place in worst] == sorted(values)[:3]
    paths = found.save_worst(3, tmp_path / "worst")
    model: Any = pliant.load(paths[0])
    assert play(model.parameters) == pytest.approx(min(values))
    assert pliant.load(paths[0], parameters={"a": 3}) != model  # its expressions are still there
    apart = sampled(stack, play, samples=200)
    assert values[apart.worst(1)[0]] == max(values, key=lambda value: abs(value - 0.4))


def test_a_histogram_has_every_sample_and_a_line_at_each_limit(stack: Path):
    found = sampled(stack, play, ["0.3 <= play <= 0.5"], samples=300)
    bars, *lines = found.plot().series
    assert bars.y.sum() == 300
    assert sorted(line.x[0] for line in lines) == [0.3, 0.5]
    assert found.plot("contributions").ticks == ("slot", "a", "b")
    with pytest.raises(InputError, match="Did you mean 'play'"):
        found.plot("pla")


def test_tolerances_of_the_command_line_go_before_the_files(stack: Path):
    given = {"b": {"uniform": "0.5 mm"}, "clearance": {"normal": 0.01, "shift": 0.1}}
    lot = read_lot(stack, given, [], [])
    spreads = {spread.name: spread for spread in lot.spreads}
    assert spreads["b"].high == 8.5
    assert (spreads["clearance"].nominal, spreads["clearance"].middle) == (0, 0.1)
    assert spreads["slot"].sigma == 0.05


@pytest.mark.slow
def test_samples_are_solved_as_their_models_would_be(stack: Path, tmp_path: Path):
    table, picture, folder = tmp_path / "samples.csv", tmp_path / "h.png", tmp_path / "worst"
    words = ["--draws", 6, "--limit", "objective >= 0.3", "-o", table, "-o", picture, "--jobs", 1]
    found = run("tolerances", stack, *words, "--save-worst", 1, folder, "--json", tmp_path / "all.json")
    assert found.exit_code == 0, found.output
    data = json.loads((tmp_path / "all.json").read_text())
    for row in data["rows"]:
        assert row["figures"]["objective"] == pytest.approx(play(row["changes"]), abs=1e-6)
    assert data["samples"] == 6
    assert data["figures"]["objective"]["nominal"] == pytest.approx(0.4, abs=1e-6)
    worst = min(row["figures"]["objective"] for row in data["rows"])
    assert pliant.solve(pliant.load(folder / "worst-1.toml")).to_dict()["objective"] == worst
    assert picture.stat().st_size > 1000
    assert not list(tmp_path.glob("*.jsonl"))


@pytest.mark.slow
def test_samples_are_the_same_to_the_bit_in_one_process_two_and_on_a_cluster(stack: Path):
    pytest.importorskip("distributed")
    one, two, cluster = (
        pliant.tolerances(stack, ["objective"], samples=12, **how).table()
        for how in ({"jobs": 1}, {"jobs": 2}, {"jobs": 2, "cluster": "local"})
    )
    assert one == two == cluster


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--vary", "gp=normal:1"], "is no parameter and no key of this file"),
        (["--vary", "a=normal:-1"], "tolerances.a.normal: must be at least 0"),
        (["--vary", "a=normal"], "a=normal is no spread. Write normal:0.05"),
        (["--vary", "a=normal:1,uniform:2"], "has normal and uniform"),
        (["--vary", "a=uniform:1,sigmas:3"], "has sigmas beside uniform"),
        (["--vary", "a=normal:1,within:1,shift:2"], "is shifted by 2, and sorted within ±1"),
        (["--vary", "bodies[0].name=normal:1"], "holds no number"),
        (["--vary", "a=file:../g.csv"], "no .csv in the model's folder"),
        (["--vary", "a=file:g.csv"], "g.csv"),
        (["--limit", "objective"], "is no limit"),
        (["--draws", "0"], "--draws"),
    ],
)
def test_bad_words_of_tolerances_are_refused_with_a_cure(stack: Path, words: list[str], said: str):
    found = run("tolerances", stack, *words)
    assert found.exit_code == 2
    assert said in found.output


def test_a_model_without_tolerances_is_told_how_to_write_them(stack: Path):
    bare = STACK[: STACK.index("[tolerances]")] + STACK[STACK.index("[[bodies]]") :]
    stack.write_text(bare)
    found = run("tolerances", stack)
    assert (found.exit_code, "Write [tolerances]" in found.output) == (2, True)


@pytest.mark.few(1)
@pytest.mark.parametrize("flag", ["--report", "--limit"])
def test_a_figure_that_is_none_is_refused_after_one_solve(stack: Path, flag: str):
    name = "objectve" if flag == "--report" else "objectve >= 1"
    found = run("tolerances", stack, flag, name, "--jobs", 1)
    assert (found.exit_code, f"{flag}: 'objectve' is no figure" in found.output) == (2, True)
    assert not list(stack.parent.glob("*.jsonl"))


def test_tolerances_are_read_and_written_with_the_model(stack: Path, tmp_path: Path):
    model: Any = pliant.load(stack)
    assert model.tolerances["a"] == Tolerance(normal=0.09, sigmas=3)
    pliant.save(model, tmp_path / "again.toml")
    assert pliant.load(tmp_path / "again.toml") == model


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("name", "given", "figure"),
    [
        ("sized-snap", {"thickness": "fdm-calibrated"}, "peak_force"),
        ("slider-crank", {"joints.B[1]": "uniform:0.5"}, "curves.S.length"),
        ("incline", {"springs[0].stiffness": "normal:0.05"}, "nodes.block[0]"),
        ("laser-fit", {"tenon": "measured:20.2;20.3"}, "objective"),
    ],
)
def test_every_kind_of_model_has_tolerances(name: str, given: dict[str, str], figure: str):
    spreads = {key: read_tolerance(key, text) for key, text in given.items()}
    lot = read_lot(pliant.gallery.path(name), spreads, [figure], [], samples=3)
    found = run_lot(lot, lambda tasks, _: {task: solve_for_figures(task, silent) for task in tasks})
    assert found.samples.failed == 0
    assert found.figures[figure].count == 3
    assert found.figures[figure].sigma > 0


def test_ctrl_c_keeps_the_samples_that_are_done(stack: Path):
    asked = 0

    def until_told(tasks: Sequence[str], _progress: Any) -> dict[str, Any]:
        nonlocal asked
        rows: dict[str, Any] = {}
        for task in tasks[: 40 - asked]:
            asked += 1
            own = {"figures": {"play": {"play": 1.0}}, "unknown": {}, "seconds": 0.0}
            rows[task] = {"status": "done", "message": "", "failed": False, **own}
        return rows

    found = run_lot(read_lot(stack, {}, ["play"], ["play >= 0"], samples=100), until_told)
    assert (len(found.samples.rows), found.samples.left) == (39, 61)
    assert "61 left, --resume goes on" in found.summary()
