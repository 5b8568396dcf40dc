"""Derivatives of the rules: velocities, accelerations, Jacobians, and gradients backwards.

Each rule is differentiated as the equations it solves. For a triangle, with e_i = x_k − x_i
and ē_i = x̄_k − x̄_i,

    e_i·(δx_k − δx_i) = ē_i·(δx̄_k − δx̄_i)      and the same with j,

two linear equations for δx_k. They hold for rates of the motor (δx̄ = 0), for changes of the
drawing, and transposed for gradients; the acceleration has −|v_k − v_i|² on the right.

Source: [Bacher2015Supplement] section 1: the state derivatives ∂x_k/∂x̄.
Differs: the paper differentiates its closed form by the chain rule and prints two slips: ∂t/∂x̄
needs 1/t_d², and ∂l̄_ik, ∂l̄_jk use the drawn positions, not the stepped ones. The equations
above give the same derivatives as the paper's chain with both put right (tests/papers), at a
fraction of the cost, and the same two lines serve every rule and every coupled group.
"""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner, kernel
from pliant.linkage.kinematics.dyads import SLOTS, dyad_backward, dyad_jacobian, dyad_rates
from pliant.linkage.structure.rule import RuleKind, op_at

TILE = 256  # poses whose intermediate values stay in the processor's nearest memory


@kernel
def fill_rates(
    ops: Ints, drawn: Floats, x: Floats, cosines: Floats, w: Floats, dw: Floats, v: Floats, a: Floats
) -> None:
    """Velocities v and accelerations a (N, 2, F) at motor rates w and dw (M, F), signs included."""
    rows, of_drawn = np.empty((2, SLOTS, 2)), np.empty((2, SLOTS, 2))
    for o in range(len(ops)):
        op = op_at(ops, o)
        rule, k, i, j, b, m = op.rule, op.k, op.i, op.j, op.b, op.motor
        for f in range(x.shape[2]):
            if rule == RuleKind.FIXED:
                v[k, 0, f] = v[k, 1, f] = a[k, 0, f] = a[k, 1, f] = 0.0
            elif rule == RuleKind.TRAVEL:
                v[k, 0, f], v[k, 1, f], a[k, 0, f], a[k, 1, f] = w[m, f], 0.0, dw[m, f], 0.0
            elif rule == RuleKind.MOTOR:
                ex, ey = x[k, 0, f] - x[j, 0, f], x[k, 1, f] - x[j, 1, f]
                s, ds = w[m, f], dw[m, f]
                v[k, 0, f], v[k, 1, f] = -s * ey, s * ex
                a[k, 0, f], a[k, 1, f] = -s * s * ex - ds * ey, -s * s * ey + ds * ex
            elif rule == RuleKind.POINT:
                _point_rate(drawn, k, i, j, v, f)
                _point_rate(drawn, k, i, j, a, f)
            elif rule > RuleKind.SLIDER:
                dyad_rates(op, drawn, x, cosines, w, dw, f, rows, of_drawn, v, a)
            else:
                _solve_rates(rule, k, i, j, b, x, v, a, f)


@inner
def _point_rate(drawn: Floats, k: int, i: int, j: int, v: Floats, f: int) -> None:
    bx, by = drawn[j, 0] - drawn[i, 0], drawn[j, 1] - drawn[i, 1]
    ax, ay = drawn[k, 0] - drawn[i, 0], drawn[k, 1] - drawn[i, 1]
    square = bx * bx + by * by
    along, across = (ax * bx + ay * by) / square, (bx * ay - by * ax) / square
    u, w = v[j, 0, f] - v[i, 0, f], v[j, 1, f] - v[i, 1, f]
    v[k, 0, f] = v[i, 0, f] + along * u - across * w
    v[k, 1, f] = v[i, 1, f] + across * u + along * w


