"""Rigid bodies and joints of MJCF as nodes, bars and plates.

Bodies without a joint are one with their parent. A node of a joint belongs to both bodies; in space a
hinge shares two nodes on its axis, a ball one. Where all axes are parallel, the mechanism is planar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.errors import Fault, InputError
from pliant.files.mjcf.tree import WORLD, MjcfJoint, MjcfTree, named, numbers
from pliant.files.xml_tree import place_of, tag_of

PARALLEL = 1e-6
SAME = 1e-9  # of the size
UNREAD = ("gravity, masses and dampers", "a mechanism is placed by its joints, and is at rest")


@dataclass
class _Nodes:
    """Nodes, and the rigid groups that have them."""

    tree: MjcfTree
    basis: Floats | None  # (2, 3) of a plane; None in space
    size: float
    leader: dict[str, str]
    places: dict[str, Floats] = field(default_factory=lambda: {})
    groups: dict[str, set[str]] = field(default_factory=lambda: {})  # by node: the groups it is of

    def group(self, body: str) -> str:
        """The rigid group of a body."""
        while self.leader[body] != body:
            body = self.leader[body]
        return body

    def add(self, name: str, at: Floats, bodies: Sequence[str]) -> str:
        """A node of some bodies; where one of them has a node there, that one."""
        place = self.basis @ at if self.basis is not None else at
        mine = {self.group(body) for body in bodies}
        for other, there in self.places.items():
            if self.groups[other] & mine and np.linalg.norm(there - place) <= SAME * self.size:
                self.groups[other] |= mine
                return other
        while name in self.places:
            name += "'"
        self.places[name], self.groups[name] = place, mine
        return name

    def of(self, body: str) -> list[str]:
        """The nodes of a body's group."""
        return [name for name, mine in self.groups.items() if self.group(body) in mine]

    def other(self, body: str, node: str) -> str:
        """A node of a body's group away from one, made where there is none."""
        here = self.places[node]
        farthest = max(
            self.of(body), key=lambda name: float(np.linalg.norm(self.places[name] - here)), default=node
        )
        if np.linalg.norm(self.places[farthest] - here) > SAME * self.size:
            return farthest
        return self.add(f"{body} end", self._far_end(body, node), [body])

    def _far_end(self, body: str, node: str) -> Floats:
        """The end of a body's geoms farthest from a node, else a point beside it."""
        origin = self.world_place(node)
        ends = [
            end
            for one in self.tree.bodies
            if self.group(one) == self.group(body)
            for end in self.tree.ends.get(one, [])
        ]
        away = [float(np.linalg.norm(self._seen(end - origin))) for end in ends] if body != WORLD else []
        if away and max(away) > 1e-3 * self.size:
            return ends[int(np.argmax(away))]
        step = self.basis[0] if self.basis is not None else np.array([1.0, 0, 0])
        return origin + 0.25 * self.size * step

    def _seen(self, vector: Floats) -> Floats:
        return self.basis @ vector if self.basis is not None else vector

    def world_place(self, node: str) -> Floats:
        """A node's place in space."""
        place = self.places[node]
        return self.basis.T @ place if self.basis is not None else place


def mechanism_data(tree: MjcfTree, title: str) -> tuple[dict[str, Any], list[str], list[tuple[str, str]]]:
    """The keys of a mechanism file, what was chosen, and what could not be expressed, by name."""
    left_out = [*tree.left_out, UNREAD]
    chosen: list[str] = []
    leader = _rigid_groups(tree, left_out)
    joints = _single_joints(tree, leader, left_out)
    if not joints:
        raise InputError([Fault("", "has no joint", "Give bodies with hinge, slide or ball joints")])
    basis = _plane(joints, left_out)
    everything = np.array([joint.anchor for joint in joints] + [place for _, place in tree.bodies.values()])
    size = float(np.ptp(everything, axis=0).max()) or 1.0
    nodes = _Nodes(tree, basis, size, leader)
    data: dict[str, Any] = {"pliant": 1, "kind": "mechanism", "title": tree.title or title, "units": "m"}
    pinned = {joint.name: _pin(nodes, joint, data, left_out) for joint in joints}
    _connect(nodes, data, left_out)
    _stretch(nodes, data, left_out, chosen)
    _drive(nodes, joints, pinned, data, left_out, chosen)
    _rigid_parts(nodes, data)
    limited = [joint.name for joint in joints if joint.limits]
    if limited:
        left_out.append(
            (f"limits of {', '.join(limited[:8])}", "a joint's range is not a limit of a mechanism")
        )
    data["ground"] = nodes.of(WORLD)
    data["nodes"] = {
        name: [round(float(one), 12) + 0.0 for one in place] for name, place in nodes.places.items()
    }
    return data, chosen, left_out


