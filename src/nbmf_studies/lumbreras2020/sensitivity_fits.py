"""Sensitivity to the concentrations of the priors, on toy data drawn from the models (6.2)."""

import time
from collections.abc import Callable, Iterable
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from nbmf.data.masks import draw_mask, training_codes
from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import ConfigError
from nbmf.families.beta_dirichlet.beta_dirichlet_estimator import MeanParameterized
from nbmf.families.beta_dirichlet.simulation import MODELS, simulate
from nbmf.inference.estimator import Factorization
from nbmf.likelihoods.bernoulli import perplexity
from nbmf.registry import estimator_class, make_estimator
from nbmf.seeds import seed_sequence

TEST_PROBABILITY = 0.25  # paper, section 6.4.1
COLUMNS = ("size", "method", "concentration", "mask", "perplexity", "seconds")
CONCENTRATION = 1.0  # of the priors that the toy data are drawn from


def tabulate(**experiment) -> pd.DataFrame:
    """Return the rows of `run_sensitivity`, which says what the arguments are, as a table."""
    return pd.DataFrame(run_sensitivity(**experiment), columns=COLUMNS)


def run_sensitivity(
    sizes: Iterable[int],
    K: int,
    estimator_concentrations: Iterable[float],
    masks: int,
    methods: dict[str, tuple[str, dict[str, Any]]],
    log: Callable[[str], None] = print,
) -> list[dict[str, Any]]:
    """Fit toy data, drawn with all concentrations 1, with estimators that assume other ones.

    For each size, mask and model there is one toy matrix, drawn from the prior, and one held-out
    mask; methods of one model see the same ones. All concentrations of an estimator have the same
    value, and for every value it starts from the same random stream: only the prior differs.

    Parameters
    ----------
    sizes : iterable of int
        Rows, and as many columns, of the toy matrices.
    K : int
        The number of components, of the data and of the estimators.
    estimator_concentrations : iterable of float > 0
        The values for all concentrations of an estimator.
    masks : int
        How many matrices with a mask each.
    methods : dict
        Name to (class, settings); concentrations among the settings are replaced.
    log : function
        Takes a line of text.

    Returns
    -------
    list of dict
        One row per fit: size, method, concentration, mask, perplexity (nats per held-out entry)
        and seconds; and per size, method and mask a row without concentration and seconds: the
        perplexity of the true WH, which the method's data were drawn from.

    Raises
    ------
    ConfigError
        If a method is of none of the three models, or a parameter has a value not allowed.
    """
    classes = {name: _class_of(class_name) for name, (class_name, _) in methods.items()}
    toys = product(sizes, range(masks), methods.items())
    concentrations = list(estimator_concentrations)
    rows = []
    for size, mask_number, (name, (class_name, settings)) in toys:
        toy = _toy(classes[name].model, size, K, mask_number)
        seed = seed_sequence("sensitivity", "fit", name, size, K, mask_number)
        best = perplexity(toy.matrix.codes, toy.truth, toy.mask)
        rows.append(_row(size, name, None, mask_number, best, None))
        for concentration in concentrations:
            own = dict.fromkeys(classes[name].concentrations(), concentration)
            estimator = make_estimator(class_name, K, settings | own, seed)
            found, seconds = _fit(estimator, toy)
            rows.append(_row(size, name, float(concentration), mask_number, found, seconds))
            log(
                f"{size} x {size}, mask {mask_number}, {name}, concentration {concentration:g}: "
                f"{found:.4f} (true WH {best:.4f}), {seconds:.1f} s"
            )
    return rows


class Toy(NamedTuple):
    """Toy data: the true WH, float array (F, N), a matrix drawn from it, and a held-out mask."""

    truth: np.ndarray
    matrix: BinaryMatrix
    mask: np.ndarray


def _toy(model: str, size: int, K: int, mask_number: int) -> Toy:
    key = (model, size, K, mask_number)
    rng = np.random.default_rng(seed_sequence("sensitivity", "matrix", *key))
    truth, V = simulate(model, (size, size), K, CONCENTRATION, rng)
    matrix = BinaryMatrix.from_array(V)
    seed = seed_sequence("sensitivity", "mask", *key)
    return Toy(truth, matrix, draw_mask(matrix, TEST_PROBABILITY, seed))


def _fit(estimator: Factorization, toy: Toy) -> tuple[float, float]:
    """Return the held-out perplexity and the seconds of one fit."""
    started = time.perf_counter()
    estimator.fit(training_codes(toy.matrix, toy.mask))
    seconds = time.perf_counter() - started
    return perplexity(toy.matrix.codes, estimator.expectation_, toy.mask), seconds


def _row(*values) -> dict[str, Any]:
    return dict(zip(COLUMNS, values, strict=True))


def check_method(class_name: str, K: int, settings: dict[str, Any], concentrations: Iterable[float]) -> None:
    """Raise ConfigError if `run_sensitivity` could not use the method with these values."""
    family = _class_of(class_name)
    for value in concentrations:
        own = dict.fromkeys(family.concentrations(), value)
        make_estimator(class_name, K, settings | own)


def _class_of(class_name: str) -> type[MeanParameterized]:
    """Return the class of a method that is of one of the three models."""
    found = estimator_class(class_name)
    if not issubclass(found, MeanParameterized):
        raise ConfigError(
            f"{class_name} is of none of the models {', '.join(MODELS)}: there are no toy data to draw for it"
        )
    return found
