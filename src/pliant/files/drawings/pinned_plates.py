"""Loops of a drawing as a linkage: plates with round holes, pinned where their holes lie over each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import dist
from string import ascii_uppercase
from typing import Any

import numpy as np
import shapely

from pliant.core.errors import Fault, InputError
from pliant.core.faults import name_cure
from pliant.files.drawings.naming import clean
from pliant.files.drawings.strokes import LoopTable


def linkage_data(
    loops: Sequence[LoopTable], *, title: str, close: float, fixed: Sequence[str]
) -> tuple[dict[str, Any], list[str]]:
    """The keys of a linkage file, and what was chosen because nobody said it."""
    circles = [loop for loop in loops if loop["circle"]]
    plates = [loop for loop in loops if not loop["circle"]]
    regions = [shapely.Polygon(plate["points"]).buffer(0) for plate in plates]
    centres = _pins(circles, close)
    held = _pins_of_plates(centres, circles, plates, regions, close)
    names = _plate_names(plates)
    links = {name: pins for name, pins in zip(names, held, strict=True) if len(pins) >= 2}
    if len(links) < 2:
        problem = f"has {len(links)} plates with two or more round holes; a linkage has two at least"
        cure = "Draw pin holes as circles, and each plate as a closed loop, in place as assembled"
        raise InputError([Fault("", problem, cure)])
    letters = _letters(len(centres))
    ground, said = _ground(links, fixed, names)
    pins = sorted({pin for members in links.values() for pin in members})
    data: dict[str, Any] = {
        "pliant": 1,
        "kind": "linkage",
        "title": title,
        "ground": [letters[pin] for pin in links[ground]],
        "joints": {letters[pin]: np.round(centres[pin], 9).tolist() for pin in pins},
        "links": [
            {"joints": [letters[pin] for pin in members], "name": name}
            for name, members in links.items()
            if name != ground
        ],
    }
    motor, asked = _motor(links, ground, letters)
    data["motors"] = [motor]
    return data, [*said, asked]


def _pins(circles: Sequence[LoopTable], close: float) -> list[tuple[float, float]]:
    """Centres of circles, those over each other as one."""
    centres: list[tuple[float, float]] = []
    for circle in circles:
        at = (circle["circle"][0], circle["circle"][1])
        if all(dist(at, other) > close for other in centres):
            centres.append(at)
    return centres


def _pins_of_plates(
    centres: Sequence[tuple[float, float]],
    circles: Sequence[LoopTable],
    plates: Sequence[LoopTable],
    regions: Sequence[Any],
    close: float,
) -> list[list[int]]:
    """The pins of each plate: those drawn in its own group, where that has any, else all within it."""
    found: list[list[int]] = []
    for plate, region in zip(plates, regions, strict=True):
        within = [pin for pin, at in enumerate(centres) if shapely.contains_xy(region, *at)]
        key = plate["group"] or plate["layer"]
        own = [
            pin
            for pin in within
            if any(
                (circle["group"] or circle["layer"]) == key
                and dist(circle["circle"][:2], centres[pin]) <= close
                for circle in circles
            )
        ]
        alone = key and sum((other["group"] or other["layer"]) == key for other in plates) == 1
        found.append(own if alone and own else within)
    return found


def _plate_names(plates: Sequence[LoopTable]) -> list[str]:
    wanted = [clean(plate["group"] or plate["layer"]) for plate in plates]
    return [
        name if name and name != "0" and wanted.count(name) == 1 else f"plate {number + 1}"
        for number, name in enumerate(wanted)
    ]


def _ground(
    links: Mapping[str, Sequence[int]], fixed: Sequence[str], names: Sequence[str]
) -> tuple[str, list[str]]:
    for name in fixed:
        if name not in links:
            raise InputError(
                [Fault("--fixed", f"{name!r} is no plate with two holes", name_cure(name, links, "Plates"))]
            )
    if fixed:
        return fixed[0], []
    ground = next(
        (name for name in names if name in links and name.casefold() in ("ground", "base", "frame")), ""
    )
    ground = ground or max(links, key=lambda name: len(links[name]))
    return ground, [f"{ground!r} is the ground (see --fixed)"]


def _motor(
    links: Mapping[str, Sequence[int]], ground: str, letters: Sequence[str]
) -> tuple[dict[str, Any], str]:
    """The shortest link of two joints on the ground is turned."""
    cranks = [
        (pin, next(one for one in members if one != pin), len(members))
        for name, members in links.items()
        if name != ground
        for pin in members
        if pin in links[ground]
    ]
    if not cranks:
        raise InputError(
            [Fault("", "has no plate that is pinned to the ground", "Check --fixed, and the pin holes")]
        )
    pin, end, _ = min(cranks, key=lambda crank: crank[2])
    said = f"a motor at {letters[pin]} turns the link to {letters[end]} (see [[motors]])"
    return {"joint": letters[pin], "drives": letters[end]}, said


def _letters(count: int) -> list[str]:
    return [ascii_uppercase[k] if k < 26 else f"{ascii_uppercase[k % 26]}{k // 26}" for k in range(count)]
