"""Many files tried by processes of their own, so that a hang or a crash is a finding like others."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from tests.fuzz.mutations import mutated

IDLE_S = 600  # a process that says nothing for so long is stuck


@dataclass(frozen=True)
class Case:
    """Which file, and how far it is taken."""

    kind: str
    seed: int
    solves: bool
    draws: bool

    def __str__(self) -> str:
        return f"{self.kind} {self.seed} {self.solves:d} {self.draws:d}"


@dataclass
class Tally:
    """What a campaign found."""

    files: int = 0
    solves: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    findings: list[tuple[Case, dict[str, str]]] = field(default_factory=list)

    def add(self, case: Case, trial: dict[str, Any]) -> None:
        self.files += 1
        self.solves += trial["solved"]
        self.outcomes[f"{case.kind}: {trial['outcome'] or 'broke'}"] += 1
        self.findings += [(case, finding) for finding in trial["findings"]]

    def table(self) -> str:
        """Files, solves and findings; then each sort of finding with a case of it."""
        lines = [f"files {self.files}, solves {self.solves}, findings {len(self.findings)}"]
        lines += [f"{number:8d}  {name}" for name, number in sorted(self.outcomes.items())]
        sorts: dict[str, list[Case]] = {}
        texts: dict[str, str] = {}
        for case, finding in self.findings:
            label = f"{finding['what']} in {finding['phase']}: {finding['where']}"
            sorts.setdefault(label, []).append(case)
            texts[label] = finding["text"].replace("\n", " | ")[:160]
        for label, cases in sorted(sorts.items(), key=lambda sort: -len(sort[1])):
            lines.append(f"{len(cases):6d} × {label} [{cases[0].kind} {cases[0].seed}] {texts[label]}")
        return "\n".join(lines)


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


def cases(kinds: Iterable[str], first: int, solves: int, draws: int) -> Iterator[Case]:
    """Cases without end, the kinds in turn; one in `solves` is solved, one in `draws` of those drawn."""
    kinds = tuple(kinds)
    for number in count():
        seed, kind = first + number // len(kinds), kinds[number % len(kinds)]
        yield Case(kind, seed, seed % solves == 0, seed % (solves * draws) == 0)


def run(
    todo: Iterable[Case],
    folder: Path,
    limit_s: float = 60.0,
    processes: int = 1,
    tell: Callable[[Tally], None] = lambda tally: None,
) -> Tally:
    """Try all cases; files that broke are left in the folder."""
    tally, lock, source = Tally(), threading.Lock(), iter(todo)
    faults: Queue[BaseException] = Queue()

    def work() -> None:
        worker = Worker(folder, limit_s)
        try:
            while (case := _next(source, lock)) is not None:
                trial = worker(case)
                with lock:
                    tally.add(case, trial)
                    _keep(case, trial, folder)
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
        tell(tally)
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
