"""Figures 6 and 7: missing patches filled by variational Bayes and by maximum likelihood."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from nbmf.data.count_matrix import CountMatrix
from nbmf.families.poisson_gamma.observations import observations
from nbmf.families.poisson_gamma.point import PointState
from nbmf.families.poisson_gamma.poisson_gamma import PoissonGammaEM, PoissonGammaICM, PoissonGammaVB
from nbmf.seeds import seed_sequence
from nbmf_studies.cemgil2009.names import ML_IMAGES, ML_RANDOM, PIXEL_MEAN, VB, VB_ICM, VB_ONE, WAYS
from nbmf_studies.cemgil2009.patches import Task, mean_of_pixels, signal_to_noise, sparseness, take_out

SHAPES = {VB: (10.0, 0.5), VB_ONE: (1.0, 1.0)}  # of W and H, where learning begins
PERTURBATION = 0.1  # of templates that are images: each pixel times 1 ± so much
LEAST = 1.0  # of such a pixel: a template that is 0 stays 0


class Filled(NamedTuple):
    """A fit: its factors and the mean of every pixel.

    W : float array (F, K)
    H : float array (K, N)
    mean : float array (F, N)
    """

    W: np.ndarray
    H: np.ndarray
    mean: np.ndarray


def fill(task: Task, K: int, iterations: int, key: list) -> dict[str, Filled]:
    """Fit in every way; return the fits by WAYS.

    The four numbers of the priors are learned by VB, each shared by a factor. ICM has those that
    VB ends with, and a random start. Templates of ML-NMF 2 are the images with what is missing.

    Parameters
    ----------
    task : Task
    K, iterations : int
    key : list of str and int
        Of the random numbers.
    """

    def stream(way):
        return seed_sequence("cemgil2009", "fill", *key, way)

    fixed = {"max_iter": iterations, "relative_gain_tol": 0}
    ties = dict.fromkeys(("tie_shape_W", "tie_mean_W", "tie_shape_H", "tie_mean_H"), "all")
    found, given = {}, task.given
    for way, (shape_W, shape_H) in SHAPES.items():
        shapes = {"shape_W": shape_W, "shape_H": shape_H}
        found[way] = PoissonGammaVB(K, **shapes, **ties, **fixed, random_state=stream(way))
    found[VB].fit(given)
    names = [f"{part}_{factor}" for part in ("shape", "mean") for factor in "WH"]
    learned = {name: float(getattr(found[VB], f"{name}_")[0]) for name in names}
    found[VB_ICM] = PoissonGammaICM(K, **learned, **fixed, random_state=stream(VB_ICM))
    found[ML_RANDOM] = PoissonGammaEM(K, **fixed, random_state=stream(ML_RANDOM))
    for way in (VB_ICM, VB_ONE, ML_RANDOM):
        found[way].fit(given)
    fits = {way: Filled(model.W_, model.H_, model.expectation_) for way, model in found.items()}
    fits[ML_IMAGES] = _from_images(task, K, iterations, np.random.default_rng(stream(ML_IMAGES)))
    return {way: fits[way] for way in WAYS}


def _from_images(task: Task, K: int, iterations: int, rng: np.random.Generator) -> Filled:
    """Return what EM finds whose templates begin as images, drawn again where they are too few."""
    images = task.counts.shape[1]
    rounds = [rng.permutation(images) for _ in range(-(-K // images))]
    templates = np.maximum(task.counts[:, np.concatenate(rounds)[:K]], LEAST)
    W = templates * rng.uniform(1 - PERTURBATION, 1 + PERTURBATION, templates.shape)
    H = rng.gamma(1.0, 1.0 / K, (images, K))
    state = PointState(observations(task.given, False), (W, H), None, False, True)
    with threadpool_limits(limits=1, user_api="blas"):
        state.advance(iterations)
        return Filled(*state.factors()[:2], state.expectation())


def _task(matrix: CountMatrix, setting: dict[str, Any]) -> Task:
    taken = {name: value for name, value in setting.items() if name != "dataset"}
    return take_out(matrix, **taken)


def score(
    matrix: CountMatrix, setting: dict[str, Any], orders: list[int], iterations: int, log: Callable[[str], None] = print
) -> pd.DataFrame:
    """Fill one patch with models of every order.

    Parameters
    ----------
    matrix : CountMatrix
    setting : dict
        `dataset`, what the matrix is called, which is part of the seeds, and `run`, `patch`,
        `images` and `per_person`, as `take_out` takes them.
    orders : list of int
    iterations : int
    log : function
        Takes a line of text.

    Returns
    -------
    DataFrame
        A row per order and way: dataset, run, order, way, snr (dB), sparseness_W, sparseness_H,
        seconds (CPU, of all ways of an order). With the mean of each pixel as a way of order 0.
    """
    task, key = _task(matrix, setting), [setting["dataset"], setting["run"]]
    first = {"dataset": key[0], "run": key[1]}
    baseline = signal_to_noise(task, mean_of_pixels(task))
    rows = [{**first, "order": 0, "way": PIXEL_MEAN, "snr": baseline}]
    for K in orders:
        started = time.process_time()
        found = fill(task, K, iterations, [*key, K])
        seconds = time.process_time() - started
        for way, fit in found.items():
            of = {"snr": signal_to_noise(task, fit.mean), "seconds": seconds}
            of |= {"sparseness_W": sparseness(fit.W), "sparseness_H": sparseness(fit.H)}
            rows.append({**first, "order": K, "way": way, **of})
        ratios = [f"{row['way']} {row['snr']:.1f}" for row in rows[-len(found) :]]
        log(f"{key[0]}, run {key[1]}, order {K}: {', '.join(ratios)}")
    return pd.DataFrame(rows)


def reconstruct(matrix: CountMatrix, setting: dict[str, Any], order: int, iterations: int) -> pd.DataFrame:
    """Return the pixels of a typical run: one image per person with the patch missing.

    Parameters are those of `score`, with one order; the fits are the same.

    Returns
    -------
    DataFrame
        A row per image and pixel (in the order of the matrix): image, pixel, truth, hidden, and
        what each of WAYS predicts.
    """
    task = _task(matrix, setting)
    found = fill(task, order, iterations, [setting["dataset"], setting["run"], order])
    parts = []
    for first in range(0, setting["images"], setting["per_person"]):
        own = task.hidden[:, first : first + setting["per_person"]].any(axis=0)
        n = first + int(np.argmax(own))
        pixels = {"image": n, "pixel": np.arange(len(task.counts)), "truth": task.counts[:, n]}
        means = {way: fit.mean[:, n] for way, fit in found.items()}
        parts.append(pd.DataFrame({**pixels, "hidden": task.hidden[:, n], **means}))
    return pd.concat(parts, ignore_index=True)
