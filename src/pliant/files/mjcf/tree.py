"""An MJCF file as rigid bodies, joints and what else is between them, in the world's frame."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.errors import Fault, InputError
from pliant.files.xml_tree import place_of, tag_of

WORLD = "world"
MOST = 5000  # bodies


@dataclass(frozen=True)
class MjcfJoint:
    """A joint of a body against its parent."""

    name: str
    kind: str  # hinge, slide, ball, free
    body: str
    parent: str
    anchor: Floats  # (3,) world
    axis: Floats  # (3,) world, unit
    ref: float
    limits: tuple[float, float] | None  # rad or length
    element: Element


@dataclass
class MjcfTree:
    """What a file holds."""

    title: str
    bodies: dict[str, tuple[Floats, Floats]] = field(
        default_factory=lambda: {}
    )  # rotation (3, 3), place (3,)
    parents: dict[str, str] = field(default_factory=lambda: {})
    joints: dict[str, MjcfJoint] = field(default_factory=lambda: {})
    sites: dict[str, tuple[str, Floats]] = field(default_factory=lambda: {})  # body, place in the world
    geoms: dict[str, tuple[str, Floats, str, float, Floats]] = field(
        default_factory=lambda: {}
    )  # body, place, type, radius, axis
    ends: dict[str, list[Floats]] = field(
        default_factory=lambda: {}
    )  # far ends of the geoms of each body, world
    equalities: list[Element] = field(default_factory=lambda: [])
    tendons: list[Element] = field(default_factory=lambda: [])
    actuators: list[Element] = field(default_factory=lambda: [])
    left_out: list[tuple[str, str]] = field(default_factory=lambda: [])
    degrees: bool = True
    defaults: dict[str, dict[str, dict[str, str]]] = field(default_factory=lambda: {})

    def settings(self, element: Element, childclass: str = "") -> dict[str, str]:
        """The attributes of an element over those of its class."""
        attributes = dict(self.defaults.get("main", {}).get(tag_of(element), {}))
        for name in (childclass, element.get("class", "")):
            attributes |= self.defaults.get(name, {}).get(tag_of(element), {}) if name else {}
        return attributes | dict(element.attrib)

    def angle(self, value: float) -> float:
        """An angle of the file in radians."""
        return math.radians(value) if self.degrees else value


def read_tree_of(root: Element) -> MjcfTree:
    """Everything of a file that a mechanism could have."""
    tree = MjcfTree(root.get("model", ""))
    for compiler in root.iter("compiler"):
        tree.degrees = compiler.get("angle", "degree" if tree.degrees else "radian") != "radian"
    eulers = (
        next((one.get("eulerseq") for one in root.iter("compiler") if one.get("eulerseq")), "xyz") or "xyz"
    )
    for default in root.findall("default"):
        _read_defaults(tree, default, default.get("class", "main"), {})
    tree.bodies[WORLD] = (np.eye(3), np.zeros(3))
    for world in root.findall("worldbody"):
        _read_body(tree, world, WORLD, np.eye(3), np.zeros(3), "", eulers)
    tree.equalities = [one for part in root.findall("equality") for one in part]
    tree.tendons = [one for part in root.findall("tendon") for one in part]
    tree.actuators = [one for part in root.findall("actuator") for one in part]
    read = (
        "compiler",
        "default",
        "worldbody",
        "equality",
        "tendon",
        "actuator",
        "option",
        "size",
        "visual",
        "statistic",
    )
    for one in root:
        if tag_of(one) not in (*read, "asset", "custom"):
            tree.left_out.append((tag_of(one), "is not read"))
    return tree


def numbers(element: Element, key: str, count: int, given: str | None) -> Floats | None:
    """So many numbers under a key; None where there are none, a fault where there are others."""
    if given is None or not given.strip():
        return None
    try:
        values = np.array([float(one) for one in given.split()], np.float64)
    except ValueError:
        values = np.zeros(0)
    if len(values) < count or not np.isfinite(values).all():
        raise InputError(
            [Fault(place_of(element), f"has {key} = {given[:60]!r}, not {count} numbers", "Mend it")]
        )
    return values[:count]


def _read_defaults(
    tree: MjcfTree, element: Element, name: str, inherited: Mapping[str, dict[str, str]]
) -> None:
    mine = {tag: dict(attributes) for tag, attributes in inherited.items()}
    for child in element:
        if tag_of(child) != "default":
            mine[tag_of(child)] = mine.get(tag_of(child), {}) | dict(child.attrib)
    tree.defaults[name] = mine
    for child in element.findall("default"):
        _read_defaults(tree, child, child.get("class", ""), mine)


def _read_body(
    tree: MjcfTree, element: Element, name: str, turn: Floats, place: Floats, childclass: str, eulers: str
) -> None:
    for child in element:
        tag, settings = tag_of(child), tree.settings(child, childclass)
        if tag == "body":
            _read_child(tree, child, name, turn, place, settings.get("childclass", childclass), eulers)
        elif tag in ("joint", "freejoint"):
            _read_joint(tree, child, settings, name, turn, place)
        elif tag == "site":
            at = numbers(child, "pos", 3, settings.get("pos"))
            site = settings.get("name") or f"site {len(tree.sites)}"
            tree.sites[site] = (name, place + turn @ (np.zeros(3) if at is None else at))
        elif tag == "geom":
            _read_geom(tree, child, settings, name, turn, place, eulers)
        elif tag in ("include", "frame", "replicate", "composite", "flexcomp", "attach"):
            tree.left_out.append((tag, f"is not read ({place_of(child)})"))


def _read_child(
    tree: MjcfTree, element: Element, parent: str, turn: Floats, place: Floats, childclass: str, eulers: str
) -> None:
    name = element.get("name") or f"body {len(tree.bodies)}"
    if name in tree.bodies:
        raise InputError(
            [Fault(place_of(element), f"{name!r} is the name of two bodies", "Give each its own", (name,))]
        )
    if len(tree.bodies) > MOST:
        raise InputError(
            [Fault(place_of(element), f"there are more than {MOST:,} bodies", "Give a smaller file")]
        )
    at = numbers(element, "pos", 3, element.get("pos"))
    own = turn @ _orientation(tree, element, dict(element.attrib), eulers)
    there = place + turn @ (np.zeros(3) if at is None else at)
    tree.bodies[name], tree.parents[name] = (own, there), parent
    _read_body(tree, element, name, own, there, childclass, eulers)


def _read_joint(
    tree: MjcfTree, element: Element, settings: dict[str, str], body: str, turn: Floats, place: Floats
) -> None:
    kind = "free" if tag_of(element) == "freejoint" else settings.get("type", "hinge")
    at = numbers(element, "pos", 3, settings.get("pos"))
    axis = numbers(element, "axis", 3, settings.get("axis"))
    axis = np.array([0.0, 0.0, 1.0]) if axis is None else axis
    if np.linalg.norm(axis) < 1e-9:
        raise InputError([Fault(place_of(element), "has an axis that points nowhere", "Give axis = 0 0 1")])
    limits = numbers(element, "range", 2, settings.get("range"))
    ref = numbers(element, "ref", 1, settings.get("ref"))
    scale = tree.angle if kind == "hinge" else float
    name = settings.get("name") or f"joint {len(tree.joints)}"
    tree.joints[name] = MjcfJoint(
        name, kind, body, tree.parents.get(body, WORLD), place + turn @ (np.zeros(3) if at is None else at),
        turn @ axis / np.linalg.norm(axis), scale(float(ref[0])) if ref is not None else 0.0,
        (scale(float(limits[0])), scale(float(limits[1]))) if limits is not None else None, element,
    )  # fmt: skip


def _read_geom(
    tree: MjcfTree,
    element: Element,
    settings: dict[str, str],
    body: str,
    turn: Floats,
    place: Floats,
    eulers: str,
) -> None:
    own = _orientation(tree, element, settings, eulers)
    at = numbers(element, "pos", 3, settings.get("pos"))
    at = np.zeros(3) if at is None else at
    size = numbers(element, "size", 1, settings.get("size"))
    line = numbers(element, "fromto", 6, settings.get("fromto"))
    ends = [at]
    if line is not None:
        ends = [line[:3], line[3:]]
        at = (line[:3] + line[3:]) / 2
    tree.ends.setdefault(body, []).extend(place + turn @ end for end in ends)
    name = settings.get("name")
    if name:
        radius = float(size[0]) if size is not None else 0.0
        tree.geoms[name] = (body, place + turn @ at, settings.get("type", "sphere"), radius, turn @ own[:, 2])


def _orientation(tree: MjcfTree, element: Element, settings: Mapping[str, str], eulers: str) -> Floats:
    """The rotation (3, 3) that an element says it has."""
    if (quat := numbers(element, "quat", 4, settings.get("quat"))) is not None:
        return _of_quaternion(quat)
    if (turn := numbers(element, "axisangle", 4, settings.get("axisangle"))) is not None:
        return _about(turn[:3], tree.angle(float(turn[3])))
    if (euler := numbers(element, "euler", 3, settings.get("euler"))) is not None:
        rotation = np.eye(3)
        for letter, angle in zip(eulers, euler.tolist(), strict=False):
            step = _about(np.eye(3)["xyz".index(letter.lower())], tree.angle(angle))
            rotation = rotation @ step if letter.islower() else step @ rotation
        return rotation
    if (axes := numbers(element, "xyaxes", 6, settings.get("xyaxes"))) is not None:
        x = _unit(axes[:3])
        y = _unit(axes[3:] - x * (x @ axes[3:]))
        return np.stack([x, y, np.cross(x, y)], axis=1)
    if (axis := numbers(element, "zaxis", 3, settings.get("zaxis"))) is not None:
        across = np.cross([0.0, 0.0, 1.0], _unit(axis))
        return _about(
            across if np.linalg.norm(across) > 1e-9 else np.array([1.0, 0, 0]),
            math.acos(np.clip(_unit(axis)[2], -1, 1)),
        )
    return np.eye(3)


def _of_quaternion(given: Floats) -> Floats:
    w, x, y, z = _unit(given)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _about(axis: Floats, angle: float) -> Floats:
    """The rotation about an axis: Rodrigues' formula."""
    x, y, z = _unit(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross


def _unit(vector: Floats) -> Floats:
    size = float(np.linalg.norm(vector))
    if size < 1e-12:
        raise InputError([Fault("", "has a direction that points nowhere", "Give one of some length")])
    return vector / size


def named(elements: list[Element], tag: str) -> Iterator[Element]:
    """Elements of a tag."""
    return (one for one in elements if tag_of(one) == tag)
