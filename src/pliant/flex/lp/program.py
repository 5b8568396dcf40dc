"""The linear program of one step, as arrays, and what a solver makes of it.

maximise c·Δq  subject to  J Δq + d ≥ 0,  |Δq| ≤ bound

Every row of J touches at most two bodies (six numbers), so J is kept as 3-number
blocks; solvers that want a sparse matrix ask for `matrix()`.

Source: [Lensgraf2020] eq. 11.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from pliant.core.arrays import Bools, Floats, Ints

ROUNDING = 1e-7

# Rows from which loops are compiled. Loading what is compiled takes a process 0.4 s, once, and compiling it
# some 20 s: so small assemblies, and large ones of which little moves, never load a compiler.
COMPILED = 6000

# Moving bodies from which our interior-point method is chosen. An LP alone is faster with
# it from about 150; loading the compiled kernels costs a process 0.7 s once, which a
# dozen LPs of this size earn back.
CROSSOVER = 300


@dataclass(frozen=True)
class Program:
    """Equation 11 at one pose, over the B bodies that can move."""

    pairs: Ints  # (R, 2) moving bodies of each row, -1 where the row has no (moving) body
    blocks: Floats  # (R, 2, 3) ∂d/∂(x, y, θ) of those bodies, 0 where there is none
    gaps: Floats  # (R,) d0; an equality row demands J Δq + d0 = 0
    equal: Bools  # (R,) True where the row is an equality (a pivot)
    cost: Floats  # (B, 3) c, maximised
    bound: Floats  # (B, 3) |Δq| ≤ bound, inf where there is none
    centres: Floats  # (B, 2) where the bodies are, so that a solver can order its elimination
    same: float = ROUNDING  # an equality that adds no more than this to others, of an arm, is left out

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of J."""
        return len(self.gaps), self.cost.size

    def take(self, which: Bools) -> Program:
        """The program with some of its rows."""
        kept = {name: getattr(self, name)[which] for name in ("pairs", "blocks", "gaps", "equal")}
        return replace(self, **kept)

    def change(self, step: Floats) -> Floats:
        """J Δq, (R,)."""
        padded = np.concatenate([step, np.zeros((1, 3))])  # index -1 finds the zeros
        moved = padded.take(self.pairs, axis=0)
        return np.einsum("rij,rij->r", self.blocks, moved)

    def matrix(self) -> csr_array:
        """J as a sparse matrix, (R, 3B)."""
        bodies = self.pairs.ravel()
        kept = bodies >= 0
        columns = (3 * bodies[kept][:, None] + np.arange(3)).ravel()
        starts = np.concatenate([[0], np.cumsum(3 * (self.pairs >= 0).sum(axis=1))])
        return csr_array((self.blocks.reshape(-1, 3)[kept].ravel(), columns, starts), shape=self.shape)

    def full_matrix(self) -> Floats:
        """J with all its zeros, (R, 3B)."""
        rows = np.arange(len(self.gaps))
        full = np.zeros((len(rows), len(self.cost) + 1, 3))  # index -1 is the ground's
        for side in range(2):
            full[rows, self.pairs[:, side]] += self.blocks[:, side]
        return full[:, :-1].reshape(self.shape)


@dataclass(frozen=True)
class Solution:
    """What a solver found. `solved` is its word; callers check what they rely on."""

    solved: bool
    step: Floats  # (B, 3) Δq
    forces: Floats  # (R,) y ≥ 0 on inequality rows, any sign on equalities: the contact forces
    bound_forces: Floats  # (B, 3) multipliers of |Δq| ≤ bound, the sign of the side that holds
    objective: float  # c·Δq
    relative_gap: float  # |primal − dual| / (1 + |primal|)
    iterations: int
    solver: str
    message: str  # the solver's own word
