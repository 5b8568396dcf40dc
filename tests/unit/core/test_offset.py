"""Offsets of regions, edge by edge."""

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from pliant.core.offset import offset_region

ELL = shapely.Polygon([(0, 0), (30, 0), (30, 10), (10, 10), (10, 30), (0, 30)])


@given(st.floats(0.001, 4))
def test_an_ell_grows_and_shrinks_by_the_width_on_every_side(width: float):
    (grown,), (shrunk,) = offset_region(ELL, width), offset_region(ELL, -width)
    outside = [(-width, -width), (30 + width, -width), (30 + width, 10 + width), (10 + width, 10 + width)]
    outside += [(10 + width, 30 + width), (-width, 30 + width)]
    assert grown.normalize().equals_exact(shapely.Polygon(outside).normalize(), 1e-12)
    inside = [(width, width), (30 - width, width), (30 - width, 10 - width), (10 - width, 10 - width)]
    inside += [(10 - width, 30 - width), (width, 30 - width)]
    assert shrunk.normalize().equals_exact(shapely.Polygon(inside).normalize(), 1e-12)


def test_vertices_that_are_nearly_on_a_line_are_kept():
    dented = shapely.Polygon([(0, 0), (10, 0), (10, 10), (5, 10 - 5e-4), (0, 10)])
    (grown,) = offset_region(dented, 1.0)
    corners = shapely.get_coordinates(grown)
    assert np.hypot(*(corners - [5, 11 - 5e-4]).T).min() < 1e-7


def test_a_wall_as_thin_as_the_cut_is_gone_and_a_waist_breaks():
    assert offset_region(shapely.box(0, 0, 10, 1), -0.5) == []
    waist = shapely.union_all(
        [shapely.box(0, 0, 4, 4), shapely.box(4, 1.9, 8, 2.1), shapely.box(8, 0, 12, 4)]
    )
    assert len(offset_region(waist, -0.2)) == 2


def test_needle_corners_are_cut_off_and_others_kept():
    needle = shapely.Polygon([(0, 0), (100, 1), (100, -1)])
    (grown,) = offset_region(needle, 1.0)
    assert grown.bounds[0] > -20
    sharp = shapely.Polygon([(0, 0), (100, 10), (100, -10)])
    (kept,) = offset_region(sharp, 1.0)
    assert kept.bounds[0] == pytest.approx(-1 / np.sin(np.arctan(0.1)))


@given(st.integers(0, 2**32 - 1))
def test_to_grow_and_to_shrink_again_gives_the_star_back(seed: int):
    chance = np.random.default_rng(seed)
    angles = np.sort(chance.uniform(0, 2 * np.pi, 9)) + np.arange(9) * 0.2
    angles *= 2 * np.pi / (2 * np.pi + 1.8)
    ring = chance.uniform(5, 10, 9)[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    star = shapely.Polygon(ring)
    (grown,) = offset_region(star, 0.01)
    (back,) = offset_region(grown, -0.01)
    assert star.symmetric_difference(back).area < 1e-9 * star.area
