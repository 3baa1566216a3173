"""Ideal points, ordered answers and positions that move, next to packages of R and Python: three tables.

    apt-get install r-cran-mcmcpack r-cran-pscl      # without R its samplers are skipped, and the table says so
    .venv/bin/pip install "myfm==0.4.0" "mirt==1.2.0" "setuptools<81"
    NUMBA_CACHE_DIR=$PWD/.numba_cache .venv/bin/python benchmarks/item_response.py [--replications 40] [--masks 3]

One component, or position, everywhere. Every sampler has SWEEPS, of which a sixth are burn-in and every fifth of the
others is kept. What is compared is E[v] of single entries, which means the same in every package: the effective sample
size per second of CPU; the held-out log loss of the mean probabilities; and how often 90 % intervals hold the truth, on
matrices drawn from the sampler's own model and prior, with its own link: logit here, probit in the packages. On real
data every package has its default priors, on drawn ones all variances are 1. The numbers of docs/logistic.md.
"""

import argparse
import os
import re
import shutil
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

os.environ["TQDM_DISABLE"] = "1"  # of myFM

import numpy as np
from scipy.special import expit, ndtr

import nbmf
from common import HERE, ROOT, Table, environment, number, say
from nbmf.families.logistic import factors as form
from nbmf.families.logistic.ordered_cells import CUT_SCALE, exceedances
from nbmf.inference.estimator import Factorization
from nbmf.inference.state import Factors
from nbmf.numerics.blas import one_blas_thread
from nbmf.posterior.diagnostics import chain_diagnostics
from nbmf.seeds import seed_sequence

SWEEPS, THIN, LEVEL, HELD_OUT = 6000, 5, 0.9, 0.2
BURN_IN = SWEEPS // 6
KEPT = (SWEEPS - BURN_IN) // THIN
LOOKED_AT = 300  # entries, whose effective sample sizes are told
F, N, T, C = 60, 20, 4, 4  # of drawn matrices: rows, columns, periods, categories
WALK = (2.0, 0.05)  # shape and rate of the walk's variance a priori


class Found(NamedTuple):
    """What a package returns for a matrix.

    mean : float array (F, N, C - 1)
        P(v > c), the mean over draws, or the estimate.
    seconds : float
        Of CPU.
    draws : float array (draws, F, N), or None
        E[v].
    """

    mean: np.ndarray
    seconds: float
    draws: np.ndarray | None


class Task(NamedTuple):
    """A matrix, codes with -1 where missing, its categories, and periods of its columns or None."""

    codes: np.ndarray
    n_categories: int
    periods: np.ndarray | None
    has_unit_priors: bool


# --- The packages ----------------------------------------------------------------------------------


def nbmf_sampler(make: Callable[[Task], Factorization]) -> Callable[[Task], Found]:
    """Return a function that draws from a model of this package."""

    def run(task: Task) -> Found:
        model, started = make(task), time.process_time()
        model.set_params(burn_in=BURN_IN, n_samples=SWEEPS - BURN_IN, random_state=seed_sequence("item response"))
        draws = nbmf.posterior_draws(model, task.codes, n_draws=KEPT)
        seconds = time.process_time() - started
        beyond = np.stack([_exceedances(one) for one in draws])
        return Found(beyond.mean(axis=0), seconds, beyond.sum(axis=-1))

    return run


def _exceedances(factors: Factors) -> np.ndarray:
    psi = form.psi_of(factors)
    return exceedances(psi, factors.others[form.CUTS]) if form.CUTS in factors.others else expit(psi)[..., None]


