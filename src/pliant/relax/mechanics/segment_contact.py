"""Segments that touch: their nearest points, the force between them, and how far they may move.

A pair is two segments a–b and c–d between nodes; a == b or c == d is a point. With p and q their
nearest points, at the shares s and t of their lengths, and n the unit vector from p to q,

    distance = |q − p|,    E = ½ k max(0, radius − distance)²
    ∂distance/∂(a, b, c, d) = (−(1 − s) n, −s n, (1 − t) n, t n)

The shares move too, but the distance is stationary in them. A bar that lies flat on another is
nearest now at one end and now at the other, and E has a kink between: give its ends as points,
and each carries a load of its own.

Source: [Lipson2006] Table 2, "Collisions" and "Static Friction". Forces that are distributed "in
inverse proportion to their distance from the collision point" are those above.
"""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner, inner_shared, kernel
from pliant.relax.network.elements import Contacts

Vector = tuple[float, float, float]  # the third is 0 in the plane

PARALLEL = 1e-12  # sine of the angle below which two segments have no one nearest point
CROSSED = 1e-9  # of its radius: nearer pairs were drawn so: `limit_displacements` lets no other come there
SHARE = 0.45  # of the distance of a pair that each side may use up in an iteration


@inner_shared
def nearest_points(x: Floats, a: int, b: int, c: int, d: int) -> tuple[float, float, float]:
    """Shares s of a–b and t of c–d at which they are nearest, and their distance there.

    Where they are parallel, the middle of what they face each other with.
    """
    p, r = _at(x, a), _at(x, c)
    u, v, w = _minus(_at(x, b), p), _minus(_at(x, d), r), _minus(r, p)
    n = _cross(u, v)
    square, sizes = _dot(n, n), _dot(u, u) * _dot(v, v)
    parallel = square <= PARALLEL * PARALLEL * sizes
    planar = x.shape[1] == 2
    if square > 0.0 and (planar or not parallel):
        # By cross products: the determinant u·u v·v − (u·v)² would lose twice the digits.
        s, t = _dot(_cross(w, v), n) / square, _dot(_cross(w, u), n) / square
        if 0.0 < s < 1.0 and 0.0 < t < 1.0:
            return s, t, 0.0 if planar else _separation(u, v, w, s, t)
    if parallel and sizes > 0.0:
        start = _dot(w, u) / _dot(u, u)
        length = _dot(v, u) / _dot(u, u)
        low, high = max(min(start, start + length), 0.0), min(max(start, start + length), 1.0)
        if low < high:
            s = 0.5 * (low + high)
            t = min(max((s - start) / length, 0.0), 1.0)
            return s, t, _separation(u, v, w, s, t)
    return _nearest_end(u, v, w)


@inner
def _nearest_end(u: Vector, v: Vector, w: Vector) -> tuple[float, float, float]:
    """The best of the four ends: segments that do not face each other inside are nearest at one."""
    best_s, best_t, best = 0.0, 0.0, np.inf
    for end in (0.0, 1.0):
        t = _share(-_dot(_ahead(w, u, -end), v), _dot(v, v))
        apart = _separation(u, v, w, end, t)
        if apart < best:
            best_s, best_t, best = end, t, apart
        s = _share(_dot(_ahead(w, v, end), u), _dot(u, u))
        apart = _separation(u, v, w, s, end)
        if apart < best:
            best_s, best_t, best = s, end, apart
    return best_s, best_t, best


@inner
def contact_slope(x: Floats, touch: Contacts, pair: int, g: Floats) -> float:
    """The gap, distance − radius, of a pair; g (4D,) gets ∂gap.

    A crossed pair has no direction of its own and is given `normal`.
    """
    a, b, c, d = touch.ends[pair]
    s, t, distance = nearest_points(x, a, b, c, d)
    size = x.shape[1]
    radius = touch.radius[pair]
    crossed = distance <= CROSSED * radius
    for k in range(size):
        if crossed:
            n = touch.normal[pair, k]
        else:
            n = x[c, k] - x[a, k] + t * (x[d, k] - x[c, k]) - s * (x[b, k] - x[a, k])
            n /= distance
        g[k], g[size + k] = -(1.0 - s) * n, -s * n
        g[2 * size + k], g[3 * size + k] = (1.0 - t) * n, t * n
    return distance - radius


