"""What is allowed, and said in a sentence each."""

from fractions import Fraction
from math import degrees
from typing import Any

import pytest

from pliant.snap.arithmetic.half_angle import half_angle
from pliant.snap.generate import motion_diode, ratchet, two_hooks
from pliant.snap.model import Fastener
from pliant.snap.start import remarks as module
from pliant.snap.start.remarks import remarks

SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1]]


def fastener(*pawls: dict[str, Any], **keys: Any) -> Fastener:
    drawn = [
        {"name": f"p{k}", "hinge": [9 * k, 9], "outline": SQUARE, "stiffness": 1, **pawl}
        for k, pawl in enumerate(pawls or ({},))
    ]
    return Fastener.model_validate(
        {"root": {"velocity": [0, -1]}, "pawls": drawn, "obstacles": [{"outline": SQUARE}], **keys}
    )


def test_a_plain_fastener_has_no_remarks():
    assert remarks(motion_diode()) == ()
    assert remarks(fastener()) == ()


def test_a_hinge_outside_its_pawl_is_said_and_one_on_its_edge_is_not():
    beside = [[Fraction(1, 10**30), 0], [1, 0], [1, 1], ["1/2", 1]]
    assert remarks(fastener({"outline": SQUARE}, {"outline": beside})) == (
        "The hinge of 'p1' is outside its outline, which turns about it all the same.",
    )


def test_angles_that_are_rounded_are_said_with_by_how_much():
    exact = {"rest": "1/5 u", "stops": ["-90 deg", "1/3 u"]}
    assert remarks(fastener(exact)) == ()
    (first, second) = remarks(fastener(exact, {"rest": "30 deg", "stops": [-0.1, 1]}))[:2]
    assert first.startswith("pawls[1].rest is 30° and taken as the angle whose half has")
    assert first.endswith(
        f"the tangent {half_angle('30 deg').u}, {degrees(abs(half_angle('30 deg').rounding)):.1e}° from it."
    )
    assert second.startswith("pawls[1].stops[0] is -5.72957795130823° and taken as")


def test_obstacles_that_touch_or_overlap_are_said_to_be_one_body():
    blocks = [
        {"name": "a", "outline": SQUARE},
        {"outline": SQUARE, "at": [1, 0]},
        {"name": "apart", "outline": SQUARE, "at": [Fraction(30001, 10000), 0]},
        {"name": "c", "outline": SQUARE, "at": ["3/2", "1/2"]},
    ]
    assert remarks(fastener(obstacles=blocks)) == (
        "'a', 'obstacle 2' and 'c' touch or overlap: they are taken as one body.",
    )


def test_many_obstacles_and_many_groups_are_said_in_part(monkeypatch: pytest.MonkeyPatch):
    (said,) = remarks(ratchet(9, blocks=True))
    assert said.endswith("'obstacle 6' and 4 more touch or overlap: they are taken as one body.")
    pairs = [{"outline": SQUARE, "at": [5 * k, x]} for k in range(8) for x in (0, 1)]
    assert remarks(fastener(obstacles=pairs))[5:] == (
        "'obstacle 11' and 'obstacle 12' touch or overlap: they are taken as one body.",
        "So do 2 more groups of obstacles.",
    )
    monkeypatch.setattr(module, "LOOKED_AT", 1)
    assert remarks(fastener(obstacles=pairs)) == (
        "'obstacle 1' and 'obstacle 2' touch or overlap: they are taken as one body.",
        "Only 1 pairs of near obstacles were looked at for whether they touch.",
    )


def test_pawls_that_overlap_the_root_or_each_other_are_said_to_pass():
    assert remarks(two_hooks()) == tuple(
        f"{name!r} and 'root' overlap as drawn: pawls and the root do not stop each other."
        for name in ("left", "right")
    )
    assert remarks(fastener({}, {"hinge": ["1/2", 9]}, {"hinge": [-1, 9]})) == (
        "'p0' and 'p1' overlap as drawn: pawls and the root do not stop each other.",
    )
