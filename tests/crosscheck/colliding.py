"""Do two bodies overlap, is a way free, do joints hold: loops of the random walks, compiled.

Bodies are rings about their centroids at poses (x, y, θ). For each pair both are inset a little, so that
what merely touches does not overlap; the test is then plain: edges cross, or a corner of one is inside the
other. Nothing is taken from the solver.
"""

from __future__ import annotations

import numpy as np
from numba import njit

FINE = 48  # places at which one way is looked at, at most


@njit(cache=True)
def inside(x, y, points, follow, start, stop):
    """Whether a point is in the rings of a body, by counting crossings."""
    odd = False
    for i in range(start, stop):
        k = follow[i] + start
        x1, y1, x2, y2 = points[i, 0], points[i, 1], points[k, 0], points[k, 1]
        if (y1 > y) != (y2 > y) and x < x1 + (y - y1) * (x2 - x1) / (y2 - y1):
            odd = not odd
    return odd


@njit(cache=True)
def cross(points, follow, from_a, to_a, moved, from_b):
    """Whether an edge of the one body crosses one of the other's."""
    low_x, high_x, low_y, high_y = np.inf, -np.inf, np.inf, -np.inf
    for j in range(len(moved)):
        low_x, high_x = min(low_x, moved[j, 0]), max(high_x, moved[j, 0])
        low_y, high_y = min(low_y, moved[j, 1]), max(high_y, moved[j, 1])
    for i in range(from_a, to_a):
        k = follow[i] + from_a
        px, py, qx, qy = points[i, 0], points[i, 1], points[k, 0], points[k, 1]
        if min(px, qx) > high_x or max(px, qx) < low_x or min(py, qy) > high_y or max(py, qy) < low_y:
            continue
        ex, ey = qx - px, qy - py
        for j in range(len(moved)):
            k = follow[j + from_b]
            one = ex * (moved[j, 1] - py) - ey * (moved[j, 0] - px)
            two = ex * (moved[k, 1] - py) - ey * (moved[k, 0] - px)
            if (one > 0) == (two > 0):
                continue
            fx, fy = moved[k, 0] - moved[j, 0], moved[k, 1] - moved[j, 1]
            three = fx * (py - moved[j, 1]) - fy * (px - moved[j, 0])
            four = fx * (qy - moved[j, 1]) - fy * (qx - moved[j, 0])
            if (three > 0) != (four > 0):
                return True
    return False


@njit(cache=True)
def overlap(poses, a, b, points, follow, from_a, to_a, from_b, to_b, reach):
    """Whether two bodies share area: points (N, 2) from one to another place, and which follows which.

    Where no edges cross, each ring is wholly inside or outside; a ring's last corner is followed by its
    first.
    """
    dx, dy = poses[b, 0] - poses[a, 0], poses[b, 1] - poses[a, 1]
    if dx * dx + dy * dy > reach * reach:
        return False
    # Everything in the frame of a.
    ca, sa = np.cos(poses[a, 2]), np.sin(poses[a, 2])
    x, y = ca * dx + sa * dy, -sa * dx + ca * dy
    c, s = np.cos(poses[b, 2] - poses[a, 2]), np.sin(poses[b, 2] - poses[a, 2])
    moved = np.empty((to_b - from_b, 2))
    for j in range(from_b, to_b):
        moved[j - from_b, 0] = x + c * points[j, 0] - s * points[j, 1]
        moved[j - from_b, 1] = y + s * points[j, 0] + c * points[j, 1]
    if cross(points, follow, from_a, to_a, moved, from_b):
        return True
    for j in range(to_b - from_b):
        last = follow[j + from_b] <= j
        if last and inside(moved[j, 0], moved[j, 1], points, follow, from_a, to_a):
            return True
    for i in range(from_a, to_a):
        if follow[i] + from_a <= i:
            dx, dy = points[i, 0] - x, points[i, 1] - y
            if inside(c * dx + s * dy, -s * dx + c * dy, points, follow, from_b, to_b):
                return True
    return False


@njit(cache=True)
def hit(poses, pairs, touched, rings):
    """Whether any pair of which a body is touched overlaps."""
    points, follow, span, reach = rings
    for p in range(len(pairs)):
        a, b = pairs[p, 0], pairs[p, 1]
        if (touched[a] or touched[b]) and overlap(
            poses, a, b, points, follow, span[p, 0], span[p, 1], span[p, 2], span[p, 3], reach[p]
        ):
            return True
    return False


@njit(cache=True)
def row_gap(kind, a, b, numbers, poses):
    """The distance of a joint's row, as `played.Row.gap` says it."""
    if kind == 2:
        return numbers[0] * (poses[b, int(numbers[2])] - numbers[3])
    c, s = np.cos(poses[b, 2]), np.sin(poses[b, 2])
    x = poses[b, 0] + c * numbers[2] - s * numbers[3]
    y = poses[b, 1] + s * numbers[2] + c * numbers[3]
    if kind == 0:
        c, s = np.cos(poses[a, 2]), np.sin(poses[a, 2])
        x -= poses[a, 0] + c * numbers[0] - s * numbers[1]
        y -= poses[a, 1] + s * numbers[0] + c * numbers[1]
        return numbers[4] - np.hypot(x, y)
    if a >= 0:
        c, s = np.cos(poses[a, 2]), np.sin(poses[a, 2])
        dx, dy = x - poses[a, 0], y - poses[a, 1]
        x, y = c * dx + s * dy, -s * dx + c * dy
    return numbers[0] * (x - numbers[4]) + numbers[1] * (y - numbers[5])


@njit(cache=True)
def broken(poses, rows):
    """Whether a joint is violated by more than its allowance."""
    kind, first, second, numbers, allowed = rows
    for r in range(len(kind)):
        if row_gap(kind[r], first[r], second[r], numbers[r], poses) < -allowed[r]:
            return True
    return False


@njit(cache=True)
def free_way(before, after, pairs, touched, rings, radius, fine, middle):
    """Whether nothing overlaps on the straight way, looked at every `fine` of travel."""
    travel = 0.0
    for b in range(len(before)):
        if touched[b]:
            far = np.hypot(after[b, 0] - before[b, 0], after[b, 1] - before[b, 1])
            travel = max(travel, far + abs(after[b, 2] - before[b, 2]) * radius[b])
    count = int(np.ceil(travel / fine))
    if count > FINE:
        return False
    if hit(after, pairs, touched, rings):
        return False
    for k in range(1, count):
        share = k / count
        for b in range(len(before)):
            for column in range(3):
                middle[b, column] = before[b, column] * (1 - share) + after[b, column] * share
        if hit(middle, pairs, touched, rings):
            return False
    return True
