"""Whether chains have converged: R-hat and effective sample size."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from nbmf.errors import DataError

# Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), "Rank-normalization, folding, and
# localization: an improved R-hat for assessing convergence of MCMC", Bayesian Analysis 16(2):
# use draws only if R-hat < 1.01, and trust R-hat and the effective sample size themselves only
# from an effective sample size of 400 in four chains, that is 100 per chain. The limit stays per chain when
# there are fewer than four: fewer chains see less disagreement, which is no reason to ask for less.
R_HAT_LIMIT = 1.01
ESS_LIMIT = 100  # per chain
MIN_CHAINS = 2  # one chain cannot disagree with another
MIN_DRAWS = 4  # each chain is split in halves, and a half needs a variance
TAILS = (0.05, 0.95)


class Diagnostics(NamedTuple):
    """What the chains say about one quantity.

    r_hat : float, rank-normalised split R-hat (the larger of bulk and folded)
    ess_bulk : float, effective sample size for the centre, of all chains together
    ess_tail : float, the smaller effective sample size for the 5 % and 95 % quantiles
    """

    r_hat: float
    ess_bulk: float
    ess_tail: float


UNKNOWN = Diagnostics(np.nan, np.nan, np.nan)


def chain_diagnostics(draws: np.ndarray) -> Diagnostics:
    """Return R-hat and effective sample sizes of one quantity (Vehtari et al. 2021).

    Parameters
    ----------
    draws : float array (chains, draws)
        The quantity along each chain after burn-in.

    Returns
    -------
    Diagnostics
        All NaN where nothing can be said: fewer than 2 chains or 4 draws, a value that is not
        finite, or a chain that never moves, be it stuck or at rest.

    Raises
    ------
    DataError
        If `draws` has not two dimensions.
    """
    draws = np.asarray(draws, dtype=np.float64)
    if draws.ndim != 2:
        raise DataError(f"draws: two dimensions (chains, draws) are needed, not {draws.ndim}")
    if draws.shape[0] < MIN_CHAINS or draws.shape[1] < MIN_DRAWS or not np.isfinite(draws).all():
        return UNKNOWN
    if (draws == draws[:, :1]).all(axis=1).any():
        return UNKNOWN
    from arviz_stats.base import array_stats  # takes a second, which most users of limits save

    axes = {"chain_axis": 0, "draw_axis": 1}
    with np.errstate(divide="ignore", invalid="ignore"):  # a half of a chain may stand still
        return Diagnostics(
            float(array_stats.rhat(draws, method="rank", **axes)),
            float(array_stats.ess(draws, method="bulk", **axes)),
            float(array_stats.ess(draws, method="tail", prob=TAILS, **axes)),
        )


def have_converged(r_hat: float, ess: float, n_chains: int) -> bool:
    """Return whether chains agree well enough: R-hat < 1.01 and ESS > 100 per chain.

    Parameters
    ----------
    r_hat, ess : float
        Of `chain_diagnostics`; `ess` counts all chains together. NaN is never converged.
    n_chains : int
        How many chains `ess` is of.
    """
    return bool(r_hat < R_HAT_LIMIT and ess > ESS_LIMIT * n_chains)


def diagnose(traces: pd.DataFrame, burn_in: Mapping[str, int]) -> pd.DataFrame:
    """Return R-hat and effective sample sizes of the log joint, per dataset, method and K.

    Parameters
    ----------
    traces : DataFrame
        Columns dataset, method, K, seed, iteration, objective (log joint in nats); a chain per
        seed, all recorded at the same iterations.
    burn_in : mapping
        From each method that samples to the sweeps that are left out; other methods are.

    Returns
    -------
    DataFrame
        dataset, method, K, chains, draws (per chain), r_hat, ess_bulk, ess_tail, converged.
    """
    rows = []
    sampled = traces[traces["method"].isin(list(burn_in))]
    for (dataset, method, K), chains in sampled.groupby(["dataset", "method", "K"], sort=False):
        kept = chains[chains["iteration"] > burn_in[method]]
        draws = kept.pivot(index="seed", columns="iteration", values="objective").to_numpy()
        diagnostics = chain_diagnostics(draws)
        has_converged = have_converged(diagnostics.r_hat, diagnostics.ess_bulk, len(draws))
        rows.append([dataset, method, K, *draws.shape, *diagnostics, has_converged])
    names = ["dataset", "method", "K", "chains", "draws", *Diagnostics._fields, "converged"]
    return pd.DataFrame(rows, columns=names)
