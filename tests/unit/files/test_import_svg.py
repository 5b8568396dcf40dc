"""SVG drawings to parts: shapes, transforms, units, `use`, layers, and what is not read."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from tests.unit.files.sheets import box, jigsaw, svg, write

from pliant.core.errors import InputError
from pliant.files.drawings.drawing_reader import read_parts


def parts_of(folder: Path, body: str, size: str | None = None, **settings: Any) -> dict[str, Any]:
    text = svg(body) if size is None else svg(body, size)
    return read_parts(str(write(folder, text)), False, **settings)


def region(part: dict[str, Any]) -> shapely.Polygon:
    outline, *holes = part["pieces"][0]
    return shapely.Polygon(outline, holes)


@pytest.mark.parametrize(
    ("size", "wide"),
    [
        ('width="100mm" height="50mm" viewBox="0 0 200 100"', 20 / 2),
        ('width="4in" height="2in" viewBox="0 0 400 200"', 20 * 25.4 / 100),
        ('width="400px" height="200px"', 20 * 25.4 / 96),
        ('width="400" height="200"', 20 * 25.4 / 96),
        ('width="100%" height="100%" viewBox="0 0 400 200"', 20 * 25.4 / 96),
        ('viewBox="0 0 400 200"', 20 * 25.4 / 96),
        ('width="10cm" viewBox="0 0 100 100"', 20),
    ],
)
def test_a_square_is_as_wide_as_its_page_says(tmp_path: Path, size: str, wide: float):
    found = parts_of(tmp_path, '<rect width="20" height="20"/>', size)
    assert found["parts"][0]["size"] == pytest.approx([wide, wide], rel=1e-12)


def test_named_units_go_before_the_pages_own(tmp_path: Path):
    found = parts_of(
        tmp_path, '<rect width="2" height="3"/>', 'width="400px" height="200px"', units="in", scale=0.5
    )
    assert found["parts"][0]["size"] == pytest.approx([25.4, 38.1])


def test_y_points_up_from_the_foot_of_the_page(tmp_path: Path):
    found = parts_of(tmp_path, '<rect x="10" y="5" width="20" height="30"/>')
    assert region(found["parts"][0]).bounds == pytest.approx((10, 65, 30, 95))


@pytest.mark.parametrize(
    ("shape", "area"),
    [
        ('<circle cx="50" cy="50" r="20"/>', math.pi * 400),
        ('<ellipse cx="50" cy="50" rx="20" ry="10"/>', math.pi * 200),
        ('<rect x="10" y="10" width="40" height="20" rx="5"/>', 800 - (4 - math.pi) * 25),
        ('<path d="M30 50 a20 20 0 1 0 40 0 a20 20 0 1 0 -40 0"/>', math.pi * 400),
        ('<path d="M10 10 Q 30 50 50 10 Z"/>', 2 / 3 * 20 * 40),
        ('<path d="M0 0 C 0 40 40 40 40 0 Z"/>', 960),
        ('<polygon points="0,0 30,0 30,30"/>', 450),
        ('<polyline points="0 0 30 0 30 30 0 0"/>', 450),
    ],
)
def test_curves_are_flattened_within_the_chord_error(tmp_path: Path, shape: str, area: float):
    found = parts_of(tmp_path, shape, chord=0.01)
    drawn = region(found["parts"][0])
    assert abs(drawn.area - area) <= 0.01 * drawn.length
    coarse = region(parts_of(tmp_path, shape, chord=0.5)["parts"][0])
    assert len(coarse.exterior.coords) <= len(drawn.exterior.coords)


def test_every_chord_of_a_circle_is_within_the_stated_distance(tmp_path: Path):
    ring = np.array(
        parts_of(tmp_path, '<circle cx="50" cy="50" r="20"/>', chord=0.03)["parts"][0]["pieces"][0][0]
    )
    middles = (ring + np.roll(ring, -1, axis=0)) / 2
    assert np.allclose(np.hypot(*(ring - [50, 50]).T), 20)
    assert 20 - np.hypot(*(middles - [50, 50]).T).min() <= 0.03 * (1 + 1e-9)


def test_transforms_of_groups_and_uses_are_carried_out(tmp_path: Path):
    body = """<defs><rect id="tab" width="10" height="4"/></defs>
<g transform="translate(50 50) rotate(90) scale(2)"><use xlink:href="#tab" x="5"/></g>"""
    found = parts_of(tmp_path, body)
    assert region(found["parts"][0]).bounds == pytest.approx((42, 20, 50, 40))


def test_a_symbol_and_an_inner_page_have_a_view_of_their_own(tmp_path: Path):
    body = """<symbol id="s" viewBox="0 0 10 10"><rect width="10" height="10"/></symbol>
<use href="#s" x="10" y="10" width="30" height="30"/>
<svg x="50" y="50" width="20" height="20" viewBox="0 0 2 2"><rect width="1" height="1"/></svg>"""
    sizes = sorted(part["size"][0] for part in parts_of(tmp_path, body)["parts"])
    assert sizes == pytest.approx([10, 30])


def test_what_is_hidden_or_no_line_is_listed_with_its_layer(tmp_path: Path):
    body = """<style>.off { display: none }</style>
<g xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" inkscape:groupmode="layer"
   inkscape:label="notes" style="display:none"><rect width="90" height="90"/><text>hello</text></g>
