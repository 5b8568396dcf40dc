"""Samples of tolerances in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pliant.core.angular import amount_text
from pliant.sweeps.tolerance_status import ToleranceStatus

if TYPE_CHECKING:
    from pliant.sweeps.tolerance_result import FigureSpread, TolerancesResult

SHOWN = 12  # figures


def sentence(result: TolerancesResult) -> str:
    """How the samples came out, in one sentence."""
    count, failed = len(result.samples.rows), result.samples.failed
    left = f"; {result.samples.left} left, --resume goes on" if result.samples.left else ""
    if result.status is ToleranceStatus.UNSOLVED:
        why = next((row.message for row in result.samples.rows), "")
        return f"None of {count} samples has an answer{left}{f': {why}' if why else '.'}"
    unsolved = f", {failed} of which have no answer" if failed else ""
    if not result.limits:
        return f"Solved {count} samples{unsolved}{left}."
    low, high = result.interval
    share = f"{100 * result.passing:{'.0f' if result.passing in (0.0, 1.0) else '.2f'}} %"
    return (
        f"{share} of {count} samples keep all limits{unsolved}: "
        f"between {100 * low:.2f} % and {100 * high:.2f} % of all parts, at 95 % confidence{left}."
    )


def summary(result: TolerancesResult) -> str:
    """The sentence, each limit, each figure's spread, and what contributes."""
    lines = [sentence(result)]
    for k, limit in enumerate(result.limits):
        kept = sum(margins[k] >= 0 for margins in result.margins)
        said = limit.as_text(result.is_angle(limit.figure))
        lines.append(f"  {said:<24} kept by {kept} of {len(result.margins)}")
    for name, spread in list(result.figures.items())[:SHOWN]:
        lines += _figure_lines(name, spread, list(result.spreads), result.is_angle(name))
    lines += [f"  {name:<24} {said}" for name, said in result.spreads.items()]
    for row in [row for row in result.samples.rows if row.failed][:3]:
        lines.append(f"  {row.name:<24} {row.status}: {row.message}")
    return "\n".join(lines)


def _figure_lines(name: str, spread: FigureSpread, inputs: list[str], angle: bool) -> list[str]:
    if not spread.count:
        return [f"  {name:<24} no sample has it"]
    nominal = f", as it stands {amount_text(spread.nominal, angle)}" if math.isfinite(spread.nominal) else ""
    low, middle, high = (amount_text(one, angle) for one in spread.percentiles[1:4])
    around = f"{amount_text(spread.mean, angle)} ± {amount_text(spread.sigma, angle, digits=4)}"
    lines = [
        f"  {name:<24} {around} (1 sigma){nominal}",
        f"  {'':<24} 5 % below {low}, half below {middle}, 5 % above {high}",
    ]
    if spread.contributions:
        parts = sorted(zip(spread.contributions.shares, inputs, strict=True), reverse=True)
        said = ", ".join(f"{one} {share:.1%}" for share, one in parts[:6])
        lines.append(f"  {'':<24} by {said}; unexplained {spread.contributions.unexplained:.1%}")
    return lines
