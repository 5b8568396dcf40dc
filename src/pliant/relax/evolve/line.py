"""Evolve a linkage with one actuator whose last node goes along a straight line.

Source: [Lipson2006] "Peaucellier Mechanism": the error of a line is the aspect ratio of a tight
box around the trace.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from pliant.core.arrays import Bools, Floats
from pliant.core.progress import Interrupted, Progress, silent
from pliant.relax.evolve import mutations as m
from pliant.relax.evolve.design import ActuatorGene, MachineDesign, batch, drives, round_design
from pliant.relax.evolve.firmness import firmness
from pliant.relax.evolve.islands import evolve, simplify_best
from pliant.relax.evolve.result import Evolved
from pliant.relax.machines import batch as relaxation
from pliant.relax.status import EvolveStatus

STROKE = 0.4  # of the machine's size: as long as the line shall be
FIRM = 0.05  # firmness below which a machine counts less
HELD = 1e-4  # of the size, that a length may be off
ARC = 0.01  # of the stroke: a node that keeps its distance from a held one as well draws an arc
STRAIGHT = 1e-7  # aspect ratio below which all lines are as good
FINALISTS = 8  # of which the best is found with small steps
QUICK, FINE = (24, 150), (200, 500)  # steps of the drive, iterations at each

CHANGES: Mapping[m.Mutation, float] = MappingProxyType(
    {
        m.move_a_node: 6.0,
        m.move_all: 3.0,
        m.add_node: 1.0,
        m.drop_node: 0.7,
        m.swap_bar: 0.4,
        m.add_bar: 0.1,
        m.drop_bar: 0.1,
        m.retime: 2.0,
        m.move_actuator: 0.3,
        m.trace_another: 0.3,
    }
)


class LineMeasures(NamedTuple):
    """What machines draw."""

    aspect: Floats  # (M,) width over length of the box around the trace
    stroke: Floats  # (M,) its length over the machine's size
    error: Floats  # (M,) the worst length error at any step, over the size
    arc: Bools  # (M,)
    firmness: Floats  # (M,) the least of those at the start, midway and at the end


def straight_line(
    seed: int = 0,
    generations: int = 240,
    population: int = 96,
    *,
    checkpoint: str | Path | None = None,
    progress: Progress = silent,
) -> Evolved:
    """The straightest line that a search finds; the same seed finds the same.

    Args:
        seed: of all that is random.
        generations: how often the best are changed.
        population: machines in each generation.
        checkpoint: a file to go on from, and to keep the search in.
        progress: called after each generation.

    Returns:
        The best machine and the history of the search.

    Raises:
        Interrupted: Ctrl-C; its `result` is the best so far.
    """
    went = evolve(
        score, _start, CHANGES, seed=seed, generations=generations, population=population, progress=progress,
        checkpoint=checkpoint, goal="line",
    )  # fmt: skip
    finalists = [round_design(design) for design in went.designs[: 1 if went.stopped else FINALISTS]]
    best = finalists[0] if went.stopped else simplify_best(finalists, lambda some: _score(some, *FINE))
    drawn = line_measures([best], *FINE)
    figures = {
        "aspect": float(drawn.aspect[0]),
        "stroke": float(drawn.stroke[0]),
        "length_error": float(drawn.error[0]),
        "firmness": float(drawn.firmness[0]),
    }
    evolved = Evolved(best, 1, figures, went.history, seed)
    if went.stopped:
        raise Interrupted(replace(evolved, status=EvolveStatus.STOPPED))
    return evolved


def score(designs: Sequence[MachineDesign]) -> Floats:
    """Digits of straightness (M,), less for a short line or a loose machine; 0 if a length gives."""
    return _score(designs, *QUICK)


def line_measures(designs: Sequence[MachineDesign], steps: int, iterations: int) -> LineMeasures:
    """Run machines through their stroke, and measure what their last nodes draw."""
    made = batch(designs)
    count, nodes, _ = made.drawn.shape
    settled = relaxation.relax(made, iterations, drive=drives(designs, steps), trace=range(nodes))
    poses = np.concatenate([made.drawn[:, None], settled.trace], axis=1)  # (M, 1 + C, J, 2)
    size = np.ptp(poses.reshape(count, -1, 2), axis=1).max(axis=1) + 1e-300
    line = poses[np.arange(count), :, [len(design.nodes) - 1 for design in designs]]
    across, along = _box(line)
    held = np.linalg.norm(line[:, :, None] - poses[:, :, : designs[0].grounded], axis=3)
    return LineMeasures(
        aspect=across / (along + 1e-300),
        stroke=along / size,
        error=settled.errors.max(axis=1) / size,
        arc=(np.ptp(held, axis=1) < ARC * along[:, None]).any(axis=1),
        firmness=np.min([firmness(made, poses[:, c]) for c in (0, steps // 2, steps)], axis=0),
    )


def _score(designs: Sequence[MachineDesign], steps: int, iterations: int) -> Floats:
    drawn = line_measures(designs, steps, iterations)
    digits = -np.log10(np.clip(drawn.aspect, STRAIGHT, 1.0))
    whole = np.minimum(drawn.stroke / STROKE, 1.0) * np.minimum(drawn.firmness / FIRM, 1.0)
    # An arc about a held node is soon found, soon as flat as can be, and in the way of all else.
    return np.where(drawn.error > HELD, 0.0, digits * whole * np.where(drawn.arc, 0.1, 1.0))


def _box(line: Floats) -> tuple[Floats, Floats]:
    """Width and length (M,) of the box around points (M, C, 2), along their principal axes."""
    about = line - line.mean(axis=1, keepdims=True)
    _, axes = np.linalg.eigh(np.einsum("mci,mcj->mij", about, about))
    across, along = np.moveaxis(np.ptp(about @ axes, axis=1), 1, 0)
    return across, along


def _start(rng: m.Rng) -> MachineDesign:
    """A crank driven from a second held node, and two to four nodes more."""
    crank = complex(*rng.uniform(-1.0, 1.0, 2))
    actuator = ActuatorGene((1, 2), (float(rng.uniform(0.7, 1.4)),))
    design = MachineDesign((0j, 1 + 0j, crank), 2, ((0, 2),), (actuator,))
    for _ in range(int(rng.integers(2, 5))):
        design = m.add_node(rng, design)
    return design
