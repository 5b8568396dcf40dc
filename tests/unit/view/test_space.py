"""Points without names, marks that move, and what stands in space."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

import pliant.view
from pliant.core.motion import Mark, Motion
from pliant.view import palette, scene
from pliant.view.blending import marks_of
from pliant.view.stage import DrawOptions

from .test_figure import colour_at, nearest, pixels
from .test_traces import key

U, V, W = *scene.VIEW, scene.TOWARDS  # right and up on the page, and towards the eye


def on_page(x: float, y: float, towards: float = 0.0) -> np.ndarray:
    """The place in space that is seen at (x, y)."""
    return x * U + y * V + towards * W


def still(names, places, strokes=(), marks=(), **rest) -> Motion:
    points = np.array(places, float)[None]
    joined = np.array(strokes, np.int64).reshape(-1, 2)
    return Motion("t", "", np.zeros(1), point_names=names, points=points, strokes=joined, marks=marks, **rest)


def points_to_a_unit(sheet: Figure) -> float:
    axes = sheet.axes[0]
    return 72 * axes.get_position().width * sheet.get_figwidth() / np.ptp(axes.get_xlim())


def stroke_colour(shade: np.ndarray) -> float:
    """How pale a stroke is: 0 as the palette has it, 1 white."""
    dark = np.array(to_rgb(palette.STROKE))
    return float(np.mean((shade - dark) / (1 - dark)))


# Points without names


def zigzag() -> Motion:
    """A rod from a to b, and a wire back over a point without a name."""
    return still(("a", "b", ""), [(0, 0), (10, 0), (5, 4)], [(0, 1), (1, 2), (2, 0)])


def test_points_without_a_name_are_no_joints_and_have_none_written():
    sheet = pliant.view.figure(zigzag(), before=None)
    assert [text.get_text() for text in sheet.axes[0].texts] == ["a", "b"]
    assert (
        len(np.vstack([c.get_offsets() for c in sheet.axes[0].collections if len(c.get_offsets()) > 1])) == 2
    )


def test_strokes_to_points_without_a_name_are_wires():
    assert scene.wires(zigzag()).tolist() == [False, True, True]
    sheet = pliant.view.figure(zigzag(), before=None, names=False)
    image = pixels(sheet)
    thick = []
    for x, y in ((5, 0), (7.5, 2)):
        column, row = (round(v) for v in sheet.axes[0].transData.transform((x, y)) * 2)
        strip = image[image.shape[0] - row - 15 : image.shape[0] - row + 15, column]
        thick.append((np.abs(strip - np.array(to_rgb(palette.STROKE))).max(axis=1) < 0.3).sum())
    assert thick[0] > 1.5 * thick[1] > 0


def test_a_bent_wire_is_one_line_and_rods_are_lines_of_their_own():
    assert scene.chains(zigzag()) == [[0, 1], [1, 2, 0]]
    (lines,) = [
        c for c in pliant.view.figure(zigzag(), before=None).axes[0].collections if len(c.get_paths()) == 2
    ]
    assert [len(path.vertices) for path in lines.get_paths()] == [2, 3]
    heated = replace(zigzag(), stroke_scalars={"force": np.array([[1.0, 2.0, 3.0]])})
    sheet = pliant.view.figure(heated, before=None, scalar="force", names=False)
    for place, value in (((7.5, 2), 1 / 2), ((2.5, 2), 1)):
        assert nearest(colour_at(sheet, *place), palette.SEQUENTIAL[round(6 * value)]) < 0.05


@pytest.mark.parametrize(("height", "strokes"), [(0, 1), (2, 2)])
def test_in_space_a_wire_that_is_straight_is_one_stroke(height, strokes):
    ends = [on_page(0, 0), on_page(10, 0), on_page(4, height, 1)]
    motion = still(("a", "b", ""), ends, [(0, 2), (2, 1)])
    (everything,) = [
        c for c in pliant.view.figure(motion, before=None).axes[0].collections if len(c.get_paths())
    ]
    paths = [path for path in everything.get_paths() if len(path.vertices) == 2]
    assert len(paths) == 2 * strokes  # each over its gap


def test_only_named_points_count_for_names_and_trails():
    names = (*"abc", *[""] * 40)
    motion = Motion(
        "t", "", np.arange(3.0), point_names=names, points=np.random.default_rng(0).random((3, 43, 2))
    )
    assert DrawOptions().shows_names(motion)
    assert DrawOptions().shows_trails(motion)


def test_a_motion_without_named_points_names_its_bodies(blocks):
    bare = replace(blocks, point_names=("",), points=np.zeros((4, 1, 2)))
    assert [text.get_text() for text in pliant.view.figure(bare, marks=False).axes[0].texts] == [
        "base",
        "slider",
    ]


def test_a_name_at_the_border_stays_on_the_page():
    motion = still(("a long name", "another long name"), [(0, 0), (10, 0)])
    sheet = pliant.view.figure(motion, before=None, width=4)
    sheet.canvas.draw()
    for text in sheet.axes[0].texts:
        box = text.get_window_extent()
        assert box.x0 > 0
        assert box.x1 < sheet.bbox.x1


# Marks that move


def arrows(*frames) -> Motion:
    """Marks (frame, kind, group, points) in three frames."""
    marks = tuple(
        Mark(kind, np.array(points, float), frame, group=group) for frame, kind, group, points in frames
    )
    return Motion("t", "", np.arange(3.0), marks=marks)


def test_a_mark_that_is_alike_in_the_next_frame_is_blended():
    marks = marks_of(arrows((0, "arrow", "load", [[0, 0], [1, 0]]), (1, "arrow", "load", [[2, 0], [3, 4]])))
    for frame, wanted in ((0, [[0, 0], [1, 0]]), (0.25, [[0.5, 0], [1.5, 1]]), (0.75, [[1.5, 0], [2.5, 3]])):
        (mark,) = marks.at(frame)
        assert_allclose(mark.points, wanted)
    assert_allclose(marks.at(1.2)[0].points, [[2, 0], [3, 4]])  # nothing to go on to
    assert marks.at(2) == ()


def test_several_marks_are_blended_in_their_order_and_others_not_at_all():
    first, second, third = [[0, 0], [1, 0]], [[0, 5], [1, 5]], [[0, 9], [1, 9]]
    two = marks_of(arrows(*((f, "arrow", "load", np.add(p, f)) for f in (0, 1) for p in (first, second))))
    assert_allclose([mark.points for mark in two.at(0.4)], np.add([first, second], 0.4))
    uneven = marks_of(
        arrows((0, "arrow", "load", first), (1, "arrow", "load", second), (1, "arrow", "load", third))
    )
    assert_allclose(uneven.at(0.4)[0].points, first)
    other = marks_of(arrows((0, "arrow", "load", first), (1, "segment", "load", second)))
    assert_allclose(other.at(0.4)[0].points, first)


def test_marks_of_every_frame_are_there_in_each():
    lasting = Mark("label", np.zeros((1, 2)), text="here")
    motion = replace(arrows((1, "arrow", "load", [[0, 0], [1, 0]])), marks=(lasting,))
    assert marks_of(motion).at(0.3) == (lasting,)


# From the back to the front


def crossing(behind: float) -> Motion:
    """A dark stroke across the page, and a blue face in the middle that far behind it."""
    corners = np.array([on_page(x, y, -behind) for x, y in ((-2, -2), (2, -2), (2, 2), (-2, 2))])
    face = Mark("polygon", corners, group="plate")
    ends = [on_page(-8, 0), on_page(8, 0)]
    return still(("a", "b"), ends, [(0, 1)], (face,))


def test_what_is_nearer_is_drawn_over_what_is_behind():
    under, over = (
        colour_at(pliant.view.figure(crossing(behind), before=None, names=False), 0, 0, 0).mean(axis=0)
        for behind in (-1, 1)
    )
    assert_allclose(over, to_rgb(palette.STROKE), atol=0.02)
    blue = np.array(to_rgb(palette.STYLES["plate"].colour))
    assert np.abs(under - over).max() > 0.05
    assert np.linalg.norm(under - blue) < np.linalg.norm(over - blue)  # seen through the face


def test_what_is_farther_away_is_paler_and_height_does_not_count():
    level = np.array([W[0], W[1], 0]) / np.hypot(W[0], W[1])

    def bar(shift):
        return [on_page(-5, 0) + shift, on_page(5, 0) + shift]

    def shade(place):
        return stroke_colour(colour_at(sheet, *(scene.VIEW @ place), 0).mean(axis=0))

    places = [*bar(0 * level), *bar(9 * level), *bar(np.array([0, 0, 9.0]))]
    sheet = pliant.view.figure(
        still(tuple("abcdef"), places, [(0, 1), (2, 3), (4, 5)]), before=None, names=False
    )
    far, near, high = (shade(np.mean(places[k : k + 2], axis=0)) for k in (0, 2, 4))
    assert near == pytest.approx(0, abs=0.02)
    assert far == pytest.approx(0.5, abs=0.05)
    assert high == pytest.approx(far, abs=0.02)


def test_colours_that_are_figures_are_not_made_paler():
    level = np.array([W[0], W[1], 0])
    places = [on_page(-5, 0), on_page(5, 0), on_page(-5, 0) + 9 * level, on_page(5, 0) + 9 * level]
    motion = still(tuple("abcd"), places, [(0, 1), (2, 3)], stroke_scalars={"force": np.array([[4.0, 4.0]])})
    sheet = pliant.view.figure(motion, scalar="force", before=None, names=False)
    for pair in (places[:2], places[2:]):
        place = scene.VIEW @ np.mean(pair, axis=0)
        assert nearest(colour_at(sheet, *place), palette.SEQUENTIAL[-1]) < 0.02


def test_a_stroke_leaves_a_gap_in_what_it_passes_but_not_in_the_face_it_bounds():
    ends = [on_page(-8, 0), on_page(8, 0), on_page(0, -8, 3), on_page(0, 8, 3)]
    motion = still(tuple("abcd"), ends, [(0, 1), (2, 3)])
    sheet = pliant.view.figure(motion, before=None, names=False)
    unit = points_to_a_unit(sheet)
    assert colour_at(sheet, 1.9 / unit, 0, 0).min() > 0.9  # beside the front stroke, on the one behind
    assert nearest(colour_at(sheet, 12 / unit, 0, 0), palette.STROKE) < 0.6
    corners = np.array([on_page(-8, 0), on_page(8, 0), on_page(0, 8, -6)])  # the edge is nearer than the face
    face = Mark("polygon", corners, group="plate")
    edged = pliant.view.figure(still(("a", "b"), corners[:2], [(0, 1)], (face,)), before=None, names=False)
    assert colour_at(edged, 3, 1.8 / points_to_a_unit(edged), 0).mean() < 0.95


def test_actuators_are_named_in_the_key_and_plates_are_not():
    barrel = Mark("segment", np.array([on_page(0, 0), on_page(3, 3)]), group="actuator")
    motion = still(("a", "b"), [on_page(0, 0), on_page(5, 5)], [(0, 1)], (*crossing(0).marks, barrel))
    sheet = pliant.view.figure(motion, before=None, names=False)
    assert key(sheet) == ["actuator"]
    assert nearest(colour_at(sheet, 1.5, 1.5, 4), palette.STYLES["actuator"].colour) < 0.4


def test_faces_that_move_are_outlined_where_they_were():
    corners = np.array([on_page(x, y) for x, y in ((-2, -2), (2, -2), (2, 2), (-2, 2))])
    faces = tuple(Mark("polygon", corners + f * U, f, group="plate") for f in range(6))
    points = np.array([[on_page(f - 9, -9)] for f in range(6)])
    motion = Motion("t", "", np.arange(6.0), point_names=("a",), points=points, marks=faces)
    sheet = pliant.view.figure(motion, names=False, trails=False)
    assert nearest(colour_at(sheet, -2, 0), palette.BEFORE) < 0.5  # half as strong: it stands behind
    assert nearest(colour_at(sheet, -2, 0), palette.BEFORE) < nearest(colour_at(sheet, -5, 0), palette.BEFORE)


# Colours and scales


def test_one_scalar_colours_bodies_and_strokes_on_one_scale(blocks):
    names, strokes = ("a", "b"), np.array([[0, 1]])
    points = np.tile([[0.0, 20.0], [40.0, 20.0]], (4, 1, 1))
    both = replace(
        blocks,
        point_names=names,
        points=points,
        strokes=strokes,
        marks=(),
        stroke_scalars={"displacement": np.full((4, 1), 60.0)},
    )
    sheet = pliant.view.figure(both, scalar="displacement", names=False, trails=False)
    assert nearest(colour_at(sheet, 20, 20), palette.SEQUENTIAL[-1]) < 0.02
    assert nearest(colour_at(sheet, 52, 2), palette.SEQUENTIAL[3]) < 0.02  # 30 of 60
    assert sheet.axes[1].get_ylim() == (0, 60)


@pytest.mark.parametrize(
    ("values", "scale"),
    [([1e-15, 1e-3, 1], "log"), ([0, 1e-9, 1], "log"), ([1, 2, 3], "linear"), ([-1, 1e-9, 1], "linear")],
)
def test_signals_over_many_powers_of_ten_are_on_a_logarithmic_scale(blocks, values, scale):
    signal = replace(blocks.signals["reach"], values=np.array([values[0], *values], float))
    (axes,) = pliant.view.signals(replace(blocks, signals={"residual": signal})).axes
    assert axes.get_yscale() == scale


def test_a_traced_motion_that_ends_elsewhere_is_shown_at_its_end(crank):
    half = {"values": crank.values[:30], "poses": crank.poses[:30], "points": crank.points[:30]}
    curve = Mark("curve", crank.points[:30, 1].copy(), group="trace", text="B")
    sheet = pliant.view.figure(replace(crank, **half, marks=(curve,)), names=False)
    assert nearest(colour_at(sheet, *(0.5 * crank.points[29, 1])), palette.BODY) < 0.02
    assert_allclose(colour_at(sheet, 5, 0.5), 1)


def test_an_animation_in_space_moves_its_faces_between_frames(tmp_path):
    corners = np.array([on_page(x, y) for x, y in ((-2, -2), (2, -2), (2, 2), (-2, 2))])
    faces = tuple(Mark("polygon", corners + 6 * f * U, f, group="plate") for f in range(2))
    points = np.tile(on_page(0, -6), (2, 1, 1))
    motion = Motion("t", "", np.arange(2.0), point_names=("a",), points=points, marks=faces)
    pliant.view.animate(motion, tmp_path / "a.gif", seconds=0.6, fps=10, width=3, dpi=60, before=None)
    from PIL import Image

    with Image.open(tmp_path / "a.gif") as film:
        pictures = []
        for index in range(film.n_frames):
            film.seek(index)
            pictures.append(np.asarray(film.convert("RGB")).astype(int))
    assert len(pictures) == 6
    assert all((first != second).any() for first, second in pairwise(pictures))
