"""Wdbc: the breast cancer data of the UCI repository, which scikit-learn brings."""

from nbmf.data.feature_table import FeatureTable
from nbmf_studies.shan2009.recipes.uci import as_table


def build() -> FeatureTable:
    """Build points x Gaussian features; row groups are classes."""
    from sklearn.datasets import load_breast_cancer

    dataset = load_breast_cancer()
    return as_table(dataset.data, dataset.target_names[dataset.target].tolist())
