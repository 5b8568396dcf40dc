"""Every fault between the parts of a mechanism is told with its place, what was given, and a cure."""

import copy
from collections.abc import Callable
from itertools import pairwise
from math import isqrt
from typing import Any

import pytest

from pliant.core.errors import InputError
from pliant.core.model import SUGGESTED
from pliant.files import model_of
from pliant.relax.checks.drawn_overlaps import TOLD
from pliant.relax.faults import reference_faults
from pliant.relax.model import Mechanism

FLAT: dict[str, Any] = {
    "pliant": 1,
    "kind": "mechanism",
    "ground": ["a", "d"],
    "nodes": {"a": [0, 0], "b": [0, 2], "c": [4, 3], "d": [4, 0]},
    "bars": [{"nodes": ["a", "b"]}, {"nodes": ["b", "c"]}, {"nodes": ["c", "d"]}],
}
SPACE: dict[str, Any] = {
    "pliant": 1,
    "kind": "mechanism",
    "ground": ["a", "b", "c"],
    "nodes": {"a": [0, 0, 0], "b": [1, 0, 0], "c": [0, 1, 0], "d": [0, 0, 1]},
    "bars": [{"nodes": ["a", "d"]}, {"nodes": ["b", "d"]}, {"nodes": ["c", "d"]}],
}
Change = Callable[[dict[str, Any]], Any]


def faults(change: Change, model: dict[str, Any] = FLAT) -> list[str]:
    """What is said about a model after a change; empty where it is still good."""
    data = copy.deepcopy(model)
    change(data)
    try:
        model_of(data)
    except InputError as error:
        return [str(fault) for fault in error.faults]
    return []


def add(key: str, **item: Any) -> Change:
    """One more element."""
    return lambda data: data.setdefault(key, []).append(item)


def put(**keys: Any) -> Change:
    return lambda data: data.update(keys)


def node(name: str, *at: Any) -> Change:
    """One more node, held by a spring so that it is used."""

    def change(data: dict[str, Any]) -> None:
        data["nodes"][name] = list(at)
        data.setdefault("springs", []).append({"nodes": [name, "b"], "stiffness": 1})

    return change


def both(*changes: Change) -> Change:
    return lambda data: [change(data) for change in changes]


@pytest.mark.parametrize("model", [FLAT, SPACE])
def test_the_models_themselves_are_good(model: dict[str, Any]):
    assert faults(lambda data: None, model) == []


# Names


UNKNOWN = {
    "ground[2]": lambda data: data["ground"].append("q"),
    "bars[3].nodes[1]": add("bars", nodes=["a", "q"]),
    "strings[0].nodes[0]": add("strings", nodes=["q", "a"]),
    "springs[0].nodes[0]": add("springs", nodes=["q", "a"], stiffness=1),
    "bumpers[0].nodes[0]": add("bumpers", nodes=["q", "a"], length=1),
    "actuators[0].nodes[1]": add("actuators", nodes=["b", "q"], to=3),
    "plates[0].nodes[2]": add("plates", nodes=["a", "b", "q"]),
    "welds[0].joint": add("welds", joint="q", arms=["a", "c"]),
    "welds[0].arms[0]": add("welds", joint="b", arms=["q", "c"]),
    "rotors[0].joint": add("rotors", joint="q", arms=["a", "c"], to=1),
    "rotors[0].arms[1]": add("rotors", joint="a", arms=["d", "q"], to=1),
    "sliders[0].node": add("sliders", node="q", on=["a", "b"]),
    "sliders[0].on[1]": add("sliders", node="c", on=["a", "q"]),
    "guides[0].node": add("guides", node="q", line=[1, 0]),
    "gears[0].wheels[1][1]": add("gears", wheels=[["a", "b"], ["d", "q"]], ratio=2),
    "gears[0].carrier[0]": add("gears", wheels=[["a", "b"], ["d", "c"]], ratio=2, carrier=["q", "d"]),
    "gears[0].wheel[0]": add("gears", wheel=["q", "b"], rack="c", along=[1, 0], radius=2),
    "gears[0].rack": add("gears", wheel=["a", "b"], rack="q", along=[1, 0], radius=2),
    "cylinders[0].lines[1][0]": add("cylinders", lines=[["a", "b"], ["q", "c"]]),
    "contacts[0].members[0][1]": add("contacts", members=[["a", "q"], ["c", "d"]], radius=1),
    "contacts[0].against[0][0]": add("contacts", members=[["a", "b"]], against=[["q", "d"]], radius=1),
    "wraps[0].nodes[1]": add("wraps", nodes=["a", "q"], around=[{"node": "c", "radius": 1}]),
    "wraps[0].around[0].node": add("wraps", nodes=["a", "b"], around=[{"node": "q", "radius": 1}]),
    "loads[0].node": add("loads", node="q", force=[0, 1]),
    "masses.q": put(masses={"b": 1, "q": 2}),
    "study.trace[1]": put(study={"trace": ["b", "q"]}),
    "study.alphas.q": put(study={"alphas": {"q": 0.1}}),
    "study.etas.q": put(study={"etas": {"q": 0.1}}),
}


