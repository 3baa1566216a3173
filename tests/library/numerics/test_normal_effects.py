"""Effects whose variances are learned: every law against the joint density, the draws, Geweke's test."""

import itertools
import math

import ladder
import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher
from scipy import stats

from nbmf.numerics import normal_effects
from nbmf.numerics.normal_effects import COLUMNS, INTERCEPT, ROWS
from nbmf.numerics.random import generator_states

F, N = 4, 3
PRIORS = np.array([[4.0, 3.0], [5.0, 2.0], [0.7, 0.0]])  # proper enough to have all moments
KINDS = {"rows": (True, False), "columns": (False, True), "both": (True, True)}
each_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture
def plain(monkeypatch):
    """Run the kernels as plain Python, so that what they draw can be scripted."""
    for name, value in vars(normal_effects).items():
        if isinstance(value, Dispatcher):
            monkeypatch.setattr(normal_effects, name, value.py_func)
    return monkeypatch


def priors_of(kind):
    """Return PRIORS of the effects that are there."""
    priors = PRIORS.copy()
    for place, there in zip((ROWS, COLUMNS), KINDS[kind], strict=True):
        if not there:
            priors[place] = 0.0
    return priors


def example(kind, seed=0):
    """Return effects, empty where there are none, and their law."""
    rng = np.random.default_rng(seed)
    of_rows, of_columns = KINDS[kind]
    law = np.array([0.6 * of_rows, 1.4 * of_columns, -0.8])
    return rng.normal(size=F * of_rows), rng.normal(size=N * of_columns), law


def log_joint(rows, columns, law, priors):
    """Return log p(effects, law): b ~ N(m, s_b), a ~ N(0, s_a), and a ~ N(m, s_a) where there is no b."""
    total = stats.norm.logpdf(law[INTERCEPT], 0, math.sqrt(priors[INTERCEPT, 0]))
    m_of_rows = 0.0 if columns.size else law[INTERCEPT]
    for place, effects, mean in ((ROWS, rows, m_of_rows), (COLUMNS, columns, law[INTERCEPT])):
        if effects.size:
            total += stats.norm.logpdf(effects, mean, math.sqrt(law[place])).sum()
            total += stats.invgamma.logpdf(law[place], priors[place, 0], scale=priors[place, 1])
    return total


def drawn(plain, kind, normals, gamma=1.0):
    """Return effects and law after draws with given normal numbers; gamma(shape) is `gamma` shape."""
    rows, columns, law = example(kind)
    given = iter(normals)
    plain.setattr(normal_effects, "standard_normal", lambda generator: next(given))
    plain.setattr(normal_effects, "standard_gamma", lambda generator, shape: gamma * shape)
    normal_effects.draw_hyperparameters(None, rows, columns, law, priors_of(kind))
    assert next(given, None) is None
    return rows, columns, law


def assert_is_normal(density, mean, sd):
    """A log density on a line is that of N(mean, sd²) but for a constant."""
    at = [density(x) - stats.norm.logpdf(x, mean, sd) for x in (-1.3, 0.2, 2.1)]
    assert at == pytest.approx([at[0]] * 3, abs=1e-10)


@each_kind
def test_the_intercept_follows_the_ratio_of_joints(plain, kind):
    priors, before = priors_of(kind), [0.4] * (kind == "both")
    rows, columns, law = drawn(plain, kind, [*before, 0.0])
    mean = law[INTERCEPT]
    sd = drawn(plain, kind, [*before, 1.0])[2][INTERCEPT] - mean
    old = example(kind)[2]

    def density(m):
        return log_joint(rows, columns, np.array([*old[:2], m]), priors)

    assert_is_normal(density, mean, sd)


