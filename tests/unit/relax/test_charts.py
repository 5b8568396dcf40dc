"""Charts of a mechanism's run."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import pliant.view
from pliant.relax.charts import plots, signals
from pliant.relax.model import Mechanism

FRAMES = 5
DRIVE = np.linspace(0, 100, FRAMES)


def lift(actuators: int = 1, **more) -> Mechanism:
    """A node on a bar, pushed by actuators from several held ones."""
    feet = {f"f{k}": (float(k), -1.0) for k in range(actuators)}
    return Mechanism.model_validate(
        {
            "nodes": {"a": (0, 4), "t": (3, 4), **feet},
            "ground": ["a", *feet],
            "bars": [{"nodes": ["a", "t"]}],
            "actuators": [{"nodes": [foot, "t"], "to": 7} for foot in feet],
            **more,
        }
    )


def swung(model: Mechanism) -> np.ndarray:
    """The node on its bar turned by up to a fifth of a radian, (F, N, 2)."""
    places = np.tile(np.array(list(model.nodes.values())), (FRAMES, 1, 1))
    angles = np.linspace(0, 0.2, FRAMES)
    places[:, 1] = [0, 4] + 3 * np.column_stack([np.cos(angles), np.sin(angles)])
    return places


def test_what_is_left_along_the_drive_is_on_a_logarithmic_scale_with_gaps_at_zero(by_hand):
    errors = np.array([0.0, 1e-15, 1e-9, 1e-3, 1e-2])
    plot = plots(by_hand(lift(), swung(lift()), length_errors=errors, loads=errors[::-1].copy()))["errors"]
    assert plot.y_scale == "log"
    names = [series.name for series in plot.series]
    assert names == ["largest residual", "largest length error (mm)", "internal load"]
    for series, wanted in zip(plot.series[1:], (errors, errors[::-1]), strict=True):
        assert_allclose(series.x, DRIVE)
        assert_allclose(series.y, np.where(wanted > 0, wanted, np.nan))


def test_forces_have_a_unit_where_loads_are_given(by_hand):
    model = lift(loads=[{"node": "t", "force": [0, -3]}])
    names = [series.name for series in plots(by_hand(model, swung(model)))["errors"].series]
    assert names == ["largest residual (N)", "largest length error (mm)", "internal load (N)"]


def test_residuals_of_every_iteration_are_shown_with_the_errors_of_the_frames(by_hand):
    history = (np.array([4.0, 2.0]), np.array([1.0, 0.5, 0.25]))
    plot = plots(by_hand(lift(), swung(lift()), history=history))["iterations"]
    residual, error = plot.series
    assert (plot.x_label, plot.y_scale, plot.note) == ("iteration", "log", "")
    assert_allclose(residual.x, [1, 2, 3, 4, 5])
    assert_allclose(residual.y, [4, 2, 1, 0.5, 0.25])
    assert_allclose(error.x, DRIVE)  # by hand, a frame is kept at each iteration of a hundred


def test_a_long_history_keeps_its_peaks(by_hand):
    residuals = np.exp(-np.arange(100_001) / 1e4)
    residuals[54_321] = 7.0
    plot = plots(by_hand(lift(), swung(lift()), history=(residuals,)))["iterations"]
    shown = plot.series[0]
    assert len(shown.x) <= 2000
    assert shown.y.max() == 7
    assert abs(shown.x[shown.y.argmax()] - 54_322) <= 51
    assert plot.note == "each point is the largest of 51 iterations"


def test_methods_that_do_not_iterate_have_no_chart_of_iterations(by_hand):
    assert "iterations" not in plots(by_hand(lift(), swung(lift())))


def test_actuators_are_shown_as_long_as_they_are_and_not_more_than_can_be_read(by_hand):
    (series,) = plots(by_hand(lift(), swung(lift())))["actuators"].series
    assert series.name == "f0-t"
    assert_allclose(series.y, np.linalg.norm(swung(lift())[:, 1] - [0, -1], axis=1))
    many = plots(by_hand(lift(20), swung(lift(20))))["actuators"]
    assert len(many.series) == 15
    assert many.note == "15 of 20 actuators"


def test_traced_nodes_have_their_coordinates(by_hand):
    model = lift(study={"trace": ["t"]})
    x, y = plots(by_hand(model, swung(model)))["coordinates"].series
    assert (x.name, y.name) == ("x of t", "y of t")
    assert_allclose(np.column_stack([x.y, y.y]), swung(model)[:, 1])
    assert "coordinates" not in plots(by_hand(lift(), swung(lift())))


def test_singular_values_are_shown_where_they_are_quickly_found(by_hand):
    result = by_hand(lift(), swung(lift()))
    (series,) = plots(result)["singular"].series
    assert_allclose(series.y, result.singular_values)
    assert (series.y > 0.1).all()
    assert_allclose(signals(result)["smallest singular value"].values, series.y)


def test_a_large_mechanism_is_not_asked_for_its_singular_values(by_hand):
    nodes = {f"n{k}": (float(k), float(k % 2)) for k in range(302)}
    bars = [{"nodes": [f"n{k}", f"n{k + 1}"]} for k in range(301)]
    model = Mechanism.model_validate({"nodes": nodes, "ground": ["n0"], "bars": bars})
    result = by_hand(model, np.tile(np.array(list(nodes.values())), (2, 1, 1)))
    assert "singular" not in plots(result)
    assert "smallest singular value" not in signals(result)
    assert "singular_values" not in vars(result)


def test_lengths_that_drive_are_signals_while_they_are_few(by_hand):
    assert "length of f0-t" in signals(by_hand(lift(4), swung(lift(4))))
    assert not any("length of" in name for name in signals(by_hand(lift(5), swung(lift(5)))))


@pytest.mark.few(1)
@pytest.mark.parametrize("trace", [[], ["t"]])
def test_every_chart_can_be_drawn(by_hand, trace):
    model = lift(study={"trace": trace})
    found = plots(by_hand(model, swung(model), history=(np.array([1.0, 0.1]),)))
    for plot in found.values():
        pliant.view.chart(plot).canvas.draw()
    assert ("coordinates" in found) == bool(trace)
