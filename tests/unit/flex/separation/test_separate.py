from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import shapely
from shapely.affinity import rotate, translate

import pliant
from pliant import InputError
from pliant.core.pose import carry
from pliant.flex.model import Assembly
from pliant.flex.separation.interlocking import first_order, velocity_sum_motion
from pliant.flex.separation.ways_out import local_program
from pliant.flex.status import SeparationStatus

GAP = 0.05


def box(x: float, y: float, width: float, height: float) -> list[list[float]]:
    return [[x, y], [x + width, y], [x + width, y + height], [x, y + height]]


def body(name: str, outline: list, fixed: bool = False, turn: float = 0.0) -> dict:
    return {"name": name, "outline": outline, "fixed": fixed, "pose": [0, 0, turn]}


def assembly(*bodies: dict, **more) -> dict:
    return {"pliant": 1, "kind": "assembly", "clearance": GAP, "bodies": list(bodies), **more}


def tray(right: bool = True, left: bool = True) -> dict:
    """Walls 4 high about a floor from 0 to 6; either side may be open."""
    ring = [[-1, -1], [7, -1], [7, 4], [6, 4], [6, 0], [0, 0], [0, 4], [-1, 4]]
    if not right:
        ring = [[-1, -1], [7, -1], [7, 0], [0, 0], [0, 4], [-1, 4]]
    if not right and not left:
        ring = [[-1, -1], [7, -1], [7, 0], [-1, 0]]
    return body("tray", ring, fixed=True)


def stack() -> dict:
    """Three plates in a tray, one on the other: they leave from the top."""
    plates = [body(f"plate{k}", box(0, k, 6, 1)) for k in range(3)]
    return assembly(tray(), *plates)


def channel(turn: float) -> dict:
    """A block between two rails, open at both ends, turned."""
    rails = [body("lower", box(-8, -2, 16, 1), True, turn), body("upper", box(-8, 1, 16, 1), True, turn)]
    return assembly(*rails, body("block", box(-1, -1, 2, 2), turn=turn))


def locked_by_a_key() -> dict:
    """A tray with a lid that slides under a lip, held by a key beside it that lifts out first."""
    walls = [
        [-1, -1],
        [9, -1],
        [9, 3],
        [8, 3],
        [8, 0],
        [0, 0],
        [0, 1],
        [1, 1],
        [1, 2],
        [0, 2],
        [0, 3],
        [-1, 3],
    ]
    holder = body("tray", walls, fixed=True)
    lid = body("lid", [[0, 0], [6, 0], [6, 3], [2, 3], [2, 1], [0, 1]])
    return assembly(holder, lid, body("key", box(6, 0, 2, 3)))


def pair_in_a_sleeve() -> dict:
    """Two halves, hooked into each other, in a sleeve that is open on the right: out as one, then apart."""
    sleeve = body("sleeve", [[-1, -1], [6, -1], [6, 0], [0, 0], [0, 4], [6, 4], [6, 5], [-1, 5]], fixed=True)
    lower = body("lower", [[0, 0], [6, 0], [6, 2], [4, 2], [4, 1], [2, 1], [2, 2], [0, 2]])
    upper = body("upper", [[0, 4], [0, 2], [2, 2], [2, 1], [4, 1], [4, 2], [6, 2], [6, 4]])
    return assembly(sleeve, lower, upper)


def polygons(model: Assembly, shapes, shape_of, poses) -> list:
    made = []
    for place in range(len(model.bodies)):
        rings = [carry(poses[place], ring) for ring in shapes[shape_of[place]].rings]
        made.append(shapely.Polygon(rings[0], rings[1:]))
    return made


def deepest_overlap(result) -> float:
    """The thickest overlap of two bodies at any frame of all ways and at 8 poses between two, by shapely."""
    worst = 0.0
    for way in result.ways:
        for first, second in zip(way.frames[:-1], way.frames[1:], strict=True):
            for share in np.linspace(0, 1, 9):
                there = polygons(
                    result.model, result.shapes, result.shape_of, first + share * (second - first)
                )
                for a in range(len(there)):
                    for b in range(a):
                        shared = there[a].intersection(there[b])
                        if shared.area > 0:
                            worst = max(worst, shared.area / max(shared.length / 2, 1e-9))
    return worst


def test_plates_in_a_tray_leave_from_the_top():
    result = pliant.separate(stack())
    assert result.status is SeparationStatus.SEPARATES
    assert [way.bodies for way in result.ways] == [("plate2",), ("plate1",), ("plate0",)]
    assert result.first == ("plate2",)
    assert result.key == "plate2"
    assert deepest_overlap(result) < 0.01 * GAP


