"""The rules that find a joint, by their codes, and the rows that say what each finds its joint from."""

from __future__ import annotations

from enum import IntEnum, auto
from typing import NamedTuple

from pliant.core.arrays import Ints
from pliant.core.kernel import inner

FLAT = 1e-7  # sine of the angle at a joint below which its side cannot be told from the drawing


class RuleKind(IntEnum):
    """How a joint is found: equations in `kinematics.rules` and, from LINES on, in `kinematics.dyads`."""

    FIXED = 0
    MOTOR = auto()
    TRIANGLE = auto()
    POINT = auto()
    SLIDER = auto()
    GROUP = auto()
    LINES = auto()
    SLOT = auto()
    CARRIED = auto()
    DRIVEN = auto()
    STRUT = auto()
    STRUT_LINE = auto()
    TRAVEL = auto()

    @property
    def text(self) -> str:
        """What a result calls it."""
        return {RuleKind.GROUP: "coupled", RuleKind.STRUT_LINE: "strut on a line"}.get(
            self, self.name.lower()
        )


# Rules that have two answers, or none.
SIDED = (
    RuleKind.TRIANGLE,
    RuleKind.SLIDER,
    RuleKind.LINES,
    RuleKind.SLOT,
    RuleKind.STRUT,
    RuleKind.STRUT_LINE,
)


class Op(NamedTuple):
    """One rule of a plan: joint k, and the joints that it is found from; -1 where there is none."""

    rule: int
    k: int  # of a GROUP, the number of the group
    i: int = -1
    j: int = -1  # of a guide, its first point
    b: int = -1  # of a guide, its second point
    motor: int = -1
    p: int = -1  # of a STRUT, the motor of its second bar
    q: int = -1
    r: int = -1
    s: int = -1


@inner
def op_at(ops: Ints, o: int) -> Op:
    """Row o of `RulePlan.ops`."""
    return Op(
        ops[o, 0], ops[o, 1], ops[o, 2], ops[o, 3], ops[o, 4],
        ops[o, 5], ops[o, 6], ops[o, 7], ops[o, 8], ops[o, 9],
    )  # fmt: skip
