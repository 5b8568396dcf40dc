"""A flex result judged by its frames alone: what overlaps on the way, what it says, where it ends."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import shapely
from numpy.typing import NDArray
from tests.crosscheck.played import Played, played
from tests.crosscheck.swept import Deepest, deepest, strained
from tests.crosscheck.walks import SLACK, Climb, climbed

from pliant.flex.result import FlexResult

Floats = NDArray[np.float64]

NEARLY = 1.03  # widths are found to a fiftieth
GAIN = 0.01  # a walk that gains more of the objective than this has not started from a maximum
NO_ANSWER = ("STEP_LIMIT", "SOLVER_FAILED")
AT_REST = ("CONVERGED", "LOCKED")
NOT_SO = ("OVERLAPPING", "INFEASIBLE", "VIOLATED")  # no random assembly is drawn so


@dataclass(frozen=True)
class Failure:
    """Something that is not as it should be."""

    kind: str
    size: float  # how bad it is, as a ratio to what is allowed
    text: str


@dataclass
class Verdict:
    """What was found about one result."""

    status: str
    objective: float
    failures: list[Failure] = field(default_factory=list)
    way: Deepest | None = None
    climb: Climb | None = None

    def kinds(self) -> list[str]:
        return [failure.kind for failure in self.failures]

    def fails(self, kind: str, size: float, text: str) -> None:
        self.failures.append(Failure(kind, size, text))


def judge(result: FlexResult, seed: int = 0) -> Verdict:
    """Everything that can be checked from outside."""
    play = played(result)
    verdict = Verdict(result.status.name, result.objective)
    if result.status.name in NOT_SO:
        verdict.fails("finding", 1.0, f"{result.message}, and it is not so")
        return verdict
    if result.status.name in NO_ANSWER:
        verdict.fails("no answer", 1.0, result.message)
    _figures(verdict, play, result)
    _way(verdict, play, result)
    if result.status.name == "FREE":
        _leaves(verdict, play, result)
    elif result.status.name in AT_REST:
        _end(verdict, play, seed)
    return verdict


def _figures(verdict: Verdict, play: Played, result: FlexResult) -> None:
    """The first frame is the drawn one, and the objective that of the last."""
    off = float(np.abs(play.centred(play.frames[0]) - play.drawn).max())
    if off > 1e-9 * max(play.size, float(np.abs(play.frames[0]).max())):
        verdict.fails("first frame", off, f"the first frame is {off:.3g} from the drawn pose")
    value = float(play.objective.value(play.centred(play.frames[-1])))
    rounding = 1e-9 * (1 + float(np.abs(play.frames[:, :, :2]).max()))
    if abs(value - result.objective) > 1e-6 * abs(value) + rounding:
        verdict.fails("objective", abs(value - result.objective), f"{result.objective:.6g} is {value:.6g}")


def _way(verdict: Verdict, play: Played, result: FlexResult) -> None:
    """Nothing overlaps by more than the threshold, nor by more than is said, and the joints hold.

    Where that is so if every body turns about its centroid, and not about its own frame, only the film is
    at fault: it goes straight from frame to frame in the user's frames.
    """
    verdict.way, found = _along(play, result)
    if found:
        _, really = _along(play.about_centroids, result)
        found = really or [Failure("film", found[0].size, f"only as drawn: {found[0].text}")]
    verdict.failures += found


def _along(play: Played, result: FlexResult) -> tuple[Deepest, list[Failure]]:
    said, least = result.path_overlap, 1e-9 * play.size
    allowed, failures = NEARLY * result.threshold + least, []
    way = deepest(play, max(least, min(result.threshold, said)))
    where = f"{way.pair[0]} and {way.pair[1]} by {way.width:.3g} at frame {way.frame:.4g}"
    if way.width > allowed:
        thin = 0.25 * _thinnest(play, way.pair)
        kind, size = ("through" if way.width > thin else "overlap"), way.width / result.threshold
        failures.append(Failure(kind, size, f"{where}, threshold {result.threshold:.3g}"))
    if way.width > NEARLY * said + least:
        failures.append(Failure("bound", way.width / max(said, least), f"{where}, said at most {said:.3g}"))
    worst, most = strained(play), NEARLY * max(result.threshold, said) + least
    if worst.depth > most:
        text = f"{worst.label} by {worst.depth:.3g} at frame {worst.frame:.4g}, allowed {most:.3g}"
        failures.append(Failure("joint", worst.depth / most, text))
    return way, failures


def _thinnest(play: Played, pair: tuple[str, str]) -> float:
    """The thickness of the thinner of two bodies: twice its area by its perimeter."""
    thickness = []
    for name in pair:
        rings = play.rings[play.index(name)]
        polygon = shapely.Polygon(rings[0], rings[1:])
        thickness.append(2 * polygon.area / polygon.length)
    return min(thickness)


def _end(verdict: Verdict, play: Played, seed: int) -> None:
    """No walk from the end gains more than 1 %, be it one that may overlap by no more than a millionth."""
    scale = play_length(play)
    least = max(0.01 * scale, 1e-5 * play.size)
    for hair in (SLACK, 0.01 * SLACK):  # what only fits through with some overlap does not fit through
        verdict.climb = climb = climbed(play, scale, seed, hair=hair)
        if climb.gain <= GAIN * abs(verdict.objective) or climb.travel <= least:
            break
    else:
        text = f"{verdict.objective:.5g}, and a walk gets {climb.gain:.3g} further"
        verdict.fails("short", climb.relative / GAIN, text)


def play_length(play: Played) -> float:
    """A typical distance to the nearest body, of those that move; or of the pins' play."""
    first, bodies = play.frames[0], play.pairs
    at = [play.polygons(bodies[:, side], first[bodies[:, side]]) for side in (0, 1)]
    apart = np.asarray(shapely.distance(*at))
    nearest = [
        distances.min()
        for body in np.flatnonzero(~play.fixed)
        if len(distances := apart[(bodies == body).any(axis=1) & (apart > 1e-9 * play.size)])
    ]
    nearest += [pin.clearance for pin in play.model.pins if pin.clearance > 0]
    return min(float(np.median(nearest)), play.size) if nearest else 1e-3 * play.size


