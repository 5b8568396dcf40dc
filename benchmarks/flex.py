"""Flex: whole runs of Table I, one program beside its peers, growth, curved jigsaws."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.measure import peak_memory, seconds, table, timed
from benchmarks.programs import first_program, gurobi, slab, table_program
from pliant.flex.generate.flock import flock, flock_through_door
from pliant.flex.generate.jigsaw import jigsaw
from pliant.flex.generate.table_structures import TABLE, table_structure
from pliant.flex.lp.solvers import solve_program
from pliant.flex.model import Assembly
from pliant.flex.result import FlexResult
from pliant.flex.solve import solve

PEERS = ("piqp", "clarabel", "highs")
ROUND_PROGRAMS = ("select", "program", "sweep", "check")  # phases that select, assemble and judge
DISCS = ((1000, 0.1), (10_000, 0.1), (10_000, 1.0))
SLOW = {"highs": 688, "clarabel": 2497, "piqp": 2497}  # bodies up to which a peer is repeated


def whole_runs(quick: bool) -> Iterator[str]:
    """Table I: rows x columns, steps, seconds and overlap beside the paper's."""
    solve(table_structure(396))  # the compiler's work is not the method's
    rows = []
    for bodies, entry in TABLE.items():
        if quick and bodies > 700:
            continue
        model = table_structure(bodies)
        result, wall, cpu = timed(lambda m=model: solve(m), 5 if bodies < 700 else 3)
        rows.append(
            (
                bodies,
                f"{result.rows} x {result.columns} ({entry.rows} x {entry.columns})",
                f"{result.steps} ({entry.steps})",
                f"{seconds(wall)} ({entry.seconds})",
                seconds(cpu),
                f"{result.objective:.4g} ({result.linear:.4g})",
                f"{result.overlap / result.gap:.2%}",
                f"{result.path_overlap / result.gap:.1%}",
                *_shares(result),
                result.status.name.lower(),
            )
        )
    head = (
        "bodies",
        "rows x columns (paper)",
        "steps (paper)",
        "wall s (paper, Gurobi)",
        "CPU s",
        "reached (linear)",
        "overlap / gap",
        "on the way",
        "selecting",
        "with assembling, judging ways and poses",
        "status",
    )
    yield "## Table I: whole runs, clearance 0.01 of a cell\n\n" + table(head, rows)


def _shares(result: FlexResult) -> tuple[str, str]:
    """Of the time of a solve: what selecting contacts takes, and with it all that is not linear algebra."""
    whole = sum(result.seconds.values())
    around = sum(result.seconds.get(phase, 0.0) for phase in ROUND_PROGRAMS)
    return f"{result.seconds['select'] / whole:.0%}", f"{around / whole:.0%}"


def one_program(quick: bool) -> Iterator[str]:
    """The first program of each structure, solver by solver, in one run."""
    rows = []
    for bodies in TABLE:
        if quick and bodies > 700:
            continue
        program = table_program(bodies)
        times, values = {}, {}
        for name in ("auto", *PEERS):
            repeats = 3 if bodies <= SLOW.get(name, 10**9) else 1
            answer, _, times[name] = timed(_solving(program, name), repeats)
            values[name] = answer.objective if answer.solved else float("nan")
        value, _, gurobi_cpu = timed(lambda p=program: gurobi(p), 3)
        times["gurobi"] = gurobi_cpu if value is not None else None
        spread = np.nanmax(np.abs(np.array(list(values.values())) / values["auto"] - 1))
        ratios = [f"{times[n] / times['auto']:.1f}" if times[n] else "–" for n in (*PEERS, "gurobi")]
        rows.append(
            (bodies, "x".join(map(str, program.shape)), seconds(times["auto"]), *ratios, f"{spread:.0e}")
        )
    head = ("bodies", "rows x columns", "pliant, CPU s", "PIQP", "Clarabel", "HiGHS IPX", "Gurobi", "spread")
    note = "CPU time; peers as ratios to pliant's default; HiGHS is its interior point, crossover off.\n\n"
    yield "## One program beside its peers\n\n" + note + table(head, rows)


def growth(quick: bool) -> Iterator[str]:
    """Compact slabs from 1,000 to 100,000 bodies: the default solver, to a relative gap of 1e-6."""
    sides = (32, 55, 100) if quick else (32, 55, 100, 173, 316)
    rows, sizes, walls = [], [], []
    for side in sides:
        program = first_program(slab(side, side))
        answer, wall, cpu = timed(_solving(program, "auto", 1e-6), 3 if side <= 100 else 1)
        sizes.append(side * side)
        walls.append(wall)
        rows.append(
            (
                side * side,
                "x".join(map(str, program.shape)),
                seconds(wall),
                seconds(cpu),
                answer.iterations,
                f"{answer.relative_gap:.0e}",
                "yes" if answer.solved else answer.message,
                f"{peak_memory():.2f}",
            )
        )
    head = ("bodies", "rows x columns", "wall s", "CPU s", "iterations", "gap", "solved", "peak memory GB")
    exponent = np.polyfit(np.log(sizes), np.log(walls), 1)[0]
    last = np.log(walls[-1] / walls[-2]) / np.log(sizes[-1] / sizes[-2])
    text = f"\n\nGrowth exponent {exponent:.2f} over all sizes, {last:.2f} between the last two."
    yield "## Compact slabs, one program\n\n" + table(head, rows) + text


