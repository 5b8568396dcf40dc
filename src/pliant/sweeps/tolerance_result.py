"""What a model's tolerances come to: the yield, the spread of each figure, and what contributes to it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.errors import Fault, InputError
from pliant.core.faults import name_cure
from pliant.core.plot import Plot, Series
from pliant.core.store import Json, sayable, version, write_whole
from pliant.sweeps import tolerance_report
from pliant.sweeps.changed import changed_text
from pliant.sweeps.goals import FigureLimit
from pliant.sweeps.statistics import PERCENTILES, Contributions, contributions, share_interval
from pliant.sweeps.table import SweepTable, Value, save_columns
from pliant.sweeps.tolerance_status import ToleranceStatus

CONTRIBUTIONS = "contributions"  # the name of the chart of them


@dataclass(frozen=True)
class FigureSpread:
    """How a figure is spread over the samples that have it."""

    nominal: float  # without any deviation; NaN where that has no answer
    count: int  # samples that have it
    mean: float
    sigma: float  # standard deviation
    low: float  # the smallest
    high: float  # the largest
    percentiles: tuple[float, ...]  # at 1, 5, 50, 95 and 99 %
    contributions: Contributions | None  # None where it does not vary


@dataclass(frozen=True)
class TolerancesResult:
    """Samples of a model within its tolerances, and what they say."""

    kind: str  # of the model
    seed: int  # of the samples
    spreads: Mapping[str, str]  # by parameter or key path: its tolerance, in words
    limits: tuple[FigureLimit, ...]  # that a good sample keeps
    nominal: Mapping[str, float]  # figures of the model as it stands; none where it has no answer
    samples: SweepTable  # a row for each
    kept: tuple[bool, ...]  # whether each keeps all limits
    margins: tuple[tuple[float, ...], ...]  # of each within each limit; negative beyond, NaN without a figure
    seconds: float  # that it took
    text: str = ""  # of the model
    suffix: str = ".toml"  # of that text

    @property
    def status(self) -> ToleranceStatus:
        """How the samples came out."""
        if self.samples.failed == len(self.samples.rows):
            return ToleranceStatus.UNSOLVED
        if not self.limits:
            return ToleranceStatus.SPREAD
        return ToleranceStatus.ALL_PASS if all(self.kept) else ToleranceStatus.SOME_FAIL

    @property
    def passing(self) -> float:
        """The yield: the share of all samples that keep every limit; what has no answer keeps none."""
        return sum(self.kept) / max(len(self.kept), 1)

    @property
    def interval(self) -> tuple[float, float]:
        """Between what the yield lies, with 95 % confidence."""
        return share_interval(sum(self.kept), len(self.kept)) if self.kept else (0.0, 1.0)

    @cached_property
    def figures(self) -> dict[str, FigureSpread]:
        """How each figure is spread, by name."""
        return {name: self._spread(name) for name in self.samples.figures}

    def is_angle(self, name: str) -> bool:
        """Whether a figure, or what a limit names, are angles: in radians here, in degrees for people.

        Args:
            name: of the figure or the limit.

        Returns:
            Whether they are.
        """
        below = [one for one in self.samples.figures if one.startswith((f"{name}.", f"{name}["))]
        return name in self.samples.angles or (bool(below) and self.samples.angles.issuperset(below))

    def values(self, figure: str) -> Floats:
        """A figure of the samples that have it.

        Args:
            figure: its name.

        Returns:
            Values (K,), in the order of the samples.
        """
        rows = [row for row in self.samples.rows if figure in row.figures and not row.failed]
        return np.array([row.figures[figure] for row in rows], dtype=float)

    def _spread(self, name: str) -> FigureSpread:
        rows = [row for row in self.samples.rows if name in row.figures and not row.failed]
        values = self.values(name)
        if not len(values):
            none = math.nan
            return FigureSpread(self.nominal.get(name, none), 0, none, none, none, none, (none,) * 5, None)
        inputs = np.array([[float(row.changes[one]) for one in self.spreads] for row in rows])
        return FigureSpread(
            self.nominal.get(name, math.nan),
            len(values),
            float(values.mean()),
            float(values.std(ddof=1)) if len(values) > 1 else 0.0,
            float(values.min()),
            float(values.max()),
            tuple(float(value) for value in np.percentile(values, PERCENTILES)),
            contributions(inputs, values),
        )

    def worst(self, count: int) -> list[int]:
        """The samples farthest beyond a limit, or nearest to one, worst first; failed ones last.

        Without limits, those whose first figure is farthest from that of the model as it stands.

        Args:
            count: how many.

        Returns:
            Places in `samples.rows`.
        """
        return sorted(range(len(self.samples.rows)), key=self._badness)[:count]

    def _badness(self, place: int) -> tuple[bool, float]:
        row, margins = self.samples.rows[place], self.margins[place]
        if self.limits:
            sizes = [limit.size or 1.0 for limit in self.limits]
            known = [m / size for m, size in zip(margins, sizes, strict=True) if math.isfinite(m)]
            return row.failed or not known, min(known, default=0.0)
        name = next(iter(self.samples.figures), "")
        middle = self.nominal.get(name, self.figures[name].mean if name else 0.0)
        return name not in row.figures, -abs(row.figures.get(name, middle) - middle)

    def save_worst(self, count: int, folder: str | Path) -> list[Path]:
        """Write the worst samples as models: worst-1.toml and so on.

        Args:
            count: how many.
            folder: where to; made where it is not there.

        Returns:
            The files.

        Raises:
            PliantError: a file cannot be written.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        paths: list[Path] = []
        for number, place in enumerate(self.worst(count), start=1):
            text = changed_text(self.text, self.suffix, self.samples.rows[place].changes)
            paths.append(folder / f"worst-{number}.toml")
            write_whole(paths[-1], text.encode())
        return paths

    def summary(self) -> str:
        """A sentence, then the spread of each figure and what contributes to it.

        Returns:
            Lines of text; the first is the sentence.
        """
        return tolerance_report.summary(self)

    def to_dict(self) -> dict[str, Json]:
        """Plain lists and numbers, for JSON.

        Returns:
            What `--json` writes.
        """
        data = {
            "kind": self.kind,
            "command": "tolerances",
            "status": self.status.name.lower(),
            "message": tolerance_report.sentence(self),
            "seconds": {"solve": self.seconds},
            "version": version(),
            "seed": self.seed,
            "tolerances": dict(self.spreads),
            "limits": [str(limit) for limit in self.limits],
            "in_radians": sorted(self.samples.angles),
            "samples": len(self.samples.rows),
            "left": self.samples.left,
            "failed": self.samples.failed,
            "yield": self.passing if self.limits else None,
            "interval": list(self.interval) if self.limits else None,
            "figures": {name: self._figure_data(spread) for name, spread in self.figures.items()},
            "rows": self.samples.to_dict()["rows"],
        }
        return sayable(data)

    def _figure_data(self, spread: FigureSpread) -> dict[str, Json]:
        parts = spread.contributions
        return {
            **{key: value for key, value in vars(spread).items() if key != "contributions"},
            "percentiles": dict(zip(map(str, PERCENTILES), spread.percentiles, strict=True)),
            "contributions": dict(zip(self.spreads, parts.shares, strict=True)) if parts else None,
            "unexplained": parts.unexplained if parts else None,
        }

    def table(self) -> dict[str, list[Value]]:
        """Columns by name, a row for each sample; NaN where a row has no such figure.

        Returns:
            Lists of equal length by column name.
        """
        columns = self.samples.table()
        message = columns.pop("message")
        kept: dict[str, list[Value]] = {"keeps": [int(one) for one in self.kept]} if self.limits else {}
        return {**columns, **kept, "message": message}

    def save(self, path: str | Path) -> None:
        """Write the samples (.csv, .parquet) or everything (.json), by the suffix.

        Args:
            path: the file; one that is there is replaced.

        Raises:
            InputError: the suffix is none of these.
            PliantError: the file cannot be written, or pyarrow is missing.
        """
        save_columns(path, self.table, self.to_dict)

    def plot(self, name: str | None = None) -> Plot:
        """The histogram of a figure with its limits, or "contributions".

        Args:
            name: of the figure; left out, the first.

        Returns:
            Bars, and a dashed line at each limit.

        Raises:
            InputError: there is no such figure, or no sample has one.
        """
        known = [*self.samples.figures, CONTRIBUTIONS]
        if not self.samples.figures or (name is not None and name not in known):
            raise InputError([Fault("--plot", f"there is no {name!r}", name_cure(name, known, "There are"))])
        if name == CONTRIBUTIONS:
            return self._contribution_plot()
        return self._histogram(name or self.samples.figures[0])

    def _histogram(self, name: str) -> Plot:
        scale = math.degrees(1.0) if self.is_angle(name) else 1.0
        values = scale * self.values(name)
        counts, edges = np.histogram(values, bins=min(40, max(8, round(math.sqrt(len(values))))))
        bars = Series("samples", (edges[1:] + edges[:-1]) / 2, counts.astype(float), "bars")
        ends = [
            (limit, end)
            for limit in self.limits
            if name == limit.figure or name.startswith((f"{limit.figure}.", f"{limit.figure}["))
            for end in (limit.low, limit.high)
            if math.isfinite(end)
        ]
        top = float(counts.max(initial=1))
        lines = [
            Series(limit.as_text(scale != 1), np.full(2, scale * end), np.array([0.0, top]), "dashed")
            for limit, end in ends
        ]
        failed = f"; {self.samples.failed} without an answer" if self.samples.failed else ""
        note = f"{len(values)} samples, seed {self.seed}{failed}"
        label = f"{name} (deg)" if scale != 1 else name
        return Plot(f"{name} within the tolerances", label, "samples", (bars, *lines), note=note)

    def _contribution_plot(self) -> Plot:
        place = np.arange(len(self.spreads), dtype=float)
        series = [
            Series(name, place.copy(), np.array(spread.contributions.shares), "bars")
            for name, spread in self.figures.items()
            if spread.contributions
        ]
        label = "share of the variance"
        return Plot("What contributes", "", label, tuple(series[:4]), ticks=tuple(self.spreads))
