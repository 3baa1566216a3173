"""Other people's software on the same data: nbmf-mm, and tomotopy and lda as context.

Each peer lives in an environment of its own, made from peers.txt; nothing of it is imported here.
"""

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from common import HERE, KERNELS, ROOT, Rounds, Table, answer_of, first_mask, load, number, run_worker, say
from nbmf import BetaDirGibbs, BetaDirVB, BinaryICA, BinaryMatrix, CollapsedBinaryICA
from nbmf.data.masks import training_codes
from nbmf.likelihoods.bernoulli import loss_of

REQUIREMENTS = HERE / "peers.txt"
HOMES = ROOT / "results" / "benchmarks" / "peers-venv"
DATASETS = ("animals", "paleo")
SEEDS = (0, 1, 2)
BURN_IN, SAMPLES = 1000, 500
PATIENCE = 3600  # seconds for a peer and for its installation, on a machine with other work
LDA_PRIOR = 0.01  # of topics and of words
# What a peer, or its worker, imports and the peer does not require.
NOT_REQUIRED = {"hpfrec": ("numpy", "scipy", "pandas", "cython"), "cmfrec": ("threadpoolctl",)}

# Method of ours -> maker, of K and the seed.
OURS = {
    "nbmf BinaryICA": lambda K, seed: BinaryICA(K, random_state=seed),
    "nbmf CollapsedBinaryICA": lambda K, seed: CollapsedBinaryICA(K, random_state=seed),
    "nbmf BetaDirVB": lambda K, seed: BetaDirVB(K, random_state=seed),
    # A prior as weak as the 1.2 of nbmf-mm is at its mode: one or zero is not pulled to a half.
    "nbmf BetaDirVB, α = β = 0.2": lambda K, seed: BetaDirVB(K, alpha=0.2, beta=0.2, random_state=seed),
    "nbmf BetaDirGibbs": lambda K, seed: BetaDirGibbs(K, burn_in=BURN_IN, n_samples=SAMPLES, random_state=seed),
}


class PeerMissingError(Exception):
    """A peer cannot be installed or run here; the message says why."""


# --- Environments ----------------------------------------------------------------------------


def requirement(peer: str) -> str:
    """Return the line of peers.txt that pins a peer."""
    lines = REQUIREMENTS.read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith(f"{peer}=="))


def python_of(peer: str, homes: Path = HOMES) -> Path:
    """Return the interpreter of a peer's environment; make the environment if there is none.

    Raises
    ------
    PeerMissingError
        If it cannot be installed.
    """
    home = homes / peer
    ready = home / "ready"
    wanted = REQUIREMENTS.read_text(encoding="utf-8")
    if not ready.exists() or ready.read_text(encoding="utf-8") != wanted:
        say(f"peers: installing {requirement(peer)}")
        shutil.rmtree(home, ignore_errors=True)
        pip = [home / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check"]
        try:
            run_worker([sys.executable, "-m", "venv", home])
            wanted_too = NOT_REQUIRED.get(peer, ())
            # Some are compiled.
            run_worker([*pip, "--constraint", REQUIREMENTS, requirement(peer), *wanted_too], timeout=PATIENCE)
        except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
            reason = str(error).strip().splitlines()[-1]
            raise PeerMissingError(f"{requirement(peer)} cannot be installed: {reason}") from error
        ready.write_text(wanted, encoding="utf-8")
    return home / "bin" / "python"


def run_peer(peer: str, codes: np.ndarray, settings: dict) -> tuple[dict, np.ndarray | None]:
    """Run a peer on codes (F, N) in its own process; return its answer and E[V], if it has one.

    Raises
    ------
    PeerMissingError
        If it cannot be installed or fails.
    """
    python = python_of(peer)
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("arrays.npz", "settings.json", "output.npy")]
        np.savez(paths[0], codes=codes)
        paths[1].write_text(json.dumps(settings), encoding="utf-8")
        command = [python, "-P", HERE / "peer_worker.py", peer, *paths]
        try:
            answer = answer_of(command, timeout=PATIENCE)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            reason = str(error).strip().splitlines()[-1]
            raise PeerMissingError(f"{requirement(peer)} failed: {reason}") from error
        return answer, np.load(paths[2]) if paths[2].exists() else None


# --- The same kind of model: nbmf-mm ---------------------------------------------------------


def fit_ours(name: str, codes: np.ndarray, K: int, seed: int) -> tuple[float, int, np.ndarray]:
    """Return the seconds, the iterations and E[V] of a fit of ours."""
    estimator = OURS[name](K, seed)
    started = time.perf_counter()
    estimator.fit(codes)
    return time.perf_counter() - started, estimator.n_iter_, estimator.expectation_


def fit_peer(codes: np.ndarray, K: int, seed: int, **settings) -> tuple[float, int, np.ndarray]:
    """Return the seconds, the iterations and E[V] of a fit of nbmf-mm."""
    given = {"n_components": K, "random_state": seed, "orientation": "beta-dir", **settings}
    answer, expectation = run_peer("nbmf-mm", codes, given)
    return answer["seconds"], answer["iterations"], expectation


