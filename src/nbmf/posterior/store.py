"""Draws of factors as they come: in single precision, of any number of components, in a budget."""

from collections.abc import Iterator

import numpy as np

from nbmf.errors import ConfigError, Setting
from nbmf.inference import parameters
from nbmf.inference.estimator import Factorization
from nbmf.inference.state import Factors, State
from nbmf.seeds import child

BYTES = 4  # of a float32
OTHER = "draws of other "  # begins the names of their arrays


def kept_sweeps(estimator: Factorization, count: int) -> list[int]:
    """Return `count` evenly spaced sweeps after the burn-in, the last sweep among them.

    Raises
    ------
    ConfigError
        If there are fewer.
    """
    if count > estimator.n_samples:
        raise ConfigError(
            Setting("n_draws", count),
            f": {type(estimator).__name__} keeps ",
            Setting("n_samples", estimator.n_samples),
            f" sweeps; allowed: 1 to {estimator.n_samples}",
        )
    return [estimator.burn_in + number * estimator.n_samples // count for number in range(1, count + 1)]


def refuse_without_posterior(estimator: Factorization) -> None:
    """Raise ConfigError if there is nothing to draw from."""
    if not estimator.has_posterior:
        raise ConfigError(
            f"{type(estimator).__name__} has no posterior distribution to draw from: it is a point "
            "estimate; samplers and variational methods have one"
        )


class DrawStore:
    """Draws of one chain, in the order in which they were taken.

    Parameters
    ----------
    estimator : Factorization
        Its random_state is the source of the draws' own random numbers.
    max_memory_gb : float
        Of all factors together. It matters where K changes along the chain, or where a model has
        more than W and H: nobody knows before the fit what its draws will take.

    Attributes
    ----------
    factors : list of Factors
        float32 arrays W (F, K), H (K, N), and whatever else the family's factors have.
    """

    def __init__(self, estimator: Factorization, max_memory_gb: float):
        self._name, self._seed = type(estimator).__name__, estimator._seed()
        self._max_memory_gb, self._bytes = max_memory_gb, 0
        self.factors: list[Factors] = []

    def draw(self, number: int, state: State) -> None:
        """Draw the factors from the state as draw `number`.

        Raises
        ------
        ConfigError
            If they exceed the memory.
        """
        if not self._take(state.draw(np.random.default_rng(child(self._seed, "draw", number)))):
            raise ConfigError(
                f"draw {number + 1} of {self._name} does not fit into ",
                Setting("max_memory_gb", self._max_memory_gb),
                " any more: its components have become too many, or it has more than W and H; take ",
                *_limit_words({"n_draws": number}),
            )

    def take_means(self, number: int, state: State) -> None:
        """Take the factors given the current assignments instead of a draw, if they fit."""
        self._take(state.factors())

    def _take(self, factors: Factors) -> bool:
        """Append the factors in single precision; return False if the memory is used up."""
        others = {name: _single(array) for name, array in factors.others.items()}
        single = Factors(_single(factors.W), _single(factors.H), others)
        if self._bytes + _bytes_of(single) > self._max_memory_gb * 1e9 * (1 + 1e-9):
            return False
        self._bytes += _bytes_of(single)
        self.factors.append(single)
        return True

    def snapshot(self) -> dict[str, np.ndarray]:
        """Return the draws so far as arrays, components of all of them side by side."""
        drawn = self.factors
        arrays = {"draws": np.array([factors.W.shape[1] for factors in drawn], int)}
        if drawn:
            arrays["draws of W"] = np.concatenate([factors.W for factors in drawn], axis=1)
            arrays["draws of H"] = np.concatenate([factors.H for factors in drawn], axis=0)
            for name in drawn[0].others:
                arrays |= _pack(OTHER + name, [factors.others[name] for factors in drawn])
        return arrays

    def restore(self, snapshot: dict[str, np.ndarray]) -> None:
        """Take over a snapshot; KeyError if it has no draws."""
        sizes = snapshot["draws"]
        self.factors = []
        if sizes.size:
            ends = np.cumsum(sizes)[:-1]
            W = np.split(snapshot["draws of W"], ends, axis=1)
            H = np.split(snapshot["draws of H"], ends, axis=0)
            shapes = " shapes"
            names = [name.removesuffix(shapes) for name in snapshot if name.startswith(OTHER) and name.endswith(shapes)]
            others = {name.removeprefix(OTHER): _unpack(snapshot[name], snapshot[name + shapes]) for name in names}
            for s, (w, h) in enumerate(zip(W, H, strict=True)):
                more = {name: arrays[s] for name, arrays in others.items()}
                self.factors.append(Factors(w.copy(), h.copy(), more))
        self._bytes = sum(map(_bytes_of, self.factors))


def _bytes_of(factors: Factors) -> int:
    return sum(array.nbytes for array in (factors.W, factors.H, *factors.others.values()))


def _single(array: np.ndarray) -> np.ndarray:
    """Return a copy, of floating-point numbers in single precision."""
    kind = np.float32 if array.dtype.kind == "f" else array.dtype
    return np.array(array, kind, order="C")


def _pack(name: str, arrays: list[np.ndarray]) -> dict[str, np.ndarray]:
    """Return arrays of the same number of axes as one, and their shapes."""
    shapes = np.array([array.shape for array in arrays], int)
    return {
        name: np.concatenate([array.ravel() for array in arrays]),
        f"{name} shapes": shapes.reshape(len(arrays), -1),
    }


def _unpack(flat: np.ndarray, shapes: np.ndarray) -> list[np.ndarray]:
    """Return the arrays that `_pack` has made one."""
    parts = np.split(flat, np.cumsum(shapes.prod(axis=1, dtype=int))[:-1])
    return [part.reshape(shape).copy() for part, shape in zip(parts, shapes, strict=True)]


def draws_that_fit(shape: tuple[int, int], K: int, max_memory_gb: float) -> int:
    """Return how many draws of W and H of an F x N matrix fit into the memory."""
    return int(max_memory_gb * 1e9 // (BYTES * sum(shape) * max(K, 1)))


def refuse_too_much_memory(shape: tuple[int, int], K: int, n_draws: int, max_memory_gb: float, chains: int = 1) -> None:
    """Raise ConfigError, saying what would fit, if the draws of all chains need more memory."""
    parameters.check("max_memory_gb", max_memory_gb)
    if n_draws * chains <= draws_that_fit(shape, K, max_memory_gb):
        return
    most = {
        "n_draws": draws_that_fit(shape, K * chains, max_memory_gb),
        "n_components": draws_that_fit(shape, n_draws * chains, max_memory_gb),
    }
    of_chains = f" of each of {chains} chains" if chains > 1 else ""
    needed = BYTES * sum(shape) * K * n_draws * chains / 1e9
    raise ConfigError(
        Setting("n_draws", n_draws),
        f"{of_chains} with ",
        Setting("n_components", K),
        f" need {needed:.2g} GB, ",
        Setting("max_memory_gb", max_memory_gb),
        ": what fits is ",
        *_limit_words(most),
    )


def _limit_words(most: dict[str, int]) -> Iterator[str | Setting]:
    """Yield the words for what would fit: the largest values that would, or more memory."""
    for name, value in most.items():
        if value:
            yield from (Setting(name), f" up to {value}, or ")
    yield from ("a larger ", Setting("max_memory_gb"))
