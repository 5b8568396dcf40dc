"""Loads as an objective: forces on bodies, whose work is maximised, and weights by gravity.

A frictionless assembly under forces f rests where their work Σ f·x cannot grow: the objective of eq. 11
with c = f, whose duals are then the contact forces, in the unit of the loads.

Source: [Lensgraf2020] eq. 11; its dual read as statics is ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import degrees

import numpy as np
import shapely

from pliant.core.arrays import Floats
from pliant.core.errors import Fault, InputError
from pliant.flex.geometry.bodies import body_pieces
from pliant.flex.model import Assembly, Body, FlexStudy, Term, held_bodies


def with_loads(model: Assembly, study: FlexStudy) -> FlexStudy:
    """The study with its loads and weights as terms of what is maximised; as it is, where it has terms."""
    if study.maximize or not study.loaded:
        return study
    held, _ = held_bodies(model)
    terms: list[Term] = []
    for load in study.load:
        if load.force is not None and any(load.force):
            terms.append(Term(body=load.body, direction=load.force, point=load.point))
        if load.torque:
            terms.append(Term(body=load.body, spin=load.torque))
    if study.gravity is not None:
        terms += [_weight(model, body, study.gravity) for body in model.bodies if body.name not in held]
    _check_terms(study, terms, held)
    return study.model_copy(update={"maximize": tuple(terms)})


def _check_terms(study: FlexStudy, terms: list[Term], held: Mapping[str, str]) -> None:
    """Refuse loads that do no work: forces of 0, and forces on what is held."""
    if not terms:
        problem = "is 0: no force and no torque"
        raise InputError([Fault("study.load", problem, "Give a force such as [0, -10], or gravity")])
    if all(term.body in held for term in terms):
        faults = [
            Fault(
                f"study.load[{place}].body",
                f"{load.body!r} {held[load.body]}",
                "Load a body that moves",
                (load.body,),
            )
            for place, load in enumerate(study.load)
        ]
        raise InputError(faults)


def _weight(model: Assembly, body: Body, gravity: tuple[float, float]) -> Term:
    """The weight of a body at the centroid of its outline as drawn."""
    region = shapely.union_all([shapely.Polygon(rings[0], rings[1:]) for rings in body_pieces(model, body)])
    mass = body.mass if body.mass is not None else (model.density or 1.0) * float(region.area)
    x, y = shapely.get_coordinates(region.centroid)[0].tolist()
    return Term(body=body.name, point=(x, y), direction=(mass * gravity[0], mass * gravity[1]))


def in_newtons(model: Assembly, study: FlexStudy) -> bool:
    """Whether loads are in N: each weight is that of a mass, not of an area alone."""
    held, _ = held_bodies(model)
    weighed = model.density is not None or all(body.mass for body in model.bodies if body.name not in held)
    return study.gravity is None or weighed


def measure(model: Assembly, study: FlexStudy) -> tuple[float, str]:
    """What columns and charts show an objective by: a factor, and a unit; "" where terms mix their units."""
    if study.loaded:
        return 1.0, f"N·{model.units}" if in_newtons(model, study) else ""
    if study.angular:
        return degrees(1.0), "deg"
    return 1.0, "" if any(term.spin is not None for term in study.terms) else model.units


def total_load(study: FlexStudy) -> Floats:
    """The sum of the forces of a study with its loads as terms, (2,)."""
    forces = [np.array(term.direction) * term.weight for term in study.maximize if term.direction is not None]
    return np.sum([np.zeros(2), *forces], axis=0)
