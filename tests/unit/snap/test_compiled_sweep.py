"""The compiled engine by floats: the same story as the exact one, and no verdict where things coincide."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from tests.unit.snap.one_pawl import EXACT, FLOAT, HILL, TIP, at_rest, box, grid_case, ring, scene_of, swept

from pliant.snap.arithmetic.polynomials import fraction
from pliant.snap.generate import random_fastener, ratchet
from pliant.snap.geometry.features import VERTEX
from pliant.snap.geometry.pawl_scene import Scene
from pliant.snap.model import Fastener
from pliant.snap.sweep import leg as engine
from pliant.snap.sweep.compiled import advance as quick
from pliant.snap.sweep.compiled.advance import KINDS, LEAST, LogRow, motion_rows
from pliant.snap.sweep.compiled.event_loop import PIECE, STATE
from pliant.snap.sweep.leg import contacts_at, sweep_leg
from pliant.snap.sweep.next_motion import NextMotion, next_motion
from pliant.snap.sweep.path import Path, PawlState
from pliant.snap.sweep.plan import Course, travel_back, travel_in, united_obstacles

SEEDS = range(20)
PACES = (Fraction(1, 10**6), Fraction(10**6))


# What was followed, in words and in figures


def there_and_back(model: Fastener, arithmetic: Any) -> tuple[Course, ...]:
    fixed = united_obstacles(model)
    ways = travel_in(model, arithmetic, fixed)
    return (*ways, *travel_back(model, arithmetic, fixed, ways))


def words(path: Path) -> list[Any]:
    """Kinds and contacts of every event, and the cause of the end."""
    events = [(event.kind, sorted(event.contacts)) for event in path.events]
    return [*events, (path.cause, sorted(path.touching))]


def figures(path: Path, pace: float = 1.0) -> list[float]:
    """Times and angles of every event and of the end."""
    points = [*(event.point for event in path.events), path.end]
    return [value for point in points for value in (point.t * pace, point.turn + point.angle)]


def assert_same(one: Path, other: Path, pace: float = 1.0) -> None:
    assert words(other) == words(one)
    assert figures(other, pace) == pytest.approx(figures(one), abs=1e-6)


def assert_same_courses(ways: tuple[Course, ...], others: tuple[Course, ...], pace: float = 1.0) -> None:
    assert [(way.cause, way.by) for way in others] == [(way.cause, way.by) for way in ways]
    for way, other in zip(ways, others, strict=True):
        assert other.ends * pace == pytest.approx(way.ends, abs=1e-6)
        for name, path in way.paths.items():
            assert_same(path, other.paths[name], pace)


@cache
def exact(seed: int) -> tuple[Course, ...]:
    return there_and_back(random_fastener(seed), EXACT)


def slowly(run: Any, state: Any, friction: float, most: int) -> Any:
    """In place of `advance`: nothing is done ahead of the sweep."""
    return state


# The same story


@pytest.mark.parametrize("seed", SEEDS)
def test_floats_tell_the_exact_story_there_and_back(seed):
    assert_same_courses(exact(seed), there_and_back(random_fastener(seed), FLOAT))


@pytest.mark.parametrize("seed", SEEDS)
def test_compiled_floats_tell_the_story_that_floats_tell_step_by_step(seed, monkeypatch):
    compiled = there_and_back(random_fastener(seed), FLOAT)
    monkeypatch.setattr(engine, "advance", slowly)
    assert_same_courses(there_and_back(random_fastener(seed), FLOAT), compiled)


def test_in_general_position_nearly_everything_is_compiled(monkeypatch):
    """Of what the sweep would do step by step, less than a fifth is left to it."""
    steps = []
    stepped = engine._next_state
    monkeypatch.setattr(engine, "_next_state", lambda *args: steps.append(1) or stepped(*args))
    for seed in SEEDS:
        there_and_back(random_fastener(seed), FLOAT)
    left = len(steps)
    monkeypatch.setattr(engine, "advance", slowly)
    for seed in SEEDS:
        there_and_back(random_fastener(seed), FLOAT)
    assert 5 * left < len(steps) - left


# One verdict


def begun(scene: Scene, t: float, u: float, turn: int, room: int = LEAST) -> list[LogRow]:
    """What is logged from a point on, where it is to find out first what comes next."""
    start = PawlState(scene.arithmetic.moment(u, turn, float(t)), (), NextMotion("start"))
    return motion_rows(scene, start, 0.0, room)[0]


def verdict_at(scene: Scene, t: float, u: float, turn: int = 0) -> tuple[str, tuple[int, ...]] | None:
    """What comes next, along which pair and to which side; None where that is left to `next_motion`."""
    rows = begun(scene, t, u, turn)
    if not rows:
        return None
    what = KINDS[rows[0].code]
    return what, (*rows[0].pair, rows[0].side) if what in ("arc", "flat") else ()


def ruled(scene: Scene, point: Any) -> list[tuple[str, tuple[int, ...]]]:
    """The same by `next_motion`, exactly; one for each of the curves that coincide."""
    found = next_motion(scene, point, contacts_at(scene, point))
    return [(found.kind, (*each.pair, found.side)) for each in found.curves] or [(found.kind, ())]


def floating(scene: Scene) -> Scene:
    """The same scene by floats."""
    way = scene.bodies.hinge
    corners = tuple(zip(scene.bodies.pawl.x.tolist(), scene.bodies.pawl.y.tolist(), strict=True))
    return replace(
        scene, arithmetic=FLOAT.paced(scene.stride), pawl=corners, hinge=way[:2], velocity=way[2:],
        until=scene.way_end, curves={},
    )  # fmt: skip


def verdicts(path: Path) -> list[tuple[Any, Any]]:
    """At every event of an exact path that is not its end: what `follow_motion` says, and what is right."""
    scene, found = floating(path.scene), []
    for event in path.events:
        if event.point.after(path.scene.until) < 0:
            said = verdict_at(scene, event.point.t, event.point.angle, event.point.turn)
            found.append((said, ruled(path.scene, event.point)))
    return found


def test_a_verdict_is_what_the_exact_rule_says_wherever_there_is_one():
    paths = [path for seed in SEEDS for way in exact(seed) for path in way.paths.values()]
    cases = [grid_case(seed) for seed in range(30)]
    paths += [swept(case["pawl"], *case["outlines"], velocity=case["velocity"]) for case in cases]
    found = [pair for path in paths for pair in verdicts(path)]
    given = [(said, right) for said, right in found if said is not None]
    assert [said for said, right in given if said not in right] == []
    assert {said[0] for said, _ in given} == {"rest", "arc", "flat", "snap", "jam"}
    assert len(given) > len(found) / 2


# Coincidences


FLOOR = box(-9, -9, 9, -8)
FLUSH = [box(1, -4, 3, 0), box(1, -9, 9, -8)]
ALIKE = [ring((0, 0), (3, -4), (6, -3)), box(1, -9, 4, -8), ring((5, -8), (9, -8), (9, -4))]
GRAZING = [box(-1, -4, 1, 0), box(1, -9, 3, -8)]
LEVER = [TIP, FLOOR]


@pytest.mark.parametrize("case", [FLUSH, ALIKE, GRAZING], ids=["flush", "alike", "grazing"])
def test_faces_that_lie_flush_slopes_that_are_equal_and_what_grazes_are_left_to_the_sweep(case):
    """Alike: a vertex 3 beside the hinge on a level floor, one at (6, -3) on 45°: both want du/dt = 1/6.

    All of them meet at t = 4.
    """
    scene = scene_of(*case, arithmetic=FLOAT)
    assert len(contacts_at(scene, at_rest(scene, 4))) > 1
    assert verdict_at(scene, 4, 0.0) is None
    assert_same(swept(*case), swept(*case, arithmetic=FLOAT))


@pytest.mark.parametrize(
    "case",
    [
        (ring((-1, 0), (0, -4), (1, -2)), box(1, -20, 3, 20)),
        (box(-1, -4, 1, 0), ring((1, -8), (3, -9), (3, -7))),
    ],
    ids=["along a wall", "past a point"],
)
def test_what_a_pawl_at_rest_only_slides_past_is_left_to_the_sweep(case):
    """One contact, which neither presses nor lets go: dF/dt = 0."""
    scene = scene_of(*case, arithmetic=FLOAT)
    assert len(contacts_at(scene, at_rest(scene, 5))) == 1
    assert verdict_at(scene, 5, 0.0) is None
    assert swept(*case, arithmetic=FLOAT).cause == "until"
    assert_same(swept(*case), swept(*case, arithmetic=FLOAT))


def test_a_flush_face_in_the_middle_of_another_is_two_contacts_with_slopes_of_their_own():
    """Of its vertices the one nearer to the hinge has to turn further."""
    case = box(1, -4, 3, 0), FLOOR
    assert verdict_at(scene_of(*case, arithmetic=FLOAT), 4, 0.0) == ("arc", (VERTEX, 0, 2, 1))
    assert_same(swept(*case), swept(*case, arithmetic=FLOAT))


def test_slopes_that_are_nearly_equal_are_told_apart_by_the_sweep_too():
    pawl, floor, _ = ALIKE
    for hair in (Fraction(1, 10**6), Fraction(-1, 10**3)):
        ramp = ring((5, -8), (9, -8), (9, hair - 4))
        assert_same(swept(pawl, floor, ramp), swept(pawl, floor, ramp, arithmetic=FLOAT))


def test_a_normal_through_the_hinge_is_left_to_the_sweep():
    scene = scene_of(*LEVER, arithmetic=FLOAT)
    assert verdict_at(scene, 3, 0.0) is None
    assert_same(swept(*LEVER), swept(*LEVER, arithmetic=FLOAT))
    assert swept(*LEVER, arithmetic=FLOAT).cause == "dead centre"


def test_nothing_is_followed_as_far_as_a_stop():
    """The ramp alone lets the pawl turn to -1/4 and past it."""
    free, stopped = ((None, None), ("-1/4", 1))
    reached = []
    for stops in (free, stopped):
        scene = scene_of(TIP, HILL, velocity=(1, 0), stops=stops, arithmetic=FLOAT)
        reached.append(min(row.u for row in begun(scene, 0.0, 0.0, 0, 16) if row.row == PIECE))
    assert reached[0] < -1 / 4 < reached[1]
    case = {"velocity": (1, 0), "stops": stopped}
    assert_same(swept(TIP, HILL, **case), swept(TIP, HILL, arithmetic=FLOAT, **case))


def test_nothing_is_followed_past_the_end_of_a_chart():
    """A hinge outside its pawl, which goes right round a block."""
    case = box(2, -4, 3, -2), box("5/2", -10, 4, -9)
    scene = scene_of(*case, arithmetic=FLOAT)
    assert max(abs(row.u) for row in begun(scene, 0.0, 0.0, 0, 64)) < 1
    path = swept(*case, arithmetic=FLOAT)
    assert {piece.turn for piece in path.pieces} > {0}
    assert_same(swept(*case), path)


@pytest.mark.parametrize("seed", [50, 159, 194, 213])
def test_curves_that_part_slowly_are_told_apart_by_the_sweep(seed):
    """A vertex on a vertex with its lever across the way: they part as the third power of the angle."""
    case = grid_case(seed)
    paths = [
        swept(case["pawl"], *case["outlines"], velocity=case["velocity"], arithmetic=arithmetic)
        for arithmetic in (EXACT, FLOAT)
    ]
    assert_same(*paths)


# Limits


def test_a_limit_of_events_holds_and_what_comes_before_is_the_same():
    model = ratchet(4)
    whole = there_and_back(model, FLOAT)[0].paths["pawl"]
    entries = len(whole.events) + len(whole.pieces)
    for limit in (1, 2, 3, 7, 12, entries):
        path = sweep_leg(whole.scene, at_rest(whole.scene), Fraction(0), limit)
        done = len(path.events) + len(path.pieces)
        assert path.cause == ("limit" if limit < entries else "until")
        assert min(limit, entries) <= done < limit + 2 * LEAST
        assert words(path)[:-1] == words(whole)[: len(path.events)]


def test_a_rack_with_more_events_than_rows_is_followed_to_its_end():
    model = ratchet(70)
    by_floats = travel_in(model, FLOAT, united_obstacles(model))
    events = by_floats[0].paths["pawl"].events
    assert len(events) > quick.ROWS
    assert_same_courses(travel_in(model, EXACT, united_obstacles(model)), by_floats)


def test_it_does_not_matter_after_how_many_rows_it_starts_anew(monkeypatch):
    model = ratchet(6)
    at_once = there_and_back(model, FLOAT)
    monkeypatch.setattr(quick, "ROWS", 5)
    assert_same_courses(at_once, there_and_back(model, FLOAT))


def test_no_more_rows_are_written_than_there_is_room_for():
    scene = travel_in(ratchet(6), FLOAT, united_obstacles(ratchet(6)))[0].paths["pawl"].scene
    every = [(row.row, row.t, row.u) for row in begun(scene, 0.0, 0.0, 0, 64)]
    for room in range(LEAST, 20):
        rows = [(row.row, row.t, row.u) for row in begun(scene, 0.0, 0.0, 0, room)]
        assert room - LEAST < len(rows) <= room
        assert rows == every[: len(rows)]
    assert {row for row, _, _ in every} == {PIECE, STATE}


# Speed


@pytest.mark.parametrize("stride", [1e-9, 1.0, 1e9])
def test_what_is_later_than_what_is_measured_against_the_stride(stride):
    point = FLOAT.paced(stride).moment(0.0, 0, 3 * stride)
    assert (point.against(3 * stride), point.after(3 * stride)) == (0, 0)
    assert (point.against((3 + 1e-10) * stride), point.against((3 - 1e-8) * stride)) == (0, 1)
    assert (point.after((3 + 1e-14) * stride), point.after((3 + 1e-11) * stride)) == (0, -1)
    assert point.slack == pytest.approx(4e-12 * stride)


def paced(model: Fastener, pace: Fraction) -> Fastener:
    """Moved so many times as fast, for as much shorter a time."""
    root = model.root
    assert root.velocity is not None
    assert root.until is not None
    velocity = (root.velocity[0] * pace, root.velocity[1] * pace)
    faster = root.model_copy(update={"velocity": velocity, "until": root.until / pace})
    return model.model_copy(update={"root": faster})


@pytest.mark.parametrize("pace", PACES)
def test_speed_divides_exact_times_and_changes_nothing_else(pace):
    for seed in SEEDS[:6]:
        fast = there_and_back(paced(random_fastener(seed), pace), EXACT)
        assert_same_courses(exact(seed), fast, float(pace))
        for way, other in zip(exact(seed), fast, strict=True):
            if way.end.reduced.is_rational:
                assert fraction(other.end.reduced.low) * pace == fraction(way.end.reduced.low)


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("seed", [32, 75, 93, 129])
def test_speed_divides_times_by_floats_and_changes_nothing_else(seed, pace):
    """Cases in which a nanosecond a million times as fast is a long time."""
    assert_same_courses(exact(seed), there_and_back(paced(random_fastener(seed), pace), FLOAT), float(pace))


@pytest.mark.parametrize("pace", PACES)
def test_a_case_on_a_grid_does_not_mind_its_speed(pace):
    for seed in (35, 36):
        case = grid_case(seed)
        x, y = case["velocity"]
        fast = {"velocity": (x * pace, y * pace), "until": 20 / pace, "arithmetic": FLOAT}
        plain = swept(case["pawl"], *case["outlines"], velocity=(x, y))
        assert_same(plain, swept(case["pawl"], *case["outlines"], **fast), float(pace))
