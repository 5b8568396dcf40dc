"""How far the motors can go: exact limits, and change points on the way.

Every triangle and slider has a number c that says how far it is from flat (`rules.fill_openness`):
it closes where |c| ≤ 1. Along the path c is smooth, so between two samples it is decided by
its values and slopes: a crossing of ±1 is a limit, found as a root; a summit that touches ±1
is a change point, found as a root of the slope, where the linkage may leave on either side.
Coupled groups have their limits at folds (see `folds`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.linkage.kinematics.drive import MotorDrive
from pliant.linkage.kinematics.follow import follow
from pliant.linkage.kinematics.poses import (
    LinkagePoses,
    concatenate_poses,
    openness,
    positions,
    rates,
    select_poses,
)
from pliant.linkage.kinematics.reach import (
    DRAWN_IN,
    INFINITE,
    UNFINISHED,
    ChangePoint,
    MotionLimit,
    MotionRange,
)
from pliant.linkage.structure.rule import RuleKind
from pliant.linkage.structure.rule_plan import STRUTS, RulePlan

CELL = np.pi / 360  # radians of a motor between samples
ROUGH = 1e-4  # of the size: what the rates at two samples may leave unexplained of the way between them
LAST = 1e-9  # radians of a motor that are left at the last sample before a limit
FINER = 4.0  # times as many are left at the sample before
HALVINGS = 14  # of a cell, at most, to see what happens inside
MOST = 100_000  # samples of a stretch: where joints move so fast that more would be needed, those do
SAME = 1e-7  # of the path: no farther apart, two events are one
TOUCHES = 1e-11  # a summit of |c| that near to 1 is a change point, in a drawing about the origin
BESIDE = 1e-7  # of the path: how far from where two lines are parallel their crossing is looked at
FOLLOWED = 200 * np.pi  # radians of a motor along which coupled groups are followed
LEFT = 1e-10  # of its drawn length: what a strut keeps at the end of such a path, where its pull is defined
ONE_END: dict[int, str] = {RuleKind.SLOT: "square", RuleKind.LINES: "on one line"}  # rules with c = 1 alone
NEAR = 0.1  # summits below 1 − NEAR at the samples are nowhere near


def motion_range(plan: RulePlan, drive: MotorDrive, smooth: bool = False) -> MotionRange:
    """March from the drawn pose to the ends of the path, until something is in the way."""
    drawn_in_below, drawn_in = _ends_of_struts(plan, drive)
    work = _affordable(plan, drive)
    top = work if drawn_in is None else min(work, drawn_in.t)
    high, above, up = _continue_to_limit(plan, drive, drive.origin, top, smooth)
    if high < drive.origin and above is not None:  # a limit at the drawn pose, to within rounding
        high, above = drive.origin, replace(above, t=drive.origin)
    if above is None and top < work:
        above, up = drawn_in, _changes_before(up, drawn_in, drive.origin)
    elif above is None and top < 1.0:
        above = MotionLimit(top, plan.joint_names(plan.groups[0]), UNFINISHED)
    low, below, down = drive.origin, None, []
    stopped = above is not None and above.how != UNFINISHED
    bottom = drive.lowest if stopped or drive.origin > 0 else drive.origin
    bottom = max(bottom, 0.0) if drive.origin > 0 else bottom
    bottom = bottom if drawn_in_below is None else max(bottom, drawn_in_below.t)
    if bottom < drive.origin:
        low, below, down = _continue_to_limit(plan, drive, drive.origin, bottom, smooth)
        if low > drive.origin and below is not None:
            low, below = drive.origin, replace(below, t=drive.origin)
        if below is None and drawn_in_below is not None and bottom == drawn_in_below.t:
            below, down = drawn_in_below, _changes_before(down, drawn_in_below, drive.origin)
    return MotionRange(low, high, below, above, tuple(sorted([*up, *down], key=lambda c: c.t)), drive.origin)


def _ends_of_struts(plan: RulePlan, drive: MotorDrive) -> tuple[MotionLimit | None, MotionLimit | None]:
    """Where next to the drawn pose, before it and after it, a strut has been drawn in to no length."""
    structure, ends = plan.structure, list[MotionLimit]()
    for motor, push in enumerate(structure.pushes):
        if push != STRUTS:
            continue
        first, second = structure.motors[motor]
        length = float(np.hypot(*(structure.drawn[second] - structure.drawn[first])))
        left = structure.turns[motor] * drive.at_knots[motor] + length * (1 - LEFT)
        names = (structure.names[first], structure.names[second])
        for k in np.flatnonzero((left[:-1] > 0) != (left[1:] > 0)).tolist():
            share = left[k] / (left[k] - left[k + 1])
            ends.append(MotionLimit(float(drive.knots[k] + share * np.diff(drive.knots)[k]), names, DRAWN_IN))
    before = max((end for end in ends if end.t < drive.origin), key=lambda end: end.t, default=None)
    after = min((end for end in ends if end.t >= drive.origin), key=lambda end: end.t, default=None)
    return before, after


def _changes_before(
    changes: list[ChangePoint], limit: MotionLimit | None, origin: float
) -> list[ChangePoint]:
    """The change points before a limit; where a strut has no length, two ways meet that none can go."""
    if limit is None:
        return changes
    return [change for change in changes if abs(change.t - origin) < abs(limit.t - origin) - SAME]


def _affordable(plan: RulePlan, drive: MotorDrive) -> float:
    """How far along the path coupled groups are followed: a run of very many turns would take for ever."""
    spans = plan.structure.spans[:, None]
    ahead = drive.at_knots[:, drive.knots >= 0.0] / spans
    path = float(np.abs(np.diff(ahead, axis=1)).max(axis=0).sum())
    return 1.0 if not plan.groups or path <= FOLLOWED else FOLLOWED / path


def poses_at(plan: RulePlan, drive: MotorDrive, reached: MotionRange, t: Floats) -> LinkagePoses:
    """The linkage at path parameters t (ascending, inside the reach)."""
    if plan.groups:
        middle = int(np.searchsorted(t, drive.origin))
        ahead = _followed_positions(plan, drive, reached, t[middle:])
        behind = _followed_positions(plan, drive, reached, t[:middle][::-1])[:, :, ::-1]
        x = np.concatenate([behind, ahead], axis=2)
        return replace(positions(plan, drive.angles(t)[:, : x.shape[2]], near=x), x=x)
    parts = [positions(plan, drive.angles(t[at]), signs=signs) for at, signs in reached.signs(plan, t)]
    if len(parts) == 1:
        return parts[0]
    whole = positions(plan, drive.angles(t))
    return replace(whole, x=np.concatenate([part.x for part in parts], axis=2))


def _followed_positions(plan: RulePlan, drive: MotorDrive, reached: MotionRange, t: Floats) -> Floats:
    """Positions (N, 2, F) along t, which leads away from the drawn pose, side by side of change points."""
    back = bool(len(t) > 1 and t[1] < t[0])
    pieces = [
        (t[::-1][at][::-1] if back else t[at], signs)
        for at, signs in reached.signs(plan, t[::-1] if back else t)
    ]
    x, near, last = np.zeros((len(plan.drawn), 2, 0)), None, drive.origin
    for piece, signs in pieces[::-1] if back else pieces:
        before = reached.pose_beyond_change(float(piece[0]))
        led = before is not None and (near is None or abs(before[0] - piece[0]) < abs(last - piece[0]))
        parameters, near = (
            (np.insert(piece, 0, before[0]), before[1]) if before is not None and led else (piece, near)
        )
        run_ = follow(plan, drive.angles(parameters), signs=signs, near=near)
        x = np.concatenate([x, run_.poses.x[:, :, int(led) :]], axis=2)
        if not run_.complete:
            break
        near, last = x[:, :, -1], float(piece[-1])
    return x


@dataclass(frozen=True)
class _Stretch:
    """A stretch of the path, sampled: c and its slope at every sample."""

    plan: RulePlan
    drive: MotorDrive
    signs: Floats
    t: Floats  # (F,) from where it is left, to the first sample that does not close
    poses: LinkagePoses
    v: Floats  # (N, 2, F) by t
    c: Floats  # (K, F)
    dc: Floats
    good: int  # samples at which everything closes
    lost: bool  # whether a coupled group could not be followed to the last of t

    def poses_at(self, t: float) -> LinkagePoses:
        """The linkage at one t; a coupled group that cannot be followed there is left as near as it was.

        Rules before the group are right all the same. It is followed from samples at which all closes:
        where a rule before it does not, it is on no path.
        """
        angles = self.drive.angles(np.array([t]))
        if not self.plan.groups:
            return positions(self.plan, angles, signs=self.signs)
        nearest = int(np.argmin(np.abs(self.t[: max(self.good, 1)] - t)))
        path = np.concatenate([self.poses.angles[:, nearest : nearest + 1], angles], axis=1)
        followed = follow(self.plan, path, signs=self.signs, near=self.poses.x[:, :, nearest])
        last = select_poses(followed.poses, slice(-1, None))
        return last if followed.complete else positions(self.plan, angles, near=last.x, signs=self.signs)

    def at(self, t: float) -> tuple[Floats, Floats]:
        """The c and dc/dt of every rule at one t."""
        poses, w = self.poses_at(t), self.drive.slopes(np.array([t]))
        v, _ = rates(poses, w, np.zeros_like(w))
        c, dc = openness(poses, v, w)
        return c[:, 0], dc[:, 0]


def _continue_to_limit(
    plan: RulePlan, drive: MotorDrive, start: float, end: float, smooth: bool
) -> tuple[float, MotionLimit | None, list[ChangePoint]]:
    """How far from start towards end, what stops it there, and the change points on the way."""
    changes: list[ChangePoint] = []
    signs, near = plan.signs, None
    while True:
        stretch = _adaptive_stretch(plan, drive, (start, end), signs, near)
        stop, met = _events(stretch, ends=True)
        led = _change_point_ahead(stretch) if stop is None and stretch.lost else None
        if stop is None and led is None and stretch.lost:
            stop = _group_limit(stretch)
        if stop is not None:  # what happens just before it, where everything moves fast
            late = _end_stretch(stretch, stop)
            sooner, more = _events(late)
            led = _change_point_ahead(late) if late.lost else None
            if sooner is None and led is None and late.lost:
                sooner = _group_limit(late)
            stop = _earlier_limit(stop, sooner, start)
            met = _distinct_changes(
                [m for m in (*met, *more) if abs(m.t - start) < abs(stop.t - start) - SAME]
            )
        if led is not None:
            change, beyond, near = led
            changes += [*(m for m in met if abs(m.t - start) > SAME), change]
            if abs(end - beyond) <= SAME or (end - beyond) * (end - start) < 0:
                return end, None, changes
            start = beyond
            continue
        met = [m for m in met if abs(m.t - start) > SAME]
        crossed = next((m.t for m in met if smooth or _base_vanishes(plan, m)), None)
        if crossed is None:
            return (end if stop is None else stop.t), stop, [*changes, *met]
        changes += [m for m in met if abs(m.t - start) < abs(crossed - start) - SAME]
        first = [m for m in met if abs(m.t - crossed) <= SAME]
        changes += [replace(m, crossed=True) for m in first]
        signs = signs.copy()
        for m in first:
            signs[m.op] *= -1
        last = max(int(np.searchsorted(np.abs(stretch.t - start), abs(crossed - start))) - 1, 0)
        near = stretch.poses.x[:, :, min(last, stretch.poses.x.shape[2] - 1)]
        if abs(end - crossed) <= SAME:
            return end, None, changes
        start = crossed


def _end_stretch(s: _Stretch, stop: MotionLimit) -> _Stretch:
    """The last cells of a stretch up to what stops it, sampled the finer the nearer to it."""
    before = max(int(np.searchsorted(np.abs(s.t - s.t[0]), abs(stop.t - s.t[0]))) - 2, 0)
    before = min(before, s.poses.x.shape[2] - 1)
    span = (float(s.t[before]), stop.t)
    return _adaptive_stretch(s.plan, s.drive, span, s.signs, s.poses.x[:, :, before], True)


def _earlier_limit(stop: MotionLimit, other: MotionLimit | None, start: float) -> MotionLimit:
    """What ends a path first: of a group only where it is sure that it ends."""
    if other is None or other.how == "lost" or abs(other.t - start) >= abs(stop.t - start):
        return stop
    return other


def _base_vanishes(plan: RulePlan, change: ChangePoint) -> bool:
    """Whether the two joints that a rule stands on meet there: on its drawn side its tip would jump."""
    op = plan.rules[change.op]
    if op.rule == RuleKind.SLOT:
        slot, pin = plan.drawn[op.s] - plan.drawn[op.r], plan.drawn[op.j] - plan.drawn[op.i]
        across = abs(float(slot[0] * pin[1] - slot[1] * pin[0]))
        return across <= 1e-9 * float(np.hypot(*slot) * np.hypot(*pin))
    if op.rule != RuleKind.TRIANGLE or change.how != "folded":
        return False
    bars = [float(np.hypot(*(plan.drawn[op.k] - plan.drawn[p]))) for p in (op.i, op.j)]
    return abs(bars[0] - bars[1]) <= 1e-9 * max(bars)


def touch_tolerance(plan: RulePlan) -> float:
    """How near to 1 a summit of |c| is a change point, given the rounding of the drawing."""
    return TOUCHES + 16 * plan.structure.relative_rounding


def _distinct_changes(changes: list[ChangePoint]) -> list[ChangePoint]:
    """Without those that were met twice."""
    return [
        change
        for n, change in enumerate(changes)
        if not any(change.op == other.op and abs(change.t - other.t) <= SAME for other in changes[:n])
    ]


def _adaptive_stretch(
    plan: RulePlan,
    drive: MotorDrive,
    span: tuple[float, float],
    signs: Floats,
    near: Floats | None = None,
    graded: bool = False,
) -> _Stretch:
    """Sample a stretch as far as everything closes, and finer where joints move faster than that shows.

    `near` (N, 2) is a pose close to its beginning, where that is not the drawn one.
    """
    start, end = span
    spans = plan.structure.spans[:, None]
    ends = drive.angles(np.array([start, end])) / spans
    turned = float(np.abs(ends[:, 1] - ends[:, 0]).max())
    path = (
        float(np.abs(np.diff(drive.at_knots / spans, axis=1)).max(axis=0).sum()) if drive.profiled else turned
    )
    u = np.linspace(0.0, 1.0, max(64, int(np.ceil(path / CELL))) + 1)
    t = end - (end - start) * _graded_rest(1 - u[:-1], turned) if graded else start + (end - start) * u
    stretch = _sample_stretch(plan, drive, signs, t, near)
    for _ in range(0 if plan.groups else HALVINGS):
        rough = _rough_cells(stretch)
        if not len(rough) or len(stretch.t) + len(rough) > MOST:
            break
        halves = (stretch.t[rough] + stretch.t[rough + 1]) / 2
        stretch = _sample_stretch(plan, drive, signs, np.insert(stretch.t, rough + 1, halves), near)
    return stretch


def _graded_rest(rest: Floats, turned: float) -> Floats:
    """Shares of a stretch that are left at its samples, the finer the less: to the last 1e-9 of a radian."""
    square = rest**2
    more = max(int(np.ceil(np.log(square[-1] * max(turned, LAST) / LAST) / np.log(FINER))), 0)
    return np.append(square, square[-1] / FINER ** np.arange(1, more + 1))


def _sample_stretch(
    plan: RulePlan, drive: MotorDrive, signs: Floats, t: Floats, near: Floats | None
) -> _Stretch:
    poses = follow(plan, drive.angles(t), signs=signs, near=near).poses
    if 0 < poses.x.shape[2] < len(t):
        poses = _with_next_pose(poses, drive, t, signs)
    done = poses.x.shape[2]
    w = drive.slopes(t[:done])
    v, _ = rates(poses, w, np.zeros_like(poses.angles))
    c, dc = openness(poses, v, w)
    open_ = np.flatnonzero((np.abs(c) > 1 + touch_tolerance(plan)).any(axis=0))
    good = int(open_[0]) if len(open_) else done
    keep = min(good + 1, done)
    lost = done < len(t) and good == done
    cut = slice(0, keep)
    return _Stretch(
        plan,
        drive,
        signs,
        t if lost else t[:keep],
        select_poses(poses, cut),
        v[..., cut],
        c[:, cut],
        dc[:, cut],
        good,
        lost,
    )


def _with_next_pose(poses: LinkagePoses, drive: MotorDrive, t: Floats, signs: Floats) -> LinkagePoses:
    """The pose that a coupled group was not followed to, too, where a rule before the group is what fails."""
    plan, done = poses.plan, poses.x.shape[2]
    after = positions(plan, drive.angles(t[done : done + 1]), near=poses.x[:, :, -1:], signs=signs)
    c, _ = openness(after, np.zeros_like(after.x))
    first = int(np.flatnonzero(plan.codes == RuleKind.GROUP)[0])
    return (
        concatenate_poses([poses, after]) if (np.abs(c[:first]) > 1 + touch_tolerance(plan)).any() else poses
    )


def _rough_cells(s: _Stretch) -> Ints:
    """Cells between good samples whose ends' velocities do not explain how far the joints got."""
    if s.good < 2:
        return np.zeros(0, np.int64)
    t, x, v = s.t[: s.good], s.poses.x[..., : s.good], s.v[..., : s.good]
    step = np.diff(t)
    with np.errstate(invalid="ignore"):  # at a change point there are no rates, and the cell is rough
        wrong = np.abs(np.diff(x, axis=2) - 0.5 * step * (v[..., 1:] + v[..., :-1])).max(axis=(0, 1))
    return np.flatnonzero(~(wrong <= ROUGH * s.plan.structure.size) & (np.abs(step) > SAME))


