"""The loops of random walks, compiled: do bodies overlap, is a way free; propose, push apart, accept.

Bodies are rings about their centroids at poses (x, y, θ). For each pair both are inset a little, so that
what merely touches does not overlap; the test is then plain: edges cross, or a corner of one is inside the
other. Nothing is taken from the solver.

All in one file: what numba keeps of a loop it makes anew when the loop's own file changes, and no other.
"""

from __future__ import annotations

import numpy as np
from numba import njit

FINE = 48  # places at which one way is looked at, at most
PASSES = 8  # rounds in which bodies are pushed apart
LOOK = 0.1  # rad between two looks at the objective on a way


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
def free_way(before, after, pairs, touched, rings, rows, radius, fine, middle):
    """Whether nothing overlaps and joints hold on the straight way, looked at every `fine` of travel.

    Joints are looked at eight times at least: a turn leaves them and comes back.
    """
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
    looks = max(count, 8) if len(rows[0]) else count
    for k in range(1, looks):
        share = k / looks
        for b in range(len(before)):
            for column in range(3):
                middle[b, column] = before[b, column] * (1 - share) + after[b, column] * share
        if broken(middle, rows) or hit(middle, pairs, touched, rings):
            return False
    return not broken(after, rows)


@njit(cache=True)
def value(poses, goal):
    """The objective, as `played.Objective.value` says it."""
    linear, body, point, direction, drawn = goal
    total = -drawn
    for b in range(len(linear)):
        for column in range(3):
            total += linear[b, column] * poses[b, column]
    for t in range(len(body)):
        b = body[t]
        c, s = np.cos(poses[b, 2]), np.sin(poses[b, 2])
        total += direction[t, 0] * (poses[b, 0] + c * point[t, 0] - s * point[t, 1])
        total += direction[t, 1] * (poses[b, 1] + s * point[t, 0] + c * point[t, 1])
    return total


@njit(cache=True)
def nudge(poses, body, x, y, nx, ny, depth, radius, free):
    """Move one body so that its point at (x, y) goes by `depth` along (nx, ny), turning as it may."""
    if not free[body]:
        return
    arm = (x - poses[body, 0]) * ny - (y - poses[body, 1]) * nx
    ease = 2.0 / radius[body] ** 2  # of turning against shifting, as for a disc
    push = depth / (1.0 + ease * arm * arm)
    poses[body, 0] += push * nx
    poses[body, 1] += push * ny
    poses[body, 2] += push * ease * arm


@njit(cache=True)
def push_corners(poses, a, b, points, follow, from_a, to_a, from_b, to_b, radius, free):
    """Push b's corners out of a, along the nearest edge's normal."""
    ca, sa = np.cos(poses[a, 2]), np.sin(poses[a, 2])
    cb, sb = np.cos(poses[b, 2]), np.sin(poses[b, 2])
    for j in range(from_b, to_b):
        wx = poses[b, 0] + cb * points[j, 0] - sb * points[j, 1]
        wy = poses[b, 1] + sb * points[j, 0] + cb * points[j, 1]
        dx, dy = wx - poses[a, 0], wy - poses[a, 1]
        x, y = ca * dx + sa * dy, -sa * dx + ca * dy
        if not inside(x, y, points, follow, from_a, to_a):
            continue
        nearest, mx, my = np.inf, 0.0, 0.0
        for i in range(from_a, to_a):
            k = follow[i] + from_a
            px, py = points[i, 0], points[i, 1]
            ex, ey = points[k, 0] - px, points[k, 1] - py
            along = min(1.0, max(0.0, ((x - px) * ex + (y - py) * ey) / (ex * ex + ey * ey)))
            ox, oy = px + along * ex - x, py + along * ey - y
            far = np.hypot(ox, oy)
            if far < nearest:
                nearest, mx, my = far, ox, oy
        if nearest < 1e-300:
            continue
        nx, ny = (ca * mx - sa * my) / nearest, (sa * mx + ca * my) / nearest
        depth = 1.001 * nearest * (0.5 if free[a] and free[b] else 1.0)
        nudge(poses, b, wx, wy, nx, ny, depth, radius, free)
        nudge(poses, a, wx, wy, -nx, -ny, depth, radius, free)
        ca, sa = np.cos(poses[a, 2]), np.sin(poses[a, 2])
        cb, sb = np.cos(poses[b, 2]), np.sin(poses[b, 2])


