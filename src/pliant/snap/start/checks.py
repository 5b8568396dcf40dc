"""What a solve refuses of a fastener that was read: asked by `pliant check`, `solve` and every search."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from pliant.core.errors import Fault, InputError
from pliant.snap.faults import beam_fault, overlap_fault, study_faults
from pliant.snap.geometry.cantilever import root_behind
from pliant.snap.model import Fastener, SnapStudy
from pliant.snap.springs.beam import HINGE, cantilever
from pliant.snap.start.overlaps import overlaps

LISTED = 100  # overlaps in one refusal


def check_solvable(model: Fastener, study: SnapStudy) -> None:
    """Refuse what cannot be solved, with every fault."""
    region = study.region is not None or study.radius != 0
    has = region, study.search, study.goal is not None, bool(model.variables)
    if faults := [*study_faults(study.uncertain, *has), *beam_faults(model)]:
        raise InputError(faults)
    check_start(model)


def check_start(model: Fastener) -> None:
    """Refuse a fastener whose parts lie in obstacles at the start; every overlap is a fault."""
    if faults := [overlap_fault(overlap, model.units) for overlap in islice(overlaps(model), LISTED)]:
        raise InputError(faults)


def beam_faults(model: Fastener) -> Iterator[Fault]:
    """Beams that are not those of the drawing: their length, or where the hinge is on them."""
    for index, pawl in enumerate(model.pawls):
        if pawl.beam is not None:
            drawn, root = cantilever(model, pawl), model.root.outline
            behind = () if root is None else root_behind(drawn, pawl.hinge, root)
            said, share = pawl.beam.length is not None, HINGE[pawl.beam.hinge]
            fault = beam_fault(f"pawls[{index}].beam", drawn, said, share, behind, model.units)
            if fault is not None:
                yield fault
