"""A flock: robots in a triangle behind a leader, each keeping the one in front in view."""

from __future__ import annotations

import math

from pliant.core.quantity import Vector
from pliant.flex.model import Assembly, Body, Keep, Limit, Sight, StageStudy, Study, Term

ROBOT = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
POST_WIDTH = 0.5
POST = ((-0.25, -1.0), (0.25, -1.0), (0.25, 1.0), (-0.25, 1.0))
NEAREST = 5  # robots that each keeps clear of at first
PITCH = 1.25  # between robots side by side, and between rows, of a column
AIR = 0.1  # beside a robot in a doorway, and beyond what a view needs
CAMERA = {"apex": (0.0, 0.5), "axis": 0.5 * math.pi, "marker": (0.0, -0.5)}


def flock(
    robots: int = 1024,
    spacing: float = 3.0,
    half_angle: float = math.radians(42),
    rotation: float = math.radians(10),
    study: Study | None = None,
) -> Assembly:
    """Unit squares that gather to the leader's x, to pass a doorway ahead of them.

    Rank k holds k + 1 robots; robot "r0" leads, and each other has a camera on its front
    edge whose cone holds the marker on the back edge of the one in front of it. A square
    holds the leader, and robots keep their rank to half the space between ranks, so that
    nobody buys a wider view by falling back for ever. Each robot keeps clear of the five
    nearest, selected again as it moves, and of all others that it would run into.

    Source: [Lensgraf2020] section VI-B, Fig. 7. Differs: the limits of rank and rotation are
    for the whole motion, that of a step being `turn`; the doorway's posts are the fixed bodies.

    Args:
        robots: how many, the leader counted.
        spacing: between neighbours and between ranks (sides of a robot).
        half_angle: of the cameras' cones (rad).
        rotation: largest turn of a robot either way (rad).
        study: what is asked for; left out, that all gather to the leader's x.

    Returns:
        The assembly with lines of sight and limits.

    Raises:
        ValueError: fewer than one robot.
    """
    _check(robots)
    places = [_rank_and_file(index) for index in range(robots)]
    room = 0.5 * (spacing - 1.0)
    asked = study or Study(maximize=(Term(gather="r0"),), reach=spacing, neighbours=NEAREST)
    return Assembly(
        title=f"A flock of {robots} robots squeezing together",
        shapes={"robot": ROBOT, "post": POST},
        bodies=(*_posts(3.0 * spacing - POST_WIDTH, spacing), *_robots(places, spacing)),
        keep=(Keep(body="r0", inside=_square(0.25 * spacing)),),
        sights=_sights(places, half_angle),
        limits=tuple(Limit(body=f"r{i}", rotation=rotation, y=(-room, room)) for i in range(robots)),
        study=asked,
    )


def flock_through_door(
    robots: int = 1024,
    door: float = 8.5,
    spacing: float = 3.0,
    half_angle: float = math.radians(42),
    rotation: float = math.radians(10),
) -> Assembly:
    """The same flock on its way through a doorway narrower than it is, in three stages.

    It draws out, every rank in as many rows as the doorway asks for; it closes up to a column;
    the column goes through. Each stage sends every robot to a place, and the leader is held in
    a square until the last, and then in the lane through the doorway.

    Source: [Lensgraf2020] section VI-B, whose flock squeezes "perhaps so that the robots can pass
    through a doorway". Differs: the paper leaves the passing to others.

    Args:
        robots: how many, the leader counted.
        door: width between the posts (sides of a robot).
        spacing: between neighbours and between ranks as drawn (sides of a robot).
        half_angle: of the cameras' cones (rad).
        rotation: largest turn of a robot either way (rad).

    Returns:
        The assembly with its study in stages.

    Raises:
        ValueError: fewer than one robot, or a door that no robot fits through.
    """
    _check(robots)
    abreast = math.floor((door - 1.0) / PITCH) + 1 if door > 1.0 + AIR else 0
    if abreast < 1:
        raise ValueError(f"door: got {door:g}; a robot is 1 wide and needs {AIR:g} of air beside it")
    places = [_rank_and_file(index) for index in range(robots)]
    drawn = [(spacing * (file - 0.5 * rank), -spacing * rank) for rank, file in places]
    column = _column(places, drawn, abreast, math.tan(half_angle))
    ahead = 2.0 * spacing + 3.0 - min(y for _, y in column)
    half = 0.25 * spacing
    square, lane = _square(half), ((-half, -half), (half, -half), (half, ahead + half), (-half, ahead + half))
    drawn_out = [(x, y) for (x, _), (_, y) in zip(drawn, column, strict=True)]
    stages = (
        _stage(drawn_out, drawn, square),
        _stage(column, drawn_out, square),
        _stage([(x, y + ahead) for x, y in column], column, lane),
    )
    return Assembly(
        title=f"A flock of {robots} robots going through a door of {door:g}",
        shapes={"robot": ROBOT, "post": POST},
        bodies=(*_posts(door, spacing), *_robots(places, spacing)),
        sights=_sights(places, half_angle),
        limits=tuple(Limit(body=f"r{i}", rotation=rotation) for i in range(robots)),
        study=Study(
            stages=tuple(filter(None, stages)),
            reach=spacing,
            neighbours=NEAREST,
            turn=min(2.0 * rotation, 1.0),  # from one limit to the other: no step is cut short by turns
        ),
    )


