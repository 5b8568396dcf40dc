"""Rounded outlines, of hundreds of short edges: floats and exact numbers go the same way, and floats pay."""

from __future__ import annotations

import time

import numpy as np
import pytest
from shapely.geometry import Polygon

from pliant.snap.model import Fastener, SnapStudy
from pliant.snap.result import SnapResult
from pliant.snap.solve import solve

HOOK = [(-1, 2.25), (-1, -15), (0, -15), (3, -11), (1, -10.2), (1, 2.25)]
HOUSING = [(1.2, -12.3), (12, -12.3), (12, 0), (1.2, 0)]


def rounded(corners: list[tuple[float, float]], radius: float, segments: int) -> list[list[str]]:
    """An outline with round corners, each of so many edges."""
    area = Polygon(corners)
    for by in (-radius, 2 * radius, -radius):
        area = area.buffer(by, quad_segs=segments)
    return [[f"{x:.4f}", f"{y:.4f}"] for x, y in np.array(area.exterior.coords)[:-1]]


def clip(segments: int) -> Fastener:
    beam = {"length": 15, "thickness": 2, "width": 8, "material": "PC"}
    hook = {"name": "hook", "hinge": ["0", "16.75"], "outline": rounded(HOOK, 0.3, segments), "beam": beam}
    return Fastener.model_validate(
        {
            "friction": "0.2",
            "root": {"velocity": [0, -1], "until": "16.5"},
            "pawls": [hook],
            "obstacles": [{"outline": rounded(HOUSING, 0.4, segments)}],
        }
    )


def told(result: SnapResult) -> list[tuple[str, float]]:
    return [(event.kind, round(event.travel, 6)) for way in result.ways for event in way.events]


def ran(model: Fastener, arithmetic: str) -> tuple[SnapResult, float]:
    began = time.process_time()
    result = solve(model, SnapStudy(reverse=True, frames=2, arithmetic=arithmetic))
    return result, time.process_time() - began


@pytest.mark.parametrize("segments", [8, 40])
def test_floats_and_exact_numbers_go_the_same_way_round_corners(segments):
    exact, fast = (ran(clip(segments), arithmetic)[0] for arithmetic in ("exact", "float"))
    assert told(exact) == told(fast)
    for one, other in zip(exact.ways, fast.ways, strict=True):
        assert one.peak_force == pytest.approx(other.peak_force, rel=1e-9)
        if one.threshold is not None:
            assert one.threshold.value == pytest.approx(other.threshold.value, rel=1e-6)


@pytest.mark.slow
def test_a_thousand_vertices_take_a_second_exactly_and_a_tenth_by_floats():
    """With room for a busy machine; it was 7 and 11 seconds."""
    model = clip(100)
    assert len(model.pawls[0].outline) + len(model.obstacles[0].outline) > 900
    ran(clip(8), "exact"), ran(clip(8), "float")  # what is compiled once
    assert min(ran(model, "exact")[1] for _ in range(2)) < 2.5
    assert min(ran(model, "float")[1] for _ in range(3)) < 0.4
