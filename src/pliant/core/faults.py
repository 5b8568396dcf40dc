"""What pydantic found wrong, as faults a person can mend: key path, value, sentence, cure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import groupby
from typing import Any

from pliant.core.errors import Fault

KeyPath = tuple[str | int, ...]
Schema = Mapping[str, Any]

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")  # between the words of a class's name


def key_path(place: Iterable[str | int]) -> str:
    """A place in TOML's spelling.

    >>> key_path(("bodies", 2, "outline", 4)), key_path(("shapes", "my tab"))
    ('bodies[2].outline[4]', 'shapes."my tab"')
    """
    path = ""
    for part in place:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            path += ("." if path else "") + (part if _BARE.fullmatch(part) else value_text(part))
    return path


def value_text(value: Any, width: int = 60) -> str:
    """A value as one would write it in a file, shortened.

    >>> value_text({"name": "a", "pose": [0, 0, 0], "fixed": True})
    '{ name = "a", pose = [0, 0, 0], fixed = true }'
    """
    text = _spelt(value, width, 4)
    return text if len(text) <= width else text[: width - 1] + "…"


def _spelt(value: Any, width: int, levels: int) -> str:
    if isinstance(value, Mapping | list | tuple):
        return _spelt_items(value, width, levels - 1) if levels else "…"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str):
        cut = value[: width + 1]
        return json.dumps(cut, ensure_ascii=not cut.isprintable())
    if isinstance(value, int) and value.bit_length() > 4 * width:  # str() refuses thousands of digits
        return f"a whole number of {value.bit_length()} bits"
    return str(value)[: width + 1]


def _spelt_items(value: Mapping[Any, Any] | Sequence[Any], width: int, levels: int) -> str:
    if isinstance(value, Mapping):
        items = [
            f"{key_path([key])} = {_spelt(item, width, levels)}" for key, item in _leading_keys(value.items())
        ]
        return _join_items("{ ", items, " }", len(value))
    return _join_items("[", [_spelt(item, width, levels) for item in _leading_keys(value)], "]", len(value))


def _leading_keys(items: Iterable[Any], count: int = 5) -> list[Any]:
    return [item for item, _ in zip(items, range(count), strict=False)]


def _join_items(left: str, items: list[str], right: str, size: int) -> str:
    return (
        left + ", ".join([*items, "…"] if size > len(items) else items) + right
        if items
        else left[0] + right[-1]
    )


def name_cure(given: Any, known: Iterable[str], listed: str) -> str:
    """A cure for a name that is none: the nearest, or all of them.

    >>> name_cure("outlin", ["outline", "holes"], "Keys here")
    "Did you mean 'outline'?"
    """
    names = list(known)
    near = get_close_matches(given, names, 1) if isinstance(given, str) and len(given) < 200 else []
    return f"Did you mean {near[0]!r}?" if near else f"{listed}: {', '.join(names) or 'none'}"


def model_faults(errors: Sequence[Mapping[str, Any]], data: Any, schema: Schema) -> list[Fault]:
    """The errors of one pydantic ValidationError as faults, in the order of the file.

    `data` is what was validated and `schema` its JSON Schema: from the two it is told which
    parts of a pydantic location are keys and which only name the branch of a union.
    """
    lines = _without_echoes(_one_branch([_fault_line(error, data, schema) for error in errors]))
    faults = [_fault(line) for line in lines]
    return list(dict.fromkeys(faults))


@dataclass(frozen=True)
class _Line:
    """One pydantic error, found again in the data."""

    type: str
    place: KeyPath
    context: Mapping[str, Any]
    message: str
    value: Any
    schema: Schema  # of the table or value at fault
    union: tuple[KeyPath, str] | None  # where a union branched, and the branch this error comes from


def _fault_line(error: Mapping[str, Any], data: Any, root: Schema) -> _Line:
    place: KeyPath = ()
    union: tuple[KeyPath, str] | None = None
    schemas = schema_branches(root, root)
    parts: KeyPath = tuple(error["loc"])
    for index, part in enumerate(parts):
        last = index == len(parts) - 1 and error["type"] in ("missing", "extra_forbidden")
        inner = schema_inside(schemas, part, root)
        if last or (inner and _holds(data, part)):
            place = (*place, part)
            # An unknown or missing key is judged by the table it stands in.
            schemas = schemas if last else inner
            data = data if last else _item(data, part)
        else:
            union = union or (place, str(part))
    value = error["input"]
    schema = next(
        (s for s in schemas if "properties" in s or "prefixItems" in s), schemas[0] if schemas else {}
    )
    context = error.get("ctx", {})
    return _Line(error["type"], place, context, error["msg"], value, schema, union)


def _holds(data: Any, part: str | int) -> bool:
    if isinstance(part, int):
        return isinstance(data, list | tuple) and part < len(data)
    return part in data if isinstance(data, Mapping) else hasattr(data, part)


def _item(data: Any, part: str | int) -> Any:
    return getattr(data, part) if isinstance(part, str) and not isinstance(data, Mapping) else data[part]


def schema_branches(schema: Schema, root: Schema) -> list[Schema]:
    """A schema with references followed and unions opened."""
    if "$ref" in schema:
        named = root.get("$defs", {}).get(schema["$ref"].rsplit("/", 1)[-1])
        return [{"type": "object"}] if named is None else schema_branches(named, root)
    inner = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    return [branch for one in inner for branch in schema_branches(one, root)] if inner else [schema]


def schema_inside(schemas: list[Schema], part: str | int, root: Schema) -> list[Schema]:
    """The schemas of what stands at a key or an index."""
    branches: list[Schema] = []
    for schema in schemas:
        if isinstance(part, str):
            inner = schema.get("properties", {}).get(part) or schema.get("additionalProperties")
        else:
            listed = schema.get("prefixItems", [])
            inner = listed[part] if part < len(listed) else schema.get("items")
        if isinstance(inner, Mapping):
            branches.extend(schema_branches(inner, root))
    return branches


def _one_branch(lines: list[_Line]) -> Iterator[_Line]:
    """Of a value that fits no branch of a union, the complaints of the branch that came furthest."""
    for union, group in groupby(lines, key=lambda line: line.union and line.union[0]):
        members = list(group)
        if union is None:
            yield from members
            continue
        furthest = max(members, key=lambda line: len(line.place))
        yield from (line for line in members if line.union == furthest.union)


def _without_echoes(lines: Iterator[_Line]) -> Iterator[_Line]:
    """Leave out what only follows from another fault."""
    kept = list(lines)
    meant = {(*line.place[:-1], _meant(line)) for line in kept if line.type == "extra_forbidden"}
    for line in kept:
        if line.type == "missing" and line.place in meant:
            continue  # the key is there, misspelt
        if line.type == "too_short" and len(line.value) >= line.context["min_length"]:
            continue  # enough items were given; pydantic counts those without faults
        yield line


def _meant(line: _Line) -> str | None:
    near = get_close_matches(str(line.place[-1])[:200], list(line.schema.get("properties", {})), 1)
    return near[0] if near else None


def _fault(line: _Line) -> Fault:
    if line.type == "missing":
        return _missing_key_fault(line)
    if line.type == "extra_forbidden":
        where = _WORDS.sub(" ", line.schema.get("title", "table")).lower()
        keys = line.schema.get("properties", {})
        cure = name_cure(line.place[-1], keys, f"Keys of {with_article(where)}")
        return Fault(
            key_path(line.place),
            f"is not a key of {with_article(where)} (given {value_text(line.value)})",
            cure,
        )
    problem, cure = _sentence(line)
    value = value_text(line.value)
    named = isinstance(line.value, str) and repr(line.value) in problem
    named = named or line.value is None or line.type == "quantity"
    problem = problem if named else f"{problem} (given {value})"
    names = tuple(map(str, line.context.get("names", ())))
    return Fault(key_path(line.place), problem, str(line.context.get("cure", cure)), names)


def _missing_key_fault(line: _Line) -> Fault:
    *table, key = line.place
    if isinstance(key, int):
        size = len(line.schema.get("prefixItems", ())) or key + 1
        problem = f"has fewer than the {size} values wanted (given {value_text(line.value)})"
        return Fault(key_path(table), problem, f"Give {size} values")
    example = {"string": '"…"', "array": "[…]", "object": "{ … }", "boolean": "true"}
    kinds = [schema.get("type", "") for schema in schema_inside([line.schema], key, {})]
    value = example.get(kinds[0], "…") if kinds else "…"
    problem = "is missing" + (f" from {value_text(line.value)}" if table else "")
    return Fault(key_path(line.place), problem, f"Add {key} = {value}")


def _sentence(line: _Line) -> tuple[str, str]:
    """A problem and a cure for pydantic's own errors; ours bring theirs."""
    context = line.context
    for key, words in _BOUNDS.items():
        if key in context:
            bound = f"{words} {context[key]:.6g}"
            return f"must be {bound}", f"Give a number that is {bound}"
    if line.type in _WANTED:
        problem, cure = _WANTED[line.type]
        return problem.format(**context), cure.format(**context)
    if line.type == "literal_error":
        choices = re.findall(r"'([^']*)'", context["expected"])
        return f"must be {context['expected']}", name_cure(line.value, choices, "Choices")
    return line.message.removeprefix("Value error, ").replace("Input should", "should", 1), ""


