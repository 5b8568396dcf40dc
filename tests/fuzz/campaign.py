"""Many files tried by processes of their own, so that a hang or a crash is a finding like others."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from tests.fuzz.mutations import mutated
from tests.fuzz.tally import Tally
from tests.fuzz.trial import Depth

IDLE_S = 600  # a process that says nothing for so long is stuck


@dataclass(frozen=True)
class Case:
    """Which file, and how far it is taken."""

    kind: str
    seed: int
    depth: Depth

    def __str__(self) -> str:
        return f"{self.kind} {self.seed} {self.depth:d}"


class Worker:
    """A process of `tests.fuzz.worker`, started again when it has ended."""

    def __init__(self, folder: Path, limit_s: float) -> None:
        self.folder, self.limit_s = folder, limit_s
        self.process: subprocess.Popen[str] | None = None

    def __call__(self, case: Case) -> dict[str, Any]:
        """The trial of a case; where the process ends over it, that is its finding."""
        process = self.process or self._start()
        assert process.stdin
        assert process.stdout
        process.stdin.write(f"{case}\n")
        process.stdin.flush()
        stuck = threading.Timer(IDLE_S, process.kill)
        stuck.start()
        reply = process.stdout.readline()
        stuck.cancel()
        if reply:
            return json.loads(reply)
        self.process = None
        return self._ended(process)

    def close(self) -> None:
        if self.process:
            _close(self.process)
            self.process.wait()

    def _start(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.fuzz.worker", str(self.folder), str(self.limit_s)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(command, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}, **pipes)
        return self.process

    def _ended(self, process: subprocess.Popen[str]) -> dict[str, Any]:
        code = process.wait()
        _close(process)
        slow = code in (-signal.SIGPROF, -signal.SIGKILL)
        what = f"no end in {self.limit_s:g} s" if slow else f"the process ended with {code}"
        stack = self.folder / f"stack-{process.pid}.txt"
        own = [line.strip() for line in stack.read_text().splitlines() if "/pliant/" in line]
        where = own[0].split("/pliant/")[-1] if own else ""
        finding = {"phase": "trial", "what": what, "where": where, "text": "; ".join(own[:6])}
        return {"outcome": "no end", "solved": False, "findings": [finding]}


def _close(process: subprocess.Popen[str]) -> None:
    for pipe in (process.stdin, process.stdout):
        with suppress(BrokenPipeError):
            pipe.close()


def cases(kinds: Iterable[str], first: int, solves: int, full: int, draws: int) -> Iterator[Case]:
    """Cases without end, the kinds in turn.

    One in `solves` is solved, one in `full` of those in full, one in `draws` of those drawn.
    """
    steps = (solves, solves * full, solves * full * draws)
    for seed in count(first):
        depth = Depth(sum(seed % step == 0 for step in steps))
        yield from (Case(kind, seed, depth) for kind in kinds)


def run(
    todo: Iterable[Case],
    folder: Path,
    limit_s: float = 60.0,
    processes: int = 1,
    tell: Callable[[Case, Tally], None] = lambda case, tally: None,
    tally: Tally | None = None,
) -> Tally:
    """Try all cases and add to a tally; files that broke are left in the folder."""
    tally, lock, source = tally or Tally(), threading.Lock(), iter(todo)
    faults: Queue[BaseException] = Queue()

    def work() -> None:
        worker = Worker(folder, limit_s)
        try:
            while (case := _next(source, lock)) is not None:
                trial = worker(case)
                with lock:
                    tally.add(case, trial)
                    _keep(case, trial, folder)
                    tell(case, tally)
        except BaseException as error:
            faults.put(error)
            raise
        finally:
            worker.close()

    threads = [threading.Thread(target=work, daemon=True) for _ in range(processes)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.05)
    try:
        raise faults.get_nowait()
    except Empty:
        return tally


def _next(source: Iterator[Case], lock: threading.Lock) -> Case | None:
    with lock:
        return next(source, None)


def _keep(case: Case, trial: dict[str, Any], folder: Path) -> None:
    """Leave the file that broke, and what it broke, for a replay."""
    if trial["findings"]:
        name = folder / f"{case.kind}-{case.seed}"
        name.with_suffix(".json").write_text(mutated(case.kind, case.seed), encoding="utf-8")
        name.with_suffix(".txt").write_text(json.dumps(trial["findings"], indent=1), encoding="utf-8")
