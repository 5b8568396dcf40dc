"""What every kind of model is made of: frozen classes that are the schema of its files.

Faults between parts (a name used and never defined) are reported beside those within them,
so that a user sees all of them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from itertools import islice
from math import hypot
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeVar

from pydantic import AfterValidator as After
from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.functional_validators import ModelWrapValidatorHandler
from pydantic_core import InitErrorDetails, PydanticCustomError, ValidationError

from pliant.core.errors import MOST, InputError
from pliant.core.faults import KeyPath, model_faults
from pliant.core.quantity import AMOUNTS, LENGTHS, SHORTEST, Number, Plain, PlainLength, Vector

Model = TypeVar("Model")
FaultLines = Iterator[InitErrorDetails]
PlacedNames = Iterator[tuple[KeyPath, Any]]  # each with where it stands
References = Callable[[Mapping[str, Any]], Iterable[InitErrorDetails]]

SUGGESTED = 40  # unknown names that get the nearest known one
SEARCHED = 2000  # names it is looked for among; beyond either, looking takes longer than it helps

MANY = 50_000  # entries of a file that may hold very many faults
BEGINNING = 250  # entries of each of its lists that are looked at first

Positive = Annotated[Plain, Field(gt=0), AMOUNTS]
NotNegative = Annotated[Plain, Field(ge=0), AMOUNTS]
Length = Annotated[PlainLength, Field(gt=0), LENGTHS]
Gap = Annotated[PlainLength, Field(ge=0), LENGTHS]  # a length that may be 0
Flag = Annotated[bool, Field(strict=True)]  # true or false, and no word or number for them
Name = Annotated[str, Field(min_length=1, max_length=200)]


if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass
else:
    ModelMetaclass = type(BaseModel)


class _Refusing(ModelMetaclass):
    """What is built in Python is refused as a file is: with every fault, and its cure.

    `model_validate` raises pydantic's own error, which validators may raise within others.
    """

    def __call__(self, *args: object, **data: object) -> Any:
        try:
            return super().__call__(*args, **data)
        except ValidationError as error:
            raise refusal(error, data, self) from None


def refusal(error: ValidationError, data: Mapping[str, Any], kind: Any, source: str = "") -> InputError:
    """What pydantic found wrong with the data of a class, as an InputError."""
    lines, schema = error.errors(include_url=False), kind.model_json_schema(by_alias=True)
    return InputError(model_faults(lines, data, schema), source)


class Frozen(BaseModel, metaclass=_Refusing):
    """No unknown keys, no NaN, no change."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, populate_by_name=True)


class WholeStudy(Frozen):
    """A study of a kind that has one command, and no table for it."""

    def for_command(self, command: str) -> Self:
        """The whole of it.

        Args:
            command: of the kind, which has only this one.

        Returns:
            The study itself.
        """
        return self


SPREADS = ("normal", "uniform", "measured", "file", "process")
BESIDE = {"sigmas": ("normal",), "within": ("normal",), "nominal": ("measured", "file"), "column": ("file",)}
Process = Literal["laser", "laser-kerf", "plywood", "acrylic", "fdm", "fdm-calibrated", "fdm-hole"]


class Tolerance(Frozen):
    """How a number of a model differs from part to part: one spread about its nominal value, or measured."""

    normal: NotNegative | None = Field(None, description="± of a normal spread, at `sigmas` of it")
    sigmas: Positive = Field(1.0, description="standard deviations that `normal` stands for")
    within: Positive | None = Field(
        None, description="± of the nominal value; parts beyond it are sorted out"
    )
    uniform: NotNegative | None = Field(None, description="±, and everything between alike")
    measured: tuple[Number, ...] | None = Field(None, min_length=1, description="values of parts")
    file: Name | None = Field(None, description="a .csv of measured values, in the model's folder")
    column: Name | None = Field(None, description="of the file; left out, its first")
    nominal: Number | None = Field(None, description="that the measured parts were drawn with")
    process: Process | None = Field(None, description="typical of a process; to be replaced by your own")
    shift: Number = Field(0.0, description="of the middle from the nominal value")

    @model_validator(mode="after")
    def _one_spread(self) -> Self:
        given = [name for name in SPREADS if getattr(self, name) is not None]
        if len(given) != 1:
            problem = f"has {' and '.join(given)}" if given else "has no spread"
            raise fault(problem, f"Give one of {', '.join(SPREADS)}, such as {{ normal = 0.05 }}")
        alone = [key for key in BESIDE if key in self.model_fields_set and given[0] not in BESIDE[key]]
        if alone:
            raise fault(f"has {alone[0]} beside {given[0]}", f"It goes with {' or '.join(BESIDE[alone[0]])}")
        if self.file is not None and not _is_beside(self.file):
            raise fault(f"reads {self.file!r}, which is no .csv in the model's folder", "Copy it there")
        return self


def _is_beside(file: str) -> bool:
    """Whether a name leads to a table in a folder or below it, and not out of it."""
    parts = PurePath(file.replace("\\", "/")).parts
    return (
        file.lower().endswith(".csv") and "\0" not in file and not {"..", "/"} & {*parts} and ":" not in file
    )


class Document(Frozen):
    """A model as a file holds it: of one kind, whole."""

    parameters: dict[Name, Number] = Field(
        default_factory=dict,
        description='numbers by name, for expressions such as length = "2*a + 3"',
    )
    tolerances: dict[Name, Tolerance] = Field(
        default_factory=dict,
        description="how parameters, or keys by their path, differ from part to part",
    )

    def with_(self, **changes: object) -> Self:
        """The model with other values under some of its keys, checked as a file is.

        `model.with_(clearance=0.2)`. A table or a list is given anew, whole.

        Args:
            changes: keys of the model and their new values.

        Returns:
            A model of the same class; this one stays as it is.

        Raises:
            InputError: a key or a value cannot be used; every fault is listed.
        """
        data = {**dict(self), **changes}
        try:
            return type(self).model_validate(data)
        except ValidationError as error:
            raise refusal(error, data, type(self)) from None


