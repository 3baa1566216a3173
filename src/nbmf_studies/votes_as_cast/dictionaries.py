"""Where countries stood in the Cold War, with abstention as no and by votes as they were cast."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from nbmf.errors import DataError, choices
from nbmf.plotting import style
from nbmf_studies.framework.gathering import Fits, reports
from nbmf_studies.votes_as_cast.third_category import LABELS, THREE, TWO

CODINGS = (TWO, THREE)
ROW_HEIGHT, MARGINS, WIDTH = 0.088, 0.75, 5.2  # inches
NAME_SIZE = 4.5  # points
LIMIT = 0.98  # quantile of magnitudes at which colours end
APART = 3  # countries that are named


def tabulate(fits: Fits, countries: int, components: int, below: str) -> pd.DataFrame:
    """Return a row per component and country: its position by either coding.

    Components are axes, which a fit leaves free to turn: those of two categories are turned next to those of three by
    orthogonal Procrustes, and signs are those by which `below` is negative.

    Parameters
    ----------
    fits : Fits
        One of each coding.
    countries : int
        How many, of those with most votes.
    components : int
        How many, of the largest.
    below : str
        A country.

    Returns
    -------
    DataFrame
        component (from 1), country, votes; two and three, its position by either coding; share, of a component of three
        categories in what all components say.
    """
    measures = {columns["categories"]: report["measures"] for columns, report in reports(fits)}
    names = measures[THREE]["countries"]
    if names != measures[TWO]["countries"]:
        raise DataError("the fits of two and of three categories have different countries")
    if below not in names:
        raise DataError(f"there is no {below!r}; {choices(below, names)}")
    votes = np.array(measures[THREE]["votes"])
    chosen = np.argsort(-votes, kind="stable")[:countries]
    two, three = (np.array(measures[coding]["positions"])[:, :components] for coding in CODINGS)
    three = three * np.where(three[names.index(below)] > 0, -1.0, 1.0)
    left, _, right = np.linalg.svd(two.T @ three)
    two = two @ left @ right
    rows = [
        {
            "component": k + 1,
            "country": names[f],
            "votes": votes[f],
            TWO: two[f, k],
            THREE: three[f, k],
            "share": measures[THREE]["shares"][k],
        }
        for k in range(components)
        for f in chosen
    ]
    return pd.DataFrame(rows)


def agreement(dictionaries: pd.DataFrame) -> pd.DataFrame:
    """Return a row per component: its share, how positions by the two codings correlate, and who is farthest apart.

    Parameters
    ----------
    dictionaries : DataFrame
        As `tabulate` makes it.
    """
    rows = []
    for component, of_component in dictionaries.groupby("component"):
        apart = (of_component[THREE] - of_component[TWO]).abs()
        farthest = of_component.loc[apart.sort_values(ascending=False, kind="stable").index[:APART]]
        descriptions = [f"{row.country} ({row[TWO]:.1f} and {row[THREE]:.1f})" for _, row in farthest.iterrows()]
        row = {
            "component": component,
            "share as cast": of_component["share"].iloc[0],
            "correlation": of_component[TWO].corr(of_component[THREE]),
            "farthest apart (yes or not, as cast)": "; ".join(descriptions),
        }
        rows.append(row)
    return pd.DataFrame(rows)


@style.in_style
def draw(dictionaries: pd.DataFrame) -> Figure:
    """Draw the positions by either coding side by side, a row per country, ordered by the first component as cast.

    Parameters
    ----------
    dictionaries : DataFrame
        As `tabulate` makes it.
    """
    by_country = {coding: dictionaries.pivot(index="country", columns="component", values=coding) for coding in CODINGS}
    order = by_country[THREE].sort_values(1, kind="stable").index
    limit = float(dictionaries[list(CODINGS)].abs().stack().quantile(LIMIT))
    size = WIDTH, len(order) * ROW_HEIGHT + MARGINS
    figure, axes = plt.subplots(1, len(CODINGS), figsize=size, sharey=True, layout="constrained")
    for axis, coding in zip(axes, CODINGS, strict=True):
        positions = by_country[coding].loc[order]
        image = axis.imshow(
            positions, cmap=style.SIGNED, vmin=-limit, vmax=limit, aspect="auto", interpolation="nearest"
        )
        axis.set_title(LABELS[coding], fontsize=7, pad=3)
        axis.set_xticks(np.arange(positions.shape[1]), positions.columns)
        axis.set_yticks(np.arange(len(order)), order, fontsize=NAME_SIZE)
        axis.tick_params(length=0, pad=1)
        axis.set_xlabel("component")
    bar = figure.colorbar(image, ax=axes, location="bottom", shrink=0.5, aspect=40, pad=0.01, extend="both")
    bar.set_label("position", fontsize=6)
    bar.ax.tick_params(labelsize=5, length=2, pad=1)
    return figure
