"""pylinkage 1.3 and pliant run the same linkages: whole cycles, velocities, and where the peer stops.

How the two are laid side by side: pylinkage first steps and then yields, so that its pose n is at
n + 1 steps from where it was built, and its last pose of a turn is the first one; its crank starts at
`initial_angle` from the x axis, and pliant's angles count from the drawing, which is built there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from pliant import gallery
from pliant.linkage.generate import four_bar
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.kinematics.poses import LinkagePoses, positions, rates
from pliant.linkage.model import Linkage
from pliant.linkage.solve import solve

pytest.importorskip("pylinkage", reason="the peer is not installed: pip install pliant[dev]")

from pylinkage.actuators import Crank
from pylinkage.components import Ground
from pylinkage.dyads import FixedDyad, RRPDyad, RRRDyad
from pylinkage.simulation import Linkage as Peer

Floats = NDArray[np.float64]


def peer_of(model: Linkage, steps: int, rigid: bool = False) -> Peer:
    """The same linkage, its components in the order of the joints.

    A joint that is rigid on two others is a meeting of two circles as any, or with `rigid` a FixedDyad.
    """
    plan = compile_plan(model)
    at = {name: complex(*place) for name, place in zip(plan.structure.names, plan.drawn, strict=True)}
    made: dict[str, object] = {}
    for entry in plan.describe():
        k, sources = str(entry["joint"]), entry["from"]
        parents = [made[name] for name in sources]
        arms = [at[k] - at[name] for name in sources]
        here = {"x": at[k].real, "y": at[k].imag, "name": k}
        if entry["rule"] == "fixed":
            made[k] = Ground(**here)
        elif entry["rule"] == "motor":
            made[k] = Crank(*parents, abs(arms[0]), math.tau / steps, np.angle(arms[0]).item())
        elif entry["rule"] == "slider":
            made[k] = RRPDyad(*parents, distance=abs(arms[0]), **here)
        elif entry["rule"] == "point" and rigid:
            turned = np.angle(arms[0] / (at[sources[1]] - at[sources[0]])).item()
            made[k] = FixedDyad(*parents, abs(arms[0]), turned)
        else:
            made[k] = RRRDyad(*parents, *map(abs, arms), **here)
    return Peer([made[name] for name in plan.structure.names])


def upright(ground: float, crank: float, coupler: float, rocker: float) -> Linkage:
    """Drawn with its crank at 0.1 rad and open upwards; P rides on the coupler."""
    return four_bar(ground, crank, coupler, rocker, 0.1, point=0.4 + 0.7j)


def model_of(name: str) -> Linkage:
    return upright(4, 1.1, 3.2, 2.4) if name == "a four-bar" else gallery.load(name)


def ours_at(model: Linkage, steps: int) -> LinkagePoses:
    """One turn, in the peer's order: the first step first, the drawing last."""
    return positions(compile_plan(model), np.arange(1, steps + 1)[None] * math.tau / steps)


def furthest(poses: LinkagePoses, theirs: Floats | Sequence) -> float:
    """The largest distance to the peer's (F, N, 2), relative to the size."""
    apart = poses.points - np.asarray(theirs, np.float64)
    return float(np.hypot(*np.moveaxis(apart, -1, 0)).max()) / poses.plan.structure.size


def with_rates(peer: Peer, steps: int, omega: float, alpha: float) -> tuple[Floats, Floats, Floats]:
    crank = next(part for part in peer.components if isinstance(part, Crank))
    peer.set_input_velocity(crank, omega=omega, alpha=alpha)
    return peer.step_fast_with_kinematics(steps)


# Where the peer is right


@pytest.mark.parametrize("rigid", [False, True])
@pytest.mark.parametrize("name", ["a four-bar", "jansen", "klann"])
def test_a_whole_cycle_is_the_peers_to_1e_10(name, rigid):
    model = model_of(name)
    poses = ours_at(model, 720)
    assert furthest(poses, list(peer_of(model, 720, rigid).step(720))) <= 1e-10
    assert furthest(poses, peer_of(model, 720, rigid).step_fast(720)) <= 1e-10


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a four-bar", "jansen", "klann", "slider-crank"])
def test_velocities_and_accelerations_are_the_peers_to_1e_9(name):
    """At 2 rad/s, speeding up by 0.5 rad/s²."""
    model = model_of(name)
    _, speeds, gains = with_rates(peer_of(model, 360), 360, 2.0, 0.5)
    v, a = rates(ours_at(model, 360), np.full((1, 360), 2.0), np.full((1, 360), 0.5))
    assert np.abs(np.moveaxis(v, 2, 0) - speeds).max() <= 1e-9 * np.abs(v).max()
    assert np.abs(np.moveaxis(a, 2, 0) - gains).max() <= 1e-9 * np.abs(a).max()


def test_a_slider_crank_is_the_peers_to_1e_10():
    model = gallery.load("slider-crank")
    assert furthest(ours_at(model, 360), peer_of(model, 360).step_fast(360)) <= 1e-10


# The peer's limits


def side(points: Floats) -> Floats:
    """Which side of B → D the joint C is on, of (F, N, 2) in the order A, B, C, D."""
    base, arm = points[:, 3] - points[:, 1], points[:, 2] - points[:, 1]
    return np.sign(base[:, 0] * arm[:, 1] - base[:, 1] * arm[:, 0])


def test_a_coarse_sweep_hops_to_the_other_branch_in_the_peer_and_not_here():
    """The peer takes the intersection nearest to the last pose; a side needs no last pose.

    Once a turn this rocker goes over in a few degrees.
    """
    model = upright(2.2, 1.6, 2.0, 2.5)
    fine = peer_of(model, 720).step_fast(720)
    assert (side(fine) == 1).all()
    assert furthest(ours_at(model, 720), fine) <= 1e-10
    assert (side(peer_of(model, 24).step_fast(24)) == -1).any()
    coarse = ours_at(model, 24)
    assert (side(coarse.points) == 1).all()
    assert furthest(coarse, fine[29::30]) <= 1e-10


@pytest.mark.slow
def test_a_joint_in_line_with_a_bar_has_no_velocity_in_the_peer_and_has_one_here():
    """Two circles that touch: the peer finds where Hoeken's P = 2C − B is, and not how it moves."""
    model = gallery.load("hoeken")
    places, speeds, _ = with_rates(peer_of(model, 360), 360, 1.0, 0.0)
    poses = ours_at(model, 360)
    v, _ = rates(poses, np.ones((1, 360)), np.zeros((1, 360)))
    b, c, p = (poses.plan.structure.names.index(name) for name in "BCP")
    assert furthest(poses, places) <= 1e-10
    assert np.isnan(speeds[:, p]).all()
    assert np.abs(v[p] - (2 * v[c] - v[b])).max() <= 1e-14 * np.abs(v).max()


def test_a_parallelogram_turns_over_silently_in_the_peer_and_with_a_warning_here():
    """Past a change point both go on as an antiparallelogram; the peer says nothing of it."""
    model = gallery.load("parallelogram")
    names = list(model.joints)
    b, c = names.index("B"), names.index("C")
    theirs = peer_of(model, 360).step_fast(360)
    coupler = theirs[:, c] - theirs[:, b]
    parallel = np.abs(coupler - (np.array(model.joints["C"]) - model.joints["B"])).max(axis=1) <= 1e-6
    assert np.isfinite(theirs).all()
    assert 0.4 < parallel.mean() < 0.6
    assert [warning.kind for warning in solve(model).warnings] == ["change point"] * 2
