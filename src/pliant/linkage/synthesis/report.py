"""A synthesis in words, as a motion, in charts and as plain data."""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.core.motion import Mark, Motion
from pliant.core.plot import Plot, Series
from pliant.core.store import opening, sayable
from pliant.linkage.drawing import picture
from pliant.linkage.status import SynthesisStatus
from pliant.linkage.synthesis.answers import percent
from pliant.linkage.synthesis.result import Synthesis, turn_of
from pliant.linkage.synthesis.targets import PathTarget
from pliant.view.symbols import curve


def motion(result: Synthesis) -> Motion:
    """The best linkage as it runs, with the target and the curves of the others."""
    wanted = _target_marks(result.target)
    if not result.answers:
        return Motion("drawn", "", np.zeros(1), marks=tuple(wanted))
    best, *others = result.answers
    marks = [
        Mark("curve", curve(other.path), group="trace", text=f"answer {number}")
        for number, other in enumerate(others, 2)
    ]
    degrees = np.linspace(0, np.degrees(turn_of(best.fit, result.target)), len(best.points))
    return picture(best.linkage, degrees, best.points, traced=("P",), marks=[*marks, *wanted])


def plots(result: Synthesis) -> dict[str, Plot]:
    """How far each target point is from each answer's curve."""
    along = np.asarray(result.target.fractions)
    series = tuple(
        Series(f"{number}: {answer.kind}", along, np.hypot(*answer.fit.gaps))
        for number, answer in enumerate(result.answers, 1)
    )
    return {"error": Plot("Error along the target", "along the target", "error over size", series)}


def summary(result: Synthesis) -> str:
    """The sentence, and a line for each answer."""
    if not result.answers:
        return f"No linkage: {result.status} ({result.candidates} tried)."
    best = result.answers[0]
    said = f"Best of {result.candidates}: a {best.kind}, {percent(best.rms)} of the target's size off."
    if result.status is SynthesisStatus.STOPPED:
        said += " (stopped before the end)"
    heads = ("rms", "greatest", "stray", "transmission", "size")
    lines = [f"  {'':3}{'linkage':<24}{''.join(f'{head:>14}' for head in heads)}"]
    lines += [
        f"  {number:<3}{answer.kind:<24}{percent(answer.rms):>14}{percent(answer.greatest):>14}"
        f"{percent(answer.stray):>14}{f'{np.degrees(answer.transmission):.3g}°':>14}{answer.extent:>14.3g}"
        for number, answer in enumerate(result.answers, 1)
    ]
    return "\n".join([said, *lines])


def in_radians(_result: Synthesis) -> tuple[str, ...]:
    """Key paths of the plain data that are angles."""
    return ("answers.*.transmission",)


def to_dict(result: Synthesis) -> dict[str, Any]:
    """Plain lists and numbers, for JSON."""
    best = result.answers[0].linkage if result.answers else None
    data = {
        **opening("linkage", "synthesize", result.status, str(result.status), result.seconds, best),
        "target": result.target.given.tolist(),
        "closed": result.target.closed,
        "candidates": result.candidates,
        "seed": result.seed,
        "answers": [answer.to_dict() for answer in result.answers],
    }
    return {**sayable(data), "motion": result.motion.to_dict()}


def _target_marks(target: PathTarget) -> list[Mark]:
    """The drawn curve, or a cross at each point to pass."""
    given = target.given
    if target.through:
        arm = 0.02 * target.size * np.array([[[-1, -1], [1, 1]], [[-1, 1], [1, -1]]])
        return [Mark("segment", point + stroke, group="target") for point in given for stroke in arm]
    return [Mark("curve", np.vstack([given, given[:1]]) if target.closed else given, group="target")]
