"""Duals read as forces: who carries the load, and whose gap the flex is made of.

The dual of eq. 11 is frictionless static equilibrium: Jᵀy + c = 0, y ≥ 0. So y_i is the
force in contact i when the assembly is loaded with c, and by strong duality

    linear flex = Σ y_i d_i

so that y_i d_i, summed over a joint, is that joint's part in the flex and y_i its
sensitivity to the gap. The parts are those of the *linear* estimate. Where contacts are
redundant the forces are not unique; `share_ranges` finds how far each part can vary.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import shapely
from scipy.sparse import csc_matrix, vstack

from pliant.core.arrays import Bools, Floats, Geometries, Ints
from pliant.flex.contact.distance import Rows, contact_points, gaps
from pliant.flex.geometry.parts import Parts
from pliant.flex.lp.program import Program, Solution
from pliant.flex.lp.solvers import in_natural_units
from pliant.flex.problem.system import System

Label = tuple[str, tuple[str, ...]]  # a kind of contact, and the bodies

LEAST = 1e-9  # of the largest force: smaller ones are a solver's rounding


@dataclass(frozen=True)
class ContactForce:
    """A pair of bodies, or a joint, that carries load in the first linear program."""

    kind: str  # "contact", "pin", "keep", "sight", "limit", "gather"
    bodies: tuple[str, ...]
    force: float  # sum of the normal forces under the unit load
    resultant: tuple[float, float]  # their vector sum, on the first body
    share: float  # of the linear flex; the shares of all entries sum to 1, or are 0 where nothing moves
    share_range: tuple[float, float] | None = None  # where forces are not unique

    @property
    def name(self) -> str:
        """As reports have it."""
        names = "–".join(self.bodies)
        return names if self.kind == "contact" else f"{self.kind} {names}"

    def to_dict(self) -> dict[str, object]:
        """As the result's JSON has it."""
        return {
            "kind": self.kind,
            "bodies": list(self.bodies),
            "force": self.force,
            "resultant": list(self.resultant),
            "share": self.share,
            "share_range": None if self.share_range is None else list(self.share_range),
        }


@dataclass(frozen=True)
class ForceChain:
    """The forces of one program as arrows: where, which way, how strong."""

    points: Floats  # (K, 2) world
    forces: Floats  # (K, 2) on the body that has the point
    strength: Floats  # (K,)


def contact_shares(
    system: System, rows: Rows, poses: Floats, program: Program, solution: Solution, ranges: bool
) -> tuple[ContactForce, ...]:
    """Every pair and joint with a force or a share, the largest share first."""
    keys, labels, side = _groups(system, rows, poses)
    force = np.abs(solution.forces)
    part = solution.forces * program.gaps
    total = part.sum()
    divided = total > max(system.least, 1e-300)  # of what is locked nothing is there to be shared
    scale = 1.0 / total if divided else 0.0
    vectors = np.zeros((len(force), 2))
    vectors[: len(rows)] = contact_points(rows, poses)[1] * solution.forces[: len(rows), None]
    vectors[: len(rows)] *= side[:, None]
    sums = [np.bincount(keys, values, len(labels)) for values in (force, part, vectors[:, 0], vectors[:, 1])]
    shown = np.flatnonzero(sums[0] > LEAST * max(force.max(initial=0.0), 1e-300))
    spans = share_ranges(program, keys, shown, float(total)) if ranges and divided else {}
    made = [
        ContactForce(
            kind=labels[k][0],
            bodies=labels[k][1],
            force=float(sums[0][k]),
            resultant=(float(sums[2][k]), float(sums[3][k])),
            share=float(sums[1][k] * scale),
            share_range=spans.get(int(k)),
        )
        for k in shown
    ]
    return tuple(sorted(made, key=lambda contact: -contact.share))


