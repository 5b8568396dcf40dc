"""Events of mechanisms with strings, contacts and sliders, and of large ones, against closed forms.

Each is the same, by name and to a billionth of the drive, whatever the number of frames.
"""

from __future__ import annotations

from math import acos, asin, cos, hypot, pi, radians, sin, sqrt

import pytest
from scipy.optimize import brentq

from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.result import RelaxResult
from pliant.relax.solve import solve
from pliant.relax.status import RelaxStatus

NEAR = 1e-9  # of the drive
FRAMES = pytest.mark.parametrize("frames", [1, 5, 60])
CRANK = {
    "nodes": {"a": [0, 0], "d": [1, 0], "b": [2, 0]},
    "bars": [{"nodes": ["a", "b"]}],
    "rotors": [{"joint": "a", "arms": ["d", "b"], "to": "150 deg"}],
}
HALF, HIGH, STIFF = 3.0, 1.0, 10.0  # of the truss of von Mises


def run(frames: int, **fields: object) -> RelaxResult:
    return solve(Mechanism.model_validate(fields), RelaxStudy(frames=frames))


def first(result: RelaxResult) -> tuple[str, float]:
    notice = result.assessment.notices[0]
    return notice.kind, notice.share


def truss(more: dict[str, list[float]], **fields: object) -> dict[str, object]:
    """Two springs that lean on each other at c, which goes up and down."""
    return {
        "ground": ["l", "r", *(name for name in more if name != "q")],
        "nodes": {"l": [-HALF, 0], "r": [HALF, 0], "c": [0, HIGH], **more},
        "springs": [{"nodes": [end, "c"], "stiffness": STIFF} for end in "lr"],
        "guides": [{"node": name, "line": [0, 1]} for name in ("c", "q") if name in ("c", *more)],
        **fields,
    }


def pushes(y: float) -> float:
    """What its springs push c up with."""
    return 2 * STIFF * (hypot(HALF, HIGH) - hypot(HALF, y)) * y / hypot(HALF, y)


# Greatest where (L − l)/l · y is: L a² = l³.
CRITICAL = sqrt((hypot(HALF, HIGH) * HALF**2) ** (2 / 3) - HALF**2)
LIMIT = pushes(CRITICAL)


@pytest.mark.few(3)
@FRAMES
@pytest.mark.parametrize("load", [0.0, -3.0])
@pytest.mark.parametrize(("wall", "radius"), [(1.5, 0.1), (1.2, 0.3)])
def test_a_crank_stops_at_a_wall(wall, radius, load, frames):
    """Its end touches where 2 sin θ is the wall's height less the radius."""
    result = run(
        frames,
        **{**CRANK, "nodes": {**CRANK["nodes"], "u": [-4, wall], "v": [4, wall]}},
        ground=["a", "d", "u", "v"],
        contacts=[{"members": [["b", "b"]], "against": [["u", "v"]], "radius": radius}],
        loads=[{"node": "b", "force": [0, load]}],
    )
    assert result.status is RelaxStatus.LOCKED
    assert result.assessment.locks_at == pytest.approx(asin((wall - radius) / 2) / radians(150), abs=NEAR)
    assert [one.kind for one in result.assessment.notices] == ["stop"]
    assert "contact b on u-v" in result.assessment.notices[0].text


@pytest.mark.few(2)
@FRAMES
@pytest.mark.parametrize("load", [0.0, -3.0])
def test_a_crank_stops_where_its_string_is_taut(load, frames):
    """The string's ends are 3 apart where 4 + 10 − 2·2·√10 cos = 9, about the direction of its other end."""
    result = run(
        frames,
        **{**CRANK, "nodes": {**CRANK["nodes"], "g": [3, -1]}},
        ground=["a", "d", "g"],
        strings=[{"nodes": ["g", "b"], "length": 3}],
        loads=[{"node": "b", "force": [0, load]}],
    )
    angle = acos((4 + 10 - 9) / (4 * sqrt(10))) - asin(1 / sqrt(10))
    assert result.assessment.locks_at == pytest.approx(angle / radians(150), abs=NEAR)
    assert first(result)[0] == "stop"


