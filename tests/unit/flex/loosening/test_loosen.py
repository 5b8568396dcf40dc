from pathlib import Path

import pytest
from click.testing import CliRunner

import pliant
from pliant import InputError
from pliant.cli import main
from pliant.flex.loosening.assembling import smallest_when_moved
from pliant.flex.status import LoosenStatus


def square(half: float) -> list[list[float]]:
    return [[-half, -half], [half, -half], [half, half], [-half, half]]


def peg(gap: float = 0.0) -> dict:
    """A square peg drawn with a gap in a square hole, to be moved along x."""
    plate = {"name": "plate", "outline": square(9), "holes": [square(5 + gap)], "fixed": True}
    study = {"maximize": [{"body": "peg", "direction": [1, 0]}]}
    return {
        "pliant": 1,
        "kind": "assembly",
        "bodies": [plate, {"name": "peg", "outline": square(5)}],
        "study": study,
    }


@pytest.mark.few(1)
@pytest.mark.parametrize("limit", [0.01, 0.3, 2.0])
def test_a_peg_drawn_flush_may_have_the_limit_for_its_clearance(limit):
    result = pliant.loosen(peg(), limit=limit)
    assert result.status is LoosenStatus.FOUND
    assert result.clearance == pytest.approx(limit, rel=2e-3)
    assert result.clearance <= limit * (1 + 1e-6)
    assert result.flex <= limit
    assert result.model.clearance == result.clearance


@pytest.mark.few(1)
@pytest.mark.parametrize("count", [2, 5])
def test_in_a_row_the_clearances_add_up(count):
    bodies = [{"name": "wall", "outline": square(1), "pose": [-2, 0, 0], "fixed": True}]
    bodies += [{"name": f"b{k}", "outline": square(1), "pose": [2 * k, 0, 0]} for k in range(count)]
    study = {"maximize": [{"body": f"b{count - 1}", "direction": [-1, 0]}]}
    limits = [{"body": f"b{k}", "y": [0, 0], "rotation": 0} for k in range(count)]
    data = {"pliant": 1, "kind": "assembly", "bodies": bodies, "study": study, "limits": limits}
    result = pliant.loosen(data, limit=1.0)
    assert result.clearance == pytest.approx(1.0 / count, rel=3e-3)


@pytest.mark.slow
def test_parts_that_overlap_as_drawn_go_together_from_some_clearance_on():
    result = pliant.loosen(peg(gap=-0.1), limit=0.5)
    assert result.smallest == pytest.approx(0.1, rel=2e-3)
    assert result.clearance == pytest.approx(0.6, rel=5e-3)


def test_a_gap_that_is_drawn_cannot_be_taken_back():
    result = pliant.loosen(peg(gap=0.5), limit=0.2)
    assert result.status is LoosenStatus.IMPOSSIBLE
    assert result.clearance is None
    assert "Impossible" in result.summary()


@pytest.mark.slow
def test_a_limit_beyond_all_is_said_to_be():
    result = pliant.loosen(peg(), limit=50)
    assert result.status is LoosenStatus.UNLIMITED
    assert result.bound_by
    assert "in pieces" in result.summary()


@pytest.mark.slow
def test_a_larger_limit_never_gives_a_smaller_clearance():
    found = [
        pliant.loosen(pliant.gallery.load("square-peg"), limit=limit).clearance
        for limit in (0.02, 0.05, 0.09)
    ]
    assert None not in found
    assert found == sorted(found)


@pytest.mark.slow
def test_the_can_of_fig_6_is_loosened_to_between_its_tight_and_its_loose_joints():
    result = pliant.loosen(pliant.gallery.load("can-tight"), limit=2.0, accuracy=0.02)
    assert result.status is LoosenStatus.FOUND
    assert 0.018 < result.clearance < 0.022  # 1.67 and 2.39 by the curve over clearance


def test_without_a_limit_nothing_is_searched():
    with pytest.raises(InputError, match="limit"):
        pliant.loosen(peg())
    with pytest.raises(InputError, match="limit"):
        pliant.loosen(peg(), limit=-1)


def test_the_command_writes_the_model_with_the_clearance_found(tmp_path: Path):
    model = tmp_path / "peg.json"
    pliant.save(pliant.load(peg()), model)
    out = CliRunner().invoke(
        main, ["loosen", str(model), "--limit", "0.3", "-o", str(tmp_path / "loose.toml")]
    )
    assert out.exit_code == 0, out.output
    assert "keeps the flex within 0.3 mm" in out.output
    assert pliant.load(tmp_path / "loose.toml").clearance == pytest.approx(0.3, rel=2e-3)


@pytest.mark.parametrize(
    ("half", "hole", "pose", "moved"),
    [
        (5.0, 5.1, [0.3, 0, 0], 0.0),  # drawn against a wall, with room on the other side
        (5.05, 5.0, [0.1, 0, 0], 0.05),  # too large by a tenth, wherever it is
        (5.05, 5.0, [0.3, 0.1, 0.03], 0.05),
        (5.0, 5.1, [0, 0, 0.05], 0.0),  # drawn askew
    ],
)
def test_parts_go_together_sooner_where_they_are_moved_for_it(half, hole, pose, moved):
    data = peg()
    data["bodies"][0]["holes"] = [square(hole)]
    data["bodies"][1] |= {"outline": square(half), "pose": pose}
    model = pliant.load(data)
    drawn = pliant.solve(model, steps=1).needed
    assert smallest_when_moved(model, drawn) == pytest.approx(moved, abs=5e-4)
    assert moved < drawn


@pytest.mark.slow
def test_the_sentence_says_from_where_on_parts_go_together_when_moved():
    data = peg(gap=0.1)
    data["bodies"][1]["pose"] = [0.3, 0, 0]
    result = pliant.loosen(data, limit=1.0, accuracy=0.2)
    assert (result.smallest, result.smallest_moved) == (pytest.approx(0.2, rel=1e-2), 0.0)
    assert "from 0 mm on where they are moved for it" in result.summary()
