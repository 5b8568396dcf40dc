"""Contacts by the names and numbers of the model's file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pliant.snap.model import Fastener
from pliant.snap.scan import VERTEX
from pliant.snap.scene import Obstacles, Pair, ring
from pliant.snap.travel import ROOT, turned_outline


@dataclass(frozen=True)
class Contact:
    """A vertex on an edge: which part has which, by the numbers of its outline's vertices, from 0."""

    vertex_of: str
    vertex: int
    edge_of: str
    edge: tuple[int, int]

    def __str__(self) -> str:
        first, second = self.edge
        return f"vertex {self.vertex} of {self.vertex_of} on edge {first}-{second} of {self.edge_of}"


def contacts(model: Fastener, fixed: Obstacles, who: str, pairs: Iterable[Pair]) -> tuple[Contact, ...]:
    """The contacts of a pawl, or the root, as the file's author knows them."""
    drawn = _drawn(model, who)
    found: list[Contact] = []
    for kind, i, j in pairs:
        obstacle = model.label(fixed.owner[j])
        if kind == VERTEX:
            edge = fixed.drawn[j], fixed.drawn[fixed.following[j]]
            found.append(Contact(who, drawn[i], obstacle, edge))
        else:
            found.append(Contact(obstacle, fixed.drawn[j], who, (drawn[i], drawn[(i + 1) % len(drawn)])))
    return tuple(found)


def _drawn(model: Fastener, who: str) -> tuple[int, ...]:
    """Which vertices of an outline the sweep's are."""
    if who == ROOT and model.root.outline is not None:
        return ring(model.root.outline).drawn
    pawl = next(pawl for pawl in model.pawls if pawl.name == who)
    return ring(turned_outline(model, pawl)).drawn
