"""What has a width: in the plane bars, plates, telescopes, blocks and discs, each a polygon that moves."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Any, NamedTuple

import numpy as np
import shapely

from pliant.core.arrays import Floats
from pliant.relax.model import Bar, CornerWeld, Mechanism, NamePair, Plate
from pliant.relax.symbols.body_faces import faces
from pliant.relax.symbols.frame_poses import FramePoses, unit

STIFF = 0.3  # of a bar's width: by so much more or less it is still drawn as rigid
TUBES = 9  # of a telescope, at most
OVERLAP = 0.1  # of a telescope's longest length, in which its tubes stay together


class DrawnBody(NamedTuple):
    """A polygon in a frame of its own, and the frame's poses."""

    name: str
    shape: Any
    poses: Floats  # (F, 3)
    fixed: bool = False
    element: str = ""  # whose forces it shows


def bodies(poses: FramePoses) -> Iterator[DrawnBody]:
    """From the back to the front."""
    model = poses.model
    plates = [_plate(poses, plate) for plate in model.plates]
    yield from sorted(plates, key=lambda body: -body.shape.area)
    yield from _discs(poses)
    yield from _thick(poses)
    thick = {frozenset(pair): radius for pair, radius in capsules(poses)}
    for bar in rigid_bars(poses):
        yield _bar(poses, bar, thick.get(frozenset((bar.nodes[0], bar.nodes[-1])), 0.0))
    yield from (_weld(poses, weld) for weld in model.welds if _has_corner(poses, weld))
    for nodes, name in telescopes(model):
        yield from _telescope(poses, nodes, name)
    yield from _blocks(poses)


def telescopes(model: Mechanism) -> Iterator[tuple[NamePair, str]]:
    """What changes its length by itself, with the name of what drives it; a held node is first."""
    held = set(model.ground)
    telescoping = [(actuator.nodes, f"actuator {'-'.join(actuator.nodes)}") for actuator in model.actuators]
    for circuit in model.cylinders:
        named = ["-".join(line) for line in circuit.lines[:3]] + ["…"] * (len(circuit.lines) > 3)
        telescoping += [(line, f"cylinder {', '.join(named)}") for line in circuit.lines]
    for (first, second), name in telescoping:
        yield (second, first) if second in held and first not in held else (first, second), name


def capsules(poses: FramePoses) -> Iterator[tuple[NamePair, float]]:
    """What collides, and how thick: half of the distance at which two touch, or all of it beside a floor."""
    for contact in poses.model.contacts:
        others = contact.against or ()
        floor = bool(others) and all(poses.still(*pair) for pair in others)
        yield from ((pair, contact.radius if floor else contact.radius / 2) for pair in contact.members)
        yield from ((pair, 0.0 if floor else contact.radius / 2) for pair in others)


def rigid_bars(poses: FramePoses) -> list[Bar]:
    """Bars that keep their lengths well enough to be drawn in one piece; elastic ones do so all or none."""
    elastic = [bar for bar in poses.model.bars if bar.stiffness or bar.modulus]
    stiff = [bar for bar in poses.model.bars if not (bar.stiffness or bar.modulus)]
    bound = STIFF * poses.width
    return [
        bar
        for kind in (stiff, elastic)
        if all(float(np.ptp(poses.lengths((bar.nodes[0], bar.nodes[-1])))) <= bound for bar in kind)
        for bar in kind
    ]


def _pair_frame(poses: FramePoses, pair: NamePair) -> Floats:
    """The frame of two nodes: from the first, along x to the second; (F, 3)."""
    direction = poses.path(pair[1]) - poses.path(pair[0])
    return np.column_stack([poses.path(pair[0]), np.arctan2(direction[:, 1], direction[:, 0])])


def _rod(start: float, end: float, radius: float, flat: bool = False) -> Any:
    line: Any = shapely.linestrings([[start, 0.0], [end, 0.0]])
    return line.buffer(radius, quad_segs=6, cap_style="flat" if flat else "round")


def _bar(poses: FramePoses, bar: Bar, thick: float) -> DrawnBody:
    """As thick as what it collides with sees of it."""
    pair = bar.nodes[0], bar.nodes[-1]
    shape = _rod(0.0, float(np.median(poses.lengths(pair))), thick or poses.width / 2)
    name = f"bar {'-'.join(pair)}"
    return DrawnBody(name, shape, _pair_frame(poses, pair), poses.still(*bar.nodes), name)


def _plate(poses: FramePoses, plate: Plate) -> DrawnBody:
    """A plate around its nodes, turned so as to fit them best."""
    drawn = np.array([poses.drawn(name) for name in plate.nodes])
    drawn -= drawn.mean(axis=0)
    there = poses.x[:, poses.numbers(plate.nodes)]
    middle = there.mean(axis=1)
    away = there - middle[:, None]
    turned = np.arctan2(
        (drawn[:, 0] * away[..., 1] - drawn[:, 1] * away[..., 0]).sum(axis=1), (drawn * away).sum(axis=(1, 2))
    )
    (ring,) = faces(drawn)
    hull: Any = shapely.polygons(drawn[ring]) if len(ring) > 2 else shapely.linestrings(drawn[ring])
    shape = hull.buffer(poses.width / 2, quad_segs=6)
    placed = np.column_stack([middle, turned])
    name = f"plate {plate.label}"
    return DrawnBody(plate.label, shape, placed, poses.still(*plate.nodes), name)


