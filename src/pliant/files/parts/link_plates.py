"""The links of a linkage as plates: rounded bars about their joints, with pin holes, slots and spacers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import shapely

from pliant.core.arrays import Floats
from pliant.core.errors import Fault, InputError
from pliant.core.outline import open_ring
from pliant.files.parts.kerf import drilled
from pliant.files.parts.part import Circle, Loop, Part, Piece, circle_sides
from pliant.linkage.analysis.layers import Layers, assign_layers, link_pins
from pliant.linkage.analysis.plates import LinkPlate, hull_corners, link_plates, way_ends
from pliant.linkage.analysis.stacking import StackPin
from pliant.linkage.model import Linkage
from pliant.linkage.result import TraceResult
from pliant.linkage.structure.pins import other_names

GROUND = "ground"


@dataclass(frozen=True)
class PlateSizes:
    """Of plates and pins, in the file's unit."""

    width: float  # of a bar
    pin: float  # diameter of a hole
    chord: float  # how far the chords of roundings may be from them


@dataclass(frozen=True)
class PinLength:
    """A pin, and how many layers it goes through, the ground's among them."""

    joint: str
    layers: int


@dataclass(frozen=True)
class LinkageParts:
    """Plates and spacers, from the ground up, and what holds them together."""

    parts: list[Part]
    layers: Layers
    pins: list[PinLength]


def linkage_parts(result: TraceResult, sizes: PlateSizes) -> LinkageParts:
    """The plates of a linkage that was run: in layers in which they pass each other, as drawn."""
    model = result.model
    drawn = np.array(list(model.joints.values()), np.float64)
    points = np.concatenate([drawn[None], result.poses.points[:, : len(drawn)]])
    layers = assign_layers(model, points, sizes.width)
    pins = link_pins(model, points)
    has_ground = any(pin.grounded for pin in pins)
    stack = _Stack(layers, pins, [link.label for link in model.links], has_ground)
    plates = [_link_part(plate, model, stack, sizes) for plate in link_plates(model, points)]
    ground = [_ground_part(model, pins, sizes)] if has_ground else []
    made = [*ground, *plates]
    if faults := [one for one in made if isinstance(one, Fault)]:
        raise InputError(faults)
    parts = [one for one in made if isinstance(one, Part)] + _spacers(stack, sizes)
    return LinkageParts(sorted(parts, key=lambda part: part.level or 0), layers, stack.lengths())


@dataclass(frozen=True)
class _Stack:
    """Which layer each link is in, and which each pin goes through."""

    layers: Layers
    pins: Sequence[StackPin]
    labels: Sequence[str]
    has_ground: bool

    def level(self, row: int) -> int:
        """A layer's place above the lowest plate; the ground's row is -1."""
        return row + 1 if self.has_ground else row

    def rows(self, pin: StackPin) -> list[int]:
        """The layers of the links on a pin, the ground's among them."""
        return [-1] * pin.grounded + [self.layers.layers[self.labels[link]] for link in pin.links]

    def lengths(self) -> list[PinLength]:
        """From the lowest layer of each pin to its highest."""
        spans = [(pin.joint, self.rows(pin)) for pin in self.pins]
        return [PinLength(joint, max(rows) - min(rows) + 1) for joint, rows in spans]

    def empty_rows(self, pin: StackPin) -> list[int]:
        """The layers between them in which the pin has no link: a spacer each."""
        rows = self.rows(pin)
        return [row for row in range(min(rows), max(rows)) if row not in rows]


def _link_part(plate: LinkPlate, model: Linkage, stack: _Stack, sizes: PlateSizes) -> Part | Fault:
    length = float(abs(plate.along[0]))
    twins = _twins(model)
    pinned = {pin.joint for pin in stack.pins}
    centres = [length * at for joint, at in plate.joints.items() if twins.get(joint, joint) in pinned]
    slots = [(length * first, length * last) for first, last in plate.guides.values()]
    row = stack.layers.layers[plate.link]
    x, y, angle = plate.origin[0].real, plate.origin[0].imag, np.angle(plate.along[0])
    return _plate(
        Part(plate.link, (), (float(x), float(y), float(angle)), stack.level(row), f"layer {row}"),
        length * plate.hull,
        centres,
        slots,
        sizes,
    )


def _twins(model: Linkage) -> Mapping[str, str]:
    return other_names(model.joints, (link.joints for link in model.links), model.ground)


def _ground_part(model: Linkage, pins: Sequence[StackPin], sizes: PlateSizes) -> Part | Fault:
    """A plate behind all links, about the joints and the guides that are fixed."""
    twins = _twins(model)
    sliding = {twins.get(slider.joint, slider.joint) for slider in model.sliders if slider.on is None}
    grounded = [pin for pin in pins if pin.grounded]
    centres = [complex(*pin.path[0]) for pin in grounded if pin.joint not in sliding]
    slots = [way_ends(pin.path[:, 0] + 1j * pin.path[:, 1]) for pin in grounded if pin.joint in sliding]
    corners = hull_corners(np.array([*centres, *(end for slot in slots for end in slot)]))
    return _plate(Part(GROUND, (), level=0, layer=GROUND), corners, centres, slots, sizes)


def _plate(
    part: Part,
    corners: Iterable[complex],
    centres: Iterable[complex],
    slots: Iterable[tuple[complex, complex]],
    sizes: PlateSizes,
) -> Part | Fault:
    """A part with the outline around its corners, pin holes and slots."""
    holes = tuple(Circle(at.real, at.imag, sizes.pin / 2) for at in centres)
    ways: tuple[Loop, ...] = tuple(_rounded(slot, sizes.pin / 2, sizes.chord) for slot in slots)
    made = drilled(Piece(_rounded(corners, sizes.width / 2, sizes.chord), ways), holes)
    if made is None:
        problem = "its pin holes meet each other or a slot"
        return Fault(part.name, problem, "Give a thinner --pin, or enlarge it with --scale", (part.name,))
    return Part(part.name, (made,), part.pose, part.level, part.layer)


def _rounded(corners: Iterable[complex], radius: float, chord: float) -> Floats:
    """The convex outline that is `radius` away from all corners, its roundings as chords."""
    points = shapely.MultiPoint([(corner.real, corner.imag) for corner in corners])
    quarter = circle_sides(radius, chord) // 4
    around = shapely.buffer(shapely.convex_hull(points), radius, quad_segs=quarter)
    return open_ring(shapely.get_coordinates(around))


def _spacers(stack: _Stack, sizes: PlateSizes) -> list[Part]:
    """Rings for the layers that a pin goes through without a link.

    Links keep half a width away from the middle of pins that are not theirs; a ring is less wide than that.
    """
    ring = Piece(Circle(0.0, 0.0, (sizes.pin + sizes.width) / 4), (Circle(0.0, 0.0, sizes.pin / 2),))
    return [
        Part(
            f"spacer {pin.joint} {row}",
            (ring,),
            (float(pin.path[0, 0]), float(pin.path[0, 1]), 0.0),
            stack.level(row),
            f"layer {row}",
        )
        for pin in stack.pins
        for row in stack.empty_rows(pin)
    ]
