"""A model compiled to arrays."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from pliant.core.arrays import Floats
from pliant.relax.assemble.contacts import touches
from pliant.relax.assemble.couplings import couplings
from pliant.relax.assemble.element_arrays import (
    coupling_arrays,
    edges,
    field_arrays,
    guide_arrays,
    link_arrays,
    rail_arrays,
)
from pliant.relax.assemble.guide_curves import cubics
from pliant.relax.assemble.links import links, merge_links
from pliant.relax.assemble.rigid_bodies import base_links, bodies, body_simplices, hinge_bodies, ties
from pliant.relax.assemble.rigidity import rigid_stiffness
from pliant.relax.assemble.rows import Coupling, DriveValues, Layout, LinkRow, Rail
from pliant.relax.assemble.waypoints import sample_paths, steps
from pliant.relax.assemble.wrapping import cylinders, string_links, windings, wrapped_strings
from pliant.relax.mechanics.guides import onto_curve
from pliant.relax.model import Mechanism
from pliant.relax.network.elements import Elements
from pliant.relax.network.measures import measure_angles, measure_couplings
from pliant.relax.network.network import Drive, Network


def build(model: Mechanism) -> Network:
    """Compile every element of a model to links, rails, couplings and contacts between numbered nodes."""
    curves = [cubics(np.array(guide.curve), guide.closed) for guide in model.guides if guide.curve]
    layout, hinges = hinge_bodies(model, _layout(model, curves))
    layout, bases = body_simplices([*bodies(model, layout), *hinges], layout)
    layout, wrapped = wrapped_strings(model, layout)
    shown, dimension = len(model.nodes), layout.drawn.shape[1]
    strung, based_on = string_links(wrapped, layout), base_links(bases, layout, shown)
    linked = merge_links(chain(links(model, layout), based_on, strung))
    rails = [*_sliders(model, layout), *cylinders(wrapped, layout)]
    coupled = [*ties(bases, layout), *couplings(model, layout), *windings(model, layout)]
    touch, touches_hold = touches(model, layout)
    parts = Elements(
        link_arrays(linked, len(layout.names)),
        rail_arrays(rails),
        coupling_arrays(coupled, dimension),
        guide_arrays(model, layout, curves),
        touch,
        field_arrays(model, layout),
    )
    full = [base for base in bases if len(base.nodes) == dimension + 1]
    return Network(
        names=layout.names,
        shown=shown,
        drawn=layout.drawn,
        parts=parts,
        drive=_drive(model, layout, parts, linked, coupled),
        link_names=tuple(link.name for link in linked),
        coupling_names=tuple(coupling.name for coupling in coupled),
        rail_names=tuple(rail.name for rail in rails),
        rigid=np.array([link.rigid for link in linked], np.bool_),
        hidden=np.array([link.hidden for link in linked], np.bool_),
        simplices=np.array([base.nodes for base in full], np.int64).reshape(-1, dimension + 1),
        body_names=tuple(base.body.name for base in full),
        edges=edges(parts),
        stiffness=layout.stiffness,
        rails_hold=np.array([rail.rigid for rail in rails], np.bool_),
        touches_hold=touches_hold,
        couplings_hold=np.array([coupling.rigid for coupling in coupled], np.bool_),
    )


def _layout(model: Mechanism, curves: Sequence[Floats]) -> Layout:
    """The model's nodes by number, those on curves projected onto them."""
    number = {name: index for index, name in enumerate(model.nodes)}
    drawn = np.array(list(model.nodes.values()), np.float64)
    guides = [guide for guide in model.guides if guide.curve]
    for guide, curve in zip(guides, curves, strict=True):
        onto_curve(curve, guide.closed, drawn[number[guide.node]])
    return Layout(tuple(number), number, drawn, rigid_stiffness(model, drawn))


def _sliders(model: Mechanism, layout: Layout) -> list[Rail]:
    return [
        Rail(
            f"slider {slider.node}",
            (node, first, second),
            slider.stiffness or layout.stiffness,
            rigid=slider.stiffness is None,
        )
        for slider in model.sliders
        for node, first, second in [layout.numbers((slider.node, *slider.on))]
    ]


def _drive(
    model: Mechanism, layout: Layout, parts: Elements, linked: Sequence[LinkRow], coupled: Sequence[Coupling]
) -> Drive:
    """Driven values at steps that include every waypoint."""
    rest, goal = [link.rest for link in linked], _goals(layout.drawn, parts, coupled)
    start, end = _loads(model, layout, parts)
    grows = not np.array_equal(start, end)
    count = steps(chain(rest, goal, [(0.0, 1.0)] if grows else []))
    share = np.linspace(0.0, 1.0, count + 1)[:, None, None]
    loads = start + share * (end - start) if grows else np.broadcast_to(start, (count + 1, *start.shape))
    return Drive(sample_paths(rest, count), sample_paths(goal, count), loads)


def _goals(drawn: Floats, parts: Elements, coupled: Sequence[Coupling]) -> list[DriveValues]:
    """Target value of each coupling (C,); those that count from the drawing are offset by its value."""
    if not any(coupling.counted for coupling in coupled):
        return [coupling.goal for coupling in coupled]
    turned = np.zeros(len(parts.couplings.measures))
    measure_angles(drawn, parts.couplings, turned)
    measured = measure_couplings(drawn, parts.couplings, turned).tolist()
    return [
        tuple(now + value for value in coupling.goal) if coupling.counted else coupling.goal
        for coupling, now in zip(coupled, measured, strict=True)
    ]


def _loads(model: Mechanism, layout: Layout, parts: Elements) -> tuple[Floats, Floats]:
    """Forces (N, D) at the start and the end of the drive, weights included."""
    start, end = np.zeros_like(layout.drawn), np.zeros_like(layout.drawn)
    if model.gravity is not None:
        start += parts.fields.masses[:, None] * np.array(model.gravity)
        end += start
    for load in model.loads:
        node = layout.number[load.node]
        start[node] += load.force
        end[node] += load.force if load.to is None else load.to
    return start, end
