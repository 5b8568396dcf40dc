"""Linkage: closed-form motion of planar linkages, exact derivatives, and editing."""

from pliant.core.result import present

_HERE = "pliant.linkage"
present(
    f"{_HERE}.result:TraceResult",
    warnings=f"{_HERE}.report:warnings",
    alerts=f"{_HERE}.report:alerts",
    summary=f"{_HERE}.report:summary",
    to_dict=f"{_HERE}.report:to_dict",
    motion=f"{_HERE}.drawing:motion",
    plots=f"{_HERE}.charts:plots",
)
for _room, _result in (("editing", "EditResult"), ("synthesis", "Synthesis")):
    _made = {name: f"{_HERE}.{_room}.report:{name}" for name in ("summary", "to_dict", "motion", "plots")}
    present(f"{_HERE}.{_room}.result:{_result}", **_made)
