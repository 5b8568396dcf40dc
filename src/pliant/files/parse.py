"""Text to plain dicts, with every refusal in words: sizes, encodings, syntax, nesting.

Floats are read as Decimal, so that a model may be exact. Nothing here knows what a model is.
"""

from __future__ import annotations

import json
import math
import re
import sys
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation
from itertools import islice
from pathlib import Path
from typing import Any, Literal, cast
from weakref import WeakKeyDictionary

from pliant.core.errors import MOST, Fault, InputError
from pliant.core.faults import key_path, value_text

Syntax = Literal["TOML", "JSON"]

MEGABYTE = 1_000_000
MODEL_BYTES = 10 * MEGABYTE
RESULT_BYTES = 1000 * MEGABYTE
DRAWING_BYTES = 50 * MEGABYTE
STDIN = "-"  # in place of a file's name
DEPTH = 40  # a model nests 6 deep, a result 5

# tomllib takes time quadratic in the parts of one dotted key; nobody writes twenty.
_LONG_KEY = re.compile(
    r"""(?<![\w."'-])(?:(?:[\w-]{1,200}|"[^"\n]{0,200}"|'[^'\n]{0,200}')[ \t]*\.[ \t]*){20}"""
)
_PIPED: WeakKeyDictionary[Any, bytes] = WeakKeyDictionary()  # by stream
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def read_text(path: Path, max_bytes: int) -> str:
    """The file's text, or an InputError that says why there is none."""
    content = _read_bytes(path, max_bytes)
    if not content.strip():
        raise _refusal(path, "is empty", 'A model file begins with pliant = 1; see "pliant examples"')
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _refusal(path, "is UTF-16 text", "Save it as UTF-8")
    if b"\0" in content:
        raise _refusal(path, f"is a binary file (it begins {_hex(content)})", "Give a TOML or JSON text file")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = f"is not UTF-8 text: line {line} holds the byte 0x{content[error.start]:02x}"
        raise _refusal(path, problem, "Save it as UTF-8") from None


def parse(text: str, path: Path, *, exact: bool = True) -> dict[str, Any]:
    """The document as plain dicts, lists, strings, whole numbers and Decimals (floats, if not exact)."""
    syntax = _syntax(text, path)
    real = _decimal if exact else _float
    try:
        data = _parse_toml(text, real) if syntax == "TOML" else _parse_json(text, real)
    except RecursionError:
        raise _too_deep(path) from None
    except tomllib.TOMLDecodeError as error:
        raise _refusal(path, *_toml_problem(error, text, path)) from None
    except json.JSONDecodeError as error:
        problem = f"{_at(text, error.lineno, error.colno)}: {_lower(error.msg)}"
        raise _refusal(path, problem, "Mend the JSON there, or just before") from None
    except ValueError as error:  # such as whole numbers of thousands of digits
        problem = f"cannot be read as {syntax}: {error}"
        raise _refusal(path, problem, "Write finite numbers of ordinary length") from None
    if not isinstance(data, dict):
        raise _refusal(
            path, f"holds {value_text(data)}, not a table of keys", 'Begin with { "pliant": 1, … }'
        )
    return data


def text_faults(data: Any) -> list[Fault]:
    """Keys given twice, broken or unprintable text, and nesting that is too deep."""
    return list(islice(_text_faults(data), MOST + 1))


def named_file(path: Path) -> str:
    """A file as messages name it; "-" is what is piped in."""
    return "stdin" if str(path) == STDIN else str(path)


def beginning(path: Path, count: int) -> str:
    """The first characters of a file, about; "" where it cannot be read."""
    if str(path) == STDIN:
        return _piped_text(path, RESULT_BYTES)[:count].decode(errors="replace")
    try:
        with path.open("rb") as file:
            return file.read(count).decode(errors="replace").removeprefix("\ufeff")
    except (OSError, ValueError):
        return ""


def _piped_text(path: Path, max_bytes: int) -> bytes:
    """What is piped in; it is kept, so that it may be read again."""
    if sys.stdin not in _PIPED:
        _PIPED[sys.stdin] = sys.stdin.buffer.read(RESULT_BYTES + 1)
    content = _PIPED[sys.stdin]
    if len(content) > max_bytes:
        raise _too_large(path, len(content), max_bytes)
    return content


