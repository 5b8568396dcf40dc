"""What a newcomer waits for: first answers with nothing compiled, and the compiler, loop by loop."""

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

from benchmarks.measure import seconds, table

PLIANT = [sys.executable, "-c", "from pliant import main; main()"]
FIRST = {  # small models of every kind, and two that are worth a wait
    "flex eight-blocks -o x.html": ("eight-blocks", ["flex"]),
    "trace jansen -o x.html": ("jansen", ["trace"]),
    "edit of Jansen's leg": ("jansen-displaced", ["edit"]),
    "relax excavator -o x.html": ("excavator", ["relax"]),
    "relax stewart-10 -o x.html": ("stewart-10", ["relax"]),
    "snap two-hooks --reverse -o x.html": ("two-hooks", ["snap", "--reverse"]),
    "snap motion-diode --classify -o x.html": ("motion-diode", ["snap", "--classify"]),
    "relax cam -o x.html (waits for the compiler)": ("cam", ["relax"]),
    "flex beam-1703 (waits for the compiler)": ("beam-1703", ["flex"]),
}
METHODS = ("flex.geometry", "flex", "linkage", "relax", "relax.machines", "snap")
KERNELS = """
import json, sys, time
began = time.process_time()
from pliant.core.loops import compile_all, loops_of
reports = []
for method in sys.argv[1:]:
    tell = lambda done, total, text: reports.append((time.process_time() - began, method, text))
    compile_all(loops_of(method), tell)
    reports.append((time.process_time() - began, method, ""))
json.dump(reports, sys.stdout)
"""


@contextmanager
def nothing_compiled() -> Iterator[dict[str, str]]:
    """An environment whose cache is empty."""
    with tempfile.TemporaryDirectory() as folder:
        yield {**os.environ, "NUMBA_CACHE_DIR": folder}


def cpu(command: list[str], folder: str, environment: dict[str, str]) -> float:
    """Seconds of processor time that a command takes, without the process that compiles beside it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def first_answers(quick: bool) -> Iterator[str]:
    """CPU seconds of a command as the first of all, and once everything is compiled."""
    rows = []
    for title, (name, command) in FIRST.items():
        if quick and "waits" in title:
            continue
        with tempfile.TemporaryDirectory() as folder, nothing_compiled() as fresh:
            subprocess.run(
                [*PLIANT, "examples", name, "-o", "x.toml"], cwd=folder, check=True, capture_output=True
            )
            asked = [*PLIANT, command[0], "x.toml", *command[1:], "-o", "x.html"]
            rows.append(
                [title, seconds(cpu(asked, folder, fresh)), seconds(cpu(asked, folder, dict(os.environ)))]
            )
    yield "### First answers\n\n" + table(["command", "CPU s, nothing compiled", "CPU s, all compiled"], rows)


def kernels(quick: bool) -> Iterator[str]:
    """CPU seconds of the compiler for each loop, with an empty cache, all methods in one process."""
    with nothing_compiled() as fresh:
        command = [sys.executable, "-c", KERNELS, *METHODS]
        done = subprocess.run(command, env=fresh, check=True, capture_output=True, text=True)
    reports = json.loads(done.stdout)
    rows, sums, began = [], [], 0.0
    for method in METHODS:
        own = [(spent, text) for spent, of, text in reports if of == method]
        sums.append([method, len(own) - 1, seconds(own[-1][0] - began)])
        began = own[-1][0]
        for (start, text), (end, _) in pairwise(own):
            rows.append((end - start, text.removeprefix("compiling ").partition(",")[0]))
    sums.append(["all", len(rows), seconds(began)])
    yield "### Compiling everything\n\n" + table(["method", "loops", "CPU s, imports and all"], sums)
    rows.sort(reverse=True)
    shown = rows[: 12 if quick else 30]
    rest = [["the rest", seconds(sum(row[0] for row in rows[len(shown) :]))]]
    yield table(["loop, with what it calls first", "CPU s"], [[name, seconds(s)] for s, name in shown] + rest)


SECTIONS = {"first": first_answers, "compiling": kernels}
