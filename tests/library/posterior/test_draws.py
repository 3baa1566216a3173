"""Draws of any family: their store, what can be asked of them, and what is refused."""

import itertools
import warnings

import numpy as np
import pytest
from matrices import blocks_matrix
from scipy.linalg import orthogonal_procrustes
from scipy.special import expit
from toy_family import ToyGaussian, ToyLogistic

import nbmf
from nbmf.errors import ChainsNotConvergedWarning, ConfigError, DataError, NotSupportedError, Setting
from nbmf.inference.checkpoint import Checkpoint
from nbmf.inference.declarations import Alignment
from nbmf.inference.progress import FitRecorder
from nbmf.inference.state import Factors
from nbmf.posterior import alignment
from nbmf.posterior.draws import Draws, posterior_draws
from nbmf.posterior.observer import Observer
from nbmf.posterior.store import DrawStore

V = np.array([[1, 0, 1], [1, -1, 1], [0, 1, 0]])
REAL = np.array([[2.0, 1.0, np.nan], [-1.0, -2.0, -0.5]])


def quiet_chains(estimator, V, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ChainsNotConvergedWarning)
        return nbmf.run_chains(estimator, V, n_jobs=1, **options)


# --- The store -------------------------------------------------------------------------------


class Given:
    """A state whose draws are given."""

    def __init__(self, *factors):
        self._factors = list(factors)

    def draw(self, rng):
        return self._factors.pop(0)

    def factors(self):
        return self._factors.pop(0)


def factors_of(K, seed, F=4, N=3, **others):
    rng = np.random.default_rng(seed)
    return Factors(rng.random((F, K)), rng.random((K, N)), others)


def stored(*factors, max_memory_gb=1.0):
    store, state = DrawStore(nbmf.BinaryICA(random_state=0), max_memory_gb), Given(*factors)
    for number in range(len(factors)):
        store.draw(number, state)
    return store


def assert_same(one, other):
    assert len(one) == len(other)
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a.W, b.W)
        np.testing.assert_array_equal(a.H, b.H)
        assert a.others.keys() == b.others.keys()
        for name in a.others:
            np.testing.assert_array_equal(a.others[name], b.others[name])


def test_draws_of_any_K_with_other_factors_come_back_from_a_snapshot():
    sizes = (2, 0, 5, 1)
    store = stored(
        *(
            factors_of(K, s, effects=np.arange(3.0) + s, sizes=np.arange(K), one=np.array(s / 7))
            for s, K in enumerate(sizes)
        )
    )
    assert [one.W.shape for one in store.factors] == [(4, K) for K in sizes]
    assert [one.H.shape for one in store.factors] == [(K, 3) for K in sizes]
    assert store.factors[0].W.dtype == store.factors[0].others["effects"].dtype == np.float32
    assert store.factors[0].others["sizes"].dtype == int
    np.testing.assert_array_equal(store.factors[2].W, np.float32(factors_of(5, 2).W))
    snapshot = store.snapshot()
    assert all(array.dtype.kind in "fi" for array in snapshot.values())  # no pickle
    again = stored(factors_of(3, 9))  # what it held before is gone
    again.restore(snapshot)
    assert_same(again.factors, store.factors)
    again.restore(stored().snapshot())
    assert again.factors == []


def test_a_draw_is_a_copy():
    W, H = np.ones((4, 2), np.float32), np.ones((2, 3), np.float32)
    store = stored(Factors(W, H))
    W[:] = H[:] = 7
    assert store.factors[0].W.max() == store.factors[0].H.max() == 1


def test_by_default_there_are_200_draws_or_as_many_as_a_sampler_keeps():
    V = np.random.default_rng(0).integers(0, 2, (6, 5))
    few, many = (nbmf.BetaDirGibbs(2, burn_in=5, n_samples=n, random_state=0) for n in (30, 250))
    for model, count in ((few, 30), (many, 200), (nbmf.BetaDirVB(2, max_iter=5, random_state=0), 200)):
        assert len(posterior_draws(model, V)) == count


