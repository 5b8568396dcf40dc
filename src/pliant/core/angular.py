"""Figures of a result that are angles: radians in its data, degrees with their unit for people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import degrees

from pliant.core.written import DIGITS, figure

_OF_A_LIST = re.compile(r"(?:min|max|first|last|mean)\((.+)\)|(.+) \((?:least|largest)\)")


def is_angle(name: str, in_radians: Iterable[str]) -> bool:
    """Whether a figure is an angle, by the paths of those that are; * stands for any names between.

    The entries of a list, and its extremes, are what the list is.

    >>> paths = ("objective", "poses.*[2]", "angles")
    >>> is_angle("poses.peg[2]", paths), is_angle("poses.peg[0]", paths), is_angle("max(angles)", paths)
    (True, False, True)
    """
    match = _OF_A_LIST.fullmatch(name)
    path = (match[1] or match[2]) if match else name
    return any(re.fullmatch(re.escape(one).replace(r"\*", ".*") + r"(\[\d+\])*", path) for one in in_radians)


def amount_text(value: float, angle: bool, digits: int = DIGITS) -> str:
    """A figure in so many digits; an angle in degrees.

    >>> amount_text(0.5, False), amount_text(0.5, True)
    ('0.5', '28.6479°')
    """
    return f"{figure(degrees(value), digits=digits)}°" if angle else figure(value, digits=digits)


def angles_of(names: Sequence[str], in_radians: Iterable[str]) -> list[str]:
    """Those of some figures that are angles."""
    paths = tuple(in_radians)
    return [name for name in names if is_angle(name, paths)]