@pytest.mark.few(2)
@FRAMES
@pytest.mark.parametrize("load", [[0, 0], [0.3, -1]])
def test_a_slider_comes_to_its_fold_where_crank_and_rod_are_in_line(load, frames):
    reach = 1 + sqrt(6) + 2
    result = run(
        frames,
        ground=["a", "u", "v"],
        nodes={"a": [0, 0], "u": [-2, 0], "v": [10, 0], "b": [1, sqrt(3)], "s": [1 + sqrt(6), 0]},
        bars=[{"nodes": ["a", "b"]}, {"nodes": ["b", "s"]}],
        sliders=[{"node": "s", "on": ["u", "v"]}],
        actuators=[{"nodes": ["u", "s"], "to": 8}],
        loads=[{"node": "b", "force": load}],
    )
    assert result.status is RelaxStatus.LOCKED
    assert first(result) == ("fold", pytest.approx((7 - reach) / (8 - reach), abs=NEAR))


@pytest.mark.few(2)
@FRAMES
@pytest.mark.parametrize("load", [0.0, -1.0])
def test_an_elbow_at_the_end_of_a_long_truss_comes_to_its_fold(load, frames):
    """Of 220 unknowns: where the elbow's bar and its actuator are in line."""
    count = 110
    nodes = {f"{row}{i}": [i, high] for i in range(count) for row, high in (("g", 0), ("h", 1))}
    bars = [
        {"nodes": [first_node, last_node]}
        for i in range(1, count)
        for first_node, last_node in (
            (f"g{i - 1}", f"g{i}"),
            (f"h{i - 1}", f"h{i}"),
            (f"g{i - 1}", f"h{i}"),
            (f"g{i}", f"h{i}"),
        )
    ]
    end = count - 1
    drawn, most = hypot(4, 1.5), hypot(6, 1) + hypot(2, 0.5)
    result = run(
        frames,
        ground=["g0", "h0", "q"],
        nodes={**nodes, "p": [end + 2, 1.5], "q": [end + 6, 0]},
        bars=[*bars, {"nodes": [f"h{end}", "p"]}],
        actuators=[{"nodes": ["q", "p"], "to": most + 1}],
        loads=[{"node": "p", "force": [0, load]}],
    )
    assert result.status is RelaxStatus.LOCKED
    assert first(result) == ("fold", pytest.approx((most - drawn) / (most + 1 - drawn), abs=NEAR))


@pytest.mark.few(1)
@FRAMES
def test_a_truss_snaps_at_its_limit_where_its_string_has_gone_slack(frames):
    result = run(
        frames,
        **truss({"g": [0, -2]}),
        strings=[{"nodes": ["g", "c"], "length": 2.9, "stiffness": 1.5}],
        loads=[{"node": "c", "force": [0, 0], "to": [0, -1]}],
    )
    assert result.status is RelaxStatus.BRANCH_DOUBTFUL
    assert first(result) == ("snap", pytest.approx(LIMIT, abs=NEAR))


@pytest.mark.few(1)
@FRAMES
def test_a_truss_snaps_as_its_string_goes_slack(frames):
    """A string that is elastic goes slack over its band: the limit is that of both laws together."""
    stiff, length = 1.5, 2.3
    band = 1e-4 * length

    def pull(over: float) -> float:
        return stiff * (over if over >= band else max(over + band, 0) ** 2 / (4 * band))

    def rate(y: float) -> float:
        step = 1e-7
        return sum(sign * (pushes(y + sign * step) - pull(y + sign * step + 2 - length)) for sign in (1, -1))

    y = brentq(rate, length - 2 - band, length - 2 + band, xtol=1e-15)
    result = run(
        frames,
        **truss({"g": [0, -2]}),
        strings=[{"nodes": ["g", "c"], "length": length, "stiffness": stiff}],
        loads=[{"node": "c", "force": [0, 0], "to": [0, -1]}],
    )
    assert first(result) == ("snap", pytest.approx(pushes(y) - pull(y + 2 - length), abs=NEAR))


@pytest.mark.few(1)
@FRAMES
def test_a_truss_that_a_string_catches_still_snaps(frames):
    """It falls no further than the string lets it, and that is a jump all the same."""
    result = run(
        frames,
        **truss({"g": [0, 3]}),
        strings=[{"nodes": ["g", "c"], "length": 3.2}],
        loads=[{"node": "c", "force": [0, 0], "to": [0, -1]}],
    )
    assert result.status is RelaxStatus.BRANCH_DOUBTFUL
    assert first(result) == ("snap", pytest.approx(LIMIT, abs=NEAR))
    assert result.nodes["c"][1] == pytest.approx(-0.2, abs=1e-9)


