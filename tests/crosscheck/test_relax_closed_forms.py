"""Mechanisms whose motion is known in closed form, most of them in space: each is built and driven."""

from __future__ import annotations

import math
from itertools import pairwise
from math import cos, pi, sin, sqrt, tan

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from pliant.relax.generate import stewart, stewart_end
from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.result import RelaxResult
from pliant.relax.solve import solve
from pliant.relax.status import RelaxStatus

Floats = NDArray[np.float64]


def driven(frames: int = 12, **fields: object) -> RelaxResult:
    result = solve(Mechanism.model_validate(fields), RelaxStudy(frames=frames))
    assert result.status is RelaxStatus.CONVERGED
    assert result.length_error < 1e-9
    return result


def track(result: RelaxResult, name: str) -> Floats:
    """Where a node is at every frame (F, D)."""
    return result.points[:, list(result.model.nodes).index(name)]


def named(prefix: str, places: Floats) -> dict[str, tuple[float, ...]]:
    return {f"{prefix}{k}": tuple(place) for k, place in enumerate(places.tolist())}


# Stewart platforms


def hexagon(radius: float, spread: float) -> Floats:
    """Six points in pairs about a circle."""
    angles = np.array([side * spread + 2 * pi * k / 3 for k in range(3) for side in (-1, 1)])
    return np.column_stack([radius * np.cos(angles), radius * np.sin(angles), np.zeros(6)])


@pytest.mark.parametrize("seed", range(8))
def test_a_stewart_platform_driven_to_the_legs_of_a_pose_takes_that_pose(seed):
    """Through the legs of ten poses, on the way that turns and shifts it evenly."""
    rng = np.random.default_rng(seed)
    base, top = hexagon(5, 0.2), hexagon(3, 0.9)
    turn, shift = rng.uniform(-0.4, 0.4, 3), rng.uniform(-1, 1, 3)
    poses = np.array(
        [
            Rotation.from_rotvec(share * turn).apply(top) + share * shift + np.array([0, 0, 6])
            for share in np.linspace(0, 1, 11)
        ]
    )
    lengths = np.linalg.norm(poses - base, axis=2)[1:].T.tolist()
    legs = [{"nodes": [f"b{k}", f"t{k}"], "to": to} for k, to in enumerate(lengths)]
    plates = [{"nodes": [f"t{k}" for k in range(6)]}]
    nodes = named("b", base) | named("t", poses[0])
    result = driven(10, ground=[f"b{k}" for k in range(6)], nodes=nodes, plates=plates, actuators=legs)
    assert result.points[:, 6:] == pytest.approx(poses, abs=1e-9)
    assert result.freedoms == 0


@pytest.mark.parametrize("handed", ["same", "alt"])
@pytest.mark.parametrize("platforms", [1, 5, 40])
def test_chained_platforms_take_the_known_twist(platforms, handed):
    result = solve(stewart(platforms, handed), RelaxStudy(frames=4))
    assert result.status is RelaxStatus.CONVERGED
    assert result.points[-1] == pytest.approx(stewart_end(platforms, handed), abs=1e-8)


# Sarrus


def panels(way: Floats, side: Floats) -> Floats:
    """Edges of a pair of panels that stand on the base, at ±side: on the base, at the knee, on the top."""
    edges = [3 * way, 4 * way + np.array([0, 0, 1.5]), 3 * way + np.array([0, 0, 3.0])]
    return np.array([edge + sign * side for edge in edges for sign in (-1, 1)])


@pytest.mark.parametrize("height", [1.0, 3.4])
def test_sarrus_linkage_lifts_its_top_in_a_straight_line(height):
    x, y = np.array([1.0, 0, 0]), np.array([0, 1.0, 0])
    nodes = named("p", panels(x, y)) | named("q", panels(y, x)) | {"o": (0, 0, 0), "c": (0, 0, 3)}
    plates = [{"nodes": [f"{leg}{k}" for k in range(start, start + 4)]} for leg in "pq" for start in (0, 2)]
    top = {"nodes": ["p4", "p5", "q4", "q5", "c"]}
    lift = [{"nodes": ["o", "c"], "to": height}]
    ground = ["o", "p0", "p1", "q0", "q1"]
    result = driven(ground=ground, nodes=nodes, plates=[*plates, top], actuators=lift)
    lifts = track(result, "c")
    assert lifts[:, :2] == pytest.approx(0, abs=1e-9)
    assert lifts[-1, 2] == pytest.approx(height, abs=1e-9)
    assert track(result, "p4") - lifts == pytest.approx(np.tile([3, -1, 0], (13, 1)), abs=1e-9)
    panel = math.hypot(1, 1.5)  # the knee is half as high, as far out as the panel reaches
    assert result.nodes["p2"] == pytest.approx([3 + sqrt(panel**2 - height**2 / 4), -1, height / 2], abs=1e-9)
    assert result.freedom.redundant >= 1  # a direction is held twice, and agrees


