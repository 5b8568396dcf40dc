"""A fastener's answer in words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from pliant.core.store import opening, sayable
from pliant.core.written import listed, vector_text
from pliant.snap.faults import ROOT
from pliant.snap.force.peak import ForcePeak, certified_peak, is_provable, peak_of
from pliant.snap.force.sizing import ramps, strains
from pliant.snap.force.snap_trajectory import SnapEvent, SnapTrajectory, finite_or_none
from pliant.snap.model import Fastener, Pawl
from pliant.snap.questions.diode.critical_direction import CriticalDirection
from pliant.snap.questions.knife_edge import KnifeEdge
from pliant.snap.questions.uncertainty import Band
from pliant.snap.result import SnapResult
from pliant.snap.springs.spring import stiffness_of
from pliant.snap.start.remarks import remarks
from pliant.snap.status import SnapStatus
from pliant.snap.sweep.plan import plan_legs

FIRST, LAST = 30, 10  # events told of many
ROUNDING = 1e-9  # of the travel


def summary(result: SnapResult) -> str:
    """A sentence, then the figures."""
    return "\n".join([sentence(result), *lines(result)])


def sentence(result: SnapResult) -> str:
    """What it does, in one sentence with its figures; of a knife's edge, in one for each side."""
    edge, unit = result.knife_edge, result.model.units
    if edge is None:
        return _with_overstrain(_both_ways_text(result.way_in, result.way_back, unit), result)
    phrase = " on the way back" if edge.corners.back else ""
    met = f"On a knife's edge: {edge.corners} after {edge.corners.travel:.4g} {unit}{phrase}"
    sides = (
        f"A hair {side.where}, it {_lower_first(_both_ways_text(side.way_in, side.way_back, unit))}"
        for side in edge.sides
    )
    return _with_overstrain(" ".join([f"{met}, and what follows depends on the side.", *sides]), result)


def _with_overstrain(said: str, result: SnapResult) -> str:
    """A sentence, with the beams that are strained too far."""
    over = [
        f"{name} by {100 * strain.peak:.3g} % of {100 * strain.limit:.3g} %"
        for name, strain in strains(result.model, result.ways).items()
        if strain.limit is not None and strain.exceeds
    ]
    return f"{said[:-1]}; overstrains {', '.join(over)}." if over else said


def _lower_first(text: str) -> str:
    return text[0].lower() + text[1:]


def _both_ways_text(way_in: SnapTrajectory, way_back: SnapTrajectory | None, unit: str) -> str:
    inwards = _insertion(way_in, unit)
    if way_back is None:
        return f"{inwards}."
    back = "come back" if way_in.status is SnapStatus.THROUGH else "come out"
    return f"{inwards}; {_retention(way_back, unit, back)}."


def _insertion(trajectory: SnapTrajectory, unit: str) -> str:
    match trajectory.status:
        case SnapStatus.THROUGH:
            return f"Goes all the way, {trajectory.travel:.4g} {unit}, with {force(trajectory.peak)}"
        case SnapStatus.NEVER_TOUCHES:
            return f"Touches nothing in {trajectory.travel:.4g} {unit}"
        case SnapStatus.SEATED:
            seat = f"until the root sits on {_seat_name(trajectory)} after {trajectory.travel:.4g} {unit}"
            return f"Goes in with {force(trajectory.peak)}, {seat}"
        case SnapStatus.EVENT_LIMIT:
            return f"The limit of events was reached after {trajectory.travel:.4g} {unit}"
        case _:
            remark = _lock_remark(trajectory, "go in")
            return f"Does not go in: {_blocking_text(trajectory, unit)} on the way in{remark}"


def _retention(trajectory: SnapTrajectory, unit: str, back: str) -> str:
    comes = back.replace("come", "comes")
    match trajectory.status:
        case SnapStatus.THROUGH:
            return f"{comes} with {force(trajectory.peak)}"
        case SnapStatus.NEVER_TOUCHES:
            return f"{comes} freely"
        case SnapStatus.SEATED:
            seat = _seat_name(trajectory)
            return f"does not {back}: the root meets {seat} after {trajectory.travel:.4g} {unit}"
        case SnapStatus.EVENT_LIMIT:
            return "the limit of events was reached on the way back"
        case _:
            remark = _lock_remark(trajectory, back)
            return f"does not {back}: {_blocking_text(trajectory, unit)} into the way back{remark}"


def _blocking_text(trajectory: SnapTrajectory, unit: str) -> str:
    where = f"{trajectory.travel:.3g} {unit}"
    who = _pawl_name(trajectory)
    match trajectory.status:
        case SnapStatus.STUCK:
            return f"friction locks {who} {where}"
        case SnapStatus.STOPPED:
            return f"{who} comes to its stop and jams {where}"
        case SnapStatus.DEAD_CENTRE:
            return f"{who} is at a dead centre and could turn either way, {where}"
        case _:
            return f"{who} jams between its contacts {where}"


