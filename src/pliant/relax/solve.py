"""Relax: bring a mechanism along its drive, and say how far the answer can be trusted.

    sync, async   eqs 1 to 4 at every iteration while the drive goes on, then until at rest
    momentum      eq. 6 with a momentum that starts anew uphill, frame by frame
    auto          (K + λ diag S) Δ = R in increments that keep to the branch

Source: [Lipson2006] Fig. 1.
"""

from __future__ import annotations

from collections.abc import Sequence

from pliant.core.clock import Clock
from pliant.core.loops import run_loops
from pliant.core.progress import Interrupted, Progress, silent
from pliant.relax.assemble.build import build
from pliant.relax.assemble.user_elements import Element
from pliant.relax.diagnose.assessment import assess
from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.network.network import Network
from pliant.relax.result import RelaxResult
from pliant.relax.solvers.auto import follow
from pliant.relax.solvers.published import relax_along_drive, relax_with_momentum
from pliant.relax.solvers.record import Frame, Record
from pliant.relax.solvers.run_state import newton_obstacle

JUDGED = 40_000  # places of nodes in a run that was stopped: a few tenths of a second
OWN = "the stiffness of elements of your own is not known in full"


def solve(
    model: Mechanism,
    study: RelaxStudy | None = None,
    progress: Progress = silent,
    elements: Sequence[Element] = (),
) -> RelaxResult:
    """The path of a mechanism along its drive.

    Args:
        model: the mechanism.
        study: how it is solved; left out, the model's own.
        progress: called as the drive goes on.
        elements: of the user's own, beside those of the model.

    Returns:
        Poses along the drive, and what they are worth.

    Raises:
        InputError: the model or the study cannot be used.
        Interrupted: Ctrl-C; its `result` is the drive so far.
    """
    study = study or model.study
    clock, record = Clock(), Record()
    progress(0, 1000, "starting")
    with run_loops("relax", _seconds_as_python(model, study), progress):
        with clock.phase("build"):
            net = build(model)
        try:
            with clock.phase("run"):
                run(net, study, record, progress, elements)
        except KeyboardInterrupt:
            if not record.frames:
                raise
            record.frames = _thin_frames(record.frames)
            raise Interrupted(_result(model, study, net, record, clock, bool(elements))) from None
        return _result(model, study, net, record, clock, bool(elements))


def _seconds_as_python(model: Mechanism, study: RelaxStudy) -> float:
    """How long a run takes without compiled loops, about: by the gallery, within a factor of three.

    A frame takes four factorisations, and four times as many under loads; a sweep of relaxation is cheaper.
    """
    pieces = sum(wrap.pieces if model.dimension == 3 else len(wrap.around) for wrap in model.wraps)
    nodes = len(model.nodes) + pieces
    pairs = sum(len(each.members) * len(each.against or each.members) for each in model.contacts)
    size = (nodes + pairs) * len(next(iter(model.nodes.values())))
    if study.method != "auto":
        return 1e-5 * size * min(study.iterations, 200 * study.frames)
    loaded = any((model.loads, model.gravity, model.springs, model.strings, model.fields, model.contacts))
    return 8e-4 * size * study.frames * (4 if loaded or model.wraps else 1)


def check(model: Mechanism) -> None:
    """Refuse what `solve` refuses of a model with its own study."""
    build(model)


def _thin_frames(frames: list[Frame]) -> list[Frame]:
    """As many frames as are judged while somebody waits for it to stop, the first and the last among them."""
    most = max(JUDGED // len(frames[0].x), 3)
    every = max(-(-len(frames) // (most - 1)), 1)
    return [*frames[:-1:every], frames[-1]]


def run(
    net: Network,
    study: RelaxStudy,
    record: Record,
    progress: Progress = silent,
    elements: Sequence[Element] = (),
) -> None:
    """Frames and notices of a run, by the method of the study."""
    why = (OWN if elements else newton_obstacle(net)) if study.method == "auto" else ""
    if study.method == "auto" and not why:
        follow(net, study, record, progress)
    elif study.method in ("sync", "async"):
        relax_along_drive(net, study, record, progress, elements)
    else:
        if why:
            record.notice(0.0, "fallback", f"momentum relaxation instead of Newton's steps: {why}")
        relax_with_momentum(net, study, record, progress, elements)


def _result(
    model: Mechanism, study: RelaxStudy, net: Network, record: Record, clock: Clock, own: bool
) -> RelaxResult:
    with clock.phase("check"):
        assessment = assess(net, study, record, own)
    return RelaxResult(
        assessment.status, model, study, net, tuple(record.frames), assessment, tuple(record.residuals),
        record.iterations, clock.seconds,
    )  # fmt: skip
