"""Auto: increments of its own choosing, lengths that hold under load, and doubts that are told."""

import numpy as np
import pytest

from pliant.core.progress import silent
from pliant.relax.assemble.build import build
from pliant.relax.generate import peaucellier, stewart, stewart_end
from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.solve import solve
from pliant.relax.solvers import auto as module
from pliant.relax.solvers import equilibrium as resting
from pliant.relax.solvers import run_state as runs
from pliant.relax.solvers import stops
from pliant.relax.solvers.auto import follow
from pliant.relax.solvers.record import Record
from pliant.relax.solvers.run_state import is_determined, newton_obstacle
from pliant.relax.status import RelaxStatus


def pairs(*names, **values):
    return [{"nodes": list(pair), **values} for pair in names]


def solved(frames=4, **model):
    study = model.pop("study", {})
    return solve(Mechanism.model_validate(model), RelaxStudy(frames=frames, **study))


def kinds(found):
    return [notice.kind for notice in found.assessment.notices]


# Increments


def test_frames_are_at_equal_shares_and_all_at_rest():
    record = Record()
    follow(build(stewart(2)), RelaxStudy(frames=5), record, silent)
    assert [frame.share for frame in record.frames] == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1])
    assert all(frame.settled for frame in record.frames)
    assert max(frame.residual for frame in record.frames) < 1e-11
    assert max(np.abs(frame.elongations.links).max() for frame in record.frames) < 1e-11
    np.testing.assert_allclose(record.frames[-1].x, stewart_end(2), atol=1e-10)


def test_steps_may_be_left_straight():
    bent, straight = (solve(stewart(3), RelaxStudy(frames=1, bend=bend)) for bend in (True, False))
    np.testing.assert_allclose(straight.points[-1], bent.points[-1], atol=1e-9)


# A plate that an actuator, 2 long, pushes along a line by 0.4.
PLATE = Mechanism.model_validate(
    {
        "nodes": {"o": (0, 0), "a": (2, 0), "b": (3, 0), "c": (2.5, 1)},
        "ground": ["o"],
        "actuators": pairs("oa", to=2.4),
        "plates": [{"nodes": ["a", "b", "c"]}],
        "guides": [{"node": "a", "line": (1, 0)}, {"node": "b", "line": (1, 0)}],
    }
)


def followed(monkeypatch, frames, flips):
    """The run of PLATE, and the shares it tried; Newton's steps turn the plate over where `flips` says."""
    real, tried, record = resting.settle, [], Record()

    def settle(state, *rest):
        found = real(state, *rest)
        tried.append(round((state.rest[0] - 2) / 0.4, 9))
        if flips(tried[-1]):
            state.x[3, 1] = -1
        return found

    monkeypatch.setattr(resting, "settle", settle)
    net = build(PLATE)
    monkeypatch.setitem(net.__dict__, "structure", None)  # increment by increment
    follow(net, RelaxStudy(frames=frames), record, silent)
    return record, tried


def test_an_easy_drive_is_taken_in_one_increment_whatever_the_frames(monkeypatch):
    record, tried = followed(monkeypatch, 2, lambda share: False)
    assert list(dict.fromkeys(tried)) == [0, 1, 0.5]
    assert [frame.share for frame in record.frames] == [0, 0.5, 1]
    assert record.frames[-1].x[3] == pytest.approx([2.9, 1], abs=1e-9)


def test_increments_are_halved_where_a_body_would_turn_inside_out(monkeypatch):
    reached = [0.0]

    def flips(share):
        """Where the increment is more than 0.3 of the drive."""
        if share - reached[-1] > 0.3:
            return True
        reached.append(share)
        return False

    record, tried = followed(monkeypatch, 1, flips)
    assert list(dict.fromkeys(tried)) == [0, 1, 0.5, 0.25, 0.75]
    assert record.frames[-1].x[3] == pytest.approx([2.9, 1], abs=1e-9)
    assert record.notices == []


