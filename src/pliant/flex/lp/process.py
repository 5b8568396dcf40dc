"""A call in a process of its own: of a library that lets nobody hear Ctrl-C until it is done."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

Answered = TypeVar("Answered")

SOURCE = Path(__file__).parents[3]
SERVE = "from pliant.flex.lp.process import serve; serve()"


def call_in_process(function: Callable[..., Answered], *args: Any) -> Answered:
    """What a function of a module returns, called in another process; here, where there can be none."""
    path = os.pathsep.join(filter(None, [str(SOURCE), os.environ.get("PYTHONPATH")]))
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", SERVE],
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # what goes wrong goes wrong here again
            process_group=0,  # a terminal's Ctrl-C is this process's to hear
        )
    except OSError:
        return function(*args)
    try:
        answer, _ = process.communicate(pickle.dumps((function, args)))
    finally:
        process.kill()
    return pickle.loads(answer) if process.returncode == 0 else function(*args)


def serve() -> None:
    """Call what stdin says, and say on stdout what it returned."""
    function, args = pickle.load(sys.stdin.buffer)
    out = os.dup(1)
    os.dup2(2, 1)  # what libraries print is no answer
    with os.fdopen(out, "wb") as answers:
        pickle.dump(function(*args), answers)
