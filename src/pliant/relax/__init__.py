"""Relax: where compound nonlinear mechanisms settle, in the plane and in space [Lipson2006]."""

from typing import TYPE_CHECKING

from pliant.core.exports import exports
from pliant.core.result import present

if TYPE_CHECKING:
    from pliant.relax import evolve, generate
    from pliant.relax.assemble.user_elements import Element
    from pliant.relax.evolve.result import Evolved
    from pliant.relax.machines.accelerator import relax as relax_on_accelerator
    from pliant.relax.machines.batch import relax as relax_machines
    from pliant.relax.machines.population import Floor, Machines, Settled, drawn_lengths
    from pliant.relax.machines.population import machines as many_machines
    from pliant.relax.model import (  # isort: skip
        Actuator, Attraction, Bar, Bumper, Circuit, Contact, Gear, Guide, Hinge, Load, Mechanism,
        Obstacle, Plate, RelaxStudy, Rotor, Slider, Spring, String, Weld, Wrap,
    )  # fmt: skip
    from pliant.relax.result import RelaxResult
    from pliant.relax.solve import solve as solve_with_elements
    from pliant.relax.status import EvolveStatus, RelaxStatus

__all__ = [
    "Actuator", "Attraction", "Bar", "Bumper", "Circuit", "Contact", "Element", "EvolveStatus", "Evolved",
    "Floor", "Gear", "Guide", "Hinge", "Load", "Machines", "Mechanism", "Obstacle", "Plate", "RelaxResult",
    "RelaxStatus", "RelaxStudy", "Rotor", "Settled", "Slider", "Spring", "String", "Weld", "Wrap",
    "drawn_lengths", "evolve", "generate", "many_machines", "relax_machines", "relax_on_accelerator",
    "solve_with_elements",
]  # fmt: skip

__getattr__ = exports(
    __name__,
    __all__,
    {
        "assemble.user_elements": ["Element"],
        "evolve.result": ["Evolved"],
        "machines.accelerator": ["relax_on_accelerator=relax"],
        "machines.batch": ["relax_machines=relax"],
        "machines.population": ["Floor", "Machines", "Settled", "drawn_lengths", "many_machines=machines"],
        "result": ["RelaxResult"],
        "solve": ["solve_with_elements=solve"],
        "status": ["EvolveStatus", "RelaxStatus"],
    },
    rooms=["evolve", "generate"],
    rest="model",
)


def __dir__() -> list[str]:
    return __all__


present(
    "pliant.relax.result:RelaxResult",
    summary="pliant.relax.report:summary",
    alerts="pliant.relax.report:alerts",
    to_dict="pliant.relax.report:to_dict",
    motion="pliant.relax.drawing:motion",
    plots="pliant.relax.charts:plots",
)
present(
    "pliant.relax.evolve.result:Evolved",
    motion="pliant.relax.evolve.report:motion",
    plots="pliant.relax.evolve.report:plots",
)
