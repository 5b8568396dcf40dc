"""A fastener's answer in words."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from pliant import gallery
from pliant.snap.generate import cantilever_hook, motion_diode, ratchet, two_hooks
from pliant.snap.model import Beam, Fastener, Obstacle, SnapStudy
from pliant.snap.report import FIRST, LAST, sentence, summary
from pliant.snap.result import SnapResult
from pliant.snap.solve import solve
from pliant.snap.status import SnapStatus

BEAM = {"length": 10, "thickness": 1, "width": 6}


def ran(model: Fastener, **asked) -> SnapResult:
    return solve(model, SnapStudy(**{"reverse": True, **asked}))


def lines(result: SnapResult, key: str) -> list[str]:
    found = [text for text in summary(result).split("\n") if text.startswith(f"  {key} ")]
    return [text.removeprefix(f"  {key}").strip() for text in found]


def ended(result: SnapResult, status: SnapStatus) -> SnapResult:
    """The result, as if it had ended otherwise."""
    back = None if result.way_back is None else replace(result.way_back, status=status)
    return replace(result, way_in=replace(result.way_in, status=status), way_back=back)


def test_one_that_is_seated_and_comes_out_says_both_forces():
    assert sentence(ran(two_hooks())) == (
        "Goes in with 8.947 N, until the root sits on T after 8 mm; comes out with 9.691 N."
    )


def test_one_that_locks_says_who_where_and_below_which_friction_it_would_not():
    result = ran(two_hooks(Fraction(3, 5)))
    assert sentence(result).endswith(
        "does not come out: friction locks the left pawl 3.67 mm into the way back "
        "(it would come out below μ = 0.5897)."
    )
    assert lines(result, "locks from") == ["μ = 0.6875 (left)", "μ = 0.589744 (left)"]
    assert sentence(ran(two_hooks(Fraction(7, 10)), reverse=False)) == (
        "Does not go in: friction locks the left pawl 2.68 mm on the way in "
        "(it would go in below μ = 0.6875)."
    )


def test_one_that_locks_at_any_friction_says_so():
    """Its contact's normal passes through the hinge."""
    said = sentence(ran(gallery.load("escapement")))
    assert said.endswith("mm into the way back (without any friction it would get further, and jam).")


def test_one_that_passes_comes_back_or_does_not_and_a_pawl_that_is_alone_is_called_by_its_name():
    assert "; does not come back: the pawl jams between its contacts " in sentence(ran(ratchet(2)))
    assert "comes back with" in sentence(ran(cantilever_hook()))


def test_one_that_touches_nothing_says_so():
    away = (Obstacle(outline=[[20, 0], [21, 0], [21, 1]]),)
    result = ran(two_hooks().model_copy(update={"obstacles": away}))
    assert sentence(result) == f"Touches nothing in {result.way_in.travel:.4g} mm; comes out freely."
    assert lines(result, "peak force") == []


@pytest.mark.parametrize(
    ("status", "said", "back"),
    [
        (SnapStatus.STOPPED, "the pawl comes to its stop and jams 18 mm", "jams 6.31 mm into the way back"),
        (
            SnapStatus.DEAD_CENTRE,
            "is at a dead centre and could turn either way, 18 mm",
            "either way, 6.31 mm",
        ),
        (SnapStatus.JAMMED, "jams between its contacts 18 mm on the way in", "6.31 mm into the way back"),
        (SnapStatus.EVENT_LIMIT, "The limit of events was reached after 18 mm", "on the way back"),
        (SnapStatus.SEATED, "until the root sits on an obstacle after 18 mm", "the root meets an obstacle"),
    ],
)
def test_every_other_ending_has_its_words(status: SnapStatus, said: str, back: str):
    result = ran(
        motion_diode().model_copy(update={"root": motion_diode().root.model_copy(update={"until": 18})})
    )
    last = replace(result.way_in.last, by="pawl")
    moved = replace(result, way_in=replace(result.way_in, courses=(last,)))
    before, _, after = sentence(ended(moved, status)).partition("; ")
    assert said in before
    assert back in after