@pytest.mark.parametrize("place", UNKNOWN)
def test_a_node_that_is_not_there_is_told_wherever_it_is_named(place: str):
    assert faults(UNKNOWN[place]) == [f"{place}: 'q' is not a node of this model. There are: a, b, c, d"]


UNKNOWN_IN_SPACE = {
    "rotors[0].axis": add("rotors", joint="a", arms=["b", "d"], axis="q", to=1),
    "hinges[0].joint": add("hinges", joint="q", sides=[["a"], ["c"]], axis=[0, 0, 1]),
    "hinges[0].sides[1][0]": add("hinges", joint="a", sides=[["b"], ["q"]], axis=[0, 0, 1]),
    "wraps[0].around[0].cylinder[1]": add(
        "wraps", nodes=["b", "c"], around=[{"cylinder": ["a", "q"], "radius": 0.1}]
    ),
}


@pytest.mark.parametrize("place", UNKNOWN_IN_SPACE)
def test_a_node_that_is_not_there_is_told_in_what_is_of_space_only(place: str):
    said = f"{place}: 'q' is not a node of this model. There are: a, b, c, d"
    assert faults(UNKNOWN_IN_SPACE[place], SPACE) == [said]


def test_a_misspelt_node_gets_the_nearest_name():
    (said,) = faults(both(node("elbow", 1, 1), add("bars", nodes=["elbwo", "b"])))
    assert said == "bars[3].nodes[0]: 'elbwo' is not a node of this model. Did you mean 'elbow'?"


def test_a_crowd_of_unknown_names_is_told_without_pondering_each():
    bars = [{"nodes": ["a", f"q{k}"]} for k in range(SUGGESTED + 1)]
    *near, last = faults(lambda data: data["bars"].extend(bars))
    assert len(near) == SUGGESTED
    assert last == f"bars[43].nodes[1]: 'q{SUGGESTED}' is not a node of this model. There are: a, b, c, d"


# Parts that contradict each other, or the drawing


