"""What a model holds, a line each; it goes as far as a solve goes, for what that would refuse."""

from __future__ import annotations

from collections.abc import Iterator
from math import degrees
from typing import TYPE_CHECKING, Any

from pliant.core.written import place

if TYPE_CHECKING:
    from pliant.files.kinds import Model
    from pliant.flex.model import Assembly, Term
    from pliant.linkage.model import Linkage
    from pliant.linkage.structure.rule_plan import RulePlan
    from pliant.relax.model import Mechanism
    from pliant.snap.model import Fastener, Pawl

TOLD = 6  # rules of a linkage, nodes of the ground, drives of a mechanism, pawls and legs of a fastener


def contents(model: Model) -> Iterator[tuple[str, str]]:
    """What is in a model, or an InputError."""
    if model.kind == "assembly":
        return _assembly(model)
    if model.kind == "linkage":
        return _linkage(model)
    return _mechanism(model) if model.kind == "mechanism" else _fastener(model)


def _assembly(model: Assembly) -> Iterator[tuple[str, str]]:
    from pliant.flex.problem.system import compile_system

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
        if found := getattr(model, key):
            yield key, str(len(found))
    if parts.welded:
        yield "rigid", f"{parts.count} parts, for what is welded or pinned at two points is one"
    terms = [_term(term) for term in study.maximize]
    yield "maximize", " + ".join([*terms[:3], *(["…"] if len(terms) > 3 else [])])


def _term(term: Term) -> str:
    if term.direction is not None:
        return f"{term.body} along {place(term.direction)}"
    if term.spin is not None:
        return f"{term.body} turning {'counter-clockwise' if term.spin * term.weight >= 0 else 'clockwise'}"
    if term.radial is not None:
        return f"everything away from {place(term.radial)}"
    return f"everything towards {term.gather}"


def _linkage(model: Linkage) -> Iterator[tuple[str, str]]:
    from pliant.linkage.kinematics.drive import motor_drive
    from pliant.linkage.kinematics.mobility import compile_plan, freedoms, grubler

    plan = compile_plan(model)
    motor_drive(model, model.study.samples)
    yield "joints", f"{len(model.joints)}, {len(model.ground)} of them on the ground"
    yield "links", str(len(model.links))
    yield "ground", ", ".join(model.ground)
    yield "motors", ", ".join(motor.label for motor in model.motors)
    for key in ("sliders", "loads"):
        if found := getattr(model, key):
            yield key, str(len(found))
    free, counted = freedoms(plan), grubler(plan.structure)
    yield "mobility", f"{free}" if free == counted else f"{free}, though Grübler counts {counted}"
    yield "order", _order(plan)
    yield "trace", ", ".join(model.study.trace) or "every joint that ends a link, or all that move"


def _order(plan: RulePlan) -> str:
    """The rules that find the joints, one after the other."""
    hidden = {plan.structure.names[k] for k in plan.structure.guide_points}
    found = [step for step in plan.describe() if step["rule"] != "fixed" and step.get("joint") not in hidden]
    return _list_names([_rule(step) for step in found], "; ")


def _list_names(said: list[str], between: str = ", ") -> str:
    return between.join([*said[:TOLD], *([f"and {len(said) - TOLD} more"] if len(said) > TOLD else [])])


def _rule(step: dict[str, Any]) -> str:
    if step["rule"] == "coupled":
        return f"{', '.join(step['joints'])} by equations" + " together" * (len(step["joints"]) > 1)
    known = [name for name in step["from"] if ".guide." not in name]
    if step["rule"] == "slot":
        return f"{step['joint']} about {known[0]}, by the pin {known[1]} in its slot"
    known = known[: _TOLD_OF.get(step["rule"], len(known))]  # the rest carry its line
    return f"{step['joint']} {_FOUND[step['rule']]} {', '.join(known)}".rstrip()


