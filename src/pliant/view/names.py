"""Names of bodies and points on a picture; those of points keep clear of what is drawn there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.path import Path
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

from pliant.core.arrays import Floats
from pliant.core.motion import Motion
from pliant.view.palette import INK, halo, plain
from pliant.view.scene import named_points, to_page

BODY_SIZE, POINT_SIZE = 6.5, 7.5  # of the letters, in points
# Where a name may stand beside its point, best first: x and y to the right and up.
SIDES = ((1, 1), (-1, 1), (1, -1), (-1, -1), (0, 1), (1, 0), (-1, 0), (0, -1))
MARGIN_PT = 11.0
GAPS = (4.5, 8.0, 14.0, 20.0)  # from the point to the name, in points


class Names:
    """Names that follow what they name. Where points have names, bodies keep theirs to themselves."""

    def __init__(self, axes: Axes, motion: Motion, unit_pt: float, shown: bool) -> None:
        self._points = np.flatnonzero(named_points(motion))
        self._of_points = len(self._points) > 0
        self._unit_pt = unit_pt
        # Beside the axes there is a margin that names may use too.
        self._page = Bbox(np.column_stack([axes.get_xlim(), axes.get_ylim()])).padded(MARGIN_PT / unit_pt)
        self._lines = [
            Path(to_page(motion, mark.points))
            for mark in motion.marks
            if mark.frame is None and mark.kind in ("curve", "segment", "polygon") and len(mark.points) > 1
        ]
        self._texts = [
            _text(axes, name, POINT_SIZE if self._of_points else BODY_SIZE)
            for name in (filter(None, motion.point_names) if self._of_points else motion.bodies)
            if shown
        ]
        self._placed = not (self._of_points and shown)

    @property
    def of_bodies(self) -> bool:
        """Whether bodies show their names."""
        return bool(self._texts) and not self._of_points

    def show(self, centres: Floats, points: Floats, bodies: Sequence[Path], strokes: Floats) -> None:
        """Move every name; sides are chosen once, so that names do not jump about while things move.

        Names keep off bodies and strokes (S, 2, 2).
        """
        places = points[self._points] if self._of_points else centres
        if not self._placed:
            self._choose_sides(places, [*bodies, *map(Path, strokes)])
            self._placed = True
        for text, place in zip(self._texts, places[: len(self._texts)], strict=True):
            text.xy = (float(place[0]), float(place[1]))

    def _choose_sides(self, points: Floats, bodies: Sequence[Path]) -> None:
        """Give each name a side of its point, away from the names that have theirs."""
        taken: list[Bbox] = []
        for text, place in zip(self._texts, points, strict=True):
            box = np.array([0.62 * POINT_SIZE * len(text.get_text()), POINT_SIZE])
            offset, around = self._side(place, box, points, bodies, taken)
            text.set_position((float(offset[0]), float(offset[1])))
            taken.append(around)

    def _side(
        self, place: Floats, box: Floats, points: Floats, bodies: Sequence[Path], taken: Sequence[Bbox]
    ) -> tuple[Floats, Bbox]:
        """From a point to the middle of its name, in points of type; and the room the name takes."""
        choices = [np.array(side) * (box / 2 + gap) for gap in GAPS for side in SIDES]
        reach = (box + GAPS[-1] + 2) / self._unit_pt
        bodies, lines = (_paths_near(paths, place, reach) for paths in (bodies, self._lines))
        half = (box / 2 + 1) / self._unit_pt
        middles = [place + offset / self._unit_pt for offset in choices]
        rooms = [Bbox(np.array([middle - half, middle + half])) for middle in middles]
        costs: list[float] = []
        for rank, (middle, room) in enumerate(zip(middles, rooms, strict=True)):
            hidden = (np.abs(points - middle) < half + 4 / self._unit_pt).all(axis=1).sum()
            hidden += room.count_overlaps(taken)
            over = sum(body.intersects_bbox(room) for body in bodies)
            across = sum(line.intersects_bbox(room, filled=False) for line in lines)
            cut = not (self._page.contains(*room.min) and self._page.contains(*room.max))
            costs.append(5.0 * cut + 4.0 * hidden + 3.0 * over + 2.0 * across + 0.05 * rank)
        best = int(np.argmin(costs))
        return choices[best], rooms[best]


def _paths_near(paths: Sequence[Path], place: Floats, reach: Floats) -> list[Path]:
    """The paths whose boxes come within reach of a place."""
    spans = ((path, np.asarray(path.vertices)) for path in paths if len(path))
    return [
        path
        for path, corners in spans
        if (corners.min(axis=0) < place + reach).all() and (corners.max(axis=0) > place - reach).all()
    ]


def _text(axes: Axes, name: str, size: float) -> Annotation:
    text = axes.annotate(
        plain(name, 24),
        (0, 0),
        xytext=(0, 0),
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize=size,
        color=INK,
        zorder=7,
        annotation_clip=False,
    )
    text.set_path_effects(halo(2.0, 0.8))
    return text
