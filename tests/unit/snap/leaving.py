"""A pawl, or the root, that leaves a seat between obstacles: how a case is written down in these tests."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from pliant.snap.arithmetic.exact import ExactArithmetic
from pliant.snap.arithmetic.numbers import RationalVector
from pliant.snap.generate import ring, vector
from pliant.snap.model import Fastener, Obstacle, Pawl, Root
from pliant.snap.questions.diode.critical_direction import CriticalDirection, exact_change, outcome_change
from pliant.snap.questions.diode.escape import RestPosition, rest_position, try_direction
from pliant.snap.questions.diode.exact_direction import ExactDirection
from pliant.snap.springs.spring import springs_of
from pliant.snap.sweep.plan import PawlPoints, travel_in, united_obstacles

UP = vector(0, 1)


def model_of(pawl: Any, *obstacles: Any, friction: Any = 0, root: Any = None) -> Fastener:
    """A pawl hinged at the origin."""
    return Fastener(
        friction=Fraction(friction),
        root=Root(velocity=vector(0, -1), outline=None if root is None else ring(*root)),
        pawls=(Pawl(name="pawl", hinge=vector(0, 0), outline=ring(*pawl), stiffness=Fraction(100)),),
        obstacles=tuple(Obstacle(outline=ring(*outline)) for outline in obstacles),
    )


def at_rest(model: Fastener, far: Any, arithmetic: Any = None) -> RestPosition:
    """Its seat, with every pawl at rest; out is so far up."""
    arithmetic = arithmetic or ExactArithmetic()
    names = [pawl.name for pawl in model.pawls] + (["root"] if model.root.outline else [])
    point = arithmetic.point(arithmetic.zero, 0, arithmetic.line(arithmetic.scalar(Fraction(0))))
    rest = PawlPoints(dict.fromkeys(names, point))
    return RestPosition(
        model, arithmetic, united_obstacles(model), springs_of(model), rest, vector(0, 0), UP, Fraction(far)
    )


def seated(model: Fastener, arithmetic: Any = None) -> RestPosition:
    """Where its plan takes it."""
    arithmetic, fixed = arithmetic or ExactArithmetic(), united_obstacles(model)
    return rest_position(model, arithmetic, fixed, springs_of(model), travel_in(model, arithmetic, fixed)[-1])


def escapes(start: RestPosition, direction: RationalVector) -> bool:
    return try_direction(start, direction).escapes(start.model.friction)


def change(start: RestPosition, low: tuple[Any, Any], high: tuple[Any, Any]) -> CriticalDirection:
    """Where the outcome changes between two directions that end differently."""
    first, second = (try_direction(start, vector(Fraction(x), Fraction(y))) for x, y in (low, high))
    return outcome_change(start, first, second)[1]


def named(start: RestPosition, entry: CriticalDirection) -> ExactDirection:
    """The same as a number."""
    first, second = (try_direction(start, direction) for direction in entry.between)
    found = exact_change(start, first, second)
    assert found is not None
    return found
