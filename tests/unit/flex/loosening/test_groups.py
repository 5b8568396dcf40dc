"""Several clearances at once, by the duals: closed forms of rows, linkages and pegs."""

from itertools import pairwise

import numpy as np
import pytest
from pydantic import ValidationError

import pliant
from pliant import InputError
from pliant.flex.loosening.groups import with_clearances
from pliant.flex.loosening.sensitivity import clearance_sensitivities
from pliant.flex.model import LoosenStudy
from pliant.flex.status import LoosenStatus


def square(half, at=(0, 0)):
    x, y = at
    return [[x - half, y - half], [x + half, y - half], [x + half, y + half], [x - half, y + half]]


def row(**loosen):
    """A wall and two blocks that touch as drawn; the last goes left by a + b/2, of their clearances."""
    bodies = [{"name": "wall", "outline": square(1), "pose": [-2, 0, 0], "fixed": True, "clearance": 0}]
    bodies += [{"name": name, "outline": square(1), "pose": [2 * k, 0, 0]} for k, name in enumerate("ab")]
    limits = [{"body": name, "y": [0, 0], "rotation": 0} for name in "ab"]
    study = {"maximize": [{"body": "b", "direction": [-1, 0]}], "loosen": {"limit": 0.6, **loosen}}
    return {"pliant": 1, "kind": "assembly", "bodies": bodies, "limits": limits, "study": study}


def clearances(result):
    return {one.group: one.clearance for one in result.groups}


@pytest.mark.few(1)
@pytest.mark.parametrize(("price_a", "price_b"), [(1, 1), (4, 1), (1, 9)])
def test_the_cheapest_clearances_of_a_row_are_those_of_the_closed_form(price_a, price_b):
    """Flex = a + b/2 for the clearances of both blocks; Σ p/c is least at c ∝ √(p/s)."""
    groups = {"first": {"bodies": ["a"], "price": price_a}, "last": {"bodies": ["b"], "price": price_b}}
    result = pliant.loosen(row(groups=groups))
    assert result.status is LoosenStatus.FOUND
    slopes, prices = np.array([1.0, 0.5]), np.array([price_a, price_b])
    shape = np.sqrt(prices / slopes)
    expected = 0.6 * shape / (slopes @ shape)
    assert list(clearances(result).values()) == pytest.approx(expected, rel=0.02)
    assert [one.sensitivity for one in result.groups] == pytest.approx(slopes, rel=1e-4)
    assert 0.6 * (1 - 5e-3) <= result.flex <= 0.6
    cost = (prices / list(clearances(result).values())).sum()
    assert cost == pytest.approx((prices / expected).sum(), rel=2e-3)  # to second order at the best


@pytest.mark.slow
def test_the_largest_total_goes_to_the_group_that_adds_the_least():
    groups = {"first": {"bodies": ["a"], "least": 0.1}, "last": {"bodies": ["b"], "most": 0.8}}
    found = clearances(pliant.loosen(row(groups=groups, aim="total")))
    assert found == pytest.approx({"first": 0.2, "last": 0.8}, rel=5e-3)


@pytest.mark.slow
def test_pins_of_a_four_bar_share_the_play_by_their_influence():
    model = pliant.gallery.load("four-bar")
    groups = {
        "crank": {"pins": [["crank", "coupler"]]},
        "rocker": {"pins": [["coupler", "rocker"], ["rocker", "ground"]]},
    }
    limit = 0.05
    study = model.study.model_copy(update={"loosen": pliant.LoosenStudy(limit=limit, groups=groups)})
    result = pliant.loosen(model.model_copy(update={"study": study}))
    assert result.status is LoosenStatus.FOUND
    slope = {one.group: one.sensitivity for one in result.groups}
    ratio = clearances(result)["crank"] / clearances(result)["rocker"]
    assert ratio == pytest.approx(np.sqrt(slope["rocker"] / slope["crank"]), rel=0.02)
    again = pliant.solve(result.model)
    assert again.objective <= limit
    assert again.objective == pytest.approx(limit, rel=5e-3)
    assert [pin.clearance for pin in result.model.pins[1:]] == [
        clearances(result)["crank"],
        *[clearances(result)["rocker"]] * 2,
    ]


