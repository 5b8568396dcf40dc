"""What an edit leaves as it is: columns that do not move, and equations that go on holding."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.linkage.constraints import LENGTH, Constraints, gradients, residuals
from pliant.linkage.model import EditStudy, Linkage
from pliant.linkage.plan import Structure
from pliant.linkage.rules import Floats, Ints

ROUNDS = 20


@dataclass(frozen=True)
class Keeps:
    """Hard keeps: of joints as columns left out, of shapes and symmetries as equations."""

    free: Ints  # columns of the 2N drawn coordinates that may change
    rows: Constraints  # shapes and lengths, of the first drawing
    mirror: Floats  # (S, 2N) symmetries: mirror @ z = offsets
    offsets: Floats  # (S,)
    names: tuple[str, ...]  # of every equation
    first: Floats  # (N, 2) the drawing they are of

    def values(self, drawn: Floats) -> Floats:
        """(E,) 0 where everything is kept, in lengths or nearly so."""
        wrong = residuals(self.rows, self.first, drawn[None])[0]
        return np.concatenate([wrong, self.mirror @ drawn.ravel() - self.offsets])

    def slopes(self, drawn: Floats) -> Floats:
        """(E, 2N)."""
        turned = gradients(self.rows, self.first, drawn[None])[0].reshape(len(self.rows), drawn.size)
        return np.concatenate([turned, self.mirror])

    def restored(self, drawn: Floats) -> Floats:
        """The nearest drawing that keeps everything, by Newton's method with least change."""
        size = float(np.ptp(self.first))
        for _ in range(ROUNDS):
            wrong = self.values(drawn)
            if not len(wrong) or np.abs(wrong).max() <= 1e-14 * size:
                break
            step = np.zeros(drawn.size)
            step[self.free] = np.linalg.lstsq(self.slopes(drawn)[:, self.free], -wrong, rcond=1e-10)[0]
            drawn = drawn + step.reshape(drawn.shape)
            if np.abs(step).max() <= 1e-15 * size:
                break
        return drawn


def keeps(model: Linkage, study: EditStudy, structure: Structure) -> Keeps:
    """The hard keeps of an edit. Joints that a move names are free, whatever the ground does."""
    number = {name: k for k, name in enumerate(structure.names)}
    moved = {number[move.joint] for move in study.move if move.at == 0.0}
    held = {number[name] for name in study.keep.joints}
    if study.keep.ground:
        held |= structure.ground - moved
    held |= set(range(len(model.joints), len(structure.names)))  # guides stay where they are drawn
    free = [column for k in range(len(structure.names)) if k not in held for column in (2 * k, 2 * k + 1)]
    rows = _rows(study, structure, number)
    mirror, offsets, names = _mirrors(study, number, 2 * len(structure.names))
    shapes = tuple(f"shape of {owner}" for owner in rows.owners)
    return Keeps(np.array(free, np.int64), rows, mirror, offsets, (*shapes, *names), structure.drawn)


def _rows(study: EditStudy, structure: Structure, number: dict[str, int]) -> Constraints:
    """All rows of whole links, and a length for each pair beyond those."""
    whole = set(study.keep.links)
    kept = structure.rows.pick(np.flatnonzero([owner in whole for owner in structure.rows.owners]))
    inside = [
        set(link) for link, label in zip(structure.links, structure.labels, strict=True) if label in whole
    ]
    pairs = [(number[a], number[b]) for a, b in study.keep.lengths]
    pairs = [pair for pair in pairs if not any(set(pair) <= link for link in inside)]
    return Constraints(
        np.concatenate([kept.kinds, np.full(len(pairs), LENGTH)]),
        np.concatenate([kept.joints, np.array([(*pair, -1) for pair in pairs], np.int64).reshape(-1, 3)]),
        (*kept.owners, *("-".join(pair) for pair in study.keep.lengths[: len(pairs)])),
    )


def _mirrors(study: EditStudy, number: dict[str, int], width: int) -> tuple[Floats, Floats, tuple[str, ...]]:
    """For each pair: z_b − M z_a = p − M p, M the reflection across the axis through p."""
    rows: list[Floats] = []
    offsets: list[float] = []
    names: list[str] = []
    for symmetry in study.keep.symmetry:
        axis = np.array(symmetry.axis) / np.hypot(*symmetry.axis)
        reflect = 2 * np.outer(axis, axis) - np.eye(2)
        through = np.array(symmetry.through)
        for a, b in symmetry.pairs:
            for c in range(2):
                row = np.zeros(width)
                row[2 * number[b] + c] += 1.0
                row[2 * number[a] : 2 * number[a] + 2] -= reflect[c]
                rows.append(row)
                offsets.append(float((through - reflect @ through)[c]))
                names.append(f"symmetry of {a} and {b}")
    return np.array(rows).reshape(-1, width), np.array(offsets), tuple(names)
