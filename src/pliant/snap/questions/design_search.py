"""A design that meets a goal: it goes in below one force, holds above another, and is not overstrained.

Source: [DonaldPai1993] sec. 10.2, "design as search". Tried by floats, confirmed exactly at the end.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from pydantic import ValidationError
from scipy.optimize import minimize
from scipy.stats import qmc

from pliant.core.arrays import Floats
from pliant.core.errors import Fault, InputError, PliantError
from pliant.core.progress import Progress, silent
from pliant.snap.arithmetic.exact import ExactArithmetic
from pliant.snap.arithmetic.floating import FloatArithmetic
from pliant.snap.arithmetic.protocol import Arithmetic, sweep_arithmetic
from pliant.snap.force.force_curve import peak_and_strains
from pliant.snap.handbook.strain import Strain
from pliant.snap.model import Fastener, Goal
from pliant.snap.questions.variable_changes import present_value, with_variables
from pliant.snap.springs.beam import strain_limit
from pliant.snap.springs.spring import springs_of
from pliant.snap.start.checks import beam_faults, check_start
from pliant.snap.sweep.plan import travel_back, travel_in, united_obstacles

SPREAD = 6  # 2^SPREAD designs are tried before the best are improved
POLISHED = 3
WORST = 1e6


@dataclass(frozen=True)
class BestDesign:
    """Values of the variables, and what they come to."""

    values: dict[str, Fraction]
    insertion: float
    retention: float  # infinite where it does not come out
    met: bool
    tried: int
    strains: dict[str, Strain] = field(default_factory=lambda: {})  # of beams, against what they may have

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "values": {name: float(value) for name, value in self.values.items()},
            "exact": {name: str(value) for name, value in self.values.items()},
            "insertion": self.insertion if math.isfinite(self.insertion) else None,
            "retention": self.retention if math.isfinite(self.retention) else None,
            "strain": {name: strain.to_dict() for name, strain in self.strains.items()},
            "met": self.met,
            "tried": self.tried,
        }


def search(model: Fastener, goal: Goal, progress: Progress = silent, seed: int = 0) -> BestDesign:
    """The best design found within the variables' ranges; `met` says whether it does what was asked.

    Args:
        model: a fastener with variables.
        goal: bounds of its forces (N).
        progress: called as designs are tried.
        seed: the same seed finds the same.

    Returns:
        The values, their forces, and whether they meet the goal.

    Raises:
        InputError: the model has no variables.
    """
    if not model.variables:
        cure = "Add [[variables]] with a name, a range and what they change"
        raise InputError([Fault("variables", "has none, so there is nothing to vary", cure)])
    ranges = np.array([[float(low), float(high)] for low, high in (p.range for p in model.variables)])
    count = 0

    def lack(share: Sequence[float] | Floats) -> float:
        nonlocal count
        count += 1
        progress(count, (1 << SPREAD) + 60 * POLISHED, "trying designs")
        return _shortfall(design_figures(model, _values(model, ranges, share), goal), goal)

    shares = qmc.Sobol(len(ranges), rng=seed).random_base2(SPREAD)
    scored = sorted(
        (lack(share), tuple(share.tolist())) for share in (_present_shares(model, ranges), *shares)
    )
    best = scored[0]
    for _, start in scored[:POLISHED]:
        if best[0] <= 0:
            break
        polished: Any = minimize(
            lack, start, method="Nelder-Mead", bounds=[(0, 1)] * len(ranges), options={"maxfev": 60}
        )
        best = min(best, (float(polished.fun), tuple(polished.x.tolist())))
    values = _values(model, ranges, best[1])
    figures = design_figures(model, values, goal, sweep_arithmetic(ExactArithmetic()))
    met = _shortfall(figures, goal) <= 0
    return BestDesign(values, figures.insertion, figures.retention, met, count, figures.strains)


def _present_shares(model: Fastener, ranges: Floats) -> Floats:
    """The present design, as shares of the ranges."""
    values = np.array([float(present_value(model, variable)) for variable in model.variables])
    width = np.where(ranges[:, 1] > ranges[:, 0], ranges[:, 1] - ranges[:, 0], 1.0)
    return np.clip((values - ranges[:, 0]) / width, 0.0, 1.0)


def _values(model: Fastener, ranges: Floats, share: Sequence[float] | Floats) -> dict[str, Fraction]:
    """Shares of the ranges as values a drawing can bear."""
    at = ranges[:, 0] + np.asarray(share) * (ranges[:, 1] - ranges[:, 0])
    return {
        variable.name: min(
            max(Fraction(value).limit_denominator(10_000), variable.range[0]), variable.range[1]
        )
        for variable, value in zip(model.variables, at.tolist(), strict=True)
    }


@dataclass(frozen=True)
class DesignFigures:
    """What a design comes to: the forces in and out, and the strain of its beams."""

    insertion: float  # infinite where it does not go in, or cannot be
    retention: float  # infinite where it does not come out
    strains: dict[str, Strain]


NO_DESIGN = DesignFigures(math.inf, 0.0, {})


def design_figures(
    model: Fastener, values: Mapping[str, Fraction], goal: Goal | None = None,
    arithmetic: Arithmetic | None = None,
) -> DesignFigures:  # fmt: skip
    """Run a design in and out."""
    try:
        design = with_variables(model, values)
        check_start(design)
    except (ValidationError, PliantError):
        return NO_DESIGN
    if any(beam_faults(design)):
        return NO_DESIGN
    arithmetic, fixed, springs = (
        arithmetic or sweep_arithmetic(FloatArithmetic()),
        united_obstacles(design),
        springs_of(design),
    )
    ways = travel_in(design, arithmetic, fixed)
    friction = float(design.friction)
    if not ways[-1].arrived:
        return NO_DESIGN
    again = travel_back(design, arithmetic, fixed, ways)
    there, out = (
        [peak_and_strains(course, springs, friction) for course in courses] for courses in (ways, again)
    )
    held = again[-1].cause != "until"
    strains: dict[str, Strain] = {}
    for pawl in design.pawls:
        if pawl.beam is not None:
            peak = max(strained[pawl.name] for _, strained in (*there, *out))
            asked = None if goal is None else goal.strain_below
            strains[pawl.name] = Strain(peak, strain_limit(pawl.beam) if asked is None else asked)
    insertion = max(force for force, _ in there)
    return DesignFigures(insertion, math.inf if held else max(force for force, _ in out), strains)


def design_forces(
    model: Fastener, values: Mapping[str, Fraction], arithmetic: Arithmetic | None = None
) -> tuple[float, float]:
    """What a design takes to go in and to come out; infinite where it does not, or cannot be."""
    figures = design_figures(model, values, None, arithmetic)
    return figures.insertion, figures.retention


def _shortfall(figures: DesignFigures, goal: Goal) -> float:
    """How far a design is from the goal, as logarithms of forces and strains; not positive where met."""
    lack, insertion, retention = 0.0, figures.insertion, figures.retention
    if goal.insert_below is not None:
        lack = max(lack, _log(insertion) - _log(goal.insert_below) + 1e-9)
    if goal.hold_above is not None:
        lack = max(lack, _log(goal.hold_above) - _log(retention) + 1e-9)
    for strain in figures.strains.values():
        if strain.limit is not None and strain.exceeds:
            lack = max(lack, math.log(strain.peak / strain.limit) + 1e-9)
    if not math.isfinite(insertion):
        lack = max(lack, _log(insertion))
    return lack if lack > 0 and (insertion > 0 or retention > 0) else min(lack, 0.0)


def _log(force: float) -> float:
    return math.log(min(max(force, 1e-9), WORST))
