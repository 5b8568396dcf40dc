"""A flex result in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import degrees
from typing import Any

import numpy as np

from pliant.core.store import opening as json_opening
from pliant.core.store import sayable
from pliant.core.written import figure, listed, vector_text, within
from pliant.flex.diagnosis.as_drawn import Violation
from pliant.flex.diagnosis.contact_forces import ContactForce
from pliant.flex.diagnosis.unbounded import Leaving, Turning
from pliant.flex.model import Assembly, FlexStudy, Term
from pliant.flex.problem.loads import in_newtons, total_load
from pliant.flex.problem.system import compile_system
from pliant.flex.result import FlexResult, StageEnd
from pliant.flex.status import FlexStatus

REACTIONS = 12  # forces in a summary


def summary(result: FlexResult) -> str:
    """A sentence, then the figures."""
    return "\n".join([sentence(result), *figures(result)])


def sentence(result: FlexResult) -> str:
    """How it ended, in one sentence with its figure."""
    unit = result.model.units
    match result.status:
        case FlexStatus.CONVERGED | FlexStatus.LOCKED if result.study.loaded:
            text = _rest_text(result)
        case FlexStatus.CONVERGED if result.stages:
            text = f"Goes through all of its {len(result.stages)} stages: {_objective_text(result)} in all."
        case FlexStatus.BLOCKED:
            text = f"Blocked in stage {len(result.stages)}: not everybody got to where it was to go."
        case FlexStatus.VIOLATED if not result.violated:
            text = f"Violated at the start of stage {len(result.stages)}."
        case FlexStatus.CONVERGED:
            text = f"Moves by {_objective_text(result)}; then its joints stop it."
        case FlexStatus.LOCKED:
            text = "Locked: nothing moves beyond the tolerance."
        case FlexStatus.FREE:
            away = result.leaving
            names = _list_names(away.bodies) if away else "a body"
            text = f"Free: {names} can leave; nothing stops the motion."
        case FlexStatus.TURNING:
            turning = result.turning
            names = _list_names(turning.bodies) if turning else "a body"
            text = f"Turns without end: {names} can turn right round; nothing stops the motion."
        case FlexStatus.OVERLAPPING:
            deepest = result.drawn[0]
            text = (
                f"Overlapping as drawn: {deepest.bodies[0]} and {deepest.bodies[1]} by {deepest.depth:.4g} "
                f"{unit}{_others(len(result.drawn) - 1, 'pair')}. {_cure(result)}"
            )
        case FlexStatus.VIOLATED:
            worst, more = result.violated[0], _others(len(result.violated) - 1, "constraint")
            text = f"Violated as drawn: {_violation_text(result, worst)}{more}. {_remedy(worst)}"
        case FlexStatus.STEP_LIMIT:
            text = f"Not converged after {result.steps} steps: {_objective_text(result)} so far."
        case FlexStatus.SOLVER_FAILED:
            text = f"No solver could solve the program of step {result.steps + 1}."
    return text + (f" ({result.note})" if result.note else "")


def _rest_text(result: FlexResult) -> str:
    """Of loads: what carries the most of them where the parts have come to rest."""
    if not result.reactions:
        return "At rest, but no forces of contacts that touch balance the load."
    most, total = result.reactions[0], vector_text(total_load(result.study), digits=4)
    unit = _force_unit(result)
    work = f" after {_objective_text(result)} of work" if result.status is FlexStatus.CONVERGED else ""
    return (
        f"At rest under a load of {total}{unit}{work}; {most.name} carries {most.size:.4g}{unit}, the most."
    )


def _force_unit(result: FlexResult) -> str:
    return " N" if in_newtons(result.model, result.study) else ""


def _reaction_rows(result: FlexResult) -> list[str]:
    """The forces at rest, the largest first."""
    unit, largest = _force_unit(result), result.reactions[0].size if result.reactions else 0.0
    rows: list[str] = []
    for one in result.reactions[:REACTIONS]:
        low, high = (f"{end:.4g}" for end in one.size_range or (one.size, one.size))
        span = f" ({low} to {high})" if low != high else ""
        on = f"{vector_text(one.force, size=1e4 * largest, digits=4)} on {one.bodies[0]}"
        rows.append(f"  {one.name:<18} {one.size:.4g}{unit}{span}: {on} at {vector_text(one.at, digits=4)}")
    more = len(result.reactions) - REACTIONS
    return [*rows, *([f"  and {more} more with less"] if more > 0 else [])]


def _list_names(names: tuple[str, ...]) -> str:
    return ", ".join(names[:6]) + (", …" if len(names) > 6 else "")


def _others(count: int, what: str) -> str:
    return f", and {count} more {what}{'s' if count > 1 else ''}" if count else ""


def _cure(result: FlexResult) -> str:
    """What parts that overlap as drawn need: a clearance, or to be drawn apart where that breaks parts."""
    unit, apart = result.model.units, result.drawn[0].apart
    if apart is None:
        return f"A clearance of {result.needed:.6g} {unit} cures it."
    lost, away = _list_names(result.lost), vector_text(apart.direction, digits=4)
    return (
        f"No clearance cures it: one of {result.needed:.4g} {unit} leaves no single piece of {lost}. "
        f"Draw {_list_names(apart.bodies)} {apart.distance:.6g} {unit} further along {away}."
    )


def _violation_text(result: FlexResult, violation: Violation) -> str:
    """Which constraint does not hold as drawn, and by how much."""
    key, bodies = violation.where.partition("[")[0], violation.bodies
    turn = "" if violation.angle is None else f"{degrees(violation.angle):.4g}°"
    distance = f"{violation.distance:.4g} {result.model.units}"
    if key == "keep":
        return f"{violation.where}: its point of {bodies[0]} lies {distance} outside the region"
    if key == "sights":
        cone = f"outside the cone of {bodies[0]}"
        return f"{violation.where}: the marker on {bodies[1]} lies {distance} ({turn}) {cone}"
    return f"{violation.where}: the range of {bodies[0]} leaves out the drawn pose by {turn or distance}"


def _remedy(violation: Violation) -> str:
    remedies = {
        "keep": "Draw the body elsewhere, or widen the region.",
        "sights": "Turn or widen the cone, or draw one of the two elsewhere.",
        "limits": "A range counts from the drawn pose, and must include 0.",
    }
    return remedies[violation.where.partition("[")[0]]


def _objective_text(result: FlexResult) -> str:
    """The objective, in the digits that what the last program would still gain would not change."""
    scale, unit = _unit(result)
    return f"{within(scale * result.objective, scale * (result.left or 0.0))}{unit}"


def _stage_text(result: FlexResult, number: int, end: StageEnd) -> str:
    """What a stage gained, by the unit of its own terms."""
    scale, unit = _unit_of(result.study.stages[number - 1].maximize, result.model.units)
    return f"{scale * end.objective:.6g}{unit} in {end.steps} steps"


def _unit(result: FlexResult) -> tuple[float, str]:
    """What the objective is shown by: a factor and a unit, if there is one."""
    if result.study.loaded:
        return 1.0, f"{_force_unit(result)}·{result.model.units}" if _force_unit(result) else ""
    return _unit_of(result.study.terms, result.model.units)


def flex_text(model: Assembly, value: float, digits: int = 5) -> str:
    """A flex of the model's own study, with the unit of what is maximised where there is one."""
    study = model.study.for_command("flex")
    scale, unit = (1.0, "") if study.loaded else _unit_of(study.terms, model.units)
    return f"{figure(scale * value, digits=digits)}{unit}"


