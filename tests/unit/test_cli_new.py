"""`pliant new` and `pliant solve`: a first file of a kind, and any kind solved."""

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import pliant
from pliant import gallery
from pliant.cli import main
from pliant.files.kinds import KINDS


def run(*args: object) -> Result:
    return CliRunner().invoke(main, [str(arg) for arg in args])


@pytest.mark.parametrize("kind", KINDS)
def test_a_first_file_of_every_kind_is_written_checked_and_solved(kind: str, tmp_path: Path):
    path = tmp_path / "mine.toml"
    assert run("new", kind, "-o", path).exit_code == 0
    assert f"pliant {KINDS[kind].command} mine.toml" in path.read_text()
    checked = run("check", path)
    assert f"Solve it with: pliant {KINDS[kind].command} {path}" in checked.stdout
    solved = run("solve", path)
    assert solved.exit_code == 0, solved.stderr
    assert pliant.solve(path).summary().splitlines()[0] in solved.stdout


def test_a_first_file_is_printed_where_no_file_is_named():
    assert 'kind = "fastener"' in run("new", "fastener").stdout


def test_a_file_that_is_there_is_not_written_over(tmp_path: Path):
    path = tmp_path / "mine.toml"
    path.write_text("mine")
    result = run("new", "linkage", "-o", path)
    assert result.exit_code == 2
    assert "is there already, and would be lost" in result.stderr
    assert path.read_text() == "mine"


def test_an_unknown_kind_gets_the_nearest():
    assert "Did you mean 'linkage'?" in run("new", "linkge").stderr


def test_solve_takes_the_options_of_the_kinds_own_command_and_refuses_others(tmp_path: Path):
    path = tmp_path / "mine.toml"
    run("new", "linkage", "-o", path)
    assert run("solve", path, "--samples", "40", "--quiet", "--json", tmp_path / "a.json").exit_code == 0
    refused = run("solve", path, "--steps", "4")
    assert refused.exit_code == 2
    assert "No such option '--steps'" in refused.stderr


def test_solve_says_what_is_wrong_with_a_file(tmp_path: Path):
    path = tmp_path / "mine.toml"
    path.write_text('pliant = 1\nkind = "linkage"\n')
    assert run("solve", path).exit_code == 2


def test_examples_are_listed_by_kind_with_the_command_that_solves_them():
    lines = run("examples", "--kind", "fastener").stdout.splitlines()
    names = [name for name in gallery.names() if gallery.kind(name) == "fastener"]
    assert [line.split()[:2] for line in lines] == [[name, "snap"] for name in names]
    assert run("examples", "--kind", "hook").exit_code == 2


def test_the_kinds_of_the_gallery_are_those_of_its_models():
    for name in gallery.quick_examples():
        assert gallery.kind(name) == gallery.load(name).kind


@pytest.mark.parametrize(
    ("kind", "head"), [("fastener", "force against the motion (N)"), ("mechanism", "tip y (mm)")]
)
def test_numbers_along_the_motion_are_written_as_a_table(kind: str, head: str, tmp_path: Path):
    run("new", kind, "-o", tmp_path / "mine.toml")
    assert run("solve", tmp_path / "mine.toml", "-o", tmp_path / "mine.csv").exit_code == 0
    with (tmp_path / "mine.csv").open() as file:
        heads, *rows = csv.reader(file)
    table = pliant.solve(tmp_path / "mine.toml").table()
    assert heads == list(table)
    assert [float(row[heads.index(head)]) for row in rows] == pytest.approx(table[head].tolist())
