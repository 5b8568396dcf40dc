"""What the user writes: a mechanism of nodes and elements, and how it is run.

These frozen classes are the schema of `kind = "mechanism"` files.
"""

from __future__ import annotations

from math import hypot
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator as After
from pydantic import Field, model_validator
from pydantic.functional_validators import ModelWrapValidatorHandler

from pliant.core.model import (
    Document,
    Flag,
    Frozen,
    Gap,
    Length,
    Name,
    NotNegative,
    Positive,
    check_with_references,
    fault,
)
from pliant.core.quantity import AMOUNTS, SHORTEST, Angle, Coordinate, Number, Plain
from pliant.relax.faults import reference_faults

Place = Annotated[tuple[Coordinate, ...], Field(min_length=2, max_length=3)]  # as many as the nodes have
Force = Annotated[tuple[Number, ...], Field(min_length=2, max_length=3)]
Pair = tuple[Name, Name]
Lengths = Length | Annotated[tuple[Length, ...], Field(min_length=1, max_length=10_000)]
Angles = Angle | Annotated[tuple[Angle, ...], Field(min_length=1, max_length=10_000)]
Volumes = Number | Annotated[tuple[Number, ...], Field(min_length=1, max_length=10_000)]


def _direction(vector: tuple[float, ...]) -> tuple[float, ...]:
    if hypot(*vector) < SHORTEST:
        raise fault("points nowhere", "Give a direction such as [1, 0]")
    return vector


def _moves(factor: float) -> float:
    if factor == 0:
        raise fault("is 0: the second part would not move", "Give a number other than 0, or ground the part")
    return factor


Way = Annotated[Place, After(_direction)]
Ratio = Annotated[Plain, AMOUNTS, After(_moves)]


class Bar(Frozen):
    """Holds the distance of two nodes; further nodes between them stay where they are drawn on it."""

    nodes: tuple[Name, ...] = Field(min_length=2, max_length=1000)
    length: Length | None = Field(None, description="default as drawn")
    stiffness: Positive | None = Field(None, description="default the model's; elastic where it is given")
    modulus: Positive | None = Field(None, description="with `area`: stiffness = modulus · area / length")
    area: Positive | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.modulus is None) != (self.area is None):
            raise fault("has one of modulus and area", "Give both, or stiffness")
        if self.modulus is not None and self.stiffness is not None:
            raise fault("has stiffness beside modulus and area", "Give one of the two")
        if self.length is not None and len(self.nodes) > 2:
            raise fault("has a length and nodes between its ends", "Draw it as long as it is")
        return self


class String(Frozen):
    """Pulls where it is longer than its length, and is slack where it is not."""

    nodes: Pair
    length: Length | None = Field(None, description="default as drawn")
    to: Lengths | None = Field(
        None, description="reeled in or out to this length, or through these at equal steps of the drive"
    )
    stiffness: Positive | None = None
    band: Positive | None = Field(
        None, description="over which it tightens; default a ten-thousandth of its length"
    )


class Spring(Frozen):
    """Pulls and pushes in proportion to its elongation."""

    nodes: Pair
    stiffness: Positive
    length: Gap | None = Field(None, description="at rest; default as drawn")
    to: Lengths | None = None


class Bumper(Frozen):
    """Keeps two nodes at least this far apart."""

    nodes: Pair
    length: Length
    stiffness: Positive | None = None
    band: Positive | None = None


class Actuator(Frozen):
    """A bar whose length is driven."""

    nodes: Pair
    to: Lengths = Field(description="the length at the end, or lengths at equal steps of the drive")
    length: Length | None = Field(None, description="at the start; default as drawn")
    stiffness: Positive | None = None


class Plate(Frozen):
    """A rigid body with three or more nodes."""

    nodes: tuple[Name, ...] = Field(min_length=3, max_length=10_000)
    name: Name | None = None
    stiffness: Positive | None = None

    @property
    def label(self) -> str:
        """Its name, or its nodes."""
        return self.name or "-".join(self.nodes)


class CornerWeld(Frozen):
    """Two bars that meet in a node keep their angle."""

    joint: Name
    arms: Pair


class Rotor(Frozen):
    """Turns the second arm about a node, against the first; angles count from the drawn pose.

    In the plane positive angles turn counter-clockwise. In space the axis runs from the joint to
    the node `axis`, and positive angles turn right-handed about it.
    """

    joint: Name
    arms: Pair
    to: Angles
    axis: Name | None = None
    stiffness: Positive | None = None


