"""The motion of one pawl along one leg: a sweep over t from event to event.

Source: [DonaldPai1993] sec. 9. Differs: free space is not computed beforehand (no red-blue merge, Lemma 9.2):
only the arc the pawl follows is, with an index over t that shows it the features within reach.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cmp_to_key, partial

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.snap.arithmetic.numbers import RealNumber, as_float
from pliant.snap.arithmetic.protocol import Line, SlicePoint
from pliant.snap.geometry.contact_curves import ContactCurve, contact_curve
from pliant.snap.geometry.features import FeaturePair, coefficients, quadratic
from pliant.snap.geometry.pawl_scene import Scene
from pliant.snap.sweep import candidates as scan
from pliant.snap.sweep.compiled.advance import advance, least_progress
from pliant.snap.sweep.friction_cone import LockSearch, lock_search
from pliant.snap.sweep.next_motion import NextMotion, next_motion, rest_and_stop_lines, stop_in_chart
from pliant.snap.sweep.path import MotionKind, Path, PathPiece, PathRecord, PawlState

LIMIT = 1_000_000  # events
MANY = 4000  # pairs of features: with more of them an arc is looked at piece by piece,
GROWTH = 4.0  # each so many times as long as the one before
PATIENCE = 400  # events and pieces that bring t hardly further, after which floats go round in circles


def sweep_leg(
    scene: Scene, start: SlicePoint, friction: Fraction = Fraction(0), limit: int = LIMIT,
    held: tuple[FeaturePair, ...] = (),
) -> Path:  # fmt: skip
    """Follow the pawl from a point that is free, or touches, up to the leg's end or where it cannot go on.

    `held` are the contacts that pressed on it on the leg before: what goes on is no event.
    """
    run, lock = PathRecord(scene, [], []), lock_search(friction)
    if start.after(scene.until) >= 0:
        return run.over("until", start, _state_at(scene, start).contacts)
    state = PawlState(start, held, NextMotion("start"))
    furthest, since = start.t, 0
    while (made := len(run.events) + len(run.pieces)) < limit and made - since <= PATIENCE:
        state = advance(run, state, float(friction), limit - made)
        if state.point.t > furthest + least_progress(scene):
            furthest, since = state.point.t, len(run.events) + len(run.pieces)
        if not state.cause:
            state = _next_state(run, state, lock)
        if state.cause:
            return run.over(state.cause, state.point, state.contacts)
    return run.over("limit", state.point, state.contacts)


def _next_state(run: PathRecord, state: PawlState, lock: LockSearch) -> PawlState:
    """The state after the next event, which is noted."""
    if state.going.kind == "start":
        begun = _state_at(run.scene, state.point)
        run.note_change(state.contacts, begun.followed, begun.point, begun.contacts)
        return begun
    if state.going.kind == "snap":
        run.note_snap(state.point, state.contacts)
        held = snap_landing(run.scene, state.point)
        run.note("lands" if held.contacts else "rests", held.point, held.contacts)
        return held
    if state.going.kind in ("jam", "dead centre"):
        return _blocked_state(run, state, lock)
    return _state_after_motion(run, state, state.going.kind, lock)


def _state_after_motion(run: PathRecord, state: PawlState, motion: MotionKind, lock: LockSearch) -> PawlState:
    """The state after a motion, at rest or along contacts."""
    scene, point, going, followed = run.scene, state.point, state.going, state.followed
    reached, over = _motion_end(scene, point, going, motion)
    locked = lock(scene, point, reached, going.curves, motion)
    if locked is not None:
        run.pieces.append(PathPiece(motion, point, locked, followed))
        run.note("lock", locked, followed)
        return PawlState(locked, followed, going, "lock")
    if reached is not point:
        run.pieces.append(PathPiece(motion, point, reached, followed))
    if over == "chart":
        return _state_in_next_chart(scene, reached, going)
    after = _state_at(scene, reached)
    if over == "until":
        return after._replace(cause="until")
    if after.going.kind in ("rest", "arc", "flat"):
        run.note_change(followed, after.followed, reached, after.contacts)
    return after


def _state_at(scene: Scene, point: SlicePoint) -> PawlState:
    """What touches at a point, and what comes next."""
    contacts = contacts_at(scene, point)
    return PawlState(point, tuple(contact.pair for contact in contacts), next_motion(scene, point, contacts))


def _blocked_state(run: PathRecord, state: PawlState, lock: LockSearch) -> PawlState:
    """Why a pawl cannot go on, which is noted."""
    point, contacts, going, _ = state
    if going.kind == "dead centre":
        for pair in contacts:  # one whose normal passes through the hinge locks at any friction
            contact = contact_curve(run.scene, pair, point.turn)
            if lock(run.scene, point, point, [contact], "flat") is not None:
                run.note("lock", point, contacts)
                return PawlState(point, (pair,), going, "lock")
        run.note("dead centre", point, contacts)
        return state._replace(cause="dead centre")
    if _is_at_stop(run.scene, point):
        run.note("stop", point, contacts)
        return state._replace(cause="stop")
    run.note("jam on one" if len(contacts) < 2 else "jam", point, contacts)
    return state._replace(cause="jam")


def _is_at_stop(scene: Scene, point: SlicePoint) -> bool:
    places = [None if stop is None else stop_in_chart(stop, point.turn) for stop in scene.stops]
    compare, number = scene.arithmetic.compare, scene.arithmetic.number
    return any(place is not None and compare(point.u, number(Fraction(place))) == 0 for place in places)


def _state_in_next_chart(scene: Scene, point: SlicePoint, going: NextMotion) -> PawlState:
    """The same point and curves with the angle counted from the next half turn."""
    step = 1 if point.angle > 0 else -1
    curves = tuple(contact_curve(scene, c.pair, point.turn + 1) for c in going.curves)
    at = scene.arithmetic.number(Fraction(-step))
    line = curves[0].line if curves else None
    moved = scene.arithmetic.point(at, point.turn + step, line, None if line else point.time)
    return PawlState(moved, (), NextMotion(going.kind, curves, going.side))


def contacts_at(scene: Scene, point: SlicePoint) -> list[ContactCurve]:
    """Every contact at a point."""
    live = _edges_in_reach(scene, point)
    args = (point.t, point.slack, point.angle, scene.arithmetic.angle_slack, _sign(point.turn))
    pairs, _ = _candidate_pairs(partial(scan.pairs_touching, *args, live, scene.bodies))
    curves = [contact_curve(scene, pair, point.turn) for pair in pairs]
    return [c for c in curves if point.sign(c.alpha, c.beta) == 0 and is_on_edge(point, c)]


def _edges_in_reach(scene: Scene, point: SlicePoint) -> Ints:
    """The edges within reach at a point's t."""
    slack = 1e-9 * scene.stride + point.slack
    return scene.index.live(point.t - slack, point.t + slack)


