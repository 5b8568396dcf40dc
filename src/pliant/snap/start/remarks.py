"""What is allowed in a fastener, and yet worth a sentence before it is solved."""

from __future__ import annotations

from collections.abc import Iterator
from math import degrees

from pliant.core.quantity import written
from pliant.snap.arithmetic.half_angle import HalfAngle
from pliant.snap.geometry.intersections import (
    RegionRelation,
    edges_of,
    overlapping_boxes,
    point_location,
    region_relation,
    to_integer_points,
)
from pliant.snap.geometry.penetration import outline_boxes
from pliant.snap.geometry.union import touching_groups
from pliant.snap.model import Fastener
from pliant.snap.springs.beam import cantilever
from pliant.snap.start.overlaps import moving_parts

LOOKED_AT = 20_000  # pairs of obstacles
NEARLY = 0.02  # of a beam's length
LISTED = 6  # names in one sentence, groups in as many


def remarks(model: Fastener) -> tuple[str, ...]:
    """One sentence for everything that is not as one might think."""
    return (
        *_hinges_outside(model),
        *_beam_lengths(model),
        *_rounded_angles(model),
        *_passing_through(model),
        *_joined_obstacles(model),
    )


def _hinges_outside(model: Fastener) -> Iterator[str]:
    for pawl in model.pawls:
        (whole,) = to_integer_points(model.outline(pawl))
        if point_location((0, 0), edges_of(whole)) < 0:
            yield f"The hinge of {pawl.name!r} is outside its outline, which turns about it all the same."


def _beam_lengths(model: Fastener) -> Iterator[str]:
    """Beams whose length is not quite that of the drawing."""
    for pawl in model.pawls:
        if pawl.beam is None:
            continue
        drawn = cantilever(model, pawl)
        out = drawn.behind + drawn.nose
        if abs(out - drawn.said) > NEARLY * drawn.said:
            bends = "it bends up to there" if out < drawn.said else "what is beyond its length does not bend"
            yield (
                f"The beam of {pawl.name!r} is said to be {drawn.said:g} {model.units} long, and its nose is "
                f"drawn {out:.4g} from its root: {bends}."
            )


def _rounded_angles(model: Fastener) -> Iterator[str]:
    for index, pawl in enumerate(model.pawls):
        angles = {"rest": pawl.rest}
        angles |= {f"stops[{at}]": stop for at, stop in enumerate(pawl.stops or ())}
        for key, turn in angles.items():
            if turn.rounding:
                yield f"pawls[{index}].{key} is {_rounded(turn)}."


def _rounded(turn: HalfAngle) -> str:
    tangent = f"the angle whose half has the tangent {written(turn.u)}"
    return f"{degrees(turn.asked):.15g}° and taken as {tangent}, {degrees(abs(turn.rounding)):.1e}° from it"


def _passing_through(model: Fastener) -> Iterator[str]:
    """Pawls that overlap the root or each other as drawn."""
    parts = moving_parts(model)
    for i, j in overlapping_boxes(outline_boxes([part.ring for part in parts])):
        if region_relation(parts[i].ring, parts[j].ring) is RegionRelation.OVERLAPPING:
            pair = f"{parts[i].name!r} and {parts[j].name!r}"
            yield f"{pair} overlap as drawn: pawls and the root do not stop each other."


def _joined_obstacles(model: Fastener) -> Iterator[str]:
    outlines = [model.placed(obstacle) for obstacle in model.obstacles]
    pairs = overlapping_boxes(outline_boxes(outlines))
    joined = touching_groups(outlines, pairs[:LOOKED_AT])
    for members in joined[:LISTED]:
        yield f"{_names(model, members)} touch or overlap: they are taken as one body."
    if len(joined) > LISTED:
        yield f"So do {len(joined) - LISTED} more groups of obstacles."
    if len(pairs) > LOOKED_AT:
        yield f"Only {LOOKED_AT} pairs of near obstacles were looked at for whether they touch."


def _names(model: Fastener, members: list[int]) -> str:
    names = [repr(model.label(index)) for index in members]
    if len(names) > LISTED:
        return f"{', '.join(names[:LISTED])} and {len(names) - LISTED} more"
    return f"{', '.join(names[:-1])} and {names[-1]}"
