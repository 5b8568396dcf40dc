"""What comes back from a run: poses along the drive, and what they can be trusted for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pliant.core.arrays import Floats
from pliant.relax.diagnose.assessment import Assessment
from pliant.relax.diagnose.carried_forces import CarriedForce, forces, reactions
from pliant.relax.diagnose.rank import Freedom, freedom, smallest_singular_values
from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.network.network import Network
from pliant.relax.solvers.record import Frame
from pliant.relax.status import RelaxStatus
from pliant.view.shown import Shown


@dataclass(frozen=True, repr=False, eq=False)
class RelaxResult(Shown):
    """A mechanism at F shares of its drive. What costs more than the run is computed when asked for."""

    status: RelaxStatus  # how it ended
    model: Mechanism  # that was run
    study: RelaxStudy  # what was asked
    network: Network  # the mechanism as arrays
    frames: tuple[Frame, ...]  # poses along the drive
    assessment: Assessment  # length errors, internal loads and notices
    history: tuple[Floats, ...]  # largest residual of every iteration, of methods that iterate
    iterations: int  # or factorisations, of auto
    seconds: Mapping[str, float]  # by phase

    @property
    def shares(self) -> Floats:
        """Share of the drive at each frame (F,), from 0 to 1."""
        return np.array([frame.share for frame in self.frames])

    @property
    def points(self) -> Floats:
        """(F, N, D) positions of the model's own nodes."""
        return np.stack([frame.x[: self.network.shown] for frame in self.frames])

    @property
    def nodes(self) -> dict[str, list[float]]:
        """Position of every node at the end (D,), in the model's length unit."""
        return dict(zip(self.model.nodes, self.points[-1].tolist(), strict=True))

    @property
    def residual(self) -> float:
        """Largest out-of-balance force on a free node at the end (N)."""
        return self.frames[-1].residual

    @property
    def length_error(self) -> float:
        """Largest length error of a rigid element at the end (length)."""
        return float(self.assessment.length_errors[-1])

    @property
    def internal_load(self) -> float:
        """Largest self-stress in an element at the end (N): no displacement can relieve it."""
        return float(self.assessment.loads[-1])

    @property
    def locked(self) -> bool:
        """Whether the drive demands lengths that cannot all hold at once."""
        return self.status is RelaxStatus.LOCKED

    @property
    def assembly_kept(self) -> bool:
        """Whether the mechanism is certain to be still in the assembly mode it was drawn in."""
        return self.assessment.assembly_kept

    @cached_property
    def freedom(self) -> Freedom:
        """Degrees of freedom left at the end with the drive held, and their modes."""
        return freedom(self.network, self.frames[-1])

    @property
    def freedoms(self) -> int:
        """Number of degrees of freedom left at the end, to second order."""
        return self.freedom.second

    @cached_property
    def singular_values(self) -> Floats:
        """Smallest singular value of the Jacobian of the lengths at each frame (F,); 0 at a singular pose."""
        return smallest_singular_values(self.network, self.frames)

    @cached_property
    def forces(self) -> tuple[CarriedForce, ...]:
        """Force (N, positive in tension) or torque of every element along the drive (F,)."""
        return forces(self.model, self.network, self.frames)

    @cached_property
    def reactions(self) -> dict[str, Floats]:
        """Reaction on the mechanism at each grounded or guided node (F, D), in N."""
        return reactions(self.model, self.network, self.frames)
