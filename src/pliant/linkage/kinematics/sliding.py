"""Where dyads with sliding pairs and linear motors put their joint, pose by pose (equations in `dyads`)."""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.kernel import inner
from pliant.linkage.structure.rule import Op

PARALLEL = 1e-15  # sine of the angle of two lines below which their crossing is put no farther off


@inner
def place_on_lines(op: Op, drawn: Floats, start: int, stop: int, x: Floats) -> None:
    """Where two lines cross; far off but finite where they are parallel."""
    k, i, j, b, p, q, r, s = op.k, op.i, op.j, op.b, op.p, op.q, op.r, op.s
    ux, uy = drawn[b, 0] - drawn[j, 0], drawn[b, 1] - drawn[j, 1]
    nx, ny = drawn[s, 0] - drawn[r, 0], drawn[s, 1] - drawn[r, 1]
    wx, wy = drawn[q, 0] - drawn[p, 0], drawn[q, 1] - drawn[p, 1]
    first = ux * (drawn[k, 1] - drawn[j, 1]) - uy * (drawn[k, 0] - drawn[j, 0])
    second = nx * (drawn[k, 1] - drawn[i, 1]) - ny * (drawn[k, 0] - drawn[i, 0])
    square = wx * wx + wy * wy
    mr, mi = (nx * wx + ny * wy) / square, (wx * ny - wy * nx) / square
    least = PARALLEL * np.sqrt((ux * ux + uy * uy) * (nx * nx + ny * ny))
    for f in range(start, stop):
        gx, gy = x[b, 0, f] - x[j, 0, f], x[b, 1, f] - x[j, 1, f]
        vx, vy = x[q, 0, f] - x[p, 0, f], x[q, 1, f] - x[p, 1, f]
        hx, hy = mr * vx - mi * vy, mi * vx + mr * vy
        here = first + gx * (x[j, 1, f] - x[i, 1, f]) - gy * (x[j, 0, f] - x[i, 0, f])
        crossing = gx * hy - gy * hx
        if abs(crossing) < least:
            crossing = least if crossing >= 0.0 else -least
        x[k, 0, f] = x[i, 0, f] + (here * hx - second * gx) / crossing
        x[k, 1, f] = x[i, 1, f] + (here * hy - second * gy) / crossing


@inner
def place_by_slot(op: Op, drawn: Floats, sign: float, start: int, stop: int, x: Floats) -> None:
    """A joint of a link that turns about i so that its slot goes through the pin j."""
    k, i, j, r, s = op.k, op.i, op.j, op.r, op.s
    nx, ny = drawn[s, 0] - drawn[r, 0], drawn[s, 1] - drawn[r, 1]
    length = np.sqrt(nx * nx + ny * ny)
    nx, ny = nx / length, ny / length
    ax, ay = drawn[k, 0] - drawn[i, 0], drawn[k, 1] - drawn[i, 1]
    px, py = drawn[j, 0] - drawn[i, 0], drawn[j, 1] - drawn[i, 1]
    along, across = nx * ax + ny * ay, nx * ay - ny * ax  # of the arm, seen from the slot
    offset = nx * py - ny * px
    for f in range(start, stop):
        ux, uy = x[j, 0, f] - x[i, 0, f], x[j, 1, f] - x[i, 1, f]
        slid = sign * np.sqrt(max(ux * ux + uy * uy - offset * offset, 0.0))
        inverse = 1.0 / max(slid * slid + offset * offset, 1e-300)
        re = (along * slid + across * offset) * inverse
        im = (across * slid - along * offset) * inverse
        x[k, 0, f] = x[i, 0, f] + re * ux - im * uy
        x[k, 1, f] = x[i, 1, f] + im * ux + re * uy


@inner
def place_carried(op: Op, drawn: Floats, start: int, stop: int, x: Floats) -> None:
    """A joint at a fixed place beside i, as j→b turns it."""
    k, i, j, b = op.k, op.i, op.j, op.b
    bx, by = drawn[b, 0] - drawn[j, 0], drawn[b, 1] - drawn[j, 1]
    ax, ay = drawn[k, 0] - drawn[i, 0], drawn[k, 1] - drawn[i, 1]
    square = bx * bx + by * by
    re, im = (ax * bx + ay * by) / square, (bx * ay - by * ax) / square
    for f in range(start, stop):
        u, v = x[b, 0, f] - x[j, 0, f], x[b, 1, f] - x[j, 1, f]
        x[k, 0, f] = x[i, 0, f] + re * u - im * v
        x[k, 1, f] = x[i, 1, f] + im * u + re * v


