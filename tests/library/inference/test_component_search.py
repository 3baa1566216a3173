"""K that is searched for: what was tried, what was taken, and that nothing else changes."""

import warnings

import numpy as np
import pytest
from matrices import blocks_matrix
from shares_only import questions_only
from short_fits import QUICK_MEMBERS

import nbmf
from nbmf import registry
from nbmf.errors import ConfigError
from nbmf.inference import component_search as module
from nbmf.inference.component_search import ComponentSearch, search_components
from nbmf.inference.folds import eligible_of, fit_to_fold, folds
from nbmf.inference.parameters import TOLERANCES
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.likelihoods.poisson import POISSON
from nbmf.numerics.clustered_errors import clustered_error
from nbmf.seeds import child

CODES = blocks_matrix(probability=0.8)
BRIEF = {"max_iter": 20, "burn_in": 6, "n_samples": 6, **dict.fromkeys(TOLERANCES, 0)}
BRIEF["members"] = QUICK_MEMBERS
GIVEN = [  # classes whose K is given, that are scored entry by entry
    name
    for name in registry.all_classes()
    if not registry.estimator_class(name)().finds_components
    and registry.scores_entries(name)
    and registry.estimator_class(name).likelihoods[0].name != "gaussian"
]


def make(name, K, **settings):
    brief = {key: BRIEF[key] for key in BRIEF if key in registry.settings_of(name)}
    return registry.make_estimator(name, K, brief | settings, random_state=5)


def values_for(name):
    counts = registry.estimator_class(name).likelihoods[0].matrix is nbmf.CountMatrix
    return np.where(CODES > 0, 2, CODES) if counts else CODES


def found(**means):
    """Return what is taken of K with these mean losses, whose differences have the errors of a coin."""
    noise = np.random.default_rng(0).normal(size=(12, 10))
    noise -= noise.mean()  # so that the means are exact
    losses = {int(K[1:]): mean + 0.02 * i * noise for i, (K, mean) in enumerate(means.items())}
    return losses, module._choose_smallest(losses, is_network=False)


def test_the_smallest_K_within_a_standard_error_of_the_best_is_taken():
    losses, far = found(K2=0.6, K4=0.5, K8=0.4, K16=0.45)
    assert (far.K, far.tried, far.next_K) == (8, (2, 4, 8, 16), 16)
    assert far.behind == pytest.approx(0.05)
    assert far.error == pytest.approx(clustered_error(losses[16] - losses[8]))
    _, near = found(K2=0.6, K4=0.4001, K8=0.4, K16=0.41)
    assert (near.K, near.next_K) == (4, 8)
    assert near.behind == pytest.approx(-0.0001)
    _, largest = found(K2=0.6, K4=0.5)
    assert (largest.K, largest.next_K, largest.behind) == (4, None, None)


@pytest.mark.parametrize(
    ("search", "said"),
    [
        (ComponentSearch(4, (2, 4, 8), (0.6, 0.5, 0.52), 8, 0.02, 0.005),
         "K = 4 was taken, of 2, 4, 8, with 0.5000 nats per entry held out to choose it; "
         "K = 8 has 0.0200 ± 0.0050 more"),
        (ComponentSearch(4, (2, 4, 8), (0.6, 0.5, 0.499), 8, -0.001, 0.005),
         "K = 4 was taken, of 2, 4, 8, with 0.5000 nats per entry held out to choose it; "
         "K = 8 has 0.0010 ± 0.0050 less"),
        (ComponentSearch(4, (2, 4, 8), (0.6, 0.5, 0.5), 8, 2e-9, 1e-9),
         "K = 4 was taken, of 2, 4, 8, with 0.5000 nats per entry held out to choose it; K = 8 has the same"),
        (ComponentSearch(8, (2, 4, 8), (0.6, 0.5, 0.4)),
         "K = 8 was taken, of 2, 4, 8, with 0.4000 nats per entry held out to choose it; "
         "it is the largest that was tried"),
        (ComponentSearch(1, (1,), (0.6,)),
         "K = 1 was taken, with 0.6000 nats per entry held out to choose it; "
         "it is the largest that was tried"),
    ],
)  # fmt: skip
def test_one_sentence_says_what_was_taken_and_how_far_the_next_is(search, said):
    assert str(search) == said