def _leaves(verdict: Verdict, play: Played, result: FlexResult) -> None:
    """Who is said to leave gets clear of the rest, and hits nothing on the way."""
    if result.leaving is None or not result.leaving.bodies:
        verdict.fails("leaves", 1.0, "free, and nobody is named")
        return
    out = _way_out(play, result)
    goers = np.array([name in result.leaving.bodies for name in play.names])
    last = play.polygons(np.arange(len(play.names)), out[-1])
    rest = shapely.convex_hull(shapely.union_all(last[_near(play) & ~goers]))
    hulls = shapely.convex_hull(last)
    inside = [play.names[body] for body in np.flatnonzero(goers) if hulls[body].intersects(rest)]
    if inside:
        verdict.fails("leaves", 1.0, f"{', '.join(inside)} said to leave, and never clear of the rest")
    found = deepest(play, result.threshold, out)
    if found.width > NEARLY * result.threshold + 1e-9 * play.size:
        text = f"{found.pair[0]} and {found.pair[1]} by {found.width:.3g} on the way out"
        verdict.fails("leaves", found.width / result.threshold, text)


def _way_out(play: Played, result: FlexResult) -> Floats:
    """From the last frame on: what the film shows, and straight on for ten times the near bodies' extent."""
    out = np.asarray(result.motion.poses)[len(play.frames) - 1 :]
    velocity = np.zeros((len(play.names), 3))
    for name, each in zip(result.leaving.bodies, result.leaving.velocities, strict=True):
        velocity[play.index(name), :2] = each
    speed = np.hypot(*velocity[:, :2].T)
    near = play.drawn[_near(play), :2]
    extent = float(np.hypot(*np.ptp(near, axis=0))) + 2 * play.size
    further = out[-1] + 10 * extent / speed[speed > 0].min() * velocity
    return np.concatenate([out, further[None]])


def _near(play: Played) -> NDArray[np.bool_]:
    """Bodies near any that moves, as drawn: what is far away is no part of the assembly."""
    everything = np.arange(len(play.names))
    polygons = play.polygons(everything, play.frames[0])
    distance = np.asarray(shapely.distance(polygons[:, None], polygons[None, ~play.fixed]))
    return distance.min(axis=1) < 5 * play.size
