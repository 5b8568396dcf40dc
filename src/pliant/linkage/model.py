"""What the user writes: a planar linkage, how it is run, and how it is to be edited.

These frozen classes are the schema of `kind = "linkage"` files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import dist
from typing import Annotated, Any, Literal, Self, overload

import numpy as np
from pydantic import Field, model_validator
from pydantic.functional_validators import ModelWrapValidatorHandler

from pliant.core.model import (
    Direction,
    Document,
    Flag,
    Frozen,
    Gap,
    Length,
    Name,
    Positive,
    check_with_references,
    fault,
)
from pliant.core.quantity import SHORTEST, Angle, Force, Number, Vector
from pliant.linkage.faults import LINK_JOINTS, reference_faults

AngleSpan = tuple[Angle, Angle]
Weight = Annotated[Number, Field(gt=0, le=1e6)]


class Link(Frozen):
    """A rigid part with two or more joints, collinear ones too."""

    joints: tuple[Name, ...] = Field(min_length=2, max_length=LINK_JOINTS, description="names of its joints")
    name: Name | None = Field(None, description='default: its joints, such as "B-C-P"')
    length: Length | None = Field(None, description="of a link of two joints; the drawing must agree")

    @property
    def label(self) -> str:
        """Its name, or its joints."""
        return self.name or "-".join(self.joints)


class Motor(Frozen):
    """Turns a link about a joint on the ground, pushes a joint along its guide, or sets a strut's length.

    One of three: `joint` with `drives`; `slider`; `strut`. Angles, and the travel of the last two (in
    the file's unit), count from the drawn pose.
    """

    joint: Name | None = Field(None, description="on the ground, about which a link is turned")
    drives: Name | None = Field(None, description="another joint of the link that is turned")
    slider: Name | None = Field(
        None, description="a joint that slides: pushed along its guide, from its first point to its second"
    )
    strut: tuple[Name, Name] | None = Field(
        None, description="two joints whose distance grows with positive travel"
    )
    direction: Literal["ccw", "cw"] = Field("ccw", description="which way positive angles turn")
    range: AngleSpan | None = Field(None, description="swept once; default: whole turns")
    turns: Annotated[Positive, Field(le=10_000)] = Field(
        1.0, description="whole turns of the run, where there is no range"
    )
    profile: tuple[Angle, ...] | None = Field(
        default=None, min_length=2, description="an angle for each sample"
    )
    speed: Positive = Field(
        1.0, description="rad/s (or lengths/s) on average; the one that takes longest sets the time"
    )

    @property
    def linear(self) -> bool:
        """Whether it pushes rather than turns."""
        return self.joint is None

    @property
    def label(self) -> str:
        """What it does, in a few words."""
        if self.slider is not None:
            return f"slides {self.slider}"
        return (
            f"strut {'-'.join(self.strut)}" if self.strut is not None else f"{self.joint} turns {self.drives}"
        )

    @model_validator(mode="before")
    @classmethod
    def _lengths(cls, data: Any) -> Any:
        """A linear motor has no degrees."""
        if isinstance(data, Mapping) and (data.get("slider") is not None or data.get("strut") is not None):
            for key in ("range", "profile"):
                given = data.get(key)
                for value in given if isinstance(given, list | tuple) else ():
                    if isinstance(value, str) and re.search(r"[a-zA-Z°]", value):
                        problem = f"has {value!r} in its {key}, and travels in the file's unit of length"
                        raise fault(problem, "Give plain numbers, such as range = [0, 50]")
        return data

    @model_validator(mode="after")
    def _check(self) -> Self:
        options = [
            self.joint is not None or self.drives is not None,
            self.slider is not None,
            self.strut is not None,
        ]
        if sum(options) != 1 or (self.joint is None) != (self.drives is None):
            cure = 'Give joint = "A" and drives = "B", or slider = "S", or strut = ["P", "Q"]'
            raise fault("has not one of joint with drives, slider, and strut", cure)
        if self.linear and self.range is None and self.profile is None:
            raise fault("pushes without end", "Give it a range, such as range = [0, 50], or a profile")
        if self.linear and (self.direction != "ccw" or self.turns != 1.0):
            raise fault("pushes, and has a direction or turns", "Leave them out: the range says which way")
        if self.strut is not None and self.strut[0] == self.strut[1]:
            raise fault("has a strut between a joint and itself", "Name two different joints")
        if self.range is not None and self.profile is not None:
            raise fault("has both range and profile", "Give one of the two")
        if self.range is not None and abs(self.range[1] - self.range[0]) < SHORTEST:
            raise fault("has a range of no width", "Give two that differ, such as [0, 0.5]")
        return self


class LinkageSlider(Frozen):
    """A joint that slides along a line: fixed, or carried by a link.

    The line passes through the joint as drawn; `along` gives its direction.
    """

    joint: Name = Field(description="name of the joint that slides")
    along: tuple[Vector, Vector] | None = Field(
        None, description="two points; on a link, they travel with it"
    )
    on: Name | None = Field(
        None, description="the link that carries the line; without `along`, through its first two joints"
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.along is None and self.on is None:
            raise fault("has neither along nor on", "Give along = [[0, 0], [1, 0]], or on = a link")
        if self.along is not None and dist(*self.along) < SHORTEST:
            raise fault("slides along two equal points", "Give two different points of the line")
        return self


class LinkageLoad(Frozen):
    """A force on a joint, or a force and a torque on a link, fixed in direction."""

    joint: Name | None = Field(None, description="name of the joint it acts on")
    link: Name | None = Field(None, description="name of the link it acts on, instead of a joint")
    force: Force = Field((0.0, 0.0), description="x and y in N")
    at: Vector | None = Field(
        None, description="where on the link, in the drawn pose; default the mean of its joints"
    )
    torque: Number = Field(0.0, description="on the link, counter-clockwise")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.joint is None) == (self.link is None):
            given = "both" if self.joint else "neither"
            raise fault(f"has {given} of joint and link", "Give one of the two")
        if self.joint is not None and (self.torque or self.at is not None):
            raise fault("has a torque or a place on a joint", "Put it on a link, or leave it out")
        return self


class TraceStudy(Frozen):
    """What to follow and how finely."""

    trace: tuple[Name, ...] = Field(
        (), description="joints to follow; default those in one link only, or all that move"
    )
    samples: int = Field(default=360, ge=2, le=1_000_000, description="poses along the run")
    branch: Literal["side", "smooth"] = Field(
        "side", description="at change points keep the drawn side, or go straight on"
    )
    velocity: Flag = Field(False, description="of the joints, in what is written")
    acceleration: Flag = Field(False, description="of the joints, in what is written")
    jacobian: Flag = Field(False, description="of the traced points, by every drawn joint")
    centres: Flag = Field(False, description="instant centres of every pair of links")
    tolerance: Length | None = Field(None, description="± on every dimension, for the bands")
    tolerances: dict[Name, Length] = Field(default_factory=lambda: {}, description='± on one, such as "B-C"')
    transmission: Annotated[Angle, Field(gt=0, lt=np.pi / 2)] = Field(np.pi / 6, description="warn below")
    layers: Flag = Field(False, description="find an assignment of links to layers")
    width: Gap | None = Field(None, description="of links and pins, for layers; default 2 % of the linkage")


class JointMove(Frozen):
    """A joint goes to a place, at a motor angle."""

    joint: Name = Field(description="name of the joint")
    to: Vector = Field(description="where it shall be, x and y")
    at: Angle = Field(0.0, description="motor angle from the drawn pose")
    weight: Weight = Field(1.0, description="against the other targets")


class CurveEdit(Frozen):
    """What shall become of the curve of a point: one of the ways."""

    point: Name = Field(description="name of the joint that draws the curve")
    through: tuple[Vector, ...] | None = Field(
        default=None, min_length=1, description="points it shall go through"
    )
    at: tuple[Angle, ...] | None = Field(
        None, description="when it goes through each; default whenever it comes nearest"
    )
    follow: tuple[Vector, ...] | None = Field(
        default=None, min_length=2, description="points of the curve it shall become"
    )
    closed: Flag = Field(True, description="whether `follow` is a closed curve")
    scale: Number | tuple[Number, Number] | None = Field(
        None, description="factor of its size, or one along x and one along y"
    )
    about: Vector | None = Field(
        None, description="what `scale` leaves in place; default the curve's centroid"
    )
    shift: Vector | None = Field(None, description="by which it is moved, x and y")
    flatten: AngleSpan | None = Field(None, description="straight between two motor angles")
    dwell: AngleSpan | None = Field(None, description="at rest between two motor angles")
    weight: Weight = Field(1.0, description="against the other targets")

    @model_validator(mode="after")
    def _check(self) -> Self:
        options = ("through", "follow", "scale", "shift", "flatten", "dwell")
        given = [option for option in options if getattr(self, option) is not None]
        if len(given) != 1:
            cure = "Give one; a curve may have several entries"
            raise fault(f"has {len(given)} of {', '.join(options)}", cure)
        if self.at is not None and (self.through is None or len(self.at) != len(self.through)):
            raise fault("has an `at` that does not match `through`", "Give one angle for each point")
        return self


class LengthEdit(Frozen):
    """The distance of two joints of a link, or a whole link's size."""

    joints: tuple[Name, Name] | None = Field(None, description="two of one link")
    link: Name | None = Field(None, description="name of a link, all of whose lengths are scaled")
    to: Length | None = Field(None, description="the length it shall have")
    scale: Positive | None = Field(None, description="factor of what is drawn")
    weight: Weight = Field(1.0, description="against the other targets")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.joints is None) == (self.link is None) or (self.to is None) == (self.scale is None):
            cure = 'For example joints = ["A", "B"], to = 3'
            raise fault("needs one of joints and link, and one of to and scale", cure)
        if self.link is not None and self.to is not None:
            raise fault("gives a link one length", "Give joints = […] with `to`, or scale the link")
        return self