class Hinge(Frozen):
    """In space: two sides that meet in a node and turn about one axis only."""

    joint: Name
    sides: tuple[
        Annotated[tuple[Name, ...], Field(min_length=1)], Annotated[tuple[Name, ...], Field(min_length=1)]
    ]
    axis: Way


class Slider(Frozen):
    """A node that stays on the line through two others: a prismatic joint."""

    node: Name
    on: Pair
    stiffness: Positive | None = None


class Guide(Frozen):
    """A node that stays on a fixed line or plane through it as drawn, or on a curve it is moved onto."""

    node: Name
    line: Way | None = Field(None, description="its direction")
    plane: Way | None = Field(None, description="its normal")
    curve: tuple[Place, ...] | None = Field(default=None, min_length=2, max_length=10_000)
    closed: Flag = Field(False, description="whether the curve returns to its first point")
    friction: NotNegative = 0.0

    @model_validator(mode="after")
    def _check(self) -> Self:
        given = [key for key in ("line", "plane", "curve") if getattr(self, key) is not None]
        if len(given) != 1:
            raise fault(f"has {len(given)} of line, plane, curve", "Give one of the three")
        if self.closed and (self.curve is None or len(self.curve) < 3):
            raise fault("is closed without three points of a curve", "Give a curve, or leave `closed` out")
        return self


class Gear(Frozen):
    """Couples how far a wheel turns with another wheel, or with a rack.

    A wheel is two nodes: its centre, and one that turns about it. `ratio` is by how much the second
    wheel turns for each turn of the first: negative where they turn against each other. On a carrier
    (a planetary gear) angles count from the carrier's.
    """

    wheels: tuple[Pair, Pair] | None = None
    ratio: Ratio | None = None
    carrier: Pair | None = None
    wheel: Pair | None = None
    rack: Name | None = Field(None, description="a node that travels")
    along: Way | None = Field(None, description="which way it does")
    radius: Ratio | None = Field(
        None, description="travel for each radian of the wheel; negative the other way"
    )
    axis: Way | None = Field(None, description="in space: what angles turn about")
    stiffness: Positive | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        geared = [self.wheels is not None, self.ratio is not None]
        racked = [value is not None for value in (self.wheel, self.rack, self.along, self.radius)]
        if not (all(geared) and not any(racked)) and not (all(racked) and not any(geared)):
            cure = 'Give wheels = [["o1", "p1"], ["o2", "p2"]] and ratio, or wheel, rack, along and radius'
            raise fault("is neither a pair of wheels nor a wheel on a rack", cure)
        return self


class Circuit(Frozen):
    """Cylinders that share their fluid: each pair of nodes is pushed apart, none is pulled together."""

    lines: tuple[Pair, ...] = Field(min_length=1, max_length=100)
    areas: tuple[Positive, ...] | None = Field(None, description="of the pistons; default all 1")
    to: Volumes = Field(0.0, description="volume pumped in, at the end or at equal steps of the drive")
    double: Flag = Field(False, description="double-acting: it pulls as well")
    stiffness: Positive | None = None
    band: Positive | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.areas is not None and len(self.areas) != len(self.lines):
            raise fault(f"has {len(self.areas)} areas for {len(self.lines)} lines", "Give one for each")
        return self


class Contact(Frozen):
    """Segments and nodes that do not pass through each other.

    A member is two nodes, or one twice. Every pair of members collides, except where they share a node;
    with `against`, every member with each of those.
    """

    members: tuple[Pair, ...] = Field(min_length=1, max_length=100_000)
    against: tuple[Pair, ...] | None = Field(default=None, min_length=1, max_length=100_000)
    radius: Length = Field(description="distance of the centre lines at which they touch")
    stiffness: Positive | None = Field(None, description="less is softer")
    friction: NotNegative = 0.0


class WrapObstacle(Frozen):
    """What a string wraps around: a circle or ball about a node, or a cylinder about two."""

    node: Name | None = None
    cylinder: Pair | None = None
    radius: Length

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.node is None) == (self.cylinder is None):
            cure = 'Give node = "o", or in space cylinder = ["o", "p"]'
            raise fault("needs one of node and cylinder", cure)
        return self


class Wrap(Frozen):
    """A string that lies around obstacles: in the plane on tangents and arcs, in space as a chain of pieces.

    `nodes` are its ends; `via` are points of its path as drawn, so that it starts on the right side of
    its obstacles.
    """

    nodes: Pair
    around: tuple[WrapObstacle, ...] = Field(min_length=1, max_length=100)
    via: tuple[Place, ...] = ()
    length: Length | None = Field(None, description="default as drawn")
    to: Lengths | None = None
    pieces: int = Field(default=24, ge=2, le=1000, description="in space")
    stiffness: Positive | None = None


