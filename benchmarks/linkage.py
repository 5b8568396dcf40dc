"""Linkages: Jansen's leg beside pylinkage, many variants, long chains, edits, synthesis."""

import math
from collections.abc import Callable, Iterator
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import peak_memory, seconds, table, timed
from pliant import gallery
from pliant.linkage.editing.drag import Drag, Dragged
from pliant.linkage.editing.edit import edit
from pliant.linkage.generate import chain
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.kinematics.poses import gradient, jacobian, positions, rates
from pliant.linkage.kinematics.variants import BLOCK, stream_variants, variant_curves
from pliant.linkage.model import CurveEdit, EditStudy, JointMove
from pliant.linkage.solve import solve
from pliant.linkage.structure.rule import RuleKind
from pliant.linkage.structure.rule_plan import RulePlan
from pliant.linkage.synthesis import path

Floats = NDArray[np.float64]

SPREAD = 0.005  # of the size: how far the joints of a variant are from Jansen's


def jansen(quick: bool) -> Iterator[str]:
    """One leg, 1000 poses: positions beside the peer's, and what derivatives cost beside positions."""
    poses, repeats = 1000, 50 if quick else 300
    plan = compile_plan(gallery.load("jansen"))
    angles = turn(poses)
    here = positions(plan, angles)
    ones, zeros, slope = np.ones_like(angles), np.zeros_like(angles), np.ones_like(here.x)
    peer = peer_of(plan, poses)
    work: dict[str, tuple[Callable[[], Any], int]] = {
        "pylinkage step()": (lambda: list(peer.step(poses)), 15),
        "pylinkage step_fast (numba)": (lambda: peer.step_fast(poses), repeats),
        "pylinkage step_fast_with_kinematics": (lambda: peer.step_fast_with_kinematics(poses), repeats),
        "pliant positions": (lambda: positions(plan, angles), repeats),
        "pliant velocities and accelerations": (lambda: rates(here, ones, zeros), repeats),
        "pliant gradient of a scalar, 16 parameters": (lambda: gradient(here, slope), repeats),
        "pliant Jacobian, 16 x 16": (lambda: jacobian(here), repeats),
        "pliant positions + Jacobian": (lambda: jacobian(positions(plan, angles)), repeats),
        "pylinkage step_fast, central differences, 11 lengths": (lambda: _differences(peer, poses), 10),
    }
    times = {name: _warm(task, count) for name, (task, count) in work.items()}
    base = times["pliant positions"]
    rows = [(name, f"{1e3 * wall:.3f}", f"{wall / base:.2f}") for name, wall in times.items()]
    peer.set_coords(plan.drawn.tolist())
    apart = np.abs(peer.step_fast(poses)[:-1] - here.points[1:]).max()
    note = f"\n\nThe two agree to {apart:.0e} over the turn."
    head = ("Jansen's leg, 8 joints, 1000 poses", "ms", "of pliant's positions")
    yield "## Jansen's leg beside pylinkage\n\n" + table(head, rows) + note


def batch(quick: bool) -> Iterator[str]:
    """Random variants of Jansen's leg x 100 poses: streamed, then at once beside the peer."""
    plan = compile_plan(gallery.load("jansen"))
    angles, foot = turn(100), plan.structure.names.index("P5")
    variant_curves(plan, next(_variants(plan, 64)), angles, foot)  # the compiler's work is not the method's
    many = 100_000 if quick else 1_000_000
    before = peak_memory()
    kept, wall, _ = timed(
        lambda: list(stream_variants(plan, _variants(plan, many), angles, foot, _extent)), 1
    )
    after = peak_memory()
    rows = [(f"pliant, streamed, {many:.0e} variants", seconds(wall), f"{100 * many / wall:.2e}")]
    few = 10_000
    drawings = np.concatenate(list(_variants(plan, few)))
    (points, reached), wall, _ = timed(lambda: variant_curves(plan, drawings, angles, foot), 5)
    rows.append((f"pliant, {few:.0e} variants at once", seconds(wall), f"{100 * few / wall:.2e}"))
    theirs, peer_wall = _peer_batch(plan, drawings)
    rows.append((f"pylinkage, {few:.0e} variants", seconds(peer_wall), f"{100 * few / peer_wall:.2e}"))
    fully = reached.all(axis=1)
    near = np.abs(np.moveaxis(theirs[:, :-1, foot], 1, 2) - points[:, 0, :, 1:]).max(axis=(1, 2)) <= 1e-8
    note = f"\n\npylinkage / pliant at once: {peer_wall / wall:.1f}. Of the variants {fully.mean():.1%} turn "
    note += (
        f"fully ({np.isfinite(np.concatenate(kept)).mean():.1%} of those streamed), and of these pylinkage "
    )
    note += f"agrees on {near[fully].mean():.2%} to 1e-8. Streaming, the drawing of the variants included, "
    note += f"added {after - before:.2f} GB to a peak of {before:.2f} GB."
    head = ("", "wall s", "poses a second")
    yield "## Variants of Jansen's leg, 100 poses each\n\n" + table(head, rows) + note


