"""Numbers as reports write them: no more digits than hold, and what rounding leaves as 0."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

DIGITS = 6
NOISE = 1e-10  # of a size: below it, digits are those of rounding, and another processor has others


def figure(value: float, size: float = 0.0, digits: int = DIGITS) -> str:
    """A number in so many digits; 0 where it is nothing beside a size.

    >>> figure(0.1 + 0.2), figure(-3e-17, size=1.0)
    ('0.3', '0')
    """
    return f"{0.0 if abs(value) <= NOISE * size else float(value):.{digits}g}"


def vector_text(coordinates: Iterable[float], size: float = 0.0, digits: int = DIGITS) -> str:
    """A point or a direction; a coordinate that is nothing beside a size, or beside the others, is 0.

    >>> vector_text((1.0, 4.72e-27)), vector_text((-1e-13, 2e-14), size=80.0)
    ('(1, 0)', '(0, 0)')
    """
    numbers = [float(coordinate) for coordinate in coordinates]
    size = max(size, *map(abs, numbers))
    return f"({', '.join(figure(coordinate, size, digits) for coordinate in numbers)})"


def within(value: float, error: float, digits: int = DIGITS) -> str:
    """A number in the digits that an error leaves alone, one at least, and no more than so many.

    >>> within(4.948178, 0.0003), within(4.948178, 1e-12), within(312.6, 20.0), within(3.0, 20.0)
    ('4.948', '4.94818', '300', '3')
    """
    if not value or not error:
        return figure(value, digits=digits)
    sure, leading = math.floor(-math.log10(abs(error))), -math.floor(math.log10(abs(value)))
    return figure(round(value, max(sure, leading)), digits=digits)


def listed(said: Sequence[str], between: str = ", ", most: int = 6) -> str:
    """The first of some names or phrases, and how many there are besides.

    >>> listed(["a", "b", "c"], most=2)
    'a, b, and 1 more'
    """
    more = [f"and {len(said) - most} more"] if len(said) > most else []
    return between.join([*said[:most], *more])