def _groups(system: System, rows: Rows, poses: Floats) -> tuple[Ints, list[Label], Floats]:
    """Each row's place in a list of body pairs and joints, and that list; on which side its force counts.

    1 where the first body a pair or joint is named by has the point, −1 where it has the line.
    """
    names, joints = system.parts.members.names, system.joints
    source = np.concatenate([rows.source, joints.linear.source])
    touching = source < 0
    line, point = _touching_rows(system.parts, rows, poses)
    code = np.minimum(line, point) * (len(names) + 1) + np.maximum(line, point)
    codes, place = np.unique(code[rows.source < 0], return_inverse=True)
    labels: list[Label] = [
        ("contact", (names[code // (len(names) + 1)], names[code % (len(names) + 1)])) for code in codes
    ]
    labels += [(joint.kind, joint.bodies) for joint in joints.joints]
    keys = source + len(codes)
    keys[touching] = place
    has_point = np.where(rows.source < 0, line > point, rows.edge_body == system.parts.count)
    return keys, labels, np.where(has_point, 1.0, -1.0)


def _touching_rows(parts: Parts, rows: Rows, poses: Floats) -> tuple[Ints, Ints]:
    """The bodies of the file that have the line and the point of each row, (R,) each.

    Of a rigid body with several members it is the nearest to the contact.
    """
    first = np.array([members[0] for members in parts.members_of] + [len(parts.members.names)])
    line, point = first[rows.edge_body], first[rows.point_body]
    if parts.welded:
        at, normal = contact_points(rows, poses)
        foot = at - gaps(rows, poses)[:, None] * normal
        polygons = parts.member_polygons(poses)
        for own, bodies, places in ((line, rows.edge_body, foot), (point, rows.point_body, at)):
            _nearest_members(parts, polygons, rows.source < 0, own, bodies, places)
    return line, point


def _nearest_members(
    parts: Parts, polygons: Geometries, which: Bools, own: Ints, bodies: Ints, at: Floats
) -> None:
    """Put the member nearest to each place where a body has several, for some rows."""
    for body in np.unique(bodies[which]):
        members = parts.members_of[body]
        if len(members) > 1:
            here = np.flatnonzero(which & (bodies == body))
            places = np.asarray(shapely.points(at[here]))
            distance = shapely.distance(polygons[members][:, None], places[None])
            own[here] = members[np.argmin(distance, axis=0)]


def share_ranges(program: Program, keys: Ints, shown: Ints, total: float) -> dict[int, tuple[float, float]]:
    """How far each joint's share can vary over all forces that balance the load optimally.

    min and max Σ_{i in joint} y_i d_i  subject to  Jᵀy + c = 0, y ≥ 0, y·d = flex, in natural units.
    """
    program, units = in_natural_units(program)
    total = total / units.objective
    least = _least_over_forces(program, total * (1 + 1e-7))
    spans: dict[int, tuple[float, float]] = {}
    for key in shown:
        part = np.where(keys == key, program.gaps, 0.0)
        low, high = least(part), least(-part)
        if low is not None and high is not None:
            spans[int(key)] = (max(low, 0.0) / total, min(-high / total, 1.0))
    return spans


def _least_over_forces(program: Program, most: float) -> Callable[[Floats], float | None]:
    """The least of a sum over all forces y that balance the load with y·d up to `most`; None where unsolved.

    One program for all sums: each begins where the one before ended.
    """
    highspy: Any = import_module("highspy")
    highs: Any = highspy.Highs()
    highs.disableCallbacks()  # Ctrl-C would be raised in one of them, and be lost
    highs.setOptionValue("output_flag", False)
    highs.passModel(_balance_program(program, most))
    columns = np.arange(len(program.gaps), dtype=np.int32)

    def least(costs: Floats) -> float | None:
        highs.changeColsCost(len(columns), columns, costs)
        highs.run()
        solved = highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
        return float(highs.getInfo().objective_function_value) if solved else None

    return least


def _balance_program(program: Program, most: float) -> Any:
    """Jᵀy + c = 0, y ≥ 0 on inequalities, y·d ≤ most, as HiGHS takes it."""
    highspy: Any = import_module("highspy")
    matrix = csc_matrix(vstack([program.matrix().T, program.gaps[None]]))
    load = -program.cost.ravel()
    lp: Any = highspy.HighsLp()
    lp.num_row_, lp.num_col_ = matrix.shape
    lp.col_cost_ = np.zeros(len(program.gaps))
    lp.col_lower_ = np.where(program.equal, -np.inf, 0.0)
    lp.col_upper_ = np.full(len(program.gaps), np.inf)
    lp.row_lower_, lp.row_upper_ = np.append(load, -np.inf), np.append(load, most)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_ = matrix.indptr, matrix.indices
    lp.a_matrix_.value_ = matrix.data
    return lp


def force_chain(rows: Rows, poses: Floats, solution: Solution) -> ForceChain:
    """Arrows for every contact that carries load, on the body that has the point."""
    strength = np.abs(solution.forces[: len(rows)])
    loaded = np.flatnonzero(strength > 1e-3 * strength.max(initial=0.0))
    points, normal = contact_points(rows, poses)
    return ForceChain(points[loaded], normal[loaded] * solution.forces[loaded, None], strength[loaded])
