"""Many machines as arrays: what a batch is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pliant.core.arrays import Bools, Floats, Ints
from pliant.core.errors import PliantError
from pliant.relax.assemble.links import BAND
from pliant.relax.network.laws import BAR, BUMPER
from pliant.relax.status import RelaxStatus

PUSH, ETA = 0.5, 0.1  # ηα where α is not given, and η: with pseudo-inertia
RESTS, RESTS_SINGLE, HOLDS = 1e-6, 1e-4, 1e-4  # of its scales: a machine's residual, and error of lengths
STATUSES = (RelaxStatus.CONVERGED, RelaxStatus.LOCKED, RelaxStatus.NOT_CONVERGED)


@dataclass(frozen=True)
class Machines:
    """M machines with J nodes and L links in D dimensions; `machines` makes them."""

    drawn: Floats  # (M, J, D)
    ends: Ints  # (L, 2), or (M, L, 2) where each machine has links of its own
    laws: Ints  # (L,) or (M, L), as `ends`: BAR, STRING or BUMPER of `laws`
    rest: Floats  # (M, L)
    target: Floats  # (M, L) rest lengths where the drive is 1
    stiffness: Floats  # (M, L) 0: the machine has no such link
    bands: Floats  # (M, L) over which strings and bumpers tighten
    free: Bools  # (M, J)
    load: Floats  # (M, J, D)

    @property
    def mixed(self) -> bool:
        """Whether each machine has links of its own."""
        return self.ends.ndim == 3

    @property
    def strengths(self) -> Floats:
        """Largest stiffness of each machine (M,), the unit of its forces."""
        most = self.stiffness.max(axis=1, initial=0.0)
        return np.where(most > 0.0, most, 1.0)

    @property
    def sizes(self) -> Floats:
        """Longest side of each drawing, or length of a link where longer (M,)."""
        size = np.ptp(self.drawn, axis=1).max(axis=1)
        for lengths in (self.rest, self.target):
            size = np.maximum(size, lengths.max(axis=1, initial=0.0))
        return size

    @property
    def loaded(self) -> Bools:
        """Whether forces from outside act on each machine (M,)."""
        return np.abs(self.load).max(axis=(1, 2), initial=0.0) > 0.0

    @property
    def scales(self) -> Floats:
        """Reference length and reference force of each machine (M, 2), for relative errors."""
        return np.stack([self.sizes, self.sizes * self.strengths], axis=1)

    def longest_steps(self, cap: float) -> Floats:
        """How far each node may go along an axis in an iteration (M, J): `cap` of the machine's size.

        Args:
            cap: share of the machine's size.

        Returns:
            Lengths, 0 for nodes that are held.
        """
        return cap * self.sizes[:, None] * self.free


@dataclass(frozen=True)
class Floor:
    """Nodes do not go below 0 on the last axis, and friction holds those that stand there."""

    friction: float = 0.5  # coefficient


@dataclass(frozen=True)
class BatchResult:
    """Machines at the end of the drive, and how well they are settled. Nothing in it is NaN."""

    points: NDArray[Any]  # (M, J, D)
    residual: NDArray[Any]  # (M,) largest force left on a free node
    length_error: NDArray[Any]  # (M,) of the worst link
    errors: NDArray[Any]  # (M, C) the same at the end of each step of the drive
    trace: NDArray[Any]  # (M, C, T, D) traced nodes there
    scale: Floats  # (M, 2) what errors and residuals are measured by: see `Machines.scales`
    loaded: Bools  # (M,) by forces from outside

    @property
    def statuses(self) -> tuple[RelaxStatus, ...]:
        """How each machine ended: CONVERGED, LOCKED (at rest, and its lengths do not hold), NOT_CONVERGED.

        At rest is a residual of at most a millionth of stiffness times size, in float32 a ten-thousandth.
        Lengths of a machine under load give way by what they carry: that is no lock.
        """
        near = RESTS if self.points.dtype == np.float64 else RESTS_SINGLE
        rests = self.residual <= near * self.scale[:, 1]
        holds = (self.length_error <= HOLDS * self.scale[:, 0]) | self.loaded
        codes = np.where(rests, np.where(holds, 0, 1), 2).tolist()
        return tuple(STATUSES[one] for one in codes)

    def summary(self) -> str:
        """How many machines ended how.

        Returns:
            A line for each status.
        """
        return "\n".join(f"  {self.statuses.count(one):>7} {one.sentence}" for one in STATUSES)


def machines(
    drawn: ArrayLike,
    ends: ArrayLike,
    *,
    rest: ArrayLike | None = None,
    target: ArrayLike | None = None,
    stiffness: ArrayLike = 1.0,
    free: ArrayLike = True,
    laws: ArrayLike = BAR,
    bands: ArrayLike | None = None,
    load: ArrayLike = 0.0,
) -> Machines:
    """Machines drawn (M, J, D) of one topology, ends (L, 2), or of one each, (M, L, 2).

    Args:
        drawn: positions of the nodes (M, J, D).
        ends: nodes of each link (L, 2) of one topology, or (M, L, 2).
        rest: lengths without force (M, L); left out, as drawn.
        target: rest lengths where the drive is 1 (M, L); left out, as `rest`.
        stiffness: of the links (M, L); 0: the machine has no such link.
        free: which nodes may move (M, J).
        laws: of the links (L,) or (M, L): BAR, STRING or BUMPER.
        bands: lengths over which strings and bumpers tighten (M, L).
        load: forces on nodes (M, J, D), such as gravity [0, -1].

    Returns:
        The machines as arrays; what broadcasts to these shapes may be given.

    Raises:
        PliantError: shapes do not fit, or a value cannot be used.
    """
    x, pairs = np.array(drawn, np.float64), np.array(ends, np.int64)
    _check_shapes(x, pairs)
    links = (len(x), pairs.shape[-2])
    lengths = drawn_lengths(x, pairs)
    start = lengths if rest is None else _spread("rest", rest, links)
    made = Machines(
        drawn=x,
        ends=pairs,
        laws=_spread("laws", laws, pairs.shape[:-1], np.int64),
        rest=start,
        target=start if target is None else _spread("target", target, links),
        stiffness=_spread("stiffness", stiffness, links),
        bands=BAND * lengths if bands is None else _spread("bands", bands, links),
        free=_spread("free", free, x.shape[:2], np.bool_),
        load=_spread("load", load, x.shape),
    )
    _check_values(made)
    for array in vars(made).values():
        array.flags.writeable = False
    return made


def drawn_lengths(drawn: Floats, ends: Ints) -> Floats:
    """Distances (M, L) of the ends of links in drawings (M, J, D).

    Args:
        drawn: positions of the nodes (M, J, D).
        ends: nodes of each link (L, 2) or (M, L, 2).

    Returns:
        Lengths (M, L).
    """
    each = np.broadcast_to(ends, (len(drawn), *ends.shape[-2:]))
    rows = np.arange(len(drawn))[:, None]
    return np.linalg.norm(drawn[rows, each[..., 1]] - drawn[rows, each[..., 0]], axis=2)


def drive_shares(drive: ArrayLike, made: Machines) -> Floats:
    """A drive (C,), (C, L) or (M, C, L) as (1 or M, C, 1 or L): what is the same for all is there once."""
    shares = np.asarray(drive, np.float64)
    count, links = made.rest.shape
    if shares.ndim == 1:
        shares = shares[:, None]
    if shares.ndim == 2:
        shares = shares[None]
    allowed = shares.ndim == 3 and shares.shape[0] in (1, count) and shares.shape[2] in (1, links)
    if not allowed or shares.shape[1] == 0 or not np.isfinite(shares).all():
        raise PliantError(
            f"drive: {shares.shape} shares; a drive has finite shares at one or more steps, (C,), "
            f"(C, {links}) or ({count}, C, {links})."
        )
    return shares


def check_method(
    made: Machines, iterations: int, alpha: float | None, eta: float, least: float, cap: float,
    trace: Sequence[int],
) -> float:  # fmt: skip
    """Refuse numbers that the method has no meaning for; α, 0.5 / η where it is not given."""
    nodes = made.drawn.shape[1]
    allowed = {
        f"iterations = {iterations}: it must be 0 or more": iterations >= 0,
        f"alpha = {alpha}: it must be above 0": alpha is None or 0.0 < alpha < np.inf,
        f"eta = {eta}: it must be above 0 and at most 1": 0.0 < eta <= 1.0,
        f"least = {least}: it must be above 0": 0.0 < least < np.inf,
        f"cap = {cap}: it must be above 0": 0.0 < cap < np.inf,
        f"trace = {list(trace)}: nodes are 0 to {nodes - 1}": all(0 <= node < nodes for node in trace),
    }
    wrong = [fault for fault, fine in allowed.items() if not fine]
    if wrong:
        raise PliantError(f"{'; '.join(wrong)}.")
    return PUSH / eta if alpha is None else alpha


def _spread(name: str, values: ArrayLike, shape: tuple[int, ...], kind: Any = np.float64) -> Any:
    given = np.asarray(values, kind)
    try:
        return np.broadcast_to(given, shape).copy()
    except ValueError:
        raise PliantError(f"{name}: shape {given.shape} does not fit {shape}.") from None


def _check_shapes(drawn: Floats, ends: Ints) -> None:
    if drawn.ndim != 3 or drawn.shape[2] not in (2, 3) or 0 in drawn.shape:
        raise PliantError(
            f"drawn: shape {drawn.shape}; machines are drawn as (M, J, 2) or (M, J, 3), one or more of them."
        )
    if ends.ndim not in (2, 3) or ends.shape[-1] != 2 or (ends.ndim == 3 and len(ends) != len(drawn)):
        raise PliantError(
            f"ends: shape {ends.shape}; give (L, 2) where all machines have the same links, or "
            f"({len(drawn)}, L, 2)."
        )
    if ends.size and (ends.min() < 0 or ends.max() >= drawn.shape[1]):
        raise PliantError(f"ends: nodes {ends.min()} to {ends.max()}; they are 0 to {drawn.shape[1] - 1}.")


def _check_values(made: Machines) -> None:
    """Every number a number, and none where its sign makes no sense."""
    for name, least in {
        "drawn": None, "load": None, "rest": 0.0, "target": 0.0, "stiffness": 0.0, "bands": 0.0
    }.items():  # fmt: skip
        values = getattr(made, name)
        wrong = ~np.isfinite(values) if least is None else ~(np.isfinite(values) & (values >= least))
        if wrong.any():
            at = tuple(np.argwhere(wrong)[0].tolist())
            allowed = "finite" if least is None else "finite and not negative"
            raise PliantError(f"{name}{list(at)} = {values[at]}: it must be {allowed}.")
    if not np.isin(made.laws, range(BUMPER + 1)).all():
        raise PliantError(f"laws: {np.unique(made.laws).tolist()}; they are 0 (bar), 1 (string), 2 (bumper).")
    slack = (made.laws != BAR) & (made.bands == 0.0) & (made.stiffness > 0.0)
    if slack.any():
        at = np.argwhere(slack)[0].tolist()
        raise PliantError(f"bands{at} = 0: a string or bumper needs a length over which it tightens.")
