"""A mechanism's run as charts, and the signals that go along with its motion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.motion import Signal
from pliant.core.plot import Plot, Series
from pliant.relax.assemble.rows import path
from pliant.relax.report import force_unit
from pliant.relax.solvers.record import scale

if TYPE_CHECKING:
    from pliant.relax.result import RelaxResult

DRIVE = "drive (%)"
FINE = 2000  # iterations beyond which a chart shows the largest residual of several
MOST = 15  # lines in a chart
ROUNDING = 1e-9  # of the force scale: less is no force
DRIVEN = 4  # lengths and angles that are signals
UNKNOWNS = 600  # beyond which singular values along the drive take too long


def plots(result: RelaxResult) -> dict[str, Plot]:
    """Every chart there is something to show in."""
    charts = {"errors": _errors(result)}
    if result.history:
        charts["iterations"] = _iterations(result)
    if _small(result) and result.singular_values.any():
        values = Series("", 100 * result.shares, result.singular_values.copy())
        title = "How far from a singular pose"
        charts["singular"] = Plot(title, DRIVE, "smallest singular value", (values,))
    if result.model.actuators:
        charts["actuators"] = _actuators(result)
    carried = _carried_forces(result)
    if carried:
        charts["forces"] = Plot("What elements carry", DRIVE, "force (N), positive pulls", carried)
    if result.study.trace:
        charts["coordinates"] = _coordinates(result)
    return charts


def signals(result: RelaxResult) -> dict[str, Signal]:
    """Along the drive: what drives, what is left, what does not hold, and how near a singular pose is."""
    force = force_unit(result.model)
    figures = {
        "residual": Signal(force, np.array([frame.residual for frame in result.frames])),
        "length error": Signal(result.model.units, result.assessment.length_errors.copy()),
        "internal load": Signal(force, result.assessment.loads.copy()),
    }
    if _small(result) and result.singular_values.any():
        figures["smallest singular value"] = Signal("", result.singular_values.copy())
    driven = {**_lengths(result), **_angles(result)}
    return {**driven, **_drives(result), **figures} if len(driven) <= DRIVEN else figures


def _drives(result: RelaxResult) -> dict[str, Signal]:
    """Forces and torques of what is driven, where they are known."""
    if not force_unit(result.model):
        return {}
    return {
        f"{'torque' if one.torque else 'force'} of {one.name}": Signal(
            f"N·{result.model.units}" if one.torque else "N", one.values.copy()
        )
        for one in result.forces
        if one.name.startswith(("actuator ", "rotor ", "cylinder "))
    }


def _carried_forces(result: RelaxResult) -> tuple[Series, ...]:
    """Forces along the drive of what carries most; none where they are not known, or are rounding."""
    if not force_unit(result.model) or len(result.frames) < 2:
        return ()
    some = [one for one in result.forces if not one.torque]
    some.sort(key=lambda one: -float(np.abs(one.values).max()))
    bound = ROUNDING * scale(result.network)
    strong = [one for one in some[:MOST] if np.abs(one.values).max() > bound]
    return tuple(Series(one.name, 100 * result.shares, one.values.copy()) for one in strong)


def _small(result: RelaxResult) -> bool:
    """Whether singular values along the drive are quickly found."""
    return int(result.network.free.sum()) * result.network.drawn.shape[1] <= UNKNOWNS


def _lengths(result: RelaxResult) -> dict[str, Signal]:
    """Of actuators, as they are."""
    number = {name: k for k, name in enumerate(result.model.nodes)}
    places = result.points
    named: dict[str, Signal] = {}
    for first, second in (actuator.nodes for actuator in result.model.actuators):
        apart = np.linalg.norm(places[:, number[second]] - places[:, number[first]], axis=1)
        named[f"length of {first}-{second}"] = Signal(result.model.units, apart)
    return named


def _angles(result: RelaxResult) -> dict[str, Signal]:
    """Of rotors, as they are asked for."""
    named: dict[str, Signal] = {}
    for rotor in result.model.rotors:
        asked = np.degrees(path(0.0, rotor.to))
        along = np.interp(result.shares, np.linspace(0, 1, len(asked)), asked)
        named[f"angle at {rotor.joint}"] = Signal("deg", along)
    return named


def _errors(result: RelaxResult) -> Plot:
    drive = 100 * result.shares
    unit = force_unit(result.model)
    residual = np.array([frame.residual for frame in result.frames])
    rows = {
        f"largest residual{_in(unit)}": residual,
        f"largest length error{_in(result.model.units)}": result.assessment.length_errors,
        f"internal load{_in(unit)}": result.assessment.loads,
    }
    series = tuple(Series(name, drive, _positive(values)) for name, values in rows.items())
    return Plot("What is left along the drive", DRIVE, "residual, error, load", series, y_scale="log")


def _iterations(result: RelaxResult) -> Plot:
    """Residuals of every iteration, and length errors at the frames.

    Source: [Lipson2006] Fig. 7 (a).
    """
    residuals = np.concatenate(result.history)
    step = -(-len(residuals) // FINE)
    starts = np.arange(0, len(residuals), step)
    largest = np.maximum.reduceat(residuals, starts) if len(residuals) else residuals
    at = np.array([frame.iterations for frame in result.frames], np.float64)
    unit = force_unit(result.model)
    series = (
        Series(f"largest residual{_in(unit)}", np.arange(1.0, len(residuals) + 1, step), _positive(largest)),
        Series(
            f"largest length error{_in(result.model.units)}", at, _positive(result.assessment.length_errors)
        ),
    )
    note = f"each point is the largest of {step} iterations" if step > 1 else ""
    return Plot("Coming to rest", "iteration", "residual, error", series, y_scale="log", note=note)


def _actuators(result: RelaxResult) -> Plot:
    lengths = _lengths(result)
    series = (
        Series(name.removeprefix("length of "), 100 * result.shares, signal.values.copy())
        for name, signal in list(lengths.items())[:MOST]
    )
    note = f"{MOST} of {len(lengths)} actuators" if len(lengths) > MOST else ""
    return Plot("Lengths of the actuators", DRIVE, f"length ({result.model.units})", tuple(series), note=note)


def _coordinates(result: RelaxResult) -> Plot:
    series = tuple(_traced_series(result))
    return Plot("Coordinates of the traced nodes", DRIVE, f"position ({result.model.units})", series)


def _traced_series(result: RelaxResult) -> Iterator[Series]:
    number = {name: k for k, name in enumerate(result.model.nodes)}
    for name in result.study.trace:
        for axis, values in zip("xyz", result.points[:, number[name]].T, strict=False):
            yield Series(f"{axis} of {name}", 100 * result.shares, values.copy())


def _positive(values: Floats) -> Floats:
    """With gaps where a logarithmic scale has no place: what is 0."""
    return np.where(values > 0, values, np.nan)


def _in(unit: str) -> str:
    return f" ({unit})" if unit else ""
