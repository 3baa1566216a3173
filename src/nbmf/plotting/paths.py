"""Draw where rows went from period to period, with names and bands."""

from collections.abc import Collection, Sequence

import numpy as np
from matplotlib.axes import Axes

from nbmf.data.names import align_labels, checked_labels
from nbmf.errors import not_allowed
from nbmf.plotting.inputs import Fit, draws_of, model_of, refuse_unknown_names
from nbmf.plotting.path_lines import draw
from nbmf.posterior.path_values import Paths
from nbmf.posterior.paths import labels_of_paths, paths_of, refuse_rows_that_stay

NAMED = 9  # rows that are shown in colours unless a caller says which


def paths(
    fit: Fit,
    component: int = 1,
    *,
    names: Collection[str] | None = None,
    groups: Sequence[str] | None = None,
    level: float = 0.9,
    ax: Axes | None = None,
) -> Axes:
    """Draw the paths of rows that move by one component: time to the right, positions upward.

    Each row is a line over its span, from the first to the last period in which it has entries, broken in pauses by
    dots; a band is its credible interval. Other rows are thin lines, grey unless they have a group.

    Parameters
    ----------
    fit : estimator, Draws or Chains
        Of a model whose rows move, fitted; draws, and chains that have some, have bands.
    component : int
        Number from 1, in the order of `W_`.
    names : collection of str, optional
        The rows with names and bands, and colours without groups; by default those that went farthest, at most nine.
    groups : sequence of F texts, optional
        The group of each row, such as its party, "" for none: lines have its colour, and a legend names groups.
    level : float
        Of the intervals.
    ax : axis, optional

    Raises
    ------
    NotSupportedError
        If rows do not move.
    ConfigError
        If there is no such component.
    DataError
        If there is no such name, or not a group for each row.
    """
    model = model_of(fit)
    refuse_rows_that_stay(model)
    K = model.n_components_
    if isinstance(component, bool) or not isinstance(component, int | np.integer) or not 1 <= component <= K:
        raise not_allowed("component", component, f"an integer from 1 to {K}")
    draws = draws_of(fit)
    shown = _paths_without_bands(model) if draws is None else paths_of(draws, level)
    if groups is not None:
        groups = checked_labels(align_labels(groups, shown.row_names), len(shown.mean), "groups").tolist()
    rows = _rows(shown, component - 1, names)
    axis = draw(shown, component - 1, rows, has_bands=draws is not None, ax=ax, groups=groups)
    axis.set_ylabel(f"position, component {component}")  # of mean square 1: no log-odds
    return axis


def _paths_without_bands(model) -> Paths:
    return Paths(*labels_of_paths(model), *[model.paths_] * 3, model.entries_.astype(int), model.spans_)


def _rows(paths: Paths, k: int, names: Collection[str] | None) -> list[int]:
    """Return the rows with colours: those that are named, or that went farthest within their spans."""
    if names is None:
        went = [np.ptp(paths.mean[f, first : last + 1, k]) for f, (first, last) in enumerate(paths.spans)]
        return sorted(np.argsort(-np.array(went), kind="stable")[:NAMED])
    known = [str(name) for name in paths.row_names]
    refuse_unknown_names(names, known)
    return [known.index(name) for name in names]
