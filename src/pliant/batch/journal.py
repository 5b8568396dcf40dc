"""What was done of a batch, on disk as it comes: a line of JSON for each task.

A line is written whole and forced to the disk before the next task counts as done; a line that a power cut
or kill -9 left half written is left out when the journal is read.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from pliant.core.errors import Fault, InputError
from pliant.core.store import sayable


class Journal(AbstractContextManager["Journal"]):
    """Results by task's digest. Opened to go on (`resume`) it has those of the runs before."""

    def __init__(self, path: Path, *, resume: bool) -> None:
        self.path = path
        self.results: dict[str, Any] = read_journal(path) if resume else {}
        if not resume and path.exists():
            problem = f"holds {len(read_journal(path))} results of a run that was not finished"
            raise InputError([Fault("", problem, "Go on with --resume, or remove the file")], str(path))
        self._file: IO[str] | None = None

    def done(self, tasks: Iterable[str]) -> dict[str, Any]:
        """Of these tasks, the results that it has."""
        return {task: self.results[key] for task in tasks if (key := _digest(task)) in self.results}

    def keep(self, task: str, result: Mapping[str, Any]) -> None:
        """Write a task's result, and see it on the disk."""
        key = _digest(task)
        self.results[key] = result
        if self._file is None:
            self._file = self.path.open("a", encoding="utf-8")
            if self._file.tell() and not _ends_whole(self.path):
                self._file.write("\n")
        self._file.write(json.dumps({"task": key, "result": sayable(result)}, ensure_ascii=False) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def remove(self) -> None:
        """What it held stands elsewhere now."""
        self.close()
        self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _digest(task: str) -> str:
    """A task in a few characters: it may hold a whole model."""
    return hashlib.sha256(task.encode()).hexdigest()


def read_journal(path: Path) -> dict[str, Any]:
    """Results by digest of the task; {} where there is no journal."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            [Fault("", f"cannot be read: {error}", "Remove it to begin anew")], str(path)
        ) from None
    results: dict[str, Any] = {}
    for line in text.splitlines():
        try:
            entry = json.loads(line)
            results[entry["task"]] = entry["result"]
        except (ValueError, TypeError, KeyError):
            continue  # cut off while it was written: that task is done again
    return results


def _ends_whole(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
