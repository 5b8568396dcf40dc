"""Many machines at once: each as the equations say, in any company, and never without an answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pliant.core.errors import PliantError
from pliant.relax.machines import batch
from pliant.relax.machines.batch import relax
from pliant.relax.machines.population import Floor, Machines, drawn_lengths, machines
from pliant.relax.network.laws import BAR, BUMPER, STRING, force, tangent
from pliant.relax.status import RelaxStatus

PAIRS = np.array([(a, b) for b in range(8) for a in range(b)])
PLAIN = {"alpha": 0.5, "eta": 1.0}  # no inertia
FIELDS = ("points", "residual", "length_error", "errors", "trace")


def some(count: int, axes: int, *, mixed: bool, seed: int = 0, **more) -> Machines:
    """Random machines of 8 nodes, as many grounded as there are axes, and 12 links driven at random."""
    rng = np.random.default_rng(seed)
    drawn = rng.random((count, 8, axes))
    picked = [rng.permutation(len(PAIRS))[:12] for _ in range(count if mixed else 1)]
    ends = PAIRS[picked] if mixed else PAIRS[picked[0]]
    more = {"free": np.arange(8) >= axes, "stiffness": rng.uniform(0.5, 2.0, (count, 12))} | more
    as_drawn = machines(drawn, ends, **more)
    return machines(drawn, ends, target=as_drawn.rest * rng.uniform(0.8, 1.2, (count, 12)), **more)


def one_by_the_book(made: Machines, m: int, iterations: int, shares: list[float], alpha: float, eta: float):
    """Machine m by equations 1 to 4 and 6, link by link."""
    ends = made.ends[m] if made.mixed else made.ends
    laws = made.laws[m] if made.mixed else made.laws
    x, step = made.drawn[m].copy(), np.zeros_like(made.drawn[m])
    size = max(np.ptp(x, axis=0).max(), made.rest[m].max(), made.target[m].max())
    least, cap = 1e-3 * made.stiffness[m].max(), 0.05 * size
    for share in shares:
        rest = made.rest[m] + share * (made.target[m] - made.rest[m])
        for _ in range(iterations):
            r, s = made.load[m].copy(), np.zeros_like(x)
            for n, (a, b) in enumerate(ends):
                length = np.linalg.norm(x[b] - x[a])
                law = int(laws[n]), made.stiffness[m, n], made.bands[m, n], length - rest[n]
                f, along = force(*law), (x[b] - x[a]) / length
                across = max(f / length, 0.0)
                r[a] += f * along
                r[b] -= f * along
                for end in (a, b):
                    s[end] += max(tangent(*law) - across, 0.0) * np.abs(along) + across
            step = np.clip(eta * alpha * r / np.maximum(s, least) + (1 - eta) * step, -cap, cap)
            x[made.free[m]] += step[made.free[m]]
            step[~made.free[m]] = 0.0
    return x


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("axes", [2, 3])
def test_every_machine_is_relaxed_by_the_equations(axes, mixed):
    laws = np.resize([BAR, BAR, STRING, BAR, BUMPER], 12)
    made = some(70, axes, mixed=mixed, load=[0.01] * axes, laws=laws, bands=0.05)
    settled = relax(made, 15, drive=[0.5, 1.0], alpha=0.4, eta=0.8)
    for m in (0, 63, 64, 69):
        expected = one_by_the_book(made, m, 15, [0.5, 1.0], 0.4, 0.8)
        np.testing.assert_allclose(settled.points[m], expected, rtol=0, atol=1e-12)


def test_single_precision_is_the_same_to_seven_digits():
    made = some(70, 2, mixed=False)
    single, double = relax(made, 40, dtype=np.float32, **PLAIN), relax(made, 40, **PLAIN)
    assert single.points.dtype == np.float32
    np.testing.assert_allclose(single.points, double.points, rtol=0, atol=2e-5)
    np.testing.assert_allclose(single.residual, double.residual, rtol=0, atol=2e-6)


@pytest.mark.parametrize("mixed", [False, True])
def test_a_machine_is_the_same_in_any_company_and_on_any_number_of_threads(mixed, monkeypatch):
    made = some(200, 2, mixed=mixed)
    together = relax(made, 30, trace=[5])
    monkeypatch.setattr(batch, "PIECES", 1)
    chosen = [150, 3, 77]
    own = {key: value[chosen] for key, value in vars(made).items() if mixed or key not in ("ends", "laws")}
    apart = relax(replace(made, **own), 30, trace=[5])
    for field in FIELDS:
        np.testing.assert_array_equal(getattr(apart, field), getattr(together, field)[chosen])


def test_a_shared_topology_is_the_same_given_once_or_for_each():
    once = some(70, 2, mixed=False)
    each = replace(once, ends=np.tile(once.ends, (70, 1, 1)), laws=np.tile(once.laws, (70, 1)))
    np.testing.assert_allclose(relax(each, 50).points, relax(once, 50).points, rtol=0, atol=1e-12)


def test_lipson_fig_5_peaucellier_traces_a_line():
    """Arms of 4 to 5, a cell of side 2 to 3; a link to the ground drives the crank's end on its circle."""
    long, side = np.meshgrid(np.linspace(4.0, 5.0, 8), np.linspace(2.0, 3.0, 8))
    long, side = long.ravel(), side.ravel()
    inner = long * np.cos(0.3) - np.sqrt(side**2 - (long * np.sin(0.3)) ** 2)  # where the crank's joint is
    outer = long * np.cos(0.3) + np.sqrt(side**2 - (long * np.sin(0.3)) ** 2)
    zero = np.zeros_like(long)
    high = long * np.sin(0.3), long * np.cos(0.3)
    x = [zero, inner / 2, inner, high[1], high[1], outer, inner / 2]
    y = [zero, zero, zero, high[0], -high[0], zero, inner]
    drawn = np.moveaxis([x, y], (0, 1, 2), (2, 1, 0))  # origin, crank's pivot, joint, two corners, pen, motor
    ends = [(0, 3), (0, 4), (2, 3), (2, 4), (5, 3), (5, 4), (1, 2), (6, 2)]
    as_drawn = machines(drawn, ends)
    target = as_drawn.rest.copy()
    target[:, 7] *= 0.8
    made = machines(drawn, ends, target=target, free=~np.isin(np.arange(7), [0, 1, 6]))
    settled = relax(made, 8000, drive=np.linspace(0.0, 1.0, 11), alpha=5.0, eta=0.1, trace=[5])
    assert settled.errors.max() < 1e-13
    line = settled.trace[:, :, 0]
    height = np.ptp(line[..., 1], axis=1)
    assert (height > 1.0).all()
    assert (np.ptp(line[..., 0], axis=1) / height).max() < 1e-11


