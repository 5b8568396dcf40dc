"""Static forces: by hand, by virtual work, and by what every balance must satisfy."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pliant.linkage.analysis import balance
from pliant.linkage.analysis.statics import Statics, arrows, forces, torque_plot, virtual_torques
from pliant.linkage.generate import chain, four_bar, linkage, slider_crank, triad
from pliant.linkage.kinematics.follow import follow
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.kinematics.poses import LinkagePoses
from pliant.linkage.model import Linkage

TURN = np.linspace(0, 2 * np.pi, 73)[None]


def held(model: Linkage, angles: np.ndarray = TURN) -> tuple[Statics, LinkagePoses]:
    reached = follow(compile_plan(model), np.repeat(angles, len(model.motors), axis=0))
    assert reached.complete
    found = forces(model, reached.poses)
    assert found is not None
    return found, reached.poses


def lever(loads: list[dict]) -> Linkage:
    return linkage({"A": 1 + 2j, "B": 4 + 2j}, "A", ("A B",), loads=loads)


def parallelogram(loads: list[dict], middle: bool = False) -> Linkage:
    joints = {"A": 0, "B": 2j, "C": 5 + 2j, "D": 5}
    if not middle:
        return linkage(joints, "AD", ("A B", "B C", "C D"), loads=loads)
    joints |= {"M": 3 + 2j, "G": 3}
    return linkage(joints, "ADG", ("A B", "B M C", "C D", "G M"), loads=loads)


def crank_rocker(loads: list[dict], **rest) -> Linkage:
    return four_bar(4, 1, 3, 2.5, point=0.6 + 0.5j, loads=loads, **rest)


def quick_return(loads: list[dict]) -> Linkage:
    joints = {"A": 1j, "B": 1 + 1.4j, "D": -1.5j, "E": 0.9 + 4j}
    return linkage(joints, "AD", ("A B", "D E"), sliders=[{"joint": "B", "on": "D-E"}], loads=loads)


def non_grashof() -> Linkage:
    """Ground 4, crank 3, coupler 2, rocker 2.5: the last two are in one line at 78.58484°."""
    return four_bar(4, 3, 2, 2.5, 0.6, loads=[{"joint": "C", "force": (0, -1)}])


MODELS = {
    "four bar": crank_rocker([{"joint": "P", "force": (1, -2)}, {"link": "C-D", "torque": 3}]),
    "slider crank": slider_crank(
        1, 3, angle=0.7, loads=[{"joint": "P", "force": (-10, 4)}, {"link": "B-P", "force": (0, -1)}]
    ),
    "triad": triad(
        loads=[{"joint": "D", "force": (0, -5)}, {"link": "C-D-E", "force": (2, 1), "at": (5, 5)}]
    ),
    "quick return": quick_return([{"joint": "E", "force": (3, 1)}]),
    "clockwise": crank_rocker(
        [{"joint": "P", "force": (1, -2)}], motors=[{"joint": "A", "drives": "B", "direction": "cw"}]
    ),
    "third bar": parallelogram([{"joint": "M", "force": (1, -4)}], middle=True),
}
models = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
AWAY = np.linspace(0.1, 0.9, 21)[None]  # where the parallelogram is not flat and the triad not at its limit


def force_on(found: Statics, joint: str, link: str) -> np.ndarray:
    return found.reactions[found.pins.index((joint, link))]


def test_no_loads_need_no_forces():
    model = crank_rocker([])
    assert forces(model, follow(compile_plan(model), TURN).poses) is None


def test_a_lever_is_held_by_force_times_arm():
    found, _ = held(lever([{"joint": "B", "force": (0, -10)}]))
    assert np.allclose(found.torques[0], 30 * np.cos(TURN[0]), atol=1e-12)  # lifts: counter-clockwise
    assert np.allclose(found.supports[0], [[0], [10]], atol=1e-12)
    assert np.allclose(force_on(found, "A", "A-B"), [[0], [10]], atol=1e-12)
    assert np.allclose(force_on(found, "B", "A-B"), [[0], [-10]], atol=1e-12)  # the load, passed on


def test_a_load_on_a_link_travels_with_it_and_keeps_its_direction():
    found, _ = held(lever([{"link": "A-B", "force": (0, -10), "at": (1, 3), "torque": 2}]))
    x = -np.sin(TURN[0])  # of a point that was drawn one above the pivot
    assert np.allclose(found.torques[0], 10 * x - 2, atol=1e-12)


def test_a_load_on_a_link_acts_at_the_mean_of_its_joints_unless_told():
    default, _ = held(lever([{"link": "A-B", "force": (1, -10)}]))
    told, _ = held(lever([{"link": "A-B", "force": (1, -10), "at": (2.5, 2)}]))
    assert np.array_equal(default.torques, told.torques)


def test_slider_crank_torque_is_the_textbook_formula():
    force, rod = 10.0, 3.0
    found, _ = held(slider_crank(1, rod, angle=0.7, loads=[{"joint": "P", "force": (-force, 0)}]))
    angle = 0.7 + TURN[0]
    slant = np.sqrt(rod**2 - np.sin(angle) ** 2)
    assert np.allclose(found.torques[0], -force * np.sin(angle) * (1 + np.cos(angle) / slant), atol=1e-12)
    # The rod is loaded along itself, and leans on the guide with what it does not carry along it.
    assert np.allclose(found.guides[0], [0 * slant, force * np.sin(angle) / slant], atol=1e-12)
    assert np.allclose(force_on(found, "P", "B-P"), [0 * slant - force, force * np.sin(angle) / slant])


def test_parallelogram_carries_a_vertical_load_without_torque_when_upright():
    found, poses = held(parallelogram([{"joint": "C", "force": (2, -10)}]), np.array([[0.0, 0.5]]))
    assert np.allclose(force_on(found, "C", "C-D")[:, 0], [0, -10])  # its upright bar is a column
    assert np.allclose(force_on(found, "C", "B-C")[:, 0], [2, 0])
    assert np.isclose(found.torques[0, 0], 4)
    # Turned by φ, the coupler stays level: the load moves as the crank's tip does.
    crank = poses.x[1, :, 1]
    assert np.isclose(found.torques[0, 1], -(crank[0] * -10 - crank[1] * 2))


@models
def test_torques_agree_with_virtual_work(model):
    found, poses = held(model, AWAY)
    assert np.abs(found.torques - virtual_torques(model, poses)).max() < 1e-10
    assert np.abs(found.torques).max() > 0.1
    assert found.disagreement < 1e-12


def test_each_of_two_motors_agrees_with_virtual_work():
    joints = {"A": 0, "B": 2j, "C": 3 + 4j, "D": 5 + 1.5j, "E": 6}
    motors = [{"joint": "A", "drives": "B"}, {"joint": "E", "drives": "D", "direction": "cw"}]
    load = {"joint": "C", "force": (1, -7)}
    model = linkage(joints, "AE", ("A B", "B C", "C D", "D E"), motors=motors, loads=[load])
    poses = follow(compile_plan(model), np.stack([0.3 * np.sin(TURN[0]), 0.4 * np.cos(TURN[0])])).poses
    found = forces(model, poses)
    assert found is not None
    assert np.abs(found.torques).min(axis=1).max() > 0.1
    assert np.abs(found.torques - virtual_torques(model, poses)).max() < 1e-10


@models
def test_pins_give_what_they_take(model):
    found, _ = held(model, AWAY)
    for joint in model.joints:
        given = np.zeros((2, AWAY.size))
        for load in model.loads:
            given += np.array(load.force)[:, None] * (load.joint == joint)
        given += sum(f for name, f in zip(found.grounds, found.supports, strict=True) if name == joint)
        given += sum(f for (name, _), f in zip(found.sliders, found.guides, strict=True) if name == joint)
        taken = sum(f for (name, _), f in zip(found.pins, found.reactions, strict=True) if name == joint)
        assert np.allclose(given, taken, atol=1e-11), joint


@models
def test_forces_and_moments_on_the_whole_linkage_vanish(model):
    found, poses = held(model, AWAY)
    place = dict(zip(poses.plan.structure.names, poses.x, strict=True))
    acting = [(place[name], force) for name, force in zip(found.grounds, found.supports, strict=True)]
    for (name, on), force in zip(found.sliders, found.guides, strict=True):
        acting += [(place[name], force)] if on == "ground" else []
    moment = found.torques.sum(axis=0)
    for push in balance.pushes_of(model, poses):
        acting.append((push.of(poses.x), np.repeat(push.force[:, None], AWAY.size, axis=1)))
        moment = moment + push.torque
    assert np.allclose(sum(force for _, force in acting), 0, atol=1e-10)
    assert np.allclose(moment + sum(balance.cross(at, force) for at, force in acting), 0, atol=1e-10)


def test_a_guide_on_a_link_is_pushed_square_to_it():
    found, poses = held(MODELS["quick return"])
    along = poses.x[3] - poses.x[2]
    assert found.sliders == (("B", "D-E"),)
    assert np.abs((found.guides[0] * along).sum(axis=0)).max() < 1e-11
    # By hand: the rocker turns about D under the load at E and the block's push at B.
    arm = ((poses.x[1] - poses.x[2]) * along).sum(axis=0) / np.hypot(*along)  # B slides beside the line D-E
    load = balance.cross(along, np.array([3.0, 1.0]))
    assert np.allclose(np.hypot(*found.guides[0]), np.abs(load / arm))


def test_spare_bars_share_the_load_and_are_flagged():
    found, _ = held(MODELS["third bar"], AWAY)
    assert not found.determinate
    assert found.balanced.all()
    single, _ = held(parallelogram([{"joint": "C", "force": (1, -4)}]), AWAY)
    assert single.determinate
    assert np.allclose(found.torques, single.torques)  # every point of the coupler moves alike
    # Of all forces that balance, those given have the least sum of squares.
    least = sum(np.square(part).sum() for part in (found.reactions, found.supports))
    unequal = sum(np.square(part).sum() for part in (single.reactions, single.supports))
    assert least < unequal


def test_forces_near_a_toggle_are_large_and_beyond_it_said_to_have_no_bound():
    limit = np.arccos((4**2 + 3**2 - 4.5**2) / 24)
    short = np.array([1e-2, 1e-4, 1e-6, 1e-8, 0.0, -1e-3])
    found, _ = held(non_grashof(), (limit - 0.6 - short)[None])
    assert np.isfinite(found.reactions).all()
    assert np.isfinite(found.torques).all()
    strength = np.hypot(*force_on(found, "C", "C-D"))
    assert np.allclose(strength[1:4] / strength[:3], 10, rtol=0.1)  # as 1/√distance
    assert found.balanced[:4].all()
    assert not found.balanced[5]
    assert all(peak.frame in (3, 4) for peak in found.peaks if peak.kind == "torque")
    assert len(torque_plot(found).series[0].y) == found.balanced.sum()


def test_a_change_point_has_no_nan():
    found, _ = held(parallelogram([{"joint": "C", "force": (2, -10)}]), np.linspace(0, 2 * np.pi, 9)[None])
    for part in (found.torques, found.reactions, found.supports):
        assert np.isfinite(part).all()


def test_long_chains_are_solved_sparsely_to_the_same_forces(monkeypatch):
    loads = [{"joint": "T12", "force": (1, 2)}, {"link": "T0-T1", "force": (0, -3), "torque": 2}]
    model, angles = chain(12, loads=loads), np.linspace(-0.5, 0.5, 5)[None]
    assert balance.unknowns_of(model, compile_plan(model).structure).count > balance.DENSE
    found, _ = held(model, angles)
    assert found.disagreement < 1e-12
    monkeypatch.setattr(balance, "DENSE", 10_000)
    dense, _ = held(model, angles)
    assert np.allclose(found.reactions, dense.reactions, atol=1e-11)


def test_spare_bars_in_long_chains_get_the_same_forces(monkeypatch):
    model = MODELS["third bar"]
    dense, _ = held(model, AWAY)
    monkeypatch.setattr(balance, "DENSE", 0)
    found, _ = held(model, AWAY)
    assert np.allclose(found.reactions, dense.reactions, atol=1e-11)


def test_poses_beyond_a_toggle_are_as_finite_when_solved_sparsely(monkeypatch):
    monkeypatch.setattr(balance, "DENSE", 0)
    found, _ = held(non_grashof(), np.array([[0.1, 2.0]]))
    assert np.isfinite(found.reactions).all()
    assert found.balanced.tolist() == [True, False]


def test_poses_are_solved_in_parts_to_the_same_forces(monkeypatch):
    model = MODELS["four bar"]
    whole, _ = held(model)
    monkeypatch.setattr(balance, "ENTRIES", 10 * 17**2)
    parts, _ = held(model)
    assert np.array_equal(whole.reactions, parts.reactions)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.booleans())
def test_random_linkages_agree_with_virtual_work(seed, clockwise):
    model, angles = random_linkage(np.random.default_rng(seed), clockwise)
    poses = follow(compile_plan(model), angles).poses
    found = forces(model, poses)
    assert found is not None
    assert found.balanced.all()
    scale = max(1.0, np.abs(found.torques).max())
    assert np.abs(found.torques - virtual_torques(model, poses)).max() < 1e-10 * scale


def random_linkage(rng: np.random.Generator, clockwise: bool) -> tuple[Linkage, np.ndarray]:
    """Dyads on dyads about the drawn pose, each drawn well open, with a slider and loads of every kind."""
    places = {"A": 0j, "B": complex(*rng.uniform(0.5, 1.5, 2))}
    ground, links, sliders = ["A"], ["A B"], []
    for number in range(rng.integers(1, 5)):
        start = str(rng.choice([name for name in places if name not in ground]))
        knee, foot = f"k{number}", f"f{number}"
        bar = rng.uniform(1, 3) * np.exp(1j * rng.uniform(0, 2 * np.pi))
        other = rng.uniform(1, 3) * np.exp(1j * (np.angle(bar) + rng.uniform(0.6, 2.5)))
        places[knee], places[foot] = places[start] + bar, places[start] + bar + other
        links += [f"{start} {knee}", f"{knee} {foot}"]
        if rng.random() < 0.5:
            ground.append(foot)
        else:
            links.pop()
            del places[foot]
            way = places[knee] + bar * np.exp(1j * rng.uniform(-0.7, 0.7))
            ends = [[at.real, at.imag] for at in (places[knee], way)]
            sliders.append({"joint": knee, "along": ends, "on": "A-B" if start != "B" and number else None})
    loads = [{"joint": str(rng.choice(list(places))), "force": tuple(rng.normal(size=2))} for _ in range(2)]
    label = links[rng.integers(len(links))].replace(" ", "-")
    loads.append({"link": label, "force": tuple(rng.normal(size=2)), "torque": rng.normal(), "at": (0.3, 2)})
    motors = [{"joint": "A", "drives": "B", "direction": "cw" if clockwise else "ccw"}]
    model = linkage(places, ground, links, sliders=sliders, motors=motors, loads=loads)
    return model, np.linspace(-0.02, 0.02, 5)[None]


@pytest.mark.parametrize("name", ["four bar", "slider crank", "triad", "quick return"])
def test_a_turned_linkage_has_turned_forces(name):
    model, angle, shift = MODELS[name], 0.8, np.array([3.0, -7.0])
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    data = model.model_dump()
    data["joints"] = {joint: tuple(turn @ at + shift) for joint, at in model.joints.items()}
    for slider in data["sliders"]:
        slider["along"] = slider["along"] and [tuple(turn @ at + shift) for at in slider["along"]]
    for load in data["loads"]:
        load["force"] = tuple(turn @ load["force"])
        load["at"] = load["at"] and tuple(turn @ load["at"] + shift)
    before, _ = held(model, AWAY)
    after, _ = held(Linkage.model_validate(data), AWAY)
    assert np.allclose(after.torques, before.torques, atol=1e-10)
    for now, then in zip(
        (after.reactions, after.supports, after.guides),
        (before.reactions, before.supports, before.guides),
        strict=True,
    ):
        assert np.allclose(now, np.einsum("ab,ibf->iaf", turn, then), atol=1e-10)


def test_peaks_name_the_joint_and_the_angle():
    found, poses = held(MODELS["slider crank"])
    torque, greatest = found.peaks[:2]
    assert (torque.kind, torque.name) == ("torque", "A")
    assert torque.value == np.abs(found.torques).max()
    assert torque.angle == poses.angles[0, np.abs(found.torques[0]).argmax()]
    assert greatest.value == np.hypot(*np.moveaxis(found.reactions, 1, 0)).max()
    assert {(peak.kind, peak.name) for peak in found.peaks} == {
        ("torque", "A"), ("ground", "A"), ("slider", "P"), ("pin", "A"), ("pin", "B"), ("pin", "P"),
    }  # fmt: skip


def test_arrows_start_at_their_joints_and_loads_end_where_they_act():
    model = lever([{"joint": "B", "force": (0, -10)}])
    found, poses = held(model)
    marks = arrows(found, model, poses, 9, scale=0.5)
    assert [mark.group for mark in marks] == ["force"] * 3 + ["load"]
    assert all(mark.frame == 9 and np.isclose(mark.value, 10) for mark in marks)
    assert np.allclose(marks[0].points, [(1, 2), (1, 7)])
    assert np.allclose(marks[-1].points, [poses.x[1, :, 9] + (0, 5), poses.x[1, :, 9]])
    longest = max(np.hypot(*np.diff(mark.points, axis=0)[0]) for mark in arrows(found, model, poses, 9))
    assert np.isclose(longest, 0.2 * 3)


def test_the_torque_plot_has_a_line_a_motor():
    found, _ = held(MODELS["clockwise"])
    plot = torque_plot(found)
    assert [series.name for series in plot.series] == ["motor A-B"]
    assert np.array_equal(plot.series[0].y, found.torques[0])
    assert np.allclose(plot.series[0].x, np.degrees(TURN[0]))


def test_statics_are_plain_json():
    found, _ = held(MODELS["quick return"])
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert np.array_equal(data["torques"][0]["torque"], found.torques[0])
    assert np.array_equal(data["ground"]["D"], found.supports[1].T)
    assert np.array_equal(data["pins"][1]["force"], found.reactions[1].T)
    assert data["sliders"][0]["on"] == "D-E"
    assert data["peaks"][0]["kind"] == "torque"


def test_a_pose_whose_directions_are_none_is_not_balanced_and_breaks_nothing():
    system = balance._System(
        shape=(2, 2),
        rows=np.array([0, 1]),
        columns=np.array([0, 1]),
        values=np.array([[1.0, np.nan], [1.0, 1.0]]),
        right=np.ones((2, 2)),
    )
    found = balance._balance(system)
    assert found.balanced.tolist() == [True, False]
    assert np.isfinite(found.forces).all()
