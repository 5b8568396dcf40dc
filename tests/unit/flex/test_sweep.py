"""The way between poses: nothing gets through anything, and the bound is one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from pliant.core.pose import carry
from pliant.flex.contact import sweep
from pliant.flex.contact.insets import Insets
from pliant.flex.contact.neighbours import find_neighbours
from pliant.flex.contact.point_paths import Paths
from pliant.flex.contact.sweep import approaching_vertices, find_crossings
from pliant.flex.geometry.parts import Parts, compile_parts
from pliant.flex.model import Assembly


def box(left, bottom, right, top):
    return [[left, bottom], [right, bottom], [right, top], [left, top]]


def parts_of(*bodies: dict, **rest) -> Parts:
    return compile_parts(Assembly.model_validate({"bodies": list(bodies), **rest}))


def met(parts: Parts, moves: dict[str, tuple[float, float, float]], allowed: float = 0.01, frames: int = 1):
    """What is run into when bodies go straight by so much, by all vertices that come near."""
    end = parts.drawn.copy()
    for name, move in moves.items():
        end[parts.index(name)] += move
    way = parts.drawn + np.linspace(0, 1, frames + 1)[:, None, None] * (end - parts.drawn)
    vertex, body = approaching_vertices(parts, way, np.zeros((0, 2), np.int64))
    ways = Paths.of_vertices(parts, parts.user_poses(way), vertex, body)
    return find_crossings(Insets(parts, allowed), ways)


WALL = {"name": "wall", "outline": box(2, -5, 2.5, 5), "fixed": True}


def test_a_block_that_would_be_beyond_a_wall_has_run_into_it():
    parts = parts_of(WALL, {"name": "block", "outline": box(-1, -1, 1, 1)})
    found = met(parts, {"block": (6.0, 0.0, 0.0)})
    assert found.any
    hit = found.edge[parts.outlines.body[found.vertex] == 1]
    assert len(hit)
    assert parts.outlines.normal[hit] == pytest.approx(np.tile([-1.0, 0.0], (len(hit), 1)))


def test_a_block_that_stops_before_the_wall_has_not():
    parts = parts_of(WALL, {"name": "block", "outline": box(-1, -1, 1, 1)})
    found = met(parts, {"block": (1.0, 0.0, 0.0)})
    assert not found.any
    assert found.depth < 0.01


@pytest.mark.parametrize("turned", [0.0, np.pi / 4])
@pytest.mark.parametrize("share", [0.001, 0.01, 0.02, 0.05, 0.09, 0.2, 0.5, 0.75])
@pytest.mark.parametrize("many", [False, True])
def test_how_deep_a_block_gets_is_no_more_than_is_said(share, turned, many, monkeypatch):
    """By a face and by a corner of it, at every depth that is allowed."""
    if many:
        monkeypatch.setattr(sweep, "CROSSOVER", 0)
    block = {"name": "block", "outline": box(-1, -1, 1, 1), "pose": [0, 0, turned]}
    reach = np.sqrt(2) if turned else 1.0
    found = met(parts_of(WALL, block), {"block": (2 - reach + 0.01 * share, 0.0, 0.0)})
    assert not found.any
    assert found.depth >= 0.01 * share


@pytest.mark.parametrize("shift", [0.0, 1e-4, -1e-4])
def test_bodies_of_one_height_do_not_pass_though_no_corner_gets_inside(shift):
    """Corners run along edges' very lines; those of the inset end face are what gets inside."""
    parts = parts_of(
        {"name": "still", "outline": box(2, -1, 3, 1), "fixed": True},
        {"name": "block", "outline": box(-1, -1 + shift, 1, 1 + shift)},
    )
    assert met(parts, {"block": (8.0, 0.0, 0.0)}, allowed=0.001).any


def test_a_body_that_only_turns_is_followed_along_its_arc():
    """Its chord stays clear of the post that its corner sweeps over."""
    post = {"name": "post", "outline": box(-0.05, 1.38, 0.05, 3), "fixed": True}
    parts = parts_of(post, {"name": "square", "outline": box(-1, -1, 1, 1)})
    assert met(parts, {"square": (0.0, 0.0, np.pi / 2)}, allowed=0.001).any
    assert not met(parts, {"square": (0.0, 0.0, 0.2)}, allowed=0.001).any


