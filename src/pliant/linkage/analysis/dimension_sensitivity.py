"""What a wrong dimension does to the motion: exact slopes, and tolerance bands along a curve.

The dimensions of a linkage (lengths, places of ground pivots, offsets of guides) and the
absolute directions of its motors are as many as its drawn coordinates, and measure them: δℓ = G δx̄.
So a dimension that is off by δℓ_d is the same as a drawing that is off by

    δx̄ = G⁻¹ e_d δℓ_d,    and the linkage then runs off by    δx = (∂x/∂x̄) δx̄

at the same absolute motor angles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pliant.core.arrays import Bools, Floats
from pliant.core.errors import Fault, InputError
from pliant.linkage.kinematics.poses import LinkagePoses, jacobian
from pliant.linkage.structure.rule_plan import STRUTS, LinkageStructure, RulePlan, farthest_pair

THIN = 0.1  # sine at a joint below which its two distances no longer place it well across the bar

MAGNIFIED = (
    1e3  # a dimension whose change shows that many times over: so near to a toggle that first order fails
)

DimensionKind = Literal["x", "y", "length", "along", "across", "direction"]


@dataclass(frozen=True)
class Dimension:
    """A number on the drawing of a part, and the joints it is measured between.

    x, y: of joint k. length: of k and i. along, across: of k in the frame of i towards j.
    direction: of the arm from i to k, that a motor holds.
    """

    name: str  # "B-C", "A.x", "P.offset" (of a guide), "P off B-C" (of a joint in a straight link)
    kind: DimensionKind
    joints: tuple[int, ...]  # k, i, j
    value: float  # as drawn


def dimensions(plan: RulePlan) -> tuple[Dimension, ...]:
    """Every dimension: 2 of a ground pivot, 2m − 3 of a link of m joints, 1 of a slider.

    A link has the distance of its two joints that are farthest apart, and the distances of every
    other joint to those two, or its place along and across their line where it is nearly on it.
    """
    return tuple(_dimensions(plan.structure))


def sensitivities(poses: LinkagePoses, wanted: Sequence[Dimension]) -> Floats:
    """∂x/∂ℓ (D, N, 2, F) of every joint by each dimension, at the same motor angles."""
    structure = poses.plan.structure
    measures = [*_dimensions(structure), *_fixed_dimensions(structure)]
    count = poses.drawn.size
    if len(measures) > count:
        extra = len(measures) - count
        problem = f"the linkage has {extra} equation{'s' * (extra > 1)} more than it needs"
        cure = "Leave out a link that the others do without, or the tolerances"
        raise InputError(
            [Fault("study.tolerance", f"{problem}, so that one wrong length would lock it", cure)]
        )
    rows = np.stack([_slope(measure, poses.drawn) for measure in measures]).reshape(count, count)
    place = {measure.name: n for n, measure in enumerate(measures)}
    right = np.eye(count)[:, [place[one.name] for one in wanted]]
    drawn = np.linalg.solve(rows, right).T.reshape(len(wanted), *poses.drawn.shape)
    with np.errstate(all="ignore"):  # at a toggle there is no Jacobian: `bands` leaves those poses out
        return np.einsum("kcpef,dpe->dkcf", jacobian(poses), drawn, optimize=True)


def tolerances(dimensions: Sequence[Dimension], every: float | None, single: Mapping[str, float]) -> Floats:
    """± of each dimension (D,): its own, or that of all, or 0. A distance may be named either way round."""
    names = {one.name: n for n, one in enumerate(dimensions)}
    out = np.full(len(dimensions), every or 0.0)
    faults: list[Fault] = []
    for name, tolerance in single.items():
        parts = name.split("-")
        turns = ["-".join([*parts[at:], *parts[:at]]) for at in range(len(parts))]
        match = next((turn for turn in turns if turn in names), None)
        if match is None:
            cure = f"The dimensions of this linkage: {', '.join(names)}"
            faults.append(Fault(f"study.tolerances.{name}", "is not measured here", cure))
        else:
            out[names[match]] = tolerance
    if faults:
        raise InputError(faults)
    return out


@dataclass(frozen=True)
class Bands:
    """How far off a curve can be when every dimension is within its tolerance, to first order.

    Tolerances are limits. In the worst case all are at theirs at once. Statistically each is
    centred and independent, with its limits at ±3σ, and so are the bands ±3σ of the curve.
    """

    known: Bools  # (F,) false in a toggle, where first order says nothing and all else is 0
    normals: Floats  # (F, 2) of the curve
    worst: Floats  # (F,) ± along the normal
    statistical: Floats  # (F,) ± along the normal
    worst_along: Floats  # (F,) ± along the curve: how far ahead or behind it can be
    statistical_along: Floats  # (F,) ± along the curve
    worst_any: Floats  # (F,) the farthest in any direction
    statistical_any: Floats  # (F,) 3σ in the direction where that is largest
    parts: Floats  # (D, F) what each dimension has in the worst case along the normal


def bands(v: Floats, a: Floats, slopes: Floats, limits: Floats) -> Bands:
    """Of a point with velocity and acceleration (2, F), sensitivities (D, 2, F), tolerances (D,)."""
    known = np.abs(slopes).max(axis=(0, 1), initial=0.0) < MAGNIFIED
    off = np.where(known, slopes, 0.0) * limits[:, None, None]
    normal = normals(v, a)
    parts = np.abs(np.einsum("dcf,fc->df", off, normal))
    along = np.abs(np.einsum("dcf,fc->df", off, np.stack([normal[:, 1], -normal[:, 0]], axis=1)))
    squares = np.einsum("dcf,def->fce", off, off)
    return Bands(
        known=known,
        normals=normal,
        worst=parts.sum(axis=0),
        statistical=np.sqrt((parts**2).sum(axis=0)),
        worst_along=along.sum(axis=0),
        statistical_along=np.sqrt((along**2).sum(axis=0)),
        worst_any=_largest_deviation(off),
        statistical_any=np.sqrt(np.maximum(np.linalg.eigvalsh(squares)[:, -1], 0.0)),
        parts=parts,
    )


def normals(v: Floats, a: Floats) -> Floats:
    """Unit normals (F, 2) of a curve, on one side of it even through a cusp, where the point turns back."""
    # At a limit rates have no end, and say nothing of where the curve goes.
    v, a = (np.where(np.isfinite(rate).all(axis=0), rate, 0.0) for rate in (v, a))
    speed = np.hypot(*v)
    rests = speed <= 1e-9 * speed.max(initial=0.0)
    along = np.where(rests, a, v)  # a point that starts from rest goes where it is accelerated to
    size = np.hypot(*along)
    unit = np.where(size > 0, along / np.where(size > 0, size, 1.0), np.array([[1.0], [0.0]]))
    normal = np.stack([-unit[1], unit[0]], axis=1)
    turns = np.where((normal[1:] * normal[:-1]).sum(axis=1) < 0, -1.0, 1.0)
    normal[1:] *= np.cumprod(turns)[:, None]
    return normal


def band_outline(points: Floats, normal: Floats, width: Floats, closed: bool) -> Floats:
    """The outline (K, 2) of a band ± `width` (F,) about points (F, 2); closed, a ring with a seam."""
    side = normal * width[:, None]
    borders = [points + side, (points - side)[::-1]]
    if closed:
        borders = [
            np.concatenate([borders[0], borders[0][:1]]),
            np.concatenate([borders[1][-1:], borders[1]]),
        ]
    return np.concatenate(borders)


def _largest_deviation(off: Floats) -> Floats:
    """The largest |Σ ±off_d| (F,) over all signs, of off (D, 2, F).

    The sums fill a polygon whose corners are found by turning round: put every vector into the
    upper half-plane, sort by angle, and change signs one by one.
    """
    up = np.where((off[:, 1] < 0)[:, None], -off, off)
    order = np.argsort(np.arctan2(up[:, 1], up[:, 0]), axis=0)
    up = np.take_along_axis(up, order[:, None], axis=0)
    corners = up.sum(axis=0) - 2 * np.cumsum(up, axis=0)
    return np.hypot(corners[:, 0], corners[:, 1]).max(axis=0, initial=0.0)


def _dimensions(structure: LinkageStructure) -> list[Dimension]:
    names, hidden = structure.names, structure.guide_points
    dimensions = [
        _measure(structure, f"{names[k]}.{axis}", axis, (k,))
        for k in sorted(structure.ground - hidden - structure.duplicates)
        for axis in ("x", "y")
    ]
    for link in structure.links:
        joints = [k for k in link if k not in hidden | structure.duplicates]
        i, j = farthest_pair(structure.drawn, joints)
        dimensions.append(_measure(structure, f"{names[i]}-{names[j]}", "length", (i, j)))
        for k in joints:
            if k not in (i, j):
                dimensions += _position_dimensions(structure, k, i, j)
    often = Counter(k for k, _, _ in structure.sliders)
    for number, (k, a, b) in enumerate(structure.sliders):
        name = f"{names[k]}.offset" if often[k] == 1 else f"{names[k]}.offset of sliders[{number}]"
        dimensions.append(_measure(structure, name, "across", (k, a, b)))
    return dimensions


def _position_dimensions(structure: LinkageStructure, k: int, i: int, j: int) -> list[Dimension]:
    """Two dimensions that place joint k of a link against its joints i and j."""
    names = structure.names
    to_i, to_j = structure.drawn[i] - structure.drawn[k], structure.drawn[j] - structure.drawn[k]
    sine = abs(to_i[0] * to_j[1] - to_i[1] * to_j[0]) / (np.hypot(*to_i) * np.hypot(*to_j))
    if sine >= THIN:
        return [_measure(structure, f"{names[end]}-{names[k]}", "length", (k, end)) for end in (i, j)]
    across = _measure(structure, f"{names[k]} off {names[i]}-{names[j]}", "across", (k, i, j))
    return [_measure(structure, f"{names[i]}-{names[k]}", "along", (k, i, j)), across]


def _fixed_dimensions(structure: LinkageStructure) -> list[Dimension]:
    """What no dimension changes: directions of motors, and guides in the part that carries them."""
    names, hidden = structure.names, structure.guide_points
    held = [
        _measure(structure, f"direction of motors[{motor}]", "direction", structure.motors[motor][::-1])
        for motor in structure.rotary_motors
    ]
    for motor, push in enumerate(structure.pushes):
        if push == STRUTS:
            held.append(_measure(structure, f"length of motors[{motor}]", "length", structure.motors[motor]))
        elif push >= 0:
            held.append(_measure(structure, f"place of motors[{motor}]", "along", structure.sliders[push]))
    for k in sorted(hidden & structure.ground):
        held += [_measure(structure, f"{names[k]}.{axis}", axis, (k,)) for axis in ("x", "y")]
    for k in sorted(structure.duplicates & structure.ground):
        held += [_measure(structure, f"{names[k]}.{axis}", axis, (k,)) for axis in ("x", "y")]
    for link in structure.links:
        i, j = farthest_pair(structure.drawn, [k for k in link if k not in hidden])
        for k in (hidden | structure.duplicates).intersection(link):
            held += [
                _measure(structure, f"{names[k]} {kind}", kind, (k, i, j)) for kind in ("along", "across")
            ]
    return held


def _measure(
    structure: LinkageStructure, name: str, kind: DimensionKind, joints: tuple[int, ...]
) -> Dimension:
    return Dimension(name, kind, joints, _value(kind, joints, structure.drawn))


def _value(kind: DimensionKind, joints: tuple[int, ...], drawn: Floats) -> float:
    k = drawn[joints[0]]
    if kind in ("x", "y"):
        return float(k[0 if kind == "x" else 1])
    arm = k - drawn[joints[1]]
    if kind == "length":
        return float(np.hypot(*arm))
    if kind == "direction":
        return float(np.arctan2(arm[1], arm[0]))
    base = drawn[joints[2]] - drawn[joints[1]]
    e = base / np.hypot(*base)
    return float(e @ arm if kind == "along" else e[0] * arm[1] - e[1] * arm[0])


def _slope(measure: Dimension, drawn: Floats) -> Floats:
    """∂ℓ/∂x̄ (N, 2)."""
    out = np.zeros_like(drawn)
    k, *others = measure.joints
    if measure.kind in ("x", "y"):
        out[k, 0 if measure.kind == "x" else 1] = 1.0
        return out
    i = others[0]
    arm = drawn[k] - drawn[i]
    if measure.kind in ("length", "direction"):
        e = arm / np.hypot(*arm)
        out[k] = e if measure.kind == "length" else np.array([-e[1], e[0]]) / np.hypot(*arm)
        out[i] = -out[k]
        return out
    j = others[1]
    base = drawn[j] - drawn[i]
    e = base / np.hypot(*base)
    n = np.array([-e[1], e[0]])
    out[k] = e if measure.kind == "along" else n
    turn = (
        (n @ arm if measure.kind == "along" else -(e @ arm)) * n / np.hypot(*base)
    )  # the frame turns with j
    out[j] += turn
    out[i] -= out[k] + turn
    return out
