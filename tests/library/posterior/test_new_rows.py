"""New rows of a fit: matched by names, and their weights and positions against other computations."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

import nbmf
from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import DataError
from nbmf.posterior import new_rows as module
from nbmf.posterior import row_weights
from nbmf.posterior.components import components_of
from nbmf.posterior.groups import main_components_of
from nbmf.posterior.new_rows import MEMBERSHIPS, POSITIONS, WEIGHTS, NewRows, new_rows, place_rows
from nbmf.posterior.row_weights import posterior_row_weights
from nbmf.posterior.scale import scale_of

CODES = np.array([[1, 0, -1, 1], [0, 0, 1, -1], [-1, -1, -1, 1]])


def matrix(codes=CODES, columns="abcd"):
    return BinaryMatrix(codes, [f"r{f}" for f in range(len(codes))], list(columns))


def test_columns_are_matched_by_name_in_any_order():
    found = new_rows(matrix(columns="dxab"), np.array(list("abcd")), 4)
    assert found.values.tolist() == [[-1, 1, -1, 1], [1, -1, -1, 0], [-1, 1, -1, -1]]
    assert (found.absent, found.unused, found.empty) == (["c"], ["x"], [])
    assert found.names.tolist() == ["r0", "r1", "r2"]
    found = new_rows(matrix(columns="abcx"), np.array(list("abcy")), 4)
    assert found.empty == ["r2"]  # whose one entry is in a column that the fit has not
    assert found.names.tolist() == ["r0", "r1"]


def test_columns_that_a_list_of_ones_does_not_have_are_zeros():
    found = new_rows(matrix(columns="dxab"), np.array(list("abcde")), 5, absent=0, unobserved=["e"])
    assert found.values.tolist() == [[-1, 1, 0, 1, -1], [1, -1, 0, 0, -1], [-1, 1, 0, -1, -1]]
    assert (found.absent, found.zeros, found.unused, found.empty) == (["e"], ["c"], ["x"], [])


def test_what_does_not_match_at_all_is_refused():
    with pytest.raises(DataError, match=r"no column has the name of one of the fit, such as 'v'; there is 'a'$"):
        new_rows(matrix(), np.array(list("vwxy")), 4)
    with pytest.raises(DataError, match="rows have such names: transpose = True lets them be columns"):
        new_rows(matrix(), np.array(["r1", "r2"]), 2)
    with pytest.raises(DataError, match="4 columns; the fit knows no names of columns, so that 3 are needed"):
        new_rows(matrix(), None, 3)
    assert new_rows(matrix(), None, 4).by_place


@pytest.mark.parametrize(
    ("prior", "jumps"), [((0.03, 0.02), 10), ((0.3, 0.1), 10), ((1.0, 1.0), 10), ((5.0, 2.0), 10), ((3.0, 2.0), 0)]
)
def test_weights_are_those_of_quadrature(prior, jumps, monkeypatch):
    """Two components: the posterior on quantiles of the prior, in corners and between; once by Gibbs sampling alone."""
    monkeypatch.setattr(row_weights, "JUMPS", jumps)
    rng = np.random.default_rng(0)
    profiles, codes = rng.beta(0.4, 0.4, (2, 12)), rng.integers(-1, 2, (8, 12))
    found = posterior_row_weights(codes, profiles, np.array(prior), level=0.8)
    first = beta.ppf((np.arange(100_000) + 0.5) / 100_000, *prior)
    ones = np.clip(np.column_stack([first, 1 - first]) @ profiles, 1e-12, 1 - 1e-12)
    log = np.log(ones) @ (codes == 1).T + np.log1p(-ones) @ (codes == 0).T
    weights = np.exp(log - log.max(axis=0))
    weights /= weights.sum(axis=0)
    np.testing.assert_allclose(found.mean[:, 0], first @ weights, atol=0.04)
    np.testing.assert_allclose(found.mean.sum(axis=1), 1, rtol=1e-5)
    for end, level in ((found.lower, 0.1), (found.upper, 0.9)):
        below = [weights[first <= value + 1e-6, row].sum() for row, value in enumerate(end[:, 0])]
        above = [weights[first >= value - 1e-6, row].sum() for row, value in enumerate(end[:, 0])]
        assert (np.array(below) > level - 0.05).all()  # a corner may have more than that
        assert (np.array(above) > 1 - level - 0.05).all()


def test_a_row_without_entries_has_its_prior():
    found = posterior_row_weights(np.full((2, 5), -1), np.full((3, 5), 0.5), np.array([2.0, 1.0, 1.0]))
    np.testing.assert_allclose(found.mean, [[0.5, 0.25, 0.25]] * 2, atol=0.03)


@pytest.mark.parametrize("k", [0, 1])
@pytest.mark.parametrize("beyond", [-1e-9, 1e-9])
@pytest.mark.parametrize("codes", [[1, 0, -1, 1], [0, 0, 1, -1]])
def test_components_of_entries_change_where_their_probabilities_end(codes, k, beyond, monkeypatch):
    """Of each entry the component is k below the k-th sum of weight times likelihood, and k + 1 above it."""
    profiles = np.array([[0.9, 0.2, 0.5, 0.7], [0.3, 0.6, 0.1, 0.4], [0.05, 0.8, 0.3, 0.95]])
    weights, gammas, exponentials = (
        np.array([0.5, 0.2, 0.3]),
        np.array([1e-3, 0.6, 2.0]),
        np.array([0.2, 1.1, 0.7, 2.5]),
    )
    ends, expected = np.full(4, np.nan), gammas.copy()
    for n in np.flatnonzero(np.array(codes) >= 0):
        likelihood = profiles[:, n] if codes[n] else 1 - profiles[:, n]
        shares = weights * likelihood / (weights * likelihood).sum()
        ends[n] = shares[: k + 1].sum() + beyond
        expected[k + (beyond > 0)] += exponentials[n]
    rng = SimpleNamespace(random=lambda size: ends, exponential=lambda size: exponentials)
    chain = row_weights._Chain(np.array([codes]), profiles, np.ones(3), rng)
    chain.weights = weights[None]
    monkeypatch.setattr(chain, "_log_gammas", lambda: np.log(gammas))
    chain.choose_components()
    np.testing.assert_allclose(chain.weights, [expected / expected.sum()])


def test_the_weights_of_a_row_depend_on_no_other_row(monkeypatch):
    rng = np.random.default_rng(1)
    codes, profiles = rng.integers(-1, 2, (7, 10)), rng.random((3, 10))
    whole = posterior_row_weights(codes, profiles, np.ones(3))
    assert len(np.unique(whole.mean[:, 0])) == 7
    for rows in ([4], [6, 0, 1]):
        for part, of_all in zip(posterior_row_weights(codes[rows], profiles, np.ones(3)), whole, strict=True):
            np.testing.assert_array_equal(part, of_all[rows])
    monkeypatch.setattr("nbmf.inference.blocks.NUMBERS_AT_ONCE", 2 * 3 * row_weights.SWEEPS)
    np.testing.assert_array_equal(posterior_row_weights(codes, profiles, np.ones(3)).mean, whole.mean)


def slopes_of(found, scale):
    """Return by how much positions of rows that are placed differ along each kept axis, over those in the fit."""
    return [np.polyfit(scale.positions[:, a], found.values[:, a], 1)[0] for a in range(scale.kept)]


def test_positions_are_in_units_of_the_fit_whose_own_come_from_draws(monkeypatch):
    """Fold-in takes columns as known: without the link positions would spread less than in the fit, by a tenth."""
    rng = np.random.default_rng(3)
    psi = rng.standard_normal((80, 1)) * rng.normal(1.0, 0.5, 14) + rng.standard_normal(14)
    V = matrix((rng.random(psi.shape) < 1 / (1 + np.exp(-psi))).astype(int), [f"q{n}" for n in range(14)])
    model = nbmf.LogisticFactorGibbs(n_components=2, ard=True, burn_in=200, n_samples=200, random_state=0)
    draws = nbmf.posterior_draws(model, V, n_draws=100)
    scale, rows = scale_of(model, V, draws=draws), new_rows(V, model.column_names_, 14)
    found = place_rows(model, rows, matrix=V, scale=scale)
    np.testing.assert_allclose(slopes_of(found, scale), 1, atol=0.04)
    np.testing.assert_allclose(found.values[:, 0].mean(), scale.positions[:, 0].mean(), atol=1e-9)
    half = (found.upper - found.lower) / 2
    np.testing.assert_allclose(found.upper - found.values, half, rtol=1e-9)  # the ends are moved along
    monkeypatch.setattr(module, "LINKED", 20)
    np.testing.assert_allclose(
        place_rows(model, rows, matrix=V, scale=scale).values[:, 0], found.values[:, 0], atol=0.15
    )
    monkeypatch.setattr(module, "_link_positions", lambda placed, *others: placed)
    assert max(slopes_of(place_rows(model, rows, matrix=V, scale=scale), scale)) < 0.95


def fitted(estimator, F=60, N=20):
    rng = np.random.default_rng(2)
    W, H = rng.dirichlet([0.3] * 3, F), rng.beta(0.4, 0.4, (3, N))
    V = matrix((rng.random((F, N)) < W @ H).astype(int), [f"q{n}" for n in range(N)])
    return estimator.fit(V), V


def test_memberships_of_the_rows_of_the_fit():
    model, V = fitted(nbmf.BetaDirVB(n_components=3, random_state=0, max_iter=200))
    found = place_rows(model, new_rows(V, model.column_names_, 20), matrix=V, names=["left"])
    assert found.kind == MEMBERSHIPS
    own = components_of(model, V)
    assert found.names == ["left", "component 2", "component 3"][: own.active]
    assert ((found.lower <= found.values) & (found.values <= found.upper)).all()
    np.testing.assert_allclose(found.values, own.model.W_[:, : own.active], atol=0.25)
    assert np.corrcoef(found.values.ravel(), own.model.W_[:, : own.active].ravel())[0, 1] > 0.98
    np.testing.assert_allclose(found.expectation, model.predict_rows(V.codes), atol=0.12)


def test_an_interval_holds_the_mean_also_of_a_share_that_is_nearly_always_0(monkeypatch):
    """The mean of draws of which few are large is above nine in ten of them."""
    mean, upper = np.tile([0.003, 0.997], (3, 1)), np.tile([0.002, 1.0], (3, 1))
    weights = row_weights.Weights(mean, np.tile([0.0, 0.998], (3, 1)), upper)
    monkeypatch.setattr(module, "posterior_row_weights", lambda *given, **named: weights)
    model, V = fitted(nbmf.BetaDirVB(n_components=2, random_state=0, max_iter=50))
    placed = place_rows(model, NewRows(V.codes[:3], np.array(["x", "y", "z"]), [], [], []))
    assert placed.values.tolist() == mean.tolist()
    assert placed.upper.tolist() == [[0.003, 1.0]] * 3
    assert placed.lower.tolist() == [[0.0, 0.997]] * 3


def test_the_prior_of_merged_components_is_the_sum_of_theirs(monkeypatch):
    """Shares that are added are Dirichlet with the sum of their hyperparameters."""
    given = []

    def record(codes, profiles, prior, **_):
        given.extend([profiles, prior])
        return row_weights.Weights(*[np.tile(prior / prior.sum(), (len(codes), 1))] * 3)

    monkeypatch.setattr(module, "posterior_row_weights", record)
    model = nbmf.BetaDirVB(n_components=3)
    model.W_ = np.tile([[0.3, 0.3, 0.4], [0.1, 0.5, 0.4]], (5, 1))
    model.H_ = np.repeat([[0.9], [0.9], [0.1]], 4, axis=1)
    model.gamma_ = np.array([0.5, 0.7, 0.4])
    found = place_rows(model, NewRows(CODES, np.array(["x", "y", "z"]), [], [], []))
    np.testing.assert_allclose(given[0], [[0.9] * 4, [0.1] * 4])
    np.testing.assert_allclose(given[1], [1.2, 0.4])
    np.testing.assert_allclose(found.expectation, 0.75 * 0.9 + 0.25 * 0.1)


@pytest.mark.parametrize("effects", ["none", "columns", "both"])
def test_positions_of_the_rows_of_the_fit(effects):
    model, V = fitted(nbmf.LogisticFactorVB(n_components=2, effects=effects, random_state=0, max_iter=100))
    scale = scale_of(model, V)
    found = place_rows(model, new_rows(V, model.column_names_, 20), matrix=V)
    assert (found.kind, found.names) == (POSITIONS, scale.names)
    kept = slice(scale.kept)
    np.testing.assert_allclose(found.values[:, kept], scale.positions[:, kept], atol=0.15)
    np.testing.assert_allclose(slopes_of(found, scale), 1, atol=0.02)
    np.testing.assert_allclose(found.upper[:, kept], scale.upper[:, kept], atol=0.2)
    np.testing.assert_allclose(found.expectation, model.predict_rows(V.codes), rtol=1e-6)
    few = V.codes.copy()
    few[:, 5:] = -1
    wider = place_rows(
        model, new_rows(BinaryMatrix(few[:, :5], V.row_names, V.column_names[:5]), V.column_names, 20), matrix=V
    )
    assert (wider.upper - wider.lower > found.upper - found.lower).all()


def test_models_without_intervals_have_weights():
    model, V = fitted(nbmf.BernoulliPoissonVB(n_components=3, random_state=0, max_iter=30))
    found = place_rows(model, new_rows(V, model.column_names_, 20), matrix=V)
    assert (found.kind, found.lower, found.upper) == (WEIGHTS, None, None)
    counts = pd.DataFrame(np.random.default_rng(0).poisson(2, (20, 6)))
    model = nbmf.PoissonGammaVB(n_components=2, random_state=0, max_iter=30).fit(counts)
    found = place_rows(model, new_rows(nbmf.CountMatrix.from_frame(counts), None, 6))
    assert found.kind == WEIGHTS
    assert (found.expectation > 0).all()


def test_probabilities_of_merged_components_are_averaged_and_the_main_one_is_that_of_the_report():
    """Where rows have probabilities of a one, components that say the same are one: its probability is no sum."""
    rng = np.random.default_rng(0)
    blocks = (np.arange(40)[:, None] < 20) == (np.arange(30) < 15)
    V = nbmf.BinaryMatrix.from_array((rng.random((40, 30)) < np.where(blocks, 0.9, 0.1)).astype(int))
    model = nbmf.BetaDirVB(30, orientation="columns", gamma="1/K", max_iter=200, random_state=0).fit(V)
    components = components_of(model, V)
    assert max(map(len, components.members[: components.active])) > 1
    found = place_rows(model, new_rows(V, V.column_names, 30), matrix=V)
    assert found.kind == WEIGHTS
    assert found.values.max() <= 1
    shown = np.arange(components.active)
    np.testing.assert_allclose(found.values, components.model.W_[:, shown], atol=0.05)
    assert np.mean(found.main == main_components_of(components.model, shown)) > 0.9
