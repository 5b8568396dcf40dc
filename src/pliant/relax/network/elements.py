"""The elements that pull and push the nodes of a mechanism, as arrays, and the state of its motion.

Four kinds of element, each with a law (see `laws`):

    link      the distance of two nodes
    rail      the distance of a node from the line through two others
    coupling  a weighted sum of measures: lengths, angles about an axis, coordinates
    touch     the distance of two segments (see `touching`)

and what a node may do: move freely, not at all, along a line, in a plane, or along a curve.
Everything a model file offers is made of these.

Source: [Lipson2006] Tables 1 and 2.
Differs: rigid bodies, welds and rotors need no auxiliary nodes: a body is a simplex of links, and
its other nodes are tied to the simplex by their barycentric coordinates, which is a coupling with
constant weights; an angle is a measure, unwound over whole turns, so that no pose of a rotor is
singular. Both have exactly as many rows as they take freedoms away.
"""

from __future__ import annotations

from typing import NamedTuple

from pliant.core.arrays import Bools, Floats, Ints

LENGTH, ANGLE, TRAVEL, DIHEDRAL, WOUND = range(5)
USED = 2, 2, 1, 4, 2  # nodes that each of these measures reads
FREE, FIXED, LINE, PLANE, CURVE = range(5)


class Links(NamedTuple):
    """Distances between two nodes."""

    ends: Ints  # (E, 2)
    stiffness: Floats  # (E,)
    laws: Ints  # (E,)
    bands: Floats  # (E,) `a` of strings and bumpers
    starts: Ints  # (N + 1,) star[starts[i]:starts[i + 1]] are the links that meet at node i
    star: Ints  # (2E,)


class Rails(NamedTuple):
    """Distances of a node from the line through two others."""

    nodes: Ints  # (Q, 3) the node, and two on the line
    rest: Floats  # (Q,) distance from the line
    stiffness: Floats  # (Q,)
    laws: Ints  # (Q,)
    bands: Floats  # (Q,)


class Couplings(NamedTuple):
    """Weighted sums of measures."""

    firsts: Ints  # (C + 1,) into the measures
    stiffness: Floats  # (C,)
    laws: Ints  # (C,)
    bands: Floats  # (C,)
    measures: Ints  # (M,) kind
    measured: Ints  # (M, 4) nodes: length a-b; angle of b about a; travel of a; dihedral a-(b-c)-d; wound a-b
    factors: Floats  # (M,) weight of the measure in its coupling
    frames: (
        Floats  # (M, 2, D) axes of an angle; the first one, the direction of travel; of a string, see there
    )


class Guides(NamedTuple):
    """Constraint of each node: free, ground, line, plane or curve."""

    kinds: Ints  # (N,) FREE to CURVE
    at: Floats  # (N, D) a point of the line or plane
    along: Floats  # (N, D) direction of the line, normal of the plane
    curve: Ints  # (N,) which curve
    curve_starts: Ints  # (curves + 1,) into the pieces
    curve_closed: Bools  # (curves,)
    pieces: Floats  # (pieces, 4, D) cubic in u from 0 to 1, the highest power first
    friction: Floats  # (N,)


class Fields(NamedTuple):
    """Central force fields."""

    at: Floats  # (G, D) centres
    strength: Floats  # (G,) force on a node of mass 1 at distance 1; negative repels
    power: Floats  # (G,) with which it grows with distance
    masses: Floats  # (N,)


class Contacts(NamedTuple):
    """T pairs of segments that may touch."""

    ends: Ints  # (T, 4) nodes a, b, c, d
    radius: Floats  # (T,) half of both thicknesses: they touch where the distance is less
    stiffness: Floats  # (T,) k
    friction: Floats  # (T,) μ
    normal: Floats  # (T, D) from the first to the second where they cross; see `contact_normals`


class Elements(NamedTuple):
    """What stays the same while a mechanism moves: N nodes in D dimensions, E links, Q rails, C couplings.

    In groups, so that a compiled loop is handed only what it reads: it takes long to compile, and to call,
    for every array it is handed.
    """

    links: Links
    rails: Rails
    couplings: Couplings
    guides: Guides
    touch: Contacts
    fields: Fields


class State(NamedTuple):
    """Positions and what the drive sets; its arrays are written in place."""

    x: Floats  # (N, D)
    rest: Floats  # (E,) rest lengths, less what is given in
    goal: Floats  # (C,) what the couplings shall measure, less what is given in
    loads: Floats  # (N, D)
    turned: Floats  # (M,) angles as last measured, over whole turns; of strings, those swept about discs
    given: Floats  # (E,) by how much a link is made shorter, so that it holds its length under load
    coupling_given: Floats  # (C,)
    rail_given: Floats  # (Q, D) by how much a node is taken to be further away from its line
    touch_given: Floats  # (T,) by how much a pair is taken to be thicker
    since: Floats  # (N, D) where the increment began; none where there is no friction
    gripped: Ints  # (G, 4) nodes that friction acts on
    grips: Floats  # (G, W) see `friction`
