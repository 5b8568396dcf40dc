"""Auto: follow a mechanism along its drive by Newton's steps, in increments of its own choosing.

An increment is judged before it is taken (see `judging`). It is taken back and halved where the mechanism
does not come to rest, where lengths do not hold, where it is distorted by so much on the way, or where
Newton's steps shrink so slowly, that it could have jumped to another branch, where a body turns inside
out, the determinant of the slopes changes its sign, or stability is lost. What halving does not cure down
to a billionth of the drive is an event: it is named, and the drive goes on or ends there.

Frames are pictures on the way between two increments, and change nothing of them.

Lengths that shall hold do so under load too: an element is made shorter by what its stiffness gives
way by, until nothing is left of that (the multipliers of Hestenes and Powell), unless the mechanism
is locked.

Source: [Lipson2006] "Incorrect solutions": changes "should be made in very small increments".
Differs: how small is not left to the user. That the second of two Newton's steps is at most half of the
first is the test of convergence of Newton and Mysovskikh, by which a step finds the branch it began on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pliant.core.progress import Progress
from pliant.relax.continuation import NEAR as CLOSE
from pliant.relax.continuation import Going, Pose, Structure, bounds, pictures, pursue
from pliant.relax.elongation import elongations
from pliant.relax.events import broken, held_by, located
from pliant.relax.friction import begin, landed, prepared, rubs, smooth, update
from pliant.relax.judging import BAND, crossing, moved, one_sided, orientation, regions, rounding
from pliant.relax.judging import HOLDS as LENGTHS
from pliant.relax.lagrange import SOFT as WEAK
from pliant.relax.lagrange import fits, settle_exactly, softest
from pliant.relax.laws import BAR
from pliant.relax.march import knobs, least
from pliant.relax.model import RelaxStudy
from pliant.relax.multipliers import any_given, drift, give, let_go
from pliant.relax.network import FIXED, Bools, Floats, Network, State, once
from pliant.relax.newton import Limits, Settled, settle, stands
from pliant.relax.order import Order, numbers
from pliant.relax.path import Record, Way, scale, shares
from pliant.relax.relaxation import accelerate, shake, work
from pliant.relax.statics import rigid_only, stiffened
from pliant.relax.turning import ways_on

MOST = 30_000_000  # numbers of a factor, 240 MB: beyond, momentum is what is left
BOUND = 0.6  # distortion of an increment
SMALLEST = 2.0**-30  # increment, as a share of the drive: events are located so closely
MANY = 40  # events in a run
SHRINKS = 0.5  # of the first step of an increment: the second one, at most
DODGE = 0.77  # of an increment that ends where two branches meet: a shorter one does not
STEADY = 1e-9  # distortion, or share of the size: a second step that is none
FREE, LOADED = 1e-10, 1e-7  # of their elements' scales: errors of lengths that an increment may leave
STIFFEST, STIFFER = 1e4, 100.0  # times as stiff as in the model, at most, and at a time
ROUNDED = 1e-3  # of the tolerance: what rounding leaves of forces at the model's own stiffness
SLOWEST = 2.0**-14  # increment that tells how fast it goes: smaller ones are close to events
SHORT = 2.0**-9  # increment in which lengths that do not hold ask for more stiffness
CREEPS, LITTLE = 200, 1e-6  # increments that bring it no further than so much of the drive are enough
GROWS, LEAST = 2.0, 0.2  # of the last speed, and of the fastest: so fast an increment may be
QUICK = 4.0  # times as fast as it ever went: no faster where strings tighten and contacts close
SAME = 1e-6  # of the drive: events as near are one
JUMP = 1e-3  # of the size: a displacement that is a jump, where it is sudden; and a distortion
PATIENCE, LABOUR = 2000, 3e8  # factorisations, and numbers in all of them, that are enough of a search
TRIES = 80  # factorisations of an increment
RESCUE, LEAST_RESCUE = 2_000_000, 5_000  # links and nodes that momentum moves where Newton's steps fail
RESCUES = 4  # in a run
HOLDS, GIVES = 1e-12, 1e-8  # of their elements' scales: an error that is none, and one that no force mends
FINE = 1e-5  # of the tolerance: how far steps go on where they still help
MENDED = 1e-3  # of the first error: so little of it is good enough where nothing helps any more
SOFT = "lengths give way under load: locked, or the stiffness of what is rigid is too small for it"
ROUNDS, HELPS = 40, 0.8  # of giving in, and the share of the error that is left where it helps
STRIKES = 12  # elements that let go meanwhile
LANDED = 1e-5  # of the size: from so near what rubs may come down in an increment
NIGH = 2.0**-16  # increment, as a share of the drive, that is small enough for it
TURNING = 1.0 / 64  # of the drive, where friction is: its direction follows what slips
RUBS, CALM = 40, 1e-14  # rounds of friction, and of the size: by how little it changes at their end
STRAIN = 1e-3  # of the size: by so much a locked mechanism is driven further, to see what carries it
NEAR = 1e-3  # of a typical length: see `Limits`
PUSHED = 1e-9  # of the force scale: a push that could make it buckle
UNDER, OVER = 1e-9, 1e-14  # least λ where rows are fewer than unknowns, and where they are not


@dataclass
class _Run:
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
    factor: float = 1.0  # by which what is rigid is stiffer than in the model

    def __post_init__(self) -> None:
        self.stable = self.limits  # for what rests where no disturbance grows


@dataclass
class _Pace:
    """Where the drive is, and what the next increment is compared with."""

    step: float = 1.0  # the next increment, a share of the drive
    share: float = 0.0
    speed: float = 0.0  # the fastest it went: displacement over the share of the drive
    last: float | None = None  # that of the last increment, of the same stretch between two waypoints
    sign: float = 0.0  # of the determinant of the slopes
    unstable: bool = False  # it rests where a disturbance would grow, and goes on so
    tries: int = 0  # increments since it last went on by LITTLE
    since: float = 0.0  # the share there


def why_not(net: Network) -> str:
    """Why Newton's steps cannot be made; empty where they can."""
    if numbers(net) > MOST:
        return f"its stiffness would hold more than {MOST:,} numbers"
    return ""


