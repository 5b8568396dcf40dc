"""Strokes to loops: vertices that are the same made one, ends that nearly meet joined, strokes chained.

Everything within a stated tolerance; what was joined over a gap is told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import shapely
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from pliant.core.arrays import Floats, Ints
from pliant.files.drawings.strokes import Stroke

MERGED = 0.02  # of the tolerance: vertices nearer than this are one
CURL = 200.0  # times what is merged: what comes back within that length is no part of an outline
SHORT = 4.0  # times the gap: a stroke no longer than that is not bent into a loop


@dataclass(frozen=True)
class ClosedGap:
    """Two ends that were joined, or an end and the line it was led to."""

    at: tuple[float, float]
    width: float


@dataclass(frozen=True)
class JoinedStrokes:
    """Closed loops, what stays open, and what was done to get there."""

    loops: tuple[Stroke, ...]
    lines: tuple[Stroke, ...]
    gaps: tuple[ClosedGap, ...]
    points: int  # strokes without length


@dataclass
class _Wire:
    """A stroke as numbers of nodes."""

    nodes: list[int]  # a closed one repeats its first at its end
    source: Stroke
    closed: bool


def join_strokes(strokes: Sequence[Stroke], tolerance: float) -> JoinedStrokes:
    """Loops and open lines of strokes, joined over gaps up to a tolerance."""
    if not strokes:
        return JoinedStrokes((), (), (), 0)
    nodes, wires = _wired(strokes, MERGED * tolerance)
    gaps: list[ClosedGap] = []
    points = len(strokes) - len(wires)
    _close_wires(wires, nodes, tolerance, gaps)
    _pair_ends(wires, nodes, tolerance, gaps)
    nodes = _lead_to_lines(wires, nodes, tolerance, gaps)
    chained = _chain(wires)
    made = [replace(wire.source, points=nodes[wire.nodes], closed=wire.closed) for wire in chained]
    return JoinedStrokes(
        tuple(one for one in made if one.closed),
        tuple(one for one in made if not one.closed),
        tuple(gaps),
        points,
    )


def merge_points(points: Floats, reach: float) -> Ints:
    """For each point the first of those it is one with: nearer than about `reach`, or by way of others.

    Points in one cell of any of four grids, each shifted by half a cell, are one: of two points nearer
    than half a cell, one grid has both in a cell. No pair of points is listed, however many coincide.
    """
    count = len(points)
    first: list[Ints] = []
    for shift in ((0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (0.5, 0.5)):
        cells = np.floor(points / (2 * reach) + shift)
        _, start, cell = np.unique(cells, axis=0, return_index=True, return_inverse=True)
        first.append(start[cell.reshape(-1)])
    rows = np.tile(np.arange(count), 4)
    graph = coo_matrix((np.ones(4 * count), (rows, np.concatenate(first))), (count, count))
    number, label = connected_components(graph, directed=False)
    lowest = np.full(number, count)
    np.minimum.at(lowest, label, np.arange(count))
    return lowest[label]


def _wired(strokes: Sequence[Stroke], reach: float) -> tuple[Floats, list[_Wire]]:
    nodes = np.vstack([stroke.points for stroke in strokes])
    same = merge_points(nodes, reach)
    wires: list[_Wire] = []
    begin = 0
    for stroke in strokes:
        numbers = same[begin : begin + len(stroke.points)]
        begin += len(stroke.points)
        kept = _without_curls(numbers[np.append(True, np.diff(numbers) != 0)].tolist(), nodes, CURL * reach)
        closed = stroke.closed or (len(kept) > 3 and kept[0] == kept[-1])
        if closed and kept[0] != kept[-1]:
            kept.append(kept[0])
        if len(kept) > (3 if closed else 1):
            wires.append(_Wire(kept, stroke, closed))
    return nodes, wires


def _without_curls(numbers: list[int], nodes: Floats, longest: float) -> list[int]:
    """A run of nodes without what goes out and comes back to the same node within a short length.

    Generators draw such curls into corners, so that the tool comes to rest there.
    """
    if len(set(numbers[:-1])) == len(numbers) - 1:
        return numbers
    run: list[int] = []
    lengths: list[float] = []  # along the run
    seen: dict[int, int] = {}
    for node in numbers:
        step = float(np.hypot(*(nodes[node] - nodes[run[-1]]))) if run else 0.0
        so_far = (lengths[-1] if lengths else 0.0) + step
        back = seen.get(node, -1)
        if back >= 0 and so_far - lengths[back] <= longest:
            for gone in run[back + 1 :]:
                seen.pop(gone, None)
            del run[back + 1 :], lengths[back + 1 :]
            continue
        seen[node] = len(run)
        run.append(node)
        lengths.append(so_far)
    return run


def _close_wires(wires: list[_Wire], nodes: Floats, tolerance: float, gaps: list[ClosedGap]) -> None:
    """Ends of one stroke that nearly meet."""
    for wire in wires:
        ends = nodes[[wire.nodes[0], wire.nodes[-1]]]
        gap = float(np.hypot(*(ends[1] - ends[0])))
        if wire.closed or gap > tolerance or len(wire.nodes) < 4:
            continue
        if float(np.hypot(*np.diff(nodes[wire.nodes], axis=0).T).sum()) > SHORT * max(gap, tolerance):
            wire.nodes[-1] = wire.nodes[0]
            wire.closed = True
            gaps.append(ClosedGap((float(ends[0, 0]), float(ends[0, 1])), gap))


def _occurrences(wires: Sequence[_Wire]) -> defaultdict[int, int]:
    found: defaultdict[int, int] = defaultdict(int)
    for wire in wires:
        for node in wire.nodes[:-1] if wire.closed else wire.nodes:
            found[node] += 1
    return found


def _loose_ends(wires: Sequence[_Wire]) -> list[tuple[int, int]]:
    """Wire and place (0 or -1) of every end at which nothing else is."""
    met = _occurrences(wires)
    return [
        (number, place)
        for number, wire in enumerate(wires)
        if not wire.closed
        for place in (0, -1)
        if met[wire.nodes[place]] == 1
    ]


def _pair_ends(wires: list[_Wire], nodes: Floats, tolerance: float, gaps: list[ClosedGap]) -> None:
    """Ends of two strokes that nearly meet: the nearest pairs first."""
    ends = _loose_ends(wires)
    if len(ends) < 2:
        return
    places = nodes[[wires[number].nodes[place] for number, place in ends]]
    near, which = cKDTree(places).query(places, k=min(5, len(ends)), distance_upper_bound=tolerance)
    pairs = sorted(
        (float(gap), one, int(other))
        for one, (gaps_to, others) in enumerate(zip(near, which, strict=True))
        for gap, other in zip(gaps_to, others, strict=True)
        if one < other < len(ends) and ends[one][0] != ends[int(other)][0]
    )
    taken: set[int] = set()
    for gap, one, other in pairs:
        if not {one, other} & taken:
            taken |= {one, other}
            (first, at), (second, there) = ends[one], ends[other]
            wires[second].nodes[there] = wires[first].nodes[at]
            x, y = places[one].tolist()
            gaps.append(ClosedGap((x, y), gap))


def _lead_to_lines(wires: list[_Wire], nodes: Floats, tolerance: float, gaps: list[ClosedGap]) -> Floats:
    """Ends that nearly meet a line between its vertices: the line gets a vertex there, which is the end's."""
    ends = _loose_ends(wires)
    if not ends:
        return nodes
    owner = np.concatenate([np.full(len(wire.nodes) - 1, number) for number, wire in enumerate(wires)])
    place = np.concatenate([np.arange(len(wire.nodes) - 1) for wire in wires])
    first = np.concatenate([wire.nodes[:-1] for wire in wires])
    second = np.concatenate([wire.nodes[1:] for wire in wires])
    segments: Any = shapely.linestrings(np.stack([nodes[first], nodes[second]], axis=1))
    tree = shapely.STRtree(segments)
    tips = nodes[[wires[number].nodes[end] for number, end in ends]]
    end_of, segment = tree.query(shapely.points(tips), predicate="dwithin", distance=tolerance)
    share, width = _feet(tips[end_of], nodes[first[segment]], nodes[second[segment]])
    best: dict[int, tuple[float, int, float]] = {}
    for one, other, along, gap in zip(
        end_of.tolist(), segment.tolist(), share.tolist(), width.tolist(), strict=True
    ):
        number, end = ends[one]
        last = len(wires[number].nodes) - 2
        if owner[other] == number and (place[other] < 2 if end == 0 else place[other] > last - 2):
            continue
        if one not in best or gap < best[one][0]:
            best[one] = (gap, other, along)
    return _insert_feet(wires, nodes, ends, best, owner, place, gaps, tolerance)


