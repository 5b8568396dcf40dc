"""Random arms with strings and walls against an oracle of one angle: the same ending, at the same share."""

from __future__ import annotations

import pytest
from tests.crosscheck.arms import difference, random_arm

SHALLOW = "a snap of a fiftieth of the size, over which forces stay within the tolerance of the study"
LATE = "a string lets go 4e-8 of the drive late"
HARD = {116: SHALLOW, 125: LATE}
SEEDS = [
    pytest.param(
        seed,
        marks=[
            *([pytest.mark.slow] if seed >= 12 else []),
            *([pytest.mark.xfail(strict=True, reason=HARD[seed])] if seed in HARD else []),
        ],
    )
    for seed in (*range(100), 116, 125)
]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_arm_ends_as_its_angle_alone_tells(seed):
    arm = random_arm(seed)
    for frames in (1, 60):
        kind, found = difference(arm, frames)
        assert not found
        assert kind != "no claim"
