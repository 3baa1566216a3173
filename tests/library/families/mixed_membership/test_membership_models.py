"""Estimators of mixed membership: orientation, fold-in, collapse, tables, metrics, recovery."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.optimize
import scipy.sparse

import nbmf
from nbmf.data.feature_table import FeatureTable
from nbmf.errors import CollapsedWarning, ConfigError, ConstantFeatureWarning, DataError, NotFittedError
from nbmf.families.mixed_membership import membership_evaluation as evaluation
from nbmf.families.mixed_membership.feature_model import FeatureModel

OF_BINARY = (nbmf.MNB, nbmf.MMNB, nbmf.FastMMNB)
MODELS = ("mnb", "mmnb", "fast-mmnb")
RNG = np.random.default_rng(4)


def blocks(F=40, N=24, p_missing=0.1, seed=0):
    """Three kinds of rows, each with a third of the columns; and which kind a row is."""
    rng = np.random.default_rng(seed)
    kind = np.arange(F) % 3
    p = np.where(kind[:, None] == np.arange(N) % 3, 0.9, 0.1)
    V = (rng.random((F, N)) < p).astype(np.int8)
    V[rng.random((F, N)) < p_missing] = -1
    return V, kind


V, KIND = blocks()


# --- Binary matrices ------------------------------------------------------------------------------


@pytest.mark.parametrize("own", OF_BINARY)
def test_columns_are_the_rows_of_the_transpose(own):
    rows = own(3, max_iter=30, relative_change_tol=0, random_state=0).fit(V)
    columns = own(3, orientation="columns", max_iter=30, relative_change_tol=0, random_state=0).fit(V.T)
    np.testing.assert_array_equal(rows.W_, columns.H_.T)
    np.testing.assert_array_equal(rows.H_, columns.W_.T)
    np.testing.assert_array_equal(rows.expectation_, columns.expectation_.T)
    np.testing.assert_array_equal(rows.transform(V[:5]), columns.transform_columns(V[:5].T).T)
    np.testing.assert_allclose(rows.transform_columns(V[:, :4]), columns.transform(V[:, :4].T).T, rtol=1e-12)
    assert rows.distributions == columns.probabilities == {"W"}
    assert rows.meanings == columns.meanings[::-1]
    one, two = rows.evaluate(V), columns.evaluate(V.T)
    np.testing.assert_array_equal(one.bounds, two.bounds)


@pytest.mark.parametrize("own", OF_BINARY)
def test_a_binary_fit_is_that_of_its_table(own):
    """The same EM on the same cells, whose atoms are counted otherwise."""
    model = MODELS[OF_BINARY.index(own)]
    binary = own(3, max_iter=20, relative_change_tol=0, random_state=0).fit(V)
    table = FeatureModel(3, model=model, max_iter=20, relative_change_tol=0, random_state=0)
    table.fit(nbmf.BinaryMatrix.from_array(V))
    np.testing.assert_allclose(table.memberships_, binary.W_, atol=1e-9)
    np.testing.assert_allclose(table.means_, binary.H_, atol=1e-9)
    assert table.bound_ == pytest.approx(binary.bound_, rel=1e-12)
    assert binary.evaluate(V).bounds.sum() == pytest.approx(binary.bound_, rel=1e-6)


@pytest.mark.parametrize("own", OF_BINARY)
def test_groups_are_found_and_predict_what_is_hidden(own):
    model = own(3, random_state=1).fit(V)
    assert evaluation.micro_precision(model.W_.argmax(axis=1), KIND) > 0.95
    assert model.distinct_components_ == 3
    truth, _ = blocks(p_missing=0.0)
    assert nbmf.perplexity(truth, model.expectation_, V < 0) < 0.45
    np.testing.assert_allclose(model.W_.sum(axis=1), 1.0)
    found = model.findings
    assert found["distinct_components"] == 3
    assert 0 <= found["mean_entropy"] < np.log(3)


def test_new_features_of_a_mixture_are_where_the_likelihood_is_largest():
    """Given the shares of rows, against a generic optimiser; ε = 0.5."""
    model = nbmf.MMNB(3, smoothing=0.5, random_state=0).fit(V)
    new = (RNG.random((40, 2)) < 0.4).astype(np.int8)
    new[:9, 0] = -1
    H = model.transform_columns(new)
    for n in range(2):
        seen = new[:, n] >= 0
        W, v = model.W_[seen], new[seen, n]

        def loss(logit, W=W, v=v):
            p = 1 / (1 + np.exp(-logit))
            mixture = np.where(v == 1, W @ p, 1 - W @ p)
            return -np.log(mixture).sum() - 0.5 * np.log(p * (1 - p)).sum()

        best = scipy.optimize.minimize(loss, np.zeros(3), method="BFGS")
        np.testing.assert_allclose(H[:, n], 1 / (1 + np.exp(-best.x)), atol=2e-3)
    for own in (nbmf.MNB, nbmf.FastMMNB):
        model = own(3, smoothing=0.5, random_state=0).fit(V)
        ones, seen = (new[:, 0] == 1) @ model.W_, (new[:, 0] >= 0) @ model.W_
        np.testing.assert_allclose(model.transform_columns(new)[:, 0], (ones + 0.5) / (seen + 1))


def test_without_smoothing_a_column_that_nobody_knows_is_a_half():
    codes = V.copy()
    codes[:, 3] = -1
    for own in OF_BINARY:
        model = own(2, smoothing=0.0, max_iter=10, relative_change_tol=0, random_state=0).fit(codes)
        assert np.isfinite(model.expectation_).all()
        np.testing.assert_allclose(model.H_[:, 3], 0.5)
        new = np.full((len(V), 1), -1, np.int8)
        new[0, 0] = 1
        assert np.isfinite(model.transform_columns(new)).all()


def test_ways_to_begin_are_parameters_of_tables_and_their_defaults_change_nothing():
    table = nbmf.BinaryMatrix.from_array(V)
    given = {"max_iter": 12, "relative_change_tol": 0, "random_state": 0}
    for model in MODELS:
        plain = FeatureModel(3, model=model, **given).fit(table)
        warm = "late" if model == "mmnb" else "never"
        told = FeatureModel(3, model=model, first_alpha=None, alpha_held=5, start_from="rows", warm=warm, **given)
        assert told.fit(table).objective_ == plain.objective_
        for changed in ({"first_alpha": 1.0}, {"alpha_held": 0}, {"start_from": "mixture"}, {"warm": "always"}):
            other = FeatureModel(3, model=model, **changed, **given).fit(table)
            assert (other.objective_ == plain.objective_) == (model == "mnb")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("first_alpha", 0, "None, or a number from 0.0001 to 10000"),
        ("alpha_held", -1, "an integer of at least 0"),
        ("start_from", "columns", "rows or mixture"),
        ("warm", "sometimes", "None, always, late or never"),
    ],
)
def test_a_way_to_begin_that_there_is_not_is_refused(name, value, words):
    with pytest.raises(ConfigError, match=f"{name} = .*{words}"):
        FeatureModel(3, **{name: value}).fit(nbmf.BinaryMatrix.from_array(V))


def test_a_collapse_is_reported():
    same = np.tile([[1, 0, 1, 1, 0, 0, 1, 0]], (12, 1))
    with pytest.warns(
        CollapsedWarning,
        match=r"MMNB collapsed: of 3 components only 1 differ.*"
        "another random_state, fewer components or another inner_max",
    ):
        model = nbmf.MMNB(3, random_state=0).fit(same)
    assert model.distinct_components_ == model.findings["distinct_components"] == 1
    with pytest.warns(CollapsedWarning, match="mean little: take another random_state or fewer components$"):
        nbmf.MNB(3, random_state=0).fit(same)  # whose E-steps have no rounds
    with pytest.warns(CollapsedWarning, match="the sum of alpha"):
        nbmf.FastMMNB(3, inner_max=3, max_iter=200, random_state=0).fit(RNG.integers(0, 2, (40, 30)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nbmf.MMNB(3, random_state=0).fit(V)


def test_sampling_finds_more_than_the_bound_and_of_mnb_the_same():
    for own in OF_BINARY:
        found = own(3, random_state=0).fit(V).evaluate(V, n_draws=500)
        if own is nbmf.MNB:
            np.testing.assert_array_equal(found.sampled, found.bounds)
        else:
            assert found.sampled.sum() > found.bounds.sum()
            assert found.sampled_perplexity < found.perplexity
    with pytest.raises(DataError, match="nothing was sampled; allowed: n_draws above 0"):
        nbmf.MNB(2, random_state=0).fit(V).evaluate(V).sampled_perplexity  # noqa: B018


def fitted_and_new():
    """Yield fits of each class, new rows like those of the fit, and rows that have no entry."""
    for own in OF_BINARY:
        yield own(2, max_iter=5, random_state=0).fit(V), V[:4], np.full((4, 24), -1)
    words = (RNG.random((20, 9)) < 0.5).astype(int)
    yield nbmf.VariationalLDA(2, max_iter=5, random_state=0).fit(words), words[:, :4], np.zeros((20, 4))
    numbers = RNG.normal(size=(20, 3))
    new, empty = (FeatureTable.from_array(rows) for rows in (numbers[:4], np.full((4, 3), np.nan)))
    yield FeatureModel(2, max_iter=5, random_state=0).fit(FeatureTable.from_array(numbers)), new, empty


@pytest.mark.filterwarnings("ignore::nbmf.errors.NotConvergedWarning", "ignore::nbmf.errors.CollapsedWarning")
def test_an_evaluation_refuses_what_cannot_be_and_knows_nothing_of_rows_without_entries():
    for model, new, empty in fitted_and_new():
        for wrong in (2.5, -3, True, "5"):
            with pytest.raises(ConfigError, match=r"n_draws = .*: must be an integer of at least 0"):
                model.evaluate(new, n_draws=wrong)
        for wrong in (-1, "a", 1.5):
            with pytest.raises(ConfigError, match=r"random_state = .*: must be None, an integer of at least 0, or"):
                model.evaluate(new, n_draws=3, random_state=wrong)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert np.isfinite(model.evaluate(new, n_draws=1).sampled_perplexity)
            nothing = model.evaluate(empty, n_draws=3)
            assert np.isnan([nothing.perplexity, nothing.sampled_perplexity]).all()


# --- Documents ------------------------------------------------------------------------------------


def documents(n=200, size=60, vocabulary=30, K=3, seed=0):
    """Counts of words in documents of K topics, the topics and the shares."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(vocabulary, 0.1), K)
    shares = rng.dirichlet(np.full(K, 0.2), n)
    return np.array([rng.multinomial(size, row @ topics) for row in shares]), topics, shares


