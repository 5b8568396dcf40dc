"""A mechanism's run in words."""

from __future__ import annotations

from collections.abc import Iterator
from math import degrees, isfinite
from typing import Any

import numpy as np

from pliant.core.store import opening, sayable
from pliant.core.written import listed, vector_text
from pliant.relax.checks.raw_data import ELEMENTS
from pliant.relax.diagnose.carried_forces import CarriedForce
from pliant.relax.model import Mechanism
from pliant.relax.result import RelaxResult
from pliant.relax.solvers.record import Branch, Notice
from pliant.relax.status import RelaxStatus

NOWHERE = 1e-8  # of the drive: a share that is its start
FEW = 4  # carriers that are named
FIRM = 1e-9  # of the stiffest way to move: a softest one that is held
NODES, MODES = 60, 6  # up to so many the ways to move are drawn


def force_unit(model: Mechanism) -> str:
    """N where stiffness or loads are given; else nothing is known of forces, and they measure errors."""
    given = model.stiffness or model.loads or model.gravity or model.fields
    return "N" if given or _elastic(model) else ""


def _elastic(model: Mechanism) -> bool:
    """Whether anything gives way: it rests where what is elastic balances, among its ways to move."""
    every = (element for _, value in model if isinstance(value, tuple) for element in value)
    return any(getattr(element, key, None) for element in every for key in ("stiffness", "modulus"))


def summary(result: RelaxResult) -> str:
    """A sentence, then the figures."""
    return "\n".join([sentence(result), *lines(result)])


def sentence(result: RelaxResult) -> str:
    """How it ended, in one sentence with its figure."""
    unit = result.model.units
    match result.status:
        case RelaxStatus.CONVERGED:
            where = " where asked" if _is_driven(result) else ""
            holds = f"every length holds to {result.length_error:.2g} {unit}"
            return f"Comes to rest{where}: {holds}; {_freedom_text(result)}."
        case RelaxStatus.LOCKED:
            at = result.assessment.locks_at
            where = "" if at is None else f" at {_percent(at)} of the drive"
            return f"Locks{where}: {_carriers(result)}."
        case RelaxStatus.DEAD_CENTRE:
            (notice,) = [one for one in result.assessment.notices if one.kind == "dead centre"][-1:]
            return f"Stands at {notice.text} (at {_percent(notice.share)} of the drive)."
        case RelaxStatus.OVER_CONSTRAINED:
            off = f"the lengths contradict each other by {result.assessment.length_errors[0]:.3g} {unit}"
            return f"Over-constrained as drawn: {off}; {_carriers(result)}."
        case RelaxStatus.BRANCH_DOUBTFUL:
            doubts = [notice for notice in result.assessment.notices if notice.kind in ("branch", "snap")]
            why = f": {_notice_text(doubts[0])}" if doubts else ""
            return f"Comes to rest, but perhaps in another assembly than the one drawn{why}."
        case RelaxStatus.NOT_CONVERGED:
            at = f"{_percent(result.frames[-1].share)} of the drive"
            force = _with(result.residual, force_unit(result.model))
            left = f"a residual of {force} is left at {at}"
            why = left if isfinite(result.residual) else f"no rest was found beyond {at}"
            return f"Did not come to rest: {why}, after {_effort(result)}."


ALERTS = {
    "unstable": "unstable",
    "soft": "lengths give way",
    "branch": "branch doubtful",
    "snap": "snaps through",
}  # by a notice's kind


def alerts(result: RelaxResult) -> Iterator[str]:
    """What a designer must notice beside the status, in a few words each."""
    known = {notice.kind for notice in result.assessment.notices}
    if result.status is RelaxStatus.BRANCH_DOUBTFUL:
        known.discard("branch")
    yield from (text for kind, text in ALERTS.items() if kind in known)


