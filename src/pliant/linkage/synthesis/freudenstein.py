"""Function generation: a four-bar whose rocker follows its crank as a function says.

With the crank a at angle φ, the rocker c at ψ, the ground d and the coupler b, closing says

    K₁ cos ψ − K₂ cos φ + K₃ = cos(φ − ψ),    K₁ = d/a,  K₂ = d/c,  K₃ = (a² − b² + c² + d²)/2ac,

which is linear in the K: three pairs of angles give them, more give them by least squares.
The equation is Freudenstein's. It does not see on which side the coupler is assembled: a pair
met only by the other side is a finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.errors import PliantError
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.kinematics.poses import openness, positions
from pliant.linkage.model import Linkage

MET = 1e-9  # radians, beyond rounding
RANK = 1e-10
STEPS = 181  # crank angles from the first pair to the last at which closing is checked

AnglePair = tuple[float, float]


@dataclass(frozen=True)
class FunctionGenerator:
    """A four-bar that generates a function, and how well."""

    linkage: Linkage  # A, D on the ground, crank A–B, coupler B–C, rocker C–D; drawn at the first pair
    ratios: tuple[float, float, float]  # K₁, K₂, K₃
    pairs: Floats  # (n, 2) crank and rocker angles that were asked for
    errors: Floats  # (n,) rocker angle reached less that asked for, at each pair
    findings: tuple[str, ...]  # pairs that are not met, and why

    def output(self, angles: Floats, signs: Floats | None = None) -> Floats:
        """Rocker angles at crank angles, both from the ground's direction A–D.

        `signs` are the sides of the plan's triangles; default those of the drawing.
        """
        plan = compile_plan(self.linkage)
        x = positions(plan, np.atleast_1d(angles)[None] - self.pairs[0, 0], signs=signs).x
        names = plan.structure.names
        c, d = x[names.index("C")], x[names.index("D")]
        turned = np.arctan2(c[1] - d[1], c[0] - d[0]) + self._offset
        near = np.interp(angles, *self.pairs[np.argsort(self.pairs[:, 0])].T)
        return near + _wrap_angles(turned - near)

    def structural_error(self, function: Callable[[Floats], Floats], angles: Floats) -> Floats:
        """Rocker angle less what the function of the crank angle says, at crank angles."""
        return self.output(angles) - function(angles)

    @property
    def _offset(self) -> float:
        """A negative K₂ puts the rocker's joint opposite to where its angle points."""
        return 0.0 if self.ratios[1] > 0 else np.pi


def generate(pairs: Sequence[AnglePair], *, ground: float = 1.0, units: str = "mm") -> FunctionGenerator:
    """The four-bar whose crank and rocker take these pairs of angles (φ, ψ): three exactly, more nearly.

    Args:
        pairs: angles φ of the crank and ψ of the rocker from A-D (rad), at least three.
        ground: distance A-D.
        units: of lengths.

    Returns:
        The four-bar, its errors and what was found about it.

    Raises:
        PliantError: fewer than three pairs, or none fits them.
    """
    angles = np.array(pairs, np.float64)
    if angles.ndim != 2 or angles.shape[1] != 2 or len(angles) < 3:
        raise PliantError(f"{angles.shape} is no list of three or more pairs. Give [(φ, ψ), …] in radians.")
    ratios = _ratios(angles)
    linkage = _linkage(ratios, angles, ground, units)
    blank = FunctionGenerator(linkage, ratios, angles, np.zeros(len(angles)), ())
    errors = _wrap_angles(blank.output(angles[:, 0]) - angles[:, 1])
    return FunctionGenerator(linkage, ratios, angles, errors, tuple(_findings(blank, errors)))


def precision_points(
    function: Callable[[Floats], Floats],
    domain: AnglePair,
    crank: AnglePair,
    rocker: AnglePair,
    *,
    count: int = 3,
) -> list[AnglePair]:
    """Pairs of angles for y = f(x), x spaced as the zeros of Chebyshev's polynomial.

    So spaced, the error between the points is about as small as it can be everywhere at once.

    Args:
        function: f, of arrays.
        domain: x at both ends.
        crank: angles of the crank at both ends (rad).
        rocker: angles of the rocker that stand for y at both ends (rad).
        count: of points.

    Returns:
        Angles of crank and rocker (rad) at each point.

    Raises:
        PliantError: fewer than one point, or y is the same at both ends.

    >>> np.round(precision_points(np.square, (0, 1), (0, 1), (0, 1)), 3).tolist()
    [[0.067, 0.004], [0.5, 0.25], [0.933, 0.871]]
    """
    share = 0.5 - 0.5 * np.cos(np.pi * (2 * np.arange(1, count + 1) - 1) / (2 * count))
    low, high = (float(value) for value in function(np.array(domain, np.float64)))
    if low == high:
        raise PliantError(f"the function is {low:g} at both ends of {domain}: its range has no width.")
    rise = (function(domain[0] + share * (domain[1] - domain[0])) - low) / (high - low)
    first, second = (ends[0] + part * (ends[1] - ends[0]) for ends, part in ((crank, share), (rocker, rise)))
    return list(zip(first.tolist(), second.tolist(), strict=True))