def _events(s: _Stretch, ends: bool = False) -> tuple[MotionLimit | None, list[ChangePoint]]:
    """The first limit along a stretch, and the change points before it, at its end too where asked for."""
    limit: MotionLimit | None = None
    changes: list[ChangePoint] = []
    begun = float(s.t[0])
    for o in np.flatnonzero((np.abs(s.c) > 1 - NEAR).any(axis=1)).tolist():
        rule = s.plan.rules[o].rule
        one = ONE_END.get(rule)
        for side, how in ((1.0, one),) if one else ((1.0, "folded"), (-1.0, "stretched")):
            stop, touched = _limit_and_touches(s, o, side, ends)
            if rule == RuleKind.LINES:  # parallel, if only for a moment: their crossing is as far off
                stop, touched = _first_met([*touched, *([] if stop is None else [stop])], begun), []
            changes += [ChangePoint(t, _joint_name(s.plan, o), o, False, how) for t in touched]
            if stop is not None and (limit is None or abs(stop - begun) < abs(limit.t - begun)):
                off = rule == RuleKind.LINES and _runs_to_infinity(s, o, stop)
                limit = MotionLimit(stop, (_joint_name(s.plan, o),), INFINITE if off else how)
    if limit is not None:
        changes = [c for c in changes if abs(c.t - begun) < abs(limit.t - begun)]
    return limit, sorted(changes, key=lambda c: abs(c.t - begun))


