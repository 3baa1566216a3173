"""Large sparse matrices: Bernoulli-Poisson factors side by side with recommender packages and popularity.

A tenth of the ones is held out, and is zero in what all methods see, as recommender packages have it. Settings are
chosen on an inner fold of the training ones, made in the same way, for each measure by itself; every method has a few.

    python recommenders.py debian

does one matrix alone.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse
from scipy.optimize import isotonic_regression

import large
from common import HERE, Table, answer_of, number, say
from nbmf.evaluation.sparse_comparison import NDCG_AT, RECALL_AT, rank_scores_of_rows
from nbmf.registry import takes_threads
from nbmf.seeds import seed_sequence
from peers import PeerMissingError, python_of, requirement
from popularity import Run as Drawn

HELD_OUT = 0.1  # of the ones
ZEROS = 1_000_000  # that are held out; fewer of a small matrix
STEPS = 50  # of calibrated chances
RANKED_ROWS = 2000  # at most, drawn at random
DRAWS = 400  # of the bootstrap over rows
PATIENCE = 7200  # seconds for a fit, on a machine with other work
MEASURES = "AUC", f"recall@{RECALL_AT}", f"NDCG@{NDCG_AT}", "own loss", "calibrated loss"
SMALLER_IS_BETTER = MEASURES[3:]
ITERATIONS = 100
OUR_SETTINGS = {"max_iter": ITERATIONS, "relative_gain_tol": 0}


class Method(NamedTuple):
    """A method: whose environment it runs in (None: ours), its name in the worker, its settings, what scores are.

    name : of the method in the table
    peer : line of peers.txt
    has_rates : whether 1 - exp(-score) is a chance; other scores only rank
    threads : whether a fit can use two
    """

    name: str
    peer: str | None
    worker: str
    settings: tuple[dict[str, Any], ...]
    has_rates: bool
    threads: bool


def ours(name: str, class_name: str, *settings: dict[str, Any]) -> Method:
    """Return one of our methods."""
    made = tuple({"class_name": class_name} | one for one in settings)
    return Method(name, None, "nbmf", made, True, takes_threads(class_name))


VB = ours(
    "Bernoulli-Poisson VB, scales",
    "BernoulliPoissonVB",
    *({"scales": "both", "shape_W": W, "shape_H": H} | OUR_SETTINGS for W, H in ((0.3, 0.3), (1, 2))),
    *(
        {"scales": "both", "shape_W": 1, "shape_H": 2, "tie_shape_W": "source", "tie_shape_H": "source"}
        | OUR_SETTINGS
        | {"max_iter": iterations}
        for iterations in (ITERATIONS, 4 * ITERATIONS)
    ),
)
GIBBS = ours(
    "Bernoulli-Poisson GS, scales",
    "BernoulliPoissonGibbs",
    *({"scales": "both", "burn_in": half, "n_samples": half} for half in (ITERATIONS // 2, 2 * ITERATIONS)),
)
METHODS = (
    VB,
    GIBBS,
    Method("popularity", None, "popularity", ({},), True, False),
    Method(
        "hpfrec", "hpfrec", "hpfrec", ({}, {"a": 0.1, "c": 0.1}, {"a": 1.0, "c": 1.0}, {"a": 1.0, "c": 2.0}), True, True
    ),
    Method("poismf", "poismf", "poismf", ({}, {"l2_reg": 1e2}, {"l2_reg": 1e4}, {"l2_reg": 1e5}), True, True),
    Method(
        "implicit, ALS",
        "implicit",
        "als",
        (
            {},
            {"alpha": 40.0, "regularization": 10.0},
            {"alpha": 160.0, "regularization": 10.0},
            {"alpha": 10.0, "regularization": 10.0},
            {"alpha": 10.0, "regularization": 100.0},
        ),
        False,
        True,
    ),
    Method(
        "implicit, BPR",
        "implicit",
        "bpr",
        ({}, {"learning_rate": 0.05}, {"regularization": 0.001}, {"regularization": 0.001, "iterations": 300}),
        False,
        True,
    ),
    Method(
        "cmfrec",
        "cmfrec",
        "cmfrec",
        (
            {},
            {"alpha": 10.0, "lambda_": 10.0},
            {"alpha": 40.0, "lambda_": 10.0},
            {"alpha": 160.0, "lambda_": 10.0},
            {"alpha": 10.0, "lambda_": 100.0},
        ),
        False,
        True,
    ),
)


# --- Matrices --------------------------------------------------------------------------------


def debian() -> sparse.csr_array | None:
    """Return which package depends on which, from the index of this machine's apt; None without it.

    Columns are the packages that at least two others need, rows the packages that need at least one of them.
    Alternatives (a | b) count each.
    """
    try:
        index = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    needs = {}
    for entry in index.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in entry.splitlines() if ": " in line and not line.startswith(" "))
        if "Depends" in fields:
            parts = fields["Depends"].replace("|", ",").split(",")
            needs[fields["Package"]] = {part.split()[0].split(":")[0] for part in parts}
    packages, names = sorted(needs), sorted(set().union(*needs.values())) if needs else []
    if not packages:
        return None
    column = {name: n for n, name in enumerate(names)}
    places = np.array([(f, column[name]) for f, package in enumerate(packages) for name in needs[package]]).T
    V = sparse.csr_array((np.ones(places.shape[1]), tuple(places)), shape=(len(packages), len(names)))
    V = V[:, np.flatnonzero(V.sum(axis=0) >= 2)]
    return sparse.csr_array(V[np.flatnonzero(V.sum(axis=1) >= 1)])


MATRICES: dict[str, tuple[Callable[[], sparse.csr_array | None], int]] = {
    "drawn": (lambda: large.drawn(Drawn().size)[0], Drawn().size.K),
    "newsgroups": (large.newsgroups, large.Run().K),
    "debian": (debian, large.Run().K),
}


# --- What is held out, and scores ------------------------------------------------------------


class Fold(NamedTuple):
    """Training ones, held-out entries and rows that are ranked.

    ones : CSR array (F, N)
    places : int array (2, n), the held-out ones, then the zeros
    n_ones : of `places`
    rows : int array (m,), rows with held-out ones
    zeros : float, zeros of the whole matrix for each that is in `places`
    """

    ones: sparse.csr_array
    places: np.ndarray
    n_ones: int
    rows: np.ndarray
    zeros: float

    def held(self) -> sparse.csr_array:
        """Return the held-out ones of the ranked rows, CSR array (m, N)."""
        places = tuple(self.places[:, : self.n_ones])
        return sparse.csr_array((np.ones(self.n_ones), places), shape=self.ones.shape)[self.rows]


def fold_of(V: sparse.csr_array, hidden: sparse.csr_array, name: str) -> Fold:
    """Hold out a tenth of the ones of V, and zeros that are ones neither of V nor of `hidden`."""
    rng = np.random.default_rng(seed_sequence("benchmark", "recommenders", name))
    F, N = V.shape
    flat, unknown = (np.ravel_multi_index(one.nonzero(), V.shape) for one in (V, hidden))
    held = np.zeros(flat.size, bool)
    held[rng.choice(flat.size, round(HELD_OUT * flat.size), replace=False)] = True
    zeros = np.unique(rng.integers(0, F * N, ZEROS))
    zeros = zeros[~np.isin(zeros, np.concatenate([flat, unknown]))]
    places = np.array(np.divmod(np.concatenate([flat[held], zeros]), N))
    kept = tuple(np.divmod(flat[~held], N))
    ones = sparse.csr_array((np.ones((~held).sum()), kept), shape=V.shape)
    rows = np.unique(places[0, : held.sum()])
    n_zeros = F * N - flat.size - unknown.size
    return Fold(ones, places, held.sum(), np.sort(rng.permutation(rows)[:RANKED_ROWS]), n_zeros / zeros.size)


def chances_of_rates(rates: np.ndarray) -> np.ndarray:
    """Return P(v = 1) of the matrix that was fitted, which lacks a tenth of the ones."""
    return -np.expm1(-np.maximum(rates, 0.0))


def calibration(fold: Fold, scores: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Return the increasing step function from scores to chances of a training one that fits a fold best.

    By isotonic regression of at most STEPS classes, with as many held-out ones each. Entries are weighted by one over
    the chance that they were held out; each class has half an entry of either kind more, for without a zero it would
    call it impossible that there is one.
    """
    edges = np.unique(np.quantile(scores[: fold.n_ones], np.arange(1, STEPS) / STEPS))
    classes = np.searchsorted(edges, scores, side="right")
    ones = np.bincount(classes[: fold.n_ones], minlength=edges.size + 1) + 0.5
    ones *= (1 - HELD_OUT) / HELD_OUT  # training ones for each that is held out
    zeros = (np.bincount(classes[fold.n_ones :], minlength=edges.size + 1) + 0.5) * fold.zeros
    chances = isotonic_regression(ones / (ones + zeros), weights=ones + zeros).x
    return lambda others: chances[np.searchsorted(edges, others, side="right")]


