"""The contacts selected by lists and by trees are those of a search that looks at every edge."""

from __future__ import annotations

from math import cos, hypot, inf, sin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pliant.flex.contact import neighbours
from pliant.flex.contact import selection as contact
from pliant.flex.contact.nearest import FACING, TIE, Nearest, nearest
from pliant.flex.contact.neighbours import NONE, Candidates, Hints, find_neighbours
from pliant.flex.generate import bar, jigsaw, voxels
from pliant.flex.geometry.parts import Parts, compile_parts
from pliant.flex.model import Assembly, Body, Pin

seeds = st.integers(0, 9999)
some = settings(max_examples=8, deadline=None, derandomize=True)
FAMILIES = ("blobs", "discs", "combs", "jigsaw", "voxels")
LISTS = pytest.mark.parametrize("kind", [Candidates, Hints])


def star(rng: np.random.Generator, corners: int, ragged: float) -> np.ndarray:
    """A ring about the origin, as far from it as 0.5 to 1."""
    angle = 2 * np.pi * np.arange(corners) / corners
    radius = 1 - 0.5 * ragged * rng.random(corners)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def comb(teeth: int) -> np.ndarray:
    """Slots in which walls face each other."""
    up = [(x + dx, y) for x in range(teeth) for dx, y in ((0, 1.2), (0.3, 1.2), (0.3, 0.2), (1, 0.2))]
    return np.array([(0, 0), (teeth, 0), (teeth, 0.2), *up[-2::-1]]) * 0.4


def scattered(family: str, rng: np.random.Generator) -> Assembly:
    """Bodies strewn so densely that many are near each other, and some overlap."""
    bodies: list[Body] = []
    for place in range(int(rng.integers(2, 8))):
        if family == "blobs":
            ring = star(rng, int(rng.integers(3, 12)), 1.0)
        elif family == "discs":
            ring = rng.uniform(0.2, 1.0) * star(rng, int(rng.integers(3, 60)), 0.0)
        else:
            ring = comb(int(rng.integers(1, 5)))
        pose = (*rng.uniform(-1.5, 1.5, 2), float(rng.choice([0.0, np.pi / 2, rng.uniform(-3, 3)])))
        fixed = place == 0 or rng.random() < 0.2
        bodies.append(Body(name=f"b{place}", outline=ring.tolist(), pose=pose, fixed=fixed))
    if family == "discs":
        frame, hole = [[-4, -4], [4, -4], [4, 4], [-4, 4]], (2.5 * star(rng, 40, 0.0)).tolist()
        bodies.append(Body(name="frame", outline=frame, holes=(hole,), fixed=True))
    pins = (Pin(bodies=("b0", "b1"), at=(0, 0)),) if rng.random() < 0.3 else ()
    return Assembly(bodies=tuple(bodies), pins=pins)


def parts_of(family: str, seed: int) -> Parts:
    rng = np.random.default_rng(seed)
    if family == "jigsaw":
        model = jigsaw(2, 2, vertices=60, clearance=float(rng.uniform(0.1, 2.5)), seed=seed)
    elif family == "voxels":
        model = voxels(bar(3, 2), rng.choice(["puzzle", "dovetail"]), clearance=0.02, seed=seed)
    else:
        model = scattered(family, rng)
    return compile_parts(model)


def shaken(parts: Parts, near: neighbours.Neighbours, seed: int) -> np.ndarray:
    """Poses as far from the drawn ones as the neighbours hold, by halving a random motion."""
    rng = np.random.default_rng(seed)
    step = near.margin * rng.uniform(-1, 1, (len(parts.free), 3))
    step[:, 2] /= parts.radius.max()
    poses = parts.drawn.copy()
    poses[parts.free] += step
    while not near.still_hold(parts, poses):
        step *= 0.7
        poses[parts.free] = parts.drawn[parts.free] + step
    return poses


def looked_at_every_edge(parts: Parts, poses: np.ndarray, reach: float) -> dict[tuple[int, int], tuple]:
    """(vertex, body) within reach: where the vertex is seen, nearest edge, along, height, facing edge."""
    found = {}
    owner, lines = parts.outlines.body, parts.outlines
    for v in np.flatnonzero(lines.convex).tolist():
        a = int(owner[v])
        for b in range(parts.count):
            both_held = parts.moving[a] < 0 and parts.moving[b] < 0
            if a == b or both_held or (min(a, b), max(a, b)) in parts.exempt:
                continue
            u, w = seen_by(poses[a].tolist(), poses[b].tolist(), lines.point[v].tolist())
            edges = [measured(lines, e, u, w) for e in np.flatnonzero(owner == b).tolist()]
            found[v, b] = (u, w, *nearest_of(edges, reach, lines.normal))
    return {key: value for key, value in found.items() if value[2] != NONE}


def seen_by(mine, other, point) -> tuple[float, float]:
    x = cos(mine[2]) * point[0] - sin(mine[2]) * point[1] + mine[0] - other[0]
    y = sin(mine[2]) * point[0] + cos(mine[2]) * point[1] + mine[1] - other[1]
    return cos(other[2]) * x + sin(other[2]) * y, cos(other[2]) * y - sin(other[2]) * x


def measured(lines, e: int, u: float, w: float) -> tuple[int, float, float, float, bool]:
    """An edge: how far along it a point is, how high above it, its distance, whether it is over it."""
    dx, dy, (tx, ty), length = u - lines.point[e, 0], w - lines.point[e, 1], lines.tangent[e], lines.length[e]
    along, height = dx * tx + dy * ty, dx * ty - dy * tx
    distance = hypot(max(-along, along - length, 0.0), height)
    return e, along, height, distance, bool(0 <= along <= length and height >= 0)


