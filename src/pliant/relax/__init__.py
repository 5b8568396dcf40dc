"""Relax: where compound nonlinear mechanisms settle, in the plane and in space [Lipson2006]."""

from pliant.core.result import present

present(
    "pliant.relax.result:RelaxResult",
    summary="pliant.relax.report:summary",
    alerts="pliant.relax.report:alerts",
    to_dict="pliant.relax.report:to_dict",
    motion="pliant.relax.drawing:motion",
    plots="pliant.relax.charts:plots",
)
