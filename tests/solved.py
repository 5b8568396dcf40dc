"""The gallery's models, each loaded and solved once in a test process: both are frozen, and may be shared."""

from functools import cache
from typing import Any

import pliant
from pliant import gallery


@cache
def loaded(name: str) -> Any:
    """A model of the gallery."""
    return gallery.load(name)


def of_kind(kind: str) -> dict[str, Any]:
    """The gallery's models of a kind, by name."""
    return {name: model for name in gallery.names() if (model := loaded(name)).kind == kind}


@cache
def solved(name: str) -> Any:
    """A model of the gallery, solved by its own study."""
    return pliant.solve(loaded(name))