def test_what_cannot_be_is_reported_as_a_length_error_without_residual():
    """A triangle of sides 1, 1 and 3: every side gives by a third of what is too much."""
    made = machines([[[0, 0], [1, 0], [0.5, 0.5]]], [(0, 1), (1, 2), (0, 2)], rest=[3.0, 1.0, 1.0])
    settled = relax(made, 20_000, alpha=0.4)
    assert settled.residual[0] < 1e-9
    assert settled.length_error[0] == pytest.approx(1 / 3, abs=1e-6)


def test_grounded_nodes_stay_where_they_are():
    made = some(70, 3, mixed=False, load=[1.0, 2.0, 3.0])
    np.testing.assert_array_equal(relax(made, 100).points[:, :3], made.drawn[:, :3])


def test_a_string_holds_a_weight_and_does_not_push():
    """It is 1 long and k = 2: a weight of 0.1 hangs at 1.05; pushed from below, it is let go."""
    drawn = [[[0, 0], [0.02, -0.9]]]
    held = machines(drawn, [(0, 1)], rest=1.0, stiffness=2.0, laws=STRING, free=[False, True], load=[0, -0.1])
    np.testing.assert_allclose(relax(held, 3000).points[0, 1], [0, -1.05], atol=1e-9)
    pushed = replace(held, load=-held.load)
    loose = relax(pushed, 10)
    assert loose.points[0, 1, 1] > -0.9
    assert loose.length_error[0] == 0.0


def test_a_bumper_keeps_nodes_apart_and_does_not_pull():
    made = machines([[[0.0, 0.0], [0.5, 0.0]], [[0.0, 0.0], [2.0, 0.0]]], [(0, 1)], rest=1.0, laws=BUMPER)
    points = relax(made, 2000, **PLAIN).points
    assert points[0, 1, 0] - points[0, 0, 0] == pytest.approx(1.0, abs=1e-3)
    np.testing.assert_array_equal(points[1], made.drawn[1])


def test_a_drive_may_be_the_same_for_all_or_of_each_link_and_machine():
    made = some(70, 2, mixed=False)
    shares = np.array([0.25, 0.5, 1.0])
    by_all = relax(made, 20, drive=shares, trace=[4, 7])
    by_link = relax(made, 20, drive=np.tile(shares[:, None], (1, 12)), trace=[4, 7])
    by_machine = relax(made, 20, drive=np.tile(shares[:, None], (70, 1, 12)), trace=[4, 7])
    for field in FIELDS:
        np.testing.assert_array_equal(getattr(by_link, field), getattr(by_all, field))
        np.testing.assert_array_equal(getattr(by_machine, field), getattr(by_all, field))


