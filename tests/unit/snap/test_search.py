"""Designs that meet a goal: forces that scale as a spring does, so that what is right is known beforehand."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from tests.unit.snap.one_pawl import EXACT

import pliant
from pliant import gallery
from pliant.snap.generate import cantilever_hook, motion_diode, two_hooks
from pliant.snap.model import DesignVariable, Fastener, Goal, SnapStudy
from pliant.snap.questions import design_search as module
from pliant.snap.questions.design_search import BestDesign, design_forces, search
from pliant.snap.questions.variable_changes import with_variables
from pliant.snap.solve import solve

STIFFNESS = {"name": "k", "what": "stiffness", "of": "hook", "range": (10, 1000)}


def hook(*variables: dict[str, Any]) -> Fastener:
    """A cantilever hook with a stiffness of 100 that goes in more easily than it comes out."""
    plain = cantilever_hook(retention=Fraction(2), undercut=Fraction(1, 2))
    return plain.model_copy(update={"variables": tuple(map(DesignVariable.model_validate, variables))})


@cache
def now() -> tuple[float, float]:
    """What it takes to go in and to come out as it stands."""
    return design_forces(hook(), {})


# Forces of a design


def test_a_design_s_forces_are_the_peaks_of_its_ways():
    result = solve(hook(), SnapStudy(reverse=True, frames=2))
    assert result.way_back is not None
    assert now() == pytest.approx((result.way_in.peak, result.way_back.peak), rel=1e-9)
    assert design_forces(hook(), {}, EXACT) == pytest.approx(now(), rel=1e-9)


def test_forces_are_in_proportion_to_the_spring():
    assert design_forces(hook(STIFFNESS), {"k": Fraction(300)}) == pytest.approx(
        [3 * force for force in now()]
    )


def test_what_does_not_go_in_takes_a_force_without_bound_and_holds_nothing():
    assert design_forces(two_hooks(Fraction(7, 10)), {}) == (math.inf, 0.0)


def test_what_does_not_come_out_holds_without_bound():
    insertion, retention = design_forces(motion_diode(), {})
    assert math.isfinite(insertion)
    assert retention == math.inf


@pytest.mark.parametrize(("vertices", "by"), [([2], (-9, 0)), (list(range(8)), (-2, 0))])
def test_what_cannot_be_drawn_or_started_is_no_design(vertices, by):
    """An outline that crosses itself; a wall that is moved into the hook."""
    of = "hook" if len(vertices) == 1 else "wall"
    moved = {
        "name": "p",
        "what": "vertices",
        "moves": [{"of": of, "vertices": vertices, "by": by}],
        "range": (0, 1),
    }
    assert design_forces(hook(moved), {"p": Fraction(0)}) == pytest.approx(now())
    assert design_forces(hook(moved), {"p": Fraction(1)}) == (math.inf, 0.0)


# The search


def test_a_goal_that_is_met_as_it_stands_is_met_by_the_present_design():
    insertion, retention = now()
    goal = Goal(insert_below=1.01 * insertion, hold_above=0.99 * retention)
    found = search(hook(STIFFNESS), goal)
    assert (found.values, found.met) == ({"k": 100}, True)
    assert (found.insertion, found.retention) == pytest.approx(now())
    assert found.tried == 1 + 2**module.SPREAD


@pytest.mark.parametrize("factor", [0.3, 4.5])
def test_a_spring_is_found_between_what_goes_in_and_what_holds(factor):
    """Both forces at once to within a fifth: the stiffness is known to as much."""
    insertion, retention = now()
    found = search(
        hook(STIFFNESS), Goal(insert_below=1.1 * factor * insertion, hold_above=0.9 * factor * retention)
    )
    assert found.met
    assert 0.9 * factor * 100 < float(found.values["k"]) < 1.1 * factor * 100
    assert found.insertion == pytest.approx(float(found.values["k"]) / 100 * insertion)


def test_what_no_design_can_do_is_said_with_the_nearest_one():
    """In with half the force at which it holds twice as much: off by as much either way at the middle."""
    insertion, retention = now()
    found = search(hook(STIFFNESS), Goal(insert_below=insertion / 2, hold_above=2 * retention))
    assert not found.met
    assert float(found.values["k"]) == pytest.approx(100, rel=0.02)


def test_values_stay_in_their_ranges_and_can_be_written_down():
    insertion, _ = now()
    found = search(hook({**STIFFNESS, "range": ("100/3", "200/3")}), Goal(insert_below=insertion / 100))
    assert not found.met
    assert found.values["k"] == Fraction(100, 3)
    several = search(
        hook(STIFFNESS, {"name": "mu", "what": "friction", "range": (0, "1/2")}),
        Goal(insert_below=insertion / 4),
    )
    assert several.met
    assert all(value.denominator <= 10_000 for value in several.values.values())


def test_the_same_seed_gives_the_same_design():
    insertion, retention = now()
    goal = Goal(insert_below=0.32 * insertion, hold_above=0.28 * retention)
    assert search(hook(STIFFNESS), goal, seed=3) == search(hook(STIFFNESS), goal, seed=3)


def test_a_design_as_plain_values_has_no_infinity():
    told = BestDesign({"k": Fraction(1, 3)}, math.inf, math.inf, met=False, tried=9).to_dict()
    assert (told["values"], told["exact"]) == ({"k": 1 / 3}, {"k": "1/3"})
    assert (told["insertion"], told["retention"], told["met"], told["tried"]) == (None, None, False, 9)


# Strain


def clip(*variables: dict[str, Any]) -> Fastener:
    """A hook of ABS, whose nose must be pushed aside by 1.8: strained by 3.5 %, where 2 % are allowed."""
    snap = gallery.load("cantilever-snap")
    (pawl,) = snap.pawls
    soft = pawl.model_copy(update={"beam": pawl.beam.model_copy(update={"material": "ABS"})})
    varied = tuple(map(DesignVariable.model_validate, variables))
    return snap.model_copy(update={"pawls": (soft,), "variables": varied})


THICKNESS = {"name": "h", "what": "beam", "of": "hook", "dimension": "thickness", "range": ("1/2", 2)}
WIDTH = {"name": "b", "what": "beam", "of": "hook", "dimension": "width", "range": (8, 40)}


def test_forces_alone_do_not_meet_a_goal_where_a_beam_is_overstrained():
    goal = Goal(insert_below=100)
    ramp = {
        "name": "p",
        "what": "vertices",
        "moves": [{"of": "hook", "vertices": [1], "by": (0, -1)}],
        "range": (0, 1),
    }
    found = search(clip(ramp), goal)
    assert found.insertion < 100
    assert not found.met
    strain = found.strains["hook"]
    assert (strain.limit, strain.exceeds) == (0.02, True)
    assert found.to_dict()["strain"]["hook"]["peak"] == strain.peak
    assert search(clip(ramp), Goal(insert_below=100, strain_below=0.05)).met


def test_a_thinner_and_wider_beam_is_found_that_is_strained_no_further_than_it_may():
    found = search(clip(THICKNESS, WIDTH), Goal(insert_below=40, hold_above=12))
    assert found.met
    assert found.strains["hook"].peak <= 0.02
    assert found.values["h"] < 2
    design = with_variables(clip(THICKNESS, WIDTH), found.values)
    result = solve(design, SnapStudy(reverse=True, frames=2))
    assert result.peak_force == pytest.approx(found.insertion, rel=1e-6)
    assert "overstrains" not in result.summary()


def test_an_overstrained_beam_is_in_the_first_sentence():
    first = solve(clip(), SnapStudy(reverse=True, frames=2)).summary().split("\n")[0]
    assert first.endswith("; overstrains hook by 3.51 % of 2 %.")


def test_a_fastener_without_variables_has_nothing_to_search():
    with pytest.raises(pliant.InputError, match=r"variables: has none.*Add \[\[variables\]\]"):
        search(gallery.load("ratchet"), Goal(insert_below=Fraction(1)))
