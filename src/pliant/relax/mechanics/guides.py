"""Nodes on lines, planes and curves: which ways they may go, and back onto their guide.

A curve is P cubics, one after the other; a spot on it is a number from 0 to P, whose whole part
is the cubic and whose rest is the cubic's u.

Source: [Lipson2006] Table 2, "Constrained motion".
"""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.kernel import inner, inner_shared, kernel, kernel_shared
from pliant.relax.network.elements import CURVE, FIXED, FREE, LINE, PLANE, Guides

SAMPLES = 4  # of each cubic, beside which the nearest point is sought
END = 1e-9  # of a cubic: so near, a node is at the end of its curve
TURNS = 100  # of that search; bisection alone needs 60


@inner
def project(guides: Guides, i: int, place: Floats, v: Floats) -> None:
    """Remove from v (D,) the components that the guide of node i at `place` (D,) forbids.

    An open curve ends in a stop: at an end, what leads beyond it is taken too.
    """
    guide = guides.kinds[i]
    if guide == FREE:
        return
    if guide == FIXED:
        v[:] = 0.0
        return
    way = np.empty(len(v))
    end = _guide_direction(guides, i, place, way)
    if guide == PLANE:
        _keep_perpendicular(v, way)
    else:
        onward = _keep_parallel(v, way)
        if end * onward > 0.0:
            v[:] = 0.0


@kernel_shared
def hold_nodes(guides: Guides, i: int, x: Floats) -> None:
    """Project x[i] onto the line, plane or curve of node i."""
    guide = guides.kinds[i]
    if guide == CURVE:
        onto_curve(_cubics(guides, i), _is_closed(guides, i), x[i])
    elif guide in (LINE, PLANE):
        d = x.shape[1]
        for c in range(d):
            x[i, c] -= guides.at[i, c]
        if guide == LINE:
            _keep_parallel(x[i], guides.along[i])
        else:
            _keep_perpendicular(x[i], guides.along[i])
        for c in range(d):
            x[i, c] += guides.at[i, c]


@inner
def basis(guides: Guides, i: int, place: Floats, out: Floats) -> int:
    """Number of free directions of node i at `place`; as many rows of `out` (D, D) are an orthonormal basis.

    The stop at the end of a curve does not count: there is a way back.
    """
    d = len(place)
    guide = guides.kinds[i]
    if guide == FIXED:
        return 0
    if guide == FREE:
        out[:] = 0.0
        for c in range(d):
            out[c, c] = 1.0
        return d
    way = np.empty(d)
    _guide_direction(guides, i, place, way)
    if guide != PLANE:
        for c in range(d):
            out[0, c] = way[c]
        return 1
    if d == 2:
        out[0, 0], out[0, 1] = -way[1], way[0]
        return 1
    out[0, :] = 0.0
    least = 0
    for c in range(3):
        least = c if abs(way[c]) < abs(way[least]) else least
    out[0, least] = 1.0  # the coordinate axis farthest from the normal
    _keep_perpendicular(out[0], way)
    _normalise(out[0])
    for c in range(3):
        out[1, c] = way[(c + 1) % 3] * out[0, (c + 2) % 3] - way[(c + 2) % 3] * out[0, (c + 1) % 3]
    return 2


@kernel
def onto_curve(cubics: Floats, closed: bool, place: Floats) -> None:
    """Move a place (D,) to the nearest point of a curve (P, 4, D); an open one ends at its ends."""
    cubic, u = _at(cubics, nearest_spot(cubics, closed, place))
    for c in range(len(place)):
        place[c] = _value(cubic[:, c], u)


@inner_shared
def nearest_spot(cubics: Floats, closed: bool, place: Floats) -> float:
    """The spot on a curve nearest to a place: the best beside samples nearer than their neighbours."""
    count = SAMPLES * len(cubics)
    spot, least = 0.0, np.inf
    before, here = np.inf, _squared_distance(cubics, 0.0, place)[0]
    for k in range(count + 1):
        after = _squared_distance(cubics, (k + 1) / SAMPLES, place)[0] if k < count else np.inf
        if here <= before and here <= after:
            refined = _refine_spot(cubics, closed, place, k / SAMPLES)
            square = _squared_distance(cubics, refined, place)[0]
            if square < least:
                spot, least = refined, square
        before, here = here, after
    return spot


