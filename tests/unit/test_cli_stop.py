"""Ctrl-C is answered: within two seconds on a quiet machine, with exit code 130 and no traceback.

Machines that run tests are shared, so what is allowed here is three times as long.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.processes import said, start

import pliant
from pliant import gallery
from pliant.core import status
from pliant.core.stop import INTERRUPTED, deaf, stop

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")

ANSWERED = 6.0  # s
STOPPED = (130, -signal.SIGINT)  # the second where Python itself is ending already: to a shell the same

# A byte says that pliant is begun: what comes before is Python's own start.
RUN = "import os; from pliant import main; os.write(1, b'.'); main()"


def begun(cache: Path | None, *args: object) -> subprocess.Popen[str]:
    process = start(RUN, cache, *map(str, args))
    assert process.stdout is not None
    assert process.stdout.read(1) == "."
    return process


def interrupted(process: subprocess.Popen[str]) -> tuple[int, float, str]:
    """How a process ends that is sent Ctrl-C: its code, the seconds it took, and its complaints."""
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    try:
        _, complaints = process.communicate(timeout=60)
    finally:
        process.kill()
    return process.returncode, time.monotonic() - sent, complaints


def wait_for(process: subprocess.Popen[str], text: str) -> None:
    """Read complaints until one has a text."""
    assert process.stderr is not None
    for line in process.stderr:
        if text in line:
            return
    raise AssertionError(f"it ended and never said {text!r}")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models that are solved for long."""
    from pliant.relax.generate import stewart

    folder = tmp_path_factory.mktemp("models")
    for name in ("beam-1703", "flock-1024", "motion-diode"):
        pliant.save(gallery.load(name), folder / f"{name}.json")
    pliant.save(stewart(200), folder / "stewart.json")
    pliant.save(stewart(1000), folder / "thousand.json")
    (folder / "curve.csv").write_text("\n".join(f"{x},{x * x * (x - 3)}" for x in range(-6, 7)))
    return folder


@pytest.mark.parametrize(
    "delay", [0.02, 0.3, *(pytest.param(delay, marks=pytest.mark.slow) for delay in (0.1, 0.6, 1.0))]
)
def test_soon_after_the_start_it_ends_in_a_word(models: Path, delay: float):
    process = begun(None, "flex", models / "beam-1703.json")
    time.sleep(delay)
    finished = process.poll() is not None
    code, seconds, complaints = interrupted(process)
    if finished:
        pytest.skip("it was solved before it could be stopped")
    assert code in STOPPED, complaints
    assert "Traceback" not in complaints
    assert "Exception ignored" not in complaints
    assert seconds < ANSWERED


LONG = {
    "flex": ("flex", "beam-1703.json", "--iterations", "100000", "--tolerance", "1e-14"),
    "flex with ranges": ("flex", "flock-1024.json", "--ranges"),
    "flex by clarabel": ("flex", "beam-1703.json", "--solver", "clarabel"),
    "flex by highs": ("flex", "beam-1703.json", "--solver", "highs"),
    "relax": ("relax", "stewart.json", "--method", "sync", "--iterations", "100000000"),
    "relax of a thousand platforms": ("relax", "thousand.json", "--method", "sync"),
    "relax at every frame": ("relax", "stewart.json", "--frames", "5000"),
    "synthesize": ("synthesize", "curve.csv", "--candidates", "100000000"),
    "snap": ("snap", "motion-diode.json", "--classify"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("what", "after"), [(what, 1.0 + number % 2) for number, what in enumerate(LONG)])
def test_long_work_is_stopped(models: Path, what: str, after: float):
    command, file, *flags = LONG[what]
    process = begun(None, command, models / file, *flags)
    time.sleep(after)
    finished = process.poll() is not None
    code, seconds, complaints = interrupted(process)
    if finished:
        pytest.skip("it was solved before it could be stopped")
    assert code in STOPPED, complaints
    assert "Traceback" not in complaints
    assert seconds < ANSWERED


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "after"),
    [("flex", 0.9), ("relax", 0.4), ("synthesize", 0.0)],
)
def test_compiling_is_stopped(models: Path, tmp_path: Path, what: str, after: float):
    command, file, *flags = LONG[what]
    process = begun(tmp_path, command, models / file, *flags)
    wait_for(process, "compiling")
    time.sleep(after)
    code, seconds, complaints = interrupted(process)
    assert code == 130, complaints
    assert "Traceback" not in complaints
    assert seconds < ANSWERED


