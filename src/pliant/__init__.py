"""How an assembly moves before you build it.

>>> import pliant
>>> model = pliant.load("drawer.toml")            # doctest: +SKIP
>>> result = pliant.solve(model)                # doctest: +SKIP
>>> print(result.summary())                     # doctest: +SKIP

Nothing heavy is imported before it is used: `import pliant` takes milliseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from pliant.core.exports import exports

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pliant import files, flex, gallery, linkage, relax, snap, view
    from pliant.core.errors import Fault, InputError, PliantError
    from pliant.core.model import Tolerance
    from pliant.core.motion import Motion
    from pliant.core.plot import Plot
    from pliant.core.progress import Interrupted, Progress
    from pliant.core.result import Result
    from pliant.core.status import Status
    from pliant.files import SavedResult
    from pliant.files.comparison import Comparison
    from pliant.files.kinds import Model
    from pliant.flex import (  # isort: skip
        Assembly, BraceResult, BraceStudy, FlexResult, FlexStudy, LoosenResult, LoosenStudy, PlayResult,
        PlayStudy, ProofResult, ProveStudy, SeparateStudy, SeparationResult,
    )  # fmt: skip
    from pliant.linkage import EditResult, EditStudy, Linkage, Synthesis, TraceResult, TraceStudy
    from pliant.relax import Evolved, Mechanism, RelaxResult, RelaxStudy
    from pliant.snap import Fastener, SnapResult, SnapStudy
    from pliant.sweeps.optimize import optimize
    from pliant.sweeps.optimum import OptimizeResult
    from pliant.sweeps.sweep import sweep
    from pliant.sweeps.table import SweepTable
    from pliant.sweeps.tolerance_result import TolerancesResult
    from pliant.sweeps.tolerances import tolerances

    __version__: str

__all__ = [
    "Assembly",
    "BraceResult",
    "BraceStudy",
    "Comparison",
    "EditResult",
    "EditStudy",
    "Evolved",
    "Fastener",
    "Fault",
    "FlexResult",
    "FlexStudy",
    "InputError",
    "Interrupted",
    "Linkage",
    "LoosenResult",
    "LoosenStudy",
    "Mechanism",
    "Motion",
    "OptimizeResult",
    "PlayResult",
    "PlayStudy",
    "PliantError",
    "Plot",
    "Progress",
    "ProofResult",
    "ProveStudy",
    "RelaxResult",
    "RelaxStudy",
    "Result",
    "SavedResult",
    "SeparateStudy",
    "SeparationResult",
    "SnapResult",
    "SnapStudy",
    "Status",
    "SweepTable",
    "Synthesis",
    "Tolerance",
    "TolerancesResult",
    "TraceResult",
    "TraceStudy",
    "__version__",
    "brace",
    "compare",
    "edit",
    "files",
    "flex",
    "gallery",
    "linkage",
    "load",
    "loosen",
    "optimize",
    "play",
    "prove",
    "relax",
    "save",
    "separate",
    "snap",
    "solve",
    "sweep",
    "tolerances",
    "view",
]

_exported = exports(
    __name__,
    __all__,
    {
        "core.errors": ["Fault", "InputError", "PliantError"],
        "core.motion": ["Motion"],
        "core.plot": ["Plot"],
        "core.progress": ["Interrupted", "Progress"],
        "core.result": ["Result"],
        "core.status": ["Status"],
        "files.comparison": ["Comparison"],
        "files.results": ["SavedResult"],
        "flex": [
            "Assembly",
            "BraceResult",
            "BraceStudy",
            "FlexResult",
            "FlexStudy",
            "LoosenResult",
            "LoosenStudy",
            "PlayResult",
            "PlayStudy",
            "ProofResult",
            "ProveStudy",
            "SeparateStudy",
            "SeparationResult",
        ],
        "linkage": ["EditResult", "EditStudy", "Linkage", "Synthesis", "TraceResult", "TraceStudy"],
        "relax": ["Evolved", "Mechanism", "RelaxResult", "RelaxStudy"],
        "snap": ["Fastener", "SnapResult", "SnapStudy"],
        "sweeps.optimize": ["optimize"],
        "sweeps.optimum": ["OptimizeResult"],
        "sweeps.sweep": ["sweep"],
        "sweeps.table": ["SweepTable"],
        "sweeps.tolerance_result": ["TolerancesResult"],
        "sweeps.tolerances": ["tolerances"],
        "core.model": ["Tolerance"],
    },
    rooms=["files", "flex", "gallery", "linkage", "relax", "snap", "view"],
)
_MODEL_BYTES = 10_000_000


def main() -> None:
    """The command line. Ctrl-C ends it in a word, from the first import on."""
    import signal

    from pliant.core.stop import leave, stop

    signal.signal(signal.SIGINT, stop)
    from pliant.cli import main as command

    try:
        command()
    except SystemExit as ending:
        leave(ending.code)
        raise


def load(
    source: str | Path | Mapping[str, object],
    *,
    max_bytes: int = _MODEL_BYTES,
    parameters: Mapping[str, object] | None = None,
) -> Model | SavedResult:
    """Read a model file, plain data as such a file holds it, or a result that was saved.

    Args:
        source: path of a model (TOML or JSON) or of a result (JSON), or the keys of a model as a dict.
        max_bytes: the largest model file that is read; results may be larger.
        parameters: values that go before the file's: numbers or expressions ("2 in"), by the name of a
            parameter or by key path ("pawls[0].stiffness").

    Returns:
        An Assembly, Linkage, Mechanism or Fastener; of a result, a SavedResult.

    Raises:
        InputError: the file or the data cannot be used; every fault is listed, with its cure.
    """
    from collections.abc import Mapping

    from pliant.core.errors import Fault, InputError
    from pliant.core.given import given_path
    from pliant.core.motion import Motion
    from pliant.core.plot import Plot
    from pliant.files import load_any, model_of

    if isinstance(source, Mapping):
        return model_of(source, parameters=parameters)
    path = given_path(source, "source", "Give the path of a file, or the keys of a model as a dict")
    loaded = load_any(path, max_bytes=max_bytes, parameters=parameters)
    if isinstance(loaded, Motion | Plot):
        problem, cure = (
            "holds a motion or a plot, no model or result",
            "Read it with Motion.load or Plot.load",
        )
        raise InputError([Fault("", problem, cure)], str(source))
    return loaded


def save(
    saved: Model | Result | SweepTable | OptimizeResult | TolerancesResult | Motion | Plot, path: str | Path
) -> None:
    """Write a model or a result; `load` gives an equal one back.

    Args:
        saved: a model, or a result of `solve`, `edit` or a search; what a sweep, `optimize` or `tolerances`
            gives, a motion or a plot, as its own `save` writes it.
        path: where to; a model is TOML or JSON, by the suffix, and a result JSON.

    Raises:
        InputError: this is nothing that can be saved, the suffix is none of these, or a text in the model
            cannot be written.
        PliantError: there is no such folder.
    """
    from pliant.files.writer import save

    save(saved, path)


@overload
def solve(
    model: Assembly, study: FlexStudy | None = None, *, progress: Progress | None = None, **keywords: object
) -> FlexResult: ...
@overload
def solve(
    model: Linkage, study: TraceStudy | None = None, *, progress: Progress | None = None, **keywords: object
) -> TraceResult: ...
@overload
def solve(
    model: Mechanism, study: RelaxStudy | None = None, *, progress: Progress | None = None, **keywords: object
) -> RelaxResult: ...
@overload
def solve(
    model: Fastener, study: SnapStudy | None = None, *, progress: Progress | None = None, **keywords: object
) -> SnapResult: ...
@overload
def solve(
    model: Model | SavedResult | str | Path | Mapping[str, object],
    study: FlexStudy | TraceStudy | RelaxStudy | SnapStudy | None = None,
    *,
    progress: Progress | None = None,
    **keywords: object,
) -> FlexResult | TraceResult | RelaxResult | SnapResult: ...
def solve(
    model: Model | SavedResult | str | Path | Mapping[str, object],
    study: FlexStudy | TraceStudy | RelaxStudy | SnapStudy | None = None,
    *,
    progress: Progress | None = None,
    **keywords: object,
) -> FlexResult | TraceResult | RelaxResult | SnapResult:
    """Answer a model's question: keywords go before `study`, and `study` before the file's own.

    Args:
        model: a model, the path of its file, or its keys as a dict.
        study: of the model's kind; the keys that it sets go before those of the model's own study.
        progress: called as the work goes on, with what is done, the total and a few words.
        keywords: keys of the study: `solve(model, steps=20, solver="highs")` of an assembly,
            `solve(model, samples=100, trace=["P"])` of a linkage, `solve(model, method="sync", alpha=0.4)`
            of a mechanism, `solve(model, reverse=True, classify=True)` of a fastener.

    Returns:
        The result of the kind: FlexResult, TraceResult, RelaxResult or SnapResult.

    Raises:
        InputError: the model, the study or a keyword cannot be used.
        Interrupted: Ctrl-C; its `result` is what was done until then.
    """
    return _ask("", model, study, progress, keywords)


def _model_of(model: object) -> Any:
    """A model, or what is read from a file's path or plain data."""
    from pathlib import Path

    from pliant.core.given import refused
    from pliant.core.model import Document
    from pliant.files import load, model_of

    if isinstance(model, Document):
        return model
    if isinstance(model, dict):
        return model_of(model)
    if isinstance(model, str | Path):
        return load(model)
    raise refused("model", model, "model", "Give a model, the path of its file, or its data as a dict")


