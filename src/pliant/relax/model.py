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
    WholeStudy,
    check_with_references,
    fault,
)
from pliant.core.quantity import AMOUNTS, SHORTEST, Angle, Coordinate, Number, Plain
from pliant.relax.faults import reference_faults

NodePosition = Annotated[
    tuple[Coordinate, ...], Field(min_length=2, max_length=3)
]  # as many as the nodes have
NodeVector = Annotated[tuple[Number, ...], Field(min_length=2, max_length=3)]
NamePair = tuple[Name, Name]
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


NodeDirection = Annotated[NodePosition, After(_direction)]
Ratio = Annotated[Plain, AMOUNTS, After(_moves)]


class Bar(Frozen):
    """Holds the distance of two nodes; further nodes between them stay where they are drawn on it."""

    nodes: tuple[Name, ...] = Field(
        min_length=2, max_length=1000, description="its ends, those between them in order"
    )
    length: Length | None = Field(None, description="default as drawn")
    stiffness: Positive | None = Field(None, description="default the model's; elastic where it is given")
    modulus: Positive | None = Field(None, description="with `area`: stiffness = modulus · area / length")
    area: Positive | None = Field(None, description="of the section, with `modulus`")

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

    nodes: NamePair = Field(description="its ends")
    length: Length | None = Field(None, description="default as drawn")
    to: Lengths | None = Field(
        None, description="reeled in or out to this length, or through these at equal steps of the drive"
    )
    stiffness: Positive | None = Field(
        None, description="force for each unit of elongation; default the model's"
    )
    band: Positive | None = Field(
        None, description="over which it tightens; default a ten-thousandth of its length"
    )


class Spring(Frozen):
    """Pulls and pushes in proportion to its elongation."""

    nodes: NamePair = Field(description="its ends")
    stiffness: Positive = Field(description="force for each unit of elongation")
    length: Gap | None = Field(None, description="at rest; default as drawn")
    to: Lengths | None = Field(
        None, description="rest length at the end, or lengths at equal steps of the drive"
    )


class Bumper(Frozen):
    """Keeps two nodes at least this far apart."""

    nodes: NamePair = Field(description="that it keeps apart")
    length: Length = Field(description="least distance")
    stiffness: Positive | None = Field(
        None, description="force for each unit of approach; default the model's"
    )
    band: Positive | None = Field(
        None, description="over which it stiffens; default a ten-thousandth of its length"
    )


class Actuator(Frozen):
    """A bar whose length is driven."""

    nodes: NamePair = Field(description="its ends")
    to: Lengths = Field(description="the length at the end, or lengths at equal steps of the drive")
    length: Length | None = Field(None, description="at the start; default as drawn")
    stiffness: Positive | None = Field(
        None, description="force for each unit of elongation; default the model's"
    )


class Plate(Frozen):
    """A rigid body with three or more nodes."""

    nodes: tuple[Name, ...] = Field(min_length=3, max_length=10_000, description="that keep their distances")
    name: Name | None = Field(None, description="default its nodes")
    stiffness: Positive | None = Field(None, description="of the links that hold it; default the model's")

    @property
    def label(self) -> str:
        """Its name, or its nodes."""
        return self.name or "-".join(self.nodes)


class CornerWeld(Frozen):
    """Two bars that meet in a node keep their angle."""

    joint: Name = Field(description="node at which the bars meet")
    arms: NamePair = Field(description="other ends of the bars")


class Rotor(Frozen):
    """Turns the second arm about a node, against the first; angles count from the drawn pose.

    In the plane positive angles turn counter-clockwise. In space the axis runs from the joint to
    the node `axis`, and positive angles turn right-handed about it.
    """

    joint: Name = Field(description="node about which it turns")
    arms: NamePair = Field(description="nodes of the arm that it turns against and of the one that it turns")
    to: Angles = Field(description="angle at the end, or angles at equal steps of the drive")
    axis: Name | None = Field(None, description="in space: the node that the axis runs to")
    stiffness: Positive | None = Field(None, description="of the links that hold it; default the model's")


