"""`pliant warm` compiles every loop there is, or says why it cannot."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.processes import WITH_TESTS, environment, said

from pliant.cli import main, warm
from pliant.core import kept, loops

MAIN = "from pliant import main; main()"

# What is compiled already need not be again: a loop is loaded for the types that it is called with, and has
# those that it calls in it.
USED = """
import json, sys
from tests.called import called
from pliant.core.loops import KERNELS, _method_of, compile_all, loops_of
method = loops_of(sys.argv[1])
method.prepare()
own = [made for made in KERNELS if _method_of(made) == sys.argv[1]]
known = [made.py_func.__name__ for made in own]
compile_all(method)
loaded = [made for made in KERNELS if made.overloads]
used = {made.py_func for made in loaded} | called(loaded)
own = [made for made in KERNELS if _method_of(made) == sys.argv[1]]  # those that only a run imports, too
print(json.dumps([known, [made.py_func.__name__ for made in own if made.py_func in used]]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("method", warm.METHODS)
def test_every_loop_of_a_method_is_known_beforehand_and_compiled(method: str):
    known, compiled = json.loads(said(USED, None, method, PYTHONPATH=WITH_TESTS)[0])
    assert known
    assert sorted(known) == sorted(compiled)
    for path in kept.PACKAGE.joinpath(*method.split(".")).rglob("*.py"):
        if loops._warmed_by(".".join(path.relative_to(kept.PACKAGE).with_suffix("").parts)) != method:
            continue
        marked = set(re.findall(r"^@kernel(?:_fast)?\ndef (\w+)", path.read_text(), re.MULTILINE))
        assert marked <= set(known), path


def test_where_nothing_can_be_kept_that_is_said_and_nothing_compiled(tmp_path: Path):
    file = tmp_path / "file"
    file.touch()
    done = subprocess.run(
        [sys.executable, "-c", MAIN, "warm"],
        env=environment(file / "below"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"Compiled loops cannot be kept ({file / 'below' / 'pliant'}: ")
    assert done.stderr.endswith("NUMBA_CACHE_DIR names another folder.\n")


def test_an_unknown_method_is_refused():
    result = CliRunner().invoke(main, ["warm", "flexx"])
    assert result.exit_code == 2
    assert "flexx" in result.output


class Begun:
    """A compiler that tells its progress and ends, in the place of a process."""

    def __init__(self, lines: list[str], code: int) -> None:
        self.stdout, self.returncode, self.ended = iter(lines), code, False

    def terminate(self) -> None:
        self.ended = True

    def __enter__(self) -> "Begun":
        return self

    def __exit__(self, *_: object) -> None:
        pass


def stand_in(monkeypatch: pytest.MonkeyPatch, codes: dict[str, int]) -> None:
    def compiler(method: str, flag: str, **_: Any) -> Begun:
        assert flag == "--told"
        return Begun(["0\t2\tcompiling a, 2 left\n", "1\t2\tcompiling b, 1 left\n"], codes.get(method, 0))

    monkeypatch.setattr(warm, "compiler", compiler)
    monkeypatch.setattr(kept, "why_not", lambda: "")


def test_a_compiler_that_failed_is_named(monkeypatch: pytest.MonkeyPatch):
    stand_in(monkeypatch, {"snap": 3})
    result = CliRunner().invoke(main, ["warm"])
    assert result.exit_code == 2
    assert "The loops of snap were not compiled (exit code 3)" in result.stderr
    assert result.stdout == ""


def test_the_progress_of_several_compilers_is_told_as_one():
    told: list[tuple[int, int | None, str]] = []
    together = warm._Together(lambda done, total, text: told.append((done, total, text)))
    together.tell("relax", 0, 20, "a")
    together.tell("snap", 3, 10, "b")
    together.tell("relax", 5, 20, "c")
    assert told == [(0, 20, "a"), (3, 30, "b"), (8, 30, "c")]


def test_a_stop_begins_no_further_compiler(monkeypatch: pytest.MonkeyPatch):
    begun: list[str] = []

    def compiler(method: str, flag: str, **_: Any) -> Begun:
        begun.append(method)
        return Begun(["0\t2\tcompiling a\n"], 0)

    def progress(done: int, total: int | None, text: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(warm, "compiler", compiler)
    with pytest.raises(KeyboardInterrupt):
        warm._share(warm.METHODS, 1, progress)
    assert len(begun) < len(warm.METHODS)


def test_beside_other_work_it_is_at_low_priority_and_alone(monkeypatch: pytest.MonkeyPatch):
    nice: list[int] = []
    compiled: list[str] = []

    @contextmanager
    def alone(method: str) -> Iterator[bool]:
        yield method != "snap"

    monkeypatch.setattr(os, "nice", nice.append, raising=False)
    monkeypatch.setattr(warm, "alone", alone)
    monkeypatch.setattr(warm, "loops_of", lambda method: method)
    monkeypatch.setattr(warm, "compile_all", compiled.append)
    result = CliRunner().invoke(main, ["warm", "snap", "linkage", "--beside"])
    assert result.exit_code == 0
    assert compiled == ["linkage"]
    assert nice[0] > 0


def test_methods_are_those_that_have_loops():
    packages = {path.parent.relative_to(kept.PACKAGE).parts for path in kept.PACKAGE.rglob("warm.py")}
    assert {".".join(package) for package in packages} == {*warm.METHODS, "cli"}
    for method in warm.METHODS:
        assert isinstance(loops.loops_of(method), loops.Loops)
