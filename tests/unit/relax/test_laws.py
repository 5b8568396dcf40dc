"""How forces grow with elongation: bars, strings and bumpers."""

import numpy as np
import pytest

from pliant.relax.network.laws import BAR, BUMPER, STRING, force, stored_energy, tangent

K, A = 3.0, 0.2  # stiffness, and half of the band
LAWS = {"bar": BAR, "string": STRING, "bumper": BUMPER}
PIECES = [(-1.0, -A), (-A, A), (A, 1.0)]
every_law = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)


def integral(function, low, high):
    """Exact for polynomials up to the seventh power, as each piece of a law is one."""
    nodes, weights = np.polynomial.legendre.leggauss(4)
    at = 0.5 * (low + high) + 0.5 * (high - low) * nodes
    return 0.5 * (high - low) * sum(w * function(e) for w, e in zip(weights, at, strict=True))


@every_law
@pytest.mark.parametrize("piece", PIECES)
def test_the_force_is_the_derivative_of_the_energy_and_the_tangent_of_the_force(law, piece):
    low, high = piece
    for whole, rate in [(stored_energy, force), (force, tangent)]:
        grown = whole(law, K, A, high) - whole(law, K, A, low)
        assert integral(lambda e, rate=rate: rate(law, K, A, e), low, high) == pytest.approx(grown, abs=1e-15)


@every_law
@pytest.mark.parametrize("e", [-0.55, -0.07, 0.11, 0.63])
def test_derivatives_pass_a_taylor_test(law, e):
    """Of second order; where a law is slack or straight, nothing is left at all."""
    steps = 0.04 * 0.5 ** np.arange(4)
    for whole, rate in [(stored_energy, force), (force, tangent)]:
        first, slope = whole(law, K, A, e), rate(law, K, A, e)
        left = np.array([whole(law, K, A, e + h) - first - h * slope for h in steps])
        if np.abs(left[0]) > 1e-15:
            np.testing.assert_allclose(np.log2(left[:-1] / left[1:]), 2, atol=0.2)
        else:
            np.testing.assert_allclose(left, 0, atol=1e-15)


@every_law
@pytest.mark.parametrize("quantity", [force, tangent, stored_energy])
def test_nothing_jumps_at_the_ends_of_the_band(law, quantity):
    for edge in (-A, A):
        below, above = (quantity(law, K, A, edge + side * 1e-12) for side in (-1, 1))
        assert below == pytest.approx(above, abs=1e-10)


@every_law
def test_a_larger_elongation_never_has_a_smaller_force(law):
    forces = np.array([force(law, K, A, e) for e in np.linspace(-1, 1, 401)])
    assert (np.diff(forces) >= 0).all()
    assert all(tangent(law, K, A, e) >= 0 for e in np.linspace(-1, 1, 401))


def test_a_bar_pulls_and_pushes_a_string_pulls_and_a_bumper_pushes():
    assert [force(law, K, A, 0.5) for law in (BAR, STRING, BUMPER)] == [1.5, 1.5, 0]
    assert [force(law, K, A, -0.5) for law in (BAR, STRING, BUMPER)] == [-1.5, 0, -1.5]
    assert [stored_energy(law, K, A, -0.5) for law in (BAR, STRING)] == [0.375, 0]


@pytest.mark.parametrize("e", [-0.9, -0.13, 0.0, 0.08, 0.7])
def test_a_bumper_is_a_string_in_the_mirror(e):
    assert force(BUMPER, K, A, e) == -force(STRING, K, A, -e)
    assert tangent(BUMPER, K, A, e) == tangent(STRING, K, A, -e)
    assert stored_energy(BUMPER, K, A, e) == stored_energy(STRING, K, A, -e)


@pytest.mark.parametrize("e", [-0.19, -0.1, 0.0, 0.1, 0.19])
def test_within_its_band_a_string_pulls_by_the_square(e):
    assert force(STRING, K, A, e) == pytest.approx(K * (e + A) ** 2 / (4 * A), rel=1e-15)


def test_a_string_at_its_length_carries_a_quarter_of_its_band():
    assert force(STRING, K, A, 0.0) == pytest.approx(K * A / 4, rel=1e-15)


def test_eq_7_as_printed_would_push_where_a_string_must_not():
    """k(l)(l − l₀) with k rising over the band: negative just below l₀, where ours still pulls."""
    e = -A / 2
    assert K * (e + A) / (2 * A) * e < 0 < force(STRING, K, A, e)
