"""A picture of a file with faults, as its kind can draw it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pliant.core.errors import Fault
from pliant.core.motion import Motion
from pliant.files.kinds import KINDS, fetch
from pliant.files.parameters import resolved
from pliant.files.schemas import schema


def drawn_with_faults(
    data: Mapping[str, Any], faults: Sequence[Fault], parameters: Mapping[str, object] | None = None
) -> Motion:
    """Whatever can be read from a faulty file, each part with its faults; of no known kind, nothing."""
    kind: Any = data.get("kind")
    known = isinstance(kind, str) and kind in KINDS
    data = resolved(data, schema(kind), parameters).data if known else data
    marks = fetch(KINDS[kind].sketch)(data, faults) if known else ()
    return Motion(
        axis="drawn", unit="", values=np.zeros(1), title="as drawn, with its faults", marks=tuple(marks)
    )
