"""Whether an answer can be trusted: locked or not, over-constrained or not, in the drawn assembly or not.

Source: [Lipson2006] "Overconstrained mechanisms" and "Incorrect solutions".
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.progress import silent
from pliant.relax.diagnose.rank import internal_load, own_forces, smallest_singular_values
from pliant.relax.mechanics.elongation import errors
from pliant.relax.mechanics.friction import has_friction
from pliant.relax.model import RelaxStudy
from pliant.relax.network.network import Network
from pliant.relax.solvers.auto import follow
from pliant.relax.solvers.increment_measures import HOLDS, determinant_at
from pliant.relax.solvers.record import Branch, Frame, Notice, Record, scale
from pliant.relax.solvers.run_state import is_determined, newton_obstacle
from pliant.relax.status import RelaxStatus

BALANCED = 1e-6  # of the largest force: a residual below it is none
HELD = 1e-6  # of the force scale: an internal load below it is none
FEW, NARROW = 90, 0.1  # unknowns up to which singular values are cheap, and a share of them that is small
APART = 1e-4  # of the size: two assemblies


@dataclass(frozen=True)
class Assessment:
    """Status, length errors, internal loads and notices of a run."""

    status: RelaxStatus
    length_errors: Floats  # (F,) largest of the lengths that shall hold
    loads: Floats  # (F,) internal load: largest force that no displacement can relieve
    carriers: tuple[tuple[str, float], ...]  # elements that carry it at the end, with their forces
    locks_at: float | None  # share of the drive at which it first appears
    assembly_kept: bool
    notices: tuple[Notice, ...]
    ways: tuple[Branch, ...] = ()  # on from a dead centre that it was stopped at


def assess(net: Network, study: RelaxStudy, record: Record, own: bool = False) -> Assessment:
    """Judge every frame of a finished run; `own`: user elements acted beside the network's.

    `auto` has judged every increment of the drive; the other methods are judged by their frames.
    """
    frames = record.frames
    followed = study.method == "auto" and not own and not newton_obstacle(net)
    bound = HELD * scale(net)
    loads, last = np.zeros(len(frames)), np.zeros(0)
    for k, frame in enumerate(frames):
        last = _internal(net, frame, followed)
        loads[k] = np.abs(last).max(initial=0.0)
    loaded = loads > bound
    if followed:
        loaded = np.array([frame.elongations.worst > HOLDS for frame in frames])
        record.locks_at = 0.0 if loaded[0] else record.locks_at
    else:
        _judge_frames(net, study, record, loaded, own)
    # At the end of the drive, or short of it where a lock holds it; anywhere else it was lost on the way.
    rests = frames[-1].settled and is_balanced(net, study, frames[-1])
    stopped = bool(loaded[-1]) or record.locks_at is not None or bool(record.ways)
    ended = rests and (frames[-1].share == 1.0 or stopped)
    kept = ended and not any(one.kind in ("branch", "snap") for one in record.notices)
    return Assessment(
        status=_status(net, study, record, loaded, kept),
        length_errors=np.array([_length_error(net, frame) for frame in frames]),
        loads=loads,
        carriers=_carriers(net, last, bound) if loaded[-1] else (),
        locks_at=record.locks_at if rests else None,
        assembly_kept=kept,
        notices=tuple(record.notices),
        ways=record.ways,
    )


def _judge_frames(net: Network, study: RelaxStudy, record: Record, loaded: np.ndarray, own: bool) -> None:
    """Notices and length errors of methods that do not judge their increments, from their frames."""
    frames = record.frames
    if study.method != "auto" and not own:
        _compare_with_newton(net, study, record)
    free = [frame for frame, held in zip(frames, loaded.tolist(), strict=True) if frame.settled and not held]
    _note_folds(net, free, record)
    _note_near_singular(net, free, record)
    record.locks_at = frames[int(np.argmax(loaded))].share if loaded.any() else None


def _internal(net: Network, frame: Frame, followed: bool) -> Floats:
    """Internal load of every element (E + C + Q + T,) in N; at rest without loads, all of its force.

    Those of a way that was followed are known to hold, or to be strained by a lock: nothing relieves them.
    """
    if followed or (frame.settled and not net.loaded):
        return own_forces(net, frame.elongations)
    return internal_load(net, frame)


def is_balanced(net: Network, study: RelaxStudy, frame: Frame) -> bool:
    """Whether the largest residual force is negligible beside the forces that act."""
    stretch = frame.elongations
    acting = (stretch.link_forces, stretch.coupling_forces, stretch.rail_forces, net.drive.at(frame.share)[2])
    largest = max(float(np.abs(part).max(initial=0.0)) for part in acting)
    return frame.residual <= max(BALANCED * largest, 10.0 * study.tolerance * scale(net))


def _status(net: Network, study: RelaxStudy, record: Record, loaded: np.ndarray, kept: bool) -> RelaxStatus:
    last = record.frames[-1]
    driven = np.ptp(net.drive.rest, axis=0).any() or np.ptp(net.drive.goal, axis=0).any()
    if not last.settled or not is_balanced(net, study, last):
        return RelaxStatus.NOT_CONVERGED
    # A drawing that has not come to rest yet may be strained by no more than that.
    if (loaded[0] and (record.frames[0].settled or loaded[-1])) or (loaded[-1] and not driven):
        return RelaxStatus.OVER_CONSTRAINED
    if record.ways:
        return RelaxStatus.DEAD_CENTRE
    if loaded[-1] or (record.locks_at is not None and last.share < 1.0):
        return RelaxStatus.LOCKED
    if last.share < 1.0:
        return RelaxStatus.NOT_CONVERGED
    return RelaxStatus.CONVERGED if kept else RelaxStatus.BRANCH_DOUBTFUL


def _length_error(net: Network, frame: Frame) -> float:
    return max(float(part.max(initial=0.0)) for part in errors(net, frame.elongations))


def _carriers(net: Network, forces: Floats, bound: float) -> tuple[tuple[str, float], ...]:
    """Names of the elements with the largest internal loads, strongest first, without repeats."""
    names = (*net.link_names, *net.coupling_names, *net.rail_names)
    strongest: dict[str, float] = {}
    for at in np.argsort(-np.abs(forces)).tolist():
        if abs(forces[at]) <= bound:
            break
        name = names[at] if at < len(names) else net.touch_name(at - len(names))
        strongest.setdefault(name, float(forces[at]))
    return tuple(strongest.items())


def _note_folds(net: Network, frames: list[Frame], record: Record) -> None:
    """Note where the determinant of J changes sign between two frames.

    With as many lengths as unknowns, their determinant is then 0 on the way: a singular pose, at which
    two assemblies meet and either may follow.
    """
    signs = [determinant_at(net, frame.x, frame.elongations).sign for frame in frames]
    for (last, before), (frame, sign) in pairwise(zip(frames, signs, strict=True)):
        if sign * before < 0.0:
            text = f"passes a singular pose between {last.share:.1%} and {frame.share:.1%} of the drive"
            record.notice(frame.share, "branch", f"{text}: two assemblies meet there")


def _note_near_singular(net: Network, frames: list[Frame], record: Record) -> None:
    """Note frames close to a singular pose, where the run may have changed to another branch.

    Of small mechanisms without a freedom: where the smallest singular value of the lengths' slopes has a
    minimum far below its largest value.
    """
    if not is_determined(net) or net.loaded or net.free.sum() * net.drawn.shape[1] > FEW or len(frames) < 3:
        return
    values = smallest_singular_values(net, frames)
    for k in range(1, len(frames) - 1):
        if values[k] <= min(values[k - 1], values[k + 1]) and values[k] < NARROW * values.max():
            text = f"passes close to a singular pose at {frames[k].share:.1%} of the drive"
            record.notice(frames[k].share, "branch", f"{text}: two assemblies nearly meet there")


def _compare_with_newton(net: Network, study: RelaxStudy, record: Record) -> None:
    """Follow the drive again by Newton's steps, which stay on the branch; note a different end.

    A residual however small tells nothing of this: plain relaxation may come to rest in another
    assembly. Only where the lengths leave no freedom is there one place to compare with.
    """
    last = record.frames[-1]
    if not (is_determined(net) and last.settled) or newton_obstacle(net) or has_friction(net):
        return  # where there is friction, the answer depends on the path
    again = Record()
    follow(net, study.model_copy(update={"method": "auto", "frames": 1, "noise": 0.0}), again, silent)
    there = again.frames[-1]
    if not there.settled or there.share < 1.0:
        return
    apart = float(np.abs(there.x - last.x).max())
    if apart > APART * net.size:
        text = f"followed by Newton's steps it comes to rest elsewhere, {apart:.3g} away"
        record.notice(last.share, "branch", text)
