"""Rotors, gears, racks and hydraulic circuits: sums of angles, travels and lengths, driven or held.

Each sum is a length: angles are weighted with an arm, volumes with one over the largest area, so
that the one stiffness of what is rigid fits them all. Goals count from what is measured as drawn.

Source: [Lipson2006] Tables 1 and 2, "Rotary actuation", "Gears", "Hydraulics".
Differs: an angle is measured, not the chord across it, whose length says nothing at 0 and π.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pliant.core.arrays import Floats
from pliant.relax.assemble.links import BAND
from pliant.relax.assemble.rows import AxisVector, Coupling, Layout, Measure, path
from pliant.relax.model import Circuit, Gear, Mechanism, NamePair, Rotor
from pliant.relax.network.elements import ANGLE, DIHEDRAL, LENGTH, TRAVEL
from pliant.relax.network.laws import BAR, BUMPER

PLANE = ((1.0, 0.0), (0.0, 1.0))


def couplings(model: Mechanism, layout: Layout) -> Iterator[Coupling]:
    """Couplings of rotors, gears, racks and circuits; ties are made elsewhere."""
    yield from (_rotor(rotor, layout) for rotor in model.rotors)
    for gear in model.gears:
        if gear.wheels and gear.ratio:
            yield _gear(gear, gear.wheels, gear.ratio, layout)
        elif gear.wheel and gear.rack and gear.along and gear.radius:
            yield _rack(gear, gear.wheel, gear.rack, gear.along, gear.radius, layout)
    yield from (_circuit(circuit, layout) for circuit in model.cylinders)


def _rotor(rotor: Rotor, layout: Layout) -> Coupling:
    joint, first, second = layout.numbers((rotor.joint, *rotor.arms))
    if rotor.axis is None:
        arm = min(layout.distance(rotor.joint, name) for name in rotor.arms)
        turns = [Measure(ANGLE, (joint, second), arm, PLANE), Measure(ANGLE, (joint, first), -arm, PLANE)]
    else:
        axis = layout.number[rotor.axis]
        across = frame(layout.drawn[axis] - layout.drawn[joint])
        arm = min(_arm(joint, node, across, layout) for node in (first, second))
        turns = [Measure(DIHEDRAL, (first, joint, axis, second), arm)]
    goal = tuple(arm * angle for angle in path(0.0, rotor.to))
    return Coupling(
        f"rotor {rotor.joint}", tuple(turns), goal, _stiffness(rotor, layout), rigid=_holds(rotor)
    )


def _gear(gear: Gear, wheels: tuple[NamePair, NamePair], ratio: float, layout: Layout) -> Coupling:
    """(θ₂ − θ_c) − ratio (θ₁ − θ_c) = 0, times the second wheel's arm."""
    across = _gear_plane(gear)
    first, second = (layout.numbers(wheel) for wheel in wheels)
    arm = _arm(second[0], second[1], across, layout)
    turns = [Measure(ANGLE, second, arm, across), Measure(ANGLE, first, -arm * ratio, across)]
    if gear.carrier is not None:
        turns.append(Measure(ANGLE, layout.numbers(gear.carrier), arm * (ratio - 1.0), across))
    name = f"gear {wheels[0][0]}-{wheels[1][0]}"
    return Coupling(name, tuple(turns), (0.0,), _stiffness(gear, layout), rigid=_holds(gear))


def _rack(
    gear: Gear, wheel: NamePair, rack: str, along: AxisVector, radius: float, layout: Layout
) -> Coupling:
    """Travel − radius θ = 0."""
    unit = np.array(along) / np.linalg.norm(along)
    travel = Measure(TRAVEL, layout.numbers([rack]), 1.0, (tuple(unit.tolist()),))
    turn = Measure(ANGLE, layout.numbers(wheel), -radius, _gear_plane(gear))
    name = f"gear {wheel[0]}-{rack}"
    return Coupling(name, (travel, turn), (0.0,), _stiffness(gear, layout), rigid=_holds(gear))


def _circuit(circuit: Circuit, layout: Layout) -> Coupling:
    """Σ Aᵢ lᵢ holds at least its volume, over the largest area; where double-acting, just that."""
    areas = circuit.areas or (1.0,) * len(circuit.lines)
    largest = max(areas)
    lengths = tuple(
        Measure(LENGTH, layout.numbers(line), area / largest)
        for line, area in zip(circuit.lines, areas, strict=True)
    )
    band = circuit.band or BAND * max(layout.distance(*line) for line in circuit.lines)
    named = ["-".join(line) for line in circuit.lines[:3]] + ["…"] * (len(circuit.lines) > 3)
    return Coupling(
        f"cylinder {', '.join(named)}",
        lengths,
        tuple(volume / largest for volume in path(0.0, circuit.to)),
        _stiffness(circuit, layout),
        BAR if circuit.double else BUMPER,
        0.0 if circuit.double else band,
        rigid=_holds(circuit),
    )


def _stiffness(element: Rotor | Gear | Circuit, layout: Layout) -> float:
    return layout.stiffness if element.stiffness is None else element.stiffness


def _holds(element: Rotor | Gear | Circuit) -> bool:
    """Whether a coupling is rigid: it is where it has no stiffness of its own."""
    return element.stiffness is None


def _gear_plane(gear: Gear) -> tuple[AxisVector, ...]:
    return PLANE if gear.axis is None else frame(np.array(gear.axis))


def frame(axis: Floats) -> tuple[AxisVector, AxisVector]:
    """Two unit vectors across an axis in space, right-handed about it."""
    axis = axis / np.linalg.norm(axis)
    least = np.eye(3)[np.abs(axis).argmin()]  # the coordinate axis farthest from it
    first = np.cross(least, axis)
    first /= np.linalg.norm(first)
    second = np.cross(axis, first)
    return tuple(first.tolist()), tuple(second.tolist())


def _arm(centre: int, node: int, across: tuple[AxisVector, ...], layout: Layout) -> float:
    """Distance of a node from its centre, perpendicular to the axis."""
    return float(np.linalg.norm(np.array(across) @ (layout.drawn[node] - layout.drawn[centre])))
