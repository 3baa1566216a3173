"""Groups above rows, by Gibbs sampling: every draw against the joint density, Geweke's test."""

import itertools

import ladder
import numpy as np
import pandas as pd
import pytest
from logistic_models import Twin, scripted
from numba.core.dispatcher import Dispatcher
from relevance_twin import KERNELS, relevance_twin
from scipy import stats
from scipy.special import expit

from nbmf.data.names import NO_GROUP
from nbmf.errors import DataError
from nbmf.families.logistic import factors as form
from nbmf.families.logistic import gibbs_groups
from nbmf.families.logistic.cell_likelihoods import Binary
from nbmf.families.logistic.gibbs_cells import Cells
from nbmf.families.logistic.kernels import groups as kernels
from nbmf.families.logistic.kernels import relevance
from nbmf.families.logistic.logistic_gibbs import LogisticChain, Prior
from nbmf.families.logistic.row_groups import RowGroups, labels_of
from nbmf.inference.state import Factors

EFFECTS = ("none", "rows", "columns", "both")
each_effect = pytest.mark.parametrize("effects", EFFECTS)
LABELS = np.array(["a", "b", "", "a", "b", "b", "", "c"])  # two rows without a group, one group of one row
SHAPE, RATE = 5.0, 3.0  # of variances of means, proper enough to have all moments
LEARNED, FIXED = Prior(True, 4.0, 3.0, "learned"), Prior(False, 4.0, 3.0, 2**-0.5)
CODES = ladder.large_matrix(len(LABELS), 6, 0.2, np.random.default_rng(0), empty_row=1)


def chain_of(effects="both", K=2, prior=LEARNED, codes=CODES, labels=LABELS, seed=0, threads=1):
    chain = LogisticChain(
        Cells(Binary(codes)),
        K,
        form.Effects.named(effects),
        prior,
        np.random.SeedSequence(seed),
        threads,
        RowGroups.of(labels),
    )
    chain.groups.prior = SHAPE, RATE
    return chain


def plain(monkeypatch):
    """Run the kernels as plain Python, so that what they draw can be scripted."""
    for name in KERNELS:
        monkeypatch.setattr(relevance, name, getattr(relevance, name).py_func)
    for name, value in vars(kernels).items():
        if isinstance(value, Dispatcher) and name in (*KERNELS, *OF_GROUPS):
            monkeypatch.setattr(kernels, name, value.py_func)
    monkeypatch.setattr(relevance, "standard_gamma", lambda generator, shape: 1.1 * shape**1.01)
    monkeypatch.setattr(
        kernels,
        "draw_inverse_gamma",
        lambda generator, count, squares, shape, rate: (rate + 0.5 * squares) / (1.1 * (shape + 0.5 * count) ** 1.01),
    )


OF_GROUPS = ("group_mean_posterior", "draw_variances", "draw_means", "turn_with_means", "draw_level", "shift_posterior")


# --- Every number of a sweep ------------------------------------------------------------------


