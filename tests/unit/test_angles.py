"""Angles: degrees with their unit where people read them, radians in data, either where they are given."""

from __future__ import annotations

import csv
import json
from math import degrees, radians
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.solved import solved

import pliant
from pliant import gallery
from pliant.cli import main
from pliant.core.angular import is_angle
from pliant.files.writer import plain
from pliant.flex.report import flex_text


def run(*words: object) -> Any:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def peg(tmp_path: Path) -> Path:
    """A peg that is turned: its objective is an angle."""
    pliant.save(gallery.load("square-peg"), path := tmp_path / "peg.toml")
    return path


def turn(clearance: float) -> float:
    return pliant.solve(gallery.load("square-peg").with_(clearance=clearance)).objective


def test_a_sweep_prints_an_angle_in_degrees_and_writes_it_in_radians(peg: Path, tmp_path: Path):
    files = [tmp_path / f"turns.{suffix}" for suffix in ("csv", "json")]
    outputs = [word for file in files for word in ("-o", file)]
    names = "objective,poses.peg[2],gap"
    done = run("sweep", peg, "clearance=0.1,0.2", "--report", names, "--jobs", 1, *outputs)
    low, high = turn(0.1), turn(0.2)
    for name in ("objective", "poses.peg[2]"):
        line = f"  {name:<18} {degrees(low):.6g}° (clearance=0.1) to {degrees(high):.6g}° (clearance=0.2)"
        assert line in done.stdout
    assert f"  {'gap':<18} 0.1 (clearance=0.1) to 0.2 (clearance=0.2)" in done.stdout
    rows = list(csv.DictReader(files[0].read_text().splitlines()))
    assert [float(row["objective"]) for row in rows] == [low, high]
    data = json.loads(files[1].read_text())
    assert data["in_radians"] == ["objective", "poses.peg[2]"]
    assert data["rows"][1]["figures"]["objective"] == high


def test_the_curve_of_a_sweep_is_in_degrees(peg: Path):
    table = pliant.sweep(peg, {"clearance": [0.1, 0.2]}, ["objective", "gap"], jobs=1)
    curve = table.plot("objective")
    assert curve.y_label == "objective (deg)"
    assert curve.series[0].y.tolist() == pytest.approx([degrees(turn(0.1)), degrees(turn(0.2))])
    assert (table.plot("gap").y_label, table.plot("gap").series[0].y.tolist()) == ("gap", [0.1, 0.2])


def test_other_commands_are_swept_with_their_own_angles(peg: Path):
    table = pliant.sweep(peg, {"clearance": [0.2]}, ["bodies.peg"], command="play", jobs=1)
    assert table.angles == {"bodies.peg.turn[0]", "bodies.peg.turn[1]"}


@pytest.mark.slow
def test_a_search_prints_its_goal_and_limits_in_degrees_and_takes_them(peg: Path, tmp_path: Path):
    words = ["clearance=0.15:0.4", "--goal", "objective = 3 deg", "--limit", "poses.peg[2] <= 4 deg"]
    done = run("optimize", peg, *words, "--jobs", 1, "--json", tmp_path / "best.json")
    assert done.stdout.startswith("Meets objective = 3°, at clearance = ")
    assert "  poses.peg[2] <= 4° " in done.stdout
    assert f"{degrees(turn(0.2)):.5g}°" in done.stdout  # as it stands
    assert "within by 1° (25.00%)" in done.stdout
    data = json.loads((tmp_path / "best.json").read_text())
    assert data["best"]["goal"] == pytest.approx(radians(3), rel=1e-4)
    assert data["in_radians"] == ["objective", "poses.peg[2]"]


def test_a_search_draws_its_goal_in_degrees(peg: Path):
    found = pliant.optimize(peg, {"clearance": [0.1, 0.2]}, "objective = 3 deg", jobs=1)
    drawn = found.plot()
    assert (drawn.title, drawn.y_label) == ("objective = 3°", "objective (deg)")
    assert sorted(drawn.series[0].y.tolist()) == pytest.approx([degrees(turn(0.1)), degrees(turn(0.2))])
    assert drawn.series[-1].y[-1] == pytest.approx(degrees(turn(0.2)))  # the nearer one


@pytest.mark.slow
def test_samples_print_and_draw_their_spread_in_degrees(peg: Path):
    spread = {"clearance": "uniform:0.01"}
    found = pliant.tolerances(peg, limits=["objective <= 4 deg"], samples=8, spreads=spread, jobs=1)
    said = found.summary()
    assert "  objective <= 4°          kept by 8 of 8" in said
    assert f"as it stands {degrees(turn(0.2)):.6g}°" in said
    assert f"{degrees(found.figures['objective'].mean):.6g}° ± " in said
    bars, end = found.plot().series
    assert (found.plot().x_label, end.name, end.x.tolist()) == (
        "objective (deg)",
        "objective <= 4°",
        pytest.approx([4, 4]),
    )
    assert bars.x.mean() == pytest.approx(degrees(turn(0.2)), rel=0.1)
    assert found.to_dict()["in_radians"] == ["objective"]
    assert found.table()["objective"][0] == pytest.approx(turn(0.2), rel=0.1)


def test_compare_shows_angles_in_degrees_and_keeps_radians_in_its_data(tmp_path: Path):
    models = [gallery.load("square-peg").with_(clearance=clearance) for clearance in (0.2, 0.3)]
    compared = pliant.compare(*models)
    first, second = degrees(turn(0.2)), degrees(turn(0.3))
    assert f"objective is {first:.5g}° and {second:.5g}° (" in compared.summary()
    line = next(line for line in compared.summary().splitlines() if "poses.peg[2]" in line)
    assert line.split()[1:3] == [f"{first:.5g}°", f"{second:.5g}°"]
    line = next(line for line in compared.summary().splitlines() if line.startswith("  gap"))
    assert line.split()[1:3] == ["0.2", "0.3"]
    data = compared.to_dict()
    assert data["figures"][1]["first"] == turn(0.2)  # type: ignore[index, call-overload]
    assert {"objective", "poses.peg[2]"} <= set(data["in_radians"])  # type: ignore[arg-type]


