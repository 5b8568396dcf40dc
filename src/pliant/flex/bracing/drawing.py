"""A braced structure as a motion: how it flexes now, and the line along which it gives the most."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pliant.core.motion import Mark, Motion
from pliant.core.plot import Plot, Series
from pliant.flex.bracing.result import BraceResult
from pliant.flex.drawing import motion as flex_motion
from pliant.flex.problem.loads import measure


def motion(result: BraceResult) -> Motion:
    """The flex after bracing, with the pair of vertices that gives the most as drawn."""
    flexed = flex_motion(result.after)
    if result.pair is None:
        return flexed
    span = Mark("segment", np.array(result.pair.points), group="span")
    return replace(flexed, marks=(*flexed.marks, span))


def plots(result: BraceResult) -> dict[str, Plot]:
    """The flex by beams."""
    if not result.beams:
        return {}
    scale, unit = measure(result.model, result.model.study.for_command("flex"))
    flex = scale * np.array([result.beams[0].before, *(added.after for added in result.beams)])
    count = np.arange(len(flex), dtype=np.float64)
    label = f"flex ({unit})" if unit else "flex"
    return {"flex": Plot("Flex by beams", "beams", label, (Series("flex", count, flex, "bars"),))}
