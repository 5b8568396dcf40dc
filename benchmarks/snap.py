"""Fasteners: events by exact and float arithmetic, how they grow, and stepping engines beside them."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import shapely

from benchmarks import fasteners, fasteners_mujoco, fasteners_pymunk
from benchmarks.measure import seconds, table, timed
from pliant.snap.arithmetic.exact import ExactArithmetic
from pliant.snap.arithmetic.floating import FloatArithmetic
from pliant.snap.arithmetic.protocol import Arithmetic
from pliant.snap.force.force_curve import ForceCurve, force_curve
from pliant.snap.force.sizing import strains
from pliant.snap.generate import many_features, ratchet, two_hooks
from pliant.snap.model import Fastener, SnapStudy
from pliant.snap.solve import solve
from pliant.snap.springs.spring import springs_of
from pliant.snap.sweep.plan import Course, travel_back, travel_in, united_obstacles

WAYS = (ExactArithmetic(), FloatArithmetic())
BEAM = {"thickness": 2, "width": 8, "material": "PC"}
DISTANT = (10_000, 100_000, 1_000_000)


def events(quick: bool) -> Iterator[str]:
    """The time an event takes at up to some hundred live curves, and at a million pairs of features."""
    sizes = ((2, "two hooks", two_hooks("3/10")), (2, "ratchet, 50 teeth", ratchet(50)))
    rows = [row for repeats, name, model in sizes for row in _rows(name, model, 5 * repeats)]
    for pairs in DISTANT[: 2 if quick else 3]:
        rows += _rows(f"{pairs:,} pairs", many_features(pairs), 3)
    head = ("fastener", "arithmetic", "live curves", "build s", "run s", "events", "ms an event")
    note = (
        "\n\nLive curves are pairs of features within reach at once, at most. The pairs that are added from "
        "row to row are out of reach: what an event takes does not change with them."
    )
    yield "## Events\n\n" + table(head, rows) + note


def _rows(name: str, model: Fastener, repeats: int) -> Iterator[tuple[Any, ...]]:
    for arithmetic in WAYS:
        fixed, build, _ = timed(lambda: united_obstacles(model), 1)
        travel_in(model, arithmetic, fixed)
        courses, wall, _ = timed(lambda a=arithmetic, f=fixed: travel_in(model, a, f), repeats)
        count = happened(courses)
        each = f"{wall / count * 1e3:.2f}"
        yield name, arithmetic.name, live(courses), seconds(build), seconds(wall), count, each


def happened(courses: tuple[Course, ...]) -> int:
    """Events of a run: what is reported, and what ends a piece."""
    paths = [path for course in courses for path in course.paths.values()]
    return sum(len(path.events) + len(path.pieces) for path in paths)


def live(courses: tuple[Course, ...]) -> int:
    """The most pairs of features within reach at once."""
    most = 0
    for course in courses:
        for path in course.paths.values():
            features = 2 * len(path.scene.pawl)
            for t in np.linspace(course.begins, course.ends, 50).tolist():
                most = max(most, features * len(path.scene.index.live(t, t)))
    return most


def growth(quick: bool) -> Iterator[str]:
    """Whole runs of ratchets: the exponent, beside the paper's bound."""
    rows: list[tuple[Any, ...]] = []
    for arithmetic in WAYS:
        sizes, walls = [], []
        for teeth in (10, 30, 100) if quick else (10, 30, 100, 300, 1000):
            model = ratchet(teeth)
            courses, wall, _ = timed(
                lambda a=arithmetic, m=model: travel_in(m, a, united_obstacles(m)), 1 if teeth > 200 else 3
            )
            n = sum(
                len(path.scene.pawl) * len(path.scene.obstacles.points) for path in courses[0].paths.values()
            )
            sizes.append(n)
            walls.append(wall)
            bound = n * math.log2(n) ** 2 / (sizes[0] * math.log2(sizes[0]) ** 2)
            rows.append(
                (arithmetic.name, teeth, f"{n:,}", happened(courses), seconds(wall), f"{wall / walls[0]:.1f}",
                 f"{bound:.1f}")
            )  # fmt: skip
        slope = float(np.polyfit(np.log(sizes), np.log(walls), 1)[0])
        rows.append((arithmetic.name, "exponent", "", "", f"{slope:.2f}", "", ""))
    head = ("arithmetic", "teeth", "pairs n", "events", "wall s", "over the first", "n log² n over the first")
    note = (
        "\n\nThe paper's bound is λ(n) log² n with λ(n) almost n. Free space is not computed beforehand: "
        "only the arc that is followed is, against what is within reach."
    )
    yield "## Growth of a whole run\n\n" + table(head, rows) + note


def designs(quick: bool) -> Iterator[str]:
    """Whole answers to what designers draw: rounded corners, many hooks, and beams that bend."""
    rows: list[tuple[Any, ...]] = []
    for segments in (4, 40, 100):
        model = rounded_hook(segments)
        corners = f"{len(model.pawls[0].outline or ())} + {len(model.obstacles[0].outline or ())} vertices"
        rows += [(f"a rounded hook, {corners}", *_solved(model, way.name)) for way in WAYS]
    for count in (1, 10, 30):
        rows += [(f"{count} hooks in a row, each on a beam", *_solved(hooks_in_a_row(count), "float"))]
    head = ("fastener", "arithmetic", "in and back, CPU s", "events", "peak in N", "peak out N", "strain %")
    note = "\n\nForces, strain and what is said are in the time. Every beam is an elastica at each sample."
    yield "## Whole answers\n\n" + table(head, rows) + note


