"""What can be read of a linkage file, however faulty: joints, and who shares a link with whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pliant.core.model import get, items
from pliant.core.quantity import FARTHEST, number

LISTED = 8  # names in a message
LINK_JOINTS = 1000  # of one link; pairs of them are looked at


@dataclass(frozen=True)
class Reading:
    """The joints of a file and the links that hold them; names that are no joints are left out."""

    joints: dict[str, complex | None]  # where they are drawn; None where that cannot be read
    ground: dict[str, None]  # in order
    links: list[list[str]]  # each joint once, and no more than a link may have
    labels: dict[str, int]  # the first link of that name
    members: dict[str, set[int]]  # the links a joint is in
    size: float  # the longer side of the drawing's box

    def knows(self, *names: Any) -> bool:
        """Whether all of them are joints."""
        return all(isinstance(name, str) and name in self.joints for name in names)

    def common(self, first: str, second: str) -> set[int]:
        """The links that hold both joints."""
        return self.members.get(first, set()) & self.members.get(second, set())

    def linked(self, joint: str) -> list[str]:
        """The joints that share a link with this one."""
        found = (other for link in sorted(self.members.get(joint, ())) for other in self.links[link])
        return [other for other in dict.fromkeys(found) if other != joint]


def read(data: Mapping[str, Any]) -> Reading:
    """Read raw data, or the fields of a linkage that was validated."""
    given: Any = get(data, "joints")
    pairs = given.items() if isinstance(given, Mapping) else ()
    joints = {name: position(at) for name, at in pairs if isinstance(name, str)}
    drawn = [at for at in joints.values() if at is not None]
    spans = [max(part) - min(part) for part in ([p.real for p in drawn], [p.imag for p in drawn]) if part]
    links = [_known(get(link, "joints"), joints) for link in items(data, "links")]
    labels: dict[str, int] = {}
    members: dict[str, set[int]] = {}
    for index, link in enumerate(items(data, "links")):
        labels.setdefault(label_of(link), index)
        for joint in links[index]:
            members.setdefault(joint, set()).add(index)
    labels.pop("", None)
    ground = dict.fromkeys(_known(get(data, "ground"), joints))
    links = [link[:LINK_JOINTS] for link in links]
    return Reading(joints, ground, links, labels, members, max(spans, default=0.0))


def position(at: Any) -> complex | None:
    """Two numbers as x + iy; None where they cannot be read, or are too large."""
    try:
        x, y = map(number, at)
    except (ValueError, TypeError, OverflowError):
        return None
    return complex(x, y) if max(abs(x), abs(y)) <= FARTHEST else None


def label_of(link: Any) -> str:
    """As `Link.label`; empty where there is nothing to make it of."""
    name = get(link, "name")
    if isinstance(name, str) and name:
        return name
    return "-".join(name for name in items(link, "joints") if isinstance(name, str))


def entries(value: Any) -> list[Any]:
    """A list as it is; empty where it is none."""
    return list(value) if isinstance(value, list | tuple) else []


def listed(names: Iterable[str]) -> str:
    """The first of some names, for a message."""
    first = list(islice(names, LISTED + 1))
    return ", ".join([*first[:LISTED], *(["…"] if len(first) > LISTED else [])]) or "none"


def _known(names: Any, joints: Mapping[str, Any]) -> list[str]:
    return list(dict.fromkeys(name for name in entries(names) if isinstance(name, str) and name in joints))
