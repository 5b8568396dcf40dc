"""Find the values that come nearest to a goal within limits, and solve what is written again."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pliant.batch.task_batch import RunTasks, open_batch
from pliant.core.errors import Fault, InputError
from pliant.core.progress import Progress, silent
from pliant.files.parameters import resolved
from pliant.files.parse import MODEL_BYTES, named_file, parse
from pliant.files.reader import model_of
from pliant.files.schemas import schema
from pliant.files.tolerances import nominal_value
from pliant.sweeps.asked import asked_command, asked_limits, asked_model, asked_ranges
from pliant.sweeps.cases import Case, carried_text, case_name
from pliant.sweeps.changed import changed_text
from pliant.sweeps.goal_search import is_met, search
from pliant.sweeps.goals import FigureGoal, FigureLimit, read_goal, read_limit
from pliant.sweeps.optimum import SAME, OptimizeResult, OptimizeStatus
from pliant.sweeps.solve_case import solve_for_figures
from pliant.sweeps.table import Value
from pliant.sweeps.trials import HaltedError, Trial, Trials, judged
from pliant.sweeps.variables import Variable, read_variables

ACCURACY = 1e-5  # of each range


def optimize(
    model: str | Path,
    ranges: Mapping[str, str | Sequence[object]],
    goal: str,
    limits: Sequence[str] = (),
    *,
    seed: int = 1,
    evaluations: int | None = None,
    accuracy: float = ACCURACY,
    command: str | None = None,
    jobs: int | None = None,
    cluster: str | None = None,
    limit_s: float | None = None,
    progress: Progress = silent,
) -> OptimizeResult:
    """Find the values of a model's parameters that come nearest to a goal within limits.

    Args:
        model: the path of its file.
        ranges: by parameter or key path: a tuple of the smallest and the largest value, a list of values, or
            text: "10:20" for all between, "10:20:2" or "1, 2, 3" for these.
        goal: "minimize NAME", "maximize NAME" or "NAME = 12" of a figure that `sweep` reports, or of a
            parameter.
        limits: "NAME <= 0.02", "NAME >= 1", "1 <= NAME <= 2" or "NAME = 0", of the like.
        seed: of the search: the same one gives the same answer, on however many cores.
        evaluations: how many values may be tried (default: 100, and 100 more for each parameter).
        accuracy: of the best values, over their ranges.
        command: "play", "loosen" or another that the kind takes, in place of its own.
        jobs: processes at a time (default: one a core, up to 8).
        cluster: address of a Dask scheduler, or "local".
        limit_s: seconds after which a case is given up.
        progress: called as the work goes on.

    Returns:
        The best values, how near each limit is, and all that was tried.

    Raises:
        InputError: a range, the goal, a limit or the file cannot be read, or no result has such a figure.

    """
    job = read_job(
        asked_model(model), asked_ranges(ranges), goal, asked_limits(limits), command=asked_command(command)
    )
    how = Effort(seed, evaluations, accuracy)
    with open_batch(solve_for_figures, jobs=jobs, cluster=cluster, limit_s=limit_s) as run:
        return run_job(job, how, run, progress)


@dataclass(frozen=True)
class Effort:
    """How a search goes about."""

    seed: int = 1
    evaluations: int | None = None
    accuracy: float = ACCURACY


@dataclass(frozen=True)
class Job:
    """What is sought of what."""

    text: str  # of the model
    suffix: str  # ".toml" or ".json"
    kind: str  # of the model
    variables: tuple[Variable, ...]
    goal: FigureGoal
    limits: tuple[FigureLimit, ...]
    own: Mapping[str, Value]  # by variable, the file's own value; some may have none
    command: str | None = None

    @property
    def start(self) -> list[float] | None:
        """Coordinates of the file's own values; None where they are not among those to be tried."""
        found = [one.coordinate(self.own.get(one.name)) for one in self.variables]
        known = [place for place in found if place is not None]
        return known if len(known) == len(found) else None

    @property
    def report(self) -> list[str]:
        """The names of all figures that are asked for."""
        return list(dict.fromkeys([self.goal.figure, *(limit.figure for limit in self.limits)]))


def read_job(
    path: Path,
    ranges: Mapping[str, str | Sequence[object]],
    goal: str,
    limits: Sequence[str],
    *,
    command: str | None = None,
    max_bytes: int = MODEL_BYTES,
) -> Job:
    """A job of what was written; an InputError where some of it cannot be used."""
    text, suffix = carried_text(path, max_bytes)
    data = parse(text, path if suffix == path.suffix.lower() else Path(f"model{suffix}"))
    unit = str(data.get("units", "mm"))
    variables = tuple(read_variables(ranges, unit))
    sought, kept = read_goal(goal, unit), tuple(read_limit(limit, unit) for limit in limits)
    model = model_of(data, named_file(path))
    own = _own_values(data, model, variables, named_file(path))
    return Job(text, suffix, model.kind, variables, sought, kept, own, command)


