"""Sweeps: values of ranges, figures by name, tables and pictures of what came."""

import csv
import math
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import pliant
from pliant.cli import main
from pliant.core.errors import InputError
from pliant.files.kinds import KINDS, fetch
from pliant.files.writer import plain
from pliant.sweeps.cases import Case, grid_cases, range_values, table_cases
from pliant.sweeps.quantities import chosen, quantities
from pliant.sweeps.solve_case import solve_case
from pliant.sweeps.table import SweepRow, SweepTable

BLOCK = "[[2, 2], [12, 2], [12, 7], [2, 7]]"
TRAY = f"""
pliant = 1
kind = "assembly"
clearance = "gap"
[parameters]
gap = 0.2
[[bodies]]
name = "tray"
outline = [[0, 0], [14, 0], [14, 9], [0, 9]]
holes = [{BLOCK}]
fixed = true
[[bodies]]
name = "block"
outline = {BLOCK}
[study]
maximize = [{{ body = "block", direction = [1, 0] }}]
"""


@pytest.fixture
def tray(tmp_path: Path) -> Path:
    path = tmp_path / "tray.toml"
    path.write_text(TRAY)
    return path


def run(*words: Any) -> Any:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ("1, 2,3", [1, 2, 3]),
        ("0.1:0.5:0.1", [0.1, 0.2, 0.3, 0.4, 0.5]),
        ("1:0:-1/4", [1, 0.75, 0.5, 0.25, 0]),
        ("1/8 in:3/8 in:1/8 in", [3.175, 6.35, 9.525]),
        ("auto,sync", ["auto", "sync"]),
        ("30 deg", [math.pi / 6]),
        ([1, "2*a"], [1, "2*a"]),
    ],
)
def test_ranges_have_both_ends_and_are_exact(given: Any, values: list[Any]):
    assert range_values("a", given, "mm") == values


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("1:2", "is no range"),
        ("1:2:0", "never gets"),
        ("1:2:-1", "never gets"),
        ("1:2:1e-9", "makes"),
        ("1:b:1", "'b'"),
    ],
)
def test_ranges_that_are_none_are_refused(given: str, said: str):
    with pytest.raises(InputError, match=said):
        range_values("a", given, "mm")


DATA: dict[str, Any] = {
    "kind": "fastener",
    "seconds": {"move": 1.0},
    "peak_force": 3.5,
    "strain": {"hook": {"peak": 0.02, "limit": 0.04}},
    "poses": {"lid": [1, 2, 0.5]},
    "force": {"insertion": [0.0, 7.5, None, 1.0]},
    "unbounded": float("inf"),
    "back": None,
}


def test_figures_are_scalars_by_their_path():
    assert quantities(DATA) == {
        "peak_force": 3.5,
        "strain.hook.peak": 0.02,
        "strain.hook.limit": 0.04,
        "poses.lid[0]": 1,
        "poses.lid[1]": 2,
        "poses.lid[2]": 0.5,
    }


def test_figures_are_asked_for_by_path_by_table_and_by_extreme():
    assert chosen(["peak_force", "strain"], DATA).keys() == {
        "peak_force",
        "strain.hook.peak",
        "strain.hook.limit",
    }
    assert chosen(["max(force.insertion)"], DATA) == {"max(force.insertion)": 7.5}
    assert chosen(["back"], DATA) == {}
    with pytest.raises(InputError, match="Did you mean 'peak_force'"):
        chosen(["peak_forc"], DATA)


def test_a_case_is_solved_as_its_file_would_be(tray: Path):
    (case,) = grid_cases(tray, {"gap": [0.3]}, 10**6)
    row = solve_case(case.to_task(None), lambda *_: None)
    assert row is not None
    model = pliant.load(tray, parameters={"gap": 0.3})
    assert row["data"]["objective"] == pliant.solve(model).to_dict()["objective"]
    assert row["status"] == "converged"


ASKED: dict[str, tuple[str, dict[str, Any]]] = {  # by kind: a small model, and a study for every command
    "assembly": ("square-peg", {"loosen": {"limit": 0.05, "accuracy": 0.1}, "prove": {"nodes": 20}}),
    "linkage": ("hoeken", {"edit": {"move": [{"joint": "P", "to": [2.1, 4]}], "samples": 24}}),
    "mechanism": ("singular", {}),
    "fastener": ("two-hooks", {}),
}


@pytest.mark.few(4)
@pytest.mark.parametrize(
    ("kind", "command"), [(kind, command) for kind in KINDS for command in KINDS[kind].commands]
)
def test_every_command_that_a_kind_can_be_asked_works_in_a_sweep(kind: str, command: str, tmp_path: Path):
    name, study = ASKED[kind]
    data = plain(pliant.gallery.load(name))
    model = pliant.load({**data, "study": {**data.get("study", {}), **study}})
    pliant.save(model, path := tmp_path / "model.toml")
    (case,) = grid_cases(path, {}, 10**6)
    row = solve_case(case.to_task(command), lambda *_: None)
    assert row is not None
    assert row["data"]["command"] == command
    assert row["status"].upper() in fetch(KINDS[kind].statuses[command]).__members__
    ask = pliant.solve if command == KINDS[kind].command else getattr(pliant, command)
    assert (row["status"], row["failed"]) == (ask(model).status.name.lower(), row["failed"])


@pytest.mark.parametrize(
    ("changes", "status"),
    [({"gap": 99}, "bad_input"), ({"gpa": 1}, "bad_input"), ({"gap": "1/0"}, "bad_input")],
)
def test_what_fails_is_a_row_with_its_status(tray: Path, changes: dict[str, Any], status: str):
    row = solve_case(Case("x", TRAY, ".toml", changes).to_task(None), lambda *_: None)
    assert row is not None
    assert (row["status"], row["failed"]) == (status, True)
    assert row["message"]


