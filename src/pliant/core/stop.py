"""Ctrl-C outside of work that reports: KeyboardInterrupt, or the end of the process where that would be lost.

While a module is imported, or a loop compiled, an exception may be raised in a callback, which prints and
forgets it, or be taken for a library that is broken. Nothing is half written then: the process ends at once.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

INTERRUPTED = 130  # as `core.status` has it, which is not imported before it is needed
DEAF = ("importlib._bootstrap", "numba.core.", "llvmlite.")


def stop(_number: int = 0, frame: FrameType | None = None) -> None:
    """What a signal calls."""
    if deaf(frame):
        end_process("Stopped.")
    raise KeyboardInterrupt


def deaf(frame: FrameType | None) -> bool:
    """Whether a module is being imported, or a loop compiled."""
    while frame is not None and not str(frame.f_globals.get("__name__")).startswith(DEAF):
        frame = frame.f_back
    return frame is not None


def leave(code: object) -> None:
    """Once stopped, wait for no thread that is still at work on what nobody wants any more."""
    if code == INTERRUPTED:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(INTERRUPTED)


def end_process(sentence: str) -> None:
    """End the process, wherever it is."""
    os.write(2, f"{sentence}\n".encode())
    os._exit(INTERRUPTED)
