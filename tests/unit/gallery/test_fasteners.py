"""The gallery's fasteners do what their descriptions say."""

import math
from fractions import Fraction

import numpy as np
import pytest
from tests.solved import loaded, names_of_kind, solved

import pliant
from pliant import gallery
from pliant.core.store import json_text
from pliant.snap.force.snap_trajectory import SnapTrajectory
from pliant.snap.start.remarks import remarks
from pliant.snap.status import SnapStatus

FASTENERS = names_of_kind("fastener")

IN = {
    "two-hooks": SnapStatus.SEATED,
    "asymmetric-hooks": SnapStatus.SEATED,
    "motion-diode": SnapStatus.THROUGH,
    "motion-diode-total": SnapStatus.THROUGH,
    "dragged-hook": SnapStatus.THROUGH,
    "uncertain-start": SnapStatus.THROUGH,
    "cantilever-snap": SnapStatus.SEATED,
    "short-snap": SnapStatus.SEATED,
    "tapered-snap": SnapStatus.SEATED,
    "sized-snap": SnapStatus.THROUGH,
    "flush-snap": SnapStatus.KNIFE_EDGE,
    "door-latch": SnapStatus.SEATED,
    "ratchet": SnapStatus.THROUGH,
    "escapement": SnapStatus.THROUGH,
    **{name: SnapStatus.SEATED for name in gallery.names() if name.startswith("diode-")},
}
BACK = {
    "two-hooks": SnapStatus.THROUGH,
    "asymmetric-hooks": SnapStatus.THROUGH,
    "motion-diode": SnapStatus.JAMMED,
    "motion-diode-total": SnapStatus.JAMMED,
    "diode-kinematic": SnapStatus.JAMMED,
    "diode-kinematic-closed": SnapStatus.JAMMED,
    "diode-friction": SnapStatus.STUCK,
    "diode-friction-closed": SnapStatus.STUCK,
    "diode-force": SnapStatus.THROUGH,
    "diode-force-closed": SnapStatus.THROUGH,
    "dragged-hook": SnapStatus.THROUGH,
    "cantilever-snap": SnapStatus.THROUGH,
    "short-snap": SnapStatus.THROUGH,
    "tapered-snap": SnapStatus.THROUGH,
    "sized-snap": SnapStatus.THROUGH,
    "flush-snap": SnapStatus.THROUGH,
    "door-latch": SnapStatus.STOPPED,
    "ratchet": SnapStatus.JAMMED,
}
CLASSES = {
    "motion-diode": ("relative", "kinematic"),
    "motion-diode-total": ("total", "kinematic"),
    "diode-kinematic": ("relative", "kinematic"),
    "diode-kinematic-closed": ("total", "kinematic"),
    "diode-friction": ("relative", "friction"),
    "diode-friction-closed": ("total", "friction"),
    "diode-force": ("relative", "force"),
    "diode-force-closed": ("total", "force"),
    "ratchet": ("relative", "kinematic"),
}


def kinds(way: SnapTrajectory, pawl: str) -> list[str]:
    return [event.kind for event in way.events if event.pawl == pawl]


@pytest.mark.parametrize("name", FASTENERS)
def test_each_goes_in_and_comes_back_as_it_is_meant_to(name):
    result = solved(name)
    assert result.status is IN[name], result.summary()
    assert (None if result.way_back is None else result.way_back.status) is BACK.get(name), result.summary()
    assert json_text(result.to_dict())  # numbers that JSON can say


@pytest.mark.parametrize("name", FASTENERS)
def test_floats_find_the_same_ways_and_forces(name):
    result = pliant.solve(loaded(name), arithmetic="float", classify=False, uncertain=False)
    for exact, found in zip(solved(name).ways, result.ways, strict=True):
        assert [event.kind for event in found.events] == [event.kind for event in exact.events]
        assert found.travel == pytest.approx(exact.travel, rel=1e-9)
        assert found.peak == pytest.approx(exact.peak, rel=1e-6)


@pytest.mark.parametrize("name", CLASSES)
def test_each_is_the_kind_of_motion_diode_it_is_called(name):
    assert (solved(name).diode.motion, solved(name).diode.cause) == CLASSES[name]


@pytest.mark.parametrize("kind", ["kinematic", "friction", "force"])
def test_open_and_closed_diodes_differ_by_c_only(kind):
    open_one, closed = loaded(f"diode-{kind}"), loaded(f"diode-{kind}-closed")
    assert closed.obstacles[:-1] == open_one.obstacles
    assert closed.obstacles[-1].name == "C"
    assert (closed.pawls, closed.root, closed.friction) == (open_one.pawls, open_one.root, open_one.friction)


def test_every_figure_of_donald_and_pai_with_parts_has_a_model():
    shown = " ".join(map(gallery.describe, FASTENERS))
    for figure in (
        "Fig. 3",
        "Fig. 4",
        "Figs 5, 6",
        "Fig. 7B",
        "Fig. 7C",
        "Fig. 7D",
        "Fig. 7E",
        "Fig. 15",
        "Fig. 23",
    ):
        assert figure in shown


@pytest.mark.parametrize("name", FASTENERS)
def test_nothing_is_rounded(name):
    assert not [remark for remark in remarks(loaded(name)) if "taken as the angle" in remark]


# The paper's figures


def test_two_hooks_lock_from_the_frictions_the_comments_say():
    result = solved("two-hooks")
    assert result.way_in.to_dict()["lock_friction_exact"] == "11/16"
    assert result.way_back.to_dict()["lock_friction_exact"] == "23/39"
    assert pliant.solve(loaded("two-hooks").model_copy(update={"friction": Fraction(7, 10)})).status is (
        SnapStatus.STUCK
    )


