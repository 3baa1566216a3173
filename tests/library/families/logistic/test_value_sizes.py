"""Real values in other units than priors suppose: a fit that may find nothing says so, and what to do."""

import warnings

import numpy as np
import pytest

import nbmf
from nbmf.errors import UnsuitableScaleWarning
from nbmf.families.logistic.collective import CollectiveFactorVB, Relation


def draw(size=1.0, mean=0.0):
    """Return two factors with some noise, the whole with a standard deviation `size` and a mean, a fifth missing."""
    rng = np.random.default_rng(0)
    V = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 10)) + 0.3 * rng.normal(size=(60, 10))
    V = (V - V.mean()) / V.std() * size + mean
    return np.where(rng.random(V.shape) < 0.2, np.nan, V)


def fit(V, effects="none"):
    return nbmf.GaussianFactorVB(3, effects=effects, random_state=0).fit(V)


def unexplained(V, model):
    """Return the part of the variance of observed values that a fit leaves."""
    return np.nanmean((V - model.expectation_) ** 2) / np.nanvar(V)


@pytest.mark.parametrize("effects", ["none", "columns"])
@pytest.mark.parametrize(("size", "mean"), [(30.0, 0.0), (1e6, 0.0), (1e-4, 0.0), (15.0, 100.0), (1.0, 1e5)])
def test_what_a_warning_advises_finds_what_is_taken_for_noise(size, mean, effects):
    V = draw(size, mean)
    with pytest.warns(UnsuitableScaleWarning, match=r"^GaussianFactorVB: values have the mean ") as heard:
        assert unexplained(V, fit(V, effects)) > 0.8
    assert heard[0].filename == __file__
    assert str(heard[0].message).endswith(": fit (V - np.nanmean(V)) / np.nanstd(V)")
    V = (V - np.nanmean(V)) / np.nanstd(V)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnsuitableScaleWarning)
        assert unexplained(V, fit(V, effects)) < 0.2


@pytest.mark.parametrize(("size", "mean", "effects"), [(0.02, 0.0, "none"), (2.5, 1.0, "none"), (1.0, 20.0, "both")])
def test_values_of_a_usual_size_do_not_warn(size, mean, effects):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnsuitableScaleWarning)
        fit(draw(size, mean), effects)


def test_a_mean_is_too_large_sooner_without_effects():
    V = draw(1.0, 20.0)
    with pytest.warns(UnsuitableScaleWarning):
        fit(V)
    with pytest.warns(UnsuitableScaleWarning):
        fit(V + 20.0, "both")


def test_constant_values_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnsuitableScaleWarning)
        fit(np.full((5, 4), 7.0))


def test_a_real_matrix_among_several_warns_with_its_name():
    binary = (draw() > 0).astype(float)
    relations = {"likes": Relation("u", "i", binary), "ages": Relation("u", "a", draw(30.0), "real")}
    with pytest.warns(UnsuitableScaleWarning, match="^matrix 'ages': values have the mean") as heard:
        CollectiveFactorVB(2, max_iter=5, random_state=0).fit(relations)
    assert [each.category for each in heard].count(UnsuitableScaleWarning) == 1