# Bennett


def bennett(first: float, a: float = 3.0, alpha: float = 0.6, beta: float = 1.1) -> list[Floats]:
    """Points and directions of the four axes, at the first angle: a/sin α = b/sin β, offsets 0.

    Its second angle is given by tan(θ₁/2) tan(θ₂/2) = sin((β + α)/2)/sin((β − α)/2).
    """
    b = a * sin(beta) / sin(alpha)
    second = 2 * math.atan(sin((beta + alpha) / 2) / sin((beta - alpha) / 2) / tan(first / 2))
    pose, axes = np.eye(4), []
    links = ((first, a, alpha), (second, b, beta), (-first, a, alpha), (-second, b, beta))
    for angle, length, twist in links:
        axes.append(np.array([pose[:3, 3], pose[:3, 3] + pose[:3, 2]]))
        turn, along = np.eye(4), np.eye(4)
        turn[:3, :3] = Rotation.from_euler("z", angle).as_matrix()
        along[:3, :3] = Rotation.from_euler("x", twist).as_matrix()
        along[0, 3] = length
        pose = pose @ turn @ along
    assert pose == pytest.approx(np.eye(4), abs=1e-12)
    return axes


def test_bennetts_linkage_turns_though_it_has_more_constraints_than_freedoms():
    """Links share the two nodes of an axis; the last one is the ground, and the rotor turns the first."""
    start, end = 1.0, 2.2
    nodes = {}
    for k, (joint, tip) in enumerate(bennett(start)):
        nodes |= {f"j{k}": tuple(joint.tolist()), f"z{k}": tuple(tip.tolist())}
    plates = [{"nodes": [f"j{k}", f"z{k}", f"j{k + 1}", f"z{k + 1}"]} for k in range(3)]
    turn = [{"joint": "j0", "axis": "z0", "arms": ["j3", "j1"], "to": end - start}]
    result = driven(ground=["j0", "z0", "j3", "z3"], nodes=nodes, plates=plates, rotors=turn)
    # The ground is the fourth link, drawn at the start: bring the known pose onto it.
    drawn, known = (np.array([*bennett(angle)[0], *bennett(angle)[3]]) for angle in (start, end))
    fit, _ = Rotation.align_vectors(drawn - drawn[0], known - known[0])
    expected = fit.apply(np.concatenate(bennett(end)) - known[0]) + drawn[0]
    assert result.points[-1] == pytest.approx(expected, abs=1e-8)
    assert result.freedom.redundant == 3


# A universal joint


@pytest.mark.parametrize("bend", [0.3, 0.8])
def test_a_universal_joint_turns_by_tan_over_cosine(bend):
    """The shafts are along z, and bent by so much from it; the ends of the cross stay across their shafts."""
    nodes = {"o": (0, 0, 0), "z": (0, 0, 1), "x": (2, 0, 0), "p": (1, 0, 0), "q": (0, cos(bend), sin(bend))}
    shaft = (0.0, -sin(bend), cos(bend))
    result = driven(
        24,
        ground=["o", "z", "x"],
        nodes=nodes,
        bars=[{"nodes": list(pair)} for pair in ("op", "oq", "pq")],
        guides=[{"node": "p", "plane": (0, 0, 1)}, {"node": "q", "plane": shaft}],
        rotors=[{"joint": "o", "axis": "z", "arms": ["x", "p"], "to": 2 * pi}],
    )
    given = np.linspace(0, 2 * pi, 25)
    q = track(result, "q")
    across = np.array([0, cos(bend), sin(bend)])
    output = np.arctan2(-q[:, 0], q @ across)
    expected = np.arctan2(np.sin(given), np.cos(given) / cos(bend))
    assert np.angle(np.exp(1j * (output - expected))) == pytest.approx(0, abs=1e-9)


# Pantographs


