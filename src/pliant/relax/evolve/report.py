"""An evolved machine as a picture and in a chart."""

from __future__ import annotations

import numpy as np

from pliant.core.motion import Motion
from pliant.core.plot import Plot, Series
from pliant.relax.drawing import drawn
from pliant.relax.evolve.result import Evolved


def motion(result: Evolved) -> Motion:
    """One frame: the machine as it is drawn. `pliant.solve(result.mechanism())` runs it."""
    return drawn(result.mechanism())


def plots(result: Evolved) -> dict[str, Plot]:
    """The best score of every generation."""
    scores = np.array(result.history, dtype=np.float64)
    series = (Series("best", np.arange(1.0, len(scores) + 1), scores),)
    return {"score": Plot("Best score of each generation", "generation", "score", series)}
