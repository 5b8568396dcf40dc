"""What a search found: the best values, the figures there, how near each limit is, and all that was tried."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from pliant.core.angular import amount_text
from pliant.core.errors import Fault, InputError
from pliant.core.given import given_path
from pliant.core.plot import Plot, Series
from pliant.core.status import ANSWERED, NO_ANSWER, Status, Tone
from pliant.core.store import Json, sayable, version, write_whole
from pliant.sweeps.goals import FigureGoal, FigureLimit, is_angular, meant
from pliant.sweeps.table import Value, save_columns
from pliant.sweeps.trials import Trial

SAME = 1e-9  # relative: figures that are equal but for rounding
REACHED = 1e-4  # of its size: a limit that holds the search back


class OptimizeStatus(Status):
    """How a search ended."""

    MET = "the value sought is met within the limits", ANSWERED, Tone.SOUND
    BEST_FOUND = "the best that was found within the limits", ANSWERED, Tone.SOUND
    INFEASIBLE = "no values that were tried keep all limits", ANSWERED
    NOT_CONVERGED = "not at its end: more values must be tried", NO_ANSWER
    UNSOLVED = "no values that were tried have an answer", NO_ANSWER


@dataclass(frozen=True)
class OptimizeResult:
    """The best values of a search, and how they were found."""

    status: OptimizeStatus  # how it ended
    kind: str  # of the model
    goal: FigureGoal  # what was sought
    limits: tuple[FigureLimit, ...]  # what had to be kept
    ranges: Mapping[str, str]  # by variable: between what, or among which values
    start: Trial  # the file as it stands
    best: Trial | None  # the nearest to the goal that keeps the limits; else the one that breaks them least
    trials: tuple[Trial, ...]  # all that were tried, in order
    every: bool  # whether these were all combinations that there are
    again: float | None  # how far the written model's figures are from these, over their size
    stopped: bool  # whether Ctrl-C ended it
    seconds: float  # that it took
    text: str = field(repr=False, default="")  # of the best model, as TOML

    @property
    def failed(self) -> int:
        """How many of the values tried have no answer."""
        return sum(trial.failed for trial in self.trials)

    def is_angle(self, name: str) -> bool:
        """Whether what the goal or a limit names are angles, in radians here and in degrees for people.

        Args:
            name: of the figure.

        Returns:
            Whether they are.
        """
        known = (self.start, *self.trials)
        return any(is_angular(name, trial.figures, trial.in_radians) for trial in known if trial.in_radians)

    def summary(self) -> str:
        """A sentence, then the start beside the best, and each limit.

        Returns:
            Lines of text; the first is the sentence.
        """
        return "\n".join([_sentence(self), *_lines(self)])

    def to_dict(self) -> dict[str, Json]:
        """Plain lists and numbers, for JSON.

        Returns:
            What `--json` writes.
        """
        names = (self.goal.figure, *(limit.figure for limit in self.limits))
        return sayable(
            {
                "kind": self.kind,
                "command": "optimize",
                "status": self.status.name.lower(),
                "message": _sentence(self),
                "seconds": {"search": self.seconds},
                "version": version(),
                "goal": str(self.goal),
                "limits": [str(limit) for limit in self.limits],
                "in_radians": [*dict.fromkeys(name for name in names if self.is_angle(name))],
                "ranges": dict(self.ranges),
                "start": _trial_data(self.start, self),
                "best": None if self.best is None else _trial_data(self.best, self),
                "tried": len(self.trials),
                "failed": self.failed,
                "every": self.every,
                "again": self.again,
                "stopped": self.stopped,
                "trials": [_trial_data(trial, self) for trial in self.trials],
            }
        )

    def table(self) -> dict[str, list[Value]]:
        """Columns by name, a row for everything that was tried; NaN where there is no figure.

        Returns:
            Lists of equal length by column name.
        """
        columns: dict[str, list[Value]] = {"trial": list(range(1, len(self.trials) + 1))}
        columns |= {name: [trial.values[name] for trial in self.trials] for name in self.ranges}
        columns["status"] = [trial.status for trial in self.trials]
        columns[self.goal.figure] = [trial.goal for trial in self.trials]
        for k, limit in enumerate(self.limits):
            columns[f"within {limit}"] = [trial.margins[k] for trial in self.trials]
        columns["message"] = [trial.message for trial in self.trials]
        return columns

    def plot(self) -> Plot:
        """The goal's figure at everything that was tried, and the best so far.

        Returns:
            Points that keep the limits, points that do not, and a line.
        """
        angle = self.is_angle(self.goal.figure)
        kept, broken = ([*_points(self, keeps)] for keeps in (True, False))
        series = [Series("keeps the limits", *_arrays(kept), "points")]
        series += [Series("does not", *_arrays(broken), "points")] if broken else []
        best: list[tuple[int, float]] = []
        loss = replace(self.goal, value=math.degrees(self.goal.value)).loss if angle else self.goal.loss
        for number, found in kept:
            if not best or loss(found) < loss(best[-1][1]):
                best.append((number, found))
        if best:
            best.append((len(self.trials), best[-1][1]))
            x, y = _arrays(best)
            series.append(Series("best so far", np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]))
        note = f"{self.failed} of {len(self.trials)} without an answer" if self.failed else ""
        label = f"{self.goal.figure} (deg)" if angle else self.goal.figure
        return Plot(self.goal.as_text(angle), "values tried", label, tuple(series), note=note)

    def save(self, path: str | Path) -> None:
        """Write the best model (.toml), or all that was tried (.csv, .parquet, .json), by the suffix.

        Args:
            path: the file; one that is there is replaced.

        Raises:
            InputError: nothing was found that could be written as a model, or the suffix is none of these.
            PliantError: the file cannot be written, or pyarrow is missing.
        """
        path = given_path(path)
        if path.suffix.lower() != ".toml":
            save_columns(path, self.table, self.to_dict)
        elif self.text:
            write_whole(path, self.text.encode())
        else:
            cure = "Vary other parameters, or widen their ranges"
            raise InputError([Fault("", "there is no best model to write", cure)], str(path))


def _points(result: OptimizeResult, keeps: bool) -> list[tuple[int, float]]:
    scale = math.degrees(1.0) if result.is_angle(result.goal.figure) else 1.0
    return [
        (number, scale * trial.goal)
        for number, trial in enumerate(result.trials, start=1)
        if trial.keeps == keeps and math.isfinite(trial.goal)
    ]


def _arrays(points: list[tuple[int, float]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([float(x) for x, _ in points]), np.array([y for _, y in points], dtype=float)


def _trial_data(trial: Trial, result: OptimizeResult) -> dict[str, Json]:
    return {
        "values": dict(trial.values),
        "status": trial.status,
        "failed": trial.failed,
        "goal": trial.goal,
        "margins": {str(limit): margin for limit, margin in zip(result.limits, trial.margins, strict=True)},
        "keeps": trial.keeps,
    }


def _sentence(result: OptimizeResult) -> str:
    """How it ended, in one sentence."""
    goal, best, angle = result.goal, result.best, result.is_angle(result.goal.figure)
    if best is None:
        why = next((trial.message for trial in result.trials if trial.message), "")
        return (
            f"None of {len(result.trials)} values that were tried has an answer{f': {why}' if why else '.'}"
        )
    at = values_text(best.values)
    if result.status is OptimizeStatus.INFEASIBLE:
        broken = "; ".join(
            f"{limit.as_text(of)} by {amount_text(-margin, of, digits=4)}"
            for limit, margin in _broken(result, best)
            for of in [result.is_angle(limit.figure)]
        )
        return f"Nothing tried keeps all limits: the nearest, at {at}, still breaks {broken}."
    unsure = ", and the search is not at its end" if result.status is OptimizeStatus.NOT_CONVERGED else ""
    unsure = ", but not as it is written" if unsure and (result.again or 0.0) > SAME else unsure
    if not best.keeps:
        return f"Nothing tried so far keeps all limits{unsure}."
    if goal.aim == "meet" and result.status is not OptimizeStatus.MET:
        nearest = amount_text(best.goal, angle, digits=5)
        return f"Comes no nearer to {goal.as_text(angle)} than {nearest}, at {at}{unsure}."
    word = {"meet": "Meets", "minimize": "Least", "maximize": "Largest"}[goal.aim]
    found = f"{word} {goal.figure} found: {amount_text(best.goal, angle, digits=5)}"
    said = f"Meets {goal.as_text(angle)}" if goal.aim == "meet" else found
    return f"{said}, at {at}{unsure}{' (of all combinations)' if result.every else ''}."


def values_text(values: Mapping[str, Value]) -> str:
    """Values by name, in a few words."""
    return ", ".join(
        f"{name} = {value:.5g}" if isinstance(value, int | float) else f"{name} = {value}"
        for name, value in values.items()
    )


def _broken(result: OptimizeResult, trial: Trial) -> list[tuple[FigureLimit, float]]:
    pairs = zip(result.limits, trial.margins, strict=True)
    return [(limit, margin) for limit, margin in pairs if not margin >= 0]


def _lines(result: OptimizeResult) -> list[str]:
    """The start beside the best, each limit, and how many solves it took."""
    start, best = result.start, result.best or result.start
    lines = [f"  {'':<24} {'as it stands':>14} {'best':>14}"]
    angle = result.is_angle(result.goal.figure)
    lines += [f"  {result.goal.figure:<24} {_figure(start.goal, angle):>14} {_figure(best.goal, angle):>14}"]
    for k, limit in enumerate(result.limits):
        known = [meant(limit.figure, trial.figures) for trial in (start, best)]
        angle = result.is_angle(limit.figure)
        shown = [_figure(limit.worst(found)[1], angle) if found else "–" for found in known]
        near = _nearness(limit, best.margins[k], angle)
        lines.append(f"  {limit.as_text(angle):<24} {shown[0]:>14} {shown[1]:>14}  {near}")
    for name, said in result.ranges.items():
        shown = [_figure(trial.values.get(name, "–")) for trial in (start, best)]
        lines.append(f"  {name:<24} {shown[0]:>14} {shown[1]:>14}  of {said}")
    failed = f", {result.failed} of them without an answer" if result.failed else ""
    lines.append(f"  tried              {len(result.trials)}{failed}{_again(result)}")
    return lines


def _figure(value: Value, angle: bool = False) -> str:
    if isinstance(value, str):
        return value
    return amount_text(value, angle, digits=5) if math.isfinite(value) else "–"


def _nearness(limit: FigureLimit, margin: float, angle: bool) -> str:
    if not math.isfinite(margin):
        return "has no value"
    if 0 <= margin <= REACHED * limit.size:
        return "reached"
    share = f" ({abs(margin) / limit.size:.2%})" if limit.size else ""
    return f"{'within' if margin >= 0 else 'beyond'} by {amount_text(abs(margin), angle, digits=3)}{share}"


def _again(result: OptimizeResult) -> str:
    if result.again is None:
        return ""
    if result.again > SAME:
        return f"; the written model gives other figures, off by {result.again:.1g}"
    return f"; written and solved again, the figures are within {result.again:.1g}"
