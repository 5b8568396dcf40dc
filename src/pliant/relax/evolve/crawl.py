"""Evolve a machine of bars and actuators that crawls along a floor.

Source: [Lipson2006] "Evolutionary Robotics"; Table 2, "Static Friction" and "Gravity".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.progress import Interrupted, Progress, silent
from pliant.relax.evolve import mutations as m
from pliant.relax.evolve.design import ActuatorGene, MachineDesign, batch, drives, round_design
from pliant.relax.evolve.firmness import firmness
from pliant.relax.evolve.islands import evolve, simplify_best
from pliant.relax.evolve.result import Evolved
from pliant.relax.machines import batch as relaxation
from pliant.relax.machines.population import Floor
from pliant.relax.status import EvolveStatus

WEIGHT = 1e-3  # of a node, over the stiffness: bars give by some thousandths, and what is lifted falls soon
WAYPOINTS = 6
CYCLES = 3  # that are scored, the first of which is to find its feet
FIRM = 0.1  # firmness below which a machine counts less
HELD = 0.03  # of the size, that a length may be off
ETA = 1.0  # no inertia: what coasts would slip on through the cone
FINALISTS = 8  # of which the best is found with small steps


class CrawlTrial(NamedTuple):
    """A floor, and how carefully a machine is run on it."""

    friction: float
    steps: int  # from waypoint to waypoint
    iterations: int  # at each step


# The worst counts: what crawls on one floor only, or at one size of step, does so by accident.
QUICK = CrawlTrial(0.5, 4, 80), CrawlTrial(0.9, 7, 120)
FINE = CrawlTrial(0.5, 20, 300), CrawlTrial(0.7, 5, 1200), CrawlTrial(0.9, 20, 300)
NORMAL = CrawlTrial(0.7, 20, 600)

CHANGES: Mapping[m.Mutation, float] = MappingProxyType(
    {
        m.move_a_node: 4.0,
        m.move_all: 2.0,
        m.add_node: 0.7,
        m.drop_node: 0.5,
        m.swap_bar: 0.4,
        m.add_bar: 0.2,
        m.drop_bar: 0.2,
        m.retime: 6.0,
        m.move_actuator: 1.0,
        m.add_actuator: 0.3,
        m.drop_actuator: 0.2,
    }
)


class CrawlMeasures(NamedTuple):
    """What machines do on the floor."""

    travel: Floats  # (M,) how far their middles get after the first cycle
    size: Floats  # (M,) the longest side of any of their poses
    error: Floats  # (M,) the worst length error at any step, over the size
    firmness: Floats  # (M,) the least of those in the last cycle


def crawler(
    seed: int = 0,
    generations: int = 80,
    population: int = 96,
    *,
    cycles: int = 10,
    checkpoint: str | Path | None = None,
    progress: Progress = silent,
) -> Evolved:
    """The machine that gets farthest in a number of cycles, to the right; the same seed finds the same.

    Args:
        seed: of all that is random.
        generations: how often the best are changed.
        population: machines in each generation.
        cycles: of the drive, in which the way is measured.
        checkpoint: a file to go on from, and to keep the search in.
        progress: called after each generation.

    Returns:
        The best machine and the history of the search.

    Raises:
        Interrupted: Ctrl-C; its `result` is the best so far.
    """
    went = evolve(
        score, _start, CHANGES, seed=seed, generations=generations, population=population, progress=progress,
        checkpoint=checkpoint, goal="crawler",
    )  # fmt: skip
    finalists = [
        round_design(put_on_floor(design)) for design in went.designs[: 1 if went.stopped else FINALISTS]
    ]
    best = finalists[0] if went.stopped else simplify_best(finalists, lambda some: _score(some, FINE, cycles))
    if crawl_measures([best], NORMAL, cycles).travel[0] < 0.0:
        best = replace(best, nodes=tuple(-node.conjugate() for node in best.nodes))
    figures = {
        key: float(value[0]) for key, value in crawl_measures([best], NORMAL, cycles)._asdict().items()
    }
    evolved = Evolved(best, cycles, figures, went.history, seed, NORMAL.friction, WEIGHT)
    if went.stopped:
        raise Interrupted(replace(evolved, status=EvolveStatus.STOPPED))
    return evolved


def score(designs: Sequence[MachineDesign]) -> Floats:
    """Its own lengths that a machine gets on in a cycle (M,), less for a loose one; 0 if a length gives."""
    return _score([put_on_floor(design) for design in designs], QUICK, CYCLES)


def put_on_floor(design: MachineDesign) -> MachineDesign:
    """A design put on the floor."""
    low = min(node.imag for node in design.nodes)
    return replace(design, nodes=tuple(node - 1j * low for node in design.nodes))


def crawl_measures(designs: Sequence[MachineDesign], trial: CrawlTrial, cycles: int) -> CrawlMeasures:
    """Run machines on a floor."""
    made = batch(designs, WEIGHT)
    settled = relaxation.relax(
        made,
        trial.iterations,
        drive=drives(designs, trial.steps, cycles),
        eta=ETA,
        floor=Floor(trial.friction),
        trace=range(made.drawn.shape[1]),
    )
    share = made.free / made.free.sum(axis=1, keepdims=True)
    middle = np.einsum("mcj,mj->mc", settled.trace[..., 0], share)
    cycle = middle.shape[1] // cycles
    last = settled.trace[:, -cycle :: trial.steps]  # (M, WAYPOINTS, J, 2)
    size = np.ptp(last, axis=2).max(axis=(1, 2)) + 1e-300
    return CrawlMeasures(
        travel=middle[:, -1] - middle[:, cycle - 1],
        size=size,
        error=settled.errors.max(axis=1) / size,
        firmness=np.min([firmness(made, last[:, c], freedoms=3) for c in range(last.shape[1])], axis=0),
    )


def _score(designs: Sequence[MachineDesign], trials: Sequence[CrawlTrial], cycles: int) -> Floats:
    went = [crawl_measures(designs, trial, cycles) for trial in trials]
    sense = np.sign(went[0].travel)
    lengths = [
        np.where(one.error > HELD, 0.0, sense * one.travel / one.size * np.minimum(one.firmness / FIRM, 1.0))
        for one in went
    ]
    return np.maximum(np.min(lengths, axis=0), 0.0) / (cycles - 1)


def _start(rng: m.Rng) -> MachineDesign:
    """A triangle with two to four nodes more, and two or three actuators."""
    top = complex(rng.uniform(0.0, 1.0), rng.uniform(0.3, 1.0))
    driven = ActuatorGene((1, 2), tuple(rng.uniform(0.75, 1.3, WAYPOINTS).tolist()))
    design = MachineDesign((0j, 1 + 0j, top), 0, ((0, 1), (0, 2)), (driven,))
    for _ in range(int(rng.integers(2, 5))):
        design = m.add_node(rng, design)
    for _ in range(int(rng.integers(1, 3))):
        design = m.add_actuator(rng, design)
    return design
