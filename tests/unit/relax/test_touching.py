"""Segments that touch: nearest points, forces, room to move, friction."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from pliant.relax.mechanics.segment_contact import (
    CROSSED,
    apply_friction,
    contact_forces,
    contact_normals,
    contact_slope,
    limit_displacements,
    nearest_points,
)
from pliant.relax.network.elements import Contacts

BOTH = pytest.mark.parametrize("size", [2, 3])


def one(x, ends=(0, 1, 2, 3), radius=1.0, k=2.0, friction=0.0, normal=None) -> Contacts:
    nodes, reach = np.array([ends]), np.array([radius])
    way = contact_normals(x, nodes, reach) if normal is None else np.array([normal], float)
    return Contacts(nodes, reach, np.array([k]), np.array([friction]), way)


def pushed(x, touch: Contacts):
    """Energy, forces, stiffness, push and grip."""
    force, stiffness, push, grip = (np.zeros_like(x), np.zeros_like(x), np.ones_like(x), np.ones(len(x)))
    none = np.zeros(len(touch.radius))
    return contact_forces(x, touch, none, force, stiffness, push, grip), force, stiffness, push, grip


def distance(x, touch: Contacts) -> float:
    return nearest_points(x, *touch.ends[0])[2]


def facing(size: int, seed: int, kind: str):
    """Two segments nearer than 1, nearest inside both, at an end of one, or at an end of each; or a point."""
    rng = np.random.default_rng([seed, size])
    while True:
        x = rng.normal(size=(4, size))
        ends = (0, 0, 2, 3) if kind == "point" else (0, 1, 2, 3)
        s, t, apart = nearest_points(x, *ends)
        inside = sum(0.05 < share < 0.95 for share in (s, t))
        wanted = {"inside": 2, "end": 1, "ends": 0, "point": 1}[kind]
        if 0.2 < apart < 0.9 and inside == wanted:
            return x, ends


KINDS = [(2, "end"), (2, "ends"), (2, "point"), (3, "inside"), (3, "end"), (3, "ends"), (3, "point")]
EVERY_KIND = pytest.mark.parametrize(("size", "kind"), KINDS)


@pytest.mark.parametrize(
    ("points", "expected"),
    {
        "crossing": ([[-1, 0], [3, 0], [0, -1], [0, 2]], (1 / 4, 1 / 3, 0)),
        "one above the other": ([[-1, 0], [1, 0], [0, 2], [0, 5]], (1 / 2, 0, 2)),
        "past the end": ([[0, 0], [1, 0], [4, 4], [8, 4]], (1, 0, 5)),
        "parallel, facing by half": ([[0, 0], [2, 0], [1, 1], [3, 1]], (3 / 4, 1 / 4, 1)),
        "parallel, the other way round": ([[0, 0], [2, 0], [3, 1], [1, 1]], (3 / 4, 3 / 4, 1)),
        "parallel, one within the other": ([[0, 0], [4, 0], [1, 1], [2, 1]], (3 / 8, 1 / 2, 1)),
        "parallel, not facing": ([[0, 0], [2, 0], [5, 4], [6, 4]], (1, 0, 5)),
        "on one line": ([[0, 0], [1, 0], [3, 0], [4, 0]], (1, 0, 2)),
        "on one line, overlapping": ([[0, 0], [2, 0], [1, 0], [3, 0]], (3 / 4, 1 / 4, 0)),
        "the same": ([[0, 0], [2, 0], [0, 0], [2, 0]], (1 / 2, 1 / 2, 0)),
        "touching at an end": ([[0, 0], [2, 0], [1, 0], [1, 3]], (1 / 2, 0, 0)),
        "the first of length zero": ([[0, 1], [0, 1], [-1, 0], [3, 0]], (0, 1 / 4, 1)),
        "the second of length zero": ([[-1, 0], [3, 0], [0, 1], [0, 1]], (1 / 4, 0, 1)),
        "both of length zero": ([[0, 0], [0, 0], [3, 4], [3, 4]], (0, 0, 5)),
    }.values(),
)
@BOTH
def test_segments_are_nearest_where_the_drawing_says(points, expected, size):
    x = np.zeros((4, size))
    x[:, :2] = points
    assert nearest_points(x, 0, 1, 2, 3) == pytest.approx(expected, abs=1e-15)


def test_a_node_given_twice_is_a_point():
    x = np.array([[0.0, 3.0], [-1.0, 0.0], [3.0, 0.0], [0.0, -1.0]])
    assert nearest_points(x, 0, 0, 1, 2)[1:] == (0.25, 3.0)
    assert nearest_points(x, 1, 2, 0, 0)[::2] == (0.25, 3.0)
    assert nearest_points(x, 0, 0, 3, 3)[2] == 4.0


@pytest.mark.parametrize("angle", 10.0 ** -np.arange(17))
def test_skew_bars_keep_their_distance_however_small_the_angle(angle):
    u = np.array([np.cos(angle), np.sin(angle), 0.0])
    x = np.array([[-3.0, 0, 0], [4.0, 0, 0], -2 * u, 5 * u])
    x[2:, 2] += 0.01
    assert nearest_points(x, 0, 1, 2, 3)[2] == pytest.approx(0.01, abs=5e-15)


@EVERY_KIND
def test_forces_are_minus_the_gradient_of_the_energy(size, kind):
    """A Taylor test: what they leave of a step falls with the step's square."""
    for seed in range(5):
        x, ends = facing(size, seed, kind)
        touch = one(x, ends)
        energy, force, *_ = pushed(x, touch)
        step = np.random.default_rng(seed).normal(size=x.shape)
        step /= np.linalg.norm(step)
        steps = 1e-3 / 2.0 ** np.arange(4)
        left = [abs(pushed(x + h * step, touch)[0] - energy + h * (force * step).sum()) for h in steps]
        assert np.diff(np.log2(left)) == pytest.approx(-2, abs=0.1)


