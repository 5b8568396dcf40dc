"""Parameters of a model file: [parameters] evaluated, and every expression of them replaced by its number.

    [parameters]
    a = 12
    wall = "1/8 in"
    width = "2*a + wall"

An expression may stand wherever a number may, which the schema of the kind tells. What is left is a file as
if its numbers had been written by hand, so that no method knows of parameters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from pliant.core.errors import MOST, Fault
from pliant.core.expression import (
    ANGLE,
    BARE,
    CONSTANTS,
    FUNCTIONS,
    LENGTH,
    Amount,
    ExpressionError,
    dimension_text,
    evaluate,
    names_in,
    units_in,
)
from pliant.core.faults import (
    KeyPath,
    key_path,
    name_cure,
    schema_branches,
    schema_inside,
    value_text,
    with_article,
)
from pliant.core.quantity import DEGREES, RADIANS, WRITTEN, exact_to_file

PARAMETERS = "parameters"
VARIABLES = "variables"  # what a search may vary; it was called [[parameters]] before
MANY = 10_000  # parameters of a file
LISTED = 9  # places in a list after which all are of one sort

_NAME = re.compile(r"[^\W\d]\w*")
_PATH = re.compile(r"\.?(?:([A-Za-z_][\w-]*)|\[([0-9]+)\])")
_DIMENSIONS = {"length": LENGTH, "angle": ANGLE}


class Resolved(NamedTuple):
    """A file's data with numbers in place of expressions."""

    data: dict[str, Any]
    faults: list[Fault]  # what is wrong with parameters and expressions
    unread: set[str]  # key paths of expressions that stand as they did, because of those faults


def resolved(
    data: Mapping[str, Any], schema: Mapping[str, Any], changes: Mapping[str, Any] | None = None
) -> Resolved:
    """Put numbers in place of expressions, everywhere that the schema has numbers.

    `changes` go before what the file says: by the name of a parameter, or by a key path ("clearance",
    "pawls[0].stiffness").
    """
    own = dict(data)
    if isinstance(own.get(PARAMETERS), list) and VARIABLES in schema["properties"]:
        own = {(VARIABLES if key == PARAMETERS else key): value for key, value in own.items()}
    faults: list[Fault] = []
    if changes:
        own, faults = with_changes(own, changes, schema["properties"])
    table = own.get(PARAMETERS, {})
    if not isinstance(table, Mapping):
        return Resolved(own, faults, set())  # the schema says what it has to be
    scope = _Scope(units_in(str(own.get("units", "mm"))))
    faults += scope.define(table)
    if table:
        own[PARAMETERS] = {name: _in_file(amount.value) for name, amount in scope.known.items()}
    found = _substituted(own, schema, scope)
    faults += found.faults
    unused = [name for name in changes or () if name in table and name not in scope.used]
    faults += [_unused(name) for name in unused if not faults]
    return Resolved(found.data, faults[: MOST + 1], found.unread)


def parameter_names(data: Mapping[str, Any]) -> list[str]:
    """The parameters that a file has."""
    table = data.get(PARAMETERS)
    return list(table) if isinstance(table, Mapping) else []


