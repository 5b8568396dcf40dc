"""[DonaldPai1993]: its examples, in coordinates of our own, event by event."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from tests.papers.contact_cases import NEEDLE, angle_at, exact_value, fastener, overlap, run, told

from pliant.snap.generate import motion_diode, two_hooks
from pliant.snap.result import SnapResult
from pliant.snap.status import SnapStatus

FRICTIONS = (Fraction(0), Fraction(3, 10), Fraction(3, 5), Fraction(7, 10))
TOUCHES, SLIPS, RELEASED = Fraction(3, 2), 8 - 2 * math.sqrt(7), Fraction(13, 3)


@cache
def hooks(friction: Fraction = Fraction(0), drop: Fraction = Fraction(0)) -> SnapResult:
    return run(two_hooks(friction, drop=drop), reverse=True)


@cache
def diode() -> SnapResult:
    return run(motion_diode(), reverse=True)


@cache
def diode_from_below() -> SnapResult:
    return run(motion_diode(start=(0, -9), velocity=(0, 1)))


# Section 2: the simulation problem


@pytest.mark.parametrize("pawl", [0, 1])
def test_fig_2_pawls_move_as_if_each_were_alone(pawl):
    both = hooks()
    one = two_hooks().model_copy(update={"pawls": (two_hooks().pawls[pawl],)})
    name = one.pawls[0].name
    alone = [(e.kind, e.exact) for e in run(one).events if e.pawl == name]
    assert [(e.kind, e.exact) for e in both.events if e.pawl == name] == alone


def test_definition_2_1_a_result_has_trajectory_termination_and_history_of_contacts():
    result = diode_from_below()
    said = result.to_dict()
    assert (said["end"]["cause"], said["end"]["pawl"]) == ("jam", "pawl")
    assert said["end"]["angles"]["pawl"] == pytest.approx(-0.228906, abs=1e-6)
    assert said["events"][0]["contact"] == ["vertex 0 of pawl on edge 0-1 of B"]
    assert result.motion.values[-1] == pytest.approx(result.events[-1].travel)


@pytest.mark.parametrize("result", [hooks, diode, diode_from_below])
def test_pawls_never_overlap_obstacles_and_lean_on_them(result):
    """Stable contact: turned towards rest by a little more, a pawl that is cocked would overlap."""
    found = result()
    for index, pawl in enumerate(found.model.pawls):
        curve = found.way_in.curves[0]
        for t, angle in zip(curve.t[1:-1], curve.angles[pawl.name][1:-1], strict=True):
            assert overlap(found.model, index, t, angle) < 1e-9
            if abs(angle) > 1e-3 and not _snaps(found, t):
                assert overlap(found.model, index, t, angle - math.copysign(1e-3, angle)) > 1e-9


def _snaps(result: SnapResult, t: float) -> bool:
    return any(abs(event.t - t) < 1e-9 for event in result.events)


# Figs. 3 and 4: two hooks around a T


@pytest.mark.parametrize("pawl", ["left", "right"])
def test_fig_4_hooks_comply_around_the_t_until_the_root_collides(pawl):
    way = hooks().way_in
    assert way.status is SnapStatus.SEATED
    assert (way.last.cause, way.last.by, way.events[-1].exact) == ("stop", "root", "8")
    own = [event for event in way.events if event.pawl == pawl]
    assert [event.kind for event in own] == ["contact", "change", "change", "release"]
    assert [event.t for event in own] == pytest.approx([TOUCHES, SLIPS, SLIPS + 1, RELEASED], abs=1e-12)
    assert [event.exact for event in (own[0], own[-1])] == ["3/2", "13/3"]


def test_fig_4_exact_times_are_fractions_or_roots_of_the_polynomials_given():
    """The nose is beside the T's arm, at x = −3, from (t − 8)² = 28 to (t − 9)² = 28."""
    own = [event.exact for event in hooks().events if event.pawl == "left"]
    assert own[1].startswith("root of t^2 + (-16)*t + 36 in")
    assert own[2].startswith("root of t^2 + (-18)*t + 53 in")
    assert (exact_value(own[1]) - 8) ** 2 == pytest.approx(28, abs=1e-35)
    assert (exact_value(own[2]) - 9) ** 2 == pytest.approx(28, abs=1e-35)


