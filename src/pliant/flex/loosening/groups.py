"""Several clearances at once: of groups of bodies and pins, as cheap as the limit of the flex allows.

    min Σ price_g / c_g   (or max Σ c_g)   subject to   flex(c) ≤ limit,  least ≤ c ≤ most

The flex at a choice c is found as always; the duals of its first program say how it changes with each
clearance. On that line the best choice is known in closed form, c_g ∝ (price_g / s_g)^½ within its
bounds, where s_g is the sensitivity; there the flex is found again. As no flex falls when a
clearance grows, scaling the last choice makes the limit just kept.

Source: [Lensgraf2020] section VI-A has one clearance for all; the duals are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf, isfinite
from time import perf_counter

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.errors import Fault, InputError
from pliant.core.progress import Interrupted, Progress
from pliant.flex.faults import group_faults
from pliant.flex.geometry.bodies import broken_bodies
from pliant.flex.loosening.result import FoundClearance, GroupTrial, LoosenResult
from pliant.flex.loosening.sensitivity import clearance_sensitivities
from pliant.flex.model import Assembly, ClearanceGroup, LoosenStudy
from pliant.flex.result import FlexResult
from pliant.flex.solve import solve
from pliant.flex.status import FlexStatus, LoosenStatus

LEAST = 1e-4  # of the most, where no least is given
WIDEST = 1.0  # of the size of the drawing: the most of pins, where none is given
TRUST = 2.0  # times as large or as small, from one choice to the next
ROUNDS = 25
SETTLED = 0.01  # relative change of every clearance from which on only their common scale is sought
WITHOUT = 1e-9  # of the largest sensitivity: a group that adds less to the flex adds nothing


@dataclass
class _GroupSearch:
    """Flexes found so far, by clearances."""

    model: Assembly
    study: LoosenStudy
    progress: Progress
    low: Floats  # (G,)
    high: Floats  # (G,)
    found: list[tuple[Floats, FlexResult]] = field(default_factory=list[tuple[Floats, FlexResult]])

    @property
    def names(self) -> list[str]:
        return list(self.study.groups)

    @property
    def prices(self) -> Floats:
        return np.array([group.price for group in self.study.groups.values()])

    def flex(self, clearances: Floats) -> float:
        """The flex: what is found, or was at clearances none of which is larger, whichever is more."""
        if not any(np.array_equal(clearances, known) for known, _ in self.found):
            told = ", ".join(f"{name} {c:.4g}" for name, c in zip(self.names, clearances, strict=True))
            self.progress(len(self.found), None, told)
            model = with_clearances(self.model, self.study.groups, clearances)
            self.found.append((clearances, solve(model, self.model.study.for_command("flex"))))
        return max(_flex(result) for known, result in self.found if (known <= clearances).all())

    def result_at(self, clearances: Floats) -> FlexResult:
        self.flex(clearances)
        return next(result for known, result in self.found if np.array_equal(known, clearances))

    def slopes(self, clearances: Floats) -> tuple[float, Floats]:
        """The linear flex and its derivative by each clearance, (G,)."""
        model = with_clearances(self.model, self.study.groups, clearances)
        known = clearance_sensitivities(model)
        if known is None:
            return inf, np.zeros(len(clearances))
        linear, by_body, by_pin = known
        slopes = [_slope(model, group, by_body, by_pin) for group in self.study.groups.values()]
        return linear, np.maximum(slopes, 0.0)


def _flex(result: FlexResult) -> float:
    return inf if result.status.endless else result.objective


def _slope(model: Assembly, group: ClearanceGroup, by_body: Mapping[str, float], by_pin: Floats) -> float:
    pins = sum(float(by_pin[place]) for place, pin in enumerate(model.pins) if _has_pin(group, pin.bodies))
    return pins + sum(by_body[name] for name in group.bodies)


def _has_pin(group: ClearanceGroup, bodies: tuple[str, str]) -> bool:
    return any(set(bodies) == set(pair) for pair in group.pins)


def with_clearances(model: Assembly, groups: Mapping[str, ClearanceGroup], clearances: Floats) -> Assembly:
    """The model with the clearance of each group on its bodies and pins."""
    of_body: dict[str, float] = {}
    pins = list(model.pins)
    for group, clearance in zip(groups.values(), clearances.tolist(), strict=True):
        of_body |= {name: clearance for name in group.bodies}
        pins = [
            pin.model_copy(update={"clearance": clearance}) if _has_pin(group, pin.bodies) else pin
            for pin in pins
        ]
    bodies = [
        body.model_copy(update={"clearance": of_body[body.name]}) if body.name in of_body else body
        for body in model.bodies
    ]
    return model.model_copy(update={"bodies": tuple(bodies), "pins": tuple(pins)})


def loosen_groups(model: Assembly, study: LoosenStudy, progress: Progress) -> LoosenResult:
    """The clearances of the study's groups at which the file's objective stays within the limit."""
    _check_groups(model, study)
    started = perf_counter()
    search = _GroupSearch(model, study, progress, *_bounds(model, study))
    try:
        status, clearances = _search(search)
    except KeyboardInterrupt:
        raise Interrupted(_result(search, LoosenStatus.INTERRUPTED, None, perf_counter() - started)) from None
    return _result(search, status, clearances, perf_counter() - started)


def _check_groups(model: Assembly, study: LoosenStudy) -> None:
    """Refuse groups that are not the file's, as loading refuses those that are."""
    faults = [
        Fault(f"study.loosen.groups.{one.group}.{one.key}[{one.place}]", one.problem, one.cure)
        for one in group_faults(study.groups, model.pins)
    ]
    if faults:
        raise InputError(faults)


