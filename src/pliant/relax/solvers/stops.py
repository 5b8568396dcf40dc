"""What the smallest increment does not get over: it is named, and the drive goes on or ends there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pliant.core.arrays import Floats
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.network.elements import State
from pliant.relax.network.network import Network
from pliant.relax.solvers.dead_centres import branches, displace_nodes
from pliant.relax.solvers.descent import descend
from pliant.relax.solvers.equilibrium import (
    TRIES,
    come_to_rest,
    comes_to_rest,
    is_unstable,
    newton_steps,
    residual_after_steps,
)
from pliant.relax.solvers.events import is_rank_deficient, locate_fold, lock_name
from pliant.relax.solvers.holding_forces import preload
from pliant.relax.solvers.increment_faults import drifts, inversion_text
from pliant.relax.solvers.increment_measures import (
    FINE,
    SHORT,
    SLOWEST,
    STEADY,
    determinant_at,
    displacement,
    zero_of_determinant,
)
from pliant.relax.solvers.increment_measures import HOLDS as LENGTHS
from pliant.relax.solvers.multipliers import clear_multipliers
from pliant.relax.solvers.newton import Settled, settle
from pliant.relax.solvers.record import Branch, Record, scale
from pliant.relax.solvers.relaxation import perturb_nodes
from pliant.relax.solvers.release import lets_go, limit_near, slips_over
from pliant.relax.solvers.run_state import (
    STIFFEST,
    Pace,
    Run,
    copy_of,
    rescale,
    restore,
    stiffen,
    uses_multipliers,
)

SMALLEST = 2.0**-30  # increment, as a share of the drive: events are located so closely
NOISY = ("first", "second")  # ways on from a dead centre that noise takes, as the seed has it
MANY = 40  # events in a run
SAME = 1e-6  # of the drive: events as near are one
FALLS = 0.1  # of the size: so far beyond a dead centre it does not rest beside it, but falls
REACHES = (2.0 * SMALLEST, 32.0 * SMALLEST, 512.0 * SMALLEST)  # of the drive: so far on it is let fall
FALLEN = 10.0  # times the root of these, of the size: beside a fold it rests no farther away
FALLING = 2000  # steps of a fall
STRAIN = 1e-3  # of the size: by so much a locked mechanism is driven further, to see what carries it


def why_no_further(record: Record) -> str:
    """What a search ended at that was given up."""
    if record.events <= MANY:
        return f"{record.factorised:,} factorisations brought it no further"
    return f"{MANY} events brought it no further"


def passes_singular_pose(
    run: Run, before: State, state: State, between: tuple[float, float], record: Record
) -> bool:
    """Whether an increment over which the determinant changes its sign is one branch; told where it is 0.

    Else it went over to another branch: then poses between differ by where they are sought from.
    """
    net, (first, last) = run.net, between
    near = SHORT * displacement(before.x, state.x) + STEADY * net.size
    spots, turns = [first], [determinant_at(net, before.x, elongations(net, before))]
    for part in (0.2, 0.4, 0.6, 0.8):
        share = first + part * (last - first)
        poses = [copy_of(before), copy_of(state)]
        for pose in poses:
            net.aim(pose, share)
            if not comes_to_rest(run, pose, record):
                return False
        if displacement(poses[0].x, poses[1].x) > near:
            return False
        spots.append(share)
        turns.append(determinant_at(net, poses[0].x, elongations(net, poses[0])))
    spots.append(last)
    turns.append(determinant_at(net, state.x, elongations(net, state)))
    if turns[0].sign * turns[-1].sign >= 0.0:
        return False
    text = "passes a singular pose: two assemblies meet there"
    record.notice(zero_of_determinant(np.array(spots), turns), "branch", text)
    return True


def loses_stability(run: Run, before: State, state: State, pace: Pace, ahead: float, record: Record) -> bool:
    """Whether an increment leads smoothly to where a disturbance would grow; told from where on if so.

    Located apart from the way itself: what goes on so lives on its symmetry, and each step costs some of it.
    Where the last stable pose and the first unstable one are apart, it went over to another branch.
    """
    first, last, stands, weak = pace.share, ahead, before, state
    if run.study.noise > 0.0:
        return False
    while last - first > SMALLEST:
        share, there = 0.5 * (first + last), copy_of(before)
        run.net.aim(there, share)
        if not comes_to_rest(run, there, record):
            return False
        if is_unstable(run, there):
            last, weak = share, there
        else:
            first, stands = share, there
    if displacement(stands.x, weak.x) > SHORT * displacement(before.x, state.x) + STEADY * run.net.size:
        return False
    note_instability(run, pace, last, record)
    return True


def note_instability(run: Run, pace: Pace, share: float, record: Record) -> None:
    """Say from where on any disturbance would grow, and go on so."""
    pace.unstable = True
    run.limits = run.limits._replace(whole=False)  # from afar, the whole stiffness leads away from there
    text = "it rests where any disturbance would grow; give noise to let it fall"
    record.notice(share, "unstable", text)


def keep_frame(run: Run, state: State, share: float, residual: float, settled: bool, record: Record) -> None:
    """Add a frame, with the model's own stiffness and the forces that hold it."""
    there = state
    if run.factor != 1.0:
        there = copy_of(state)
        rescale(run.base, there, run.factor)
    if run.base.loaded and not run.loaded:
        there = copy_of(there)
        run.base.aim(there, share)
        preload(run.base, there)
        residual = settle(there, run.base.parts, run.order, run.limits, np.inf, 0, 0.0).residual
    record.keep(run.base, there, share, residual, settled)


