"""Limits of random linkages, of joints found together too, against a continuation of all equations."""

import numpy as np
import pytest
from tests.crosscheck.chains import TRAVEL, Chain, drawn, pushed

from pliant.linkage.model import Linkage
from pliant.linkage.solve import solve

TURN = 2 * np.pi


def differs(data) -> str | None:
    """What pliant says of a linkage that is not so; None where all of it is."""
    result, chain = solve(Linkage.model_validate(data)), Chain(data)
    if result.status.name in ("LOST", "WORK_LIMIT"):
        return str(result.status)
    most = TURN if chain.turns else TRAVEL
    up = chain.end(1, most)
    down = ("all", -most) if chain.turns and up[0] == "all" else chain.end(-1, most)
    if up[0] == down[0] == "all" or result.limits is None:
        return None if up[0] == down[0] == "all" and result.limits is None else f"{result.limits}: {up}"
    for said, (how, true) in zip(result.limits, (down, up), strict=True):
        if how == "lost" or abs(said - true) > (1e-3 if how == "far" else 1e-9):
            return f"{said}: {how} at {true}"
    return None


@pytest.mark.parametrize(
    ("seed", "low", "high"),
    [
        (18, -0.0026758496956797, 0.0021488440374518),
        (
            70091,
            -0.8383517716852071,
            0.0079763654715732,
        ),  # within 1e-6 rad of where the crank's dyad is folded
        pytest.param(73, -0.0001221547774295, 0.0030326575713804, marks=pytest.mark.slow),
        pytest.param(112, -0.0015777507908633, 1.6721426730926872, marks=pytest.mark.slow),
    ],
)
def test_of_several_groups_the_one_that_ends_first_is_found_to_the_last_digit(seed, low, high):
    """What `Chain` finds of linkages that seem to end elsewhere where groups are judged by size."""
    found = solve(Linkage.model_validate(drawn(np.random.default_rng(seed)))).limits
    assert found == pytest.approx((low, high), abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(105, 120, 2))
def test_random_linkages_end_where_their_equations_do(seed):
    data = drawn(np.random.default_rng(seed))
    assert differs(data) is None, data


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_random_linkages_with_linear_motors_end_where_their_equations_do(seed):
    data = pushed(np.random.default_rng(seed))
    assert differs(data) is None, data
