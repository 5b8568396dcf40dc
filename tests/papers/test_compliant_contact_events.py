"""[DonaldPai1993] section 9.2, Figs. 20 to 22: the seven kinds of events, each in a small scene."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from tests.papers.contact_cases import (
    BAR,
    HALF,
    NEEDLE,
    OVER_THE_HINGE,
    POST,
    RIDGE,
    TABLE,
    Floats,
    fastener,
    overlap,
    run,
    told,
)

from pliant.snap.arithmetic.exact import ExactArithmetic
from pliant.snap.generate import cantilever_hook, motion_diode, random_fastener, ratchet
from pliant.snap.geometry.contact_curves import contact_curve
from pliant.snap.model import Fastener
from pliant.snap.result import SnapResult
from pliant.snap.status import SnapStatus
from pliant.snap.sweep.path import Path, PathEvent
from pliant.snap.sweep.plan import travel_in, united_obstacles

GROOVE = [(-3, -12), (3, -12), (3, -6), (HALF, -8), (-3, -6)]
CEILING = [(3, -3 * HALF), (5, -3 * HALF), (5, 0), (3, 0)]

SCENES: dict[str, Fastener] = {
    "diode": motion_diode(),
    "ratchet": ratchet(2),
    "hook": cantilever_hook(friction=0),
    "needle in a groove": fastener(NEEDLE, GROOVE),
    "needle over a ridge": fastener(NEEDLE, RIDGE, velocity=(1, 0)),
    "bar over a post": fastener(BAR, POST),
    "bar under a ceiling": fastener(BAR, POST, CEILING, hinge=(0, -2)),
    "tip over its hinge": fastener(OVER_THE_HINGE, TABLE),
    "rough tip over its hinge": fastener(OVER_THE_HINGE, TABLE, friction=Fraction(1, 5)),
}


@cache
def ran(scene: str) -> SnapResult:
    return run(SCENES[scene])


def path_of(scene: str) -> Path:
    return next(iter(ran(scene).way_in.last.paths.values()))


def event(scene: str, kind: str) -> PathEvent:
    return next(happening for happening in path_of(scene).events if happening.kind == kind)


def at(happening: PathEvent) -> tuple[float, float]:
    """Its t, and its angle in radians."""
    return happening.point.t, happening.point.turn * math.pi + 2 * math.atan(happening.point.angle)


def is_free(scene: str, t: float, angles: Sequence[float] | Floats) -> list[bool]:
    return [overlap(SCENES[scene], 0, t, angle) < 1e-12 for angle in angles]


EVENTS = {
    "i, translational collision": ("diode", "contact"),
    "i, its dual": ("hook", "release"),
    "ii, sliding collision": ("diode", "change"),
    "iii, jamming": ("needle in a groove", "jam"),
    "iv, snapping free": ("needle over a ridge", "snap off"),
    "v, jamming on one constraint": ("tip over its hinge", "jam on one"),
    "vi, snapping free from a vertex": ("bar over a post", "snap from a vertex"),
    "vii, sticking": ("rough tip over its hinge", "lock"),
}
BEFORE = {"contact": ["rest"], "lock": ["arc"]}
ENDS = {"jam": "jam", "jam on one": "jam", "lock": "lock"}


@pytest.mark.parametrize("name", EVENTS)
def test_figs_20_to_22_every_kind_of_event_is_met(name):
    """Before it the pawl slides, or is at rest; jamming and sticking end the motion, the others do not."""
    scene, kind = EVENTS[name]
    path, happening = path_of(scene), event(scene, kind)
    before = [piece.motion for piece in path.pieces if piece.end.t == happening.point.t][-1:]
    assert before == BEFORE.get(kind, ["arc"])
    assert path.cause == ENDS.get(kind, "until")
    assert (path.events[-1] is happening) == (kind in ENDS or kind == "release")


def test_fig_20_i_from_rest_the_pawl_is_cocked_and_rest_itself_is_no_longer_free():
    t, angle = at(event("diode", "contact"))
    assert angle == 0
    assert is_free("diode", t - 1e-3, [0]) == [True]
    assert is_free("diode", t + 1e-3, [0]) == [False]


def test_fig_20_i_where_a_curve_crosses_rest_the_pawl_stays_there():
    happening = event("hook", "release")
    t, angle = at(happening)
    assert angle == 0
    assert is_free("hook", t + 1e-3, [0]) == [True]
    assert is_free("hook", t - 1e-3, [0]) == [False]
    assert path_of("hook").pieces[-1].motion == "rest"


def test_fig_20_ii_the_tighter_constraint_takes_over():
    path, (t, _) = path_of("diode"), at(event("diode", "change"))
    before, after = next(pair for pair in pairwise(path.pieces) if pair[1].start.t == pytest.approx(t))
    assert before.contacts != after.contacts
    assert before.end.angle == pytest.approx(after.start.angle, abs=1e-15)


@pytest.mark.parametrize(
    ("scene", "kind"),
    [
        ("needle in a groove", "jam"),
        ("bar under a ceiling", "jam"),
        ("tip over its hinge", "jam on one"),
    ],
)
def test_figs_20_and_21_where_it_jams_no_angle_nearby_is_free_afterwards(scene, kind):
    t, angle = at(event(scene, kind))
    nearby = angle + np.linspace(-0.1, 0.1, 81)
    assert any(is_free(scene, t - 1e-2, nearby))
    assert not any(is_free(scene, t + 1e-2, nearby))


@pytest.mark.parametrize(
    ("scene", "kind"),
    [
        ("needle over a ridge", "snap off"),
        ("bar over a post", "snap from a vertex"),
        ("diode", "snap from a vertex"),
    ],
)
def test_fig_21_where_it_snaps_the_way_towards_rest_has_opened(scene, kind):
    t, angle = at(event(scene, kind))
    towards = angle * (1 - np.linspace(0.01, 0.15, 15))
    assert not all(is_free(scene, t - 1e-2, towards))
    assert all(is_free(scene, t + 1e-6, towards))


def test_fig_21_snapping_free_it_turns_to_rest_or_to_the_first_constraint():
    assert told(ran("needle over a ridge").way_in)[-2:] == ["snap off", "rests"]
    assert told(ran("diode").way_in)[1:3] == ["snap from a vertex", "lands"]


def test_fig_22_it_sticks_earlier_than_it_would_jam():
    assert (ran("rough tip over its hinge").status, ran("tip over its hinge").status) == (
        SnapStatus.STUCK,
        SnapStatus.JAMMED,
    )
    assert (
        event("rough tip over its hinge", "lock").point.t < event("tip over its hinge", "jam on one").point.t
    )


# Eq. 32: the tests of normals, and what is true instead


def normals(path: Path, happening: PathEvent) -> list[int]:
    """The signs of η·t̂ of the curves that meet, which are those of α."""
    found = [contact_curve(path.scene, pair, happening.point.turn).alpha for pair in happening.contacts]
    return [path.scene.arithmetic.sign_at(alpha, happening.point.u) for alpha in found]


def leaves(path: Path, happening: PathEvent) -> int:
    """The sign of η·t̂ of the arc that a snap leaves."""
    last = next(
        piece for piece in reversed(path.pieces) if piece.contacts and piece.end.t == happening.point.t
    )
    alpha = contact_curve(path.scene, last.contacts[0], last.turn).alpha
    return path.scene.arithmetic.sign_at(alpha, last.end.u)


def test_eq_32_both_normals_against_time_jam_as_printed():
    path = path_of("needle in a groove")
    assert normals(path, event("needle in a groove", "jam")) == [-1, -1]


def test_eq_32_it_jams_too_where_one_bound_recedes_more_slowly_than_the_other_comes():
    """Differs: the ceiling's normal is along time, and by the printed test this would be no jam."""
    path = path_of("bar under a ceiling")
    assert sorted(normals(path, event("bar under a ceiling", "jam"))) == [-1, 1]