def test_the_way_is_that_of_the_frame_the_body_was_drawn_in():
    """About a far origin a straight way of the frame is an arc of the body."""
    ring = [[x + 40.0, y] for x, y in box(-1, -1, 1, 1)]
    far = {"name": "block", "outline": ring, "pose": [-40, 0, 0]}
    post = {"name": "post", "outline": box(-0.2, 1.3, 0.2, 2), "fixed": True}
    parts = parts_of(post, far)
    way = np.stack([parts.drawn, parts.drawn])
    users = np.array([[-40.0, 0.0, 0.0], [-40.0, 0.0, 0.3]])
    way[:, 1, :2] = carry(users, np.array([40.0, 0.0]))
    way[:, 1, 2] = users[:, 2]
    vertex, body = approaching_vertices(parts, way, np.zeros((0, 2), np.int64))
    ways = Paths.of_vertices(parts, parts.user_poses(way), vertex, body)
    assert find_crossings(Insets(parts, 0.001), ways).any


def test_bodies_joined_by_a_pin_lie_in_different_layers():
    pin = {"bodies": ["wall", "block"], "at": [0, 0]}
    parts = parts_of(WALL, {"name": "block", "outline": box(-1, -1, 1, 1)}, pins=[pin])
    assert not met(parts, {"block": (6.0, 0.0, 0.0)}).any


def convex(chance: np.random.Generator) -> shapely.Polygon:
    return shapely.MultiPoint(chance.normal(size=(6, 2))).convex_hull


def star(chance: np.random.Generator) -> shapely.Polygon:
    """With sharp corners and notches between them."""
    angle = np.sort(chance.uniform(0, 2 * np.pi, 7))
    return shapely.Polygon((chance.uniform(0.3, 2.0, 7) * np.array([np.cos(angle), np.sin(angle)])).T)


def random_bodies(chance: np.random.Generator, outline=convex) -> list[dict]:
    """A few parts that do not overlap, one of them fixed."""
    made: list[dict] = []
    drawn: list[shapely.Polygon] = []
    while len(made) < 3:
        part = shapely.transform(outline(chance), lambda points: points + chance.uniform(-4, 4, 2))
        if part.is_valid and all(part.distance(other) > 0.05 for other in drawn):
            drawn.append(part)
            ring = shapely.get_coordinates(part.exterior)[:-1].tolist()
            made.append({"name": f"b{len(made)}", "outline": ring, "fixed": not made})
    return made


ALLOWED = 0.02


def found_and_overlap(seed: int, outline=convex) -> tuple[Any, float]:
    """What random bodies run into on a random way, and the widest overlap by shapely at 200 places of it."""
    chance = np.random.default_rng(seed)
    parts = parts_of(*random_bodies(chance, outline))
    moves = {name: (*chance.uniform(-4, 4, 2), chance.uniform(-0.5, 0.5)) for name in parts.names[1:]}
    widest = 0.0
    end = parts.drawn.copy()
    for name, move in moves.items():
        end[parts.index(name)] += move
    users = parts.user_poses(parts.drawn + np.linspace(0, 1, 9)[:, None, None] * (end - parts.drawn))
    for t in np.linspace(0, 8, 200):
        k = min(int(t), 7)
        poses = users[k] + (t - k) * (users[k + 1] - users[k])
        shapes = [
            shapely.Polygon(carry(poses[b], parts.shapes[s][0] - parts.origins[b]))
            for b, s in enumerate(parts.shape_of)
        ]
        for a in range(3):
            for b in range(a):
                shared = shapes[a].intersection(shapes[b])
                if shared.area > 0:
                    widest = max(widest, 2 * shapely.maximum_inscribed_circle(shared, 1e-3).length)
    return met(parts, moves, ALLOWED, frames=8), widest


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 2**32 - 1), st.sampled_from([convex, star]))
def test_what_is_run_into_is_what_polygons_overlap_in_between(seed, outline):
    """No overlap is missed, and none is made up."""
    found, widest = found_and_overlap(seed, outline)
    if widest > 1.01 * ALLOWED:
        assert found.any
    if not found.any:
        assert widest <= 1.01 * found.depth + 1e-9


SLIPPING = 243067675  # each vertex crosses the other's corner less deep than is allowed; then edges overlap


def test_two_corners_that_slip_past_each_other_are_found_by_their_edges():
    assert found_and_overlap(SLIPPING)[0].any


def test_two_corners_that_slip_past_each_other_overlap_by_more_than_is_allowed():
    assert found_and_overlap(SLIPPING)[1] > 3 * ALLOWED


def test_compiled_and_not_the_same_ways_are_followed(monkeypatch):
    chance = np.random.default_rng(3)
    for _ in range(40):
        parts = parts_of(*random_bodies(chance))
        moves = {name: (*chance.uniform(-3, 3, 2), chance.uniform(-0.5, 0.5)) for name in parts.names[1:]}
        plain = met(parts, moves, frames=3)
        monkeypatch.setattr(sweep, "CROSSOVER", 0)
        compiled = met(parts, moves, frames=3)
        monkeypatch.undo()
        assert set(zip(plain.vertex, plain.body, plain.edge, strict=True)) == set(
            zip(compiled.vertex, compiled.body, compiled.edge, strict=True)
        )