@once
def determined(net: Network) -> bool:
    """Whether there are at least as many lengths that always hold as unknowns."""
    parts = net.parts
    held = parts.guides.kinds[parts.links.ends] == FIXED
    rows = ((parts.links.laws == BAR) & ~held.all(axis=1)).sum() + (parts.couplings.laws == BAR).sum()
    rows += (parts.rails.laws == BAR).sum() * (net.drawn.shape[1] - 1)
    return bool(rows >= (parts.guides.kinds != FIXED).sum() * net.drawn.shape[1])


def follow(net: Network, study: RelaxStudy, record: Record, progress: Progress) -> None:
    """Increments along the drive, judged one by one, and frames on the way.

    Stops at every waypoint; for good where it locks, at a dead centre, or where it does not come to rest.
    """
    rough, net = net, smooth(net) if rubs(net) else net
    geometry = net.loaded and rigid_only(net) and determined(net) and rough is net
    run = _run(unloaded(net) if geometry else net, study)
    run.base, pace = net, _Pace()
    if rough is not net:
        run.rough, run.exact = rough, False
    state, found = _begun(run, pace, record)
    _keep(run, state, 0.0, _polish(run, state, found, record), found.at_rest, record)
    if not found.at_rest:
        record.notice(0.0, "limit", "did not come to rest as drawn")
        return
    if record.frames[0].elongations.worst > LENGTHS:
        return  # they contradict each other before anything moves
    quickly = run.net.structure
    if quickly is None:
        pace.sign = orientation(net, state.x, record.frames[0].elongations).sign
    wanted = shares(study.frames).tolist()
    for goal in net.drive.knots:
        pace.last = None
        while pace.share < goal:
            progress(round(1000 * pace.share), 1000, f"drive at {pace.share:.1%}")
            if quickly is not None and pace.step > SHORT:
                close, wanted = _pursue(run, quickly, state, pace, goal, wanted, record, progress)
                if not close:
                    continue
            before, first = _copy(state), pace.share
            going = _advance(run, state, pace, goal, record)
            wanted = _frames(run, before, state, (first, pace.share), wanted, record, progress)
            if not going:
                return
            if record.events > MANY or _worn_out(run, record):
                _keep(run, state, pace.share, _look(run, state).residual, True, record)
                record.notice(pace.share, "limit", _why_no_further(record))
                return
    for share in wanted:  # nothing is driven
        record.frames.append(replace(record.frames[-1], share=share))