def _is_convex(corners: tuple[Vector, ...]) -> bool:
    """Whether corners go round once, turning one way only."""
    ring = np.array(corners)
    sides = np.roll(ring, -1, axis=0) - ring
    ahead = np.roll(sides, -1, axis=0)
    turns = sides[:, 0] * ahead[:, 1] - sides[:, 1] * ahead[:, 0]
    around = np.arctan2(turns, (sides * ahead).sum(axis=1)).sum()
    one_way = bool((turns >= 0).all() or (turns <= 0).all())
    return one_way and bool((np.abs(sides).sum(axis=1) > 0).all()) and abs(abs(around) - 2 * np.pi) < 1e-6


class JointEnclosure(Frozen):
    """Joints stay inside a box or a convex polygon, all the way round."""

    box: tuple[Vector, Vector] | None = Field(None, description="two opposite corners")
    polygon: tuple[Vector, ...] | None = Field(default=None, min_length=3, description="convex")
    joints: tuple[Name, ...] = Field((), description="default all of them")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.box is None) == (self.polygon is None):
            given = "both" if self.box else "neither"
            raise fault(f"has {given} of box and polygon", "Give one of the two")
        if self.box is not None and (self.box[0][0] == self.box[1][0] or self.box[0][1] == self.box[1][1]):
            raise fault("is a box without room", "Give two opposite corners, such as [[0, 0], [10, 5]]")
        if self.polygon is not None and not _is_convex(self.polygon):
            raise fault("is not a convex polygon", "List its corners in order, or use several enclosures")
        return self