def lines(result: RelaxResult) -> Iterator[str]:
    """The figures behind the sentence."""
    unit, length = force_unit(result.model), result.model.units
    yield _line("method", f"{result.study.method}, {_effort(result)}, {len(result.frames)} frames")
    yield _line("residual", f"{_with(result.residual, unit)} at most on a node")
    worst = float(result.assessment.length_errors.max())
    yield _line("lengths", f"hold to {result.length_error:.2g} {length}, to {worst:.2g} {length} on the way")
    yield from _loads(result)
    yield from _forces(result)
    yield _line("freedoms", _freedoms(result))
    yield _line("assembly", "kept" if result.assembly_kept else "doubtful")
    yield from (_line(notice.kind, _notice_text(notice)) for notice in result.assessment.notices)
    yield from _ends(result)


def _line(key: str, text: str) -> str:
    return f"  {key:<18} {text}"


def _is_driven(result: RelaxResult) -> bool:
    """Whether anything changes along the drive."""
    drive = result.network.drive
    return any(
        bool(np.ptp(part, axis=0).any()) for part in (drive.rest, drive.goal, drive.loads) if part.size
    )


def _effort(result: RelaxResult) -> str:
    rescued = any(notice.kind == "fallback" for notice in result.assessment.notices)
    relaxed = result.study.method != "auto" or len(result.history) > 0
    counted = "factorisations and iterations" if rescued and not relaxed else "factorisations"
    return f"{result.iterations:,} {'iterations' if relaxed else counted}"


# Loads


def _carriers(result: RelaxResult) -> str:
    """What carries the internal load, the strongest first."""
    carriers = result.assessment.carriers
    if not carriers:
        return "nothing carries it at the end"
    named = [f"{name} ({_strength(result, name, force)})" for name, force in carriers[:FEW]]
    more = f" and {len(carriers) - FEW} more" if len(carriers) > FEW else ""
    return f"{', '.join(named)}{more} {'carries' if len(carriers) == 1 else 'carry'} it"


def _strength(result: RelaxResult, name: str, force: float) -> str:
    """A force; where forces are not known, the length or angle that does not hold, the stiffness being 1."""
    net = result.network
    if force_unit(result.model):
        return f"{abs(force):.4g} N"
    if name.startswith("rotor ") and name in net.coupling_names:
        at = net.coupling_names.index(name)
        arm = net.parts.couplings.factors[net.parts.couplings.firsts[at]]
        return f"off by {np.degrees(abs(force / arm)):.3g}°"
    return f"off by {abs(force):.3g} {result.model.units}"


def _loads(result: RelaxResult) -> Iterator[str]:
    if not result.assessment.carriers:
        yield _line("internal load", "none: nothing is locked")
        return
    for index, (name, force) in enumerate(result.assessment.carriers[: 2 * FEW]):
        how = "pulled" if force > 0 else "pressed"
        yield _line("internal load" if index == 0 else "", f"{name}: {_strength(result, name, force)}, {how}")
    if not force_unit(result.model):
        yield _line("", "no stiffness or load is given, so these measure errors, not forces")


DRIVEN = ("actuator ", "rotor ", "cylinder ", "string ", "wrap ")  # whose forces are told before others
FORCES, REACTIONS = 6, 3  # elements and grounds whose forces are told
TINY = 1e-5  # of the largest force or reaction: what is less may be rounding


def _forces(result: RelaxResult) -> Iterator[str]:
    """The largest force of what is driven and of what carries most, and the largest reactions."""
    if not force_unit(result.model) or result.assessment.carriers:
        return
    peaks = [(one, int(np.abs(one.values).argmax())) for one in result.forces]
    largest = max((abs(float(one.values[at])) for one, at in peaks if not one.torque), default=0.0)
    largest = max(largest, *(float(np.abs(values).max()) for values in result.reactions.values()), 0.0)
    some = [(one, at) for one, at in peaks if abs(float(one.values[at])) > TINY * largest]
    some.sort(key=lambda pair: (not pair[0].name.startswith(DRIVEN), _rank(pair[0].values[pair[1]], largest)))
    for index, (one, at) in enumerate(some[:FORCES]):
        value, share = float(one.values[at]), _percent(result.frames[at].share)
        yield _line(
            "forces" if index == 0 else "", f"{one.name} {_force_text(one, value, result)} at {share}"
        )
    if len(some) > FORCES:
        yield _line("", f"and {len(some) - FORCES} more")
    yield from _reactions(result, largest)


