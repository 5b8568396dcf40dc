"""The gallery with so little asked of each model that it is soon solved as Python: few frames, steps, pieces.

As a script it solves models and prints what was found, a line of JSON for each.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from numba.core import config
from tests.called import called

import pliant
from pliant import gallery
from pliant.cli.warm import METHODS
from pliant.core import loops
from pliant.relax.generate import cam

FRAMES, STEPS, PIECES, ITERATIONS, DIRECTIONS = 2, 2, 12, 100, 4


def shortened(name: str) -> tuple[Any, dict[str, Any]]:
    """A model of the gallery, and what is changed of its study."""
    model: Any = gallery.load(name)
    if model.kind == "assembly":
        return model, {"steps": min(STEPS, model.study.steps)}
    if model.kind == "fastener":
        return model, {"directions": min(DIRECTIONS, model.study.directions)}
    if model.kind == "mechanism":
        return _mechanism(name, model)
    return model, {}


def _mechanism(name: str, model: Any) -> tuple[Any, dict[str, Any]]:
    """Fewer frames; a rough cam that turns a little; strings in few pieces, as long as they are drawn.

    Strings of the tensegrity are slack on the way: where it is then is not determined, and its end alone is.
    """
    study = {"frames": 1 if name == "tensegrity" else FRAMES}
    if model.study.method == "momentum":
        study["iterations"] = ITERATIONS
    if name == "cam":
        model = cam(60)
        model = model.model_copy(update={"rotors": (model.rotors[0].model_copy(update={"to": 0.2}),)})
    wraps = [
        wrap.model_copy(update={"pieces": min(PIECES, wrap.pieces), "to": None})
        if wrap.pieces > PIECES
        else wrap
        for wrap in model.wraps
    ]
    return model.model_copy(update={"wraps": tuple(wraps)}), study


def _warmed() -> dict[Any, set[Any]]:
    """The types for which `pliant warm` has each loop compiled."""
    for method in METHODS:
        loops.compile_all(loops.loops_of(method))
    loops.SMALL = -float("inf")  # nothing is small: all of it is compiled
    return {made: set(made.overloads) for made in loops.KERNELS if made.overloads}


def main(names: list[str]) -> None:
    """Name, summary, result and the loops for which `pliant warm` has compiled too little, of each model."""
    warmed = {} if config.DISABLE_JIT else _warmed()
    for name in names:
        model, study = shortened(name)
        result = pliant.solve(model, **study)
        summary, data = result.summary(), result.to_dict()
        result.plots()
        new = [made for made in loops.KERNELS if made.overloads.keys() - warmed.get(made, set())]
        left_out = [made.py_func.__name__ for made in new if made.py_func not in called(warmed)]
        sys.stdout.write(json.dumps([name, summary, data, left_out]) + "\n")