def jigsaws(quick: bool) -> Iterator[str]:
    """Curved jigsaws of 160 vertices a piece: whole runs."""
    rows = []
    for columns, lines in ((6, 4), (23, 5)) if quick else ((6, 4), (23, 5), (30, 20)):
        model = jigsaw(columns, lines, vertices=160)
        result, wall, cpu = timed(lambda m=model: solve(m), 1)
        rows.append(
            (
                columns * lines,
                f"{result.rows} x {result.columns}",
                result.steps,
                seconds(wall),
                seconds(cpu),
                f"{result.objective:.4g} ({result.linear:.4g})",
                f"{result.overlap / result.gap:.2%}",
                *_shares(result),
                result.status.name.lower(),
            )
        )
    head = (
        "pieces",
        "rows x columns",
        "steps",
        "wall s",
        "CPU s",
        "reached (linear)",
        "overlap / gap",
        "selecting",
        "with assembling, judging ways and poses",
        "status",
    )
    yield "## Curved jigsaws, 160 vertices a piece\n\n" + table(head, rows)


def loose(quick: bool) -> Iterator[str]:
    """Curved drawings with much play: many edges are within reach of every vertex."""
    models = {
        f"115 pieces, gap {gap:g}": jigsaw(23, 5, vertices=160, clearance=gap) for gap in (0.1, 1, 2, 3)
    }
    models |= {f"disc of {count:,} vertices, gap {gap:g}": _disc(count, gap) for count, gap in DISCS}
    rows = []
    for name, model in models.items():
        result, _, cpu = timed(lambda m=model: solve(m), 1 if quick else 3)
        share = result.seconds["select"] / sum(result.seconds.values())
        shape = f"{result.rows} x {result.columns}"
        rows.append((name, shape, result.steps, seconds(cpu), f"{share:.0%}", result.status.name.lower()))
    head = ("drawing", "rows x columns", "steps", "CPU s", "selection", "status")
    yield "## Loose curved drawings\n\n" + table(head, rows)


def flocks(quick: bool) -> Iterator[str]:
    """Flocks that squeeze, and that go through a door: whole runs."""
    solve(flock(310))  # the compiler's work is not the method's
    sizes = ((66, 4.5), (1024, 8.5)) if quick else ((66, 4.5), (1024, 8.5), (10_000, 26.0))
    rows = []
    for robots, door in sizes:
        for what, model in (
            ("squeeze", flock(robots)),
            (f"through {door:g}", flock_through_door(robots, door)),
        ):
            result, wall, cpu = timed(lambda m=model: solve(m), 1 if robots > 2000 else 3)
            shape = f"{result.rows} x {result.columns}"
            ended = f"{result.path_overlap:.1e}", result.status.name.lower(), f"{peak_memory():.2f}"
            rows.append((robots, what, shape, result.steps, seconds(wall), seconds(cpu), *ended))
    head = (
        "robots",
        "what",
        "rows x columns",
        "steps",
        "wall s",
        "CPU s",
        "overlap",
        "status",
        "peak memory GB",
    )
    yield "## Flocks\n\n" + table(head, rows)


def _disc(count: int, gap: float) -> Assembly:
    """A disc in a hole that is larger by a gap all round, both of as many vertices."""
    angle = 2 * np.pi * np.arange(count) / count
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    frame = {"name": "frame", "outline": [[-20, -20], [20, -20], [20, 20], [-20, 20]], "fixed": True}
    hole, disc = ((10 + gap) * ring).tolist(), (10 * ring).tolist()
    study = {"maximize": [{"body": "disc", "direction": [0, 1]}]}
    bodies = [{**frame, "holes": [hole]}, {"name": "disc", "outline": disc}]
    return Assembly.model_validate({"bodies": bodies, "study": study})


def _solving(program: Any, solver: str, tolerance: float = 1e-7) -> Callable[[], Any]:
    return lambda: solve_program(program, solver, tolerance)


SECTIONS = {
    "runs": whole_runs,
    "program": one_program,
    "growth": growth,
    "jigsaws": jigsaws,
    "loose": loose,
    "flocks": flocks,
}
