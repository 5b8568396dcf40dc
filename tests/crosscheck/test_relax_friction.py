"""Friction and contact against closed forms: Coulomb's law on the cone itself, and what must stay stays."""

from __future__ import annotations

from itertools import pairwise
from math import atan, cos, hypot, sin, tan

import numpy as np
import pytest

from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.result import RelaxResult
from pliant.relax.solve import solve
from pliant.relax.status import RelaxStatus

FRAMES = (1, 7)


def slow(*case: object) -> object:
    return pytest.param(*case, marks=pytest.mark.slow)


SEEDS = [1, 2, 4, *map(slow, (0, 3, 5))]


def run(frames: int, **fields: object) -> RelaxResult:
    result = solve(Mechanism.model_validate(fields), RelaxStudy(frames=frames))
    assert result.status is RelaxStatus.CONVERGED
    assert not result.history, "auto itself, not momentum"
    return result


def at(result: RelaxResult, name: str) -> np.ndarray:
    return np.array(result.nodes[name])


def turned(way: float, along: float, across: float) -> list[float]:
    """A vector by its parts along a direction and to the left of it."""
    return [along * cos(way) - across * sin(way), along * sin(way) + across * cos(way)]


@pytest.mark.few(2)
@pytest.mark.parametrize("frames", FRAMES)
@pytest.mark.parametrize(("force", "moved"), [(1.9, 0), (2.1, 0.1), slow(3, 1), slow(5, 3), slow(-4, -2)])
def test_a_loaded_node_on_a_rough_line_goes_as_far_as_friction_lets_it(force, moved, frames):
    """A spring of 1, a normal force of 10 and a friction of 0.2 hold 2."""
    result = run(
        frames,
        ground=["g"],
        nodes={"g": [-5, 0], "b": [0, 0]},
        guides=[{"node": "b", "line": [1, 0], "friction": 0.2}],
        springs=[{"nodes": ["g", "b"], "stiffness": 1}],
        loads=[{"node": "b", "force": [0, -10], "to": [force, -10]}],
    )
    assert at(result, "b") == pytest.approx([moved, 0], abs=1e-10)
    assert result.iterations < 150


@pytest.mark.few(2)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_node_on_any_rough_line_is_held_by_friction_times_its_normal_force(seed):
    """The normal force grows along the drive too; the spring is along the line."""
    rng = np.random.default_rng(seed)
    way, mu, k = rng.uniform(0, 6.3), rng.uniform(0, 1), rng.uniform(0.5, 3)
    force, normal = rng.uniform(-9, 9), rng.uniform(1, 9)
    result = run(
        int(rng.integers(1, 9)),
        ground=["g"],
        nodes={"g": turned(way, -30, 0), "b": [0, 0]},
        guides=[{"node": "b", "line": turned(way, 1, 0), "friction": mu}],
        springs=[{"nodes": ["g", "b"], "stiffness": k}],
        loads=[{"node": "b", "force": turned(way, 0, normal / 2), "to": turned(way, force, normal)}],
    )
    moved = np.sign(force) * max(abs(force) - mu * normal, 0) / k
    assert at(result, "b") == pytest.approx(turned(way, moved, 0), abs=1e-8)


