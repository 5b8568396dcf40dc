"""Random mechanisms: frames that their lengths determine, loose and contradictory ones, and loaded ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.relax.model import Mechanism

SPREAD = 0.4  # smallest singular value of the directions of a joint's links: not nearly in a line or a plane


def truss(dimension: int, seed: int, joints: int = 9, by: float = 0.02) -> Mechanism:
    """Joints added one by one, each on as many links as it has coordinates; a third of them are driven."""
    return Mechanism.model_validate(_truss(np.random.default_rng([dimension, seed]), dimension, joints, by))


def loaded(dimension: int, seed: int) -> Mechanism:
    """A truss of elastic bars with springs, a slack and a taut string, a plate on it, weights and a force."""
    rng = np.random.default_rng([dimension, seed, 1])
    data = _truss(rng, dimension, 7, 0.02)
    names = list(data["nodes"])
    data["bars"] = [{**bar, "stiffness": float(rng.uniform(5, 20))} for bar in data["bars"]]
    hung = {f"p{k}": (rng.uniform(0, 4, dimension)).tolist() for k in range(dimension + 1)}
    data["nodes"] |= hung
    data["plates"] = [{"nodes": list(hung)}]
    ties = [(a, str(rng.choice(names))) for a in hung for _ in range(2)]
    data["springs"] = [{"nodes": pair, "stiffness": 1.0, "length": 1.0} for pair in dict.fromkeys(ties)]
    data["strings"] = [
        {"nodes": (names[-1], names[0]), "length": 0.9 * _apart(data, names[-1], names[0])},
        {"nodes": (names[-1], names[1]), "length": 1.5 * _apart(data, names[-1], names[1])},
    ]
    data["gravity"] = (0.02 * rng.normal(size=dimension)).tolist()
    data["loads"] = [{"node": names[-1], "force": (0.1 * rng.normal(size=dimension)).tolist()}]
    data["stiffness"] = 1000.0
    return Mechanism.model_validate(data)


def anything(dimension: int, seed: int) -> Mechanism:
    """Joints linked at random, often too little or too much, some links driven to whatever length."""
    rng = np.random.default_rng([dimension, seed, 2])
    joints = int(rng.integers(3, 10))
    places = rng.uniform(0, 4, (joints, dimension))
    tree = [(int(rng.integers(k)), k) for k in range(1, joints)]
    more = [tuple(sorted(rng.choice(joints, 2, replace=False).tolist())) for _ in range(rng.integers(0, 18))]
    names, grounded = [f"n{k}" for k in range(joints)], int(rng.integers(0, dimension + 1))
    bars, driven = [], []
    for i, j in (pair for pair in dict.fromkeys([*tree, *more]) if pair[1] >= grounded):
        length = float(np.linalg.norm(places[i] - places[j]))
        link: dict[str, Any] = {"nodes": (names[i], names[j])}
        if rng.random() < 0.4:
            driven.append({**link, "to": length * float(rng.uniform(0.5, 1.6))})
        else:
            wrong = rng.random() < 0.1
            bars.append({**link, "length": length * float(rng.uniform(0.8, 1.2))} if wrong else link)
    return Mechanism.model_validate(
        {
            "ground": names[:grounded],
            "nodes": dict(zip(names, places.tolist(), strict=True)),
            "bars": bars,
            "actuators": driven,
        }
    )


def _truss(rng: np.random.Generator, dimension: int, joints: int, by: float) -> dict[str, Any]:
    places = (4 * np.eye(dimension)).tolist()
    links: list[dict[str, Any]] = []
    while len(places) < joints:
        near = rng.choice(len(places), dimension, replace=False)
        place = rng.uniform(0, 4, dimension)
        arms = place - np.array(places)[near]
        ways = arms / np.linalg.norm(arms, axis=1)[:, None]
        if np.linalg.svd(ways, compute_uv=False)[-1] > SPREAD:
            links += [{"nodes": (f"n{k}", f"n{len(places)}")} for k in near]
            places.append(place.tolist())
    data: dict[str, Any] = {
        "ground": [f"n{k}" for k in range(dimension)],
        "nodes": {f"n{k}": place for k, place in enumerate(places)},
        "bars": [],
        "actuators": [],
    }
    for link in links:
        if rng.random() < 1 / 3:
            data["actuators"].append(
                {**link, "to": _apart(data, *link["nodes"]) * rng.uniform(1 - by, 1 + by)}
            )
        else:
            data["bars"].append(link)
    return data


def _apart(data: dict[str, Any], first: str, second: str) -> float:
    return float(np.linalg.norm(np.subtract(data["nodes"][first], data["nodes"][second])))
