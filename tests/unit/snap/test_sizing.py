"""What a designer checks of a snap-fit's beam."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pliant.snap.beam import strain
from pliant.snap.generate import cantilever_hook, two_hooks
from pliant.snap.model import Beam, Fastener, SnapStudy
from pliant.snap.result import SnapResult
from pliant.snap.sizing import ramps, strains
from pliant.snap.solve import solve

BEAM = Beam(length=10, thickness=1, width=6, material="PC")
slopes = st.integers(2, 12).map(lambda n: Fraction(n, 10))


def ran(model: Fastener) -> SnapResult:
    return solve(model, SnapStudy(reverse=True, arithmetic="float"))


@settings(deadline=None, max_examples=25)
@given(slopes, slopes, st.integers(0, 4).map(lambda n: Fraction(n, 10)))
def test_the_ramps_are_those_that_were_drawn(ramp: Fraction, retention: Fraction, friction: Fraction):
    model = cantilever_hook(ramp=ramp, retention=retention, friction=friction, beam=BEAM)
    result = ran(model)
    for way, slope in zip(result.ways, (ramp, retention), strict=True):
        found = ramps(model, way)["hook"]
        assert found.angle == pytest.approx(math.atan(slope), abs=1e-9)
        assert found.found == pytest.approx(way.peak, rel=1e-9)


def test_the_handbook_is_met_the_better_the_longer_the_hook():
    gaps: list[float] = []
    for length in (20, 200, 2000):
        model = cantilever_hook(length=length, beam=BEAM)
        found = ramps(model, ran(model).way_in)["hook"]
        gaps.append(abs(found.found / found.handbook - 1))
    assert gaps[0] == pytest.approx(10 * gaps[1], rel=0.1)
    assert gaps[1] == pytest.approx(10 * gaps[2], rel=0.02)


def test_a_way_that_is_blocked_and_a_pawl_without_a_beam_have_no_handbooks_force():
    locking = cantilever_hook(ramp=1, friction=Fraction(3, 2), beam=BEAM)
    assert ran(locking).way_in.blocked
    assert ramps(locking, ran(locking).way_in) == {}
    plain = two_hooks()
    assert ramps(plain, ran(plain).way_in) == {}
    assert strains(plain, ran(plain).ways) == {}


def test_the_strain_is_that_of_the_farthest_turn():
    model = cantilever_hook(undercut=1, beam=BEAM)
    result = ran(model)
    farthest = max(abs(event.angle) for event in result.events)
    found = strains(model, result.ways)["hook"]
    assert found.peak == pytest.approx(strain(BEAM, farthest), rel=1e-12)
    assert (found.limit, found.exceeds) == (0.04, False)


def test_a_strain_beyond_the_limit_is_said_to_be():
    brittle = BEAM.model_copy(update={"strain_limit": 0.005})
    model = cantilever_hook(beam=brittle)
    assert strains(model, ran(model).ways)["hook"].exceeds


def test_results_tell_strain_and_handbook_by_pawl():
    model = cantilever_hook(beam=BEAM)
    data = ran(model).to_dict()
    assert data["strain"].keys() == data["handbook"].keys() == data["back"]["handbook"].keys() == {"hook"}
    assert data["strain"]["hook"].keys() == {"peak", "limit"}
