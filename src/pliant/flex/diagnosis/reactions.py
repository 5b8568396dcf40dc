"""Contact forces of an assembly at rest under loads.

At rest the forces y of the contacts that touch balance the load c: Jᵀy + c = 0, y ≥ 0, without friction.
Of a pair of bodies their sum R = Σ y n acts on the one and −R on the other. Where contacts are
redundant, forces are not unique: R·r along r = R/|R| can vary between the ends of a range, each of
which is a linear program over all y that balance the load.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

from pliant.core.arrays import Floats, Ints
from pliant.flex.contact.distance import Rows, contact_points
from pliant.flex.diagnosis.contact_forces import Label, joint_name, label_numbers, row_groups
from pliant.flex.lp.program import Program
from pliant.flex.lp.solvers import solve_program
from pliant.flex.problem.system import System

TOUCHING = 0.01  # of the gap: contacts that are nearer carry load
WIDER = 4.0  # times as far where these do not balance it
ACCURACY = 1e-9
LEAST = 1e-6  # of the largest force: less is none
SMALL = 3000  # rows up to which ranges are found unasked


@dataclass(frozen=True)
class Reaction:
    """The force that two bodies, or a joint, pass on."""

    kind: str  # "contact", "pin", "keep", "sight", "limit"
    bodies: tuple[str, ...]
    force: tuple[float, float]  # N, on the first body
    at: tuple[float, float]  # where it acts: the middle of its contacts, weighed by their forces; world
    size_range: tuple[float, float] | None = None  # of |force|, where forces are not unique
    number: int = 0  # among joints of this kind and these bodies, from 1; 0 where it is the only one

    @property
    def size(self) -> float:
        """|force|, N."""
        return float(np.hypot(*self.force))

    @property
    def name(self) -> str:
        """As reports have it."""
        return joint_name(self.kind, self.bodies, self.number)

    def to_dict(self) -> dict[str, object]:
        """As the result's JSON has it."""
        return {
            "kind": self.kind,
            "bodies": list(self.bodies),
            "force": list(self.force),
            "at": list(self.at),
            "size": self.size,
            "size_range": None if self.size_range is None else list(self.size_range),
            "number": self.number,
        }


@dataclass(frozen=True)
class _Groups:
    """Rows of a program by the pair of bodies or the joint that has them."""

    keys: Ints  # (R,)
    labels: list[Label]
    normals: Floats  # (R, 2) on the first body of each; 0 of rows that are linear
    points: Floats  # (R, 2) where each acts; not a number of rows that are linear


def reactions(system: System, contacts: Rows, poses: Floats) -> tuple[Reaction, ...]:
    """The forces at rest under the system's objective, the largest first; none where none balance it."""
    whole = system.program(contacts, poses, np.full((len(system.parts.free), 3), np.inf))
    groups = _row_groups(system, system.rows(contacts), poses, len(whole.gaps))
    touching = _touching(system, whole)
    if touching is None:
        return ()
    program, forces = touching
    size = np.bincount(groups.keys, np.abs(forces), len(groups.labels))
    numbers = label_numbers(groups.labels)
    found = system.study.ranges or len(forces) <= SMALL
    made: list[Reaction] = []
    for key in np.flatnonzero(size > LEAST * size.max(initial=0.0)).tolist():
        mine = groups.keys == key
        force = (groups.normals[mine] * forces[mine, None]).sum(axis=0)
        weight = np.where(np.isfinite(groups.points[mine, 0]), np.abs(forces[mine]), 0.0)
        at = np.nan_to_num(groups.points[mine]).T @ weight / (weight.sum() or 1.0)
        along = np.where(mine, groups.normals @ (force / (np.hypot(*force) or 1.0)), 0.0)
        span = _range(system, program, forces, along) if found and np.any(force) else None
        kind, bodies = groups.labels[key]
        made.append(
            Reaction(
                kind,
                bodies,
                (float(force[0]), float(force[1])),
                (float(at[0]), float(at[1])),
                span,
                numbers[key],
            )
        )
    return tuple(sorted(made, key=lambda one: -one.size))


def _row_groups(system: System, rows: Rows, poses: Floats, count: int) -> _Groups:
    keys, labels, side = row_groups(system, rows, poses)
    points, normals = np.full((count, 2), np.nan), np.zeros((count, 2))
    points[: len(rows)], normals[: len(rows)] = contact_points(rows, poses)
    normals[: len(rows)] *= side[:, None]
    return _Groups(keys, labels, normals, points)


def _touching(system: System, whole: Program) -> tuple[Program, Floats] | None:
    """The program in which only what touches holds, and its forces; None where nothing balances the load.

    What does not touch is moved out of reach rather than left out, so that rows keep their places.
    """
    near = TOUCHING * (system.gap or system.parts.size)
    while True:
        away = ~whole.equal & (whole.gaps > near)
        gaps = np.where(whole.equal, 0.0, np.where(away, np.inf, 0.0))
        kept = whole.take(~away)
        kept = replace(kept, gaps=np.full(len(kept.gaps), 1e-3 * (system.gap or system.parts.size)))
        kept = replace(kept, gaps=np.where(kept.equal, 0.0, kept.gaps))
        solution = solve_program(kept, "auto", ACCURACY) if len(kept.gaps) else None
        if solution is not None and _is_balanced(system, kept, solution.forces):
            forces = np.zeros(len(gaps))
            forces[~away] = solution.forces
            return replace(whole, gaps=gaps), forces
        if not away.any():
            return None
        near *= WIDER


def _is_balanced(system: System, program: Program, forces: Floats) -> bool:
    arm = np.array([1.0, 1.0, 1.0 / system.parts.size])
    off = ((program.matrix().T @ forces).reshape(-1, 3) + program.cost) * arm
    return bool(np.isfinite(forces).all() and np.abs(off).max() <= 1e-5 * np.abs(program.cost * arm).max())


def _range(system: System, program: Program, forces: Floats, along: Floats) -> tuple[float, float] | None:
    """The least and the most of Σ along·y over all forces of touching rows that balance what `forces` do."""
    arm = np.array([1.0, 1.0, 1.0 / system.parts.size])
    scale = float(np.abs(program.cost * arm).max())
    columns = np.tile(arm, len(program.cost))
    matrix = csr_array(program.matrix().T * columns[:, None])
    load = matrix @ (forces / scale)
    bounds = [
        (None, None) if equal else (0.0, 0.0 if np.isinf(gap) else None)
        for equal, gap in zip(program.equal, program.gaps, strict=True)
    ]
    ends: list[float] = []
    for sign in (1.0, -1.0):
        program_of = partial(linprog, sign * along, A_eq=matrix, b_eq=load, bounds=bounds, method="highs")
        answer = program_of()
        if answer.x is None:  # what is known to balance: older presolves called it infeasible by rounding
            answer = program_of(options={"presolve": False})
        if answer.x is None:
            return None
        ends.append(sign * float(answer.fun) * scale)
    return ends[0], ends[1]
