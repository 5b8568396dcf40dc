"""Ctrl-C outside of work that reports: KeyboardInterrupt, or the end of the process where that would be lost.

While a module is imported an exception may be raised in a callback, which prints and forgets it, or be taken
for a library that is broken. Nothing is half written then, so the process ends at once.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

IMPORTING = "<frozen importlib._bootstrap>"


def stop(_number: int = 0, frame: FrameType | None = None) -> None:
    """What a signal calls."""
    if importing(frame):
        end("Stopped.")
    raise KeyboardInterrupt


def importing(frame: FrameType | None) -> bool:
    """Whether a module is being imported."""
    while frame is not None and frame.f_code.co_filename != IMPORTING:
        frame = frame.f_back
    return frame is not None


def end(sentence: str) -> None:
    """End the process, wherever it is."""
    from pliant.core.status import INTERRUPTED

    os.write(2, f"{sentence}\n".encode())
    os._exit(INTERRUPTED)