def is_on_edge(point: SlicePoint, contact: ContactCurve) -> bool:
    """Whether the vertex is on the edge, its ends included, at a point of the contact's curve."""
    return point.sign(contact.lam, contact.rho) >= 0 and point.sign(-contact.lam, contact.beyond) >= 0


def _sign(turn: int) -> float:
    return -1.0 if turn % 2 else 1.0


def _candidate_pairs(scanner: Callable[[Ints, Floats], int]) -> tuple[list[FeaturePair], list[float]]:
    """What a kernel finds, with room for all of it."""
    room = 256
    while True:
        pairs, places = np.empty((room, 3), np.int64), np.empty(room)
        count = scanner(pairs, places)
        if count <= room:
            chosen: list[FeaturePair] = [(a, b, c) for a, b, c in pairs[:count].tolist()]
            return chosen, places[:count].tolist()
        room = count


def _motion_end(
    scene: Scene, point: SlicePoint, going: NextMotion, motion: MotionKind
) -> tuple[SlicePoint, str]:
    """Where a motion leads to next, and whether that is the leg's end, the chart's, or an event."""
    if motion == "arc":
        return _end_on_arc(scene, point, going.curves[0], going.side)
    return _end_at_angle(scene, point, going.curves)


def _end_on_arc(scene: Scene, point: SlicePoint, arc: ContactCurve, side: int) -> tuple[SlicePoint, str]:
    """The next event on an arc, upwards or downwards in u."""
    arithmetic = scene.arithmetic
    limit = arithmetic.number(Fraction(side))
    if arithmetic.compare(point.u, limit) * side >= 0:
        return point, "chart"
    best, over = _own_end(scene, point, arc, limit)
    end = arithmetic.point(best, point.turn, arc.line) if over != "chart" else None
    until = min(end.t if end else scene.way_end, scene.way_end)
    rising = float(arithmetic.sign_at(arc.alpha, best) or arithmetic.sign_at(arc.alpha, point.u))
    start, whole = point.angle - 1e-12 * side, as_float(best) - point.angle + 2e-12 * side
    share, begin, early = _first_share(scene, whole), start, point.t - point.slack
    while True:
        last = share >= 1.0
        width = start + share * whole - begin
        late = until if last else _arc_time(scene, arc, point.turn, begin + width, early, until)
        slack = 1e-9 * (scene.stride + abs(late))
        live = scene.index.live(early, late + slack)
        args = (arc.pair, rising, _sign(point.turn), begin, width, (early - slack, late + slack))
        scanner = partial(scan.pairs_along_arc, *args, live, scene.bodies)
        pairs, shares = _candidate_pairs(scanner)
        for at, pair in sorted(zip(shares, pairs, strict=True)):
            lowest = begin + at * width
            if (lowest - as_float(best)) * side > 1e-11:
                break
            hit = _first_hit(scene, point, arc, contact_curve(scene, pair, point.turn), best, lowest)
            if hit is not None and not (over == "until" and arithmetic.compare(hit, best) == 0):
                best, over = hit, "event"
        if last or (as_float(best) - begin - width) * side < -1e-11:
            scene.last[0] = abs(as_float(best) - start)
            return arithmetic.point(best, point.turn, arc.line), over
        share, begin, early = min(GROWTH * share, 1.0), begin + width, late - slack


