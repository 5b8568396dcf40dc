"""One compiled loop for what lengths decide alone: the same answers as increment by increment."""

from itertools import pairwise

import numpy as np
import pytest
from tests.crosscheck.continuation import random_bars

from pliant.core.progress import silent
from pliant.relax.assemble.build import build
from pliant.relax.generate import peaucellier, stewart, stewart_end
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.mechanics.gradients import jacobian_at
from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.solvers.assur_groups import assur_groups
from pliant.relax.solvers.auto import follow
from pliant.relax.solvers.continuation import structure
from pliant.relax.solvers.increment_measures import determinant_at
from pliant.relax.solvers.record import Record


def pairs(*names, **values):
    return [{"nodes": list(pair), **values} for pair in names]


def recorded(net, **study):
    record = Record()
    follow(net, RelaxStudy(**study), record, silent)
    return record


def test_a_chain_of_platforms_has_a_group_for_each_platform():
    groups, _ = assur_groups(build(stewart(7)))
    assert np.diff(groups.firsts).tolist() == [9] * 7


def test_links_are_not_decided_alone_where_something_else_is_there():
    assert structure(build(peaucellier())) is None  # a rotor
    assert structure(build(stewart(2).model_copy(update={"gravity": (0, 0, -9.81)}))) is None
    loose = stewart(2).model_copy(update={"actuators": stewart(2).actuators[:-1]})
    assert structure(build(loose)) is None


def test_cells_of_the_groups_make_up_the_slopes():
    """Each group's own cells, and those of groups before it, in any order of rows and unknowns."""
    net = build(stewart(3))
    groups, _ = assur_groups(net)
    state = net.state()
    matrix = jacobian_at(net, state.x, elongations(net, state)).matrix.toarray()
    ordered = np.empty_like(matrix)
    ordered[:, groups.place] = matrix[groups.rows]
    for first, last in pairwise(groups.firsts):
        assert not ordered[first:last, last:].any()
        assert np.linalg.matrix_rank(ordered[first:last, first:last]) == last - first
    sign = np.prod([np.sign(np.linalg.det(ordered[a:b, a:b])) for a, b in pairwise(groups.firsts)])
    assert groups.parity * sign == determinant_at(net, state.x, elongations(net, state)).sign


@pytest.mark.parametrize("handed", ["same", "alt"])
@pytest.mark.parametrize("count", [1, 4, 10])
def test_platforms_end_where_they_do_in_closed_form(count, handed):
    for frames in (1, 7):
        record = recorded(build(stewart(count, handed)), frames=frames)
        assert [frame.share for frame in record.frames] == pytest.approx(np.arange(frames + 1) / frames)
        np.testing.assert_allclose(record.frames[-1].x, stewart_end(count, handed), atol=1e-11)
        assert max(frame.elongations.worst for frame in record.frames) < 1e-12


@pytest.mark.slow
def test_random_mechanisms_go_as_they_do_increment_by_increment(monkeypatch):
    """Folds, locks and ends, at the same share of the drive, whatever the frames."""
    compared = 0
    for seed in range(100, 160):
        bars = random_bars(seed)
        if bars.gravity is not None:
            continue
        net = build(Mechanism.model_validate(bars.model()))
        if structure(net) is None:
            continue
        found = recorded(net, frames=1 + seed % 4)
        monkeypatch.setitem(net.__dict__, "structure", None)
        slowly = recorded(net, frames=1 + seed % 4)
        told, said = ([(one.kind, one.text) for one in each.notices] for each in (found, slowly))
        assert told == said, seed
        assert found.locks_at == pytest.approx(slowly.locks_at, abs=1e-8), seed
        for here, there in zip(found.frames, slowly.frames, strict=True):
            assert here.share == pytest.approx(there.share)
            # At a fold, a pose goes as the root of the share.
            near = found.locks_at is not None and here.share > found.locks_at - 1e-4
            np.testing.assert_allclose(here.x, there.x, atol=1e-3 if near else 1e-7)
        compared += 1
    assert compared > 10
