"""LDA with a learned prior, full and fast, compared with scikit-learn's and the other LDA of nbmf.

Programs are compared by document completion: half of the words of new documents predict the other
half, so that no program's own bound is used. Seconds are those of the processor.
"""

import time
import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
import rdata
import scipy.sparse as sparse
from sklearn.decomposition import LatentDirichletAllocation as Peer

from common import ROOT, Table, number, say
from nbmf.data.feature_table import FeatureTable
from nbmf.families.mixed_membership.feature_model import FeatureModel
from nbmf.families.mixed_membership.features import cells_of
from nbmf.families.mixed_membership.kernels.lda import LatentDirichletAllocation as OtherLDA
from nbmf.families.mixed_membership.kernels.lda import tokens, topic_shares
from nbmf.families.mixed_membership.kernels.membership import full_e_step
from nbmf.seeds import seed_sequence
from peers import PeerMissingError, run_peer

CLASSIC3 = "cran/Rcoclust/6200df934860395d5ab2f5c4144f4d274fde9a30/data/data_classic3.rda"
MIRRORS = ("data/mirror", "data/raw", "../shared/mirror")
TESTED = 0.1  # of the documents
SMOOTHING = 0.1
PASSES = 20  # of a fit


class Corpus(NamedTuple):
    """Documents by words, binary: those that are fitted, and new ones in two halves."""

    name: str
    fitted: sparse.csr_array
    seen: sparse.csr_array
    rest: sparse.csr_array


def classic3() -> Corpus:
    """Return Classic3 if its raw file is at hand, else documents drawn of its size."""
    for mirror in MIRRORS:
        found = ROOT / mirror / CLASSIC3
        if found.exists():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                rows, columns, _ = np.asarray(rdata.read_rda(found)["A_ijx"]).T.astype(int)
            return halved("Classic3", sparse.csr_array((np.ones(rows.size), (rows, columns))))
    return halved("drawn documents", drawn(3891, 4303, 45, 10))


def drawn(n: int, words: int, size: int, K: int) -> sparse.csr_array:
    """Return which words documents of K topics have, (n, words)."""
    rng = np.random.default_rng(seed_sequence("benchmark", "documents"))
    topics = rng.dirichlet(np.full(words, 0.02), K)
    shares = rng.dirichlet(np.full(K, 0.2), n)
    lengths = rng.poisson(size, n) + 2
    counts = np.array([rng.multinomial(m, p @ topics) for m, p in zip(lengths, shares, strict=True)])
    return sparse.csr_array((counts > 0).astype(float))


def halved(name: str, documents: sparse.csr_array) -> Corpus:
    """Return a corpus with a tenth of the documents as new ones, each in two halves at random."""
    rng = np.random.default_rng(seed_sequence("benchmark", name))
    order = rng.permutation(documents.shape[0])
    n_new = round(TESTED * order.size)
    new = documents[np.sort(order[:n_new])].tocoo()
    place = rng.random(new.nnz)
    place = np.lexsort((place, new.row))  # shuffled inside each document
    first = np.concatenate([[0], np.cumsum(np.bincount(new.row, minlength=n_new))])
    within = np.arange(new.nnz) - first[new.row[place]]
    is_seen = np.empty(new.nnz, bool)
    is_seen[place] = within < np.diff(first)[new.row[place]] // 2
    halves = (
        sparse.csr_array((new.data[half], (new.row[half], new.col[half])), shape=new.shape)
        for half in (is_seen, ~is_seen)
    )
    return Corpus(name, documents[np.sort(order[n_new:])], *halves)


def completion(corpus: Corpus, shares: np.ndarray, topics: np.ndarray) -> float:
    """Return the perplexity of the second halves, given shares (n, K) and topics (V, K)."""
    row, column = corpus.rest.nonzero()
    return float(np.exp(-np.log((shares[row] * topics[column]).sum(axis=1)).mean()))


# --- Speed of an iteration --------------------------------------------------------------------


def ours(table: FeatureTable, K: int, model: str, inner_max: int, seed: int = 0):
    """Return a model of ours and its state before the first EM step."""
    made = FeatureModel(K, model=model, smoothing=SMOOTHING, inner_max=inner_max, random_state=seed)
    return made, made.start(table)


