"""Many machines at once, as evolutionary design needs: each relaxed on its own, side by side.

Where all machines share one topology, 64 of them run through every loop together; where each has
its own, they go one by one. Either way a machine's answer is the same in any company and on any
number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.core.loops import run_loops
from pliant.core.threads import in_threads, threads
from pliant.relax.machines.lanes import BatchAnswer, Packed, Reals, UpdateRule, settle
from pliant.relax.machines.population import ETA, BatchResult, Floor, Machines, check_method, drive_shares

LANES_64, ONE_LANE = (0,) * 6, ()  # as many marks as the power of two that a block has of machines: 64, and 1
PIECES = 4  # a thread: more than one, for one thread may be slower than the others
AS_PYTHON = 3e-5  # seconds that a link of one machine takes in an iteration without compiled loops


def relax(
    made: Machines,
    iterations: int,
    *,
    drive: ArrayLike = (1.0,),
    alpha: float | None = None,
    eta: float = ETA,
    least: float = 1e-3,
    cap: float = 0.05,
    floor: Floor | None = None,
    trace: Sequence[int] = (),
    dtype: type[np.float32] | type[np.float64] = np.float64,
) -> BatchResult:
    """Relax every machine, `iterations` at each step of the drive.

    Source: [Lipson2006] eqs 1 to 4 and 6, Fig. 1(b).

    Args:
        made: the machines.
        iterations: at each step of the drive.
        drive: share by which rest lengths have gone to their targets: (C,), (C, L) or (M, C, L).
        alpha: α, safe below 1/√D, and with pseudo-inertia (η < 1) below 1/(η√D); left out, 0.5/η.
        eta: η, of pseudo-inertia; 1: none.
        least: S_min, over the machine's largest stiffness.
        cap: longest step along an axis, over the machine's size.
        floor: that nodes do not go below; None: there is none.
        trace: indices of nodes whose way is kept.
        dtype: of the arithmetic.

    Returns:
        Where each machine came to rest, with what is left of forces and errors.

    Raises:
        PliantError: an option cannot be used.
    """
    alpha = check_method(made, iterations, alpha, eta, least, cap, trace)
    powers, axes = ONE_LANE if made.mixed else LANES_64, made.drawn.shape[2]
    width, real = 1 << len(powers), np.dtype(dtype)
    packed = _pack(made, cap, width, real)
    given = drive_shares(drive, made)
    shares = _blocks(given, width if len(given) > 1 else 1, real)
    traced = np.array(trace, np.int64)
    rule = _rule(real, alpha, eta, least, floor)
    answer = _answer(packed, width, shares.shape[1], len(traced) * axes)

    def piece(ends: tuple[int, int]) -> None:
        settle(packed, rule, shares, traced, iterations, (0,) * axes, powers, *ends, answer)

    blocks = len(packed.drawn)
    pieces = min(PIECES * threads(), blocks)
    with run_loops("relax.machines", AS_PYTHON * packed.rest.size * iterations * shares.shape[1]):
        in_threads(piece, list(pairwise(np.linspace(0, blocks, pieces + 1).astype(int).tolist())))
    return _batch_result(made, answer, width, shares.shape[1], len(traced))


def _pack(made: Machines, cap: float, width: int, real: np.dtype[Any]) -> Packed:
    """Machines in blocks, their forces over their largest stiffness."""
    scale = made.strengths[:, None]

    def block(values: Reals) -> Reals:
        lanes = _blocks(values, width, real)
        return lanes.reshape(len(lanes), -1)

    # Copies in one layout: for any other, numba would compile everything anew.
    links, blocks = made.ends.shape[-2], -(-len(made.drawn) // width)
    return Packed(
        ends=np.array(np.broadcast_to(made.ends, (blocks, links, 2)), np.uint32, order="C"),
        laws=np.array(np.broadcast_to(made.laws, (blocks, links)), np.int64, order="C"),
        drawn=block(made.drawn),
        rest=block(made.rest),
        target=block(made.target),
        stiffness=block(made.stiffness / scale),
        bands=block(made.bands),
        load=block(made.load / scale[..., None]),
        most=block(made.longest_steps(cap)),
    )


def _rule(kind: np.dtype[Any], alpha: float, eta: float, least: float, floor: Floor | None) -> UpdateRule:
    real: Callable[[float], Any] = kind.type
    return UpdateRule(
        push=real(eta * alpha),
        keep=real(1.0 - eta),
        least=real(least),
        friction=real(floor.friction if floor else 0.0),
        floor=floor is not None,
        tiny=real(1e-30),
        zero=real(0.0),
        half=real(0.5),
        one=real(1.0),
    )


def _answer(packed: Packed, width: int, steps: int, traced: int) -> BatchAnswer:
    blocks = len(packed.drawn)
    return BatchAnswer(
        points=np.empty_like(packed.drawn),
        residual=np.empty((blocks, width), packed.drawn.dtype),
        errors=np.empty((blocks, steps * width), packed.drawn.dtype),
        trace=np.empty((blocks, steps * traced * width), packed.drawn.dtype),
    )


def _batch_result(made: Machines, answer: BatchAnswer, width: int, steps: int, traced: int) -> BatchResult:
    count, nodes, axes = made.drawn.shape
    errors = _rows(answer.errors, count, (steps,), width)
    return BatchResult(
        points=_rows(answer.points, count, (nodes, axes), width),
        residual=_rows(answer.residual, count, (), width) * made.strengths.astype(errors.dtype),
        length_error=errors[:, -1],
        errors=errors,
        trace=_rows(answer.trace, count, (steps, traced, axes), width),
        scale=made.scales,
        loaded=made.loaded,
    )


def _blocks(values: Reals, width: int, real: np.dtype[Any]) -> Reals:
    """Rows (M, …) as lanes (B, …, W), the last block filled up with copies of the last row."""
    blocks = -(-len(values) // width)
    filled = values[np.minimum(np.arange(blocks * width), len(values) - 1)]
    lanes = filled.reshape(blocks, width, *values.shape[1:])
    return np.ascontiguousarray(np.moveaxis(lanes, 1, -1), real)


def _rows(lanes: Reals, count: int, shape: tuple[int, ...], width: int) -> Reals:
    """Lanes (B, …·W) as rows (M, *shape)."""
    rows = np.moveaxis(lanes.reshape(len(lanes), *shape, width), -1, 1)
    return rows.reshape(len(lanes) * width, *shape)[:count]