def test_fig_4_the_same_on_the_left_and_on_the_right():
    left, right = ([e for e in hooks().events if e.pawl == name] for name in ("left", "right"))
    assert [e.exact for e in left] == [e.exact for e in right]
    assert [e.angle for e in left] == pytest.approx([-e.angle for e in right])


def test_fig_4_without_friction_it_is_pulled_back_up():
    """Figs 4H to 4O: the same contacts in the order reversed, to where it started."""
    there, again = hooks().ways
    assert again.status is SnapStatus.THROUGH
    assert again.travel == pytest.approx(8)
    forth = [e.at for e in there.events if e.pawl == "left"]
    assert [e.at for e in again.events if e.pawl == "left"] == pytest.approx(forth[::-1])


IN = ("seated", "seated", "seated", "stuck")
OUT = ("through", "through", "stuck", "through")
ENDINGS = list(zip(FRICTIONS, IN, OUT, strict=True))


@pytest.mark.parametrize(("friction", "goes_in", "comes_out"), ENDINGS)
def test_fig_4_friction_decides_whether_it_goes_in_and_comes_out(friction, goes_in, comes_out):
    ways = hooks(friction).ways
    assert [way.status.name.lower() for way in ways] == [goes_in, comes_out]


def test_fig_4_with_more_friction_the_left_pawl_sticks_on_the_way_back():
    back = hooks(Fraction(3, 5)).way_back
    assert (back.last.cause, back.duration) == ("lock", pytest.approx(11 / 3, abs=1e-12))
    assert {event.pawl for event in back.events if event.kind == "lock"} == {"left", "right"}


def test_fig_4_with_still_more_it_does_not_go_in():
    """|n|²|r|² = d²(1 + μ²) with n = (3, −2), d = 16, r = (1, t − 8) and μ = 0.7."""
    lock = hooks(Fraction(7, 10)).events[-1]
    assert (lock.kind, lock.t) == ("lock", pytest.approx(2.6763228, abs=1e-7))
    assert 13 * (1 + (exact_value(lock.exact) - 8) ** 2) == pytest.approx(256 * 1.49, abs=1e-12)


def test_fig_4_the_friction_that_locks_it_is_an_exact_fraction():
    """Going in, at the nose itself: r = (2, −5). Coming out, where the T is met: r = (1, −14/3)."""

    def ratio(r: tuple[Fraction, Fraction], n: tuple[Fraction, Fraction]) -> Fraction:
        return abs((r[0] * n[1] - r[1] * n[0]) / (r[0] * n[0] + r[1] * n[1]))

    half, below = Fraction(1, 2), Fraction(-14, 3)
    there, again = (way.to_dict()["lock_friction_exact"] for way in hooks().ways)
    assert (
        Fraction(there) == ratio((Fraction(2), Fraction(-5)), (Fraction(3), Fraction(-2))) == Fraction(11, 16)
    )
    assert Fraction(again) == ratio((Fraction(1), below), (half, 3 * half)) == Fraction(23, 39)


@pytest.mark.parametrize(
    ("friction", "status"), [(Fraction(11, 16), "stuck"), (Fraction(68749, 10**5), "seated")]
)
def test_fig_4_at_that_friction_it_locks_and_just_below_it_does_not(friction, status):
    assert run(two_hooks(friction)).status.name.lower() == status


