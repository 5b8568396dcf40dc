"""Cognates: the two other four-bars that trace the same coupler curve.

With ground A and D, coupler joints B and C, the point P and γ = (P − B)/(C − B), the third
ground joint is E = A + γ(D − A). As complex numbers, at every pose:

    left cognate    A – B′ – C′ – E    B′ = A + P − B,   C′ = B′ + γ(B − A)
    right cognate   D – B″ – C″ – E    B″ = D + P − C,   C″ = B″ + (1 − γ)(C − D)

The bars of the left one turn as the coupler (A B′), the crank (B′ C′) and the rocker (C′ E);
those of the right one as the coupler (D B″), the rocker (B″ C″) and the crank (C″ E). So a
crank that turns fully at A turns fully at E in the right cognate, through the same angles.

The theorem is Roberts's and Chebyshev's.
"""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Complex
from pliant.core.errors import PliantError
from pliant.linkage.model import Linkage


def cognates(model: Linkage, point: str | None = None) -> tuple[Linkage, Linkage]:
    """The left and the right cognate of a four-bar with its motor at A; their P traces what `point` does.

    The left one's motor is at A and turns as the given coupler does; the right one's is at E
    and turns as the given motor does, through the same angles.

    Args:
        model: a four-bar with a coupler point.
        point: name of that joint; left out, the only one.

    Returns:
        The left one, the right one.

    Raises:
        PliantError: it is no such four-bar, or has no such point.
    """
    names = _names(model, point)
    left, right = cognate_joints(np.array([complex(*model.joints[name]) for name in names]))
    motor = model.motors[0].model_dump(exclude={"joint", "drives"}, exclude_unset=True)
    return (
        _linkage(left, ("A", "E"), {"joint": "A", "drives": "B"}, model.units),
        _linkage(right, ("D", "E"), {"joint": "E", "drives": "C", **motor}, model.units),
    )


def cognate_joints(joints: Complex) -> tuple[Complex, Complex]:
    """The joints of both cognates, (5,) each, from those of a four-bar: ground, B, C, ground, P."""
    a, b, c, d, p = joints
    shape = (p - b) / (c - b)
    e = a + shape * (d - a)
    left = a + p - b
    right = d + p - c
    return (
        np.array([a, left, left + shape * (b - a), e, p]),
        np.array([d, right, right + (1 - shape) * (c - d), e, p]),
    )


def _linkage(joints: Complex, ground: tuple[str, str], motor: dict[str, str], units: str) -> Linkage:
    first, last = ground
    places = dict(zip((first, "B", "C", last, "P"), joints, strict=True))
    return Linkage.model_validate(
        {
            "title": f"Cognate of ground {first} and {last}",
            "units": units,
            "ground": ground,
            "joints": {name: (float(z.real), float(z.imag)) for name, z in places.items()},
            "links": [{"joints": (first, "B")}, {"joints": ("B", "C", "P")}, {"joints": ("C", last)}],
            "motors": [motor],
            "study": {"trace": ["P"]},
        }
    )


def _names(model: Linkage, point: str | None) -> tuple[str, str, str, str, str]:
    """The joints that are A, B, C, D and P, or an error that says why there are none."""
    ground = set(model.ground)
    moving = [set(link.joints) for link in model.links if not set(link.joints) <= ground]
    couplers = [link for link in moving if not link & ground]
    arms = [link for link in moving if len(link & ground) == 1]
    if model.sliders or len(moving) != 3 or len(couplers) != 1 or len(arms) != 2 or len(model.motors) != 1:
        raise PliantError(
            f"this linkage of {len(moving)} moving links is no four-bar. Cognates are known of four-bars: a "
            "crank and a rocker on the ground, and a coupler with a traced point between them."
        )
    (coupler,) = couplers
    arms.sort(key=lambda link: model.motors[0].joint not in link)
    ends = [link & coupler for link in arms]
    free = sorted(coupler - set().union(*ends))
    chosen = point or next((name for name in model.study.trace if name in free), free[0] if free else None)
    if any(len(end) != 1 for end in ends) or chosen not in free:
        known = ", ".join(free) or "none"
        raise PliantError(
            f"{chosen or 'the coupler'}: cognates need a point of the coupler beside its two joints. "
            f"Such points of this linkage: {known}."
        )
    a, d = (next(iter(link & ground)) for link in arms)
    b, c = (next(iter(end)) for end in ends)
    return a, b, c, d, chosen
