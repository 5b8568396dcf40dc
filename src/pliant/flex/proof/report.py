"""A proof in words and plain data."""

from __future__ import annotations

from math import degrees, isfinite
from typing import Any

from pliant.core.store import sayable
from pliant.core.written import figure, listed
from pliant.flex.proof.result import ProofResult
from pliant.flex.report import flex_text, opening
from pliant.flex.report import sentence as flex_sentence
from pliant.flex.status import ProofStatus


def summary(result: ProofResult) -> str:
    """A sentence, then what each bound rests on."""
    return "\n".join([sentence(result), *_figures(result)])


def sentence(result: ProofResult) -> str:
    """Between which bounds the flex lies, and what that holds for."""
    interval = f"{_amount(result, result.lower)} and {_amount(result, result.upper)}"
    share = f"{100 * result.gap:.2g} %"
    holds = (
        "for everything that can be reached"
        if result.everything
        else f"for the box explored, which {listed(list(result.touched), most=3)} may leave"
    )
    match result.status:
        case ProofStatus.PROVED:
            return f"Flex between {interval} ({share}), proved {holds}."
        case ProofStatus.OPEN if isfinite(result.upper):
            return f"Open: flex between {interval} ({share}) after {result.nodes} boxes, proved {holds}."
        case ProofStatus.OPEN:
            return f"Open: at least {_amount(result, result.lower)}; no upper bound was found."
        case ProofStatus.FREE | ProofStatus.OVERLAPPING | ProofStatus.VIOLATED | ProofStatus.NO_ANSWER:
            return flex_sentence(result.flex)


def _figures(result: ProofResult) -> list[str]:
    if result.witness is None:
        return []
    unit = result.model.units
    grown = f", parts grown by {figure(result.margin / 2, digits=2)} {unit}" if result.margin else ""
    rows = [
        f"  lower bound        a motion of {len(result.witness.frames.poses) - 1} legs, no overlap{grown}",
        f"  upper bound        {result.leaves} boxes left of {result.nodes}",
        f"  flex               {_amount(result, result.reached)}, some overlap allowed",
    ]
    if result.pivot_error > 0:
        held = figure(result.pivot_error, digits=2)
        rows.insert(1, f"  pivots             hold to {held} {unit} on its way")
    for name, ranges in list(result.box.items())[:8]:
        (left, right), (low, high), (back, ahead) = ranges
        rows.append(
            f"  box of {name:<11} x {left:.3g} … {right:.3g}, y {low:.3g} … {high:.3g}, "
            f"turn {degrees(back):.3g}° … {degrees(ahead):.3g}°"
        )
    return rows


def _amount(result: ProofResult, value: float) -> str:
    """A flex with its unit: what the file's objective is measured in."""
    if not isfinite(value):
        return "no bound"
    return flex_text(result.model, value)


def in_radians(result: ProofResult) -> tuple[str, ...]:
    """Key paths of the plain data that are angles."""
    bounds = ("lower", "upper", "objective") if result.model.study.for_command("flex").angular else ()
    return (*bounds, "box.*[2]")


def to_dict(result: ProofResult) -> dict[str, Any]:
    """Everything, as JSON has it; None where there is no upper bound."""
    data = {
        **opening(result, "prove"),
        "lower": result.lower,
        "upper": result.upper if isfinite(result.upper) else None,
        "gap": result.gap if isfinite(result.upper) else None,
        "everything": result.everything,
        "touched": list(result.touched),
        "box": {name: [list(ends) for ends in ranges] for name, ranges in result.box.items()},
        "nodes": result.nodes,
        "leaves": result.leaves,
        "margin": result.margin,
        "pivot_error": result.pivot_error,
        "objective": result.reached,
    }
    return {**sayable(data), "motion": result.motion.to_dict()}
