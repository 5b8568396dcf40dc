"""What an edit leaves as it is: columns that do not move, and equations that go on holding."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.errors import Fault, InputError
from pliant.linkage.model import EditStudy, Linkage
from pliant.linkage.structure.constraints import Constraints, Equation, gradients, residuals, scales
from pliant.linkage.structure.rule_plan import LinkageStructure

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
    size: float
    twins: tuple[tuple[int, int], ...]  # joints that go with another, which is the same pin

    def values(self, drawn: Floats) -> Floats:
        """(E,) 0 where everything is kept; in lengths."""
        if not self.names:
            return np.zeros(0)
        wrong = residuals(self.rows, self.first, drawn[None])[0] / scales(self.rows, self.first)
        return np.concatenate([wrong, self.mirror @ drawn.ravel() - self.offsets])

    def slopes(self, drawn: Floats) -> Floats:
        """(E, 2N)."""
        if not self.names:
            return np.zeros((0, drawn.size))
        turned = gradients(self.rows, self.first, drawn[None])[0].reshape(len(self.rows), drawn.size)
        return np.concatenate([turned / scales(self.rows, self.first)[:, None], self.mirror])

    def restore(self, drawn: Floats) -> Floats:
        """The nearest drawing that keeps everything, by Newton's method with least change."""
        size = self.size
        for _ in range(ROUNDS):
            wrong = self.values(drawn)
            if not len(wrong) or np.abs(wrong).max() <= 1e-14 * size:
                break
            step = np.zeros(drawn.size)
            step[self.free] = np.linalg.lstsq(self.slopes(drawn)[:, self.free], -wrong, rcond=1e-10)[0]
            drawn = drawn + step.reshape(drawn.shape)
            if np.abs(step).max() <= 1e-15 * size:
                break
        if any((drawn[twin] != drawn[pin]).any() for twin, pin in self.twins):
            drawn = drawn.copy()
            for twin, pin in self.twins:
                drawn[twin] = drawn[pin]
        return drawn


def hard_keeps(model: Linkage, study: EditStudy, structure: LinkageStructure) -> Keeps:
    """The hard keeps of an edit. Joints that a move names are free, whatever the ground does."""
    number = structure.pins
    moved = {number[move.joint] for move in study.move if move.at == 0.0}
    held = {number[name] for name in study.keep.joints}
    if study.keep.ground:
        held |= structure.ground - moved
    fixed = {
        p
        for (_, *ends), on in zip(structure.sliders, structure.carriers, strict=True)
        if on < 0
        for p in ends
    }
    held |= {
        point for point, _ in structure.travels
    } | fixed & structure.guide_points  # guides on the ground stay where they are drawn
    held |= structure.duplicates  # they go with their pin
    free = [column for k in range(len(structure.names)) if k not in held for column in (2 * k, 2 * k + 1)]
    rows, shapes = _rows(study, structure, number)
    mirror, offsets, names = _mirrors(study, number, 2 * len(structure.names))
    kept = (*shapes, *names)
    first, size = structure.drawn, structure.size
    return Keeps(np.array(free, np.int64), rows, mirror, offsets, kept, first, size, structure.twins)


def refuse_unkept(kept: Keeps, drawn: Floats) -> None:
    """Raise an InputError where keeps contradict the drawing, or what is held."""
    wrong = np.abs(kept.values(drawn)) > 1e-9 * kept.size
    names = list(dict.fromkeys(name for name, bad in zip(kept.names, wrong, strict=True) if bad))
    if names:
        cure = "Draw it so, or let the joints go that hold it (keep.ground, keep.joints)"
        raise InputError([Fault("keep", f"the {name} cannot be kept", cure) for name in names])


def _rows(
    study: EditStudy, structure: LinkageStructure, number: dict[str, int]
) -> tuple[Constraints, tuple[str, ...]]:
    """Rows of whole links, lengths of pairs beyond those, and guides that ride on their links."""
    whole = set(study.keep.links)
    rides = np.isin(structure.rows.joints[:, 0], list(structure.guide_points - structure.ground))
    kept = np.flatnonzero(rides | [owner in whole for owner in structure.rows.owners])
    rows = structure.rows.select(kept)
    inside = [
        set(link) for link, label in zip(structure.links, structure.labels, strict=True) if label in whole
    ]
    pairs = [
        (a, b)
        for a, b in study.keep.lengths
        if number[a] != number[b] and not any({number[a], number[b]} <= link for link in inside)
    ]
    ends = np.array([(number[a], number[b], -1, -1) for a, b in pairs], np.int64).reshape(-1, 4)
    constraints = Constraints(
        np.concatenate([rows.kinds, np.full(len(pairs), Equation.LENGTH)]),
        np.concatenate([rows.joints, ends]),
        (*rows.owners, *("-".join(pair) for pair in pairs)),
    )
    shapes = (f"shape of {owner}" for owner in rows.owners)
    return constraints, (*shapes, *(f"length of {'-'.join(pair)}" for pair in pairs))


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
