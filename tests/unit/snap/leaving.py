"""A pawl, or the root, that leaves a seat between obstacles: how a case is written down in these tests."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from pliant.snap.arithmetic.exact import Exactly
from pliant.snap.generate import ring, vector
from pliant.snap.model import Fastener, Obstacle, Pawl, Root
from pliant.snap.questions.diode.critical_direction import Critical, boundary, exactly
from pliant.snap.questions.diode.escape import Seat, attempt, seat
from pliant.snap.questions.diode.exact_direction import Bearing
from pliant.snap.springs.spring import springs_of
from pliant.snap.sweep.plan import Stance, Vector, around, travel

UP = vector(0, 1)


def model_of(pawl: Any, *obstacles: Any, friction: Any = 0, root: Any = None) -> Fastener:
    """A pawl hinged at the origin."""
    return Fastener(
        friction=Fraction(friction),
        root=Root(velocity=vector(0, -1), outline=None if root is None else ring(*root)),
        pawls=(Pawl(name="pawl", hinge=vector(0, 0), outline=ring(*pawl), stiffness=Fraction(100)),),
        obstacles=tuple(Obstacle(outline=ring(*outline)) for outline in obstacles),
    )


def at_rest(model: Fastener, far: Any, arithmetic: Any = None) -> Seat:
    """Its seat, with every pawl at rest; out is so far up."""
    arithmetic = arithmetic or Exactly()
    names = [pawl.name for pawl in model.pawls] + (["root"] if model.root.outline else [])
    point = arithmetic.point(arithmetic.zero, 0, arithmetic.line(arithmetic.scalar(Fraction(0))))
    rest = Stance(dict.fromkeys(names, point))
    return Seat(model, arithmetic, around(model), springs_of(model), rest, vector(0, 0), UP, Fraction(far))


def seated(model: Fastener, arithmetic: Any = None) -> Seat:
    """Where its plan takes it."""
    arithmetic, fixed = arithmetic or Exactly(), around(model)
    return seat(model, arithmetic, fixed, springs_of(model), travel(model, arithmetic, fixed)[-1])


def escapes(start: Seat, direction: Vector) -> bool:
    return attempt(start, direction).escapes(start.model.friction)


def change(start: Seat, low: tuple[Any, Any], high: tuple[Any, Any]) -> Critical:
    """Where the outcome changes between two directions that end differently."""
    first, second = (attempt(start, vector(Fraction(x), Fraction(y))) for x, y in (low, high))
    return boundary(start, first, second)[1]


def named(start: Seat, entry: Critical) -> Bearing:
    """The same as a number."""
    first, second = (attempt(start, direction) for direction in entry.between)
    found = exactly(start, first, second)
    assert found is not None
    return found
