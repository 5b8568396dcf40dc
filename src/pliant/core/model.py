"""What every kind of model is made of: frozen classes that are the schema of its files.

Faults between parts (a name used and never defined) are reported beside those within them,
so that a user sees all of them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator as After
from pydantic import BaseModel, ConfigDict, Field, ModelWrapValidatorHandler
from pydantic_core import InitErrorDetails, PydanticCustomError, ValidationError

from pliant.core.quantity import Number, Vector

Model = TypeVar("Model")
Place = tuple[str | int, ...]
References = Callable[[Mapping[str, Any]], Iterable[InitErrorDetails]]

Positive = Annotated[Number, Field(gt=0)]
NotNegative = Annotated[Number, Field(ge=0)]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class Frozen(BaseModel):
    """No unknown keys, no NaN, no change."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, populate_by_name=True)


def fault(problem: str, cure: str) -> PydanticCustomError:
    """What a validator raises: what is wrong, and how to mend it."""
    return PydanticCustomError("model", "{problem}", {"problem": problem, "cure": cure})


def _direction(vector: Vector) -> Vector:
    if vector == (0, 0):
        raise fault("is (0, 0), which points nowhere", "Give a direction such as [1, 0]")
    return vector


Direction = Annotated[Vector, After(_direction)]


def check_with_references(
    data: Any, handler: ModelWrapValidatorHandler[Model], title: str, references: References
) -> Model:
    """Validate, and report what `references` finds between the parts beside what is wrong within them."""
    lines = list(references(data)) if isinstance(data, Mapping) else []
    try:
        model = handler(data)
    except ValidationError as error:
        lines = [*map(_line, error.errors()), *lines]
    else:
        if not lines:
            return model
    raise ValidationError.from_exception_data(title, lines)


def _line(error: Any) -> InitErrorDetails:
    """One line of a validation error, so that it can be raised again beside others."""
    context = {**error.get("ctx", {}), "text": error["msg"]}
    context.pop("error", None)
    kind = PydanticCustomError(error["type"], "{text}", context)
    return InitErrorDetails(type=kind, loc=error["loc"], input=error["input"])


def unknown(place: Place, name: Any, known: Mapping[str, Any], what: str) -> Iterable[InitErrorDetails]:
    """A fault, where `name` is not one of those known."""
    if isinstance(name, str) and name not in known:
        from difflib import get_close_matches

        near = get_close_matches(
            name, list(known)[:2000], 1
        )  # beyond that, looking takes longer than it helps
        listed = ", ".join(list(known)[:8]) + (", …" if len(known) > 8 else "")
        cure = f"Did you mean {near[0]!r}?" if near else f"There are: {listed or 'none'}"
        yield fault_at(place, name, f"{name!r} is not a {what} of this model", cure)


def fault_at(place: Place, value: Any, problem: str, cure: str) -> InitErrorDetails:
    """A fault at a place in the file."""
    return InitErrorDetails(type=fault(problem, cure), loc=place, input=value)


def get(item: Any, key: str) -> Any:
    """A key of a table, or a field of what was made of it; None where there is none."""
    return item.get(key) if isinstance(item, Mapping) else getattr(item, key, None)


def items(item: Any, key: str) -> list[Any]:
    """The list under a key; empty where there is none."""
    value = get(item, key)
    return list(value) if isinstance(value, list | tuple) else []