@inner
def _solve_rates(rule: int, k: int, i: int, j: int, b: int, x: Floats, v: Floats, a: Floats, f: int) -> None:
    """Two equations e·δx_k = right side: one for the bar to i, one for the bar to j or the guide."""
    e1x, e1y = x[k, 0, f] - x[i, 0, f], x[k, 1, f] - x[i, 1, f]
    r1 = e1x * v[i, 0, f] + e1y * v[i, 1, f]
    ux = uy = px = py = wx = wy = 0.0  # of the guide, where there is one
    if rule == RuleKind.TRIANGLE:
        e2x, e2y = x[k, 0, f] - x[j, 0, f], x[k, 1, f] - x[j, 1, f]
        r2 = e2x * v[j, 0, f] + e2y * v[j, 1, f]
    else:
        ux, uy = x[b, 0, f] - x[j, 0, f], x[b, 1, f] - x[j, 1, f]
        px, py = x[k, 0, f] - x[j, 0, f], x[k, 1, f] - x[j, 1, f]
        wx, wy = v[b, 0, f] - v[j, 0, f], v[b, 1, f] - v[j, 1, f]
        e2x, e2y = -uy, ux
        r2 = -uy * v[j, 0, f] + ux * v[j, 1, f] - (wx * py - wy * px)
    inverse = 1.0 / (e1x * e2y - e1y * e2x)
    v[k, 0, f] = (e2y * r1 - e1y * r2) * inverse
    v[k, 1, f] = (e1x * r2 - e2x * r1) * inverse
    dx, dy = v[k, 0, f] - v[i, 0, f], v[k, 1, f] - v[i, 1, f]
    s1 = e1x * a[i, 0, f] + e1y * a[i, 1, f] - dx * dx - dy * dy
    if rule == RuleKind.TRIANGLE:
        dx, dy = v[k, 0, f] - v[j, 0, f], v[k, 1, f] - v[j, 1, f]
        s2 = e2x * a[j, 0, f] + e2y * a[j, 1, f] - dx * dx - dy * dy
    else:
        qx, qy = v[k, 0, f] - v[j, 0, f], v[k, 1, f] - v[j, 1, f]
        zx, zy = a[b, 0, f] - a[j, 0, f], a[b, 1, f] - a[j, 1, f]
        s2 = -uy * a[j, 0, f] + ux * a[j, 1, f] - (zx * py - zy * px) - 2.0 * (wx * qy - wy * qx)
    a[k, 0, f] = (e2y * s1 - e1y * s2) * inverse
    a[k, 1, f] = (e1x * s2 - e2x * s1) * inverse


@kernel
def fill_jacobians(
    ops: Ints, drawn: Floats, x: Floats, cosines: Floats, sines: Floats, starts: Ints, roots: Ints, d: Floats
) -> None:
    """Fill d (N, 2, N, 2, F): d[k, :, p, c] = ∂x_k/∂x̄_p along axis c.

    roots[starts[k]:starts[k+1]] are the joints p that x_k depends on; the rest of d is left 0.
    """
    poses = x.shape[2]
    work = np.empty((9, TILE))
    rows, of_drawn = np.empty((2, SLOTS, 2)), np.empty((2, SLOTS, 2))
    for start in range(0, poses, TILE):
        stop = min(start + TILE, poses)
        for o in range(len(ops)):
            op = op_at(ops, o)
            rule, k, i, j, b, m = op.rule, op.k, op.i, op.j, op.b, op.motor
            if rule in (RuleKind.FIXED, RuleKind.TRAVEL):
                d[k, 0, k, 0, start:stop] = 1.0
                d[k, 1, k, 1, start:stop] = 1.0
            elif rule == RuleKind.MOTOR:
                _motor_jacobian(k, j, cosines[m], sines[m], start, stop, d)
            elif rule == RuleKind.POINT:
                _point_jacobian(drawn, x, k, i, j, starts, roots, start, stop, d)
            elif rule == RuleKind.TRIANGLE:
                _triangle_jacobian(drawn, x, k, i, j, starts, roots, start, stop, d, work)
            elif rule > RuleKind.SLIDER:
                for f in range(start, stop):
                    dyad_jacobian(op, drawn, x, cosines, starts, roots, f, rows, of_drawn, d)
            else:
                _slider_jacobian(drawn, x, k, i, j, b, starts, roots, start, stop, d)


@inner
def _motor_jacobian(k: int, j: int, c: Floats, s: Floats, start: int, stop: int, d: Floats) -> None:
    for f in range(start, stop):
        d[k, 0, k, 0, f] = d[k, 1, k, 1, f] = c[f]
        d[k, 0, k, 1, f], d[k, 1, k, 0, f] = -s[f], s[f]
        d[k, 0, j, 0, f] = d[k, 1, j, 1, f] = 1.0 - c[f]
        d[k, 0, j, 1, f], d[k, 1, j, 0, f] = s[f], -s[f]


