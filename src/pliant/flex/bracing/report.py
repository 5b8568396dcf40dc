"""A braced structure in words and plain data."""

from __future__ import annotations

from typing import Any

from pliant.core.store import sayable
from pliant.core.written import figure, vector_text
from pliant.flex.bracing.result import BraceResult
from pliant.flex.report import flex_text, opening
from pliant.flex.report import sentence as flex_sentence
from pliant.flex.status import BraceStatus


def summary(result: BraceResult) -> str:
    """A sentence, then the beams one by one, and where it gives the most now."""
    rows = [
        f"  beam {number:<13} {added.beam.ends[0]} to {added.beam.ends[1]}, {len(added.beam.cells)} cells: "
        f"{flex_text(result.model, added.before, 4)} to {flex_text(result.model, added.after, 4)} "
        f"(best of {added.tried})"
        for number, added in enumerate(result.beams, 1)
    ]
    if result.pair is not None:
        ends = zip(result.pair.points, result.pair.bodies, strict=True)
        both = " and ".join(f"{vector_text(point, digits=4)} of {name}" for point, name in ends)
        part = "part" if result.pair.change > 0 else "approach"
        by = f"{figure(abs(result.pair.change), digits=4)} {result.model.units}"
        rows.append(f"  gives the most     {both} {part} by {by}")
    return "\n".join([sentence(result), *rows])


def sentence(result: BraceResult) -> str:
    """What the beams did."""
    before, after = (flex_text(result.model, one.objective, 4) for one in (result.before, result.after))
    limit = flex_text(result.model, result.study.flex_limit or 0.0, 4)
    count = f"{len(result.beams)} beam{'s' * (len(result.beams) != 1)}"
    done = f"{count} take{'s' * (len(result.beams) == 1)} the flex from {before} to {after}"
    sentences = {
        BraceStatus.MET: f"{done}, within {limit}.",
        BraceStatus.BRACED: f"{done}.",
        BraceStatus.SHORT: f"{done}, beyond {limit}.",
        BraceStatus.NO_BEAM: f"No beam makes the flex of {before} less.",
        BraceStatus.ADVISED: f"The flex is {before}; its parts are no cells on a grid: no beam was added.",
        BraceStatus.UNFIT: f"Nothing to brace: {flex_sentence(result.before)}",
        BraceStatus.INTERRUPTED: f"Stopped with {count}.",
    }
    if result.status is BraceStatus.MET and not result.beams:
        return f"The flex of {before} is within {limit} without a brace."
    return sentences[result.status]


def in_radians(result: BraceResult) -> tuple[str, ...]:
    """Key paths of the plain data that are angles."""
    flexes = ("limit", "before", "after", "beams.*.before", "beams.*.after")
    return flexes if result.model.study.for_command("flex").angular else ()


def to_dict(result: BraceResult) -> dict[str, Any]:
    """Everything, as JSON has it."""
    pair = result.pair
    data = {
        **opening(result, "brace"),
        "limit": result.study.flex_limit,
        "before": result.before.objective,
        "after": result.after.objective,
        "beams": [
            {
                "ends": list(added.beam.ends),
                "cells": [list(cell) for cell in added.beam.cells],
                "before": added.before,
                "after": added.after,
            }
            for added in result.beams
        ],
        "pair": None if pair is None else {
            "bodies": list(pair.bodies),
            "points": [list(point) for point in pair.points],
            "before": pair.before,
            "after": pair.after,
        },
    }  # fmt: skip
    return {**sayable(data), "motion": result.motion.to_dict()}