class Load(Frozen):
    """A force on a node; `to` is what it grows or changes to along the drive."""

    node: Name
    force: Force
    to: Force | None = None


class Attraction(Frozen):
    """A field about a point: strength · mass · distance^power, towards it (negative: away)."""

    centre: Place
    strength: Number
    power: Annotated[Number, Field(ge=-4, le=4)] = 1.0


class RelaxStudy(Frozen):
    """How the mechanism is run."""

    method: Literal["sync", "async", "momentum", "auto"] = "auto"
    frames: int = Field(default=60, ge=1, le=100_000, description="of the motion, besides the drawn one")
    trace: tuple[Name, ...] = ()
    tolerance: Positive = Field(
        1e-11, description="largest residual, over the largest stiffness times the size"
    )
    iterations: int = Field(
        default=1_000_000, ge=1, le=10**12, description="of sync, async and momentum, in all"
    )
    increments: int | None = Field(
        default=None, ge=1, le=10**12, description="iterations the drive takes; default 100 a frame"
    )
    settle: Flag = Field(
        False, description="come to rest at every frame, not at the end only; auto always does"
    )
    alpha: Annotated[Number, Field(gt=0, lt=2)] | None = Field(None, description="default 0.5")
    alpha_end: Annotated[Number, Field(gt=0, lt=2)] | None = Field(
        None, description="falls to this as residuals fall"
    )
    eta: Annotated[Number, Field(gt=0, le=1)] = Field(1.0, description="below 1: pseudo-inertia")
    alphas: dict[Name, Annotated[Number, Field(gt=0, lt=2)]] = Field(default_factory=lambda: {})
    etas: dict[Name, Annotated[Number, Field(gt=0, le=1)]] = Field(default_factory=lambda: {})
    calm: Flag = Field(False, description="cut alpha at nodes whose residual flips to and fro")
    average: Annotated[Number, Field(ge=0, lt=1)] = Field(
        0.0, description="share of the last stiffness kept in the next"
    )
    least: Positive | None = Field(
        None, description="least stiffness of a node; default from the largest force over `cap`"
    )
    cap: Positive | None = Field(
        None, description="largest displacement in an iteration; default a twentieth of the size"
    )
    noise: NotNegative = Field(
        0.0, description="of displacements, over the size, fading away; breaks symmetries"
    )
    seed: int = Field(default=0, ge=0, lt=2**32)
    bend: Flag = Field(True, description="auto: take rotations as rotations")
    way: Literal["first", "second"] | None = Field(
        None, description="auto: on from a dead centre; without, it stops there"
    )

    def for_command(self, command: Literal["relax"]) -> Self:
        """The whole of it: `relax` has no table of its own."""
        return self


class Mechanism(Document):
    """Nodes, the elements between them, what is held and what drives."""

    pliant: Literal[1] = 1
    kind: Literal["mechanism"] = "mechanism"
    title: str = ""
    units: str = "mm"
    ground: tuple[Name, ...] = ()
    nodes: dict[Name, Place] = Field(min_length=1)
    stiffness: Positive | None = Field(
        None, description="of everything rigid; default far above springs and loads"
    )
    bars: tuple[Bar, ...] = ()
    strings: tuple[String, ...] = ()
    springs: tuple[Spring, ...] = ()
    bumpers: tuple[Bumper, ...] = ()
    actuators: tuple[Actuator, ...] = ()
    plates: tuple[Plate, ...] = ()
    welds: tuple[CornerWeld, ...] = ()
    rotors: tuple[Rotor, ...] = ()
    hinges: tuple[Hinge, ...] = ()
    sliders: tuple[Slider, ...] = ()
    guides: tuple[Guide, ...] = ()
    gears: tuple[Gear, ...] = ()
    cylinders: tuple[Circuit, ...] = ()
    contacts: tuple[Contact, ...] = ()
    wraps: tuple[Wrap, ...] = ()
    loads: tuple[Load, ...] = ()
    gravity: Force | None = Field(None, description="acceleration, on the masses")
    masses: dict[Name, NotNegative] = Field(default_factory=lambda: {}, description="default 1 at every node")
    fields: tuple[Attraction, ...] = ()
    study: RelaxStudy = RelaxStudy()

    @model_validator(mode="wrap")
    @classmethod
    def _check(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        return check_with_references(data, handler, cls.__name__, reference_faults)

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""
        return len(next(iter(self.nodes.values())))
