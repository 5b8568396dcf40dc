"""A search for a clearance in words and plain data."""

from __future__ import annotations

from math import degrees, isfinite
from typing import Any

from pliant.core.store import sayable
from pliant.core.written import figure
from pliant.flex.loosening.result import LoosenResult
from pliant.flex.report import flex_text, opening
from pliant.flex.status import FlexStatus, LoosenStatus


def summary(result: LoosenResult) -> str:
    """A sentence, then the clearances that were tried, or those of each group."""
    if result.study.groups:
        return "\n".join([_groups_sentence(result), *_group_rows(result)])
    rows = [f"  {'clearance':<12} flex"]
    rows += [f"  {figure(one.clearance, digits=5):<12} {amount(result, one.flex)}" for one in result.samples]
    return "\n".join([sentence(result), *rows])


def sentence(result: LoosenResult) -> str:
    """How loose it may be."""
    unit, limit = result.model.units, amount(result, result.study.flex_limit or 0.0)
    together = (
        f"parts go together from {figure(result.smallest, digits=5)} {unit} on" if result.smallest else ""
    )
    if together and result.smallest_moved < 0.98 * result.smallest:
        moved = f"{figure(result.smallest_moved, digits=4)} {unit}"
        together += f" as drawn, and from {moved} on where they are moved for it"
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


def _groups_sentence(result: LoosenResult) -> str:
    """How loose the groups may be."""
    unit, limit = result.model.units, amount(result, result.study.flex_limit or 0.0)
    told = ", ".join(f"{one.group} {figure(one.clearance, digits=4)} {unit}" for one in result.groups)
    match result.status:
        case LoosenStatus.FOUND:
            return f"Clearances of {told} keep the flex within {limit}."
        case LoosenStatus.IMPOSSIBLE if result.trials and result.trials[0].status is FlexStatus.OVERLAPPING:
            return f"Impossible: parts overlap as drawn with {told}. Draw them apart, or give a larger least."
        case LoosenStatus.IMPOSSIBLE:
            return f"Impossible: with {told} it flexes by {amount(result, result.flex)} already."
        case LoosenStatus.UNLIMITED:
            most = amount(result, result.flex)
            return f"No clearances take the flex to {limit}: with {told}, the most, it is {most}."
        case LoosenStatus.INTERRUPTED:
            return f"Stopped after {len(result.trials)} choices of clearances."
        case LoosenStatus.NO_ANSWER:
            failed = next(one for one in result.trials if one.status.exit_code != 0)
            return f"No answer: for one choice of clearances {failed.status}."


def _group_rows(result: LoosenResult) -> list[str]:
    """Each group's clearance, what a unit of it adds to the flex, and its part of the flex to first order."""
    if result.status is not LoosenStatus.FOUND:
        return []
    total = sum(one.sensitivity * one.clearance for one in result.groups) or 1.0
    cells: list[tuple[str, ...]] = [
        ("group", f"clearance ({result.model.units})", "adds to the flex", "share")
    ]
    angular = result.model.study.for_command("flex").angular
    scale, degree = (degrees(1.0), "°") if angular else (1.0, "")
    for one in result.groups:
        at = " (its most)" if one.clearance >= one.bounds[1] * (1 - 1e-9) else ""
        at = " (its least)" if one.clearance <= one.bounds[0] * (1 + 1e-9) else at
        slope = scale * one.sensitivity
        per = (figure(slope, size=1e7, digits=4) if slope < 1e-3 else f"{slope:.4g}") + degree
        share = f"{100 * one.sensitivity * one.clearance / total:.1f} %"
        cells.append((one.group, f"{figure(one.clearance, digits=5)}{at}", f"{per} for 1", share))
    widths = [max(len(row[k]) for row in cells) for k in range(4)]
    lines = [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    return [*lines, f"  {len(result.trials)} choices were flexed; the last is {amount(result, result.flex)}"]


def amount(result: LoosenResult, value: float) -> str:
    """A flex with its unit: what the file's objective is measured in."""
    if not isfinite(value):
        return "without end"
    return flex_text(result.model, value)


def in_radians(result: LoosenResult) -> tuple[str, ...]:
    """Key paths of the plain data that are angles."""
    flexes = ("limit", "flex", "samples.*.flex", "trials.*.flex")
    return flexes if result.model.study.for_command("flex").angular else ()


def to_dict(result: LoosenResult) -> dict[str, Any]:
    """Everything, as JSON has it; None where a motion has no end."""
    data = {
        **opening(result, "loosen"),
        "limit": result.study.flex_limit,
        "clearance": result.clearance,
        "smallest": result.smallest,
        "smallest_moved": result.smallest_moved,
        "flex": result.flex if isfinite(result.flex) else None,
        "samples": [
            {
                "clearance": one.clearance,
                "flex": one.flex if isfinite(one.flex) else None,
                "status": one.status.name.lower(),
            }
            for one in result.samples
        ],
        "groups": {
            one.group: {
                "clearance": one.clearance,
                "sensitivity": one.sensitivity,
                "bounds": list(one.bounds),
            }
            for one in result.groups
        },
        "trials": [
            {
                "clearances": one.clearances,
                "flex": one.flex if isfinite(one.flex) else None,
                "status": one.status.name.lower(),
            }
            for one in result.trials
        ],
    }
    return {**sayable(data), "motion": result.motion.to_dict()}
