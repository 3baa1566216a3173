"""What chains that have not converged predict together, where they differ, and their traces.

    NUMBA_CACHE_DIR=$PWD/.numba_cache .venv/bin/python benchmarks/chains.py

What docs/uncertainty.md says of chains in different modes, and docs/figures/chains_modes.png. Needs
data/matrices/animals.npz and parliament.npz (`make paper` builds them); some four minutes of
processor time.
"""

import sys
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import nbmf
from common import ROOT, load
from nbmf.data.masks import draw_mask, training_codes
from nbmf.errors import ChainsNotConvergedWarning
from nbmf.likelihoods.bernoulli import perplexity
from nbmf.plotting import style
from nbmf.posterior.chains import Chains
from nbmf.seeds import seed_sequence

sys.path.insert(0, str(ROOT / "docs"))

from publish import compress

MASKS = 10
HELD_OUT = 0.25  # of the observed entries: the test entries
SET_ASIDE = 0.2  # of the others, to weight chains by
UPDATES = 500  # of the weights: they are at rest long before
WHOLE, PART = "all others", "four fifths of these"  # that are fitted
CASES = (  # dataset, block moves, what is fitted
    ("animals", False, (WHOLE, PART)),
    ("parliament", False, (WHOLE, PART)),
    ("animals", True, (WHOLE,)),
)
PICTURE = ROOT / "docs" / "figures" / "chains_modes.png"
DRAWN = ("share 1", "share 2")


def run_chains(codes: np.ndarray, seed: int, **settings) -> Chains:
    """Return four chains of Beta-Dir GS, as they come."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ChainsNotConvergedWarning)
        return nbmf.run_chains(nbmf.BetaDirGibbs(random_state=seed, **settings), codes)


def stacked_weights(probabilities: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the weights of chains whose mixture predicts best, by EM (Yao et al. 2022).

    Parameters
    ----------
    probabilities : float array (chains, entries)
        Of a one, by each chain.
    values : array (entries,)
        1 or 0; no chain was fitted to these.
    """
    likelihood = np.where(values == 1, probabilities, 1 - probabilities)
    weights = np.full(len(likelihood), 1 / len(likelihood))
    for _ in range(UPDATES):
        shares = weights[:, None] * likelihood
        weights = (shares / shares.sum(axis=0)).mean(axis=1)
    return weights


def scores_of(chains: Chains, codes: np.ndarray, test: np.ndarray) -> dict[str, float]:
    """Return the held-out perplexity, nats per entry, of the ways to use chains."""
    each = [one.expectation_ for one in chains.estimators]
    own = [perplexity(codes, one, test) for one in each]
    log_joint = chains.trace["objective"].mean(axis=1)
    return {
        "one chain": float(np.mean(own)),
        "the one of least training loss": own[int(np.argmin(chains.losses))],
        "the one of largest log joint": own[int(np.argmax(log_joint))],
        "mean of four": perplexity(codes, chains.expectation, test),
    }


def stacked_score(chains: Chains, codes: np.ndarray, test: np.ndarray, aside: np.ndarray) -> dict[str, float]:
    """Return the held-out perplexity of chains weighted by how they predict the entries set aside."""
    each = np.array([one.expectation_ for one in chains.estimators])
    weights = stacked_weights(each[:, aside], codes[aside])
    return {"stacked": perplexity(codes, np.tensordot(weights, each, axes=1), test)}


def held_out_scores(dataset: str, fits: tuple[str, ...], number: int, **settings) -> dict:
    """Return the scores of one mask, by what was fitted and by way."""
    matrix = load(dataset)
    test = draw_mask(matrix, HELD_OUT, seed_sequence("chains", dataset, number))
    training = training_codes(matrix, test)
    chains = run_chains(training, number, **settings)
    scores = {(WHOLE, way): x for way, x in scores_of(chains, matrix.codes, test).items()}
    if PART in fits:
        rng = np.random.default_rng(seed_sequence("inner", dataset, number))
        aside = (rng.random(training.shape) < SET_ASIDE) & (training >= 0)
        chains = run_chains(np.where(aside, -1, training).astype(np.int8), number, **settings)
        found = scores_of(chains, matrix.codes, test)
        found |= stacked_score(chains, matrix.codes, test, aside)
        scores |= {(PART, way): x for way, x in found.items()}
    return scores


def predictions(masks: int = MASKS) -> None:
    """Print how each way predicts, and by how much it is worse than the mean of four chains."""
    print("| | fitted | way | nats per held-out entry | worse than the mean by | on masks |")
    print("|---|---|---|---|---|---|")
    for dataset, block_moves, fits in CASES:
        found = [held_out_scores(dataset, fits, i, block_moves=block_moves) for i in range(masks)]
        table, name = pd.DataFrame(found), f"{dataset}{', block moves' if block_moves else ''}"
        for fitted, way in table.columns:
            scores = table[fitted, way]
            worse = scores - table[fitted, "mean of four"]
            cells = [name, fitted, way, f"{scores.mean():.4f}"]
            cells.append(f"{worse.mean():.4f} ± {worse.std(ddof=1) / masks**0.5:.4f}")
            print(f"| {' | '.join(cells)} | {(worse > 0).sum()} of {masks} |", flush=True)


def modes() -> None:
    """Print where chains are, and which rows they predict differently; draw their traces."""
    matrix = load("animals")
    figure, axes = plt.subplots(2, 2, figsize=(style.PAGE_WIDTH, 3.2), layout="constrained")
    for column, (title, settings) in zip(
        axes.T, {"plain": {}, "block moves": {"block_moves": True}}.items(), strict=True
    ):
        chains = run_chains(matrix.codes, 0, **settings)
        print(f"\n{title}: shares, and the rows whose E[V] differs most between chains")
        for share in chains.trace["shares"].mean(axis=1)[:, :4]:
            print(" ".join(f"{x:.2f}" for x in share))
        apart = chains.disagreement
        order = np.argsort(-apart.mean(axis=1))[:10]
        print(", ".join(f"{matrix.row_names[f]} {apart[f].mean():.3f}" for f in order))
        print(f"on average {apart.mean():.3f}, at most {apart.max():.2f}")
        nbmf.plot.chains(chains, quantities=DRAWN, ax=column)
        column[0].set_title(title, loc="left", fontsize=8)
    for row in axes:  # one scale
        limits = np.array([axis.get_ylim() for axis in row])
        plt.setp(row, ylim=(limits.min(), limits.max()))
    style.save(figure, PICTURE, dpi=110)
    compress(PICTURE, PICTURE)


if __name__ == "__main__":
    style.use_no_screen()
    predictions()
    modes()