def test_losses_are_those_of_fits_to_the_other_entries():
    """By hand."""
    model = make("BinaryICA", "auto")
    search = search_components(model, CODES)
    tenths = list(folds(CODES, np.random.default_rng(child(model._seed(), "components"))))
    for K, loss in zip(search.tried, search.losses, strict=True):
        each = []
        for number, fold in enumerate(tenths):
            fitted = fit_to_fold(make("BinaryICA", K), np.where(fold, -1, CODES), number, None)
            p = fitted.expectation_[fold]
            each.append(-np.log(np.where(CODES[fold] == 1, p, 1 - p)))
        assert loss == pytest.approx(np.concatenate(each).mean(), rel=1e-12)


def test_larger_K_are_tried_as_long_as_the_loss_falls(monkeypatch):
    means = dict.fromkeys(range(1, 65), 0.5) | {1: 0.7, 2: 0.6, 8: 0.4, 16: 0.45, 32: 0.1, 64: 0.1}
    monkeypatch.setattr(module, "_losses", lambda estimator, K, values, held_out: np.full(values.shape, means[K]))
    V = np.random.default_rng(0).integers(0, 2, (70, 80))

    def tried_of(V):
        return search_components(make("BinaryICA", "auto"), V).tried

    assert tried_of(V) == (2, 4, 6, 7, 8, 9, 10, 12, 16)  # and on both sides of the best, until they are next to it
    means |= {6: 0.2}
    assert tried_of(V) == (2, 4, 5, 6, 7, 8, 12, 16)  # of 6 once it is the best
    assert tried_of(V[:, :9]) == (2, 4, 5, 6, 7, 8)  # 12 is no longer below
    assert tried_of(V[:, :2]) == (1,)
    means |= {3: 0.59, 4: 0.61}
    assert tried_of(V) == (2, 3, 4)
    means |= {4: 0.5, 12: 0.15, 16: 0.18, 6: 0.5, 11: 0.1, 14: 0.2}
    assert tried_of(V[:20]) == (2, 4, 8, 10, 11, 12, 13, 14, 16)  # below the number of rows
    means |= {16: 0.3, 32: 0.2, 64: 0.15}
    assert tried_of(V) == (2, 4, 8, 16, 32, 64)


def test_three_groups_are_three():
    """Latent classes with their own probabilities: of 2, 4, 8, ... the best is 4, of which two are one class."""
    rng = np.random.default_rng(1)
    profiles = np.repeat([[0.85, 0.15, 0.15], [0.15, 0.85, 0.15], [0.15, 0.15, 0.8]], 4, axis=1)
    V = (rng.random((400, 12)) < profiles[rng.integers(0, 3, 400)]).astype(int)
    search = search_components(nbmf.BetaDirVB("auto", alpha=0.3, beta=0.3, gamma=0.5, max_iter=500, random_state=0), V)
    assert (search.K, search.tried) == (3, (2, 3, 4, 6, 8))


def test_five_groups_are_five():
    """Of 2, 4, 8, ... and those halfway the best is 6, of which two are one class."""
    rng = np.random.default_rng(704)
    groups = rng.integers(0, 5, 120)
    V = (rng.random((120, 60)) < rng.beta(0.5, 1.2, (5, 60))[groups]).astype(int)
    search = search_components(nbmf.BetaDirVB("auto", alpha=0.3, beta=0.3, gamma=0.5, max_iter=500, random_state=0), V)
    assert (search.K, search.tried) == (5, (2, 4, 5, 6, 7, 8, 12, 16))


def test_a_mirror_image_is_held_out_as_well_and_counts_once(monkeypatch):
    rng = np.random.default_rng(0)
    upper = np.triu(rng.random((12, 12)) < 0.4, k=1)
    seen = []

    def losses(estimator, K, values, held_out):
        seen.extend(held_out)
        return np.where(np.tri(12, dtype=bool), 9.0, 0.5)

    monkeypatch.setattr(module, "_losses", losses)
    search = search_components(make("BinaryICA", "auto"), (upper | upper.T).astype(int))
    assert all((fold == fold.T).all() for fold in seen)
    assert set(search.losses) == {4.75}  # of 0.5 and 9


@pytest.mark.parametrize("name", GIVEN)
def test_a_fit_with_a_K_that_is_found_is_the_fit_with_that_K(name, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "GRID", (2, 3))
    V = values_for(name)
    with warnings.catch_warnings(action="ignore"):
        searched = make(name, "auto").fit(V)
        plain = make(name, ComponentSearch(*searched.component_search_).K).fit(V)
    assert searched.n_components == "auto"
    assert not hasattr(plain, "component_search_")
    for attribute in ("W_", "H_", "expectation_"):
        np.testing.assert_array_equal(getattr(searched, attribute), getattr(plain, attribute))
    np.testing.assert_array_equal(searched.predict_rows(V[:3]), plain.predict_rows(V[:3]))
    np.testing.assert_array_equal(searched.predict_columns(V[:, :3]), plain.predict_columns(V[:, :3]))
    assert (searched.title, searched.findings) == (plain.title, plain.findings)
    searched.save(tmp_path / "model.npz")
    loaded = nbmf.load(tmp_path / "model.npz")
    np.testing.assert_array_equal(loaded.predict_rows(V[:3]), plain.predict_rows(V[:3]))
    assert loaded.component_search_ == searched.component_search_
    with warnings.catch_warnings(action="ignore"):
        assert not hasattr(searched.set_params(n_components=2).fit(V), "component_search_")


