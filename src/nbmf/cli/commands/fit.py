"""nbmf fit: from a file to components, with a folder of results and a summary to read."""

import nbmf
from nbmf.analysis.files import FILES, SUFFIX
from nbmf.cli.options import Options
from nbmf.cli.progress import shown_progress
from nbmf.cli.publishing import print_written
from nbmf.cli.reading import data_name, message_printer, read_with_groups
from nbmf.cli.results import results_folder
from nbmf.cli.wording import Typed


def run(options: Options) -> None:
    """Read, analyze, write the folder and print the summary."""
    folder = results_folder(options, SUFFIX, FILES)
    matrix, column_groups = read_with_groups(options, options.method)
    analysis = nbmf.analyze(
        matrix,
        name=data_name(options),
        column_groups=column_groups,
        log=message_printer(options.command),
        progress=shown_progress,
        wording=Typed(options),
        **analyze_arguments(options),
    )
    print_written(analysis.write(folder, {**vars(options), "method": analysis.method}), folder)


def analyze_arguments(options: Options) -> dict:
    """Return the arguments of `nbmf.analyze` that were typed."""
    others = {"n_components": options.components, "n_draws": options.draws, "settings": dict(options.settings)}
    return others | options.taken("method", "iterations", "chains", "seed", "check", "view", "names", "high")
