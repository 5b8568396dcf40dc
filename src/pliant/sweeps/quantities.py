"""The figures of a result by name: its scalars, and extremes of its lists, for tables and goals."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pliant.core.errors import Fault, InputError
from pliant.core.faults import name_cure

# Of a result's data, what says how it was made, and what is no figure.
LEFT_OUT = ("kind", "command", "status", "message", "seconds", "version", "model", "motion")
SHORT = 3  # entries: longer lists are figures by their extremes only
FEW = 400  # figures of one result
COMMON = 12  # figures that a table has where none are asked for

_EXTREME = re.compile(r"(min|max|first|last|mean)\((.+)\)")


def quantities(data: Mapping[str, Any]) -> dict[str, float]:
    """Every scalar of a result's data by its path: "objective", "end.t", "strain.hook.peak", "poses.lid[2]".

    Entries of lists that are tables with names of their own are not followed; what has no value or no bound
    is left out.
    """
    figures: dict[str, float] = {}
    for name, value in _scalars("", {key: data[key] for key in data if key not in LEFT_OUT}):
        if len(figures) == FEW:
            break
        figures[name] = value
    return figures


def common(data: Mapping[str, Any]) -> dict[str, float]:
    """The first figures of a result, for where none are asked for."""
    return dict(list(quantities(data).items())[:COMMON])


def _scalars(path: str, value: Any) -> Iterator[tuple[str, float]]:
    if isinstance(value, bool):
        yield path, float(value)
    elif isinstance(value, int | float):
        if math.isfinite(value):
            yield path, float(value)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _scalars(f"{path}.{key}" if path else str(key), item)
    elif (
        isinstance(value, list) and len(value) <= SHORT and not any(isinstance(v, list | dict) for v in value)
    ):
        for index, item in enumerate(value):
            yield from _scalars(f"{path}[{index}]", item)


def chosen(names: Iterable[str], data: Mapping[str, Any]) -> dict[str, float]:
    """The figures asked for: by path; by the path of a table, all below it; or as "max(force.insertion)".

    An InputError lists those that there are.
    """
    known = quantities(data)
    figures: dict[str, float] = {}
    for name in names:
        own = _figures_named(name, known, data)
        if own is None:
            raise InputError([Fault("--report", f"{name!r} is no figure of this result", _cure(name, known))])
        figures.update(own)
    return figures


def _figures_named(name: str, known: Mapping[str, float], data: Mapping[str, Any]) -> dict[str, float] | None:
    if name in known:
        return {name: known[name]}
    if match := _EXTREME.fullmatch(name):
        values = _list_at(match[2], data)
        return None if values is None else _extreme(name, match[1], values)
    below = {path: value for path, value in known.items() if path.startswith((f"{name}.", f"{name}["))}
    if below:
        return below
    return {} if _is_there(name, data) else None


def _extreme(name: str, how: str, values: list[float]) -> dict[str, float]:
    if not values:
        return {}
    pick = {"first": lambda v: v[0], "last": lambda v: v[-1], "mean": lambda v: sum(v) / len(v)}
    return {name: float({"min": min, "max": max, **pick}[how](values))}


def _list_at(path: str, data: Any) -> list[float] | None:
    """The numbers of the list at a path; None where there is no list of numbers."""
    for key in path.split("."):
        if not isinstance(data, Mapping) or key not in data:
            return None
        data = data[key]
    if not isinstance(data, list) or any(not isinstance(v, int | float | None) for v in data):
        return None
    return [float(v) for v in data if v is not None and math.isfinite(v)]


def _is_there(path: str, data: Any) -> bool:
    """Whether a result has that key, though this one has no figure under it."""
    return isinstance(data, Mapping) and path.split(".", maxsplit=1)[0] in data


def _cure(name: str, known: Mapping[str, float]) -> str:
    return name_cure(name, known, "There are")[:600]