@inner
def place_driven(op: Op, drawn: Floats, travel: Floats, start: int, stop: int, x: Floats) -> None:
    """A joint that a motor pushes along the guide j→b."""
    k, j, b = op.k, op.j, op.b
    bx, by = drawn[b, 0] - drawn[j, 0], drawn[b, 1] - drawn[j, 1]
    ax, ay = drawn[k, 0] - drawn[j, 0], drawn[k, 1] - drawn[j, 1]
    square = bx * bx + by * by
    length = np.sqrt(square)
    re, im = (ax * bx + ay * by) / square, (bx * ay - by * ax) / square
    for f in range(start, stop):
        u, v = x[b, 0, f] - x[j, 0, f], x[b, 1, f] - x[j, 1, f]
        here = re + travel[f] / length
        x[k, 0, f] = x[j, 0, f] + here * u - im * v
        x[k, 1, f] = x[j, 1, f] + im * u + here * v


@inner
def place_by_struts(
    op: Op, drawn: Floats, sign: float, cosines: Floats, start: int, stop: int, x: Floats
) -> None:
    """The tip of two bars of which motors make one or both longer and shorter."""
    k, i, j, m, n = op.k, op.i, op.j, op.motor, op.p
    to_i, to_j = _length(drawn, k, i), _length(drawn, k, j)
    for f in range(start, stop):
        ri = (to_i + cosines[m, f]) ** 2
        rj = (to_j + cosines[n, f]) ** 2 if n >= 0 else to_j * to_j
        u, v = x[j, 0, f] - x[i, 0, f], x[j, 1, f] - x[i, 1, f]
        inverse = 1.0 / max(u * u + v * v, 1e-300)
        along = 0.5 + 0.5 * (ri - rj) * inverse
        across = sign * np.sqrt(max(ri * inverse - along * along, 0.0))
        x[k, 0, f] = x[i, 0, f] + along * u - across * v
        x[k, 1, f] = x[i, 1, f] + across * u + along * v


@inner
def place_on_strut_line(
    op: Op, drawn: Floats, sign: float, travel: Floats, start: int, stop: int, x: Floats
) -> None:
    """The end of a bar that a motor makes longer and shorter, on the guide j→b."""
    k, i, j, b = op.k, op.i, op.j, op.b
    to_i = _length(drawn, k, i)
    gx, gy = drawn[b, 0] - drawn[j, 0], drawn[b, 1] - drawn[j, 1]
    offset = gx * (drawn[k, 1] - drawn[j, 1]) - gy * (drawn[k, 0] - drawn[j, 0])
    for f in range(start, stop):
        u, v = x[b, 0, f] - x[j, 0, f], x[b, 1, f] - x[j, 1, f]
        inverse = 1.0 / (u * u + v * v)
        away = (u * (x[i, 1, f] - x[j, 1, f]) - v * (x[i, 0, f] - x[j, 0, f]) - offset) * inverse
        along = sign * np.sqrt(max((to_i + travel[f]) ** 2 * inverse - away * away, 0.0))
        x[k, 0, f] = x[i, 0, f] + away * v + along * u
        x[k, 1, f] = x[i, 1, f] - away * u + along * v


@inner
def _length(drawn: Floats, k: int, i: int) -> float:
    return np.sqrt((drawn[k, 0] - drawn[i, 0]) ** 2 + (drawn[k, 1] - drawn[i, 1]) ** 2)


