"""Drawings to models that can be solved: what is chosen, what is told, and outlines taken from a drawing."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from tests.unit.files.sheets import box, dxf, jigsaw, svg, write

import pliant
from pliant.cli import main
from pliant.core.errors import InputError
from pliant.files import import_drawing, load, save


def run(*words: object) -> Any:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_a_jigsaw_goes_from_file_to_flex_in_two_commands(tmp_path: Path):
    drawing, model = write(tmp_path, jigsaw(3, 2)), tmp_path / "j.toml"
    told = run("import", drawing, "-o", model, "--clearance", "0.2")
    assert told.exit_code == 0
    assert "6 parts" in told.stdout
    assert "is fixed, the part at the lower left" in told.stdout
    assert (tmp_path / "j.import.png").exists()
    answer = run("flex", model, "--json", "-")
    assert answer.exit_code == 0
    assert json.loads(answer.stdout)["objective"] > 0.2


def test_a_box_laid_out_for_cutting_is_said_to_be_that(tmp_path: Path):
    found = import_drawing(write(tmp_path, box()), clearance=0.1)
    assert any("laid out for cutting" in one for one in found.warnings)
    assert {body.name for body in found.model.bodies} == {"front", "back", "lid"}
    assert pliant.solve(found.model).status.exit_code == 0


def shelf(space: Any, _: Any) -> None:
    """A rail between two cheeks, each drawn as lines and arcs."""
    for x in (0, 60):
        space.add_lwpolyline([(x, 0), (x + 20, 0), (x + 20, 50), (x, 50)], close=True)
    points = [(20, 20), (60, 20), (60, 30), (20, 30)]
    for start, end in zip(points, points[1:] + points[:1], strict=True):
        space.add_line(start, end)


def test_furniture_of_a_dxf_goes_from_file_to_flex(tmp_path: Path):
    found = import_drawing(dxf(tmp_path / "shelf.dxf", shelf), clearance=0.5, fixed=["part 1", "part 3"])
    names = [body.name for body in found.model.bodies]
    assert sorted(names) == ["part 1", "part 2", "part 3"]
    result = pliant.solve(found.model)
    assert result.status.exit_code == 0
    assert found.to_dict()["figures"]["strokes"] == 6


def test_a_part_much_larger_than_the_others_is_what_is_fixed(tmp_path: Path):
    body = """<rect id="tray" width="80" height="60"/><rect x="20" y="20" width="30" height="20"/>
<rect id="peg" x="22" y="22" width="20" height="15"/>"""
    found = import_drawing(write(tmp_path, svg(body)))
    assert [body.name for body in found.model.bodies if body.fixed] == ["tray"]
    assert [term.body for term in found.model.study.maximize] == ["peg"]
    assert found.model.bodies[0].holes
    with pytest.raises(
        InputError, match=r"--fixed: 'try' is not a part of the drawing\. Did you mean 'tray'"
    ):
        import_drawing(write(tmp_path, svg(body)), fixed=["try"])


def test_parts_of_one_group_are_one_body(tmp_path: Path):
    body = """<g id="wall"><rect width="10" height="30"/><rect x="30" width="10" height="30"/></g>
