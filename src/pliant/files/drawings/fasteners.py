"""Parts of a drawing as a fastener: pawls, which have a hinge, and what they meet.

A part whose name, group or layer begins with "pawl" or "hook" is a pawl, with "root" the root; all
others are obstacles. Where nothing is named so, parts with one round hole are pawls. The hinge is that
hole, or a circle on a layer or in a group called "hinge".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import shapely

from pliant.core.arrays import Floats
from pliant.core.errors import Fault, InputError
from pliant.files.drawings.strokes import PartTable

ROUND = 0.02  # of its radius: how far a hole may be from a circle
STIFFNESS = 100
PAWLS, ROOTS = ("pawl", "hook"), ("root",)


def fastener_data(
    parts: Sequence[PartTable], loops: Sequence[Mapping[str, Any]], *, title: str
) -> tuple[dict[str, Any], list[str]]:
    """The keys of a fastener file, and what was chosen because nobody said it."""
    hinges = [loop["circle"] for loop in loops if loop["circle"] and _is(loop, ("hinge",))]
    bodies = [part for part in parts if not _is(part, ("hinge",))]
    named = [part for part in bodies if _is(part, PAWLS)]
    pawls = named or [part for part in bodies if len(_round_holes(part)) == 1]
    roots = [part for part in bodies if _is(part, ROOTS) and part not in pawls]
    if not pawls:
        problem = "has no part with a hinge: none is called pawl or hook, and none has one round hole"
        cure = 'Call a part "pawl" (its id, group or layer), and draw a circle where its hinge is'
        raise InputError([Fault("", problem, cure)])
    obstacles = [part for part in bodies if part not in pawls and part not in roots]
    data: dict[str, Any] = {"pliant": 1, "kind": "fastener", "title": title, "root": {"velocity": [0, -1]}}
    if roots:
        data["root"]["outline"] = roots[0]["pieces"][0][0]
    data["pawls"] = [_pawl(part, hinges) for part in pawls]
    data["obstacles"] = [
        {"name": part["name"], "outline": rings[0]}
        for part in (*obstacles, *roots[1:])
        for rings in part["pieces"][:1]
    ]
    chosen = [
        f"every pawl has a stiffness of {STIFFNESS} N·mm/rad (see [[pawls]]: stiffness, or a beam)",
        "the root moves down, until it is past everything (see [root])",
    ]
    lost = [part["name"] for part in obstacles if len(part["pieces"][0]) > 1 or len(part["pieces"]) > 1]
    if lost:
        chosen.append(
            f"holes and further pieces of {', '.join(lost)} are left out: an obstacle is one outline"
        )
    return data, chosen


def _pawl(part: PartTable, hinges: Sequence[Sequence[float]]) -> dict[str, Any]:
    """A pawl in the frame of its hinge."""
    outline = np.array(part["pieces"][0][0])
    filled = shapely.Polygon(outline).buffer(1e-6)
    own = [hinge[:2] for hinge in hinges if shapely.contains_xy(filled, hinge[0], hinge[1])] or _round_holes(
        part
    )
    if len(own) != 1:
        many = "no hinge" if not own else f"{len(own)} circles that may be its hinge"
        cure = 'Draw one circle in it, or one on a layer called "hinge"'
        raise InputError([Fault(part["name"], f"has {many}", cure)])
    hinge = np.round(np.array(own[0], np.float64), 9)
    return {
        "name": part["name"],
        "hinge": hinge.tolist(),
        "outline": np.round(outline - hinge, 9).tolist(),
        "stiffness": STIFFNESS,
    }


def _round_holes(part: PartTable) -> list[list[float]]:
    """Centres of the holes that are circles."""
    return [
        centre.tolist()
        for ring in part["pieces"][0][1:]
        if (centre := _round_centre(np.array(ring))) is not None
    ]


def _round_centre(ring: Floats) -> Floats | None:
    if len(ring) < 6:
        return None
    centre = np.array(shapely.Polygon(ring).centroid.coords[0])
    radii = np.hypot(*(ring - centre).T)
    return centre if np.ptp(radii) <= ROUND * radii.mean() else None


def _is(thing: Mapping[str, Any], words: Sequence[str]) -> bool:
    names = (str(thing.get(key, "")).casefold() for key in ("name", "id", "group", "layer"))
    return any(name.startswith(tuple(words)) for name in names)
