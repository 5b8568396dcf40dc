"""Path synthesis: from a drawn curve, or a few points, to linkages that trace it.

A great many random linkages are run at once, and their curves compared with the target up to
place, size, turn and side. The likest are put where the target is and polished with exact
derivatives; what is left is ranked by how far the target is from their curves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from pliant.core.arrays import Complex, Floats
from pliant.core.clock import Clock
from pliant.core.errors import PliantError
from pliant.core.loops import run_loops
from pliant.core.progress import Interrupted, Progress, silent
from pliant.linkage.kinematics.poses import POSE_AS_PYTHON
from pliant.linkage.kinematics.variants import stream_variants
from pliant.linkage.status import SynthesisStatus
from pliant.linkage.synthesis.answers import answer_of
from pliant.linkage.synthesis.cognates import cognate_joints
from pliant.linkage.synthesis.families import FOUR, SIX, SWIVEL, Family, extent
from pliant.linkage.synthesis.matching import distances
from pliant.linkage.synthesis.placement import ANGLES, is_folded, place_again, place_on_target, unfold
from pliant.linkage.synthesis.polish import Fit, polish
from pliant.linkage.synthesis.result import Synthesis, SynthesizedLinkage
from pliant.linkage.synthesis.targets import FLATTEST, LARGEST, PathTarget, as_complex, path_target

CANDIDATES = 50_000
BLOCK = 4096  # candidates made with one seed: to change it is to change every answer
SHORT, LONG = 12, 150  # steps that every likely candidate is polished by, and the best of them
LIKELY, FINAL = 8, 3  # of them, for each answer asked for
WIDER = 8  # times as many, where limits leave out most of them
ALIKE = 0.02  # two linkages whose joints are nearer than this, over their size, are one

Bars = Literal["four", "six", "both", "swivel"]
FAMILIES: dict[str, tuple[Family, ...]] = {
    "four": (FOUR,),
    "six": SIX,
    "both": (FOUR, *SIX),
    "swivel": (SWIVEL,),
}


def path(
    points: ArrayLike,
    *,
    bars: Bars = "four",
    closed: bool = True,
    through: bool | None = None,
    answers: int = 5,
    seed: int = 0,
    candidates: int = CANDIDATES,
    transmission: float | None = None,
    largest: float | None = None,
    progress: Progress = silent,
) -> Synthesis:
    """Linkages whose point P traces a curve (K, 2), or passes through a few points, best first.

    Of linkages that come as near, those rank first whose transmission angle is good and that are small.

    Args:
        points: of the target (K, 2).
        bars: which linkages are tried.
        closed: whether the curve comes back to its first point.
        through: whether the points are passed, whatever the curve does between them; left out, up to forty
            are.
        answers: how many linkages at most.
        seed: the same seed gives the same answers.
        candidates: how many random linkages the search begins with.
        transmission: least transmission angle anywhere on the way (rad).
        largest: size of a linkage at most, over the target's.
        progress: called as the search goes on.

    Returns:
        The linkages with their errors.

    Raises:
        PliantError: the points or the options cannot be used.
        Interrupted: Ctrl-C; its `result` has the best so far.
    """
    if not 0 <= (transmission or 0.0) < np.pi / 2 or (largest is not None and not largest > 0):
        raise PliantError(
            f"transmission = {transmission}, largest = {largest}: the least transmission angle is below π/2 "
            "rad, and the largest linkage is some number of times the target's size."
        )
    wanted = path_target(points, closed=closed, through=through, transmission=transmission, largest=largest)
    families = FAMILIES.get(bars)
    if families is None or answers < 1 or candidates < 1:
        raise PliantError(
            f"bars = {bars!r}, answers = {answers}, candidates = {candidates}: bars is one of "
            f"{', '.join(FAMILIES)}, and the others are 1 or more."
        )
    search = _PathSearch(wanted, answers, seed, progress)
    with run_loops("linkage", POSE_AS_PYTHON * candidates * len(ANGLES), progress):
        try:
            search.run(families, candidates)
        except KeyboardInterrupt:
            raise Interrupted(search.result(SynthesisStatus.STOPPED)) from None
    return search.result(SynthesisStatus.FOUND if search.answered else SynthesisStatus.NONE)


class _PathSearch:
    """What has been found so far."""

    def __init__(self, wanted: PathTarget, answers: int, seed: int, progress: Progress) -> None:
        self.target = wanted
        self.answers = answers
        self.seed = seed
        self.progress = progress
        self.linkages: list[SynthesizedLinkage] = []  # polished or not
        self.tried = 0
        self.clock = Clock()
        self.limited = wanted.flattest < FLATTEST or wanted.largest < LARGEST

    def run(self, families: tuple[Family, ...], candidates: int) -> None:
        """Search each family, polish what is likely, then polish the best of it further."""
        each = -(-candidates // len(families))
        for number, family in enumerate(families):
            with self.clock.phase("search"):
                keep = max(LIKELY // len(families), FINAL) * self.answers * (WIDER if self.limited else 1)
                self._add_likely(family, number, each, each * len(families), keep)
        with self.clock.phase("polish"):
            self._polish(partial(polish, self.target, iterations=SHORT), len(self.linkages), "polishing")
            best = self._distinct(FINAL * self.answers)
            # The rest stays: where all of the best come down to one linkage, it has others to offer.
            self.linkages = best + [one for one in self.linkages if not any(one is each for each in best)]
            self._polish(self._best_of, len(best), "polishing the best")

    @property
    def answered(self) -> bool:
        """Whether something was found that is no larger than it may be."""
        return bool(self._distinct(1))

    def result(self, status: SynthesisStatus) -> Synthesis:
        """The best of what is found."""
        return Synthesis(
            status=status,
            target=self.target,
            answers=tuple(self._distinct(self.answers)),
            candidates=self.tried,
            seed=self.seed,
            seconds=dict(self.clock.seconds),
        )

    def _add_likely(self, family: Family, number: int, count: int, total: int, keep: int) -> None:
        """Add the candidates most like the target, put where it is; an interruption adds those so far."""
        best_far, best_drawn = np.empty(0), np.empty((0, len(family.joints), 2))

        def reduce(drawn: Floats, curves: Floats, reached: Any) -> tuple[Floats, Floats]:
            far = distances(
                self.target, curves[:, 0], extent(drawn) * self.target.radius / self.target.largest
            )
            far[~reached.all(axis=1)] = np.inf
            first = np.argsort(far, kind="stable")[:keep]
            return far[first], drawn[first].copy()

        blocks = self._blocks(family, number, count)
        try:
            for far, drawn in stream_variants(family.plan, blocks, ANGLES, family.traced, reduce):
                best_far, best_drawn = np.append(best_far, far), np.concatenate([best_drawn, drawn])
                first = np.argsort(best_far, kind="stable")[:keep]
                best_far, best_drawn = best_far[first], best_drawn[first]
                self.progress(self.tried, total, f"{family.name}s, nearest {best_far[0]:.3g}")
        finally:
            there = (
                place_on_target(self.target, family, drawn) for drawn in best_drawn[np.isfinite(best_far)]
            )
            self.linkages += [answer_of(self.target, one) for one in there if one is not None]

    def _blocks(self, family: Family, number: int, count: int) -> Iterator[Floats]:
        for block, first in enumerate(range(0, count, BLOCK)):
            size = min(BLOCK, count - first)
            self.tried += size
            yield family.drawings(np.random.default_rng([self.seed, number, block]), size)

    def _polish(self, better: Callable[[Fit], Fit], count: int, text: str) -> None:
        """Polish the first of what is found, in place, so that an interruption keeps what is done."""
        for index in range(count):
            best = min(each.score for each in self.linkages)
            self.progress(index, count, f"{text}, error {best:.2g}")
            self.linkages[index] = answer_of(self.target, better(self.linkages[index].fit))

    def _best_of(self, start: Fit) -> Fit:
        """A polished linkage, and where it meets the target out of order, the best of other tries."""
        best = polish(self.target, start, LONG)
        for other in (unfold, place_again, unfold):
            again = other(self.target, best) if is_folded(best) else None
            if again is not None:
                tries = (best, polish(self.target, again, LONG))
                best = min(tries, key=lambda one: answer_of(self.target, one).score)
        return best

    def _distinct(self, count: int) -> list[SynthesizedLinkage]:
        """The best answers that are not the same linkage, or a cognate, of a better one."""
        kept: list[SynthesizedLinkage] = []
        least = np.arccos(self.target.flattest) if self.target.flattest < FLATTEST else 0.0
        allowed = [
            one
            for one in self.linkages
            if one.extent <= self.target.largest and one.transmission >= least - 1e-9
        ]
        for one in sorted(allowed, key=lambda answer: answer.score):
            if len(kept) < count and not any(_are_alike(one.fit, other.fit) for other in kept):
                kept.append(one)
        return kept


def _are_alike(one: Fit, other: Fit) -> bool:
    """Whether two linkages drawn at the same point of their curves are one, or one a cognate of the other."""
    if one.family is not other.family:
        return False
    first, second = _joint_places(one), _joint_places(other)
    rivals = [second]
    if one.family is FOUR:
        a, d, b, c, p = second
        rivals += cognate_joints(np.array([a, b, c, d, p]))
    return any(_hausdorff_distance(first, rival) < ALIKE * extent(one.drawn) for rival in rivals)


def _joint_places(fit: Fit) -> Complex:
    """Where the joints are; of a swivel's C, which may be anywhere along its bar, where the bar passes D."""
    z = as_complex(fit.drawn)
    if fit.family is SWIVEL:
        _, d, b, c, p = z
        direction = (c - b) / abs(c - b)
        return np.array([z[0], d, b, b + ((d - b) * direction.conjugate()).real * direction, p])
    return z


def _hausdorff_distance(first: Complex, second: Complex) -> float:
    """The farthest that a joint of either is from every joint of the other."""
    far = np.abs(first[:, None] - second[None])
    return float(max(far.min(axis=0).max(), far.min(axis=1).max()))
