"""Counts predicted without components, the loss of an entry, and the verdict about counts."""

import numpy as np
import pytest
from scipy import stats
from unwritten import signal_unwritten

import nbmf
from nbmf import registry
from nbmf.baseline_names import BASELINES, BASELINES_OF_COUNTS, OVERDISPERSED_BASELINES
from nbmf.catalogue import COMPARED, DEFAULTS, METHODS, TRIED_UP_TO, matrix_kind, methods_for
from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import ChainsNotConvergedWarning, ConfigError, DataError
from nbmf.evaluation import count_baselines
from nbmf.evaluation.baselines import baseline_score, comparison_baselines, predict_baseline, take_entries
from nbmf.evaluation.compare import compare
from nbmf.families.logistic.gaussian_factor_vb import GaussianFactorVB
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.likelihoods.negative_binomial import NEGATIVE_BINOMIAL
from nbmf.likelihoods.poisson import POISSON

RNG = np.random.default_rng(3)


def table(shape=(40, 25), level=4.0, size=None):
    """Return counts whose rows and columns have rates of their own and nothing else."""
    rng = np.random.default_rng(0)
    rate = level * np.outer(rng.gamma(2.0, 0.5, shape[0]), rng.gamma(2.0, 0.5, shape[1]))
    if size is not None:
        rate = rate * rng.gamma(size, 1 / size, shape)
    return rng.poisson(rate)


# --- Baselines ---------------------------------------------------------------------------------


def test_shares_are_row_sum_times_column_sum_over_all():
    """But for one average entry that each line has more, which a long line does not feel."""
    counts = RNG.poisson(5.0, (400, 300))
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    np.testing.assert_allclose(count_baselines.shares(counts), expected, rtol=0.01)
    exact = np.outer(counts.sum(axis=1) + 1, counts.sum(axis=0) + 1)
    assert abs(count_baselines.shares(counts) - exact / exact.mean() * counts.mean()).max() < 0.05


def test_shares_have_the_observed_sums_of_rows_and_columns():
    """With missing entries: rates of observed entries, and the entry added, sum to what was."""
    counts = np.where(RNG.random((30, 20)) < 0.3, -1, RNG.poisson(6.0, (30, 20)))
    seen, rates = counts >= 0, count_baselines.shares(counts)
    level = (counts[seen].sum() + 1) / (seen.sum() + 1)
    rows = rates[:, 0] / rates[0, 0]  # up to a factor that columns have
    columns = rates[0] / 1.0
    factor = _factor(counts, seen, rows, columns, level)
    rows, columns = rows * factor, columns / factor
    np.testing.assert_allclose((seen * rates).sum(axis=1) + level * rows, np.where(seen, counts, 0).sum(axis=1) + level)
    np.testing.assert_allclose((seen * rates).sum(axis=0) + columns, np.where(seen, counts, 0).sum(axis=0) + level)


def _factor(counts, seen, rows, columns, level):
    """Return the factor of rows with which the first row has its sum."""
    total = counts[0][seen[0]].sum() + level
    return (total - (seen[0] * rows[0] * columns).sum()) / (level * rows[0])


def test_means_are_of_what_was_observed_and_never_zero():
    counts = np.array([[0, 0, 0], [4, -1, 8]])
    level = (12 + 1) / (5 + 1)
    assert count_baselines.overall(counts)[1, 2] == pytest.approx(level)
    by_row = count_baselines.means(counts, axis=1)
    np.testing.assert_allclose(by_row[:, 0], [level / 4, (12 + level) / 3])
    by_column = count_baselines.means(counts, axis=0)
    np.testing.assert_allclose(by_column[0], [(4 + level) / 3, level / 2, (8 + level) / 3])
    for name in BASELINES_OF_COUNTS:
        assert (predict_baseline(name, counts) > 0).all()