@inner
def contact_forces(
    x: Floats, touch: Contacts, given: Floats, force: Floats, stiffness: Floats, push: Floats, grip: Floats
) -> float:
    """Add what the pairs do to `force` and `stiffness`, both (N, D); the energy.

    A pair presses with −k (gap − given) where that is positive: `given` (T,) is by how much it is taken to
    be thicker, so that it holds its distance under load. With f that force, the forces are f·∂gap and the
    Gauss–Newton stiffness is k·ggᵀ. `stiffness` grows by the absolute row sums of that: they bound it, so
    that a synchronous update with α < 1 does not overshoot. `push` (N, D) is set to the contacts' part of
    the force, and `grip` (N,) to what friction can hold: μ times the pressures.
    """
    size = x.shape[1]
    g = np.empty(4 * size)
    push[:] = 0.0
    grip[:] = 0.0
    energy = 0.0
    for pair in range(len(touch.radius)):
        over, k = contact_slope(x, touch, pair, g) - given[pair], touch.stiffness[pair]
        if over >= 0.0:
            continue
        energy += 0.5 * k * over * over
        whole = 0.0
        for slope in g:
            whole += abs(slope)
        for end in range(4):
            node = touch.ends[pair, end]
            square = 0.0
            for c in range(size):
                slope = g[end * size + c]
                square += slope * slope
                push[node, c] -= k * over * slope
                force[node, c] -= k * over * slope
                stiffness[node, c] += k * abs(slope) * whole
            grip[node] -= touch.friction[pair] * k * over * np.sqrt(square)
    return energy


@inner_shared
def limit_displacements(x: Floats, touch: Contacts, cap: Floats) -> None:
    """Lower how far each node may go in an iteration, `cap` (N,), so that no bar passes through another.

    A point of a segment goes no farther than the farther of its ends, so at no moment, wherever and in
    whatever order the nodes go, has the distance fallen by more than 0.9 (distance − floor), with
    floor = CROSSED·radius: it stays above the floor, and each segment on its side of the other.

    Within the radius the share falls with the distance. A squeeze beyond what k·radius can hold then
    brings the pair together as radius/iterations, not in a few strides to where positions are rounded
    by more than it may move; let go, it comes apart again as fast.

    A pair at or below the floor has thus been there since it was drawn. It has no side to keep and is
    left free, to be pushed out along `normal`; once above the floor it has a side, and keeps it.
    """
    for pair in range(len(touch.radius)):
        a, b, c, d = touch.ends[pair]
        _, _, distance = nearest_points(x, a, b, c, d)
        radius = touch.radius[pair]
        above = distance - CROSSED * radius
        if above > 0.0:
            free = SHARE * above * min(1.0, distance / radius)
            for node in touch.ends[pair]:
                cap[node] = min(cap[node], free)


@kernel
def contact_normals(x: Floats, ends: Ints, radius: Floats) -> Floats:
    """`normal` of every pair (T, D): the unit vector from the first segment to the second.

    For a crossed pair, the shortest way out: in the plane over the end that sticks out least, in space
    across both, unless an end only just touches and can be drawn back.
    """
    normal = np.empty((len(ends), x.shape[1]))
    for pair in range(len(ends)):
        a, b, c, d = ends[pair]
        s, t, distance = nearest_points(x, a, b, c, d)
        u, v = _minus(_at(x, b), _at(x, a)), _minus(_at(x, d), _at(x, c))
        floor = CROSSED * radius[pair]
        if distance > floor:
            n = _ahead(_ahead(_minus(_at(x, c), _at(x, a)), v, t), u, -s)
        else:
            n = _separating_direction(u, v, s, t, floor, x.shape[1] == 3)
        length = np.sqrt(_dot(n, n))
        for k in range(x.shape[1]):
            normal[pair, k] = n[k] / length
    return normal


