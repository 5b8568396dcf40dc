"""The loops of a batch as one program for an accelerator, or for whatever device JAX finds.

It is the synchronous method of `lanes`, in float32 and with machines along the last axis. JAX
comes with the extra `gpu` and is imported when first needed.

Where all machines share a topology, the program is written out link by link and node by node: the
compiler then makes one pass over memory of an iteration, which is several times as fast as the
gathers and sums of machines that have links of their own. What follows is one text for both: a
*group* is a node or a link with M values of a quantity, or all nodes (J, M) or links (L, M).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pliant.core.errors import PliantError
from pliant.relax.machines.population import ETA, BatchResult, Floor, Machines, check_method, drive_shares
from pliant.relax.network.laws import BAR, STRING

Array = Any  # of JAX
Axes = list[Array]  # an array for each axis
AxisGroups = list[Axes]

TINY = 1e-30  # added to l²: coincident nodes have a finite 1/l, and no force


class DeviceProgram(NamedTuple):
    """What the program is written out for."""

    pairs: tuple[tuple[int, int], ...] | None  # ends of the links; None where machines have their own
    laws: tuple[int, ...] | None
    traced: tuple[int, ...]


class DeviceArrays(NamedTuple):
    """Machines as arrays in float32, forces over the largest stiffness of each."""

    ends: Array  # (2, L, M); None where all have the same
    laws: Array  # (L, M); None where all have the same, or only bars
    drawn: Array  # (J, D, M)
    rest: Array  # (L, M)
    target: Array  # (L, M)
    stiffness: Array  # (L, M)
    bands: Array  # (L, M)
    load: Array  # (J, D, M)
    most: Array  # (J, M) longest step; 0: grounded


class DeviceRule(NamedTuple):
    """The numbers of the method."""

    push: float  # ηα
    keep: float  # 1 − η
    least: float  # S_min
    friction: float | None  # None: there is no floor


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
) -> BatchResult:
    """Relax every machine, as `batch.relax` does in float32, on JAX's default device.

    Source: [Lipson2006] eqs 1 to 4 and 6, Fig. 1(b).

    Args:
        made: the machines.
        iterations: at each step of the drive.
        drive: as for `batch.relax`, and so are the others.
        alpha: α; left out, 0.5/η.
        eta: η, of pseudo-inertia; 1: none.
        least: S_min, over the machine's largest stiffness.
        cap: longest step along an axis, over the machine's size.
        floor: that nodes do not go below; None: there is none.
        trace: indices of nodes whose way is kept.

    Returns:
        Where each machine came to rest, with what is left of forces and errors.

    Raises:
        PliantError: JAX is not installed, or an option cannot be used.
    """
    alpha = check_method(made, iterations, alpha, eta, least, cap, trace)
    shares = np.moveaxis(drive_shares(drive, made), 0, -1).astype(np.float32)  # (C, 1 or L, 1 or M)
    rule = DeviceRule(eta * alpha, 1.0 - eta, least, floor.friction if floor else None)
    plan = DeviceProgram(None, None, tuple(trace))
    if not made.mixed:
        pairs = tuple((a, b) for a, b in made.ends.tolist())
        plan = DeviceProgram(pairs, tuple(made.laws.tolist()), tuple(trace))
    answer = _program()(plan, _parts(made, cap), rule, shares, iterations)
    points, residual, errors, traced = (np.moveaxis(np.asarray(values), -1, 0) for values in answer)
    return BatchResult(
        points=points,
        residual=residual * made.strengths.astype(np.float32),
        length_error=errors[:, -1],
        errors=errors,
        trace=traced,
        scale=made.scales,
        loaded=made.loaded,
    )


def jax() -> Any:
    """The library, or how to get it."""
    try:
        return import_module("jax")
    except ImportError as missing:
        raise PliantError(
            'An accelerator needs JAX, which is not installed: pip install "pliant[gpu]".'
        ) from missing


@cache
def _program() -> Any:
    return jax().jit(_run, static_argnums=0)


def _parts(made: Machines, cap: float) -> DeviceArrays:
    scale = made.strengths[:, None]

    def last(values: Any) -> Any:
        return np.moveaxis(values, 0, -1).astype(np.float32)

    return DeviceArrays(
        ends=np.moveaxis(made.ends, 0, -1).swapaxes(0, 1) if made.mixed else None,
        laws=made.laws.T if made.mixed and (made.laws != BAR).any() else None,
        drawn=last(made.drawn),
        rest=last(made.rest),
        target=last(made.target),
        stiffness=last(made.stiffness / scale),
        bands=last(made.bands),
        load=last(made.load / scale[..., None]),
        most=last(made.longest_steps(cap)),
    )


def _run(
    plan: DeviceProgram, parts: DeviceArrays, rule: DeviceRule, shares: Array, iterations: int
) -> tuple[Array, ...]:
    """Points (J, D, M), residuals (M,), length errors (C, M) and traces (C, T, D, M)."""
    lax, jnp = jax().lax, jax().numpy

    def at_share(state: tuple[AxisGroups, AxisGroups], share: Array) -> tuple[Any, Any]:
        now = parts._replace(rest=parts.rest + share * (parts.target - parts.rest))
        state = lax.fori_loop(0, iterations, lambda _, s: _iterate(plan, now, rule, *s), state)
        traced = _ungroup(plan, state[0])[np.array(plan.traced, np.int64)]
        return state, (_residual(plan, now, rule, *state), _error(plan, now, state[0]), traced)

    start = _groups(plan, parts.drawn), _groups(plan, jnp.zeros_like(parts.drawn))
    (x, _), (residual, errors, traced) = lax.scan(at_share, start, shares)
    return _ungroup(plan, x), residual[-1], errors, traced


def _groups(plan: DeviceProgram, values: Array) -> AxisGroups:
    """Nodes (J, D, M) in groups."""
    axes = range(values.shape[1])
    if plan.pairs is None:
        return [[values[:, d] for d in axes]]
    return [[node[d] for d in axes] for node in values]


def _ungroup(plan: DeviceProgram, groups: AxisGroups) -> Array:
    """Nodes (J, D, M) from groups."""
    jnp = jax().numpy
    return jnp.stack(groups[0], 1) if plan.pairs is None else jnp.stack([jnp.stack(axes) for axes in groups])


def _iterate(
    plan: DeviceProgram, parts: DeviceArrays, rule: DeviceRule, x: AxisGroups, step: AxisGroups
) -> tuple[AxisGroups, AxisGroups]:
    """Where the nodes are after an iteration, and their steps Δ = ηα R/S + (1 − η)Δ.

    Source: [Lipson2006] eqs 2 to 4 and 6.
    """
    jnp = jax().numpy
    moved: AxisGroups = []
    steps: AxisGroups = []
    totals, most = _totals(plan, parts, x), _rows(plan, parts.most)
    for here, last, (force, stiff), far in zip(x, step, totals, most, strict=True):
        force, last = _remove_floor_forces(rule, here, last, force)  # noqa: PLW2901
        by = [
            rule.push * f / jnp.maximum(s, rule.least) + rule.keep * d
            for f, s, d in zip(force, stiff, last, strict=True)
        ]
        by = [jnp.where(b < far, b, far) for b in by]  # also where it is no number: forces beyond all bounds
        by = [jnp.where(b > -far, b, -far) for b in by]
        there = [p + b for p, b in zip(here, by, strict=True)]
        if rule.friction is not None:
            there[-1] = jnp.maximum(there[-1], 0.0)
        moved.append(there)
        steps.append(by)
    return moved, steps


def _remove_floor_forces(rule: DeviceRule, x: Axes, step: Axes, force: Axes) -> tuple[Axes, Axes]:
    """Forces and steps without what the floor holds; see `lanes`.

    Source: [Lipson2006] Table 2, "Static Friction".
    """
    if rule.friction is None:
        return force, step
    jnp = jax().numpy
    stands = (x[-1] <= 0.0) & (force[-1] < 0.0)
    parallel, held = jnp.sqrt(sum(f * f for f in force[:-1])), -rule.friction * force[-1]
    left = jnp.where(stands, jnp.where(parallel > held, 1.0 - held / parallel, 0.0), 1.0)
    ups = [jnp.where(stands, 0.0, values[-1]) for values in (force, step)]
    return [*(left * f for f in force[:-1]), ups[0]], [*(left * s for s in step[:-1]), ups[1]]


def _totals(plan: DeviceProgram, parts: DeviceArrays, x: AxisGroups) -> list[tuple[Axes, Axes]]:
    """R and S of every group of nodes.

    Source: [Lipson2006] eqs 1 and 2.
    """
    jnp = jax().numpy
    pulls = _pulls(plan, parts, x)
    if plan.pairs is None:
        ((force, stiff),), (first, second) = pulls, parts.ends[:, :, None]
        axes, rows = np.arange(2 * len(force))[:, None], jnp.arange(first.shape[2])
        sums = jnp.concatenate([parts.load, jnp.zeros_like(parts.load)], 1)
        sums = sums.at[first, axes, rows].add(jnp.stack([*force, *stiff], 1))
        sums = sums.at[second, axes, rows].add(jnp.stack([*(-f for f in force), *stiff], 1))
        each = [sums[:, d] for d in range(2 * len(force))]
        return [(each[: len(force)], each[len(force) :])]
    load = _groups(plan, parts.load)
    totals = [(list(axes), [jnp.zeros_like(f) for f in axes]) for axes in load]
    for (a, b), (force, stiff) in zip(plan.pairs, pulls, strict=True):
        for d, (f, s) in enumerate(zip(force, stiff, strict=True)):
            totals[a][0][d] += f
            totals[b][0][d] -= f
            totals[a][1][d] += s
            totals[b][1][d] += s
    return totals


def _pulls(plan: DeviceProgram, parts: DeviceArrays, x: AxisGroups) -> list[tuple[Axes, Axes]]:
    """What every group of links adds to R of its first ends, and to S of both; see `lanes`."""
    jnp = jax().numpy
    pulls: list[tuple[Axes, Axes]] = []
    for e, law, k, rest, band in _links(plan, parts, x):
        square = sum(p * p for p in e) + TINY
        near = jax().lax.rsqrt(square)
        c, t = _law(law, k, band, square * near - rest, k - k * rest * near, near)
        g = jnp.maximum(c, 0.0)
        s = jnp.maximum(t - g, 0.0) * near
        pulls.append(([c * p for p in e], [s * jnp.abs(p) + g for p in e]))
    return pulls


def _law(law: Array | int, k: Array, a: Array, over: Array, bar: Array, near: Array) -> tuple[Array, Array]:
    """A link's f/l and df/dl: `bar` and k of a bar, or those of a string or bumper."""
    if isinstance(law, int) and law == BAR:
        return bar, k
    jnp = jax().numpy
    e = jnp.where(law == STRING, over, -over)
    u = jnp.clip(e + a, 0.0, 2.0 * a)
    t = k * u / (2.0 * a)
    f = 0.5 * t * u + k * jnp.maximum(e - a, 0.0)
    c = jnp.where(law == STRING, f, -f) * near
    return jnp.where(law == BAR, bar, c), jnp.where(law == BAR, k, t)