class Hinge(Frozen):
    """In space: two sides that meet in a node and turn about one axis only."""

    joint: Name = Field(description="node at which the sides meet")
    sides: tuple[
        Annotated[tuple[Name, ...], Field(min_length=1)], Annotated[tuple[Name, ...], Field(min_length=1)]
    ] = Field(description="further nodes of each side")
    axis: NodeDirection = Field(description="direction of the axis as drawn")


class Slider(Frozen):
    """A node that stays on the line through two others: a prismatic joint."""

    node: Name = Field(description="that slides")
    on: NamePair = Field(description="two nodes of the line")
    stiffness: Positive | None = Field(None, description="of the links that hold it; default the model's")


class Guide(Frozen):
    """A node that stays on a fixed line or plane through it as drawn, or on a curve it is moved onto."""

    node: Name = Field(description="that is guided")
    line: NodeDirection | None = Field(None, description="its direction")
    plane: NodeDirection | None = Field(None, description="its normal")
    curve: tuple[NodePosition, ...] | None = Field(
        default=None, min_length=2, max_length=10_000, description="points of the curve, in order"
    )
    closed: Flag = Field(False, description="whether the curve returns to its first point")
    friction: NotNegative = Field(0.0, description="coefficient")

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

    wheels: tuple[NamePair, NamePair] | None = Field(None, description="centre and rim node of each wheel")
    ratio: Ratio | None = Field(None, description="turns of the second wheel for each of the first")
    carrier: NamePair | None = Field(
        None, description="centre and outer node of the arm that angles count from"
    )
    wheel: NamePair | None = Field(None, description="centre and rim node of the wheel on the rack")
    rack: Name | None = Field(None, description="a node that travels")
    along: NodeDirection | None = Field(None, description="which way it does")
    radius: Ratio | None = Field(
        None, description="travel for each radian of the wheel; negative the other way"
    )
    axis: NodeDirection | None = Field(None, description="in space: what angles turn about")
    stiffness: Positive | None = Field(None, description="of the coupling; default the model's")

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

    lines: tuple[NamePair, ...] = Field(min_length=1, max_length=100, description="nodes of each cylinder")
    areas: tuple[Positive, ...] | None = Field(None, description="of the pistons; default all 1")
    to: Volumes = Field(0.0, description="volume pumped in, at the end or at equal steps of the drive")
    double: Flag = Field(False, description="double-acting: it pulls as well")
    stiffness: Positive | None = Field(None, description="of the coupling; default the model's")
    band: Positive | None = Field(None, description="volume over which it stiffens")

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

    members: tuple[NamePair, ...] = Field(
        min_length=1, max_length=100_000, description="nodes of each segment, or one twice"
    )
    against: tuple[NamePair, ...] | None = Field(
        default=None,
        min_length=1,
        max_length=100_000,
        description="segments that members collide with; default each other",
    )
    radius: Length = Field(description="distance of the centre lines at which they touch")
    stiffness: Positive | None = Field(None, description="less is softer")
    friction: NotNegative = Field(0.0, description="coefficient")


class WrapObstacle(Frozen):
    """What a string wraps around: a circle or ball about a node, or a cylinder about two."""

    node: Name | None = Field(None, description="centre of a circle or ball")
    cylinder: NamePair | None = Field(None, description="in space: two nodes of its axis")
    radius: Length = Field(description="of the obstacle")

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

    nodes: NamePair = Field(description="its ends")
    around: tuple[WrapObstacle, ...] = Field(
        min_length=1, max_length=100, description="obstacles, in order along it"
    )
    via: tuple[NodePosition, ...] = Field((), description="points of its path as drawn")
    length: Length | None = Field(None, description="default as drawn")
    to: Lengths | None = Field(None, description="length at the end, or lengths at equal steps of the drive")
    pieces: int = Field(default=24, ge=2, le=1000, description="in space")
    stiffness: Positive | None = Field(
        None, description="force for each unit of elongation; default the model's"
    )