@inner
def _separating_direction(u: Vector, v: Vector, s: float, t: float, floor: float, spatial: bool) -> Vector:
    """Direction, of any length, in which segment v leaves segment u; they cross at shares t and s."""
    n = _cross(u, v)
    if _dot(n, n) <= PARALLEL * PARALLEL * _dot(u, u) * _dot(v, v):
        return _perpendicular(u if _dot(u, u) >= _dot(v, v) else v)
    across_u = _ahead(v, u, -_dot(u, v) / _dot(u, u))
    across_v = _ahead(u, v, -_dot(u, v) / _dot(v, v))
    second = min(t, 1.0 - t) * np.sqrt(_dot(across_u, across_u))  # how far v must be drawn back
    first = min(s, 1.0 - s) * np.sqrt(_dot(across_v, across_v))
    if spatial and min(first, second) > floor:
        return n
    way, ahead = (across_u, t < 0.5) if second <= first else (across_v, s >= 0.5)
    return way if ahead else (-way[0], -way[1], -way[2])


@inner
def apply_friction(residual: Floats, normal: Floats, pressure: float, mu: float) -> None:
    """Take from the part of a residual (D,) that is parallel to a contact what friction holds: μ·pressure.

    `normal` (D,) is the contact's, of length 1. Nothing parallel is left where friction can hold it all.

    Source: [Lipson2006] Table 2, "Static Friction".
    Differs: the paper zeroes the parallel part where F_p ≤ μF_n and lets all of it act beyond. A node
    then stops wherever a step happens to end within the cone; with μF_n taken away it comes to rest on
    the cone itself, whatever the step.
    """
    along = 0.0
    for k in range(len(residual)):
        along += residual[k] * normal[k]
    square = 0.0
    for k in range(len(residual)):
        square += (residual[k] - along * normal[k]) ** 2
    parallel, held = np.sqrt(square), mu * pressure
    left = 1.0 - held / parallel if parallel > held else 0.0
    for k in range(len(residual)):
        residual[k] = along * normal[k] + left * (residual[k] - along * normal[k])


@inner
def _at(x: Floats, node: int) -> Vector:
    return x[node, 0], x[node, 1], x[node, 2] if x.shape[1] == 3 else 0.0


@inner
def _minus(p: Vector, q: Vector) -> Vector:
    return p[0] - q[0], p[1] - q[1], p[2] - q[2]


@inner
def _ahead(p: Vector, u: Vector, s: float) -> Vector:
    return p[0] + s * u[0], p[1] + s * u[1], p[2] + s * u[2]


@inner
def _dot(p: Vector, q: Vector) -> float:
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]


@inner
def _cross(p: Vector, q: Vector) -> Vector:
    return p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]


@inner
def _perpendicular(u: Vector) -> Vector:
    """A vector across u: in the plane of the first two axes unless u leaves it; the first axis if u is 0."""
    if u[0] * u[0] + u[1] * u[1] >= u[2] * u[2]:
        return (-u[1], u[0], 0.0) if _dot(u, u) > 0.0 else (1.0, 0.0, 0.0)
    return 0.0, -u[2], u[1]


@inner
def _share(part: float, whole: float) -> float:
    return min(max(part / whole, 0.0), 1.0) if whole > 0.0 else 0.0


@inner
def _separation(u: Vector, v: Vector, w: Vector, s: float, t: float) -> float:
    """Distance |w + t v − s u| of two points of the segments; w joins their starts."""
    between = _ahead(_ahead(w, v, t), u, -s)
    return np.sqrt(_dot(between, between))
