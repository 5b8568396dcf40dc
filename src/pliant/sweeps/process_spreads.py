"""Spreads that are typical of a process: figures to begin with, until your own parts are measured.

They are what single suppliers and print shops say of their own work, not a standard, and none of them says
how parts spread between the ends: ± of dimensions are taken as three standard deviations of a normal spread,
ranges of materials and of kerfs as uniform.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal


@dataclass(frozen=True)
class ProcessSpread:
    """± of a process, the larger of a length and a share of the dimension."""

    half_mm: float  # ± that every dimension has
    share: float  # ± over the dimension
    shape: Literal["normal", "uniform"]  # normal: the ± is three standard deviations
    shift_mm: float  # of the middle from the nominal value
    what: str  # that it is the spread of
    source: str  # who says so

    def half(self, nominal: float, mm: float) -> float:
        """± of a dimension, in a unit of which a millimetre has `mm`."""
        return max(self.half_mm * mm, self.share * abs(nominal))


_PONOKO = "support.ponoko.com, What is 2D material tolerance?"
_LAYER_X = "layerx3d.in, 3D Printing Tolerances and Dimensional Accuracy"

PROCESSES: Mapping[str, ProcessSpread] = MappingProxyType(
    {
        "laser": ProcessSpread(
            0.127, 0.0, "normal", 0.0, "a laser-cut dimension", "bigbluesaw.com, quality of laser-cut parts"
        ),
        "laser-kerf": ProcessSpread(
            0.038,
            0.0,
            "uniform",
            0.0,
            "the kerf of a laser in acrylic",
            "laser504.com, Kerfs and Laser Thickness",
        ),
        "plywood": ProcessSpread(0.0, 0.10, "uniform", 0.0, "the thickness of wood in sheets", _PONOKO),
        "acrylic": ProcessSpread(0.0, 0.15, "uniform", 0.0, "the thickness of acrylic in sheets", _PONOKO),
        "fdm": ProcessSpread(0.3, 0.005, "normal", 0.0, "an FDM-printed dimension", _LAYER_X),
        "fdm-calibrated": ProcessSpread(
            0.2,
            0.0,
            "normal",
            0.0,
            "the same, of a calibrated printer",
            "get3dprints.com, 3D Printing Tolerances and Accuracy",
        ),
        "fdm-hole": ProcessSpread(0.1, 0.0, "uniform", -0.2, "the diameter of an FDM-printed hole", _LAYER_X),
    }
)
