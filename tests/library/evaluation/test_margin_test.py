"""The exact test of structure beyond row and column effects, and the trades that it draws by."""

import itertools

import bisection
import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom
from shares_only import questions_only, shares_only

import nbmf
from nbmf.errors import ConfigError, DataError
from nbmf.evaluation import margin_test as module
from nbmf.evaluation import margin_trades


def law_of(monkeypatch, kernel, codes, *arguments):
    """Return the probability of each matrix after one call of a kernel, from scripted uniform numbers."""
    with monkeypatch.context() as patched:
        script = bisection.plain(patched, margin_trades)
        plain, held = getattr(margin_trades, kernel), codes.copy()
        script.arrays = (held,)

        def draw():
            held[...] = codes
            plain(held, *arguments, None)
            return held.tobytes()

        return bisection.Tree(lambda numbers: script.run(draw, numbers)).law


def margins(codes):
    """Return the sums of rows and of columns."""
    ones = codes == 1
    return [*ones.sum(axis=0), *ones.sum(axis=1)]


def same_margins(codes, symmetric):
    """Return every matrix with the same sums and the same missing entries."""
    places = np.argwhere(np.triu(codes >= 0, 1) if symmetric else codes >= 0)
    others = []
    for values in itertools.product((0, 1), repeat=len(places)):
        other = codes.copy()
        other[tuple(places.T)] = values
        if symmetric:
            other[tuple(places.T[::-1])] = values
        others.append(other)
    return [other for other in others if margins(other) == margins(codes)]


def test_a_trade_deals_the_ones_with_equal_chances(monkeypatch):
    codes = np.array([[1, 1, 0, 0, 1, -1, 0], [0, 1, 1, 1, 0, 1, -1]], np.int8)  # they differ in columns 0, 2, 3, 4
    law = law_of(monkeypatch, "trade", codes, 0, 1, np.empty(7, np.int64))
    expected = {}
    for own in itertools.combinations((0, 2, 3, 4), 2):
        dealt = codes.copy()
        dealt[0, [0, 2, 3, 4]], dealt[1, [0, 2, 3, 4]] = 0, 1
        dealt[0, list(own)], dealt[1, list(own)] = 1, 0
        expected[dealt.tobytes()] = 1 / 6
    assert law.keys() == expected.keys()
    np.testing.assert_allclose([law[key] for key in expected], 1 / 6, rtol=0, atol=bisection.TOLERANCE)


BIPARTITE = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 1]], np.int8)
WITH_GAPS = np.array([[1, 1, 0, 0], [-1, 0, 1, 0], [0, 0, 1, 1]], np.int8)
NETWORK = np.array([[-1, 1, 1, 0, 0], [1, -1, 0, 1, 0], [1, 0, -1, 0, 0], [0, 1, 0, -1, 1], [0, 0, 0, 1, -1]], np.int8)


@pytest.mark.parametrize(
    ("kernel", "codes", "symmetric"),
    [
        ("trade_many", BIPARTITE, False),
        ("trade_many", WITH_GAPS, False),
        ("trade_rows", WITH_GAPS, False),
        ("trade_rows", np.asfortranarray(BIPARTITE), False),
        ("swap_edges", NETWORK, True),
    ],
    ids=["all observed", "with a gap", "rows with a gap", "columns", "network"],
)
def test_each_step_is_as_likely_as_the_step_back(monkeypatch, kernel, codes, symmetric):
    """So all matrices with the same margins are equally likely, and every one of these is reached."""
    states = same_margins(codes, symmetric)
    keys = [state.tobytes() for state in states]
    laws = [law_of(monkeypatch, kernel, state, 1) for state in states]
    assert all(set(law) <= set(keys) for law in laws)
    steps = np.array([[law[key] for key in keys] for law in laws])
    np.testing.assert_allclose(steps.sum(axis=1), 1, atol=bisection.TOLERANCE)
    np.testing.assert_allclose(steps, steps.T, rtol=0, atol=bisection.TOLERANCE)
    assert (np.linalg.matrix_power(steps, 50) > 0.5 / len(states)).all()


def test_the_statistic_is_the_sum_of_eighth_powers_of_singular_values():
    codes = np.random.default_rng(1).integers(-1, 2, (7, 5)).astype(np.int8)
    for V in (codes, codes.T):
        structure = module._Structure(V)
        P = structure._P
        R = np.where(V >= 0, (V - P) / np.sqrt(P * (1 - P) + 0.05), 0)
        assert structure.measure(V) == pytest.approx((np.linalg.svd(R, compute_uv=False) ** 8).sum(), rel=1e-12)


