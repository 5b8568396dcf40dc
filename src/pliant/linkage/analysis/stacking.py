"""The fewest layers that keep links and pins apart, or where there are none, the fewest collisions.

A link passes a pin above or below it, and so above or below every link of the pin. Those choices
can be had together if nothing is above itself in the end: the least number of passings that must
be given up is an integer program whose rows are the cycles found so far,

    min Σ s_p,   Σ_{p above} u_p + Σ_{p below} (1 − u_p) ≤ (length − 1) + Σ s_p   for every cycle,

u = 1 where passing p is above. Then the stack is pressed: links meet in no layer, and with
x_lh = 1 where link l is in layer h, and m a link of the pin that l passes,

    Σ_h x_lh = 1,   x_ah + x_bh ≤ 1 where a and b meet
    x_lh + Σ_{k≥h} x_mk ≤ 2 − u,   x_lh + Σ_{k≤h} x_mk ≤ 1 + u

for as few h as have an answer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csgraph

from pliant.core.arrays import Floats, Ints

FEASIBLE, INFEASIBLE = 0, 2  # scipy's words for how a search ended

Row = tuple[list[int], list[int], int]  # the sum of some variables, less the sum of others, ≤ bound
LinkPair = tuple[int, int]
Arcs = dict[LinkPair, int]  # (upper, lower) links, and a passing that says so


@dataclass(frozen=True)
class StackPin:
    """A pin, the links on it, and whether it starts at the ground."""

    joint: str
    links: tuple[int, ...]
    grounded: bool
    path: Floats  # (F, 2)


@dataclass(frozen=True)
class Passing:
    """A link that comes too near to a pin that is not its own."""

    link: int
    pin: int
    frame: int  # the pose where they are nearest

    def clear(self, rows: Ints, pins: Sequence[StackPin]) -> bool:
        """Whether these layers keep the two apart."""
        members = rows[list(pins[self.pin].links)]
        above, below = rows[self.link] > members.max(), rows[self.link] < members.min()
        return bool(above or (below and not pins[self.pin].grounded))


@dataclass(frozen=True)
class Stack:
    """The layer of each link, from 0 on, and what is proven of it."""

    rows: Ints  # (L,)
    fewest_collisions: bool
    fewest_layers: bool  # for the collisions there are


def find_stack(
    links: int,
    pins: Sequence[StackPin],
    meetings: Sequence[LinkPair],
    passings: Sequence[Passing],
    seconds: float,
) -> Stack:
    """Layers with the fewest collisions, and of those few layers; in about as many seconds at most."""
    until = perf_counter() + seconds
    choices, proven = _choose_sides(links, pins, passings, until - seconds / 2)
    kept = [passing for passing, choice in zip(passings, choices, strict=True) if choice is not None]
    stack = _pile(links, meetings, _arcs(pins, passings, choices))
    shared = max((len(pin.links) for pin in pins), default=1)
    pressed = True
    for height in range(shared, int(stack.max()) + 1):
        share = max(until - perf_counter(), 0.02) / 2  # half of what is left, so that more are tried
        rows, ended = _compact(_Compaction(links, height, pins, meetings, kept), share)
        if rows is not None:
            return Stack(np.unique(rows, return_inverse=True)[1], proven, pressed)
        pressed &= ended == INFEASIBLE
    return Stack(stack, proven, pressed)


# Above or below


def _choose_sides(
    links: int, pins: Sequence[StackPin], passings: Sequence[Passing], until: float
) -> tuple[list[bool | None], bool]:
    """Of each passing, whether it is above, or None where it is given up; and whether those are fewest."""
    count = len(passings)
    choices: list[bool | None] = [True] * count
    cuts: list[Row] = []
    while cycles := _cycles(links, _arcs(pins, passings, choices)):
        cuts += [_cycle_cut(cycle, choices, count) for cycle in cycles]
        left = until - perf_counter()
        if left <= 0:
            return _acyclic(links, pins, passings, choices), False
        grounded: Any = [pins[passing.pin].grounded for passing in passings] + [0] * count
        answer = milp(
            np.repeat([0.0, 1.0], count),
            integrality=1,
            bounds=Bounds(grounded, 1),
            constraints=_inequalities(cuts, 2 * count),
            options={"time_limit": left},
        )
        if answer.status != FEASIBLE:
            return _acyclic(links, pins, passings, choices), False
        above, given_up = np.round(answer.x).astype(bool).reshape(2, -1)
        choices = [None if gone else bool(up) for up, gone in zip(above, given_up, strict=True)]
    return choices, True


def _arcs(pins: Sequence[StackPin], passings: Sequence[Passing], choices: Sequence[bool | None]) -> Arcs:
    arcs: Arcs = {}
    for number, (passing, choice) in enumerate(zip(passings, choices, strict=True)):
        for member in pins[passing.pin].links if choice is not None else ():
            arcs[(passing.link, member) if choice else (member, passing.link)] = number
    return arcs


def _cycles(links: int, arcs: Arcs) -> set[tuple[int, ...]]:
    """Through every link that is above itself, a shortest way back to it."""
    upper, lower = np.array(list(arcs), np.int64).reshape(-1, 2).T
    graph = sparse.csr_array((np.ones(len(arcs)), (upper, lower)), shape=(links, links))
    _, part = csgraph.connected_components(graph, connection="strong")
    below: dict[int, list[int]] = {}
    for a, b in arcs:
        if part[a] == part[b]:
            below.setdefault(a, []).append(b)
    return {tuple(sorted(arcs[step] for step in _shortest_cycle(link, below))) for link in below}


def _shortest_cycle(link: int, below: dict[int, list[int]]) -> list[LinkPair]:
    came: dict[int, int] = {}
    waiting = deque([link])
    while link not in came:
        here = waiting.popleft()
        for there in below[here]:
            if there not in came:
                came[there] = here
                waiting.append(there)
    steps = [(came[link], link)]
    while steps[-1][0] != link:
        steps.append((came[steps[-1][0]], steps[-1][0]))
    return steps


def _cycle_cut(cycle: tuple[int, ...], choices: Sequence[bool | None], count: int) -> Row:
    """Not all of a cycle's passings this way, or one of them given up."""
    above = [number for number in cycle if choices[number]]
    below = [number for number in cycle if not choices[number]]
    return above, [*below, *(count + number for number in cycle)], len(above) - 1


