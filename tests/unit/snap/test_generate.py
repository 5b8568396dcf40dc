"""Fasteners by their dimensions: drawn as they say, exact, and apart at the start."""

import math
from fractions import Fraction

import numpy as np
import pytest
import shapely
from tests.crosscheck.stepping import walk

from pliant.core.errors import PliantError
from pliant.snap.generate import (
    FRICTIONS,
    cantilever_hook,
    many_features,
    motion_diode,
    random_fastener,
    ratchet,
    two_hooks,
)
from pliant.snap.model import Beam, Fastener

MADE = {
    "two hooks": two_hooks(Fraction(3, 10)),
    "a motion diode": motion_diode(),
    "a rack": ratchet(3),
    "a rack of blocks": ratchet(3, blocks=True),
    "a cantilever hook": cantilever_hook(),
    "many features": many_features(20_000),
    "at random": random_fastener(0),
}


def obstacles(model):
    rings = [np.array(model.outline(part), float) + np.array(part.at, float) for part in model.obstacles]
    return shapely.polygons([shapely.linearrings(ring) for ring in rings])


def movers(model):
    """The pawls at rest, and the root if it has an outline."""
    found = []
    for pawl in model.pawls:
        cosine, sine = map(float, pawl.rest.matrix)
        ring = np.array(model.outline(pawl), float) @ [[cosine, sine], [-sine, cosine]]
        found.append(shapely.Polygon(ring + np.array(pawl.hinge, float)))
    return found + ([shapely.Polygon(model.root.outline)] if model.root.outline else [])


@pytest.mark.parametrize("model", MADE.values(), ids=MADE)
def test_a_fastener_read_from_what_it_writes_is_the_same(model):
    assert Fastener.model_validate(model.model_dump(mode="json")) == model


@pytest.mark.parametrize("model", MADE.values(), ids=MADE)
def test_nothing_touches_at_the_start(model):
    assert min(shapely.distance(obstacles(model), part).min() for part in movers(model)) >= 0.25


# The paper's two


def test_donald_fig_3_the_hooks_mirror_each_other():
    left, right = two_hooks().pawls
    assert [(-x, y) for x, y in left.outline] == list(right.outline)
    assert (-left.hinge[0], left.hinge[1]) == right.hinge


def test_donald_fig_3_the_right_arm_of_the_t_drops():
    sides = [shapely.box(0, -20, 9, 20), shapely.box(-9, -20, 0, 20)]
    even, dropped = (shapely.union_all(obstacles(two_hooks(drop=drop))) for drop in (0, 5))
    grown = [shapely.area(dropped & side) - shapely.area(even & side) for side in sides]
    assert grown == [10.0, 0.0]


def test_donald_fig_3_behind_a_dropped_arm_the_right_hook_is_still_held_when_the_root_collides():
    walked = walk(two_hooks(drop=5))
    assert walked.end.cause == "root"
    assert walked.end.t == pytest.approx(8, abs=1e-6)
    left, right = (track.angle[-1] for track in walked.tracks)
    assert left == 0
    assert right > 0.1


def test_donald_fig_5_b_and_c_extend_as_bars_from_where_they_ended():
    short, long = (obstacles(motion_diode(reach=reach)) for reach in (None, 200))
    assert shapely.equals(short[0], long[0])
    for before, after in zip(short[1:], long[1:], strict=True):
        assert shapely.covers(after, before)
    assert shapely.total_bounds(long).tolist() == [-200, -3, 200, 3]
    added = shapely.difference(long[1:], short[1:])
    np.testing.assert_allclose(shapely.area(added), [194 * 1, 195 * 2])


# Racks


def test_a_pawl_clicks_over_every_tooth_where_its_tip_swings_past_the_peak():
    walked = walk(ratchet(2))
    assert walked.end.cause == "through"
    swung = math.sqrt(3**2 + 5**2 - 4.25**2)  # the hinge is 4 1/4 above the peaks, √34 from the tip
    assert [snap.t for snap in walked.tracks[0].snaps] == pytest.approx([swung, 2 + swung], abs=1e-6)


@pytest.mark.parametrize("blocks", [False, True])
def test_a_pawl_jams_in_a_valley_on_the_way_back(blocks):
    walked = walk(ratchet(1, blocks=blocks), reverse=True)
    assert walked.end.cause == "jam"
    assert walked.tracks[0].angle[-1] > 0  # pushed into the valley, not out of it