def test_a_body_that_turns_inside_out_in_the_smallest_increment_is_told(monkeypatch):
    record, _ = followed(monkeypatch, 2, lambda share: share > 0.6)
    (notice,) = record.notices
    assert (notice.kind, notice.text) == ("branch", "plate a-b-c turned inside out")
    assert 0.6 < notice.share < 0.6 + 1.01 * stops.SMALLEST
    assert record.frames[-1].x[3] == pytest.approx([2.9, -1], abs=1e-9)


def test_a_load_that_snaps_a_truss_through_is_told_as_a_jump():
    found = solved(
        nodes={"a": (-1, 0), "b": (1, 0), "p": (0, 0.8)},
        ground=["a", "b"],
        bars=pairs("ap", "bp", stiffness=1),
        loads=[{"node": "p", "force": (0, 0), "to": (0, -0.3)}],
        frames=10,
    )
    assert found.status is RelaxStatus.BRANCH_DOUBTFUL
    assert kinds(found) == ["snap"]
    height = found.points[:, 2, 1]
    jump = int(np.argmin(np.diff(height)))
    assert height[jump] > 0 > height[jump + 1]
    assert found.shares[jump] <= found.assessment.notices[0].share <= found.shares[jump + 1]
    # At its limit load the apex is where the force 2 k (1 − l₀/l) y is largest: y² = l₀^⅔ − 1.
    rest = np.hypot(1, 0.8)
    top = np.sqrt(rest ** (2 / 3) - 1)
    limit = 2 * top * (rest / np.hypot(1, top) - 1)
    assert found.assessment.notices[0].share == pytest.approx(limit / 0.3, abs=2e-9)


def test_a_lock_stops_the_drive_where_it_only_strains():
    found = solved(
        frames=20,
        nodes={"a": (0, 0), "b": (30, 0), "c": (27, np.sqrt(40))},
        ground=["a", "b"],
        bars=pairs("bc"),
        actuators=pairs("ac", to=22),
    )
    assert found.status is RelaxStatus.LOCKED
    assert kinds(found) == ["fold"]
    assert found.shares[-1] < 1
    assert found.nodes["c"] == pytest.approx([23, 0], abs=0.1)


# Lengths that hold under load

LOADED = {
    "weights on a chain": {
        "nodes": {"o": (0, 0), "p": (1, 0), "q": (2, 0)},
        "ground": ["o"],
        "bars": pairs("op", "pq"),
        "gravity": (0, -1),
    },
    "a spring on a bar": {
        "nodes": {"o": (0, 0), "p": (1, 0), "g": (3, 1)},
        "ground": ["o", "g"],
        "bars": pairs("op"),
        "springs": pairs("pg", stiffness=2, length=0.5),
    },
    "a weight on two strings": {
        "nodes": {"o": (0, 0), "w": (3, 0), "p": (1.5, -1)},
        "ground": ["o", "w"],
        "strings": [*pairs("op", length=2), *pairs("wp", length=2.5)],
        "gravity": (0, -1),
    },
    "a plate on a string": {
        "nodes": {"a": (0, 0), "b": (2, 0), "c": (1, 1), "d": (1, 0.3), "w": (0, 3)},
        "ground": ["a", "w"],
        "plates": [{"nodes": ["a", "b", "c", "d"]}],
        "strings": pairs("wb"),
        "gravity": (0, -1),
    },
    "a weight on a bumper": {
        "nodes": {"o": (0, 0), "p": (0, 1.5)},
        "ground": ["o"],
        "bumpers": pairs("op", length=1),
        "guides": [{"node": "p", "line": (0, 1)}],
        "gravity": (0, -1),
    },
    "a weight on a rotor": {
        "nodes": {"o": (0, 0), "g": (1, 0), "p": (1, 1)},
        "ground": ["o", "g"],
        "bars": pairs("op"),
        "rotors": [{"joint": "o", "arms": ["g", "p"], "to": -1}],
        "gravity": (0, -1),
    },
    "a weight on a cylinder": {
        "nodes": {"o": (0, 0), "p": (0, 2)},
        "ground": ["o"],
        "cylinders": [{"lines": [["o", "p"]], "to": 1}],
        "guides": [{"node": "p", "line": (0, 1)}],
        "gravity": (0, -1),
    },
}


