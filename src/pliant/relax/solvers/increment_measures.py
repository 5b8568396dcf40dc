"""What every increment of the drive is judged by: lengths, orientation, what acts, how far it went."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import lapack
from scipy.sparse.linalg import splu

from pliant.core.arrays import Floats, Ints
from pliant.relax.mechanics.elongation import Elongations, elongations, errors
from pliant.relax.mechanics.gradients import jacobian_at
from pliant.relax.network.elements import State
from pliant.relax.network.laws import BAR
from pliant.relax.network.network import Network, once

_lapack: Any = lapack

BOUND = 0.6  # distortion of an increment
FINE = 1e-5  # of the tolerance: how far steps go on where they still help
FREE, LOADED = 1e-10, 1e-7  # of their elements' scales: errors of lengths that an increment may leave
JUMP = 1e-3  # of the size: a displacement that is a jump, where it is sudden; and a distortion
SHRINKS = 0.5  # of the first step of an increment: the second one, at most
STEADY = 1e-9  # distortion, or share of the size: a second step that is none
GROWS, LEAST = 2.0, 0.2  # of the last speed, and of the fastest: so fast an increment may be
SHORT = 2.0**-9  # increment that is close to an event: lengths that do not hold in it ask for more stiffness
SLOWEST = 2.0**-14  # increment that tells how fast it goes: smaller ones are close to events
DODGE = 0.77  # of an increment that ends where two branches meet: a shorter one does not
HOLDS = 1e-6  # of an element's own scale: a length that is off by more does not hold
ROUNDING = 1e-14
NONE = 1e-5  # of the largest pivot: the least of a pose that is all but singular
BAND = 2
DENSE = 120  # unknowns up to which a dense determinant is quicker


def length_errors(net: Network, stretch: Elongations) -> Floats:
    """Relative length error of each link, coupling and rail (E + C + Q,); 0 where it holds."""
    links, rails, couplings, _ = errors(net, stretch)
    return np.concatenate([links, couplings, rails]) / net.scales


@once
def length_rounding(net: Network) -> float:
    """Relative length error that rounding of the coordinates alone can cause."""
    return ROUNDING * float(np.abs(net.drawn).max(initial=0.0)) / float(net.scales.min(initial=np.inf))


def law_regions(net: Network, state: State) -> Ints:
    """Branch of each element's law (E + C + Q + T,): −1 slack, BAND between, 1 taut; 0 for bars.

    Contacts: 1 where they press, −1 where they are open.
    """
    stretch, parts = elongations(net, state), net.parts
    one_way = (
        _region(over, group.laws, group.bands)
        for over, group in (
            (stretch.links, parts.links),
            (stretch.couplings, parts.couplings),
            (stretch.rails, parts.rails),
        )
    )
    touching = np.full(len(parts.touch.radius), -1)
    touching[stretch.touching] = 1
    return np.concatenate([*one_way, touching])


def _region(over: Floats, laws: Ints, bands: Floats) -> Ints:
    return np.where(laws == BAR, 0, np.where(over > bands, 1, np.where(over < -bands, -1, BAND)))


@once
def is_one_sided(net: Network) -> bool:
    """Whether there are one-way elements: strings, bumpers, one-way circuits, contacts."""
    parts = net.parts
    groups = parts.links, parts.couplings, parts.rails
    return any((group.laws != BAR).any() for group in groups) or bool(len(parts.touch.radius))


@dataclass(frozen=True)
class Determinant:
    """Sign and logarithm of det J."""

    sign: float  # 0 where J is not square
    size: float = 0.0  # the logarithm of its absolute value
    singular: bool = False  # all but: a pivot is none beside the largest


def determinant_at(net: Network, x: Floats, stretch: Elongations) -> Determinant:
    """Sign and logarithm of det J at a state; rails in space have no orientation."""
    if len(net.parts.rails.nodes) and x.shape[1] == 3:
        return Determinant(0.0)
    rows = jacobian_at(net, x, stretch)
    if len(rows.over) != len(rows.nodes) or not len(rows.over):
        return Determinant(0.0)
    pivots, sign = _pivots(rows.matrix)
    sizes = np.abs(pivots)
    if not sizes.min():
        return Determinant(0.0, -np.inf, singular=True)
    singular = bool(sizes.min() <= NONE * sizes.max())
    return Determinant(float(np.sign(pivots).prod()) * sign, float(np.log(sizes).sum()), singular)


def _pivots(matrix: Any) -> tuple[Floats, float]:
    """Pivots of a square matrix, and the sign of its row swaps."""
    if matrix.shape[0] <= DENSE:
        factor, swaps, _ = _lapack.dgetrf(matrix.toarray())
        return factor.diagonal(), -1.0 if int((swaps != np.arange(len(swaps))).sum()) % 2 else 1.0
    try:
        factors = splu(sparse.csc_array(matrix))
    except RuntimeError:  # exactly singular
        return np.zeros(1), 1.0
    return factors.U.diagonal(), parity(factors.perm_r) * parity(factors.perm_c)


def zero_of_determinant(spots: Floats, turns: list[Determinant]) -> float:
    """Share at which a determinant that changes sign between two shares is 0."""
    largest = max(turn.size for turn in turns)
    values = np.array([turn.sign * np.exp(turn.size - largest) for turn in turns])
    first, last = spots[0], spots[-1]
    place = (spots - first) / (last - first)
    roots = np.roots(np.polyfit(place, values, len(spots) - 1))
    inside = [root.real for root in roots if abs(root.imag) < NONE and -NONE <= root.real <= 1.0 + NONE]
    at = inside[0] if inside else values[0] / (values[0] - values[-1])
    return float(first + min(max(at, 0.0), 1.0) * (last - first))


def parity(order: Ints) -> float:
    """1 where a permutation is an even number of swaps, else −1: by its number of cycles."""
    count = len(order)
    graph = sparse.coo_array((np.ones(count), (np.arange(count), order)), (count, count))
    cycles = sparse.csgraph.connected_components(graph, directed=False, return_labels=False)
    return -1.0 if (count - cycles) % 2 else 1.0


def displacement(before: Floats, after: Floats) -> float:
    """Largest displacement of a node."""
    return float(np.sqrt(((after - before) ** 2).sum(axis=1).max(initial=0.0)))
