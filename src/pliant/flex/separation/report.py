"""A separation result in words and plain data."""

from __future__ import annotations

from typing import Any

from pliant.core.store import sayable
from pliant.core.written import vector_text
from pliant.flex.report import opening
from pliant.flex.separation.result import SeparationResult
from pliant.flex.separation.ways_out import WayOut
from pliant.flex.status import SeparationStatus

LISTED = 20


def summary(result: SeparationResult) -> str:
    """A sentence, then the ways out in order and what is left together."""
    rows = [f"  {number:<3} {_way_text(way)}" for number, way in enumerate(result.ways[:LISTED], 1)]
    if len(result.ways) > LISTED:
        rows.append(f"  and {len(result.ways) - LISTED} more")
    if result.first:
        rows.append(f"  first               {_names(result.first)} can leave first, alone")
    for lock in result.interlocks:
        proof = (
            f"interlocked: forces on all contacts balance to {lock.unbalanced:.1g}, "
            f"least singular value {lock.least_singular:.1g}"
            if lock.proved
            else "no way apart was found, though something moves to first order"
        )
        rows += [f"  together            {_names(lock.bodies)}", f"  {'':<19} {proof}"]
    return "\n".join([sentence(result), *rows])


def sentence(result: SeparationResult) -> str:
    """Whether it comes apart, and how."""
    match result.status:
        case SeparationStatus.SEPARATES:
            count = f"{len(result.ways)} {'motion' if len(result.ways) == 1 else 'motions'}"
            key = f"; {result.key} is the key piece" if result.key else ""
            what = "What was asked for comes out" if result.study.parts else "Comes apart"
            return f"{what} in {count}, each played until clear{key}."
        case SeparationStatus.PARTLY:
            return f"Comes apart in part: after {len(result.ways)} motions no further way was found."
        case SeparationStatus.INTERLOCKED:
            play = ", and with its play no way out was found" if result.gap else ""
            return (
                f"Interlocked: with every joint closed nothing moves, to first order; that is proved{play}."
            )
        case SeparationStatus.STUCK:
            return "No way apart was found, though something moves to first order."
        case SeparationStatus.INTERRUPTED:
            return f"Stopped after {len(result.ways)} motions."
        case _:
            return f'{str(result.status).capitalize()}: "pliant flex" says where.'


def _way_text(way: WayOut) -> str:
    names = _names(way.bodies)
    if way.at_once:
        return f"{names} leave at the same time"
    together = " as one" if len(way.bodies) > 1 else ""
    return f"{names} along {vector_text(way.directions[0], digits=3)}{together}"


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def in_radians(_result: SeparationResult) -> tuple[str, ...]:
    """Key paths of the plain data that are angles: none."""
    return ()


def to_dict(result: SeparationResult) -> dict[str, Any]:
    """Everything, as JSON has it."""
    data = {
        **opening(result, "separate"),
        "gap": result.gap,
        "first": list(result.first),
        "key": result.key,
        "order": [_way_dict(way) for way in result.ways],
        "tree": result.tree.to_dict(),
        "interlocks": [{**vars(lock), "bodies": list(lock.bodies)} for lock in result.interlocks],
        "moves": {name: list(velocity) for name, velocity in result.moves.items()},
    }
    return {**sayable(data), "motion": result.motion.to_dict()}


def _way_dict(way: WayOut) -> dict[str, Any]:
    return {
        "bodies": list(way.bodies),
        "directions": [list(direction) for direction in way.directions],
        "at_once": way.at_once,
    }
