"""pymunk and MuJoCo, moved slowly, find the angles, the forces and the locks that pliant.snap states."""

from __future__ import annotations

import numpy as np
import pytest

from pliant.snap.arithmetic.exact import ExactArithmetic
from pliant.snap.force.force_curve import ForceCurve, force_curve
from pliant.snap.generate import two_hooks
from pliant.snap.springs.spring import springs_of
from pliant.snap.sweep.plan import Course, travel_back, travel_in, united_obstacles

pytest.importorskip("mujoco", reason="the peer is not installed: pip install pliant[dev]")
pytest.importorskip("pymunk", reason="the peer is not installed: pip install pliant[dev]")

from benchmarks import fasteners_mujoco, fasteners_pymunk
from benchmarks.fasteners import Trace, scene_of

# Peak force and angle to these; the engines' own error falls with their step (benchmarks, "engines").
PEERS = {
    "pymunk": (fasteners_pymunk, fasteners_pymunk.Tuning(stride=8e-4), 0.1, 2e-3),
    "MuJoCo": (fasteners_mujoco, fasteners_mujoco.Tuning(), 0.05, 2e-3),
}


def swept(friction: str) -> tuple[Course, Course, ForceCurve]:
    """Both ways of the two hooks, and the forces of the first."""
    model = two_hooks(friction)
    fixed, arithmetic = united_obstacles(model), ExactArithmetic()
    there = travel_in(model, arithmetic, fixed)
    again = travel_back(model, arithmetic, fixed, there)
    return there[0], again[0], force_curve(there[0], springs_of(model), float(model.friction), (0.0, 0.0))


def angle_error(trace: Trace, curve: ForceCurve) -> float:
    """The largest difference of an angle from the sweep's."""
    columns = zip(trace.angles.T, curve.angles.values(), strict=True)
    return max(float(np.abs(found - np.interp(trace.t, curve.t, exact)).max()) for found, exact in columns)


@pytest.mark.parametrize("peer", PEERS)
def test_angles_and_the_peak_force_agree(peer):
    engine, tuning, force, angle = PEERS[peer]
    _, _, curve = swept("3/10")
    trace, out = engine.run(scene_of(two_hooks("3/10")), tuning)
    assert trace.force.max() == pytest.approx(curve.peak, rel=force)
    assert angle_error(trace, curve) < angle
    assert out is not None
    assert out.end == "through"


@pytest.mark.parametrize("peer", PEERS)
def test_friction_locks_the_way_out_where_it_is_said_to(peer):
    engine, tuning, _, _ = PEERS[peer]
    _, again, _ = swept("3/5")
    _, out = engine.run(scene_of(two_hooks("3/5")), tuning)
    assert out is not None
    assert out.end == "stuck"
    assert out.reached == pytest.approx(again.ends - again.begins, abs=0.05)