def test_fig_4_peak_forces_in_and_out():
    """The notes' 8.9 and 9.7, 20.6 and 17.5, 112."""
    peaks = [[way.peak_force for way in hooks(friction).ways] for friction in FRICTIONS]
    assert peaks[0] == pytest.approx([8.947152, 9.691148], abs=1e-6)
    assert peaks[1] == pytest.approx([20.671244, 17.566485], abs=1e-6)
    assert peaks[2] == [pytest.approx(112.789108, abs=1e-6), math.inf]
    assert peaks[3][0] == math.inf


# Fig. 3: the T is not symmetrical


def test_fig_3_the_right_pawl_cannot_reach_below_before_the_root_collides():
    way = hooks(drop=Fraction(5)).way_in
    assert way.status is SnapStatus.SEATED
    assert told(way, "left") == ["contact", "change", "change", "release"]
    assert told(way, "right") == ["contact", "change"]
    assert way.angles["left"] == 0
    assert way.angles["right"] == pytest.approx(0.193727, abs=1e-6)


@pytest.mark.parametrize(("drop", "reaches"), [(Fraction(429, 100), True), (Fraction(43, 10), False)])
def test_fig_3_how_long_an_arm_the_right_pawl_reaches_around(drop, reaches):
    """Seated, its nose is 2√7 below the hinge, which is at y = 1."""
    assert 4.29 < 2 * math.sqrt(7) - 1 < 4.3
    way = run(two_hooks(drop=drop)).way_in
    assert (told(way, "right")[2:] != []) is reaches


def test_fig_3_with_low_friction_nothing_keeps_it_from_coming_apart():
    assert hooks(Fraction(1, 10), Fraction(5)).way_back.status is SnapStatus.THROUGH


def test_fig_3_with_more_friction_the_left_pawl_alone_keeps_it():
    back = hooks(Fraction(3, 5), Fraction(5)).way_back
    assert back.status is SnapStatus.STUCK
    assert [event.pawl for event in back.events if event.kind == "lock"] == ["left"]


# Figs. 5 and 6: a motion diode

B_TAKES_OVER = "root of 2*t^3 + (-39)*t^2 + 192*t + (-43) in"
JAMS = "root of 7066*t^2 + (-102238)*t + 363771 in"


def test_fig_5_the_pawl_is_cocked_and_snaps_twice():
    events = diode().events
    assert [event.kind for event in events] == [
        "contact", "snap from a vertex", "lands", "change", "snap from a vertex", "rests",
    ]  # fmt: skip
    assert [event.exact for event in events[:3]] == ["11/2", "10", "10"]
    assert events[3].exact.startswith(B_TAKES_OVER)
    assert [event.exact for event in events[4:]] == ["15", "15"]
    assert float(exact_value(events[3].exact)) == pytest.approx(10.778232, abs=1e-6)
    assert diode().status is SnapStatus.THROUGH


def test_fig_5_it_slides_along_the_upper_left_corner_of_a():
    assert [str(contact) for contact in diode().events[0].contacts] == ["vertex 0 of A on edge 2-0 of pawl"]
    assert angle_at(diode().way_in.last.paths["pawl"], 8.0) > 0


def test_fig_5_it_snaps_off_where_its_tip_is_on_the_corner():
    """tan(θ/2) = 3/5 turns the tip (4, 1) to (1, 4), from the hinge at (0, −1) to A's corner (1, 3)."""
    assert math.tan(diode().events[1].angle / 2) == pytest.approx(3 / 5, abs=1e-15)
    u = diode().way_in.last.paths["pawl"].events[1].point.u.reduced
    assert u.is_rational
    assert Fraction(int(u.low.p), int(u.low.q)) == Fraction(3, 5)


def test_fig_5_it_lands_on_the_rightmost_vertex_of_c():
    lands = diode().events[2]
    assert [str(contact) for contact in lands.contacts] == ["vertex 0 of C on edge 0-1 of pawl"]
    assert lands.angle == pytest.approx(0.854892, abs=1e-6)


