from dataclasses import replace
from math import inf, pi, sqrt
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import pliant
from pliant import InputError
from pliant.cli import main
from pliant.flex.diagnosis.contact_forces import ContactForce
from pliant.flex.lp.many import maximize_all, share_program
from pliant.flex.lp.solvers import solve_program
from pliant.flex.lp.workers import maximize_in_processes
from pliant.flex.play.ellipsoid import _forward
from pliant.flex.play.play import _polytope
from pliant.flex.status import PlayStatus

HALF, GAP = 5.0, 0.2


def square(half: float) -> list[list[float]]:
    return [[-half, -half], [half, -half], [half, half], [-half, half]]


def in_a_frame(half: float = HALF, gap: float = GAP, **more) -> dict:
    """A square block with a gap all round it."""
    wall = half + gap
    frame = {"name": "frame", "outline": square(wall + 3), "holes": [square(wall)], "fixed": True}
    bodies = [frame, {"name": "block", "outline": square(half)}]
    return {"pliant": 1, "kind": "assembly", "bodies": bodies, **more}


def row_of_blocks(count: int, gap: float) -> dict:
    """Blocks between two walls, each a gap from the next; only x is free."""
    blocks = [{"name": f"b{k}", "outline": square(1), "pose": [(2 + gap) * k, 0, 0]} for k in range(count)]
    left = {"name": "left", "outline": square(1), "pose": [-(2 + gap), 0, 0], "fixed": True}
    right = {"name": "right", "outline": square(1), "pose": [(2 + gap) * count, 0, 0], "fixed": True}
    limits = [{"body": block["name"], "y": [0, 0], "rotation": 0} for block in blocks]
    return {"pliant": 1, "kind": "assembly", "bodies": [left, *blocks, right], "limits": limits}


def test_a_block_in_a_frame_has_the_play_of_its_gaps():
    (block,) = pliant.play(in_a_frame()).bodies
    assert block.x == pytest.approx((-GAP, GAP), rel=1e-3)
    assert block.y == pytest.approx((-GAP, GAP), rel=1e-3)
    assert block.turn == pytest.approx((-GAP / HALF, GAP / HALF), rel=1e-3)  # corners against the walls


def test_a_turn_brings_a_corner_no_further_than_its_gap():
    # The corner (h, h) goes x − hθ along x, and |x| + h|θ| ≤ g.
    result = pliant.play(in_a_frame(), body="block", point=[HALF, HALF], direction=[1, 0])
    assert result.point is not None
    assert result.point.linear == pytest.approx((-GAP, GAP), rel=1e-3)


def test_a_point_reaches_a_polygon_around_it():
    result = pliant.play(in_a_frame(), body="block", directions=8)
    assert result.point is not None
    assert np.abs(result.point.outline).max() == pytest.approx(GAP, rel=1e-3)
    assert result.point.outline[1] == pytest.approx((GAP, GAP), rel=2e-2)  # along the diagonal, its corner


def test_played_for_real_it_goes_as_far_as_flex_says():
    model = pliant.load(in_a_frame())
    result = pliant.play(model, body="block", direction=[1, 0])
    assert result.point is not None
    flexed = pliant.solve(model, maximize=[{"body": "block", "direction": [1, 0]}])
    assert result.point.played[1].distance == flexed.objective
    assert result.point.played[1].status is flexed.status


@pytest.mark.parametrize("count", [1, 3, 6])
def test_gaps_of_a_row_add_up_and_their_squares_do(count):
    gap = 0.25
    result = pliant.play(row_of_blocks(count, gap), body=f"b{count - 1}", direction=[1, 0], draws=40_000)
    assert result.point is not None
    stack = result.point.stack_up
    assert stack is not None
    # To the left all gaps but the last are used up, to the right the last alone.
    assert stack.worst == pytest.approx((count * gap, gap), rel=1e-3)
    assert stack.rss == pytest.approx((sqrt(count) * gap, gap), rel=1e-3)
    assert sum(part.share for part in stack.parts) == pytest.approx(1)


@pytest.mark.slow
def test_monte_carlo_of_equal_gaps_has_the_spread_of_uniform_numbers():
    count, gap = 8, 0.25
    model = row_of_blocks(2 * count - 1, gap)
    result = pliant.play(model, body=f"b{count - 1}", direction=[1, 0], draws=200_000)
    assert result.point is not None
    stack = result.point.stack_up
    assert stack is not None
    # Each half draw is one of `count` gaps forward or of `count` backward: variance Σ a²/3 over both halves.
    variance = sum((part.forward**2 + part.backward**2) / 6 for part in stack.parts) - sum(
        ((part.forward - part.backward) / 4) ** 2 for part in stack.parts
    )
    assert stack.deviation == pytest.approx(sqrt(variance), rel=0.01)
    again = pliant.play(model, body=f"b{count - 1}", direction=[1, 0], draws=200_000)
    assert again == result  # a seed is a seed


