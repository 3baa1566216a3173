"""Fits one method to the ones of a sparse matrix, and writes what it predicts; prints a line of JSON.

    python -P recommender_worker.py METHOD asked.npz settings.json output.npz

Runs in the environment of METHOD, and knows nothing of nbmf but for the methods that are ours. asked.npz has the ones
of a matrix (indices, indptr, shape), entries to score (places, (2, n)) and rows to recommend columns to. output.npz
has a score for each entry, and the best TOP columns of each row without its ones.
"""

import json
import os
import sys
import time
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse

sys.path.append(os.path.dirname(__file__))  # last: modules here have the names of packages
from process_memory import megabytes

TOP = 100
SEED = 0


class Factors(NamedTuple):
    """What most methods fit: scores A B', of rows (F, K) and columns (N, K)."""

    A: np.ndarray
    B: np.ndarray

    def scores(self, places: np.ndarray) -> np.ndarray:
        """Return the scores of places (2, n), array (n,), a piece at a time."""
        pieces = np.array_split(places, max(1, places.shape[1] // 100_000), axis=1)
        return np.concatenate([np.einsum("ek,ek->e", self.A[f], self.B[n], dtype=float) for f, n in pieces])

    def recommended(self, ones: sparse.csr_matrix, rows: np.ndarray) -> np.ndarray:
        """Return the TOP columns of rows with the largest scores that are no ones of theirs, int array (m, TOP)."""
        found = np.full((rows.size, TOP), -1)  # -1: there is none
        for i, row in enumerate(rows):
            scores = self.B @ self.A[row]
            scores[ones.indices[slice(*ones.indptr[row : row + 2])]] = -np.inf
            best = np.argsort(-scores, kind="stable")[:TOP]
            best = best[scores[best] > -np.inf]
            found[i, : best.size] = best
        return found


class Ours(NamedTuple):
    """A fit of ours, which predicts and recommends as it does for everybody: a sampler by the mean over its draws."""

    model: Any

    def scores(self, places: np.ndarray) -> np.ndarray:
        """Return the rates r with 1 - exp(-r) = E[v] of places (2, n), array (n,)."""
        return -np.log1p(-np.minimum(self.model.predict(*places), 1 - 1e-15))

    def recommended(self, ones: sparse.csr_matrix, rows: np.ndarray) -> np.ndarray:
        """Return the TOP columns of rows with the largest E[v] that are no ones of theirs, int array (m, TOP)."""
        return self.model.recommend(rows, TOP, known=sparse.csr_array(ones), itself=True).columns


def hpfrec(ones: sparse.csr_matrix, K: int, threads: int, **settings):
    """Gopalan, Hofman and Blei (2015) by variational Bayes; scores are rates."""
    import pandas as pd
    from hpfrec import HPF

    triplets = ones.tocoo()
    table = pd.DataFrame({"UserId": triplets.row, "ItemId": triplets.col, "Count": triplets.data})
    quiet = {"verbose": False, "reindex": False, "produce_dicts": False, "keep_data": False, "random_seed": SEED}
    model = HPF(K, ncores=threads, **quiet, **settings).fit(table)
    return Factors(model.Theta, model.Beta)


def poismf(ones: sparse.csr_matrix, K: int, threads: int, **settings):
    """Poisson factorization with penalties; scores are rates."""
    from poismf import PoisMF

    model = PoisMF(K, nthreads=threads, random_state=SEED, **settings).fit(ones.tocoo().astype(np.float32))
    return Factors(model.A, model.B)


def als(ones: sparse.csr_matrix, K: int, threads: int, **settings):
    """Weighted least squares for implicit feedback; scores rank."""
    from implicit.cpu.als import AlternatingLeastSquares

    model = AlternatingLeastSquares(K, num_threads=threads, random_state=SEED, **settings)
    model.fit(ones.astype(np.float32), show_progress=False)
    return Factors(model.user_factors, model.item_factors)


def bpr(ones: sparse.csr_matrix, K: int, threads: int, **settings):
    """Bayesian personalised ranking; scores rank. Its last factor is the columns' effect."""
    from implicit.cpu.bpr import BayesianPersonalizedRanking

    model = BayesianPersonalizedRanking(K, num_threads=threads, random_state=SEED, **settings)
    model.fit(ones.astype(np.float32), show_progress=False)
    return Factors(model.user_factors, model.item_factors)


def cmfrec(ones: sparse.csr_matrix, K: int, threads: int, **settings):
    """Weighted least squares as `als`, by another package; scores rank."""
    from cmfrec import CMF_implicit

    given = {"nthreads": threads, "random_state": SEED, "precompute_for_predictions": False, "verbose": False}
    model = CMF_implicit(K, **given, **settings).fit(ones.tocoo().astype(np.float32))
    return Factors(model.A_, model.B_)


def nbmf(ones: sparse.csr_matrix, K: int, threads: int, class_name: str, **settings):
    """Ours; scores are rates."""
    import warnings

    import nbmf as ours

    if getattr(ours, class_name).takes_threads:
        settings["threads"] = threads
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a fit ends before it has converged
        model = getattr(ours, class_name)(K, random_state=SEED, **settings).fit(sparse.csr_array(ones))
    return Ours(model)


def popularity(ones: sparse.csr_matrix, K: int, threads: int):
    """Rates in proportion to the ones of row and column; a line without ones has half a one."""
    counts = [np.maximum(np.asarray(ones.sum(axis=axis), float).ravel(), 0.5)[:, None] for axis in (1, 0)]
    return Factors(counts[0] / ones.nnz, counts[1])


METHODS = {one.__name__: one for one in (hpfrec, poismf, als, bpr, cmfrec, nbmf, popularity)}


def main(method: str, asked_path: str, settings_path: str, output_path: str) -> dict:
    """Fit; return seconds, and MB beyond what the process held with the matrix and the loaded code."""
    with np.load(asked_path) as asked:
        data = np.ones(asked["indices"].size)
        ones = sparse.csr_matrix((data, asked["indices"], asked["indptr"]), shape=tuple(asked["shape"]))
        places, rows = asked["places"], asked["rows"]
    with open(settings_path, encoding="utf-8") as file:
        settings = json.load(file)
    tiny = sparse.csr_matrix(np.tile(1.0 - np.eye(4), (8, 8)))
    METHODS[method](tiny, **settings | {"K": 2})  # loads or compiles what is loaded late
    before = megabytes()["now"]
    started = time.perf_counter()
    fitted = METHODS[method](ones, **settings)
    answer = {"seconds": time.perf_counter() - started, "most": megabytes()["most"] - before}
    np.savez(output_path, scores=fitted.scores(places), found=fitted.recommended(ones, rows))
    return answer


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
