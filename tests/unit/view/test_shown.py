"""What a result shows of itself: in a console, in a notebook, and to who compares or pickles it."""

import pickle
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.solved import solved

import pliant
from pliant import gallery

NAMES = ("eight-blocks", "jansen", "excavator", "two-hooks", "flush-snap", "cantilever-snap")


@pytest.mark.parametrize("name", NAMES)
def test_a_result_is_short_in_a_console_and_says_its_answer(name: str):
    result = solved(name)
    text = repr(result)
    assert text == f"<{type(result).__name__} {result.status.name}: {result.summary().splitlines()[0]}>"
    assert len(text) < 1000


@pytest.mark.parametrize("name", NAMES)
def test_a_pickled_result_says_the_same(name: str):
    result = solved(name)
    again = pickle.loads(pickle.dumps(result))
    assert again == result
    assert hash(again) == hash(result)
    assert again.summary() == result.summary()


def test_other_answers_and_other_things_are_not_equal():
    result = solved("eight-blocks")
    assert result != pliant.solve(gallery.load("eight-blocks"), steps=1)
    assert result != solved("jansen")
    assert result != "eight-blocks"


def test_a_notebook_shows_the_answer_and_a_player_and_nothing_of_either_escapes():
    model = gallery.load("arm").with_(title='<script>alert("x")</script>')
    page = pliant.solve(model)._repr_html_()
    assert page.startswith("<pre>Moves by")
    assert page.count("<iframe") == page.count("</iframe>") == 1
    assert "<script" not in page


# To files and back, of every command


@cache
def answer(command: str) -> Any:
    if command == "edit":
        return pliant.edit(gallery.load("jansen-stretched"), iterations=3)
    if command == "synthesize":
        angles = np.linspace(0, 2 * np.pi, 60, endpoint=False)
        curve = np.stack([2 * np.cos(angles), np.sin(angles)], axis=1)
        return pliant.linkage.synthesis.path(curve, candidates=200, answers=2)
    if command == "evolve":
        return pliant.relax.evolve.straight_line(generations=2, population=8)
    return solved({"flex": "drawer", "trace": "jansen", "relax": "excavator", "snap": "two-hooks"}[command])


COMMANDS = ("flex", "trace", "edit", "synthesize", "relax", "evolve", "snap")


@pytest.mark.few(4)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_result_saved_and_loaded_says_and_draws_the_same(command: str, tmp_path: Path):
    result = answer(command)
    pliant.save(result, tmp_path / "result.json")
    again = pliant.load(tmp_path / "result.json")
    assert isinstance(again, pliant.SavedResult)
    assert again == result
    assert hash(again) == hash(result)
    assert (again.command, again.status, again.alerts) == (command, result.status, result.alerts)
    assert again.summary() == result.summary()
    assert {name: plot.to_dict() for name, plot in again.plots().items()} == {
        name: plot.to_dict() for name, plot in result.plots().items()
    }
    assert repr(again).partition(" ")[2] == repr(result).partition(" ")[2]
    for name, column in result.table().items():
        np.testing.assert_array_equal(again.table()[name], column)


@pytest.mark.parametrize("command", ["edit", "synthesize", "evolve"])
def test_every_result_is_short_pickled_and_compared(command: str):
    result = answer(command)
    assert len(repr(result)) < 1000
    assert repr(result).startswith(f"<{type(result).__name__} {result.status.name}: ")
    again = pickle.loads(pickle.dumps(result))
    assert again == result
    assert again.summary() == result.summary()
    assert "<iframe sandbox=" in result._repr_html_()


def test_a_loaded_result_is_pickled_and_saved_again(tmp_path: Path):
    pliant.save(answer("flex"), tmp_path / "one.json")
    again = pickle.loads(pickle.dumps(pliant.load(tmp_path / "one.json")))
    pliant.save(again, tmp_path / "two.json")
    assert pliant.load(tmp_path / "two.json") == answer("flex")


def test_a_result_is_saved_as_json_and_nothing_else(tmp_path: Path):
    with pytest.raises(pliant.InputError, match=r"a result is saved as \.json"):
        pliant.save(answer("flex"), tmp_path / "result.toml")


@pytest.mark.parametrize(
    "change", [{"status": "lost"}, {"command": "flux"}, {"kind": "toy"}, {"plots": {"a": 3}}]
)
def test_a_result_that_was_changed_is_refused_in_words(change: dict[str, Any], tmp_path: Path):
    from pliant.core.store import write_json
    from pliant.files import result_data

    write_json(tmp_path / "result.json", {**result_data(answer("flex")), **change})
    with pytest.raises(pliant.InputError, match=r"cannot be read .* Make the file anew"):
        pliant.load(tmp_path / "result.json")


def test_a_result_is_no_model(tmp_path: Path):
    pliant.save(answer("flex"), tmp_path / "result.json")
    with pytest.raises(pliant.InputError, match="is a result, not a model"):
        pliant.solve(tmp_path / "result.json")
    result = pliant.load(tmp_path / "result.json")
    with pytest.raises(pliant.InputError, match="is of type SavedResult, and no model"):
        pliant.solve(result)
