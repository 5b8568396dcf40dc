"""The loop of evolution: score, keep the best, change them, again.

Ctrl-C ends it with what it has; with a checkpoint it can go on later, and finds what it would have found
without a stop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.progress import Progress, silent
from pliant.relax.evolve.checkpoint import SearchState, read_checkpoint, write_checkpoint
from pliant.relax.evolve.design import MachineDesign
from pliant.relax.evolve.mutations import Mutation, Rng, cross, drop_loose_node, loose_nodes, mutate

Score = Callable[[Sequence[MachineDesign]], Floats]  # (M,) the more the better; 0 for what is of no use
Scored = tuple[float, MachineDesign]

ISLANDS = 4  # that breed apart, so that an early success does not crowd out all else
TRIED = 8  # starts for each that settles an island
PATIENCE = 40  # generations after which the poorest island is settled anew
SAME = 0.99  # of a score, that a node may be worth and still go
CROSSED = 0.4  # of the children of those that have kin
RIVALS = 3  # drawn for each child, of which the best is its parent
OFTEN = 5.0  # seconds from checkpoint to checkpoint


@dataclass(frozen=True)
class Evolution:
    """How a search went."""

    designs: tuple[MachineDesign, ...]  # the last generation, best first
    history: tuple[float, ...]  # the best score of every generation
    stopped: bool = False  # by Ctrl-C, before its last generation


def evolve(
    score: Score,
    start: Callable[[Rng], MachineDesign],
    changes: Mapping[Mutation, float],
    *,
    seed: int,
    generations: int,
    population: int,
    progress: Progress = silent,
    checkpoint: str | Path | None = None,
    goal: str = "",
) -> Evolution:
    """Designs that score well; the same seed gives the same ones.

    Args:
        score: of designs (M,): the more the better, 0 for what is of no use.
        start: a design at random.
        changes: weight of each change that makes a new design of another.
        seed: of all that is random.
        generations: how often the best are changed.
        population: designs in each generation.
        progress: called after each generation.
        checkpoint: a file to go on from, if there is one, and to keep the search in every few seconds.
        goal: names what is scored, so that no other search goes on from the checkpoint.

    Returns:
        The last generation, best first, and the best score of each.
    """
    rng = np.random.default_rng(seed)
    each = max(population // ISLANDS, 1)
    asked = {"goal": goal, "seed": seed, "population": population}

    def settlers() -> list[Scored]:
        return _best_designs(_score_designs(score, [start(rng) for _ in range(TRIED * each)]), each)

    known = None if checkpoint is None else read_checkpoint(checkpoint, asked)
    progress(0, generations, "first machines")
    islands, history = _resume(rng, known) if known else ([settlers() for _ in range(ISLANDS)], [])
    standing, kept = _search_state(rng, islands, history), monotonic()
    stopped = False
    try:
        for generation in range(len(history), generations):
            bred = [_offspring(rng, island, changes) for island in islands for _ in range(each)]
            children = _score_designs(score, bred)
            islands = [
                _best_designs(islands[i] + children[i * each : (i + 1) * each], each) for i in range(ISLANDS)
            ]
            if generation % PATIENCE == PATIENCE - 1:
                poorest = min(range(ISLANDS), key=lambda i: islands[i][0][0])
                islands[poorest] = settlers()
            history.append(max(island[0][0] for island in islands))
            standing = _search_state(rng, islands, history)
            if checkpoint is not None and monotonic() - kept > OFTEN:
                write_checkpoint(checkpoint, asked, standing)
                kept = monotonic()
            progress(generation + 1, generations, f"best score {history[-1]:.4g}")
    except KeyboardInterrupt:
        stopped = True
    if checkpoint is not None:
        write_checkpoint(checkpoint, asked, standing)
    whole = _best_designs([one for island in standing.islands for one in island], ISLANDS * each)
    return Evolution(tuple(design for _, design in whole), standing.history, stopped)


def _resume(rng: Rng, known: SearchState) -> tuple[list[list[Scored]], list[float]]:
    """Islands and history of a search that goes on, with chance where it stood."""
    rng.bit_generator.state = known.chance
    return [list(island) for island in known.islands], list(known.history)


def _search_state(rng: Rng, islands: list[list[Scored]], history: list[float]) -> SearchState:
    chance: Any = rng.bit_generator.state
    return SearchState(tuple(tuple(island) for island in islands), tuple(history), chance)


def simplify_best(designs: Sequence[MachineDesign], score: Score) -> MachineDesign:
    """The best of some designs, without the nodes that it does as well without."""
    scores = score(designs)
    best, most = designs[int(scores.argmax())], float(scores.max())
    while True:
        fewer = [drop_loose_node(best, node) for node in loose_nodes(best)]
        scores = score(fewer) if fewer else np.zeros(1)
        if scores.max() < SAME * most or not fewer:
            return best
        best, most = fewer[int(scores.argmax())], float(scores.max())


def _score_designs(score: Score, designs: list[MachineDesign]) -> list[Scored]:
    return list(zip(score(designs).tolist(), designs, strict=True))


def _best_designs(pool: list[Scored], count: int) -> list[Scored]:
    return sorted(pool, key=lambda one: -one[0])[:count]


def _offspring(rng: Rng, island: list[Scored], changes: Mapping[Mutation, float]) -> MachineDesign:
    parent = island[int(rng.integers(len(island), size=RIVALS).min())][1]
    kin = [
        one for _, one in island if one is not parent and (one.bars, one.links) == (parent.bars, parent.links)
    ]
    return (
        cross(rng, parent, kin) if len(kin) > 1 and rng.random() < CROSSED else mutate(rng, parent, changes)
    )
