"""Auto: follow a mechanism along its drive by Newton's steps, in increments of its own choosing.

An increment is taken back and halved where the mechanism does not come to rest, where it is distorted
by so much on the way that it could have jumped to another branch, or where a body turns inside out.
Where halving does not help, momentum relaxation finds a place to rest, and a doubt is noted.

Lengths that shall hold do so under load too: an element is made shorter by what its stiffness gives
way by, until nothing is left of that (the multipliers of Hestenes and Powell), unless the mechanism
is locked.

Source: [Lipson2006] "Incorrect solutions": changes "should be made in very small increments".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.core.progress import Progress
from pliant.relax.bending import distortion, spins
from pliant.relax.elongation import elongations
from pliant.relax.friction import begin, landed, prepared, rubs, smooth, update
from pliant.relax.laws import BAR
from pliant.relax.march import knobs
from pliant.relax.model import RelaxStudy
from pliant.relax.multipliers import any_given, drift, give, let_go, off
from pliant.relax.network import FIXED, Bools, Floats, Network, State
from pliant.relax.newton import Limits, Settled, settle, stands
from pliant.relax.order import Order, numbers
from pliant.relax.path import Record, scale, shares
from pliant.relax.relaxation import accelerate, shake, work

MOST = 30_000_000  # numbers of a factor, 240 MB: beyond, momentum is what is left
BOUND = 0.6  # distortion of an increment
SMALLEST = 2.0**-11  # increment, as a share of the drive
MANY = 12  # of the smallest increments in a run
PATIENCE, LABOUR = 25, 3e8  # factorisations a frame, and numbers in all of them, that are enough of a search
TRIES = 80  # factorisations of an increment
RESCUE, LEAST_RESCUE = 2_000_000, 5_000  # links and nodes that momentum moves where Newton's steps fail
RESCUES = 4  # in a run
HOLDS, GIVES = 1e-12, 1e-8  # of the size: an error that is none, and one that no force mends
FINE = 1e-5  # of the tolerance: how far steps go on where they still help
MENDED = 1e-3  # of the first error: so little of it is good enough where nothing helps any more
SOFT = "lengths give way under load: locked, or the stiffness of what is rigid is too small for it"
ROUNDS, HELPS = 40, 0.8  # of giving in, and the share of the error that is left where it helps
STRIKES = 12  # elements that let go meanwhile
LANDED = 1e-5  # of the size: from so near what rubs may come down in an increment
NIGH = 2.0**-16  # increment, as a share of the drive, that is small enough for it
STALL = 1e-3  # of the size: an error at which a locked mechanism is driven no further
NEAR = 1e-3  # of a typical length: see `Limits`
PUSHED = 1e-9  # of the force scale: a push that could make it buckle
TURNING = 1.0 / 64  # of the drive, where friction is: its direction follows what slips
RUBS, CALM = 40, 1e-14  # rounds with friction, and of the size: by how little it changes at their end
UNDER, OVER = 1e-9, 1e-14  # least λ where rows are fewer than unknowns, and where they are not


@dataclass(frozen=True)
class _Run:
    net: Network
    study: RelaxStudy
    order: Order
    limits: Limits
    tolerance: float
    loaded: bool  # by anything but its own rigid lengths
    numbers: int  # of a factor
    rough: Network  # the same with its friction, which `net` has not
    longest: float  # increment, as a share of the drive


def why_not(net: Network) -> str:
    """Why Newton's steps cannot be made; empty where they can."""
    if numbers(net) > MOST:
        return f"its stiffness would hold more than {MOST:,} numbers"
    return ""


def determined(net: Network) -> bool:
    """Whether there are at least as many lengths that always hold as unknowns."""
    parts = net.parts
    held = parts.guides.kinds[parts.links.ends] == FIXED
    rows = ((parts.links.laws == BAR) & ~held.all(axis=1)).sum() + (parts.couplings.laws == BAR).sum()
    rows += (parts.rails.laws == BAR).sum() * (net.drawn.shape[1] - 1)
    return bool(rows >= (parts.guides.kinds != FIXED).sum() * net.drawn.shape[1])


