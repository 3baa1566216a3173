"""Do block moves help? Chains from different starts in the same time, with them and without."""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from common import SEED, Table, number, say
from nbmf.families.beta_dirichlet.beta_dirichlet_priors import BetaPrior, DirichletPrior
from nbmf.families.beta_dirichlet.kernels.beta_dir_gibbs import BetaDirChain
from nbmf.families.beta_dirichlet.prior_learners import SliceLearner
from nbmf.posterior.diagnostics import chain_diagnostics
from nbmf.seeds import child, seed_sequence

DATASETS = ("animals", "parliament", "paleo")
CASES = (("Beta-Dir", False), ("Beta-Dir", True), ("Dir-Beta", False), ("Dir-Beta", True))
STARTS = (100, 1, 5, 20)  # how many components, at random, the four chains start with
ENTRIES = 20
SHARES = 3
WAYS = {"plain": False, "block moves": True}


class Budget(NamedTuple):
    """How long chains are: the time that so many plain sweeps take, in so many draws."""

    sweeps: int = 5000
    draws: int = 500


class Run:
    """A chain with its priors, fixed or learned.

    Parameters
    ----------
    model : {"Beta-Dir", "Dir-Beta"}
    codes : int8 array (F, N)
    K : int
    learned : bool
        Whether the priors are; otherwise they are the paper's.
    start : int
        With how many components it begins.
    """

    def __init__(self, model, codes, K, learned, start, **options):
        seed = child(SEED, model, start)
        codes = np.ascontiguousarray(codes.T) if model == "Dir-Beta" else codes
        rng = np.random.default_rng(child(seed, "start"))
        Z = np.where(codes >= 0, rng.integers(min(start, K), size=codes.shape), -1)
        gamma = DirichletPrior("gamma", "learn" if learned else "1/K", K)
        of_H = BetaPrior(*(("learn", "learn") if learned else (1.0, 1.0)), codes, K)
        priors = of_H.tables() | {"gamma": gamma.value}
        self.chain = BetaDirChain(codes, K, **priors, seed=seed, Z=Z, **options)
        self.learner = SliceLearner(self.chain, of_H, {"L": gamma}, seed)
        self.gamma, self.sweeps = gamma, 0
        observed = np.argwhere(codes >= 0)
        chosen = np.random.default_rng(seed_sequence("entries")).choice(len(observed), ENTRIES)
        self._entries = observed[chosen].T

    def sweep(self, n_sweeps: int) -> None:
        """Sweep, and renew the priors every fifty sweeps, if they are learned."""
        while n_sweeps:
            steps = min(n_sweeps, self.learner.every - self.sweeps % self.learner.every)
            self.chain.sweep(steps)
            n_sweeps, self.sweeps = n_sweeps - steps, self.sweeps + steps
            if self.learner.learns and self.sweeps % self.learner.every == 0:
                self.learner.renew(self.sweeps)

    def quantities(self) -> np.ndarray:
        """Return the log joint, the largest shares, and E[V | Z] of the entries."""
        L = self.chain.row_counts()
        shares = np.sort(L.sum(axis=0))[::-1][:SHARES] / L.sum()
        rows, columns = self._entries
        W = self.gamma.value + L[rows]
        W /= W.sum(axis=1, keepdims=True)
        H = self.chain.undo_columns(self.chain.expected_H(slice(None)))[:, columns]
        return np.concatenate([[self.chain.log_joint()], shares, (W * H.T).sum(axis=1)])


def timed(run: Run, seconds: float, draws: int) -> tuple[np.ndarray, int]:
    """Sweep for so much processor time; return `draws` draws of the quantities, and all sweeps."""
    times, found, spent = [], [], 0.0
    step = 1
    while spent < seconds:
        started = time.process_time()
        run.sweep(step)
        spent += time.process_time() - started
        times.append(spent)
        found.append(run.quantities())
        step = max(1, round(run.sweeps / spent * seconds / draws))
    at = np.searchsorted(times, np.linspace(0, times[-1], draws + 1)[1:]).clip(max=len(times) - 1)
    return np.array(found)[at], run.sweeps


def compare(make: Callable[..., Run], K: int, budget: Budget) -> dict[str, tuple]:
    """Return for each way the draws (chains, draws, quantities), seconds a chain, and sweeps.

    `make` takes how many components a chain starts with, and `block_moves`.
    """
    for way in WAYS.values():
        make(2, block_moves=way).sweep(60)  # compiles
    yardstick = make(K, block_moves=False)
    started = time.process_time()
    yardstick.sweep(budget.sweeps)
    seconds = time.process_time() - started
    found = {name: [] for name in WAYS}
    for start in STARTS:
        for name, way in WAYS.items():
            found[name].append(timed(make(start, block_moves=way), seconds, budget.draws))
    return {
        name: (np.stack([draws for draws, _ in of]), seconds, sum(n for _, n in of) // len(of))
        for name, of in found.items()
    }


def row_of(draws: np.ndarray, seconds: float) -> list[str]:
    """Return R-hat and effective draws per second from the second half of all chains."""
    kept = draws[:, draws.shape[1] // 2 :]
    found = [chain_diagnostics(kept[:, :, q]) for q in range(kept.shape[2])]
    r_hat = np.array([each.r_hat for each in found])
    ess = np.array([each.ess_bulk for each in found]) / (seconds / 2 * len(draws))
    of_entries = slice(1 + SHARES, None)
    return [
        number(r_hat[0], 4),
        " ".join(number(x, 3) for x in r_hat[1 : 1 + SHARES]),
        f"{number(np.median(r_hat[of_entries]), 3)}, {number(r_hat[of_entries].max(), 3)}",
        number(ess[0]),
        " ".join(number(x) for x in ess[1 : 1 + SHARES]),
        f"{number(np.median(ess[of_entries]))}, {number(ess[of_entries].min())}",
    ]


def blocks_table(datasets: dict[str, np.ndarray], cases, K: int, budget: Budget) -> Table:
    """Compare chains with block moves and without on whole matrices.

    Parameters
    ----------
    datasets : dict of int8 arrays (F, N)
    cases : sequence of (model, learned)
        As Run takes them.
    """
    table = Table(
        "Block moves",
        f"{len(STARTS)} chains, K = {K}, whole matrices, one thread; they start with "
        f"{', '.join(map(str, STARTS))} components at random. Each takes the processor time of "
        f"{budget.sweeps} plain sweeps, half of it thrown away. R-hat and effective "
        "draws (of all chains, per second of sampling) of the log joint, of the three largest "
        f"shares, and of E[V | Z] of {ENTRIES} entries: median and worst. Paper's priors: "
        "α = β = 1, γ = 1/K.",
        [
            "dataset",
            "model",
            "priors",
            "way",
            "seconds",
            "sweeps",
            "R-hat, log joint",
            "shares",
            "E[V]",
            "ESS per second, log joint",
            "shares",
            "E[V]",
        ],
    )
    for dataset, codes in datasets.items():
        for model, learned in cases:
            say(f"block moves: {dataset}, {model}{', learned' if learned else ''}")

            def make(start, *, model=model, learned=learned, codes=codes, **options):
                return Run(model, codes, K, learned, start, **options)

            for way, (draws, seconds, sweeps) in compare(make, K, budget).items():
                table.rows.append(
                    [
                        dataset,
                        model,
                        "learned" if learned else "the paper's",
                        way,
                        number(seconds),
                        sweeps,
                        *row_of(draws, seconds),
                    ]
                )
    return table
