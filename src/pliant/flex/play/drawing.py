"""A play result as a picture: every body coloured by its play, and what a point can reach."""

from __future__ import annotations

import numpy as np
import shapely

from pliant.core.arrays import Floats
from pliant.core.motion import Mark, Motion
from pliant.core.plot import Plot, Series
from pliant.flex.model import held_bodies
from pliant.flex.play.curve_drawing import curve_motion, curve_plots
from pliant.flex.play.result import PlayResult

MOST = 15  # joints in a chart


def motion(result: PlayResult) -> Motion:
    """The drawn pose, coloured by play (the larger width in x and y), or where the point asked about gets.

    Bodies that nothing bounds have no colour.
    """
    if result.curve is not None and len(result.curve.angles):
        return curve_motion(result, result.curve)
    bodies = result.model.bodies
    held, _ = held_bodies(result.model)
    measured = {body.name: body for body in result.bodies}
    travel, turn = (np.full((1, len(bodies)), np.nan) for _ in range(2))
    for place, body in enumerate(bodies):
        if body.name in held:
            travel[0, place] = turn[0, place] = 0.0
        elif body.name in measured:
            own = measured[body.name]
            travel[0, place], turn[0, place] = own.travel, np.degrees(own.turn[1] - own.turn[0])
    travel[~np.isfinite(travel)] = turn[~np.isfinite(turn)] = np.nan
    return Motion(
        axis="pose",
        unit="",
        values=np.zeros(1),
        title=result.model.title,
        length_unit=result.model.units,
        bodies=tuple(body.name for body in bodies),
        shapes=result.shapes,
        body_shapes=result.shape_of,
        fixed=np.array([body.name in held for body in bodies]),
        poses=np.array([[body.pose for body in bodies]], np.float64),
        body_scalars={f"play ({result.model.units})": travel, "play of the turn (deg)": turn},
        heat="" if result.point else f"play ({result.model.units})",
        marks=_marks(result),
    )


def _marks(result: PlayResult) -> tuple[Mark, ...]:
    """Where the point asked about gets to first order, as a closed curve around where it is drawn."""
    point = result.point
    if point is None or not np.isfinite(point.outline).all():
        return ()
    return (Mark("curve", np.array(point.at) + _hull(point.outline), group="reach"),)


def _hull(points: Floats) -> Floats:
    """The corners of the hull of points, the first again at the end."""
    return shapely.get_coordinates(shapely.convex_hull(shapely.multipoints(points)))


def plots(result: PlayResult) -> dict[str, Plot]:
    """Each joint's share in the play asked about, and how the play of the bodies is spread."""
    if result.curve is not None:
        return curve_plots(result, result.curve)
    charts = {"bodies": _bodies_plot(result)} if result.bodies else {}
    stack = result.point.stack_up if result.point else None
    if stack is not None and stack.parts:
        shown = stack.parts[:MOST]
        place = np.arange(len(shown), dtype=np.float64)
        charts["shares"] = Plot(
            "Each joint's share of the play",
            "joint",
            "share",
            (Series("share", place, np.array([part.share for part in shown]), "bars"),),
            ticks=tuple(part.name for part in shown),
            note=f"{len(shown)} of {len(stack.parts)} joints" if len(stack.parts) > MOST else "",
        )
    return charts


def _bodies_plot(result: PlayResult) -> Plot:
    ordered = sorted((body for body in result.bodies if not body.free), key=lambda body: -body.travel)[:MOST]
    place = np.arange(len(ordered), dtype=np.float64)
    series = [
        Series(name, place, np.array([span[1] - span[0] for span in spans], np.float64), "bars")
        for name, spans in (("x", [body.x for body in ordered]), ("y", [body.y for body in ordered]))
    ]
    return Plot(
        "Play of the loosest bodies",
        "body",
        f"width ({result.model.units})",
        tuple(series),
        ticks=tuple(body.name for body in ordered),
    )
