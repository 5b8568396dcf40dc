"""The compiled loops of fasteners, and small runs that use every one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pliant.core.loops import Loops

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pliant.snap.model import Fastener, Obstacle, Pawl, SnapStudy

MODULES = ("solve",)


def seconds_as_python(model: Fastener, study: SnapStudy) -> float:
    """How long a run takes without compiled loops, about: by the gallery, within a factor of three."""

    def vertices(parts: Sequence[Pawl | Obstacle]) -> int:
        return sum(len(part.outline or model.shapes[part.shape or ""]) for part in parts)

    pairs = vertices(model.pawls) * vertices(model.obstacles)
    sweeps = 2 + (study.directions / 12 if study.classify else 0)
    sweeps += 20 * (study.uncertain + study.stability) + 200 * study.search
    return 3e-3 * pairs * sweeps


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
