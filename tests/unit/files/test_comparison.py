"""Two designs side by side: every figure of both answers, and both in one picture."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import pliant
from pliant import InputError
from pliant.cli import main
from pliant.files.comparison import ComparisonStatus, compare_results
from pliant.view.beside import beside


def drawer(clearance):
    return pliant.gallery.load("drawer").with_(clearance=clearance)


@pytest.fixture(scope="module")
def loosened():
    return pliant.compare(drawer(1.0), drawer(1.4))


def test_figures_of_both_answers_stand_beside_each_other(loosened):
    figures = {one.name: one for one in loosened.figures}
    first, second = (pliant.solve(drawer(clearance)) for clearance in (1.0, 1.4))
    assert (figures["objective"].first, figures["objective"].second) == (first.objective, second.objective)
    assert figures["objective"].change == second.objective - first.objective
    assert figures["gap"].change == pytest.approx(0.4)
    shares = (first.contacts[0].share, second.contacts[0].share)
    assert (
        figures["contacts.case–drawer.share"].first,
        figures["contacts.case–drawer.share"].second,
    ) == shares
    assert loosened.status is ComparisonStatus.DIFFERENT
    assert "objective is 4.9697 and 6.9403 (+39.7 %)" in loosened.summary().partition("\n")[0]


def test_a_design_is_like_itself(loosened):
    again = pliant.compare(drawer(1.0), drawer(1.0))
    assert again.status is ComparisonStatus.ALIKE
    assert again.differences == ()
    assert "Alike" in again.summary()


def test_the_two_are_drawn_apart_and_run_together(loosened):
    motion = loosened.motion
    own = [result.motion for result in loosened.results]
    assert motion.frames == max(one.frames for one in own)
    assert len(motion.bodies) == len(set(motion.bodies)) == 4
    end, last = motion.poses[-1], [one.poses[-1] for one in own]
    assert end[:2] == pytest.approx(last[0])
    shift = end[2:] - last[1]
    assert shift[:, 0] == pytest.approx(np.full(2, shift[0, 0]))
    assert np.abs(shift[:, 1:]).max() == 0
    width = np.ptp(np.vstack([ring for shape in own[0].shapes for ring in shape.rings])[:, 0])
    assert shift[0, 0] > width


@pytest.mark.parametrize(
    ("first", "second"), [("jansen", "strandbeest-edited"), ("pulled", "pulled"), ("two-hooks", "two-hooks")]
)
def test_every_kind_of_model_can_be_compared(first, second):
    compared = pliant.compare(pliant.gallery.load(first), pliant.gallery.load(second))
    assert (compared.status is ComparisonStatus.ALIKE) == (first == second)
    assert json.loads(json.dumps(compared.to_dict()))["figures"]
    assert pliant.view.figure(compared.motion) is not None


def test_both_are_asked_what_is_asked_for():
    compared = pliant.compare(drawer(1.0), drawer(2.0), command="play")
    figures = {one.name: one for one in compared.figures}
    one, two = (pliant.play(drawer(clearance)).bodies[0].turn[1] for clearance in (1.0, 2.0))
    assert (figures["bodies.drawer.turn[1]"].first, figures["bodies.drawer.turn[1]"].second) == (one, two)


def test_different_questions_are_not_compared():
    with pytest.raises(InputError, match="is 'assembly' of the first and 'linkage' of the second"):
        pliant.compare(drawer(1.0), pliant.gallery.load("jansen"))
    with pytest.raises(InputError, match="does not take"):
        pliant.compare(pliant.gallery.load("jansen"), pliant.gallery.load("klann"), command="play")
    flexed, played = pliant.solve(drawer(1.0)), pliant.play(drawer(1.0))
    with pytest.raises(InputError, match="command: is 'flex' of the first and 'play'"):
        compare_results(flexed, played)


def test_one_without_an_answer_is_said(loosened):
    short = pliant.solve(drawer(1.0), steps=1, tolerance=1e-9)
    compared = compare_results(loosened.results[0], short)
    assert compared.status is ComparisonStatus.NO_ANSWER
    assert compared.status.exit_code == 3


def test_a_plane_and_a_space_motion_have_no_room_beside_each_other(loosened):
    plane, space = (pliant.solve(pliant.gallery.load(name)).motion for name in ("pulled", "sarrus"))
    assert beside(plane, space, ("A", "B")) is plane


def test_the_command_takes_models_and_saved_results(tmp_path):
    first, second = tmp_path / "tight.toml", tmp_path / "loose.json"
    pliant.save(drawer(1.0), first)
    pliant.save(pliant.solve(drawer(1.4)), second)
    picture, told = tmp_path / "both.png", tmp_path / "both.json"
    asked = ["compare", str(first), str(second), "-o", str(picture), "--json", str(told)]
    done = CliRunner().invoke(main, asked, catch_exceptions=False)
    assert done.exit_code == 0
    assert "tight and loose differ" in done.output
    assert picture.stat().st_size > 1000
    assert [result["status"] for result in json.loads(told.read_text())["results"]] == ["converged"] * 2
    refused = CliRunner().invoke(main, ["compare", str(first), str(tmp_path / "none.toml")])
    assert refused.exit_code == 2
    assert "there is no such file" in refused.output