def _unit_of(terms: Sequence[Term], length: str) -> tuple[float, str]:
    """A factor and a unit for the sum of some terms; terms may mix travel and turn, which has none."""
    if all(term.spin is not None for term in terms):
        return degrees(1.0), "°"
    return 1.0, f" {length}" if len(terms) == 1 else ""


def figures(result: FlexResult) -> list[str]:
    """The figures behind the sentence."""
    if result.drawn or result.violated:
        pairs = [f"  {' and '.join(pair.bodies)}: {pair.depth:.4g} deep" for pair in result.drawn[:10]]
        return pairs + [f"  {_violation_text(result, violation)}" for violation in result.violated[:10]]
    scale, unit = _unit(result)
    linear = (
        "no bound" if result.linear is None else f"{scale * result.linear:.6g}{unit if unit == '°' else ''}"
    )
    rows = [
        f"  linear estimate    {linear}",
        f"  steps              {result.steps}, program {result.rows} x {result.columns}",
        f"  overlap            {result.overlap:.2g} by area, {result.violation:.2g} in the worst row, "
        f"at most {result.path_overlap:.2g} on the way (gap {result.gap:.4g})",
    ]
    if result.pin_error:
        rows.append(f"  pins               polygons leave out at most {result.pin_error:.2g} of play")
    if result.leaving is not None:
        rows.append("  free to leave      played until clear: " + "; ".join(_ways_out(result)))
    if result.restarts is not None:
        count = len(result.restarts.objectives)
        rows.append(
            f"  restarts           {result.restarts.agreeing} of {count} ends are within 1 % of the best"
        )
    rows += [
        f"  stage {number:<12} {end.status.name.lower()}: {_stage_text(result, number, end)}"
        for number, end in enumerate(result.stages, start=1)
    ]
    if result.turning is not None:
        proof = "the way closes on itself" if result.turning.proven else "gone round twice"
        turns = zip(result.turning.bodies[:6], result.turning.turns, strict=False)
        rows.append(
            f"  turns right round  {proof}: "
            + "; ".join(f"{name} by {np.degrees(turn):.4g}°" for name, turn in turns)
        )
    if result.study.loaded:
        return rows + _reaction_rows(result)
    rows += [
        f"  {contact.name:<18} {contact.share:.1%}{_range(contact)}, force {contact.force:.4g}"
        for contact in result.contacts[:5]
    ]
    return rows


