"""Priors that data were drawn from, and what is learned of them."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from nbmf.families.beta_dirichlet.models import beta_dir
from nbmf.registry import estimator_class, make_estimator
from nbmf.seeds import seed_sequence

COLUMNS = ("hyperparameter", "truth", "repetition", "method", "learned")


def tabulate(
    size: int,
    K: int,
    values: list[float],
    repetitions: int,
    methods: dict[str, tuple[str, dict[str, Any]]],
    log: Callable[[str], None] = print,
) -> pd.DataFrame:
    """Draw square matrices from the Beta-Dir model and learn one hyperparameter of each.

    The others are known: 1, and so is K.

    Parameters
    ----------
    size : int
        Rows and columns.
    K : int
    values : list of float
        What α and β (one number for both), and γ, are.
    repetitions : int
        Matrices per value.
    methods : dict
        Name to (class, settings).
    log : function
        Takes a line of text.

    Returns
    -------
    DataFrame
        COLUMNS; hyperparameter is "alpha", "beta" or "gamma". gamma is only learned where a class
        can.
    """
    rows = []
    for kind, truth, repetition in product(("beta", "gamma"), values, range(repetitions)):
        key = ("recovery", kind, str(truth), repetition)
        true = {"beta": {"alpha": truth, "beta": truth}, "gamma": {"gamma": truth}}[kind]
        priors = {"alpha": 1.0, "beta": 1.0, "gamma": 1.0} | true
        rng = np.random.default_rng(seed_sequence(*key))
        V = beta_dir.simulate(size, size, K, **priors, rng=rng)[2]
        for name, (class_name, settings) in methods.items():
            rules = estimator_class(class_name).rules
            if kind == "gamma" and not rules["gamma"].holds("learn"):
                continue
            learned = dict.fromkeys(true, "learn")
            seed = seed_sequence(*key, name)
            fitted = make_estimator(class_name, K, settings | priors | learned, seed).fit(V)
            for one in true:
                rows.append([one, truth, repetition, name, float(getattr(fitted, f"{one}_"))])
        log(f"{kind} = {truth}: {repetition + 1} of {repetitions}")
    return pd.DataFrame(rows, columns=list(COLUMNS))
