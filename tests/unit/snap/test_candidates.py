"""Which contacts could come next: whatever truly touches is among the pairs a kernel returns.

True contacts are found by rational numbers, from the outlines and not from the curves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from tests.unit.snap.one_pawl import FLOAT, box, grid_case, ring, scene_of

from pliant.snap.arithmetic import quartic
from pliant.snap.arithmetic.exact import ExactArithmetic
from pliant.snap.geometry.contact_curves import contact_curve
from pliant.snap.geometry.features import EDGE, VERTEX, FeaturePair, coefficients, quadratic
from pliant.snap.geometry.pawl_scene import Scene
from pliant.snap.sweep import candidates as scan
from pliant.snap.sweep.leg import is_on_edge

Vector = tuple[Fraction, Fraction]
ANGLES = [Fraction(k, 7) for k in range(-7, 8)] + [Fraction(k, 2**20 + 7) for k in (-3, 1, 10**6)]
# Where a scene is put: in place, with numbers no float holds, and far away from where floats are dense.
PLACES = [(Fraction(1), (0, 0)), (Fraction(1, 3), (Fraction(1, 7), 0)), (Fraction(7, 3), (10**6, -(10**7)))]


def placed(seed: int, scale: Fraction, shift: tuple[Any, Any]) -> Scene:
    """A scene on a grid of this size, somewhere."""
    case = grid_case(seed)
    pawl = [(x * scale, y * scale) for x, y in case["pawl"]]
    outlines = [[(x * scale + shift[0], y * scale + shift[1]) for x, y in o] for o in case["outlines"]]
    return scene_of(pawl, *outlines, velocity=case["velocity"], hinge=shift)


def scenes(count: int) -> Iterator[Scene]:
    for seed in range(count):
        yield placed(seed, *PLACES[seed % len(PLACES)])


def every_pair(scene: Scene) -> Iterator[FeaturePair]:
    """Pairs of features that can touch: reflex vertices cannot."""
    for j in range(len(scene.obstacles.points)):
        for i in range(len(scene.pawl)):
            if scene.pawl_convex[i]:
                yield VERTEX, i, j
            if scene.obstacles.convex[j]:
                yield EDGE, i, j


def corners(scene: Scene, u: Fraction, turn: int, t: Fraction) -> list[Vector]:
    """The pawl's vertices in the world."""
    cosine, sine = (1 - u * u) / (1 + u * u), 2 * u / (1 + u * u)
    cosine, sine = (-cosine, -sine) if turn % 2 else (cosine, sine)
    hinge = [(a + t * b) / scene.scale for a, b in zip(scene.hinge, scene.velocity, strict=True)]
    shape = [(Fraction(x, scene.scale), Fraction(y, scene.scale)) for x, y in scene.pawl]
    return [(hinge[0] + cosine * x - sine * y, hinge[1] + sine * x + cosine * y) for x, y in shape]


def features(scene: Scene, pair: FeaturePair, shape: list[Vector]) -> tuple[Vector, Vector, Vector]:
    """A vertex, and the two ends of an edge."""
    kind, i, j = pair
    stones = scene.obstacles.points
    if kind == VERTEX:
        return shape[i], stones[j], stones[scene.obstacles.following[j]]
    return stones[j], shape[i], shape[(i + 1) % len(shape)]


def touch(point: Vector, start: Vector, end: Vector) -> bool:
    """Whether a vertex lies on an edge, its ends included."""
    across = (end[0] - start[0], end[1] - start[1])
    to = (point[0] - start[0], point[1] - start[1])
    if across[0] * to[1] != across[1] * to[0]:
        return False
    return 0 <= across[0] * to[0] + across[1] * to[1] <= across[0] ** 2 + across[1] ** 2


def touching(
    scene: Scene, u: Fraction, turn: int, t: Fraction, pairs: Iterable[FeaturePair]
) -> set[FeaturePair]:
    """Those of some pairs that touch."""
    shape = corners(scene, u, turn, t)
    return {pair for pair in pairs if touch(*features(scene, pair, shape))}


def meeting_times(
    scene: Scene, u: Fraction, turn: int, pairs: Iterable[FeaturePair]
) -> dict[FeaturePair, Fraction]:
    """When vertices cross the lines of edges, but those that move along them."""
    shape, found = corners(scene, u, turn, Fraction(0)), {}
    way = [Fraction(v, scene.scale) for v in scene.velocity]
    for pair in pairs:
        point, start, end = features(scene, pair, shape)
        normal = (end[1] - start[1], start[0] - end[0])
        speed = (normal[0] * way[0] + normal[1] * way[1]) * (1 if pair[0] == VERTEX else -1)
        if speed:
            away = normal[0] * (point[0] - start[0]) + normal[1] * (point[1] - start[1])
            found[pair] = -away / speed
    return found


