"""Walks that climb as far as they can from the drawn pose try to pass bounds that are said to be proved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.crosscheck.assemblies import assembly
from tests.crosscheck.judge import play_length
from tests.crosscheck.played import played
from tests.crosscheck.walks import climbed

import pliant
from pliant.flex.status import ProofStatus

WALKS = 6


@pytest.mark.slow
@pytest.mark.parametrize("family", ["tray", "chain", "tiling", "dovetail", "tenon"])
@pytest.mark.parametrize("seed", range(3))
def test_no_walk_from_the_drawn_pose_passes_the_bound(family, seed):
    """Each climb is two walks or more, of hundreds of moves to thousands, checked by shapely."""
    model = assembly(family, 900 + seed)
    proof = pliant.prove(model, nodes=150)
    if proof.status not in (ProofStatus.PROVED, ProofStatus.OPEN) or not np.isfinite(proof.upper):
        pytest.skip(proof.message)
    if not proof.everything:
        pytest.skip("the bound is that of a box, which walks may leave")
    play = played(proof.flex)
    start = replace(play, frames=play.frames[:1])
    gains = [climbed(start, play_length(play), walk, work=3e7, hair=1e-6).gain for walk in range(WALKS)]
    assert max(gains) <= proof.upper
    assert proof.lower <= proof.upper
