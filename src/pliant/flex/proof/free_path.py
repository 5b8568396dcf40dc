"""How far along a motion no two bodies touch, by distances: conservative advancement.

Two bodies at a distance d, of which no point goes further than v in the rest of a leg, do not meet before
a share d/v of it. So a leg is gone along by such shares until it is done, or until the two are as good as
touching. Nothing of flex is trusted for that but the frames.
"""

from __future__ import annotations

import numpy as np
import shapely

from pliant.core.arrays import Floats, Geometries, Ints
from pliant.core.pose import carry
from pliant.flex.contact.distance import Rows
from pliant.flex.contact.overlap import path_overlap
from pliant.flex.geometry.parts import Parts
from pliant.flex.geometry.solid import region
from pliant.flex.problem.joints import Joints
from pliant.flex.problem.system import System

TOUCHING = 1e-8  # of the parts' size: nearer than that is not free
STRIDES = 4000  # along one leg: more are not taken
CHORDS = 256  # of a leg, along which limits are looked at
KEPT = 1e-9  # of the parts' size: joints that are left by less are kept


def free_legs(parts: Parts, frames: Floats) -> int:
    """How many legs from frame to frame (F, B, 3), user's frames, no two bodies touch on, from the first."""
    pairs = _pairs(parts)
    shapes = [parts.shapes[shape] for shape in parts.shape_of]
    rings = [[ring - parts.origins[body] for ring in shapes[body]] for body in range(parts.count)]
    radius = np.array([max(float(np.hypot(*ring.T).max()) for ring in own) for own in rings])
    for leg in range(len(frames) - 1):
        if not _is_free(frames[leg], frames[leg + 1], pairs, rings, radius, TOUCHING * parts.size):
            return leg
    return len(frames) - 1


def _pairs(parts: Parts) -> Ints:
    """Pairs of bodies (K, 2), one of them moving, that can meet."""
    first, second = np.triu_indices(parts.count, 1)
    moves = (parts.moving[first] >= 0) | (parts.moving[second] >= 0)
    pairs = np.stack([first, second], axis=1)[moves]
    meeting = [pair for pair in pairs.tolist() if tuple(pair) not in parts.exempt]
    return np.array(meeting, np.int64).reshape(-1, 2)


def _is_free(
    start: Floats, end: Floats, pairs: Ints, rings: list[list[Floats]], radius: Floats, touching: float
) -> bool:
    """Whether pairs (K, 2) stay apart as bodies go straight from poses (B, 3) to others."""
    way = end - start
    travel = np.hypot(way[:, 0], way[:, 1]) + np.abs(way[:, 2]) * radius
    speed = travel[pairs[:, 0]] + travel[pairs[:, 1]]
    place, left = np.zeros(len(pairs)), np.arange(len(pairs))
    for _ in range(STRIDES):
        if not len(left):
            return True
        poses = start + place[left, None, None] * way  # (L, B, 3)
        each = np.arange(len(left))
        sides = [_placed(rings, body, poses[each, body]) for body in pairs[left].T]
        apart = np.asarray(shapely.distance(*sides)) - touching
        if (apart <= 0).any():
            return False
        share = np.divide(apart, speed[left], out=np.full(len(left), np.inf), where=speed[left] > 0)
        place[left] += 0.999 * share
        left = left[place[left] < 1.0]
    return False


def _placed(rings: list[list[Floats]], bodies: Ints, poses: Floats) -> Geometries:
    placed = zip(bodies, poses, strict=True)
    return np.array([region(tuple(carry(pose, ring) for ring in rings[body])) for body, pose in placed])


def kept_legs(system: System, frames: Floats) -> int:
    """How many legs from frame to frame (F, B, 3), user's frames, keep what is no pivot, from the first.

    That is pins with clearance, keep regions, sights and limits; by bounds on what they do between frames.
    """
    parts, joints = system.parts, system.joints
    poses, tiny = with_ground(frames), KEPT * parts.size
    rows = Joints(joints.joints, joints.rows, Rows.none(), joints.linear, 0.0).seen_by_users(parts)
    for leg in range(len(frames) - 1):
        ends = poses[leg : leg + 2]
        if path_overlap(rows, list(ends), tiny) > tiny or _limits_left(system, ends) > tiny:
            return leg
    return len(frames) - 1


def pivot_error(system: System, frames: Floats) -> float:
    """A bound on how far pivots are left on the ways between frames (F, B, 3), user's frames."""
    joints = system.joints
    rows = Joints(joints.joints, Rows.none(), joints.pivots, joints.linear, 0.0).seen_by_users(system.parts)
    return path_overlap(rows, list(with_ground(frames)), 1e-3 * system.threshold) if len(frames) > 1 else 0.0


def _limits_left(system: System, ends: Floats) -> float:
    """A bound on how far limits are left between two poses (2, B + 1, 3), user's frames.

    They count for centroids, which swing off chords of the way of the user's frames by |origin|·turn²/8.
    """
    parts, linear = system.parts, system.joints.linear
    if not len(linear.offset):
        return 0.0
    share = np.linspace(0.0, 1.0, CHORDS + 1)[:, None, None]
    centred = (1 - share) * ends[0] + share * ends[1]
    centred[:, :-1, :2] = carry(centred[:, :-1], -parts.origins)
    turns = (ends[1] - ends[0])[:-1, 2] / CHORDS
    swing = np.append(np.hypot(*parts.origins.T) * turns**2 / 8, 0.0)
    slack = (np.abs(linear.blocks[..., :2]).sum(axis=2) * swing[linear.bodies]).sum(axis=1)
    return float(max((slack - linear.gaps(poses)).max() for poses in centred))


def with_ground(poses: Floats) -> Floats:
    """The same poses with that of the ground after them."""
    return np.concatenate([poses, np.zeros((len(poses), 1, 3))], axis=1)