def losses(fold: Fold, chances: np.ndarray) -> np.ndarray:
    """Return what held-out entries add to the loss of the whole matrix per one, in nats.

    `chances` are those of the training matrix, which has nine tenths of the ones.
    """
    p = np.clip(chances / (1 - HELD_OUT), 1e-12, 1 - 1e-9)
    zeros = fold.zeros * HELD_OUT  # as many as there are for each held-out one
    return np.concatenate([-np.log(p[: fold.n_ones]), -zeros * np.log1p(-p[fold.n_ones :])])


class Scores:
    """What a fit predicts of a fold, by each measure: of all rows, and of bootstrap samples of rows.

    values : {measure: array (1 + draws,)}, the first of all rows; no "own loss" for scores that only rank
    """

    def __init__(
        self, fold: Fold, scores: np.ndarray, found: np.ndarray, has_rates: bool, calibrated: Callable, draws: int
    ):
        rng = np.random.default_rng(seed_sequence("benchmark", "recommenders", "bootstrap"))
        F, ranked = fold.ones.shape[0], fold.rows.size
        recall, ndcg = rank_scores_of_rows(found, fold.held())
        of_losses = {"calibrated loss": losses(fold, calibrated(scores))}
        if has_rates:
            of_losses["own loss"] = losses(fold, chances_of_rates(scores))
        by_row = {
            name: np.bincount(fold.places[0], added, minlength=F) / fold.n_ones for name, added in of_losses.items()
        }
        order = np.unique(scores, return_inverse=True)[1]
        self.values = {name: np.empty(1 + draws) for name in MEASURES if name in of_losses or name in MEASURES[:3]}
        for draw in range(1 + draws):
            weight = np.ones(F) if draw == 0 else rng.poisson(1.0, F).astype(float)
            few = np.ones(ranked) if draw == 0 else rng.poisson(1.0, ranked).astype(float)
            entries = weight[fold.places[0]]
            n_ones = entries[: fold.n_ones].sum() / fold.n_ones
            self.values["AUC"][draw] = _auc(order, entries, fold.n_ones)
            self.values[MEASURES[1]][draw] = few @ recall / few.sum()
            self.values[MEASURES[2]][draw] = few @ ndcg / few.sum()
            for name, added in by_row.items():
                self.values[name][draw] = weight @ added / n_ones

    def goodness(self, measure: str) -> float:
        """Return the value of all rows, such that larger is better."""
        value = self.values[measure][0]
        return -value if measure in SMALLER_IS_BETTER else value


