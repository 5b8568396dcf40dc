"""Mechanisms by their dimensions: the paper's test cases, at any size."""

from __future__ import annotations

import numpy as np

from pliant.core.errors import PliantError
from pliant.relax.model import Actuator, Bar, Mechanism, Plate, RelaxStudy, Rotor

RADIUS, LOW, TARGET = 10.0, 10.0, 15.0
STEP = 0.002  # by which the paper's actuators change in an iteration


def stewart(platforms: int, handed: str = "same", study: RelaxStudy | None = None) -> Mechanism:
    """Stewart platforms one on another, with 6 actuators each.

    Plates are triangles of circumradius 10; upright actuators are drawn 10 long and diagonal ones 20,
    and all are driven to 15. There every stage is √125 high and turned by 60° against the one below.
    `alt` mirrors every other stage, so that the turns cancel.

    Source: [Lipson2006] "Chained Stewart Platforms", Fig. 6.
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
        way = 1 if handed == "same" or level % 2 == 0 else -1
        for k, letter in enumerate("abc"):
            tops = (letter, "abc"[(k + way) % 3])
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


def twisted(platforms: int, handed: str = "same") -> np.ndarray:
    """Where the nodes (N, 3) of `stewart` are when all actuators are 15 long, stage by stage."""
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


def scattered(seed: int, joints: int = 100, links: int = 200, driven: int = 20) -> Mechanism:
    """Points scattered in a cube and linked at random, some links driven to random lengths.

    Three joints are on the ground: "a grounded structure". Every joint has at least one link; links are
    drawn at random among the nearer pairs, so that lengths are alike.

    Source: [Lipson2006] "Random Mechanisms", Fig. 8; how links were drawn and lengths chosen it does not say.
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
    ordered = sorted(pairs - {(0, 1), (0, 2), (1, 2)})
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
