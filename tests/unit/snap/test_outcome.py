"""What a run comes to: equal where the same things happen in the same order, and the first contact of all."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from tests.unit.snap.one_pawl import EXACT, FLOAT, box, fastener, ring

from pliant.snap.generate import motion_diode, two_hooks, vector
from pliant.snap.geometry.features import EDGE, VERTEX
from pliant.snap.model import Fastener
from pliant.snap.questions.outcome import Outcome, blocked_outcome, outcome, shifted_fastener
from pliant.snap.sweep.plan import united_obstacles

both = pytest.mark.parametrize("arithmetic", [EXACT, FLOAT], ids=["exact", "float"])
CORNER = ring((0, 0), (3, -4), (6, 0))  # its tip is 3 to the right of its hinge
FLOOR = box(0, -9, 20, -8)
SOLE = box(-2, -3, 2, 0)
SPIKE = ring((0, -6), ("-1/2", -9), ("1/2", -9))


def run(model: Fastener, aside: Any = 0, arithmetic: Any = EXACT) -> Outcome:
    return outcome(shifted_fastener(model, vector(Fraction(aside), 0)), arithmetic)


def on_a_spike(friction: Any = "3/10") -> Fastener:
    """An edge 3 below its hinge comes down on a spike."""
    return fastener(SOLE, SPIKE, root={"velocity": [0, -1], "until": 5}, friction=friction)


@both
def test_the_first_contact_is_told_by_feature_by_name_and_by_time(arithmetic):
    found = outcome(fastener(CORNER, FLOOR, root={"velocity": [0, -1], "until": 5}), arithmetic)
    assert found.first == ("pawl", (VERTEX, 1, 2))
    assert str(found.contact) == "vertex 1 of pawl on edge 2-3 of obstacle 1"
    assert (found.first_at, found.cause, found.by, found.ends) == (4, "until", "", 5)


def test_of_two_that_touch_at_once_the_first_by_name_is_told():
    found = outcome(two_hooks(), FLOAT)
    assert found.first is not None
    assert found.first[0] == "left"
    assert (found.cause, found.by) == ("stop", "root")
    assert found.ends == pytest.approx(8)


def test_who_touches_nothing_has_no_first_contact():
    found = outcome(fastener(CORNER, box(-9, -9, -8, -8), root={"velocity": [0, -1], "until": 5}), EXACT)
    assert (found.first, found.contact, found.first_at, found.cause) == (None, None, 0, "until")


@both
def test_starts_that_meet_the_same_features_in_the_same_order_come_to_the_same(arithmetic):
    """Three to the left the tip passes the floor's end."""
    model = fastener(CORNER, FLOOR, root={"velocity": [0, -1], "until": 5})
    here, beside, past = (run(model, aside, arithmetic).signature for aside in (0, "-29/10", "-31/10"))
    assert here == beside != past


@both
def test_a_signature_does_not_count_how_obstacles_are_numbered(arithmetic):
    """A stone under the floor is united with it, which numbers all their corners anew."""
    alone = fastener(CORNER, FLOOR, root={"velocity": [0, -1], "until": 5})
    joined = fastener(CORNER, FLOOR, box(2, -12, 4, -9), root={"velocity": [0, -1], "until": 5})
    one, other = outcome(alone, arithmetic), outcome(joined, arithmetic)
    assert united_obstacles(joined).following != united_obstacles(alone).following
    assert one.first != other.first
    assert (one.signature, str(one.contact)) == (other.signature, str(other.contact))


@both
@pytest.mark.parametrize(
    ("aside", "at_once"), [("1/10", True), ("89/100", True), ("91/100", False), ("-7/8", True)]
)
def test_it_sticks_at_once_where_the_spike_is_within_the_cone_about_the_hinge(aside, at_once, arithmetic):
    """|a| <= μ d = 9/10; further aside it slides first, and sticks later."""
    found = run(on_a_spike(), aside, arithmetic)
    assert (found.cause, found.by, found.sticks_at_once) == ("lock", "pawl", at_once)
    assert found.first == ("pawl", (EDGE, 0, 0))


def test_sticking_at_once_is_another_outcome_than_sticking_later():
    assert run(on_a_spike(), "89/100").signature != run(on_a_spike(), "91/100").signature
    assert run(on_a_spike(0), "89/100").signature == run(on_a_spike(0), "91/100").signature


def test_events_after_the_end_of_a_course_do_not_count():
    """The root sits down at 8, whatever the hooks would do below."""
    assert outcome(two_hooks(), FLOAT).signature == outcome(two_hooks(Fraction(1, 10)), FLOAT).signature


def test_to_shift_a_start_moves_hinges_and_root_and_no_obstacle():
    model = two_hooks()
    moved = shifted_fastener(model, vector(2, -3))
    assert [pawl.hinge for pawl in moved.pawls] == [(-2, 6), (6, 6)]
    assert moved.root.outline[0] == (model.root.outline[0][0] + 2, model.root.outline[0][1] - 3)
    assert moved.obstacles == model.obstacles
    assert moved.pawls[0].outline == model.pawls[0].outline
    assert shifted_fastener(motion_diode(), vector(0, 0)) == motion_diode()


def test_a_start_inside_an_obstacle_is_an_outcome_of_its_own():
    found = blocked_outcome("hook", "plate")
    assert (found.cause, found.by, found.inside, found.first) == ("inside", "hook", "plate", None)
    assert found.signature != blocked_outcome("hook", "stone").signature
    assert run(on_a_spike()).inside == ""
