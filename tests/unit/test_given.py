"""Whatever the functions of pliant are given in place of a model, a result or a path is refused in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.solved import solved

import pliant
from pliant import files, gallery, view
from pliant.core.errors import InputError, PliantError
from pliant.sweeps.table import SweepRow, SweepTable

NOTHING: dict[str, Any] = {
    "a number": 42,
    "nothing": None,
    "a list": [1],
    "a set": {1},
    "bytes": b"model.toml",
    "a class": pliant.Assembly,
    "keys that are numbers": {1: 2},
    "no such file": "no-such.toml",
    "a folder": Path(),
    "no name of a file": "a\0b.toml",
    "a binary file": "binary.toml",
}
RANGES = {"clearance": [0.1]}
TABLE = SweepTable(
    ("a",),
    (
        SweepRow("a=1", {"a": 1}, "converged", "", False, {"objective": 2.0}, 0.1),
        SweepRow("a=2", {"a": 2}, "bad_input", "a: is 2", True, {}, 0.1),
    ),
)

OF_A_MODEL: dict[str, Callable[[Any], object]] = {
    **{
        name: getattr(pliant, name)
        for name in ("load", "solve", "edit", "play", "loosen", "brace", "separate", "prove")
    },
    "compare": lambda given: pliant.compare(given, gallery.load("square-peg")),
    "compare with": lambda given: pliant.compare(gallery.load("square-peg"), given),
    "sweep": lambda given: pliant.sweep(given, RANGES),
    "optimize": lambda given: pliant.optimize(given, {"clearance": (0.1, 0.2)}, "minimize objective"),
    "tolerances": lambda given: pliant.tolerances(given, spreads={"clearance": "normal:0.01"}),
    "files.load": files.load,
    "files.load_any": files.load_any,
    "files.model_of": files.model_of,
    "files.parts_of": files.parts_of,
    "files.import_file": files.import_file,
    "gallery.load": gallery.load,
    "view.figure": view.figure,
    "view.filmstrip": view.filmstrip,
    "view.player_html": view.player_html,
    "view.chart": view.chart,
    "view.signals": view.signals,
    "view.save_figure": lambda given: view.save_figure(given, "picture.png"),
    "view.animate": lambda given: view.animate(given, "film.gif"),
    "view.write_player": lambda given: view.write_player(given, "player.html"),
    "load_edits": lambda given: files.load_edits(given, gallery.load("hoeken")),
    "load_edits of": lambda given: files.load_edits("edits.toml", given),
}
OF_A_PATH: dict[str, Callable[[Any], object]] = {
    "save a model": lambda path: pliant.save(gallery.load("square-peg"), path),
    "save a result": lambda path: pliant.save(solved("square-peg"), path),
    "save a table": lambda path: pliant.save(TABLE, path),
    "its own save": TABLE.save,
    "save a motion": lambda path: pliant.save(solved("square-peg").motion, path),
    "write_parts": lambda path: files.write_parts(files.parts_of(gallery.load("hoeken")), path),
    "save_figure": lambda path: view.save_figure(view.figure(solved("square-peg")), path),
    "animate": lambda path: view.animate(solved("square-peg"), path),
    "write_player": lambda path: view.write_player(solved("square-peg"), path),
    "Motion.load": pliant.Motion.load,
    "Plot.load": pliant.Plot.load,
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "binary.toml").write_bytes(b"\0\1\2")
    monkeypatch.chdir(tmp_path)
    yield
    assert [path.name for path in tmp_path.iterdir()] == ["binary.toml"]  # nothing was written


@pytest.mark.parametrize("what", NOTHING)
@pytest.mark.parametrize("function", OF_A_MODEL)
def test_what_is_no_model_and_no_result_is_refused_in_words(function: str, what: str):
    with pytest.raises(PliantError, match=r"\w+ \w+ \w+"):
        OF_A_MODEL[function](NOTHING[what])


@pytest.mark.parametrize("what", [what for what in NOTHING if what not in ("no such file", "a binary file")])
@pytest.mark.parametrize("function", OF_A_PATH)
def test_what_is_no_path_is_refused_in_words(function: str, what: str):
    with pytest.raises(PliantError, match=r"\w+ \w+ \w+"):
        OF_A_PATH[function](NOTHING[what])


@pytest.mark.parametrize("given", [42, None, [1]])
def test_load_says_what_it_was_given_what_is_allowed_and_what_to_try(given: Any):
    with pytest.raises(InputError) as refused:
        pliant.load(given)
    kind = type(given).__name__
    cure = "Give the path of a file, or the keys of a model as a dict"
    assert str(refused.value) == f"source: is of type {kind}, and no path of a file. {cure}"


@pytest.mark.parametrize("given", [42, None, [1], {"a": 1}, "model.toml", pliant.Assembly])
def test_save_says_what_can_be_saved(given: Any):
    with pytest.raises(InputError, match=r"saved: is .*, and no model or result\. Give what load, solve"):
        pliant.save(given, "model.json")


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("play", "hoeken"),
        ("loosen", "two-hooks"),
        ("brace", "singular"),
        ("separate", "hoeken"),
        ("edit", "square-peg"),
        ("prove", "two-hooks"),
    ],
)
def test_a_model_of_another_kind_is_refused_with_the_command_it_takes(function: str, name: str):
    model = gallery.load(name)
    with pytest.raises(InputError, match=f'is "{model.kind}", which "{function}" does not take'):
        getattr(pliant, function)(model)


@pytest.mark.parametrize("make", [solved, gallery.load, lambda _: TABLE])
def test_a_sweep_needs_a_file_and_says_how_to_come_by_one(make: Callable[[str], object]):
    given: Any = make("square-peg")
    with pytest.raises(InputError, match=r"model: is of type .* which pliant.save\(model, path\) writes"):
        pliant.sweep(given, RANGES)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: pliant.load("binary.toml", parameters=[1]),  # type: ignore[arg-type]
        lambda: pliant.load({"kind": "assembly", "bodies": [{1: 2}]}),
        lambda: pliant.sweep("model.toml", [1]),  # type: ignore[arg-type]
        lambda: pliant.sweep("model.toml", RANGES, "objective"),
        lambda: pliant.sweep("model.toml", RANGES, command=1),  # type: ignore[arg-type]
        lambda: pliant.optimize("model.toml", RANGES, 3),  # type: ignore[arg-type]
        lambda: pliant.optimize("model.toml", RANGES, "minimize objective", [1]),  # type: ignore[list-item]
        lambda: pliant.tolerances("model.toml", spreads={"clearance": 1}),  # type: ignore[dict-item]
        lambda: pliant.tolerances("model.toml", limits="objective <= 1"),
        lambda: pliant.tolerances("model.toml", samples=1.5),  # type: ignore[arg-type]
        lambda: solved("square-peg").plot([1]),  # type: ignore[arg-type]
        lambda: files.model_hash(42),  # type: ignore[arg-type]
        lambda: files.result_data(42),  # type: ignore[arg-type]
        lambda: files.write_parts(42, "parts.svg"),  # type: ignore[arg-type]
    ],
)
def test_so_is_what_else_is_given_of_another_sort(ask: Callable[[], object]):
    with pytest.raises(PliantError, match=r"\w+ \w+ \w+"):
        ask()


@pytest.fixture
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("written")


@pytest.mark.parametrize("suffix", [".csv", ".json"])
def test_save_writes_a_table_as_the_command_does(suffix: str, written: Path):
    pliant.save(TABLE, written / f"saved{suffix}")
    TABLE.save(written / f"own{suffix}")
    assert (written / f"saved{suffix}").read_text() == (written / f"own{suffix}").read_text()
    assert "converged" in (written / f"saved{suffix}").read_text()


def test_save_writes_a_motion_and_a_plot_which_are_read_again(written: Path):
    result = solved("square-peg")
    for one in (result.motion, result.plot()):
        pliant.save(one, written / "one.json")
        assert type(one).load(written / "one.json").to_dict() == one.to_dict()


def test_a_table_is_written_in_no_other_format(written: Path):
    with pytest.raises(InputError, match=r"table.xlsx: ends in none of \.csv, \.parquet and \.json"):
        pliant.save(TABLE, written / "table.xlsx")


def test_values_of_a_range_may_come_from_an_array(written: Path):
    import numpy as np

    from pliant.sweeps.cases import grid_cases

    pliant.save(gallery.load("square-peg"), written / "model.toml")
    cases = grid_cases(written / "model.toml", {"clearance": np.linspace(0.1, 0.2, 3)}, 10**6)  # type: ignore[dict-item]
    assert [case.changes["clearance"] for case in cases] == pytest.approx([0.1, 0.15, 0.2])