@njit(cache=True)
def push_row(poses, kind, a, b, numbers, gap, radius, free):
    """Mend a violated joint by moving its bodies."""
    if kind == 2:
        if free[b]:
            poses[b, int(numbers[2])] -= gap / numbers[0]
        return
    c, s = np.cos(poses[b, 2]), np.sin(poses[b, 2])
    x = poses[b, 0] + c * numbers[2] - s * numbers[3]
    y = poses[b, 1] + s * numbers[2] + c * numbers[3]
    if kind == 0:
        ca, sa = np.cos(poses[a, 2]), np.sin(poses[a, 2])
        hx = poses[a, 0] + ca * numbers[0] - sa * numbers[1]
        hy = poses[a, 1] + sa * numbers[0] + ca * numbers[1]
        far = np.hypot(x - hx, y - hy)
        nx, ny = (hx - x) / far, (hy - y) / far
        share = 0.5 if free[a] and free[b] else 1.0
        nudge(poses, b, x, y, nx, ny, -gap * share, radius, free)
        nudge(poses, a, hx, hy, -nx, -ny, -gap * share, radius, free)
        return
    nx, ny = numbers[0], numbers[1]
    if a >= 0:
        ca, sa = np.cos(poses[a, 2]), np.sin(poses[a, 2])
        nx, ny = ca * numbers[0] - sa * numbers[1], sa * numbers[0] + ca * numbers[1]
    nudge(poses, b, x, y, nx, ny, -gap, radius, free)


@njit(cache=True)
def settle(poses, pairs, touched, rings, rows, radius, free):
    """Push apart what overlaps and mend joints, a few rounds; touched is what has moved."""
    points, follow, span, reach = rings
    kind, first, second, numbers, allowed = rows
    for _ in range(PASSES):
        still = True
        for r in range(len(kind)):
            gap = row_gap(kind[r], first[r], second[r], numbers[r], poses) + 0.5 * allowed[r]
            if gap < 0:
                push_row(poses, kind[r], first[r], second[r], numbers[r], gap, radius, free)
                touched[second[r]] = free[second[r]]
                if first[r] >= 0:
                    touched[first[r]] = free[first[r]]
                still = False
        for p in range(len(pairs)):
            a, b = pairs[p, 0], pairs[p, 1]
            if not (touched[a] or touched[b]):
                continue
            i, j, k, m = span[p, 0], span[p, 1], span[p, 2], span[p, 3]
            if overlap(poses, a, b, points, follow, i, j, k, m, reach[p]):
                push_corners(poses, a, b, points, follow, i, j, k, m, radius, free)
                push_corners(poses, b, a, points, follow, k, m, i, j, radius, free)
                touched[a] = free[a]
                touched[b] = free[b]
                still = False
        if still:
            return


@njit(cache=True)
def shake(rng, poses, body, scale, radius):
    """Move a body at random by about `scale`."""
    poses[body, 0] += scale * rng.normal()
    poses[body, 1] += scale * rng.normal()
    poses[body, 2] += scale * rng.normal() / radius[body]


@njit(cache=True)
def turn_about(poses, body, x, y, angle):
    """Turn a body about a point of the world."""
    c, s = np.cos(angle), np.sin(angle)
    ox, oy = poses[body, 0] - x, poses[body, 1] - y
    poses[body, 0] = x + c * ox - s * oy
    poses[body, 1] = y + s * ox + c * oy
    poses[body, 2] += angle


@njit(cache=True)
def push_along(rng, poses, touched, bodies, radius, scale, weights):
    """Move bodies along the objective, at times with noise."""
    noise = scale * max(0.0, rng.uniform(-1.0, 1.0))
    for b in bodies:
        if weights[b, 0] != 0 or weights[b, 1] != 0 or weights[b, 2] != 0:
            poses[b, 0] += scale * weights[b, 0]
            poses[b, 1] += scale * weights[b, 1]
            poses[b, 2] += scale * weights[b, 2] / radius[b]
            shake(rng, poses, b, noise, radius)
            touched[b] = True


@njit(cache=True)
def move_group(rng, poses, touched, bodies, scale, size):
    """Move some bodies as one: a shift, and at times a turn about a random centre."""
    pivot = bodies[int(len(bodies) * rng.random())]
    x, y = poses[pivot, 0] + size * rng.normal(), poses[pivot, 1] + size * rng.normal()
    angle = scale * rng.normal() / size * (rng.random() < 0.5)
    dx, dy, share = scale * rng.normal(), scale * rng.normal(), rng.random()
    for b in bodies:
        if rng.random() < share:
            turn_about(poses, b, x, y, angle)
            poses[b, 0] += dx
            poses[b, 1] += dy
            touched[b] = True


@njit(cache=True)
def level(there, touched, worth, bodies, radius, step, weights, goal):
    """Move along the objective until it is worth what it was: on a plateau, long moves are taken too."""
    before = value(there, goal)
    for b in bodies:
        there[b, 0] += step * weights[b, 0]
        there[b, 1] += step * weights[b, 1]
        there[b, 2] += step * weights[b, 2] / radius[b]
    gained = value(there, goal) - before
    further = (worth - before) / gained - 1.0 if gained > 0 else -1.0
    for b in bodies:
        there[b, 0] += further * step * weights[b, 0]
        there[b, 1] += further * step * weights[b, 1]
        there[b, 2] += further * step * weights[b, 2] / radius[b]
        touched[b] |= weights[b, 0] != 0 or weights[b, 1] != 0 or weights[b, 2] != 0