def _pawl_name(trajectory: SnapTrajectory) -> str:
    """The pawl that ended it; where it is the only one its name is enough."""
    name, alone = trajectory.last.by, len(trajectory.last.paths.keys() - {ROOT}) == 1
    return f"the {name}" if alone or name.endswith("pawl") else f"the {name} pawl"


def _lock_remark(trajectory: SnapTrajectory, what: str) -> str:
    if trajectory.status is SnapStatus.STUCK and trajectory.last.paths[trajectory.last.by].cause != "lock":
        return " (no force bends its beam further)"
    if trajectory.status is not SnapStatus.STUCK or trajectory.threshold is None:
        return ""
    friction = trajectory.threshold.value
    without = f"below μ = {friction:.4g}" if friction > 0 else "without any friction"
    return (
        f" (it would {what} {without})"
        if trajectory.passes
        else f" ({without} it would get further, and jam)"
    )


def _seat_name(trajectory: SnapTrajectory) -> str:
    hits = [event for event in trajectory.events if event.pawl == ROOT]
    if not hits or not hits[-1].contacts:
        return "an obstacle"
    contact = hits[-1].contacts[0]
    return contact.edge_of if contact.vertex_of == ROOT else contact.vertex_of


def force(value: float) -> str:
    """A force in newtons."""
    return f"{value:.4g} N" if math.isfinite(value) else "a force without bound"


def lines(result: SnapResult) -> Iterator[str]:
    """The figures."""
    if result.knife_edge is not None:
        yield from _side_lines(result.knife_edge, result.model.units)
    yield from _trajectory_lines("way in", result.way_in, result)
    if result.way_back is not None:
        yield from _trajectory_lines("way back", result.way_back, result)
    yield from _strains(result)
    yield from _answers(result)
    for remark in result.remarks:
        yield f"  {'note':<18} {remark}"


def _side_lines(edge: KnifeEdge, unit: str) -> Iterator[str]:
    """Either side of a knife's edge; the ways that follow are those of the one that goes in."""
    for side in edge.sides:
        offset = ", ".join(f"{float(value):g}" for value in side.offset)
        locks = side.way_in.threshold
        bound = "" if locks is None else f", locks from μ = {locks.value:.4g}"
        ended = f"{side.way_in.status.sentence}, after {side.way_in.travel:.4g} {unit}"
        yield f"  {'started aside':<18} by ({offset}) {unit}: {ended}{bound}"
    yield f"  {'as drawn':<18} {edge.drawn.status.sentence}, after {edge.drawn.travel:.4g} {unit}"


def alerts(result: SnapResult) -> Iterator[str]:
    """What a designer must notice beside how the way in ended, in a few words each."""
    for name, strain in strains(result.model, result.ways).items():
        if strain.limit is not None and strain.exceeds:
            yield f"{name} overstrained: {100 * strain.peak:.3g} % of {100 * strain.limit:.3g} %"
    if result.way_back is not None and result.way_back.blocked:
        yield f"{result.way_back.status.name.lower().replace('_', ' ')} on the way back"


def _strains(result: SnapResult) -> Iterator[str]:
    """Of the beams, against what they may have."""
    of = {pawl.name: pawl.beam.material for pawl in result.model.pawls if pawl.beam is not None}
    for name, strain in strains(result.model, result.ways).items():
        limit = "no limit is given"
        if strain.limit is not None:
            verb = "more than" if strain.exceeds else "of"
            limit = f"{verb} the {100 * strain.limit:.3g} % that {of[name] or 'it'} may have"
        yield f"  {'peak strain':<18} {100 * strain.peak:.3g} %, {limit} ({name})"


def _answers(result: SnapResult) -> Iterator[str]:
    unit = result.model.units
    if result.study.classify:
        yield f"  {'motion diode':<18} {_class(result)}"
        for entry in result.diode.critical if result.diode is not None else ():
            yield f"  {'outcome changes':<18} {_changes(entry, result.study.arithmetic)}"
    if result.outcomes is not None:
        for band in result.outcomes.bands:
            yield f"  {'starts aside':<18} {band.low:.6g} to {band.high:.6g} {unit}: {_band(band)}"
    for margin in result.margins:
        low = f"{'from' if margin.low_ends else 'at least from'} {margin.low:.6g}"
        high = f"{'to' if margin.high_ends else 'at least to'} {margin.high:.6g}"
        yield f"  {'same events':<18} {margin.name} {low} {high} (now {margin.value:.6g})"
    if result.design is not None:
        design = result.design
        values = ", ".join(f"{name} = {float(value):.6g}" for name, value in design.values.items())
        met = "meets the goal" if design.met else "nearest to the goal"
        figures = [f"in {force(design.insertion)}", f"out {force(design.retention)}"]
        for name, strain in design.strains.items():
            limit = "" if strain.limit is None else f" of {100 * strain.limit:.3g} %"
            figures.append(f"strain {100 * strain.peak:.3g} %{limit} ({name})")
        yield f"  {'design':<18} {values}: {', '.join(figures)}; {met}"


