"""How the forces of contacts turn with what touches: their slopes by the ends of both segments.

A pair presses with f at p = a + s (b − a) and q = c + t (d − c), at a distance l along n from p to q, with
friction h across n. With the weights w = (s − 1, −s, 1 − t, t), its ends a, b, c, d get

    w (f n + h − n (n·h)),    dn = (1 − n nᵀ) dr / l,    dr = Σ w dx − (b − a) ds + (d − c) dt

and s and t move so that r = q − p stays square to both segments, or stand still at an end.
"""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.relax.mechanics.segment_contact import contact_slope
from pliant.relax.network.elements import Contacts

INSIDE = 1e-12  # of a segment: so far from its ends a point of it moves along it
PARALLEL = 1e-12  # square of the sine of the angle between segments that are


def contact_curvature(x: Floats, touch: Contacts, pairs: Ints, forces: Floats, friction: Floats) -> Floats:
    """Slopes (A, 4, D, 4, D) of the forces on the ends of pairs (A,) by the places of these ends.

    Each presses with a force (A,), negative, and has a friction (A, D) on its second segment.
    """
    d = x.shape[1]
    slopes, gaps = np.empty((len(pairs), 4 * d)), np.empty(len(pairs))
    for row, pair in enumerate(pairs.tolist()):
        gaps[row] = contact_slope(x, touch, pair, slopes[row])
    parts = slopes.reshape(-1, 4, d)
    n = parts[:, 2] + parts[:, 3]
    w = np.einsum("aid,ad->ai", parts, n)
    ends, far = x[touch.ends[pairs]], (gaps + touch.radius[pairs])[:, None]
    edges = np.stack([ends[:, 1] - ends[:, 0], ends[:, 3] - ends[:, 2]], axis=1)
    moves = _sliding(w, edges, far * n)
    apart = np.einsum("aj,ck->acjk", w, np.eye(d))
    apart += np.einsum("ac,ajk->acjk", edges[:, 1], moves[:, 1])
    apart -= np.einsum("ac,ajk->acjk", edges[:, 0], moves[:, 0])
    across = np.eye(d) - n[:, :, None] * n[:, None, :]
    turns = np.einsum("ace,aejk->acjk", across / far[:, :, None], apart)
    along = (n * friction).sum(axis=1)
    pull = forces[:, None] * n + friction - along[:, None] * n
    change = (forces - along)[:, None, None, None] * turns
    change -= np.einsum("ac,aejk,ae->acjk", n, turns, friction)
    weights = np.stack([moves[:, 0], -moves[:, 0], -moves[:, 1], moves[:, 1]], axis=1)
    return np.einsum("aijk,ac->aicjk", weights, pull) + np.einsum("ai,acjk->aicjk", w, change)


def _sliding(w: Floats, edges: Floats, r: Floats) -> Floats:
    """Slopes (A, 2, 4, D) of s and t by the ends of both segments; 0 where they stand still.

    (b − a)·r and (d − c)·r stay 0: e₁·e₁ ds − e₁·e₂ dt = B₁, e₁·e₂ ds − e₂·e₂ dt = B₂.
    """
    away = np.einsum("aed,ai->aeid", edges, w)
    for edge in range(2):
        away[:, edge, 2 * edge + 1] += r
        away[:, edge, 2 * edge] -= r
    shares = np.stack([-w[:, 1], w[:, 3]], axis=1)
    squares = (edges**2).sum(axis=2)
    goes = (shares > INSIDE) & (shares < 1.0 - INSIDE) & (squares > 0.0)
    both = (edges[:, 0] * edges[:, 1]).sum(axis=1)
    sine = squares.prod(axis=1) - both**2
    goes[:, 1] &= ~(goes[:, 0] & (sine <= PARALLEL * squares.prod(axis=1)))
    both = np.where(goes.all(axis=1), both, 0.0)
    matrix = np.zeros((len(w), 2, 2))
    matrix[:, 0, 0], matrix[:, 0, 1] = np.where(goes[:, 0], squares[:, 0], 1.0), -both
    matrix[:, 1, 0], matrix[:, 1, 1] = both, np.where(goes[:, 1], -squares[:, 1], 1.0)
    right = np.where(goes[:, :, None, None], away, 0.0).reshape(-1, 2, 4 * r.shape[1])
    return np.linalg.solve(matrix, right).astype(np.float64).reshape(away.shape)
