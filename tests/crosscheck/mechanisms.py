"""Random mechanisms against an independent continuation, by the thousand.

    python -m tests.crosscheck.mechanisms --mechanisms 1000 --seed 1
    python -m tests.crosscheck.mechanisms --arms --mechanisms 1000
    python -m tests.crosscheck.mechanisms --replay 31

Each is solved with 1, 5 and 60 frames, with gravity or without; a difference is printed with its seed.
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import time
from collections import Counter

import numpy as np
from tests.crosscheck.arms import Arm, random_arm
from tests.crosscheck.arms import difference as arm_difference
from tests.crosscheck.continuation import Bars, Ending, Floats, followed, random_bars

from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.result import RelaxResult
from pliant.relax.solve import solve
from pliant.relax.status import RelaxStatus

FRAMES = (1, 5, 60)
NEAR = 1e-9  # of the drive: events of both are so near
STEPS = (1.0, 0.3, 0.1)  # of the continuation: rounding can lead a step over where mirrored ways meet
ENDINGS: dict[tuple[bytes, ...], Ending] = {}


def difference(bars: Bars, frames: int) -> tuple[str, str]:
    """How the continuation ends, and what pliant says otherwise; nothing where both agree.

    Where pliant says that it did not come to rest, nothing is claimed, and the first is "no claim".
    """
    study = RelaxStudy(frames=frames)
    result = solve(Mechanism.model_validate(bars.model()), study)
    if result.status is RelaxStatus.NOT_CONVERGED:
        return "no claim", ""
    kind, found = "", ""
    for scale in STEPS:
        kind, other = _compared(bars, result, _followed(bars, result.frames[0].x, scale))
        if not other:
            return kind, ""
        found = found or other
    return kind, found


def _compared(bars: Bars, result: RelaxResult, true: Ending) -> tuple[str, str]:
    """The kind of a true ending, and what pliant says otherwise."""
    said = _said(bars, result)
    told = f"pliant: {said}, the continuation: {true.share}"
    if true.kind == "end":
        off = float(np.abs(result.frames[-1].x - true.x).max())
        fits = said[0] == "end" and off <= 1e-6
        return "end", "" if fits else f"{told}, off by {off:.1e}"
    if true.kind == "fold":
        return "fold", "" if said[0] == "lock" and abs(said[1] - true.share) <= NEAR else told
    if true.kind == "dead centre":
        offered = len(result.assessment.ways) == 2 and abs(said[1] - true.share) <= NEAR
        return true.kind, "" if offered and result.status is RelaxStatus.DEAD_CENTRE else told
    near = said[0] == "event" and abs(said[1] - true.share) <= NEAR
    return true.kind, "" if near and true.kind != "lost" else told


def _followed(bars: Bars, start: Floats, scale: float) -> Ending:
    """The continuation from a pose; those of one mechanism at several frames begin at the same."""
    key = bars.places.tobytes(), bars.targets.tobytes(), start.tobytes(), np.float64(scale).tobytes()
    if key not in ENDINGS:
        if len(ENDINGS) >= len(STEPS):
            ENDINGS.clear()
        ENDINGS[key] = followed(bars, start, scale)
    return ENDINGS[key]


def _said(bars: Bars, result: RelaxResult) -> tuple[str, float]:
    """What pliant finds first: the end, a lock or another event, and where."""
    told = [notice for notice in result.assessment.notices if notice.kind != "fallback"]
    if result.status is RelaxStatus.LOCKED and result.assessment.locks_at is not None:
        first = told[0].share if told else result.assessment.locks_at
        return (
            ("lock", result.assessment.locks_at) if first >= result.assessment.locks_at else ("event", first)
        )
    if told:
        return "event", told[0].share
    return ("end", 1.0) if result.status is RelaxStatus.CONVERGED else (result.status.name, np.nan)


def main() -> int:
    """Try so many, and say how they end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--mechanisms", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--unloaded", action="store_true", help="those without gravity alone")
    parser.add_argument("--heavy", action="store_true", help="those with gravity alone")
    parser.add_argument(
        "--arms", action="store_true", help="arms with strings and walls (see `arms`) instead"
    )
    parser.add_argument("--replay", type=int, help="the seed of one mechanism")
    asked = parser.parse_args()
    count, first = (1, asked.replay) if asked.replay is not None else (asked.mechanisms, asked.seed)
    tally, tried, differences, started = Counter[str](), 0, 0, time.process_time()
    for seed in range(first, first + count):
        one = random_arm(seed) if asked.arms else random_bars(seed)
        weight = "arm" if isinstance(one, Arm) else "unloaded" if one.gravity is None else "heavy"
        if (asked.unloaded and weight == "heavy") or (asked.heavy and weight == "unloaded"):
            continue
        tried += 1
        for frames in FRAMES:
            kind, found = arm_difference(one, frames) if isinstance(one, Arm) else difference(one, frames)
            tally[f"{kind}, {weight}"] += 1
            if kind == "no claim":
                print(f"seed {seed}, {frames} frames: no answer", flush=True)
            if found:
                differences += 1
                print(f"seed {seed}, {frames} frames: {kind}; {found}", flush=True)
    for kind, number in sorted(tally.items()):
        print(f"{number:6} {kind}")
    seconds = time.process_time() - started
    print(f"{tried} mechanisms at {FRAMES} frames: {differences} differences, {seconds:.0f} s")
    return 1 if differences else 0


if __name__ == "__main__":
    raise SystemExit(main())