def chains(quick: bool) -> Iterator[str]:
    """Parallelograms in a row, 100 poses; and Jansen's leg over more and more poses."""
    sizes = (10, 100, 1000) if quick else (10, 30, 100, 300, 1000, 3000)
    angles = np.radians(np.linspace(-50, 50, 100))[None]
    found: dict[str, list[float]] = {"order": [], "positions": [], "gradient": []}
    for count in sizes:
        model = chain(count)
        plan, order, _ = timed(lambda m=model: compile_plan(m), 3)
        here = positions(plan, angles)
        slope = np.ones_like(here.x)
        repeats = 30 if count <= 300 else 5
        found["order"].append(order)
        found["positions"].append(_warm(lambda p=plan: positions(p, angles), repeats))
        found["gradient"].append(_warm(lambda h=here, s=slope: gradient(h, s), repeats))
    rows = [(n, *(f"{1e3 * found[key][at]:.3g}" for key in found)) for at, n in enumerate(sizes)]
    rows += _exponents(sizes, found)
    head = ("dyads, 100 poses", "order ms", "positions ms", "gradient ms")
    yield "## Chains of dyads\n\n" + table(head, rows)

    plan = compile_plan(gallery.load("jansen"))
    lengths = (100, 1000, 10_000) if quick else (100, 1000, 10_000, 100_000)
    grown: dict[str, list[float]] = {"positions": [], "gradient": [], "Jacobian": []}
    for count in lengths:
        there = positions(plan, turn(count))
        slope, repeats = np.ones_like(there.x), 30 if count <= 10_000 else 5
        grown["positions"].append(_warm(lambda c=count: positions(plan, turn(c)), repeats))
        grown["gradient"].append(_warm(lambda h=there, s=slope: gradient(h, s), repeats))
        grown["Jacobian"].append(_warm(lambda h=there: jacobian(h), repeats))
    rows = [(n, *(f"{1e3 * grown[key][at]:.3g}" for key in grown)) for at, n in enumerate(lengths)]
    rows += _exponents(lengths, grown)
    head = ("poses of Jansen's leg", "positions ms", "gradient ms", "Jacobian ms")
    yield "## More poses\n\n" + table(head, rows)


def slots(quick: bool) -> Iterator[str]:
    """Traces with sliding pairs beside a four-bar and a coupled group: what a user waits for."""
    rows = []
    for name in (
        "hoeken",
        "jansen",
        "quick-return",
        "scotch-yoke",
        "tangent",
        "lift-table",
        "cylinder-lift",
        "six-bar-coupled",
    ):
        model = gallery.load(name)
        plan = compile_plan(model)
        found = "together" if plan.groups else "one by one"
        solve(model)
        _, wall, cpu = timed(lambda m=model: solve(m), 3 if plan.groups or quick else 30)
        rows.append((name, found, f"{1e3 * wall:.2f}", f"{1e3 * cpu:.2f}"))
    head = ("", "joints found", "wall ms", "CPU ms")
    yield "## Traces of 360 poses, limits and rates included\n\n" + table(head, rows)


