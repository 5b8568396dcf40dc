"""Solvers of the linear program of one step, one convention for all of them.

maximise c·Δq  subject to  J Δq + d ≥ 0 (= 0 on equality rows),  |Δq| ≤ b

A multiplier y of each row and w of each bound satisfy

    Jᵀ y + c = w,   y ≥ 0 on inequality rows,   w = 0 where b = ∞,

so y are the contact forces that balance the load c, w is positive where the upper
bound holds and negative where the lower one does, and  c·Δq = y·d + |w|·b  at the
optimum (strong duality). An answer counts as solved when *we* find these equations
satisfied; a solver's status word is only reported.

Each solver is given the same program in natural units (`natural`), so tolerances mean
the same in millimetres and metres, and a library is imported only when it is used.

Source: [Lensgraf2020] eq. 11 for the program; its dual is textbook knowledge.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np
from scipy.sparse import csc_matrix

from pliant.core.arrays import Floats, Ints
from pliant.flex.lp.program import COMPILED, CROSSOVER, Program, Solution

SOLVERS = ("auto", "piqp", "clarabel", "highs", "normal")

# Libraries stop on residuals scaled in their own way; ours may come out a little larger.
SLACK = 10.0

FEW = 12  # moving bodies up to which full matrices are solved sooner than sparse ones are made
LONG = 3000  # from which on PIQP takes a second and more

NOISE = 1e-7  # of the largest gap

# Typical gap to show HiGHS: with 1, IPX gives up after nine iterations on the LPs of 1703
# and 2497 bodies in docs/performance.md.
HIGHS_GAP = 0.02

# HiGHS by itself ends at no number of iterations, and where a tolerance is below what rounding
# leaves, IPX goes round for ever. What has an answer has it in a tenth of these.
IPX_ITERATIONS = 500
PIVOTS = 100  # of the simplex method, for each row and column


@dataclass(frozen=True)
class RawSolution:
    """What an adaptor brings back, before anybody has checked it."""

    step: Floats  # (3B,)
    forces: Floats  # (R,)
    iterations: int
    message: str


@dataclass(frozen=True)
class Units:
    """Δq = columns · Δq', y = rows · y', c·Δq = objective · c'·Δq': natural units of a program."""

    columns: Floats  # (B, 3)
    rows: Floats  # (R,)
    objective: float


def solve_program(program: Program, solver: str = "auto", tolerance: float = 1e-8) -> Solution:
    """The step of largest c·Δq, with the forces that prove it.

    `tolerance` bounds the overlap left in any row (relative to the typical gap), the
    unbalanced load (relative to the largest cost) and the relative gap between primal
    and dual objective. A solver whose answer does not hold is followed by those of "auto",
    one by one, until an answer does; without one the best is returned, `solved=False`: an
    infeasible or unbounded program ends there, and telling which takes another program.

    Equalities that follow from others are left out, and share the forces of the others.

    There is no warm start: an interior-point method started from the forces of the step
    before took as many iterations as from scratch, or more.
    """
    if solver not in SOLVERS:
        raise ValueError(f'solver: got "{solver}"; allowed are {", ".join(SOLVERS)}')
    if program.equal.any():
        from pliant.flex.lp.dependent import dependent_rows, least_forces

        follows = dependent_rows(program)
        if follows.any():
            independent = _solve(program.take(~follows), solver, tolerance)
            forces = np.zeros(len(follows))
            forces[~follows] = independent.forces
            return replace(independent, forces=least_forces(program, forces, follows))
    return _solve(program, solver, tolerance)


def _solve(program: Program, solver: str, tolerance: float) -> Solution:
    """Solve a program whose equalities do not depend on each other."""
    own, units = in_natural_units(program)
    others = [name for name in _order(program) if name != solver]
    attempts = others if solver == "auto" else [solver, *others]
    solutions: list[Solution] = []
    for name in attempts:
        answer = _ADAPTORS[name](own, tolerance)
        solutions.append(check_solution(own, answer, name, tolerance))
        if solutions[-1].solved:
            break
    return in_units_of(min(solutions, key=_badness), program, units)


def residuals(program: Program, step: Floats, forces: Floats) -> tuple[float, float, float]:
    """Primal, dual and relative gap of a pair (Δq, y), from the vectors alone.

    Primal: the largest violation of a row or bound. Dual: the largest negative force on
    an inequality and unbalanced load on a coordinate without a bound. Gap:
    |c·Δq − y·d − |w|·b| / (1 + |c·Δq|) with w = Jᵀy + c, which any y allows where b < ∞.
    """
    slack = program.change(step) + program.gaps
    violation = np.where(program.equal, np.abs(slack), -slack)
    held = np.isfinite(program.bound)
    bound = program.bound[held]
    load = loads(program, forces) + program.cost
    primal = max(_largest_magnitude(violation), _largest_magnitude(np.abs(step[held]) - bound), 0.0)
    dual = max(_largest_magnitude(-forces[~program.equal]), _largest_magnitude(np.abs(load[~held])), 0.0)
    value = float(np.sum(program.cost * step))
    gap = abs(value - np.sum(forces * program.gaps) - np.sum(np.abs(load[held]) * bound))
    return primal, dual, float(gap / (1 + abs(value)))


def loads(program: Program, forces: Floats) -> Floats:
    """Jᵀ y, (B, 3): what the forces do to each body. A tenth of the time `matrix()` takes."""
    bodies = len(program.cost)
    total = np.zeros((bodies + 1, 3))
    for side in range(2):
        body = program.pairs[:, side] + 1
        for axis in range(3):
            parts = program.blocks[:, side, axis] * forces
            total[:, axis] += np.bincount(body, parts, bodies + 1)
    return total[1:]


def _order(program: Program) -> tuple[str, ...]:
    """Which solvers to try, in turn.

    Above the crossover the last resorts of the small models would run for minutes.
    """
    if len(program.cost) >= CROSSOVER:
        return ("normal", "piqp")
    others = ("piqp", "clarabel", "highs")
    return ("normal", *others) if is_large(len(program.cost), len(program.gaps)) else others


def is_large(bodies: int, rows: int) -> bool:
    """Whether our own compiled method is the soonest done: few bodies with many rows are curved ones."""
    return bodies >= CROSSOVER or (bodies > FEW and rows > COMPILED)


def in_natural_units(program: Program) -> tuple[Program, Units]:
    """The program in units of its own: rows of J near 1, typical gap 1, largest cost 1.

    Angles are multiplied by the typical lever arm, so that a radian of a body 100 mm
    across weighs as much as its translations.
    """
    columns = np.tile([1.0, 1.0, 1.0 / lever_arm(program)], (len(program.cost), 1))
    blocks = program.blocks * columns[0]
    scale = _row_sizes(blocks)
    gaps, bound = program.gaps / scale, program.bound / columns
    cost = program.cost * columns
    length, load = _typical(gaps, bound), _largest_magnitude(np.abs(cost)) or 1.0
    own = replace(
        program,
        blocks=blocks / scale[:, None, None],
        gaps=gaps / length,
        cost=cost / load,
        bound=bound / length,
    )
    return own, Units(columns * length, load / scale, length * load)


def lever_arm(program: Program) -> float:
    """The length at which the rows typically feel a turn."""
    columns = program.blocks.reshape(-1, 3)
    x, y, turn = np.einsum("ij,ij->j", columns, columns)
    return float(np.sqrt(2 * turn / (x + y))) if x + y > 0 and turn > 0 else 1.0


def _row_sizes(blocks: Floats) -> Floats:
    """The largest entry of each row, 1 where there is none; six passes beat one short-axis `max`."""
    sizes = np.zeros(len(blocks))
    for column in blocks.reshape(-1, 6).T:
        np.maximum(sizes, np.abs(column), out=sizes)
    sizes[sizes == 0] = 1.0
    return sizes


def _typical(gaps: Floats, bound: Floats) -> float:
    """The length that gaps are measured in: their median, or a bound where all are zero."""
    finite = bound[np.isfinite(bound) & (bound > 0)]
    smallest = float(finite.min()) if finite.size else 0.0
    sizes = np.abs(gaps)
    # What corrections and rounding leave of gaps that are meant to be zero must not become the unit.
    sizes = sizes[sizes > NOISE * max(_largest_magnitude(sizes), smallest)]
    return float(np.median(sizes)) if sizes.size else smallest or 1.0


def check_solution(program: Program, answer: RawSolution, name: str, tolerance: float) -> Solution:
    """An answer in natural units, with our word on whether it holds; no step where it is not of numbers."""
    finite = bool(np.isfinite(answer.step).all() and np.isfinite(answer.forces).all())
    step, forces = (answer.step, answer.forces) if finite else (0.0 * program.cost, 0.0 * program.gaps)
    forces = np.where(program.equal, forces, np.maximum(forces, 0.0))
    step = np.clip(step.reshape(program.cost.shape), -program.bound, program.bound)
    primal, dual, gap = residuals(program, step, forces) if finite else (np.inf,) * 3
    load = loads(program, forces) + program.cost
    return Solution(
        solved=max(primal, dual, gap) <= SLACK * tolerance,
        step=step,
        forces=forces,
        bound_forces=np.where(np.isfinite(program.bound), load, 0.0),
        objective=float(np.sum(program.cost * step)),
        relative_gap=gap,
        iterations=answer.iterations,
        solver=name,
        message=f"{answer.message}; primal {primal:.1e}, dual {dual:.1e}, gap {gap:.1e}",
    )


def _badness(solution: Solution) -> tuple[bool, float]:
    return not solution.solved, solution.relative_gap


def in_units_of(solution: Solution, program: Program, units: Units) -> Solution:
    """A solution in the units of the caller's program."""
    load = units.objective / units.columns
    step = solution.step * units.columns
    return replace(
        solution,
        step=step,
        forces=solution.forces * units.rows,
        bound_forces=solution.bound_forces * load,
        objective=float(np.sum(program.cost * step)),
    )


