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
    """An elastic truss with a taut and a slack string, a rigid plate hung on springs, weights and a force.

    The springs have no length at rest: the plate then has one place to rest, whichever way it comes there.
    """
    rng = np.random.default_rng([dimension, seed, 1])
    data = _truss(rng, dimension, 7, 0.02)
    names = list(data["nodes"])
    for key in ("bars", "actuators"):
        data[key] = [{**link, "stiffness": float(rng.uniform(5, 20))} for link in data[key]]
    plate = {f"p{k}": rng.uniform(0, 4, dimension).tolist() for k in range(dimension + 2)}
    data["nodes"] |= plate
    data["plates"] = [{"nodes": list(plate)}]
    ties = [(name, str(other)) for name in plate for other in rng.choice(names, 2, replace=False)]
    data["springs"] = [{"nodes": tie, "stiffness": 0.1, "length": 0.0} for tie in ties]
    last, first, second = names[-1], *names[:2]
    data["strings"] = [
        {"nodes": (last, first), "length": 0.9 * _apart(data, last, first), "stiffness": 1.0},
        {"nodes": (last, second), "length": 1.5 * _apart(data, last, second), "stiffness": 1.0},
    ]
    data["gravity"] = (0.02 * rng.normal(size=dimension)).tolist()
    data["loads"] = [{"node": last, "force": (0.1 * rng.normal(size=dimension)).tolist()}]
    data["stiffness"] = 1000.0
    return Mechanism.model_validate(data)


def anything(dimension: int, seed: int) -> Mechanism:
    """Joints linked at random, often too little or too much, some links driven to whatever length."""
    rng = np.random.default_rng([dimension, seed, 2])
    joints, grounded = int(rng.integers(dimension + 1, 10)), int(rng.integers(0, dimension + 1))
    places = rng.uniform(0, 4, (joints, dimension))
    tree = [(int(rng.integers(k)), k) for k in range(1, joints)]
    more = [tuple(sorted(rng.choice(joints, 2, replace=False).tolist())) for _ in range(rng.integers(0, 18))]
    names = [f"n{k}" for k in range(joints)]
    bars, driven = [], []
    for i, j in dict.fromkeys([*tree, *more]):
        length = float(np.linalg.norm(places[i] - places[j]))
        link: dict[str, Any] = {"nodes": (names[i], names[j])}
        chance = 1.0 if j < grounded else rng.random()
        if chance < 0.4:
            driven.append({**link, "to": length * float(rng.uniform(0.5, 1.6))})
        elif chance < 0.45:
            bars.append({**link, "length": length * float(rng.uniform(0.8, 1.2))})
        else:
            bars.append(link)
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
