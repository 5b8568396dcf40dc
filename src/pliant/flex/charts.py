"""Charts of a flex result: the objective by step, and each joint's share of the linear estimate."""

from __future__ import annotations

import numpy as np

from pliant.core.plot import Plot, Series
from pliant.flex.problem.loads import measure
from pliant.flex.result import FlexResult


def plots(result: FlexResult) -> dict[str, Plot]:
    """The objective by step, and each joint's share where there are any."""
    charts = {"progress": _progress_plot(result)}
    if result.contacts:
        charts["shares"] = _share_plot(result)
    return charts


def _progress_plot(result: FlexResult) -> Plot:
    steps = np.arange(len(result.frames.accepted), dtype=np.float64)
    scale, unit = measure(result.model, result.study)
    reached = scale * result.frames.objective[result.frames.accepted]
    series = [Series("reached", steps, reached)]
    if result.linear is not None:
        series.append(Series("linear estimate", steps, np.full(len(steps), scale * result.linear)))
    label = f"objective ({unit})" if unit else "objective"
    return Plot("Objective by step", "step", label, tuple(series))


def _share_plot(result: FlexResult, most: int = 15) -> Plot:
    shown = result.contacts[:most]
    place = np.arange(len(shown), dtype=np.float64)
    share = np.array([contact.share for contact in shown])
    ranges = [contact.share_range or (contact.share, contact.share) for contact in shown]
    low, high = np.array(ranges).T
    return Plot(
        "Each joint's share of the linear estimate",
        "joint",
        "share",
        (Series("share", place, share, "bars", low=low.copy(), high=high.copy()),),
        ticks=tuple(contact.name for contact in shown),
        note=f"{len(shown)} of {len(result.contacts)} joints" if len(result.contacts) > most else "",
    )
