"""The smallest clearance at which parts go together, wherever they are moved for it.

At a clearance parts that overlap as drawn are moved apart by programs that make the worst overlap least,

    min e  subject to  J Δq + d + e ≥ 0,  e ≥ 0,  |Δq| within what the linearisation is trusted for

until nothing overlaps by area or no move makes it less; parts stay near where they are drawn, so that
none is taken out of what it is in. Larger clearances leave less material, so that
what goes together at one does at every larger one, and bisection has one answer.

Source: [Lensgraf2020] section VI-A names the smallest clearance; the search is ours.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, hstack

from pliant.core.arrays import Floats
from pliant.flex.contact.overlap import measure_overlaps, near_pairs
from pliant.flex.model import Assembly
from pliant.flex.problem.system import System, compile_system
from pliant.flex.stepping.step import configuration_at

MOVES = 25
TRUST = 0.1  # of a typical body's size, of a move; of a turn, as a share of a radian
NEAR = 2.0  # times the clearance needed as drawn: how far parts may be moved for it
SHORT = 1e-4  # what a unit of travel costs beside a unit of overlap
LESS = 0.95  # of an overlap: a move that leaves more leads nowhere
ROUNDS = 14


def smallest_when_moved(model: Assembly, as_drawn: float) -> float:
    """The smallest clearance at which parts go together where they can be moved; at most that as drawn."""
    if as_drawn <= 0:
        return 0.0
    low, high = 0.0, as_drawn
    if _goes_together(model, low, as_drawn):
        return 0.0
    for _ in range(ROUNDS):
        middle = (low + high) / 2
        low, high = (low, middle) if _goes_together(model, middle, as_drawn) else (middle, high)
    return high


def _goes_together(model: Assembly, clearance: float, as_drawn: float) -> bool:
    """Whether parts can be moved apart at a clearance, not far from where they are drawn."""
    loose = model.model_copy(update={"clearance": clearance})
    system = compile_system(loose, model.study.for_command("flex"))
    allowed = 1e-6 * system.parts.size
    poses = system.parts.drawn
    before = np.inf
    for _ in range(MOVES):
        overlap = measure_overlaps(system.parts, poses, near_pairs(system.parts, poses)).worst
        if overlap <= allowed:
            return True
        step, left = _parting_move(system, poses, NEAR * as_drawn)
        if step is None or left > LESS * before:
            return False
        before = left if left > allowed else before
        poses = poses.copy()
        poses[system.parts.free] += step
    return False


def _parting_move(system: System, poses: Floats, near: float) -> tuple[Floats | None, float]:
    """The move (M, 3) that leaves the least violation of the worst row, and that violation.

    No body gets further than `near` from where it is drawn; a turn counts as travel of its outermost point.
    """
    here = configuration_at(system, poses, system.reach, None)
    parts = system.parts
    bound = np.tile([TRUST * parts.size] * 2 + [TRUST], (len(parts.free), 1))
    moved = (poses - parts.drawn)[parts.free]
    room = near / np.stack([*[np.ones(len(parts.free))] * 2, parts.radius[parts.free]], axis=1)
    low, high = np.maximum(-bound, -room - moved), np.minimum(bound, room - moved)
    program = system.program(here.contacts.rows, poses, bound)
    # Of moves that leave as little, the shortest: Δq = p − m with p, m ≥ 0, each of which costs a little.
    matrix, free = program.matrix(), ~program.equal
    turn = np.tile([1.0, 1.0, parts.size / 2], len(parts.free))
    cost = np.concatenate([SHORT * turn, SHORT * turn, [1.0]])
    give = csr_array(np.where(free, 1.0, 0.0)[:, None])
    rows = hstack([matrix, -matrix, give], format="csr")
    limits = [
        *((0.0, max(end, 0.0)) for end in high.ravel()),
        *((0.0, max(-end, 0.0)) for end in low.ravel()),
    ]
    answer = linprog(
        cost,
        -rows[free],
        program.gaps[free],
        rows[~free] if program.equal.any() else None,
        -program.gaps[~free] if program.equal.any() else None,
        bounds=[*limits, (0, None)],
        method="highs",
    )
    if answer.x is None:
        return None, np.inf
    ahead, back = answer.x[:-1].reshape(2, -1, 3)
    return ahead - back, float(answer.x[-1])
