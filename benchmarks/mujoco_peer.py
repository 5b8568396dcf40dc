"""MuJoCo beside the relaxation: nodes are sites, links are tendons held to their lengths by equalities.

A tendon equality asks for the acceleration −b·l̇ − k·(l − wanted). With timestep h, k = 1/h² and b = 1/h, the
semi-implicit step q + h·(q̇ + h·q̈) meets the wanted length to first order: every step is one of Newton's, by
MuJoCo's own sparse factorisation. `TUNINGS` has this and three landmarks. Also tried: CG (50 to 250 times
slower), PGS (does not settle), a dense Jacobian (2 times slower), the integrators implicitfast (equal) and
discrete (2 times the steps), plates nested as one kinematic tree (3 times slower at S10), and position servos
on the tendons under the discrete integrator (equal at S10 and S20, 100 times slower at S100).
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import perf_counter

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

DISABLED = ("CONTACT", "GRAVITY", "AUTORESET")  # a reset would hide a failed run


@dataclass(frozen=True)
class Tuning:
    """How the mechanism is put to MuJoCo. The rest is as MuJoCo has it: Euler, Newton."""

    name: str
    plates: bool  # bars that make a rigid body are one; otherwise every node is a point mass
    timestep: float
    solref: tuple[float, float]  # time constant and damping ratio; both negative: −k and −b themselves
    solimp: tuple[float, float]  # impedance at no violation and at a large one; MuJoCo caps it at 0.9999
    tolerance: float  # of the solver; at MuJoCo's 1e-8 nothing moves below length errors of 1e-9
    guarded: bool  # MuJoCo's `refsafe`: no time constant below two steps
    at_rest: bool  # velocities are set to zero before every step: kinematics, no momentum
    increments: int  # steps in which the lengths are driven to their targets


MATCHED = Tuning("matched", True, 1.0, (-1.0, -1.0), (0.9999, 0.9999), 1e-12, False, True, 3)
NODES = replace(MATCHED, name="matched, nodes", plates=False, increments=10)
GUARDED = Tuning("guarded", True, 0.01, (0.02, 0.7), (0.9999, 0.9999), 1e-12, True, False, 5)
STOCK = Tuning("MuJoCo's defaults", False, 0.002, (0.02, 1.0), (0.9, 0.95), 1e-8, True, False, 500)
TUNINGS = (MATCHED, NODES, GUARDED, STOCK)

NETWORK = replace(NODES, name="network", increments=100)  # fine enough to stay on the drawn branch


@dataclass(frozen=True)
class Peer:
    """A mechanism as a compiled MuJoCo model, whose lengths `settle` drives, each time anew."""

    model: mujoco.MjModel
    tuning: Tuning
    ends: Ints  # (E, 2)
    lengths: Floats  # (E,)
    targets: Floats  # (E,)
    sites: Ints  # (N,) the site of each node
    tendons: Ints  # (T,) the link of each tendon
    bodies: int
    dimension: int  # 2 or 3


@dataclass(frozen=True)
class Settled:
    """Where MuJoCo came to rest, or was stopped: then the length error is large, or NaN."""

    x: Floats  # (N, 2 or 3)
    length_error: float
    steps: int
    seconds: float  # of stepping; compiling is not counted


def build(
    drawn: Floats, ends: Ints, free: Flags, lengths: Floats, targets: Floats, tuning: Tuning = MATCHED
) -> Peer:
    """A mechanism for MuJoCo: nodes drawn (N, 2 or 3), links (E, 2) from lengths (E,) to targets (E,)."""
    nodes, dimension = drawn.shape
    place = np.zeros((nodes, 3))
    place[:, :dimension] = drawn
    spec = mujoco.MjSpec()
    _set_options(spec, tuning)
    owner = np.where(free, np.arange(nodes), -1)  # (N,) the first node of a node's body; -1 is the ground
    for plate in _plates(drawn, ends, free, targets) if tuning.plates and dimension == 3 else []:
        owner[plate] = plate[0]
    for first in np.unique(owner):
        _add_body(spec, place, np.flatnonzero(owner == first), first < 0, dimension)
    tendons = np.flatnonzero(owner[ends[:, 0]] != owner[ends[:, 1]])
    for link in tendons.tolist():
        _add_link(spec, link, ends[link], tuning)
    model = spec.compile()
    sites = np.array([model.site(str(node)).id for node in range(nodes)])
    bodies = int((np.unique(owner) >= 0).sum())
    return Peer(model, tuning, ends, lengths, targets, sites, tendons, bodies, dimension)


def settle(peer: Peer, tolerance: float = 1e-6, limit_s: float = 60.0) -> Settled:
    """Drive the lengths to their targets and step until every tendon is within the tolerance of its own."""
    data = mujoco.MjData(peer.model)
    with _no_log():
        start = perf_counter()
        steps = _drive(peer, data, tolerance, start + limit_s)
        seconds = perf_counter() - start
    x = data.site_xpos[peer.sites, : peer.dimension]
    span = x[peer.ends[:, 1]] - x[peer.ends[:, 0]]
    error = np.abs(np.linalg.norm(span, axis=1) - peer.targets).max()
    return Settled(x, float(error), steps, seconds)


def settle_network(drawn: Floats, ends: Ints, free: Flags, lengths: Floats, targets: Floats) -> Settled:
    """Where MuJoCo puts any small mechanism, planar or spatial, driven finely; lengths to 1e-11."""
    return settle(build(drawn, ends, free, lengths, targets, NETWORK), tolerance=1e-11, limit_s=10.0)


def settings(peer: Peer) -> str:
    """What a benchmark prints beside the peer's times."""
    tuning = peer.tuning
    made = "plates as rigid bodies" if tuning.plates else "nodes as point masses"
    numbers = " ".join(f"{value:g}" for value in (*tuning.solref, *tuning.solimp))
    return (
        f"MuJoCo {mujoco.__version__}, {tuning.name}: {peer.bodies} {made}, {peer.tendons.size} tendon "
        f"equalities; Euler, Newton to {tuning.tolerance:g}, sparse, timestep {tuning.timestep:g}, "
        f"solref and solimp {numbers}, "
        f"refsafe {'on' if tuning.guarded else 'off'}, velocities {'zeroed' if tuning.at_rest else 'kept'}, "
        f"driven in {tuning.increments} increments"
    )


