"""The slice (t, angle) of one pawl's configurations on one leg: where it is free, and its path through that.

    every contact's curve, cut where its vertex leaves its edge and where friction begins to hold it
    the faces these arcs divide the window into, each free or forbidden as one of its places is
    the free component the path runs through; its rim slides, or sticks

Source: [DonaldPai1993] sec. 9.1 to 9.3, Figs. 19 to 22.
Differs: floats, and only for pictures: the sweep needs no free space beforehand.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import shapely

from pliant.core.arrays import Bools, Floats, Geometries
from pliant.core.pose import carry
from pliant.snap.arithmetic.floating import FloatArithmetic, FloatPoint, FloatPoly, float_roots
from pliant.snap.arithmetic.protocol import sweep_arithmetic
from pliant.snap.force.force_curve import pawl_angles
from pliant.snap.geometry.contact_curves import contact_curve
from pliant.snap.geometry.features import EDGE, VERTEX, FeaturePair
from pliant.snap.geometry.intersections import float_points
from pliant.snap.geometry.pawl_scene import Scene
from pliant.snap.sweep.friction_cone import FrictionTerms, friction_cone, friction_terms, is_locked
from pliant.snap.sweep.leg import is_on_edge
from pliant.snap.sweep.path import Path
from pliant.snap.sweep.plan import Course

BEYOND = 0.12  # of the course: how far the window goes past its end
LEAST, AIR = math.radians(20), 0.5  # of angles beyond the path's: at least, and of their range
STEP = 0.01  # between the points of an arc, over the window
GRID = 1e-9  # to which arcs are rounded, so that those that meet do, over the window
NEAR = 1e-6  # what is on the rim, over the window
SPECK = 1e-8  # faces this small are rounding, over the window
VANISHES = 1e-9  # beside the sizes of its terms


@dataclass(frozen=True)
class SliceWindow:
    """The part of the slice that is looked at."""

    begin: float  # t
    end: float
    low: float  # angle
    high: float

    @property
    def corner(self) -> Floats:
        """The least t and angle."""
        return np.array([self.begin, self.low])

    @property
    def size(self) -> Floats:
        """How wide and high it is."""
        return np.array([self.end - self.begin, self.high - self.low])

    def page(self, places: Floats) -> Floats:
        """Places (K, 2) of the slice, over the window."""
        return (places - self.corner) / self.size

    def back(self, page: Floats) -> Floats:
        """The inverse of `page`."""
        return page * self.size + self.corner


@dataclass(frozen=True)
class RimArc:
    """A piece of the rim of free space: which contact, whether friction holds it there, and its places."""

    pair: FeaturePair
    sticks: bool
    places: Floats  # (K, 2) t and angle


@dataclass(frozen=True)
class ConfigurationSlice:
    """The slice of a pawl: what it can reach, what is free but out of reach, what is forbidden."""

    window: SliceWindow
    path: Floats  # (K, 2) t and angle; upright where it snaps
    reach: shapely.Geometry  # areas of t and angle (shapely)
    apart: shapely.Geometry
    forbidden: shapely.Geometry
    arcs: tuple[RimArc, ...]  # the rim of `reach`


def configuration_slice(course: Course, pawl: str, friction: Fraction) -> ConfigurationSlice:
    """The slice of a pawl for one course."""
    scene = _float_scene(course.paths[pawl].scene)
    path = path_points(course, pawl)
    window = _window(scene, path)
    arcs = list(_arcs(scene, window, friction))
    free, forbidden = _faces(scene, window, arcs)
    along = shapely.linestrings(window.page(path))
    near = shapely.distance(along, free) <= STEP**2  # as far as chords leave their arcs
    reach = shapely.union_all(free[near])
    return ConfigurationSlice(
        window,
        path,
        _from_page(window, reach),
        _from_page(window, shapely.union_all(free[~near])),
        _from_page(window, forbidden),
        tuple(_rim(window, reach, arcs)),
    )


def possible_pairs(scene: Scene, begin: float, end: float) -> list[FeaturePair]:
    """Contacts that can be between two t. Reflex vertices touch nothing."""
    convex = scene.obstacles.convex
    pairs: list[FeaturePair] = []
    for j in scene.index.live(begin, end).tolist():
        for i, out in enumerate(scene.pawl_convex):
            pairs += [(VERTEX, i, j)] * out + [(EDGE, i, j)] * convex[j]
    return pairs


def path_points(course: Course, pawl: str) -> Floats:
    """A pawl's way through the slice, (K, 2): closer together at the ends of its pieces."""
    path = course.paths[pawl]
    spread = 0.5 - 0.5 * np.cos(np.linspace(0, np.pi, 33))
    points: list[Floats] = []
    for piece in path.pieces:
        if piece.start.t > course.ends:
            break
        t = piece.start.t + spread * (min(piece.end.t, course.ends) - piece.start.t)
        points.append(np.column_stack([t, pawl_angles(path, piece, t)]))
    return np.concatenate(points) if points else np.array([_end_of_path(path)] * 2)