def test_the_ellipsoid_of_a_block_in_a_frame_has_the_largest_volume():
    """|x| + h|θ| ≤ g and |y| + h|θ| ≤ g: half axes g√(2/3), g√(2/3) and (g ρ/h)/√3 about the middle."""
    result = pliant.play(in_a_frame(), body="block")
    assert result.point is not None
    ellipsoid = result.point.ellipsoid
    assert ellipsoid is not None
    arm = sqrt(2) * HALF
    assert ellipsoid.arm == pytest.approx(arm)
    largest = GAP**3 * (2 / 3) * arm / HALF / sqrt(3)
    assert np.prod(ellipsoid.half_lengths) == pytest.approx(largest, rel=0.02)
    assert np.abs(ellipsoid.centre).max() < 0.01 * GAP


@pytest.mark.slow
def test_an_ellipsoid_is_inside_the_polytope():
    model = pliant.gallery.load("eight-blocks")
    result = pliant.play(model, body="upper_right")
    assert result.point is not None
    ellipsoid = result.point.ellipsoid
    assert ellipsoid is not None
    polytope = _polytope(model, "upper_right")
    centroid = polytope.system.parts.members.centre[polytope.system.parts.member("upper_right")]
    generator = np.random.default_rng(1)
    weights = np.array([1.0, 1.0, ellipsoid.arm])
    for direction in generator.normal(size=(20, 3)):
        cost = polytope.cost("upper_right", centroid, direction * weights)
        (end,) = polytope.extremes([cost])
        reach = direction @ ellipsoid.centre + np.linalg.norm(ellipsoid.axes @ direction)
        assert reach <= end.objective * (1 + 1e-3)


@pytest.mark.parametrize("name", ["eight-blocks", "dovetail-slide", "picture-frame", "laser-box"])
def test_one_polytope_gives_what_programs_one_by_one_give(name):
    model = pliant.gallery.load(name)
    moving = pliant.play(model).bodies[0].name
    polytope = _polytope(model, moving)
    generator = np.random.default_rng(7)
    costs = [generator.normal(size=polytope.program.cost.shape) for _ in range(6)]
    shared = share_program(polytope.program)
    for cost, solution in zip(costs, maximize_all(shared, costs, 1e-6), strict=True):
        alone = solve_program(polytope.with_cost(cost), "highs", 1e-8)
        assert solution.objective == pytest.approx(alone.objective, rel=1e-4)
        assert (solution.forces * polytope.program.gaps).sum() == pytest.approx(
            alone.objective - np.abs(solution.bound_forces * polytope.program.bound).sum(), rel=1e-3
        )


def test_what_nothing_bounds_is_free_and_json_can_say_so():
    data = in_a_frame()
    data["bodies"][0] = {
        "name": "floor",
        "outline": [[-9, -6], [9, -6], [9, -5.2], [-9, -5.2]],
        "fixed": True,
    }
    result = pliant.play(data)
    assert result.status is PlayStatus.FREE
    (block,) = result.bodies
    assert block.y[1] == inf
    assert block.y[0] == pytest.approx(-GAP, rel=1e-3)
    assert result.to_dict()["bodies"]["block"]["y"][1] is None
    assert "Free" in result.summary()


def test_a_program_that_no_solver_solves_is_said_to_be(monkeypatch):
    def give_up(shared, costs, tolerance):
        return (replace(shared.maximize(cost, tolerance), solved=False, message="gave up") for cost in costs)

    monkeypatch.setattr("pliant.flex.play.polytope.maximize_all", give_up)
    result = pliant.play(in_a_frame())
    assert result.status is PlayStatus.SOLVER_FAILED
    assert "gave up" in result.summary()


def test_ctrl_c_keeps_what_was_measured():
    def stop(done, total, text):
        raise KeyboardInterrupt

    with pytest.raises(pliant.Interrupted) as stopped:
        pliant.play(pliant.gallery.load("dovetail-slide"), progress=stop)
    assert stopped.value.result.status is PlayStatus.INTERRUPTED
    assert len(stopped.value.result.bodies) == 1


