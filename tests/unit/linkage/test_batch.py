"""Batches of variants: the same as one by one, on any number of threads, in flat memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from pliant.core.errors import PliantError
from pliant.linkage import batch
from pliant.linkage.batch import curves, stream
from pliant.linkage.model import Linkage
from pliant.linkage.order import sides
from pliant.linkage.plan import Plan, compile_plan
from pliant.linkage.poses import opennesses, positions

TURN = 2 * np.pi * np.arange(100)[None] / 100


def jansen() -> Linkage:
    """One leg, drawn at crank angle 0 (lengths of the classic)."""
    joints = {
        "A": (0, 0), "B": (-38, -7.8), "C": (15, 0), "P1": (-19.90, 35.77), "P2": (-33.42, -46.83),
        "P3": (-77.49, 1.93), "P4": (-69.25, -36.60), "P5": (-43.16, -91.76),
    }  # fmt: skip
    links = ["A C", "C P1", "C P2", "B P1 P3", "B P2", "P3 P4", "P2 P4 P5"]
    return linkage(joints, links, ["A", "B"], ("A", "C"))


def linkage(joints: dict, links: list[str], ground: list[str], motor: tuple[str, str], **rest) -> Linkage:
    return Linkage.model_validate(
        {
            "joints": joints,
            "links": [{"joints": link.split()} for link in links],
            "ground": ground,
            "motors": [{"joint": motor[0], "drives": motor[1]}],
            **rest,
        }
    )


def slider_crank() -> Linkage:
    joints = {"A": (0, 0), "B": (0, 1), "C": (3, 0.2)}
    sliders = [{"joint": "C", "along": [[0, 0.2], [1, 0.2]]}]
    return linkage(joints, ["A B", "B C"], ["A"], ("A", "B"), sliders=sliders)


def shaken(plan: Plan, count: int, by: float, seed: int = 0) -> np.ndarray:
    return plan.drawn + by * np.random.default_rng(seed).normal(size=(count, *plan.drawn.shape))


@pytest.mark.parametrize(("model", "by"), [(jansen(), 1.0), (slider_crank(), 0.1)])
def test_a_batch_gives_what_each_variant_gives_alone(model, by):
    plan = compile_plan(model)
    drawings = shaken(plan, 100, by)
    traced = [len(model.joints) - 1, 1]
    points, reached = curves(plan, drawings, TURN, traced)
    for drawn, found, closes in zip(drawings, points, reached, strict=True):
        poses = positions(plan, TURN, drawn, signs=sides(plan.ops, drawn))
        np.testing.assert_allclose(found, poses.x[traced], rtol=0, atol=1e-13 * plan.structure.size)
        c, _ = opennesses(poses, np.zeros_like(poses.x))
        np.testing.assert_array_equal(closes, np.abs(c).max(axis=0) <= 1)


def test_threads_do_not_change_a_bit(monkeypatch):
    plan = compile_plan(jansen())
    drawings = shaken(plan, 600, 1.0)
    on_two = curves(plan, drawings, TURN, 7)
    monkeypatch.setattr(batch, "PIECES", 1)
    alone = curves(plan, drawings, TURN, 7)
    np.testing.assert_array_equal(on_two[0], alone[0])
    np.testing.assert_array_equal(on_two[1], alone[1])


def test_a_variant_keeps_the_side_of_its_own_drawing():
    model = linkage(
        {"A": (0, 0), "B": (0, 1), "C": (3, 2), "D": (4, 0)}, ["A B", "B C", "C D"], ["A", "D"], ("A", "B")
    )
    plan = compile_plan(model)
    mirrored = plan.drawn * [1, -1]
    points, _ = curves(plan, np.array([plan.drawn, mirrored]), np.array([[0.3, -0.3]]), 2)
    np.testing.assert_allclose(points[1, 0, 0], points[0, 0, 0, ::-1], atol=1e-14)
    np.testing.assert_allclose(points[1, 0, 1], -points[0, 0, 1, ::-1], atol=1e-14)


def test_poses_beyond_the_limit_of_a_rocker_are_not_reached():
    """Ground 4, crank 3, coupler 2, rocker 2.5: the crank gets to 78.58484 degrees on either side."""
    base = 4 - 3
    along = (2**2 - 2.5**2 + base**2) / (2 * base)
    joints = {"A": (0, 0), "B": (3, 0), "C": (3 + along, np.sqrt(4 - along**2)), "D": (4, 0)}
    plan = compile_plan(linkage(joints, ["A B", "B C", "C D"], ["A", "D"], ("A", "B")))
    angles = np.radians([[-78.5849, -78.5848, 0, 78.5848, 78.5849]])
    _, reached = curves(plan, plan.drawn[None], angles, 2)
    assert reached[0].tolist() == [False, True, True, True, False]


def test_a_flat_drawing_reaches_nothing():
    model = linkage(
        {"A": (0, 0), "B": (0, 1), "C": (3, 2), "D": (4, 0)}, ["A B", "B C", "C D"], ["A", "D"], ("A", "B")
    )
    plan = compile_plan(model)
    flat = plan.drawn.copy()
    flat[2] = 0.5 * (flat[1] + flat[3])
    assert not curves(plan, flat[None], TURN, 2)[1].any()


def test_coupled_joints_are_refused_by_name():
    """A triad: three bars from a plate to a crank and two pivots, none of whose joints is found alone."""
    joints = {
        "A": (0, 0),
        "D": (5, 0),
        "E": (3, 5),
        "B": (0.5, 1),
        "F": (1.5, 2),
        "G": (3.5, 1.5),
        "H": (2.8, 3),
    }
    plan = compile_plan(linkage(joints, ["A B", "B F", "D G", "E H", "F G H"], ["A", "D", "E"], ("A", "B")))
    with pytest.raises(PliantError, match=r"F, G, H.*one by one.*follow\.run"):
        curves(plan, plan.drawn[None], TURN, 3)


def test_drawings_of_another_linkage_are_refused():
    plan = compile_plan(jansen())
    with pytest.raises(PliantError, match=r"\(5, 4, 2\).*\(V, 8, 2\)"):
        curves(plan, np.zeros((5, 4, 2)), TURN, 7)


def test_a_stream_gives_every_variant_once_and_in_order(monkeypatch):
    monkeypatch.setattr(batch, "BLOCK", 64)
    plan = compile_plan(jansen())
    drawings = shaken(plan, 300, 1.0)
    pieces = (drawings[first : first + 100] for first in range(0, 300, 100))
    blocks = list(stream(plan, pieces, TURN, 7, lambda _drawn, points, _reached: points.copy()))
    assert [len(block) for block in blocks] == [64, 36] * 3
    np.testing.assert_array_equal(np.concatenate(blocks), curves(plan, drawings, TURN, 7)[0])
    whole = list(stream(plan, drawings, TURN, 7, lambda drawn, _points, _reached: len(drawn)))
    assert whole == [64] * 4 + [44]


def test_the_memory_of_a_stream_does_not_grow_with_its_length(monkeypatch):
    monkeypatch.setattr(batch, "BLOCK", 512)
    plan = compile_plan(jansen())

    def peak(blocks: int) -> int:
        made = (shaken(plan, 512, 1.0, seed) for seed in range(blocks))
        tracemalloc.start()
        reached = sum(stream(plan, made, TURN, 7, lambda _d, _p, closes: int(closes.sum())))
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert reached > 0
        return used

    peak(1)
    assert peak(16) < 1.1 * peak(2)
