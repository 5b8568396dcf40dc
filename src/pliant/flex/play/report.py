"""A play result in words and plain data."""

from __future__ import annotations

from math import degrees, isfinite
from typing import Any

import numpy as np

from pliant.core.motion import plain
from pliant.core.store import sayable
from pliant.core.written import figure, vector_text
from pliant.flex.play.curve_report import curve_dict, curve_rows, curve_sentence
from pliant.flex.play.ellipsoid import Ellipsoid
from pliant.flex.play.result import BodyPlay, PlayedEnd, PlayRange, PlayResult, PointPlay
from pliant.flex.play.stack_up import StackUp
from pliant.flex.report import opening
from pliant.flex.status import FlexStatus, PlayStatus

DIGITS = 4  # programs are solved to a ten-thousandth
LISTED = 12  # bodies and joints in a summary


def summary(result: PlayResult) -> str:
    """A sentence, then the table of bodies, or the stack-up of the one asked about."""
    if result.curve is not None:
        rows = curve_rows(result.curve, result.model.units)
    else:
        rows = _point_rows(result, result.point) if result.point else _body_rows(result)
    return "\n".join([sentence(result), *rows])


def sentence(result: PlayResult) -> str:
    """The largest play, or why there is none to speak of."""
    unit, point, loosest = result.model.units, result.point, result.loosest
    if result.curve is not None:
        return curve_sentence(result.curve, unit)
    without = {
        PlayStatus.OVERLAPPING: f'{str(result.status).capitalize()}: "pliant flex" says where.',
        PlayStatus.VIOLATED: f'{str(result.status).capitalize()}: "pliant flex" says where.',
        PlayStatus.SOLVER_FAILED: f"No solver could solve a linear program of the play ({result.note}).",
        PlayStatus.INTERRUPTED: f"Stopped: {len(result.bodies)} bodies were measured.",
    }
    if result.status in without:
        return without[result.status]
    if point is not None:
        return _point_sentence(result, point)
    free = [body.name for body in result.bodies if body.free]
    if free:
        more = f", and {len(free) - 6} more" if len(free) > 6 else ""
        return f"Free: nothing bounds the play of {', '.join(free[:6])}{more}, to first order."
    if loosest is None:
        return "Nothing moves."
    return (
        f"{loosest.name} has the most play: {_span(loosest.x)} {unit} in x, {_span(loosest.y)} {unit} in y, "
        f"{_turn_span(loosest.turn)} of turn."
    )


def _point_sentence(result: PlayResult, point: PointPlay) -> str:
    back, ahead = point.played
    what = "turns" if point.direction is None else f"moves along {vector_text(point.direction, digits=3)}"
    ends = f"{_played(result, point, back, -1)} to {_played(result, point, ahead, 1)}"
    blamed = point.stack_up.parts[0] if point.stack_up and point.stack_up.parts else None
    most = f"; {blamed.name} is {blamed.share:.0%} of it" if blamed else ""
    return f"{point.body} {what} from {ends}{most}."


def _played(result: PlayResult, point: PointPlay, end: PlayedEnd, sign: int) -> str:
    if end.status is FlexStatus.FREE or end.status is FlexStatus.TURNING:
        return "without end"
    return _amount(result, point, sign * end.distance)


def _amount(result: PlayResult, point: PointPlay, value: float) -> str:
    """A value along the direction asked about, with its unit."""
    if not isfinite(value):
        return "no bound"
    if point.direction is None:
        return f"{figure(degrees(value), digits=DIGITS)}°"
    return f"{figure(value, digits=DIGITS)} {result.model.units}"


def _span(span: PlayRange) -> str:
    return figure(span[1] - span[0], digits=DIGITS) if isfinite(span[1] - span[0]) else "no bound"


def _turn_span(span: PlayRange) -> str:
    return (
        f"{figure(degrees(span[1] - span[0]), digits=DIGITS)}°" if isfinite(span[1] - span[0]) else "no bound"
    )