@pytest.mark.slow
def test_warm_is_stopped_with_the_compilers_it_began(tmp_path: Path):
    process = begun(tmp_path, "warm")
    wait_for(process, "compiling")
    code, seconds, complaints = interrupted(process)
    assert code == 130, complaints
    assert "Traceback" not in complaints
    assert seconds < ANSWERED
    assert _commands_with(str(tmp_path)) == []


def _commands_with(text: str) -> list[str]:
    """Processes that have a text in their environment."""
    found: list[str] = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if int(path.parent.name) != os.getpid() and text.encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            continue
    return found


def test_work_that_waits_for_a_thread_is_stopped_where_it_waits():
    code = (
        "import os, signal, threading\nfrom pliant.cli.watch import Watch\n"
        "with Watch(quiet=True):\n    os.kill(os.getpid(), signal.SIGINT)\n"
        "    try:\n        threading.Event().wait(30)\n"
        "    except KeyboardInterrupt:\n        print('heard')"
    )
    assert said(code, None)[0] == "heard\n"


def test_threads_that_are_still_at_work_are_not_waited_for():
    code = (
        "import threading, time\nimport pliant, pliant.cli\n"
        "def command():\n    threading.Thread(target=time.sleep, args=(30,)).start()\n"
        "    print('what was done')\n    raise SystemExit(130)\n"
        "pliant.cli.main = command\npliant.main()"
    )
    begun = time.monotonic()
    process = start(code, None)
    assert process.communicate(timeout=60) == ("what was done\n", "")
    assert process.returncode == 130
    assert time.monotonic() - begun < ANSWERED


def test_work_in_code_that_is_not_python_is_ended():
    # One call that takes a minute and hears no signal, as a solver of linear programs may be.
    code = (
        "import hashlib, os, signal, threading\nfrom pliant.cli.watch import Watch\n"
        "with Watch(quiet=True):\n"
        "    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "    hashlib.pbkdf2_hmac('sha256', b'', b'', 200_000_000)"
    )
    process = start(code, None)
    begun = time.monotonic()
    _, complaints = process.communicate(timeout=60)
    assert process.returncode == 130, complaints
    assert time.monotonic() - begun < ANSWERED
    assert complaints == "Stopped. The step could not be interrupted, and nothing of this run is kept.\n"


def test_ctrl_c_is_an_exception_where_it_is_heard():
    with pytest.raises(KeyboardInterrupt):
        stop(signal.SIGINT, sys._getframe())
    assert not deaf(sys._getframe())
    assert not deaf(None)
    assert INTERRUPTED == status.INTERRUPTED


@pytest.mark.parametrize("module", ["importlib._bootstrap", "numba.core.dispatcher", "llvmlite.binding.ffi"])
def test_below_an_import_or_the_compiler_it_would_not_be_heard(module: str):
    names: dict[str, Any] = {"__name__": module, "look": lambda: deaf(sys._getframe())}
    exec("found = look()", names)
    assert names["found"]


def test_a_ctrl_c_amid_an_import_ends_the_process(tmp_path: Path):
    module = (
        "import os, signal\ntry:\n    os.kill(os.getpid(), signal.SIGINT)\nexcept BaseException:\n    pass\n"
    )
    (tmp_path / "swallows.py").write_text(module)
    code = (
        "import signal, sys\nfrom pliant.core.stop import stop\nsignal.signal(signal.SIGINT, stop)\n"
        "sys.path.insert(0, sys.argv[1])\nimport swallows\nprint('went on')"
    )
    process = start(code, None, str(tmp_path))
    assert process.communicate(timeout=60) == ("", "Stopped.\n")
    assert process.returncode == 130
