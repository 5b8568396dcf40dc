"""What contradicts what in a linkage file: names that are not there, and parts that contradict each other.

The data may be a raw file, however faulty, or the fields of a linkage that was validated.
What cannot be read is left to the schema's own checks and passed over here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, islice
from math import hypot
from typing import Any

from pydantic_core import InitErrorDetails

from pliant.core.faults import KeyPath
from pliant.core.model import (
    SEARCHED,
    FaultLines,
    PlacedNames,
    as_list,
    fault_at,
    get,
    items,
    size_fault,
    unknown,
)
from pliant.core.quantity import FARTHEST, Vector, coordinate

LISTED = 8  # names in a message
LINK_JOINTS = 1000  # of one link; pairs of them are looked at
AGREE = 1e-6  # a length may differ from the drawing by this share of it
NEAR = 1e-9  # of the linkage's size: joints closer than this are at one place
EDIT: KeyPath = ("study", "edit")
KEEP: KeyPath = (*EDIT, "keep")


def reference_faults(data: Mapping[str, Any]) -> Iterable[InitErrorDetails]:
    """All that is wrong between the parts of a linkage, each at its place and with a cure."""
    raw = raw_linkage(data)
    if not raw.joints:
        return
    yield from unknown(_named_joints(data), raw.joints, "joint")
    yield from unknown(_named_links(data), raw.labels, "link")
    yield from size_fault("joints", raw.size)
    yield from ground_faults(data, raw)
    yield from link_faults(data, raw)
    yield from motor_faults(data, raw)
    yield from slider_faults(data, raw)
    yield from _unused_joint_faults(data, raw)
    yield from _pair_faults(data, raw)
    yield from _tolerance_faults(data, raw)


def _named_joints(data: Mapping[str, Any]) -> PlacedNames:
    """Every place that names a joint."""
    study = get(data, "study")
    edit = get(study, "edit")
    keep = get(edit, "keep")
    yield from _list_entries(("ground",), get(data, "ground"))
    for index, link in enumerate(items(data, "links")):
        yield from _list_entries(("links", index, "joints"), get(link, "joints"))
    yield from _field_entries((), data, "motors", "joint", "drives", "slider")
    for index, motor in enumerate(items(data, "motors")):
        yield from _list_entries(("motors", index, "strut"), get(motor, "strut"))
    yield from _field_entries((), data, "sliders", "joint")
    yield from _field_entries((), data, "loads", "joint")
    yield from _list_entries(("study", "trace"), get(study, "trace"))
    yield from _field_entries(EDIT, edit, "move", "joint")
    yield from _field_entries(EDIT, edit, "curves", "point")
    for key in ("lengths", "enclosure"):
        for index, item in enumerate(items(edit, key)):
            yield from _list_entries((*EDIT, key, index, "joints"), get(item, "joints"))
    for key in ("joints", "curves", "timing"):
        yield from _list_entries((*KEEP, key), get(keep, key))
    for index, pair in enumerate(items(keep, "lengths")):
        yield from _list_entries((*KEEP, "lengths", index), pair)
    for index, symmetry in enumerate(items(keep, "symmetry")):
        for place, pair in enumerate(items(symmetry, "pairs")):
            yield from _list_entries((*KEEP, "symmetry", index, "pairs", place), pair)


def _named_links(data: Mapping[str, Any]) -> PlacedNames:
    """Every place that names a link."""
    edit = get(get(data, "study"), "edit")
    yield from _field_entries((), data, "sliders", "on")
    yield from _field_entries((), data, "loads", "link")
    yield from _field_entries(EDIT, edit, "lengths", "link")
    yield from _list_entries((*KEEP, "links"), get(get(edit, "keep"), "links"))


def _field_entries(place: KeyPath, table: Any, key: str, *fields: str) -> PlacedNames:
    for index, item in enumerate(items(table, key)):
        yield from (((*place, key, index, field), get(item, field)) for field in fields)


def _list_entries(place: KeyPath, names: Any) -> PlacedNames:
    yield from (((*place, index), name) for index, name in enumerate(as_list(names)))


def _unused_joint_faults(data: Mapping[str, Any], raw: RawLinkage) -> Iterator[InitErrorDetails]:
    used = {*raw.members, *raw.ground}
    used.update(name for _, name in _field_entries((), data, "sliders", "joint") if isinstance(name, str))
    positions: Any = get(data, "joints")
    for name in raw.joints:
        if name not in used:
            problem = f"{name!r} is in no link and no slider, and not on the ground"
            cure = "Add it to a link, or remove it"
            yield fault_at(("joints", name), positions[name], problem, cure, [name])


def _pair_faults(data: Mapping[str, Any], raw: RawLinkage) -> Iterator[InitErrorDetails]:
    """Distances of two joints that no link keeps."""
    edit = get(get(data, "study"), "edit")
    pairs = [
        ((*EDIT, "lengths", index, "joints"), items(length, "joints"))
        for index, length in enumerate(items(edit, "lengths"))
    ]
    kept = items(get(edit, "keep"), "lengths")
    pairs += [((*KEEP, "lengths", index), as_list(pair)) for index, pair in enumerate(kept)]
    for place, pair in pairs:
        if len(pair) != 2 or not raw.has_joints(*pair):
            continue
        first, second = pair
        if first == second or not raw.shared_links(first, second):
            cure = f"Joints in a link with {first}: {name_list(raw.neighbours(first))}"
            yield fault_at(place, pair, f"{first!r} and {second!r} are not two joints of one link", cure)


def _tolerance_faults(data: Mapping[str, Any], raw: RawLinkage) -> Iterator[InitErrorDetails]:
    given: Any = get(get(data, "study"), "tolerances")
    names = [name for name in given if isinstance(name, str)] if isinstance(given, Mapping) else []
    wrong = ((("study", "tolerances", name), name) for name in names if not _is_dimension(name, raw))
    yield from unknown(wrong, dict.fromkeys(islice(_dimensions(raw), SEARCHED)), "dimension")


def _is_dimension(name: str, raw: RawLinkage) -> bool:
    """Whether it is a distance "B-C" in a link, a pivot's "A.x", a guide's "P.offset", or "P off B-C"."""
    joint, _, axis = name.rpartition(".")
    if axis == "offset" and joint in raw.joints:
        return True
    beside, off, base = name.partition(" off ")
    if off:
        return beside in raw.joints and _is_dimension(base, raw)
    parts = name.split("-")  # a joint's own name may hold dashes
    splits = (("-".join(parts[:at]), "-".join(parts[at:])) for at in range(1, len(parts)))
    pair = any(first != second and raw.shared_links(first, second) for first, second in splits)
    return pair or (axis in ("x", "y") and joint in raw.ground)


def _dimensions(raw: RawLinkage) -> Iterator[str]:
    for joints in raw.links:
        yield from (f"{first}-{second}" for first, second in combinations(joints, 2))
    yield from (f"{joint}.{axis}" for joint in raw.ground for axis in "xy")


def ground_faults(data: Mapping[str, Any], raw: RawLinkage) -> FaultLines:
    """Joints named twice on the ground, and links that the ground holds."""
    yield from _repeated_name_faults(("ground",), items(data, "ground"), "the ground")
    for index, joints in enumerate(raw.links):
        held = [joint for joint in joints if joint in raw.ground]
        if any(not _joints_coincide(pair, raw) for pair in combinations(held, 2)):
            problem = f"holds {name_list(held)}, which are on the ground: the link cannot move"
            cure = f"List {name_list(joints)} under ground, and leave this link out"
            yield fault_at(("links", index, "joints"), joints, problem, cure, held)


def link_faults(data: Mapping[str, Any], raw: RawLinkage) -> FaultLines:
    """Joints named twice, links without length, lengths that disagree, links that are one or named as one."""
    owner: dict[frozenset[str], int] = {}
    for index, link in enumerate(items(data, "links")):
        yield from _repeated_name_faults(("links", index, "joints"), items(link, "joints"), "the link")
        yield from _zero_length_faults(index, raw)
        yield from _length_faults(index, link, raw)
        pairs = [
            frozenset(pair) for pair in combinations(raw.links[index], 2) if not _joints_coincide(pair, raw)
        ]
        shared = next((pair for pair in pairs if pair in owner), None)
        if shared is not None:
            yield _shared_part_fault(index, owner[shared], raw)
        owner.update((pair, index) for pair in pairs if pair not in owner)
        label = label_of(link)
        if shared is None and label and (first := raw.labels[label]) != index:
            place = ("links", index, "name" if get(link, "name") else "joints")
            cure = 'Give each a name of its own: name = "…"'
            yield fault_at(place, label, f"{label!r} is the name of links[{first}] too", cure)


def _repeated_name_faults(place: KeyPath, names: list[Any], what: str) -> FaultLines:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if isinstance(name, str) and name in seen:
            yield fault_at((*place, index), name, f"{name!r} is twice in {what}", "Name it once")
        elif isinstance(name, str):
            seen.add(name)


def _shared_part_fault(index: int, other: int, raw: RawLinkage) -> InitErrorDetails:
    joints, others = raw.links[index], raw.links[other]
    both = [joint for joint in joints if joint in others]
    problem = f"shares {name_list(both)} with links[{other}], so that the two are one rigid part"
    cure = f"Merge them into one link of {name_list(dict.fromkeys([*others, *joints]))}"
    return fault_at(("links", index, "joints"), joints, problem, cure, both)


def _zero_length_faults(index: int, raw: RawLinkage) -> FaultLines:
    """A link whose joints are all drawn at one place: which way it points is not to be seen."""
    joints = raw.links[index]
    if len(joints) < 2 or any(not _joints_coincide(pair, raw) for pair in combinations(joints, 2)):
        return
    first, second = joints[:2]
    here = raw.joints[first] or 0j
    problem = (
        f"{name_list(joints)} are drawn at one place, [{here.real:.6g}, {here.imag:.6g}]: a link of no length"
    )
    others = name_list(f"links[{n}]" for n in sorted(raw.members[second]) if n != index)
    instead = "leave this link out" if others == "none" else f"write {first!r} for {second!r} in {others}"
    cure = f"A pin through several links is one joint: {instead}; or move one of them"
    yield fault_at(("links", index, "joints"), joints, problem, cure)


def _joints_coincide(pair: tuple[str, str], raw: RawLinkage) -> bool:
    here, there = (raw.joints[name] for name in pair)
    if here is None or there is None:
        return False
    return coincide((here.real, here.imag), (there.real, there.imag), raw.size)


def _length_faults(index: int, link: Any, raw: RawLinkage) -> FaultLines:
    given: Any = get(link, "length")
    place, joints = ("links", index, "length"), items(link, "joints")
    if given is not None and len(joints) > 2:
        problem = f"is the length of a link of {len(joints)} joints"
        yield fault_at(place, given, problem, "Leave it out: the drawing gives the shape")
        return
    wanted = position((given, 0))
    ends = [at for joint in raw.links[index] if (at := raw.joints[joint]) is not None]
    if wanted is None or wanted.real <= 0 or len(ends) != 2 or ends[0] == ends[1]:
        return
    length, bar = wanted.real, ends[1] - ends[0]
    drawn = hypot(bar.real, bar.imag)
    if abs(length - drawn) > AGREE * length:
        there = ends[0] + bar / drawn * length
        first, second = raw.links[index]
        problem = f"is {length:.10g}, but {first}-{second} is drawn {drawn:.10g} long"
        move = f"Move {second} to [{there.real:.10g}, {there.imag:.10g}]"
        cure = f"{move}, or move {first}, or leave length out"
        yield fault_at(place, None, problem, cure, [first, second])


def motor_faults(data: Mapping[str, Any], raw: RawLinkage) -> FaultLines:
    """Motors off the ground, with nothing to turn, or against each other."""
    movers: dict[int | str, int] = {}  # the first motor that moves a link or a joint
    for index, motor in enumerate(items(data, "motors")):
        joint, drives = get(motor, "joint"), get(motor, "drives")
        if not raw.has_joints(joint, drives):
            continue
        yield from _rotary_motor_faults(index, joint, drives, raw)
        moved = [drives, *(raw.shared_links(joint, drives) if joint != drives else ())]
        first = min([movers.setdefault(part, index) for part in moved])
        if first != index:
            problem = f"fights motors[{first}]: both turn the link of {drives!r}"
            yield fault_at(("motors", index), motor, problem, "Leave one of the two out", [drives])
    yield from _linear_motor_faults(data, raw)
    lengths = [
        (index, len(profile))
        for index, motor in enumerate(items(data, "motors"))
        if (profile := items(motor, "profile"))
    ]
    for index, length in lengths[1:]:
        if length != lengths[0][1]:
            problem = f"has {length} angles, and that of motors[{lengths[0][0]}] has {lengths[0][1]}"
            cure = "Give each as many: they run together"
            yield fault_at(("motors", index, "profile"), None, problem, cure)


def _linear_motor_faults(data: Mapping[str, Any], raw: RawLinkage) -> FaultLines:
    """Linear motors without a slider to push, or between joints that cannot part."""
    named = (get(slider, "joint") for slider in items(data, "sliders"))
    slides = [joint for joint in named if isinstance(joint, str)]
    for index, motor in enumerate(items(data, "motors")):
        joint, ends = get(motor, "slider"), items(motor, "strut")
        if isinstance(joint, str) and joint in raw.joints and slides.count(joint) != 1:
            how_many = "no slider" if joint not in slides else "more than one slider"
            cure = (
                f"Joints that slide along one guide: {name_list(j for j in slides if slides.count(j) == 1)}"
            )
            yield fault_at(("motors", index, "slider"), joint, f"{joint!r} has {how_many}", cure)
        if len(ends) == 2 and raw.has_joints(*ends) and ends[0] != ends[1]:
            first, second = ends
            if raw.shared_links(first, second) or {first, second} <= set(raw.ground):
                problem = (
                    f"{first!r} and {second!r} are held apart by one part: the strut cannot change its length"
                )
                yield fault_at(("motors", index, "strut"), ends, problem, "Name joints of two parts")
            elif raw.joints[first] == raw.joints[second] is not None:
                cure = "Draw the strut with some length"
                yield fault_at(
                    ("motors", index, "strut"), ends, "its two joints are drawn at one place", cure
                )


def _rotary_motor_faults(index: int, joint: str, drives: str, raw: RawLinkage) -> FaultLines:
    place = ("motors", index, "drives")
    moving = name_list(name for name in raw.neighbours(joint) if name not in raw.ground)
    if raw.ground and joint not in raw.ground:
        cure = f"Put the motor on a joint of the ground: {name_list(raw.ground)}"
        yield fault_at(("motors", index, "joint"), joint, f"{joint!r} is not on the ground", cure)
    if joint == drives:
        cure = f"Name another joint of the link that is turned: {moving}"
        yield fault_at(place, drives, f"{drives!r} is the joint the motor sits on", cure)
    elif drives in raw.ground:
        cure = f"Name a joint that moves, of a link with {joint}: {moving}"
        yield fault_at(place, drives, f"{drives!r} is on the ground and cannot be turned", cure)
    elif raw.has_joints(joint) and _joints_coincide((joint, drives), raw):
        elsewhere = (name for name in raw.neighbours(joint) if not _joints_coincide((joint, name), raw))
        cure = f"Name a joint of the link that is drawn elsewhere: {name_list(elsewhere)}"
        problem = f"{drives!r} is drawn at the place of {joint!r}, the motor's own"
        yield fault_at(place, drives, problem, cure, [drives, joint])
    elif not raw.shared_links(joint, drives):
        cure = f"Add a link of {joint} and {drives}, or drive one of: {moving}"
        problem = f"{drives!r} is in no link with {joint!r}"
        yield fault_at(place, drives, problem, cure, [drives, joint])


def slider_faults(data: Mapping[str, Any], raw: RawLinkage) -> FaultLines:
    """Sliders of joints that cannot slide."""
    for index, slider in enumerate(items(data, "sliders")):
        joint, on = get(slider, "joint"), get(slider, "on")
        if not isinstance(joint, str):
            continue
        if on is None and joint in raw.ground:
            cure = "Take it from the ground, or leave the slider out"
            yield fault_at(("sliders", index, "joint"), joint, f"{joint!r} is on the ground", cure)
        if isinstance(on, str) and on in raw.labels and joint in raw.links[raw.labels[on]]:
            problem = f"{on!r} holds {joint!r} itself, which cannot slide along it"
            cure = "Name another link, or take the joint from this one"
            yield fault_at(("sliders", index, "on"), on, problem, cure, [joint])


def coincide(here: Vector, there: Vector, size: float) -> bool:
    """Whether two joints of a linkage of that size are drawn at one place."""
    return hypot(here[0] - there[0], here[1] - there[1]) <= NEAR * size


@dataclass(frozen=True)
class RawLinkage:
    """The joints of a file and the links that hold them; names that are no joints are left out."""

    joints: dict[str, complex | None]  # where they are drawn; None where that cannot be read
    ground: dict[str, None]  # in order
    links: list[list[str]]  # each joint once, and no more than a link may have
    labels: dict[str, int]  # the first link of that name
    members: dict[str, set[int]]  # the links a joint is in
    size: float  # the longer side of the drawing's box

    def has_joints(self, *names: Any) -> bool:
        """Whether all of them are joints."""
        return all(isinstance(name, str) and name in self.joints for name in names)

    def shared_links(self, first: str, second: str) -> set[int]:
        """The links that hold both joints."""
        return self.members.get(first, set()) & self.members.get(second, set())

    def neighbours(self, joint: str) -> list[str]:
        """The joints that share a link with this one."""
        joints = (other for link in sorted(self.members.get(joint, ())) for other in self.links[link])
        return [other for other in dict.fromkeys(joints) if other != joint]


def raw_linkage(data: Mapping[str, Any]) -> RawLinkage:
    """Read raw data, or the fields of a linkage that was validated."""
    given: Any = get(data, "joints")
    pairs = given.items() if isinstance(given, Mapping) else ()
    joints = {name: position(at) for name, at in pairs if isinstance(name, str)}
    drawn = [at for at in joints.values() if at is not None]
    spans = [max(part) - min(part) for part in ([p.real for p in drawn], [p.imag for p in drawn]) if part]
    links = [_known_joints(get(link, "joints"), joints) for link in items(data, "links")]
    labels: dict[str, int] = {}
    members: dict[str, set[int]] = {}
    for index, link in enumerate(items(data, "links")):
        labels.setdefault(label_of(link), index)
        for joint in links[index]:
            members.setdefault(joint, set()).add(index)
    labels.pop("", None)
    ground = dict.fromkeys(_known_joints(get(data, "ground"), joints))
    links = [link[:LINK_JOINTS] for link in links]
    return RawLinkage(joints, ground, links, labels, members, max(spans, default=0.0))


def position(at: Any) -> complex | None:
    """Two numbers as x + iy; None where they cannot be read, or are too large."""
    try:
        x, y = map(coordinate, at)
    except (ValueError, TypeError, OverflowError):
        return None
    return complex(x, y) if max(abs(x), abs(y)) <= FARTHEST else None


def label_of(link: Any) -> str:
    """As `Link.label`; empty where there is nothing to make it of."""
    name = get(link, "name")
    if isinstance(name, str) and name:
        return name
    return "-".join(name for name in items(link, "joints") if isinstance(name, str))


def name_list(names: Iterable[str]) -> str:
    """The first of some names, for a message."""
    first = list(islice(names, LISTED + 1))
    return ", ".join([*first[:LISTED], *(["…"] if len(first) > LISTED else [])]) or "none"


def _known_joints(names: Any, joints: Mapping[str, Any]) -> list[str]:
    return list(dict.fromkeys(name for name in as_list(names) if isinstance(name, str) and name in joints))