def _piqp(program: Program, tolerance: float) -> RawSolution:
    """PIQP, in a process of its own where that takes long: it holds the interpreter until it is done."""
    if len(program.cost) < LONG:
        return run_piqp(program, tolerance)
    from pliant.flex.lp.process import call_in_process

    return call_in_process(run_piqp, program, tolerance)


def run_piqp(program: Program, tolerance: float) -> RawSolution:
    """PIQP's proximal interior-point method on the sparse KKT system, or a full one of a few bodies."""
    return prepare_piqp(program)(program, tolerance)


def prepare_piqp(program: Program) -> Callable[[Program, float], RawSolution]:
    """PIQP set up for the rows of a program: what solves it with any cost, to a tolerance."""
    piqp: Any = import_module("piqp")
    few = len(program.cost) <= FEW
    matrix, equal = program.full_matrix() if few else program.matrix(), program.equal
    kept: Any = np.asarray if few else csc_matrix
    size = program.cost.size
    bound = program.bound.ravel()
    solver: Any = piqp.DenseSolver() if few else piqp.SparseSolver()
    if not few:
        # Rows are many times as many as columns, and each has six entries: what is left of them is sparse.
        solver.settings.kkt_solver = piqp.KKTSolver.sparse_ldlt_ineq_cond
    solver.setup(
        kept(np.zeros((size, size)) if few else (size, size)),
        -program.cost.ravel(),
        kept(matrix[equal]) if equal.any() else None,
        -program.gaps[equal] if equal.any() else None,
        kept(-matrix[~equal] if equal.any() else -matrix),
        None,
        program.gaps[~equal],
        -bound,
        bound,
    )

    def run(asked: Program, tolerance: float) -> RawSolution:
        if asked is not program:
            solver.update(c=-asked.cost.ravel())
        solver.settings.eps_abs = solver.settings.eps_duality_gap_abs = tolerance
        solver.settings.eps_rel = solver.settings.eps_duality_gap_rel = 0.1 * tolerance
        status = solver.solve()
        result: Any = solver.result
        forces = np.empty(len(program.gaps))
        forces[~equal] = result.z_u
        forces[equal] = -np.asarray(result.y)
        return RawSolution(np.array(result.x), forces, int(result.info.iter), str(status.name))

    return run


