"""Brace a structure where it gives the most, and again until it gives little enough.

Of all beams that would join two parts across a void, those between whose ends the distance changes the most
are tried, and the one that leaves the least flex is added.

Source: [Lensgraf2020] section VI-A, Fig. 5, where the pair of vertices is found and the beam added by hand.
Differs: the beam is added here, by the rules of the structure (`grid`); structures that are not of cells on a
grid are told where a brace would help, as in the paper.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from pliant.core.pose import carry
from pliant.core.progress import Interrupted, Progress, silent
from pliant.flex.bracing.grid import CellBeam, CellGrid, cell_grid
from pliant.flex.bracing.pairs import widest_pair
from pliant.flex.bracing.result import AddedBeam, BraceResult
from pliant.flex.faults import check_limit
from pliant.flex.model import Assembly, BraceStudy
from pliant.flex.result import FlexResult
from pliant.flex.solve import solve
from pliant.flex.status import BraceStatus

LESS = 0.999  # times the flex before: a beam that leaves more is no help


@dataclass
class _Bracing:
    """A structure on its way."""

    model: Assembly
    study: BraceStudy
    progress: Progress
    before: FlexResult
    after: FlexResult
    beams: list[AddedBeam] = field(default_factory=list[AddedBeam])

    @property
    def is_enough(self) -> bool:
        """Whether no further beam is wanted."""
        limit = self.study.flex_limit
        return self.after.objective <= limit if limit is not None else len(self.beams) >= self.study.beams


def brace(model: Assembly, study: BraceStudy | None = None, progress: Progress = silent) -> BraceResult:
    """The structure with beams where they help most; or the place for one, where it is not of cells."""
    study = study or model.study.for_command("brace")
    check_limit(study.limit, model.study.for_command("flex"))
    started = perf_counter()
    first = solve(model, progress=progress)
    work = _Bracing(model, study, progress, first, first)
    status = BraceStatus.UNFIT
    try:
        if first.status.at_rest:
            status = _add_beams(work)
    except KeyboardInterrupt:
        raise Interrupted(_result(work, BraceStatus.INTERRUPTED, perf_counter() - started)) from None
    return _result(work, status, perf_counter() - started)


def _add_beams(work: _Bracing) -> BraceStatus:
    """Add beams until it is enough, or none helps."""
    grid = cell_grid(work.model)
    if grid is None:
        return BraceStatus.ADVISED
    while not work.is_enough and len(work.beams) < work.study.beams:
        best = _best_beam(work, grid)
        if best is None:
            break
        grid, beam, result, tried = best
        work.beams.append(AddedBeam(beam, work.after.objective, result.objective, tried))
        work.model, work.after = grid.model, result
    if work.is_enough and (work.beams or work.study.limit is not None):
        return BraceStatus.MET if work.study.limit is not None else BraceStatus.BRACED
    if work.study.limit is not None:
        return BraceStatus.SHORT if work.beams else BraceStatus.NO_BEAM
    return BraceStatus.BRACED if work.beams else BraceStatus.NO_BEAM


def _best_beam(work: _Bracing, grid: CellGrid) -> tuple[CellGrid, CellBeam, FlexResult, int] | None:
    """The beam that leaves the least flex, of those across the widest change; None where none helps."""
    beams = [beam for beam in grid.beams() if len(beam.cells) <= work.study.longest]
    ranked = sorted(beams, key=lambda beam: -_change(work.after, beam))[: work.study.tried]
    best: tuple[CellGrid, CellBeam, FlexResult, int] | None = None
    for number, beam in enumerate(ranked):
        work.progress(number, len(ranked), f"a beam from {beam.ends[0]} to {beam.ends[1]}")
        braced = grid.with_cells(beam.cells)
        result = solve(braced.model)
        if not result.status.at_rest or result.objective >= LESS * work.after.objective:
            continue
        if best is None or result.objective < best[2].objective:
            best = braced, beam, result, len(ranked)
    return best


def _change(result: FlexResult, beam: CellBeam) -> float:
    """By how much the distance between the ends of a beam changes as the structure flexes."""
    names = [body.name for body in result.model.bodies]
    ends = [names.index(name) for name in beam.ends]
    middles = np.array([np.vstack(result.shapes[result.shape_of[end]].rings).mean(axis=0) for end in ends])
    apart = [
        float(np.hypot(*np.diff(carry(poses[ends], middles), axis=0)[0]))
        for poses in result.frames.poses[[0, -1]]
    ]
    return abs(apart[1] - apart[0])


def _result(work: _Bracing, status: BraceStatus, seconds: float) -> BraceResult:
    return BraceResult(
        status=status,
        model=work.model,
        study=work.study,
        beams=tuple(work.beams),
        pair=widest_pair(work.after) if work.after.status.at_rest else None,
        before=work.before,
        after=work.after,
        seconds={"flex": seconds},
    )
