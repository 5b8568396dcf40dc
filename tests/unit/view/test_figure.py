import io
import subprocess
import sys
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.testing import assert_allclose
from PIL import Image

import pliant.view
from pliant.core.errors import PliantError
from pliant.core.motion import Mark, Motion, Shape
from pliant.core.plot import Plot, Series
from pliant.view import palette, scene
from pliant.view.charts import AREAS
from pliant.view.marks import arrow_outlines
from pliant.view.scene import roomiest_place

HOSTILE = r"_$\frac{ <script>alert(1)</script>" + "\n\x00"


@lru_cache(maxsize=1)
def pixels(sheet: Figure, dpi: int = 200) -> np.ndarray:
    content = io.BytesIO()
    sheet.savefig(content, format="png", dpi=dpi)
    return np.asarray(Image.open(content).convert("RGB")).astype(float) / 255


def colour_at(sheet: Figure, x: float, y: float, reach: int = 2) -> np.ndarray:
    """The pixels around a world point, (N, 3)."""
    image = pixels(sheet)
    column, row = sheet.axes[0].transData.transform((x, y)) * 200 / sheet.dpi
    row, column = image.shape[0] - round(row), round(column)
    return image[row - reach : row + reach + 1, column - reach : column + reach + 1].reshape(-1, 3)


def nearest(colours: np.ndarray, wanted: str) -> float:
    return float(np.abs(colours - np.array(to_rgb(wanted))).max(axis=1).min())


def test_before_is_outlined_in_red_where_the_body_was(blocks):
    sheet = pliant.view.figure(blocks)
    assert nearest(colour_at(sheet, 20, 2), palette.BEFORE) < 0.1
    assert nearest(colour_at(sheet, 25, 0), palette.BEFORE) < 0.1
    assert_allclose(colour_at(sheet, 22, 2), 1)  # an outline only: white inside


def test_no_red_without_before(blocks):
    red = np.array(to_rgb(palette.BEFORE))
    assert np.abs(pixels(pliant.view.figure(blocks)) - red).max(axis=2).min() < 0.05
    assert np.abs(pixels(pliant.view.figure(blocks, before=None)) - red).max(axis=2).min() > 0.2


def test_after_is_filled_and_its_hole_is_open(blocks):
    sheet = pliant.view.figure(blocks, names=False)
    assert nearest(colour_at(sheet, 52, 2), palette.BODY) < 0.02
    assert_allclose(colour_at(sheet, 55, 5), 1)


@pytest.mark.parametrize("outside", [1, -1])
@pytest.mark.parametrize("inside", [1, -1])
def test_holes_stay_open_whichever_way_rings_wind(blocks, outside, inside):
    square, hole = (ring.copy() for ring in blocks.shapes[1].rings)
    turned = replace(blocks, shapes=(blocks.shapes[0], Shape((square[::outside], hole[::inside]))))
    assert_allclose(colour_at(pliant.view.figure(turned, names=False), 55, 5), 1)


@pytest.mark.parametrize("turns", [(1, 1, 1), (-1, 1, -1), (1, -1, 1)])
def test_a_shape_may_have_several_outlines_one_of_them_in_a_hole(blocks, turns):
    square, hole = (ring.copy() for ring in blocks.shapes[1].rings)
    core = hole.mean(axis=0) + 0.3 * (hole - hole.mean(axis=0))
    rings = tuple(ring[::turn] for ring, turn in zip((hole, core, square), turns, strict=True))
    sheet = pliant.view.figure(replace(blocks, shapes=(blocks.shapes[0], Shape(rings))), names=False)
    assert nearest(colour_at(sheet, 52, 2), palette.BODY) < 0.02
    assert nearest(colour_at(sheet, 55, 5), palette.BODY) < 0.02


def test_one_unit_is_as_long_across_as_up_and_everything_fits(blocks):
    axes = pliant.view.figure(blocks).axes[0]
    box = axes.get_position().transformed(axes.figure.transSubfigure)
    assert_allclose(box.width / np.ptp(axes.get_xlim()), box.height / np.ptp(axes.get_ylim()), rtol=1e-6)
    assert axes.get_xlim()[0] < 0
    assert axes.get_xlim()[1] > 60
    assert axes.get_ylim()[0] < -5


