"""One file, from loading to drawing: all that a user may ask of it, and what broke on the way.

A refusal in words and any status are sound. A finding is an exception of another kind, a warning, a number
that JSON cannot say, or a file that `check` and `solve` do not judge alike.
"""

from __future__ import annotations

import json
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pliant
from pliant import view
from pliant.cli.contents import contents
from pliant.cli.drawing import drawn
from pliant.core.errors import InputError, PliantError
from pliant.files import load

# What a study may ask for takes as long as it takes; beyond these it is not run, but run with less.
AFFORDABLE = {
    "frames": 60, "samples": 360, "steps": 100, "directions": 72, "iterations": 1_000_000, "digits": 50,
}  # fmt: skip


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

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def tried(path: Path, solves: bool, draws: bool) -> Trial:
    """Load a file, check it, and where wanted solve it and draw the answer."""
    trial = Trial()
    model = _attempt(trial, "load", lambda: load(path))
    if not isinstance(model, InputError | None):
        trial.outcome = "loaded"
        refusal = _attempt(trial, "check", lambda: (dict(contents(model)), drawn(model)))
        if solves:
            _solve(trial, model, isinstance(refusal, InputError))
    elif isinstance(model, InputError):
        trial.outcome = "refused"
        if not model.faults or not all(str(fault).strip() for fault in model.faults):
            trial.findings.append(Finding("load", "refusal without words", "", str(model)[:200]))
    if solves and draws and trial.solved:
        _draw(trial, model)
    return trial


def _solve(trial: Trial, model: Any, refused: bool) -> None:
    result = _attempt(trial, "solve", lambda: pliant.solve(affordable(model)))
    if result is None:
        return
    if isinstance(result, InputError) != refused:
        which = "check accepts what solve refuses" if not refused else "check refuses what solve takes"
        text = str(result) if isinstance(result, InputError) else ""
        trial.findings.append(Finding("check", which, "", text[:300]))
    if isinstance(result, InputError):
        return
    trial.outcome, trial.solved = result.status.name, True
    _tell(trial, result)
    if model.kind == "linkage" and model.study.edit is not None:
        edited = _attempt(trial, "edit", lambda: pliant.edit(model, iterations=30, samples=24))
        if not isinstance(edited, InputError | None):
            _tell(trial, edited)


def _tell(trial: Trial, result: Any) -> None:
    """All that a result says in words and numbers."""
    for name in ("to_dict", "summary", "plots"):
        said = _attempt(trial, name, lambda name=name: _strict(getattr(result, name)()))
        if isinstance(said, InputError):
            trial.findings.append(Finding(name, "refusal after the solve", "", str(said)[:300]))


def _strict(said: Any) -> Any:
    """What is said, if JSON can say it."""
    if isinstance(said, dict):
        plots = {key: value.to_dict() if hasattr(value, "to_dict") else value for key, value in said.items()}
        json.dumps(plots, allow_nan=False)
    return said


def _draw(trial: Trial, model: Any) -> None:
    result = pliant.solve(affordable(model))
    _attempt(trial, "figure", lambda: _shown(result))
    _attempt(trial, "player", lambda: view.player_html(result))
    _attempt(trial, "drawn", lambda: _shown(drawn(model)))


def _shown(answer: Any) -> None:
    view.figure(answer).canvas.draw()


def affordable(model: Any) -> Any:
    """The model with a study that takes seconds."""
    study = model.study
    less = {key: most for key, most in AFFORDABLE.items() if getattr(study, key, 0) > most}
    for key in ("flex",):
        inner = getattr(study, key, None)
        if inner is not None and inner.steps > AFFORDABLE["steps"]:
            less[key] = inner.model_copy(update={"steps": AFFORDABLE["steps"]})
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
