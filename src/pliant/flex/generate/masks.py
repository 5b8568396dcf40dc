"""Masks: which cells of a grid a voxel structure fills.

A mask is a boolean array (rows, columns). Row 0 is at the bottom, as y points up.
"""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Bools

Mask = Bools


def picture(text: str) -> Mask:
    """The mask drawn by lines of text, top line first: "#" is a cell, anything else is none.

    Args:
        text: lines of equal or different length; empty ones around it are left out.

    Returns:
        Cells (rows, columns), row 0 the lowest.

    Raises:
        ValueError: there is no line.

    >>> picture('''
    ... ##
    ... #.
    ... ''').tolist()
    [[True, False], [True, True]]
    """
    lines = [line.strip() for line in text.strip().splitlines()]
    if not lines:
        raise ValueError('text: got no line; draw cells with "#"')
    width = max(map(len, lines))
    return np.array([[mark == "#" for mark in line.ljust(width, ".")] for line in reversed(lines)])


def bar(nx: int, ny: int = 1) -> Mask:
    """A full rectangle: a chain, a beam, a dense slab.

    Args:
        nx: cells along x.
        ny: cells along y.

    Returns:
        Cells (ny, nx), all true.
    """
    return np.ones((ny, nx), np.bool_)


def frame(nx: int, ny: int, wall: int = 1) -> Mask:
    """A rectangle of walls around nothing.

    Args:
        nx: cells along x.
        ny: cells along y.
        wall: thickness in cells.

    Returns:
        Cells (ny, nx).
    """
    return hollow(bar(nx, ny), wall)


def lattice(columns: int, rows: int, pane: tuple[int, int] = (4, 4), walls: tuple[int, int] = (1, 1)) -> Mask:
    """Panes (width, height) in columns and rows between walls: (posts, beams) cells thick.

    Args:
        columns: panes along x.
        rows: panes along y.
        pane: width and height of a pane in cells.
        walls: thickness of posts and of beams in cells.

    Returns:
        Cells (rows, columns) of the mask.
    """
    (width, height), (post, beam) = pane, walls
    post_columns = np.arange(columns * (width + post) + post) % (width + post) < post
    beam_rows = np.arange(rows * (height + beam) + beam) % (height + beam) < beam
    return beam_rows[:, None] | post_columns[None, :]


def arch(nx: int, ny: int, leg: int = 2, lintel: int = 2) -> Mask:
    """Two legs and a lintel across them.

    Args:
        nx: cells along x.
        ny: cells along y.
        leg: width of a leg in cells.
        lintel: height of the lintel in cells.

    Returns:
        Cells (ny, nx).
    """
    mask = bar(nx, ny)
    mask[: ny - lintel, leg : nx - leg] = False
    return mask