def take_increment(run: Run, before: State, state: State, pace: Pace, ahead: float, step: float) -> None:
    """Take an increment: where the drive is, and how fast it went."""
    pace.last = displacement(before.x, state.x) / max(step, SMALLEST)
    pace.share, pace.speed = ahead, max(pace.speed, pace.last if step > SLOWEST else 0.0)
    if run.one_sided:  # rows come and go: the determinant is compared while they stay
        pace.sign = determinant_at(run.net, state.x, elongations(run.net, state)).sign
    if pace.unstable and not is_unstable(run, state):
        pace.unstable, run.limits = False, run.stable


def name_event(
    run: Run, before: State, state: State, fault: str, pace: Pace, ahead: float, goal: float,
    settled: Settled, record: Record,
) -> bool:  # fmt: skip
    """Name what an increment as small as they get does not get over; whether the drive goes on."""
    net, loose = run.net, None
    if run.one_sided and fault in ("rest", "lengths", "jump"):
        loose = _let_go(run, before, state, pace.share, goal, record)
    strained = fault in ("rest", "lengths") or (
        fault == "jump" and (not run.loaded or is_rank_deficient(net, before))
    )
    if loose is None and strained:
        return stop_drive(run, before, state, fault, pace, ahead, goal, record)
    if loose is not None or fault == "jump":
        ahead = ahead if loose is None else max(ahead, loose + 2.0 * SMALLEST)
        _land(run, before, state, pace, ahead, ahead if loose is None else loose, record)
        return True
    if fault == "sides":
        record.notice(ahead, "branch", inversion_text(net, before.x, state.x))
    elif fault == "sign":
        record.notice(ahead, "branch", "passes a singular pose: two assemblies meet there")
    elif fault == "unstable":
        leave_unstable(run, state, pace, settled, record, ahead)
    _begin_anew(run, before, state, pace, ahead, None if fault == "sides" else pace.last)
    return True


def _land(
    run: Run, before: State, state: State, pace: Pace, ahead: float, falls_at: float, record: Record
) -> None:
    """Tell a fall, and go on from where it ends."""
    pace.unstable, run.limits = False, run.stable
    record.forget("unstable", ahead - SAME)
    record.forget("soft", min(pace.share, ahead - SAME))  # forces grow without bound towards a fold
    record.notice(falls_at, "snap", snap_text(run.net, before, state))
    _begin_anew(run, before, state, pace, ahead, None)


def _begin_anew(run: Run, before: State, state: State, pace: Pace, ahead: float, last: float | None) -> None:
    """Go on beyond an event in small increments, compared with a pace of before, if any."""
    take_increment(run, before, state, pace, ahead, ahead - pace.share)
    if pace.sign:
        pace.sign = determinant_at(run.net, state.x, elongations(run.net, state)).sign or pace.sign
    pace.last, pace.step = last, 2.0 * SMALLEST


