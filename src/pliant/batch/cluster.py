"""Tasks handed to a Dask cluster: the same work as in processes here, with the same results.

A worker that is lost is Dask's concern: its tasks go to others. A time limit needs a process that can be
ended, so that with one every task has a process of its own on the worker.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from pliant.batch.crew import LateError, LostError
from pliant.core.errors import Fault, InputError
from pliant.core.progress import Progress, silent

LOCAL = "local"  # in place of an address: a cluster is started here
WAIT_S = 20.0  # for a scheduler to answer
EVERY = 0.5  # seconds between reports


@contextmanager
def dask_client(address: str, jobs: int) -> Generator[Any]:
    """A client of the cluster at an address such as "tcp://10.0.0.5:8786"; "local" starts one of `jobs`."""
    if find_spec("distributed") is None:
        cure = 'Install it: pip install "pliant[cluster]"'
        raise InputError([Fault("--cluster", "needs dask.distributed, which is not installed", cure)])
    dask: Any = import_module("distributed")
    with ExitStack() as stack:
        try:
            at: Any = address
            if address == LOCAL:
                at = dask.LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=None)
                stack.enter_context(at)
            client = stack.enter_context(dask.Client(at, timeout=WAIT_S))
        except (OSError, ValueError, TimeoutError) as error:
            problem = f"{address!r} does not answer as a Dask scheduler ({type(error).__name__})"
            raise InputError([Fault("--cluster", problem, 'Give "tcp://host:8786", or "local"')]) from None
        yield client


def run_on_cluster(
    client: Any,
    work: Callable[[str, Progress], Mapping[str, Any] | None],
    tasks: Sequence[str],
    limit_s: float | None,
    progress: Progress,
) -> Generator[tuple[str, Any]]:
    """Each task and what came of it, as it comes; a LostError where it could not be done."""
    dask: Any = import_module("distributed")
    futures = {client.submit(_at_worker, work, task, limit_s, pure=False): task for task in tasks}
    waiting, done = dask.as_completed(list(futures)), 0
    try:
        while done < len(tasks):
            progress(done, len(tasks), "on the cluster")
            for future in _ready(waiting):
                done += 1
                yield futures[future], _outcome(future)
    finally:
        client.cancel(list(futures))


def _ready(waiting: Any) -> list[Any]:
    """What is finished by now; waits a while where nothing is."""
    import queue

    try:
        return [waiting.queue.get(timeout=EVERY)]
    except queue.Empty:
        return []


def _outcome(future: Any) -> Any:
    error = future.exception()
    return future.result() if error is None else LostError(f"{type(error).__name__}: {error}")


def _at_worker(work: Callable[[str, Progress], Any], task: str, limit_s: float | None) -> Any:
    """Do a task on the worker that was given it."""
    if limit_s is None:
        return work(task, silent)
    place = f"{work.__module__}:{work.__qualname__}"
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pliant.batch.cluster", place],
            input=task,
            capture_output=True,
            text=True,
            timeout=limit_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return LateError(f"no end in {limit_s:g} s")
    return json.loads(done.stdout) if done.returncode == 0 else LostError(f"exit code {done.returncode}")


def _main() -> None:
    module, _, name = sys.argv[1].partition(":")
    work = getattr(import_module(module), name)
    sys.stdout.write(json.dumps(work(sys.stdin.read(), silent)))


if __name__ == "__main__":
    _main()