@inner
def _point_jacobian(
    drawn: Floats, x: Floats, k: int, i: int, j: int, starts: Ints, roots: Ints, start: int, stop: int,
    d: Floats,
) -> None:  # fmt: skip
    """δx_k = δx_i + c(δx_j − δx_i) + q(δx̄_k − δx̄_i − c(δx̄_j − δx̄_i)), complex, q = (x_j−x_i)/(x̄_j−x̄_i)."""
    bx, by = drawn[j, 0] - drawn[i, 0], drawn[j, 1] - drawn[i, 1]
    ax, ay = drawn[k, 0] - drawn[i, 0], drawn[k, 1] - drawn[i, 1]
    square = bx * bx + by * by
    cr, ci = (ax * bx + ay * by) / square, (bx * ay - by * ax) / square
    for at in range(starts[k], starts[k + 1]):
        p = roots[at]
        for c in range(2):
            _point_tile(d[i, 0, p, c, start:stop], d[i, 1, p, c, start:stop],
                       d[j, 0, p, c, start:stop], d[j, 1, p, c, start:stop],
                       cr, ci, d[k, 0, p, c, start:stop], d[k, 1, p, c, start:stop])  # fmt: skip
    for f in range(start, stop):
        u, w = x[j, 0, f] - x[i, 0, f], x[j, 1, f] - x[i, 1, f]
        qr, qi = (u * bx + w * by) / square, (w * bx - u * by) / square
        _add_complex(d, k, k, qr, qi, f)
        _add_complex(d, k, j, -(qr * cr - qi * ci), -(qr * ci + qi * cr), f)
        _add_complex(d, k, i, qr * cr - qi * ci - qr, qr * ci + qi * cr - qi, f)


@inner
def _add_complex(d: Floats, k: int, p: int, re: float, im: float, f: int) -> None:
    d[k, 0, p, 0, f] += re
    d[k, 1, p, 1, f] += re
    d[k, 0, p, 1, f] -= im
    d[k, 1, p, 0, f] += im


@inner
def _point_tile(
    xi: Floats, yi: Floats, xj: Floats, yj: Floats, cr: float, ci: float, xk: Floats, yk: Floats
) -> None:
    for f in range(len(xk)):
        u, w = xj[f] - xi[f], yj[f] - yi[f]
        xk[f] = xi[f] + cr * u - ci * w
        yk[f] = yi[f] + ci * u + cr * w


@inner
def _triangle_jacobian(
    drawn: Floats, x: Floats, k: int, i: int, j: int, starts: Ints, roots: Ints, start: int, stop: int,
    d: Floats, work: Floats,
) -> None:  # fmt: skip
    for t in range(stop - start):
        f = start + t
        e1x, e1y = x[k, 0, f] - x[i, 0, f], x[k, 1, f] - x[i, 1, f]
        e2x, e2y = x[k, 0, f] - x[j, 0, f], x[k, 1, f] - x[j, 1, f]
        inverse = 1.0 / (e1x * e2y - e1y * e2x)
        work[0, t], work[1, t] = e2y * inverse, -e1y * inverse
        work[2, t], work[3, t] = -e2x * inverse, e1x * inverse
        work[4, t], work[5, t], work[6, t], work[7, t] = e1x, e1y, e2x, e2y
    size = stop - start
    for at in range(starts[k], starts[k + 1]):
        p = roots[at]
        for c in range(2):
            g1 = drawn[k, c] - drawn[i, c]
            g2 = drawn[k, c] - drawn[j, c]
            right1 = g1 if p == k else (-g1 if p == i else 0.0)
            right2 = g2 if p == k else (-g2 if p == j else 0.0)
            _pair_tile(work, size, d[i, 0, p, c, start:stop], d[i, 1, p, c, start:stop],
                       d[j, 0, p, c, start:stop], d[j, 1, p, c, start:stop],
                       right1, right2, d[k, 0, p, c, start:stop], d[k, 1, p, c, start:stop])  # fmt: skip


@inner
def _pair_tile(
    work: Floats, size: int, xi: Floats, yi: Floats, xj: Floats, yj: Floats, right1: float, right2: float,
    xk: Floats, yk: Floats,
) -> None:  # fmt: skip
    a, b, c, e = work[0], work[1], work[2], work[3]
    e1x, e1y, e2x, e2y = work[4], work[5], work[6], work[7]
    for f in range(size):
        r1 = e1x[f] * xi[f] + e1y[f] * yi[f] + right1
        r2 = e2x[f] * xj[f] + e2y[f] * yj[f] + right2
        xk[f] = a[f] * r1 + b[f] * r2
        yk[f] = c[f] * r1 + e[f] * r2


