"""What samples say: shares with their confidence, percentiles, and what each input contributes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from pliant.core.arrays import Floats

PERCENTILES = (1, 5, 50, 95, 99)
CUBIC = 30  # samples for each of an input's terms; with fewer, a line is fitted


def share_interval(count: int, total: int, level: float = 0.95) -> tuple[float, float]:
    """Between what a share lies of which `count` of `total` samples had it, after Clopper and Pearson.

    It holds at least as often as `level` says, whatever the share.

    >>> [round(end, 4) for end in share_interval(95, 100)]
    [0.8872, 0.9836]
    """
    tail = (1 - level) / 2
    low = betaincinv(count, total - count + 1, tail) if count else 0.0
    high = betaincinv(count + 1, total - count, 1 - tail) if count < total else 1.0
    return float(low), float(high)


@dataclass(frozen=True)
class Contributions:
    """Of a figure's variance, the share of each input, and what none has by itself."""

    shares: tuple[float, ...]  # one for each input, from 0 to 1
    unexplained: float  # by inputs one at a time: what they do together, and jumps


def contributions(inputs: Floats, figure: Floats) -> Contributions | None:
    """First-order shares of the variance from given samples; None where the figure does not vary.

    The figure is fitted by a sum of a cubic polynomial of each input, y ≈ ȳ + Σ fᵢ(xᵢ) (a line, where there
    are few samples). As the inputs are independent, the share of each is cov(fᵢ, y)/var(y), and they add up
    to what the fit explains. What chance alone gives a fit of that many terms is taken off.
    """
    wanted = figure - figure.mean()
    total = float(wanted @ wanted)
    if len(figure) < 3 or total <= 1e-24 * len(figure) * max(float(np.abs(figure).max()), 1e-300) ** 2:
        return None
    most = 3 if len(figure) >= CUBIC * 3 * inputs.shape[1] else 1
    terms = [_terms(column, most) for column in inputs.T]
    owners = np.repeat(np.arange(len(terms)), [own.shape[1] for own in terms])
    matrix = np.column_stack([np.zeros((len(figure), 0)), *terms])
    fit = np.linalg.lstsq(matrix, wanted, rcond=None)[0]
    raw = np.array([(matrix[:, owners == k] @ fit[owners == k]) @ wanted for k in range(len(terms))]) / total
    spare = max(len(figure) - 1 - len(owners), 1)
    chance = np.bincount(owners, minlength=len(terms)) * max(1 - raw.sum(), 0.0) / spare
    shares = np.clip(raw - chance, 0.0, 1.0)
    return Contributions(tuple(shares.tolist()), float(max(1 - shares.sum(), 0.0)))


def _terms(column: Floats, most: int) -> Floats:
    """Powers of an input (K, up to 3), of mean 0 and spread 1; none of one that does not vary."""
    spread = float(column.std())
    degree = min(most, len(np.unique(column)) - 1)
    if not spread > 1e-15 * float(np.abs(column).max()) or degree < 1:
        return np.zeros((len(column), 0))
    powers = np.column_stack([((column - column.mean()) / spread) ** k for k in range(1, degree + 1)])
    return (powers - powers.mean(axis=0)) / powers.std(axis=0)
