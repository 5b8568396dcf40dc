"""Results without a solver: a mechanism at poses that are given."""

import numpy as np
import pytest

from pliant.relax.assemble.build import build
from pliant.relax.diagnose.assessment import Assessment
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.model import Mechanism
from pliant.relax.result import RelaxResult
from pliant.relax.solvers.record import Frame
from pliant.relax.status import RelaxStatus

QUIET = {"carriers": (), "locks_at": None, "assembly_kept": True, "notices": ()}


def run(
    model: Mechanism, places, *, status=RelaxStatus.CONVERGED, iterations=7, history=(), **known
) -> RelaxResult:
    """A model whose own nodes are at places (F, N, D) at equal shares of the drive; hidden ones as drawn."""
    net = build(model)
    frames = []
    for share, place in zip(np.linspace(0, 1, len(places)), places, strict=True):
        x = net.drawn.copy()
        x[: net.shown] = place
        found = elongations(net, net.state(x, share))
        frames.append(Frame(float(share), x, 1e-14, found, round(100 * share), True))
    still = np.zeros(len(frames))
    trust = Assessment(**{"status": status, "length_errors": still, "loads": still.copy(), **QUIET, **known})
    return RelaxResult(status, model, model.study, net, tuple(frames), trust, history, iterations, {})


@pytest.fixture
def by_hand():
    return run
