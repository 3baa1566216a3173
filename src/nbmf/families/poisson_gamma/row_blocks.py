"""Variational Bayes of one matrix in blocks of rows, each passed over by a process or a machine of its own.

Given q(H), the rows of a block need no others; what an update of q(H) needs of the rows are sums over them, Σ_f of
ratios times L_W, Σ_f m_fn E[w_fk], and for learned numbers of W's prior those of E[w] and E[log w]. So a round is

1. `pass_block` of each block: q of its rows given q(H), and its sums;
2. `combine`: the sums added, then q(H) and the learned numbers,

which is an update of the fit to the whole matrix (nbmf.families.poisson_gamma.poisson_gamma_variational), up to the
rounding of sums. Before the first round `count_block` counts each block and `begin` combines these counts; at the end
`block_model` makes each block a fitted model. All of them return arrays by name, which `write` and `read` keep as
files; workflow/row_blocks has the jobs.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from nbmf.errors import ConfigError, DataError, Setting
from nbmf.families.poisson_gamma.gamma_priors import ALL, FIXED, SOURCE, GammaPrior
from nbmf.families.poisson_gamma.kernels.sources import FLOOR
from nbmf.families.poisson_gamma.observations import Observations
from nbmf.families.poisson_gamma.poisson_gamma_estimator import START_SHAPE
from nbmf.families.poisson_gamma.poisson_gamma_inference import LEARN_AFTER, Variational
from nbmf.families.poisson_gamma.poisson_gamma_variational import FactorPosterior, VariationalState
from nbmf.files import atomic_path, read_arrays
from nbmf.inference.state import put_back

Arrays = dict[str, np.ndarray]
ROWS_AT_ONCE = 2**16  # of a start that are drawn at a time


class Whole(NamedTuple):
    """What priors and starts need to know of the whole matrix, as of Observations.

    shape : (F, N)
    total : float, the sum of all counts
    n_observed : int
    column_totals, observed_of_columns : float arrays (N,)
    is_binary : bool, the link
    """

    shape: tuple[int, int]
    total: float
    n_observed: int
    column_totals: np.ndarray
    observed_of_columns: np.ndarray
    is_binary: bool

    mean_rate = Observations.mean_rate

    @property
    def mean_entry(self) -> float:
        """The mean of an entry, never 0."""
        return (self.total + 0.5) / (self.n_observed + 1.0)

    def popularities(self, totals: np.ndarray, observed: np.ndarray) -> np.ndarray:
        """Return totals of rows or columns over those that average ones would have, (n, 1)."""
        return ((totals + 1.0) / (self.mean_entry * observed + 1.0))[:, None]


def check(model: Variational) -> None:
    """Raise ConfigError if the model cannot be fitted in blocks."""
    model.check_parameters()
    if model.random_state is None:
        raise ConfigError(Setting("random_state", None), ": blocks draw from one stream; allowed: an integer")
    for part, tie in zip(("shape", "mean"), model._ties("W"), strict=True):
        if tie not in (FIXED, ALL, SOURCE):
            raise ConfigError(
                Setting(f"tie_{part}_W", tie), f": rows of other blocks share it; allowed: {FIXED}, {ALL} and {SOURCE}"
            )
    if "W" in model._scaled and model.shape_scales is None and model._ties("W").learns:
        raise ConfigError(
            Setting("shape_scales", None),
            " with scales of rows: next to a prior of W that is learned, allowed in blocks: a number",
        )


def count_block(model: Variational, V: Any) -> Arrays:
    """Return what `begin` has to know of a block, V (rows, N) as for `fit`."""
    data = _observations(model, V)
    rows, N = data.shape
    observed = np.broadcast_to(data.exposure.of_columns(np.ones((rows, 1))), (N, 1))[:, 0]
    return {
        "rows": np.array(rows),
        "total": np.array(data.total),
        "observed": np.array(data.n_observed),
        "totals of columns": data.column_totals(),
        "observed of columns": observed.copy(),
    }


def begin(model: Variational, counts: Sequence[Arrays]) -> Arrays:
    """Return the state of the columns before the first round, given the counts of all blocks in their order.

    Raises
    ------
    ConfigError
        If the model cannot be fitted in blocks.
    DataError
        If the blocks have not the same number of columns.
    """
    check(model)
    if len(widths := {len(each["totals of columns"]) for each in counts}) != 1:
        raise DataError(f"blocks of one matrix have the same columns; these have {', '.join(map(str, sorted(widths)))}")
    sums = {name: sum(each[name] for each in counts) for name in counts[0]}
    first = np.cumsum([0, *(int(each["rows"]) for each in counts)])
    state = {"round": np.array(0), "first rows": first} | {f"sum of {name}": np.asarray(x) for name, x in sums.items()}
    whole, rng, K = _whole(model, state), np.random.default_rng(model._seed()), model.n_components
    means = model._means(whole)
    _skip(rng, means[0], int(first[-1]) * K)
    start = _draw(rng, means[1], (whole.shape[1], K))
    if "H" in model._scaled:
        start = np.maximum(start * whole.popularities(whole.column_totals, whole.observed_of_columns), FLOOR)
    of_W, of_H = _priors(model, whole)
    return state | _arrays_of_prior(of_W) | _arrays_of(FactorPosterior(of_H, start, _dtype(model)), "H")


def pass_block(
    model: Variational, V: Any, columns: Arrays, number: int, block: Arrays | None = None, *, bound: bool = False
) -> tuple[Arrays, Arrays]:
    """Update the rows of a block once.

    Parameters
    ----------
    model : BernoulliPoissonVB, PoissonGammaVB
        With the same parameters in each call.
    V : matrix (rows, N), as for `fit`
        The block.
    columns : arrays
        Of `begin` or `combine`.
    number : int
        Which block it is, from 0.
    block : arrays or None
        What the call of the previous round returned; None in the first round.
    bound : bool
        Whether the sums have the bound of before this update, which takes about half as long again.

    Returns
    -------
    block, sums : arrays
        The block for the next round, and what `combine` takes.
    """
    data, whole = _observations(model, V), _whole(model, columns)
    first, K = columns["first rows"], model.n_components
    if data.shape != (int(first[number + 1] - first[number]), whole.shape[1]):
        raise DataError(f"block {number} has shape {data.shape}, which it had not when it was counted")
    H = _posterior(model, _priors(model, whole)[1], columns, "H")
    of_W = _prior_of_rows(model, whole, columns, data.shape[0])
    if block is None:
        W = FactorPosterior(of_W, _start(model, data, columns, number), _dtype(model), model.threads)
    else:
        W = _posterior(model, of_W, block, "W")
    sums = {}
    if bound:
        expected = float((W.E * data.exposure.of_rows(H.E)).sum())
        sums["bound"] = np.array(data.log_terms(W.L, H.L) - expected - W.divergence())
    data.pass_both(W.L, H.L, W.S, H.S)
    W.update(data.exposure.of_rows(H.E))
    sums |= {"sources": H.S, "exposure": data.exposure.of_columns(W.E), "rows": np.array(data.shape[0])}
    scales = of_W.scales
    x, log_x = (1.0, 0.0) if scales is None else (scales.value, scales.log)
    if of_W.ties.learns:
        sums |= {"W": (W.E[:, :K] * x).sum(axis=0, dtype=np.float64), "log W": (W.log_L + log_x).sum(axis=0)}
    if scales is not None and scales.prior.ties.learns:
        sums |= {"x": x.sum(axis=0), "log x": log_x.sum(axis=0)}
    return _arrays_of(W, "W"), sums


def combine(model: Variational, columns: Arrays, sums: Sequence[Arrays]) -> Arrays:
    """Return the state of the columns after a round, given the sums of all blocks."""
    whole = _whole(model, columns)
    of_W, of_H = _priors(model, whole)
    H = _posterior(model, of_H, columns, "H")
    put_back(_arrays_of_prior(of_W), columns)
    total = {name: sum(each[name] for each in sums) for name in sums[0]}
    if int(total["rows"]) != whole.shape[0]:
        raise DataError(f"the sums are of {int(total['rows'])} rows, and the matrix has {whole.shape[0]}")
    state = {name: array for name, array in columns.items() if name != "bound"}
    state["round"] = columns["round"] + 1
    if "bound" in total:
        state["bound"] = total["bound"] - H.divergence()
    H.S[:] = total["sources"]
    H.update(total["exposure"])
    if int(state["round"]) > min(LEARN_AFTER, model.max_iter // 2):
        _renew_of_rows(of_W, total, whole.shape[0])
        H.renew()
    return state | _arrays_of_prior(of_W) | _arrays_of(H, "H")


def block_model(model: Variational, columns: Arrays, number: int, block: Arrays) -> Variational:
    """Return a fitted model of the rows of a block, with all columns; its objective is the last bound, or None."""
    whole = _whole(model, columns)
    rows = int(np.diff(columns["first rows"])[number])
    W = _posterior(model, _prior_of_rows(model, whole, columns, rows), block, "W")
    H = _posterior(model, _priors(model, whole)[1], columns, "H")
    made = type(model)(**model.get_params())
    made._learn(VariationalState(None, W, H, model._link, False, 0))
    made.active_components_ = made.count_active(made.factors_)
    made.n_iter_, made.converged_ = int(columns["round"]), None
    made.objective_ = float(columns["bound"]) if "bound" in columns else None
    made.objective_of_one_ = made.row_names_ = made.column_names_ = None
    return made


def write(path: str | os.PathLike, arrays: Arrays) -> None:
    """Write arrays to an NPZ file, whole or not at all."""
    with atomic_path(path) as temporary, open(temporary, "wb") as file:
        np.savez(file, **arrays)


def read(path: str | os.PathLike) -> Arrays:
    """Read what `write` wrote."""
    return read_arrays(path, "row block")


# --- Parts ----------------------------------------------------------------------------------------


def _observations(model: Variational, V: Any) -> Observations:
    return Observations(model.values_of(V), model.is_binary, model.threads)


def _dtype(model: Variational) -> type:
    return np.float32 if model.precision == "single" else np.float64


def _whole(model: Variational, state: Arrays) -> Whole:
    totals, observed = (state[f"sum of {what} of columns"] for what in ("totals", "observed"))
    shape = int(state["first rows"][-1]), len(totals)
    numbers = float(state["sum of total"]), int(state["sum of observed"])
    return Whole(shape, *numbers, totals, observed, model.is_binary)


def _priors(model: Variational, whole: Whole) -> tuple[GammaPrior, GammaPrior]:
    """Return the priors of one row, whose learned numbers all rows share, and of the columns."""
    return model._priors(whole._replace(shape=(1, whole.shape[1])))


def _prior_of_rows(model: Variational, whole: Whole, columns: Arrays, rows: int) -> GammaPrior:
    """Return the prior of the rows of a block, with the numbers learned so far."""
    prior = model._priors(whole._replace(shape=(rows, whole.shape[1])))[0]
    put_back(_arrays_of_prior(prior), columns)
    return prior


def _arrays_of_prior(of_W: GammaPrior) -> Arrays:
    """Return what all rows share of the prior of W; writing to the arrays sets it."""
    arrays = {"shape of W": of_W.shape, "mean of W": of_W.mean}
    return arrays if of_W.scales is None else arrays | {"shape of scales": of_W.scales.prior.shape}


def _arrays_of(factor: FactorPosterior, name: str) -> Arrays:
    """Return all that changes of a factor; writing to the arrays sets it."""
    arrays = {"E": factor.E, "L": factor.L, "alpha": factor.alpha, "scale": factor.scale}
    if name == "H":
        arrays |= factor.prior.arrays()
    return {f"{part} of q({name})": array for part, array in arrays.items()}


def _posterior(model: Variational, prior: GammaPrior, arrays: Arrays, name: str) -> FactorPosterior:
    """Return a factor as its arrays say; scales follow from it and its prior."""
    factor = FactorPosterior(prior, np.ones(prior.size), _dtype(model), model.threads)
    put_back(_arrays_of(factor, name), arrays)
    factor._renew_scales()
    return factor


def _renew_of_rows(of_W: GammaPrior, total: Arrays, rows: int) -> None:
    """Renew what all rows share of the prior of W: means over rows are what the bound needs of them."""
    if of_W.ties.learns:
        of_W.renew(total["W"][None] / rows, total["log W"][None] / rows)
    if of_W.scales is not None and of_W.scales.prior.ties.learns:
        of_W.scales.prior.renew(total["x"][None] / rows, total["log x"][None] / rows)


def _draw(rng: np.random.Generator, mean: float, size: tuple[int, int] | int) -> np.ndarray:
    return np.maximum(rng.gamma(START_SHAPE, mean / START_SHAPE, size), FLOOR)


def _skip(rng: np.random.Generator, mean: float, numbers: int) -> None:
    """Draw numbers of rows before those that are wanted, as one fit does."""
    for first in range(0, numbers, ROWS_AT_ONCE):
        _draw(rng, mean, min(ROWS_AT_ONCE, numbers - first))


def _start(model: Variational, data: Observations, columns: Arrays, number: int) -> np.ndarray:
    """Return the rows of a block of the start that the fit to the whole matrix has, (rows, K)."""
    whole, rng, K = _whole(model, columns), np.random.default_rng(model._seed()), model.n_components
    mean = model._means(whole)[0]
    _skip(rng, mean, int(columns["first rows"][number]) * K)
    start = _draw(rng, mean, (data.shape[0], K))
    if "W" not in model._scaled:
        return start
    observed = np.broadcast_to(data.exposure.of_rows(np.ones((data.shape[1], 1))), (data.shape[0], 1))[:, 0]
    return np.maximum(start * whole.popularities(data.row_totals(), observed), FLOOR)
