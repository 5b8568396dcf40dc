"""Every fault between the parts of a linkage is told with its place, what was given, and a cure."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from pliant.core.errors import InputError
from pliant.files import model_of
from pliant.linkage.faults import reference_faults
from pliant.linkage.generate import chain

FOUR_BAR: dict[str, Any] = {
    "pliant": 1,
    "kind": "linkage",
    "ground": ["A", "D"],
    "joints": {"A": [0, 0], "B": [0, 1], "C": [3, 2], "D": [4, 0], "P": [2, 3]},
    "links": [
        {"joints": ["A", "B"], "name": "crank"},
        {"joints": ["B", "C", "P"]},
        {"joints": ["C", "D"]},
    ],
    "motors": [{"joint": "A", "drives": "B"}],
    "study": {"trace": ["P"]},
}
Change = Callable[[dict[str, Any]], Any]


def faults(change: Change) -> list[str]:
    """What is said about the four-bar after a change; empty where it is still good."""
    data = copy.deepcopy(FOUR_BAR)
    change(data)
    try:
        model_of(data)
    except InputError as error:
        return [str(fault) for fault in error.faults]
    return []


def add(key: str, item: Any) -> Change:
    """One more entry in a list at the top."""
    return lambda data: data.setdefault(key, []).append(item)


def study(**keys: Any) -> Change:
    return lambda data: data["study"].update(keys)


def edit(**keys: Any) -> Change:
    return study(edit=keys)


def joint(name: str, *at: float) -> Change:
    return lambda data: data["joints"].update({name: list(at)})


def links(*joints: str) -> Change:
    """The four-bar with its links replaced."""
    return lambda data: data.update(links=[{"joints": list(names)} for names in joints])


def both(*changes: Change) -> Change:
    return lambda data: [change(data) for change in changes]


def test_the_four_bar_itself_is_good():
    assert faults(lambda data: None) == []


UNKNOWN = {
    "ground[2]": add("ground", "Q"),
    "links[3].joints[1]": add("links", {"joints": ["A", "Q"]}),
    "motors[1].joint": add("motors", {"joint": "Q", "drives": "C"}),
    "motors[1].drives": add("motors", {"joint": "D", "drives": "Q"}),
    "sliders[0].joint": add("sliders", {"joint": "Q", "along": [[0, 0], [1, 0]]}),
    "loads[0].joint": add("loads", {"joint": "Q", "force": [1, 0]}),
    "study.trace[1]": study(trace=["P", "Q"]),
    "study.edit.move[0].joint": edit(move=[{"joint": "Q", "to": [0, 0]}]),
    "study.edit.curves[0].point": edit(curves=[{"point": "Q", "scale": 2}]),
    "study.edit.lengths[0].joints[1]": edit(lengths=[{"joints": ["A", "Q"], "to": 2}]),
    "study.edit.enclosure[0].joints[0]": edit(enclosure=[{"box": [[0, 0], [9, 9]], "joints": ["Q"]}]),
    "study.edit.keep.joints[0]": edit(keep={"joints": ["Q"]}),
    "study.edit.keep.curves[0]": edit(keep={"curves": ["Q"]}),
    "study.edit.keep.timing[0]": edit(keep={"timing": ["Q"]}),
    "study.edit.keep.lengths[0][1]": edit(keep={"lengths": [["A", "Q"]]}),
    "study.edit.keep.symmetry[0].pairs[1][0]": edit(keep={"symmetry": [{"pairs": [["A", "D"], ["Q", "B"]]}]}),
}


@pytest.mark.parametrize("place", UNKNOWN)
def test_a_joint_that_is_not_there_is_told_wherever_it_is_named(place: str):
    (said,) = faults(UNKNOWN[place])
    assert said == f"{place}: 'Q' is not a joint of this model. There are: A, B, C, D, P"


NO_LINKS = {
    "sliders[0].on": both(joint("S", 5, 5), add("sliders", {"joint": "S", "on": "crnk"})),
    "loads[0].link": add("loads", {"link": "crnk", "torque": 1}),
    "study.edit.lengths[0].link": edit(lengths=[{"link": "crnk", "scale": 2}]),
    "study.edit.keep.links[1]": edit(keep={"links": ["B-C-P", "crnk"]}),
}


@pytest.mark.parametrize("place", NO_LINKS)
def test_a_link_that_is_not_there_gets_the_nearest_name(place: str):
    (said,) = faults(NO_LINKS[place])
    assert said == f"{place}: 'crnk' is not a link of this model. Did you mean 'crank'?"


def test_a_link_with_a_name_is_not_known_by_its_joints():
    (said,) = faults(add("loads", {"link": "A-B", "torque": 1}))
    assert said.endswith("'A-B' is not a link of this model. There are: crank, B-C-P, C-D")


CONTRADICTIONS = {
    "a name of two links": (
        both(joint("Q", 5, 5), add("links", {"joints": ["D", "Q"], "name": "crank"})),
        "links[3].name: 'crank' is the name of links[0] too. Give each a name of its own: name = \"…\"",
    ),
    "a name that is the joints of another": (
        both(joint("Q", 5, 5), add("links", {"joints": ["D", "Q"], "name": "C-D"})),
        "links[3].name: 'C-D' is the name of links[2] too. Give each a name of its own: name = \"…\"",
    ),
    "a joint twice in a link": (
        lambda data: data["links"][1]["joints"].append("C"),
        "links[1].joints[3]: 'C' is twice in the link. Name it once",
    ),
    "a joint twice on the ground": (
        add("ground", "A"),
        "ground[2]: 'A' is twice in the ground. Name it once",
    ),
    "a joint in nothing": (
        joint("Q", 5, 6),
        "joints.Q: 'Q' is in no link and no slider, and not on the ground (given [5, 6]). "
        "Add it to a link, or remove it",
    ),
    "a link of one joint": (
        add("links", {"joints": ["A"]}),
        'links[3].joints: has 1 entries; at least 2 wanted (given ["A"]). Add one',
    ),
    "a motor off the ground": (
        add("motors", {"joint": "C", "drives": "P"}),
        "motors[1].joint: 'C' is not on the ground. Put the motor on a joint of the ground: A, D",
    ),
    "a motor that drives itself": (
        add("motors", {"joint": "D", "drives": "D"}),
        "motors[1].drives: 'D' is the joint the motor sits on. "
        "Name another joint of the link that is turned: C",
    ),
    "a motor with no link to turn": (
        add("motors", {"joint": "D", "drives": "P"}),
        "motors[1].drives: 'P' is in no link with 'D'. Add a link of D and P, or drive one of: C",
    ),
    "a motor that drives the ground": (
        add("motors", {"joint": "D", "drives": "A"}),
        "motors[1].drives: 'A' is on the ground and cannot be turned. "
        "Name a joint that moves, of a link with D: C",
    ),
    "two motors on one link": (
        add("motors", {"joint": "A", "drives": "B", "direction": "cw"}),
        "motors[1]: fights motors[0]: both turn the link of 'B' "
        '(given { joint = "A", drives = "B", direction = "cw" }). Leave one of the two out',
    ),
    "a link of no length": (
        both(joint("Q", 2, 3 + 1e-12), add("links", {"joints": ["P", "Q"]})),
        'links[3].joints: P, Q are drawn at one place, [2, 3]: a link of no length (given ["P", "Q"]). '
        "A pin through several links is one joint: leave this link out; or move one of them",
    ),
    "a pin drawn as a link of no length": (
        both(
            both(joint("Q", 3, 2), add("links", {"joints": ["C", "Q"]})),
            lambda data: data["links"][2]["joints"].__setitem__(0, "Q"),
        ),
        'links[3].joints: C, Q are drawn at one place, [3, 2]: a link of no length (given ["C", "Q"]). '
        "A pin through several links is one joint: write 'C' for 'Q' in links[2]; or move one of them",
    ),
    "a motor that drives its own place": (
        both(
            both(joint("Q", 0, 0), lambda data: data["links"][0]["joints"].append("Q")),
            lambda data: data["motors"][0].__setitem__("drives", "Q"),
        ),
        "motors[0].drives: 'Q' is drawn at the place of 'A', the motor's own. "
        "Name a joint of the link that is drawn elsewhere: B",
    ),
    "two links that are one part": (
        add("links", {"joints": ["P", "B"]}),
        "links[3].joints: shares P, B with links[1], so that the two are one rigid part "
        '(given ["P", "B"]). Merge them into one link of B, C, P',
    ),
    "a link that the ground holds": (
        add("links", {"joints": ["A", "D"]}),
        "links[3].joints: holds A, D, which are on the ground: the link cannot move "
        '(given ["A", "D"]). List A, D under ground, and leave this link out',
    ),
    "a length of a plate": (
        lambda data: data["links"][1].update(length=3),
        "links[1].length: is the length of a link of 3 joints (given 3). "
        "Leave it out: the drawing gives the shape",
    ),
    "a length that the drawing does not have": (
        lambda data: data["links"][0].update(length="5/2"),
        "links[0].length: is 2.5, but A-B is drawn 1 long. "
        "Move B to [0, 2.5], or move A, or leave length out",
    ),
    "a length of two joints of two links": (
        edit(lengths=[{"joints": ["A", "C"], "to": 2}]),
        "study.edit.lengths[0].joints: 'A' and 'C' are not two joints of one link "
        '(given ["A", "C"]). Joints in a link with A: B',
    ),
    "a kept length of two joints of two links": (
        edit(keep={"lengths": [["C", "P"], ["D", "D"]]}),
        "study.edit.keep.lengths[1]: 'D' and 'D' are not two joints of one link "
        '(given ["D", "D"]). Joints in a link with D: C',
    ),
    "a tolerance of no dimension": (
        study(tolerances={"A-C": 0.1}),
        "study.tolerances.A-C: 'A-C' is not a dimension of this model. Did you mean 'B-C'?",
    ),
    "a tolerance of a joint that moves": (
        study(tolerances={"B.x": 0.1}),
        "study.tolerances.\"B.x\": 'B.x' is not a dimension of this model. Did you mean 'D.x'?",
    ),
    "profiles of different lengths": (
        lambda data: data.update(
            motors=[
                {"joint": "A", "drives": "B", "profile": [0, 1, 2]},
                {"joint": "D", "drives": "C", "profile": [0, 1]},
            ]
        ),
        "motors[1].profile: has 2 angles, and that of motors[0] has 3. Give each as many: they run together",
    ),
    "a slider on the ground": (
        add("sliders", {"joint": "D", "along": [[0, 0], [1, 0]]}),
        "sliders[0].joint: 'D' is on the ground. Take it from the ground, or leave the slider out",
    ),
    "a slider on its own link": (
        add("sliders", {"joint": "P", "on": "B-C-P"}),
        "sliders[0].on: 'B-C-P' holds 'P' itself, which cannot slide along it. "
        "Name another link, or take the joint from this one",
    ),
}


@pytest.mark.parametrize("case", CONTRADICTIONS)
def test_parts_that_contradict_are_told_with_place_value_and_cure(case: str):
    change, wanted = CONTRADICTIONS[case]
    assert faults(change) == [wanted]


GOOD = {
    "a length that agrees to a millionth": lambda data: data["links"][0].update(length=1 + 5e-7),
    "tolerances in either order and of the ground": study(tolerances={"B-A": 0.1, "P-C": 0.2, "D.y": 0.1}),
    "two motors on one joint": both(
        joint("Q", -1, 0),
        add("links", {"joints": ["A", "Q"]}),
        add("motors", {"joint": "A", "drives": "Q"}),
    ),
    "a fixed pin in a slot of a link": add("sliders", {"joint": "D", "on": "crank"}),
    "a profile beside samples": lambda data: (
        data["motors"][0].update(profile=[0, 1, 2]) or data["study"].update(samples=99)
    ),
    "joints with dashes in their names": lambda data: data.update(
        joints={"a-b": [0, 0], "c": [0, 1], "a": [3, 2], "b-c": [4, 0]},
        ground=["a-b", "b-c"],
        links=[
            {"joints": ["a-b", "c"], "name": "crank"},
            {"joints": ["c", "a"], "name": "rod"},
            {"joints": ["a", "b-c"]},
        ],
        motors=[{"joint": "a-b", "drives": "c"}],
        study={"tolerances": {"a-b-c": 0.1, "c-a": 0.1}},
    ),
}


@pytest.mark.parametrize("case", GOOD)
def test_what_is_sound_is_let_through(case: str):
    assert faults(GOOD[case]) == []


def test_links_whose_joints_spell_one_label_are_told_apart_by_name():
    said = faults(
        both(
            lambda data: data["joints"].update({"a": [9, 9], "b-c": [8, 9], "a-b": [9, 8], "c": [8, 8]}),
            add("links", {"joints": ["a", "b-c"]}),
            add("links", {"joints": ["a-b", "c"]}),
        )
    )
    assert said == [
        "links[4].joints: 'a-b-c' is the name of links[3] too. Give each a name of its own: name = \"…\""
    ]


def test_every_fault_is_listed_at_once():
    changes = [change for change, _ in CONTRADICTIONS.values()][:9]
    said = faults(both(*changes, UNKNOWN["ground[2]"], study(stepz=3)))
    assert len(said) >= 11
    assert any("stepz" in line for line in said)


def test_the_drawing_of_a_model_in_metres_is_judged_by_its_own_size():
    small = {name: [x * 1e-9, y * 1e-9] for name, (x, y) in FOUR_BAR["joints"].items()}
    assert faults(lambda data: data.update(joints=small)) == []


@pytest.mark.parametrize(
    "data",
    [
        {"joints": None, "links": 3},
        {
            "joints": {"A": "here", "B": [1], 3: [0, 0]},
            "links": [None, {"joints": "AB"}, {"joints": [[], {}]}],
        },
        {"joints": {"A": [0, 0]}, "ground": {"A": 1}, "motors": [7, {"joint": [], "drives": {}}]},
        {
            "joints": {"A": [1e308, -1e308], "B": [-1e308, 1e308]},
            "links": [{"joints": ["A", "B"], "length": 1}],
        },
        {"joints": {"A": [0, 0], "B": [0, 0]}, "links": [{"joints": ["A", "B"], "length": "long"}]},
        {"joints": {"A": [0, 0]}, "study": {"edit": {"keep": {"lengths": [3, "AB"], "symmetry": [None]}}}},
        {"joints": {"A": [0, 0]}, "study": {"tolerances": {3: 1, "": 1}, "trace": [["A"]]}},
    ],
)
def test_garbage_is_passed_over_without_an_exception(data: dict[str, Any]):
    for line in reference_faults(data):
        assert line["type"].context["cure"]


@pytest.mark.slow
def test_a_large_linkage_is_read_in_a_blink():
    import time

    data = chain(3000).model_dump(mode="json", exclude_unset=True)
    started = time.process_time()
    assert list(reference_faults(data)) == []
    assert time.process_time() - started < 1


@pytest.mark.slow
def test_a_link_of_very_many_joints_is_refused_and_not_pondered():
    many = {f"j{k}": [k, k * k] for k in range(20_000)}
    (said,) = faults(both(lambda data: data["joints"].update(many), add("links", {"joints": list(many)})))
    assert said.startswith("links[3].joints: has more than the 1000 values wanted")
