"""From where to where each slider goes, and where it starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from pliant.core.errors import Fault, InputError
from pliant.core.expression import Amount, ExpressionError, evaluate, units_in
from pliant.files.parameters import PARAMETERS, key_place, parameter_names

STEPS = 100  # of a slider that says none


@dataclass(frozen=True)
class SliderRange:
    """One parameter."""

    name: str
    low: float
    high: float
    step: float
    start: float


def slider_ranges(data: Mapping[str, Any], given: Mapping[str, Any]) -> list[SliderRange]:
    """A slider for each range; without any, for every parameter that has a number."""
    own = {name: _value(data, name) for name in parameter_names(data)}
    spans = dict(given) or {name: (value / 2, 1.5 * value) for name, value in own.items() if value}
    if not spans:
        problem = "the model has no parameter with a number"
        cure = 'Give ranges of keys, such as {"friction": (0, 0.5)}, or write [parameters]'
        raise InputError([Fault("ranges", problem, cure)])
    faults = list(_faults(spans))
    if faults:
        raise InputError(faults)
    return [_slider(name, span, _value(data, name)) for name, span in spans.items()]


def _faults(spans: Mapping[str, Any]) -> Iterator[Fault]:
    for name, span in spans.items():
        numbers = isinstance(span, Sequence) and all(isinstance(one, int | float) for one in span)
        if not (numbers and len(span) in (2, 3) and all(map(isfinite, span)) and span[0] != span[1]):
            cure = "Give the least, the greatest, and if wanted the step: (10, 20, 0.5)"
            yield Fault(f"ranges.{name}", f"is {span!r}", cure)
        elif len(span) == 3 and span[2] <= 0:
            yield Fault(f"ranges.{name}", f"has a step of {span[2]:g}", "Give one that is positive")


def _slider(name: str, span: Sequence[float], value: float | None) -> SliderRange:
    low, high = sorted(map(float, span[:2]))
    step = float(span[2]) if len(span) == 3 else (high - low) / STEPS
    start = (low + high) / 2 if value is None else min(max(value, low), high)
    return SliderRange(name, low, high, step, start)


def _value(data: Mapping[str, Any], name: str) -> float | None:
    """What a parameter, or a key by its path, is in the file; None where it has no number of its own."""
    value: Any = data.get(PARAMETERS, {}).get(name) if name in parameter_names(data) else data
    if value is data:
        for key in key_place(name) or ("",):
            try:
                value = value[key]
            except (LookupError, TypeError):
                return None
    if isinstance(value, str):
        return _evaluated(value, str(data.get("units", "mm")))
    return float(value) if isinstance(value, int | float) or hasattr(value, "as_integer_ratio") else None


def _evaluated(text: str, units: str) -> float | None:
    try:
        amount: Amount = evaluate(text, {}, units_in(units))
    except ExpressionError:
        return None
    return float(amount.value)
