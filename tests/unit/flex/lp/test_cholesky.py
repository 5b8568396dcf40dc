"""Factors of matrices on planar graphs against dense and sparse references."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csc_array
from scipy.sparse.linalg import spsolve
from scipy.spatial import Delaunay

from pliant.core.arrays import Floats, Ints
from pliant.flex.lp import symbolic
from pliant.flex.lp.cholesky import analyse, factor, solve
from pliant.flex.lp.dissection import dissect, neighbour_lists
from pliant.flex.lp.symbolic import divide


def planar_graph(bodies: int, seed: int) -> tuple[Ints, Floats]:
    """A Delaunay triangulation of random points with a third of its edges taken out."""
    rng = np.random.default_rng(seed)
    centres = rng.random((bodies, 2)) * (1.0, 3.0)
    corners = Delaunay(centres).simplices
    edges = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    edges = np.unique(np.sort(edges, axis=1), axis=0).astype(np.int64)
    return edges[rng.random(len(edges)) < 0.67], centres


def grid(width: int, height: int) -> tuple[Ints, Floats]:
    """Cells that touch their eight neighbours."""
    index = np.arange(width * height).reshape(width, height)
    parts = [
        (index[1:], index[:-1]),
        (index[:, 1:], index[:, :-1]),
        (index[1:, 1:], index[:-1, :-1]),
        (index[1:, :-1], index[:-1, 1:]),
    ]
    pairs = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in parts])
    return pairs, np.argwhere(index >= 0).astype(float)


def random_blocks(pairs: Ints, bodies: int, seed: int) -> Floats:
    """Blocks of a symmetric, diagonally dominant matrix."""
    rng = np.random.default_rng(seed)
    blocks = rng.normal(size=(bodies + len(pairs), 3, 3))
    diagonal = blocks[:bodies]
    diagonal += diagonal.transpose(0, 2, 1) + 80 * np.eye(3)
    return blocks


def sparse(pairs: Ints, blocks: Floats, bodies: int) -> csc_array:
    """The whole matrix, both triangles."""
    each = np.arange(bodies)
    first = np.concatenate([each, pairs[:, 0], pairs[:, 1]])
    second = np.concatenate([each, pairs[:, 1], pairs[:, 0]])
    parts = np.concatenate([blocks, blocks[bodies:].transpose(0, 2, 1)])
    rows = 3 * first[:, None, None] + np.arange(3)[:, None] + np.zeros((1, 3), int)
    columns = 3 * second[:, None, None] + np.arange(3) + np.zeros((3, 1), int)
    entries = parts.ravel(), (rows.ravel(), columns.ravel())
    return csc_array(entries, shape=(3 * bodies, 3 * bodies))


@pytest.mark.parametrize("leaf", [1, 5, 12, 1000])
@pytest.mark.parametrize("bodies", [4, 30, 400])
def test_a_solution_on_a_random_planar_graph_is_that_of_scipy(bodies: int, leaf: int) -> None:
    pairs, centres = planar_graph(bodies, bodies)
    blocks = random_blocks(pairs, bodies, leaf)
    right = np.random.default_rng(3).normal(size=(bodies, 3))
    found = solve(factor(analyse(pairs, centres, leaf), blocks), right)
    expected = spsolve(sparse(pairs, blocks, bodies), right.ravel())
    assert np.allclose(found.ravel(), expected, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_several_threads_find_the_solution_of_one(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symbolic, "threads", lambda: threads)
    pairs, centres = grid(40, 17)
    blocks = random_blocks(pairs, len(centres), 0)
    right = np.random.default_rng(1).normal(size=(len(centres), 3))
    alone, shared = analyse(pairs, centres), analyse(pairs, centres, shared=0.0)
    assert len(alone.shares) == 1
    assert len(shared.shares) == threads + 1
    assert np.array_equal(np.sort(np.concatenate(shared.shares)), alone.shares[0])
    assert np.allclose(solve(factor(alone, blocks), right), solve(factor(shared, blocks), right))


def test_bodies_without_neighbours_and_separate_islands_are_factored() -> None:
    pairs, centres = planar_graph(30, 5)
    pairs = np.concatenate([pairs, pairs + 30])
    centres = np.concatenate([centres, centres + 10, [[50.0, 0.0], [0.0, 50.0]]])
    blocks = random_blocks(pairs, 62, 5)
    right = np.random.default_rng(2).normal(size=(62, 3))
    found = solve(factor(analyse(pairs, centres, 4), blocks), right)
    assert np.allclose(sparse(pairs, blocks, 62) @ found.ravel(), right.ravel())


def test_bodies_all_in_one_place_are_factored() -> None:
    pairs, centres = grid(6, 6)
    blocks = random_blocks(pairs, 36, 5)
    right = np.ones((36, 3))
    found = solve(factor(analyse(pairs, np.zeros_like(centres), 4), blocks), right)
    assert np.allclose(sparse(pairs, blocks, 36) @ found.ravel(), right.ravel())


def test_an_indefinite_matrix_is_reported_not_factored() -> None:
    pairs, centres = planar_graph(50, 1)
    blocks = random_blocks(pairs, 50, 1)
    symbolic = analyse(pairs, centres)
    assert not factor(symbolic, blocks).failed
    blocks[17] -= 200 * np.eye(3)
    assert factor(symbolic, blocks).failed


def test_one_analysis_serves_many_matrices() -> None:
    pairs, centres = planar_graph(80, 2)
    symbolic = analyse(pairs, centres)
    right = np.ones((80, 3))
    for seed in range(3):
        blocks = random_blocks(pairs, 80, seed)
        found = solve(factor(symbolic, blocks), right)
        assert np.allclose(sparse(pairs, blocks, 80) @ found.ravel(), right.ravel())


@pytest.mark.parametrize(("width", "height"), [(30, 30), (100, 9), (5, 180)])
def test_the_first_cut_of_a_slab_goes_straight_across_it(width: int, height: int) -> None:
    pairs, centres = grid(width, height)
    groups = dissect(*neighbour_lists(pairs, len(centres)), centres)
    assert groups.starts[-1] - groups.starts[-2] == min(width, height)


def test_groups_separate_what_is_eliminated_before_them() -> None:
    pairs, centres = planar_graph(300, 9)
    groups = dissect(*neighbour_lists(pairs, 300), centres, 6)
    place = np.argsort(groups.order)
    owner = np.repeat(np.arange(len(groups.parents)), np.diff(groups.starts))[place]
    ancestors = [{t} for t in range(len(groups.parents))]
    for t in reversed(range(len(groups.parents))):
        if groups.parents[t] >= 0:
            ancestors[t] |= ancestors[groups.parents[t]]
    for a, b in owner[pairs]:
        assert a in ancestors[b] or b in ancestors[a]


def test_fill_of_a_square_slab_grows_like_n_log_n() -> None:
    """31/4 n log₂ n is the textbook's leading term for a square grid; here in blocks of nine."""
    for side in (32, 64):
        pairs, centres = grid(side, side)
        numbers = analyse(pairs, centres).panel_starts[-1] / 9
        assert numbers < 31 / 4 * side**2 * np.log2(side**2)


def test_work_is_divided_evenly_between_two_threads() -> None:
    pairs, centres = grid(60, 20)
    symbolic = analyse(pairs, centres)
    own, rest = np.diff(symbolic.starts), np.diff(symbolic.edge_starts)
    work = 27.0 * own * (own**2 / 3 + own * rest + rest**2)
    first, second, last = divide(symbolic.tree[:, 0], work)
    assert sorted([*first, *second, *last]) == list(range(len(own)))
    assert 0.8 < work[first].sum() / work[second].sum() < 1.25
    assert work[last].sum() < 0.5 * work.sum()