def _pursue(
    run: _Run, own: Structure, state: State, pace: _Pace, goal: float, wanted: list[float], record: Record,
    progress: Progress,
) -> tuple[bool, list[float]]:  # fmt: skip
    """Increments in one compiled loop; whether an event is close, and the frames that are left to be kept."""
    net, parity = run.net, own.groups.parity
    last = -1.0 if pace.last is None else pace.last
    going = Going(pace.share, pace.step, pace.speed, last, parity * pace.sign, 0, 0, 0, CLOSE)
    drawn = pictures(net, wanted)
    judged = bounds(net, run.tolerance, run.limits.bends)
    found = pursue(Pose(state.x, np.empty(len(own.ends))), own, judged, going, goal, drawn)
    net.aim(state, found.share)
    pace.share, pace.step, pace.speed, pace.sign = found.share, found.step, found.speed, parity * found.sign
    pace.last = found.last if found.last >= 0.0 else None
    before = record.iterations
    for k, share in enumerate(wanted[: found.kept]):
        rest, goals, loads = net.drive.at(share)
        there = state._replace(x=drawn.x[k], rest=rest, goal=goals, loads=loads)
        record.iterations = before + int(drawn.made[k])
        _keep(run, there, share, float(drawn.residuals[k]), True, record)
        progress(round(1000 * share), 1000, f"drive at {share:.1%}")
    record.iterations = before + found.made + found.drawn
    record.factorised += found.made
    return found.why == CLOSE, wanted[found.kept :]


def _begun(run: _Run, pace: _Pace, record: Record) -> tuple[State, Settled]:
    """At rest before anything is driven, with as much stiffness as that takes."""
    net, study = run.net, run.study
    while True:
        state = prepared(run.rough, run.net.state())
        if run.loaded and elongations(net, state).worst <= FREE:
            stiffened(run.net, state)
        if study.noise > 0.0:
            shake(state.x, net.parts.guides, study.noise * net.size, study.seed, 0)
        told = Record()
        found = _leave_unstable(run, state, pace, _rest(run, state, 0.0, told), told)
        record.iterations += told.iterations
        done = not found.at_rest or run.factor >= STIFFEST or not _multiplied(run)
        if done or elongations(run.net, state).worst <= LENGTHS:
            record.notices += told.notices
            return state, found
        _stiffen(run, state)


def unloaded(net: Network) -> Network:
    """The same without loads: where rigid lengths leave no freedom, they change no pose."""
    return replace(net, drive=replace(net.drive, loads=np.zeros_like(net.drive.loads)))


def _frames(
    run: _Run, before: State, state: State, between: tuple[float, float], wanted: list[float], record: Record,
    progress: Progress,
) -> list[float]:  # fmt: skip
    """Keep the frames from one end of an increment to the other; those that are left to be kept.

    One that does not come to rest between both is left out: a picture decides nothing.
    """
    first, last = between
    here, made = before, record.factorised
    limit = 2.0 * moved(before.x, state.x) + JUMP * run.net.size
    while wanted and wanted[0] <= last and first < last:
        share = wanted.pop(0)
        progress(round(1000 * share), 1000, f"drive at {share:.1%}")
        if share == last:
            there = _copy(state)  # a picture must not change the way
            _keep(run, there, share, _polished(run, there, record, 2), True, record)
            break
        for start in (here, before, state):
            there = _copy(start)
            run.net.aim(there, share)
            if _rests(run, there, record) and moved(before.x, there.x) <= limit:
                _keep(run, there, share, _polished(run, there, record, 1), True, record)
                here = there
                break
    record.factorised = made
    return wanted


def _look(run: _Run, state: State) -> Settled:
    return settle(state, run.net.parts, run.order, run.limits, run.tolerance, 0, 0.0)


