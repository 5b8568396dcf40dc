"""DXF drawings to parts: entities, blocks, layers, units, and files that are broken."""

import math
from pathlib import Path
from typing import Any

import pytest
from tests.unit.files.sheets import dxf, halved_shelf

from pliant.core.errors import InputError
from pliant.files.drawings.drawing_reader import read_parts


def parts_of(
    folder: Path, draw: Any, version: str = "R2010", units: int = 4, **settings: Any
) -> dict[str, Any]:
    return read_parts(str(dxf(folder / "drawing.dxf", draw, version, units)), False, **settings)


def rounded_slot(space: Any) -> None:
    """A slot 20 long and 10 wide between the centres of its round ends: a polyline with bulges."""
    space.add_lwpolyline([(0, 0, 0), (20, 0, 1), (20, 10, 0), (0, 10, 1)], format="xyb", close=True)


SLOT = 20 * 10 + math.pi * 25
ENTITIES = {
    "bulges": (lambda space, _: rounded_slot(space), SLOT),
    "polyline": (
        lambda space, _: space.add_polyline2d(
            [(0, 0, 0), (20, 0, 1), (20, 10, 0), (0, 10, 1)], format="xyb", close=True
        ),
        SLOT,
    ),
    "circle": (lambda space, _: space.add_circle((5, 5), 20), math.pi * 400),
    "mirrored": (
        lambda space, _: space.add_circle((5, 5), 20, dxfattribs={"extrusion": (0, 0, -1)}),
        math.pi * 400,
    ),
    "ellipse": (lambda space, _: space.add_ellipse((0, 0), (20, 5), 0.5), math.pi * (400 + 25) / 2),
    "spline": (lambda space, _: closed_spline(space), None),
}


def closed_spline(space: Any) -> None:
    """Cubic Bézier quarters of a circle of radius 20, as one spline."""
    k = 20 * 0.5522847498
    points = [
        (20, 0),
        (20, k),
        (k, 20),
        (0, 20),
        (-k, 20),
        (-20, k),
        (-20, 0),
        (-20, -k),
        (-k, -20),
        (0, -20),
        (k, -20),
        (20, -k),
        (20, 0),
    ]
    knots = [0] * 4 + [1] * 3 + [2] * 3 + [3] * 3 + [4] * 4
    spline = space.add_spline(dxfattribs={"degree": 3})
    spline.control_points, spline.knots = [(*point, 0) for point in points], knots


@pytest.mark.parametrize("entity", ENTITIES)
def test_entities_have_the_area_they_are_drawn_with(tmp_path: Path, entity: str):
    draw, area = ENTITIES[entity]
    found = parts_of(tmp_path, draw, chord=0.01)
    assert len(found["parts"]) == 1
    expected = area or math.pi * 400
    assert found["parts"][0]["area"] == pytest.approx(
        expected, abs=0.02 * 2 * math.sqrt(math.pi * expected) + 0.5 * (area is None)
    )


def test_lines_and_arcs_that_meet_are_a_loop_however_they_run(tmp_path: Path):
    def draw(space: Any, _: Any) -> None:
        space.add_line((20, 0), (0, 0))
        space.add_arc((20, 5), 5, -90, 90)
        space.add_line((20.004, 10.003), (0, 10))
        space.add_line((0, 0.05), (0, 10))

    found = parts_of(tmp_path, draw, close=0.1)
    assert [part["area"] for part in found["parts"]] == pytest.approx([200 + math.pi * 12.5], abs=1)
    assert max(gap["width"] for gap in found["gaps"]) == pytest.approx(0.05)
    assert not found["open"]
    tight = parts_of(tmp_path, draw, close=0.01)
    assert not tight["parts"]
    assert min(one["gap"] for one in tight["open"]) == pytest.approx(0.05)


def test_blocks_within_blocks_are_placed_turned_and_scaled(tmp_path: Path):
    def draw(space: Any, document: Any) -> None:
        document.blocks.new("tab").add_lwpolyline([(0, 0), (10, 0), (10, 10), (0, 10)], close=True)
        pair = document.blocks.new("pair")
        pair.add_blockref("tab", (0, 0))
        pair.add_blockref("tab", (30, 0), dxfattribs={"rotation": 90})
        space.add_blockref("pair", (100, 0), dxfattribs={"xscale": 2, "yscale": 2})

    found = parts_of(tmp_path, draw)
    assert sorted(part["centre"] for part in found["parts"]) == [
        pytest.approx([110, 10]),
        pytest.approx([150, 10]),
    ]
    assert [part["name"] for part in found["parts"]] == ["tab 1", "tab 2"] or {
        p["name"] for p in found["parts"]
    } == {"tab 1", "tab 2"}


