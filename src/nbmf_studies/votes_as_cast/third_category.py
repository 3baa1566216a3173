"""Whether abstentions as a category of their own predict "yes" better than abstentions that count as no."""

from typing import Any

import numpy as np
import pandas as pd

from nbmf.errors import DataError
from nbmf.evaluation.replications import interval
from nbmf_studies.framework.gathering import reports

TWO, THREE = "two", "three"  # categories
SWEEPS = 2000  # whose time is reported
COLUMNS = "proportion of yes in the roll call"
LABELS = {THREE: "no, abstain and yes", TWO: "yes or not", COLUMNS: COLUMNS}


def tabulate(fits: list[tuple[dict[str, Any], str]]) -> pd.DataFrame:
    """Return a row per fit.

    Parameters
    ----------
    fits : list of (columns of the case, path of the report)

    Returns
    -------
    DataFrame
        categories, mask; yes (log loss of "yes") and own (that of all categories of the fit), nats per held-out vote;
        yes_of_columns, that of the proportion of yes in each roll call; held_out, how many votes; test_ratio, held-out
        votes per training vote; seconds; minutes, those of 2,000 sweeps over all votes at this speed.
    """
    rows = []
    for columns, report in reports(fits):
        measures = report["measures"]
        per_sweep = report["seconds"] / report["n_iter"] * (1.0 + measures["test ratio"])
        rows.append(
            {
                **columns,
                "yes": measures["yes"],
                "own": report["perplexity"],
                "yes_of_columns": measures["yes of columns"],
                "held_out": report["n_test"],
                "test_ratio": measures["test ratio"],
                "seconds": report["seconds"],
                "minutes": SWEEPS * per_sweep / 60.0,
            }
        )
    return pd.DataFrame(rows)


def by_mask(third_category: pd.DataFrame) -> pd.DataFrame:
    """Return the log loss of "yes" of each prediction, a row per mask and a column per key of LABELS.

    Raises
    ------
    DataError
        If the masks of two and of three categories hold out different numbers of votes.
    """
    masks = third_category.set_index(["mask", "categories"]).unstack()
    held_out = masks["held_out"]
    if (held_out[TWO] != held_out[THREE]).any():
        raise DataError("fits of two and of three categories were scored on different votes")
    return masks["yes"][[THREE, TWO]].assign(**{COLUMNS: masks["yes_of_columns"][TWO]})


def summarise(third_category: pd.DataFrame) -> pd.DataFrame:
    """Return a row per prediction: the mean log loss of "yes" over masks, and its difference from two categories.

    Parameters
    ----------
    third_category : DataFrame
        As `tabulate` makes it.

    Returns
    -------
    DataFrame
        prediction; masks; log loss of yes; that of all three categories; difference from two categories with its 95 %
        interval by Nadeau and Bengio and its p-value; on how many masks it is lower; minutes of 2,000 sweeps (median).
    """
    losses, rows = by_mask(third_category), []
    of_fits = third_category.groupby("categories")
    for name, own in losses.items():
        row = {"prediction": LABELS[name], "masks": len(losses), "log loss of yes": own.mean()}
        if name == THREE:
            row["log loss of three categories"] = of_fits["own"].mean()[THREE]
        if name != TWO:
            one = interval(own - losses[TWO], third_category["test_ratio"].mean())
            row |= {"minus yes or not": one.mean, "low": one.low, "high": one.high, "p-value": one.p}
            row["lower on masks"] = int((own < losses[TWO]).sum())
        row["minutes of 2,000 sweeps"] = of_fits["minutes"].median().get(name, np.nan)
        rows.append(row)
    return pd.DataFrame(rows)
