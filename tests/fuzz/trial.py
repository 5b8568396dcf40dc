"""One file, from loading to drawing: all that a user may ask of it, and what broke on the way.

A refusal in words and any status are sound. A finding is an exception of another kind, a warning, a number
that JSON cannot say, a file that `check` and `solve` do not judge alike, or a model that is another one when
it has been written and read again.
"""

from __future__ import annotations

import json
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from enum import IntEnum
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest import mock

from pydantic import BaseModel

import pliant
from pliant import view
from pliant.core.errors import InputError, PliantError
from pliant.files.kinds import fetch, kind_named
from pliant.files.parse import parse
from pliant.files.reader import model_of
from pliant.files.writer import plain, toml_text

JSON, TOML = Path("model.json"), Path("model.toml")

# What a study may ask for takes as long as it takes; beyond these it is not run, but run with less.
AFFORDABLE = {
    "frames": 20, "samples": 90, "steps": 30, "directions": 12, "iterations": 100_000, "digits": 50,
    "restarts": 10,
}  # fmt: skip
CHEAP = {
    "frames": 3, "samples": 8, "steps": 3, "directions": 4, "iterations": 1_000, "digits": 50, "restarts": 1,
}  # fmt: skip

AT_MOST = {"draws": 1000, "directions": 6, "beams": 2, "tried": 2}  # of a command beyond solve

# What no study can ask for less of: by module and name, in any solve and in one in full.
FEWER = {
    ("snap.questions.stability", "STEPS"): (3, 10),
    ("snap.questions.stability", "HALVINGS"): (1, 5),
    ("snap.questions.design_search", "SPREAD"): (1, 3),  # a power of two
    ("snap.questions.design_search", "POLISHED"): (0, 1),
    ("relax.solvers.auto", "INCREMENTS"): (40, 1000),
    ("relax.solvers.auto", "EACH"): (5, 50),
    ("relax.solvers.equilibrium", "RESCUE"): (5_000, 200_000),
    ("relax.solvers.equilibrium", "LEAST_RESCUE"): (500, 5_000),
}


class Depth(IntEnum):
    """How far a file is taken."""

    CHECKED = 0
    SOLVED = 1  # with few frames and trials, a small assembly not shaken at its end
    IN_FULL = 2  # with all that is affordable, and its plots
    DRAWN = 3


@dataclass(frozen=True)
class Finding:
    """Something that broke: in which phase, what it was, where in pliant, and its text."""

    phase: str
    what: str
    where: str
    text: str

    @property
    def label(self) -> str:
        return f"{self.what} in {self.phase}: {self.where}"


@dataclass
class Trial:
    """What became of one file."""

    outcome: str = ""  # "refused", "loaded", or the status of its solve
    solved: bool = False
    findings: list[Finding] = field(default_factory=list)
    touched: list[str] = field(default_factory=list)  # keys of a model that was solved, such as "Body.holes"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) if self.findings else vars(self)


def tried(text: str, depth: Depth) -> Trial:
    """Load a file's text (JSON), check it, and where wanted solve it and draw the answer."""
    trial = Trial()
    model = _attempt(trial, "load", lambda: model_of(parse(text, JSON), source=str(JSON)))
    if not isinstance(model, InputError | None):
        trial.outcome = "loaded"
        refusal = _attempt(trial, "check", lambda: _checked(model))
        if depth >= Depth.SOLVED:
            _attempt(trial, "save", lambda: _written_and_read(trial, model))
            _solve(trial, model, depth, isinstance(refusal, InputError))
    elif isinstance(model, InputError):
        trial.outcome = "refused"
        if not model.faults or not all(str(fault).strip() for fault in model.faults):
            trial.findings.append(Finding("load", "refusal without words", "", str(model)[:200]))
    return trial


def _checked(model: Any) -> None:
    """All that `pliant check` does."""
    kind = kind_named(model.kind)
    fetch(kind.check)(model)
    dict(fetch(kind.describe)(model))
    fetch(kind.drawn)(model)


def _written_and_read(trial: Trial, model: Any) -> None:
    """Whether a model is the same when it has been written as TOML and read again."""
    try:
        again = model_of(parse(toml_text(plain(model)), TOML))
    except InputError as error:
        trial.findings.append(Finding("save", "refused when read again", "", str(error)[:300]))
    else:
        if again != model:
            trial.findings.append(
                Finding("save", "another model when read again", "", str(plain(model))[:300])
            )


def _solve(trial: Trial, model: Any, depth: Depth, refused: bool) -> None:
    most = CHEAP if depth == Depth.SOLVED else AFFORDABLE
    less, edited = affordable(model, most), None
    with _fewer(depth > Depth.SOLVED):
        result = _attempt(trial, "solve", lambda: pliant.solve(less))
    if model.kind == "linkage" and (edit := less.study.edit) is not None:
        # An edit that asks for nothing yet cannot be tried, but its keeps are checked all the same.
        quick = edit.model_copy(update={"samples": 24, "iterations": 10 * depth})
        study = less.study.model_copy(update={"edit": None if edit.is_empty else quick})
        less = less.model_copy(update={"study": study})
        refused = isinstance(_attempt(trial, "check", lambda: _checked(less)), InputError)
        edited = None if edit.is_empty else _attempt(trial, "edit", lambda: pliant.edit(less))
    if model.kind == "assembly":
        for command in ("play", "separate", "loosen", "brace"):
            if getattr(model.study, command) is not None:
                _ask(trial, command, less, depth)
    if result is None:
        return
    refusals = [str(answer) for answer in (result, edited) if isinstance(answer, InputError)]
    if bool(refusals) != refused:
        which = "check accepts what solve refuses" if not refused else "check refuses what solve takes"
        trial.findings.append(Finding("check", which, "", "".join(refusals)[:300]))
    if isinstance(result, InputError):
        return
    trial.outcome, trial.solved, trial.touched = result.status.name, True, sorted(touched(model))
    _tell(trial, result, depth)
    if not isinstance(edited, InputError | None):
        _tell(trial, edited, depth)
    if depth == Depth.DRAWN:
        _draw(trial, model, result)


