"""Whether abstentions as a category of their own predict "yes" better than abstentions that count as no."""

import numpy as np
import pandas as pd

from nbmf.errors import DataError
from nbmf.evaluation.replications import interval
from nbmf_studies.framework.gathering import Fits, reports

TWO, THREE = "two", "three"  # categories
SWEEPS = 2000  # whose time is reported
COLUMNS = "proportion of yes in the roll call"
LABELS = {THREE: "no, abstain and yes", TWO: "yes or not", COLUMNS: COLUMNS}


def tabulate(fits: Fits) -> pd.DataFrame:
    """Return a row per fit.

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
        row = {
            **columns,
            "yes": measures["yes"],
            "own": report["perplexity"],
            "yes_of_columns": measures["yes of columns"],
            "held_out": report["n_test"],
            "test_ratio": measures["test ratio"],
            "seconds": report["seconds"],
            "minutes": SWEEPS * per_sweep / 60.0,
        }
        rows.append(row)
    return pd.DataFrame(rows)


def losses_by_mask(scores: pd.DataFrame, more: str = THREE) -> pd.DataFrame:
    """Return the log loss of "yes" of each prediction, a row per mask; columns are `more`, TWO and COLUMNS.

    Raises
    ------
    DataError
        If the masks of two and of more categories hold out different numbers of entries.
    """
    masks = scores.set_index(["mask", "categories"]).unstack()
    held_out = masks["held_out"]
    if (held_out[TWO] != held_out[more]).any():
        raise DataError(f"fits of two and of {more} categories were scored on different entries")
    return masks["yes"][[more, TWO]].assign(**{COLUMNS: masks["yes_of_columns"][TWO]})


def summarise(third_category: pd.DataFrame) -> pd.DataFrame:
    """Return a row per prediction of "yes"; see `summary`."""
    return summary(third_category, LABELS, "yes")


def summary(scores: pd.DataFrame, labels: dict[str, str], event: str) -> pd.DataFrame:
    """Return a row per prediction: the mean log loss of an event over masks, and its difference from two categories.

    Parameters
    ----------
    scores : DataFrame
        As `tabulate` makes it.
    labels : dict
        What each prediction is called: that of more than two categories, then TWO and COLUMNS.
    event : str
        What is predicted.

    Returns
    -------
    DataFrame
        prediction; masks; log loss of the event; that of all categories; difference from two categories with its 95 %
        interval by Nadeau and Bengio and its p-value; on how many masks it is lower; minutes of 2,000 sweeps (median).
    """
    more, rows = next(iter(labels)), []
    losses, of_fits = losses_by_mask(scores, more), scores.groupby("categories")
    for name, mask_losses in losses.items():
        row = {"prediction": labels[name], "masks": len(losses), f"log loss of {event}": mask_losses.mean()}
        if name == more:
            row[f"log loss of {more} categories"] = of_fits["own"].mean()[more]
        if name != TWO:
            comparison = interval(mask_losses - losses[TWO], scores["test_ratio"].mean())
            row |= comparison.columns(f"minus {labels[TWO]}")
            row["lower on masks"] = int((mask_losses < losses[TWO]).sum())
        row["minutes of 2,000 sweeps"] = of_fits["minutes"].median().get(name, np.nan)
        rows.append(row)
    return pd.DataFrame(rows)