def _why_no_further(record: Record) -> str:
    if record.events <= MANY:
        return f"{record.factorised:,} factorisations brought it no further"
    return f"{MANY} events brought it no further"


def _run(net: Network, study: RelaxStudy) -> _Run:
    parts = net.parts
    bilateral = bool((parts.links.laws == BAR).all() and (parts.couplings.laws == BAR).all())
    floor = OVER if bilateral and determined(net) else UNDER
    return _Run(
        net,
        net,
        study,
        net.order,
        Limits(
            least(net, study),
            NEAR * _typical(net) if net.loaded else 0.0,
            floor,
            study.bend,
            net.loaded,
            (net.size or 1.0) if net.loaded else np.inf,
        ),
        study.tolerance * scale(net),
        net.loaded,
        numbers(net),
        one_sided(net),
        fits(net),
        net,
    )


def _typical(net: Network) -> float:
    """The length of a link, or the size where there is none."""
    return float(np.median(net.drive.rest[0])) if len(net.parts.links.ends) else net.size


def _advance(run: _Run, state: State, pace: _Pace, goal: float, record: Record) -> bool:
    """One increment, taken or halved; whether the drive goes on."""
    begin(state)
    before, left = _copy(state), goal - pace.share
    if _rubs(run):
        pace.step = min(pace.step, TURNING)
    step = left if left < 1.5 * pace.step else pace.step
    ahead = goal if step == left else pace.share + step
    smallest = step <= SMALLEST or _creeps(pace)
    run.net.aim(state, ahead)
    found = _brought(run, before, state, ahead, smallest, step < SHORT, record)
    if step > NIGH and found.at_rest and landed(run.rough, before, state, LANDED * run.net.size):
        _restore(state, before)
        pace.step = 0.5 * step
        return True
    fault = _fault(run, before, state, found, pace, step)
    if fault == "singular" and (smallest or ahead == goal):
        fault = ""
    if fault == "sign" and step <= SHORT and _passes(run, before, state, (pace.share, ahead), record):
        pace.sign, fault = -pace.sign, ""
    if fault == "unstable" and _weakens(run, before, pace, ahead, record):
        fault = ""
    if fault and not smallest:
        _restore(state, before)
        if fault == "lengths" and step <= SHORT and run.factor < STIFFEST and _multiplied(run):
            _stiffen(run, state)
        else:
            pace.step = (DODGE if fault == "singular" else 0.5) * step
        return True
    if fault == "lengths" and run.factor < STIFFEST and _multiplied(run) and not broken(run.net, before):
        _restore(state, before)
        _stiffen(run, state)
        return True
    if fault:
        record.events += 1
        return _event(run, before, state, fault, pace, ahead, goal, found, record)
    _take(run, before, state, pace, ahead, step)
    pace.step = (2.0 if found.distorted < 0.4 * BOUND else 1.0) * step
    return True


def _passes(run: _Run, before: State, state: State, between: tuple[float, float], record: Record) -> bool:
    """Whether an increment over which the determinant changes its sign is one branch; told where it is 0.

    Else it went over to another branch: then poses between differ by where they are sought from.
    """
    net, (first, last) = run.net, between
    near = SHORT * moved(before.x, state.x) + STEADY * net.size
    spots, turns = [first], [orientation(net, before.x, elongations(net, before))]
    for part in (0.2, 0.4, 0.6, 0.8):
        share = first + part * (last - first)
        poses = [_copy(before), _copy(state)]
        for pose in poses:
            net.aim(pose, share)
            if not _rests(run, pose, record):
                return False
        if moved(poses[0].x, poses[1].x) > near:
            return False
        spots.append(share)
        turns.append(orientation(net, poses[0].x, elongations(net, poses[0])))
    spots.append(last)
    turns.append(orientation(net, state.x, elongations(net, state)))
    if turns[0].sign * turns[-1].sign >= 0.0:
        return False
    text = "passes a singular pose: two assemblies meet there"
    record.notice(crossing(np.array(spots), turns), "branch", text)
    return True