def _band(band: Band) -> str:
    """What becomes of starts beside each other."""
    came = band.outcome
    if came.inside:
        return f"{came.by} is inside {came.inside} there, not followed"
    touch = "touches nothing" if band.contact is None else f"first {band.contact}"
    return f"{touch}; {_ends(came.cause, came.by)}"


ENDS = {
    "until": "goes all the way",
    "jam": "jams",
    "lock": "friction locks",
    "stop": "comes to its stop",
    "dead centre": "is at a dead centre",
}


def _ends(cause: str, by: str) -> str:
    if by == ROOT:
        return "the root sits down"
    said = ENDS.get(cause, cause)
    if not by:
        return said
    return f"{said} {by}" if cause == "lock" else f"{by} {said}"


def _class(result: SnapResult) -> str:
    """What kind of motion diode it is."""
    diode = result.diode
    if diode is None:
        return "none: it does not go in"
    if diode.motion == "none":
        return f"none: it comes out with {force(diode.bound)}, no more than it takes to go in ({diode.tried})"
    against = diode.bound if diode.motion == "total" else diode.bound_reversed
    bound = f", up to {force(against)}" if diode.cause == "force" else ""
    return f"{diode.motion} {diode.cause} diode{bound} ({diode.tried})"


def _changes(entry: CriticalDirection, arithmetic: str) -> str:
    """At which direction, exactly or between which two."""
    degrees = f"at {math.degrees(entry.angle):.6g}°"
    if entry.exact:
        return f"{degrees}, along {entry.exact} exactly"
    (x, y), (p, q) = entry.between
    by = "exact sweeps" if arithmetic == "exact" else "floats"
    return f"{degrees}, between ({x}, {y}) and ({p}, {q}), tried by {by}"


def _trajectory_lines(title: str, trajectory: SnapTrajectory, result: SnapResult) -> Iterator[str]:
    unit = result.model.units
    yield f"  {title:<18} {trajectory.status.sentence}, after {trajectory.travel:.6g} {unit}"
    peak = None if trajectory.blocked else peak_of(result.model, trajectory)
    if peak is not None:
        yield from _peak_lines(trajectory, peak, result)
    if trajectory.threshold is not None:
        yield f"  {'locks from':<18} μ = {trajectory.threshold.value:.6g} ({trajectory.threshold.pawl})"
    rows = [
        _event(event, trajectory, unit)
        for event in (*trajectory.events[:FIRST], *trajectory.events[FIRST:][-LAST:])
    ]
    if (left := len(trajectory.events) - len(rows)) > 0:
        rows.insert(FIRST, f"    … {left} more …")
    yield from rows


def _peak_lines(trajectory: SnapTrajectory, peak: ForcePeak, result: SnapResult) -> Iterator[str]:
    """The greatest force, to the digits asked for, and what the handbook has for it."""
    unit, digits = result.model.units, result.digits
    bounded = math.isfinite(trajectory.peak)
    where = f"after {trajectory.peak_at[1]:.4g} {unit}"
    yield f"  {'peak force':<18} {force(trajectory.peak)} {where}, work {trajectory.work:.4g} N·{unit}"
    if digits and bounded and is_provable(result.model, peak):
        proved = certified_peak(result.model, peak, digits).text(digits)
        yield f"  {'proved':<18} {proved} N, enclosed by interval arithmetic at an exact t by the peak"
    elif digits and bounded:
        yield f"  {'proved':<18} nothing: the force of a bent beam is found by floats"
    for name, ramp in ramps(result.model, trajectory).items():
        drawn, bent, slope = (math.degrees(angle) for angle in (ramp.angle, ramp.bent, abs(ramp.slope)))
        why = f"the nose has turned by {slope:.3g}°, and its ramp is at {bent:.3g}°"
        if abs(bent - drawn) < 0.05:
            why = f"the nose has turned by {slope:.3g}°"
        if next(pawl for pawl in result.model.pawls if pawl.name == name).preload:
            why = f"it is preloaded, which no handbook counts, and {why}"
        said = f"{force(ramp.handbook)} for the ramp of {drawn:.3g}° as drawn"
        yield f"  {'handbook':<18} {said}; here {force(ramp.found)}, as {why} ({name})"


