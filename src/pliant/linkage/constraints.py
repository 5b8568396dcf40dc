"""What holds a linkage together, as equations of the joints: f(x) = f(x̄).

    length  |x_i − x_j|²
    point   x_k − x_i − c·(x_j − x_i), c = (x̄_k − x̄_i)/(x̄_j − x̄_i) complex: two rows
    line    (x_b − x_a) × (x_k − x_a)

A link of m joints has 2m − 3 rows: the length of its two joints that are farthest apart, and
two for each other joint, which hold for collinear joints too (where further lengths would not).
Rules solve these equations in closed form; coupled groups, mobility and checks use them here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pliant.linkage.rules import Floats, Ints

LENGTH, POINT_X, POINT_Y, LINE = range(4)


@dataclass(frozen=True)
class Constraints:
    """R equations. A row's joints: length i, j; point k, i, j; line k, a, b. -1 where unused."""

    kinds: Ints  # (R,)
    joints: Ints  # (R, 3)
    owners: tuple[str, ...]  # (R,) the link or slider that says so

    def __len__(self) -> int:
        return len(self.kinds)

    def pick(self, rows: NDArray[np.int64]) -> Constraints:
        """Some of the rows."""
        return Constraints(self.kinds[rows], self.joints[rows], tuple(self.owners[r] for r in rows))


def residuals(rows: Constraints, drawn: Floats, x: Floats) -> Floats:
    """f(x) − f(x̄): (F, R) for positions x (F, N, 2)."""
    out = np.empty((len(x), len(rows)))
    for kind, at, (p, q, r) in _by_kind(rows):
        if kind == LENGTH:
            out[:, at] = _square(x[:, p] - x[:, q]) - _square(drawn[p] - drawn[q])
        elif kind == LINE:
            now = _cross(x[:, r] - x[:, q], x[:, p] - x[:, q])
            out[:, at] = now - _cross(drawn[r] - drawn[q], drawn[p] - drawn[q])
        else:
            c = _ratio(drawn, p, q, r)
            left = _complex(x[:, p] - x[:, q]) - c * _complex(x[:, r] - x[:, q])
            out[:, at] = left.real if kind == POINT_X else left.imag
    return out


def gradients(rows: Constraints, drawn: Floats, x: Floats) -> Floats:
    """∂f/∂x: (F, R, N, 2)."""
    out = np.zeros((len(x), len(rows), len(drawn), 2))
    for kind, at, (p, q, r) in _by_kind(rows):
        if kind == LENGTH:
            slope = 2 * (x[:, p] - x[:, q])
            out[:, at, p] += slope
            out[:, at, q] -= slope
        elif kind == LINE:
            _add_line(out, at, (p, q, r), x)
        else:
            c = _ratio(drawn, p, q, r)
            _add_complex(out, at, p, np.ones(len(at), complex), kind)
            _add_complex(out, at, q, c - 1, kind)
            _add_complex(out, at, r, -c, kind)
    return out


def drawn_gradients(rows: Constraints, drawn: Floats, x: Floats) -> Floats:
    """∂f(x̄)/∂x̄ on the right, at positions x: (F, R, N, 2). With `gradients`, C δx = D δx̄."""
    out = np.zeros((len(x), len(rows), len(drawn), 2))
    still = np.broadcast_to(drawn, x.shape)
    for kind, at, (p, q, r) in _by_kind(rows):
        if kind == LENGTH:
            slope = 2 * (still[:, p] - still[:, q])
            out[:, at, p] += slope
            out[:, at, q] -= slope
        elif kind == LINE:
            _add_line(out, at, (p, q, r), still)
        else:
            c = _ratio(drawn, p, q, r)
            turn = _complex(x[:, r] - x[:, q]) / _complex(drawn[r] - drawn[q])
            _add_complex(out, at, p, turn, kind)
            _add_complex(out, at, q, turn * (c - 1), kind)
            _add_complex(out, at, r, -turn * c, kind)
    return out


def curvatures(rows: Constraints, v: Floats) -> Floats:
    """The part of d²f/dt² that has no acceleration in it: (F, R) for velocities v (F, N, 2)."""
    out = np.zeros((len(v), len(rows)))
    for kind, at, (p, q, r) in _by_kind(rows):
        if kind == LENGTH:
            out[:, at] = 2 * _square(v[:, p] - v[:, q])
        elif kind == LINE:
            out[:, at] = 2 * _cross(v[:, r] - v[:, q], v[:, p] - v[:, q])
    return out


def errors(rows: Constraints, drawn: Floats, x: Floats) -> Floats:
    """How far each row is from holding, as a length: (F, R)."""
    scale = np.ones(len(rows))
    for kind, at, (p, q, r) in _by_kind(rows):
        if kind == LENGTH:
            scale[at] = 2 * np.sqrt(_square(drawn[p] - drawn[q]))
        elif kind == LINE:
            scale[at] = np.sqrt(_square(drawn[r] - drawn[q]))
    return np.abs(residuals(rows, drawn, x)) / scale


def _by_kind(rows: Constraints) -> list[tuple[int, Ints, tuple[Ints, Ints, Ints]]]:
    found: list[tuple[int, Ints, tuple[Ints, Ints, Ints]]] = []
    for kind in range(4):
        at = np.flatnonzero(rows.kinds == kind)
        if len(at):
            p, q, r = rows.joints[at].T
            found.append((kind, at, (p, q, r)))
    return found


def _add_line(out: Floats, at: Ints, joints: tuple[Ints, Ints, Ints], x: Floats) -> None:
    k, a, b = joints
    u, p = x[:, b] - x[:, a], x[:, k] - x[:, a]
    of_k = np.stack([-u[..., 1], u[..., 0]], axis=-1)
    of_b = np.stack([p[..., 1], -p[..., 0]], axis=-1)
    out[:, at, k] += of_k
    out[:, at, b] += of_b
    out[:, at, a] -= of_k + of_b


def _add_complex(out: Floats, at: Ints, joint: Ints, factor: NDArray[np.complex128], kind: int) -> None:
    """The real or the imaginary row of factor·δx."""
    if kind == POINT_X:
        out[:, at, joint, 0] += factor.real
        out[:, at, joint, 1] -= factor.imag
    else:
        out[:, at, joint, 0] += factor.imag
        out[:, at, joint, 1] += factor.real


def _ratio(drawn: Floats, k: Ints, i: Ints, j: Ints) -> NDArray[np.complex128]:
    return _complex(drawn[k] - drawn[i]) / _complex(drawn[j] - drawn[i])


def _complex(v: Floats) -> NDArray[np.complex128]:
    return v[..., 0] + 1j * v[..., 1]


def _square(v: Floats) -> Floats:
    return v[..., 0] ** 2 + v[..., 1] ** 2


def _cross(u: Floats, v: Floats) -> Floats:
    return u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]
