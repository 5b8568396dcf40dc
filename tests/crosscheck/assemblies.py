"""Random assemblies by family: closed trays, posts, gates, pin chains, wedges, tight tilings, tenons.

    model = assembly("gate", seed=7)

gives the same model again for the same seed. No two bodies of any overlap as drawn.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import shapely
from numpy.random import Generator
from numpy.typing import NDArray
from shapely.affinity import translate
from shapely.ops import split
from tests.crosscheck.drafts import (
    Draft,
    Part,
    asked,
    box,
    clean,
    direction,
    framed,
    moved,
    random_look,
    ring_of,
    term,
    written,
)

from pliant.flex.model import Assembly

Floats = NDArray[np.float64]

TRIES = 200


def assembly(family: str, seed: int) -> Assembly:
    """The model of a family with that seed."""
    rng = np.random.default_rng([*family.encode(), seed])
    for _ in range(TRIES):
        draft = FAMILIES[family](rng)
        if draft is not None and clean(draft):
            return written(draft, random_look(rng, draft), rng)
    raise RuntimeError(f"{family} {seed}: no clean draft in {TRIES}")


def convex(rng: Generator, radius: float, corners: int | None = None) -> Floats:
    """A random convex polygon about the origin, of about that radius."""
    count = corners or int(rng.integers(3, 9))
    angles = 2 * np.pi * (np.arange(count) + rng.uniform(0, 0.8, count)) / count
    reach = radius * rng.uniform(0.8, 1.0, count)
    flat = rng.uniform(0.5, 1.0)
    points = np.column_stack([reach * np.cos(angles), flat * reach * np.sin(angles)])
    return ring_of(shapely.MultiPoint(points).convex_hull)


def bent(rng: Generator, radius: float) -> Floats:
    """A random polygon that is not convex: an L, a T, a U, a cross or a star."""
    arm = rng.uniform(0.25, 0.6)
    shapes = {
        "L": shapely.box(-1, -1, 1, arm - 1) | shapely.box(-1, -1, arm - 1, 1),
        "T": shapely.box(-1, 1 - arm, 1, 1) | shapely.box(-arm / 2, -1, arm / 2, 1),
        "U": shapely.box(-1, -1, 1, 1) - shapely.box(-1 + arm, -1 + arm, 1 - arm, 2),
        "X": shapely.box(-1, -arm / 2, 1, arm / 2) | shapely.box(-arm / 2, -1, arm / 2, 1),
    }
    kind = rng.choice([*shapes, "star"])
    if kind == "star":
        count = int(rng.integers(3, 7))
        angles = np.pi * np.arange(2 * count) / count
        reach = np.where(np.arange(2 * count) % 2, arm, 1.0)
        return radius * np.column_stack([reach * np.cos(angles), reach * np.sin(angles)])
    return radius / np.sqrt(2) * ring_of(shapes[str(kind)])


def loose(rng: Generator, radius: float) -> Floats:
    """A part: mostly convex or a bar, at times bent."""
    kind = rng.random()
    if kind < 0.45:
        return convex(rng, radius)
    if kind < 0.7:
        return box(-radius, -radius * (thin := rng.uniform(0.15, 0.7)), radius, radius * thin)
    return bent(rng, radius)


def laid(
    rng: Generator, room: shapely.Polygon, rings: list[Floats], taken: list[shapely.Polygon], gap: float
) -> list[Floats] | None:
    """Rings placed at random in a room, a gap apart and clear of others; None where they do not fit."""
    taken, placed = list(taken), []
    inner = room.buffer(-gap)
    left, bottom, right, top = room.bounds
    for ring in rings:
        for _ in range(60):
            there = moved(
                ring, rng.uniform(left, right), rng.uniform(bottom, top), rng.uniform(-np.pi, np.pi)
            )
            polygon = shapely.Polygon(there)
            if inner.contains(polygon) and all(polygon.distance(other) > gap for other in taken):
                taken.append(polygon)
                placed.append(there)
                break
        else:
            return None
    return placed


def room_hole(rng: Generator) -> Floats:
    """The inside of a tray: a rectangle, or a convex polygon."""
    if rng.random() < 0.7:
        return box(0, 0, rng.uniform(5, 12), rng.uniform(5, 9))
    return convex(rng, rng.uniform(4.5, 7)) + 6.0


def tray(rng: Generator) -> Draft | None:
    """One to four loose parts in a closed tray."""
    hole = room_hole(rng)
    count = int(rng.integers(1, 5))
    radius = np.sqrt(shapely.Polygon(hole).area / count) * 0.42
    rings = [loose(rng, radius * rng.uniform(0.7, 1.2)) for _ in range(count)]
    placed = laid(rng, shapely.Polygon(hole), rings, [], 10 ** rng.uniform(-2.5, -0.5))
    if placed is None:
        return None
    parts = [Part(f"s{k}", (ring,)) for k, ring in enumerate(placed)]
    return Draft((framed(hole, rng.uniform(0.2, 3)), *parts), asked(rng, parts))


def crowd(rng: Generator) -> Draft | None:
    """Many loose parts in a closed tray."""
    hole = box(0, 0, rng.uniform(10, 20), rng.uniform(8, 14))
    count = int(rng.integers(13, 26))
    radius = np.sqrt(shapely.Polygon(hole).area / count) * 0.36
    rings = [loose(rng, radius * rng.uniform(0.6, 1.1)) for _ in range(count)]
    placed = laid(rng, shapely.Polygon(hole), rings, [], 0.01)
    if placed is None:
        return None
    parts = [Part(f"s{k}", (ring,)) for k, ring in enumerate(placed)]
    return Draft((framed(hole, rng.uniform(0.5, 2)), *parts), asked(rng, parts))


def posts(rng: Generator) -> Draft | None:
    """Bars and other parts among posts in a closed tray."""
    width, height = rng.uniform(8, 16), rng.uniform(5, 10)
    hole = box(0, 0, width, height)
    rings = [
        box(-(w := rng.uniform(0.1, 0.8)), -(h := rng.uniform(0.1, 1.2)), w, h)
        if rng.random() < 0.6
        else convex(rng, rng.uniform(0.2, 1.0))
        for _ in range(int(rng.integers(1, 5)))
    ]
    upright = [moved(ring, rng.uniform(1, width - 1), rng.uniform(0.5, height - 0.5), 0.0) for ring in rings]
    fixed = [Part(f"post{k}", (ring,), fixed=True) for k, ring in enumerate(upright)]
    count = int(rng.integers(1, 3))
    bars = [
        box(-(w := rng.uniform(1, 3)), -(h := rng.uniform(0.2, 1.0)), w, h)
        if rng.random() < 0.7
        else bent(rng, 1.8)
        for _ in range(count)
    ]
    placed = laid(rng, shapely.Polygon(hole), bars, [part.polygon for part in fixed], 0.02)
    if placed is None:
        return None
    parts = [Part(f"bar{k}", (ring,)) for k, ring in enumerate(placed)]
    return Draft((framed(hole, rng.uniform(0.2, 3)), *fixed, *parts), asked(rng, parts))


def gate(rng: Generator) -> Draft | None:
    """A bar before one or several gates in a closed frame; it may pass, or be too high for one."""
    height, count = rng.uniform(4, 8), int(rng.integers(1, 4))
    bar_height, bar_length = rng.uniform(0.5, 0.4 * height), rng.uniform(0.5, 4)
    fixed, x = [], rng.uniform(0.5, bar_length + 4)
    even = rng.random() < 0.4  # bar and gates have one middle line
    for k in range(count):
        thick = rng.uniform(0.1, 1.5)
        opening = bar_height * (rng.uniform(1.02, 1.6) if rng.random() < 0.8 else rng.uniform(0.6, 0.98))
        middle = 0.5 * height + (0.0 if even else rng.uniform(-0.5, 0.5)) * min(0.3, height - opening)
        lower = thick * rng.choice([1.0, 0.999, rng.uniform(0.9, 1.1)])
        fixed.append(Part(f"t{k}", (box(x, middle + opening / 2, x + thick, height),), fixed=True))
        fixed.append(Part(f"u{k}", (box(x, 0, x + lower, middle - opening / 2),), fixed=True))
        x += 1.1 * thick + rng.uniform(0.3, 2 * bar_length)
    start = x + rng.uniform(0.05, 1)
    hole = box(0, 0, start + bar_length + rng.uniform(0.1, 2), height)
    low = 0.5 * height - 0.5 * bar_height + (0.0 if even else rng.uniform(-0.1, 0.1)) * bar_height
    bar = Part("bar", (box(start, low, start + bar_length, low + bar_height),))
    asked_for = {"body": "bar", "direction": direction(rng, (-1, 0))}
    return Draft((framed(hole, rng.uniform(0.1, 2)), *fixed, bar), (asked_for,))


def chain(rng: Generator) -> Draft | None:
    """A chain of links on loose pins, between posts."""
    return _chain(rng, float(10 ** rng.uniform(-2, -0.7)))


def linked(rng: Generator) -> Draft | None:
    """A chain of links on pivots, between posts; at times two pivots join two links for good."""
    return _chain(rng, 0.0, welded=rng.random() < 0.3)


def _chain(rng: Generator, clearance: float, welded: bool = False) -> Draft:
    count = int(rng.integers(1 + welded, 4))
    space = rng.uniform(0.05, 1.5)
    x, parts, pins = 0.0, [Part("ground", (box(-2, -3, -1, 3),), fixed=True)], []
    for k in range(count):
        length = rng.uniform(2.5, 6)
        parts.append(Part(f"b{k}", (box(x - 0.5, -0.5, x + length + 0.5, 0.5),)))
        pins.append({"bodies": [parts[-2].name, f"b{k}"], "at": [x, 0.0], "clearance": clearance})
        x += length
    if welded:
        first = pins[-1]
        pins.append(first | {"at": [first["at"][0] + 0.3, rng.uniform(-0.3, 0.3)]})
    links = parts[1:]
    for k, name in enumerate(("top", "bot")):
        y = (0.5 + space) * (-1) ** k
        ring = box(x - 2, min(y, 3 * y), x + 1, max(y, 3 * y))
        parts.append(Part(name, (ring,), fixed=True))
    for k in range(int(rng.integers(0, 4))):
        side, at, wide = rng.choice([-1, 1]), rng.uniform(0.5, x), rng.uniform(0.1, 0.6)
        y = side * (0.5 + space * rng.uniform(0.3, 1.5))
        parts.append(
            Part(
                f"post{k}", (box(at, min(y, y + 1.5 * side), at + wide, max(y, y + 1.5 * side)),), fixed=True
            )
        )
    return Draft(tuple(parts), asked(rng, links, spin=0.6), pins=tuple(pins))


def wedge(rng: Generator) -> Draft | None:
    """A wedge driven between two blocks in a closed tray; drawn clear or touching."""
    half, height = rng.uniform(6, 12), rng.uniform(7, 12)
    left, right = -rng.uniform(0.3, 1.5), rng.uniform(0.3, 1.5)
    tall, wide = rng.uniform(2, 0.55 * height), rng.uniform(1, 0.4 * half)
    spread = rng.uniform(0.5, 2.5)
    off = rng.uniform(-0.2, 0.2)
    blocks = [
        Part("l", (box(left - wide, 0, left, tall),)),
        Part("r", (box(right, 0, right + wide, tall),)),
    ]
    tip, top = rng.uniform(0.1, tall), 0.95 * height
    # At the blocks' upper corners the wedge must be narrower than the space between them.
    if spread * (tall - tip) / (top - tip) >= min(-left, right) - abs(off) - 1e-3:
        return None
    w = Part("w", (np.array([[off, tip], [off + spread, top], [off - spread, top]]),))
    hole = box(-half, 0 if rng.random() < 0.6 else -rng.uniform(0.01, 0.3), half, height)
    ask = {"body": "w", "direction": direction(rng, (0, -1))}
    return Draft((framed(hole, rng.uniform(0.3, 2)), *blocks, w), (ask,))


def tiling(rng: Generator) -> Draft | None:
    """A frame filled with parts that fit: cut straight or slantwise, the gap small against them."""
    return _tiling(rng, box(0, 0, rng.uniform(4, 10), rng.uniform(3, 8)), int(rng.integers(1, 4)))


def mosaic(rng: Generator) -> Draft | None:
    """The same of many parts."""
    return _tiling(rng, box(0, 0, rng.uniform(8, 14), rng.uniform(6, 12)), int(rng.integers(13, 30)))


def _tiling(rng: Generator, whole: Floats, cuts: int) -> Draft:
    cells = [shapely.Polygon(whole)]
    for _ in range(cuts):
        biggest = max(range(len(cells)), key=lambda k: cells[k].area)
        cell = cells.pop(biggest)
        middle = np.array(cell.centroid.coords[0])
        angle = rng.integers(2) * np.pi / 2 + rng.choice([0.0, 1.0]) * rng.normal(0, 0.3)
        along = 50 * np.array([np.cos(angle), np.sin(angle)])
        cut = shapely.LineString([middle - along, middle + along])
        cells += list(shapely.get_parts(split(cell, cut)))
    clearance = float(10 ** rng.uniform(-3, -0.8))
    parts = [Part(f"p{k}", (ring_of(cell),)) for k, cell in enumerate(cells)]
    return Draft((framed(whole, rng.uniform(0.5, 2)), *parts), asked(rng, parts), clearance=clearance)


def dovetail(rng: Generator) -> Draft | None:
    """Blocks in a row joined by dovetails or square tenons, the first one held."""
    count, clearance = int(rng.integers(2, 6)), float(10 ** rng.uniform(-2.5, -0.9))
    length, half = rng.uniform(4, 9), rng.uniform(2, 4)
    neck, head = sorted(rng.uniform(0.3, 0.7, 2) * half)
    if head - neck < 3 * clearance:
        return None
    deep = rng.uniform(0.8, 2.0)
    tab = np.array([[0, -neck], [deep, -head], [deep, head], [0, neck]])
    parts = []
    for k in range(count):
        block = shapely.box(0, -half, length, half)
        if k < count - 1:
            block |= shapely.Polygon(shifted(tab, length))
        if k > 0:
            block -= shapely.Polygon(tab)
        parts.append(Part(f"b{k}", (shifted(ring_of(block), k * length),), fixed=k == 0))
    last = parts[-1]
    ask = term(rng, last) if rng.random() < 0.7 else {"body": last.name, "direction": direction(rng)}
    return Draft(tuple(parts), (ask,), clearance=clearance)


def shifted(ring: Floats, x: float) -> Floats:
    return ring + np.array([x, 0.0])


def tenon(rng: Generator) -> Draft | None:
    """A chain of T-tenons, the first body held."""
    count, clearance = int(rng.integers(2, 6)), float(10 ** rng.uniform(-2, -0.3))
    length, half = rng.uniform(12, 40), rng.uniform(5, 8)
    neck, head, stem, cap = 0.33 * half, 0.66 * half, rng.uniform(2, 4), rng.uniform(2, 4)
    tee = shapely.box(0, -neck, stem + cap, neck) | shapely.box(stem, -head, stem + cap, head)
    parts = []
    for k in range(count):
        block = shapely.box(0, -half, length, half)
        if k < count - 1:
            block |= translate(tee, length)
        if k > 0:
            block -= tee
        parts.append(Part(f"b{k}", (shifted(ring_of(block), k * length),), fixed=k == 0))
    last = parts[-1]
    corner = [count * length, float(rng.choice([-half, half]))]
    ask = {"body": last.name, "direction": direction(rng, (0, rng.choice([-1, 1]))), "point": corner}
    return Draft(tuple(parts), (ask if rng.random() < 0.7 else term(rng, last),), clearance=clearance)


def touching(rng: Generator) -> Draft | None:
    """Blocks stacked in a tray and drawn touching: each other, the floor, at times a wall."""
    x, parts, tallest = 0.0, [], 0.0
    for k in range(int(rng.integers(1, 4))):
        width, height = rng.uniform(1, 3), rng.uniform(1, 4)
        lean = rng.choice([0.0, rng.uniform(-0.4, 0.4)])
        ring = box(x, 0, x + width, height)
        ring[2:, 0] += [lean * (k == 0), 0.0]
        ring[2, 0] = max(ring[2, 0], ring[3, 0] + 0.2)
        parts.append(Part(f"a{k}", (ring,)))
        x = max(ring[1, 0], ring[2, 0]) + rng.choice([0.0, 0.0, 0.3])
        tallest = max(tallest, height)
    if rng.random() < 0.5:
        width = rng.uniform(0.6, 2)
        first = parts[0].rings[0]
        level, left = first[2, 1], first[3, 0]
        parts.append(Part("rider", (box(left, level, left + width, level + rng.uniform(0.5, 1.5)),)))
        tallest = max(tallest, level + 1.5)
    hole = box(
        0.0 if rng.random() < 0.6 else -rng.uniform(0.1, 2),
        0.0,
        x + rng.choice([0.0, rng.uniform(0.1, 4)]),
        tallest + rng.choice([0.0, rng.uniform(0.05, 2)]),
    )
    return Draft((framed(hole, rng.uniform(0.3, 2)), *parts), asked(rng, parts))


def turning(rng: Generator) -> Draft | None:
    """A part asked to turn where it may turn a little, a lot, or for ever."""
    ring = loose(rng, rng.uniform(1.5, 2.5))
    ring = ring - np.array(shapely.Polygon(ring).centroid.coords[0])
    reach = float(np.hypot(*ring.T).max())
    room = reach * rng.uniform(0.75, 1.25) * np.array([1.0, rng.uniform(0.8, 1.2)])
    angle = rng.uniform(-np.pi, np.pi)
    part = Part("nut", (moved(ring, 0, 0, angle),))
    hole = box(-room[0], -room[1], *room) if rng.random() < 0.6 else convex(rng, 1.3 * room[0])
    parts = [framed(hole, rng.uniform(0.2, 2)), part]
    if rng.random() < 0.3:
        side = rng.uniform(0.1, 0.4)
        parts.append(Part("key", (box(room[0] - side, -side, room[0], side),), fixed=True))
    return Draft(tuple(parts), ({"body": "nut", "spin": float(rng.choice([-1, 1]))},))


def opened(rng: Generator) -> Draft | None:
    """A tray with one side open or half open: what is in it may leave, or may not."""
    width, height, wall = rng.uniform(5, 9), rng.uniform(3, 7), rng.uniform(0.3, 1.5)
    tray_ring = shapely.box(-wall, -wall, width, height + wall) - shapely.box(0, 0, width + 1, height)
    lip = rng.uniform(0, 0.45) * height if rng.random() < 0.6 else 0.0
    if lip:
        tray_ring |= shapely.box(width - wall, 0, width, lip) | shapely.box(
            width - wall, height - lip, width, height
        )
    fixed = Part("tray", (ring_of(tray_ring),), fixed=True)
    room = shapely.box(0, 0, width - wall, height)
    rings = [loose(rng, rng.uniform(0.5, 0.45 * height)) for _ in range(int(rng.integers(1, 3)))]
    placed = laid(rng, room, rings, [], 0.05)
    if placed is None:
        return None
    parts = [Part(f"s{k}", (ring,)) for k, ring in enumerate(placed)]
    return Draft((fixed, *parts), ({"body": "s0", "direction": direction(rng, (1, 0))},))


def held(rng: Generator) -> Draft | None:
    """Loose parts in a tray that keep regions, sights and limits hold besides."""
    made = tray(rng)
    if made is None:
        return None
    parts = [part for part in made.parts if not part.fixed]
    keep, sights, limits = [], [], []
    for part in parts:
        middle = np.array(part.polygon.centroid.coords[0])
        kind = rng.integers(5)
        if kind == 0:
            about = rng.uniform(0.05, 1.5, 4)
            inside = box(
                middle[0] - about[0], middle[1] - about[1], middle[0] + about[2], middle[1] + about[3]
            )
            keep.append({"body": part.name, "point": middle, "inside": inside})
        elif kind == 1:
            corner = part.rings[0][0]
            keep.append({"body": part.name, "point": corner, "inside": convex(rng, 1.0) * 2 + corner})
        elif kind == 2:
            limits.append({"body": part.name, "rotation": float(rng.uniform(0.02, 0.5))})
        elif kind == 3:
            spans = {key: (-rng.uniform(0, 1), rng.uniform(0, 1)) for key in ("x", "y")}
            limits.append({"body": part.name} | spans)
        else:
            apex = np.array([-4.0, -4.0])
            ray = middle - apex
            off, half = rng.normal(0, 0.05), rng.uniform(0.15, 0.5)
            sight = {"from": "frame", "to": part.name, "apex": apex, "marker": middle, "half_angle": half}
            sights.append(sight | {"axis": float(np.arctan2(ray[1], ray[0]) + off)})
    return Draft(made.parts, made.terms, keep=tuple(keep), sights=tuple(sights), limits=tuple(limits))


def rounded(rng: Generator) -> Draft | None:
    """One to three discs of many sides in a hole of as many."""
    sides, radius = int(rng.integers(10, 40)), rng.uniform(3, 6)
    hole = _circle(radius, sides)
    count = int(rng.integers(1, 4))
    size = radius * (rng.uniform(0.8, 0.97) if count == 1 else rng.uniform(0.25, 0.42))
    placed = laid(rng, shapely.Polygon(hole), [_circle(size, sides)] * count, [], 0.01)
    if placed is None:
        return None
    parts = [Part(f"d{k}", (ring,)) for k, ring in enumerate(placed)]
    return Draft((framed(hole, rng.uniform(0.3, 2)), *parts), asked(rng, parts, spin=0.05))


def _circle(radius: float, sides: int) -> Floats:
    angles = 2 * np.pi * np.arange(sides) / sides
    return radius * np.column_stack([np.cos(angles), np.sin(angles)])


FAMILIES: dict[str, Callable[[Generator], Draft | None]] = {
    "tray": tray,
    "crowd": crowd,
    "posts": posts,
    "gate": gate,
    "chain": chain,
    "linked": linked,
    "wedge": wedge,
    "tiling": tiling,
    "mosaic": mosaic,
    "dovetail": dovetail,
    "tenon": tenon,
    "touching": touching,
    "turning": turning,
    "opened": opened,
    "held": held,
    "rounded": rounded,
}
