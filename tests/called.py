"""Which functions loops call: those are compiled with them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def called(loops: Iterable[Any]) -> set[Any]:
    """The functions of loops that these call, and those call in turn."""
    left, found = [made.py_func for made in loops], set()
    while left:
        function = left.pop()
        names = map(function.__globals__.get, function.__code__.co_names)
        new = {made.py_func for made in names if hasattr(made, "py_func")} - found
        left += new
        found |= new
    return found
