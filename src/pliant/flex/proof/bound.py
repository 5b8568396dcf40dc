"""A bound on a linear program that does not trust its solver.

For any multipliers y, the sign of each right for the side of its row,

    max c·v  ≤  Σ yᵢ·(the side of row i) + Σ_k max over [leastₖ, mostₖ] of (c − Aᵀy)ₖ vₖ,

so that the solver's answer only makes the bound good, never wrong. Sums are loosened by far more than their
rounding. In the same way a ray of multipliers proves that nothing satisfies the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from pliant.core.arrays import Floats
from pliant.flex.proof.linear_relaxation import Relaxation

ROUNDING = 1e-13  # of the sum of all terms without their signs
EMPTY = -np.inf


@dataclass(frozen=True)
class Bounded:
    """A bound, and where the program thinks it is reached."""

    value: float  # −inf: nothing satisfies the rows; inf: no bound was found
    at: Floats | None


class BoundProgram:
    """One relaxation, and bounds on many objectives over it."""

    def __init__(self, relaxation: Relaxation, size: float, lengths: Floats) -> None:
        highspy: Any = import_module("highspy")
        self.relaxation = relaxation
        self.scale = np.where(lengths > 0, size, 1.0)  # unknowns that are lengths, in parts' sizes
        matrix = relaxation.matrix.multiply(self.scale[None, :]).tocsr()
        largest = np.maximum(np.abs(matrix).max(axis=1).toarray().ravel(), 1e-300)
        self.row_scale = 1.0 / largest
        matrix = matrix.multiply(self.row_scale[:, None]).tocsr()
        lp: Any = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = matrix.shape[1], matrix.shape[0]
        lp.col_cost_ = np.zeros(matrix.shape[1])
        lp.col_lower_, lp.col_upper_ = relaxation.least / self.scale, relaxation.most / self.scale
        lp.row_lower_, lp.row_upper_ = relaxation.low * self.row_scale, relaxation.high * self.row_scale
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = matrix.indptr
        lp.a_matrix_.index_ = matrix.indices
        lp.a_matrix_.value_ = matrix.data
        self.solver: Any = highspy.Highs()
        self.solver.disableCallbacks()
        for name, value in (
            ("output_flag", False),
            ("presolve", "off"),
            ("solver", "simplex"),
            ("simplex_iteration_limit", 20_000),
        ):
            self.solver.setOptionValue(name, value)
        self.solver.passModel(lp)
        self.columns = np.arange(matrix.shape[1], dtype=np.int32)

    def maximum(self, weights: Floats) -> Bounded:
        """A bound on weights·v."""
        cost = -weights * self.scale
        size = float(np.abs(cost).max()) or 1.0
        self.solver.changeColsCost(len(self.columns), self.columns, cost / size)
        self.solver.run()
        status = self.solver.modelStatusToString(self.solver.getModelStatus())
        if status == "Infeasible":
            ray = self.solver.getDualRay()
            values = np.asarray(ray[2], np.float64)
            if len(values) == len(self.row_scale) and self._is_empty(values * self.row_scale):
                return Bounded(EMPTY, None)
        solution = self.solver.getSolution()
        duals = np.asarray(solution.row_dual, np.float64)
        if len(duals) != len(self.row_scale):
            duals = np.zeros(len(self.row_scale))
        value = -self._least(-weights, duals * self.row_scale * size)
        at = np.asarray(solution.col_value, np.float64) * self.scale if status == "Optimal" else None
        return Bounded(value, at)

    def _is_empty(self, ray: Floats) -> bool:
        nothing = np.zeros(len(self.scale))
        return self._least(nothing, ray) > 0 or self._least(nothing, -ray) > 0

    def _least(self, cost: Floats, multipliers: Floats) -> float:
        """A lower bound on cost·v by any multipliers, (R,)."""
        known = self.relaxation
        sides = np.where(multipliers > 0, known.low, known.high)
        multipliers = np.where(np.isfinite(sides), multipliers, 0.0)
        sides = np.where(np.isfinite(sides), sides, 0.0)
        pushed = known.matrix.T @ multipliers
        rest = cost - pushed
        # Each entry of `rest` is off by rounding, which its variable's size turns into the bound's.
        sizes = np.abs(known.matrix).T @ np.abs(multipliers) + np.abs(cost)
        reach = np.maximum(np.abs(known.least), np.abs(known.most))
        terms = np.where(rest > 0, rest * known.least, rest * known.most)
        total = float(multipliers @ sides + terms.sum())
        return total - ROUNDING * float(np.abs(multipliers * sides).sum() + sizes @ reach)