def _residual(
    plan: DeviceProgram, parts: DeviceArrays, rule: DeviceRule, x: AxisGroups, step: AxisGroups
) -> Array:
    """The largest |R| of the free nodes (M,)."""
    jnp = jax().numpy
    sizes: list[Array] = []
    for here, last, (force, _), far in zip(
        x, step, _totals(plan, parts, x), _rows(plan, parts.most), strict=True
    ):
        left, _ = _remove_floor_forces(rule, here, last, force)
        size = jnp.where(far > 0.0, jnp.sqrt(sum(f * f for f in left)), 0.0)
        sizes.append(jnp.where(jnp.isnan(size), jnp.inf, size))
    return jnp.vstack(sizes).max(axis=0)


def _error(plan: DeviceProgram, parts: DeviceArrays, x: AxisGroups) -> Array:
    """The largest length error of the links (M,); a string is never too short, nor a bumper too long."""
    jnp = jax().numpy
    errors: list[Array] = [jnp.zeros(parts.most.shape[1], parts.most.dtype)]
    for e, law, k, rest, _ in _links(plan, parts, x):
        over = jnp.sqrt(sum(p * p for p in e)) - rest
        one_way = jnp.maximum(jnp.where(law == STRING, over, -over), 0.0)
        errors.append(jnp.where(k > 0.0, jnp.where(law == BAR, jnp.abs(over), one_way), 0.0))
    return jnp.vstack(errors).max(axis=0)


def _links(
    plan: DeviceProgram, parts: DeviceArrays, x: AxisGroups
) -> list[tuple[Axes, Array | int, Array, Array, Array]]:
    """Of every group of links: from end to end, law, stiffness, rest length, band."""
    rest = parts.stiffness, parts.rest, parts.bands
    if plan.pairs is None or plan.laws is None:
        first, second = (
            jax().numpy.take_along_axis(_ungroup(plan, x), end[:, None], 0) for end in parts.ends
        )
        e = [second[:, d] - first[:, d] for d in range(len(x[0]))]
        return [(e, BAR if parts.laws is None else parts.laws, *rest)]
    spans = [[q - p for p, q in zip(x[a], x[b], strict=True)] for a, b in plan.pairs]
    return list(zip(spans, plan.laws, *rest, strict=True))


def _rows(plan: DeviceProgram, values: Array) -> list[Array]:
    """Values of nodes (J, M) in groups."""
    return [values] if plan.pairs is None else list(values)
