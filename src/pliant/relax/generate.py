"""Mechanisms by their dimensions: the paper's test cases at any size, and others that repeat themselves."""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.errors import PliantError
from pliant.relax.model import (
    Actuator,
    Bar,
    Contact,
    Guide,
    Mechanism,
    Plate,
    RelaxStudy,
    Rotor,
    Spring,
    String,
)

RADIUS, LOW, TARGET = 10.0, 10.0, 15.0
STEP = 0.002  # by which the paper's actuators change in an iteration


def stewart(platforms: int, handed: str = "same", study: RelaxStudy | None = None) -> Mechanism:
    """Stewart platforms one on another, with 6 actuators each.

    Plates are triangles of circumradius 10; upright actuators are drawn 10 long and diagonal ones 20,
    and all are driven to 15. There every stage is √125 high and turned by 60° against the one below.

    Source: [Lipson2006] "Chained Stewart Platforms", Fig. 6.

    Args:
        platforms: how many.
        handed: "same", or "alt", which mirrors every other stage, so that the turns cancel.
        study: how it is solved; left out, by the defaults.

    Returns:
        The mechanism.

    Raises:
        PliantError: fewer than one platform, or another word.
    """
    if platforms < 1 or handed not in ("same", "alt"):
        raise PliantError(f"{platforms} platforms, {handed!r}: give at least 1, and same or alt.")
    corner = 2 * np.pi * np.arange(3) / 3
    nodes = {
        f"{level}{letter}": (RADIUS * np.cos(angle), RADIUS * np.sin(angle), LOW * level)
        for level in range(platforms + 1)
        for letter, angle in zip("abc", corner, strict=True)
    }
    legs: list[Actuator] = []
    for level in range(platforms):
        sense = 1 if handed == "same" or level % 2 == 0 else -1
        for k, letter in enumerate("abc"):
            tops = (letter, "abc"[(k + sense) % 3])
            legs += [Actuator(nodes=(f"{level}{letter}", f"{level + 1}{top}"), to=TARGET) for top in tops]
    return Mechanism(
        title=f"{platforms} Stewart platform{'s' if platforms > 1 else ''}",
        ground=("0a", "0b", "0c"),
        nodes=nodes,
        plates=tuple(
            Plate(nodes=(f"{level}a", f"{level}b", f"{level}c"), name=f"plate {level}")
            for level in range(platforms + 1)
        ),
        actuators=tuple(legs),
        study=study or RelaxStudy(trace=(f"{platforms}a",)),
    )


def stewart_end(platforms: int, handed: str = "same") -> np.ndarray:
    """Where the nodes (N, 3) of `stewart` are when all actuators are 15 long, stage by stage.

    Args:
        platforms: how many.
        handed: as for `stewart`.

    Returns:
        Positions (N, 3).
    """
    corner = 2 * np.pi * np.arange(3) / 3
    height = np.sqrt(TARGET**2 - RADIUS**2)
    stages, turn = [], 0.0
    for level in range(platforms + 1):
        angles = corner + turn
        stages.append(
            np.column_stack([RADIUS * np.cos(angles), RADIUS * np.sin(angles), np.full(3, level * height)])
        )
        # The upper plate is half-way between the corners its two legs come from.
        turn -= (1 if handed == "same" or level % 2 == 0 else -1) * np.pi / 3
    return np.concatenate(stages)


def peaucellier(study: RelaxStudy | None = None) -> Mechanism:
    """Peaucellier's eight bars: F draws a straight line while the crank B-C is turned about B.

    Source: [Lipson2006] Fig. 5; the dimensions are ours.

    Args:
        study: how it is solved; left out, by the defaults.

    Returns:
        The mechanism.
    """
    long, side, crank = 10.0, 5.0, 3.0
    angle = np.radians(25)
    c = np.array([crank + crank * np.cos(angle), crank * np.sin(angle)])
    reach = float(np.hypot(*c))
    half = np.sqrt(side**2 - ((long**2 - side**2 - reach**2) / (2 * reach)) ** 2)
    along, across = c / reach, np.array([-c[1], c[0]]) / reach
    middle = np.sqrt(long**2 - half**2)
    nodes = {
        "A": (0.0, 0.0),
        "B": (crank, 0.0),
        "C": tuple(c),
        "D": tuple(middle * along + half * across),
        "E": tuple(middle * along - half * across),
        "F": tuple((2 * middle - reach) * along),
    }
    pairs = ("A D", "A E", "B C", "C D", "C E", "F D", "F E")
    return Mechanism(
        title="Peaucellier's linkage",
        ground=("A", "B"),
        nodes=nodes,
        bars=tuple(Bar(nodes=(pair[0], pair[2])) for pair in pairs),
        rotors=(Rotor(joint="B", arms=("A", "C"), to=-2 * angle),),
        study=study or RelaxStudy(trace=("F",)),
    )


