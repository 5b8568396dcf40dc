"""Path synthesis: known curves come back, drawn ones are met, and what is offered runs as promised."""

from __future__ import annotations

import numpy as np
import pytest

from pliant import gallery
from pliant.core.errors import PliantError
from pliant.core.progress import Interrupted
from pliant.linkage.generate import four_bar, jansen
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.kinematics.poses import positions
from pliant.linkage.kinematics.variants import variant_curves
from pliant.linkage.model import Linkage
from pliant.linkage.solve import solve
from pliant.linkage.status import SynthesisStatus
from pliant.linkage.synthesis import cognates, path
from pliant.linkage.synthesis.families import FOUR, SIX, SWIVEL

TURN = 2 * np.pi * np.arange(120) / 120
CUSPED = np.array([[0, 0], [4, 0], [0.6, 1.2], [3.4, 2.6], [2.5, 4.1]])  # A, D, B, C, P
FIVE = [[0, 0], [3, 1], [4, 3], [2, 4], [-0.5, 2.5]]


def curve(model: Linkage, angles: np.ndarray = TURN, point: str = "P") -> np.ndarray:
    """What a point of a linkage traces, (F, 2)."""
    plan = compile_plan(model)
    return positions(plan, angles[None]).x[plan.structure.names.index(point)].T


def to_curve(points: np.ndarray, model: Linkage, angles: np.ndarray) -> np.ndarray:
    """Distances of points from what P traces, run independently of the search, very finely."""
    traced = curve(model, angles) @ np.array([1, 1j])
    z = np.asarray(points) @ np.array([1, 1j])
    a, b = traced[:-1], traced[1:]
    part = np.clip(((z[:, None] - a) * (b - a).conj()).real / np.abs(b - a) ** 2, 0, 1)
    return np.abs(z[:, None] - a - part * (b - a)).min(axis=1)


@pytest.mark.slow
def test_a_coupler_curve_with_a_cusp_comes_back_exactly():
    known = FOUR.linkage(CUSPED)
    found = path(curve(known), candidates=30_000)
    best = found.answers[0]
    assert found.status is SynthesisStatus.FOUND
    assert best.rms < 1e-10
    assert to_curve(curve(known), best.linkage, np.linspace(0, 2 * np.pi, 20_000)).max() < 1e-6
    family = [np.array(list(model.joints.values())) for model in (known, *cognates(known))]
    grounds = np.array([best.linkage.joints[name] for name in "AD"])
    assert any(all(np.hypot(*(pivots - ground).T).min() < 1e-6 for ground in grounds) for pivots in family)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 3, 4])
def test_coupler_curves_of_random_four_bars_come_back(seed):
    drawn = FOUR.drawings(np.random.default_rng(5), 6)[seed - 1]
    found = path(curve(FOUR.linkage(drawn)), seed=seed, candidates=30_000)
    assert found.answers[0].rms < 1e-6


@pytest.mark.slow
def test_four_bars_come_within_a_few_per_cent_of_jansens_foot_and_six_bars_nearer():
    foot = curve(jansen(), point="P5")
    four = path(foot, answers=3, candidates=30_000).answers[0]
    found = path(foot, answers=3, candidates=30_000, bars="six").answers
    six = min(found, key=lambda answer: answer.rms)  # the first may be one that is farther off and binds less
    assert four.rms < 0.03
    assert four.stray < 0.08
    assert six.rms < 0.1 * four.rms
    assert six.kind.endswith("six-bar")
    assert to_curve(foot, six.linkage, np.linspace(0, 2 * np.pi, 5_000)).max() / np.ptp(foot) < 0.005


@pytest.mark.slow
@pytest.mark.parametrize(
    ("radius", "within"),
    [(lambda t: 1 + 0.35 * np.cos(t) + 0.15 * np.sin(2 * t), 0.004), (lambda _t: 1.0, 1e-3)],
)
def test_a_bean_and_an_ellipse_are_met(radius, within):
    points = np.stack([2 * radius(TURN) * np.cos(TURN), radius(TURN) * np.sin(TURN)], axis=1)
    best = path(points, answers=2, candidates=30_000).answers[0]
    assert best.rms < within
    assert best.stray < 3 * within


def straightness(points: np.ndarray) -> float:
    """How wide a line of points (F, 2) is, over its length."""
    away = points - points.mean(axis=0)
    length, width = np.ptp(away @ np.linalg.svd(away, full_matrices=False)[2].T, axis=0)
    return width / length


@pytest.mark.slow
def test_a_straight_line_is_met_along_all_of_it_and_only_there():
    """No four-bar draws a true line: how near one comes is up to the search, what is said of it is not."""
    line = np.stack([np.linspace(0, 10, 25), np.linspace(1, 6, 25)], axis=1)
    best = path(line, closed=False, answers=2, candidates=30_000).answers[0]
    angles = np.linspace(*best.linkage.motors[0].range, 5_000)
    traced, greatest = curve(best.linkage, angles), best.greatest * np.hypot(10, 5)
    assert np.hypot(*(traced[[0, -1]] - line[[0, -1]]).T).max() <= greatest * (1 + 1e-6)
    assert to_curve(line, best.linkage, angles).max() == pytest.approx(greatest, rel=1e-3)
    half_a_turn = np.linspace(-np.pi / 2, np.pi / 2, 500)
    assert straightness(traced) < 0.05 * straightness(curve(gallery.load("hoeken"), half_a_turn))