@pytest.mark.parametrize("name", ["BetaDirVB", "BetaDirGibbs", "DirBetaGibbs", "DirDirVB", "DirDirGibbs"])
def test_with_weights_that_do_not_find_it_K_is_searched_for(name, monkeypatch):
    monkeypatch.setattr(module, "GRID", (2, 4))
    prior = {"eta": 1.0} if name.startswith("DirBeta") else {"gamma": 1.0}
    with warnings.catch_warnings(action="ignore"):
        fitted = make(name, "auto", **prior).fit(CODES)
    search = ComponentSearch(*fitted.component_search_)
    assert fitted.n_components_ == search.K
    assert set(search.tried) <= {2, 3, 4}


@pytest.mark.parametrize("name", ["BetaDirVB", "CollapsedBinaryICA"])
def test_memory_is_that_of_the_largest_K_that_is_tried(name):
    V = np.zeros((40, 17), np.int8)
    sizes = [make(name, K, gamma=1.0).memory_needed_gb(V) for K in ("auto", 16, 8)]
    assert sizes[0] == sizes[1] > sizes[2]


def test_chains_have_the_same_K():
    chains = nbmf.run_chains(make("BinaryICA", "auto"), CODES, chains=3, n_jobs=1)
    K = search_components(make("BinaryICA", "auto"), CODES).K
    assert [each.n_components for each in chains.estimators] == [K] * 3


@pytest.mark.parametrize(
    ("name", "V", "words"),
    [
        ("BetaDirVB", CODES, "n_components = 'auto': must be an integer from 1 to 1000000, of which the data decide"),
        ("LDA", CODES, "n_components = 'auto': with the likelihood tokens no K is searched for"),
        ("GaussianFactorVB", CODES, "n_components = 'auto': with the likelihood gaussian no K is"),
        ("BinaryICA", np.eye(4), "n_components = 'auto': 6 entries can be held out, needed are 20"),
        ("BinaryICA", CODES, "gamma has shape .2,.: must be a number"),
    ],
)
def test_where_no_K_can_be_searched_for_it_says_so(name, V, words):
    settings = {"gamma": [1.0, 2.0]} if "gamma" in words else {}
    with pytest.raises(ConfigError, match=words):
        getattr(nbmf, name)("auto", **settings).fit(V)


def test_a_comparison_and_draws_want_numbers():
    with pytest.raises(ConfigError, match="K = 'auto': of bica numbers are compared; allowed: one or more integers"):
        nbmf.compare(CODES, "bica", "auto", log=lambda fit: None)
    with pytest.raises(ConfigError, match=r"n_components = 'auto': must be a number: nbmf\.run_chains finds one"):
        nbmf.posterior_draws(nbmf.BinaryICA("auto"), CODES, n_draws=3)


def test_pairs_of_a_network_with_a_gap_are_held_out_together():
    upper = np.triu(np.random.default_rng(0).random((20, 20)) < 0.4, 1)
    codes = (upper | upper.T).astype(np.int8)
    codes[3, 7] = -1
    eligible = eligible_of(codes, BERNOULLI)
    assert (eligible.in_pairs, eligible.number) == (True, 190)
    for fold in eligible.folds(np.random.default_rng(0)):
        assert (fold == fold.T)[(codes != -1) & (codes.T != -1)].all()


def test_answers_to_one_question_need_no_components():
    """Held out singly each answer follows from the others of its question: 16 components predicted them."""
    V = questions_only(150, [3] * 12, 0)
    search = search_components(nbmf.LogisticFactorVB("auto", max_iter=200, random_state=0), V)
    assert search.K == 2


def test_counts_have_no_questions():
    """Of two columns that are opposite as ones and zeros, counts are held out singly."""
    one = np.random.default_rng(0).integers(0, 2, (60, 1))
    (fold, *_) = eligible_of(np.hstack([one, 1 - one]), POISSON).folds(np.random.default_rng(0))
    assert (fold[:, 0] != fold[:, 1]).any()
