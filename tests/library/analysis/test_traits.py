"""Questionnaires of ordered answers: `nbmf.analyze` finds as many axes as there are traits, each of its own items."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import nbmf

ANSWERS = pd.CategoricalDtype(["never", "seldom", "sometimes", "often", "always"], ordered=True)


def questionnaire(rows: int, traits: int, items: int, seed: int) -> pd.DataFrame:
    """Draw answers to items that ask for one trait each, in turns; some items are reversed."""
    rng = np.random.default_rng(seed)
    trait = np.arange(items * traits) % traits
    slopes = rng.uniform(1.2, 2.0, trait.size) * rng.choice([-1, 1], trait.size)
    psi = rng.standard_normal((rows, traits))[:, trait] * slopes
    cuts = np.sort(1.3 * rng.standard_normal((trait.size, 4)), axis=1)
    codes = (rng.random((rows, trait.size, 1)) < expit(psi[:, :, None] - cuts)).sum(axis=2)
    return pd.DataFrame(codes).apply(lambda column: pd.Categorical.from_codes(column, dtype=ANSWERS))


@pytest.mark.parametrize(("rows", "traits", "items"), [(120, 1, 12), (150, 4, 6)])
def test_there_are_as_many_axes_as_traits(rows, traits, items):
    analysis = nbmf.analyze(questionnaire(rows, traits, items, seed=3), log=lambda line: None)
    scale = analysis.result.scale
    assert analysis.result.verdict.found
    assert scale.kept == traits
    slopes = np.abs(scale.discrimination[:, :traits])
    axis_of = slopes.argmax(axis=1).reshape(items, traits)  # items of a trait are in a column
    assert (axis_of == axis_of[0]).all()
    assert len(set(axis_of[0])) == traits
