"""A fastener with one of its parameters changed."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from pliant.snap.model import Fastener, Move, Parameter, Pawl
from pliant.snap.springs import stiffness_of


def varied(model: Fastener, values: Mapping[str, Fraction]) -> Fastener:
    """The fastener with parameters, by name, at other values; checked anew as a file would be."""
    data = model.model_dump(mode="python", exclude={"study"}, by_alias=True)
    for parameter in model.parameters:
        if parameter.name in values:
            _set(data, model, parameter, values[parameter.name])
    return Fastener.model_validate({**data, "study": model.study})


def present(model: Fastener, parameter: Parameter) -> Fraction:
    """What a parameter is in the model as it stands."""
    if parameter.what == "friction":
        return model.friction
    if parameter.what == "stiffness":
        return stiffness_of(model, _pawl(model, parameter))
    return Fraction(0)


def _pawl(model: Fastener, parameter: Parameter) -> Pawl:
    return next(pawl for pawl in model.pawls if pawl.name == parameter.of)


def _set(data: dict[str, Any], model: Fastener, parameter: Parameter, value: Fraction) -> None:
    match parameter.what:
        case "friction":
            data["friction"] = value
        case "stiffness":
            pawl = _entry(data, model, parameter.of or "")
            pawl["stiffness"], pawl["beam"] = value, None
        case "hinge":
            pawl, along = _entry(data, model, parameter.of or ""), parameter.along or (0, 0)
            pawl["hinge"] = tuple(x + value * a for x, a in zip(pawl["hinge"], along, strict=True))
        case "vertices":
            for move in parameter.moves:
                _move(data, model, move, value)


def _entry(data: dict[str, Any], model: Fastener, name: str) -> dict[str, Any]:
    """The table of a pawl, an obstacle or the root."""
    if name == "root":
        return data["root"]
    for index, pawl in enumerate(model.pawls):
        if pawl.name == name:
            return _own(data, data["pawls"], index)
    for index in range(len(model.obstacles)):
        if model.label(index) == name:
            return _own(data, data["obstacles"], index)
    raise KeyError(name)


def _own(data: dict[str, Any], parts: Any, index: int) -> dict[str, Any]:
    """A part with an outline of its own, instead of a shape it shares."""
    part = parts[index]
    if part["shape"] is not None:
        part["outline"], part["shape"] = data["shapes"][part["shape"]], None
    return part


def _move(data: dict[str, Any], model: Fastener, move: Move, value: Fraction) -> None:
    part = _entry(data, model, move.of)
    x, y = move.by
    part["outline"] = tuple(
        (a + value * x, b + value * y) if index in move.vertices else (a, b)
        for index, (a, b) in enumerate(part["outline"])
    )
