"""What a search may change: a parameter or a key by its path, between two values or among some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pliant.core.errors import Fault, InputError
from pliant.core.given import given_values
from pliant.sweeps.cases import range_values, read_value
from pliant.sweeps.table import Value

DIGITS = 12  # of a value that is tried: the model that is written has the very same


@dataclass(frozen=True)
class Variable:
    """A name and its values: all between two, or some that are listed.

    A search goes by a coordinate: from 0 to 1 between the two, or the place in the list.
    """

    name: str
    low: float = 0.0
    high: float = 1.0
    values: tuple[Value, ...] = ()

    @property
    def last(self) -> float:
        """The largest coordinate."""
        return len(self.values) - 1 if self.values else 1.0

    def value(self, coordinate: float) -> Value:
        """The value at a coordinate."""
        if self.values:
            return self.values[min(max(round(coordinate), 0), len(self.values) - 1)]
        share = min(max(coordinate, 0.0), 1.0)
        found = float(f"{self.low + (self.high - self.low) * share:.{DIGITS}g}")
        return min(max(found, self.low), self.high)

    def coordinate(self, value: object) -> float | None:
        """Where a value lies; None where it is not among those allowed."""
        if self.values:
            return float(self.values.index(value)) if value in self.values else None
        if not isinstance(value, int | float) or not self.low <= value <= self.high:
            return None
        return (value - self.low) / (self.high - self.low)

    def __str__(self) -> str:
        return ", ".join(map(str, self.values)) if self.values else f"{self.low:g} to {self.high:g}"


def read_variables(ranges: Mapping[str, str | Sequence[object]], unit: str) -> list[Variable]:
    """Variables of ranges: "10:20" is all between, "10:20:2" and "1, 2, 3" are these.

    In Python, a tuple of two is all between, and a list is these.
    """
    if not ranges:
        raise InputError([Fault("", "nothing is to be varied", "Name a parameter and a range: a=10:20")])
    return [_variable(name, given, unit) for name, given in ranges.items()]


def _variable(name: str, given: str | Sequence[object], unit: str) -> Variable:
    given = given_values(given, name, 'Give a pair such as (10, 20), a list, or text such as "10:20"')
    ends = given.split(":") if isinstance(given, str) else given
    between = len(ends) == 2 and (isinstance(given, tuple) or (isinstance(given, str) and ":" in given))
    if not between:
        values = tuple(dict.fromkeys(range_values(name, given, unit)))
        if len(values) < 2:
            raise InputError([Fault(name, f"has {len(values)} value to try", "Give a range, or several")])
        return Variable(name, values=values)
    low, high = (read_value(name, str(end), unit) for end in ends)
    if not (low < high):
        problem = f"goes from {low:g} to {high:g}, which is {'one value' if low == high else 'backwards'}"
        raise InputError([Fault(name, problem, "Write it as smallest:largest, such as 10:20")])
    return Variable(name, low, high)