def edit(
    model: Linkage | str | Path | Mapping[str, object],
    study: EditStudy | None = None,
    *,
    progress: Progress | None = None,
    **keywords: object,
) -> EditResult:
    """Reshape a linkage: keywords go before `study`, and `study` before the file's `[study.edit]`.

    Args:
        model: a linkage, the path of its file, or its keys as a dict.
        study: what shall change, and what shall not.
        progress: called as the work goes on, with what is done, the total and a few words.
        keywords: keys of `[study.edit]`: `edit(model, move=[{"joint": "P", "to": [3, 4]}])`.

    Returns:
        The linkage before and after, and how far the targets were reached.

    Raises:
        InputError: the model, the study or a keyword cannot be used, or nothing is asked for.
        Interrupted: Ctrl-C; its `result` is what was done until then.
    """
    return _ask("edit", model, study, progress, keywords)


def play(
    model: Assembly | str | Path | Mapping[str, object],
    study: PlayStudy | None = None,
    *,
    progress: Progress | None = None,
    **keywords: object,
) -> PlayResult:
    """Measure how loose parts are: keywords go before `study`, and `study` before the file's `[study.play]`.

    Args:
        model: an assembly, the path of its file, or its keys as a dict.
        study: whose play is looked into.
        progress: called as the work goes on, with what is done, the total and a few words.
        keywords: keys of `[study.play]`: `play(model, body="lid", spin=True)`.

    Returns:
        The ranges of every part, and the stack-up of the one that is asked about.

    Raises:
        InputError: the model, the study or a keyword cannot be used.
        Interrupted: Ctrl-C; its `result` is what was done until then.
    """
    return _ask("play", model, study, progress, keywords)


