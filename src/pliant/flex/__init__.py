"""Flex: how far loose joints let an assembly move, by linear programs [Lensgraf2020]."""

from typing import TYPE_CHECKING

from pliant.core.exports import exports
from pliant.core.result import present

if TYPE_CHECKING:
    from pliant.flex import generate
    from pliant.flex.model import (  # isort: skip
        Assembly, Body, Compound, FlexStudy, Keep, Limit, Pin, Region, Sight, Study, Term, Weld,
    )  # fmt: skip
    from pliant.flex.result import FlexResult
    from pliant.flex.status import FlexStatus

__all__ = [
    "Assembly", "Body", "Compound", "FlexResult", "FlexStatus", "FlexStudy", "Keep", "Limit", "Pin", "Region",
    "Sight", "Study", "Term", "Weld", "generate",
]  # fmt: skip

__getattr__ = exports(
    __name__,
    __all__,
    {"result": ["FlexResult"], "status": ["FlexStatus"]},
    rooms=["generate"],
    rest="model",
)


def __dir__() -> list[str]:
    return __all__


present(
    "pliant.flex.result:FlexResult",
    summary="pliant.flex.report:summary",
    to_dict="pliant.flex.report:to_dict",
    motion="pliant.flex.drawing:motion",
    plots="pliant.flex.charts:plots",
)