def fits_of(matrix: BinaryMatrix, mask: np.ndarray, K: int, seeds=SEEDS) -> dict[str, list]:
    """Return the fits of all methods, one for each seed: seconds, iterations, E[V].

    The methods take turns. "same time" is nbmf-mm stopped after the time BinaryICA took.
    """
    codes = training_codes(matrix, mask)
    brief = np.ascontiguousarray(codes[:8, :8])
    for name in OURS:
        fit_ours(name, brief, 2, 0)  # loads the compiled code
    fits = {name: [] for name in OURS}
    for seed in seeds:
        say(f"peers: fits with K = {K}, seed {seed}")
        for name in OURS:
            fits[name].append(fit_ours(name, codes, K, seed))
        try:
            default = fit_peer(codes, K, seed)
            affordable = fits["nbmf BinaryICA"][-1][0] / (default[0] / default[1])
            same_time = fit_peer(codes, K, seed, max_iter=max(1, round(affordable)), tol=0.0)
        except PeerMissingError as error:
            fits["nbmf-mm"] = str(error)
            continue
        fits.setdefault("nbmf-mm, its defaults", []).append(default)
        fits.setdefault("nbmf-mm, same time as BinaryICA", []).append(same_time)
    return fits


def fits_table(datasets: dict[str, tuple[BinaryMatrix, np.ndarray]], K: int, seeds=SEEDS) -> Table:
    """Compare seconds and held-out perplexity."""
    table = Table(
        "nbmf-mm and nbmf",
        f"{requirement('nbmf-mm')} maximises the posterior of the Beta-Dir model by "
        "majorisation-minimisation (Magron and Févotte 2022): α = β = 1.2 and no prior on W by "
        f"default, at most 2000 iterations. Same held-out entries (first mask, 25 %; it takes them "
        f"as its mask argument), K = {K}, one thread, {len(seeds)} seeds; ours with their default "
        f"iterations (500), BetaDirGibbs {BURN_IN} + {SAMPLES} sweeps. Median and range over "
        "seeds; perplexity is ours (nats per held-out entry) for all. Impossible: held-out entries "
        "that were predicted to be impossible, at most.",
        ["dataset", "method", "seconds", "iterations", "perplexity: median", "range", "impossible"],
    )
    for dataset, (matrix, mask) in datasets.items():
        for name, runs in fits_of(matrix, mask, K, seeds).items():
            if isinstance(runs, str):
                table.rows.append([dataset, name, f"skipped: {runs}", *["–"] * 4])
                continue
            seconds, iterations, expectations = zip(*runs, strict=True)
            scores = [loss_of(matrix.codes, expectation, mask) for expectation in expectations]
            losses = [one.perplexity for one in scores]
            table.rows.append(
                [
                    dataset,
                    name,
                    number(np.median(seconds)),
                    int(np.median(iterations)),
                    f"{np.median(losses):.4f}",
                    f"{min(losses):.4f} – {max(losses):.4f}",
                    max(one.saturated for one in scores),
                ]
            )
    return table


# --- Another model: LDA ----------------------------------------------------------------------


def sweeps_table(dataset: str, codes: np.ndarray, K: int, rounds: Rounds) -> Table:
    """Time sweeps of two LDA samplers over the ones, compared with ours over all entries."""
    table = Table(
        "Sweeps of LDA samplers, as context",
        f"{dataset}, whole matrix, K = {K}, one thread. LDA is another model: it sees the ones as "
        "tokens (columns are documents) and neither zeros nor missing entries, so that its sweep "
        "has fewer items; the times per item are comparable in kind only. LDA: α = 1/K, "
        f"η = {LDA_PRIOR}; ours: γ = 1/K. After {rounds.warm_up} sweeps; "
        "a sweep of lda is the difference of a long and a short fit.",
        ["software", "items", "ns per item and sweep: minimum", "median", "µs per sweep: median"],
    )

    def add(name, kind, items, seconds):
        ns = seconds / items * 1e9
        table.rows.append(
            [name, f"{items} {kind}", number(ns.min()), number(np.median(ns)), number(np.median(seconds) * 1e6)]
        )

    settings = {
        "K": K,
        "alpha": 1 / K,
        "eta": LDA_PRIOR,
        "seed": 1,
        "warm_up": rounds.warm_up,
        "sweeps": 100,
        "rounds": rounds.count,
    }
    for peer in ("tomotopy", "lda"):
        say(f"peers: {peer}")
        try:
            answer, _ = run_peer(peer, codes, settings)
        except PeerMissingError as error:
            table.rows.append([peer, f"skipped: {error}", "–", "–", "–"])
            continue
        name = f"{requirement(peer)} (LDA)"
        add(name, "tokens", answer["tokens"], np.array(answer["per_sweep"]))
    cells = int(np.count_nonzero(codes >= 0))
    samplers = {name: kernel for name, kernel in KERNELS.items() if "Gibbs" in name}
    runs = {name: kernel.run(kernel.make(codes, K)) for name, kernel in samplers.items()}
    for name, seconds in rounds.time(runs).items():
        add(f"nbmf {name}", "entries", cells, seconds)
    return table


def run() -> list[Table]:
    """Do this part as `make benchmark` does."""
    matrices = {name: load(name) for name in DATASETS}
    masked = {name: (matrix, first_mask(name, matrix)) for name, matrix in matrices.items()}
    return [fits_table(masked, 10), sweeps_table("paleo", load("paleo").codes, 100, Rounds())]
