import math
import os
from pathlib import Path

import numpy as np
import pytest

from pliant.core.errors import PliantError
from pliant.core.store import model_hash, sayable, write_csv, write_whole
from pliant.flex.model import Assembly

SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1]]


def test_a_file_that_cannot_be_written_whole_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    write_whole(path, b"old")
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert [found.name for found in tmp_path.iterdir()] == ["a.txt"]


def test_files_are_readable_as_the_umask_lets_them(tmp_path):
    mask = os.umask(0o022)
    try:
        write_whole(tmp_path / "a.txt", b"")
    finally:
        os.umask(mask)
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o644


def test_a_missing_folder_and_a_folder_in_the_way_are_named(tmp_path):
    with pytest.raises(PliantError, match="does not exist"):
        write_whole(tmp_path / "no" / "a.txt", b"")
    with pytest.raises(PliantError, match="is a folder"):
        write_whole(tmp_path, b"")


def test_equal_models_have_equal_hashes_whatever_the_sign_of_zero():
    def square(x: float) -> Assembly:
        return Assembly.model_validate(
            {"bodies": [{"name": "a", "outline": SQUARE, "fixed": True, "pose": [x, 0, 0]}]}
        )

    assert model_hash(square(0.0)) == model_hash(square(-0.0)) != model_hash(square(1e-9))


def test_numbers_that_json_cannot_say_are_null_however_deep_they_stand():
    data = {"a": [1.0, [float("nan")]], "b": {"c": (float("-inf"), 2)}, "d": np.float64("inf"), "e": "nan"}
    assert sayable(data) == {"a": [1.0, [None]], "b": {"c": [None, 2]}, "d": None, "e": "nan"}


def test_columns_are_written_exactly_with_nothing_for_what_has_no_value(tmp_path: Path):
    path = tmp_path / "table.csv"
    write_csv(path, {"a, b": [1 / 3, math.nan], "=sum(A1)": [math.inf, -2.0]})
    assert path.read_text() == '"a, b",\'=sum(A1)\n0.3333333333333333,\n,-2.0\n'


def test_columns_of_other_lengths_are_not_written(tmp_path: Path):
    with pytest.raises(ValueError, match="longer"):
        write_csv(tmp_path / "table.csv", {"a": [1.0], "b": [1.0, 2.0]})
    assert not list(tmp_path.iterdir())