def _weakens(run: _Run, before: State, pace: _Pace, ahead: float, record: Record) -> bool:
    """Whether an increment leads smoothly to where a disturbance would grow; told from where on if so.

    Located apart from the way itself: what goes on so lives on its symmetry, and each step costs some of it.
    """
    first, last = pace.share, ahead
    if run.study.noise > 0.0:
        return False
    while last - first > SMALLEST:
        share, there = 0.5 * (first + last), _copy(before)
        run.net.aim(there, share)
        if not _rests(run, there, record):
            return False
        first, last = (first, share) if _falls(run, there) else (share, last)
    _tell_unstable(run, pace, last, record)
    return True


def _tell_unstable(run: _Run, pace: _Pace, share: float, record: Record) -> None:
    pace.unstable = True
    run.limits = run.limits._replace(whole=False)  # from afar, the whole stiffness leads away from there
    text = "it rests where any disturbance would grow; give noise to let it fall"
    record.notice(share, "unstable", text)


def _creeps(pace: _Pace) -> bool:
    """Whether increments are many and bring it nowhere."""
    pace.tries += 1
    if pace.share > pace.since + LITTLE:
        pace.tries, pace.since = 0, pace.share
    return pace.tries > CREEPS


def _multiplied(run: _Run) -> bool:
    """Whether there are lengths that hold under load by their multipliers."""
    return run.loaded and bool(run.base.rigid.any() or len(run.base.parts.couplings.laws))


def _stiffen(run: _Run, state: State) -> None:
    """Make what is rigid stiffer, with the forces it carries: close to a fold, multipliers need more."""
    run.factor *= STIFFER
    run.tolerance = max(run.tolerance, run.study.tolerance * scale(run.base) * ROUNDED * run.factor)
    links, couplings = run.base.parts.links, run.base.parts.couplings
    stiff = np.where(run.base.rigid, run.factor, 1.0) * links.stiffness
    parts = run.base.parts._replace(
        links=links._replace(stiffness=stiff),
        couplings=couplings._replace(stiffness=run.factor * couplings.stiffness),
    )
    run.net = replace(run.base, parts=parts)
    _scale(state, 1.0 / STIFFER)


def _scale(state: State, share: float) -> None:
    """Leave a share of what lengths are given in by: with a stiffness as many times larger, forces stay."""
    state.rest[:] += (1.0 - share) * state.given
    state.goal[:] += (1.0 - share) * state.coupling_given
    state.given[:] *= share
    state.coupling_given[:] *= share


def _keep(run: _Run, state: State, share: float, residual: float, settled: bool, record: Record) -> None:
    """Add a frame, with the model's own stiffness and the forces that hold it."""
    there = state
    if run.factor != 1.0:
        there = _copy(state)
        _scale(there, run.factor)
    if run.base.loaded and not run.loaded:
        there = _copy(there)
        run.base.aim(there, share)
        stiffened(run.base, there)
        residual = settle(there, run.base.parts, run.order, run.limits, np.inf, 0, 0.0).residual
    record.keep(run.base, there, share, residual, settled)


def _brought(
    run: _Run, before: State, state: State, share: float, smallest: bool, short: bool, record: Record
) -> Settled:
    """Come to rest at the end of an increment: exactly where that can be, else by multipliers."""
    if run.exact:
        found = settle_exactly(run.net, state)
        record.iterations += found.steps
        record.factorised += found.steps
        if found.at_rest or not smallest:
            return found
        _restore(state, before)
        run.net.aim(state, share)
    tries, bound = (2 * TRIES, np.inf) if smallest else (TRIES, BOUND)
    fine = FINE if run.loaded and short else 1.0
    found = _settle(run, state, record, fine * run.tolerance, tries, bound)
    found = found._replace(at_rest=found.residual <= run.tolerance or found.at_rest)
    if smallest and not found.at_rest:
        found = _rescue(run, state, share, record)
    found = _hold(run, state, share, found, record if smallest else Record())
    return _finer(run, state, found, record)


def _finer(run: _Run, state: State, found: Settled, record: Record) -> Settled:
    """Go on beyond the tolerance where lengths do not hold yet: close to a fold they need more."""
    if run.loaded or not found.at_rest or elongations(run.net, state).worst <= FREE:
        return found
    last = _settle(run, state, record, FINE * run.tolerance, TRIES, np.inf)
    return found._replace(residual=last.residual)


