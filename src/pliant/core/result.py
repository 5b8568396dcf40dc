"""The base of every result: data, whose words, motion, charts and plain data are made by other modules.

A method's `__init__.py` names the functions that make them, and its `result.py` imports no drawing:

    present("pliant.snap.result:SnapResult", summary="pliant.snap.report:summary", …)
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # so that a method's `__init__.py` loads no numpy
    from pliant.core.motion import Motion
    from pliant.core.plot import Plot
    from pliant.core.store import Json

_PRESENTERS: dict[str, Mapping[str, str]] = {}  # of each class of results: functions, by what they give


def present(result: str, **functions: str) -> None:
    """Name the functions that take a class of results, by what they give.

    These are summary, motion, plots, to_dict and the like. Class and functions are "module:name", so that
    nothing is imported before it is needed.
    """
    _PRESENTERS[result] = functions


class Result:
    """What answers a study: subclasses are frozen data and have a `status`."""

    @cached_property
    def motion(self) -> Motion:
        """The motion for every view."""
        return self._presentation("motion")

    @property
    def alerts(self) -> tuple[str, ...]:
        """What a designer must notice beside the status, in a few words each."""
        return tuple(self._presentation("alerts")) if "alerts" in self._presenters else ()

    @property
    def in_radians(self) -> tuple[str, ...]:
        """Key paths of `to_dict()` that are angles in radians; * stands for any names between."""
        return tuple(self._presentation("in_radians")) if "in_radians" in self._presenters else ()

    def plots(self) -> dict[str, Plot]:
        """Charts, by name.

        Returns:
            Plots by name, none where there is nothing to chart.
        """
        return self._presentation("plots")

    def plot(self, name: str | None = None) -> Plot:
        """The chart of that name; without one, the first.

        Args:
            name: of the chart; left out, the first.

        Returns:
            The chart.

        Raises:
            InputError: there is none of that name, or none at all.
        """
        from pliant.core.errors import Fault, InputError
        from pliant.core.faults import name_cure
        from pliant.core.given import given_text

        charts = self.plots()
        if name is not None:
            given_text(name, "plot", f"There are: {', '.join(charts) or 'none'}")
        if not charts or (name is not None and name not in charts):
            raise InputError(
                [Fault("plot", f"there is no chart {name!r}", name_cure(name, charts, "There are"))]
            )
        return charts[name or next(iter(charts))]

    def summary(self) -> str:
        """A sentence, then the figures.

        Returns:
            Lines of text; the first is the sentence.
        """
        return self._presentation("summary")

    def to_dict(self) -> dict[str, Json]:
        """Plain lists and numbers, for JSON.

        Returns:
            What `--json` writes, its motion under "motion".
        """
        return self._presentation("to_dict")

    def _presentation(self, name: str) -> Any:
        """What the function given to `present` by this name makes of the result."""
        module, _, function = self._presenters[name].partition(":")
        return getattr(import_module(module), function)(self)

    @property
    def _presenters(self) -> Mapping[str, str]:
        return _PRESENTERS.get(f"{type(self).__module__}:{type(self).__qualname__}", {})
