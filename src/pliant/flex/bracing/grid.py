"""Structures of cells on a grid (`generate.voxels`), read back from a model, so that cells can be added."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pliant.flex.generate.masks import Mask
from pliant.flex.generate.voxels import CellIndex, JointStyle, cell_name, voxels
from pliant.flex.model import Assembly

NAME = re.compile(r"c(\d+)_(\d+)")
JOINTS: tuple[JointStyle, ...] = ("dovetail", "puzzle")


@dataclass(frozen=True)
class CellBeam:
    """A straight run of cells that would join two."""

    cells: tuple[CellIndex, ...]
    ends: tuple[str, str]  # the bodies that it joins


@dataclass(frozen=True)
class CellGrid:
    """Which cells a structure has, and how they are joined."""

    mask: Mask  # (rows, columns)
    joint: JointStyle
    size: float
    model: Assembly

    def with_cells(self, cells: tuple[CellIndex, ...]) -> CellGrid:
        """The structure with further cells."""
        mask = self.mask.copy()
        for column, row in cells:
            mask[row, column] = True
        return CellGrid(mask, self.joint, self.size, _structure(mask, self.joint, self.size, self.model))

    def beams(self) -> Iterator[CellBeam]:
        """Straight runs of empty cells between two filled ones, along rows and columns."""
        for turned, mask in ((False, self.mask), (True, self.mask.T)):
            for line, cells in enumerate(mask):
                filled = np.flatnonzero(cells)
                for start, end in zip(filled[:-1].tolist(), filled[1:].tolist(), strict=True):
                    if end > start + 1:
                        run = [(line, k) if turned else (k, line) for k in range(start, end + 1)]
                        yield CellBeam(tuple(run[1:-1]), (cell_name(run[0]), cell_name(run[-1])))


def cell_grid(model: Assembly) -> CellGrid | None:
    """The grid of a structure that `generate.voxels` makes as it is; None of any other model."""
    cells = [NAME.fullmatch(body.name) for body in model.bodies]
    if not all(cells):
        return None
    places = [(int(cell[1]), int(cell[2])) for cell in cells if cell]
    columns, rows = (max(axis) + 1 for axis in zip(*places, strict=True))
    mask = np.zeros((rows, columns), np.bool_)
    for column, row in places:
        mask[row, column] = True
    size = max((abs(body.pose[k]) / place[k] for body, place in zip(model.bodies, places, strict=True)
                for k in range(2) if place[k]), default=1.0)  # fmt: skip
    for joint in JOINTS:
        made = _structure(mask, joint, size, model)
        if made.shapes == model.shapes and made.bodies == model.bodies:
            return CellGrid(mask, joint, size, model)
    return None


def _structure(mask: Mask, joint: JointStyle, size: float, model: Assembly) -> Assembly:
    """Cells on a mask with all else as in a model."""
    held = [
        (int(cell[1]), int(cell[2]))
        for body in model.bodies
        if body.fixed and (cell := NAME.fullmatch(body.name))
    ]
    return voxels(mask, joint, model.clearance, size=size, fixed=held, study=model.study, title=model.title)
