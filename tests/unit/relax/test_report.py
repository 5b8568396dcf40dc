"""A mechanism's run in words."""

from dataclasses import replace

import numpy as np
import pytest
from tests.solved import solved

from pliant.relax.diagnose.rank import Freedom
from pliant.relax.model import Mechanism
from pliant.relax.report import force_unit, sentence, summary
from pliant.relax.solve import solve
from pliant.relax.solvers.record import Notice
from pliant.relax.status import RelaxStatus

CARRIED = (("bar a-b", 412.04), ("bar b-c", -90.0), ("plate p", 7.0), ("rotor o", 3.0), ("weld q", 2.0))


def swing(**more) -> Mechanism:
    return Mechanism.model_validate(
        {
            "nodes": {"a": (0, 0), "b": (3, 4), "c": (8, 4)},
            "ground": ["a", "c"],
            "bars": [{"nodes": ["a", "b"]}],
            "actuators": [{"nodes": ["b", "c"], "to": 5.5}],
            **more,
        }
    )


def run(by_hand, model=None, **known):
    model = model or swing()
    return by_hand(model, np.tile(np.array(list(model.nodes.values())), (3, 1, 1)), **known)


def free(result, **found):
    """The result, with freedoms that need not be computed."""
    known = {
        "count": 0,
        "rigid": 0,
        "redundant": 0,
        "modes": np.zeros((0, 3, 2)),
        "singular": 1.0,
        "exact": True,
    }
    known |= {"second": found.get("count", known["count"]), "stiffness": np.zeros(0)}
    result.__dict__["freedom"] = Freedom(**{**known, **found})
    return result


def line(result, key: str) -> str:
    (found,) = [text for text in summary(result).split("\n") if text.startswith(f"  {key} ")]
    return found.removeprefix(f"  {key}").strip()


def test_one_that_converged_says_how_well_lengths_hold_and_what_is_left_free(by_hand):
    result = free(run(by_hand, length_errors=np.array([0, 2e-9, 3e-15])))
    assert sentence(result) == "Comes to rest where asked: every length holds to 3e-15 mm; no freedom left."
    assert line(result, "lengths") == "hold to 3e-15 mm, to 2e-09 mm on the way"
    assert line(result, "method") == "auto, 7 factorisations, 3 frames"


def test_one_that_is_not_driven_just_comes_to_rest(by_hand):
    still = Mechanism.model_validate(
        {"nodes": {"a": (0, 0), "b": (3, 4)}, "ground": ["a"], "bars": [{"nodes": ["a", "b"]}]}
    )
    modes = np.array([[[0, 0], [-0.8, 0.6]]])
    result = free(run(by_hand, still), count=1, modes=modes)
    assert sentence(result) == "Comes to rest: every length holds to 0 mm; 1 freedom left (drawn)."


def test_freedoms_that_springs_settle_are_said_to_be_left_to_them(by_hand):
    sprung = swing(springs=[{"nodes": ["a", "b"], "stiffness": 1}])
    assert "; 2 freedoms left to what is elastic." in sentence(free(run(by_hand, sprung), count=2))
    assert "; no freedom left." in sentence(free(run(by_hand, sprung)))


def test_a_lock_says_where_and_what_carries_it(by_hand):
    known = {"status": RelaxStatus.LOCKED, "carriers": CARRIED, "locks_at": 0.63}
    loaded = free(run(by_hand, swing(loads=[{"node": "b", "force": [0, -1]}]), **known))
    assert sentence(loaded) == (
        "Locks at 63 % of the drive: bar a-b (412 N), bar b-c (90 N), plate p (7 N), rotor o (3 N) "
        "and 1 more carry it."
    )
    assert line(loaded, "internal load") == "bar a-b: 412 N, pulled"
    assert "bar b-c: 90 N, pressed" in summary(loaded)


def test_without_stiffness_or_load_an_internal_load_is_called_an_error(by_hand):
    known = {"status": RelaxStatus.LOCKED, "carriers": (("bar a-b", 0.25),), "locks_at": 0.5}
    result = free(run(by_hand, **known))
    assert sentence(result) == "Locks at 50 % of the drive: bar a-b (off by 0.25 mm) carries it."
    assert "these measure errors, not forces" in summary(result)
    assert " N" not in summary(result)


