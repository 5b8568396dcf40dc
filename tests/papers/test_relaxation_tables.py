"""[Lipson2006], relaxation: the elements of its Table 1 and the behaviours of its Table 2, row by row."""

from __future__ import annotations

import math
from math import cos, pi, sin, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq
from tests.papers.relaxation_cases import METHODS, UPDATES, made, run, track, turned

from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.solve import solve
from pliant.relax.status import RelaxStatus

Floats = NDArray[np.float64]

BY_EVERY_METHOD = pytest.mark.parametrize("method", METHODS)
BY_BOTH_UPDATES = pytest.mark.parametrize("method", UPDATES)

# Table 1: elements made of bars


def spread_plate(dimension: int) -> dict[str, list[float]]:
    places = np.random.default_rng(dimension).uniform(2, 5, (6, dimension)).tolist()
    return dict(zip("abcdef", places, strict=True))


@BY_EVERY_METHOD
@pytest.mark.parametrize("dimension", [2, 3])
def test_lipson_table_1_rigid_components_keep_every_distance(dimension, method):
    body = spread_plate(dimension)
    feet = {f"g{k}": place for k, place in enumerate(np.vstack([np.zeros(dimension), 6 * np.eye(dimension)]))}
    pairs = list(zip("abc", feet, strict=False)) if dimension == 2 else [*zip("abcd", feet, strict=True)]
    drawn = {name: tuple(map(float, place)) for name, place in {**body, **feet}.items()}
    driven = [{"nodes": pair, "to": 1.1 * math.dist(drawn[pair[0]], drawn[pair[1]])} for pair in pairs]
    model = made(ground=list(feet), nodes=drawn, plates=[{"nodes": list(body)}], actuators=driven)
    result = run(model, method=method, frames=5)
    before, after = (np.linalg.norm(x[:6, None] - x[None, :6], axis=2) for x in result.points[[0, -1]])
    assert result.status is RelaxStatus.CONVERGED
    assert np.abs(result.points[-1, :6] - result.points[0, :6]).max() > 0.1
    assert after == pytest.approx(before, abs=1e-7)


@BY_EVERY_METHOD
def test_lipson_table_1_intermediate_connections_stay_where_they_are_on_the_link(method):
    """A lever: its pivot is a fourth of its length from the end that is pushed."""
    nodes = {"m": (0, 0), "a": (-1, 0), "b": (3, 0), "g": (-1, -2)}
    lever, push = [{"nodes": ["a", "m", "b"]}], [{"nodes": ["g", "a"], "to": 2.5}]
    model = made(ground=["m", "g"], nodes=nodes, bars=lever, actuators=push)
    result = run(model, method=method)
    a, b = np.array(result.nodes["a"]), np.array(result.nodes["b"])
    assert math.hypot(*a) == pytest.approx(1, abs=1e-8)
    assert math.dist(a, (-1, -2)) == pytest.approx(2.5, abs=1e-8)
    assert b == pytest.approx(-3 * a, abs=1e-7)


@BY_EVERY_METHOD
def test_lipson_table_1_welded_bars_keep_their_angle(method):
    nodes = {"o": (0, 0), "a": (2, 0), "b": (3, 2), "g": (1, -1)}
    model = made(
        ground=["o", "g"],
        nodes=nodes,
        bars=[{"nodes": ["o", "a"]}, {"nodes": ["a", "b"]}],
        welds=[{"joint": "a", "arms": ["o", "b"]}],
        rotors=[{"joint": "o", "arms": ["g", "a"], "to": 1.2}],
    )
    result = run(model, method=method)
    assert result.nodes["a"] == pytest.approx(turned(np.array([2, 0]), 1.2), abs=1e-7)
    assert result.nodes["b"] == pytest.approx(turned(np.array([3, 2]), 1.2), abs=1e-7)


def crank(angle: float, **drive: object) -> Mechanism:
    """A bar from o to c, at an angle to the fixed arm from o to g."""
    c = (2 * cos(angle), 2 * sin(angle))
    bars = [{"nodes": ["o", "c"]}]
    return made(ground=["o", "g"], nodes={"o": (0, 0), "g": (3, 0), "c": c}, bars=bars, **drive)


@BY_EVERY_METHOD
@pytest.mark.parametrize("to", [5.0, -5.0])
def test_lipson_table_1_rotors_turn_through_0_and_pi(method, to):
    start = -1.0 if to > 0 else 1.0
    result = run(crank(start, rotors=[{"joint": "o", "arms": ["g", "c"], "to": to}]), method=method)
    assert result.status is RelaxStatus.CONVERGED
    assert result.nodes["c"] == pytest.approx([2 * cos(start + to), 2 * sin(start + to)], abs=1e-7)
    angles = np.unwrap(np.arctan2(*track(result, "c").T[::-1]))
    assert abs(angles[-1] - angles[0]) == pytest.approx(5, abs=1e-7)


