"""A search written down so that it can go on: designs with their scores, and where chance stands.

What goes on from a checkpoint finds what it would have found without a stop.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pliant.core.errors import PliantError
from pliant.core.store import write_json
from pliant.relax.evolve.design import ActuatorGene, MachineDesign

CURE = "Name another file, or remove it to start anew"


@dataclass(frozen=True)
class SearchState:
    """A search after so many generations."""

    islands: tuple[tuple[tuple[float, MachineDesign], ...], ...]  # scores and designs, best first
    history: tuple[float, ...]  # the best score of every generation
    chance: Mapping[str, Any]  # state of the random numbers


def write_checkpoint(path: str | Path, asked: Mapping[str, Any], standing: SearchState) -> None:
    """Write a search to a file, whole or not at all; `asked` is what it was started with."""
    islands = [
        [{"score": score, **_plain_design(design)} for score, design in island] for island in standing.islands
    ]
    chance, history = dict(standing.chance), list(standing.history)
    write_json(
        path, {"evolution": 1, "asked": dict(asked), "history": history, "chance": chance, "islands": islands}
    )


def read_checkpoint(path: str | Path, asked: Mapping[str, Any]) -> SearchState | None:
    """The search in a file; None where there is no such file. An error where it is of another search."""
    if not Path(path).exists():
        return None
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        given = data["asked"]
        standing = SearchState(
            tuple(tuple((float(one["score"]), _design(one)) for one in island) for island in data["islands"]),
            tuple(map(float, data["history"])),
            data["chance"],
        )
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise PliantError(f"{path}: is no checkpoint of an evolution ({error!r}). {CURE}.") from None
    if given != dict(asked):
        other = ", ".join(f"{key} = {given.get(key)!r}" for key in asked if given.get(key) != asked[key])
        raise PliantError(f"{path}: is the checkpoint of another search, with {other}. {CURE}.")
    return standing


def _plain_design(design: MachineDesign) -> dict[str, Any]:
    return {
        "nodes": [[node.real, node.imag] for node in design.nodes],
        "grounded": design.grounded,
        "bars": [list(bar) for bar in design.bars],
        "actuators": [{"nodes": list(one.nodes), "to": list(one.to)} for one in design.actuators],
    }


def _design(data: Mapping[str, Any]) -> MachineDesign:
    return MachineDesign(
        tuple(complex(*node) for node in data["nodes"]),
        int(data["grounded"]),
        tuple((int(a), int(b)) for a, b in data["bars"]),
        tuple(
            ActuatorGene((int(one["nodes"][0]), int(one["nodes"][1])), tuple(map(float, one["to"])))
            for one in data["actuators"]
        ),
    )
