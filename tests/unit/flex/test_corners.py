"""Two convex corners face to face, three ways: chosen edge, average normal, exact either-or."""

from __future__ import annotations

import numpy as np
import pytest

from pliant.core.errors import PliantError
from pliant.flex.model import Assembly
from pliant.flex.problem.system import compile_system
from pliant.flex.solve import solve
from pliant.flex.status import FlexStatus
from pliant.flex.stepping import corners
from pliant.flex.stepping.corners import best_corner_edges
from pliant.flex.stepping.linearization import linear_step
from pliant.flex.stepping.step import configuration_at


def box(left, bottom, right, top):
    return [[left, bottom], [right, bottom], [right, top], [left, top]]


def facing_corners(
    mode: str, direction=(-1, 0), room: float = 0.5, x: float = 0.1, y: float = 0.05, unit: float = 1.0
) -> Assembly:
    """A square that may travel by `room` each way, its corner x beside and y above another's.

    Outside the vertical edge it can go left by x only; outside the level one, as far as it likes.
    """
    span = [-room * unit, room * unit]
    terms = [{"body": "high", "direction": direction}]
    return Assembly.model_validate(
        {
            "bodies": [
                {"name": "low", "outline": scaled(box(-2, -2, 0, 0), unit), "fixed": True},
                {"name": "high", "outline": scaled(box(x, y, x + 2, y + 2), unit)},
            ],
            "limits": [{"body": "high", "rotation": 0.0, "x": span, "y": span}],
            "study": {"maximize": terms, "corners": mode, "reach": 0.4 * unit},
        }
    )


def scaled(ring, unit):
    return [[unit * x, unit * y] for x, y in ring]


def linear(mode: str, **case) -> float:
    model = facing_corners(mode, **case)
    system = compile_system(model, model.study.for_command("flex"))
    return linear_step(system, configuration_at(system, system.parts.drawn, system.reach, None), None).gain


def test_the_chosen_edge_is_the_one_the_corner_is_further_outside_of():
    assert linear("chosen") == pytest.approx(0.1, rel=1e-6)


@pytest.mark.parametrize("unit", [1.0, 1e-8, 1e8])
def test_the_exact_choice_finds_the_way_over_the_other_edge(unit):
    assert linear("exact", unit=unit) == pytest.approx(0.5 * unit, rel=1e-6, abs=0)


def test_the_average_normal_lies_between():
    # The half-plane across the corner: (x + y)/√2 ≥ 0, and y may grow by the room.
    assert linear("average") == pytest.approx(0.5, rel=1e-6)
    tight = linear("average", room=0.2)
    assert linear("chosen", room=0.2) < tight <= linear("exact", room=0.2) + 1e-7


@pytest.mark.parametrize("angle", np.linspace(0, 2 * np.pi, 13)[:-1])
def test_the_exact_choice_is_never_worse_than_the_chosen_edge_in_the_linear_program(angle):
    direction = (float(np.cos(angle)), float(np.sin(angle)))
    assert linear("exact", direction=direction) >= linear("chosen", direction=direction) - 1e-7


def test_stepping_reaches_the_exact_answer_from_the_chosen_edge_too():
    """The other edge is tried before a motion is called converged."""
    for mode in ("chosen", "exact"):
        result = solve(facing_corners(mode))
        assert result.status is FlexStatus.CONVERGED
        assert result.objective == pytest.approx(0.5, rel=1e-5), mode


def test_every_mode_ends_without_overlap():
    for mode in ("chosen", "average", "exact"):
        result = solve(facing_corners(mode, direction=(-1, -1)))
        assert result.overlap <= result.threshold, mode
        x, y, _ = result.poses["high"]  # how far the square has gone
        beside, above = 0.1 + x, 0.05 + y
        assert max(beside, above) >= -result.threshold, mode


def test_the_exact_choice_keeps_the_contacts_where_no_corners_face():
    model = facing_corners("exact", x=0.1, y=-1.0)  # side by side
    system = compile_system(model, model.study.for_command("flex"))
    here = configuration_at(system, system.parts.drawn, system.reach, None)
    assert len(here.contacts.corner) == 0
    assert best_corner_edges(system, here, np.full((1, 3), np.inf)) is here.contacts
    assert linear("exact", x=0.1, y=-1.0) == pytest.approx(0.1, rel=1e-6)


def test_too_many_corners_are_refused_with_what_to_try(monkeypatch):
    monkeypatch.setattr(corners, "MOST_CORNERS", 0)
    with pytest.raises(PliantError, match='corners = "chosen"'):
        solve(facing_corners("exact"))
