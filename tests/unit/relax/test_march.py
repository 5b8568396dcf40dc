"""The paper's run: how the drive goes on, where frames are kept, and elements of the user's own."""

import numpy as np
import pytest

from pliant.core.progress import silent
from pliant.relax.assemble.build import build
from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.solve import solve
from pliant.relax.solvers.published import LEAST, relax_along_drive, relax_with_momentum, update_factors
from pliant.relax.solvers.record import Record, scale

NODES = {"A": (0, 0), "B": (1, 2), "C": (4, 3), "D": (4, 0)}
FOUR_BAR = {
    "nodes": NODES,
    "ground": ["A", "D"],
    "bars": [{"nodes": list(pair)} for pair in ("AB", "BC", "CD")],
    "actuators": [{"nodes": ["A", "C"], "to": 4.7}],
}


def model(**changes):
    return Mechanism.model_validate(FOUR_BAR | changes)


def marched(study, by=relax_along_drive, elements=(), progress=silent, **changes):
    record = Record()
    by(build(model(**changes)), study, record, progress, elements)
    return record


def lengths(frame):
    """Of A-C, at a frame."""
    return np.hypot(*(frame.x[2] - frame.x[0]))


# The knobs


def test_s_min_is_a_share_of_the_largest_force_over_the_largest_displacement():
    net = build(model())
    found = update_factors(net, RelaxStudy(cap=0.5))
    assert found.least == pytest.approx(LEAST * scale(net) / 0.5, rel=1e-15)
    assert scale(net) == 4  # the stiffness is 1, the size 4
    loaded = build(model(loads=[{"node": "B", "force": (300, 0)}], stiffness=1))
    assert update_factors(loaded, RelaxStudy(cap=0.5)).least == pytest.approx(LEAST * 300 / 0.5, rel=1e-15)
    assert update_factors(net, RelaxStudy(least=0.7)).least == 0.7


def test_the_cap_is_a_twentieth_of_the_size_unless_it_is_given():
    net = build(model())
    assert update_factors(net, RelaxStudy()).cap == pytest.approx(0.2, rel=1e-15)
    assert update_factors(net, RelaxStudy(cap=3)).cap == 3


def test_alpha_and_eta_are_the_studys_or_the_nodes_own():
    net = build(model())
    found = update_factors(
        net, RelaxStudy(alpha=0.4, alphas={"C": 0.3}, eta=0.9, etas={"B": 0.2}, alpha_end=0.1)
    )
    assert found.alpha.tolist() == [0.4, 0.4, 0.3, 0.4]
    assert found.eta.tolist() == [0.9, 0.2, 0.9, 0.9]
    assert found.fall == pytest.approx(0.25)
    assert update_factors(net, RelaxStudy()).alpha.tolist() == [0.5] * 4


# The drive


@pytest.mark.parametrize("method", ["sync", "async"])
def test_frames_are_kept_at_equal_shares_of_the_increments(method):
    record = marched(RelaxStudy(method=method, frames=4, increments=40))
    assert [frame.share for frame in record.frames] == [0, 0.25, 0.5, 0.75, 1]
    assert [frame.iterations for frame in record.frames[:-1]] == [0, 10, 20, 30]
    assert record.frames[-1].iterations == record.iterations > 40
    assert [frame.settled for frame in record.frames] == [False] * 4 + [True]


def test_without_a_word_the_drive_takes_a_hundred_iterations_a_frame():
    record = marched(RelaxStudy(method="sync", frames=3))
    assert [frame.iterations for frame in record.frames[:-1]] == [0, 100, 200]


@pytest.mark.parametrize("method", ["sync", "async"])
def test_it_ends_at_rest_with_every_length_as_asked(method):
    study = RelaxStudy(method=method, frames=2, tolerance=1e-12)
    record = marched(study)
    last = record.frames[-1]
    assert last.residual <= 1e-12 * 4
    assert np.abs(last.elongations.links).max() < 1e-9
    assert lengths(last) == pytest.approx(4.7, abs=1e-9)


def test_a_slower_drive_lags_behind_by_less():
    """As the paper has it: residuals on the way are as large as the increments."""
    lags = [
        np.abs(marched(RelaxStudy(method="sync", frames=2, increments=n)).frames[1].elongations.links).max()
        for n in (50, 500)
    ]
    assert lags[1] < 0.2 * lags[0]


def test_settled_frames_are_at_rest_each():
    plain, settled = (
        marched(RelaxStudy(method="sync", frames=4, increments=40, settle=settle)) for settle in (False, True)
    )
    assert all(frame.residual <= 4e-11 for frame in settled.frames[1:])
    assert all(frame.settled for frame in settled.frames[1:])
    assert min(frame.residual for frame in plain.frames[1:4]) > 1e-4
    np.testing.assert_allclose(plain.frames[-1].x, settled.frames[-1].x, atol=1e-7)


@pytest.mark.parametrize("method", ["sync", "async"])
def test_waypoints_are_met_at_equal_steps(method):
    actuators = [{"nodes": ["A", "C"], "to": (4.8, 5.1, 4.9)}]
    study = RelaxStudy(method=method, frames=6, increments=60, settle=True)
    record = marched(study, actuators=actuators)
    expected = [5, 4.9, 4.8, 4.95, 5.1, 5, 4.9]
    np.testing.assert_allclose([lengths(frame) for frame in record.frames], expected, atol=1e-8)


