"""Random arms with strings and walls against an oracle of one angle: the same ending, at the same share."""

from __future__ import annotations

from math import atan2, hypot

import pytest
from tests.crosscheck.arms import difference, followed, random_arm

from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.solve import solve

SHALLOW = 116  # a snap of a fiftieth of the size, in a drive over which it goes ten times as far
LATE = 125  # a string lets go after a wall did
OVER = 820006  # a string is paid out until the arm goes over where it is farthest
DRIFTED = 820098  # a wall lets go, and the arm rests to the tolerance of forces for a little longer
SEEDS = [
    pytest.param(seed, marks=[pytest.mark.slow] if seed >= 12 else [])
    for seed in (*range(100), SHALLOW, LATE, OVER, DRIFTED)
]


@pytest.mark.few(4)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_arm_ends_as_its_angle_alone_tells(seed):
    arm = random_arm(seed)
    for frames in (1, 60):
        kind, found = difference(arm, frames)
        assert not found
        assert kind != "no claim"


@pytest.mark.slow
def test_an_arm_goes_over_where_its_string_is_as_long_as_it_can_be_far():
    arm = random_arm(OVER)
    (x, y, first, last), result = arm.strings[0], solve(Mechanism.model_validate(arm.model()), RelaxStudy())
    expected = (hypot(x, y) + arm.length - first) / (last - first)
    told = [one for one in result.assessment.notices if one.kind == "snap"]
    assert [one.share for one in told] == pytest.approx([expected], abs=1e-9)
    assert followed(arm, atan2(*result.frames[0].x[1, ::-1]))[1] == pytest.approx(expected, abs=1e-9)
