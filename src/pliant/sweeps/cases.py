"""What is solved: a model file's text with other values of its parameters, and the grid of those values."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path

from pliant.core.errors import Fault, InputError
from pliant.core.expression import Amount, ExpressionError, evaluate, units_in
from pliant.core.given import given_values
from pliant.core.quantity import exact_to_file
from pliant.core.store import json_text, version
from pliant.files.drawn_outlines import with_drawn_outlines
from pliant.files.parse import STDIN, named_file, parse, read_text
from pliant.files.writer import file_numbers
from pliant.sweeps.table import Value

MOST = 1_000_000  # cases of one sweep
SUFFIXES = (".toml", ".json")


@dataclass(frozen=True)
class Case:
    """One model to be solved."""

    name: str
    text: str  # of the model's file
    suffix: str  # ".toml" or ".json"
    changes: Mapping[str, Value]  # of parameters, or of keys by their path

    def to_task(self, command: str | None, report: Sequence[str] | None = None) -> str:
        """All that another process needs, as JSON: the same text is the same work.

        With a `report`, only these figures are to come back.
        """
        asked = {} if report is None else {"report": list(report)}
        own = {**vars(self), "changes": dict(self.changes), "command": command, "pliant": version()}
        return json.dumps({**own, **asked})


def carried_text(path: Path, max_bytes: int) -> tuple[str, str]:
    """A model's text as it goes to other processes, and its suffix: outlines stand for the drawings it names.

    Workers elsewhere have no drawing.
    """
    text, suffix = read_text(path, max_bytes), path.suffix.lower() or ".toml"
    data = parse(text, path)
    drawn, faults = with_drawn_outlines(data, None if str(path) == STDIN else path.parent)
    if faults:
        raise InputError(faults, named_file(path))
    return (text, suffix) if drawn is data else (json_text(file_numbers(drawn)), ".json")


def file_unit(text: str, suffix: str) -> str:
    """The unit of a model's lengths."""
    return str(parse(text, Path(f"model{suffix}")).get("units", "mm"))


def grid_cases(path: Path, ranges: Mapping[str, str | Sequence[object]], max_bytes: int) -> list[Case]:
    """Every combination of values, the last parameter going fastest."""
    text, suffix = carried_text(path, max_bytes)
    unit = file_unit(text, suffix)
    values = {name: range_values(name, given, unit) for name, given in ranges.items()}
    count = 1
    for name, each in values.items():
        count *= len(each)
        if count > MOST:
            raise InputError(
                [Fault(name, f"makes {count:,} cases", f"Give at most {MOST:,}, by larger steps")]
            )
    return [
        Case(case_name(changes), text, suffix, changes)
        for changes in (dict(zip(values, chosen, strict=True)) for chosen in product(*values.values()))
    ]


def case_name(changes: Mapping[str, Value]) -> str:
    """What is changed, in a few words."""
    return " ".join(f"{name}={_short(value)}" for name, value in changes.items())


def _short(value: Value) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def range_values(name: str, given: str | Sequence[object], unit: str) -> list[Value]:
    """The values of "10:20:0.5" (both ends among them), "1, 2, 3", "1/8 in:1 in:1/8 in", or of a list.

    >>> range_values("a", "1:2:1/4", "mm")
    [1, 1.25, 1.5, 1.75, 2]
    """
    given = given_values(given, name, 'Give a list such as [1, 2, 3], or text such as "10:20:0.5"')
    if not isinstance(given, str):
        return [each if isinstance(each, str) else _plain(name, str(each), unit) for each in given]
    if ":" not in given:
        return [_plain(name, text, unit, words=True) for text in given.split(",")]
    parts = given.split(":")
    if len(parts) != 3:
        raise InputError(
            [Fault(name, f'"{given}" is no range', "Write it as first:last:step, such as 10:20:0.5")]
        )
    first, last, step = (_amount(name, part, unit).value for part in parts)
    if step == 0 or (last - first) / step < 0:
        raise InputError(
            [Fault(name, f'"{given}" never gets from its first value to its last', "Mend the step")]
        )
    count = int((last - first) / step + Fraction(1, 10**9)) + 1
    if count > MOST:
        raise InputError([Fault(name, f'"{given}" makes {count:,} values', f"Give at most {MOST:,}")])
    return [_in_file(first + k * step) for k in range(count)]


def read_value(name: str, text: str, unit: str) -> float:
    """A number, by itself or with its unit."""
    return float(_amount(name, text, unit).value)


def _amount(name: str, text: str, unit: str) -> Amount:
    try:
        return evaluate(text, {}, units_in(unit))
    except ExpressionError as error:
        raise InputError([Fault(name, f'"{text.strip()}" {error.problem}', error.cure)]) from None


def _plain(name: str, text: str, unit: str, words: bool = False) -> Value:
    """A value; a word is itself, where a key takes one ("study.method=auto,sync")."""
    if words and text.strip().replace("-", "_").isidentifier():
        return text.strip()
    return _in_file(_amount(name, text, unit).value)


def _in_file(value: Fraction | float) -> Value:
    return exact_to_file(value) if isinstance(value, Fraction) else value


def folder_cases(folder: Path, max_bytes: int) -> list[Case]:
    """Every model file of a folder, by name."""
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES and path.is_file())
    if not files:
        raise InputError(
            [Fault("", "holds no model files", "Put .toml or .json models into it")], str(folder)
        )
    return [Case(path.name, *_text_or_as_it_is(path, max_bytes), {}) for path in files]


def _text_or_as_it_is(path: Path, max_bytes: int) -> tuple[str, str]:
    """A file of many that is no model has a row that says so, and the others go on."""
    try:
        return carried_text(path, max_bytes)
    except InputError:
        return read_text(path, max_bytes), path.suffix.lower()


def table_cases(path: Path, table: Path, max_bytes: int) -> list[Case]:
    """A model once for each row of a CSV table, whose columns are parameters or key paths."""
    text, suffix = carried_text(path, max_bytes)
    unit = file_unit(text, suffix)
    rows = list(csv.reader(read_text(table, max_bytes).splitlines()))
    head, body = [name.strip() for name in rows[0]], [row for row in rows[1:] if any(row)]
    if len(set(head)) < len(head) or not all(head):
        problem = "has columns of one name, or of none"
        raise InputError([Fault("line 1", problem, "Name each column for a parameter")], str(table))
    cases: list[Case] = []
    for number, row in enumerate(body, start=2):
        if len(row) != len(head):
            problem = f"has {len(row)} values for {len(head)} columns"
            raise InputError([Fault(f"line {number}", problem, "Give each row a value a column")], str(table))
        changes = {name: _plain(name, value, unit, words=True) for name, value in zip(head, row, strict=True)}
        cases.append(Case(f"row {number - 1}", text, suffix, changes))
    if not cases:
        raise InputError([Fault("", "has no rows below its first line", "Add some")], str(table))
    return cases
