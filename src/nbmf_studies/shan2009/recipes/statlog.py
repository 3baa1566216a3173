"""Statlog-seg: the two files of the UCI repository's Segmentation together."""

from pathlib import Path

import numpy as np

from nbmf.data.feature_table import FeatureTable
from nbmf_studies.shan2009.recipes.uci import LAYOUTS, as_table, read_points


def build(*, training: Path, test: Path) -> FeatureTable:
    """Build points x Gaussian features, first those of `training`; row groups are classes."""
    values, labels = zip(*(read_points(path, LAYOUTS["segmentation"]) for path in (training, test)), strict=True)
    return as_table(np.concatenate(values), [label for part in labels for label in part])
