"""Jigsaws: pieces whose sides are smooth random knobs, the same points on both sides of a cut."""

from __future__ import annotations

import numpy as np
import shapely

from pliant.core.arrays import Floats
from pliant.flex.model import Assembly, Body, Study, Term

KNOB = 0.1  # of a side: half the neck, roughly; the knob is as wide as four of them
STRAIGHT = np.array([[0.0, 0.0], [1.0, 0.0]])
_T = np.arange(64)[:, None] / 63
BERNSTEIN = np.hstack([(1 - _T) ** 3, 3 * _T * (1 - _T) ** 2, 3 * _T**2 * (1 - _T), _T**3])  # (64, 4)


def jigsaw(
    columns: int,
    rows: int,
    vertices: int = 160,
    clearance: float = 0.1,
    seed: int = 0,
    size: float = 20.0,
    jitter: float = 0.04,
    fixed: tuple[int, int] = (0, 0),
    study: Study | None = None,
    title: str = "",
) -> Assembly:
    """A rectangular jigsaw of pieces "p3_7" (column, row), flat along its border.

    Args:
        columns: pieces along x.
        rows: pieces along y.
        vertices: of an inner piece, a multiple of 4.
        clearance: between pieces (mm).
        seed: of the knobs' shapes.
        size: side of a piece (mm).
        jitter: how far knobs stray, as a share of a side.
        fixed: column and row of the piece that is held.
        study: what is asked for; left out, how far the upper right piece goes up.
        title: of the model.

    Returns:
        The assembly.

    Raises:
        ValueError: there is no piece, fewer than 40 vertices, or knobs would meet.

    >>> model = jigsaw(3, 3, vertices=120)
    >>> len(model.bodies), len(model.bodies[4].outline)
    (9, 120)
    """
    if min(columns, rows) < 1 or vertices < 40:
        raise ValueError(
            f"jigsaw: got {columns} × {rows} pieces of {vertices} vertices; it needs a piece and 40 vertices"
        )
    rings = _pieces(columns, rows, vertices // 4, np.random.default_rng(seed), jitter)
    _check(rings, clearance / size, jitter)
    bodies = tuple(
        Body.model_construct(
            name=f"p{column}_{row}",
            outline=tuple((x, y) for x, y in (size * ring).tolist()),
            pose=(size * (column + 0.5), size * (row + 0.5), 0.0),
            fixed=(column, row) == fixed,
        )
        for (column, row), ring in rings.items()
    )
    last = f"p{columns - 1}_{rows - 1}"
    return Assembly(
        title=title or f"Jigsaw of {columns} × {rows} pieces",
        clearance=clearance,
        bodies=bodies,
        study=study
        or (Study(maximize=(Term(body=last, direction=(0.0, 1.0)),)) if len(bodies) > 1 else Study()),
    )


def _pieces(
    columns: int, rows: int, count: int, random: np.random.Generator, jitter: float
) -> dict[tuple[int, int], Floats]:
    """Outlines about the pieces' centres, on a grid of unit squares, counter-clockwise."""
    uprights = {(c, r): _knob(count, random, jitter) for r in range(rows) for c in range(columns - 1)}
    levels = {(c, r): _knob(count, random, jitter) for r in range(rows - 1) for c in range(columns)}
    rings: dict[tuple[int, int], Floats] = {}
    for row in range(rows):
        for column in range(columns):
            bottom = levels.get((column, row - 1), STRAIGHT) - [0.5, 0.5]
            right = uprights.get((column, row), STRAIGHT)[:, ::-1] - [-0.5, 0.5]
            top = levels.get((column, row), STRAIGHT)[::-1] - [0.5, -0.5]
            left = uprights.get((column - 1, row), STRAIGHT)[::-1, ::-1] - [0.5, 0.5]
            rings[column, row] = np.vstack([side[:-1] for side in (bottom, right, top, left)])
    return rings


def _knob(count: int, random: np.random.Generator, jitter: float) -> Floats:
    """A random knob from (0, 0) to (1, 0), to one side or the other, by `count` equal chords.

    Three cubic Bézier curves: shoulder, knob, shoulder. Where two meet, the control points
    on both sides lie on one line, so the curve is smooth.
    """
    start, shift, lift, lean, end = random.uniform(-jitter, jitter, 5)
    middle = 0.5 + shift
    controls = np.array(
        [
            [0.0, 0.0],
            [0.2, start],
            [middle + lean, lift - KNOB],
            [middle - KNOB, lift + KNOB],
            [middle - 2 * KNOB - lean, lift + 3 * KNOB],
            [middle + 2 * KNOB - lean, lift + 3 * KNOB],
            [middle + KNOB, lift + KNOB],
            [middle + lean, lift - KNOB],
            [0.8, end],
            [1.0, 0.0],
        ]
    )
    fine: Floats = np.vstack([BERNSTEIN @ controls[3 * part : 3 * part + 4] for part in range(3)])
    length: Floats = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(fine, axis=0).T))])
    at: Floats = length[-1] * np.arange(count + 1) / count
    x: Floats = np.interp(at, length, fine[:, 0])
    y: Floats = np.interp(at, length, fine[:, 1])
    curve = np.column_stack([x, y])
    curve[-1] = controls[-1]
    return curve * [1.0, random.choice([-1.0, 1.0])]


def _check(rings: dict[tuple[int, int], Floats], clearance: float, jitter: float) -> None:
    """Refuse knobs that cross each other, and a clearance that cuts through a neck."""
    pieces = [shapely.Polygon(ring) for ring in rings.values()]
    whole = shapely.is_valid(pieces)
    left = shapely.buffer(pieces, -0.5 * clearance, join_style="mitre")
    kept = np.array([isinstance(part, shapely.Polygon) and not part.is_empty for part in left])
    for name, fine, cure in (("jitter", whole, jitter), ("clearance", kept, clearance)):
        if not fine.all():
            place = list(rings)[int(np.argmin(fine))]
            raise ValueError(f"{name}: at {cure:g} of a side the knobs of piece {place} meet; try half of it")