def _solved(model: Fastener, arithmetic: Any) -> tuple[Any, ...]:
    study = SnapStudy(reverse=True, frames=2, arithmetic=arithmetic)
    solve(model, study)
    result, _, cpu = timed(lambda: solve(model, study), 5)
    strain = max(found.peak for found in strains(model, result.ways).values())
    count = sum(len(way.events) for way in result.ways)
    forces = [f"{way.peak_force:.2f}" for way in result.ways]
    return arithmetic, seconds(cpu), count, *forces, f"{100 * strain:.2f}"


def rounded_hook(segments: int) -> Fastener:
    """A hook and a housing with round corners, each of so many edges a quarter."""
    hook = [(-1, 2.25), (-1, -15), (0, -15), (3, -11), (1, -10.2), (1, 2.25)]
    housing = [(1.2, -12.3), (12, -12.3), (12, 0), (1.2, 0)]
    pawl = {"name": "hook", "hinge": [0, "67/4"], "outline": _rounded(hook, 0.3, segments), "beam": BEAM}
    root = {"velocity": [0, -1], "until": "33/2"}
    stone = {"outline": _rounded(housing, 0.4, segments)}
    return Fastener.model_validate({"friction": "1/5", "root": root, "pawls": [pawl], "obstacles": [stone]})


def _rounded(corners: list[tuple[float, float]], radius: float, segments: int) -> list[list[str]]:
    area = shapely.Polygon(corners)
    for by in (-radius, 2 * radius, -radius):
        area = area.buffer(by, quad_segs=segments)
    return [[f"{x:.4f}", f"{y:.4f}"] for x, y in shapely.get_coordinates(area.exterior)[:-1].tolist()]


def hooks_in_a_row(count: int) -> Fastener:
    """Hooks 20 apart that meet their walls one after another."""
    hook = [[-1, "9/4"], [-1, -15], [0, -15], [3, -11], [1, "-51/5"], [1, "9/4"]]
    pawls = [
        {"name": f"h{k}", "hinge": [20 * k, "67/4"], "outline": hook, "beam": BEAM} for k in range(count)
    ]
    walls = [
        {"outline": [[f"{20 * k + 1.2}", "-12.3"], [20 * k + 12, "-12.3"], [20 * k + 12, f"{-0.01 * k}"],
                     [f"{20 * k + 1.2}", f"{-0.01 * k}"]]}
        for k in range(count)
    ]  # fmt: skip
    root = {"velocity": [0, -1], "until": 17}
    return Fastener.model_validate({"friction": "1/5", "root": root, "pawls": pawls, "obstacles": walls})


def engines(quick: bool) -> Iterator[str]:
    """The two hooks in pymunk and MuJoCo, each as it comes and finer: errors of angle and force, and time."""
    rows: list[tuple[Any, ...]] = []
    notes: list[str] = []
    for friction in ("0", "3/10"):
        model = two_hooks(friction)
        answers = _pliant(model)
        base = answers[FloatArithmetic().name][1]
        for name, (_, wall) in answers.items():
            rows.append(
                (f"μ = {friction}", f"pliant, {name}", "", seconds(wall), f"{wall / base:,.1f}", "0", "0")
            )
        reference = answers[ExactArithmetic().name][0]
        for name, peer in (("pymunk", fasteners_pymunk), ("MuJoCo", fasteners_mujoco)):
            for tuning in peer.TUNINGS[: 1 if quick else None]:
                there, again = peer.run(fasteners.scene_of(model), tuning)
                wall = there.seconds + (again.seconds if again else 0.0)
                angle, force = _errors(there, reference)
                steps = there.steps + (again.steps if again else 0)
                errors = f"{angle:.1e}", f"{force:.1%}"
                peered = f"{name}, {tuning.name}"
                rows.append(
                    (f"μ = {friction}", peered, f"{steps:,}", seconds(wall), f"{wall / base:,.0f}", *errors)
                )
            notes += [f"{peer.settings(tuning)}." for tuning in peer.TUNINGS[: 1 if quick else None]]
    head = ("fastener", "engine", "steps", "wall s", "over pliant, float", "angle error", "peak force error")
    note = (
        "\n\nIn and out. The angle error is the largest in radians, away from snaps; the force error is that "
        "of the peak. " + " ".join(dict.fromkeys(notes))
    )
    yield "## Stepping engines on the same fastener\n\n" + table(head, rows) + note


def _pliant(model: Fastener) -> dict[str, tuple[ForceCurve, float]]:
    """The way in with its forces, and the time of both ways, by arithmetic."""
    found: dict[str, tuple[ForceCurve, float]] = {}
    springs, friction = springs_of(model), float(model.friction)
    fixed = united_obstacles(model)

    def both(arithmetic: Arithmetic) -> ForceCurve:
        there = travel_in(model, arithmetic, fixed)
        again = travel_back(model, arithmetic, fixed, there)
        curves = [force_curve(course, springs, friction, (0.0, 0.0)) for course in (*there, *again)]
        return curves[0]

    for arithmetic in WAYS:
        both(arithmetic)
        curve, wall, _ = timed(lambda a=arithmetic: both(a), 25)
        found[arithmetic.name] = curve, wall
    return found


def _errors(trace: fasteners.Trace, curve: ForceCurve) -> tuple[float, float]:
    """The largest error of the angles, and that of the peak force, of a way in."""
    names = list(curve.angles)
    order = np.argsort(curve.t, kind="stable")
    worst = 0.0
    for column, name in enumerate(names):
        exact = np.interp(trace.t, curve.t[order], curve.angles[name][order])
        worst = max(worst, float(np.abs(trace.angles[:, column] - exact).max()))
    return worst, abs(float(trace.force.max()) - curve.peak) / curve.peak


SECTIONS = {"events": events, "ratchets": growth, "snapfits": designs, "engines": engines}
