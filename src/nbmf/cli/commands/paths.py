"""nbmf paths: how rows moved from period to period, in a file whose columns belong to periods."""

import warnings
from collections.abc import Sequence

import nbmf
from nbmf.analysis.matrices import convert_for_method
from nbmf.cli.arguments import printed_command
from nbmf.cli.options import Options
from nbmf.cli.progress import shown_progress
from nbmf.cli.publishing import publish
from nbmf.cli.reading import data_name, read_matrix
from nbmf.cli.results import results_folder
from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.named import NamedMatrix
from nbmf.errors import ChainsNotConvergedWarning, ConfigError, DataError, Setting, choices
from nbmf.families.logistic.periods import PERIODS, Periods, periods_of
from nbmf.inference.parameters import check
from nbmf.io.periods import read_periods
from nbmf.output.folder import MATRIX, MODEL
from nbmf.output.reports import PAGE, SUMMARY
from nbmf.posterior.paths import group_path_table, path_table
from nbmf.posterior.running import run_chains
from nbmf.reporting.paths_report import paths_report
from nbmf.reporting.pictures import PATHS, picture_of_paths

SUFFIX, TABLE, GROUPS = ".paths", "paths.csv", "groups.csv"
FILES = SUMMARY, PAGE, MODEL, MATRIX, TABLE, GROUPS, PATHS
STATIC = "logistic-gs"  # the method of rows that stay, on zeros and ones: it takes the same matrices
KEPT = 2 / 3  # of the sweeps
DRAWS = 100  # of a chain, unless fewer are kept


def run(options: Options) -> None:
    """Read the matrix and the periods, fit, write the folder and print the summary."""
    folder = results_folder(options, SUFFIX, FILES)
    matrix = read_matrix(options)
    estimator = nbmf.DynamicOrdinalFactorGibbs if isinstance(matrix, CategoryMatrix) else nbmf.DynamicFactorGibbs
    if estimator is nbmf.DynamicFactorGibbs:
        matrix = convert_for_method(matrix, STATIC)
    periods = read_typed_periods(options, matrix)
    _refuse_unknown_rows(options.show or (), matrix)
    kept = max(1, round(KEPT * options.iterations))
    model = estimator(
        options.components,
        periods=[str(periods.names[t]) for t in periods.of_columns],
        burn_in=options.iterations - kept,
        n_samples=kept,
        random_state=options.seed,
    )
    count, draws = options.chains, min(DRAWS, kept) if options.draws is None else options.draws
    what = f"{count} chain{'s' * (count > 1)}"
    with warnings.catch_warnings(), shown_progress(what, count * model.n_iterations) as monitor_of:
        warnings.simplefilter("ignore", ChainsNotConvergedWarning)  # the report says it
        chains = run_chains(model, matrix, chains=count, n_draws=draws, monitor_of=monitor_of)
    labels = matrix.row_groups if matrix.row_groups is not None and matrix.row_groups.any() else None
    picture = picture_of_paths(chains, options.show, labels)
    table = path_table(chains.draws)
    groups = None if labels is None else group_path_table(chains.draws, labels)
    folder.write(MODEL, chains.best.save)
    folder.write(MATRIX, matrix.save)
    folder.write_table(TABLE, table)
    if groups is not None:
        folder.write_table(GROUPS, groups)
    figures = folder.figures([picture])
    folder.write_pictures([picture])
    report = paths_report(data_name(options), chains, table, figures, printed_command(options), groups)
    publish(report, folder, vars(options))


def read_typed_periods(options: Options, matrix: NamedMatrix) -> Periods:
    """Return the periods of the columns, by the file or by the regular expression that was typed.

    Raises
    ------
    ConfigError
        If both were typed, or neither, or the expression finds no period in the name of a column.
    DataError
        If the file does not have them, or all columns have the same one.
    """
    given: str | Sequence[str] | None = options.period_in_names
    if (options.periods is None) == (given is None):
        raise ConfigError(
            "the periods of columns: needed is one of ", Setting("periods_file", ...), " and ", Setting("periods", ...)
        )
    if options.periods is not None:
        given = read_periods(options.periods, matrix.column_names)
    check("periods", given, {"periods": PERIODS})
    periods = periods_of(given, matrix.shape[1], matrix.column_names)
    if periods.names.size < 2:
        raise DataError(f"all {matrix.shape[1]} columns have the period {str(periods.names[0])!r}; needed are two")
    return periods


def _refuse_unknown_rows(names: Sequence[str], matrix: NamedMatrix) -> None:
    """Raise DataError, before anything is fitted, if a row to be shown is not there."""
    known = [str(name) for name in matrix.row_names]
    for name in names:
        if name not in known:
            raise DataError(Setting("show", [name]), f": there is no such row; {choices(name, known)}")
