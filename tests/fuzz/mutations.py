"""Gallery files broken in structure: one file for each kind and seed, the same every time."""

from __future__ import annotations

import copy
import json
import math
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from itertools import accumulate
from random import Random
from typing import Any

from tests.fuzz.originals import DATA, FASTENER, LINKAGE, MECHANISM, SPATIAL
from tests.fuzz.small import small

from pliant.files import schema
from pliant.files.parse import parse
from pliant.gallery import FOLDER

KINDS = ("assembly", "linkage", "mechanism", "fastener")
AGAIN = "\x00again"  # ends a key that the file will hold a second time
_AGAIN = json.dumps(AGAIN)[1:-1]
DEEPEST = 20_000  # levels of nesting that are written
LARGE = 0.04  # of the files are large ones; a small one is checked and solved in a tenth of their time
WHOLE = {"assembly": [DATA], "linkage": [LINKAGE], "mechanism": [MECHANISM, SPATIAL], "fastener": [FASTENER]}

Place = tuple[Any, Any]  # a table or a list, and a key or an index of it
Mutation = Callable[[Random, str, Any], None]

EXTREME = (
    *(0, -0.0, 1, -1, 0.5, 2, 3, 7, 100, 1e-3, 1e-6, 1e-9, 1e-12, -1e-12, 1e-17, 1e-30, 1e-100, 1e-160),
    *(1e-308, 1e-320, 5e-324, 1e3, 1e6, 1e8, 999999999, 1e9, 1.1e9, -1e9, 1e12, 1e15, 1e18, 2**53 + 1),
    *(2**31, 2**63, 2**64, 1e30, 1e100, 1e150, -1e150, 1e154, 1e160, 1e300, -1e308, 1e308),
    *(10**400, 10**4000, math.inf, -math.inf, math.nan),
)
ODD = (None, True, False, "", " ", "x", "A", "a", "0", "1/0", "22/7", "1e400", "30 deg", "400 deg", "1e9 deg")
ODDER = (
    *([], {}, [[]], [0], [0, 0], [1, 1, 1], ["A", "A"]),
    *("x" * 100_000, "é\u202e\U0001f600", "\x1b[31m", "\ud800"),
)


@cache
def originals(kind: str) -> tuple[dict[str, Any], ...]:
    """What is broken: small models, the gallery's files of a kind, and files with nearly every key of it."""
    return (*small(kind), *_large(kind))


@cache
def _large(kind: str) -> tuple[dict[str, Any], ...]:
    found: list[dict[str, Any]] = list(WHOLE[kind])
    for path in sorted(FOLDER.glob("*.toml")):
        data = parse(path.read_text(encoding="utf-8"), path, exact=False)
        if data["kind"] == kind:
            found.append(data)
    return tuple(found)