APART = "Move one of them, or use one node in place of the two"
WHEELS = "Name two wheels: each its centre, and a node that turns about it"
CONTRADICTIONS = {
    "a node of no element": (
        lambda data: data["nodes"].update(q=[5, 6]),
        "nodes.q: 'q' is not used: no element names it (given [5, 6]). "
        "Join it with a bar or a plate, give it a guide, or remove it",
    ),
    "a node of the ground and no element": (
        both(lambda data: data["nodes"].update(q=[5, 6]), lambda data: data["ground"].append("q")),
        "nodes.q: 'q' is not used: no element names it, and holds nothing on the ground (given [5, 6]). "
        "Join it with a bar or a plate, give it a guide, or remove it",
    ),
    "a node with nothing but a load": (
        both(lambda data: data["nodes"].update(q=[5, 6]), add("loads", node="q", force=[0, 1])),
        "nodes.q: 'q' is not used: no element names it (given [5, 6]). "
        "Join it with a bar or a plate, give it a guide, or remove it",
    ),
    "a bar of one node": (
        add("bars", nodes=["b", "b"]),
        'bars[3].nodes: \'b\' is twice in the bar (given ["b", "b"]). Name two different nodes',
    ),
    "a string of one node": (
        add("strings", nodes=["b", "b"], length=1),
        'strings[0].nodes: \'b\' is twice in the string (given ["b", "b"]). Name two different nodes',
    ),
    "a cylinder of one node": (
        add("cylinders", lines=[["a", "b"], ["c", "c"]]),
        'cylinders[0].lines[1]: \'c\' is twice in the cylinder (given ["c", "c"]). Name two different nodes',
    ),
    "a plate with a node twice": (
        add("plates", nodes=["a", "b", "c", "a"]),
        'plates[0].nodes: \'a\' is twice in the plate (given ["a", "b", "c", "a"]). Name it once',
    ),
    "a bar of no length": (
        both(node("q", 4, 3 + 1e-12), add("bars", nodes=["c", "q"])),
        "bars[3].nodes: 'c' and 'q' of the bar are drawn at one place, [4, 3] (given [\"c\", \"q\"]). "
        + APART,
    ),
    "an actuator of no length": (
        both(node("q", 4, 3), add("actuators", nodes=["q", "c"], length=1, to=2)),
        "actuators[0].nodes: 'q' and 'c' of the actuator are drawn at one place, [4, 3] "
        '(given ["q", "c"]). ' + APART,
    ),
    "a plate with two nodes at one place": (
        both(node("q", 4, 3), add("plates", nodes=["a", "q", "b", "c"])),
        "plates[0].nodes: 'q' and 'c' of the plate are drawn at one place, [4, 3] "
        '(given ["a", "q", "b", "c"]). ' + APART,
    ),
    "a string that takes no length from the drawing": (
        both(node("q", 4, 3), add("strings", nodes=["c", "q"])),
        "strings[0].nodes: 'c' and 'q' of the string are drawn at one place, [4, 3] "
        '(given ["c", "q"]). ' + APART,
    ),
    "a spring that does not know which way to push": (
        both(node("q", 4, 3), add("springs", nodes=["c", "q"], stiffness=1, length="1/2")),
        "springs[1].nodes: 'c' and 'q' of the spring are drawn at one place, [4, 3] "
        '(given ["c", "q"]). ' + APART,
    ),
    "a rotor whose arm is its joint": (
        add("rotors", joint="b", arms=["a", "b"], to=1),
        'rotors[0].arms[1]: \'b\' is twice in the rotor (given ["b", "b"]). Name two different nodes',
    ),
    "a rotor whose arm is drawn on its joint": (
        both(node("q", 0, 0), add("rotors", joint="a", arms=["d", "q"], to=1)),
        "rotors[0].arms[1]: 'a' and 'q' of the rotor are drawn at one place, [0, 0] "
        '(given ["a", "q"]). ' + APART,
    ),
    "a rotor of one arm": (
        add("rotors", joint="a", arms=["b", "b"], to=1),
        'rotors[0].arms: \'b\' is twice in the rotor (given ["b", "b"]). Name two different nodes',
    ),
    "a weld of one arm": (
        add("welds", joint="b", arms=["a", "a"]),
        'welds[0].arms: \'a\' is twice in the weld (given ["a", "a"]). Name two different nodes',
    ),
    "a slider whose line has no direction": (
        both(node("q", 0, 0), add("sliders", node="c", on=["a", "q"])),
        "sliders[0].on: 'a' and 'q' of the line of the slider are drawn at one place, [0, 0] "
        '(given ["a", "q"]). ' + APART,
    ),
    "a slider on a line through one node": (
        add("sliders", node="c", on=["a", "a"]),
        'sliders[0].on: \'a\' is twice in the line of the slider (given ["a", "a"]). '
        "Name two different nodes",
    ),
    "a slider that carries its own line": (
        add("sliders", node="b", on=["a", "b"]),
        'sliders[0]: \'b\' is twice in the slider (given ["b", "a", "b"]). Name it once',
    ),
    "a wheel of one node": (
        add("gears", wheels=[["a", "b"], ["d", "d"]], ratio=2),
        'gears[0].wheels[1]: \'d\' is twice in the wheel (given ["d", "d"]). Name two different nodes',
    ),
    "a carrier of one node": (
        add("gears", wheels=[["a", "b"], ["d", "c"]], ratio=2, carrier=["a", "a"]),
        'gears[0].carrier: \'a\' is twice in the carrier (given ["a", "a"]). Name two different nodes',
    ),
    "a gear of one wheel": (
        add("gears", wheels=[["a", "b"], ["a", "b"]], ratio=2),
        'gears[0].wheels: couples a wheel with itself (given [["a", "b"], ["a", "b"]]). ' + WHEELS,
    ),
    "a node beside its bar": (
        both(node("q", 2, 2.6), add("bars", nodes=["b", "q", "c"])),
        "bars[3].nodes[1]: 'q' is 0.0970143 beside the line from 'b' to 'c'. "
        "Move it onto the line, or make the bar one of [[plates]]",
    ),
    "a node beyond its bar": (
        both(node("q", 8, 4), add("bars", nodes=["b", "q", "c"])),
        "bars[3].nodes[1]: 'q' does not lie between 'b' and 'c'. List the nodes in order, from end to end",
    ),
    "a node guided twice": (
        both(add("guides", node="b", line=[1, 0]), add("guides", node="b", line=[0, 1])),
        "guides[1].node: 'b' is guided by guides[0] too. "
        "Leave one of the two out; two planes that meet are a line",
    ),
    "a guided node on the ground": (
        add("guides", node="a", line=[1, 0]),
        "guides[0].node: 'a' is on the ground. Take it from the ground, or leave the guide out",
    ),
    "a curve that stands still": (
        add("guides", node="b", curve=[[0, 2], [1, 2], ["2/2", 2], [3, 3]]),
        "guides[0].curve[2]: points 1 and 2 of the curve are one place, [1, 2]. Leave one of the two out",
    ),
    "a curve that hardly moves": (
        add("guides", node="b", curve=[[0, 2], [1, 2], [1, 2 + 4e-16], [3, 3]]),
        "guides[0].curve[2]: points 1 and 2 of the curve are one place, [1, 2]. Leave one of the two out",
    ),
    "a closed curve that is closed by hand": (
        add("guides", node="b", curve=[[0, 2], [1, 2], [1, 3], [0, 2]], closed=True),
        "guides[0].curve[3]: ends where it begins, at [0, 2], and is closed beside. Leave the last point out",
    ),
    "a node twice on the ground": (
        lambda data: data["ground"].append("a"),
        "ground[2]: 'a' is twice in the ground. Name it once",
    ),
    "everything on the ground": (
        put(ground=["a", "b", "c", "d"]),
        'ground: holds every node: nothing can move (given ["a", "b", "c", "d"]). '
        "Take those that shall move from the ground",
    ),
    "an actuator between nodes of the ground": (
        add("actuators", nodes=["a", "d"], to=5),
        "actuators[0].nodes: all nodes of the actuator are on the ground: it cannot move "
        '(given ["a", "d"]). Take one of them from the ground, or leave the actuator out',
    ),
    "a rotor that the ground holds": (
        lambda data: (
            data["ground"].append("c") or data.update(rotors=[{"joint": "a", "arms": ["d", "c"], "to": 1}])
        ),
        "rotors[0].arms: all nodes of the rotor are on the ground: it cannot move "
        '(given ["a", "d", "c"]). Take one of them from the ground, or leave the rotor out',
    ),
    "a contact of one member": (
        add("contacts", members=[["a", "b"]], radius=0.1),
        'contacts[0].members: is one member, with nothing it could touch (given [["a", "b"]]). '
        "Add more members, or against = [[…]]",
    ),
    "members that cross": (
        add("contacts", members=[["a", "c"], ["a", "b"], ["b", "d"]], radius=0.1),
        "contacts[0].members[0]: a-c and b-d meet as drawn, so that neither has a side to stay on "
        '(given ["a", "c"]). Draw them apart, or leave one of the two out',
    ),
    "a member that crosses one against it": (
        add("contacts", members=[["a", "c"]], against=[["a", "b"], ["b", "d"]], radius=0.1),
        "contacts[0].members[0]: a-c and b-d meet as drawn, so that neither has a side to stay on "
        '(given ["a", "c"]). Draw them apart, or leave one of the two out',
    ),
    "a node on a member": (
        both(node("q", 0, 1), add("contacts", members=[["q", "q"], ["a", "b"]], radius=0.1)),
        "contacts[0].members[0]: 'q' and a-b meet as drawn, so that neither has a side to stay on "
        '(given ["q", "q"]). Draw them apart, or leave one of the two out',
    ),
    "the end of a string in its obstacle": (
        add("wraps", nodes=["a", "b"], around=[{"node": "c", "radius": 2}, {"node": "d", "radius": "21/5"}]),
        "wraps[0].nodes[0]: 'a' is 4 from the middle of around[1], whose radius is 4.2. "
        "Move it out, or make the radius smaller",
    ),
    "a path through its obstacle": (
        add("wraps", nodes=["a", "b"], via=[[2, 0], [4, 2]], around=[{"node": "c", "radius": 1.5}]),
        "wraps[0].via[1]: it is 1 from the middle of around[0], whose radius is 1.5. "
        "Move it out, or make the radius smaller",
    ),
    "a string from a node to itself with no path between": (
        add("wraps", nodes=["a", "a"], around=[{"node": "c", "radius": 1}]),
        'wraps[0].nodes: \'a\' is twice in the wrap (given ["a", "a"]). Name two different nodes',
    ),
}


