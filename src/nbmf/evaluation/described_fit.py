"""What a fit says about rows and columns: by groups, or by positions on axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nbmf.data.named import NamedMatrix
from nbmf.inference.estimator import Factorization
from nbmf.posterior.components import components_of, names_or_defaults
from nbmf.posterior.groups import main_components_of
from nbmf.posterior.scale import Scale, scale_of
from nbmf.posterior.scale_axes import has_scale


class FitDescription(NamedTuple):
    """What a fit says about rows and columns: by groups, or by positions on axes.

    names : list of str, of its A components or axes
    row_values, column_values : float arrays (F, A), (N, A)
    row_names, column_names : str arrays (F,), (N,)
    lower, upper : float arrays (F, A), the ends of intervals of positions; None where there are none
    main : int array (F,), the component that each row is most typical of; None of axes
    are_shares : bool, whether `row_values` are shares of components
    """

    names: list[str]
    row_values: np.ndarray
    column_values: np.ndarray
    row_names: np.ndarray
    column_names: np.ndarray
    lower: np.ndarray | None = None
    upper: np.ndarray | None = None
    main: np.ndarray | None = None
    are_shares: bool = False

    @property
    def is_scale(self) -> bool:
        """Whether rows have positions with intervals."""
        return self.lower is not None

    @property
    def are_axes(self) -> bool:
        """Whether components are axes, of which either end may be the upper one."""
        return self.main is None

    def take(self, rows: Sequence[int], columns: Sequence[int]) -> FitDescription:
        """Return what is reported about some rows and columns."""
        row_values = {name: getattr(self, name) for name in ("row_values", "row_names", "lower", "upper", "main")}
        kept = {name: None if values is None else values[rows] for name, values in row_values.items()}
        return self._replace(**kept, column_values=self.column_values[columns], column_names=self.column_names[columns])


def describe_fit(
    model: Factorization, matrix: NamedMatrix, names: Sequence[str] = (), scale: Scale | None = None
) -> FitDescription:
    """Return what a fitted model says about the rows and columns of its matrix.

    `names` are those of components, `scale` that of a fit whose positions come from draws; otherwise it is made of
    model and matrix.
    """
    if matrix.dense is None and has_scale(model):
        scale = scale or scale_of(model, matrix)
        kept = slice(scale.kept)
        rows = (each[:, kept] for each in (scale.positions, scale.lower, scale.upper))
        positions, lower, upper = rows
        columns = scale.discrimination[:, kept]
        called = names_or_defaults(scale.names, names)[kept]
        return FitDescription(called, positions, columns, matrix.row_names, matrix.column_names, lower, upper)
    components = components_of(model, matrix)
    shown = np.arange(components.informative or components.active)
    row_values, column_values = components.model.W_[:, shown], components.model.H_.T[:, shown]
    called = names_or_defaults(components.names(), names)[: len(shown)]
    are_axes = model.has_axes
    return FitDescription(
        called,
        row_values,
        column_values,
        matrix.row_names,
        matrix.column_names,
        main=None if are_axes else main_components_of(components.model, shown),
        are_shares="W" in model.distributions,
    )