@pytest.mark.few(2)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_node_in_a_rough_plane_slips_the_way_it_is_pushed(seed):
    """Whichever way that is: a spring along the push holds it."""
    rng = np.random.default_rng(seed)
    normal = rng.normal(size=3)
    normal /= np.linalg.norm(normal)
    mu, k, press, push = rng.uniform(0, 1), rng.uniform(0.5, 3), rng.uniform(1, 9), rng.normal(size=3) * 5
    push -= normal * (normal @ push)
    size = float(np.linalg.norm(push))
    result = run(
        3,
        ground=["g"],
        nodes={"g": (-30 * push / size).tolist(), "b": [0, 0, 0]},
        guides=[{"node": "b", "plane": normal.tolist(), "friction": mu}],
        springs=[{"nodes": ["g", "b"], "stiffness": k}],
        loads=[{"node": "b", "force": (press * normal).tolist(), "to": (press * normal + push).tolist()}],
    )
    assert at(result, "b") == pytest.approx(push / size * max(size - mu * press, 0) / k, abs=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_block_on_a_slope_stays_or_slides_to_where_its_spring_holds_it(seed):
    """Drawn a little above the slope, along which a spring at rest ties it: it comes straight down."""
    rng = np.random.default_rng(seed)
    slope, k, weight = rng.uniform(0.05, 1), rng.uniform(1, 9), rng.uniform(2, 20)
    radius = rng.uniform(0.01, 0.5)
    mu = tan(slope) * rng.uniform(0.2, 1.8)
    result = run(
        2,
        ground=["l", "r", "w"],
        nodes={
            "l": turned(slope, -20, 0),
            "r": turned(slope, 20, 0),
            "p": turned(slope, 0, radius + 0.01),
            "w": turned(slope, 4, radius + 0.01),
        },
        springs=[{"nodes": ["p", "w"], "stiffness": k, "length": 4}],
        contacts=[{"members": [["p", "p"]], "against": [["l", "r"]], "radius": radius, "friction": mu}],
        gravity=[0, -weight],
    )
    along, above = np.array(turned(-slope, *at(result, "p")))
    assert above == pytest.approx(radius, abs=1e-9)
    # The spring ends a hundredth above the contact, so that it presses with a little of its pull.
    pull, lift = _pull(along, k)
    if mu > 1.001 * tan(slope):
        assert along == pytest.approx(0, abs=1e-9)
    else:
        held = mu * (weight * cos(slope) - lift)
        assert weight * sin(slope) - pull == pytest.approx(held, abs=1e-7)


def _pull(along: float, k: float) -> tuple[float, float]:
    """What the spring pulls with, up the slope and off it."""
    long = hypot(4 - along, 0.01)
    return k * (long - 4) * (4 - along) / long, k * (long - 4) * 0.01 / long


@pytest.mark.parametrize("seed", SEEDS)
def test_a_ladder_stays_where_friction_holds_it(seed):
    """Half its weight at either end: it stays if cot(angle) ≤ 2 μ_floor / (1 − μ_floor μ_wall)."""
    rng = np.random.default_rng(seed)
    floor, wall = rng.uniform(0.05, 0.9), rng.uniform(0, 0.9)
    steepest = atan((1 - floor * wall) / (2 * floor))
    angle = min(steepest * rng.uniform(1.02, 1.3), 1.5)
    foot, top = [5 * cos(angle), 0.0], [0.0, 5 * sin(angle)]
    result = run(
        1,
        nodes={"foot": foot, "top": top},
        bars=[{"nodes": ["foot", "top"]}],
        guides=[
            {"node": "foot", "line": [1, 0], "friction": floor},
            {"node": "top", "line": [0, 1], "friction": wall},
        ],
        gravity=[0, -10],
    )
    assert at(result, "foot") == pytest.approx(foot, abs=1e-9)
    assert at(result, "top") == pytest.approx(top, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_a_ladder_that_is_too_flat_comes_down_to_where_a_spring_holds_it(seed):
    """The spring ties the foot to the corner; forces balance with friction against the slip at either end."""
    rng = np.random.default_rng(seed)
    floor, wall, k = rng.uniform(0.05, 0.3), rng.uniform(0, 0.3), rng.uniform(20, 60)
    angle = atan((1 - floor * wall) / (2 * floor)) * rng.uniform(0.6, 0.9)
    result = run(
        1,
        ground=["o"],
        nodes={"o": [0, 0], "foot": [5 * cos(angle), 0], "top": [0, 5 * sin(angle)]},
        bars=[{"nodes": ["foot", "top"]}],
        springs=[{"nodes": ["o", "foot"], "stiffness": k}],
        guides=[
            {"node": "foot", "line": [1, 0], "friction": floor},
            {"node": "top", "line": [0, 1], "friction": wall},
        ],
        gravity=[0, -10],
    )
    x, y = at(result, "foot")[0], at(result, "top")[1]
    assert hypot(x, y) == pytest.approx(5, abs=1e-9)
    assert x > 5 * cos(angle) + 1e-3
    # The bar presses with B: at the top B sin = 10 − μ_w B cos, at the foot B cos = k x' + μ_f (10 + B sin).
    c, s = x / 5, y / 5
    press = 10 / (s + wall * c)
    assert press * c - k * (x - 5 * cos(angle)) == pytest.approx(floor * (10 + press * s), abs=1e-7)


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_driven_spring_drags_a_block_forth_and_back(seed):
    """It stays behind by μN/k, both ways."""
    rng = np.random.default_rng(seed)
    mu, k, normal = rng.uniform(0.1, 0.6), rng.uniform(0.5, 3), rng.uniform(1, 3)
    behind = mu * normal / k
    far = 2 * behind + rng.uniform(0.2, 3)
    result = run(
        10,
        ground=["o"],
        nodes={"o": [-5, 0], "d": [3, 0], "b": [0, 0]},
        guides=[{"node": "d", "line": [1, 0]}, {"node": "b", "line": [1, 0], "friction": mu}],
        actuators=[{"nodes": ["o", "d"], "to": [8 + far, 8]}],
        springs=[{"nodes": ["d", "b"], "stiffness": k}],
        loads=[{"node": "b", "force": [0, -normal]}],
    )
    assert result.points[5, 2, 0] == pytest.approx(far - behind, abs=1e-8)
    assert at(result, "b")[0] == pytest.approx(behind, abs=1e-8)


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_belt_carries_a_block_until_its_spring_pulls_as_hard_as_friction(seed):
    """Friction is between the two bodies of a contact: the block goes along with what moves under it."""
    rng = np.random.default_rng(seed)
    mu, k, weight, far = rng.uniform(0.1, 0.9), rng.uniform(1, 5), rng.uniform(1, 9), rng.uniform(0.1, 2)
    result = run(
        4,
        ground=["o", "w"],
        nodes={"o": [-9, 0], "l": [-4, 0], "r": [4, 0], "p": [0, 0.2], "w": [-6, 0.2]},
        bars=[{"nodes": ["l", "r"]}],
        guides=[{"node": "l", "line": [1, 0]}, {"node": "r", "line": [1, 0]}],
        actuators=[{"nodes": ["o", "l"], "to": 5 + far}],
        springs=[{"nodes": ["p", "w"], "stiffness": k}],
        contacts=[{"members": [["p", "p"]], "against": [["l", "r"]], "radius": 0.2, "friction": mu}],
        loads=[{"node": "p", "force": [0, -weight]}],
    )
    assert at(result, "p") == pytest.approx([min(far, mu * weight / k), 0.2], abs=1e-8)


@pytest.mark.parametrize("seed", [0, slow(1), slow(2)])
def test_of_two_feet_only_the_lighter_one_slips(seed):
    """An inchworm with one actuator on a floor of one friction gets nowhere."""
    rng = np.random.default_rng(seed)
    heavy, light, far = rng.uniform(3, 5), rng.uniform(1, 2.9), rng.uniform(0.3, 2)
    result = run(
        8,
        nodes={"a": [0, 0], "b": [3, 0]},
        guides=[{"node": name, "line": [1, 0], "friction": 0.5} for name in "ab"],
        actuators=[{"nodes": ["a", "b"], "to": [3 + far, 3]}],
        loads=[{"node": "a", "force": [0, -heavy]}, {"node": "b", "force": [0, -light]}],
    )
    assert result.points[4, :, 0] == pytest.approx([0, 3 + far], abs=1e-8)
    assert result.points[-1, :, 0] == pytest.approx([0, 3], abs=1e-8)
    assert result.iterations < 200


@pytest.mark.few(2)
@pytest.mark.parametrize("seed", range(4))
def test_a_block_on_two_feet_slides_down_as_if_it_had_one(seed):
    """Whatever each foot carries, both hold μ times what presses on the slope; a spring does the rest."""
    rng = np.random.default_rng(seed)
    slope, k, weight, wide = rng.uniform(0.1, 0.8), rng.uniform(2, 9), rng.uniform(5, 30), rng.uniform(2, 5)
    mu, high = tan(slope) * rng.uniform(0.2, 0.9), rng.uniform(0.2, 1)
    result = run(
        5,
        ground=["l", "r", "h"],
        nodes={
            "l": turned(slope, -40, 0),
            "r": turned(slope, 40, 0),
            "u": turned(slope, -wide, 0.5),
            "v": turned(slope, wide, 0.5),
            "t": turned(slope, 0, 0.5 + high),
            "h": turned(slope, 20, 0.5),
        },
        plates=[{"nodes": ["u", "v", "t"]}],
        contacts=[
            {"members": [["u", "u"], ["v", "v"]], "against": [["l", "r"]], "radius": 0.5, "friction": mu}
        ],
        springs=[{"nodes": ["h", "v"], "stiffness": k}],
        loads=[{"node": "t", "force": [0, -1], "to": [0, -weight]}],
    )
    down = weight * (sin(slope) - mu * cos(slope)) / k
    for name, along in (("u", -wide), ("v", wide)):
        assert at(result, name) == pytest.approx(turned(slope, along - down, 0.5), abs=1e-8)
    assert result.iterations < 300


@pytest.mark.parametrize("feet", [3, slow(5)])
def test_of_many_feet_on_a_belt_all_slip_before_the_spring_gives_way(feet):
    """Feet of different weights in a row: the belt goes out by twice what they hold, and a quarter back."""
    loads, k, mu = [1.0 + 0.7 * i for i in range(feet)], 2.0, 0.3
    behind = mu * sum(loads) / k
    names = [f"f{i}" for i in range(feet)]
    result = run(
        6,
        ground=["o", "w"],
        nodes={
            "o": [-60, 0],
            "l": [-50, 0],
            "r": [50, 0],
            "w": [-30, 0.4],
            **{name: [2.0 * i, 0.4] for i, name in enumerate(names)},
        },
        bars=[
            {"nodes": ["l", "r"]},
            *({"nodes": [a, b]} for a, b in pairwise(names)),
        ],
        guides=[{"node": "l", "line": [1, 0]}, {"node": "r", "line": [1, 0]}],
        actuators=[{"nodes": ["o", "l"], "to": [10 + 2 * behind, 10 + 1.5 * behind]}],
        springs=[{"nodes": ["w", "f0"], "stiffness": k}],
        contacts=[
            {"members": [[f, f] for f in names], "against": [["l", "r"]], "radius": 0.4, "friction": mu}
        ],
        loads=[{"node": name, "force": [0, -load]} for name, load in zip(names, loads, strict=True)],
    )
    assert at(result, "f0") == pytest.approx([0.5 * behind, 0.4], abs=1e-8)
    assert result.points[3, 4, 0] == pytest.approx(behind, abs=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_ball_comes_to_rest_in_a_groove_at_its_radius_from_both_sides(seed):
    """However small it is, and whichever side it is dropped on."""
    rng = np.random.default_rng(seed)
    left, right = rng.uniform(0.3, 1.3, 2)
    radius, weight = 10 ** rng.uniform(-4, 0), rng.uniform(0.1, 100)
    result = run(
        1,
        ground=["l", "o", "q", "r"],
        nodes={
            "l": [-10 * cos(left), 10 * sin(left)],
            "o": [0, 0],
            "q": [1e-9, -1e-9],
            "r": [10 * cos(right), 10 * sin(right)],
            "p": [rng.uniform(-1, 1), 6],
        },
        contacts=[{"members": [["p", "p"]], "against": [["o", "l"], ["q", "r"]], "radius": radius}],
        loads=[{"node": "p", "force": [0, -weight]}],
    )
    x, y = at(result, "p")
    assert -x * sin(left) * -1 + y * cos(left) == pytest.approx(radius, abs=1e-8)
    assert -x * sin(right) + y * cos(right) == pytest.approx(radius, abs=1e-8)
    assert result.length_error < 1e-10