@pytest.mark.parametrize("case", CONTRADICTIONS)
def test_parts_that_contradict_are_told_with_place_value_and_cure(case: str):
    change, wanted = CONTRADICTIONS[case]
    assert faults(change) == [wanted]


# Dimensions


PLANE = "Give 2 numbers: the mechanism is in the plane"
DIMENSIONS = {
    "a node in space": (
        node("q", 1, 1, 1),
        "nodes.q: 'q' has 3 numbers, and 'a' has 2 (given [1, 1, 1]). "
        "Give every node two numbers, or every node three",
    ),
    "a first node in space": (
        lambda data: data.update(nodes={**data["nodes"], "a": [0, 0, 0]}),
        "nodes.a: 'a' has 3 numbers, and 'b' has 2 (given [0, 0, 0]). "
        "Give every node two numbers, or every node three",
    ),
    "a line": (add("guides", node="b", line=[1, 0, 0]), "guides[0].line"),
    "a plane": (add("guides", node="b", plane=[1, 0, 0]), "guides[0].plane"),
    "a point of a curve": (add("guides", node="b", curve=[[0, 2], [1, 0, 0]]), "guides[0].curve[1]"),
    "a rack": (
        add("gears", wheel=["a", "b"], rack="c", along=[1, 0, 0], radius=1),
        "gears[0].along",
    ),
    "a force": (add("loads", node="b", force=[1, 0, 0]), "loads[0].force"),
    "a force at the end": (add("loads", node="b", force=[1, 0], to=[1, 0, 0]), "loads[0].to"),
    "gravity": (put(gravity=[1, 0, 0]), "gravity"),
    "a field": (add("fields", centre=[1, 0, 0], strength=1), "fields[0].centre"),
    "a path": (
        add("wraps", nodes=["a", "b"], via=[[1, 0, 0]], around=[{"node": "c", "radius": 1}]),
        "wraps[0].via[0]",
    ),
    "a hinge": (
        add("hinges", joint="b", sides=[["a"], ["c"]], axis=[0, 0, 1]),
        "hinges[0]: is a hinge in the plane, where parts that share a node turn about it already "
        '(given { joint = "b", sides = [["a"], ["c"]], axis = [0, 0, 1] }). Leave it out',
    ),
    "the axis of a rotor": (
        add("rotors", joint="a", arms=["d", "b"], axis="c", to=1),
        'rotors[0].axis: is an axis in the plane, where arms can turn one way only (given "c"). Leave it out',
    ),
    "the axis of a gear": (
        add("gears", wheels=[["a", "b"], ["d", "c"]], ratio=-1, axis=[0, 0, 1]),
        "gears[0].axis: is an axis in the plane, where wheels can turn one way only (given [0, 0, 1]). "
        "Leave it out",
    ),
    "a cylinder to wrap around": (
        add("wraps", nodes=["a", "b"], around=[{"cylinder": ["c", "d"], "radius": 1}]),
        'wraps[0].around[0].cylinder: is a cylinder in the plane (given ["c", "d"]). '
        'Give node = "…" in its place: a circle about a node',
    ),
}