def _read_bytes(path: Path, max_bytes: int) -> bytes:
    if str(path) == STDIN:
        return _piped_text(path, max_bytes)
    try:
        if path.is_dir():
            raise _refusal(path, "is a folder, not a file", "Name a model file in it")
        with path.open("rb") as file:
            # What is not a plain file (/dev/zero) has no size to ask for: read up to the limit.
            size = path.stat().st_size
            content = b"" if size > max_bytes else file.read(max_bytes + 1)
    except FileNotFoundError:
        raise _refusal(path, "there is no such file", _neighbour(path)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _refusal(path, f"cannot be read: {reason}", "Check the name and its permissions") from None
    if max(size, len(content)) > max_bytes:
        raise _too_large(path, max(size, len(content)), max_bytes)
    return content


def file_size(path: Path, max_bytes: int) -> int:
    """How large a plain file is, in bytes; an InputError where it cannot be read, or is larger than that."""
    try:
        if path.is_dir():
            raise _refusal(path, "is a folder, not a file", "Name a file in it")
        with path.open("rb") as file:
            file.read(1)
        size = path.stat().st_size
    except FileNotFoundError:
        raise _refusal(path, "there is no such file", _neighbour(path)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _refusal(path, f"cannot be read: {reason}", "Check the name and its permissions") from None
    if size > max_bytes:
        raise _too_large(path, size, max_bytes)
    if not path.is_file():
        raise _refusal(path, "is no plain file", "Give a file")
    if size == 0:
        raise _refusal(path, "is empty", "Save the drawing anew")
    return size


def _too_large(path: Path, size: int, limit: int) -> InputError:
    megabytes = size / MEGABYTE
    problem = f"is {megabytes:.3g} MB; the limit is {limit / MEGABYTE:.3g} MB"
    raised = int(megabytes) + 1
    return _refusal(
        path, problem, f"Raise it with --max-size {raised} (max_bytes={raised}_000_000 in Python)"
    )


def _neighbour(path: Path) -> str:
    from difflib import get_close_matches

    folder = path.parent
    try:
        near = get_close_matches(path.name, [entry.name for entry in folder.iterdir()], 1)
    except (OSError, ValueError):
        return f"Its folder {folder} does not exist either"
    return (
        f"Did you mean {str(folder / near[0])!r}?" if near else 'Check the name; "pliant examples" lists some'
    )


def _syntax(text: str, path: Path) -> Syntax:
    """By suffix, and where that says nothing, by the first character."""
    known: dict[str, Syntax] = {".toml": "TOML", ".json": "JSON"}
    return known.get(path.suffix.lower()) or ("JSON" if looks_like_json(text) else "TOML")


def looks_like_json(text: str) -> bool:
    """Whether text begins as a JSON object does, which no TOML document can."""
    return text.lstrip().startswith("{")


def _parse_toml(text: str, real: Callable[[str], Any]) -> dict[str, Any]:
    if _LONG_KEY.search(text):
        raise RecursionError
    return tomllib.loads(text, parse_float=real)


class _Doubled(dict[str, Any]):
    """A JSON object in which keys were given more than once."""

    def __init__(self, pairs: list[tuple[str, Any]], doubled: list[str]) -> None:
        super().__init__(pairs)
        self.doubled = doubled


def _parse_json(text: str, real: Callable[[str], Any]) -> Any:
    return json.loads(
        text,
        parse_float=real,
        parse_constant=real,  # NaN and Infinity; as Decimals the schema refuses them, and knows the key
        parse_int=_whole,
        object_pairs_hook=_object,
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) == len(pairs):
        return data
    times = Counter(key for key, _ in pairs)
    return _Doubled(pairs, [key for key in data if times[key] > 1])


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text.replace("_", ""))
    except InvalidOperation:  # an exponent of twenty digits
        return Decimal("Infinity")


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is not a finite number")
    return value


def _whole(text: str) -> int | Decimal:
    return int(text) if len(text) < 400 else Decimal(text)


def _text_faults(data: Any) -> Iterator[Fault]:
    stack: list[tuple[tuple[str | int, ...], Any]] = [((), data)]
    while stack:
        place, value = stack.pop()
        if isinstance(value, str):
            yield from _string_faults(place, value)
        elif isinstance(value, dict | list | tuple) and len(place) >= DEPTH:
            yield Fault(key_path(place[:6]) + "…", f"is nested more than {DEPTH} deep", "Write it flatter")
            return
        elif isinstance(value, dict):
            value = cast(dict[object, Any], value)  # one made in Python may have any keys
            if isinstance(value, _Doubled):
                for key in value.doubled:
                    problem = f"is given twice; the last is {value_text(value[key])}"
                    yield Fault(key_path((*place, key)), problem, "Keep one of the two")
            for key in value:
                if isinstance(key, str):
                    yield from _string_faults((*place, key), key)
                else:
                    yield Fault(key_path(place), f"has the key {key!r}, which is no text", "Keys are names")
            named = [(key, item) for key, item in value.items() if isinstance(key, str)]
            stack.extend(((*place, key), item) for key, item in reversed(named))
        elif isinstance(value, list | tuple):
            inner = [
                (index, item)
                for index, item in enumerate(value)
                if isinstance(item, str | dict | list | tuple)
            ]
            stack.extend(((*place, index), item) for index, item in reversed(inner))


def _string_faults(place: tuple[str | int, ...], text: str) -> Iterator[Fault]:
    if text.isascii() and text.isprintable():
        return
    for character in text:
        # Control characters would reach the terminal; half characters can be written nowhere.
        if unicodedata.category(character) in ("Cc", "Cs") and character not in "\n\t":
            yield Fault(
                key_path(place),
                f"{value_text(text)} holds U+{ord(character):04X}",
                "Leave that character out",
            )
            return


def _toml_problem(error: tomllib.TOMLDecodeError, text: str, path: Path) -> tuple[str, str]:
    cure = "Mend the TOML there, or just before"
    if looks_like_json(text):
        cure = f"It looks like JSON: name it {path.stem}.json"
    message = str(error)
    place = _PLACE.search(message)
    if place is None:
        return f"cannot be read as TOML: {_lower(message)}", cure
    if "overwrite" in message or "twice" in message or "mutate" in message:
        cure = "Give each key once in its table, and a list of tables as [[name]]"
    problem = _lower(message[: place.start()])
    if place[1] is None:
        return f"line {text.count(chr(10)) + 1}: {problem} at the end of the file", cure
    return f"{_at(text, int(place[1]), int(place[2]))}: {problem}", cure


def _at(text: str, line: int, column: int) -> str:
    lines = text.split("\n", line)
    given = lines[line - 1].strip() if line <= len(lines) else ""
    return f"line {line}, column {column}" + (f", in {value_text(given)}" if given else "")


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]


def _hex(content: bytes) -> str:
    return content[:4].hex(" ")


def _too_deep(path: Path) -> InputError:
    return _refusal(path, "is nested too deeply", f"Write it flatter: {DEPTH} levels are the limit")


def _refusal(path: Path, problem: str, cure: str) -> InputError:
    return InputError([Fault("", problem, cure)], named_file(path))
