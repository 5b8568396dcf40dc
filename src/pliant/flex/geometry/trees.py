"""The edges of every body as trees of boxes, and the nearest edge found by them, compiled.

Bodies are rigid: a tree is made once, in the body's own frame, and a vertex is carried into that
frame. Edges that follow each other round an outline lie close together, so each node of a tree is a
run of edges, its children the two halves of the run, and nothing has to be sorted. Nodes are
numbered in the order of a visit: what lies below a box that is too far is left out by going on at `skip`.

A search begins with the edge that was nearest a moment ago, or to the vertex before; then almost
every box is too far at once.

`nearest_edges` gives what its namesake gives in `flex.contact.nearest`, without a list of candidates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.core.arrays import Bools, Floats, Ints
from pliant.core.kernel import inner, kernel

LEAF = 8  # edges at most of a node without children


class Trees(NamedTuple):
    """A node for each run of edges, body after body."""

    box: Floats  # (N, 8) of its edges: low x, low y, high x, high y; and of their normals
    skip: Ints  # (N,) the next node that is not below this one
    first: Ints  # (N,) of its edges
    last: Ints  # (N,) the one after its last
    root: Ints  # (B + 1,) where each body's nodes begin


class Edges(NamedTuple):
    """What a search reads of the outlines."""

    point: Floats  # (V, 2)
    tangent: Floats  # (V, 2)
    length: Floats  # (V,)


@kernel
def build_trees(starts: Ints, point: Floats, follow: Ints, tangent: Floats) -> Trees:
    """The trees of bodies whose edges are starts[b] to starts[b + 1]."""
    count, bodies = len(point), len(starts) - 1
    box, root = np.empty((count, 8)), np.empty(bodies + 1, np.int64)
    skip, first, last = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.int64)
    waiting = np.empty((128, 2), np.int64)
    nodes = 0
    for b in range(bodies):
        root[b] = nodes
        waiting[0, 0], waiting[0, 1] = starts[b], starts[b + 1]
        left = 1
        while left > 0:
            left -= 1
            i, j = waiting[left, 0], waiting[left, 1]
            first[nodes], last[nodes] = i, j
            nodes += 1
            if j - i > LEAF:
                waiting[left, 0], waiting[left, 1] = (i + j) // 2, j
                waiting[left + 1, 0], waiting[left + 1, 1] = i, (i + j) // 2
                left += 2
    root[bodies] = nodes
    for n in range(nodes - 1, -1, -1):
        if last[n] - first[n] <= LEAF:
            skip[n] = n + 1
            _hold(box, n, first[n], last[n], point, follow, tangent)
        else:
            other = skip[n + 1]
            skip[n] = skip[other]
            for k in range(8):
                one, two = box[n + 1, k], box[other, k]
                box[n, k] = min(one, two) if k % 4 < 2 else max(one, two)
    return Trees(box[:nodes].copy(), skip[:nodes].copy(), first[:nodes].copy(), last[:nodes].copy(), root)


@inner
def _hold(
    box: Floats, node: int, first: int, last: int, point: Floats, follow: Ints, tangent: Floats
) -> None:
    """Put some edges into the box of a node, and their normals (t_y, −t_x)."""
    for k in range(8):
        box[node, k] = np.inf if k % 4 < 2 else -np.inf
    for e in range(first, last):
        for k in range(2):
            start, end = point[e, k], point[follow[e], k]
            normal = tangent[e, 1] if k == 0 else -tangent[e, 0]
            box[node, k] = min(box[node, k], start, end)
            box[node, 2 + k] = max(box[node, 2 + k], start, end)
            box[node, 4 + k] = min(box[node, 4 + k], normal)
            box[node, 6 + k] = max(box[node, 6 + k], normal)


@kernel
def near_bodies(starts: Ints, point: Floats, moving: Ints, poses: Floats, radius: float) -> Ints:
    """Pairs (P, 2), lower first, of bodies whose boxes are within `radius`, one of the two moving.

    Sorted by their left ends, each box is compared with those that begin before it ends.
    """
    cosine, sine, bodies = np.cos(poses[:, 2]), np.sin(poses[:, 2]), len(starts) - 1
    box = np.empty((bodies, 4))
    for b in range(bodies):
        low_x, low_y, high_x, high_y = np.inf, np.inf, -np.inf, -np.inf
        for v in range(starts[b], starts[b + 1]):
            x = poses[b, 0] + cosine[b] * point[v, 0] - sine[b] * point[v, 1]
            y = poses[b, 1] + sine[b] * point[v, 0] + cosine[b] * point[v, 1]
            low_x, low_y, high_x, high_y = min(low_x, x), min(low_y, y), max(high_x, x), max(high_y, y)
        box[b, 0], box[b, 1], box[b, 2], box[b, 3] = low_x, low_y, high_x + radius, high_y + radius
    order = np.argsort(box[:, 0])
    pairs, count = np.empty((1024, 2), np.int64), 0
    for i in range(bodies):
        a = order[i]
        for j in range(i + 1, bodies):
            b = order[j]
            if box[b, 0] > box[a, 2]:
                break
            apart = box[b, 1] > box[a, 3] or box[a, 1] > box[b, 3]
            if apart or (moving[a] < 0 and moving[b] < 0):
                continue
            if count == len(pairs):
                pairs = np.concatenate((pairs, np.empty_like(pairs)))
            pairs[count, 0], pairs[count, 1] = min(a, b), max(a, b)
            count += 1
    return pairs[:count].copy()


@kernel
def near_vertices(
    pairs: Ints, starts: Ints, convex: Bools, poses: Floats, edges: Edges, trees: Trees, radius: float
) -> tuple[Ints, Ints, Ints, Floats, Ints]:
    """Groups (vertex, body) within `radius`: their nearest edge, its distance, the place of their pair.

    `pairs` (P, 2) has each pair of bodies both ways, in order; so the groups are in order too.
    """
    cosine, sine = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    room = 1024
    rows, distance = np.empty((room, 4), np.int64), np.empty(room)
    hint, tied = np.full(len(pairs), -1), np.empty(_largest_edge_count(starts), np.int64)
    count, begin = 0, 0
    while begin < len(pairs):
        a, end = pairs[begin, 0], begin
        while end < len(pairs) and pairs[end, 0] == a:
            end += 1
        for v in range(starts[a], starts[a + 1]):
            if not convex[v]:
                continue
            for p in range(begin, end):
                b = pairs[p, 1]
                u, w = _vertex_in_frame(edges.point, v, poses, cosine, sine, a, b)
                e, least, _ = _search(u, w, hint[p], radius * radius, 0.0, edges, trees, b, tied)
                if e < 0:
                    continue
                hint[p] = e
                if count == len(distance):
                    rows = np.concatenate((rows, np.empty_like(rows)))
                    distance = np.concatenate((distance, np.empty_like(distance)))
                rows[count, 0], rows[count, 1], rows[count, 2], rows[count, 3] = v, b, e, p
                distance[count] = np.sqrt(least)
                count += 1
        begin = end
    vertex, body, edge, place = rows[:count, 0], rows[:count, 1], rows[:count, 2], rows[:count, 3]
    return vertex.copy(), body.copy(), edge.copy(), distance[:count].copy(), place.copy()


@kernel
def nearest_edges(
    vertex: Ints, body: Ints, hint: Ints, distance: Floats, pair: Ints, travel: Floats, owner: Ints,
    starts: Ints, poses: Floats, edges: Edges, trees: Trees, reach: float, tie: float, facing: float,
) -> tuple[Ints, Floats, Ints, Floats, Floats, Ints]:  # fmt: skip
    """The groups within reach: where their vertex is seen, the nearest edge, along, height, a facing wall.

    `distance` (G,) was that of a group before its two bodies moved by `travel` (P,) at most.
    """
    cosine, sine = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    group, edge, across = np.empty_like(vertex), np.empty_like(vertex), np.empty_like(vertex)
    seen, place = np.empty((len(vertex), 2)), np.empty((len(vertex), 2))
    tied = np.empty(_largest_edge_count(starts), np.int64)
    close, count = (reach + tie) ** 2, 0
    for g in range(len(vertex)):
        if distance[g] > reach + tie + travel[pair[g]]:
            continue
        v, b = vertex[g], body[g]
        u, w = _vertex_in_frame(edges.point, v, poses, cosine, sine, int(owner[v]), b)
        e, least, number = _search(u, w, hint[g], close, tie, edges, trees, b, tied)
        if e < 0:
            continue
        if number > 1:
            e = _first_of_tied(u, w, least, tie, edges, tied, number)
        along, height, _ = _frame(u, w, edges, e)
        group[count], edge[count] = g, e
        seen[count, 0], seen[count, 1], place[count, 0], place[count, 1] = u, w, along, height
        across[count] = _facing_wall(u, w, e, reach, facing, edges, trees, b)
        count += 1
    return (
        group[:count].copy(), seen[:count].copy(), edge[:count].copy(), place[:count, 0].copy(),
        place[:count, 1].copy(), across[:count].copy(),
    )  # fmt: skip


@inner
def _largest_edge_count(starts: Ints) -> int:
    """The edges of the body that has most."""
    most = 0
    for b in range(len(starts) - 1):
        most = max(most, starts[b + 1] - starts[b])
    return most


@inner
def _vertex_in_frame(
    point: Floats, vertex: int, poses: Floats, cosine: Floats, sine: Floats, owner: int, body: int
) -> tuple[float, float]:
    """A vertex of one body in the frame of another."""
    px, py = point[vertex, 0], point[vertex, 1]
    x = cosine[owner] * px - sine[owner] * py + (poses[owner, 0] - poses[body, 0])
    y = sine[owner] * px + cosine[owner] * py + (poses[owner, 1] - poses[body, 1])
    return cosine[body] * x + sine[body] * y, cosine[body] * y - sine[body] * x


@inner
def _frame(u: float, w: float, edges: Edges, e: int) -> tuple[float, float, float]:
    """How far along an edge a point is, how high above it, and its squared distance."""
    point, tangent = edges.point, edges.tangent
    dx, dy, tx, ty = u - point[e, 0], w - point[e, 1], tangent[e, 0], tangent[e, 1]
    along, height = dx * tx + dy * ty, dx * ty - dy * tx
    beyond = along - min(max(along, 0.0), edges.length[e])
    return along, height, beyond * beyond + height * height


@inner
def _search(
    u: float, w: float, hint: int, cut: float, tie: float, edges: Edges, trees: Trees, body: int, tied: Ints,
) -> tuple[int, float, int]:  # fmt: skip
    """The nearest edge not further than √cut, or −1; its squared distance; those tied with it, and more."""
    box, skip, first, last = trees.box, trees.skip, trees.first, trees.last
    least, nearest_edge, count = cut, -1, 0
    if hint >= 0:
        _, _, distance = _frame(u, w, edges, hint)
        if distance <= cut:
            least, nearest_edge = distance, hint
    limit = (np.sqrt(least) + tie) ** 2
    n = trees.root[body]
    while n < trees.root[body + 1]:
        x = max(box[n, 0] - u, u - box[n, 2], 0.0)
        y = max(box[n, 1] - w, w - box[n, 3], 0.0)
        if x * x + y * y > limit:
            n = skip[n]
            continue
        if skip[n] == n + 1:
            for e in range(first[n], last[n]):
                _, _, distance = _frame(u, w, edges, e)
                if distance > limit:
                    continue
                if distance < least or (nearest_edge < 0 and distance <= cut):
                    limit = (np.sqrt(distance) + tie) ** 2
                    count = 0 if least > limit else count
                    least, nearest_edge = distance, e
                tied[count] = e
                count += 1
        n += 1
    return nearest_edge, least, count


@inner
def _first_of_tied(u: float, w: float, least: float, tie: float, edges: Edges, tied: Ints, count: int) -> int:
    """Of edges as near as the nearest the highest; of those as high, the one that starts at the corner."""
    limit = (np.sqrt(least) + tie) ** 2
    high, low, chosen = -np.inf, np.inf, -1
    for k in range(count):
        _, height, distance = _frame(u, w, edges, tied[k])
        if distance <= limit:
            high = max(high, height)
    for k in range(count):
        along, height, distance = _frame(u, w, edges, tied[k])
        if distance <= limit and height >= high - tie:
            low = min(low, along)
    for k in range(count - 1, -1, -1):
        along, height, distance = _frame(u, w, edges, tied[k])
        if distance <= limit and height >= high - tie and along <= low + tie:
            chosen = tied[k]
    return chosen


@inner
def _facing_wall(
    u: float, w: float, best: int, reach: float, facing: float, edges: Edges, trees: Trees, body: int
) -> int:  # fmt: skip
    """The nearest wall within reach, right under the point, that faces the nearest edge; −1: none."""
    box, skip, first, last = trees.box, trees.skip, trees.first, trees.last
    nx, ny = edges.tangent[best, 1], -edges.tangent[best, 0]
    least, nearest_edge = reach, -1
    n = trees.root[body]
    while n < trees.root[body + 1]:
        x = max(box[n, 0] - u, u - box[n, 2], 0.0)
        y = max(box[n, 1] - w, w - box[n, 3], 0.0)
        turned = min(nx * box[n, 4], nx * box[n, 6]) + min(ny * box[n, 5], ny * box[n, 7])
        if x * x + y * y > least * least or turned >= facing:
            n = skip[n]
            continue
        if skip[n] == n + 1:
            for e in range(first[n], last[n]):
                along, height, _ = _frame(u, w, edges, e)
                nearer = 0.0 <= height < least or (nearest_edge < 0 and height == least)
                if not (nearer and 0.0 <= along <= edges.length[e]):
                    continue
                if edges.tangent[e, 1] * nx - edges.tangent[e, 0] * ny < facing:
                    least, nearest_edge = height, e
        n += 1
    return nearest_edge
