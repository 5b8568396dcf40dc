"""One call: by the method asked for, with what it cannot do told, and what is done kept."""

import numpy as np
import pytest

from pliant.core.progress import Interrupted
from pliant.relax.generate import peaucellier, stewart, stewart_end
from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.solve import solve
from pliant.relax.solvers import run_state as runs
from pliant.relax.status import RelaxStatus

METHODS = ["sync", "async", "momentum", "auto"]


def texts(found):
    return [notice.text for notice in found.assessment.notices]


class Nothing:
    """An element that does nothing."""

    nodes = ("A",)

    def __call__(self, x, share):
        return np.zeros_like(x), np.zeros_like(x)


def interrupting(after):
    """Progress at which someone presses Ctrl-C at the given call."""
    calls = []

    def progress(done, total, text):
        calls.append(done)
        if len(calls) > after:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("method", METHODS)
def test_every_method_brings_a_mechanism_to_the_same_place(method):
    found = solve(stewart(1), RelaxStudy(method=method, frames=4))
    assert found.status is RelaxStatus.CONVERGED
    assert found.study.method == method
    np.testing.assert_allclose(found.points[-1], stewart_end(1), atol=1e-8)
    assert found.shares.tolist() == [0, 0.25, 0.5, 0.75, 1]


def test_methods_that_iterate_have_a_history_and_auto_has_none():
    for method in METHODS:
        found = solve(stewart(1), RelaxStudy(method=method, frames=2))
        assert bool(found.history) == (method != "auto")


def test_the_study_of_the_model_holds_unless_another_is_given():
    model = peaucellier(RelaxStudy(method="momentum", frames=2))
    assert solve(model).shares.tolist() == [0, 0.5, 1]
    assert solve(model).history
    other = solve(model, RelaxStudy(frames=1))
    assert other.shares.tolist() == [0, 1]
    assert not other.history


def test_a_mechanism_that_nothing_drives_comes_to_rest_as_drawn():
    model = peaucellier().model_copy(update={"rotors": ()})
    found = solve(model, RelaxStudy(frames=2))
    assert found.status is RelaxStatus.CONVERGED
    np.testing.assert_array_equal(found.points[-1], found.points[0])


# What auto cannot do


def slide(**guide):
    return Mechanism.model_validate(
        {
            "nodes": {"o": (0, 0), "p": (2, 0)},
            "ground": ["o"],
            "springs": [{"nodes": ["o", "p"], "stiffness": 1, "length": 1.4}],
            "guides": [{"node": "p", "line": (1, 0), **guide}],
            "loads": [{"node": "p", "force": (0, -1)}],
        }
    )


def test_auto_keeps_friction_on_its_cone():
    found = solve(slide(friction=0.5), RelaxStudy(frames=1))
    assert found.status is RelaxStatus.CONVERGED
    assert not found.history
    assert texts(found) == []
    assert found.nodes["p"][0] == pytest.approx(1.9, abs=1e-10)  # where the spring pulls with 0.5
    assert solve(slide(), RelaxStudy(frames=1)).nodes["p"][0] == pytest.approx(1.4, abs=1e-12)


def test_auto_falls_back_on_momentum_where_the_factor_would_be_too_large(monkeypatch):
    whole = solve(stewart(1), RelaxStudy(frames=2))
    monkeypatch.setattr(runs, "MOST", 20)
    found = solve(stewart(1), RelaxStudy(frames=2))
    assert found.history
    assert texts(found) == [
        "momentum relaxation instead of Newton's steps: its stiffness would hold more than 20 numbers"
    ]
    np.testing.assert_allclose(found.points[-1], whole.points[-1], atol=1e-8)


def test_auto_falls_back_on_momentum_with_elements_of_ones_own():
    found = solve(peaucellier(), RelaxStudy(frames=1), elements=[Nothing()])
    assert found.history
    (text,) = texts(found)
    assert text.endswith("the stiffness of elements of your own is not known in full")
    assert [notice.kind for notice in found.assessment.notices] == ["fallback"]


@pytest.mark.parametrize("method", ["sync", "momentum"])
def test_methods_that_are_asked_for_need_no_excuse(method):
    assert texts(solve(slide(friction=0.5), RelaxStudy(method=method, frames=1))) == []


# Progress


@pytest.mark.parametrize("method", METHODS)
def test_progress_is_reported_from_start_to_end(method):
    said = []
    solve(peaucellier(), RelaxStudy(method=method, frames=5), lambda *report: said.append(report))
    done = [report[0] for report in said]
    assert said[0][:2] == (0, 1000)
    assert done == sorted(done)
    assert len(said) > 1
    assert all(total == 1000 and text for _, total, text in said)


@pytest.mark.parametrize("method", METHODS)
def test_an_interrupted_run_keeps_its_frames(method):
    study = RelaxStudy(method=method, frames=10, settle=True)
    whole = solve(peaucellier(), study)
    with pytest.raises(Interrupted) as caught:
        solve(peaucellier(), study, interrupting(after=4))
    part = caught.value.result
    assert 1 <= len(part.frames) < len(whole.frames)
    np.testing.assert_array_equal(part.points, whole.points[: len(part.frames)])
    assert part.status is RelaxStatus.NOT_CONVERGED
    assert part.to_dict()["status"] == "not_converged"


@pytest.mark.parametrize("judged", [0, 30, 10**9])
def test_of_a_run_that_is_interrupted_no_more_frames_are_judged_than_somebody_waits_for(judged, monkeypatch):
    monkeypatch.setattr("pliant.relax.solve.JUDGED", judged)
    study = RelaxStudy(method="sync", frames=40, settle=True)
    with pytest.raises(Interrupted) as caught:
        solve(peaucellier(), study, interrupting(after=30))
    part = caught.value.result
    whole = solve(peaucellier(), study)
    most = max(judged // len(peaucellier().nodes), 3)
    assert 3 <= len(part.frames) <= most
    shares = [frame.share for frame in whole.frames]
    assert {frame.share for frame in part.frames} <= set(shares)
    assert part.frames[0].share == 0.0
    if judged == 10**9:
        assert [frame.share for frame in part.frames] == shares[: len(part.frames)]


def test_a_run_that_is_interrupted_before_its_first_frame_has_nothing_to_keep():
    class Stops(Nothing):
        def __call__(self, x, share):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        solve(peaucellier(), RelaxStudy(frames=10), elements=[Stops()])
    assert not isinstance(caught.value, Interrupted)