def _feet(tips: Floats, start: Floats, end: Floats) -> tuple[Floats, Floats]:
    """Where along each segment a point is nearest, from 0 to 1, and how near."""
    along = end - start
    share = np.clip(
        ((tips - start) * along).sum(axis=1) / np.maximum((along * along).sum(axis=1), 1e-300), 0, 1
    )
    return share, np.hypot(*(tips - start - share[:, None] * along).T)


def _insert_feet(
    wires: list[_Wire],
    nodes: Floats,
    ends: list[tuple[int, int]],
    best: dict[int, tuple[float, int, float]],
    owner: Ints,
    place: Ints,
    gaps: list[ClosedGap],
    tolerance: float,
) -> Floats:
    added: list[Floats] = []
    inserted: defaultdict[int, list[tuple[int, float, int]]] = defaultdict(list)
    merged = MERGED * tolerance

    def position(node: int) -> Floats:  # an end of the line may have been led to a foot itself
        return nodes[node] if node < len(nodes) else added[node - len(nodes)]

    for one, (gap, other, along) in best.items():
        target, at = int(owner[other]), int(place[other])
        start, end = wires[target].nodes[at], wires[target].nodes[at + 1]
        foot = position(start) + along * (position(end) - position(start))
        number, tip = ends[one]
        near = next((node for node in (start, end) if np.hypot(*(position(node) - foot)) <= merged), None)
        if near is None:
            near = len(nodes) + len(added)
            added.append(foot)
            inserted[target].append((at, along, near))
        if near in (wires[number].nodes[1], wires[number].nodes[-2]) and len(wires[number].nodes) == 2:
            continue  # a stroke shorter than the gap
        wires[number].nodes[tip] = near
        if gap > merged:
            gaps.append(ClosedGap((float(foot[0]), float(foot[1])), gap))
    for target, feet in inserted.items():
        for at, _, node in sorted(feet, reverse=True):
            wires[target].nodes.insert(at + 1, node)
    return np.vstack([nodes, *added]) if added else nodes


