"""The gallery's models, each solved once in a test process: results are frozen, and may be shared."""

from functools import cache
from typing import Any

import pliant
from pliant import gallery


@cache
def solved(name: str) -> Any:
    """A model of the gallery, solved by its own study."""
    return pliant.solve(gallery.load(name))