class Symmetry(Frozen):
    """Pairs of joints stay mirror images across a line, as drawn."""

    pairs: tuple[tuple[Name, Name], ...] = Field(
        min_length=1, description="joints, each with its mirror image"
    )
    through: Vector = Field((0.0, 0.0), description="a point of the line")
    axis: Direction = Field((0.0, 1.0), description="direction of the line")


class EditKeep(Frozen):
    """What an edit leaves as it is."""

    ground: Flag = Field(True, description="joints on the ground stay, unless a move names them")
    joints: tuple[Name, ...] = Field((), description="drawn positions")
    links: tuple[Name, ...] = Field((), description="whole links keep their shape")
    lengths: tuple[tuple[Name, Name], ...] = Field((), description="distances of two joints of a link")
    curves: tuple[Name, ...] = Field((), description="curves of points, as nearly as the targets let them")
    timing: tuple[Name, ...] = Field((), description="how far along its curve a point is at each motor angle")
    symmetry: tuple[Symmetry, ...] = Field((), description="pairs that stay mirror images")


class Guard(Frozen):
    """What must not happen anywhere in the cycle."""

    margin: Annotated[Number, Field(gt=0, lt=1)] = Field(
        0.05, description="least sine of the angle between two bars"
    )
    transmission: Annotated[Angle, Field(gt=0, lt=np.pi / 2)] | None = Field(
        None, description="the least such angle"
    )
    remain: Annotated[Number, Field(gt=0, lt=1)] = Field(
        0.1, description="least share of each length that must remain"
    )


