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
from pliant.flex.contact.distance import gaps
from pliant.flex.geometry.parts import Parts
from pliant.flex.geometry.solid import region
from pliant.flex.problem.system import System

TOUCHING = 1e-8  # of the parts' size: nearer than that is not free
STRIDES = 4000  # along one leg: more are not taken
BETWEEN = 8  # places on a leg at which joints are looked at


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
    return np.array([pair for pair in pairs.tolist() if tuple(pair) not in parts.exempt], np.int64).reshape(-1, 2)


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
        sides = [
            _placed(rings, pairs[left, side], start[pairs[left, side]] + place[left, None] * way[pairs[left, side]])
            for side in (0, 1)
        ]
        apart = np.asarray(shapely.distance(*sides)) - touching
        if (apart <= 0).any():
            return False
        share = np.divide(apart, speed[left], out=np.full(len(left), np.inf), where=speed[left] > 0)
        place[left] += 0.999 * share
        left = left[place[left] < 1.0]
    return False


def _placed(rings: list[list[Floats]], bodies: Ints, poses: Floats) -> Geometries:
    return np.array([
        region(tuple(carry(pose, ring) for ring in rings[body])) for body, pose in zip(bodies, poses, strict=True)
    ])  # fmt: skip


def joint_error(system: System, frames: Floats) -> float:
    """How far pins, keep regions, sights and limits are left at frames (F, B, 3), user's frames, and between."""
    parts, joints = system.parts, system.joints
    worst = 0.0
    rows = joints.seen_by_users(parts)
    for share in np.linspace(0.0, 1.0, BETWEEN):
        places = (1 - share) * frames[:-1] + share * frames[1:] if len(frames) > 1 else frames
        for user in places:
            poses = np.vstack([user, np.zeros(3)])
            centred = poses.copy()
            centred[:-1, :2] = carry(user, -parts.origins)
            depth = [-gaps(rows, poses), -joints.linear.gaps(centred)]
            worst = max(worst, float(np.concatenate(depth).max(initial=0.0)))
    return worst