def vault(radius: float, wall: float) -> Mask:
    """A round arch: the upper half of a ring.

    Args:
        radius: of the outside, in cells.
        wall: thickness along the radius, in cells.

    Returns:
        Cells of the upper half.
    """
    whole = ring(radius, wall)
    return whole[len(whole) // 2 :]


def disc(radius: float) -> Mask:
    """The cells whose centres lie within a radius.

    Args:
        radius: in cells.

    Returns:
        Cells of a square around the disc.
    """
    reach = int(np.ceil(radius))
    offsets = np.arange(-reach, reach + 1)
    return _trim(offsets[:, None] ** 2 + offsets[None, :] ** 2 <= radius**2)


def ring(radius: float, wall: float = 2) -> Mask:
    """A round ring, its wall measured along the radius.

    Args:
        radius: of the outside, in cells.
        wall: thickness along the radius, in cells.

    Returns:
        Cells of a square around the ring.
    """
    outside, inside = disc(radius), disc(radius - wall)
    margin = (len(outside) - len(inside)) // 2
    return outside & ~np.pad(inside, margin)


def chair(seat: int = 9, leg: int = 7, back: int = 9, wall: int = 2, thickness: int = 2) -> Mask:
    """A chair from the side: legs and back `wall` cells wide, a seat of some `thickness`.

    Args:
        seat: width of the seat in cells.
        leg: height of the legs in cells.
        back: height of the back in cells.
        wall: width of legs and back in cells.
        thickness: of the seat in cells.

    Returns:
        Cells of the side view.
    """
    mask = np.zeros((leg + thickness + back, seat), np.bool_)
    mask[:, :wall] = True
    mask[:leg, seat - wall :] = True
    mask[leg : leg + thickness] = True
    return mask


def can(nx: int = 12, ny: int = 20, wall: int = 1, shoulder: int = 2) -> Mask:
    """A drinks can cut open: the hollow profile with a narrower foot and lid.

    Source: [Lensgraf2020] Fig. 6. Differs: the figure's block count is not printed; ours is free.

    Args:
        nx: cells along x.
        ny: cells along y.
        wall: thickness in cells.
        shoulder: by how many cells foot and lid are narrower on each side.

    Returns:
        Cells (ny, nx).
    """
    solid = bar(nx, ny)
    for step in range(shoulder):
        inset = shoulder - step
        solid[ny - 1 - step, :inset] = solid[ny - 1 - step, nx - inset :] = False
    solid[0, :1] = solid[0, nx - 1 :] = False
    return hollow(solid, wall)


def random_outline(cells: int, seed: int = 0) -> Mask:
    """A connected blob without holes, grown one random cell at a time.

    Args:
        cells: how many.
        seed: the same seed grows the same blob.

    Returns:
        Cells of the box around the blob.

    Raises:
        ValueError: fewer than one cell.

    >>> int(random_outline(50, seed=3).sum())
    50
    """
    if cells < 1:
        raise ValueError(f"cells: got {cells}; a structure has at least 1")
    random = np.random.default_rng(seed)
    grown: set[tuple[int, int]] = set()
    rim = [(0, 0)]
    while len(grown) < cells:
        at = int(random.integers(len(rim)))
        rim[at], rim[-1] = rim[-1], rim[at]
        column, row = rim.pop()
        if (column, row) in grown or (grown and not _extends(grown, column, row)):
            continue
        grown.add((column, row))
        # A cell turned down once may fit later: it comes back beside each new neighbour.
        rim += [(column + 1, row), (column, row + 1), (column - 1, row), (column, row - 1)]
    places = np.array(sorted(grown))
    places -= places.min(axis=0)
    mask = np.zeros(places.max(axis=0)[::-1] + 1, np.bool_)
    mask[places[:, 1], places[:, 0]] = True
    return mask


def _extends(grown: set[tuple[int, int]], column: int, row: int) -> bool:
    """Whether a cell touches the blob along one run of its eight neighbours.

    Two runs would enclose a hole, or meet the blob at a bare corner.
    """
    around = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
    full = [(column + dx, row + dy) in grown for dx, dy in around]
    runs = sum(full[i] and not full[i - 1] for i in range(8))
    return runs == 1 and any(full[::2])


def hollow(solid: Mask, wall: int = 1) -> Mask:
    """The rim of a solid mask, `wall` cells thick.

    Args:
        solid: a mask without holes.
        wall: thickness in cells.

    Returns:
        The cells of it that are within `wall` of the outside.
    """
    core = np.pad(solid, 1)
    for _ in range(wall):
        core[1:-1] &= core[:-2] & core[2:]
        core[:, 1:-1] &= core[:, :-2] & core[:, 2:]
    return solid & ~core[1:-1, 1:-1]


def pairs(mask: Mask) -> tuple[int, int]:
    """How many pairs of cells share a side, and how many only a corner.

    Args:
        mask: cells, true where there is material.

    Returns:
        Pairs that share a side, pairs that share a corner only.

    >>> pairs(bar(14, 28))
    (742, 702)
    """
    sides = (mask[:, 1:] & mask[:, :-1]).sum() + (mask[1:] & mask[:-1]).sum()
    corners = (mask[1:, 1:] & mask[:-1, :-1]).sum() + (mask[1:, :-1] & mask[:-1, 1:]).sum()
    return int(sides), int(corners)


def _trim(grid: Mask) -> Mask:
    rows, columns = np.flatnonzero(grid.any(axis=1)), np.flatnonzero(grid.any(axis=0))
    return grid[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
