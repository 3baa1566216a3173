"""Figure 3: what is known of log p(X) for each number of sources, by bound, Chib and annealing."""

from itertools import groupby

import numpy as np
import pandas as pd

from nbmf_studies.cemgil2009.names import ADAPTED, BOUND
from nbmf_studies.framework.gathering import Fits, reports

ESTIMATE = ("value", "error", "effective_size")  # findings of evidence_methods.Estimating


def tabulate(fits: Fits) -> pd.DataFrame:
    """Return the evidence of every matrix for every order.

    Parameters
    ----------
    fits : Fits
        The starts of a bound one after the other.

    Returns
    -------
    DataFrame
        A row per matrix, order, kind and run: seed, order, kind, run, value and error in nats,
        effective_size (see nbmf.families.poisson_gamma.evidence.Evidence), seconds (CPU). A bound is
        the best of its starts, one run together.
    """
    rows = []
    for key, starts in groupby(fits, lambda fit: tuple(fit[0][name] for name in ("seed", "order", "kind"))):
        found_by = [report for _, report in reports(starts)]
        seconds = [report["trace"]["cpu_seconds"][-1] for report in found_by]
        if key[-1] in (BOUND, ADAPTED):
            estimates_of = [
                (0, best_of_starts([report["trace"]["objective"][-1] for report in found_by]), sum(seconds))
            ]
        else:
            estimates = [[report["findings"][name] for name in ESTIMATE] for report in found_by]
            estimates_of = list(zip(range(len(found_by)), estimates, seconds, strict=True))
        rows += [[*key, run, *estimate, spent] for run, estimate, spent in estimates_of]
    return pd.DataFrame(rows, columns=["seed", "order", "kind", "run", *ESTIMATE, "seconds"])


def best_of_starts(bounds: list[float]) -> list[float]:
    """Return the largest, the standard deviation over starts (NaN of one), and how many there are."""
    spread = float(np.std(bounds, ddof=1)) if len(bounds) > 1 else np.nan
    return [max(bounds), spread, len(bounds)]
