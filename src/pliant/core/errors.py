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
    problem: str  # what is wrong, without a full stop
    cure: str = ""  # what to try
    names: tuple[str, ...] = ()  # of the parts it is about, so that a picture can show it on them

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        cure = f". {self.cure}" if self.cure else ""
        return f"{place}{self.problem}{cure}"


MOST = 1000  # faults that are listed; nobody reads on, and millions take long to find

MORE = Fault("", f"there are more faults than the {MOST} listed", "Mend these first")


class InputError(PliantError):
    """Every fault of one input, listed at once, up to a thousand."""

    def __init__(self, faults: Sequence[Fault], source: str = "") -> None:
        self.faults = tuple(faults) if len(faults) <= MOST else (*faults[:MOST], MORE)
        self.source = source
        prefix = f"{source}: " if source else ""
        super().__init__("\n".join(f"{prefix}{fault}" for fault in self.faults))
