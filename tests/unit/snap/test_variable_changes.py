"""A fastener with one of its variables at another value: that, and nothing else, is changed."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from pydantic import ValidationError

from pliant import gallery
from pliant.snap.model import DesignVariable, Fastener, SnapStudy
from pliant.snap.questions.variable_changes import present_value, with_variables

SQUARE = [[0, 0], [2, 0], [2, 2], [0, 2]]
BEAM = {"length": 20, "width": 5, "thickness": 2, "modulus": 2000}


def model(*variables: dict[str, Any], **keys: Any) -> Fastener:
    """Two pawls and two obstacles of one shape, one of them without a name; a root; a beam."""
    return Fastener.model_validate(
        {
            "friction": "1/5",
            "shapes": {"square": SQUARE},
            "root": {"velocity": [0, -1], "outline": [[0, 40], [9, 40], [9, 41]]},
            "pawls": [
                {"name": "one", "hinge": [0, 20], "shape": "square", "stiffness": 100},
                {"name": "two", "hinge": [9, 20], "shape": "square", "beam": BEAM},
            ],
            "obstacles": [{"name": "stone", "shape": "square"}, {"shape": "square", "at": [9, 0]}],
            "variables": [{"range": [0, 5], **variable} for variable in variables],
            **keys,
        }
    )


def moves(*targets: str) -> dict[str, Any]:
    """The last vertex of some parts, by one to the right and two up a unit."""
    each = [{"of": target, "vertices": [2], "by": [1, 2]} for target in targets]
    return {"name": "p", "what": "vertices", "moves": each}


def changed(fastener: Fastener, value: Any) -> set[str]:
    """The keys that are not as they were, where p is at a value."""
    before, after = fastener.model_dump(), with_variables(fastener, {"p": Fraction(value)}).model_dump()
    return {key for key in before if before[key] != after[key]}


def test_friction_is_set_and_nothing_else():
    fastener = model({"name": "p", "what": "friction"})
    assert changed(fastener, "1/3") == {"friction"}
    assert with_variables(fastener, {"p": Fraction(1, 3)}).friction == Fraction(1, 3)
    assert present_value(fastener, fastener.variables[0]) == Fraction(1, 5)


def test_a_value_of_no_variable_changes_nothing():
    fastener = model({"name": "p", "what": "friction"})
    assert with_variables(fastener, {"q": Fraction(3)}) == with_variables(fastener, {}) == fastener


def test_stiffness_takes_the_place_of_a_beam():
    fastener = model({"name": "p", "what": "stiffness", "of": "two"})
    after = with_variables(fastener, {"p": Fraction(7, 2)})
    assert (after.pawls[1].stiffness, after.pawls[1].beam) == (Fraction(7, 2), None)
    assert after.pawls[0] == fastener.pawls[0]


def test_a_beam_s_stiffness_is_what_is_varied_from():
    """A pseudo-rigid hinge has 9/4 E I / L, with I = 5 · 2³ / 12."""
    fastener = model(
        {"name": "p", "what": "stiffness", "of": "two"}, {"name": "q", "what": "stiffness", "of": "one"}
    )
    beam, spring = (present_value(fastener, variable) for variable in fastener.variables)
    assert spring == 100
    assert beam == pytest.approx(Fraction(9, 4) * 2000 * Fraction(40, 12) / 20)


def test_a_hinge_moves_along_its_way_by_so_many_of_it():
    fastener = model({"name": "p", "what": "hinge", "of": "one", "along": [1, -2]})
    after = with_variables(fastener, {"p": Fraction(3, 2)})
    assert after.pawls[0].hinge == (Fraction(3, 2), 17)
    assert after.pawls[1] == fastener.pawls[1]
    assert present_value(fastener, fastener.variables[0]) == 0


@pytest.mark.parametrize(
    ("target", "key"),
    [("one", "pawls"), ("stone", "obstacles"), ("obstacle 2", "obstacles"), ("root", "root")],
)
def test_vertices_of_one_part_move_though_others_share_its_shape(target, key):
    fastener = model(moves(target))
    assert changed(fastener, 1) == {key}
    after = with_variables(fastener, {"p": Fraction(1, 2)})
    parts = {pawl.name: pawl for pawl in after.pawls} | {
        after.label(k): o for k, o in enumerate(after.obstacles)
    }
    outline = after.root.outline if target == "root" else after.outline(parts[target])
    before = [[0, 40], [9, 40], [9, 41]] if target == "root" else SQUARE
    assert outline[2] == (before[2][0] + Fraction(1, 2), before[2][1] + 1)
    assert [list(point) for point in outline[:2]] == before[:2]


@pytest.mark.parametrize("target", ["one", "stone", "root"])
def test_a_vertex_written_as_a_fraction_is_moved_in_exact_numbers(target):
    third = [[0, 40], [9, 40], ["1/3", "125/3"]] if target == "root" else [[0, 0], [2, 0], ["1/3", "5/3"]]
    part = {"root": {"root": {"velocity": [0, -1], "outline": third}}}.get(
        target, {"shapes": {"square": third}}
    )
    after = with_variables(model(moves(target), **part), {"p": Fraction(1, 7)})
    parts = {"one": after.pawls[0], "stone": after.obstacles[0]}
    outline = after.root.outline if target == "root" else after.outline(parts[target])
    assert outline[2] == (Fraction(1, 3) + Fraction(1, 7), Fraction(third[2][1]) + Fraction(2, 7))


def test_a_hinge_written_as_a_fraction_is_moved_in_exact_numbers():
    fastener = model({"name": "p", "what": "hinge", "of": "one", "along": [1, "1/3"]})
    drawn = fastener.model_dump(mode="python", by_alias=True)
    drawn["pawls"][0]["hinge"] = ("2/3", "61/3")
    after = with_variables(Fastener.model_validate(drawn), {"p": Fraction(1, 2)})
    assert after.pawls[0].hinge == (Fraction(7, 6), Fraction(41, 2))


def test_several_parts_move_together():
    assert changed(model(moves("one", "stone")), 1) == {"pawls", "obstacles"}


def test_what_no_file_could_say_is_refused():
    """The corner of the square goes down across its lower side."""
    across = {"name": "p", "what": "vertices", "moves": [{"of": "one", "vertices": [2], "by": [0, -1]}]}
    fastener = model(across)
    with_variables(fastener, {"p": Fraction(1)})
    with pytest.raises(ValidationError, match="edges 0 and 2 cross"):
        with_variables(fastener, {"p": Fraction(3)})


def test_the_study_is_kept():
    fastener = model({"name": "p", "what": "friction"}, study={"reverse": True, "frames": 7})
    assert with_variables(fastener, {"p": Fraction(1)}).study == SnapStudy(reverse=True, frames=7)


def test_a_dimension_of_a_beam_is_set_and_what_goes_with_it_moves():
    fastener = model(
        {
            "name": "p",
            "what": "beam",
            "of": "two",
            "dimension": "thickness",
            "range": [1, 4],
            "moves": moves("two")["moves"],
        }
    )
    assert present_value(fastener, fastener.variables[0]) == 2
    after = with_variables(fastener, {"p": Fraction(3)})
    assert after.pawls[1].beam.thickness == 3
    before, moved = fastener.outline(fastener.pawls[1])[2], after.outline(after.pawls[1])[2]
    assert (moved[0] - before[0], moved[1] - before[1]) == (1, 2)
    tip = model({"name": "p", "what": "beam", "of": "two", "dimension": "tip_thickness", "range": [1, 4]})
    assert present_value(tip, tip.variables[0]) == 2  # as at the root


def test_a_longer_beam_is_drawn_longer_from_its_root_on():
    snap = gallery.load("cantilever-snap")
    (pawl,) = snap.pawls
    drawn = pawl.model_copy(update={"beam": pawl.beam.model_copy(update={"length": 13.25})})
    length = DesignVariable.model_validate(
        {"name": "L", "what": "beam", "of": "hook", "dimension": "length", "range": [10, 20]}
    )
    fastener = snap.model_copy(update={"pawls": (drawn,), "variables": (length,)})
    assert present_value(fastener, length) == Fraction(53, 4)
    after = with_variables(fastener, {"L": Fraction(61, 4)}).pawls[0]
    assert after.beam.length == 15.25
    assert after.hinge == (0, pawl.hinge[1] - Fraction(3, 10))  # 0.15 of 2 lower
    old, new = ([(x, y + part.hinge[1]) for x, y in part.outline] for part in (pawl, after))
    assert [b[1] - a[1] for a, b in zip(old, new, strict=True)] == [0, -2, -2, -2, -2, 0]