def random_mechanism(seed: int, joints: int = 100, links: int = 200, driven: int = 20) -> Mechanism:
    """Points scattered in a cube and linked at random, some links driven to random lengths.

    Three joints are on the ground: "a grounded structure". Every joint has at least one link.

    Source: [Lipson2006] "Random Mechanisms", Fig. 8; how links were drawn and lengths chosen it does not say.

    Args:
        seed: of positions, links and lengths.
        joints: how many.
        links: how many.
        driven: how many of the links are actuators.

    Returns:
        The mechanism.
    """
    random = np.random.default_rng(seed)
    places = random.uniform(0.0, 100.0, (joints, 3))
    names = [f"n{k}" for k in range(joints)]
    pairs: set[tuple[int, int]] = set()
    for k in range(1, joints):
        pairs.add((int(random.integers(k)), k))
    while len(pairs) < links:
        i, j = sorted(random.choice(joints, 2, replace=False).tolist())
        pairs.add((i, j))
    pairs -= {(0, 1), (0, 2), (1, 2)}
    idle = {0, 1, 2} - {end for pair in pairs for end in pair}
    ordered = sorted(pairs | {(k, int(random.integers(3, joints))) for k in sorted(idle)})
    chosen = set(random.choice(len(ordered), driven, replace=False).tolist())
    lengths = [float(np.linalg.norm(places[j] - places[i])) for i, j in ordered]
    factors = random.uniform(0.75, 1.25, len(ordered))
    return Mechanism(
        title=f"{joints} joints, {links} links at random",
        ground=tuple(names[:3]),
        nodes={name: tuple(place) for name, place in zip(names, places.tolist(), strict=True)},
        bars=tuple(Bar(nodes=(names[i], names[j])) for e, (i, j) in enumerate(ordered) if e not in chosen),
        actuators=tuple(
            Actuator(nodes=(names[i], names[j]), to=lengths[e] * float(factors[e]))
            for e, (i, j) in enumerate(ordered)
            if e in chosen
        ),
    )


def prism(struts: int = 3, pull: float = 0.06) -> Mechanism:
    """A tensegrity prism: struts that do not touch, in a net of strings.

    It is drawn with its uprights plumb, where nothing is tight, and stands on a point, a line and a plane.
    As the uprights are reeled in it twists, until its top is turned by 90° + 180°/n against its foot along
    the struts. There they are shortest, and tight at last.

    Args:
        struts: how many, n.
        pull: share of their length by which the uprights are reeled in.

    Returns:
        The mechanism.
    """
    radius, height = 30.0, 65.0
    around = 2 * np.pi * np.arange(struts) / struts
    ring = np.column_stack([radius * np.cos(around), radius * np.sin(around)])
    low, high = [f"a{k}" for k in range(struts)], [f"b{k}" for k in range(struts)]
    nodes = {name: (*place, 0.0) for name, place in zip(low, ring.tolist(), strict=True)}
    nodes |= {name: (*place, height) for name, place in zip(high, ring.tolist(), strict=True)}
    away = tuple((ring[1] - ring[0]).tolist())
    pairs = [(row[k - 1], row[k]) for row in (low, high) for k in range(struts)]
    return Mechanism(
        title=f"A tensegrity prism of {struts} struts",
        ground=(low[0],),
        nodes=nodes,
        bars=tuple(Bar(nodes=(low[k - 1], high[k])) for k in range(struts)),
        strings=(
            *(String(nodes=pair, stiffness=20.0) for pair in pairs),
            *(
                String(nodes=(a, b), to=(1 - pull) * height, stiffness=20.0)
                for a, b in zip(low, high, strict=True)
            ),
        ),
        guides=(
            Guide(node=low[1], line=(*away, 0.0)),
            *(Guide(node=name, plane=(0.0, 0.0, 1.0)) for name in low[2:]),
        ),
        study=RelaxStudy(trace=tuple(high)),
    )


