"""nbmf compare-fits: two fits side by side."""

from pathlib import Path

from nbmf.cli.arguments import printed_command
from nbmf.cli.options import Options
from nbmf.cli.progress import Progress, step_counters
from nbmf.cli.publishing import publish
from nbmf.cli.results import results_folder
from nbmf.cli.saved_fits import SavedFit, load_fit, saved_scale
from nbmf.errors import DataError
from nbmf.evaluation.fit_comparison import Fit, compare_fits
from nbmf.output.reports import PAGE, SUMMARY
from nbmf.reporting.fit_comparison_report import fit_comparison_report

COMPONENTS, ROWS = "components.csv", "rows.csv"
FILES = (SUMMARY, PAGE, COMPONENTS, ROWS)


def run(options: Options) -> None:
    """Compare two fits, write the folder and print the summary."""
    saved = [load_fit(Path(path)) for path in (options.first, options.second)]
    fits, paths = [_complete_fit(each) for each in saved], [each.path for each in saved]
    names = [path.stem for path in paths]
    folder = results_folder(options, f"-{names[1]}.fits", FILES, source=paths[0])
    called = tuple(names) if names[0] != names[1] else tuple(map(str, paths))
    steps = sum(fit.model.n_iterations for fit in fits) / len(fits)  # of a fit on average
    with Progress("check") as progress:
        comparison = compare_fits(
            *fits, predict=options.check, seed=options.seed, monitor_of=step_counters(progress, steps)
        )
    folder.write_table(COMPONENTS, comparison.matched)
    if comparison.rows is not None:
        folder.write_table(ROWS, comparison.rows)
    publish(fit_comparison_report(comparison, called, printed_command(options)), folder, vars(options))


def _complete_fit(saved: SavedFit) -> Fit:
    if saved.matrix is None:
        raise DataError(f"{saved.path}: a model without its data; needed is the folder that nbmf fit wrote")
    scale = saved_scale(saved.path, saved.model, saved.matrix)
    return Fit(saved.model, saved.matrix, saved.record.get("names") or (), scale)