@njit(cache=True)
def propose(rng, kind, here, there, touched, bodies, radius, size, least, weights, momentum):
    """A move of some kind: the last again, one body, all, along the objective, a group, about a rim."""
    scale = size * (least / size) ** rng.random()
    for b in range(len(here)):  # by element: numba compiles a slice's assignment for seconds
        touched[b] = False
        for column in range(3):
            there[b, column] = here[b, column]
    one = bodies[int(len(bodies) * rng.random())]
    if kind == 0:
        stretch = 0.5 * int(1 + 5 * rng.random())
        for b in bodies:
            for column in range(3):
                there[b, column] += stretch * momentum[b, column]
                touched[b] |= momentum[b, column] != 0
    elif kind == 1:
        shake(rng, there, one, scale, radius)
        touched[one] = True
    elif kind == 2:
        for b in bodies:
            shake(rng, there, b, scale, radius)
            touched[b] = True
    elif kind == 3:
        push_along(rng, there, touched, bodies, radius, scale, weights)
    elif kind == 4:
        move_group(rng, there, touched, bodies, scale, size)
    else:  # as when a corner stands in a corner
        angle, far = rng.uniform(0, 2 * np.pi), radius[one] * rng.random()
        x, y = here[one, 0] + far * np.cos(angle), here[one, 1] + far * np.sin(angle)
        turn_about(there, one, x, y, scale * rng.normal() / radius[one])
        touched[one] = True


@njit(cache=True)
def strays(there, base, free, far):
    """Whether a body is further than that from where it was."""
    for b in range(len(there)):
        if free[b] and np.hypot(there[b, 0] - base[b, 0], there[b, 1] - base[b, 1]) > far:
            return True
    return False


@njit(cache=True)
def falls(here, there, middle, goal, least):
    """Whether the objective is below `least` on the straight way: a leap over a valley is no climb."""
    turn = 0.0
    for b in range(len(here)):
        turn = max(turn, abs(there[b, 2] - here[b, 2]))
    looks = 1 + int(turn / LOOK)
    for k in range(1, looks):
        for b in range(len(here)):
            for column in range(3):
                middle[b, column] = here[b, column] + k / looks * (there[b, column] - here[b, column])
        if value(middle, goal) < least:
            return True
    return False


@njit(cache=True)
def climb(rng, start, pairs, rings, rows, goal, weights, free, radius, fine, size, least, hair, enough, path):
    """A climb of many proposals, one for each place in `path` (K, B, 3); how many of them were taken.

    Without a gain, bodies go no further than half of `size`: what lies against a wall is not
    carried along it and round its end.

    A proposal is taken when the way to it is free and the objective nowhere on it below the best by more than
    `hair`; moves are of all sizes from `least` to `size`. It ends when it has gained `enough`. Where it went
    is left in `path`, the first place of which is the start.
    """
    bodies = np.flatnonzero(free)
    here, there, middle, base = start.copy(), start.copy(), start.copy(), start.copy()
    touched, momentum = np.zeros(len(start), np.bool_), np.zeros_like(start)
    began = value(start, goal)
    at, best, taken, lucky, gained = began, began, 0, False, began
    for _ in range(1, len(path)):
        kind = 0 if lucky else int(6 * rng.random())
        propose(rng, kind, here, there, touched, bodies, radius, size, least, weights, momentum)
        if not lucky and rng.random() < 0.4:
            level(there, touched, at, bodies, radius, 1e-3 * size, weights, goal)
        lucky = False
        if rng.random() < 0.7:
            settle(there, pairs, touched, rings, rows, radius, free)
        reached = value(there, goal)
        if not reached >= best - hair or (reached < at and rng.random() < 0.5):
            continue
        rises = reached > gained + 5 * hair
        if strays(there, base, free, 0.5 * size) and not rises:
            continue
        if falls(here, there, middle, goal, best - hair):
            continue
        if not free_way(here, there, pairs, touched, rings, rows, radius, fine, middle):
            continue
        lucky = reached > at + 1e-9 * hair
        at, best, taken = reached, max(best, reached), taken + 1
        for b in range(len(here)):
            for column in range(3):
                momentum[b, column] = there[b, column] - here[b, column]
                here[b, column] = path[taken, b, column] = there[b, column]
                if rises:
                    base[b, column] = there[b, column]
        gained = reached if rises else gained
        if at - began > enough:
            break
    return taken


@njit(cache=True)
def shorten(path, pairs, rings, rows, free, radius, fine):
    """Few places of a path (K, B, 3), from each of which the next can be reached straight; the last is one.

    From each, places twice as far on are tried, and twice again.
    """
    kept = np.zeros(len(path), np.int64)
    middle = path[0].copy()
    count, at, last = 0, 0, len(path) - 1
    while at < last:
        stride, there = 2, at + 1
        while at < last and there < last:
            ahead = min(at + stride, last)
            if not free_way(path[at], path[ahead], pairs, free, rings, rows, radius, fine, middle):
                break
            there = ahead
            stride *= 2
        at = there
        count += 1
        kept[count] = at
    return kept[: count + 1]
