"""The gallery's models, each loaded and solved once in a test process: both are frozen, and may be shared."""

from functools import cache
from typing import Any

import pliant
from pliant import gallery


@cache
def loaded(name: str) -> Any:
    """A model of the gallery."""
    return gallery.load(name)


def names_of_kind(kind: str) -> list[str]:
    """The names of the gallery's models of a kind, none of which is loaded for it."""
    return [name for name in gallery.names() if gallery.kind(name) == kind]


@cache
def solved(name: str) -> Any:
    """A model of the gallery, solved by its own study."""
    return pliant.solve(loaded(name))