@pytest.mark.parametrize("name", ["eight-blocks", "drawer", "round-peg"])
def test_sensitivities_are_the_slopes_of_the_linear_flex(name):
    """Central differences of the first program, one body's clearance at a time."""
    model = pliant.gallery.load(name)
    moved = {term.body for term in model.study.maximize}
    step = 1e-3 * model.clearance
    for body in model.bodies:
        if body.name in moved and name == "eight-blocks":
            continue  # its centroid, which is followed, moves with its outline
        group = {"": pliant.flex.ClearanceGroup(bodies=(body.name,))}
        before, here, after = (
            clearance_sensitivities(with_clearances(model, group, np.array([model.clearance + shift])))
            for shift in (-step, 0.0, step)
        )
        assert here[1][body.name] == pytest.approx((after[0] - before[0]) / (2 * step), rel=2e-3, abs=2e-3)


@pytest.mark.slow
def test_more_of_a_limit_never_means_a_tighter_group():
    groups = {"first": {"bodies": ["a"]}, "last": {"bodies": ["b"]}}
    found = [clearances(pliant.loosen(row(groups=groups), limit=limit)) for limit in (0.3, 0.6)]
    for one, other in pairwise(found):
        assert all(other[name] >= one[name] for name in groups)


def test_limits_out_of_reach_are_said_to_be():
    tight = {"first": {"bodies": ["a"], "least": 0.7}, "last": {"bodies": ["b"]}}
    result = pliant.loosen(row(groups=tight))
    assert result.status is LoosenStatus.IMPOSSIBLE
    assert "Impossible: with first 0.7 mm" in result.summary()
    loose = {"first": {"bodies": ["a"], "most": 0.1}, "last": {"bodies": ["b"], "most": 0.1}}
    result = pliant.loosen(row(groups=loose))
    assert result.status is LoosenStatus.UNLIMITED
    assert result.flex == pytest.approx(0.15, rel=1e-3)


def test_parts_that_overlap_at_the_least_clearances_are_said_to():
    data = row(groups={"first": {"bodies": ["a"]}, "last": {"bodies": ["b"]}})
    data["bodies"][2]["pose"] = [1.9, 0, 0]
    result = pliant.loosen(data)
    assert result.status is LoosenStatus.IMPOSSIBLE
    assert "overlap as drawn" in result.summary()


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ({"g": {}}, "has neither bodies nor pins"),
        ({"g": {"bodies": ["c"]}}, "'c' is not a body of this model"),
        ({"g": {"bodies": ["a"]}, "h": {"bodies": ["a"]}}, "is in the group 'g' already"),
        ({"g": {"pins": [["a", "b"]]}}, "no pin joins 'a' and 'b'"),
        ({"g": {"bodies": ["a"], "least": 2, "most": 1}}, "above its most"),
        ({"g": {"bodies": ["a"], "price": 0}}, "price"),
    ],
)
def test_groups_that_make_no_sense_are_refused(groups, said):
    model = pliant.load(row())
    for refuse in (
        lambda: pliant.load(row(groups=groups)),
        lambda: pliant.loosen(model, groups=groups),
        lambda: pliant.loosen(model, LoosenStudy.model_validate({"limit": 1.0, "groups": groups})),
    ):
        with pytest.raises((InputError, ValidationError)) as refused:
            refuse()
        assert said in str(refused.value)


def test_a_body_may_have_a_clearance_of_its_own():
    plate = {"name": "plate", "outline": square(9), "holes": [square(5)], "fixed": True, "clearance": 0}
    study = {"maximize": [{"body": "peg", "direction": [1, 0]}]}
    data = {"pliant": 1, "kind": "assembly", "clearance": 0.4, "study": study}
    for own, play in ((None, 0.2), (0.1, 0.05)):
        peg = {"name": "peg", "outline": square(5)} | ({} if own is None else {"clearance": own})
        assert pliant.solve({**data, "bodies": [plate, peg]}).objective == pytest.approx(play, rel=1e-3)
