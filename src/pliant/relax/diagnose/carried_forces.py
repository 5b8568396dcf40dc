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
from pliant.relax.mechanics.gradients import jacobian_at
from pliant.relax.model import Mechanism
from pliant.relax.network.network import FREE, Network
from pliant.relax.solvers.record import Frame

BETWEEN = ("bar ", "actuator ", "spring ", "string ", "bumper ")  # elements with one force


@dataclass(frozen=True)
class CarriedForce:
    """The force or torque of an element along the drive."""

    name: str
    values: Floats  # (F,) N, positive pulls; of rotors and gears N times the length unit
    torque: bool = False


def forces(model: Mechanism, net: Network, frames: tuple[Frame, ...]) -> tuple[CarriedForce, ...]:
    """Of everything between two nodes, of rotors, gears, circuits and sliders; not inside rigid bodies."""
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
    return tuple(_number_names(carried))


def _is_single_link(net: Network, at: int) -> bool:
    """Whether a link is an element of its own, not one of a bar with nodes between its ends."""
    return sum(name == net.link_names[at] for name in net.coupling_names) == 0 and bool(
        (net.parts.links.ends[at] < net.shown).all()
    )


def _arms(net: Network) -> Floats:
    """(C,) the weight of the first measure of each coupling: of an angle, its arm."""
    return net.parts.couplings.factors[net.parts.couplings.firsts[:-1]]


def _number_names(carried: list[CarriedForce]) -> Iterator[CarriedForce]:
    """The same with a number behind names that come again."""
    seen: dict[str, int] = {}
    for one in carried:
        count = seen[one.name] = seen.get(one.name, 0) + 1
        yield one if count == 1 else replace(one, name=f"{one.name} ({count})")


def reactions(model: Mechanism, net: Network, frames: tuple[Frame, ...]) -> dict[str, Floats]:
    """(F, D) what holds each node that is grounded or guided, as a force on the mechanism.

    What nodes on the ground weigh themselves is not the mechanism's.
    """
    held = [node for node in np.flatnonzero(net.parts.guides.kinds != FREE).tolist() if node < net.shown]
    loose = _free_network(net)
    moves = net.free
    pulled = np.stack([_nodal_forces(loose, frame, moves) for frame in frames])
    if model.gravity is not None:
        pulled[:, ~moves] -= net.parts.fields.masses[~moves, None] * np.array(model.gravity)
    return {net.names[node]: -pulled[:, node] for node in held}


def _free_network(net: Network) -> Network:
    """The same network with every node free and every link of account, for its slopes."""
    guides = net.parts.guides._replace(kinds=np.full(len(net.drawn), FREE))
    return replace(
        net,
        parts=net.parts._replace(guides=guides),
        rigid=np.ones_like(net.rigid),
        couplings_hold=np.ones_like(net.couplings_hold),
    )


def _nodal_forces(net: Network, frame: Frame, moves: Bools) -> Floats:
    """(N, D) what loads, fields and elements do to each node."""
    elongations, x = frame.elongations, frame.x
    total = net.drive.at(frame.share)[2].copy()
    for away, across, _ in field_forces(net.parts.fields, x):
        total += (moves * across)[:, None] * away
    rows = jacobian_at(net, x, elongations)
    known = np.concatenate([elongations.link_forces, elongations.coupling_forces])
    inner = rows.owners < len(known)
    carried = rows.stiffness * rows.over
    carried[inner] = known[rows.owners[inner]]
    return total - rows.spread((rows.matrix.T @ carried)[:, None])[0]
