"""`pliant check` refuses what a solve refuses, and nothing else."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import pliant
from pliant import gallery
from pliant.cli import main
from pliant.files.kinds import fetch, named
from pliant.files.writer import plain

EDIT = {"move": [{"joint": "P5", "to": [0, 0]}]}
CASES: dict[str, tuple[str, dict[str, Any], str]] = {
    "starts without a region": ("two-hooks", {"uncertain": True}, "study.uncertain: has no region of starts"),
    "a search without a goal": ("two-hooks", {"search": True}, "study.search: has no goal"),
    "digits of floats": ("two-hooks", {"digits": 9, "arithmetic": "float"}, "study.digits: are proved"),
    "nothing to maximise": ("drawer", {"maximize": []}, "study.maximize: names nothing to maximise"),
    "an edit that asks for nothing": ("jansen", {"edit": {}}, "study.edit: the edit asks for nothing"),
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
        fetch(named(model.kind).check)(model)
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
    for ask in (fetch(named("linkage").check), pliant.solve):
        with pytest.raises(pliant.InputError, match=r"study\.tolerances\..*: is not measured here"):
            ask(model.with_(study={"tolerances": {f"{link[0]}.offset": 0.1}}))


def test_check_takes_an_edit_that_can_be_made():
    fetch(named("linkage").check)(gallery.load("jansen-stretched"))
