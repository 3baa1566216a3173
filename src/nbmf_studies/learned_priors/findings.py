"""What the fits have learned besides their factors, and how often the chosen orientation is the better one."""

import pandas as pd

from nbmf_studies.framework.gathering import Fits, reports

NUMBERS = ("strength", "alpha", "beta", "gamma", "eta")


def tabulate(fits: Fits) -> pd.DataFrame:
    """Return a row per fit that has found something.

    Returns
    -------
    DataFrame
        dataset, method, K, mask, seed, orientation, the NUMBERS and seconds; what a fit has not
        found is missing.
    """
    rows = []
    for columns, report in reports(fits):
        if found := report.get("findings"):
            rows.append({**columns, **found, "seconds": report["seconds"]})
    names = ["dataset", "method", "K", "mask", "seed", "orientation", *NUMBERS, "seconds"]
    return pd.DataFrame(rows, columns=names)


def summarise(findings: pd.DataFrame, scores: pd.DataFrame, sides: dict[str, list[str]]):
    """Return medians per dataset and method, and how often "auto" has chosen the better side.

    Parameters
    ----------
    findings : DataFrame
        As `tabulate` makes it.
    scores : DataFrame
        As `nbmf.evaluation.score_table.gather_scores` makes it.
    sides : dict
        From a method with orientation "auto" to the same with "rows" and with "columns".

    Returns
    -------
    DataFrame
        dataset, method, fits, columns (in how many fits columns have the weights), right (in how
        many the chosen side is the one that predicts the test entries better; missing where that is
        not known), the medians of NUMBERS and of seconds.
    """
    key = ["dataset", "K", "mask", "seed"]
    rows = []
    for (dataset, method), own in findings.groupby(["dataset", "method"], sort=False):
        row = {"dataset": dataset, "method": method, "fits": len(own)}
        row["columns"] = int((own["orientation"] == "columns").sum())
        if method in sides:
            both = [scores[scores["method"] == name].set_index(key)["perplexity"] for name in sides[method]]
            better = (both[1] < both[0]).map({True: "columns", False: "rows"})
            chosen = own.set_index(key)["orientation"]
            row["right"] = int((chosen == better.reindex(chosen.index)).sum())
        rows.append(row | own[[*NUMBERS, "seconds"]].median().to_dict())
    names = ["dataset", "method", "fits", "columns", "right", *NUMBERS, "seconds"]
    return pd.DataFrame(rows, columns=names)
