"""Scales of ordered categories most of which are the lowest: covers of species along one gradient."""

import numpy as np
import pytest
from scipy import stats

import nbmf
from nbmf.data.category_matrix import CategoryMatrix
from nbmf.posterior.scale import scale_of
from nbmf.posterior.scale_tables import rows_table, shape_of_scale


def covers(seed, rows=60, columns=45):
    """Classes of cover with one optimum each; four fifths of the entries are the lowest."""
    rng = np.random.default_rng(seed)
    gradient, optima = rng.random(rows), rng.uniform(-0.1, 1.1, columns)
    height, width = rng.uniform(0.5, 0.95, columns), rng.uniform(0.08, 0.2, columns)
    present = height * np.exp(-(((gradient[:, None] - optima) / width) ** 2) / 2)
    cover = present * rng.gamma(2.0, 0.5, present.shape)
    classes = np.where(rng.random(present.shape) < present, 1 + np.clip(7 * cover, 0, 6).astype(int), 0)
    return gradient, CategoryMatrix.from_array(classes)


def scale_along_gradient(seed, **shape):
    gradient, matrix = covers(seed, **shape)
    model = nbmf.OrdinalFactorVB(8, ard=True, ard_after=100, random_state=0).fit(matrix)
    return gradient, scale_of(model, matrix)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_second_axis_of_an_arch_is_no_noise_where_nearly_all_covers_are_the_lowest(seed):
    assert scale_along_gradient(seed)[1].kept == 2


@pytest.mark.parametrize("seed", [0, 1])
def test_the_order_along_the_arch_of_covers_is_that_of_the_gradient(seed):
    gradient, scale = scale_along_gradient(seed, rows=150, columns=60)
    assert shape_of_scale(scale).along is not None
    assert abs(stats.spearmanr(rows_table(scale)["along the arch"], gradient).statistic) > 0.95
