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

FeaturePair = tuple[int, int, int]  # kind, feature of the pawl, feature of the obstacles
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


class Bodies(NamedTuple):
    """A pawl on a leg and all that it may touch, as the compiled loops take them."""

    pawl: PawlOutline
    obstacles: ObstacleEdges
    hinge: HingeMotion


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
def coefficients(kind: int, i: int, j: int, sign: float, bodies: Bodies) -> ContactCoefficients:
    """Those of a pair in a chart: `sign` is -1 where the pawl is turned by an odd number of half turns.

    Differs: [DonaldPai1993] eqs 3, 4 and 23 are solved for t, not u, so that no root is taken.
    """
    pawl, obstacles, hinge = bodies
    if kind == VERTEX:
        px, py = sign * pawl.x[i], sign * pawl.y[i]
        ax, ay = obstacles.x[j], obstacles.y[j]
        follower = obstacles.following[j]
        ex, ey = obstacles.x[follower] - ax, obstacles.y[follower] - ay
        gx, gy = hinge.x - ax, hinge.y - ay
        along, off = hinge.vx * ex + hinge.vy * ey, hinge.vx * ey - hinge.vy * ex
        pn, pxn, qn = px * ey - py * ex, -px * ex - py * ey, gx * ey - gy * ex
        pe, pxe, qe = px * ex + py * ey, px * ey - py * ex, gx * ex + gy * ey
        reach = abs(px) + abs(py) + abs(hinge.x) + abs(hinge.y) + abs(ax) + abs(ay)
        edge = abs(obstacles.x[follower]) + abs(obstacles.y[follower]) + abs(ax) + abs(ay)
        speed = abs(hinge.vx) + abs(hinge.vy)
        return ContactCoefficients(
            (off, 0.0, off), (pn + qn, 2 * pxn, qn - pn),
            (along, 0.0, along), (pe + qe, 2 * pxe, qe - pe),
            ex * ex + ey * ey, speed * edge, 2 * reach * edge, 2 * edge * edge,
            max(math.hypot(ex, ey), SHORT * edge) / edge,
        )  # fmt: skip
    follower = i + 1 if i + 1 < len(pawl.x) else 0
    ax, ay = sign * pawl.x[i], sign * pawl.y[i]
    bx, by = sign * pawl.x[follower], sign * pawl.y[follower]
    ex, ey = bx - ax, by - ay
    gx, gy = obstacles.x[j] - hinge.x, obstacles.y[j] - hinge.y
    nv, nxv = ey * hinge.vx - ex * hinge.vy, ey * hinge.vy + ex * hinge.vx
    ng, nxg = ey * gx - ex * gy, ey * gy + ex * gx
    ev, exv = ex * hinge.vx + ey * hinge.vy, ex * hinge.vy - ey * hinge.vx
    eg, exg = ex * gx + ey * gy, ex * gy - ey * gx
    d, ae = ax * ey - ay * ex, ax * ex + ay * ey
    reach = abs(obstacles.x[j]) + abs(obstacles.y[j]) + abs(hinge.x) + abs(hinge.y) + abs(ax) + abs(ay)
    edge = abs(ax) + abs(ay) + abs(bx) + abs(by)
    speed = abs(hinge.vx) + abs(hinge.vy)
    return ContactCoefficients(
        (-nv, -2 * nxv, nv), (ng - d, 2 * nxg, -ng - d),
        (-ev, -2 * exv, ev), (eg - ae, 2 * exg, -eg - ae),
        ex * ex + ey * ey, 2 * speed * edge, 2 * reach * edge, 2 * edge * edge,
        max(math.hypot(ex, ey), SHORT * edge) / edge,
    )  # fmt: skip
