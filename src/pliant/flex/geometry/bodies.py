"""The rigid bodies of a model: which bodies of the file each has, and what a clearance leaves of them.

Bodies that move as one are one rigid body, as long as they meet the same others. A pin puts the
two that it joins into different layers, and so does the key `layer`; a member of a weld that is
pinned to somebody does not meet them, while the other members do. So members in different layers
are bodies of their own, tied to each other.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.errors import Fault, InputError
from pliant.core.outline import Rings, open_ring
from pliant.core.pose import carry, uncarry
from pliant.flex.geometry.solid import Solid, share, solid
from pliant.flex.model import Assembly, Body, Compound, Region, RigidGroups, rigid_groups

Key = str | int  # of bodies of the same shape


@dataclass(frozen=True)
class RigidBody:
    """Bodies of the file that are one; all in the own frame of the first body of their group."""

    members: tuple[int, ...]
    group: int
    held: bool
    drawn: Floats  # (3,) that frame
    frames: Floats  # (K, 3) of the members
    rings: Rings
    shares: tuple[Rings, ...]  # of each member
    key: Key


def rigid_bodies(model: Assembly) -> list[RigidBody]:
    """Every rigid body, in the order of their first members, or an InputError that names what is lost."""
    rigid = rigid_groups(model)
    solids = _solids(model, rigid, model.clearance)
    if faults := list(dict.fromkeys(_fault(model, place) for place in _broken_members(model, rigid, solids))):
        raise InputError(faults)
    bodies: list[RigidBody] = []
    for number, (group, held) in enumerate(zip(rigid.groups, rigid.held, strict=True)):
        key = _key(model, group)
        made, frames, drawn = solids[key], _frames(model, group), np.array(model.bodies[group[0]].pose)
        for layer in _layers(model, group):
            whole = len(layer) == len(group)
            members, shares = tuple(group[k] for k in layer), tuple(made.shares[k] for k in layer)
            rings = made.rings if whole else shares[0] if len(layer) == 1 else share(made.rings, shares)
            own = key if whole else members[0]
            bodies.append(RigidBody(members, number, held, drawn, frames[list(layer)], rings, shares, own))
    return sorted(bodies, key=lambda body: body.members[0])


def broken_bodies(model: Assembly, clearance: float) -> tuple[str, ...]:
    """The bodies of which a clearance leaves several pieces, or nothing."""
    rigid = rigid_groups(model)
    lost = _broken_members(model, rigid, _solids(model, rigid, clearance))
    return tuple(model.bodies[place].name for place in lost)


def _key(model: Assembly, group: tuple[int, ...]) -> Key:
    """The same for bodies that share a shape, and a clearance."""
    body = model.bodies[group[0]]
    shared = body.shape is not None and body.clearance is None and len(group) == 1
    return body.shape if shared and body.shape is not None else group[0]


def _broken_members(model: Assembly, rigid: RigidGroups, solids: dict[Key, Solid]) -> list[int]:
    return sorted(group[k] for group in rigid.groups for k in solids[_key(model, group)].lost)


def _solids(model: Assembly, rigid: RigidGroups, clearance: float) -> dict[Key, Solid]:
    """What a clearance leaves of each group, those of a shared shape once."""
    groups = {_key(model, group): group for group in reversed(rigid.groups)}
    return {key: _solid(model, group, clearance) for key, group in groups.items()}


def _solid(model: Assembly, group: tuple[int, ...], clearance: float) -> Solid:
    frames = _frames(model, group)
    members = [
        [
            tuple(carry(frame, ring) for ring in piece) if place else piece
            for piece in body_pieces(model, body)
        ]
        for place, (frame, body) in enumerate(zip(frames, (model.bodies[m] for m in group), strict=True))
    ]
    own = model.bodies[group[0]].clearance
    return solid(members, (clearance if own is None else own) / 2)


def _frames(model: Assembly, group: tuple[int, ...]) -> Floats:
    """The frames (K, 3) of the members of a group, in that of the first."""
    if len(group) == 1:
        return np.zeros((1, 3))
    poses = np.array([model.bodies[member].pose for member in group])
    return np.concatenate([uncarry(poses[:1], poses[:, :2]), poses[:, 2:] - poses[0, 2]], axis=1)


def _layers(model: Assembly, group: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The members of a group, by their places in it, of one layer and pinned to the same others."""
    if len(group) == 1:
        return [(0,)]
    inside = {model.bodies[member].name for member in group}
    others: defaultdict[str, set[str]] = defaultdict(set)
    for pin in model.pins:
        if len(inside.intersection(pin.bodies)) == 1:
            for name, other in (pin.bodies, pin.bodies[::-1]):
                others[name].add(other)
    layers: defaultdict[tuple[int, frozenset[str]], list[int]] = defaultdict(list)
    for place, member in enumerate(group):
        body = model.bodies[member]
        layers[body.layer, frozenset(others[body.name])].append(place)
    return [tuple(layer) for layer in layers.values()]


def body_pieces(model: Assembly, body: Body) -> list[Rings]:
    """The outlines of a body with their holes, in its own frame."""
    shape = model.shapes[body.shape] if body.shape is not None else body
    if isinstance(shape, Body | Compound) and shape.outlines:
        return [_piece(piece) for piece in shape.outlines]
    if isinstance(shape, Body | Region):
        return [tuple(open_ring(ring) for ring in (shape.outline or (), *shape.holes))]
    return [] if isinstance(shape, Compound) else [_piece(shape)]


def _piece(piece: Region | tuple[tuple[float, float], ...]) -> Rings:
    rings = (piece.outline, *piece.holes) if isinstance(piece, Region) else (piece,)
    return tuple(open_ring(ring) for ring in rings)


def _fault(model: Assembly, place: int) -> Fault:
    body = model.bodies[place]
    key = "outlines" if body.outlines else "outline"
    where = f"shapes.{body.shape}" if body.shape else f"bodies[{place}].{key}"
    clearance = model.clearance if body.clearance is None else body.clearance
    problem = f"a clearance of {clearance:g} leaves no single piece of it"
    return Fault(where, problem, "Make the clearance smaller or the part thicker", (body.name,))
