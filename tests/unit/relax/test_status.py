"""Every ending of a run is reached, and by each method that can reach it."""

import pytest

from pliant.core.status import ANSWERED, NO_ANSWER
from pliant.relax.generate import peaucellier
from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.solve import solve
from pliant.relax.status import RelaxStatus


def pairs(*names, **values):
    return [{"nodes": list(pair), **values} for pair in names]


TRIANGLE = {"a": (0, 0), "b": (2, 0), "c": (1, 1), "d": (1, 3)}
SQUARE = {"a": (0, 0), "b": (1, 0), "c": (1, 1), "d": (0, 1)}
TRUSS = {"a": (-1, 0), "b": (1, 0), "p": (0, 0.8)}

CASES = {
    RelaxStatus.CONVERGED: (peaucellier(), {"frames": 4}),
    RelaxStatus.LOCKED: (
        # c is held by two bars, and the actuator asks it to come nearer to d
        Mechanism.model_validate(
            {
                "nodes": TRIANGLE,
                "ground": ["a", "b", "d"],
                "bars": pairs("ac", "bc"),
                "actuators": pairs("cd", to=1),
            }
        ),
        {"frames": 4},
    ),
    RelaxStatus.DEAD_CENTRE: (
        # two bars in one line, whose ends come nearer
        Mechanism.model_validate(
            {
                "nodes": {"a": (0, 0), "c": (1, 0), "b": (2, 0)},
                "ground": ["a"],
                "bars": pairs("ac", "cb"),
                "guides": [{"node": "b", "line": (1, 0)}],
                "actuators": pairs("ab", to=1.2),
            }
        ),
        {"frames": 4},
    ),
    RelaxStatus.OVER_CONSTRAINED: (
        # both diagonals of a square, one of them too short
        Mechanism.model_validate(
            {
                "nodes": SQUARE,
                "ground": ["a", "b"],
                "bars": [*pairs("bc", "cd", "da", "ac"), *pairs("bd", length=1.3)],
            }
        ),
        {"frames": 2},
    ),
    RelaxStatus.BRANCH_DOUBTFUL: (
        # two elastic bars that a growing load snaps through
        Mechanism.model_validate(
            {
                "nodes": TRUSS,
                "ground": ["a", "b"],
                "bars": pairs("ap", "bp", stiffness=1),
                "loads": [{"node": "p", "force": (0, 0), "to": (0, -0.3)}],
            }
        ),
        {"frames": 4},
    ),
    RelaxStatus.NOT_CONVERGED: (peaucellier(), {"method": "sync", "frames": 4, "iterations": 50}),
}


def test_no_ending_is_left_out():
    assert set(CASES) == set(RelaxStatus)


@pytest.mark.parametrize("status", RelaxStatus, ids=lambda status: status.name)
def test_every_ending_is_reached(status):
    model, study = CASES[status]
    found = solve(model, RelaxStudy(**study))
    assert found.status is status
    assert found.locked == (status is RelaxStatus.LOCKED)
    assert found.assembly_kept or status is not RelaxStatus.CONVERGED
    assert not (found.assembly_kept and status in (RelaxStatus.BRANCH_DOUBTFUL, RelaxStatus.NOT_CONVERGED))


@pytest.mark.parametrize("method", ["sync", "async", "momentum"])
@pytest.mark.parametrize(
    "status",
    [RelaxStatus.CONVERGED, RelaxStatus.LOCKED, RelaxStatus.OVER_CONSTRAINED],
    ids=lambda one: one.name,
)
def test_methods_agree_on_how_it_ends(status, method):
    model, study = CASES[status]
    assert solve(model, RelaxStudy(**study | {"method": method})).status is status


def test_all_endings_but_one_are_answers():
    codes = {status: status.exit_code for status in RelaxStatus}
    assert codes.pop(RelaxStatus.NOT_CONVERGED) == NO_ANSWER
    assert set(codes.values()) == {ANSWERED}


def test_endings_are_sentences():
    for status in RelaxStatus:
        assert str(status) == status.sentence
        assert status.sentence[0].islower()
        assert len(status.sentence.split()) > 5