def _bounds(model: Assembly, study: LoosenStudy) -> tuple[Floats, Floats]:
    """Between what each clearance may be, (G,) each; bodies stay whole."""
    size = max(float(np.ptp([at for pin in model.pins for at in [pin.at]] or [[0, 0], [1, 1]])), 1e-9)
    low, high = np.zeros((2, len(study.groups)))
    for place, group in enumerate(study.groups.values()):
        most = inf if group.most is None else group.most
        if group.bodies:
            most = min(most, _largest_whole(model, group))
        high[place] = most if isfinite(most) else WIDEST * size
        low[place] = min(group.least if group.least is not None else LEAST * high[place], high[place])
    return low, high


def _largest_whole(model: Assembly, group: ClearanceGroup) -> float:
    """A clearance that leaves the bodies of a group whole, as large as there is one, to a hundredth."""

    def broken(clearance: float) -> bool:
        trial = with_clearances(model, {"": group}, np.array([clearance]))
        return bool(set(broken_bodies(trial, model.clearance)).intersection(group.bodies))

    high = 1.0
    while not broken(high) and high < 1e9:
        high *= 2
    low = high / 2
    while broken(low):
        low, high = low / 2, low
    while high - low > 0.01 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if broken(middle) else (middle, high)
    return low


def _search(search: _GroupSearch) -> tuple[LoosenStatus, Floats | None]:
    limit, low, high = search.study.flex_limit or 0.0, search.low, search.high
    first = search.result_at(low)
    if first.status is FlexStatus.OVERLAPPING or search.flex(low) > limit:
        return LoosenStatus.IMPOSSIBLE, None
    if search.flex(high) <= limit:
        return LoosenStatus.UNLIMITED, None
    at = np.sqrt(low * high)
    while not isfinite(search.flex(at)):
        at = np.sqrt(low * at)
    at = np.clip(at * limit / max(search.flex(at), 1e-300), low, high)  # play grows with clearances
    while not isfinite(search.flex(at)):
        at = np.sqrt(low * at)
    for _ in range(ROUNDS):
        ahead = _next_choice(search, at, limit)
        if ahead is None:
            break
        while not isfinite(search.flex(ahead)):
            ahead = np.sqrt(at * ahead)
        change, at = float(np.abs(np.log(ahead / at)).max()), ahead
        if change <= SETTLED:
            break
    at = _scaled(search, at, limit)
    if not all(result.status.exit_code == 0 for _, result in search.found):
        return LoosenStatus.NO_ANSWER, None
    return LoosenStatus.FOUND, at


