"""Duals as forces: they balance the load, they add up to the flex, and they say who is to blame."""

from __future__ import annotations

import numpy as np
import pytest
from tests.crosscheck.assemblies import assembly as random_assembly
from tests.solved import solved

from pliant import gallery
from pliant.flex.generate import bar, voxels
from pliant.flex.model import Assembly
from pliant.flex.solve import solve
from pliant.flex.status import FlexStatus


def box(left, bottom, right, top):
    return [[left, bottom], [right, bottom], [right, top], [left, top]]


def assembly(*bodies: dict, maximize: dict, **rest) -> Assembly:
    return Assembly.model_validate({"bodies": list(bodies), "study": {"maximize": [maximize]}, **rest})


def stack(gaps: list[float], **rest) -> Assembly:
    """Plates between two walls, pushed to the right; the walls of the box are far from their sides."""
    edges = np.cumsum([0.0] + [1 + gap for gap in gaps[:-1]])
    lefts = [edge + gap for edge, gap in zip(edges, gaps[:-1], strict=False)]
    end = lefts[-1] + 1 + gaps[-1]
    plates = [{"name": f"p{i}", "outline": box(x, 0, x + 1, 2)} for i, x in enumerate(lefts)]
    return assembly(
        {"name": "left", "outline": box(-2, -1, 0, 3), "fixed": True},
        *plates,
        {"name": "right", "outline": box(end, -1, end + 2, 3), "fixed": True},
        maximize={"body": "p0", "direction": [1, 0]},
        limits=[{"body": f"p{i}", "rotation": 0.0, "y": [0, 0]} for i in range(len(plates))],
        **rest,
    )


@pytest.mark.usefixtures("not_shaken")
def test_nobody_has_a_share_of_a_motion_that_is_none():
    """Three blocks fill a row, drawn turned: their gaps are rounding, and of either sign."""
    result = solve(random_assembly("touching", 30051))
    assert result.status is FlexStatus.LOCKED
    assert result.contacts
    assert all(contact.share == 0 and contact.share_range is None for contact in result.contacts)


@pytest.mark.usefixtures("not_shaken")
def test_in_a_stack_every_contact_carries_the_load_and_its_gap_is_its_share():
    gaps = [0.1, 0.2, 0.3, 0.4]
    result = solve(stack(gaps))
    shares = {contact.bodies: contact.share for contact in result.contacts if contact.kind == "contact"}
    forces = {contact.bodies: contact.force for contact in result.contacts if contact.kind == "contact"}
    total = sum(gaps[1:])
    assert result.linear == pytest.approx(total, rel=1e-6)
    for pair, gap in ((("p0", "p1"), 0.2), (("p1", "p2"), 0.3), (("p2", "right"), 0.4)):
        assert shares[pair] == pytest.approx(gap / total, rel=1e-5)
        assert forces[pair] == pytest.approx(1.0, rel=1e-5)


@pytest.mark.few(4)
@pytest.mark.parametrize(
    "name", ["eight-blocks", "lever", "four-bar", "latch", "drawer", "joint-pair", "arm", "gate"]
)
def test_shares_add_up_to_one(name):
    result = solved(name)
    assert sum(contact.share for contact in result.contacts) == pytest.approx(1.0, abs=1e-6)
    shares = [contact.share for contact in result.contacts]
    assert shares == sorted(shares, reverse=True)


@pytest.mark.usefixtures("not_shaken")
@pytest.mark.parametrize("name", ["eight-blocks", "lever", "drawer", "joint-pair", "t-slot", "bricks"])
def test_the_range_of_a_share_contains_it(name):
    model = gallery.load(name)
    result = solve(model.model_copy(update={"study": model.study.model_copy(update={"ranges": True})}))
    assert result.contacts
    for contact in result.contacts:
        low, high = contact.share_range
        assert -1e-9 <= low <= high + 1e-6 <= 1 + 2e-6
        assert low - 1e-5 <= contact.share <= high + 1e-5


