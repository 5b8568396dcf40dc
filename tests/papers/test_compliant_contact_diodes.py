"""[DonaldPai1993] section 4.4, Figs. 5 to 7 and Appendix A: motion diodes, and how they are classified."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import pytest
from tests.papers.contact_cases import run

from pliant import gallery
from pliant.snap.arithmetic.floating import FloatArithmetic
from pliant.snap.generate import motion_diode, two_hooks
from pliant.snap.model import Fastener
from pliant.snap.questions.diode.classification import Diode
from pliant.snap.questions.diode.escape import rational_direction
from pliant.snap.result import SnapResult
from pliant.snap.status import SnapStatus
from pliant.snap.sweep.plan import travel_in, united_obstacles


def classified(model: Fastener, directions: int = 16) -> SnapResult:
    return run(model, classify=True, directions=directions, reverse=True)


@cache
def of_gallery(name: str) -> SnapResult:
    return classified(gallery.load(name))


def diode(result: SnapResult) -> Diode:
    assert result.diode is not None
    return result.diode


# Fig. 7

CAUSES = ["kinematic", "friction", "force"]


@pytest.mark.few(1)
@pytest.mark.parametrize("cause", CAUSES)
def test_fig_7_without_c_it_is_a_diode_relative_to_its_plan(cause):
    """B, D and E: straight back they hold; up and to the left there is a way out, for no force at all."""
    found = diode(of_gallery(f"diode-{cause}"))
    assert (found.motion, found.cause, found.relative, found.total) == ("relative", cause, cause, "none")
    assert found.bound == 0
    ways_out = [sector for sector in found.sectors if sector.escapes]
    assert [math.pi / 2 < sector.last for sector in ways_out] == [True]


@pytest.mark.few(1)
@pytest.mark.parametrize("cause", CAUSES)
def test_fig_7_with_c_it_is_a_total_one(cause):
    found = diode(of_gallery(f"diode-{cause}-closed"))
    assert (found.motion, found.cause, found.relative, found.total) == ("total", cause, cause, cause)


@pytest.mark.parametrize("cause", CAUSES)
def test_fig_7_c_is_all_that_makes_the_difference(cause):
    alone, closed = (gallery.load(f"diode-{cause}{end}") for end in ("", "-closed"))
    assert closed.obstacles[:-1] == alone.obstacles
    assert (closed.obstacles[-1].name, closed.pawls, closed.root) == ("C", alone.pawls, alone.root)


@pytest.mark.parametrize("cause", CAUSES)
def test_fig_7_the_root_collides_with_the_top_of_b(cause):
    result = of_gallery(f"diode-{cause}-closed")
    assert result.status is SnapStatus.SEATED
    assert {contact.edge_of for contact in result.events[-1].contacts} | {
        contact.vertex_of for contact in result.events[-1].contacts
    } == {"root", "B"}


def test_fig_7b_a_kinematic_diode_holds_without_friction():
    smooth = gallery.load("diode-kinematic").model_copy(update={"friction": Fraction(0)})
    assert run(smooth, reverse=True).way_back.status is SnapStatus.JAMMED


@pytest.mark.parametrize(
    ("friction", "comes_out"), [(Fraction(19, 100), "through"), (Fraction(1, 5), "stuck")]
)
def test_fig_7d_a_friction_diode_depends_on_the_coefficient(friction, comes_out):
    result = run(gallery.load("diode-friction").model_copy(update={"friction": friction}), reverse=True)
    assert result.way_back.status.name.lower() == comes_out
    assert result.way_back.to_dict()["lock_friction_exact"] == "1/5"


def test_fig_7e_a_force_diode_takes_more_force_out_than_in():
    result = of_gallery("diode-force")
    assert result.way_back.status is SnapStatus.THROUGH
    assert result.way_back.peak_force == diode(result).bound_reversed > 1.5 * result.peak_force


def test_fig_7e_no_way_out_takes_less_than_the_bound():
    found = diode(of_gallery("diode-force-closed"))
    ways_out = [attempt.force for attempt in found.attempts if attempt.escapes(Fraction(1, 10))]
    assert len(ways_out) > 5
    assert min(ways_out) == found.bound > of_gallery("diode-force-closed").peak_force


def test_what_does_not_go_in_has_no_class():
    assert classified(two_hooks(Fraction(7, 10))).diode is None


# Figs. 3, 4


@cache
def hooks(friction: Fraction) -> SnapResult:
    return classified(two_hooks(friction), 8)


def test_sec_4_4_without_friction_figs_3_and_4_are_held_by_neither_shape_nor_friction():
    """They do take 8 % more force out than in, in our coordinates."""
    found = diode(hooks(Fraction(0)))
    assert not {found.relative, found.total} & {"kinematic", "friction"}
    assert found.bound_reversed / hooks(Fraction(0)).peak_force == pytest.approx(1.083, abs=1e-3)


@pytest.mark.slow
def test_sec_4_4_with_friction_enough_figs_3_and_4_are_a_relative_friction_diode():
    found = diode(hooks(Fraction(3, 5)))
    assert found.relative == "friction"
    assert found.total != "friction"
    assert found.friction == pytest.approx(23 / 39)


# Figs. 5, 6


def test_sec_3_2_fig_5_is_a_kinematic_diode_relative_to_its_plan():
    """Differs: section 4.4 calls it a total one, section 3.2 only with B and C extended, which is right."""
    found = diode(classified(motion_diode()))
    assert (found.motion, found.cause) == ("relative", "kinematic")


@pytest.mark.parametrize("model", [motion_diode(reach=200), gallery.load("motion-diode-total")])
def test_sec_3_2_with_b_and_c_extended_it_is_a_total_one(model):
    found = diode(classified(model))
    assert (found.motion, found.cause, found.bound) == ("total", "kinematic", math.inf)


def escapes(reach: int | None) -> int:
    """How many of 72 directions lead from (0, −9) back to the height it came from, within a travel of 60."""
    fixed = united_obstacles(motion_diode(reach=reach))
    count = 0
    for k in range(72):
        velocity = rational_direction(math.radians(5 * k))
        speed = math.hypot(*map(float, velocity))
        model = motion_diode(start=(0, -9), velocity=velocity, reach=reach)
        root = model.root.model_copy(update={"until": Fraction(60 / speed).limit_denominator(1000)})
        course = travel_in(model.model_copy(update={"root": root}), FloatArithmetic(), fixed)[-1]
        count += course.cause == "until" and -9 + course.ends * float(velocity[1]) > 9
    return count


def test_sec_3_2_of_72_directions_11_lead_out_and_with_b_and_c_extended_none():
    assert (escapes(None), escapes(200)) == (11, 0)


def test_sec_4_4_a_family_of_controls_is_the_plan_reversed_and_its_neighbours():
    """Within 40° of straight up all jam; within 60° some go around B or C."""
    results = [
        run(motion_diode(), classify=True, directions=4, spread=spread) for spread in ("40 deg", "60 deg")
    ]
    assert [diode(result).relative for result in results] == ["kinematic", "none"]