def follow(net: Network, study: RelaxStudy, record: Record, progress: Progress) -> None:
    """Frames at equal shares of the drive; stops where the mechanism cannot be brought to rest."""
    run = _run(net, study)
    net = run.net
    state = prepared(run.rough, net.state())
    if study.noise > 0.0:
        shake(state.x, net.parts.guides, study.noise * net.size, study.seed, 0)
    found = _leave_unstable(run, state, 0.0, _rest(run, state, 0.0, record), record)
    record.keep(net, state, 0.0, found.residual, found.at_rest)
    share, step = 0.0, run.longest
    for goal in shares(study.frames).tolist():
        progress(round(1000 * share), 1000, f"drive at {share:.1%}")
        while share < goal and record.smallest <= MANY and not _worn_out(run, record):
            left = goal - share
            step = min(step, run.longest)
            share, step, found = _advance(run, state, share, left if left < 1.5 * step else step, record)
            if found.at_rest and share < goal and _stalls(run, state):
                _stop(run, state, share, found, record)
                return
        if share < goal:
            record.keep(net, state, share, found.residual, found.at_rest)
            record.notice(share, "limit", _why_no_further(record))
            return
        found = _leave_unstable(run, state, share, found, record)
        record.keep(net, state, goal, _polish(run, state, found, record), found.at_rest)
        if not found.at_rest:
            record.notice(goal, "limit", f"did not come to rest at {goal:.1%} of the drive")
            return
        if goal < 1.0 and _stalls(run, state):
            _tell_lock(net, goal, record)
            return


def _why_no_further(record: Record) -> str:
    if record.smallest <= MANY:
        return f"{record.factorised:,} factorisations brought it no further"
    return f"{MANY} increments of {SMALLEST:.1e} of the drive brought it no further"


def _stalls(run: _Run, state: State) -> bool:
    """Whether lengths give way so much that to go on would show nothing; under load, where contacts do."""
    net = run.net
    if off(net, state) <= STALL * net.size:
        return False
    now = elongations(net, state)
    return not run.loaded or bool((net.touches_hold[now.touching] & (now.gaps < -GIVES * net.size)).any())


def _stop(run: _Run, state: State, share: float, found: Settled, record: Record) -> None:
    """Leave a locked mechanism where lengths give way so much that to go on would show nothing."""
    record.keep(run.net, state, share, _polish(run, state, found, record), found.at_rest)
    _tell_lock(run.net, share, record)


def _tell_lock(net: Network, share: float, record: Record) -> None:
    """Where anything is driven: what is at odds with itself is not stopped on its way."""
    if any(bool(np.ptp(part, axis=0).any()) for part in (net.drive.rest, net.drive.goal) if part.size):
        text = f"stopped at {share:.1%} of the drive: going on would only strain it"
        record.notice(share, "lock", text)


def _run(net: Network, study: RelaxStudy) -> _Run:
    rough, net = net, smooth(net) if rubs(net) else net
    parts = net.parts
    bilateral = bool((parts.links.laws == BAR).all() and (parts.couplings.laws == BAR).all())
    typical = float(np.median(net.drive.rest[0])) if len(parts.links.ends) else net.size
    floor = OVER if bilateral and determined(net) else UNDER
    return _Run(
        net,
        study,
        net.order,
        Limits(knobs(net, study).least, NEAR * typical, floor, study.bend),
        study.tolerance * scale(net),
        net.loaded,
        numbers(net),
        rough,
        TURNING if rough is not net else 1.0,
    )


