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

import numpy as np
import scipy.sparse as sparse

sys.path.append(os.path.dirname(__file__))  # last: modules here have the names of packages
from process_memory import megabytes

TOP = 100
SEED = 0


def hpfrec(ones: sparse.csr_matrix, K: int, threads: int, **settings):
    """Gopalan, Hofman and Blei (2015) by variational Bayes; scores are rates."""
    import pandas as pd
    from hpfrec import HPF

    triplets = ones.tocoo()
    table = pd.DataFrame({"UserId": triplets.row, "ItemId": triplets.col, "Count": triplets.data})
    quiet = {"verbose": False, "reindex": False, "produce_dicts": False, "keep_data": False, "random_seed": SEED}
    model = HPF(K, ncores=threads, **quiet, **settings).fit(table)
    return model.Theta, model.Beta


def poismf(ones: sparse.csr_matrix, K: int, threads: int, **settings):
    """Poisson factorization with penalties; scores are rates."""
    from poismf import PoisMF

    model = PoisMF(K, nthreads=threads, random_state=SEED, **settings).fit(ones.tocoo().astype(np.float32))
    return model.A, model.B


def als(ones: sparse.csr_matrix, K: int, threads: int, **settings):
    """Weighted least squares for implicit feedback; scores rank."""
    from implicit.cpu.als import AlternatingLeastSquares

    model = AlternatingLeastSquares(K, num_threads=threads, random_state=SEED, **settings)
    model.fit(ones.astype(np.float32), show_progress=False)
    return model.user_factors, model.item_factors


def bpr(ones: sparse.csr_matrix, K: int, threads: int, **settings):
    """Bayesian personalised ranking; scores rank. Its last factor is the columns' effect."""
    from implicit.cpu.bpr import BayesianPersonalizedRanking

    model = BayesianPersonalizedRanking(K, num_threads=threads, random_state=SEED, **settings)
    model.fit(ones.astype(np.float32), show_progress=False)
    return model.user_factors, model.item_factors


def cmfrec(ones: sparse.csr_matrix, K: int, threads: int, **settings):
    """The same model as `als`, by another hand; scores rank."""
    from cmfrec import CMF_implicit

    given = {"nthreads": threads, "random_state": SEED, "precompute_for_predictions": False, "verbose": False}
    model = CMF_implicit(K, **given, **settings).fit(ones.tocoo().astype(np.float32))
    return model.A_, model.B_


def nbmf(ones: sparse.csr_matrix, K: int, threads: int, class_name: str, **settings):
    """Ours; scores are rates."""
    import warnings

    import nbmf as ours

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a fit ends before it has converged
        model = getattr(ours, class_name)(K, random_state=SEED, **settings).fit(sparse.csr_array(ones))
    return model.W_, model.H_.T


def popularity(ones: sparse.csr_matrix, K: int, threads: int):
    """Rates in proportion to the ones of row and column; a line without ones has half a one."""
    counts = [np.maximum(np.asarray(ones.sum(axis=axis), float).ravel(), 0.5)[:, None] for axis in (1, 0)]
    return counts[0] / ones.nnz, counts[1]


METHODS = {one.__name__: one for one in (hpfrec, poismf, als, bpr, cmfrec, nbmf, popularity)}


def scored(A: np.ndarray, B: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return A B' at places (2, n), array (n,), a piece at a time."""
    pieces = np.array_split(places, max(1, places.shape[1] // 100_000), axis=1)
    return np.concatenate([np.einsum("ek,ek->e", A[f], B[n], dtype=float) for f, n in pieces])


def recommended(A: np.ndarray, B: np.ndarray, ones: sparse.csr_matrix, rows: np.ndarray) -> np.ndarray:
    """Return the TOP columns of rows with the largest A B' that are no ones of theirs, int array (m, TOP); -1: none."""
    found = np.full((rows.size, TOP), -1)
    for i, row in enumerate(rows):
        scores = B @ A[row]
        scores[ones.indices[slice(*ones.indptr[row : row + 2])]] = -np.inf
        best = np.argsort(-scores, kind="stable")[:TOP]
        best = best[scores[best] > -np.inf]
        found[i, : best.size] = best
    return found


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
    started = time.perf_counter(), time.process_time()
    A, B = METHODS[method](ones, **settings)
    seconds = time.perf_counter() - started[0], time.process_time() - started[1]
    most = megabytes()["most"] - before
    np.savez(output_path, scores=scored(A, B, places), found=recommended(A, B, ones, rows))
    return {"seconds": seconds[0], "processor": seconds[1], "most": most}


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