@pytest.mark.parametrize(("code", "wide"), [(1, 254), (4, 10), (5, 100), (6, 10_000), (0, 10)])
def test_units_of_the_header_scale_the_drawing(tmp_path: Path, code: int, wide: float):
    found = parts_of(
        tmp_path, lambda space, _: space.add_lwpolyline([(0, 0), (10, 0), (10, 5)], close=True), units=code
    )
    assert found["parts"][0]["size"][0] == pytest.approx(wide)
    assert bool(found["notes"]) == (code == 0)


def test_layers_that_are_off_and_lines_that_are_not_cut_are_listed(tmp_path: Path):
    def draw(space: Any, document: Any) -> None:
        halved_shelf(space, document)
        document.layers.add("old").off()
        space.add_circle((50, 50), 5, dxfattribs={"layer": "old"})
        space.add_line((9, -10), (9, 310), dxfattribs={"linetype": "CENTER"})
        space.add_linear_dim(base=(0, -30), p1=(0, 0), p2=(18, 0)).render()
        space.add_hatch()

    found = parts_of(tmp_path, draw)
    told = {(one["what"], one["layer"]): one["why"] for one in found["left_out"]}
    assert "off" in told["CIRCLE", "old"]
    assert "CENTER" in told["LINE", "0"]
    assert "not cut" in told["line", "DIMENSIONS"]
    assert told["DIMENSION", "0"] == told["HATCH", "0"] == "is no line"
    assert len(found["parts"]) == 2


def test_words_name_parts_of_an_old_drawing_too(tmp_path: Path):
    found = parts_of(tmp_path, halved_shelf, "R12")
    assert {part["name"] for part in found["parts"]} == {"shelf", "CUT"}


def test_a_block_in_itself_and_a_nan_are_told_with_their_entity(tmp_path: Path):
    def cycle(space: Any, document: Any) -> None:
        document.blocks.new("a").add_blockref("b", (1, 0))
        document.blocks.new("b").add_blockref("a", (0, 1))
        space.add_blockref("a", (0, 0))

    with pytest.raises(InputError, match="inserts itself: a → b → a"):
        parts_of(tmp_path, cycle)
    path = dxf(tmp_path / "nan.dxf", lambda space, _: space.add_line((7.25, 0), (10, 0)))
    path.write_text(path.read_text().replace("7.25", "nan"))
    with pytest.raises(
        InputError, match=r"LINE #\w+ on layer '0': has a coordinate that is no finite number"
    ):
        read_parts(str(path), False)


@pytest.mark.parametrize("grid", [(1000, 1000), (30_000, 30_000)])
def test_an_insert_of_a_million_copies_is_refused_at_once(tmp_path: Path, grid: tuple[int, int]):
    def draw(space: Any, document: Any) -> None:
        document.blocks.new("dot").add_line((0, 0), (1, 1))
        counts = {"column_count": grid[0], "row_count": grid[1], "column_spacing": 1, "row_spacing": 1}
        space.add_blockref("dot", (0, 0), dxfattribs=counts)

    with pytest.raises(InputError, match="are the limit"):
        parts_of(tmp_path, draw)


def test_a_file_cut_short_is_read_as_far_as_it_goes_and_that_is_said(tmp_path: Path):
    path = dxf(
        tmp_path / "cut.dxf", lambda space, _: space.add_lwpolyline([(0, 0), (10, 0), (10, 5)], close=True)
    )
    text = path.read_text()
    path.write_text(text[: len(text) * 9 // 10])
    found = read_parts(str(path), False)
    assert found["parts"]
    assert "read all the same" in found["notes"][0]
    path.write_text(text.replace("10.0\n", "10.0x\n"))
    assert "broken" in read_parts(str(path), False)["notes"][0]
    path.write_text("hello\nworld\n")
    with pytest.raises(InputError, match="cannot be read as DXF"):
        read_parts(str(path), False)
