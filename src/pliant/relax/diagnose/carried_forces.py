"""What elements carry along the drive, and what the ground and guides answer with.

Forces are positive where an element pulls its nodes together. Torques turn the second arm or wheel, positive
counter-clockwise in the plane, right-handed about the axis in space. Reactions are forces on the mechanism.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from pliant.core.arrays import Bools, Floats
from pliant.relax.mechanics.fields import field_forces
from pliant.relax.mechanics.gradients import Jacobian, jacobian_at
from pliant.relax.model import Mechanism
from pliant.relax.network.elements import FREE
from pliant.relax.network.network import Network
from pliant.relax.solvers.record import Frame

RANK = 1e-9  # of the largest singular value: rails that repeat each other carry as little as they can
BETWEEN = ("bar ", "actuator ", "spring ", "string ", "bumper ")  # elements with one force


@dataclass(frozen=True)
class CarriedForce:
    """Force (N, positive in tension) or torque of one element along the drive (F,)."""

    name: str
    values: Floats  # (F,) N, positive pulls; of rotors and gears N times the length unit
    torque: bool = False


def forces(model: Mechanism, net: Network, frames: tuple[Frame, ...]) -> tuple[CarriedForce, ...]:
    """Forces of links and contacts and torques of couplings along the drive; links of plates are left out."""
    links = np.stack([frame.elongations.link_forces for frame in frames])
    couplings = np.stack([frame.elongations.coupling_forces for frame in frames])
    rails = np.stack([frame.elongations.rail_forces for frame in frames])
    carried = [
        CarriedForce(name, links[:, at])
        for at, name in enumerate(net.link_names)
        if name.startswith(BETWEEN) and not net.hidden[at] and _is_single_link(net, at)
    ]
    for at, (name, arm) in enumerate(zip(net.coupling_names, _arms(net), strict=True)):
        if name.startswith(("rotor ", "gear ")):
            # The coupling pulls its measure back, arm times the angle: what drives it turns the other way.
            carried.append(CarriedForce(name, -arm * couplings[:, at], torque=True))
        elif name.startswith(("cylinder ", "wrap ")):
            carried.append(CarriedForce(name, couplings[:, at]))
    carried += [CarriedForce(name, rails[:, at]) for at, name in enumerate(net.rail_names)]
    return tuple(_number_names([*carried, *_contact_forces(net, frames)]))


def _contact_forces(net: Network, frames: tuple[Frame, ...]) -> Iterator[CarriedForce]:
    """What each pair that ever touches is pressed with, 0 while it does not."""
    presses = np.zeros((len(frames), len(net.parts.touch.radius)))
    for row, frame in zip(presses, frames, strict=True):
        row[frame.elongations.touching] = frame.elongations.touch_forces
    for pair in np.flatnonzero(presses.any(axis=0)).tolist():
        yield CarriedForce(net.touch_name(pair), presses[:, pair])


def _is_single_link(net: Network, at: int) -> bool:
    """Whether a link stands for a whole element, not for a piece of a bar with nodes on it."""
    return sum(name == net.link_names[at] for name in net.coupling_names) == 0 and bool(
        (net.parts.links.ends[at] < net.shown).all()
    )


def _arms(net: Network) -> Floats:
    """Lever arm of the first measure of each coupling (C,), by which an angle became a length."""
    return net.parts.couplings.factors[net.parts.couplings.firsts[:-1]]


def _number_names(carried: list[CarriedForce]) -> Iterator[CarriedForce]:
    """Names made distinct: a repeated one gets a number."""
    seen: dict[str, int] = {}
    for one in carried:
        count = seen[one.name] = seen.get(one.name, 0) + 1
        yield one if count == 1 else replace(one, name=f"{one.name} ({count})")


def reactions(model: Mechanism, net: Network, frames: tuple[Frame, ...]) -> dict[str, Floats]:
    """Reaction at each grounded or guided node (F, D), as the force on the mechanism (N).

    What nodes on the ground weigh themselves is not the mechanism's.
    """
    held = [node for node in np.flatnonzero(net.parts.guides.kinds != FREE).tolist() if node < net.shown]
    loose = _free_network(net)
    moves = net.free
    balanced = net.parts.guides.kinds == FREE
    pulled = np.stack([_nodal_forces(loose, frame, moves, balanced) for frame in frames])
    if model.gravity is not None:
        pulled[:, ~moves] -= net.parts.fields.masses[~moves, None] * np.array(model.gravity)
    return {net.names[node]: -pulled[:, node] for node in held}


def _free_network(net: Network) -> Network:
    """The network with every node free and every link counted, so that J has all columns."""
    guides = net.parts.guides._replace(kinds=np.full(len(net.drawn), FREE))
    return replace(
        net,
        parts=net.parts._replace(guides=guides),
        rigid=np.ones_like(net.rigid),
        couplings_hold=np.ones_like(net.couplings_hold),
    )


def _nodal_forces(net: Network, frame: Frame, moves: Bools, balanced: Bools) -> Floats:
    """Force of loads, fields and elements on each node (N, D), ground and guides left out."""
    elongations, x = frame.elongations, frame.x
    total = net.drive.at(frame.share)[2].copy()
    for away, across, _ in field_forces(net.parts.fields, x):
        total += (moves * across)[:, None] * away
    rows = jacobian_at(net, x, elongations)
    presses = np.zeros(len(net.parts.touch.radius))
    presses[elongations.touching] = elongations.touch_forces
    none = np.zeros(len(elongations.rail_forces))
    known = np.concatenate([elongations.link_forces, elongations.coupling_forces, none, presses])
    total -= rows.spread((rows.matrix.T @ known[rows.owners])[:, None])[0]
    if frame.rubs is not None:
        total += frame.rubs
    first = len(known) - len(none) - len(presses)
    rails = (rows.owners >= first) & (rows.owners < first + len(none))
    return total - _rail_pulls(rows, rails, total, balanced) if rails.any() else total


def _rail_pulls(rows: Jacobian, rails: Bools, others: Floats, balanced: Bools) -> Floats:
    """Force of rails on each node (N, D), by the balance of the nodes that nothing else holds.

    A rail carries force either way across it, and how much alone is known of it.
    """
    ways = rows.spread(rows.matrix[rails].T.toarray())  # (R, N, D)
    across = ways[:, balanced].reshape(len(ways), -1).T
    forces = np.linalg.lstsq(across, others[balanced].ravel(), rcond=RANK)[0]
    return np.einsum("r,rnd->nd", forces, ways)