def _take(run: _Run, before: State, state: State, pace: _Pace, ahead: float, step: float) -> None:
    pace.last = moved(before.x, state.x) / max(step, SMALLEST)
    pace.share, pace.speed = ahead, max(pace.speed, pace.last if step > SLOWEST else 0.0)
    if pace.unstable and not _falls(run, state):
        pace.unstable, run.limits = False, run.stable


def _fault(run: _Run, before: State, state: State, found: Settled, pace: _Pace, step: float) -> str:
    """What speaks against an increment; nothing where it can be taken."""
    net = run.net
    if not found.at_rest:
        return "rest"
    now = elongations(net, state)
    if now.worst > (LOADED if run.loaded else FREE) + rounding(net):
        return "lengths"
    if not _same_sides(net, before.x, state.x):
        return "sides"
    far = moved(before.x, state.x)
    small = found.distorted <= JUMP and (far <= JUMP * net.size or not run.loaded)
    if not small and not _continuous(run, before, state, found, (far, step), pace):
        return "jump"
    turn = orientation(net, state.x, now) if pace.sign else None
    if turn and (turn.sign * pace.sign < 0.0 or turn.singular):
        return "singular" if turn.singular else "sign"
    return "unstable" if not pace.unstable and _falls(run, state) else ""


def _continuous(
    run: _Run, before: State, state: State, found: Settled, gone: tuple[float, float], pace: _Pace
) -> bool:
    """Whether an increment went on along the branch it began on."""
    far, step = gone
    if found.distorted > BOUND:
        return False
    return _smooth(found, far / step, pace) or (
        run.one_sided and _kinked(run, before, state, far, pace, step)
    )


def _smooth(found: Settled, speed: float, pace: _Pace) -> bool:
    """Whether Newton's steps went straight to where they ended, and not much faster than before."""
    steady = pace.last is None or speed <= max(GROWS * pace.last, LEAST * pace.speed)
    straight = found.clean and found.second <= max(SHRINKS * found.first, STEADY)
    return steady and (straight or pace.unstable)  # from where it is unstable, no step goes straight


def _kinked(run: _Run, before: State, state: State, far: float, pace: _Pace, step: float) -> bool:
    """Whether it is elements that come and go which bent its way, and it went no faster than before."""
    if far > QUICK * pace.speed * step:
        return False
    first, last = regions(run.net, before), regions(run.net, state)
    return bool(BAND in first or not np.array_equal(first, last))


def _event(
    run: _Run, before: State, state: State, fault: str, pace: _Pace, ahead: float, goal: float,
    found: Settled, record: Record,
) -> bool:  # fmt: skip
    """Name what an increment as small as they get does not get over; whether the drive goes on."""
    net, far = run.net, moved(before.x, state.x)
    if fault in ("rest", "lengths") or (fault == "jump" and (not run.loaded or broken(net, before))):
        return _stopped(run, before, state, fault, pace, ahead, goal, record)
    if fault == "jump":
        pace.unstable, run.limits = False, run.stable
    if fault == "sides":
        record.notice(ahead, "branch", _flipped(net, before.x, state.x))
    elif fault == "jump":
        node = int(((state.x - before.x)[: net.shown] ** 2).sum(axis=1).argmax())
        text = f"loses its stability and snaps through: {net.names[node]} goes {far:.4g} at once"
        record.forget("unstable", ahead - SAME)
        record.notice(ahead, "snap", text)
    elif fault == "sign":
        record.notice(ahead, "branch", "passes a singular pose: two assemblies meet there")
    elif fault == "unstable":
        _leave_unstable(run, state, pace, found, record, ahead)
    last = pace.last
    _take(run, before, state, pace, ahead, ahead - pace.share)
    if pace.sign:
        pace.sign = orientation(net, state.x, elongations(net, state)).sign or pace.sign
    pace.last = None if fault in ("jump", "sides") else last
    pace.step = 2.0 * SMALLEST
    return True


