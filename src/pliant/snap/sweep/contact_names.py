"""Contacts by the names and numbers of the model's file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pliant.snap.arithmetic.protocol import SlicePoint
from pliant.snap.faults import ROOT
from pliant.snap.geometry.contact_curves import contact_curve
from pliant.snap.geometry.features import VERTEX, FeaturePair
from pliant.snap.geometry.outlines import Face, normal_outline
from pliant.snap.geometry.pawl_scene import Scene
from pliant.snap.model import Fastener


@dataclass(frozen=True)
class NamedContact:
    """A vertex on an edge: which part has which, by the numbers of its outline's vertices, from 0."""

    vertex_of: str
    vertex: int
    edge_of: str
    edge: tuple[int, int]

    def __str__(self) -> str:
        first, second = self.edge
        return f"vertex {self.vertex} of {self.vertex_of} on edge {first}-{second} of {self.edge_of}"


def named_contacts(
    model: Fastener, scene: Scene, who: str, point: SlicePoint, pairs: Iterable[FeaturePair]
) -> tuple[NamedContact, ...]:
    """The contacts of a pawl, or the root, at a point, as the file's author knows them."""
    drawn, fixed = _drawn_vertices(model, who), scene.obstacles
    named: list[NamedContact] = []
    for pair in pairs:
        kind, i, j = pair
        if kind == VERTEX:
            face = _face(scene, point, pair)
            named.append(NamedContact(who, drawn[i], model.label(face.owner), (face.first, face.second)))
        else:
            obstacle, edge = model.label(fixed.owner[j]), (drawn[i], drawn[(i + 1) % len(drawn)])
            named.append(NamedContact(obstacle, fixed.drawn[j], who, edge))
    return tuple(named)


def _face(scene: Scene, point: SlicePoint, pair: FeaturePair) -> Face:
    """The drawn edge that a vertex is on, where an edge of united obstacles lies on several."""
    faces = scene.obstacles.faces[pair[2]]
    if len(faces) == 1:
        return faces[0]
    here, poly = contact_curve(scene, pair, point.turn), scene.arithmetic.poly

    def begun(face: Face) -> bool:  # λ t + ρ is not below its share of the edge, ρ + beyond
        part, whole = face.begins.numerator, face.begins.denominator
        past = here.rho * poly([whole - part]) - here.beyond * poly([part])
        return point.sign(here.lam * poly([whole]), past) >= 0

    return next(filter(begun, reversed(faces)), faces[0])


def _drawn_vertices(model: Fastener, who: str) -> tuple[int, ...]:
    """Which vertices of an outline the sweep's are."""
    if who == ROOT and model.root.outline is not None:
        return normal_outline(model.root.outline).drawn
    pawl = next(pawl for pawl in model.pawls if pawl.name == who)
    return normal_outline(model.outline_at_rest(pawl)).drawn
