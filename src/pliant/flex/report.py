"""A flex result in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pliant.core.written import place, within
from pliant.flex.forces import Contact
from pliant.flex.status import FlexStatus

if TYPE_CHECKING:
    from pliant.flex.result import FlexResult


def sentence(result: FlexResult) -> str:
    """How it ended, in one sentence with its figure."""
    unit = result.model.units
    match result.status:
        case FlexStatus.CONVERGED:
            text = f"Moves by {_reached(result)}; then its joints stop it."
        case FlexStatus.LOCKED:
            text = "Locked: nothing moves beyond the tolerance."
        case FlexStatus.FREE:
            away = result.leaving
            names = _listed(away.bodies) if away else "a body"
            text = f"Free: {names} can leave; nothing stops the motion."
        case FlexStatus.TURNING:
            turning = result.turning
            names = _listed(turning.bodies) if turning else "a body"
            text = f"Turns without end: {names} can turn right round; nothing stops the motion."
        case FlexStatus.OVERLAPPING:
            deepest = result.drawn[0]
            text = (
                f"Overlapping as drawn: {deepest.bodies[0]} and {deepest.bodies[1]} by {deepest.depth:.4g} "
                f"{unit}{_others(len(result.drawn) - 1)}. A clearance of {result.cure:.6g} {unit} cures it."
            )
        case FlexStatus.STEP_LIMIT:
            text = f"Not converged after {result.steps} steps: {_reached(result)} so far."
        case FlexStatus.SOLVER_FAILED:
            text = f"No solver could solve the program of step {result.steps + 1}."
    return text + (f" ({result.note})" if result.note else "")


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:6]) + (", …" if len(names) > 6 else "")


def _others(count: int) -> str:
    return f", and {count} more pair{'s' if count > 1 else ''}" if count else ""


def _reached(result: FlexResult) -> str:
    """The objective, in the digits that what the last program still promised would not change."""
    return f"{within(result.objective, result.left or 0.0)}{_unit(result)}"


def _unit(result: FlexResult) -> str:
    """The objective's unit, where it has one: terms may mix travel and turn."""
    terms = result.study.maximize
    if all(term.spin is not None for term in terms):
        return " rad"
    if len(terms) == 1 and terms[0].spin is None:
        return f" {result.model.units}"
    return ""


def lines(result: FlexResult) -> list[str]:
    """The figures behind the sentence."""
    if result.status is FlexStatus.OVERLAPPING:
        return [
            f"  {a} and {b}: {found.depth:.4g} deep" for found in result.drawn[:10] for a, b in [found.bodies]
        ]
    linear = "no bound" if result.linear is None else f"{result.linear:.6g}"
    found = [
        f"  linear estimate    {linear}",
        f"  steps              {result.steps}, program {result.rows} x {result.columns}",
        f"  overlap            {result.overlap:.2g} by area, {result.violation:.2g} in the worst row, "
        f"at most {result.path_overlap:.2g} on the way (gap {result.gap:.4g})",
    ]
    if result.pin_error:
        found.append(f"  pins               polygons leave out at most {result.pin_error:.2g} of play")
    if result.leaving is not None:
        found.append("  free to leave      played until clear: " + "; ".join(_ways_out(result)))
    if result.restarts is not None:
        count = len(result.restarts.objectives)
        found.append(
            f"  restarts           {result.restarts.agreeing} of {count} ends are within 1 % of the best"
        )
    if result.turning is not None:
        proof = "the way closes on itself" if result.turning.proven else "gone round twice"
        turns = zip(result.turning.bodies[:6], result.turning.turns, strict=False)
        found.append(
            f"  turns right round  {proof}: "
            + "; ".join(f"{name} by {np.degrees(turn):.4g}°" for name, turn in turns)
        )
    found += [
        f"  {contact.name:<18} {contact.share:.1%}{_range(contact)}, force {contact.force:.4g}"
        for contact in result.contacts[:5]
    ]
    return found


def _range(contact: Contact) -> str:
    if contact.share_range is None or contact.share_range[1] - contact.share_range[0] < 1e-6:
        return ""
    low, high = contact.share_range
    return f" ({100 * low:.1f} to {100 * high:.1f} %)"


def _ways_out(result: FlexResult) -> list[str]:
    away = result.leaving
    ways = [] if away is None else list(zip(away.bodies, away.velocities, strict=True))[:6]
    return [f"{name} along {place(velocity, digits=3)}" for name, velocity in ways]
