"""Whether an answer can be trusted: locked or not, over-constrained or not, in the drawn assembly or not.

Source: [Lipson2006] "Overconstrained mechanisms" and "Incorrect solutions".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.relax.elongation import errors
from pliant.relax.model import RelaxStudy
from pliant.relax.network import Floats, Network
from pliant.relax.path import Frame, Notice, Record, scale
from pliant.relax.rank import unmet
from pliant.relax.status import RelaxStatus

HELD = 1e-6  # of the force scale: an internal load below it is none
APART = 1e-4  # of the size: two assemblies


@dataclass(frozen=True)
class Trust:
    """What is known about a run beside its poses."""

    status: RelaxStatus
    length_errors: Floats  # (F,) largest of the lengths that shall hold
    loads: Floats  # (F,) internal load: largest force that no displacement can relieve
    carriers: tuple[tuple[str, float], ...]  # elements that carry it at the end, with their forces
    locks_at: float | None  # share of the drive at which it first appears
    assembly_kept: bool
    notices: tuple[Notice, ...]


def trust(net: Network, study: RelaxStudy, record: Record) -> Trust:
    """Look at every frame of a run once it is over."""
    frames = record.frames
    bound = HELD * scale(net)
    forces = [unmet(net, frame) for frame in frames]
    loads = np.array([np.abs(force).max(initial=0.0) for force in forces])
    loaded = loads > bound
    kept, notices = _kept(net, study, record)
    return Trust(
        status=_status(frames, loaded, kept),
        length_errors=np.array([_length_error(net, frame) for frame in frames]),
        loads=loads,
        carriers=_carriers(net, forces[-1], bound) if loaded[-1] else (),
        locks_at=frames[int(np.argmax(loaded))].share if loaded.any() else None,
        assembly_kept=kept,
        notices=notices,
    )


def _status(frames: list[Frame], loaded: np.ndarray, kept: bool) -> RelaxStatus:
    if not frames[-1].settled or frames[-1].share < 1.0:
        return RelaxStatus.NOT_CONVERGED
    if loaded[0] and frames[0].settled:
        return RelaxStatus.OVER_CONSTRAINED
    if loaded[-1]:
        return RelaxStatus.LOCKED
    return RelaxStatus.CONVERGED if kept else RelaxStatus.BRANCH_DOUBTFUL


def _length_error(net: Network, frame: Frame) -> float:
    return max(float(part.max(initial=0.0)) for part in errors(net, frame.elongations))


def _carriers(net: Network, forces: Floats, bound: float) -> tuple[tuple[str, float], ...]:
    """The elements with the largest internal loads, the strongest first, once for each name."""
    names = (*net.link_names, *net.coupling_names, *net.rail_names)
    strongest: dict[str, float] = {}
    for at in np.argsort(-np.abs(forces)).tolist():
        if abs(forces[at]) <= bound:
            break
        strongest.setdefault(names[at], float(forces[at]))
    return tuple(strongest.items())


def _kept(net: Network, study: RelaxStudy, record: Record) -> tuple[bool, tuple[Notice, ...]]:
    return not any(one.kind == "branch" for one in record.notices), tuple(record.notices)