@pytest.mark.parametrize("case", DIMENSIONS)
def test_what_is_of_space_is_refused_in_the_plane(case: str):
    change, wanted = DIMENSIONS[case]
    whole = (
        wanted
        if ": " in wanted
        else f"{wanted}: has 3 numbers, and the nodes have 2 (given [1, 0, 0]). {PLANE}"
    )
    assert faults(change) == [whole]


OFF = "Name a node beside the axis"
SPATIAL = {
    "a node in the plane": (
        node("q", 1, 1),
        "nodes.q: 'q' has 2 numbers, and 'a' has 3 (given [1, 1]). "
        "Give every node two numbers, or every node three",
    ),
    "a force in the plane": (
        add("loads", node="d", force=[1, 0]),
        "loads[0].force: has 2 numbers, and the nodes have 3 (given [1, 0]). "
        "Give 3 numbers: the mechanism is in space",
    ),
    "a rotor without an axis": (
        add("rotors", joint="a", arms=["b", "d"], to=1),
        'rotors[0]: is a rotor in space without an axis (given { joint = "a", arms = ["b", "d"], to = 1 }). '
        'Add axis = "…": a node, to which the axis runs from the joint',
    ),
    "a rotor whose axis has no direction": (
        both(node("q", 0, 0, 0), add("rotors", joint="a", arms=["b", "d"], axis="q", to=1)),
        "rotors[0].axis: 'q' is drawn at one place with the joint 'a': there is no axis. "
        "Name a node beside the joint, on the axis",
    ),
    "a rotor whose arm lies on its axis": (
        both(node("q", 0, 0, -2), add("rotors", joint="a", arms=["b", "q"], axis="d", to=1)),
        f"rotors[0].arms[1]: 'q' lies on the axis of the rotor, from 'a' to 'd'. {OFF}",
    ),
    "a gear without an axis": (
        add("gears", wheels=[["a", "b"], ["c", "d"]], ratio=2),
        "gears[0]: is a gear in space without an axis "
        '(given { wheels = [["a", "b"], ["c", "d"]], ratio = 2 }). '
        "Add axis = [0, 0, 1]: what its wheels turn about",
    ),
    "a wheel on its axis": (
        add("gears", wheels=[["a", "b"], ["a", "d"]], ratio=2, axis=[0, 0, 3]),
        "gears[0].wheels[1]: 'd' lies on the axis through 'a', and does not turn about it "
        f'(given ["a", "d"]). {OFF}',
    ),
    "a node on both sides of a hinge": (
        add("hinges", joint="d", sides=[["a", "b"], ["c", "b"]], axis=[0, 0, 1]),
        'hinges[0].sides: \'b\' is twice in the hinge (given ["d", "a", "b", "c", "b"]). Name it once',
    ),
    "a cylinder about one place": (
        both(
            node("q", 0, 0, 0),
            add("wraps", nodes=["b", "c"], around=[{"cylinder": ["a", "q"], "radius": 0.1}]),
        ),
        "wraps[0].around[0].cylinder: 'a' and 'q' of the obstacle are drawn at one place, [0, 0, 0] "
        '(given ["a", "q"]). ' + APART,
    ),
    "the end of a string in a cylinder": (
        both(
            node("q", 0.3, 0.4, 9),
            add("wraps", nodes=["b", "q"], around=[{"cylinder": ["a", "d"], "radius": 0.6}]),
        ),
        "wraps[0].nodes[1]: 'q' is 0.5 from the middle of around[0], whose radius is 0.6. "
        "Move it out, or make the radius smaller",
    ),
}