@pytest.mark.parametrize("size", [0.5, 4.0])
def test_sizes_are_those_that_counts_were_drawn_with(size):
    mean = np.full((2000, 3), 6.0)
    counts = RNG.poisson(6.0 * RNG.gamma(size, 1 / size, mean.shape))
    found = count_baselines.fit_sizes(counts, mean)[1][0]
    assert (abs(np.log2(found / size)) <= 0.5).all()
    of_poisson = count_baselines.fit_sizes(RNG.poisson(mean), mean)[1]
    assert of_poisson.min() > 100


def test_sizes_are_the_most_likely_ones_of_what_is_observed():
    """The log-likelihood of each size by SciPy, cell by cell, plus the average of all columns."""
    counts = np.where(RNG.random((30, 6)) < 0.5, -1, table((30, 6), size=0.6))
    mean = count_baselines.shares(counts)
    fit = np.zeros((count_baselines.SIZES.size, 6))
    for f, n in np.argwhere(counts >= 0):
        size = count_baselines.SIZES
        fit[:, n] += stats.nbinom.logpmf(counts[f, n], size, size / (size + mean[f, n]))
    expected = [count_baselines.SIZES[np.argmax(fit[:, n] + fit.mean(axis=1))] for n in range(6)]
    kept, found = count_baselines.fit_sizes(counts, mean)
    np.testing.assert_array_equal(found, np.tile(expected, (30, 1)))
    assert kept is mean
    assert len(set(expected)) > 1


@pytest.mark.parametrize("columns", [1, 2, 3, 6, 7])
def test_sizes_do_not_depend_on_how_many_columns_are_tried_at_a_time(columns, monkeypatch):
    counts, mean = table(size=1.0)[:, :columns], np.full((40, columns), 4.0)
    at_once = count_baselines.fit_sizes(counts, mean)[1]
    monkeypatch.setattr(count_baselines, "CELLS", 100)  # two columns
    signal_unwritten(monkeypatch)
    np.testing.assert_array_equal(count_baselines.fit_sizes(counts, mean)[1], at_once)


def test_what_is_hidden_changes_no_baseline():
    counts = table(size=2.0)
    hidden = np.where(RNG.random(counts.shape) < 0.3, -1, counts)
    matrix, other = (CountMatrix.from_array(np.where(hidden < 0, x, counts)) for x in (99, 0))
    for name in (*BASELINES_OF_COUNTS, *OVERDISPERSED_BASELINES):
        one, two = (
            take_entries(predict_baseline(name, POISSON.hide(m.tallies, hidden < 0)), *np.nonzero(counts))
            for m in (matrix, other)
        )
        for found, expected in zip(one, two, strict=True):
            np.testing.assert_array_equal(found, expected)


def test_scores_of_baselines_are_those_of_their_distribution():
    counts = table(size=1.0)
    matrix, mask = CountMatrix.from_array(counts), RNG.random(counts.shape) < 0.2
    given = np.where(mask, -1, counts)
    for name in (*BASELINES_OF_COUNTS, *OVERDISPERSED_BASELINES):
        found = take_entries(predict_baseline(name, given), *np.nonzero(mask))
        if name in BASELINES_OF_COUNTS:
            log_p = stats.poisson.logpmf(counts[mask], found)
        else:
            p = stats.nbinom.pmf(counts[mask], found[1], found[1] / (found[0] + found[1]))
            log_p = np.log(np.atleast_2d(p).mean(axis=0))  # effects predict a mixture
        score = baseline_score(name, matrix, mask)
        assert score["perplexity"] == pytest.approx(-log_p.mean(), rel=1e-12)
        assert (score["n_test"], np.isnan(score["brier"])) == (mask.sum(), True)


def test_effects_of_counts_are_the_model_without_components():
    """What has effects with learned variances does not seem better than the best baseline for that alone."""
    level = np.exp(RNG.normal(0, 0.8, (40, 1)) + RNG.normal(0, 0.5, 20))
    counts = RNG.poisson(level * RNG.gamma(1.5, 1 / 1.5, level.shape))
    mask = RNG.random(counts.shape) < 0.3
    model = nbmf.NegativeBinomialFactorVB(0, effects="both", effect_scale="learned", random_state=5)
    model.fit(np.where(mask, -1, counts))
    places = np.nonzero(mask)
    expected = NEGATIVE_BINOMIAL.losses(counts[mask], model.predictive(*places)).mean()
    scores = {name: baseline_score(name, CountMatrix.from_array(counts), mask) for name in OVERDISPERSED_BASELINES}
    assert scores["effects-nb"]["perplexity"] == pytest.approx(expected, rel=1e-12)
    assert min(scores, key=lambda name: scores[name]["perplexity"]) == "effects-nb"