def _rank(force: float, largest: float) -> float:
    """The greater first; those that differ by rounding alone stay in the order of the model."""
    return -round(abs(float(force)) / (largest or 1.0), 5)


def _force_text(one: CarriedForce, value: float, result: RelaxResult) -> str:
    """What an element does with its force, in words."""
    if one.torque:
        return f"turns with {value:.4g} N·{result.model.units}"
    driven = one.name.startswith(DRIVEN)
    verb = ("pulls" if driven else "is pulled") if value > 0 else ("pushes" if driven else "is pressed")
    return f"{verb} {'' if driven else 'with '}{abs(value):.4g} N"


def _reactions(result: RelaxResult, largest: float) -> Iterator[str]:
    sizes = {name: np.linalg.norm(values, axis=1) for name, values in result.reactions.items()}
    some = [(name, int(size.argmax())) for name, size in sizes.items() if size.max() > TINY * largest]
    some.sort(key=lambda pair: _rank(sizes[pair[0]][pair[1]], largest))
    for index, (name, at) in enumerate(some[:REACTIONS]):
        vector = vector_text(result.reactions[name][at], largest)
        share = _percent(result.frames[at].share)
        text = f"{name} is held with {sizes[name][at]:.4g} N, {vector}, at {share}"
        yield _line("reactions" if index == 0 else "", text)


# Freedoms


def shows_freedoms(result: RelaxResult) -> bool:
    """Whether the ways to move can be told apart in a picture."""
    return len(result.model.nodes) <= NODES and 0 < len(result.freedom.modes) <= MODES


def _freedom_text(result: RelaxResult) -> str:
    """How many ways it can still move, and where to see them; or how stiff the softest is."""
    freedom = result.freedom
    if freedom.count and not freedom.second:
        return "no freedom left: a stress holds what is free to first order"
    soft = _least_stiffness(result)
    if soft and _elastic(result.model):
        return f"what is elastic holds it, the softest way to move with {soft}"
    elastic = " to what is elastic" if freedom.count and _elastic(result.model) else ""
    shown = " (drawn)" if shows_freedoms(result) else ""
    return f"{_count(freedom.second, 'freedom', freedom.exact)} left{elastic}{shown}"


def _least_stiffness(result: RelaxResult) -> str:
    """The stiffness of the softest way to move, where all of them have one."""
    freedom, model = result.freedom, result.model
    values = freedom.stiffness
    if not len(values) or freedom.rigid or not force_unit(model):
        return ""
    positive = values[0] > FIRM * abs(values).max()
    return f"{values[0]:.3g} N/{model.units}" if positive else ""


def _freedoms(result: RelaxResult) -> str:
    freedom = result.freedom
    rigid = f", {freedom.rigid} of them of the whole as one body" if freedom.rigid else ""
    spare = ""
    if freedom.redundant:
        spare = f"; {_count(freedom.redundant, 'length', freedom.exact)} more than needed"
    text = f"{_count(freedom.count, 'freedom', freedom.exact)} with the drive held{rigid}"
    if freedom.second < freedom.count:
        text += f" to first order, {freedom.second or 'none'} to second"
    soft = _least_stiffness(result)
    return text + spare + (f"; the softest way to move has a stiffness of {soft}" if soft else "")


def _count(number: int, what: str, exact: bool) -> str:
    least = "" if exact else "at least "
    return f"{least}{number or 'no'} {what}{'' if number <= 1 else 's'}"


# Where things end


def _ends(result: RelaxResult) -> Iterator[str]:
    number = {name: k for k, name in enumerate(result.model.nodes)}
    for name in result.study.trace:
        path = result.points[:, number[name]]
        length = float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())
        first, last = (vector_text(where, result.network.size) for where in (path[0], path[-1]))
        yield _line(name, f"from {first} to {last} {result.model.units}, {length:.6g} along its path")


