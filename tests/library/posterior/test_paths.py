"""Paths of rows that move, from draws: intervals, tables, and what comes next."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

import nbmf
from nbmf.errors import ConfigError, DataError, NotSupportedError
from nbmf.families.logistic import factors as form
from nbmf.families.logistic import moving_rows as moving
from nbmf.posterior.draws import Draws
from nbmf.posterior.intervals import interval
from nbmf.posterior.paths import group_path_table, next_positions, path_table, paths_of, positions_after, predict_next

T, YEARS = 3, np.repeat([2000, 2001, 2004], 6)


def fitted(kind="DynamicFactorGibbs", K=1, n_draws=40, **settings):
    rng = np.random.default_rng(3)
    psi = rng.normal(size=(12, K)) @ (2 * rng.normal(size=(K, 18)))
    V = (np.digitize(psi + rng.logistic(size=psi.shape), [-0.5, 0.5]) if "Ordinal" in kind else psi > 0).astype(float)
    V[0, YEARS == 2000] = V[1, YEARS == 2001] = np.nan
    model = getattr(nbmf, kind)(K, periods=YEARS, burn_in=60, n_samples=80, random_state=1, **settings)
    return nbmf.posterior_draws(model, V, n_draws=n_draws)


@pytest.fixture(scope="module")
def draws():
    return fitted()


def test_paths_are_means_and_intervals_of_turned_draws(draws):
    paths = paths_of(draws, 0.8)
    turned = [one.others[moving.PATHS] * draws.alignment.rotation[s] for s, one in enumerate(draws)]
    np.testing.assert_allclose(paths.mean, np.mean(turned, axis=0), rtol=1e-6)
    for found, expected in zip((paths.lower, paths.upper), interval(np.stack(turned), 0.8), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert paths.period_names.tolist() == ["2000", "2001", "2004"]
    assert paths.times.tolist() == [2000, 2001, 2004]
    assert paths.entries[:3].tolist() == [[0, 6, 6], [6, 0, 6], [6, 6, 6]]
    assert paths.spans[:2].tolist() == [[1, 2], [0, 2]]
    assert np.abs(paths.mean - draws.estimator.paths_)[2:].mean() < 0.1
    with pytest.raises(ConfigError, match="level = 2"):
        paths_of(draws, 2)


def test_a_table_has_the_periods_of_each_span(draws):
    table, paths = path_table(draws), paths_of(draws)
    assert list(table.columns) == ["row", "period", "component", "mean", "lower", "upper", "entries"]
    assert len(table) == 12 * T - 1
    first, second = (table[table["row"] == f"row {f}"] for f in (0, 1))
    assert first["period"].tolist() == ["2001", "2004"]
    assert second["entries"].tolist() == [6, 0, 6]
    np.testing.assert_allclose(second["upper"], paths.upper[1, :, 0])
    np.testing.assert_allclose(first["mean"], paths.mean[0, 1:, 0])
    two = path_table(fitted(K=2))
    assert two["component"].tolist()[:4] == [1, 2, 1, 2]


@pytest.mark.parametrize("K", [1, 2])
def test_positions_of_a_group_are_means_of_the_rows_that_are_there(K):
    draws = fitted(K=K)
    groups = ["new", *["left"] * 5, *["right"] * 4, "", ""]  # the first row has no first period
    table = group_path_table(draws, groups, 0.8)
    assert table["group"].unique().tolist() == ["left", "new", "right"]
    assert table.index.tolist() == list(range(len(table)))
    assert group_path_table(draws, groups).equals(group_path_table(draws, groups, 0.9))
    assert table[table["group"] == "new"]["period"].unique().tolist() == ["2001", "2004"]
    turned = np.stack([one.others[moving.PATHS] @ draws.alignment.aligned(s, np.eye(K)) for s, one in enumerate(draws)])
    for name, rows, first in (("left", slice(1, 6), 0), ("right", slice(6, 10), 0), ("new", slice(0, 1), 1)):
        of_group = turned[:, rows, first:].mean(axis=1)
        found = table[table["group"] == name].set_index(["period", "component"])
        for t, period in enumerate(["2000", "2001", "2004"][first:]):
            for k in range(K):
                row, values = found.loc[(period, k + 1)], of_group[:, t, k]
                change = values - of_group[:, 0, k]
                assert row["rows"] == rows.stop - rows.start
                expected = [values.mean(), *interval(values, 0.8), change.mean(), *interval(change, 0.8)]
                told = row[["mean", "lower", "upper", "change", "change_lower", "change_upper"]].astype(float)
                np.testing.assert_allclose(told, expected, rtol=1e-5, atol=1e-7)
    with pytest.raises(DataError, match="groups: 12 names are needed, 3 were given"):
        group_path_table(draws, ["a", "b", "c"])
    with pytest.raises(DataError, match="groups: no row has a group"):
        group_path_table(draws, [""] * 12)
    with pytest.raises(ConfigError, match="level = 2"):
        group_path_table(draws, groups, 2)


def many(draws, n):
    """Return n draws that are all the same, the last."""
    return Draws(draws.estimator, [draws[-1]] * n)


def test_next_positions_are_a_step_of_the_walk_away():
    draws = fitted(K=2, walk_variance="rows")
    one, n = draws[-1], 3000
    rng = np.random.default_rng(1)
    steps = np.array([positions_after(one, 2.5, rng) for _ in range(n)]) - one.others[moving.PATHS][:, -1]
    np.testing.assert_allclose(steps.mean(axis=0), 0.0, atol=0.06)
    for f in (0, 5):
        found, expected = np.cov(steps[:, f].T), 2.5 * one.others[moving.WALK][f]
        np.testing.assert_allclose(found, expected, atol=0.12 * np.trace(expected))
    np.testing.assert_array_equal(next_positions(draws, np.int64(1)), next_positions(draws, 1.0))
    now = next_positions(draws, ahead=0)
    last = [draws.alignment.aligned(s, each.others[moving.PATHS][:, -1]) for s, each in enumerate(draws)]
    np.testing.assert_allclose(now, last, rtol=1e-5, atol=1e-6)
    assert next_positions(draws, 1).std(axis=0).mean() < next_positions(draws, 30).std(axis=0).mean()
    np.testing.assert_array_equal(next_positions(draws, 1, seed=2), next_positions(draws, 1, seed=2))
    for wrong in (-1, "a", np.nan, np.inf, True):
        with pytest.raises(ConfigError, match=r"ahead = .*: must be a number of at least 0"):
            next_positions(draws, wrong)


def test_rows_of_a_fit_of_fewer_axes_than_components_go_on_along_those_axes():
    V = np.random.default_rng(0).integers(0, 2, (12, 2)).astype(float)
    model = nbmf.DynamicFactorGibbs(3, periods=[0, 1], burn_in=5, n_samples=10, random_state=0)
    draws = nbmf.posterior_draws(model, V, n_draws=5)
    np.testing.assert_allclose(next_positions(draws)[..., 2], 0.0, atol=1e-6)
    assert np.isfinite(predict_next(draws)).all()
    one, rng = draws[-1], np.random.default_rng(1)
    steps = np.array([positions_after(one, 1.0, rng) for _ in range(4000)])[:, 0] - one.others[moving.PATHS][0, -1]
    walk = one.others[moving.WALK][0]
    np.testing.assert_allclose(np.cov(steps.T), walk, atol=0.1 * np.trace(walk))


def test_a_known_column_is_predicted_where_rows_go(draws):
    n = 2000
    one = draws[-1]
    found = predict_next(many(draws, n), columns=[3, 0])
    last = one.others[moving.PATHS][:, -1, 0].astype(float)
    scale = np.sqrt(float(one.others[moving.WALK][0, 0, 0]))
    z = stats.norm.ppf((np.arange(500) + 0.5) / 500)
    for place, n in enumerate((3, 0)):
        psi = one.others[form.COLUMNS][n] + (last[:, None] + scale * z) * one.H[0, n]
        np.testing.assert_allclose(found[:, place], expit(psi).mean(axis=1), atol=0.03)
    assert found.shape == (12, 2)
    for wrong in ([18], [-1], [0.5], 3):
        with pytest.raises(ConfigError, match=r"columns = .*: must be integers from 0 to 17"):
            predict_next(draws, wrong)


def test_a_new_column_is_averaged_over_its_prior(draws):
    """By simulation of h and c from their prior in the form of a draw; `test_the_form_says_...` has what that is."""
    one, rng = draws[-1], np.random.default_rng(2)
    others = one.others
    item = rng.multivariate_normal(others[moving.ITEM_MEAN], others[moving.ITEMS], 40_000).T
    assert others[moving.ITEM_MEAN][1] == pytest.approx(others[form.INTERCEPT])
    W = np.linspace(-2, 2, 5)[:, None]
    found = draws.estimator.chances_of_new_column(one, W, rng)
    np.testing.assert_allclose(found, expit(W * item[0] + item[1]).mean(axis=1), atol=0.01)
    assert predict_next(draws).shape == (12,)


@pytest.mark.parametrize("kind", ["DynamicFactorGibbs", "DynamicOrdinalFactorGibbs"])
def test_a_column_of_a_period_to_come_is_predicted_as_a_new_one_is(kind):
    """A column without entries two years after the last one with some; the two chains are others."""
    categories = {"cut_points": "shared", "effects": "columns", "n_categories": 3} if "Ordinal" in kind else {}
    V = np.random.default_rng(3).integers(0, 2 + bool(categories), (12, 18)).astype(float)
    wider, f = np.hstack([V, np.full((12, 1), np.nan)]), np.arange(12)
    sweeps = {"burn_in": 200, "n_samples": 800, **categories}
    model = getattr(nbmf, kind)(1, periods=[*YEARS, 2006], random_state=1, **sweeps).fit(wider)
    draws = nbmf.posterior_draws(getattr(nbmf, kind)(1, periods=YEARS, random_state=2, **sweeps), V, n_draws=400)
    np.testing.assert_allclose(model.predictive(f, np.full(12, 18)), predict_next(draws, ahead=2.0), atol=0.08)
    assert model.spans_[:, 1].tolist() == [2] * 12  # which ends with the entries


@pytest.mark.parametrize("settings", [{}, {"cut_points": "shared", "effects": "columns"}])
def test_categories_have_probabilities_that_add_up(settings):
    draws = fitted("DynamicOrdinalFactorGibbs", n_categories=3, **settings)
    new, known = predict_next(draws), predict_next(draws, [0, 4, 5], ahead=2)
    assert (new.shape, known.shape) == ((12, 3), (12, 3, 3))
    for found in (new, known):
        np.testing.assert_allclose(found.sum(axis=-1), 1.0, rtol=1e-9)
        assert found.min() > 0
    one, rng, n = draws[-1], np.random.default_rng(5), 20_000
    items = rng.multivariate_normal(one.others[moving.ITEM_MEAN], one.others[moving.ITEMS], n)  # h and the effect
    cuts = one.others[form.CUTS].astype(float)
    if not settings:
        cuts = np.sort(3 * rng.standard_normal((n, 2)), axis=1)
    psi = items @ [0.7, 1.0]
    expected = expit(psi[:, None] - cuts).mean(axis=0)
    repeated = [draws.estimator.chances_of_new_column(one, np.array([[0.7]]), rng)[0] for _ in range(3000)]
    found = np.mean(repeated, axis=0)
    np.testing.assert_allclose([1 - found[0], found[2]], expected, atol=0.02)


def test_rows_that_stay_have_no_paths():
    V = (np.random.default_rng(0).random((6, 5)) < 0.5).astype(float)
    draws = nbmf.posterior_draws(nbmf.LogisticFactorGibbs(1, burn_in=2, n_samples=4, random_state=0), V, n_draws=2)
    for call in (paths_of, path_table, next_positions, predict_next, nbmf.plot.paths):
        with pytest.raises(NotSupportedError, match="rows of LogisticFactorGibbs do not move"):
            call(draws)


@pytest.mark.parametrize("K", [1, 2])
def test_intervals_of_what_is_in_the_axes_of_a_draw_turn_with_it(K):
    """A draw with the opposite sign is the same: without turning, half the draws of one sign would straddle 0."""
    draws = fitted(K=K, n_draws=20)
    lower, upper = draws.other_interval(moving.PATHS, 0.8)
    paths = paths_of(draws, 0.8)
    np.testing.assert_allclose(lower, paths.lower, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(upper, paths.upper, rtol=1e-5, atol=1e-6)
    assert draws.other_interval(moving.START_MEAN)[0].shape == (K,)
    for name in (moving.WALK, moving.START, moving.ITEM_MEAN, moving.ITEMS):
        with pytest.raises(NotSupportedError, match=f"'{name}' has other coordinates in each draw"):
            draws.other_interval(name)
