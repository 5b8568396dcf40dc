"""A search for a clearance in words and plain data."""

from __future__ import annotations

from math import degrees, isfinite
from typing import Any

from pliant.core.store import sayable
from pliant.core.written import figure
from pliant.flex.loosening.result import LoosenResult
from pliant.flex.report import opening
from pliant.flex.status import LoosenStatus


def summary(result: LoosenResult) -> str:
    """A sentence, then the clearances that were tried."""
    rows = [f"  {'clearance':<12} flex"]
    rows += [f"  {figure(one.clearance, digits=5):<12} {amount(result, one.flex)}" for one in result.samples]
    return "\n".join([sentence(result), *rows])


def sentence(result: LoosenResult) -> str:
    """How loose it may be."""
    unit, limit = result.model.units, amount(result, result.study.limit or 0.0)
    together = (
        f"parts go together from {figure(result.smallest, digits=5)} {unit} on" if result.smallest else ""
    )
    match result.status:
        case LoosenStatus.FOUND:
            largest = f"{figure(result.clearance or 0.0, digits=4)} {unit}"
            more = f"; {together}" if together else ""
            return f"A clearance of up to {largest} keeps the flex within {limit}{more}."
        case LoosenStatus.IMPOSSIBLE if not result.samples:
            return f"Impossible: {together}, and such a clearance leaves some of them in pieces."
        case LoosenStatus.IMPOSSIBLE:
            why = f", where {together}" if together else ""
            least = figure(result.samples[0].clearance, digits=4)
            return f"Impossible: at {least} {unit}{why}, it flexes by {amount(result, result.flex)} already."
        case LoosenStatus.UNLIMITED:
            most = figure(max(one.clearance for one in result.samples), digits=4)
            broken = "".join(f", and beyond that {name} is in pieces" for name in result.bound_by[:1])
            return f"No clearance takes the flex to {limit}: {most} {unit} was tried{broken}."
        case LoosenStatus.INTERRUPTED:
            return f"Stopped after {len(result.samples)} clearances."
        case LoosenStatus.NO_ANSWER:
            failed = next(one for one in result.samples if one.status.exit_code != 0)
            return f"No answer: at {failed.clearance:.6g} {unit} {failed.status}."


def amount(result: LoosenResult, value: float) -> str:
    """A flex with its unit: what the file's objective is measured in."""
    if not isfinite(value):
        return "without end"
    terms = result.model.study.for_command("flex").maximize
    if all(term.spin is not None for term in terms):
        return f"{figure(degrees(value), digits=5)}°"
    return f"{figure(value, digits=5)} {result.model.units}" if len(terms) == 1 else figure(value, digits=5)


def to_dict(result: LoosenResult) -> dict[str, Any]:
    """Everything, as JSON has it; None where a motion has no end."""
    data = {
        **opening(result, "loosen"),
        "limit": result.study.limit,
        "clearance": result.clearance,
        "smallest": result.smallest,
        "flex": result.flex if isfinite(result.flex) else None,
        "samples": [
            {
                "clearance": one.clearance,
                "flex": one.flex if isfinite(one.flex) else None,
                "status": one.status.name.lower(),
            }
            for one in result.samples
        ],
    }
    return {**sayable(data), "motion": result.motion.to_dict()}