def snap_text(net: Network, before: State, after: State) -> str:
    """Which node goes farthest from one state to another, and how far, in words."""
    node = int(((after.x - before.x)[: net.shown] ** 2).sum(axis=1).argmax())
    far = displacement(before.x, after.x)
    return f"loses its stability and snaps through: {net.names[node]} goes {far:.4g} at once"


def _let_go(run: Run, before: State, state: State, share: float, goal: float, record: Record) -> float | None:
    """Where a string that goes slack, a contact that opens, a limit or a fold lets it fall.

    The state is where to.
    None where none does, and the state is as it was.
    """
    settled = (
        lets_go(run.net, before, share, goal)
        or limit_near(run.net, before, share)
        or slips_over(run.net, before, share, goal)
    )
    if settled is None or settled.share + 2.0 * SMALLEST > goal:
        return None
    there = copy_of(settled.state)
    displace_nodes(run.net, there, run.net.size * settled.push)
    run.net.aim(there, max(share, settled.share) + 2.0 * SMALLEST)
    rest = come_to_rest(run, there, settled.share, record)
    if not rest.at_rest or elongations(run.net, there).worst > LENGTHS:
        return None
    restore(state, there)
    return settled.share


def _fallen(run: Run, before: State, share: float, goal: float, record: Record) -> tuple[float, State] | None:
    """Where it comes to rest elsewhere a little further on, what is rigid being no stiffer than in the model.

    Made stiffer, as it is close to a loss of stability, it slides along a valley so steep that Newton's steps
    do not come to its end; and so close to it they end where rounding hides that it slides. None where it
    rests no farther away than beside a fold, and there was a force on the way there.
    """
    for reach in REACHES:
        ahead = share + reach
        own = replace(run, net=run.base, factor=1.0, tolerance=run.study.tolerance * scale(run.base))
        own.limits = own.limits._replace(whole=False)
        there = copy_of(before)
        rescale(own.base, there, run.factor)
        own.net.aim(there, ahead)
        newton_steps(own, there, record, FINE * own.tolerance, FALLING, np.inf)
        holds = comes_to_rest(own, there, record)
        while not holds and own.factor < STIFFEST and uses_multipliers(own):
            stiffen(own, there)
            holds = comes_to_rest(own, there, record)
        away = displacement(before.x, there.x) > FALLEN * np.sqrt(reach) * own.base.size
        goes = holds and ahead <= goal and (away or drifts(own, before, there, ahead))
        if goes and not is_unstable(own, there):
            run.net, run.factor, run.tolerance = own.net, own.factor, own.tolerance
            return ahead, there
    return None


def stop_drive(
    run: Run, before: State, state: State, fault: str, pace: Pace, ahead: float, goal: float, record: Record,
    known: float | None = None,
) -> bool:  # fmt: skip
    """It goes no further: at a dead centre, locked, or lost; whether it goes on, by the way chosen.

    Where it is known to lock, at that share.
    """
    net = run.net
    restore(state, before)
    ways = _ways_on(run, before, pace.share, goal, record)
    if ways:
        return choose_branch(run, state, pace, pace.share, ways, record)
    lost = fault == "rest" and not is_rank_deficient(net, before)
    fallen = _fallen(run, before, pace.share, goal, record) if lost and run.loaded else None
    if fallen is not None:
        ahead, there = fallen
        restore(state, there)
        if drifts(run, before, state, ahead):
            _begin_anew(run, before, state, pace, ahead, None)
        else:
            _land(run, before, state, pace, ahead, pace.share, record)
        return True
    keep_frame(run, state, pace.share, residual_after_steps(run, state, record, 2), True, record)
    strained = _strain_lock(run, before, pace.share, goal, record)
    if lost and (run.loaded or strained is None):
        record.notice(pace.share, "limit", why_no_further(record))
        keep_frame(run, state, ahead, np.inf, False, record)
        return False
    there = strained[1] if strained else None
    found = locate_fold(run.base, before, there, pace.share, goal) if known is None else (known, before)
    ahead, pose = found or (ahead, before)
    kind, text = lock_name(net, pose, there)
    record.locks_at = float(ahead)
    record.forget("soft", 0.0)
    record.forget("branch", record.locks_at - SAME)  # the other side of a fold, reached from this one
    record.notice(record.locks_at, kind, text)
    if strained is not None:
        share, there, residual = strained
        record.keep(run.base, there, share, residual, True)
    return False