def _next_choice(search: _GroupSearch, at: Floats, limit: float) -> Floats | None:
    """The best clearances on the line that the duals give, within the trust of where that holds."""
    linear, slopes = search.slopes(at)
    flex = search.flex(at)
    if not isfinite(linear) or not isfinite(flex) or linear <= 0 or not slopes.any():
        return None
    slopes = slopes * flex / linear
    low, high = np.maximum(search.low, at / TRUST), np.minimum(search.high, at * TRUST)
    room = limit - flex + float(slopes @ at)
    choose = _cheapest if search.study.aim == "cheapest" else _largest_total
    return choose(slopes, search.prices, room, low, high)


def _cheapest(slopes: Floats, prices: Floats, room: float, low: Floats, high: Floats) -> Floats:
    """Least Σ price/c with slopes·c ≤ room: c = (price/(λ slope))^½ within bounds, λ by bisection."""
    felt = slopes > WITHOUT * slopes.max()

    def at(multiplier: float) -> Floats:
        wanted = np.divide(prices, multiplier * slopes, out=np.full_like(slopes, inf), where=felt)
        return np.clip(np.sqrt(wanted), low, high)

    small, large = 1e-30, 1e30
    for _ in range(200):
        middle = (small * large) ** 0.5
        small, large = (small, middle) if float(slopes @ at(middle)) <= room else (middle, large)
    return at(large)


def _largest_total(slopes: Floats, prices: Floats, room: float, low: Floats, high: Floats) -> Floats:
    """Largest Σ c/price with slopes·c ≤ room: those that add the least to the flex first."""
    chosen = low.copy()
    left = room - float(slopes @ low)
    for place in np.argsort(slopes * prices, kind="stable"):
        more = high[place] - low[place]
        if slopes[place] > 0:
            more = min(more, max(left, 0.0) / slopes[place])
        chosen[place] += more
        left -= slopes[place] * more
    return chosen


def _scaled(search: _GroupSearch, clearances: Floats, limit: float) -> Floats:
    """All clearances times a factor, within their bounds, so that the flex just keeps the limit."""

    def at(factor: float) -> Floats:
        return np.clip(factor * clearances, search.low, search.high)

    low = high = 1.0
    while search.flex(at(low)) > limit:
        high, low = low, low / TRUST
    while search.flex(at(high)) <= limit:
        low, high = high, high * TRUST
    accuracy = search.study.accuracy
    for turn in range(60):
        if high - low <= accuracy * high:
            break
        below, above = search.flex(at(low)), search.flex(at(high))
        share = (
            (limit - below) / (above - below) if isfinite(above) and above > below and turn % 3 < 2 else 0.5
        )
        beside = 0.4 * accuracy * high / (high - low)
        share = min(max(share + (beside if share < 0.5 else -beside), 0.02), 0.98)
        middle = low + share * (high - low)
        low, high = (middle, high) if search.flex(at(middle)) <= limit else (low, middle)
    return at(low)


def _result(
    search: _GroupSearch, status: LoosenStatus, clearances: Floats | None, seconds: float
) -> LoosenResult:
    names = search.names
    at = (
        clearances
        if clearances is not None
        else search.high
        if status is LoosenStatus.UNLIMITED
        else search.low
    )
    tried = bool(search.found)
    slopes = search.slopes(at)[1] if clearances is not None else np.zeros(len(names))
    model = (
        search.model if clearances is None else with_clearances(search.model, search.study.groups, clearances)
    )
    return LoosenResult(
        status=status,
        model=model,
        study=search.study,
        clearance=None,
        smallest=0.0,
        flex=search.flex(at) if tried and status is not LoosenStatus.INTERRUPTED else 0.0,
        samples=(),
        bound_by=(),
        at_clearance=search.result_at(at) if tried and status is not LoosenStatus.INTERRUPTED else None,
        seconds={"flex": seconds},
        groups=tuple(
            FoundClearance(name, float(c), float(slope), (float(low), float(high)))
            for name, c, slope, low, high in zip(names, at, slopes, search.low, search.high, strict=True)
        ),
        trials=tuple(
            GroupTrial(dict(zip(names, known.tolist(), strict=True)), _flex(result), result.status)
            for known, result in search.found
        ),
    )