def _own_values(
    data: Mapping[str, Any], model: Any, variables: Sequence[Variable], source: str
) -> dict[str, Value]:
    """The file's own values; an InputError where a variable cannot be set, or changes nothing."""
    shape = schema(model.kind)
    some = {one.name: one.value(one.last) for one in variables}
    faults = resolved(data, shape, some).faults
    if faults:
        raise InputError(faults, source)
    own: dict[str, Value] = {}
    read = resolved(data, shape).data
    for one in variables:
        with suppress(InputError, ValueError):  # words, and keys that the file leaves out
            own[one.name] = nominal_value(one.name, read, model, shape)
    return own


def run_job(job: Job, how: Effort, run: RunTasks, progress: Progress = silent) -> OptimizeResult:
    """Search, then solve the best model again from the text that is written."""
    began = time.perf_counter()
    budget = how.evaluations or 100 + 100 * len(job.variables)
    ask = _asker(job, run, budget, progress)
    trials = Trials(job.variables, job.goal, job.limits, ask, budget)
    start, ended, stopped = _unsolved(job), False, False
    try:
        start = replace(trials.try_first({}), values=job.own)
        _refuse_unknown(job, [start])
        ended = search(trials, how.seed, job.start, how.accuracy)
    except HaltedError:
        stopped = True
    _refuse_unknown(job, trials.tried)
    best = trials.best or trials.nearest
    text = changed_text(job.text, job.suffix, best.values) if best else ""
    again = None if best is None or stopped else _solved_again(job, best, text, run, progress)
    sure = ended and not stopped and (again is None or again <= SAME)
    every = bool(trials.tried) and ended and all(one.values for one in job.variables)
    every = every and len(trials.tried) == _combinations(job)
    return OptimizeResult(
        status=_status(trials, best, sure),
        kind=job.kind,
        goal=job.goal,
        limits=job.limits,
        ranges={one.name: str(one) for one in job.variables},
        start=start,
        best=best,
        trials=tuple(trials.tried),
        every=every,
        again=again,
        stopped=stopped,
        seconds=time.perf_counter() - began,
        text=text,
    )


def _combinations(job: Job) -> int:
    count = 1
    for one in job.variables:
        count *= len(one.values)
    return count


def _asker(
    job: Job, run: RunTasks, budget: int, progress: Progress
) -> Callable[[Sequence[Mapping[str, Value]]], list[Mapping[str, Any]]]:
    """Solves sets of values, in one round; rows up to the first that a stop left undone."""
    tried = 0

    def ask(sets: Sequence[Mapping[str, Value]]) -> list[Mapping[str, Any]]:
        nonlocal tried

        def report(done: int, total: int | None, text: str) -> None:
            progress(tried, budget, text)

        cases = [Case(case_name(values) or "as it stands", job.text, job.suffix, values) for values in sets]
        tasks = [case.to_task(job.command, job.report) for case in cases]
        results = run(tasks, report)
        tried += len(results)
        rows: list[Mapping[str, Any]] = []
        for task in tasks:
            if task not in results:
                break
            rows.append(results[task])
        return rows

    return ask


def _refuse_unknown(job: Job, trials: Sequence[Trial]) -> None:
    """An InputError where no result has a figure that is asked for, though it has others."""
    solved = [trial for trial in trials if trial.figures or trial.unknown]
    for name in job.report:
        if solved and all(name in trial.unknown for trial in solved):
            flag = "--goal" if name == job.goal.figure else "--limit"
            problem = f"{name!r} is no figure of this result and no parameter"
            raise InputError([Fault(flag, problem, solved[0].unknown[name])])


def _unsolved(job: Job) -> Trial:
    return Trial({}, "", "", True, float("nan"), (float("nan"),) * len(job.limits), {}, {})


def _solved_again(job: Job, best: Trial, text: str, run: RunTasks, progress: Progress) -> float | None:
    """How far the figures of the written model are from those found, over their size; None where stopped."""
    task = Case("written", text, ".toml", {}).to_task(job.command, job.report)
    rows = run([task], progress)
    if task not in rows:
        return None
    trial = judged({}, rows[task], job.goal, job.limits)
    off = [
        abs(trial.figures.get(name, {}).get(path, float("inf")) - value) / (abs(value) or 1.0)
        for name, found in best.figures.items()
        for path, value in found.items()
    ]
    return max(off, default=0.0) if trial.keeps == best.keeps else float("inf")


def _status(trials: Trials, best: Trial | None, sure: bool) -> OptimizeStatus:
    if best is None:
        return OptimizeStatus.UNSOLVED
    if not sure:
        return OptimizeStatus.NOT_CONVERGED
    if not best.keeps:
        return OptimizeStatus.INFEASIBLE
    return OptimizeStatus.MET if is_met(trials) else OptimizeStatus.BEST_FOUND
