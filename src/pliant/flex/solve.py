"""Flex: move an assembly of loose parts as far as its joints let it, step by step.

Source: [Lensgraf2020] section V: eq. 11, time stepping and re-enforcement (V-B).
"""

from __future__ import annotations

from math import inf

from pliant.core.loops import run_loops
from pliant.core.progress import Interrupted, Progress, silent
from pliant.flex.diagnosis.as_drawn import findings_as_drawn
from pliant.flex.diagnosis.unbounded import Ending
from pliant.flex.model import Assembly, FlexStudy
from pliant.flex.problem.system import System, compile_system
from pliant.flex.result import FlexResult
from pliant.flex.status import FlexStatus
from pliant.flex.stepping.ascent import ascend
from pliant.flex.stepping.perturbation import is_worth_perturbing, perturb_end
from pliant.flex.stepping.restarts import best_of_restarts
from pliant.flex.stepping.stages import solve_stages
from pliant.flex.stepping.step import configuration_at
from pliant.flex.stepping.trajectory import Trajectory


def solve(model: Assembly, study: FlexStudy | None = None, progress: Progress = silent) -> FlexResult:
    """The extreme motion of an assembly, or why there is none."""
    with run_loops("flex", inf, progress):  # only large assemblies have loops that are compiled
        system = compile_system(model, study or model.study.for_command("flex"))
        if system.study.stages:
            return solve_stages(model, system, progress)
        result = _from_drawn(model, system, progress)
        return best_of_restarts(model, system, result, progress) if system.study.restarts else result


def check(model: Assembly) -> None:
    """Refuse what `solve` refuses of a model with its own study."""
    compile_system(model, model.study.for_command("flex"))


def _from_drawn(model: Assembly, system: System, progress: Progress) -> FlexResult:
    """The ascent from the drawn pose, and what pushing the parts at its end adds to it."""
    trajectory = Trajectory(model, system, configuration_at(system, system.parts.drawn, system.reach, None))
    wrong = findings_as_drawn(model, system, trajectory.at_start)
    if wrong is not None:
        return trajectory.result(Ending(wrong[0]), **wrong[1])
    try:
        ending = ascend(system, trajectory, system.study.steps, progress)
        if ending.status.at_rest and is_worth_perturbing(system, trajectory):
            ending = perturb_end(system, trajectory, ending, progress)
        return trajectory.result(ending)
    except KeyboardInterrupt:
        stopped = Ending(FlexStatus.STEP_LIMIT, note="interrupted")
        raise Interrupted(trajectory.result(stopped, ranges=False)) from None
