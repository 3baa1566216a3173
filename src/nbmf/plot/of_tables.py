"""A model of a table of features or of documents: memberships, profiles, topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from nbmf.data.feature_columns import BERNOULLI, DISCRETE, GAUSSIAN, WORD
from nbmf.errors import ConfigError, DataError
from nbmf.families.mixed_membership.feature_model import FeatureModel
from nbmf.plotting import profiles
from nbmf.posterior.distinguishing import digits_of, distinguishing, order_of_components, shares_of_components

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_TOPICS = 12


def memberships(model: FeatureModel, *, groups: Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
    """Draw a line per row of a table, divided into its shares of the components.

    Rows are sorted by group, by the component with their largest share, and by this share.

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
    if groups is not None:
        groups = np.asarray(groups, dtype=str)
        if groups.shape != (len(shares),):
            raise DataError(f"groups: {groups.size} given for {len(shares)} rows")
    labels = [label.replace("\n", ": ") for label in _labels(model, order)]
    return profiles.draw_memberships(shares, labels, groups, ax)


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
    _check_count("lines", lines)
    if WORD in model.kinds_:
        raise ConfigError("profile: a table of documents; nbmf.plot.topics draws its words")
    labels = _first(_labels(model, order_of_components(model)), components)
    told = distinguishing(model, V)
    told = told[told["component"] <= len(labels)].copy()
    told["deviation"] = _deviations(told)
    most = told.groupby(["column", "category"], sort=False)["nats"].max()
    chosen = most.sort_values(ascending=False, kind="stable").index[:lines]
    by_component = {k: own.set_index(["column", "category"]) for k, own in told.groupby("component")}
    names, texts = [], []
    for column, category in chosen:
        names.append(column + (f" = {category}" if category else ""))
        texts.append([_text(own.loc[(column, category)]) for own in by_component.values()])
    deviations = np.column_stack([own.loc[chosen, "deviation"] for own in by_component.values()])
    title = "" if len(most) <= lines else f"the most telling {lines} of {len(most)}"
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
    _check_count("words", words)
    if WORD not in model.kinds_:
        raise ConfigError("topics: a table of features; nbmf.plot.profile draws its columns")
    labels = _first(_labels(model, order_of_components(model))[:MOST_TOPICS], components)
    titles = [f"topic {label}".replace("\n", ": ") for label in labels]
    found = []
    for k, own in distinguishing(model, V).groupby("component"):
        if k <= len(titles):
            top = own.nlargest(words, "value", keep="first")
            values, overall = top["value"].to_numpy(), top["overall"].to_numpy()
            found.append(profiles.Topic(titles[k - 1], top["column"].tolist(), values, overall))
    return np.array(profiles.draw_topics(found, ax))


def _check(model: Any) -> None:
    if not isinstance(model, FeatureModel):
        raise ConfigError(f"model: a FeatureModel is needed, not a {type(model).__name__}")
    _ = model.clusters_  # of a fitted one


def _check_count(name: str, value: Any) -> None:
    if not isinstance(value, int | np.integer) or value < 1:
        raise ConfigError(f"{name} = {value!r}: allowed is an integer of at least 1")


def _first(labels: list[str], components: int | None) -> list[str]:
    """Return the labels of the components that are shown."""
    if components is not None:
        _check_count("components", components)
    return labels[:components]


def _labels(model: FeatureModel, order: np.ndarray) -> list[str]:
    shares = shares_of_components(model)[order]
    return [f"{number}\n{share:.0%}" for number, share in enumerate(shares, start=1)]


def _deviations(told: pd.DataFrame) -> np.ndarray:
    """Return by how many standard deviations of all rows values differ from theirs."""
    p = told["overall"]
    is_share = told["kind"].isin((BERNOULLI, DISCRETE))
    variance = np.where(is_share, p * (1 - p), p)  # of a Poisson law the mean
    variance = np.where(told["kind"] == GAUSSIAN, told["overall_sd"] ** 2, variance)
    return ((told["value"] - p) / np.sqrt(np.maximum(variance, 1e-300))).to_numpy()


def _text(row: pd.Series) -> str:
    if row["kind"] in (BERNOULLI, DISCRETE):
        return f"{row['value']:.0%}"
    digits = digits_of(row["overall_sd"]) if row["kind"] == GAUSSIAN else None
    if digits is not None:
        return f"{row['value']:z.{digits}f}"
    return f"{row['value']:.3g}" if abs(row["value"]) < 1000 else f"{row['value']:.0f}"