def _event(event: SnapEvent, trajectory: SnapTrajectory, unit: str) -> str:
    touching = f": {event.contacts[0]}" if event.contacts else ""
    degrees = math.degrees(event.angle)
    travel = event.travel if abs(event.travel) > ROUNDING * trajectory.travel else 0.0
    return f"    {travel:10.6g} {unit}  {event.pawl:<8} {event.kind:<18} {degrees:8.3f}°{touching}"


# Plain data


def plain_data(result: SnapResult) -> dict[str, Any]:
    """All of a result as lists and numbers, for JSON."""
    back, edge, outcomes = result.way_back, result.knife_edge, result.outcomes
    data = {
        **opening("fastener", "snap", result.status, sentence(result), result.seconds, result.model),
        "arithmetic": result.study.arithmetic,
        **{key: value for key, value in _plain_trajectory(result, result.way_in).items() if key != "status"},
        "strain": {name: strain.to_dict() for name, strain in strains(result.model, result.ways).items()},
        "back": None if back is None else _plain_trajectory(result, back),
        "knife_edge": None if edge is None else edge.to_dict(),
        "diode": None if result.diode is None else result.diode.to_dict(),
        "outcomes": None if outcomes is None else outcomes.to_dict(),
        "margins": [margin.to_dict() for margin in result.margins],
        "design": None if result.design is None else result.design.to_dict(),
        "remarks": list(result.remarks),
    }
    return {**sayable(data), "motion": result.motion.to_dict()}


def in_radians(_result: SnapResult) -> tuple[str, ...]:
    """Key paths of the plain data that are angles."""
    beams = ("strain.*.slope", *(f"*ramps.*.{key}" for key in ("angle", "slope", "bent")))
    sectors = ("*sectors.*.first", "*sectors.*.last")
    return ("*events.*.angle", "*end.angles.*", "*critical.*.angle", "*directions.*.angle", *sectors, *beams)


def _plain_trajectory(result: SnapResult, trajectory: SnapTrajectory) -> dict[str, Any]:
    """A way, with what is worked out from its peak."""
    asked = result.digits and math.isfinite(trajectory.peak_force)
    peak = peak_of(result.model, trajectory) if asked else None
    proved = None
    if peak is not None and is_provable(result.model, peak):
        proved = certified_peak(result.model, peak, result.digits).to_dict(result.digits)
    every = ramps(result.model, trajectory)
    handbook = dict(zip(every, finite_or_none([ramp.handbook for ramp in every.values()]), strict=True))
    beams = {name: ramp.to_dict() for name, ramp in every.items()}
    return {**trajectory.to_dict(), "peak_certified": proved, "handbook": handbook, "ramps": beams}


# Of a model


def part_count(model: Fastener) -> int:
    """Pawls, obstacles, and the root that carries the pawls where it is drawn."""
    return len(model.pawls) + len(model.obstacles) + (model.root.outline is not None)


def describe(model: Fastener) -> Iterator[tuple[str, str]]:
    """What a fastener holds, a line each, and what is odd about it."""
    yield "pawls", listed([_pawl_text(model, pawl) for pawl in model.pawls], "; ")
    corners = sum(len(model.outline(obstacle)) for obstacle in model.obstacles)
    yield "obstacles", f"{len(model.obstacles)}, {corners} vertices in all"
    yield "root", "a hinge only" if model.root.outline is None else f"{len(model.root.outline)} vertices"
    yield "plan", _plan_text(model)
    yield "friction", f"{float(model.friction):.6g}"
    if model.variables:
        yield "variables", ", ".join(variable.name for variable in model.variables)
    asked = ("reverse", "classify", "uncertain", "stability", "search")
    yield "study", ", ".join(key for key in asked if getattr(model.study, key)) or "the way in"
    said = remarks(model)
    for number, remark in enumerate(said, 1):
        yield "note" if len(said) == 1 else f"note {number}", remark


def _pawl_text(model: Fastener, pawl: Pawl) -> str:
    spring = f"{float(stiffness_of(model, pawl)):.6g} N·{model.units}/rad"
    beam = "" if pawl.beam is None else f", a beam of {pawl.beam.material or 'its own modulus'}"
    return f"{pawl.name} at {vector_text(map(float, pawl.hinge))}, {spring}{beam}"


def _plan_text(model: Fastener) -> str:
    said = [
        f"{vector_text(map(float, leg.velocity))} for t = {float(leg.until):.6g}" for leg in plan_legs(model)
    ]
    past = ", when it is past everything" if model.root.plan is None and model.root.until is None else ""
    return listed(said, "; ") + past
