"""One step along a solution of the linear program: how far, and onto the curved constraints.

A step of the program moves bodies along straight lines, so that distances err by half the
square of the rotation. Moving on by t·Δq and then correcting, by a few weighted
Gauss–Newton steps, until the distances are those that the program gives,

    min Σ w_i (d_i(q) − g_i)²,  g = d + t·JΔq,  w_i = 1 / max(g_i, ε)²

lets a step be as long as the contacts last instead of as long as the linearisation does.

Source: [Lensgraf2020] section V-B for the search over t.
Differs: the correction is ours; the paper shortens the step until the error is small.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pliant.core.arrays import Bools, Floats
from pliant.flex.contact.distance import Rows, gaps
from pliant.flex.contact.neighbours import find_neighbours
from pliant.flex.contact.overlap import measure_overlaps
from pliant.flex.contact.point_paths import Paths
from pliant.flex.contact.selection import Selection, select, unforeseen_crossings
from pliant.flex.contact.sweep import Crossings, approaching_vertices, find_crossings, ways_near
from pliant.flex.lp.program import Program, Solution
from pliant.flex.lp.squares import squares_of
from pliant.flex.problem.system import System

CORRECTIONS = 4
POSE = 0.75  # of the overlap allowed: the way to a pose overlaps a little more than the pose
HALVINGS = 8
FRAME_TURN = 0.08  # rad: between two frames of a step no body turns much more than this
MOST_FRAMES = 40  # of a step
FINER = 2  # times as many, and the square of it times as many at most, where that many do not do
CURVED = 0.75  # of what a step promises: where it gains less, it has come to where the objective is round
BETWEEN = 0.65  # a: of a way, where |t²(t − a)(t − 1)|, the error of a cubic, is least between 0 and 1
FEW = 8  # pairs of bodies that are looked at again where rows say that they overlap
NO_TURN = 1e-12  # rad: no body's bound gets less, where it did not turn in a step that gained little
MENDABLE = 20.0  # times the overlap allowed: more than that is no slip but a collision


TurnBound = Floats | float  # rad, the largest turn of each body (M,) in a step, or of every one


@dataclass(frozen=True)
class Configuration:
    """A pose of the assembly with its contacts, and how far the worst row is violated."""

    poses: Floats  # (B + 1, 3)
    contacts: Selection
    violation: float  # of the worst row
    value: float  # of the objective


@dataclass(frozen=True)
class LinearStep:
    """A program and its solution. `here` has the contacts it was made with, `system` the other rows."""

    system: System
    here: Configuration
    program: Program
    solution: Solution
    endless: Floats | None  # a motion (M, 3) that gains for ever, where the program has no bound
    relaxed: float  # how much the distances had to be relaxed to have a solution

    @property
    def gain(self) -> float:
        """What the step would gain."""
        return self.solution.objective


@dataclass(frozen=True)
class AcceptedStep:
    """A step that was taken, or what it would run into that its program knows nothing of."""

    linear: LinearStep
    there: Configuration
    fraction: float  # of the linear step
    way: Floats  # (F, B + 1, 3) frames after the start
    depth: float  # a bound on the overlap of bodies on the way
    crossings: Crossings | None = None


def is_usable(system: System, program: Program, solution: Solution) -> bool:
    """Whether a step can be taken, be it solved to less than was asked.

    The forces must balance the load to a hundredth, or nothing bounds the program.
    """
    if solution.solved:
        return True
    kept = program.gaps + program.change(solution.step)
    worst = float(np.where(program.equal, np.abs(kept), -kept).max(initial=0.0))
    arm = np.array([1.0, 1.0, 1.0 / system.parts.size])
    unbalanced = (program.matrix().T @ solution.forces).reshape(-1, 3) + program.cost
    unbalanced = np.where(np.isinf(program.bound), unbalanced * arm, 0.0)
    balanced = np.abs(unbalanced).max() <= 1e-2 * np.abs(program.cost * arm).max()
    return bool(balanced and solution.relative_gap < 1e-2 and worst <= system.threshold)


def configuration_at(
    system: System, poses: Floats, reach: float, before: Selection | None, every: bool = False
) -> Configuration:
    """Select the contacts of a pose, from the neighbours known before while they hold.

    `every` one counts, or the nearest that the study asks for.
    """
    with system.clock.phase("select"):
        near, most = before.near if before else None, None if every else system.study.neighbours
        known = near is not None and near.reach == reach and not (every and near.most)
        if near is None or not known or not near.still_hold(system.parts, poses):
            near = find_neighbours(system.parts, poses, reach, most)
        corners = "average" if system.study.corners == "average" else "chosen"
        contacts = select(system.parts, poses, near, before, corners, 0.1 * system.threshold)
        violation = system.violation(contacts.rows, poses)
    return Configuration(poses, contacts, violation, system.objective.value(poses))


def largest_travel(system: System, here: Configuration, step: Floats) -> float:
    """How far neighbours would go relative to each other, at most, to first order."""
    parts, pairs = system.parts, here.contacts.near.pairs
    moved = np.zeros_like(here.poses)
    moved[parts.free] = step
    if not len(pairs):
        return float(np.abs(step[:, :2]).max(initial=0.0))
    first, second = pairs.T
    arm = here.poses[second, :2] - here.poses[first, :2]
    swing = moved[first, 2, None] * np.stack([-arm[:, 1], arm[:, 0]], axis=1)
    apart = moved[second, :2] - moved[first, :2] - swing
    spin = np.abs(moved[second, 2] - moved[first, 2]) * parts.radius[second]
    return float((np.hypot(*apart.T) + spin).max())


def advance_poses(
    system: System, here: Configuration, program: Program, step: Floats, fraction: float
) -> Floats:
    """The pose a fraction of a step away, corrected onto the distances that the program gives."""
    poses = here.poses.copy()
    poses[system.parts.free] += fraction * step
    promised = program.gaps + fraction * program.change(step)
    return correct(system, here.contacts.rows, poses, promised, program.equal)


def remove_overlap(system: System, there: Configuration) -> Configuration:
    """A configuration with its overlaps corrected away, those of contacts that came up on the way."""
    rows = system.rows(there.contacts.rows)
    equal = np.zeros(len(rows) + len(system.joints.linear.offset), np.bool_)
    equal[len(rows) - len(system.joints.pivots) : len(rows)] = True
    now = system.gaps(rows, there.poses)
    poses = correct(system, there.contacts.rows, there.poses.copy(), now, equal)
    return configuration_at(system, poses, there.contacts.near.reach, there.contacts)


def correct(system: System, contacts: Rows, poses: Floats, wanted: Floats, equal: Bools) -> Floats:
    """Poses moved, by Gauss–Newton, until the distances are those wanted; none below zero is."""
    with system.clock.phase("correct"):
        rows, free = system.rows(contacts), system.parts.free
        wanted = np.where(equal, 0.0, np.maximum(wanted, 0.0))
        size = 1.0 / np.maximum(wanted, system.threshold)
        program = system.program(contacts, poses, np.full((len(free), 3), np.inf))
        least_squares = squares_of(program.pairs, len(free))
        worst = np.inf
        for attempt in range(CORRECTIONS):
            error = program.gaps - wanted
            left = float(np.abs(error * size).max(initial=0.0))
            # Wishes that contradict each other to second order leave a compromise, at once.
            if left < 1e-6 or left > 0.5 * worst:
                break
            worst = left
            poses[free] += least_squares(program, -error, size * size)
            if attempt < CORRECTIONS - 1:
                program = system.program_moved(program, rows, poses)
    return poses


def longest_fraction(system: System, linear: LinearStep, turn: TurnBound) -> float:
    """The most of a linear step that rotations up to `turn` and the reach of its contacts allow."""
    step, reach = linear.solution.step, linear.here.contacts.near.reach
    distance = largest_travel(system, linear.here, step)
    turned = float((np.abs(step[:, 2]) / turn).max())
    return min(1.0, 1.0 / max(turned, 1e-300), reach / max(distance, 1e-300))


def gains_nothing(system: System, linear: LinearStep, turn: TurnBound, enough: float) -> bool:
    """Whether the shortest step that is tried can be gone, promises too little and gains no tenth of it.

    Where three normals meet in a point a program sees a turn that is free; to second order it is not.
    """
    fraction = longest_fraction(system, linear, turn) / 2 ** (HALVINGS - 1)
    here = linear.here
    poses = advance_poses(linear.system, here, linear.program, linear.solution.step, fraction)
    there = _configuration_within_reach(system, here, poses, POSE * system.threshold)
    if there is None or there.violation > POSE * system.threshold:
        return False
    return there.value - here.value < 0.1 * fraction * linear.gain <= 0.1 * enough


def take_step(
    system: System, linear: LinearStep, turn: TurnBound, halvings: int = HALVINGS
) -> AcceptedStep | None:
    """As far along a linear step as contacts, rotation and overlap let it; None: nowhere.

    Neighbours go no further than the reach within which their contacts were selected; where
    that cut the step short, the next one reaches further.
    """
    step, reach = linear.solution.step, linear.here.contacts.near.reach
    distance = largest_travel(system, linear.here, step)
    longest = longest_fraction(system, linear, turn)
    moved = line_search(system, linear, longest, halvings)
    if moved is None or moved.crossings or moved.fraction < longest or reach >= distance:
        return moved
    wider = configuration_at(
        system, moved.there.poses, min(2 * reach, system.parts.size), moved.there.contacts
    )
    return replace(moved, there=wider)


def next_turn_bound(system: System, moved: AcceptedStep, before: AcceptedStep | None, turn: Floats) -> Floats:
    """The largest rotation of each body in the next step, (M,): less where this one was cut short.

    Or gained little: bodies that carry nothing may be anywhere in their play; without this bound they
    wander through it at every step, and what little is left to gain drowns in what that costs. A body
    that swings over its best place, back and forth from the step before to this one, turns less far
    from then on until it goes on one way: it shall not hold up the others.
    """
    fraction, most = moved.fraction, float(turn.max())
    used = float(np.abs(_turns(moved)).max())
    gained, promised = moved.there.value - moved.linear.here.value, fraction * moved.linear.gain
    if gained < 0.1 * promised:
        next_most = min(most, used) / 2
    elif fraction < 0.3:
        next_most = min(most, 2 * used)
    else:
        next_most = min(system.study.turn, max(most, 2 * used) if fraction == 1.0 else most)
    bound = turn * (next_most / most)
    if before is not None:
        turned, earlier = _turns(moved), _turns(before)
        much = np.minimum(np.abs(turned), np.abs(earlier)) > turn / 8
        if gained < CURVED * promised:
            bound[much & (turned * earlier < 0)] /= 2
        bound[much & (turned * earlier > 0)] *= 2
    return np.clip(bound, NO_TURN, max(next_most, NO_TURN))


def _turns(moved: AcceptedStep) -> Floats:
    """How far a step turned each body, to first order, (M,)."""
    return moved.fraction * moved.linear.solution.step[:, 2]


def line_search(
    system: System, linear: LinearStep, longest: float, halvings: int = HALVINGS
) -> AcceptedStep | None:
    """The longest fraction of a step, by halvings of `longest`, that overlaps no more than is allowed.

    Where the step starts with an overlap, half of it may be left, or the search would stall
    before the overlap is mended. The program may have more rows than the system. A way that runs
    into an edge without a row in the program ends the search: that edge belongs into the program.
    """
    here, program, step = linear.here, linear.program, linear.solution.step
    allowed = max(POSE * system.threshold, here.violation / 2)
    # What the overlap at the start is worth, by strong duality, may be lost in mending it.
    worth = here.violation * float(np.abs(linear.solution.forces).sum())
    owed = worth if here.violation > 0.1 * system.threshold else 0.0
    allowed_on_the_way = max(system.threshold, here.violation)
    fraction = longest
    for _ in range(halvings):
        poses = advance_poses(linear.system, here, program, step, fraction)
        there = _configuration_within_reach(system, here, poses, allowed)
        expected = fraction * linear.gain * (0.1 if linear.gain > 0 else 2.0)
        if there is not None and there.violation <= allowed and there.value - here.value >= expected - owed:
            way, met = checked_path(system, linear, fraction, there.poses)
            new = unforeseen_crossings(system.parts, here.poses, here.contacts, met, system.threshold)
            if new.any:
                return AcceptedStep(linear, here, 0.0, way, met.depth, new)
            if not met.any and met.depth <= allowed_on_the_way:
                return AcceptedStep(linear, there, fraction, way, met.depth)
        fraction /= 2
    return None


def checked_path(
    system: System, linear: LinearStep, fraction: float, after: Floats
) -> tuple[Floats, Crossings]:
    """The way along a fraction of a step to the poses `after` it, and what it runs into.

    Where the arc gets too deep a cubic is followed, then the same with more frames. Of these, what ran
    into bodies before is followed first: most of it does so again. The depth is that of the worst
    overlap on the way, or of the joint that is left furthest.
    """
    here, step = linear.here, fraction * linear.solution.step
    way = arc(system, here.poses, step, after)
    met = sweep(system, here, here.poses, way)
    if not met.any and met.depth <= system.threshold:
        return way, met
    cubic = _cubic_of_way(linear, fraction, after)
    for refined in (1, FINER):
        way = arc(system, here.poses, step, after, cubic, refined)
        met = sweep(system, here, here.poses, way, met) if met.any else met
        met = met if met.any else sweep(system, here, here.poses, way)
        if not met.any and met.depth <= system.threshold:
            break
    return way, met


def _cubic_of_way(linear: LinearStep, fraction: float, after: Floats) -> Floats:
    """The cubic (M, 3) by which the arc along a fraction of a step is where a correction puts it, once more.

    At t = a, c = (aΔq + a²(q₁ − q₀ − Δq) − (q − q₀)) / (a²(1 − a)) for the corrected poses q there.
    """
    system, here, step, a = linear.system, linear.here, fraction * linear.solution.step, BETWEEN
    between = advance_poses(system, here, linear.program, linear.solution.step, a * fraction)
    part, whole = (poses[system.parts.free] - here.poses[system.parts.free] for poses in (between, after))
    return (a * step + a**2 * (whole - step) - part) / (a**2 * (1 - a))


def _configuration_within_reach(
    system: System, here: Configuration, poses: Floats, allowed: float
) -> Configuration | None:
    """The contacts of a pose, mended; None where it is further off than contacts were looked for."""
    if not here.contacts.near.reach_to(system.parts, poses):
        return None
    reach = here.contacts.near.reach
    there = configuration_at(system, poses, reach, here.contacts)
    if there.violation > allowed and _has_passed_edge(system, there, allowed):
        there = configuration_at(system, poses, reach, None)
    if allowed < there.violation <= MENDABLE * allowed:
        there = remove_overlap(system, there)
        if not here.contacts.near.reach_to(system.parts, there.poses):
            return None
    return there


def _has_passed_edge(system: System, there: Configuration, allowed: float) -> bool:
    """Whether bodies do not overlap that rows hold to do: a vertex has passed the edge it was seen by."""
    rows = there.contacts.rows
    deep = gaps(rows, there.poses) < -allowed
    pairs = np.unique(np.stack([rows.edge_body[deep], rows.point_body[deep]], axis=1), axis=0)
    if not 0 < len(pairs) <= FEW:
        return False
    with system.clock.phase("check"):
        return measure_overlaps(system.parts, there.poses, pairs).worst <= 0.1 * system.threshold


def sweep(
    system: System, here: Configuration, before: Floats, way: Floats, only: Crossings | None = None
) -> Crossings:
    """What bodies, or only the vertices of some crossings, run into along frames (F, B + 1, 3).

    They go from a pose within reach of a place.
    """
    with system.clock.phase("sweep"):
        frames = np.concatenate([before[None], way])
        if only:
            users = system.parts.user_poses(frames)
            ways = Paths.of_vertices(system.parts, users, only.vertex, only.body)
        else:
            ways = _ways_in_reach(system, here, frames)
        met = find_crossings(system.insets, ways)
        return replace(met, depth=max(met.depth, system.joints_on_the_way(frames)))


def _ways_in_reach(system: System, here: Configuration, frames: Floats) -> Paths:
    """The ways of vertices that may meet bodies on frames (F, B + 1, 3), within reach of a place."""
    near = here.contacts.near
    vertex, body = approaching_vertices(system.parts, frames, near.pairs)
    beyond = near.reach if near.most is None else 0.0  # who is not among the nearest may be near all the same
    distance = np.append(here.contacts.distance, np.full(len(vertex), beyond))
    vertex, body = np.concatenate([near.vertex, vertex]), np.concatenate([near.body, body])
    reach = system.insets.reach[vertex]
    return ways_near(system.parts, reach, frames, here.poses, vertex, body, distance)


def arc(
    system: System,
    before: Floats,
    step: Floats,
    after: Floats,
    cubic: Floats | float = 0.0,
    refined: int = 1,
) -> Floats:
    """Poses on the way of a step, (frames, B + 1, 3), the last one `after`.

    q(t) = q₀ + tΔq + t²(q₁ − q₀ − Δq) + (t³ − t²)c starts along the program's step and ends where the
    correction put it, so that it leaves the constraints by the cube of the rotation only; or by less
    where the `cubic` c (M, 3) is known.
    As poses go straight between frames in the user's own frames, bodies that turn together
    come nearer on the way, by θ²/8 of how far apart their origins are: frames are enough for that,
    with room to spare by the program's Δθ, and where bodies turn most, 2(θ₁ − θ₀) − Δθ + c in the end.
    """
    moved, bent = np.zeros_like(before), np.zeros_like(before)
    moved[system.parts.free], bent[system.parts.free] = step, cubic
    spin, last = np.abs(moved[:-1, 2]), np.abs(2 * (after - before) - moved + bent)[:-1, 2]
    arm = system.parts.size / 2 + np.hypot(*system.parts.origins.T)
    bulge = np.maximum(arm * spin**2 / (8 * 0.3), arm * last**2 / 8)
    wanted = max(spin.max() / FRAME_TURN, np.sqrt(bulge.max() / system.threshold))
    count = int(np.clip(np.ceil(refined * wanted), 1, refined**2 * MOST_FRAMES))
    t = np.arange(1, count + 1)[:, None, None] / count
    return before + t * moved + t**2 * (after - before - moved + (t - 1) * bent)
