"""What a designer checks of a snap-fit's beam."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.crosscheck.elastica import Hook

from pliant.snap.force.sizing import ramps, strains
from pliant.snap.generate import cantilever_hook, two_hooks
from pliant.snap.model import Beam, Fastener, SnapStudy
from pliant.snap.result import SnapResult
from pliant.snap.solve import solve
from pliant.snap.status import SnapStatus

BEAM = Beam(length=10, thickness=1, width=6, material="PC")
slopes = st.integers(2, 12).map(lambda n: Fraction(n, 10))


def ran(model: Fastener) -> SnapResult:
    return solve(model, SnapStudy(reverse=True, arithmetic="float"))


@settings(deadline=None, max_examples=25)
@given(slopes, slopes, st.integers(0, 4).map(lambda n: Fraction(n, 10)))
def test_the_ramps_are_those_that_were_drawn(ramp: Fraction, retention: Fraction, friction: Fraction):
    """They are the wall's, so that they do not turn with the nose."""
    model = cantilever_hook(ramp=ramp, retention=retention, friction=friction, beam=BEAM)
    result = ran(model)
    for way, slope in zip(result.ways, (ramp, retention), strict=True):
        if result.way_in.blocked or way.blocked:
            continue
        found = ramps(model, way)["hook"]
        assert found.angle == pytest.approx(math.atan(slope), abs=1e-9)
        assert found.bent == pytest.approx(math.atan(slope), abs=1e-6)
        assert found.found == pytest.approx(way.peak, rel=1e-9)
        assert found.deflection == pytest.approx(1, rel=1e-6)


def test_the_handbook_is_as_it_is_published():
    """k = 6.25 N/mm, P = 18.75 N, W = 11.40 N in and 16.48 N out; bent, the nose leans by 11.7 degrees."""
    model = Hook(20, 2, 10, 2500, 3, 20, 30, 0.2).drawn()
    result = ran(model)
    there, again = (ramps(model, way)["hook"] for way in result.ways)
    assert (there.handbook, again.handbook) == pytest.approx((11.40, 16.48), rel=2e-3)
    assert (math.degrees(there.angle), math.degrees(again.angle)) == pytest.approx((20, 30), abs=0.02)
    assert math.degrees(there.bent) == pytest.approx(20 + 11.7, abs=0.1)
    assert math.degrees(abs(there.slope)) == pytest.approx(11.7, abs=0.1)
    assert there.found == pytest.approx(18.34, rel=1e-3)
    (line, other) = (text for text in result.summary().split("\n") if text.startswith("  handbook"))
    assert "N for the ramp of 20° as drawn; here 18.34 N, as the nose has turned by 11.7°" in line
    assert "16.48 N for the ramp of 30° as drawn" in other


def test_the_handbook_is_met_the_better_the_less_is_bent():
    gaps: list[float] = []
    for undercut in (Fraction(1), Fraction(1, 10), Fraction(1, 100)):
        model = Hook(2000, 2, 10, 2500, float(undercut), 20, 30, 0.2).drawn()
        found = ramps(model, ran(model).way_in)["hook"]
        gaps.append(abs(found.found / found.handbook - 1))
    assert gaps[0] < 0.01
    assert gaps[2] < gaps[1] < gaps[0]


def test_a_way_that_is_blocked_and_a_pawl_without_a_beam_have_no_handbooks_force():
    locking = cantilever_hook(ramp=1, friction=Fraction(3, 2), beam=BEAM)
    assert ran(locking).way_in.blocked
    assert ramps(locking, ran(locking).way_in) == {}
    plain = two_hooks()
    assert ramps(plain, ran(plain).way_in) == {}
    assert strains(plain, ran(plain).ways) == {}


def test_a_strain_beyond_the_limit_is_said_to_be():
    brittle = BEAM.model_copy(update={"strain_limit": 0.005})
    model = cantilever_hook(beam=brittle)
    assert strains(model, ran(model).ways)["hook"].exceeds


def test_results_tell_strain_and_handbook_by_pawl():
    model = cantilever_hook(beam=BEAM)
    data = ran(model).to_dict()
    assert data["strain"].keys() == data["handbook"].keys() == data["back"]["handbook"].keys() == {"hook"}
    assert data["strain"]["hook"].keys() == {"peak", "limit", "slope"}
    assert data["ramps"]["hook"]["handbook"] == data["handbook"]["hook"]


def test_a_beam_that_no_force_bends_further_is_locked_by_friction():
    """A little below the friction that locks it through its pivot, it is bent by too much of it."""
    model = cantilever_hook(ramp=Fraction(11, 10), friction=Fraction(2, 5), beam=BEAM)
    result = ran(model)
    assert result.way_in.status is SnapStatus.STUCK
    assert result.way_in.threshold.value > 0.4
    assert result.way_in.events[-1].kind == "lock"
    assert "(no force bends its beam further)" in result.summary()
    assert result.to_dict()["end"]["cause"] == "lock"
