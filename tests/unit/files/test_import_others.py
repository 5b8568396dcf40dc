"""Linkages of PMKS, pylinkage and Pyslvs, and mechanisms of MJCF."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.files.sheets import write

import pliant
from pliant.core.errors import InputError
from pliant.files import import_file

PMKS_SLIDER = (
    "ground,input,R,0,0.00\ninput,coupler,R,0,10.00\ncoupler,output,R,12,2.00\nground,output,P,12,0.00,0.00\n"
)
PMKS_URL = (
    "http://host/pmks.html?set=s5&mech=input%20ground%20R%200%200%200%20ffft|input%20rod%20R%200%201%200%20ffff|"
    "rod%20rocker%20R%203%202%200%20ffff|rocker%20ground%20R%204%200%200%20ffff|rod%20R%202%203%200%20tfff|"
)
# A four-bar of PMKS+ with joints (0, 0), (0, 1), (3, 2), (4, 0), in thousandths to the base of 64.
PMKS_PLUS = (
    "2P.Ay,1E8.K,0.1011.MA,A,0,0,0.GB,B,0,Fe,0.GC,C,ku,VG,0.KD,D,-W,0,0..YRAB,AB,Fe,Fe,0,0,c5,A,B,,."
    "YRBC,BC,Fe,Fe,0,0,c5,B,C,,.YRCD,CD,Fe,Fe,0,0,c5,C,D,,...N_v"
)
PYSLVS = (
    "M[J[R, color[Green], P[0, 0], L[ground, crank]], J[R, color[Green], P[0, 1], L[crank, rod]], "
    "J[R, color[Blue], P[3, 2], L[rod, rocker]], J[R, color[(1, 2, 3)], P[4, 0], L[ground, rocker]], "
    "J[R, P[2, 3], L[rod]]]"
)
SLOTTED = "ground,input,R,0,0\ncoupler input,RP,2,0,0\ncoupler,ground,R,5,0\ncoupler,R,-4,0\n"


def linkage(folder: Path, text: str, name: str = "linkage.txt") -> Any:
    return import_file(write(folder, text, name))


@pytest.mark.parametrize(
    ("text", "traced"),
    [(PMKS_URL, "E"), (PYSLVS, "Point4"), (f"input:\n- - 0\n  - 1\nmechanism: {PYSLVS}\n", "Point4")],
)
def test_a_four_bar_runs_as_it_was_drawn_elsewhere(tmp_path: Path, text: str, traced: str):
    found = linkage(tmp_path, text)
    result = pliant.solve(found.model, samples=36)
    assert result.status.name == "TURNS" or "all the way" in result.summary()
    own = {"A": [0, 0], "B": [0, 1], "C": [3, 2], "D": [4, 0], "P": [2, 3]}
    links = [{"joints": ["A", "B"]}, {"joints": ["B", "C", "P"]}, {"joints": ["C", "D"]}]
    data = {"pliant": 1, "kind": "linkage", "ground": ["A", "D"], "joints": own, "links": links}
    same = pliant.solve(
        data | {"motors": [{"joint": "A", "drives": "B"}], "study": {"trace": ["P"]}}, samples=36
    )
    curve, other = (one.to_dict()["joints"] for one in (result, same))
    assert np.allclose(curve[traced], other["P"], atol=1e-9)


def test_the_digits_of_pmks_plus_are_thousandths_to_the_base_of_64(tmp_path: Path):
    found = linkage(tmp_path, f"https://app.pmksplus.com/?{PMKS_PLUS}")
    place = found.model.joints
    assert place["B"] == (0, 1)
    assert place["C"] == (3, 2)
    assert place["D"][0] == pytest.approx(4, abs=0.1)
    assert found.model.motors[0].direction == "cw"
    assert [link.joints for link in found.model.links] == [("A", "B"), ("B", "C"), ("C", "D")]


def test_a_block_in_a_slot_slides_and_does_not_turn(tmp_path: Path):
    found = linkage(tmp_path, PMKS_SLIDER)
    ends = np.array(pliant.solve(found.model, samples=360).to_dict()["joints"]["C"])
    assert np.allclose(ends[:, 1], 2)
    rod = math.hypot(12, 8)
    angle = np.radians(np.arange(len(ends)) * 360 / len(ends))
    x = -10 * np.sin(angle) + np.sqrt(rod**2 - (2 - 10 * np.cos(angle)) ** 2)
    assert np.allclose(ends[:, 0], x, atol=1e-9)


def test_a_pin_in_a_slot_turns_the_link_that_has_it(tmp_path: Path):
    found = linkage(tmp_path, SLOTTED)
    joints = pliant.solve(found.model, samples=90).to_dict()["joints"]
    pin, tip = np.array(joints["B"]), np.array(joints["D"])
    slot, arm = pin - [5, 0], tip - [5, 0]
    assert np.allclose(slot[:, 0] * arm[:, 1], slot[:, 1] * arm[:, 0], atol=1e-9)
    assert np.allclose(np.hypot(*arm.T), 9)


def test_a_gear_is_listed_by_its_line(tmp_path: Path):
    found = linkage(tmp_path, PMKS_SLIDER + "input,wheel,G,4,0\n")
    assert [(item.what, item.why) for item in found.left_out] == [
        ("line 5", "a gear, which a linkage does not have")
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("M[J[R, P[0, 0], L[ground, a]], J[R, P[1", "joint 1: has no closing bracket"),
        ("M[J[Q, P[0, 0], L[ground, a]]]", "joint 0: .* cannot be read"),
        ("M[J[R, P[0, 0], L[a, b]]]", "no joint on the ground"),
        ("ground,input,R,0,0\n", "no link of two joints"),
        ("2P.Ay.K.1.MA,A,0!,0,0..", "nothing that can be imported"),
    ],
)
def test_broken_linkages_are_refused_in_words(tmp_path: Path, text: str, told: str):
    with pytest.raises(InputError, match=told):
        linkage(tmp_path, text)


def test_a_mechanism_of_pylinkage_is_the_linkage_it_saved(tmp_path: Path):
    module = pytest.importorskip("pylinkage.mechanism")
    from pylinkage.mechanism.joint import GroundJoint, RevoluteJoint, TrackerJoint
    from pylinkage.mechanism.link import DriverLink, GroundLink, Link

    a, d = GroundJoint("A", position=(0.0, 0.0)), GroundJoint("D", position=(4.0, 0.0))
    b, c = RevoluteJoint("B", position=(0.0, 1.0)), RevoluteJoint("C", position=(3.0, 2.0))
    tracked = TrackerJoint(
        "T", position=(0.0, 0.0), ref_joint1_id="B", ref_joint2_id="C", distance=2.0, angle=0.5
    )
    ground = GroundLink("g", joints=[a, d])
    links = [
        ground,
        DriverLink("crank", joints=[a, b], motor_joint=a),
        Link("rod", joints=[b, c]),
        Link("rocker", joints=[c, d]),
    ]
    path = tmp_path / "saved.json"
    module.mechanism_to_json(
        module.Mechanism(name="four bar", joints=[a, b, c, d, tracked], links=links, ground=ground), path
    )
    model: Any = import_file(path).model
    assert model.title == "four bar"
    turn = math.atan2(1, 3) + 0.5
    assert model.joints["T"] == pytest.approx((2 * math.cos(turn), 1 + 2 * math.sin(turn)))
    assert model.links[1].joints == ("B", "C", "T")
    assert model.study.trace == ("T",)


FOUR_BAR = """<mujoco model="four bar"><compiler angle="degree"/><option gravity="0 0 0" timestep="0.002"/>
<default><joint axis="0 1 0" damping="2"/><geom type="capsule" size=".02"/></default>
<worldbody>
 <body name="crank"><joint name="A" damping="5"/><geom fromto="0 0 0 0 0 1"/>
  <body name="rod" pos="0 0 1" euler="0 -18.434948822922 0"><joint name="B"/>
   <geom fromto="0 0 0 3.16227766 0 0"/></body></body>
 <body name="rocker" pos="4 0 0"><joint name="D" range="-90 90"/><geom fromto="0 0 0 -1 0 2"/></body>