def _body_rows(result: PlayResult) -> list[str]:
    """The loosest bodies, one a line."""
    ordered = sorted(result.bodies, key=lambda body: -body.travel)[:LISTED]
    if not ordered:
        return []
    unit = result.model.units
    cells = [("body", f"x ({unit})", f"y ({unit})", "turn (°)")]
    cells += [(body.name, _ends(body.x), _ends(body.y), _ends(body.turn, degrees)) for body in ordered]
    widths = [max(len(row[k]) for row in cells) for k in range(4)]
    lines = [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    more = len(result.bodies) - len(ordered)
    return [*lines, *([f"  and {more} more with less"] if more else [])]


def _ends(span: PlayRange, unit: Any = float) -> str:
    low, high = (figure(unit(end), digits=DIGITS) if isfinite(end) else "∞" for end in span)
    return f"{low if low.startswith('-') or low == '0' else '-' + low} … {high}"


def _point_rows(result: PlayResult, point: PointPlay) -> list[str]:
    low, high = (_amount(result, point, end) for end in point.linear)
    rows = [f"  linear estimate    {low} to {high}"]
    if point.stack_up is not None:
        rows += _stack_rows(result, point, point.stack_up)
    if point.ellipsoid is not None:
        rows += _ellipsoid_rows(result, point.ellipsoid)
    return rows


def _stack_rows(result: PlayResult, point: PointPlay, stack: StackUp) -> list[str]:
    def both(low: float, high: float) -> str:
        return f"{_amount(result, point, low)} to {_amount(result, point, high)}"

    rows = [
        f"  worst case         {both(-stack.worst[0], stack.worst[1])}, all joints at once",
        f"  root sum squares   {both(-stack.rss[0], stack.rss[1])}",
        f"  Monte Carlo        {both(*stack.percentiles)} hold 99.73 % of {stack.draws:,} draws",
    ]
    for part in stack.parts[:LISTED]:
        if part.share >= 5e-4:
            span = _share_range(part.share_range)
            rows.append(f"  {part.name:<18} {part.share:.1%}{span}")
    return rows


def _share_range(span: tuple[float, float] | None) -> str:
    if span is None:
        return ""
    low, high = (f"{100 * end:.1f}" for end in span)
    return f" (forward {low} to {high} %)" if low != high else ""


def _ellipsoid_rows(result: PlayResult, ellipsoid: Ellipsoid) -> list[str]:
    """The half axes, as the travel and turn at their ends."""
    rows: list[str] = []
    for axis in ellipsoid.axes:
        size = float(np.abs(axis).max())
        travel = vector_text(axis[:2], size=size, digits=3)
        spin = figure(degrees(axis[2] / ellipsoid.arm), size=degrees(size / ellipsoid.arm), digits=3)
        label = "flexibility" if not rows else ""
        rows.append(f"  {label:<18} ± {travel} {result.model.units} with ± {spin}°")
    if rows:
        rows.append(
            f"  {'':<18} half axes of the ellipsoid; a radian counts as "
            f"{ellipsoid.arm:.4g} {result.model.units}"
        )
    return rows


def in_radians(result: PlayResult) -> tuple[str, ...]:
    """Key paths of the plain data that are angles."""
    always = ("bodies.*.turn", "curve.angles", "curve.stopped.angle")
    if result.point is None or result.point.direction is not None:
        return always
    stack = ("worst", "rss", "deviation", "percentiles", "joints.*.forward", "joints.*.backward")
    return (*always, "point.linear", "point.played.*.distance", *(f"point.stack_up.{key}" for key in stack))


def to_dict(result: PlayResult) -> dict[str, Any]:
    """Everything, as JSON has it; None where nothing bounds a play."""
    data = {
        **opening(result, "play"),
        "gap": result.gap,
        "rows": result.rows,
        "columns": result.columns,
        "bodies": {body.name: _body_dict(body) for body in result.bodies},
        "point": None if result.point is None else _point_dict(result.point),
        "curve": None if result.curve is None else curve_dict(result.curve),
    }
    return {**sayable(data), "motion": result.motion.to_dict()}


def _body_dict(body: BodyPlay) -> dict[str, Any]:
    return {"x": _bounded(body.x), "y": _bounded(body.y), "turn": _bounded(body.turn)}


def _bounded(span: PlayRange) -> list[float | None]:
    return [end if isfinite(end) else None for end in span]


def _point_dict(point: PointPlay) -> dict[str, Any]:
    return {
        "body": point.body,
        "at": list(point.at),
        "direction": None if point.direction is None else list(point.direction),
        "linear": _bounded(point.linear),
        "played": [{"distance": end.distance, "status": end.status.name.lower()} for end in point.played],
        "outline": plain(point.outline),
        "stack_up": None if point.stack_up is None else _stack_dict(point.stack_up),
        "ellipsoid": None if point.ellipsoid is None else _ellipsoid_dict(point.ellipsoid),
    }


def _stack_dict(stack: StackUp) -> dict[str, Any]:
    return {
        "worst": list(stack.worst),
        "rss": list(stack.rss),
        "deviation": stack.deviation,
        "percentiles": list(stack.percentiles),
        "draws": stack.draws,
        "joints": [{**vars(part), "bodies": list(part.bodies)} for part in stack.parts],
    }


def _ellipsoid_dict(ellipsoid: Ellipsoid) -> dict[str, Any]:
    return {"centre": ellipsoid.centre.tolist(), "axes": ellipsoid.axes.tolist(), "arm": ellipsoid.arm}
