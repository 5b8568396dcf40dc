"""Pictures of searches and of samples: how the best value came about, and how a figure is spread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from pliant import gallery, view
from pliant.core.progress import silent
from pliant.sweeps.optimize import Effort, read_job, run_job
from pliant.sweeps.solve_case import solve_for_figures
from pliant.sweeps.tolerances import read_lot, run_lot

Drawn = tuple[Figure, str]  # a picture, and the words that go with it

SAMPLES = 200


def here(tasks: Sequence[str], _progress: Any) -> dict[str, Any]:
    """Solves one after the other: pictures are made in processes already."""
    return {task: solve_for_figures(task, silent) for task in tasks}


def search_of_a_hook() -> Drawn:
    """All thicknesses that were tried, and the best so far."""
    job = read_job(file("sized-snap"), {"thickness": "1:3"}, "maximize peak_force", ["strain <= 0.03"])
    found = run_job(job, Effort(evaluations=80), here)
    return view.chart(found.plot()), found.summary()


def spread_of_a_fit() -> Drawn:
    """The play of tenons in their slots, with its limits."""
    lot = read_lot(file("laser-fit"), {}, ["play"], ["0 <= play <= 0.4"], samples=SAMPLES)
    found = run_lot(lot, here)
    return view.chart(found.plot("play")), found.summary()


def file(name: str) -> Path:
    """The file of a model in the gallery."""
    found = gallery.path(name)
    if found is None:
        raise SystemExit(f"{name} is made by a recipe")
    return found


PICTURES: dict[str, Callable[[], Drawn]] = {
    "search-of-a-hook": search_of_a_hook,
    "spread-of-a-fit": spread_of_a_fit,
}