def test_a_scalar_colours_bodies_on_one_scale_for_all_frames(blocks):
    early = pliant.view.figure(blocks, frame=1, scalar="displacement", names=False, marks=False)
    late = pliant.view.figure(blocks, frame=3, scalar="displacement", names=False, marks=False)
    assert nearest(colour_at(late, 52, 2), palette.SEQUENTIAL[-1]) < 0.02
    assert nearest(colour_at(early, 32, 2), palette.SEQUENTIAL[2]) < 0.02  # a third of the way
    assert early.axes[1].get_ylim() == late.axes[1].get_ylim() == (0, 30)


def test_a_scalar_that_is_not_there_is_named_with_a_near_one(blocks):
    with pytest.raises(PliantError, match='Did you mean "displacement"'):
        pliant.view.figure(blocks, scalar="displacment")


def test_marks_show_in_their_frame_only_and_go_when_told(blocks):
    force = palette.GROUPS[0]
    assert nearest(colour_at(pliant.view.figure(blocks, frame=1), 33, 15), force) < 0.1
    assert_allclose(colour_at(pliant.view.figure(blocks, frame=2), 33, 15), 1)
    assert_allclose(colour_at(pliant.view.figure(blocks, frame=1, marks=False, rulers=True), 33, 12), 1)


def test_arrows_end_at_their_tips_and_stay_as_long_as_they_are():
    tails, tips = np.array([[0.0, 0], [1, 1]]), np.array([[3.0, 4], [1.01, 1]])
    arrows = arrow_outlines(tails, tips, np.array([0.1, 0.1]))
    assert_allclose(arrows[:, 3], tips)
    assert_allclose((arrows[:, 0] + arrows[:, 6]) / 2, tails, atol=1e-12)
    reach = np.linalg.norm(arrows - tails[:, None], axis=-1).max(axis=1)
    assert_allclose(reach, [5, 0.01], rtol=0.1)


def test_poses_turn_the_short_way_between_frames(blocks):
    poses = blocks.poses.copy()
    poses[1, 1, 2] = 2 * np.pi - 0.2
    turned = replace(blocks, poses=poses)
    assert_allclose(scene.poses_at(turned, 0.5)[1], [25, 0, -0.1], atol=1e-12)
    assert_allclose(scene.poses_at(turned, 3)[1], poses[3, 1])


def test_resting_points_are_ground_and_moving_ones_leave_trails(linkage):
    assert scene.rests(linkage).tolist() == [True, False]
    sheet = pliant.view.figure(linkage, names=False)
    assert nearest(colour_at(sheet, 0, 0), palette.STROKE) < 0.05
    assert nearest(colour_at(sheet, *linkage.points[4, 1]), "#9fb4cc") < 0.1
    assert nearest(colour_at(sheet, 0, 0.5), palette.STROKE) < 0.05
    assert nearest(colour_at(sheet, 0.5, 0), palette.BEFORE) < 0.1


def test_space_is_seen_with_z_up_and_lengths_across_the_view_kept():
    points = np.zeros((1, 3, 3))
    points[0, 1:] = [[0, 0, 1], [1, 0, 0]]
    spatial = Motion("t", "", np.zeros(1), point_names=("o", "z", "x"), points=points)
    origin, up, right = scene.to_page(spatial, points[0])
    assert_allclose(origin, 0)
    assert up[0] == 0
    assert up[1] > 0.9
    assert right[0] > 0.5
    assert_allclose(scene.VIEW @ scene.VIEW.T, np.eye(2), atol=1e-12)
    pliant.view.figure(spatial)


def test_hostile_names_are_drawn_as_text(blocks):
    hostile = replace(
        blocks,
        title=HOSTILE,
        axis=HOSTILE,
        unit="$",
        length_unit="$x",
        bodies=(HOSTILE, "$a$"),
        body_scalars={HOSTILE: blocks.body_scalars["displacement"]},
        marks=(Mark("label", np.zeros((1, 2)), text=HOSTILE, group=HOSTILE),),
    )
    pixels(pliant.view.figure(hostile, scalar=HOSTILE))
    pixels(pliant.view.figure(hostile, rulers=True))
    pixels(pliant.view.filmstrip(hostile))
    series = Series(HOSTILE, np.arange(2.0), np.ones(2), "bars")
    pixels(pliant.view.chart(Plot(HOSTILE, HOSTILE, "$", (series, series), ticks=("$x$", HOSTILE))))


def test_not_a_number_leaves_a_gap_and_no_error(blocks):
    rows = blocks.body_scalars["displacement"].copy()
    rows[3, 1] = np.nan
    pixels(pliant.view.figure(replace(blocks, body_scalars={"displacement": rows}), scalar="displacement"))