@pytest.mark.parametrize("model", LOADED.values(), ids=LOADED)
def test_lengths_hold_under_load_though_elements_give_way(model):
    found = solved(stiffness=50, **model)
    assert found.status is RelaxStatus.CONVERGED
    assert found.length_error < 1e-10
    assert kinds(found) == []
    ends = found.frames[-1].elongations
    carried = np.concatenate([ends.link_forces, ends.coupling_forces])
    assert np.abs(carried).max() > 0.3  # by which they would give 0.006
    assert max(found.assessment.length_errors) < 1e-9


def test_a_soft_model_and_a_stiff_one_come_to_rest_alike():
    soft, stiff = (solved(stiffness=k, **LOADED["a spring on a bar"]) for k in (20, 2e5))
    np.testing.assert_allclose(soft.points[-1], stiff.points[-1], atol=1e-8)


def test_a_string_that_goes_slack_again_is_not_kept_short():
    """The load swings to the other string, and the first one must let go of what it gave in."""
    found = solved(
        frames=8,
        nodes={"o": (0, 0), "w": (3, 0), "p": (0.3, -1)},
        ground=["o", "w"],
        strings=[*pairs("op", length=1.5), *pairs("wp", length=3.2)],
        loads=[{"node": "p", "force": (0, -1), "to": (3, -1)}],
        stiffness=20,
    )
    assert found.status is RelaxStatus.CONVERGED
    first, last = found.points[1, 2], found.points[-1, 2]
    assert np.hypot(*first) == pytest.approx(1.5, abs=1e-3)
    # In the end o-p hangs along (3, −1), and w-p is slack.
    np.testing.assert_allclose(last, 1.5 * np.array([3, -1]) / np.sqrt(10), atol=1e-3)
    assert np.hypot(*(last - (3, 0))) < 3.2
    assert found.length_error < 1e-10


def test_a_locked_mechanism_under_load_gives_way_as_its_stiffness_has_it():
    found = solved(
        nodes={"a": (0, 0), "b": (2, 0), "c": (1, 1), "d": (1, 3)},
        ground=["a", "b", "d"],
        bars=pairs("ac", "bc"),
        actuators=pairs("cd", to=1.5),
        gravity=(0, -0.01),
        stiffness=10,
    )
    assert found.status is RelaxStatus.LOCKED
    assert kinds(found) == ["lock"]
    y, asked = found.nodes["c"][1], 2 - 0.5 * found.shares[-1]
    up, bars = 10 * (3 - y - asked), 10 * (np.hypot(1, y) - np.sqrt(2))
    assert up - 2 * bars * y / np.hypot(1, y) == pytest.approx(0.01, abs=1e-8)


def test_a_lock_on_the_way_is_no_success_though_the_drive_would_come_back():
    found = solved(
        nodes={"a": (0, 0), "b": (2, 0), "c": (1, 1), "d": (1, 3)},
        ground=["a", "b", "d"],
        bars=pairs("ac", "bc"),
        actuators=pairs("cd", to=(1.5, 2)),
        gravity=(0, -0.01),
        stiffness=10,
    )
    assert found.status is RelaxStatus.LOCKED
    assert found.assessment.locks_at == pytest.approx(0, abs=1e-6)


# Where a disturbance would grow

UPRIGHT = {"nodes": {"o": (0, 0), "p": (0, 1)}, "ground": ["o"], "bars": pairs("op"), "gravity": (0, -1)}


def test_lipson_fig_3_an_unstable_rest_is_told():
    found = solved(frames=1, **UPRIGHT)
    assert found.nodes["p"] == pytest.approx([0, 1], abs=1e-9)
    assert kinds(found) == ["unstable"]
    assert found.status is RelaxStatus.CONVERGED