@pytest.mark.parametrize("case", SPATIAL)
def test_in_space_axes_are_asked_for_and_looked_at(case: str):
    change, wanted = SPATIAL[case]
    assert faults(change, SPACE) == [wanted]


# The schema's own


SCHEMA = {
    "a stiffness of 0": (
        put(stiffness=0),
        "stiffness: must be more than 0 (given 0). Give a number that is more than 0",
    ),
    "a negative stiffness of a spring": (
        add("springs", nodes=["a", "c"], stiffness=-2),
        "springs[0].stiffness: must be more than 0 (given -2). Give a number that is more than 0",
    ),
    "a bar of length 0": (
        add("bars", nodes=["a", "c"], length=0),
        "bars[3].length: must be more than 0 (given 0). Give a number that is more than 0",
    ),
    "an actuator that shrinks to nothing": (
        add("actuators", nodes=["a", "c"], to=[3, 0]),
        "actuators[0].to[1]: must be more than 0 (given 0). Give a number that is more than 0",
    ),
    "a bar of one end": (
        add("bars", nodes=["a"]),
        'bars[3].nodes: has 1 entries; at least 2 wanted (given ["a"]). Add one',
    ),
    "a plate of two nodes": (
        add("plates", nodes=["a", "c"]),
        'plates[0].nodes: has 2 entries; at least 3 wanted (given ["a", "c"]). Add one',
    ),
    "a gear ratio of 0": (
        add("gears", wheels=[["a", "b"], ["d", "c"]], ratio=0),
        "gears[0].ratio: is 0: the second part would not move (given 0). "
        "Give a number other than 0, or ground the part",
    ),
    "a rack of radius 0": (
        add("gears", wheel=["a", "b"], rack="c", along=[1, 0], radius="0/3"),
        'gears[0].radius: is 0: the second part would not move (given "0/3"). '
        "Give a number other than 0, or ground the part",
    ),
    "a gear of half a rack": (
        add("gears", wheels=[["a", "b"], ["d", "c"]], ratio=2, radius=3),
        "gears[0]: is neither a pair of wheels nor a wheel on a rack "
        '(given { wheels = [["a", "b"], ["d", "c"]], ratio = 2, radius = 3 }). '
        'Give wheels = [["o1", "p1"], ["o2", "p2"]] and ratio, or wheel, rack, along and radius',
    ),
    "a guide with nowhere to go": (
        add("guides", node="b", line=[0, 0]),
        "guides[0].line: points nowhere (given [0, 0]). Give a direction such as [1, 0]",
    ),
    "a direction too short to have one": (
        add("guides", node="b", plane=[1e-300, 0]),
        "guides[0].plane: points nowhere (given [1e-300, 0]). Give a direction such as [1, 0]",
    ),
    "a place beyond all drawings": (
        node("q", 1, 1e200),
        "nodes.q[1]: 1e+200 is not a coordinate within ±1e9. Choose a larger unit, or move the drawing",
    ),
    "a contact against nothing": (
        add("contacts", members=[["a", "b"]], against=[], radius=1),
        "contacts[0].against: has 0 entries; at least 1 wanted (given []). Add one",
    ),
    "a guide of two kinds": (
        add("guides", node="b", line=[1, 0], plane=[1, 0]),
        "guides[0]: has 2 of line, plane, curve "
        '(given { node = "b", line = [1, 0], plane = [1, 0] }). Give one of the three',
    ),
    "a node of four numbers": (
        node("q", 1, 2, 3, 4),
        "nodes.q: has more than the 3 values wanted (given [1, 2, 3, 4]). Give 3 values",
    ),
    "a seed below 0": (
        put(study={"seed": -1}),
        "study.seed: must be at least 0 (given -1). Give a number that is at least 0",
    ),
}