def _check(robots: int) -> None:
    if robots < 1:
        raise ValueError(f"robots: got {robots}; a flock has at least its leader")


def _robots(places: list[tuple[int, int]], spacing: float) -> list[Body]:
    return [
        Body(name=f"r{i}", shape="robot", pose=(spacing * (file - 0.5 * rank), -spacing * rank, 0.0))
        for i, (rank, file) in enumerate(places)
    ]


def _posts(door: float, spacing: float) -> list[Body]:
    """Two posts with a doorway between them, two ranks ahead of the leader."""
    off = 0.5 * (door + POST_WIDTH)
    return [
        Body(name=name, shape="post", pose=(x, 2.0 * spacing, 0.0), fixed=True)
        for name, x in (("left_post", -off), ("right_post", off))
    ]


def _square(half: float) -> tuple[Vector, ...]:
    return ((-half, -half), (half, -half), (half, half), (-half, half))


def _sights(places: list[tuple[int, int]], half_angle: float) -> tuple[Sight, ...]:
    return tuple(
        Sight.model_validate(
            {"from": f"r{i}", "to": f"r{_front(*places[i])}", "half_angle": half_angle, **CAMERA}
        )
        for i in range(1, len(places))
    )


def _stage(targets: list[Vector], before: list[Vector], square: tuple[Vector, ...]) -> StageStudy | None:
    """Every robot to its place, the leader inside a square; None where everybody is there already."""
    if all(math.dist(*each) < 0.01 for each in zip(targets, before, strict=True)):
        return None
    terms = tuple(Term(body=f"r{i}", to=place) for i, place in enumerate(targets))
    return StageStudy(maximize=terms, keep=(Keep(body="r0", inside=square),))


def _column(places: list[tuple[int, int]], drawn: list[Vector], abreast: int, slope: float) -> list[Vector]:
    """Where each robot stands in a column so many abreast, every rank in rows of its own.

    Robots are counted from the ends of their rank inwards, as the ones in front of them are, so
    that the row of the same number holds the one in front. A rank falls back until everybody has
    that one in view, where it is drawn as in the column.
    """
    column: list[Vector] = []
    for rank in range(places[-1][0] + 1):
        members = [i for i, (own, _) in enumerate(places) if own == rank]
        half = max(abreast // 2, 1)
        inwards = [min(places[i][1], rank - places[i][1]) for i in members]
        count = rank + 1 if abreast == 1 else math.ceil((rank // 2 + 1) / half)
        rows = [places[i][1] if abreast == 1 else k % count for i, k in zip(members, inwards, strict=True)]
        across = _across(rows)
        top = min((y for _, y in column), default=PITCH) - PITCH
        top = min(top, drawn[members[0]][1])
        for i, x, row in zip(members, across, rows, strict=True):
            if rank:
                front = _front(*places[i])
                aside = max(abs(x - column[front][0]), abs(drawn[i][0] - drawn[front][0]))
                top = min(top, column[front][1] - 1.0 - aside / slope - AIR + PITCH * row)
        column += [(x, top - PITCH * row) for x, row in zip(across, rows, strict=True)]
    return column


def _across(rows: list[int]) -> list[float]:
    """Where robots of these rows stand across the column, in the order of their files.

    >>> _across([0, 1, 0])
    [-0.625, 0.0, 0.625]
    """
    return [PITCH * (rows[:k].count(row) - 0.5 * (rows.count(row) - 1)) for k, row in enumerate(rows)]


def _rank_and_file(index: int) -> tuple[int, int]:
    """Rank and file of a robot: rank k starts at the k-th triangular number.

    >>> [_rank_and_file(index) for index in range(4)]
    [(0, 0), (1, 0), (1, 1), (2, 0)]
    """
    rank = (math.isqrt(8 * index + 1) - 1) // 2
    return rank, index - rank * (rank + 1) // 2


def _front(rank: int, file: int) -> int:
    """The robot of the rank ahead on the side of the middle.

    >>> [_front(*_rank_and_file(index)) for index in range(1, 6)]
    [0, 0, 1, 1, 2]
    """
    return (rank - 1) * rank // 2 + (file if 2 * file < rank else file - 1)
