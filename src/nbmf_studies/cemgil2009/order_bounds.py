"""Figure 4: the bound of photographs for each number of templates."""

import pandas as pd

from nbmf_studies.framework.gathering import Fits, reports

LEARNED = ("shape_W", "mean_W", "shape_H", "mean_H")


def tabulate(fits: Fits) -> pd.DataFrame:
    """Return the bound of every order from every start.

    Returns
    -------
    DataFrame
        A row per fit: dataset, start, order, bound (nats), iterations, converged, the numbers of the
        priors as they were learned, seconds.
    """
    rows = []
    for columns, report in reports(fits):
        bound, length = report["trace"]["objective"][-1], report["n_iter"]
        ended = {"bound": bound, "iterations": length, "converged": report["converged"]}
        learned = {name: report["findings"][name] for name in LEARNED}
        rows.append({**columns, **ended, **learned, "seconds": report["seconds"]})
    return pd.DataFrame(rows)
