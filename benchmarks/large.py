"""Large sparse binary matrices by the Bernoulli-Poisson link, each fit in a process of its own.

A tenth of the ones and as many zeros are held out: stored as NaN, which is missing. Two matrices:
drawn from known factors, with popularities of a heavy tail, and the words of the 20 newsgroups.

    python large.py FILE CLASS K ITERATIONS

fits one and prints a line of JSON.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

import nbmf
from common import ROOT, Table, answer_of, number, say, worker
from nbmf.errors import DataError
from nbmf.seeds import seed_sequence
from process_memory import megabytes

NEWSGROUPS = "cran/Rcoclust/6200df934860395d5ab2f5c4144f4d274fde9a30/data/data_ng20.rda"
MIRRORS = ("data/mirror", "data/raw", "../shared/mirror")
METHODS = ("BernoulliPoissonVB", "BernoulliPoissonGibbs")
HELD_OUT = 0.1  # of the ones
PATIENCE = 3600  # seconds for a fit, on a machine with other work
POWERS = 0.5, 0.8  # of the rank of a row and of a column, in its popularity


class Size(NamedTuple):
    """A drawn matrix: F x N with so many ones of K components."""

    F: int
    N: int
    ones: int
    K: int


class Run(NamedTuple):
    """What is run: the drawn matrix, and iterations of a fit and of one whose memory is measured.

    K : components of the fits of the newsgroups
    iterations : of VB at most; of the sampler sweeps, half of which are kept
    """

    size: Size = Size(100_000, 10_000, 1_000_000, 8)
    K: int = 20
    iterations: int = 400
    brief: int = 100


class Split(NamedTuple):
    """A matrix whose held-out entries are NaN, and these: rows and columns of ones and of zeros."""

    V: sparse.csr_array
    ones: np.ndarray  # (2, n)
    zeros: np.ndarray  # (2, n)


# --- Matrices ----------------------------------------------------------------------------------


def drawn(size: Size) -> tuple[sparse.csr_array, Callable]:
    """Return a matrix from the model, and a function from rows and columns to true chances.

    w_fk is the popularity of the row, a power of its rank, times Gamma(0.3); h_kn likewise. Events
    of rate W H happen one after the other, until so many entries have had one.
    """
    rng = np.random.default_rng(seed_sequence("benchmark", "large"))
    factors = [
        rng.permutation(np.arange(1.0, lines + 1) ** -power)[:, None] * rng.gamma(0.3, 1.0, (lines, size.K))
        for lines, power in zip(size[:2], POWERS, strict=True)
    ]
    weight = np.prod([table.sum(axis=0) for table in factors], axis=0)
    shares = [table / table.sum(axis=0) for table in factors]
    flat, first = np.empty(0, np.int64), np.empty(0, np.int64)
    while first.size < size.ones:  # an entry counts once: how many events that takes is not known
        source = rng.choice(size.K, size.ones, p=weight / weight.sum())
        more = np.empty((2, source.size), np.int64)
        for k in range(size.K):
            mine = source == k
            more[:, mine] = [rng.choice(len(p), mine.sum(), p=p[:, k]) for p in shares]
        flat = np.concatenate([flat, more[0] * size.N + more[1]])
        first = np.sort(np.unique(flat, return_index=True)[1])
    events = first[size.ones - 1] + 1
    scale = events / weight.sum()

    def chances(rows, columns):
        rates = np.einsum("ek,ek->e", factors[0][rows], factors[1][columns])
        return -np.expm1(-scale * rates)

    places = np.divmod(flat[first[: size.ones]], size.N)
    return sparse.csr_array((np.ones(size.ones), places), shape=size[:2]), chances


def newsgroups() -> sparse.csr_array | None:
    """Return which words the messages have, (19949, 43586); None without the raw file."""
    import rdata

    for mirror in MIRRORS:
        found = ROOT / mirror / NEWSGROUPS
        if found.exists():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                rows, columns, _ = np.asarray(rdata.read_rda(found)["A_ijx"]).T.astype(np.int64)
            return sparse.csr_array((np.ones(rows.size), (rows, columns))).sign()
    return None


def split(V: sparse.csr_array) -> Split:
    """Hold out a tenth of the ones and as many zeros, drawn at random."""
    rng = np.random.default_rng(seed_sequence("benchmark", "large", "held out"))
    N = V.shape[1]
    flat = np.ravel_multi_index(V.nonzero(), V.shape)
    held = np.zeros(flat.size, bool)
    held[rng.choice(flat.size, round(HELD_OUT * flat.size), replace=False)] = True
    zeros = np.unique(rng.integers(0, V.shape[0] * N, 3 * held.sum()))
    zeros = rng.permutation(zeros[~np.isin(zeros, flat)])[: held.sum()]
    places = np.concatenate([flat, zeros])
    values = np.concatenate([np.where(held, np.nan, 1.0), np.full(zeros.size, np.nan)])
    made = sparse.csr_array((values, np.divmod(places, N)), shape=V.shape)
    made.sort_indices()
    return Split(made, np.array(np.divmod(flat[held], N)), np.array(np.divmod(zeros, N)))


# --- Scores ------------------------------------------------------------------------------------


def loss(part: Split, of_ones: np.ndarray, of_zeros: np.ndarray) -> float:
    """Return the loss of the whole matrix per one, in nats, estimated from held-out entries.

    Each is weighted by one over the chance that one of its kind was held out. Chances are of
    entries that were observed: a tenth of the ones was not, and nearly all zeros were, which is
    made up for, p / (1 - p) being smaller by that.
    """
    n_zeros = np.prod(part.V.shape) - part.ones.shape[1] / HELD_OUT

    def made_up(p):
        p = np.clip(p, 1e-12, 1 - 1e-12)
        return p / (p + (1 - p) * (1 - HELD_OUT))

    parts = -np.log(made_up(of_ones)).mean(), -np.log1p(-made_up(of_zeros)).mean()
    return parts[0] + parts[1] * n_zeros * HELD_OUT / part.ones.shape[1]


def popularity_chances(part: Split) -> Callable:
    """Return a function to the chances by the proportions of ones of row and column."""
    rows, columns = (part.V == 1.0).nonzero()
    F, N = part.V.shape
    counts = np.bincount(rows, minlength=F) + 0.5, np.bincount(columns, minlength=N) + 0.5
    return lambda f, n: -np.expm1(-counts[0][f] * counts[1][n] / rows.size)


# --- One fit, in a process of its own ----------------------------------------------------------


class Clock:
    """A monitor that looks at the processor's time after every iteration."""

    def __init__(self):
        self.times = []

    def resume(self, state):
        """Start at the beginning."""
        self.times.append(time.process_time())
        return 0

    def next_after(self, iteration):
        """Look after the next."""
        return iteration + 1

    def __call__(self, iteration, total, state):
        """Look at the clock."""
        self.times.append(time.process_time())


