"""Structures of the sizes of the paper's Table I.

Source: [Lensgraf2020] Table I, which gives sizes and not shapes.
Differs: the shapes are ours, each with the very number of bodies and, at 12 rows for two
cells that share a side and 2 for two that share a corner, nearly the paper's rows. Its
1703 bodies have 30.9 rows each; no mask of ours can have more than 28.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pliant.flex.generate import masks
from pliant.flex.generate.masks import Mask
from pliant.flex.generate.voxels import CellIndex, raise_study, upper_right, voxels
from pliant.flex.model import Assembly


@dataclass(frozen=True)
class TableEntry:
    """A line of Table I as printed, and the mask that stands for its structure."""

    rows: int  # of the first program, as printed
    columns: int  # of it, as printed
    steps: int  # as printed
    seconds: float  # as printed
    title: str  # our name for the structure
    mask: Callable[[], Mask]  # makes its cells
    direction: tuple[float, float] = (0.0, 1.0)  # in which the cell is moved
    moved: CellIndex | None = None  # the upper right cell where None


TABLE: dict[int, TableEntry] = {
    36: TableEntry(666, 105, 5, 0.358, "footbridge", lambda: masks.arch(16, 4, leg=1, lintel=2)),
    50: TableEntry(907, 147, 8, 0.363, "round arch", lambda: masks.vault(8.75, 2), (1.0, 0.0), (16, 0)),
    90: TableEntry(2220, 267, 7, 1.621, "block", lambda: masks.bar(10, 9)),
    153: TableEntry(
        3147,
        456,
        8,
        1.866,
        "chair",
        lambda: masks.chair(15, 17, 20, wall=2, thickness=3),
        (-1.0, 0.0),
        (0, 39),
    ),
    223: TableEntry(5273, 666, 5, 2.987, "gate", lambda: masks.arch(13, 26, leg=4, lintel=3)),
    332: TableEntry(6309, 993, 5, 2.761, "ring", lambda: masks.ring(26.5, 2), (1.0, 0.0), (52, 26)),
    392: TableEntry(10932, 1173, 8, 10.649, "dense slab", lambda: masks.bar(14, 28), (1.0, 0.0)),
    396: TableEntry(7326, 1185, 4, 2.002, "shelf", lambda: masks.lattice(3, 5, (6, 6), (2, 1)), (1.0, 0.0)),
    688: TableEntry(14615, 2061, 4, 5.951, "truss", lambda: masks.lattice(7, 3, (4, 7), (2, 2))),
    1703: TableEntry(52655, 5106, 14, 233.341, "beam", lambda: masks.bar(131, 13)),
    2497: TableEntry(66363, 7488, 7, 166.582, "long beam", lambda: masks.bar(227, 11)),
}


def table_structure(bodies: int, clearance: float = 0.01) -> Assembly:
    """The structure of Table I with so many bodies; its lowest left cell is fixed.

    Args:
        bodies: a count of Table I.
        clearance: of the joints, over the side of a cell.

    Returns:
        The assembly, asked how far its upper right cell, or one that the table names, moves.

    Raises:
        ValueError: Table I has no such structure.
    """
    if bodies not in TABLE:
        raise ValueError(f"bodies: got {bodies}; Table I has {', '.join(map(str, TABLE))}")
    entry = TABLE[bodies]
    mask = entry.mask()
    study = raise_study(entry.moved or upper_right(mask), entry.direction)
    return voxels(mask, clearance=clearance, study=study, title=f"Table I: {entry.title} of {bodies} bodies")


def table_structures(clearance: float = 0.01) -> dict[int, Assembly]:
    """All eleven structures of Table I, by their number of bodies.

    Args:
        clearance: of the joints, over the side of a cell.

    Returns:
        Assemblies by their number of bodies.
    """
    return {bodies: table_structure(bodies, clearance) for bodies in TABLE}


def expected_rows(mask: Mask) -> int:
    """Rows of the first linear program: 12 for each shared side, 2 for each bare corner.

    Args:
        mask: cells, true where there is material.

    Returns:
        The number of rows, joints' own sides and limits not counted.

    >>> expected_rows(masks.bar(10, 9))  # the paper's figure for 90 bodies
    2220
    """
    sides, corners = masks.pairs(mask)
    return 12 * sides + 2 * corners
