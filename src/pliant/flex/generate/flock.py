"""A flock: robots in a triangle behind a leader, each keeping the one in front in view."""

from __future__ import annotations

import math

from pliant.flex.model import Assembly, Body, Keep, Limit, Sight, Study, Term

ROBOT = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
POST = ((-0.25, -1.0), (0.25, -1.0), (0.25, 1.0), (-0.25, 1.0))
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
    nobody buys a wider view by falling back for ever.

    Source: [Lensgraf2020] section VI-B, Fig. 7. Differs: the limits of rank and rotation are
    for the whole motion, not for a step; the doorway's posts are the fixed bodies.

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
    if robots < 1:
        raise ValueError(f"robots: got {robots}; a flock has at least its leader")
    places = [_place(index) for index in range(robots)]
    poses = [(spacing * (file - 0.5 * rank), -spacing * rank) for rank, file in places]
    bodies = [Body(name=f"r{i}", shape="robot", pose=(x, y, 0.0)) for i, (x, y) in enumerate(poses)]
    posts = [
        Body(name=name, shape="post", pose=(x, 2.0 * spacing, 0.0), fixed=True)
        for name, x in (("left_post", -1.5 * spacing), ("right_post", 1.5 * spacing))
    ]
    half = 0.25 * spacing
    square = ((-half, -half), (half, -half), (half, half), (-half, half))
    room = 0.5 * (spacing - 1.0)
    return Assembly(
        title=f"A flock of {robots} robots squeezing together",
        shapes={"robot": ROBOT, "post": POST},
        bodies=(*posts, *bodies),
        keep=(Keep(body="r0", inside=square),),
        sights=tuple(
            Sight.model_validate(
                {"from": f"r{i}", "to": f"r{_front(*places[i])}", "half_angle": half_angle, **CAMERA}
            )
            for i in range(1, robots)
        ),
        limits=tuple(Limit(body=body.name, rotation=rotation, y=(-room, room)) for body in bodies),
        study=study or Study(maximize=(Term(gather="r0"),), reach=spacing),
    )


def _place(index: int) -> tuple[int, int]:
    """Rank and file of a robot: rank k starts at the k-th triangular number.

    >>> [_place(index) for index in range(4)]
    [(0, 0), (1, 0), (1, 1), (2, 0)]
    """
    rank = (math.isqrt(8 * index + 1) - 1) // 2
    return rank, index - rank * (rank + 1) // 2


def _front(rank: int, file: int) -> int:
    """The robot of the rank ahead on the side of the middle.

    >>> [_front(*_place(index)) for index in range(1, 6)]
    [0, 0, 1, 1, 2]
    """
    return (rank - 1) * rank // 2 + (file if 2 * file < rank else file - 1)