def r_sampler(method: str) -> Callable[[Task], Found]:
    """Return a function that lets item_response.R draw."""

    def run(task: Task) -> Found:
        with tempfile.TemporaryDirectory() as folder:
            matrix, out = Path(folder) / "V.csv", Path(folder) / "draws"
            texts = np.where(task.codes < 0, "", task.codes.astype(str))
            matrix.write_text("\n".join(map(",".join, texts)) + "\n")
            periods = "-" if task.periods is None else ",".join(map(str, task.periods + 1))
            command = ["Rscript", str(HERE / "item_response.R"), method, str(matrix), str(out), str(SWEEPS)]
            prior = "unit" if task.has_unit_priors else "default"
            done = subprocess.run([*command, prior, periods], capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(f"{method}: {done.stderr[-500:]}")
            found = np.fromfile(out)
        kept, parameters, seconds = int(found[0]), int(found[1]), found[2]
        beyond = _exceedances_of_draws(method, task, found[3:].reshape(parameters, kept).T)
        return Found(beyond.mean(axis=0), seconds, beyond.sum(axis=-1))

    return run


def _exceedances_of_draws(method: str, task: Task, draws: np.ndarray) -> np.ndarray:
    """Return P(v > c) from draws of positions, slopes and difficulties, (draws, F, N, C - 1)."""
    rows, columns = task.codes.shape
    n_positions = rows * (1 if task.periods is None else task.periods.max() + 1)
    position, slope, second, cuts = np.split(draws, np.cumsum([n_positions, columns, columns]), axis=1)
    if task.periods is None:
        psi = position[:, :, None] * slope[:, None, :]
    else:
        psi = position.reshape(len(draws), -1, rows)[:, task.periods].transpose(0, 2, 1) * slope[:, None, :]
    if method != "ordered":
        return ndtr(psi - second[:, None, :])[..., None]
    cuts = cuts.reshape(len(draws), -1, columns)  # the first one is 0
    thresholds = np.concatenate([np.zeros_like(cuts[:, :1]), cuts], axis=1).transpose(0, 2, 1)
    return ndtr((psi + second[:, None, :])[..., None] - thresholds[:, None])


def fit_by_myfm(task: Task) -> Found:
    """Return what myFM predicts: rows and columns as two variables, one factor, no draws of E[v] looked at."""
    from myfm import MyFMGibbsClassifier, MyFMOrderedProbit

    from nbmf_studies.rivals.factorization_machine import _indicators

    rows, columns = task.codes.shape
    observed, every = np.nonzero(task.codes >= 0), np.indices(task.codes.shape).reshape(2, -1)
    is_binary, started = task.n_categories == 2, time.process_time()
    model = (MyFMGibbsClassifier if is_binary else MyFMOrderedProbit)(rank=1, random_seed=0)
    values = task.codes[observed] == 1 if is_binary else task.codes[observed].astype(int)
    options = {"n_iter": SWEEPS, "n_kept_samples": SWEEPS - BURN_IN, "group_shapes": [rows, columns]}
    model.fit(_indicators(*observed, rows, columns), values, **options)
    p = model.predict_proba(_indicators(*every, rows, columns))
    seconds = time.process_time() - started
    if is_binary:
        return Found(p.reshape(rows, columns, 1), seconds, None)
    beyond = 1.0 - np.cumsum(p, axis=1)[:, :-1]
    return Found(beyond.reshape(rows, columns, -1), seconds, None)


def fit_by_mirt(task: Task) -> Found:
    """Return what mirt for Python predicts: the two-parameter logistic or the graded response model, by EM."""
    from nbmf_studies.rivals.item_response import ItemResponse

    started = time.process_time()
    if task.n_categories == 2:
        beyond = ItemResponse(1, max_iter=500).fit(task.codes).expectation_[..., None]
    else:
        beyond = fit_graded(task.codes, task.n_categories)
    return Found(beyond, time.process_time() - started, None)


def fit_graded(codes: np.ndarray, n_categories: int) -> np.ndarray:
    """Return P(v > c) of the graded response model of mirt, (F, N, C - 1).

    Its slopes are positive, so columns that fall along the first singular vector are reversed first.
    """
    from mirt import fit_mirt
    from mirt.estimation.priors import NormalPrior

    from nbmf_studies.rivals.item_response import GRID, SLOPES

    seen = codes >= 0
    means = np.where(seen, codes, 0).sum(axis=0) / seen.sum(axis=0)
    falls = np.linalg.svd(np.where(seen, codes - means, 0.0), full_matrices=False)[2][0] < 0.0
    answers = np.where(falls & seen, n_categories - 1 - codes, codes).astype(int)
    fitted = fit_mirt(
        answers,
        model="GRM",
        n_categories=[n_categories] * codes.shape[1],
        compute_standard_errors=False,
        priors={"discrimination": NormalPrior(0.0, SLOPES)},
    )
    curves = np.maximum(fitted.model.probability(GRID[:, None]), np.finfo(float).tiny)  # (grid, N, C)
    picked = np.take_along_axis(np.log(curves)[:, None], np.maximum(answers, 0)[None, ..., None], axis=-1)[..., 0]
    log_density = np.where(seen, picked, 0.0).sum(axis=-1).T - GRID**2 / 2
    density = np.exp(log_density - log_density.max(axis=1, keepdims=True))
    p = np.einsum("fg,gnc->fnc", density / density.sum(axis=1, keepdims=True), curves)
    p = np.where(falls[:, None], p[..., ::-1], p)
    return 1.0 - np.cumsum(p, axis=-1)[..., :-1]


BINARY = {
    "nbmf, LogisticFactorGibbs": nbmf_sampler(
        lambda task: nbmf.LogisticFactorGibbs(
            1, effects="columns", ard=False, **({"effect_scale": 1.0} if task.has_unit_priors else {})
        )
    ),
    "nbmf, LogisticFactorGibbs with effects of rows": nbmf_sampler(
        lambda task: nbmf.LogisticFactorGibbs(1, effects="both", effect_scale="learned")
    ),
    "pscl, ideal": r_sampler("ideal"),
    "MCMCpack, MCMCirt1d": r_sampler("irt1d"),
    "myFM, probit": fit_by_myfm,
    "mirt (Python), 2PL": fit_by_mirt,
}
ORDERED = {
    "nbmf, OrdinalFactorGibbs": nbmf_sampler(
        lambda task: nbmf.OrdinalFactorGibbs(1, n_categories=task.n_categories, ard=False)
    ),
    "nbmf, OrdinalFactorGibbs with effects of rows": nbmf_sampler(
        lambda task: nbmf.OrdinalFactorGibbs(1, n_categories=task.n_categories, effects="rows", effect_scale="learned")
    ),
    "MCMCpack, MCMCordfactanal": r_sampler("ordered"),
    "myFM, ordered probit": fit_by_myfm,
    "mirt (Python), graded": fit_by_mirt,
}
MOVING = {
    "nbmf, DynamicFactorGibbs": nbmf_sampler(
        lambda task: nbmf.DynamicFactorGibbs(
            1,
            periods=task.periods,
            walk_variance="rows",
            **({"effect_scale": 1.0, "ard": False} if task.has_unit_priors else {}),
        )
    ),
    "MCMCpack, MCMCdynamicIRT1d": r_sampler("dynamic"),
}


# --- Matrices that are drawn ----------------------------------------------------------------------


def drawn(kind: str, is_probit: bool, rng: np.random.Generator) -> tuple[Task, np.ndarray]:
    """Return a matrix drawn from the model and priors of a sampler, with a tenth of it missing, and E[V]."""
    periods = np.repeat(np.arange(T), N // T)
    positions = rng.standard_normal((F, 1))
    if kind == "moving":
        s = WALK[1] / rng.gamma(WALK[0], size=F)
        steps = np.sqrt(s)[:, None] * rng.standard_normal((F, T - 1))
        positions = (positions + np.pad(np.cumsum(steps, axis=1), ((0, 0), (1, 0))))[:, periods]
    has_mean = kind == "moving" and not is_probit  # columns vary around a mean that is drawn as well
    psi = positions * (rng.standard_normal(N) + has_mean * rng.standard_normal())
    if kind != "ordered":
        thresholds = rng.standard_normal((N, 1))
    elif is_probit:  # an intercept, and cut points from 0 on, whose prior is flat
        steps = rng.exponential(size=(N, C - 2))
        thresholds = np.pad(np.cumsum(steps, axis=1), ((0, 0), (1, 0))) - rng.standard_normal((N, 1))
    else:
        thresholds = np.sort(CUT_SCALE * rng.standard_normal((N, C - 1)), axis=1)
    beyond = (ndtr if is_probit else expit)(psi[..., None] - thresholds)
    V = (rng.random((F, N, 1)) < beyond).sum(axis=-1)
    codes = np.where(rng.random(V.shape) < 0.1, -1, V).astype(np.int8)
    n_categories = C if kind == "ordered" else 2
    if kind == "ordered" and is_probit:  # MCMCordfactanal takes no column without one of the categories
        has_all = (np.sort(codes, axis=0)[1:] != np.sort(codes, axis=0)[:-1]).sum(axis=0) == C
        codes, beyond = codes[:, has_all], beyond[:, has_all]
    return Task(codes, n_categories, periods if kind == "moving" else None, True), beyond.sum(axis=-1)


def coverage(kind: str, name: str, run: Callable[[Task], Found], replications: int) -> str:
    """Return the percentage of 90 % intervals of E[v] that hold the truth, with its standard error."""
    held = []
    for replication in range(replications):
        task, truth = drawn(kind, not name.startswith("nbmf"), np.random.default_rng([replication, len(kind)]))
        draws = run(task).draws
        lower, upper = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
        held.append(100 * ((lower <= truth) & (truth <= upper)).mean())
    return f"{np.mean(held):.1f} ± {np.std(held, ddof=1) / replications**0.5:.1f}"


# --- Matrices of people ----------------------------------------------------------------------------


def senators() -> Task:
    """Return the roll calls of the 106th Senate."""
    return Task(nbmf.read(ROOT / "data/trials/senate106.csv").codes, 2, None, False)


def moods() -> Task:
    """Return how the first 500 people of msq answered, from 0 to 3."""
    counts = nbmf.read(ROOT / "data/trials/msq_answers.csv.gz", counts=True)
    tallies = counts.tallies[:500]
    rarest = np.min([(tallies == c).sum(axis=0) for c in range(4)], axis=0)
    return Task(tallies[:, rarest >= 20].astype(np.int8), 4, None, False)  # MCMCordfactanal needs every category


def sessions() -> Task:
    """Return the votes of the example, with the session of each roll call."""
    votes = nbmf.load_example("votes")
    years = [int(re.search(r" R/(\d+)/", name)[1]) for name in votes.column_names]
    return Task(votes.codes, 2, np.array(years) - min(years), False)


TASKS = {"binary": (senators, BINARY), "ordered": (moods, ORDERED), "moving": (sessions, MOVING)}
TITLES = {
    "binary": "Ideal points: the 106th Senate",
    "ordered": "Ordered answers: 500 people, moods with every category, 0 to 3",
    "moving": "Positions that move: the example votes, by session",
}


def row_of(kind: str, name: str, task: Task, masks: int) -> list[str]:
    """Return median seconds, effective samples per second (median and smallest of some entries), and held-out loss."""
    run, found = TASKS[kind][1][name], []
    for mask in range(masks):
        rng = np.random.default_rng([mask, len(kind)])
        held_out = (task.codes >= 0) & (rng.random(task.codes.shape) < HELD_OUT)
        result = run(task._replace(codes=np.where(held_out, np.int8(-1), task.codes)))
        codes, beyond = task.codes[held_out].astype(int), result.mean[held_out]
        p = -np.diff(np.pad(beyond, ((0, 0), (1, 1)), constant_values=((0, 0), (1, 0))), axis=1)
        loss = -np.log(np.maximum(p[np.arange(len(codes)), codes], 1e-12)).mean()
        sizes = [np.nan]  # also of an entry that rounds to one probability, or of packages without draws
        if result.draws is not None:
            half = len(result.draws) // 2  # of a chain, which are looked at as two
            entries = result.draws[: 2 * half].reshape(2, half, -1)
            places = rng.choice(entries.shape[-1], LOOKED_AT, replace=False)
            sizes = [chain_diagnostics(entries[..., place]).ess_bulk for place in places]
        found.append([result.seconds, *(np.nanquantile(sizes, (0.5, 0)) / result.seconds), loss])
    seconds, median, least, _ = np.median(found, axis=0)
    loss = f"{np.mean(found, axis=0)[-1]:.4f}"
    return [name, number(seconds), *(number(size) if size == size else "-" for size in (median, least)), loss]


def table(kind: str, masks: int, replications: int) -> Table:
    """Compare the packages on one kind of values."""
    make, methods = TASKS[kind]
    note = (
        f"{masks} masks of {HELD_OUT:.0%}; {SWEEPS:,} sweeps; effective samples of E[v] per second of CPU, median and "
        f"smallest of {LOOKED_AT} entries; 90 % intervals on {replications} matrices of {F} x {N} drawn from the "
        f"sampler's model{', without columns that lack a category' if kind == 'ordered' else ''}."
    )
    columns = ["package", "seconds", "effective samples per second", "smallest", "held-out log loss", "coverage, %"]
    result = Table(TITLES[kind], note, columns)
    for name, run in methods.items():
        needs = {"myFM": "myfm", "mirt": "mirt"}.get(name.partition(" ")[0].strip(","))
        if (needs and not find_spec(needs)) or (name.startswith(("pscl", "MCMC")) and not shutil.which("Rscript")):
            result.rows.append([name, *["not installed"] * 5])
            continue
        say(f"{kind}: {name}")
        measured = row_of(kind, name, make(), masks)
        is_drawn_from = run not in (fit_by_myfm, fit_by_mirt) and "effects of rows" not in name
        result.rows.append([*measured, coverage(kind, name, run, replications) if is_drawn_from else "-"])
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("kinds", nargs="*", default=list(TASKS), metavar="KIND", help=", ".join(TASKS))
    parser.add_argument("--replications", type=int, default=40)
    parser.add_argument("--masks", type=int, default=3)
    options = parser.parse_args()
    say(environment())
    warnings.simplefilter("ignore")
    with one_blas_thread():  # as in a fit
        for kind in options.kinds:
            print(table(kind, options.masks, options.replications).markdown(), flush=True)