def _end_of_path(path: Path) -> tuple[float, float]:
    return path.end.t, path.end.turn * math.pi + 2 * math.atan(path.end.angle)


def _float_scene(scene: Scene) -> Scene:
    """The same scene in floats."""
    corners = zip(scene.bodies.pawl.x.tolist(), scene.bodies.pawl.y.tolist(), strict=True)
    hinge = scene.bodies.hinge
    return replace(
        scene,
        arithmetic=sweep_arithmetic(FloatArithmetic(scene.stride)),
        pawl=tuple(corners),
        hinge=(hinge.x, hinge.y),
        velocity=(hinge.vx, hinge.vy),
        until=scene.way_end,
        curves={},
    )


def _window(scene: Scene, path: Floats) -> SliceWindow:
    begin, end = float(path[0, 0]), float(path[-1, 0])
    low, high = min(float(path[:, 1].min()), 0.0), max(float(path[:, 1].max()), 0.0)
    air = max(LEAST, AIR * (high - low))
    return SliceWindow(begin, end + (BEYOND * (end - begin) or scene.stride), low - air, high + air)


# Arcs


@dataclass(frozen=True)
class _Contact:
    """A contact in one chart, and what decides whether it slides."""

    curve: Any  # its polynomials are `FloatPoly`
    turn: int
    span: tuple[float, float]  # of u
    grip: FrictionTerms
    cone: tuple[Any, Any]

    @property
    def lines(self) -> tuple[Any, ...]:
        """Where one is met, friction may begin or cease to hold."""
        return (*self.cone, self.grip.along, self.grip.ahead)

    def angle(self, u: Floats) -> Floats:
        """Angles of the chart."""
        return self.turn * math.pi + 2 * np.arctan(u)


def _arcs(scene: Scene, window: SliceWindow, friction: Fraction) -> Iterator[RimArc]:
    """Every contact's curve within the window, in pieces that slide or stick."""
    pairs = possible_pairs(scene, window.begin, window.end)
    for turn in range(round(window.low / math.pi), round(window.high / math.pi) + 1):
        sides = np.clip([window.low - turn * math.pi, window.high - turn * math.pi], -np.pi / 2, np.pi / 2)
        low, high = np.tan(sides / 2).tolist()
        for pair in pairs:
            on = contact_curve(scene, pair, turn)
            held = friction_terms(scene, on, turn)
            contact = _Contact(on, turn, (low, high), held, friction_cone(scene, held, friction))
            yield from _level_arcs(window, contact)
            if not on.is_flat:
                yield from _turning_arcs(window, contact)


def _level_arcs(window: SliceWindow, contact: _Contact) -> Iterator[RimArc]:
    """The pieces of a contact at which the pawl keeps its angle."""
    on = contact.curve
    ends = (on.lam, on.rho), (-on.lam, on.beyond)
    first, second = (on.beta, on.alpha) if on.is_flat else on.line
    for u in float_roots(first, *contact.span):
        if abs(second(u)) > VANISHES * second.size(u):
            continue
        met = [-b(u) / a(u) for a, b in (*ends, *contact.lines) if abs(a(u)) > VANISHES * a.size(u)]
        inner = sorted(t for t in met if window.begin < t < window.end)
        for begin, end in pairwise([window.begin, *inner, window.end]):
            point: Any = FloatPoint(u, contact.turn, (begin + end) / 2)
            if is_on_edge(point, on):
                angle = float(contact.angle(np.array(u)))
                sticks = is_locked(point, contact.grip, contact.cone)
                yield RimArc(on.pair, sticks, np.array([[begin, angle], [end, angle]]))


def _turning_arcs(window: SliceWindow, contact: _Contact) -> Iterator[RimArc]:
    """The pieces of a contact at which the pawl turns."""
    for low, high in pairwise(_breaks(window, contact)):
        u = (low + high) / 2
        point: Any = FloatPoint(u, contact.turn, float(_times(contact.curve, np.array([u]))[0]))
        if window.begin <= point.t <= window.end and is_on_edge(point, contact.curve):
            places = _sample_arc(window, contact, low, high)
            yield RimArc(contact.curve.pair, is_locked(point, contact.grip, contact.cone), places)


def _breaks(window: SliceWindow, contact: _Contact) -> list[float]:
    """The u on a curve where it leaves the window or its edge, or friction may begin to hold."""
    on = contact.curve
    polys = [on.alpha, on.begin, on.end]
    polys += [on.alpha * FloatPoly([t]) + on.beta for t in (window.begin, window.end)]
    polys += [b * on.alpha - a * on.beta for a, b in contact.lines]
    inner = {u for poly in polys for u in float_roots(poly, *contact.span)}
    return sorted({*contact.span, *inner})


