"""Peaks of the force: random fasteners looked at far more closely than `force_curve` does."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest

import pliant
from pliant.files import model_of
from pliant.snap.arithmetic.exact import ExactArithmetic
from pliant.snap.force.force_curve import contact_spans, force_curve, pawl_load
from pliant.snap.generate import random_fastener
from pliant.snap.model import Fastener, SnapStudy
from pliant.snap.solve import solve
from pliant.snap.springs.spring import springs_of
from pliant.snap.sweep.plan import Course, travel_back, travel_in, united_obstacles

# At the change of contact from a hook's ramp to its corner the force points at the hinge.
TOGGLE_AT_AN_END = {
    "velocity": [0, -1], "until": 15, "hinge": ["1/2", "37/4"],
    "outline": [
        ["-3/4", 1], ["-3/4", "-33/4"], ["-1/4", "-33/4"], ["13/4", "-13/2"], ["3/4", "-11/2"], ["3/4", 1],
    ],
    "obstacles": [
        [[3, 0], [9, 0], [9, "-9/4"], ["11/4", "-9/4"], ["11/4", "-1/4"]], [[-1, -4], [-4, -4], [-3, "-9/2"]]
    ],
}  # fmt: skip
TOGGLE_AT_A_START = {
    "velocity": [0, -1], "until": 22, "hinge": [-2, 9],
    "outline": [
        [0, 1], [0, "-1/2"], [1, "-1/2"], [1, -3], ["3/2", -3], ["3/2", "-1/2"], [2, "-1/2"], [2, "-5/2"],
        ["5/2", "-5/2"], ["5/2", -1], [4, -1], ["9/2", -3], [5, "-1/2"], ["11/2", "-1/2"], ["11/2", 1],
    ],
    "obstacles": [
        [[1, "-11/4"], ["-3/2", "-9/2"], ["-5/4", "-23/4"]],
        [["11/2", "17/4"], ["9/2", "9/2"], ["9/2", 4], ["17/4", "15/4"], ["19/4", "13/4"]],
    ],
}  # fmt: skip
NOTHING_OVER_NOTHING = {
    "velocity": [-2, -1],
    "until": 10,
    "hinge": ["23/2", "9/2"],
    "outline": [[1, "1/2"], ["-3/2", "3/2"], ["1/2", "-5/2"], ["5/2", -1]],
    "obstacles": [[[0, -2], ["-1/2", -3], [0, -4], [0, -5], ["1/2", -4], ["1/2", "-9/2"], [1, -4]]],
}


def fastener(case: dict) -> Fastener:
    """A pawl on a spring of 1 N·mm/rad, without friction."""
    pawl = {"name": "p0", "hinge": case["hinge"], "outline": case["outline"], "stiffness": 1}
    root = {"velocity": case["velocity"], "until": case["until"]}
    obstacles = [{"outline": outline} for outline in case["obstacles"]]
    return model_of({"pliant": 1, "kind": "fastener", "root": root, "pawls": [pawl], "obstacles": obstacles})


@pytest.mark.parametrize(("case", "t"), [(TOGGLE_AT_AN_END, 2.42633), (TOGGLE_AT_A_START, 9.7558)])
def test_a_pole_is_a_force_without_bound(case, t):
    result = pliant.solve(fastener(case), digits=10)
    assert math.isinf(result.peak_force)
    assert "with a force without bound" in result.summary().splitlines()[0]
    told = json.loads(json.dumps(result.to_dict()))
    assert told["peak_force"] is None
    assert told["peak_certified"] is None
    assert told["peak"] == {
        "force": None,
        "bounded": False,
        "t": pytest.approx(t, abs=1e-4),
        "travel": pytest.approx(t, abs=1e-4),
    }
    assert math.isfinite(result.way_in.work)


def test_where_torque_and_lever_vanish_together_the_limit_is_the_peak():
    result = pliant.solve(fastener(NOTHING_OVER_NOTHING), digits=12)
    proved = result.to_dict()["peak_certified"]
    assert float(proved["force"]) == pytest.approx(4.683209821, abs=1e-8)
    assert result.peak_force == pytest.approx(float(proved["force"]), rel=1e-7)


def closely(course: Course, model: Fastener) -> float:
    """The greatest of many samples, most of them near the ends of stretches."""
    springs, friction, best = springs_of(model), float(model.friction), 0.0
    inner = np.concatenate(
        [np.geomspace(1e-6, 1e-2, 40), np.linspace(0.01, 0.99, 400), 1 - np.geomspace(1e-2, 1e-6, 40)]
    )
    for span in contact_spans(course):
        t = span.begin + (span.end - span.begin) * np.array([0.0, *inner, 1.0])
        total = np.zeros(len(t))
        for name, spring in springs.items():
            if name in span.pieces:
                total += pawl_load(course.paths[name], span.pieces[name], t, spring, friction).high
        inside = total[1:-1]
        best = max(best, float(inside[np.isfinite(inside)].max(initial=0.0)))
    return best


def peaks(seed: int) -> list[tuple[float, float, str]]:
    """Of a random one, in and back, with friction and without: the peak, what is seen closely; the end."""
    found: list[tuple[float, float, str]] = []
    for friction in (Fraction(0), Fraction(1, 4)):
        model = random_fastener(seed).model_copy(update={"friction": friction})
        fixed, arithmetic = united_obstacles(model), ExactArithmetic()
        there = travel_in(model, arithmetic, fixed)
        for course in (*there, *travel_back(model, arithmetic, fixed, there)):
            curve = force_curve(course, springs_of(model), float(friction), (0.0, 0.0))
            if math.isfinite(curve.peak) and curve.peak > 0:
                assert curve.high.max(where=np.isfinite(curve.high), initial=0.0) == pytest.approx(
                    curve.peak, rel=1e-9
                )
            found.append((curve.peak, closely(course, model), course.cause))
    return found


@pytest.mark.parametrize("seeds", [range(40), pytest.param(range(40, 200), marks=pytest.mark.slow)])
def test_no_sample_is_greater_than_the_peak_and_the_samples_hold_it(seeds):
    for seed in seeds:
        for peak, seen, cause in peaks(seed):
            assert cause == "lock" or seen <= peak * (1 + 1e-7), seed
            if math.isinf(peak):
                continue
            assert cause == "lock" or peak <= 1.02 * seen + 1e-9, seed


@pytest.mark.parametrize("unit", ["1", "5/127", "1000", "1e-6"])
def test_a_force_is_bounded_or_not_in_every_unit(unit):
    """A foot lands with the hinge straight above its corner: torque and lever vanish together."""
    scale = Fraction(unit)
    foot = [(1, 1), (1, -6), (0, -6), (-1, -4), (0, -4), (0, 1)]
    slab = [(-2, -10), (3, -10), (3, -8), (-2, -8)]
    outlines = [[(scale * x, scale * y) for x, y in outline] for outline in (foot, slab)]
    model = Fastener.model_validate(
        {
            "root": {"velocity": (scale, -scale), "until": 24},
            "pawls": [{"name": "p", "hinge": (0, 0), "outline": outlines[0], "stiffness": 100 * scale}],
            "obstacles": [{"outline": outlines[1]}],
        }
    )
    assert solve(model, SnapStudy(frames=2)).peak_force == pytest.approx(11.8326, abs=1e-4)
