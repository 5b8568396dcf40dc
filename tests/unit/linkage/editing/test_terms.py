"""Every target's and guard's derivative passes a Taylor test: what is left over shrinks as the square."""

from itertools import pairwise

import numpy as np
import pytest

from pliant.linkage.editing.guards import openness_at, openness_gradients
from pliant.linkage.editing.problem import prepare
from pliant.linkage.editing.samples import nearest_points
from pliant.linkage.editing.terms import evaluate_poses
from pliant.linkage.generate import jansen, linkage, slider_crank, triad
from pliant.linkage.kinematics.poses import positions
from pliant.linkage.model import EditStudy, Linkage

RING = [[-38 + 36 * np.cos(a), -82 + 12 * np.sin(a)] for a in np.linspace(0, 2 * np.pi, 40, endpoint=False)]
EDITS = {
    "a drawn joint": {"move": [{"joint": "P5", "to": [-40, -90]}]},
    "a joint at an angle": {"move": [{"joint": "P5", "to": [-40, -90], "at": 1.3}]},
    "through on time": {"curves": [{"point": "P5", "through": [[-40, -60], [0, -90]], "at": [3.0, 1.0]}]},
    "scaled": {"curves": [{"point": "P5", "scale": [1.2, 0.9]}]},
    "shifted": {"curves": [{"point": "P3", "shift": [3, -2]}]},
    "at rest": {"curves": [{"point": "P5", "dwell": [0.2, 0.9]}]},
    "a length": {"lengths": [{"joints": ["C", "P1"], "to": 55}]},
    "a whole link": {"lengths": [{"link": "P2-P4-P5", "scale": 1.2}]},
    "timing": {"keep": {"timing": ["P5"]}},
    "a box": {"enclosure": [{"box": [[-90, -80], [10, 20]]}]},
}


def remainders(model: Linkage, edit: dict, seed: int = 1) -> list[float]:
    """|r(z + h d) − r(z) − h J d| for h = 1e-2, 5e-3, … of the size."""
    problem, state = prepare(model, EditStudy.model_validate(edit), 40)
    rng = np.random.default_rng(seed)
    way = rng.normal(size=state.drawn.shape)
    way[len(model.joints) :] = 0
    (term,), size = problem.terms, problem.size

    def at(drawn):
        near = state.sampled.x if problem.plan.groups else None
        poses = positions(problem.plan, problem.drive.angles(problem.t), drawn, near)
        view, moments = evaluate_poses(problem.terms, poses, problem.drive, problem.t)
        return term.residuals(view, moments[0])

    r, slopes = at(state.drawn)
    steps = [1e-4 * size / 2**n for n in range(4)]
    return [
        float(np.linalg.norm(at(state.drawn + h * way)[0] - r - h * (slopes @ way.ravel()))) for h in steps
    ]


def slope(left: list[float]) -> float:
    return float(np.log2([a / b for a, b in pairwise(left)]).mean())


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_derivatives_of_targets_pass_a_taylor_test(edit):
    left = remainders(jansen(), edit)
    assert max(left) < 1e-12 or slope(left) == pytest.approx(2, abs=0.15)


@pytest.mark.parametrize("way", ["through", "follow", "flatten"])
def test_sums_of_squares_of_free_targets_pass_a_taylor_test(way):
    """Where the nearest place moves along, or the best line turns, the sum has the exact gradient."""
    given = {"through": [[-40, -60], [0, -95]], "follow": RING, "flatten": [-1.2, 1.2]}[way]
    edit = EditStudy.model_validate({"curves": [{"point": "P5", way: given}]})
    problem, state = prepare(jansen(), edit, 400)
    direction = np.random.default_rng(2).normal(size=state.drawn.shape)

    def at(drawn):
        poses = positions(problem.plan, problem.drive.angles(problem.t), drawn)
        view, moments = evaluate_poses(problem.terms, poses, problem.drive, problem.t)
        r, slopes = problem.terms[0].residuals(view, moments[0])
        return 0.5 * r @ r, r @ slopes @ direction.ravel()

    value, rate = at(state.drawn)
    ahead, back = (at(state.drawn + h * direction)[0] for h in (1e-5, -1e-5))
    assert (ahead - back) / 2e-5 == pytest.approx(rate, rel=2e-2 if way == "follow" else 1e-4)
    assert value > 0


def guide_on_a_link() -> Linkage:
    joints = {"A": 0, "B": 1 + 0.5j, "C": 3 + 2j, "D": 4, "E": 2.5 + 4j, "F": 5 + 3j}
    guide = {"joint": "E", "on": "B-C", "along": [[1, 3], [3, 4.5]]}
    motor = {"joint": "A", "drives": "B", "range": [0, 0.4]}
    return linkage(joints, "ADF", ("A B", "B C", "C D", "F E"), sliders=[guide], motors=[motor])


@pytest.mark.parametrize(
    "model", [jansen(), slider_crank(1, 3, 0.2), guide_on_a_link()], ids=["leg", "slider", "ride"]
)
def test_derivatives_of_guards_pass_a_taylor_test(model):
    problem, state = prepare(model, EditStudy(), 20)
    rules, poses = np.meshgrid(problem.guards.ops, np.arange(20), indexing="ij")
    pairs = np.stack([rules.ravel(), poses.ravel()], axis=1)
    slopes = openness_gradients(state.view, state.c, pairs)
    way = np.random.default_rng(3).normal(size=state.drawn.shape)
    left = []
    for n in range(4):
        h = 1e-4 * problem.size / 2**n
        moved = positions(problem.plan, problem.drive.angles(problem.t), state.drawn + h * way)
        change = openness_at(moved, 20)[pairs[:, 0], pairs[:, 1]] - state.c[pairs[:, 0], pairs[:, 1]]
        left.append(float(np.linalg.norm(change - h * (slopes @ way.ravel()))))
    assert slope(left) == pytest.approx(2, abs=0.1)


def test_targets_of_a_coupled_linkage_pass_a_taylor_test():
    motor = {"joint": "O", "drives": "A", "range": [-0.5, 0.5]}
    left = remainders(triad(motors=[motor]), {"curves": [{"point": "D", "scale": 1.3}]})
    assert slope(left) == pytest.approx(2, abs=0.1)


def test_the_nearest_place_on_a_polyline_may_be_inside_a_segment_or_at_an_end():
    line = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0]])
    found = nearest_points(np.array([[1.0, 1.0], [-1.0, 0.5], [3.0, 1.5]]), line, closed=False)
    np.testing.assert_allclose(found.places, [[1, 0], [0, 0], [2, 1.5]])
    assert found.segments.tolist() == [0, 0, 1]
    ring = nearest_points(np.array([[0.9, 1.1]]), line, closed=True)
    np.testing.assert_allclose(ring.places, [[1, 1]])
