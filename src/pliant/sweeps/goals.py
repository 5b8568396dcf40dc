"""Goals and limits in words: "minimize peak_force", "stroke = 40", "strain <= 0.02", "1 <= gap <= 2".

They name figures of a result as `--report` does, or parameters of the file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pliant.core.angular import amount_text, is_angle
from pliant.core.errors import Fault, InputError
from pliant.core.expression import ExpressionError, evaluate, units_in
from pliant.core.given import given_text

Aim = Literal["minimize", "maximize", "meet"]

_WAY = re.compile(r"\s*(minimi[sz]e|maximi[sz]e)\s+(.+?)\s*", re.IGNORECASE)
_SIGN = re.compile(r"\s*(<=|>=|==|≤|≥|=|<|>)\s*")
GOALS = 'Write "minimize peak_force", "maximize objective" or "peak_force = 12"'
_SIGNS = {"≤": "<=", "≥": ">=", "==": "="}


@dataclass(frozen=True)
class FigureGoal:
    """What is sought: a figure as small or as large as can be, or of a value."""

    aim: Aim
    figure: str  # its name, as --report takes it
    value: float = 0.0  # that is to be met, if one is

    def loss(self, figure: float) -> float:
        """How far a figure is from the best: the smaller, the better."""
        return {"minimize": figure, "maximize": -figure, "meet": abs(figure - self.value)}[self.aim]

    def as_text(self, angle: bool) -> str:
        """The goal as it is said to people: an angle in degrees."""
        meets = self.aim == "meet"
        return f"{self.figure} = {_end(self.value, angle)}" if meets else f"{self.aim} {self.figure}"

    def __str__(self) -> str:
        return self.as_text(angle=False)


@dataclass(frozen=True)
class FigureLimit:
    """Between what a figure has to be; both ends belong to it."""

    figure: str  # its name, as --report takes it; of a table, every figure below it
    low: float = -math.inf  # at least
    high: float = math.inf  # at most

    def margin(self, values: Sequence[float]) -> float:
        """How far the worst of some values is within the limit; negative beyond it, NaN of none."""
        return min((min(value - self.low, self.high - value) for value in values), default=math.nan)

    def worst(self, values: Mapping[str, float]) -> tuple[str, float]:
        """Of several figures, that which is nearest to the limit or farthest beyond it."""
        name = min(values, key=lambda name: self.margin([values[name]]))
        return name, values[name]

    @property
    def size(self) -> float:
        """By which a margin is measured: the larger end; 0 where that is 0."""
        return max(abs(end) for end in (self.low, self.high) if math.isfinite(end))

    def as_text(self, angle: bool) -> str:
        """The limit as it is said to people: an angle in degrees."""
        low, high = (_end(end, angle) for end in (self.low, self.high))
        if self.low == self.high:
            return f"{self.figure} = {low}"
        if math.isfinite(self.low) and math.isfinite(self.high):
            return f"{low} <= {self.figure} <= {high}"
        return f"{self.figure} <= {high}" if math.isfinite(self.high) else f"{self.figure} >= {low}"

    def __str__(self) -> str:
        return self.as_text(angle=False)


def is_angular(name: str, figures: Mapping[str, Mapping[str, float]], in_radians: Sequence[str]) -> bool:
    """Whether what a goal or a limit is about are angles, by the paths of the figures that are."""
    found = meant(name, figures)
    return is_angle(name, in_radians) or (bool(found) and all(is_angle(path, in_radians) for path in found))


def _end(value: float, angle: bool) -> str:
    return amount_text(value, angle=True) if angle else f"{value:g}"


def meant(name: str, figures: Mapping[str, Mapping[str, float]]) -> Mapping[str, float]:
    """The figures that a goal or a limit is about, by path.

    Of a table whose entries are tables themselves, such as `strain` with `strain.hook.peak` and
    `strain.hook.limit`, the first of each entry: that is the figure, and what follows says more of it.
    """
    own = figures.get(name, {})
    sorts = {path: path[len(name) + 1 :].split(".") for path in own}
    if len(own) < 2 or any(len(parts) < 2 for parts in sorts.values()):
        return own
    first = next(iter(sorts.values()))[1:]
    return {path: value for path, value in own.items() if sorts[path][1:] == first}


def read_goal(text: str, unit: str) -> FigureGoal:
    """The goal that a text says; lengths with a unit are converted to the file's."""
    given_text(text, "--goal", GOALS)
    if match := _WAY.fullmatch(text):
        return FigureGoal("minimize" if match[1].lower().startswith("min") else "maximize", match[2])
    parts = _SIGN.split(text.strip())
    if len(parts) == 3 and parts[1] in ("=", "==") and parts[0]:
        return FigureGoal("meet", parts[0], _value("--goal", parts[2], unit))
    raise InputError([Fault("--goal", f"{text!r} is no goal", GOALS)])


def read_limit(text: str, unit: str) -> FigureLimit:
    """The limit that a text says: "strain <= 0.02", "0.1 <= objective <= 0.3", "locked = 0"."""
    parts = _SIGN.split(text.strip())
    if any(sign in "<>" for sign in parts[1::2]):
        raise InputError([Fault("--limit", f"{text!r} has an end that is no value itself", "Write <= or >=")])
    signs = [_SIGNS.get(sign, sign) for sign in parts[1::2]]
    if len(parts) == 5 and signs in (["<=", "<="], [">=", ">="]) and parts[2]:
        ends = _value("--limit", parts[0], unit), _value("--limit", parts[4], unit)
        low, high = ends if signs[0] == "<=" else ends[::-1]
        if low > high:
            raise InputError([Fault("--limit", f"{text!r} leaves no value between its ends", "Swap them")])
        return FigureLimit(parts[2], low, high)
    if len(parts) != 3 or not (parts[0] and parts[2]):
        cure = 'Write "strain <= 0.02", "objective >= 1" or "0.1 <= objective <= 0.3"'
        raise InputError([Fault("--limit", f"{text!r} is no limit", cure)])
    name, sign, end = parts[0], signs[0], parts[2]
    if _is_value(name, unit) and not _is_value(end, unit):
        name, sign, end = end, {"<=": ">=", ">=": "<="}.get(sign, sign), name
    value = _value("--limit", end, unit)
    return FigureLimit(name, -math.inf if sign == "<=" else value, math.inf if sign == ">=" else value)


def _is_value(text: str, unit: str) -> bool:
    try:
        evaluate(text, {}, units_in(unit))
    except ExpressionError:
        return False
    return True


def _value(flag: str, text: str, unit: str) -> float:
    try:
        return float(evaluate(text, {}, units_in(unit)).value)
    except ExpressionError as error:
        raise InputError([Fault(flag, f'"{text.strip()}" {error.problem}', error.cure)]) from None
