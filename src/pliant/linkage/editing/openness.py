"""How the drawing opens or flattens a dyad with a sliding pair or a linear motor: ∂c/∂x̄, exactly."""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats
from pliant.linkage.editing.terms import EditView
from pliant.linkage.structure.rule import Op, RuleKind


def dyad_openness_gradient(view: EditView, op: Op, f: int, c: float) -> Floats:
    """(N, 2) of the c of `rules.fill_openness`, of one rule at pose f."""
    out = np.zeros_like(view.drawn)
    if op.rule == RuleKind.LINES:
        _lines(view, op, f, c, out)
    elif op.rule == RuleKind.SLOT:
        _slot(view, op, f, c, out)
    else:
        _strut(view, op, f, c, out)
    return out


def _lines(view: EditView, op: Op, f: int, c: float, out: Floats) -> None:
    """Of c = 1 − σ u × h/(|ū||n̄|), u = x_b − x_j, h = n̄ w/w̄ (complex), w = x_q − x_p."""
    j, b, p, q, r, s = op.j, op.b, op.p, op.q, op.r, op.s
    x, drawn = view.poses.x[:, :, f], view.drawn
    u, w = x[b] - x[j], _number(x[q] - x[p])
    guide, direction, base = drawn[b] - drawn[j], drawn[s] - drawn[r], _number(drawn[q] - drawn[p])
    ratio, turn = _number(direction) / base, w / base
    h = _vector(ratio * w)
    scale = 1 / (np.hypot(*guide) * np.hypot(*direction))
    scale = scale if guide[0] * direction[1] - guide[1] * direction[0] >= 0 else -scale
    out -= scale * np.tensordot(np.array([h[1], -h[0]]), _relative_jacobian(view, j, b, f), 1)
    across = np.array([-u[1], u[0]])  # u × z = across · z
    out -= scale * np.tensordot(_by(ratio, across), _relative_jacobian(view, p, q, f), 1)
    of_way, of_base = -scale * _by(turn, across), scale * _by(turn * ratio, across)
    of_way = of_way + (1 - c) * direction / (direction @ direction)
    for (tail, tip), slope in (
        ((r, s), of_way),
        ((p, q), of_base),
        ((j, b), (1 - c) * guide / (guide @ guide)),
    ):
        out[tip] += slope
        out[tail] -= slope


def _slot(view: EditView, op: Op, f: int, c: float, out: Floats) -> None:
    """Of c = p̄²/(p² + p̄² − h²), p from the pivot to the pin, h = n̄ × p̄/|n̄|."""
    i, j, r, s = op.i, op.j, op.r, op.s
    x, drawn = view.poses.x[:, :, f], view.drawn
    pin, direction = drawn[j] - drawn[i], drawn[s] - drawn[r]
    length = float(np.hypot(*direction))
    offset = float(direction[0] * pin[1] - direction[1] * pin[0]) / length
    whole = float(pin @ pin) / c  # p² + p̄² − h²
    out -= 2 * c / whole * np.tensordot(x[j] - x[i], _relative_jacobian(view, i, j, f), 1)
    of_pin = (
        2 * (1 - c) / whole * pin + 2 * c * offset / whole * np.array([-direction[1], direction[0]]) / length
    )
    turned = np.array([pin[1], -pin[0]]) / length - offset * direction / length**2
    for (tail, tip), slope in (((i, j), of_pin), ((r, s), 2 * c * offset / whole * turned)):
        out[tip] += slope
        out[tail] -= slope


def _strut(view: EditView, op: Op, f: int, c: float, out: Floats) -> None:
    """As a triangle or a slider, with bars that grow."""
    k, i, j, b, m, n = op.k, op.i, op.j, op.b, op.motor, op.p
    x, drawn, travel = view.poses.x[:, :, f], view.drawn, view.poses.cosines[:, f]
    bar = drawn[k] - drawn[i]
    short = float(np.hypot(*bar))
    long = short + float(travel[m])
    if op.rule == RuleKind.STRUT:
        other = drawn[k] - drawn[j]
        still = float(np.hypot(*other))
        grown = still + (float(travel[n]) if n >= 0 else 0.0)
        out -= np.tensordot(x[j] - x[i], _relative_jacobian(view, i, j, f), 1) / (long * grown)
        ends = (
            ((i, k), (1 / grown - c / long) * bar / short),
            ((j, k), (1 / long - c / grown) * other / still),
        )
    else:
        guide, arm = drawn[b] - drawn[j], drawn[k] - drawn[j]
        scale = 1 / (long * float(np.hypot(*guide)))
        u, p = x[b] - x[j], x[i] - x[j]
        out += scale * np.tensordot(np.array([-u[1], u[0]]), _relative_jacobian(view, j, i, f), 1)
        out += scale * np.tensordot(np.array([p[1], -p[0]]), _relative_jacobian(view, j, b, f), 1)
        of_guide = -scale * np.array([arm[1], -arm[0]]) - c * guide / (guide @ guide)
        ends = (
            ((i, k), -c / long * bar / short),
            ((j, k), -scale * np.array([-guide[1], guide[0]])),
            ((j, b), of_guide),
        )
    for (tail, tip), slope in ends:
        out[tip] += slope
        out[tail] -= slope


def _relative_jacobian(view: EditView, tail: int, tip: int, f: int) -> Floats:
    """(2, N, 2) how x_tip − x_tail moves with the drawing."""
    return view.derivatives[tip, :, :, :, f] - view.derivatives[tail, :, :, :, f]


def _by(factor: complex, row: Floats) -> Floats:
    """The row that takes z to row · (factor z)."""
    return np.array(
        [row[0] * factor.real + row[1] * factor.imag, row[1] * factor.real - row[0] * factor.imag]
    )


def _number(v: Floats) -> complex:
    return complex(v[0], v[1])


def _vector(z: complex) -> Floats:
    return np.array([z.real, z.imag])
