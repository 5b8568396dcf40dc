"""Which boxes can be reached: those that a chain of boxes that touch leads to from the drawn pose.

A motion that leaves one box of a cover for another is, as it does, in both of them, so that they touch as
narrowed. Boxes that no chain leads to from the one with the drawn pose hold nothing that can be reached.
Chains to where nothing should get are broken by splitting their boxes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pliant.core.arrays import Bools, Floats, Ints
from pliant.flex.proof.linear_relaxation import narrow, relax
from pliant.flex.proof.rooms import PoseBox, Setting
from pliant.flex.proof.search import bound_program

TOUCH = 1e-9  # of the parts' size: boxes as near as that touch
AT_ONCE = 4  # boxes of a chain that are split before chains are looked for again


class Cover:
    """Boxes that together hold all that is possible in one."""

    def __init__(self, setting: Setting, *boxes: PoseBox) -> None:
        self.setting = setting
        self.boxes = list(boxes)

    def separate(
        self, forbidden: Callable[[PoseBox], bool], nodes: int, report: Callable[[str], None]
    ) -> int:
        """Split boxes until no chain leads to a forbidden one, or so many were made; how many were."""
        if self._goes_round():
            return 0
        made = 0
        marks = [forbidden(box) for box in self.boxes]
        while made < nodes:
            chain = self._chain_to(np.array(marks, np.bool_))
            if chain is None:
                break
            report("chains of boxes")
            for place in sorted(self._widest(chain), reverse=True):
                box = self.boxes.pop(place)
                del marks[place]
                pieces = [piece for half in self._halves(box) if (piece := self._kept(half)) is not None]
                made += 2
                self.boxes += pieces
                marks += [forbidden(piece) for piece in pieces]
        return made

    def _goes_round(self) -> bool:
        """Whether boxes may touch where a full turn begins and ends, which chains do not know of."""
        low, high = (
            np.min([box.low[:, 2] for box in self.boxes], axis=0),
            np.max([box.high[:, 2] for box in self.boxes], axis=0),
        )
        return bool((high - low >= 2 * np.pi - 1e-6).any())

    def reachable(self) -> tuple[PoseBox, ...]:
        """The boxes that chains lead to."""
        if self._goes_round():
            return tuple(self.boxes)
        before = self._flood(np.zeros(len(self.boxes), np.bool_))
        return tuple(box for box, came in zip(self.boxes, before, strict=True) if came != -2)

    def _ends(self) -> tuple[Floats, Floats]:
        """Low and high of the boxes (N, 3 M), turns as lengths."""
        low, high = ([self._lengths(getattr(box, end)) for box in self.boxes] for end in ("low", "high"))
        return np.array(low), np.array(high)

    def _lengths(self, poses: Floats) -> Floats:
        """Poses (B + 1, 3) of the moving bodies as lengths, (3 M,)."""
        parts = self.setting.system.parts
        radius = parts.radius[parts.free]
        return (
            poses[parts.free] * np.stack([np.ones_like(radius), np.ones_like(radius), radius], axis=1)
        ).ravel()

    def _flood(self, stop: Bools) -> Ints:
        """Which box each was come to from, (N,), up to one of `stop`: -1 has the drawn pose, -2 nowhere."""
        parts = self.setting.system.parts
        low, high = self._ends()
        near = TOUCH * parts.size
        drawn = self._lengths(parts.drawn)
        came = np.full(len(low), -2, np.int64)
        front = np.flatnonzero(((low <= drawn + near) & (high >= drawn - near)).all(axis=1)).tolist()
        came[front] = -1
        while front and not stop[front].any():
            after: list[int] = []
            for place in front:
                touch = (low <= high[place] + near).all(axis=1) & (high >= low[place] - near).all(axis=1)
                new = np.flatnonzero(touch & (came == -2))
                came[new] = place
                after += new.tolist()
            front = after
        return came

    def _chain_to(self, forbidden: Bools) -> list[int] | None:
        """A shortest chain of boxes from the drawn pose to a forbidden one; None: there is none."""
        came = self._flood(forbidden)
        ends = np.flatnonzero(forbidden & (came != -2))
        if not len(ends):
            return None
        chain = [int(ends[0])]
        while came[chain[-1]] >= 0:
            chain.append(int(came[chain[-1]]))
        return chain

    def _widest(self, chain: list[int]) -> list[int]:
        low, high = self._ends()
        width = (high - low)[chain].max(axis=1)
        return [chain[place] for place in np.argsort(-width)[:AT_ONCE]]

    def _halves(self, box: PoseBox) -> list[PoseBox]:
        parts = self.setting.system.parts
        width = (box.high - box.low) * np.append(parts.radius, 0.0)[:, None] ** np.array([0.0, 0.0, 1.0])
        body, part = np.unravel_index(int(width.argmax()), width.shape)
        middle = (box.low[body, part] + box.high[body, part]) / 2
        lower, upper = box.copy(), box.copy()
        lower.high[body, part] = upper.low[body, part] = middle
        return [lower, upper]

    def _kept(self, box: PoseBox) -> PoseBox | None:
        """A box narrowed, and by a program's word not empty."""
        narrowed = narrow(self.setting, box)
        if narrowed is None:
            return None
        program = bound_program(self.setting, relax(self.setting, narrowed))
        weights = np.zeros(program.relaxation.matrix.shape[1])
        return None if program.maximum(weights).value == -np.inf else narrowed.box