<rect class="off" width="80" height="80"/><rect visibility="hidden" width="70" height="70"/>
<rect style="fill:none;stroke:none" width="60" height="60"/>
<image href="photo.png"/><rect width="20" height="20"/>"""
    found = parts_of(tmp_path, body)
    assert [part["size"][0] for part in found["parts"]] == [20]
    told = {(one["what"], one["layer"]): one["why"] for one in found["left_out"]}
    assert "hidden" in told["rect", "notes"]
    assert "hidden" in told["text", "notes"]
    assert told["image", ""] == "is no line"
    assert sum(one["count"] for one in found["left_out"] if one["what"] == "rect") == 4


def test_layers_are_chosen_and_left_out_by_name_and_colour(tmp_path: Path):
    body = """<g id="cut"><rect width="50" height="50" stroke="#ff0000"/></g>
<g id="marks"><rect x="10" y="10" width="5" height="5" stroke="blue"/></g>"""
    assert parts_of(tmp_path, body)["holes"] == 1
    assert parts_of(tmp_path, body, skip=["#0000ff"])["holes"] == 0
    assert [part["size"][0] for part in parts_of(tmp_path, body, only=["marks"])["parts"]] == [5]
    with pytest.raises(InputError, match="nothing in the drawing is called 'mark'"):
        parts_of(tmp_path, body, only=["mark"])


def test_a_jigsaw_that_is_cut_once_is_all_its_pieces(tmp_path: Path):
    found = read_parts(str(write(tmp_path, jigsaw(4, 3))), False)
    assert len(found["parts"]) == 12
    assert not found["open"]
    assert not found["overlaps"]
    union = shapely.union_all([region(part) for part in found["parts"]])
    assert sum(part["area"] for part in found["parts"]) == pytest.approx(union.area, rel=1e-9)
    assert union.area == pytest.approx(80 * 60 - (4 - math.pi) * 4, abs=found["chord"] * 4 * math.pi)
    assert union.geom_type == "Polygon"
    assert not union.interiors


def test_a_jigsaw_drawn_piece_by_piece_is_the_same_one(tmp_path: Path):
    once = read_parts(str(write(tmp_path, jigsaw(3, 2))), False)["parts"]
    loops = "".join(
        f'<path d="M{" L".join(f"{x} {100 - y}" for x, y in part["pieces"][0][0])}Z"/>' for part in once
    )
    again = parts_of(tmp_path, loops + '<rect x="0" y="60" width="60" height="40"/>')
    assert len(again["parts"]) == 6 + 4  # and the corners that the round ones leave of the rectangle
    assert sorted(part["area"] for part in again["parts"])[4:] == pytest.approx(
        sorted(p["area"] for p in once), rel=1e-6
    )


def test_box_panels_are_named_by_their_words_and_have_their_slots(tmp_path: Path):
    found = read_parts(str(write(tmp_path, box())), False)
    assert {part["name"] for part in found["parts"]} == {"front", "back", "lid"}
    assert found["holes"] == 3
    for part in found["parts"]:
        assert len(part["pieces"][0]) == 2
        assert part["area"] == pytest.approx(
            60 * (50 if part["name"] == "lid" else 40) + 4 * 3 * 60 / 9 - 18, abs=0.1
        )


def test_entities_that_name_plain_text_are_read(tmp_path: Path):
    public = '"-//W3C//DTD SVG 1.1//EN" "x.dtd"'
    head = f'<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC {public} [\n<!ENTITY wide "20">\n]>\n'
    path = write(tmp_path, svg('<rect id="r" width="&wide;" height="&wide;"/>', head=head))
    found = read_parts(str(path), False)
    assert found["parts"][0]["size"] == [20, 20]


@pytest.mark.parametrize("name", ["eight-blocks", "laser-box", "jigsaw", "picture-frame"])
def test_outlines_come_back_as_they_were_drawn(tmp_path: Path, name: str):
    from pliant import gallery
    from pliant.flex.drawing import drawn_frame

    model: Any = gallery.load(name).with_(clearance=0)  # type: ignore[union-attr]
    drawn = drawn_frame(model)
    rings = []
    for shape, pose in zip(drawn.body_shapes.tolist(), drawn.poses[0], strict=True):
        turn = np.array([[np.cos(pose[2]), -np.sin(pose[2])], [np.sin(pose[2]), np.cos(pose[2])]])
        rings.append([ring @ turn.T + pose[:2] for ring in drawn.shapes[shape].rings])
    lines = [[" L".join(f"{x!r} {-y!r}" for x, y in ring.tolist()) for ring in body] for body in rings]
    paths = "".join(f'<path d="{" ".join(f"M{line}Z" for line in body)}"/>' for body in lines)
    found = parts_of(tmp_path, paths, 'width="0mm" height="0mm"', units="mm", close=1e-4)
    assert not found["left_out"]
    wanted = sorted(sum(shapely.Polygon(ring).area for ring in body[:1]) for body in rings if len(body) == 1)
    areas = sorted(shapely.Polygon(part["pieces"][0][0]).area for part in found["parts"])
    for area in wanted:
        assert min(abs(area - one) for one in areas) <= 1e-9 * max(areas)
    corners = np.vstack([np.array(ring) for part in found["parts"] for ring in part["pieces"][0]])
    drawn_points = shapely.MultiPoint(np.vstack([ring for body in rings for ring in body]))
    off = shapely.distance(shapely.points(corners), drawn_points)
    assert off.max() <= 1e-9 * np.ptp(corners, axis=0).max()
