"""Parts of a linkage that contradict each other: shared joints, lengths, motors that fight, sliders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from math import hypot
from typing import Any

from pydantic_core import InitErrorDetails

from pliant.core.model import Place, fault_at, get, items
from pliant.linkage.pins import at_one_place
from pliant.linkage.reading import Reading, label_of, listed, position

AGREE = 1e-6  # a length may differ from the drawing by this share of it

Faults = Iterator[InitErrorDetails]


def ground_faults(data: Mapping[str, Any], reading: Reading) -> Faults:
    """Joints named twice on the ground, and links that the ground holds."""
    yield from _twice(("ground",), items(data, "ground"), "the ground")
    for index, joints in enumerate(reading.links):
        held = [joint for joint in joints if joint in reading.ground]
        if any(not _one_place(pair, reading) for pair in combinations(held, 2)):
            problem = f"holds {listed(held)}, which are on the ground: the link cannot move"
            cure = f"List {listed(joints)} under ground, and leave this link out"
            yield fault_at(("links", index, "joints"), joints, problem, cure)


def link_faults(data: Mapping[str, Any], reading: Reading) -> Faults:
    """Joints named twice, links without length, lengths that disagree, links that are one or named as one."""
    owner: dict[frozenset[str], int] = {}
    for index, link in enumerate(items(data, "links")):
        yield from _twice(("links", index, "joints"), items(link, "joints"), "the link")
        yield from _coincident(index, reading)
        yield from _length_faults(index, link, reading)
        pairs = [
            frozenset(pair) for pair in combinations(reading.links[index], 2) if not _one_place(pair, reading)
        ]
        shared = next((pair for pair in pairs if pair in owner), None)
        if shared is not None:
            yield _one_part(index, owner[shared], reading)
        owner.update((pair, index) for pair in pairs if pair not in owner)
        label = label_of(link)
        if shared is None and label and (first := reading.labels[label]) != index:
            place = ("links", index, "name" if get(link, "name") else "joints")
            cure = 'Give each a name of its own: name = "…"'
            yield fault_at(place, label, f"{label!r} is the name of links[{first}] too", cure)


def _twice(place: Place, names: list[Any], what: str) -> Faults:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if isinstance(name, str) and name in seen:
            yield fault_at((*place, index), name, f"{name!r} is twice in {what}", "Name it once")
        elif isinstance(name, str):
            seen.add(name)


def _one_part(index: int, other: int, reading: Reading) -> InitErrorDetails:
    joints, others = reading.links[index], reading.links[other]
    both = [joint for joint in joints if joint in others]
    problem = f"shares {listed(both)} with links[{other}], so that the two are one rigid part"
    cure = f"Merge them into one link of {listed(dict.fromkeys([*others, *joints]))}"
    return fault_at(("links", index, "joints"), joints, problem, cure)


def _coincident(index: int, reading: Reading) -> Faults:
    """A link whose joints are all drawn at one place: which way it points is not to be seen."""
    joints = reading.links[index]
    if len(joints) < 2 or any(not _one_place(pair, reading) for pair in combinations(joints, 2)):
        return
    first, second = joints[:2]
    here = reading.joints[first] or 0j
    problem = (
        f"{listed(joints)} are drawn at one place, [{here.real:.6g}, {here.imag:.6g}]: a link of no length"
    )
    others = listed(f"links[{n}]" for n in sorted(reading.members[second]) if n != index)
    instead = "leave this link out" if others == "none" else f"write {first!r} for {second!r} in {others}"
    cure = f"A pin through several links is one joint: {instead}; or move one of them"
    yield fault_at(("links", index, "joints"), joints, problem, cure)


def _one_place(pair: tuple[str, str], reading: Reading) -> bool:
    here, there = (reading.joints[name] for name in pair)
    if here is None or there is None:
        return False
    return at_one_place((here.real, here.imag), (there.real, there.imag), reading.size)


def _length_faults(index: int, link: Any, reading: Reading) -> Faults:
    given: Any = get(link, "length")
    place, joints = ("links", index, "length"), items(link, "joints")
    if given is not None and len(joints) > 2:
        problem = f"is the length of a link of {len(joints)} joints"
        yield fault_at(place, given, problem, "Leave it out: the drawing gives the shape")
        return
    wanted = position((given, 0))
    ends = [at for joint in reading.links[index] if (at := reading.joints[joint]) is not None]
    if wanted is None or wanted.real <= 0 or len(ends) != 2 or ends[0] == ends[1]:
        return
    length, bar = wanted.real, ends[1] - ends[0]
    drawn = hypot(bar.real, bar.imag)
    if abs(length - drawn) > AGREE * length:
        there = ends[0] + bar / drawn * length
        first, second = reading.links[index]
        problem = f"is {length:.10g}, but {first}-{second} is drawn {drawn:.10g} long"
        move = f"Move {second} to [{there.real:.10g}, {there.imag:.10g}]"
        yield fault_at(place, None, problem, f"{move}, or move {first}, or leave length out")


def motor_faults(data: Mapping[str, Any], reading: Reading) -> Faults:
    """Motors off the ground, with nothing to turn, or against each other."""
    movers: dict[int | str, int] = {}  # the first motor that moves a link or a joint
    for index, motor in enumerate(items(data, "motors")):
        joint, drives = get(motor, "joint"), get(motor, "drives")
        if not reading.knows(joint, drives):
            continue
        yield from _misplaced(index, joint, drives, reading)
        moved = [drives, *(reading.common(joint, drives) if joint != drives else ())]
        first = min([movers.setdefault(part, index) for part in moved])
        if first != index:
            problem = f"fights motors[{first}]: both turn the link of {drives!r}"
            yield fault_at(("motors", index), motor, problem, "Leave one of the two out")
    yield from _push_faults(data, reading)
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


def _push_faults(data: Mapping[str, Any], reading: Reading) -> Faults:
    """Linear motors without a slider to push, or between joints that cannot part."""
    named = (get(slider, "joint") for slider in items(data, "sliders"))
    slides = [joint for joint in named if isinstance(joint, str)]
    for index, motor in enumerate(items(data, "motors")):
        joint, ends = get(motor, "slider"), items(motor, "strut")
        if isinstance(joint, str) and joint in reading.joints and slides.count(joint) != 1:
            found = "no slider" if joint not in slides else "more than one slider"
            cure = f"Joints that slide along one guide: {listed(j for j in slides if slides.count(j) == 1)}"
            yield fault_at(("motors", index, "slider"), joint, f"{joint!r} has {found}", cure)
        if len(ends) == 2 and reading.knows(*ends) and ends[0] != ends[1]:
            first, second = ends
            if reading.common(first, second) or {first, second} <= set(reading.ground):
                problem = (
                    f"{first!r} and {second!r} are held apart by one part: the strut cannot change its length"
                )
                yield fault_at(("motors", index, "strut"), ends, problem, "Name joints of two parts")
            elif reading.joints[first] == reading.joints[second] is not None:
                cure = "Draw the strut with some length"
                yield fault_at(
                    ("motors", index, "strut"), ends, "its two joints are drawn at one place", cure
                )


def _misplaced(index: int, joint: str, drives: str, reading: Reading) -> Faults:
    place = ("motors", index, "drives")
    moving = listed(name for name in reading.linked(joint) if name not in reading.ground)
    if reading.ground and joint not in reading.ground:
        cure = f"Put the motor on a joint of the ground: {listed(reading.ground)}"
        yield fault_at(("motors", index, "joint"), joint, f"{joint!r} is not on the ground", cure)
    if joint == drives:
        cure = f"Name another joint of the link that is turned: {moving}"
        yield fault_at(place, drives, f"{drives!r} is the joint the motor sits on", cure)
    elif drives in reading.ground:
        cure = f"Name a joint that moves, of a link with {joint}: {moving}"
        yield fault_at(place, drives, f"{drives!r} is on the ground and cannot be turned", cure)
    elif reading.knows(joint) and _one_place((joint, drives), reading):
        elsewhere = (name for name in reading.linked(joint) if not _one_place((joint, name), reading))
        cure = f"Name a joint of the link that is drawn elsewhere: {listed(elsewhere)}"
        yield fault_at(place, drives, f"{drives!r} is drawn at the place of {joint!r}, the motor's own", cure)
    elif not reading.common(joint, drives):
        cure = f"Add a link of {joint} and {drives}, or drive one of: {moving}"
        yield fault_at(place, drives, f"{drives!r} is in no link with {joint!r}", cure)


def slider_faults(data: Mapping[str, Any], reading: Reading) -> Faults:
    """Sliders of joints that cannot slide."""
    for index, slider in enumerate(items(data, "sliders")):
        joint, on = get(slider, "joint"), get(slider, "on")
        if not isinstance(joint, str):
            continue
        if on is None and joint in reading.ground:
            cure = "Take it from the ground, or leave the slider out"
            yield fault_at(("sliders", index, "joint"), joint, f"{joint!r} is on the ground", cure)
        if isinstance(on, str) and on in reading.labels and joint in reading.links[reading.labels[on]]:
            problem = f"{on!r} holds {joint!r} itself, which cannot slide along it"
            cure = "Name another link, or take the joint from this one"
            yield fault_at(("sliders", index, "on"), on, problem, cure)
