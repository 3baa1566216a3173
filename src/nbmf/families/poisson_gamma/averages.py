"""What a chain averages over its kept sweeps: factors, and E[V] whole or by a few draws."""

import numpy as np

from nbmf.families.poisson_gamma.kernels.sources import FLOOR
from nbmf.families.poisson_gamma.lookup_tables import Link, rates_at
from nbmf.inference.state import Factors

WHOLE, DRAWS = 200, 50  # kept sweeps at most that E[V] is averaged over, whole or by their factors


class Averages:
    """Sums over kept sweeps.

    E[V] is averaged over some of the sweeps, evenly spaced, since a product of W and H costs more
    than a sweep. Of a matrix given as dense the mean of E[V] is kept, F x N numbers; of a sparse
    one the factors of fewer sweeps, in single precision, from which single entries are predicted.

    Parameters
    ----------
    shape : (F, N)
    K : int
    n_samples : int
        Sweeps that will be kept.
    link : function
        From rates to E[V].
    is_whole : bool
        Whether E[V] is kept.
    scaled : str
        The factors that have scales: "", "W", "H" or "WH".
    """

    def __init__(self, shape: tuple[int, int], K: int, n_samples: int, link: Link, is_whole: bool, scaled: str = ""):
        (F, N), self._link, self.is_whole = shape, link, is_whole
        self._n_samples, most = n_samples, WHOLE if is_whole else DRAWS
        self._looks = min(n_samples, most)
        self._count, self._seen = np.zeros((), int), np.zeros((), int)
        sizes = {"W": (F, K), "H": (N, K)}
        self._sums = {name: np.zeros(size) for name, size in sizes.items()}
        self._sums |= {f"log {name}": np.zeros(size) for name, size in sizes.items()}
        self._priors = {name: np.zeros(K) for name in ("shape W", "mean W", "shape H", "mean H")}
        self._priors |= {f"shape of scales {factor}": np.zeros(1) for factor in scaled}
        self._scales = {factor: np.zeros((sizes[factor][0], 1)) for factor in scaled}
        self._sum_of_V = np.zeros(shape if is_whole else (0, 0))
        places = 0 if is_whole else self._looks
        self._W = np.zeros((places, F, K), np.float32)
        self._H = np.zeros((places, K, N), np.float32)

    @property
    def sweeps(self) -> int:
        """How many sweeps have been added."""
        return int(self._count)

    @property
    def can_predict(self) -> bool:
        """Whether any sweep has been added to E[V]."""
        return bool(self._seen)

    @property
    def has_expectation(self) -> bool:
        """Whether there is a mean of the whole E[V]."""
        return self.is_whole and self.can_predict

    def add(self, chain, number: int) -> None:
        """Add the state of a chain after its kept sweep `number`, from 1 on."""
        self._count += 1
        for name, mean, table in zip("WH", chain.means, (chain.W, chain.H), strict=True):
            self._sums[name] += mean
            self._sums[f"log {name}"] += np.log(table[:, : chain.K])
        for factor, prior in zip("WH", chain.priors, strict=True):
            for part, numbers in prior.new_row_prior().items():
                self._priors[f"{part} {factor}"] += np.log(numbers)
            if prior.scales is not None:
                self._scales[factor] -= prior.scales.log
        before = (number - 1) * self._looks // self._n_samples
        if number * self._looks // self._n_samples == before:
            return
        if self.is_whole:
            self._sum_of_V += self._link(chain.W @ chain.H.T)
        else:
            index = int(self._seen)
            self._W[index], self._H[index] = chain.factors()[:2]
        self._seen += 1

    def factors(self) -> Factors:
        """Return the means of E[W | sources] and E[H | sources]."""
        return Factors(self._sums["W"] / self._count, self._sums["H"].T / self._count)

    def geometric_means(self) -> tuple[np.ndarray, np.ndarray]:
        """Return exp of the means of log W (F, K) and log H (K, N)."""
        means = (np.exp(self._sums[f"log {name}"] / self._count) for name in "WH")
        W, H = (np.maximum(table, FLOOR) for table in means)
        return W, H.T.copy()

    def priors(self) -> dict[str, np.ndarray]:
        """Return exp of the means of log shapes and log means of a new row's or column's prior, (K,) each."""
        return {name: np.exp(total / self._count) for name, total in self._priors.items()}

    def scales(self) -> dict[str, np.ndarray]:
        """Return exp of the means of -log x, (size,), by the name of the factor."""
        return {factor: np.exp(total[:, 0] / self._count) for factor, total in self._scales.items()}

    def expectation(self) -> np.ndarray:
        """Return the mean of E[V]."""
        return self._sum_of_V / self._seen

    def kept_factors(self) -> tuple[np.ndarray, np.ndarray]:
        """Return W (draws, F, K) and H (draws, K, N) of the sweeps that E[V] is averaged over."""
        return self._W[: int(self._seen)], self._H[: int(self._seen)]

    def predict(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Return the mean of E[v] of single entries, index arrays of one shape."""
        if self.is_whole:
            return self._sum_of_V[rows, columns] / self._seen
        return mean_at(*self.kept_factors(), rows, columns, self._link)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all that changes, by name; writing to them sets the state."""
        sums = {f"sum of {name}": table for name, table in self._sums.items()}
        counters = {"kept": self._count, "seen": self._seen, "sum of E[V]": self._sum_of_V}
        sums |= {f"sum of log {name}": table for name, table in self._priors.items()}
        sums |= {f"sum of log scales {factor}": table for factor, table in self._scales.items()}
        return counters | sums | {"kept W": self._W, "kept H": self._H}


def mean_at(W: np.ndarray, H: np.ndarray, rows: np.ndarray, columns: np.ndarray, link: Link) -> np.ndarray:
    """Return E[v] of single entries, averaged over the draws W (S, F, K), H (S, K, N)."""
    return sum(link(rates_at(w, h, rows, columns)) for w, h in zip(W, H, strict=True)) / len(W)
