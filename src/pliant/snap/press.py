"""What presses on a pawl at given moments of a piece: the loops behind `forces`."""

from __future__ import annotations

import math

import numpy as np

from pliant.core.kernel import kernel
from pliant.snap.scan import VERTEX, Field, Floats, Rigid, Way, coefficients

FLAT = 1e-12  # of its terms: where a curve counts as flat
LOCKED = 1e-12  # of the lever: what is left of it where friction locks

ANGLE, TORQUE, FORCE_X, FORCE_Y, PLACE_X, PLACE_Y, AGAINST = range(7)


@kernel
def tangent(c: tuple[float, ...], t: float, low: float, high: float) -> float:
    """The root u of α t + β that lies between two, or is nearest to it."""
    square, middle, constant = c[2] * t + c[5], c[1] * t + c[4], c[0] * t + c[3]
    root = math.sqrt(max(middle * middle - 4 * square * constant, 0.0))
    stable = -0.5 * (middle + math.copysign(root, middle))  # no cancellation in either root
    best, least = low, math.inf
    for which in range(2):
        below = square if which == 0 else stable
        above = stable if which == 0 else constant
        if below == 0.0:
            continue
        u = above / below
        off = max(low - u, u - high, 0.0)
        if off < least:
            best, least = u, off
    return min(max(best, low), high)


@kernel
def flat_root(c: tuple[float, ...], low: float, high: float) -> float:
    """The end of an arc at which α and β both vanish, so that it is a root at every t; else NaN."""
    for u in (low, high):
        alpha, beta = c[0] + u * (c[1] + u * c[2]), c[3] + u * (c[4] + u * c[5])
        if abs(alpha) <= FLAT * c[13] * (1 + u * u) and abs(beta) <= FLAT * c[14] * (1 + u * u):
            return u
    return math.nan


@kernel
def pressed(
    pair: tuple[int, int, int], turn: int, arc: bool, low: float, high: float, t: Floats,
    stiffness: float, preload: float, friction: float, rigid: Rigid, field: Field, way: Way,
) -> Floats:  # fmt: skip
    """(K, 7): angle, spring torque, contact force on the pawl, where it acts, its share against the motion.

    On an arc the angle is between two u; else it is the lower. Source: [DonaldPai1993] eqs A1 to A5.
    """
    out = np.empty((len(t), 7))
    kind, i, j = pair
    sign = -1.0 if turn % 2 else 1.0
    c = coefficients(kind, i, j, sign, rigid, field, way)
    flat = flat_root(c, low, high)
    speed = math.hypot(way.vx, way.vy)
    if kind == VERTEX:
        other = field.following[j]
        ex, ey = field.x[other] - field.x[j], field.y[other] - field.y[j]
    else:
        other = i + 1 if i + 1 < len(rigid.x) else 0
        ex, ey = rigid.x[other] - rigid.x[i], rigid.y[other] - rigid.y[i]
    length = math.hypot(ex, ey)
    nx, ny = ey / length, -ex / length
    for k in range(len(t)):
        u = low
        if arc and math.isnan(flat):
            u = tangent(c, t[k], low, high)
        elif arc:  # the other root
            square, middle = c[2] * t[k] + c[5], c[1] * t[k] + c[4]
            u = min(max(-middle / square - flat, low), high) if square != 0.0 else flat
        angle = turn * math.pi + 2 * math.atan(u)
        cosine, sine = sign * (1 - u * u) / (1 + u * u), sign * 2 * u / (1 + u * u)
        hx, hy = way.x + way.vx * t[k], way.y + way.vy * t[k]
        if kind == VERTEX:
            rx, ry = cosine * rigid.x[i] - sine * rigid.y[i], sine * rigid.x[i] + cosine * rigid.y[i]
            mx, my = nx, ny
        else:
            rx, ry = field.x[j] - hx, field.y[j] - hy
            mx, my = -(cosine * nx - sine * ny), -(sine * nx + cosine * ny)
        across = rx * my - ry * mx
        slide = np.sign(rx * way.vx + ry * way.vy) * np.sign(across)
        px, py = mx - friction * slide * my, my + friction * slide * mx
        torque = stiffness * angle - preload
        arm = rx * py - ry * px
        out[k, ANGLE], out[k, TORQUE] = angle, torque
        out[k, PLACE_X], out[k, PLACE_Y] = hx + rx, hy + ry
        if torque != 0.0 and abs(arm) <= LOCKED * math.hypot(rx, ry):  # the force has no lever: it locks
            out[k, FORCE_X], out[k, FORCE_Y], out[k, AGAINST] = math.inf, math.inf, math.inf
            continue
        size = 0.0 if torque == 0.0 else torque / arm
        out[k, FORCE_X], out[k, FORCE_Y] = size * px, size * py
        out[k, AGAINST] = -size * (px * way.vx + py * way.vy) / speed
    return out