def test_eq_32_a_snap_from_a_vertex_can_leave_an_arc_that_falls_as_printed():
    assert leaves(path_of("bar over a post"), event("bar over a post", "snap from a vertex")) == 1


@pytest.mark.parametrize("scene", ["diode", "ratchet"])
def test_eq_32_a_snap_from_a_vertex_can_leave_an_arc_that_rises(scene):
    """Differs: by the printed test both normals would have to be along time; an ordinary ramp's is not."""
    assert leaves(path_of(scene), event(scene, "snap from a vertex")) == -1


def test_eq_32_among_random_fasteners_both_tests_fail_often():
    """About half of the snaps leave a rising arc; of jams of two contacts a fifth has a normal along time."""
    snaps: list[int] = []
    jams: list[int] = []
    for seed in range(40):
        model = random_fastener(seed)
        for name, path in travel_in(model, ExactArithmetic(), united_obstacles(model), Fraction(0))[
            -1
        ].paths.items():
            for happening in path.events if name != "root" else ():
                if happening.kind == "snap from a vertex":
                    snaps.append(leaves(path, happening))
                if happening.kind == "jam" and len(happening.contacts) == 2:
                    jams.append(max(normals(path, happening)))
    assert 0.2 < snaps.count(-1) / len(snaps) < 0.8
    assert 0.1 < jams.count(1) / len(jams) < 0.5
