"""A machine that evolves: points, bars and actuators; and many of them as one batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pliant.core.arrays import Floats
from pliant.relax.machines.population import Machines, drawn_lengths, machines

NodePair = tuple[int, int]

DIGITS = 6  # after the point, of what is written down


@dataclass(frozen=True)
class ActuatorGene:
    """A link whose length goes through multiples of its drawn length, at equal steps of the drive."""

    nodes: NodePair
    to: tuple[float, ...]


@dataclass(frozen=True)
class MachineDesign:
    """A machine in the plane. The first `grounded` nodes are held, and the last one is traced."""

    nodes: tuple[complex, ...]
    grounded: int
    bars: tuple[NodePair, ...]
    actuators: tuple[ActuatorGene, ...]

    @property
    def links(self) -> tuple[NodePair, ...]:
        """Bars, then actuators."""
        return self.bars + tuple(actuator.nodes for actuator in self.actuators)

    @property
    def size(self) -> float:
        """The longer side of its drawing."""
        x, y = [node.real for node in self.nodes], [node.imag for node in self.nodes]
        return max(max(x) - min(x), max(y) - min(y))

    def length(self, pair: NodePair) -> float:
        """The distance of two nodes as drawn."""
        return abs(self.nodes[pair[1]] - self.nodes[pair[0]])


def round_design(design: MachineDesign) -> MachineDesign:
    """A design whose coordinates and lengths of actuators have six digits after the point."""
    nodes = tuple(complex(round(node.real, DIGITS), round(node.imag, DIGITS)) for node in design.nodes)
    placed = replace(design, nodes=nodes)

    def fitted(one: ActuatorGene) -> ActuatorGene:
        length = placed.length(one.nodes)
        return replace(one, to=tuple(round(part * length, DIGITS) / length for part in one.to))

    return replace(placed, actuators=tuple(fitted(one) for one in design.actuators))


def batch(designs: Sequence[MachineDesign], weight: float = 0.0) -> Machines:
    """Designs as machines, filled up with nodes and links that do nothing; every node has this weight.

    Targets are twice the drawn lengths, so that a share of the drive is an elongation: see `drives`.
    """
    nodes = max(len(design.nodes) for design in designs)
    links = max(len(design.links) for design in designs)
    drawn, free = np.zeros((len(designs), nodes, 2)), np.zeros((len(designs), nodes), np.bool_)
    ends, stiffness = np.zeros((len(designs), links, 2), np.int64), np.zeros((len(designs), links))
    for m, design in enumerate(designs):
        count = len(design.nodes)
        drawn[m] = design.nodes[0].real, design.nodes[0].imag
        drawn[m, :count] = [(node.real, node.imag) for node in design.nodes]
        free[m, design.grounded : count] = True
        ends[m, : len(design.links)] = design.links
        stiffness[m, : len(design.links)] = 1.0
    twice = 2.0 * drawn_lengths(drawn, ends)
    return machines(drawn, ends, target=twice, stiffness=stiffness, free=free, load=(0.0, -weight))


def drives(designs: Sequence[MachineDesign], steps: int, cycles: int = 1) -> Floats:
    """Elongations (M, C, L) of every link over the cycles, each waypoint reached in `steps` equal steps."""
    links = max(len(design.links) for design in designs)
    waypoints = max(len(actuator.to) for design in designs for actuator in design.actuators)
    shares = np.zeros((len(designs), waypoints * cycles * steps, links))
    at = np.arange(1, shares.shape[1] + 1) / steps
    for m, design in enumerate(designs):
        for n, actuator in enumerate(design.actuators, len(design.bars)):
            path = np.array([1.0, *actuator.to * cycles]) - 1.0
            shares[m, :, n] = np.interp(at, np.arange(len(path)), path)
    return shares
