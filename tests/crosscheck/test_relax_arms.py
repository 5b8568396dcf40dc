"""Random arms with strings and walls against an oracle of one angle: the same ending, at the same share."""

from __future__ import annotations

import pytest
from tests.crosscheck.arms import difference, random_arm

SHALLOW = 116  # a snap of a fiftieth of the size, in a drive over which it goes ten times as far
LATE = 125  # a string lets go after a wall did
SEEDS = [
    pytest.param(seed, marks=[pytest.mark.slow] if seed >= 12 else [])
    for seed in (*range(100), SHALLOW, LATE)
]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_arm_ends_as_its_angle_alone_tells(seed):
    arm = random_arm(seed)
    for frames in (1, 60):
        kind, found = difference(arm, frames)
        assert not found
        assert kind != "no claim"
