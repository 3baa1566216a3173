"""The K by which a method is represented: that with the smallest mean log loss over masks."""

import pandas as pd


def best_K(fits: pd.DataFrame) -> int | None:
    """Return the K of a method on a dataset with the smallest mean log loss over masks.

    A K without a log loss for some mask that another K was fitted to is left out, since its mean would be one of
    other masks; None if no K has all. Several seeds of a mask count as their mean.

    Parameters
    ----------
    fits : DataFrame
        Columns K, mask, perplexity; all of one method and one dataset.
    """
    grid = {int(K): mean_by_mask(of_K, "perplexity") for K, of_K in fits.groupby("K")}
    masks = fits["mask"].nunique()
    means = {K: values.mean() for K, values in grid.items() if values.count() == masks}
    return min(means, key=means.get) if means else None


def mean_by_mask(fits: pd.DataFrame, score: str) -> pd.Series:
    """Return a score for each mask, the mean over its seeds; NaN where a fit has none."""
    return fits.groupby("mask")[score].agg(lambda values: values.mean(skipna=False))