def test_lipson_table_1_a_link_across_the_angle_is_singular_where_a_rotor_is_not():
    """Differs: the paper's rotary actuation by the length of a chord, at π."""
    chord = run(crank(2.0, actuators=[{"nodes": ["g", "c"], "to": 5.0}])).singular_values
    rotor = run(crank(2.0, rotors=[{"joint": "o", "arms": ["g", "c"], "to": pi - 2.0}])).singular_values
    assert chord[-1] < 1e-4 * chord[0]
    assert rotor[-1] == pytest.approx(rotor[0])


@BY_EVERY_METHOD
def test_lipson_table_1_a_prismatic_joint_slides_on_a_link_that_turns(method):
    """A slotted lever about p: its line goes through the tip of the crank."""
    nodes = {"o": (0, 0), "g": (3, 0), "c": (1, 0), "p": (0, -2), "q": (3, -0.5)}
    model = made(
        ground=["o", "g", "p"],
        nodes={**nodes, "q": (2, 2)},
        bars=[{"nodes": ["o", "c"]}, {"nodes": ["p", "q"]}],
        sliders=[{"node": "c", "on": ["p", "q"]}],
        rotors=[{"joint": "o", "arms": ["g", "c"], "to": 2.0}],
    )
    result = run(model, method=method)
    way = np.array([cos(2.0), sin(2.0) + 2])
    assert result.nodes["q"] == pytest.approx([0, -2] + sqrt(20) * way / np.linalg.norm(way), abs=1e-6)


@BY_EVERY_METHOD
def test_lipson_table_1_a_hinge_in_space_turns_about_its_axis_only(method):
    """A flap on an edge along y, lifted by an actuator."""
    nodes = {"o": (0, 0, 0), "p": (0, 3, 0), "r": (-2, 1, 0), "q": (2, 1, 0), "g": (1, 1, 3)}
    model = made(
        ground=["o", "p", "r", "g"],
        nodes=nodes,
        hinges=[{"joint": "o", "sides": [["p", "r"], ["q"]], "axis": [0, 1, 0]}],
        actuators=[{"nodes": ["g", "q"], "to": 2.0}],
    )
    result = run(model, method=method)
    # |(2 cos φ − 1, 2 sin φ − 3)| = 2
    angle = brentq(lambda a: math.hypot(2 * cos(a) - 1, 2 * sin(a) - 3) - 2, 0, 1.2, xtol=1e-15)
    assert result.status is RelaxStatus.CONVERGED
    assert result.nodes["q"] == pytest.approx([2 * cos(angle), 1, 2 * sin(angle)], abs=1e-6)


# Table 2: behaviours


def weight_on(guide: dict[str, object], dimension: int, start: tuple[float, ...]) -> Mechanism:
    """A node on a guide, on a spring of stiffness 2 from the origin that wants to be of no length."""
    origin = (0.0,) * dimension
    return made(
        ground=["o"],
        nodes={"o": origin, "a": start},
        guides=[{"node": "a", **guide}],
        springs=[{"nodes": ["o", "a"], "stiffness": 2.0, "length": 0.0}],
        loads=[{"node": "a", "force": (1.0, -4.0, 2.0)[:dimension]}],
    )


@BY_EVERY_METHOD
def test_lipson_table_2_motion_on_a_line_loses_what_is_across_it(method):
    """Free, it would come to (0.5, −2): to the point of the line nearest to that."""
    result = run(weight_on({"line": (1, 2)}, 2, (3.0, 1.0)), method=method)
    way = np.array([1, 2]) / sqrt(5)
    expected = np.array([3, 1]) + way * (way @ (np.array([0.5, -2]) - [3, 1]))
    assert result.nodes["a"] == pytest.approx(expected, abs=1e-8)


@BY_EVERY_METHOD
def test_lipson_table_2_motion_in_a_plane_loses_what_is_normal_to_it(method):
    result = run(weight_on({"plane": (1, 1, 1)}, 3, (3.0, 1.0, 2.0)), method=method)
    normal, free = np.ones(3) / sqrt(3), np.array([0.5, -2, 1])
    assert result.nodes["a"] == pytest.approx(free - normal * (normal @ (free - [3, 1, 2])), abs=1e-8)


