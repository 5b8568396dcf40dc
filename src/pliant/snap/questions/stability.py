"""How far each variable may go, either way, before other things happen than now: the stability of a plan.

Source: [DonaldPai1993] sec. 10.2, where it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from pydantic import ValidationError

from pliant.core.errors import PliantError
from pliant.core.progress import Progress, silent
from pliant.snap.arithmetic.protocol import Arithmetic
from pliant.snap.model import Fastener
from pliant.snap.questions.outcome import Signature, outcome, shifted_fastener
from pliant.snap.questions.variable_changes import present_value, with_variables
from pliant.snap.start.checks import check_start
from pliant.snap.sweep.plan import plan_legs

STEPS = 40  # tried from the present value to the end of a range
HALVINGS = 30


@dataclass(frozen=True)
class Margin:
    """A variable: what it is, and between which values the same things happen in the same order.

    Where `low_ends` or `high_ends` is false, nothing changed up to the end of what was tried.
    """

    name: str
    value: float
    low: float
    high: float
    low_ends: bool
    high_ends: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return vars(self).copy()


def margins(model: Fastener, arithmetic: Arithmetic, progress: Progress = silent) -> tuple[Margin, ...]:
    """Of friction, the start and every variable of the model."""
    now = outcome(model, arithmetic).signature
    tried = list(_variations(model))
    every: list[Margin] = []
    for done, one in enumerate(tried):
        progress(done, len(tried), f"varying {one.name}")

        def same(at: Fraction, change: Callable[[Fraction], Fastener] = one.change) -> bool:
            return _signature(change(at), arithmetic) == now if _valid(change, at) else False

        down, down_ends = _edge(one.value, one.low, same)
        up, up_ends = _edge(one.value, one.high, same)
        every.append(Margin(one.name, float(one.value), float(down), float(up), down_ends, up_ends))
    return tuple(every)


def _valid(change: Callable[[Fraction], Fastener], at: Fraction) -> bool:
    try:
        check_start(change(at))
    except (ValidationError, PliantError):
        return False
    return True


def _signature(model: Fastener, arithmetic: Arithmetic) -> Signature:
    return outcome(model, arithmetic).signature


class _Variation(NamedTuple):
    """What may be varied, from its present value to either end of its range."""

    name: str
    value: Fraction
    low: Fraction
    high: Fraction
    change: Callable[[Fraction], Fastener]  # the fastener at another value


def _variations(model: Fastener) -> Iterator[_Variation]:
    """Friction, where it starts, and every variable of the model."""
    named = {variable.what for variable in model.variables}
    if "friction" not in named:
        top = 2 * model.friction + 1
        rubbing: Callable[[Fraction], Fastener] = lambda v: model.model_copy(update={"friction": v})  # noqa: E731
        yield _Variation("friction", model.friction, Fraction(0), top, rubbing)
    x, y = plan_legs(model)[0].velocity
    size = max(abs(c) for pawl in model.pawls for point in model.outline(pawl) for c in point)
    reach = size / max(abs(x), abs(y))
    aside = lambda v: shifted_fastener(model, (-v * y, v * x))  # noqa: E731
    yield _Variation("start aside", Fraction(0), -reach, reach, aside)
    for variable in model.variables:
        name, (low, high) = variable.name, variable.range
        change = lambda v, name=name: with_variables(model, {name: v})  # noqa: E731
        yield _Variation(name, present_value(model, variable), low, high, change)


def _edge(value: Fraction, end: Fraction, same: Callable[[Fraction], bool]) -> tuple[Fraction, bool]:
    """The last value towards an end at which everything is the same, and whether it changes beyond."""
    good = value
    for step in range(1, STEPS + 1):
        at = value + (end - value) * Fraction(step * step, STEPS * STEPS)
        if at != good and not same(at):
            return _bisect(good, at, same), True
        good = at
    return end, False


def _bisect(good: Fraction, bad: Fraction, same: Callable[[Fraction], bool]) -> Fraction:
    for _ in range(HALVINGS):
        middle = (good + bad) / 2
        if same(middle):
            good = middle
        else:
            bad = middle
    return good