@pytest.mark.parametrize("seed", range(3))
def test_lipson_fig_3_noise_lets_it_fall_and_leaves_no_trace(seed):
    found = solved(frames=1, study={"noise": 1e-6, "seed": seed}, **UPRIGHT)
    assert found.nodes["p"] == pytest.approx([0, -1], abs=1e-9)
    assert kinds(found) == []


@pytest.mark.parametrize("degrees", [10, 90, 170, 179])
def test_a_pendulum_hangs_down_wherever_it_is_let_go(degrees):
    angle = np.radians(degrees)
    nodes = {"o": (0, 0), "p": (np.sin(angle), -np.cos(angle))}
    found = solved(frames=1, **UPRIGHT | {"nodes": nodes})
    assert found.nodes["p"] == pytest.approx([0, -1], abs=1e-9)
    assert kinds(found) == []


# Where Newton's steps do not do


def test_momentum_helps_where_newtons_steps_do_not_come_to_rest(monkeypatch):
    real, calls = resting.settle, []

    def fails_at_first(state, *rest):
        calls.append(1)
        found = real(state, *rest)
        return found._replace(at_rest=False) if len(calls) == 1 else found

    monkeypatch.setattr(resting, "settle", fails_at_first)
    record = Record()
    follow(build(peaucellier()), RelaxStudy(frames=1), record, silent)
    (notice,) = record.notices
    assert notice.kind == "fallback"
    assert "momentum relaxation went on" in notice.text
    assert record.frames[-1].settled


def test_a_mechanism_that_never_rests_stops_and_says_so(monkeypatch):
    real = resting.settle
    monkeypatch.setattr(resting, "settle", lambda *given: real(*given)._replace(at_rest=False))
    monkeypatch.setattr(resting, "RESCUE", 10)
    record = Record()
    follow(build(peaucellier()), RelaxStudy(frames=4), record, silent)
    assert not record.frames[-1].settled
    assert "limit" in [notice.kind for notice in record.notices]
    assert len(record.frames) < 5


def test_large_factors_are_a_reason_not_to_begin_and_friction_is_none(monkeypatch):
    net = build(stewart(1))
    assert newton_obstacle(net) == ""
    monkeypatch.setattr(runs, "MOST", 44)
    assert newton_obstacle(net) == "its stiffness would hold more than 44 numbers"  # nine unknowns have 45
    guides = [{"node": "p", "line": (1, 0), "friction": 0.1}]
    assert newton_obstacle(build(Mechanism.model_validate(UPRIGHT | {"guides": guides}))) == ""


@pytest.mark.few(3)
@pytest.mark.parametrize("radius", [1, 0.1, 1e-3, 1e-5])
@pytest.mark.parametrize(
    "more", [{}, {"gravity": (0, -9.81)}, {"springs": [{"nodes": ["g", "p"], "stiffness": 2, "length": 1}]}]
)
def test_a_contact_locks_a_drive_and_is_named(radius, more):
    """The wall is met at (2 − radius)/5 of the drive, and carries what the actuator presses with."""
    fields = {
        "nodes": {"g": (-5, 0), "p": (-2, 0), "u": (0, -1), "v": (0, 1)},
        "ground": ["g", "u", "v"],
        "guides": [{"node": "p", "line": (1, 0)}],
        "actuators": [{"nodes": ["g", "p"], "to": 8}],
        "contacts": [{"members": [["p", "p"], ["u", "v"]], "radius": radius}],
    }
    result = solve(Mechanism.model_validate(fields | more))
    assert result.status is RelaxStatus.LOCKED
    assert result.assessment.locks_at == pytest.approx((2 - radius) / 5, abs=0.02)
    assert {name for name, _ in result.assessment.carriers} == {"actuator g-p", "contact p on u-v"}
    assert result.iterations < 5000


@pytest.mark.parametrize("radius", [1, 0.1, 1e-3, 1e-5])
def test_balls_do_not_sink_however_small_they_are(radius):
    fields = {
        "nodes": {"l": (-10, 0), "r": (10, 0), "p": (0.3, 2)},
        "ground": ["l", "r"],
        "contacts": [{"members": [["p", "p"]], "against": [["l", "r"]], "radius": radius}],
        "guides": [{"node": "p", "line": (0, 1)}],
        "gravity": (0, -9.81),
    }
    result = solve(Mechanism.model_validate(fields), RelaxStudy(frames=1))
    assert result.status is RelaxStatus.CONVERGED
    assert result.nodes["p"] == pytest.approx([0.3, radius], abs=1e-12)
    assert result.length_error < 1e-12


