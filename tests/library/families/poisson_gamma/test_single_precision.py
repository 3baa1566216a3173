"""Factors in single precision, an option for large sparse matrices: near the fit in double precision, and finite."""

import numpy as np
import pytest
import scipy.sparse
from scipy.special import digamma

import nbmf
from nbmf.data.sparse_counts import SparseCounts
from nbmf.families.poisson_gamma import gamma_priors
from nbmf.families.poisson_gamma.kernels.gamma_distributions import FLOOR_SINGLE
from nbmf.families.poisson_gamma.observations import Observations
from nbmf.numerics.lanes import LANES, aligned_table

RNG = np.random.default_rng(2)
RATES = RNG.gamma(0.3, 1.0, (300, 4)) @ RNG.gamma(0.3, 1.0, (4, 80))
COUNTS = RNG.poisson(RATES)
HELD = RNG.random(COUNTS.shape) < 0.1
SETTINGS = {"max_iter": 60, "relative_gain_tol": 0, "random_state": 1}
SCALED = {"scales": "both", "shape_W": 1.0, "shape_H": 2.0}


def sparse(values):
    return scipy.sparse.csr_array(np.where(HELD, np.nan, values.astype(float)))


@pytest.mark.parametrize("is_binary", [True, False])
def test_a_pass_in_single_precision_is_that_in_double(is_binary):
    data = Observations(SparseCounts.of(scipy.sparse.csr_array(COUNTS)), is_binary)
    tables = [aligned_table(size, LANES) for size in COUNTS.shape]
    for table in tables:
        table[:, :4] = RNG.gamma(0.3, 1.0, (len(table), 4)) + 1e-3
    single = [aligned_table(len(table), LANES, np.float32) for table in tables]
    for table, other in zip(single, tables, strict=True):
        table[:] = other
        other[:] = table  # the same numbers
    sums = [[np.empty_like(table) for table in pair] for pair in (tables, single)]
    data.pass_both(*tables, *sums[0])
    data.pass_both(*single, *sums[1])
    for double, near in zip(*sums, strict=True):
        assert near.dtype == np.float32
        np.testing.assert_allclose(near, double, rtol=2e-5)
    assert data.log_terms(*single) == pytest.approx(data.log_terms(*tables), rel=1e-6)


@pytest.mark.parametrize(
    ("made", "values", "settings"),
    [
        (nbmf.BernoulliPoissonVB, COUNTS > 0, {}),
        (nbmf.BernoulliPoissonVB, COUNTS > 0, SCALED),
        (nbmf.PoissonGammaVB, COUNTS, {"tie_mean_W": "source"}),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_fit_in_single_precision_is_near(made, values, settings):
    model, near = (
        made(4, **settings, **SETTINGS, precision=precision).fit(sparse(values)) for precision in ("double", "single")
    )
    places = np.nonzero(HELD)
    np.testing.assert_allclose(near.predict(*places), model.predict(*places), rtol=2e-3, atol=1e-5)
    assert near.objective_ == pytest.approx(model.objective_, rel=1e-6)
    assert near.objective_ != model.objective_
    assert near.W_.dtype == near.geometric_H_.dtype == np.float64


def test_a_matrix_with_all_entries_keeps_double_precision():
    """Its matrix products alone are single; the distributions are not."""
    model = nbmf.BernoulliPoissonVB(2, precision="single", random_state=0)
    states = [model._start(model.values_of(V), model._seed()) for V in (COUNTS > 0, sparse(COUNTS > 0))]
    assert [state.W.E.dtype for state in states] == [np.float64, np.float32]


def test_parts_of_the_divergence_are_the_whole(monkeypatch):
    model = nbmf.PoissonGammaVB(2, precision="single", scales="rows", tie_shape_W="line", random_state=0)
    state = model._start(model.values_of(sparse(COUNTS)), model._seed())
    state.advance(3)
    whole = state.W.divergence()
    monkeypatch.setattr(gamma_priors, "ROWS_AT_ONCE", 7)
    assert state.W.divergence() == pytest.approx(whole, rel=1e-12)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_numbers_that_single_precision_would_lose_stay_above_zero():
    """A row without a one, and shapes so small that exp E[log w] is 1e-400."""
    V = scipy.sparse.csr_array(np.diag([1.0, 1.0, 0.0]))
    model = nbmf.BernoulliPoissonVB(2, shape_W=1e-3, shape_H=1e-3, precision="single", max_iter=50, random_state=0)
    model.fit(V)
    assert np.isfinite(model.W_).all()
    assert np.isfinite(model.objective_)
    assert model.geometric_W_.min() == pytest.approx(FLOOR_SINGLE)


def test_logarithms_are_those_of_the_distributions_where_single_precision_has_none():
    """Learned shapes depend on E[log w]; exp of it is below the least number here."""
    model = nbmf.BernoulliPoissonVB(3, shape_W=0.01, shape_H=0.01, precision="single", random_state=0)
    state = model._start(model.values_of(sparse(COUNTS > 0)), model._seed())
    state.advance(3)
    for side in (state.W, state.H):
        is_least = side.L[:, :3] == np.float32(FLOOR_SINGLE)
        assert 0.01 < is_least.mean() < 0.99
        alpha, scale = (numbers.astype(np.float64) for numbers in (side.alpha, side.scale))
        np.testing.assert_allclose(side.log_L, digamma(alpha) + np.log(scale), rtol=1e-6, atol=1e-6)