def _drive(peer: Peer, data: mujoco.MjData, tolerance: float, deadline: float) -> int:
    """The steps taken; the loop ends between MuJoCo's half steps, where positions and lengths agree."""
    model, increments = peer.model, peer.tuning.increments
    start, goal = peer.lengths[peer.tendons], peer.targets[peer.tendons]
    drawn = model.tendon_length0  # an equality's reference counts from the drawn length
    step = 0
    while True:
        if step < increments:
            model.eq_data[:, 0] = start + (step + 1) / increments * (goal - start) - drawn
        if peer.tuning.at_rest:
            data.qvel[:] = 0.0
        mujoco.mj_step1(model, data)
        if perf_counter() > deadline:
            return step
        if step >= increments and not np.abs(data.ten_length - goal).max() > tolerance:  # also at NaN
            return step
        mujoco.mj_step2(model, data)
        step += 1


def _set_options(spec: mujoco.MjSpec, tuning: Tuning) -> None:
    spec.option.timestep = tuning.timestep
    spec.option.tolerance = tuning.tolerance
    spec.option.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE  # twice as fast as dense at S20
    for name in DISABLED if tuning.guarded else (*DISABLED, "REFSAFE"):
        spec.option.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}")


def _plates(drawn: Floats, ends: Ints, free: Flags, targets: Floats) -> Iterator[Ints]:
    """Sets of three or more free nodes that bars join each to each, and to no other node."""
    span = np.linalg.norm(drawn[ends[:, 1]] - drawn[ends[:, 0]], axis=1)
    bars = np.unique(np.sort(ends[np.isclose(span, targets, rtol=1e-12, atol=0.0)], axis=1), axis=0)
    joined = coo_array((np.ones(len(bars)), bars.T), shape=(len(drawn), len(drawn)))
    _, label = connected_components(joined, directed=False)
    size, inside = np.bincount(label), np.bincount(label[bars[:, 0]], minlength=label.max() + 1)
    held = np.bincount(label, weights=~free)
    for found in np.flatnonzero((size >= 3) & (inside == size * (size - 1) // 2) & (held == 0)):
        yield np.flatnonzero(label == found)


def _add_body(spec: mujoco.MjSpec, place: Floats, nodes: Ints, ground: bool, dimension: int) -> None:
    """The sites of the nodes, on the ground, on a point mass that slides, or on a free body.

    The mass is one a body, and the inertia that of the mass at the nodes' mean distance, the same about every
    axis: of the inertias 0.1 to 10 times as large this one settles soonest.
    """
    centre = np.zeros(3) if ground else place[nodes].mean(axis=0)
    arms = place[nodes] - centre
    body = spec.worldbody
    if not ground:
        inertia = float((arms**2).sum(axis=1).mean()) or 1.0  # a point mass does not turn
        body = body.add_body(pos=centre, ipos=np.zeros(3), mass=1.0, inertia=np.full(3, inertia))
        body.explicitinertial = True
        if len(nodes) > 1:
            body.add_freejoint()
        for axis in np.eye(3)[:dimension] if len(nodes) == 1 else []:
            body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
    for node, arm in zip(nodes, arms, strict=True):
        body.add_site(name=str(node), pos=arm)


def _add_link(spec: mujoco.MjSpec, link: int, ends: Ints, tuning: Tuning) -> None:
    tendon = spec.add_tendon(name=str(link))
    for node in ends:
        tendon.wrap_site(str(node))
    held = spec.add_equality(type=mujoco.mjtEq.mjEQ_TENDON, objtype=mujoco.mjtObj.mjOBJ_TENDON)
    held.name1 = str(link)
    held.solref = tuning.solref
    held.solimp = (*tuning.solimp, 0.001, 0.5, 2.0)


@contextmanager
def _no_log() -> Generator[None]:
    """MuJoCo's warnings would go to a file in the working folder; what they say shows in the length error."""
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda _: None)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)
