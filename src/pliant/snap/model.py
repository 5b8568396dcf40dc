"""What the user writes: a fastener of pawls on a root, what it meets, and how it is moved.

These frozen classes are the schema of `kind = "fastener"` files. Numbers that the motion depends
on are kept as exact fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator as After
from pydantic import Field, model_validator
from pydantic.functional_validators import ModelWrapValidatorHandler

from pliant.core.model import Document, Flag, Frozen, Name, Positive, WholeStudy, check_with_references, fault
from pliant.core.quantity import AMOUNTS, COORDINATES, IN_RANGE
from pliant.core.quantity import Exact as Rational
from pliant.snap.arithmetic.half_angle import NONE, HalfAngleOf
from pliant.snap.faults import outline_fault, reference_faults
from pliant.snap.handbook.materials import SECANT

DIGITS = 100  # above and below the line of an exact number


def _short_fraction(value: Fraction) -> Fraction:
    if max(abs(value.numerator), value.denominator) >= 10**DIGITS:
        raise fault(f"has more than {DIGITS} digits as a fraction", "Round it, or choose another unit")
    return value


Short = Annotated[Rational, After(_short_fraction)]
ExactNumber = Annotated[Short, IN_RANGE]
ExactCoordinate = Annotated[Short, COORDINATES]
ExactVector = tuple[ExactCoordinate, ExactCoordinate]


def _ring(points: tuple[ExactVector, ...]) -> tuple[ExactVector, ...]:
    ring = points[:-1] if len(points) > 1 and points[0] == points[-1] else points
    if problem := outline_fault(ring):
        raise fault(problem, "List the corners in order around the part, each once")
    return ring


def _moves(velocity: ExactVector) -> ExactVector:
    if velocity == (0, 0):
        raise fault("is (0, 0): the root would not move", "Give a velocity such as [0, -1]")
    return velocity


def _points(vector: ExactVector) -> ExactVector:
    if vector == (0, 0):
        raise fault("is (0, 0), which points nowhere", "Give a direction such as [1, 0]")
    return vector


ExactOutline = Annotated[tuple[ExactVector, ...], After(_ring)]
Velocity = Annotated[tuple[ExactNumber, ExactNumber], After(_moves)]  # of whatever unit of time
NonzeroVector = Annotated[ExactVector, After(_points)]
OffsetRegion = Annotated[tuple[ExactVector, ...], Field(min_length=1, max_length=1000)]
ExactPositive = Annotated[Short, Field(gt=0), AMOUNTS]
ExactNotNegative = Annotated[Short, Field(ge=0), AMOUNTS]


class Leg(Frozen):
    """A straight piece of the plan: the root translates by velocity · until."""

    velocity: Velocity = Field(description="of the root")
    until: ExactPositive = Field(description="time for which it moves so")


class Root(Frozen):
    """What carries the hinges, and how it is moved: without `until`, until it is past everything."""

    velocity: Velocity | None = Field(None, description="of the root, where there is no plan")
    until: ExactPositive | None = Field(
        None, description="time for which it moves; default until it is past every obstacle"
    )
    plan: tuple[Leg, ...] | None = Field(
        default=None, min_length=1, max_length=1000, description="legs, one after another"
    )
    outline: ExactOutline | None = Field(None, description="in the world, at the start")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.velocity is None) == (self.plan is None):
            raise fault("needs one of velocity and plan", "Give velocity = [0, -1], or a plan of legs")
        if self.plan is not None and self.until is not None:
            raise fault("has until beside a plan", "Give `until` in each leg")
        return self


BeamDimension = Annotated[Positive, Field(ge=1e-9, le=1e9)]


SecantPoint = tuple[Annotated[Positive, Field(le=1)], Annotated[Positive, Field(le=1e18)]]
SecantPoints = Annotated[tuple[SecantPoint, ...], Field(min_length=1, max_length=4)]


class Beam(Frozen):
    """A cantilever that bends in place of a hinge: its section, material, and what it may be strained to."""

    length: BeamDimension | None = Field(None, description="from its root to its nose; default as drawn")
    thickness: BeamDimension = Field(description="at the root, in the plane of the drawing")
    width: BeamDimension = Field(description="at the root")
    tip_thickness: BeamDimension | None = Field(None, description="at the nose; default as at the root")
    tip_width: BeamDimension | None = Field(None, description="at the nose; default as at the root")
    material: Name | None = Field(None, description="of the table in `pliant.snap.handbook.materials`")
    modulus: Annotated[Positive, Field(le=1e18)] | None = Field(
        None, description="N/unit² at small strains; default the material's"
    )
    secant: Flag | SecantPoints = Field(
        False, description="strains and the secant modulus at each, or true: the material's"
    )
    magnification: Annotated[float, Field(ge=1, le=100)] = Field(
        1.0, description="Q: how much further the base lets it go"
    )
    strain_limit: Positive | None = Field(None, description="default the material's")
    hinge: Literal["pseudo-rigid", "root"] = Field(
        "pseudo-rigid", description="0.15 of the length from the root, or there"
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.material is None and self.modulus is None:
            raise fault("has neither material nor modulus", 'Give material = "POM", or modulus = 2800')
        if self.secant is True and (self.material not in SECANT or self.modulus is not None):
            known = ", ".join(SECANT)
            raise fault(
                "asks for the secant modulus of its material, and the table has none",
                f"Give secant = [[0.02, 1800]], strains and the modulus at each; the table has: {known}",
            )
        strains = () if isinstance(self.secant, bool) else [strain for strain, _ in self.secant]
        if any(one >= other for one, other in pairwise(strains)):
            raise fault("has secant moduli whose strains do not rise", "List them by rising strain")
        return self


class Pawl(Frozen):
    """A rigid part on a torsional spring, drawn in its hinge's frame."""

    name: Name = Field(description="by which parameters and results name it")
    hinge: ExactVector = Field(description="in the world, at the start")
    outline: ExactOutline | None = Field(None, description="about the hinge, its corners in order")
    shape: Name | None = Field(None, description="name of one of [shapes], instead of an outline")
    stiffness: ExactNotNegative | None = Field(None, description="N·unit/rad")
    beam: Beam | None = Field(None, description="instead of stiffness")
    rest: HalfAngleOf = Field(NONE, description="by which the outline is turned where the spring rests")
    preload: ExactNumber = Field(
        Fraction(0), description="torque at rest, against a stop there; positive pushes counter-clockwise"
    )
    stops: tuple[HalfAngleOf, HalfAngleOf] | None = Field(
        None, description="from rest: how far it can turn either way"
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.outline is None) == (self.shape is None):
            raise fault("needs one of outline and shape", "Draw an outline, or name one of [shapes]")
        if (self.stiffness is None) == (self.beam is None):
            raise fault("needs one of stiffness and beam", "Give stiffness = 100, or a beam")
        if self.stops is not None and not self.stops[0].u <= 0 <= self.stops[1].u:
            raise fault(
                "has stops that do not hold its rest between them", 'Give stops = ["-20 deg", "30 deg"]'
            )
        if self.preload and not self._is_held():
            held = '["-20 deg", 0]' if self.preload > 0 else '[0, "20 deg"]'
            raise fault("has a preload that no stop at its rest holds", f"Give stops = {held}")
        return self

    def _is_held(self) -> bool:
        """Whether there is a stop at rest on the side to which the preload pushes."""
        return self.stops is not None and self.stops[self.preload > 0].u == 0