@pytest.mark.parametrize("case", SCHEMA)
def test_what_the_schema_refuses_names_key_value_and_cure(case: str):
    change, wanted = SCHEMA[case]
    assert faults(change) == [wanted]


# What is no fault


GOOD = {
    "no ground": put(ground=[]),
    "an actuator that asks the impossible": add("actuators", nodes=["a", "c"], to=1e6),
    "two bars that contradict": add("bars", nodes=["a", "b"], length=9),
    "a bar along the ground": add("bars", nodes=["a", "d"]),
    "a load and a mass on the ground": both(add("loads", node="a", force=[1, 0]), put(masses={"a": 2})),
    "a node a millionth beside its bar": both(node("q", 2, 2.5 + 2e-6), add("bars", nodes=["b", "q", "c"])),
    "nodes at one place that no element needs apart": both(node("q", 4, 3), node("r", 4, 3)),
    "a slack string between nodes at one place": both(
        node("q", 4, 3), add("strings", nodes=["q", "c"], length=1)
    ),
    "a spring of no length": both(node("q", 4, 3), add("springs", nodes=["q", "c"], stiffness=1)),
    "a fixed pin in a moving slot": add("sliders", node="d", on=["b", "c"]),
    "members that share a node": add("contacts", members=[["a", "b"], ["b", "c"], ["c", "d"]], radius=0.1),
    "members of two contacts that cross": both(
        add("contacts", members=[["a", "c"]], against=[["a", "b"]], radius=0.1),
        add("contacts", members=[["b", "d"]], against=[["a", "b"]], radius=0.1),
    ),
    "a node that is only touched": both(
        lambda data: data["nodes"].update(q=[2, 1]),
        add("contacts", members=[["q", "q"], ["b", "c"]], radius=0.1),
    ),
    "the end of a string on its obstacle": add(
        "wraps", nodes=["a", "b"], around=[{"node": "d", "radius": 4}]
    ),
    "a string that comes back": add(
        "wraps", nodes=["a", "a"], via=[[6, -1], [6, 1]], around=[{"node": "d", "radius": 0.5}]
    ),
    "a plane in the plane": add("guides", node="b", plane=[1, 0]),
    "a planetary gear": add("gears", wheels=[["a", "b"], ["d", "c"]], ratio=-2, carrier=["a", "d"]),
}


@pytest.mark.parametrize("case", GOOD)
def test_what_is_sound_is_let_through(case: str):
    assert faults(GOOD[case]) == []


def test_segments_that_pass_each_other_in_space_are_let_through():
    crossing = add("contacts", members=[["a", "b"], ["c", "d"]], radius=0.1)
    assert faults(crossing, SPACE) == []


def test_a_floating_drawing_of_one_node_and_a_guide_is_sound():
    data = {
        "pliant": 1,
        "kind": "mechanism",
        "nodes": {"a": [0, 0]},
        "guides": [{"node": "a", "line": [1, 0]}],
    }
    assert isinstance(model_of(data), Mechanism)


# All of it


def test_every_fault_is_listed_at_once():
    cases = ["a plate with a node twice", "a node beside its bar", "a guided node on the ground"]
    changes = [CONTRADICTIONS[case][0] for case in cases]
    said = faults(both(*changes, put(stiffness=0, sprngs=[], study={"trace": ["z"]})))
    assert len(said) == 6
    assert any(line.startswith("sprngs: is not a key of a mechanism") for line in said)


