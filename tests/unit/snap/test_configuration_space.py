"""The slice of a pawl: what is free in it, where its rim sticks, and the path through it."""

import math
from fractions import Fraction

import numpy as np
import pytest
import shapely
from numpy.testing import assert_allclose

from pliant.snap.generate import motion_diode, random_fastener, ratchet, two_hooks
from pliant.snap.model import Fastener, SnapStudy
from pliant.snap.questions.configuration_space import (
    STEP,
    ConfigurationSlice,
    configuration_slice,
    path_points,
)
from pliant.snap.result import SnapResult
from pliant.snap.solve import solve
from pliant.snap.sweep.plan import Course

TOUCHING = STEP**2  # over the window: how far chords may leave their arcs


def there_and_back(model: Fastener) -> SnapResult:
    return solve(model, SnapStudy(reverse=True, arithmetic="float"))


def courses(result: SnapResult) -> list[Course]:
    assert result.way_back is not None
    return [result.way_in.courses[0], result.way_back.courses[0]]


def overlap(model: Fastener, course: Course, pawl: int, t: float, angle: float) -> bool:
    """Whether a pawl and an obstacle overlap, or it is turned past a stop: found without the slice."""
    part = model.pawls[pawl]
    if part.stops is not None and not part.stops[0].angle <= angle <= part.stops[1].angle:
        return True
    shape = shapely.Polygon(np.array(model.outline_at_rest(part), float))
    shape = shapely.affinity.rotate(shape, angle, origin=(0, 0), use_radians=True)
    hinge = [
        float(h + o) + float(v) * t
        for h, o, v in zip(part.hinge, course.offset, course.velocity, strict=True)
    ]
    shape = shapely.affinity.translate(shape, *hinge)
    fixed = (
        shapely.affinity.translate(
            shapely.Polygon(np.array(model.outline(part), float)), *map(float, part.at)
        )
        for part in model.obstacles
    )
    return any(shape.intersection(other).area > 0 for other in fixed)


def over_window(cut: ConfigurationSlice, area):
    return shapely.transform(area, cut.window.page)


def from_rim(cut: ConfigurationSlice, place) -> float:
    """How far a place is from the nearest arc, over the window."""
    lines = [shapely.linestrings(cut.window.page(arc.places)) for arc in cut.arcs]
    return float(shapely.distance(shapely.points(cut.window.page(np.array(place))), lines).min())


DESIGNS = {
    "hooks": two_hooks(Fraction(3, 5)),
    "diode": motion_diode(),
    "ratchet": ratchet(3),
    **{f"random {seed}": random_fastener(seed) for seed in (0, 4, 7, 9)},
}


@pytest.mark.few(3)
@pytest.mark.parametrize("design", DESIGNS)
def test_what_is_forbidden_is_where_the_pawl_overlaps_and_all_else_is_free(design):
    model = DESIGNS[design]
    rng = np.random.default_rng(3)
    for course in courses(there_and_back(model)):
        cut = configuration_slice(course, model.pawls[0].name, model.friction)
        places = cut.window.back(rng.random((120, 2)))
        said = shapely.contains_xy(cut.forbidden, places)
        free = shapely.contains_xy(cut.reach, places) | shapely.contains_xy(cut.apart, places)
        seen = np.array([overlap(model, course, 0, *place) for place in places])
        assert (said == seen).all()
        assert (free == ~seen).all()


@pytest.mark.few(3)
@pytest.mark.parametrize("design", DESIGNS)
def test_the_parts_of_a_slice_fill_its_window_and_hold_the_path(design):
    model = DESIGNS[design]
    for course in courses(there_and_back(model)):
        cut = configuration_slice(course, model.pawls[0].name, model.friction)
        areas = [over_window(cut, area) for area in (cut.reach, cut.apart, cut.forbidden)]
        assert_allclose(sum(area.area for area in areas), 1.0, atol=1e-6)
        assert shapely.distance(shapely.points(cut.window.page(cut.path)), areas[0]).max() < TOUCHING


def test_the_rim_goes_through_every_contact_of_the_path_by_the_arc_of_that_contact():
    model = motion_diode()
    result = there_and_back(model)
    (course,) = result.way_in.courses
    cut = configuration_slice(course, "pawl", model.friction)
    for happening, event in zip(course.paths["pawl"].events, result.events, strict=True):
        if happening.contacts:
            assert from_rim(cut, [event.t, event.angle]) < TOUCHING
            nearest = [arc for arc in cut.arcs if arc.pair in happening.contacts]
            assert nearest


