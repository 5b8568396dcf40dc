"""An interior-point method for the linear program of one step, on its normal equations.

maximise c·x  subject to  s = J x + d ≥ 0 (= 0 at pivots),  with forces y ≥ 0

Newton's method on  J x + d = s,  Jᵀ y + c = 0,  s y = μ  with μ driven to zero.
Eliminating Δs and Δy leaves  N Δx = r  with  N = Jᵀ diag(y/s) J,  three unknowns a body
and a block for each two that touch: `cholesky`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from pliant.flex.cholesky import Factor, Symbolic, analyse, factor, multiply, solve
from pliant.flex.program import Floats, Ints, Program, Solution
from pliant.flex.rows import PIVOT, Rows, gather, measure, normal_blocks, pull, push, times, blend

VERBOSE = bool(os.environ.get("IPM_VERBOSE"))
RIDGE = 1e-11
NOISE = 1e-15
P = {k: float(v) for k, v in (kv.split("=") for kv in os.environ.get("IPM", "").split(",") if kv)}

@dataclass(frozen=True)
class Result:
    step: Floats
    forces: Floats
    iterations: int
    message: str


def solve_interior(program: Program, tolerance: float, start: Solution | None, maxit=150) -> Result:
    correctors = int(P.get("corr", 2))
    rows = gather(program)
    c, d = program.cost, rows.gaps
    eq = rows.equal > 0
    ineq = ~eq
    n = max(int(ineq.sum()), 1)
    S = analyse(rows.pairs[: rows.coupled], program.centres)
    B = len(c)
    diag = np.arange(3)

    def factorise(weights):
        blocks = normal_blocks(rows, weights)
        reg = NOISE
        while True:
            reged = blocks.copy()
            dd = reged[:B, diag, diag]
            reged[:B, diag, diag] = dd * (1 + reg) + RIDGE
            F = factor(S, reged)
            if not F.failed:
                return blocks, F
            reg *= 100
            if reg > 1e-3: return blocks, F

    # start
    bl, F = factorise(np.ones(len(d)))
    s = np.maximum(d, P.get("smin", 0.1)); s[eq] = 1.0
    yl = -times(rows, solve(F, c))
    y = yl.copy()
    shift = max(-1.5 * y[ineq].min(), 0.0) if ineq.any() else 0
    y = y + shift * P.get("shift", 1)
    half = .5 * (y[ineq] @ s[ineq]) / s[ineq].sum()
    y = y + half
    y[eq] = yl[eq]
    x = np.zeros_like(c)
    rp = np.empty_like(s)
    nsolve = nfac = 0
    lo_, hi_ = P.get("lo", .1), P.get("hi", 10)
    for it in range(maxit):
        load, viol = measure(rows, x, s, y, rp)
        rd = load + c
        mu = float(s @ np.where(eq, 0, y)) / n
        pobj = float((c * x).sum()); dobj = float(y @ d)
        gap = abs(pobj - dobj) / (1 + abs(pobj))
        dres = float(abs(rd).max())
        if VERBOSE: print(f"{it:3d} p {pobj:.8g} d {dobj:.8g} gap {gap:.1e} rp {abs(rp).max():.1e} viol {viol:.1e} rd {dres:.1e} mu {mu:.1e}", end=" ")
        if gap < tolerance and viol < tolerance and dres < tolerance:
            msg = "converged"; break
        W = np.where(eq, PIVOT, y / s)
        blocks, F = factorise(W); nfac += 1
        if F.failed:
            msg = "factor failed"; break

        def direction(rc):
            nonlocal nsolve
            rhs = rd + push(rows, s, W, rp, rc)
            dx = solve(F, rhs); nsolve += 1
            for _ in range(3):
                res = rhs - multiply(S, blocks, dx)
                if abs(res).max() < P.get("ref", .3) * max(tolerance, dres): break
                dx = dx + solve(F, res); nsolve += 1
            return dx, *pull(rows, dx, s, y, W, rp, rc)

        zero = np.zeros_like(s)
        def increment(rc):
            nonlocal nsolve
            rhs = push(rows, s, W, zero, rc)
            dx = solve(F, rhs); nsolve += 1
            for _ in range(3):
                res = rhs - multiply(S, blocks, dx)
                if abs(res).max() < P.get("ref", .3) * max(tolerance, dres): break
                dx = dx + solve(F, res); nsolve += 1
            return dx, *pull(rows, dx, s, y, W, zero, rc)
        rc = -s * y
        dx, ds, dy, ap, ad = direction(rc)
        px, py = dx, dx
        mua = float((s + ap * ds) @ np.where(eq, 0, y + ad * dy)) / n
        sigma = (mua / mu) ** P.get("pow", 3)
        sigma = min(max(sigma, 1e-6), 1)
        rc = np.where(eq, 0, sigma * mu - ds * dy * (ap * ad if P.get("damp", 0) else 1))
        used = 0
        for k in range(correctors + 1):
            if k:
                apt, adt = min(1, ap + 0.1 + .2*ap), min(1, ad + 0.1+.2*ad)
                v = (s + apt * ds) * (y + adt * dy)
                tgt = sigma * mu
                t = np.clip(v, lo_ * tgt, hi_ * tgt) - v
                rc = np.where(eq, 0, np.maximum(t, -hi_ * tgt))
            ex, es, ey, *_ = increment(rc)
            op, ap2 = blend(s, ds, es, rows.equal)
            od, ad2 = blend(y, dy, ey, rows.equal)
            if k and ap2 + ad2 < ap + ad + P.get("gain", .02): break
            dx = dx + op * ex; ds = ds + op * es; dy = dy + od * ey; ap = ap2; ad = ad2
            used += 1
        frac = P.get("frac", .99)
        ap, ad = min(1, frac * ap), min(1, frac * ad)
        if VERBOSE: print(f"sigma {sigma:.1e} ap {ap:.3f} ad {ad:.3f} corr {used}")
        x = x + ap * dx; s = s + ap * ds; y = y + ad * dy
    else:
        msg = "iteration limit"
    forces = np.zeros(len(program.gaps))
    real = rows.source >= 0
    forces[rows.source[real]] = y[real]
    return Result(x, forces, it, msg + f" nsolve {nsolve} nfac {nfac}")
