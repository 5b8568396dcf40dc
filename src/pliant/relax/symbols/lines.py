"""What is drawn as lines: strings and springs everywhere; in space bars, rods, pins, rims and balls too."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.relax.model import NamePair, Spring, String
from pliant.relax.network.winding import course
from pliant.relax.symbols.body_faces import faces
from pliant.relax.symbols.body_symbols import capsules, rigid_bars, telescopes
from pliant.relax.symbols.frame_poses import STANDING, DrawnLine, FramePoses, perpendiculars, unit

SAG = 9  # points of a slack string
COILS = 8
ARC = 0.2  # radians of an arc between two of its points
TURN = 12  # points of a coil, and of a circle's half
FEW = 60  # springs, balls and rings that are drawn in full
LEAD = 0.14  # of a spring's length, straight at either end
BARREL = 0.55  # of an actuator's shortest length


def lines(poses: FramePoses) -> Iterator[DrawnLine]:
    """Every line; points between nodes have no name."""
    model = poses.model
    yield from (_string(poses, string) for string in model.strings)
    yield from (_spring(poses, spring) for spring in model.springs)
    for index, wrap in enumerate(model.wraps):
        first, last = poses.numbers(wrap.nodes)
        name = f"wrap {'-'.join(wrap.nodes)}"
        between = poses.x[:, _string_nodes(poses, index)] if poses.spatial else _string_arcs(poses, index)
        yield DrawnLine(first, between, last, name)
    yield from (_bumper(poses, bumper.nodes, bumper.length) for bumper in model.bumpers)
    yield from _rods(poses)
    if poses.spatial:
        yield from _pins(poses)
        yield from _circles(poses)


def _string_nodes(poses: FramePoses, index: int) -> Ints:
    """The hidden nodes of a wrapped string, in order."""
    start = f"wrap {index + 1}: "
    hidden = range(poses.net.shown, len(poses.net.names))
    return np.array([k for k in hidden if poses.net.names[k].startswith(start)], np.int64)


def _string_arcs(poses: FramePoses, index: int) -> Floats:
    """(F, K, 2) the arcs of a string in the plane, with as many points as its longest needs."""
    couplings, count = poses.net.parts.couplings, len(poses.net.coupling_names)
    c = count - len(poses.model.wraps) + index
    turned = np.zeros((len(poses.x), len(couplings.measures))) if poses.turned is None else poses.turned
    swept = np.abs(turned[:, couplings.firsts[c] : couplings.firsts[c + 1]]).max(initial=np.pi)
    points = 2 + int(swept / ARC)
    return np.stack([course(x, couplings, c, last, points) for x, last in zip(poses.x, turned, strict=True)])


# Strings, springs and bumpers


def _string(poses: FramePoses, string: String) -> DrawnLine:
    """Straight where it is tight; else it hangs in a curve as long as it is."""
    first, last = poses.numbers(string.nodes)
    start, end = poses.x[:, first], poses.x[:, last]
    name = f"string {'-'.join(string.nodes)}"
    span, length = poses.lengths(string.nodes), poses.rests[:, poses.net.link_names.index(name)]
    # A flat arc of a span d that hangs down by s is d + 8 s²/(3 d) long.
    sag = np.minimum(np.sqrt(3 / 8 * np.maximum(span * (length - span), 0.0)), length / 2)
    share = np.linspace(0, 1, SAG + 2)[1:-1, None]
    straight = start[:, None] + share * (end - start)[:, None]
    hang = 4 * share * (1 - share) * sag[:, None, None] * _sag_direction(poses)
    return DrawnLine(first, straight + hang, last, name)


def _sag_direction(poses: FramePoses) -> Floats:
    gravity = np.array(poses.model.gravity or ())
    return unit(gravity) if gravity.any() else -np.eye(poses.x.shape[2])[-1]


def _spring(poses: FramePoses, spring: Spring) -> DrawnLine:
    """A zigzag; in space a coil."""
    first, last = poses.numbers(spring.nodes)
    start, direction, length = poses.x[:, first], poses.directions(spring.nodes), poses.lengths(spring.nodes)
    if len(poses.model.springs) > FEW:
        aside, radius = np.zeros((len(start), 1, start.shape[1])), 0.0
    elif poses.spatial:
        angles = np.linspace(0, 2 * np.pi * COILS, TURN * COILS + 1)[:, None]
        u, v = perpendiculars(direction)
        aside, radius = np.cos(angles) * u[:, None] + np.sin(angles) * v[:, None], 1.7 * poses.width
    else:
        sides = np.where(np.arange(2 * COILS + 1) % 2, 1.0, -1.0)
        sides[[0, -1]] = 0.0
        aside, radius = sides[:, None] * _left_normals(direction)[:, None], 1.3 * poses.width
    share = np.linspace(LEAD, 1 - LEAD, aside.shape[1])[:, None]
    coil = start[:, None] + share * (length[:, None] * direction)[:, None] + radius * aside
    return DrawnLine(first, coil, last, f"spring {'-'.join(spring.nodes)}")


def _left_normals(ways: Floats) -> Floats:
    return np.stack([-ways[:, 1], ways[:, 0]], axis=1)


def _bumper(poses: FramePoses, nodes: NamePair, length: float) -> DrawnLine:
    """A stub as long as the nodes must stay apart, with a pad at its end in the plane."""
    first = poses.number[nodes[0]]
    direction = poses.directions(nodes)
    tip = (poses.x[:, first] + length * direction)[:, None]
    if poses.spatial:
        return DrawnLine(first, tip, None)
    pad = 0.9 * poses.width * _left_normals(direction)[:, None]
    return DrawnLine(first, np.concatenate([tip, tip - pad, tip + pad], axis=1), None)


# Bars and what is like them, where they are lines


def _rods(poses: FramePoses) -> Iterator[DrawnLine]:
    """Where nothing has a width, all of them; else what gives way, and the lines of sliders."""
    none = np.zeros((len(poses.x), 0, poses.x.shape[2]))
    for pair, name in _stroke_pairs(poses).items():
        first, last = poses.numbers(pair)
        yield DrawnLine(first, none, last, name)
    for nodes, name in rods_in_barrels(poses):
        yield DrawnLine(None, mouth(poses, nodes)[:, None], poses.number[nodes[1]], name)


def rods_in_barrels(poses: FramePoses) -> list[tuple[NamePair, str]]:
    """What changes its length and is drawn in space as a rod in a barrel."""
    rods = list(telescopes(poses.model)) if poses.spatial else []
    return rods if len(rods) <= STANDING else []


def _stroke_pairs(poses: FramePoses) -> dict[NamePair, str]:
    """Pairs of nodes with a stroke between them, each once, and whose it is."""
    model, pairs = poses.model, dict[NamePair, str]()
    rigid = rigid_bars(poses) if poses.solid else ()
    bars = [bar for bar in model.bars if bar not in rigid]
    owned = [(pair, f"bar {bar.nodes[0]}-{bar.nodes[-1]}") for bar in bars for pair in pairwise(bar.nodes)]
    if not poses.solid:
        owned += _edges(poses)
        owned += [] if rods_in_barrels(poses) else telescopes(model)
    solid = [frozenset(part.nodes) for part in (*model.bars, *model.plates)]
    owned += [(one.on, "") for one in model.sliders if not any(part.issuperset(one.on) for part in solid)]
    for pair, name in owned:
        if pair[::-1] not in pairs:
            pairs.setdefault(pair, name)
    return pairs


def _edges(poses: FramePoses) -> Iterator[tuple[NamePair, str]]:
    for plate in poses.model.plates:
        for ring in faces(poses.net.drawn[poses.numbers(plate.nodes)]):
            nodes = [plate.nodes[k] for k in ring]
            yield from ((pair, f"plate {plate.label}") for pair in pairwise([*nodes, nodes[0]]))


def mouth(poses: FramePoses, nodes: NamePair) -> Floats:
    """Where the rod of an actuator leaves its barrel, (F, D)."""
    return poses.path(nodes[0]) + BARREL * poses.lengths(nodes).min() * poses.directions(nodes)


# Round things in space


def _pins(poses: FramePoses) -> Iterator[DrawnLine]:
    """The axes of hinges."""
    for index, hinge in enumerate(poses.model.hinges):
        joint, axis = poses.path(hinge.joint), poses.x[:, poses.net.names.index(f"hinge {index + 1}: axis")]
        half = 2.2 * poses.width * unit(axis - joint)
        yield DrawnLine(None, np.stack([joint - half, joint + half], axis=1), None)


def _circles(poses: FramePoses) -> Iterator[DrawnLine]:
    """Obstacles of strings, and what is thick enough to collide."""
    around = [obstacle for wrap in poses.model.wraps for obstacle in wrap.around]
    solids = dict.fromkeys((one.cylinder or (one.node or "",) * 2, one.radius) for one in around)
    solids |= dict.fromkeys((pair, radius) for pair, radius in capsules(poses) if radius > 0)
    for (first, last), radius in list(solids)[:FEW]:
        yield from (_ball(poses, first, radius) if first == last else _tube(poses, (first, last), radius))


def _ball(poses: FramePoses, node: str, radius: float) -> Iterator[DrawnLine]:
    """Three great circles."""
    middle = np.broadcast_to(poses.path(node), (len(poses.x), 3))
    axes = np.broadcast_to(np.eye(3)[:, None], (3, len(poses.x), 3))
    yield from (ring(middle, axes[k - 2], axes[k - 1], radius) for k in range(3))


def _tube(poses: FramePoses, pair: NamePair, radius: float) -> Iterator[DrawnLine]:
    """A circle at either end, and four lines along."""
    u, v = perpendiculars(poses.directions(pair))
    first, last = poses.path(pair[0]), poses.path(pair[1])
    yield from (ring(middle, u, v, radius) for middle in (first, last))
    for side in (u, v, -u, -v):
        yield DrawnLine(None, np.stack([first + radius * side, last + radius * side], axis=1), None)


def ring(middle: Floats, u: Floats, v: Floats, radius: float) -> DrawnLine:
    """A circle about places (F, 3) in the plane of unit vectors u and v (F, 3)."""
    angles = np.linspace(0, 2 * np.pi, 2 * TURN + 1)[:, None]
    rim = np.cos(angles) * u[:, None] + np.sin(angles) * v[:, None]
    return DrawnLine(None, middle[:, None] + radius * rim, None)