@inner
def lines_openness(op: Op, drawn: Floats, x: Floats, v: Floats, c: Floats, dc: Floats) -> None:
    """The angle α of two lines, as c = 1 − sin α, α positive as drawn: beyond 1, they have been parallel."""
    j, b, p, q, r, s = op.j, op.b, op.p, op.q, op.r, op.s
    ux, uy = drawn[b, 0] - drawn[j, 0], drawn[b, 1] - drawn[j, 1]
    nx, ny = drawn[s, 0] - drawn[r, 0], drawn[s, 1] - drawn[r, 1]
    wx, wy = drawn[q, 0] - drawn[p, 0], drawn[q, 1] - drawn[p, 1]
    square = wx * wx + wy * wy
    mr, mi = (nx * wx + ny * wy) / square, (wx * ny - wy * nx) / square
    scale = 1.0 / np.sqrt((ux * ux + uy * uy) * (nx * nx + ny * ny))
    scale = scale if ux * ny - uy * nx >= 0.0 else -scale
    for f in range(x.shape[2]):
        gx, gy = x[b, 0, f] - x[j, 0, f], x[b, 1, f] - x[j, 1, f]
        ex, ey = x[q, 0, f] - x[p, 0, f], x[q, 1, f] - x[p, 1, f]
        hx, hy = mr * ex - mi * ey, mi * ex + mr * ey
        ax, ay = v[b, 0, f] - v[j, 0, f], v[b, 1, f] - v[j, 1, f]
        ex, ey = v[q, 0, f] - v[p, 0, f], v[q, 1, f] - v[p, 1, f]
        bx, by = mr * ex - mi * ey, mi * ex + mr * ey
        c[f] = 1.0 - scale * (gx * hy - gy * hx)
        dc[f] = -scale * (ax * hy - ay * hx + gx * by - gy * bx)


@inner
def slot_openness(op: Op, drawn: Floats, x: Floats, v: Floats, c: Floats, dc: Floats) -> None:
    """A pin p away from the pivot in a slot h beside it, as c = p̄²/(p² + p̄² − h²).

    Beyond 1 the slot does not reach it.
    """
    i, j, r, s = op.i, op.j, op.r, op.s
    nx, ny = drawn[s, 0] - drawn[r, 0], drawn[s, 1] - drawn[r, 1]
    px, py = drawn[j, 0] - drawn[i, 0], drawn[j, 1] - drawn[i, 1]
    square = px * px + py * py
    offset = (nx * py - ny * px) ** 2 / (nx * nx + ny * ny)
    for f in range(x.shape[2]):
        ux, uy = x[j, 0, f] - x[i, 0, f], x[j, 1, f] - x[i, 1, f]
        wx, wy = v[j, 0, f] - v[i, 0, f], v[j, 1, f] - v[i, 1, f]
        c[f] = square / max(ux * ux + uy * uy + square - offset, 1e-300)
        dc[f] = -2.0 * c[f] * c[f] * (ux * wx + uy * wy) / square


@inner
def strut_openness(
    op: Op, drawn: Floats, x: Floats, v: Floats, cosines: Floats, w: Floats, line: bool,
    c: Floats, dc: Floats,
) -> None:  # fmt: skip
    """As that of a triangle or a slider, of bars that grow."""
    k, i, j, b, m, n = op.k, op.i, op.j, op.b, op.motor, op.p
    to_i, to_j = _length(drawn, k, i), 1.0 if line else _length(drawn, k, j)
    gx = gy = offset = 0.0
    if line:
        gx, gy = drawn[b, 0] - drawn[j, 0], drawn[b, 1] - drawn[j, 1]
        offset = gx * (drawn[k, 1] - drawn[j, 1]) - gy * (drawn[k, 0] - drawn[j, 0])
    for f in range(x.shape[2]):
        ri, di = to_i + cosines[m, f], w[m, f]
        px, py = x[i, 0, f] - x[j, 0, f], x[i, 1, f] - x[j, 1, f]
        vx, vy = v[i, 0, f] - v[j, 0, f], v[i, 1, f] - v[j, 1, f]
        if line:
            ux, uy = x[b, 0, f] - x[j, 0, f], x[b, 1, f] - x[j, 1, f]
            wx, wy = v[b, 0, f] - v[j, 0, f], v[b, 1, f] - v[j, 1, f]
            scale = 1.0 / (ri * np.sqrt(gx * gx + gy * gy))
            c[f] = scale * (ux * py - uy * px - offset)
            dc[f] = scale * (wx * py - wy * px + ux * vy - uy * vx) - c[f] * di / ri
        else:
            rj = to_j + (cosines[n, f] if n >= 0 else 0.0)
            dj = w[n, f] if n >= 0 else 0.0
            scale = 0.5 / (ri * rj)
            c[f] = scale * (ri * ri + rj * rj - px * px - py * py)
            dc[f] = 2.0 * scale * (ri * di + rj * dj - px * vx - py * vy) - c[f] * (di / ri + dj / rj)
