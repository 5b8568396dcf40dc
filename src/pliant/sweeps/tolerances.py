"""Samples of a model within its tolerances, solved wherever there is room: how many are good."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pliant.batch.task_batch import RunTasks, open_batch
from pliant.core.errors import Fault, InputError
from pliant.core.expression import units_in
from pliant.core.given import given_count, given_table, refused
from pliant.core.model import Tolerance
from pliant.core.progress import Progress, silent
from pliant.core.store import json_text
from pliant.files.parameters import resolved
from pliant.files.parse import MODEL_BYTES, STDIN, named_file, parse
from pliant.files.reader import model_of
from pliant.files.schemas import schema
from pliant.files.tolerances import nominal_value
from pliant.files.writer import file_numbers
from pliant.sweeps.asked import asked_command, asked_figures, asked_limits, asked_model
from pliant.sweeps.cases import Case, carried_text
from pliant.sweeps.goals import FigureLimit, meant, read_limit
from pliant.sweeps.sampling import Spread, draw, read_tolerance, spread_of, with_tolerances
from pliant.sweeps.solve_case import solve_for_figures
from pliant.sweeps.sweep import radians_of
from pliant.sweeps.table import SweepRow, SweepTable
from pliant.sweeps.tolerance_result import TolerancesResult

MOST = 1_000_000  # samples


def tolerances(
    model: str | Path,
    report: Sequence[str] = (),
    limits: Sequence[str] = (),
    *,
    samples: int = 1000,
    seed: int = 1,
    spreads: Mapping[str, str | Tolerance] | None = None,
    command: str | None = None,
    jobs: int | None = None,
    cluster: str | None = None,
    limit_s: float | None = None,
    progress: Progress = silent,
) -> TolerancesResult:
    """Solve samples of a model within its tolerances: how many keep the limits, and what contributes.

    Args:
        model: the path of its file.
        report: figures of the results, as `sweep` takes them; those that limits name are there anyway.
        limits: "NAME <= 0.3", "NAME >= 1", "1 <= NAME <= 2" or "NAME = 0", which a good sample keeps.
        samples: how many.
        seed: of the samples: the same one gives the same answer, on however many cores.
        spreads: by parameter or key path, tolerances that go before the file's: a Tolerance, or text such as
            "normal:0.05".
        command: "play", "loosen" or another that the kind takes, in place of its own.
        jobs: processes at a time (default: one a core, up to 8).
        cluster: address of a Dask scheduler, or "local".
        limit_s: seconds after which a sample is given up.
        progress: called as the work goes on.

    Returns:
        The yield, the spread of every figure, and a row for each sample.

    Raises:
        InputError: a tolerance, a limit or the file cannot be used, or no result has such a figure.

    """
    cure = 'Give tolerances by parameter, such as {"a": "normal:0.1"}'
    written = given_table(spreads or {}, "spreads", cure)
    given = {name: _tolerance_data(name, one) for name, one in written.items()}
    lot = read_lot(
        asked_model(model),
        given,
        asked_figures(report),
        asked_limits(limits),
        samples=samples,
        seed=seed,
        command=asked_command(command),
    )
    with open_batch(solve_for_figures, jobs=jobs, cluster=cluster, limit_s=limit_s) as run:
        return run_lot(lot, run, progress)


def _tolerance_data(name: str, given: object) -> dict[str, Any]:
    """The keys of a tolerance, or of the text that stands for one."""
    if isinstance(given, str):
        return read_tolerance(name, given)
    if not isinstance(given, Tolerance):
        raise refused(name, given, "tolerance", 'Give a Tolerance, or text such as "normal:0.05"')
    return given.model_dump(exclude_unset=True)


@dataclass(frozen=True)
class Lot:
    """Samples to be solved."""

    text: str  # of the model, its tolerances in it
    suffix: str  # ".toml" or ".json"
    kind: str  # of the model
    spreads: tuple[Spread, ...]
    words: Mapping[str, str]  # by what varies: its tolerance
    limits: tuple[FigureLimit, ...]
    report: tuple[str, ...]  # names of figures; those of limits among them
    samples: int
    seed: int
    command: str | None = None


def read_lot(
    path: Path,
    given: Mapping[str, Any],
    report: Sequence[str],
    limits: Sequence[str],
    *,
    samples: int = 1000,
    seed: int = 1,
    command: str | None = None,
    max_bytes: int = MODEL_BYTES,
) -> Lot:
    """A lot of what was written; an InputError where some of it cannot be used."""
    given_count(samples, "samples", f"Give from 1 to {MOST:,}")
    if not 1 <= samples <= MOST:
        raise InputError([Fault("--draws", f"is {samples:,}", f"Give from 1 to {MOST:,}")])
    text, suffix = carried_text(path, max_bytes)
    data = parse(text, Path(f"model{suffix}"))
    if given:
        data = with_tolerances(data, given)
        text, suffix = json_text(file_numbers(data)), ".json"
    model = model_of(data, named_file(path))
    if not model.tolerances:
        cure = "Write [tolerances] with gap = { normal = 0.05 }, or --vary gap=normal:0.05"
        raise InputError([Fault("tolerances", "are missing: nothing would differ", cure)], named_file(path))
    unit = str(data.get("units", "mm"))
    kept = tuple(read_limit(limit, unit) for limit in limits)
    try:
        spreads = _spreads(data, model, None if str(path) == STDIN else path.parent)
    except InputError as error:
        raise InputError(error.faults, error.source or named_file(path)) from None
    names = tuple(dict.fromkeys([*report, *(limit.figure for limit in kept)]))
    words = {name: tolerance_text(one) for name, one in model.tolerances.items()}
    return Lot(text, suffix, model.kind, spreads, words, kept, names, samples, seed, command)


def tolerance_text(tolerance: Tolerance) -> str:
    """A tolerance in a few words."""
    given = tolerance.model_dump(exclude_unset=True, exclude_none=True)
    if "measured" in given:
        given["measured"] = f"{len(given['measured'])} values"
    words = {key: f"{value:g}" if isinstance(value, float) else value for key, value in given.items()}
    return ", ".join(f"{key} {value}" for key, value in words.items())


def _spreads(data: Mapping[str, Any], model: Any, folder: Path | None) -> tuple[Spread, ...]:
    """The spread of everything that has a tolerance; what changes nothing is refused."""
    shape = schema(model.kind)
    read = resolved(data, shape).data
    millimetre = units_in(str(data.get("units", "mm"))).get("mm")
    mm = float(millimetre.value) if millimetre else 1.0
    nominals = {name: nominal_value(name, read, model, shape) for name in model.tolerances}
    faults = resolved(data, shape, nominals).faults
    if faults:
        raise InputError(faults)
    return tuple(spread_of(name, one, nominals[name], mm, folder) for name, one in model.tolerances.items())


def run_lot(lot: Lot, run: RunTasks, progress: Progress = silent) -> TolerancesResult:
    """Solve the model as it stands, then every sample."""
    began = time.perf_counter()
    first = Case("as it stands", lot.text, lot.suffix, {}).to_task(lot.command, lot.report)
    first_result = run([first], progress)
    _refuse_unknown(lot, [*first_result.values()])
    cases = _samples(lot) if first_result else []
    tasks = [case.to_task(lot.command, lot.report) for case in cases]
    results = run(tasks, progress)
    done = [(case, results[task]) for case, task in zip(cases, tasks, strict=True) if task in results]
    _refuse_unknown(lot, [result for _, result in done])
    nominal = _figures(first_result[first]) if first_result else {}
    answers = [*first_result.values(), *(result for _, result in done)]
    rows = tuple(_row(case, result) for case, result in done)
    margins = tuple(_margins(lot, result) for _, result in done)
    kept = tuple(
        not row.failed and all(margin >= 0 for margin in own) for row, own in zip(rows, margins, strict=True)
    )
    return TolerancesResult(
        kind=lot.kind,
        seed=lot.seed,
        spreads=lot.words,
        limits=lot.limits,
        nominal=nominal,
        samples=SweepTable(tuple(lot.words), rows, lot.samples - len(rows), radians_of(answers)),
        kept=kept,
        margins=margins,
        seconds=time.perf_counter() - began,
        text=lot.text,
        suffix=lot.suffix,
    )


def _samples(lot: Lot) -> list[Case]:
    values = draw(lot.spreads, lot.samples, lot.seed)
    names = [spread.name for spread in lot.spreads]
    return [
        Case(f"sample {number}", lot.text, lot.suffix, dict(zip(names, row.tolist(), strict=True)))
        for number, row in enumerate(values, start=1)
    ]


def _figures(result: Mapping[str, Any]) -> dict[str, float]:
    return {path: value for found in result.get("figures", {}).values() for path, value in found.items()}


def _row(case: Case, result: Mapping[str, Any]) -> SweepRow:
    if "lost" in result:
        status = "time_limit" if result["late"] else "lost"
        return SweepRow(case.name, case.changes, status, result["lost"], True, {}, 0.0)
    own = case.changes, result["status"], result["message"], result["failed"]
    return SweepRow(case.name, *own, _figures(result), result["seconds"])


def _margins(lot: Lot, result: Mapping[str, Any]) -> tuple[float, ...]:
    figures = result.get("figures", {})
    return tuple(limit.margin([*meant(limit.figure, figures).values()]) for limit in lot.limits)


def _refuse_unknown(lot: Lot, results: Sequence[Mapping[str, Any]]) -> None:
    """An InputError where no result has a figure that is asked for, though it has others."""
    solved = [result for result in results if "figures" in result]
    for name in lot.report:
        if solved and all(name in result["unknown"] for result in solved):
            flag = "--limit" if name in (limit.figure for limit in lot.limits) else "--report"
            problem = f"{name!r} is no figure of this result and no parameter"
            raise InputError([Fault(flag, problem, solved[0]["unknown"][name])])
