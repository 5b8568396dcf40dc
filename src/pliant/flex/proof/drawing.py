"""A proof as a picture: the motion of the witness, and the bound that it does not get to."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite

import numpy as np

from pliant.core.motion import Mark, Motion
from pliant.core.plot import Plot, Series
from pliant.core.pose import carry
from pliant.flex.drawing import motion as flex_motion
from pliant.flex.geometry.parts import compile_parts
from pliant.flex.problem.loads import measure
from pliant.flex.proof.result import ProofResult


def motion(result: ProofResult) -> Motion:
    """The motion of the witness; where one point is moved along a line, its bounds are marked."""
    shown = flex_motion(result.witness or result.flex)
    kept = [mark for mark in shown.marks if mark.group != "force"]
    return replace(shown, marks=(*kept, *_bound_marks(result)))


def _bound_marks(result: ProofResult) -> list[Mark]:
    """Lines across the way of the point that is moved: as far as it gets, and as far as anything could."""
    terms = result.model.study.for_command("flex").maximize
    if result.witness is None or len(terms) != 1 or terms[0].direction is None or not isfinite(result.upper):
        return []
    term, parts = terms[0], compile_parts(result.model)
    body = parts.index(term.body or "")
    local = parts.members.centre[parts.member(term.body or "")]
    if term.point is not None:
        local = parts.local(term.body or "", term.point)
    way = term.weight * np.array(term.direction)
    length = float(np.hypot(*way))
    start, across = carry(parts.drawn[body], local), np.array([-way[1], way[0]]) / length
    half = 0.5 * float(parts.radius[body])
    marks = [Mark("segment", np.stack([start, start + result.upper * way / length**2]), group="bound")]
    for value, text in ((result.lower, "lower"), (result.upper, "upper")):
        at = start + value * way / length**2
        line = np.stack([at - half * across, at + half * across])
        marks.append(Mark("segment", line, group="bound", text=text))
    return marks


def plots(result: ProofResult) -> dict[str, Plot]:
    """The objective along the witness, between the bounds."""
    if result.witness is None or not isfinite(result.upper):
        return {}
    scale, unit = measure(result.model, result.model.study.for_command("flex"))
    values = scale * result.witness.frames.objective
    frames = np.arange(len(values), dtype=np.float64)
    series = (
        Series("witness", frames, values),
        Series("upper bound", frames, np.full(len(values), scale * result.upper), "dashed"),
        Series("lower bound", frames, np.full(len(values), scale * result.lower), "dashed"),
    )
    label = f"objective ({unit})" if unit else "objective"
    return {"bounds": Plot("Flex between its bounds", "frame", label, series)}