<rect id="bar" x="12" y="5" width="16" height="9"/>"""
    found = import_drawing(write(tmp_path, svg(body)), bodies="groups")
    outlines = {body.name: len(body.outlines) for body in found.model.bodies}
    assert outlines == {"wall": 2, "bar": 0}


@pytest.mark.parametrize(("size", "told"), [("3e6", "is 3 km wide"), ("0.003", "is 3 µm narrow")])
def test_a_part_of_an_unlikely_size_is_warned_of(tmp_path: Path, size: str, told: str):
    found = import_drawing(write(tmp_path, svg(f'<rect width="{size}" height="{size}"/>')))
    assert told in found.warnings[0]
    assert "--units" in found.warnings[0]


def test_parts_without_clearance_and_parts_that_overlap_are_warned_of(tmp_path: Path):
    tight = import_drawing(write(tmp_path, jigsaw(2, 2)))
    assert any("without any clearance" in one for one in tight.warnings)
    body = '<rect id="a" width="20" height="20"/><rect id="b" x="10" width="20" height="20"/>'
    assert "'a' and 'b' overlap by 200 mm²" in import_drawing(write(tmp_path, svg(body))).warnings


def test_open_loops_are_told_and_drawn_though_nothing_can_be_made_of_them(tmp_path: Path):
    drawing = write(tmp_path, svg('<path d="M10 10 H 30 V 20 H 10.5"/>'))
    picture = tmp_path / "seen.png"
    told = run("import", drawing, "-o", tmp_path / "m.toml", "--picture", picture)
    assert told.exit_code == 2
    assert "has no closed loop: 1 line open; the ends nearest to each other are 10 mm apart" in told.stderr
    assert picture.exists()
    assert not (tmp_path / "m.toml").exists()


def test_loose_ends_are_marked_in_the_picture(tmp_path: Path):
    found = import_drawing(
        write(tmp_path, svg('<rect width="40" height="40"/><path d="M10 60 L 30 90" stroke="red"/>'))
    )
    rings = [mark.points.mean(axis=0) for mark in found.motion.marks if mark.group == "loose end"]
    assert np.allclose(sorted(ring[0] for ring in rings), [10, 30], atol=0.5)
    assert "open" in found.facts


def test_a_model_that_is_there_is_not_written_over(tmp_path: Path):
    drawing, model = write(tmp_path, jigsaw(2, 2)), write(tmp_path, "mine", "j.toml")
    refused = run("import", drawing, "-o", model, "--no-picture")
    assert refused.exit_code == 2
    assert "would be lost" in refused.stderr
    assert model.read_text() == "mine"
    assert run("import", drawing, "-o", model, "--no-picture", "--force", "--quiet").exit_code == 0
    assert len(load(model).bodies) == 4


def test_the_report_is_json_too_and_the_model_to_stdout_without_a_file(tmp_path: Path):
    drawing = write(tmp_path, jigsaw(2, 2))
    report = json.loads(run("import", drawing, "--json", "-").stdout)
    assert report["figures"]["strokes"] == 3
    assert pliant.load(report["model"]).bodies
    assert run("import", drawing).stdout.startswith("pliant = 1")


def test_an_imported_model_is_the_same_when_it_is_read_again(tmp_path: Path):
    found = import_drawing(write(tmp_path, box()), clearance=0.1, kerf=0.2)
    save(found.model, tmp_path / "box.toml")
    assert load(tmp_path / "box.toml") == found.model


SNAP = """<g id="pawl left"><path d="M 30 10 h 8 v 40 l 6 6 l -14 10 z"/><circle cx="34" cy="16" r="1.5"/></g>
<rect id="wall" x="38.5" y="70" width="20" height="10"/>"""


def test_a_drawing_with_a_hinge_is_a_fastener(tmp_path: Path):
    found = import_drawing(write(tmp_path, svg(SNAP)), kind="fastener")
    model: Any = found.model
    (pawl,) = model.pawls
    assert (float(pawl.hinge[0]), float(pawl.hinge[1])) == pytest.approx((34, 84))
    assert [obstacle.name for obstacle in model.obstacles] == ["wall"]
    assert any("stiffness" in one for one in found.chosen)
    assert pliant.solve(model).status.exit_code == 0
    with pytest.raises(InputError, match="no part with a hinge"):
        import_drawing(write(tmp_path, jigsaw(2, 2)), kind="fastener")


def plate(name: str, points: list[tuple[float, float]]) -> str:
    """A bar around pin holes, in a group of its own."""
    xs, ys = zip(*points, strict=True)
    holes = "".join(f'<circle cx="{x}" cy="{y}" r="1"/>' for x, y in points)
    wide, high = max(xs) - min(xs) + 6, max(ys) - min(ys) + 6
    box = f'<rect x="{min(xs) - 3}" y="{min(ys) - 3}" width="{wide}" height="{high}" rx="2"/>'
    return f'<g id="{name}">{box}{holes}</g>'


def test_plates_with_pin_holes_over_each_other_are_a_linkage(tmp_path: Path):
    a, b, c, d = (20, 80), (20, 70), (60, 50), (60, 80)
    body = plate("base", [a, d]) + plate("crank", [a, b]) + plate("coupler", [b, c]) + plate("rocker", [c, d])
    found = import_drawing(write(tmp_path, svg(body)), kind="linkage")
    model: Any = found.model
    assert {link.name for link in model.links} == {"crank", "coupler", "rocker"}
    assert sorted(model.joints.values()) == sorted((x, 100 - y) for x, y in (a, b, c, d))
    assert len(model.ground) == 2
    assert pliant.solve(model).status.exit_code == 0


def test_pin_holes_may_be_polygons_of_programs_that_know_no_circles(tmp_path: Path):
    turn = np.linspace(0, 2 * np.pi, 25)[:-1]

    def rod(x: float, y: float, u: float, v: float) -> str:
        box = f"M {min(x, u) - 3} {min(y, v) - 3} H {max(x, u) + 3} V {max(y, v) + 3} H {min(x, u) - 3} z"
        rings = (zip(a + np.cos(turn), b + np.sin(turn), strict=True) for a, b in ((x, y), (u, v)))
        holes = "".join("M " + " L ".join(f"{a:.4f},{b:.4f}" for a, b in ring) + " z" for ring in rings)
        return f'<g id="rod {x} {y} {u} {v}"><path d="{box} {holes}"/></g>'

    body = rod(20, 80, 60, 80) + rod(20, 80, 20, 70) + rod(20, 70, 60, 50) + rod(60, 50, 60, 80)
    model: Any = import_drawing(write(tmp_path, svg(body)), kind="linkage", fixed=["rod 20 80 60 80"]).model
    assert len(model.links) == 3
    assert np.allclose(
        sorted(model.joints.values()), sorted([(20, 20), (60, 20), (20, 30), (60, 50)]), atol=1e-3
    )


OUTLINED = """pliant = 1
kind = "assembly"
clearance = 0.1
[shapes]
button = {{ file = "{file}", id = "peg" }}
[[bodies]]
name = "base"
outline = {{ file = "{file}", id = "{name}" }}
fixed = true
[[bodies]]
name = "moves"
shape = "button"
[study]
maximize = [{{ body = "moves", direction = [1, 0] }}]
"""
TRAY = """<rect id="tray" width="80" height="60"/><circle cx="40" cy="30" r="10"/>
<circle id="peg" cx="40" cy="30" r="9.5"/>"""


def test_a_body_takes_its_outline_and_holes_from_a_drawing(tmp_path: Path):
    write(tmp_path, svg(TRAY), "tray.svg")
    model: Any = load(write(tmp_path, OUTLINED.format(file="tray.svg", name="tray"), "model.toml"))
    assert len(model.bodies[0].holes) == 1
    result = pliant.solve(model)
    assert result.to_dict()["objective"] == pytest.approx(0.5 + 0.1, abs=0.1)
    save(model, tmp_path / "saved.toml")
    assert load(tmp_path / "saved.toml") == model


@pytest.mark.parametrize(
    ("file", "name", "told"),
    [
        (
            "tray.svg",
            "trey",
            r"bodies\[0\].outline: \"tray.svg\" has no part called 'trey'. Did you mean 'tray'",
        ),
        ("../tray.svg", "tray", "lies outside the model's folder"),
        ("/etc/tray.svg", "tray", "lies outside the model's folder"),
        ("link.svg", "tray", "lies outside the model's folder"),
        ("tray.toml", "tray", "is no .svg or .dxf file"),
        ("gone.svg", "tray", "there is no such file"),
        ("bad.svg", "tray", "mismatched tag"),
    ],
)
def test_a_drawing_that_cannot_be_used_is_a_fault_of_its_key(tmp_path: Path, file: str, name: str, told: str):
    inner = tmp_path / "inner"
    inner.mkdir()
    write(tmp_path, svg(TRAY), "tray.svg")
    write(inner, svg(TRAY), "tray.svg")
    write(inner, "<svg><g></svg>", "bad.svg")
    (inner / "link.svg").symlink_to(tmp_path / "tray.svg")
    model = write(inner, OUTLINED.format(file=file, name=name), "model.toml")
    with pytest.raises(InputError, match=told) as refused:
        load(model)
    assert all(line.startswith(str(model)) for line in str(refused.value).splitlines())


def test_a_model_without_a_folder_may_name_no_drawing():
    data = {
        "pliant": 1,
        "kind": "assembly",
        "bodies": [{"name": "a", "outline": {"file": "a.svg"}, "fixed": True}],
    }
    with pytest.raises(
        InputError, match=r"bodies\[0\].outline: names a drawing, and the model has no folder"
    ):
        pliant.load(data)
