"""The compiled loops of linkages, and small runs that use every one of them."""

from __future__ import annotations

import numpy as np

from pliant.core.loops import Loops

MODULES = (
    "solve",
    "editing.edit",
    "synthesis.paths",
    "analysis.dimension_sensitivity",
    "kinematics.variants",
)


def exercise() -> None:
    """Triangles, sliders, slots, crossing lines and a coupled group; an edit; a path."""
    from pliant.linkage.editing.edit import edit
    from pliant.linkage.generate import four_bar, jansen, scotch_yoke, slider_crank, triad
    from pliant.linkage.kinematics.poses import gradient
    from pliant.linkage.model import EditStudy, TraceStudy
    from pliant.linkage.solve import solve
    from pliant.linkage.synthesis.paths import path

    study = TraceStudy(samples=12)
    for model in (four_bar(4.0, 1.0, 3.0, 3.0), slider_crank(1.0, 3.0), scotch_yoke(1.0), triad(), jansen()):
        result = solve(model, study)
        gradient(result.poses, np.zeros_like(result.poses.x))
    leg = jansen()
    x, y = leg.joints["P4"]
    edit(leg, EditStudy.model_validate({"move": [{"joint": "P4", "to": [x + 1, y]}], "samples": 12}))
    path([[0, 0], [20, 25], [50, 30], [80, 10]], closed=False, candidates=64, answers=1)


LOOPS = Loops("linkage", MODULES, exercise)
