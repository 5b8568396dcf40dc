"""What a proof rests on: ranges hold what they stand for, programs every free pose, bounds trust nobody."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

import pliant
from pliant import gallery
from pliant.core.pose import turn
from pliant.flex.model import ProveStudy
from pliant.flex.problem.system import compile_system
from pliant.flex.proof import prove
from pliant.flex.proof.bound import BoundProgram
from pliant.flex.proof.component import Cover
from pliant.flex.proof.free_path import free_legs
from pliant.flex.proof.intervals import arc_boxes, turned_boxes
from pliant.flex.proof.linear_relaxation import Relaxation, narrow, objective_weights, relax
from pliant.flex.proof.rooms import make_setting, open_box
from pliant.flex.proof.search import BranchAndBound, Leaf
from pliant.flex.proof.witness import centroid_poses


def test_turned_vectors_lie_in_their_boxes():
    rng = np.random.default_rng(3)
    for _ in range(300):
        low, high = np.sort(rng.uniform(-3, 3, (2, 1, 2)), axis=0)
        least, most = np.sort(rng.uniform(-7, 7, (2, 1)), axis=0)
        box = turned_boxes(low, high, least, most)
        inside = low + rng.random((50, 2)) * (high - low)
        turned = turn(least + rng.random(50) * (most - least), inside)
        assert (turned >= box[0]).all()
        assert (turned <= box[1]).all()
        reached = turn(np.linspace(least[0], most[0], 4000), low)
        tight = arc_boxes(low, least, most)
        assert reached.min(axis=0) == pytest.approx(tight[0][0], abs=1e-4)
        assert reached.max(axis=0) == pytest.approx(tight[1][0], abs=1e-4)


def unknowns_of(setting, relaxation, poses):
    """The unknowns of a program that stand for poses (B + 1, 3)."""
    pairs, free = setting.pairs, setting.system.parts.free
    turns = np.append(poses[free, 2], poses[pairs.joined[:, 1], 2] - poses[pairs.joined[:, 0], 2])
    off = turns - relaxation.middle
    carrier, other = pairs.carrier, pairs.other
    seats = turn(-poses[carrier, 2], poses[other, :2] - poses[carrier, :2])
    arcs = np.stack([np.cos(off), np.sin(off)], axis=1)
    return np.concatenate([poses[free].ravel(), arcs.ravel(), seats.ravel()])


@pytest.mark.parametrize("name", ["joint-pair", "picture-frame", "latch", "four-bar"])
def test_every_free_pose_in_a_box_satisfies_its_program(name):
    """Frames of a motion without overlap, in boxes about them of many sizes."""
    model = gallery.load(name)
    system = compile_system(model, model.study.for_command("flex"))
    parts, rng = system.parts, np.random.default_rng(4)
    tight = model.model_copy(update={"clearance": 0.97 * model.clearance}) if model.clearance else model
    frames = centroid_poses(parts, pliant.solve(tight).frames.poses)
    frames = np.concatenate([frames, np.zeros((len(frames), 1, 3))], axis=1)
    reach = 1.1 * np.abs(frames - parts.drawn).max(axis=0) + 1e-3
    low, high = parts.drawn - reach, parts.drawn + reach
    low[parts.moving < 0] = high[parts.moving < 0] = parts.drawn[parts.moving < 0]
    setting = make_setting(system, low, high, system.joints.rows, system.joints.pivots)
    for poses in frames[rng.integers(0, len(frames), 12)]:
        share = rng.random() ** 2
        middle = poses + (1 - share) * rng.uniform(-0.5, 0.5) * (high - low)
        within = np.maximum(low, middle - share * reach), np.minimum(high, middle + share * reach)
        box = open_box(setting, np.minimum(within[0], poses), np.maximum(within[1], poses))
        narrowed = narrow(setting, box)
        assert narrowed is not None
        relaxation = relax(setting, narrowed)
        at = unknowns_of(setting, relaxation, poses)
        allowed = 2e-3 * system.gap + 1e-6 * parts.size  # by what the joints are left at a frame
        rows = relaxation.matrix @ at
        assert (rows >= relaxation.low - allowed).all()
        assert (rows <= relaxation.high + allowed).all()
        weights, constant = objective_weights(setting, system.objective, relaxation.middle)
        assert weights @ at + constant == pytest.approx(system.objective.value(poses), abs=1e-9 * parts.size)


def random_program(rng):
    """max c·v with −1 ≤ v ≤ 1 and rows that hold at some point."""
    matrix = rng.normal(size=(6, 4))
    inside = rng.uniform(-0.5, 0.5, 4)
    high = matrix @ inside + rng.random(6)
    nothing, one = np.zeros(0), np.ones(4)
    rows = sp.csr_matrix(matrix), np.full(6, -np.inf), high
    return Relaxation(*rows, -one, one, nothing, nothing, None), rng.normal(size=4)


def test_a_bound_holds_whatever_the_multipliers():
    rng = np.random.default_rng(5)
    for _ in range(50):
        relaxation, weights = random_program(rng)
        program = BoundProgram(relaxation, 1.0, np.zeros(4))
        found = program.maximum(weights)
        points = rng.uniform(-1, 1, (4000, 4))
        points = points[(relaxation.matrix @ points.T <= relaxation.high[:, None]).all(axis=0)]
        best = (points @ weights).max(initial=-np.inf)
        assert found.value >= best
        assert found.value == pytest.approx(weights @ found.at, abs=1e-6)
        for _ in range(20):
            assert -program._least(-weights, rng.normal(size=6)) >= best


def test_rows_that_contradict_each_other_are_proved_empty():
    matrix = sp.csr_matrix(np.array([[1.0, 1.0], [1.0, -1.0], [1.0, 0.0]]))
    one = np.ones(2)
    high = np.array([0.0, 0.0, np.inf])
    for least, empty in ((0.1, True), (-0.1, False)):
        low = np.array([-np.inf, -np.inf, least])
        relaxation = Relaxation(matrix, low, high, -one, one, np.zeros(0), np.zeros(0), None)
        assert (BoundProgram(relaxation, 1.0, np.zeros(2)).maximum(one).value == -np.inf) == empty


def test_chains_do_not_lead_through_an_empty_box():
    """A peg's two possible sides of a wall: from one no chain of boxes leads to the other."""
    wall = [[-1, -5], [1, -5], [1, 5], [-1, 5]]
    floor = [[-9, -6], [9, -6], [9, -5], [-9, -5]]
    roof = [[-9, 5], [9, 5], [9, 6], [-9, 6]]
    peg = {"name": "peg", "outline": [[-2, -4], [2, -4], [2, 4], [-2, 4]], "pose": [-4, 0, 0]}
    fixed = [{"name": n, "outline": o, "fixed": True} for n, o in (("w", wall), ("f", floor), ("r", roof))]
    model = pliant.Assembly.model_validate(
        {"bodies": [*fixed, peg], "study": {"maximize": [{"body": "peg", "direction": [1, 0]}]}}
    )
    system = compile_system(model, model.study.for_command("flex"))
    reach = np.where((system.parts.moving >= 0)[:, None], np.array([8.5, 1.0, 0.1]), 0.0)
    low, high = system.parts.drawn - reach * [0, 1, 1], system.parts.drawn + reach
    setting = make_setting(system, low, high, system.joints.rows, system.joints.pivots)
    cover = Cover(setting, open_box(setting, low, high))
    cover.separate(lambda box: bool(box.high[3, 0] > 2.0), 400, lambda _: None)
    assert max(box.high[3, 0] for box in cover.reachable()) < 2.0


