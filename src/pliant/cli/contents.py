"""What a model holds, a line each; it goes as far as a solve goes, for what that would refuse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pliant.files.kinds import Model
    from pliant.flex.model import Assembly, Term
    from pliant.linkage.model import Linkage
    from pliant.linkage.plan import Plan

RULES = 6  # of a linkage, that are told


def contents(model: Model) -> Iterator[tuple[str, str]]:
    """What is in a model, or an InputError."""
    return _assembly(model) if model.kind == "assembly" else _linkage(model)


def _assembly(model: Assembly) -> Iterator[tuple[str, str]]:
    from pliant.flex.parts import compile_parts
    from pliant.flex.system import compile_system

    study = model.study.for_command("flex")
    if study.maximize:
        compile_system(model, study)
    parts = compile_parts(model)
    fixed = sum(body.fixed for body in model.bodies)
    yield "bodies", f"{len(model.bodies)}, {fixed} of them fixed"
    corners = [sum(map(len, parts.shapes[shape])) for shape in parts.shape_of]
    yield "outlines", f"{len(parts.shapes)} different, {sum(corners)} vertices in all"
    if model.clearance:
        yield "clearance", f"{model.clearance:g} {model.units}"
    for key in ("pins", "keep", "sights", "limits"):
        if found := getattr(model, key):
            yield key, str(len(found))
    terms = [_term(term) for term in study.maximize]
    wanted = " + ".join([*terms[:3], *(["…"] if len(terms) > 3 else [])])
    yield "maximize", wanted or 'nothing yet: add [study] maximize, or use "pliant flex --move"'


def _term(term: Term) -> str:
    if term.direction is not None:
        return f"{term.body} along ({term.direction[0]:g}, {term.direction[1]:g})"
    if term.spin is not None:
        return f"{term.body} turning {'counter-clockwise' if term.spin * term.weight >= 0 else 'clockwise'}"
    if term.radial is not None:
        return f"everything away from ({term.radial[0]:g}, {term.radial[1]:g})"
    return f"everything towards {term.gather}"


def _linkage(model: Linkage) -> Iterator[tuple[str, str]]:
    from pliant.linkage.mobility import freedoms, grubler
    from pliant.linkage.plan import compile_plan

    plan = compile_plan(model)
    yield "joints", f"{len(model.joints)}, {len(model.ground)} of them on the ground"
    yield "links", str(len(model.links))
    yield "ground", ", ".join(model.ground)
    yield "motors", ", ".join(f"{motor.joint} turns {motor.drives}" for motor in model.motors)
    for key in ("sliders", "loads"):
        if found := getattr(model, key):
            yield key, str(len(found))
    free, counted = freedoms(plan), grubler(plan.structure)
    yield "mobility", f"{free}" if free == counted else f"{free}, though Grübler counts {counted}"
    yield "order", _order(plan)
    yield "trace", ", ".join(model.study.trace) or "every joint that ends a link, or all that move"


def _order(plan: Plan) -> str:
    """The rules that find the joints, one after the other."""
    found = [step for step in plan.describe() if step["rule"] != "fixed"]
    said = [_rule(step) for step in found[:RULES]]
    return "; ".join([*said, *([f"and {len(found) - RULES} more"] if len(found) > RULES else [])])


def _rule(step: dict[str, Any]) -> str:
    if step["rule"] == "coupled":
        return f"{', '.join(step['joints'])} by equations" + " together" * (len(step["joints"]) > 1)
    known = step["from"][:1] if step["rule"] == "slider" else step["from"]  # the rest carry its line
    return f"{step['joint']} {_FOUND[step['rule']]} {', '.join(known)}"


_FOUND = {
    "motor": "by the motor at",
    "triangle": "by its distances from",
    "point": "on the link of",
    "slider": "along its line, from",
}
