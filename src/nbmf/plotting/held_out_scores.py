"""Draw held-out scores against K."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from nbmf.baseline_names import BASELINES
from nbmf.catalogue import METHODS, colours_of
from nbmf.errors import DataError, not_allowed
from nbmf.plotting import fit_against_K, score_units

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nbmf.evaluation.result import Comparison

SCORES = {"perplexity": "held-out log loss (nats per {})", "brier": "held-out Brier score"}


def score_against_K(scores: Comparison | pd.DataFrame, *, score: str = "perplexity", ax: Axes | None = None) -> Axes:
    """Draw held-out scores against K: a dot per fit, a line through the means over masks.

    A method with a single K among others with several is a dotted line at its mean: of such
    methods K is mostly no choice. The best baseline is a dashed line. What
    lies far above most means is cut off, and the legend says where it is.

    Parameters
    ----------
    scores : Comparison or DataFrame
        Of `nbmf.compare`, or a table of scores (`scores.csv`) of one dataset: columns method, K,
        the score. Scores per token are left out; of a sparse matrix they are per one.
    score : {"perplexity", "brier"}
    ax : axis, optional

    Raises
    ------
    ConfigError
        If there is no such score.
    DataError
        If a column is not there, there are several datasets, or nothing to draw.
    """
    if score not in SCORES:
        raise not_allowed("score", score, SCORES)
    is_table = isinstance(scores, pd.DataFrame)
    entries = {} if is_table else scores.methods
    table = _one_dataset(scores if is_table else scores.scores, score)
    names = [name for name in table["method"].unique() if name not in BASELINES]
    entries = {name: entries.get(name) or METHODS.get(name, {}) for name in names}
    baselines = table[table["method"].isin(list(BASELINES))].groupby("method")[score].mean()
    best = {BASELINES[baselines.idxmin()]: float(baselines.min())} if len(baselines) else {}
    colours = colours_of({**METHODS, **entries})
    labels = {name: entry.get("label", name) for name, entry in entries.items()}
    label = SCORES[score].format(score_units.unit_of(table))
    return fit_against_K.draw_held_out(table, labels, colours, best, score, label, ax)


def _one_dataset(scores: pd.DataFrame, score: str) -> pd.DataFrame:
    """Return the scores per entry, or per one, of a table that is of one dataset."""
    missing = [name for name in ("method", "K", score) if name not in scores]
    if missing:
        raise DataError(f"scores: there is no column {missing[0]!r} among {', '.join(scores)}")
    if "dataset" in scores and scores["dataset"].nunique() > 1:
        names = ", ".join(map(str, scores["dataset"].unique()))
        raise DataError(f"scores: those of one dataset are drawn, not of {names}")
    scores = score_units.comparable_scores(scores).dropna(subset=score)
    if scores["method"].isin(list(BASELINES)).all():
        raise DataError(f"scores: nothing to draw, no fit has a {score} per held-out entry or one")
    return scores
