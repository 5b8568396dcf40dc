"""`pliant new` and `pliant solve`: a first file of a kind, and any kind solved."""

import csv
from pathlib import Path

import click
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
    assert run("solve", path, "--frames", "40", "--quiet", "--json", tmp_path / "a.json").exit_code == 0
    refused = run("solve", path, "--steps", "4")
    assert refused.exit_code == 2
    assert "No such option" in refused.stderr
    assert "--steps" in refused.stderr


def test_solve_says_what_is_wrong_with_a_file(tmp_path: Path):
    path = tmp_path / "mine.toml"
    path.write_text('pliant = 1\nkind = "linkage"\n')
    assert run("solve", path).exit_code == 2


def test_examples_are_listed_by_kind_with_the_command_that_solves_them():
    lines = run("examples", "--kind", "fastener").stdout.splitlines()
    names = [name for name in gallery.names() if gallery.kind(name) == "fastener"]
    assert [line.split()[:3] for line in lines] == [[name, "fastener", "snap"] for name in names]
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


# One name for one meaning, whatever the command


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("kind", "old", "new", "value"),
    [
        ("assembly", "--steps", "--iterations", "7"),
        ("linkage", "--samples", "--frames", "24"),
        ("linkage", "--tolerance", "--deviation", "0.1"),
    ],
)
def test_a_former_spelling_still_works_with_a_note_on_stderr(
    kind: str, old: str, new: str, value: str, tmp_path: Path
):
    path = tmp_path / "mine.toml"
    run("new", kind, "-o", path)
    then, now = run("solve", path, old, value), run("solve", path, new, value)
    assert (then.exit_code, then.stdout) == (now.exit_code, now.stdout)
    assert f"{old} is called {new} now." in then.stderr
    assert "now." not in now.stderr
    assert "is called" not in run("solve", path, old, value, "--quiet").stderr
    text = run(KINDS[kind].command, "--help").stdout
    assert new in text
    assert old not in text


def test_the_same_option_means_the_same_in_every_command():
    helps: dict[str, set[str]] = {}
    values: dict[str, set[object]] = {}
    for command in main.commands.values():
        for option in command.params:
            if not getattr(option, "hidden", False) and isinstance(option, click.Option):
                helps.setdefault(option.opts[0], set()).add(option.help or "")
                values.setdefault(option.opts[-1], set()).add((option.metavar, option.is_flag))
    differing = {name for name, forms in values.items() if len(forms) > 1}
    # BODY or JOINT=X,Y; FILE or FOLDER; of the flex its LENGTH, of figures a condition on one
    assert differing == {"--move", "--output", "--limit"}
    assert len({text.split()[0] for text in helps["--tolerance"]}) == 1
    assert {text.split()[0] for text in helps["--frames"]} == {"Poses"}
    assert {" ".join(text.split()[:4]) for text in helps["--iterations"]} == {"Give up after so"}
    assert not {"--steps", "--samples"} & helps.keys()


# "-" is what is piped in


def piped(text: str, *args: object) -> Result:
    return CliRunner().invoke(main, [str(arg) for arg in args], input=text)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", ["check", "solve", "own", "draw"])
def test_a_model_is_read_from_stdin(kind: str, command: str, tmp_path: Path):
    text, words = run("new", kind).stdout, [KINDS[kind].command if command == "own" else command, "-"]
    result = piped(text, *words, *(["-o", tmp_path / "a.png"] if command == "draw" else []))
    assert result.exit_code == 0, result.stderr
    if command == "check":
        assert result.stdout.startswith(f"stdin is a sound {kind}.")
    if command == "draw":
        assert (tmp_path / "a.png").exists()


def test_results_points_and_edits_are_read_from_stdin_too(tmp_path: Path):
    model, picture = tmp_path / "bar.toml", tmp_path / "a.html"
    run("examples", "hoeken", "-o", model)
    solved = run("trace", model, "--json", "-").stdout
    assert piped(solved, "draw", "-", "-o", picture).exit_code == 0
    assert '"series"' in picture.read_text()  # with the charts of the result
    joint = next(name for name in pliant.load(model).joints if name not in pliant.load(model).ground)
    edits = f'pliant = 1\nkind = "edits"\nkeep = {{ joints = ["{joint}"] }}\n'
    assert "the edit asks for nothing" in piped(edits, "edit", model, "--edits", "-").stderr
    points = "\n".join(f"{x},{x * x}" for x in range(6))
    assert piped(points, "synthesize", "-", "--open", "--candidates", "50").exit_code in (0, 3)


def test_what_is_wrong_with_stdin_is_said_of_it():
    assert piped("", "check", "-").stderr.startswith("stdin: is empty")
    assert piped("pliant = 1\nkind = 3\n", "solve", "-").stderr.startswith("stdin: kind: ")
    assert "stdin: is 0.02 MB" in piped("#" * 20_000, "check", "-", "--max-size", "0.01").stderr