def test_a_way_through_a_wall_is_not_free():
    model = gallery.load("square-peg")
    parts = compile_system(model, model.study.for_command("flex")).parts
    users = parts.user_poses(parts.drawn[None])
    far, near = users.copy(), users.copy()
    far[0, parts.free, 0] += 500.0
    near[0, parts.free, 0] += 0.05
    assert free_legs(parts, np.concatenate([users, near])) == 1
    assert free_legs(parts, np.concatenate([users, near, far])) == 1


def test_each_box_that_is_split_off_is_bounded_by_itself(monkeypatch):
    """Boxes come and go; one that lies in memory where another one lay has a bound of its own."""
    model = gallery.load("square-peg")
    system = compile_system(model, model.study.for_command("flex"))
    drawn = system.parts.drawn
    setting = make_setting(system, drawn, drawn, system.joints.rows, system.joints.pivots)
    wrong = []

    def separate(cover, forbidden, nodes, report):
        for k in range(200):
            box = open_box(setting, drawn, drawn + k % 2)
            wrong.append(forbidden(box) != bool(k % 2))
        return 0

    monkeypatch.setattr(Cover, "separate", separate)
    monkeypatch.setattr(Cover, "reachable", lambda cover: ())
    monkeypatch.setattr(
        prove,
        "bounded_leaf",
        lambda setting, objective, box, most: Leaf(box, (box.high - box.low).max(), None),
    )
    work = SimpleNamespace(target=0.5, study=ProveStudy(), nodes=0, upper=1.0, leaves=0)
    prove._cut_unreachable(work, BranchAndBound(setting, system.objective, 0.5), lambda nodes, upper: None)
    assert not any(wrong)
