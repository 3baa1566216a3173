"""Components of tables: how many there are, what distinguishes them, labels, model files."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest
import scipy.integrate
import scipy.stats
from feature_tables import DOCUMENTS, KINDS, TABLE, mixed, table

import nbmf
from nbmf.data.feature_columns import WORD
from nbmf.errors import ConfigError, DataError, NotFittedError
from nbmf.evaluation import component_choice, held_out_cells
from nbmf.evaluation.component_choice import best_fit, choose_components
from nbmf.evaluation.held_out_cells import folds
from nbmf.families.mixed_membership.feature_model import FeatureModel
from nbmf.numerics.clustered_errors import mean_and_error
from nbmf.plotting import feature_tables
from nbmf.posterior.distinguishing import agreement, by_label, distinguishing, order_of_components
from nbmf.seeds import seed_sequence

ONE = {"mnb": {"model": "mnb"}}


@pytest.fixture(scope="module")
def model():
    return FeatureModel(2, model="mnb", random_state=0).fit(TABLE)


@pytest.fixture(scope="module")
def topics():
    return FeatureModel(2, smoothing=0.1, random_state=0).fit(DOCUMENTS)


# --- What distinguishes components ----------------------------------------------------------------


def of(told, component, column, category=""):
    chosen = (told["component"] == component) & (told["column"] == column)
    ((_, row),) = told[chosen & (told["category"] == category)].iterrows()
    return row


def test_values_are_weighted_means_and_shares(model):
    """A slow twin, from the memberships and the cells alone."""
    told, order, values = distinguishing(model, TABLE), order_of_components(model), TABLE.values()
    assert (np.diff(model.memberships_.mean(axis=0)[order]) <= 0).all()
    names, e = TABLE.column_names.tolist(), model.smoothing
    for number, k in enumerate(order, start=1):
        for name in names:
            x = values[:, names.index(name)]
            r, x = model.memberships_[~np.isnan(x), k], x[~np.isnan(x)]
            if name == "height":
                mean = r @ x / r.sum()
                row = of(told, number, name)
                assert row["value"] == pytest.approx(mean, rel=1e-3)
                assert row["sd"] == pytest.approx(np.sqrt(r @ (x - mean) ** 2 / r.sum()), rel=1e-3)
                assert row["overall"] == pytest.approx(x.mean(), rel=1e-12)
                assert row["overall_sd"] == pytest.approx(x.std(), rel=1e-12)
            elif name == "visits":
                row = of(told, number, name)
                rate = (r @ x + e * x.mean()) / (r.sum() + e)
                assert row["value"] == pytest.approx(rate, rel=1e-3)
                assert row["overall"] == pytest.approx(x.mean(), rel=1e-12)
                assert row["lift"] == pytest.approx(row["value"] / row["overall"], rel=1e-12)
            elif name == "member":
                row = of(told, number, name)
                share = (r @ x + e) / (r.sum() + 2 * e)
                assert row["value"] == pytest.approx(share, rel=1e-3)
                assert row["overall"] == pytest.approx((x.sum() + e) / (x.size + 2 * e), rel=1e-12)
                assert row["lift"] == pytest.approx(row["value"] / row["overall"], rel=1e-12)
            else:
                for code, category in enumerate("abc"):
                    row = of(told, number, name, category)
                    share = (r @ (x == code) + e) / (r.sum() + 3 * e)
                    assert row["value"] == pytest.approx(share, rel=1e-3)
                    assert row["lift"] == pytest.approx(row["value"] / row["overall"], rel=1e-12)


def test_nats_are_kullback_leibler_divergences(model):
    """By quadrature and by sums over all values; columns of all kinds are comparable."""
    told = distinguishing(model, TABLE)
    for number in (1, 2):
        row = of(told, number, "height")
        p = scipy.stats.norm(row["value"], row["sd"])
        q = scipy.stats.norm(row["overall"], row["overall_sd"])
        expected, _ = scipy.integrate.quad(
            lambda x, p=p, q=q: p.pdf(x) * (p.logpdf(x) - q.logpdf(x)), -20, 25, points=[row["value"]]
        )
        assert row["nats"] == pytest.approx(expected, rel=1e-8)
        row, x = of(told, number, "visits"), np.arange(80)
        p, q = scipy.stats.poisson(row["value"]), scipy.stats.poisson(row["overall"])
        assert row["nats"] == pytest.approx(p.pmf(x) @ (p.logpmf(x) - q.logpmf(x)), rel=1e-10)
        row = of(told, number, "member")
        p, q = (np.array([row[at], 1 - row[at]]) for at in ("value", "overall"))
        assert row["nats"] == pytest.approx(p @ np.log(p / q), rel=1e-10)
        rows = told[(told["component"] == number) & (told["column"] == "job")]
        expected = rows["value"] @ np.log(rows["value"] / rows["overall"])
        assert rows["nats"].sum() == pytest.approx(expected, rel=1e-10)
        assert (rows["nats"] >= 0).all()


def test_the_most_telling_comes_first_and_kinds_are_reported(model):
    told = distinguishing(model, TABLE)
    for _, own in told.groupby("component"):
        assert (np.diff(own["nats"]) <= 0).all()
    heights = [of(told, number, "height")["value"] for number in (1, 2)]
    assert abs(heights[0] - heights[1]) > 2
    assert told["sd"].notna().equals(told["kind"] == "gaussian")
    assert told["category"].ne("").equals(told["kind"] == "discrete")


def test_one_component_is_as_all_rows_are():
    told = distinguishing(FeatureModel(1, model="mnb", random_state=0).fit(TABLE), TABLE)
    np.testing.assert_allclose(told["nats"], 0, atol=1e-12)
    np.testing.assert_allclose(told["value"], told["overall"], rtol=1e-12)


def test_topics_have_words(topics):
    told = distinguishing(topics, DOCUMENTS)
    assert set(told["kind"]) == {WORD}
    firsts = {frozenset(own.nlargest(2, "value")["column"]) for _, own in told.groupby("component")}
    assert firsts == {frozenset(["sea", "ice"]), frozenset(["bus", "car"])}
    np.testing.assert_allclose(told.groupby("component")["value"].sum(), 1)
    np.testing.assert_allclose(told.groupby("component")["overall"].sum(), 1)
    np.testing.assert_allclose(told["lift"], told["value"] / told["overall"])
    expected = (told["value"] * np.log(told["lift"])).groupby(told["component"]).sum()
    np.testing.assert_allclose(told.groupby("component")["nats"].sum(), expected)


def test_other_columns_are_refused(model):
    with pytest.raises(DataError, match="columns are not those of the fit"):
        distinguishing(model, DOCUMENTS)
    with pytest.raises(NotFittedError):
        distinguishing(FeatureModel(2), TABLE)


def test_rows_with_fewer_categories_are_those_of_the_whole_table():
    frame = pd.DataFrame({"job": list("cabbacab") * 2, "town": list("xyzzyxyx") * 2, "height": np.arange(16.0)})
    model = FeatureModel(n_components=2, max_iter=5, random_state=0).fit(frame)
    chosen = frame["job"].ne("a") & frame["town"].ne("x")  # others have other numbers
    found = model.evaluate(nbmf.FeatureTable.from_frame(frame[chosen])).memberships
    np.testing.assert_array_equal(found, model.evaluate(frame).memberships[chosen])


# --- Labels ---------------------------------------------------------------------------------------


def test_a_parameter_that_is_set_after_the_fit_changes_nothing_of_it(tmp_path):
    model = FeatureModel(n_components=2, model="mmnb", max_iter=3, random_state=0).fit(mixed(20))
    before, given = model.evaluate(mixed(20)).memberships, model.get_params()
    model.set_params(model="fast-mmnb", inner_max=1, inner_tol=0.5)
    np.testing.assert_array_equal(model.evaluate(mixed(20)).memberships, before)
    model.save(tmp_path / "model.npz")
    loaded = nbmf.load(tmp_path / "model.npz")
    assert loaded.get_params() == given
    np.testing.assert_array_equal(loaded.evaluate(mixed(20)).memberships, before)


def test_agreement_is_of_rows_with_labels(model):
    labels = TABLE.row_groups.copy()
    told = agreement(model, labels)
    assert told["micro_precision"] > 0.9
    assert told["largest_label"] == pytest.approx(2 / 3)
    assert told["entropy"] == pytest.approx(-(2 * np.log(2 / 3) + np.log(1 / 3)) / 3)
    assert 0.5 < told["adjusted"] <= 1
    labels[:10] = ""
    assert agreement(model, labels)["rows"] == 80
    counts = by_label(model, TABLE.row_groups)
    assert counts.to_numpy().sum() == 90
    assert counts.index.tolist() == ["kind 0", "kind 1"]
    assert counts.columns.tolist() == [1, 2]
    assert counts.loc["kind 0", 1] > 50
    with pytest.raises(DataError, match="3 given for 90 rows"):
        agreement(model, ["x", "y", "z"])
    with pytest.raises(DataError, match="no row has one"):
        agreement(model, [""] * 90)


# --- How many -------------------------------------------------------------------------------------


@pytest.mark.parametrize("whole", [TABLE, DOCUMENTS], ids=["cells", "tokens"])
def test_folds_hold_every_cell_out_once(whole):
    total = np.zeros(whole.shape)
    for known, held_out in folds(whole, np.random.default_rng(0)):
        if WORD in whole.kinds:
            np.testing.assert_array_equal(known.values() + held_out.values(), whole.values())
            total += held_out.values()
        else:
            assert not (known.observed & held_out.observed).any()
            both = np.where(known.observed, known.values(), held_out.values())
            np.testing.assert_array_equal(both, whole.values())
            shares = held_out.observed.sum(axis=0) / whole.observed.sum(axis=0)
            np.testing.assert_allclose(shares, 0.2, atol=0.02)
            total += held_out.observed
    np.testing.assert_array_equal(total, whole.values() if WORD in whole.kinds else whole.observed)


def test_few_cells_of_a_column_are_never_held_out():
    values = np.random.default_rng(0).normal(size=(30, 2))
    values[4:, 1] = np.nan
    for known, held_out in folds(nbmf.FeatureTable.from_array(values), np.random.default_rng(0)):
        assert np.count_nonzero(known.columns == 1) == 4
        assert (held_out.columns == 0).all()
    with pytest.raises(DataError, match=r"no column has 5 observed cells, .*; 4 are there in all"):
        list(folds(nbmf.FeatureTable.from_array(np.eye(2)), np.random.default_rng(0)))


def test_a_large_table_has_fewer_folds(monkeypatch):
    monkeypatch.setattr(held_out_cells, "CELLS_HELD_OUT", TABLE.cells.size / 3)
    assert len(list(folds(TABLE, np.random.default_rng(0)))) == 2


def test_errors_take_rows_as_independent():
    """A slow twin: by rows alone, whatever the cells of one have in common."""
    rng = np.random.default_rng(0)
    row = np.repeat(np.arange(30), rng.integers(1, 6, 30))
    values, weight = rng.normal(size=row.size) + row % 2, rng.integers(1, 4, row.size).astype(float)
    mean, error = mean_and_error(values, row, weight)
    expected = sum(w * v for w, v in zip(weight, values, strict=True)) / sum(weight)
    squares = sum(
        sum(w * (v - expected) for w, v, r in zip(weight, values, row, strict=True) if r == f) ** 2 for f in range(30)
    )
    assert mean == pytest.approx(expected, rel=1e-12)
    assert error == pytest.approx(np.sqrt(squares * 30 / 29) / sum(weight), rel=1e-12)


def test_losses_are_those_of_fits_without_the_held_out_cells():
    """Another way: each fold by hand, cell by cell from the shares and the laws."""
    choice = choose_components(TABLE, [2], models=ONE, starts=1, seed=3)
    rng = np.random.default_rng(seed_sequence("held-out cells", 3))
    losses, without = [], []
    for number, (known, held_out) in enumerate(folds(TABLE, rng)):
        key = component_choice.child(seed_sequence("held-out fit", 3), "mnb", 2, number)
        fitted = best_fit(known, 2, {"model": "mnb"}, 1, key)
        shares = fitted.evaluate(known).memberships
        for f, n, x in zip(held_out.row_of_cell(), held_out.columns, held_out.cells, strict=True):
            log = fitted.densities_.log_density(np.array([n]), np.array([x]))[0]
            losses.append(-np.log(shares[f] @ np.exp(log)))
            without.append(-np.log(fitted.memberships_.mean(axis=0) @ np.exp(log)))
    assert choice.chosen.loss == pytest.approx(np.mean(losses), rel=1e-10)
    assert choice.chosen.none == pytest.approx(np.mean(without), rel=1e-10)
    assert choice.chosen.none < choice.alone  # of two kinds of rows a single law is no good one
    assert choice.cells == len(losses) == TABLE.cells.size


def test_as_many_components_as_there_are_kinds_are_found():
    for kinds in (2, 3):
        choice = choose_components(table(kinds=kinds, seed=kinds), [2, 3, 4], models=ONE)
        assert choice.found
        assert [kinds] == [choice.chosen.K]
        assert str(choice).startswith(f"{kinds} components predict better than none, by 0.")
    assert [score.K for score in choice.scores] == [2, 3, 4]
    best = min(choice.scores, key=lambda score: score.loss)
    assert best.behind == 0
    assert choice.chosen.behind <= choice.chosen.behind_error or choice.chosen == best
    for score in choice.scores:
        assert score.none - score.loss == pytest.approx(score.gain)
        assert score.none <= choice.alone
    again = choose_components(table(kinds=3, seed=3), [4, 3, 2], models=ONE)
    assert again == choice


@pytest.mark.parametrize(("lead", "K"), [(0.001, 2), (1.0, 4)])
def test_of_what_is_within_a_standard_error_the_fewest_are_taken(lead, K):
    """Losses by hand: K = 4 is ahead of 2 by a lead that is lost in what differs, or is not."""
    rng = np.random.default_rng(0)
    row, noise = np.arange(200), rng.normal(size=200)
    losses = {
        component_choice.ALONE: np.full((2, 200), 5.0),
        ("mnb", 2): np.array([2.0 + noise - noise.mean(), np.full(200, 4.5)]),
        ("mnb", 3): np.array([np.full(200, 4.0), np.full(200, 6.0)]),
        ("mmnb", 4): np.full((2, 200), 2.0 - lead),
        ("mnb", 4): np.full((2, 200), 2.0 - lead / 2),
    }
    choice = component_choice._choice(losses, row, np.ones(200), 1, "cell")
    assert (choice.chosen.K, choice.chosen.model) == (K, "mmnb" if K == 4 else "mnb")
    assert choice.chosen.behind == pytest.approx(0.001 if K == 2 else 0)
    none = {(score.model, score.K): score.none for score in choice.scores}
    assert none["mnb", 2] == 4.5  # on average less than a single component
    assert none["mnb", 3] == 5.0
    assert choice.found == (K == 2)  # all of what 4 gain is there without the rest of the row
    gains = 2.5 - noise + noise.mean()
    if K == 2:
        assert choice.p == pytest.approx(scipy.stats.ttest_1samp(gains, 0, alternative="greater")[1])
    assert choice.alone == 5.0


def test_the_chance_of_a_gain_is_that_of_a_t_test():
    gains = np.random.default_rng(1).normal(0.3, 1.0, 12)
    losses = {component_choice.ALONE: np.zeros((2, 12)), ("mnb", 2): np.array([-gains, np.ones(12)])}
    choice = component_choice._choice(losses, np.arange(12), np.ones(12), 1, "cell")
    expected = scipy.stats.ttest_1samp(gains, 0, alternative="greater").pvalue
    assert choice.p == pytest.approx(expected, rel=1e-10)
    assert 0.001 < choice.p < 0.05


def test_cells_of_a_row_are_one_observation_of_the_t_test():
    """Rows of as many cells each: the test is that of the means of rows, of which there are six."""
    gains = np.random.default_rng(2).normal(0.8, 1.0, (6, 4))
    losses = {component_choice.ALONE: np.zeros((2, 24)), ("mnb", 2): np.array([-gains.ravel(), np.ones(24)])}
    choice = component_choice._choice(losses, np.repeat(np.arange(6), 4), np.ones(24), 1, "cell")
    expected = scipy.stats.ttest_1samp(gains.mean(axis=1), 0, alternative="greater").pvalue
    assert choice.p == pytest.approx(expected, rel=1e-10)
    assert 1e-4 < choice.p < 0.05


def test_the_shape_of_a_column_is_no_structure():
    """Two components follow a skewed column, or one of many zeros, far better than a single law."""
    rng = np.random.default_rng(0)
    fine = np.where(rng.random(80) < 0.7, 0.0, rng.gamma(2.0, 30.0, 80))
    frame = pd.DataFrame({"income": np.exp(rng.normal(10, 1, 80)), "fine": fine})
    frame["height"] = rng.normal(size=80)
    choice = choose_components(frame, [2])
    assert choice.alone - choice.chosen.loss > 0.2
    assert not choice.found
    assert str(choice).startswith("nothing found: ")
    assert str(choice).endswith(", is the shape of columns, not what rows have in common")


def test_nothing_is_found_where_columns_have_nothing_to_do_with_each_other():
    """Each of these may be a false alarm with a chance of 5 % at most; of forty none was."""
    for seed in range(4):
        choice = choose_components(table(rows=60, kinds=1, seed=seed), [2], models=ONE, seed=seed)
        assert not choice.found
        assert str(choice).startswith("nothing found: ")


def test_topics_are_counted_in_tokens(topics):
    choice = choose_components(DOCUMENTS, [2], models={"lda": {"model": "mmnb", "smoothing": 0.1}})
    assert choice.found
    assert (choice.unit, choice.cells, choice.chosen.model) == ("token", 800, "lda")


def test_a_grid_leaves_out_what_cannot_be():
    small = TABLE.take_rows(np.arange(12))
    done = []
    choice = choose_components(small, [2, 40], models=ONE, log=lambda n, total: done.append((n, total)))
    assert [score.K for score in choice.scores] == [2]
    assert done[-1] == (15, 15)
    for grid, told in (([40], "40"), ([30, 1], r"\[30, 1\]"), ([1], "1")):
        with pytest.raises(ConfigError, match=rf"^n_components = {told}: .* from 2 to 12, since 12"):
            choose_components(small, grid, models=ONE)
    with pytest.raises(DataError, match=r"^a single column, 'column 0': .*; needed are two$"):
        choose_components(np.arange(30.0)[:, None], [2])
    with pytest.raises(DataError, match=r"^4 tokens are too few"):
        choose_components(nbmf.FeatureTable.from_documents([[1, 0], [2, 1]]), [2])
    with pytest.raises(ConfigError, match="n_components = 0: must be an integer of at least 1"):
        choose_components(small, [0])
    for given, words in (
        ({"starts": 0}, "starts = 0: must be an integer of at least 1"),
        ({"models": ["mnb"]}, r"models = \['mnb'\]: must be a dict from names to the arguments of a FeatureModel"),
        ({"models": {}}, "models = {}: must be a dict"),
        ({"grid": 2}, "grid = 2: must be a sequence of integers"),
    ):
        with pytest.raises(ConfigError, match=words):
            choose_components(small, **given)


def test_of_several_starts_the_best_is_kept():
    seed = seed_sequence("starts")
    one = best_fit(TABLE, 3, {"model": "mnb"}, 1, seed)
    several = best_fit(TABLE, 3, {"model": "mnb"}, 4, seed)
    assert several.objective_ >= one.objective_


# --- Model files ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["model", "topics"])
def test_a_model_is_read_as_it_was_written(name, request, tmp_path):
    fitted, data = request.getfixturevalue(name), {"model": TABLE, "topics": DOCUMENTS}[name]
    fitted.save(tmp_path / "model.npz")
    read = nbmf.load(tmp_path / "model.npz")
    assert type(read) is FeatureModel
    assert read.get_params() == fitted.get_params()
    np.testing.assert_array_equal(read.memberships_, fitted.memberships_)
    np.testing.assert_array_equal(read.evaluate(data).bounds, fitted.evaluate(data).bounds)
    pd.testing.assert_frame_equal(distinguishing(read, data), distinguishing(fitted, data))
    new = data.take_rows(np.arange(5, 20))
    np.testing.assert_array_equal(read.evaluate(new).memberships, fitted.evaluate(new).memberships)


def test_damaged_files_are_refused(model, topics, tmp_path):
    path = tmp_path / "model.npz"
    with pytest.raises(NotFittedError):
        FeatureModel(2).save(path)
    model.save(path)
    with np.load(path) as file:
        whole = {name: file[name] for name in file.files}
    about = json.loads(str(whole["about"]))
    for damage in (
        {"prior_": np.ones(3)},
        {"prior_": np.array([-1e17, 1.0])},
        {"memberships_": np.full_like(whole["memberships_"], np.nan)},
        {"memberships_": np.full(whole["memberships_"].shape, "x")},
        {"about": json.dumps(about | {"learned": about["learned"] | {"n_iter_": "many"}})},
        {"about": json.dumps(about | {"learned": {}})},
        {"about": json.dumps(about | {"parameters": {"model": "mnbb"}})},
        {"laws.gaussian.shift": whole["laws.gaussian.shift"] + 1},
        {"laws.gaussian.other": np.ones(2)},
        {"means_": np.array("x")},
        {"laws.columns.kinds": whole["laws.columns.kinds"][:2]},
        {"laws.columns.kinds": np.array(["gaussian", "discrete", "bernoulli", "word"])},
        {"more_": np.ones(2)},
        {"categories_": whole["categories_"][:1]},
    ):
        np.savez(path, **(whole | damage))
        with pytest.raises(DataError, match=r"model\.npz: "):
            nbmf.load(path)
    topics.prior_[1], kept = 0.0, topics.prior_[1]
    topics.save(path)
    topics.prior_[1] = kept
    with pytest.raises(DataError, match=r"model\.npz: prior_ has to be positive"):
        nbmf.load(path)


def test_categories_of_new_rows_are_matched_by_their_names(model):
    frame = mixed().iloc[:30]
    some = frame[frame["job"] != "a"]
    new = nbmf.FeatureTable.from_frame(some, KINDS, labels="kind")
    assert new.categories.tolist() != TABLE.categories.tolist()
    expected = model.evaluate(TABLE.take_rows(some.index.to_numpy())).bounds
    np.testing.assert_array_equal(model.evaluate(new).bounds, expected)
    other = nbmf.FeatureTable.from_frame(some.replace({"job": {"b": "z"}}), KINDS, labels="kind")
    with pytest.raises(DataError, match="column 'job': 'z' is none of the categories of the fit"):
        model.evaluate(other)
    assert model.table_of(TABLE) is TABLE
    assert dataclasses.asdict(model.table_of(new))["sizes"].tolist() == TABLE.sizes.tolist()


def test_columns_of_a_frame_of_new_rows_are_of_the_kinds_of_the_fit():
    """Whatever values a few rows happen to have: 0 and 1 alone in a column of counts, nothing in one of categories."""
    frame = pd.DataFrame(
        {
            "size": [0.5, 2.0, 1.0, 0.0] * 5,
            "visits": [3, 0, 1, 5] * 5,
            "job": ["a", "b", None, "b"] * 5,
            "code": [0, 2, 1, 2] * 5,
        }
    )
    kinds = {"visits": "poisson", "code": "discrete"}
    table = nbmf.FeatureTable.from_frame(frame, kinds)
    model = FeatureModel(2, model="mnb", random_state=0).fit(table)
    expected = model.evaluate(table).bounds
    for rows in ([2, 3], [2], [0, 1], [3]):
        np.testing.assert_array_equal(model.evaluate(frame.iloc[rows]).bounds, expected[rows])
    some_missing = frame.iloc[[0, 1]].assign(code=[np.nan, 2.0])
    np.testing.assert_array_equal(model.evaluate(some_missing).bounds[1], expected[1])
    with pytest.raises(DataError, match="column 'code': '7' is none of the categories of the fit; allowed: 0, 1, 2"):
        model.evaluate(frame.assign(code=7))
    with pytest.raises(DataError, match="column 'visits': 'many' is no number; allowed in a poisson column"):
        model.evaluate(frame.assign(visits="many"))
    with pytest.raises(DataError, match="columns are not those of the fit"):
        model.evaluate(frame.rename(columns={"job": "work"}))


def test_numbers_are_categories_that_were_texts():
    frame = pd.DataFrame({"size": [0.5, 2.0, 1.0], "year": ["2019", "2021", "2020"]})
    model = FeatureModel(1, model="mnb", random_state=0).fit(frame)
    expected = model.evaluate(frame).bounds
    np.testing.assert_array_equal(model.evaluate(frame.assign(year=[2019, 2021, 2020])).bounds, expected)


@pytest.mark.parametrize(("value", "said"), [(999.6, "1e+03"), (1000.0, "1000"), (-1000.4, "-1000"), (12.345, "12.3")])
def test_large_values_of_a_profile_are_whole_numbers(value, said):
    row = pd.Series({"kind": "poisson", "value": value, "overall_sd": 1.0})
    assert feature_tables._text(row) == said