def drags(quick: bool) -> Iterator[str]:
    """Jansen's foot round a circle of 8 mm in 60 events, its curve kept; back at the start."""
    leg, rows = gallery.load("jansen"), []
    for joint, kept in (("P5", ()), ("P5", ("P5",)), ("P3", ("P5",))):
        study = EditStudy.model_validate({"keep": {"curves": kept}})
        rounds = []
        for _ in range(1 if quick else 4):
            drag = Drag(leg, joint, study)
            turn_ = np.linspace(0, 2 * np.pi, 61)[1:]
            places = np.array(drag.start) + 8 * np.stack([np.cos(turn_) - 1, np.sin(turn_)], axis=1)
            events, cpu = zip(*(_on_the_clock(drag, place) for place in places), strict=True)
            rounds.append(cpu)
        times = 1e3 * np.min(rounds, axis=0)
        home = max(
            np.abs(np.subtract(events[-1].joints[name], leg.joints[name])).max() for name in leg.joints
        )
        far = max(event.farthest for event in events) / (16 * np.sin(np.pi / 60))
        curves_ = f"curve of {kept[0]}" if kept else "nothing"
        spread = (f"{np.median(times):.1f}", f"{np.percentile(times, 95):.1f}")
        rows.append((joint, curves_, *spread, f"{far:.1f}", f"{home:.0e}"))
    head = (
        "joint",
        "kept",
        "CPU ms, median",
        "CPU ms, 95th of 100",
        "farthest, of the pointer's step",
        "back to, mm",
    )
    yield "## Drags of Jansen's leg\n\n" + table(head, rows)


def _on_the_clock(drag: Drag, place: Floats) -> tuple[Dragged, float]:
    """An event, and the processor's seconds that it takes."""
    begun = process_time()
    return drag.to(place), process_time() - begun


def edits(quick: bool) -> Iterator[str]:
    """Jansen's leg at 100 poses: a joint dragged, and the foot's whole curve reshaped."""
    model = gallery.load("jansen")
    plan = compile_plan(model)
    foot = positions(plan, turn(60)).x[plan.structure.names.index("P5")].T
    wider = foot.mean(axis=0) + (foot - foot.mean(axis=0)) * [1.1, 0.9]
    aside = (foot[20, 0] + 2.0, foot[20, 1] + 1.0)
    studies = {
        "drag the foot at 120°": EditStudy(move=(JointMove(joint="P5", to=aside, at=math.tau / 3),)),
        "stretch its curve by 1.1 x 1": EditStudy(curves=(CurveEdit(point="P5", scale=(1.1, 1.0)),)),
        "follow a curve of 60 points": EditStudy(curves=(CurveEdit(point="P5", follow=_points(wider)),)),
    }
    rows = []
    for name, study in studies.items():
        edit(model, study)
        result, _, cpu = timed(lambda s=study: edit(model, s), 3 if quick else 9)
        before, after = (max(getattr(a, key) for a in result.achieved) for key in ("before", "after"))
        rows.append(
            (
                name,
                f"{1e3 * cpu:.1f}",
                result.steps,
                f"{before:.3g} → {after:.3g}",
                result.status.name.lower(),
            )
        )
    head = ("edit, 100 poses, warm", "CPU ms", "steps", "off by", "status")
    yield "## Edits of Jansen's leg\n\n" + table(head, rows)


def synthesis(quick: bool) -> Iterator[str]:
    """A linkage for a drawn curve: a four-bar's own, and Jansen's foot."""
    targets = {}
    for name, joint in (("hoeken", "P"), ("jansen", "P5")):
        plan = compile_plan(gallery.load(name))
        targets[name] = positions(plan, turn(100)).x[plan.structure.names.index(joint)].T
    path(targets["hoeken"], candidates=2000)
    rows = []
    for name, bars in (("hoeken", "four"), ("jansen", "four"), ("jansen", "both")):
        task = lambda n=name, b=bars: path(targets[n], bars=b, candidates=10_000 if quick else 50_000)  # noqa: E731
        result, wall, cpu = timed(task, 1)
        best = result.answers[0]
        rows.append(
            (
                f"{name}, {bars}",
                seconds(wall),
                seconds(cpu),
                len(result.answers),
                best.kind,
                f"{best.rms:.1e}",
            )
        )
    head = ("curve of, bars", "wall s", "CPU s", "answers", "best", "rms / size")
    yield "## Synthesis of a path of 100 points\n\n" + table(head, rows)


def turn(poses: int) -> Floats:
    """One motor, one turn: (1, F)."""
    return np.arange(poses)[None] * math.tau / poses


