"""What couplings measure, and how it changes when nodes move."""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner, inner_shared, kernel, kernel_shared
from pliant.relax.network.elements import ANGLE, DIHEDRAL, LENGTH, TRAVEL, WOUND, Couplings
from pliant.relax.network.winding import keep_angles, wind

Vector = tuple[float, float, float]

TURN = 2.0 * np.pi


@inner
def measure(x: Floats, couplings: Couplings, m: int, last: float, slope: Floats) -> float:
    """Value m of one measure at x and its gradient (4, D); angles within π of `last`."""
    d = x.shape[1]
    kind, a, b = couplings.measures[m], couplings.measured[m, 0], couplings.measured[m, 1]
    for k in range(4):
        for c in range(d):
            slope[k, c] = 0.0
    if kind == TRAVEL:
        value = 0.0
        for c in range(d):
            slope[0, c] = couplings.frames[m, 0, c]
            value += couplings.frames[m, 0, c] * x[a, c]
        return value
    if kind == LENGTH:
        square = 0.0
        for c in range(d):
            square += (x[b, c] - x[a, c]) ** 2
        length = np.sqrt(square)
        if length > 0.0:
            for c in range(d):
                slope[1, c] = (x[b, c] - x[a, c]) / length
                slope[0, c] = -slope[1, c]
        return length
    value = _angle(x, couplings, m, last, slope) if kind == ANGLE else _dihedral(x, couplings, m, last, slope)
    return value - TURN * np.round((value - last) / TURN)


@inner
def _angle(x: Floats, couplings: Couplings, m: int, last: float, slope: Floats) -> float:
    """The angle of b about a, in the plane of the measure's two axes; `last` where there is none."""
    a, b = couplings.measured[m, 0], couplings.measured[m, 1]
    p = q = 0.0
    for c in range(x.shape[1]):
        p += couplings.frames[m, 0, c] * (x[b, c] - x[a, c])
        q += couplings.frames[m, 1, c] * (x[b, c] - x[a, c])
    square = p * p + q * q
    if square == 0.0:
        return last
    for c in range(x.shape[1]):
        slope[1, c] = (p * couplings.frames[m, 1, c] - q * couplings.frames[m, 0, c]) / square
        slope[0, c] = -slope[1, c]
    return np.arctan2(q, p)


@inner
def _dihedral(x: Floats, couplings: Couplings, m: int, last: float, slope: Floats) -> float:
    """The angle by which d is turned from a about the axis from b to c, in space; or `last`."""
    start = couplings.measured[m, 1]
    axis = _from(x, start, couplings.measured[m, 2])
    square = _dot(axis, axis)
    if square == 0.0:
        return last
    # u and v, of a and d, without their couplings along the axis, which are these shares of it.
    u, v = _from(x, start, couplings.measured[m, 0]), _from(x, start, couplings.measured[m, 3])
    at_u, at_v = _dot(u, axis) / square, _dot(v, axis) / square
    u, v = _less(u, axis, at_u), _less(v, axis, at_v)
    uu, vv = _dot(u, u), _dot(v, v)
    if uu == 0.0 or vv == 0.0:
        return last
    length = np.sqrt(square)
    by_u, by_v = _cross(u, axis), _cross(axis, v)
    for c in range(3):
        slope[0, c], slope[3, c] = by_u[c] / (length * uu), by_v[c] / (length * vv)
        # The axis ends take the rest, so that no translation and no rotation changes the angle.
        slope[2, c] = -at_u * slope[0, c] - at_v * slope[3, c]
        slope[1, c] = -(slope[0, c] + slope[2, c] + slope[3, c])
    return np.arctan2(_dot(_cross(u, v), axis) / length, _dot(u, v))


@inner
def _from(x: Floats, a: int, b: int) -> Vector:
    return x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]


@inner
def _dot(u: Vector, v: Vector) -> float:
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


@inner
def _less(u: Vector, v: Vector, share: float) -> Vector:
    return u[0] - share * v[0], u[1] - share * v[1], u[2] - share * v[2]