def test_sec_8_1_a_snap_stops_at_the_first_contact_that_holds():
    """Found by turning the pawl back at t = 10 in small steps until it overlaps."""
    model, (snap, lands) = diode().model, diode().events[1:3]
    steps = np.arange(snap.angle, 0, -1e-3)
    first = next(angle for angle in steps if overlap(model, 0, 10.0, angle) > 1e-9)
    assert 0 < lands.angle - first < 1e-3


def test_fig_5_b_takes_over_from_c_and_lets_go_at_its_left_vertex():
    takes, snaps = diode().events[3:5]
    assert {str(contact) for contact in takes.contacts} == {
        "vertex 0 of B on edge 2-0 of pawl", "vertex 0 of C on edge 0-1 of pawl",
    }  # fmt: skip
    assert "vertex 0 of B on edge 2-0 of pawl" in {str(contact) for contact in snaps.contacts}
    assert takes.angle == pytest.approx(0.379872, abs=1e-6)
    assert math.tan(snaps.angle / 2) == pytest.approx(3 / 5, abs=1e-15)


def test_fig_6_moved_back_up_it_jams_between_b_and_c():
    result = diode_from_below()
    jam = result.events[-1]
    assert result.status is SnapStatus.JAMMED
    assert jam.exact.startswith(JAMS)
    assert (float(exact_value(jam.exact)), jam.angle) == pytest.approx((6.309218, -0.228906), abs=1e-6)
    assert {contact.edge_of for contact in jam.contacts} == {"B", "C"}


def test_fig_6_both_corners_of_the_pawl_are_on_their_lines_where_it_jams():
    """(4, 1) on B's lower side, x + 5y = −9, and (−2, 0) on C's lower side, x − 4y = 7."""
    jam = diode_from_below().events[-1]
    t, (c, s) = jam.t, (math.cos(jam.angle), math.sin(jam.angle))
    assert (4 * c - s) + 5 * (4 * s + c - 9 + t) == pytest.approx(-9, abs=1e-9)
    assert -2 * c - 4 * (-2 * s - 9 + t) == pytest.approx(7, abs=1e-9)


def test_fig_6_it_jams_at_the_same_place_on_the_way_back():
    back = diode().way_back
    assert back.status is SnapStatus.JAMMED
    assert 18 - back.events[-1].at == pytest.approx(diode_from_below().events[-1].t, abs=1e-12)


def test_fig_6_kinematics_alone_stop_it_so_friction_changes_nothing():
    rough = run(motion_diode(start=(0, -9), velocity=(0, 1), friction=2))
    assert [e.exact for e in rough.events] == [e.exact for e in diode_from_below().events]


@pytest.mark.parametrize("result", [hooks, diode, diode_from_below])
def test_every_exact_time_is_the_one_that_is_shown(result):
    events = [event for way in result().ways for event in way.events]
    assert len(events) > 1
    for event in events:
        assert float(exact_value(event.exact)) == pytest.approx(event.t, abs=1e-12)
        assert float(exact_value(event.at_exact)) == pytest.approx(event.at, abs=1e-12)


def test_floats_find_the_same_events_as_exact_numbers():
    for model in (two_hooks(Fraction(3, 10)), motion_diode()):
        exact, floats = (run(model, reverse=True, arithmetic=name) for name in ("exact", "float"))
        for one, other in zip(exact.ways, floats.ways, strict=True):
            assert [(e.kind, e.pawl) for e in one.events] == [(e.kind, e.pawl) for e in other.events]
            assert [e.t for e in one.events] == pytest.approx([e.t for e in other.events], abs=1e-8)


def test_a_pawl_that_could_go_either_way_is_said_to_be_at_a_dead_centre():
    """Section 2 asks for stable contacts; here there is none."""
    result = run(fastener(NEEDLE, [(-3, -12), (3, -12), (3, -6), (-3, -6)]))
    assert (result.status, result.events[-1].exact) == (SnapStatus.DEAD_CENTRE, "2")
