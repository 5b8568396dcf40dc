"""The gallery: every model loads, is described, drawn without overlap, and runs."""

import tomllib
from collections import Counter
from decimal import Decimal
from functools import partial
from itertools import combinations

import numpy as np
import pytest
import shapely
from tests.solved import loaded, names_of_kind, solved

import pliant
from pliant import gallery
from pliant.core.errors import PliantError
from pliant.core.pose import carry
from pliant.files import model_of
from pliant.flex.model import Assembly, Region
from pliant.flex.status import FlexStatus
from pliant.gallery.recipes import RECIPES
from pliant.snap.model import Fastener

ASSEMBLIES = names_of_kind("assembly")
LINKAGES = names_of_kind("linkage")
LONGER = ("flock", "can-loose", "bearing", "dominoes", "sliding-door", "round-arch")  # half a second and more
ENDINGS = {"pencil-box": FlexStatus.FREE, "key-puzzle": FlexStatus.FREE}


def polygons(model: Assembly) -> dict[str, shapely.Polygon]:
    made = {}
    for body in model.bodies:
        shape = model.shapes[body.shape] if body.shape is not None else body
        pieces = getattr(shape, "outlines", ()) or [shape]
        regions = [(p.outline, *p.holes) if isinstance(p, Region | type(body)) else (p,) for p in pieces]
        united = shapely.union_all([shapely.Polygon(region[0], region[1:]) for region in regions])
        left = united.buffer(-model.clearance / 2, join_style="mitre", mitre_limit=20)
        assert left.geom_type == united.geom_type, f"{body.name} vanishes at the model's clearance"
        assert not left.is_empty
        made[body.name] = shapely.transform(left, partial(carry, np.array(body.pose)))
    return made


@pytest.mark.parametrize("name", gallery.names())
def test_each_model_has_a_title_and_something_to_ask(name):
    model = loaded(name)
    assert model.title
    if isinstance(model, Fastener):
        assert model.study.model_fields_set
    else:
        asked = (
            (model.study.maximize or model.study.loaded or model.study.stages)
            if isinstance(model, Assembly)
            else model.study.trace
        )
        assert asked
    assert "\n" not in gallery.describe(name)


@pytest.mark.parametrize("name", ASSEMBLIES)
def test_no_two_bodies_overlap_as_drawn_unless_pin_weld_or_layer_allow_it(name):
    model = loaded(name)
    parts = polygons(model)
    names, shapes = list(parts), np.array(list(parts.values()))
    layers = {frozenset(pin.bodies) for pin in model.pins}
    layers |= {
        frozenset((one.name, other.name))
        for one, other in combinations(model.bodies, 2)
        if one.layer != other.layer
    }
    layers |= {frozenset(pair) for weld in model.welds for pair in combinations(weld.bodies, 2)}
    for first, second in shapely.STRtree(shapes).query(shapes, predicate="intersects").T:
        if first < second and frozenset((names[first], names[second])) not in layers:
            assert shapes[first].intersection(shapes[second]).area < 1e-12


@pytest.mark.parametrize("name", ASSEMBLIES)
def test_points_lie_where_they_are_kept(name):
    model = loaded(name)
    poses = {body.name: np.array(body.pose) for body in model.bodies}
    for keep in model.keep:
        end = carry(poses[keep.body], np.array(keep.point))
        assert shapely.Polygon(keep.inside).covers(shapely.Point(end))


def test_a_model_is_a_file_or_a_recipe_and_never_both():
    files = {name for name in gallery.names() if gallery.path(name)}
    assert files.isdisjoint(RECIPES)
    assert files | set(RECIPES) == set(gallery.names())
    assert {file.stem for file in gallery.FOLDER.glob("*.toml")} == files


@pytest.mark.parametrize("name", [name for name in gallery.names() if gallery.path(name)])
def test_files_open_with_a_comment_and_need_no_other_file(name):
    text = gallery.path(name).read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert model_of(tomllib.loads(text, parse_float=Decimal)) == loaded(name)


def test_quick_models_are_some_of_the_gallery_and_small():
    assert set(gallery.quick_examples()) < set(gallery.names())
    assert max(len(loaded(name).bodies) for name in gallery.quick_examples() if name in ASSEMBLIES) < 150
    assert set(LINKAGES) < set(gallery.quick_examples())


def test_the_tour_shows_three_quick_models_of_each_kind_that_end_in_different_ways():
    chosen = gallery.tour()
    assert set(chosen) <= set(gallery.quick_examples())
    kinds = Counter(loaded(name).kind for name in chosen)
    assert kinds == dict.fromkeys(("assembly", "linkage", "mechanism", "fastener"), 3)
    results = [_answered(name) for name in chosen]
    assert {"CONVERGED", "FREE", "RUNS", "LIMITED", "LOCKED", "SEATED", "THROUGH"} <= {
        result.status.name for result in results
    }
    assert any("overstrained" in alert for result in results for alert in getattr(result, "alerts", ()))


def _answered(name: str):
    model = loaded(name)
    edited = model.kind == "linkage" and model.study.edit is not None
    return pliant.edit(model) if edited else solved(name)


def test_every_figure_of_puzzleflex_has_a_model():
    shown = " ".join(map(gallery.describe, gallery.names()))
    for figure in ("Fig. 1", "Fig. 2", "Section IV", "Fig. 4", "Fig. 5", "Fig. 6", "Fig. 7", "Fig. 9"):
        assert figure in shown
    assert len(loaded("eight-blocks").bodies) == 8
    assert len(loaded("beam-1703").bodies) == 1703


def test_tight_and_loose_cans_differ_only_in_clearance():
    tight, loose = loaded("can-tight"), loaded("can-loose")
    assert tight.clearance < loose.clearance
    assert (tight.bodies, tight.shapes, tight.study) == (loose.bodies, loose.shapes, loose.study)


def test_an_unknown_name_gets_a_suggestion():
    with pytest.raises(PliantError, match='Did you mean "drawer"'):
        gallery.load("drawr")
    with pytest.raises(PliantError, match="pliant examples"):
        gallery.describe("zzzz")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in LONGER else [])
        for name in gallery.quick_examples()
        if name in ASSEMBLIES
    ],
)
def test_quick_models_are_solved_within_their_threshold(name):
    result = solved(name)
    assert result.status is ENDINGS.get(name, FlexStatus.CONVERGED)
    assert result.objective > 0 or result.leaving is not None
    assert result.overlap <= result.threshold
    assert result.violation <= result.threshold
