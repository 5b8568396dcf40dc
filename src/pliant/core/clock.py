"""Where the time of a solve goes, by phase."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter


@dataclass
class Clock:
    """Seconds spent in each named phase; phases do not nest."""

    seconds: dict[str, float] = field(default_factory=lambda: {})

    @contextmanager
    def phase(self, name: str) -> Generator[None]:
        """Add the time spent inside to a phase."""
        started = perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + perf_counter() - started
