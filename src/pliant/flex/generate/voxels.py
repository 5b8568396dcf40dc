"""Voxel structures: cells on a mask, every shared side joined by a tab in a socket.

Source: [Lensgraf2020] section I and Table I, whose structures are drawn and not given.
Differs: the joint is ours: neck half-width 0.12, head 0.18, depth 0.20 of a cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from pliant.core.arrays import Floats
from pliant.flex.generate.masks import Mask
from pliant.flex.model import Assembly, Body, Outline, Study, Term

JointStyle = Literal["dovetail", "puzzle"]
Polarity = Literal["regular", "random"]
CellIndex = tuple[int, int]  # column, row
Code = tuple[int, int, int, int]  # what the bottom, right, top and left of a cell carry

FLAT, TAB, SOCKET = 0, 1, 2
BOTTOM, RIGHT, TOP, LEFT = range(4)  # the order of the sides around a cell
LETTERS = "fts"  # flat, tab, socket; a shape is named by its four sides, such as "ftsf"

DOVETAIL = np.array([[-0.12, 0.0], [-0.18, 0.20], [0.18, 0.20], [0.12, 0.0]])
NECK, KNOB, SEGMENTS = 0.07, 0.13, 16  # the puzzle joint: half-width, radius, chords of the knob


def voxels(
    mask: Mask,
    joint: JointStyle = "dovetail",
    clearance: float = 0.02,
    polarity: Polarity = "regular",
    seed: int = 0,
    size: float = 1.0,
    fixed: Sequence[CellIndex] | None = None,
    study: Study | None = None,
    title: str = "",
) -> Assembly:
    """A cell for each place of the mask, named "c3_7" by column and row.

    Outlines touch; the model's `clearance` opens every joint by that much. At 0.0446 of a
    cell a dovetail slips straight out of its socket, at 0.054 a puzzle knob does; tilted, a
    dovetail comes out from about 0.035. Cells of the same four sides share a shape, so there
    are at most 3⁴ shapes.

    Args:
        mask: cells, true where there is material.
        joint: shape of the tabs.
        clearance: of the joints, in the units of `size`.
        polarity: "regular" has tabs on the right and the top; "random" tosses a coin for each side.
        seed: of the coins.
        size: side of a cell.
        fixed: columns and rows of the cells that are held; left out, the lowest of the first column.
        study: what is asked for; left out, how far the upper right cell goes up.
        title: of the model.

    Returns:
        The assembly.

    Raises:
        ValueError: the mask is empty, or a fixed cell is not in it.

    >>> model = voxels(np.ones((2, 3), np.bool_))
    >>> [body.name for body in model.bodies][:4], sorted(model.shapes)[:2]
    (['c0_0', 'c1_0', 'c2_0', 'c0_1'], ['ffts', 'fttf'])
    """
    mask = np.asarray(mask, np.bool_)
    if mask.ndim != 2 or not mask.any():
        raise ValueError(f"mask: got shape {mask.shape}, {mask.sum()} cells; it needs two axes and a cell")
    profile = size * _profile(joint)
    codes = _codes(mask, polarity, seed)
    names = {code: "".join(LETTERS[side] for side in code) for code in sorted(set(codes))}
    rows, columns = np.nonzero(mask)
    places: list[CellIndex] = list(zip(columns.tolist(), rows.tolist(), strict=True))
    held = set(fixed) if fixed is not None else {lowest_left(mask)}
    if missing := sorted(held.difference(places)):
        raise ValueError(f"fixed: no cell at column, row {missing[0]}; give places the mask fills")
    bodies = tuple(
        # What is made here needs no check, and 100,000 checks take a while.
        Body.model_construct(
            name=cell_name(place), shape=names[code], pose=_pose(place, size), fixed=place in held
        )
        for place, code in zip(places, codes, strict=True)
    )
    return Assembly(
        title=title or f"{len(bodies)} cells with {joint} joints",
        clearance=clearance,
        shapes={name: _cell(code, profile, size) for code, name in names.items()},
        bodies=bodies,
        study=study or (Study() if upper_right(mask) in held else raise_study(upper_right(mask))),
    )


def raise_study(cell: CellIndex, direction: tuple[float, float] = (0.0, 1.0)) -> Study:
    """The study that moves one cell as far as it goes along a direction.

    Args:
        cell: column and row.
        direction: along which it is moved, of any length.

    Returns:
        The study.
    """
    return Study(maximize=(Term(body=cell_name(cell), direction=direction),))


def cell_name(cell: CellIndex) -> str:
    """What the body of a cell is called."""
    return f"c{cell[0]}_{cell[1]}"


def lowest_left(mask: Mask) -> CellIndex:
    """The lowest cell of the first column that has one."""
    column = int(np.flatnonzero(mask.any(axis=0))[0])
    return column, int(np.flatnonzero(mask[:, column])[0])


def upper_right(mask: Mask) -> CellIndex:
    """The highest cell of the last column that has one."""
    column = int(np.flatnonzero(mask.any(axis=0))[-1])
    return column, int(np.flatnonzero(mask[:, column])[-1])


def _pose(cell: CellIndex, size: float) -> tuple[float, float, float]:
    return cell[0] * size, cell[1] * size, 0.0


def _codes(mask: Mask, polarity: Polarity, seed: int) -> list[Code]:
    """The four sides of every cell, in the order of `np.nonzero`."""
    random = np.random.default_rng(seed)
    sides = np.zeros((*mask.shape, 4), np.int64)
    for axis, near, far in ((1, RIGHT, LEFT), (0, TOP, BOTTOM)):
        before, after = (slice(None),) * axis + (slice(-1),), (slice(None),) * axis + (slice(1, None),)
        shared = mask[before] & mask[after]
        tabs = random.random(shared.shape) < 0.5 if polarity == "random" else np.ones_like(shared)
        sides[(*before, ..., near)] = np.where(shared, np.where(tabs, TAB, SOCKET), FLAT)
        sides[(*after, ..., far)] = np.where(shared, np.where(tabs, SOCKET, TAB), FLAT)
    return [(bottom, right, top, left) for bottom, right, top, left in sides[mask].tolist()]


def _cell(code: Code, profile: Floats, size: float) -> Outline:
    """The outline of a cell about its centre, counter-clockwise from the lower left corner."""
    corner = np.array([[-0.5 * size, 0.0]])
    sides: list[Floats] = []
    for side, kind in enumerate(code):
        joint = profile * [1.0, 1.0 if kind == TAB else -1.0]
        along, outward = (corner if kind == FLAT else np.vstack([corner, joint])).T
        # Along the bottom, walking on is +x and outward is −y; each further side turns by 90°.
        x, y = along, -outward - 0.5 * size
        sides.append(np.column_stack(((x, y), (-y, x), (-x, -y), (y, -x))[side]))
    return tuple((x, y) for x, y in np.vstack(sides).tolist())


def _profile(joint: JointStyle) -> Floats:
    """A tab of a unit cell, (K, 2): along the side, and outward from it; its own mirror image."""
    if joint == "dovetail":
        return DOVETAIL
    if joint != "puzzle":
        raise ValueError(f'joint: got "{joint}"; allowed are "dovetail" and "puzzle"')
    # The knob's circle meets the neck where its half chord is the neck's half-width.
    start = float(np.arcsin(NECK / KNOB))
    angles: Floats = np.linspace(start, np.pi, SEGMENTS // 2 + 1)[:-1]
    centre = KNOB * np.cos(start) + 0.5 * NECK
    half = np.column_stack([-KNOB * np.sin(angles), centre - KNOB * np.cos(angles)])
    half = np.vstack([[-NECK, 0.0], half])
    return np.vstack([half, [0.0, centre + KNOB], half[::-1] * [-1.0, 1.0]])
