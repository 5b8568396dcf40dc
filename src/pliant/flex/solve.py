"""Flex: move an assembly of loose parts as far as its joints let it, step by step.

Source: [Lensgraf2020] section V: eq. 11, time stepping and re-enforcement (V-B).
"""

from __future__ import annotations

from math import inf

from pliant.core.loops import running
from pliant.core.progress import Interrupted, Progress, silent
from pliant.flex.diagnosis.as_drawn import as_drawn
from pliant.flex.diagnosis.unbounded import Ending
from pliant.flex.model import Assembly, FlexStudy
from pliant.flex.problem.system import System, compile_system
from pliant.flex.result import FlexResult
from pliant.flex.status import FlexStatus
from pliant.flex.stepping.ascent import climb
from pliant.flex.stepping.perturbation import shaken, worth_shaking
from pliant.flex.stepping.restarts import restarted
from pliant.flex.stepping.step import place
from pliant.flex.stepping.trajectory import Walk
from pliant.flex.warm import LOOPS


def solve(model: Assembly, study: FlexStudy | None = None, progress: Progress = silent) -> FlexResult:
    """The extreme motion of an assembly, or why there is none."""
    with running(LOOPS, inf, progress):  # only large assemblies have loops that are compiled
        system = compile_system(model, study or model.study.for_command("flex"))
        result = _from_drawn(model, system, progress)
        return restarted(model, system, result, progress) if system.study.restarts else result


def _from_drawn(model: Assembly, system: System, progress: Progress) -> FlexResult:
    """The climb from the drawn pose, and from where it ended once the parts were shaken."""
    walk = Walk(model, system, place(system, system.parts.drawn, system.reach, None))
    wrong = as_drawn(model, system, walk.at_start)
    if wrong is not None:
        return walk.end(Ending(wrong[0]), **wrong[1])
    try:
        ending = climb(system, walk, system.study.steps, progress)
        if ending.status.at_rest and worth_shaking(system, walk):
            ending = shaken(system, walk, ending, progress)
        return walk.end(ending)
    except KeyboardInterrupt:
        stopped = Ending(FlexStatus.STEP_LIMIT, note="interrupted")
        raise Interrupted(walk.end(stopped, ranges=False)) from None
