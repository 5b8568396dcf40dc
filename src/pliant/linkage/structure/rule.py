"""The rules that find a joint, by their codes (what each does: `kinematics.rules`, `kinematics.dyads`)."""

from __future__ import annotations

FIXED, MOTOR, TRIANGLE, POINT, SLIDER, GROUP, LINES, SLOT, CARRIED, DRIVEN, STRUT, STRUT_LINE, TRAVEL = range(
    13
)
SIDED = (TRIANGLE, SLIDER, LINES, SLOT, STRUT, STRUT_LINE)  # rules that have two answers, or none
FLAT = 1e-7  # sine of the angle at a joint below which its side cannot be told from the drawing
NAMES = (
    "fixed", "motor", "triangle", "point", "slider", "coupled", "lines", "slot", "carried", "driven", "strut",
    "strut on a line", "travel",
)  # fmt: skip
