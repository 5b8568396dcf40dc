"""A method as CONTRIBUTING has it, as small as can be: how far a ball rolls in a groove."""

from pliant.core.result import present

present(
    "tests.toy.result:RollResult",
    summary="tests.toy.report:summary",
    to_dict="tests.toy.report:to_dict",
    motion="tests.toy.drawing:motion",
    plots="tests.toy.charts:plots",
)