@dataclass
class _Scope:
    """Names that expressions may use, and which of them some did."""

    units: Mapping[str, Amount]
    known: dict[str, Amount] = field(default_factory=dict)
    faulty: set[str] = field(default_factory=set)  # parameters that have no value
    used: set[str] = field(default_factory=set)

    def define(self, table: Mapping[str, Any]) -> list[Fault]:
        """Evaluate parameters, each after those it is made of."""
        if len(table) > MANY:
            return [Fault(PARAMETERS, f"has {len(table)} entries", f"Give at most {MANY}")]
        faults = [fault for name in table if (fault := self._name_fault(name))]
        needs = {name: _needs(value, table) for name, value in table.items()}
        self.used = set().union(*needs.values())
        waiting = dict(table)
        while ready := [name for name in waiting if needs[name] <= self.known.keys() | self.faulty]:
            for name in ready:
                value = waiting.pop(name)
                if needs[name] & self.faulty:
                    self.faulty.add(name)
                    continue
                try:
                    self.known[name] = self.amount(value)
                except ExpressionError as error:
                    self.faulty.add(name)
                    faults.append(_fault((PARAMETERS, name), value, error))
        self.faulty.update(waiting)
        return [*faults, *([_cycle_fault(waiting, needs)] if waiting else [])]

    def amount(self, value: Any) -> Amount:
        """The amount that a number or a text stands for."""
        if isinstance(value, str):
            self.used.update(names_in(value))
            return evaluate(value, self.known, self.units)
        if isinstance(value, bool) or not isinstance(value, int | float | Decimal | Fraction):
            raise ExpressionError("is no number", 'Write a number, or an expression such as "2*a + 3"')
        try:
            return Amount(Fraction(repr(value)) if isinstance(value, float) else Fraction(value))
        except (ValueError, OverflowError):
            raise ExpressionError("is no finite number", "Write it as 3") from None

    def _name_fault(self, name: str) -> Fault | None:
        what = {**dict.fromkeys(self.units, "a unit"), **dict.fromkeys(FUNCTIONS, "a function")}
        what.update(dict.fromkeys(CONSTANTS, "a constant"))
        if name in what:
            return Fault(key_path((PARAMETERS, name)), f"is called as {what[name]} is", "Choose another name")
        if not _NAME.fullmatch(name):
            cure = "Use letters, digits and _, a letter first"
            return Fault(key_path((PARAMETERS, name)), "has a name that expressions cannot use", cure)
        return None


def _needs(value: Any, table: Mapping[str, Any]) -> set[str]:
    return {name for name in names_in(value) if name in table} if isinstance(value, str) else set()


def _cycle_fault(waiting: Mapping[str, Any], needs: Mapping[str, set[str]]) -> Fault:
    """Names that go round: from one that waits, each time to one it waits for."""
    name, round_trip = next(iter(waiting)), list[str]()
    while name not in round_trip:
        round_trip.append(name)
        name = min(needs[name] & waiting.keys())
    loop = [*round_trip[round_trip.index(name) :], name]
    return Fault(key_path((PARAMETERS, name)), f"depends on itself: {' → '.join(loop)}", "Give one a number")


def _substituted(data: dict[str, Any], schema: Mapping[str, Any], scope: _Scope) -> Resolved:
    """The data with the number of each expression in its place; a copy, where anything changes."""
    kinds: dict[KeyPath, str] = {}
    values: list[tuple[KeyPath, Any]] = []
    faults, unread = list[Fault](), set[str]()
    for place, text in _strings(data):
        general = tuple(part if isinstance(part, str) else min(part, LISTED) for part in place)
        if general not in kinds:
            kinds[general] = number_kind(schema, place)
        if not kinds[general] or not _is_expression(text, scope):
            continue
        if scope.faulty.intersection(names_in(text)):
            unread.add(key_path(place))
            continue
        try:
            values.append((place, _number(scope.amount(text), kinds[general])))
        except ExpressionError as error:
            unread.add(key_path(place))
            faults.append(_fault(place, text, error))
    data = _copied(data) if values else data
    for place, value in values:
        _put(data, place, value)
    return Resolved(data, faults, unread)


def _strings(data: Mapping[str, Any]) -> Iterator[tuple[KeyPath, str]]:
    stack: list[tuple[KeyPath, Any]] = [((), {key: data[key] for key in data if key != PARAMETERS})]
    while stack:
        place, value = stack.pop()
        if isinstance(value, str):
            yield place, value
        elif isinstance(value, Mapping):
            stack.extend(((*place, key), item) for key, item in reversed([*value.items()]))
        elif isinstance(value, list | tuple):
            inner = [
                (k, item) for k, item in enumerate(value) if isinstance(item, str | Mapping | list | tuple)
            ]
            stack.extend(((*place, k), item) for k, item in reversed(inner))


