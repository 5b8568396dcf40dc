"""What is done of a batch stays done: whole lines, in any order, whatever ended the run."""

from pathlib import Path

import pytest

from pliant.batch.journal import Journal, read_journal
from pliant.core.errors import InputError


def test_what_was_kept_is_there_when_it_is_opened_again(tmp_path: Path):
    path = tmp_path / "a.rows.jsonl"
    with Journal(path, resume=False) as journal:
        journal.keep("one", {"figure": 0.1, "none": float("nan")})
        journal.keep("two", {"figure": 1 / 3})
    with Journal(path, resume=True) as journal:
        assert journal.done(["two", "three", "one"]) == {
            "two": {"figure": 1 / 3},
            "one": {"figure": 0.1, "none": None},
        }


def test_a_line_that_was_cut_off_is_done_again_and_harms_no_other(tmp_path: Path):
    path = tmp_path / "a.rows.jsonl"
    with Journal(path, resume=False) as journal:
        journal.keep("one", {"n": 1})
        journal.keep("two", {"n": 2})
    path.write_bytes(path.read_bytes()[:-5])
    with Journal(path, resume=True) as journal:
        assert journal.done(["one", "two"]) == {"one": {"n": 1}}
        journal.keep("three", {"n": 3})
    with Journal(path, resume=True) as journal:
        assert journal.done(["one", "two", "three"]) == {"one": {"n": 1}, "three": {"n": 3}}


def test_a_run_that_was_not_finished_is_not_begun_anew_by_oversight(tmp_path: Path):
    path = tmp_path / "a.rows.jsonl"
    with Journal(path, resume=False) as journal:
        journal.keep("one", {"n": 1})
    with pytest.raises(InputError, match="holds 1 results of a run that was not finished"):
        Journal(path, resume=False)
    Journal(path, resume=True).remove()
    assert read_journal(path) == {}
