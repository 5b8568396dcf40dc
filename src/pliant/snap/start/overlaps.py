"""Pawls or a root that lie in an obstacle at the start: who, in whom, and how deep. Touching is allowed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import shapely

from pliant.snap.faults import ROOT, Overlap, PlacedPart
from pliant.snap.geometry.penetration import outline_boxes, overlapping_pairs, penetration_depth
from pliant.snap.model import ExactVector, Fastener


def overlaps(model: Fastener) -> Iterator[Overlap]:
    """Every pawl and the root with every obstacle that it overlaps at the start."""
    for part, index in _overlapping_pairs(model, obstacle_tree(model)):
        deep = penetration_depth(part.ring, model.placed(model.obstacles[index]))
        yield Overlap(part, model.label(index), deep)


def first_overlap(model: Fastener, tree: shapely.STRtree) -> tuple[str, str] | None:
    """The first part that lies in an obstacle at the start, and that obstacle; None where all are free.

    The obstacles' tree is the same wherever a fastener starts.
    """
    for part, index in _overlapping_pairs(model, tree):
        return part.name, model.label(index)
    return None


def obstacle_tree(model: Fastener) -> shapely.STRtree:
    """The boxes about the obstacles, to be asked what is near."""
    return shapely.STRtree(outline_boxes([model.placed(obstacle) for obstacle in model.obstacles]))


def _overlapping_pairs(model: Fastener, tree: shapely.STRtree) -> Iterator[tuple[PlacedPart, int]]:
    parts = moving_parts(model)

    def obstacle(index: int) -> Sequence[ExactVector]:
        return model.placed(model.obstacles[index])

    for part, index in overlapping_pairs([part.ring for part in parts], obstacle, tree):
        yield parts[part], index


def moving_parts(model: Fastener) -> list[PlacedPart]:
    """The pawls, and the root where it has an outline."""
    pawls = [PlacedPart(f"pawls[{k}]", pawl.name, model.placed(pawl)) for k, pawl in enumerate(model.pawls)]
    rooted = model.root.outline
    return pawls if rooted is None else [*pawls, PlacedPart(f"{ROOT}.outline", ROOT, rooted)]