def touches(
    scene: Scene, seed: int, tries: int = 80
) -> Iterator[tuple[Fraction, int, Fraction, set[FeaturePair]]]:
    """Some rational angles and times at which something touches, and everything that does."""
    random, pairs = Random(seed), list(every_pair(scene))
    for _ in range(tries):
        u, turn, pair = random.choice(ANGLES), random.randrange(2), random.choice(pairs)
        for t in meeting_times(scene, u, turn, [pair]).values():
            if touching(scene, u, turn, t, [pair]):
                yield u, turn, t, touching(scene, u, turn, t, pairs)


def scanned(
    scene: Scene, live: Any, kernel: Callable, *args: Any
) -> tuple[set[FeaturePair], dict[FeaturePair, float]]:
    """What a kernel returns, and from where on."""
    pairs, places = np.empty((20_000, 3), np.int64), np.empty(20_000)
    count = kernel(*args, live, scene.bodies, pairs, places)
    found = [tuple(row) for row in pairs[:count].tolist()]
    return set(found), dict(zip(found, places[:count].tolist(), strict=True))


def everything(scene: Scene) -> Any:
    return np.arange(len(scene.obstacles.points))


def sign(turn: int) -> float:
    return -1.0 if turn % 2 else 1.0


def test_what_touches_at_an_angle_and_a_time_is_returned():
    several = 0
    for number, scene in enumerate(scenes(24)):
        for u, turn, t, here in touches(scene, number):
            live = scene.index.live(float(t), float(t))
            slack = 1e-15 * abs(float(t))
            found, _ = scanned(
                scene, live, scan.pairs_touching, float(t), slack, float(u), 2.0**-40, sign(turn)
            )
            assert here <= found
            several += len(here) > 2
    assert several > 20


def test_what_touches_while_the_pawl_turns_is_returned_before_it_does():
    for number, scene in enumerate(scenes(24)):
        for u, turn, t, here in touches(scene, number):
            live, slack = scene.index.live(float(t), float(t)), 1e-15 * abs(float(t))
            for start, end in ((-1.0, 1.0), (1.0, -1.0), (float(u) - 1e-3, float(u)), (float(u), 1.0)):
                args = (float(t), slack, sign(turn), start, end - start)
                found, shares = scanned(scene, live, scan.pairs_at_time, *args)
                assert here <= found
                if end != start:
                    true = (float(u) - start) / (end - start)
                    assert all(shares[pair] <= true + 1e-9 for pair in here)


def test_the_first_to_touch_at_one_angle_is_returned_and_all_that_touch_with_it():
    compared = 0
    for number, scene in enumerate(scenes(24)):
        random, pairs = Random(number), list(every_pair(scene))
        for u in random.sample(ANGLES, 3):
            turn, start = number % 2, Fraction(random.randint(-20, 20), 3)
            t, first = first_touch(scene, u, turn, start, pairs)
            args = (float(u), 2.0**-40, sign(turn), float(start) - 1e-9, float(start) + 1e-9, 40.0)
            found, since = scanned(scene, everything(scene), scan.pairs_at_angle, *args)
            assert first <= found
            assert all(since[pair] <= t for pair in first)
            compared += len(first)
    assert compared > 30


def first_touch(
    scene: Scene, u: Fraction, turn: int, start: Fraction, pairs: list[FeaturePair]
) -> tuple[Fraction, set[FeaturePair]]:
    """What touches first after a t, as edges are crossed, and when."""
    times = meeting_times(scene, u, turn, pairs)
    for t in sorted({t for t in times.values() if start < t < 40}):
        first = touching(scene, u, turn, t, [pair for pair in pairs if times.get(pair) == t])
        if first:
            return t, first
    return Fraction(40), set()


def test_what_touches_now_does_not_hide_what_comes_next():
    """A contact at the start is returned, but does not set the end back."""
    scene = scene_of(box(-1, -2, 1, 0), box(0, -4, 3, -2), box(0, 5, 3, 6), velocity=(0, 1))
    args = (0.0, 2.0**-40, 1.0, -1e-7, 1e-7, 20.0)
    _, since = scanned(scene, everything(scene), scan.pairs_at_angle, *args)
    assert since[VERTEX, 1, 2] == pytest.approx(0, abs=1e-7)
    assert since[VERTEX, 2, 4] == pytest.approx(5, abs=1e-7)


def exact_hits(scene: Scene, arc: FeaturePair, turn: int) -> Iterable[tuple[FeaturePair, Any]]:
    """Where on a contact's curve others touch, by the exact arithmetic."""
    exactly, along = ExactArithmetic(), contact_curve(scene, arc, turn)
    for pair in every_pair(scene):
        other = contact_curve(scene, pair, turn)
        poly = along.meets(other)
        if pair == arc or poly.is_zero():
            continue
        for u in exactly.roots_after(poly, exactly.number(Fraction(-1)), exactly.number(Fraction(1)), -1.0):
            if exactly.sign_at(along.alpha, u) and is_on_edge(exactly.point(u, turn, along.line), other):
                yield pair, u