def _first_met(places: list[float], begun: float) -> float | None:
    """The one that is met first."""
    return sorted(places, key=lambda t: abs(t - begun))[0] if places else None


def _runs_to_infinity(s: _Stretch, o: int, t: float) -> bool:
    """Whether the crossing of two lines runs off where they are parallel; else they are one there."""
    beside = t - np.sign(t - s.t[0]) * BESIDE
    at = s.poses_at(float(beside)).x[s.plan.rules[o].k, :, 0]
    return bool(np.abs(at - s.plan.structure.centre).max() > BESIDE**-0.5 * s.plan.structure.size)


def _limit_and_touches(s: _Stretch, o: int, side: float, ends: bool) -> tuple[float | None, list[float]]:
    """Where side·c of rule o first passes 1, and where it touches 1 before that.

    Cell by cell, by its slopes: it has a summit inside where it goes up and then down.
    """
    values, near_one = side * s.c[o], touch_tolerance(s.plan)
    with np.errstate(invalid="ignore"):  # a flat rule has no slope
        uphill = side * np.sign(s.t[-1] - s.t[0]) * s.dc[o]
    good = s.good
    up, down = uphill[: good - 1], uphill[1:good]
    high = np.maximum(values[: good - 1], values[1:good]) > 1 - NEAR
    summits = high & ~((up < 0) | (down > 0))  # slopes that are not finite count too
    touched: list[float] = []
    for k in np.flatnonzero(summits).tolist():
        top = _summit(s, o, side, float(s.t[k]), float(s.t[k + 1]))
        height = side * float(s.at(top)[0][o])
        if height > 1 + near_one:
            return _limit_in_cell(s, o, side, float(s.t[k]), top), touched
        if height >= 1 - near_one and not any(abs(top - other) < SAME for other in touched):
            touched.append(top)
    if good < len(values) and values[good] > 1 + near_one and good > 0:
        return _limit_in_cell(s, o, side, float(s.t[good - 1]), float(s.t[good])), touched
    last = float(s.t[good - 1]) if good else 0.0
    if ends and good == len(values) == len(s.t) and values[-1] >= 1 - near_one:
        touched += [] if any(abs(last - other) < SAME for other in touched) else [last]
    return None, touched


