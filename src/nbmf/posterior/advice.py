"""What to do about chains that have not converged, in words."""

import numpy as np
import pandas as pd

from nbmf.errors import Message, Setting
from nbmf.posterior.chain_records import ChainRecords
from nbmf.posterior.diagnostics import ESS_LIMIT, MIN_CHAINS, MIN_DRAWS, R_HAT_LIMIT, chain_diagnostics

STILL_MOVING = 1.05  # R-hat between the halves of one chain from which on it has not arrived
STUCK = 1.2  # R-hat from which on chains that have arrived are in places of their own, rather than slow


def convergence_advice(chains: ChainRecords) -> Message:
    """Return what to do about chains that have not converged; empty if they have."""
    n_chains = len(chains.estimators)
    if chains.converged:
        return Message()
    if n_chains < MIN_CHAINS:
        return Message(f"a single run of {chains.name} cannot show what another would: take 4 chains")
    if not chains.sampled:
        return Message(
            f"{n_chains} starts of {chains.name} end in different places, {say_losses(chains.losses)} nats per entry: "
            "take .best, or more starts"
        )
    return _sampler_advice(chains, n_chains)


def say_losses(losses: np.ndarray) -> str:
    """Return from where to where losses go, in words: places that differ may be as good as each other."""
    lowest, highest = f"{losses.min():.4f}", f"{losses.max():.4f}"
    return f"all with a loss of {lowest}" if lowest == highest else f"with losses from {lowest} to {highest}"


def _worst_quantity(chains: ChainRecords) -> pd.Series:
    """Return the row of `diagnostics` with the largest R-hat of those that have not converged."""
    table = _not_converged(chains)
    return table.loc[table["r_hat"].fillna(np.inf).idxmax()]


def _slowest_quantity(chains: ChainRecords) -> pd.Series:
    """Return the row of `diagnostics` with the smallest effective sample size of those that have not converged."""
    table = _not_converged(chains)
    return table.loc[table["ess_bulk"].fillna(np.inf).idxmin()]


def times_longer(chains: ChainRecords) -> int:
    """Return how many times as many draws the slowest quantity needs, from 2 to 10."""
    needed = ESS_LIMIT * len(chains.estimators) / _slowest_quantity(chains)["ess_bulk"]
    return int(np.clip(np.ceil(np.nan_to_num(needed)), 2, 10))


def what_differs(chains: ChainRecords) -> str:
    """Return which quantities have the largest R-hat and the smallest effective sample size, and what is allowed."""
    worst, slowest = _worst_quantity(chains), _slowest_quantity(chains)
    text = f"{worst['quantity']} has R-hat {worst['r_hat']:.3f} and an effective sample size of {worst['ess_bulk']:.0f}"
    if f"{slowest['ess_bulk']:.0f}" != f"{worst['ess_bulk']:.0f}":
        text += f", {slowest['quantity']} one of {slowest['ess_bulk']:.0f}"
    return f"{text}; converged is below {R_HAT_LIMIT} and above {ESS_LIMIT * len(chains.estimators)}"


def _not_converged(chains: ChainRecords) -> pd.DataFrame:
    return chains.diagnostics[~chains.diagnostics["converged"]]


def _sampler_advice(chains: ChainRecords, n_chains: int) -> Message:
    first, worst = chains.estimators[0], _worst_quantity(chains)
    values = next(q.values for q in chains.quantities() if q.name == worst["quantity"])
    if values.shape[1] < MIN_DRAWS:
        return Message(
            Setting("n_samples", first.n_samples),
            f" of {chains.name} is too few to tell whether {n_chains} chains have converged: try ",
            Setting("n_samples", 1000),
        )
    opening = f"{n_chains} chains of {chains.name} have not converged: "
    instead = Message("use .expectation, the mean over chains, and .best for pictures")
    if first.advice_if_stuck:
        instead = Message(instead, ", or try ", first.advice_if_stuck)
    if np.isnan(worst["r_hat"]):
        still = f"{worst['quantity']} stands still in a chain, and not at the same value in all: "
        return Message(opening, still, instead)
    text = f"{opening}{what_differs(chains)}. "
    more = Setting("n_samples", times_longer(chains) * first.n_samples)
    if worst["r_hat"] < STILL_MOVING:
        return Message(text, "They agree but move slowly: try ", more)
    if _r_hat_between_halves(values) >= STILL_MOVING:
        longer = Setting("burn_in", 2 * first.n_iterations), " and ", more
        return Message(text, "They are still on their way, or move slowly: try ", *longer, "; or ", instead)
    if worst["r_hat"] < STUCK:
        return Message(text, "They differ little and move slowly: try ", more, "; or ", instead)
    return Message(text, "Each chain stays in its own mode, so longer chains hardly help: ", instead)


def _r_hat_between_halves(values: np.ndarray) -> float:
    """Return the median over chains of R-hat between the halves of one; inf where none is known."""
    length = values.shape[1] // 2
    halves = [np.array([chain[:length], chain[-length:]]) for chain in values]
    known = [x for x in (chain_diagnostics(two).r_hat for two in halves) if not np.isnan(x)]
    return float(np.median(known)) if known else np.inf
