"""Flex: how far loose joints let an assembly move, by linear programs [Lensgraf2020]."""

from pliant.core.result import present

_HERE = "pliant.flex"
present(
    f"{_HERE}.result:FlexResult",
    summary=f"{_HERE}.report:summary",
    to_dict=f"{_HERE}.report:to_dict",
    motion=f"{_HERE}.drawing:motion",
    plots=f"{_HERE}.charts:plots",
)
for _room, _result in (
    ("play", "PlayResult"),
    ("separation", "SeparationResult"),
    ("loosening", "LoosenResult"),
    ("bracing", "BraceResult"),
):
    present(
        f"{_HERE}.{_room}.result:{_result}",
        **{name: f"{_HERE}.{_room}.report:{name}" for name in ("summary", "to_dict")},
        **{name: f"{_HERE}.{_room}.drawing:{name}" for name in ("motion", "plots")},
    )