def _has_corner(poses: FramePoses, weld: CornerWeld) -> bool:
    """Whether there is a corner to put a gusset in."""
    first, second = (unit(poses.drawn(arm) - poses.drawn(weld.joint)) for arm in weld.arms)
    return bool(first @ second > -0.9)


def _weld(poses: FramePoses, weld: CornerWeld) -> DrawnBody:
    """A gusset between two arms."""
    joint, arms = poses.drawn(weld.joint), [poses.drawn(name) for name in weld.arms]
    frame = _pair_frame(poses, (weld.joint, weld.arms[0]))
    direction = arms[0] - joint
    c, s = direction / np.linalg.norm(direction)
    reach = [min(3.2 * poses.width, 0.45 * float(np.linalg.norm(arm - joint))) for arm in arms]
    tips = [far * unit(arm - joint) for far, arm in zip(reach, arms, strict=True)]
    corners = np.array([[0.0, 0.0], *tips]) @ np.array([[c, -s], [s, c]])
    shape: Any = shapely.convex_hull(shapely.multipoints(corners))
    return DrawnBody(f"weld {weld.joint}", shape.buffer(0.25 * poses.width), frame)


def _telescope(poses: FramePoses, pair: NamePair, name: str) -> Iterator[DrawnBody]:
    """Tubes of one length, each in the one before: spread evenly, they are as long as it takes."""
    lengths, frame = poses.lengths(pair), _pair_frame(poses, pair)
    shortest, longest = float(lengths.min()), float(lengths.max())
    tube = max(0.94 * shortest, 2 * poses.width)
    count = min(max(2, ceil((longest - OVERLAP * longest) / (tube - OVERLAP * longest))), TUBES)
    tube = min(tube, longest / count + OVERLAP * longest)
    direction = poses.directions(pair)
    for k in reversed(range(count)):
        shift = (k / (count - 1)) * (lengths - tube)
        placed = frame + np.column_stack([shift[:, None] * direction, np.zeros(len(direction))])
        share = k / (count - 1)
        shape = _rod(0.0, tube, (0.8 - 0.55 * share) * poses.width, flat=True)
        if k in (0, count - 1):  # eyes
            eye: Any = shapely.points(0.0 if k == 0 else tube, 0.0)
            shape = shape.union(eye.buffer(0.5 * poses.width, quad_segs=6))
        yield DrawnBody(name, shape, placed, element=name)


def _blocks(poses: FramePoses) -> Iterator[DrawnBody]:
    """What slides on a line: blocks on fixed guides, collars on bars."""
    racks = {gear.rack for gear in poses.model.gears}
    half = poses.width * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    for guide in poses.model.guides:
        direction = line_of(guide.line, guide.plane)
        if direction is None or guide.node in racks:
            continue
        turned = np.full(len(poses.x), np.arctan2(direction[1], direction[0]))
        shape = shapely.polygons(half * [1.25, 0.8])
        yield DrawnBody(f"guide {guide.node}", shape, np.column_stack([poses.path(guide.node), turned]))
    for slider in poses.model.sliders:
        placed = np.column_stack([poses.path(slider.node), _pair_frame(poses, slider.on)[:, 2]])
        yield DrawnBody(f"slider {slider.node}", shapely.polygons(half * [1.25, 0.9]), placed)


def line_of(line: tuple[float, ...] | None, plane: tuple[float, ...] | None) -> Floats | None:
    """The direction of a guide in the plane; None of a curve."""
    if line is not None:
        return unit(np.array(line))
    return None if plane is None else unit(np.array([plane[1], -plane[0]]))


def _discs(poses: FramePoses) -> Iterator[DrawnBody]:
    """Obstacles of strings, and nodes that are as thick as balls."""
    discs = {one.node: one.radius for wrap in poses.model.wraps for one in wrap.around if one.node}
    discs |= {pair[0]: radius for pair, radius in capsules(poses) if pair[0] == pair[1] and radius > 0}
    for node, radius in discs.items():
        centre: Any = shapely.points(0.0, 0.0)
        placed = np.column_stack([poses.path(node), np.zeros(len(poses.x))])
        yield DrawnBody(f"disc {node}", centre.buffer(radius, quad_segs=24), placed, poses.still(node))


def _thick(poses: FramePoses) -> Iterator[DrawnBody]:
    """What collides and is no bar, where it keeps its length."""
    barred = {frozenset((bar.nodes[0], bar.nodes[-1])) for bar in poses.model.bars}
    for pair, radius in dict.fromkeys(capsules(poses)):
        lengths = poses.lengths(pair)
        if pair[0] == pair[1] or radius == 0 or frozenset(pair) in barred or np.ptp(lengths) > STIFF * radius:
            continue
        shape = _rod(0.0, float(np.median(lengths)), radius)
        yield DrawnBody(f"contact {'-'.join(pair)}", shape, _pair_frame(poses, pair), poses.still(*pair))