def test_draws_that_grow_beyond_the_memory_are_refused_and_means_left_out():
    budget = 2 * 4 * 7 * 3 * 1e-9  # two draws with K = 3
    with pytest.raises(
        ConfigError,
        match=r"^draw 3 of BinaryICA does not fit into max_memory_gb = "
        r".* take n_draws up to 2, or a larger max_memory_gb",
    ):
        stored(*(factors_of(3, s) for s in range(3)), max_memory_gb=budget)
    store = stored(factors_of(3, 0), factors_of(3, 1), max_memory_gb=budget)
    store.take_means(2, Given(factors_of(1, 2)))
    assert len(store.factors) == 2


def test_what_a_model_has_besides_W_and_H_counts_as_memory_before_and_after_a_snapshot():
    effects = np.zeros(100)
    budget = 2 * 4 * (7 * 3 + 100) * 1e-9  # two draws with K = 3
    with pytest.raises(ConfigError, match=r"^draw 3 .* or it has more than W and H; take n_draws u"):
        stored(*(factors_of(3, s, effects=effects) for s in range(3)), max_memory_gb=budget)
    store = stored(*(factors_of(3, s, effects=effects) for s in (0, 1)), max_memory_gb=budget)
    again = DrawStore(nbmf.BinaryICA(random_state=0), budget)
    again.restore(store.snapshot())
    with pytest.raises(ConfigError, match=r"^draw 3 "):
        again.draw(2, Given(factors_of(1, 2)))
    with pytest.raises(ConfigError, match=r"^draw 1 .* W and H; take a larger max_memory_gb$"):
        stored(factors_of(3, 0, effects=effects), max_memory_gb=budget / 3)


def interrupted(run, path, total, at):
    """Return what `run(monitor)` returns after it was killed once at an iteration."""

    class Killed(BaseException):
        pass

    class Dies(FitRecorder):
        def __call__(self, iteration, *arguments):
            super().__call__(iteration, *arguments)
            if iteration >= at:
                raise Killed

    def monitor(kind):
        recorder = kind(total, 10, lambda state: 0.0, lambda line: None)
        return Checkpoint(path, lambda: "same", recorder, 0.0, lambda line: None)

    with pytest.raises(Killed):
        run(monitor(Dies))
    assert path.exists()
    return run(monitor(FitRecorder))


def test_draws_of_a_chain_whose_K_changes_survive_an_interruption(tmp_path):
    def run(monitor):
        model = ToyLogistic(1, burn_in=20, n_samples=80, random_state=3)
        return posterior_draws(model, V, n_draws=40, monitor=monitor)

    expected = run(None)
    assert np.ptp(expected.sizes) > 0
    assert_same(interrupted(run, tmp_path / "draws.npz", 100, 70), expected)


def test_chains_whose_K_changes_survive_an_interruption(tmp_path):
    def run(monitor):
        model = ToyLogistic(1, burn_in=20, n_samples=80, random_state=3)
        return quiet_chains(model, V, chains=1, n_draws=10, monitor_of=lambda i: monitor)

    expected, found = run(None), interrupted(run, tmp_path / "chains.npz", 100, 70)
    for name, values in expected.trace.items():
        np.testing.assert_array_equal(found.trace[name], values)
    assert_same(found.draws, expected.draws)


def test_a_checkpoint_without_draws_is_not_taken_for_one_with():
    class Resuming:
        def resume(self, state):
            state.restore({"W": np.zeros(1)})

        def next_after(self, iteration):
            return np.inf

        def __call__(self, iteration, total, state):
            pass

    observer = Observer([], Resuming(), [stored()])
    with pytest.raises(DataError, match="the checkpoint was made by a fit that kept other things"):
        observer.resume(object())


# --- What can be asked -----------------------------------------------------------------------


def draws_of(estimator, *factors, reference=None):
    """Return Draws of a fit whose W_ and H_ are those of the reference or the first draw."""
    fitted = reference or factors[0]
    estimator.W_, estimator.H_ = fitted.W, fitted.H
    return Draws(estimator, factors)


