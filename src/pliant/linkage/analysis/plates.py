"""What the plate of each link must hold: its joints, and the ways of joints that slide on it.

A plate has a frame that goes with it, in the complex plane: a point z of it is at

    origin + along · z

in the world, with `along` from one to the other of its two joints that are farthest apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import shapely

from pliant.core.arrays import Complex, Floats
from pliant.linkage.model import Linkage


@dataclass(frozen=True)
class LinkPlate:
    """A link's joints and guides in its own frame, and that frame at every pose."""

    link: str  # its label
    joints: dict[str, complex]
    guides: dict[str, tuple[complex, complex]]  # by joint that slides on it: the ends of its way
    origin: Complex  # (F,)
    along: Complex  # (F,)

    @property
    def hull(self) -> Complex:
        """The corners of all that it holds: two where all are in line."""
        points = [*self.joints.values(), *(end for ends in self.guides.values() for end in ends)]
        return hull_corners(np.array(points))


def link_plates(model: Linkage, points: Floats) -> list[LinkPlate]:
    """The plate of every link, at poses (F, N, 2) of the joints."""
    at = dict(zip(model.joints, np.moveaxis(points @ [1, 1j], 0, 1), strict=False))
    plates: list[LinkPlate] = []
    for link in model.links:
        pairs = combinations(link.joints, 2)
        first, second = max(pairs, key=lambda pair: abs(at[pair[1]][0] - at[pair[0]][0]))
        origin, along = at[first], at[second] - at[first]
        joints = {joint: complex((at[joint][0] - origin[0]) / along[0]) for joint in link.joints}
        guides = {
            slider.joint: way_ends((at[slider.joint] - origin) / along)
            for slider in model.sliders
            if slider.on == link.label
        }
        plates.append(LinkPlate(link.label, joints, guides, origin, along))
    return plates


def way_ends(path: Complex) -> tuple[complex, complex]:
    """The two ends of the straight line that a joint takes."""
    start = path[np.abs(path - path[0]).argmax()]
    return complex(start), complex(path[np.abs(path - start).argmax()])


def hull_corners(points: Complex) -> Complex:
    """The corners of points: two where all are in line."""
    hull: Any = shapely.convex_hull(shapely.multipoints(np.stack([points.real, points.imag], axis=-1)))
    flat = hull.geom_type != "Polygon"
    corners = shapely.get_coordinates(hull if flat else hull.exterior)[: None if flat else -1]
    return corners[:, 0] + 1j * corners[:, 1]
