"""The compiled loops that search edges in trees, as drawings of curves need, and calls that use every one."""

from __future__ import annotations

import numpy as np

from pliant.core.loops import Loops

MODULES = ("trees",)


def exercise() -> None:
    """Two squares beside each other, and the edges that are nearest to their vertices."""
    from pliant.flex.geometry import trees
    from pliant.flex.geometry.parts import compile_parts
    from pliant.flex.model import Assembly

    square = [[0, 0], [1, 0], [1, 1], [0, 1]]
    fixed = {"name": "a", "outline": square, "fixed": True}
    parts = compile_parts(
        Assembly.model_validate({"bodies": [fixed, {"name": "b", "outline": square, "pose": [1.1, 0, 0]}]})
    )
    outlines, poses = parts.outlines, parts.drawn
    trees.near_bodies(outlines.starts, outlines.point, parts.moving, poses, 1.0)
    vertex, body, edge, distance, pair = trees.near_vertices(
        np.array([[0, 1], [1, 0]]), outlines.starts, outlines.convex, poses, *outlines.trees, 1.0
    )
    trees.nearest_edges(
        vertex, body, edge, distance, pair, np.zeros(2), outlines.body,
        outlines.starts, poses, *outlines.trees, 1.0, 1e-9, 1e-9,
    )  # fmt: skip


LOOPS = Loops("flex.geometry", MODULES, exercise)
