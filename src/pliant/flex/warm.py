"""The compiled loops that only large assemblies use, and a run that uses every one of them."""

from __future__ import annotations

from pliant.core.loops import Loops

MODULES = (
    "contact.kernels",
    "lp.gathered",
    "lp.cholesky",
    "lp.symbolic",
    "lp.dissection",
    "lp.interior",
)


def exercise() -> None:
    """One step of a structure that is just large enough."""
    from pliant.flex.generate import table_structure
    from pliant.flex.solve import solve

    model = table_structure(392)
    solve(model, model.study.model_copy(update={"steps": 1, "solver": "normal"}))


LOOPS = Loops("flex", MODULES, exercise)