@pytest.mark.parametrize("closed", [True, False])
def test_five_points_are_passed_exactly(closed):
    found = path(FIVE, closed=closed, candidates=10_000)
    assert len(found.answers) == 5
    for answer in found.answers:
        assert answer.rms < 1e-10
        span = 2 * np.pi if closed else answer.linkage.motors[0].range[1]
        assert to_curve(FIVE, answer.linkage, np.linspace(0, span, 20_000)).max() < 1e-6


@pytest.mark.slow
def test_nine_points_of_a_coupler_curve_are_passed():
    """As many as a four-bar can pass in general."""
    points = curve(FOUR.linkage(CUSPED))[[0, 10, 25, 40, 52, 70, 85, 95, 110]]
    assert path(points, candidates=30_000).answers[0].rms < 1e-6


def test_a_dozen_points_are_points_and_not_a_line_of_many_corners():
    points = curve(four_bar(4, 1, 3.5, 3, point=0.5 + 0.7j))[::10]
    found = path(points, candidates=4_000, answers=2)
    assert len(points) == 12
    assert found.target.through
    assert found.answers[0].rms < 1e-10


def test_answers_that_come_as_near_rank_by_transmission_and_size_and_both_can_be_limited():
    free = path(FIVE, candidates=4_000)
    near = [answer for answer in free.answers if answer.rms < 1e-9]
    assert len(near) > 1
    good = [min(answer.transmission, np.pi / 6) for answer in near]
    assert good[0] == max(good)
    least = np.radians(50)
    limited = path(FIVE, candidates=4_000, transmission=least, largest=3)
    assert limited.answers
    for answer in limited.answers:
        assert answer.transmission >= least - 1e-9
        assert answer.extent <= 3
        run = solve(answer.linkage)
        assert run.toggle.worst == pytest.approx(answer.transmission, abs=0.02)


def test_an_answer_begins_at_the_first_point_and_runs_in_the_order_of_the_target():
    foot = curve(jansen(), point="P5")
    for points in (foot, foot[::-1]):
        found = path(points, answers=1, candidates=5_000)
        best = found.answers[0]
        begins = np.hypot(*(np.array(best.linkage.joints["P"]) - points[0]))
        assert begins <= (best.greatest + 1e-9) * found.target.size
        areas = [np.sum(line[:-1, 0] * np.diff(line[:, 1])) for line in (best.path, points)]
        assert areas[0] * areas[1] > 0
        angles = 2 * np.pi * np.arange(len(best.path)) / len(best.path)
        np.testing.assert_allclose(curve(best.linkage, angles), best.path, rtol=0, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("bars", ["four", "six"])
def test_every_answer_closes_all_the_way_round_and_has_no_bar_too_short_to_be_made(bars):
    angles = np.linspace(0, 2 * np.pi, 5_000)[None]
    for answer in path(curve(jansen(), point="P5"), candidates=5_000, bars=bars).answers:
        plan = compile_plan(answer.linkage)
        assert variant_curves(plan, plan.drawn[None], angles, 0)[1].all()
        bars_at = plan.drawn[answer.fit.family.bars]
        lengths = np.hypot(*(bars_at[:, 0] - bars_at[:, 1]).T)
        assert lengths.min() > 0.004 * np.ptp(plan.drawn, axis=0).max()


def test_every_answer_is_another_linkage_and_no_cognate_of_one_before():
    found = path(FIVE, candidates=10_000)
    for index, answer in enumerate(found.answers):
        places = np.array(list(answer.linkage.joints.values()))
        for other in found.answers[:index]:
            for rival in (other.linkage, *cognates(other.linkage)):
                apart = np.hypot(*np.moveaxis(places[:, None] - list(rival.joints.values()), -1, 0))
                assert (
                    max(apart.min(axis=0).max(), apart.min(axis=1).max())
                    > 0.01 * np.ptp(places, axis=0).max()
                )


def test_a_curve_of_a_bar_that_slides_through_a_swivelling_block_is_found_again():
    drawings = SWIVEL.drawings(np.random.default_rng(1), 6)
    angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)[None]
    points, reached = variant_curves(SWIVEL.plan, drawings, angles, SWIVEL.traced)
    assert reached.all()
    found = path(points[5, 0].T, bars="swivel", candidates=3_000, answers=2)
    assert found.answers[0].rms < 1e-9
    assert found.answers[0].linkage.sliders[0].joint == "D"
    assert solve(found.answers[0].linkage).status.name == "RUNS"
    first, second = (np.array([answer.linkage.joints[name] for name in "ADBP"]) for answer in found.answers)
    assert np.abs(first - second).max() > 1e-6  # more differs than the place of C along the bar