def test_a_machine_follows_its_own_drive():
    made = machines(np.tile([[0.0, 0.0], [1.0, 0.0]], (2, 1, 1)), [(0, 1)], target=2.0, free=[False, True])
    gait = np.array([[0.5, 0.0, 1.0], [0.0, 1.0, 0.2]])[:, :, None]
    settled = relax(made, 200, drive=gait, trace=[1], **PLAIN)
    np.testing.assert_allclose(settled.trace[:, :, 0, 0], 1.0 + gait[:, :, 0], atol=1e-12)
    np.testing.assert_array_equal(settled.trace[:, -1, 0], settled.points[:, 1])


def test_the_last_step_of_the_drive_is_the_answer():
    settled = relax(some(70, 2, mixed=True), 20, drive=[0.3, 1.0], trace=range(8))
    np.testing.assert_array_equal(settled.trace[:, -1], settled.points)
    np.testing.assert_array_equal(settled.errors[:, -1], settled.length_error)


def test_pseudo_inertia_settles_sooner_on_the_same_lengths():
    made = some(70, 2, mixed=False)
    plain, swift = relax(made, 300, **PLAIN), relax(made, 300)
    assert np.median(swift.residual) < 1e-3 * np.median(plain.residual)


def test_forces_count_only_beside_the_stiffness():
    made = some(70, 2, mixed=False, load=[0.0, -0.01])
    strong = replace(made, stiffness=1e6 * made.stiffness, load=1e6 * made.load)
    one, other = relax(made, 50), relax(strong, 50)
    np.testing.assert_allclose(other.points, one.points, rtol=0, atol=1e-12)
    np.testing.assert_allclose(other.residual, 1e6 * one.residual, rtol=1e-9)


@pytest.mark.parametrize("axes", [2, 3])
def test_the_floor_stops_what_falls(axes):
    drawn = np.zeros((1, 2, axes))
    drawn[0, :, -1] = 0.5, 1.5
    made = machines(drawn, [(0, 1)], load=[0.0] * (axes - 1) + [-0.01])
    settled = relax(made, 3000, floor=Floor())
    np.testing.assert_allclose(settled.points[0, :, -1], [0.0, 0.99], atol=1e-9)
    assert settled.residual[0] < 1e-12


@pytest.mark.parametrize("axes", [2, 3])
def test_friction_holds_up_to_its_share_of_the_weight(axes):
    """Weight 0.01 and μ = 0.5: a pull of 0.0049 is held, and of one of 0.0051 a fiftieth acts."""
    drawn = np.zeros((2, 2, axes))
    drawn[:, 1, 0] = 1.0
    load = np.zeros((2, 2, axes))
    load[:, 0, -1] = -0.01
    load[:, 0, -2] = 0.0049, 0.0051
    made = machines(drawn, np.zeros((0, 2), int), load=load, free=[True, False])
    settled = relax(made, 100, floor=Floor(0.5))
    np.testing.assert_array_equal(settled.points[0], drawn[0])
    assert settled.residual[0] == 0.0
    assert settled.points[1, 0, -2] > 0.0
    assert settled.residual[1] == pytest.approx(0.0001)


def test_a_node_that_is_lifted_is_not_held():
    load = [[0.001, 0.001], [0.0, 0.0]]
    made = machines(np.zeros((1, 2, 2)), np.zeros((0, 2), int), load=load)
    x, y = relax(made, 1, floor=Floor(10.0), cap=1.0).points[0, 0]
    assert x == y


DEGENERATE = {
    "all nodes in one place": {"drawn": np.zeros((1, 8, 2)), "rest": 1.0},
    "lengths of zero": {"rest": 0.0},
    "loads beyond all bounds": {"load": np.linspace(-1e38, 1e38, 16).reshape(8, 2)},
    "stiffness from next to nothing to next to everything": {"stiffness": np.geomspace(1e-30, 1e30, 12)},
    "no links": {"stiffness": 0.0},
    "targets out of reach": {"target": 1e6},
    "nothing free": {"free": False},
}


