"""The BLAS that compiled loops call.

Importing this module imports numba: only the solver "normal" does, when it is chosen.

The routines are scipy's own BLAS and LAPACK. They are registered under names, not
called by address, because a compiled function that holds an address cannot be cached
on disk and every process would pay for the compiler.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numba.core import types
from numba.extending import get_cython_function_address

from pliant.core.arrays import Floats
from pliant.core.kernel import inner, inner_fast


def _routine(module: str, name: str, arguments: int) -> Any:
    """A Fortran routine by name; all its arguments are pointers."""
    symbol = f"pliant_{name}"
    llvm.add_symbol(symbol, get_cython_function_address(f"scipy.linalg.{module}", name))
    return types.ExternalFunction(symbol, types.void(*[types.voidptr] * arguments))


_dpotrf = _routine("cython_lapack", "dpotrf", 5)
_dtrsm = _routine("cython_blas", "dtrsm", 11)
_dsyrk = _routine("cython_blas", "dsyrk", 10)

_LETTERS = np.frombuffer(b"LNRT", np.uint8)
_L, _N, _R, _T = _LETTERS[0:1], _LETTERS[1:2], _LETTERS[2:3], _LETTERS[3:4]


@inner
def cholesky_front(panel: Floats, update: Floats, m: int, k: int) -> int:
    """Eliminate the first m of m + k unknowns of a front; 0, or where a pivot failed.

    `panel` holds columns 1..m, (m + k) x m, and `update` the k x k rest, both lower
    triangles column by column: L₁₁ L₁₁ᵀ = F₁₁, L₂₁ = F₂₁ L₁₁⁻ᵀ, F₂₂ −= L₂₁ L₂₁ᵀ.
    """
    ints = np.array((m, k, m + k, 0, 1), np.int32)
    reals = np.array((1.0, -1.0))
    _dpotrf(_L.ctypes, ints[0:].ctypes, panel.ctypes, ints[2:].ctypes, ints[3:].ctypes)
    if ints[3] != 0 or k == 0:
        return ints[3]
    below = panel[m:]
    _dtrsm(
        _R.ctypes, _L.ctypes, _T.ctypes, _N.ctypes, ints[1:].ctypes, ints[0:].ctypes,
        reals[0:].ctypes, panel.ctypes, ints[2:].ctypes, below.ctypes, ints[2:].ctypes,
    )  # fmt: skip
    _dsyrk(
        _L.ctypes, _N.ctypes, ints[1:].ctypes, ints[0:].ctypes, reals[1:].ctypes,
        below.ctypes, ints[2:].ctypes, reals[0:].ctypes, update.ctypes, ints[1:].ctypes,
    )  # fmt: skip
    return 0


@inner_fast
def forward_front(panel: Floats, own: Floats, rest: Floats, m: int, k: int) -> None:
    """x₁ := L₁₁⁻¹ x₁, rest := −L₂₁ x₁.

    Plain loops down the columns: these products are bound by memory, and most fronts
    are so small that two calls of BLAS cost more than the work.
    """
    n = m + k
    rest[:k] = 0.0
    for j in range(m):
        at = j * n
        v = own[j] / panel[at + j]
        own[j] = v
        later, inside, below = own[j + 1 :], panel[at + j + 1 : at + m], panel[at + m : at + n]
        for i in range(len(inside)):
            later[i] -= inside[i] * v
        for i in range(len(below)):
            rest[i] -= below[i] * v


@inner_fast
def backward_front(panel: Floats, own: Floats, rest: Floats, m: int, k: int) -> None:
    """x₁ := L₁₁⁻ᵀ (x₁ − L₂₁ᵀ rest)."""
    n = m + k
    for j in range(m - 1, -1, -1):
        at = j * n
        later, inside, below = own[j + 1 :], panel[at + j + 1 : at + m], panel[at + m : at + n]
        v = 0.0
        for i in range(len(inside)):
            v += inside[i] * later[i]
        for i in range(len(below)):
            v += below[i] * rest[i]
        own[j] = (own[j] - v) / panel[at + j]
