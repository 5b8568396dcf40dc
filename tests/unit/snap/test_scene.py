"""What the sweep works on: outlines in order, numbers scaled to integers, an index that misses nothing."""

from fractions import Fraction

import numpy as np
import pytest
from tests.unit.snap.one_pawl import EXACT, FLOAT, around, box, ring, scene_of

from pliant.snap.geometry.features import HingeMotion, ObstacleEdges
from pliant.snap.geometry.outlines import normal_outline as outline_ring
from pliant.snap.geometry.time_index import WIDEST, TimeIndex, build_index

SQUARE = [(0, 0), (2, 0), (2, 2), (0, 2)]


# Outlines


@pytest.mark.parametrize("outline", [SQUARE, SQUARE[::-1], SQUARE[2:] + SQUARE[:2]])
def test_an_outline_runs_counter_clockwise_however_it_is_drawn(outline):
    whole = outline_ring(ring(*outline))
    area = sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(whole.points, whole.points[1:], strict=False))
    assert area > 0
    assert [outline[k] for k in whole.drawn] == list(whole.points)
    assert all(whole.convex)


def test_vertices_on_straight_lines_are_left_out_and_the_others_keep_their_numbers():
    whole = outline_ring(ring((0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (0, 2), (0, 1)))
    assert whole.drawn == (0, 2, 4, 5)


def test_notches_are_reflex():
    whole = outline_ring(ring((0, 0), (4, 0), (4, 4), (2, 1), (0, 4)))
    assert whole.convex == (True, True, True, False, True)


def test_obstacles_come_one_after_another_and_know_their_neighbours():
    both = around(SQUARE, box(5, 5, 6, 6)[::-1])
    assert both.owner == (0, 0, 0, 0, 1, 1, 1, 1)
    assert both.following == (1, 2, 3, 0, 5, 6, 7, 4)
    assert both.before == (3, 0, 1, 2, 7, 4, 5, 6)
    assert [both.drawn[k] for k in range(4, 8)] == [3, 2, 1, 0]


def test_the_scale_makes_every_number_whole():
    thirds = scene_of(
        box("-1/3", -2, "1/2", 0), box(0, "-22/7", 1, -3), velocity=("1/5", -1), hinge=("1/11", 0)
    )
    assert thirds.scale == 3 * 2 * 7 * 5 * 11
    assert thirds.pawl[0] == (Fraction(-1, 3) * thirds.scale, -2 * thirds.scale)
    assert thirds.velocity == (thirds.scale // 5, -thirds.scale)
    assert thirds.corner(0) == (0, Fraction(-22, 7) * thirds.scale)
    assert all(isinstance(value, int) for point in (*thirds.pawl, thirds.hinge) for value in point)


def test_floats_stay_in_the_file_s_unit():
    thirds = scene_of(box("-1/3", -2, "1/2", 0), box(0, "-22/7", 1, -3), arithmetic=FLOAT)
    assert thirds.pawl[0] == (-1 / 3, -2.0)
    assert thirds.corner(0) == (0.0, -22 / 7)
    assert scene_of(SQUARE, box(5, 5, 6, 6), until="7/2", arithmetic=EXACT).way_end == 3.5


def test_a_stride_is_the_pawl_s_size_in_time_wherever_its_hinge_is():
    for left in (0, 1000):
        pawl = box(left, 0, left + 3, 4)
        assert scene_of(pawl, box(9, 9, 10, 10), velocity=(0, -2)).stride == 2.5


# The index


def field_of(points: np.ndarray) -> ObstacleEdges:
    """Closed outlines of three vertices each."""
    count = len(points)
    following = np.array([k + 1 if k % 3 < 2 else k - 2 for k in range(count)])
    before = np.array([k - 1 if k % 3 else k + 2 for k in range(count)])
    return ObstacleEdges(points[:, 0].copy(), points[:, 1].copy(), following, before, np.ones(count, bool))


def distances(field: ObstacleEdges, way: HingeMotion, t: float) -> np.ndarray:
    """From the hinge to every edge."""
    start = np.stack([field.x, field.y], axis=1)
    edge = start[field.following] - start
    to = np.array([way.x + t * way.vx, way.y + t * way.vy]) - start
    length = np.maximum((edge * edge).sum(axis=1), 1e-300)
    share = np.clip((to * edge).sum(axis=1) / length, 0.0, 1.0)
    return np.hypot(*(to - share[:, None] * edge).T)


@pytest.mark.parametrize("seed", range(8))
def test_every_edge_within_reach_is_live(seed):
    """Long edges and short, near and far, along the way and across it."""
    rng = np.random.default_rng(seed)
    centres = rng.uniform(-30, 30, (200, 1, 2))
    sizes = 10 ** rng.uniform(-3, 1.5, (200, 1, 1))
    points = (centres + sizes * rng.uniform(-1, 1, (200, 3, 2))).reshape(-1, 2)
    points[:30] = np.round(points[:30])
    field, reach = field_of(points), float(rng.uniform(0.5, 5))
    way = HingeMotion(*rng.uniform(-10, 10, 2), *(rng.uniform(-2, 2, 2) if seed % 2 else (0.0, -1.0)))
    whole = build_index(field, way, reach)
    for begin in rng.uniform(-20, 20, 60):
        end = begin + rng.choice([0.0, 1e-9, 0.1, 3.0])
        live = set(whole.live(begin, end).tolist())
        for t in np.linspace(begin, end, 5):
            assert set(np.flatnonzero(distances(field, way, t) <= reach).tolist()) <= live


def test_an_edge_touched_by_the_very_circle_of_reach_is_live_then():
    """Beside the way all along, at an end, and at the foot of a perpendicular."""
    scene = scene_of(box(-3, -4, 0, 0), box(5, -40, 6, -20), box(-2, -60, 0, -50))
    assert set(scene.index.live(20.0, 20.0)) >= {2, 3}
    assert 3 in scene.index.live(30.0, 30.0)
    assert set(scene.index.live(40.0, 40.0)) >= {3, 0}
    assert 6 in scene.index.live(45.0, 45.0)


@pytest.mark.parametrize("unit", [1, "1/3", "1/7", "10/3", "1000001/11"])
def test_an_edge_on_the_rim_of_the_pawl_s_reach_is_live_however_floats_round(unit):
    """All along a way that slopes by 3 to 4, with a reach of 5 that the edge just touches."""
    scale = Fraction(unit)
    edge = [(3 * k + 4, 4 * k - 3) for k in (2, 9)] + [(60, -10)]
    stone = [(x * scale, y * scale) for x, y in edge]
    pawl = [(x * scale, y * scale) for x, y in ((-3, -4), (1, 0), (0, 1))]
    scene = scene_of(pawl, stone, velocity=(3 * scale, 4 * scale))
    along = next(
        k for k in range(3) if scene.obstacles.drawn[k] in (0, 1) and scene.obstacles.drawn[k - 2] in (0, 1)
    )
    for t in (2.0, 5.5, 9.0):
        assert along in scene.index.live(t, t)


def test_edges_out_of_reach_are_not_live_ever():
    scene = scene_of(box(-1, -1, 1, 1), box(50, -9, 51, -8), box(-1, -9, 1, -8))
    assert set(scene.index.live(-1e6, 1e6).tolist()) == {4, 5, 6, 7}
    assert len(scene.index.live(-5.0, 0.0)) == 0
    assert len(scene_of(box(-1, -1, 1, 1), box(50, -9, 51, -8)).index.live(-1e6, 1e6)) == 0


def test_each_level_of_the_index_holds_lives_of_about_one_length():
    whole = scene_of(box(-1, -1, 1, 1), *(box(0, -300 * k, 1, -300 * k + 4**k) for k in range(1, 5))).index
    assert len(whole.longest) > 2
    for first, last, longest in zip(whole.first[:-1], whole.first[1:], whole.longest, strict=True):
        lives = (whole.ends - whole.begins)[first:last]
        assert lives.max() <= WIDEST * lives.min() * (1 + 1e-9)
        assert longest == lives.max()
        assert (np.diff(whole.begins[first:last]) >= 0).all()


def test_what_is_live_is_the_same_whatever_the_levels():
    """Few are visited: the cost of a look-up does not grow with edges far away."""
    fine = scene_of(box(-1, -1, 1, 1), *(box(0, -k, 1, -k + 1) for k in range(10, 400, 3))).index
    order = np.argsort(fine.begins)
    longest = (fine.ends - fine.begins).max(keepdims=True)
    sides = fine.begins[order], fine.ends[order], fine.edges[order]
    coarse = TimeIndex(*sides, np.array([0, len(order)]), longest)
    for t in (0.0, 57.0, 200.5):
        assert set(fine.live(t, t + 2).tolist()) == set(coarse.live(t, t + 2).tolist())
        assert len(fine.live(t, t + 2)) < 20
