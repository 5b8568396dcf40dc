"""Small changes of a design, each at random: what evolution has to choose from.

A change may spoil a machine: that is for its score to say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pliant.relax.evolve.design import ActuatorGene, MachineDesign, NodePair

FEWEST, MOST = 5, 12  # nodes
DRIVEN = 3  # actuators, at most
FINE, COARSE = -4.0, -0.5  # powers of ten of the size: how far a node is moved
SHORT, LONG = 0.7, 1.4  # of its drawn length: how far an actuator goes

Rng = np.random.Generator
Mutation = Callable[[Rng, MachineDesign], MachineDesign]


def move_a_node(rng: Rng, design: MachineDesign) -> MachineDesign:
    """One node elsewhere, near or far.

    Args:
        rng: a source of random numbers.
        design: the machine, which stays as it is.

    Returns:
        Another design, or the same where it cannot be done.
    """
    nodes = list(design.nodes)
    nodes[int(rng.integers(len(nodes)))] += _random_shift(rng, design)
    return replace(design, nodes=tuple(nodes))


def move_all(rng: Rng, design: MachineDesign) -> MachineDesign:
    """Every node elsewhere.

    Args:
        rng: a source of random numbers.
        design: the machine, which stays as it is.

    Returns:
        Another design, or the same where it cannot be done.
    """
    scale = abs(_random_shift(rng, design))
    return replace(design, nodes=tuple(node + scale * _normal(rng) for node in design.nodes))


def add_node(rng: Rng, design: MachineDesign) -> MachineDesign:
    """One more node, on two bars: as it adds as many freedoms as bars, the machine stays one that moves.

    Args:
        rng: a source of random numbers.
        design: the machine, which stays as it is.

    Returns:
        Another design, or the same where it cannot be done.
    """
    count = len(design.nodes)
    if count >= MOST:
        return move_a_node(rng, design)
    a, b = (int(node) for node in rng.choice(count, 2, replace=False))
    middle = 0.5 * (design.nodes[a] + design.nodes[b])
    node = middle + 0.5 * design.size * _normal(rng)
    return replace(design, nodes=(*design.nodes, node), bars=(*design.bars, (a, count), (b, count)))


def drop_node(rng: Rng, design: MachineDesign) -> MachineDesign:
    """One node less, with its bars.

    Args:
        rng: a source of random numbers.
        design: the machine, which stays as it is.

    Returns:
        Another design, or the same where it cannot be done.
    """
    loose = loose_nodes(design)
    return drop_loose_node(design, loose[int(rng.integers(len(loose)))]) if loose else add_node(rng, design)


def loose_nodes(design: MachineDesign) -> list[int]:
    """Nodes that neither are held nor bear an actuator, unless there are few.

    Args:
        design: the machine.

    Returns:
        Indices of the nodes.
    """
    needed = {node for actuator in design.actuators for node in actuator.nodes}
    count = len(design.nodes)
    return [node for node in range(design.grounded, count) if node not in needed] if count > FEWEST else []


def drop_loose_node(design: MachineDesign, gone: int) -> MachineDesign:
    """A design without a loose node and its bars.

    Args:
        design: the machine.
        gone: index of a loose node.

    Returns:
        The design without it; later nodes move up.
    """
    places = {node: node - (node > gone) for node in range(len(design.nodes))}
    kept = replace(design, bars=tuple(bar for bar in design.bars if gone not in bar))
    return _renumber(kept, design.nodes[:gone] + design.nodes[gone + 1 :], places)


def add_bar(rng: Rng, design: MachineDesign) -> MachineDesign:
    """A bar between two nodes that have none.

    Args:
        rng: a source of random numbers.
        design: the machine, which stays as it is.

    Returns:
        Another design, or the same where it cannot be done.
    """
    count = len(design.nodes)
    linked = {frozenset(link) for link in design.links}
    free = range(design.grounded, count)  # between two held nodes a bar does nothing
    open_pairs = [(a, b) for b in free for a in range(b) if frozenset((a, b)) not in linked]
    if not open_pairs:
        return move_a_node(rng, design)
    return replace(design, bars=(*design.bars, open_pairs[int(rng.integers(len(open_pairs)))]))


def drop_bar(rng: Rng, design: MachineDesign) -> MachineDesign:
    """A bar less.

    Args:
        rng: a source of random numbers.
        design: the machine, which stays as it is.

    Returns:
        Another design, or the same where it cannot be done.
    """
    if not design.bars:
        return add_node(rng, design)
    gone = int(rng.integers(len(design.bars)))
    return replace(design, bars=design.bars[:gone] + design.bars[gone + 1 :])


def swap_bar(rng: Rng, design: MachineDesign) -> MachineDesign:
    """A bar elsewhere.

    Args:
        rng: a source of random numbers.
        design: the machine, which stays as it is.

    Returns:
        Another design, or the same where it cannot be done.
    """
    return add_bar(rng, drop_bar(rng, design))


def retime(rng: Rng, design: MachineDesign) -> MachineDesign:
    """An actuator that goes farther, or less far, at one waypoint or at all.

    Args:
        rng: a source of random numbers.
        design: the machine, which stays as it is.

    Returns:
        Another design, or the same where it cannot be done.
    """
    which = int(rng.integers(len(design.actuators)))
    actuator = design.actuators[which]
    change = 10.0 ** rng.uniform(FINE, COARSE) * rng.standard_normal(len(actuator.to))
    if rng.random() < 0.5:
        change *= np.arange(len(change)) == rng.integers(len(change))
    to = np.clip(np.array(actuator.to) + change, SHORT, LONG)
    return _with_actuator(design, which, replace(actuator, to=tuple(to.tolist())))


def move_actuator(rng: Rng, design: MachineDesign) -> MachineDesign:
    """An actuator that changes places with a bar.

    Args:
        rng: a source of random numbers.
        design: the machine, which stays as it is.

    Returns:
        Another design, or the same where it cannot be done.
    """
    if not design.bars:
        return retime(rng, design)
    which, bar = int(rng.integers(len(design.actuators))), int(rng.integers(len(design.bars)))
    actuator = design.actuators[which]
    bars = (*design.bars[:bar], actuator.nodes, *design.bars[bar + 1 :])
    return _with_actuator(replace(design, bars=bars), which, replace(actuator, nodes=design.bars[bar]))


def add_actuator(rng: Rng, design: MachineDesign) -> MachineDesign:
    """A bar becomes an actuator, with waypoints of its own.

    Args:
        rng: a source of random numbers.
        design: the machine, which stays as it is.

    Returns:
        Another design, or the same where it cannot be done.
    """
    if not design.bars or len(design.actuators) >= DRIVEN:
        return retime(rng, design)
    bar = int(rng.integers(len(design.bars)))
    to = rng.uniform(0.75, 1.3, len(design.actuators[0].to))
    return replace(
        design,
        bars=design.bars[:bar] + design.bars[bar + 1 :],
        actuators=(*design.actuators, ActuatorGene(design.bars[bar], tuple(to.tolist()))),
    )


def drop_actuator(rng: Rng, design: MachineDesign) -> MachineDesign:
    """An actuator becomes a bar, unless it is the only one.

    Args:
        rng: a source of random numbers.
        design: the machine, which stays as it is.

    Returns:
        Another design, or the same where it cannot be done.
    """
    if len(design.actuators) < 2:
        return retime(rng, design)
    which = int(rng.integers(len(design.actuators)))
    return replace(
        design,
        bars=(*design.bars, design.actuators[which].nodes),
        actuators=design.actuators[:which] + design.actuators[which + 1 :],
    )


def trace_another(rng: Rng, design: MachineDesign) -> MachineDesign:
    """The last node changes places with another that is not held.

    Args:
        rng: a source of random numbers.
        design: the machine, which stays as it is.

    Returns:
        Another design, or the same where it cannot be done.
    """
    last, other = len(design.nodes) - 1, int(rng.integers(design.grounded, len(design.nodes)))
    places = {node: node for node in range(last)} | {other: last, last: other}
    nodes = list(design.nodes)
    nodes[other], nodes[last] = nodes[last], nodes[other]
    return _renumber(design, tuple(nodes), places)


def mutate(rng: Rng, design: MachineDesign, changes: Mapping[Mutation, float]) -> MachineDesign:
    """A design after one change, or a few, each as likely as its weight.

    Args:
        rng: a source of random numbers.
        design: the machine, which stays as it is.
        changes: weight of each change.

    Returns:
        Another design.
    """
    options, weights = list(changes), np.array(list(changes.values()))
    for _ in range(1 + rng.poisson(0.3)):
        design = options[int(rng.choice(len(options), p=weights / weights.sum()))](rng, design)
    return design


def cross(rng: Rng, design: MachineDesign, kin: Sequence[MachineDesign]) -> MachineDesign:
    """A design changed by some of what tells two of its kin apart, which have the same links.

    What kin differ in is what may be varied together at little cost: along a narrow ridge of good
    machines these are the steps that stay on it.

    Args:
        rng: a source of random numbers.
        design: the machine, which stays as it is.
        kin: designs with the same links.

    Returns:
        Another design.
    """
    one, other = (kin[int(k)] for k in rng.choice(len(kin), 2, replace=False))
    part = float(rng.uniform(0.3, 1.0))

    def between(values: Sequence[Any]) -> Any:
        return values[0] + part * (values[1] - values[2])

    def timed(same: Sequence[ActuatorGene]) -> ActuatorGene:
        to = between([np.array(each.to) for each in same])
        return replace(same[0], to=tuple(np.clip(to, SHORT, LONG).tolist()))

    three = design, one, other
    return replace(
        design,
        nodes=tuple(between(same) for same in zip(*(each.nodes for each in three), strict=True)),
        actuators=tuple(timed(same) for same in zip(*(each.actuators for each in three), strict=True)),
    )


def _with_actuator(design: MachineDesign, which: int, actuator: ActuatorGene) -> MachineDesign:
    actuators = design.actuators
    return replace(design, actuators=(*actuators[:which], actuator, *actuators[which + 1 :]))


def _renumber(design: MachineDesign, nodes: tuple[complex, ...], places: Mapping[int, int]) -> MachineDesign:
    def moved(pair: NodePair) -> NodePair:
        return places[pair[0]], places[pair[1]]

    return replace(
        design,
        nodes=nodes,
        bars=tuple(moved(bar) for bar in design.bars),
        actuators=tuple(replace(one, nodes=moved(one.nodes)) for one in design.actuators),
    )


def _normal(rng: Rng) -> complex:
    return complex(rng.standard_normal(), rng.standard_normal())


def _random_shift(rng: Rng, design: MachineDesign) -> complex:
    return 10.0 ** float(rng.uniform(FINE, COARSE)) * design.size * _normal(rng)
