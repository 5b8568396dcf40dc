"""Parts out: what is cut, how it is laid out, and what the files hold."""

import json
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import shapely
from click.testing import CliRunner

import pliant
from pliant import files, gallery
from pliant.cli import main
from pliant.core.errors import InputError, PliantError
from pliant.core.pose import carry
from pliant.files.drawings.drawing_reader import read_parts
from pliant.files.parts.cutting_list import part_bytes
from pliant.files.parts.part import Circle, Part, cut_length, part_box, piece_region
from pliant.files.parts.solids import Mesh, is_closed, meshes
from pliant.flex.geometry.bodies import body_pieces

PLATE = {"name": "plate", "outline": [[0, 0], [30, 0], [30, 20], [0, 20]]}
HOLED = {**PLATE, "holes": [[[5, 5], [10, 5], [10, 10], [5, 10]]]}


def assembly(*bodies: dict[str, Any], **keys: Any) -> pliant.Assembly:
    placed = [{"fixed": number == 0, **body} for number, body in enumerate(bodies)]
    return pliant.Assembly.model_validate({"bodies": placed, **keys})


def regions(parts: files.CuttingList) -> list[shapely.Polygon]:
    return [piece_region(piece, 0.01) for part in parts.sheet.parts for piece in part.pieces]


def outlines(model: pliant.Assembly) -> list[shapely.Polygon]:
    return [
        shapely.Polygon(
            carry(np.array(body.pose), rings[0]), [carry(np.array(body.pose), r) for r in rings[1:]]
        )
        for body in model.bodies
        for rings in body_pieces(model, body)
    ]


def volume(mesh: Mesh) -> float:
    a, b, c = (mesh.points[mesh.triangles[:, corner]] for corner in range(3))
    return float((a * np.cross(b, c)).sum() / 6)


# Layout


@pytest.mark.parametrize("name", ["eight-blocks", "jigsaw", "jansen", "two-hooks"])
def test_no_part_lies_over_another_and_all_on_the_sheet(name: str):
    found = files.parts_of(gallery.load(name), spacing=2)
    boxes = [shapely.box(*part_box(part).ravel()) for part in found.sheet.parts]
    tree = shapely.STRtree(boxes)
    pairs = tree.query(boxes, predicate="dwithin", distance=2 - 1e-9).T.tolist()
    assert all(first == second for first, second in pairs)
    room = shapely.box(0, 0, *found.sheet.size)
    assert all(room.contains(box) for box in boxes)


def test_parts_lie_in_place_as_the_model_has_them():
    model = gallery.load("arm")
    drawn = shapely.union_all(outlines(model))
    low = np.array(drawn.bounds[:2])
    made = shapely.union_all(regions(files.parts_of(model, in_place=True)))
    moved = shapely.transform(drawn, lambda points: points - low)
    assert made.symmetric_difference(moved).area < 1e-9 * drawn.area


def test_what_the_sheet_has_no_room_for_is_named():
    with pytest.raises(
        InputError, match=r"--sheet: has no room for 1 of 1 parts; the first is 'plate', 30 × 20"
    ):
        files.parts_of(assembly(PLATE), sheet=(25, 100))
    files.parts_of(assembly(PLATE), sheet=(40, 30))


def test_units_of_the_model_are_scaled_to_millimetres():
    inches = files.parts_of(assembly(PLATE, units="in"), spacing=0)
    assert inches.sheet.size == pytest.approx((30 * 25.4, 20 * 25.4))
    with pytest.raises(InputError, match="'cells' is no unit of length"):
        files.parts_of(assembly(PLATE, units="cells"))
    assert files.parts_of(assembly(PLATE), scale=2, spacing=0).sheet.size == (60, 40)


# Kerf


def test_outlines_grow_and_holes_shrink_by_half_the_kerf():
    (plate,) = regions(files.parts_of(assembly(HOLED), kerf=0.4))
    assert plate.area == pytest.approx(30.4 * 20.4 - 4.6 * 4.6, rel=1e-12)


