"""A call in a process of its own, with limits on its time and memory: whatever it reads, it can be killed.

What goes in and comes out is JSON: nothing that a hostile file leads to is unpickled.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from importlib import import_module
from typing import Any

from pliant.core.errors import Fault, InputError
from pliant.core.processes import start_python
from pliant.core.progress import Progress, silent

SERVE = "from pliant.files.child_process import serve; serve()"
SECONDS = 120.0  # that a call may take
GIGABYTES = 4  # of memory that it may take
POLL = 0.1  # seconds between two looks at Ctrl-C


class ChildError(RuntimeError):
    """The other process failed in a way that no input should cause."""


def call_in_child(
    function: str,
    settings: Mapping[str, Any],
    source: str,
    *,
    seconds: float = SECONDS,
    progress: Progress = silent,
) -> dict[str, Any]:
    """What "module:name" gives for settings, called in another process: plain data, or its InputError."""
    process = start_python(SERVE, OPENBLAS_NUM_THREADS="1")
    asked = json.dumps({"function": function, "settings": dict(settings), "seconds": seconds}).encode()
    try:
        answer = _wait(process, asked, seconds, progress)
    finally:
        process.kill()
        process.wait()
    return _unpack(answer, process.returncode, source, seconds)


def _wait(process: subprocess.Popen[bytes], asked: bytes, seconds: float, progress: Progress) -> bytes | None:
    """What the process wrote; None where it took too long."""
    begun = time.monotonic()
    todo: bytes | None = asked
    while (passed := time.monotonic() - begun) < seconds:
        progress(int(passed), None, "seconds, reading")
        try:
            return process.communicate(todo, timeout=POLL)[0]
        except subprocess.TimeoutExpired:
            todo = None
    return None


def _unpack(answer: bytes | None, code: int, source: str, seconds: float) -> dict[str, Any]:
    if answer is None:
        raise InputError([_too_long(seconds)], source)
    try:
        data: dict[str, Any] = json.loads(answer)
    except ValueError:
        if code in (0, 1):
            raise ChildError(f"the reader of {source} said nothing that can be read") from None
        problem = f"ended the reader (signal or code {code}), which has {GIGABYTES} GB and {seconds:g} s"
        raise InputError([Fault("", problem, "Give a smaller file")], source) from None
    if "faults" in data:
        faults = [
            Fault(one["where"], one["problem"], one["cure"], tuple(one["names"])) for one in data["faults"]
        ]
        raise InputError(faults, source)
    if "memory" in data:
        problem = f"takes more than {GIGABYTES} GB of memory to read"
        raise InputError([Fault("", problem, "Give a smaller file, or a larger chord error")], source)
    if "failure" in data:
        raise ChildError(data["failure"])
    return data["answer"]


def _too_long(seconds: float) -> Fault:
    cure = f"Give it more time with --timeout {2 * seconds:g}, or a smaller file"
    return Fault("", f"could not be read within {seconds:g} s", cure)


def serve() -> None:
    """Call what stdin says, and say on stdout what it returned."""
    asked = json.load(sys.stdin)
    _limit_process(asked["seconds"])
    out = os.dup(1)
    os.dup2(2, 1)  # what libraries print is no answer
    module, _, name = asked["function"].partition(":")
    try:
        answer = {"answer": getattr(import_module(module), name)(**asked["settings"])}
    except InputError as error:
        answer = {"faults": [asdict(fault) for fault in error.faults]}
    except (MemoryError, RecursionError):
        answer = {"memory": True}
    except Exception as error:  # noqa: BLE001  told to whoever asked, who knows what to make of it
        answer = {"failure": f"{type(error).__name__}: {str(error)[:200]}"}
    with os.fdopen(out, "w", encoding="utf-8") as answers:
        json.dump(answer, answers, allow_nan=False)


def _limit_process(seconds: float) -> None:
    """No more memory and time than it may have, should nobody be left to kill it."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (GIGABYTES << 30, GIGABYTES << 30))
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 5, int(seconds) + 5))