def _rigid_groups(tree: MjcfTree, left_out: list[tuple[str, str]]) -> dict[str, str]:
    """By body, the one it is one with: those without joints with their parents, and what is welded."""
    leader = {body: body for body in tree.bodies}
    jointed = {joint.body for joint in tree.joints.values()}
    for body, parent in tree.parents.items():
        if body not in jointed:
            leader[body] = parent
    for weld in named(tree.equalities, "weld"):
        one, other = weld.get("body1", ""), weld.get("body2") or WORLD
        if one in leader and other in leader and weld.get("active", "true") != "false":
            roots = [_root(leader, body) for body in (one, other)]
            low, high = sorted(roots, key=lambda body: body != WORLD)
            leader[high] = low
        else:
            left_out.append((f"weld {weld.get('name') or place_of(weld)}", "joins bodies that are not there"))
    return leader


def _root(leader: dict[str, str], body: str) -> str:
    while leader[body] != body:
        body = leader[body]
    return body


def _single_joints(
    tree: MjcfTree, leader: dict[str, str], left_out: list[tuple[str, str]]
) -> list[MjcfJoint]:
    """One joint for each body: of several the first; the rest, and free ones, are listed."""
    joint_of: dict[str, MjcfJoint] = {}
    for joint in tree.joints.values():
        if joint.kind == "free":
            left_out.append(
                (f"joint {joint.name}", f"{joint.body!r} is free: what nothing holds has no place")
            )
        elif joint.body == WORLD:
            left_out.append((f"joint {joint.name}", "is of the world"))
        elif joint.body in joint_of:
            left_out.append((f"joint {joint.name}", f"is a second joint of {joint.body!r}, and is held"))
        elif joint.kind not in ("hinge", "slide", "ball"):
            left_out.append((f"joint {joint.name}", f"is of type {joint.kind}"))
        else:
            joint_of[joint.body] = joint
    return list(joint_of.values())


def _plane(joints: Sequence[MjcfJoint], left_out: list[tuple[str, str]]) -> Floats | None:
    """Two directions of the plane that all move in; None where they do not."""
    hinges = [joint.axis for joint in joints if joint.kind == "hinge"]
    slides = [joint.axis for joint in joints if joint.kind == "slide"]
    if any(joint.kind == "ball" for joint in joints) or not hinges:
        return None
    normal = hinges[0]
    parallel = all(abs(abs(axis @ normal) - 1) < PARALLEL for axis in hinges)
    if not (parallel and all(abs(axis @ normal) < PARALLEL for axis in slides)):
        return None
    depths = np.array([joint.anchor @ normal for joint in joints])
    if np.ptp(depths) > 1e-9:
        left_out.append(
            ("depths", f"the mechanism is planar: {np.ptp(depths):.4g} m across the plane are left out")
        )
    across = int(np.argmax(np.abs(normal)))
    if abs(normal[across]) > 1 - PARALLEL:
        return np.delete(np.eye(3), across, axis=0)
    first: Floats = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))]).astype(np.float64)
    first = first / np.linalg.norm(first)
    return np.stack([first, np.cross(normal, first).astype(np.float64)])


def _pin(nodes: _Nodes, joint: MjcfJoint, data: dict[str, Any], left_out: list[tuple[str, str]]) -> list[str]:
    """The nodes of a joint: its pin, and in space a second one on its axis; of a slide what slides."""
    pair = (joint.parent, joint.body)
    if joint.kind == "ball":
        return [nodes.add(joint.name, joint.anchor, pair)]
    if joint.kind == "hinge":
        pin = nodes.add(joint.name, joint.anchor, pair)
        if nodes.basis is not None:
            return [pin]
        return [pin, nodes.add(f"{joint.name} axis", joint.anchor + 0.1 * nodes.size * joint.axis, pair)]
    return _slide(nodes, joint, data, left_out)


def _slide(
    nodes: _Nodes, joint: MjcfJoint, data: dict[str, Any], left_out: list[tuple[str, str]]
) -> list[str]:
    first = nodes.add(joint.name, joint.anchor, [joint.body])
    if nodes.group(joint.parent) != WORLD and nodes.basis is None:
        left_out.append((f"joint {joint.name}", "a slide in space between two bodies that move; it is held"))
        nodes.leader[nodes.group(joint.body)] = nodes.group(joint.parent)
        return [first]
    across = nodes.basis[::-1] if nodes.basis is not None else np.eye(3)
    sides = [step for step in across if abs(step @ joint.axis) < 0.9][: 1 if nodes.basis is not None else 2]
    sliding = [first]
    for number, step in enumerate(sides):
        away = step - joint.axis * (step @ joint.axis)
        sliding.append(
            nodes.add(
                f"{joint.name} side{number or ''}", joint.anchor + 0.1 * nodes.size * away, [joint.body]
            )
        )
    axis = nodes.basis @ joint.axis if nodes.basis is not None else joint.axis
    for node in sliding:
        if nodes.group(joint.parent) == WORLD:
            data.setdefault("guides", []).append({"node": node, "line": axis.tolist()})
            continue
        rail = [
            nodes.add(
                f"{node} rail{end}", nodes.world_place(node) + reach * nodes.size * joint.axis, [joint.parent]
            )
            for end, reach in (("", -0.3), ("'", 0.3))
        ]
        data.setdefault("sliders", []).append({"node": node, "on": rail})
    return sliding


