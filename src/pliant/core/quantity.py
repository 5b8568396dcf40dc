"""Numbers as people write them in model files, read exactly.

A number may be an integer, a decimal, or a string such as "22/7". An angle may also be
a string with its unit, such as "30 deg"; a bare number is in radians.
"""

from __future__ import annotations

import math
import re
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, PlainSerializer, WithJsonSchema
from pydantic_core import PydanticCustomError

WRITTEN = re.compile(r"\s*([+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?(?:/[0-9]+)?)\s*(\S*)\s*")
DEGREES = {"deg", "degree", "degrees", "°"}
RADIANS = {"", "rad", "radian", "radians"}


def exact(value: Any) -> Fraction:
    """A number without rounding; a float is the decimal it prints as.

    >>> exact("22/7"), exact(Decimal("0.1")), exact(0.1), exact(3)
    (Fraction(22, 7), Fraction(1, 10), Fraction(1, 10), Fraction(3, 1))
    """
    if isinstance(value, str):
        number, unit = _split(value)
        if unit:
            raise _fault(value, "a plain number", "Leave the unit out; lengths are in the file's unit")
        return number
    if isinstance(value, float):  # as it prints: nobody who writes 0.1 means its binary neighbour
        return Fraction(float.__repr__(float(_finite(value))))
    return Fraction(_finite(value))


def number(value: Any) -> float:
    """A number as the nearest float."""
    return float(exact(value)) if isinstance(value, str) else float(_finite(value))


def coordinate(value: Any) -> float:
    """A coordinate as models have it, so that what is asked of it while a file is read holds afterwards.

    >>> coordinate("1/4"), coordinate(1e-320)
    (0.25, 0.0)
    """
    return _without_noise(number(value))


def angle(value: Any) -> float:
    """An angle in radians.

    >>> angle("180 deg") == math.pi
    True
    """
    if not isinstance(value, str):
        return number(value)
    magnitude, unit = _split(value)
    if unit in DEGREES:
        return math.radians(float(magnitude))
    if unit in RADIANS:
        return float(magnitude)
    raise _fault(value, "an angle", 'Write radians as a number, or degrees as a string such as "30 deg"')


def _split(text: str) -> tuple[Fraction, str]:
    match = WRITTEN.fullmatch(text)
    if match is None:
        raise _fault(text, "a number", 'Write 1.5, or an exact fraction as a string such as "22/7"')
    try:
        top, _, bottom = match[1].partition("/")
        number = Fraction(top) / Fraction(bottom or "1")
    except ZeroDivisionError:
        raise _fault(text, "a number", "The part below the line must not be 0") from None
    if abs(number) > sys.float_info.max:
        raise _fault(text, "a finite number", "Give a number that a double can hold")
    return number, match[2]


def _finite(value: Any) -> int | float | Decimal | Fraction:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | Fraction):
        raise _fault(value, "a number", 'Write 1.5, or an exact fraction as a string such as "22/7"')
    try:
        if math.isfinite(value):
            return value
    except (OverflowError, ValueError):  # too large, or a signalling NaN
        pass
    raise _fault(value, "a finite number", "Give a number that a double can hold")


def _fault(value: Any, wanted: str, cure: str) -> PydanticCustomError:
    if isinstance(value, int) and value.bit_length() > 1100:
        shown = "an integer beyond any double"  # printing thousands of digits is refused by Python
    else:
        shown = repr(value) if isinstance(value, str) else str(value)
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    return PydanticCustomError(
        "quantity", "{shown} is not {wanted}", {"shown": shown, "wanted": wanted, "cure": cure}
    )


def _within(low: float, high: float, wanted: str, cure: str) -> AfterValidator:
    """Refuse what is larger than `high`, or so small besides 0 that squares and quotients are lost."""

    def check(value: Any) -> Any:
        if low <= abs(value) <= high or value == 0:
            return value
        raise _fault(value if isinstance(value, float) else float(value), wanted, cure)

    return AfterValidator(check)


def _without_noise(value: float) -> float:
    """A coordinate; 0 where it is so near to 0 that quotients of it have no end."""
    return 0.0 if 0.0 < abs(value) < NOTHING else value


# Products of four numbers and quotients of two stay far from where floats end.
FARTHEST = 1e9  # a coordinate, in the file's unit
SHORTEST = 1e-9  # a length, in the file's unit
NOTHING = 1e-60  # a coordinate nearer to 0 is 0
LARGEST = 1e18  # any other number; what must be positive is no smaller than its reciprocal
WIDEST = 1e6  # an angle, in radians


def _number_schema(quantity: str) -> WithJsonSchema:
    """A number, or its text: "22/7", an expression of parameters, or one with a unit ("1/8 in")."""
    return WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string", "quantity": quantity}]})


IN_RANGE = _within(0, LARGEST, "a number within ±1e18", "Choose another unit")
COORDINATES = _within(0, FARTHEST, "a coordinate within ±1e9", "Choose a larger unit, or move the drawing")
LENGTHS = _within(SHORTEST, FARTHEST, "a length from 1e-9 to 1e9", "Choose another unit")
AMOUNTS = _within(1 / LARGEST, LARGEST, "a number from 1e-18 to 1e18", "Choose another unit")

# These two set no range of their own.
Plain = Annotated[float, BeforeValidator(number), _number_schema("any")]
PlainLength = Annotated[float, BeforeValidator(number), _number_schema("length")]
Number = Annotated[Plain, IN_RANGE]
Coordinate = Annotated[PlainLength, COORDINATES, AfterValidator(_without_noise)]
Angle = Annotated[
    float,
    BeforeValidator(angle),
    _number_schema("angle"),
    _within(0, WIDEST, "an angle within ±1e6 rad", "Leave whole turns out"),
]
Vector = tuple[Coordinate, Coordinate]
Force = tuple[Number, Number]


def exact_to_file(value: Fraction) -> int | float | str:
    """An exact number as a file holds it: read again, it is the same.

    >>> exact_to_file(Fraction(3)), exact_to_file(Fraction(1, 10)), exact_to_file(Fraction(22, 7))
    (3, 0.1, '22/7')
    """
    if value.denominator == 1:
        return value.numerator
    try:
        near = float(value)
    except OverflowError:
        return str(value)
    return near if Fraction(repr(near)) == value else str(value)


Exact = Annotated[
    Fraction,
    BeforeValidator(exact),
    PlainSerializer(exact_to_file, return_type=int | float | str),
    _number_schema("any"),
]