class Obstacle(Frozen):
    """A fixed part."""

    name: Name | None = Field(None, description="default its place in the list")
    outline: ExactOutline | None = Field(None, description="its corners in order")
    shape: Name | None = Field(None, description="name of one of [shapes], instead of an outline")
    at: ExactVector = Field((Fraction(0), Fraction(0)), description="where the outline's origin is")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.outline is None) == (self.shape is None):
            raise fault("needs one of outline and shape", "Draw an outline, or name one of [shapes]")
        return self


class Move(Frozen):
    """Vertices of a pawl, the root or an obstacle that a variable moves, by so much for each unit of it."""

    of: Name = Field(description='name of a pawl or an obstacle, or "root"')
    vertices: tuple[Annotated[int, Field(ge=0, le=10_000_000)], ...] = Field(
        min_length=1, description="places in its outline, from 0"
    )
    by: NonzeroVector = Field(description="for each unit of the variable")


# What a variable of each kind says beside its range.
VARIABLE_KEYS: dict[str, set[str]] = {
    "friction": set(),
    "stiffness": {"of"},
    "beam": {"of", "dimension"},
    "hinge": {"of", "along"},
    "vertices": {"moves"},
}
MAY_SAY: dict[str, set[str]] = {"beam": {"moves"}}  # what need not be said, and may
VALUES = ("friction", "stiffness", "beam")  # whose ranges are values, not how far they are from the drawing
_EXAMPLES = {
    "of": '"…", a pawl',
    "along": "[1, 0]",
    "dimension": '"thickness", or length, width, tip_thickness, tip_width',
    "moves": '[{ of = "…", vertices = [0], by = [1, 0] }]',
}


