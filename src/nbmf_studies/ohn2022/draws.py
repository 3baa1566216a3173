"""Figure 1: matrices drawn from the priors, and how many features and dishes such draws have."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from nbmf.evaluation.replications import interval
from nbmf.families.buffet.buffet_priors import CIBP, IBP, BuffetPrior, buffet_prior
from nbmf.plotting import style
from nbmf.seeds import seed_sequence

PANEL_COLUMNS = 2
INK = ListedColormap(["white", "black"])
EMPTY = "0.88"  # where there is no feature


def priors(omega: float, kappa: float, alphas: list[float]) -> dict[str, BuffetPrior]:
    """Return CIBP(ωκ/α, α, κ) for each α and IBP(ω, κ), by their names."""
    priors_of = {}
    for alpha in alphas:
        gamma = omega * kappa / alpha
        name = f"CIBP({gamma:g}, {alpha:g}, {kappa:g})"
        priors_of[name] = buffet_prior(CIBP, gamma, alpha, kappa)
    return priors_of | {f"IBP({omega:g}, {kappa:g})": buffet_prior(IBP, omega, 0.0, kappa)}


def drawn(prior: BuffetPrior, p: int, number: int) -> np.ndarray:
    """Return draw `number` of a prior, the same one every time: int8 array (p, K+)."""
    key = prior.name, *(str(float(value)) for value in prior[1:]), p, number
    return prior.draw(p, np.random.default_rng(seed_sequence("ohn2022", "prior", *key)))


def tabulate(
    p: int, omega: float, kappa: float, alphas: list[float], draws: int, log: Callable[[str], None] = print
) -> pd.DataFrame:
    """Draw matrices of p rows from every prior.

    Parameters
    ----------
    p : int
    omega, kappa : float
    alphas : list of float
        Of the convergent priors.
    draws : int
        Of each prior.
    log : function
        Takes a line of text.

    Returns
    -------
    DataFrame
        A row per prior and draw: prior, kind ("cibp" or "ibp"), draw, features (K+), dishes (ones
        per row), and what priors expect of both.
    """
    rows = []
    for name, prior in priors(omega, kappa, alphas).items():
        expected = {"expected features": prior.expected_features(p), "expected dishes": prior.expected_row_sum}
        for number in range(draws):
            Xi = drawn(prior, p, number)
            counts = {"features": Xi.shape[1], "dishes": Xi.sum() / p}
            rows.append({"prior": name, "kind": prior.name, "draw": number, **counts, **expected})
        log(f"{name}: {draws} draws")
    return pd.DataFrame(rows)


def summarise(draws: pd.DataFrame) -> pd.DataFrame:
    """Return a row per prior: how many features and dishes its draws have, and should have.

    Parameters
    ----------
    draws : DataFrame
        As `tabulate` makes it.

    Returns
    -------
    DataFrame
        prior, draws; of features (K+), then of dishes (ones per row), what is expected, the mean
        over draws and its standard error.
    """
    rows = []
    for name, own in draws.groupby("prior", sort=False):
        row = {"prior": name, "draws": len(own)}
        for what in ("features", "dishes"):
            estimate = interval(own[what])
            row |= {
                f"expected {what}": own[f"expected {what}"].iloc[0],
                f"{what}, mean": estimate.mean,
                f"{what}, standard error": estimate.error,
            }
        rows.append(row)
    return pd.DataFrame(rows)


def draw(p: int, omega: float, kappa: float, alphas: list[float]) -> Figure:
    """Draw the first draw of every prior: ones black, features in columns, left-ordered.

    Panels are as wide as the matrix with the most features; grey is where one has none.
    """
    named_priors = priors(omega, kappa, alphas)
    matrices = {name: drawn(prior, p, 0) for name, prior in named_priors.items()}
    most = max(1, *(Xi.shape[1] for Xi in matrices.values()))
    height = 0.45 + 3.3 * p / most
    figure, axes = style.panel_grid(len(named_priors), PANEL_COLUMNS, height, 0.1, sharex=True, sharey=True)
    for axis, (name, Xi) in zip(axes.flat, matrices.items(), strict=False):
        K = Xi.shape[1]
        axis.set_facecolor(EMPTY)
        if K:
            box = (0.5, K + 0.5, p + 0.5, 0.5)
            axis.imshow(Xi, cmap=INK, vmin=0, vmax=1, interpolation="none", extent=box)
        axis.set(xlim=(0.5, most + 0.5), ylim=(p + 0.5, 0.5), aspect="equal")
        axis.spines[:].set_visible(True)
        axis.set_title(f"{name}: {K} features")
    for axis in axes[-1]:
        axis.set_xlabel("features")
    for axis in axes[:, 0]:
        axis.set_ylabel("rows")
    return figure