@BY_EVERY_METHOD
def test_lipson_table_2_motion_on_a_curve_follows_it(method):
    """A bead on a circle about the origin, whose spring is as long everywhere, goes the way of the force."""
    angles = np.linspace(0, 2 * pi, 200, endpoint=False)
    circle = (3 * np.column_stack([np.cos(angles), np.sin(angles)])).tolist()
    result = run(weight_on({"curve": circle, "closed": True}, 2, (3.0, 0.0)), method=method)
    assert result.nodes["a"] == pytest.approx(3 * np.array([1, -4]) / sqrt(17), abs=1e-5)
    assert np.linalg.norm(track(result, "a"), axis=1) == pytest.approx(3, abs=1e-6)


def falling_bar(force: float, **contact: float) -> Mechanism:
    """A bar pressed on a thin one across it, in space, 2 below; springs of stiffness 0.2 keep it level."""
    nodes = {
        "a": (-1, 0, 2),
        "b": (1, 0, 2),
        "c": (0, -1, 0),
        "d": (0, 1, 0),
        "e": (-1, 0, 3),
        "f": (1, 0, 3),
    }
    return made(
        ground=list("cdef"),
        nodes=nodes,
        guides=[{"node": name, "line": (0, 0, 1)} for name in "ab"],
        springs=[{"nodes": pair, "stiffness": 0.2} for pair in (["a", "e"], ["b", "f"])],
        contacts=[{"members": [("a", "b"), ("c", "d")], "radius": 0.1, **contact}],
        loads=[{"node": name, "force": (0, 0, -force / 2)} for name in "ab"],
    )


@BY_EVERY_METHOD
def test_lipson_table_2_collisions_give_way_by_the_force_over_the_softness(method):
    """50 (0.1 − z) = 2 − 2 · 0.2 (2 − z)."""
    result = run(
        falling_bar(2.0, stiffness=50.0), method=method, frames=3, tolerance=1e-14, iterations=50_000
    )
    assert result.nodes["a"] == pytest.approx([-1, 0, 3.8 / 50.4], abs=1e-6)


@BY_EVERY_METHOD
def test_lipson_table_2_nothing_tunnels_however_far_an_iteration_would_go(method):
    """An iteration may move a node by 10; the bars are 2 apart and 0.1 thick."""
    result = run(falling_bar(2.0), method=method, frames=3, cap=10.0, least=1e-3, iterations=20_000)
    assert track(result, "a")[:, 2].min() > 0
    assert result.nodes["a"][2] == pytest.approx(0.1, abs=0.01)


FRICTION = 0.5


def on_an_incline(angle: float) -> Mechanism:
    """A node of weight 1 on an incline, held by a spring of stiffness 2 that is not stretched yet."""
    way = np.array([cos(angle), sin(angle)])
    return made(
        ground=["g"],
        nodes={"g": tuple((10 * way).tolist()), "a": tuple((6 * way).tolist())},
        guides=[{"node": "a", "line": tuple(way.tolist()), "friction": FRICTION}],
        springs=[{"nodes": ["g", "a"], "stiffness": 2.0}],
        gravity=(0, -1),
    )


@BY_EVERY_METHOD
@pytest.mark.parametrize("share", [0.5, 0.99])
def test_lipson_table_2_friction_holds_within_the_cone(share, method):
    result = run(on_an_incline(share * math.atan(FRICTION)), method=method, frames=3)
    assert result.status is RelaxStatus.CONVERGED
    assert (track(result, "a") == track(result, "a")[0]).all()


@BY_BOTH_UPDATES
@pytest.mark.parametrize("share", [1.05, 1.5, 2.0])
def test_lipson_table_2_beyond_the_cone_friction_takes_mu_times_the_pressure(share, method):
    angle = share * math.atan(FRICTION)
    result = run(on_an_incline(angle), method=method, frames=3)
    slid = 6 - math.hypot(*result.nodes["a"])
    assert slid == pytest.approx((sin(angle) - FRICTION * cos(angle)) / 2.0, abs=1e-9)


def test_lipson_table_2_gravity_hangs_a_pendulum_straight_down():
    bars = [{"nodes": ["o", "a"]}, {"nodes": ["a", "b"]}]
    model = made(ground=["o"], nodes={"o": (0, 0), "a": (3, 0), "b": (3, 4)}, bars=bars, gravity=(0, -9.81))
    result = run(model)
    assert result.nodes["a"] == pytest.approx([0, -3], abs=1e-6)
    assert result.nodes["b"] == pytest.approx([0, -7], abs=1e-6)
    assert result.length_error < 1e-11


