"""Ranks of random frames: against exact arithmetic, against counting, and the same however they are drawn."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.transform import Rotation

from pliant.relax.assemble.build import build
from pliant.relax.diagnose.rank import freedom, internal_load, jacobian
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.mechanics.gradients import jacobian_at
from pliant.relax.model import Mechanism
from pliant.relax.solvers.record import Frame, scale

seeds = st.integers(0, 2**32 - 1)


def always(examples: int) -> settings:
    """The same examples every time."""
    return settings(max_examples=examples, deadline=None, derandomize=True)


@st.composite
def frames(draw, dimension=None):
    """Nodes at whole numbers, so that a frame is singular or far from it; bars, and how many are grounded."""
    d = dimension or draw(st.sampled_from([2, 3]))
    place = st.tuples(*[st.integers(0, 6)] * d)
    places = draw(st.lists(place, min_size=d + 1, max_size=9, unique=True))
    pairs = list(combinations(range(len(places)), 2))
    bars = draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=len(pairs), unique=True))
    used = sorted({node for bar in bars for node in bar})
    number = {node: k for k, node in enumerate(used)}
    grounded = draw(st.integers(0, min(d, len(used) - 1)))
    return np.array([places[k] for k in used], float), [(number[a], number[b]) for a, b in bars], grounded


def network(places, bars, grounded, lengths=None):
    lengths = (
        np.linalg.norm(np.diff(places[np.array(bars)], axis=1)[:, 0], axis=1) if lengths is None else lengths
    )
    model = {
        "nodes": {f"n{k}": tuple(place) for k, place in enumerate(places.tolist())},
        "bars": [
            {"nodes": [f"n{a}", f"n{b}"], "length": length}
            for (a, b), length in zip(bars, lengths.tolist(), strict=True)
        ],
        "ground": [f"n{k}" for k in range(grounded)],
    }
    return build(Mechanism.model_validate(model))


def frame(net, x=None):
    state = net.state(x)
    return Frame(0.0, state.x, 0.0, elongations(net, state), 0, False)


def exact_rank(places, bars, grounded):
    """The rank of the rows of J, each times its length: whole numbers; and how many rows there are."""
    rows = []
    for a, b in bars:
        row = np.zeros(places.shape, int)
        row[a] = places[a] - places[b]
        row[b] = -row[a]
        if max(a, b) >= grounded:
            rows.append([Fraction(int(value)) for value in row[grounded:].ravel()])
    count, rank = len(rows), 0
    for column in range(places[grounded:].size):
        pivot = next((k for k in range(rank, len(rows)) if rows[k][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for k in range(rank + 1, len(rows)):
            share = rows[k][column] / rows[rank][column]
            rows[k] = [own - share * other for own, other in zip(rows[k], rows[rank], strict=True)]
        rank += 1
    return rank, count


@always(80)
@given(frames())
def test_the_rank_is_that_of_exact_arithmetic(drawn):
    net = network(*drawn)
    found = freedom(net, frame(net))
    rank, rows = exact_rank(*drawn)
    assert found.count == int(net.free.sum()) * net.drawn.shape[1] - rank
    assert found.redundant == rows - rank


@always(50)
@given(frames())
def test_freedoms_less_self_stresses_are_unknowns_less_rows(drawn):
    """Grübler's count, which is right once repeated rows are taken off."""
    net = network(*drawn)
    rows, unknowns = jacobian(net, frame(net)).shape
    found = freedom(net, frame(net))
    assert found.count - found.redundant == unknowns - rows
    assert found.rigid <= found.count
    kept = found.count if drawn[2] else found.count - found.rigid
    assert len(found.modes) == min(kept, 12)


