"""As many threads as there are cores to use, by affinity and quota, and no more than PLIANT_THREADS."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.processes import said

from pliant.core import threads
from pliant.core.errors import PliantError


@pytest.fixture(autouse=True)
def _counted_anew() -> Iterator[None]:
    def forget() -> None:
        for cached in (threads.threads, threads.cores, threads._pool):
            cached.cache_clear()

    forget()
    yield
    forget()


@pytest.fixture
def eight_cores(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine of eight cores without a quota; where a quota would be."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setattr(threads, "QUOTA", tmp_path / "cpu.max")
    monkeypatch.delenv("PLIANT_THREADS", raising=False)
    return tmp_path / "cpu.max"


@pytest.mark.parametrize(("given", "used"), [("", 8), ("1", 1), ("3", 3), ("99", 8)])
def test_the_variable_is_an_upper_bound(
    eight_cores: Path, monkeypatch: pytest.MonkeyPatch, given: str, used: int
):
    monkeypatch.setenv("PLIANT_THREADS", given)
    assert threads.threads() == used


@pytest.mark.parametrize("given", ["0", "x", "-1", "1.5", "²", " "])
def test_what_is_no_number_of_threads_is_refused(
    eight_cores: Path, monkeypatch: pytest.MonkeyPatch, given: str
):
    monkeypatch.setenv("PLIANT_THREADS", given)
    with pytest.raises(PliantError, match=rf"PLIANT_THREADS={given}: .* Give 1 or more"):
        threads.threads()


@pytest.mark.parametrize(
    ("quota", "cores"),
    [
        ("50000 100000", 1),
        ("100000 100000", 1),
        ("250000 100000", 3),
        ("9900000 100000", 8),
        ("max 100000", 8),
        ("", 8),
        ("100000 0", 8),
        ("nonsense", 8),
    ],
)
def test_a_quota_of_a_container_is_heeded(eight_cores: Path, quota: str, cores: int):
    eight_cores.write_text(f"{quota}\n")
    assert threads.cores() == cores


def test_no_quota_is_no_limit(eight_cores: Path):
    assert threads.cores() == 8


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="processes are not bound to cores here")
def test_a_process_bound_to_one_core_uses_one():
    code = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "from pliant.core.threads import threads; print(threads())"
    )
    assert said(code, None, PLIANT_THREADS=None)[0].strip() == "1"


def test_jobs_are_shared_among_threads_and_come_back_in_order(eight_cores: Path):
    met = threading.Barrier(3, timeout=20)  # passed only by three at a time

    def work(job: int) -> int:
        met.wait()
        return job * job

    assert threads.in_threads(work, [1, 2, 3]) == [1, 4, 9]


def test_one_thread_is_the_callers_own(eight_cores: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PLIANT_THREADS", "1")
    here = threading.get_ident()
    assert threads.in_threads(lambda _: threading.get_ident(), [1, 2, 3]) == [here] * 3


def test_an_error_in_a_thread_is_the_callers(eight_cores: Path):
    with pytest.raises(ZeroDivisionError):
        threads.in_threads(lambda job: 1 / job, [1, 0])