@EVERY_KIND
def test_forces_and_torques_sum_to_zero_and_push_apart(size, kind):
    x, ends = facing(size, 0, kind)
    energy, force, *_ = pushed(x, one(x, ends))
    assert energy > 0
    assert force.sum(axis=0) == pytest.approx(0, abs=1e-15)
    arms = np.einsum("ni,nj->ij", x, force)
    assert arms - arms.T == pytest.approx(0, abs=1e-15)
    assert nearest_points(x + 1e-3 * force, *ends)[2] > nearest_points(x, *ends)[2]


def test_lipson_table_2_forces_are_in_inverse_proportion_to_the_distance_from_the_collision():
    x = np.array([[-1.0, 0, 0], [3, 0, 0], [0, -1, 0.5], [0, 2, 0.5]])
    _, force, *_ = pushed(x, one(x, k=2.0))
    size = np.linalg.norm(force, axis=1)
    collision = np.array([0.0, 0, 0.25])
    away = np.hypot(*(x - collision)[:, :2].T)
    assert size[0] * away[0] == pytest.approx(size[1] * away[1])
    assert size[2] * away[2] == pytest.approx(size[3] * away[3])
    assert size[:2].sum() == pytest.approx(2.0 * 0.5)


@EVERY_KIND
def test_the_stiffness_is_the_absolute_row_sums_of_the_hessian(size, kind):
    x, ends = facing(size, 1, kind)
    touch = one(x, ends, k=3.0)
    g = np.empty(4 * size)
    gap, k = contact_slope(x, touch, 0, g), 3.0
    slopes = np.zeros_like(x)
    np.add.at(slopes, list(ends), g.reshape(4, size))
    hessian = k * np.outer(slopes, slopes)
    _, force, stiffness, *_ = pushed(x, touch)
    assert stiffness.ravel() == pytest.approx(np.abs(hessian).sum(axis=1))
    assert force == pytest.approx(-k * gap * slopes)
    assert np.linalg.eigvalsh(np.diag(stiffness.ravel()) - hessian).min() > -1e-12


@pytest.mark.slow
@pytest.mark.few(1)
@pytest.mark.parametrize("seed", range(5))
def test_synchronous_updates_of_a_heap_in_space_never_raise_its_energy(seed):
    x = np.random.default_rng(seed).uniform(-1, 1, (40, 3))
    ends = np.array([(2 * i, 2 * i + 1, 2 * j, 2 * j + 1) for i, j in combinations(range(20), 2)])
    radius = np.full(len(ends), 0.4)
    touch = Contacts(ends, radius, np.ones(len(ends)), np.zeros(len(ends)), contact_normals(x, ends, radius))
    energies = []
    for _ in range(300):
        energy, force, stiffness, *_ = pushed(x, touch)
        energies.append(energy)
        if energy < 1e-9 * energies[0]:
            break
        x = x + 0.99 * np.divide(force, stiffness, out=np.zeros_like(x), where=stiffness > 0)
    assert energies[0] > 0.1
    assert energies[-1] < 1e-9 * energies[0]
    assert max(np.diff(energies)) < 1e-20