def _first_share(scene: Scene, whole: float) -> float:
    """The share of an arc to look at first: all of it, unless many features are within reach.

    Then arcs are short, and much the same one after another.
    """
    if len(scene.bodies.pawl.x) * len(scene.bodies.obstacles.x) < MANY or abs(whole) < 4 * scene.last[0]:
        return 1.0
    return 2 * scene.last[0] / abs(whole)


def _arc_time(scene: Scene, arc: ContactCurve, turn: int, u: float, early: float, until: float) -> float:
    """The t of an angle on an arc, as a float; `until` where that does not tell."""
    c = coefficients(*arc.pair, _sign(turn), scene.bodies)
    alpha, beta = quadratic(c.alpha, u), quadratic(c.beta, u)
    t = -beta / alpha if alpha else until
    return t if early < t < until else until


def _first_hit(
    scene: Scene, point: SlicePoint, arc: ContactCurve, other: ContactCurve, limit: RealNumber, lowest: float
) -> RealNumber | None:
    """The first place on an arc, up to a limit, where another contact begins; None if there is none."""
    poly = arc.meets(other)
    if poly.is_zero():
        return None
    for root in scene.arithmetic.roots_after(poly, point.u, limit, lowest):
        if is_on_edge(scene.arithmetic.point(root, point.turn, arc.line), other):
            return root
    return None


def _own_end(scene: Scene, point: SlicePoint, arc: ContactCurve, limit: RealNumber) -> tuple[RealNumber, str]:
    """Where an arc ends by itself: at an end of its edge, a vertical tangent, rest, a stop, the leg's end."""
    arithmetic = scene.arithmetic
    one, t = arithmetic.line(scene.until)
    polys = [(arc.alpha * t - arc.beta * one, "until"), (arc.turning, "event")]
    polys += [(arc.begin, "event"), (arc.end, "event")]
    polys += [(arithmetic.poly(line), "event") for line in rest_and_stop_lines(scene, point.turn)]
    best, over = limit, "chart"
    for poly, ending in polys:
        what = ending
        if poly.is_zero():
            continue
        roots = arithmetic.roots_after(poly, point.u, best, point.angle)
        if roots and what == "until" and arithmetic.point(roots[0], point.turn, arc.line).after(scene.until):
            what = "event"  # the curve's own flat line is there at every t
        if roots and (over == "chart" or arithmetic.compare(roots[0], best) != 0 or what == "until"):
            best, over = roots[0], what if over != "until" or arithmetic.compare(roots[0], best) else over
    return best, over


def _end_at_angle(scene: Scene, point: SlicePoint, curves: Sequence[ContactCurve]) -> tuple[SlicePoint, str]:
    """The next event at one angle: at rest, or along flat contacts."""
    arithmetic = scene.arithmetic
    best, over = arithmetic.point(point.u, point.turn, arithmetic.line(scene.until)), "until"
    for contact in curves[:1]:
        passes = contact.alpha.derivative(), contact.beta.derivative()  # the vertex passes the hinge's foot
        for line in ((contact.lam, contact.rho), (-contact.lam, contact.beyond), passes):
            best, over = _sooner_point(scene, point, line, best, over)
    end, window = best.t, 2 * scene.stride
    begin = point.t
    while True:
        stop = min(begin + window, end)
        hit, what = _hit_between(scene, point, best, over, begin, stop)
        if stop >= end or hit.t <= stop:
            return hit, what
        begin, window = stop, 2 * window


