"""[DonaldPai1993] Appendix B and section 10.2: uncertain starts, stable plans, design as search."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import pytest
from tests.papers.contact_cases import (
    HALF,
    LEANING,
    QUARTER,
    fastener,
    run,
)

from pliant.snap.arithmetic.floating import FloatArithmetic
from pliant.snap.generate import cantilever_hook, motion_diode, two_hooks
from pliant.snap.model import DesignVariable, Fastener, Goal
from pliant.snap.questions.design_search import design_forces
from pliant.snap.questions.outcome import outcome, shifted_fastener
from pliant.snap.questions.stability import margins
from pliant.snap.questions.uncertainty import Outcomes

HILL = [(-5, -14), (5, -14), (4, -8), (1, -6), (-1, -7), (-4, -8)]  # edges 2-3, 3-4 and 4-5 face up
BENCH = [(-4, -9), (2, -9), (2, -6), (-4, -6)]
REGION = [(-3, 0), (1, 0), (1, 1), (-3, 1)]


def mapped(model: Fastener, **study: object) -> Outcomes:
    found = run(model, uncertain=True, **study).outcomes
    assert found is not None
    return found


@cache
def over_the_hill(friction: Fraction = Fraction(0)) -> Outcomes:
    return mapped(fastener(LEANING, HILL, until=4, friction=friction), region=REGION)


# Fig. 23: initial contact tuples


def test_fig_23_there_are_three_initial_contact_tuples():
    bands = over_the_hill().bands
    assert [str(band.contact) for band in bands] == [
        f"vertex 1 of pawl on edge {edge} of obstacle 1" for edge in ("4-5", "3-4", "2-3")
    ]


def test_fig_23_they_meet_at_exact_starts():
    """Where the tip, one to the right of its hinge, is above a vertex of the hill."""
    assert [band.exact for band in over_the_hill().bands] == [("-3", "-2"), ("-2", "0"), ("0", "1")]


def test_fig_23_every_tuple_has_its_earliest_and_its_latest_time():
    """From the region's far side, one further up: the tip's height above the hill."""
    times = [band.first_at for band in over_the_hill().bands]
    assert times == [pytest.approx(expected, abs=2e-3) for expected in ((13 / 3, 4), (4, 3), (3, 11 / 3))]


@pytest.mark.parametrize(
    ("friction", "edges"),
    [
        (Fraction(0), []),
        (Fraction(1, 10), ["4-5"]),
        (Fraction(3, 10), ["4-5", "3-4"]),
        (Fraction(6, 5), ["4-5", "3-4", "2-3"]),
    ],
)
def test_sec_b_2_2_sticking_portions_are_told_apart(friction, edges):
    """|r × n| / |r·n| is 1/13, 2/9 and 11/10 on the edges, r = (1, −4): all of an edge sticks or none."""
    sticking = over_the_hill(friction).sticking
    assert [str(band.contact) for band in sticking] == [
        f"vertex 1 of pawl on edge {edge} of obstacle 1" for edge in edges
    ]


def test_sec_b_2_2_of_type_a_a_portion_of_the_edge_sticks():
    """A spike under a sole 3 below the hinge sticks at once within μd = 0.9 of it, and further out slides."""
    sole, spike = [(-2, -3), (2, -3), (2, 0), (-2, 0)], [(0, -6), (-HALF, -9), (HALF, -9)]
    ends = [(-3 * HALF, 0), (3 * HALF, 0)]
    bands = mapped(fastener(sole, spike, until=5, friction=Fraction(3, 10)), region=ends).bands
    assert [band.outcome.sticks_at_once for band in bands] == [False, True, False]
    assert [band.high for band in bands] == pytest.approx([-0.9, 0.9, 1.5], abs=1e-8)


def test_sec_b_2_2_what_cannot_be_hit_first_is_in_no_tuple():
    """e₀: the flanks 1-2 and 5-0, below the edges that face up."""
    edges = {band.contact.edge for band in over_the_hill().bands}
    assert not edges & {(1, 2), (5, 0), (0, 1)}


# One sample a tuple is not enough


@pytest.mark.slow
def test_sec_b_2_2_one_sample_a_contact_misses_outcomes():
    """Differs: from all of these starts A is touched first by the same edge; some jam, some go through."""
    bands = mapped(motion_diode(), region=[(Fraction(-4, 5), 0), (Fraction(-3, 5), 0)]).bands
    assert len({str(band.contact) for band in bands}) == 1
    assert [band.outcome.cause for band in bands] == ["jam", "jam", "until"]
    sample = outcome(shifted_fastener(motion_diode(), (Fraction(-7, 10), Fraction(0))), FloatArithmetic())
    assert sample.cause == "jam"


def test_sec_b_2_2_a_change_between_marks_is_closed_in_on():
    """By t = 4 the tip is √13 beside its hinge, and off the table's end at 2 if that is beyond 2 − √13."""
    bands = mapped(fastener(LEANING, BENCH, until=4), region=[(-3, 0), (Fraction(1, 2), 0)]).bands
    assert len({str(band.contact) for band in bands}) == 1
    assert [band.high for band in bands] == pytest.approx([2 - math.sqrt(13), 0.5], abs=1e-7)
    assert [band.exact[1] for band in bands] == ["", "1/2"]