@BOTH
def test_a_pair_that_does_not_touch_has_a_gap_and_no_force(size):
    x, ends = facing(size, 2, "end")
    touch = one(x, ends, radius=0.1)
    gap = contact_slope(x, touch, 0, np.empty(4 * size))
    assert gap == pytest.approx(nearest_points(x, *ends)[2] - 0.1)
    assert all(np.all(part == 0) for part in pushed(x, touch))


def test_push_is_the_contacts_part_and_grip_is_what_their_friction_holds():
    x = np.array([[-1.0, 0], [1, 0], [0, 0.5], [0, 3]])
    touch = one(x, k=2.0, friction=0.3)
    _, force, _, push, grip = pushed(x, touch)
    assert push == pytest.approx(force)
    assert grip == pytest.approx(0.3 * np.array([0.5, 0.5, 1.0, 0.0]))


@pytest.mark.parametrize(
    ("points", "normal"),
    {
        "a short way up": ([[-2, 0], [2, 0], [0, -0.1], [0, 2]], (0, 1)),
        "a short way down": ([[-2, 0], [2, 0], [0, 0.1], [0, -2]], (0, -1)),
        "off its end": ([[-2, 0], [0.1, 0], [0, -1], [0, 1]], (1, 0)),
        "off its start": ([[-0.1, 0], [2, 0], [0, -1], [0, 1]], (-1, 0)),
        "touching from above": ([[-2, 0], [2, 0], [0, 0], [1, 1]], (0, 1)),
        "on one line": ([[0, 0], [2, 0], [1, 0], [3, 0]], (0, 1)),
        "a point on a bar": ([[0, 0], [0, 2], [0, 1], [0, 1]], (-1, 0)),
        "a point on a point": ([[0, 0], [0, 0], [0, 0], [0, 0]], (1, 0)),
        "apart": ([[-2, 0], [2, 0], [1, -0.3], [1, -2]], (0, -1)),
    }.values(),
)
def test_the_side_of_a_crossed_pair_is_the_shortest_way_out(points, normal):
    x = np.array(points, float)
    assert one(x).normal[0] == pytest.approx(normal, abs=1e-12)


@pytest.mark.parametrize(
    ("points", "normal"),
    {
        "crossed in a plane": ([[-2, 0, 0], [2, 0, 0], [0, -1, 0], [0, 1, 0]], (0, 0, 1)),
        "an end that touches": ([[-2, 0, 0], [2, 0, 0], [0, 0, 0], [1, 1, 1]], (0, 2**-0.5, 2**-0.5)),
        "on one upright line": ([[0, 0, 0], [0, 0, 2], [0, 0, 1], [0, 0, 3]], (0, -1, 0)),
    }.values(),
)
def test_in_space_a_crossed_pair_leaves_across_both_unless_an_end_only_touches(points, normal):
    assert one(np.array(points, float)).normal[0] == pytest.approx(normal)


@pytest.mark.parametrize("normal", [(0, 1), (0, -1), (0.6, 0.8)])
def test_a_pair_drawn_crossed_comes_out_on_the_side_of_its_normal(normal):
    x = np.array([[-2.0, 0], [2, 0], [0.1, -1], [0, 1]])
    touch = one(x, radius=0.2, normal=normal)
    assert distance(x, touch) == 0
    for _ in range(500):
        _, force, stiffness, *_ = pushed(x, touch)
        cap = np.full(4, 0.1)
        limit_displacements(x, touch, cap)
        step = 0.9 * np.divide(force, stiffness, out=np.zeros_like(x), where=stiffness > 0)
        x = x + step * np.minimum(1, cap / np.maximum(np.linalg.norm(step, axis=1), 1e-300))[:, None]
    assert distance(x, touch) == pytest.approx(0.2, abs=1e-6)
    assert ((x[2:].mean(axis=0) - x[:2].mean(axis=0)) @ normal) > 0


def test_a_bar_that_lies_flat_settles_on_its_ends_where_they_are_points():
    x = np.array([[-5.0, 0], [5, 0], [-1, 0.5], [1, 0.52]])
    ends, radius = np.array([(0, 1, 2, 2), (0, 1, 3, 3)]), np.full(2, 0.3)
    touch = Contacts(ends, radius, np.ones(2), np.zeros(2), contact_normals(x, ends, radius))
    for _ in range(500):
        _, force, stiffness, *_ = pushed(x, touch)
        x[2:, 1] += 0.5 * (force[2:, 1] - 0.01) / np.maximum(stiffness[2:, 1], 0.1)
    assert x[2:, 1] == pytest.approx(0.29)


