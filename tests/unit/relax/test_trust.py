"""Whether an answer can be trusted: who carries internal loads, from when on, and in which assembly."""

import numpy as np
import pytest

from pliant.relax.generate import stewart, stewart_end
from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.solve import solve
from pliant.relax.status import RelaxStatus


def solved(study=None, **model):
    return solve(Mechanism.model_validate(model), study or RelaxStudy(frames=10))


def pairs(*names, **values):
    return [{"nodes": list(pair), **values} for pair in names]


# Internal loads

HELD = {
    "nodes": {"a": (0, 0), "b": (2, 0), "c": (1, 1), "d": (1, 3)},
    "ground": ["a", "b", "d"],
    "bars": pairs("ac", "bc"),
    "actuators": pairs("cd", to=1),
}


@pytest.mark.parametrize("method", ["sync", "momentum"])
def test_those_who_carry_a_lock_are_named_with_forces_that_balance(method):
    found = solved(RelaxStudy(method=method, frames=4), **HELD)
    forces = dict(found.assessment.carriers)
    assert next(iter(forces)) == "actuator c-d"
    assert forces["bar a-c"] == pytest.approx(forces["bar b-c"], rel=1e-6)
    c = np.array(found.nodes["c"])
    slope = (c - (0, 0))[1] / np.hypot(*c)
    assert forces["actuator c-d"] == pytest.approx(2 * slope * forces["bar a-c"], rel=1e-6)
    assert found.internal_load == pytest.approx(forces["actuator c-d"])


def test_carriers_are_named_once_the_strongest_first():
    """A plate that is pressed between two actuators carries the load in several links of one name."""
    found = solved(
        RelaxStudy(frames=4),
        nodes={"a": (0, 0), "b": (4, 0), "p": (1, 0), "q": (3, 0), "r": (2, 1)},
        ground=["a", "b", "r"],
        plates=[{"nodes": ["p", "q", "r"], "name": "wedge"}],
        actuators=pairs("ap", "qb", to=1.1),
    )
    assert found.status is RelaxStatus.LOCKED
    names = [name for name, _ in found.assessment.carriers]
    sizes = [abs(force) for _, force in found.assessment.carriers]
    assert sorted(names) == ["actuator a-p", "actuator q-b", "plate wedge"]
    assert sizes == sorted(sizes, reverse=True)


STOPS = {
    # The string lets p go to 1.5, and the actuator goes from 1 to 2.
    "a string": (
        {
            "nodes": {"o": (0, 0), "p": (1, 0), "w": (0, -1)},
            "ground": ["o", "w"],
            "guides": [{"node": "p", "line": (1, 0)}],
            "actuators": pairs("op", to=2),
            "strings": pairs("wp", length=np.sqrt(1.5**2 + 1)),
        },
        0.5,
        {"actuator o-p", "string w-p"},
    ),
    # c is 7 from b and b is 30 from a: c comes no nearer to a than 23.
    "a dead centre": (
        {
            "nodes": {"a": (0, 0), "b": (30, 0), "c": (27, np.sqrt(40))},
            "ground": ["a", "b"],
            "bars": pairs("bc"),
            "actuators": pairs("ac", to=22),
        },
        (np.hypot(27, np.sqrt(40)) - 23) / (np.hypot(27, np.sqrt(40)) - 22),
        {"actuator a-c", "bar b-c"},
    ),
}


@pytest.mark.few(2)
@pytest.mark.parametrize(("model", "share", "carriers"), STOPS.values(), ids=STOPS)
@pytest.mark.parametrize("frames", [10, 40])
def test_a_lock_is_told_from_the_frame_on_at_which_it_appears(model, share, carriers, frames):
    found = solved(RelaxStudy(frames=frames), **model)
    assert found.status is RelaxStatus.LOCKED
    assert found.assessment.locks_at == pytest.approx(share, abs=1e-8)
    assert {name for name, _ in found.assessment.carriers} == carriers


def test_a_mechanism_that_moves_freely_carries_nothing():
    found = solve(stewart(1), RelaxStudy(frames=3))
    assert found.assessment.carriers == ()
    assert found.assessment.locks_at is None
    assert found.assessment.loads.shape == found.assessment.length_errors.shape == (4,)
    assert found.internal_load < 1e-10
    assert found.length_error < 1e-12


def test_forces_that_hold_a_load_from_outside_are_no_internal_load():
    """A weight on two bars: they carry it, and nothing is at odds."""
    found = solved(
        nodes={"a": (0, 0), "b": (2, 0), "c": (1, -1)},
        ground=["a", "b"],
        bars=pairs("ac", "bc"),
        loads=[{"node": "c", "force": (0, -50)}],
    )
    assert found.status is RelaxStatus.CONVERGED
    assert np.abs(found.frames[-1].elongations.link_forces) == pytest.approx(50 / np.sqrt(2), rel=1e-6)
    assert found.internal_load < 1e-6
    assert found.assessment.carriers == ()


def test_springs_are_no_lengths_that_shall_hold():
    found = solved(
        nodes={"a": (0, 0), "b": (4, 0), "c": (1, 0)},
        ground=["a", "b"],
        springs=[*pairs("ac", stiffness=1, length=3), *pairs("cb", stiffness=1, length=3)],
        guides=[{"node": "c", "line": (1, 0)}],
    )
    assert found.status is RelaxStatus.CONVERGED
    assert found.nodes["c"] == pytest.approx([2, 0], abs=1e-9)
    assert found.length_error == found.internal_load == 0