def test_an_empty_motion_and_a_point_motion_are_still_pictures():
    pixels(pliant.view.figure(Motion("t", "", np.zeros(1))))
    lone = Motion("t", "s", np.arange(2.0), point_names=("p",), points=np.zeros((2, 1, 2)))
    pixels(pliant.view.figure(lone))
    pixels(pliant.view.filmstrip(lone))


def test_a_result_stands_for_its_motion_and_a_plot_for_its_chart(blocks):
    assert len(pliant.view.figure(SimpleNamespace(motion=blocks)).axes) == 1
    chart = pliant.view.figure(Plot("t", "x", "y", (Series("a", np.arange(3.0), np.arange(3.0)),)))
    assert chart.axes[0].get_xlabel() == "x"
    with pytest.raises(PliantError, match="holds no motion"):
        pliant.view.figure("hook.toml")


@pytest.mark.parametrize("frame", [4, -5])
def test_a_frame_that_is_not_there_is_refused(blocks, frame):
    with pytest.raises(PliantError, match="frames 0 to 3"):
        pliant.view.figure(blocks, frame=frame)


def test_a_filmstrip_has_one_panel_a_frame_at_one_scale(blocks):
    sheet = pliant.view.filmstrip(blocks, frames=4)
    assert [axes.get_title() for axes in sheet.axes] == ["step 0", "step 1", "step 2", "step 3"]
    assert len({axes.get_xlim() for axes in sheet.axes}) == 1


def test_a_filmstrip_has_full_rows_where_it_can(blocks):
    poses = blocks.poses[..., [1, 0, 2]] * [1.0, 0.25, 1.0]  # 10 wide and 22.5 high
    tall = replace(blocks, poses=poses, marks=(), events=())
    sheet = pliant.view.filmstrip(stretched(tall, 12), frames=12)
    assert len({round(axes.get_position().x0, 6) for axes in sheet.axes}) == 6
    assert len({round(axes.get_position().y0, 6) for axes in sheet.axes}) == 2


@pytest.mark.parametrize(("axis", "text"), [("travel", ""), ("", "left and right: snap off")])
def test_captions_of_a_filmstrip_do_not_run_into_each_other(blocks, axis, text):
    """Ten pictures six times as high as wide would fit side by side, but for what is written there."""
    poses, spot = blocks.poses[..., [1, 0, 2]], np.zeros((1, 2))
    labels = tuple(Mark("label", spot, frame, text=text, group="event") for frame in range(10) if text)
    tall = stretched(replace(blocks, poses=poses, marks=(), events=()), 10)
    long = replace(tall, axis=axis, unit="mm", values=np.linspace(0, 19.4567, 10), marks=labels)
    sheet = pliant.view.filmstrip(long, frames=10)
    renderer = sheet.canvas.get_renderer()
    texts = [[axes.title, *axes.texts] for axes in sheet.axes]
    boxes = [part.get_window_extent(renderer) for parts in texts for part in parts if part.get_text()]
    assert len(boxes) >= 10
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    assert len({round(axes.get_position().y0, 6) for axes in sheet.axes}) > 1


def stretched(motion: Motion, frames: int) -> Motion:
    """The same way in so many frames."""
    poses = np.linspace(motion.poses[0], motion.poses[-1], frames)
    return replace(motion, values=np.arange(float(frames)), poses=poses, body_scalars={}, signals={})


def test_what_goes_forth_and_back_is_shown_where_it_is_farthest_from_its_start(blocks):
    there = stretched(blocks, 4).poses
    poses = np.concatenate([there, there[-2::-1]])
    sheet = pliant.view.figure(replace(stretched(blocks, 7), poses=poses), names=False)
    assert nearest(colour_at(sheet, 52, 2), palette.BODY) < 0.02
    assert nearest(colour_at(sheet, 20, 2), palette.BEFORE) < 0.1
    assert [text.get_text() for text in sheet.legends[0].get_texts()][:2] == [
        "before (step 0)",
        "after (step 3)",
    ]


def test_three_thousand_bodies_are_three_collections(blocks):
    count = 3000
    poses = np.random.default_rng(0).uniform(0, 500, (2, count, 3))
    crowd = Motion(
        "step",
        "",
        np.arange(2.0),
        bodies=tuple(map(str, range(count))),
        shapes=blocks.shapes,
        body_shapes=np.arange(count) % 2,
        fixed=np.zeros(count, bool),
        poses=poses,
    )
    sheet = pliant.view.figure(crowd)
    assert len(sheet.axes[0].collections) <= 8
    assert not sheet.axes[0].texts


