"""The final values of the fits, next to the numbers of the paper and those of a prototype."""

import pandas as pd

from nbmf_studies.klami2015.engines import (
    BOHNING,
    GAUSSIAN,
    GIBBS,
    NAIVE,
    NB_F,
    NB_GIBBS,
    NB_NAIVE,
    NB_SEARCH,
    NOISE,
    NOISE_GIBBS,
    PG_F,
    SEARCH,
    SOFTPLUS,
)
from nbmf_studies.klami2015.traces import ends

# Errors of the prototype from which the equations were checked: one matrix of its own for each
# set-up, at most 3000 iterations (300 for counts, 6000 for softplus).
PROTOTYPE = {
    "set_up_1": {GAUSSIAN: 0.112, BOHNING: 0.114, PG_F: 0.106, NAIVE: 0.106, NOISE: 0.218, GIBBS: 0.103},
    "set_up_2": {
        GAUSSIAN: 0.142,
        BOHNING: 0.0792,
        PG_F: 0.0668,
        SEARCH: 0.0668,
        NAIVE: 0.0678,
        NOISE: 0.350,
        GIBBS: 0.0601,
        NOISE_GIBBS: 0.120,
    },
    "set_up_3": {
        GAUSSIAN: 0.134,
        BOHNING: 0.0873,
        PG_F: 0.0719,
        SEARCH: 0.0717,
        NAIVE: 0.0726,
        NOISE: 0.214,
        GIBBS: 0.0633,
    },
    "nb_small": {NB_F: 1.234, NB_SEARCH: 1.232, NB_NAIVE: 1.233, NB_GIBBS: 1.240, SOFTPLUS: 1.54, GAUSSIAN: 1.72},
    "nb_large": {NB_F: 6.40, NB_SEARCH: 5.66, NB_NAIVE: 5.55, NB_GIBBS: 7.32, SOFTPLUS: 20.7, GAUSSIAN: 23.2},
    "poisson_small": {
        NB_F: 0.823,
        NB_SEARCH: 0.826,
        NB_NAIVE: 0.824,
        NB_GIBBS: 0.800,
        SOFTPLUS: 0.817,
        GAUSSIAN: 0.912,
    },
    "poisson_large": {NB_F: 2.63, NB_SEARCH: 2.40, NB_NAIVE: 2.26, NB_GIBBS: 2.75, SOFTPLUS: 8.9, GAUSSIAN: 12.7},
}

# Section 6.1. Quantity, method, set-up, the paper's number, the prototype's.
PRINTED = [
    ("extreme_error", PG_F, "set_up_2", 0.034, 0.0342),
    ("extreme_error", BOHNING, "set_up_2", 0.044, 0.0509),
    ("log_likelihood", PG_F, "set_up_2", -0.155, -0.1549),
    ("log_likelihood", BOHNING, "set_up_2", -0.168, -0.1756),
    ("high_error", PG_F, "set_up_3", 0.32, 0.076),
    ("high_error", BOHNING, "set_up_3", 0.49, 0.111),
    ("log_likelihood", PG_F, "set_up_3", -0.129, -0.158),
    ("log_likelihood", BOHNING, "set_up_3", -0.185, -0.184),
    ("high_error", PG_F, "set_up_3_inside", 0.32, 0.32),
    ("high_error", BOHNING, "set_up_3_inside", 0.49, 0.46),
    ("log_likelihood", PG_F, "set_up_3_inside", -0.129, -0.153),
    ("log_likelihood", BOHNING, "set_up_3_inside", -0.185, -0.203),
]
SPREAD = ["mean", "min", "max"]


def last_errors(traces: pd.DataFrame, labels: dict[str, str]) -> pd.DataFrame:
    """Return a row per set-up and engine: what its fits end with, over seeds.

    Parameters
    ----------
    traces : DataFrame
        As `traces.gather` makes it.
    labels : dict
        Of each method.

    Returns
    -------
    DataFrame
        set_up, method, label, seeds; mean, min and max of the error, and the prototype's; means of
        the other errors and of the log-likelihood; the least and the largest number of factors; CPU
        seconds in all, and milliseconds per iteration.
    """
    rows = []
    for (set_up, method), own in ends(traces).groupby(["set_up", "method"], sort=False):
        error, factors = own["error"].agg(SPREAD), own["factors"].astype(int)
        row = {
            "set_up": set_up,
            "method": method,
            "label": labels[method],
            "seeds": len(own),
            **{f"error, {name}": error[name] for name in SPREAD},
            "prototype": PROTOTYPE.get(set_up, {}).get(method),
            **{name: own[name].mean() for name in ("extreme_error", "high_error")},
            "log_likelihood": own["log_likelihood"].mean(),
            "factors": f"{factors.min()} to {factors.max()}",
            "seconds": own["seconds"].mean(),
            "ms per iteration": 1e3 * (own["seconds"] / own["iteration"]).mean(),
        }
        rows.append(row)
    return pd.DataFrame(rows)


def printed(traces: pd.DataFrame) -> pd.DataFrame:
    """Return the paper's numbers, the prototype's, and the mean, least and largest of ours."""
    last, rows = ends(traces), []
    for quantity, method, set_up, paper, prototype in PRINTED:
        of_set_up = last[(last["set_up"] == set_up) & (last["method"] == method)][quantity]
        if len(of_set_up):
            key = {"quantity": quantity, "method": method, "set_up": set_up}
            given = {"paper": paper, "prototype": prototype, "seeds": len(of_set_up)}
            rows.append({**key, **given, **of_set_up.agg(SPREAD)})
    return pd.DataFrame(rows)
