"""Does fold-in predict as well as refitting? Entries hidden in new columns, or rows, tell.

    .venv/bin/python benchmarks/fold_in.py

Prints the table of docs/models.md. Of each matrix a fifth of the columns is left out and a
quarter of their entries is hidden, five times. Fold-in: fit to the other columns, then fold the
left-out ones in. Refit: fit to the whole matrix with the same entries hidden.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

import nbmf
from common import Table, environment, load, number, say
from nbmf.numerics.blas import one_blas_thread
from nbmf.seeds import seed_sequence

DATASETS = ("animals", "parliament")
SPLITS = 5
NEW, HIDDEN = 0.2, 0.25  # of lines, of the entries of a new line
ROWS, COLUMNS = 0, 1


def logistic(kind: type, seed: int) -> nbmf.LogisticFactorVB | nbmf.LogisticFactorGibbs:
    """Return logistic factors with learned effects, as `nbmf fit` tries them."""
    return kind(8, effects="both", effect_scale="learned", random_state=seed)


METHODS = {
    "beta-dir-vb": lambda seed: nbmf.BetaDirVB(random_state=seed),
    "beta-dir-gs": lambda seed: nbmf.BetaDirGibbs(burn_in=1500, n_samples=500, random_state=seed),
    "dir-dir-gs": lambda seed: nbmf.DirDirGibbs(burn_in=1500, n_samples=500, random_state=seed),
    "c-bica": lambda seed: nbmf.CollapsedBinaryICA(5, random_state=seed),
    "logistic-vb-learned-effects": lambda seed: logistic(nbmf.LogisticFactorVB, seed),
    "logistic-gs-learned-effects": lambda seed: logistic(nbmf.LogisticFactorGibbs, seed),
}


class Split(NamedTuple):
    """Which lines of a matrix are new, and which of their entries are hidden.

    axis : ROWS or COLUMNS
    known : int8 array (F, N), the codes without the hidden entries
    new : int array, the new lines
    hidden : bool array, of the new lines
    """

    axis: int
    known: np.ndarray
    new: np.ndarray
    hidden: np.ndarray

    @classmethod
    def draw(cls, codes: np.ndarray, axis: int, seed: np.random.SeedSequence) -> "Split":
        rng = np.random.default_rng(seed)
        lines = codes.shape[axis]
        new = np.sort(rng.permutation(lines)[: round(NEW * lines)])
        hidden = np.zeros(codes.shape, bool)
        of_new = (slice(None), new) if axis == COLUMNS else new
        hidden[of_new] = rng.random(hidden[of_new].shape) < HIDDEN
        hidden &= codes >= 0
        return cls(axis, np.where(hidden, np.int8(-1), codes), new, hidden.take(new, axis))

    @property
    def others(self) -> np.ndarray:
        """The codes of the lines that are not new."""
        return np.delete(self.known, self.new, self.axis)

    def perplexity(self, codes: np.ndarray, of_new: np.ndarray) -> float:
        """Return that of the predictions `of_new` lines on the hidden entries, in nats."""
        return nbmf.perplexity(codes.take(self.new, self.axis), of_new, self.hidden)


class Outcome(NamedTuple):
    """Perplexities on the hidden entries, in nats per entry.

    folded : fit to the others, fold-in
    refitted, again : fit to everything that is known, from two seeds
    shares : the proportions of ones of the others, along the new lines
    """

    folded: float
    refitted: float
    again: float
    shares: float


def compare(make: Callable, codes: np.ndarray, split: Split, seeds: tuple[int, int]) -> Outcome:
    """Predict the hidden entries of a split in every way."""
    fitted = make(seeds[0]).fit(split.others)
    fold_in = fitted.predict_columns if split.axis == COLUMNS else fitted.predict_rows
    predictions = [fold_in(split.known.take(split.new, split.axis))]
    for seed in seeds:
        refitted = make(seed).fit(split.known)
        predictions.append(refitted.expectation_.take(split.new, split.axis))
    ones = (split.others == 1).sum(axis=split.axis, keepdims=True)
    seen = (split.others >= 0).sum(axis=split.axis, keepdims=True)
    predictions.append(np.broadcast_to((ones + 1) / (seen + 2), split.hidden.shape))
    return Outcome(*(split.perplexity(codes, of_new) for of_new in predictions))


def fold_in_table(datasets: dict[str, np.ndarray], methods: Iterable[str], splits: int) -> Table:
    """Compare fold-in and refitting on some matrices, with new columns and with new rows."""
    table = Table(
        "Fold-in and refitting",
        f"Perplexity on the hidden entries of new lines, in nats per entry, mean over {splits} "
        "splits. Difference: fold-in minus refit, mean and range over splits; below zero, fold-in "
        "predicts better. Another seed: the mean size of the difference between two refits. "
        "Shares: predicted by the proportion of ones among the other lines.",
        ["dataset", "new", "method", "fold-in", "refit", "difference", "from", "to", "another seed", "shares"],
    )
    for dataset, codes in datasets.items():
        for axis, lines in ((COLUMNS, "columns"), (ROWS, "rows")):
            drawn = [Split.draw(codes, axis, seed_sequence("fold-in", dataset, lines, i)) for i in range(splits)]
            for method in methods:
                say(f"fold-in: {dataset}, {lines}, {method}")
                seeds = [(2 * i, 2 * i + 1) for i in range(splits)]
                found = [
                    Outcome(*compare(METHODS[method], codes, split, pair))
                    for split, pair in zip(drawn, seeds, strict=True)
                ]
                folded, refitted, again, shares = np.transpose(found)
                difference = folded - refitted
                table.rows.append(
                    [
                        dataset,
                        lines,
                        method,
                        number(folded.mean()),
                        number(refitted.mean()),
                        *(f"{value:+.4f}" for value in (difference.mean(), difference.min(), difference.max())),
                        f"{np.abs(refitted - again).mean():.4f}",
                        number(shares.mean()),
                    ]
                )
    return table


def run() -> list[Table]:
    """Do this part as `make benchmark` would."""
    return [fold_in_table({name: load(name).codes for name in DATASETS}, METHODS, SPLITS)]


if __name__ == "__main__":
    say(environment())
    with one_blas_thread():
        print("\n".join(table.markdown() for table in run()))
