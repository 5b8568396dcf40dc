"""How the force of an element grows with its elongation e.

    bar      k e
    string   k e beyond a, 0 below −a, and k (e + a)²/4a between: pulls only
    bumper   the mirror image: pushes only

Source: [Lipson2006] eqs 1, 5 and 7.
Differs: eq. 7 prints 1 for l, and its stiffness times e is negative just below l₀, against the
paper's own condition that forces grow with elongation. The band above grows all the way; at l₀
it carries k a/4, so that `a` is how much slack the end of a string is rounded by.
"""

from __future__ import annotations

from pliant.core.kernel import inner

BAR, STRING, BUMPER = range(3)


@inner
def force(law: int, k: float, a: float, e: float) -> float:
    """Force at elongation e (N), positive in tension."""
    if law == BAR:
        return k * e
    if law == STRING:
        return _pull(k, a, e)
    return -_pull(k, a, -e)


@inner
def tangent(law: int, k: float, a: float, e: float) -> float:
    """Tangent stiffness df/de at elongation e."""
    if law == BAR:
        return k
    return _pull_rate(k, a, e if law == STRING else -e)


@inner
def stored_energy(law: int, k: float, a: float, e: float) -> float:
    """Strain energy at elongation e."""
    if law == BAR:
        return 0.5 * k * e * e
    return _pull_energy(k, a, e if law == STRING else -e)


@inner
def _pull(k: float, a: float, e: float) -> float:
    if e >= a:
        return k * e
    return k * (e + a) * (e + a) / (4.0 * a) if e > -a else 0.0


@inner
def _pull_rate(k: float, a: float, e: float) -> float:
    if e >= a:
        return k
    return k * (e + a) / (2.0 * a) if e > -a else 0.0


@inner
def _pull_energy(k: float, a: float, e: float) -> float:
    if e >= a:
        return 0.5 * k * (e * e + a * a / 3.0)  # continues the band's at e = a: 2 k a²/3
    return k * (e + a) ** 3 / (12.0 * a) if e > -a else 0.0