def test_a_case_of_a_model_with_a_drawing_needs_no_drawing_where_it_is_solved(tmp_path: Path):
    outline = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 5" width="10mm" height="5mm">'
    (tmp_path / "block.svg").write_text(f'{outline}<rect id="block" width="10" height="5"/></svg>')
    text = TRAY.replace(BLOCK, "[[0, 0], [10, 0], [10, 5], [0, 5]]")
    text = text.replace("outline = [[0, 0], [10", 'outline = { file = "block.svg" } # [[0, 0], [10')
    (tmp_path / "tray.toml").write_text(
        text.replace("[[0, 0], [14, 0], [14, 9]", "[[-2, -2], [12, -2], [12, 9]")
    )
    (case,) = grid_cases(tmp_path / "tray.toml", {"gap": [0.3]}, 10**6)
    (tmp_path / "block.svg").unlink()
    row = solve_case(case.to_task(None), lambda *_: None)
    assert row is not None
    assert row["data"]["objective"] == pytest.approx(0.3, abs=1e-6)


def test_a_table_of_parameters_gives_a_case_a_row(tray: Path, tmp_path: Path):
    table = tmp_path / "sets.csv"
    table.write_text("gap, study.steps\n0.1, 5\n1/8 in, 6\n")
    assert [dict(case.changes) for case in table_cases(tray, table, 10**6)] == [
        {"gap": 0.1, "study.steps": 5},
        {"gap": 3.175, "study.steps": 6},
    ]
    table.write_text("gap\n0.1,2\n")
    with pytest.raises(InputError, match="line 2: has 2 values for 1 columns"):
        table_cases(tray, table, 10**6)


def row(a: float, b: float, z: float | None) -> SweepRow:
    figures = {} if z is None else {"z": z}
    return SweepRow(
        f"a={a} b={b}", {"a": a, "b": b}, "x" if z is not None else "failed", "=said", z is None, figures, 0
    )


def test_one_parameter_is_a_curve_and_two_a_map():
    curve = SweepTable(("a", "b"), (row(2, 1, 4), row(1, 1, 1), row(3, 1, None))).plot()
    assert (curve.x_label, curve.series[0].x.tolist(), curve.series[0].y.tolist()) == ("a", [1, 2], [1, 4])
    assert curve.note == "1 of 3 without an answer"
    drawn = SweepTable(("a", "b"), (row(1, 1, 1), row(1, 2, 2), row(2, 1, 3))).plot("z")
    assert drawn.series[0].style == "map"
    assert drawn.series[0].z is not None
    assert pliant.view.chart(drawn).axes
    assert pliant.Plot.from_dict(drawn.to_dict()).series[0].z.tolist() == [1, 2, 3]


def test_tables_keep_every_digit_and_no_formula(tmp_path: Path):
    SweepTable(("a", "b"), (row(0.1, 1, 1 / 3), row(1, 1, None))).save(tmp_path / "t.csv")
    first, second = list(csv.DictReader((tmp_path / "t.csv").open()))
    assert (float(first["z"]), second["z"], first["message"]) == (1 / 3, "", "'=said")


@pytest.mark.slow
def test_a_sweep_writes_the_same_table_in_one_process_two_and_on_a_cluster(tray: Path, tmp_path: Path):
    pytest.importorskip("distributed")
    words = "sweep", tray, "gap=0.1:0.6:0.1", "--report", "objective,poses.block", "-q"
    tables = [tmp_path / f"{name}.csv" for name in ("one", "two", "cluster")]
    for path, how in zip(
        tables, (["--jobs", 1], ["--jobs", 2], ["--cluster", "local", "--jobs", 2]), strict=True
    ):
        assert run(*words, "-o", path, *how).exit_code == 0
    assert tables[0].read_bytes() == tables[1].read_bytes() == tables[2].read_bytes()
    assert [float(line["objective"]) for line in csv.DictReader(tables[0].open())] == pytest.approx(
        [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    )


def test_a_sweep_ends_in_a_table_a_picture_and_what_failed(tray: Path, tmp_path: Path):
    table, picture = tmp_path / "t.csv", tmp_path / "t.png"
    done = run("sweep", tray, "gap=0.1,0.3,99", "--report", "objective", "-o", table, "-o", picture)
    assert done.exit_code == 3
    assert "Solved 3 cases, 1 without an answer" in done.stdout
    assert [line["status"] for line in csv.DictReader(table.open())] == [
        "converged",
        "converged",
        "bad_input",
    ]
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert not list(tmp_path.glob("*.jsonl"))


def test_a_batch_solves_a_folder(tray: Path, tmp_path: Path):
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "a.toml").write_text(TRAY)
    (folder / "b.toml").write_text("pliant = 1")
    (folder / "notes.txt").write_text("no model")
    done = run("batch", folder, "--report", "objective", "-o", tmp_path / "t.csv")
    assert done.exit_code == 3
    rows = list(csv.DictReader((tmp_path / "t.csv").open()))
    assert [(line["case"], line["status"]) for line in rows] == [
        ("a.toml", "converged"),
        ("b.toml", "bad_input"),
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["gap"], "gives no values"),
        (["gap=1:2"], "is no range"),
        pytest.param(
            ["gap=0.1", "--cluster", "tcp://127.0.0.1:9"],
            "does not answer as a Dask scheduler",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_bad_words_of_a_sweep_are_refused_with_a_cure(tray: Path, words: list[str], said: str):
    if "--cluster" in words:
        pytest.importorskip("distributed")
    done = run("sweep", tray, *words)
    assert done.exit_code == 2
    assert said in done.output
