"""What must hold of any segments that touch: nearest points, forces, no tunnelling, which pairs are near."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import shapely
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import lsq_linear

from pliant.relax.mechanics.segment_contact import (
    CROSSED,
    contact_forces,
    contact_normals,
    limit_displacements,
    nearest_points,
)
from pliant.relax.network.elements import Contacts

Floats = NDArray[np.float64]

BOTH = pytest.mark.parametrize("size", [2, 3])
FIRST, SECOND = (0, 1), (2, 3)


def always(examples: int) -> settings:
    """The same examples every time."""
    return settings(max_examples=examples, deadline=None, derandomize=True)


def four_nodes(size: int, numbers: st.SearchStrategy) -> st.SearchStrategy[Floats]:
    return st.lists(st.tuples(*[numbers] * size), min_size=4, max_size=4).map(
        lambda rows: np.array(rows, float)
    )


on_a_grid = st.integers(-3, 3)  # where parallel, collinear, touching and vanishing segments are common
numbers = st.one_of(on_a_grid, st.floats(-10, 10))


def nearest(x: Floats) -> float:
    """The distance of 0–1 and 2–3, as a least-squares problem with bounds."""
    a, b, c, d = x
    size = max(np.abs(x).max(), 1.0)
    columns = np.stack([b - a, c - d], axis=1) / size
    found = lsq_linear(columns, (c - a) / size, (0, 1), method="bvls", tol=1e-15)
    return size * float(np.sqrt(2 * found.cost))


@BOTH
@given(data=st.data())
@always(150)
def test_the_shares_give_the_distance_and_no_shares_give_less(size, data):
    x = data.draw(four_nodes(size, numbers))
    s, t, distance = nearest_points(x, 0, 1, 2, 3)
    assert 0 <= s <= 1
    assert 0 <= t <= 1
    between = x[2] + t * (x[3] - x[2]) - x[0] - s * (x[1] - x[0])
    assert distance == pytest.approx(np.linalg.norm(between), abs=1e-13)
    assert distance == pytest.approx(nearest(x), abs=1e-9)


@given(x=four_nodes(2, numbers.map(lambda number: round(number, 6))))
@always(250)
def test_distances_in_the_plane_are_those_of_shapely(x):
    """To the sixth decimal: shapely divides by zero where a length vanishes when squared."""
    expected = shapely.distance(shapely.linestrings(x[:2]), shapely.linestrings(x[2:]))
    assert nearest_points(x, 0, 1, 2, 3)[2] == pytest.approx(expected, abs=1e-12)


@BOTH
@given(data=st.data())
@always(100)
def test_neither_order_nor_direction_of_the_segments_matters(size, data):
    x = data.draw(four_nodes(size, on_a_grid))
    s, t, distance = nearest_points(x, 0, 1, 2, 3)
    assert nearest_points(x, 2, 3, 0, 1) == pytest.approx((t, s, distance), abs=1e-12)
    if len({tuple(row) for row in x}) == 4:  # a segment of length zero has no direction
        assert nearest_points(x, 1, 0, 2, 3) == pytest.approx((1 - s, t, distance), abs=1e-12)


def rotation(rng: np.random.Generator, size: int) -> Floats:
    turn, _ = np.linalg.qr(rng.normal(size=(size, size)))
    turn[:, 0] *= np.linalg.det(turn)
    return turn


def pairs_of(segments: NDArray[np.int64]) -> NDArray[np.int64]:
    """All pairs that share no node, (T, 4)."""
    return np.array([(*p, *q) for p, q in combinations(segments.tolist(), 2) if not set(p) & set(q)])


def heap(rng: np.random.Generator, size: int) -> tuple[Floats, Contacts]:
    """A chain of five bars, three bars, and a point, all in one heap."""
    x = rng.uniform(-1, 1, (13, size))
    segments = np.array([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (6, 7), (8, 9), (10, 11), (12, 12)])
    ends = pairs_of(segments)
    radius = rng.uniform(0.1, 0.6, len(ends))
    stiffness, friction = rng.uniform(0.5, 2, len(ends)), rng.uniform(0, 1, len(ends))
    return x, Contacts(ends, radius, stiffness, friction, contact_normals(x, ends, radius))


def forces(x: Floats, touch: Contacts) -> tuple[float, Floats]:
    force, stiffness, push = np.zeros_like(x), np.zeros_like(x), np.zeros_like(x)
    none = np.zeros(len(touch.radius))
    return contact_forces(x, touch, none, force, stiffness, push, np.zeros(len(x))), force


@BOTH
@given(seed=st.integers(0, 99_999))
@always(50)
def test_a_heap_pushed_by_itself_neither_travels_nor_turns(size, seed):
    x, touch = heap(np.random.default_rng(seed), size)
    energy, force = forces(x, touch)
    assume(energy > 0)
    arms = x.T @ force
    assert force.sum(axis=0) == pytest.approx(0, abs=1e-12)
    assert arms - arms.T == pytest.approx(0, abs=1e-12)


@BOTH
@given(seed=st.integers(0, 99_999), scale=st.sampled_from([1e-3, 1.0, 1e3]))
@always(50)
def test_forces_turn_and_grow_with_the_mechanism(size, seed, scale):
    rng = np.random.default_rng(seed)
    x, touch = heap(rng, size)
    turn, shift = rotation(rng, size), rng.normal(size=size)
    there = scale * (x @ turn.T + shift)
    energy, force = forces(x, touch)
    radius = scale * touch.radius
    moved = touch._replace(radius=radius, normal=touch.normal @ turn.T)
    assert forces(there, moved)[0] == pytest.approx(scale**2 * energy)
    assert forces(there, moved)[1] == pytest.approx(scale * force @ turn.T, abs=1e-10 * scale)
    assert contact_normals(there, touch.ends, radius) == pytest.approx(moved.normal, abs=1e-9)


def cross(u: Floats, v: Floats) -> float:
    return float(u[0] * v[1] - u[1] * v[0])


def real_roots(values: Floats) -> Floats:
    """Where in [0, 1] the polynomial through `values`, at equal steps from 0 to 1, is 0."""
    at = np.linspace(0, 1, len(values))
    roots = np.roots(np.linalg.solve(np.vander(at), values))
    roots = roots.real[np.abs(roots.imag) < 1e-9]
    return roots[(roots >= 0) & (roots <= 1)]


def swept_through(before: Floats, after: Floats) -> bool:
    """Whether 0–1 and 2–3 (rows) meet on the way, all nodes moving straight and at once.

    In the plane they first meet where an end comes to lie on the other segment; in space, where all
    four nodes come to lie in one plane. Both are roots of a polynomial in the part of the way.
    """

    def at(part: float) -> Floats:
        return (1 - part) * before + part * after

    if before.shape[1] == 3:
        ways = [at(part) for part in np.linspace(0, 1, 4)]
        heights = [[np.linalg.det(x[1:] - x[0]) for x in ways]]
    else:
        ways = [at(part) for part in np.linspace(0, 1, 3)]
        triples = [(*FIRST, 2), (*FIRST, 3), (*SECOND, 0), (*SECOND, 1)]
        heights = [[cross(x[q] - x[p], x[end] - x[p]) for x in ways] for p, q, end in triples]
    return any(nearest(at(part)) < 1e-10 for height in heights for part in real_roots(np.array(height)))


def inwards(x: Floats, touch: Contacts) -> Floats:
    """For every node, the way towards the segment that is nearest to one of its own."""
    way = np.zeros_like(x)
    found = [nearest_points(x, *ends) for ends in touch.ends]
    for pair in sorted(range(len(found)), key=lambda pair: -found[pair][2]):
        (a, b, c, d), (s, t, _) = touch.ends[pair], found[pair]
        way[[a, b]] = x[c] + t * (x[d] - x[c]) - x[a] - s * (x[b] - x[a])
        way[[c, d]] = -way[a]
    return way


def wander(x: Floats, touch: Contacts, rng: np.random.Generator, roomy: bool) -> bool:
    """Send every node as far as it may, or 1, anywhere or inwards; whether a pair met on the way."""
    limit = np.ones(len(x))
    if roomy:
        limit_displacements(x, touch, limit)
    way = np.where(rng.random((len(x), 1)) < rng.random(), rng.normal(size=x.shape), inwards(x, touch))
    after = x + limit[:, None] * way / np.maximum(np.linalg.norm(way, axis=1), 1e-9)[:, None]
    met = False
    for ends, radius in zip(touch.ends, touch.radius, strict=True):
        if nearest_points(x, *ends)[2] > CROSSED * radius:
            met = met or swept_through(x[ends], after[ends])
            assert not roomy or nearest_points(after, *ends)[2] > CROSSED * radius
    x[:] = after
    return met


@pytest.mark.slow
@BOTH
@given(seed=st.integers(0, 99_999), thickness=st.sampled_from([1.0, 0.01]))
@always(16)
def test_no_bar_passes_through_another_where_all_nodes_keep_to_their_room(size, seed, thickness):
    rng = np.random.default_rng(seed)
    x, touch = heap(rng, size)
    touch = touch._replace(radius=thickness * touch.radius)
    assert not any(wander(x, touch, rng, roomy=True) for _ in range(8))


@BOTH
def test_without_room_bars_do_pass_through_each_other(size):
    rng = np.random.default_rng(0)
    x, touch = heap(rng, size)
    assert any(wander(x, touch, rng, roomy=False) for _ in range(8))


@BOTH
@given(seed=st.integers(0, 99_999))
@always(20)
def test_the_order_in_which_nodes_use_their_room_does_not_matter(size, seed):
    rng = np.random.default_rng(seed)
    x, touch = heap(rng, size)
    apart = [
        nearest_points(x, *ends)[2] > CROSSED * radius
        for ends, radius in zip(touch.ends, touch.radius, strict=True)
    ]
    limit = np.ones(len(x))
    limit_displacements(x, touch, limit)
    for node in rng.permutation(len(x)):
        before = x.copy()
        way = rng.normal(size=size)
        x[node] += limit[node] * way / np.linalg.norm(way)
        for ends in touch.ends[apart]:
            assert node not in ends or not swept_through(before[ends], x[ends])
