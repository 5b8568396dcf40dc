"""Gears, racks and belts: how large wheels must be to mesh, and teeth that fit into each other.

With θ₂ = ratio θ₁, wheels that mesh have r₁ = |ratio| r₂: outside each other r₁ + r₂ is the distance of
their centres, one inside the other |r₁ − r₂|.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import shapely

from pliant.core.arrays import Floats
from pliant.relax.assemble.couplings import frame
from pliant.relax.model import Gear, NamePair
from pliant.relax.symbols.body_symbols import DrawnBody
from pliant.relax.symbols.frame_poses import DrawnLine, FramePoses, unit
from pliant.relax.symbols.lines import ring

PITCH = 2.0  # from tooth to tooth, over the width of a bar
LEAST, MOST = 8, 160  # teeth
UNEQUAL = 50  # times as large: teeth of one are too few, or those of the other too many
TOO_MANY = 2000  # teeth of a wheel or a rack: nothing but a smooth rim to the eye
TURN = 2 * np.pi
FLANK = np.array([-0.31, -0.13, 0.13, 0.31])  # a tooth's corners along the rim, in pitches
HEIGHT = np.array([-1.15, 0.9, 0.9, -1.15])  # and from the pitch circle, in modules


class Wheel(NamedTuple):
    """A wheel as drawn."""

    nodes: NamePair  # centre, and what turns about it
    radius: float
    teeth: int = 0  # 0: smooth
    tooth: float = 0.0  # the angle of one of them
    inner: bool = False  # teeth point inwards

    def away(self, angle: float) -> float:
        """How far past a tooth the rim is at an angle, in pitches from 0 to 1."""
        return float((angle - self.tooth) * self.teeth / TURN % 1.0)


class Rack(NamedTuple):
    """A rack as drawn: a straight row of teeth."""

    node: str
    wheel: Wheel
    contact: Floats  # (2,) where its pitch line touches the wheel
    tangent: Floats  # (2,) unit vector, the way the rim goes there as the wheel turns left about
    inwards: Floats  # (2,) unit vector from the contact to the wheel's centre


def wheel_bodies(poses: FramePoses) -> Iterator[DrawnBody]:
    """Wheels and racks of the plane, each turning with its node."""
    wheels, racks = _wheels_and_racks(poses)
    for wheel in wheels:
        centre, node = (poses.path(name) for name in wheel.nodes)
        away, drawn = node - centre, poses.drawn(wheel.nodes[1]) - poses.drawn(wheel.nodes[0])
        turned = np.arctan2(away[:, 1], away[:, 0]) - np.arctan2(drawn[1], drawn[0])
        placed = np.column_stack([centre, turned])
        shape = _outline(wheel, float(np.arctan2(drawn[1], drawn[0])), poses.width)
        yield DrawnBody(f"wheel {wheel.nodes[0]}", shape, placed, poses.still(*wheel.nodes))
    for rack in racks:
        placed = np.column_stack([poses.path(rack.node), np.zeros(len(poses.x))])
        yield DrawnBody(f"rack {rack.node}", _rack_outline(poses, rack), placed)


def wheel_lines(poses: FramePoses) -> Iterator[DrawnLine]:
    """Belts; in space the pitch circles of wheels."""
    for gear in poses.model.gears:
        if gear.wheels and gear.ratio and _is_belt(poses, gear):
            yield _belt(poses, gear.wheels, gear.ratio, gear.axis)
    if not poses.spatial:
        return
    for gear in poses.model.gears:
        u, v = (np.broadcast_to(axis, (len(poses.x), 3)) for axis in frame(np.array(gear.axis)))
        yield from (ring(poses.path(wheel.nodes[0]), u, v, wheel.radius) for wheel in _pair(poses, gear))


# How large, and how many teeth


def _wheels_and_racks(poses: FramePoses) -> tuple[list[Wheel], list[Rack]]:
    """All wheels, each once, with teeth that fit those of the wheels before."""
    known: dict[tuple[NamePair, float], Wheel] = {}
    racks: list[Rack] = []
    for gear in poses.model.gears:
        pair = _pair(poses, gear)
        # A wheel that has its teeth already gives them to the other.
        pair = sorted(pair, key=lambda wheel: _key(poses, wheel) not in known)
        first = known.get(_key(poses, pair[0]), pair[0])
        if len(pair) == 2 and not _is_belt(poses, gear):
            first, second = _toothed_pair(poses, first, known.get(_key(poses, pair[1]), pair[1]))
            known[_key(poses, second)] = second
        elif gear.rack and not first.teeth:
            first = first._replace(teeth=_count(poses, first.radius))
        known |= {_key(poses, wheel): known.get(_key(poses, wheel), wheel) for wheel in pair[1:]}
        known[_key(poses, first)] = first
        if gear.rack:
            racks.append(_rack(poses, gear, first))
    return sorted(known.values(), key=lambda wheel: -wheel.radius), racks


def _key(poses: FramePoses, wheel: Wheel) -> tuple[NamePair, float]:
    """Two wheels of one size that turn with one node are one."""
    return wheel.nodes, round(wheel.radius / poses.size, 6)


def _is_belt(poses: FramePoses, gear: Gear) -> bool:
    """Whether two wheels turn the same way side by side: one is not inside the other."""
    if gear.wheels is None or gear.ratio is None or gear.ratio < 0 or gear.carrier is not None:
        return False
    first, second = (float(np.linalg.norm(poses.drawn(b) - poses.drawn(a))) for a, b in gear.wheels)
    apart = float(np.linalg.norm(poses.drawn(gear.wheels[1][0]) - poses.drawn(gear.wheels[0][0])))
    return abs(abs(first - second) - apart) > 0.02 * apart


def _pair(poses: FramePoses, gear: Gear) -> list[Wheel]:
    """The wheels of a gear by their radii: one of a rack."""
    if gear.wheels is None or gear.ratio is None:
        return [Wheel(gear.wheel, abs(gear.radius))] if gear.wheel and gear.radius else []
    ratio = abs(gear.ratio)
    apart = float(np.linalg.norm(poses.drawn(gear.wheels[1][0]) - poses.drawn(gear.wheels[0][0])))
    marked = [float(np.linalg.norm(poses.drawn(b) - poses.drawn(a))) for a, b in gear.wheels]
    inside = gear.ratio > 0 and not _is_belt(poses, gear) and ratio != 1
    if apart <= 1e-6 * poses.size or (gear.ratio > 0 and not inside):
        radii = marked[0], marked[0] / ratio  # on one axis, or with a belt: only the ratio is known
    elif inside:
        radii = ratio * apart / abs(ratio - 1), apart / abs(ratio - 1)
    else:
        radii = ratio * apart / (1 + ratio), apart / (1 + ratio)
    return [
        Wheel(nodes, radius, inner=inside and radius == max(radii))
        for nodes, radius in zip(gear.wheels, radii, strict=True)
    ]


def _toothed_pair(poses: FramePoses, first: Wheel, second: Wheel) -> tuple[Wheel, Wheel]:
    """Both with teeth: the second's stand in the gaps of the first's where they touch."""
    apart = poses.drawn(second.nodes[0]) - poses.drawn(first.nodes[0])
    unequal = max(first.radius / second.radius, second.radius / first.radius) > UNEQUAL
    if unequal or np.linalg.norm(apart) <= 1e-6 * poses.size:
        return first, second
    if not first.teeth:
        parts = Fraction(first.radius / second.radius).limit_denominator(100)
        times = max(round(_count(poses, first.radius) / parts.numerator), 1)
        while times * min(parts.numerator, parts.denominator) < LEAST:
            times += 1
        first = first._replace(teeth=times * parts.numerator)
    # Where they touch: between the centres, or beyond that of the wheel inside.
    angle = float(np.arctan2(apart[1], apart[0])) + (np.pi if second.inner else 0.0)
    if second.teeth:
        return first, second
    teeth = max(round(first.teeth * second.radius / first.radius), 3)
    if max(teeth, first.teeth) > TOO_MANY:
        return first._replace(teeth=0), second
    nested = first.inner or second.inner
    past = (0.5 - first.away(angle)) * TURN / teeth
    tooth = angle + past if nested else angle + np.pi - past
    return first, second._replace(teeth=teeth, tooth=tooth)


def _count(poses: FramePoses, radius: float) -> int:
    return int(np.clip(round(TURN * radius / (PITCH * poses.width)), LEAST, MOST))


# Outlines


def _outline(wheel: Wheel, spoke: float, width: float) -> Any:
    """A wheel about the origin, with spokes where there is room, the first at an angle."""
    centre: Any = shapely.points(0.0, 0.0)
    depth = 0.0  # of the teeth, under the pitch circle
    rim: Any = centre.buffer(wheel.radius, quad_segs=24)
    if wheel.teeth:
        depth = 2.3 * wheel.radius / wheel.teeth
        rim = shapely.polygons(_teeth(wheel))
    if wheel.inner:
        whole = centre.buffer(wheel.radius + depth + 2.2 * width, quad_segs=32)
        toothed = whole.difference(rim)
        return toothed if toothed.geom_type == "Polygon" else whole.difference(centre.buffer(wheel.radius))
    inside = wheel.radius - depth - 1.6 * width
    if inside < 2.6 * width:
        return rim
    ends = inside * np.exp(1j * (spoke + TURN / 3 * np.arange(3)))
    arms = shapely.multilinestrings([[[0.0, 0.0], [end.real, end.imag]] for end in ends])
    web: Any = shapely.union(shapely.buffer(arms, 0.45 * width), centre.buffer(1.3 * width))
    hollow = rim.difference(centre.buffer(inside, quad_segs=24).difference(web))
    return hollow if hollow.geom_type == "Polygon" else rim  # thin and with few teeth it falls apart


def _teeth(wheel: Wheel) -> Floats:
    """The rim of a wheel: trapezoids, outwards or inwards."""
    module, pitch = 2 * wheel.radius / wheel.teeth * (-1 if wheel.inner else 1), TURN / wheel.teeth
    angles = wheel.tooth + pitch * (np.arange(wheel.teeth)[:, None] + FLANK)
    radii = wheel.radius + module * HEIGHT
    return np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=-1).reshape(-1, 2)


def _rack(poses: FramePoses, gear: Gear, wheel: Wheel) -> Rack:
    """The rim at the contact goes along the rack where the radius is positive, else against it."""
    along = unit(np.array(gear.along)) * np.sign(gear.radius or 1.0)
    outwards = np.array([along[1], -along[0]])
    centre = poses.drawn(wheel.nodes[0])
    return Rack(gear.rack or "", wheel, centre + wheel.radius * outwards, along, -outwards)


def _rack_outline(poses: FramePoses, rack: Rack) -> Any:
    """Teeth along the travel, in the frame of the rack's node."""
    wheel = rack.wheel
    module, pitch = 2 * wheel.radius / wheel.teeth, TURN * wheel.radius / wheel.teeth
    travel = (poses.path(rack.node) - poses.drawn(rack.node)) @ rack.tangent
    angle = float(np.arctan2(*-rack.inwards[::-1]))
    first = (0.5 - wheel.away(angle)) * pitch  # a tooth of the rack beside the contact
    low, high = float((-travel).min()) - 3 * pitch, float((-travel).max()) + 3 * pitch
    if high - low > TOO_MANY * pitch:  # a smooth bar
        along, up, module = np.array([low, high]), np.zeros(2), poses.width / 3.2
    else:
        along, up = _row(first, low, high, pitch)
        up = module * up
    ends = np.array([along[-1], along[0]])
    along, up = np.concatenate([along, ends]), np.concatenate([up, np.full(2, -3.2 * module)])
    corners = (
        rack.contact - poses.drawn(rack.node) + np.outer(along, rack.tangent) + np.outer(up, rack.inwards)
    )
    return shapely.polygons(corners)