@pytest.mark.parametrize("turn", [0.0, 0.3, -np.pi / 4])
def test_a_block_in_an_open_channel_opens_no_contact_and_slides_out(turn):
    data = channel(turn)
    _, _, program = local_program(pliant.load(data), "block")
    test = first_order(program)
    assert test.opening == 0
    assert not test.interlocked
    result = pliant.separate(data)
    assert result.status is SeparationStatus.SEPARATES
    ((x, y),) = result.ways[0].directions
    assert abs(x * np.cos(turn) + y * np.sin(turn)) == pytest.approx(1, abs=1e-6)


def test_velocities_that_sum_to_zero_are_missed_by_the_paper_and_found_here():
    """Fig. 8's method asks for a large sum of velocities; along (1, −1) it is zero whatever the speed."""
    _, _, straight = local_program(pliant.load(channel(0.0)), "block")
    _, _, diagonal = local_program(pliant.load(channel(-np.pi / 4)), "block")
    assert velocity_sum_motion(straight) is not None
    assert velocity_sum_motion(diagonal) is None
    assert not first_order(diagonal).interlocked


def test_the_key_leaves_first_and_what_it_held_after_it():
    result = pliant.separate(locked_by_a_key())
    assert result.status is SeparationStatus.SEPARATES
    assert result.key == "key"
    assert [way.bodies for way in result.ways] == [("key",), ("lid",)]
    assert deepest_overlap(result) < 0.01 * GAP


def test_halves_in_a_sleeve_come_out_as_one_and_then_apart():
    result = pliant.separate(pair_in_a_sleeve())
    assert result.status is SeparationStatus.SEPARATES
    assert result.first == ()
    assert sorted(result.ways[0].bodies) == ["lower", "upper"]
    assert len(result.ways) == 2
    outer = result.tree.branches[0]
    assert sorted(outer.bodies) == ["lower", "upper"]
    assert len(outer.branches) == 2
    assert deepest_overlap(result) < 0.01 * GAP


@pytest.mark.parametrize("name", ["joint-pair", "picture-frame", "eight-blocks", "laser-box"])
def test_interlocked_parts_are_proved_to_be(name):
    """Forces on every row balance, and J has full rank: no motion opens or slides."""
    model = pliant.gallery.load(name)
    result = pliant.separate(model)
    assert result.status is SeparationStatus.INTERLOCKED
    (lock,) = result.interlocks
    assert lock.proved
    assert lock.unbalanced < 1e-9
    assert lock.least_singular > 1e-4
    generator = np.random.default_rng(3)
    moving = next(body.name for body in model.bodies if not body.fixed)
    _, _, program = local_program(model, moving)
    for _ in range(200):  # no random motion keeps all contacts shut or open
        assert program.change(generator.normal(size=program.cost.shape)).min() < 0


def test_all_at_once_moves_every_plate_by_one_motion():
    result = pliant.separate(stack(), together=True)
    assert result.status is SeparationStatus.SEPARATES
    (way,) = result.ways
    assert sorted(way.bodies) == ["plate0", "plate1", "plate2"]
    assert deepest_overlap(result) < 0.01 * GAP


def test_only_what_stands_in_the_way_is_taken_out_for_a_part():
    result = pliant.separate(stack(), parts=["plate1"])
    assert [way.bodies for way in result.ways] == [("plate2",), ("plate1",)]


def test_a_bar_that_is_longer_than_the_opening_is_tilted_out():
    """Closed, every contact holds it; with its play it turns on end."""
    jar = [[-1, -1], [7, -1], [7, 7], [5, 7], [5, 6], [6, 6], [6, 0], [0, 0], [0, 6], [1, 6], [1, 7], [-1, 7]]
    result = pliant.separate(assembly(body("jar", jar, fixed=True), body("bar", box(0.5, 2, 5, 0.5))))
    assert result.status is SeparationStatus.SEPARATES
    assert abs(np.ptp(result.ways[0].frames[:, 1, 2])) > 0.2
    assert deepest_overlap(result) < 0.01


def test_a_tray_with_a_welded_lid_stays_shut():
    data = stack()
    data["bodies"].append(body("lid", box(-1, 4, 8, 1)))
    data["welds"] = [{"bodies": ["tray", "lid"]}]
    data["bodies"][3]["outline"] = box(0, 2, 6, 2)  # no room above
    result = pliant.separate(data)
    assert result.status is SeparationStatus.INTERLOCKED


