"""Fasteners by their dimensions, all of them exact: the paper's two, racks, hooks, and random ones."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import shapely

from pliant.core.errors import PliantError
from pliant.snap.arithmetic.half_angle import NONE, half_angle
from pliant.snap.model import Beam, ExactOutline, ExactVector, Fastener, Obstacle, Pawl, Root

Rational = int | Fraction

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
FRICTIONS = (Fraction(0), Fraction(1, 10), Fraction(3, 10), Fraction(3, 5))
WAYS = ((0, -1), (QUARTER, -1), (-QUARTER, -1), (HALF, -1), (-HALF, -1), (1, -1), (Fraction(-3, 4), -1))
TRIES = 1000  # random outlines drawn before giving up; about one in three is kept


def two_hooks(friction: Rational = 0, stiffness: Rational = 100, drop: Rational = 0) -> Fastener:
    """Two hooks that go down around a T, until their root meets its top.

    By a drop of 5 and more the right hook does not come below the arm before the root collides.

    Source: [DonaldPai1993] Figs. 3, 4; the coordinates are ours.

    Args:
        friction: coefficient μ.
        stiffness: κ of each hinge (N·mm/rad).
        drop: by how much the right arm of the T goes further down (mm).

    Returns:
        The fastener.
    """
    hook = ring((-HALF, HALF), (-HALF, -8), (0, -8), (2, -5), (HALF, Fraction(-9, 2)), (HALF, HALF))
    under = -Fraction(drop)
    tee = ring((-1, -12), (1, -12), (1, under), (3, under), (3, 1), (-3, 1), (-3, 0), (-1, 0))
    return Fastener(
        title="Two hooks around a T",
        friction=Fraction(friction),
        root=Root(velocity=vector(0, -1), outline=_box(-5, 9, 5, 10)),
        pawls=(
            Pawl(name="left", hinge=vector(-4, 9), outline=hook, stiffness=Fraction(stiffness)),
            Pawl(name="right", hinge=vector(4, 9), outline=_mirror(hook), stiffness=Fraction(stiffness)),
        ),
        obstacles=(Obstacle(name="T", outline=tee),),
    )


def motion_diode(
    start: tuple[Rational, Rational] = (0, 9), velocity: tuple[Rational, Rational] = (0, -1),
    friction: Rational = 0, reach: Rational | None = None,
) -> Fastener:  # fmt: skip
    """A triangle that goes down between three obstacles and does not come up again.

    Source: [DonaldPai1993] Figs. 5, 6; the coordinates are ours.

    Args:
        start: of the triangle (mm).
        velocity: of its motion.
        friction: coefficient μ.
        reach: how far B and C go on as bars to the right and to the left (mm); None: not at all.

    Returns:
        The fastener.
    """
    right = ring((reach, -3), (reach, -2)) if reach is not None else ()
    left = ring((-reach, -1), (-reach, -3)) if reach is not None else ()
    return Fastener(
        title="A motion diode",
        friction=Fraction(friction),
        root=Root(velocity=vector(*velocity)),
        pawls=(
            Pawl(
                name="pawl",
                hinge=vector(*start),
                outline=ring((4, 1), (-2, 0), (-2, -2)),
                stiffness=Fraction(100),
            ),
        ),
        obstacles=(
            Obstacle(name="A", outline=ring((1, 3), (5, 2), (5, 3))),
            Obstacle(name="B", outline=ring((1, -2), (6, -3), *right, (6, -2))),
            Obstacle(name="C", outline=ring((-1, -2), (-5, -1), *left, (-5, -3))),
        ),
    )


def ratchet(teeth: int, blocks: bool = False, friction: Rational = 0, depth: Rational = 1) -> Fastener:
    """A pawl dragged along a rack of saw teeth: it clicks over each of them, and jams on the way back.

    Teeth are 2 long and rise to an upright face. At rest the pawl's tip is a quarter above the
    valleys; it stops two past the last face, above the floor.

    Args:
        teeth: how many.
        blocks: whether every tooth is an obstacle of its own that touches the next.
        friction: coefficient μ.
        depth: of the teeth (mm).

    Returns:
        The fastener.

    Raises:
        PliantError: there are no teeth, or they are not deeper than 1/4, or deeper than 1.
    """
    if teeth < 1 or not QUARTER < depth <= 1:
        raise PliantError(f"{teeth} teeth {depth} deep: give at least 1, deeper than 1/4 and no more than 1.")
    end = 2 * teeth
    if blocks:
        rack = [ring((2 * k, -1), (2 * k + 2, -1), (2 * k + 2, depth), (2 * k, 0)) for k in range(teeth)]
        rack.append(_box(end, -1, end + 4, 0))
    else:
        saw = [point for k in range(teeth, 0, -1) for point in ((2 * k, 0), (2 * k, depth))]
        rack = [ring((0, -1), (end + 4, -1), (end + 4, 0), *saw, (0, 0))]
    return Fastener(
        title=f"A rack of {teeth} teeth",
        friction=Fraction(friction),
        root=Root(velocity=vector(1, 0), until=Fraction(end + 3)),
        pawls=(
            Pawl(
                name="pawl",
                hinge=vector(2, 5 + QUARTER),
                outline=ring((-3, -5), (QUARTER, -QUARTER), (QUARTER, QUARTER), (-QUARTER, QUARTER)),
                stiffness=Fraction(100),
            ),
        ),
        obstacles=tuple(Obstacle(outline=outline) for outline in rack),
    )


def cantilever_hook(
    ramp: Rational = HALF, undercut: Rational = 1, retention: Rational = 1,
    friction: Rational = Fraction(1, 5), length: Rational = 10, stiffness: Rational = 100,
    beam: Beam | None = None,
) -> Fastener:  # fmt: skip
    """A hook below its hinge that goes down over a bump in a wall, and catches behind it.

    The hook's edge slides on the bump's faces, as its own stay steeper than either while it turns by up to
    undercut / length.

    Args:
        ramp: of the face on the way in, sideways for each unit along the wall: the tangent of the lead angle.
        undercut: how far the bump stands into the hook's way (mm).
        retention: the same as `ramp`, on the way back.
        friction: coefficient μ.
        length: from hinge to hook (mm).
        stiffness: κ of the hinge (N·mm/rad), without a beam.
        beam: in place of the hinge's spring.

    Returns:
        The fastener.

    Raises:
        PliantError: a slope or the undercut is not positive, or the hook would turn too far.
    """
    if min(ramp, undercut, retention) <= 0 or 2 * retention * undercut >= length:
        raise PliantError(
            f"ramp {ramp}, retention {retention}, undercut {undercut}, length {length}: give positive "
            "numbers, with retention · undercut less than half the length."
        )
    peak, edge = Fraction(2), 2 + Fraction(undercut)  # how far to the right the bump and the hook come
    face, height = edge + QUARTER, undercut + QUARTER  # the hook clears the wall by a quarter
    low = 1 + height / Fraction(retention)
    high = low + height / Fraction(ramp)
    nose = min(1, 1 / (2 * Fraction(retention)))
    hook = ring((-1, 1), (-1, -length), (edge, -length), (1, nose - length), (1, 1))
    bump = ring((face, high), (peak, low), (peak, low - 1), (face, 0))
    return Fastener(
        title="A cantilever hook",
        friction=Fraction(friction),
        root=Root(velocity=vector(0, -1), until=high + 2),
        pawls=(
            Pawl(
                name="hook",
                hinge=vector(0, length + high + 1),
                outline=hook,
                stiffness=Fraction(stiffness) if beam is None else None,
                beam=beam,
            ),
        ),
        obstacles=(
            Obstacle(
                name="wall",
                outline=(*bump, *ring((face, -3), (face + 2, -3), (face + 2, high + 2), (face, high + 2))),
            ),
        ),
    )


def random_fastener(seed: int) -> Fastener:
    """One or two pawls of any shape, and one to four obstacles in their way, all apart at the start.

    Coordinates are multiples of a sixteenth. A third have a root with an outline; of the pawls a fifth have
    stops, and a fifth rest turned.

    Args:
        seed: the same seed gives the same fastener.

    Returns:
        The fastener.
    """
    rng = np.random.default_rng(seed)
    direction = vector(*WAYS[rng.integers(len(WAYS))])
    hinges = [vector(0, 0)] if rng.random() < 0.6 else [vector(-3, 0), vector(3, 0)]
    pawls = tuple(_random_pawl(rng, f"pawl {k + 1}", hinge) for k, hinge in enumerate(hinges))
    root = _box(-4, 1, 4, 2) if rng.random() < 1 / 3 else None
    taken = [_area(_translate(_outline_at_rest(pawl), pawl.hinge)) for pawl in pawls] + (
        [_area(root)] if root else []
    )
    if rng.random() < 0.85:  # a lane for each hinge: where it goes through an obstacle, the pawl can only jam
        taken += [_lane(hinge, direction) for hinge in hinges]
    obstacles: list[Obstacle] = []
    for _ in range(rng.integers(1, 5)):
        outline = _outline_ahead(rng, taken, direction, max(hinge[0] for hinge in hinges))
        taken.append(_area(outline))
        obstacles.append(Obstacle(outline=outline))
    return Fastener(
        title=f"A random fastener, {seed}",
        friction=FRICTIONS[rng.integers(len(FRICTIONS))],
        root=Root(velocity=direction, until=Fraction(24), outline=root),
        pawls=pawls,
        obstacles=tuple(obstacles),
    )


def many_features(pairs: int = 1_000_000, seed: int = 0, near: int = 8) -> Fastener:
    """A shoe of 100 vertices dragged over a few teeth, and enough edges elsewhere for so many pairs.

    What is elsewhere lies past the end of the path or off to its side, where the shoe does not reach: the
    motion is the same however many there are.

    Args:
        pairs: of features of the shoe and of obstacles, about.
        seed: of the edges elsewhere.
        near: teeth that the shoe is dragged over.

    Returns:
        The fastener.
    """
    rng = np.random.default_rng(seed)
    rack = ratchet(near)
    end = rack.root.until or Fraction(0)
    # An arc of a parabola is convex, and its denominators stay small.
    arc = [(Fraction(k, 16) - 4, Fraction(k * k, 1536) - 6) for k in range(-48, 49)]
    shoe = ring(*arc, (QUARTER, -QUARTER), (QUARTER, QUARTER), (-QUARTER, QUARTER))
    shapes = {f"burr {k}": _star(rng, 10, (1, 2)) for k in range(16)}
    edges = pairs // len(shoe) - sum(len(rack.outline(part)) for part in rack.obstacles)
    burrs = [
        Obstacle(shape=f"burr {k % 16}", at=vector(end + 40 + 5 * (k // 128), 5 * (k % 64)))
        if k % 128 < 64
        else Obstacle(shape=f"burr {k % 16}", at=vector(5 * (k % 64), -20 - 5 * (k // 128)))
        for k in range(edges // 10)
    ]
    return Fastener(
        title=f"{pairs} pairs of features",
        shapes=shapes,
        root=Root(velocity=vector(1, 0), until=end + 10),
        pawls=(Pawl(name="shoe", hinge=vector(0, 6 + QUARTER), outline=shoe, stiffness=Fraction(100)),),
        obstacles=(*rack.obstacles, *burrs),
    )


def vector(x: Rational, y: Rational) -> ExactVector:
    """A point or a velocity, exactly.

    Args:
        x: as an integer or a fraction.
        y: as an integer or a fraction.

    Returns:
        The pair.
    """
    return Fraction(x), Fraction(y)


def ring(*points: tuple[Rational, Rational]) -> ExactOutline:
    """An outline, exactly.

    Args:
        points: x and y of its vertices, in order around it.

    Returns:
        The vertices.
    """
    return tuple(vector(*point) for point in points)


def _box(left: Rational, bottom: Rational, right: Rational, top: Rational) -> ExactOutline:
    return ring((left, bottom), (right, bottom), (right, top), (left, top))


def _mirror(outline: ExactOutline) -> ExactOutline:
    return tuple((-x, y) for x, y in outline)


def _random_pawl(rng: np.random.Generator, name: str, hinge: ExactVector) -> Pawl:
    """A hook, a wedge or a star, mostly below its hinge."""
    kind = rng.integers(4)
    if kind == 0:
        length, nose, tip = rng.integers([6, 2, 1], [13, 5, 5]).tolist()
        low, high = Fraction(-length, 2), Fraction(tip - length, 2)
        side = ((HALF + Fraction(nose, 2), high), (HALF, high + HALF))
        outline = ring((-HALF, HALF), (-HALF, low), (0, low), *side, (HALF, HALF))
        outline = outline if rng.random() < 0.5 else _mirror(outline)
    elif kind == 1:
        x, y, wide = rng.integers([-8, -12, 2], [9, -3, 5]).tolist()
        outline = ring((-HALF, HALF), (Fraction(x, 2), Fraction(y, 2)), (Fraction(wide, 2), 0))
    else:
        outline = _translate(_star(rng, int(rng.integers(3, 9)), (1, 4)), vector(0, -int(rng.integers(3))))
    stops = (half_angle(f"-{rng.integers(1, 5)}/10 u"), half_angle(f"{rng.integers(1, 8)}/10 u"))
    return Pawl(
        name=name,
        hinge=hinge,
        outline=outline,
        stiffness=Fraction(100),
        rest=half_angle("1/5 u") if rng.random() < 0.2 else NONE,
        stops=stops if rng.random() < 0.2 else None,
    )


def _lane(hinge: ExactVector, direction: ExactVector) -> shapely.Polygon:
    x, y = (float(part) for part in hinge)
    ahead = shapely.LineString([(x, y), (x + 24 * float(direction[0]), y + 24 * float(direction[1]))])
    return ahead.buffer(0.75)


def _outline_ahead(
    rng: np.random.Generator, taken: Sequence[shapely.Polygon], direction: ExactVector, wide: Fraction
) -> ExactOutline:
    """A star somewhere ahead, at least a quarter from all that is there."""
    for _ in range(TRIES):
        ahead, aside = Fraction(int(rng.integers(12, 57)), 4), Fraction(int(rng.integers(-16, 17)), 4)
        at = (direction[0] * ahead + aside * (4 + wide) / 4, direction[1] * ahead)
        outline = _translate(_star(rng, int(rng.integers(3, 8)), (0.75, 2.25)), at)
        if all(shapely.distance(_area(outline), other) >= 0.25 for other in taken):
            return outline
    raise PliantError(f"no room for another obstacle was found in {TRIES} tries.")


def _star(rng: np.random.Generator, count: int, radii: tuple[float, float]) -> ExactOutline:
    """An outline of so many vertices around the origin, on a grid of quarters, mostly not convex.

    Edges are at least a quarter long and no corner is sharper than 0.2 rad, so that a stepper can see it.
    """
    for _ in range(TRIES):
        angle = np.sort(rng.uniform(0, 2 * np.pi, count))
        radius = rng.uniform(*radii, count)
        grid = np.round(4 * np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])).astype(int)
        outline = tuple(vector(Fraction(x, 4), Fraction(y, 4)) for x, y in grid.tolist())
        if len(set(outline)) == count and _area(outline).is_valid and _plain(outline):
            return outline
    raise PliantError(f"no outline of {count} vertices was found in {TRIES} tries.")


def _plain(outline: ExactOutline) -> bool:
    """Whether an outline has no spikes and no slits."""
    points = np.array(outline, np.float64)
    out, back = np.roll(points, -1, axis=0) - points, np.roll(points, 1, axis=0) - points
    cross = out[:, 0] * back[:, 1] - out[:, 1] * back[:, 0]
    return bool(np.abs(np.arctan2(cross, (out * back).sum(axis=1))).min() > 0.2)


def _translate(outline: ExactOutline, by: ExactVector) -> ExactOutline:
    return tuple((x + by[0], y + by[1]) for x, y in outline)


def _outline_at_rest(pawl: Pawl) -> ExactOutline:
    """A pawl's outline as it rests, in its hinge's frame."""
    cosine, sine = pawl.rest.matrix
    return tuple((cosine * x - sine * y, sine * x + cosine * y) for x, y in pawl.outline or ())


def _area(outline: ExactOutline) -> shapely.Polygon:
    return shapely.Polygon([(float(x), float(y)) for x, y in outline])
