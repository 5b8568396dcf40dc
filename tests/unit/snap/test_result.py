"""What comes back from a fastener: figures of its ways that add up, and plain values that JSON can say."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.unit.snap.one_pawl import box, fastener, ring

import pliant
from pliant.core.store import json_text
from pliant.snap.force.trajectory import finite_or_none, joined_times
from pliant.snap.generate import motion_diode, ratchet, two_hooks
from pliant.snap.model import SnapStudy
from pliant.snap.result import SnapResult
from pliant.snap.solve import solve
from pliant.snap.status import SnapStatus

BAR = ring((0, 0), (4, 0), (4, "1/4"), (0, "1/4"))
SPIKE = ring((2, -6), ("3/2", -9), ("5/2", -9))
LEGS = [{"velocity": [2, 0], "until": "3/2"}, {"velocity": [0, "-1/2"], "until": 16}]


@cache
def hooks(friction: Fraction = Fraction(3, 10)) -> SnapResult:
    return solve(two_hooks(friction), SnapStudy(reverse=True, frames=3))


@cache
def in_two_legs() -> SnapResult:
    """Three to the right, and then down on a spike, at half the speed, until the bar leans by 45°."""
    model = fastener(BAR, SPIKE, root={"plan": LEGS}, hinge=(-3, 0))
    return solve(model, SnapStudy(frames=3))


# Figures of a way


def test_travel_and_time_of_several_legs_add_up():
    way = in_two_legs().way_in
    assert (way.duration, way.travel) == (17.5, 11)
    assert way.status is SnapStatus.THROUGH
    (contact,) = way.events
    assert (contact.kind, contact.t, contact.travel, contact.at) == ("contact", 13.5, 9, 12)
    assert (contact.exact, contact.at_exact) == ("27/2", "12")
    assert way.angles == {"pawl": pytest.approx(math.pi / 4)}


def test_forces_have_one_time_a_sample_from_the_start_of_the_way():
    way = in_two_legs().way_in
    times = joined_times(way)
    assert len(times) == sum(len(curve.total) for curve in way.curves)
    assert (times[0], times[-1]) == (0, pytest.approx(17.5))
    assert (np.diff(times) >= 0).all()


def test_work_is_what_the_spring_has_taken_up():
    """Without friction: half of 100 times the angle squared, and the force 50 θ cos² θ is its slope."""
    way, angles = in_two_legs().way_in, np.linspace(0, math.pi / 4, 10_000)
    assert way.work == pytest.approx(50 * (math.pi / 4) ** 2, rel=1e-6)
    assert way.peak == way.peak_force == pytest.approx(max(50 * angles * np.cos(angles) ** 2), rel=1e-6)


def test_a_way_that_is_blocked_takes_a_force_without_bound():
    result = hooks(Fraction(7, 10))
    assert (result.status, result.way_in.blocked, result.peak_force) == (SnapStatus.STUCK, True, math.inf)
    assert math.isfinite(result.way_in.peak)
    told = result.to_dict()
    assert (told["peak_force"], told["work"], told["end"]["cause"]) == (None, None, "lock")
    assert told["lock_friction_exact"] == "11/16"


def test_a_root_that_sits_down_is_no_obstacle():
    assert not hooks().way_in.blocked
    assert hooks().status is SnapStatus.SEATED


def test_on_the_way_back_the_leg_s_own_time_falls_while_time_goes_on():
    way = hooks().way_back
    assert way is not None
    assert [event.at for event in way.events] == pytest.approx([8 - event.t for event in way.events])
    assert sorted(event.t for event in way.events) == [event.t for event in way.events]


def test_where_a_snap_ends_a_way_its_angle_is_that_of_the_landing():
    """A finger snaps off one spike onto another, and locks there."""
    finger = ring((-2, -1), ("-1/4", -1), (0, -4), ("1/4", -1), (2, -1), (2, 1), (-2, 1))
    stones = (
        ring((4, -3), ("7/2", -7), ("9/2", -7)),
        ring(("83/10", "-6/5"), ("113/10", "-17/10"), ("113/10", "-7/10")),
    )
    way = solve(fastener(finger, *stones, root={"velocity": [1, 0], "until": 20}, friction="2/5")).way_in
    snap, landing = way.events[-3], way.events[-1]
    assert (snap.kind, landing.kind) == ("snap from a vertex", "lock")
    assert way.angles["pawl"] == pytest.approx(landing.angle)
    assert abs(landing.angle - snap.angle) > 0.1


# The whole


def test_without_a_way_back_there_is_one_way():
    result = in_two_legs()
    assert result.ways == (result.way_in,)
    assert result.to_dict()["back"] is None
    assert len(hooks().ways) == 2


@pytest.mark.parametrize(("study", "digits"), [({}, 0), ({"digits": 20}, 20)])
def test_digits_are_proved_where_they_are_asked_for_of_exact_events(study, digits):
    result = solve(two_hooks(), SnapStudy(frames=2, **study))
    proved = result.to_dict()["peak_certified"]
    assert result.digits == digits
    assert (proved is not None) == (digits > 0)
    if proved is not None:
        assert float(proved["force"]) == pytest.approx(result.peak_force, rel=1e-6)
        assert float(proved["radius"]) < 1e-18


def test_the_same_keys_are_there_whatever_was_asked_for():
    plain = set(in_two_legs().to_dict())
    assert plain == set(hooks().to_dict()) == set(solve(motion_diode(), SnapStudy(frames=2)).to_dict())
    assert {
        "kind",
        "command",
        "status",
        "message",
        "seconds",
        "version",
        "model",
        "events",
        "end",
        "motion",
    } < plain


def numbers(value: Any) -> Iterator[float]:
    """Every float of plain values."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for entry in value:
            yield from numbers(entry)
    elif isinstance(value, float):
        yield value


