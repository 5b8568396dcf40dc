"""Curves, bands and the other well-known groups of marks."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib import ft2font
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

import pliant.view
from pliant.core.motion import Mark, Motion
from pliant.view import palette
from pliant.view.stage import DrawOptions
from pliant.view.symbols import HATCHES, hatched_line

from .test_figure import colour_at, nearest, pixels

RING = np.array([[-6.0, 4.0], [-3.0, 4.0], [-3.0, 7.0], [-6.0, 7.0]])
LOWER_RING = RING - np.array([0.0, 12.0])


def with_marks(motion: Motion, *marks: Mark) -> Motion:
    return replace(motion, marks=(*motion.marks, *marks))


def key(sheet: Figure) -> list[str]:
    return [text.get_text() for legend in sheet.legends for text in legend.get_texts()]


def inked(sheet: Figure, y: float, colour: str) -> float:
    """The share of a level line, from x = −8 to 8, that has a colour."""
    image = pixels(sheet)
    ends = sheet.axes[0].transData.transform([(-8, y), (8, y)]) * 200 / sheet.dpi
    row, (left, right) = image.shape[0] - round(ends[0, 1]), ends[:, 0].round().astype(int)
    line = image[row - 2 : row + 3, left:right] - np.array(to_rgb(colour))
    return float((np.abs(line).max(axis=2).min(axis=0) < 0.15).mean())


def level(y: float, group: str, text: str = "") -> Mark:
    return Mark("curve", np.array([[-8.0, y], [0.0, y], [8.0, y]]), group=group, text=text)


def test_the_first_pose_stands_alone_with_the_curve_it_traces(crank):
    sheet = pliant.view.figure(crank, names=False)
    assert nearest(colour_at(sheet, 5, 0.5), palette.BODY) < 0.02  # at 0°, where it starts
    assert nearest(colour_at(sheet, -10, 0), palette.TRACES[0]) < 0.05
    assert_allclose(colour_at(sheet, -5, 0), 1)
    assert nearest(colour_at(sheet, 5, -1, 4), palette.BEFORE) > 0.3
    assert key(sheet) == ["path of B"]


def test_a_frame_or_a_start_that_was_asked_for_is_shown_all_the_same(crank):
    sheet = pliant.view.figure(crank, frame=36, before=0, names=False)
    assert nearest(colour_at(sheet, -5, 0.5), palette.BODY) < 0.02
    assert nearest(colour_at(sheet, 5, 1), palette.BEFORE) < 0.1


def test_each_name_has_a_colour_and_its_bands_have_the_same(crank):
    motion = with_marks(
        crank,
        level(4, "trace", "C"),
        Mark("polygon", RING, group="band", text="C"),
        Mark("polygon", LOWER_RING, group="band", text="B"),
    )
    sheet = pliant.view.figure(motion, names=False)
    assert nearest(colour_at(sheet, 5, 4), palette.TRACES[1]) < 0.05
    for y, colour in ((5.5, palette.TRACES[1]), (-6.5, palette.TRACES[0])):
        fill = palette.STYLES["band"].fill
        wanted = 1 - fill + fill * np.array(to_rgb(colour))
        assert_allclose(colour_at(sheet, -4.5, y), np.tile(wanted, (25, 1)), atol=0.01)
    assert key(sheet) == ["path of B", "path of C", "tolerance band"]


def test_a_band_has_no_edge_and_the_statistical_one_lies_darker_inside(crank):
    inner = np.array([[-5.0, 4.5], [-4.0, 4.5], [-4.0, 6.5], [-5.0, 6.5]])
    motion = with_marks(
        crank, Mark("polygon", RING, group="band"), Mark("polygon", inner, group="statistical")
    )
    sheet = pliant.view.figure(motion, names=False)
    plain, dark = colour_at(sheet, -5.5, 5.5).mean(), colour_at(sheet, -4.5, 5.5).mean()
    assert dark < plain - 0.08
    assert colour_at(sheet, -6, 5.5).min() > plain - 0.12  # no darker line along the edge


def test_before_is_dashed_the_target_dotted_and_a_guide_drawn_through(crank):
    motion = with_marks(crank, level(3, "before"), level(5, "target"), level(-4, "guide"))
    sheet = pliant.view.figure(motion, names=False)
    assert 0.3 < inked(sheet, 3, palette.FAINT) < 0.8
    assert 0.3 < inked(sheet, 5, palette.INK) < 0.8
    assert inked(sheet, -4, palette.STROKE) > 0.99
    assert key(sheet) == ["path of B", "before the edit", "asked for"]


def test_a_limit_and_ground_are_drawn_in_their_colours(crank):
    motion = with_marks(crank, level(4, "limit"), Mark("polygon", LOWER_RING, group="ground"))
    sheet = pliant.view.figure(motion, names=False)
    assert 0.4 < inked(sheet, 4, palette.STYLES["limit"].colour) < 0.95
    assert nearest(colour_at(sheet, -4.5, -8), palette.STROKE) < 0.1


def test_pivots_are_round_where_ground_is_drawn(crank):
    grounded = with_marks(crank, Mark("polygon", RING, group="ground"))
    assert nearest(colour_at(pliant.view.figure(crank, names=False), 0, 0), palette.STROKE) < 0.05
    assert nearest(colour_at(pliant.view.figure(grounded, names=False), 0, 0), "white") < 0.05


def test_a_curve_of_a_group_of_its_own_is_drawn_in_the_next_free_colour(crank):
    motion = with_marks(crank, level(4, "force"))
    assert nearest(colour_at(pliant.view.figure(motion, names=False), -5, 4), palette.GROUPS[0]) < 0.05


def test_curves_show_in_their_frame_and_go_when_told(crank):
    once = with_marks(crank, replace(level(4, "limit"), frame=3))
    colour = palette.STYLES["limit"].colour
    assert inked(pliant.view.figure(once, frame=3, names=False), 4, colour) > 0.4
    assert inked(pliant.view.figure(once, names=False), 4, colour) < 0.1
    across = with_marks(crank, level(0.6, "trace", "C"))
    for marks, colour in ((True, palette.TRACES[1]), (False, palette.BODY)):
        sheet = pliant.view.figure(across, marks=marks, names=False)
        assert nearest(colour_at(sheet, 5, 0.6, 0), colour) < 0.05


def test_traced_curves_take_the_place_of_trails(crank):
    assert not DrawOptions().shows_trails(crank)
    assert DrawOptions().shows_trails(replace(crank, marks=()))
    assert DrawOptions(trails=True).shows_trails(crank)


def test_points_are_named_and_bodies_with_points_are_not(crank):
    texts = [text.get_text() for text in pliant.view.figure(crank).axes[0].texts]
    assert texts == ["A", "B"]


def test_names_of_points_keep_off_the_bodies(crank):
    sheet = pliant.view.figure(crank)
    sheet.canvas.draw()
    for text in sheet.axes[0].texts:
        low, high = sheet.axes[0].transData.inverted().transform(text.get_window_extent().get_points())
        assert high[1] < -1 or low[1] > 1 or high[0] < -1 or low[0] > 11


def test_names_of_points_that_all_but_meet_stand_apart(crank):
    points = crank.points.copy()
    points[:, 0] = points[:, 1] + 0.05
    sheet = pliant.view.figure(replace(crank, points=points))
    sheet.canvas.draw()
    first, second = (text.get_window_extent() for text in sheet.axes[0].texts)
    assert not first.overlaps(second)


# Matplotlib 3.11 is the first with a newer FreeType than 2.6.1, whose hints make strokes half as thick again.
@pytest.mark.few(1)
@pytest.mark.skipif(ft2font.__freetype_version__ == "2.6.1", reason="widens strokes")
@pytest.mark.parametrize("dpi", [72, 90, 100])
def test_letters_of_straight_strokes_keep_their_arms_in_coarse_pictures(crank, dpi):
    sheet = pliant.view.figure(replace(crank, point_names=("E", "F")))
    fine, coarse = (ink_of_names(sheet, at) for at in (300, dpi))
    assert_allclose(coarse, fine, rtol=0.15)


def ink_of_names(sheet: Figure, dpi: int) -> list[float]:
    """How much of the page each name covers, in square points."""
    sheet.set_dpi(dpi)
    image = pixels(sheet, dpi)
    inks: list[float] = []
    for text in sheet.axes[0].texts:
        box = text.get_window_extent().padded(1).get_points().round().astype(int)
        (left, low), (right, high) = box
        inks.append(float((1 - image[-high:-low, left:right]).mean(axis=2).sum()) * (72 / dpi) ** 2)
    return inks


def test_a_long_key_keeps_clear_of_the_scale_bar(crank):
    names = ("before", "target", "limit")
    areas = (Mark("polygon", RING, group="band"), Mark("polygon", RING, group="statistical"))
    sheet = pliant.view.figure(with_marks(crank, *(level(3, name) for name in names), *areas))
    assert len(key(sheet)) == 6
    sheet.canvas.draw()
    scale = max(text.get_window_extent().x1 for text in sheet.texts if text.get_position()[1] < 0.2)
    assert sheet.legends[0].get_window_extent().x0 > scale


def test_a_long_line_has_no_more_hatches_than_can_be_seen():
    strokes = hatched_line(np.array([[0.0, 0.0], [1e6, 0.0]]), np.array([0.0, -1.0]), 1.0)
    assert len(strokes) == 1 + 3 * HATCHES
    assert_allclose(strokes[-1], [1e6, 0])