@pytest.mark.slow
def test_cut_with_a_kerf_and_imported_with_it_the_parts_are_as_drawn(tmp_path: Path):
    drawn = gallery.load("drawn-jigsaw")
    files.write_parts(files.parts_of(drawn, kerf=0.2), tmp_path / "cut.svg")
    back = files.import_drawing(tmp_path / "cut.svg", kerf=0.2).model
    bare = files.parts_of(drawn)
    assert sum(shape.area for shape in outlines(back)) == pytest.approx(
        sum(shape.area for shape in regions(bare)), rel=1e-8
    )


CLOSING = [[0, 0], [14, 0], [14, 8], [12, 8], [12, 12], [18, 12], [18, 8], [14.6, 8], [14.6, 0], [30, 0]]
DUMBBELL = [[2, 2], [8, 2], [8, 4.6], [15, 4.6], [15, 2], [21, 2], [21, 8], [15, 8], [15, 5.4], [8, 5.4]]


@pytest.mark.parametrize(
    ("outline", "holes", "said"),
    [
        (PLATE["outline"], [[[5, 5], [6, 5], [6, 9], [5, 9]]], "hole 0 vanishes"),
        (PLATE["outline"], [[*DUMBBELL, [8, 8], [2, 8]]], "hole 0 breaks into several"),
        ([*CLOSING, [30, 20], [0, 20]], [], "a notch"),
    ],
)
def test_a_loop_that_the_kerf_closes_or_breaks_is_an_error_with_a_cure(outline: Any, holes: Any, said: str):
    body = {"name": "plate", "outline": outline, "holes": holes}
    with pytest.raises(
        InputError, match=rf"plate: {said}.* beside a kerf of 1 mm\. Cut with a smaller --kerf"
    ):
        files.parts_of(assembly(body), kerf=1)


def test_parts_that_touch_are_not_cut_in_place_with_a_kerf():
    beside = {"name": "beside", "outline": PLATE["outline"], "pose": [30.1, 0, 0]}
    with pytest.raises(InputError, match="'plate' and 'beside' are nearer to each other than the kerf"):
        files.parts_of(assembly(PLATE, beside), kerf=0.2, in_place=True)
    files.parts_of(assembly(PLATE, beside), kerf=0.09, in_place=True)


def test_the_clearance_of_a_model_comes_off_its_parts():
    (plate,) = regions(files.parts_of(assembly(PLATE, clearance=1)))
    assert plate.area == pytest.approx(29 * 19)


def test_welded_bodies_are_one_part():
    tip = {"name": "tip", "outline": [[30, 0], [40, 0], [40, 8], [30, 8]]}
    found = files.parts_of(assembly(PLATE, tip, welds=[{"bodies": ["plate", "tip"]}]))
    assert [part.name for part in found.sheet.parts] == ["plate + tip"]
    assert regions(found)[0].area == pytest.approx(600 + 80)


def test_pinned_bodies_are_drilled():
    arm = {"name": "arm", "outline": [[0, 0], [30, 0], [30, 8], [0, 8]]}
    tip = {"name": "tip", "outline": [[30, 0], [40, 0], [40, 8], [30, 8]]}
    post = {"name": "post", "outline": [[-4, -20], [12, -20], [12, 12], [-4, 12]]}
    keys: Any = {"welds": [{"bodies": ["arm", "tip"]}]}
    keys["pins"] = [{"bodies": ["arm", "post"], "at": [4, 4], "clearance": 0.2}]
    model = assembly(post, arm, tip, **keys)
    assert "not drilled" in files.parts_of(model).summary()
    parts = {part.name: part for part in files.parts_of(model, pin=3).sheet.parts}
    radii = [
        hole.radius for part in parts.values() for hole in part.pieces[0].holes if isinstance(hole, Circle)
    ]
    assert set(parts) == {"post", "arm", "tip"}  # the arm alone is in a layer of its own
    assert sorted(radii) == pytest.approx([1.5, 1.6])
    with pytest.raises(InputError, match=r"a pin hole of 9\.2 does not lie within it"):
        files.parts_of(model, pin=9)


