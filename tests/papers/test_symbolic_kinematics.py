"""[Bacher2015Supplement], Symbolic Kinematics for Linkages: its rules, derivatives and figures, literally.

The paper's formulas are written out here as printed, in 60 digits, with a switch for each of the two
slips in print: ∂t/∂x̄ has 1/t_d where the quotient rule has 1/t_d², and ∂l̄_ik/∂x̄, ∂l̄_jk/∂x̄ have
the stepped positions where the barred lengths have the initial ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from mpmath import mp, mpf
from numpy.typing import NDArray

from pliant.linkage.generate import jansen, linkage, meet
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.kinematics.poses import LinkagePoses, jacobian, positions
from pliant.linkage.model import Linkage
from pliant.linkage.structure.rule_plan import RulePlan

Floats = NDArray[np.float64]
Exact = NDArray[np.object_]  # of mpf

CLOSE = 1e-12  # of the largest entry compared


@pytest.fixture(autouse=True)
def sixty_digits() -> Iterator[None]:
    with mp.workdps(60):
        yield


# The supplement, section 1, as printed


@dataclass(frozen=True)
class Print:
    """Which of the two slips are put right."""

    quotient: bool = True  # 1/t_d², not 1/t_d
    barred: bool = True  # ∂l̄ by the initial positions, not the stepped ones


@dataclass(frozen=True)
class State:
    """A joint: its stepped position (2,) and its state derivative ∂x/∂x̄ (2, 2N)."""

    x: Exact
    d: Exact


def exact(values: Floats) -> Exact:
    return np.array([mpf(float(v)) for v in values.ravel()], object).reshape(values.shape)


def block(k: int, joints: int) -> Exact:
    """∂x̄_k/∂x̄: zero but for I₂ at joint k."""
    d = np.full((2, 2 * joints), mpf(0), object)
    d[0, 2 * k] = d[1, 2 * k + 1] = mpf(1)
    return d


def length(v: Exact) -> mpf:
    return mp.sqrt(v[0] ** 2 + v[1] ** 2)


def fixed_rule(bar: Exact, k: int) -> State:
    """x_k = x̄_k."""
    return State(bar[k], block(k, len(bar)))


def motor_rule(bar: Exact, k: int, j: int, state_j: State, turn: int, angle: float) -> State:
    """Equation 1: x_k = R(λφ_i)(x̄_k − x̄_j) + x_j."""
    c, s = mp.cos(turn * mpf(angle)), mp.sin(turn * mpf(angle))
    r = np.array([[c, -s], [s, c]], object)
    d = r @ (block(k, len(bar)) - block(j, len(bar))) + state_j.d
    return State(r @ (bar[k] - bar[j]) + state_j.x, d)


@dataclass(frozen=True)
class Triangle:
    """Equation 2 with what it is made of; a quantity q and its ∂q/∂x̄ (2N,), named dq."""

    state: State
    l_ij: mpf
    f: mpf
    t: mpf
    d: mpf
    o: mpf
    dl_ij: Exact
    dl_ik: Exact
    dl_jk: Exact
    df: Exact
    dt: Exact
    dd: Exact
    do: Exact


def barred_derivative(bar: Exact, stepped: dict[int, Exact], i: int, k: int, barred: bool) -> Exact:
    """∂l̄_ik/∂x̄: the unit vector of x_i − x_k at joint i and its negative at joint k."""
    v = bar[i] - bar[k] if barred else stepped[i] - stepped[k]
    return (v / length(v)) @ (block(i, len(bar)) - block(k, len(bar)))


def triangle_rule(
    bar: Exact, k: int, i: int, j: int, x_i: State, x_j: State, side: int, slips: Print
) -> Triangle:
    """Equation 2: x_k = R(λφ) f (x_j − x_i) + x_i, cos φ by the law of cosines."""
    base = x_j.x - x_i.x
    l_ij, l_ik, l_jk = length(base), length(bar[i] - bar[k]), length(bar[j] - bar[k])
    t_n, t_d = l_ij**2 + l_ik**2 - l_jk**2, 2 * l_ij * l_ik
    t, f = t_n / t_d, l_ik / l_ij
    root = mp.sqrt(1 - t**2)
    d, o = t * f, side * root * f
    q = np.array([[d, -o], [o, d]], object)
    x_k = q @ base + x_i.x

    stepped = {i: x_i.x, j: x_j.x, k: x_k}
    dl_ik = barred_derivative(bar, stepped, i, k, slips.barred)
    dl_jk = barred_derivative(bar, stepped, j, k, slips.barred)
    dl_ij = ((x_i.x - x_j.x) / l_ij) @ (x_i.d - x_j.d)
    df = (dl_ik * l_ij - l_ik * dl_ij) / l_ij**2
    dt_n = 2 * (l_ij * dl_ij + l_ik * dl_ik - l_jk * dl_jk)
    dt_d = 2 * (dl_ij * l_ik + l_ij * dl_ik)
    dt = (dt_n * t_d - t_n * dt_d) / (t_d**2 if slips.quotient else t_d)
    dd = dt * f + t * df
    do = -side * t / root * dt * f + side * root * df
    turned = np.stack([base[0] * dd - base[1] * do, base[0] * do + base[1] * dd])
    state = State(x_k, turned + q @ (x_j.d - x_i.d) + x_i.d)
    return Triangle(state, l_ij, f, t, d, o, dl_ij, dl_ik, dl_jk, df, dt, dd, do)


# The linkages


LEG = (  # of the Jansen leg, joint ← (i, j, side), in an order that the paper's rules can take
    ("P1", "B", "C", 1),
    ("P2", "B", "C", -1),
    ("P3", "B", "P1", 1),
    ("P4", "P3", "P2", -1),
    ("P5", "P2", "P4", 1),
)


def dyad(side: int, direction: str = "ccw") -> Linkage:
    """A four-bar whose tip K is on one side of the line from the crank's end I to the pivot J."""
    z = {"A": 0.3 - 0.2j, "J": 4.1 + 0.4j, "I": 0.9 + 1.1j}
    z["K"] = meet(z["I"], 3.7, z["J"], 2.9, side)
    motor = {"joint": "A", "drives": "I", "direction": direction}
    return linkage(z, "AJ", ("A I", "I K", "K J"), motors=[motor])


