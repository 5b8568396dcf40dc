"""A fastener with one of its variables changed."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from pliant.core.quantity import exact
from pliant.snap.arithmetic.half_angle import NONE
from pliant.snap.model import DesignVariable, Fastener, Move, Pawl
from pliant.snap.springs.beam import HINGE, cantilever
from pliant.snap.springs.spring import stiffness_of


def with_variables(model: Fastener, values: Mapping[str, Fraction]) -> Fastener:
    """The fastener with variables, by name, at other values; checked anew as a file would be."""
    data = model.model_dump(mode="python", exclude={"study"}, by_alias=True)
    for variable in model.variables:
        if variable.name in values:
            _set_variable(data, model, variable, values[variable.name])
    return Fastener.model_validate({**data, "study": model.study})


def present_value(model: Fastener, variable: DesignVariable) -> Fraction:
    """What a variable is in the model as it stands."""
    if variable.what == "friction":
        return model.friction
    if variable.what == "stiffness":
        return stiffness_of(model, _pawl(model, variable))
    if variable.what == "beam":
        return _dimension(model, variable)
    return Fraction(0)


def _dimension(model: Fastener, variable: DesignVariable) -> Fraction:
    """Of a beam, as it says or is drawn."""
    pawl = _pawl(model, variable)
    assert pawl.beam is not None
    if variable.dimension == "length":
        return Fraction(repr(cantilever(model, pawl).said))
    alike = {"tip_thickness": pawl.beam.thickness, "tip_width": pawl.beam.width}
    value = getattr(pawl.beam, variable.dimension or "")
    return Fraction(repr(alike[variable.dimension or ""] if value is None else value))


def _pawl(model: Fastener, variable: DesignVariable) -> Pawl:
    return next(pawl for pawl in model.pawls if pawl.name == variable.of)


def _set_variable(data: dict[str, Any], model: Fastener, variable: DesignVariable, value: Fraction) -> None:
    match variable.what:
        case "friction":
            data["friction"] = value
        case "stiffness":
            pawl = _entry(data, model, variable.of or "")
            pawl["stiffness"], pawl["beam"] = value, None
        case "beam":
            change = value - present_value(model, variable)
            pawl = _entry(data, model, variable.of or "")
            pawl["beam"] = {**pawl["beam"], variable.dimension or "": float(value)}
            if variable.dimension == "length":
                _stretch(model, _pawl(model, variable), pawl, change)
            for move in variable.moves:
                _move(data, model, move, change)
        case "hinge":
            pawl, along = _entry(data, model, variable.of or ""), variable.along or (0, 0)
            pawl["hinge"] = tuple(exact(x) + value * a for x, a in zip(pawl["hinge"], along, strict=True))
        case "vertices":
            for move in variable.moves:
                _move(data, model, move, value)


def _stretch(model: Fastener, pawl: Pawl, entry: dict[str, Any], change: Fraction) -> None:
    """Draw a beam longer: its root stays, its hinge keeps its share of the length, the nose goes on."""
    assert pawl.beam is not None
    axis = cantilever(model, pawl.model_copy(update={"rest": NONE})).axis
    x, y = (Fraction(value).limit_denominator(10_000) for value in axis)
    share = Fraction(repr(HINGE[pawl.beam.hinge]))
    a, b = map(exact, entry["hinge"])
    cosine, sine = pawl.rest.matrix
    entry["hinge"] = (
        a + change * share * (cosine * x - sine * y),
        b + change * share * (sine * x + cosine * y),
    )
    entry["outline"] = tuple(
        (p + change * by * x, q + change * by * y)
        for p, q in (map(exact, point) for point in entry["outline"])
        for by in (1 - share if p * x + q * y > 0 else -share,)
    )


def _entry(data: dict[str, Any], model: Fastener, name: str) -> dict[str, Any]:
    """The table of a pawl, an obstacle or the root."""
    if name == "root":
        return data["root"]
    for index, pawl in enumerate(model.pawls):
        if pawl.name == name:
            return _own_outline(data, data["pawls"], index)
    for index in range(len(model.obstacles)):
        if model.label(index) == name:
            return _own_outline(data, data["obstacles"], index)
    raise KeyError(name)


def _own_outline(data: dict[str, Any], parts: Any, index: int) -> dict[str, Any]:
    """A part with an outline of its own, instead of a shape it shares."""
    part = parts[index]
    if part["shape"] is not None:
        part["outline"], part["shape"] = data["shapes"][part["shape"]], None
    return part


def _move(data: dict[str, Any], model: Fastener, move: Move, value: Fraction) -> None:
    part = _entry(data, model, move.of)
    x, y = move.by
    part["outline"] = tuple(
        (exact(a) + value * x, exact(b) + value * y) if index in move.vertices else (a, b)
        for index, (a, b) in enumerate(part["outline"])
    )
