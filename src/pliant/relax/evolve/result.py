"""What evolution found, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

from pliant.core.store import Json, version
from pliant.relax.evolve.design import DIGITS, MachineDesign
from pliant.relax.model import Mechanism
from pliant.relax.status import EvolveStatus
from pliant.view.shown import Shown

FOOT = 0.01  # of the machine's size: radius of its nodes on the floor


@dataclass(frozen=True, repr=False, eq=False)
class Evolved(Shown):
    """The best machine of a search."""

    design: MachineDesign  # the best machine
    cycles: int  # how often its actuators go through their waypoints
    found: Mapping[str, float]  # what it does, measured with small steps
    history: tuple[float, ...]  # the best score of every generation
    seed: int  # of all that was random
    friction: float | None = None  # of the floor it stands on
    weight: float = 0.0  # of a node
    status: EvolveStatus = EvolveStatus.EVOLVED  # how it ended

    @property
    def goal(self) -> str:
        """What was sought, as the command has it."""
        return "line" if self.friction is None else "crawler"

    def summary(self) -> str:
        """A sentence, then the figures.

        Returns:
            Lines of text; the first is the sentence.
        """
        measures, count = self.found, len(self.history)
        if self.friction is None:
            said = f"A line, 1 : {1 / max(measures['aspect'], 1e-300):.3g} wide to long"
        else:
            far = measures["travel"] / measures["size"]
            said = f"Gets on by {far:.3g} of its own lengths in {self.cycles - 1} cycles"
        design = self.design
        parts = f"{len(design.nodes)} nodes, {len(design.bars)} bars, {len(design.actuators)} actuators"
        lines = [
            f"{said}; {parts}.",
            f"  {'generations':<18} {count}, best score {(*self.history, 0.0)[count - 1]:.4g}",
        ]
        lines += [f"  {key.replace('_', ' '):<18} {value:.6g}" for key, value in measures.items()]
        return "\n".join(lines)

    def mechanism(self) -> Mechanism:
        """The machine as a model; one that crawls stands on a floor with the friction it evolved with.

        Returns:
            The model, with the drive it evolved with.
        """
        data = self._plain()
        fields: dict[str, Any] = {
            "title": "A straight line, evolved" if self.friction is None else "A crawler, evolved",
            "ground": data["ground"],
            "nodes": data["nodes"],
            "bars": [{"nodes": bar} for bar in data["bars"]],
            "actuators": data["actuators"],
            "study": {"trace": data["trace"]},
        }
        if self.friction is not None:
            fields |= self._floor_data(data["nodes"])
        return Mechanism.model_validate(fields)

    def _floor_data(self, nodes: Mapping[str, list[float]]) -> dict[str, Any]:
        """What a floor adds: it lies a radius below the nodes that stand on it."""
        radius = round(FOOT * self.design.size, DIGITS)
        left, right = min(x for x, _ in nodes.values()), max(x for x, _ in nodes.values())
        far = 2.0 * (right - left) + abs(self.found["travel"])
        floor = {"left": [left - far, -radius], "right": [right + far, -radius]}
        feet = [[name, name] for name in nodes]
        waypoints = max(len(one.to) for one in self.design.actuators) * self.cycles
        return {
            "ground": ["left", "right"],
            "nodes": {**nodes, **floor},
            "stiffness": 1.0,
            "gravity": [0.0, -self.weight],
            "contacts": [
                {"members": feet, "against": [["left", "right"]], "radius": radius, "friction": self.friction}
            ],
            "study": {"method": "momentum", "frames": 10 * waypoints, "trace": [list(nodes)[-1]]},
        }

    def to_dict(self) -> dict[str, Json]:
        """Everything, ready for JSON; nodes have letters.

        Returns:
            What `--json` writes.
        """
        head: dict[str, Any] = {
            "kind": "mechanism",
            "command": "evolve",
            "status": self.status.name.lower(),
            "message": self.status.sentence,
            "version": version(),
            "goal": self.goal,
        }
        own: dict[str, Any] = {"found": dict(self.found), "history": list(self.history), "seed": self.seed}
        return {**head, **self._plain(), **own, "motion": self.motion.to_dict()}

    def _plain(self) -> dict[str, Any]:
        """The machine as plain data."""
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
        }
