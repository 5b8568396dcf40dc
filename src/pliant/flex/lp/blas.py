"""How many threads scipy's BLAS takes."""

from __future__ import annotations

import ctypes
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import scipy


@contextmanager
def one_blas_thread() -> Generator[None, None, None]:
    """Keep scipy's BLAS to one thread: fronts are small, and its idle threads spin.

    Does nothing where scipy brings another BLAS than its wheels do.
    """
    libraries = sorted(Path(str(scipy.__file__)).parent.with_name("scipy.libs").glob("*openblas*"))
    library = ctypes.CDLL(str(libraries[0])) if libraries else None
    get = getattr(library, "scipy_openblas_get_num_threads", None)
    put = getattr(library, "scipy_openblas_set_num_threads", None)
    if get is None or put is None:
        yield
        return
    before = get()
    put(1)
    try:
        yield
    finally:
        put(before)
