"""Fine stepping with shapely, which knows nothing of the sweep, and the sweep go the same way.

Hundreds of random fasteners agree; the tests take some of them, in and out.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.crosscheck.stepping import walk

from pliant.snap.arithmetic.exact import ExactArithmetic
from pliant.snap.force.force_curve import contact_spans, pawl_angles
from pliant.snap.generate import motion_diode, random_fastener, two_hooks
from pliant.snap.sweep.path import Path, PathPiece
from pliant.snap.sweep.plan import Course, travel_back, travel_in, united_obstacles

CAUSES = {"until": "through", "jam": "jam", "stop": "stop", "lock": "friction", "dead centre": "dead centre"}
CLOSE = 3e-6  # in t: the stepper halves its steps down to 1e-8


def cause(course: Course) -> str:
    """How a course ended, as the stepper says it."""
    return "root" if course.by == "root" else CAUSES[course.cause]


def obstacles_met(course: Course, pawl: str) -> list[int]:
    """The obstacles that hold a pawl, in order, each once in a row."""
    path = course.paths[pawl]
    held = [
        path.scene.obstacles.owner[piece.contacts[0][2]]
        for piece in path.pieces
        if (piece.contacts and piece.start.t < course.ends - CLOSE) or _locks_at_once(course, path, piece)
    ]
    return [one for place, one in enumerate(held) if not place or one != held[place - 1]]


def _locks_at_once(course: Course, path: Path, piece: PathPiece) -> bool:
    """Whether a piece ends its course where it begins."""
    return bool(piece.contacts) and piece is path.pieces[-1] and path.end.t <= course.ends + CLOSE


def some(seeds: range, count: int) -> list[object]:
    """The first few of them in quick tests, the others in slow ones."""
    return [*seeds[:count], *(pytest.param(seed, marks=pytest.mark.slow) for seed in seeds[count:])]


@pytest.mark.few(6)
@pytest.mark.parametrize("seed", some(range(40), 20))
def test_random_fasteners_end_alike_and_meet_the_same_obstacles_in_the_same_order(seed):
    model = random_fastener(seed)
    course = travel_in(model, ExactArithmetic(), united_obstacles(model))[-1]
    stepped = walk(model)
    assert stepped.end.cause == cause(course)
    assert stepped.end.t == pytest.approx(course.ends, abs=CLOSE)
    for pawl, track in zip(model.pawls, stepped.tracks, strict=True):
        met = [change.obstacles[0] for change in track.contacts() if len(change.obstacles) == 1]
        once = [one for place, one in enumerate(met) if not place or one != met[place - 1]]
        assert once == obstacles_met(course, pawl.name)


@pytest.mark.few(2)
@pytest.mark.parametrize("seed", some(range(200, 212), 6))
def test_random_fasteners_come_back_alike(seed):
    model = random_fastener(seed)
    fixed, arithmetic = united_obstacles(model), ExactArithmetic()
    course = travel_back(model, arithmetic, fixed, travel_in(model, arithmetic, fixed))[-1]
    stepped = walk(model, reverse=True)
    assert stepped.end.cause == cause(course)
    assert stepped.end.t == pytest.approx(course.ends - course.begins, abs=CLOSE)


@pytest.mark.parametrize(
    "model", [pytest.param(two_hooks("3/10"), marks=pytest.mark.slow, id="two hooks"), motion_diode()]
)
def test_angles_agree_all_along(model):
    course = travel_in(model, ExactArithmetic(), united_obstacles(model))[0]
    for pawl, track in zip(model.pawls, walk(model).tracks, strict=True):
        for span in contact_spans(course):
            low, high = span.begin + CLOSE, span.end - CLOSE
            inside = [(t, a) for t, a in zip(track.t, track.angle, strict=True) if low < t < high]
            t, found = np.array(inside).reshape(-1, 2).T
            wanted = pawl_angles(course.paths[pawl.name], span.pieces[pawl.name], t)
            margin = 1e-5 + 1e-7 / np.sqrt(np.minimum(t - span.begin, span.end - t))  # steep at a snap
            assert np.all(np.abs(found - wanted) < margin)


def test_the_stepper_snaps_where_the_sweep_does():
    found = walk(motion_diode()).tracks[0].snaps
    assert [snap.t for snap in found] == pytest.approx([10, 15], abs=CLOSE)
    assert math.tan(found[0].before / 2) == pytest.approx(3 / 5, abs=1e-5)
