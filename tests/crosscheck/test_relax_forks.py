"""Where symmetric mechanisms buckle, against closed forms: exactly mirrored, and a little off."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar
from tests.crosscheck.continuation import Bars, random_bars
from tests.crosscheck.mechanisms import FRAMES, difference
from tests.crosscheck.test_relax_continuation import kinds, pairs, solved

from pliant.relax.status import RelaxStatus

NEAR = 1e-9  # of the drive


def column(bars: int, load: float, stiffness: float = 1.0, lean: float = 0.0) -> dict[str, Any]:
    """Upright bars of length 1 on each other, a torsion spring below each, and a load on the top."""
    names = [f"p{k}" for k in range(bars + 1)]
    below = ["g", *names]
    top = {"node": names[-1], "force": (0, 0), "to": (0, -load)}
    return {
        "nodes": {"g": (0, -1)}
        | {name: (np.sin(lean) * k, np.cos(lean) * k) for k, name in enumerate(names)},
        "ground": ["g", "p0"],
        "bars": [{"nodes": pair} for pair in pairwise(names)],
        "rotors": [
            {"joint": names[k], "arms": [below[k], names[k + 1]], "to": 0.0, "stiffness": stiffness}
            for k in range(bars)
        ],
        "loads": [top],
    }


@pytest.mark.few(4)
@pytest.mark.parametrize("frames", FRAMES)
@pytest.mark.parametrize(("bars", "stiffness"), [(1, 1.0), (2, 250.0), (3, 1e-3), (5, 1.0)])
def test_a_column_buckles_at_eulers_load_of_a_chain(bars, stiffness, frames):
    """The least eigenvalue of its second differences: c/l (2 − 2 cos(π / (2 n + 1)))."""
    critical = stiffness * (2 - 2 * np.cos(np.pi / (2 * bars + 1)))
    found = solved(frames, column(bars, 2.5 * critical, stiffness))
    assert found.status is RelaxStatus.DEAD_CENTRE
    assert kinds(found) == ["dead centre"]
    assert found.assessment.notices[0].share == pytest.approx(1 / 2.5, abs=NEAR)
    assert f"p{bars} can go on along (1, 0) or (-1, 0)" in found.summary()
    assert sorted(np.sign(way["nodes"][f"p{bars}"][0]) for way in found.to_dict()["ways"]) == [-1, 1]


@pytest.mark.parametrize(("way", "side"), [("first", 1), ("second", -1)])
def test_a_column_goes_on_to_the_side_that_is_chosen(way, side):
    """One bar: P l sin θ = c θ."""
    found = solved(1, column(1, 2.0), way=way)
    angle = brentq(lambda a: 2 * np.sin(a) - a, 0.5, 3, xtol=1e-14)
    assert found.status is RelaxStatus.CONVERGED
    assert found.nodes["p1"] == pytest.approx([side * np.sin(angle), np.cos(angle)], abs=1e-9)


@pytest.mark.parametrize("seed", range(2))
def test_noise_takes_one_of_the_ways_and_it_is_told(seed):
    found = solved(1, column(1, 2.0), noise=1e-6, seed=seed)
    assert found.status is RelaxStatus.CONVERGED
    assert kinds(found) == ["dead centre"]


@pytest.mark.few(1)
@pytest.mark.parametrize("lean", [1e-2, 1e-4, -1e-6])
def test_a_column_that_leans_goes_its_own_way_and_nothing_is_told(lean):
    """P l sin θ = c (θ − θ₀)."""
    found = solved(1, column(1, 2.0, lean=lean))
    angle = brentq(lambda a: 2 * np.sin(a) - (a - abs(lean)), 0.5, 3, xtol=1e-14)
    assert found.status is RelaxStatus.CONVERGED
    assert kinds(found) == []
    assert found.nodes["p1"] == pytest.approx([np.sign(lean) * np.sin(angle), np.cos(angle)], abs=1e-8)


def test_a_pinned_column_that_a_spring_is_driven_against_buckles_at_its_load():
    """Two bars with a torsion spring between them give way at 2 c / l, the spring's 20 times 0.1."""
    nodes = {"a": (0, 0), "m": (0, 1), "t": (0, 2), "d": (0, 3)}
    model = {
        "nodes": nodes,
        "ground": ["a"],
        "bars": pairs("am", "mt"),
        "guides": [{"node": name, "line": (0, 1)} for name in "td"],
        "springs": pairs("td", stiffness=20),
        "actuators": pairs("ad", to=2.5),
        "rotors": [{"joint": "m", "arms": ["a", "t"], "to": 0.0, "stiffness": 1}],
    }
    found = solved(1, model)
    assert found.status is RelaxStatus.DEAD_CENTRE
    assert found.assessment.notices[0].share == pytest.approx(0.2, abs=NEAR)
    assert solved(1, model, way="second").status is RelaxStatus.CONVERGED


def toggle(load: float, off: float = 0.0) -> dict[str, Any]:
    """Two bars of length 1 in line or bent by `off`, a spring of 3 across their joint, a load along them."""
    half = np.sqrt(1 - off**2)
    return {
        "nodes": {"a": (0, 0), "c": (half, off), "b": (2 * half, 0), "s": (half, 1 + off)},
        "ground": ["a", "s"],
        "bars": pairs("ac", "cb"),
        "guides": [{"node": "b", "line": (1, 0)}],
        "springs": pairs("cs", stiffness=3),
        "loads": [{"node": "b", "force": (0, 0), "to": (-load, 0)}],
    }


