"""Coming to rest at a place of the drive: Newton's steps, multipliers that make lengths hold, friction.

Lengths that shall hold do so under load too: an element is made shorter by what its stiffness gives
way by, until nothing is left of that (the multipliers of Hestenes and Powell), unless the mechanism
is locked.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pliant.relax.mechanics.elongation import elongations, unbalance
from pliant.relax.mechanics.friction import begin_increment, has_friction, update
from pliant.relax.network.elements import State
from pliant.relax.solvers.cone import settle_on_cone
from pliant.relax.solvers.continuation import structure
from pliant.relax.solvers.increment_measures import BOUND, FINE, FREE
from pliant.relax.solvers.increment_measures import HOLDS as LENGTHS
from pliant.relax.solvers.lagrange import SOFT as WEAK
from pliant.relax.solvers.lagrange import least_free_stiffness, settle_exactly
from pliant.relax.solvers.multipliers import (
    add_multipliers,
    clear_multipliers,
    extrapolate_multipliers,
    has_multipliers,
)
from pliant.relax.solvers.newton import Settled, is_stable, settle
from pliant.relax.solvers.published import update_factors
from pliant.relax.solvers.record import Record, scale
from pliant.relax.solvers.relaxation import accelerate, sweep_buffers
from pliant.relax.solvers.run_state import Run, copy_of, restore

TRIES = 80  # factorisations of an increment
CALMS = 8  # more of them, to take away the forces that the last step has made
RESCUE, LEAST_RESCUE = 2_000_000, 5_000  # links and nodes that momentum moves where Newton's steps fail
RESCUES = 4  # in a run
HOLDS, GIVES = 1e-12, 1e-8  # of their elements' scales: an error that is none, and one that no force mends
MENDED = 1e-3  # of the first error: so little of it is good enough where nothing helps any more
SOFT = "lengths give way under load: locked, or the stiffness of what is rigid is too small for it"
ROUNDS, HELPS = 40, 0.8  # of giving in, and the share of the error that is left where it helps
STRIKES = 12  # elements that let go meanwhile
RUBS, CALM = 40, 1e-14  # rounds of friction, and of the size: by how little it changes at their end
PUSHED = 1e-9  # of the force scale: a push that could make it buckle


def settled_at(run: Run, state: State) -> Settled:
    """Residual and length error of a state as it is."""
    return settle(state, run.net.parts, run.order, run.limits, run.tolerance, 0, 0.0)


def rest_increment(
    run: Run, before: State, state: State, share: float, smallest: bool, short: bool, record: Record
) -> Settled:
    """Come to rest at the end of an increment: exactly where that can be, else by multipliers."""
    if run.exact:
        settled = settle_exactly(run.net, state)
        record.iterations += settled.steps
        record.factorised += settled.steps
        if settled.at_rest or not smallest:
            return settled
        restore(state, before)
        run.net.aim(state, share)
    if run.coned:
        settled = settle_on_cone(run.net, run.rough, state)
        record.iterations += settled.steps
        record.factorised += settled.steps
        if settled.at_rest:
            return settled
    tries, bound = (2 * TRIES, np.inf) if smallest else (TRIES, BOUND)
    fine = FINE if run.loaded and short else 1.0
    settled = newton_steps(run, state, record, fine * run.tolerance, tries, bound)
    settled = settled._replace(at_rest=settled.residual <= run.tolerance or settled.at_rest)
    if smallest and not settled.at_rest:
        settled = _rescue(run, state, share, record)
    settled = _enforce(run, state, share, settled, record if smallest else Record())
    return _refine(run, state, settled, record)


def _refine(run: Run, state: State, settled: Settled, record: Record) -> Settled:
    """Iterate beyond the tolerance where lengths are not yet exact: close to a fold they need more."""
    if run.loaded or not settled.at_rest or elongations(run.net, state).worst <= FREE:
        return settled
    last = newton_steps(run, state, record, FINE * run.tolerance, TRIES, np.inf)
    return settled._replace(residual=last.residual)


def comes_to_rest(run: Run, state: State, record: Record) -> bool:
    """Bring a state to rest; whether it does, and its lengths hold."""
    if run.exact and settle_exactly(run.net, state).at_rest:
        return True
    if run.coned and settle_on_cone(run.net, run.rough, state).at_rest:
        return True
    settled = newton_steps(run, state, record, run.tolerance, TRIES, np.inf)
    settled = _enforce(run, state, 0.0, settled, Record())
    return settled.at_rest and elongations(run.net, state).worst <= LENGTHS


def newton_steps(
    run: Run, state: State, record: Record, tolerance: float, tries: int, bound: float
) -> Settled:
    """Take Newton's steps, and count their factorisations.

    Where they end far short of a finer tolerance, it is by their number: in a valley that bends, each step
    along it leaves forces that the next ones take away. These are taken too.
    """
    parts, order, limits = run.net.parts, run.order, run.limits
    settled = settle(state, parts, order, limits, tolerance, tries, bound)
    if tolerance < run.tolerance < settled.residual:
        more = settle(state, parts, order, limits, run.tolerance, CALMS, bound)
        settled = settled._replace(
            residual=more.residual,
            steps=settled.steps + more.steps,
            distorted=settled.distorted + more.distorted,
            at_rest=more.at_rest,
        )
    record.iterations += settled.steps
    record.factorised += settled.steps
    return settled


def come_to_rest(run: Run, state: State, share: float, record: Record) -> Settled:
    """Bring the mechanism to rest at a fixed share of the drive."""
    begin_increment(state)
    still = _rest_of_bars(run, state)
    if still is not None:
        return still
    if run.coned:
        settled = settle_on_cone(run.net, run.rough, state)
        if settled.at_rest:
            return settled
    limits, run.limits = run.limits, run.limits._replace(whole=False)  # it may be far from there
    settled = newton_steps(run, state, record, run.tolerance, 4 * TRIES, np.inf)
    if not settled.at_rest:
        settled = _rescue(run, state, share, record)
    run.limits = limits
    return _enforce(run, state, share, settled, record)


def _rest_of_bars(run: Run, state: State) -> Settled | None:
    """How a mechanism of bars alone is that rests already, to rounding; None where it does not."""
    links = run.net.parts.links
    if structure(run.net) is None:
        return None
    left = unbalance(state.x, state.rest, links.ends, links.stiffness, run.order.place)
    return Settled(left, 0, 0.0, False, True, True, 0.0, 0.0) if left <= FINE * run.tolerance else None


def _rescue(run: Run, state: State, share: float, record: Record) -> Settled:
    """Momentum relaxation, then Newton's steps again; a few times in a run, for it takes long."""
    net = run.net
    if sum(one.kind == "fallback" for one in record.notices) >= RESCUES:
        return newton_steps(run, state, record, run.tolerance, TRIES, np.inf)
    count = max(RESCUE // (len(net.parts.links.ends) + len(net.drawn)), LEAST_RESCUE)
    residuals, scratch = np.empty(count), sweep_buffers(*state.x.shape)
    made, _ = accelerate(
        state, net.parts, update_factors(net, run.study), run.tolerance, 0, scratch, residuals
    )
    settled = newton_steps(run, state, record, run.tolerance, TRIES, np.inf)
    record.iterations += made
    text = f"Newton's steps did not come to rest at {share:.2%}; momentum relaxation went on"
    record.notice(share, "fallback", text)
    return settled


def is_rough(run: Run) -> bool:
    """Whether there is friction."""
    return run.rough is not run.net and has_friction(run.rough)


def _enforce(run: Run, state: State, share: float, settled: Settled, record: Record) -> Settled:
    """Update multipliers until lengths hold and friction is within its cone, against the slip."""
    settled, change = _enforce_lengths(run, state, share, settled, record), np.inf
    if not is_rough(run):
        return settled
    own = run.rough.parts
    rough = replace(run.rough, parts=run.net.parts._replace(guides=own.guides, touch=own.touch))
    for _ in range(RUBS):
        change, before = update(rough, state), change
        if not settled.at_rest or _is_small(change, before, CALM * run.net.size, HOLDS * run.net.size):
            return settled
        again = newton_steps(run, state, record, FINE * run.tolerance, TRIES, np.inf)
        at_rest = again.at_rest or again.residual <= run.tolerance
        settled = settled._replace(residual=again.residual, at_rest=at_rest)
        settled = _enforce_lengths(run, state, share, settled, record)
    return settled._replace(at_rest=False)


def _enforce_lengths(run: Run, state: State, share: float, settled: Settled, record: Record) -> Settled:
    """Shorten what gives way under load by as much as it does, until lengths hold.

    Where that does not help, the mechanism is locked, or its stiffness too small for its loads
    to come to rest so: then it stays as its stiffness has it.
    """
    if not run.loaded or not settled.at_rest:
        return settled
    net, before, start, last, first = run.net, copy_of(state), np.inf, np.inf, settled
    strikes, once = STRIKES, before
    for _ in range(ROUNDS):
        error = elongations(net, state).worst
        if _is_small(error, last, HOLDS, GIVES):
            break
        if last < np.inf and settled.at_rest and error > HELPS * last and error < MENDED * start:
            break
        stalls = error > HELPS * last
        strikes -= stalls
        if strikes < 0 or not settled.at_rest or (stalls and not extrapolate_multipliers(net, state, once)):
            restore(state, before)
            record.notice(share, "soft", SOFT)
            return first if not has_multipliers(state) else _release(run, state, record)
        start = error if last == np.inf else start
        last, once = np.inf if stalls else error, copy_of(state)
        if not stalls:
            add_multipliers(net, state)
        settled = newton_steps(run, state, record, FINE * run.tolerance, TRIES, np.inf)
        settled = settled._replace(at_rest=settled.at_rest or settled.residual <= run.tolerance)
    return first._replace(residual=settled.residual, at_rest=settled.at_rest)


def _is_small(error: float, last: float, none: float, little: float) -> bool:
    """Whether an error is at rounding, or small and no longer falling."""
    return error <= none or 0.5 * last < error <= little


def _release(run: Run, state: State, record: Record) -> Settled:
    """Reset multipliers: rest lengths as the drive sets them."""
    clear_multipliers(state)
    return newton_steps(run, state, record, run.tolerance, TRIES, np.inf)


def polish_residual(run: Run, state: State, settled: Settled, record: Record) -> float:
    """A step or two beyond the tolerance, to what rounding leaves; the residual."""
    done = not settled.at_rest or settled.residual <= FINE * run.tolerance
    return settled.residual if done else residual_after_steps(run, state, record, 2)


def residual_after_steps(run: Run, state: State, record: Record, steps: int) -> float:
    """The residual after so many steps more, where they help."""
    if run.exact:
        there = copy_of(state)
        if settle_exactly(run.net, there).at_rest:
            restore(state, there)
        return settled_at(run, state).residual
    return newton_steps(run, state, record, FINE * run.tolerance, steps, np.inf).residual


def is_unstable(run: Run, state: State) -> bool:
    """Whether the rest is unstable; only mechanisms with elements in compression can be."""
    net = run.net
    if run.exact:
        return least_free_stiffness(net, state) < WEAK
    if not run.loaded or elongations(net, state).link_forces.min(initial=0.0) >= -PUSHED * scale(net):
        return False
    return not is_stable(state, net.parts, run.order, run.limits)
