"""What contradicts what in a fastener, with a cure for each: asked by load, `pliant check` and solve.

`load` (through the model) asks for outlines, and for names that nothing bears or two. There the data may be a
raw file, however faulty, or the fields of a fastener that was validated; what cannot be read is left to the
schema's own checks. `check` and `solve` (through `start.checks`) ask for beams that are not those of the
drawing, overlaps at the start, and studies that say too little.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from itertools import chain
from math import isfinite
from typing import Any, NamedTuple

from pydantic_core import InitErrorDetails

from pliant.core.errors import Fault
from pliant.core.faults import KeyPath
from pliant.core.model import FaultLines, fault_at, get, items, unknown
from pliant.core.outline import TOO_SMALL, ring_fault, too_small
from pliant.snap.geometry.cantilever import Cantilever
from pliant.snap.geometry.intersections import (
    Points,
    float_points,
    is_degenerate,
    near_edge_pairs,
    self_intersection,
)
from pliant.snap.geometry.penetration import least_depth
from pliant.snap.handbook.materials import MATERIALS, unknown_material

ROOT = "root"  # what a variable's moves call the root
WITHIN = 0.15  # of the length: how far what is said of a beam may be from what is drawn


def outline_fault(ring: Points) -> str:
    """What keeps a ring from being an outline, or "" when nothing does; decided without rounding.

    Where a million pairs of its edges are near each other, floats decide.

    >>> outline_fault([(0, 0), (2, 2), (2, 0), (0, 2)])
    'edges 0 and 2 cross; an outline must not cross itself'
    """
    if len(ring) < 3:
        return f"has {len(ring)} different vertices; an outline needs at least 3"
    for index, corner in enumerate(ring):
        if corner == ring[index - 1]:
            return f"vertex {index} repeats the one before it"
    if too_small(float_points(ring)):
        return TOO_SMALL
    if is_degenerate(ring):
        return "has no area"
    near = near_edge_pairs(ring)
    return (
        ring_fault(float_points(ring)) if near is None else _intersection_fault(self_intersection(ring, near))
    )


def _intersection_fault(crossing: tuple[int, int, str] | None) -> str:
    if crossing is None:
        return ""
    first, second, verb = crossing
    if verb == "fold":
        return f"edges {first} and {second} lie on each other; an outline has its inside between its edges"
    return f"edges {first} and {second} {verb}; an outline must not {verb} itself"


def reference_faults(data: Mapping[str, Any]) -> Iterable[InitErrorDetails]:
    """All that is wrong between the parts of a fastener, each at its place and with a cure."""
    shapes = get(data, "shapes")
    known: Mapping[str, Any] = shapes if isinstance(shapes, Mapping) else {}
    yield from unknown(_shape_references(data), known, "shape")
    yield from _name_faults(data)
    yield from _beam_faults(data)
    yield from _variable_faults(data, known)


def _shape_references(data: Mapping[str, Any]) -> Iterator[tuple[KeyPath, Any]]:
    """Every place that names a shape."""
    for key in ("pawls", "obstacles"):
        yield from (
            ((key, index, "shape"), get(part, "shape")) for index, part in enumerate(items(data, key))
        )


def _name_faults(data: Mapping[str, Any]) -> FaultLines:
    """Names that two bear: a pawl or an obstacle that is called as another, or as the root; variables."""
    bearers = {ROOT: "the root is called so"}
    for place, name in chain(_named_items(data, "pawls"), _named_items(data, "obstacles")):
        if name in bearers:
            yield fault_at(
                place, name, f"{name!r} cannot be told apart: {bearers[name]}", "Name it otherwise"
            )
        bearers.setdefault(name, f"{place[0]}[{place[1]}] is called so too")
    seen: dict[str, KeyPath] = {}
    for place, name in _named_items(data, "variables"):
        first = seen.setdefault(name, place)
        if first is not place:
            problem = f"{name!r} is the name of {first[0]}[{first[1]}] too"
            yield fault_at(place, name, problem, "Name it otherwise")


def _named_items(data: Mapping[str, Any], key: str) -> Iterator[tuple[KeyPath, str]]:
    """The names in a list, by their places; obstacles without one are called by their number."""
    for index, item in enumerate(items(data, key)):
        name = get(item, "name")
        if name is None and key == "obstacles":
            name = f"obstacle {index + 1}"
        if isinstance(name, str):
            yield (key, index, "name"), name


def _beam_faults(data: Mapping[str, Any]) -> FaultLines:
    """Beams of materials that are not in the table, or whose modulus there is in another unit."""
    units = get(data, "units")
    for index, pawl in enumerate(items(data, "pawls")):
        beam = get(pawl, "beam")
        name = get(beam, "material")
        place: KeyPath = ("pawls", index, "beam", "material")
        if isinstance(name, str) and name not in MATERIALS:
            yield fault_at(place, name, *unknown_material(name))
        elif name is not None and get(beam, "modulus") is None and isinstance(units, str) and units != "mm":
            problem = f"{name!r} has its modulus in N/mm², and the model is in {units!r}"
            cure = 'Give the beam a modulus in N for a square of that unit, or the model units = "mm"'
            yield fault_at(place, name, problem, cure)


def _variable_faults(data: Mapping[str, Any], shapes: Mapping[str, Any]) -> FaultLines:
    """Variables of pawls that are none, and moves of vertices that are not there."""
    pawls = {name: None for _, name in _named_items(data, "pawls")}
    corners = _vertex_counts(data, shapes)
    variables = items(data, "variables")
    named = ((("variables", index, "of"), get(each, "of")) for index, each in enumerate(variables))
    yield from unknown(named, pawls, "pawl")
    bending = [get(pawl, "name") for pawl in items(data, "pawls") if get(pawl, "beam") is not None]
    for index, each in enumerate(variables):
        name = get(each, "of")
        if get(each, "what") == "beam" and isinstance(name, str) and name in pawls and name not in bending:
            problem = f"{name!r} has no beam, and a variable of one"
            yield fault_at(
                ("variables", index, "of"), name, problem, "Give the pawl a beam, or vary its stiffness"
            )
    yield from unknown(_moved_parts(variables), corners, "part")
    for index, variable in enumerate(variables):
        for number, move in enumerate(items(variable, "moves")):
            place: KeyPath = ("variables", index, "moves", number)
            name = get(move, "of")
            count = corners.get(name) if isinstance(name, str) else None
            for at, vertex in enumerate(items(move, "vertices")):
                if count is not None and _number(vertex) >= count:
                    problem = f"{name!r} has no vertex {_number(vertex)}: its last is {count - 1}"
                    cure = f"Number the corners from 0 to {count - 1}, as they are listed"
                    yield fault_at((*place, "vertices", at), vertex, problem, cure, [name])


def _number(vertex: Any) -> int:
    """A vertex's number, which may be written as 2.0; -1 where it is none."""
    whole = isinstance(vertex, int) or (isinstance(vertex, float | Decimal) and isfinite(vertex))
    return int(vertex) if whole and vertex == int(vertex) else -1