def test_draws_are_a_sequence():
    factors = [factors_of(2, s) for s in range(5)]
    draws = draws_of(nbmf.BinaryICA(), *factors)
    assert len(draws) == 5
    assert draws[3] is factors[3]
    assert list(draws[1:4]) == factors[1:4]
    assert draws[1:4].estimator is draws.estimator
    assert draws.W.shape == (5, 4, 2)
    assert draws.H.shape == (5, 2, 3)
    assert repr(draws[:2]) == "<2 draws of BinaryICA>"
    with pytest.raises(ConfigError, match=r"slice\(5, None, None\) has none of the draws, of which there are 3"):
        draws[:3][5:]


def test_draws_stay_what_they_are_when_the_estimator_is_fitted_again():
    V = np.random.default_rng(0).integers(0, 2, (8, 6))
    model = nbmf.BetaDirGibbs(2, burn_in=5, n_samples=20, random_state=0)
    draws = posterior_draws(model, V)
    before = draws[:].dictionary_interval()  # of a slice: the alignment is computed once
    model.set_params(n_components=3).fit(V[:5])
    np.testing.assert_array_equal(draws.dictionary_interval(), before)


def test_intervals_of_another_link_are_those_of_its_mean():
    draws = draws_of(ToyLogistic(), *(factors_of(s % 4, s) for s in range(30)))
    means = np.array([expit(np.einsum("fk,kn", *factors[:2])) for factors in draws])
    expected = np.quantile(means, [0.1, 0.9], axis=0, method="weibull")
    np.testing.assert_allclose(draws.expectation_interval(0.8), expected, atol=1e-6)


def test_intervals_of_ties_are_those_of_the_mean_of_both_directions():
    rng = np.random.default_rng(0)
    factors = [Factors(rng.dirichlet([1, 1], 3), rng.random((2, 3)), {}) for _ in range(30)]
    draws = draws_of(nbmf.BinaryICA(), *factors)
    means = np.array([(each.W @ each.H + (each.W @ each.H).T) / 2 for each in factors])
    expected = np.quantile(means, [0.1, 0.9], axis=0, method="weibull")
    np.testing.assert_allclose(draws.expectation_interval(0.8, of_ties=True), expected, atol=1e-6)
    assert not np.allclose(draws.expectation_interval(0.8), expected, atol=1e-2)


def test_intervals_are_cut_at_the_limits_of_the_likelihood_alone():
    """Single precision goes a little beyond one; real data have no limits."""
    beyond = Factors(np.full((2, 3), 1 / 3) + 1e-6, np.ones((3, 2)))
    assert draws_of(nbmf.BinaryICA(), beyond).expectation_interval()[1].max() == 1
    assert draws_of(ToyGaussian(), beyond).expectation_interval()[1].min() > 1
    below = Factors(-beyond.W, beyond.H)
    assert draws_of(ToyGaussian(), below).expectation_interval()[0].max() < -1


def permuted(factors, order):
    return Factors(factors.W[:, order], factors.H[order])


class Weights(ToyGaussian):
    """A family of weights that are neither shares nor probabilities, in any order and sign."""

    alignment = Alignment.PERMUTATION


def test_components_of_plain_weights_are_matched_by_what_they_add_to_the_mean():
    rng = np.random.default_rng(1)
    W, H = rng.normal(0, 0.3, (8, 3)), rng.normal(0, 0.3, (3, 6))
    orders = [np.array(o) for o in ([0, 1, 2], [2, 0, 1], [1, 0, 2], [0, 2, 1])]
    signs = [np.ones(3), np.array([-1, 1, 1]), np.ones(3), np.array([1, -1, -1])]
    draws = draws_of(
        Weights(),
        *(permuted(Factors(W * sign, H * sign[:, None]), order) for order, sign in zip(orders, signs, strict=True)),
        reference=Factors(W, H),
    )
    np.testing.assert_array_equal(draws.alignment.order, [np.argsort(order) for order in orders])
    assert draws.alignment.moved == pytest.approx(7 / 12)  # 0, 3, 2 and 2 of three components