@pytest.mark.few(2)
@FRAMES
@pytest.mark.parametrize("load", [0.0, 0.2, -0.2])
def test_a_truss_that_a_string_draws_through_jumps_where_the_string_has_nothing_to_pull(load, frames):
    """Its springs push up with the load there, on the branch that is unstable without the string."""
    y = brentq(lambda y: pushes(y) - load, -CRITICAL + 0.01, CRITICAL - 0.01, xtol=1e-15)
    result = run(
        frames,
        **truss({"g": [0, -2]}),
        strings=[{"nodes": ["g", "c"], "length": 4, "to": 1.2}],
        loads=[{"node": "c", "force": [0, -load]}],
    )
    assert result.status is RelaxStatus.BRANCH_DOUBTFUL
    assert first(result) == ("snap", pytest.approx((4 - (y + 2)) / 2.8, abs=NEAR))
    after = brentq(lambda y: pushes(y) - load, -2 * HIGH, -CRITICAL, xtol=1e-15)
    assert result.nodes["c"][1] == pytest.approx(after, abs=1e-9)


@pytest.mark.few(1)
@FRAMES
def test_a_truss_that_a_plunger_pushes_through_leaves_it_with_a_jump(frames):
    """A contact that opens, as a string that goes slack."""
    load = 0.1
    y = brentq(lambda y: pushes(y) - load, 1e-3, CRITICAL - 0.01, xtol=1e-15)
    result = run(
        frames,
        **truss({"g": [0, 5], "q": [0, 2]}),
        actuators=[{"nodes": ["g", "q"], "to": 5.4}],
        contacts=[{"members": [["q", "q"]], "against": [["c", "c"]], "radius": 0.2}],
        loads=[{"node": "c", "force": [0, -load]}],
    )
    assert result.status is RelaxStatus.BRANCH_DOUBTFUL
    assert first(result) == ("snap", pytest.approx((5 - y - 0.2 - 3) / 2.4, abs=NEAR))


@pytest.mark.few(2)
@FRAMES
@pytest.mark.parametrize("lean", [0.3, 0.9])
def test_a_weight_drawn_over_its_top_falls_until_its_string_is_taut_and_stops_at_last(lean, frames):
    """A weight on a bar, reeled in: over the top it falls; it stops where bar and string are in line."""
    b = [2 * cos(lean), 2 * sin(lean)]
    drawn = hypot(b[0] + 5, b[1] - 3)
    result = run(
        frames,
        ground=["a", "g"],
        nodes={"a": [0, 0], "b": b, "g": [-5, 3]},
        bars=[{"nodes": ["a", "b"]}],
        strings=[{"nodes": ["g", "b"], "to": 3}],
        loads=[{"node": "b", "force": [0, -1]}],
    )
    assert 0 < lean < pi / 2
    assert first(result) == ("snap", pytest.approx((drawn - hypot(5, 1)) / (drawn - 3), abs=NEAR))
    assert result.status is RelaxStatus.LOCKED
    assert result.assessment.locks_at == pytest.approx((drawn - hypot(5, 3) + 2) / (drawn - 3), abs=NEAR)


@pytest.mark.slow
@pytest.mark.parametrize("frames", [1, 5])
def test_a_search_that_is_long_ends_alike_whatever_is_shown(frames):
    """A string is paid out past the farthest point of an arm and falls, after 7,000 increments."""
    fields = {
        "ground": ["a", "b"],
        "nodes": {"a": [0, 0], "b": [-4.904975, 0], "p": [4.183141, 3.977424]},
        "bars": [{"nodes": ["a", "p"]}],
        "strings": [{"nodes": ["b", "p"], "to": 11.211059207376302}],
        "loads": [{"node": "p", "force": [0, -2.5358844540164416]}],
    }
    shown, result = run(60, **fields), run(frames, **fields)
    assert result.status is shown.status
    assert [each.kind for each in result.assessment.notices] == [
        each.kind for each in shown.assessment.notices
    ]