def _stopped(
    run: _Run, before: State, state: State, fault: str, pace: _Pace, ahead: float, goal: float, record: Record
) -> bool:
    """It goes no further: at a dead centre, locked, or lost; whether it goes on, by the way chosen."""
    net, study = run.net, run.study
    _restore(state, before)
    ways = ways_on(net, before, pace.share, goal, lambda there: _rests(run, there, record))
    if ways:
        _tell_ways(net, before, ways, pace.share, record)
        if study.way and len(ways) == 2:
            share, there = ways[0 if study.way == "first" else 1]
            _restore(state, there)
            pace.share, pace.step = share, share - pace.share
            pace.sign = orientation(net, state.x, elongations(net, state)).sign
            return True
    _keep(run, state, pace.share, _polished(run, state, record, 2), True, record)
    if ways:
        record.ways = tuple(Way(share, there.x) for share, there in ways)
        return False
    strained = _strained(run, before, pace.share, goal, record)
    if fault == "rest" and (run.loaded or strained is None) and not broken(net, before):
        record.notice(pace.share, "limit", _why_no_further(record))
        _keep(run, state, ahead, np.inf, False, record)
        return False
    there = strained[1] if strained else None
    kind, text = held_by(net, before, there)
    exact = located(run.base, before, there, pace.share, goal)
    ahead = ahead if exact is None else exact
    record.locks_at = float(ahead)
    record.forget("soft", 0.0)
    record.forget("branch", record.locks_at - SAME)  # the other side of a fold, reached from this one
    record.notice(record.locks_at, kind, text)
    if strained is not None:
        share, there, residual = strained
        record.keep(run.base, there, share, residual, True)
    return False


def _strained(
    run: _Run, before: State, share: float, goal: float, record: Record
) -> tuple[float, State, float] | None:
    """What is locked, driven on until strained a little, and the residual there; None where it escapes."""
    net, run = run.base, replace(run, net=run.base, factor=1.0)
    here, there = net.drive.at(share), net.drive.at(goal)
    change = max(float(np.abs(b - a).max(initial=0.0)) for a, b in zip(here[:2], there[:2], strict=True))
    part = min(1.0, STRAIN * net.size / change) if change > 0.0 else 1.0
    for _ in range(4):
        ahead, state = share + part * (goal - share), _copy(before)
        let_go(state)
        net.aim(state, ahead)
        found = _settle(run, state, record, run.tolerance, 4 * TRIES, np.inf)
        if found.at_rest and elongations(net, state).worst > LENGTHS:
            return ahead, state, found.residual
        part *= 0.1
    return None


def _rests(run: _Run, state: State, record: Record) -> bool:
    """Bring a state to rest; whether it does, and its lengths hold."""
    if run.exact and settle_exactly(run.net, state).at_rest:
        return True
    found = _settle(run, state, record, run.tolerance, TRIES, np.inf)
    found = _hold(run, state, 0.0, found, Record())
    return found.at_rest and elongations(run.net, state).worst <= LENGTHS


def _tell_ways(
    net: Network, before: State, ways: list[tuple[float, State]], share: float, record: Record
) -> None:
    gone = [(there.x - before.x)[: net.shown] for _, there in ways]
    ahead = gone if len(gone) == 1 else [0.5 * (gone[0] - gone[1]), 0.5 * (gone[1] - gone[0])]
    node = int((ahead[0] ** 2).sum(axis=1).argmax())
    written = ["(" + ", ".join(f"{value:.3g}" for value in _unit(one[node])) + ")" for one in ahead]
    name = net.names[node]
    choice = 'say which with way = "first" or "second"'
    text = f"a dead centre: {name} can go on along {' or '.join(written)}; {choice}"
    record.notice(share, "dead centre", text)


def _unit(v: Floats) -> list[float]:
    """The direction of a vector, without signs on zeros."""
    return (np.round(v / (np.linalg.norm(v) or 1.0), 6) + 0.0).tolist()


def _settle(run: _Run, state: State, record: Record, tolerance: float, tries: int, bound: float) -> Settled:
    """Newton's steps, counted."""
    found = settle(state, run.net.parts, run.order, run.limits, tolerance, tries, bound)
    record.iterations += found.steps
    record.factorised += found.steps
    return found


def _worn_out(run: _Run, record: Record) -> bool:
    """Whether it has taken far more work than mechanisms take that come to rest."""
    steps = record.factorised
    return steps > PATIENCE and steps * run.numbers > LABOUR