@pytest.mark.parametrize("own", [nbmf.VariationalLDA, nbmf.FastLDA])
def test_lda_of_ones_is_that_of_the_documents_table(own):
    model = {nbmf.VariationalLDA: "mmnb", nbmf.FastLDA: "fast-mmnb"}[own]
    binary = own(3, inner_max=20, max_iter=15, relative_change_tol=0, random_state=0).fit(V)
    table = FeatureTable.from_documents(scipy.sparse.csr_array((V.T == 1).astype(int)))
    other = FeatureModel(
        3, model=model, smoothing=0.1, inner_max=20, max_iter=15, relative_change_tol=0, random_state=0
    ).fit(table)
    np.testing.assert_allclose(other.memberships_, binary.H_.T, rtol=1e-9)
    np.testing.assert_allclose(other.means_, binary.W_.T, rtol=1e-9)
    np.testing.assert_allclose(binary.alpha_, other.prior_)
    np.testing.assert_allclose(binary.W_.sum(axis=0), 1.0)
    np.testing.assert_allclose(binary.transform_columns(V), binary.H_, atol=1e-3)
    assert binary.evaluate(V).lengths.sum() == np.count_nonzero(V == 1)


def test_topics_come_back_from_drawn_documents():
    counts, topics, shares = documents()
    model = FeatureModel(3, smoothing=0.01, random_state=0).fit(FeatureTable.from_documents(counts))
    distance = np.abs(model.means_[:, None] - topics).sum(axis=2)
    match = distance.argmin(axis=1)
    assert sorted(match) == [0, 1, 2]
    assert distance.min(axis=1).max() < 0.15
    assert np.abs(model.memberships_ - shares[:, match]).mean() < 0.05
    assert 0.3 < model.prior_.sum() < 1.2  # 0.6 was drawn from


