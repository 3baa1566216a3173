"""A run of the main study in which every claim holds."""

import pandas as pd

from nbmf_studies.lumbreras2020 import claims
from nbmf_studies.lumbreras2020.claims import Results

METHODS = {
    "beta-dir-gs": [100],
    "beta-dir-vb": [100],
    "dir-dir-gs": [100],
    "c-bica": [4, 5],
    "bica": [4, 5],
    "logpca": [2, 4],
}

# Medians that satisfy every claim, on every dataset but paleo and animals.
TYPICAL = {
    ("beta-dir-gs", 100): 0.50,
    ("beta-dir-vb", 100): 0.48,
    ("dir-dir-gs", 100): 0.60,
    ("c-bica", 4): 0.60,
    ("c-bica", 5): 0.58,
    ("bica", 4): 0.52,
    ("bica", 5): 0.50,
    ("logpca", 2): 0.47,
    ("logpca", 4): 0.60,
}


def made_up(changes=(), datasets=claims.PAPER_DATASETS, methods=METHODS, active=10):
    """Return a run in which all claims hold, but for the medians in `changes`."""
    medians = {(d, *key): value for d in datasets for key, value in TYPICAL.items()}
    if "paleo" in datasets:
        medians["paleo", "dir-dir-gs", 100] = 0.4
        medians["paleo", "logpca", 2] = 0.39
    if "animals" in datasets:
        medians["animals", "logpca", 2], medians["animals", "logpca", 4] = 0.7, 1.06
    medians |= dict(changes)
    # The spread over masks is smaller for c-bICA.
    rows, traces = [], []
    for (dataset, method, K), median in medians.items():
        if method not in methods:
            continue
        for mask in range(5):
            value = median + (mask - 2) * (0.001 if method == "c-bica" else 0.002)
            key = {"dataset": dataset, "method": method, "K": K, "mask": mask, "seed": 0}
            rows.append({**key, "perplexity": value, "active_components": active})
            steps = {"c-bica": 2, "bica": 4, "beta-dir-vb": 8}.get(method, 1)
            start = 0.9 if method == "beta-dir-vb" else 0.7
            for iteration in range(1, 11):
                reached = min(1.0, (iteration - 1) / steps)
                perplexity = start + (value - start) * reached
                traces.append({**key, "iteration": iteration, "perplexity": perplexity})
    return Results(pd.DataFrame(rows), pd.DataFrame(traces))