def test_a_pantograph_copies_at_its_scale():
    """Similar triangles: o, p and q stay in line, and q is 2.5 times as far from o as p."""
    nodes = {"o": (0, 0), "a": (1, 2), "b": (2.5, 5), "p": (2, 1), "d": (3.5, 4), "q": (5, 2.5)}
    nodes["d"] = tuple(np.add(nodes["b"], np.subtract(nodes["p"], nodes["a"])).tolist())
    nodes["q"] = tuple((2.5 * np.array(nodes["p"])).tolist())
    bars = [{"nodes": names} for names in (["o", "a", "b"], ["b", "d", "q"], ["a", "p"], ["p", "d"])]
    grounds = {"g": (4.0, -1.0), "h": (-1.0, 1.0)}
    pulls = [{"nodes": ["g", "p"], "to": (2.6, 2.9)}, {"nodes": ["h", "p"], "to": (3.3, 2.7)}]
    result = driven(ground=["o", *grounds], nodes=nodes | grounds, bars=bars, actuators=pulls)
    p, q = track(result, "p"), track(result, "q")
    assert np.ptp(p, axis=0).min() > 0.1
    assert q == pytest.approx(2.5 * p, abs=1e-9)


@pytest.mark.parametrize("cells", [3, 8])
def test_lazy_tongs_reach_as_many_times_as_far_as_they_have_cells(cells):
    """Bars of length 2 pinned in their middles: with ends w apart, each cell is √(4 − w²) long."""
    w, length = 1.6, 1.2
    nodes = {
        f"{side}{k}": (k * length, sign * w / 2)
        for k in range(cells + 1)
        for side, sign in (("u", 1), ("d", -1))
    }
    nodes |= {f"m{k}": ((k + 0.5) * length, 0.0) for k in range(cells)}
    bars = [{"nodes": [f"{a}{k}", f"m{k}", f"{b}{k + 1}"]} for k in range(cells) for a, b in ("ud", "du")]
    squeeze = [{"nodes": ["u0", "d0"], "to": 0.5}]
    slots = [{"node": name, "line": (0, 1)} for name in ("u0", "d0")]
    hold = [{"node": "m0", "line": (1, 0)}]
    result = driven(nodes=nodes, bars=bars, actuators=squeeze, guides=[*slots, *hold])
    assert result.nodes[f"u{cells}"] == pytest.approx([cells * sqrt(4 - 0.25), 0.25], abs=1e-9)


# Tensegrity


def prism(twist: float) -> dict[str, tuple[float, ...]]:
    bottom = 2 * pi * np.arange(3) / 3
    corners = [
        np.column_stack([2 * np.cos(a), 2 * np.sin(a), np.full(3, z)])
        for a, z in ((bottom, 0), (bottom + twist, 3))
    ]
    return named("b", corners[0]) | named("t", corners[1])


@pytest.mark.parametrize("twist", [0.2, 0.9])
@pytest.mark.parametrize("slack", [0.3, 0.6])
def test_a_tensegrity_prism_twists_by_30_degrees(twist, slack):
    """Struts go from a corner to the one after next, 150° on; cables are strings, drawn taut as it stands.

    Cables are shortest, struts being as long as they are, where sin θ = sin(θ + 120°): at θ = 30°.
    """
    nodes = prism(twist)
    struts = [{"nodes": [f"b{k}", f"t{(k + 1) % 3}"]} for k in range(3)]
    ties = [(f"b{k}", f"t{k}") for k in range(3)] + [(f"t{k}", f"t{(k + 1) % 3}") for k in range(3)]
    cables = [
        {"nodes": pair, "stiffness": 1.0, "length": slack * math.dist(nodes[pair[0]], nodes[pair[1]])}
        for pair in ties
    ]
    result = driven(ground=["b0", "b1", "b2"], nodes=nodes, bars=struts, strings=cables)
    top = result.points[-1, 3:]
    angles = np.unwrap(np.arctan2(top[:, 1], top[:, 0]))
    assert angles == pytest.approx(pi / 6 + 2 * pi * np.arange(3) / 3, abs=1e-8)
    assert np.ptp(top[:, 2]) < 1e-8
    strut = math.dist(nodes["b0"], nodes["t1"])
    for low, high in pairwise([0, 1, 2, 0]):
        assert np.linalg.norm(result.points[-1, low] - top[high]) == pytest.approx(strut, abs=1e-9)
