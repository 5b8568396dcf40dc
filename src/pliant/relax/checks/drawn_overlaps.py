"""Parts of a mechanism that lie in each other as drawn: members of contacts, ends of wrapped strings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.faults import KeyPath
from pliant.core.model import FaultLines, fault_at, get, items
from pliant.core.quantity import number
from pliant.relax.checks.raw_data import At, RawNodes, line_coordinates, position

INSIDE = 1e-9  # of its radius: what lies less deep in an obstacle lies on it
CHUNK = 200  # members that are looked at together
LOOKED_AT = 2_000_000  # pairs; beyond that, looking takes longer than it helps
TOLD = 100  # crossings of a contact


def contact_faults(data: Mapping[str, Any], reading: RawNodes) -> FaultLines:
    """Contacts of one member, and members that meet as drawn in the plane, where each has a side."""
    for index, contact in enumerate(items(data, "contacts")):
        place: KeyPath = ("contacts", index, "members")
        members, against = items(contact, "members"), get(contact, "against")
        if len(members) == 1 and against is None:
            cure = "Add more members, or against = [[…]]"
            yield fault_at(place, members, "is one member, with nothing it could touch", cure)
        elif reading.dimension == 2:
            known = _members(members, reading)
            others = known if against is None else _members(items(contact, "against"), reading)
            for first, second in islice(_meeting_pairs(known, others), TOLD):
                one, other = known.names[first], others.names[second]
                problem = (
                    f"{_label(one)} and {_label(other)} meet as drawn, so that neither has a side to stay on"
                )
                cure = "Draw them apart, or leave one of the two out"
                yield fault_at((*place, known.indices[first]), one, problem, cure, [*one, *other])


@dataclass(frozen=True)
class _Members:
    """The members of a contact that can be read."""

    indices: list[int]  # in the file
    names: list[list[str]]  # (M, 2)
    nodes: Ints  # (M, 2)
    ends: Floats  # (M, 2, 2) where they are


def _members(pairs: list[Any], reading: RawNodes) -> _Members:
    indices = [
        index
        for index, pair in enumerate(pairs)
        if isinstance(pair, list | tuple) and len(pair) == 2 and reading.at(*pair)
    ]
    names = [list(pairs[index]) for index in indices]
    order = {name: index for index, name in enumerate(reading.points)}
    nodes = np.array([[order[a], order[b]] for a, b in names], np.int64).reshape(-1, 2)
    ends = np.array([[reading.points[a], reading.points[b]] for a, b in names]).reshape(-1, 2, 2)
    return _Members(indices, names, nodes, ends)


def _label(pair: list[str]) -> str:
    return repr(pair[0]) if pair[0] == pair[1] else "-".join(pair)


def _meeting_pairs(members: _Members, others: _Members) -> Iterator[tuple[int, int]]:
    """Which members meet which others, each pair once; those that share a node may."""
    import shapely

    def shapes(of: _Members) -> Any:
        lines: Any = shapely.linestrings(of.ends)
        points = (of.ends[:, 0] == of.ends[:, 1]).all(axis=1)
        lines[points] = shapely.points(of.ends[points, 0])
        return lines

    theirs = shapes(others)
    ours = theirs if members is others else shapes(members)
    tree, looked_at = shapely.STRtree(theirs), 0
    for start in range(0, len(ours), CHUNK):
        first, second = tree.query(ours[start : start + CHUNK], predicate="intersects")
        first += start
        share = (members.nodes[first][:, :, None] == others.nodes[second][:, None, :]).any(axis=(1, 2))
        new = ~share & ((first < second) | (members is not others))
        yield from zip(first[new].tolist(), second[new].tolist(), strict=True)
        looked_at += len(first)
        if looked_at > LOOKED_AT:
            return


def wrap_faults(data: Mapping[str, Any], reading: RawNodes) -> FaultLines:
    """Ends of wrapped strings, and points of their paths, inside what they shall lie around."""
    for index, wrap in enumerate(items(data, "wraps")):
        path: list[tuple[KeyPath, str | None, At]] = []
        for k, name in enumerate(items(wrap, "nodes")):
            path += [(("nodes", k), name, at) for at in reading.at(name) or ()]
        for k, via in enumerate(items(wrap, "via")):
            at = position(via)
            path += [(("via", k), None, at)] if at is not None and len(at) == reading.dimension else []
        for k, obstacle in enumerate(items(wrap, "around")):
            for place, name, at in path:
                yield from _inside(("wraps", index, *place), name, at, k, obstacle, reading)


def _inside(place: KeyPath, name: str | None, at: At, k: int, obstacle: Any, reading: RawNodes) -> FaultLines:
    node = get(obstacle, "node")
    middle = reading.at(*(items(obstacle, "cylinder") if node is None else [node]))
    try:
        radius = number(get(obstacle, "radius"))
    except (ValueError, OverflowError):
        return
    if not middle or len(middle) > 2:
        return
    _, deep = line_coordinates(at, middle[0], middle[-1])  # of a ball, from its one node
    if deep < radius * (1 - INSIDE):
        what = "it" if name is None else repr(name)
        problem = f"{what} is {deep:.6g} from the middle of around[{k}], whose radius is {radius:.6g}"
        names = [] if name is None else [name]
        yield fault_at(place, None, problem, "Move it out, or make the radius smaller", names)