def _advance(
    run: _Run, state: State, share: float, step: float, record: Record
) -> tuple[float, float, Settled]:
    """One increment: the share reached, the next step, and how it came to rest."""
    begin(state)
    before = _copy(state)
    ahead = share + step if share + step < 1.0 - SMALLEST / 2 else 1.0
    run.net.aim(state, ahead)
    smallest = step <= SMALLEST
    bound = np.inf if smallest else BOUND
    tries = 2 * TRIES if smallest else TRIES
    found = _settle(run, state, record, run.tolerance, tries, bound)
    kept = _same_sides(run.net, before.x, state.x)
    if step > NIGH and found.at_rest and landed(run.rough, before, state, LANDED * run.net.size):
        _restore(state, before)
        return share, 0.5 * step, found
    if found.at_rest and kept and found.distorted <= BOUND:
        easy = found.distorted < 0.4 * BOUND
        found = _hold(run, state, ahead, found, record)
        if found.at_rest or smallest:
            return ahead, (2.0 if easy else 1.0) * step, found
    if not smallest:
        _restore(state, before)
        return share, 0.5 * step, found
    record.smallest += 1
    if not found.at_rest:
        found = _rescue(run, state, ahead, record)
        found = found._replace(distorted=_distorted(run, before.x, state.x))
    if not _same_sides(run.net, before.x, state.x):
        record.notice(ahead, "branch", _flipped(run.net, before.x, state.x))
    elif found.distorted > BOUND:
        record.notice(ahead, "branch", "it went on by a jump: a small increment of the drive moves it far")
    return ahead, step, _hold(run, state, ahead, found, record)


def _settle(run: _Run, state: State, record: Record, tolerance: float, tries: int, bound: float) -> Settled:
    """Newton's steps, counted."""
    found = settle(state, run.net.parts, run.order, run.limits, tolerance, tries, bound)
    record.iterations += found.steps
    record.factorised += found.steps
    return found


def _worn_out(run: _Run, record: Record) -> bool:
    """Whether it has taken far more work than mechanisms take that come to rest."""
    steps = record.factorised
    return steps > PATIENCE * (run.study.frames + 20) and steps * run.numbers > LABOUR


def _rest(run: _Run, state: State, share: float, record: Record) -> Settled:
    """Come to rest without moving the drive."""
    begin(state)
    found = _settle(run, state, record, run.tolerance, 4 * TRIES, np.inf)
    if not found.at_rest:
        found = _rescue(run, state, share, record)
    return _hold(run, state, share, found, record)


def _distorted(run: _Run, before: Floats, after: Floats) -> float:
    """How much the way from one pose to another distorts, taken as one step."""
    spin = np.empty((len(before), 3))
    spins(before, after - before, run.order.edges, spin)
    return distortion(before, after - before, spin, run.order.edges, run.order.sizes)


