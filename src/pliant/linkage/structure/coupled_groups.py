"""Joints that must be found together: the smallest group that its own equations determine.

Open rows are matched to the coordinates they give; a strongly connected part that needs no other is a group
(an Assur group).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.errors import Fault, InputError
from pliant.linkage.structure.constraints import Constraints, gradients
from pliant.linkage.structure.flat import dead_centre_cure
from pliant.linkage.structure.rule_plan import CoupledGroup, LinkageStructure


def smallest_group(structure: LinkageStructure, rows: Constraints, joints: list[int]) -> CoupledGroup:
    """The fewest open joints that open rows determine by themselves."""
    import scipy.linalg
    from scipy import sparse
    from scipy.sparse import csgraph

    slopes = _unit_gradients(rows, structure.drawn, joints)
    rank = np.linalg.matrix_rank(slopes, tol=1e-9) if slopes.size else 0
    if rank < 2 * len(joints):
        raise InputError([_not_held_fault(structure, rows, joints, rank)])
    factors: Any = scipy.linalg.qr(slopes.T, mode="economic", pivoting=True)
    chosen = rows.select(np.sort(factors[2][: 2 * len(joints)]))
    place = {joint: at for at, joint in enumerate(joints)}
    touches = np.zeros((len(chosen), len(joints)), bool)
    for row, involved in enumerate(chosen.joints.tolist()):
        touches[row, [place[k] for k in involved if k in place]] = True
    given = csgraph.maximum_bipartite_matching(
        sparse.csr_matrix(np.repeat(touches, 2, axis=1)), perm_type="row"
    )  # the row that gives each coordinate
    needs = np.zeros((len(joints), len(joints)), bool)
    for coordinate, row in enumerate(given.tolist()):
        needs[coordinate // 2] |= touches[row]
    count, part = csgraph.connected_components(sparse.csr_matrix(needs), connection="strong")
    alone = [c for c in range(count) if not needs[part == c][:, part != c].any()]
    smallest = min(alone, key=lambda c: int((part == c).sum()))
    members = np.flatnonzero(part == smallest)
    own = np.sort(given.reshape(-1, 2)[members].ravel()).astype(np.int64)
    return group_of(np.array(joints, np.int64)[members], chosen.select(own))


def group_of(joints: Ints, rows: Constraints) -> CoupledGroup:
    """Joints and the rows that determine them, by place among all that the rows touch."""
    near = np.unique(rows.joints[rows.joints >= 0])
    local = np.where(rows.joints >= 0, np.searchsorted(near, rows.joints), -1)
    return CoupledGroup(
        joints, Constraints(rows.kinds, local, rows.owners), near, np.searchsorted(near, joints)
    )


def _unit_gradients(rows: Constraints, drawn: Floats, joints: list[int]) -> Floats:
    slopes = gradients(rows, drawn, drawn[None])[0][:, joints].reshape(len(rows), 2 * len(joints))
    return slopes / np.maximum(np.linalg.norm(slopes, axis=1, keepdims=True), 1e-300)


def _not_held_fault(structure: LinkageStructure, rows: Constraints, joints: list[int], rank: int) -> Fault:
    """Under-constrained, or only so in the drawn pose: a shaken drawing tells the two apart."""
    shaken = structure.drawn + 0.05 * structure.size * np.random.default_rng(0).normal(
        size=structure.drawn.shape
    )
    slopes = _unit_gradients(rows, shaken, joints)
    usual = np.linalg.matrix_rank(slopes, tol=1e-9) if slopes.size else 0
    if usual == 2 * len(joints):
        names = tuple(structure.names[k] for k in joints)
        problem = f"the drawn pose is a dead centre: where {', '.join(names)} go from here is not defined"
        return Fault("joints", problem, dead_centre_cure(structure), names)
    missing = 2 * len(joints) - usual
    loose = _moved_joints(slopes, usual, joints) if slopes.size else joints
    names = tuple(structure.names[k] for k in loose)
    problem = f"{', '.join(names)} {'is' if len(loose) == 1 else 'are'} not held: {missing} "
    problem += f"{'freedom is' if missing == 1 else 'freedoms are'} left when the motors are held"
    cure = f"Add {missing} motor{'s' if missing > 1 else ''}, links between these joints and the rest, "
    return Fault("links", problem, cure + "or put some on the ground", names)


def _moved_joints(slopes: Floats, rank: int, joints: list[int]) -> list[int]:
    """Joints that some free motion moves."""
    _, _, v = np.linalg.svd(slopes)
    moved = np.linalg.norm(v[rank:].reshape(-1, len(joints), 2), axis=(0, 2))
    return [k for k, much in zip(joints, moved, strict=True) if much > 1e-6]