def _chain(wires: list[_Wire]) -> list[_Wire]:
    """Strokes that meet two by two, end to end, as one; where that comes back to its start, a loop."""
    met = _occurrences(wires)
    at_node: defaultdict[int, list[int]] = defaultdict(list)
    for number, wire in enumerate(wires):
        if not wire.closed:
            for end in (0, -1):
                at_node[wire.nodes[end]].append(number)
    through = {node for node, who in at_node.items() if len(who) == 2 and met[node] == 2 and who[0] != who[1]}
    done = [wire.closed for wire in wires]
    made = [wire for wire in wires if wire.closed]
    for number, wire in enumerate(wires):
        if not done[number]:
            done[number] = True
            run = _extended(
                _extended(list(wire.nodes), wires, at_node, through, done)[::-1],
                wires,
                at_node,
                through,
                done,
            )
            closed = len(run) > 3 and run[0] == run[-1]
            made.append(_Wire(run, wire.source, closed))
    return made


def _extended(
    run: list[int], wires: list[_Wire], at_node: dict[int, list[int]], through: set[int], done: list[bool]
) -> list[int]:
    """A run of nodes with all that follows its end."""
    while run[-1] in through and run[-1] != run[0]:
        following = next((number for number in at_node[run[-1]] if not done[number]), None)
        if following is None:
            break
        done[following] = True
        nodes = wires[following].nodes
        run += nodes[1:] if nodes[0] == run[-1] else nodes[-2::-1]
    return run