def test_compare_knows_the_angles_of_results_that_were_saved(tmp_path: Path):
    paths = [tmp_path / "first.json", tmp_path / "second.json"]
    for path, clearance in zip(paths, (0.2, 0.3), strict=True):
        pliant.save(pliant.solve(gallery.load("square-peg").with_(clearance=clearance)), path)
    assert f"objective is {degrees(turn(0.2)):.5g}° and" in pliant.compare(*paths).summary()
    assert pliant.load(paths[0]) == solved("square-peg")


def test_a_pose_has_its_angle_in_degrees_where_a_length_is_sought_too():
    drawers = [gallery.load("drawer").with_(clearance=clearance) for clearance in (1.0, 1.2)]
    compared = pliant.compare(*drawers)
    angles = {one.name for one in compared.figures if one.angle}
    assert angles == {"poses.case[2]", "poses.drawer[2]"}


def test_the_angles_of_a_linkage_are_those_of_motors_that_turn():
    turning, pushed = solved("hoeken").in_radians, solved("lift-table").in_radians
    for name in ("angles (least)", "absolute[0] (largest)", "transmission.0.at[0]", "max(angles)"):
        assert is_angle(name, turning)
        assert not is_angle(name, pushed)
    assert is_angle("transmission.0.worst", pushed)
    assert not any(is_angle(name, turning) for name in ("joints.P[0]", "sensitivity.P.A-B", "length_error"))


def test_the_angles_of_a_fastener_are_those_of_its_pawls():
    paths = solved("two-hooks").in_radians
    for name in ("events.change.angle", "back.events.0.angle", "end.angles.left", "back.ramps.hook.bent"):
        assert is_angle(name, paths)
    assert not any(is_angle(name, paths) for name in ("end.t", "peak_force", "events.0.travel"))


@pytest.mark.few(1)
@pytest.mark.parametrize("given", ["3 deg", "3°", "0.05235987755982988", "0.05235987755982988 rad"])
def test_the_limit_of_a_turn_is_an_angle_with_its_unit_or_in_radians(peg: Path, given: str):
    done = run("loosen", peg, "--limit", given, "--accuracy", 0.2)
    assert done.exit_code == 0, done.output
    assert "keeps the flex within 3°." in done.stdout
    same = pliant.loosen(peg, limit=given, accuracy=0.2)
    number = pliant.loosen(peg, limit=radians(3), accuracy=0.2)
    assert same.clearance == pytest.approx(number.clearance, rel=1e-9)
    assert same.to_dict()["limit"] == pytest.approx(radians(3))
    assert same.plot("flex").y_label == "flex (deg)"
    assert same.plot("flex").series[1].y[0] == pytest.approx(3)


def test_a_file_keeps_the_angle_that_it_was_given(peg: Path):
    data = plain(gallery.load("square-peg"))
    limits = {"loosen": {"limit": "3 deg"}, "brace": {"limit": "1/2 deg"}}
    model = pliant.load({**data, "study": {**data["study"], **limits}})
    pliant.save(model, peg)
    assert 'limit = "3 deg"' in peg.read_text()
    assert pliant.load(peg) == model
    assert (model.study.loosen.flex_limit, model.study.brace.flex_limit) == (radians(3), radians(0.5))


@pytest.mark.parametrize("command", ["loosen", "brace"])
def test_an_angle_is_refused_as_the_limit_of_a_length(command: str, tmp_path: Path):
    model = gallery.load("drawer")
    data = plain(model)
    with pytest.raises(pliant.InputError, match=rf"study\.{command}\.limit: .*3 deg.* is an angle, and what"):
        pliant.load({**data, "study": {**data["study"], command: {"limit": "3 deg"}}})
    with pytest.raises(pliant.InputError, match=r"^limit: .*3 deg.* is an angle"):
        getattr(pliant, command)(model, limit="3 deg")
    pliant.save(model, tmp_path / "drawer.toml")
    refused = run(command, tmp_path / "drawer.toml", "--limit", "3 deg")
    assert refused.exit_code == 2
    assert "--limit: '3 deg' is an angle, and what [study] maximises is none" in refused.stderr


@pytest.mark.parametrize("given", ["0 deg", "-3 deg", "3 furlongs", "wide", 0, -1])
def test_a_limit_that_is_none_is_refused(given: Any):
    with pytest.raises(pliant.InputError, match="limit"):
        pliant.loosen(gallery.load("square-peg"), limit=given)


def test_charts_and_tables_along_a_motion_have_a_turn_in_degrees():
    result = solved("square-peg")
    chart = result.plot("progress")
    assert chart.y_label == "objective (deg)"
    assert chart.series[0].y[-1] == pytest.approx(degrees(result.objective))
    assert result.table()["objective (deg)"][-1] == pytest.approx(degrees(result.objective))
    assert solved("drawer").plot("progress").y_label == "objective (mm)"


def test_a_flex_under_loads_is_no_angle():
    beam = gallery.load("loaded-beam")
    assert flex_text(beam, 0.5) == "0.5"
    assert not any(is_angle("objective", result.in_radians) for result in (solved("loaded-beam"),))
    stages = gallery.load("square-peg").with_(
        study={"maximize": [], "stages": [{"maximize": [{"body": "peg", "direction": [1, 0]}]}]}
    )
    assert "°" not in flex_text(stages, 0.5)
