"""Effective samples per second of the log joint: a fast sweep that does not mix is not fast."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from arviz_stats.base import array_stats

import blocks
from common import SEED, Table, load, number, say
from nbmf.families.beta_dirichlet.kernels.beta_dir_gibbs import BetaDirChain
from nbmf.families.beta_dirichlet.kernels.dir_dir_gibbs import DirDirChain
from nbmf.posterior.diagnostics import chain_diagnostics, have_converged
from nbmf.seeds import children
from plain_loops import PlainBetaDir, PlainDirDir
from scaling import ALWAYS_DENSE, NEVER_DENSE

DATASETS = ("animals", "parliament")
PLAIN_ON = ("animals",)  # elsewhere the plain loops would take most of a benchmark's time
SLOW = ("alternating", "plain loop", "plain loop, alternating")  # make half as many draws


class Length(NamedTuple):
    """How long chains are: their number, sweeps of burn-in, draws, and sweeps from draw to draw."""

    chains: int = 4
    burn_in: int = 4000
    draws: int = 1000
    thin: int = 4


def variants_of(codes: np.ndarray, K: int, plain: bool) -> dict[str, dict[str, Callable]]:
    """Return, per model, the makers of the chains to compare, the default sampler first.

    A maker takes a seed and the assignments to start from, none for a random start.
    """
    gamma = 1 / K

    def beta_dir(**options):
        return lambda seed, **start: BetaDirChain(codes, K, 1.0, 1.0, gamma, seed, **start, **options)

    def dir_dir(**options):
        return lambda seed, **start: DirDirChain(codes, K, gamma, 1.0, seed, **start, **options)

    variants = {
        "Beta-Dir": {
            "rule (default)": beta_dir(),
            "row lists": beta_dir(dense_row=NEVER_DENSE),
            "rejection": beta_dir(dense_row=ALWAYS_DENSE),
        },
        "Dir-Dir": {"joint (default)": dir_dir(), "alternating": dir_dir(scheme="alternating")},
    }
    if plain:
        variants["Beta-Dir"]["plain loop"] = lambda seed, **start: PlainBetaDir(
            codes, K, 1.0, 1.0, gamma, seed, **start
        )
        variants["Dir-Dir"]["plain loop, alternating"] = lambda seed, **start: PlainDirDir(
            codes, K, gamma, 1.0, seed, **start
        )
    return variants


def draw_log_joints(chain, draws: int, thin: int) -> tuple[np.ndarray, float]:
    """Return the log joint (draws,) of a chain, and the seconds of its sweeps alone."""
    log_joints, seconds = np.empty(draws), 0.0
    for i in range(draws):
        started = time.perf_counter()
        chain.sweep(thin)
        seconds += time.perf_counter() - started
        log_joints[i] = chain.log_joint()
    return log_joints, seconds


def burnt_in(make: Callable, burn_in: int, seed: np.random.SeedSequence) -> dict[str, np.ndarray]:
    """Return the assignments after `burn_in` sweeps from a random start."""
    chain = make(seed)
    chain.sweep(burn_in)
    return {name: getattr(chain, name) for name in ("Z", "C") if hasattr(chain, name)}


def compare(variants: dict[str, Callable], length: Length) -> dict[str, tuple[np.ndarray, float]]:
    """Return for each way to sample a model the log joints (chains, draws) and all its seconds.

    Chain c of every way starts from the same state: that of the first way after its burn-in.
    The ways take turns, chain by chain.
    """
    found = {name: [] for name in variants}
    first = next(iter(variants.values()))
    draws = {name: length.draws // (2 if name in SLOW else 1) for name in variants}
    for c, seed in enumerate(children(SEED, length.chains)):
        start = burnt_in(first, length.burn_in, seed)
        for i, (name, make) in enumerate(variants.items()):
            chain = make(children(seed, 10 + i)[-1], **start)
            if c == 0:
                make(seed, **start).sweep(1)  # compiles
            found[name].append(draw_log_joints(chain, draws[name], length.thin))
    return {
        name: (np.stack([draws for draws, _ in of_chains]), sum(s for _, s in of_chains))
        for name, of_chains in found.items()
    }


def ess_within(draws: np.ndarray) -> float:
    """Return the effective draws of each chain (chains, draws) alone, summed.

    Unlike the ESS of all chains together it does not fall where chains sit in different modes.
    """
    axes = {"chain_axis": 0, "draw_axis": 1}
    return float(sum(array_stats.ess(one[None], method="bulk", **axes) for one in draws))


def mixing_table(datasets: dict[str, np.ndarray], K: int, length: Length, plain_on: Sequence[str]) -> Table:
    """Compare all ways to sample both models on some datasets, whole matrices."""
    table = Table(
        "Mixing",
        f"Effective draws of the log joint per second of sampling, K = {K}, γ = 1/K, whole "
        f"matrices, one thread. {length.chains} chains; chain c of every way to sample a model "
        f"starts from the same state, {length.burn_in} sweeps of the default way after a random "
        f"start; then {length.draws} draws per chain, {length.thin} sweeps apart (half as many by "
        f"the slow ways, plain loops on {' and '.join(plain_on) or 'nothing'} only). Seconds are "
        "those of the sweeps of all chains, without the log joint. ESS and R-hat: ArviZ, "
        "rank-normalised, bulk, of all chains together. ESS within: of each chain alone, summed. "
        "Where chains have not converged (R-hat < 1.01 and ESS > 100 per chain) the ESS says how far "
        "apart chains are rather than how fast they move, and only the ESS within compares ways.",
        [
            "dataset",
            "model",
            "way",
            "sweeps",
            "R-hat",
            "converged",
            "µs per sweep",
            "ESS",
            "ESS per second",
            "ESS within",
            "per second",
        ],
    )
    for dataset, codes in datasets.items():
        for model, variants in variants_of(codes, K, dataset in plain_on).items():
            say(f"mixing: {dataset}, {model}")
            for way, (draws, seconds) in compare(variants, length).items():
                found, within = chain_diagnostics(draws), ess_within(draws)
                sweeps = draws.size * length.thin
                has_converged = have_converged(found.r_hat, found.ess_bulk, length.chains)
                table.rows.append(
                    [
                        dataset,
                        model,
                        way,
                        sweeps,
                        number(found.r_hat, 4),
                        "yes" if has_converged else "no",
                        number(seconds / sweeps * 1e6),
                        number(found.ess_bulk),
                        number(found.ess_bulk / seconds),
                        number(within),
                        number(within / seconds),
                    ]
                )
    return table


def run() -> list[Table]:
    """Do this part as `make benchmark` does."""
    datasets = {name: load(name).codes for name in DATASETS}
    ways = mixing_table(datasets, 100, Length(), PLAIN_ON)
    whole = {name: load(name).codes for name in blocks.DATASETS}
    return [ways, blocks.blocks_table(whole, blocks.CASES, 100, blocks.Budget())]