@always(50)
@given(frames())
def test_modes_keep_every_length_and_are_across_each_other(drawn):
    net = network(*drawn)
    rows = jacobian_at(net, net.drawn, frame(net).elongations)
    modes = freedom(net, frame(net)).modes
    np.testing.assert_allclose(rows.matrix @ rows.gathered(modes), 0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(modes, axis=2).max(axis=1, initial=0), 1, rtol=1e-14)
    flat = modes.reshape(len(modes), net.drawn.size)
    np.testing.assert_allclose(flat @ flat.T, np.diag((flat**2).sum(axis=1)), atol=1e-12)


@always(50)
@given(frames(), seeds, st.integers(-6, 6))
def test_freedoms_do_not_depend_on_place_size_and_numbering(drawn, seed, power):
    places, bars, grounded = drawn
    rng = np.random.default_rng(seed)
    turn = Rotation.random(random_state=rng).as_matrix()
    if places.shape[1] == 2:
        turn = Rotation.from_euler("z", rng.uniform(0, 6)).as_matrix()[:2, :2]
    moved = 10.0**power * (places @ turn.T + rng.normal(size=places.shape[1]))
    order = np.concatenate([np.arange(grounded), grounded + rng.permutation(len(places) - grounded)])
    place = np.argsort(order)
    renamed = [(int(place[a]), int(place[b])) for a, b in rng.permutation(np.array(bars)).tolist()]
    before, after = network(*drawn), network(moved[order], renamed, grounded)
    one, other = freedom(before, frame(before)), freedom(after, frame(after))
    assert (one.count, one.rigid, one.redundant) == (other.count, other.rigid, other.redundant)
    np.testing.assert_allclose(one.singular, other.singular, rtol=1e-6)


@always(30)
@given(
    st.integers(1, 6),
    st.integers(1, 6),
    st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=20),
)
def test_a_braced_grid_moves_as_the_graph_of_its_braces(width, height, braces):
    """A brace joins its row of squares with its column: each part of that graph turns by itself."""
    braces = [(i, j) for i, j in braces if i < width and j < height]
    places = np.array([(i, j) for i in range(width + 1) for j in range(height + 1)], float)
    at = lambda i, j: i * (height + 1) + j  # noqa: E731
    bars = [(at(i, j), at(i + 1, j)) for i in range(width) for j in range(height + 1)]
    bars += [(at(i, j), at(i, j + 1)) for i in range(width + 1) for j in range(height)]
    bars += [(at(i, j), at(i + 1, j + 1)) for i, j in braces]
    net = network(places, bars, 0)
    joined = np.array(braces, int).reshape(-1, 2) + np.array([0, width])
    graph = coo_array((np.ones(len(joined)), joined.T), (width + height,) * 2)
    parts = connected_components(graph, directed=False)[0]
    found = freedom(net, frame(net))
    assert (found.count, found.rigid) == (3 + parts - 1, 3)
    assert found.redundant == len(braces) - (width + height - parts)


@always(50)
@given(frames(), seeds)
def test_the_internal_load_is_what_is_left_of_the_elongations(drawn, seed):
    places, bars, grounded = drawn
    rng = np.random.default_rng(seed)
    exact = network(*drawn)
    lengths = exact.drive.rest[0] + 1e-7 * rng.choice([-1, 1], len(bars)) * rng.uniform(0.5, 1, len(bars))
    net = network(places, bars, grounded, lengths)
    rows = jacobian_at(net, net.drawn, frame(net).elongations)
    matrix = rows.matrix.toarray()
    left = rows.over - matrix @ np.linalg.lstsq(matrix, rows.over, rcond=1e-9)[0]
    np.testing.assert_allclose(internal_load(net, frame(net))[rows.owners], left, atol=1e-10)


@always(50)
@given(frames(), seeds)
def test_lengths_that_can_be_met_carry_no_load(drawn, seed):
    net = network(*drawn)
    away = np.random.default_rng(seed).normal(size=net.drawn.shape) * net.free[:, None]
    load = internal_load(net, frame(net, net.drawn + 1e-3 * away))
    assert np.abs(load).max() <= 1e-7 * scale(net)
