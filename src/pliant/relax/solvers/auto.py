"""Auto: follow a mechanism along its drive by Newton's steps, in increments of its own choosing.

An increment is judged before it is taken (see `faults`). It is taken back and halved where the mechanism
does not come to rest, where lengths do not hold, where it is distorted by so much on the way, or where
Newton's steps shrink so slowly, that it could have jumped to another branch, where a body turns inside
out, the determinant of the slopes changes its sign, or stability is lost. What halving does not cure down
to a billionth of the drive is an event: it is named, and the drive goes on or ends there.

Small mechanisms under load are followed by arclength instead, from event to event (see `critical`).

Frames are pictures on the way between two increments, and change nothing of them.

Source: [Lipson2006] "Incorrect solutions": changes "should be made in very small increments".
Differs: how small is not left to the user (see `faults`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pliant.core.progress import Progress
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.mechanics.friction import (
    begin_increment,
    has_friction,
    has_landed,
    smooth,
    with_friction_rows,
)
from pliant.relax.model import RelaxStudy
from pliant.relax.network.elements import State
from pliant.relax.network.network import Network
from pliant.relax.solvers.cone_equations import is_applicable as settles_on_cone
from pliant.relax.solvers.continuation import NEAR as CLOSE
from pliant.relax.solvers.continuation import (
    DriveState,
    GroupStructure,
    Pose,
    bounds,
    follow_groups,
    frame_buffers,
    structure,
)
from pliant.relax.solvers.critical import follow_stretch
from pliant.relax.solvers.descent import descend
from pliant.relax.solvers.equilibrium import (
    come_to_rest,
    comes_to_rest,
    is_rough,
    polish_residual,
    residual_after_steps,
    rest_increment,
    settled_at,
)
from pliant.relax.solvers.events import fold_ahead, is_rank_deficient
from pliant.relax.solvers.holding_forces import is_rigid_only, preload
from pliant.relax.solvers.increment_faults import PIECES, increment_fault
from pliant.relax.solvers.increment_measures import (
    BOUND,
    DODGE,
    FREE,
    JUMP,
    SHORT,
    determinant_at,
    displacement,
)
from pliant.relax.solvers.increment_measures import HOLDS as LENGTHS
from pliant.relax.solvers.lagrange import is_applicable
from pliant.relax.solvers.losses import name_loss
from pliant.relax.solvers.newton import Settled
from pliant.relax.solvers.record import Record, shares
from pliant.relax.solvers.relaxation import perturb_nodes
from pliant.relax.solvers.run_state import (
    CREEPS,
    LITTLE,
    STIFFEST,
    Pace,
    Run,
    copy_of,
    is_determined,
    new_run,
    restore,
    stiffen,
    uses_multipliers,
    without_loads,
)
from pliant.relax.solvers.stops import (
    MANY,
    SMALLEST,
    keep_frame,
    leave_unstable,
    loses_stability,
    name_event,
    passes_singular_pose,
    stop_drive,
    take_increment,
    why_no_further,
)

PATIENCE, LABOUR = 2000, 3e8  # factorisations, and numbers in all of them, that are enough of a search
INCREMENTS, EACH = 9000, 50  # that are enough of a run, and for each waypoint; friction may take 4096
LANDED = 1e-5  # of the size: from so near what rubs may come down in an increment
NIGH = 2.0**-16  # increment, as a share of the drive, that is small enough for it
TURNING = 1.0 / 64  # of the drive, where friction is: its direction follows what slips


def follow(net: Network, study: RelaxStudy, record: Record, progress: Progress) -> None:
    """Advance along the drive in judged increments, and keep frames on the way.

    Stops at every waypoint; for good where it locks, at a dead centre, or where it does not come to rest.
    """
    geometry = net.loaded and is_rigid_only(net) and is_determined(net) and not has_friction(net)
    _follow(net, study, record, progress, geometry)
    if geometry and is_applicable(net) and any(one.kind == "limit" for one in record.notices):
        again = Record()  # forces tell where it ends: towards a fold they grow without bound
        _follow(net, study, again, progress, False)
        vars(record).update(vars(again))


def _follow(net: Network, study: RelaxStudy, record: Record, progress: Progress, geometry: bool) -> None:
    """Advance once along the drive, by geometry alone or with loads."""
    rough, net = net, smooth(net) if has_friction(net) else net
    run = new_run(without_loads(net) if geometry else net, study)
    run.base, pace = net, Pace()
    if rough is not net:
        run.rough, run.exact, run.coned = rough, False, settles_on_cone(rough)
    state, settled = _initial_rest(run, pace, record)
    keep_frame(run, state, 0.0, polish_residual(run, state, settled, record), settled.at_rest, record)
    if not settled.at_rest:
        record.notice(0.0, "limit", "did not come to rest as drawn")
        return
    if record.frames[0].elongations.worst > LENGTHS:
        return  # they contradict each other before anything moves
    groups = structure(run.net)
    if groups is None:
        pace.sign = determinant_at(net, state.x, record.frames[0].elongations).sign
    wanted = shares(study.frames).tolist()
    left = INCREMENTS + EACH * len(net.drive.knots)
    for goal in net.drive.knots:
        pace.last, pace.lost = None, False
        while pace.share < goal:
            progress(round(1000 * pace.share), 1000, f"drive at {pace.share:.1%}")
            if groups is not None and pace.step > SHORT:
                close, wanted = _follow_compiled(run, groups, state, pace, goal, wanted, record, progress)
                if not close:
                    continue
            exactly = run.exact and not pace.unstable and not pace.lost
            go = _follow_exactly if exactly else _increment
            going, wanted = go(run, state, pace, goal, wanted, record, progress)
            left -= 1
            if not going:
                return
            if record.events > MANY or left == 0 or _is_work_spent(run, record):
                keep_frame(run, state, pace.share, settled_at(run, state).residual, True, record)
                record.notice(pace.share, "limit", why_no_further(record))
                return
    for share in wanted:  # nothing is driven
        record.frames.append(replace(record.frames[-1], share=share))


def _follow_compiled(
    run: Run, own: GroupStructure, state: State, pace: Pace, goal: float, wanted: list[float], record: Record,
    progress: Progress,
) -> tuple[bool, list[float]]:  # fmt: skip
    """Increments in one compiled loop; whether an event is close, and the frames that are left to be kept."""
    net, parity = run.net, own.groups.parity
    last = -1.0 if pace.last is None else pace.last
    going = DriveState(pace.share, pace.step, pace.speed, last, parity * pace.sign, 0, 0, 0, CLOSE)
    drawn = frame_buffers(net, wanted)
    judged = bounds(net, run.tolerance, run.limits.bends)
    reached = follow_groups(Pose(state.x, np.empty(len(own.ends))), own, judged, going, goal, drawn)
    net.aim(state, reached.share)
    pace.share, pace.step, pace.speed, pace.sign = (
        reached.share,
        reached.step,
        reached.speed,
        parity * reached.sign,
    )
    pace.last = reached.last if reached.last >= 0.0 else None
    before = record.iterations
    for k, share in enumerate(wanted[: reached.kept]):
        there = state._replace(x=drawn.x[k])
        if share != reached.share:
            rest, goals, loads = net.drive.at(share)
            there = there._replace(rest=rest, goal=goals, loads=loads)
        record.iterations = before + int(drawn.made[k])
        keep_frame(run, there, share, float(drawn.residuals[k]), True, record)
        progress(round(1000 * share), 1000, f"drive at {share:.1%}")
    record.iterations = before + reached.made + reached.drawn
    record.factorised += reached.made
    return reached.why == CLOSE, wanted[reached.kept :]


def _increment(
    run: Run, state: State, pace: Pace, goal: float, wanted: list[float], record: Record, progress: Progress
) -> tuple[bool, list[float]]:
    """One increment, taken or halved; whether the drive goes on, and the frames left to be kept."""
    before, first = copy_of(state), pace.share
    going = _advance(run, state, pace, goal, record)
    return going, _frames(run, before, state, (first, pace.share), wanted, record, progress)


def _follow_exactly(
    run: Run, state: State, pace: Pace, goal: float, wanted: list[float], record: Record, progress: Progress
) -> tuple[bool, list[float]]:
    """Follow the equilibrium path to the next event; whether the drive goes on, and frames to be kept."""
    way = follow_stretch(run.net, state, pace.share, goal)
    record.iterations += way.solved
    record.factorised += way.solved
    for share, there in way.poses:
        before, first = copy_of(state), pace.share
        restore(state, there)
        take_increment(run, before, state, pace, share, share - first)
        wanted = _frames(run, before, state, (first, share), wanted, record, progress)
    pace.lost = not way.ends
    record.events += way.event is not None or pace.lost
    if way.event is None or pace.lost:
        return True, wanted
    if way.event.kind == "fold":
        between = pace.share, way.event.share
        wanted = _frames(run, copy_of(state), way.event.state, between, wanted, record, progress)
    return name_loss(run, state, pace, way.event, goal, record), wanted


def _initial_rest(run: Run, pace: Pace, record: Record) -> tuple[State, Settled]:
    """Bring the mechanism to rest before it is driven, with as much rigid stiffness as that takes."""
    net, study = run.net, run.study
    while True:
        state = with_friction_rows(run.rough, run.net.state())
        if run.loaded and elongations(net, state).worst <= FREE:
            preload(run.net, state)
        if study.noise > 0.0:
            perturb_nodes(state.x, net.parts.guides, study.noise * net.size, study.seed, 0)
        trial_record = Record()
        settled = leave_unstable(run, state, pace, come_to_rest(run, state, 0.0, trial_record), trial_record)
        record.iterations += trial_record.iterations
        if run.exact and not (settled.at_rest and elongations(run.net, state).worst <= LENGTHS):
            there = run.net.state()
            if descend(run.net, there):
                return there, settled_at(run, there)
        done = not settled.at_rest or run.factor >= STIFFEST or not uses_multipliers(run)
        if done or elongations(run.net, state).worst <= LENGTHS:
            record.notices += trial_record.notices
            return state, settled
        stiffen(run, state)


def _frames(
    run: Run, before: State, state: State, between: tuple[float, float], wanted: list[float], record: Record,
    progress: Progress,
) -> list[float]:  # fmt: skip
    """Keep the frames from one end of an increment to the other; those that are left to be kept.

    One that does not come to rest between both is left out: a picture decides nothing.
    """
    first, last = between
    here, made = before, record.factorised
    limit = 2.0 * displacement(before.x, state.x) + JUMP * run.net.size
    while wanted and wanted[0] <= last and first < last:
        share = wanted.pop(0)
        progress(round(1000 * share), 1000, f"drive at {share:.1%}")
        if share == last:
            there = copy_of(state)  # a picture must not change the way
            keep_frame(run, there, share, residual_after_steps(run, there, record, 2), True, record)
            break
        for start in (here, before, state):
            there = copy_of(start)
            run.net.aim(there, share)
            if comes_to_rest(run, there, record) and displacement(before.x, there.x) <= limit:
                keep_frame(run, there, share, residual_after_steps(run, there, record, 1), True, record)
                here = there
                break
    record.factorised = made
    return wanted


def _advance(run: Run, state: State, pace: Pace, goal: float, record: Record) -> bool:
    """One increment, taken or halved; whether the drive goes on."""
    begin_increment(state)
    before, left = copy_of(state), goal - pace.share
    if is_rough(run):
        pace.step = min(pace.step, TURNING)
    step = left if left < 1.5 * pace.step else pace.step
    ahead = goal if step == left else pace.share + step
    smallest = step <= SMALLEST or _is_stalled(pace)
    run.net.aim(state, ahead)
    settled = rest_increment(run, before, state, ahead, smallest, step < SHORT, record)
    if step > NIGH and settled.at_rest and has_landed(run.rough, before, state, LANDED * run.net.size):
        restore(state, before)
        pace.step = 0.5 * step
        return True
    pace.pieces = 0
    fault = increment_fault(run, before, state, settled, pace, step)
    fold = fold_ahead(run.net, before, pace.share, goal) if fault == "singular" and step <= SHORT else None
    if fold is not None:
        pace.share = fold[0]
        return stop_drive(run, fold[1], state, "lengths", pace, fold[0], goal, record, fold[0])
    if fault == "singular" and (smallest or ahead == goal):
        fault = ""
        record.events += smallest  # it may be so all along, and no increment is longer then
    if (
        fault == "sign"
        and step <= SHORT
        and passes_singular_pose(run, before, state, (pace.share, ahead), record)
    ):
        pace.sign, fault = -pace.sign, ""
    if fault == "unstable" and loses_stability(run, before, state, pace, ahead, record):
        fault = ""
    if fault and not smallest:
        restore(state, before)
        if fault == "lengths" and step <= SHORT and run.factor < STIFFEST and uses_multipliers(run):
            stiffen(run, state)
        else:
            pace.step = (DODGE if fault == "singular" else 0.5) * step
        return True
    if (
        fault == "lengths"
        and run.factor < STIFFEST
        and uses_multipliers(run)
        and not is_rank_deficient(run.net, before)
    ):
        restore(state, before)
        stiffen(run, state)
        return True
    if fault:
        record.events += 1
        return name_event(run, before, state, fault, pace, ahead, goal, settled, record)
    take_increment(run, before, state, pace, ahead, step)
    grows = settled.distorted < 0.4 * BOUND and 2 * pace.pieces < PIECES
    pace.step = (2.0 if grows else 1.0) * step
    return True


def _is_stalled(pace: Pace) -> bool:
    """Whether many increments have made no progress."""
    pace.tries += 1
    if pace.share > pace.since + LITTLE:
        pace.tries, pace.since = 0, pace.share
    return pace.tries > CREEPS


def _is_work_spent(run: Run, record: Record) -> bool:
    """Whether far more factorisations were used than mechanisms need that come to rest."""
    steps = record.factorised
    return steps > PATIENCE and steps * run.numbers > LABOUR
