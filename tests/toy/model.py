"""What the user writes: a groove and balls in it, the schema of `kind = "groove"` files."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, model_validator
from pydantic.functional_validators import ModelWrapValidatorHandler
from tests.toy.faults import reference_faults

from pliant.core.model import Document, Length, Name, WholeStudy, check_with_references
from pliant.core.quantity import Coordinate


class RollStudy(WholeStudy):
    """How the ball is rolled."""

    frames: int = Field(default=5, ge=2, le=1000, description="poses along the way")
    ball: Name | None = Field(None, description="the ball that rolls")


class Groove(Document):
    """A straight groove and balls in it."""

    pliant: Literal[1] = 1
    kind: Literal["groove"] = "groove"
    title: str = ""
    units: str = "mm"
    length: Length = Field(description="of the groove, from 0 on")
    balls: dict[Name, Coordinate] = Field(min_length=1, description="where each lies")
    study: RollStudy = RollStudy()

    @model_validator(mode="wrap")
    @classmethod
    def _check(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        return check_with_references(data, handler, cls.__name__, reference_faults)
