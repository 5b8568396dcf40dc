"""Many machines at once: iterations a second on the processor and on what JAX finds; evolution."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.measure import seconds, table, timed
from pliant.core.errors import PliantError
from pliant.relax.evolve import crawler, straight_line
from pliant.relax.machines import accelerator
from pliant.relax.machines.batch import relax
from pliant.relax.machines.population import Floor, Machines
from pliant.relax.machines.population import machines as made_of

NODES, LINKS = 12, 20
HEAD = ("machines", "iterations", "wall s", "CPU s", "million a second", "million a CPU second")


def machines(quick: bool) -> Iterator[str]:
    """Random machines of 12 joints and 20 links, all of them driven; packing and unpacking included."""
    count, iterations, repeats = 4096, 500 if quick else 2000, 3 if quick else 9
    rows = []
    for axes in (2, 3):
        for mixed, real in ((False, np.float32), (False, np.float64), (True, np.float64)):
            task = partial(relax, some(count, axes, mixed=mixed), iterations, dtype=real)
            rows.append(_row(f"{_kind(mixed, axes)}, {real.__name__}", task, count, iterations, repeats))
    task = partial(relax, some(count, 2, mixed=True, load=(0.0, -1e-3)), iterations, floor=Floor())
    rows.append(_row(f"{_kind(True, 2)}, float64, on a floor", task, count, iterations, repeats))
    head = ("two threads, numba", *HEAD)
    yield "## Machines at once: 12 joints, 20 links\n\n" + table(head, rows)
    yield _on_a_device(quick)


def _on_a_device(quick: bool) -> str:
    try:
        device = accelerator.jax().devices()[0]
    except PliantError as missing:
        return str(missing)
    fast = device.platform != "cpu"
    count, iterations = (2**17, 20_000) if fast else (4096, 100 if quick else 500)
    rows = []
    for axes, mixed in ((2, False), (2, True), (3, False), (3, True)):
        task = partial(accelerator.relax, some(count, axes, mixed=mixed), iterations)
        rows.append(_row(f"{_kind(mixed, axes)}, float32", task, count, iterations, 3))
    head = (f"JAX on {device.device_kind}", *HEAD)
    return table(head, rows)


def evolution(quick: bool) -> Iterator[str]:
    """A straight line and a crawler, from their seeds."""
    rows = []
    seeds = (0,) if quick else (0, 1, 2)
    for seed in seeds:
        best, wall, cpu = timed(partial(straight_line, seed), 1)
        what = f"aspect {best.found['aspect']:.1e} over {best.found['stroke']:.0%} of its size"
        rows.append((f"line, seed {seed}", seconds(wall), seconds(cpu), len(best.design.nodes), what))
    for seed in seeds:
        best, wall, cpu = timed(partial(crawler, seed), 1)
        what = f"{best.found['travel'] / best.found['size']:.2f} of its lengths in {best.cycles - 1} cycles"
        rows.append((f"crawler, seed {seed}", seconds(wall), seconds(cpu), len(best.design.nodes), what))
    yield "## Evolution\n\n" + table(("", "wall s", "CPU s", "joints", "best"), rows)


def some(count: int, axes: int, *, mixed: bool, **more: Any) -> Machines:
    """Random machines with as many joints grounded as there are axes."""
    rng = np.random.default_rng(0)
    pairs = np.array([(a, b) for b in range(NODES) for a in range(b)])
    picked = np.argsort(rng.random((count if mixed else 1, len(pairs))), axis=1)[:, :LINKS]
    ends = pairs[picked] if mixed else pairs[picked[0]]
    drawn, free = rng.random((count, NODES, axes)), np.arange(NODES) >= axes
    rest = made_of(drawn, ends).rest
    return made_of(drawn, ends, target=rest * rng.uniform(0.8, 1.2, rest.shape), free=free, **more)


def _kind(mixed: bool, axes: int) -> str:
    return f"{'mixed topologies' if mixed else 'one topology'}, {axes}D"


def _row(name: str, task: Callable[[], Any], count: int, iterations: int, repeats: int) -> tuple[Any, ...]:
    task()  # the compiler's work is not the method's
    _, wall, cpu = timed(task, repeats)
    million = 1e-6 * count * iterations
    return (
        name,
        count,
        iterations,
        seconds(wall),
        seconds(cpu),
        f"{million / wall:.1f}",
        f"{million / cpu:.1f}",
    )


SECTIONS = {"machines": machines, "evolution": evolution}