def _ways_on(run: Run, before: State, share: float, goal: float, record: Record) -> list[tuple[float, State]]:
    """The ways on from a dead centre, each with where it comes to rest and stays; none where it is locked."""
    net = run.net

    def rests(there: State) -> bool:
        return comes_to_rest(run, there, record) and not is_unstable(run, there)

    def falls(there: State) -> bool:
        if run.exact:
            return descend(net, there)
        at_rest = come_to_rest(run, there, share, Record()).at_rest
        return at_rest and elongations(net, there).worst <= LENGTHS and not is_unstable(run, there)

    return branches(net, before, share, goal, rests, falls if run.loaded else None)


def choose_branch(
    run: Run, state: State, pace: Pace, share: float, ways: list[tuple[float, State]], record: Record
) -> bool:
    """Tell the ways on from where they part, and take the one that is chosen; whether one is."""
    net, study = run.net, run.study
    _tell_ways(net, state, ways, share, record)
    chosen = study.way or (NOISY[study.seed % 2] if study.noise > 0.0 else None)
    if chosen and len(ways) == 2:
        ahead, there = ways[0 if chosen == "first" else 1]
        if displacement(state.x, there.x) > FALLS * net.size:
            record.notice(share, "snap", snap_text(net, state, there))
        restore(state, there)
        pace.share, pace.step = ahead, ahead - pace.share
        pace.sign = determinant_at(net, state.x, elongations(net, state)).sign
        return True
    keep_frame(run, state, pace.share, residual_after_steps(run, state, record, 2), True, record)
    record.ways = tuple(Branch(ahead, there.x) for ahead, there in ways)
    return False


def _strain_lock(
    run: Run, before: State, share: float, goal: float, record: Record
) -> tuple[float, State, float] | None:
    """What is locked, driven on until strained a little, and the residual there; None where it escapes."""
    net, run = run.base, replace(run, net=run.base, factor=1.0)
    here, there = net.drive.at(share), net.drive.at(goal)
    change = max(float(np.abs(b - a).max(initial=0.0)) for a, b in zip(here[:2], there[:2], strict=True))
    part = min(1.0, STRAIN * net.size / change) if change > 0.0 else 1.0
    for _ in range(4):
        ahead, state = share + part * (goal - share), copy_of(before)
        clear_multipliers(state)
        net.aim(state, ahead)
        settled = newton_steps(run, state, record, run.tolerance, 4 * TRIES, np.inf)
        if settled.at_rest and elongations(net, state).worst > LENGTHS:
            return ahead, state, settled.residual
        part *= 0.1
    return None


def _tell_ways(
    net: Network, before: State, ways: list[tuple[float, State]], share: float, record: Record
) -> None:
    gone = [(there.x - before.x)[: net.shown] for _, there in ways]
    ahead = gone if len(gone) == 1 else [0.5 * (gone[0] - gone[1]), 0.5 * (gone[1] - gone[0])]
    node = int((ahead[0] ** 2).sum(axis=1).argmax())
    written = ["(" + ", ".join(f"{value:.3g}" for value in _unit(one[node])) + ")" for one in ahead]
    name = net.names[node]
    choice = 'say which with way = "first" or "second"'
    text = f"a dead centre: {name} can go on along {' or '.join(written)}"
    far = [displacement(before.x, there.x) for _, there in ways]
    if max(far) > FALLS * net.size:
        text += f", and falls {' or '.join(f'{one:.4g}' for one in far)} to where it rests"
    text += f"; {choice}"
    record.notice(share, "dead centre", text)


def _unit(v: Floats) -> list[float]:
    """The direction of a vector, without signs on zeros."""
    return (np.round(v / (np.linalg.norm(v) or 1.0), 6) + 0.0).tolist()


def leave_unstable(
    run: Run, state: State, pace: Pace, settled: Settled, record: Record, share: float = 0.0
) -> Settled:
    """Where a disturbance would grow, make one if the study has noise, and else say so.

    Source: [Lipson2006] "Handling Unstable Equilibrium", Fig. 3.
    """
    if not settled.at_rest or not is_unstable(run, state):
        return settled
    if run.study.noise == 0.0:
        note_instability(run, pace, share, record)
        return settled
    perturb_nodes(
        state.x, run.net.parts.guides, run.study.noise * run.net.size, run.study.seed, record.iterations
    )
    return come_to_rest(run, state, share, record)