@inner
def _cross(u: Vector, v: Vector) -> Vector:
    return u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]


@kernel_shared
def measure_angles(x: Floats, couplings: Couplings, turned: Floats) -> None:
    """Store the angles at x as the reference for the next measurement."""
    slope = np.zeros((4, x.shape[1]))
    for c in range(len(couplings.laws)):
        if couplings.measures[couplings.firsts[c]] == WOUND:
            keep_angles(x, couplings, c, turned)
            continue
        for m in range(couplings.firsts[c], couplings.firsts[c + 1]):
            if couplings.measures[m] in (ANGLE, DIHEDRAL):
                turned[m] = measure(x, couplings, m, turned[m], slope)


@inner_shared
def couple(x: Floats, couplings: Couplings, c: int, turned: Floats, slope: Floats, nodes: Ints) -> float:
    """Value of coupling c and its gradient (K, D) by the nodes (K,), four for each measure."""
    if couplings.measures[couplings.firsts[c]] == WOUND:
        return wind(x, couplings, c, turned, slope, nodes)
    return _sum(x, couplings, c, turned, slope, nodes)


@inner
def _sum(x: Floats, couplings: Couplings, c: int, turned: Floats, slope: Floats, nodes: Ints) -> float:
    """Value and gradient of a coupling that is a weighted sum, no string around discs."""
    total = 0.0
    for at, m in enumerate(range(couplings.firsts[c], couplings.firsts[c + 1])):
        part = slope[4 * at : 4 * at + 4]
        total += couplings.factors[m] * measure(x, couplings, m, turned[m], part)
        for k in range(4):
            nodes[4 * at + k] = couplings.measured[m, k]
            for g in range(x.shape[1]):
                part[k, g] *= couplings.factors[m]
    return total


@kernel
def measure_couplings(x: Floats, couplings: Couplings, turned: Floats) -> Floats:
    """Value of every coupling (C,)."""
    most = 4 * len(couplings.measures)
    slope, nodes = np.zeros((most, x.shape[1])), np.empty(most, np.int64)
    total = np.zeros(len(couplings.laws))
    for c in range(len(total)):
        total[c] = couple(x, couplings, c, turned, slope, nodes)
    return total


@kernel
def add_resistance(
    x: Floats, couplings: Couplings, turned: Floats, forces: Floats, rates: Floats, h: float,
    pull: Floats, blocks: Floats,
) -> None:  # fmt: skip
    """What couplings of these forces (C,) and rates (C,) resist motion with.

    Forces on nodes are added to `pull` (N, D), stiffness to `blocks` (N, N, D, D) where there are any: the
    rate times g gᵀ, g the slope of what is measured, and the force times the slope of g, that by differences
    over h and 2 h, to the fourth order.
    """
    most, d = 4 * len(couplings.measures), x.shape[1]
    slope, nodes, here = np.zeros((most, d)), np.empty(most, np.int64), x.copy()
    for c in range(len(couplings.laws)):
        count = 4 * (couplings.firsts[c + 1] - couplings.firsts[c])
        couple(here, couplings, c, turned, slope, nodes)
        for a in range(count):
            for i in range(d):
                pull[nodes[a], i] += forces[c] * slope[a, i]
                for b in range(count if len(blocks) > 0 else 0):
                    for j in range(d):
                        blocks[nodes[a], nodes[b], i, j] += rates[c] * slope[a, i] * slope[b, j]
        for b in range(count if len(blocks) > 0 and forces[c] != 0.0 else 0):
            seen = False
            for a in range(b):
                seen = seen or nodes[a] == nodes[b]
            for j in range(0 if seen else d):
                at = here[nodes[b], j]
                for k in range(-2, 3):
                    here[nodes[b], j] = at + k * h
                    couple(here, couplings, c, turned, slope, nodes)
                    share = forces[c] * (8.0 * k if abs(k) == 1 else -0.5 * k) / (12.0 * h)
                    for a in range(count):
                        for i in range(d):
                            blocks[nodes[a], nodes[b], i, j] += share * slope[a, i]
                here[nodes[b], j] = at
