"""A run of `auto`: what it is made with, where it is, and how stiff what is rigid is made."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pliant.relax.factors.elimination import Order, elimination_order, factor_size
from pliant.relax.model import RelaxStudy
from pliant.relax.network.elements import FIXED, State
from pliant.relax.network.laws import BAR
from pliant.relax.network.network import Network, once
from pliant.relax.solvers.increment_measures import is_one_sided
from pliant.relax.solvers.lagrange import is_applicable
from pliant.relax.solvers.multipliers import scale_multipliers
from pliant.relax.solvers.newton import Limits
from pliant.relax.solvers.published import least_stiffness
from pliant.relax.solvers.record import scale

MOST = 30_000_000  # numbers of a factor, 240 MB: beyond, momentum is what is left
STIFFEST, STIFFER = 1e4, 100.0  # times as stiff as in the model, at most, and at a time
ROUNDED = 1e-3  # of the tolerance: what rounding leaves of forces at the model's own stiffness
CREEPS, LITTLE = 200, 1e-6  # increments that bring it no further than so much of the drive are enough
NEAR = 1e-3  # of a typical length: see `Limits`
UNDER, OVER = 1e-9, 1e-14  # least λ where rows are fewer than unknowns, and where they are not


@dataclass
class Run:
    """What a run is made with."""

    base: Network
    net: Network  # with what is rigid as stiff as it has to be
    study: RelaxStudy
    order: Order
    limits: Limits
    tolerance: float
    loaded: bool  # by anything but its own rigid lengths
    numbers: int  # of a factor
    one_sided: bool  # there are elements that come and go
    exact: bool  # positions and forces are found together
    rough: Network  # the same with its friction, which the others have not
    coned: bool = False  # positions, forces and friction are found together
    factor: float = 1.0  # by which what is rigid is stiffer than in the model

    def __post_init__(self) -> None:
        self.stable = self.limits  # for what rests where no disturbance grows


@dataclass
class Pace:
    """Where the drive is, and what the next increment is compared with."""

    step: float = 1.0  # the next increment, a share of the drive
    share: float = 0.0
    speed: float = 0.0  # the fastest it went: displacement over the share of the drive
    last: float | None = None  # that of the last increment, of the same stretch between two waypoints
    sign: float = 0.0  # of the determinant of the slopes
    unstable: bool = False  # it rests where a disturbance would grow, and goes on so
    lost: bool = False  # the exact way was not found on from here: increments go on until the next waypoint
    pieces: int = 0  # that the last increment was cut into to see whether it jumps
    tries: int = 0  # increments since it last went on by LITTLE
    since: float = 0.0  # the share there


def newton_obstacle(net: Network) -> str:
    """Why Newton's steps cannot be made; empty where they can."""
    if factor_size(net) > MOST:
        return f"its stiffness would hold more than {MOST:,} numbers"
    return ""


@once
def is_determined(net: Network) -> bool:
    """Whether there are at least as many lengths that always hold as unknowns."""
    parts = net.parts
    held = parts.guides.kinds[parts.links.ends] == FIXED
    rows = ((parts.links.laws == BAR) & ~held.all(axis=1)).sum()
    rows += ((parts.couplings.laws == BAR) & net.couplings_hold).sum()
    rows += (parts.rails.laws == BAR).sum() * (net.drawn.shape[1] - 1)
    return bool(rows >= (parts.guides.kinds != FIXED).sum() * net.drawn.shape[1])


def without_loads(net: Network) -> Network:
    """The same without loads: where rigid lengths leave no freedom, they change no pose."""
    return replace(net, drive=replace(net.drive, loads=np.zeros_like(net.drive.loads)))


def new_run(net: Network, study: RelaxStudy) -> Run:
    """A run of a network, as stiff as the model has it."""
    return Run(
        net,
        net,
        study,
        elimination_order(net),
        Limits(
            least_stiffness(net, study),
            NEAR * _typical_length(net) if net.loaded else 0.0,
            OVER if _is_bilateral(net) and is_determined(net) else UNDER,
            study.bend,
            net.loaded,
            (net.size or 1.0) if net.loaded else np.inf,
        ),
        study.tolerance * scale(net),
        net.loaded,
        factor_size(net),
        is_one_sided(net),
        is_applicable(net),
        net,
    )


@once
def _is_bilateral(net: Network) -> bool:
    """Whether no length or coupling lets go."""
    return bool((net.parts.links.laws == BAR).all() and (net.parts.couplings.laws == BAR).all())


def _typical_length(net: Network) -> float:
    """The length of a link, or the size where there is none."""
    return float(np.median(net.drive.rest[0])) if len(net.parts.links.ends) else net.size


def uses_multipliers(run: Run) -> bool:
    """Whether there are lengths that hold under load by their multipliers."""
    return run.loaded and bool(run.base.rigid.any() or len(run.base.parts.couplings.laws))


def stiffen(run: Run, state: State) -> None:
    """Make what is rigid stiffer, with the forces it carries: close to a fold, multipliers need more."""
    run.factor *= STIFFER
    run.tolerance = max(run.tolerance, run.study.tolerance * scale(run.base) * ROUNDED * run.factor)
    links, couplings = run.base.parts.links, run.base.parts.couplings
    stiff = np.where(run.base.rigid, run.factor, 1.0) * links.stiffness
    coupled = np.where(run.base.couplings_hold, run.factor, 1.0) * couplings.stiffness
    parts = run.base.parts._replace(
        links=links._replace(stiffness=stiff),
        couplings=couplings._replace(stiffness=coupled),
    )
    run.net = replace(run.base, parts=parts)
    rescale(run.base, state, 1.0 / STIFFER)


def rescale(net: Network, state: State, share: float) -> None:
    """Leave a share of what lengths are given in by: with a stiffness as many times larger, forces stay."""
    links = np.where(net.rigid, scale_multipliers(state.given, share, net.parts.links), state.given)
    coupled = scale_multipliers(state.coupling_given, share, net.parts.couplings)
    couplings = np.where(net.couplings_hold, coupled, state.coupling_given)
    state.rest[:] += state.given - links
    state.goal[:] += state.coupling_given - couplings
    state.given[:], state.coupling_given[:] = links, couplings


def copy_of(state: State) -> State:
    """A state that can be moved without this one."""
    return State._make(array.copy() for array in state)


def restore(state: State, before: State) -> None:
    """Put a state back to another, in place."""
    for array, old in zip(state, before, strict=True):
        array[:] = old