def test_compiled_and_not_the_same_bodies_come_near_each_other(monkeypatch):
    """Thirty blocks on a long way, some pairs of them known."""
    chance = np.random.default_rng(5)
    places = [(x, y) for x in range(0, 24, 4) for y in range(0, 20, 4)]
    bodies = [
        {"name": f"b{k}", "outline": box(x, y, x + 1, y + 1), "fixed": k % 3 == 0}
        for k, (x, y) in enumerate(places)
    ]
    parts = parts_of(*bodies)
    moved = chance.normal(size=(20, *parts.drawn.shape)) * (parts.moving >= 0)[:, None]
    frames = np.concatenate([parts.drawn[None], parts.drawn + np.cumsum(0.3 * moved, axis=0)])
    known = np.array([[0, 1], [1, 2], [7, 12]])
    plain = approaching_vertices(parts, frames, known)
    assert len(plain[0]) > 50
    monkeypatch.setattr(sweep, "TOGETHER", 0)
    halved = approaching_vertices(parts, frames, known)
    assert np.array_equal(plain, halved)
    monkeypatch.setattr(sweep, "CROSSOVER", 0)
    compiled = approaching_vertices(parts, frames, known)
    assert np.array_equal(plain[0], compiled[0])
    assert np.array_equal(plain[1], compiled[1])
    for body, other in known:
        assert not (parts.outlines.body[plain[0][plain[1] == body]] == other).any()


def test_bodies_that_go_round_together_hardly_bend_each_others_ways():
    """The bound is one, and no more than twice what the way does: p'' by differences of its places."""
    parts = parts_of(
        {"name": "ground", "outline": box(-1, -9, 1, -8), "fixed": True},
        {"name": "left", "outline": box(3, -1, 5, 1)},
        {"name": "right", "outline": box(5, -1, 7, 1)},
    )
    turn = 0.08
    poses = np.stack([parts.user_poses(parts.drawn)] * 2)
    poses[1, 1:] += (0.0, 0.0, turn)
    poses[1, 1:, :2] += carry(np.array([0.0, 0.0, turn]), parts.drawn[1:3, :2]) - parts.drawn[1:3, :2]
    vertex = np.flatnonzero(parts.outlines.body == 1)
    ways = Paths.of_vertices(parts, poses, vertex, np.full(len(vertex), 2))
    places = np.stack(ways.seen(64), axis=-1)
    bend = np.hypot(*np.moveaxis(np.diff(places, n=2, axis=0), 2, 0)).max(axis=0) * 64**2
    assert (bend <= 1.0001 * ways.curvature).all()
    assert (ways.curvature <= 2 * bend).all()


def test_only_vertices_that_go_as_far_as_they_are_away_are_followed(monkeypatch):
    """Of a block that turns beside a wall, at distances from none to twice its travel; compiled or not."""
    parts = parts_of(WALL, {"name": "block", "outline": box(-1, -1, 1, 1)})
    end = parts.drawn.copy()
    end[1] += (0.3, 0.1, 0.4)
    frames = parts.drawn + np.linspace(0, 1, 11)[:, None, None] * (end - parts.drawn)
    vertex = np.repeat(np.flatnonzero(parts.outlines.body == 1), 41)
    body = np.zeros(len(vertex), np.int64)
    ways = Paths.of_vertices(parts, parts.user_poses(frames), vertex, body)
    x, y = ways.seen(64)
    travel = np.hypot(x - x[0], y - y[0]).max(axis=0)
    share = np.tile(np.linspace(0, 2, 41), 4)
    asked = (parts, np.zeros(len(vertex)), frames, parts.drawn, vertex, body, share * travel)
    for many in (False, True):
        if many:
            monkeypatch.setattr(sweep, "CROSSOVER", 0)
        kept = sweep.ways_near(*asked).row
        assert np.isin(np.flatnonzero(share <= 1), kept).all()
        assert not np.isin(np.flatnonzero(share > 1.2), kept).any()


def test_bodies_that_are_no_neighbours_but_meet_on_the_way_are_found():
    parts = parts_of(WALL, {"name": "block", "outline": box(-90, -1, -88, 1)})
    near = find_neighbours(parts, parts.drawn, 1.0)
    assert not len(near.pairs)
    end = parts.drawn.copy()
    end[1, 0] += 200
    vertex, body = approaching_vertices(parts, np.stack([parts.drawn, end]), near.pairs)
    assert set(body) == {0, 1}
    assert len(vertex) == 8
    beside = replace(parts, drawn=parts.drawn)
    end[1] = beside.drawn[1] + (0, 200, 0)
    assert not len(approaching_vertices(parts, np.stack([parts.drawn, end]), near.pairs)[0])
