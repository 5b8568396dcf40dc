"""What is wrong with a fastener's file beyond single values: outlines, and names that nothing bears."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from pydantic_core import InitErrorDetails

from pliant.core.model import get, items, unknown
from pliant.core.outline import ring_fault


def outline_fault(ring: Sequence[tuple[Fraction, Fraction]]) -> str:
    """What keeps a ring from being an outline, or "" when nothing does."""
    return ring_fault(np.array([[float(x), float(y)] for x, y in ring], np.float64).reshape(-1, 2))


def reference_faults(data: Mapping[str, Any]) -> Iterable[InitErrorDetails]:
    """Names of shapes that are none."""
    shapes = get(data, "shapes")
    known = shapes if isinstance(shapes, Mapping) else {}
    for key in ("pawls", "obstacles"):
        for index, part in enumerate(items(data, key)):
            yield from unknown((key, index, "shape"), get(part, "shape"), known, "shape")
