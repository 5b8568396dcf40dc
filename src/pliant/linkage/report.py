"""A linkage's run in words and in plain figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pliant.core.store import opening, sayable
from pliant.core.written import figure, listed, vector_text
from pliant.linkage.analysis import curves
from pliant.linkage.kinematics.mobility import compile_plan, freedoms, grubler
from pliant.linkage.kinematics.poses import jacobian
from pliant.linkage.kinematics.reach import DRAWN_IN, INFINITE, UNFINISHED, ChangePoint, MotionLimit
from pliant.linkage.model import Linkage
from pliant.linkage.result import TraceNotice, TraceResult
from pliant.linkage.status import TraceStatus
from pliant.linkage.structure.rule_plan import RulePlan

MOST = 20_000_000  # sensitivities that are computed without being asked for


def warnings(result: TraceResult) -> Iterator[TraceNotice]:
    """Limits and change points with their angles, then what else should be known."""
    for limit in result.reached.limits:
        text = f"the motor can go no further: {_limit_text(limit)}"
        yield TraceNotice(_angle(result, limit.t), text, "infinity" if limit.how == INFINITE else "limit")
    for change in result.reached.changes:
        text = f"change point: {change.joint} can go on in two ways; here {_change_text(change)}"
        yield TraceNotice(_angle(result, change.t), text, "change point")
    for one in result.transmissions:
        if one.worst < result.study.transmission and not result.reached.changes and result.limits is None:
            text = f"the transmission angle at {', '.join(one.joints)} is {_degrees_text(one.worst)}"
            yield TraceNotice(
                one.at[0], f"{text}, below {_degrees_text(result.study.transmission)}", "transmission"
            )
    if result.plan.redundancy:
        owners = ", ".join(dict.fromkeys(result.plan.redundant.owners))
        count = result.plan.redundancy
        text = f"{count} equation{'s' if count > 1 else ''} more than needed, among {owners}"
        fit = "they fit all the way" if result.status is not TraceStatus.LOCKED else "they do not fit"
        yield TraceNotice(None, f"{text}: {fit} (by at most {result.error:.2g} off)", "redundant")
        if result.study.tolerance is not None or result.study.tolerances:
            text = "no tolerance bands: with more equations than needed, one wrong length locks it"
            yield TraceNotice(None, text, "tolerances")


def alerts(result: TraceResult) -> Iterator[str]:
    """What a designer must notice of a linkage that runs, in a few words each."""
    if any(notice.kind == "transmission" for notice in result.warnings) and result.toggle is not None:
        yield f"transmission {np.degrees(result.toggle.worst):.3g}°"


def summary(result: TraceResult) -> str:
    """How it runs in a sentence, then the figures."""
    return "\n".join([_sentence(result), *_lines(result)])


def _sentence(result: TraceResult) -> str:
    """How it runs, in one sentence."""
    stops = result.reached.limits
    match result.status:
        case TraceStatus.RUNS:
            return f"Runs {_span(result)}."
        case TraceStatus.CHANGE_POINTS:
            count = len(result.reached.changes)
            where = ", ".join(
                _travel_text(result, _angle(result, change.t)) for change in result.reached.changes[:4]
            )
            return (
                f"Runs {_span(result)}, but through {count} change point{'s' if count > 1 else ''} "
                f"(at {where}), where it may go on in two ways."
            )
        case TraceStatus.LIMITED | TraceStatus.UNBOUNDED | TraceStatus.WORK_LIMIT:
            if result.reached.high < 0:
                at = _travel_text(result, _angle(result, stops[0].t))
                return f"Cannot be brought to where it shall run: at {at} {_limit_text(stops[0])}."
            low, high = result.limits or (0.0, 0.0)
            why = "; ".join(
                f"at {_travel_text(result, _angle(result, stop.t))} {_limit_text(stop)}" for stop in stops
            )
            reach = f"from {_travel_text(result, low)} to {_travel_text(result, high)}"
            return f"Runs {reach} of the motor, counted from the drawn pose: {why}."
        case TraceStatus.LOCKED:
            return f"Locked: the links agree as drawn, but are off by {result.error:.4g} when it moves."
        case TraceStatus.LOST:
            at = [
                f"{_limit_text(stop)} at {_travel_text(result, _angle(result, stop.t))}" for stop in stops[:1]
            ]
            return f"Not followed: {(*at, f'the links are off by {result.error:.4g} on the way')[0]}."


def _lines(result: TraceResult) -> list[str]:
    """The figures behind the sentence."""
    unit = result.model.units
    lines = [
        f"  {notice.text}{_place_text(result, notice)}"
        for notice in result.warnings
        if notice.kind not in ("limit", "infinity")
    ]
    lines.append(f"  mobility           {result.freedoms} ({result.grubler} by Grübler's count)")
    lines += [f"  {'loop':<18} {loop.describe()}" for loop in result.loops[:4]]
    for group in result.plan.groups:
        lines.append(f"  found together     {', '.join(result.plan.joint_names(group))}")
    if result.toggle is not None:
        least = result.toggle
        where = f"{', '.join(least.joints)} at {_travel_text(result, least.at[0])}"
        lines.append(f"  transmission       at least {_degrees_text(least.worst)}: {where}")
    for name, run in result.tracks.items():
        lines.append(f"  {f'curve of {name}':<18} {_curve(run, unit, result.plan.structure.size)}")
    low, high, size = result.swept.box.low, result.swept.box.high, result.plan.structure.size
    lines.append(f"  takes up           {vector_text(low, size)} to {vector_text(high, size)} {unit}")
    lines += [*_tolerances(result), *_loads(result)]
    if result.study.layers:
        lines += [f"  {'layers':<18} {text}" for text in result.layers.describe()]
    lines.append(f"  lengths            kept to {result.error:.2g} {unit} at {len(result.t)} poses")
    return lines


def to_dict(result: TraceResult) -> dict[str, Any]:
    """Everything, as JSON has it; what takes much room only where it was asked for."""
    data: dict[str, Any] = {
        **opening("linkage", "trace", result.status, str(result.status), result.seconds, result.model),
        "angles": result.angles.tolist(),
        "absolute": result.absolute.tolist(),
        "joints": {name: path.tolist() for name, path in result.joints.items()},
        "order": result.plan.describe(),
        "limits": None if result.limits is None else list(result.limits),
        "warnings": [vars(notice).copy() for notice in result.warnings],
        "length_error": result.error,
        **_figures(result),
    }
    for key, arrays in (("velocity", result.velocities), ("acceleration", result.accelerations)):
        if getattr(result.study, key):
            data[key] = {name: arrays[k].T.tolist() for k, name in enumerate(result.model.joints)}
    if result.study.jacobian:
        d = jacobian(result.poses)
        data["jacobian"] = {
            name: np.moveaxis(d[result.number(name)], 3, 0).tolist() for name in result.traced
        }
    return {**sayable(data), "motion": result.motion.to_dict()}


def in_radians(result: TraceResult) -> tuple[str, ...]:
    """Key paths of the plain data that are angles: of the first motor, unless it is a linear one."""
    arms = [f"absolute[{k}]" for k, motor in enumerate(result.model.motors) if not motor.linear]
    always = (*arms, "transmission.*.worst")
    if result.model.motors[0].linear:
        return always
    at = ("ends.*.angle", "warnings.*.angle", "transmission.*.at", "forces.peaks.*.angle")
    return (*always, "angles", "limits", *at)


def _figures(result: TraceResult) -> dict[str, Any]:
    """What was found out about the run, as JSON has it."""
    data: dict[str, Any] = {
        "ends": [
            {"angle": _angle(result, stop.t), "joints": list(stop.joints), "how": stop.how}
            for stop in result.reached.limits
        ],
        "mobility": {"freedoms": result.freedoms, "grubler": result.grubler},
        "loops": [loop.describe() for loop in result.loops],
        "transmission": [
            {"joints": list(one.joints), "worst": one.worst, "at": list(one.at), "margin": one.margin}
            for one in result.transmissions
        ],
        "curves": {name: _track_figures(run) for name, run in result.tracks.items()},
        "swept": {
            "box": [list(result.swept.box.low), list(result.swept.box.high)],
            "hull": result.swept.hull.tolist(),
            "area": result.swept.area,
        },
        "forces": None if result.forces is None else result.forces.to_dict(),
    }
    if not result.plan.redundancy and result.poses.x.size * len(result.dimensions) <= MOST:
        data["sensitivity"] = {name: _table(result, name) for name in result.traced}
    if result.bands:
        data["bands"] = {
            name: {
                "worst": band.worst.tolist(),
                "statistical": band.statistical.tolist(),
                "worst_along": band.worst_along.tolist(),
                "statistical_along": band.statistical_along.tolist(),
            }
            for name, band in result.bands.items()
        }
    if result.study.layers:
        data["layers"] = result.layers.to_dict()
    if result.study.centres:
        data["centres"] = [
            {
                "links": list(pair.links),
                "points": pair.points.tolist(),
                "finite": pair.finite.tolist(),
                "moving": pair.moving.tolist(),
            }
            for pair in result.centres
        ]
    return data


def _track_figures(run: curves.Track) -> dict[str, Any]:
    """Length, area, box, speeds and time ratio of a path, as JSON has them."""
    top, ratio, around = curves.top_speed(run), curves.time_ratio(run), curves.box(run)
    return {
        "length": curves.length(run),
        "area": curves.area(run),
        "box": [list(around.low), list(around.high)],
        "top_speed": {"speed": top.speed, "time": top.t},
        "dwell": curves.dwell(run),
        "time_ratio": ratio.ratio,
        "time_ratio_reason": ratio.reason,
    }


def _table(result: TraceResult, name: str) -> dict[str, float]:
    """How far a unit of each dimension moves a point at most, by dimension."""
    slopes = result.sensitivities[:, result.number(name)]
    most = np.hypot(slopes[:, 0], slopes[:, 1]).max(axis=1)
    return {dimension.name: float(much) for dimension, much in zip(result.dimensions, most, strict=True)}


def _tolerances(result: TraceResult) -> Iterator[str]:
    for name, band in result.bands.items():
        for direction, worst, usual in (
            ("across the curve", band.worst, band.statistical),
            ("along it", band.worst_along, band.statistical_along),
        ):
            title = f"band of {name}" if direction != "along it" else ""
            most = f"± {worst.max():.4g} {result.model.units} at worst, ± {usual.max():.4g} at 3σ"
            yield f"  {title:<18} {most}, {direction}"
        ranked = sorted(_table(result, name).items(), key=lambda entry: -entry[1])[:3]
        most = ", ".join(f"{dimension} ({much:.3g})" for dimension, much in ranked)
        yield f"  {'':<18} most by {most} per unit"


def _loads(result: TraceResult) -> Iterator[str]:
    if result.forces is not None:
        for peak in result.forces.peaks[:4]:
            unit = f"N·{result.model.units}" if peak.kind == "torque" else "N"
            what = f"{peak.kind} at {peak.name}"
            yield f"  {what:<18} at most {peak.value:.4g} {unit}, at {_travel_text(result, peak.angle)}"


def _curve(run: curves.Track, unit: str, size: float) -> str:
    area, around = curves.area(run), curves.box(run)
    low, high = around.low, around.high
    length = curves.length(run)
    there_and_back = area is None or abs(area) <= 1e-9 * length**2
    encloses = "" if there_and_back else f", encloses {abs(area or 0.0):.6g} {unit}²"
    ratio = curves.time_ratio(run).ratio
    strokes = "" if ratio is None else f", time ratio {ratio:.4g}"
    # At a limit velocities grow without end, and the last digit of six is what the cells there make of that.
    long = figure(length, digits=6 if run.period is not None else 5)
    return f"{long} {unit} long, {vector_text(low, size)} to {vector_text(high, size)}{encloses}{strokes}"


def _span(result: TraceResult) -> str:
    if result.drive.closed and result.limits is None:
        turns = result.model.motors[0].turns
        return "all the way round" if turns == 1 else f"{turns:g} turns"
    low, high = (_travel_text(result, float(end)) for end in (result.angles.min(), result.angles.max()))
    return f"from {low} to {high}"


def _change_text(change: ChangePoint) -> str:
    if change.beyond is not None:
        return "they go straight on" if "," in change.joint else "it goes straight on"
    return "it crosses to the other side" if change.crossed else "it keeps its side"


def _limit_text(stop: MotionLimit) -> str:
    one = len(stop.joints) == 1
    words = {
        INFINITE: f"run{'s' * one} off to infinity",
        "square": "turns no further: its slot is square to its pin",
        DRAWN_IN: "meet: their strut has no length left",
        UNFINISHED: f"{'was' if one else 'were'} followed no further",
        "on one line": "can be anywhere: the lines it slides along are one",
    }
    usual = f"{'is' if one else 'are'} {stop.how}"
    return f"{', '.join(stop.joints)} {words.get(stop.how, usual)}"


def _place_text(result: TraceResult, notice: TraceNotice) -> str:
    return "" if notice.angle is None else f" at {_travel_text(result, notice.angle)}"


def _travel_text(result: TraceResult, angle: float) -> str:
    """An angle of the first motor, or its travel."""
    linear = result.model.motors[0].linear
    return (
        f"{figure(angle, result.plan.structure.size)} {result.model.units}"
        if linear
        else _degrees_text(angle)
    )


def _angle(result: TraceResult, t: float) -> float:
    return float(result.drive.angles(np.array([t]))[0, 0])


def _degrees_text(angle: float) -> str:
    return f"{figure(np.degrees(angle), 360.0)}°"


# Of a model


def part_count(model: Linkage) -> int:
    """Links of a linkage, its ground not counted."""
    return len(model.links)


def describe(model: Linkage) -> Iterator[tuple[str, str]]:
    """What a linkage holds, a line each, and the order in which its joints are found."""
    plan = compile_plan(model)
    yield "joints", f"{len(model.joints)}, {len(model.ground)} of them on the ground"
    yield "links", str(len(model.links))
    yield "ground", ", ".join(model.ground)
    yield "motors", ", ".join(motor.label for motor in model.motors)
    for key in ("sliders", "loads"):
        if entries := getattr(model, key):
            yield key, str(len(entries))
    free, counted = freedoms(plan), grubler(plan.structure)
    yield "mobility", f"{free}" if free == counted else f"{free}, though Grübler counts {counted}"
    yield "order", _order(plan)
    yield "trace", ", ".join(model.study.trace) or "every joint that ends a link, or all that move"


def _order(plan: RulePlan) -> str:
    """The rules that find the joints, one after the other."""
    hidden = {plan.structure.names[k] for k in plan.structure.guide_points}
    steps = [step for step in plan.describe() if step["rule"] != "fixed" and step.get("joint") not in hidden]
    return listed([_rule(step) for step in steps], "; ")


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
