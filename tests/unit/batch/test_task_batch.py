"""Batches in processes: every task once, in order, whatever happens to some."""

import os
from pathlib import Path

import pytest
from tests.unit.batch.work import obey

from pliant.batch.journal import Journal
from pliant.batch.task_batch import open_batch, run_batch
from pliant.core.progress import silent


@pytest.mark.slow
def test_results_come_in_the_order_of_tasks_and_what_fails_is_told(tmp_path: Path):
    tasks = ["do 1", "die 2", "do 3", "hang 4", "do 5"]
    with Journal(tmp_path / "rows.jsonl", resume=False) as journal:
        results = run_batch(obey, tasks, jobs=2, limit_s=12.0, journal=journal)
    assert list(results) == tasks
    assert [results[task].get("number") for task in tasks] == [1, None, 3, None, 5]
    assert (results["die 2"]["late"], results["hang 4"]["late"]) == (False, True)
    assert "exit code 3" in results["die 2"]["lost"]
    assert results["hang 4"]["lost"] == "no end in 12 s"


def test_processes_have_one_thread_and_this_one_has_what_it_had():
    before = os.environ.get("OPENBLAS_NUM_THREADS")
    assert run_batch(obey, ["do 1"], jobs=1)["do 1"]["threads"] == "1"
    assert os.environ.get("OPENBLAS_NUM_THREADS") == before


def test_rounds_of_tasks_go_to_the_same_processes_and_what_a_journal_has_is_not_done_again(tmp_path: Path):
    with (
        Journal(tmp_path / "rows.jsonl", resume=False) as journal,
        open_batch(obey, jobs=1, journal=journal) as run,
    ):
        first = run(["do 1", "do 2"], silent)
        second = run(["do 2", "do 3"], silent)
        lost = run(["die 4", "do 5"], silent)
    processes = {result["process"] for result in (*first.values(), *second.values())}
    assert len(processes) == 1
    assert second["do 2"] is first["do 2"]
    assert "exit code 3" in lost["die 4"]["lost"]
    assert lost["do 5"]["process"] not in processes


def test_a_stop_keeps_what_is_done_and_resume_does_the_rest(tmp_path: Path):
    tasks = [f"nap {number}" for number in range(6)]

    def stop_soon(done: int, total: int | None, text: str) -> None:
        if done >= 2:
            raise KeyboardInterrupt

    with Journal(tmp_path / "rows.jsonl", resume=False) as journal:
        some = run_batch(obey, tasks, jobs=1, journal=journal, progress=stop_soon)
    assert 2 <= len(some) < 6
    with Journal(tmp_path / "rows.jsonl", resume=True) as journal:
        assert journal.done(tasks) == some
        whole = run_batch(obey, tasks, jobs=1, journal=journal)
    assert [result["number"] for result in whole.values()] == list(range(6))


@pytest.mark.slow
def test_a_cluster_of_two_loses_a_worker_and_no_task():
    distributed = pytest.importorskip("distributed")
    from pliant.batch.cluster import run_on_cluster

    tasks = [f"nap {number}" for number in range(24)]
    killed: list[int] = []
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:

        def kill_one(done: int, total: int | None, text: str) -> None:
            if done >= 4 and not killed:
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], 9)

        results = dict(run_on_cluster(client, obey, tasks, None, kill_one))
    assert killed
    assert sorted(result["number"] for result in results.values()) == list(range(24))


@pytest.mark.slow
def test_a_cluster_gives_up_what_does_not_end_and_goes_on():
    pytest.importorskip("distributed")
    results = run_batch(obey, ["do 1", "hang 2", "do 3"], cluster="local", jobs=2, limit_s=15.0)
    assert [result.get("number") for result in results.values()] == [1, None, 3]
    assert results["hang 2"] == {"lost": "no end in 15 s", "late": True}