def test_an_over_constrained_one_says_by_how_much(by_hand):
    known = {"status": RelaxStatus.OVER_CONSTRAINED, "carriers": (("bar a-b", 0.2),), "locks_at": 0.0}
    result = free(run(by_hand, length_errors=np.full(3, 0.321), **known))
    assert sentence(result) == (
        "Over-constrained as drawn: the lengths contradict each other by 0.321 mm; "
        "bar a-b (off by 0.2 mm) carries it."
    )


def test_a_doubtful_assembly_says_why(by_hand):
    notices = (Notice(0.4, "plate p turned inside out", "branch"),)
    known = {"status": RelaxStatus.BRANCH_DOUBTFUL, "notices": notices, "assembly_kept": False}
    result = free(run(by_hand, **known))
    assert sentence(result) == (
        "Comes to rest, but perhaps in another assembly than the one drawn: "
        "plate p turned inside out (at 40 % of the drive)."
    )
    assert line(result, "assembly") == "doubtful"
    assert line(result, "branch") == "plate p turned inside out (at 40 % of the drive)"


def test_one_that_did_not_converge_says_what_is_left_and_after_how_long(by_hand):
    model = swing(study={"method": "sync"}, gravity=[0, -9.81])
    history = (np.array([1.0, 0.5]),)
    result = free(run(by_hand, model, status=RelaxStatus.NOT_CONVERGED, iterations=12345, history=history))
    assert sentence(result) == (
        "Did not come to rest: a residual of 1e-14 N is left at 100 % of the drive, after 12,345 iterations."
    )
    lost = replace(result, frames=(*result.frames, replace(result.frames[-1], residual=np.inf)))
    assert sentence(lost) == (
        "Did not come to rest: no rest was found beyond 100 % of the drive, after 12,345 iterations."
    )


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({}, "no freedom with the drive held"),
        ({"count": 3, "rigid": 3}, "3 freedoms with the drive held, 3 of them of the whole as one body"),
        ({"count": 1, "redundant": 2}, "1 freedom with the drive held; 2 lengths more than needed"),
        ({"count": 40, "exact": False}, "at least 40 freedoms with the drive held"),
    ],
)
def test_freedoms_are_counted_in_words(by_hand, found, said):
    assert line(free(run(by_hand), **found), "freedoms") == said


def test_traced_nodes_say_where_they_end(by_hand):
    model = swing(study={"trace": ["b"]})
    places = np.tile(np.array(list(model.nodes.values())), (3, 1, 1))
    places[:, 1] = [(3, 4), (0, 5), (-3, 4)]
    result = free(by_hand(model, places))
    assert line(result, "b") == "from (3, 4) to (-3, 4) mm, 6.32456 along its path"


@pytest.mark.parametrize(
    "given",
    [
        {"stiffness": 5},
        {"springs": [{"nodes": ["a", "b"], "stiffness": 1}]},
        {"gravity": [0, -1]},
        {"fields": [{"centre": [0, 0], "strength": 1}]},
        {"bars": [{"nodes": ["a", "b"], "modulus": 2, "area": 3}]},
        {"actuators": [{"nodes": ["b", "c"], "to": 6, "stiffness": 2}]},
    ],
)
def test_forces_are_newtons_where_stiffness_or_loads_are_given(given):
    assert force_unit(swing(**given)) == "N"


def test_forces_are_no_newtons_in_pure_geometry():
    assert force_unit(swing()) == ""


@pytest.mark.slow
def test_forces_that_are_rounding_beside_a_reaction_are_not_told():
    """A train of gears: its bars carry nothing, which rounding made pulls and presses of 1e-11 N."""
    told = solved("gear-train").summary()
    assert "gear A-B turns with" in told
    assert "B is held with 2.667 N" in told
    assert "bar" not in told
    assert "C is held" not in told


def test_forces_are_told_wherever_something_gives_way():
    """Also where that is a pad alone: two bars press it, and each end of it holds."""
    result = solve(
        Mechanism.model_validate(
            {
                "ground": ["a", "b"],
                "nodes": {"a": [0, 0], "b": [30, 0], "p": [10, 0]},
                "actuators": [{"nodes": ["a", "p"], "to": 15}],
                "guides": [{"node": "p", "line": [1, 0]}],
                "bumpers": [{"nodes": ["p", "b"], "length": 18, "stiffness": 50}],
            }
        )
    )
    forces = result.to_dict()["forces"]
    assert forces["bumper p-b"][-1] == pytest.approx(-150)  # 15 left of 18, at 50 N/mm
    assert forces["actuator a-p"][-1] == pytest.approx(-150)
    assert "bumper p-b is pressed with 150 N at 100 %" in result.summary()
