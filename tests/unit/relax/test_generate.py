"""Mechanisms by their dimensions: drawn as the paper has them, and moving as geometry says."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pliant.core.errors import PliantError
from pliant.relax.assemble.build import build
from pliant.relax.generate import cam, hexapod, peaucellier, prism, random_mechanism, stewart, stewart_end
from pliant.relax.model import RelaxStudy
from pliant.relax.solve import solve
from pliant.relax.status import RelaxStatus


def drawn(model):
    return np.array(list(model.nodes.values()))


def length(model, x, pair):
    first, second = (list(model.nodes).index(name) for name in pair)
    return float(np.linalg.norm(x[second] - x[first]))


# Stewart platforms


@pytest.mark.parametrize("handed", ["same", "alt"])
def test_lipson_fig_6_platforms_stand_on_six_legs_each(handed):
    model = stewart(10, handed)
    assert (len(model.nodes), len(model.plates), len(model.actuators)) == (33, 11, 60)
    x = drawn(model)
    assert x[:, 2].max() == 100
    np.testing.assert_allclose(np.hypot(x[:, 0], x[:, 1]), 10, rtol=1e-15)
    legs = sorted(round(length(model, x, leg.nodes), 9) for leg in model.actuators)
    assert legs == [10] * 30 + [20] * 30
    assert {leg.to for leg in model.actuators} == {15}


@pytest.mark.parametrize("handed", ["same", "alt"])
def test_twisted_platforms_have_all_legs_fifteen_long(handed):
    model, x = stewart(4, handed), stewart_end(4, handed)
    for leg in model.actuators:
        assert length(model, x, leg.nodes) == pytest.approx(15, rel=1e-14)
    plates = np.linalg.norm(x.reshape(-1, 3, 3) - np.roll(x.reshape(-1, 3, 3), 1, axis=1), axis=2)
    np.testing.assert_allclose(plates, 10 * np.sqrt(3), rtol=1e-14)
    np.testing.assert_allclose(x[:, 2], np.repeat(np.arange(5), 3) * np.sqrt(125), rtol=1e-14)


def test_stages_turn_by_sixty_degrees_the_same_way_or_to_and_fro():
    for handed, turns in [("same", [-60, -120, -180]), ("alt", [-60, 0, -60])]:
        corners = stewart_end(3, handed)[3::3]
        found = np.degrees(np.arctan2(corners[:, 1], corners[:, 0]))
        np.testing.assert_allclose(np.cos(np.radians(found - turns)), 1, atol=1e-12)


@pytest.mark.parametrize("handed", ["same", "alt"])
def test_solved_platforms_are_the_twisted_ones(handed):
    found = solve(stewart(3, handed), RelaxStudy(frames=1))
    assert found.status is RelaxStatus.CONVERGED
    np.testing.assert_allclose(found.points[-1], stewart_end(3, handed), atol=1e-10)


@pytest.mark.parametrize(("platforms", "handed"), [(0, "same"), (2, "left")])
def test_platforms_that_cannot_be_are_refused(platforms, handed):
    with pytest.raises(PliantError, match=f"{platforms} platforms, '{handed}': give at least 1"):
        stewart(platforms, handed)


# Peaucellier


def test_peaucelliers_point_goes_along_a_line():
    found = solve(peaucellier(), RelaxStudy(frames=12))
    assert found.status is RelaxStatus.CONVERGED
    trace = found.points[:, list(found.model.nodes).index("F")]
    wide, long = np.sort(np.ptp(trace, axis=0))
    assert long > 1
    assert wide / long < 1e-10


def test_peaucelliers_cell_is_drawn_to_measure():
    model = peaucellier()
    x = drawn(model)
    assert [length(model, x, pair) for pair in ("AD", "AE", "BC", "AB")] == pytest.approx([10, 10, 3, 3])
    assert [length(model, x, pair) for pair in ("CD", "CE", "FD", "FE")] == pytest.approx([5] * 4)
    # The product of the distances from A to C and to F is the power of the cell.
    assert length(model, x, "AC") * length(model, x, "AF") == pytest.approx(10**2 - 5**2, rel=1e-14)


# Random mechanisms


@pytest.mark.parametrize("seed", range(3))
def test_lipson_fig_8_points_are_linked_at_random(seed):
    model = random_mechanism(seed)
    assert len(model.nodes) == 100
    assert len(model.actuators) == 20
    assert 197 <= len(model.bars) + len(model.actuators) <= 200  # those between grounded joints are left out
    assert model.ground == ("n0", "n1", "n2")
    x = drawn(model)
    assert x.min() >= 0
    assert x.max() <= 100
    pairs = [element.nodes for element in (*model.bars, *model.actuators)]
    assert len(set(pairs)) == len(pairs)
    assert {name for pair in pairs for name in pair} == set(model.nodes)
    for actuator in model.actuators:
        assert 0.75 <= actuator.to / length(model, x, actuator.nodes) <= 1.25


def test_the_seed_makes_the_mechanism():
    assert random_mechanism(4) == random_mechanism(4)
    assert random_mechanism(4) != random_mechanism(5)


def test_other_numbers_of_joints_and_links_are_kept_to():
    model = random_mechanism(1, joints=12, links=20, driven=3)
    assert len(model.nodes) == 12
    assert len(model.actuators) == 3
    build(model)


# Others


@pytest.mark.slow
@pytest.mark.parametrize(("struts", "pull"), [(3, 0.06), (4, 0.12)])
def test_a_prism_twists_until_its_strings_are_tight(struts, pull):
    found = solve(prism(struts, pull), RelaxStudy(frames=12))
    assert found.status is RelaxStatus.CONVERGED
    forces = dict(zip(found.network.link_names, found.frames[-1].elongations.link_forces, strict=True))
    assert all((force > 0.1) == name.startswith("string") for name, force in forces.items())
    turns = []
    for ring in found.points[-1].reshape(2, struts, 3):
        arms = ring - ring.mean(axis=0)
        turns.append(np.degrees(np.arctan2(arms[:, 1], arms[:, 0])))
    # From the foot of each strut to its head, which is drawn one corner on.
    turn = (turns[1] - np.roll(turns[0], 1)) % 360
    np.testing.assert_allclose(turn, 90 + 180 / struts, atol=1e-6)


def test_the_legs_of_a_hexapod_are_those_of_its_tour():
    tour = np.array([[0, 0, 90, 0, 0, 0], [5, -3, 100, 0.1, 0.05, -0.2], [0, 8, 95, 0, -0.1, 0.1]], float)
    found = solve(hexapod(tour))
    assert found.status is RelaxStatus.CONVERGED
    plate = found.points[:, 6:]
    np.testing.assert_allclose(plate.mean(axis=1), tour[:, :3], atol=1e-8)
    assert found.length_error < 1e-10
    for pose, corners in zip(tour, plate, strict=True):
        arms = corners - corners.mean(axis=0)
        drawn_arms = plate[0] - plate[0].mean(axis=0)
        turn = Rotation.align_vectors(arms, drawn_arms)[0]
        np.testing.assert_allclose(turn.as_rotvec(), pose[3:], atol=1e-8)


def test_a_hexapod_without_a_tour_comes_back():
    model = hexapod()
    lengths = np.array([leg.to for leg in model.actuators])
    x = drawn(model)
    first = [length(model, x, leg.nodes) for leg in model.actuators]
    np.testing.assert_allclose(lengths[:, -1], first, rtol=1e-12)
    assert np.ptp(lengths, axis=1).min() > 10


@pytest.mark.slow
def test_a_cam_lifts_its_follower_by_its_support():
    model = cam()
    found = solve(model, RelaxStudy(frames=12))
    height = found.points[:, list(model.nodes).index("f"), 1]
    turn = 2 * np.pi * found.shares
    np.testing.assert_allclose(height, np.maximum(20, 8 + 24 * np.cos(turn)) + 1, atol=0.15)
