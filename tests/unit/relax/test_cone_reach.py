"""How far a step of `cone` goes before a row gives way."""

from __future__ import annotations

import numpy as np

from pliant.relax.solvers.cone_reach import _shares


def test_what_does_not_end_has_no_share_whatever_it_changes_by():
    left, change = np.array([1e10, 3.0, 2.0]), np.array([0.0, -1.0, 4.0])
    with np.errstate(all="raise"):
        shares = _shares(left, change, np.array([False, False, True]))
    assert shares.tolist() == [np.inf, np.inf, 0.5]


def test_of_next_to_nothing_the_share_is_that_of_any_other_amount():
    least = 5e-324  # the smallest number: nothing smaller bounds what is divided by
    shares = _shares(np.array([least, 0.0]), np.array([2 * least, least]), np.array([True, True]))
    assert shares.tolist() == [0.5, 0.0]