</worldbody>
<equality>
 <connect name="C" body1="rod" body2="rocker" anchor="3.16227766016838 0 0" solref="0.004 1"/></equality>
<actuator><position name="servo" joint="A" kp="4000" ctrlrange="-1 0.5"/>
 <motor name="push" joint="D"/></actuator>
</mujoco>"""


def test_a_loop_of_mjcf_is_where_mujoco_has_it(tmp_path: Path):
    mujoco = pytest.importorskip("mujoco")
    path = write(tmp_path, FOUR_BAR, "loop.xml")
    found = import_file(path)
    model: Any = found.model
    assert model.nodes["C"] == pytest.approx((3, 2), abs=1e-9)
    assert ("motor push", "sets no position") in [(item.what, item.why) for item in found.left_out]
    world = mujoco.MjModel.from_xml_path(str(path))
    state = mujoco.MjData(world)
    state.ctrl[0] = 0.5
    for _ in range(4000):
        mujoco.mj_step(world, state)
    turned = state.body("rod").xpos + state.body("rod").xmat.reshape(3, 3) @ [math.sqrt(10), 0, 0]
    result = pliant.solve(model)
    assert result.to_dict()["nodes"]["C"] == pytest.approx([turned[0], turned[2]], abs=5e-3)


SPATIAL = """<mujoco model="arm"><compiler angle="radian"/><worldbody>
 <body name="turret" pos="0 0 0.2"><joint name="yaw" axis="0 0 1"/>
  <geom type="capsule" size=".02" fromto="0 0 0 0 0 0.3"/>
  <body name="upper" pos="0 0 0.3" euler="0 0.3 0"><joint name="shoulder" axis="0 1 0"/>
   <site name="tip" pos=".5 .1 0"/></body></body>
 <body name="cart" pos="0 1 0"><joint name="rail" type="slide" axis="1 0 0"/></body>
 <body name="ball"><freejoint name="loose"/></body><site name="post" pos="1 0 .4"/></worldbody>
