"""Ways to move that lengths leave free to first order: which a stress holds, and how stiff all of them are.

With J y = 0, lengths change along y as ½ q(y). The way goes on only if some z makes J z + ½ q(y) = 0, that is
if p·q(y) = 0 for every p with Jᵀ p = 0. Where one p makes the form p·q positive for all ways, none goes on:
the mechanism is rigid, by its second order (Connelly and Whiteley's prestress stability). Two bars in one
line between two walls are the least example.

How stiff a way is where forces act is y·H y over y·y: the second slope of the energy, lengths holding.
"""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats
from pliant.relax.mechanics.gradients import Jacobian
from pliant.relax.network.laws import BAR, STRING
from pliant.relax.network.network import Network
from pliant.relax.solvers.dead_centres import stress_form
from pliant.relax.solvers.lagrange import tangent_stiffness
from pliant.relax.solvers.record import Frame

WAYS, UNKNOWNS, STRESSES = 40, 300, 12  # up to which this is quickly found
NONE = 1e-6  # of the largest curvature: a form that is 0 along a way
NULL = 1e-8  # singular values below are 0
TURNS = 200  # towards the stress that holds the softest way best
WRONG = 1e-9  # of the largest force: a string that pushes by less does not


def second_order_freedoms(net: Network, frame: Frame, rows: Jacobian, ways: Floats) -> int:
    """Number of the first-order motions (U, K) that extend to second order."""
    count = ways.shape[1]
    if not count or count > WAYS or len(rows.nodes) > UNKNOWNS or not len(rows.over):
        return count
    left, sizes, _ = np.linalg.svd(rows.matrix.toarray())
    stresses = left[:, int((sizes > NULL).sum()) :]
    if not 0 < stresses.shape[1] <= STRESSES:
        return count
    state = net.state(frame.x, frame.share)
    state.turned[:] = frame.elongations.turned
    forms = np.stack([stress_form(net, state, rows, ways, p) for p in stresses.T])
    largest = float(np.abs(forms).max())
    if largest * (net.size or 1.0) <= NONE:
        return count
    if _largest_least_curvature(forms, stresses, rows) > NONE * largest:
        return 0
    if len(forms) > 1:
        return count
    values = np.linalg.eigvalsh(forms[0])
    flat = int((np.abs(values) <= NONE * largest).sum())
    mixed = bool(values.min() < -NONE * largest and values.max() > NONE * largest)
    return count - 1 if mixed else flat


def _largest_least_curvature(forms: Floats, stresses: Floats, rows: Jacobian) -> float:
    """Largest attainable least eigenvalue of p·q over admissible self-stresses p, by ascent."""
    best = -np.inf
    starts = [*np.eye(len(forms)), *-np.eye(len(forms))]
    for start in starts:
        weights = start.copy()
        for turn in range(TURNS if len(forms) > 1 else 1):
            values, vectors = np.linalg.eigh(np.tensordot(weights, forms, axes=1))
            if values[0] > best and _is_admissible(stresses @ weights, rows):
                best = float(values[0])
            slope = np.einsum("a,kab,b->k", vectors[:, 0], forms, vectors[:, 0])
            weights += slope / (np.linalg.norm(slope) or 1.0) / (2.0 + turn)
            weights /= np.linalg.norm(weights)
        if best > 0.0 and len(forms) > 1 and _is_admissible(stresses @ weights, rows):
            break
    return best


def _is_admissible(p: Floats, rows: Jacobian) -> bool:
    """Whether a self-stress puts no string in compression and no bumper in tension."""
    bound = WRONG * np.abs(p).max()
    signs = np.where(rows.laws == BAR, 0.0, np.where(rows.laws == STRING, p, -p))
    return bool((signs >= -bound).all())


def mode_stiffness(net: Network, frame: Frame, rows: Jacobian, ways: Floats) -> Floats:
    """Stiffness of the motions (U, K) at unit length (K,), ascending; empty where there are many."""
    if not net.loaded or not ways.shape[1] or len(rows.nodes) > UNKNOWNS:
        return np.zeros(0)
    stretch = frame.elongations
    stiff = tangent_stiffness(net, frame.x, rows, stretch.link_forces, stretch.links)
    return np.linalg.eigvalsh(ways.T @ stiff @ ways).astype(np.float64)
