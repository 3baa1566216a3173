"""Is a factorization better than the popularity of rows and columns? Bernoulli-Poisson fits without and with scales.

A matrix drawn from known factors, with popularities of a heavy tail, as in large.py. A tenth of the ones and as many
zeros are held out; on an inner fold of the others, made in the same way, settings are chosen: nothing is chosen by
the entries that are held out.
"""

import time
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse
from scipy.stats import rankdata

import nbmf
from common import Table, number, say
from large import HELD_OUT, Size, Split, drawn, loss, popularity_chances, split
from nbmf.catalogue import METHODS
from nbmf.seeds import seed_sequence

SHAPES = (0.3, 0.3), (1.0, 1.0), (1.0, 2.0), (2.0, 2.0), (4.0, 4.0)
LEARNED = "source", "all"  # what shares a learned shape, from those of bernoulli-poisson-vb-scales on


class Run(NamedTuple):
    """What is run: the drawn matrix, of which a tenth of the ones is held out, and iterations of each fit."""

    size: Size = Size(100_000, 10_000, 1_750_000, 8)
    iterations: int = 100


def methods(iterations: int) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield a description, a class and its settings."""
    vb, gs = {"max_iter": iterations, "relative_gain_tol": 0}, {"burn_in": iterations // 2}
    gs["n_samples"] = iterations - iterations // 2
    scaled = METHODS["bernoulli-poisson-vb-scales"]["settings"]
    shapes = {name: scaled[name] for name in ("shape_W", "shape_H")}
    yield "VB as before: shapes 0.3", "BernoulliPoissonVB", vb
    yield "VB, scales, shapes 0.3", "BernoulliPoissonVB", {"scales": "both", **vb}
    named = "shapes {shape_W:g} and {shape_H:g}".format(**shapes)
    yield f"VB, no scales, {named}", "BernoulliPoissonVB", {**shapes, **vb}
    yield f"VB, scales, {named}", "BernoulliPoissonVB", {"scales": "both", **shapes, **vb}
    yield "bernoulli-poisson-vb-scales", "BernoulliPoissonVB", {**scaled, **vb}
    yield "GS as before", "BernoulliPoissonGibbs", gs
    yield "bernoulli-poisson-gs-scales", "BernoulliPoissonGibbs", {"scales": "both", **gs}


def auc(of_ones: np.ndarray, of_zeros: np.ndarray) -> float:
    """Return how often a one has a larger prediction than a zero, ties counted half."""
    ranks = rankdata(np.concatenate([of_ones, of_zeros]))[: of_ones.size]
    return (ranks.sum() - of_ones.size * (of_ones.size + 1) / 2) / of_ones.size / of_zeros.size


def inner(part: Split) -> Split:
    """Hold out a tenth of the training ones and as many zeros; what was held out before stays missing."""
    V, N = part.V.tocoo(), part.V.shape[1]
    flat, is_one = V.coords[0].astype(np.int64) * N + V.coords[1], V.data == 1.0
    rng = np.random.default_rng(seed_sequence("benchmark", "popularity", "inner"))
    held = is_one & (rng.random(flat.size) < HELD_OUT)
    zeros = np.unique(rng.integers(0, V.shape[0] * N, 3 * held.sum()))
    zeros = rng.permutation(zeros[~np.isin(zeros, flat)])[: held.sum()]
    values = np.concatenate([np.where(held, np.nan, V.data), np.full(zeros.size, np.nan)])
    made = sparse.csr_array((values, np.divmod(np.concatenate([flat, zeros]), N)), shape=V.shape)
    made.sort_indices()
    return Split(made, np.array(np.divmod(flat[held], N)), np.array(np.divmod(zeros, N)))


def scores(part: Split, chance) -> list[str]:
    """Return AUC and loss of a function from rows and columns to chances."""
    found = [chance(*places) for places in (part.ones, part.zeros)]
    return [number(auc(*found), 4), number(loss(part, *found), 5)]


def fitted(part: Split, K: int, class_name: str, settings: dict[str, Any]) -> tuple[Any, float]:
    """Return a fit, and the seconds of the processor that it took."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a fit ends before it has converged
        model = getattr(nbmf, class_name)(K, random_state=0, **settings)
        started = time.process_time()
        model.fit(part.V)
    return model, time.process_time() - started


def table(what: Run) -> Table:
    """Score popularity, the true factors and all methods on the inner fold and on the held-out entries."""
    V, truth = drawn(what.size)
    outer = split(V)
    parts = inner(outer), outer
    rows = [
        ["rates in proportion to the ones of row and column", *_score_both(parts, popularity_chances), "–"],
        ["the true factors", *_score_both(parts, lambda part: truth), "–"],
    ]
    tiny = Split(sparse.csr_array([[1.0, np.nan], [0.0, 1.0]]), *[np.zeros((2, 1), int)] * 2)
    for name, class_name, settings in methods(what.iterations):
        say(f"popularity: {name}")
        fitted(tiny, 2, class_name, settings)  # compiles
        seconds = []

        def chance_of(part, class_name=class_name, settings=settings, seconds=seconds):
            model, took = fitted(part, what.size.K, class_name, settings)
            seconds.append(took)
            return model.predict

        rows.append([name, *_score_both(parts, chance_of), number(seconds[-1])])
    return Table(
        "Popularity and factors",
        f"{what.size.F} x {what.size.N}, {(outer.V.data == 1.0).sum()} training ones of heavy-tailed popularity, drawn "
        f"from {what.size.K} known factors; K = {what.size.K}, {what.iterations} iterations, half of a chain kept. "
        "AUC, and nats of the whole matrix per one, of entries held out of the training matrix (inner fold) and of "
        "those that nothing was chosen by; seconds of the processor, one thread, of the second fit.",
        ["", "inner fold: AUC", "nats per one", "held out: AUC", "nats per one", "seconds"],
        rows,
    )


def _score_both(parts: tuple[Split, Split], chance_of) -> list[str]:
    return [text for part in parts for text in scores(part, chance_of(part))]


def shapes_table(what: Run) -> Table:
    """Score shapes of W and H on the inner fold, by which those of bernoulli-poisson-vb-scales were chosen."""
    part = inner(split(drawn(what.size)[0]))
    first = {name: METHODS["bernoulli-poisson-vb-scales"]["settings"][name] for name in ("shape_W", "shape_H")}
    tried = {f"{W:g} and {H:g}": {"shape_W": W, "shape_H": H} for W, H in SHAPES}
    tried |= {f"learned, by {tie}": {"tie_shape_W": tie, "tie_shape_H": tie, **first} for tie in LEARNED}
    rows = []
    for name, settings in tried.items():
        say(f"popularity: shapes {name}")
        settings |= {"scales": "both", "max_iter": what.iterations, "relative_gain_tol": 0}
        model, _ = fitted(part, what.size.K, "BernoulliPoissonVB", settings)
        ended = [number(float(np.median(each))) for each in (model.shape_W_, model.shape_H_)]
        rows.append([name, *ended, *scores(part, model.predict)])
    return Table(
        "Shapes of factors with scales",
        f"The matrix above, variational Bayes with scales of rows and columns, {what.iterations} iterations: AUC and "
        "nats of the whole matrix per one on the inner fold of the training entries.",
        ["shapes of W and H", "median of W", "of H", "AUC", "nats per one"],
        rows,
    )


def run(what: Run | None = None) -> list[Table]:
    """Do this part as `make benchmark` does."""
    what = what or Run()
    return [table(what), shapes_table(what)]
