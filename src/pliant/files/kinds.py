"""The kinds of model pliant knows: where each one's classes live and which command solves it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pliant.core.errors import Fault, InputError

if TYPE_CHECKING:
    from pliant.flex.model import Assembly
    from pliant.linkage.model import Linkage
    from pliant.relax.model import Mechanism
    from pliant.snap.model import Fastener

    Model = Assembly | Linkage | Mechanism | Fastener

VERSION = 1  # of the file format

# From each older version to the next: MIGRATIONS[0](data) is data of version 1.
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}


@dataclass(frozen=True)
class Kind:
    """Where a kind of model lives, as "module:name", so that nothing is imported before it is needed."""

    model: str
    solve: str
    commands: tuple[str, ...]  # that take it; the first one solves it

    @property
    def command(self) -> str:
        """The command that solves it."""
        return self.commands[0]


KINDS = {
    "assembly": Kind(
        "pliant.flex.model:Assembly",
        "pliant.flex.solve:solve",
        ("flex", "play", "separate", "loosen", "brace"),
    ),
    "linkage": Kind("pliant.linkage.model:Linkage", "pliant.linkage.solve:solve", ("trace", "edit")),
    "mechanism": Kind("pliant.relax.model:Mechanism", "pliant.relax.solve:solve", ("relax",)),
    "fastener": Kind("pliant.snap.model:Fastener", "pliant.snap.solve:solve", ("snap",)),
}


def named(name: str) -> Kind:
    """The kind of that name, or a fault that lists them."""
    if name not in KINDS:
        raise InputError([unknown_kind(name)])
    return KINDS[name]


def check_command(kind: str, command: str, source: str = "") -> None:
    """Refuse a kind of model that is none for the command."""
    if command not in named(kind).commands:
        cure = f'Use "pliant {named(kind).command}", or give another model'
        raise InputError([Fault("kind", f'is "{kind}", which "{command}" does not take', cure)], source)


def unknown_kind(name: Any) -> Fault:
    """What to say about a kind that is none."""
    from pliant.core.faults import nearest, shown

    return Fault("kind", f"{shown(name)} is not a kind of model", nearest(name, KINDS, "Kinds"))


def fetch(place: str) -> Any:
    """What "module:name" stands for."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
