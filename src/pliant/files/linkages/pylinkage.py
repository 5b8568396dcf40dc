"""pylinkage: the JSON of a Mechanism (joints, links), or of an older Linkage (joints with their parents)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import atan2, cos, hypot, sin
from typing import Any

from pliant.core.errors import Fault, InputError
from pliant.core.faults import value_text
from pliant.core.model import as_list, get
from pliant.files.linkages.joint_rows import LinkageDraft

TYPES = {"ground", "revolute", "prismatic", "tracker"}
OLDER = {"Static", "Crank", "Revolute", "Fixed", "Pivot", "Linear", "Prismatic"}


def is_pylinkage(data: Mapping[str, Any]) -> bool:
    """Whether data is a linkage as pylinkage saves it."""
    types = {str(get(joint, "type")) for joint in as_list(data.get("joints"))}
    return bool(types & (TYPES | OLDER))


def pylinkage_linkage(data: Mapping[str, Any], title: str) -> LinkageDraft:
    """The linkage of a Mechanism that was saved."""
    joints = [joint for joint in as_list(data.get("joints")) if isinstance(joint, Mapping)]
    if {str(joint.get("type")) for joint in joints} & OLDER:
        return _older(joints, data, title)
    places = {_id(joint): _position(joint) for joint in joints}
    links = [link for link in as_list(data.get("links")) if isinstance(link, Mapping)]
    draft = LinkageDraft({"pliant": 1, "kind": "linkage", "title": str(data.get("name") or title)})
    ground = {_id(joint) for joint in joints if joint.get("type") == "ground"}
    for link in links:
        if link.get("type") == "ground":
            ground |= set(_members(link, places))
    moving = [link for link in links if link.get("type") != "ground"]
    draft.data["ground"] = [name for name in places if name in ground]
    draft.data["joints"] = {name: list(at) for name, at in places.items()}
    draft.data["links"] = []
    for link in moving:
        members = _members(link, places)
        if len(members) < 2:
            draft.left_out.append((f"link {link.get('id')}", "has fewer than two joints"))
        else:
            draft.data["links"].append({"joints": members, "name": str(link.get("name") or link.get("id"))})
    _track(joints, places, draft)
    sliders = [_slider(joint, places) for joint in joints if joint.get("type") == "prismatic"]
    if sliders:
        draft.data["sliders"] = sliders
    draft.data["motors"] = _motors(moving, places, ground, draft)
    return draft


def _id(joint: Mapping[str, Any]) -> str:
    name = joint.get("id", joint.get("name"))
    if not isinstance(name, str) or not name:
        raise InputError([Fault("joints", f"{value_text(joint)} has no id", "Save the mechanism anew")])
    return name


def _position(joint: Mapping[str, Any]) -> tuple[float, float]:
    given = as_list(joint.get("position")) or [joint.get("x"), joint.get("y")]
    if len(given) != 2 or not all(
        isinstance(one, int | float) and not isinstance(one, bool) for one in given
    ):
        cure = "Build the mechanism before it is saved, so that its joints have places"
        raise InputError([Fault(f"joints.{_id(joint)}", f"its place is {value_text(given)}", cure)])
    return float(given[0]), float(given[1])


def _members(link: Mapping[str, Any], places: Mapping[str, Any]) -> list[str]:
    named = [str(name) for name in as_list(link.get("joints"))]
    unknown = [name for name in named if name not in places]
    if unknown:
        raise InputError(
            [Fault(f"links.{link.get('id')}", f"{unknown[0]!r} is no joint", "Save the mechanism anew")]
        )
    return list(dict.fromkeys(named))


def _track(
    joints: Sequence[Mapping[str, Any]], places: Mapping[str, tuple[float, float]], draft: LinkageDraft
) -> None:
    """A tracker is a point of the link that has both of its references."""
    for joint in joints:
        if joint.get("type") != "tracker":
            continue
        name = _id(joint)
        pair = {str(joint.get("ref_joint1_id")), str(joint.get("ref_joint2_id"))}
        link = next((one for one in draft.data["links"] if pair <= set(one["joints"])), None)
        if link is None or len(pair) < 2:
            draft.left_out.append((f"tracker {name}", "its references are on no link together"))
            del draft.data["joints"][name]
            continue
        first, second = places[str(joint["ref_joint1_id"])], places[str(joint["ref_joint2_id"])]
        turn = atan2(second[1] - first[1], second[0] - first[0]) + float(joint.get("angle") or 0.0)
        away = float(joint.get("distance") or 0.0)
        draft.data["joints"][name] = [first[0] + away * cos(turn), first[1] + away * sin(turn)]
        if name not in link["joints"]:
            link["joints"].append(name)
        draft.data.setdefault("study", {"trace": []})["trace"].append(name)


def _slider(joint: Mapping[str, Any], places: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
    x, y = places[_id(joint)]
    axis = [float(one) for one in as_list(joint.get("axis"))] or [1.0, 0.0]
    size = hypot(*axis) or 1.0
    return {"joint": _id(joint), "along": [[x, y], [x + axis[0] / size, y + axis[1] / size]]}


def _motors(
    links: Sequence[Mapping[str, Any]],
    places: Mapping[str, tuple[float, float]],
    ground: set[str],
    draft: LinkageDraft,
) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for link in links:
        if link.get("type") not in ("driver", "arc_driver"):
            continue
        members = _members(link, places)
        joint = str(link.get("motor_joint") or next((one for one in members if one in ground), members[0]))
        drives = next((one for one in members if one != joint), None)
        if drives is None:
            draft.left_out.append((f"driver {link.get('id')}", "turns nothing"))
            continue
        motor: dict[str, Any] = {"joint": joint, "drives": drives}
        if link.get("type") == "arc_driver":
            here = atan2(places[drives][1] - places[joint][1], places[drives][0] - places[joint][0])
            low, high = (float(link.get(key) or 0.0) - here for key in ("arc_start", "arc_end"))
            motor["range"] = [min(low, high), max(low, high)]
        elif float(link.get("angular_velocity") or 1.0) < 0:
            motor["direction"] = "cw"
        made.append(motor)
    if not made:
        raise InputError([Fault("links", "none of them is driven", "Give the mechanism a DriverLink")])
    return made


def _older(joints: Sequence[Mapping[str, Any]], data: Mapping[str, Any], title: str) -> LinkageDraft:
    """Joints that name the one or two they hang from: a crank, dyads, fixed points."""
    draft = LinkageDraft({"pliant": 1, "kind": "linkage", "title": str(data.get("name") or title)})
    places = {_id(joint): _position(joint) for joint in joints}
    links: list[dict[str, Any]] = []
    motors: list[dict[str, Any]] = []
    ground: list[str] = []
    for joint in joints:
        name, kind = _id(joint), str(joint.get("type"))
        parents = [str(_name_of(joint.get(key))) for key in ("joint0", "joint1") if joint.get(key)]
        unknown = [one for one in parents if one not in places]
        if unknown:
            raise InputError(
                [Fault(f"joints.{name}", f"{unknown[0]!r} is no joint", "Save the linkage anew")]
            )
        if kind == "Static":
            ground.append(name)
        elif kind == "Fixed" and len(parents) == 2:
            links.append({"joints": [*parents, name], "name": "-".join([*parents, name])})
        elif kind in ("Linear", "Prismatic"):
            draft.left_out.append((f"joint {name}", f"a {kind} joint of the older kind"))
        else:
            links += [{"joints": [parent, name], "name": f"{parent}-{name}"} for parent in parents]
            motors += [{"joint": parents[0], "drives": name}] if kind == "Crank" and parents else []
    if not motors:
        raise InputError([Fault("joints", "none of them is a Crank", "Give the linkage a crank")])
    ground += [motor["joint"] for motor in motors if motor["joint"] not in ground]
    draft.data |= {"ground": ground, "joints": {name: list(at) for name, at in places.items()}}
    draft.data |= {"links": _whole(links), "motors": motors}
    return draft


def _name_of(value: Any) -> Any:
    return get(value, "name") if isinstance(value, Mapping) else value


def _whole(links: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Links without those of two joints that a larger one has."""
    large = [set(link["joints"]) for link in links if len(link["joints"]) > 2]
    return [
        link
        for link in links
        if len(link["joints"]) > 2 or not any(set(link["joints"]) <= one for one in large)
    ]