# Linkages


def links(**settings: Any) -> dict[str, Part]:
    return {part.name: part for part in files.parts_of(gallery.load("jansen"), **settings).sheet.parts}


def test_links_are_rounded_bars_with_pin_holes_in_layers():
    model = gallery.load("jansen")
    found = links(width=8, pin=2)
    assert set(found) == {link.label for link in model.links} | {"ground"}
    crank = found["A-C"].pieces[0]
    length = np.hypot(*np.subtract(model.joints["A"], model.joints["C"]))
    area = piece_region(crank, 1e-4).area
    assert area == pytest.approx(8 * length + np.pi * 16 - 2 * np.pi, rel=2e-3)
    assert [hole.radius for hole in crank.holes if isinstance(hole, Circle)] == [1, 1]
    foot = found["P2-P4-P5"].pieces[0]
    assert len(foot.holes) == 2  # the foot itself is no pin
    assert {part.layer for part in found.values()} == {"ground", "layer 0", "layer 1", "layer 2"}


def test_links_in_place_do_not_meet_in_their_layer():
    found = files.parts_of(gallery.load("klann"), width=6, in_place=True).sheet.parts
    spacers = [part for part in found if part.name.startswith("spacer")]
    assert spacers
    for level in {part.level for part in found}:
        shapes = [piece_region(part.pieces[0], 0.01) for part in found if part.level == level]
        assert shapely.union_all(shapes).area == pytest.approx(sum(shape.area for shape in shapes))


def test_every_pin_has_a_link_or_a_spacer_in_each_layer_it_goes_through():
    found = files.parts_of(gallery.load("klann"), in_place=True)
    said = next(note for note in found.notes if note.startswith("pins go through"))
    through = {name: int(count) for name, count in (word.split() for word in said.split(": ")[1].split(", "))}
    holes = [
        (part.level, round(hole.x, 6), round(hole.y, 6))
        for part in found.sheet.parts
        for hole in part.pieces[0].holes
        if isinstance(hole, Circle)
    ]
    stacks: dict[tuple[float, float], list[int]] = {}
    for level, x, y in holes:
        stacks.setdefault((x, y), []).append(level or 0)
    assert sorted(map(len, stacks.values())) == sorted(through.values())
    assert all(sorted(levels) == list(range(min(levels), max(levels) + 1)) for levels in stacks.values())


def test_a_guide_is_a_slot():
    found = files.parts_of(gallery.load("slider-crank"))
    ground = next(part for part in found.sheet.parts if part.name == "ground")
    slots = [hole for hole in ground.pieces[0].holes if not isinstance(hole, Circle)]
    assert len(slots) == 1
    low, high = slots[0].min(axis=0), slots[0].max(axis=0)
    assert min(high - low) == pytest.approx(3, abs=0.03)


def test_plates_in_place_are_imported_as_the_linkage(tmp_path: Path):
    model = gallery.load("klann")
    files.write_parts(files.parts_of(model, in_place=True), tmp_path / "leg.svg")
    back = files.import_drawing(tmp_path / "leg.svg", kind="linkage").model
    lengths = {link.label: _length(link, back) for link in back.links}
    drawn = {link.label: _length(link, model) for link in model.links}
    assert lengths == pytest.approx(drawn, rel=1e-9)
    assert len(back.ground) == len(model.ground)


def _length(link: Any, model: Any) -> float:
    first, second = (np.array(model.joints[name]) for name in link.joints[:2])
    return float(np.hypot(*(second - first)))


