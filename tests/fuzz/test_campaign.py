"""Broken gallery files, some hundred: none breaks pliant. `make fuzz` tries as many as you like."""

from itertools import islice
from pathlib import Path

import pytest
from tests.fuzz import trial
from tests.fuzz.campaign import Case, Worker, cases, run
from tests.fuzz.mutations import KINDS, mutated

SOLVES, DRAWS = 8, 5  # one in so many is solved, and one in so many of those drawn


@pytest.mark.parametrize("files", [120, pytest.param(400, marks=pytest.mark.slow)])
def test_no_broken_file_breaks_loading_checking_solving_or_drawing(tmp_path: Path, files: int):
    tally = run(islice(cases(KINDS, 1, SOLVES, DRAWS), files), tmp_path)
    assert tally.files == files
    assert tally.solves >= files // SOLVES // 5
    assert not tally.findings, tally.table()


def test_a_seed_gives_the_same_file_again_and_another_one_another():
    assert mutated("linkage", 7) == mutated("linkage", 7) != mutated("linkage", 8)


def test_a_file_without_end_is_a_finding_and_is_left_for_a_replay(tmp_path: Path):
    tally = run([Case("mechanism", 3, False, False)], tmp_path, limit_s=1e-3)
    assert [finding["what"] for _, finding in tally.findings] == ["no end in 0.001 s"]
    assert (tmp_path / "mechanism-3.json").read_text() == mutated("mechanism", 3)
    assert "files 1, solves 0, findings 1" in tally.table()


def test_a_worker_goes_on_after_its_process_has_ended(tmp_path: Path):
    worker = Worker(tmp_path, 1e-3)
    assert worker(Case("mechanism", 3, False, False))["outcome"] == "no end"
    worker.limit_s = 60.0
    assert worker(Case("mechanism", 3, False, False))["outcome"] in ("refused", "loaded")
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
    trial._solve(found, model, refused=True)
    assert [finding.what for finding in found.findings] == ["check refuses what solve takes"]
