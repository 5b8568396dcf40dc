"""Where a mechanism under load loses its stability: located along its way, and told a fork from a limit.

Positions x, forces f and the share s of the drive are followed together, z = (x, f, s) (see `arclength`).
The least stiffness κ of what lengths leave free changes its sign along that way at a rate that is not 0,
whether the drive turns back there (a limit, from where it snaps) or goes on (a fork, where other ways cross).
By s alone κ would fall to 0 as a root does at a limit, and be found to half of the digits.

Where mirrored ways meet and become one (a merge), the drive turns back and κ touches 0 without a change of
its sign. Towards a fold, where lengths contradict each other, forces grow without bound and no κ need be 0.

At a fork A y = 0, and ways on are sought at z ± ε y, with s as it comes out: stable ones beyond it are two
where a mirrored mechanism buckles to either side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.core.arrays import Floats
from pliant.relax.network.elements import State
from pliant.relax.network.network import Network
from pliant.relax.solvers.arclength import (
    ASTRAY,
    STILL,
    PathPoint,
    correct,
    cosine,
    displaced_state,
    displacement_scales,
    path_point,
    tangent,
)
from pliant.relax.solvers.lagrange import free_modes, least_free_stiffness, settle_exactly

MOST, REFUSED = 2000, 200  # steps along the way, and those of them that are refused: rounding hides it
FIRST, LONGEST, LEAST = 1e-4, 0.15, 1e-9  # steps along the way: of links, the largest force, the drive
CLOSE = 1e-6  # step to where κ is 0 that is left to its rate: nearer, rounding grows as 1/κ
STRAIGHT = 0.95  # cosine of the corner that a step along the way makes, at least
JUMPED = 1e-4  # a longer step along the way may have led to another
FASTER = 2.0  # times the pace of the drive before a step to where it turns back: it falls to 0 there
SOFTER = 1e-2  # of the least κ at the start: none is 0
STANDS = 1e-4  # of a step along the way: the drive stands still
GREAT = 1e5  # times the first forces: the drive is as far from where they are without bound as 1e-10
GROWN, EXACT = 1e3, 1e-12  # times the first forces, and of the drive: so well a turn of it is known there
AROUND = (1e-5, 1e-4, 1e-3)  # along the way, to either side of where the drive turns back
ASIDE = (1e-2, 2e-3, 4e-4)  # ε, of links
ASIDE_ASTRAY = 0.9  # of it


@dataclass(frozen=True)
class CriticalPoint:
    """A pose at which a stiffness is 0."""

    share: float
    state: State
    way: Floats  # (N, D) that has no stiffness there, of length 1
    kind: str  # "limit", "fork", "merge" or "fold": see above


@dataclass
class PathStretch:
    """A stretch of the way: stable poses at rests, and what ended it."""

    poses: list[tuple[float, State]]  # shares of the drive, rising
    event: CriticalPoint | None = None
    ends: bool = False  # at an event or at its goal; else it was lost
    solved: int = 0  # systems of equations


def follow_stretch(net: Network, state: State, share: float, goal: float) -> PathStretch:
    """Follow the path from a stable rest to a share of the drive, or to the next zero stiffness."""
    state, out = State._make(array.copy() for array in state), PathStretch([])
    settle_exactly(net, state)
    way = _ArclengthPath(net, goal, path_point(net, state, share, goal))
    while (
        out.solved < MOST
        and way.refused < REFUSED
        and way.along is not None
        and way.spot.share >= share - FIRST
    ):
        out.solved += 1
        if way.arrives():
            end = way.arrived()
            if end is not None:
                out.poses.append((goal, end))
                out.ends = True
                break
            way.step *= 0.5
        if not way.advanced():
            if abs(way.step) >= LEAST:
                continue
            if not way.turns_here():
                break
            out.event = way.event()
        elif way.spot.largest > GREAT * way.first:
            out.event = CriticalPoint(way.unbounded(), way.spot.state, np.zeros_like(state.x), "fold")
        elif abs(way.wanted) <= CLOSE:
            out.event = way.event()
        elif way.stands and way.spot.share > (out.poses[-1][0] if out.poses else share):
            out.poses.append((way.spot.share, way.spot.state))
        if out.event:
            out.ends = bool(out.event.kind) and share - STILL <= out.event.share <= goal + STILL
            break
    return out


class _ArclengthPath:
    """Arclength continuation: the last point and the next step length."""

    def __init__(self, net: Network, goal: float, spot: PathPoint) -> None:
        self.net, self.goal, self.spot, self.step = net, goal, spot, FIRST
        self.values, self.ways = free_modes(spot.rows, spot.stiff)
        self.along = tangent(spot, np.append(np.zeros(len(spot.left)), 1.0))
        self.first, self.least = spot.largest, float(self.values.min(initial=np.inf))
        self.before, self.turned, self.turning, self.wanted = spot, False, False, np.inf
        self.refused = 0

    @property
    def stands(self) -> bool:
        """Whether it is stable, and its drive has not turned back."""
        return not self.turned and bool((self.values > 0.0).all())

    def arrives(self) -> bool:
        """Whether the next step would reach the goal."""
        speed = 0.0 if self.along is None else float(self.along[-1])
        return self.stands and self.spot.share + self.step * speed >= self.goal

    def arrived(self) -> State | None:
        """The pose at the goal, where it is stable and as near to a straight line as a step has to be."""
        if self.along is None:
            return None
        part = (self.goal - self.spot.share) / float(self.along[-1])
        guess = displaced_state(self.net, self.spot, part * self.along[:-1], self.goal - self.spot.share)
        there = State._make(array.copy() for array in guess)
        if not settle_exactly(self.net, there).at_rest or least_free_stiffness(self.net, there) <= 0.0:
            return None
        far = float((np.abs(there.x - guess.x) / displacement_scales(self.net)[:, None]).max())
        return there if far <= ASTRAY * part else None

    def advanced(self) -> bool:
        """Take a step and set the length of the next; False, and a shorter one, where it may lead astray."""
        along = self.along
        ahead = None if along is None else correct(self.net, self.spot, along, self.step, self.goal)
        further = None if ahead is None or along is None else tangent(ahead, along)
        values, ways = self.values[:0], self.ways
        if ahead is not None:
            values, ways = free_modes(ahead.rows, ahead.stiff)
        if ahead is None or along is None or further is None or not self._fits(ahead, further, values):
            self.step *= 0.25
            self.refused += 1
            return False
        lost, turns = (
            _distance_to_zero(values, self.values, self.step),
            _distance_to_zero(further[-1:], along[-1:], self.step),
        )
        self.turned = self.turned or float(further[-1]) < 0.0
        near = bool((values > 0.0).all()) and abs(turns) <= LONGEST and abs(lost) <= LONGEST
        self.turning = self.turned or near
        self.wanted = turns if self.turning else lost
        self.before, self.spot, self.values, self.ways, self.along = self.spot, ahead, values, ways, further
        bound = min(4.0 * abs(self.step), LONGEST)
        self.step = min(max(self.wanted, -bound), bound)
        return True

    def _fits(self, ahead: PathPoint, further: Floats, values: Floats) -> bool:
        """Whether a step stays on the path: no corner, and no turn of the drive without a loss of stability.

        The determinant of A with the way is that of A times ds: but where branches meet, it keeps its sign.
        """
        along = self.along
        if along is None or len(values) != len(self.values) or cosine(ahead, along, further) < STRAIGHT:
            return False
        if abs(self.step) <= JUMPED:  # where mirrored ways meet, it may end on the way between them
            return not self.turning or abs(further[-1]) <= FASTER * abs(along[-1])
        signs = np.sign(values).prod() * np.sign(self.values).prod()
        return bool(signs * along[-1] * further[-1] >= 0.0)

    def turns_here(self) -> bool:
        """Whether the drive turns back here to rounding, ½ s' ds from where it stands, under great forces.

        They make up the arclength, and no shorter step comes out of their rounding.
        """
        speed = 0.0 if self.along is None else float(self.along[-1])
        grown = self.spot.largest > GROWN * self.first
        return self.turning and grown and abs(0.5 * self.wanted * speed) <= EXACT

    def unbounded(self) -> float:
        """Share at which forces diverge, extrapolated from their 1/f² law."""
        first, last = self.before.largest**2, self.spot.largest**2
        return float((last * self.spot.share - first * self.before.share) / (last - first))

    def event(self) -> CriticalPoint:
        """What it has come to, less than CLOSE away."""
        speed = 0.0 if self.along is None else float(self.along[-1])
        at = self.spot.share + (0.5 if self.turning else 1.0) * self.wanted * speed
        if not len(self.values):  # nothing is free: lengths alone can end it
            return CriticalPoint(at, self.spot.state, np.zeros_like(self.spot.state.x), "fold")
        way = self.spot.rows.spread(self.ways[:, [int(np.abs(self.values).argmin())]])[0]
        if self.turning and np.abs(self.values).min() > SOFTER * self.least:  # κ < 0 on a fold's other side
            return CriticalPoint(at, self.spot.state, way, "fold")
        return CriticalPoint(at, self.spot.state, way, "fork" if abs(speed) > STANDS else self._kind())

    def _kind(self) -> str:
        """Kind of the critical point at which the drive turns back; "" where unknown."""
        along = self.along
        for far in AROUND if along is not None else ():
            spots = [
                correct(self.net, self.spot, along, by, self.goal) for by in (far, -far) if along is not None
            ]
            signs = [free_modes(one.rows, one.stiff)[0][0] > 0.0 for one in spots if one is not None]
            if len(signs) == 2:
                return "merge" if all(signs) else "limit" if any(signs) else ""
        return ""


def state_beyond_limit(net: Network, critical: CriticalPoint, goal: float) -> tuple[float, State] | None:
    """State a little beyond a critical point along the drive, midway between mirrored branches."""
    spot = path_point(net, critical.state, critical.share, goal)
    step: Floats = np.linalg.lstsq(spot.matrix, -spot.driven, rcond=CLOSE)[0].astype(np.float64)
    along = np.append(step, 1.0) / np.sqrt(step @ step + 1.0)
    for far in ASIDE:
        there = correct(net, spot, along, far, goal, ASIDE_ASTRAY)
        if there is not None and critical.share < there.share <= goal:
            return there.share, there.state
    return None


def branches_beyond(net: Network, critical: CriticalPoint, goal: float) -> list[tuple[float, State]]:
    """Stable states on either side of a fork, a little further along the drive.

    The first is the one in which the coordinate that moves most grows.
    """
    spot = path_point(net, critical.state, critical.share, goal)
    way = critical.way * (np.sign(critical.way.flat[np.abs(critical.way).argmax()]) or 1.0)
    y = spot.rows.gathered(way[None])[:, 0] / spot.units[: len(spot.rows.nodes)]
    y /= np.abs(y).max()
    out: list[tuple[float, State]] = []
    for sign in (1.0, -1.0):
        for far in ASIDE:
            there = _displaced_point(net, spot, sign * far * y, goal)
            if there is not None and critical.share < there.share <= goal:
                if free_modes(there.rows, there.stiff)[0][0] > 0.0:
                    out.append((there.share, there.state))
                break
    return out


def _distance_to_zero(values: Floats, before: Floats, step: float) -> float:
    """Extrapolated arclength to the nearest zero of the stiffnesses; inf where none comes."""
    change = values - before
    falls = (change * step * np.sign(values) < 0.0) | (values * before < 0.0) | (values < 0.0)
    far = np.where(falls, -values * step / np.where(change == 0.0, 1.0, change), np.inf)
    return float(far[np.abs(far).argmin()]) if len(far) else np.inf


def _displaced_point(net: Network, spot: PathPoint, y: Floats, goal: float) -> PathPoint | None:
    """The state at rest that is displaced by y (U,), in units, along y: s as it comes out."""
    count = len(spot.left)
    along = np.concatenate([y / np.linalg.norm(y), np.zeros(count - len(y) + 1)])
    return correct(net, spot, along, float(np.linalg.norm(y)), goal, ASIDE_ASTRAY)
