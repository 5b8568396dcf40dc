"""Broken gallery files, some hundred: none breaks pliant. `make fuzz` tries as many as you like."""

import json
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from tests.fuzz import trial
from tests.fuzz.campaign import Case, Worker, cases, run
from tests.fuzz.mutations import KINDS, keys_by_table, mutated, originals
from tests.fuzz.small import small
from tests.fuzz.tally import Ledger
from tests.fuzz.trial import Depth, touched, tried

from pliant.files import model_of

SOLVES, FULL, DRAWS = 3, 4, 2  # one in so many is solved, of those in full, of those drawn


@pytest.mark.parametrize("files", [96, pytest.param(300, marks=pytest.mark.slow)])
def test_no_broken_file_breaks_loading_checking_solving_or_drawing(tmp_path: Path, files: int):
    tally = run(islice(cases(KINDS, 1, SOLVES, FULL, DRAWS), files), tmp_path)
    assert tally.files == files
    assert tally.solves >= files // SOLVES // 5
    assert not tally.findings, tally.table()


@pytest.mark.parametrize("kind", KINDS)
def test_a_small_model_is_solved_as_it_stands(kind: str):
    for data in small(kind):
        found = tried(json.dumps(data), Depth.SOLVED)
        assert found.solved, data
        assert not found.findings


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_of_a_kind_is_in_a_model_that_is_broken(kind: str):
    used = set[str]().union(*(touched(model_of(data)) for data in originals(kind)))
    assert not set(keys_by_table(kind)) - used


def test_a_model_that_is_another_one_when_read_again_is_found(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(trial, "plain", lambda model: {**json.loads(text), "title": "another"})
    text = json.dumps(small("linkage")[0])
    found = tried(text, Depth.SOLVED)
    assert [finding.what for finding in found.findings] == ["another model when read again"]


def test_a_campaign_goes_on_where_the_last_one_ended(tmp_path: Path):
    first = Ledger(tmp_path / "tally.json")
    for case in (Case("linkage", 5, Depth.CHECKED), Case("fastener", 5, Depth.CHECKED)):
        first.tally.add(case, {"outcome": "loaded", "solved": False, "findings": []})
    first.next_seed = 6
    first.write()
    again = Ledger(tmp_path / "tally.json")
    assert (again.next_seed, again.tally) == (6, first.tally)


def test_another_version_of_the_code_has_a_tally_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    old = Ledger(tmp_path / "tally.json")
    old.tally.files, old.next_seed = 7, 3
    old.write()
    monkeypatch.setattr("tests.fuzz.tally.version", lambda: "another")
    new = Ledger(tmp_path / "tally.json")
    assert (new.next_seed, new.tally.files) == (3, 0)
    new.write()
    monkeypatch.undo()
    assert Ledger(tmp_path / "tally.json").tally.files == 7


def test_one_in_so_many_is_solved_in_full_and_drawn():
    found = list(islice(cases(("linkage",), 1, 2, 3, 2), 12))
    assert [case.depth for case in found] == [0, 1, 0, 1, 0, 2, 0, 1, 0, 1, 0, 3]


def test_what_is_nested_in_what_is_nested_is_written():
    """One change in what another had nested: deeper than Python writes by itself."""
    steps = np.cumsum([(sign in "[{") - (sign in "]}") for sign in mutated("assembly", 60_172_200)])
    assert steps.max() > 800


def test_a_seed_gives_the_same_file_again_and_another_one_another():
    assert mutated("linkage", 7) == mutated("linkage", 7) != mutated("linkage", 8)


def test_a_file_without_end_is_a_finding_and_is_left_for_a_replay(tmp_path: Path):
    tally = run([Case("mechanism", 3, Depth.CHECKED)], tmp_path, limit_s=1e-3)
    assert [finding["what"] for finding in tally.findings] == ["no end in 0.001 s"]
    assert (tmp_path / "mechanism-3.json").read_text() == mutated("mechanism", 3)
    assert "files 1, solves 0, findings 1" in tally.table()


@pytest.mark.slow
def test_a_worker_goes_on_after_its_process_has_ended(tmp_path: Path):
    worker = Worker(tmp_path, 1e-3)
    assert worker(Case("mechanism", 3, Depth.CHECKED))["outcome"] == "no end"
    worker.limit_s = 60.0
    assert worker(Case("mechanism", 3, Depth.CHECKED))["outcome"] in ("refused", "loaded")
    worker.close()


BREAKS = {
    "a raw error": (lambda: 1 / 0, "ZeroDivisionError"),
    "a warning": (lambda: trial.warnings.warn("overflow", RuntimeWarning, stacklevel=1), "RuntimeWarning"),
    "a number that JSON cannot say": (lambda: trial._strict({"x": float("nan")}), "ValueError"),
}


@pytest.mark.parametrize("case", BREAKS)
def test_what_breaks_is_found(case: str):
    act, what = BREAKS[case]
    found = trial.Trial()
    trial._attempt(found, "solve", act)
    assert [finding.what for finding in found.findings] == [what]


def test_what_check_and_solve_do_not_judge_alike_is_found():
    found = trial.Trial()
    model = trial.pliant.gallery.load("drawer")
    trial._solve(found, model, Depth.SOLVED, refused=True)
    assert [finding.what for finding in found.findings] == ["check refuses what solve takes"]
