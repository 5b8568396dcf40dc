"""Charts of a fastener: forces both ways, angles, and slices of configuration space."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from matplotlib.patches import PathPatch
from numpy.testing import assert_allclose

import pliant.view
from pliant.core.plot import Plot, Series
from pliant.snap import charts
from pliant.snap.generate import motion_diode, two_hooks
from pliant.snap.model import Fastener, SnapStudy
from pliant.snap.result import SnapResult
from pliant.snap.solve import solve


@cache
def hooks(friction: Fraction) -> SnapResult:
    return solve(two_hooks(friction), SnapStudy(reverse=True))


@cache
def diode() -> SnapResult:
    return solve(motion_diode(), SnapStudy(reverse=True))


def leaf() -> Fastener:
    """A pawl with an edge that lies flush on a wall once it is turned by the angle whose cosine is 12/13."""
    cosine, sine = Fraction(12, 13), Fraction(5, 13)
    flush = [(1, -6), (1, -2), (0, 1), (-1, 1), (-1, -6)]
    outline = [(cosine * x - sine * y, sine * x + cosine * y) for x, y in flush]
    return Fastener.model_validate(
        {
            "friction": "3/10",
            "root": {"velocity": [0, -1], "until": 14},
            "pawls": [{"name": "leaf", "hinge": [0, 0], "outline": outline, "stiffness": 100}],
            "obstacles": [{"outline": [[1, -20], [5, -20], [5, -4], [1, -9]]}],
        }
    )


def named(plot: Plot) -> dict[str, Series]:
    return {series.name: series for series in plot.series}


# Forces and angles


def test_forces_both_ways_are_drawn_over_how_far_in_the_root_is():
    result = hooks(Fraction(3, 10))
    plot = result.plots()["force"]
    insertion, retention = plot.series
    assert (insertion.name, retention.name) == ("insertion", "retention")
    assert_allclose(insertion.x[[0, -1]], [0, 8], atol=1e-12)
    assert_allclose(retention.x[[0, -1]], [8, 0], atol=1e-12)
    for series, way in ((insertion, result.way_in), (retention, result.way_back)):
        assert way is not None
        assert_allclose(np.nanmax(series.y), way.peak)
    assert (plot.x_label, plot.y_label) == ("how far in (mm)", "force (N)")
    assert plot.note == "insertion peaks at 20.67 N, 2.708 mm in; retention peaks at 17.57 N, 3.708 mm in"


def test_a_peak_inside_a_stretch_is_in_the_chart():
    result = diode()
    insertion = named(result.plots()["force"])["insertion"]
    assert_allclose(np.nanmax(insertion.y), result.way_in.peak, rtol=2e-3)


def test_towards_a_lock_the_chart_has_a_gap_and_the_note_says_where_it_locks():
    plot = hooks(Fraction(7, 10)).plots()["force"]
    values = named(plot)["insertion"].y
    assert np.isnan(values[-1])
    assert not np.isinf(values).any()
    assert np.nanmax(values) > 50
    assert plot.note.startswith("insertion locks 2.676 mm in; ")


def test_a_jam_is_said_instead_of_a_peak():
    assert diode().plots()["force"].note.endswith("; retention jams 11.69 mm in")


def test_a_band_shows_what_flush_contact_leaves_open():
    result = solve(leaf(), SnapStudy(reverse=True, arithmetic="float"))
    found = named(result.plots()["force"])
    assert {name: series.style for name, series in found.items()} == {
        "insertion": "line",
        "retention": "line",
        "insertion, left open by flush contact": "band",
        "retention, left open by flush contact": "band",
    }
    band = found["insertion, left open by flush contact"]
    open_from = band.x[np.isfinite(band.y)].min()
    assert_allclose(open_from, 3.0, atol=0.01)
    # The wall holds the leaf 6 below its hinge or, further in, 2 below: κθ / (6/μ - 1) to κθ / (2/μ - 1).
    assert_allclose(np.nanmax(band.y), 100 * 2 * np.arctan(1 / 5) / (2 / 0.3 - 1), rtol=1e-9)
    assert_allclose(np.nanmin(band.low), 100 * 2 * np.arctan(1 / 5) / (6 / 0.3 - 1), rtol=1e-9)


def test_without_flush_contact_there_is_no_band():
    assert {series.style for series in hooks(Fraction(3, 10)).plots()["force"].series} == {"line"}


def test_angles_are_drawn_for_every_pawl_and_way():
    found = named(hooks(Fraction(3, 10)).plots()["angles"])
    assert list(found) == ["left", "right", "left back", "right back"]
    assert_allclose(found["left"].y.min(), -11.0998, atol=1e-3)
    assert_allclose(found["left"].y, -found["right"].y, atol=1e-9)


def test_a_snap_is_upright_in_the_angles():
    series = named(diode().plots()["angles"])["pawl"]
    jumps = np.flatnonzero(np.abs(np.diff(series.y)) > 10)
    assert_allclose(series.x[jumps], [10, 15])
    assert_allclose(series.x[jumps + 1], [10, 15])


# Slices


def test_there_is_a_slice_for_every_pawl_and_way():
    slices = [name for name in hooks(Fraction(3, 10)).plots() if name.startswith("slice")]
    assert slices == ["slice left", "slice right", "slice left back", "slice right back"]


def test_every_leg_has_its_slice_along_the_whole_travel():
    plan = [{"velocity": [0, -1], "until": 2}, {"velocity": [0, -2], "until": 4}]
    model = two_hooks().model_copy(update={"root": two_hooks().root.model_validate({"plan": plan})})
    plots = solve(model, SnapStudy(arithmetic="float")).plots()
    first, second = (named(plots[f"slice left leg {leg}"])["path"] for leg in (1, 2))
    assert_allclose([first.x[0], first.x[-1], second.x[0], second.x[-1]], [0, 2, 2, 10], atol=1e-9)
    assert_allclose(second.y[0], first.y[-1], atol=1e-6)


def test_sticking_is_drawn_where_friction_holds_and_only_there():
    without, with_it = hooks(Fraction(0)).plots()["slice left"], hooks(Fraction(7, 10)).plots()["slice left"]
    assert "sticking" not in named(without)
    found = named(with_it)
    assert [series.name for series in with_it.series][:3] == ["path", "sticking", "sliding"]
    lock = [2.67632, -10.679]
    for name in ("sticking", "sliding"):
        places = np.column_stack([found[name].x, found[name].y])
        assert np.nanmin(np.abs(places - lock).max(axis=1)) < 1e-3


def test_events_lie_on_the_path():
    found = named(diode().plots()["slice pawl"])
    path = np.column_stack([found["path"].x, found["path"].y])
    events = np.column_stack([found["events"].x, found["events"].y])
    assert len(events) == 6
    assert np.abs(path[None] - events[:, None]).max(axis=2).min(axis=1).max() < 1e-6


def test_the_areas_of_a_slice_are_closed_rings_apart():
    areas = [series for series in diode().plots()["slice pawl"].series if series.style == "area"]
    assert [series.name for series in areas] == ["forbidden", "free", "out of reach"]
    for series in areas:
        ends = np.flatnonzero(np.isnan(series.x))
        starts = [0, *(ends[:-1] + 1)]
        assert_allclose(series.x[starts], series.x[ends - 1])
        assert_allclose(series.y[starts], series.y[ends - 1])


def test_a_slice_of_too_many_contacts_is_left_out(monkeypatch):
    monkeypatch.setattr(charts, "MOST", 10)
    assert list(diode().plots()) == ["force", "angles"]


def test_a_fastener_that_jams_at_once_has_no_forces_to_show():
    peg = {
        "name": "peg",
        "hinge": [0, 0],
        "outline": [[-1, 0], [0, -2], [1, 0]],
        "stiffness": 1,
        "stops": [0, 0],
    }
    model = Fastener.model_validate(
        {
            "root": {"velocity": [0, -1], "until": 5},
            "pawls": [peg],
            "obstacles": [{"outline": [[-3, -4], [3, -4], [3, -2], [-3, -2]]}],
        }
    )
    assert list(solve(model).plots()) == ["slice peg"]


# Drawn


@pytest.mark.parametrize("name", ["force", "angles", "slice left", "slice left back"])
def test_views_draw_every_series_with_its_name(name):
    plot = hooks(Fraction(7, 10)).plots()[name]
    sheet = pliant.view.chart(plot)
    legend = sheet.axes[0].get_legend() or sheet.legends[0]
    assert {text.get_text() for text in legend.get_texts()} == {series.name for series in plot.series}


def test_an_area_keeps_its_holes_open():
    outside, hole = (
        np.array([[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]),
        np.array([[1, 1], [1, 3], [3, 3], [3, 1], [1, 1]]),
    )
    rings = np.vstack([outside, [[np.nan, np.nan]], hole, [[np.nan, np.nan]]]).astype(float)
    sheet = pliant.view.chart(
        Plot("", "x", "y", (Series("ring", rings[:, 0].copy(), rings[:, 1].copy(), "area"),))
    )
    sheet.canvas.draw()
    (axes,) = sheet.axes
    assert [type(patch) for patch in axes.patches] == [PathPatch]
    pixels = np.asarray(sheet.canvas.buffer_rgba())

    def colour(x, y):
        column, row = axes.transData.transform((x, y))
        return tuple(pixels[len(pixels) - 1 - round(row), round(column), :3])

    assert colour(0.5, 1.7) == (180, 188, 200)
    assert colour(1.7, 1.7) != colour(0.5, 1.7)


def test_a_heavy_line_is_thick_and_a_dashed_one_thin():
    x, y = np.array([0.0, 1.0]), np.array([0.0, 1.0])
    styles = ("line", "heavy", "dashed")
    sheet = pliant.view.chart(Plot("", "x", "y", tuple(Series(s, x.copy(), y.copy(), s) for s in styles)))
    line, heavy, dashed = sheet.axes[0].lines
    assert heavy.get_linewidth() > 2 * line.get_linewidth() > 2 * dashed.get_linewidth()
    assert dashed.is_dashed()
    assert heavy.get_zorder() < line.get_zorder()
