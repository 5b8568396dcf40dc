"""The play of a point along its curve as a picture: the parts at each angle, and a band around the curve."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import shapely

from pliant.core.arrays import Floats
from pliant.core.motion import Event, Mark, Motion, Signal
from pliant.core.plot import Plot, Series
from pliant.flex.model import held_bodies
from pliant.flex.play.result import CurvePlay, PlayResult

READABLE = 0.04  # of the curve's size: a band whose median width is less is magnified to about that
WIDEST = 0.25  # of the curve's size: no place of the band is magnified beyond that
MOST = 8  # joints in a chart


def curve_motion(result: PlayResult, curve: CurvePlay) -> Motion:
    """One frame an angle: the curve, the band of all that the point reaches, and its reach there."""
    held, _ = held_bodies(result.model)
    unit, factor = result.model.units, magnification(curve)
    events = (
        ()
        if curve.stopped is None
        else (Event(float(np.degrees(curve.stopped[0])), curve.stopped[1], "stop"),)
    )
    return Motion(
        axis=f"angle of {curve.drive}",
        unit="°",
        values=np.degrees(curve.angles),
        title=result.model.title,
        length_unit=unit,
        bodies=tuple(body.name for body in result.model.bodies),
        shapes=result.shapes,
        body_shapes=result.shape_of,
        fixed=np.array([body.name in held for body in result.model.bodies]),
        poses=curve.poses,
        marks=(*_curve_marks(curve, factor), *_reach_marks(curve, factor)),
        signals={
            "play across": Signal(unit, _finite(curve.widths[:, 0])),
            "play along": Signal(unit, _finite(curve.widths[:, 1])),
        },
        events=events,
    )


def magnification(curve: CurvePlay) -> float:
    """By how much the play is drawn larger than it is: 1, 2 or 5 times a power of ten."""
    width = curve.widths[:, 0]
    width = width[np.isfinite(width) & (width > 0)]
    if not len(width):
        return 1.0
    size = float(np.ptp(curve.curve, axis=0).max())
    wanted = min(READABLE * size / float(np.median(width)), WIDEST * size / float(width.max()))
    if wanted <= 1:
        return 1.0
    power = 10.0 ** np.floor(np.log10(wanted))
    return float(power * max(step for step in (1, 2, 5) if step * power <= wanted))


def _curve_marks(curve: CurvePlay, factor: float) -> list[Mark]:
    name = f"{curve.body}, play × {factor:g}" if factor != 1 else curve.body
    marks = [Mark("polygon", ring, text=name, group="band") for ring in band_rings(curve, factor)]
    return [*marks, Mark("curve", curve.curve, text=name, group="trace")] if len(curve.curve) > 1 else marks


def _reach_marks(curve: CurvePlay, factor: float) -> list[Mark]:
    """Where the point gets at each angle, shown in its own frame."""
    marks: list[Mark] = []
    for frame, (at, outline) in enumerate(zip(curve.curve, curve.outlines, strict=True)):
        hull = shapely.convex_hull(
            shapely.multipoints(at + factor * outline[np.isfinite(outline).all(axis=1)])
        )
        if isinstance(hull, shapely.Polygon) and not hull.is_empty:
            ring = shapely.get_coordinates(hull)
            marks.append(Mark("curve", ring, frame, group="reach"))
    return marks


def band_rings(curve: CurvePlay, factor: float) -> list[Floats]:
    """What the point covers as the drive turns, the play magnified: closed rings, holes joined by seams."""
    reach = [
        shapely.multipoints(at + factor * outline)
        for at, outline in zip(curve.curve, curve.outlines, strict=True)
        if np.isfinite(outline).all()
    ]
    pieces = [shapely.convex_hull(shapely.union(one, other)) for one, other in pairwise(reach)]
    whole = shapely.union_all(pieces)
    return [_seamed(part) for part in shapely.get_parts(whole) if isinstance(part, shapely.Polygon)]


def _seamed(polygon: shapely.Polygon) -> Floats:
    """One ring of a polygon with holes: each hole is gone round from the nearest place of the outside."""
    ring = shapely.get_coordinates(polygon.exterior)
    for hole in polygon.interiors:
        inner = shapely.get_coordinates(hole)
        away = np.hypot(*np.moveaxis(ring[:, None] - inner[None], -1, 0))
        outside, inside = np.unravel_index(int(np.argmin(away)), away.shape)
        around = np.concatenate([inner[inside:-1], inner[: inside + 1]])
        ring = np.concatenate([ring[: outside + 1], around, ring[outside:]])
    return ring


def curve_plots(result: PlayResult, curve: CurvePlay) -> dict[str, Plot]:
    """The play over the angle, and each joint's share in that across the curve."""
    if not len(curve.angles):
        return {}
    at, unit = np.degrees(curve.angles), result.model.units
    squares = np.sqrt((curve.across_parts**2).sum(axis=1))
    series = [
        ("across", curve.widths[:, 0]),
        ("along", curve.widths[:, 1]),
        ("across, root sum squares", squares),
    ]
    play = Plot(
        f"Play of {curve.body} along its curve",
        f"angle of {curve.drive} (°)",
        f"play ({unit})",
        tuple(
            Series(name, at, _finite(values), "dashed" if "root" in name else "line")
            for name, values in series
        ),
    )
    return {
        "play": play,
        "shares": _shares_plot(curve, "across"),
        "shares along": _shares_plot(curve, "along"),
    }


def _shares_plot(curve: CurvePlay, way: str) -> Plot:
    shares = curve.shares if way == "across" else curve.along_shares
    at = np.degrees(curve.angles)
    series = tuple(
        Series(name, at, 100 * share) for name, share in zip(curve.joints[:MOST], shares.T, strict=False)
    )
    more = f"{MOST} of {len(curve.joints)} joints" if len(curve.joints) > MOST else ""
    title, axis = f"Each joint's share of the play {way}", f"angle of {curve.drive} (°)"
    return Plot(title, axis, "share (%)", series, note=more)


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)
