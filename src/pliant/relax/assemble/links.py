"""Elements between two nodes: bars, actuators, springs, strings and bumpers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pliant.relax.assemble.rows import DriveValues, Layout, LinkRow, path
from pliant.relax.model import Actuator, Bar, Bumper, Mechanism, Spring, String
from pliant.relax.network.laws import BAR, BUMPER, STRING

BAND = 1e-4  # of its length, over which a string tightens
SAME = 1e-12  # share of a length by which two links may differ and be one


def bar_stiffness(bar: Bar, length: float) -> float | None:
    """Stiffness of a bar, as given or E A / l; None where it is rigid.

    Source: [Lipson2006] eq. 1.
    """
    if bar.modulus is None or bar.area is None:
        return bar.stiffness
    return bar.modulus * bar.area / length


def links(model: Mechanism, layout: Layout) -> Iterator[LinkRow]:
    """Rows of all elements between two nodes; bars with nodes on them are bodies."""
    yield from (_bar(bar, layout) for bar in model.bars if len(bar.nodes) == 2)
    yield from (_actuator(actuator, layout) for actuator in model.actuators)
    yield from (_spring(spring, layout) for spring in model.springs)
    yield from (_string(string, layout) for string in model.strings)
    yield from (_bumper(bumper, layout) for bumper in model.bumpers)


def _bar(bar: Bar, layout: Layout) -> LinkRow:
    length = layout.distance(*bar.nodes) if bar.length is None else bar.length
    return _link("bar", bar.nodes, layout, (length,), bar_stiffness(bar, length))


def _actuator(actuator: Actuator, layout: Layout) -> LinkRow:
    rest = path(_length(actuator, layout), actuator.to)
    return _link("actuator", actuator.nodes, layout, rest, actuator.stiffness)


def _spring(spring: Spring, layout: Layout) -> LinkRow:
    return _link("spring", spring.nodes, layout, path(_length(spring, layout), spring.to), spring.stiffness)


def _string(string: String, layout: Layout) -> LinkRow:
    rest = path(_length(string, layout), string.to)
    return _link("string", string.nodes, layout, rest, string.stiffness, STRING, string.band)


def _bumper(bumper: Bumper, layout: Layout) -> LinkRow:
    return _link("bumper", bumper.nodes, layout, (bumper.length,), bumper.stiffness, BUMPER, bumper.band)


def _length(element: Actuator | Spring | String, layout: Layout) -> float:
    return layout.distance(*element.nodes) if element.length is None else element.length


def _link(
    kind: str,
    nodes: tuple[str, ...],
    layout: Layout,
    rest: DriveValues,
    stiffness: float | None,
    law: int = BAR,
    band: float | None = None,
) -> LinkRow:
    """Row of one link: elastic with a stiffness of its own, else rigid."""
    first, second = nodes
    return LinkRow(
        f"{kind} {first}-{second}",
        (layout.number[first], layout.number[second]),
        rest,
        layout.stiffness if stiffness is None else stiffness,
        law,
        0.0 if law == BAR else BAND * rest[0] if band is None else band,
        stiffness is None,
    )


def merge_links(links: Iterable[LinkRow]) -> list[LinkRow]:
    """Links without exact repeats of a pair and its length.

    Plates that share an edge, and welds across bars, would else have a row twice. Two lengths
    for one pair of nodes are both kept: they contradict, which is a finding.
    """
    kept: list[LinkRow] = []
    lengths: dict[tuple[int, int], list[float]] = {}
    for link in links:
        if link.rigid and link.law == BAR and len(link.rest) == 1:
            (length,), (a, b) = link.rest, link.ends
            known = lengths.setdefault((a, b) if a < b else (b, a), [])
            if any(abs(length - other) <= SAME * length for other in known):
                continue
            known.append(length)
        kept.append(link)
    return kept
