"""Plot: a chart as data, so that every view can draw it its own way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.motion import plain
from pliant.core.store import Json, read_json, reading, write_json

SeriesStyle = Literal["line", "heavy", "dashed", "points", "bars", "band", "area", "map"]


@dataclass(frozen=True)
class Series:
    """One line, cloud of points, set of bars, band (y from `low` to `y`), area, or map (`z` over x and y).

    Heavy and dashed lines lie under the others, and areas under them all. An area is filled: rings of any
    number, closed and apart by NaN, outsides left about and holes right about.
    """

    name: str
    x: Floats  # (N,)
    y: Floats  # (N,)
    style: SeriesStyle = "line"
    low: Floats | None = None  # (N,) lower edge of a band, or lower end of a bar's range
    high: Floats | None = None  # (N,) upper end of a bar's range
    z: Floats | None = None  # (N,) of a map, at places in rows and columns, some of which may be missing


@dataclass(frozen=True)
class Plot:
    """A chart: axes with names and units, and the series on them."""

    title: str  # above the chart
    x_label: str  # with its unit
    y_label: str  # with its unit
    series: tuple[Series, ...]  # lines, points, bars, bands
    x_scale: Literal["linear", "log"] = "linear"  # of the axis
    y_scale: Literal["linear", "log"] = "linear"  # of the axis
    ticks: tuple[str, ...] = ()  # names of x = 0, 1, 2, … (bars)
    note: str = ""  # below the chart

    def __post_init__(self) -> None:
        for series in self.series:
            for array in (series.x, series.y, series.low, series.high, series.z):
                if array is not None:
                    if array.shape != series.x.shape:
                        raise ValueError(f"Plot series {series.name!r}: lengths differ")
                    array.setflags(write=False)

    def table(self) -> dict[str, Floats]:
        """Columns by name: x, and y of each series, padded with NaN to one length.

        Returns:
            Arrays of equal length by column name.
        """
        size = max((len(series.x) for series in self.series), default=0)
        columns: dict[str, Floats] = {}
        for number, series in enumerate(self.series):
            label = series.name or (self.y_label if not number else f"{self.y_label} {number + 1}")
            own = {f"{self.x_label}, {label}": series.x, label: series.y}
            own |= {
                f"{label}, {edge}": value
                for edge in ("low", "high", "z")
                if (value := getattr(series, edge)) is not None
            }
            columns |= {name: np.append(one, np.full(size - len(one), np.nan)) for name, one in own.items()}
        return columns

    def save(self, path: str | Path) -> None:
        """Write as JSON, whole or not at all.

        Args:
            path: the file; one that is there is replaced.

        Raises:
            PliantError: the file cannot be written.
        """
        write_json(path, self.to_dict())

    @classmethod
    def load(cls, path: str | Path) -> Plot:
        """Read what `save` wrote.

        Args:
            path: a file that `save` wrote.

        Returns:
            An equal plot.

        Raises:
            InputError: the file cannot be read, or holds no plot.
        """
        return cls.from_dict(read_json(path))

    def to_dict(self) -> dict[str, Json]:
        """Plain lists and numbers, for JSON.

        Returns:
            What `from_dict` takes.
        """
        return {**vars(self), "ticks": list(self.ticks), "series": [_series_to_dict(s) for s in self.series]}

    @classmethod
    @reading("plot")
    def from_dict(cls, said: Mapping[str, object]) -> Plot:
        """The inverse of `to_dict`.

        Args:
            said: what `to_dict` gave.

        Returns:
            An equal plot.

        Raises:
            InputError: something in it is missing, or of another type.
        """
        data: Any = said
        series = tuple(_series_from_dict(entry) for entry in data["series"])
        fields: dict[str, Any] = {**data, "ticks": tuple(data["ticks"]), "series": series}
        return cls(**fields)


ARRAYS = ("x", "y", "low", "high", "z")


def _series_to_dict(series: Series) -> dict[str, Any]:
    arrays = {name: getattr(series, name) for name in ARRAYS}
    return {**vars(series), **{n: None if a is None else plain(a) for n, a in arrays.items()}}


def _series_from_dict(data: Mapping[str, Any]) -> Series:
    arrays = {n: None if data.get(n) is None else np.array(data[n], np.float64) for n in ARRAYS}
    fields: dict[str, Any] = {**data, **arrays}
    return Series(**fields)