def test_blocks_cover_what_the_rack_does():
    whole, blocks = (obstacles(ratchet(5, blocks=blocks)) for blocks in (False, True))
    assert (len(whole), len(blocks)) == (1, 6)
    assert shapely.equals(whole[0], shapely.union_all(blocks))
    assert shapely.area(blocks).sum() == shapely.area(whole[0])


@pytest.mark.parametrize(("teeth", "depth"), [(0, 1), (3, Fraction(1, 4)), (3, 2)])
def test_racks_that_a_pawl_does_not_click_over_are_refused(teeth, depth):
    with pytest.raises(PliantError, match=f"{teeth} teeth {depth} deep: give at least 1"):
        ratchet(teeth, depth=depth)


# Hooks


@pytest.mark.parametrize(
    ("ramp", "undercut", "retention"),
    [(Fraction(1, 2), 1, 1), (Fraction(1, 3), Fraction(1, 2), 4), (1, 2, Fraction(1, 4))],
)
def test_a_bump_has_the_slopes_and_the_undercut_asked_for(ramp, undercut, retention):
    model = cantilever_hook(ramp, undercut, retention)
    (top, peak, under, foot), edge = model.obstacles[0].outline[:4], model.pawls[0].outline[2][0]
    assert edge - peak[0] == undercut
    assert (top[0] - peak[0]) / (top[1] - peak[1]) == ramp
    assert (foot[0] - under[0]) / (under[1] - foot[1]) == retention


@pytest.mark.parametrize("reverse", [False, True])
def test_the_edge_of_the_hook_alone_slides_up_the_bump_along_its_top_and_down(reverse):
    walked = walk(cantilever_hook(retention=2, friction=0), reverse)
    (track,) = walked.tracks
    assert walked.end.cause == "through"
    assert [[pair[:2] for pair in change.pairs] for change in track.contacts()] == [
        [],
        [("B", 2)],
        [("B", 2)],
        [("B", 2)],
        [],
    ]


def test_a_hook_on_a_beam_has_no_stiffness_of_its_own():
    beam = Beam(length=10, thickness=1, width=6, modulus=2000)
    (pawl,) = cantilever_hook(beam=beam).pawls
    assert (pawl.beam, pawl.stiffness) == (beam, None)


def test_hooks_whose_own_face_would_slide_are_refused():
    with pytest.raises(PliantError, match="retention 5, undercut 1, length 10: give positive numbers"):
        cantilever_hook(retention=5)


# Random ones


def test_a_seed_makes_the_same_fastener_again_and_another_a_different_one():
    assert random_fastener(7) == random_fastener(7)
    assert random_fastener(7).obstacles != random_fastener(8).obstacles


def test_random_fasteners_are_of_every_kind_and_apart_at_the_start():
    models = [random_fastener(seed) for seed in range(60)]
    assert {len(model.pawls) for model in models} == {1, 2}
    assert {len(model.obstacles) for model in models} == {1, 2, 3, 4}
    assert {model.friction for model in models} == set(FRICTIONS)
    assert {model.root.outline is None for model in models} == {True, False}
    every = np.concatenate([obstacles(model) for model in models])
    bent = shapely.area(shapely.convex_hull(every)) > shapely.area(every) + 0.01
    assert set(bent.tolist()) == {True, False}
    for model in models:
        areas = obstacles(model)
        assert min(shapely.distance(areas, part).min() for part in movers(model)) >= 0.25
        assert shapely.area(shapely.union_all(areas)) == pytest.approx(shapely.area(areas).sum())


# Many features


def test_a_million_pairs_are_a_hundred_vertices_by_ten_thousand_edges():
    model = many_features(1_000_000)
    edges = sum(len(model.outline(part)) for part in model.obstacles)
    assert len(model.pawls[0].outline) == 100
    assert edges == pytest.approx(10_000, abs=10)


def test_what_is_far_is_out_of_reach_and_what_is_near_does_not_change_with_the_number():
    few, many = many_features(20_000), many_features(200_000)
    assert few.pawls == many.pawls
    assert few.obstacles[0] == many.obstacles[0]
    (shoe,) = many.pawls
    start, reach = np.array(shoe.hinge, float), np.hypot(*np.array(shoe.outline, float).T).max()
    path = shapely.LineString([start, start + np.array([float(many.root.until), 0])])
    areas = obstacles(many)
    assert shapely.distance(areas[0], path) < reach
    assert shapely.distance(areas[1:], path).min() > reach
    assert shapely.area(shapely.union_all(areas)) == pytest.approx(shapely.area(areas).sum())