def _connect(nodes: _Nodes, data: dict[str, Any], left_out: list[tuple[str, str]]) -> None:
    """Loops: a point of one body that is a point of another."""
    tree = nodes.tree
    for number, one in enumerate(tree.equalities):
        name = one.get("name") or f"{tag_of(one)} {number}"
        if tag_of(one) == "weld":
            continue
        if tag_of(one) != "connect" or one.get("active", "true") == "false":
            why = "is switched off" if one.get("active") == "false" else "cannot be expressed"
            left_out.append((f"{tag_of(one)} {name}", why))
            continue
        sites = [tree.sites.get(one.get(key, "")) for key in ("site1", "site2")]
        if sites[0] is not None and sites[1] is not None:
            nodes.add(name, sites[0][1], [sites[0][0], sites[1][0]])
            continue
        bodies = (one.get("body1", ""), one.get("body2") or WORLD)
        unknown = [body for body in bodies if body not in tree.bodies]
        anchor = numbers(one, "anchor", 3, one.get("anchor"))
        if unknown or anchor is None:
            problem = f"names {unknown[0]!r}, which is no body" if unknown else "has no anchor"
            raise InputError([Fault(place_of(one), problem, "Mend it")])
        turn, place = tree.bodies[bodies[0]]
        nodes.add(name, place + turn @ anchor, bodies)


def _stretch(nodes: _Nodes, data: dict[str, Any], left_out: list[tuple[str, str]], chosen: list[str]) -> None:
    """Tendons between two sites: springs, and strings that reach as far as their range, or as drawn."""
    tree = nodes.tree
    for number, tendon in enumerate(tree.tendons):
        name = tendon.get("name") or f"tendon {number}"
        settings = tree.settings(tendon)
        path = [one for one in tendon if tag_of(one) in ("site", "geom", "pulley", "joint")]
        sites = [tree.sites.get(one.get("site", "")) for one in path if tag_of(one) == "site"]
        if tag_of(tendon) != "spatial" or len(sites) != 2 or len(path) != 2 or None in sites:
            left_out.append((f"tendon {name}", "is not a line between two sites"))
            continue
        ends = [
            nodes.add(one.get("site", ""), site[1], [site[0]])
            for one, site in zip(path, sites, strict=True)
            if site
        ]
        stiffness = numbers(tendon, "stiffness", 1, settings.get("stiffness"))
        if stiffness is not None and stiffness[0] > 0:
            rest = numbers(tendon, "springlength", 1, settings.get("springlength"))
            spring: dict[str, Any] = {"nodes": ends, "stiffness": float(stiffness[0])}
            data.setdefault("springs", []).append(
                spring | ({"length": float(rest[0])} if rest is not None and rest[0] >= 0 else {})
            )
            continue
        limits = numbers(tendon, "range", 2, settings.get("range"))
        string: dict[str, Any] = {"nodes": ends}
        if limits is not None and limits[1] > 0:
            string["length"] = float(limits[1])
        else:
            chosen.append(f"tendon {name} is a string as long as drawn")
        data.setdefault("strings", []).append(string)
        tree.sites[f"tendon {name}"] = (ends[0], np.array([len(data["strings"]) - 1.0]))


def _drive(
    nodes: _Nodes,
    joints: Sequence[MjcfJoint],
    pinned: dict[str, list[str]],
    data: dict[str, Any],
    left_out: list[tuple[str, str]],
    chosen: list[str],
) -> None:
    """Position actuators: rotors of hinges, actuators of slides, strings that are reeled."""
    known = {joint.name: joint for joint in joints}
    for number, one in enumerate(nodes.tree.actuators):
        name = one.get("name") or f"{tag_of(one)} {number}"
        settings = nodes.tree.settings(one)
        joint, tendon = known.get(settings.get("joint", "")), f"tendon {settings.get('tendon')}"
        if tag_of(one) != "position" or (joint is None and tendon not in nodes.tree.sites):
            why = (
                "drives nothing that could be expressed" if tag_of(one) == "position" else "sets no position"
            )
            left_out.append((f"{tag_of(one)} {name}", why))
            continue
        target = _target(one, settings, joint, nodes.tree, chosen, name)
        if joint is None:
            index = int(nodes.tree.sites[tendon][1][0])
            data["strings"][index]["to"] = target
        elif joint.kind == "hinge":
            data.setdefault("rotors", []).append(_rotor(nodes, joint, pinned[joint.name], target - joint.ref))
        elif joint.kind == "slide":
            data.setdefault("actuators", []).append(
                _ram(nodes, joint, pinned[joint.name][0], target - joint.ref)
            )
        else:
            left_out.append((f"position {name}", "a ball joint has no single angle"))


