"""Voxel structures on any mask: they fit, they count, and they share shapes."""

import numpy as np
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from pliant.core.outline import inset, polygon
from pliant.flex.generate import expected_rows, jigsaw, pairs, random_outline, voxels
from pliant.flex.model import Assembly

masks = arrays.arrays(np.bool_, st.tuples(st.integers(1, 6), st.integers(1, 6))).filter(np.any)
styles = st.fixed_dictionaries(
    {
        "joint": st.sampled_from(["dovetail", "puzzle"]),
        "polarity": st.sampled_from(["regular", "random"]),
        "seed": st.integers(0, 99),
        "size": st.floats(0.5, 20),
    }
)


def placed(model: Assembly, clearance: float) -> np.ndarray:
    cut = {name: inset([np.array(shape)], clearance / 2)[0] for name, shape in model.shapes.items()}
    return np.array([polygon([cut[body.shape] + body.pose[:2]]) for body in model.bodies])


@settings(max_examples=60, deadline=None)
@given(masks, styles)
def test_cells_of_any_mask_fit(mask, style):
    model = voxels(mask, clearance=0.02 * style["size"], **style)
    parts = placed(model, 0.0)
    first, second = shapely.STRtree(parts).query(parts, predicate="intersects")
    before = first < second
    common = shapely.intersection(parts[first[before]], parts[second[before]])
    assert shapely.area(common).max(initial=0.0) < 1e-12 * style["size"] ** 2
    # Tabs give what sockets take, so the whole has the area of its cells.
    assert np.isclose(shapely.area(parts).sum(), mask.sum() * style["size"] ** 2)


@settings(max_examples=60, deadline=None)
@given(masks, styles)
def test_neighbours_are_one_clearance_apart(mask, style):
    clearance = 0.03 * style["size"]
    model = voxels(mask, clearance=clearance, **style)
    parts = placed(model, clearance)
    places = np.array([body.pose[:2] for body in model.bodies]) / style["size"]
    near = np.abs(places[:, None] - places[None]).sum(axis=2).round() == 1
    gaps = shapely.distance(parts[:, None], parts[None, :])
    assert np.abs(gaps[near] - clearance).max(initial=0.0) < 1e-9
    assert gaps[~near & ~np.eye(len(parts), dtype=bool)].min(initial=np.inf) > clearance


@settings(max_examples=100, deadline=None)
@given(masks, styles)
def test_bodies_shapes_and_joints_count(mask, style):
    model = voxels(mask, **style)
    assert len(model.bodies) == mask.sum()
    assert set(model.shapes) == {body.shape for body in model.bodies}
    letters = "".join(body.shape for body in model.bodies)
    assert letters.count("t") == letters.count("s") == pairs(mask)[0]


@settings(max_examples=60, deadline=None)
@given(masks)
def test_rows_do_not_depend_on_how_the_mask_is_turned(mask):
    assert (
        expected_rows(mask)
        == expected_rows(mask.T)
        == expected_rows(mask[::-1])
        == expected_rows(mask[:, ::-1])
    )


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 200), st.integers(0, 1000))
def test_a_random_outline_has_the_cells_asked_for_and_no_margin(cells, seed):
    mask = random_outline(cells, seed)
    assert mask.sum() == cells
    assert mask.any(axis=0).all()
    assert mask.any(axis=1).all()


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 10_000))
def test_any_jigsaw_fits(columns, rows, seed):
    model = jigsaw(columns, rows, seed=seed, size=1.0, clearance=0.004)
    parts = np.array([polygon([np.array(body.outline) + body.pose[:2]]) for body in model.bodies])
    assert np.isclose(shapely.area(parts).sum(), columns * rows)
    assert np.isclose(shapely.area(shapely.union_all(parts)), columns * rows)
