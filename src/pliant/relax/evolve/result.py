"""What evolution found, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

from pliant.relax.evolve.design import DIGITS, Design


@dataclass(frozen=True)
class Evolved:
    """The best machine of a search."""

    design: Design
    cycles: int  # how often its actuators go through their waypoints
    found: Mapping[str, float]  # what it does, measured with small steps
    history: tuple[float, ...]  # the best score of every generation
    seed: int
    friction: float | None = None  # of the floor it stands on
    weight: float = 0.0  # of a node

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON; nodes have letters."""
        design = self.design
        names = ascii_lowercase[: len(design.nodes)]
        floor = {"friction": self.friction, "floor": 0.0, "gravity": [0.0, -self.weight]}
        return {
            "nodes": {name: [node.real, node.imag] for name, node in zip(names, design.nodes, strict=True)},
            "ground": [*names[: design.grounded]],
            "bars": [[names[a], names[b]] for a, b in design.bars],
            "actuators": [
                {
                    "nodes": [names[one.nodes[0]], names[one.nodes[1]]],
                    "to": [round(part * design.length(one.nodes), DIGITS) for part in one.to * self.cycles],
                }
                for one in design.actuators
            ],
            "trace": [names[-1]],
            **(floor if self.friction is not None else {}),
            "found": dict(self.found),
            "history": list(self.history),
            "seed": self.seed,
        }