def test_charts_have_what_their_plot_says():
    x = np.array([0.0, 1.0])
    plot = Plot(
        "Play",
        "part",
        "play (mm)",
        (
            Series("worst", x, np.array([2.0, 3.0]), "bars", low=np.array([1.0, 2]), high=np.array([3.0, 5])),
            Series("rss", x, np.array([1.0, 1.5]), "bars"),
        ),
        ticks=("arm", "leg"),
        note="200 samples",
    )
    axes = pliant.view.chart(plot).axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["arm", "leg"]
    bars = sorted((patch.get_x(), patch.get_width(), patch.get_height()) for patch in axes.patches)
    assert [height for _, _, height in bars] == [2, 1, 3, 1.5]
    assert all(a[0] + a[1] <= b[0] + 1e-9 for a, b in pairwise(bars))
    ranges = axes.containers[1].lines[2][0].get_segments()
    assert_allclose([segment[:, 1] for segment in ranges], [[1, 3], [2, 5]])
    lines = Plot("t", "x", "y", (Series("a", x + 1, x + 1),), x_scale="log", y_scale="log")
    assert pliant.view.chart(lines).axes[0].get_yscale() == "log"


def test_areas_are_filled_under_the_lines_and_their_holes_are_open():
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]])
    rings = np.vstack([10 * square, np.full((1, 2), np.nan), 3 + 4 * square[::-1]])
    across = np.array([0.0, 10.0])
    series = (
        Series("path", across, np.array([1.5, 1.5]), "heavy"),
        Series("rest", across, np.array([9.0, 9.0]), "dashed"),
        Series("forbidden", rings[:, 0].copy(), rings[:, 1].copy(), "area"),
    )
    sheet = pliant.view.chart(Plot("", "", "", series))
    assert nearest(colour_at(sheet, 2, 7.5, 0), AREAS[0]) < 0.02
    assert_allclose(colour_at(sheet, 5, 5, 0), 1)
    path = 0.75 * np.array(to_rgb(palette.SERIES[0])) + 0.25 * np.array(to_rgb(AREAS[0]))
    assert_allclose(colour_at(sheet, 5, 1.5, 3), np.tile(path, (49, 1)), atol=0.02)  # 4 pt are 11 pixels
    dashes = [nearest(colour_at(sheet, x, 9, 1), palette.FAINT) < 0.1 for x in np.linspace(1, 9, 81)]
    assert 0.3 < np.mean(dashes) < 0.8


def test_signals_stand_one_above_another_with_their_events(blocks):
    (axes,) = pliant.view.signals(blocks).axes
    assert axes.get_title("left") == "reach (mm)"
    assert_allclose(axes.lines[0].get_ydata(), [20, 30, 40, 50])
    assert_allclose(axes.lines[1].get_xdata(), 2)
    with pytest.raises(PliantError, match="no signals"):
        pliant.view.signals(replace(blocks, signals={}))


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_saved_figures_have_the_same_bytes_every_time(blocks, tmp_path, suffix):
    for name in "ab":
        pliant.view.save_figure(pliant.view.figure(blocks), tmp_path / f"{name}.{suffix}", dpi=60)
    first, second = ((tmp_path / f"{name}.{suffix}").read_bytes() for name in "ab")
    assert first == second
    assert len(first) > 1000


def test_a_figure_in_an_unknown_format_is_refused(blocks, tmp_path):
    with pytest.raises(PliantError, match=r"\.png, \.svg, \.pdf"):
        pliant.view.save_figure(pliant.view.figure(blocks), tmp_path / "a.bmp")


def test_importing_the_room_does_not_import_matplotlib():
    code = "import sys, pliant.view; print('matplotlib' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"


def test_every_public_name_is_a_function_even_after_the_modules_are_imported():
    assert all(callable(getattr(pliant.view, name)) for name in pliant.view.__all__)
    with pytest.raises(AttributeError):
        _ = pliant.view.nothing


def test_a_body_has_its_name_inside_it():
    """In the middle where there is room; of an L, not in its hollow."""
    corner = Shape((np.array([(0, 0), (10, 0), (10, 2), (2, 2), (2, 10), (0, 10)], float),))
    bar = Shape((np.array([(0, 0), (10, 0), (10, 2), (0, 2)], float),))
    x, y = roomiest_place(corner)
    assert min(x, y) < 2
    assert min(x, y) > 0.8
    assert_allclose(roomiest_place(bar), (5, 1))