def fit(path: str | Path, class_name: str, K: int, iterations: int) -> dict:
    """Fit the matrix of a file; return times, memory beyond that of an empty process, chances."""

    def made():
        settings = {"max_iter": iterations}
        if class_name == "BernoulliPoissonGibbs":
            settings = {"burn_in": iterations // 2, "n_samples": iterations - iterations // 2}
        return getattr(nbmf, class_name)(K, random_state=0, **settings)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a fit may end before it has converged
        made().set_params(n_components=2).fit(sparse.csr_array([[1.0, np.nan], [0.0, 1.0]]))
        before, clock = megabytes()["now"], Clock()
        with np.load(path) as arrays:
            part = read(arrays)
        started = time.process_time()
        model = made().fit(part.V, monitor=clock)
    fitted = time.process_time() - started
    chances = [model.predict(*places) for places in (part.ones, part.zeros)]
    try:
        refusal = f"{model.expectation_.nbytes} bytes"
    except DataError as error:
        refusal = str(error)
    return {
        "seconds": fitted,
        "iterations": model.n_iter_,
        "per_iteration": _seconds_per_iteration(clock),
        "most": megabytes()["most"] - before,
        "loss": loss(part, *chances),
        "expectation_": refusal,
    }


def _seconds_per_iteration(clock: Clock) -> float:
    """Return seconds, those of looks at the objective included: of the second half of the fit."""
    half = clock.times[len(clock.times) // 2 :]
    return (half[-1] - half[0]) / (len(half) - 1)


def write(path: Path, part: Split) -> None:
    """Write a matrix and its held-out entries."""
    V = part.V
    np.savez(path, data=V.data, indices=V.indices, indptr=V.indptr, shape=V.shape, ones=part.ones, zeros=part.zeros)


def read(arrays) -> Split:
    """Return what `write` wrote."""
    V = sparse.csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=tuple(arrays["shape"]))
    return Split(V, arrays["ones"], arrays["zeros"])


# --- Tables ------------------------------------------------------------------------------------


def fits_table(run: Run, folder: Path) -> Table:
    """Fit both matrices by both methods, and score them."""
    table = Table(
        "Large sparse matrices",
        "Ones of heavy-tailed popularity drawn from known factors, and which words the messages of "
        "the 20 newsgroups have. A tenth of the ones and as many zeros are held out, each weighted "
        "by one over the chance of being so: nats of the whole matrix per one, of the method, "
        "of rates in proportion to the ones of row and column, and of the true factors. "
        f"Variational Bayes until it gains little, {run.iterations} iterations at most; Gibbs "
        f"sampling {run.iterations} sweeps, half of them kept. Seconds of the processor, one "
        "thread, the looks at the objective and the averages included; MB (10⁶ bytes) beyond an "
        "empty process with the compiled code.",
        [
            "matrix",
            "ones",
            "K",
            "method",
            "iterations",
            "ms an iteration",
            "ns per one and component",
            "seconds of the fit",
            "most: MB",
            "held out: nats per one",
            "by popularity",
            "truth",
        ],
    )
    simulated, truth = drawn(run.size)
    cases = [("drawn", simulated, run.size.K, truth)]
    if (words := newsgroups()) is not None:
        cases.append(("newsgroups", words, run.K, None))
    for name, V, K, chances in cases:
        part = split(V)
        write(path := folder / f"{name}.npz", part)
        scored = [popularity_chances(part)] + ([chances] if chances else [])
        others = [number(loss(part, *(p(*places) for places in (part.ones, part.zeros))), 4) for p in scored]
        for method in METHODS:
            say(f"large: {name}, {method}")
            found = answer_of(worker("large", path, method, K, run.iterations), timeout=PATIENCE)
            per_one = found["per_iteration"] / ((1 - HELD_OUT) * V.nnz * K)
            table.rows.append(
                [
                    f"{name}, {V.shape[0]} x {V.shape[1]}",
                    V.nnz,
                    K,
                    method,
                    found["iterations"],
                    number(1e3 * found["per_iteration"]),
                    number(1e9 * per_one),
                    number(found["seconds"]),
                    number(found["most"]),
                    number(found["loss"], 4),
                    *others,
                    *["–"] * (2 - len(others)),
                ]
            )
    if words is None:
        table.rows.append([f"newsgroups: {Path(NEWSGROUPS).name} is not at hand", *["–"] * 11])
    return table


def memory_table(run: Run, folder: Path) -> Table:
    """Measure fits of drawn matrices of which one number is changed."""
    F, N, ones, K = run.size
    sizes = {
        "as above": run.size,
        "half of the ones": run.size._replace(ones=ones // 2),
        "half of the rows and columns": run.size._replace(F=F // 2, N=N // 2),
        "twice the components": run.size._replace(K=2 * K),
    }
    rows, terms, most, refusal = [], [], {method: [] for method in METHODS}, ""
    for name, size in sizes.items():
        part = split(drawn(size)[0])
        write(path := folder / "memory.npz", part)
        numbers = (size.F + size.N) * size.K
        terms.append([size.ones / 1e6, numbers / 1e6])
        for method in METHODS:
            say(f"large: memory, {name}, {method}")
            found = answer_of(worker("large", path, method, size.K, run.brief), timeout=PATIENCE)
            most[method].append(found["most"])
            refusal = refusal or found["expectation_"]
        each = [number(most[method][-1]) for method in METHODS]
        rows.append([name, f"{size.F} x {size.N}", size.ones, size.K, numbers, *each])
    fitted = {
        method: np.linalg.lstsq(np.array(terms), np.array(values), rcond=None)[0] for method, values in most.items()
    }
    said = "; ".join(
        f"{method} {a:.0f} bytes per one and {b:.0f} per number of the factors" for method, (a, b) in fitted.items()
    )
    return Table(
        "Memory of large fits",
        f"Drawn matrices as above, {run.brief} iterations: MB beyond an empty process, predictions "
        f"of held-out entries included. By least squares: {said}. Of the sampler 50 draws of both "
        f"factors are kept, 4 bytes a number each. `expectation_` says: {refusal}.",
        ["matrix", "F x N", "ones", "K", "numbers of the factors", *(f"{method}: MB" for method in METHODS)],
        rows,
    )


def run(what: Run | None = None) -> list[Table]:
    """Do this part as `make benchmark` does."""
    with TemporaryDirectory() as folder:
        what = what or Run()
        return [fits_table(what, Path(folder)), memory_table(what, Path(folder))]


if __name__ == "__main__":
    given, name, *numbers = sys.argv[1:]
    print(json.dumps(fit(given, name, *map(int, numbers))))