def nearest_of(edges, reach: float, normal) -> tuple[int, float, float, int]:
    tie, least = TIE * reach, min(distance for *_, distance, _ in edges)
    if least > reach + tie:
        return NONE, inf, inf, NONE
    tied = [edge for edge in edges if edge[3] <= least + tie]
    tied = [edge for edge in tied if edge[2] >= max(each[2] for each in tied) - tie]
    best = next(edge for edge in tied if edge[1] <= min(each[1] for each in tied) + tie)
    walls = [
        edge for edge in edges if edge[4] and edge[2] <= reach and normal[edge[0]] @ normal[best[0]] < FACING
    ]
    return best[0], best[1], best[2], min(walls, key=lambda wall: wall[2])[0] if walls else NONE


def near_of(parts: Parts, poses: np.ndarray, reach: float, kind: type) -> neighbours.Neighbours:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbours, "_many", lambda *_: kind is Hints)
        patch.setattr(neighbours, "CROSSOVER", 0 if kind is Hints else 10**9)
        near = find_neighbours(parts, poses, reach)
    assert isinstance(near.edges, kind)
    return near


@pytest.mark.few(2)
@LISTS
@pytest.mark.parametrize("family", FAMILIES)
@given(seeds, st.sampled_from([0.1, 0.5, 2.0]))
@some
def test_the_nearest_edges_and_facing_walls_are_those_of_a_look_at_every_edge(kind, family, seed, reach):
    parts = parts_of(family, seed)
    near = near_of(parts, parts.drawn, reach, kind)
    poses = shaken(parts, near, seed)
    found = nearest(parts, poses, near)
    expected = looked_at_every_edge(parts, poses, reach)
    keys = list(zip(near.vertex[found.group].tolist(), near.body[found.group].tolist(), strict=True))
    assert keys == sorted(expected)
    assert found.edge.tolist() == [expected[key][2] for key in keys]
    assert found.facing.tolist() == [expected[key][5] for key in keys]
    numbers = np.column_stack([found.seen, found.along, found.height])
    wanted = [[value[place] for place in (0, 1, 3, 4)] for value in map(expected.get, keys)]
    assert np.allclose(numbers, np.reshape(wanted, (-1, 4)), rtol=0, atol=1e-12 * parts.extent)


@pytest.mark.parametrize("family", FAMILIES)
@given(seeds, st.sampled_from([0.1, 0.5, 2.0]))
@some
def test_lists_and_trees_give_the_same_rows_step_after_step(family, seed, reach):
    parts = parts_of(family, seed)
    ways = [near_of(parts, parts.drawn, reach, kind) for kind in (Candidates, Hints)]
    assert np.array_equal(ways[0].keys, ways[1].keys)
    assert np.array_equal(ways[0].pairs, ways[1].pairs)
    chosen: list[contact.Selection | None] = [None, None]
    for step in range(3):
        poses = shaken(parts, ways[0], seed + step)
        chosen = [contact.select(parts, poses, near, old) for near, old in zip(ways, chosen, strict=True)]
        one, other = chosen
        for name in ("group", "edge", "both", "corner", "other_edge"):
            assert np.array_equal(getattr(one, name), getattr(other, name)), name
        assert np.array_equal(one.rows.offset, other.rows.offset)


def test_a_body_with_no_neighbours_that_comes_near_others_is_noticed():
    """A block between two others that are near each other; it comes from where nothing is near."""
    box = ((0, 0), (1, 0), (1, 1), (0, 1))
    bodies = [Body(name="floor", outline=box, fixed=True), Body(name="block", outline=box, pose=(1.1, 0, 0))]
    parts = compile_parts(Assembly(bodies=(*bodies, Body(name="far", outline=box, pose=(9, 0, 0)))))
    near = find_neighbours(parts, parts.drawn, 0.2)
    assert near.pairs.tolist() == [[0, 1]]
    poses = parts.drawn.copy()
    poses[2, 0] = parts.drawn[1, 0] + 1.1
    assert not near.still_hold(parts, poses)
    poses[2, 0] = parts.drawn[1, 0] + 5
    assert near.still_hold(parts, poses)


def test_a_vertex_as_far_from_all_sides_of_a_hole_has_one_nearest_edge_all_the_same():
    """The tip of a needle in the middle of a round hole is as near to each of its hundred sides."""
    angle = 2 * np.pi * np.arange(100) / 100
    hole = np.column_stack([np.cos(angle), np.sin(angle)])
    frame = Body(
        name="frame", outline=((-2, -2), (2, -2), (2, 2), (-2, 2)), holes=(hole.tolist(),), fixed=True
    )
    needle = Body(name="needle", outline=((0, 0), (0.4, -0.05), (0.4, 0.05)))
    parts = compile_parts(Assembly(bodies=(frame, needle)))
    tip = int(np.argmin(parts.outlines.point[:, 0] + 1e3 * (parts.outlines.body == 0)))
    found: list[Nearest] = []
    for kind in (Candidates, Hints):
        near = near_of(parts, parts.drawn, 1.5, kind)
        found.append(nearest(parts, parts.drawn, near))
        at_tip = near.vertex[found[-1].group] == tip
        assert found[-1].edge[at_tip] == [looked_at_every_edge(parts, parts.drawn, 1.5)[tip, 0][2]]
    assert np.array_equal(found[0].edge, found[1].edge)
    assert np.array_equal(found[0].facing, found[1].facing)