def prove(
    model: Assembly | str | Path | Mapping[str, object],
    study: ProveStudy | None = None,
    *,
    progress: Progress | None = None,
    **keywords: object,
) -> ProofResult:
    """Bound the flex from both sides: keywords go before `study`, and `study` before `[study.prove]`.

    Args:
        model: an assembly, the path of its file, or its keys as a dict; its `[study]` says what is maximised.
        study: how near the bounds shall be.
        progress: called as the work goes on, with what is done, the total and a few words.
        keywords: keys of `[study.prove]`: `prove(model, gap=0.01)`.

    Returns:
        The bounds, a motion without overlap that reaches the lower one, and what the upper one holds for.

    Raises:
        InputError: the model, the study or a keyword cannot be used.
        Interrupted: Ctrl-C; its `result` is what was proved until then.

    """
    return _ask("prove", model, study, progress, keywords)


def separate(
    model: Assembly | str | Path | Mapping[str, object],
    study: SeparateStudy | None = None,
    *,
    progress: Progress | None = None,
    **keywords: object,
) -> SeparationResult:
    """Take an assembly apart: keywords go before `study`, and `study` before the file's `[study.separate]`.

    Args:
        model: an assembly, the path of its file, or its keys as a dict.
        study: what is to be got out, and how.
        progress: called as the work goes on, with what is done, the total and a few words.
        keywords: keys of `[study.separate]`: `separate(model, parts=["lid"])`.

    Returns:
        The ways out in order, and what holds the rest.

    Raises:
        InputError: the model, the study or a keyword cannot be used.
        Interrupted: Ctrl-C; its `result` is what was done until then.
    """
    return _ask("separate", model, study, progress, keywords)


