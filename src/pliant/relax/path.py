"""What a run leaves behind: poses along the drive, and what was noticed on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from pliant.relax.elongation import Elongations, elongations
from pliant.relax.network import Floats, Network, State


@dataclass(frozen=True)
class Notice:
    """Something to know about a run: the share of the drive it came at, and a sentence."""

    share: float
    text: str
    kind: str  # "lock", "branch", "unstable", "soft", "fallback", "limit"


@dataclass(frozen=True)
class Frame:
    """A mechanism at a share of the drive."""

    share: float
    x: Floats  # (N, D)
    residual: float  # largest force left on a node
    elongations: Elongations
    iterations: int  # made until here
    settled: bool  # came to rest here, not only passed


@dataclass
class Record:
    """Frames and notices as a run makes them, so that an interrupted one keeps what is done."""

    frames: list[Frame] = field(default_factory=lambda: [])
    notices: list[Notice] = field(default_factory=lambda: [])
    residuals: list[Floats] = field(default_factory=lambda: [])  # of every iteration, where there are such
    iterations: int = 0
    smallest: int = 0  # increments of the drive that were as small as they get
    factorised: int = 0  # steps of Newton's

    def keep(self, net: Network, state: State, share: float, residual: float, settled: bool) -> None:
        """Add a frame."""
        stretched = elongations(net, state)
        frame = Frame(share, state.x.copy(), residual, stretched, self.iterations, settled)
        self.frames.append(frame)

    def notice(self, share: float, kind: str, text: str) -> None:
        """Add a notice, once for each kind and text."""
        if not any(one.kind == kind and one.text == text for one in self.notices):
            self.notices.append(Notice(share, text, kind))


Keep = Callable[[Network, State, float, float, bool], None]


def scale(net: Network) -> float:
    """The force residuals are measured by: the largest stiffness times the size."""
    parts = net.parts
    stiff = np.concatenate([parts.links.stiffness, parts.rails.stiffness, parts.couplings.stiffness])
    return float(stiff.max(initial=0.0)) * net.size or 1.0


def shares(frames: int) -> Floats:
    """The shares of the drive that frames are kept at, besides the start."""
    return np.arange(1, frames + 1) / frames