class EditStudy(Frozen):
    """An edit: targets, keeps and guards; minimal change otherwise."""

    move: tuple[JointMove, ...] = Field((), description="joints that go to places")
    curves: tuple[CurveEdit, ...] = Field((), description="what shall become of curves")
    lengths: tuple[LengthEdit, ...] = Field((), description="lengths that shall change")
    enclosure: tuple[JointEnclosure, ...] = Field((), description="what joints stay inside of")
    keep: EditKeep = Field(EditKeep(), description="what stays as it is")
    guard: Guard = Field(Guard(), description="what must not happen")
    samples: int = Field(
        default=100, ge=4, le=10_000, description="poses at which targets and guards are judged"
    )
    iterations: int = Field(default=300, ge=1, le=10_000, description="quadratic programs at most")

    @property
    def is_empty(self) -> bool:
        """Whether it asks for nothing: neither a target nor a guard that is not met of itself."""
        return not (
            self.move or self.curves or self.lengths or self.enclosure or self.guard.transmission is not None
        )


class LinkageStudy(TraceStudy):
    """The study of the file; `[study.edit]` is what `pliant edit` does where it is given no other."""

    edit: EditStudy | None = Field(None, description="what `pliant edit` does")

    @overload
    def for_command(self, command: Literal["trace"]) -> TraceStudy: ...

    @overload
    def for_command(self, command: Literal["edit"]) -> EditStudy: ...

    def for_command(self, command: Literal["trace", "edit"]) -> TraceStudy | EditStudy:
        """The keys of `trace`, or the table of `edit`.

        Args:
            command: which of the two.

        Returns:
            The study that this command takes.
        """
        if command == "edit":
            return self.edit or EditStudy()
        return TraceStudy.model_construct(**{name: getattr(self, name) for name in TraceStudy.model_fields})


class Linkage(Document):
    """Joints, the links between them, what is held and what turns."""

    pliant: Literal[1] = Field(1, description="version of the file format")
    kind: Literal["linkage"] = Field("linkage", description="what the file is")
    title: str = Field("", description="above pictures and reports")
    units: str = Field("mm", description="of lengths")
    ground: tuple[Name, ...] = Field(min_length=1, description="names of joints that stay")
    joints: dict[Name, Vector] = Field(min_length=2, description="positions by name, in the drawn pose")
    links: tuple[Link, ...] = Field(min_length=1, description="rigid parts between joints")
    motors: tuple[Motor, ...] = Field(min_length=1, description="what drives it")
    sliders: tuple[LinkageSlider, ...] = Field((), description="joints that slide along lines")
    loads: tuple[LinkageLoad, ...] = Field((), description="forces and torques that motors hold")
    study: LinkageStudy = Field(LinkageStudy(), description="what is asked")

    @model_validator(mode="wrap")
    @classmethod
    def _check(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        return check_with_references(data, handler, cls.__name__, reference_faults)
