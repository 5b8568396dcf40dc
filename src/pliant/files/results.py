"""Results to files and back: what `--json` writes is a result again when it is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pliant.core.given import refused
from pliant.core.motion import Motion
from pliant.core.plot import Plot
from pliant.core.result import Result
from pliant.core.status import Status
from pliant.core.store import Json
from pliant.files.kinds import fetch, kind_named
from pliant.view.shown import Shown

SHOWN = ("summary", "alerts", "plots", "in_radians")  # what a file has beside `to_dict`


def result_data(result: Result) -> dict[str, Json]:
    """All that a result says of itself, as JSON has it: figures, motion, words and charts.

    Args:
        result: of a solve, an edit or a search.

    Returns:
        What a file of it holds, and `SavedResult` reads.
    """
    if not isinstance(result, Result):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise refused("result", result, "result", "Give what solve gives")
    plots: dict[str, Json] = {name: plot.to_dict() for name, plot in result.plots().items()}
    said: dict[str, Json] = {"summary": result.summary(), "alerts": list(result.alerts), "plots": plots}
    return {**result.to_dict(), **said, "in_radians": list(result.in_radians)}


@dataclass(frozen=True, repr=False, eq=False)
class SavedResult(Shown):
    """A result that was read from a file: it has the status, words, motion and charts of the one saved.

    Its figures are those of `to_dict()`; what a method computes only when it is asked is not there.
    """

    data: Mapping[str, Any]  # what `--json` wrote

    @property
    def kind(self) -> str:
        """What the model was: "assembly", "linkage", …."""
        return self.data["kind"]

    @property
    def command(self) -> str:
        """What was asked: "flex", "trace", …."""
        return self.data["command"]

    @cached_property
    def status(self) -> Status:
        """How it ended."""
        return fetch(kind_named(self.kind).statuses[self.command])[self.data["status"].upper()]

    @cached_property
    def motion(self) -> Motion:
        """The motion for every view."""
        return Motion.from_dict(self.data["motion"])

    @property
    def alerts(self) -> tuple[str, ...]:
        """What a designer must notice beside the status, in a few words each."""
        return tuple(self.data.get("alerts", ()))

    @property
    def in_radians(self) -> tuple[str, ...]:
        """Key paths of `to_dict()` that are angles in radians; * stands for any names between."""
        return tuple(self.data.get("in_radians", ()))

    def plots(self) -> dict[str, Plot]:
        """Charts, by name.

        Returns:
            Plots by name, as they were saved.
        """
        return {name: Plot.from_dict(plot) for name, plot in self.data.get("plots", {}).items()}

    def summary(self) -> str:
        """A sentence, then the figures.

        Returns:
            Lines of text; the first is the sentence.
        """
        return self.data.get("summary", self.data["message"])

    def to_dict(self) -> dict[str, Json]:
        """Plain lists and numbers, as the result that was saved gave them.

        Returns:
            What `--json` wrote, its motion under "motion".
        """
        return {key: value for key, value in self.data.items() if key not in SHOWN}
