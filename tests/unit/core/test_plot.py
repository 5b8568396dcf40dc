import numpy as np
import pytest

from pliant.core.plot import Plot, Series


def chart() -> Plot:
    x = np.arange(3.0)
    bars = Series("share", x, x, "bars", low=x - 1, high=x + 1)
    return Plot("Shares", "joint", "share", (bars,), y_scale="log", ticks=("a", "b", "c"), note="of 3")


def test_what_is_saved_is_what_is_loaded(tmp_path):
    chart().save(tmp_path / "plot.json")
    assert Plot.load(tmp_path / "plot.json").to_dict() == chart().to_dict()


def test_series_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match="lengths differ"):
        Plot("t", "x", "y", (Series("s", np.zeros(3), np.zeros(2)),))


def test_what_has_no_value_is_null_in_json_and_not_a_number_again(tmp_path):
    rings = Series("free", np.array([0, 1, np.nan, 2.0]), np.array([0, np.inf, np.nan, 1.0]), "area")
    Plot("Slice", "x", "y", (rings,)).save(tmp_path / "plot.json")
    again = Plot.load(tmp_path / "plot.json").series[0]
    np.testing.assert_array_equal(again.x, rings.x)
    np.testing.assert_array_equal(again.y, [0, np.nan, np.nan, 1.0])
