"""The strain of a beam against what it may have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Strain:
    """The largest strain of a beam on its ways, and what it may have; None where no limit is given."""

    peak: float
    limit: float | None
    slope: float = 0.0  # rad: how far its nose turns at most

    @property
    def exceeds(self) -> bool:
        """Whether it is too much."""
        return self.limit is not None and self.peak > self.limit

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"peak": self.peak, "limit": self.limit, "slope": self.slope}
