"""The slopes of what contacts do to the ends of their segments, against differences."""

from __future__ import annotations

import numpy as np
import pytest

from pliant.relax.mechanics.contact_curvature import contact_curvature
from pliant.relax.mechanics.segment_contact import contact_slope
from pliant.relax.network.elements import Contacts

STEP = 1e-6


def pulls(x: np.ndarray, touch: Contacts, force: float, friction: np.ndarray) -> np.ndarray:
    """(4, D) what a pair that presses does to its ends, friction turning along with it."""
    slope = np.empty(x.size)
    contact_slope(x, touch, 0, slope)
    parts = slope.reshape(x.shape)
    normal = parts[2] + parts[3]
    return force * parts + np.outer(parts @ normal, friction - normal * (normal @ friction))


@pytest.mark.parametrize("seed", range(12))
def test_slopes_of_contact_forces_are_those_of_differences(seed):
    """Ends on segments, ends on ends, and in space segments across each other."""
    rng = np.random.default_rng(seed)
    d = 2 + seed % 2
    x = rng.normal(size=(4, d))
    touch = Contacts(np.arange(4)[None], np.array([0.1]), np.ones(1), np.ones(1), np.zeros((1, d)))
    force, friction = -rng.uniform(1, 3), rng.normal(size=d)
    found = contact_curvature(x, touch, np.zeros(1, np.int64), np.array([force]), friction[None])[0]
    for j in range(4):
        for k in range(d):
            ahead, back = x.copy(), x.copy()
            ahead[j, k] += STEP
            back[j, k] -= STEP
            wanted = (pulls(ahead, touch, force, friction) - pulls(back, touch, force, friction)) / (2 * STEP)
            np.testing.assert_allclose(found[:, :, j, k], wanted, atol=1e-6)
