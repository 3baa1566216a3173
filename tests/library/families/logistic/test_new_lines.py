"""E[V] of new rows and columns of binary matrices: the mean over what is not known of them, by quadrature."""

import numpy as np
import pytest
from scipy.special import expit

import nbmf

NODES, OF_NODES = np.polynomial.hermite_e.hermegauss(80)
OF_NODES = OF_NODES / OF_NODES.sum()
BRIEF = {"VB": (nbmf.LogisticFactorVB, {}), "Gibbs": (nbmf.LogisticFactorGibbs, {"burn_in": 100, "n_samples": 200})}


def fitted(engine, effects):
    rng = np.random.default_rng(3)
    psi = 2.5 * rng.normal(size=(60, 1)) * rng.normal(size=24) + rng.normal(size=(60, 1)) + rng.normal(size=24)
    kind, brief = BRIEF[engine]
    estimator = kind(1, effects=effects, effect_scale="learned", random_state=0, **brief)
    return estimator.fit((rng.random(psi.shape) < expit(psi)).astype(int))


def exact(values, slopes, offset, deviation, effect):
    """Return E[v] of a line of which some values are known, -1 where not: of ψ = x slopes + r + offset.

    x ~ N(0, deviation²), and the effect r, if there is one, is normal with this precision and mean.
    """
    precision, center = effect or (np.inf, 0.0)
    x, r = np.meshgrid(deviation * NODES, center + NODES / np.sqrt(precision), indexing="ij")
    psi = x[..., None] * slopes + r[..., None] + offset
    signs = np.where(values == 1, 1, -1)
    likelihood = np.where(values == -1, 1.0, expit(signs * psi)).prod(axis=-1)
    weights = likelihood * OF_NODES[:, None] * OF_NODES
    return np.tensordot(weights / weights.sum(), expit(psi), axes=2)


@pytest.mark.parametrize("engine", BRIEF)
@pytest.mark.parametrize("effects", ["none", "rows", "columns", "both"])
def test_lines_are_predicted_by_the_mean_over_what_is_not_known_of_them(engine, effects):
    model = fitted(engine, effects)
    rows = np.full((2, 24), -1)
    rows[1, [2, 9, 15, 20]] = 1, 0, 0, 1
    slopes = model.H_[0] + model._row_effect_slopes[0]
    given = slopes, model.column_effects_, 1.0, model._effect_prior(rows=True)
    expected = [exact(row, *given) for row in rows]
    found = model.predict_rows(rows)
    np.testing.assert_allclose(found[0], expected[0], atol=1e-3)  # the prior is normal, a posterior nearly so
    np.testing.assert_allclose(found[1], expected[1], atol=0.06)
    plain = model.mean(model.factors_of_rows(rows))
    assert np.abs(found - expected).max() < 0.5 * np.abs(plain - expected).max()
    columns = np.full((60, 2), -1)
    columns[[3, 30, 40, 50], 1] = 1, 0, 0, 1
    deviation = 1.0 / np.sqrt(model.precisions_[0])
    given = model.W_[:, 0], model.row_effects_, deviation, model._effect_prior(rows=False)
    expected = np.array([exact(column, *given) for column in columns.T]).T
    found = model.predict_columns(columns)
    np.testing.assert_allclose(found[:, 0], expected[:, 0], atol=1e-3)
    np.testing.assert_allclose(found[:, 1], expected[:, 1], atol=0.06)


@pytest.mark.parametrize("scale", [1e6, 1e50])
def test_effects_of_a_wide_prior_are_found_as_exactly(scale):
    """The coefficients stand still in units of ψ, whatever the scale of their prior."""
    V = (np.random.default_rng(5).random((30, 12)) < np.linspace(0.1, 0.9, 30)[:, None]).astype(int)
    model = nbmf.LogisticFactorVB(0, effects="rows", effect_scale=scale, random_state=0).fit(V)
    found = model.predict_rows(V)
    np.testing.assert_allclose(found, np.repeat(V.mean(axis=1, keepdims=True), 12, axis=1), atol=0.06)
    grouped = nbmf.LogisticFactorVB(
        0, effects="rows", effect_scale=min(scale, 1e6), row_groups=["a", "b"] * 15, random_state=0
    ).fit(V)
    part = np.where(np.arange(12) < 6, V, -1)
    np.testing.assert_allclose(grouped.predict_rows(part, ["a", "b"] * 15), model.predict_rows(part), atol=0.02)


def test_lines_in_blocks_are_predicted_as_alone(monkeypatch):
    model = fitted("VB", "both")
    rows = np.random.default_rng(0).integers(-1, 2, (7, 24))
    columns = np.random.default_rng(0).integers(-1, 2, (60, 7))
    at_once = model.predict_rows(rows), model.predict_columns(columns)
    monkeypatch.setattr("nbmf.inference.blocks.NUMBERS_AT_ONCE", 100)
    np.testing.assert_allclose(model.predict_rows(rows), at_once[0], atol=1e-12)
    np.testing.assert_allclose(model.predict_columns(columns), at_once[1], atol=1e-12)