class DesignVariable(Frozen):
    """Something that may vary: friction, a spring, a beam, a hinge, or vertices that move together."""

    name: Name = Field(description="by which results name it")
    what: Literal["friction", "stiffness", "beam", "hinge", "vertices"] = Field(description="varies")
    of: Name | None = Field(None, description="the pawl, of stiffness, beam and hinge")
    dimension: Literal["length", "thickness", "width", "tip_thickness", "tip_width"] | None = Field(
        None, description="of the beam"
    )
    along: NonzeroVector | None = Field(None, description="which way the hinge moves")
    moves: tuple[Move, ...] = Field((), description="vertices, of `vertices` and, as they follow, of `beam`")
    range: tuple[ExactNumber, ExactNumber] = Field(
        description="friction, stiffness and beam: values; otherwise added to what is drawn"
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        wanted = VARIABLE_KEYS[self.what]
        given = {key for key in ("of", "along", "dimension", "moves") if getattr(self, key)}
        if missing := wanted - given:
            key = min(missing)
            raise fault(f"is of {self.what} and needs `{key}`", f"Add {key} = {_EXAMPLES[key]}")
        if beside := given - wanted - MAY_SAY.get(self.what, set()):
            raise fault(f"is of {self.what}, and `{min(beside)}` says nothing there", "Leave it out")
        low, high = self.range
        if not low < high:
            raise fault("has a range that does not rise", "Give range = [lowest, highest]")
        if self.what in VALUES and low < 0:
            raise fault(f"lets {self.what} be negative", "Begin the range at 0 or above")
        if self.what == "beam" and low == 0:
            raise fault(f"lets the beam's {self.dimension} be 0", "Begin the range above 0")
        return self


class Goal(Frozen):
    """What a design shall do: go in below one force, hold above another, and strain no beam too far."""

    insert_below: Positive | None = Field(None, description="force in N")
    hold_above: Positive | None = Field(None, description="force in N")
    strain_below: Positive | None = Field(None, description="of every beam; default the limit of each")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.insert_below is None and self.hold_above is None and self.strain_below is None:
            raise fault("asks for nothing", "Give insert_below = 20, hold_above = 50, or both")
        return self


class SnapStudy(WholeStudy):
    """What is asked of the fastener."""

    arithmetic: Literal["exact", "float"] = Field(
        "exact", description="exact proves every event; float is quicker"
    )
    reverse: Flag = Field(False, description="come back from where it stopped")
    classify: Flag = Field(False, description="what kind of motion diode it is")
    uncertain: Flag = Field(False, description="every outcome of starts in `region`")
    frames: int = Field(default=120, ge=2, le=100_000, description="of the motion")
    about: ExactVector | None = Field(
        None, description="the point of the root that torques are about; default its first hinge"
    )
    spread: HalfAngleOf = Field(
        NONE, description="how far the family of ways back reaches to either side of the plan reversed"
    )
    stability: Flag = Field(False, description="how far each variable may go before other things happen")
    search: Flag = Field(False, description="variables that meet the goal")
    directions: int = Field(
        default=72, ge=4, le=10_000, description="tried in the classification of all directions"
    )
    region: OffsetRegion | None = Field(None, description="offsets of the start")
    radius: ExactNotNegative = Field(Fraction(0), description="of the control cylinder about it")
    digits: int = Field(default=15, ge=1, le=1000, description="of forces")
    goal: Goal | None = Field(None, description="what `search` looks for")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not 0 <= self.spread.u < 1:
            raise fault(
                "has a spread that is no angle from 0 to less than 90 degrees", 'Give spread = "30 deg"'
            )
        return self


class Fastener(Document):
    """Pawls on a root that translates among obstacles."""

    pliant: Literal[1] = Field(1, description="version of the file format")
    kind: Literal["fastener"] = Field("fastener", description="what the file is")
    title: str = Field("", description="above pictures and reports")
    units: str = Field("mm", description="of lengths")
    friction: ExactNotNegative = Field(Fraction(0), description="coefficient, of every contact")
    shapes: dict[Name, ExactOutline] = Field(
        default_factory=lambda: {}, description="outlines by name, for parts to share"
    )
    root: Root = Field(description="what carries the pawls, and its motion")
    pawls: tuple[Pawl, ...] = Field(min_length=1, max_length=1000, description="parts on springs")
    obstacles: tuple[Obstacle, ...] = Field(min_length=1, max_length=100_000, description="fixed parts")
    variables: tuple[DesignVariable, ...] = Field((), description="what may vary")
    study: SnapStudy = Field(SnapStudy(), description="what is asked")

    @model_validator(mode="wrap")
    @classmethod
    def _check(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        return check_with_references(data, handler, "Fastener", reference_faults)

    def outline(self, part: Pawl | Obstacle) -> tuple[ExactVector, ...]:
        """A part's outline as drawn, in its own frame.

        Args:
            part: a pawl or an obstacle of this model.

        Returns:
            Vertices, as exact fractions.
        """
        return part.outline if part.outline is not None else self.shapes[part.shape or ""]

    def outline_at_rest(self, pawl: Pawl) -> Sequence[ExactVector]:
        """A pawl's outline about its hinge, as its spring holds it at rest.

        Args:
            pawl: of this model.

        Returns:
            Vertices, as exact fractions.
        """
        outline = self.outline(pawl)
        if pawl.rest.u == 0:
            return outline
        cosine, sine = pawl.rest.matrix
        return [(cosine * x - sine * y, sine * x + cosine * y) for x, y in outline]

    def placed(self, part: Pawl | Obstacle) -> Sequence[ExactVector]:
        """Where a part's outline is at the start, in the world.

        Args:
            part: a pawl or an obstacle of this model.

        Returns:
            Vertices, as exact fractions.
        """
        outline, by = (
            (self.outline_at_rest(part), part.hinge)
            if isinstance(part, Pawl)
            else (self.outline(part), part.at)
        )
        return outline if by == (0, 0) else [(x + by[0], y + by[1]) for x, y in outline]

    def label(self, index: int) -> str:
        """An obstacle's name, or its place in the list.

        Args:
            index: of the obstacle, from 0.

        Returns:
            The name.
        """
        return self.obstacles[index].name or f"obstacle {index + 1}"
