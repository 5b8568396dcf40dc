"""Where friction locks a contact on an arc, by floats: `sweep.friction` compiled."""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner
from pliant.snap.arithmetic.floating import CLOSE, TOLERANCE
from pliant.snap.arithmetic.quartic import ascending_order, constant_sign, largest_coefficient, quartic_roots
from pliant.snap.geometry.features import VERTEX, Bodies, coefficients
from pliant.snap.sweep.compiled.next_contact import arc_time


@inner
def _rotated_product(vx: float, vy: float, ox: float, oy: float, out: Floats) -> None:
    """(1+u²) R v · o."""
    inner = vx * ox + vy * oy
    out[0], out[1], out[2] = inner, 2 * (vx * oy - vy * ox), -inner


@inner
def _friction_lines(
    pair: Ints, sign: float, friction: float, pivot: tuple[float, float],
    bodies: Bodies, out: Floats,
) -> None:  # fmt: skip
    """Write a and b of a(u) t + b(u) (4, 6): of the friction cone's two edges, of r · N and of r · v."""
    pawl, obstacles, hinge = bodies
    out[:] = 0.0
    across, moving = np.empty(3), np.zeros(3)
    kind, i, j = int(pair[0]), int(pair[1]), int(pair[2])
    if kind == VERTEX:
        px, py = sign * pawl.x[i], sign * pawl.y[i]
        follower = int(obstacles.following[j])
        ex, ey = obstacles.x[follower] - obstacles.x[j], obstacles.y[follower] - obstacles.y[j]
        _rotated_product(px, py, -ex, -ey, across)
        _rotated_product(px, py, ey, -ex, out[2, 3:])
        _rotated_product(px, py, hinge.vx, hinge.vy, out[3, 3:])
        for n in (0, 2):
            across[n] += pivot[0] * ex + pivot[1] * ey
            out[2, 3 + n] -= pivot[0] * ey - pivot[1] * ex
            out[3, 3 + n] -= pivot[0] * hinge.vx + pivot[1] * hinge.vy
    else:
        follower = (i + 1) % len(pawl.x)
        ax, ay = sign * pawl.x[i], sign * pawl.y[i]
        nx, ny = sign * pawl.y[follower] - ay, ax - sign * pawl.x[follower]
        gx, gy = obstacles.x[j] - hinge.x - pivot[0], obstacles.y[j] - hinge.y - pivot[1]
        depth, ahead, speed = ax * nx + ay * ny, gx * hinge.vx + gy * hinge.vy, hinge.vx**2 + hinge.vy**2
        _rotated_product(nx, ny, gy, -gx, across)
        _rotated_product(nx, ny, hinge.vy, -hinge.vx, moving)
        _rotated_product(nx, ny, pivot[0], pivot[1], out[2, 3:])
        out[2, 3], out[2, 5] = out[2, 3] - depth, out[2, 5] - depth
        out[3, 0], out[3, 2], out[3, 3], out[3, 5] = -speed, -speed, ahead, ahead
    for n in range(3):
        out[0, n] = out[1, n] = -moving[n]
        out[0, 3 + n] = across[n] - friction * out[2, 3 + n]
        out[1, 3 + n] = across[n] + friction * out[2, 3 + n]


@inner
def _sign(line: Floats, t: float, u: float) -> int:
    """Of a(u) t + b(u), 0 where it is small beside its terms."""
    value = (line[0] + u * (line[1] + u * line[2])) * t + line[3] + u * (line[4] + u * line[5])
    w = abs(u)
    size = (abs(line[0]) + w * (abs(line[1]) + w * abs(line[2]))) * abs(t)
    size += abs(line[3]) + w * (abs(line[4]) + w * abs(line[5]))
    return 0 if abs(value) <= TOLERANCE * size else 1 if value > 0 else -1


@inner
def _is_locked(lines: Floats, t: float, u: float) -> bool:
    """Whether a contact locks at a point: the hinge is in the friction cone, and resists."""
    if _sign(lines[0], t, u) * _sign(lines[1], t, u) > 0:
        return False
    return _sign(lines[2], t, u) * _sign(lines[3], t, u) < 0


@inner
def lock_on_arc(
    pair: Ints, t: float, u: float, t_end: float, u_end: float, sign: float, friction: float,
    pivot: tuple[float, float], bodies: Bodies,
) -> tuple[bool, float, float]:  # fmt: skip
    """The first point of an arc where its contact locks: whether there is one, t and u."""
    k = coefficients(pair[0], pair[1], pair[2], sign, bodies)
    lines = np.empty((4, 6))
    _friction_lines(pair, sign, friction, pivot, bodies, lines)
    if u_end == u:  # along an edge parallel to the motion nothing of this changes
        return _is_locked(lines, t, u), t, u
    places, count = np.empty(20), 1
    places[0] = 0.0
    side = 1.0 if u_end > u else -1.0
    low, high = min(u, u_end), max(u, u_end)
    for which in range(4):
        c = np.zeros(5)
        for a in range(3):
            for b in range(3):
                c[a + b] += lines[which, 3 + a] * k.alpha[b] - lines[which, a] * k.beta[b]
        error = 2.0**-37 * largest_coefficient(c)
        if error == 0.0 or constant_sign(c[0], c[1], c[2], c[3], c[4], low, high - low, error) != 0:
            continue
        roots = quartic_roots(c, low, high)
        for n in range(len(roots)):
            gone = (roots[n] - u) * side
            if CLOSE < gone < abs(u_end - u) - CLOSE:
                places[count] = gone
                count += 1
    places[count] = abs(u_end - u)
    places = places[ascending_order(places, count + 1)]
    for n in range(count + 1):
        here = u + side * places[n]
        middle = u + side * 0.5 * (places[n] + places[n + 1]) if n < count else here
        if _is_locked(lines, arc_time(k, here), here) or _is_locked(lines, arc_time(k, middle), middle):
            if n == 0:
                return True, t, u
            if n == count:
                return True, t_end, u_end
            return True, arc_time(k, here), here
    return False, t, u