def _moved_parts(variables: Iterable[Any]) -> Iterator[tuple[KeyPath, Any]]:
    """Every place of a variable that names a part whose vertices it moves."""
    for index, variable in enumerate(variables):
        for number, move in enumerate(items(variable, "moves")):
            yield ("variables", index, "moves", number, "of"), get(move, "of")


def _vertex_counts(data: Mapping[str, Any], shapes: Mapping[str, Any]) -> dict[str, int | None]:
    """How many corners each part has that a variable may move; None where its outline cannot be read."""
    rooted = get(get(data, "root"), "outline")
    counts = {} if rooted is None else {ROOT: _vertex_count(rooted)}
    for key in ("pawls", "obstacles"):
        parts = items(data, key)
        for (_, index, _), name in _named_items(data, key):
            outline = get(parts[int(index)], "outline")
            shape = get(parts[int(index)], "shape")
            counts[name] = _vertex_count(
                shapes.get(shape) if outline is None and isinstance(shape, str) else outline
            )
    return counts


def _vertex_count(outline: Any) -> int | None:
    if not isinstance(outline, list | tuple) or len(outline) < 2:
        return None
    return len(outline) - (outline[0] == outline[-1])


# Of a model that was read


class PlacedPart(NamedTuple):
    """A part that is moved, where it starts."""

    where: str  # in the file
    name: str
    ring: Points  # in the world


class Overlap(NamedTuple):
    """A part that lies in an obstacle at the start."""

    part: PlacedPart
    obstacle: str
    depth: float  # the shortest way out


def overlap_fault(overlap: Overlap, units: str) -> Fault:
    """A part that overlaps an obstacle at the start, and how deep."""
    part, least = overlap.part, least_depth(overlap.part.ring)
    deep = f"by {overlap.depth:.3g}" if overlap.depth > least else f"by less than {least:.1g}"
    return Fault(
        part.where,
        f"{part.name!r} overlaps {overlap.obstacle!r} at the start, {deep}{f' {units}'.rstrip()}",
        "Start further back, or redraw one of the two; they may touch",
        (part.name, overlap.obstacle),
    )


def beam_fault(
    where: str, drawn: Cantilever, said: bool, share: float, behind: Iterable[float], units: str
) -> Fault | None:
    """A beam that is not that of the drawing: its length, or where the hinge is on it.

    `said` is whether the beam gives its length, `share` where on it the hinge is, and `behind` how far behind
    the hinge the root may begin.
    """
    least, most = (1 - WITHIN) * (drawn.behind + drawn.nose), (1 + WITHIN) * (drawn.behind + drawn.tip)
    if not least <= drawn.said <= most:
        between = f"{drawn.behind + drawn.nose:.4g} {units} from the root"
        fitting = _fitted_length(drawn, share)
        return Fault(
            where + ".length" * said,
            f"is {drawn.said:g}, and the nose is drawn {between}",
            f"Give length = {fitting:.4g}, draw it so, or leave the length to the drawing",
        )
    ends = [drawn.rear, *behind]
    if min(abs(share * drawn.said - end) for end in ends) <= WITHIN * drawn.said:
        return None
    return Fault(
        where,
        f"has its root {share * drawn.said:.4g} {units} behind the hinge ({share:g} of its length), and "
        f"is drawn to begin {min(ends):.4g} {units} behind it",
        f"Move the hinge to {share:g} of the length from where the beam begins",
    )


def _fitted_length(drawn: Cantilever, share: float) -> float:
    """A length up to the nose, from where the beam begins if its hinge is at its share of that."""
    whole = drawn.rear + drawn.nose
    return whole if abs(share * whole - drawn.rear) <= WITHIN * whole else drawn.nose / (1 - share)


def study_faults(
    uncertain: bool, has_region: bool, search: bool, has_goal: bool, has_variables: bool
) -> Iterator[Fault]:
    """What a study asks for without saying enough."""
    if uncertain and not has_region:
        cure = (
            "Give region = [[-1, 0], [1, 0]], offsets of the start, or radius = 1 "
            "(--region X,Y for each corner, --radius LENGTH)"
        )
        yield Fault("study.uncertain", "has no region of starts", cure)
    if search and not has_goal:
        cure = "Give goal = { insert_below = 10, hold_above = 20 } (--insert-below FORCE, --hold-above FORCE)"
        yield Fault("study.search", "has no goal", cure)
    if search and not has_variables:
        yield Fault("study.search", "has nothing to vary", "Add [[variables]] to the model")