<tendon><spatial name="rope" range="0 3"><site site="tip"/><site site="post"/></spatial>
 <fixed name="mix"><joint joint="yaw" coef="1"/></fixed></tendon>
<actuator><position name="y" joint="yaw" ctrlrange="0 1"/>
<position name="s" joint="shoulder" ctrlrange="-.2 .4"/>
<position name="r" joint="rail" ctrlrange="0 .3"/></actuator></mujoco>"""


def test_an_arm_in_space_goes_where_mujoco_puts_it(tmp_path: Path):
    mujoco = pytest.importorskip("mujoco")
    path = write(tmp_path, SPATIAL, "arm.xml")
    found = import_file(path)
    assert {item.what for item in found.left_out} >= {"tendon mix", "joint loose"}
    text = SPATIAL.replace("<freejoint", "<geom size='.1'/><freejoint").replace(
        "<site name='tip'", "<site name='tip'"
    )
    text = text.replace('axis="1 0 0"/>', 'axis="1 0 0"/><geom size=".1"/>').replace(
        'axis="0 1 0"/>', 'axis="0 1 0"/><geom size=".1"/>'
    )
    world = mujoco.MjModel.from_xml_string(text)
    state = mujoco.MjData(world)
    for name, value in {"yaw": 1.0, "shoulder": 0.4, "rail": 0.3}.items():
        state.joint(name).qpos = value
    mujoco.mj_forward(world, state)
    nodes = pliant.solve(found.model).to_dict()["nodes"]
    assert nodes["tip"] == pytest.approx(state.site("tip").xpos.tolist(), abs=1e-6)
    assert nodes["rail"] == pytest.approx([0.3, 1, 0], abs=1e-6)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<mujoco/>", "has no joint"),
        (
            '<mujoco><worldbody><body pos="0 x 0"><joint/></body></worldbody></mujoco>',
            "line 1: <body>: has pos = '0 x 0', not 3 numbers",
        ),
        ('<mujoco><worldbody><body><joint axis="0 0 0"/></body></worldbody></mujoco>', "points nowhere"),
        ("<robot/>", 'an XML file of "robot", not an MJCF file'),
    ],
)
def test_broken_mjcf_is_refused_with_its_element(tmp_path: Path, text: str, told: str):
    with pytest.raises(InputError, match=told):
        import_file(write(tmp_path, text, "arm.xml"))


def test_options_of_drawings_are_refused_for_other_files(tmp_path: Path):
    with pytest.raises(InputError, match="--kerf: is for drawings"):
        import_file(write(tmp_path, PMKS_SLIDER, "linkage.txt"), kerf=0.1)
