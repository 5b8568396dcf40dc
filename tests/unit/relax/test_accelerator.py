"""The batch on an accelerator, or on whatever JAX finds: the same answers in single precision."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from pliant.core.errors import PliantError
from pliant.relax.machines import accelerator, batch
from pliant.relax.machines.population import Floor, machines
from pliant.relax.network.laws import BAR, BUMPER, STRING

PAIRS = np.array([(a, b) for b in range(6) for a in range(b)])
# Without JAX they are skipped; `make test-slow` installs it. On a processor it takes seconds to compile.
on_jax = pytest.mark.slow
FIELDS = ("points", "residual", "length_error", "errors", "trace")


def some(axes: int, *, mixed: bool, **more):
    rng = np.random.default_rng(1)
    drawn = rng.random((10, 6, axes)) + 0.1
    picked = [rng.permutation(len(PAIRS))[:9] for _ in range(10 if mixed else 1)]
    ends = PAIRS[picked] if mixed else PAIRS[picked[0]]
    more = {"stiffness": rng.uniform(0.5, 2.0, (10, 9))} | more
    as_drawn = machines(drawn, ends, **more)
    return machines(drawn, ends, target=as_drawn.rest * rng.uniform(0.9, 1.1, (10, 9)), **more)


def agree(made, **method):
    pytest.importorskip("jax")
    found, expected = accelerator.relax(made, 25, **method), batch.relax(made, 25, **method)
    for field in FIELDS:
        here, there = getattr(found, field), getattr(expected, field)
        assert here.dtype == np.float32
        np.testing.assert_allclose(here, there, rtol=0, atol=1e-5, err_msg=field)


@on_jax
@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("axes", [2, 3])
def test_bars_are_relaxed_as_in_a_batch(axes, mixed):
    made = some(axes, mixed=mixed, free=np.arange(6) >= axes)
    agree(made, drive=[0.4, 1.0], alpha=0.4, eta=0.7, trace=[5, 2])


@on_jax
@pytest.mark.parametrize("mixed", [False, True])
def test_strings_and_bumpers_are_relaxed_as_in_a_batch(mixed):
    laws = np.resize([BAR, STRING, BUMPER], 9)
    made = some(2, mixed=mixed, free=np.arange(6) >= 2, laws=laws, bands=0.02)
    assert batch.relax(made, 25).length_error.max() > 0
    agree(made)


@on_jax
@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("axes", [2, 3])
def test_the_floor_holds_as_in_a_batch(axes, mixed):
    made = some(axes, mixed=mixed, load=[0.02] * (axes - 1) + [-0.1])
    agree(made, floor=Floor(0.3), drive=[0.5, 1.0], eta=0.8)


@on_jax
def test_each_machine_has_its_own_drive():
    made = some(2, mixed=False)
    agree(made, drive=np.random.default_rng(2).random((10, 3, 9)))


@on_jax
def test_nothing_is_ever_nan():
    pytest.importorskip("jax")
    made = machines(np.zeros((2, 3, 2)), [(0, 1), (1, 2)], rest=1.0, load=[[1e38, 0], [-1e38, 0], [0, 1e38]])
    for floor in (None, Floor()):
        settled = accelerator.relax(made, 50, floor=floor)
        assert np.isfinite(settled.points).all()
        assert not np.isnan(settled.residual).any()


def test_without_jax_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(PliantError, match=r'pip install "pliant\[gpu\]"'):
        accelerator.jax()


def test_what_a_run_cannot_mean_is_refused():
    with pytest.raises(PliantError, match="eta = 0"):
        accelerator.relax(some(2, mixed=False), 1, eta=0.0)