def loosen(
    model: Assembly | str | Path | Mapping[str, object],
    study: LoosenStudy | None = None,
    *,
    progress: Progress | None = None,
    **keywords: object,
) -> LoosenResult:
    """Find the largest clearance: keywords go before `study`, and `study` before the file's `[study.loosen]`.

    Args:
        model: an assembly, the path of its file, or its keys as a dict.
        study: the limit of the flex.
        progress: called as the work goes on, with what is done, the total and a few words.
        keywords: keys of `[study.loosen]`: `loosen(model, limit=0.5)`.

    Returns:
        The clearance, the model with it, and the flex at each that was tried.

    Raises:
        InputError: the model, the study or a keyword cannot be used.
        Interrupted: Ctrl-C; its `result` is what was done until then.
    """
    return _ask("loosen", model, study, progress, keywords)


def brace(
    model: Assembly | str | Path | Mapping[str, object],
    study: BraceStudy | None = None,
    *,
    progress: Progress | None = None,
    **keywords: object,
) -> BraceResult:
    """Add beams where they help: keywords go before `study`, and `study` before the file's `[study.brace]`.

    Args:
        model: an assembly, the path of its file, or its keys as a dict.
        study: how many beams, or until when.
        progress: called as the work goes on, with what is done, the total and a few words.
        keywords: keys of `[study.brace]`: `brace(model, beams=2)`.

    Returns:
        The structure with its beams, and the flex before and after each.

    Raises:
        InputError: the model, the study or a keyword cannot be used.
        Interrupted: Ctrl-C; its `result` is what was done until then.
    """
    return _ask("brace", model, study, progress, keywords)


def compare(
    first: Model | SavedResult | Result | str | Path | Mapping[str, object],
    second: Model | SavedResult | Result | str | Path | Mapping[str, object],
    *,
    command: str = "",
    progress: Progress | None = None,
    max_bytes: int = _MODEL_BYTES,
    **keywords: object,
) -> Comparison:
    """Ask two models the same question, and put their answers side by side.

    Args:
        first: a model of any kind, its path or its keys; or a result, or the path of one that was saved.
        second: another one, of the same kind.
        command: what both are asked, such as "play"; by default what solves them.
        progress: called as the work goes on, with what is done, the total and a few words.
        max_bytes: the largest model file that is read.
        keywords: keys of the study, for both.

    Returns:
        Both results, every figure of both, and a motion that shows them side by side.

    Raises:
        InputError: a model or a keyword cannot be used, or the two answer different questions.

    """
    from pathlib import Path

    from pliant.files.comparison import compare_results
    from pliant.files.parse import named_file

    results: list[Any] = []
    names: list[str] = []
    for place, one in enumerate((first, second)):
        names.append(Path(named_file(Path(one))).stem if isinstance(one, str | Path) else "AB"[place])
        results.append(_answer(one, command, progress, max_bytes, keywords))
    return compare_results(results[0], results[1], (names[0], names[1]))


def _answer(
    one: Any, command: str, progress: Progress | None, max_bytes: int, keywords: Mapping[str, object]
) -> Any:
    """The answer of a model to a command; of a result, that result."""
    from pathlib import Path

    from pliant.core.errors import InputError
    from pliant.core.result import Result
    from pliant.files.kinds import check_command, kind_named
    from pliant.files.parse import named_file
    from pliant.files.results import SavedResult

    source = named_file(Path(one)) if isinstance(one, str | Path) else ""
    model: Any = load(one, max_bytes=max_bytes) if isinstance(one, str | Path) else one
    if isinstance(model, Result | SavedResult):
        return model
    model = _model_of(model)
    chosen = command or kind_named(model.kind).command
    check_command(model.kind, chosen, source)
    keys = dict(keywords)
    try:
        return _ask(chosen, model, keys.pop("study", None), progress, keys)
    except InputError as error:
        raise error if error.source else InputError(error.faults, source) from None


def _ask(
    command: str,
    model: object,
    study: Any,
    progress: Progress | None,
    keywords: Mapping[str, object],
) -> Any:
    """What a command answers, by the study of its own table; "" is the command that solves the kind."""
    from pliant.core.progress import silent
    from pliant.files.kinds import kind_named
    from pliant.files.studies import chosen_study

    loaded = _model_of(model)
    kind = kind_named(loaded.kind)
    chosen = chosen_study(loaded, study, keywords, command)
    return kind.answer(command or kind.command)(loaded, chosen, progress=progress or silent)


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("pliant")
    return _exported(name)


def __dir__() -> list[str]:
    return __all__
