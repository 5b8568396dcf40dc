"""The compiled loops of fasteners, and small runs that use every one of them."""

from __future__ import annotations

from pliant.core.loops import Loops

MODULES = ("solve",)


def exercise() -> None:
    """A motion diode in exact numbers and by floats, and a preloaded hook that bends."""
    from fractions import Fraction

    from pliant.snap.generate import cantilever_hook, motion_diode
    from pliant.snap.model import Beam, SnapStudy
    from pliant.snap.solve import solve

    for arithmetic in ("exact", "float"):
        solve(motion_diode(), SnapStudy(arithmetic=arithmetic, reverse=True, classify=True, directions=4))
    hook = cantilever_hook(beam=Beam(thickness=1, width=5, material="POM"))
    preloaded = hook.pawls[0].model_copy(update={"preload": Fraction(1)})
    solve(hook.model_copy(update={"pawls": (preloaded,)}), SnapStudy(arithmetic="float", reverse=True))


LOOPS = Loops("snap", MODULES, exercise)