def test_parts_that_overlap_as_drawn_have_no_play():
    result = pliant.play(in_a_frame(gap=-0.2))
    assert result.status is PlayStatus.OVERLAPPING
    assert not result.bodies


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        ({"body": "blok"}, "Did you mean 'block'"),
        ({"body": "frame"}, "is fixed"),
        ({"direction": [1, 0]}, "names no body"),
        ({"body": "block", "spin": True, "direction": [1, 0]}, "both direction and spin"),
        ({"body": "block", "draws": 3}, "draws"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_a_cure(keywords, said):
    with pytest.raises(InputError, match=said):
        pliant.play(in_a_frame(), **keywords)


def test_the_command_says_it_in_a_sentence_a_table_and_a_picture(tmp_path: Path):
    model = pliant.gallery.path("eight-blocks")
    out = CliRunner().invoke(main, ["play", str(model), "-o", str(tmp_path / "play.png")])
    assert out.exit_code == 0
    assert "has the most play" in out.output
    assert (tmp_path / "play.png").stat().st_size > 10_000
    one = CliRunner().invoke(main, ["play", str(model), "--body", "upper_right", "--draws", "1000"])
    assert all(
        word in one.output for word in ("worst case", "root sum squares", "Monte Carlo", "flexibility")
    )


def test_a_turn_has_a_stack_up_in_degrees():
    result = pliant.play(in_a_frame(), body="block", spin=True)
    assert result.point is not None
    assert result.point.direction is None
    assert f"{np.degrees(GAP / HALF):.3g}" in result.summary()
    assert result.point.linear[1] < pi


def test_the_play_of_a_weld_is_that_of_its_members_each_at_its_own_centroid():
    data = in_a_frame()
    data["bodies"][1]["outline"] = [[-HALF, -HALF], [0, -HALF], [0, HALF], [-HALF, HALF]]
    data["bodies"].append({"name": "half", "outline": [[0, -HALF], [HALF, -HALF], [HALF, HALF], [0, HALF]]})
    data["welds"] = [{"bodies": ["block", "half"]}]
    result = pliant.play(data)
    first, second = result.bodies
    assert first.turn == pytest.approx(second.turn, rel=1e-3)
    assert first.x == pytest.approx((-GAP, GAP), rel=1e-3)
    # Half a width beside the middle a turn lifts: |y| + h|θ| ≤ g gives y at x = h/2 just as much.
    assert second.y == pytest.approx((-GAP, GAP), rel=1e-3)


@pytest.mark.slow
def test_contacts_of_either_way_are_named_as_flex_names_them():
    result = pliant.play(
        pliant.gallery.load("eight-blocks"), body="upper_right", direction=[1, 0], ranges=True
    )
    assert result.point is not None
    assert result.point.stack_up is not None
    names = {part.name for part in result.point.stack_up.parts}
    assert ContactForce("contact", ("lower_left", "left"), 0, (0, 0), 0).name in names
    assert any(part.share_range is not None for part in result.point.stack_up.parts)


def test_programs_in_processes_have_the_answers_of_programs_here():
    model = pliant.gallery.load("eight-blocks")
    polytope = _polytope(model, "upper_right")
    generator = np.random.default_rng(3)
    costs = [generator.normal(size=polytope.program.cost.shape) for _ in range(9)]
    here = list(maximize_all(polytope.shared, costs, 1e-6))
    there = list(maximize_in_processes(polytope.shared, polytope.program, costs, 1e-6, 2))
    assert [one.objective for one in there] == [one.objective for one in here]
    for one, other in zip(there, here, strict=True):
        assert one.step.tolist() == other.step.tolist()
        assert one.bound_forces.tolist() == other.bound_forces.tolist()


def test_where_no_process_can_be_started_programs_are_solved_here(monkeypatch):
    polytope = _polytope(pliant.gallery.load("drawer"), "drawer")
    costs = [np.array([[1.0, 0.0, 0.0]]), np.array([[0.0, 0.0, 1.0]])]
    monkeypatch.setattr("pliant.flex.lp.workers.sys.executable", "/nowhere/python")
    found = list(maximize_in_processes(polytope.shared, polytope.program, costs, 1e-6, 2))
    assert [one.objective for one in found] == [
        one.objective for one in maximize_all(polytope.shared, costs, 1e-6)
    ]


def test_a_process_that_dies_is_done_without(monkeypatch):
    polytope = _polytope(pliant.gallery.load("drawer"), "drawer")
    costs = [np.array([[1.0, 0.0, 0.0]])] * 3
    monkeypatch.setattr("pliant.flex.lp.workers.SERVE", "raise SystemExit(1)")
    found = list(maximize_in_processes(polytope.shared, polytope.program, costs, 1e-6, 1))
    assert [one.objective for one in found] == [
        one.objective for one in maximize_all(polytope.shared, costs, 1e-6)
    ]


def test_an_axis_points_the_same_way_whatever_signs_the_decomposition_chose():
    axes = np.array([[1e-9, -2.0, 1.0], [-3.0, 3.0, 0.0], [0.0, 0.0, -1.0]])
    wanted = np.array([[-1e-9, 2.0, -1.0], [3.0, -3.0, 0.0], [0.0, 0.0, 1.0]])
    assert np.array_equal(_forward(axes), wanted)
    assert np.array_equal(_forward(-axes), wanted)