def test_a_way_that_is_found_begins_as_drawn_and_ends_clear():
    result = pliant.separate(stack())
    assert result.ways[0].frames[0] == pytest.approx(result.drawn)
    last = polygons(result.model, result.shapes, result.shape_of, result.ways[-1].frames[-1])
    assert all(last[a].distance(last[b]) > 0 for a in range(len(last)) for b in range(a))


def test_overlapping_parts_are_said_to_be():
    data = stack()
    data["bodies"][1]["outline"] = box(0, 0, 6, 1.5)
    assert pliant.separate(data).status is SeparationStatus.OVERLAPPING


def test_unknown_parts_and_held_ones_are_refused():
    with pytest.raises(InputError, match="plate9"):
        pliant.separate(stack(), parts=["plate9"])
    with pytest.raises(InputError, match="is fixed"):
        pliant.separate(stack(), parts=["tray"])


def test_the_command_says_the_order_and_draws_it(tmp_path: Path):
    from click.testing import CliRunner

    from pliant.cli import main

    model = tmp_path / "stack.json"
    pliant.save(pliant.load(stack()), model)
    out = CliRunner().invoke(
        main, ["separate", str(model), "-o", str(tmp_path / "s.png"), "--json", str(tmp_path / "s.json")]
    )
    assert out.exit_code == 0, out.output
    assert "plate2" in out.output
    assert (tmp_path / "s.png").stat().st_size > 5000


def test_a_turned_and_shifted_assembly_comes_apart_in_the_same_order():
    data = locked_by_a_key()
    for part in data["bodies"]:
        ring = rotate(translate(shapely.Polygon(part["outline"]), 30, -12), 35, origin=(0, 0))
        part["outline"] = [list(point) for point in ring.exterior.coords[:-1]]
    result = pliant.separate(data)
    assert [way.bodies for way in result.ways] == [("key",), ("lid",)]


def test_three_sectors_with_straight_tabs_come_apart_only_all_at_once():
    """Each tab slides across its seam, and no two of the three ways agree: all must part together."""
    sectors = []
    for start in (-30, 90, 210):
        around = np.radians(np.linspace(start, start + 120, 13))
        sectors.append(shapely.Polygon([(0, 0), *zip(30 * np.cos(around), 30 * np.sin(around), strict=True)]))
    for k in range(3):
        seam = np.radians(90 + 120 * k)
        along, across = np.array([np.cos(seam), np.sin(seam)]), np.array([-np.sin(seam), np.cos(seam)])
        tab = shapely.Polygon([13 * along, 17 * along, 17 * along + 6 * across, 13 * along + 6 * across])
        sectors[k], after = sectors[k].union(tab.buffer(1e-9)), (k + 1) % 3
        sectors[after] = sectors[after].difference(tab)
    rings = [
        shapely.get_coordinates(max(shapely.get_parts(shapely.set_precision(one, 1e-6)), key=shapely.area))[
            :-1
        ]
        for one in sectors
    ]
    bodies = [{"name": f"s{k}", "outline": ring.tolist(), "fixed": k == 0} for k, ring in enumerate(rings)]
    result = pliant.separate({"pliant": 1, "kind": "assembly", "clearance": 0.05, "bodies": bodies})
    assert result.status is SeparationStatus.SEPARATES
    assert result.first == ()
    (way,) = result.ways
    assert way.at_once
    assert set(way.bodies) == {"s1", "s2"}


def test_a_block_under_two_lips_is_moved_aside_and_then_out():
    box = [
        [0, 0],
        [20, 0],
        [20, 10],
        [16, 10],
        [16, 8],
        [18, 8],
        [18, 2],
        [2, 2],
        [2, 8],
        [4, 8],
        [4, 10],
        [0, 10],
    ]
    slug = [[2.1, 2.1], [12, 2.1], [12, 7.9], [2.1, 7.9]]
    bodies = [{"name": "box", "outline": box, "fixed": True}, {"name": "slug", "outline": slug}]
    result = pliant.separate({"pliant": 1, "kind": "assembly", "bodies": bodies})
    assert result.status is SeparationStatus.SEPARATES
    frames = result.motion.poses[:, 1]
    for first, second in pairwise(frames):  # swept by itself: no frame, and none between, overlaps
        for share in np.linspace(0, 1, 5):
            ring = carry((1 - share) * first + share * second, np.array(slug))
            assert shapely.Polygon(box).intersection(shapely.Polygon(ring)).area < 1e-3
    wide = [[2.1, 2.1], [17.9, 2.1], [17.9, 7.9], [2.1, 7.9]]
    stuck = pliant.separate(
        {"pliant": 1, "kind": "assembly", "bodies": [bodies[0], {"name": "slug", "outline": wide}]}
    )
    assert stuck.status is SeparationStatus.INTERLOCKED