def test_nested_rows_have_no_other_matrix_with_their_margins():
    nested = np.tril(np.ones((8, 8), np.int8))
    assert nbmf.margin_test(nested).p == 1


@pytest.mark.parametrize(
    ("shape", "kernel", "rows", "trades"),
    [
        ((5, 5), "trade_many", 5, 20),
        ((199, 10), "trade_many", 199, 418),
        ((200, 10), "trade_rows", 10, 20),
        ((10, 200), "trade_rows", 10, 20),
    ],
)
def test_of_long_matrices_the_fewer_lines_are_traded(monkeypatch, shape, kernel, rows, trades):
    """Each of them in four trades, as in other matrices."""
    calls = []
    for name in ("trade_many", "trade_rows"):
        monkeypatch.setattr(module, name, lambda held, count, _, name=name: calls.append((name, len(held), count)))
    codes = np.zeros(shape, np.int8)
    module.mover_of(codes, False)(codes, None)
    assert calls == [(kernel, rows, trades)]


def effects_alone(rng, gaps, network, rows=18):
    """Draw a matrix, or a network, in which log-odds are sums of effects."""
    a, b = rng.normal(size=rows), rng.normal(size=14)
    if network:
        V = np.triu(rng.random((18, 18)) < expit(a[:, None] + a - 1), 1)
        return (V | V.T).astype(np.int8)
    V = (rng.random((rows, b.size)) < expit(a[:, None] + b)).astype(np.int8)
    V[rng.random(V.shape) < gaps] = -1
    return V


def test_a_missing_entry_of_a_network_is_its_mirror_image():
    V = effects_alone(np.random.default_rng(6), 0, True)
    whole = nbmf.margin_test(V, draws=99)
    for place in ((3, 7), (7, 3)):
        gap = V.copy()
        gap[place] = -1
        assert nbmf.margin_test(gap, draws=99) == whole


@pytest.mark.parametrize(
    ("gaps", "network", "rows"),
    [(0, False, 18), (0.3, False, 18), (0, True, 18), (0, False, 280), (0.3, False, 280)],
    ids=["all", "gaps", "network", "long", "long, gaps"],
)
def test_without_structure_p_is_below_its_level_no_more_often(gaps, network, rows):
    rng = np.random.default_rng(2)
    matrices = 300 if rows == 18 else 100
    p = [nbmf.margin_test(effects_alone(rng, gaps, network, rows), seed=i, draws=99).p for i in range(matrices)]
    for level in (0.05, 0.2):
        assert np.count_nonzero(np.array(p) <= level) <= binom.ppf(0.9999, len(p), level)
    assert 0.3 < np.mean(p) < 0.7  # and it says no less than chance


def two_parameters(rng, rows, columns, spread):
    """Draw answers by the two-parameter model, discriminations log-normal."""
    odds = rng.normal(size=(rows, 1)) - rng.normal(size=columns)
    return (rng.random(odds.shape) < expit(odds * rng.lognormal(0, spread, columns))).astype(np.int8)


@pytest.mark.parametrize("turned", [False, True])
def test_a_long_questionnaire_of_unequal_discriminations_is_no_rasch_model(turned):
    """Also where held-out predictions cannot show it, with 12 columns to compare."""
    for seed in range(5):
        V = two_parameters(np.random.default_rng(seed), 4000, 12, 0.3)
        assert nbmf.margin_test(V.T if turned else V, seed=seed, draws=99).p == 0.01


def test_answers_to_one_question_are_no_items_with_an_effect_of_the_row():
    first, second, items = questions_only(60, [4], 0), questions_only(60, [3], 1), shares_only(60, 9, "rows", 0)
    assert nbmf.margin_test(np.hstack([first, items, second]), draws=99) == nbmf.margin_test(items, draws=99)
    nearest = [each[:, [np.abs(each.sum(axis=0) - 30).argmin()]] for each in (first, second)]
    whole, kept = np.hstack([first, second, items[:, :1]]), np.hstack(nearest)
    assert nbmf.margin_test(whole, draws=99) == nbmf.margin_test(kept, draws=99)
    message = r"^a matrix of shape \(60, 1\) without columns that others determine: two rows and two columns are"
    with pytest.raises(DataError, match=message):
        nbmf.margin_test(first)