def _hit_between(
    scene: Scene, point: SlicePoint, best: SlicePoint, over: str, begin: float, stop: float
) -> tuple[SlicePoint, str]:
    """The first contact between two t, if it is before `best`."""
    arithmetic = scene.arithmetic
    slack = 1e-9 * (scene.stride + abs(begin) + abs(stop))
    live = scene.index.live(begin - slack, stop + slack)
    beyond = max(begin - slack, point.t + point.slack + slack)  # what touches now is not what comes next
    args = (point.angle, arithmetic.angle_slack, _sign(point.turn), begin - slack, beyond, stop + slack)
    pairs, times = _candidate_pairs(partial(scan.pairs_at_angle, *args, live, scene.bodies))
    for t, pair in sorted(zip(times, pairs, strict=True)):
        if t > best.t + best.slack + slack:
            break
        other = contact_curve(scene, pair, point.turn)
        candidate, what = _sooner_point(scene, point, other.line, best, over)
        if candidate is not best and is_on_edge(candidate, other):
            best, over = candidate, what
    return best, over


def _sooner_point(
    scene: Scene, point: SlicePoint, line: Line, best: SlicePoint, over: str
) -> tuple[SlicePoint, str]:
    """The point ahead at this angle where a line is met, if it is before the best so far."""
    arithmetic = scene.arithmetic
    rising = arithmetic.sign_at(line[0], point.u)
    if rising == 0:
        return best, over
    if point.sign(*line) * rising >= 0 or best.sign(*line) * rising <= 0:
        return best, over
    return arithmetic.point(point.u, point.turn, line), "event"


def snap_landing(scene: Scene, point: SlicePoint) -> PawlState:
    """Turn towards rest at one t, up to the first contact that holds: the snap.

    Source: [DonaldPai1993] sec. 8.1.
    """
    arithmetic = scene.arithmetic
    while True:
        above = point.turn > 0 or (point.turn == 0 and point.angle > 0)
        goal = arithmetic.zero if point.turn == 0 else arithmetic.number(Fraction(-1 if above else 1))
        landed = _holding_state(scene, point, goal)
        if landed is not None:
            return landed
        if point.turn == 0:
            return _state_at(scene, _point_at_angle(scene, point, goal, 0))
        step = -1 if above else 1
        point = _point_at_angle(scene, point, arithmetic.number(Fraction(-step)), point.turn + step)


def _point_at_angle(scene: Scene, point: SlicePoint, u: RealNumber, turn: int) -> SlicePoint:
    """Another angle at the same t."""
    return scene.arithmetic.point(u, turn, None, point.time)


def _contacts_on_turn(
    scene: Scene, point: SlicePoint, goal: RealNumber
) -> Iterator[tuple[RealNumber, ContactCurve]]:
    """The angles on the way to the goal, at one t, at which a contact is met, in order."""
    arithmetic = scene.arithmetic
    side = 1 if as_float(goal) > point.angle else -1
    start, width = point.angle - 1e-12 * side, as_float(goal) - point.angle + 2e-12 * side
    live = _edges_in_reach(scene, point)
    args = (point.t, point.slack, _sign(point.turn), start, width)
    pairs, shares = _candidate_pairs(partial(scan.pairs_at_time, *args, live, scene.bodies))
    waiting: list[tuple[RealNumber, ContactCurve]] = []

    def along(one: tuple[RealNumber, ContactCurve], other: tuple[RealNumber, ContactCurve]) -> int:
        return side * arithmetic.compare(one[0], other[0])

    for share, pair in sorted(zip(shares, pairs, strict=True)):
        while waiting and (as_float(waiting[0][0]) - start - share * width) * side < -1e-9:
            yield waiting.pop(0)  # whatever is left comes after it
        other = contact_curve(scene, pair, point.turn)
        for u in arithmetic.landing(point, other.alpha, other.beta, *sorted((start, start + width))):
            if arithmetic.compare(u, point.u) * side > 0 and arithmetic.compare(u, goal) * side <= 0:
                waiting.append((u, other))
        waiting.sort(key=cmp_to_key(along))
    yield from waiting


def _holding_state(scene: Scene, point: SlicePoint, goal: RealNumber) -> PawlState | None:
    """The first angle on the way to the goal, at one t, where the contacts do not let the pawl on."""
    arithmetic = scene.arithmetic
    last: RealNumber | None = None
    for u, other in _contacts_on_turn(scene, point, goal):
        if last is not None and arithmetic.compare(u, last) == 0:
            continue
        flat = arithmetic.sign_at(other.alpha, u) == 0
        here = arithmetic.point(u, point.turn, None if flat else other.line, point.time if flat else None)
        if not is_on_edge(here, other):
            continue
        last = u
        state = _state_at(scene, here)
        if state.going.kind != "snap":
            return state
    return None
