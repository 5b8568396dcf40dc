"""What the user writes: an assembly of loose parts, and a study of how far it flexes.

These frozen classes are the schema of `kind = "assembly"` files.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from math import dist
from typing import Annotated, Any, Literal, Self, overload

import numpy as np
from pydantic import AfterValidator as After
from pydantic import (
    Discriminator,
    Field,
    Tag,
    WithJsonSchema,
    model_validator,
)
from pydantic.functional_validators import ModelWrapValidatorHandler
from pydantic_core import ValidationError

from pliant.core.model import (
    Direction,
    Document,
    Flag,
    Frozen,
    Length,
    Name,
    Positive,
    check_with_references,
    fault,
    get,
)
from pliant.core.outline import open_ring, region_fault, ring_fault
from pliant.core.quantity import (
    DEGREES,
    LENGTHS,
    RADIANS,
    WRITTEN,
    Angle,
    Coordinate,
    Force,
    Number,
    PlainLength,
    Vector,
    angle,
)
from pliant.flex.faults import reference_faults, study_faults


def _ring(points: tuple[Vector, ...]) -> tuple[Vector, ...]:
    ring = open_ring(points)
    if problem := ring_fault(ring):
        raise fault(problem, "List the corners in order around the part, each once")
    return tuple((x, y) for x, y in ring.tolist())


def _convex(points: tuple[Vector, ...]) -> tuple[Vector, ...]:
    ring = np.array(points)
    sides = np.roll(ring, -1, axis=0) - ring
    turns = np.cross(np.pad(sides, ((0, 0), (0, 1))), np.pad(np.roll(sides, -1, axis=0), ((0, 0), (0, 1))))[
        :, 2
    ]
    if turns.min() < 0 < turns.max():
        raise fault("is not convex", "Use a convex polygon, or several keep regions")
    return points


def _check_rising(span: tuple[float, float]) -> tuple[float, float]:
    low, high = span
    if low > high:
        raise fault(f"runs from {low:g} down to {high:g}", f"Give the lower end first: [{high:g}, {low:g}]")
    return span


def _two(bodies: tuple[str, str]) -> tuple[str, str]:
    if bodies[0] == bodies[1]:
        raise fault(f"joins {bodies[0]!r} to itself", "Name two bodies")
    return bodies


def _different(bodies: tuple[str, ...]) -> tuple[str, ...]:
    for name, times in Counter(bodies).items():
        if times > 1:
            raise fault(f"names {name!r} {times} times", "Name each body once")
    return bodies


def _not_pressed(clearance: float) -> float:
    if clearance < 0:
        problem = f"is {clearance:g}: a press fit, and rigid parts do not give"
        raise fault(problem, "The least that goes together is 0, which is a pivot")
    return clearance


Outline = Annotated[tuple[Vector, ...], After(_ring)]
Convex = Annotated[Outline, After(_convex)]
Span = Annotated[tuple[Coordinate, Coordinate], After(_check_rising)]


def _number_or_range(value: Any) -> str:
    return "range" if isinstance(value, list | tuple) else "number"


FitClearance = Annotated[
    PlainLength, LENGTHS
]  # a clearance; less than 0 is a press fit, which is refused with its cure

Turn = Annotated[
    Annotated[Angle, Field(ge=0), Tag("number")]
    | Annotated[tuple[Angle, Angle], After(_check_rising), Tag("range")],
    Discriminator(_number_or_range),
]


class Region(Frozen):
    """An outline with holes."""

    outline: Outline = Field(description="its corners in order around it")
    holes: tuple[Outline, ...] = Field((), description="each inside the outline, apart from the others")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if problem := region_fault([np.array(self.outline), *map(np.array, self.holes)]):
            raise fault(problem, "Holes lie inside the outline and do not meet")
        return self


def _outline_or_table(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "outline"
    return "compound" if get(value, "outlines") is not None else "region"


OutlineOrRegion = Annotated[
    Annotated[Outline, Tag("outline")] | Annotated[Region, Tag("region")], Discriminator(_outline_or_table)
]


class Compound(Frozen):
    """Several outlines that are one rigid shape."""

    outlines: tuple[OutlineOrRegion, ...] = Field(
        min_length=1, description="each an outline, or one with holes"
    )


ShapeOf = Annotated[
    Annotated[Outline, Tag("outline")]
    | Annotated[Region, Tag("region")]
    | Annotated[Compound, Tag("compound")],
    Discriminator(_outline_or_table),
]


class Body(Frozen):
    """A rigid part: a shared shape, or an outline or several of its own, at a pose."""

    name: Name = Field(description="by which joints and studies name it")
    shape: Name | None = Field(None, description="name of one of [shapes]")
    outline: Outline | None = Field(None, description="its corners in order, in its own frame")
    holes: tuple[Outline, ...] = Field((), description="of the outline, each inside it")
    outlines: tuple[OutlineOrRegion, ...] = Field(
        (), description="several, apart or touching; each may have holes"
    )
    pose: tuple[Coordinate, Coordinate, Angle] = Field((0.0, 0.0, 0.0), description="x, y, theta")
    fixed: Flag = Field(False, description="whether it stays where it is drawn")
    clearance: Annotated[FitClearance, After(_not_pressed)] | None = Field(
        None, description="its outline is inset by half of it; by default that of the model"
    )
    mass: Positive | None = Field(None, description="kg; by default its area times the `density`")
    layer: int = Field(default=0, ge=-10_000, le=10_000, description="bodies of different layers never meet")

    @model_validator(mode="after")
    def _check(self) -> Self:
        given = [key for key in ("shape", "outline", "outlines") if getattr(self, key)]
        if len(given) != 1:
            problem = f"has {' and '.join(given)}" if given else "has none of shape, outline and outlines"
            raise fault(problem, "Give one of the three")
        if self.outline is not None:
            Region.model_validate({"outline": self.outline, "holes": self.holes})
        elif self.holes:
            place = "the shape" if self.shape else "the outline they are in"
            raise fault(f"has holes beside {given[0]}", f"Put the holes into {place}")
        return self


class Weld(Frozen):
    """Bodies that are one rigid part."""

    bodies: Annotated[tuple[Name, ...], Field(min_length=2), After(_different)] = Field(
        description="names of two or more"
    )


class Pin(Frozen):
    """A peg on the second body in a hole of the first, at a world point of the drawn pose."""

    bodies: Annotated[tuple[Name, Name], After(_two)] = Field(
        description="that of the hole, then that of the peg"
    )
    at: Vector = Field(description="x and y in the world, as drawn")
    clearance: Annotated[FitClearance, After(_not_pressed)] = Field(
        0.0, description="diametral; 0 is a pivot"
    )
    sides: int = Field(default=32, ge=4, le=1024, description="the disc of play as an inscribed polygon")


class Keep(Frozen):
    """A point of a body (its own frame) stays inside a convex polygon (world)."""

    body: Name = Field(description="name of the body")
    point: Vector = Field((0.0, 0.0), description="in the body's own frame")
    inside: Convex = Field(description="corners of the convex polygon, in the world")


class Sight(Frozen):
    """A cone on one body (apex and axis in its frame) holds a marker on another."""

    viewer: Name = Field(alias="from", description="name of the body with the cone")
    to: Name = Field(description="name of the body with the marker")
    apex: Vector = Field((0.0, 0.0), description="of the cone, in the viewer's frame")
    axis: Angle = Field(0.0, description="direction of the cone, counter-clockwise from the viewer's x")
    half_angle: Annotated[Angle, Field(gt=0, lt=np.pi / 2)] = Field(
        description="between the cone's axis and its side"
    )
    marker: Vector = Field((0.0, 0.0), description="in the other body's frame")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.viewer == self.to:
            raise fault(f"looks from {self.viewer!r} at itself", "Name two bodies")
        return self


class Limit(Frozen):
    """How far a body may go from its drawn pose: turn, and travel of its centroid along x and y."""

    body: Name = Field(description="name of the body")
    rotation: Turn | None = Field(
        None, description="largest turn either way, or the lowest and the highest; positive counter-clockwise"
    )
    x: Span | None = Field(None, description="lowest and highest travel along x")
    y: Span | None = Field(None, description="lowest and highest travel along y")


class Term(Frozen):
    """One term of what is maximised; the terms are added."""

    body: Name | None = Field(None, description="name of the body, of direction and spin")
    direction: Direction | None = Field(
        None, description="travel of the body's centroid, or of `point` of it, along this"
    )
    point: Vector | None = Field(None, description="in the body's own frame; default its centroid")
    spin: Number | None = Field(None, description="turn of the body, times this")
    radial: Vector | None = Field(None, description="every body's travel away from this centre")
    gather: Name | None = Field(
        None, description="every body's approach to the line through this body across `axis`"
    )
    to: Vector | None = Field(
        None, description="the body's approach to this place, its centroid's along x and along y; not past it"
    )
    axis: Direction = Field((1.0, 0.0), description="direction that `gather` measures along")
    weight: Number = Field(1.0, description="factor of the term")

    @model_validator(mode="after")
    def _check(self) -> Self:
        kinds = [
            self.direction is not None,
            self.spin is not None,
            self.radial is not None,
            self.gather is not None,
            self.to is not None,
        ]
        if sum(kinds) != 1:
            problem = "needs one of direction, spin, radial, gather and to"
            raise fault(problem, "For example direction = [1, 0]")
        if (kinds[0] or kinds[1] or kinds[4]) and self.body is None:
            raise fault("names no body", 'Add body = "…"')
        return self


class BodyLoad(Frozen):
    """A force on a body, a torque, or both."""

    body: Name = Field(description="that is loaded")
    force: Force | None = Field(None, description="N, at the body's centroid or at `point`")
    point: Vector | None = Field(None, description="of the body, in its own frame")
    torque: Number | None = Field(None, description="N times the unit of length, counter-clockwise")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.force is None and self.torque is None:
            raise fault("has neither force nor torque", "For example force = [0, -10]")
        if self.force is None and self.point is not None:
            raise fault("has a point and no force", "A torque has no point: leave it out, or add a force")
        return self


class StageStudy(Frozen):
    """A part of a motion: what is maximised until nothing is gained, and what holds meanwhile."""

    maximize: tuple[Term, ...] = Field(min_length=1)
    keep: tuple[Keep, ...] = Field((), description="regions that hold besides those of the model")
    limits: tuple[Limit, ...] = Field((), description="that hold besides those of the model")


class FlexStudy(Frozen):
    """What to maximise and how to go about it."""

    maximize: tuple[Term, ...] = Field((), description="terms that are added")
    load: tuple[BodyLoad, ...] = Field((), description="forces whose work is maximised; gives contact forces")
    gravity: Direction | None = Field(
        None, description="m/s², such as [0, -9.81]: the weight of every body is a load"
    )
    stages: tuple[StageStudy, ...] = Field(
        (), description="instead of maximize: each goes on from where the one before ended"
    )
    corners: Literal["average", "chosen", "exact"] = Field(
        "average", description="two convex corners face to face"
    )
    solver: Literal["auto", "piqp", "clarabel", "highs", "normal"] = Field(
        "auto", description="of the linear programs"
    )
    steps: int = Field(default=400, ge=1, le=100_000, description="linear programs at most")
    threshold: Length | None = Field(None, description="overlap a step may cause; default 1 % of the gap")
    tolerance: Annotated[Number, Field(gt=0, lt=1)] | None = Field(
        None,
        description="relative gain below which it has converged; default 1e-4, beyond 100 moving bodies 2e-3",
    )
    reach: Length | None = Field(None, description="contacts closer than this are rows; default by the gap")
    neighbours: int | None = Field(
        None, ge=1, description="moving bodies nearest to each that have rows; default all within reach"
    )
    turn: Annotated[Angle, Field(gt=0, le=1)] = Field(0.3, description="largest rotation in a step")
    restarts: int = Field(default=0, ge=0, le=10_000, description="climbs from other poses, for global play")
    ranges: Flag = Field(False, description="range of each joint's share where duals are not unique")

    @model_validator(mode="after")
    def _check_one_objective(self) -> Self:
        if self.maximize and self.loaded:
            key = "load" if self.load else "gravity"
            raise fault(
                f"has both maximize and {key}", "What is maximised is one of the two: leave the other out"
            )
        if self.stages and (self.maximize or self.loaded):
            key = "maximize" if self.maximize else "loads"
            raise fault(f"has both {key} and stages", "Put what is maximised first into a stage of its own")
        if self.stages and self.restarts:
            raise fault("has restarts beside stages", "Leave one of the two out")
        return self

    @property
    def asks(self) -> bool:
        """Whether anything is maximised."""
        return bool(self.maximize or self.stages) or self.loaded

    @property
    def terms(self) -> tuple[Term, ...]:
        """What is maximised, in all stages where there are some."""
        return tuple(term for stage in self.stages for term in stage.maximize) or self.maximize

    @property
    def angular(self) -> bool:
        """Whether what is maximised is an angle: nothing but turns."""
        return bool(self.terms) and not self.loaded and all(term.spin is not None for term in self.terms)

    @property
    def loaded(self) -> bool:
        """Whether the work of loads is what is maximised."""
        return bool(self.load) or self.gravity is not None


def _number_or_angle(value: Any) -> str:
    match = WRITTEN.fullmatch(value) if isinstance(value, str) else None
    return "angle" if match is not None and match[2] in {*DEGREES, *RADIANS} - {""} else "number"


def _positive_angle(text: str) -> str:
    if angle(text) <= 0:
        raise fault(f"is {text}", "Give an angle greater than 0")
    return text


# A limit of the flex: a number is in the unit of the objective, an angle has its unit with it.
FlexLimit = Annotated[
    Annotated[Positive, Tag("number")]
    | Annotated[
        str, After(_positive_angle), WithJsonSchema({"type": "string", "quantity": "any"}), Tag("angle")
    ],
    Discriminator(_number_or_angle),
]


def limit_number(limit: float | str | None) -> float | None:
    """A limit of the flex as a number: a length, or radians."""
    return None if limit is None else angle(limit)


class PlayStudy(Frozen):
    """Whose play is looked into; without a body, that of every one is measured."""

    body: Name | None = Field(None, description="name of the body whose play is looked into")
    point: Vector | None = Field(None, description="of the body, in its own frame; default its centroid")
    direction: Direction | None = Field(
        None, description="whose stack-up is made; default that of the largest play"
    )
    spin: Flag = Field(False, description="the stack-up of its turn instead")
    directions: int = Field(default=36, ge=4, le=3600, description="around the point, for its outline")
    draws: int = Field(default=20_000, ge=100, le=10_000_000, description="of Monte Carlo")
    seed: int = Field(default=0, ge=0, le=4_294_967_295, description="of Monte Carlo")
    ranges: Flag = Field(False, description="range of each joint's share where duals are not unique")
    drive: Name | None = Field(
        None, description="a body, such as a crank, that is turned and held: the play of `body` at each angle"
    )
    angles: tuple[Angle, Angle] = Field((0.0, 2 * np.pi), description="of the drive, from the drawn pose")
    samples: int = Field(default=73, ge=2, le=100_000, description="angles of the drive, both ends included")

    @model_validator(mode="after")
    def _check(self) -> Self:
        given = [key for key in ("point", "direction", "drive") if getattr(self, key) is not None]
        if self.body is None and (given or self.spin):
            raise fault(f"has {(given or ['spin'])[0]} and names no body", 'Add body = "…"')
        if self.drive is not None and self.spin:
            raise fault("has both drive and spin", "Ask for the play of a point of the body, without spin")
        if self.angles[0] == self.angles[1]:
            raise fault("has angles that end where they begin", 'For example angles = [0, "360 deg"]')
        if self.spin and self.direction is not None:
            raise fault("has both direction and spin", "Ask for one of the two")
        return self


class SeparateStudy(Frozen):
    """How an assembly is to be taken apart."""

    parts: tuple[Name, ...] = Field((), description="to be got out; default all that move")
    together: Flag = Field(False, description="all at once, by one motion")
    directions: int = Field(
        default=16, ge=4, le=360, description="tried for each part, where contacts leave it free"
    )


class ClearanceGroup(Frozen):
    """Bodies and pins that have one clearance, to be found."""

    bodies: Annotated[tuple[Name, ...], After(_different)] = Field(
        (), description="whose outlines are inset by half of it"
    )
    pins: tuple[Annotated[tuple[Name, Name], After(_two)], ...] = Field(
        (), description="all pins between the two bodies of each pair"
    )
    price: Positive = Field(1.0, description="what a clearance of 1 costs; half of it costs twice as much")
    least: Length | None = Field(None, description="that the clearance may be")
    most: Length | None = Field(None, description="that the clearance may be")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not self.bodies and not self.pins:
            raise fault("has neither bodies nor pins", 'For example bodies = ["lid"]')
        if self.least is not None and self.most is not None and self.least > self.most:
            raise fault(f"has a least of {self.least:g} above its most, {self.most:g}", "Change one of them")
        return self


class LoosenStudy(Frozen):
    """How loose the parts may be."""

    groups: dict[Name, ClearanceGroup] = Field(
        default_factory=lambda: {}, description="each with a clearance of its own; else one for all bodies"
    )
    aim: Literal["cheapest", "total"] = Field(
        "cheapest", description="of groups: the least Σ price/clearance, or the largest Σ clearance"
    )

    limit: FlexLimit | None = Field(
        None,
        description='that the objective of [study] may reach: a length, or for spin an angle such as "3 deg"',
    )
    accuracy: Annotated[Number, Field(gt=0, lt=0.5)] = Field(
        1e-3, description="of the clearance, as a share of it"
    )

    @property
    def flex_limit(self) -> float | None:
        """The limit as a number: a length, or radians."""
        return limit_number(self.limit)


class BraceStudy(Frozen):
    """How a structure is to be braced."""

    limit: FlexLimit | None = Field(
        None, description='of the flex, a length, or for spin an angle such as "3 deg": beams until it is met'
    )
    beams: int = Field(default=1, ge=1, le=100, description="that are added at most")
    longest: int = Field(default=1000, ge=1, le=100_000, description="cells of a beam")
    tried: int = Field(
        default=6, ge=1, le=1000, description="beams whose flex is found, those across the widest change"
    )

    @property
    def flex_limit(self) -> float | None:
        """The limit as a number: a length, or radians."""
        return limit_number(self.limit)


class ProveStudy(Frozen):
    """How near the proved bounds of the flex shall be to each other."""

    gap: Annotated[Number, Field(gt=0, lt=1)] = Field(
        0.02, description="between the bounds, as a share of the upper one"
    )
    nodes: int = Field(
        default=3000, ge=1, le=10_000_000, description="boxes of poses that are bounded at most"
    )


class Study(FlexStudy):
    """The study of the file, with a table of its own for each command: `[study.play]` and so on."""

    flex: FlexStudy | None = Field(None, description="keys for `pliant flex` alone")
    play: PlayStudy | None = Field(None, description="keys of `pliant play`")
    separate: SeparateStudy | None = Field(None, description="keys of `pliant separate`")
    loosen: LoosenStudy | None = Field(None, description="keys of `pliant loosen`")
    brace: BraceStudy | None = Field(None, description="keys of `pliant brace`")
    prove: ProveStudy | None = Field(None, description="keys of `pliant flex --prove`")

    @overload
    def for_command(self, command: Literal["flex"]) -> FlexStudy: ...
    @overload
    def for_command(self, command: Literal["play"]) -> PlayStudy: ...
    @overload
    def for_command(self, command: Literal["separate"]) -> SeparateStudy: ...
    @overload
    def for_command(self, command: Literal["loosen"]) -> LoosenStudy: ...
    @overload
    def for_command(self, command: Literal["brace"]) -> BraceStudy: ...
    @overload
    def for_command(self, command: Literal["prove"]) -> ProveStudy: ...
    def for_command(
        self, command: str
    ) -> FlexStudy | PlayStudy | SeparateStudy | LoosenStudy | BraceStudy | ProveStudy:
        """The command's own keys, those of flex over the common ones.

        Args:
            command: "flex", "play", "separate", "loosen", "brace" or "prove".

        Returns:
            The study that this command takes.
        """
        tables = {
            "play": self.play or PlayStudy(),
            "separate": self.separate or SeparateStudy(),
            "loosen": self.loosen or LoosenStudy(),
            "brace": self.brace or BraceStudy(),
            "prove": self.prove or ProveStudy(),
        }
        if command in tables:
            return tables[command]
        own = self.flex
        common = {name: getattr(self, name) for name in FlexStudy.model_fields}
        given = {} if own is None else {name: getattr(own, name) for name in own.model_fields_set}
        chosen = {name: value for name, value in given.items() if value is not None}  # null is not given
        if "maximize" in chosen:
            common |= {"load": (), "gravity": None}
        elif own is not None and own.loaded:
            common["maximize"] = ()
        return FlexStudy.model_construct(**{**common, **chosen})


class Assembly(Document):
    """Rigid parts that touch, and what else holds them."""

    pliant: Literal[1] = Field(1, description="version of the file format")
    kind: Literal["assembly"] = Field("assembly", description="what the file is")
    title: str = Field("", description="above pictures and reports")
    units: str = Field("mm", description="of lengths")
    clearance: FitClearance = Field(0.0, description="every outline is inset by half of it; at least 0")
    density: Positive | None = Field(None, description="kg for each square unit, of bodies without a mass")
    shapes: dict[Name, ShapeOf] = Field(
        default_factory=lambda: {}, description="outlines by name, for bodies to share"
    )
    bodies: tuple[Body, ...] = Field(min_length=1, description="the parts")
    welds: tuple[Weld, ...] = Field((), description="bodies that are one")
    pins: tuple[Pin, ...] = Field((), description="pegs in holes")
    keep: tuple[Keep, ...] = Field((), description="points that stay inside polygons")
    sights: tuple[Sight, ...] = Field((), description="bodies that keep others in view")
    limits: tuple[Limit, ...] = Field((), description="how far bodies may go")
    study: Study = Field(Study(), description="what is asked")

    @model_validator(mode="wrap")
    @classmethod
    def _check(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        model = check_with_references(data, handler, cls.__name__, reference_faults)
        if lines := list(study_faults(model.study, *held_bodies(model), model.pins)):
            raise ValidationError.from_exception_data(cls.__name__, lines)
        return model


# Which bodies are one: welds, and pivots that come to the same. Two bodies with pivots (pins without
# clearance) at two different points cannot move against each other. Nor can two welded groups with pivots at
# two points between them, so groups grow until nothing more is joined. A group with a fixed body is held, as
# is one with two pivots on held bodies.
GROUND = -1
APART = 1e-6  # of the drawing's size: pins nearer to each other than this are one


@dataclass(frozen=True)
class RigidGroups:
    """The bodies of a model in groups that move as one."""

    groups: tuple[tuple[int, ...], ...]  # places of bodies, in the model's order; by their first
    held: tuple[bool, ...]  # (G,) whether a group is fixed

    def why(self, model: Assembly) -> dict[str, str]:
        """What holds each body that is held."""
        reasons: dict[str, str] = {}
        for group, held in zip(self.groups, self.held, strict=True):
            fixed = [model.bodies[place].name for place in group if model.bodies[place].fixed]
            for place in group if held else ():
                body = model.bodies[place]
                other = f"is one with {fixed[0]!r}, which is fixed" if fixed else "is pinned to what is fixed"
                reasons[body.name] = "is fixed" if body.fixed else other
        return reasons


def held_bodies(model: Assembly) -> tuple[dict[str, str], bool]:
    """What holds each body that is held, and whether any body moves."""
    held = rigid_groups(model).why(model)
    return held, len(held) < len(model.bodies)


def rigid_groups(model: Assembly) -> RigidGroups:
    """Join what is welded, and what is pinned so that it comes to the same."""
    places = {body.name: place for place, body in enumerate(model.bodies)}
    leader = list(range(len(model.bodies)))

    def find(place: int) -> int:
        while leader[place] != place:
            leader[place] = place = leader[leader[place]]
        return place

    def join(first: int, second: int) -> None:
        low, high = sorted((find(first), find(second)))
        leader[high] = low
        held[low] = held[low] or held[high]

    held = [body.fixed for body in model.bodies]
    for weld in model.welds:
        for name in weld.bodies[1:]:
            join(places[weld.bodies[0]], places[name])
    pivots = [(*(places[name] for name in pin.bodies), pin.at) for pin in model.pins if pin.clearance == 0]
    apart = APART * _size(model) if pivots else 0.0
    grown = bool(pivots)
    while grown:
        grown = False
        first_at: defaultdict[tuple[int, int], list[tuple[float, float]]] = defaultdict(list)
        for first, second, at in pivots:
            one, other = (GROUND if held[find(place)] else find(place) for place in (first, second))
            pair = (min(one, other), max(one, other))
            known = first_at[pair]
            if one == other or any(dist(at, there) <= apart for there in known):
                continue
            known.append(at)
            if len(known) == 2:
                grown = True
                if GROUND in pair:
                    held[max(pair)] = True
                else:
                    join(one, other)
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for place in range(len(leader)):
        groups[find(place)].append(place)
    ordered = sorted(groups.items())
    return RigidGroups(
        tuple(tuple(group) for _, group in ordered), tuple(held[first] for first, _ in ordered)
    )


def _size(model: Assembly) -> float:
    """How far apart pins and the corners of bodies are drawn; of shared shapes, their places only."""
    points = [*(pin.at for pin in model.pins), *(body.pose[:2] for body in model.bodies)]
    spans = [np.ptp(np.array(body.outline), axis=0).max() for body in model.bodies if body.outline]
    return max(float(np.ptp(np.array(points), axis=0).max()), *map(float, spans), 0.0)
