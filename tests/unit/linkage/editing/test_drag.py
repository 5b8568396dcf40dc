"""Dragging: the linkage follows a pointer smoothly, comes back with it, and says what holds it."""

import numpy as np
import pytest

from pliant import gallery
from pliant.core.errors import InputError
from pliant.linkage import Drag
from pliant.linkage.generate import four_bar, jansen, linkage
from pliant.linkage.model import EditStudy, Linkage
from pliant.linkage.status import DragStatus


def begun(model: Linkage, joint: str, at: float = 0.0, **asked) -> Drag:
    return Drag(model, joint, EditStudy.model_validate(asked), at)


def circle(drag: Drag, radius: float, events: int = 60) -> np.ndarray:
    """The pointer's places on a circle from where it takes hold and back to there."""
    turn = np.linspace(0, 2 * np.pi, events + 1)[1:]
    return np.array(drag.start) + radius * np.stack([np.cos(turn) - 1, np.sin(turn)], axis=1)


def drawn(joints: dict) -> np.ndarray:
    return np.array(list(joints.values()))


@pytest.mark.few(1)
@pytest.mark.parametrize(("joint", "radius", "at"), [("P5", 8, 0.0), ("P3", 8, 0.0), ("P5", 8, np.pi / 2)])
def test_a_pointer_that_goes_round_brings_the_leg_back(joint, radius, at):
    """Neighbouring events move no joint by more than ten times the pointer's own step."""
    leg = jansen()
    drag = begun(leg, joint, at, keep={"curves": ["P5"]})
    step = 2 * radius * np.sin(np.pi / 60)
    for place in circle(drag, radius):
        event = drag.to(place)
        assert event.status is DragStatus.FOLLOWS
        assert event.farthest <= 10 * step
    size = np.ptp(drawn(leg.joints), axis=0).max()
    assert np.abs(drawn(event.joints) - drawn(leg.joints)).max() < 1e-6 * size


def test_the_same_place_means_the_same_leg_whichever_way_the_pointer_came():
    leg, ends = jansen(), []
    for way in ([(4, 0), (4, 4), (0, 4)], [(0, 4)], [(-3, 1), (-2, 5), (0, 4)]):
        drag = begun(leg, "P5", keep={"curves": ["P5"]})
        for x, y in way:
            event = drag.to(np.add(drag.start, (x, y)))
        while not event.settled:
            event = drag.to(event.place)
        ends.append(drawn(event.joints))
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-3)
    np.testing.assert_allclose(ends[2], ends[0], atol=1e-3)


def test_only_the_joint_moves_where_nothing_else_has_to():
    drag = begun(jansen(), "P5")
    event = drag.to((-40, -94))
    moved = {
        name for name, at in event.joints.items() if np.hypot(*np.subtract(at, jansen().joints[name])) > 1e-6
    }
    assert moved == {"P5"}
    assert event.miss < 1e-6
    assert drag.runs()
    assert drag.model.joints == event.joints


def test_a_guard_that_holds_the_joint_back_is_named():
    drag = begun(four_bar(4, 1, 3.5, 3), "C", keep={"joints": ["B"]})
    held = [drag.to((4 + 0.02 * n, 3 - 0.25 * n)) for n in range(1, 13)][-1]
    assert held.status is DragStatus.HELD
    assert held.held[0].kind == "guard"
    assert held.message.startswith(str(DragStatus.HELD) + ": C would come too near")
    assert held.to_dict()["held"]


def test_a_quick_return_is_dragged():
    joints = {"A": 0, "B": 30 + 3j, "D": 2 - 40j, "E": 60 + 40j, "F": 108 + 60j}
    sliders = [{"joint": "B", "on": "D-E"}, {"joint": "F", "along": [[0, 60], [1, 60]]}]
    model = linkage(joints, "AD", ("A B", "D E", "E F"), sliders=sliders)
    drag = begun(model, "E", keep={"curves": ["F"]})
    for place in circle(drag, 3, 30):
        event = drag.to(place)
        assert event.miss < 0.02
    np.testing.assert_allclose(drawn(event.joints), drawn(model.joints), atol=1e-4)


def test_what_cannot_be_dragged_is_refused():
    with pytest.raises(InputError, match="'Q' is no joint of the linkage"):
        Drag(jansen(), "Q")
    with pytest.raises(InputError, match="no one cycle"):
        Drag(four_bar(4, 2, 4, 2), "C")
    with pytest.raises(InputError, match="not two finite numbers"):
        Drag(jansen(), "P5").to((np.nan, 0))


@pytest.mark.parametrize(
    ("name", "joint"), [("quick-return", "F"), ("scotch-yoke", "S"), ("cylinder-lift", "F")]
)
def test_slots_guides_and_cylinders_are_dragged_round_and_come_back(name, joint):
    """In closed form, and where a cylinder's joints are found together."""
    model = gallery.load(name)
    drag, size = begun(model, joint), np.ptp(drawn(model.joints), axis=0).max()
    for place in circle(drag, 0.05 * size, 24):
        event = drag.to(place)
        assert event.status is DragStatus.FOLLOWS
    assert np.abs(drawn(event.joints) - drawn(model.joints)).max() < 1e-6 * size
    assert drag.runs()


def test_a_pointer_that_comes_back_on_the_far_side_of_a_guard_brings_the_leg_back():
    """Round a large circle the leg is caught behind two guards, one of the places where it can rest."""
    leg = jansen()
    drag, size = begun(leg, "P3"), np.ptp(drawn(leg.joints), axis=0).max()
    for place in circle(drag, 0.3 * size):
        event = drag.to(place)
    assert event.status is DragStatus.FOLLOWS
    assert np.abs(drawn(event.joints) - drawn(leg.joints)).max() < 1e-6 * size
    assert event.freed
    assert event.to_dict()["freed"][0]["kind"] == "guard"


@pytest.mark.slow
def test_joints_found_together_are_held_by_their_toggle_and_come_back_too():
    model = gallery.load("six-bar-coupled")
    drag = begun(model, "C", 0.7, keep={"curves": ["E"]})
    size = np.ptp(drawn(model.joints), axis=0).max()
    step = 2 * 0.2 * size * np.sin(np.pi / 60)
    events = [drag.to(place) for place in circle(drag, 0.2 * size)]
    stuck = next(event for event in events if event.status is DragStatus.HELD)  # when, is for rounding to say
    assert stuck.held[0].kind == "guard"
    assert "would come too near to a toggle" in stuck.message
    assert all(event.farthest <= 10 * step or event.freed for event in events)
    assert np.abs(drawn(events[-1].joints) - drawn(model.joints)).max() < 1e-6 * size
