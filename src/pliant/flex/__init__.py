"""Flex: how far loose joints let an assembly move, by linear programs [Lensgraf2020]."""

from pliant.core.result import present

present(
    "pliant.flex.result:FlexResult",
    summary="pliant.flex.report:summary",
    to_dict="pliant.flex.report:to_dict",
    motion="pliant.flex.drawing:motion",
    plots="pliant.flex.charts:plots",
)
present(
    "pliant.flex.play.result:PlayResult",
    summary="pliant.flex.play.report:summary",
    to_dict="pliant.flex.play.report:to_dict",
    motion="pliant.flex.play.drawing:motion",
    plots="pliant.flex.play.drawing:plots",
)
