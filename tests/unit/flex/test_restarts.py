"""Restarts: what becomes of the processes that do them."""

import subprocess
import sys

import pytest

import pliant
from pliant import gallery
from pliant.flex.problem.system import compile_system
from pliant.flex.stepping import restarts
from pliant.flex.stepping.restarts import _Worker


def test_a_process_that_is_ended_leaves_no_pipe_open():
    worker = _Worker.__new__(_Worker)
    worker.process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=-1, stdout=-1)
    assert worker.process.stdin
    assert worker.process.stdout
    worker.process.stdin.close()
    worker.end()
    assert worker.process.stdout.closed
    assert worker.process.returncode is not None


def test_a_stop_while_processes_are_handed_their_work_ends_all_that_have_begun(monkeypatch):
    model = gallery.load("square-peg")
    study = model.study.model_copy(update={"restarts": 4})
    begun: list[_Worker] = []

    def begin(worker: _Worker, *_work: object) -> None:
        begun.append(worker)
        if len(begun) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(restarts, "SLOW", 0.0)
    monkeypatch.setattr(restarts, "threads", lambda: 2)
    monkeypatch.setattr(_Worker, "begin", begin)
    results = restarts._restart_results(model, compile_system(model, study), pliant.solve(model))
    with pytest.raises(KeyboardInterrupt):
        next(results)
    assert [worker.process.poll() for worker in begun] == [-9, -9]


def test_a_process_whose_work_ends_in_the_middle_says_nothing_and_is_told_of(capfd):
    worker = _Worker()
    assert worker.process.stdin
    worker.process.stdin.write(b"\x80\x05\x95")  # the first bytes of a model
    worker.process.stdin.close()
    with pytest.raises(pliant.PliantError, match="ended before its time"):
        worker.result()
    worker.end()
    assert capfd.readouterr() == ("", "")
