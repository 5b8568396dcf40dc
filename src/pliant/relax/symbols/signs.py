"""What is drawn beside the parts: ground, guides, motors, loads, fields; in space faces and barrels too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.motion import Mark
from pliant.relax.model import Guide, Rotor
from pliant.relax.symbols.body_faces import faces
from pliant.relax.symbols.body_symbols import capsules, line_of
from pliant.relax.symbols.frame_poses import STANDING, FramePoses, perpendiculars, unit
from pliant.relax.symbols.lines import mouth, rods_in_barrels
from pliant.view.symbols import hatched_line, pivot, turning_arrow

PIVOTS = 200  # beyond which held nodes are squares
ARROWS = 40  # weights that can be told apart
LONGEST, WAY = 0.16, 0.1  # of the size: the arrow of the largest load, and of a way to move
CIRCLE = np.linspace(0, 2 * np.pi, 25)


def signs(poses: FramePoses) -> Iterator[Mark]:
    """Every mark of the mechanism itself."""
    yield from _ground(poses)
    for guide in poses.model.guides:
        yield from _guide(poses, guide)
    yield from _fields(poses)
    if poses.spatial:
        yield from _solid_marks(poses)
    for rotor in poses.model.rotors:
        yield from _motor(poses, rotor)
    yield from _loads(poses)


def moving_marks(
    kind: Literal["segment", "arrow", "polygon", "curve"],
    paths: Floats,
    group: str,
    values: Floats | None = None,
) -> Iterator[Mark]:
    """A mark at places (F, K, D): one in each frame, or one for all where it rests."""
    if values is None and not np.ptp(paths, axis=0).any():
        yield Mark(kind, paths[0].copy(), group=group)
        return
    for k, points in enumerate(paths):
        yield Mark(kind, points.copy(), k, group=group, value=None if values is None else float(values[k]))


# What stands still


def _ground(poses: FramePoses) -> Iterator[Mark]:
    """Pivots, and hatching under what is held at both ends to be run into."""
    floors = {pair for pair, _ in capsules(poses) if poses.still(*pair) and pair[0] != pair[1]}
    ends = {name for pair in floors for name in pair}
    for name in poses.model.ground if len(poses.model.ground) <= PIVOTS else ():
        if name not in ends:
            yield from pivot(poses.path(name)[0], poses.width, _hangs(poses, name))
    for pair in () if poses.spatial else sorted(floors):
        line = np.stack([poses.path(name)[0] for name in pair])
        yield Mark("curve", hatched_line(line, _below(poses, line), poses.width), group="ground")


def _hangs(poses: FramePoses, name: str) -> bool:
    """Whether what a held node carries is straight below it rather than beside or above."""
    node, edges = poses.number[name], poses.net.edges
    others = edges[(edges == node).any(axis=1)].sum(axis=1) - node
    direction = unit(poses.x[0, others] - poses.x[0, node]).sum(axis=0)
    return bool(-direction[1] > abs(direction[0]))


def _below(poses: FramePoses, line: Floats) -> Floats:
    """Across a line, away from where most nodes are."""
    direction = unit(line[1] - line[0])
    aside = np.array([direction[1], -direction[0]])
    others = poses.x[0, : poses.net.shown] - line[0]
    return aside if np.median(others @ aside) <= 0 else -aside


def _guide(poses: FramePoses, guide: Guide) -> Iterator[Mark]:
    path = poses.path(guide.node)
    if guide.curve is not None:
        yield Mark("curve", _spline(poses, guide), group="guide")
    elif not poses.spatial:
        direction = line_of(guide.line, guide.plane)
        yield from (
            () if direction is None else [_rail(poses, path, direction, rack=_is_on_rack(poses, guide.node))]
        )
    elif guide.line is not None:
        direction = unit(np.array(guide.line))
        reach = (path - path[0]) @ direction
        beyond = 3 * poses.width
        ends = np.array([[reach.min() - beyond], [reach.max() + beyond]])
        yield Mark("curve", path[0] + ends * direction, group="guide")
        yield from moving_marks(
            "segment",
            np.stack([path - poses.width * direction, path + poses.width * direction], axis=1),
            "sleeve",
        )
    elif guide.plane is not None:
        yield Mark("polygon", _pane(poses, path, unit(np.array(guide.plane))), group="ground")


def _is_on_rack(poses: FramePoses, node: str) -> bool:
    return any(gear.rack == node for gear in poses.model.gears)


def _rail(poses: FramePoses, path: Floats, direction: Floats, rack: bool) -> Mark:
    """Hatched ground under a block, on the lower side of its line."""
    below = np.array([direction[1], -direction[0]]) * (-1 if direction[0] < 0 else 1)
    reach = (path - path[0]) @ direction
    beyond, deep = 2.6 * poses.width, (2.1 if rack else 0.8) * poses.width
    line = path[0] + np.array([[reach.min() - beyond], [reach.max() + beyond]]) * direction + deep * below
    return Mark("curve", hatched_line(line, below, poses.width), group="guide")


def _spline(poses: FramePoses, guide: Guide) -> Floats:
    """Points along the curve that leads a node."""
    guides = poses.net.parts.guides
    curve = guides.curve[poses.number[guide.node]]
    pieces = guides.pieces[guides.curve_starts[curve] : guides.curve_starts[curve + 1]]
    u = np.linspace(0, 1, 13)[:, None]
    points = [((a * u + b) * u + c) * u + d for a, b, c, d in pieces]
    return np.vstack([points[0][:1], *(piece[1:] for piece in points)])


def _pane(poses: FramePoses, path: Floats, normal: Floats) -> Floats:
    """A square of the plane that a node keeps to, around where it goes."""
    (u,), (v,) = perpendiculars(normal[None])
    flat = np.stack([(path - path[0]) @ u, (path - path[0]) @ v], axis=1)
    low, high = flat.min(axis=0) - 4 * poses.width, flat.max(axis=0) + 4 * poses.width
    corners = [(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])]
    return np.array([path[0] + a * u + b * v for a, b in corners])


def _fields(poses: FramePoses) -> Iterator[Mark]:
    """Where fields pull to: two rings."""
    for field in poses.model.fields:
        for reach in (0.5, 1.1):
            rim = np.zeros((len(CIRCLE), poses.x.shape[2]))
            rim[:, :2] = reach * poses.width * np.column_stack([np.cos(CIRCLE), np.sin(CIRCLE)])
            yield Mark("curve", np.array(field.centre) + rim, group="guide")


# What moves


def _solid_marks(poses: FramePoses) -> Iterator[Mark]:
    """In space: faces of plates, barrels of actuators, sleeves on bars."""
    rings = [
        [plate.nodes[k] for k in ring]
        for plate in poses.model.plates
        for ring in faces(poses.net.drawn[poses.numbers(plate.nodes)])
        if len(ring) > 2
    ]
    for nodes in rings if len(rings) <= STANDING else ():
        yield from moving_marks("polygon", poses.x[:, poses.numbers(nodes)], "plate")
    for pair, _ in rods_in_barrels(poses):
        yield from moving_marks(
            "segment", np.stack([poses.path(pair[0]), mouth(poses, pair)], axis=1), "actuator"
        )
    for slider in poses.model.sliders:
        half = poses.width * poses.directions(slider.on)
        path = poses.path(slider.node)
        yield from moving_marks("segment", np.stack([path - half, path + half], axis=1), "sleeve")


def _motor(poses: FramePoses, rotor: Rotor) -> Iterator[Mark]:
    """An arrow about the joint, ahead of the arm that turns; it rests where the joint does."""
    centre, arm = poses.path(rotor.joint), poses.path(rotor.arms[1]) - poses.path(rotor.joint)
    last = rotor.to[-1] if isinstance(rotor.to, tuple) else rotor.to
    sense = -1.0 if last < 0 else 1.0
    if rotor.axis is None:
        u = unit(arm)
        v = np.stack([-u[:, 1], u[:, 0]], axis=1)
    else:
        direction = poses.directions((rotor.joint, rotor.axis))
        u = unit(arm - (arm * direction).sum(axis=1, keepdims=True) * direction)
        v = np.cross(direction, u)
    if poses.still(rotor.joint):
        u, v = (np.broadcast_to(side[:1], side.shape) for side in (u, v))
    reach = float(np.linalg.norm(arm[0]))
    radius = min(max(0.6 * reach, 2.2 * poses.width), 3.6 * poses.width)
    arc, barb = turning_arrow(radius, 0.0, sense, poses.width)
    bent, head = (
        centre[:, None] + shape[:, :1] * u[:, None] + shape[:, 1:] * v[:, None] for shape in (arc, barb)
    )
    yield from moving_marks("curve", bent, "motor")
    yield from moving_marks("polygon", head, "motor")


def _loads(poses: FramePoses) -> Iterator[Mark]:
    """Forces as arrows from their nodes; weights too, where they are few."""
    named = {load.node for load in poses.model.loads}
    free = [name for name in poses.model.nodes if not poses.still(name)]
    forces = {name: poses.loads[:, poses.number[name]] for name in free}
    heavy = [name for name in free if name not in named and forces[name].any()]
    heavy = heavy if len(heavy) <= ARROWS else []
    shown = [*(name for name in free if name in named), *heavy]
    largest = max((float(np.linalg.norm(forces[name], axis=1).max()) for name in shown), default=0.0)
    for name in shown if largest > 0 else ():
        force = forces[name]
        tips = poses.path(name) + LONGEST * poses.size / largest * force
        paths = np.stack([poses.path(name), tips], axis=1)
        group = "load" if name in named else "weight"
        yield from moving_marks("arrow", paths, group, np.linalg.norm(force, axis=1))


def carriers(poses: FramePoses, carried: Iterable[tuple[str, float]]) -> Iterator[Mark]:
    """Links between nodes of the model that carry an internal load, heavy by how much, in the last frame."""
    ends, names = poses.net.parts.links.ends, poses.net.link_names
    for name, force in carried:
        mine = [pair for pair, other in zip(ends, names, strict=True) if other == name]
        for pair in (pair for pair in mine if pair.max() < poses.net.shown):
            place = poses.x[-1, pair]
            yield Mark("segment", place, len(poses.x) - 1, group="internal load", value=abs(force))


def modes(poses: FramePoses, motions: Floats) -> Iterator[Mark]:
    """Ways it can still move (K, N, D), as arrows in the last frame."""
    for k, mode in enumerate(motions):
        step = mode[: poses.net.shown]
        longest = float(np.linalg.norm(step, axis=1).max(initial=0.0))
        for place, shift in zip(poses.x[-1], step, strict=False):
            if np.linalg.norm(shift) > 0.02 * longest:
                tip = place + WAY * poses.size / longest * shift
                group = "freedom" if len(motions) == 1 else f"freedom {k + 1}"
                yield Mark("arrow", np.stack([place, tip]), len(poses.x) - 1, group=group)
