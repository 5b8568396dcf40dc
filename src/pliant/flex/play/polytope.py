"""The local polytope of an assembly: every small motion that its joints allow, to first order.

{Δq : J Δq + d ≥ 0} of eq. 11 at the drawn pose. Its extent along a direction is a linear program;
all directions share its rows.

Source: [Lensgraf2020] eq. 11.
Differs: every motion is bounded, by the assembly's extent and by half a turn, so that a direction
in which nothing holds has an answer too, which says that nothing does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.pose import turn
from pliant.core.threads import threads
from pliant.flex.lp.many import SharedProgram, maximize_all, share_program
from pliant.flex.lp.program import Program, Solution
from pliant.flex.lp.workers import maximize_in_processes
from pliant.flex.problem.system import System
from pliant.flex.stepping.step import Configuration

ACCURACY = 1e-4  # of an extent
WORTH_PROCESSES = 400  # programs: to start processes takes as long as some dozens of them
HELD_BY_BOUND = 1e-3  # of the load: where the bounds carry as much, no joint bounds the motion


class UnsolvedError(Exception):
    """A program that no solver could solve; says what the last one said."""


@dataclass(frozen=True)
class LocalPolytope:
    """The polytope of a system at a configuration."""

    system: System
    here: Configuration

    @cached_property
    def program(self) -> Program:
        """Equation 11 with its bounds; the cost is that of the system's own objective."""
        bound = np.empty((len(self.system.parts.free), 3))
        bound[:, :2], bound[:, 2] = self.system.parts.extent, np.pi
        return self.system.program(self.here.contacts.rows, self.here.poses, bound)

    @cached_property
    def shared(self) -> SharedProgram:
        """The same, for any cost."""
        return share_program(self.program)

    def cost(self, name: str, point: Floats, force: Floats) -> Floats:
        """The cost (M, 3) of a point's travel and of the turn of a moving body.

        `point` is in the frame of the rigid body that the body is, or is a member of; `force` has the
        weights of travel along x, along y, and of the turn.
        """
        place, arm = self._moving(name, point)
        cost = np.zeros((len(self.system.parts.free), 3))
        cost[place] = force[0], force[1], force[2] + arm[0] * force[1] - arm[1] * force[0]
        return cost

    def travel(self, name: str, point: Floats, solution: Solution) -> Floats:
        """How far a motion takes a point of a body along x and y, to first order, and the body's turn."""
        place, arm = self._moving(name, point)
        x, y, spin = solution.step[place]
        return np.array([x - spin * arm[1], y + spin * arm[0], spin])

    def with_cost(self, cost: Floats) -> Program:
        """The program that maximises a cost."""
        return replace(self.program, cost=cost)

    def _moving(self, name: str, point: Floats) -> tuple[int, Floats]:
        """The place of a body among the moving ones, and the arm of a point of it, world."""
        body = self.system.parts.index(name)
        return int(self.system.parts.moving[body]), turn(self.here.poses[body, 2], point)

    def extremes(self, costs: Sequence[Floats]) -> Iterator[Solution]:
        """The extreme motion along each cost, in order, as they come; an UnsolvedError ends them."""
        for solution in maximize_all(self.shared, costs, ACCURACY):
            if not solution.solved:
                raise UnsolvedError(solution.message)
            yield solution

    def extents(self, costs: Sequence[Floats]) -> Iterator[Solution]:
        """The same without forces, in processes on all cores where there are so many that it is worth it."""
        if len(costs) < WORTH_PROCESSES or self.shared.solver != "normal" or threads() == 1:
            yield from self.extremes(costs)
            return
        for solution in maximize_in_processes(self.shared, self.program, costs, ACCURACY, threads()):
            if not solution.solved:
                raise UnsolvedError(solution.message)
            yield solution

    def is_free(self, solution: Solution, cost: Floats) -> bool:
        """Whether the bounds hold a motion, and no joint: then it has no end to first order."""
        arm = np.array([1.0, 1.0, 1.0 / self.system.parts.size])
        load = float(np.abs(cost * arm).max())
        return bool(np.abs(solution.bound_forces * arm).max(initial=0.0) > HELD_BY_BOUND * load)
