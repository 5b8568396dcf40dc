"""How loose may it be: the clearance at which an assembly flexes just as much as it may.

Parts are inset by half of the clearance, so that larger clearances allow every motion that smaller ones do:
the flex never falls as the clearance grows. The flex that was found at one clearance is therefore a lower
bound at every larger one, and bisection on the largest found so far has one answer.

Source: [Lensgraf2020] section VI-A, binary search over one parameter of the joints.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, isfinite
from time import perf_counter

from pliant.core.errors import Fault, InputError
from pliant.core.progress import Interrupted, Progress, silent
from pliant.flex.faults import check_limit
from pliant.flex.geometry.bodies import broken_bodies
from pliant.flex.loosening.assembling import smallest_when_moved
from pliant.flex.loosening.groups import loosen_groups
from pliant.flex.loosening.result import FlexSample, LoosenResult
from pliant.flex.model import Assembly, LoosenStudy
from pliant.flex.result import FlexResult
from pliant.flex.solve import solve
from pliant.flex.status import FlexStatus, LoosenStatus

GROWTH = 2.0
MORE = 1.0005  # times the clearance at which parts touch: they go together
FIRST = 1e-4  # of the largest that leaves parts whole: where a search from no clearance begins
LEAST = 1e-9  # of the same: less is none
ROUNDS = 60


@dataclass
class _ClearanceSearch:
    """Flexes found so far, by clearance."""

    model: Assembly
    study: LoosenStudy
    progress: Progress
    found: dict[float, FlexResult] = field(default_factory=dict[float, FlexResult])

    def flex(self, clearance: float) -> float:
        """The flex at a clearance: what is found there, or was at a smaller one, whichever is more."""
        if clearance not in self.found:
            self.progress(len(self.found), None, f"clearance {clearance:.6g}")
            model = self.model.model_copy(update={"clearance": clearance})
            self.found[clearance] = solve(model, self.model.study.for_command("flex"))
        return max(_flex(result) for at, result in self.found.items() if at <= clearance)

    def samples(self) -> tuple[FlexSample, ...]:
        return tuple(
            FlexSample(at, _flex(self.found[at]), self.found[at].status) for at in sorted(self.found)
        )


def _flex(result: FlexResult) -> float:
    return inf if result.status.endless else result.objective


def loosen(model: Assembly, study: LoosenStudy | None = None, progress: Progress = silent) -> LoosenResult:
    """The largest clearance at which the file's objective stays within the study's limit."""
    study = study or model.study.for_command("loosen")
    if study.limit is None:
        cure = "Add limit = … to [study.loosen], or use --limit"
        raise InputError([Fault("study.loosen.limit", "is missing: how far it may flex", cure)])
    check_limit(study.limit, model.study.for_command("flex"))
    if study.groups:
        return loosen_groups(model, study, progress)
    started = perf_counter()
    search = _ClearanceSearch(model, study, progress)
    smallest, whole = _smallest(search), _largest_whole(model)
    try:
        status, clearance = _bisect(search, smallest, whole)
    except KeyboardInterrupt:
        seconds = perf_counter() - started
        raise Interrupted(_result(search, LoosenStatus.INTERRUPTED, None, smallest, seconds)) from None
    return _result(search, status, clearance, smallest, perf_counter() - started)


def _smallest(search: _ClearanceSearch) -> float:
    """The clearance from which on the parts do not overlap as drawn; 0 where they never do."""
    tight = search.model.model_copy(update={"clearance": 0.0})
    drawn = solve(tight, search.model.study.for_command("flex").model_copy(update={"steps": 1}))
    if drawn.status is not FlexStatus.OVERLAPPING:
        return 0.0
    if drawn.lost:
        problem = (
            f"{drawn.drawn[0].bodies[0]} and {drawn.drawn[0].bodies[1]} overlap as drawn at every clearance"
        )
        raise InputError([Fault("bodies", problem, 'Draw them apart: "pliant flex" says how far')])
    return MORE * drawn.needed


def _largest_whole(model: Assembly) -> float:
    """A clearance that leaves every part whole, as large as there is one, to a hundredth."""
    high = 1.0
    while not broken_bodies(model, high) and high < 1e9:
        high *= GROWTH
    low = high / GROWTH
    while broken_bodies(model, low):
        low, high = low / GROWTH, low
    while high - low > 0.01 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if broken_bodies(model, middle) else (middle, high)
    return low


def _bisect(search: _ClearanceSearch, smallest: float, whole: float) -> tuple[LoosenStatus, float | None]:
    """Grow the clearance until the flex is beyond its limit, then halve what is between."""
    limit = search.study.flex_limit
    assert limit is not None
    low = max(smallest, FIRST * whole)
    while low > max(smallest, LEAST * whole) and search.flex(low) > limit:
        low = max(smallest, low / 100)
    if smallest > whole or search.flex(low) > limit:
        return LoosenStatus.IMPOSSIBLE, None
    high = max(low, search.model.clearance)
    while search.flex(high) <= limit:
        low = high
        if high >= whole:
            return LoosenStatus.UNLIMITED, None
        high = min(GROWTH * high, whole)
    for turn in range(ROUNDS):
        if high - low <= search.study.accuracy * high:
            break
        middle = _secant_clearance(search, low, high, limit) if turn % 3 < 2 else (low + high) / 2
        low, high = (middle, high) if search.flex(middle) <= limit else (low, middle)
    if not all(result.status.exit_code == 0 for result in search.found.values()):
        return LoosenStatus.NO_ANSWER, None
    return LoosenStatus.FOUND, low


def _secant_clearance(search: _ClearanceSearch, low: float, high: float, limit: float) -> float:
    """Where a straight line between two clearances meets the limit, a little to the side that is farther."""
    below, above = search.flex(low), search.flex(high)
    if not isfinite(above) or above <= below:
        return (low + high) / 2
    share = (limit - below) / (above - below)
    beside = 0.4 * search.study.accuracy * high / (high - low)  # so that the next one is on its other side
    share += beside if share < 0.5 else -beside
    return low + min(max(share, 0.02), 0.98) * (high - low)


def _result(
    search: _ClearanceSearch, status: LoosenStatus, clearance: float | None, smallest: float, seconds: float
) -> LoosenResult:
    at = clearance if clearance is not None else min(search.found, default=None)
    shown = search.found.get(at) if at is not None else None
    model = search.model if clearance is None else search.model.model_copy(update={"clearance": clearance})
    return LoosenResult(
        status=status,
        model=model,
        study=search.study,
        clearance=clearance,
        smallest=smallest,
        smallest_moved=smallest_when_moved(search.model, smallest),
        flex=search.flex(at) if at is not None else 0.0,
        samples=search.samples(),
        bound_by=broken_bodies(search.model, 1.02 * max(search.found))
        if status is LoosenStatus.UNLIMITED
        else (),
        at_clearance=shown,
        seconds={"flex": seconds},
    )
