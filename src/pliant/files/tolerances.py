"""[tolerances] of a model file: what varies is a parameter, or a key by its path, that holds a number.

[tolerances]
gap = { normal = 0.05 }
"pawls[0].stiffness" = { uniform = 10 }
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from pliant.core.errors import Fault, InputError
from pliant.core.faults import KeyPath, key_path, name_cure
from pliant.core.quantity import angle, number
from pliant.files.parameters import PARAMETERS, key_place, number_kind, parameter_names

TOLERANCES = "tolerances"


def tolerance_faults(data: Mapping[str, Any], schema: Mapping[str, Any]) -> list[Fault]:
    """Tolerances of what is no number of the file."""
    table = data.get(TOLERANCES)
    if not isinstance(table, Mapping):
        return []
    found = ((name, tolerance_fault(name, data, schema)) for name in table)
    return [Fault(key_path((TOLERANCES, name)), *said) for name, said in found if said]


def tolerance_fault(name: str, data: Mapping[str, Any], schema: Mapping[str, Any]) -> tuple[str, str] | None:
    """Why a name can have no tolerance, and what to do; None where it can."""
    parameters = parameter_names(data)
    if name in parameters:
        return None
    place = key_place(name)
    keys = [key for key in schema["properties"] if key not in (PARAMETERS, TOLERANCES)]
    if place is None or place[0] not in keys or not _has(data, place[:-1]):
        known = [*parameters, *(key for key in keys if number_kind(schema, (key,)) not in ("", "whole"))]
        return "is no parameter and no key of this file", name_cure(name, known, "There are")
    kind = number_kind(schema, place)
    if kind in ("", "whole"):
        what = "takes whole numbers only" if kind else "holds no number"
        return what, "Name a parameter, or a key such as pawls[0].stiffness"
    return None


def nominal_value(name: str, data: Mapping[str, Any], model: Any, schema: Mapping[str, Any]) -> float:
    """What a file without tolerances has there: data with numbers in place of expressions, or its default."""
    if name in model.parameters:
        return model.parameters[name]
    place = key_place(name) or ()
    value = _at(data, place)
    if isinstance(value, str):
        return angle(value) if number_kind(schema, place) == "angle" else number(value)
    value = _at(model.model_dump(by_alias=True), place) if value is None else value
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | Fraction):
        problem = "has no number in this file to vary about"
        raise InputError([Fault(key_path((TOLERANCES, name)), problem, f"Set {name}, or name a parameter")])
    return float(value)


def _has(data: Any, place: KeyPath) -> bool:
    return not place or _at(data, place) is not None


def _at(data: Any, place: KeyPath) -> Any:
    """What stands at a place; None where nothing does."""
    for part in place:
        try:
            data = data[part]
        except (LookupError, TypeError):
            return None
    return data
