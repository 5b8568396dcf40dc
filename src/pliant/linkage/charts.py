"""A linkage's run as charts."""

from __future__ import annotations

import numpy as np

from pliant.core.plot import Plot, Series
from pliant.linkage.result import TraceResult

MOST = 15  # bars in a chart


def plots(result: TraceResult) -> dict[str, Plot]:
    """Every chart there is something to show in."""
    unit = result.model.units
    factor, name, of = result.scale
    angles, axis = factor * result.angles, f"{name} ({of})"
    paths = [(name, result.poses.x[result.number(name)]) for name in result.traced]
    charts = {
        "coordinates": Plot(
            "Coordinates of the traced joints",
            axis,
            f"position ({unit})",
            tuple(
                Series(f"{axis} of {name}", angles, path[c])
                for name, path in paths
                for c, axis in enumerate("xy")
            ),
        ),
        "speed": Plot(
            "Speed of the traced joints",
            axis,
            f"speed ({unit}/s)",
            tuple(Series(name, angles, result.speed(name)) for name in result.traced),
        ),
    }
    if result.transmissions:
        charts["transmission"] = _transmission(result, angles, axis)
    if result.forces is not None:
        from pliant.linkage.analysis.statics import torque_plot

        charts["torque"] = torque_plot(result.forces)
    if result.bands:
        charts["bands"] = _bands(result, angles, axis)
        charts["sensitivity"] = _sensitivity(result)
    return charts


def _transmission(result: TraceResult, angles: np.ndarray, axis: str) -> Plot:
    series = [
        Series(", ".join(one.joints), angles, np.degrees(one.angles)) for one in result.transmissions[:MOST]
    ]
    bound = np.full(len(angles), np.degrees(result.study.transmission))
    more = len(result.transmissions) - MOST
    return Plot(
        "Transmission angles",
        axis,
        "angle between the bars (deg)",
        (*series, Series("bound", angles, bound)),
        note=f"{MOST} of {len(result.transmissions)} joints" if more > 0 else "",
    )


def _bands(result: TraceResult, angles: np.ndarray, axis: str) -> Plot:
    series = [
        Series(f"{name}, {what}", angles, width)
        for name, band in result.bands.items()
        for what, width in (("worst case", band.worst), ("3σ", band.statistical))
    ]
    title = "Half widths of the tolerance bands"
    return Plot(title, axis, f"across the curve ({result.model.units})", tuple(series))


def _sensitivity(result: TraceResult) -> Plot:
    """Each dimension's largest effect on any traced joint, the strongest first."""
    numbers = [result.number(name) for name in result.traced]
    slopes = result.sensitivities[:, numbers]
    most = np.hypot(slopes[:, :, 0], slopes[:, :, 1]).max(axis=2)
    order = np.argsort(-most.max(axis=1))[:MOST]
    place = np.arange(len(order), dtype=np.float64)
    names = [dimension.name for dimension in result.dimensions]
    return Plot(
        "How far a unit of each dimension moves the traced joints",
        "dimension",
        "largest displacement per unit",
        tuple(Series(name, place, most[order, c], "bars") for c, name in enumerate(result.traced)),
        ticks=tuple(names[d] for d in order),
        note=f"{len(order)} of {len(names)} dimensions" if len(names) > len(order) else "",
    )