def literal_leg(plan: RulePlan, angle: float, slips: Print) -> dict[str, State]:
    """The Jansen leg at one motor angle, rule by rule as printed."""
    bar = exact(plan.drawn)
    at = {name: n for n, name in enumerate(plan.structure.names)}
    found = {name: fixed_rule(bar, at[name]) for name in ("A", "B")}
    found["C"] = motor_rule(bar, at["C"], at["A"], found["A"], 1, angle)
    for name, i, j, side in LEG:
        made = triangle_rule(bar, at[name], at[i], at[j], found[i], found[j], side, slips)
        found[name] = made.state
    return found


def leg_positions(bar: Exact, names: tuple[str, ...], angle: float) -> Exact:
    """The leg by intersections of circles alone: no formula shared with the rules above."""
    z = {name: mp.mpc(*bar[n]) for n, name in enumerate(names)}
    now = {"A": z["A"], "B": z["B"], "C": z["A"] + (z["C"] - z["A"]) * mp.expj(mpf(angle))}
    for name, i, j, side in LEG:
        apart = abs(now[j] - now[i])
        r_i, r_j = abs(z[name] - z[i]), abs(z[name] - z[j])
        along = (r_i**2 - r_j**2 + apart**2) / (2 * apart)
        across = side * mp.sqrt(r_i**2 - along**2)
        now[name] = now[i] + mp.mpc(along, across) * (now[j] - now[i]) / apart
    return np.array([[now[name].real, now[name].imag] for name in names], object)


def at_angles(model: Linkage, angles: Floats) -> LinkagePoses:
    return positions(compile_plan(model), np.atleast_2d(angles))


def flat_jacobian(poses: LinkagePoses, k: int, f: int) -> Floats:
    """∂x_k/∂x̄ (2, 2N) at pose f, in the paper's layout."""
    return jacobian(poses)[k, :, :, :, f].reshape(2, -1)


def off(ours: Floats, literal: Exact) -> float:
    """The largest difference, relative to the largest entry."""
    scale = max(abs(v) for v in literal.ravel())
    return float(max(abs(v) for v in (exact(ours) - literal).ravel()) / scale)


# 1.1 Joints on fixed components


