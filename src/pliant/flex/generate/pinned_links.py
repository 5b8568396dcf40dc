"""Linkages of loose links: rigid links with pins that have clearance, each link in a layer of its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import shapely

from pliant.core.errors import Fault, InputError
from pliant.core.quantity import Vector
from pliant.flex.model import Assembly, Body, Pin, Study

GROUND = "ground"


def pinned_links(
    joints: Mapping[str, Vector],
    links: Mapping[str, Sequence[str]],
    ground: Sequence[str],
    clearance: float | Mapping[str, float] = 0.1,
    width: float | None = None,
    study: Study | None = None,
    title: str = "",
) -> Assembly:
    """Links between joints, as an assembly of plates with loose pins.

    Args:
        joints: where each is drawn.
        links: the joints of each link, by its name; two or more.
        ground: joints that are held.
        clearance: diametral, of every pin or by joint.
        width: of the links; a twelfth of the longest one by default.
        study: what is asked.
        title: of the model.

    Returns:
        The assembly. At each joint the first link that has it, or the ground, carries the peg, and every
        other one a hole; each link lies in a layer of its own.

    Raises:
        InputError: a link or the ground names a joint that is none, or a link is called "ground".

    """
    _check_names(joints, links, ground)
    spans = [np.ptp([joints[name] for name in ends], axis=0) for ends in links.values()]
    width = width or max(float(np.hypot(*span)) for span in spans) / 12
    bodies = [
        Body(
            name=GROUND,
            outlines=tuple(_plate([joints[name]], 1.3 * width) for name in ground),
            fixed=True,
        )
    ]
    holders: defaultdict[str, list[str]] = defaultdict(list, {name: [GROUND] for name in ground})
    for layer, (name, ends) in enumerate(links.items(), start=1):
        bodies.append(Body(name=name, outline=_plate([joints[end] for end in ends], width), layer=layer))
        for end in ends:
            holders[end].append(name)
    pins = [
        Pin(
            bodies=(other, owners[0]),
            at=joints[joint],
            clearance=clearance[joint] if isinstance(clearance, Mapping) else clearance,
        )
        for joint, owners in holders.items()
        for other in owners[1:]
    ]
    return Assembly(title=title, bodies=tuple(bodies), pins=tuple(pins), study=study or Study())


def _check_names(
    joints: Mapping[str, Vector], links: Mapping[str, Sequence[str]], ground: Sequence[str]
) -> None:
    used = [(f"links.{name}", end) for name, ends in links.items() for end in ends]
    faults = [
        Fault(where, f"{name!r} is no joint", f"Joints: {', '.join(joints)}", (name,))
        for where, name in [*used, *(("ground", name) for name in ground)]
        if name not in joints
    ]
    if GROUND in links:
        problem = f"{GROUND!r} is the name of what is held"
        faults.append(Fault("links", problem, "Give the link another name", (GROUND,)))
    if faults:
        raise InputError(faults)


def _plate(points: Sequence[Vector], width: float) -> tuple[Vector, ...]:
    """What lies within half a width of the hull of points."""
    around = shapely.buffer(
        shapely.convex_hull(shapely.multipoints(np.array(points))), width / 2, quad_segs=4
    )
    return tuple((x, y) for x, y in shapely.get_coordinates(around)[:-1].tolist())