def test_room_is_a_share_of_the_distance_for_the_nodes_of_the_pair_alone():
    x = np.array([[-1.0, 0], [1, 0], [0, 4], [0, 6], [9, 9]])
    cap = np.full(5, 100.0)
    limit_displacements(x, one(x), cap)
    assert cap == pytest.approx([1.8, 1.8, 1.8, 1.8, 100], rel=1e-8)
    limit_displacements(x, one(x, ends=(0, 1, 4, 4)), cap)
    assert cap == pytest.approx([1.8, 1.8, 1.8, 1.8, 0.45 * np.hypot(8, 9)], rel=1e-8)


@pytest.mark.parametrize("low", [-1.0, 0.0, 0.5 * CROSSED])
def test_room_leaves_a_pair_that_was_drawn_crossed_free(low):
    x = np.array([[-1.0, 0], [1, 0], [0, low], [0, 1]])
    cap = np.full(4, 0.5)
    limit_displacements(x, one(x), cap)
    assert cap.tolist() == [0.5] * 4


def moved(x, touch: Contacts, way):
    """Every node as far as it may go, the second segment along `way` and the first against it."""
    cap = np.full(len(x), 0.1)
    limit_displacements(x, touch, cap)
    return x + cap[:, None] * np.outer([-1, -1, 1, 1], way)


def test_a_pair_that_is_squeezed_for_long_keeps_its_side_and_comes_apart_when_let_go():
    x = np.array([[99.0, 100], [101, 100], [100, 100.5], [100.3, 102]])
    touch = one(x, radius=0.4)
    for count in (100, 1000):
        start = distance(x, touch)
        for _ in range(count):
            x = moved(x, touch, (0, -1))
            assert distance(x, touch) > CROSSED * 0.4
            assert x[2, 1] > x[0, 1]
        nearest = distance(x, touch)
        assert nearest > 0.4 / (1.1 * count)
        for _ in range(count + 100):
            x = moved(x, touch, (0, 1))
        assert distance(x, touch) > max(start, 100 * nearest)


@pytest.mark.parametrize(
    ("residual", "left"),
    {
        "held": ([3.0, -0.9, 0], [3, 0, 0]),
        "slides": ([3.0, -1.6, 1.2], [3, -0.8, 0.6]),
        "pulled off": ([-3.0, 2, 0], [-3, 1, 0]),
        "nothing parallel": ([3.0, 0, 0], [3, 0, 0]),
    }.values(),
)
def test_friction_takes_its_part_of_what_is_parallel(residual, left):
    force = np.array(residual)
    apply_friction(force, np.array([1.0, 0, 0]), 2.0, 0.5)
    assert force == pytest.approx(left, abs=1e-15)


def test_without_friction_or_pressure_a_residual_stays():
    for pressure, mu in ((2.0, 0.0), (0.0, 0.5)):
        force = np.array([1.0, 2.0])
        apply_friction(force, np.array([0.6, 0.8]), pressure, mu)
        assert force == pytest.approx([1, 2])


@pytest.mark.parametrize("alpha", [0.05, 0.3, 0.9])
def test_where_friction_stops_a_spring_does_not_depend_on_the_step(alpha):
    """A node that slides on the ground, pulled to 0 by a spring of stiffness 1: it stops at μ·pressure."""
    at = 5.0
    for _ in range(1000):
        force = np.array([-at, 2.0])
        apply_friction(force, np.array([0.0, 1.0]), 2.0, 0.25)
        at += alpha * force[0]
    assert at == pytest.approx(0.5)


def test_a_pair_that_is_given_in_presses_by_that_much_more():
    """So thick that it holds: k given where it just touches, and nothing where it is farther away."""
    x = np.array([[-1.0, 0], [1, 0], [0, 1], [0, 3]])
    touch = one(x, radius=1.0, k=4.0)
    for gap, force in ((0.0, 0.4), (-0.05, 0.6), (0.1, 0.0), (0.2, 0.0)):
        out = np.zeros_like(x)
        x[2, 1] = 1 + gap
        contact_forces(x, touch, np.array([0.1]), out, np.zeros_like(x), np.zeros_like(x), np.zeros(4))
        assert out[2, 1] == pytest.approx(force, abs=1e-15)
