"""Proved bounds: closed forms lie between them, walks do not pass them, and what they hold for is said."""

from __future__ import annotations

import json
from itertools import pairwise
from math import asin, pi, sqrt

import numpy as np
import pytest
import shapely
from click.testing import CliRunner

import pliant
from pliant import gallery
from pliant.cli import main
from pliant.core.pose import carry
from pliant.flex.model import Assembly
from pliant.flex.problem.system import compile_system
from pliant.flex.status import ProofStatus

BLOCK = [[-9, -9], [9, -9], [9, 9], [-9, 9]]


def rectangle(width: float, height: float) -> list[list[float]]:
    return [
        [-width / 2, -height / 2],
        [width / 2, -height / 2],
        [width / 2, height / 2],
        [-width / 2, height / 2],
    ]


def in_hole(peg: list[list[float]], hole: list[list[float]], **term: object) -> Assembly:
    """A peg in a hole of a fixed block."""
    return Assembly.model_validate(
        {
            "bodies": [
                {"name": "block", "outline": BLOCK, "holes": [hole], "fixed": True},
                {"name": "peg", "outline": peg},
            ],
            "study": {"maximize": [{"body": "peg", **term}]},
        }
    )


def turn_in_slot(length: float, height: float, slot: float) -> float:
    """How far a bar turns between two walls: length·sin + height·cos = slot."""
    return asin(slot / sqrt(length**2 + height**2)) - asin(height / sqrt(length**2 + height**2))


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("model", "truth"),
    [
        (gallery.load("arm"), pi / 12),
        (in_hole(rectangle(4, 4), rectangle(4.6, 4.4), direction=[1, 0]), 0.3),
        (in_hole(rectangle(4, 4), rectangle(4.6, 4.4), direction=[3, -4]), 0.3 * 3 + 0.2 * 4),
        (in_hole(rectangle(4, 4), rectangle(4.2, 4.2), spin=1), turn_in_slot(4, 4, 4.2)),
        (in_hole(rectangle(6, 1), rectangle(9, 1.4), spin=-1), turn_in_slot(6, 1, 1.4)),
    ],
    ids=["arm of section IV", "peg sideways", "peg to a corner", "square in square", "bar in slot"],
)
def test_closed_forms_lie_between_the_bounds(model, truth):
    proof = pliant.prove(model)
    assert proof.status is ProofStatus.PROVED
    assert proof.lower <= truth <= proof.upper
    assert proof.upper - proof.lower <= 0.02 * proof.upper * (1 + 1e-9)
    assert proof.everything


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["joint-pair", "t-slot", "keyed-shaft", "lever", "drawer", "dovetail-slide"])
def test_the_interval_closes_to_2_percent_and_holds_for_everything(name):
    proof = pliant.prove(gallery.load(name))
    assert proof.status is ProofStatus.PROVED
    assert proof.everything
    assert 0 < proof.lower <= proof.upper <= proof.lower / 0.98 * (1 + 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["round-peg", "gate", "four-bar", "latch", "sliding-door", "picture-frame", "laser-box", "phone-stand",
     "tolerance-stack"],
)  # fmt: skip
def test_the_interval_of_larger_gallery_models_closes_to_2_percent(name):
    proof = pliant.prove(gallery.load(name))
    assert proof.status is ProofStatus.PROVED
    assert proof.everything
    assert 0 < proof.lower <= proof.upper <= proof.lower / 0.98 * (1 + 1e-9)


def walked_furthest(model: Assembly, walkers: int, steps: int, stride: float, seed: int) -> float:
    """The most that any of so many random walks of poses without overlap gains, by shapely alone.

    Strides are so much shorter than any part is thick that none is leapt over.
    """
    system = compile_system(model, model.study.for_command("flex"))
    parts, rng = system.parts, np.random.default_rng(seed)
    here = np.repeat(parts.drawn[None], walkers, axis=0)
    value = np.zeros(walkers)
    arm = np.concatenate([np.ones((parts.count, 2)), 1 / parts.radius[:, None]], axis=1)[parts.free]
    pairs = [
        (a, b)
        for a in range(parts.count)
        for b in range(a)
        if (parts.moving[[a, b]] >= 0).any() and (b, a) not in parts.exempt
    ]
    for _ in range(steps):
        there = here.copy()
        size = stride * 10 ** rng.uniform(-2.5, 0, (walkers, 1, 1))
        there[:, parts.free] += size * arm * rng.normal(size=(walkers, len(parts.free), 3))
        placed = [placed_polygons(parts, body, there[:, body]) for body in range(parts.count)]
        meets = np.zeros(walkers, np.bool_)
        for a, b in pairs:
            meets |= shapely.intersects(placed[a], placed[b])
        gained = np.array([system.objective.value(poses) for poses in there])
        taken = ~meets & (gained >= value - size[:, 0, 0] * rng.exponential(0.3, walkers))
        here[taken], value[taken] = there[taken], gained[taken]
    return float(value.max())


def placed_polygons(parts, body, poses):
    """Polygons of a body at poses (W, 3)."""
    outside, *holes = parts.shapes[parts.shape_of[body]]
    rings = shapely.linearrings(carry(poses[:, None], outside[None]))
    if not holes:
        return shapely.polygons(rings)
    inner = [shapely.linearrings(carry(poses[:, None], hole[None])) for hole in holes]
    return shapely.polygons(rings, holes=np.stack(inner, axis=1))