@cache
def _written(kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The small and the large originals as text: to read it takes a fifth of what a deep copy does."""
    return tuple(map(json.dumps, small(kind))), tuple(map(json.dumps, _large(kind)))


def mutated(kind: str, seed: int) -> str:
    """A file of that kind as JSON, with one to three things changed."""
    random = Random(f"{kind} {seed}")
    few, large = _written(kind)
    data = json.loads(random.choice(large if random.random() < LARGE else few))
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        with suppress(RecursionError):  # of what was nested too deep to be copied
            random.choices(_MUTATIONS, cum_weights=_WEIGHTS)[0](random, kind, data)
    return _text(data).replace(_AGAIN, "")


def _text(data: Any) -> str:
    """Data as JSON, however deep it was nested by one change in another."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(DEEPEST)
    try:
        return json.dumps(data)
    finally:
        sys.setrecursionlimit(before)


def _places(data: Any) -> list[Place]:
    """Every place in plain data."""
    found: list[Place] = []
    todo = [data]
    while todo:
        table = todo.pop()
        items = list(table.items() if isinstance(table, dict) else enumerate(table))
        found += [(table, key) for key, _ in items]
        todo += [value for _, value in items if isinstance(value, dict | list)]
    return found


def _place(random: Random, data: Any, wanted: Callable[[Any], bool] = lambda value: True) -> Place | None:
    found = [(table, key) for table, key in _places(data) if wanted(table[key])]
    return random.choice(found) if found else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_point(value: Any) -> bool:
    return isinstance(value, list) and len(value) in (2, 3) and all(map(_is_number, value))


def delete(random: Random, kind: str, data: Any) -> None:
    if place := _place(random, data):
        del place[0][place[1]]


def rename(random: Random, kind: str, data: Any) -> None:
    tables = [table for table, _ in _places(data) if isinstance(table, dict)]
    table = random.choice([data, *tables])
    if table:
        old = random.choice(list(table))
        key = random.choice((old + "s", old[:-1], old.upper(), random.choice(known_keys(kind))))
        table[key] = table.pop(old)


def double(random: Random, kind: str, data: Any) -> None:
    """An entry of a list a second time, or a key."""
    if place := _place(random, data):
        table, key = place
        if isinstance(table, list):
            table.insert(random.randrange(len(table) + 1), copy.deepcopy(table[key]))
        else:
            table[f"{key}{AGAIN}"] = copy.deepcopy(table[key])


def extreme(random: Random, kind: str, data: Any) -> None:
    if place := _place(random, data, _is_number):
        place[0][place[1]] = random.choice(EXTREME)


def nudge(random: Random, kind: str, data: Any) -> None:
    """A number somewhat different: what stays a model is solved."""
    if place := _place(random, data, _is_number):
        old = min(place[0][place[1]], 1e308)
        scale = random.choice((0.0, 0.5, 0.9, 1.1, 2.0, 10.0, -1.0, 1e-3, 1e3, 1 + 1e-9))
        place[0][place[1]] = old * scale if random.random() < 0.6 else old + random.gauss(0, 1)


def odd(random: Random, kind: str, data: Any) -> None:
    if place := _place(random, data):
        place[0][place[1]] = copy.deepcopy(random.choice((*ODD, *ODDER, *EXTREME)))


def coincide(random: Random, kind: str, data: Any) -> None:
    """A point at the place of another."""
    first, second = _place(random, data, _is_point), _place(random, data, _is_point)
    if first and second:
        first[0][first[1]] = copy.deepcopy(second[0][second[1]])


def swap(random: Random, kind: str, data: Any) -> None:
    """A name, a number or a list in the place of another of its type."""
    if first := _place(random, data):
        sort = type(first[0][first[1]])
        if second := _place(random, data, lambda value: isinstance(value, sort)):
            first[0][first[1]] = copy.deepcopy(second[0][second[1]])


def scale(random: Random, kind: str, data: Any) -> None:
    """Every number at once."""
    factor = random.choice((1e-12, 1e-6, 1e-3, 1e3, 1e6, 1e150, 1e-160, -1.0))
    for table, key in _places(data):
        if _is_number(table[key]) and key != "pliant" and abs(table[key]) < 2**1000:
            table[key] *= factor


def nest(random: Random, kind: str, data: Any) -> None:
    if place := _place(random, data):
        for _ in range(random.choice((1, 2, 38, 60, 400))):
            inner = place[0][place[1]]
            place[0][place[1]] = [inner] if random.random() < 0.5 else {"x": inner}


def transplant(random: Random, kind: str, data: Any) -> None:
    """A part of another model, with names that may not be there."""
    other = random.choice(originals(kind))
    key = random.choice(list(other))
    if isinstance(other[key], dict) and isinstance(data.get(key), dict):
        data[key] |= copy.deepcopy(other[key])
    else:
        data[key] = copy.deepcopy(other[key])


def ask(random: Random, kind: str, data: Any) -> None:
    """A key of the study that was not there, with a value of its type."""
    name, entry = random.choice(study_keys(kind))
    study = data.setdefault("study", {})
    if isinstance(study, dict):
        study[name] = _of_schema(random, entry)


def crowd(random: Random, kind: str, data: Any) -> None:
    """A list many times as long."""
    if place := _place(random, data, lambda value: isinstance(value, list) and bool(value)):
        place[0][place[1]] = copy.deepcopy(place[0][place[1]]) * random.choice((2, 3, 50))


MUTATIONS: dict[Mutation, int] = {
    delete: 2, rename: 1, double: 1, extreme: 4, nudge: 6, odd: 2, coincide: 2, swap: 2, scale: 1, nest: 1,
    transplant: 1, ask: 3, crowd: 1,
}  # fmt: skip
_MUTATIONS, _WEIGHTS = list(MUTATIONS), list(accumulate(MUTATIONS.values()))


def keys_by_table(kind: str) -> list[str]:
    """Every key of a kind of file with its table, such as "Body.holes"."""
    whole = schema(kind)
    tables = {whole["title"]: whole, **whole["$defs"]}
    return sorted(f"{name}.{key}" for name, table in tables.items() for key in table.get("properties", {}))


@cache
def known_keys(kind: str) -> tuple[str, ...]:
    """Every key of a kind of file."""
    return tuple(sorted({name.partition(".")[2] for name in keys_by_table(kind)}))


@cache
def study_keys(kind: str) -> tuple[tuple[str, Any], ...]:
    """The keys of a study with their schemas."""
    whole = schema(kind)
    name = whole["properties"]["study"]["$ref"].rsplit("/", 1)[-1]
    return tuple(sorted(whole["$defs"][name]["properties"].items()))


def _of_schema(random: Random, entry: Any) -> Any:
    """A value that a schema might take."""
    if "enum" in entry:
        return random.choice(entry["enum"])
    if "anyOf" in entry:
        return _of_schema(random, random.choice(entry["anyOf"]))
    values = {
        "boolean": (True, True, True, False),
        "integer": (0, 1, 2, 3, 10, 200, 10**9),
        "number": (0, 1e-12, 1e-3, 0.1, 0.5, 1, 2, 50, 1e9, 1e150),
        "array": ([], [0, 0], [[0, 0], [1, 0]], [[1, 1]], ["A"]),
        "object": ({}, {"insert_below": 20}, {"A": 0.1}),
        "string": ("30 deg", "1/3", "A"),
    }
    return copy.deepcopy(random.choice(values.get(entry.get("type", ""), (None,))))
