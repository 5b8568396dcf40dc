"""Linkages by their dimensions: drawn with compass and ruler."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable, Mapping
from typing import Any

from pliant.linkage.model import Linkage

TRIAD = ("O A", "A C", "C D E", "G D", "H E")


def meet(p: complex, r: float, q: complex, s: float, side: int = 1) -> complex:
    """The point at distance r from p and s from q, to the left of p→q for side 1, right for −1.

    Args:
        p: a centre.
        r: the distance from it.
        q: the other centre.
        s: the distance from that one.
        side: 1 or −1.

    Returns:
        The point, x + iy.

    Raises:
        ValueError: the circles do not meet.

    >>> meet(0, 5, 6, 5)
    (3+4j)
    """
    distance = abs(q - p)
    along = (r * r - s * s + distance * distance) / (2 * distance)
    square = r * r - along * along
    if square < 0:
        raise ValueError(f"circles of radius {r:g} and {s:g}, {distance:g} apart, do not meet")
    return p + (along + 1j * side * math.sqrt(square)) * (q - p) / distance


def linkage(
    joints: Mapping[str, complex], ground: Iterable[str], links: Iterable[str], **rest: object
) -> Linkage:
    """A linkage from complex positions and links written as "B C P"; the first link is the motor's.

    Args:
        joints: positions x + iy by name.
        ground: names of joints that stay.
        links: names of the joints of each link, apart by spaces.
        rest: other keys of a Linkage.

    Returns:
        The linkage.
    """
    bars = [link.split() for link in links]
    pivot, driven = bars[0][:2]
    data: dict[str, Any] = {
        "ground": list(ground),
        "joints": {name: (complex(z).real, complex(z).imag) for name, z in joints.items()},
        "links": [{"joints": bar} for bar in bars],
        "motors": [{"joint": pivot, "drives": driven}],
        **rest,
    }
    return Linkage.model_validate(data)


def places(model: Linkage) -> dict[str, complex]:
    """Where the joints are drawn, as `linkage` takes them: to draw more beside what is there.

    Args:
        model: the linkage.

    Returns:
        Positions x + iy by name.

    >>> places(slider_crank(1, 3, angle=0))
    {'A': 0j, 'B': (1+0j), 'P': (4+0j)}
    """
    return {name: complex(*at) for name, at in model.joints.items()}


def four_bar(
    ground: float,
    crank: float,
    coupler: float,
    rocker: float,
    angle: float = 1.0,
    side: int = 1,
    point: complex | None = None,
    **rest: object,
) -> Linkage:
    """A four-bar on A (0, 0) and D (ground, 0), with crank A-B, coupler B-C and rocker C-D.

    Args:
        ground: distance A-D.
        crank: length A-B.
        coupler: length B-C.
        rocker: length C-D.
        angle: direction of the crank as drawn (rad, counter-clockwise from x).
        side: of B→D on which C is drawn: 1 left, −1 right.
        point: of the coupler, at B + point·(C − B), as joint P; 0.5 is its middle.
        rest: other keys of a Linkage.

    Returns:
        The linkage.

    Raises:
        ValueError: the lengths do not close at that angle.
    """
    b, d = cmath.rect(crank, angle), complex(ground)
    c = meet(b, coupler, d, rocker, side)
    joints = {"A": 0j, "B": b, "C": c, "D": d}
    if point is None:
        return linkage(joints, "AD", ("A B", "B C", "C D"), **rest)
    return linkage(joints | {"P": b + point * (c - b)}, "AD", ("A B", "B C P", "C D"), **rest)


def slider_crank(
    crank: float, rod: float, offset: float = 0.0, angle: float = 1.0, **rest: object
) -> Linkage:
    """A crank A-B at (0, 0) and a rod B-P, with P on the line y = offset, to the right.

    Args:
        crank: length A-B.
        rod: length B-P.
        offset: of P's line from A, along y.
        angle: direction of the crank as drawn (rad, counter-clockwise from x).
        rest: other keys of a Linkage.

    Returns:
        The linkage.

    Raises:
        ValueError: the rod does not reach the line.
    """
    b = cmath.rect(crank, angle)
    if abs(b.imag - offset) > rod:
        raise ValueError(f"a rod of {rod:g} does not reach the line {abs(b.imag - offset):g} away")
    p = complex(b.real + math.sqrt(rod**2 - (b.imag - offset) ** 2), offset)
    guide = [{"joint": "P", "along": [[0, offset], [1, offset]]}]
    return linkage({"A": 0j, "B": b, "P": p}, "A", ("A B", "B P"), sliders=guide, **rest)


def scotch_yoke(crank: float, angle: float = 1.0, **rest: object) -> Linkage:
    """A crank A-B at (0, 0) whose pin B slides in an upright slot of the yoke S-T, which slides along x.

    Args:
        crank: length A-B.
        angle: direction of the crank as drawn (rad, counter-clockwise from x).
        rest: other keys of a Linkage.

    Returns:
        The linkage.
    """
    b = cmath.rect(crank, angle)
    joints = {"A": 0j, "B": b, "S": b.real + 1.5 * crank, "T": b.real + 3 * crank}
    guides: list[dict[str, Any]] = [{"joint": name, "along": [[0, 0], [1, 0]]} for name in "ST"]
    slot = {"joint": "B", "on": "S-T", "along": [[b.real, b.imag], [b.real, b.imag + 1]]}
    return linkage(joints, "A", ("A B", "S T"), sliders=[*guides, slot], **rest)


def chain(dyads: int, **rest: object) -> Linkage:
    """Parallelograms in a row: pivots at (3k, 0), tips at (3k, 1), the first one driven ± 50°.

    Args:
        dyads: how many follow the driven crank.
        rest: other keys of a Linkage.

    Returns:
        The linkage.
    """
    joints: dict[str, complex] = {}
    for k in range(dyads + 1):
        joints[f"G{k}"], joints[f"T{k}"] = complex(3 * k), complex(3 * k, 1)
    links = ["G0 T0"]
    for k in range(1, dyads + 1):
        links += [f"T{k - 1} T{k}", f"G{k} T{k}"]
    motor = {"joint": "G0", "drives": "T0", "range": ["-50 deg", "50 deg"]}
    pivots = [f"G{k}" for k in range(dyads + 1)]
    return linkage(joints, pivots, links, **{"motors": [motor], **rest})


def jansen(angle: float = 0.0, **rest: object) -> Linkage:
    """The leg of Theo Jansen's Strandbeest, drawn with its crank A-C at an angle; P5 is the foot.

    Args:
        angle: direction of the crank as drawn (rad, counter-clockwise from x).
        rest: other keys of a Linkage.

    Returns:
        The linkage.
    """
    b, c = -38 - 7.8j, cmath.rect(15, angle)
    p1, p2 = meet(b, 41.5, c, 50, 1), meet(b, 39.3, c, 61.9, -1)
    p3 = meet(b, 40.1, p1, 55.8, 1)
    p4 = meet(p3, 39.4, p2, 36.7, -1)
    p5 = meet(p2, 49, p4, 65.7, 1)
    joints = {"A": 0j, "B": b, "C": c, "P1": p1, "P2": p2, "P3": p3, "P4": p4, "P5": p5}
    links = ("A C", "C P1", "C P2", "B P1 P3", "B P2", "P3 P4", "P2 P4 P5")
    return linkage(joints, "AB", links, **rest)


def triad(**rest: object) -> Linkage:
    """A plate C-D-E on three bars, to the crank's tip and to two pivots: its joints are found together.

    Args:
        rest: other keys of a Linkage.

    Returns:
        The linkage.
    """
    joints = {"O": 0j, "A": 1 + 0.3j, "C": 3 + 1.5j, "D": 4 + 4j, "E": 6 + 1.8j, "G": 1.5 + 5.5j, "H": 8 + 0j}
    return linkage(joints, "OGH", TRIAD, **rest)


def turning_triad(**rest: object) -> Linkage:
    """The same links drawn with so short a crank that it turns fully.

    Args:
        rest: other keys of a Linkage.

    Returns:
        The linkage.
    """
    joints = {"O": 1.7 - 1.2j, "A": 2 - 1j, "C": 2 + 1j, "D": 4 + 1j, "E": 3 + 3j, "G": 7 + 1.3j, "H": 1 + 5j}
    return linkage(joints, "OGH", TRIAD, **rest)
