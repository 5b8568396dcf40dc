"""What comes back: the keys of its JSON, and that they say what the frames do."""

import json

import numpy as np
import pytest

from pliant.core.motion import Motion
from pliant.relax.generate import peaucellier, stewart
from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.solve import solve
from pliant.relax.status import RelaxStatus

LOCKED = Mechanism.model_validate(
    {
        "nodes": {"a": (0, 0), "b": (2, 0), "c": (1, 1), "d": (1, 3)},
        "ground": ["a", "b", "d"],
        "bars": [{"nodes": ["a", "c"]}, {"nodes": ["b", "c"]}],
        "actuators": [{"nodes": ["c", "d"], "to": 1}],
    }
)


@pytest.fixture(scope="module")
def run():
    return solve(peaucellier(), RelaxStudy(frames=3))


@pytest.fixture(scope="module")
def locked():
    return solve(LOCKED, RelaxStudy(method="sync", frames=3))


def test_the_keys_are_those_of_the_design(run):
    always = {"kind", "command", "status", "message", "seconds", "version", "model"}
    relax = {"nodes", "iterations", "residual", "length_error", "internal_load", "locked"}
    relax |= {"assembly_kept", "freedoms"}
    more = {"method", "carriers", "locks_at", "ways", "warnings", "path", "shares", "motion"}
    more |= {"forces", "torques", "reactions", "stiffness"}
    assert set(run.to_dict()) == always | relax | more


def test_all_of_it_is_json(run, locked):
    for found in (run, locked):
        data = found.to_dict()
        assert json.loads(json.dumps(data, allow_nan=False)) == data


def test_kind_command_and_status_are_in_lower_case(run, locked):
    assert (run.to_dict()["kind"], run.to_dict()["command"]) == ("mechanism", "relax")
    assert run.to_dict()["status"] == "converged"
    assert locked.to_dict()["status"] == "locked"
    assert locked.to_dict()["message"] == RelaxStatus.LOCKED.sentence
    assert locked.to_dict()["method"] == "sync"


def test_nodes_are_where_they_came_to_rest(run):
    assert list(run.nodes) == list("ABCDEF")
    np.testing.assert_array_equal(list(run.nodes.values()), run.frames[-1].x)
    assert run.nodes == run.to_dict()["nodes"]


def test_the_path_has_every_frame(run):
    data = run.to_dict()
    assert data["shares"] == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert run.points.shape == (4, 6, 2)
    np.testing.assert_array_equal(data["path"]["F"], run.points[:, 5])


def test_hidden_nodes_are_not_shown():
    """A plate so thin that it has a corner beside it."""
    nodes = {"a": (0, 0), "b": (4, 0), "m": (2, 0.01), "g": (0, 3)}
    model = {"nodes": nodes, "ground": ["a", "g"], "plates": [{"nodes": list("abm")}]}
    found = solve(Mechanism.model_validate(model | {"bars": [{"nodes": ["m", "g"]}]}))
    assert len(found.network.names) == 5
    assert list(found.to_dict()["nodes"]) == list(nodes)
    assert found.points.shape[1] == 4


def test_what_an_answer_can_be_trusted_for_is_in_it(locked):
    data = locked.to_dict()
    assert data["locked"] is True
    assert data["internal_load"] == locked.assessment.loads[-1] > 0.1
    assert data["length_error"] == locked.assessment.length_errors[-1] > 0.1
    assert data["residual"] == locked.frames[-1].residual < 1e-9
    assert data["locks_at"] == pytest.approx(1 / 3)
    assert data["carriers"][0]["element"] == "actuator c-d"
    assert {carrier["element"] for carrier in data["carriers"]} == {"actuator c-d", "bar a-c", "bar b-c"}


def test_warnings_have_a_share_a_kind_and_a_text():
    model = {"nodes": {"o": (0, 0), "p": (0, 1)}, "ground": ["o"], "gravity": (0, -1)}
    bars = [{"nodes": ["o", "p"]}]
    found = solve(Mechanism.model_validate(model | {"bars": bars}), RelaxStudy(frames=1))
    (warning,) = found.to_dict()["warnings"]
    assert set(warning) == {"share", "kind", "text"}
    assert warning["kind"] == "unstable"


def test_freedoms_are_those_left_with_the_drive_held(run):
    assert run.freedoms == 0
    loose = peaucellier().model_copy(update={"rotors": ()})
    assert solve(loose, RelaxStudy(frames=1)).to_dict()["freedoms"] == 1


def test_singular_values_are_of_every_frame(run):
    assert run.singular_values.shape == (4,)
    assert (run.singular_values > 1e-3).all()


def test_iterations_are_those_of_the_run(run, locked):
    assert run.iterations == run.to_dict()["iterations"] == run.frames[-1].iterations
    assert locked.iterations == sum(map(len, locked.history))
    assert run.history == ()


def test_the_phases_are_timed(run):
    assert list(run.seconds) == ["build", "run", "check"]
    assert all(seconds >= 0 for seconds in run.seconds.values())


def test_the_same_model_has_the_same_hash_and_another_has_not(run):
    again = solve(peaucellier(), RelaxStudy(frames=1))
    other = solve(stewart(1), RelaxStudy(frames=1))
    assert again.to_dict()["model"] == run.to_dict()["model"] != other.to_dict()["model"]


def test_it_can_be_seen_and_told(run):
    assert isinstance(run.motion, Motion)
    assert run.motion is run.motion  # made once
    assert run.plots()
    assert run.summary()