def test_what_touches_while_the_pawl_slides_is_returned_before_it_does():
    compared = 0
    for number, scene in enumerate(scenes(16)):
        for arc in Random(number).sample(list(every_pair(scene)), 3):
            hits = list(exact_hits(scene, arc, number))
            alpha = contact_curve(scene, arc, number).alpha
            # the kernel takes stretches without an asymptote, on which α keeps its sign
            for start, width in ((-1.0, 2.0), (-0.5, 0.75), (1.0, -1.5)):
                rising = _sign_on(alpha, start, width)
                if not rising:
                    continue
                args = (arc, rising, sign(number), start - 1e-12, width + 2e-12, (-1e6, 1e6))
                found, shares = scanned(scene, everything(scene), scan.pairs_along_arc, *args)
                for pair, u in hits:
                    true = (u.near - start) / width
                    if 0 <= true <= 1:
                        assert pair in found
                        assert shares[pair] <= true + 1e-9
                        compared += 1
    assert compared > 200


def _sign_on(alpha: Any, start: float, width: float) -> float:
    """The sign of α where it has one on the whole stretch, else 0."""
    values = [float(c) for c in alpha.coeffs()] or [0.0]
    places = np.linspace(start, start + width, 400)
    signs = np.unique(np.sign(np.polynomial.polynomial.polyval(places, values)))
    return float(signs[0]) if len(signs) == 1 else 0.0


def test_reflex_vertices_are_left_out():
    """They cannot touch an edge before a neighbour does."""
    notched = ring((-2, -3), (0, -2), (2, -3), (2, 0), (-2, 0))
    scene = scene_of(notched, box(-1, -9, 1, -8))
    found, _ = scanned(scene, everything(scene), scan.pairs_touching, 6.0, 0.0, 0.0, 2.0**-40, 1.0)
    assert not any(kind == VERTEX and i == 1 for kind, i, _ in found)


@pytest.mark.parametrize("turns", [1, 3])
def test_roots_of_products_are_found_by_floats(turns):
    random = np.random.default_rng(turns)
    for _ in range(200):
        places = np.sort(random.uniform(-1, 1, turns + 1))
        if np.diff(places).min(initial=1.0) > 1e-3:
            c = np.polynomial.polynomial.polyfromroots(places) * random.uniform(1, 100)
            found = quartic.real_roots(c, -1.0, 1.0, 1e-12, 1e-7)
            assert found == pytest.approx(places, abs=1e-9)


def test_a_double_root_is_one_root_by_floats():
    for at in (-0.75, 0.0, 0.3, 0.999):
        c = np.polynomial.polynomial.polyfromroots([at, at, 5.0])
        assert quartic.real_roots(c, -1.0, 1.0, 1e-12, 1e-6) == pytest.approx([at], abs=1e-7)


def lobed(rng: np.random.Generator, size: float, down: float) -> list[tuple[Fraction, Fraction]]:
    """An outline of 48 corners, enough for boxes to be worth it."""
    around, phase = np.linspace(0, 2 * np.pi, 48, endpoint=False), rng.uniform(0, 6)
    radii = size * (1 + 0.3 * np.sin(3 * around + phase))
    xy = np.column_stack([radii * np.cos(around), radii * np.sin(around) - down])
    return [(Fraction(round(x * 1000), 1000), Fraction(round(y * 1000), 1000)) for x, y in xy.tolist()]


def test_boxes_leave_out_no_pair_that_touches():
    """Each pair at an angle, and the t at which its vertex is on its edge, with more or less about them."""
    rng, tried, left = np.random.default_rng(0), 0, 0
    for _ in range(10):
        scene = scene_of(lobed(rng, 2.0, 0.0), lobed(rng, 3.0, 9.0), arithmetic=FLOAT)
        live, bodies = everything(scene), scene.bodies
        for pair in scan.all_pairs(live, bodies).tolist()[::7]:
            u, c = rng.uniform(-0.3, 0.3), coefficients(*pair, 1.0, bodies)
            t = -quadratic(c.beta, u) / quadratic(c.alpha, u)
            spot = quadratic(c.lam, u) * t + quadratic(c.rho, u)
            if not 0 <= spot <= c.length_squared * (1 + u * u):
                continue
            before, after = rng.uniform(0, 1, 2) * rng.choice([0.0, 1e-6, 0.1])
            low, high = rng.uniform(0, 0.2, 2) * rng.choice([0.0, 1e-6, 1.0])
            kept = scan.nearby_pairs(live, bodies, 1.0, (t - before, t + after), (u - low, u + high)).tolist()
            assert pair in kept
            tried, left = tried + 1, left + len(scan.all_pairs(live, bodies)) - len(kept)
    assert tried > 150
    assert left > 2000 * tried  # of some 4600 pairs