def test_what_both_effects_share_follows_the_ratio_of_joints(plain):
    """All row effects fall by d, all column effects and the intercept rise: no log-odds change."""
    priors, (rows, columns, law) = priors_of("both"), example("both")
    (a, b, _), (a_1, b_1, _) = (drawn(plain, "both", [z, 0.0]) for z in (0.0, 1.0))
    mean, sd = rows[0] - a[0], a[0] - a_1[0]
    np.testing.assert_allclose(rows - a, mean, atol=1e-14)
    np.testing.assert_allclose(b - columns, mean, atol=1e-14)
    np.testing.assert_allclose(b_1 - b, sd, atol=1e-14)

    def density(d):
        return log_joint(rows - d, columns + d, np.array([*law[:2], law[INTERCEPT] + d]), priors)

    assert_is_normal(density, mean, sd)


@each_kind
def test_variances_follow_the_ratio_of_joints(plain, kind):
    priors, normals = priors_of(kind), [0.4] * (1 + (kind == "both"))
    rows, columns, law = drawn(plain, kind, normals, gamma=1.0)
    for place, effects in ((ROWS, rows), (COLUMNS, columns)):
        if not effects.size:
            assert law[place] == 0.0
            continue
        shape = priors[place, 0] + effects.size / 2
        rate = law[place] * shape  # as the gamma number is its shape
        at = []
        for s in (0.3, 1.1, 2.0):
            other = law.copy()
            other[place] = s
            at.append(log_joint(rows, columns, other, priors) - stats.invgamma.logpdf(s, shape, scale=rate))
        assert at == pytest.approx([at[0]] * 3, abs=1e-10)


@each_kind
def test_what_is_not_learned_stays(kind):
    rows, columns, law = example(kind)
    before = rows.copy(), columns.copy(), law.copy()
    generator = generator_states(np.random.SeedSequence(1), 1)[0]
    normal_effects.draw_effect_hyperparameters(generator, rows, columns, law, np.zeros((3, 2)))
    for one, other in zip(before, (rows, columns, law), strict=True):
        np.testing.assert_array_equal(one, other)


def test_priors_are_those_of_what_is_there():
    for rows, columns in itertools.product((True, False), repeat=2):
        expected = [[0.5 * rows, 0.125 * rows], [0.5 * columns, 0.125 * columns], [9.0 * (rows or columns), 0.0]]
        np.testing.assert_array_equal(normal_effects.learned_priors(rows, columns), expected)


@pytest.mark.statistics
@each_kind
def test_geweke(kind):
    """Effects given the law and the law given effects in turn have their prior law."""
    priors, rng = priors_of(kind), np.random.default_rng(3)
    of_rows, of_columns = KINDS[kind]

    def draw_effects(law):
        m_of_rows = 0.0 if of_columns else law[INTERCEPT]
        rows = rng.normal(m_of_rows, math.sqrt(law[ROWS]), F * of_rows)
        return rows, rng.normal(law[INTERCEPT], math.sqrt(law[COLUMNS]), N * of_columns)

    def statistics(rows, columns, law):
        found = [law[INTERCEPT], law[INTERCEPT] ** 2]
        for effects, variance in ((rows, law[ROWS]), (columns, law[COLUMNS])):
            if effects.size:
                found += [effects.mean(), effects.mean() ** 2, (effects**2).sum(), math.log(variance)]
                found += [effects[0] * law[INTERCEPT]]
        return found

    def from_prior():
        law = np.zeros(3)
        for place, there in ((ROWS, of_rows), (COLUMNS, of_columns)):
            law[place] = priors[place, 1] / rng.gamma(priors[place, 0]) if there else 0.0
        law[INTERCEPT] = rng.normal(0, math.sqrt(priors[INTERCEPT, 0]))
        return *draw_effects(law), law

    independent = np.array([statistics(*from_prior()) for _ in range(40_000)])
    generator, series = generator_states(np.random.SeedSequence(5), 1)[0], []
    rows, columns, law = from_prior()
    for number in range(60_000):
        if number % 2 == 0:  # else the shift alone moves effects
            rows, columns = draw_effects(law)
        normal_effects.draw_effect_hyperparameters(generator, rows, columns, law, priors)
        series.append(statistics(rows, columns, law))
    found, error = ladder.batch_means(np.array(series)[500:])
    error = np.sqrt(error**2 + independent.var(axis=0) / len(independent))
    assert ladder.means_p(found, error, independent.mean(axis=0)) > ladder.FALSE_ALARM