def test_the_right_hook_has_not_come_around_the_uneven_t_when_the_root_sits_down():
    result = solved("asymmetric-hooks")
    assert kinds(result.way_in, "left")[-1] == "release"
    assert "release" not in kinds(result.way_in, "right")
    assert (result.way_in.angles["left"], result.way_in.angles["right"] > 0.1) == (0, True)


def test_the_diode_is_cocked_twice_on_its_way_down():
    found = [(event.exact, event.kind) for event in solved("motion-diode").events if "snap" in event.kind]
    assert found == [("10", "snap from a vertex"), ("15", "snap from a vertex")]
    assert solved("motion-diode").way_back.travel == pytest.approx(6.309218, abs=1e-6)


def test_the_force_diodes_take_more_out_than_in_whichever_way():
    for name in ("diode-force", "diode-force-closed"):
        assert solved(name).way_back.peak > 1.5 * solved(name).way_in.peak
    assert solved("diode-force").diode.bound == 0
    assert solved("diode-force-closed").diode.bound > 1.5 * solved("diode-force-closed").way_in.peak


def test_heel_and_toe_of_the_dragged_hook_touch_at_one_moment():
    events = solved("dragged-hook").events
    assert [event.kind for event in events[:2]] == ["contact", "change"]
    assert events[1].angle == pytest.approx(-math.atan(1 / 4), abs=1e-12)
    heel, toe = (event.contacts[0] for event in events[:2])
    assert (heel.vertex, toe.vertex, heel.edge) == (1, 2, toe.edge)
    assert events[-1].kind == "rests"
    assert max(event.angle for event in solved("dragged-hook").way_back.events) > 0.4  # back the other way


def test_the_dragged_hooks_heel_sticks_from_an_eighth_on():
    assert solved("dragged-hook").way_in.to_dict()["lock_friction_exact"] == "1/8"


def test_an_uncertain_start_has_three_first_contacts_and_an_outcome_that_changes_within_one():
    bands = solved("uncertain-start").outcomes.bands
    edges = [band.contact.edge for band in bands]
    assert list(dict.fromkeys(edges)) == [(3, 4), (2, 3), (1, 2)]
    assert len(bands) == 5
    assert [band.outcome.sticks_at_once for band in bands] == [edge == (2, 3) for edge in edges]


# What people build


def test_the_cantilever_is_strained_less_than_its_material_may_be_and_can_be_made_better():
    model = loaded("cantilever-snap")
    strain = solved("cantilever-snap").to_dict()["strain"]["hook"]
    assert 0.5 * strain["limit"] < strain["peak"] < strain["limit"]
    goal = model.study.goal
    assert solved("cantilever-snap").way_in.peak > goal.insert_below
    found = pliant.solve(model, search=True).design
    assert found.met
    assert found.insertion < goal.insert_below < goal.hold_above < found.retention


def test_the_short_hook_is_strained_too_far_and_says_so_though_it_goes_in():
    strain = solved("short-snap").to_dict()["strain"]["hook"]
    assert strain["peak"] > 1.2 * strain["limit"]
    (alert,) = solved("short-snap").alerts
    assert alert.startswith("hook overstrained: ")


def test_the_tapered_hook_is_strained_less_than_the_straight_one():
    straight, tapered = (solved(f"{name}-snap").to_dict() for name in ("cantilever", "tapered"))
    assert tapered["strain"]["hook"]["peak"] < 0.7 * straight["strain"]["hook"]["peak"]
    assert tapered["peak_force"] < 0.5 * straight["peak_force"]


def test_the_hook_drawn_flush_tells_both_sides():
    sides = solved("flush-snap").knife_edge.sides
    assert [side.way_in.status for side in sides] == [SnapStatus.THROUGH, SnapStatus.STUCK]


def test_the_handbook_is_too_low_on_the_way_in_and_too_high_on_the_way_out_of_the_cantilever():
    data = solved("cantilever-snap").to_dict()
    assert data["handbook"]["hook"] < data["peak_force"]
    assert data["back"]["handbook"]["hook"] > data["back"]["peak_force"]


def test_the_bolt_is_held_out_until_it_is_touched_and_then_takes_at_least_its_preload():
    curve = solved("door-latch").way_in.curves[0]
    pressed = curve.total != 0
    assert curve.angles["bolt"][0] == 0
    first = int(np.flatnonzero(pressed)[0])
    assert curve.total[first] > 5  # its preload of 600 N·mm, before it has turned at all
    assert curve.angles["bolt"][first] == pytest.approx(0, abs=1e-12)


def test_no_friction_opens_the_door():
    free = pliant.solve(loaded("door-latch").model_copy(update={"friction": Fraction(0)}))
    assert free.way_back.status is SnapStatus.STOPPED


def test_the_pawl_clicks_over_each_of_twelve_teeth():
    assert [kind for kind in kinds(solved("ratchet").way_in, "pawl") if kind == "rests"] == ["rests"] * 12


def test_the_anchor_rocks_one_way_and_the_other_at_every_tooth():
    curve = solved("escapement").way_in.curves[0]
    turned = curve.angles["anchor"]
    extremes = np.flatnonzero(np.abs(turned) > 0.999 * np.abs(turned).max())
    sides = [np.sign(turned[k]) for k in extremes]
    swings = [side for side, before in zip(sides, [0.0, *sides], strict=False) if side != before]
    # The front pallet meets three teeth before the rear one comes over the first, and the rear one the last.
    assert swings == [1.0, *[-1.0, 1.0] * 5, -1.0]
    assert kinds(solved("escapement").way_in, "anchor").count("contact") == 16