class Load(Frozen):
    """A force on a node; `to` is what it grows or changes to along the drive."""

    node: Name = Field(description="it acts on")
    force: NodeVector = Field(description="components in N, at the start")
    to: NodeVector | None = Field(None, description="components at the end of the drive; default unchanged")


class Attraction(Frozen):
    """A field about a point: strength · mass · distance^power, towards it (negative: away)."""

    centre: NodePosition = Field(description="of the field")
    strength: Number = Field(
        description="force on a unit of mass a unit of length away, positive towards the centre"
    )
    power: Annotated[Number, Field(ge=-4, le=4)] = Field(1.0, description="of the distance")


class RelaxStudy(WholeStudy):
    """How the mechanism is run."""

    method: Literal["sync", "async", "momentum", "auto"] = Field(
        "auto", description="auto: Newton's steps; the others are the published relaxation"
    )
    frames: int = Field(default=60, ge=1, le=100_000, description="of the motion, besides the drawn one")
    trace: tuple[Name, ...] = Field((), description="nodes whose path is drawn and told")
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
    alphas: dict[Name, Annotated[Number, Field(gt=0, lt=2)]] = Field(
        default_factory=lambda: {}, description="alpha of single nodes, by name"
    )
    etas: dict[Name, Annotated[Number, Field(gt=0, le=1)]] = Field(
        default_factory=lambda: {}, description="eta of single nodes, by name"
    )
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
    seed: int = Field(default=0, ge=0, lt=2**32, description="of noise and of the order of async")
    bend: Flag = Field(True, description="auto: take rotations as rotations")
    way: Literal["first", "second"] | None = Field(
        None, description="auto: on from a dead centre; without, it stops there"
    )


class Mechanism(Document):
    """Nodes, the elements between them, what is held and what drives."""

    pliant: Literal[1] = Field(1, description="version of the file format")
    kind: Literal["mechanism"] = Field("mechanism", description="what the file is")
    title: str = Field("", description="above pictures and reports")
    units: str = Field("mm", description="of lengths")
    ground: tuple[Name, ...] = Field((), description="names of nodes that stay")
    nodes: dict[Name, NodePosition] = Field(min_length=1, description="positions by name, in the drawn pose")
    stiffness: Positive | None = Field(
        None, description="of everything rigid; default far above springs and loads"
    )
    bars: tuple[Bar, ...] = Field((), description="rigid or elastic rods")
    strings: tuple[String, ...] = Field((), description="that pull only")
    springs: tuple[Spring, ...] = Field((), description="linear ones")
    bumpers: tuple[Bumper, ...] = Field((), description="that push only")
    actuators: tuple[Actuator, ...] = Field((), description="rods whose length is driven")
    plates: tuple[Plate, ...] = Field((), description="rigid bodies")
    welds: tuple[CornerWeld, ...] = Field((), description="angles of bars that are kept")
    rotors: tuple[Rotor, ...] = Field((), description="angles that are driven")
    hinges: tuple[Hinge, ...] = Field((), description="in space: joints with one axis")
    sliders: tuple[Slider, ...] = Field((), description="nodes on lines through others")
    guides: tuple[Guide, ...] = Field((), description="nodes on fixed lines, planes or curves")
    gears: tuple[Gear, ...] = Field((), description="wheels and racks")
    cylinders: tuple[Circuit, ...] = Field((), description="hydraulic circuits")
    contacts: tuple[Contact, ...] = Field((), description="segments that collide")
    wraps: tuple[Wrap, ...] = Field((), description="strings around obstacles")
    loads: tuple[Load, ...] = Field((), description="forces on nodes")
    gravity: NodeVector | None = Field(None, description="acceleration, on the masses")
    masses: dict[Name, NotNegative] = Field(default_factory=lambda: {}, description="default 1 at every node")
    fields: tuple[Attraction, ...] = Field((), description="attraction by points")
    study: RelaxStudy = Field(RelaxStudy(), description="how it is run")

    @model_validator(mode="wrap")
    @classmethod
    def _check(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        return check_with_references(data, handler, cls.__name__, reference_faults)

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""
        return len(next(iter(self.nodes.values())))
