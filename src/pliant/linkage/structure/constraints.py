"""What holds a linkage together, as equations of the joints: f(x) = f(x̄).

    length  |x_i − x_j|²
    point   x_k − x_i − c·(x_j − x_i), c = (x̄_k − x̄_i)/(x̄_j − x̄_i) complex: two rows
    line    (x_b − x_a) × (x_k − x_a)
    strut   |x_i − x_j|² = (|x̄_i − x̄_j| + u)²,  u = x_m − x̄_m along x: the travel of a motor
    push    (x_b − x_a)·(x_k − x_a) = (x̄_b − x̄_a)·(x̄_k − x̄_a) + u|x̄_b − x̄_a|

A link of m joints has 2m − 3 rows: the length of its two joints that are farthest apart, and
two for each other joint, which hold for collinear joints too (where further lengths would not).
Rules solve these equations in closed form; coupled groups, mobility and checks use them here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, auto

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner, kernel


class Equation(IntEnum):
    """The kinds of equation that hold joints together."""

    LENGTH = 0
    POINT_X = auto()
    POINT_Y = auto()
    LINE = auto()
    STRUT = auto()
    PUSH = auto()


LINEAR = (Equation.POINT_X, Equation.POINT_Y)  # of first degree in the positions; the others are of second


@dataclass(frozen=True)
class Constraints:
    """R equations. A row's joints, -1 where unused.

    length i, j; point k, i, j; line k, a, b; strut i, j, m; push k, a, b, m.
    """

    kinds: Ints  # (R,)
    joints: Ints  # (R, 4)
    owners: tuple[str, ...]  # (R,) the link or slider that says so

    def __len__(self) -> int:
        return len(self.kinds)

    def select(self, rows: Ints) -> Constraints:
        """Some of the rows."""
        return Constraints(self.kinds[rows], self.joints[rows], tuple(self.owners[r] for r in rows))


def concatenate(first: Constraints, second: Constraints) -> Constraints:
    """The rows of both, one after the other."""
    kinds, joints = np.concatenate([first.kinds, second.kinds]), np.concatenate([first.joints, second.joints])
    return Constraints(kinds, joints, (*first.owners, *second.owners))


def residuals(rows: Constraints, drawn: Floats, x: Floats) -> Floats:
    """f(x) − f(x̄): (F, R) for positions x (F, N, 2)."""
    out = np.empty((len(x), len(rows)))
    fill_residuals(rows.kinds, rows.joints, drawn, x, out)
    return out


def gradients(rows: Constraints, drawn: Floats, x: Floats) -> Floats:
    """∂f/∂x: (F, R, N, 2)."""
    out = np.zeros((len(x), len(rows), len(drawn), 2))
    fill_gradients(rows.kinds, rows.joints, drawn, x, out)
    return out


def drawn_gradients(rows: Constraints, drawn: Floats, x: Floats) -> Floats:
    """∂f(x̄)/∂x̄ on the right, at positions x: (F, R, N, 2). With `gradients`, C δx = D δx̄."""
    out = np.zeros((len(x), len(rows), len(drawn), 2))
    _fill_drawn_gradients(rows.kinds, rows.joints, drawn, x, out)
    return out


def curvatures(rows: Constraints, v: Floats) -> Floats:
    """The part of d²f/dt² that has no acceleration in it: (F, R) for velocities v (F, N, 2)."""
    out = np.zeros((len(v), len(rows)))
    _fill_curvatures(rows.kinds, rows.joints, v, out)
    return out


def errors(rows: Constraints, drawn: Floats, x: Floats) -> Floats:
    """How far each row is from holding, as a length: (F, R)."""
    lengths = scales(rows, drawn)
    return np.abs(residuals(rows, drawn, x)) / np.where(lengths > 0.0, lengths, 1.0)


def scales(rows: Constraints, drawn: Floats) -> Floats:
    """What each row is divided by to be a length: (R,)."""
    p, q, r, _ = rows.joints.T
    bars, guides = (
        np.isin(rows.kinds, (Equation.LENGTH, Equation.STRUT)),
        np.isin(rows.kinds, (Equation.LINE, Equation.PUSH)),
    )
    scale = np.where(bars, 2 * np.hypot(*(drawn[p] - drawn[q]).T), 1.0)
    return np.where(guides, np.hypot(*(drawn[r] - drawn[q]).T), scale)


@kernel
def fill_residuals(kinds: Ints, joints: Ints, drawn: Floats, x: Floats, out: Floats) -> None:
    """See `residuals`."""
    for f in range(len(x)):
        y = x[f]
        for row in range(len(kinds)):
            p, q, r, m = joints[row, 0], joints[row, 1], joints[row, 2], joints[row, 3]
            if kinds[row] == Equation.LENGTH:
                out[f, row] = _square(y, p, q) - _square(drawn, p, q)
            elif kinds[row] == Equation.LINE:
                out[f, row] = _area(y, p, q, r) - _area(drawn, p, q, r)
            elif kinds[row] == Equation.STRUT:
                out[f, row] = _square(y, p, q) - (np.sqrt(_square(drawn, p, q)) + y[r, 0] - drawn[r, 0]) ** 2
            elif kinds[row] == Equation.PUSH:
                along = (y[m, 0] - drawn[m, 0]) * np.sqrt(_square(drawn, q, r))
                out[f, row] = _dot(y, p, q, r) - _dot(drawn, p, q, r) - along
            else:
                along, across = _ratio(drawn, p, q, r)
                u, w = y[r, 0] - y[q, 0], y[r, 1] - y[q, 1]
                if kinds[row] == Equation.POINT_X:
                    out[f, row] = y[p, 0] - y[q, 0] - along * u + across * w
                else:
                    out[f, row] = y[p, 1] - y[q, 1] - across * u - along * w


@kernel
def fill_gradients(kinds: Ints, joints: Ints, drawn: Floats, x: Floats, out: Floats) -> None:
    """See `gradients`; `out` comes filled with zeros."""
    for f in range(len(x)):
        for row in range(len(kinds)):
            p, q, r, m = joints[row, 0], joints[row, 1], joints[row, 2], joints[row, 3]
            if kinds[row] == Equation.LENGTH:
                _add_length(out[f, row], x[f], p, q)
            elif kinds[row] == Equation.LINE:
                _add_area(out[f, row], x[f], p, q, r)
            elif kinds[row] == Equation.STRUT:
                _add_length(out[f, row], x[f], p, q)
                out[f, row, r, 0] -= 2.0 * (np.sqrt(_square(drawn, p, q)) + x[f, r, 0] - drawn[r, 0])
            elif kinds[row] == Equation.PUSH:
                _add_dot(out[f, row], x[f], p, q, r)
                out[f, row, m, 0] -= np.sqrt(_square(drawn, q, r))
            else:
                along, across = _ratio(drawn, p, q, r)
                _add_factor(out[f, row], p, 1.0, 0.0, kinds[row])
                _add_factor(out[f, row], q, along - 1.0, across, kinds[row])
                _add_factor(out[f, row], r, -along, -across, kinds[row])


@kernel
def _fill_drawn_gradients(kinds: Ints, joints: Ints, drawn: Floats, x: Floats, out: Floats) -> None:
    for f in range(len(x)):
        for row in range(len(kinds)):
            p, q, r, m = joints[row, 0], joints[row, 1], joints[row, 2], joints[row, 3]
            if kinds[row] == Equation.LENGTH:
                _add_length(out[f, row], drawn, p, q)
            elif kinds[row] == Equation.LINE:
                _add_area(out[f, row], drawn, p, q, r)
            elif kinds[row] == Equation.STRUT:
                length, travel = np.sqrt(_square(drawn, p, q)), x[f, r, 0] - drawn[r, 0]
                for c in range(2):
                    slope = 2.0 * (1.0 + travel / length) * (drawn[p, c] - drawn[q, c])
                    out[f, row, p, c] += slope
                    out[f, row, q, c] -= slope
                out[f, row, r, 0] -= 2.0 * (length + travel)
            elif kinds[row] == Equation.PUSH:
                length, travel = np.sqrt(_square(drawn, q, r)), x[f, m, 0] - drawn[m, 0]
                _add_dot(out[f, row], drawn, p, q, r)
                for c in range(2):
                    slope = travel * (drawn[r, c] - drawn[q, c]) / length
                    out[f, row, r, c] += slope
                    out[f, row, q, c] -= slope
                out[f, row, m, 0] -= length
            else:
                along, across = _ratio(drawn, p, q, r)
                u, w = x[f, r, 0] - x[f, q, 0], x[f, r, 1] - x[f, q, 1]
                bx, by = drawn[r, 0] - drawn[q, 0], drawn[r, 1] - drawn[q, 1]
                square = bx * bx + by * by
                re, im = (u * bx + w * by) / square, (w * bx - u * by) / square
                cr, ci = re * along - im * across, re * across + im * along
                _add_factor(out[f, row], p, re, im, kinds[row])
                _add_factor(out[f, row], q, cr - re, ci - im, kinds[row])
                _add_factor(out[f, row], r, -cr, -ci, kinds[row])


@kernel
def _fill_curvatures(kinds: Ints, joints: Ints, v: Floats, out: Floats) -> None:
    for f in range(len(v)):
        for row in range(len(kinds)):
            p, q, r = joints[row, 0], joints[row, 1], joints[row, 2]
            if kinds[row] == Equation.LENGTH:
                out[f, row] = 2.0 * _square(v[f], p, q)
            elif kinds[row] == Equation.LINE:
                out[f, row] = 2.0 * _area(v[f], p, q, r)
            elif kinds[row] == Equation.STRUT:
                out[f, row] = 2.0 * (_square(v[f], p, q) - v[f, r, 0] ** 2)
            elif kinds[row] == Equation.PUSH:
                out[f, row] = 2.0 * _dot(v[f], p, q, r)


@inner
def _square(y: Floats, p: int, q: int) -> float:
    return (y[p, 0] - y[q, 0]) ** 2 + (y[p, 1] - y[q, 1]) ** 2


@inner
def _area(y: Floats, k: int, a: int, b: int) -> float:
    return (y[b, 0] - y[a, 0]) * (y[k, 1] - y[a, 1]) - (y[b, 1] - y[a, 1]) * (y[k, 0] - y[a, 0])


@inner
def _dot(y: Floats, k: int, a: int, b: int) -> float:
    return (y[b, 0] - y[a, 0]) * (y[k, 0] - y[a, 0]) + (y[b, 1] - y[a, 1]) * (y[k, 1] - y[a, 1])


@inner
def _ratio(drawn: Floats, k: int, i: int, j: int) -> tuple[float, float]:
    bx, by = drawn[j, 0] - drawn[i, 0], drawn[j, 1] - drawn[i, 1]
    ax, ay = drawn[k, 0] - drawn[i, 0], drawn[k, 1] - drawn[i, 1]
    square = bx * bx + by * by
    return (ax * bx + ay * by) / square, (bx * ay - by * ax) / square


@inner
def _add_length(out: Floats, y: Floats, p: int, q: int) -> None:
    for c in range(2):
        slope = 2.0 * (y[p, c] - y[q, c])
        out[p, c] += slope
        out[q, c] -= slope


@inner
def _add_area(out: Floats, y: Floats, k: int, a: int, b: int) -> None:
    ux, uy = y[b, 0] - y[a, 0], y[b, 1] - y[a, 1]
    px, py = y[k, 0] - y[a, 0], y[k, 1] - y[a, 1]
    out[k, 0] -= uy
    out[k, 1] += ux
    out[b, 0] += py
    out[b, 1] -= px
    out[a, 0] += uy - py
    out[a, 1] += px - ux


@inner
def _add_dot(out: Floats, y: Floats, k: int, a: int, b: int) -> None:
    for c in range(2):
        u, p = y[b, c] - y[a, c], y[k, c] - y[a, c]
        out[k, c] += u
        out[b, c] += p
        out[a, c] -= u + p


@inner
def _add_factor(out: Floats, joint: int, re: float, im: float, kind: int) -> None:
    """The real or the imaginary row of (re + i·im)·δx."""
    if kind == Equation.POINT_X:
        out[joint, 0] += re
        out[joint, 1] -= im
    else:
        out[joint, 0] += im
        out[joint, 1] += re