def _range(contact: ContactForce) -> str:
    """The range of a share, where its ends differ in what is said of them."""
    if contact.share_range is None:
        return ""
    low, high = (f"{100 * end:.1f}" for end in contact.share_range)
    return f" ({low} to {high} %)" if low != high else ""


def _ways_out(result: FlexResult) -> list[str]:
    away = result.leaving
    ways = [] if away is None else list(zip(away.bodies, away.velocities, strict=True))[:6]
    return [f"{name} along {vector_text(velocity, digits=3)}" for name, velocity in ways]


def opening(result: Any, command: str) -> dict[str, Any]:
    """What the JSON of every result of an assembly begins with."""
    return json_opening("assembly", command, result.status, result.message, result.seconds, result.model)


def to_dict(result: FlexResult) -> dict[str, Any]:
    """Everything, as JSON has it."""
    data = {
        **opening(result, "flex"),
        "objective": result.objective,
        "linear": result.linear,
        "left": result.left,
        "steps": result.steps,
        "violation": result.violation,
        "overlap": result.overlap,
        "path_overlap": result.path_overlap,
        "gap": result.gap,
        "threshold": result.threshold,
        "rows": result.rows,
        "columns": result.columns,
        "solvers": list(result.solvers),
        "pin_error": result.pin_error,
        "relaxed": result.relaxed,
        "poses": {name: list(pose) for name, pose in result.poses.items()},
        "contacts": [contact.to_dict() for contact in result.contacts],
        "reactions": [reaction.to_dict() for reaction in result.reactions],
        "overlapping": [
            {
                "bodies": list(pair.bodies),
                "area": pair.area,
                "depth": pair.depth,
                "apart": None if pair.apart is None else vars(pair.apart),
            }
            for pair in result.drawn
        ],
        "cure": result.cure,
        "violated": [vars(violation) for violation in result.violated],
        "leaving": _leaving_dict(result.leaving),
        "turning": _turning_dict(result.turning),
        "stages": [_stage_dict(end) for end in result.stages],
        "restarts": None if result.restarts is None else list(result.restarts.objectives),
    }
    return {**sayable(data), "motion": result.motion.to_dict()}


