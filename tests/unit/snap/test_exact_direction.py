"""Directions at which a way out opens or closes, against ones found by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.unit.snap.leaving import at_rest, change, escapes, model_of, named, seated

from pliant import gallery, solve
from pliant.snap.arithmetic.algebraic import compare
from pliant.snap.arithmetic.floating import FloatArithmetic
from pliant.snap.generate import motion_diode, random_fastener, vector
from pliant.snap.model import Fastener
from pliant.snap.questions.diode.classification import Diode
from pliant.snap.questions.diode.critical_direction import direction_text
from pliant.snap.questions.diode.escape import rational_direction, try_direction
from pliant.snap.questions.diode.exact_direction import candidate_directions, direction_range, slope_of

SLIP = ((0, 0), (0, "-1/4"), ("1/4", 0))  # a pawl within the root, that touches nothing
OPEN = ("diode-friction", "diode-kinematic", "door-latch", "escapement", "ratchet")
OPEN_TOO = (
    "cantilever-snap", "diode-force", "diode-force-closed", "dragged-hook", "motion-diode", "two-hooks",
    "uncertain-start",
)  # fmt: skip
SHUT = ("diode-friction-closed", "diode-kinematic-closed", "motion-diode-total")
FINER = Fraction(1, 10**30)


def diode(model: Fastener, directions: int = 72, arithmetic: str = "exact") -> Diode:
    found = solve(model, classify=True, directions=directions, arithmetic=arithmetic).diode
    assert found is not None
    return found


def test_the_root_clears_a_corner_in_the_line_of_sight_of_two_vertices():
    """Its right side stays left of the box until its lower corner (1, 0) is past the upper one, (3, 3)."""
    root, box = [(-1, 0), (1, 0), (1, 1), (-1, 1)], [(3, 2), (30, 2), (30, 3), (3, 3)]
    start = at_rest(model_of(SLIP, box, root=root), far=10)
    assert change(start, (1, 1), ("1/2", 1)).exact == "(2, 3)"


def test_a_way_may_be_over_where_it_would_be_barred():
    """Out is 2 up. There the corner (-1, 1) is 3 up; the ramp from (-9, 5/2) to (-1, 4) has x = -19/3."""
    root, ramp = [(-1, -1), (1, -1), (1, 1), (-1, 1)], [(-9, "5/2"), (-1, 4), (-9, 4)]
    start = at_rest(model_of(SLIP, ramp, root=root), far=2)
    assert change(start, (-1, 1), (-4, 1)).exact == "(-8, 3)"


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        ([(1, "9/10"), (1, "19/20")], "(1, y), y = root of 166*y^2 + (-333)*y + 166 in [0.925, 0.926]"),
        ([("-19/20", 1), ("-9/10", 1)], "(x, 1), x = root of 1328*x^2 + 2220*x + 921 in [-0.908, -0.907]"),
    ],
)
def test_a_corner_may_pass_the_hinge_no_nearer_than_the_edge_it_slides_on(ends, text):
    """The edge from (4, 1) to (-2, 0) is 2/√37 from the hinge, and jams on a corner that comes nearer.

    From (0, -9) along (1, y) the hinge passes (6, -3) at 6 |1 - y| / √(1 + y²): 333 (1 - y)² = 1 + y². Along
    (x, 1) it passes (-5, -3) at |5 + 6x| / √(1 + x²): 37 (5 + 6x)² = 4 (1 + x²).
    """
    assert change(seated(gallery.load("motion-diode")), *ends).exact == text


def test_friction_turns_about_at_a_right_angle_to_the_line_from_hinge_to_corner():
    """A flat top, 1 above the hinge, meets a tip at (1, 2) when the hinge has risen by 1.

    Going aside by k the lever is (1 - k, 1), at a right angle to (k, 1) if k² = k + 1. The cone of μ = 1
    holds it there if it is pushed, for lesser k; beyond it slides. So y = 1/k is the golden section.
    """
    flat, tip = [(-3, 1), (0, "-1/4"), (3, 1)], [(1, 2), (2, 4), (0, 4)]
    start = at_rest(model_of(flat, tip, friction=1), far="11/10")
    assert (
        change(start, (1, "3/5"), (1, "2/3")).exact == "(1, y), y = root of y^2 + y + (-1) in [0.618, 0.619]"
    )


def test_friction_of_a_vertex_turns_about_at_a_right_angle_to_its_lever():
    """A vertex at (1, 4) meets a level ceiling: the cone of μ = 1/2 holds it if it is pushed."""
    arm, ceiling = [(0, 0), (1, 4), ("-1/2", 0)], [(-90, 5), (90, 5), (90, 6), (-90, 6)]
    start = at_rest(model_of(arm, ceiling, friction="1/2"), far="11/10")
    assert change(start, (-4, 2), (-8, 1)).exact == "(-4, 1)"


def test_a_rational_direction_is_told_in_the_least_integers():
    between = direction_range(vector(-2, 1), vector(-1, 1))
    assert (between.steep, between.ahead, between.low, between.high) == (False, -1, Fraction(1, 2), 1)
    assert slope_of(vector(-2, 1), steep=True) == -2
    root, box = [(-1, 0), (1, 0), (1, 1), (-1, 1)], [(3, 2), (30, 2), (30, 3), (3, 3)]
    start = at_rest(model_of(SLIP, box, root=root), far=10)
    bearing = named(start, change(start, (1, 1), ("1/2", 1)))
    assert direction_text(bearing) == "(2, 3)"
    assert bearing.beside(FINER) == (Fraction(2, 3) + FINER, 1)


def test_ways_that_do_not_part_have_no_bearing_between_them():
    start = seated(gallery.load("motion-diode"))
    courses = start.course(rational_direction(1.5)), start.course(rational_direction(1.5 + 1e-7))
    assert candidate_directions(courses, (start.backwards, start.far), Fraction(0), []) == []


@pytest.mark.few(2)
@pytest.mark.parametrize("name", [*OPEN, *(pytest.param(name, marks=pytest.mark.slow) for name in OPEN_TOO)])
def test_every_critical_direction_of_the_gallery_is_exact(name):
    found = diode(gallery.load(name)).critical
    assert found
    assert [entry.exact for entry in found if not entry.exact] == []


@pytest.mark.parametrize("name", SHUT)
def test_what_nothing_opens_has_no_critical_direction(name):
    assert diode(gallery.load(name)).critical == ()


@pytest.mark.slow
def test_by_floats_a_critical_direction_is_left_between_two():
    model = gallery.load("motion-diode")
    start = seated(model, FloatArithmetic())
    for entry, exact in zip(diode(model, 16, "float").critical, diode(model, 16).critical, strict=True):
        assert entry.exact == ""
        assert entry.angle == pytest.approx(exact.angle, abs=1e-6)
        assert len({escapes(start, direction) for direction in entry.between}) == 2


@pytest.mark.parametrize("seed", [27, 116, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 12))])
def test_a_hair_to_either_side_of_a_critical_direction_things_end_differently(seed):
    model = random_fastener(seed)
    start = seated(model)
    found = diode(model, 24).critical
    assert found
    for entry in found:
        bearing = named(start, entry)
        sides = [try_direction(start, bearing.beside(by)) for by in (-FINER, FINER)]
        assert len({side.escapes(model.friction) for side in sides}) == 2


@pytest.mark.slow
def test_critical_directions_do_not_depend_on_how_many_are_tried():
    model = motion_diode()
    few, many = (named(seated(model), diode(model, count).critical[0]) for count in (24, 72))
    assert compare(few.slope, many.slope) == 0


def test_among_very_many_conditions_no_direction_is_named(monkeypatch):
    root, box = [(-1, 0), (1, 0), (1, 1), (-1, 1)], [(3, 2), (30, 2), (30, 3), (3, 3)]
    start = at_rest(model_of(SLIP, box, root=root), far=10)
    monkeypatch.setattr("pliant.snap.questions.diode.exact_direction.CANDIDATES", 0)
    assert change(start, (1, 1), ("1/2", 1)).exact == ""
