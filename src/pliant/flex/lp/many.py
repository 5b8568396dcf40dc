"""One polytope, many objectives: what depends on the rows alone is made once, and all cores share the rest.

maximise c_k·Δq  subject to  J Δq + d ≥ 0,  |Δq| ≤ b,  for k = 1 … K

Rows gathered by pairs, the order of elimination and the libraries' own arrays are those of J; a
cost changes none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pliant.core.arrays import Bools, Floats
from pliant.core.threads import in_threads, threads
from pliant.flex.lp.blas import one_blas_thread
from pliant.flex.lp.program import Program, Solution
from pliant.flex.lp.solvers import (
    RawSolution,
    Units,
    check_solution,
    in_natural_units,
    in_units_of,
    is_large,
    prepare_normal,
    prepare_piqp,
    solve_program,
)

COMPILED_FROM = 60  # moving bodies: for so many programs, the compiler's loops are worth loading


@dataclass(frozen=True)
class SharedProgram:
    """A program whose cost is given later, as often as one likes."""

    program: Program  # in the caller's units, with no dependent equalities
    own: Program  # in natural units
    units: Units  # for a load of 1 in natural units
    kept: Bools  # (R,) rows of the caller's program that are in it
    solver: str
    run: Callable[[Program, float], RawSolution]

    def maximize(self, cost: Floats, tolerance: float) -> Solution:
        """The step of largest cost·Δq, cost (B, 3), with the forces that prove it."""
        own_cost = cost * self.units.columns / self.units.objective
        load = float(np.abs(own_cost).max()) or 1.0
        own = replace(self.own, cost=own_cost / load)
        solution = check_solution(own, self.run(own, tolerance), self.solver, tolerance)
        asked = replace(self.program, cost=cost)
        if not solution.solved:
            return self._with_all_rows(solve_program(asked, "auto", tolerance))
        units = Units(self.units.columns, load * self.units.rows, load * self.units.objective)
        return self._with_all_rows(in_units_of(solution, asked, units))

    def _with_all_rows(self, solution: Solution) -> Solution:
        forces = np.zeros(len(self.kept))
        forces[self.kept] = solution.forces
        return replace(solution, forces=forces)


def share_program(program: Program) -> SharedProgram:
    """Prepare the rows of a program for many costs; its own cost does not matter."""
    kept = np.ones(len(program.gaps), np.bool_)
    if program.equal.any():
        from pliant.flex.lp.dependent import dependent_rows

        kept = ~dependent_rows(program)
        program = program.take(kept)
    own, units = in_natural_units(replace(program, cost=np.ones_like(program.cost)))
    # To a load of 1: `in_natural_units` has scaled by the largest cost, of a length or of an angle.
    load = units.objective / float(units.columns[0, 0])
    units = Units(units.columns, units.rows / load, units.objective / load)
    if len(program.cost) >= COMPILED_FROM or is_large(*reversed(program.shape)):
        return SharedProgram(program, own, units, kept, "normal", prepare_normal(own))
    return SharedProgram(program, own, units, kept, "piqp", prepare_piqp(own))


def maximize_all(shared: SharedProgram, costs: Sequence[Floats], tolerance: float) -> Iterator[Solution]:
    """The solution for each cost, in order, as they come: a handful at a time on all threads.

    BLAS keeps to one thread all along: were each program to see to that for itself, the first to end
    would give the others' back.
    """
    batch = 1 if shared.solver == "piqp" else 4 * threads()
    for start in range(0, len(costs), batch):
        with one_blas_thread():
            solutions = in_threads(
                lambda cost: shared.maximize(cost, tolerance), costs[start : start + batch]
            )
        yield from solutions
