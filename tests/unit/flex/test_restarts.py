"""Restarts: what becomes of the processes that do them."""

import subprocess
import sys

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
