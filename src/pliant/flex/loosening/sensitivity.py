"""How much each clearance adds to a flex, from the duals of its first program.

By duality the linear flex is Σ y_i d_i, and where rows d + J Δq change a little its derivative is
Σ y_i (∂d_i + ∂J_i Δq). A body whose outline is inset by c/2 has every vertex moved inwards along its
mitre m, n₁·m = n₂·m = 1, so that

    ∂d/∂c = N·m_o/2 of the body with the line, −N·m_p/2 of that with the point

for a row with the world normal N through the vertices o and p; and with δp = −m_p/2 the arm of the
point changes, ∂J Δq = (Δθ₁ − Δθ₂) N×δp. A pin with a polygon of s sides has ∂d/∂c = cos(π/s)/2 in
each of its rows.
"""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.pose import rotate, rotations
from pliant.flex.contact.distance import Rows
from pliant.flex.geometry.parts import Parts
from pliant.flex.lp.solvers import solve_program
from pliant.flex.model import Assembly
from pliant.flex.problem.system import compile_system
from pliant.flex.stepping.step import configuration_at

ACCURACY = 1e-7
SHARPEST = 1e-12  # 1 + the cosine between the normals at a tip: of a sharper one an inset leaves nothing near


def clearance_sensitivities(model: Assembly) -> tuple[float, dict[str, float], Floats] | None:
    """The linear flex, its derivative by the clearance of each body, and by that of each pin, (P,).

    Members of a weld share that of their rigid body. None where the linear flex has no bound.
    """
    system = compile_system(model, model.study.for_command("flex"))
    parts = system.parts
    here = configuration_at(system, parts.drawn, system.reach, None)
    contacts = here.contacts.rows
    program = system.program(contacts, here.poses, np.full((len(parts.free), 3), np.inf))
    solution = solve_program(program, "auto", ACCURACY)
    if not solution.solved:
        return None
    forces = solution.forces
    by_body = np.zeros(parts.count + 1)
    turns = np.zeros(parts.count + 1)
    turns[parts.free] = solution.step[:, 2]
    for bodies, slopes in _row_slopes(parts, contacts, turns):
        np.add.at(by_body, bodies, forces[: len(contacts)] * slopes)
    source = system.rows(contacts).source
    by_pin = np.array(
        [
            float(forces[: len(source)][source == place].sum()) * np.cos(np.pi / pin.sides) / 2
            if pin.clearance > 0
            else 0.0
            for place, pin in enumerate(model.pins)
        ]
    )
    by_name = {name: float(by_body[parts.index(name)]) for name in parts.members.names}
    return solution.objective, by_name, by_pin


def _row_slopes(parts: Parts, rows: Rows, turns: Floats) -> list[tuple[Ints, Floats]]:
    """∂(d + J Δq)/∂c of each row by the clearance of the body with its line, and of that with its point.

    `turns` (B + 1,) are Δθ of the bodies.
    """
    turned = rotations(parts.drawn)
    normal = rotate(turned[rows.edge_body], rows.normal)
    mitres = _mitres(parts)
    line = _vertices(parts, rows.edge_body, np.abs(_along(parts, rows) - rows.offset[:, None]))
    away = np.hypot(*np.moveaxis(parts.outlines.point[None] - rows.point[:, None], -1, 0))
    point = _vertices(parts, rows.point_body, away)
    inward = [rotate(turned[parts.outlines.body[at]], mitres[at]) for at in (line, point)]
    across = normal[:, 0] * inward[1][:, 1] - normal[:, 1] * inward[1][:, 0]
    swing = (turns[rows.edge_body] - turns[rows.point_body]) * across
    return [
        (rows.edge_body, (normal * inward[0]).sum(axis=1) / 2),
        (rows.point_body, -((normal * inward[1]).sum(axis=1) + swing) / 2),
    ]


def _along(parts: Parts, rows: Rows) -> Floats:
    """How far each vertex lies along the normal of each row, in the frame of the row's line, (R, V)."""
    return rows.normal @ parts.outlines.point.T


def _vertices(parts: Parts, bodies: Ints, away: Floats) -> Ints:
    """For each row the vertex of a body (R,) with the least `away`, (R, V)."""
    return np.argmin(np.where(parts.outlines.body[None] == bodies[:, None], away, np.inf), axis=1)


def _mitres(parts: Parts) -> Floats:
    """By how much an inset of 1 moves each vertex, outwards counted positive, (V, 2): m of both its edges."""
    outlines = parts.outlines
    before, after = outlines.normal[outlines.before], outlines.normal
    opening = 1 + (before * after).sum(axis=1, keepdims=True)
    return (before + after) / np.maximum(opening, SHARPEST)
