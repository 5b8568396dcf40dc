"""What a run leaves behind: poses along the drive, and what was noticed on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from pliant.core.arrays import Floats
from pliant.relax.mechanics.elongation import Elongations, elongations
from pliant.relax.mechanics.friction import contact_friction
from pliant.relax.network.elements import State
from pliant.relax.network.network import Network, once


@dataclass(frozen=True)
class Notice:
    """A finding of a run: share of the drive, kind and sentence."""

    share: float
    text: str
    kind: (
        str  # "fold", "stop", "lock", "dead centre", "fork", "snap", "branch", "unstable", "soft", "limit", …
    )


@dataclass(frozen=True)
class Frame:
    """Positions, elongations and forces of a mechanism at a share of the drive."""

    share: float
    x: Floats  # (N, D)
    residual: float  # largest force left on a node
    elongations: Elongations
    iterations: int  # made until here
    settled: bool  # came to rest here, not only passed
    rubs: Floats | None = None  # (N, D) what friction of contacts does to each node; none by default


@dataclass(frozen=True)
class Branch:
    """A continuation from a dead centre: a pose a little further along the drive."""

    share: float
    x: Floats  # (N, D)


@dataclass
class Record:
    """Frames and notices as a run makes them, so that an interrupted one keeps what is done."""

    frames: list[Frame] = field(default_factory=lambda: [])
    notices: list[Notice] = field(default_factory=lambda: [])
    residuals: list[Floats] = field(default_factory=lambda: [])  # of every iteration, where there are such
    iterations: int = 0
    events: int = 0  # increments of the drive that were as small as they get
    factorised: int = 0  # steps of Newton's, frames between increments left out
    locks_at: float | None = None  # share of the drive from which on lengths cannot hold
    ways: tuple[Branch, ...] = ()  # on from a dead centre that it was stopped at

    def keep(self, net: Network, state: State, share: float, residual: float, settled: bool) -> None:
        """Add a frame."""
        stretched = elongations(net, state)
        rubs = contact_friction(state) if len(state.gripped) else None
        frame = Frame(share, state.x.copy(), residual, stretched, self.iterations, settled, rubs)
        self.frames.append(frame)

    def notice(self, share: float, kind: str, text: str) -> None:
        """Add a notice, once for each kind and text."""
        if not any(one.kind == kind and one.text == text for one in self.notices):
            self.notices.append(Notice(share, text, kind))

    def forget(self, kind: str, since: float) -> None:
        """Take notices of a kind back that came at a share or after it."""
        self.notices = [one for one in self.notices if one.kind != kind or one.share < since]


RecordPose = Callable[[Network, State, float, float, bool], None]


@once
def scale(net: Network) -> float:
    """Reference force of residuals (N): the largest stiffness times the size."""
    parts = net.parts
    stiff = np.concatenate([parts.links.stiffness, parts.rails.stiffness, parts.couplings.stiffness])
    return float(stiff.max(initial=0.0)) * net.size or 1.0


def shares(frames: int) -> Floats:
    """The shares of the drive that frames are kept at, besides the start."""
    return np.arange(1, frames + 1) / frames
