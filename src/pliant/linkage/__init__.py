"""Linkage: closed-form motion of planar linkages, exact derivatives, and editing."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pliant.core.result import present

if TYPE_CHECKING:
    from pliant.linkage.kinematics.batch import stream_variants, variant_curves
    from pliant.linkage.kinematics.follow import follow
    from pliant.linkage.kinematics.mobility import compile_plan
    from pliant.linkage.kinematics.poses import gradient, jacobian, positions, rates

_HOMES = {
    "compile_plan": "mobility", "follow": "follow", "gradient": "poses", "jacobian": "poses",
    "positions": "poses", "rates": "poses", "stream_variants": "batch", "variant_curves": "batch",
}  # fmt: skip
__all__ = [
    "compile_plan", "follow", "gradient", "jacobian", "positions", "rates",
    "stream_variants", "variant_curves",
]  # fmt: skip

_HERE = "pliant.linkage"
present(
    f"{_HERE}.result:TraceResult",
    **{name: f"{_HERE}.report:{name}" for name in ("summary", "to_dict", "warnings", "alerts")},
    motion=f"{_HERE}.drawing:motion",
    plots=f"{_HERE}.charts:plots",
)
for _room, _result in (("editing", "EditResult"), ("synthesis", "Synthesis")):
    _made = {name: f"{_HERE}.{_room}.report:{name}" for name in ("summary", "to_dict", "motion", "plots")}
    present(f"{_HERE}.{_room}.result:{_result}", **_made)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'pliant.linkage' has no attribute {name!r}")
    return getattr(import_module(f"{_HERE}.kinematics.{_HOMES[name]}"), name)
