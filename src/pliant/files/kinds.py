"""The kinds of model pliant knows: where what each one knows of itself lives, and which command solves it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
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

    model: str  # its class, whose fields are the keys of its files
    solve: str  # (model, study, progress=) to a result
    check: str  # (model) raises the InputError that its solve would
    describe: str  # (model) to pairs of words: what it holds
    parts: str  # (model) to how many parts it has
    drawn: str  # (model) to a Motion of one frame
    sketch: str  # (data, faults) to Marks: what can be drawn of a file with faults
    statuses: Mapping[str, str]  # by command: how its results can end
    commands: tuple[str, ...]  # that take it; the first one solves it
    first: str  # "package:file", a commented file to begin from
    title: str = ""  # heading over its models, in a report
    question: str = ""  # what is asked of them
    asks: tuple[str, ...] = ()  # commands that a study with a table of that name asks for, before the first
    answers: Mapping[str, str] = field(default_factory=lambda: {})  # by command beyond the first: its `solve`

    @property
    def command(self) -> str:
        """The command that solves it."""
        return self.commands[0]

    def answer(self, command: str) -> Any:
        """What answers a command: (model, study, progress=) to a result."""
        return fetch(self.solve if command == self.command else self.answers[command])

    def asked_command(self, study: object) -> str:
        """The command that a model's own study asks for."""
        return next((name for name in self.asks if getattr(study, name) is not None), self.command)


def kind_of(package: str, model: str, title: str, question: str, **statuses: str) -> Kind:
    """The kind of a method whose package has the usual face; `statuses` are its commands, in order."""
    return Kind(
        model=f"{package}.model:{model}",
        solve=f"{package}.solve:solve",
        check=f"{package}.solve:check",
        describe=f"{package}.report:describe",
        parts=f"{package}.report:part_count",
        drawn=f"{package}.drawing:drawn_frame",
        sketch=f"{package}.drawing:sketch",
        statuses={command: f"{package}.status:{status}" for command, status in statuses.items()},
        commands=tuple(command for command in statuses if command not in WITHOUT_MODEL),
        first=f"{package}:first.toml",
        title=title,
        question=question,
    )


WITHOUT_MODEL = ("synthesize", "evolve")  # commands that find models, and take none

KINDS = {
    "assembly": replace(
        kind_of(
            "pliant.flex",
            "Assembly",
            "Loose joints",
            "How far do parts move that are held by their joints alone?",
            flex="FlexStatus",
            play="PlayStatus",
            separate="SeparationStatus",
            loosen="LoosenStatus",
            brace="BraceStatus",
            prove="ProofStatus",
        ),
        answers={
            "play": "pliant.flex.play.play:play",
            "separate": "pliant.flex.separation.separate:separate",
            "loosen": "pliant.flex.loosening.loosen:loosen",
            "brace": "pliant.flex.bracing.brace:brace",
            "prove": "pliant.flex.proof.prove:prove",
        },
    ),
    "linkage": replace(
        kind_of(
            "pliant.linkage",
            "Linkage",
            "Linkages",
            "How does a driven linkage run, and how is it reshaped to run as wanted?",
            trace="TraceStatus",
            edit="EditStatus",
            synthesize="SynthesisStatus",
        ),
        check="pliant.linkage.editing.edit:check",
        asks=("edit",),
        answers={"edit": "pliant.linkage.editing.edit:edit"},
    ),
    "mechanism": kind_of(
        "pliant.relax",
        "Mechanism",
        "Mechanisms",
        "Where does a machine of many parts go, and where does it lock?",
        relax="RelaxStatus",
        evolve="EvolveStatus",
    ),
    "fastener": kind_of(
        "pliant.snap",
        "Fastener",
        "Snap-fits and latches",
        "Does it go in, does it hold, and what force does it take?",
        snap="SnapStatus",
    ),
}


def register(name: str, kind: Kind) -> None:
    """Let every command and `pliant.load` know a kind of model: what `kind = "…"` files of it are."""
    KINDS[name] = kind


def kind_named(name: str) -> Kind:
    """The kind of that name, or a fault that lists them."""
    if name not in KINDS:
        raise InputError([unknown_kind(name)])
    return KINDS[name]


def check_command(kind: str, command: str, source: str = "") -> None:
    """Refuse a kind of model that is none for the command."""
    if command not in kind_named(kind).commands:
        cure = f'Use "pliant {kind_named(kind).command}", or give another model'
        raise InputError([Fault("kind", f'is "{kind}", which "{command}" does not take', cure)], source)


def unknown_kind(name: Any) -> Fault:
    """What to say about a kind that is none."""
    from pliant.core.faults import name_cure, value_text

    return Fault("kind", f"{value_text(name)} is not a kind of model", name_cure(name, KINDS, "Kinds"))


def fetch(place: str) -> Any:
    """What "module:name" stands for."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