# --- Tables of features ---------------------------------------------------------------------------


def drawn_table(n=400, seed=0, alpha=0.15):
    """Rows of two components with mixed memberships; the means differ in every feature."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet([alpha, alpha], n)
    kinds = ["gaussian", "discrete", "bernoulli", "poisson"] * 4
    columns = []
    for kind in kinds:
        z = (rng.random(n) < shares[:, 1]).astype(int)
        columns.append(
            {
                "gaussian": lambda z=z: rng.normal(np.array([-2.0, 3.0])[z], np.array([1.0, 0.5])[z]),
                "discrete": lambda z=z: np.where(
                    z == 0, rng.choice(3, n, p=[0.8, 0.1, 0.1]), rng.choice(3, n, p=[0.1, 0.2, 0.7])
                ),
                "bernoulli": lambda z=z: rng.random(n) < np.array([0.1, 0.8])[z],
                "poisson": lambda z=z: rng.poisson(np.array([1.0, 6.0])[z]),
            }[kind]()
        )
    values = np.column_stack(columns).astype(float)
    values[rng.random(values.shape) < 0.1] = np.nan
    return FeatureTable.from_array(values, kinds=kinds), shares


@pytest.mark.parametrize("model", MODELS)
def test_components_of_mixed_features_come_back(model):
    table, shares = drawn_table()
    fitted = FeatureModel(2, model=model, random_state=0).fit(table)
    first = int(fitted.means_[0, 0] > 0)
    truth = np.array([[-2.0, 0.3, 0.1, 1.0], [3.0, 1.6, 0.8, 6.0]] * 1)
    tolerance = 0.15 if model == "mmnb" else 0.8  # others must take mixed rows for one component
    for c in range(2):
        np.testing.assert_allclose(
            fitted.means_[[first, 1 - first][c]].reshape(4, 4).mean(axis=0), truth[c], atol=tolerance
        )
    assert evaluation.micro_precision(fitted.clusters_, shares[:, 1] > 0.5) > 0.9
    if model == "mmnb":
        error = np.abs(fitted.memberships_[:, 1 - first] - shares[:, 1]).mean()
        assert error < 0.08
        assert 0.2 < fitted.prior_.sum() < 0.5


def test_new_rows_are_scored_and_the_full_model_describes_mixed_rows_best():
    table, _ = drawn_table()
    new, _ = drawn_table(200, 1)
    perplexity = {}
    for model in MODELS:
        fitted = FeatureModel(2, model=model, random_state=0).fit(table)
        found = fitted.evaluate(new, n_draws=200)
        perplexity[model] = found.sampled_perplexity
        assert found.bounds.shape == found.entropies.shape == (200,)
        assert found.perplexity == pytest.approx(np.exp(-found.bounds.sum() / new.cells.size), rel=1e-12)
        again = fitted.evaluate(table)
        assert again.bounds.sum() == pytest.approx(fitted.bound_, rel=1e-3)
    assert perplexity["mmnb"] < 0.97 * min(perplexity["mnb"], perplexity["fast-mmnb"])


def test_a_unit_multiplies_perplexity_as_it_should():
    """Of d Gaussian features one is measured in units a times as small: a^(1/d)."""
    x = RNG.normal(size=(60, 4)) + 3 * (np.arange(60) % 2)[:, None]
    scaled = x * [7.0, 1.0, 1.0, 1.0]
    for model in MODELS:
        one, two = (
            FeatureModel(2, model=model, max_iter=30, relative_change_tol=0, random_state=0).fit(values)
            for values in (x, scaled)
        )
        ratio = two.evaluate(scaled).perplexity / one.evaluate(x).perplexity
        assert ratio == pytest.approx(7.0**0.25, rel=1e-6)


def test_held_out_cells_are_scored_by_the_shares_of_their_rows():
    table, _ = drawn_table(300)
    values = table.values()
    hidden = np.where(np.arange(300)[:, None] % 16 == np.arange(16), values, np.nan)
    known = FeatureTable.from_array(np.where(np.isnan(hidden), values, np.nan), kinds=table.kinds)
    held_out = FeatureTable.from_array(hidden, kinds=table.kinds)
    fitted = FeatureModel(2, random_state=0).fit(known)
    scores = fitted.cell_log_likelihood(known, held_out)
    shares = fitted.evaluate(known).memberships
    f, n = int(held_out.row_of_cell()[7]), int(held_out.columns[7])
    law = fitted.densities_.log_density(np.array([n]), held_out.cells[[7]])[0]
    assert scores[7] == pytest.approx(np.log(shares[f] @ np.exp(law)))
    one = FeatureModel(1, random_state=0).fit(known)
    assert scores.mean() > one.cell_log_likelihood(known, held_out).mean() + 0.1
    with pytest.raises(DataError, match="held_out has 5 rows; allowed: the number of V, 300"):
        fitted.cell_log_likelihood(known, held_out.take_rows(np.arange(5)))


def test_an_unseen_category_is_impossible_without_smoothing_and_possible_with_it():
    train = FeatureTable.from_array([[0.0], [1.0], [2.0]], kinds="discrete").take_rows([0, 1])
    new = FeatureTable.from_array([[0.0], [1.0], [2.0]], kinds="discrete").take_rows([2])
    for model in MODELS:
        without, smoothed = (
            FeatureModel(2, model=model, smoothing=e, max_iter=5, relative_change_tol=0, random_state=0).fit(train)
            for e in (0.0, 0.1)
        )
        assert without.evaluate(new).perplexity == np.inf
        assert np.isfinite(smoothed.evaluate(new).perplexity)


def test_what_cannot_be_fitted_is_refused_by_name():
    table, _ = drawn_table(20)
    with pytest.raises(NotFittedError, match="this FeatureModel is not fitted yet"):
        FeatureModel().evaluate(table)
    empty = FeatureTable.from_array([[1.0, np.nan], [2.0, np.nan]], column_names=["a", "b"])
    with pytest.raises(DataError, match="column 'b' has no observed cell; leave it out"):
        FeatureModel().fit(empty)
    with pytest.raises(ConfigError, match="n_components = 3: 2 rows of the table differ"):
        FeatureModel(3).fit(FeatureTable.from_array([[1.0], [2.0], [1.0], [np.nan]]))
    with pytest.raises(ConfigError, match="model = 'lda': must be mnb, mmnb or fast-mmnb"):
        FeatureModel(model="lda").fit(table)
    constant = FeatureTable.from_array([[1.0, 5.0], [2.0, 5.0]], column_names=["a", "b"])
    with pytest.warns(ConstantFeatureWarning, match="constant in all rows: 'b'"):
        fitted = FeatureModel(1, relative_floor=0, max_iter=2, relative_change_tol=0).fit(constant)
    far = FeatureTable.from_array([[1.0, 5.5]], column_names=["a", "b"])
    assert fitted.evaluate(far).perplexity == np.inf  # exp(1e12)
    with pytest.raises(ConfigError, match="variance_floor = 0: column 'b' is constant"):
        FeatureModel(1, variance_floor=0).fit(constant)
    with pytest.raises(DataError, match="columns are not those of the fit"):
        fitted.evaluate(FeatureTable.from_array([[1.0, 5.0]]))


# --- Metrics --------------------------------------------------------------------------------------


def test_micro_precision_and_mutual_information_of_hand_made_tables():
    clusters = np.array([0, 0, 0, 1, 1, 2, 2, 2, -1])
    labels = np.array(["a", "a", "b", "b", "b", "a", "a", "c", "c"])
    assert evaluation.micro_precision(clusters, labels) == 6 / 8
    assert evaluation.micro_precision(np.zeros(8, int), labels[:8]) == 4 / 8
    table = np.array([[2, 1, 0], [0, 2, 0], [2, 0, 1]]) / 8
    apart = np.outer([3, 2, 3], [4, 3, 1]) / 64
    expected = sum(t * np.log(t / a) for t, a in zip(table.flat, apart.flat, strict=True) if t > 0)
    assert evaluation.mutual_information(clusters, labels) == pytest.approx(expected)
    assert evaluation.mutual_information(labels[:8] == "a", labels[:8] == "a") == pytest.approx(np.log(2))
    assert evaluation.mutual_information(np.zeros(8, int), labels[:8]) == pytest.approx(0)
    with pytest.raises(DataError, match="one of each per row"):
        evaluation.micro_precision(clusters, labels[:3])
    with pytest.raises(DataError, match="clusters and labels: no row has both"):
        evaluation.micro_precision(np.full(2, -1), labels[:2])


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, ""])
def test_rows_without_a_label_take_no_part_in_precision_and_information(missing):
    clusters, labels = [0, 0, 0, 1, 1], ["a", missing, missing, "b", "c"]
    assert evaluation.micro_precision(clusters, labels) == 2 / 3
    assert evaluation.mutual_information(clusters, labels) == evaluation.mutual_information([0, 1, 1], ["a", "b", "c"])
    with pytest.raises(DataError, match="clusters and labels: no row has both"):
        evaluation.micro_precision(clusters, [missing] * 5)


def test_entropies_clusters_and_perplexity():
    shares = np.array([[0.5, 0.5], [1.0, 0.0], [0.2, 0.8]])
    found = evaluation.Evaluation(np.array([2.0, 1.0, 0.0]), np.array([-3.0, -1.0, 0.0]), shares)
    np.testing.assert_allclose(found.entropies, [np.log(2), 0, -0.2 * np.log(0.2) - 0.8 * np.log(0.8)])
    assert found.clusters.tolist() == [0, 0, -1]
    assert found.perplexity == pytest.approx(np.exp(4 / 3))


def test_impossible_folds_are_counted():
    assert evaluation.mean_and_spread([1.0, 3.0, np.inf]) == (2.0, np.std([1, 3], ddof=1), 1)
    assert evaluation.mean_and_spread([1.0])[1:] == (0.0, 0)
    assert np.isnan(evaluation.mean_and_spread([np.inf])[0])