def test_pins_wider_than_bars_and_holes_that_meet_are_refused():
    with pytest.raises(InputError, match="--pin: is 12 mm, and bars are 10 mm wide"):
        links(pin=12)
    with pytest.raises(
        InputError, match=r"pin holes meet each other or a slot\. Give a thinner --pin, or enlarge"
    ):
        files.parts_of(gallery.load("watt"))
    files.parts_of(gallery.load("watt"), scale=20)


# Files


@pytest.mark.parametrize("suffix", [".svg", ".dxf"])
@pytest.mark.parametrize("name", ["eight-blocks", "jigsaw", "keyed-shaft", "two-hooks"])
def test_what_was_written_is_imported_as_it_was(name: str, suffix: str, tmp_path: Path):
    found = files.parts_of(gallery.load(name))
    files.write_parts(found, tmp_path / f"parts{suffix}")
    read = read_parts(str(tmp_path / f"parts{suffix}"), False)
    back = [shapely.Polygon(one[0], one[1:]) for part in read["parts"] for one in part["pieces"]]
    wrote = regions(found)
    assert len(back) == len(wrote)
    for shape in wrote:
        twin = min(back, key=shape.hausdorff_distance)
        size = np.hypot(shape.bounds[2] - shape.bounds[0], shape.bounds[3] - shape.bounds[1])
        assert shapely.hausdorff_distance(shape.boundary, twin.boundary) < 1e-9 * size


def test_odd_names_come_through_and_are_told_apart(tmp_path: Path):
    odd = ['<b>&"x"', "a/b:c*?|=`", "ß µ 部品", "A", "a", "]]>", "..", " "]
    bodies = [
        {"name": name, "outline": PLATE["outline"], "pose": [0, 25 * k, 0]} for k, name in enumerate(odd)
    ]
    found = files.parts_of(assembly(*bodies))
    for suffix in (".svg", ".dxf"):
        files.write_parts(found, tmp_path / f"odd{suffix}")
        assert len(files.import_drawing(tmp_path / f"odd{suffix}").model.bodies) == len(odd)
    tree = ElementTree.fromstring((tmp_path / "odd.svg").read_bytes())
    labels = [one.get("{http://www.inkscape.org/namespaces/inkscape}label") for one in tree]
    assert [label for label in labels if label is not None] == odd
    ElementTree.fromstring(_model_of_package(found))


def _model_of_package(found: files.CuttingList) -> str:
    import io

    settings = found.settings.model_copy(update={"thickness": 1.0})
    found = files.CuttingList(found.title, found.sheet, settings, found.notes)
    return zipfile.ZipFile(io.BytesIO(part_bytes(found, ".3mf"))).read("3D/3dmodel.model").decode()


def test_the_same_parts_give_the_same_bytes():
    for suffix in (".svg", ".stl", ".3mf"):
        one, other = (part_bytes(files.parts_of(assembly(HOLED), thickness=2), suffix) for _ in range(2))
        assert one == other


# Solids


@pytest.mark.parametrize("name", ["jigsaw", "keyed-shaft", "klann", "cantilever-snap", "bearing"])
def test_solids_are_closed_and_have_the_volume_of_their_plate(name: str):
    found = files.parts_of(gallery.load(name), thickness=2.5)
    for mesh, part in zip(meshes(found.sheet, 2.5, 0.01), found.sheet.parts, strict=True):
        assert is_closed(mesh.triangles)
        area = sum(piece_region(piece, 0.01).area for piece in part.pieces)
        assert volume(mesh) == pytest.approx(2.5 * area, rel=1e-9)


def test_a_surface_with_a_missing_or_turned_triangle_is_not_closed():
    (mesh,) = meshes(files.parts_of(assembly(HOLED)).sheet, 1.0, 0.01)
    assert is_closed(mesh.triangles)
    assert not is_closed(mesh.triangles[1:])
    turned = mesh.triangles.copy()
    turned[0] = turned[0][::-1]
    assert not is_closed(turned)


