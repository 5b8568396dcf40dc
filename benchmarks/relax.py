"""Mechanisms: chains of Stewart platforms by every method and beside MuJoCo, and how they grow."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from time import process_time
from typing import Any

import numpy as np

from benchmarks import mujoco_peer
from benchmarks.measure import by_turns, seconds, table
from pliant.relax.assemble.build import build
from pliant.relax.generate import stewart, stewart_end
from pliant.relax.mechanics.elongation import errors
from pliant.relax.model import RelaxStudy
from pliant.relax.network.network import Network
from pliant.relax.solve import run
from pliant.relax.solvers.record import Frame, Record, scale

RESIDUAL = 1e-10  # with a stiffness of 1, a length
LENGTH = 1e-6
TURNS = 40  # of what is compared most closely
RIGHT = 1e-3  # how far from the exact pose a node may be in the right assembly
DRIVE = {10: 2500, 20: 10_000}  # iterations of actuation, as the paper has them


def platforms(quick: bool) -> Iterator[str]:
    """S10 and S20 to a residual of 1e-10 by each method: iterations, time, and which assembly."""
    rows: list[tuple[Any, ...]] = []
    for count in (10,) if quick else (10, 20):
        for handed in ("alt", "same"):
            net = build(stewart(count, handed))
            base = 0.0
            for name, study, repeats in _methods(net, count, handed):
                wall, frame, made = _time(net, study, repeats)
                base = base or wall
                off = float(np.abs(frame.x - stewart_end(count, handed)).max())
                rows.append(
                    (f"S{count} {handed}", name, f"{made:,}", seconds(wall), f"{base / wall:,.0f}",
                     f"{frame.residual:.0e}", f"{off:.0e}", "right" if off < RIGHT else "wrong")
                )  # fmt: skip
    head = ("chain", "method", "iterations", "CPU s", "first / this", "residual", "off", "assembly")
    note = (
        "\n\nUp to a residual of 1e-10, stiffness 1. `off` is the largest distance of a coordinate from the "
        "exact pose. The iterations of auto are factorisations. In `alt` every other stage is mirrored; in "
        "`same` the twist adds up, and the paper's 0.002 an iteration lands plain relaxation elsewhere."
    )
    yield "## Chained Stewart platforms by method\n\n" + table(head, rows) + note


def _methods(net: Network, count: int, handed: str) -> Iterator[tuple[str, RelaxStudy, int]]:
    """Plain relaxation first; not for S20 `same`, which takes minutes to another assembly."""
    fine = RESIDUAL / scale(net)
    plain = {"tolerance": fine, "frames": 1, "increments": DRIVE[count], "iterations": 10_000_000}
    if handed == "alt" or count == 10:
        yield "sync, α 0.9", RelaxStudy(method="sync", alpha=0.9, **plain), 1
        yield "async, α 1", RelaxStudy(method="async", alpha=1.0, **plain), 1
    yield "momentum, α 0.55", RelaxStudy(method="momentum", alpha=0.55, tolerance=fine, frames=20), 3
    yield "auto", RelaxStudy(tolerance=fine, frames=1), 20
    yield "auto, 60 frames", RelaxStudy(tolerance=fine, frames=60), 5


def growth(quick: bool) -> Iterator[str]:
    """Auto from S10 to S1000: every length to rounding, and the exponent."""
    rows, sizes, walls = [], [], {"alt": [], "same": []}
    for count in (10, 20, 50, 100) if quick else (10, 20, 50, 100, 200, 500, 1000):
        sizes.append(count)
        for handed in ("alt", "same"):
            net = build(stewart(count, handed))
            wall, frame, made = _time(net, RelaxStudy(frames=1), 9)
            walls[handed].append(wall)
            off = float(np.abs(frame.x - stewart_end(count, handed)).max())
            length = max(float(part.max(initial=0.0)) for part in errors(net, frame.elongations))
            units = length / np.spacing(np.abs(frame.x).max())
            rows.append(
                (f"S{count} {handed}", f"{len(frame.x) * 3:,}", made, f"{1e3 * wall:.3g}", f"{length:.0e}",
                 f"{units:.1f}", f"{off:.0e}", "right" if off < RIGHT else "wrong")
            )  # fmt: skip
    head = (
        "chain", "unknowns", "factorisations", "CPU ms", "length error", "in last places of the coordinates",
        "off", "assembly",
    )  # fmt: skip
    fits = ", ".join(f"{way} {_exponent(sizes, times):.2f}" for way, times in walls.items())
    yield f"## How auto grows\n\n{table(head, rows)}\n\nExponent of the time by platforms: {fits}."


def peers(quick: bool) -> Iterator[str]:
    """Beside MuJoCo's tendons, to a length error of 1e-6 in the right assembly, in each tuning tried.

    By turns in one process, and by its own time: other work on the machine then slows both alike.
    """
    rows, settings = [], {}
    for count in (10,) if quick else (10, 20, 100):
        net = build(stewart(count, "same"))
        study = RelaxStudy(frames=1, tolerance=LENGTH / scale(net) / 10)
        tunings = [one for one in mujoco_peer.TUNINGS if count <= 20 or one is not mujoco_peer.STOCK]
        finer = {one.name: replace(one, increments=100) for one in tunings if count > 20 and not one.plates}
        fields = [_peer(net, finer.get(one.name, one)) for one in tunings]
        settles = [partial(mujoco_peer.settle, field, LENGTH) for field in fields]
        works = [partial(_last, net, study), *settles]
        found = by_turns(works, [TURNS, *(TURNS if one is mujoco_peer.MATCHED else 3 for one in tunings)])
        mine = found[0][1]
        for name, (answer, cpu) in zip(["pliant auto", *(one.name for one in tunings)], found, strict=True):
            off = float(np.abs(answer.x - stewart_end(count)).max())
            right = f"{off:.0e}" if off < RIGHT else f"{off:.0e}, wrong or not settled"
            title = name if name == "pliant auto" else f"MuJoCo, {name}"
            rows.append((f"S{count}", title, f"{1e3 * cpu:.3g}", f"{cpu / mine:.3g}", right))
        settings |= {
            one.name: mujoco_peer.settings(field) for one, field in zip(tunings, fields, strict=True)
        }
    listed = "\n".join(f"- {name}: {text}" for name, text in settings.items())
    head = ("same", "", "CPU ms", "of pliant", "off")
    yield f"## Beside MuJoCo, lengths to 1e-6\n\n{table(head, rows)}\n\nMuJoCo's settings:\n\n{listed}"


def _last(net: Network, study: RelaxStudy) -> Frame:
    record = Record()
    run(net, study, record)
    return record.frames[-1]


def _peer(net: Network, tuning: mujoco_peer.Tuning) -> mujoco_peer.Peer:
    drive = net.drive
    return mujoco_peer.build(net.drawn, net.parts.links.ends, net.free, drive.rest[0], drive.rest[-1], tuning)


def _time(net: Network, study: RelaxStudy, repeats: int) -> tuple[float, Frame, int]:
    """The median CPU seconds of a run of a compiled network, its last frame, and its iterations."""
    warm = study.model_copy(update={"iterations": min(study.iterations, 10)})
    run(net, warm, Record())  # the compiler's work is not the method's
    walls, record = [], Record()
    for _ in range(repeats):
        record = Record()
        started = process_time()
        run(net, study, record)
        walls.append(process_time() - started)
    return float(np.median(walls)), record.frames[-1], record.iterations


def _exponent(sizes: list[int], times: list[float]) -> float:
    return float(np.polyfit([math.log(size) for size in sizes], [math.log(wall) for wall in times], 1)[0])


SECTIONS: dict[str, Callable[[bool], Iterator[str]]] = {
    "platforms": platforms,
    "growth": growth,
    "peers": peers,
}
