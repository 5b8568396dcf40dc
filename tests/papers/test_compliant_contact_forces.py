"""[DonaldPai1993] Appendix A: forces on pawls and on the root, their peaks, and the work they do."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from flint import arb, ctx
from scipy.optimize import brentq
from tests.papers.contact_cases import (
    BAR,
    POST,
    Floats,
    cross,
    fastener,
    frame,
    geometry,
    inside,
    run,
    sliding,
    sliding_speed,
)

from pliant.snap.force.force_curve import pawl_angles, pawl_load
from pliant.snap.generate import motion_diode, two_hooks
from pliant.snap.geometry.features import VERTEX
from pliant.snap.result import SnapResult
from pliant.snap.springs.spring import PawlSpring
from pliant.snap.sweep.path import Path, PathPiece

MU = Fraction(3, 10)
SPRING = PawlSpring(100.0, 0.0)
BOTH = pytest.mark.parametrize("kind", [VERTEX, 1 - VERTEX])


def forces(path: Path, piece: PathPiece, t: Floats, mu: Fraction = MU) -> Floats:
    """The contact forces on the pawl."""
    return pawl_load(path, piece, t, SPRING, float(mu)).force


# Eqs A1 to A5


@BOTH
def test_eqs_a2_and_a4_the_torque_of_the_contact_is_that_of_the_spring(kind):
    for path, piece in sliding(kind, MU):
        t = inside(piece, 5)
        for force, angle, moment in zip(forces(path, piece, t), pawl_angles(path, piece, t), t, strict=True):
            lever, _, _ = geometry(path.scene, piece.contacts[0], angle, moment)
            assert cross(lever, force) == pytest.approx(100 * angle, rel=1e-9, abs=1e-9)


@BOTH
def test_eqs_a3_and_a5_the_force_is_along_the_edge_of_the_friction_cone_and_presses(kind):
    """On the pawl for type B; of type A the paper's f is the one on the obstacle."""
    for path, piece in sliding(kind, MU):
        t = inside(piece, 5)
        for force, angle, moment in zip(forces(path, piece, t), pawl_angles(path, piece, t), t, strict=True):
            lever, normal, velocity = geometry(path.scene, piece.contacts[0], angle, moment)
            across, along = frame(force if kind == VERTEX else -force, normal)
            speed = sliding_speed(lever, normal, velocity, kind)
            assert along > 0
            assert across == pytest.approx(-math.copysign(0.3, speed) * along, rel=1e-9)


def test_a_pawl_that_jams_or_sticks_takes_any_force():
    """Appendix A: forces are infinite as time is increased."""
    for model in (two_hooks(Fraction(7, 10)), motion_diode(start=(0, -9), velocity=(0, 1))):
        result = run(model)
        assert result.peak_force == math.inf
        assert result.to_dict()["peak_force"] is None


def test_towards_the_lock_the_force_grows_without_bound():
    mu = Fraction(7, 10)
    way = run(two_hooks(mu)).way_in
    path = way.last.paths["left"]
    sizes = np.hypot(*forces(path, path.pieces[-1], way.last.ends - np.array([1e-2, 1e-4, 1e-6]), mu).T)
    assert sizes[1:] / sizes[:-1] == pytest.approx([100, 100], rel=0.1)


# Prop. A.1, eqs A6 to A9


def test_prop_a_1_as_printed_the_formula_has_no_peak_inside():
    """α = (Aψ + B)/(C sin ψ), positive between two angles: its only extrema are minima."""
    rng = np.random.default_rng(0)
    minima = 0
    for a, b in rng.normal(size=(200, 2)):
        psi = np.sort(rng.uniform(0.05, math.pi - 0.05, 2))
        grid = np.linspace(*psi, 400)
        alpha = (a * grid + b) / np.sin(grid)
        if (alpha > 0).all() and psi[1] - psi[0] > 0.1:
            assert alpha[1:-1].max() <= max(alpha[0], alpha[-1])
            minima += alpha.argmin() not in (0, 399)
    assert minima > 5


def test_eqs_a8_and_a9_where_its_slope_vanishes_the_second_derivative_is_the_force_itself():
    a, b, c = 1.0, 0.5, 2.0

    def alpha(psi: float) -> float:
        return (a * psi + b) / (c * math.sin(psi))

    def slope(psi: float) -> float:
        return (math.sin(psi) * a - (a * psi + b) * math.cos(psi)) / (c * math.sin(psi) ** 2)

    assert slope(0.7) == pytest.approx((alpha(0.7 + 1e-6) - alpha(0.7 - 1e-6)) / 2e-6, rel=1e-8)
    least = brentq(slope, 0.1, 1.5)
    second = (alpha(least + 1e-4) - 2 * alpha(least) + alpha(least - 1e-4)) / 1e-8
    assert second == pytest.approx(alpha(least), rel=1e-6)


def test_prop_a_1_is_true_of_type_b():
    """While it slides one way, the greatest force is at one of the piece's ends."""
    count = 0
    for path, piece in sliding(VERTEX, MU):
        t = np.linspace(piece.start.t, piece.end.t, 60)
        ahead = [
            _ahead(path, piece, angle, at) for angle, at in zip(pawl_angles(path, piece, t), t, strict=True)
        ]
        if len(set(np.sign(ahead))) > 1:
            continue
        size = np.hypot(*forces(path, piece, t).T)
        assert size[1:-1].max() <= max(size[0], size[-1])
        count += 1
    assert count > 5