def test_section_1_1_fixed_joints_stay_and_depend_on_themselves_alone():
    poses = at_angles(jansen(), np.linspace(0, 6, 7))
    for k in (0, 1):
        literal = fixed_rule(exact(poses.drawn), k)
        for f in range(7):
            assert (exact(poses.x[k, :, f]) == literal.x).all()
            assert (exact(flat_jacobian(poses, k, f)) == literal.d).all()


# 1.2 Motors


@pytest.mark.parametrize(("direction", "turn"), [("ccw", 1), ("cw", -1)])
@pytest.mark.parametrize("angle", [0.0, 0.7, math.pi / 2, 2.5, -1.3, 6.1])
def test_equation_1_the_motor_rule_and_its_derivative(direction, turn, angle):
    poses = at_angles(dyad(1, direction), np.array([angle]))
    bar = exact(poses.drawn)
    literal = motor_rule(bar, 2, 0, fixed_rule(bar, 0), turn, angle)
    assert off(poses.x[2, :, 0], literal.x) <= CLOSE
    assert off(flat_jacobian(poses, 2, 0), literal.d) <= CLOSE


def test_fig_1_right_a_counter_clockwise_motor_turns_its_joint_to_the_left():
    for direction, turn in (("ccw", 1), ("cw", -1)):
        poses = at_angles(dyad(1, direction), np.array([0.0, 0.2]))
        before, after = (poses.x[2] - poses.x[0]).T
        assert np.sign(before[0] * after[1] - before[1] * after[0]) == turn


def test_a_non_uniform_profile_gives_each_sample_the_pose_of_its_own_angle():
    """φ_i for n discrete samples: a slow-quick profile that also turns back."""
    profile = np.array([0.0, 0.01, 0.05, 0.4, 1.9, 1.7, 4.0, -0.3, 2 * math.pi])
    poses = at_angles(jansen(), profile)
    for f, angle in enumerate(profile):
        literal = literal_leg(poses.plan, float(angle), Print())
        stacked = np.stack([literal[name].x for name in poses.plan.structure.names])
        assert off(poses.x[:, :, f], stacked) <= CLOSE


# 1.3 Triangles


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("angle", [0.0, 0.4, -0.8, 3.0, 5.2])
def test_equation_2_the_triangle_rule_and_its_derivative(side, angle):
    poses, literal = triangle_at(side, angle)
    assert off(poses.x[3, :, 0], literal.state.x) <= CLOSE
    assert off(flat_jacobian(poses, 3, 0), literal.state.d) <= CLOSE


def triangle_at(side: int, angle: float) -> tuple[LinkagePoses, Triangle]:
    """Joint K of the dyad, by pliant and as printed with both slips put right."""
    poses = at_angles(dyad(side), np.array([angle]))
    bar = exact(poses.drawn)
    crank = motor_rule(bar, 2, 0, fixed_rule(bar, 0), 1, angle)
    return poses, triangle_rule(bar, 3, 2, 1, crank, fixed_rule(bar, 1), side, Print())


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("quantity", ["l_ij", "l_ik", "l_jk", "f", "t", "d", "o"])
def test_each_intermediate_derivative_is_what_the_jacobian_implies(side, quantity):
    """∂l, ∂f, ∂t, ∂d, ∂o taken from pliant's x and ∂x/∂x̄ of I, J, K, beside the printed formulas."""
    poses, literal = triangle_at(side, 0.6)
    d = jacobian(poses)[..., 0]
    z = poses.x[:, 0, 0] + 1j * poses.x[:, 1, 0]
    dz = (d[:, 0] + 1j * d[:, 1]).reshape(len(z), -1)
    base, arm = z[1] - z[2], z[3] - z[2]
    dbase, darm = dz[1] - dz[2], dz[3] - dz[2]
    q = arm / base  # the paper's d + io
    dq = (darm - q * dbase) / base
    f = abs(q)
    df = (np.conj(q) * dq).real / f
    implied = {
        "l_ij": stretch(base, dbase),
        "l_ik": stretch(arm, darm),
        "l_jk": stretch(z[3] - z[1], dz[3] - dz[1]),
        "f": df,
        "t": (dq.real - q.real / f * df) / f,
        "d": dq.real,
        "o": dq.imag,
    }
    assert off(implied[quantity], getattr(literal, f"d{quantity}")) <= CLOSE


def stretch(v: complex, dv: NDArray[np.complex128]) -> Floats:
    """The derivative of |v|."""
    return (np.conj(v) * dv).real / abs(v)