@inner
def _slider_jacobian(
    drawn: Floats, x: Floats, k: int, i: int, j: int, b: int, starts: Ints, roots: Ints, start: int,
    stop: int, d: Floats,
) -> None:  # fmt: skip
    """e_i·(δx_k − δx_i) = ē_i·(δx̄_k − δx̄_i) and δ[(x_b − x_j) × (x_k − x_j)] = the same of x̄."""
    gx, gy = drawn[b, 0] - drawn[j, 0], drawn[b, 1] - drawn[j, 1]
    hx, hy = drawn[k, 0] - drawn[j, 0], drawn[k, 1] - drawn[j, 1]
    for f in range(start, stop):
        e1x, e1y = x[k, 0, f] - x[i, 0, f], x[k, 1, f] - x[i, 1, f]
        ux, uy = x[b, 0, f] - x[j, 0, f], x[b, 1, f] - x[j, 1, f]
        px, py = x[k, 0, f] - x[j, 0, f], x[k, 1, f] - x[j, 1, f]
        inverse = 1.0 / (e1x * ux + e1y * uy)
        for at in range(starts[k], starts[k + 1]):
            p = roots[at]
            for c in range(2):
                r1 = e1x * d[i, 0, p, c, f] + e1y * d[i, 1, p, c, f]
                wx, wy = d[b, 0, p, c, f] - d[j, 0, p, c, f], d[b, 1, p, c, f] - d[j, 1, p, c, f]
                r2 = -uy * d[j, 0, p, c, f] + ux * d[j, 1, p, c, f] - (wx * py - wy * px)
                g1 = drawn[k, c] - drawn[i, c]
                r1 += g1 if p == k else (-g1 if p == i else 0.0)
                along = -gy if c == 0 else gx  # of x̄_k
                turn = hy if c == 0 else -hx  # of x̄_b
                r2 += along if p == k else (turn if p == b else (-along - turn if p == j else 0.0))
                d[k, 0, p, c, f] = (ux * r1 - e1y * r2) * inverse
                d[k, 1, p, c, f] = (e1x * r2 + uy * r1) * inverse


@kernel
def backpropagate(
    ops: Ints, drawn: Floats, x: Floats, cosines: Floats, sines: Floats, g: Floats, out: Floats
) -> None:
    """Carry the gradient g (N, 2, F) of a scalar by the positions back to the drawing: out (N, 2).

    One sweep against the order of the rules; g is used up. Its cost is that of the rules,
    whatever the number of joints.
    """
    rows, of_drawn = np.empty((2, SLOTS, 2)), np.empty((2, SLOTS, 2))
    for o in range(len(ops) - 1, -1, -1):
        op = op_at(ops, o)
        rule, k, i, j, b, m = op.rule, op.k, op.i, op.j, op.b, op.motor
        if rule in (RuleKind.FIXED, RuleKind.TRAVEL):
            for f in range(x.shape[2]):
                out[k, 0] += g[k, 0, f]
                out[k, 1] += g[k, 1, f]
        elif rule == RuleKind.MOTOR:
            _motor_backward(k, j, cosines[m], sines[m], g, out)
        elif rule == RuleKind.POINT:
            _point_backward(drawn, x, k, i, j, g, out)
        elif rule == RuleKind.TRIANGLE:
            _triangle_backward(drawn, x, k, i, j, g, out)
        elif rule > RuleKind.SLIDER:
            for f in range(x.shape[2]):
                dyad_backward(op, drawn, x, cosines, f, rows, of_drawn, g, out)
        else:
            _slider_backward(drawn, x, k, i, j, b, g, out)


@inner
def _motor_backward(k: int, j: int, c: Floats, s: Floats, g: Floats, out: Floats) -> None:
    for f in range(g.shape[2]):
        gx, gy = g[k, 0, f], g[k, 1, f]
        rx, ry = c[f] * gx + s[f] * gy, c[f] * gy - s[f] * gx
        out[k, 0] += rx
        out[k, 1] += ry
        out[j, 0] += gx - rx
        out[j, 1] += gy - ry


