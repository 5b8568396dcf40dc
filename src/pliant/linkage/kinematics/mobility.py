"""How many ways a linkage can move: counted, and true.

Grübler counts equations: 2·(joints not on the ground) − rows, which is 3(n − 1) − 2j₁ − j₂ of
bodies and joints. Equations that say the same are counted twice there, so that a parallelogram
with three cranks has none by count and yet moves. What the motors can truly do is decided by
the rows that no rule used: with V (2N, M) the velocities at unit rate of each motor,

    freedoms = M − rank(G V),   G = the spare rows' gradients, each of length one.

Only the drawn pose is looked at: rows that hold here to first order and fail along the way show
in `constraints.errors` of the run.
"""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.errors import Fault, InputError
from pliant.linkage.kinematics.poses import positions, rates
from pliant.linkage.model import Linkage
from pliant.linkage.structure.constraints import gradients
from pliant.linkage.structure.order import order
from pliant.linkage.structure.rule_plan import STRUTS, TURNS, LinkageStructure, RulePlan, structure

RANK = 1e-8  # singular values below it are rounding
TAKES_PART = 1e-6  # of a unit vector: smaller components are rounding
TINY = np.finfo(np.float64).tiny
NEARLY = 1e-3  # a conflict that small is likely a drawing with too few digits


def compile_plan(model: Linkage) -> RulePlan:
    """Find the order of rules.

    Args:
        model: the linkage.

    Returns:
        Which joint is found from which, and how.

    Raises:
        InputError: says what is missing or too much.
    """
    plan = order(structure(model))
    refuse_locked(plan)
    return plan


def grubler(structure: LinkageStructure) -> int:
    """Freedoms by Grübler's count: right unless equations repeat each other."""
    return 2 * len(structure.free_joints) - len(structure.rows)


def freedoms(plan: RulePlan) -> int:
    """Independent ways the motors can move in the drawn pose."""
    return len(plan.structure.motors) - _rank(_conflict_rates(plan))


def refuse_locked(plan: RulePlan) -> None:
    """Raise an InputError where the motors cannot all turn: they fight, or links lock them."""
    against = _conflict_rates(plan)
    rank = _rank(against)
    if rank == 0:
        return
    _, sizes, directions = np.linalg.svd(against)  # ways (M, M): the first `rank` are barred, the rest free
    stuck = np.linalg.norm(directions[rank:], axis=0) < TAKES_PART
    fighting = ~stuck & (np.linalg.norm(directions[:rank], axis=0) > TAKES_PART)
    faults: list[Fault] = []
    if stuck.any():
        faults.append(_locked_fault(plan, np.flatnonzero(stuck), float(sizes[0])))
    if fighting.any():
        faults.append(_fight_fault(np.flatnonzero(fighting), len(stuck), len(stuck) - rank))
    raise InputError(faults)


def _conflict_rates(plan: RulePlan) -> Floats:
    """G V (S, M): how fast each spare row is broken when each motor turns alone."""
    motors = len(plan.structure.motors)
    if not len(plan.redundant):
        return np.zeros((0, motors))
    still = np.zeros((motors, motors))
    poses = positions(plan, still, near=np.repeat(plan.drawn[:, :, None], motors, axis=2))
    v, _ = rates(poses, np.eye(motors), still)
    v = np.where(np.isfinite(v), v, 0.0)  # a joint drawn at a change point has no rate
    v /= np.maximum(np.abs(v).max(axis=(0, 1)), TINY)
    slopes = gradients(plan.redundant, plan.drawn, plan.drawn[None])[0].reshape(len(plan.redundant), -1)
    return _unit(slopes) @ v.reshape(-1, motors)


def _rank(against: Floats) -> int:
    return int((np.linalg.svd(against, compute_uv=False) > RANK).sum()) if len(against) else 0


def _unit(rows: Floats) -> Floats:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), TINY)


def _fight_fault(motors: np.ndarray, count: int, free: int) -> Fault:
    first, *others = [f"motors[{m}]" for m in motors]
    verb = "fights" if len(others) == 1 else "fight"
    problem = f"{count} motors but {_count_text(free, 'freedom')}: {_name_list(others)} {verb} {first}"
    return Fault("motors", problem, f"Leave out {_name_list(others)}, or a link between them")


def _locked_fault(plan: RulePlan, stuck: np.ndarray, size: float) -> Fault:
    structure = plan.structure
    stresses = _stresses(structure, stuck)
    rows = np.flatnonzero(np.linalg.norm(stresses, axis=1) > TAKES_PART)
    turns = _name_list([f"motors[{m}]" for m in stuck])
    if not len(rows):  # a torque on an arm without length balances by itself
        ends = tuple(structure.names[k] for m in stuck for k in structure.motors[m])
        problem = f"{turns} cannot turn: {_name_list(list(ends))} are at one place"
        return Fault("motors", problem, "Draw them apart", ends)
    driven = {
        label
        for label, link in zip(structure.labels, structure.links, strict=True)
        if any(set(structure.motors[motor]) <= set(link) for motor in structure.rotary_motors)
    }
    owners = list(dict.fromkeys(structure.rows.owners[r] for r in rows))
    owners = [owner for owner in owners if owner not in driven] or owners
    numbers = {k for k in structure.rows.joints[rows].ravel().tolist() if k >= 0}
    joints = [structure.names[k] for k in sorted(numbers - structure.guide_points)]
    too_many = _count_text(stresses.shape[1], "equation")
    one = len(owners) == 1
    problem = f"{turns} cannot turn: {_name_list(owners)} hold{'s' * one} {_name_list(joints)} "
    cure = f"Remove {'it' if one else 'one of them'}, or let one of {'its' if one else 'their'} joints slide"
    if size < NEARLY:
        cure += f"; or draw more digits: as drawn they disagree by {size:.1g} of the motion only"
    return Fault("links", f"{problem}with {too_many} too many", cure, tuple(joints))


def _stresses(structure: LinkageStructure, stuck: np.ndarray) -> Floats:
    """Forces in the rows (R, d) that balance the stuck motors' torques: a row without force locks nothing."""
    loose = structure.free_joints
    slopes = gradients(structure.rows, structure.drawn, structure.drawn[None])[0][:, loose]
    held = np.zeros((len(structure.motors), len(structure.names), 2))
    for motor, (pivot, driven) in enumerate(structure.motors):
        x, y = structure.drawn[driven] - structure.drawn[pivot]
        push = structure.pushes[motor]
        held[motor, driven] = (-y, x) if push == TURNS else (x, y)
        if push == STRUTS:
            held[motor, pivot] = -x, -y
        elif push >= 0:
            _, a, b = structure.sliders[push]
            held[motor, driven] = structure.drawn[b] - structure.drawn[a]
    count = len(structure.rows)
    matrix = _unit(np.concatenate([slopes, held[:, loose]]).reshape(-1, 2 * len(loose)))
    # Of joints that rounding puts at one place a row says nothing.
    left, sizes, _ = np.linalg.svd(np.nan_to_num(matrix, nan=0.0, posinf=0.0, neginf=0.0))
    balanced = left[:, int((sizes > RANK).sum()) :]
    _, torques, modes = np.linalg.svd(balanced[count + stuck])
    return balanced[:count] @ modes[: max(int((torques > RANK).sum()), 1)].T


def _count_text(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _name_list(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