def drawn_features(n: int, features: int, K: int) -> FeatureTable:
    """Return a table of binary features, each row a mixture of K components."""
    rng = np.random.default_rng(seed_sequence("benchmark", "features"))
    shares, ones = rng.dirichlet(np.full(K, 0.2), n), rng.beta(0.3, 0.7, (K, features))
    values = (rng.random((n, features)) < shares @ ones).astype(float)
    return FeatureTable.from_array(values, kinds="bernoulli")


def round_of_full(table: FeatureTable, K: int, repeats: int) -> float:
    """Return the seconds per cell, component and round of the full E-step, of the quickest run."""
    _, state = ours(table, K, "mmnb", 100)
    state.advance(3)
    cells = cells_of(table)
    log = state.densities.log_density(cells.columns, cells.values)
    density = np.exp(log - log.max(axis=1, keepdims=True))
    taken = []
    for _ in range(repeats):
        gamma = state.prior + (cells.sizes / K)[:, None]
        counts, logs = np.zeros_like(density), np.empty(len(gamma))
        started = time.process_time()
        work = full_e_step(
            cells.starts, cells.atoms, cells.weights, density, state.prior, (100, 1e-3), gamma, counts, logs
        )
        taken.append((time.process_time() - started) / (work * K))
    return min(taken)


def speed_table(model: str, name: str, cells: FeatureTable, K: int, repeats: int) -> Table:
    """Time EM steps, which take turns."""
    sizes = cells_of(cells).sizes
    table = Table(
        f"EM steps of {model}",
        f"{name}, {sizes.size} lines of {sizes.sum():.0f} cells together, K = {K}, "
        "one thread, E-steps from flat starts. The full E-step takes "
        f"{number(round_of_full(cells, K, repeats) * 1e9)} ns per cell, component and round. "
        "The last column is the time of full steps over that of these, in the same round.",
        ["E-step", "ms per EM step: minimum", "median", "full / this"],
    )
    kinds = {"full": ("mmnb", 100), "fast, converged": ("fast-mmnb", 100)}
    kinds |= {"fast, 5 rounds": ("fast-mmnb", 5)}
    states = {name: ours(cells, K, *kind)[1] for name, kind in kinds.items()}
    times = {name: [] for name in states}
    for state in states.values():
        state.advance(2)
    for _ in range(repeats):
        for name, state in states.items():
            started = time.process_time()
            state.advance(1)
            times[name].append(time.process_time() - started)
            state.is_warm = False
    for name, values in times.items():
        ms, ratio = 1e3 * np.array(values), np.array(times["full"]) / np.array(values)
        row = [number(ms.min()), number(np.median(ms)), number(np.median(ratio))]
        table.rows.append([name, *row])
    return table


# --- Fits to the same completion --------------------------------------------------------------


def ours_step_by_step(corpus: Corpus, K: int, model: str, inner_max: int) -> Iterator:
    """Yield, after every EM step, its seconds and a function that returns the completion."""
    table = FeatureTable.from_documents(corpus.fitted)
    seen = cells_of(FeatureTable.from_documents(corpus.seen))
    started = time.process_time()
    made, state = ours(table, K, model, inner_max)
    while True:
        state.advance(1)
        seconds = time.process_time() - started

        def complete():
            log = state.densities.log_density(seen.columns, seen.values)
            shares = made._e_step().find(seen, log, state.prior).shares
            return completion(corpus, shares, state.densities.mean().T)

        yield seconds, complete
        started = time.process_time()


def other_step_by_step(corpus: Corpus, K: int) -> Iterator:
    """Yield the results of nbmf.LDA, whose prior is 1/K and whose topics are distributions."""
    codes = corpus.fitted.toarray().T.astype(np.int8)
    seen = tokens(corpus.seen.toarray().T.astype(np.int8))
    started = time.process_time()
    inference = OtherLDA(codes, K, 0)
    while True:
        inference.update()
        seconds = time.process_time() - started
        counts = inference.topic_counts

        def complete(counts=counts):
            return completion(corpus, topic_shares(*seen, counts).T, counts / counts.sum(axis=0))

        yield seconds, complete
        started = time.process_time()


