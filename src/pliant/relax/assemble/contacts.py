"""Every pair of segments that may touch."""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Bools, Floats, Ints
from pliant.core.errors import Fault, InputError
from pliant.relax.assemble.rows import Layout
from pliant.relax.mechanics.segment_contact import contact_normals
from pliant.relax.model import Contact, Mechanism
from pliant.relax.network.elements import Contacts

MOST = 20_000_000  # pairs; they take 2 GB
THIN = 0.01  # of the drawing: a smaller radius needs a stiffer contact, or a force would press it through


def touches(model: Mechanism, layout: Layout) -> tuple[Contacts, Bools]:
    """Pairs of every contact with the side they are drawn on, and which of them are rigid (T,)."""
    pairs = [_pairs(contact, layout, f"contacts[{index}]") for index, contact in enumerate(model.contacts)]
    counts = [len(ends) for ends in pairs]
    ends = np.concatenate([np.zeros((0, 4), np.int64), *pairs])
    radius = _each([contact.radius for contact in model.contacts], counts)
    size = float(np.ptp(layout.drawn, axis=0).max())
    soft = [
        contact.stiffness or layout.stiffness * max(1.0, THIN * size / contact.radius)
        for contact in model.contacts
    ]
    holds = np.repeat(np.array([contact.stiffness is None for contact in model.contacts], np.bool_), counts)
    friction = [contact.friction for contact in model.contacts]
    side = _sides(layout.drawn, ends, radius)
    return Contacts(ends, radius, _each(soft, counts), _each(friction, counts), side), holds


def _pairs(contact: Contact, layout: Layout, where: str) -> Ints:
    """Node numbers (T, 4) of colliding segments, without those that share a node."""
    members = np.array([layout.numbers(member) for member in contact.members])
    if contact.against is None:
        _refuse_too_many(len(members) * (len(members) - 1) // 2, where)
        first, second = np.triu_indices(len(members), 1)
        others = members
    else:
        others = np.array([layout.numbers(member) for member in contact.against])
        _refuse_too_many(len(members) * len(others), where)
        first, second = (index.ravel() for index in np.indices((len(members), len(others))))
    ends = np.hstack([members[first], others[second]])
    shared = (ends[:, :2, None] == ends[:, None, 2:]).any(axis=(1, 2))
    return ends[~shared]


def _refuse_too_many(count: int, where: str) -> None:
    if count > MOST:
        problem = f"its members make {count:,} pairs, and {MOST:,} is the most"
        raise InputError([Fault(where, problem, "Name fewer members, or split it with `against`")])


def _each(values: list[float], counts: list[int]) -> Floats:
    return np.repeat(np.array(values, np.float64), counts)


def _sides(drawn: Floats, ends: Ints, radius: Floats) -> Floats:
    return contact_normals(drawn, ends, radius) if len(ends) else np.zeros((0, drawn.shape[1]))