def _ratios(angles: Floats) -> tuple[float, float, float]:
    crank, rocker = angles.T
    rows = np.stack([np.cos(rocker), -np.cos(crank), np.ones(len(angles))], axis=1)
    values = np.linalg.svd(rows, compute_uv=False)
    if values[2] <= RANK * values[0]:
        raise PliantError(
            "these pairs of angles do not determine a four-bar: two of them are the same, or all of them "
            "lie on a symmetric pattern. Move one of the angles a little."
        )
    first, second, third = np.linalg.lstsq(rows, np.cos(crank - rocker), rcond=None)[0]
    return float(first), float(second), float(third)


def _linkage(ratios: tuple[float, float, float], angles: Floats, ground: float, units: str) -> Linkage:
    """Lengths may come out negative: that bar points the other way, and its joint is there."""
    if min(abs(ratios[0]), abs(ratios[1])) < RANK:
        raise PliantError("these pairs of angles need an endless bar. Move one of the angles a little.")
    a, c = ground / ratios[0], ground / ratios[1]
    square = a * a + c * c + ground**2 - 2 * a * c * ratios[2]
    if square <= 0:
        raise PliantError(
            f"these pairs of angles need a coupler whose length squared is {square:.4g}: there is none. "
            "Choose other ranges, or turn the rocker the other way."
        )
    places = {
        "A": 0j,
        "D": complex(ground),
        "B": complex(a * np.exp(1j * angles[0, 0])),
        "C": _rocker_joint(complex(a * np.exp(1j * angles[0, 0])), np.sqrt(square), ground, c, angles[0, 1]),
    }
    span = (float(angles[:, 0].min() - angles[0, 0]), float(angles[:, 0].max() - angles[0, 0]))
    return Linkage.model_validate(
        {
            "title": "Function generator",
            "units": units,
            "ground": ("A", "D"),
            "joints": {name: (z.real, z.imag) for name, z in places.items()},
            "links": [{"joints": ("A", "B")}, {"joints": ("B", "C")}, {"joints": ("C", "D")}],
            "motors": [{"joint": "A", "drives": "B", "range": span}],
            "study": {"trace": ["C"]},
        }
    )


def _rocker_joint(b: complex, coupler: float, ground: float, c: float, angle: float) -> complex:
    """Where coupler and rocker meet, on the side nearest the rocker's angle; it need not be at it."""
    base = ground - b
    along = 0.5 + 0.5 * (coupler**2 - c**2) / abs(base) ** 2
    height = (coupler / abs(base)) ** 2 - along**2
    if height <= 0:
        raise PliantError(
            "the four-bar nearest to these pairs of angles does not close at the first of them. Give fewer "
            "pairs, or narrower ranges."
        )
    wanted = ground + c * np.exp(1j * angle)
    sides = (b + complex(along, side * np.sqrt(height)) * base for side in (1.0, -1.0))
    return min(sides, key=lambda z: abs(z - wanted))


def _findings(generator: FunctionGenerator, errors: Floats) -> Iterator[str]:
    """Pairs met only by the other assembly, and crank angles on the way that are not reached."""
    plan = compile_plan(generator.linkage)
    low, high = generator.pairs[:, 0].min(), generator.pairs[:, 0].max()
    poses = positions(plan, np.linspace(low, high, STEPS)[None] - generator.pairs[0, 0])
    gone = np.abs(openness(poses, np.zeros_like(poses.x))[0]).max(axis=0) > 1
    if gone.any():
        at = np.degrees(np.linspace(low, high, STEPS)[gone][0])
        yield f"the crank cannot turn from the first pair to the last: the linkage is locked at {at:.4g} deg"
    other = _wrap_angles(generator.output(generator.pairs[:, 0], -plan.signs) - generator.pairs[:, 1])
    for number, (crank, rocker) in enumerate(np.degrees(generator.pairs).tolist(), 1):
        if abs(errors[number - 1]) > MET and abs(other[number - 1]) < 0.1 * abs(errors[number - 1]):
            pair = f"pair {number} ({crank:.4g}, {rocker:.4g} deg)"
            yield f"{pair} is met only with the coupler on the other side"


def _wrap_angles(angles: Floats) -> Floats:
    """Angles from −π to π."""
    return (angles + np.pi) % (2 * np.pi) - np.pi