def _acyclic(
    links: int, pins: Sequence[StackPin], passings: Sequence[Passing], choices: list[bool | None]
) -> list[bool | None]:
    """Give up a passing of every cycle until there are none: quick, and perhaps more than need be."""
    while cycles := _cycles(links, _arcs(pins, passings, choices)):
        gone = {cycle[0] for cycle in cycles}
        choices = [None if number in gone else choice for number, choice in enumerate(choices)]
    return choices


# Few layers


def _pile(links: int, meetings: Sequence[LinkPair], arcs: Arcs) -> Ints:
    """Each link in the lowest layer free for it, after all that are below it: enough layers, if not few."""
    taken: list[set[int]] = [set() for _ in range(links)]
    beside: dict[int, list[int]] = {link: [] for link in range(links)}
    for a, b in meetings:
        beside[a].append(b)
        beside[b].append(a)
    above: dict[int, list[int]] = {link: [] for link in range(links)}
    unplaced = np.zeros(links, np.int64)  # links below that are not placed yet
    for upper, lower in arcs:
        above[lower].append(upper)
        unplaced[upper] += 1
    rows, floor = np.zeros(links, np.int64), np.zeros(links, np.int64)
    waiting = deque(np.flatnonzero(unplaced == 0).tolist())
    while waiting:
        link = waiting.popleft()
        rows[link] = next(row for row in range(floor[link], links + 1) if row not in taken[link])
        for other in beside[link]:
            taken[other].add(int(rows[link]))
        for upper in above[link]:
            floor[upper] = max(floor[upper], rows[link] + 1)
            unplaced[upper] -= 1
            if not unplaced[upper]:
                waiting.append(upper)
    return rows


@dataclass(frozen=True)
class _Compaction:
    """The variables: x of every link and layer, then u of every passing."""

    links: int
    height: int
    pins: Sequence[StackPin]
    meetings: Sequence[LinkPair]
    passings: Sequence[Passing]

    def x(self, link: int) -> range:
        """Of a link, by layer."""
        return range(link * self.height, (link + 1) * self.height)

    def rows(self) -> Iterator[Row]:
        """The inequalities of every meeting and passing."""
        for a, b in self.meetings:
            yield from (([here, there], [], 1) for here, there in zip(self.x(a), self.x(b), strict=True))
        for u, passing in enumerate(self.passings, self.links * self.height):
            for other in map(self.x, self.pins[passing.pin].links):
                for row, here in enumerate(self.x(passing.link)):
                    yield [here, *other[row:], u], [], 2
                    yield [here, *other[: row + 1]], [u], 1


def _compact(compaction: _Compaction, seconds: float) -> tuple[Ints | None, int]:
    """The layer of each link in a stack of that height, if it was found, and how the search ended."""
    each = compaction.links * compaction.height
    size = each + len(compaction.passings)
    low: Any = np.zeros(size)
    low[each:] = [compaction.pins[passing.pin].grounded for passing in compaction.passings]
    ones = sparse.kron(sparse.eye(compaction.links), np.ones((1, compaction.height)))
    ones = sparse.hstack([ones, sparse.csr_array((compaction.links, size - each))])
    answer = milp(
        np.zeros(size),
        integrality=1,
        bounds=Bounds(low, 1),
        constraints=[LinearConstraint(ones, 1, 1), *_inequalities(list(compaction.rows()), size)],
        options={"time_limit": seconds},
    )
    if answer.x is None:
        return None, answer.status
    return answer.x[:each].reshape(compaction.links, -1).argmax(axis=1), answer.status


def _inequalities(rows: Sequence[Row], size: int) -> list[LinearConstraint]:
    if not rows:
        return []
    columns = np.concatenate([[*more, *less] for more, less, _ in rows])
    values = np.concatenate([[1.0] * len(more) + [-1.0] * len(less) for more, less, _ in rows])
    starts = np.cumsum([0, *(len(more) + len(less) for more, less, _ in rows)])
    bounds: Any = [bound for _, _, bound in rows]
    matrix = sparse.csr_array((values, columns, starts), shape=(len(rows), size))
    return [LinearConstraint(matrix, -np.inf, bounds)]