# The assembly

MAST = stewart(3)


def test_a_residual_that_vanishes_in_another_assembly_is_told():
    """Three platforms whose legs jump to their lengths at once."""
    found = solve(MAST, RelaxStudy(method="sync", frames=1, increments=1, alpha=0.9, cap=100))
    assert found.residual < 1e-9
    assert found.length_error < 1e-8
    assert found.status is RelaxStatus.BRANCH_DOUBTFUL
    assert not found.assembly_kept
    (doubt,) = [notice for notice in found.assessment.notices if notice.kind == "branch"]
    apart = np.abs(found.points[-1] - stewart_end(3)).max()
    assert apart > 10
    assert doubt.text == f"followed by Newton's steps it comes to rest elsewhere, {apart:.3g} away"


def test_a_slow_drive_keeps_the_assembly():
    found = solve(MAST, RelaxStudy(method="sync", frames=1, increments=5000))
    np.testing.assert_allclose(found.points[-1], stewart_end(3), atol=1e-6)
    assert found.status is RelaxStatus.CONVERGED
    assert found.assembly_kept


def test_where_there_are_freedoms_left_there_is_no_one_place_to_compare_with():
    """Four legs in place of six: where the platform comes to rest depends on the way there."""
    loose = stewart(1).model_copy(update={"actuators": stewart(1).actuators[:4]})
    followed = solve(loose, RelaxStudy(frames=2))
    for method in ("sync", "momentum"):
        found = solve(loose, RelaxStudy(method=method, frames=2))
        assert np.abs(found.points[-1] - followed.points[-1]).max() > 1e-3
        assert found.status is RelaxStatus.CONVERGED
        assert found.assembly_kept


def parallelogram(frames, to):
    """Cranks 1 long, drawn half a radian above the line of their pivots."""
    x, y = np.cos(0.5), np.sin(0.5)
    return solved(
        RelaxStudy(frames=frames),
        nodes={"A": (0, 0), "B": (x, y), "C": (3 + x, y), "D": (3, 0)},
        ground=["A", "D"],
        bars=pairs("AB", "BC", "CD"),
        rotors=[{"joint": "A", "arms": ["D", "B"], "to": to}],
    )


@pytest.mark.parametrize("frames", [5, 10])
def test_a_parallelogram_that_passes_its_flat_pose_is_doubtful(frames):
    """There it may go on as a crossed one; with ten frames one is flat, with five none is."""
    found = parallelogram(frames, -1.0)
    assert found.status is RelaxStatus.BRANCH_DOUBTFUL
    doubts = [notice for notice in found.assessment.notices if notice.kind == "branch"]
    assert doubts
    for doubt in doubts:
        assert "singular pose" in doubt.text
        assert abs(doubt.share - 0.5) <= 1.01 / frames


def test_a_parallelogram_that_turns_short_of_it_is_not():
    found = parallelogram(10, -0.4)
    assert found.status is RelaxStatus.CONVERGED
    assert not found.assessment.notices


LIFT = {
    "nodes": {"a": (0, 60), "b": (80, 40), "c": (80, 10), "d": (0, 30), "g": (0, 0), "p": (110, 25)},
    "ground": ["a", "d", "g"],
    "bars": pairs("ab", "dc", "db"),  # with the last one a, b and d are rigid
    "plates": [{"nodes": ["b", "c", "p"]}],
    "actuators": pairs("gb", to=110),
}


@pytest.mark.few(2)
@pytest.mark.parametrize("seed", range(6))
def test_a_lock_stops_the_drive_in_the_assembly_drawn_whatever_rounding_does(seed):
    """The braced lift of the guide, as drawn (seed 0) and with nodes off by what rounding could be."""
    rounding = np.random.default_rng(seed).uniform(-1e-12, 1e-12, (6, 2)) if seed else np.zeros((6, 2))
    nodes = dict(zip(LIFT["nodes"], (1 + rounding) * list(LIFT["nodes"].values()), strict=True))
    found = solved(RelaxStudy(), **{**LIFT, "nodes": nodes})
    assert found.status is RelaxStatus.LOCKED
    assert found.assembly_kept
    assert found.assessment.locks_at == pytest.approx(0, abs=2e-9)
    assert found.frames[-1].share > 1e-3  # strained a little, to see what carries it
    assert [notice.kind for notice in found.assessment.notices] == ["lock"]
    assert [name for name, _ in found.assessment.carriers] == ["bar d-b", "actuator g-b", "bar a-b"]


def test_a_lock_is_no_excuse_for_a_jump():
    """Beside what locks later on, a load snaps a truss through."""
    model, share, _ = STOPS["a dead centre"]
    found = solved(
        nodes={**model["nodes"], "u": (35, 0), "v": (37, 0), "w": (36, 0.8)},
        ground=[*model["ground"], "u", "v"],
        bars=[*model["bars"], *pairs("uw", "vw", stiffness=1)],
        actuators=model["actuators"],
        loads=[{"node": "w", "force": (0, 0), "to": (0, -0.3)}],
    )
    assert found.status is RelaxStatus.LOCKED
    assert found.assessment.locks_at == pytest.approx(share, abs=1e-9)
    assert [notice.kind for notice in found.assessment.notices] == ["snap", "fold"]
    assert not found.assembly_kept
