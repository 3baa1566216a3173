"""What `score` of an estimator is, entry by entry of its description: a reference implementation."""

import numpy as np

from nbmf.inference.fold_in import PARTS
from nbmf.seeds import seed_sequence


def held_out_score(model, values):
    """Return the mean log probability of each entry of new rows, each row alone folded in by the other parts of it."""
    rng = np.random.default_rng(seed_sequence("score", *values.shape))
    part_of = rng.permutation(np.arange(values.size) % PARTS).reshape(values.shape)
    likelihood, total = model.likelihood, 0.0
    for f in range(len(values)):
        row = values[f : f + 1]
        for part in range(PARTS):
            scored = likelihood.is_observed(row) & (part_of[f : f + 1] == part)
            if scored.any():
                known = likelihood.hide(row, scored)
                if not model.averages_new_rows:
                    predictive = model.predictive_of(model._factors_of_rows(known), *np.nonzero(scored))
                else:  # the mean over what is not known of the row
                    predictive = model.predict_rows(known)[scored]
                total += likelihood.loss_at(row, scored)(predictive).total
    return -total / np.count_nonzero(likelihood.is_observed(values))
