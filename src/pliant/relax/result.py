"""What comes back from a run: poses along the drive, and what they can be trusted for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pliant.core.motion import Motion
from pliant.core.plot import Plot
from pliant.core.store import model_hash, sayable, version
from pliant.relax.carried import Carried, forces, reactions
from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.network import Floats, Network
from pliant.relax.path import Frame, Way
from pliant.relax.rank import Freedom, freedom, smallest_singular_values
from pliant.relax.status import RelaxStatus
from pliant.relax.trust import Trust
from pliant.view.shown import Shown


@dataclass(frozen=True, repr=False, eq=False)
class RelaxResult(Shown):
    """A mechanism at F shares of its drive. What costs more than the run is computed when asked for."""

    status: RelaxStatus
    model: Mechanism
    study: RelaxStudy
    network: Network
    frames: tuple[Frame, ...]
    trust: Trust
    history: tuple[Floats, ...]  # largest residual of every iteration, of methods that iterate
    iterations: int  # or factorisations, of auto
    seconds: Mapping[str, float]

    @property
    def shares(self) -> Floats:
        """(F,) of the drive."""
        return np.array([frame.share for frame in self.frames])

    @property
    def points(self) -> Floats:
        """(F, N, D) positions of the model's own nodes."""
        return np.stack([frame.x[: self.network.shown] for frame in self.frames])

    @property
    def nodes(self) -> dict[str, list[float]]:
        """Where every node came to rest."""
        return dict(zip(self.model.nodes, self.points[-1].tolist(), strict=True))

    @property
    def residual(self) -> float:
        """The largest force left on a node at the end."""
        return self.frames[-1].residual

    @property
    def length_error(self) -> float:
        """By how much a length that shall hold does not, at the end."""
        return float(self.trust.length_errors[-1])

    @property
    def internal_load(self) -> float:
        """The largest force at the end that no displacement can relieve."""
        return float(self.trust.loads[-1])

    @property
    def locked(self) -> bool:
        """Whether the drive asked for what the lengths cannot hold."""
        return self.status is RelaxStatus.LOCKED

    @property
    def assembly_kept(self) -> bool:
        """Whether it is sure that the mechanism is still in the assembly it was drawn in."""
        return self.trust.assembly_kept

    @cached_property
    def freedom(self) -> Freedom:
        """How the mechanism can still move at the end, with its drive held."""
        return freedom(self.network, self.frames[-1])

    @property
    def freedoms(self) -> int:
        """How many ways it can still move at the end, to second order."""
        return self.freedom.second

    @cached_property
    def singular_values(self) -> Floats:
        """(F,) smallest singular value of the lengths' slopes: 0 at a singular pose."""
        return smallest_singular_values(self.network, self.frames)

    @cached_property
    def forces(self) -> tuple[Carried, ...]:
        """What every element carries along the drive."""
        return forces(self.model, self.network, self.frames)

    @cached_property
    def reactions(self) -> dict[str, Floats]:
        """(F, D) the force on the mechanism at each node that is grounded or guided."""
        return reactions(self.model, self.network, self.frames)

    @cached_property
    def motion(self) -> Motion:
        """What every view shows."""
        from pliant.relax.drawing import picture

        return picture(self)

    @property
    def alerts(self) -> tuple[str, ...]:
        """What a designer must notice beside the status, in a few words each."""
        from pliant.relax.report import alerts

        return tuple(alerts(self))

    def plots(self) -> dict[str, Plot]:
        """Charts of the run."""
        from pliant.relax.charts import plots

        return plots(self)

    def summary(self) -> str:
        """The answer in words."""
        from pliant.relax.report import summary

        return summary(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, for JSON."""
        data = {
            "kind": "mechanism",
            "command": "relax",
            "status": self.status.name.lower(),
            "message": self.status.sentence,
            "seconds": dict(self.seconds),
            "version": version(),
            "model": model_hash(self.model),
            "method": self.study.method,
            "nodes": self.nodes,
            "iterations": self.iterations,
            "residual": self.residual,
            "length_error": self.length_error,
            "internal_load": self.internal_load,
            "carriers": [{"element": name, "force": force} for name, force in self.trust.carriers],
            "locked": self.locked,
            "locks_at": self.trust.locks_at,
            "ways": [self._way(way) for way in self.trust.ways],
            "assembly_kept": self.assembly_kept,
            "freedoms": self.freedoms,
            "stiffness": self.freedom.stiffness.tolist(),
            **self._carried(),
            "warnings": [vars(notice).copy() for notice in self.trust.notices],
            "path": {name: self.points[:, k].tolist() for k, name in enumerate(self.model.nodes)},
            "shares": self.shares.tolist(),
        }
        return {**sayable(data), "motion": self.motion.to_dict()}

    def _way(self, way: Way) -> dict[str, Any]:
        places = way.x[: self.network.shown].tolist()
        return {"share": way.share, "nodes": dict(zip(self.model.nodes, places, strict=True))}

    def _carried(self) -> dict[str, Any]:
        """Forces and reactions, where they are known in newtons."""
        from pliant.relax.report import force_unit

        if not force_unit(self.model):
            return {"forces": {}, "torques": {}, "reactions": {}}
        return {
            "forces": {one.name: one.values.tolist() for one in self.forces if not one.torque},
            "torques": {one.name: one.values.tolist() for one in self.forces if one.torque},
            "reactions": {name: values.tolist() for name, values in self.reactions.items()},
        }
