"""Parts of a drawing as an assembly, with a study where nobody asked for one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import hypot
from typing import Any

from pliant.core.errors import Fault, InputError
from pliant.core.faults import name_cure
from pliant.files.drawings.strokes import PartTable

LARGEST = 1.5  # times the next: a part so much larger is what holds the others


def assembly_data(
    parts: Sequence[PartTable], *, title: str, clearance: float, fixed: Sequence[str], bodies: str
) -> tuple[dict[str, Any], list[str]]:
    """The keys of an assembly file, and what was chosen because nobody said it."""
    bodies_of = _bodies(parts, bodies)
    held, said = _held(bodies_of, fixed)
    data: dict[str, Any] = {"pliant": 1, "kind": "assembly", "title": title}
    if clearance:
        data["clearance"] = clearance
    data["bodies"] = [
        {"name": name, **_outlines(members), **({"fixed": True} if name in held else {})}
        for name, members in bodies_of.items()
    ]
    study, asked = _study(bodies_of, held)
    if study:
        data["study"] = study
    return data, [*said, *asked]


def _bodies(parts: Sequence[PartTable], by: str) -> dict[str, list[PartTable]]:
    """Parts by the body they are of."""
    found: dict[str, list[PartTable]] = {}
    for part in parts:
        key = part[by[:-1]] if by in ("groups", "layers") else ""
        found.setdefault(key or part["name"], []).append(part)
    return found


def _outlines(members: Sequence[PartTable]) -> dict[str, Any]:
    pieces = [rings for part in members for rings in part["pieces"]]
    if len(pieces) == 1:
        outline, *holes = pieces[0]
        return {"outline": outline, **({"holes": holes} if holes else {})}
    return {
        "outlines": [{"outline": outline, "holes": holes} if holes else outline for outline, *holes in pieces]
    }


def _held(bodies: Mapping[str, Sequence[PartTable]], fixed: Sequence[str]) -> tuple[list[str], list[str]]:
    """Which bodies are fixed: those named, else one much larger than the others, else the lower left one."""
    if fixed:
        unknown = [name for name in fixed if name not in bodies]
        if unknown:
            raise InputError(
                [
                    Fault(
                        "--fixed", f"{name!r} is not a part of the drawing", name_cure(name, bodies, "Parts")
                    )
                    for name in unknown
                ]
            )
        return list(fixed), []
    areas = sorted(
        ((sum(part["area"] for part in members), name) for name, members in bodies.items()), reverse=True
    )
    if len(areas) > 1 and areas[0][0] > LARGEST * areas[1][0]:
        return [areas[0][1]], [f"{areas[0][1]!r} is fixed, the largest part (see --fixed)"]
    corner = min(bodies, key=lambda name: sum(_centre(bodies[name])))
    return [corner], [f"{corner!r} is fixed, the part at the lower left (see --fixed)"]


def _study(
    bodies: Mapping[str, Sequence[PartTable]], held: Sequence[str]
) -> tuple[dict[str, Any], list[str]]:
    """How far the part farthest from what is fixed moves, across the line between them."""
    moving = [name for name in bodies if name not in held]
    if not moving:
        return {}, ["nothing moves: there is no study"]
    base = _centre(bodies[held[0]])
    away = {name: (x - base[0], y - base[1]) for name in moving for x, y in [_centre(bodies[name])]}
    far = max(moving, key=lambda name: hypot(*away[name]))
    x, y = away[far]
    direction = [0, 1] if abs(x) >= abs(y) and hypot(x, y) > 0 else [1, 0]
    way = "up" if direction == [0, 1] else "to the right"
    asked = f"the study asks how far {far!r} moves {way}, the part farthest from {held[0]!r} (see [study])"
    return {"maximize": [{"body": far, "direction": direction}]}, [asked]


def _centre(members: Sequence[PartTable]) -> tuple[float, float]:
    area = sum(part["area"] for part in members)
    x, y = (sum(part["area"] * part["centre"][axis] for part in members) / area for axis in (0, 1))
    return x, y
