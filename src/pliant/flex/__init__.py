"""Flex: how far loose joints let an assembly move, by linear programs [Lensgraf2020]."""

from typing import TYPE_CHECKING

from pliant.core.exports import exports
from pliant.core.result import present

if TYPE_CHECKING:
    from pliant.flex import generate
    from pliant.flex.bracing.result import BraceResult
    from pliant.flex.loosening.result import LoosenResult
    from pliant.flex.model import (  # isort: skip
        Assembly, Body, BodyLoad, BraceStudy, ClearanceGroup, Compound, FlexStudy, Keep, Limit, LoosenStudy,
        Pin, PlayStudy, ProveStudy, Region, SeparateStudy, Sight, Study, Term, Weld,
    )  # fmt: skip
    from pliant.flex.play.result import PlayResult
    from pliant.flex.proof.result import ProofResult
    from pliant.flex.result import FlexResult
    from pliant.flex.separation.result import SeparationResult
    from pliant.flex.status import (  # isort: skip
        BraceStatus, FlexStatus, LoosenStatus, PlayStatus, ProofStatus, SeparationStatus,
    )  # fmt: skip

__all__ = [
    "Assembly", "Body", "BodyLoad", "BraceResult", "BraceStatus", "BraceStudy", "ClearanceGroup", "Compound",
    "FlexResult", "FlexStatus", "FlexStudy", "Keep", "Limit", "LoosenResult", "LoosenStatus", "LoosenStudy",
    "Pin", "PlayResult", "PlayStatus", "PlayStudy", "ProofResult", "ProofStatus", "ProveStudy", "Region",
    "SeparateStudy", "SeparationResult", "SeparationStatus", "Sight", "Study", "Term", "Weld", "generate",
]  # fmt: skip

__getattr__ = exports(
    __name__,
    __all__,
    {
        "bracing.result": ["BraceResult"],
        "loosening.result": ["LoosenResult"],
        "play.result": ["PlayResult"],
        "proof.result": ["ProofResult"],
        "result": ["FlexResult"],
        "separation.result": ["SeparationResult"],
        "status": [
            "BraceStatus",
            "FlexStatus",
            "LoosenStatus",
            "PlayStatus",
            "ProofStatus",
            "SeparationStatus",
        ],
    },
    rooms=["generate"],
    rest="model",
)


def __dir__() -> list[str]:
    return __all__


_HERE = "pliant.flex"
present(
    f"{_HERE}.result:FlexResult",
    summary=f"{_HERE}.report:summary",
    to_dict=f"{_HERE}.report:to_dict",
    in_radians=f"{_HERE}.report:in_radians",
    motion=f"{_HERE}.drawing:motion",
    plots=f"{_HERE}.charts:plots",
)
for _room, _result in (
    ("play", "PlayResult"),
    ("separation", "SeparationResult"),
    ("loosening", "LoosenResult"),
    ("bracing", "BraceResult"),
    ("proof", "ProofResult"),
):
    present(
        f"{_HERE}.{_room}.result:{_result}",
        **{name: f"{_HERE}.{_room}.report:{name}" for name in ("summary", "to_dict", "in_radians")},
        **{name: f"{_HERE}.{_room}.drawing:{name}" for name in ("motion", "plots")},
    )
