"""Values of what has a tolerance, sample by sample: the same for the same seed, wherever they are solved.

Each name has a stream of its own. Sample k is the k-th of every stream, so that it depends neither on how
many samples are taken nor on what else varies.
"""

from __future__ import annotations

import csv
import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from pliant.core.arrays import Floats
from pliant.core.errors import Fault, InputError
from pliant.core.faults import key_path, name_cure
from pliant.core.model import Tolerance
from pliant.files.parse import read_text
from pliant.sweeps.process_spreads import PROCESSES
from pliant.sweeps.variables import DIGITS

TABLE_BYTES = 10_000_000
TINY = 2.0**-54  # a share nearer to 0 or 1 would be without end


@dataclass(frozen=True)
class Spread:
    """How a number is spread: normal about a middle, cut off at both ends; even between them; or measured."""

    name: str
    nominal: float  # as the file has it
    middle: float
    sigma: float = 0.0  # of a normal spread
    low: float = -math.inf  # ends of a normal spread that is cut off, or of an even one
    high: float = math.inf
    measured: tuple[float, ...] = ()  # in order

    def at(self, shares: Floats) -> Floats:
        """The values below which these shares of all lie (K,), in as many digits as a file gets."""
        if self.measured:
            found = np.array(self.measured)[(shares * len(self.measured)).astype(int)]
        elif self.sigma:
            ends = ndtr((np.array([self.low, self.high]) - self.middle) / self.sigma)
            between = ends[0] + np.clip(shares, TINY, 1 - TINY) * (ends[1] - ends[0])
            found = np.clip(self.middle + self.sigma * ndtri(between), self.low, self.high)
        elif math.isfinite(self.low):
            found = self.low + shares * (self.high - self.low)
        else:
            found = np.full(len(shares), self.middle)
        return np.array([float(f"{value:.{DIGITS}g}") for value in found])


def spread_of(name: str, tolerance: Tolerance, nominal: float, mm: float, folder: Path | None) -> Spread:
    """The spread that a tolerance stands for; `mm` is a millimetre in the file's unit."""
    if tolerance.process is not None:
        return _process_spread(name, tolerance, nominal, mm)
    middle = nominal + tolerance.shift
    if tolerance.uniform is not None:
        return Spread(name, nominal, middle, low=middle - tolerance.uniform, high=middle + tolerance.uniform)
    if tolerance.normal is not None:
        within = math.inf if tolerance.within is None else tolerance.within
        if abs(tolerance.shift) >= within:
            problem = f"is shifted by {tolerance.shift:g}, and sorted within ±{within:g}"
            raise InputError([Fault(_tolerance_path(name), problem, "Let the shift be less, or more pass")])
        sigma = tolerance.normal / tolerance.sigmas
        return Spread(name, nominal, middle, sigma, nominal - within, nominal + within)
    values = tolerance.measured if tolerance.file is None else _column(name, tolerance, folder)
    off = tolerance.shift + (0.0 if tolerance.nominal is None else nominal - tolerance.nominal)
    return Spread(name, nominal, middle, measured=tuple(sorted(value + off for value in values or ())))


def _process_spread(name: str, tolerance: Tolerance, nominal: float, mm: float) -> Spread:
    process = PROCESSES[str(tolerance.process)]
    half = process.half(nominal, mm)
    middle = nominal + process.shift_mm * mm + tolerance.shift
    if process.shape == "normal":
        return Spread(name, nominal, middle, half / 3)
    return Spread(name, nominal, middle, low=middle - half, high=middle + half)


def _tolerance_path(name: str) -> str:
    return key_path(("tolerances", name))


def _column(name: str, tolerance: Tolerance, folder: Path | None) -> list[float]:
    """Measured values of a table in the model's folder."""
    file = str(tolerance.file)
    if folder is None:
        problem = f"reads {file!r}, and the model has no folder"
        raise InputError([Fault(_tolerance_path(name), problem, "Put the model into a file beside it")])
    root = folder.resolve()
    path = (root / file).resolve()
    if not path.is_relative_to(root):
        problem = f"reads {file!r}, which lies outside the model's folder"
        raise InputError([Fault(_tolerance_path(name), problem, "Copy the table beside the model")])
    rows = [row for row in csv.reader(read_text(path, TABLE_BYTES).splitlines()) if any(row)]
    head = [cell.strip() for cell in rows[0]]
    column = head[0] if tolerance.column is None else tolerance.column
    if column not in head:
        problem = f"{file} has no column {column!r}"
        raise InputError([Fault(_tolerance_path(name), problem, name_cure(column, head, "There are"))])
    values = [_number(row, head.index(column), f"{file} line {k}") for k, row in enumerate(rows[1:], start=2)]
    if not values:
        raise InputError(
            [Fault(_tolerance_path(name), f"{file} has no rows below its first line", "Add some")]
        )
    return values


def _number(row: Sequence[str], column: int, where: str) -> float:
    try:
        value = float(row[column])
    except (IndexError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        given = row[column] if column < len(row) else ""
        raise InputError([Fault(where, f"{given!r} is no measured value", "Write a number, as 9.98")])
    return value


def draw(spreads: Sequence[Spread], count: int, seed: int) -> Floats:
    """Values (K, N) of K samples."""
    columns = [spread.at(_stream(spread.name, seed).random(count)) for spread in spreads]
    return np.column_stack(columns) if columns else np.zeros((count, 0))


def _stream(name: str, seed: int) -> np.random.Generator:
    key = np.frombuffer(hashlib.sha256(name.encode()).digest(), dtype="<u4")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key.tolist())))


def read_tolerance(name: str, text: str) -> dict[str, Any]:
    """A tolerance of the command line as a file has it: "normal:0.15,sigmas:3", "measured:9.9;10.1", "laser".

    >>> read_tolerance("gap", "normal:0.15, sigmas:3")
    {'normal': '0.15', 'sigmas': '3'}
    """
    if text.strip() in PROCESSES:
        return {"process": text.strip()}
    table: dict[str, Any] = {}
    for part in text.split(","):
        key, colon, value = (word.strip() for word in part.partition(":"))
        if not (key and colon and value):
            cure = f"Write normal:0.05, uniform:0.1, normal:0.15,sigmas:3 or one of {', '.join(PROCESSES)}"
            raise InputError([Fault("--vary", f"{name}={text} is no spread", cure)])
        table[key] = value.split(";") if key == "measured" else value
    return table


def with_tolerances(data: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """A file's data with tolerances that go before its own."""
    own = data.get("tolerances", {})
    return {**data, "tolerances": {**own, **given}} if given and isinstance(own, Mapping) else dict(data)
