"""A search for a clearance as a picture: the motion at the clearance that was found, and the flex over it."""

from __future__ import annotations

import numpy as np

from pliant.core.motion import Motion
from pliant.core.plot import Plot, Series
from pliant.flex.drawing import motion as flex_motion
from pliant.flex.loosening.result import LoosenResult
from pliant.flex.problem.loads import measure


def motion(result: LoosenResult) -> Motion:
    """The motion at the clearance that was found, or at the smallest that was tried."""
    if result.at_clearance is None:
        return Motion(axis="pose", unit="", values=np.zeros(1), title=result.model.title)
    return flex_motion(result.at_clearance)


def plots(result: LoosenResult) -> dict[str, Plot]:
    """The flex over the clearance, with its limit."""
    bounded = [one for one in result.samples if np.isfinite(one.flex)]
    if not bounded:
        return {}
    at = np.array([one.clearance for one in bounded])
    scale, unit = measure(result.model, result.model.study.for_command("flex"))
    limit = np.full(len(at), scale * (result.study.flex_limit or 0.0))
    series = (
        Series("flex", at, scale * np.array([one.flex for one in bounded])),
        Series("limit", at, limit, "dashed"),
    )
    label = f"flex ({unit})" if unit else "flex"
    return {"flex": Plot("Flex by clearance", f"clearance ({result.model.units})", label, series)}