def test_questions_next_to_items_with_row_effects_are_no_structure():
    p = []
    for seed in range(20):
        items = shares_only(60, 12, "rows", seed)
        p.append(nbmf.margin_test(np.hstack([questions_only(60, [4] * 6, seed), items]), seed=seed, draws=99).p)
    assert np.count_nonzero(np.array(p) <= 0.05) <= binom.ppf(0.999, len(p), 0.05)


def groups(rng, strong):
    """Draw 20 rows of two groups, each of which prefers a half of 16 columns."""
    own = (np.arange(20) < 7)[:, None] == (np.arange(16) < 8)
    return (rng.random(own.shape) < np.where(own, strong, 1 - strong)).astype(np.int8)


def test_two_groups_of_a_small_matrix_are_found():
    rng = np.random.default_rng(3)
    found = [nbmf.margin_test(groups(rng, 0.75), draws=199).p <= 0.025 for _ in range(20)]
    assert sum(found) >= 18


def test_two_groups_of_a_small_network_are_found():
    rng = np.random.default_rng(4)
    same = np.equal.outer(np.arange(20) < 9, np.arange(20) < 9)
    found = []
    for _ in range(20):
        V = np.triu(rng.random((20, 20)) < np.where(same, 0.5, 0.08), 1)
        found.append(nbmf.margin_test((V | V.T).astype(np.int8), draws=199).p <= 0.025)
    assert sum(found) >= 18


@pytest.mark.parametrize(
    ("drawn", "expected"),
    [
        ([5.0, 5.0 * (1 - 1e-12), 4.99, 6.0], (4 / 5, 3, 4)),  # the matrix itself counts, and what equals it
        ([1.0] * 9, (1 / 10, 0, 9)),
        ([5.0, 4.0] * 100, (60 / 119, 60, 119)),  # the 60th as far ends it
    ],
)
def test_p_is_the_share_as_far_of_the_draws_and_the_matrix(drawn, expected, monkeypatch):
    structure = iter([5.0, *drawn])
    monkeypatch.setattr(module._Structure, "measure", lambda self, codes: next(structure))
    assert nbmf.margin_test(np.eye(3, 4), draws=len(drawn)) == pytest.approx(expected)


def test_draws_end_early_where_more_would_change_nothing():
    noise = (np.random.default_rng(5).random((20, 10)) < 0.4).astype(np.int8)
    tested = nbmf.margin_test(noise)
    assert tested.beyond == module.ENOUGH_BEYOND
    assert tested.draws < module.DRAWS
    assert tested.p == tested.beyond / tested.draws
    assert tested == nbmf.margin_test(noise)  # the same seed
    assert tested != nbmf.margin_test(noise, seed=1)


def test_what_cannot_be_tested_is_said():
    with pytest.raises(DataError, match=r"shape \(1, 3\)"):
        nbmf.margin_test([[1, 0, 1]])
    for draws in (0, True, 9.0):
        with pytest.raises(ConfigError, match=f"draws = {draws!r}: must be an integer of at least 1"):
            nbmf.margin_test(np.eye(3), draws=draws)


@pytest.mark.parametrize("test", [nbmf.margin_test, nbmf.verdict, nbmf.choose_components])
@pytest.mark.parametrize("seed", [-1, 0.5, True])
def test_a_seed_is_an_integer_of_at_least_0(test, seed):
    with pytest.raises(ConfigError, match=f"seed = {seed!r}: must be an integer of at least 0"):
        test(np.eye(20), seed=seed)


@pytest.mark.parametrize(
    ("shape", "observed", "quick"),
    [
        ((5000, 10), 50_000, True),
        ((40_000, 10), 400_000, True),
        ((60_000, 10), 600_000, False),
        ((2000, 105), 210_000, False),  # long columns are dealt in every other trade
        ((2000, 100), 200_000, True),  # and in 200 trades alone
        ((93, 679), 63_147, True),  # plants and insects, whose few ones are too few for predictions
        ((300, 300), 90_000, True),
        ((400, 400), 160_000, False),
        ((3000, 3000), 50_000, True),  # nearly all are missing
    ],
)
def test_the_test_is_made_with_every_fit_where_it_is_quick(shape, observed, quick):
    assert module.is_quick(shape, observed) == quick
