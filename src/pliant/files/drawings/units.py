"""Units of length, in millimetres."""

from __future__ import annotations

from pliant.core.errors import Fault, InputError
from pliant.core.faults import name_cure

MILLIMETRES = {
    "mm": 1.0,
    "cm": 10.0,
    "m": 1000.0,
    "km": 1e6,
    "um": 1e-3,
    "µm": 1e-3,
    "in": 25.4,
    "ft": 304.8,
    "mil": 0.0254,
    "px": 25.4 / 96,
    "pt": 25.4 / 72,
    "pc": 25.4 / 6,
}

# $INSUNITS of a DXF: what its numbers are in.
DXF_UNITS = {
    1: ("in", 25.4),
    2: ("ft", 304.8),
    3: ("mile", 1_609_344.0),
    4: ("mm", 1.0),
    5: ("cm", 10.0),
    6: ("m", 1000.0),
    7: ("km", 1e6),
    8: ("microinch", 25.4e-6),
    9: ("mil", 0.0254),
    10: ("yard", 914.4),
    11: ("ångström", 1e-7),
    12: ("nm", 1e-6),
    13: ("µm", 1e-3),
    14: ("dm", 100.0),
}


def millimetres(unit: str) -> float:
    """Millimetres of a unit, or a fault that lists them."""
    if unit not in MILLIMETRES:
        raise InputError([Fault("--units", f"{unit!r} is not a unit", name_cure(unit, MILLIMETRES, "Units"))])
    return MILLIMETRES[unit]
