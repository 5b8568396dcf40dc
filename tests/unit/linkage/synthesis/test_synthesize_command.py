"""`pliant synthesize`: points in, linkages out, and every bad line named."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from pliant.cli.synthesize import read_points, synthesize
from pliant.core.errors import InputError
from pliant.files import load
from pliant.linkage.analysis.transmission import toggle_margin
from pliant.linkage.solve import solve

FIVE = [(0, 0), (3, 1), (4, 3), (2, 4), (-0.5, 2.5)]
FEW = ("--candidates", "3000", "--answers", "2")


@pytest.fixture
def points(tmp_path: Path) -> Path:
    path = tmp_path / "points.csv"
    path.write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in FIVE))
    return path


def run(*words: object) -> Result:
    return CliRunner().invoke(synthesize, [str(word) for word in words])


def test_a_folder_gets_every_linkage_and_a_picture(points):
    folder = points.parent / "found"
    result = run(points, "-o", folder, *FEW)
    assert result.exit_code == 0
    assert sorted(path.name for path in folder.iterdir()) == ["answers.png", "best-1.toml", "best-2.toml"]
    assert load(folder / "best-1.toml").study.trace == ("P",)
    lines = result.stdout.splitlines()
    assert lines[0].startswith("Best of 3000: a four-bar")
    assert [line.split()[0] for line in lines[2:]] == ["1", "2"]


def test_a_toml_file_gets_the_best_and_others_what_they_are_named_for(points):
    best, picture, data = (points.parent / name for name in ("best.toml", "best.svg", "best.json"))
    assert run(points, "-o", best, "-o", picture, "--json", data, "--quiet", *FEW).exit_code == 0
    written = json.loads(data.read_text())
    assert load(best).joints["P"] == tuple(written["answers"][0]["linkage"]["joints"]["P"])
    assert picture.read_text().startswith("<?xml")


def test_json_goes_to_stdout_alone(points):
    result = run(points, "--json", "-", "--open", "--bars", "six", "--seed", 4, *FEW)
    data = json.loads(result.stdout)
    assert (data["closed"], data["seed"]) == (False, 4)
    assert data["answers"][0]["kind"].endswith("six-bar")


def test_bars_through_a_swivelling_block_are_found_within_limits_that_a_trace_confirms(tmp_path):
    """Their pin is in a slot, whose transmission angle is that of the trace, not of its closing."""
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    pin, block = np.exp(1j * turn), 2.6 + 0.4j
    along = (block - pin) / abs(block - pin)
    path = tmp_path / "points.csv"
    path.write_text("".join(f"{z.real},{z.imag}\n" for z in 10 * (pin + (3.4 + 0.5j) * along)))
    asked = ("--bars", "swivel", "--transmission", 40, "--largest", 80, "--candidates", 2000, "--answers", 1)
    result = run(path, "-o", tmp_path / "found", "--json", tmp_path / "found.json", "--quiet", *asked)
    assert result.exit_code == 0
    answers = json.loads((tmp_path / "found.json").read_text())["answers"]
    for number, answer in enumerate(answers, start=1):
        traced = solve(load(tmp_path / "found" / f"best-{number}.toml"))
        worst = toggle_margin(traced.transmissions).worst
        assert answer["transmission"] == pytest.approx(worst, abs=1e-3)
        assert worst > np.radians(40) - 1e-3
        places = np.array([*answer["linkage"]["joints"].values()])
        assert np.ptp(places, axis=0).max() <= 80


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "0,0\n\n3,1 # a note\n4;3\n"),
        ("a.txt", "X Y\n0 0\n3 1\n4\t3\n"),
        ("a.toml", "points = [[0, 0], [3, 1.0], [4, 3]]"),
        ("a.json", '{"points": [[0, 0], [3, 1], [4, 3]]}'),
    ],
)
def test_points_are_read_from_lines_and_tables(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    assert read_points(path, 10_000) == [(0, 0), (3, 1), (4, 3)]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "a.csv",
            "x,y\n0,0\n3\n4,x\n5,inf\n",
            ["line 3: '3' is not two", "line 4: '4,x'", "line 5: '5,inf'"],
        ),
        ("a.csv", "0,0,0\n", ["line 1: '0,0,0' is not two numbers. Write"]),
        (
            "a.toml",
            "points = [[0, 0], 3, ['a', 1], [true, false]]",
            ["points[1]: '3'", "points[2]: 'a,1'", "points[3]: 'True,False'"],
        ),
        ("a.toml", "curve = []", ["points: is missing. Write points ="]),
        ("a.json", '{"points": 3}', ["points: is 3, not a list"]),
        ("a.csv", "  \n", ["is empty"]),
    ],
)
def test_every_bad_line_is_named_with_its_value_and_a_cure(tmp_path, name, text, said):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_points(path, 10_000)
    for words in said:
        assert f"{path}: {words}" in str(caught.value)


def test_outputs_that_cannot_be_written_are_refused_before_the_search(points):
    for output in (points.parent / "no" / "such", points.parent / "best.docx", points):
        result = run(points, "-o", output)
        assert result.exit_code == 2
        assert "Error" in result.stderr


def test_a_file_of_points_is_not_overwritten(tmp_path):
    path = tmp_path / "points.json"
    path.write_text('{"points": [[0, 0], [3, 1], [4, 3]]}')
    result = run(path, "-o", path)
    assert result.exit_code == 2
    assert "is the file of points itself" in result.stderr
