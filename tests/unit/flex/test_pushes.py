"""Pushes at an end: the same for the same assembly, however it is written down."""

from __future__ import annotations

import numpy as np
import pytest
from tests.crosscheck.test_flex_ends import copied

from pliant.flex.model import Assembly
from pliant.flex.problem.system import System, compile_system
from pliant.flex.stepping.pushes import leans

ANGLE = 0.7


def system_of(model: Assembly) -> System:
    return compile_system(model, model.study.for_command("flex"))


def two_blocks() -> Assembly:
    bodies = [
        {"name": "wall", "outline": [[9, 0], [10, 0], [10, 8], [9, 8]], "fixed": True},
        {"name": "a", "outline": [[0, 0], [2, 0], [2, 1], [0, 1]]},
        {"name": "b", "outline": [[3, 4], [5, 4], [5, 7], [3, 7]]},
    ]
    study = {"maximize": [{"body": "a", "direction": [1, 0]}]}
    return Assembly.model_validate({"bodies": bodies, "study": study})


@pytest.mark.parametrize("tried", range(7))
def test_an_assembly_mirrored_and_turned_is_pushed_alike(tried: int):
    model = two_blocks()
    here, there = system_of(model), system_of(copied(model, angle=ANGLE, mirror=-1.0))
    turn = np.array([[np.cos(ANGLE), np.sin(ANGLE)], [-np.sin(ANGLE), np.cos(ANGLE)]])
    rows = (list(leans(system, np.random.default_rng(1), tried)) for system in (here, there))
    for one, other in zip(*rows, strict=True):
        moved = one.push[here.parts.free]
        moved[:, :2] = moved[:, :2] * (1, -1) @ turn
        moved[:, 2] *= -1
        assert other.push[there.parts.free][::-1] == pytest.approx(moved, abs=1e-12)
        assert (other.keep, other.stops, other.slides) == (one.keep, one.stops, one.slides)


def test_the_second_slide_is_of_the_body_that_is_wanted_once_the_others_are_pushed_back():
    system = system_of(two_blocks())
    clear, slide, back = list(leans(system, np.random.default_rng(0), 3))[:3]
    wanted, other = (system.parts.index(name) for name in ("a", "b"))
    assert clear.push[other] == pytest.approx((-1, 0, 0))
    assert not clear.push[wanted].any()
    assert np.abs(slide.push[wanted]) == pytest.approx((0, 1, 0))
    assert not slide.push[other].any()
    assert (back.push == -slide.push).all()
