"""Chains of one prior on the replications of one set-up, and what each says of K+."""

import time
from collections.abc import Callable

import numpy as np
import pandas as pd

from nbmf.posterior.diagnostics import chain_diagnostics
from nbmf.registry import length_settings, make_estimator
from nbmf.seeds import seed_sequence
from nbmf_studies.ohn2022.simulation import SetUp, draw


def run(
    setting: str,
    method: str,
    engine: list,
    setup: list,
    replications: int,
    starts: list[str],
    log: Callable[[str], None] = print,
) -> pd.DataFrame:
    """Fit one prior to every replication of one set-up, by a chain from each start.

    Parameters
    ----------
    setting, method : str
        What they are called.
    engine : list
        Class, first capacity (K) and settings.
    setup : list
        The values of a SetUp.
    replications : int
        Data sets. Chains of all methods have the same random numbers on the same data.
    starts : list of str
        As the class names them.
    log : function
        Takes a line of text.

    Returns
    -------
    DataFrame
        A row per replication and start: setting, method, p, replication, start; of the kept sweeps
        the mean of K+, that of either half, its least and largest value; r_hat of K+ over the
        chains of the replication, missing where one of them stands still; seconds (CPU), without
        compilation: a short fit goes before.
    """
    setup, (class_name, K, settings), rows = SetUp(*setup), engine, []
    brief = {**settings, **length_settings(class_name, 1, 1)}
    make_estimator(class_name, K, brief).fit(draw(setup, 0))
    for replication in range(replications):
        V, found, sizes = draw(setup, replication), [], []
        for start in starts:
            seed = seed_sequence("ohn2022", "fit", *map(int, setup), replication, start)
            chain = make_estimator(class_name, K, {**settings, "start": start}, seed)
            since = time.process_time()
            sizes.append(chain.fit(V).sizes_)
            found.append(_of_chain(sizes[-1]) | {"seconds": time.process_time() - since})
        r_hat = chain_diagnostics(np.array(sizes)).r_hat
        key = {"setting": setting, "method": method, "p": setup.p, "replication": replication}
        rows += [{**key, "start": start, **row, "r_hat": r_hat} for start, row in zip(starts, found, strict=True)]
        means = ", ".join(f"{row['mean']:.3f}" for row in found)
        log(f"{method}, {setting}, p = {setup.p}, replication {replication}: K+ {means}")
    return pd.DataFrame(rows)


def _of_chain(sizes: np.ndarray) -> dict[str, float]:
    """Return what the kept sweeps of a chain say of K+."""
    half = sizes.size // 2
    return {
        "mean": sizes.mean(),
        "first half": sizes[: max(half, 1)].mean(),
        "second half": sizes[half:].mean(),
        "least": sizes.min(),
        "largest": sizes.max(),
    }
