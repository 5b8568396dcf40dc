"""What many solves came to: a row a case, with its parameters, its status and its figures."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from pliant.core.angular import amount_text, angles_of
from pliant.core.errors import Fault, InputError
from pliant.core.given import given_path
from pliant.core.plot import Plot, Series
from pliant.core.store import Json, write_json, write_parquet, write_whole

Value = int | float | str


@dataclass(frozen=True)
class SweepRow:
    """One case: what was changed, how it ended, and its figures."""

    name: str
    changes: Mapping[str, Value]
    status: str  # that of its result; "bad_input", "failed", "lost", "time_limit"; "" where it was not done
    message: str
    failed: bool
    figures: Mapping[str, float]
    seconds: float


@dataclass(frozen=True)
class SweepTable:
    """Rows in the order of their cases."""

    parameters: tuple[str, ...]  # names of what was varied
    rows: tuple[SweepRow, ...]  # one for each case that was done
    left: int = 0  # cases that a stop left undone
    in_radians: tuple[str, ...] = ()  # paths of the figures that are angles; * stands for any names between

    @property
    def failed(self) -> int:
        """How many cases have no answer."""
        return sum(row.failed for row in self.rows)

    @cached_property
    def figures(self) -> tuple[str, ...]:
        """The names of all figures, in the order in which they came first."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row.figures))

    @cached_property
    def angles(self) -> frozenset[str]:
        """The names of the figures that are angles, in radians here and in files, in degrees for people."""
        return frozenset(angles_of(self.figures, self.in_radians))

    def table(self) -> dict[str, list[Value]]:
        """Columns by name, for CSV files and data frames; NaN where a row has no such figure.

        Returns:
            Lists of equal length by column name.
        """
        columns: dict[str, list[Value]] = {"case": [row.name for row in self.rows]}
        columns |= {name: [row.changes.get(name, "") for row in self.rows] for name in self.parameters}
        columns["status"] = [row.status for row in self.rows]
        columns |= {name: [row.figures.get(name, math.nan) for row in self.rows] for name in self.figures}
        columns["message"] = [row.message for row in self.rows]
        return columns

    def to_dict(self) -> dict[str, Json]:
        """Plain lists and numbers, for JSON.

        Returns:
            What `--json` writes.
        """
        return {
            "parameters": list(self.parameters),
            "left": self.left,
            "in_radians": [*sorted(self.angles)],
            "rows": [
                {**vars(row), "changes": dict(row.changes), "figures": dict(row.figures)} for row in self.rows
            ],
        }

    def summary(self) -> str:
        """A sentence, then the range of each figure.

        Returns:
            Lines of text; the first is the sentence.
        """
        done, failed = len(self.rows), self.failed
        said = f"Solved {done} case{'s' * (done != 1)}" + (f", {failed} without an answer" if failed else "")
        said += f"; {self.left} left, --resume goes on" if self.left else ""
        lines = [f"{said}."]
        for name in self.figures[:20]:
            values = [(row.figures[name], row.name) for row in self.rows if name in row.figures]
            (low, at_low), (high, at_high) = min(values), max(values)
            ends = [amount_text(value, name in self.angles) for value in (low, high)]
            lines.append(f"  {name:<18} {ends[0]} ({at_low}) to {ends[1]} ({at_high})")
        for row in [row for row in self.rows if row.failed][:5]:
            lines.append(f"  {row.name:<18} {row.status}: {row.message}")
        return "\n".join(lines)

    def save(self, path: str | Path) -> None:
        """Write as .csv, .parquet or .json, by the suffix.

        Args:
            path: the file; one that is there is replaced.

        Raises:
            InputError: the suffix is none of these.
            PliantError: the file cannot be written, or pyarrow is missing.
        """
        save_columns(path, self.table, self.to_dict)

    def plot(self, figure: str | None = None) -> Plot:
        """A figure over the first parameter, or over the first two as a map.

        Args:
            figure: its name; left out, the first.

        Returns:
            A line or a map.

        Raises:
            InputError: there is no such figure, or more parameters vary than a picture has axes.
        """
        figure = self._figure_named(figure)
        varied = [name for name in self.parameters if len({row.changes[name] for row in self.rows}) > 1]
        shown = [row for row in self.rows if figure in row.figures and self._is_numeric(row, varied)]
        if len(varied) not in (1, 2) or not shown:
            problem = f"{len(varied)} parameters are varied by numbers"
            raise InputError([Fault("-o", problem, "One gives a curve and two a map; write a .csv of more")])
        x, y = (np.array([float(row.changes[name]) for row in shown]) for name in (varied[0], varied[-1]))
        z = np.array([row.figures[figure] for row in shown])
        if figure in self.angles:
            z, figure = np.degrees(z), f"{figure} (deg)"
        note = f"{self.failed} of {len(self.rows)} without an answer" if self.failed else ""
        if len(varied) == 1:
            order = np.argsort(x)
            lines = (Series("", x[order], z[order]), Series("", x[order], z[order], "points"))
            return Plot(figure, varied[0], figure, lines, note=note)
        return Plot(figure, varied[0], varied[1], (Series(figure, x, y, "map", z=z),), note=note)

    def _figure_named(self, figure: str | None) -> str:
        if not self.figures:
            raise InputError([Fault("-o", "no case has a figure to draw", "Look at the statuses in a .csv")])
        if figure is not None and figure not in self.figures:
            raise InputError(
                [Fault("--plot", f"there is no {figure!r}", f"There are: {', '.join(self.figures)}")]
            )
        return figure or self.figures[0]

    @staticmethod
    def _is_numeric(row: SweepRow, names: Sequence[str]) -> bool:
        return all(_is_number(row.changes[name]) for name in names)


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def save_columns(
    path: str | Path, table: Callable[[], Mapping[str, Sequence[Any]]], data: Callable[[], dict[str, Json]]
) -> None:
    """Write a table as .csv or .parquet, or all its data as .json, by the suffix."""
    path = given_path(path)
    match path.suffix.lower():
        case ".json":
            write_json(path, data())
        case ".parquet":
            write_parquet(path, table())
        case ".csv":
            write_whole(path, csv_text(table()).encode())
        case _:
            cure = "Name the file table.csv"
            raise InputError([Fault("", "ends in none of .csv, .parquet and .json", cure)], str(path))


def csv_text(columns: Mapping[str, Sequence[Any]]) -> str:
    """Numbers with all their digits; what a spreadsheet would take for a formula gets a quote before it."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow([_cell(name) for name in columns])
    for row in zip(*columns.values(), strict=True):
        rows.writerow([_cell(value) for value in row])
    return text.getvalue()


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else ""
    said = str(value)
    return f"'{said}" if said[:1] in tuple("=+-@\t\r") and not _is_number(said) else said
