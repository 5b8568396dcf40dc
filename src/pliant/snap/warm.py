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
    """A motion diode in exact numbers and by floats."""
    from pliant.snap.generate import motion_diode
    from pliant.snap.model import SnapStudy
    from pliant.snap.solve import solve

    for arithmetic in ("exact", "float"):
        solve(motion_diode(), SnapStudy(arithmetic=arithmetic, reverse=True, classify=True, directions=4))


LOOPS = Loops("snap", MODULES, exercise)
