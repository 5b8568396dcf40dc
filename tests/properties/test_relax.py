"""Over random mechanisms: how one is written down changes nothing, and nothing fails silently.

Poses are compared where lengths, or forces, determine them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import ortho_group
from tests.properties.random_frames import anything, loaded, truss

from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.result import RelaxResult
from pliant.relax.solve import solve
from pliant.relax.status import RelaxStatus

Floats = NDArray[np.float64]

seeds = st.integers(0, 99_999)
QUICK = RelaxStudy(frames=3)


def over_seeds(examples: int) -> Callable[[Callable], Callable]:
    """The same ones every time."""
    chosen = settings(max_examples=examples, deadline=None, derandomize=True)
    return lambda test: chosen(given(seed=seeds)(test))


def in_plane_and_space(test: Callable) -> Callable:
    return pytest.mark.parametrize("dimension", [2, 3])(test)


def of_both_families(test: Callable) -> Callable:
    return pytest.mark.parametrize("family", [truss, loaded])(in_plane_and_space(test))


def changed(model: Mechanism, **fields: Any) -> Mechanism:
    return Mechanism.model_validate({**model.model_dump(), **fields})


def end(model: Mechanism) -> Floats:
    """Where it comes to rest (N, D); it must, unless it falls: rounding may decide where it lands."""
    result = solve(model, QUICK)
    assume("snap" not in {notice.kind for notice in result.assessment.notices})
    assert result.status is RelaxStatus.CONVERGED
    return result.points[-1]


def vectors(model: Mechanism, place: Callable[[Floats], Floats], turn: Callable[[Floats], Floats]) -> dict:
    """Every field with a place or a direction in it, placed and turned."""
    nodes = {name: tuple(place(np.array(at)).tolist()) for name, at in model.nodes.items()}
    loads = [{"node": load.node, "force": tuple(turn(np.array(load.force)).tolist())} for load in model.loads]
    gravity = model.gravity and tuple(turn(np.array(model.gravity)).tolist())
    return {"nodes": nodes, "loads": loads, "gravity": gravity}


# How it is written down


@pytest.mark.few(2)
@of_both_families
@over_seeds(8)
def test_a_rigid_motion_or_a_mirror_moves_the_answer_along(family, dimension, seed):
    model = family(dimension, seed)
    rng = np.random.default_rng(seed)
    turn, shift = ortho_group.rvs(dimension, random_state=rng), rng.uniform(-5, 5, dimension)
    moved = changed(model, **vectors(model, lambda at: turn @ at + shift, lambda way: turn @ way))
    assert end(moved) == pytest.approx(end(model) @ turn.T + shift, abs=1e-7)


@pytest.mark.few(2)
@of_both_families
@over_seeds(8)
def test_lengths_in_other_units_give_the_same_answer_in_those(family, dimension, seed):
    """In units of which there are `factor` in one: stiffnesses, per length, are as much less."""
    model = family(dimension, seed)
    factor = 10.0 ** np.random.default_rng(seed).uniform(-4, 4)
    data = model.model_dump(exclude_none=True)
    scaled = {"nodes": {name: tuple(factor * np.array(at)) for name, at in model.nodes.items()}}
    for key in ("bars", "actuators", "springs", "strings"):
        scaled[key] = [in_units(element, factor) for element in data[key]]
    if "stiffness" in data:
        scaled["stiffness"] = data["stiffness"] / factor
    assert end(changed(model, **scaled)) / factor == pytest.approx(end(model), abs=1e-7)


def in_units(element: dict[str, Any], factor: float) -> dict[str, Any]:
    powers = {"length": 1, "to": 1, "band": 1, "stiffness": -1}
    return {key: value * factor ** powers[key] if key in powers else value for key, value in element.items()}


@in_plane_and_space
@over_seeds(8)
def test_forces_in_other_units_change_no_pose(dimension, seed):
    model = loaded(dimension, seed)
    factor = 10.0 ** np.random.default_rng(seed).uniform(-4, 4)
    assert end(in_forces(model, factor)) == pytest.approx(end(model), abs=1e-7)


def in_forces(model: Mechanism, factor: float) -> Mechanism:
    """A loaded truss in units of which there are `factor` in one."""
    data = model.model_dump(exclude_none=True)
    scaled: dict[str, Any] = {"stiffness": data["stiffness"] * factor}
    for key in ("bars", "actuators", "springs", "strings"):
        scaled[key] = [{**element, "stiffness": element["stiffness"] * factor} for element in data[key]]
    scaled["loads"] = [{**load, "force": tuple(factor * np.array(load["force"]))} for load in data["loads"]]
    scaled["gravity"] = tuple(factor * np.array(data["gravity"]))
    return changed(model, **scaled)


@pytest.mark.few(1)
@pytest.mark.parametrize("factor", [1.0, 37.3, 1e-4])
@pytest.mark.parametrize("seed", [120, 254, 8465, 8849])
def test_what_loses_its_stability_falls_to_where_it_rests(seed, factor):
    """At the same share of the drive in any unit of force, and stably; what is rigid was stiffened there."""
    model = loaded(2, seed)
    result, other = solve(model, QUICK), solve(in_forces(model, factor), QUICK)
    for one in (result, other):
        assert one.status is RelaxStatus.BRANCH_DOUBTFUL
        assert [notice.kind for notice in one.assessment.notices if notice.kind != "fallback"] == ["snap"]
        assert one.frames[-1].elongations.worst < 1e-9
    shares = [one.assessment.notices[-1].share for one in (result, other)]
    assert shares[1] == pytest.approx(shares[0], abs=1e-5)
    assert other.points[-1] == pytest.approx(result.points[-1], abs=1e-7)


@in_plane_and_space
@over_seeds(8)
def test_the_stiffness_of_what_is_rigid_changes_no_pose(dimension, seed):
    model = truss(dimension, seed)
    factor = 10.0 ** np.random.default_rng(seed).uniform(-6, 6)
    assert end(changed(model, stiffness=factor)) == pytest.approx(end(model), abs=1e-9)


@of_both_families
@over_seeds(8)
def test_other_names_and_another_order_give_the_same_answer(family, dimension, seed):
    model = family(dimension, seed)
    rng = np.random.default_rng(seed)
    names = list(model.nodes)
    order = rng.permutation(len(names))
    new = {old: f"node {rng.integers(10**9)}-{k}" for k, old in enumerate(names)}
    data = renamed(model.model_dump(exclude_none=True), new)
    nodes = {new[names[k]]: model.nodes[names[k]] for k in order}
    for key in ("bars", "actuators", "springs", "strings", "ground"):
        data[key] = [data[key][k] for k in rng.permutation(len(data[key]))]
    found = end(Mechanism.model_validate({**data, "nodes": nodes}))
    assert found == pytest.approx(end(model)[order], abs=1e-7)


def renamed(value: Any, new: dict[str, str]) -> Any:
    """The same data with every name of a node exchanged."""
    if isinstance(value, dict):
        return {new.get(key, key): renamed(inner, new) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [renamed(inner, new) for inner in value]
    return new.get(value, value) if isinstance(value, str) else value


# What comes back


def lengths_off(result: RelaxResult) -> float:
    """By how much a bar or actuator is not as long as asked for, from the model and the nodes alone."""
    drawn, at = result.model.nodes, result.nodes
    asked = {bar.nodes: bar.length or math.dist(*map(drawn.get, bar.nodes)) for bar in result.model.bars}
    asked |= {actuator.nodes: actuator.to for actuator in result.model.actuators}
    return max(abs(math.dist(at[first], at[second]) - length) for (first, second), length in asked.items())


@pytest.mark.parametrize("method", ["auto", "momentum"])
@in_plane_and_space
@over_seeds(10)
def test_lengths_hold_or_a_finding_says_why_not(method, dimension, seed):
    judged(method, dimension, seed)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["auto", "momentum"])
@in_plane_and_space
@over_seeds(40)
def test_of_more_mechanisms_lengths_hold_or_a_finding_says_why_not(method, dimension, seed):
    judged(method, dimension, seed)


def judged(method: str, dimension: int, seed: int) -> None:
    """Whether the ending says what lengths, loads and residual are."""
    result = solve(anything(dimension, seed), RelaxStudy(method=method, frames=3, iterations=30_000))
    assert np.isfinite(result.points).all()
    assert np.isfinite([result.residual, result.length_error, result.internal_load]).all()
    size = result.network.size
    match result.status:
        case RelaxStatus.CONVERGED | RelaxStatus.BRANCH_DOUBTFUL:
            assert lengths_off(result) < 1e-5 * size
            assert result.shares[-1] == 1.0
            assert not result.assessment.carriers
        case RelaxStatus.LOCKED:
            assert lengths_off(result) > 1e-7 * size
            assert result.assessment.carriers
        case RelaxStatus.OVER_CONSTRAINED:  # as drawn; what is driven may have put it right since
            assert result.assessment.loads.max() > 1e-7 * size
        case RelaxStatus.NOT_CONVERGED:
            assert result.residual > result.study.tolerance * size or result.shares[-1] < 1.0


@in_plane_and_space
@over_seeds(15)
def test_auto_holds_lengths_to_rounding_wherever_it_converges(dimension, seed):
    result = solve(anything(dimension, seed), QUICK)
    if result.status is RelaxStatus.CONVERGED:
        assert lengths_off(result) < 1e-10 * result.network.size


@in_plane_and_space
@over_seeds(10)
def test_auto_and_momentum_agree_where_lengths_determine_the_pose(dimension, seed):
    model = truss(dimension, seed)
    result = solve(model, RelaxStudy(method="momentum", frames=3))
    assert result.status is RelaxStatus.CONVERGED
    assert result.points[-1] == pytest.approx(end(model), abs=1e-6)