@inner
def _point_backward(drawn: Floats, x: Floats, k: int, i: int, j: int, g: Floats, out: Floats) -> None:
    """Transposed complex factors are conjugates."""
    bx, by = drawn[j, 0] - drawn[i, 0], drawn[j, 1] - drawn[i, 1]
    ax, ay = drawn[k, 0] - drawn[i, 0], drawn[k, 1] - drawn[i, 1]
    square = bx * bx + by * by
    cr, ci = (ax * bx + ay * by) / square, (bx * ay - by * ax) / square
    for f in range(g.shape[2]):
        gx, gy = g[k, 0, f], g[k, 1, f]
        rx, ry = cr * gx + ci * gy, cr * gy - ci * gx
        g[j, 0, f] += rx
        g[j, 1, f] += ry
        g[i, 0, f] += gx - rx
        g[i, 1, f] += gy - ry
        u, w = x[j, 0, f] - x[i, 0, f], x[j, 1, f] - x[i, 1, f]
        qr, qi = (u * bx + w * by) / square, (w * bx - u * by) / square
        qx, qy = qr * gx + qi * gy, qr * gy - qi * gx
        sx, sy = cr * qx + ci * qy, cr * qy - ci * qx
        out[k, 0] += qx
        out[k, 1] += qy
        out[j, 0] -= sx
        out[j, 1] -= sy
        out[i, 0] += sx - qx
        out[i, 1] += sy - qy


@inner
def _triangle_backward(drawn: Floats, x: Floats, k: int, i: int, j: int, g: Floats, out: Floats) -> None:
    a1x, a1y = drawn[k, 0] - drawn[i, 0], drawn[k, 1] - drawn[i, 1]
    a2x, a2y = drawn[k, 0] - drawn[j, 0], drawn[k, 1] - drawn[j, 1]
    sum1 = sum2 = 0.0
    for f in range(g.shape[2]):
        e1x, e1y = x[k, 0, f] - x[i, 0, f], x[k, 1, f] - x[i, 1, f]
        e2x, e2y = x[k, 0, f] - x[j, 0, f], x[k, 1, f] - x[j, 1, f]
        inverse = 1.0 / (e1x * e2y - e1y * e2x)
        w1 = (e2y * g[k, 0, f] - e2x * g[k, 1, f]) * inverse
        w2 = (e1x * g[k, 1, f] - e1y * g[k, 0, f]) * inverse
        g[i, 0, f] += w1 * e1x
        g[i, 1, f] += w1 * e1y
        g[j, 0, f] += w2 * e2x
        g[j, 1, f] += w2 * e2y
        sum1 += w1
        sum2 += w2
    out[k, 0] += sum1 * a1x + sum2 * a2x
    out[k, 1] += sum1 * a1y + sum2 * a2y
    out[i, 0] -= sum1 * a1x
    out[i, 1] -= sum1 * a1y
    out[j, 0] -= sum2 * a2x
    out[j, 1] -= sum2 * a2y


@inner
def _slider_backward(
    drawn: Floats, x: Floats, k: int, i: int, j: int, b: int, g: Floats, out: Floats
) -> None:
    a1x, a1y = drawn[k, 0] - drawn[i, 0], drawn[k, 1] - drawn[i, 1]
    gx, gy = drawn[b, 0] - drawn[j, 0], drawn[b, 1] - drawn[j, 1]
    hx, hy = drawn[k, 0] - drawn[j, 0], drawn[k, 1] - drawn[j, 1]
    sum1 = sum2 = 0.0
    for f in range(g.shape[2]):
        e1x, e1y = x[k, 0, f] - x[i, 0, f], x[k, 1, f] - x[i, 1, f]
        ux, uy = x[b, 0, f] - x[j, 0, f], x[b, 1, f] - x[j, 1, f]
        px, py = x[k, 0, f] - x[j, 0, f], x[k, 1, f] - x[j, 1, f]
        inverse = 1.0 / (e1x * ux + e1y * uy)
        w1 = (ux * g[k, 0, f] + uy * g[k, 1, f]) * inverse
        w2 = (e1x * g[k, 1, f] - e1y * g[k, 0, f]) * inverse
        g[i, 0, f] += w1 * e1x
        g[i, 1, f] += w1 * e1y
        g[b, 0, f] -= w2 * py
        g[b, 1, f] += w2 * px
        g[j, 0, f] += w2 * (py - uy)
        g[j, 1, f] += w2 * (ux - px)
        sum1 += w1
        sum2 += w2
    out[k, 0] += sum1 * a1x - sum2 * gy
    out[k, 1] += sum1 * a1y + sum2 * gx
    out[i, 0] -= sum1 * a1x
    out[i, 1] -= sum1 * a1y
    out[b, 0] += sum2 * hy
    out[b, 1] -= sum2 * hx
    out[j, 0] += sum2 * (gy - hy)
    out[j, 1] += sum2 * (hx - gx)
