"""How many threads scipy's BLAS takes."""

from __future__ import annotations

import ctypes
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import scipy


@contextmanager
def one_blas_thread() -> Generator[None, None, None]:
    """Keep scipy's BLAS to one thread: fronts are small, and its idle threads spin.

    Does nothing where scipy brings another BLAS than its wheels do.
    """
    get, put = _thread_counts()
    if get is None or put is None:
        yield
        return
    before = get()
    put(1)
    try:
        yield
    finally:
        put(before)


@cache
def _thread_counts() -> tuple[Any, Any]:
    """What gets and what puts the number of threads; None where there is no such function."""
    libraries = sorted(Path(str(scipy.__file__)).parent.with_name("scipy.libs").glob("*openblas*"))
    library = ctypes.CDLL(str(libraries[0])) if libraries else None
    names = ("scipy_openblas_get_num_threads", "scipy_openblas_set_num_threads")
    return getattr(library, names[0], None), getattr(library, names[1], None)