@pytest.mark.few(4)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("floor", [None, Floor(0.5)], ids=["space", "floor"])
@pytest.mark.parametrize("given", DEGENERATE.values(), ids=DEGENERATE)
def test_nothing_is_ever_nan(given, floor, dtype):
    rng = np.random.default_rng(0)
    drawn = given.get("drawn", rng.random((1, 8, 2)))
    made = machines(drawn, PAIRS[:12], **{key: value for key, value in given.items() if key != "drawn"})
    settled = relax(made, 300, drive=[0.0, 1.0], floor=floor, dtype=dtype, trace=[0])
    for field in FIELDS:
        assert not np.isnan(getattr(settled, field)).any()
    assert np.isfinite(settled.points).all()


def test_nodes_in_one_place_are_reported():
    made = machines(np.zeros((1, 2, 2)), [(0, 1)], rest=1.0)
    assert relax(made, 100).length_error[0] == 1.0


LINE = {"drawn": np.array([[[0.0, 0.0], [1.0, 0.0]]]), "ends": [(0, 1)]}
BAD = {
    r"drawn: shape \(2, 2\)": {"drawn": [[0, 0], [1, 0]]},
    r"\(1, 2, 4\)": {"drawn": np.zeros((1, 2, 4))},
    r"\(0, 2, 2\)": {"drawn": np.zeros((0, 2, 2))},
    r"drawn\[0, 1, 0\] = nan": {"drawn": [[[0, 0], [np.nan, 0]]]},
    r"ends: shape \(3,\)": {"ends": [0, 1, 1]},
    r"ends: nodes 0 to 2; they are 0 to 1": {"ends": [(0, 2)]},
    r"rest\[0, 0\] = -1": {"rest": -1.0},
    r"target: shape \(3,\) does not fit \(1, 1\)": {"target": [1.0, 1.0, 1.0]},
    r"stiffness\[0, 0\] = inf": {"stiffness": np.inf},
    r"laws: \[7\]": {"laws": 7},
    r"bands\[0, 0\] = 0": {"laws": STRING, "bands": 0.0},
}


@pytest.mark.parametrize(("message", "given"), BAD.items(), ids=BAD)
def test_machines_that_cannot_be_are_refused(message, given):
    with pytest.raises(PliantError, match=message):
        machines(**(LINE | given))


WRONG = {
    r"drive: \(1, 3, 5\)": {"drive": np.zeros((3, 5))},
    r"drive: \(1, 0, 1\)": {"drive": []},
    "iterations = -1": {"iterations": -1},
    "alpha = 0": {"alpha": 0.0},
    "eta = 1.5": {"eta": 1.5},
    "least = 0": {"least": 0.0},
    "cap = inf": {"cap": np.inf},
    r"trace = \[2\]: nodes are 0 to 1": {"trace": [2]},
}


@pytest.mark.parametrize(("message", "given"), WRONG.items(), ids=WRONG)
def test_what_a_run_cannot_mean_is_refused(message, given):
    with pytest.raises(PliantError, match=message):
        relax(machines(**LINE), **({"iterations": 1} | given))


def test_machines_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        machines(**LINE).rest[:] = 2.0


def test_every_machine_has_a_status():
    """A triangle whose side comes to its target, one that cannot close, and both without the time."""
    drawn = np.array([[[0.0, 0], [4, 0], [1, 3]]] * 2)
    links = [[0, 1], [1, 2], [0, 2]]
    target = drawn_lengths(drawn, np.array(links))
    target[0, 1] *= 1.1
    target[1] = [4, 1, 1]
    free = [False, True, True]
    settled = relax(machines(drawn, links, target=target, free=free), 4000, drive=np.linspace(0.1, 1, 10))
    assert settled.statuses == (RelaxStatus.CONVERGED, RelaxStatus.LOCKED)
    soon = relax(machines(drawn, links, target=target, free=free), 2)
    assert set(soon.statuses) == {RelaxStatus.NOT_CONVERGED}
    assert settled.summary().split()[0] == "1"


def test_as_it_is_called_it_settles_most_machines():
    """Random four-bars with a coupler's point, driven by a strut."""
    rng = np.random.default_rng(0)
    drawn = np.array([[0, 0], [40, 0], [0, 30], [45, 35], [25, 60]])
    links = np.array([[0, 2], [2, 3], [3, 1], [2, 4], [3, 4], [1, 2]])
    many = drawn + rng.normal(scale=2, size=(500, 5, 2))
    many[:, :2] = drawn[:2]
    target = drawn_lengths(many, links)
    target[:, -1] *= 0.8
    made = machines(many, links, target=target, free=[False, False, True, True, True])
    settled = relax(made, 200, drive=np.linspace(0.05, 1, 20))
    assert settled.statuses.count(RelaxStatus.CONVERGED) > 490