def test_components_that_keep_their_places_are_not_matched():
    first = factors_of(3, 0)
    draws = draws_of(ToyGaussian(), first, permuted(first, [2, 1, 0]))
    np.testing.assert_array_equal(draws.alignment.order, [[0, 1, 2]] * 2)
    assert draws.alignment.moved == 0
    lower, upper = draws.dictionary_interval(0.5)
    np.testing.assert_allclose(lower[:, 0], np.minimum(first.W[:, 0], first.W[:, 2]), rtol=1e-6)
    np.testing.assert_allclose(upper[:, 0], np.maximum(first.W[:, 0], first.W[:, 2]), rtol=1e-6)


def test_factors_known_up_to_a_rotation_are_rotated_to_each_other():
    rng = np.random.default_rng(2)
    W, H = rng.normal(size=(40, 3)), rng.normal(size=(3, 30))
    turns = [np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(20)]
    noisy = [(W + 0.02 * rng.normal(size=W.shape), H + 0.02 * rng.normal(size=H.shape)) for _ in turns]
    drawn = [Factors(w @ Q, Q.T @ h) for Q, (w, h) in zip(turns, noisy, strict=True)]
    draws = draws_of(ToyLogistic(), *drawn, reference=Factors(W, H))
    matching = draws.alignment
    np.testing.assert_allclose(matching.rotation, np.transpose(turns, (0, 2, 1)), atol=0.03)
    assert matching.overlap.min() > 0.99
    kept = np.mean([np.diag(Q) ** 2 for Q in turns])
    assert matching.moved == pytest.approx(1 - kept, abs=0.01)
    for interval, factor in (draws.dictionary_interval, W), (draws.activation_interval, H):
        lower, upper = interval(0.9)
        assert (upper - lower).max() < 0.15
        assert ((lower < factor + 0.03) & (factor - 0.03 < upper)).all()


def test_both_factors_count_alike_in_a_rotation():
    """Against SciPy's Procrustes of the factors on top of each other, each of unit size, that want different turns."""
    rng = np.random.default_rng(3)
    W, H, w, h = (rng.normal(size=shape) for shape in ((9, 3), (3, 7), (9, 3), (3, 7)))
    draws = draws_of(ToyLogistic(), Factors(50 * w, h), reference=Factors(W, 20 * H))
    unit = [np.vstack([a / np.linalg.norm(a), b.T / np.linalg.norm(b)]) for a, b in ((w, h), (W, H))]
    np.testing.assert_allclose(draws.alignment.rotation[0], orthogonal_procrustes(*unit)[0], atol=1e-5)
    cosines = np.diag(draws.alignment.rotation[0])
    assert draws.alignment.moved == pytest.approx(1 - (cosines**2).mean(), rel=1e-6)


@pytest.mark.parametrize("make", [nbmf.BetaDirGibbs, nbmf.DirBetaGibbs, nbmf.DirDirGibbs])
def test_components_are_matched_by_the_entries_of_which_they_say_the_same(make, monkeypatch):
    """Every permutation tried: shares agree by Σ x y, probabilities by Σ x y + (1 - x)(1 - y)."""
    monkeypatch.setattr(alignment, "ROUNDS", 1)
    rng, are_probabilities = np.random.default_rng(4), make().probabilities

    def agreement(x, y, name):
        return x @ y + ((1 - x) @ (1 - y) if name in are_probabilities else 0.0)

    for _ in range(20):
        drawn, reference = (Factors(rng.beta(0.3, 1, (4, 3)), rng.beta(0.3, 1, (3, 5))) for _ in "ab")

        def total(order, drawn=drawn, reference=reference):
            return sum(
                agreement(drawn.W[:, c], reference.W[:, k], "W") * agreement(drawn.H[c], reference.H[k], "H")
                for k, c in enumerate(order)
            )

        best = max(itertools.permutations(range(3)), key=total)
        np.testing.assert_array_equal(draws_of(make(), drawn, reference=reference).alignment.order, [best])


