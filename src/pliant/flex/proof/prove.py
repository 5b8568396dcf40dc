"""How far at least, and how far at most: bounds on the flex that are proved.

The lower bound is what a motion reaches that is free of overlap, checked by distances. The upper bound is the
greatest of those of boxes of poses that together hold all that can be reached: of each, a linear program that
holds for every possible pose in it, bounded by its multipliers.

Source: [Lensgraf2020] section VIII leaves global motion open; the bounds are ours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import perf_counter

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.progress import Interrupted, Progress, silent
from pliant.flex.contact.distance import Rows
from pliant.flex.model import Assembly, ProveStudy
from pliant.flex.problem.system import System, compile_system
from pliant.flex.proof.closing import Explored, explored_box
from pliant.flex.proof.component import Cover
from pliant.flex.proof.free_witness import FreeWitness, find_witness
from pliant.flex.proof.result import ProofResult
from pliant.flex.proof.rooms import PoseBox
from pliant.flex.proof.search import BranchAndBound, bounded_leaf
from pliant.flex.proof.witness import centroid_poses, travel_seen
from pliant.flex.result import FlexResult
from pliant.flex.solve import solve
from pliant.flex.status import FlexStatus, ProofStatus

CHAINS = 0.25  # of all boxes: how many may go into breaking chains to what cannot be reached

AS_FLEX = {
    FlexStatus.FREE: ProofStatus.FREE,
    FlexStatus.TURNING: ProofStatus.FREE,
    FlexStatus.OVERLAPPING: ProofStatus.OVERLAPPING,
    FlexStatus.VIOLATED: ProofStatus.VIOLATED,
    FlexStatus.SOLVER_FAILED: ProofStatus.NO_ANSWER,
}


@dataclass
class _Work:
    """What is known so far."""

    model: Assembly
    study: ProveStudy
    flex: FlexResult
    started: float
    upper: float = np.inf
    nodes: int = 0
    leaves: int = 0
    witness: FreeWitness | None = None
    explored: Explored | None = None
    seconds: dict[str, float] = field(default_factory=dict[str, float])

    @property
    def lower(self) -> float:
        return self.witness.objective if self.witness is not None else 0.0

    @property
    def target(self) -> float:
        """An upper bound that is near enough."""
        return self.lower / (1 - self.study.gap) if self.lower > 0 else self.lower

    def lap(self, phase: str) -> None:
        now = perf_counter()
        self.seconds[phase] = now - self.started - sum(self.seconds.values())


def prove(model: Assembly, study: ProveStudy | None = None, progress: Progress = silent) -> ProofResult:
    """Bounds on what the file's objective can reach, and a motion that reaches the lower one."""
    study = study or model.study.for_command("prove")
    started = perf_counter()
    flex = solve(model, model.study.for_command("flex"), progress)
    work = _Work(model, study, flex, started)
    work.lap("flex")
    if flex.status in AS_FLEX:
        return _result(work, AS_FLEX[flex.status])
    try:
        _bound(work, progress)
    except KeyboardInterrupt:
        raise Interrupted(_result(work, ProofStatus.OPEN)) from None
    near = work.upper <= work.target * (1 + 1e-9) or work.upper - work.lower <= 1e-9 * abs(work.upper)
    return _result(work, ProofStatus.PROVED if near else ProofStatus.OPEN)


def _bound(work: _Work, progress: Progress) -> None:
    """The witness, the box, and boxes within it."""
    system = compile_system(work.model, work.model.study.for_command("flex"))
    work.witness = find_witness(work.model, system, work.flex)
    work.lap("witness")
    frames = centroid_poses(system.parts, work.flex.frames.poses)
    travel, _ = travel_seen(work.model, system, frames)

    def report(text: str) -> None:
        progress(work.nodes, None, text)

    work.explored = explored_box(
        work.model, system, _loosened_rows(work.model, system), travel, work.study.nodes, report
    )
    work.lap("box")
    _search(work, system, progress)
    work.lap("bounds")


def _loosened_rows(model: Assembly, system: System) -> tuple[Rows, Rows]:
    """Joints with pins as circumscribed polygons, so that they hold for the round ones too; and pivots."""
    rows = system.joints.rows
    play = {k: pin.clearance / 2 * (1 - np.cos(np.pi / pin.sides)) for k, pin in enumerate(model.pins)}
    wider: Floats = np.array([play.get(int(source), 0.0) for source in rows.source])
    return replace(rows, offset=rows.offset - wider) if len(rows) else rows, system.joints.pivots


def _search(work: _Work, system: System, progress: Progress) -> None:
    """Split boxes until their bounds are near the lower one; then cut off what cannot be reached."""
    assert work.explored is not None
    search = BranchAndBound(work.explored.setting, system.objective, work.target)

    def report(nodes: int, upper: float) -> None:
        work.nodes, work.upper, work.leaves = nodes, upper, len(search.open) + len(search.closed)
        progress(nodes, work.study.nodes, f"flex between {work.lower:.4g} and {upper:.4g}")

    for box in work.explored.boxes:
        search.add(box)
    search.run(work.study.nodes, report)
    report(search.nodes, search.upper)
    if work.upper > work.target:
        _cut_unreachable(work, search, report)


def _cut_unreachable(work: _Work, search: BranchAndBound, report: Callable[[int, float], None]) -> None:
    """Leave out leaves that no chain of leaves leads to from the drawn pose."""
    leaves = [*search.closed, *(leaf for *_, leaf in search.open)]
    bounds = {leaf.box: leaf.bound for leaf in leaves}
    cover = Cover(search.setting, *(leaf.box for leaf in leaves))

    def bound(box: PoseBox) -> float:
        if box not in bounds:
            leaf = bounded_leaf(search.setting, search.objective, box, np.inf)
            bounds[box] = -np.inf if leaf is None else leaf.bound
        return bounds[box]

    work.nodes += cover.separate(
        lambda box: bound(box) > work.target,
        int(CHAINS * work.study.nodes),
        lambda _: report(work.nodes, work.upper),
    )
    reachable = cover.reachable()
    work.leaves = len(reachable)
    work.upper = min(work.upper, max((bound(box) for box in reachable), default=work.upper))


def _result(work: _Work, status: ProofStatus) -> ProofResult:
    explored, witness = work.explored, work.witness
    parts = None if explored is None else explored.setting.system.parts
    box: dict[str, tuple[tuple[float, float], ...]] = {}
    touched: list[str] = []
    if explored is not None and parts is not None:
        for body in parts.free:
            low, high = explored.low[body] - parts.drawn[body], explored.high[body] - parts.drawn[body]
            box[parts.names[body]] = tuple(zip(low.tolist(), high.tolist(), strict=True))
            if explored.touched[:, body].any():
                touched.append(parts.names[body])
    return ProofResult(
        status=status,
        model=work.model,
        study=work.study,
        lower=work.lower,
        upper=work.upper if np.isfinite(work.upper) and work.upper < 1e300 else np.inf,
        everything=explored is not None and explored.closed,
        box=box,
        touched=tuple(touched),
        nodes=work.nodes,
        leaves=work.leaves,
        margin=0.0 if witness is None else witness.margin,
        pivot_error=0.0 if witness is None else witness.pivot_error,
        reached=work.flex.objective,
        witness=None if witness is None else witness.result,
        flex=work.flex,
        seconds=dict(work.seconds),
    )