def negative_zeros(value: Any) -> int:
    return sum(number == 0 and math.copysign(1, number) < 0 for number in numbers(value))


@pytest.mark.parametrize("arithmetic", ["exact", "float"])
def test_nought_is_said_without_a_sign(arithmetic):
    """A box that starts on a floor touches it at t = 0, which comes out of a quotient as -0."""
    study = SnapStudy(reverse=True, frames=3, arithmetic=arithmetic)
    down = fastener(box(1, -4, 3, 0), box(-9, -9, 9, -4), root={"velocity": [0, -1], "until": 2})
    for model in (down, ratchet(1), two_hooks()):
        result = solve(model, study)
        told = {key: value for key, value in result.to_dict().items() if key != "motion"}
        assert negative_zeros(told) == 0
    assert solve(down, study).events[0].to_dict()["at"] == 0


def test_everything_can_be_said_in_json_also_what_is_without_bound():
    for result in (hooks(Fraction(7, 10)), in_two_legs()):
        told = json.loads(json_text(result.to_dict()))
        assert told["events"] == result.to_dict()["events"]
    assert finite_or_none([1.0, math.inf, -math.inf, -0.0]) == [1.0, None, None, 0.0]


def test_a_force_s_lists_are_as_long_as_its_times():
    force = hooks().to_dict()["force"]
    lengths = {len(force[key]) for key in ("t", "insertion", "low", "high", "x", "y", "torque")}
    assert lengths == {len(values) for values in force["pawls"].values()}
    assert len(lengths) == 1


def test_a_root_that_sits_down_ended_by_its_seat():
    told = hooks().to_dict()
    assert (told["status"], told["end"]["cause"], told["end"]["pawl"]) == ("seated", "seat", "root")
    assert told["back"]["end"]["cause"] == "until"


def test_what_presses_on_from_leg_to_leg_is_no_new_contact():
    legs = [
        {"velocity": [0, -1], "until": 7},
        {"velocity": [0, -2], "until": "1/2"},
        {"velocity": [0, -1], "until": 1},
    ]
    model = fastener(BAR, SPIKE, root={"plan": legs})
    for arithmetic in ("exact", "float"):
        result = solve(model, SnapStudy(reverse=True, arithmetic=arithmetic))
        assert [event.kind for event in result.events] == ["contact"]
        assert [event.kind for event in result.way_back.events] == ["contact", "release"]


def test_where_the_peak_is_said_and_the_samples_hold_it():
    told = hooks().to_dict()
    for way in (told, told["back"]):
        peak, force = way["peak"], way["force"]
        assert peak["force"] == way["peak_force"]
        assert peak["bounded"]
        assert force["high"][force["t"].index(peak["t"])] == pytest.approx(peak["force"], rel=1e-12)
        assert max(force["high"]) == pytest.approx(peak["force"], rel=1e-12)


@pytest.mark.parametrize(("at", "answered"), [("looking aside", False), ("trying starts", True)])
def test_ctrl_c_keeps_the_ways_and_what_was_answered(at: str, answered: bool):
    model = two_hooks(Fraction(3, 10))

    def stop(done: int, total: int | None, text: str) -> None:
        if text == at:
            raise KeyboardInterrupt

    asked = {"reverse": True, "classify": True, "directions": 4, "uncertain": True, "radius": 1}
    with pytest.raises(pliant.Interrupted) as caught:
        pliant.solve(model, progress=stop, **asked)
    kept, whole = caught.value.result, pliant.solve(model, reverse=True)
    assert (kept.status, kept.peak_force, len(kept.ways)) == (whole.status, whole.peak_force, 2)
    assert (kept.diode is not None, kept.study.classify, kept.study.uncertain) == (answered, answered, False)
    assert "Stopped before all that was asked for was answered." in kept.summary()
    json_text(kept.to_dict())


def test_ctrl_c_before_anything_has_moved_keeps_nothing():
    def stop(done: int, total: int | None, text: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        pliant.solve(two_hooks(), progress=stop)
    assert not isinstance(caught.value, pliant.Interrupted)