def number_kind(schema: Mapping[str, Any], place: KeyPath) -> str:
    """What a number at that place is: "length", "angle", "any" or "whole"; "" where none may stand."""
    schemas = schema_branches(schema, schema)
    for part in place:
        schemas = schema_inside(schemas, part, schema)
    texts = [branch for branch in schemas if branch.get("type") == "string"]
    kinds = [branch["quantity"] for branch in texts if "quantity" in branch]
    if len(kinds) < len(texts):
        return ""  # a name may stand there, too
    if kinds:
        return kinds[0] if len(set(kinds)) == 1 else "any"
    types = {branch.get("type") for branch in schemas}
    return "whole" if "integer" in types else "any" if "number" in types else ""


def _is_expression(text: str, scope: _Scope) -> bool:
    """Whether a text is to be evaluated here: the model reads plain numbers and angles itself.

    Where a file has no parameters, a word is left for the model to refuse.
    """
    match = WRITTEN.fullmatch(text)
    if match is not None and (match[2] in DEGREES or match[2] in RADIANS):
        return False
    return bool(scope.known or scope.faulty) or not _NAME.fullmatch(text.strip() or "_")


def _number(amount: Amount, kind: str) -> int | float | str:
    wanted = _DIMENSIONS.get(kind)
    if wanted is not None and amount.dimension not in (BARE, wanted):
        kinds = with_article(dimension_text(amount.dimension)), with_article(kind)
        raise ExpressionError(f"is {kinds[0]}, and {kinds[1]} is wanted", "Check its units")
    if kind == "whole":
        if amount.value != int(amount.value):
            raise ExpressionError(f"is {float(amount.value):g}, no whole number", "Use round(…)")
        return int(amount.value)
    return _in_file(amount.value)


def _in_file(value: Fraction | float) -> int | float | str:
    return exact_to_file(value) if isinstance(value, Fraction) else value


def _fault(place: KeyPath, value: Any, error: ExpressionError) -> Fault:
    return Fault(key_path(place), f"{value_text(value)} {error.problem}", error.cure)


def _unused(name: str) -> Fault:
    where = key_path((PARAMETERS, name))
    return Fault(where, "is changed, and nothing in the file depends on it", f'Use it: length = "2*{name}"')


def with_changes(
    data: dict[str, Any], changes: Mapping[str, Any], keys: Mapping[str, Any]
) -> tuple[dict[str, Any], list[Fault]]:
    """The data with other values of parameters and of keys, and which of those are nowhere."""
    data, faults = _copied(data), list[Fault]()
    table: Any = data.get(PARAMETERS)
    table = table if isinstance(table, dict) else {}
    for name, value in changes.items():
        if name in table:
            table[name] = value
            continue
        place = key_place(name)
        if place is None or place[0] not in keys or not _put(data, place, value):
            cure = name_cure(name, [*table, *keys], "Parameters and keys of this file")
            faults.append(Fault(name, "is no parameter and no key of this file", cure))
    return data, faults


def key_place(text: str) -> KeyPath | None:
    """A key path as its parts; None where it is none.

    >>> key_place("pawls[0].stiffness"), key_place("2*a")
    (('pawls', 0, 'stiffness'), None)
    """
    parts, at = list[str | int](), 0
    while at < len(text):
        match = _PATH.match(text, at)
        if match is None:
            return None
        parts.append(match[1] if match[2] is None else int(match[2]))
        at = match.end()
    return tuple(parts) or None


def _copied(data: Any) -> Any:
    """Plain data anew, with lists in place of tuples."""
    if isinstance(data, Mapping):
        return {key: _copied(item) for key, item in data.items()}
    return [_copied(item) for item in data] if isinstance(data, list | tuple) else data


def _put(data: Any, place: KeyPath, value: Any) -> bool:
    """Set what stands at a place; False where there is no such place. A last key may be new."""
    last: Any = place[-1]
    try:
        for part in place[:-1]:
            data = data[part]
        if isinstance(data, list):
            _ = data[last]  # a list grows by no change
        elif not isinstance(data, dict):
            return False
        data[last] = value
    except (LookupError, TypeError):
        return False
    return True
