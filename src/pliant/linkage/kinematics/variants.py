"""Many variants of one linkage at once: one plan, other drawings.

Each variant has the lengths and the sides of its own drawing. The cosines of the motor angles
are found once for all of them, and a variant is run in a scratch small enough for the
processor's cache, so that only the traced points travel to memory. What is reached is judged at
the given angles alone, not between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np

from pliant.core.arrays import Bools, Floats, Ints
from pliant.core.errors import PliantError
from pliant.core.kernel import inner, kernel
from pliant.core.threads import in_threads, threads
from pliant.linkage.kinematics.rules import fill_openness, place_joints
from pliant.linkage.structure.rule import SIDED, RuleKind, op_at
from pliant.linkage.structure.rule_plan import RulePlan
from pliant.linkage.structure.sides import fill_sides

BLOCK = 4096  # variants of which a stream holds the curves at once
PIECES = 4  # a thread: more than one, for one thread may be slower than the others
BEYOND = 1e-12  # of |c| over 1, which is rounding and not a gap

Reduced = TypeVar("Reduced")
Reduce = Callable[[Floats, Floats, Bools], Reduced]  # of drawings (v, N, 2), points, reached


def variant_curves(
    plan: RulePlan, drawings: Floats, angles: Floats, trace: int | Sequence[int]
) -> tuple[Floats, Bools]:
    """The traced joints (V, T, 2, F) of the variants (V, N, 2) at motor angles (M, F), and what is reached.

    `reached` (V, F) is False where a rule of the variant does not close, and at every pose where
    it is drawn flat, so that it has no side. It is judged at these angles and nowhere between: a
    variant that is reached at all of them may still be stopped for a moment between two. How far
    it truly runs is what `pliant trace` and `limits.motion_range` find.

    Args:
        plan: of the linkage, from `compile_plan`.
        drawings: positions of the joints as drawn (V, N, 2).
        angles: of the motors, from the drawn pose (M, F) in rad.
        trace: index of a joint, or of T of them.

    Returns:
        Points (V, T, 2, F), or (V, 2, F) of one joint; and what is reached (V, F).

    Raises:
        PliantError: joints of the plan are found together.
    """
    run = _Batch(plan, angles, trace)
    return run(drawings)


def stream_variants(
    plan: RulePlan,
    drawings: Floats | Iterable[Floats],
    angles: Floats,
    trace: int | Sequence[int],
    reduce: Reduce[Reduced],
) -> Iterator[Reduced]:
    """What `reduce` makes of each block of variants, one block after another.

    `drawings` are (V, N, 2), or yielded in pieces (v, N, 2) of any size. The points and flags
    that `reduce` is given are overwritten by the next block: what it keeps, it must copy.

    Args:
        plan: of the linkage, from `compile_plan`.
        drawings: positions of the joints as drawn (V, N, 2), or pieces of them.
        angles: of the motors, from the drawn pose (M, F) in rad.
        trace: index of a joint, or of T of them.
        reduce: called with drawings, points and what is reached of a block.

    Yields:
        What `reduce` gave, block by block.

    Raises:
        PliantError: joints of the plan are found together.
    """
    run = _Batch(plan, angles, trace)
    room = np.empty((BLOCK, *run.shape)), np.empty((BLOCK, run.angles.shape[1]), np.bool_)
    pieces = [drawings] if isinstance(drawings, np.ndarray) else drawings
    for piece in pieces:
        for first in range(0, len(piece), BLOCK):
            block = piece[first : first + BLOCK]
            yield reduce(block, *run(block, room))


class _Batch:
    """A plan at given angles, ready for any drawing."""

    def __init__(self, plan: RulePlan, angles: Floats, trace: int | Sequence[int]) -> None:
        if plan.groups:
            names = ", ".join(plan.structure.names[k] for group in plan.groups for k in group.joints.tolist())
            raise PliantError(
                f"{names}: these joints are found together, and a batch runs only linkages whose joints are "
                "found one by one. Run the variants one at a time, with pliant.linkage.follow."
            )
        self.plan = plan
        self.angles = np.atleast_2d(np.asarray(angles, np.float64))
        self.cosines, self.sines = plan.structure.cosines_and_sines(self.angles)
        self.trace = np.atleast_1d(np.array(trace, np.int64))
        self.shape = len(self.trace), 2, self.angles.shape[1]

    def __call__(self, drawings: Floats, room: tuple[Floats, Bools] | None = None) -> tuple[Floats, Bools]:
        """The traced points and what is reached, in `room` where it is given."""
        wanted = self.plan.drawn.shape
        if drawings.ndim != 3 or drawings.shape[1:] != wanted:
            raise PliantError(f"drawings of shape {drawings.shape}: this plan needs (V, {wanted[0]}, 2).")
        for twin, pin in self.plan.structure.twins:
            if (drawings[:, twin] != drawings[:, pin]).any():
                one, other = (self.plan.structure.names[k] for k in (pin, twin))
                raise PliantError(f"{one} and {other} are one pin of this plan: draw them at one place.")
        count = len(drawings)
        room = room or (np.empty((count, *self.shape)), np.empty((count, self.angles.shape[1]), np.bool_))
        points, reached = room[0][:count], room[1][:count]
        given = np.require(drawings, np.float64, ["C", "W"])  # read-only ones would be compiled for apart

        def piece(ends: tuple[int, int]) -> None:
            _variants(
                self.plan.ops, given, self.cosines, self.sines, self.trace, *ends, points, reached
            )  # fmt: skip

        cuts = np.linspace(0, count, min(PIECES * threads(), max(count // 32, 1)) + 1).astype(int).tolist()
        in_threads(piece, list(pairwise(cuts)))
        return points, reached


@kernel
def _variants(
    ops: Ints, drawings: Floats, cosines: Floats, sines: Floats, trace: Ints,
    first: int, last: int, points: Floats, reached: Bools,
) -> None:  # fmt: skip
    poses = cosines.shape[1]
    x, signs = np.empty((drawings.shape[1], 2, poses)), np.empty(len(ops))
    still, rest = np.zeros((drawings.shape[1], 2, poses)), np.zeros(cosines.shape)
    c, dc = np.empty((1, poses)), np.empty((1, poses))
    for variant in range(first, last):
        drawn = drawings[variant]
        fill_sides(ops, drawn, signs)
        place_joints(ops, signs, drawn, cosines, sines, 0, poses, x)
        _closes(ops, signs, drawn, x, cosines, still, rest, c, dc, reached[variant])
        for t in range(len(trace)):
            _copy(x[trace[t]], points[variant, t])


@inner
def _copy(source: Floats, target: Floats) -> None:
    for axis in range(source.shape[0]):
        for f in range(source.shape[1]):
            target[axis, f] = source[axis, f]


@inner
def _closes(
    ops: Ints, signs: Floats, drawn: Floats, x: Floats, cosines: Floats, still: Floats, rest: Floats,
    c: Floats, dc: Floats, reached: Bools,
) -> None:  # fmt: skip
    """Whether |c| ≤ 1 (see `rules.fill_openness`) for every rule that can fail to close, at each pose.

    `still` and `rest` are rates of 0, and c, dc (1, F) are scratch.
    """
    reached[:] = True
    for o in range(len(ops)):
        op = op_at(ops, o)
        rule, k, i, j, b = op.rule, op.k, op.i, op.j, op.b
        if rule not in SIDED:
            continue
        if signs[o] == 0.0:
            reached[:] = False
            return
        ri = (drawn[k, 0] - drawn[i, 0]) ** 2 + (drawn[k, 1] - drawn[i, 1]) ** 2
        if rule not in (RuleKind.TRIANGLE, RuleKind.SLIDER):
            fill_openness(ops[o : o + 1], drawn, x, still, cosines, rest, c, dc)
            for f in range(x.shape[2]):
                reached[f] &= abs(c[0, f]) <= 1.0 + BEYOND
        elif rule == RuleKind.TRIANGLE:
            rj = (drawn[k, 0] - drawn[j, 0]) ** 2 + (drawn[k, 1] - drawn[j, 1]) ** 2
            most, middle = 2.0 * np.sqrt(ri * rj) * (1.0 + BEYOND), ri + rj
            for f in range(x.shape[2]):
                u, v = x[j, 0, f] - x[i, 0, f], x[j, 1, f] - x[i, 1, f]
                reached[f] &= abs(middle - u * u - v * v) <= most
        else:
            ux, uy = drawn[b, 0] - drawn[j, 0], drawn[b, 1] - drawn[j, 1]
            most = np.sqrt(ri * (ux * ux + uy * uy)) * (1.0 + BEYOND)
            offset = ux * (drawn[k, 1] - drawn[j, 1]) - uy * (drawn[k, 0] - drawn[j, 0])
            for f in range(x.shape[2]):
                u, v = x[b, 0, f] - x[j, 0, f], x[b, 1, f] - x[j, 1, f]
                px, py = x[i, 0, f] - x[j, 0, f], x[i, 1, f] - x[j, 1, f]
                reached[f] &= abs(u * py - v * px - offset) <= most