@pytest.mark.parametrize("side", [1, -1])
def test_fig_2_the_orientation_of_a_triangle_is_kept_through_the_cycle(side):
    x = at_angles(dyad(side), np.linspace(0, 2 * math.pi, 721)).x
    base, arm = x[1] - x[2], x[3] - x[2]
    area = base[0] * arm[1] - base[1] * arm[0]
    assert (np.sign(area) == side).all()
    assert np.hypot(*arm) == pytest.approx(np.full(721, 3.7), rel=1e-14)


# Figure 1, left and middle: the Jansen leg, initial and stepped


def test_fig_1_the_initial_configuration_of_the_jansen_leg_is_the_drawing():
    poses = at_angles(jansen(), np.array([0.0]))
    assert np.abs(poses.x[:, :, 0] - poses.drawn).max() <= 1e-13 * 100


def test_fig_1_the_stepped_jansen_leg_keeps_its_fixed_joints_and_all_its_lengths():
    model = jansen()
    poses = at_angles(model, np.linspace(0, 2 * math.pi, 361))
    assert (poses.x[:2] == poses.drawn[:2, :, None]).all()
    for link in poses.plan.structure.links:
        for i in link:
            for j in link:
                now = np.hypot(*(poses.x[i] - poses.x[j]))
                assert np.abs(now - np.hypot(*(poses.drawn[i] - poses.drawn[j]))).max() <= 1e-12 * 100


@pytest.mark.parametrize("angle", [0.0, 1.1, 2.9, 4.4])
def test_fig_1_the_stepped_jansen_leg_is_the_printed_rules_joint_by_joint(angle):
    poses = at_angles(jansen(), np.array([angle]))
    literal = literal_leg(poses.plan, angle, Print())
    for k, name in enumerate(poses.plan.structure.names):
        assert np.abs(exact(poses.x[k, :, 0]) - literal[name].x).max() <= CLOSE * 100
        assert off(flat_jacobian(poses, k, 0), literal[name].d) <= CLOSE


def test_the_jansen_jacobian_agrees_with_sixty_digit_differences():
    angles = np.arange(12) * 2 * math.pi / 12
    poses = at_angles(jansen(), angles)
    names, bar, step = poses.plan.structure.names, exact(poses.drawn), mpf(10) ** -20
    found = jacobian(poses)
    for f, angle in enumerate(angles):
        for p, c in np.ndindex(len(names), 2):
            ahead, behind = bar.copy(), bar.copy()
            ahead[p, c] += step
            behind[p, c] -= step
            ends = [leg_positions(drawn, names, float(angle)) for drawn in (ahead, behind)]
            slope = (ends[0] - ends[1]) / (2 * step)
            error = np.abs(exact(found[:, :, p, c, f]) - slope).astype(float).max(axis=1)
            scale = np.abs(found[..., f]).max(axis=(1, 2, 3))
            assert (error <= CLOSE * scale).all()


# The two slips in print


SLIPS = {
    "as printed": Print(quotient=False, barred=False),
    "1/t_d as printed": Print(quotient=False),
    "stepped lengths as printed": Print(barred=False),
    "both put right": Print(),
}
WRONG = {  # largest error of ∂x/∂x̄ of the first triangle, relative to its largest entry: least and most
    "as printed": (1e3, 1e4),
    "1/t_d as printed": (1e3, 1e4),
    "stepped lengths as printed": (0.1, 10),
    "both put right": (0.0, CLOSE),
}


@pytest.mark.parametrize("case", SLIPS)
def test_the_printed_derivatives_are_wrong_until_both_slips_are_put_right(case):
    """A figure that does not reproduce: the positions do, the printed derivatives do not.

    A missing 1/t_d is a factor of t_d ≈ 4e3 at the leg's first triangle, and of the product of
    such factors further down.
    """
    angles = np.array([0.5, 2.0, 3.5, 5.0])
    poses = at_angles(jansen(), angles)
    k = poses.plan.structure.names.index("P1")
    errors = []
    for f, angle in enumerate(angles):
        literal = literal_leg(poses.plan, float(angle), SLIPS[case])["P1"]
        ours = flat_jacobian(poses, k, f)
        errors.append(float(np.abs(exact(ours) - literal.d).max()) / np.abs(ours).max())
        assert off(poses.x[k, :, f], literal.x) <= CLOSE
    least, most = WRONG[case]
    assert least <= max(errors) <= most
