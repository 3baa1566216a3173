"""Warnings: at the line that a person wrote, and of several fits only what concerns the one that is used."""

import warnings

import numpy as np
import pandas as pd
import pytest

import nbmf
from nbmf.errors import CollapsedWarning, LeftOutWarning, NotConvergedWarning, PoorFitWarning
from nbmf.errors import WorseThanOneComponentWarning as Worse
from nbmf.inference.parallel import results_of

NOISE = np.random.default_rng(0).integers(2, size=(14, 9)).astype(float)
GAPPY = np.vstack([np.full(9, np.nan), NOISE])


def unfinished(random_state=0):
    return nbmf.BernoulliPoissonVB(3, max_iter=10, random_state=random_state)


CALLS = {
    "fit": (lambda: unfinished().fit(NOISE), {NotConvergedWarning, Worse}),
    "fit_transform": (lambda: unfinished().fit_transform(NOISE), {NotConvergedWarning, Worse}),
    "posterior_draws": (lambda: nbmf.posterior_draws(unfinished(), NOISE, n_draws=2), {NotConvergedWarning, Worse}),
    "run_chains": (lambda: nbmf.run_chains(unfinished(), NOISE, chains=3, n_jobs=2), {NotConvergedWarning, Worse}),
    "one after another": (
        lambda: nbmf.run_chains(unfinished(), NOISE, chains=3, n_jobs=1),
        {NotConvergedWarning, Worse},
    ),
    "threads": (lambda: results_of([lambda: unfinished().fit(NOISE)] * 2, 2), {NotConvergedWarning, Worse}),
    "components that are alike": (
        lambda: nbmf.MMNB(2, max_iter=1, inner_max=1, inner_tol=0.0, random_state=0).fit(np.ones((9, 4))),
        {CollapsedWarning},
    ),
    "analyze": (lambda: nbmf.analyze(GAPPY, method="bica", n_components=2, check=False), {LeftOutWarning}),
    "a frame": (lambda: nbmf.BinaryMatrix.from_frame(pd.DataFrame(GAPPY)), {LeftOutWarning}),
    "an old name": (lambda: nbmf.LogisticPCA(2, tol=1e-3), {FutureWarning}),
    "an old name that is set": (lambda: nbmf.LogisticPCA(2).set_params(tol=1e-3), {FutureWarning}),
}


@pytest.mark.parametrize(("call", "categories"), CALLS.values(), ids=CALLS)
def test_a_warning_shows_the_line_that_called_nbmf(call, categories):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        call()
    assert categories <= {each.category for each in heard}
    assert {each.filename for each in heard} == {__file__}


def test_of_several_starts_the_best_alone_warns():
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        starts = nbmf.run_chains(unfinished(), NOISE, chains=5, n_jobs=2)
    assert len({each.objective_ for each in starts.estimators}) == 5
    assert [each.category for each in heard] == [NotConvergedWarning, Worse]
    assert f"its objective is {starts.best.objective_:.6g} nats" in str(heard[1].message)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_fits_to_folds_do_not_warn_since_their_losses_say_how_they_are(n_jobs):
    with warnings.catch_warnings():
        warnings.simplefilter("error", PoorFitWarning)
        nbmf.verdict(NOISE, unfinished(), n_jobs=n_jobs)