def _row(first: float, low: float, high: float, pitch: float) -> tuple[Floats, Floats]:
    """Corners of teeth in a row: along it, and from the pitch line in modules."""
    teeth = first + pitch * np.arange(np.floor((low - first) / pitch), np.ceil((high - first) / pitch) + 1)
    along = (teeth[:, None] + pitch * FLANK).ravel()
    up = np.tile(HEIGHT, len(teeth))
    along = np.concatenate([along[:1] - 0.19 * pitch, along, along[-1:] + 0.19 * pitch])
    return along, np.concatenate([up[:1], up, up[-1:]])


def _belt(
    poses: FramePoses, wheels: tuple[NamePair, NamePair], ratio: float, axis: tuple[float, ...] | None
) -> DrawnLine:
    """Around two wheels that turn the same way: half circles, or a little more, and two lines."""
    first, second = (poses.path(nodes[0]) for nodes in wheels)
    radius = float(np.linalg.norm(poses.drawn(wheels[0][1]) - poses.drawn(wheels[0][0])))
    radii = radius, radius / ratio
    apart = second - first
    u = unit(apart)
    v = np.stack([-u[:, 1], u[:, 0]], axis=1) if axis is None else np.cross(unit(np.array(axis)), u)
    lean = np.arccos(np.clip((radii[0] - radii[1]) / np.linalg.norm(apart, axis=1), -1, 1))
    share = np.linspace(0, 1, 17)
    arcs = [
        (first, radii[0], lean[:, None] + share * (TURN - 2 * lean)[:, None]),
        (second, radii[1], -lean[:, None] + share * (2 * lean)[:, None]),
    ]
    points = [
        middle[:, None] + reach * (np.cos(a)[..., None] * u[:, None] + np.sin(a)[..., None] * v[:, None])
        for middle, reach, a in arcs
    ]
    loop = np.concatenate([*points, points[0][:, :1]], axis=1)
    return DrawnLine(None, loop, None)