def test_which_baselines_stand_next_to_which_methods():
    binary, counts = BinaryMatrix.from_array(np.eye(2)), CountMatrix.from_array(np.eye(2))
    assert comparison_baselines(binary, [BERNOULLI]) == BASELINES
    assert comparison_baselines(counts, [POISSON]) == BASELINES_OF_COUNTS
    assert comparison_baselines(counts, [NEGATIVE_BINOMIAL]) == BASELINES_OF_COUNTS | OVERDISPERSED_BASELINES


# --- Losses ------------------------------------------------------------------------------------


def predictions():
    mean, size = RNG.gamma(1.0, 3.0, (2, 60))
    mean[:2] = 0.0, -0.5
    yield BERNOULLI, RNG.integers(0, 2, (6, 10)), np.r_[0.0, 1.0, RNG.random(58)]
    yield POISSON, RNG.poisson(2.0, (6, 10)), mean
    yield NEGATIVE_BINOMIAL, RNG.poisson(2.0, (6, 10)), (mean, size)
    yield NEGATIVE_BINOMIAL, RNG.poisson(2.0, (6, 10)), (RNG.gamma(1.0, 3.0, (4, 60)), size)


@pytest.mark.parametrize(("law", "values", "predicted"), list(predictions()))
def test_losses_of_entries_add_up_to_the_loss(law, values, predicted):
    total = law.loss_at(values, np.ones(values.shape, bool))(predicted).total
    assert law.losses(values.ravel(), predicted).sum() == pytest.approx(total, rel=1e-12)


# --- The verdict -------------------------------------------------------------------------------


def quick(name, **settings):
    entry = METHODS[name]
    return registry.make_estimator(entry["class"], 2, entry["settings"] | settings, 0)


def clusters(size=None):
    """Return counts of two blocks of rows that have different columns."""
    rng = np.random.default_rng(1)
    rate = 1.0 + 9.0 * ((np.arange(40)[:, None] < 20) == (np.arange(25) < 12))
    return rng.poisson(rate if size is None else rate * rng.gamma(size, 1 / size, rate.shape))


def test_structure_in_counts_is_found():
    found = nbmf.verdict(CountMatrix.from_array(clusters()), quick("poisson-gamma-vb"))
    assert found.found
    assert {gain.baseline for gain in found.gains} == set(BASELINES_OF_COUNTS)
    assert "structure found: this method predicts better than" in str(found)
    assert min(gain.loss for gain in found.gains) - found.loss == pytest.approx(found.gains[0].mean)


def test_a_method_is_judged_by_the_baselines_of_its_own_distribution():
    """What overdispersion explains is no structure."""
    found = nbmf.verdict(CountMatrix.from_array(table(size=0.7)), quick("negative-binomial-vb"))
    assert {gain.baseline for gain in found.gains} == set(OVERDISPERSED_BASELINES)
    assert not found.found
    assert "nothing found beyond" in str(found)


def test_rates_of_rows_and_columns_are_no_structure():
    found = nbmf.verdict(CountMatrix.from_array(table()), quick("poisson-gamma-em"))
    assert not found.found
    assert found.gains[0].baseline in ("rates", "shrunken-rates")


def test_methods_without_such_a_distribution_are_refused():
    with pytest.raises(DataError, match="GaussianFactorVB predicts no probability of a one or of"):
        nbmf.verdict(np.eye(9), GaussianFactorVB(2))


# --- Methods by what they take ---------------------------------------------------------------