def _rescue(run: _Run, state: State, share: float, record: Record) -> Settled:
    """Momentum relaxation, then Newton's steps again; a few times in a run, for it takes long."""
    net = run.net
    if sum(one.kind == "fallback" for one in record.notices) >= RESCUES:
        return _settle(run, state, record, run.tolerance, TRIES, np.inf)
    count = max(RESCUE // (len(net.parts.links.ends) + len(net.drawn)), LEAST_RESCUE)
    residuals, scratch = np.empty(count), work(*state.x.shape)
    made, _ = accelerate(state, net.parts, knobs(net, run.study), run.tolerance, 0, scratch, residuals)
    found = _settle(run, state, record, run.tolerance, TRIES, np.inf)
    record.iterations += made
    text = f"Newton's steps did not come to rest at {share:.2%}; momentum relaxation went on"
    record.notice(share, "fallback", text)
    return found


def _hold(run: _Run, state: State, share: float, found: Settled, record: Record) -> Settled:
    """Make lengths hold, and friction what it can be: within its cone, and against what slips."""
    found, change = _tighten(run, state, share, found, record), np.inf
    if run.rough is run.net:
        return found
    for _ in range(RUBS):
        change, before = update(run.rough, state), change
        if not found.at_rest or _enough(change, before, CALM * run.net.size, HOLDS * run.net.size):
            return found
        found = _settle(run, state, record, FINE * run.tolerance, TRIES, np.inf)
        found = found._replace(at_rest=found.at_rest or found.residual <= run.tolerance)
        found = _tighten(run, state, share, found, record)
    return found._replace(at_rest=False)


def _tighten(run: _Run, state: State, share: float, found: Settled, record: Record) -> Settled:
    """Shorten what gives way under load by as much as it does, until lengths hold.

    Where that does not help, the mechanism is locked, or its stiffness too small for its loads
    to come to rest so: then it stays as its stiffness has it.
    """
    if not run.loaded or not found.at_rest:
        return found
    net, before, start, last, first = run.net, _copy(state), np.inf, np.inf, found
    strikes, once = STRIKES, before
    for _ in range(ROUNDS):
        worst = off(net, state)
        if _enough(worst, last, HOLDS * net.size, GIVES * net.size):
            break
        if last < np.inf and found.at_rest and worst > HELPS * last and worst < MENDED * start:
            break
        stalls = worst > HELPS * last
        strikes -= stalls
        if strikes < 0 or not found.at_rest or (stalls and not drift(net, state, once)):
            _restore(state, before)
            record.notice(share, "soft", SOFT)
            return first if not any_given(state) else _let_go(run, state, record)
        start = worst if last == np.inf else start
        last, once = np.inf if stalls else worst, _copy(state)
        if not stalls:
            give(net, state)
        found = _settle(run, state, record, FINE * run.tolerance, TRIES, np.inf)
        found = found._replace(at_rest=found.at_rest or found.residual <= run.tolerance)
    return found


def _enough(error: float, last: float, none: float, little: float) -> bool:
    """Whether an error is none, or little and does not fall any more."""
    return error <= none or 0.5 * last < error <= little


def _let_go(run: _Run, state: State, record: Record) -> Settled:
    """Rest lengths as they are asked for."""
    let_go(state)
    return _settle(run, state, record, run.tolerance, TRIES, np.inf)


def _polish(run: _Run, state: State, found: Settled, record: Record) -> float:
    """A step or two beyond the tolerance, to what rounding leaves; the residual."""
    if not found.at_rest:
        return found.residual
    last = _settle(run, state, record, FINE * run.tolerance, 2, np.inf)
    return last.residual


def _leave_unstable(run: _Run, state: State, share: float, found: Settled, record: Record) -> Settled:
    """Where a disturbance would grow, make one if the study has noise, and else say so.

    Source: [Lipson2006] "Handling Unstable Equilibrium", Fig. 3.
    """
    net = run.net
    pushed = elongations(net, state).link_forces.min(initial=0.0) < -PUSHED * scale(net)
    if not (run.loaded and found.at_rest and pushed) or stands(state, net.parts, run.order, run.limits):
        return found
    if run.study.noise == 0.0:
        record.notice(
            share, "unstable", "it rests where any disturbance would grow; give noise to let it fall"
        )
        return found
    shake(state.x, net.parts.guides, run.study.noise * net.size, run.study.seed, record.iterations)
    return _rest(run, state, share, record)


def _same_sides(net: Network, before: Floats, after: Floats) -> bool:
    return not _turned(net, before, after).any()


def _turned(net: Network, before: Floats, after: Floats) -> Bools:
    """Bodies that turned inside out."""
    if not len(net.simplices):
        return np.zeros(0, np.bool_)
    first, second = (
        np.linalg.det(x[net.simplices[:, 1:]] - x[net.simplices[:, :1]]) for x in (before, after)
    )
    return first * second < 0.0


def _flipped(net: Network, before: Floats, after: Floats) -> str:
    names = [net.body_names[b] for b in np.flatnonzero(_turned(net, before, after))]
    return f"{', '.join(names)} turned inside out"


def _copy(state: State) -> State:
    return State._make(array.copy() for array in state)


def _restore(state: State, before: State) -> None:
    for array, old in zip(state, before, strict=True):
        array[:] = old