def chain(links: int) -> Mechanism:
    """Bars of length 1 between two pins, drawn as a V."""
    at = np.arange(links + 1)
    depth = np.minimum(at, links - at) * sqrt(1 - 0.6**2)
    nodes = {f"n{k}": (0.6 * k, -drop) for k, drop in enumerate(depth.tolist())}
    pairs = [(f"n{k}", f"n{k + 1}") for k in range(links)]
    bars = [{"nodes": pair} for pair in pairs]
    return made(ground=["n0", f"n{links}"], nodes=nodes, bars=bars, gravity=(0, -9.81))


def test_lipson_table_2_gravity_hangs_a_chain_in_a_catenary():
    """The pull along x is the same in all bars, and each joint adds its weight: slopes rise evenly."""
    result = run(chain(12), frames=2)
    spans = np.diff(result.points[-1], axis=0)
    rises = np.diff(spans[:, 1] / spans[:, 0])
    assert result.status is RelaxStatus.CONVERGED
    assert rises == pytest.approx(rises[0], rel=1e-8)
    assert np.linalg.norm(spans, axis=1) == pytest.approx(1, abs=1e-11)


def test_lipson_table_2_a_chain_of_many_short_bars_sags_as_the_catenary_does():
    links = 60
    result = run(chain(links), frames=1)
    parameter = brentq(lambda a: 2 * a * math.sinh(0.3 * links / a) - links, 5, 1000)
    sag = parameter * (math.cosh(0.3 * links / parameter) - 1)
    assert -result.points[-1, :, 1].min() == pytest.approx(sag, rel=1e-3)


@BY_EVERY_METHOD
@pytest.mark.parametrize("power", [1.0, -1.0, -2.0])
def test_lipson_table_2_fields_pull_by_strength_mass_and_distance(power, method):
    """A spring of stiffness 3 from (4, 0) against a pull of 2 · 5 · r^power to the origin."""
    model = made(
        ground=["g"],
        nodes={"g": (4, 0), "a": (3, 0)},
        springs=[{"nodes": ["g", "a"], "stiffness": 30.0, "length": 1.0}],
        fields=[{"centre": (0, 0), "strength": 2.0, "power": power}],
        masses={"a": 5.0},
    )
    at = brentq(lambda r: 30 * (4 - r - 1) - 10 * r**power, 1.5, 4, xtol=1e-14)
    assert run(model, method=method, frames=2).nodes["a"] == pytest.approx([at, 0], abs=1e-8)


def cylinders(*, double: bool = False, **more: object) -> Mechanism:
    """Two cylinders that share their fluid, along x, of areas 3 and 1."""
    return made(
        ground=["o", "p"],
        nodes={"o": (0, 0), "a": (2, 0), "p": (0, 3), "b": (1, 3)},
        guides=[{"node": name, "line": (1, 0)} for name in "ab"],
        cylinders=[{"lines": [["o", "a"], ["p", "b"]], "areas": [3, 1], "double": double}],
        **more,
    )


@BY_EVERY_METHOD
def test_lipson_table_2_hydraulics_move_by_the_ratio_of_areas(method):
    result = run(cylinders(double=True, actuators=[{"nodes": ["o", "a"], "to": 1.5}]), method=method)
    assert result.nodes["b"] == pytest.approx([1 + 3 * 0.5, 3], abs=1e-7)


def test_lipson_table_2_hydraulics_lift_a_load_by_what_is_pumped():
    """The large piston is pushed in; the small one goes out against a spring."""
    springs = [{"nodes": ["p", "b"], "stiffness": 0.01, "length": 0.5}]
    model = cylinders(actuators=[{"nodes": ["o", "a"], "to": 1.5}], springs=springs)
    result = run(model, frames=10)
    assert result.status is RelaxStatus.CONVERGED
    assert result.nodes["b"] == pytest.approx([2.5, 3], abs=1e-9)


@BY_EVERY_METHOD
def test_lipson_table_2_hydraulics_let_go_in_tension(method):
    """The small piston is drawn out; the fluid does not draw the large one in."""
    springs = [{"nodes": ["o", "a"], "stiffness": 0.01, "length": 2.0}]
    model = cylinders(actuators=[{"nodes": ["p", "b"], "to": 3.0}], springs=springs)
    result = run(model, method=method, frames=5)
    assert result.status is RelaxStatus.CONVERGED
    assert result.nodes["a"] == pytest.approx([2, 0], abs=1e-6)
    assert result.nodes["b"] == pytest.approx([3, 3], abs=1e-6)


