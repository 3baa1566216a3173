"""The static samplers on votes of two categories: the logistic one, the ordinal one, and variational Bayes."""

import pandas as pd

from nbmf.evaluation.replications import interval
from nbmf_studies.framework.gathering import Fits, reports


def tabulate(fits: Fits) -> pd.DataFrame:
    """Return a row per fit: method, mask, log loss (nats per held-out vote), held_out (votes), seconds."""
    rows = []
    for columns, report in reports(fits):
        scores = {"log loss": report["perplexity"], "held_out": report["n_test"], "seconds": report["seconds"]}
        rows.append({**columns, **scores})
    return pd.DataFrame(rows)


def summarise(senate: pd.DataFrame, labels: dict[str, str], observed: int) -> pd.DataFrame:
    """Return a row per method: its mean log loss over masks, and the paired difference from the first method.

    Parameters
    ----------
    senate : DataFrame
        As `tabulate` makes it.
    labels : dict
        What each method is called, in the order of the rows.
    observed : int
        How many votes the matrix has.

    Returns
    -------
    DataFrame
        method, masks, log loss, the difference with its 95 % interval by Nadeau and Bengio and its p-value, seconds
        (median).
    """
    losses = senate.pivot(index="mask", columns="method", values="log loss")
    first, *_ = labels
    held_out = senate["held_out"].mean()
    rows = []
    for method, label in labels.items():
        row = {"method": label, "masks": len(losses), "log loss": losses[method].mean()}
        if method != first:
            one = interval(losses[method] - losses[first], held_out / (observed - held_out))
            row |= one.columns(f"minus {labels[first]}")
        row["seconds"] = senate.loc[senate["method"] == method, "seconds"].median()
        rows.append(row)
    return pd.DataFrame(rows)