def test_the_first_frame_is_as_drawn_with_its_residual():
    bars = [{"nodes": ["A", "B"], "length": 1}, *FOUR_BAR["bars"][1:]]
    record = marched(RelaxStudy(method="sync", frames=1), bars=bars)
    first = record.frames[0]
    np.testing.assert_array_equal(first.x, list(NODES.values()))
    assert first.residual == pytest.approx(np.sqrt(5) - 1, rel=1e-14)


@pytest.mark.parametrize(
    ("by", "method"),
    [(relax_along_drive, "sync"), (relax_along_drive, "async"), (relax_with_momentum, "momentum")],
)
def test_no_more_iterations_are_made_than_allowed(by, method):
    for limit in (7, 60):
        study = RelaxStudy(method=method, frames=4, increments=40, iterations=limit)
        record = marched(study, by)
        assert record.iterations == sum(map(len, record.residuals)) == limit
        assert not record.frames[-1].settled


@pytest.mark.parametrize("settle", [False, True])
def test_a_run_that_is_cut_off_says_how_far_it_came(settle):
    study = RelaxStudy(method="sync", frames=4, increments=40, iterations=15, settle=settle)
    record = marched(study)
    assert [frame.share for frame in record.frames] == ([0, 0.25] if settle else [0, 0.25, 0.5])
    assert not any(frame.settled for frame in record.frames)
    assert record.frames[-1].iterations == 15


@pytest.mark.parametrize(
    ("by", "method"),
    [(relax_along_drive, "sync"), (relax_along_drive, "async"), (relax_with_momentum, "momentum")],
)
def test_every_iteration_has_its_residual(by, method):
    record = marched(RelaxStudy(method=method, frames=3, increments=30), by)
    history = np.concatenate(record.residuals)
    assert len(history) == record.iterations
    assert history[-1] == record.frames[-1].residual


def test_rests_report_their_progress():
    said = []
    study = RelaxStudy(method="sync", frames=2)
    marched(study, progress=lambda done, total, text: said.append((done, total, text)))
    done, total, text = said[-1]
    assert done == total == 1000
    assert text.startswith("residual ")


def test_momentum_comes_to_rest_at_the_end_and_nearly_so_on_the_way():
    record = marched(RelaxStudy(method="momentum", frames=4), relax_with_momentum)
    assert [frame.share for frame in record.frames] == [0, 0.25, 0.5, 0.75, 1]
    assert record.frames[-1].residual <= 4e-11
    assert all(frame.residual <= 4e-6 for frame in record.frames[1:])
    every = marched(RelaxStudy(method="momentum", frames=4, settle=True), relax_with_momentum)
    assert all(frame.residual <= 4e-11 for frame in every.frames[1:])


# Elements of one's own


class Pull:
    """A spring between two nodes, as a user would write it."""

    def __init__(self, first, second, stiffness, length):
        self.nodes, self.stiffness, self.length = (first, second), stiffness, length
        self.shares = []

    def __call__(self, x, share):
        self.shares.append(share)
        way = x[1] - x[0]
        long = np.linalg.norm(way)
        force = self.stiffness * (long - self.length) * way / long
        held = max(0.0, 1 - self.length / long)
        stiff = self.stiffness * ((1 - held) * np.abs(way) / long + held)
        return np.array([force, -force]), np.array([stiff, stiff])


LOOSE = {"actuators": [], "bars": [*FOUR_BAR["bars"]], "stiffness": 50}
SPRING = {"nodes": ["B", "D"], "stiffness": 2, "length": 3}


def test_a_spring_of_ones_own_is_the_built_in_spring_iteration_by_iteration():
    study = RelaxStudy(method="sync", frames=5, increments=25, iterations=200)
    own = marched(study, elements=[Pull("B", "D", 2, 3)], **LOOSE)
    built_in = marched(study, springs=[SPRING], **LOOSE)
    for one, other in zip(own.frames, built_in.frames, strict=True):
        np.testing.assert_allclose(one.x, other.x, atol=1e-12)
        assert one.residual == pytest.approx(other.residual, abs=1e-11)
    np.testing.assert_allclose(np.concatenate(own.residuals), np.concatenate(built_in.residuals), atol=1e-11)


@pytest.mark.parametrize("method", ["async", "momentum", "auto"])
def test_every_method_brings_it_to_rest_where_the_built_in_one_rests(method):
    study = RelaxStudy(method=method, frames=1)
    own = solve(model(**LOOSE), study, elements=[Pull("B", "D", 2, 3)])
    built_in = solve(model(springs=[SPRING], **LOOSE), study.model_copy(update={"method": "sync"}))
    np.testing.assert_allclose(own.points[-1], built_in.points[-1], atol=1e-7)
    assert own.length_error < 1e-9


def test_elements_are_told_the_share_of_the_drive():
    pull = Pull("B", "D", 0.01, 3)
    marched(RelaxStudy(method="sync", frames=2, increments=10), elements=[pull])
    shares = np.array(pull.shares)
    assert shares[0] == 0
    assert (np.diff(shares) >= -1e-15).all()
    np.testing.assert_allclose(shares[1:11], np.arange(10) / 10, atol=1e-15)
    assert shares[-1] == 1


def test_forces_of_elements_that_share_a_node_add_up():
    study = RelaxStudy(method="sync", frames=1, increments=5, iterations=5)
    one = marched(study, elements=[Pull("B", "D", 2, 3)], **LOOSE)
    two = marched(study, elements=[Pull("B", "D", 1.5, 3), Pull("B", "D", 0.5, 3)], **LOOSE)
    np.testing.assert_allclose(one.frames[-1].x, two.frames[-1].x, atol=1e-13)
