"""Values that were tried: what came of each, and which is the best that keeps the limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pliant.core.arrays import Floats
from pliant.core.errors import Fault, InputError
from pliant.sweeps.goals import FigureGoal, FigureLimit, meant
from pliant.sweeps.table import Value
from pliant.sweeps.variables import Variable

NO_ANSWER = 1e3  # the violation of what has no answer: beyond all that have one

TrialRows = Sequence[Mapping[str, Any]]
Ask = Callable[[Sequence[Mapping[str, Value]]], TrialRows]  # a row for each set of values


class SpentError(Exception):
    """No more values may be tried."""


class HaltedError(Exception):
    """Ctrl-C: some values were not tried."""


@dataclass(frozen=True)
class Trial:
    """One set of values, and what came of it."""

    values: Mapping[str, Value]  # by parameter or key path; {} is the file as it stands
    status: str  # of its result; "bad_input", "failed", "lost", "time_limit"
    message: str  # what its result says, or why there is none
    failed: bool  # has no answer
    goal: float  # the figure of the goal; NaN where there is none
    margins: tuple[float, ...]  # within each limit; negative beyond it, NaN where there is no figure
    figures: Mapping[str, Mapping[str, float]]  # by the name that asked: figures by path
    unknown: Mapping[str, str]  # names that are no figure, and a cure
    in_radians: tuple[str, ...] = ()  # paths of the figures that are angles

    @property
    def keeps(self) -> bool:
        """Whether it has an answer, a goal's figure, and keeps every limit."""
        return not self.failed and math.isfinite(self.goal) and all(margin >= 0 for margin in self.margins)


def judged(
    values: Mapping[str, Value], row: Mapping[str, Any], goal: FigureGoal, limits: Sequence[FigureLimit]
) -> Trial:
    """A row of figures as a trial."""
    if "lost" in row:
        status = "time_limit" if row["late"] else "lost"
        return Trial(values, status, row["lost"], True, math.nan, (math.nan,) * len(limits), {}, {})
    figures: Mapping[str, Mapping[str, float]] = row.get("figures", {})
    found = list(meant(goal.figure, figures).values())
    if len(found) > 1:
        names = ", ".join(list(meant(goal.figure, figures))[:8])
        raise InputError([Fault("--goal", f"{goal.figure!r} is {len(found)} figures", f"Name one: {names}")])
    margins = tuple(limit.margin([*meant(limit.figure, figures).values()]) for limit in limits)
    best = found[0] if found else math.nan
    said = row["status"], row["message"], row["failed"]
    radians = tuple(row.get("in_radians", ()))
    return Trial(values, *said, best, margins, figures, row.get("unknown", {}), radians)


class Trials:
    """Everything tried so far, in order; asking again for what was tried costs nothing."""

    def __init__(
        self,
        variables: Sequence[Variable],
        goal: FigureGoal,
        limits: Sequence[FigureLimit],
        ask: Ask,
        budget: int,
    ) -> None:
        self.variables, self.goal, self.limits, self.budget = variables, goal, limits, budget
        self.tried: list[Trial] = []
        self.sizes = [limit.size or 1.0 for limit in limits]
        self._ask, self._places = ask, dict[tuple[Value, ...], int]()

    @property
    def left(self) -> int:
        """How many values may still be tried."""
        return self.budget - len(self.tried)

    def at(self, coordinates: Floats) -> list[Trial]:
        """The trials at rows of coordinates (S, N), those that are new all at once."""
        wanted = [
            tuple(one.value(float(x)) for one, x in zip(self.variables, row, strict=True))
            for row in coordinates
        ]
        fresh = [values for values in dict.fromkeys(wanted) if values not in self._places]
        if len(fresh) > self.left:
            raise SpentError
        names = [one.name for one in self.variables]
        sets = [dict(zip(names, values, strict=True)) for values in fresh]
        rows = self._ask(sets) if sets else ()
        for values, chosen, row in zip(fresh, sets, rows, strict=False):
            self._places[values] = len(self.tried)
            self.tried.append(judged(chosen, row, self.goal, self.limits))
        if len(rows) < len(fresh):
            raise HaltedError
        return [self.tried[self._places[values]] for values in wanted]

    def try_first(self, values: Mapping[str, Value]) -> Trial:
        """The file as it stands, which is not counted among those tried."""
        rows = self._ask([values])
        if not rows:
            raise HaltedError
        return judged(values, rows[0], self.goal, self.limits)

    def coordinates(self, trial: Trial) -> list[float]:
        """Where a trial lies."""
        return [one.coordinate(trial.values[one.name]) or 0.0 for one in self.variables]

    def violation(self, trial: Trial) -> float:
        """By how much a trial breaks the limits, each by its size."""
        if trial.failed or not all(map(math.isfinite, (trial.goal, *trial.margins))):
            return NO_ANSWER
        return sum(max(0.0, -margin / size) for margin, size in zip(trial.margins, self.sizes, strict=True))

    def loss(self, trial: Trial) -> float:
        """How far a trial is from the goal; infinite where it has no answer."""
        return math.inf if self.violation(trial) >= NO_ANSWER else self.goal.loss(trial.goal)

    @property
    def best(self) -> Trial | None:
        """Of those that keep all limits the nearest to the goal, the first of equals."""
        kept = [trial for trial in self.tried if trial.keeps]
        return min(kept, key=self.loss, default=None)

    @property
    def nearest(self) -> Trial | None:
        """Of those that have an answer that which breaks the limits least."""
        solved = [trial for trial in self.tried if self.violation(trial) < NO_ANSWER]
        return min(solved, key=lambda trial: (self.violation(trial), self.loss(trial)), default=None)

    def measure_limits(self) -> None:
        """Give limits at 0 a size: that of the margins found."""
        for k, limit in enumerate(self.limits):
            found = [abs(trial.margins[k]) for trial in self.tried if math.isfinite(trial.margins[k])]
            self.sizes[k] = limit.size or max(found, default=0.0) or 1.0