def peer_step_by_step(corpus: Corpus, K: int) -> Iterator:
    """Yield the results of scikit-learn's batch LDA, whose passes are fits of its own loop."""
    peer = Peer(K, learning_method="batch", random_state=0)
    peer.fit(corpus.fitted[:K])  # loads and sets it up
    started = time.process_time()
    peer._init_latent_vars(corpus.fitted.shape[1], dtype=np.float64)
    while True:
        peer._em_step(corpus.fitted, total_samples=corpus.fitted.shape[0], batch_update=True)
        seconds = time.process_time() - started

        def complete():
            topics = peer.components_.T
            return completion(corpus, peer.transform(corpus.seen), topics / topics.sum(axis=0))

        yield seconds, complete
        started = time.process_time()


def gensim_step_by_step(corpus: Corpus, K: int, passes: int, given: dict) -> Iterator:
    """Yield the results of gensim's, which runs in an environment of its own.

    Raises
    ------
    PeerMissingError
        If it cannot be installed or run.
    """
    words = corpus.fitted.shape[1]
    codes = sparse.vstack([corpus.fitted, corpus.seen]).toarray().T.astype(np.int8)
    settings = {"K": K, "fitted": corpus.fitted.shape[0], "given": given | {"passes": passes}}
    answer, found = run_peer("gensim", codes, settings)
    for seconds, tables in zip(answer["seconds"], found, strict=True):
        topics, shares = tables[:, :words], tables[:, words:]
        yield seconds, lambda t=topics.T, s=shares.T: completion(corpus, s, t)


def fits_table(corpus: Corpus, K: int, passes: int) -> Table:
    """Fit with every program, and look when it is as good as scikit-learn's is in the end."""
    n = corpus.fitted.shape[0]
    programs: dict[str, Callable[[], Iterator]] = {
        "scikit-learn, batch": lambda: peer_step_by_step(corpus, K),
        "gensim, one batch": lambda: gensim_step_by_step(corpus, K, passes, {"chunksize": n}),
        "gensim, batches of 2000": lambda: gensim_step_by_step(corpus, K, passes, {}),
        "nbmf.LDA": lambda: other_step_by_step(corpus, K),
        "learned prior, full": lambda: ours_step_by_step(corpus, K, "mmnb", 100),
        "learned prior, fast, converged": lambda: ours_step_by_step(corpus, K, "fast-mmnb", 100),
        "learned prior, fast, 5 rounds": lambda: ours_step_by_step(corpus, K, "fast-mmnb", 5),
    }
    found, absent = {}, {}
    for name, steps in programs.items():
        say(f"membership: {name}")
        seconds, perplexities = [], []
        try:
            for taken, complete in islice(steps(), None if "gensim" in name else passes):
                seconds.append(taken)
                perplexities.append(complete())
        except PeerMissingError as error:
            absent[name] = f"skipped: {error}"
        found[name] = np.cumsum(seconds), np.array(perplexities)
    goal = found["scikit-learn, batch"][1][-1]
    table = Table(
        "LDA to the same completion",
        f"{corpus.name}, K = {K}, one start, one thread: perplexity of half of the words of "
        f"{corpus.seen.shape[0]} new documents given the other half. α is learned in the last "
        "three rows and 1/K in the others. The goal is where scikit-learn ends.",
        ["program", f"seconds of {passes} passes", "completion", f"seconds to {goal:.0f}"],
    )
    for name, (seconds, perplexities) in found.items():
        if name in absent:
            table.rows.append([name, absent[name], "–", "–"])
            continue
        there = np.flatnonzero(perplexities <= goal)
        reached = number(seconds[there[0]]) if there.size else "not reached"
        table.rows.append([name, number(seconds[-1]), f"{perplexities[-1]:.0f}", reached])
    return table


def run() -> list[Table]:
    """Do this part as `make benchmark` does."""
    corpus = classic3()
    documents, features = FeatureTable.from_documents(corpus.fitted), drawn_features(2000, 100, 10)
    return [
        speed_table("LDA and Fast LDA", corpus.name, documents, 10, 15),
        speed_table("MMNB and Fast MMNB", "drawn binary features", features, 10, 15),
        fits_table(corpus, 10, PASSES),
    ]
