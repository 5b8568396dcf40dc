"""Freedoms, self-stresses and internal loads of mechanisms whose answers are known."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from pliant.relax.assemble.build import build
from pliant.relax.diagnose.rank import freedom, internal_load, jacobian, smallest_singular_values
from pliant.relax.factors.singular import STILL, smallest_singular_value
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.mechanics.gradients import jacobian_at
from pliant.relax.model import Mechanism
from pliant.relax.solvers.record import Frame, scale

FOUR_BAR = {"A": (0, 0), "B": (0.2, 1), "C": (3.2, 1.3), "D": (3, 0)}
SQUARE = {"a": (0, 0), "b": (1, 0), "c": (1, 1), "d": (0, 1)}
SIDES = ("ab", "bc", "cd", "da")
RING = [(np.cos(angle), np.sin(angle)) for angle in 2 * np.pi * np.arange(3) / 3]


def network(nodes, bars=(), **elements):
    """Bars are pairs of names."""
    data = {"nodes": nodes, "bars": pairs(*bars), **elements}
    return build(Mechanism.model_validate(data))


def pairs(*names):
    return [{"nodes": list(pair)} for pair in names]


def frame(net, x=None, share=0.0, settled=False):
    state = net.state(x, share)
    return Frame(share, state.x, 0.0, elongations(net, state), 0, settled)


def freedom_of(nodes, bars=(), **elements):
    net = network(nodes, bars, **elements)
    return freedom(net, frame(net))


def counts(found):
    return found.count, found.rigid, found.redundant


def stewart(stages, ground=True, legs="actuators"):
    """Triangles above each other, each on six legs."""
    names = [[f"{stage}-{k}" for k in range(3)] for stage in range(stages + 1)]
    nodes = {
        name: (10 * x, 10 * y, 10.0 * stage)
        for stage, row in enumerate(names)
        for name, (x, y) in zip(row, RING, strict=True)
    }
    bars = [(row[k], row[k - 1]) for row in names[ground:] for k in range(3)]
    joined = [(low[k], high[k - turn]) for low, high in pairwise(names) for k in range(3) for turn in (0, 1)]
    extra = {"to": 15} if legs == "actuators" else {"stiffness": 1}
    elements = {legs: [{"nodes": leg, **extra} for leg in joined]}
    return network(nodes, bars, ground=names[0] if ground else (), **elements)


def sarrus(height):
    """Two plates at that height, between them two pairs of flaps whose hinges are across each other."""
    out = np.sqrt(1 - (height / 2) ** 2)
    levels = {"low": (1, 0), "mid": (1 + out, height / 2), "top": (1, height)}
    nodes = {}
    for level, (far, high) in levels.items():
        nodes |= {f"x{k}{level}": (far, side, high) for k, side in enumerate((-0.5, 0.5))}
        nodes |= {f"y{k}{level}": (side, far, high) for k, side in enumerate((-0.5, 0.5))}
    flaps = [
        [f"{way}{k}{level}" for level in pair for k in (0, 1)]
        for way in "xy"
        for pair in (("low", "mid"), ("mid", "top"))
    ]
    top = [name for name in nodes if name.endswith("top")]
    low = [name for name in nodes if name.endswith("low")]
    return network(nodes, plates=[{"nodes": body} for body in (*flaps, top)], ground=low)


def prism(turn):
    """Three bars between two triangles of strings, the upper one turned."""
    c, s = np.cos(turn), np.sin(turn)
    nodes = {f"p{k}": (x, y, 0) for k, (x, y) in enumerate(RING)}
    nodes |= {f"q{k}": (c * x - s * y, s * x + c * y, 1.5) for k, (x, y) in enumerate(RING)}
    strings = [(f"{row}{k}", f"{row}{(k + 1) % 3}") for row in "pq" for k in range(3)]
    strings += [(f"p{k}", f"q{(k + 2) % 3}") for k in range(3)]
    return network(nodes, [(f"p{k}", f"q{k}") for k in range(3)], strings=pairs(*strings))


def grid(width, height, braces, *ground):
    """Squares of bars, those in `braces` with a diagonal."""
    nodes = {f"{i},{j}": (i, j) for i in range(width + 1) for j in range(height + 1)}
    bars = [(f"{i},{j}", f"{i + 1},{j}") for i in range(width) for j in range(height + 1)]
    bars += [(f"{i},{j}", f"{i},{j + 1}") for i in range(width + 1) for j in range(height)]
    return network(nodes, bars + [(f"{i},{j}", f"{i + 1},{j + 1}") for i, j in braces], ground=ground)


# Freedoms


def test_a_four_bar_has_one_freedom_and_none_with_its_drive_held():
    ground = ["A", "D"]
    bars = ("AB", "BC", "CD")
    assert counts(freedom_of(FOUR_BAR, bars, ground=ground)) == (1, 0, 0)
    rotor = {"joint": "A", "arms": ["D", "B"], "to": 1}
    assert counts(freedom_of(FOUR_BAR, bars, ground=ground, rotors=[rotor])) == (0, 0, 0)
    actuator = {"nodes": ["A", "C"], "to": 3}
    assert counts(freedom_of(FOUR_BAR, bars, ground=ground, actuators=[actuator])) == (0, 0, 0)


def test_a_bar_between_grounded_nodes_changes_nothing():
    bars = ("AB", "BC", "CD", "AD")
    assert counts(freedom_of(FOUR_BAR, bars, ground=["A", "D"])) == (1, 0, 0)


def test_the_mode_of_a_four_bar_turns_its_cranks():
    found = freedom_of(FOUR_BAR, ("AB", "BC", "CD"), ground=["A", "D"])
    (mode,) = found.modes
    assert np.linalg.norm(mode, axis=1).max() == pytest.approx(1)
    assert not mode[[0, 3]].any()
    for crank, pivot in [("B", "A"), ("C", "D")]:
        arm = np.subtract(FOUR_BAR[crank], FOUR_BAR[pivot])
        assert mode["ABCD".index(crank)] @ arm == pytest.approx(0, abs=1e-14)


def test_peaucelliers_cell_has_one_freedom():
    p, o = np.array([2.8, 0.7]), np.array([1.5, 0.0])  # the crank turns about o through the origin
    away = np.linalg.norm(p)
    along, across = p / away, np.array([-p[1], p[0]]) / away
    middle = (5**2 - 3**2 + away**2) / (2 * away)
    wide = np.sqrt(5**2 - middle**2)
    nodes = {"O": (0, 0), "C": o, "P": p, "Q": (2 * middle - away) * along}
    nodes |= {"M": middle * along + wide * across, "N": middle * along - wide * across}
    nodes = {name: tuple(place) for name, place in nodes.items()}
    found = freedom_of(nodes, ("OM", "ON", "MP", "NP", "MQ", "NQ", "CP"), ground=["O", "C"])
    assert counts(found) == (1, 0, 0)


def test_a_floating_bar_moves_as_one_body():
    assert counts(freedom_of({"a": (0, 0), "b": (1, 2)}, ["ab"])) == (3, 3, 0)
    # in space it cannot be seen to turn about itself
    assert counts(freedom_of({"a": (0, 0, 0), "b": (1, 2, 3)}, ["ab"])) == (5, 5, 0)


def test_a_floating_four_bar_moves_as_one_body_and_by_itself():
    found = freedom_of(FOUR_BAR, ("AB", "BC", "CD", "AD"))
    assert counts(found) == (4, 3, 0)
    (mode,) = found.modes
    x = np.array(list(FOUR_BAR.values()))
    assert mode.sum(axis=0) == pytest.approx(0, abs=1e-14)
    assert (x[:, 0] * mode[:, 1] - x[:, 1] * mode[:, 0]).sum() == pytest.approx(0, abs=1e-13)


def test_how_many_ways_there_are_to_move_as_one_is_found_not_assumed():
    nodes, ways = {"a": (0, 0), "b": (2, 0)}, {"line": [1, 0]}
    railed = {"guides": [{"node": name, **ways} for name in nodes]}
    assert counts(freedom_of(nodes, ["ab"], **railed)) == (1, 1, 0)
    # gears count angles from the sheet, against which the whole then cannot turn
    wheels = {"wheels": [["A", "B"], ["D", "C"]], "ratio": -1}
    assert counts(freedom_of(FOUR_BAR, ("AB", "DC", "AD"), gears=[wheels])) == (4, 2, 0)


def test_a_triangulated_frame_is_rigid():
    nodes = {f"{row}{k}": (k, row) for k in range(5) for row in (0, 1)}
    bars = [(f"{row}{k}", f"{row}{k + 1}") for k in range(4) for row in (0, 1)]
    bars += [(f"0{k}", f"1{k}") for k in range(5)] + [(f"0{k}", f"1{k + 1}") for k in range(4)]
    assert counts(freedom_of(nodes, bars)) == (3, 3, 0)
    assert counts(freedom_of(nodes, bars, ground=["00", "10"])) == (0, 0, 0)


def test_a_square_with_both_diagonals_has_one_self_stress():
    assert counts(freedom_of(SQUARE, (*SIDES, "ac"))) == (3, 3, 0)
    assert counts(freedom_of(SQUARE, (*SIDES, "ac", "bd"))) == (3, 3, 1)


def test_a_stewart_platform_is_held_by_its_legs_and_has_six_freedoms_on_springs():
    for legs, expected in [("actuators", (0, 0, 0)), ("springs", (6, 0, 0))]:
        net = stewart(1, legs=legs)
        found = freedom(net, frame(net))
        assert counts(found) == expected
        assert found.modes.shape == (expected[0], 6, 3)


def test_sarrus_linkage_moves_straight_up_though_it_is_over_constrained():
    net = sarrus(0.8)
    found = freedom(net, frame(net))
    assert (found.count, found.rigid) == (1, 0)
    assert found.redundant >= 1
    tops = [k for k, name in enumerate(net.names) if name.endswith("top")]
    np.testing.assert_allclose(np.abs(found.modes[0, tops]), [[0, 0, 1]] * 4, atol=1e-9)


@pytest.mark.parametrize(("degrees", "expected"), [(150, (7, 6, 1)), (140, (6, 6, 0))])
def test_a_tensegrity_prism_has_a_self_stress_and_a_mode_at_one_angle_only(degrees, expected):
    net = prism(np.deg2rad(degrees))
    assert counts(freedom(net, frame(net))) == expected


def test_a_slack_string_holds_nothing():
    nodes = {"a": (0, 0), "b": (3, 4)}
    for length, expected in [(5, 1), (6, 2)]:
        string = {"nodes": ["a", "b"], "length": length}
        assert freedom_of(nodes, ground=["a"], strings=[string]).count == expected


def test_pieces_of_a_string_are_no_freedoms_of_the_mechanism():
    nodes = {"a": (-3, -1.5), "b": (3, -1.5), "o": (0, 0)}
    for length, expected in [(6, 1), (12, 2)]:
        wrap = {"nodes": ["a", "b"], "around": [{"node": "o", "radius": 1}], "length": length}
        assert freedom_of(nodes, ground=["a", "o"], wraps=[wrap]).count == expected


def test_modes_are_ways_to_move_across_each_other_and_local():
    """Two four-bars side by side: each mode moves one of them."""
    beside = {name.lower(): (x + 10, y) for name, (x, y) in FOUR_BAR.items()}
    bars = ("AB", "BC", "CD", "ab", "bc", "cd")
    net = network(FOUR_BAR | beside, bars, ground=list("ADad"))
    found = freedom(net, frame(net))
    assert found.count == len(found.modes) == 2
    moved = np.linalg.norm(found.modes, axis=2).reshape(2, 2, 4).max(axis=2)
    np.testing.assert_allclose(np.sort(moved, axis=0), [[0, 0], [1, 1]], atol=1e-14)


def test_at_most_twelve_modes_are_given():
    nodes = {"o": (0, 0)} | {f"p{k}": (k, 1) for k in range(20)}
    net = network(nodes, [("o", name) for name in nodes if name != "o"], ground=["o"])
    found = freedom(net, frame(net))
    assert counts(found) == (20, 1, 0)
    assert found.modes.shape == (12, 21, 2)
    rows = jacobian_at(net, net.drawn, frame(net).elongations)
    np.testing.assert_allclose(rows.matrix @ rows.gathered(found.modes), 0, atol=1e-14)
    flat = found.modes.reshape(12, -1)
    np.testing.assert_allclose(flat @ flat.T, np.eye(12) * (flat @ flat.T), atol=1e-14)


def test_nothing_that_holds_leaves_every_freedom():
    found = freedom_of({"a": (0, 0), "b": (1, 0)}, springs=[{"nodes": ["a", "b"], "stiffness": 1}])
    assert counts(found) == (4, 3, 0)
    assert found.singular == 0.0


def test_what_hangs_on_the_ground_moves_as_one_about_it_and_has_a_mode():
    found = freedom_of({"a": (0, 0), "b": (2, 0)}, ["ab"], ground=["a"])
    assert counts(found) == (1, 1, 0)
    np.testing.assert_allclose(np.abs(found.modes), [[[0, 0], [0, 1]]], atol=1e-15)


# Large ones


def test_a_long_chain_of_platforms_is_stiff_though_hardly():
    net = stewart(40)
    found = freedom(net, frame(net))
    assert counts(found) == (0, 0, 0)
    sizes = np.linalg.svd(jacobian(net, frame(net)).toarray(), compute_uv=False)
    assert len(sizes) == 360
    assert found.singular == pytest.approx(sizes[-1], rel=1e-5)


def test_a_long_floating_chain_moves_as_one_body():
    net = stewart(40, ground=False)
    found = freedom(net, frame(net))
    assert counts(found) == (6, 6, 0)
    assert found.exact


@pytest.mark.parametrize("count", [29, 28, 19])
def test_a_large_grid_moves_as_its_braces_leave_it(count):
    """A brace joins a row of squares with a column; each part of that graph moves by itself.

    Theirs is a path through rows and columns in turn: what it does not reach is a part each.
    """
    path = [(k // 2, (k + 1) // 2) for k in range(count)]
    net = grid(15, 15, path)
    found = freedom(net, frame(net))
    assert counts(found) == (3 + 29 - count, 3, 0)
    assert found.exact
    closed = grid(15, 15, [*path, (8, 0)])
    assert counts(freedom(closed, frame(closed))) == (3 + 29 - count, 3, 1)


def test_what_is_too_loose_to_count_is_counted_from_below():
    nodes = {"o": (0, 0)} | {f"p{k}": (k, 1) for k in range(300)}
    net = network(nodes, [("o", name) for name in nodes if name != "o"], ground=["o"])
    found = freedom(net, frame(net))
    assert not found.exact
    assert counts(found) == (300, 1, 0)
    assert len(found.modes) == 12


# Singular values


def test_the_smallest_singular_value_falls_to_0_at_a_singular_pose():
    """Two bars that straighten: the rows (±1, h) / √(1 + h²)."""
    net = network({"a": (-1, 0), "b": (0, 0.5), "c": (1, 0)}, ("ab", "bc"), ground=["a", "c"])
    heights = np.array([0.5, 0.1, 1e-5, 0.0])
    frames = [frame(net, np.array([(-1, 0), (0, h), (1, 0)])) for h in heights]
    found = smallest_singular_values(net, frames)
    np.testing.assert_allclose(found, np.sqrt(2) * heights / np.sqrt(1 + heights**2), atol=1e-15)


def test_the_smallest_singular_value_of_large_ones_is_that_of_all():
    every = [(i, j) for i in range(12) for j in range(12)]
    for net, shape in [
        (stewart(40, ground=False), (363, 369)),
        (grid(12, 12, every, "0,0", "0,1"), (455, 334)),
    ]:
        matrix = jacobian(net, frame(net)).toarray()
        assert matrix.shape == shape
        sizes = np.linalg.svd(matrix, compute_uv=False)
        assert sizes[-1] > 1e-4
        assert smallest_singular_values(net, [frame(net)]) == pytest.approx(sizes[-1:], rel=1e-5)


def test_there_is_no_singular_value_where_nothing_holds():
    net = network({"a": (0, 0), "b": (1, 0)}, springs=[{"nodes": ["a", "b"], "stiffness": 1}])
    assert smallest_singular_values(net, [frame(net), frame(net)]).tolist() == [0.0, 0.0]


# Internal loads


def test_bars_that_pull_at_each_other_carry_what_they_pull_with():
    nodes = {"a": (-1, 0), "b": (0, 0), "c": (1, 0)}
    bars = [{"nodes": ["a", "b"], "length": 0.99}, {"nodes": ["b", "c"], "length": 0.99}]
    net = build(Mechanism.model_validate({"nodes": nodes, "bars": bars, "ground": ["a", "c"]}))
    assert internal_load(net, frame(net, settled=True)) == pytest.approx([0.01, 0.01], rel=1e-12)
    # away from its place of rest, the middle gives way and the load is the same
    aside = np.array([(-1, 0), (0.004, 0), (1, 0)])
    assert internal_load(net, frame(net, aside)) == pytest.approx([0.01, 0.01], rel=1e-12)


def test_a_bar_between_grounded_nodes_carries_what_it_is_too_long_by():
    bars = [*pairs("AB", "BC", "CD"), {"nodes": ["A", "D"], "length": 3.25}]
    model = {"nodes": FOUR_BAR, "bars": bars, "ground": ["A", "D"], "stiffness": 4}
    net = build(Mechanism.model_validate(model))
    assert internal_load(net, frame(net)) == pytest.approx([0, 0, 0, -1], abs=1e-12)


def test_a_diagonal_too_long_loads_the_square_as_its_self_stress():
    """The one self-stress of the square is 1 in the sides and −√2 in the diagonals."""
    by = 1e-4
    bars = [*pairs(*SIDES, "ac"), {"nodes": ["b", "d"], "length": np.sqrt(2) + by}]
    net = build(Mechanism.model_validate({"nodes": SQUARE, "bars": bars}))
    load = internal_load(net, frame(net))
    side = by / (4 * np.sqrt(2))
    assert load == pytest.approx([side] * 4 + [-by / 4] * 2, rel=2 * by)


@pytest.mark.parametrize("nodes", [FOUR_BAR, SQUARE])
def test_what_is_on_its_way_carries_no_load(nodes):
    """Elongations that a displacement can undo, however far, also where rows repeat each other."""
    names = list(nodes)
    bars = [pair for k, pair in enumerate((a, b) for a in names for b in names if a < b) if k]
    net = network(nodes, bars, ground=names[:2])
    assert freedom(net, frame(net)).redundant == 1
    x = net.drawn + 0.05 * np.random.default_rng(2).normal(size=net.drawn.shape) * net.free[:, None]
    here = frame(net, x)
    assert np.abs(here.elongations.links).max() > 0.02
    assert internal_load(net, here) == pytest.approx(0, abs=1e-8)


def test_a_load_from_outside_is_no_internal_load():
    """What bars give way by under a weight, as they are and carried: a displacement takes it back."""
    net = network(SQUARE, (*SIDES[1:], "ac", "bd"), ground=["a", "b"], stiffness=1.0)
    matrix = jacobian(net, frame(net)).toarray()
    weight = np.array([0.0, -1e-3, 0.0, 0.0])
    x = net.drawn.copy()
    x[2:] += np.linalg.solve(matrix.T @ matrix, weight).reshape(2, 2)
    loaded = frame(net, x, settled=True)
    assert np.abs(loaded.elongations.link_forces).max() > 5e-4
    assert internal_load(net, loaded) == pytest.approx(0, abs=1e-10)
    carried = replace(frame(net).elongations, link_forces=loaded.elongations.link_forces)
    assert not internal_load(net, replace(frame(net), elongations=carried)).any()


def test_springs_carry_no_internal_load():
    springs = [{"nodes": ["b", "d"], "stiffness": 2, "length": 1.3}]
    net = network(SQUARE, (*SIDES, "ac"), springs=springs)
    here = frame(net)
    assert here.elongations.links[-1] > 0.1
    assert not internal_load(net, here).any()


def test_strings_pull_and_do_not_push():
    """A square of bars with strings for diagonals: too short they load it, too long they do not."""
    for short, loaded in [(0.01, True), (-0.01, False), (0.0, False)]:
        strings = [{"nodes": list(pair), "length": np.sqrt(2) - short} for pair in ("ac", "bd")]
        net = network(SQUARE, SIDES, strings=strings)
        load = internal_load(net, frame(net))
        assert (np.abs(load).max() > 1e-3) == loaded
        assert load[4:].min() >= 0


def test_a_string_that_a_displacement_slackens_carries_no_load():
    """One diagonal is too short, but the square can give way."""
    strings = [{"nodes": ["a", "c"], "length": 1.35}, {"nodes": ["b", "d"], "length": 1.5}]
    net = network(SQUARE, SIDES, strings=strings)
    assert internal_load(net, frame(net)) == pytest.approx(0, abs=1e-9)


def test_bumpers_press_and_do_not_pull():
    for length, loaded in [(1.45, True), (1.38, False)]:
        bumpers = [{"nodes": list(pair), "length": length} for pair in ("ac", "bd")]
        net = network(SQUARE, SIDES, bumpers=bumpers)
        load = internal_load(net, frame(net))
        assert (np.abs(load).max() > 1e-3) == loaded
        assert load[4:].max() <= 0


def test_a_contact_that_a_frame_cannot_flee_loads_it():
    """A node held by two bars, pressed by a grounded one: half each gives way, as stiff as each other."""
    nodes = {"a": (-5, 0), "b": (0, 0), "c": (0, 5), "p": (-1, 0.1), "q": (1, 0.1)}
    contact = {"members": [["p", "q"]], "against": [["b", "b"]], "radius": 0.102}
    net = network(nodes, ("ab", "bc", "pq"), ground=["a", "c", "p", "q"], contacts=[contact])
    assert internal_load(net, frame(net)) == pytest.approx([0, 0.001, 0, -0.001], abs=1e-6)


def test_the_load_of_a_slider_in_space_is_the_resultant_across_its_line():
    """Beside its line by (0.003, 0.004), and held there by bars as stiff as itself: each gives half."""
    nodes = {"a": (0, 0, -1), "b": (0, 0, 1), "p": (0.003, 0.004, 0), "x": (10.003, 0.004, 0)}
    nodes |= {"y": (0.003, 10.004, 0)}
    sliders = [{"node": "p", "on": ["a", "b"]}]
    net = network(nodes, ("px", "py"), ground=["a", "b", "x", "y"], sliders=sliders, stiffness=1.0)
    assert internal_load(net, frame(net)) == pytest.approx([0.0015, 0.002, 0.0025], rel=1e-3)


def test_loads_come_in_the_order_links_couplings_rails():
    """Two rotors at odds with each other, and a slider whose node is guided beside its line."""
    net = network(
        {"A": (0, 0), "B": (0, 1), "D": (3, 0), "S": (1, 0.01)},
        ["AB"],
        ground=["A", "D"],
        rotors=[{"joint": "A", "arms": ["D", "B"], "to": to} for to in (0.1, 0.3)],
        sliders=[{"node": "S", "on": ["A", "D"]}],
        guides=[{"node": "S", "line": [1, 0]}],
        stiffness=2.0,
    )
    assert internal_load(net, frame(net, share=1.0)) == pytest.approx([0, 0.2, -0.2, 0.02], abs=1e-9)


def test_angles_over_whole_turns_are_still_what_they_are():
    """A rotor that has turned once and a half: the frame knows, its pose does not."""
    nodes = {"A": (0, 0), "B": (1, 0), "D": (0, 1)}
    net = network(nodes, ["AB"], ground=["A", "D"], rotors=[{"joint": "A", "arms": ["D", "B"], "to": 9.5}])
    angle = 9.3
    x = np.array([(0, 0), (np.cos(angle), np.sin(angle)), (0, 1)])
    here = frame(net, x, share=1.0)
    turned = replace(here.elongations, couplings=np.array([-0.2]))
    assert here.elongations.couplings != pytest.approx(turned.couplings)
    assert internal_load(net, replace(here, elongations=turned)) == pytest.approx(0, abs=1e-9)


def test_a_displacement_larger_than_the_mechanism_relieves_nothing():
    """Two bars pulled all but straight: sideways they could give way, by a hundred times their length."""
    nodes = {"a": (-1, 0), "b": (0, 1e-4), "c": (1, 0)}
    bars = [{"nodes": list(pair), "length": 0.99} for pair in ("ab", "bc")]
    net = build(Mechanism.model_validate({"nodes": nodes, "bars": bars, "ground": ["a", "c"]}))
    assert internal_load(net, frame(net)) == pytest.approx([0.01, 0.01], rel=0.05)


def test_a_chain_on_its_way_carries_no_load():
    net = stewart(40)
    here = frame(net, share=0.02)
    assert np.abs(here.elongations.links).max() > 0.09
    assert np.abs(internal_load(net, here)).max() <= 1e-9 * scale(net)


@pytest.mark.parametrize("shape", [(130, 200), (200, 130), (150, 150)])
def test_the_smallest_singular_value_alone_is_the_smallest_of_all(shape):
    rng = np.random.default_rng(3)
    matrix = sparse.random_array(shape, density=0.05, rng=rng, format="csr") + sparse.eye_array(*shape)
    assert smallest_singular_value(sparse.csr_array(matrix)) == pytest.approx(
        np.linalg.svd(matrix.toarray(), compute_uv=False)[-1], rel=1e-6
    )


def test_the_smallest_singular_value_of_a_wide_matrix_takes_no_dense_factors(monkeypatch):
    rng = np.random.default_rng(0)
    matrix = sparse.random_array((120, 200), density=0.05, rng=rng, format="csr")
    matrix = sparse.csr_array(matrix + 3 * sparse.eye_array(120, 200))
    dense = np.linalg.svd(matrix.toarray(), compute_uv=False)[-1]
    svd = np.linalg.svd
    monkeypatch.setattr(np.linalg, "svd", lambda a, **how: svd(a, **how) if a.size < 60**2 else 1 / 0)
    assert smallest_singular_value(matrix) == pytest.approx(dense, rel=STILL)
