"""Weighted least squares over the rows of a program."""

from __future__ import annotations

import numpy as np
from scipy.sparse import diags_array
from scipy.sparse.linalg import splu

from pliant.flex.program import Floats, Program


def least_squares(program: Program, change: Floats, weights: Floats) -> Floats:
    """The step that changes the distances by `change` as nearly as can be: min Σ w (JΔq − change)²."""
    matrix = program.matrix()
    weighted = matrix.T @ diags_array(weights)
    normal = (weighted @ matrix).tocsc()
    diagonal = normal.diagonal()
    # Bodies that nothing touches stay where they are; the rest is not moved by so little.
    normal += diags_array(1e-10 * diagonal + 1e-14 * diagonal.max(initial=1.0) + 1e-300)
    factor = splu(normal.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return factor.solve(weighted @ change).reshape(-1, 3)
