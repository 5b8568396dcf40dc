"""Distance rows: how far a point of one body is from a line carried by another.

d = R(θ₁)n · (x₂ + R(θ₂)p − x₁) − c,  with c = n·o

n is the line's unit normal and o a point on it, in the frame of body 1; p is in the
frame of body 2. A row is kept when d ≥ 0. Contacts, pins, keep regions and sight cones
are all rows of this form; limits are rows that are linear to begin with.

Source: [Lensgraf2020] eqs 12 to 16.
Differs: eq. 16 as printed is the negative of the gradient of eq. 12, writes s_e0 with
θ0, leaves a parenthesis out of c_e0 and does not define c_p and s_p. The gradient here
is that of eq. 12, with p and n in place of polar coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from pliant.core.arrays import Bools, Floats, Ints
from pliant.core.pose import dot, rotate, rotations
from pliant.flex.lp.program import COMPILED


@dataclass(frozen=True)
class Rows:
    """R rows as arrays. Body indices are those of Parts, the ground included."""

    edge_body: Ints  # (R,) body 1, which carries the line
    point_body: Ints  # (R,) body 2, which carries the point
    normal: Floats  # (R, 2) n
    offset: Floats  # (R,) c
    point: Floats  # (R, 2) p
    source: Ints  # (R,) the joint a row belongs to, an index into Joints; -1: a contact

    def __len__(self) -> int:
        return len(self.offset)

    @classmethod
    def join(cls, *parts: Rows) -> Rows:
        """Rows one after the other; where only one of them has any, that one."""
        some = [part for part in parts if len(part.offset)] or [parts[0]]
        if len(some) == 1:
            return some[0]
        return Rows(*(np.concatenate([getattr(part, name) for part in some]) for name in COLUMNS))

    def take(self, which: Bools) -> Rows:
        """Some of the rows."""
        return Rows(*(getattr(self, name)[which] for name in COLUMNS))

    @classmethod
    def none(cls) -> Rows:
        """No rows."""
        empty = np.zeros(0, np.int64)
        return Rows(empty, empty, np.zeros((0, 2)), np.zeros(0), np.zeros((0, 2)), empty)


COLUMNS = tuple(each.name for each in fields(Rows))


def gaps(rows: Rows, poses: Floats) -> Floats:
    """D of every row, (R,): eq. 12."""
    if len(rows) > COMPILED:
        from pliant.flex.contact import kernels as compiled

        return compiled.gaps(*_columns(rows), poses)
    normal, arm, _ = _world(rows, poses)
    return dot(normal, arm) - rows.offset


def gaps_and_blocks(rows: Rows, poses: Floats) -> tuple[Floats, Floats]:
    """d, and ∂d/∂(x, y, θ) of body 1 and body 2 as (R, 2, 3): eq. 16, closed form."""
    if len(rows) > COMPILED:
        from pliant.flex.contact import kernels as compiled

        return compiled.blocks(*_columns(rows), poses)
    normal, arm, point = _world(rows, poses)
    blocks = np.empty((len(rows), 2, 3))
    blocks[:, 0, :2] = -normal
    blocks[:, 0, 2] = normal[:, 0] * arm[:, 1] - normal[:, 1] * arm[:, 0]
    blocks[:, 1, :2] = normal
    blocks[:, 1, 2] = normal[:, 1] * point[:, 0] - normal[:, 0] * point[:, 1]
    return dot(normal, arm) - rows.offset, blocks


class _RowColumns(NamedTuple):
    """What the compiled loops read of rows, in the order of their arguments."""

    edge_body: Ints
    point_body: Ints
    normal: Floats
    offset: Floats
    point: Floats


def _columns(rows: Rows) -> _RowColumns:
    return _RowColumns(rows.edge_body, rows.point_body, rows.normal, rows.offset, rows.point)


def contact_points(rows: Rows, poses: Floats) -> tuple[Floats, Floats]:
    """Where each row's point is in the world, and the line's normal there, (R, 2) each."""
    normal, arm, _ = _world(rows, poses)
    return poses[rows.edge_body, :2] + arm, normal


def _world(rows: Rows, poses: Floats) -> tuple[Floats, Floats, Floats]:
    """R(θ₁)n, x₂ + R(θ₂)p − x₁ and R(θ₂)p. Rows of two are taken: to index them takes thrice as long."""
    turned, at = rotations(poses), np.ascontiguousarray(poses[:, :2])
    normal = rotate(turned.take(rows.edge_body, axis=0), rows.normal)
    point = rotate(turned.take(rows.point_body, axis=0), rows.point)
    return normal, at.take(rows.point_body, axis=0) + point - at.take(rows.edge_body, axis=0), point