def test_eqs_b1_and_b2_every_start_tried_ends_as_its_band_says():
    """Decidable in principle; here by many starts beside each other."""
    model = fastener(LEANING, BENCH, until=4)
    bands = mapped(model, region=[(-3, 0), (Fraction(1, 2), 0)]).bands
    for k in range(1, 35):
        start = Fraction(k, 10) - 3
        band = next(band for band in bands if band.low <= start <= band.high)
        assert (
            outcome(shifted_fastener(model, (start, Fraction(0))), FloatArithmetic()).signature
            == band.outcome.signature
        )


# The control cylinder


def test_sec_b_1_the_cylinder_of_control_widens_the_region_to_either_side():
    """A radius of 2 about one start, and starts 2 to either side of it, come to the same."""
    model = fastener(LEANING, HILL, hinge=(-1, 0), until=4)
    by_radius, by_region = mapped(model, radius=2), mapped(model, region=[(-2, 0), (2, 0)])
    assert (by_radius.width, len(by_radius.bands)) == (4, 3)
    for one, other in zip(by_radius.bands, by_region.bands, strict=True):
        assert (one.exact, one.contact) == (other.exact, other.contact)


def test_sec_b_1_a_start_along_the_plan_changes_when_and_not_what():
    bands = mapped(motion_diode(), region=[(0, 0), (0, 2)]).bands
    assert [(band.outcome.cause, band.low, band.high) for band in bands] == [("until", 0, 0)]
    assert bands[0].first_at[0] == pytest.approx(5.5 + 2)


# Section 10.2


def test_sec_10_2_a_plan_is_stable_as_long_as_the_same_things_happen():
    """Of one hook: friction up to 11/16, where it locks."""
    model = two_hooks(Fraction(3, 10))
    hook = model.model_copy(update={"pawls": model.pawls[:1]})
    friction, aside = margins(hook, FloatArithmetic())
    assert (friction.name, friction.low, friction.low_ends) == ("friction", 0, False)
    assert friction.high == pytest.approx(11 / 16, abs=1e-6)
    assert friction.high_ends
    assert aside.low < 0 < aside.high


def test_sec_10_2_design_as_search():
    """Modified, analysed, and declared suitable: it goes in below one force and holds above another."""
    moves = [{"of": "hook", "vertices": [2], "by": (1, 0)}]
    nose = {"name": "nose", "what": "vertices", "moves": moves, "range": (-QUARTER, QUARTER)}
    spring = {"name": "spring", "what": "stiffness", "of": "hook", "range": (10, 200)}
    variables = tuple(DesignVariable.model_validate(entry) for entry in (nose, spring))
    model = cantilever_hook().model_copy(update={"variables": variables})
    goal = Goal(insert_below=2.0, hold_above=2.3)
    assert run(model, reverse=True).way_back.peak_force < 2.3
    design = run(model, search=True, goal=goal.model_dump()).design
    assert design.met
    assert design_forces(model, design.values) == pytest.approx((design.insertion, design.retention))
    assert design.insertion < 2.0
    assert design.retention > 2.3
