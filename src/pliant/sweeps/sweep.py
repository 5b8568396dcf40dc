"""Solve every case of a sweep or a batch, and make a table of their figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pliant.batch.journal import Journal
from pliant.batch.task_batch import run_batch
from pliant.core.errors import InputError
from pliant.core.progress import Progress, silent
from pliant.files.parse import MODEL_BYTES
from pliant.sweeps.asked import asked_command, asked_figures, asked_model, asked_ranges
from pliant.sweeps.cases import Case, folder_cases, grid_cases, table_cases
from pliant.sweeps.quantities import chosen, common
from pliant.sweeps.solve_case import solve_case
from pliant.sweeps.table import SweepRow, SweepTable


def solve_cases(
    cases: Sequence[Case],
    report: Sequence[str] = (),
    *,
    command: str | None = None,
    journal: Journal | None = None,
    jobs: int | None = None,
    cluster: str | None = None,
    limit_s: float | None = None,
    progress: Progress = silent,
) -> SweepTable:
    """Solve cases, in processes or on a cluster, and gather the figures that are asked for."""
    tasks = [case.to_task(command) for case in cases]
    results = run_batch(
        solve_case, tasks, journal=journal, jobs=jobs, cluster=cluster, limit_s=limit_s, progress=progress
    )
    done = [(case, results[task]) for case, task in zip(cases, tasks, strict=True) if task in results]
    names = tuple(dict.fromkeys(name for case in cases for name in case.changes))
    rows = tuple(_row(case, result, report) for case, result in done)
    if report and rows and all(row.failed for row in rows):
        _refuse_unknown(done, report)
    return SweepTable(names, rows, len(cases) - len(done), radians_of(result for _, result in done))


def radians_of(results: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Paths of the figures that are angles in any of some answers."""
    return tuple(dict.fromkeys(path for result in results for path in result.get("in_radians", ())))


def _row(case: Case, result: Mapping[str, Any], report: Sequence[str]) -> SweepRow:
    if "lost" in result:
        status = "time_limit" if result["late"] else "lost"
        return SweepRow(case.name, case.changes, status, result["lost"], True, {}, 0.0)
    data, message, failed = result.get("data", {}), result["message"], result["failed"]
    figures: dict[str, float] = {}
    try:
        figures = chosen(report, data) if report and data else common(data)
    except InputError as error:
        message, failed = str(error), True
    status = result["status"]
    return SweepRow(case.name, case.changes, status, message, failed, figures, result["seconds"])


def _refuse_unknown(done: Sequence[tuple[Case, Mapping[str, Any]]], report: Sequence[str]) -> None:
    """An InputError where no case has a figure that is asked for, though it has others."""
    for _, result in done:
        if result.get("data"):
            chosen(report, result["data"])


def sweep(
    model: str | Path,
    ranges: Mapping[str, str | Sequence[object]],
    report: Sequence[str] = (),
    *,
    command: str | None = None,
    jobs: int | None = None,
    cluster: str | None = None,
    limit_s: float | None = None,
    progress: Progress = silent,
) -> SweepTable:
    """Solve a model over values of its parameters.

    Args:
        model: the path of its file.
        ranges: by parameter or key path, values: a list, or as text "10:20:0.5" or "1, 2, 3".
        report: figures of the results, such as "objective", "strain" or "max(force.insertion)"; without
            any, the first dozen.
        command: "play", "loosen" or another that the kind takes, in place of its own.
        jobs: processes at a time (default: one a core, up to 8).
        cluster: address of a Dask scheduler, or "local".
        limit_s: seconds after which a case is given up.
        progress: called as the work goes on.

    Returns:
        A table with a row for each combination of values; what failed is a row with its status.

    Raises:
        InputError: a range or the file cannot be read, or no result has such a figure.

    """
    cases = grid_cases(asked_model(model), asked_ranges(ranges), MODEL_BYTES)
    return solve_cases(
        cases,
        asked_figures(report),
        command=asked_command(command),
        jobs=jobs,
        cluster=cluster,
        limit_s=limit_s,
        progress=progress,
    )


def batch_cases(source: Path, table: Path | None, max_bytes: int) -> list[Case]:
    """The models of a folder; or one model, once for each row of a table of parameters."""
    if source.is_dir():
        return folder_cases(source, max_bytes)
    return grid_cases(source, {}, max_bytes) if table is None else table_cases(source, table, max_bytes)
