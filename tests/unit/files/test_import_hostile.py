"""Drawings that mean harm, or are too large: refused in words with the line or element, in bounded time."""

import os
import subprocess
import time
from pathlib import Path

import pytest
from tests.unit.files.sheets import jigsaw, svg, write

from pliant.core.errors import InputError
from pliant.files import import_drawing, import_file
from pliant.files.child_process import ChildError, call_in_child
from pliant.files.drawings.drawing_reader import read_parts

BOMB = '<!DOCTYPE svg [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>\n'
OUTSIDE = '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n'
SQUARE = '<rect width="20" height="20"/>'
LAUGHS = "".join(f'<g id="l{k + 1}">{f"""<use href="#l{k}"/>""" * 10}</g>' for k in range(6))
HOSTILE = {
    "bomb": (svg("<text>&c;</text>", head=BOMB), 'line 1: declares the entity "a"'),
    "outside": (svg("<text>&x;</text>", head=OUTSIDE), r"line 1: refers to something outside the file"),
    "cycle": (
        svg('<g id="a"><use href="#b"/></g><g id="b"><use xlink:href="#a"/></g>'),
        "line 2: <use>: uses itself: #b → #a → #b",
    ),
    "laughs": (
        svg(f'<defs><rect id="l0" width="5" height="5"/>{LAUGHS}</defs><use href="#l6"/>'),
        "20,000 that `use` makes",
    ),
    "deep": (svg("<g>" * 5000 + "</g>" * 5000), "nested more than 200 deep"),
    "not a number": (
        svg('<path id="bad" d="M0 0 L NaN 3"/>'),
        'line 2: <path id="bad">: has path data that cannot be read at character 8',
    ),
    "garbage": (svg('<path d="M0 0 L 3 3 # L 4 4"/>'), "cannot be read at character 12"),
    "infinite": (svg('<path id="bad" d="M0 0 L 1e400 3"/>'), "not finite"),
    "transform": (
        svg('<g transform="wobble(3)"><rect width="3" height="3"/></g>'),
        r"transform that cannot be read: 'wobble\(3\)'",
    ),
    "length": (svg('<rect width="wide" height="3"/>'), "numbers that cannot be read"),
    "huge circle": (svg('<circle r="1e15"/>'), "a curve of more than 100,000 chords"),
    "no view": (svg(SQUARE, 'viewBox="0 0 0 0"'), "viewBox without area"),
    "another language": ("<html></html>", 'an XML file of "html"'),
    "unclosed": ("<svg><g></svg>", "line 1, column 11: mismatched tag"),
    "encoding": ("<?xml version='1.0' encoding='klingon'?><svg/>", "line 1|cannot be read as XML"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_drawing_is_refused_with_its_line(tmp_path: Path, case: str):
    text, told = HOSTILE[case]
    with pytest.raises(InputError, match=told):
        read_parts(str(write(tmp_path, text)), False)


def test_skipping_what_is_broken_reads_the_rest(tmp_path: Path):
    path = write(tmp_path, svg(f'<path id="bad" d="M0 0 L NaN 3"/>{SQUARE}'))
    assert len(read_parts(str(path), False, skip=["bad"])["parts"]) == 1


def test_a_drawing_over_the_limit_is_not_even_opened(tmp_path: Path):
    path = tmp_path / "large.svg"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    with pytest.raises(InputError, match=r"is 100 MB; the limit is 50 MB. Raise it with --max-size 101"):
        import_drawing(path)


@pytest.mark.parametrize("name", ["missing.svg", "folder.svg", "empty.dxf", "words.xyz", "words.json"])
def test_what_is_no_drawing_is_refused_with_its_name(tmp_path: Path, name: str):
    (tmp_path / "folder.svg").mkdir()
    write(tmp_path, "", "empty.dxf")
    write(tmp_path, "hello", "words.xyz")
    write(tmp_path, '{"a": 1}', "words.json")
    with pytest.raises(InputError, match=name):
        import_file(tmp_path / name)


@pytest.fixture(autouse=True)
def _tests_on_the_path(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(
        "PYTHONPATH",
        os.pathsep.join(filter(None, [str(Path(__file__).parents[3]), os.environ.get("PYTHONPATH")])),
    )


def test_a_reader_that_takes_too_long_is_killed():
    begun = time.monotonic()
    with pytest.raises(
        InputError, match=r"could not be read within 0.5 s. Give it more time with --timeout 1"
    ):
        call_in_child("tests.unit.files.sheets:sleep_long", {}, "drawing.svg", seconds=0.5)
    assert time.monotonic() - begun < 30


def test_a_reader_that_takes_too_much_memory_is_refused():
    with pytest.raises(InputError, match="of memory"):
        call_in_child("tests.unit.files.sheets:hoard", {}, "drawing.svg", seconds=60)


def test_a_failure_of_the_reader_is_no_fault_of_the_file():
    with pytest.raises(ChildError, match="KeyError"):
        call_in_child("tests.unit.files.sheets:fail", {}, "drawing.svg")


def test_ctrl_c_leaves_no_reader_behind(monkeypatch: pytest.MonkeyPatch):
    started: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def noted(*args: object, **settings: object) -> subprocess.Popen[bytes]:
        started.append(real(*args, **settings))  # type: ignore[call-overload]
        return started[-1]

    def stop(done: int, total: int | None, text: str) -> None:
        if started and time.monotonic() - begun > 0.3:
            raise KeyboardInterrupt

    begun = time.monotonic()
    monkeypatch.setattr(subprocess, "Popen", noted)
    with pytest.raises(KeyboardInterrupt):
        call_in_child("tests.unit.files.sheets:sleep_long", {}, "drawing.svg", seconds=60, progress=stop)
    assert started[0].poll() is not None
    with pytest.raises(ProcessLookupError):
        os.kill(started[0].pid, 0)


@pytest.mark.slow
def test_a_jigsaw_of_a_hundred_thousand_vertices_is_all_its_pieces(tmp_path: Path):
    found = import_drawing(write(tmp_path, jigsaw(45, 30)), clearance=0.2)
    assert len(found.model.bodies) == 45 * 30
    assert sum(len(body.outline) for body in found.model.bodies) > 100_000
