"""Processes of Python that work for this one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[2]


def start_python(code: str, **environment: str) -> subprocess.Popen[bytes]:
    """A process that runs `code`, with pipes to stdin and from stdout, and pliant where it is here.

    What it writes to stderr is lost. A terminal's Ctrl-C is for the process that waits: it ends this one.
    """
    path = os.pathsep.join(filter(None, [str(SOURCE), os.environ.get("PYTHONPATH")]))
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, **environment, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        process_group=0,
    )
