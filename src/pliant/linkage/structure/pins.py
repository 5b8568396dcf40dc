"""Joints of one link that are drawn at one place: they are one pin with several names.

No turn of the link parts them, so that what hangs on one hangs on the other as well. All but one of
their names are followed along and take no part in finding the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations

from pliant.core.quantity import Vector
from pliant.linkage.faults import coincide


def other_names(
    joints: Mapping[str, Vector], links: Iterable[Iterable[str]], ground: Iterable[str]
) -> dict[str, str]:
    """The joint that each further name of a pin stands for: one on the ground, or the first of the file."""
    spans = [max(axis) - min(axis) for axis in zip(*joints.values(), strict=True)]
    size, held = max(spans), set(ground)
    pins: list[set[str]] = []
    for link in links:
        for pair in combinations(link, 2):
            if coincide(joints[pair[0]], joints[pair[1]], size):
                met = [pin for pin in pins if pin & set(pair)]
                pins = [*(pin for pin in pins if pin not in met), set(pair).union(*met)]
    first = {name: number for number, name in enumerate(joints)}
    primary: dict[str, str] = {}
    for pin in pins:
        kept = min(pin, key=lambda name: (name not in held, first[name]))
        primary.update({name: kept for name in pin if name != kept})
    return primary
