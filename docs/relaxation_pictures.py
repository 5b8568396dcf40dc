"""Pictures beside the figures of [Lipson2006]: both outcomes, paths, and errors by iteration.

The mechanisms, and what is measured on them, are those of tests/papers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from pliant import gallery, view
from pliant.core.arrays import Floats
from pliant.core.motion import Mark
from pliant.core.plot import Plot, Series
from pliant.relax.generate import random_mechanism, stewart, stewart_end
from pliant.relax.result import RelaxResult

ROOT = Path(__file__).parents[1]
CASES = ROOT / "tests" / "papers" / "relaxation_cases.py"
sys.path.insert(0, str(ROOT))

from tests.papers.relaxation_cases import STEPS, deviation, off_the_line, relaxed_stewart, run  # noqa: E402

Drawn = tuple[Figure, str]  # a picture, and the words that go with it

FINE = 600  # points of a line in a chart
ACTUATED = 30_000
LONGER = {16: 2, 18: 2, 20: 4}  # times STEPS that so many platforms are driven for; others once


def both_outcomes() -> Drawn:
    """Fig. 3: the mast upright, which is unstable, and leaning to either side."""
    model = gallery.load("slender")
    upright = run(model, method="sync", noise=0.0)
    sides: dict[float, RelaxResult] = {}
    for seed in range(10):
        leaning = run(model, seed=seed)
        sides.setdefault(np.sign(leaning.nodes["a"][0]), leaning)
    left, right = sides[-1.0], sides[1.0]
    marks = [*_bars(upright, "upright, unstable"), *_bars(right, "leaning the other way")]
    motion = replace(left.motion, marks=(*left.motion.marks, *marks))
    tip = ", ".join(f"{end.nodes['a'][0]:.4g}" for end in (left, upright, right))
    return view.figure(motion, before=None), f"The top is at x = {tip}."


def _bars(result: RelaxResult, group: str) -> Iterator[Mark]:
    for bar in result.model.bars:
        yield Mark("segment", np.array([result.nodes[name] for name in bar.nodes]), group=group)


def deviation_by_stiffness() -> Drawn:
    """Fig. 4: how far a joint of the four-bar is off its arc, the less the stiffer its bars."""
    stiffness = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    off = np.array([deviation(0.5, k) for k in stiffness])
    series = (Series("", stiffness, off),)
    plot = Plot("Off the path, by stiffness", "stiffness", "deviation", series, x_scale="log", y_scale="log")
    power = np.polyfit(np.log(stiffness), np.log(off), 1)[0]
    return view.chart(plot), f"It falls with the stiffness to the power of {power:.2f}."


def deviation_by_alpha() -> Drawn:
    """Fig. 4: the same, the more the larger α is."""
    alphas = np.linspace(0.1, 0.7, 7)
    off = np.array([deviation(alpha, 1.0) for alpha in alphas])
    plot = Plot("Off the path, by α", "α", "deviation", (Series("", alphas, off),))
    return view.chart(plot), f"It grows by {off[-1] / off[0] - 1:.1%} from 0.1 to 0.7."


def twisting() -> Drawn:
    """Fig. 6: ten platforms on the way to their target."""
    result = run(stewart(10, "alt"), method="sync", alpha=0.9, frames=50, increments=STEPS, tolerance=1e-9)
    off = float(np.abs(result.points[-1] - stewart_end(10, "alt")).max())
    return view.filmstrip(result, frames=5, before=None), f"In the end {off:.1g} from the known target."


def ten_platforms() -> Drawn:
    """Fig. 7 (a): largest residual and deviation from collinearity, by iteration."""
    periods = 60
    result = relaxed_stewart(10, periods, frames=4 * periods)
    at = np.array([frame.iterations for frame in result.frames])[1:]
    error = Series("off the line", at.astype(float), off_the_line(result, 10)[1:])
    plot = _by_iteration(
        "Ten platforms", "residual, distance", (_residuals("largest residual", result), error)
    )
    return view.chart(plot), f"Driven for {STEPS} iterations, then held."


def many_platforms() -> Drawn:
    """Fig. 7 (b): the same deviation for 6 to 20 platforms."""
    series: list[Series] = []
    for count in range(6, 21, 2):
        steps = STEPS * LONGER.get(count, 1)
        result = relaxed_stewart(count, 100_000 // steps, steps, frames=400_000 // steps)
        at = np.array([frame.iterations for frame in result.frames], float)
        series.append(Series(f"S{count}", at[1:], off_the_line(result, count)[1:]))
    plot = _by_iteration("From six platforms to twenty", "distance off the line", series)
    return view.chart(plot), "To 100,000 iterations."


def wrong_assembly() -> Drawn:
    """ "Incorrect solutions": actuated slowly and abruptly, both come to rest, one elsewhere."""
    study = {"method": "sync", "frames": 1, "iterations": 100_000, "tolerance": 1e-10}
    series, words = list[Series](), list[str]()
    for name, increments in (("slowly", STEPS), ("abruptly", 100)):
        result = run(stewart(4), increments=increments, **study)
        away = float(np.abs(result.points[-1] - stewart_end(4)).max())
        series.append(_residuals(f"{name}: ends {away:.1g} from the target", result))
        words.append(f"{name} in {increments} iterations: {result.status.name.lower().replace('_', ' ')}")
    plot = _by_iteration("Right and wrong assemblies", "largest residual", series)
    return view.chart(plot), f"{'; '.join(words)}."


def tangled() -> Drawn:
    """Fig. 8 (a) and (b): a hundred joints at random, as drawn and at the end."""
    result = run(random_mechanism(0), frames=2)
    return view.filmstrip(result, frames=2, before=None), result.summary().partition("\n")[0]


def residuals_at_random(method: str, links: int) -> Drawn:
    """Fig. 8 (c) to (f): the largest residual of ten random mechanisms, by iteration."""
    series, locked = list[Series](), list[str]()
    for seed in range(10):
        model = random_mechanism(seed, 100, links)
        study = {"frames": 1, "increments": ACTUATED, "iterations": 100_000, "tolerance": 1e-9}
        result = run(model, method=method, **study)
        if run(model, frames=4).locked:
            locked.append(str(seed))
        series.append(_residuals(f"seed {seed}", result))
    words = f"By `auto`, {', '.join(locked) or 'none'} of the ten seeds lock."
    return view.chart(_by_iteration(f"{links} links, {method}", "largest residual", series)), words


def _residuals(name: str, result: RelaxResult) -> Series:
    """The largest of every few iterations."""
    left = np.concatenate(result.history)
    starts = np.arange(0, len(left), -(-len(left) // FINE))
    return Series(name, starts + 1.0, _positive(np.maximum.reduceat(left, starts)))


def _positive(values: Floats) -> Floats:
    return np.where(values > 0, values, np.nan)


def _by_iteration(title: str, what: str, series: Iterable[Series]) -> Plot:
    return Plot(title, "iteration", what, tuple(series), y_scale="log")


SLOW = frozenset({"lipson-7b", "lipson-8d", "lipson-8e", "lipson-8f"})

PICTURES: dict[str, Callable[[], Drawn]] = {
    "lipson-3": both_outcomes,
    "lipson-4-stiffness": deviation_by_stiffness,
    "lipson-4-alpha": deviation_by_alpha,
    "lipson-6": twisting,
    "lipson-7a": ten_platforms,
    "lipson-7b": many_platforms,
    "lipson-wrong": wrong_assembly,
    "lipson-8": tangled,
    "lipson-8c": lambda: residuals_at_random("sync", 200),
    "lipson-8d": lambda: residuals_at_random("sync", 250),
    "lipson-8e": lambda: residuals_at_random("async", 200),
    "lipson-8f": lambda: residuals_at_random("async", 250),
}
