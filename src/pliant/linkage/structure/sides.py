"""The side of every rule in a drawing: which of its two answers was drawn."""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner, kernel
from pliant.linkage.structure.rule import FLAT, SIDED, Op, RuleKind, op_at


def sides(ops: Ints, drawn: Floats) -> Floats:
    """The side of every rule in a drawing (K,): see `fill_sides`."""
    signs = np.empty(len(ops))
    fill_sides(ops, drawn, signs)
    return signs


@kernel
def fill_sides(ops: Ints, drawn: Floats, signs: Floats) -> None:
    """Which side of its base each triangle's tip is on, or which way along the guide: 1, −1, 0 if flat.

    Of a slot, which way along it the pin is; of two lines, which way the second is turned.
    """
    for o in range(len(ops)):
        op = op_at(ops, o)
        rule, k, i, j, b = op.rule, op.k, op.i, op.j, op.b
        signs[o] = 0.0
        if rule not in SIDED:
            continue
        if rule in (RuleKind.LINES, RuleKind.SLOT):
            turn, most = sliding_side(op, drawn, rule == RuleKind.SLOT)
            if abs(turn) > FLAT * most:
                signs[o] = np.sign(turn)
            continue
        px, py = drawn[k, 0] - drawn[i, 0], drawn[k, 1] - drawn[i, 1]
        if rule in (RuleKind.TRIANGLE, RuleKind.STRUT):
            turn = (drawn[j, 0] - drawn[i, 0]) * py - (drawn[j, 1] - drawn[i, 1]) * px
            other = np.hypot(drawn[k, 0] - drawn[j, 0], drawn[k, 1] - drawn[j, 1])
        else:
            ux, uy = drawn[b, 0] - drawn[j, 0], drawn[b, 1] - drawn[j, 1]
            turn = ux * px + uy * py
            other = np.hypot(ux, uy)
        if abs(turn) > FLAT * np.hypot(px, py) * other:
            signs[o] = np.sign(turn)


@inner
def sliding_side(op: Op, drawn: Floats, rule_slot: bool) -> tuple[float, float]:
    """What decides the side of a slot or of two lines, and its scale: 0 where it is not defined."""
    i, j, b, r, s = op.i, op.j, op.b, op.r, op.s
    nx, ny = drawn[s, 0] - drawn[r, 0], drawn[s, 1] - drawn[r, 1]
    scale = np.sqrt(nx * nx + ny * ny)
    if rule_slot:
        px, py = drawn[j, 0] - drawn[i, 0], drawn[j, 1] - drawn[i, 1]
        return nx * px + ny * py, scale * np.sqrt(px * px + py * py)
    ux, uy = drawn[b, 0] - drawn[j, 0], drawn[b, 1] - drawn[j, 1]
    return ux * ny - uy * nx, scale * np.sqrt(ux * ux + uy * uy)
