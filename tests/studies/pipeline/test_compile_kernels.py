"""What the kernels are compiled with before the fits: allowed by the likelihood of any family."""

import numpy as np
import pytest
from toy_family import GAUSSIAN

from nbmf import registry
from nbmf.errors import DataError
from nbmf.likelihoods.bernoulli import Bernoulli
from nbmf_studies.pipeline import compile_kernels


class Counts(Bernoulli):
    """Whole numbers from 0 on, as float64 with NaN where they are missing."""

    def values_of(self, V):
        values = np.asarray(V, float)
        if (values < 0).any():
            raise DataError("allowed: whole numbers of at least 0")
        return values

    def is_observed(self, values):
        return ~np.isnan(values)

    def hide(self, values, entries):
        return np.where(entries, np.nan, values)


LIKELIHOODS = {
    each.name: each for name in registry.all_classes() for each in registry.estimator_class(name).likelihoods
}


@pytest.mark.parametrize("likelihood", [*LIKELIHOODS.values(), GAUSSIAN, Counts()], ids=repr)
def test_the_tiny_matrix_is_allowed_by_any_likelihood(likelihood):
    values = likelihood.values_of(compile_kernels.tiny_matrix(likelihood))
    assert np.count_nonzero(likelihood.is_observed(values)) == 8


def test_every_class_is_fitted(monkeypatch, capsys):
    fitted = []

    class Fake:
        likelihood = GAUSSIAN

        def fit(self, values):
            fitted.append(np.isnan(values).sum())

    monkeypatch.setattr(registry, "make_estimator", lambda *a, **k: Fake())
    compile_kernels.main()
    assert fitted == [1] * len(registry.all_classes())
    assert capsys.readouterr().out.count(" s\n") == len(fitted)
