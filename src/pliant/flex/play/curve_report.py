"""The play of a point along its curve, in words and plain data."""

from __future__ import annotations

from math import degrees
from typing import Any

import numpy as np

from pliant.core.arrays import Bools, Floats
from pliant.core.motion import plain
from pliant.core.written import figure
from pliant.flex.play.result import CurvePlay

DIGITS = 4
ANGLES = 13  # in the table of a summary
LISTED = 12  # joints in it
ALIKE = 1e-5  # of a play: less is a solver's rounding


def curve_sentence(curve: CurvePlay, unit: str) -> str:
    """How far the point leaves its curve, where, and who is to blame for it."""
    if not len(curve.angles):
        why = curve.stopped[1] if curve.stopped else "nothing was measured"
        return f"{curve.drive} cannot be turned: {why}."
    bounded: Bools = np.isfinite(curve.widths.sum(axis=1))
    halted = ""
    if curve.stopped is not None:
        halted = f" {curve.drive} stops at {_angle(curve.stopped[0])}: {curve.stopped[1]}."
    if not bounded.any():
        return f"Free: nothing bounds the play of {curve.body} at any angle of {curve.drive}.{halted}"
    if not bounded.all():
        first = _angle(float(curve.angles[~bounded][0]))
        halted = f" At {first}{' and elsewhere' if (~bounded).sum() > 1 else ''} nothing bounds it.{halted}"
    across, along = (_largest(curve, bounded, way, unit) for way in (0, 1))
    return f"{curve.body} has a play of up to {across} across its curve, and up to {along} along it.{halted}"


def _largest(curve: CurvePlay, bounded: Bools, way: int, unit: str) -> str:
    """The largest play across the curve (0) or along it (1): where, and whose it is for the most part."""
    width = np.where(bounded, curve.widths[:, way], -1.0)
    worst = int(np.argmax(width >= (1 - ALIKE) * width.max()))  # the first of those alike
    shares = (curve.shares, curve.along_shares)[way][worst]
    at = f"at {_angle(float(curve.angles[worst]))} of {curve.drive}"
    if not shares.any():
        return f"{figure(float(width[worst]), digits=DIGITS)} {unit} ({at})"
    most = int(np.argmax(shares))
    blamed = f"{shares[most]:.0%} of it by {curve.joints[most]}"
    return f"{figure(float(width[worst]), digits=DIGITS)} {unit} ({at}, {blamed})"


def curve_rows(curve: CurvePlay, unit: str) -> list[str]:
    """The play at some of the angles, and the shares of the joints."""
    if not len(curve.angles):
        return []
    chosen = np.unique(np.linspace(0, len(curve.angles) - 1, ANGLES).round().astype(int))
    squares = _root_sum_squares(curve)
    head = ("angle (°)", f"x ({unit})", f"y ({unit})", f"across ({unit})", f"along ({unit})", "RSS across")
    cells: list[tuple[str, ...]] = [head]
    for k in chosen.tolist():
        numbers = (*curve.curve[k], *curve.widths[k], squares[k])
        words = [
            figure(float(number), 100.0, DIGITS) if np.isfinite(number) else "no bound" for number in numbers
        ]
        cells.append((figure(degrees(curve.angles[k]), 1.0, 5), *words))
    return [*_table(cells), *_joint_rows(curve)]


def _joint_rows(curve: CurvePlay) -> list[str]:
    """Each joint's share of the play across and along: in the mean over the angles, and its range."""
    if not curve.joints:
        return []
    cells: list[tuple[str, ...]] = [("joint", "share across", "from … to", "share along", "from … to")]
    spans = [_share_columns(shares) for shares in (curve.shares, curve.along_shares)]
    for name, across, along in zip(curve.joints[:LISTED], *spans, strict=False):
        cells.append((name, *across, *along))
    more = len(curve.joints) - LISTED
    return [*_table(cells), *([f"  and {more} more joints"] if more > 0 else [])]


def _share_columns(shares: Floats) -> list[tuple[str, str]]:
    """Of each joint, its mean share and the range of it over the angles (F, J)."""
    counted = shares[shares.any(axis=1)]
    if not len(counted):
        return [("0 %", "")] * shares.shape[1]
    return [
        (f"{100 * one.mean():.1f} %", f"{100 * one.min():.1f} … {100 * one.max():.1f}") for one in counted.T
    ]


def _table(cells: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]


def _root_sum_squares(curve: CurvePlay) -> Floats:
    """The root sum of squares of the joints' parts across, (F,)."""
    return np.sqrt((curve.across_parts**2).sum(axis=1))


def _angle(radians: float) -> str:
    return f"{figure(degrees(radians), 1.0, DIGITS)}°"


def curve_dict(curve: CurvePlay) -> dict[str, Any]:
    """Everything, as JSON has it; None where nothing bounds a play."""
    return {
        "body": curve.body,
        "drive": curve.drive,
        "angles": curve.angles.tolist(),
        "curve": curve.curve.tolist(),
        "tangents": curve.tangents.tolist(),
        "across": plain(curve.across),
        "along": plain(curve.along),
        "rss_across": _root_sum_squares(curve).tolist(),
        "outlines": plain(curve.outlines),
        "joints": [
            {"name": name, "across": across, "along": along}
            for name, across, along in zip(
                curve.joints, curve.across_parts.T.tolist(), curve.along_parts.T.tolist(), strict=True
            )
        ],
        "stopped": None if curve.stopped is None else {"angle": curve.stopped[0], "why": curve.stopped[1]},
    }