def test_what_a_family_does_not_offer_is_refused_with_what_works():
    rotated = draws_of(ToyLogistic(), factors_of(2, 0), factors_of(3, 1))
    for refused in (rotated.dictionary_interval, rotated.activation_interval):
        with pytest.raises(NotSupportedError, match=r"draws of ToyLogistic .* numbers .*: expectation_interval"):
            refused()
    assert not hasattr(rotated, "alignment")
    with pytest.raises(NotSupportedError, match="neither W nor H of ToyLogistic is a distribution"):
        rotated.co_clustering(0)
    with pytest.raises(NotSupportedError, match="components of ToyLogistic have no shares"):
        rotated.shares()
    real = draws_of(ToyGaussian(), factors_of(1, 0, 2, 3))
    with pytest.raises(NotSupportedError, match=r"of binary matrices .*, and the .* of ToyGaussian is gau"):
        real.predictive_check(REAL)
    changing = draws_of(nbmf.BinaryICA(), factors_of(2, 0), factors_of(4, 1))
    with pytest.raises(
        NotSupportedError, match="draws of BinaryICA and its W_ have different numbers of components, 2 to 4"
    ):
        changing.dictionary_interval()
    with pytest.raises(NotSupportedError, match=r"different numbers .*, 2 to 4: draws\[s\].W and"):
        changing.H  # noqa: B018
    other = draws_of(nbmf.BinaryICA(), factors_of(2, 0), reference=factors_of(3, 0))
    with pytest.raises(NotSupportedError, match="numbers of components, 2 to 3"):
        other.activation_interval()


class Rates(ToyGaussian):
    """A family with memberships of rows, and rates of columns."""

    distributions = frozenset({"W"})


def test_lines_that_are_no_probabilities_are_not_clustered():
    draws = draws_of(Rates(), factors_of(2, 0))
    assert draws.co_clustering(0).shape == (4, 4)
    with pytest.raises(NotSupportedError, match=r"columns of Rates are neither .*axis = 0 can be"):
        draws.co_clustering(1)


def test_shares_of_draws_with_fewer_components_are_zero():
    draws = draws_of(nbmf.BinaryICA(), factors_of(1, 0), factors_of(3, 1), factors_of(0, 2))
    shares = draws.shares()
    np.testing.assert_allclose(shares[0], [draws[0].W.mean(), 0, 0], rtol=1e-6)
    np.testing.assert_allclose(shares[1], np.sort(draws[1].W.mean(axis=0))[::-1], rtol=1e-6)
    np.testing.assert_array_equal(shares[2], 0)


def test_predictive_checks_of_another_link_make_replicates_of_its_mean():
    """Log-odds of ±1, as probabilities, would make ones and zeros for certain: 7/12 ones."""
    W, H = np.array([[1.0], [-1.0], [1.0], [1.0]]), np.array([[1.0, 1.0, -1.0]])
    table = draws_of(ToyLogistic(), *[Factors(W, H)] * 400).predictive_check(np.eye(4)[:, :3])
    share = (7 * expit(1) + 5 * expit(-1)) / 12
    error = (expit(1) * expit(-1) / (12 * 400)) ** 0.5
    assert table.loc["proportion of ones", "mean"] == pytest.approx(share, abs=5 * error)
    assert 7 / 12 - share > 6 * error


