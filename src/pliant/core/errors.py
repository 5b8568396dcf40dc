"""Bad input, said so that it can be cured.

A finding (a jam, a lock, an overlap) is never an exception; see `core.status`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class PliantError(Exception):
    """What the user gave cannot be used. The message says where, what, and what to try."""


@dataclass(frozen=True)
class Fault:
    """One thing wrong with an input: where it is, what it says, and how to mend it."""

    where: str  # key path, such as "bodies[2].outline[4]"; "" for the whole file
    problem: str
    cure: str = ""

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        cure = f". {self.cure}" if self.cure else ""
        return f"{place}{self.problem}{cure}"


class InputError(PliantError):
    """Every fault of one input, listed at once."""

    def __init__(self, faults: Sequence[Fault], source: str = "") -> None:
        self.faults = tuple(faults)
        self.source = source
        prefix = f"{source}: " if source else ""
        super().__init__("\n".join(f"{prefix}{fault}" for fault in self.faults))