def _ahead(path: Path, piece: PathPiece, angle: float, t: float) -> float:
    lever, _, velocity = geometry(path.scene, piece.contacts[0], angle, t)
    return float(lever @ velocity)


@cache
def bar() -> SnapResult:
    """A bar, hinged at its end, that comes down on a post one to the right: tan θ = t − 3."""
    return run(fastener(BAR, POST, until=6), digits=30)


def test_prop_a_1_is_false_of_type_a():
    """Differs: the lever is 1/cos θ, so that the force is 100 θ cos θ, greatest where θ tan θ = 1."""
    path = bar().way_in.last.paths["pawl"]
    piece = path.pieces[1]
    assert piece.contacts[0][0] != VERTEX
    t = np.linspace(piece.start.t, piece.end.t, 500)
    size = np.hypot(*forces(path, piece, t, Fraction(0)).T)
    angle = brentq(lambda x: x * math.tan(x) - 1, 0.5, 1)
    assert size.max() == pytest.approx(100 * angle * math.cos(angle), rel=1e-4)
    assert size[0] < size[-1] < 0.8 * size.max()
    assert t[size.argmax()] == pytest.approx(3 + math.tan(angle), abs=0.01)


def test_peaks_inside_a_piece_are_found():
    """The share against the motion is 100 θ cos²θ, greatest where 2θ tan θ = 1."""
    angle = brentq(lambda x: 2 * x * math.tan(x) - 1, 0.5, 1, xtol=1e-15)
    assert bar().peak_force == pytest.approx(100 * angle * math.cos(angle) ** 2, rel=1e-12)
    assert bar().way_in.curves[0].peak_at == pytest.approx(3 + math.tan(angle), abs=1e-5)


def test_forces_are_transcendental_but_any_digits_of_them_can_be_proved():
    with ctx.workprec(200):
        angle = arb(0.6533)
        for _ in range(8):
            angle -= (2 * angle * angle.tan() - 1) / (2 * angle.tan() + 2 * angle / angle.cos() ** 2)
        expected = arb(100 * angle.mid() * angle.mid().cos() ** 2)
        proved = bar().to_dict()["peak_certified"]
        assert abs(arb(proved["force"]) - expected) < arb(10) ** -28
        assert arb(proved["radius"]) < arb(10) ** -28


# The root, and work


def test_the_force_on_the_root_is_the_sum_of_its_pawls():
    """Of two hooks in a mirror: nothing sideways, and no torque about the middle."""
    curve = run(two_hooks(MU), about=(0, 9)).way_in.curves[0]
    assert curve.total == pytest.approx(curve.pawls["left"] + curve.pawls["right"])
    assert curve.pawls["left"] == pytest.approx(curve.pawls["right"])
    assert curve.force[:, 1] == pytest.approx(curve.total)
    assert curve.force[:, 0] == pytest.approx(0, abs=1e-9)
    assert curve.torque == pytest.approx(0, abs=1e-9)


def test_the_torque_on_the_root_is_about_the_point_asked_for():
    """About a hinge it is the spring's; about another point the force's moment is added."""
    model = two_hooks(MU)
    one = model.model_copy(update={"pawls": model.pawls[:1]})
    about_hinge, about_origin = (run(one, about=point).way_in.curves[0] for point in ((-4, 9), (0, 9)))
    assert about_hinge.torque == pytest.approx(100 * about_hinge.angles["left"], abs=1e-9)
    moved = about_origin.torque - about_hinge.torque
    assert moved == pytest.approx(-4 * about_hinge.force[:, 1], abs=1e-9)


@BOTH
def test_at_every_moment_the_work_goes_into_the_spring_and_into_friction(kind):
    """F v = kθω + (friction) · (sliding speed), with ω by eqs 8 and 16 and the speed by eqs 11 and 17."""
    for path, piece in sliding(kind, MU):
        t = inside(piece, 5)
        found = pawl_load(path, piece, t, SPRING, float(MU))
        for force, against, angle, at in zip(
            found.force, found.against, pawl_angles(path, piece, t), t, strict=True
        ):
            lever, normal, velocity = geometry(path.scene, piece.contacts[0], angle, at)
            omega = -frame(velocity, normal)[1] / frame(lever, normal)[0]
            rubbed = abs(frame(force, normal)[0] * sliding_speed(lever, normal, velocity, kind))
            power = against * np.hypot(*velocity)
            assert power == pytest.approx(100 * angle * omega + rubbed, rel=1e-8, abs=1e-8)


def test_without_friction_the_work_is_what_the_snaps_lose():
    """Each snap loses ½kθ² down to where it lands; what is not lost comes back."""
    result = run(motion_diode())
    (snap, lands), (again, rests) = ([event.angle for event in result.events[k : k + 2]] for k in (1, 4))
    lost = 50 * (snap**2 - lands**2 + again**2 - rests**2)
    assert result.way_in.work == pytest.approx(lost, rel=1e-8)
    assert run(two_hooks()).way_in.work == pytest.approx(0, abs=1e-9)


def test_with_friction_both_ways_take_work():
    there, again = run(two_hooks(MU), reverse=True).ways
    assert there.work > 1
    assert again.work > 1