@pytest.mark.parametrize("scale", [1e-9, 1e7])
def test_the_drawing_is_judged_by_its_own_size(scale: float):
    nodes = {name: [x * scale + 7 * scale, y * scale] for name, (x, y) in FLAT["nodes"].items()}
    assert faults(put(nodes=nodes)) == []


def test_a_validated_mechanism_is_judged_like_the_file_it_came_from():
    model = model_of(FLAT)
    assert isinstance(model, Mechanism)
    assert list(reference_faults(dict(model))) == []
    bad = model.model_copy(update={"ground": ("a", "a"), "nodes": {**model.nodes, "q": (1.0, 1.0)}})
    said = [line["type"].context["problem"] for line in reference_faults(dict(bad))]
    assert said == ["'q' is not used: no element names it", "'a' is twice in the ground"]


@pytest.mark.parametrize(
    "data",
    [
        {"nodes": None, "bars": 3},
        {"nodes": {"a": "here", "b": [1], 3: [0, 0], "c": [0, 0]}, "bars": [None, {"nodes": "ab"}, 7]},
        {"nodes": {"a": [0, 0]}, "ground": {"a": 1}, "actuators": [{"nodes": [[], {}]}]},
        {"nodes": {"a": [1e308, -1e308], "b": [-1e308, 1e308]}, "bars": [{"nodes": ["a", "b", "a"]}]},
        {"nodes": {"a": [0, 5e-324], "b": [0, 0]}, "bars": [{"nodes": ["a", "b"]}]},
        {
            "nodes": {"a": [0, 0], "b": [1, 0]},
            "springs": [{"nodes": ["a", "b"], "length": "long"}],
            "hinges": [{"sides": [3, "ab", ["a", []]]}],
            "gears": [{"wheels": [None, ["a"], "ab"], "carrier": 3}],
            "rotors": [{"joint": [], "arms": {}}],
            "guides": [{"node": [], "curve": [[], None]}, {"node": "a", "curve": [[1, 1], [1, 1]]}],
            "contacts": [{"members": [3, ["a"], ["a", []]]}, {"members": "ab", "against": 3}],
            "wraps": [{"nodes": ["a", {}], "via": [3], "around": [4, {"node": "b", "radius": "wide"}]}],
            "study": {"alphas": {3: 1}, "trace": [["a"]]},
            "masses": [3],
        },
        {
            "nodes": {"a": [0, 0, 0], "b": [1, 0, 0]},
            "rotors": [
                {"joint": "a", "axis": [], "arms": [3]},
                {"joint": "a", "axis": "b", "arms": ["a", {}]},
            ],
            "gears": [
                {"axis": [0, 0, 0], "wheels": [["a", "b"]]},
                {"axis": 3},
                {"axis": [1, 0, 0], "wheel": ["a"]},
            ],
            "wraps": [
                {"nodes": ["a"], "around": [{"cylinder": ["a", "b", "a"], "radius": 1}, {"cylinder": 3}]}
            ],
        },
    ],
)
def test_garbage_is_passed_over_without_an_exception(data: dict[str, Any]):
    for line in reference_faults(data):
        assert line["type"].context["cure"]


# Size


@pytest.mark.slow
def test_a_hundred_thousand_nodes_are_looked_through():
    side = isqrt(100_000)
    names = [[f"{x} {y}" for x in range(side)] for y in range(side)]
    rows = [[a, b] for row in names for a, b in pairwise(row)]
    columns = [[a, b] for column in zip(*names, strict=True) for a, b in pairwise(column)]
    data: dict[str, Any] = {
        "nodes": {name: [x, y] for y, row in enumerate(names) for x, name in enumerate(row)},
        "bars": [{"nodes": pair} for pair in rows + columns],
        "contacts": [{"members": rows, "radius": 0.1}],
        "ground": ["0 0"],
    }
    assert len(data["bars"]) > 199_000
    data["bars"].append({"nodes": ["0 0", "nowhere"]})
    (said,) = reference_faults(data)
    assert said["loc"] == ("bars", len(data["bars"]) - 1, "nodes", 1)


def test_members_that_all_cross_are_told_a_hundred_times():
    spokes = {f"{end} {k}": [k, 300 * end] for k in range(300) for end in (0, 1)}
    data: dict[str, Any] = {
        "nodes": spokes,
        "contacts": [{"members": [[f"0 {k}", f"1 {299 - k}"] for k in range(300)], "radius": 1}],
    }
    said = list(reference_faults(data))
    assert len(said) == TOLD
    assert said[0]["loc"] == ("contacts", 0, "members", 0)