@pytest.mark.usefixtures("not_shaken")
@pytest.mark.parametrize("unit", [1.0, 1e-8, 1e8])
def test_redundant_contacts_have_a_range_and_needed_ones_have_none(unit):
    """Two equal stops side by side: either can carry all of the load."""
    model = assembly(
        {"name": "block", "outline": (unit * np.array(box(0, 0, 2, 4))).tolist()},
        {"name": "upper", "outline": (unit * np.array(box(2.1, 2.5, 4, 5))).tolist(), "fixed": True},
        {"name": "lower", "outline": (unit * np.array(box(2.1, -1, 4, 1.5))).tolist(), "fixed": True},
        maximize={"body": "block", "direction": [1, 0]},
        limits=[{"body": "block", "rotation": 0.0, "y": [0, 0]}],
    )
    result = solve(model.model_copy(update={"study": model.study.model_copy(update={"ranges": True})}))
    ranges = {contact.bodies: contact.share_range for contact in result.contacts if contact.kind == "contact"}
    assert result.linear == pytest.approx(0.1 * unit, rel=1e-6, abs=0)
    for pair in (("block", "upper"), ("block", "lower")):
        assert ranges[pair] == pytest.approx((0, 1), abs=1e-5)
    lone = solve(stack([0.1, 0.2]))
    needed = next(contact for contact in lone.contacts if contact.kind == "contact")
    assert needed.share_range == pytest.approx((1, 1), abs=1e-5)


@pytest.mark.usefixtures("not_shaken")
def test_keep_sight_limit_and_pin_rows_are_listed_with_their_shares():
    square = box(-1, -1, 1, 1)
    base = {"name": "base", "outline": box(-1, -9, 1, -8), "fixed": True}
    block = {"name": "block", "outline": square}
    cases = {
        "keep": {"keep": [{"body": "block", "inside": box(-0.3, -0.3, 0.3, 0.3)}]},
        "limit": {"limits": [{"body": "block", "x": [-1, 0.3]}]},
        "pin": {"pins": [{"bodies": ["base", "block"], "at": [0, 0], "clearance": 0.6, "sides": 64}]},
        "sight": {
            "sights": [
                {
                    "from": "base",
                    "to": "block",
                    "apex": [0, -8],
                    "axis": "90 deg",
                    "half_angle": np.arctan(0.3 / 8),
                }
            ]
        },
    }
    for kind, holds in cases.items():
        model = assembly(base, block, maximize={"body": "block", "direction": [1, 0]}, **holds)
        if kind == "sight":  # nothing else holds it from rising for ever, which widens the cone
            model = model.model_copy(
                update={
                    "limits": Assembly.model_validate(
                        {"bodies": [base, block], "limits": [{"body": "block", "y": [0, 0], "rotation": 0.0}]}
                    ).limits
                }
            )
        result = solve(model)
        assert result.status is FlexStatus.CONVERGED, kind
        assert result.objective == pytest.approx(0.3, rel=2e-3), kind
        listed = {contact.kind: contact for contact in result.contacts}
        assert listed[kind].share == pytest.approx(1.0, abs=1e-5), kind
        assert listed[kind].force >= 1.0 - 1e-5, kind


def test_the_resultant_is_the_force_on_the_first_body_of_the_pair():
    result = solve(stack([0.1, 0.2]))
    contact = next(contact for contact in result.contacts if contact.bodies == ("p0", "right"))
    assert contact.resultant == pytest.approx((-1.0, 0.0), abs=1e-5)  # the wall pushes the plate back


def test_the_force_chain_holds_the_load_at_the_end():
    result = solve(stack([0.1, 0.2, 0.3]))
    chain = result.chain
    assert chain is not None
    assert np.hypot(*chain.forces.T) == pytest.approx(chain.strength)
    on_the_wall = np.abs(chain.points[:, 0] - 2.6) < 0.02
    assert on_the_wall.any()


def test_arrows_of_the_force_chain_end_at_their_contacts():
    result = solve(voxels(bar(3, 1), clearance=0.01))
    arrows = [mark for mark in result.motion.marks if mark.group == "force"]
    assert len(arrows) == len(result.chain.points)
    assert np.array([mark.points[1] for mark in arrows]) == pytest.approx(result.chain.points)


def test_a_contact_as_json_keeps_what_it_says():
    contact = solve(stack([0.1, 0.2])).contacts[0]
    data = contact.to_dict()
    assert data["bodies"] == list(contact.bodies)
    assert data["share"] == contact.share
    assert data["resultant"] == list(contact.resultant)
