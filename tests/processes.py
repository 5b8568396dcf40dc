"""Python in processes of its own, with an empty home for compiled loops."""

import os
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
WITH_TESTS = os.pathsep.join(map(str, (SOURCE, SOURCE.parent)))


def environment(cache: Path | None, **variables: str | None) -> dict[str, str]:
    """This environment, with compiled loops kept elsewhere if asked; a variable that is None is not set."""
    place = {"NUMBA_CACHE_DIR": str(cache)} if cache else {}
    given = {**os.environ, "PYTHONPATH": str(SOURCE), **place, **variables}
    return {name: value for name, value in given.items() if value is not None}


def start(code: str, cache: Path | None, *args: str, **variables: str | None) -> subprocess.Popen[str]:
    """A process that runs some Python."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *args],
        env=environment(cache, **variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def said(code: str, cache: Path | None, *args: str, **variables: str | None) -> tuple[str, str]:
    """What it printed and what it complained of, when it is done and nothing went wrong."""
    process = start(code, cache, *args, **variables)
    out, complaints = process.communicate(timeout=600)
    assert process.returncode == 0, complaints
    return out, complaints
