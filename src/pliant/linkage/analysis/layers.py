"""Layers: in which plane each link runs, so that links pass each other and each other's pins.

Links are flat plates of one width, rounded about the convex hull of their joints (and of the
stretch of a guide they carry), in parallel layers 0, 1, 2, …; the ground is a plate behind layer 0.
A joint of two or more links has a pin from the lowest to the highest of their layers; a joint on
the ground, or in a guide on the ground, has one from the ground up to the highest. A pin is half
as thick as a link is wide, and has a quarter of the width of air around it. So

    a   two links that come nearer than the width are not in one layer;
    b   a link that comes nearer than the width to a pin that is not its own is above all links of
        that pin, or below all of them: a pin that starts at the ground leaves the first only.

The fewest layers are found by integer programs (`stacking`). Links can always pass each other in
layers of their own, but not always each other's pins: then the fewest collisions are found.
Distances are taken at the given poses and not between them; `Layers.step` tells how much can be
missed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from pliant.core.arrays import Floats
from pliant.linkage.analysis.plates import link_plates
from pliant.linkage.analysis.stacking import LinkPair, Passing, StackPin, find_stack
from pliant.linkage.model import Linkage
from pliant.linkage.structure.pins import other_names

SECONDS = 5.0  # for the search


@dataclass(frozen=True)
class Collision:
    """A link that runs into the pin of a joint that is not its own."""

    link: str
    pin: str  # its joint
    frame: int  # the pose where they are nearest


@dataclass(frozen=True)
class Layers:
    """The layer of each link, and what collides nevertheless."""

    layers: dict[str, int]  # by the link's label; 0 is next to the ground
    count: int
    proven: bool  # whether no fewer layers, or no fewer collisions, are possible at these poses
    collisions: tuple[Collision, ...]
    poses: int  # at which distances were taken
    step: float  # how far any point of a link moves between two of them, at most
    width: float
    units: str

    def describe(self) -> tuple[str, ...]:
        """Sentences: how many layers, which link is where, what collides, how finely it was looked at."""
        rows = [[link for link, layer in self.layers.items() if layer == row] for row in range(self.count)]
        placed = "; ".join(f"{row}: {', '.join(links)}" for row, links in enumerate(rows))
        number = "1 layer" if self.count == 1 else f"{self.count} layers"
        if self.collisions:
            no, wording = ("is", "") if self.proven else ("was found that is", " found")
            first = (
                f"No order of layers {no} free of collisions. With the fewest{wording}, {number}: {placed}."
            )
        else:
            least = (
                "the fewest possible" if self.proven else "perhaps not the fewest (the search was cut short)"
            )
            first = f"{number}, {least}: {placed}."
        finely = f"Looked at in {self.poses} poses; between two of them links move by up to "
        hits = [
            f"Link {hit.link} runs into the pin at {hit.pin} at pose {hit.frame}." for hit in self.collisions
        ]
        return (first, *hits, f"{finely}{self.step:.3g} {self.units}.")

    def to_dict(self) -> dict[str, Any]:
        """As the result's JSON has it."""
        return {
            "layers": dict(self.layers),
            "count": self.count,
            "proven": self.proven,
            "collisions": [vars(collision).copy() for collision in self.collisions],
            "width": self.width,
            "poses": self.poses,
            "step": self.step,
        }


def assign_layers(model: Linkage, points: Floats, width: float, seconds: float = SECONDS) -> Layers:
    """The fewest layers for links of this width to run free at poses (F, N, 2), or the fewest collisions."""
    plates, pins = _plates(model, points), link_pins(model, points)
    passings = _passings(plates, pins, width)
    stack = find_stack(len(plates), pins, _meetings(plates, pins, width), passings, seconds)
    labels = [link.label for link in model.links]
    collisions = tuple(
        Collision(labels[passing.link], pins[passing.pin].joint, passing.frame)
        for passing in passings
        if not passing.clear(stack.rows, pins)
    )
    return Layers(
        layers=dict(zip(labels, stack.rows.tolist(), strict=True)),
        count=int(stack.rows.max()) + 1,
        proven=stack.fewest_collisions and (stack.fewest_layers or bool(collisions)),
        collisions=collisions,
        poses=len(points),
        step=max(plate.step for plate in plates),
        width=width,
        units=model.units,
    )


# Shapes


@dataclass(frozen=True)
class _Plate:
    """A link at every pose, without its rounding."""

    shapes: NDArray[Any]  # (F,) of shapely
    corners: Floats  # (F, K, 2)
    step: float  # how far it moves from one to the next, at most


def _plates(model: Linkage, points: Floats) -> list[_Plate]:
    plates: list[_Plate] = []
    for plate in link_plates(model, points):
        corners = plate.origin[:, None] + plate.along[:, None] * plate.hull
        corners = np.stack([corners.real, corners.imag], axis=-1)
        steps = np.hypot(*np.moveaxis(np.diff(corners, axis=0), -1, 0))
        make: Any = shapely.linestrings if corners.shape[1] == 2 else shapely.polygons
        plates.append(_Plate(make(corners), corners, float(steps.max(initial=0.0))))
    return plates


def _box(corners: Floats, margin: float = 0.0) -> Any:
    low, high = corners.reshape(-1, 2).min(axis=0) - margin, corners.reshape(-1, 2).max(axis=0) + margin
    return shapely.box(*low, *high)


def link_pins(model: Linkage, points: Floats) -> list[StackPin]:
    """The joints that have a pin, with the links on each, at poses (F, N, 2)."""
    labels = [link.label for link in model.links]
    links: dict[str, list[int]] = {name: [] for name in model.joints}
    twins = other_names(model.joints, (link.joints for link in model.links), model.ground)
    for number, link in enumerate(model.links):
        for joint in link.joints:
            links[twins.get(joint, joint)].append(number)
    grounded = {twins.get(joint, joint) for joint in model.ground}
    for slider in model.sliders:
        joint = twins.get(slider.joint, slider.joint)
        if slider.on is None:
            grounded.add(joint)
        else:
            links[joint].append(labels.index(slider.on))
    return [
        StackPin(joint, tuple(dict.fromkeys(members)), joint in grounded, points[:, number])
        for number, (joint, members) in enumerate(links.items())
        if len(set(members)) > (joint not in grounded)
    ]


def _tree(plates: list[_Plate]) -> shapely.STRtree:
    """Boxes around all poses of each plate; the distance of boxes of no width is none of GEOS's strengths."""
    return shapely.STRtree([_box(plate.corners) for plate in plates])


# Conflicts


def _meetings(plates: list[_Plate], pins: list[StackPin], width: float) -> list[LinkPair]:
    """Links on one pin, and links that come nearer to each other than the width."""
    shared = {pair for pin in pins for pair in combinations(sorted(pin.links), 2)}
    near = _tree(plates).query([_box(plate.corners, width) for plate in plates]).T
    pairs = [(a, b) for a, b in near.tolist() if a < b and (a, b) not in shared]
    met = [(a, b) for a, b in pairs if shapely.dwithin(plates[a].shapes, plates[b].shapes, width).any()]
    return sorted(shared) + met


def _passings(plates: list[_Plate], pins: list[StackPin], width: float) -> list[Passing]:
    """Links that come nearer than the width to a pin that is not theirs."""
    near = _tree(plates).query([_box(pin.path, width) for pin in pins]).T
    passings: list[Passing] = []
    for pin, link in near.tolist():
        distances = shapely.distance(plates[link].shapes, shapely.points(pins[pin].path))
        if link not in pins[pin].links and distances.min() <= width:
            passings.append(Passing(link, pin, int(distances.argmin())))
    return passings