_BOUNDS = {"gt": "more than", "ge": "at least", "lt": "less than", "le": "at most"}

_A_TABLE = "must be a table", "Write it as [name] with keys below, or as {{ … }}"
_A_WHOLE_NUMBER = "must be a whole number", "Write it as 3"
_A_BOOLEAN = "must be true or false", "Write true or false, without quotes"
_WANTED = {
    "string_type": ("must be text", "Put it in quotes"),
    "string_too_short": ("must not be empty", "Give it a name"),
    "string_too_long": ("is longer than {max_length} characters", "Shorten it"),
    "bool_type": _A_BOOLEAN,
    "bool_parsing": _A_BOOLEAN,
    "int_type": _A_WHOLE_NUMBER,
    "int_parsing": _A_WHOLE_NUMBER,
    "int_parsing_size": _A_WHOLE_NUMBER,
    "int_from_float": ("must be a whole number", "Leave the fraction out"),
    "finite_number": ("must be a finite number", "Write it as 3"),
    "too_short": ("has {actual_length} entries; at least {min_length} wanted", "Add one"),
    "too_long": ("has more than the {max_length} values wanted", "Give {max_length} values"),
    "tuple_type": ("must be a list", "Write it as […]; a list of tables as [[name]]"),
    "dict_type": _A_TABLE,
    "model_type": _A_TABLE,
}


def with_article(noun: str) -> str:
    """A noun with its article."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"