def _ask(trial: Trial, command: str, model: Any, depth: Depth) -> None:
    """What a command beyond solve says of a model; a refusal in words is an answer."""
    own = getattr(model.study, command)
    less = {key: min(getattr(own, key), most) for key, most in AT_MOST.items() if hasattr(own, key)}
    if command == "loosen":
        less["accuracy"] = max(own.accuracy, 0.1)
    study = model.study.model_copy(update={command: own.model_copy(update=less)})
    asked = model.model_copy(update={"study": study})
    with _fewer(in_full=False):
        answer = _attempt(trial, command, lambda: getattr(pliant, command)(asked))
    if not isinstance(answer, InputError | None):
        _tell(trial, answer, depth)


@contextmanager
def _fewer(in_full: bool) -> Iterator[None]:
    """Searches with few trials; to shake a small assembly at its end takes nine tenths of a solve."""
    with ExitStack() as less:
        for (module, name), numbers in FEWER.items():
            less.enter_context(mock.patch.object(import_module(f"pliant.{module}"), name, numbers[in_full]))
        if not in_full:
            less.enter_context(mock.patch("pliant.flex.solve.is_worth_perturbing", return_value=False))
        yield


def touched(model: Any) -> set[str]:
    """The keys that a model sets, each with its table."""
    if isinstance(model, BaseModel):
        fields, table = type(model).model_fields, type(model).__name__
        names = {f"{table}.{fields[name].alias or name}" for name in model.model_fields_set}
        return names.union(*(touched(getattr(model, name)) for name in model.model_fields_set))
    inner = model.values() if isinstance(model, dict) else model if isinstance(model, list | tuple) else ()
    return set[str]().union(
        *(touched(one) for one in inner if isinstance(one, BaseModel | dict | list | tuple))
    )


def _tell(trial: Trial, result: Any, depth: Depth) -> None:
    """All that a result says in words and numbers."""
    for name in ("to_dict", "summary", "plots")[: 2 if depth == Depth.SOLVED else 3]:
        said = _attempt(trial, name, lambda name=name: _strict(getattr(result, name)()))
        if isinstance(said, InputError):
            trial.findings.append(Finding(name, "refusal after the solve", "", str(said)[:300]))


def _strict(said: Any) -> Any:
    """What is said, if JSON can say it."""
    if isinstance(said, dict):
        plots = {key: value.to_dict() if hasattr(value, "to_dict") else value for key, value in said.items()}
        json.dumps(plots, allow_nan=False)
    return said


def _draw(trial: Trial, model: Any, result: Any) -> None:
    _attempt(trial, "figure", lambda: _shown(result))
    _attempt(trial, "player", lambda: view.player_html(result))
    _attempt(trial, "drawn", lambda: _shown(fetch(kind_named(model.kind).drawn)(model)))


def _shown(answer: Any) -> None:
    view.figure(answer).canvas.draw()


def affordable(model: Any, most: dict[str, int]) -> Any:
    """The model with a study that takes no more than that."""
    study = model.study
    less = {key: limit for key, limit in most.items() if getattr(study, key, 0) > limit}
    inner = getattr(study, "flex", None)
    if inner is not None and inner.steps > most["steps"]:
        less["flex"] = inner.model_copy(update={"steps": most["steps"]})
    return model.model_copy(update={"study": study.model_copy(update=less)}) if less else model


def _attempt(trial: Trial, phase: str, act: Callable[[], Any]) -> Any:
    """What comes back, or the InputError; anything else is a finding, and None comes back."""
    try:
        with _warnings(trial, phase):
            return act()
    except InputError as error:
        return error
    except PliantError as error:
        return InputError((), str(error))
    except Exception as error:  # noqa: BLE001  whatever it is, it is a finding
        trial.findings.append(Finding(phase, type(error).__name__, _where(error), str(error)[:300]))
        return None


@contextmanager
def _warnings(trial: Trial, phase: str) -> Iterator[None]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for one in caught:
        where = f"{_short(one.filename)}:{one.lineno}"
        trial.findings.append(Finding(phase, one.category.__name__, where, str(one.message)[:300]))


def _where(error: Exception) -> str:
    """The last line of pliant that was run."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "/pliant/" in frame.filename] or frames[-1:]
    return f"{_short(own[-1].filename)}:{own[-1].lineno}"


def _short(filename: str) -> str:
    return filename.rsplit("/pliant/", 1)[-1].rsplit("/site-packages/", 1)[-1]
