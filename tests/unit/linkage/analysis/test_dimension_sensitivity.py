"""Sensitivities against closed forms and linkages built anew, and tolerance bands against chance."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
import shapely
from scipy.optimize import fsolve

from pliant.core.errors import InputError
from pliant.linkage.analysis.dimension_sensitivity import (
    Dimension,
    band_outline,
    bands,
    dimensions,
    normals,
    sensitivities,
    tolerances,
)
from pliant.linkage.generate import jansen, linkage, places, slider_crank, turning_triad
from pliant.linkage.kinematics.follow import follow
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.kinematics.poses import positions, rates
from pliant.linkage.solve import solve
from pliant.linkage.structure.rule_plan import RulePlan

Build = Callable[[dict[str, float], np.ndarray], dict[str, np.ndarray]]
TURN = np.arange(24) * 2 * np.pi / 24


def meet(p, r, q, s, side=1):
    """At r from p and s from q, of arrays: written again, for what is built by it is to be independent."""
    along = (r * r - s * s + abs(q - p) ** 2) / (2 * abs(q - p))
    return p + (along + 1j * side * np.sqrt(r * r - along * along)) * (q - p) / abs(q - p)


def four_bar(size: dict[str, float], angle: np.ndarray) -> dict[str, np.ndarray]:
    a, d = (np.full_like(angle, size[f"{n}.x"] + 1j * size[f"{n}.y"], complex) for n in "AD")
    b = a + size["A-B"] * np.exp(1j * angle)
    c = meet(b, size["B-C"], d, size["D-C"])
    return {"A": a, "B": b, "C": c, "D": d, "P": meet(b, size["B-P"], c, size["C-P"])}


FOUR_BAR = {
    "A.x": 0.0, "A.y": 0.0, "D.x": 4.0, "D.y": 0.3,
    "A-B": 1.0, "B-C": 3.5, "D-C": 3.0, "B-P": 2.0, "C-P": 2.2,
}  # fmt: skip


def leg(size: dict[str, float], angle: np.ndarray) -> dict[str, np.ndarray]:
    a, b = (np.full_like(angle, size[f"{n}.x"] + 1j * size[f"{n}.y"], complex) for n in "AB")
    c = a + size["A-C"] * np.exp(1j * angle)
    p1 = meet(b, size["B-P1"], c, size["C-P1"])
    p2 = meet(b, size["B-P2"], c, size["C-P2"], -1)
    p3 = meet(b, size["B-P3"], p1, size["P1-P3"])
    p4 = meet(p3, size["P3-P4"], p2, size["P2-P4"], -1)
    p5 = meet(p2, size["P2-P5"], p4, size["P4-P5"])
    return {"A": a, "B": b, "C": c, "P1": p1, "P2": p2, "P3": p3, "P4": p4, "P5": p5}


JANSEN = {
    "A.x": 0.0, "A.y": 0.0, "B.x": -38.0, "B.y": -7.8,
    "A-C": 15.0, "B-P1": 41.5, "C-P1": 50.0, "B-P2": 39.3, "C-P2": 61.9, "B-P3": 40.1,
    "P1-P3": 55.8, "P3-P4": 39.4, "P2-P4": 36.7, "P2-P5": 49.0, "P4-P5": 65.7,
}  # fmt: skip


def four_bar_joints() -> dict[str, complex]:
    return {name: complex(z[0]) for name, z in four_bar(FOUR_BAR, np.array([1.0])).items()}


def four_bar_plan() -> RulePlan:
    """Drawn at 1 rad."""
    return compile_plan(linkage(four_bar_joints(), "AD", ("A B", "B C P", "D C")))


def named(found: tuple[Dimension, ...], name: str) -> Dimension:
    parts = name.split("-")
    return next(one for one in found if one.name in (name, "-".join(parts[::-1])))


def slopes(build: Build, size: dict[str, float], angle: np.ndarray, name: str, step: float) -> np.ndarray:
    """By central differences of linkages built anew: (N, 2, F)."""
    there, back = (build(size | {name: size[name] + s * step}, angle) for s in (1, -1))
    rate = np.stack([(there[n] - back[n]) / (2 * step) for n in there])
    return np.stack([rate.real, rate.imag], axis=1)


def extrapolated(
    build: Build, size: dict[str, float], angle: np.ndarray, name: str, step: float
) -> np.ndarray:
    """The same at two steps, of fourth order."""
    return (4 * slopes(build, size, angle, name, step) - slopes(build, size, angle, name, 2 * step)) / 3


@pytest.mark.parametrize(
    ("plan", "drawn_at", "build", "size"),
    [(four_bar_plan(), 1.0, four_bar, FOUR_BAR), (compile_plan(jansen(0.3)), 0.3, leg, JANSEN)],
    ids=["four-bar", "leg"],
)
def test_every_dimension_moves_the_joints_as_a_linkage_built_anew(plan, drawn_at, build, size):
    found = dimensions(plan)
    assert len(found) == len(size)
    poses = positions(plan, TURN[None])
    wanted = [named(found, name) for name in size]
    assert [one.value for one in wanted] == pytest.approx(list(size.values()))
    exact = sensitivities(poses, wanted)
    scale = 1e-5 * plan.structure.size
    for name, slope in zip(size, exact, strict=True):
        assert slope == pytest.approx(extrapolated(build, size, drawn_at + TURN, name, scale), abs=1e-8)


def test_differences_approach_the_slopes_as_the_square_of_the_step():
    plan = four_bar_plan()
    poses = positions(plan, TURN[None])
    (exact,) = sensitivities(poses, [named(dimensions(plan), "B-C")])
    coarse, fine = (
        np.abs(slopes(four_bar, FOUR_BAR, 1.0 + TURN, "B-C", step) - exact).max() for step in (2e-2, 1e-2)
    )
    assert coarse / fine == pytest.approx(4, rel=0.02)


def test_a_sliders_sensitivities_are_those_of_its_formula():
    """x = r cos θ + √(l² − (r sin θ − e)²) on the line y = e."""
    r, rod, e, drawn_at = 1.0, 3.0, 0.7, 0.4
    guide = [{"joint": "P", "along": [[0, 0], [1, 0]]}]
    drawn = places(slider_crank(r, rod, e, drawn_at))
    plan = compile_plan(linkage(drawn, "A", ("A B", "B P"), sliders=guide))
    found = dimensions(plan)
    assert [one.name for one in found] == ["A.x", "A.y", "A-B", "B-P", "P.offset"]
    assert [one.value for one in found] == pytest.approx([0, 0, r, rod, e])
    slope = sensitivities(positions(plan, TURN[None]), found)[:, 2]
    theta = drawn_at + TURN
    away = r * np.sin(theta) - e
    root = np.sqrt(rod**2 - away**2)
    still = np.zeros_like(theta)
    expected = {
        "A.x": (still + 1, still),
        "A.y": (-away / root, still),
        "A-B": (np.cos(theta) - away * np.sin(theta) / root, still),
        "B-P": (rod / root, still),
        "P.offset": (away / root, still + 1),
    }
    for one, by in zip(found, slope, strict=True):
        assert by == pytest.approx(np.stack(expected[one.name]), abs=1e-12), one.name


def test_a_joint_in_a_straight_link_is_placed_along_and_across_it():
    joints = four_bar_joints()
    joints["P"] = joints["B"] + 0.4 * (joints["C"] - joints["B"])
    plan = compile_plan(linkage(joints, "AD", ("A B", "B P C", "D C")))
    found = dimensions(plan)
    poses = positions(plan, TURN[None])
    along, across = named(found, "B-P"), named(found, "P off B-C")
    assert (along.value, across.value) == pytest.approx((1.4, 0.0), abs=1e-12)
    b, c = poses.x[1], poses.x[2]
    unit = (c - b) / np.hypot(*(c - b))
    by = sensitivities(poses, [along, across, named(found, "B-C")])[:, list(joints).index("P")]
    assert by[0] == pytest.approx(unit)
    assert by[1] == pytest.approx(np.stack([-unit[1], unit[0]]))
    longer = four_bar(FOUR_BAR | {"B-C": 3.5 + 1e-6}, 1.0 + TURN)
    point = longer["B"] + 1.4 * (longer["C"] - longer["B"]) / np.abs(longer["C"] - longer["B"])
    shifted = np.stack([point.real, point.imag]) - poses.x[list(joints).index("P")]
    assert by[2] == pytest.approx(shifted / 1e-6, abs=1e-5)


def test_a_guide_on_a_link_has_an_offset():
    """A pin B on a crank slides on a rocker about D, whose direction is that of D-B less an arcsine."""
    a, d, r, drawn_at = 1j, -1.5j, 1.0, 0.4
    b = a + r * np.exp(1j * drawn_at)
    tip = d + 5 * np.exp(1j * (np.angle(b - d) - np.arcsin(0.2 / abs(b - d))))
    joints = {"A": a, "B": b, "D": d, "E": tip}
    plan = compile_plan(linkage(joints, "AD", ("A B", "D E"), sliders=[{"joint": "B", "on": "D-E"}]))
    found = dimensions(plan)
    offset = named(found, "B.offset")
    assert offset.value == pytest.approx(0.2)
    poses = follow(plan, TURN[None]).poses
    (by,) = sensitivities(poses, [offset])
    pin = a + r * np.exp(1j * (drawn_at + TURN)) - d
    direction = np.angle(pin) - np.arcsin(0.2 / np.abs(pin))
    rate = 5j * np.exp(1j * direction) * -1 / np.sqrt(np.abs(pin) ** 2 - 0.2**2)
    assert by[3] == pytest.approx(np.stack([rate.real, rate.imag]), abs=1e-9)


def test_coupled_joints_move_as_a_linkage_assembled_anew():
    """Every dimension measured as its name says, and solved for the drawing with one of them changed."""
    plan = compile_plan(turning_triad())
    found = dimensions(plan)
    number = {name: k for k, name in enumerate(plan.structure.names)}

    def measured(flat: np.ndarray) -> np.ndarray:
        x = flat.reshape(-1, 2)
        ends = [one.name.split("-") for one in found if "-" in one.name]
        lengths = [np.hypot(*(x[number[i]] - x[number[j]])) for i, j in ends]
        pivots = [x[number[one.name[0]], "xy".index(one.name[-1])] for one in found if "." in one.name]
        arm = x[number["A"]] - x[number["O"]]
        return np.array([*pivots, *lengths, np.arctan2(arm[1], arm[0])])

    as_drawn = measured(plan.drawn.ravel())
    poses = follow(plan, TURN[None]).poses
    exact = sensitivities(poses, found)
    ordered = [one for one in found if "." in one.name] + [one for one in found if "-" in one.name]
    assert list(found) == ordered
    step = 1e-5
    for d in range(len(found)):
        ends = []
        for side in (1, -1):
            target = as_drawn.copy()
            target[d] += side * step
            drawn = fsolve(lambda q, t=target: measured(q) - t, plan.drawn.ravel(), xtol=1e-12).reshape(-1, 2)
            ends.append(follow(plan, TURN[None], drawn).poses.x)
        assert exact[d] == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-7), found[d].name


def test_dimensions_and_motors_are_as_many_as_coordinates():
    guides = [{"joint": "B", "on": "D-E-F", "along": [[0, 0], [1, 0.5]]}]
    joints = {"A": 0, "B": 1 + 1j, "D": 3, "E": 2 + 4j, "F": 4 + 3j}
    plan = compile_plan(linkage(joints, "AD", ("A B", "D E F"), sliders=guides))
    found = dimensions(plan)
    assert len(found) + 1 == 2 * len(joints)
    assert len({one.name for one in found}) == len(found)
    by = sensitivities(follow(plan, np.zeros((1, 1))).poses, found)
    assert by.shape == (len(found), 7, 2, 1)
    along = (1 + 0.5j) / abs(1 + 0.5j)
    turn = (
        -1 / (along * np.conj(joints["B"] - joints["D"])).real
    )  # of the rocker, whose guide must still meet B
    moved = 1j * turn * (joints["E"] - joints["D"])
    assert by[-1, 3, :, 0] == pytest.approx([moved.real, moved.imag])


def test_in_the_drawn_pose_a_dimension_changes_by_itself_alone():
    plan = compile_plan(jansen(0.3))
    found = dimensions(plan)
    by = sensitivities(positions(plan, np.zeros((1, 1))), found)[..., 0]  # (D, N, 2)
    drawn = plan.drawn
    for e, one in enumerate(found):
        if one.kind == "length":
            i, j = one.joints
            bar = (drawn[i] - drawn[j]) / np.hypot(*(drawn[i] - drawn[j]))
            assert (by[:, i] - by[:, j]) @ bar == pytest.approx(np.eye(len(found))[e], abs=1e-10)


def test_a_linkage_with_more_equations_than_it_needs_has_no_sensitivities():
    joints = {"A": 0, "B": 0.2 + 1j, "C": 3.2 + 1j, "D": 3, "E": 1 + 0.5j, "F": 1.2 + 1.5j}
    plan = compile_plan(linkage(joints, "ADE", ("A B", "B C F", "C D", "E F")))
    poses = positions(plan, np.zeros((1, 1)))
    with pytest.raises(InputError, match="1 equation more than it needs"):
        sensitivities(poses, dimensions(plan))


def test_tolerances_are_one_for_all_and_single_ones_by_name_either_way_round():
    plan = four_bar_plan()
    found = dimensions(plan)
    names = [one.name for one in found]
    limits = tolerances(found, 0.1, {"C-B": 0.3, "A.x": 0.01})
    assert limits[names.index("B-C")] == 0.3
    assert limits[names.index("A.x")] == 0.01
    assert sorted(limits)[1:-1] == [0.1] * (len(found) - 2)
    assert tolerances(found, None, {"C-B": 0.3}).sum() == 0.3
    with pytest.raises(InputError, match=r"study\.tolerances\.B-D: is not measured here"):
        tolerances(found, 0.1, {"B-D": 0.3})


def four_bar_bands(limit: float):
    """The coupler point's bands at TURN, its curve's normals, and the dimensions in their order."""
    plan = four_bar_plan()
    found = dimensions(plan)
    poses = positions(plan, TURN[None])
    v, a = rates(poses, np.ones((1, len(TURN))), np.zeros((1, len(TURN))))
    by = sensitivities(poses, found)[:, 4]
    names = [next(n for n in FOUR_BAR if named(found, n) == one) for one in found]
    limits = limit * np.linspace(0.5, 1.5, len(found))
    return bands(v[4], a[4], by, limits), poses.x[4].T, dict(zip(names, limits, strict=True))


def errors_of(changes: dict[str, np.ndarray]) -> np.ndarray:
    """How far the coupler point is off (S, F, 2), of linkages built with these changes (S,)."""
    size = {name: np.asarray(value + changes[name])[:, None] for name, value in FOUR_BAR.items()}
    built = four_bar(size, (1.0 + TURN)[None] + 0 * size["A.x"])["P"] - four_bar(FOUR_BAR, 1.0 + TURN)["P"]
    return np.stack([built.real, built.imag], axis=-1)


def test_the_statistical_band_is_three_sigma_of_linkages_built_by_chance():
    found, _, limits = four_bar_bands(1e-3)
    chance = np.random.default_rng(5)
    off = errors_of({name: chance.normal(0, limit / 3, 20_000) for name, limit in limits.items()})
    sigma = np.einsum("sfc,fc->sf", off, found.normals).std(axis=0)
    assert 3 * sigma == pytest.approx(found.statistical, rel=0.03)
    spread = np.sqrt([np.linalg.eigvalsh(np.cov(off[:, f].T))[-1] for f in range(len(TURN))])
    assert 3 * spread == pytest.approx(found.statistical_any, rel=0.03)


def test_the_worst_case_is_reached_by_a_linkage_built_at_the_limits_and_never_passed():
    found, _, limits = four_bar_bands(1e-5)
    corners = np.array(list(product((-1, 1), repeat=len(limits))))
    off = errors_of({name: corners[:, d] * limit for d, (name, limit) in enumerate(limits.items())})
    assert np.einsum("sfc,fc->sf", off, found.normals).max(axis=0) == pytest.approx(found.worst, rel=1e-3)
    assert np.hypot(off[..., 0], off[..., 1]).max(axis=0) == pytest.approx(found.worst_any, rel=1e-3)
    assert found.parts.sum(axis=0) == pytest.approx(found.worst)
    assert found.known.all()


def test_in_a_toggle_nothing_is_known_of_the_band_and_everything_is_a_number():
    slope = np.ones((2, 2, 3))
    slope[0, 0, 1] = np.inf
    slope[1, 1, 2] = np.nan
    found = bands(np.ones((2, 3)), np.ones((2, 3)), slope, np.ones(2))
    assert found.known.tolist() == [True, False, False]
    assert found.worst[1:].tolist() == [0, 0]
    assert found.worst_any == pytest.approx([np.hypot(2, 2), 0, 0])


def test_normals_stay_on_one_side_of_a_line_that_is_run_back_and_forth():
    v = np.stack([np.sin(TURN), np.zeros_like(TURN)])  # at rest at the first sample and the thirteenth
    a = np.stack([np.cos(TURN), np.zeros_like(TURN)])
    assert normals(v, a) == pytest.approx(np.tile([0.0, 1.0], (len(TURN), 1)))


def test_a_closed_bands_outline_is_a_ring():
    angle = np.arange(720) * 2 * np.pi / 720
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    outline = band_outline(3 * circle, -circle, np.full(720, 0.25), True)
    assert len(outline) == 2 * 721
    x, y = outline.T
    area = 0.5 * abs(x @ np.roll(y, -1) - y @ np.roll(x, -1))
    assert area == pytest.approx(np.pi * (3.25**2 - 2.75**2), rel=1e-4)


def test_an_open_bands_outline_is_a_strip():
    points = np.stack([np.linspace(0, 5, 11), np.zeros(11)], axis=1)
    outline = band_outline(points, np.tile([0.0, 1.0], (11, 1)), np.linspace(0.1, 0.3, 11), False)
    strip = shapely.Polygon(outline)
    assert strip.is_valid
    assert strip.area == pytest.approx(5 * 0.4)


def test_bands_across_and_along_the_curve_are_both_said():
    result = solve(jansen(study={"tolerance": 0.1}))
    band = result.bands["P5"]
    assert (band.worst_any <= np.hypot(band.worst, band.worst_along) + 1e-12).all()
    assert (band.worst_any >= np.maximum(band.worst, band.worst_along) - 1e-12).all()
    text = result.summary()
    for name, widths in (("across the curve", band.worst), ("along it", band.worst_along)):
        (line,) = [line for line in text.splitlines() if line.endswith(name)]
        assert f"± {widths.max():.4g} mm at worst" in line
    assert set(result.to_dict()["bands"]["P5"]) == {
        "worst",
        "statistical",
        "worst_along",
        "statistical_along",
    }