def _times(on: Any, u: Floats) -> Floats:
    """The t of a curve; where α and β vanish together, as beside it."""
    bottom, top = _at(on.alpha, u), _at(on.beta, u)
    gone = _vanishes(on.alpha, bottom, u) & _vanishes(on.beta, top, u)
    if gone.any():
        bottom = np.where(gone, _at(on.alpha.derivative(), u), bottom)
        top = np.where(gone, _at(on.beta.derivative(), u), top)
    with np.errstate(divide="ignore", invalid="ignore"):
        return -top / bottom


def _vanishes(poly: FloatPoly, value: Floats, u: Floats) -> Bools:
    return np.abs(value) <= VANISHES * _at(FloatPoly([abs(c) for c in poly.c]), np.abs(u))


def _at(poly: FloatPoly, u: Floats) -> Floats:
    value = np.zeros_like(u)
    for coefficient in reversed(poly.c):
        value = value * u + coefficient
    return value


def _sample_arc(window: SliceWindow, contact: _Contact, low: float, high: float) -> Floats:
    """Places (K, 2) along a curve, about evenly spaced over the window."""
    u = np.linspace(low, high, 17)
    for _ in range(2):
        places = np.column_stack([_times(contact.curve, u), contact.angle(u)])
        run = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(window.page(places), axis=0).T))])
        u = np.interp(np.linspace(0, run[-1], 3 + int(run[-1] / STEP)), run, u)
    return np.column_stack([_times(contact.curve, u), contact.angle(u)])


# Faces


def _faces(scene: Scene, window: SliceWindow, arcs: Sequence[RimArc]) -> tuple[Geometries, shapely.Geometry]:
    """The free components, and all that is forbidden, over the window."""
    lines: list[Any] = [shapely.linestrings(window.page(arc.places)) for arc in arcs]
    lines += [shapely.box(0, 0, 1, 1).exterior]
    stops = (2 * math.atan(stop) for stop in scene.stops if stop is not None)
    levels = ((stop - window.low) / (window.high - window.low) for stop in stops)
    lines += [shapely.linestrings([[0, level], [1, level]]) for level in levels if 0 < level < 1]
    drawn = shapely.union_all(lines, grid_size=GRID)
    faces = shapely.get_parts(shapely.polygonize([drawn]))
    faces = faces[shapely.area(faces) > SPECK]
    spots = window.back(shapely.get_coordinates(shapely.point_on_surface(faces)))
    clear = ~_overlaps(scene, spots)
    for stop, sign in zip(scene.stops, (-1, 1), strict=True):
        if stop is not None:
            clear &= sign * (spots[:, 1] - 2 * math.atan(stop)) <= 0
    return shapely.get_parts(shapely.union_all(faces[clear])), shapely.union_all(faces[~clear])


def _overlaps(scene: Scene, spots: Floats) -> Bools:
    """Whether the pawl is inside an obstacle at places (K, 2) of the slice."""
    hinge = scene.bodies.hinge
    hinges = np.array([hinge.x, hinge.y]) + spots[:, :1] * np.array([hinge.vx, hinge.vy])
    poses = np.column_stack([hinges, spots[:, 1]])
    outline = np.column_stack([scene.bodies.pawl.x, scene.bodies.pawl.y])
    pawls: Any = shapely.polygons(carry(poses[:, None, :], outline[None]))
    bodies = np.array([shapely.polygons(float_points(ring.points)) for ring in scene.obstacles.rings])
    which, body = shapely.STRtree(bodies).query(pawls)
    inside = np.zeros(len(spots), np.bool_)
    inside[which[shapely.relate_pattern(pawls[which], bodies[body], "T********")]] = True
    return inside


def _rim(window: SliceWindow, reach: Any, arcs: Sequence[RimArc]) -> Iterator[RimArc]:
    """The arcs that bound an area. Flush contacts share theirs, and slide as long as one of them does."""
    if reach.is_empty:
        return
    rim = shapely.boundary(reach).buffer(NEAR, quad_segs=1)
    shapely.prepare(rim)
    lines = [(arc, shapely.linestrings(window.page(arc.places))) for arc in arcs]
    kept = [(arc, shapely.intersection(line, rim)) for arc, line in lines if shapely.intersects(rim, line)]
    slides = shapely.union_all([line for arc, line in kept if not arc.sticks]).buffer(NEAR, quad_segs=1)
    for arc, line in kept:
        for part in shapely.get_parts(shapely.difference(line, slides) if arc.sticks else line):
            if shapely.length(part) > 10 * NEAR:
                yield replace(arc, places=window.back(shapely.get_coordinates(part)))


def _from_page(window: SliceWindow, area: shapely.Geometry) -> shapely.Geometry:
    return shapely.transform(area, window.back)