def _notice_text(notice: Notice) -> str:
    return f"{notice.text} (at {_percent(notice.share)} of the drive)"


def _percent(share: float) -> str:
    return f"{100 * share if share > NOWHERE else 0:.3g} %"


def _with(value: float, unit: str) -> str:
    return f"{value:.2g} {unit}".rstrip()


def to_dict(result: RelaxResult) -> dict[str, Any]:
    """Plain lists and numbers, for JSON."""
    data = {
        **opening("mechanism", "relax", result.status, result.status.sentence, result.seconds, result.model),
        "method": result.study.method,
        "nodes": result.nodes,
        "iterations": result.iterations,
        "residual": result.residual,
        "length_error": result.length_error,
        "internal_load": result.internal_load,
        "carriers": [{"element": name, "force": force} for name, force in result.assessment.carriers],
        "locked": result.locked,
        "locks_at": result.assessment.locks_at,
        "ways": [_plain_branch(result, branch) for branch in result.assessment.ways],
        "assembly_kept": result.assembly_kept,
        "freedoms": result.freedoms,
        "stiffness": result.freedom.stiffness.tolist(),
        **_plain_forces(result),
        "warnings": [vars(notice).copy() for notice in result.assessment.notices],
        "path": {name: result.points[:, k].tolist() for k, name in enumerate(result.model.nodes)},
        "shares": result.shares.tolist(),
    }
    return {**sayable(data), "motion": result.motion.to_dict()}


def _plain_branch(result: RelaxResult, branch: Branch) -> dict[str, Any]:
    places = branch.x[: result.network.shown].tolist()
    return {"share": branch.share, "nodes": dict(zip(result.model.nodes, places, strict=True))}


def _plain_forces(result: RelaxResult) -> dict[str, Any]:
    """Forces and reactions, where they are known in newtons."""
    if not force_unit(result.model):
        return {"forces": {}, "torques": {}, "reactions": {}}
    return {
        "forces": {one.name: one.values.tolist() for one in result.forces if not one.torque},
        "torques": {one.name: one.values.tolist() for one in result.forces if one.torque},
        "reactions": {name: values.tolist() for name, values in result.reactions.items()},
    }


# Of a model


def part_count(model: Mechanism) -> int:
    """Elements of a mechanism, of every table."""
    return sum(len(getattr(model, key)) for key in ELEMENTS)


def describe(model: Mechanism) -> Iterator[tuple[str, str]]:
    """What a mechanism holds, a line each, and what moves it."""
    where = "in space" if model.dimension == 3 else "in the plane"
    yield "nodes", f"{len(model.nodes)} {where}, {len(model.ground)} of them on the ground"
    yield "ground", listed(model.ground) or "none: it floats"
    for key in (*ELEMENTS, "loads", "fields"):
        if entries := getattr(model, key):
            yield key, str(len(entries))
    yield "drive", listed(list(_drives(model)), "; ") or "nothing: it comes to rest as it is"
    yield "trace", ", ".join(model.study.trace) or "no node"
    yield "method", model.study.method


def _drives(model: Mechanism) -> Iterator[str]:
    """What moves a mechanism, each with where it goes in the end."""
    for what in ("actuator", "string", "spring", "wrap"):
        for element in getattr(model, f"{what}s"):
            if element.to is not None:
                yield f"{what} {'-'.join(element.nodes)} to {_last(element.to):.6g} {model.units}"
    for rotor in model.rotors:
        yield f"rotor at {rotor.joint} turns {rotor.arms[1]} by {degrees(_last(rotor.to)):.6g}°"
    for circuit in model.cylinders:
        if volume := _last(circuit.to):
            yield f"{volume:.6g} pumped into {', '.join('-'.join(line) for line in circuit.lines[:3])}"
    for load in model.loads:
        if load.to is not None:
            yield f"load on {load.node} to {vector_text(load.to)}"


def _last(to: float | tuple[float, ...]) -> float:
    return to[-1] if isinstance(to, tuple) else to
