"""What a solve refuses of a sound fastener: overlaps at the start, a study that says too little."""

from __future__ import annotations

from collections.abc import Iterator

from pliant.core.errors import Fault, InputError
from pliant.snap.model import Fastener, SnapStudy
from pliant.snap.springs.beam import beam_faults
from pliant.snap.start.overlaps import check_start


def check_asked(model: Fastener, study: SnapStudy) -> None:
    """Refuse what cannot be solved; `pliant check` and `solve` both ask here."""
    if faults := [*_lacks(model, study), *beam_faults(model)]:
        raise InputError(faults)
    check_start(model)


def _lacks(model: Fastener, study: SnapStudy) -> Iterator[Fault]:
    """What a study asks for without saying enough."""
    if study.uncertain and study.region is None and study.radius == 0:
        cure = "Give region = [[-1, 0], [1, 0]], offsets of the start, or radius = 1"
        yield Fault("study.uncertain", "has no region of starts", cure)
    if study.search and study.goal is None:
        yield Fault("study.search", "has no goal", "Give goal = { insert_below = 10, hold_above = 20 }")
    if study.search and not model.parameters:
        yield Fault("study.search", "has nothing to vary", "Add [[parameters]]")