def peer_of(plan: RulePlan, steps: int) -> Any:
    """The same linkage in pylinkage, joints in the plan's numbering: cranks, and meetings of two circles."""
    from pylinkage.actuators import Crank
    from pylinkage.components import Ground
    from pylinkage.dyads import RRRDyad
    from pylinkage.simulation import Linkage as Peer

    z = plan.drawn[:, 0] + 1j * plan.drawn[:, 1]
    made: dict[int, Any] = {}
    for rule, k, i, j, *_ in plan.rules:
        x, y = plan.drawn[k].tolist()
        if rule == RuleKind.FIXED:
            made[k] = Ground(x, y)
        elif rule == RuleKind.MOTOR:
            arm = z[k] - z[j]
            made[k] = Crank(made[j], float(abs(arm)), math.tau / steps, float(np.angle(arm)))
        else:
            made[k] = RRRDyad(made[i], made[j], float(abs(z[k] - z[i])), float(abs(z[k] - z[j])), x=x, y=y)
    return Peer([made[k] for k in sorted(made)])


def _exponents(sizes: tuple[int, ...], walls: dict[str, list[float]]) -> list[tuple[str, ...]]:
    """The powers with which times grow, over all sizes and between the last two."""

    def fitted(last: int) -> Iterator[str]:
        for wall in walls.values():
            yield f"{np.polyfit(np.log(sizes[-last:]), np.log(wall[-last:]), 1)[0]:.2f}"

    return [("exponent", *fitted(len(sizes))), ("of the last two", *fitted(2))]


def _differences(peer: Any, poses: int) -> Floats:
    """∂x/∂length by two runs a length."""
    lengths, coordinates = peer.get_constraints(), peer.get_coords()
    slopes = []
    for at, length in enumerate(lengths):
        ends = []
        for sign in (1, -1):
            changed = [*lengths]
            changed[at] = length + sign * 1e-5
            peer.set_completely(changed, coordinates)
            ends.append(peer.step_fast(poses))
        slopes.append((ends[0] - ends[1]) / 2e-5)
    peer.set_completely(lengths, coordinates)
    return np.array(slopes)


def _peer_batch(plan: RulePlan, drawings: Floats) -> tuple[Floats, float]:
    """What pylinkage makes of the same variants (V, F, N, 2), and the seconds it takes, its arrays ready."""
    from pylinkage.population._batch_sim import simulate_batch

    peer = peer_of(plan, 100)
    peer.compile()
    lengths = np.array([_peer_lengths(plan, drawn) for drawn in drawings])
    simulate_batch(peer._solver_data, lengths[:2], drawings[:2], 100)
    return timed(lambda: simulate_batch(peer._solver_data, lengths, drawings, 100), 3)[:2]


def _peer_lengths(plan: RulePlan, drawn: Floats) -> list[float]:
    """What `get_constraints` gives for a drawing: each joint's lengths, in the order of the joints."""
    sources = {
        k: (j,) if rule == RuleKind.MOTOR else (i, j)
        for rule, k, i, j, *_ in plan.rules
        if rule != RuleKind.FIXED
    }
    return [float(np.hypot(*(drawn[k] - drawn[s]))) for k in sorted(sources) for s in sources[k]]


def _variants(plan: RulePlan, count: int) -> Iterator[Floats]:
    """Drawings (v, N, 2) near that of the plan, a block at a time."""
    rng = np.random.default_rng(0)
    for first in range(0, count, BLOCK):
        shape = (min(BLOCK, count - first), *plan.drawn.shape)
        yield plan.drawn + SPREAD * plan.structure.size * rng.standard_normal(shape)


def _extent(_: Floats, points: Floats, reached: NDArray[np.bool_]) -> Floats:
    """The foot's stride, or NaN where the leg does not turn fully."""
    stride = np.ptp(points[:, 0, 0], axis=1)
    return np.where(reached.all(axis=1), stride, np.nan)


def _points(curve: Floats) -> tuple[tuple[float, float], ...]:
    return tuple((x, y) for x, y in curve.tolist())


def _warm(task: Callable[[], Any], repeats: int) -> float:
    """Median wall seconds, once the compiler has done its work."""
    task()
    return timed(task, repeats)[1]


SECTIONS = {
    "jansen": jansen,
    "batch": batch,
    "chains": chains,
    "slots": slots,
    "edits": edits,
    "drags": drags,
    "synthesis": synthesis,
}