def wheels(gear: dict[str, object]) -> Mechanism:
    """A wheel about o, turned by two thirds of a turn, one about p, and a node r that travels along x."""
    nodes = {"o": (0, 0), "g": (3, 0), "a": (1, 0), "p": (4, 0), "b": (4, 2), "r": (0, -0.7)}
    return made(
        ground=["o", "g", "p"],
        nodes=nodes,
        bars=[{"nodes": ["o", "a"]}, {"nodes": ["p", "b"]}],
        rotors=[{"joint": "o", "arms": ["g", "a"], "to": 4 * pi / 3}],
        guides=[{"node": "r", "line": (1, 0)}],
        gears=[gear],
    )


@BY_EVERY_METHOD
@pytest.mark.parametrize("ratio", [-0.5, 2.0])
def test_lipson_table_2_gears_turn_in_their_ratio(ratio, method):
    result = run(wheels({"wheels": [["o", "a"], ["p", "b"]], "ratio": ratio}), method=method, frames=24)
    arm = track(result, "b") - [4, 0]
    assert arm[-1] == pytest.approx(turned(np.array([0, 2]), ratio * 4 * pi / 3), abs=1e-6)
    angles = np.unwrap(np.arctan2(*arm.T[::-1]))
    assert angles[-1] - angles[0] == pytest.approx(ratio * 4 * pi / 3, abs=1e-6)


@BY_EVERY_METHOD
def test_lipson_table_2_a_rack_travels_the_radius_for_each_radian(method):
    gear = {"wheel": ["o", "a"], "rack": "r", "along": (1, 0), "radius": 0.7}
    result = run(wheels(gear), method=method)
    assert result.nodes["r"] == pytest.approx([0.7 * 4 * pi / 3, -0.7], abs=1e-6)


def belt(distance: float, radius: float) -> float:
    """From a point so far from a wheel's middle to the top of the wheel: along the tangent, then the rim."""
    return sqrt(distance**2 - radius**2) + radius * (pi / 2 - math.acos(radius / distance))


def wrapped() -> Mechanism:
    """A string of length 7 from (−3, 0) over a wheel of radius 1 about the origin, pulled along +x."""
    string = {"nodes": ["p", "q"], "around": [{"node": "o", "radius": 1.0}], "via": [(0, 1.2)], "length": 7.0}
    return made(
        ground=["o", "p"],
        nodes={"o": (0, 0), "p": (-3, 0), "q": (3, 0)},
        guides=[{"node": "q", "line": (1, 0)}],
        wraps=[string],
        loads=[{"node": "q", "force": (1, 0)}],
    )


def test_lipson_table_2_wrapping_takes_the_length_of_a_belt():
    """On the tangents and the arc themselves: the paper's nodes along a string would be chords."""
    expected = brentq(lambda far: belt(3, 1) + belt(far, 1) - 7, 1.1, 9, xtol=1e-14)
    assert run(wrapped(), frames=2).nodes["q"][0] == pytest.approx(expected, abs=1e-9)


# "Incorporating Nonlinear and Variable Behavior": elements of one's own


class Stiffening:
    """A spring between two nodes that pulls with the cube of its elongation beyond 1."""

    nodes = ("o", "a")

    def __call__(self, x: Floats, share: float) -> tuple[Floats, Floats]:
        span = x[1] - x[0]
        length = np.linalg.norm(span)
        over, way = length - 1.0, span / length
        pull = 5.0 * over**3 * way
        stiff = np.full_like(x, 15.0 * over**2 + 5.0 * abs(over) ** 3 / length)
        return np.array([pull, -pull]), 2 * stiff


@BY_EVERY_METHOD
def test_lipson_elements_of_ones_own_take_part(method):
    load = [{"node": "a", "force": (0, 0), "to": (3, -4)}]
    bars = [{"nodes": ["o", "a"], "length": 1.0, "stiffness": 1e-3}]
    model = made(ground=["o"], nodes={"o": (0, 0), "a": (1, 0)}, bars=bars, loads=load)
    result = solve(model, RelaxStudy(method=method, frames=4), elements=[Stiffening()])
    over = brentq(lambda e: 5 * e**3 + 1e-3 * e - 5, 0, 2, xtol=1e-15)
    assert result.status is RelaxStatus.CONVERGED
    assert result.nodes["a"] == pytest.approx((1 + over) * np.array([0.6, -0.8]), abs=1e-6)


def test_lipson_auto_says_that_it_relaxes_where_an_element_is_ones_own():
    model = made(ground=["o"], nodes={"o": (0, 0), "a": (2, 0)}, bars=[{"nodes": ["o", "a"]}])
    result = solve(model, RelaxStudy(frames=1, iterations=10), elements=[Stiffening()])
    assert [notice.kind for notice in result.assessment.notices] == ["fallback"]
