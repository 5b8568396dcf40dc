"""Linkage: closed-form motion of planar linkages, exact derivatives, and editing."""

from typing import TYPE_CHECKING

from pliant.core.exports import exports
from pliant.core.result import present

if TYPE_CHECKING:
    from pliant.linkage import generate, synthesis
    from pliant.linkage.analysis import curves
    from pliant.linkage.editing.drag import Drag, Dragged
    from pliant.linkage.editing.result import EditResult
    from pliant.linkage.kinematics.follow import follow
    from pliant.linkage.kinematics.mobility import compile_plan
    from pliant.linkage.kinematics.poses import gradient, jacobian, positions, rates
    from pliant.linkage.kinematics.variants import stream_variants, variant_curves
    from pliant.linkage.model import (  # isort: skip
        CurveEdit, EditKeep, EditStudy, Guard, JointEnclosure, JointMove, LengthEdit, Link,
        Linkage, LinkageLoad, LinkageSlider, LinkageStudy, Motor, Symmetry, TraceStudy,
    )  # fmt: skip
    from pliant.linkage.result import TraceResult
    from pliant.linkage.status import DragStatus, EditStatus, SynthesisStatus, TraceStatus
    from pliant.linkage.synthesis.result import Synthesis

__all__ = [
    "CurveEdit", "Drag", "DragStatus", "Dragged", "EditKeep", "EditResult", "EditStatus", "EditStudy",
    "Guard", "JointEnclosure", "JointMove", "LengthEdit", "Link", "Linkage", "LinkageLoad", "LinkageSlider",
    "LinkageStudy", "Motor", "Symmetry", "Synthesis", "SynthesisStatus", "TraceResult", "TraceStatus",
    "TraceStudy", "compile_plan", "curves", "follow", "generate", "gradient", "jacobian", "positions",
    "rates", "stream_variants", "synthesis", "variant_curves",
]  # fmt: skip

__getattr__ = exports(
    __name__,
    __all__,
    {
        "editing.drag": ["Drag", "Dragged"],
        "editing.result": ["EditResult"],
        "kinematics.variants": ["stream_variants", "variant_curves"],
        "kinematics.follow": ["follow"],
        "kinematics.mobility": ["compile_plan"],
        "kinematics.poses": ["gradient", "jacobian", "positions", "rates"],
        "result": ["TraceResult"],
        "status": ["DragStatus", "EditStatus", "SynthesisStatus", "TraceStatus"],
        "synthesis.result": ["Synthesis"],
    },
    rooms=["generate", "synthesis", "analysis.curves"],
    rest="model",
)


def __dir__() -> list[str]:
    return __all__


_HERE = "pliant.linkage"
present(
    f"{_HERE}.result:TraceResult",
    **{name: f"{_HERE}.report:{name}" for name in ("summary", "to_dict", "in_radians", "warnings", "alerts")},
    motion=f"{_HERE}.drawing:motion",
    plots=f"{_HERE}.charts:plots",
)
for _room, _result in (("editing", "EditResult"), ("synthesis", "Synthesis")):
    _made = {
        name: f"{_HERE}.{_room}.report:{name}"
        for name in ("summary", "to_dict", "in_radians", "motion", "plots")
    }
    present(f"{_HERE}.{_room}.result:{_result}", **_made)
