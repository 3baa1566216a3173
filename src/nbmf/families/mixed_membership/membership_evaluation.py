"""How well a fitted model describes rows: its bound, a sampled likelihood, entropies, clusters."""

from typing import NamedTuple

import numpy as np
from scipy.special import entr, gammaln, logsumexp

from nbmf.data.names import NO_GROUP, texts_of_labels
from nbmf.errors import DataError, Setting
from nbmf.families.mixed_membership.feature_cells import Cells

DRAWS_FROM_PRIOR = 0.25  # of an importance sample: keeps its weights bounded


class Evaluation(NamedTuple):
    """What a model says about some rows.

    lengths : float array (n,), observed features of each row; of documents their words
    bounds : float array (n,), L of each row in nats; of a mixture the exact log-likelihood
    memberships : float array (n, K), mean shares of components; of a mixture probabilities
    sampled : float array (n,) or None, the log-likelihood by importance sampling
    """

    lengths: np.ndarray
    bounds: np.ndarray
    memberships: np.ndarray
    sampled: np.ndarray | None = None

    @property
    def perplexity(self) -> float:
        """exp(-Σ L / Σ m), equation (37), NaN without a cell; of Gaussian features it depends on their units."""
        return _perplexity(self.bounds, self.lengths)

    @property
    def sampled_perplexity(self) -> float:
        """The perplexity by the sampled log-likelihood.

        Raises
        ------
        DataError
            If nothing was sampled.
        """
        if self.sampled is None:
            raise DataError("sampled_perplexity: nothing was sampled; allowed: ", Setting("n_draws"), " above 0")
        return _perplexity(self.sampled, self.lengths)

    @property
    def clusters(self) -> np.ndarray:
        """The component with the largest share of each row, int array (n,); -1 without a cell."""
        return np.where(self.lengths > 0, self.memberships.argmax(axis=1), -1)

    @property
    def entropies(self) -> np.ndarray:
        """The entropy of each row's memberships in nats, float array (n,)."""
        return entropies(self.memberships)


def _perplexity(log_likelihood: np.ndarray, sizes: np.ndarray) -> float:
    if not sizes.any():
        return float("nan")
    with np.errstate(over="ignore"):
        return float(np.exp(-log_likelihood.sum() / sizes.sum()))


def entropies(memberships: np.ndarray) -> np.ndarray:
    """Return the entropy of each distribution over components, (n, K), in nats."""
    return entr(memberships).sum(axis=1)


def sampled_log_likelihood(
    cells: Cells, log_density: np.ndarray, alpha: np.ndarray, gamma: np.ndarray, n_draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Return ln p(x_i | α, θ) of each row by importance sampling, float array (n,).

    The mean of p(x | π) Dir(π; α) / q(π) over draws from q = 3/4 Dir(γ) + 1/4 Dir(α). On average
    it is the likelihood; its logarithm is lower on average, the less the more draws there are.

    Parameters
    ----------
    cells, log_density : Cells, float array (A, K)
        The rows, and ln p of their atoms.
    alpha, gamma : float arrays (K,), (n, K)
        The prior, and what the E-step found.
    n_draws : int
        Of each row; 500 give the order of magnitude of a gap, 2000 a perplexity to about 0.1 %.
    rng : Generator
        Where draws come from.
    """
    from_prior = max(1, round(DRAWS_FROM_PRIOR * n_draws))
    share, estimates = from_prior / n_draws, np.zeros(len(gamma))
    with np.errstate(divide="ignore"):  # a single draw is from the prior
        log_rest = np.log1p(-share)
    for i, gamma_of_row in enumerate(gamma):
        part = slice(cells.starts[i], cells.starts[i + 1])
        if part.stop == part.start:
            continue
        log_pi = np.concatenate(
            [log_dirichlet(gamma_of_row, n_draws - from_prior, rng), log_dirichlet(alpha, from_prior, rng)]
        )
        proposed = np.logaddexp(
            log_rest + _log_dirichlet_density(log_pi, gamma_of_row),
            np.log(share) + _log_dirichlet_density(log_pi, alpha),
        )
        weights = _log_dirichlet_density(log_pi, alpha) - proposed
        estimates[i] = logsumexp(
            weights + _log_mixture(log_pi, log_density[cells.atoms[part]], cells.weights[part])
        ) - np.log(n_draws)
    return estimates


def _log_mixture(log_pi, log_density, weights):
    """Return ln p(x | π) of each draw: Σ_j w_j ln Σ_c π_c p_jc."""
    highest = log_density.max(axis=1)
    if np.isneginf(highest).any():
        return np.full(len(log_pi), -np.inf)
    mixture = np.exp(log_pi) @ np.exp(log_density - highest[:, None]).T
    return np.log(np.maximum(mixture, 1e-300)) @ weights + highest @ weights


def log_dirichlet(alpha: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Draw logarithms of Dirichlet shares, float array (draws, K); they may be below any double.

    ln Gamma(a) is drawn as ln Gamma(a + 1) + ln(U) / a.
    """
    gammas = rng.standard_gamma(alpha + 1.0, (draws, alpha.size))
    log = np.log(gammas) + np.log1p(-rng.random((draws, alpha.size))) / alpha
    return log - logsumexp(log, axis=1, keepdims=True)


def _log_dirichlet_density(log_pi, alpha):
    constant = gammaln(alpha.sum()) - gammaln(alpha).sum()
    return constant + log_pi @ (alpha - 1.0)


# --- Clusters next to labels ---------------------------------------------------------------------


def micro_precision(clusters: np.ndarray, labels: np.ndarray) -> float:
    """Return the share of rows whose label is the commonest of their cluster, equation (38).

    Several clusters may stand for one label. Recomputed for each set of rows, it is biased upwards:
    the fewer rows, the more.

    Parameters
    ----------
    clusters : int array (n,)
        -1 for rows that take no part.
    labels : array (n,)
        Rows without one, None, NaN or "", take no part either.

    Raises
    ------
    DataError
        If there is not one of each per row, or no row has both.
    """
    table = _contingency(clusters, labels)
    return float(table.max(axis=1).sum() / table.sum())


def mutual_information(clusters: np.ndarray, labels: np.ndarray) -> float:
    """Return the mutual information of clusters and labels in nats; arguments as above."""
    joint = _contingency(clusters, labels)
    joint = joint / joint.sum()
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    some = joint > 0
    return float((joint[some] * np.log(joint[some] / apart[some])).sum())


def _contingency(clusters, labels):
    clusters, labels = np.asarray(clusters), texts_of_labels(labels)
    if clusters.shape != labels.shape or clusters.ndim != 1:
        raise DataError(
            f"clusters and labels have shapes {clusters.shape} and {labels.shape}; allowed: one of each per row"
        )
    taken = (clusters >= 0) & (labels != NO_GROUP)
    if not taken.any():
        raise DataError("clusters and labels: no row has both")
    _, row = np.unique(clusters[taken], return_inverse=True)
    _, column = np.unique(labels[taken], return_inverse=True)
    table = np.zeros((row.max() + 1, column.max() + 1))
    np.add.at(table, (row, column), 1.0)
    return table


def mean_and_spread(values: list[float]) -> tuple[float, float, int]:
    """Return mean and standard deviation of the finite values of folds, and how many are not."""
    finite = np.array(values)[np.isfinite(values)]
    if finite.size == 0:
        return float("nan"), float("nan"), len(values)
    spread = float(finite.std(ddof=1)) if finite.size > 1 else 0.0
    return float(finite.mean()), spread, len(values) - finite.size
