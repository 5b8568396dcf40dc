"""MuJoCo beside the exact sweep: a root on a slide that is set every step, pawls on sprung hinges.

Time is counted in steps, as for pymunk: a pawl's inertia makes the spring's period P steps. Parts are prisms,
the obstacles twice as thick as the pawls so that they never push along the axis. The force is what the
contacts put on the slide.

MuJoCo's friction stops what slides by a stride a step within one step where it can: an inertia I at an arm r
takes I · stride / r² for that. Below μ times the normal force the pawl is stopped, lifts off and hops, and
the friction is too small; so P² · stride / 40 must be above μθr, at the price of a lag of P · stride / 6.
"""

import math
from dataclasses import dataclass
from time import perf_counter

import mujoco
import numpy as np
from numpy.typing import NDArray

from benchmarks.fasteners import Hinged, Reading, Scene, Trace, there_and_back

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Tuning:
    """How the fastener is put to MuJoCo. The rest is as MuJoCo has it: Newton, its collisions of meshes."""

    name: str = "middle"
    stride: float = 4e-4  # how far the root goes in a step
    period: float = 200.0  # of a pawl on its spring, in steps
    damping: float = 0.5  # of the critical
    solref: tuple[float, float] = (2.0, 1.0)  # time constant of contacts in steps, and damping ratio
    solimp: tuple[float, float] = (0.9999, 0.9999)  # impedance at no violation and at a large one
    impratio: float = 10.0  # how much stiffer friction is than the normal
    cone: str = "ELLIPTIC"
    samples: int = 800  # of a way


# Forces of the two hooks come within 17, 1, 4 and 2 % of the greatest, beside corners left out. "smooth" is
# for no friction: with it the pawls hop.
TUNINGS = (
    Tuning("coarse", stride=2e-3, period=60.0),
    Tuning("smooth", period=60.0),
    Tuning(),
    Tuning("fine", stride=1e-4, period=400.0),
)


class World:
    """A MuJoCo model with a fastener in it."""

    def __init__(self, scene: Scene, tuning: Tuning) -> None:
        spec = mujoco.MjSpec()
        spec.compiler.degree = False
        spec.option.timestep = 1.0
        spec.option.tolerance = 0.0  # in steps, accelerations are so small that any other ends it at once
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        spec.option.cone = getattr(mujoco.mjtCone, f"mjCONE_{tuning.cone}")
        spec.option.impratio = tuning.impratio
        spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_GRAVITY
        speed = math.hypot(*scene.velocity)
        root = spec.worldbody.add_body(ipos=np.zeros(3), mass=1.0, inertia=np.ones(3))
        root.explicitinertial = True
        # So heavy that contacts do not change its speed within a step.
        root.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[*scene.velocity / speed, 0.0], armature=1e12)
        for ring in scene.obstacles:
            _add_prism(spec, spec.worldbody, ring, 1.0, (2, 1), scene.friction, tuning)
        for pawl in scene.pawls:
            _add_pawl(spec, root, pawl, scene.friction, tuning)
        self.model = spec.compile()
        # Contacts are made stiff by the inverse mass at a pawl's centre, here its hinge, where it is 0.
        self.model.body_invweight0[2:, 0] = 1 / self.model.body_mass[2:]
        self.data = mujoco.MjData(self.model)
        self.speed, self.seconds = speed, 0.0

    def step(self, t: float) -> Reading:
        """One step; the slide goes to where the root is at t."""
        data = self.data
        data.qvel[0] = self.speed * t - data.qpos[0]
        began = perf_counter()
        mujoco.mj_step(self.model, data)
        self.seconds += perf_counter() - began
        data.qpos[0] = self.speed * t
        lost = -float(data.contact.dist.min(initial=0.0))
        return Reading(tuple(data.qpos[1:].tolist()), float(data.qfrc_constraint[0]), lost)


def _add_pawl(
    spec: mujoco.MjSpec, root: mujoco.MjsBody, pawl: Hinged, friction: float, tuning: Tuning
) -> None:
    inertia = pawl.stiffness * (tuning.period / (2 * math.pi)) ** 2
    mass = inertia / (0.5 * pawl.reach) ** 2
    body = root.add_body(pos=[*pawl.hinge, 0.0], ipos=np.zeros(3), mass=mass, inertia=np.full(3, inertia))
    body.explicitinertial = True
    body.add_joint(
        type=mujoco.mjtJoint.mjJNT_HINGE,
        axis=[0.0, 0.0, 1.0],
        stiffness=pawl.stiffness,
        damping=2 * tuning.damping * math.sqrt(pawl.stiffness * inertia),
        springref=pawl.preload / pawl.stiffness,
        limited=pawl.stops is not None,
        range=pawl.stops or (0.0, 0.0),
    )
    for ring in pawl.pieces:
        _add_prism(spec, body, ring, 0.5, (1, 2), friction, tuning)


def _add_prism(
    spec: mujoco.MjSpec,
    body: mujoco.MjsBody,
    ring: Floats,
    half: float,
    bits: tuple[int, int],
    friction: float,
    tuning: Tuning,
) -> None:
    """A convex piece, `half` thick to either side of the plane; the bits keep pawls from each other."""
    name = f"mesh {len(spec.meshes)}"
    flat = np.concatenate([np.insert(ring, 2, z, axis=1) for z in (-half, half)])
    spec.add_mesh(name=name, uservert=flat.ravel())
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_MESH,
        meshname=name,
        contype=bits[0],
        conaffinity=bits[1],
        condim=3 if friction else 1,
        friction=[friction, 0.0, 0.0],
        solref=tuning.solref,
        solimp=[*tuning.solimp, 0.001, 0.5, 2.0],
    )


def run(scene: Scene, tuning: Tuning | None = None) -> tuple[Trace, Trace | None]:
    """In and out again."""
    chosen = tuning or Tuning()
    return there_and_back(scene, World(scene, chosen), chosen.stride, chosen.samples)


def settings(tuning: Tuning) -> str:
    """What a benchmark prints beside the peer's times."""
    numbers = " ".join(f"{value:g}" for value in (*tuning.solref, *tuning.solimp))
    return (
        f"MuJoCo {mujoco.__version__}, {tuning.name}: {tuning.stride:g} a step, spring period "
        f"{tuning.period:g} steps, damping {tuning.damping:g} of critical, implicitfast, Newton, "
        f"{tuning.cone.lower()} cone, impratio {tuning.impratio:g}, solref (in steps) and solimp {numbers}"
    )