def in_radians(result: FlexResult) -> tuple[str, ...]:
    """Key paths of the plain data that are angles."""
    reached = ("objective", "linear", "left", "restarts") if result.study.angular else ()
    stages = enumerate(result.study.stages)
    turns = [f"stages.{k}.objective" for k, stage in stages if _unit_of(stage.maximize, "")[1] == "°"]
    return (*reached, *turns, "poses.*[2]", "violated.*.angle", "turning.turns.*")


def _stage_dict(end: StageEnd) -> dict[str, Any]:
    stuck = [{**vars(each), "held_by": list(each.held_by)} for each in end.stuck]
    ended = {"status": end.status.name.lower(), "objective": end.objective, "steps": end.steps}
    return {**ended, "stuck": stuck}


def _leaving_dict(leaving: Leaving | None) -> dict[str, Any] | None:
    if leaving is None:
        return None
    moves = {name: list(velocity) for name, velocity in zip(leaving.bodies, leaving.velocities, strict=True)}
    return {"velocities": moves}


def _turning_dict(turning: Turning | None) -> dict[str, Any] | None:
    if turning is None:
        return None
    return {"turns": dict(zip(turning.bodies, turning.turns, strict=True)), "proven": turning.proven}


# Of a model


def part_count(model: Assembly) -> int:
    """Bodies of an assembly."""
    return len(model.bodies)


def describe(model: Assembly) -> Iterator[tuple[str, str]]:
    """What an assembly holds, a line each."""
    study = model.study.for_command("flex")
    parts = compile_system(model, study).parts
    fixed = sum(body.fixed for body in model.bodies)
    yield "bodies", f"{len(model.bodies)}, {fixed} of them fixed"
    shapes = parts.members.shapes
    corners = [sum(map(len, shapes[shape].rings)) for shape in parts.members.shape_of]
    yield "outlines", f"{len(shapes)} different, {sum(corners)} vertices in all"
    if model.clearance:
        yield "clearance", f"{model.clearance:g} {model.units}"
    for key in ("welds", "pins", "keep", "sights", "limits"):
        if entries := getattr(model, key):
            yield key, str(len(entries))
    if parts.welded:
        yield "rigid", f"{parts.count} parts, for what is welded or pinned at two points is one"
    for number, stage in enumerate(study.stages, start=1):
        yield f"stage {number}", listed([_term(term) for term in stage.maximize], " + ", most=3)
    if study.loaded:
        yield "load", listed(_loads(study), " + ", most=3)
    elif study.maximize:
        yield "maximize", listed([_term(term) for term in study.maximize], " + ", most=3)


def _loads(study: FlexStudy) -> list[str]:
    """The loads of a study, in a few words each."""
    made = [f"the weight of every body by {vector_text(study.gravity)}"] if study.gravity is not None else []
    for load in study.load:
        made += [f"{vector_text(load.force)} N on {load.body}"] if load.force is not None else []
        made += [f"a torque of {load.torque:g} on {load.body}"] if load.torque is not None else []
    return made


def _term(term: Term) -> str:
    if term.direction is not None:
        return f"{term.body} along {vector_text(term.direction)}"
    if term.spin is not None:
        return f"{term.body} turning {'counter-clockwise' if term.spin * term.weight >= 0 else 'clockwise'}"
    if term.radial is not None:
        return f"everything away from {vector_text(term.radial)}"
    if term.to is not None:
        return f"{term.body} to {vector_text(term.to)}"
    return f"everything towards {term.gather}"
