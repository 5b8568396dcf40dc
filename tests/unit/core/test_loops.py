"""Small work begins at once as Python while a process beside it compiles; large work waits and says so."""

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from tests.processes import said
from tests.tiny import LOOP, Tiny

from pliant.core import kept, loops

FIRST = """
import json, sys
from numba.core.event import install_recorder
from pliant.core import loops
begun = []
def compiler(method, flag, **streams):
    begun.append([method, flag])
    raise OSError("no process here")
loops.compiler = compiler
import pliant
from pliant import gallery
for name in sys.argv[1:]:
    begun.clear()
    with install_recorder("numba:compile") as seen:
        for _ in range(2):
            status = pliant.solve(gallery.load(name)).status.name
    print(json.dumps([status, len(seen.buffer), begun]))
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty place for compiled loops."""

    def forget() -> None:
        for cached in (kept.can_keep, loops.compile_beside):
            cached.cache_clear()

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    forget()
    yield tmp_path / "pliant"
    forget()


def test_a_first_small_solve_runs_at_once_and_has_its_loops_compiled_beside_it_once(tmp_path: Path):
    out, _ = said(FIRST, tmp_path, "drawer", "hoeken", "singular", "two-hooks")
    assert list(map(json.loads, out.splitlines())) == [
        ["CONVERGED", 0, []],
        ["RUNS", 0, [["linkage", "--beside"]]],
        ["CONVERGED", 0, [["relax", "--beside"]]],
        ["SEATED", 0, [["snap", "--beside"]]],
    ]


@pytest.mark.slow
def test_where_nothing_can_be_kept_nobody_compiles_beside_and_it_is_said_once(tmp_path: Path):
    file = tmp_path / "file"
    file.touch()
    out, complaints = said(FIRST, file / "below", "hoeken")
    assert json.loads(out) == ["RUNS", 0, []]
    assert complaints.count("compiled each time") == 1


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="priorities are told otherwise there")
def test_the_process_beside_compiles_at_low_priority_and_whoever_comes_next_finds_its_loops(tmp_path: Path):
    solve = "import pliant; from pliant import gallery; pliant.solve(gallery.load('jansen'))\n"
    out, _ = said("import os; print(os.getpriority(os.PRIO_PROCESS, 0))\n" + solve, tmp_path)
    lock, niceness = tmp_path / "pliant" / "compiling-linkage", None
    deadline = time.monotonic() + 400
    while not lock.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    while lock.exists():
        assert time.monotonic() < deadline
        text = lock.read_text() if lock.exists() else ""
        niceness = os.getpriority(os.PRIO_PROCESS, int(text)) if niceness is None and text else niceness
        time.sleep(0.2)
    assert niceness is not None
    assert niceness > int(out)
    loaded = "any(kernel.overloads for kernel in loops.KERNELS)"
    code = FIRST.replace("begun]))", f"{loaded}]))")
    assert json.loads(said(code, tmp_path, "jansen")[0]) == ["RUNS", 0, True]
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.code")}
    assert said("from pliant import main; main()", tmp_path, "warm", "linkage") == (
        "Compiled: linkage.\n",
        "",
    )
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.code")} == before


# Large work

LARGE = """
from pliant.core import loops
from pliant.core.loops import KERNELS, Loops, compile_all, run_loops
from pliant.tiny.loop import *
from pliant.tiny.sizes import Pair
pair = Pair(5.0, 1.0)
def exercise():
    total(pair, 1), again(pair, 1), more(pair, 1)
def progress(done, total, text):
    print(done, total, text)
loops.loops_of = lambda method: Loops(method, ("loop",), exercise)
with run_loops("tiny", SECONDS, progress):
    print(total(pair, 10))
    print(len([made for made in KERNELS if made.overloads]))
    print(again(pair, 10))
"""


@pytest.fixture
def three(tmp_path: Path) -> Tiny:
    """A package with three loops."""
    tiny = Tiny(tmp_path)
    loop = LOOP[LOOP.index("@kernel") :]
    tiny.write("loop", LOOP + loop.replace("total", "again") + loop.replace("total", "more"))
    return tiny


def test_large_work_compiles_every_loop_first_and_says_how_many_are_left(three: Tiny):
    out = three.run(LARGE.replace("SECONDS", "float('inf')")).splitlines()
    assert out == [
        "0 3 compiling tiny.loop.total, 3 left",
        "1 3 compiling tiny.loop.again, 2 left",
        "2 3 compiling tiny.loop.more, 1 left",
        "90.0",
        "3",
        "90.0",
    ]
    assert three.run(LARGE.replace("SECONDS", "float('inf')")).splitlines() == ["90.0", "1", "90.0"]


@pytest.mark.slow
def test_work_waits_for_no_loops_but_those_of_the_part_that_it_uses(tmp_path: Path):
    code = """
    import pliant
    from pliant import gallery
    from pliant.core.loops import KERNELS
    pliant.solve(gallery.load("jigsaw"))
    print(*sorted({made.py_func.__module__ for made in KERNELS if made.overloads}))
    """
    assert said(dedent(code), tmp_path)[0] == "pliant.flex.geometry.trees\n"