@inner
def _refine_spot(cubics: Floats, closed: bool, place: Floats, spot: float) -> float:
    """The nearest spot beside a sample, by Newton's method kept between its neighbours.

    With p(u) on the curve, g = (p − x)·p′ = 0 there, and g′ = p′·p′ + (p − x)·p″.
    """
    count = len(cubics)
    low, high = spot - 1.0 / SAMPLES, spot + 1.0 / SAMPLES
    if not closed:
        low, high = max(low, 0.0), min(high, float(count))
    for _ in range(TURNS):
        _, slope, growth = _squared_distance(cubics, spot % count if closed else spot, place)
        if slope > 0.0:
            high = spot
        else:
            low = spot
        there = spot - slope / growth if growth > 0.0 else np.inf
        if not low <= there <= high:
            there = 0.5 * (low + high) if slope != 0.0 else spot
        if abs(there - spot) <= 1e-16 * count:
            break
        spot = there
    return spot % count if closed else spot


@inner
def _squared_distance(cubics: Floats, spot: float, place: Floats) -> tuple[float, float, float]:
    """How far the spot is from the place, squared; half of that's slope and its slope's."""
    cubic, u = _at(cubics, spot)
    square = slope = growth = 0.0
    for c in range(len(place)):
        away = _value(cubic[:, c], u) - place[c]
        rate = _rate(cubic[:, c], u)
        square += away * away
        slope += away * rate
        growth += rate * rate + away * (6.0 * cubic[0, c] * u + 2.0 * cubic[1, c])
    return square, slope, growth


@inner
def _guide_direction(guides: Guides, i: int, place: Floats, out: Floats) -> float:
    """The line's direction, the plane's normal or the curve's tangent at a place.

    Returns 1 where it leads beyond the end of a curve there, −1 where its opposite does, else 0.
    """
    for c in range(len(out)):
        out[c] = guides.along[i, c]
    if guides.kinds[i] != CURVE:
        return 0.0
    cubics, closed = _cubics(guides, i), _is_closed(guides, i)
    spot = nearest_spot(cubics, closed, place)
    cubic, u = _at(cubics, spot)
    for c in range(len(out)):
        out[c] = _rate(cubic[:, c], u)
    _normalise(out)
    if closed or END < spot < len(cubics) - END:
        return 0.0
    return -1.0 if spot <= END else 1.0


@inner
def _cubics(guides: Guides, i: int) -> Floats:
    curve = guides.curve[i]
    return guides.pieces[guides.curve_starts[curve] : guides.curve_starts[curve + 1]]


@inner
def _is_closed(guides: Guides, i: int) -> bool:
    return bool(guides.curve_closed[guides.curve[i]])


@inner
def _at(cubics: Floats, spot: float) -> tuple[Floats, float]:
    """The cubic (4, D) a spot is on, and its u."""
    k = min(int(spot), len(cubics) - 1)
    return cubics[k], spot - k


@inner
def _value(cubic: Floats, u: float) -> float:
    return ((cubic[0] * u + cubic[1]) * u + cubic[2]) * u + cubic[3]


@inner
def _rate(cubic: Floats, u: float) -> float:
    return (3.0 * cubic[0] * u + 2.0 * cubic[1]) * u + cubic[2]


@inner
def _dot(u: Floats, v: Floats) -> float:
    total = 0.0
    for c in range(len(u)):
        total += u[c] * v[c]
    return total


@inner
def _normalise(v: Floats) -> None:
    """Bring v to length 1; 0 stays 0."""
    length = np.sqrt(_dot(v, v))
    for c in range(len(v)):
        v[c] /= length if length > 0.0 else 1.0


@inner
def _keep_parallel(v: Floats, way: Floats) -> float:
    """Leave of v its part along a unit vector; how long that is."""
    share = _dot(v, way)
    for c in range(len(v)):
        v[c] = share * way[c]
    return share


@inner
def _keep_perpendicular(v: Floats, way: Floats) -> None:
    """Leave of v its part across a unit vector."""
    share = _dot(v, way)
    for c in range(len(v)):
        v[c] -= share * way[c]