@pytest.mark.slow
def test_hundreds_of_random_walks_do_not_pass_the_bound():
    model = gallery.load("joint-pair")
    furthest = walked_furthest(model, 200, 120, 0.1, seed=1)
    proof = pliant.prove(model)
    assert 0.5 * proof.lower < furthest <= proof.upper


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "stride"),
    [("joint-pair", 0.1), ("t-slot", 0.1), ("drawer", 0.3), ("dovetail-slide", 0.02), ("picture-frame", 0.1)],
)
def test_thousands_of_random_walks_do_not_pass_the_bound(name, stride):
    model = gallery.load(name).model_copy(update={"limits": ()})
    furthest = walked_furthest(model, 1000, 200, stride, seed=2)
    proof = pliant.prove(model)
    assert 0.1 * proof.lower < furthest <= proof.upper  # eight parts of a frame walk a fifth of the way


@pytest.mark.slow
def test_a_box_that_parts_may_leave_is_said_to_be_one():
    """A bar between two long rails: up and down it is held, along them it is not."""
    rails = [{"name": n, "outline": [[-50, y], [50, y], [50, y + 1], [-50, y + 1]], "fixed": True}
             for n, y in (("below", -2.2), ("above", 1.2))]  # fmt: skip
    bar = {"name": "bar", "outline": rectangle(6, 2)}
    study = {"maximize": [{"body": "bar", "direction": [0, 1]}], "prove": {"nodes": 60}}
    proof = pliant.prove(Assembly.model_validate({"bodies": [*rails, bar], "study": study}))
    assert not proof.everything
    assert proof.touched == ("bar",)
    assert "for the box explored, which bar may leave" in proof.summary()
    assert proof.lower <= 0.2 <= proof.upper


def test_without_work_the_interval_stays_open():
    proof = pliant.prove(gallery.load("joint-pair"), gap=1e-6, nodes=3)
    assert proof.status is ProofStatus.OPEN
    assert proof.status.exit_code != 0
    assert proof.lower < proof.upper
    assert proof.summary().startswith("Open: flex between")


def test_what_has_no_end_has_no_bound():
    proof = pliant.prove(gallery.load("pencil-box"))
    assert proof.status is ProofStatus.FREE
    assert proof.to_dict()["upper"] is None


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"bodies": 1.0}, ProofStatus.OVERLAPPING),
        ({"keep": [{"body": "peg", "inside": [[5, 5], [6, 5], [6, 6]]}]}, ProofStatus.VIOLATED),
    ],
)
def test_what_is_wrong_as_drawn_is_said(change, status):
    data = in_hole(rectangle(4, 4), rectangle(4.6, 4.4), direction=[1, 0]).model_dump(exclude_defaults=True)
    if "bodies" in change:
        data["bodies"][1]["pose"] = [1.0, 0, 0]
    else:
        data |= change
    assert pliant.prove(Assembly.model_validate(data)).status is status


def test_a_flex_that_fails_has_no_proof(monkeypatch):
    from dataclasses import replace

    from pliant.flex.proof import prove as room
    from pliant.flex.status import FlexStatus

    flexed = pliant.solve(gallery.load("square-peg"))
    monkeypatch.setattr(room, "solve", lambda *_: replace(flexed, status=FlexStatus.SOLVER_FAILED))
    assert pliant.prove(gallery.load("square-peg")).status is ProofStatus.NO_ANSWER


def test_the_witness_is_free_of_overlap_by_shapely():
    proof = pliant.prove(gallery.load("joint-pair"))
    parts = compile_system(proof.model, proof.model.study.for_command("flex")).parts
    frames = proof.witness.frames.poses
    share = np.linspace(0, 1, 60)[:, None, None]
    places = np.concatenate([(1 - share) * a + share * b for a, b in pairwise(frames)])
    polygons = [
        shapely.polygons(
            shapely.linearrings(carry(places[:, body, None], parts.members.shapes[s].rings[0][None]))
        )
        for body, s in enumerate(parts.members.shape_of)
    ]
    assert shapely.distance(*polygons).min() > 0


@pytest.mark.slow
def test_flex_prove_answers_on_the_command_line(tmp_path):
    path = tmp_path / "peg.toml"
    pliant.save(in_hole(rectangle(4, 4), rectangle(4.6, 4.4), direction=[1, 0]), path)
    answer = CliRunner().invoke(main, ["flex", str(path), "--prove", "--gap", "1%", "--json", "-"])
    data = json.loads(answer.stdout)
    assert answer.exit_code == 0
    assert data["command"] == "prove"
    assert data["lower"] <= 0.3 <= data["upper"] <= 1.0101 * data["lower"]
    turned = CliRunner().invoke(
        main, ["flex", str(path), "--prove", "--spin", "peg", "-o", str(tmp_path / "p.png")]
    )
    assert "°" in turned.stdout
    assert (tmp_path / "p.png").exists()


@pytest.mark.parametrize(
    "flags", [["--gap", "2%"], ["--prove", "--gap", "200%"], ["--prove", "--gap", "near"]]
)
def test_a_gap_that_is_none_is_refused(tmp_path, flags):
    path = tmp_path / "peg.toml"
    pliant.save(in_hole(rectangle(4, 4), rectangle(4.6, 4.4), direction=[1, 0]), path)
    assert CliRunner().invoke(main, ["flex", str(path), *flags]).exit_code == 2
