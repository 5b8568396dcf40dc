"""`pliant check` refuses what a solve refuses, and nothing else."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import pliant
from pliant import gallery
from pliant.cli import main
from pliant.files.kinds import fetch, kind_named
from pliant.files.writer import plain

EDIT = {"move": [{"joint": "P5", "to": [0, 0]}]}
CASES: dict[str, tuple[str, dict[str, Any], str]] = {
    "starts without a region": ("two-hooks", {"uncertain": True}, "study.uncertain: has no region of starts"),
    "a search without a goal": ("two-hooks", {"search": True}, "study.search: has no goal"),
    "nothing to maximise": ("drawer", {"maximize": []}, "study.maximize: names nothing to maximise"),
    "an edit of a span that holds no sample": (
        "jansen",
        {"edit": {"curves": [{"point": "P5", "flatten": [0, "1 deg"]}], "samples": 24}},
        "study.edit.curves[0].flatten: holds",
    ),
}


def model_with(name: str, study: dict[str, Any]) -> Any:
    data = plain(gallery.load(name))
    return pliant.load({**data, "study": {**data.get("study", {}), **study}})


@pytest.mark.parametrize("case", CASES)
def test_check_refuses_what_solve_refuses_in_the_same_words(case: str, tmp_path: Path):
    name, study, said = CASES[case]
    model = model_with(name, study)
    with pytest.raises(pliant.InputError) as checked:
        fetch(kind_named(model.kind).check)(model)
    assert str(checked.value).startswith(said)
    with pytest.raises(pliant.InputError) as solved:
        pliant.edit(model) if "edit" in study else pliant.solve(model)
    assert [fault.problem for fault in solved.value.faults] == [
        fault.problem for fault in checked.value.faults
    ]
    pliant.save(model, tmp_path / "model.toml")
    result = CliRunner().invoke(main, ["check", str(tmp_path / "model.toml")])
    assert (result.exit_code, f"model.toml: {said}" in result.stderr) == (2, True)


def test_a_tolerance_of_what_the_linkage_has_not_is_refused_before_it_runs():
    model = gallery.load("jansen")
    link = model.links[0].joints
    for ask in (fetch(kind_named("linkage").check), pliant.solve):
        with pytest.raises(pliant.InputError, match=r"study\.tolerances\..*: is not measured here"):
            ask(model.with_(study={"tolerances": {f"{link[0]}.offset": 0.1}}))


OPEN = {  # what a table may leave to the command line: a model, its study, and what is said of it
    "no edit": ("jansen", {"edit": {}}, "pliant edit {} --edits FILE, or --move JOINT=X,Y"),
    "no target": (
        "jansen",
        {"edit": {"keep": {"joints": ["P5"]}}},
        "pliant edit {} --edits FILE, or --move JOINT=X,Y",
    ),
    "no limit": ("drawer", {"loosen": {"accuracy": 0.01}}, "pliant loosen {} --limit LENGTH|ANGLE"),
}


@pytest.mark.parametrize("case", OPEN)
def test_check_takes_what_is_left_to_the_command_line_and_says_what_has_to_be_given(
    case: str, tmp_path: Path
):
    name, study, hint = OPEN[case]
    pliant.save(model_with(name, study), path := tmp_path / "model.toml")
    checked = CliRunner().invoke(main, ["check", str(path)])
    assert checked.exit_code == 0
    assert (
        f"leaves open {'how far it may flex' if 'loosen' in study else 'what shall change'}" in checked.stdout
    )
    assert checked.stdout.rstrip().endswith(hint.format(path))
    assert CliRunner().invoke(main, ["solve", str(path)]).exit_code == 0
    (command,) = study
    assert CliRunner().invoke(main, [command, str(path)]).exit_code == 2  # as it stands


def test_what_the_hint_names_is_taken(tmp_path: Path):
    pliant.save(model_with("hoeken", {"edit": {"samples": 24}}), path := tmp_path / "model.toml")
    (tmp_path / "edits.toml").write_text(
        'pliant = 1\nkind = "edits"\nmove = [{ joint = "P", to = [2.1, 4] }]\n'
    )
    for given in (["--move", "P=2.1,4"], ["--edits", str(tmp_path / "edits.toml")]):
        assert CliRunner().invoke(main, ["edit", str(path), *given]).exit_code == 0
    pliant.save(model_with("square-peg", {"loosen": {"accuracy": 0.2}}), path)
    assert CliRunner().invoke(main, ["loosen", str(path), "--limit", "0.05"]).exit_code == 0


def test_a_proof_is_asked_for_by_the_command_that_there_is(tmp_path: Path):
    pliant.save(model_with("square-peg", {"prove": {"nodes": 5}}), path := tmp_path / "model.toml")
    checked = CliRunner().invoke(main, ["check", str(path)])
    assert f"Its [study.prove] is for: pliant flex {path} --prove" in checked.stdout


def test_a_keep_that_cannot_be_kept_is_refused_by_check_though_the_edit_asks_for_nothing():
    pair = {"joints": ["P3", "P5"], "symmetry": [{"pairs": [["P3", "P5"]]}]}
    with pytest.raises(pliant.InputError, match=r"study\.edit\.keep: .* cannot be kept"):
        fetch(kind_named("linkage").check)(model_with("jansen", {"edit": {"keep": pair}}))


def test_check_takes_an_edit_that_can_be_made():
    fetch(kind_named("linkage").check)(gallery.load("jansen-stretched"))