def _clarabel(program: Program, tolerance: float) -> RawSolution:
    """Clarabel's interior-point method on the homogeneous embedding's KKT system."""
    clarabel: Any = import_module("clarabel")
    matrix, bound = program.matrix(), program.bound.ravel()
    size = program.cost.size
    order = np.argsort(~program.equal, kind="stable")
    held = np.flatnonzero(np.isfinite(bound))
    sides = _units_of(held, size)
    sparse: Any = import_module("scipy.sparse")
    stacked = csc_matrix(sparse.vstack([-matrix[order], sides, -sides]))
    right = np.concatenate([program.gaps[order], bound[held], bound[held]])
    pivots = int(program.equal.sum())
    cones: list[Any] = [clarabel.ZeroConeT(pivots), clarabel.NonnegativeConeT(len(right) - pivots)]
    settings: Any = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    objective = -program.cost.ravel()
    nothing = csc_matrix((size, size))
    solver: Any = clarabel.DefaultSolver(nothing, objective, stacked, right, cones, settings)
    result: Any = solver.solve()
    forces = np.empty(len(order))
    forces[order] = np.asarray(result.z)[: len(order)]
    return RawSolution(np.asarray(result.x), forces, int(result.iterations), str(result.status))


def _units_of(columns: Ints, size: int) -> csc_matrix:
    """One row for each column, 1 there."""
    entries = np.ones(len(columns)), (np.arange(len(columns)), columns)
    return csc_matrix(entries, shape=(len(columns), size))