def hexapod(tour: Floats | None = None) -> Mechanism:
    """A Stewart platform that goes through the poses (K, 6) of a tour: x, y, z, and a rotation vector.

    Args:
        tour: poses (K, 6); left out, it rises, lets its tilt go round once, and comes down again.

    Returns:
        The mechanism; legs are as long as each pose asks, at equal steps of the drive.
    """
    tour = _rounds() if tour is None else tour
    corner = np.repeat(2 * np.pi * np.arange(3) / 3, 2)
    foot = _circle(100.0, corner + np.tile([-0.2, 0.2], 3))
    top = _circle(65.0, corner + np.tile([-1.0, 1.0], 3) * (np.pi / 3 - 0.25))
    places = np.stack([top @ _turn(pose[3:]).T + pose[:3] for pose in tour])
    legs = np.linalg.norm(places - foot, axis=2)
    below, above = [f"a{k}" for k in range(6)], [f"b{k}" for k in range(6)]
    return Mechanism(
        title="A Stewart platform",
        ground=tuple(below),
        nodes={
            name: tuple(place)
            for name, place in zip([*below, *above], np.vstack([foot, places[0]]).tolist(), strict=True)
        },
        plates=(Plate(nodes=tuple(below), name="base"), Plate(nodes=tuple(above), name="platform")),
        actuators=tuple(
            Actuator(nodes=(below[k], above[k]), to=tuple(legs[1:, k].tolist())) for k in range(6)
        ),
        study=RelaxStudy(frames=len(tour) - 1, trace=(above[0],)),
    )


def _rounds() -> Floats:
    """Up, round once with the platform tilted, and down; smooth at both ends."""
    share = np.linspace(0.0, 1.0, 81)
    up = np.sin(np.pi * share) ** 2
    around = 4 * np.pi * share
    flat = np.zeros_like(share)
    tilt = 0.3 * up
    return np.column_stack(
        [
            15 * up * np.cos(around),
            15 * up * np.sin(around),
            90 + 30 * up,
            tilt * np.sin(around),
            -tilt * np.cos(around),
            flat,
        ]
    )


def _circle(radius: float, angles: Floats) -> Floats:
    """Places (n, 3) on the ground."""
    return np.column_stack([radius * np.cos(angles), radius * np.sin(angles), np.zeros(len(angles))])


def _turn(vector: Floats) -> Floats:
    """The matrix of a rotation vector, by Rodrigues' formula."""
    angle = float(np.linalg.norm(vector))
    x, y, z = vector / (angle or 1.0)
    across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * across + (1 - np.cos(angle)) * across @ across


def cam(step: int = 10) -> Mechanism:
    """A cam that turns once, and a flat follower that a spring presses on it.

    The cam is two circles and what is between them: radius 20 about the shaft, and 8 about a point 24
    away. At a turn θ the follower is as high as the cam's support, max(20, 8 + 24 cos θ), and the gap.

    Args:
        step: degrees from corner to corner of the polygons that stand for arcs.

    Returns:
        The mechanism.
    """
    low = np.radians(np.arange(60, 300 + step, step))
    nose = np.radians(np.arange(-60, 60 + step, step))
    rim = np.column_stack(
        [
            np.concatenate([20 * np.cos(low), 24 + 8 * np.cos(nose)]),
            np.concatenate([20 * np.sin(low), 8 * np.sin(nose)]),
        ]
    )
    names = [f"c{k}" for k in range(len(rim))]
    gap, height = 1.0, 32.0
    face = {"f": (0.0, height + gap), "l": (-24.0, height + gap), "r": (24.0, height + gap)}
    nodes = {"O": (0.0, 0.0), "foot": (0.0, -30.0), "top": (0.0, 100.0), "stem": (0.0, height + 30), **face}
    nodes |= {name: (-y, x) for name, (x, y) in zip(names, rim.tolist(), strict=True)}
    return Mechanism(
        title="A cam and its follower",
        ground=("O", "foot", "top"),
        nodes=nodes,
        plates=(
            Plate(nodes=("O", *names), name="cam"),
            Plate(nodes=("stem", *face), name="follower"),
        ),
        guides=tuple(Guide(node=node, line=(0.0, 1.0)) for node in ("f", "stem")),
        springs=(Spring(nodes=("top", "stem"), stiffness=1.0, length=60.0),),
        contacts=(
            Contact(
                members=(("l", "r"),),
                against=tuple((names[k - 1], names[k]) for k in range(len(names))),
                radius=gap,
            ),
        ),
        rotors=(Rotor(joint="O", arms=("foot", names[0]), to=2 * np.pi),),
        study=RelaxStudy(frames=100, trace=("f",)),
    )