def test_sliders_hold_to_rounding_under_load_in_the_plane_and_in_space():
    """A weight on a bar that a spring holds up."""
    for more in ((), (0,)):
        fields = {
            "nodes": {"o": (0, 0, *more), "e": (10, 0, *more), "s": (6, 0, *more), "t": (6, 5, *more)},
            "ground": ["o", "t"],
            "bars": [{"nodes": ["o", "e"]}],
            "sliders": [{"node": "s", "on": ["o", "e"]}],
            "springs": [{"nodes": ["s", "t"], "stiffness": 3}],
            "loads": [{"node": "e", "force": (0, -9, *more)}],
        }
        result = solve(Mechanism.model_validate(fields), RelaxStudy(frames=1))
        (ex, ey), (sx, sy) = result.nodes["e"][:2], result.nodes["s"][:2]
        assert abs(ex * sy - ey * sx) / 10 < 1e-12
        assert result.length_error < 1e-12


def test_a_load_passes_from_one_contact_to_another_as_it_goes_over():
    """A beam on three flats, the middle one highest: it lies on that, and on the one it is heavier at."""
    flats = {
        f"{flat}{end}": (x + end, top)
        for flat, x, top in (("p", -3.5, 0.9), ("q", -0.5, 0.92), ("s", 2.5, 0.9))
        for end in (0, 1)
    }
    fields = {
        "nodes": {"a": (-3, 1.05), "b": (0, 1.05), "c": (3, 1.05), "m": (0.1, 2), **flats},
        "ground": ["p0", "p1", "q0", "q1", "s0", "s1"],
        "plates": [{"nodes": ["a", "b", "c", "m"]}],
        "guides": [{"node": "b", "line": (0, 1)}],
        "contacts": [
            {"members": [["a", "a"]], "against": [["p0", "p1"]], "radius": 0.1},
            {"members": [["b", "b"]], "against": [["q0", "q1"]], "radius": 0.1},
            {"members": [["c", "c"]], "against": [["s0", "s1"]], "radius": 0.1},
        ],
        "gravity": (0, -10),
        "masses": {"a": 0, "b": 0, "c": 0, "m": 1},
    }
    result = solve(Mechanism.model_validate(fields), RelaxStudy(frames=1))
    assert result.status is RelaxStatus.CONVERGED
    assert result.length_error < 1e-10
    assert result.nodes["b"][1] == pytest.approx(1.02, abs=1e-9)
    assert result.nodes["a"][1] > 1.02 > result.nodes["c"][1]


def test_it_is_determined_where_lengths_are_as_many_as_unknowns():
    assert is_determined(build(stewart(2)))
    assert is_determined(build(peaucellier()))
    assert not is_determined(build(peaucellier().model_copy(update={"rotors": ()})))
    assert not is_determined(build(Mechanism.model_validate(UPRIGHT)))
    strings = Mechanism.model_validate(UPRIGHT | {"strings": pairs("op")})
    assert not is_determined(build(strings))  # a string may be slack
    four_legs = stewart(1).model_copy(update={"actuators": stewart(1).actuators[:4]})
    assert not is_determined(build(four_legs))  # the sides of the plate on the ground do not count


def test_a_mechanism_that_takes_far_too_much_work_ends_unconverged(monkeypatch):
    monkeypatch.setattr(module, "LABOUR", 0)
    monkeypatch.setattr(module, "PATIENCE", 0)
    monkeypatch.setattr("pliant.relax.solvers.continuation.assur_groups", lambda net: None)
    result = solve(peaucellier())
    assert result.status is RelaxStatus.NOT_CONVERGED
    assert any("factorisations brought it no further" in notice.text for notice in result.assessment.notices)