@each_effect
@pytest.mark.parametrize("K", [0, 1, 3])
@pytest.mark.parametrize("prior", [LEARNED, FIXED])
def test_rows_are_drawn_around_the_mean_of_their_group(effects, K, prior, monkeypatch):
    """Two sweeps: each mean and covariance of rows and columns, to 1e-10."""
    if K == 0 and effects == "none":
        return
    chain = chain_of(effects, K, prior)
    chain.sweep(3)
    used, law, groups = chain.effects, chain.effect_hyperparameters.values, chain.groups
    m = law[2] if prior is LEARNED else 0.0
    twin = Twin(
        CODES >= 0,
        chain.rows.factor,
        chain.columns.factor,
        chain.rows.effects,
        chain.columns.effects,
        used,
        chain.alpha.copy(),
        ((0 if used.columns else m, law[0]), (m, law[1])),
        np.array([groups.means[g] for g in groups.index]),
    )
    monkeypatch.setattr(type(groups), "draw", lambda *arguments: None)
    monkeypatch.setattr(chain.effect_hyperparameters, "is_learned", False)
    _, *given = scripted(monkeypatch)
    for _ in range(2):
        twin.sweep(CODES - 0.5, *given)
        chain.sweep()
        np.testing.assert_allclose(chain.rows.u, twin.U[:, twin.own_U], rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(chain.columns.u, twin.V[:, twin.own_V], rtol=1e-10, atol=1e-12)


def test_a_row_without_a_group_is_one_of_its_own():
    groups = RowGroups.of(LABELS)
    assert groups.names.tolist() == ["a", "b", "c"]
    assert groups.index.tolist() == [0, 1, -1, 0, 1, 1, -1, 2]
    index, count = groups.with_singletons()
    assert (index.tolist(), count) == ([0, 1, 3, 0, 1, 1, 4, 2], 5)
    assert chain_of().groups._sizes.tolist() == [2, 3, 1, 1, 1]


def test_means_and_variances_are_drawn_from_their_conditionals(monkeypatch):
    """Each µ ~ N(v p Σ (u - center), v), 1/v = 1/s + n p, and each s ~ IG(a + G/2, b + Σ µ²/2), by loops."""
    plain(monkeypatch)
    rng = np.random.default_rng(1)
    normals = rng.normal(size=100)
    given = iter(normals)
    monkeypatch.setattr(kernels, "standard_normal", lambda generator: next(given))
    index, count = RowGroups.of(LABELS).with_singletons()
    u, center, precision, s = (
        rng.normal(size=(8, 3)),
        rng.normal(size=3),
        rng.gamma(2.0, size=3),
        rng.gamma(2.0, size=3),
    )
    means, variances = np.empty((count, 3)), s.copy()
    sizes = np.bincount(index)
    kernels.draw_means(None, u, index, sizes, precision, center, means, variances, SHAPE, RATE)
    again = iter(normals)
    for g, c in itertools.product(range(count), range(3)):
        own = [u[f, c] - center[c] for f in range(8) if index[f] == g]
        v = 1 / (1 / s[c] + len(own) * precision[c])
        assert means[g, c] == pytest.approx(v * precision[c] * sum(own) + v**0.5 * next(again), rel=1e-12)
    expected = (RATE + (means**2).sum(axis=0) / 2) / (1.1 * (SHAPE + count / 2) ** 1.01)
    np.testing.assert_allclose(variances, expected, rtol=1e-12)


@pytest.mark.parametrize("ard", [True, False])
@pytest.mark.parametrize("K", [1, 2, 4])
def test_what_factors_and_means_share_is_the_twins(K, ard, monkeypatch):
    """Scales, angles, precisions and variances on given uniform numbers, to 1e-9; effects stay."""
    plain(monkeypatch)
    rng = np.random.default_rng(9)
    uniforms = rng.random(5000)
    given = iter(uniforms)
    monkeypatch.setattr(relevance, "uniform", lambda generator: next(given))
    gammas = itertools.repeat(lambda shape: 1.1 * shape**1.01)
    U, V, means, L = (rng.normal(size=(n, K + 1)) for n in (6, 5, 4, K))
    effects, g, G = [one[:, K].copy() for one in (U, V, means)], 5 * rng.normal(size=K), L[:, :K] @ L[:, :K].T
    alpha, variances = rng.gamma(2.0, size=K), np.ones(K)
    if not ard:
        alpha[:] = 1.0
    factors = (one[:, :K].copy() for one in (U, V))
    twin = relevance_twin(
        iter(uniforms), gammas, *factors, g, G, 0.7, 0.3, alpha.copy(), means[:, :K].copy(), (SHAPE, RATE), ard
    )
    kernels.turn_with_means(None, U, V, means, variances, SHAPE, RATE, ard, g, G, 0.7, 0.3, alpha)
    for found, expected in zip((U[:, :K], V[:, :K], alpha, means[:, :K], variances), twin, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11)
    for one, before in zip((U, V, means), effects, strict=True):
        np.testing.assert_array_equal(one[:, K], before)


# --- Against the joint density ------------------------------------------------------------------


@each_effect
@pytest.mark.parametrize("prior", [LEARNED, FIXED])
def test_the_log_joint_is_that_of_the_model(effects, prior):
    chain = chain_of(effects, 2, prior)
    chain.sweep(2)
    factors, law, groups, used = chain.factors(), chain.effect_hyperparameters.values, chain.groups, chain.effects
    p = expit(form.psi_of(factors))
    total = np.log(np.where(CODES == 1, p, 1 - p))[CODES >= 0].sum()
    is_learned = prior is LEARNED and effects != "none"
    m = law[2] if is_learned else 0.0
    total += stats.norm.logpdf(m, 0, 3) if is_learned else 0.0
    for f, g in enumerate(groups.index):
        total += stats.norm.logpdf(factors.W[f], groups.means[g, :2]).sum()
        if used.rows:
            mean = (0.0 if used.columns else m) + groups.means[g, 2]
            total += stats.norm.logpdf(factors.others[form.ROWS][f], mean, law[0] ** 0.5)
    if used.columns:
        total += stats.norm.logpdf(factors.others[form.COLUMNS], m, law[1] ** 0.5).sum()
    for there, s in zip(used, law[:2], strict=True):
        if there and is_learned:
            total += stats.invgamma.logpdf(s, 0.5, scale=0.125) + np.log(s)
    total += stats.norm.logpdf(groups.means, 0, groups.variances**0.5).sum()
    total += (stats.invgamma.logpdf(groups.variances, SHAPE, scale=RATE) + np.log(groups.variances)).sum()
    alpha = chain.alpha
    total += stats.norm.logpdf(factors.H, scale=alpha[:, None] ** -0.5).sum()
    if prior.ard:
        total += (stats.gamma.logpdf(alpha, 4.0, scale=1 / 3.0) + (1 - 6 / 2) * np.log(alpha)).sum()
    assert chain.log_joint() == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("effects", ["rows", "both"])
def test_the_level_is_drawn_from_the_joint_density(effects, monkeypatch):
    """log p along d, by which groups' effects fall and m rises, is that of the normal distribution d is drawn from."""
    chain = chain_of(effects)
    chain.sweep(3)
    plain(monkeypatch)
    moved = []

    def mean_of(d):
        monkeypatch.setattr(kernels, "standard_normal", lambda generator: d)
        arguments = chain.groups.means[:, 2], 9.0, chain.groups.variances[2], chain.effect_hyperparameters.values[2]
        return kernels.draw_level(None, *arguments)

    mean, deviation = mean_of(0.0), mean_of(1.0) - mean_of(0.0)
    before, psi = chain.log_joint(), form.psi_of(chain.factors())
    at = 0.0
    for d in (0.3, -0.7, 1.9):
        monkeypatch.setattr(gibbs_groups.kernels, "draw_level", lambda *arguments, by=d - at: by)
        chain.groups.pass_level(chain.effect_hyperparameters, chain.rows, chain.columns)
        at = d
        np.testing.assert_allclose(form.psi_of(chain.factors()), psi, atol=1e-12)
        moved.append(chain.log_joint() - before)
        expected = stats.norm.logpdf(d, mean, deviation) - stats.norm.logpdf(0.0, mean, deviation)
        assert moved[-1] == pytest.approx(expected, abs=1e-9)


def test_effects_of_rows_are_those_within_groups_to_their_distribution(monkeypatch):
    """What is told of row effects is a - µ, and what comes back has µ added."""
    chain = chain_of("both")
    chain.sweep(2)
    a, of_groups = chain.rows.effects, chain.groups.means[chain.groups.index, 2]
    seen = []

    def draw(generator, rows, columns, law, priors):
        seen.append(rows.copy())
        rows += 0.25

    monkeypatch.setattr("nbmf.numerics.normal_effects.draw_effect_hyperparameters", draw)
    chain.effect_hyperparameters.draw(chain.rows, chain.columns, chain.groups)
    np.testing.assert_allclose(seen[0], a - of_groups, atol=1e-12)
    np.testing.assert_allclose(chain.rows.effects, a + 0.25, atol=1e-12)


# --- Geweke's joint-distribution test ----------------------------------------------------------

OF_VARIANCE = np.array([[5.0, 3.0], [6.0, 4.0]])  # shapes and rates, of row and of column effects


def statistics(W, H, alpha, others, law, level, V, observed):
    """Return functions that no rotation of U, V and µ together leaves out: s and α too."""
    index, means, variances = level
    psi, K = form.psi_of(Factors(W, H, others)), W.shape[1]
    found = [
        psi[0, 0],
        psi[0, 0] ** 2,
        psi[2, 2],
        (psi**2).mean(),
        psi[0] @ psi[3],
        psi[0] @ psi[1],
        V[observed].mean(),
        (psi * (V - 0.5))[observed].mean(),
        np.log(alpha).sum(),
        (H[0] ** 2).mean(),
        (W[:, 0] ** 2).mean(),
        *means[0],
        *(means[0] ** 2),
        *means[index[2]] ** 2,
        *np.log(variances),
        *((W - means[index, :K]) ** 2).mean(axis=0),
        *(W * means[index, :K]).mean(axis=0),
        (means[:, 0] * means[:, 1]).sum() ** 2,
        (means[:, 0] ** 2).sum() * np.log(alpha[0]),
    ]
    for name in (form.ROWS, form.COLUMNS):
        if name in others:
            found += [others[name][0], others[name][0] ** 2, others[name].mean() ** 2]
    return [*found, *law]


@pytest.mark.statistics
@pytest.mark.parametrize(
    ("effects", "ard"),
    [
        pytest.param("none", True, marks=pytest.mark.long),
        pytest.param("rows", False, marks=pytest.mark.long),
        ("both", True),
    ],
)
def test_geweke(effects, ard):
    """Draws of all by the sampler in turn with the data have their prior law: 5 x 3, K = 2, two missing cells."""
    rng = np.random.default_rng(12)
    labels, N, K = np.array(["a", "b", "", "a", "b"]), 3, 2
    F, used = len(labels), form.Effects.named(effects)
    index, count = RowGroups.of(labels).with_singletons()
    codes = np.ones((F, N), np.int8)
    codes[0, 1] = codes[2, 2] = -1
    observed, D = codes >= 0, K + used.rows

    def law_told(s_a, s_b, m):
        told = [np.log(s_a)] * used.rows + [np.log(s_b)] * used.columns
        return told + [m, m**2] * any(used)

    def from_prior():
        alpha = rng.gamma(4.0, 1 / 3.0, K) if ard else np.ones(K)
        variances = RATE / rng.gamma(SHAPE, size=D)
        means = rng.normal(size=(count, D)) * np.sqrt(variances)
        W = means[index, :K] + rng.normal(size=(F, K))
        H = rng.normal(size=(K, N)) / np.sqrt(alpha)[:, None]
        (s_a, s_b), m = OF_VARIANCE[:, 1] / rng.gamma(OF_VARIANCE[:, 0]), rng.normal() / np.sqrt(2)
        others = {}
        if used.rows:
            others = {form.ROWS: means[index, K] + rng.normal(0.0 if used.columns else m, np.sqrt(s_a), F)}
        if used.columns:
            others[form.COLUMNS] = rng.normal(m, np.sqrt(s_b), N)
        V = (rng.random((F, N)) < expit(form.psi_of(Factors(W, H, others)))).astype(float)
        return statistics(W, H, alpha, others, law_told(s_a, s_b, m), (index, means, variances), V, observed)

    independent = np.array([from_prior() for _ in range(20_000)])
    chain = chain_of(effects, K, Prior(ard, 4.0, 3.0, "learned"), codes, labels, seed=7)
    if any(used):
        chain.effect_hyperparameters.priors[:] = *(OF_VARIANCE * np.transpose([used])), (0.5, 0.0)
    series = []
    for _ in range(25_000):
        chain.sweep()
        factors = chain.factors()
        V = (rng.random((F, N)) < expit(form.psi_of(factors))).astype(float)
        chain.cells.likelihood.kappa[:] = V[observed] - 0.5
        chain.cells.update_columns()
        level = index, chain.groups.means, chain.groups.variances
        told = law_told(
            *np.maximum(chain.effect_hyperparameters.values[:2], 1e-300), chain.effect_hyperparameters.values[2]
        )
        series.append(statistics(*factors[:2], chain.alpha, factors.others, told, level, V, observed))
    found, error = ladder.batch_means(np.array(series)[500:])
    error = np.sqrt(error**2 + independent.var(axis=0) / len(independent))
    scores = (found - independent.mean(axis=0)) / error
    assert ladder.means_p(found, error, independent.mean(axis=0)) > ladder.FALSE_ALARM, scores.round(1)


# --- The chain ------------------------------------------------------------------------------------


@each_effect
def test_a_chain_goes_on_from_a_snapshot_with_the_same_bits(effects):
    one, other = (chain_of(effects, seed=seed) for seed in (0, 1))
    one.sweep(6)
    for name, array in other.arrays().items():
        array[...] = one.arrays()[name]
    for chain in (one, other):
        chain.sweep(4)
    for name, array in one.arrays().items():
        np.testing.assert_array_equal(array, other.arrays()[name], err_msg=name)


def test_any_number_of_threads_gives_the_same_bits():
    chains = [chain_of("both", codes=np.tile(CODES, (5, 3)), labels=np.tile(LABELS, 5), threads=n) for n in (1, 2)]
    for chain in chains:
        chain.sweep(5)
    for name, array in chains[0].arrays().items():
        np.testing.assert_array_equal(array, chains[1].arrays()[name], err_msg=name)


def test_the_share_between_groups_is_that_of_the_variances_of_log_odds():
    chain = chain_of("both")
    chain.sweep(3)
    s, H = chain.groups.variances[:2], chain.factors().H
    between, within = np.trace(H.T @ np.diag(s) @ H), np.trace(H.T @ H)
    assert chain.factors().others[form.BETWEEN_GROUPS] == pytest.approx(between / (between + within), rel=1e-12)


def test_means_of_groups_follow_where_positions_go():
    """Centred and turned, the log-odds of an average row of a group stay what they are."""
    rng = np.random.default_rng(3)
    W, H, groups = rng.normal(size=(7, 2)), rng.normal(size=(2, 5)), rng.normal(size=(3, 2))
    for effects in EFFECTS:
        used = form.Effects.named(effects)
        others = {form.GROUP_MEANS: groups}
        if used.rows:
            others |= {form.ROWS: rng.normal(size=7), form.GROUP_EFFECTS: rng.normal(size=3)}
        if used.columns:
            others[form.COLUMNS] = rng.normal(size=5)
        given = Factors(W, H, others)

        def of_groups(factors):
            psi = factors.others[form.GROUP_MEANS] @ factors.H + factors.others.get(form.COLUMNS, 0.0)
            return psi + np.reshape(factors.others.get(form.GROUP_EFFECTS, np.zeros(3)), (3, 1))

        for change in (form.centred, form.canonical):
            np.testing.assert_allclose(of_groups(change(given)), of_groups(given), atol=1e-12)


def test_whole_numbers_are_one_label_in_any_type_and_na_is_none():
    """A column of whole numbers becomes floats in pandas where one is missing."""
    expected = ["1", "2", NO_GROUP]
    for given in ([1, 2, None], [1.0, 2.0, np.nan], pd.Series([1, 2, None]), pd.Series([1, 2, pd.NA], dtype="Int64")):
        assert labels_of(given, 3, "groups").tolist() == expected
    with pytest.raises(DataError, match="groups = 'abc': must be a label for each row"):
        labels_of("abc", 3, "groups")
