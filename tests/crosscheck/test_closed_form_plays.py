"""Plays that a page of trigonometry gives exactly: pegs, bars, stacks, levers, pins, linkages.

The solver is asked to stop when a further step promises less than 1e-6 of what it has, so a closed
form is matched to 2e-6 of its value; to 1e-5 where the motion ends at a dead centre, flat in the
objective, so that many short steps gain little each.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from pliant.flex.model import Assembly
from pliant.flex.solve import solve
from pliant.flex.status import FlexStatus

pytestmark = pytest.mark.usefixtures("shaken_or_not")

CLOSE = 2e-6  # twice the tolerance of the studies here


def box(left: float, bottom: float, right: float, top: float) -> list[list[float]]:
    return [[left, bottom], [right, bottom], [right, top], [left, top]]


def rectangle(width: float, height: float) -> list[list[float]]:
    return box(-width / 2, -height / 2, width / 2, height / 2)


def polygon(radius: float, sides: int, start: float = 0.0) -> list[list[float]]:
    """A regular polygon with its corners on the circle."""
    angle = start + 2 * np.pi * np.arange(sides) / sides
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]).tolist()


def cage(hole: list[list[float]], size: float = 60.0) -> dict:
    return {"name": "cage", "outline": rectangle(size, size), "holes": [hole], "fixed": True}


def assembly(*bodies: dict, maximize: dict, study: dict | None = None, **rest: object) -> Assembly:
    return Assembly.model_validate(
        {
            "bodies": list(bodies),
            "study": {"maximize": [maximize], "tolerance": 1e-6, **(study or {})},
            **rest,
        }
    )


def test_a_square_peg_slides_by_the_clearance():
    model = assembly(
        cage(rectangle(10, 10)),
        {"name": "peg", "outline": rectangle(10, 10)},
        maximize={"body": "peg", "direction": [1, 0]},
        clearance=0.4,
    )
    result = solve(model)
    assert result.status is FlexStatus.CONVERGED
    assert result.objective == pytest.approx(0.4, rel=CLOSE)
    assert result.linear == pytest.approx(0.4, rel=CLOSE)


@pytest.mark.parametrize("direction", [(1, 1), (-2, 1), (0.3, -1)])
def test_a_square_peg_slides_into_the_corner_a_direction_points_to(direction):
    model = assembly(
        cage(rectangle(10, 10)),
        {"name": "peg", "outline": rectangle(9.5, 9.2), "pose": [0.05, -0.1, 0]},
        maximize={"body": "peg", "direction": direction},
        limits=[{"body": "peg", "rotation": 0.0}],
    )
    x, y = direction
    room = [0.25 - 0.05 * np.sign(x), 0.4 + 0.1 * np.sign(y)]
    assert solve(model).objective == pytest.approx(abs(x) * room[0] + abs(y) * room[1], rel=CLOSE)


@pytest.mark.parametrize(
    ("side", "hole", "spin"),
    [(10, 10.4, 1), (10, 11, -1), (10, 12, 1), (3, 4, -1), (10, 14, 1), (10, 14, -1)],
)
def test_a_square_turns_in_a_square_hole_until_its_diagonal_box_fills_it(side, hole, spin):
    # A square turned by θ is side·(cos θ + sin θ) wide.
    model = assembly(
        cage(rectangle(hole, hole)),
        {"name": "peg", "outline": rectangle(side, side)},
        maximize={"body": "peg", "spin": spin},
    )
    result = solve(model)
    assert result.status is FlexStatus.CONVERGED
    exact = math.asin(hole / (side * math.sqrt(2))) - math.pi / 4
    assert result.objective == pytest.approx(exact, rel=CLOSE)


@pytest.mark.parametrize(
    ("width", "height", "room_x", "room_y"), [(10, 4, 0.3, 0.2), (12, 3, 2, 1), (8, 7, 1, 0.1)]
)
def test_a_rectangle_turns_in_a_rectangular_hole_until_one_span_fills_it(width, height, room_x, room_y):
    model = assembly(
        cage(rectangle(width + room_x, height + room_y)),
        {"name": "peg", "outline": rectangle(width, height)},
        maximize={"body": "peg", "spin": 1},
    )
    result = solve(model)
    exact = min(
        _turn_that_fills(width, height, width + room_x),
        _turn_that_fills(height, width, height + room_y),
    )
    assert result.status is FlexStatus.CONVERGED
    assert result.objective == pytest.approx(exact, rel=CLOSE)


def _turn_that_fills(along: float, across: float, room: float) -> float:
    """The smallest θ with along·cos θ + across·sin θ = room; π/2 where none fills it."""
    longest = math.hypot(along, across)
    if longest <= room:
        return math.pi / 2
    return math.atan2(across, along) - math.acos(room / longest)


def test_a_peg_off_the_middle_of_its_hole_turns_as_far_as_one_in_it():
    exact = math.asin(10.6 / (10 * math.sqrt(2))) - math.pi / 4
    model = assembly(
        cage(rectangle(10.6, 10.6)),
        {"name": "peg", "outline": rectangle(10, 10), "pose": [0.25, -0.2, 0]},
        maximize={"body": "peg", "spin": 1},
    )
    assert solve(model).objective == pytest.approx(exact, rel=CLOSE)


@pytest.mark.parametrize("sides", [8, 32, 96])
def test_a_round_peg_travels_until_its_flat_meets_the_holes_flat(sides):
    # Both polygons have a flat to the right, so the play is the difference of the two inscribed radii.
    flat = math.cos(math.pi / sides)
    model = assembly(
        cage(polygon(10.3, sides, math.pi / sides)),
        {"name": "peg", "outline": polygon(10, sides, math.pi / sides)},
        maximize={"body": "peg", "direction": [1, 0]},
        limits=[{"body": "peg", "rotation": 0.0}],
    )
    result = solve(model)
    assert result.status is FlexStatus.CONVERGED
    assert result.objective == pytest.approx(0.3 * flat, rel=CLOSE)


def test_a_round_peg_that_may_turn_travels_within_the_chord_error_of_the_clearance():
    sides, radius, play = 64, 10.0, 0.3
    model = assembly(
        cage(polygon(radius + play, sides)),
        {"name": "peg", "outline": polygon(radius, sides)},
        maximize={"body": "peg", "direction": [1, 0]},
    )
    chord_error = (radius + play) * (1 - math.cos(math.pi / sides))
    assert solve(model).objective == pytest.approx(play, abs=chord_error)


@pytest.mark.parametrize(
    ("length", "thickness", "height"), [(20, 2, 2.2), (20, 2, 3), (40, 1, 6), (10, 4, 4.01)]
)
def test_a_bar_tilts_in_a_slot_until_opposite_corners_touch(length, thickness, height):
    # length·sin θ + thickness·cos θ = height
    model = assembly(
        {"name": "floor", "outline": box(-50, -height / 2 - 3, 50, -height / 2), "fixed": True},
        {"name": "roof", "outline": box(-50, height / 2, 50, height / 2 + 3), "fixed": True},
        {"name": "bar", "outline": rectangle(length, thickness)},
        maximize={"body": "bar", "spin": 1},
    )
    result = solve(model)
    exact = math.asin(height / math.hypot(length, thickness)) - math.atan2(thickness, length)
    assert result.status is FlexStatus.CONVERGED
    assert result.objective == pytest.approx(exact, rel=CLOSE)


@pytest.mark.parametrize(("slot", "height", "thickness"), [(10, 2.2, 2), (6, 3, 2), (20, 1.5, 1.4)])
def test_a_long_bar_tilts_in_a_short_slot_until_the_slots_corners_touch_its_sides(slot, height, thickness):
    # height·cos θ − slot·sin θ = thickness
    model = assembly(
        {"name": "floor", "outline": box(-slot / 2, -height / 2 - 3, slot / 2, -height / 2), "fixed": True},
        {"name": "roof", "outline": box(-slot / 2, height / 2, slot / 2, height / 2 + 3), "fixed": True},
        {"name": "bar", "outline": rectangle(5 * slot, thickness)},
        maximize={"body": "bar", "spin": -1},
    )
    # Slid out by half of its length, it would turn right round.
    result = solve(model.with_(limits=[{"body": "bar", "x": [-slot, slot]}]))
    exact = math.acos(thickness / math.hypot(height, slot)) - math.atan2(slot, height)
    assert result.status is FlexStatus.CONVERGED
    assert result.objective == pytest.approx(exact, rel=CLOSE)


@pytest.mark.parametrize(("count", "reach"), [(1, 1.0), (3, None), (7, 1.0)])
def test_plates_in_a_box_give_the_sum_of_their_gaps(count, reach):
    gaps = [0.05 * (1 + i % 3) for i in range(count + 1)]
    places = np.cumsum([gap + 2 for gap in gaps[:-1]]) - 1
    length = 2 * count + sum(gaps)
    model = assembly(
        {
            "name": "box",
            "outline": box(-3, -5, length + 3, 5),
            "holes": [box(0, -2.0, length, 2.0)],
            "fixed": True,
        },
        *({"name": f"p{i}", "outline": rectangle(2, 3.99), "pose": [x, 0, 0]} for i, x in enumerate(places)),
        maximize={"body": "p0", "direction": [1, 0]},
        limits=[{"body": f"p{i}", "rotation": 0.0} for i in range(count)],
        study={"reach": reach},
    )
    result = solve(model)
    assert result.status is FlexStatus.CONVERGED
    assert result.objective == pytest.approx(sum(gaps[1:]), rel=CLOSE)
    if reach is not None:  # with every gap in reach the first program knows all of them
        assert result.linear == pytest.approx(sum(gaps[1:]), rel=CLOSE)


def test_a_lever_moves_at_its_handle_by_the_notch_times_the_ratio_of_its_arms():
    short, long, play = 15.0, 90.0, 0.5
    model = assembly(
        {"name": "base", "outline": box(-2, -8, 2, -4), "fixed": True},
        {"name": "lever", "outline": box(-short, -1, long, 1)},
        pins=[{"bodies": ["base", "lever"], "at": [0, 0]}],
        keep=[{"body": "lever", "point": [-short, 0], "inside": box(-20, -play, -10, play)}],
        maximize={"body": "lever", "point": [long, 0], "direction": [0, 1]},
    )
    result = solve(model)
    assert result.objective == pytest.approx(play * long / short, rel=CLOSE)
    assert result.linear == pytest.approx(play * long / short, rel=CLOSE)


def test_a_lever_between_walls_turns_until_its_corners_touch_them():
    # short·sin θ + ½·thickness·cos θ = ½·height, both corners of the short end being inside the walls.
    short, long, thickness, height = 15.0, 60.0, 2.0, 2.6
    model = assembly(
        {"name": "top", "outline": box(-20, height / 2, -10, height / 2 + 4), "fixed": True},
        {"name": "bottom", "outline": box(-20, -height / 2 - 4, -10, -height / 2), "fixed": True},
        {"name": "lever", "outline": box(-short, -thickness / 2, long, thickness / 2)},
        {"name": "base", "outline": box(-1, -20, 1, -15), "fixed": True},
        pins=[{"bodies": ["base", "lever"], "at": [0, 0]}],
        maximize={"body": "lever", "point": [long, 0], "direction": [0, 1]},
    )
    # Whichever comes first: the short end's corner at a wall, or a wall's corner at the lever's side.
    turns = (
        math.asin(height / 2 / math.hypot(short, thickness / 2)) - math.atan2(thickness / 2, short),
        math.acos(thickness / 2 / math.hypot(height / 2, 10)) - math.atan2(10, height / 2),
    )
    result = solve(model)
    assert result.status is FlexStatus.CONVERGED
    assert result.objective == pytest.approx(long * math.sin(min(turns)), rel=CLOSE)


@pytest.mark.parametrize(
    ("sides", "bearing_deg"), [(4, 0), (4, 10), (4, 45), (16, 10), (16, 77), (64, 0), (64, 77)]
)
def test_a_loose_pin_lets_a_body_travel_its_radial_clearance_less_the_error_it_states(sides, bearing_deg):
    bearing = math.radians(bearing_deg)
    model = assembly(
        {"name": "base", "outline": rectangle(4, 4), "fixed": True},
        {"name": "link", "outline": box(-1, -1, 12, 1)},
        pins=[{"bodies": ["base", "link"], "at": [0, 0], "clearance": 0.5, "sides": sides}],
        limits=[{"body": "link", "rotation": 0.0}],
        maximize={"body": "link", "direction": [math.cos(bearing), math.sin(bearing)]},
    )
    result = solve(model)
    assert result.pin_error == pytest.approx(0.25 * (1 - math.cos(math.pi / sides)))
    assert 0.25 * (1 - CLOSE) - result.pin_error <= result.objective <= 0.25 * (1 + CLOSE)


def test_two_loose_pins_let_a_plate_turn_by_twice_the_angle_of_their_play():
    # Turning about the middle moves both pegs by 2·(distance/2)·sin(θ/2), at most the radial play.
    distance, play = 30.0, 0.6
    pins = [{"bodies": ["base", "plate"], "at": [x, 0], "clearance": play, "sides": 256} for x in (-15, 15)]
    model = assembly(
        {"name": "base", "outline": rectangle(40, 4), "fixed": True},
        {"name": "plate", "outline": rectangle(36, 6)},
        pins=pins,
        maximize={"body": "plate", "spin": 1},
    )
    result = solve(model)
    exact = 2 * math.asin(play / 2 / distance)
    assert result.status is FlexStatus.CONVERGED
    assert exact - 2 * result.pin_error / distance - 1e-7 <= result.objective <= exact * (1 + 1e-7)


def link(name: str, start: tuple[float, float], end: tuple[float, float], width: float = 0.4) -> dict:
    """A bar whose own origin is at `start` and whose x axis points to `end`."""
    length = math.dist(start, end)
    angle = math.atan2(end[1] - start[1], end[0] - start[0])
    return {
        "name": name,
        "outline": box(-width, -width / 2, length + width, width / 2),
        "pose": [*start, angle],
    }


@pytest.mark.slow
def test_two_links_stretch_out_straight():
    elbow, tip = (3 * math.cos(2.0), 3 * math.sin(2.0)), (3 * math.cos(2.0) + 2.0, 3 * math.sin(2.0))
    model = assembly(
        {"name": "base", "outline": box(-0.5, -9, 0.5, -8), "fixed": True},
        link("upper", (0, 0), elbow),
        link("fore", elbow, tip),
        pins=[
            {"bodies": ["base", "upper"], "at": [0, 0]},
            {"bodies": ["upper", "fore"], "at": elbow},
        ],
        maximize={"body": "fore", "point": [2.0, 0], "direction": [1, 0]},
    )
    result = solve(model)
    assert result.status is FlexStatus.CONVERGED
    assert result.objective == pytest.approx(5.0 - tip[0], rel=1e-5)


def test_a_slider_crank_comes_to_its_dead_centre():
    radius, rod, angle = 1.0, 3.0, 1.2
    pin = (radius * math.cos(angle), radius * math.sin(angle))
    start = pin[0] + math.sqrt(rod**2 - pin[1] ** 2)
    model = assembly(
        {"name": "base", "outline": box(-0.2, -9, 0.2, -8), "fixed": True},
        link("crank", (0, 0), pin, 0.1),
        link("rod", pin, (start, 0), 0.1),
        {"name": "slider", "outline": rectangle(0.3, 0.2), "pose": [start, 0, 0]},
        pins=[
            {"bodies": ["base", "crank"], "at": [0, 0]},
            {"bodies": ["crank", "rod"], "at": pin},
            {"bodies": ["rod", "slider"], "at": [start, 0]},
        ],
        limits=[{"body": "slider", "y": [0, 0], "rotation": 0.0}],
        maximize={"body": "slider", "direction": [1, 0]},
    )
    result = solve(model)
    assert result.status is FlexStatus.CONVERGED
    assert result.objective == pytest.approx(radius + rod - start, rel=1e-5)


def test_a_pendulum_swings_to_the_horizontal_though_its_first_program_has_no_bound():
    model = assembly(
        {"name": "base", "outline": box(-1, 2, 1, 3), "fixed": True},
        {"name": "rod", "outline": box(-0.1, -5, 0.1, 0.1)},
        pins=[{"bodies": ["base", "rod"], "at": [0, 0]}],
        maximize={"body": "rod", "point": [0, -5], "direction": [1, 0]},
    )
    result = solve(model)
    assert result.linear is None
    assert result.status is FlexStatus.CONVERGED
    assert result.objective == pytest.approx(5.0, rel=1e-5)
    assert result.poses["rod"][2] == pytest.approx(math.pi / 2, abs=5e-3)  # cos is flat there


def channel(open_end: bool) -> tuple[dict, ...]:
    walls = [
        {"name": "floor", "outline": box(-6, -3, 6, -1.1), "fixed": True},
        {"name": "roof", "outline": box(-6, 1.1, 6, 3), "fixed": True},
        {"name": "back", "outline": box(-8, -3, -6, 3), "fixed": True},
    ]
    front = {"name": "front", "outline": box(6, -3, 8, 3), "fixed": True}
    block = {"name": "block", "outline": rectangle(4, 2)}
    return (*walls, block) if open_end else (*walls, front, block)


def test_a_block_in_an_open_channel_is_free_and_leaves_along_it():
    result = solve(assembly(*channel(open_end=True), maximize={"body": "block", "direction": [1, 0]}))
    assert result.status is FlexStatus.FREE
    assert result.leaving is not None
    assert result.leaving.bodies == ("block",)
    x, y = result.leaving.velocities[0]
    assert x > 0
    assert abs(y) < 1e-6 * x


def test_a_block_in_a_closed_channel_is_caged():
    result = solve(assembly(*channel(open_end=False), maximize={"body": "block", "direction": [1, 0]}))
    assert result.status is FlexStatus.CONVERGED
    assert result.objective == pytest.approx(4.0, rel=CLOSE)
    assert result.leaving is None


def test_a_block_pushed_against_the_closed_end_of_an_open_channel_stops_there():
    result = solve(assembly(*channel(open_end=True), maximize={"body": "block", "direction": [-1, 0]}))
    assert result.status is FlexStatus.CONVERGED
    assert result.objective == pytest.approx(4.0, rel=CLOSE)


def test_a_wheel_on_a_pivot_spins_without_end():
    model = assembly(
        {"name": "base", "outline": box(-1, -9, 1, -7), "fixed": True},
        {"name": "wheel", "outline": polygon(3, 12)},
        pins=[{"bodies": ["base", "wheel"], "at": [0, 0]}],
        maximize={"body": "wheel", "spin": 1},
    )
    result = solve(model)
    assert result.status is FlexStatus.TURNING
    assert result.turning is not None
    assert result.turning.bodies == ("wheel",)
    assert result.turning.proven


def test_a_square_in_a_hole_as_wide_as_its_diagonal_spins_without_end():
    model = assembly(
        cage(rectangle(14.2, 14.2)),
        {"name": "peg", "outline": rectangle(10, 10)},
        maximize={"body": "peg", "spin": 1},
    )
    result = solve(model)
    assert result.status is FlexStatus.TURNING
    assert result.turning is not None
    assert result.turning.bodies == ("peg",)
