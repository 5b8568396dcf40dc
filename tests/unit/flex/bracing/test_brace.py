from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import pliant
from pliant.cli import main
from pliant.flex.bracing.grid import cell_grid
from pliant.flex.bracing.pairs import widest_pair
from pliant.flex.generate import frame, voxels
from pliant.flex.model import Study, Term
from pliant.flex.status import BraceStatus

pytestmark = pytest.mark.usefixtures("not_shaken")


def hollow_frame(columns: int = 9, rows: int = 5, clearance: float = 0.01):
    """A frame one cell thick, pushed apart at the middle of its upper side."""
    study = Study(maximize=(Term(body=f"c{columns // 2}_{rows - 1}", direction=(0.0, 1.0)),))
    return voxels(frame(columns, rows, 1), clearance=clearance, study=study)


def test_a_frame_is_braced_from_its_lower_side_to_the_upper_that_is_lifted():
    result = pliant.brace(hollow_frame())
    assert result.status is BraceStatus.BRACED
    (added,) = result.beams
    assert [end[-2:] for end in added.beam.ends] == ["_0", "_4"]
    assert added.after < 0.9 * added.before
    assert pliant.solve(result.model).objective == pytest.approx(added.after)
    assert len(result.model.bodies) == len(hollow_frame().bodies) + 3


def test_no_single_beam_that_was_not_tried_would_have_done_better():
    model = hollow_frame(7, 4)
    result = pliant.brace(model, tried=100)
    grid = cell_grid(model)
    assert grid is not None
    each = [pliant.solve(grid.with_cells(beam.cells).model).objective for beam in grid.beams()]
    assert result.after.objective == pytest.approx(min(each))


def test_beams_are_added_until_the_flex_is_within_its_limit():
    before = pliant.solve(hollow_frame()).objective
    result = pliant.brace(hollow_frame(), limit=0.8 * before, beams=3)
    assert result.status is BraceStatus.MET
    assert result.after.objective <= 0.8 * before
    assert pliant.brace(hollow_frame(), limit=2 * before).beams == ()
    short = pliant.brace(hollow_frame(), limit=1e-6, beams=1)
    assert short.status is BraceStatus.SHORT


def test_the_widest_pair_is_in_view_of_each_other():
    result = pliant.solve(hollow_frame())
    pair = widest_pair(result)
    assert pair is not None
    (x0, y0), (x1, y1) = pair.points
    assert pair.before == pytest.approx(np.hypot(x1 - x0, y1 - y0))
    assert -0.5 < min(y0, y1) < 0.52  # from the inside of the lower side to that of the upper
    assert 3.48 < max(y0, y1) < 4.5
    assert abs(pair.change) > 0.3 * result.objective


def test_a_solid_block_has_no_place_for_a_beam():
    model = voxels(np.ones((3, 4), np.bool_), clearance=0.01)
    assert pliant.brace(model).status is BraceStatus.NO_BEAM


def test_other_assemblies_are_told_where():
    result = pliant.brace(pliant.gallery.load("picture-frame"))
    assert result.status is BraceStatus.ADVISED
    assert result.beams == ()
    assert "no beam was added" in result.summary()


def test_what_has_no_end_is_not_braced():
    assert pliant.brace(pliant.gallery.load("pencil-box")).status is BraceStatus.UNFIT


def test_a_structure_is_read_back_as_it_was_made():
    for joint in ("dovetail", "puzzle"):
        model = voxels(frame(6, 5, 1), joint=joint, clearance=0.01, size=7.0)
        grid = cell_grid(model)
        assert grid is not None
        assert grid.joint == joint
        assert grid.size == pytest.approx(7.0)
        assert grid.with_cells(()).model == model


def test_the_command_writes_the_braced_structure(tmp_path: Path):
    file = tmp_path / "frame.json"
    pliant.save(hollow_frame(), file)
    out = CliRunner().invoke(main, ["brace", str(file), "-o", str(tmp_path / "braced.toml")])
    assert out.exit_code == 0, out.output
    assert "takes the flex from" in out.output
    assert len(pliant.load(tmp_path / "braced.toml").bodies) == len(hollow_frame().bodies) + 3


@pytest.mark.slow
def test_fig_5_the_beam_that_the_paper_added_by_hand_is_found():
    """The gallery's `braced-frame` was drawn by hand, as the paper's was."""
    result = pliant.brace(pliant.gallery.load("open-frame"))
    by_hand = pliant.gallery.load("braced-frame")
    assert {body.name for body in result.model.bodies} == {body.name for body in by_hand.bodies}