def test_replicates_of_an_undirected_network_are_undirected():
    """By the truth instead of draws: p-values were too small, since a tie was drawn twice and its variance halved."""
    rng = np.random.default_rng(0)
    W, H = np.ones((30, 1)), np.full((1, 30), 0.3)
    draws = draws_of(nbmf.BinaryICA(), *[Factors(W, H)] * 200)
    ties = np.triu(rng.random((30, 30)) < 0.3, k=1)
    V = np.where(np.eye(30, dtype=bool), np.nan, ties | ties.T)
    table = draws.predictive_check(V)
    width = table.loc["proportion of ones", "upper"] - table.loc["proportion of ones", "lower"]
    assert width == pytest.approx(2 * 1.645 * np.sqrt(0.3 * 0.7 / (30 * 29 / 2)), rel=0.15)
    one_way = np.where(np.isnan(V), np.nan, rng.random(V.shape) < 0.3)
    table = draws.predictive_check(one_way)
    width = table.loc["proportion of ones", "upper"] - table.loc["proportion of ones", "lower"]
    assert width == pytest.approx(2 * 1.645 * np.sqrt(0.3 * 0.7 / (30 * 29)), rel=0.15)


# --- Chains ----------------------------------------------------------------------------------


def test_chains_of_a_K_that_changes_say_so_and_export_what_they_can():
    chains = quiet_chains(ToyLogistic(1, burn_in=20, n_samples=200, random_state=3), V, chains=2, n_draws=50)
    quantities = chains.diagnostics["quantity"].tolist()
    assert quantities[:4] == ["log joint", "log likelihood", "components", "active components"]
    assert not any(name.startswith("share") for name in quantities)
    at_draws = slice(chains._plan.per_kept - 1, None, chains._plan.per_kept)
    np.testing.assert_array_equal(chains.trace["components"][:, at_draws].ravel(), chains.draws.sizes)
    f, n = chains._plan.places
    means = [expit(np.einsum("ek,ke->e", draw.W[f], draw.H[:, n])) for draw in chains.draws]
    np.testing.assert_allclose(chains.trace["entries"][:, at_draws].reshape(len(means), -1), means, atol=1e-6)
    tree = chains.to_arviz()
    assert set(tree["posterior"].data_vars) == {"active_components", "expected_v"}
    with pytest.raises(NotSupportedError, match="neither W nor H of ToyLogistic"):
        chains.co_clustering()
    np.testing.assert_allclose(chains.predict([0, 1], [2, 1]), chains.expectation[[0, 1], [2, 1]])


def test_chains_of_fixed_K_have_no_quantity_of_that_name():
    chains = quiet_chains(nbmf.BinaryICA(2, max_iter=5, random_state=0), V, chains=2)
    assert "components" not in chains.diagnostics["quantity"].tolist()
    assert (chains.trace["components"] == 2).all()


def test_chains_without_a_dense_expectation_predict_entries(monkeypatch):
    chains = quiet_chains(ToyGaussian(random_state=0), REAL, chains=2)
    np.testing.assert_allclose(chains.predict([0, 1], [0, 1]), [1, -3.5 / 4])
    monkeypatch.setattr("nbmf.inference.estimator.EXPECTATION_GB", 1e-9)
    chains.estimators[0]._expectation = None
    with pytest.raises(DataError, match=r"predict\(rows, columns\) gives those you name"):
        chains.expectation  # noqa: B018
    np.testing.assert_allclose(chains.predict([0, 1], [0, 1]), [1, -3.5 / 4])


def test_real_data_are_exported_as_they_are():
    tree = quiet_chains(ToyGaussian(random_state=0), REAL, chains=2, n_draws=3).to_arviz()
    np.testing.assert_array_equal(tree["observed_data"]["V"], REAL.astype(np.float32))
    assert dict(tree["posterior"]["W"].sizes) == {"chain": 2, "draw": 3, "row": 2, "component": 1}
    assert "share" not in tree["posterior"]


def test_a_family_says_itself_what_else_can_be_tried():
    class Stuck(nbmf.BetaDirGibbs):
        @property
        def advice_if_stuck(self):
            return Setting("patience", 7)

    codes = blocks_matrix()
    moved = quiet_chains(Stuck(8, burn_in=0, n_samples=8, random_state=0), codes, chains=2)
    moved.trace["objective"][1] += 1e6
    del moved.__dict__["diagnostics"]
    assert moved.advice.endswith("and .best for pictures, or try patience = 7")