def _target(
    one: Element,
    settings: dict[str, str],
    joint: MjcfJoint | None,
    tree: MjcfTree,
    chosen: list[str],
    name: str,
) -> float:
    """Where an actuator goes: the upper end of its range, else of its joint's."""
    given = numbers(one, "ctrlrange", 2, settings.get("ctrlrange"))
    if given is not None:
        target = float(given[1])
    elif joint is not None and joint.limits:
        target = joint.limits[1]
    else:
        target = 0.5
    chosen.append(
        f"{name} goes to {target:.4g}, the upper end of its range (see `to`)"
        if given is not None or (joint and joint.limits)
        else f"{name} goes to {target:g}: it has no range (see `to`)"
    )
    return target


def _rotor(nodes: _Nodes, joint: MjcfJoint, pinned: Sequence[str], angle: float) -> dict[str, Any]:
    pin = pinned[0]
    arms = [_arm(nodes, body, pinned) for body in (joint.parent, joint.body)]
    if nodes.basis is not None:
        sense = float(np.sign(np.cross(nodes.basis[0], nodes.basis[1]) @ joint.axis))
        return {"joint": pin, "arms": arms, "to": sense * angle}
    return {"joint": pin, "arms": arms, "to": angle, "axis": pinned[1]}


def _arm(nodes: _Nodes, body: str, pinned: Sequence[str]) -> str:
    """A node of a body off the axis of a joint."""
    if nodes.basis is not None:
        return nodes.other(body, pinned[0])
    pin, along = nodes.places[pinned[0]], nodes.places[pinned[1]] - nodes.places[pinned[0]]
    along = along / np.linalg.norm(along)
    off = {name: float(np.linalg.norm(np.cross(nodes.places[name] - pin, along))) for name in nodes.of(body)}
    best = max(off, key=lambda name: off[name], default="")
    if best and off[best] > 1e-3 * nodes.size:
        return best
    across: Floats = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))]).astype(np.float64)
    return nodes.add(f"{body} arm", pin + 0.25 * nodes.size * across / np.linalg.norm(across), [body])


def _ram(nodes: _Nodes, joint: MjcfJoint, node: str, travel: float) -> dict[str, Any]:
    """A bar along the slide, from behind it, that grows by the travel."""
    length = max(2 * abs(travel), nodes.size / 4)
    foot = nodes.add(f"{joint.name} foot", nodes.world_place(node) - length * joint.axis, [joint.parent])
    return {"nodes": [foot, node], "to": length + travel}


def _rigid_parts(nodes: _Nodes, data: dict[str, Any]) -> None:
    """Bars of bodies with two nodes, plates of those with more; in space every body is a plate."""
    for body in list(nodes.tree.bodies):
        if nodes.group(body) != body or body == WORLD or not nodes.of(body):
            continue
        if len(nodes.of(body)) == 1:
            nodes.other(body, nodes.of(body)[0])
        if nodes.basis is None:
            _make_spatial(nodes, body)
        mine = nodes.of(body)
        line = _in_line(np.array([nodes.places[name] for name in mine]))
        if line is not None and nodes.basis is not None:
            data.setdefault("bars", []).append({"nodes": [mine[k] for k in line]})
        else:
            data.setdefault("plates", []).append({"nodes": mine, "name": body})


def _make_spatial(nodes: _Nodes, body: str) -> None:
    """Three nodes at least, not in line."""
    mine = nodes.of(body)
    places = np.array([nodes.places[name] for name in mine])
    if len(mine) >= 3 and _in_line(places) is None:
        return
    along = places[-1] - places[0]
    across = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    nodes.add(f"{body} side", places[0] + 0.25 * nodes.size * across / np.linalg.norm(across), [body])


def _in_line(places: Floats) -> list[int] | None:
    """The order of points along a line; None where they are not on one."""
    far = places - places[0]
    end = far[int(np.argmax((far * far).sum(axis=1)))]
    along = far @ end / (end @ end)
    off = np.abs(far - along[:, None] * end).max()
    return [int(k) for k in np.argsort(along)] if off < 1e-9 * np.abs(end).max() else None