def test_methods_are_recognised_by_the_matrix_that_they_take():
    counts, binary = methods_for(CountMatrix), methods_for(BinaryMatrix)
    assert {METHODS[name]["class"] for name in counts} == {
        name for name in registry.all_classes() if registry.estimator_class(name).likelihoods[0].matrix is CountMatrix
    }
    categories = methods_for(CategoryMatrix)
    assert set(counts) | set(binary) | set(categories) == set(METHODS)
    for matrix in (BinaryMatrix, CountMatrix, CategoryMatrix):
        for name in (DEFAULTS[matrix.__name__], *COMPARED[matrix.__name__]):
            assert matrix_kind(name) is matrix


def test_counts_are_compared_by_what_takes_them():
    settings = {"burn_in": 10, "n_samples": 10, "max_iter": 20}
    methods = {
        name: {
            "settings": {key: settings[key] for key in settings if key in registry.settings_of(METHODS[name]["class"])}
        }
        for name in COMPARED["CountMatrix"]
    }
    matrix = CountMatrix.from_array(clusters(2.0))
    found = compare(matrix, methods, K=[2], masks=2, log=[].append)
    summary = found.summary().set_index("method")
    assert set(summary.index) == {*methods, *BASELINES_OF_COUNTS, *OVERDISPERSED_BASELINES}
    assert summary["brier"].isna().all()
    assert set(found.scores["unit"]) == {"nats per held-out entry"}
    assert summary["mean"].idxmin().startswith("negative-binomial")
    with pytest.raises(ConfigError, match="bica a BinaryMatrix"):
        compare(matrix, ["poisson-gamma-vb", "bica"], K=[2], masks=2)
    only = compare(matrix, {"poisson-gamma-vb": methods["poisson-gamma-vb"]}, K=[2], masks=1)
    assert set(only.summary()["method"]) == {"poisson-gamma-vb", *BASELINES_OF_COUNTS}


def test_what_is_compared_by_default_depends_on_the_matrix(monkeypatch):
    asked = []
    monkeypatch.setattr("nbmf.evaluation.compare.complete_entries", lambda names, K: asked.append(names))
    for matrix in (CountMatrix.from_array(np.eye(2)), np.eye(2), np.eye(600)):
        with pytest.raises(AttributeError):
            compare(matrix)
    binary = COMPARED["BinaryMatrix"]
    finite, sampler, _, mode = TRIED_UP_TO
    small, large = (*binary, finite, "mnb-rows", sampler, mode), (*binary, "mnb-rows", mode)
    assert asked == [COMPARED["CountMatrix"], small, large]


def test_errors_of_estimators_name_the_way_out():
    matrix = CountMatrix([[3, 0], [-1, 1]], ["a", "b"], ["x", "y"], ["g", "h"])
    with pytest.raises(DataError, match=r"a binary matrix is needed, not a CountMatrix; V\.above"):
        nbmf.BetaDirVB(2).fit(matrix)
    binary = matrix.above(0)
    assert (binary.codes.tolist(), binary.row_groups.tolist()) == ([[1, 0], [-1, 1]], ["g", "h"])
    assert matrix.above(1).codes.tolist() == [[1, 0], [-1, 0]]
    for value in (2.5, -3):
        with pytest.raises(DataError, match=r"row 1, column 0 .*numbers are for GaussianFactorVB"):
            nbmf.PoissonGammaVB(2).fit([[3, 1], [value, 0]])


@pytest.mark.parametrize("effects", ["none", "both"])
def test_chains_of_negative_binomial_samplers_run(effects):
    """Each sweep has the sizes of columns, and no noise unless that was asked for."""
    V = RNG.poisson(3.0, (12, 9))
    model = nbmf.NegativeBinomialFactorGibbs(2, effects=effects, burn_in=5, n_samples=6, random_state=0)
    with pytest.warns(ChainsNotConvergedWarning):
        chains = nbmf.run_chains(model, V, chains=2, n_draws=3)
    assert chains.trace["entries"].shape[0] == 2
    assert np.isfinite(chains.trace["entries"]).all()
