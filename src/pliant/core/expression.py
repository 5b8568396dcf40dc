"""Arithmetic as people write it in model files: "2*a + 3", "1/8 in", "60 rpm", "hypot(w, h)/2".

Only numbers, names, units, + - * / ^, brackets and the functions listed here: no text of a file is ever run
as code. Whole numbers, decimals and fractions stay exact as far as + - * / and whole powers go. A factor may
stand beside another: "30 mm/s", "2(a + b)".

    sum     = product (("+" | "-") product)*
    product = signed (("*" | "/") signed | power | "%")*
    signed  = ("+" | "-") signed | power
    power   = value (("^" | "**") signed)?
    value   = number | name | function "(" sum ("," sum)* ")" | "(" sum ")"
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

LONGEST = 1000  # characters of an expression
DEEPEST = 40  # brackets within brackets
BITS = 2048  # of an exact number; beyond, it goes on as a float
LARGEST_POWER = 64

UnitPowers = tuple[Fraction | int, ...]  # powers of length, angle, time, force, mass
BARE: UnitPowers = (0, 0, 0, 0, 0)  # a plain number: in the file's units, whatever is wanted
LENGTH: UnitPowers = (1, 0, 0, 0, 0)
ANGLE: UnitPowers = (0, 1, 0, 0, 0)
_TIME: UnitPowers = (0, 0, 1, 0, 0)
_RATE: UnitPowers = (0, 1, -1, 0, 0)
_FORCE: UnitPowers = (0, 0, 0, 1, 0)
_MASS: UnitPowers = (0, 0, 0, 0, 1)
BASES = ("length", "angle", "time", "force", "mass")


class Amount(NamedTuple):
    """A number and the powers of length, angle, time, force and mass that its units had."""

    value: Fraction | float
    dimension: UnitPowers = BARE


class ExpressionError(ValueError):
    """What is wrong with an expression, and how to mend it."""

    def __init__(self, problem: str, cure: str) -> None:
        super().__init__(f"{problem}. {cure}")
        self.problem, self.cure = problem, cure


MILLIMETRES = {
    **dict.fromkeys(("um", "µm", "μm"), Fraction(1, 1000)),
    "mm": Fraction(1),
    "cm": Fraction(10),
    "m": Fraction(1000),
    "km": Fraction(1_000_000),
    **dict.fromkeys(("in", "inch", "inches"), Fraction(254, 10)),
    **dict.fromkeys(("mil", "thou"), Fraction(254, 10_000)),
    **dict.fromkeys(("ft", "foot", "feet"), Fraction(3048, 10)),
}
_DEGREE = math.pi / 180
_TURN = 2 * math.pi
_OTHERS = {
    **dict.fromkeys(("deg", "degree", "degrees", "°"), Amount(_DEGREE, ANGLE)),
    **dict.fromkeys(("rad", "radian", "radians"), Amount(Fraction(1), ANGLE)),
    **dict.fromkeys(("turn", "turns", "rev"), Amount(_TURN, ANGLE)),
    "rpm": Amount(_TURN / 60, _RATE),
    "Hz": Amount(_TURN, _RATE),
    "s": Amount(Fraction(1), _TIME),
    "ms": Amount(Fraction(1, 1000), _TIME),
    "min": Amount(Fraction(60), _TIME),
    "N": Amount(Fraction(1), _FORCE),
    "kN": Amount(Fraction(1000), _FORCE),
    "mN": Amount(Fraction(1, 1000), _FORCE),
    "lbf": Amount(Fraction("4.4482216152605"), _FORCE),
    "kg": Amount(Fraction(1), _MASS),
    "g": Amount(Fraction(1, 1000), _MASS),
    "percent": Amount(Fraction(1, 100)),
}
CONSTANTS = {"pi": Amount(math.pi), "tau": Amount(_TURN)}


def units_in(file_unit: str) -> dict[str, Amount]:
    """What each unit is worth in a file whose lengths are in that unit.

    >>> units_in("mm")["in"].value, units_in("in")["mm"].value
    (Fraction(127, 5), Fraction(5, 127))

    A file may be in a unit of its own ("cells"); then no unit of length is known.
    """
    one = MILLIMETRES.get(file_unit)
    lengths = {} if one is None else {unit: Amount(mm / one, LENGTH) for unit, mm in MILLIMETRES.items()}
    return {**_OTHERS, **lengths}


def evaluate(text: str, known: Mapping[str, Amount], units: Mapping[str, Amount]) -> Amount:
    """The value of an expression; `known` are the parameters by name.

    >>> evaluate("2*a + 1/8 in", {"a": Amount(Fraction(3))}, units_in("mm")).value
    Fraction(367, 40)

    Raises an ExpressionError that says what is wrong.
    """
    if len(text) > LONGEST:
        raise ExpressionError(f"is {len(text)} characters long", f"Write at most {LONGEST}, by parameters")
    return _Reader(text, known, units).whole()


def names_in(text: str) -> list[str]:
    """The names that an expression uses, units and functions among them."""
    return [word for kind, word in _tokens(text[:LONGEST]) if kind == "name"]


_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?)"
    r"|(?P<name>[^\W\d]\w*|°)|(?P<sign>\*\*|[-+*/^(),%])|(?P<other>\S))"
)


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    text, place = text.rstrip(), 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            break
        place = match.end()
        yield str(match.lastgroup), match[str(match.lastgroup)]


class _Reader:
    """One expression, read from left to right."""

    def __init__(self, text: str, known: Mapping[str, Amount], units: Mapping[str, Amount]) -> None:
        self.known, self.units = known, units
        self.left = [*_tokens(text), ("end", "")]
        self.place = self.depth = 0

    @property
    def ahead(self) -> str:
        """The next sign; "" where it is a number, a name or the end."""
        kind, word = self.left[self.place]
        return word if kind in ("sign", "other") else ""

    def whole(self) -> Amount:
        value = self.sum()
        kind, word = self.left[self.place]
        if kind != "end":
            raise ExpressionError(f"has {word!r} where it should go on or end", "Write it as 2*(a + 3)")
        return value

    def take(self, *signs: str) -> str:
        """The next sign, if it is one of these; else ""."""
        found = self.ahead
        if not found or found not in signs:
            return ""
        self.place += 1
        return found

    def sum(self) -> Amount:
        value = self.product()
        while sign := self.take("+", "-"):
            value = _add(value, self.product(), 1 if sign == "+" else -1)
        return value

    def product(self) -> Amount:
        value = self.signed()
        while True:
            if sign := self.take("*", "/"):
                value = _multiply(value, self.signed(), 1 if sign == "*" else -1)
            elif self.take("%"):
                value = _multiply(value, Amount(Fraction(1, 100)), 1)
            elif self.left[self.place][0] == "name" or self.ahead == "(":
                value = _multiply(value, self.power(), 1)
            else:
                return value

    def signed(self) -> Amount:
        if sign := self.take("+", "-"):
            self.enter()
            inner = self.signed()
            self.depth -= 1
            return inner if sign == "+" else Amount(-inner.value, inner.dimension)
        return self.power()

    def power(self) -> Amount:
        value = self.value()
        return _power(value, self.signed()) if self.take("^", "**") else value

    def value(self) -> Amount:
        kind, word = self.left[self.place]
        if kind == "number":
            self.place += 1
            return Amount(Fraction(word))
        if kind == "name":
            self.place += 1
            return self.named(word)
        if self.take("("):
            self.enter()
            inner = self.sum()
            self.close()
            return inner
        what = f"has {word!r} where a number should be" if word else "ends where a number should be"
        raise ExpressionError(what, 'Write numbers, parameters, + - * / ^ and brackets: "2*a + 3"')

    def named(self, name: str) -> Amount:
        if self.ahead == "(" and name in FUNCTIONS and name not in self.known:
            return self.called(name)
        for table in (self.known, self.units, CONSTANTS):
            if name in table:
                return table[name]
        raise ExpressionError(*self._unknown(name))

    def called(self, name: str) -> Amount:
        self.enter()
        self.take("(")
        given = [self.sum()]
        while self.take(","):
            given.append(self.sum())
        self.close()
        least, most, function = FUNCTIONS[name]
        if not least <= len(given) <= most:
            raise ExpressionError(f"gives {name} {len(given)} numbers", f"Give it {least}")
        return function(*given)

    def enter(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise ExpressionError(f"has more than {DEEPEST} brackets within each other", "Use parameters")

    def close(self) -> None:
        if not self.take(")"):
            raise ExpressionError("has a bracket that is not closed", 'Add ")"')
        self.depth -= 1

    def _unknown(self, name: str) -> tuple[str, str]:
        from difflib import get_close_matches

        if name in MILLIMETRES:
            return f"is in {name!r}, and the file's own unit is none of length", 'Write units = "mm"'
        choices = [*self.known, *FUNCTIONS, *self.units]
        near = get_close_matches(name[:100], choices, 1)
        parameters = ", ".join([*self.known][:8]) or "none"
        cure = f"Did you mean {near[0]!r}?" if near else f"Parameters of this file: {parameters}"
        return f"uses {name!r}, which is no parameter, function or unit", cure


def _add(a: Amount, b: Amount, sign: int) -> Amount:
    return Amount(_exact(lambda: a.value + sign * b.value), _common(a, b))


def _common(*amounts: Amount) -> UnitPowers:
    """The dimension of amounts that are added or compared; plain numbers take that of the others."""
    kinds = {amount.dimension for amount in amounts} - {BARE}
    if len(kinds) > 1:
        first, second = sorted(map(dimension_text, kinds))
        raise ExpressionError(f"adds or compares {first} and {second}", "Give both in units of one kind")
    return kinds.pop() if kinds else BARE


def _multiply(a: Amount, b: Amount, sign: int) -> Amount:
    if sign < 0 and not b.value:
        raise ExpressionError("divides by 0", "Give another number below the line")
    value = _exact(lambda: a.value * b.value if sign > 0 else a.value / b.value)
    return Amount(value, tuple(p + sign * q for p, q in zip(a.dimension, b.dimension, strict=True)))


def _power(base: Amount, exponent: Amount) -> Amount:
    power = _plain(exponent, "an exponent")
    if abs(power) > LARGEST_POWER:
        raise ExpressionError(f"has an exponent of {float(power):g}", f"At most {LARGEST_POWER}")
    if not base.value and power < 0:
        raise ExpressionError("divides by 0", "Give another base")
    if isinstance(power, Fraction) and power.denominator == 1:
        value = _exact(lambda: base.value ** int(power))
    else:
        value = _finite_call(lambda: math.pow(base.value, power))
    power = Fraction(power).limit_denominator(12)
    return Amount(value, tuple(p * power for p in base.dimension))


def _exact(function: Callable[[], Fraction | float]) -> Fraction | float:
    """A number that has not grown beyond what is worth keeping exactly; never infinite."""
    try:
        value = function()
    except OverflowError:
        value = math.inf
    short = isinstance(value, Fraction) and max(map(int.bit_length, value.as_integer_ratio())) <= BITS
    return value if short else _finite_call(lambda: float(value))


def _finite_call(function: Callable[[], float]) -> float:
    try:
        value = function()
    except OverflowError:
        value = math.inf
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ExpressionError("gives no finite number", "Check what is divided, raised or rooted")
    return value


def _plain(amount: Amount, what: str) -> Fraction | float:
    if amount.dimension != BARE:
        raise ExpressionError(f"has a {dimension_text(amount.dimension)} as {what}", "Give a plain number")
    return amount.value


def dimension_text(dimension: UnitPowers) -> str:
    """A dimension in words.

    >>> dimension_text(LENGTH), dimension_text((0, 1, -1, 0, 0))
    ('length', 'angle/time')
    """
    above = [_raised(base, p) for base, p in zip(BASES, dimension, strict=True) if p > 0]
    below = [_raised(base, -p) for base, p in zip(BASES, dimension, strict=True) if p < 0]
    return "·".join(above or (["1"] if below else ["number"])) + "".join(f"/{part}" for part in below)


def _raised(base: str, power: Fraction | int) -> str:
    return base if power == 1 else f"{base}^{power}"


def _of_angle(function: Callable[[float], float]) -> Callable[[Amount], Amount]:
    def call(amount: Amount) -> Amount:
        if amount.dimension not in (BARE, ANGLE):
            kind = dimension_text(amount.dimension)
            raise ExpressionError(f"takes a sine or the like of a {kind}", 'Give an angle such as "30 deg"')
        return Amount(_finite_call(lambda: function(float(amount.value))))

    return call


def _to_angle(function: Callable[[float], float]) -> Callable[[Amount], Amount]:
    return lambda amount: Amount(_finite_call(lambda: function(float(_plain(amount, "a ratio")))), ANGLE)


def _of_plain(function: Callable[[float], float]) -> Callable[[Amount], Amount]:
    return lambda amount: Amount(_finite_call(lambda: function(float(_plain(amount, "what is asked for")))))


def _rounded(function: Callable[[Fraction | float], int]) -> Callable[[Amount], Amount]:
    return lambda amount: Amount(Fraction(function(amount.value)), amount.dimension)


def _root(amount: Amount) -> Amount:
    value = _finite_call(lambda: math.sqrt(amount.value))
    return Amount(value, tuple(Fraction(p) / 2 for p in amount.dimension))


def _atan2(y: Amount, x: Amount) -> Amount:
    _common(y, x)
    return Amount(_finite_call(lambda: math.atan2(y.value, x.value)), ANGLE)


def _hypot(*sides: Amount) -> Amount:
    return Amount(_finite_call(lambda: math.hypot(*(side.value for side in sides))), _common(*sides))


def _extreme(choose: Callable[..., Fraction | float]) -> Callable[..., Amount]:
    return lambda *amounts: Amount(choose(amount.value for amount in amounts), _common(*amounts))


# By name: least and most numbers that it takes, and what it makes of them.
FUNCTIONS: dict[str, tuple[int, int, Callable[..., Amount]]] = {
    **{name: (1, 1, _of_angle(getattr(math, name))) for name in ("sin", "cos", "tan")},
    **{name: (1, 1, _to_angle(getattr(math, name))) for name in ("asin", "acos", "atan")},
    **{name: (1, 1, _of_plain(getattr(math, name))) for name in ("exp", "log", "log10")},
    **{name: (1, 1, _rounded(getattr(math, name))) for name in ("floor", "ceil")},
    "round": (1, 1, _rounded(round)),
    "abs": (1, 1, lambda amount: Amount(abs(amount.value), amount.dimension)),
    "sqrt": (1, 1, _root),
    "atan2": (2, 2, _atan2),
    "hypot": (1, 8, _hypot),
    "min": (1, 64, _extreme(min)),
    "max": (1, 64, _extreme(max)),
}