def _summit(s: _Stretch, o: int, side: float, a: float, b: float) -> float:
    """Where side·c of rule o is highest in a cell."""
    optimize: Any = import_module("scipy.optimize")  # slow to import, and not needed by all
    slopes = [float(s.at(t)[1][o]) for t in (a, b)]
    if slopes[0] == 0.0 or slopes[1] == 0.0:
        return a if slopes[0] == 0.0 else b
    if np.isfinite(slopes).all() and slopes[0] * slopes[1] < 0:
        with np.errstate(all="ignore"):
            try:
                return float(optimize.brentq(lambda t: float(s.at(t)[1][o]), a, b, xtol=1e-15, rtol=8.9e-16))
            except ValueError:  # a rule before this one is flat on the way, and has no slope
                pass
    low, high = min(a, b), max(a, b)
    optimum = optimize.minimize_scalar(
        lambda t: -side * float(s.at(t)[0][o]), bounds=(low, high), method="bounded", options={"xatol": 1e-14}
    )
    return max((low, high, float(optimum.x)), key=lambda t: side * float(s.at(t)[0][o]))


def _limit_in_cell(s: _Stretch, o: int, side: float, a: float, b: float) -> float:
    """Where side·c of rule o passes 1 between a, where it is below or at it, and b, where it is beyond."""

    def over(t: float) -> float:
        return side * float(s.at(t)[0][o]) - 1.0

    if over(a) >= 0.0:
        return a
    optimize: Any = import_module("scipy.optimize")
    return float(optimize.brentq(over, a, b, xtol=1e-15, rtol=8.9e-16))


