"""The compiled loops give what the array expressions give."""

import numpy as np
import pytest

from pliant.flex.contact import distance, neighbours
from pliant.flex.contact import kernels as compiled
from pliant.flex.contact import selection as contact
from pliant.flex.generate.jigsaw import jigsaw
from pliant.flex.generate.masks import bar
from pliant.flex.generate.voxels import voxels
from pliant.flex.geometry.parts import Parts, compile_parts

MODELS = {"cells": voxels(bar(5, 4), clearance=0.02), "pieces": jigsaw(3, 2, vertices=60)}


@pytest.fixture(params=MODELS)
def placed(request) -> tuple[Parts, np.ndarray]:
    """Parts, and poses a little off the drawn ones."""
    parts = compile_parts(MODELS[request.param])
    shift = np.random.default_rng(7).normal(size=parts.drawn.shape) * 0.01 * parts.size
    return parts, parts.drawn + shift * [1, 1, 1 / parts.size]


@pytest.fixture
def near(placed) -> neighbours.Neighbours:
    parts, poses = placed
    return neighbours.find_neighbours(parts, poses, 0.1 * parts.size)


def columns(rows: distance.Rows):
    return rows.edge_body, rows.point_body, rows.normal, rows.offset, rows.point


def test_distances_and_gradients_are_the_same(placed, near):
    parts, poses = placed
    rows = contact.select(parts, poses, near).rows
    gaps, blocks = distance.gaps_and_blocks(rows, poses)
    assert len(rows) > 50
    assert np.allclose(compiled.gaps(*columns(rows), poses), gaps, rtol=0, atol=1e-13 * parts.extent)
    found = compiled.blocks(*columns(rows), poses)
    assert np.allclose(found[0], gaps, rtol=0, atol=1e-13 * parts.extent)
    assert np.allclose(found[1], blocks, rtol=0, atol=1e-13 * parts.extent)


def test_the_rules_that_say_which_edges_count_are_the_same(placed, near, monkeypatch):
    parts, poses = placed
    drawn = contact.select(parts, parts.drawn, near)
    expected = contact.select(parts, poses, near, drawn, slack=1e-5)
    monkeypatch.setattr(contact, "COMPILED", 0)
    found = contact.select(parts, poses, near, drawn, slack=1e-5)
    assert np.array_equal(found.edge, expected.edge)
    assert np.array_equal(found.both, expected.both)
    assert np.array_equal(found.rows.offset, expected.rows.offset)
