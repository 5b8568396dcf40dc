"""Pawl and obstacles as the compiled loops take them, and the curve of each contact by floats.

A pair (kind, i, j) is vertex i of the pawl on edge j of the obstacles (VERTEX, the paper's type B) or vertex
j of the obstacles on edge i of the pawl (EDGE, type A).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from pliant.core.arrays import Bools, Floats, Ints
from pliant.core.kernel import inner

VERTEX, EDGE = 0, 1
ERROR = 256 * 2.0**-52  # of a coefficient, over the sum of the sizes of its terms
SHORT = 1e-4  # of its coordinates: what counts of an edge that is shorter

Pair = tuple[int, int, int]  # kind, feature of the pawl, feature of the obstacles
Quadratic = tuple[float, float, float]  # of u, from the constant term up


class PawlOutline(NamedTuple):
    """A pawl's outline in its hinge's frame, counter-clockwise; edge i runs from vertex i to the next."""

    x: Floats
    y: Floats
    convex: Bools


class ObstacleEdges(NamedTuple):
    """The obstacles' outlines, one after another; edge j runs from vertex j to vertex following[j]."""

    x: Floats
    y: Floats
    following: Ints
    before: Ints
    convex: Bools


class HingeMotion(NamedTuple):
    """Where the hinge is at t: (x, y) + t (vx, vy)."""

    x: float
    y: float
    vx: float
    vy: float


class ContactCoefficients(NamedTuple):
    """A contact's curve (1+u²) F = α(u) t + β(u), and where along its edge the vertex is: λ(u) t + ρ(u).

    That is from 0 to length² (1+u²).
    """

    alpha: Quadratic
    beta: Quadratic
    lam: Quadratic
    rho: Quadratic
    length_squared: float  # of the edge
    size_rate: float  # of the terms that α and λ are made of: what their rounding errors are shares of
    size: float  # of those of β and ρ
    size_edge: float  # of those of the edge's length squared
    shortness: float  # length of the edge over its coordinates: times it, sizes are those of differences


@inner
def quadratic(c: Quadratic, u: float) -> float:
    """A quadratic at u."""
    return c[0] + u * (c[1] + u * c[2])


@inner
def coefficients(
    kind: int, i: int, j: int, sign: float, rigid: PawlOutline, field: ObstacleEdges, way: HingeMotion
) -> ContactCoefficients:
    """Those of a pair in a chart: `sign` is -1 where the pawl is turned by an odd number of half turns.

    Differs: [DonaldPai1993] eqs 3, 4 and 23 are solved for t, not u, so that no root is taken.
    """
    if kind == VERTEX:
        px, py = sign * rigid.x[i], sign * rigid.y[i]
        ax, ay = field.x[j], field.y[j]
        follower = field.following[j]
        ex, ey = field.x[follower] - ax, field.y[follower] - ay
        gx, gy = way.x - ax, way.y - ay
        along, off = way.vx * ex + way.vy * ey, way.vx * ey - way.vy * ex
        pn, pxn, qn = px * ey - py * ex, -px * ex - py * ey, gx * ey - gy * ex
        pe, pxe, qe = px * ex + py * ey, px * ey - py * ex, gx * ex + gy * ey
        reach = abs(px) + abs(py) + abs(way.x) + abs(way.y) + abs(ax) + abs(ay)
        edge = abs(field.x[follower]) + abs(field.y[follower]) + abs(ax) + abs(ay)
        speed = abs(way.vx) + abs(way.vy)
        return ContactCoefficients(
            (off, 0.0, off), (pn + qn, 2 * pxn, qn - pn),
            (along, 0.0, along), (pe + qe, 2 * pxe, qe - pe),
            ex * ex + ey * ey, speed * edge, 2 * reach * edge, 2 * edge * edge,
            max(math.hypot(ex, ey), SHORT * edge) / edge,
        )  # fmt: skip
    follower = i + 1 if i + 1 < len(rigid.x) else 0
    ax, ay = sign * rigid.x[i], sign * rigid.y[i]
    bx, by = sign * rigid.x[follower], sign * rigid.y[follower]
    ex, ey = bx - ax, by - ay
    gx, gy = field.x[j] - way.x, field.y[j] - way.y
    nv, nxv = ey * way.vx - ex * way.vy, ey * way.vy + ex * way.vx
    ng, nxg = ey * gx - ex * gy, ey * gy + ex * gx
    ev, exv = ex * way.vx + ey * way.vy, ex * way.vy - ey * way.vx
    eg, exg = ex * gx + ey * gy, ex * gy - ey * gx
    d, ae = ax * ey - ay * ex, ax * ex + ay * ey
    reach = abs(field.x[j]) + abs(field.y[j]) + abs(way.x) + abs(way.y) + abs(ax) + abs(ay)
    edge = abs(ax) + abs(ay) + abs(bx) + abs(by)
    speed = abs(way.vx) + abs(way.vy)
    return ContactCoefficients(
        (-nv, -2 * nxv, nv), (ng - d, 2 * nxg, -ng - d),
        (-ev, -2 * exv, ev), (eg - ae, 2 * exg, -eg - ae),
        ex * ex + ey * ey, 2 * speed * edge, 2 * reach * edge, 2 * edge * edge,
        max(math.hypot(ex, ey), SHORT * edge) / edge,
    )  # fmt: skip