def test_a_toggle_that_a_spring_holds_gives_way_where_it_is_no_longer_stiff():
    """k = 2 P / l, and beyond it no side holds: it is told as unstable, and goes on as it is."""
    found = solved(1, toggle(3.0))
    assert kinds(found) == ["unstable"]
    assert found.assessment.notices[0].share == pytest.approx(0.5, abs=NEAR)


@pytest.mark.few(2)
@pytest.mark.parametrize("frames", FRAMES)
@pytest.mark.parametrize(("height", "load"), [(3.0, 260.0), (5.0, 800.0)])
def test_a_steep_truss_escapes_to_the_side_before_its_limit_load(height, load, frames):
    """Of stiffness 100 and half a span of 1: it is loose sideways where y² (l₀ / l − 1) = 1."""
    found = solved(
        frames,
        {
            "nodes": {"a": (-1, 0), "b": (1, 0), "c": (0, height)},
            "ground": ["a", "b"],
            "springs": pairs("ac", "bc", stiffness=100),
            "loads": [{"node": "c", "force": (0, 0), "to": (0, -load)}],
        },
    )
    rest = np.hypot(1, height)
    y = brentq(lambda y: y**2 * (rest / np.hypot(1, y) - 1) - 1, 0.6 * height, height, xtol=1e-15)
    critical = 200 * (rest - np.hypot(1, y)) * y / np.hypot(1, y)
    assert kinds(found)[0] in ("dead centre", "unstable")
    assert found.assessment.notices[0].share == pytest.approx(critical / load, abs=NEAR)


def pressed(angle: float, off: float) -> float:
    """The load that holds a toggle at an angle: the slope of the energy over that of the way it goes."""
    place, end = np.exp(1j * angle), np.exp(1j * np.arcsin(off)) + 1j
    away = end - place
    pull = 3 * (abs(away) - 1) * away / abs(away)
    return float((pull * np.conj(1j * place)).real / (-2 * np.sin(angle)))


@pytest.mark.parametrize("off", [-1e-2, -1e-3])
def test_a_bent_toggle_snaps_at_its_limit_load(off):
    found = solved(1, toggle(3.0, off))
    best = minimize_scalar(
        lambda a: -pressed(a, off), bounds=(-1.2, np.arcsin(off)), options={"xatol": 1e-12}
    )
    assert kinds(found)[0] == "snap"
    assert found.assessment.notices[0].share == pytest.approx(-best.fun / 3.0, abs=NEAR)


@pytest.mark.few(1)
@pytest.mark.parametrize("frames", FRAMES)
def test_mirrored_ways_that_become_one_are_told(frames):
    assert difference(random_bars(2440), frames) == ("unstable", "")


def test_where_mirrored_ways_meet_is_found_though_steps_lead_to_the_way_between_them():
    """Both nodes in the plane of the grounds have lost their last stiffness across it."""
    assert difference(random_bars(200933), 1) == ("unstable", "")


@pytest.mark.few(2)
@pytest.mark.parametrize("seed", [201675, 201936, 310558])
@pytest.mark.parametrize("way", ["first", "second"])
def test_from_a_dead_centre_under_load_it_falls_to_either_side(seed, way):
    """Lengths let it go on to both sides, whatever the forces towards it grow to: no fold, and no lock."""
    bars = random_bars(seed)
    assert difference(bars, 1) == ("dead centre", "")
    found = solved(1, bars.model(), way=way)
    stopped = solved(1, bars.model())
    for branch in stopped.assessment.ways:
        driven = bars.lengths(bars.places) + branch.share * (bars.targets - bars.lengths(bars.places))
        assert bars.lengths(branch.x) == pytest.approx(driven, abs=1e-9)
        held = np.linalg.lstsq(bars.slopes(branch.x).T, weights(bars), rcond=None)[0]
        assert bars.slopes(branch.x).T @ held == pytest.approx(weights(bars), abs=1e-6)
    assert found.frames[-1].share > stopped.frames[-1].share


def weights(bars: Bars) -> NDArray[np.float64]:
    assert bars.gravity is not None
    return np.tile(bars.gravity, len(bars.places) - bars.grounded)


@pytest.mark.parametrize("seed", [200135, 200438, 201240])
def test_a_fold_is_told_from_where_lengths_all_but_depend_on_each_other(seed):
    """As close to it as 1e-8 of the drive no increment could be judged, and none came to it."""
    assert difference(random_bars(seed), 1) == ("fold", "")


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("seed", "kind"),
    [
        (119, "fold"),
        (1028, "snap"),
        (1125, "fold"),
        (461, "unstable"),
        (20109, "fold"),
        (30217, "fold"),
        (500493, "fold"),
    ],
)
def test_losses_of_stability_are_found_to_a_billionth_of_the_drive(seed, kind):
    """A fold is no snap, and a snap no fold, however near they are to each other."""
    assert difference(random_bars(seed), 1) == (kind, "")


def test_a_drawing_that_falls_far_to_its_rest_is_no_contradiction():
    assert difference(random_bars(20014), 1) == ("fold", "")
