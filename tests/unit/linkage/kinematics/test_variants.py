"""Batches of variants: the same as one by one, on any number of threads, in flat memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from pliant.core.errors import PliantError
from pliant.linkage.generate import four_bar, jansen, linkage, slider_crank, triad
from pliant.linkage.kinematics import variants
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.kinematics.poses import openness, positions
from pliant.linkage.kinematics.variants import stream_variants, variant_curves
from pliant.linkage.structure.rule_plan import RulePlan
from pliant.linkage.structure.sides import sides

TURN = 2 * np.pi * np.arange(100)[None] / 100
FOUR_BAR = linkage({"A": 0, "B": 1j, "C": 3 + 2j, "D": 4}, "AD", ("A B", "B C", "C D"))


def shaken(plan: RulePlan, count: int, by: float, seed: int = 0) -> np.ndarray:
    return plan.drawn + by * np.random.default_rng(seed).normal(size=(count, *plan.drawn.shape))


@pytest.mark.parametrize(("model", "by"), [(jansen(), 1.0), (slider_crank(1, 3, 0.2), 0.1)])
def test_a_batch_gives_what_each_variant_gives_alone(model, by):
    plan = compile_plan(model)
    drawings = shaken(plan, 100, by)
    traced = [len(model.joints) - 1, 1]
    points, reached = variant_curves(plan, drawings, TURN, traced)
    for drawn, found, closes in zip(drawings, points, reached, strict=True):
        poses = positions(plan, TURN, drawn, signs=sides(plan.ops, drawn))
        np.testing.assert_allclose(found, poses.x[traced], rtol=0, atol=1e-13 * plan.structure.size)
        c, _ = openness(poses, np.zeros_like(poses.x))
        np.testing.assert_array_equal(closes, np.abs(c).max(axis=0) <= 1)


def test_threads_do_not_change_a_bit(monkeypatch):
    plan = compile_plan(jansen())
    drawings = shaken(plan, 600, 1.0)
    on_two = variant_curves(plan, drawings, TURN, 7)
    monkeypatch.setattr(variants, "PIECES", 1)
    alone = variant_curves(plan, drawings, TURN, 7)
    np.testing.assert_array_equal(on_two[0], alone[0])
    np.testing.assert_array_equal(on_two[1], alone[1])


def test_a_variant_keeps_the_side_of_its_own_drawing():
    plan = compile_plan(FOUR_BAR)
    mirrored = plan.drawn * [1, -1]
    points, _ = variant_curves(plan, np.array([plan.drawn, mirrored]), np.array([[0.3, -0.3]]), 2)
    np.testing.assert_allclose(points[1, 0, 0], points[0, 0, 0, ::-1], atol=1e-14)
    np.testing.assert_allclose(points[1, 0, 1], -points[0, 0, 1, ::-1], atol=1e-14)


def test_poses_beyond_the_limit_of_a_rocker_are_not_reached():
    """Ground 4, crank 3, coupler 2, rocker 2.5: the crank gets to 78.58484 degrees on either side."""
    plan = compile_plan(four_bar(4, 3, 2, 2.5, 0.0))
    angles = np.radians([[-78.5849, -78.5848, 0, 78.5848, 78.5849]])
    _, reached = variant_curves(plan, plan.drawn[None], angles, 2)
    assert reached[0].tolist() == [False, True, True, True, False]


def test_a_flat_drawing_reaches_nothing():
    plan = compile_plan(FOUR_BAR)
    flat = plan.drawn.copy()
    flat[2] = 0.5 * (flat[1] + flat[3])
    assert not variant_curves(plan, flat[None], TURN, 2)[1].any()


def test_coupled_joints_are_refused_by_name():
    plan = compile_plan(triad())
    with pytest.raises(PliantError, match=r"C, D, E.*one by one.*linkage\.follow"):
        variant_curves(plan, plan.drawn[None], TURN, 3)


def test_drawings_of_another_linkage_are_refused():
    plan = compile_plan(jansen())
    with pytest.raises(PliantError, match=r"\(5, 4, 2\).*\(V, 8, 2\)"):
        variant_curves(plan, np.zeros((5, 4, 2)), TURN, 7)


def test_a_stream_gives_every_variant_once_and_in_order(monkeypatch):
    monkeypatch.setattr(variants, "BLOCK", 64)
    plan = compile_plan(jansen())
    drawings = shaken(plan, 300, 1.0)
    pieces = (drawings[first : first + 100] for first in range(0, 300, 100))
    blocks = list(stream_variants(plan, pieces, TURN, 7, lambda _drawn, points, _reached: points.copy()))
    assert [len(block) for block in blocks] == [64, 36] * 3
    np.testing.assert_array_equal(np.concatenate(blocks), variant_curves(plan, drawings, TURN, 7)[0])
    whole = list(stream_variants(plan, drawings, TURN, 7, lambda drawn, _points, _reached: len(drawn)))
    assert whole == [64] * 4 + [44]


def test_the_memory_of_a_stream_does_not_grow_with_its_length(monkeypatch):
    monkeypatch.setattr(variants, "BLOCK", 512)
    plan = compile_plan(jansen())

    def peak(blocks: int) -> int:
        made = (shaken(plan, 512, 1.0, seed) for seed in range(blocks))
        tracemalloc.start()
        reached = sum(stream_variants(plan, made, TURN, 7, lambda _d, _p, closes: int(closes.sum())))
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert reached > 0
        return used

    peak(1)
    assert peak(16) < 1.1 * peak(2)
