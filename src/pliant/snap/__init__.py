"""Fasteners: how pawls on springs comply, snap, jam and stick, exactly, and with what force."""

from importlib import import_module
from typing import Any

from pliant.core.result import present

_EXPORTS = {
    "search": "questions.search",
    "material": "handbook.materials",
    **dict.fromkeys(("mating_force", "hinged_force", "lock_friction"), "handbook.formulas"),
}

present(
    "pliant.snap.result:SnapResult",
    summary="pliant.snap.report:summary",
    alerts="pliant.snap.report:alerts",
    motion="pliant.snap.drawing:motion",
    plots="pliant.snap.charts:plots",
    to_dict="pliant.snap.report:plain_data",
)


def __getattr__(name: str) -> Any:
    """What users may import, from where it lives, when it is first used."""
    if name not in _EXPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_EXPORTS[name]}"), name)
