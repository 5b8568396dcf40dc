"""A method is added as CONTRIBUTING says: a package with the usual face, and its kind registered."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import pliant
from pliant.cli import main
from pliant.files import kinds

GROOVE = """pliant = 1
kind = "groove"
length = 9

[balls]
red = 2
blue = 4

[study]
ball = "red"
"""


@pytest.fixture(autouse=True)
def groove() -> Iterator[None]:
    kinds.register("groove", kinds.kind_of("tests.toy", "Groove", "Grooves", "How far?", roll="RollStatus"))
    yield
    del kinds.KINDS["groove"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "groove.toml"
    path.write_text(GROOVE)
    return path


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_a_file_of_the_new_kind_is_loaded_changed_solved_and_saved(path: Path):
    model = pliant.load(path)
    assert (model.kind, model.balls) == ("groove", {"red": 2, "blue": 4})
    result = pliant.solve(model, frames=3)
    assert (result.status.name, result.x.tolist()) == ("ROLLED", [2, 5.5, 9])
    assert pliant.solve(model.with_(length=1)).status.name == "OUTSIDE"
    pliant.save(result, path.with_suffix(".json"))
    assert pliant.load(path.with_suffix(".json")) == result
    pliant.save(model, path)
    assert pliant.load(path) == model


def test_the_commands_take_it(path: Path):
    assert run("check", path).stdout == (
        f"{path} is a sound groove.\n  balls  2\nSolve it with: pliant roll {path}\n"
    )
    solved = run("solve", path)
    assert (solved.exit_code, solved.stdout) == (0, "Rolls by 7 mm.\n  frames  5\n")
    data = json.loads(run("solve", path, "--json", "-").stdout)
    assert (data["kind"], data["command"], data["status"], data["x"][-1]) == ("groove", "roll", "rolled", 9)
    outputs = [path.with_suffix(suffix) for suffix in (".png", ".html", ".csv", ".json")]
    assert run("solve", path, *(word for out in outputs for word in ("-o", out))).exit_code == 0
    assert all(out.exists() for out in outputs)
    for source in (path, path.with_suffix(".json")):
        assert run("draw", source, "-o", path.with_suffix(".svg")).exit_code == 0
    begun = path.with_name("begun.toml")
    assert run("new", "groove", "-o", begun).exit_code == run("solve", begun).exit_code == 0
    assert json.loads(run("check", "--schema", "groove").stdout)["properties"]["length"]["description"]


def test_its_faults_are_said_drawn_and_the_same_for_check_and_solve(path: Path):
    path.write_text(GROOVE.replace('"red"', '"rde"'))
    picture = path.with_suffix(".png")
    refused = run("check", path, "--draw", picture)
    assert "study.ball: 'rde' is not a ball of this model. Did you mean 'red'?" in refused.stderr
    assert picture.exists()
    path.write_text(GROOVE.replace('ball = "red"', ""))
    said = f'{path}: study.ball: names no ball to roll. Add ball = "…" to [study]\n'
    assert run("check", path).stderr == run("solve", path).stderr == said


def test_a_report_lays_it_out_under_its_own_heading(path: Path, monkeypatch: pytest.MonkeyPatch):
    from pliant.cli.demo import solve_example
    from pliant.cli.demo_report import write_report
    from pliant.core.progress import silent

    monkeypatch.setattr(pliant.gallery, "load", lambda name: pliant.load(path))
    monkeypatch.setattr(pliant.gallery, "path", lambda name: path)
    monkeypatch.setattr(pliant.gallery, "describe", lambda name: "Two balls")
    entry = solve_example("balls", silent, path.parent)
    assert entry is not None
    assert (entry.kind, entry.parts, entry.status) == ("groove", 2, "rolled")
    write_report(path.with_suffix(".html"), [entry], 1.0)
    assert "<h2>Grooves</h2>" in path.with_suffix(".html").read_text(encoding="utf-8")
