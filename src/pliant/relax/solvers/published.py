"""The paper's run: the drive goes on with every iteration, then the mechanism comes to rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.progress import Progress
from pliant.relax.assemble.user_elements import Element, UserElements
from pliant.relax.model import RelaxStudy
from pliant.relax.network.elements import State
from pliant.relax.network.network import Network, once
from pliant.relax.solvers.record import Record, scale, shares
from pliant.relax.solvers.relaxation import DriveLeg, Factors, SweepBuffers, accelerate, sweep_buffers, sweeps

A_FRAME = 100  # iterations of the drive for each frame, where the study does not say
CHUNK = 5000  # iterations between two looks at the clock
LOOSE = 1e-6  # of the force scale: residual at which momentum goes on to the next frame
ALPHA = 0.5
CAP = 0.05  # of the size
LEAST = 1e-6  # S_min, as a share of F_max / Δ_max


def update_factors(net: Network, study: RelaxStudy) -> Factors:
    """The study's factors for every node.

    S_min's default is a small share of the largest force over the largest displacement.
    Source: [Lipson2006] "Handling Transient Singularities": a fraction of F_max/Δ_max.
    """
    alpha = ALPHA if study.alpha is None else study.alpha
    drive = study.increments or A_FRAME * study.frames
    return Factors(
        alpha=_node_values(net, alpha, study.alphas),
        eta=_node_values(net, study.eta, study.etas),
        fall=1.0 if study.alpha_end is None else study.alpha_end / alpha,
        calm=study.calm,
        average=study.average,
        least=least_stiffness(net, study),
        cap=_cap(net, study),
        noise=study.noise * net.size,
        fading=float(drive),
        seed=study.seed,
    )


def least_stiffness(net: Network, study: RelaxStudy) -> float:
    """S_min: the least stiffness of a node."""
    return study.least or LEAST * max(scale(net), _largest_load(net)) / _cap(net, study)


def _cap(net: Network, study: RelaxStudy) -> float:
    return study.cap or CAP * net.size or 1.0


@once
def _largest_load(net: Network) -> float:
    return float(np.abs(net.drive.loads).max(initial=0.0))


def relax_along_drive(
    net: Network, study: RelaxStudy, record: Record, progress: Progress, elements: Sequence[Element] = ()
) -> None:
    """Synchronous or asynchronous relaxation along the drive, then at its end until nothing is left."""
    _run_while_finite(_run_along_drive, _PublishedRun(net, study, record, progress, elements))


def relax_with_momentum(
    net: Network, study: RelaxStudy, record: Record, progress: Progress, elements: Sequence[Element] = ()
) -> None:
    """Momentum relaxation: frame by frame, each nearly to rest and the last one fully."""
    _run_while_finite(_run_with_momentum, _PublishedRun(net, study, record, progress, elements))


def _run_while_finite(goes: Callable[[_PublishedRun], None], run: _PublishedRun) -> None:
    """Go on while positions are numbers; else leave the run where they last were."""
    try:
        goes(run)
    except _UnboundedError:
        run.record.keep(run.net, run.state, run.share, run.last, False)
        text = "forces grew beyond all bounds: nothing can be said further on"
        run.record.notice(run.share, "limit", text)


def _run_along_drive(run: _PublishedRun) -> None:
    net, study, record = run.net, run.study, run.record
    drive = study.increments or A_FRAME * study.frames
    record.keep(net, run.state, 0.0, run.residual(), False)
    share = 0.0
    for goal in shares(study.frames).tolist():
        count = max(round(drive * goal) - round(drive * share), 1)
        run.go(share, goal, count, -1.0)
        if study.settle:
            run.rest(goal)
        share = goal
        if record.iterations >= study.iterations:
            break
        if goal < 1.0:
            record.keep(net, run.state, goal, run.last, study.settle and run.last <= run.tolerance)
    run.rest(share)
    record.keep(net, run.state, share, run.last, run.last <= run.tolerance)


def _run_with_momentum(run: _PublishedRun) -> None:
    net, study, record = run.net, run.study, run.record
    record.keep(net, run.state, 0.0, run.residual(), False)
    for goal in shares(study.frames).tolist():
        last = goal == 1.0 or study.settle
        run.net.aim(run.state, goal)
        run.speed_up(run.tolerance if last else max(LOOSE * scale(net), run.tolerance), goal)
        record.keep(net, run.state, goal, run.last, run.last <= run.tolerance)
        if record.iterations >= study.iterations:
            break


class _UnboundedError(Exception):
    """Positions are no numbers any more: forces grew beyond all bounds."""


class _PublishedRun:
    """A state under way, with what its iterations hand on to each other."""

    def __init__(
        self, net: Network, study: RelaxStudy, record: Record, progress: Progress, elements: Sequence[Element]
    ) -> None:
        self.net, self.study, self.record, self.progress = net, study, record, progress
        self.elements = UserElements(net, elements)
        self.state: State = net.state()
        self.knobs = update_factors(net, study)
        self.work: SweepBuffers = sweep_buffers(*net.drawn.shape, extra=bool(self.elements))
        self.tolerance = study.tolerance * scale(net)
        self.last, self.age, self.share = np.inf, 0, 0.0
        self.before, self.turned_before = self.state.x.copy(), self.state.turned.copy()

    def residual(self) -> float:
        """Largest out-of-balance force on a node at present (N)."""
        probe = np.empty(1)
        self._ask(0.0)
        fresh, state = sweep_buffers(*self.net.drawn.shape), State._make(array.copy() for array in self.state)
        accelerate(state, self.net.parts, self.knobs, np.inf, 0, self.work if self.elements else fresh, probe)
        return float(probe[0])

    def go(self, first: float, last: float, count: int, tolerance: float) -> None:
        """So many iterations from one share of the drive to another."""
        count = min(count, self.study.iterations - self.record.iterations)
        stages = len(self.net.drive.rest) - 1
        knots = np.arange(1, stages) / stages if stages > 1 else np.zeros(0)
        cuts = [first, *knots[(knots > first) & (knots < last)].tolist(), last]
        done = 0
        for start, end in pairwise(cuts):
            upto = round(count * (end - first) / (last - first))
            self._sweep(start, end, upto - done, tolerance)
            done = upto

    def rest(self, share: float) -> None:
        """Iterate at one share of the drive until the residual is below the tolerance."""
        while self.last > self.tolerance and self.record.iterations < self.study.iterations:
            count = min(CHUNK, self.study.iterations - self.record.iterations)
            self._sweep(share, share, count, self.tolerance)
            self.progress(round(1000 * share), 1000, f"residual {self.last:.1e}")

    def _sweep(self, start: float, end: float, count: int, tolerance: float) -> None:
        leg = DriveLeg(
            *(np.stack(pair) for pair in zip(self.net.drive.at(start), self.net.drive.at(end), strict=True))
        )
        each = 1 if self.elements else count
        for first in range(0, count, max(each, 1)):
            at = start + (end - start) * first / count
            self._ask(at)
            residuals = np.empty(each)
            made = sweeps(
                self.study.method == "sync", self.state, self.net.parts, self.knobs, leg,
                first / count if end > start else 1.0, (first + each) / count if end > start else 1.0,
                self.record.iterations, tolerance, self.work, residuals,
            )  # fmt: skip
            self._made(residuals[:made], at)
            if made < each or self.last <= tolerance:
                break

    def speed_up(self, tolerance: float, share: float) -> None:
        """Iterate with momentum at one share of the drive."""
        self.last = np.inf
        while self.last > tolerance and self.record.iterations < self.study.iterations:
            count = 1 if self.elements else min(CHUNK, self.study.iterations - self.record.iterations)
            self._ask(share)
            residuals = np.empty(count)
            made, self.age = accelerate(
                self.state, self.net.parts, self.knobs, tolerance, self.age, self.work, residuals
            )
            self._made(residuals[:made], share)
            self.progress(round(1000 * share), 1000, f"residual {self.last:.1e}")

    def _made(self, residuals: Floats, share: float) -> None:
        if not np.isfinite(self.state.x).all():
            self.state.x[:], self.state.turned[:] = self.before, self.turned_before
            raise _UnboundedError
        self.before[:], self.turned_before[:] = self.state.x, self.state.turned
        self.record.residuals.append(residuals)
        self.record.iterations += len(residuals)
        if len(residuals):
            self.last, self.share = float(residuals[-1]), share

    def _ask(self, share: float) -> None:
        """Forces and stiffness of the user's own elements at the present positions."""
        if self.elements:
            self.elements.add(self.state.x, share, self.work.extra, self.work.extra_stiff)


def _node_values(net: Network, value: float, own: dict[str, float]) -> Floats:
    values = np.full(len(net.names), value)
    for name, given in own.items():
        values[net.names.index(name)] = given
    return values