def _auc(order: np.ndarray, weight: np.ndarray, n_ones: int) -> float:
    """Return how often a one comes after a zero in an order, ties counted half; entries have weights."""
    size = order.max() + 1
    ones = np.bincount(order[:n_ones], weight[:n_ones], size)
    zeros = np.bincount(order[n_ones:], weight[n_ones:], size)
    return (ones @ (np.cumsum(zeros) - 0.5 * zeros)) / ones.sum() / zeros.sum()


# --- Fits ------------------------------------------------------------------------------------


class Fit(NamedTuple):
    """What the worker answers: seconds by the clock, MB, scores of the entries, columns recommended to the rows."""

    seconds: float
    most: float
    scores: np.ndarray
    found: np.ndarray


def fit(fold: Fold, method: Method, settings: dict[str, Any], K: int, threads: int = 1) -> Fit:
    """Fit in a process of its own.

    Raises
    ------
    PeerMissingError
        If the peer cannot be installed, or fails.
    """
    python = python_of(method.peer) if method.peer else sys.executable
    limits = {f"{name}_NUM_THREADS": str(threads) for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
    with TemporaryDirectory() as folder:
        asked, given, output = (Path(folder) / name for name in ("asked.npz", "settings.json", "output.npz"))
        arrays = {"indices": fold.ones.indices.astype(np.int32), "indptr": fold.ones.indptr.astype(np.int32)}
        np.savez(asked, shape=fold.ones.shape, places=fold.places, rows=fold.rows, **arrays)
        given.write_text(json.dumps({"K": K, "threads": threads} | settings), encoding="utf-8")
        command = [python, "-P", HERE / "recommender_worker.py", method.worker, asked, given, output]
        try:
            answer = answer_of(command, limits, PATIENCE)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            reason = str(error).strip().splitlines()[-1]
            raise PeerMissingError(f"{method.name} failed: {reason}") from error
        with np.load(output) as made:
            return Fit(answer["seconds"], answer["most"], made["scores"], made["found"])


class Outcome(NamedTuple):
    """A method on one matrix: its fit by the settings that rank best on the inner fold, seconds with two threads.

    of : {measure: Scores of the settings that are best by it on the inner fold}
    """

    fit: Fit
    two_threads: float | None
    settings: dict[str, Any]
    of: dict[str, Scores]


def outcome(method: Method, inner: Fold, outer: Fold, K: int) -> Outcome:
    """Choose settings on the inner fold for each measure, then fit the training ones."""
    tried = []
    for settings in method.settings:
        found = fit(inner, method, settings, K)
        calibrated = calibration(inner, found.scores)
        tried.append((Scores(inner, found.scores, found.found, method.has_rates, calibrated, 0), calibrated))
        say(f"recommenders: {method.name}, {settings}: {found.seconds:.0f} s, {_describe_scores(tried[-1][0])}")
    chosen = {
        measure: max(range(len(tried)), key=lambda i, measure=measure: tried[i][0].goodness(measure))
        for measure in tried[0][0].values
    }
    fits = {i: fit(outer, method, method.settings[i], K) for i in sorted(set(chosen.values()))}
    scores = {i: Scores(outer, one.scores, one.found, method.has_rates, tried[i][1], DRAWS) for i, one in fits.items()}
    shown = chosen[MEASURES[2]]
    settings = method.settings[shown]
    two = fit(outer, method, settings, K, 2).seconds if method.threads else None
    return Outcome(fits[shown], two, settings, {measure: scores[i] for measure, i in chosen.items()})


def _describe_scores(scores: Scores) -> str:
    return ", ".join(f"{measure} {number(values[0], 4)}" for measure, values in scores.values.items())


# --- Tables ----------------------------------------------------------------------------------


def comparison_table(name: str, V: sparse.csr_array, K: int, methods: tuple[Method, ...] = METHODS) -> Table:
    """Compare all methods on one matrix."""
    outer = fold_of(V, sparse.csr_array(V.shape), f"{name}, outer")
    hidden = sparse.csr_array(V - outer.ones)
    hidden.eliminate_zeros()
    inner = fold_of(outer.ones, hidden, f"{name}, inner")
    outcomes, skipped = {}, {}
    for method in methods:
        try:
            outcomes[method.name] = outcome(method, inner, outer, K)
        except PeerMissingError as error:
            skipped[method.name] = str(error)
    table = Table(
        f"Recommenders: {name}",
        f"{V.shape[0]} x {V.shape[1]}, {V.nnz} ones, of which a tenth is held out and zero in training; K = {K}. "
        f"Versions: {', '.join(sorted({requirement(method.peer) for method in methods if method.peer}))}. "
        f"Recall and NDCG of {outer.rows.size} rows, training ones excluded. Losses are nats of the whole matrix per "
        f"one: own of 1 - exp(-rate), where scores are rates; calibrated by isotonic regression on the inner fold, in "
        f"{STEPS} steps. In brackets the 95 % interval of the difference from {VB.name} (ours minus theirs), by "
        f"{DRAWS} bootstrap samples of rows. Of each measure the settings are those that are best by it on the inner "
        "fold; seconds by the clock, MB beyond the process with its input, and the settings that are named are those "
        "chosen by NDCG.",
        ["method", *MEASURES, "seconds: one thread", "two threads", "most: MB", "settings"],
    )
    for name, found in outcomes.items():
        cells = [_cell(found.of, outcomes[VB.name].of if name != VB.name else {}, measure) for measure in MEASURES]
        two = "–" if found.two_threads is None else number(found.two_threads)
        usual = OUR_SETTINGS | {"class_name": found.settings.get("class_name")}
        settings = {key: value for key, value in found.settings.items() if value != usual.get(key)}
        said = ", ".join(f"{key} {value}" for key, value in settings.items()) or "its defaults"
        table.rows.append([name, *cells, number(found.fit.seconds), two, number(found.fit.most), said])
    table.rows.extend([name, f"skipped: {reason}", *["–"] * 8] for name, reason in skipped.items())
    return table


def _cell(theirs: dict[str, Scores], ours: dict[str, Scores], measure: str) -> str:
    """Return a score, and the interval of the difference."""
    if measure not in theirs:
        return "–"
    values = theirs[measure].values[measure]
    if measure not in ours:
        return number(values[0], 4)
    low, high = np.quantile((ours[measure].values[measure] - values)[1:], [0.025, 0.975])
    return f"{number(values[0], 4)} [{low:.2g} to {high:.2g}]"


def tables(names: tuple[str, ...]) -> Iterator[Table]:
    """Yield a table for each matrix."""
    for name in names:
        make, K = MATRICES[name]
        if (V := make()) is None:
            yield Table(f"Recommenders: {name}", "The raw data are not at hand.", ["method"])
        else:
            yield comparison_table(name, V, K)


def run(names: tuple[str, ...] = tuple(MATRICES)) -> list[Table]:
    """Do this part as `make benchmark` does."""
    return list(tables(names))


if __name__ == "__main__":
    for made in tables(tuple(sys.argv[1:]) or tuple(MATRICES)):
        print(made.markdown(), flush=True)