@pytest.mark.parametrize("suffix", [".stl", ".3mf"])
def test_another_library_finds_the_solids_watertight(suffix: str, tmp_path: Path):
    trimesh = pytest.importorskip("trimesh")
    if suffix == ".3mf":
        pytest.importorskip("networkx")
        pytest.importorskip("lxml")
    found = files.parts_of(assembly(HOLED), thickness=3)
    files.write_parts(found, tmp_path / f"plate{suffix}")
    mesh = trimesh.load(tmp_path / f"plate{suffix}", force="mesh")
    assert mesh.is_watertight
    assert mesh.volume == pytest.approx(3 * (600 - 25))


def test_layers_in_place_lie_upon_each_other():
    found = files.parts_of(gallery.load("jansen"), in_place=True, thickness=2)
    floors = {part.level: mesh.points[:, 2].min() for part, mesh in
              zip(found.sheet.parts, meshes(found.sheet, 2, 0.01), strict=True)}  # fmt: skip
    assert floors == {0: 0, 1: 2, 2: 4, 3: 6}


# The command


def run(*words: str) -> Any:
    return CliRunner().invoke(main, ["parts", *words])


@pytest.fixture
def plate(tmp_path: Path) -> Path:
    files.save(assembly(HOLED, title="A plate"), tmp_path / "plate.toml")
    return tmp_path / "plate.toml"


def test_the_command_writes_every_file_and_says_what_was_cut(plate: Path):
    outputs = [plate.with_suffix(suffix) for suffix in (".svg", ".dxf", ".stl", ".3mf")]
    done = run(str(plate), *(word for path in outputs for word in ("-o", str(path))), "--thickness", "3")
    assert done.exit_code == 0, done.output
    assert all(path.stat().st_size for path in outputs)
    assert "Holds 1 part on a sheet of 40 × 30 mm." in done.output
    told = json.loads(run(str(plate), "--json", "-").stdout)
    assert told["parts"] == [{"name": "plate", "layer": "", "size": [30, 20], "cut": 120}]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--thickness", "0"], "thickness"),
        (["--thickness", "nan"], "thickness"),
        (["--thickness", "1e300"], "thickness"),
        (["--thickness", "-1"], "thickness"),
        (["--kerf", "inf"], "kerf"),
        (["--kerf", "-0.1"], "kerf"),
        (["--spacing", "x"], "spacing"),
        (["--scale", "0"], "scale"),
        (["--sheet", "0,10"], "sheet"),
        (["--chord", "0"], "chord"),
        ([], "--thickness: is not given, and .stl has solids"),
    ],
)
def test_settings_that_are_none_are_refused_and_nothing_is_written(plate: Path, words: list[str], said: str):
    svg, stl = plate.with_suffix(".svg"), plate.with_suffix(".stl")
    done = run(str(plate), "-o", str(svg), "-o", str(stl), *words)
    assert done.exit_code == 2
    assert said in done.output
    assert not svg.exists()
    assert not stl.exists()


def test_a_mechanism_has_no_parts(tmp_path: Path):
    files.save(gallery.load("excavator"), tmp_path / "machine.toml")
    done = run(str(tmp_path / "machine.toml"), "-o", str(tmp_path / "machine.svg"))
    assert done.exit_code == 2
    assert "Parts are of an assembly, a fastener or a linkage" in done.output


def test_a_suffix_that_is_none_and_a_sheet_of_very_many_are_refused(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(InputError, match="is no file of parts"):
        part_bytes(files.parts_of(assembly(PLATE)), ".png")
    monkeypatch.setattr("pliant.files.parts.cutting_list.MOST", 7)
    with pytest.raises(PliantError, match="the model has 8 parts; a sheet takes 7"):
        files.parts_of(gallery.load("eight-blocks"))


def test_the_cut_is_as_long_as_the_loops():
    (part,) = files.parts_of(assembly(HOLED)).sheet.parts
    assert cut_length(part) == 120