def _joint_name(plan: RulePlan, op: int) -> str:
    return plan.structure.names[plan.rules[op].k]


def _change_point_ahead(s: _Stretch) -> tuple[ChangePoint, float, Floats] | None:
    """A change point of a group just ahead of a stretch, and the pose beyond it; None where there is none."""
    from pliant.linkage.kinematics.bifurcations import find_bifurcation

    if not s.poses.x.shape[2]:
        return None
    turned = float(np.abs(s.drive.slopes(s.t[:1]) / s.plan.structure.spans[:, None]).max())
    cell = float(np.sign(s.t[-1] - s.t[0])) * CELL / max(turned, 1e-300)
    bifurcation = find_bifurcation(s.plan, s.drive, s.signs, s.poses, s.t, cell)
    if bifurcation is None:
        return None
    op = next(o for o, row in enumerate(s.plan.rules) if row[:2] == (RuleKind.GROUP, bifurcation.group))
    names = ", ".join(s.plan.joint_names(s.plan.groups[bifurcation.group]))
    change = ChangePoint(bifurcation.t, names, op, True, "together", (bifurcation.beyond, bifurcation.pose))
    return change, bifurcation.beyond, bifurcation.pose


def _group_limit(s: _Stretch) -> MotionLimit:
    from pliant.linkage.kinematics.folds import find_fold

    end = find_fold(s.plan, s.drive, s.signs, s.poses, s.t)
    how = INFINITE if end.off else "locked together" if end.sure else "lost"
    return MotionLimit(end.t, end.joints, how)