def _highs(program: Program, tolerance: float) -> RawSolution:
    """HiGHS: interior point without crossover; simplex where a small program needs it.

    Crossover is left out because the vertex nearest to a central answer is of no use to
    us and, with all gaps equal, takes far longer to find than the answer: so does the
    simplex method, minutes from a thousand bodies on.
    """
    answer = _run_highs(program, tolerance, "ipx")
    small = len(program.cost) < CROSSOVER
    if not small or check_solution(program, answer, "highs", tolerance).solved:
        return answer
    return _run_highs(program, tolerance, "simplex")


def _run_highs(program: Program, tolerance: float, method: str) -> RawSolution:
    highspy: Any = import_module("highspy")
    program = replace(program, gaps=HIGHS_GAP * program.gaps, bound=HIGHS_GAP * program.bound)
    matrix = csc_matrix(program.matrix())
    lp: Any = highspy.HighsLp()
    lp.num_row_, lp.num_col_ = program.shape
    lp.col_cost_ = -program.cost.ravel()
    lp.col_lower_, lp.col_upper_ = -program.bound.ravel(), program.bound.ravel()
    lp.row_lower_ = -program.gaps
    lp.row_upper_ = np.where(program.equal, -program.gaps, np.inf)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_ = matrix.indptr, matrix.indices
    lp.a_matrix_.value_ = matrix.data
    highs: Any = highspy.Highs()
    highs.disableCallbacks()  # Ctrl-C would be raised in one of them, and be lost
    limit = max(tolerance, 1e-10)
    options = {
        "output_flag": False,
        "solver": method,
        "run_crossover": "off",
        "ipm_optimality_tolerance": max(tolerance, 1e-12),
        "primal_feasibility_tolerance": limit,
        "dual_feasibility_tolerance": limit,
        "ipm_iteration_limit": IPX_ITERATIONS,
        "simplex_iteration_limit": PIVOTS * sum(program.shape),
    }
    for name, value in options.items():
        highs.setOptionValue(name, value)
    highs.passModel(lp)
    highs.run()
    result, info = highs.getSolution(), highs.getInfo()
    count = max(info.ipm_iteration_count, info.simplex_iteration_count)
    status = highs.modelStatusToString(highs.getModelStatus())
    values, duals = np.array(result.col_value), np.array(result.row_dual)
    if not duals.size:  # HiGHS leaves an infeasible program without vectors
        values, duals = np.full(program.cost.size, np.nan), np.full(len(program.gaps), np.nan)
    return RawSolution(values / HIGHS_GAP, duals, int(count), f"{method}: {status}")


def _normal(program: Program, tolerance: float) -> RawSolution:
    """Our interior-point method on the normal equations of the body graph."""
    return prepare_normal(program)(program, tolerance)


def prepare_normal(program: Program) -> Callable[[Program, float], RawSolution]:
    """Our interior-point method prepared for the rows of a program: what solves it with any cost."""
    from pliant.flex.lp.interior import prepare_interior

    solve = prepare_interior(program)

    def run(asked: Program, tolerance: float) -> RawSolution:
        result = solve(asked, tolerance)
        return RawSolution(result.step.ravel(), result.forces, result.iterations, result.message)

    return run


_ADAPTORS: dict[str, Callable[[Program, float], RawSolution]] = {
    "piqp": _piqp,
    "clarabel": _clarabel,
    "highs": _highs,
    "normal": _normal,
}


def _largest_magnitude(values: Floats) -> float:
    return float(values.max()) if values.size else 0.0