def test_figures_below_rounding_are_nothing():
    result = ran(two_hooks())
    assert result.way_in.work == 0
    assert float(np.abs(result.way_in.curves[0].spent).max()) > 1
    assert all(line.endswith("work 0 N·mm") for line in lines(result, "peak force"))


def test_of_many_events_the_first_and_the_last_are_told():
    result = ran(ratchet(40), reverse=False)
    told = [line for line in summary(result).split("\n") if line.startswith("    ")]
    assert len(told) == FIRST + LAST + 1
    assert told[FIRST] == f"    … {len(result.events) - FIRST - LAST} more …"
    assert "rests" in told[-1]
    few = ran(ratchet(3), reverse=False)
    assert len([line for line in summary(few).split("\n") if line.startswith("    ")]) == len(few.events)


@pytest.mark.parametrize(
    ("beam", "said"),
    [
        ({"material": "POM"}, "1.21 %, of the 6 % that POM may have (hook)"),
        ({"material": "POM", "strain_limit": 0.01}, "1.21 %, more than the 1 % that POM may have (hook)"),
        ({"modulus": 2000, "strain_limit": 0.05}, "1.21 %, of the 5 % that it may have (hook)"),
        ({"modulus": 2000}, "1.21 %, no limit is given (hook)"),
    ],
)
def test_a_beams_strain_is_told_against_its_limit(beam: dict[str, object], said: str):
    assert lines(ran(cantilever_hook(beam=Beam(**BEAM, **beam))), "peak strain") == [said]


def test_the_handbooks_force_stands_beside_the_one_found():
    result = ran(cantilever_hook(beam=Beam(**BEAM, material="POM")))
    assert lines(result, "handbook") == [
        "3.267 N for the ramp of 26.6° as drawn; here 2.571 N, as the nose has turned by 6.8° (hook)",
        "6.3 N for the ramp of 45° as drawn; here 2.762 N, as the nose has turned by 7.74° (hook)",
    ]
    assert lines(ran(cantilever_hook()), "handbook") == []


def test_digits_are_proved_only_where_they_were_asked_for():
    result = ran(two_hooks(), digits=12)
    asked = [float(line.split()[0]) for line in lines(result, "proved")]
    assert asked == pytest.approx([way.peak for way in result.ways], rel=1e-11)
    assert lines(ran(two_hooks()), "proved") == []
    assert lines(ran(two_hooks(), digits=12, arithmetic="float"), "proved") == []


def test_the_class_of_a_diode_says_against_what_force():
    strong = cantilever_hook(friction=Fraction(1, 10))
    (said,) = lines(ran(strong, classify=True, directions=8), "motion diode")
    out = ran(strong).way_back
    assert out is not None
    assert said.startswith(f"relative force diode, up to {out.peak:.4g} N (")
    (none,) = lines(ran(two_hooks(Fraction(3, 10)), classify=True, directions=8), "motion diode")
    assert none.startswith("none: it comes out with")
    (stuck,) = lines(ran(two_hooks(Fraction(7, 10)), classify=True), "motion diode")
    assert stuck == "none: it does not go in"


@pytest.mark.slow
def test_the_directions_at_which_the_outcome_changes_are_told_exactly_or_between_which_they_are():
    exact = lines(ran(motion_diode(), classify=True, directions=16), "outcome changes")
    root = "root of 1328*y^2 + (-2220)*y + 921 in [0.764, 0.765]"
    assert exact[0] == f"at 37.3928°, along (1, y), y = {root} exactly"
    quick = lines(ran(motion_diode(), classify=True, directions=16, arithmetic="float"), "outcome changes")
    assert [text.split(", between ")[0] for text in quick] == [text.split(", along ")[0] for text in exact]
    assert all(text.endswith("tried by floats") for text in quick)


def test_what_must_be_noticed_is_too_much_strain_and_a_way_back_that_is_blocked():
    sound = ran(gallery.load("cantilever-snap"))
    assert sound.alerts == ()
    assert ended(sound, SnapStatus.DEAD_CENTRE).alerts == ("dead centre on the way back",)
    assert ended(sound, SnapStatus.SEATED).alerts == ()
    assert ran(gallery.load("short-snap"), reverse=False).alerts == ("hook overstrained: 8.97 % of 4 %",)
