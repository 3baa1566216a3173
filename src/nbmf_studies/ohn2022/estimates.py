"""Posterior means of K+, their means over replications, and chains that are in doubt."""

import numpy as np
import pandas as pd

from nbmf.evaluation.replications import interval
from nbmf.families.buffet.buffet_priors import buffet_prior
from nbmf_studies.ohn2022.methods import CIBP, IBP

APART = 0.5  # means of two halves, or of two chains, that differ by more are in doubt
R_HAT = 1.05

# Means and standard errors of the prototype with which the equations were checked: its own data, 10
# to 30 replications (other settings: 4 to 6), 2000 sweeps (CIBP: 8000), none of them printed.
PROTOTYPE = {
    ("figure_2", CIBP): {
        50: (4.006, 0.006),
        100: (4.0, 0.0),
        150: (4.0, 0.0),
        200: (4.0, 0.0),
        250: (4.0, 0.0),
        300: (4.0, 0.0),
    },
    ("figure_2", IBP): {
        50: (10.71, 0.19),
        100: (11.70, 0.21),
        150: (11.98, 0.08),
        200: (11.95, 0.24),
        250: (12.49, 0.25),
        300: (12.46, 0.14),
    },
    ("tau_larger", IBP): {50: (6.80, 0.12), 300: (7.05, 0.25)},
    ("tau_learned", IBP): {50: (6.22, 0.13), 300: (6.55, 0.27)},
    ("rows_by_factor", IBP): {50: (10.5, 0.6), 300: (12.6, 0.4)},
    **{(name, CIBP): {50: (4.0, 0.0), 300: (4.0, 0.0)} for name in ("tau_larger", "tau_learned", "rows_by_factor")},
}


def posterior_means(chains: pd.DataFrame) -> pd.DataFrame:
    """Return the posterior mean of K+ of each data set, that of its chains together.

    Parameters
    ----------
    chains : DataFrame
        As `chains.tabulate` makes it.

    Returns
    -------
    DataFrame
        setting, method, p, replication, mean.
    """
    key = ["setting", "method", "p", "replication"]
    return chains.groupby(key, sort=False)["mean"].mean().reset_index()


def doubtful_chains(chains: pd.DataFrame) -> pd.DataFrame:
    """Return the chains whose mean of K+ is in doubt, and why.

    Its halves, or the chains of its data, differ by more than 0.5; or R-hat is above 1.05. Where
    K+ stands still in a chain there is no R-hat, and what the chains say is compared alone.
    """
    key = [chains[name] for name in ("setting", "method", "p", "replication")]
    halves = (chains["first half"] - chains["second half"]).abs() > APART
    means = chains.groupby(key, sort=False)["mean"]
    spread = means.transform("max") - means.transform("min")
    reasons = {
        "halves differ": halves,
        "chains differ": spread > APART,
        f"R-hat above {R_HAT}": chains["r_hat"] > R_HAT,
    }
    why = pd.Series("", index=chains.index)
    for reason, holds in reasons.items():
        why[holds] += np.where(why[holds] == "", reason, ", " + reason)
    return chains.assign(why=why)[why != ""].drop(columns="seconds").reset_index(drop=True)


def summarise(
    chains: pd.DataFrame, settings: dict[str, str], labels: dict[str, str], priors: dict[str, list]
) -> pd.DataFrame:
    """Return a row per setting, prior and p: the posterior mean of K+ over data sets.

    Parameters
    ----------
    chains : DataFrame
        As `chains.tabulate` makes it.
    settings, labels : dict
        What each setting and each method is called.
    priors : dict
        Of each method, the values of a BuffetPrior.

    Returns
    -------
    DataFrame
        setting, prior, p, replications; the mean, its standard error and 95 % t-interval; mean and
        standard error of the prototype; what the prior expects before any data; how many chains
        there are, and of how many K+ stands still or the mean is in doubt; seconds per chain.
    """
    doubtful, rows = doubtful_chains(chains), []
    means = posterior_means(chains)
    cells = ["setting", "method", "p"]
    for (setting, method, p), own in chains.groupby(cells, sort=False):
        of_cell = (means[cells] == [setting, method, p]).all(axis=1)
        estimate = interval(means.loc[of_cell, "mean"])
        given = PROTOTYPE.get((setting, method), {}).get(p, (np.nan, np.nan))
        row = {
            "setting": settings[setting],
            "prior": labels[method],
            "p": p,
            "replications": int(of_cell.sum()),
            **dict(zip(["mean", "standard error", "low", "high"], estimate[:4], strict=True)),
            **dict(zip(["prototype", "its standard error"], given, strict=True)),
            "expected by the prior": buffet_prior(*priors[method]).expected_features(p),
            "chains": len(own),
            "at rest": int((own["least"] == own["largest"]).sum()),
            "in doubt": int((doubtful[cells] == [setting, method, p]).all(axis=1).sum()),
            "seconds": own["seconds"].mean(),
        }
        rows.append(row)
    return pd.DataFrame(rows)
