"""Several fits: scores of held-out entries, and chains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nbmf.catalogue import METHODS, colours_of
from nbmf.errors import ConfigError, DataError, choices
from nbmf.evaluation.baselines import BASELINES
from nbmf.evaluation.result import Comparison
from nbmf.plotting import fit_against_K, traces
from nbmf.posterior.chains import Chains

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

SCORES = {"perplexity": "held-out perplexity (nats per entry)", "brier": "held-out Brier score"}


def score_against_K(scores: Comparison | pd.DataFrame, *, score: str = "perplexity", ax: Axes | None = None) -> Axes:
    """Draw held-out scores against K: a dot per fit, a line through the means over masks.

    A method with a single K among others with several is a dotted line at its mean: of such
    methods K is mostly no choice. The best prediction without components is a dashed line. What
    lies far above most means is cut off, and the legend says where it is.

    Parameters
    ----------
    scores : Comparison or DataFrame
        Of `nbmf.compare`, or a table of scores (`scores.csv`) of one dataset: columns method, K,
        the score. Scores per token are left out.
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
        raise ConfigError(f"score = {score!r}: {choices(score, SCORES)}")
    entries = scores.methods if isinstance(scores, Comparison) else {}
    table = _one_dataset(scores.scores if isinstance(scores, Comparison) else scores, score)
    names = [name for name in table["method"].unique() if name not in BASELINES]
    entries = {name: entries.get(name) or METHODS.get(name, {}) for name in names}
    baselines = table[table["method"].isin(list(BASELINES))].groupby("method")[score].mean()
    best = {BASELINES[baselines.idxmin()]: float(baselines.min())} if len(baselines) else {}
    colours = colours_of({**METHODS, **entries})
    labels = {name: entry.get("label", name) for name, entry in entries.items()}
    return fit_against_K.draw_held_out(table, labels, colours, best, score, SCORES[score], ax)


def _one_dataset(scores: pd.DataFrame, score: str) -> pd.DataFrame:
    """Return the scores per entry of a table that is of one dataset."""
    missing = [name for name in ("method", "K", score) if name not in scores]
    if missing:
        raise DataError(f"scores: there is no column {missing[0]!r} among {', '.join(scores)}")
    if "dataset" in scores and scores["dataset"].nunique() > 1:
        names = ", ".join(map(str, scores["dataset"].unique()))
        raise DataError(f"scores: those of one dataset are drawn, not of {names}")
    if "unit" in scores:
        scores = scores[scores["unit"].astype(str).str.endswith("entry")]
    scores = scores.dropna(subset=score)
    if scores["method"].isin(list(BASELINES)).all():
        raise DataError(f"scores: nothing to draw, no fit has a {score} per held-out entry")
    return scores


def chains(
    chains: Chains, *, quantities: str | Sequence[str] | None = None, ax: Axes | Sequence[Axes] | None = None
) -> Axes | np.ndarray:
    """Draw what was recorded of several chains, with R-hat and effective draws; red: not settled.

    Of methods that do not sample there is a point per start, with the spread of all.

    Parameters
    ----------
    chains : Chains
        Of `nbmf.run_chains`.
    quantities : str or list of str, optional
        Names in `chains.diagnostics`; by default the objective, the log-likelihood, and how many
        components there are and are active.
    ax : axis, or one for each quantity, optional

    Returns
    -------
    Axes, of several quantities an array of them

    Raises
    ------
    ConfigError
        If there is no such quantity, or `chains` are no Chains.
    """
    if not isinstance(chains, Chains):
        raise ConfigError(f"chains: Chains of nbmf.run_chains are needed, not a {type(chains).__name__}")
    found = {quantity.name: quantity.values for quantity in chains.quantities()}
    usual = [name for name in found if not name.startswith(("E[v]", "share"))]
    asked = [quantities] if isinstance(quantities, str) else list(quantities or usual)
    for name in asked:
        if name not in found:
            raise ConfigError(f"quantities: no {name!r} was recorded; {choices(name, found)}")
    rows = chains.diagnostics.set_index("quantity")
    panels = [
        traces.Panel(name, found[name], _notes(chains, rows.loc[name]), rows.loc[name, "settled"]) for name in asked
    ]
    axes = traces.draw_chains(panels, "chain" if chains.sampled else "start", ax)
    return axes[0] if isinstance(quantities, str) else np.array(axes)


def _notes(chains: Chains, row: pd.Series) -> list[str]:
    """Return what a panel says of a quantity; `row` is that of the diagnostics."""
    if chains.sampled:
        return traces.notes_of(row["r_hat"], row["ess_bulk"])
    return [] if np.isnan(row["spread"]) else [f"spread {row['spread']:.2g}"]
