"""Pushes at an end of a motion, in rows: what is pushed which way, and what the objective weighs beside it.

They are drawn by chance, in the order of the bodies' names and from the objective's own direction
and hand: the same assembly written down in another order, lying another way or mirrored is pushed
alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.pose import turn
from pliant.flex.problem.system import System

KEEPS = (100.0, 30.0, 10.0, 3.0, 1.0)  # what the objective weighs beside the push
LEANS = 4  # in a row, each from where the last one stopped
ALONE = 0.3  # of the pushes are of one body alone
TURNED = 3  # rounds by turns begin with slides, with turns alone, and with any push
STOPS = 4  # on the way of a push, at most
MORE_STOPS = 12  # of a slide
LIFT = -0.3  # what the objective weighs beside a slide: off what it presses against, and not into its gaps
EVEN = 1e-6  # of the assembly's extent: so near to its middle a body is on neither side


@dataclass(frozen=True)
class Lean:
    """A push, what the objective weighs beside it, and how often it stops on its way."""

    push: Floats  # (B + 1, 3)
    keep: float
    stops: int = STOPS
    slides: bool = False  # on what the objective presses against: as far as half of the largest body's size


def leans(system: System, chance: np.random.Generator, tried: int) -> Iterator[Lean]:
    """Pushes in a row: a slide, a turn or any other, its way back, and others."""
    first = _push_of_some(system, chance)
    lean = Lean(first, KEEPS[0])
    if tried % TURNED == 0:
        lean = Lean(_slide(system, chance, tried // TURNED), LIFT, MORE_STOPS, slides=True)
    if tried % TURNED == 1:
        lean = Lean(first * (0.0, 0.0, 1.0), KEEPS[3])
    if tried == TURNED and len(system.parts.free) > 1:
        yield Lean(_others_back(system), KEEPS[0], 0)
    yield lean
    yield replace(lean, push=-lean.push)
    for _ in range(LEANS - 2):
        yield Lean(_push_of_some(system, chance), chance.choice(KEEPS))


def _slide(system: System, chance: np.random.Generator, slid: int) -> Floats:
    """A push across the objective, without a turn: of all that move, of what is most wanted, then of any."""
    push = _along(system, 0.5 * np.pi)
    if slid == 1:
        push *= (np.arange(len(push)) == _most_wanted(system))[:, None]
    if slid > 1:
        push *= chance.integers(len(system.parts.free)) == _rank_by_name(system)[:, None]
    return push


def _others_back(system: System) -> Floats:
    """A push, against the objective, of all but what it moves most: out of the way of that."""
    return _along(system, np.pi) * (np.arange(system.parts.count + 1) != _most_wanted(system))[:, None]


def _along(system: System, angle: float) -> Floats:
    """A push (B + 1, 3) of all moving bodies at an angle to the objective's own direction, without a turn."""
    bearing = _bearing(system) + _hand(system) * angle
    push = np.zeros((system.parts.count + 1, 3))
    push[system.parts.free, :2] = np.cos(bearing), np.sin(bearing)
    return push


def _push_of_some(system: System, chance: np.random.Generator) -> Floats:
    """A random push of all moving bodies, or at times of one alone."""
    push = random_push(system, chance)
    if chance.random() < ALONE:
        push *= chance.integers(len(system.parts.free)) == _rank_by_name(system)[:, None]
    return push


def random_push(system: System, chance: np.random.Generator) -> Floats:
    """A load (B + 1, 3) on the moving bodies, of a random direction, 1 on the greatest body's scale.

    Drawn in the order of the bodies' names and from the objective's own direction, so that the
    same assembly written down in another order, lying another way or mirrored is pushed alike.
    """
    parts, rank = system.parts, _rank_by_name(system)
    push = np.where(rank[:, None] < 0, 0.0, chance.normal(size=(len(parts.free), 3))[rank])
    push[:, 1:] *= _hand(system)
    push[:, :2] = turn(np.array(_bearing(system)), push[:, :2])
    push[:, 2] *= parts.size
    largest = max(np.hypot(*push[:, :2].T).max(), np.abs(push[:, 2]).max() / parts.size)
    return push / max(float(largest), 1e-300)


def _rank_by_name(system: System) -> Ints:
    """The place of each moving body (B + 1,) in the order of names; -1: it does not move."""
    parts = system.parts
    rank = np.full(parts.count + 1, -1)
    rank[sorted(parts.free, key=lambda body: parts.names_of(np.array([body])))] = np.arange(len(parts.free))
    return rank


def _most_wanted(system: System) -> int:
    """The body that the objective moves most."""
    parts = system.parts
    wanted = system.objective.weights(parts.drawn)[: parts.count]
    return int(np.abs(wanted * (1.0, 1.0, 1.0 / parts.size)).max(axis=1).argmax())


def _bearing(system: System) -> float:
    """The direction in which the objective moves a body most; of a turn, where that body is."""
    most = _most_wanted(system)
    along = system.objective.weights(system.parts.drawn)[most, :2]
    if not along.any():
        along = _off_middle(system, most)
    return float(np.arctan2(along[1], along[0]))


def _hand(system: System) -> float:
    """1, or −1 for its mirror image: on which side of the middle the body is that the objective moves most.

    Of a turn, which way that goes.
    """
    most = _most_wanted(system)
    along, off = system.objective.weights(system.parts.drawn)[most], _off_middle(system, most)
    side = along[0] * off[1] - along[1] * off[0] if along[:2].any() else along[2] * system.parts.extent
    return -1.0 if side < -EVEN * np.abs(along).max() * system.parts.extent else 1.0


def _off_middle(system: System, body: int) -> Floats:
    """How far (2,) a body is drawn from the middle of all."""
    drawn = system.parts.drawn[: system.parts.count, :2]
    return drawn[body] - drawn.mean(axis=0)