_FOUND = {
    "motor": "by the motor at",
    "triangle": "by its distances from",
    "point": "on the link of",
    "slider": "along its line, from",
    "lines": "where its lines cross",
    "carried": "in parallel, from",
    "driven": "pushed along its line",
    "strut": "by the strut's length and its distance from",
    "strut on a line": "along its line, by the strut from",
}
_TOLD_OF = {"slider": 1, "lines": 0, "carried": 1, "driven": 0, "strut on a line": 1}


def _mechanism(model: Mechanism) -> Iterator[tuple[str, str]]:
    from pliant.relax.assemble.build import build
    from pliant.relax.checks.raw_data import ELEMENTS

    build(model)
    where = "in space" if model.dimension == 3 else "in the plane"
    yield "nodes", f"{len(model.nodes)} {where}, {len(model.ground)} of them on the ground"
    yield "ground", _list_names(list(model.ground)) or "none: it floats"
    for key in (*ELEMENTS, "loads", "fields"):
        if found := getattr(model, key):
            yield key, str(len(found))
    yield "drive", _list_names(list(_drives(model)), "; ") or "nothing: it comes to rest as it is"
    yield "trace", ", ".join(model.study.trace) or "no node"
    yield "method", model.study.method


def _drives(model: Mechanism) -> Iterator[str]:
    """What moves a mechanism, each with where it goes in the end."""
    for what in ("actuator", "string", "spring", "wrap"):
        for element in getattr(model, f"{what}s"):
            if element.to is not None:
                yield f"{what} {'-'.join(element.nodes)} to {_last_station(element.to):.6g} {model.units}"
    for rotor in model.rotors:
        yield f"rotor at {rotor.joint} turns {rotor.arms[1]} by {degrees(_last_station(rotor.to)):.6g} deg"
    for circuit in model.cylinders:
        if volume := _last_station(circuit.to):
            yield f"{volume:.6g} pumped into {', '.join('-'.join(line) for line in circuit.lines[:3])}"
    for load in model.loads:
        if load.to is not None:
            yield f"load on {load.node} to {place(load.to)}"


def _last_station(to: float | tuple[float, ...]) -> float:
    return to[-1] if isinstance(to, tuple) else to


def _fastener(model: Fastener) -> Iterator[tuple[str, str]]:
    from pliant.snap.start.checks import check_solvable
    from pliant.snap.start.remarks import remarks

    check_solvable(model, model.study)
    yield "pawls", _list_names([_pawl(model, pawl) for pawl in model.pawls], "; ")
    corners = sum(len(model.outline(obstacle)) for obstacle in model.obstacles)
    yield "obstacles", f"{len(model.obstacles)}, {corners} vertices in all"
    yield "root", "a hinge only" if model.root.outline is None else f"{len(model.root.outline)} vertices"
    yield "plan", _plan(model)
    yield "friction", f"{float(model.friction):.6g}"
    if model.parameters:
        yield "parameters", ", ".join(parameter.name for parameter in model.parameters)
    asked = ("reverse", "classify", "uncertain", "stability", "search")
    yield "study", ", ".join(key for key in asked if getattr(model.study, key)) or "the way in"
    said = remarks(model)
    for number, remark in enumerate(said, 1):
        yield "note" if len(said) == 1 else f"note {number}", remark


def _pawl(model: Fastener, pawl: Pawl) -> str:
    from pliant.snap.springs.spring import stiffness_of

    spring = f"{float(stiffness_of(model, pawl)):.6g} N·{model.units}/rad"
    beam = "" if pawl.beam is None else f", a beam of {pawl.beam.material or 'its own modulus'}"
    return f"{pawl.name} at {place(map(float, pawl.hinge))}, {spring}{beam}"


def _plan(model: Fastener) -> str:
    from pliant.snap.sweep.plan import plan_legs

    said = [f"{place(map(float, leg.velocity))} for t = {float(leg.until):.6g}" for leg in plan_legs(model)]
    past = ", when it is past everything" if model.root.plan is None and model.root.until is None else ""
    return _list_names(said, "; ") + past
