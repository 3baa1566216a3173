"""Draw a model of a table of features or of documents: memberships, profiles, topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from nbmf.data.feature_columns import BERNOULLI, DISCRETE, GAUSSIAN, WORD
from nbmf.errors import ConfigError
from nbmf.families.mixed_membership.feature_model import FeatureModel
from nbmf.inference.parameters import check_count
from nbmf.numerics.percent import percent
from nbmf.plotting import profiles
from nbmf.plotting.inputs import checked_groups
from nbmf.posterior.distinguishing import digits_of, distinguishing, order_of_components, shares_of_components

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_TOPICS = 12


def memberships(model: FeatureModel, *, groups: Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
    """Draw one line for each row of a table, divided into its memberships of the components.

    Rows are sorted by group, by the component with their largest membership, and by this membership.

    Parameters
    ----------
    model : FeatureModel
        Fitted.
    groups : str array (F,), optional
        For example `table.row_groups`.
    ax : axis, optional

    Raises
    ------
    DataError
        If there is not one group per row.
    """
    _check(model)
    order = order_of_components(model)
    shares = model.memberships_[:, order]
    labels = [label.replace("\n", ": ") for label in _labels(model, order)]
    return profiles.draw_memberships(shares, labels, checked_groups(groups, len(shares), "rows"), ax)


def profile(
    model: FeatureModel, V: Any, *, lines: int = 30, components: int | None = None, ax: Axes | None = None
) -> Axes:
    """Draw what sets the components of a table apart: red is above all rows, blue below.

    A line per column, or per category of one, with its mean, probability or rate in each component.
    Colours are differences from all rows in standard deviations.

    Parameters
    ----------
    model : FeatureModel
        Fitted.
    V : FeatureTable, or what one is made of
        What it was fitted to.
    lines : int
        Of more, those that distinguish a component most are drawn.
    components : int, optional
        How many, the heaviest; by default all.
    ax : axis, optional

    Raises
    ------
    ConfigError
        If the table has documents, whose topics `nbmf.plot.topics` draws, or a number is below 1.
    """
    _check(model)
    check_count("lines", lines, 1)
    if WORD in model.kinds_:
        raise ConfigError("profile: a table of documents; nbmf.plot.topics draws its words")
    labels = _first(_labels(model, order_of_components(model)), components)
    table = distinguishing(model, V)
    table = table[table["component"] <= len(labels)].copy()
    table["deviation"] = _deviations(table)
    most = table.groupby(["column", "category"], sort=False)["nats"].max()
    chosen = most.sort_values(ascending=False, kind="stable").index[:lines]
    by_component = {k: part.set_index(["column", "category"]) for k, part in table.groupby("component")}
    names, texts = [], []
    for column, category in chosen:
        names.append(column + (f" = {category}" if category else ""))
        texts.append([_text(part.loc[(column, category)]) for part in by_component.values()])
    deviations = np.column_stack([part.loc[chosen, "deviation"] for part in by_component.values()])
    title = "" if len(most) <= lines else f"the {lines} most distinctive of {len(most)}"
    drawn = profiles.Profile(names, deviations, texts)
    return profiles.draw_profile(drawn, labels, title, ax)


def topics(
    model: FeatureModel, V: Any, *, words: int = 10, components: int | None = None, ax: Sequence[Axes] | None = None
) -> np.ndarray:
    """Draw the most probable words of each topic; a tick is the probability in all documents.

    Parameters
    ----------
    model : FeatureModel
        Fitted to documents.
    V : FeatureTable
        Those documents.
    words : int
        Of each topic.
    components : int, optional
        How many topics, the heaviest; by default all, at most 12.
    ax : an axis per topic, optional

    Returns
    -------
    array of Axes, one per topic

    Raises
    ------
    ConfigError
        If the table has no words, or a number is below 1.
    """
    _check(model)
    check_count("words", words, 1)
    if WORD not in model.kinds_:
        raise ConfigError("topics: a table of features; nbmf.plot.profile draws its columns")
    labels = _first(_labels(model, order_of_components(model))[:MOST_TOPICS], components)
    titles = [f"topic {label}".replace("\n", ": ") for label in labels]
    panels = []
    for k, topic in distinguishing(model, V).groupby("component"):
        if k <= len(titles):
            top = topic.nlargest(words, "value", keep="first")
            values, overall = top["value"].to_numpy(), top["overall"].to_numpy()
            panels.append(profiles.Topic(titles[k - 1], top["column"].tolist(), values, overall))
    return np.array(profiles.draw_topics(panels, ax))


def _check(model: Any) -> None:
    if not isinstance(model, FeatureModel):
        raise ConfigError(f"model: a FeatureModel is needed, not a {type(model).__name__}")
    _ = model.clusters_  # of a fitted one


def _first(labels: list[str], components: int | None) -> list[str]:
    """Return the labels of the components that are shown."""
    if components is not None:
        check_count("components", components, 1)
    return labels[:components]


def _labels(model: FeatureModel, order: np.ndarray) -> list[str]:
    shares = shares_of_components(model)[order]
    return [f"{number}\n{percent(share)}" for number, share in enumerate(shares, start=1)]


def _deviations(table: pd.DataFrame) -> np.ndarray:
    """Return by how many standard deviations of all rows values differ from theirs."""
    p = table["overall"]
    is_proportion = table["kind"].isin((BERNOULLI, DISCRETE))
    variance = np.where(is_proportion, p * (1 - p), p)  # of a Poisson distribution: its mean
    variance = np.where(table["kind"] == GAUSSIAN, table["overall_sd"] ** 2, variance)
    return ((table["value"] - p) / np.sqrt(np.maximum(variance, 1e-300))).to_numpy()


def _text(row: pd.Series) -> str:
    if row["kind"] in (BERNOULLI, DISCRETE):
        return percent(row["value"])
    digits = digits_of(row["overall_sd"]) if row["kind"] == GAUSSIAN else None
    if digits is not None:
        return f"{row['value']:z.{digits}f}"
    return f"{row['value']:.3g}" if abs(row["value"]) < 1000 else f"{row['value']:.0f}"