def fault(problem: str, cure: str, names: Iterable[str] = ()) -> PydanticCustomError:
    """What a validator raises: what is wrong, how to mend it, and the names of the parts it is about."""
    context = {"problem": problem, "cure": cure, "names": list(names)}
    return PydanticCustomError("model", "{problem}", context)


def _direction(vector: Vector) -> Vector:
    if hypot(*vector) < SHORTEST:
        x, y = vector
        raise fault(f"is ({x:g}, {y:g}), which points nowhere", "Give a direction such as [1, 0]")
    return vector


Direction = Annotated[Vector, After(_direction)]


def check_with_references(
    data: Any, handler: ModelWrapValidatorHandler[Model], title: str, references: References
) -> Model:
    """Validate, and report what `references` finds between the parts beside what is wrong within them."""
    lines = list(islice(references(data), MOST + 1)) if isinstance(data, Mapping) else []
    if _is_large(data):
        many = lines if len(lines) > MOST else _first_errors(data, handler)
        if many:
            raise ValidationError.from_exception_data(title, many)
    try:
        model = handler(data)
    except ValidationError as error:
        lines = [*map(_line, error.errors(include_url=False)[: MOST + 1]), *lines][: MOST + 1]
    else:
        if not lines:
            return model
    raise ValidationError.from_exception_data(title, lines)


def _first_errors(data: Any, handler: ModelWrapValidatorHandler[Any]) -> list[InitErrorDetails]:
    """One line more than will be listed, where the beginnings of long lists hold as many; else none.

    pydantic finds every error before it gives one, and a gigabyte of them is no help to anyone.
    """
    length, count = BEGINNING, 1
    while 0 < count <= MOST and length < MANY:
        try:
            handler(_truncate(data, length))
        except ValidationError as error:
            lines = [
                line for line in error.errors(include_url=False) if not _is_truncation_error(line, length)
            ]
            if len(lines) > MOST:
                return [*map(_line, lines[: MOST + 1])]
            count = len(lines)
        else:
            return []
        length *= 4
    return []


def _truncate(value: Any, length: int) -> Any:
    """Plain data with no list or table longer than that."""
    if isinstance(value, Mapping):
        return {key: _truncate(item, length) for key, item in islice(value.items(), length)}
    if isinstance(value, list | tuple):
        return [_truncate(item, length) for item in islice(value, length)]
    return value


def _is_truncation_error(error: Any, length: int) -> bool:
    """Whether an error may be there only because something was cut off."""
    value = error["input"]
    return error["type"] == "model" or (isinstance(value, Mapping | list | tuple) and len(value) >= length)


def _is_large(data: Any) -> bool:
    """Whether plain data holds very many entries."""
    entries, stack = 0, [data]
    while stack and entries < MANY:
        inner = stack.pop()
        inner = list(inner.values()) if isinstance(inner, Mapping) else inner
        entries += len(inner)
        stack.extend(item for item in inner if isinstance(item, Mapping | list | tuple))
    return entries >= MANY


def _line(error: Any) -> InitErrorDetails:
    """One line of a validation error, so that it can be raised again beside others."""
    context = {**error.get("ctx", {}), "text": error["msg"]}
    context.pop("error", None)
    kind = PydanticCustomError(error["type"], "{text}", context)
    return InitErrorDetails(type=kind, loc=error["loc"], input=error["input"])


def unknown(named: Iterable[tuple[KeyPath, Any]], known: Mapping[str, Any], what: str) -> FaultLines:
    """A fault for each name that is not one of those known; the first are told the nearest that is."""
    strangers = ((place, name) for place, name in named if isinstance(name, str) and name not in known)
    searched = list(islice(known, SEARCHED))
    listed = (", ".join(searched[:8]) or "none") + (", …" if len(known) > 8 else "")
    for number, (place, name) in enumerate(strangers):
        near = get_close_matches(name[:200], searched, 1) if number < SUGGESTED else []
        cure = f"Did you mean {near[0]!r}?" if near else f"There are: {listed}"
        yield fault_at(place, name, f"{name!r} is not a {what} of this model", cure)


def fault_at(
    place: KeyPath, value: Any, problem: str, cure: str, names: Iterable[str] | None = None
) -> InitErrorDetails:
    """A fault at a place in the file; it is about the names that stand there, where no others are given."""
    if names is None:
        names = (
            [value] if isinstance(value, str) else [name for name in as_list(value) if isinstance(name, str)]
        )
    return InitErrorDetails(type=fault(problem, cure, names), loc=place, input=value)


def size_fault(key: str, size: float) -> FaultLines:
    """A fault, where all that is drawn is so close together that squares of lengths are lost."""
    if 0.0 < size < SHORTEST:
        problem = f"are all drawn within {size:.3g} of each other, and lengths are at least {SHORTEST:g}"
        yield fault_at((key,), None, problem, "Choose a smaller unit")


def get(item: Any, key: str) -> Any:
    """A key of a table, or a field of what was made of it; None where there is none."""
    return item.get(key) if isinstance(item, Mapping) else getattr(item, key, None)


def items(item: Any, key: str) -> list[Any]:
    """The list under a key; empty where there is none."""
    return as_list(get(item, key))


def as_list(value: Any) -> list[Any]:
    """A list as it is; empty where it is none."""
    return list(value) if isinstance(value, list | tuple) else []
