"""Fasteners: how pawls on springs comply, snap, jam and stick, exactly, and with what force."""

from typing import TYPE_CHECKING

from pliant.core.exports import exports
from pliant.core.result import present

if TYPE_CHECKING:
    from pliant.snap import generate
    from pliant.snap.handbook.formulas import hinged_force, lock_friction, mating_force
    from pliant.snap.handbook.materials import MATERIALS, Material, material
    from pliant.snap.model import (  # isort: skip
        Beam, Fastener, Goal, Leg, Move, Obstacle, DesignVariable, Pawl, Root, SnapStudy,
    )  # fmt: skip
    from pliant.snap.questions.design_search import search
    from pliant.snap.result import SnapResult
    from pliant.snap.status import SnapStatus

__all__ = [
    "MATERIALS",
    "Beam",
    "DesignVariable",
    "Fastener",
    "Goal",
    "Leg",
    "Material",
    "Move",
    "Obstacle",
    "Pawl",
    "Root",
    "SnapResult",
    "SnapStatus",
    "SnapStudy",
    "generate",
    "hinged_force",
    "lock_friction",
    "material",
    "mating_force",
    "search",
]  # fmt: skip

__getattr__ = exports(
    __name__,
    __all__,
    {
        "handbook.formulas": ["hinged_force", "lock_friction", "mating_force"],
        "handbook.materials": ["MATERIALS", "Material", "material"],
        "questions.design_search": ["search"],
        "result": ["SnapResult"],
        "status": ["SnapStatus"],
    },
    rooms=["generate"],
    rest="model",
)


def __dir__() -> list[str]:
    return __all__


present(
    "pliant.snap.result:SnapResult",
    summary="pliant.snap.report:summary",
    alerts="pliant.snap.report:alerts",
    motion="pliant.snap.drawing:motion",
    plots="pliant.snap.charts:plots",
    to_dict="pliant.snap.report:plain_data",
    in_radians="pliant.snap.report:in_radians",
)
