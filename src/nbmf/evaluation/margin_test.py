"""Is there structure beyond row and column effects? An exact test with the margins given.

If there is none, and log-odds are a sum of an effect of the row and one of the column, then all
matrices with the same row and column sums, and the same missing entries, are equally likely: the
null model of ecology with fixed margins (Connor and Simberloff 1979; Gotelli 2000), the conditional
test of the Rasch model (Ponocny 2001). The matrix is compared with others that trades make of it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from nbmf.data.matrix import MISSING
from nbmf.data.repeats import one_of_each
from nbmf.data.symmetry import codes_of_ties, is_symmetric
from nbmf.errors import DataError
from nbmf.evaluation.effects import row_and_column_effects
from nbmf.evaluation.margin_trades import swap_edges, trade_many, trade_rows
from nbmf.inference.parameters import check_count
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.numerics.blas import one_blas_thread
from nbmf.numerics.random import generator_states
from nbmf.seeds import seed_sequence

DRAWS = 999
ENOUGH_BEYOND = 60  # draws that are as far from the effects as the matrix: more would change nothing
TRADES = 2  # per row and column, between the matrix and the hub, and the hub and a draw: five give no more power
LONG = 20  # times as many rows as columns, or columns as rows: then trades of the fewer, long lines are enough
SWAPS = 10  # per edge of a network
QUICK = 50_000, 0.01  # observed entries, or seconds of a draw, up to which the test is made with every fit
COST = 1.5e-8, 3e-9, 1e-10  # seconds of a draw per entry, per entry of a line that is dealt, per product of two numbers
SMALL_VARIANCE = 0.05  # added to P (1 - P): else a single entry that is nearly sure decides


class MarginTest(NamedTuple):
    """How far a matrix is from row and column effects, among others with the same margins.

    - p : float, the probability of so much structure if there were none. (1 + beyond) / (1 + draws), or
      beyond / draws where the draws ended early (Besag and Clifford 1991,
      doi:10.1093/biomet/78.2.301)
    - beyond, draws : int, how many matrices have at least as much, of how many that were drawn
    """

    p: float
    beyond: int
    draws: int


def is_quick(shape: tuple[int, int], observed: int) -> bool:
    """Return whether a matrix is small enough for the test to be made with every fit."""
    entries, seconds = QUICK
    return observed <= entries or seconds_of_draw(shape) <= seconds


def seconds_of_draw(shape: tuple[int, int]) -> float:
    """Return what a draw and its structure take, on the machine where that was measured."""
    of_entry, of_trade, of_product = COST
    shorter, longer, both = min(shape), max(shape), sum(shape)
    dealt = TRADES * shorter * longer if is_long(shape) else both**2
    return of_entry * shorter * longer + of_trade * dealt + of_product * shorter**2 * both


def is_long(shape: tuple[int, int]) -> bool:
    """Return whether a matrix has so many more rows than columns, or columns than rows, that the fewer are traded."""
    return max(shape) >= LONG * min(shape)


@one_blas_thread()  # small products: threads would wait for each other
def margin_test(V: Any, *, seed: int = 0, draws: int = DRAWS) -> MarginTest:
    """Test exactly whether a binary matrix has structure beyond effects of its rows and columns.

    Structure is measured by Σ_k s_k⁸ of the singular values s of (V - P) / √(P (1 - P) + .05), with P what row and
    column effects predict and 0 for missing entries: as powerful as the largest singular value where there are two
    groups or one axis, and more powerful where there are several. P depends on the margins alone, so it is the same
    for every draw.

    The draws are exchangeable with the matrix however few the trades are: trades lead from the matrix
    to a hub, and from the hub to every draw (Besag and Clifford 1989, doi:10.1093/biomet/76.4.633). So
    p < α has a probability of at most α if there is nothing beyond the effects. Too few trades, or
    missing entries that block them, cost power alone. Of a matrix with at least 20 times as many rows as columns,
    columns alone are traded, and the other way round: as powerful, in less time. Answers to one question, of
    which each row has one, cannot rise with an effect of the row: such columns are left out or, if these questions are
    more than the other columns, one of each is tested.

    It takes long for a large matrix: `nbmf fit` makes it where it takes seconds.

    Parameters
    ----------
    V : BinaryMatrix, array (F, N) or DataFrame
        1, 0 and missing (NaN or -1). If it equals its transpose, draws do too, and the diagonal is
        left out. A missing entry then has the value of its mirror image, where that is observed.
    seed : int
    draws : int
        The largest number of draws; the test ends with the 60th draw that has as much structure as the matrix.

    Returns
    -------
    MarginTest

    Raises
    ------
    ConfigError
        If `seed` is not an integer of at least 0, or `draws` not one of at least 1.
    DataError
        If V is not binary, or has fewer than two rows or columns to test.
    """
    check_count("seed", seed, 0)
    check_count("draws", draws, 1)
    codes, is_network = columns_to_test(V)
    if min(codes.shape) < 2:
        left_out = "" if codes.shape == BERNOULLI.values_of(V).shape else " without columns that others determine"
        raise DataError(f"a matrix of shape {codes.shape}{left_out}: two rows and two columns are the least")
    (generator,) = generator_states(seed_sequence("margins", seed), 1)
    if is_network:
        codes = codes_of_ties(codes)
    move = mover_of(codes, is_network)
    structure = _Structure(codes)
    least = structure.measure(codes)
    least -= 1e-9 * abs(least)  # equal matrices count, whatever the order of sums
    hub = codes.copy()
    move(hub, generator)
    beyond = 0
    for count in range(1, draws + 1):
        drawn = hub.copy()
        move(drawn, generator)
        beyond += structure.measure(drawn) >= least
        if beyond == ENOUGH_BEYOND:
            return MarginTest(beyond / count, beyond, count)
    return MarginTest((1 + beyond) / (1 + draws), beyond, draws)


def mover_of(codes: np.ndarray, is_network: bool) -> Callable[[np.ndarray, np.ndarray], None]:
    """Return the function that leads from a matrix to another one with the same margins, in place, by a generator."""
    if is_network:
        edges = int(np.count_nonzero(codes == 1) // 2)
        return lambda held, generator: swap_edges(held, SWAPS * edges, generator)
    fewer = min(codes.shape)
    if not is_long(codes.shape):
        return lambda held, generator: trade_many(held, TRADES * sum(codes.shape), generator)
    has_few_rows = fewer == codes.shape[0]
    return lambda held, generator: trade_rows(held if has_few_rows else held.T, TRADES * fewer, generator)


def columns_to_test(V: Any) -> tuple[np.ndarray, bool]:
    """Return the codes that are tested, int8 array, see `one_of_each`, and whether they are an undirected network."""
    codes = np.array(BERNOULLI.values_of(V), np.int8)
    is_network = is_symmetric(codes, codes != MISSING)
    return codes if is_network else one_of_each(codes), is_network


class _Structure:
    """Measures how far matrices with the same margins are from row and column effects."""

    def __init__(self, codes: np.ndarray):
        observed = codes != MISSING
        self._P = row_and_column_effects(codes)
        self._weights = observed / np.sqrt(self._P * (1 - self._P) + SMALL_VARIANCE)

    def measure(self, codes: np.ndarray) -> float:
        """Return Σ_k s_k⁸, the sum of squares of (R R')²."""
        R = (codes - self._P) * self._weights
        gram = R @ R.T if len(R) <= R.shape[1] else R.T @ R
        return float(np.square(gram @ gram).sum())