@pytest.mark.parametrize(
    ("module", "package"),
    [
        ("relax.solvers.newton", "relax"),
        ("relax.machines.lanes", "relax.machines"),
        ("flex.geometry.trees", "flex.geometry"),
        ("tiny.loop", "tiny"),
        ("tests.unit.core.test_loops", "tests"),
        ("alone", "alone"),
    ],
)
def test_loops_are_compiled_with_those_of_the_nearest_package_that_has_some_of_its_own(
    module: str, package: str
):
    assert loops._warmed_by(module) == package


@pytest.mark.slow
def test_small_work_that_turns_out_not_to_be_is_compiled_after_a_while(three: Tiny):
    hasty = "import pliant.core.loops as l\nl.PATIENCE, l.compile_beside = 0.0, lambda method: None\n"
    out = three.run(hasty + LARGE.replace("SECONDS", "0.0") + "    print(total(pair, 10))\n").splitlines()
    assert out == ["90.0", "0", "90.0", "0 None compiling tiny.loop.total", "90.0"]


@pytest.mark.slow
def test_work_that_nobody_announced_is_compiled(three: Tiny):
    code = "from pliant.tiny.loop import total\nfrom pliant.tiny.sizes import Pair\n"
    three.run(code + "print(total(Pair(5.0, 1.0), 10), len(total.overloads))")
    assert len(three.kept) == 1


# The lock


def test_one_process_at_a_time_compiles_a_methods_loops(place: Path):
    with loops.alone("relax") as first, loops.alone("relax") as second, loops.alone("snap") as other:
        assert (first, second, other) == (True, False, True)
        assert loops._is_lock_held(loops.lock("relax"))
    assert not loops.lock("relax").exists()
    with loops.alone("relax") as again:
        assert again


def test_the_lock_of_the_first_stays_when_a_second_gives_up(place: Path):
    with loops.alone("relax"):
        with loops.alone("relax"):
            pass
        assert loops.lock("relax").exists()


@pytest.mark.skipif(os.name != "posix", reason="whether a process lives is not asked there")
@pytest.mark.parametrize("left", ["dead", "old", "", "nonsense", "9" * 40])
def test_a_lock_that_nobody_holds_is_ignored(place: Path, left: str):
    place.mkdir(parents=True)
    lock = loops.lock("relax")
    lock.write_text(str(_ended()) if left == "dead" else str(os.getpid()) if left == "old" else left)
    if left == "old":
        os.utime(lock, (time.time() - loops.STALE - 1,) * 2)
    with loops.alone("relax") as only:
        assert only
        assert lock.read_text() == str(os.getpid())


def _ended() -> int:
    """The number of a process that is over."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_no_process_is_begun_while_another_compiles(place: Path, monkeypatch: pytest.MonkeyPatch):
    begun: list[str] = []

    def compiler(method: str, *_: Any, **__: Any) -> None:
        begun.append(method)
        raise OSError

    monkeypatch.setattr(loops, "compiler", compiler)
    with loops.alone("relax"):
        loops.compile_beside("relax")
    assert begun == []
    loops.compile_beside.cache_clear()
    for _ in range(3):
        loops.compile_beside("relax")
    assert begun == ["relax"]


def test_runs_within_runs_end_in_any_order():
    first, second = loops.run_loops("none", 1.0), loops.run_loops("none", 1.0)
    first.__enter__()
    second.__enter__()
    inner = loops._runs[-1]
    first.__exit__(None, None, None)
    assert loops._runs == [inner]
    second.__exit__(None, None, None)
    assert loops._runs == []


def test_the_compiler_is_a_process_that_a_terminals_ctrl_c_does_not_reach(monkeypatch: pytest.MonkeyPatch):
    given: dict[str, Any] = {}
    monkeypatch.setattr(
        subprocess, "Popen", lambda command, **options: given.update(options, command=command)
    )
    loops.compiler("snap", "--beside", stdout=subprocess.DEVNULL)
    assert given["process_group"] == 0
    assert given["command"][-3:] == ["warm", "snap", "--beside"]
    assert str(kept.PACKAGE.parent) in given["env"]["PYTHONPATH"].split(os.pathsep)


def test_loops_that_are_used_in_threads_are_compiled_there_while_all_are(monkeypatch: pytest.MonkeyPatch):
    """The thread that compiles all of them waits for these, and must not hold what they wait for."""

    def loop() -> None: ...

    made: Any = SimpleNamespace(py_func=loop, _cache=SimpleNamespace(has=lambda _: False))

    def use() -> None:
        with loops.compile_loop(made, ()):
            pass

    def exercise() -> None:
        worker = Thread(target=use, daemon=True)
        worker.start()
        worker.join(10)
        ended.append(not worker.is_alive())

    ended: list[bool] = []
    monkeypatch.setattr(loops, "loops_of", lambda method: loops.Loops(method, (), exercise))
    with loops.run_loops("tiny", math.inf):
        use()
    assert ended == [True]
