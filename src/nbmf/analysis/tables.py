"""The tables of an analysis: E[V], chains, factors, effects and groups, under the names of their files."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pandas as pd

from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.matrix import BinaryMatrix
from nbmf.inference.declarations import CLASS_SIZES
from nbmf.likelihoods.ordered import named_probabilities
from nbmf.output.folder import COLUMN_GROUPS
from nbmf.posterior.chain_records import ENTRY
from nbmf.posterior.groups import summarize_groups
from nbmf.posterior.scale_tables import columns_table, rows_table
from nbmf.reporting.fit_result import DRAWN_EFFECTS, EFFECTS, ReportedFit

FACTORS, ENDS = ("W", "H"), ("lower", "upper")
EXPECTATION = "expectation"
COMPONENTS = "components"
POSITIONS, COLUMNS = "positions", "columns"  # of a scale
MISSING = "missing"  # entries, and what the mixture and the model predict of them
CHAINS, GROUPS, GROUPS_OF_COLUMNS = "chains", "groups", "groups_of_columns"
GROUP_OF_COLUMN = COLUMN_GROUPS.removesuffix(".csv")
TABLES = (
    *(f"{name}{end}" for name in (*FACTORS, EXPECTATION) for end in ("", *(f"_{end}" for end in ENDS))),
    *(MISSING, CHAINS, COMPONENTS, POSITIONS, COLUMNS, GROUPS, GROUPS_OF_COLUMNS, GROUP_OF_COLUMN),
    *(f"{axis}_effects" for axis in EFFECTS),
)


class Tables(Mapping[str, pd.DataFrame]):
    """Tables by name, each made when it is first looked at."""

    def __init__(self, made_by: Mapping[str, Callable[[], pd.DataFrame]]):
        self._made_by, self._made = dict(made_by), {}

    def __getitem__(self, name: str) -> pd.DataFrame:
        if name not in self._made:
            self._made[name] = self._made_by[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made_by)

    def __len__(self) -> int:
        return len(self._made_by)

    def __repr__(self) -> str:
        return f"Tables: {', '.join(self)}"


def make_tables(result: ReportedFit) -> Tables:
    """Return the tables of a fit: E[V] and chains, and those of components if they are worth showing.

    The index of a factor or of E[V] has names; other tables have none.
    """
    makers = dict(_fit_tables(result))
    if result.shows_components:
        makers |= dict(_component_tables(result))
    return Tables(makers)


def _fit_tables(result: ReportedFit) -> Iterator[tuple[str, Callable[[], pd.DataFrame]]]:
    if result.expectation is not None:
        intervals = result.intervals.get(EXPECTATION, ())
        yield EXPECTATION, lambda: _entry_table(result, result.expectation + result.lowest)
        for end, values in zip(ENDS, intervals, strict=False):
            yield f"{EXPECTATION}_{end}", lambda values=values: _entry_table(result, values + result.lowest)
        if result.chains is not None:
            yield CHAINS, lambda: _chain_table(result)
    if isinstance(result.matrix, BinaryMatrix) and result.n_missing and result.expectation is not None:
        yield MISSING, lambda: _missing_table(result)
    if isinstance(result.matrix, CategoryMatrix) and result.n_missing:
        yield MISSING, lambda: _missing_category_table(result)


def _chain_table(result: ReportedFit) -> pd.DataFrame:
    """Return the diagnostics of chains or starts, with entries of E[V] counted as in the other tables."""
    table = result.chains.diagnostics
    is_entry = table["quantity"].str.startswith(ENTRY)
    return table.assign(mean=table["mean"] + np.where(is_entry, result.lowest, 0))


def _entry_table(result: ReportedFit, values: np.ndarray) -> pd.DataFrame:
    return _labelled_table("row", values, result.matrix.row_names, result.matrix.column_names)


def _labelled_table(corner: str, values: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(values, index=pd.Index(rows, name=corner), columns=columns)


def _missing_table(result: ReportedFit) -> pd.DataFrame:
    """Return what the mixture, if it is written, and the model predict of missing entries."""
    matrix = result.matrix
    rows, columns = np.nonzero(result.missing_entries)
    entries = {"row": matrix.row_names[rows], "column": matrix.column_names[columns]}
    predicted = {"probability": result.expectation[rows, columns]}
    if result.stack is not None:
        predicted = {"probability": result.stack.predict(rows, columns), "by_model": predicted["probability"]}
    return pd.DataFrame(entries | predicted)


def _missing_category_table(result: ReportedFit) -> pd.DataFrame:
    """Return the mean category and the probability of each that the model predicts of missing entries."""
    matrix = result.matrix
    rows, columns = np.nonzero(result.missing_entries)
    entries = {"row": matrix.row_names[rows], "column": matrix.column_names[columns]}
    mean = {"mean": result.expectation[rows, columns] + result.lowest}
    is_pooled = result.chains is not None and result.chains.sampled  # as the mean is
    fits = result.chains.estimators if is_pooled else [result.model]
    predicted = np.mean([fit.predictive(rows, columns) for fit in fits], axis=0)
    return pd.DataFrame(entries | mean | named_probabilities(matrix.categories, predicted))


def _component_tables(result: ReportedFit) -> Iterator[tuple[str, Callable[[], pd.DataFrame]]]:
    """Yield the factors as the report has them, effects, and what is reported about groups."""
    matrix, components = result.matrix, result.components
    model, shown = components.model, np.arange(components.informative)
    yield COMPONENTS, lambda: _component_list(result)
    for name in FACTORS:
        yield name, lambda name=name: _factor_table(result, name, getattr(model, f"{name}_"))
        if name in result.intervals:
            for number, end in enumerate(ENDS):
                yield (
                    f"{name}_{end}",
                    lambda name=name, i=number: _factor_table(result, name, _interval_end(result, name, i)),
                )
    for fit in (result, result.other_view):
        if fit is not None and fit.scale is not None:
            yield POSITIONS, lambda scale=fit.scale: rows_table(scale)
            yield COLUMNS, lambda scale=fit.scale: columns_table(scale)
    for axis in result.effects():
        yield f"{axis}_effects", lambda axis=axis: _effect_table(result, axis)
    if matrix.row_groups is not None:
        yield GROUPS, lambda: summarize_groups(model, matrix.row_groups, shown, coordinates=result.coordinates(0))
    if (groups := result.column_groups) is not None:
        of_columns = GROUPS if matrix.row_groups is None else GROUPS_OF_COLUMNS
        yield of_columns, lambda: summarize_groups(model, groups, shown, axis=1, coordinates=result.coordinates(1))
        yield GROUP_OF_COLUMN, lambda: pd.DataFrame({"column": matrix.column_names, "group": groups})


def _factor_table(result: ReportedFit, name: str, values: np.ndarray) -> pd.DataFrame:
    """Return W (F, k) or H (k, N) of the components in their order in the report."""
    components, matrix = result.components, result.matrix
    # Names that a person gave a scale are those of its axes, to which components are turned.
    names = (components if result.scale is None else components._replace(given=())).names()
    if name == "W":
        return _labelled_table("row", values, matrix.row_names, names)
    return _labelled_table("component", values, names, matrix.column_names)


def _interval_end(result: ReportedFit, factor: str, number: int) -> np.ndarray:
    """Return the lower or upper end of the interval of W (F, k) or H (k, N), NaN of components that are merged."""
    order, members = result.components.order, result.components.members
    is_merged = np.array([len(places) > 1 for places in members], bool)
    end = result.intervals[factor][number]
    if factor == "W":
        return np.where(is_merged, np.nan, end[:, order])
    return np.where(is_merged[:, None], np.nan, end[order])


def _component_list(result: ReportedFit) -> pd.DataFrame:
    """Return a row per component of the model: its number in the report, that one's share, and the place in model.npz.

    Components that are merged have the same number.
    """
    components = result.components
    number = np.repeat(np.arange(len(components.members)), [len(places) for places in components.members])
    in_model = np.concatenate([np.empty(0, int), *components.members])
    is_merged = np.array([len(components.members[each]) > 1 for each in number], bool)
    table = pd.DataFrame(
        {
            "component": number + 1,
            "share": components.shares[number],
            "active": number < components.active,
            "place_in_model": in_model,
        }
    )
    if CLASS_SIZES in result.intervals:
        for end, values in zip(ENDS, result.intervals[CLASS_SIZES], strict=True):
            table[f"share_{end}"] = np.where(is_merged, np.nan, values[in_model])
    if "W" in result.intervals:
        table["overlap"] = result.draws.alignment.overlap[in_model]
    return table


def _effect_table(result: ReportedFit, axis: str) -> pd.DataFrame:
    """Return the effects of rows, or of columns."""
    table = pd.DataFrame({axis: result.names(axis), "effect": result.effects()[axis]})
    if (interval := result.intervals.get(DRAWN_EFFECTS[axis])) is not None:
        table["lower"], table["upper"] = interval
    return table
