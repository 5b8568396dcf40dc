"""Random assemblies: no body passes another, what is said is so, and every end is an end.

A few of each family here, more in the slow test; `python -m tests.crosscheck.campaign` takes any number.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import shapely
from tests.crosscheck.assemblies import FAMILIES, assembly
from tests.crosscheck.campaign import cases, run, tried

import pliant

FEW, MANY = 1, 2  # of each family
QUICK = ("posts", "chain", "dovetail", "turning")


@pytest.mark.few(2)
@pytest.mark.parametrize("family", [*QUICK, pytest.param("gate", marks=pytest.mark.slow)])
def test_random_assemblies_of_a_family_stand_every_check(family: str):
    tally = run(islice(cases([family], 1001), FEW))
    assert len(tally.tried) == FEW
    assert not tally.failing, tally.table()


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_many_random_assemblies_of_a_family_stand_every_check(family: str):
    tally = run(islice(cases([family], 2001), MANY))
    assert len(tally.tried) == MANY
    assert not tally.failing, tally.table()


HARD = {  # each ended short, or told another objective than its last frame's, before it was mended
    "a corner wedged in a gate, which is passed once it has turned": ("gate", 10035),
    "a way on that rises by little at a time": ("gate", 10070),
    "a part flush with others that gains by turning, to second order": ("touching", 10045),
    "links that two pivots make one": ("linked", 10036),
    "a corner that would be driven back round a post": ("chain", 30037),
    "tips that meet, with edges behind them": ("touching", 30022),
    "blocks that fill a row, of which one can be lifted out": ("touching", 30051),
    "a way without bound, and rows that bound it": ("held", 30036),
    "an overlap thinner than the least that is told apart": ("mosaic", 50027),
    "many loose parts, one of which has to be pushed aside": ("crowd", 3),
    "what a step gains is lost again in mending its overlap": ("tenon", 60004),
    "many loose parts, seen by edges that they have passed": ("crowd", 60060),
    "tips of which each is beside the other, while edges cross": ("crowd", 71005),
    "a tip on a tip, each at the end of the other's edge": ("posts", 80328),
    "a bar that fits into a gate in one place only": ("gate", 80412),
    "loose parts that could slide far at no loss": ("mosaic", 100000),
    "a tip that slides to a tip": ("turning", 100001),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", HARD)
def test_assemblies_that_failed_once_stand_every_check(what: str):
    tally = run([HARD[what]])
    assert not tally.failing, tally.table()


@pytest.mark.few(6)
@pytest.mark.parametrize("family", FAMILIES)
def test_no_two_bodies_overlap_as_drawn(family: str):
    for seed in range(10):
        model = assembly(family, seed)
        joined = {frozenset(pin.bodies) for pin in model.pins}
        polygons = []
        for body in model.bodies:
            x, y, angle = body.pose
            turned = shapely.affinity.rotate(shapely.Polygon(body.outline, body.holes), angle, (0, 0), True)
            polygons.append(shapely.affinity.translate(turned, x, y))
        for k, one in enumerate(model.bodies):
            for other, polygon in zip(model.bodies[:k], polygons, strict=False):
                if (one.fixed and other.fixed) or frozenset((one.name, other.name)) in joined:
                    continue
                shared = polygons[k].intersection(polygon)
                assert shared.area <= 1e-6 * shared.length * np.ptp(polygon.exterior.coords)


def test_a_seed_gives_the_same_assembly_again_and_another_one_another():
    assert assembly("tray", 7) == assembly("tray", 7) != assembly("tray", 8)


@pytest.mark.slow
def test_what_fails_is_left_for_a_replay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by zero")

    solve = pliant.solve
    monkeypatch.setattr(pliant, "solve", broken)
    tally = run([("gate", 3)], tmp_path)
    assert tally.failing[0].verdict.kinds() == ["error"]
    assert "by zero" in tally.table()
    left = pliant.load(tmp_path / "gate-3.json")
    assert left == assembly("gate", 3)
    monkeypatch.setattr(pliant, "solve", solve)
    assert tried("gate", 3, model=left).verdict.status != "ERROR"