def test_the_same_seed_gives_the_same_answers_and_another_gives_others():
    once, again, other = (path(FIVE, candidates=3_000, seed=seed, answers=2) for seed in (7, 7, 8))
    assert [answer.linkage for answer in once.answers] == [answer.linkage for answer in again.answers]
    assert once.answers[0].linkage != other.answers[0].linkage


@pytest.mark.slow
@pytest.mark.parametrize("bars", ["four", "six"])
def test_errors_do_not_change_as_the_target_is_moved_turned_scaled_and_mirrored(bars):
    foot = curve(jansen(), point="P5")
    moved = 0.01 * foot @ np.array([[0.8, 0.6], [0.6, -0.8]]) + [3, -5]
    found = [path(points, answers=2, candidates=5_000, bars=bars) for points in (foot, moved)]
    errors = [[answer.rms for answer in result.answers] for result in found]
    np.testing.assert_allclose(*errors, rtol=1e-3)


def test_a_polygon_is_met_along_its_sides_where_it_is_drawn_and_at_its_corners_where_they_are_points():
    square = [[0, 0], [1, 0], [1, 1], [0, 1]]
    drawn = path(square, through=False, candidates=5_000, answers=1)
    points = path(square, candidates=5_000, answers=1)
    assert len(drawn.target.points) == 64
    assert 0.02 < drawn.answers[0].rms < 0.08
    assert points.answers[0].rms < 1e-10


def test_an_interrupted_search_hands_over_what_it_has():
    def stop(done: int, total: int | None, text: str) -> None:
        if text.startswith("polishing the best") and done == 1:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        path(FIVE, candidates=3_000, progress=stop)
    result = caught.value.result
    assert result.status is SynthesisStatus.STOPPED
    assert result.answers[0].rms < 0.05
    assert "stopped before the end" in result.summary()


def test_a_search_that_is_stopped_at_its_first_report_offers_what_it_has_unpolished():
    def stop(done: int, total: int | None, text: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        path(FIVE, candidates=9_000, progress=stop)
    result = caught.value.result
    assert result.candidates == 4096
    assert len(result.answers) == 5
    assert 1e-3 < result.answers[0].rms < 0.1


def test_a_search_among_too_few_says_that_nothing_was_found():
    found = path(FIVE, candidates=1, seed=0)
    assert found.status is SynthesisStatus.NONE
    assert found.status.exit_code == 3
    assert found.summary().startswith("No linkage: no candidate could be brought to the target (1 tried)")
    assert found.to_dict()["answers"] == []


def test_progress_counts_candidates_and_then_answers():
    said: list[tuple[int, int | None, str]] = []
    path(FIVE, candidates=9_000, answers=1, progress=lambda *report: said.append(report))
    tried = [done for done, _, text in said if "nearest" in text]
    assert tried == sorted(tried)
    assert any(text.startswith("polishing the best") for _, _, text in said)


def test_a_result_is_plain_data_with_the_best_first():
    found = path(FIVE, candidates=3_000, answers=3)
    data = found.to_dict()
    assert data["command"] == "synthesize"
    assert [Linkage.model_validate(entry["linkage"]) for entry in data["answers"]] == [
        answer.linkage for answer in found.answers
    ]
    scores = [answer.score for answer in found.answers]
    assert scores == sorted(scores)
    assert len(found.plots()["error"].series) == len(found.answers)
    assert found.motion.frames == len(found.answers[0].path)


@pytest.mark.parametrize("family", [FOUR, *SIX], ids=lambda family: family.name)
def test_every_candidate_of_a_family_closes_all_the_way(family):
    drawings = family.drawings(np.random.default_rng(3), 500)
    _, reached = variant_curves(
        family.plan, drawings, np.linspace(0, 2 * np.pi, 48, endpoint=False)[None], family.traced
    )
    assert reached.all()


@pytest.mark.slow
def test_where_one_linkage_is_by_far_the_best_others_are_offered_too():
    """An angle drawn by two straight lines: every polished four-bar comes down to the same one."""
    found = path([[0, 0], [0, 3], [2, 3]], closed=False, through=False, candidates=20_000)
    assert len(found.answers) == 5
    assert found.answers[0].rms < 0.005


def test_an_unknown_kind_of_bars_is_refused_with_those_there_are():
    with pytest.raises(PliantError, match=r"bars = 'eight'.*four, six, both, swivel"):
        path(FIVE, bars="eight")


@pytest.mark.parametrize(
    ("points", "said"),
    [
        ([[0, 0], [1, 1]], "a closed curve needs 3"),
        ([[0, 0], [0, 0], [1, 1], [0, 0]], "2 different points"),
        ([[0, 0], [1, float("nan")], [2, 2]], r"point 1 of the target is .*nan"),
        ([1, 2, 3], r"shape \(3,\)"),
        ([[1, 2], [3]], "no list of points"),
    ],
)
def test_a_target_that_is_none_is_refused(points, said):
    with pytest.raises(PliantError, match=said):
        path(points)