def _rest(run: _Run, state: State, share: float, record: Record) -> Settled:
    """Come to rest without moving the drive."""
    begin(state)
    limits, run.limits = run.limits, run.limits._replace(whole=False)  # it may be far from there
    found = _settle(run, state, record, run.tolerance, 4 * TRIES, np.inf)
    if not found.at_rest:
        found = _rescue(run, state, share, record)
    run.limits = limits
    return _hold(run, state, share, found, record)


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


def _rubs(run: _Run) -> bool:
    """Whether there is friction."""
    return run.rough is not run.net and rubs(run.rough)


def _hold(run: _Run, state: State, share: float, found: Settled, record: Record) -> Settled:
    """Make lengths hold, and friction what it can be: within its cone, and against what slips."""
    found, change = _tighten(run, state, share, found, record), np.inf
    if not _rubs(run):
        return found
    own = run.rough.parts
    rough = replace(run.rough, parts=run.net.parts._replace(guides=own.guides, touch=own.touch))
    for _ in range(RUBS):
        change, before = update(rough, state), change
        if not found.at_rest or _enough(change, before, CALM * run.net.size, HOLDS * run.net.size):
            return found
        again = _settle(run, state, record, FINE * run.tolerance, TRIES, np.inf)
        at_rest = again.at_rest or again.residual <= run.tolerance
        found = found._replace(residual=again.residual, at_rest=at_rest)
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
        error = elongations(net, state).worst
        if _enough(error, last, HOLDS, GIVES):
            break
        if last < np.inf and found.at_rest and error > HELPS * last and error < MENDED * start:
            break
        stalls = error > HELPS * last
        strikes -= stalls
        if strikes < 0 or not found.at_rest or (stalls and not drift(net, state, once)):
            _restore(state, before)
            record.notice(share, "soft", SOFT)
            return first if not any_given(state) else _let_go(run, state, record)
        start = error if last == np.inf else start
        last, once = np.inf if stalls else error, _copy(state)
        if not stalls:
            give(net, state)
        found = _settle(run, state, record, FINE * run.tolerance, TRIES, np.inf)
        found = found._replace(at_rest=found.at_rest or found.residual <= run.tolerance)
    return first._replace(residual=found.residual, at_rest=found.at_rest)


def _enough(error: float, last: float, none: float, little: float) -> bool:
    """Whether an error is none, or little and does not fall any more."""
    return error <= none or 0.5 * last < error <= little


def _let_go(run: _Run, state: State, record: Record) -> Settled:
    """Rest lengths as they are asked for."""
    let_go(state)
    return _settle(run, state, record, run.tolerance, TRIES, np.inf)


def _polish(run: _Run, state: State, found: Settled, record: Record) -> float:
    """A step or two beyond the tolerance, to what rounding leaves; the residual."""
    done = not found.at_rest or found.residual <= FINE * run.tolerance
    return found.residual if done else _polished(run, state, record, 2)


def _polished(run: _Run, state: State, record: Record, steps: int) -> float:
    """The residual after so many steps more, where they help."""
    return _settle(run, state, record, FINE * run.tolerance, steps, np.inf).residual


def _falls(run: _Run, state: State) -> bool:
    """Whether it rests where a disturbance would grow: only what is pushed can."""
    net = run.net
    if run.exact:
        return softest(net, state) < WEAK
    if not run.loaded or elongations(net, state).link_forces.min(initial=0.0) >= -PUSHED * scale(net):
        return False
    return not stands(state, net.parts, run.order, run.limits)


def _leave_unstable(
    run: _Run, state: State, pace: _Pace, found: Settled, record: Record, share: float = 0.0
) -> Settled:
    """Where a disturbance would grow, make one if the study has noise, and else say so.

    Source: [Lipson2006] "Handling Unstable Equilibrium", Fig. 3.
    """
    if not found.at_rest or not _falls(run, state):
        return found
    if run.study.noise == 0.0:
        _tell_unstable(run, pace, share, record)
        return found
    shake(state.x, run.net.parts.guides, run.study.noise * run.net.size, run.study.seed, record.iterations)
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
