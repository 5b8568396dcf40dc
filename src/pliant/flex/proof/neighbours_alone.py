"""What two parts alone say of their relative pose, wherever the others are.

Parts that interlock, as a dovetail does, stay in a bounded set of relative poses. That is found for the two
by themselves, one of them held, and holds in every assembly that they are in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.flex.geometry.parts import Parts
from pliant.flex.model import Assembly, Study, Term
from pliant.flex.problem.system import System, compile_system
from pliant.flex.proof.rooms import PoseBox, Setting, relative_turns


@dataclass(frozen=True)
class RelativeBounds:
    """Bounds on the pose of a body as seen from another."""

    carrier: int
    other: int
    seat: Floats  # (2, 2) low and high of w
    turn: Floats  # (2,) low and high of φ


Close = Callable[[Assembly, System], tuple[Setting, tuple[PoseBox, ...]] | None]


def find_relative_bounds(
    model: Assembly, system: System, touching: Ints, close: Close
) -> list[RelativeBounds]:
    """The interlocks of neighbours (K, 2), found by `close`; those that are alike once."""
    parts = system.parts
    known: dict[tuple[object, ...], list[tuple[bool, Floats, Floats]]] = {}
    found: list[RelativeBounds] = []
    for first, second in touching.tolist():
        if len(parts.members_of[first]) > 1 or len(parts.members_of[second]) > 1:
            continue
        key = _likeness(parts, first, second)
        if key not in known:
            known[key] = _bounds_of_two(model, parts, first, second, close)
        for forward, seat, turn in known[key]:
            pair = (first, second) if forward else (second, first)
            found.append(RelativeBounds(*pair, seat, turn))
    return found


def _likeness(parts: Parts, first: int, second: int) -> tuple[object, ...]:
    """The same for pairs of the same shapes in the same relative pose."""
    apart = parts.drawn[second] - parts.drawn[first]
    cosine, sine = np.cos(parts.drawn[first, 2]), np.sin(parts.drawn[first, 2])
    x, y = cosine * apart[0] + sine * apart[1], cosine * apart[1] - sine * apart[0]
    # Alike means equal to far less than the rounding that rows are loosened by.
    place = (round(float(x) / (1e-11 * parts.size)), round(float(y) / (1e-11 * parts.size)))
    return int(parts.shape_of[first]), int(parts.shape_of[second]), *place, round(float(apart[2]), 13)


def _bounds_of_two(
    model: Assembly, parts: Parts, first: int, second: int, close: Close
) -> list[tuple[bool, Floats, Floats]]:
    """Bounds of the second seen from the first (True), and the other way round; none where there are none."""
    held, moved = (model.bodies[int(parts.members_of[body][0])] for body in (first, second))
    bodies = (held.model_copy(update={"fixed": True}), moved.model_copy(update={"fixed": False}))
    study = Study(maximize=(Term(body=moved.name, spin=1.0),))
    nothing = {key: () for key in ("welds", "pins", "keep", "sights", "limits")}
    two = model.model_copy(update={"bodies": bodies, "study": study, **nothing})
    closed = close(two, compile_system(two, study.for_command("flex")))
    if closed is None:
        return []
    setting, boxes = closed
    pairs, moving = setting.pairs, setting.system.parts.moving
    bounds: list[tuple[bool, Floats, Floats]] = []
    for place in range(len(pairs.carrier)):
        seat = np.array([
            np.min([box.seat_low[place] for box in boxes], axis=0),
            np.max([box.seat_high[place] for box in boxes], axis=0),
        ])  # fmt: skip
        body = setting.system.parts.free[0]
        low, high = min(box.low[body, 2] for box in boxes), max(box.high[body, 2] for box in boxes)
        turns = relative_turns(pairs, np.array([low]), np.array([high]))
        forward = bool(moving[pairs.carrier[place]] < 0)
        bounds.append((forward, seat, np.array([turns[0][place], turns[1][place]])))
    return bounds


def apply_relative_bounds(setting: Setting, box: PoseBox, known_bounds: list[RelativeBounds]) -> None:
    """Put what is known of pairs into a box."""
    pairs, parts = setting.pairs, setting.system.parts
    place = {pair: k for k, pair in enumerate(zip(pairs.carrier.tolist(), pairs.other.tolist(), strict=True))}
    joined = {tuple(pair): k for k, pair in enumerate(pairs.joined.tolist())}
    for known in known_bounds:
        pair = (known.carrier, known.other)
        if pair in place:
            box.seat_low[place[pair]] = np.maximum(box.seat_low[place[pair]], known.seat[0])
            box.seat_high[place[pair]] = np.minimum(box.seat_high[place[pair]], known.seat[1])
        if pair in joined:
            box.angle_low[joined[pair]] = max(box.angle_low[joined[pair]], known.turn[0])
            box.angle_high[joined[pair]] = min(box.angle_high[joined[pair]], known.turn[1])
        if parts.moving[known.carrier] < 0:
            angle = parts.drawn[known.carrier, 2] + known.turn
            box.low[known.other, 2] = max(box.low[known.other, 2], angle[0])
            box.high[known.other, 2] = min(box.high[known.other, 2], angle[1])