def test_a_snap_is_upright():
    course = there_and_back(motion_diode()).way_in.courses[0]
    path = path_points(course, "pawl")
    steps = np.diff(path, axis=0)
    jumps = np.flatnonzero(np.abs(steps[:, 1]) > 0.2)
    assert_allclose(path[jumps, 0], [10, 15])
    assert_allclose(steps[jumps, 0], 0, atol=1e-12)
    assert_allclose(
        np.degrees(path[jumps]), np.degrees([[10, 2 * math.atan(3 / 5)], [15, 2 * math.atan(3 / 5)]])
    )


def test_without_friction_all_of_the_rim_slides():
    model = two_hooks()
    cut = configuration_slice(there_and_back(model).way_in.courses[0], "left", model.friction)
    assert cut.arcs
    assert not any(arc.sticks for arc in cut.arcs)


def test_the_rim_sticks_from_the_lock_on_and_slides_before_it():
    model = two_hooks(Fraction(7, 10))
    result = there_and_back(model)
    (course,) = result.way_in.courses
    cut = configuration_slice(course, "left", model.friction)
    lock = next(h for h in course.paths["left"].events if h.kind == "lock")
    mine = [arc for arc in cut.arcs if arc.pair in lock.contacts]
    after = min(
        (arc.places for arc in mine if arc.sticks), key=lambda places: abs(places[:, 0].min() - lock.point.t)
    )
    before = max((arc.places for arc in mine if not arc.sticks), key=lambda places: places[:, 0].max())
    event = [result.events[-2].t, result.events[-2].angle]
    assert_allclose(after[after[:, 0].argmin()], event, atol=1e-5)
    assert_allclose(before[before[:, 0].argmax()], event, atol=1e-5)


def test_free_space_without_a_way_in_is_apart():
    model = motion_diode()
    cut = configuration_slice(there_and_back(model).way_in.courses[0], "pawl", model.friction)
    assert not cut.apart.is_empty
    assert from_rim(cut, cut.apart.centroid.coords[0]) > 0.05


def test_a_path_ends_where_another_pawl_ends_the_course():
    model = two_hooks(drop=5)
    result = there_and_back(model)
    (course,) = result.way_in.courses
    assert course.by == "root"
    for pawl in ("left", "right"):
        assert_allclose(path_points(course, pawl)[-1, 0], course.ends)


def turned(points) -> list[tuple[Fraction, Fraction]]:
    """By the angle whose cosine is 12/13."""
    cosine, sine = Fraction(12, 13), Fraction(5, 13)
    return [(cosine * x - sine * y, sine * x + cosine * y) for x, y in points]


def leaf(friction: str) -> Fastener:
    """A pawl that lies flush against a wall once it is turned back."""
    return Fastener.model_validate(
        {
            "friction": friction,
            "root": {"velocity": [0, -1], "until": 14},
            "pawls": [
                {
                    "name": "leaf",
                    "hinge": [0, 0],
                    "outline": turned([(1, -6), (1, -2), (0, 1), (-1, 1), (-1, -6)]),
                    "stiffness": 100,
                }
            ],
            "obstacles": [{"outline": [[1, -20], [5, -20], [5, -4], [1, -9]]}],
        }
    )


def test_flush_contacts_slide_as_long_as_one_of_them_does():
    model = leaf("3/10")
    (course,) = there_and_back(model).way_in.courses
    # At a friction of 3 the upper end of the leaf's edge, 1 beside its hinge and 2 below, would stick alone.
    cut = configuration_slice(course, "leaf", Fraction(3))
    level = [arc for arc in cut.arcs if np.ptp(arc.places[:, 1]) == 0]
    assert len({arc.pair for arc in level}) > 1
    assert not any(arc.sticks for arc in level)


def test_a_pawl_that_jams_at_once_has_a_slice_too():
    model = Fastener.model_validate(
        {
            "root": {"velocity": [0, -1], "until": 5},
            "pawls": [
                {
                    "name": "peg",
                    "hinge": [0, 0],
                    "outline": [[-1, 0], [0, -2], [1, 0]],
                    "stiffness": 10,
                    "stops": [0, 0],
                }
            ],
            "obstacles": [{"outline": [[-3, -4], [3, -4], [3, -2], [-3, -2]]}],
        }
    )
    cut = configuration_slice(there_and_back(model).way_in.courses[0], "peg", model.friction)
    assert cut.window.end > cut.window.begin
    assert_allclose(over_window(cut, cut.forbidden).area, 1.0)
    assert cut.arcs == ()
