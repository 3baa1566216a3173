"""What the chains of every replication say about K+."""

import numpy as np
import pandas as pd

from nbmf.posterior.diagnostics import chain_diagnostics
from nbmf_studies.framework.gathering import Fits, reports
from nbmf_studies.ohn2022.sizes import HALVES, sizes_of

DATA_COLUMNS = ["setting", "method", "p", "replication"]


def tabulate(fits: Fits) -> pd.DataFrame:
    """Return a row per chain.

    Returns
    -------
    DataFrame
        setting, method, p, replication, start; of the kept sweeps the mean of K+, that of either
        half, its least and largest value; what else was measured; seconds; r_hat of K+ over the
        chains of the replication, missing where one of them stands still.
    """
    rows, sizes = [], []
    for columns, report in reports(fits):
        first, second = sizes_of(report["measures"])
        sizes.append(np.concatenate([first, second]))
        others = {name: value for name, value in report["measures"].items() if name not in HALVES}
        rows.append({**columns, **chain_summary(first, second), **others, "seconds": report["seconds"]})
    table = pd.DataFrame(rows)
    for chains in table.groupby(DATA_COLUMNS, sort=False).groups.values():
        table.loc[chains, "r_hat"] = chain_diagnostics(np.array([sizes[i] for i in chains])).r_hat
    return table


def chain_summary(first: np.ndarray, second: np.ndarray) -> dict[str, float]:
    """Return the mean and range of K+ in a chain, and the means of its halves; of one sweep there is no first half."""
    whole = np.concatenate([first, second])
    return {
        "mean": whole.mean(),
        "first half": (first if first.size else second).mean(),
        "second half": second.mean(),
        "least": whole.min(),
        "largest": whole.max(),
    }
