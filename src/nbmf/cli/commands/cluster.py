"""nbmf cluster: kinds of rows in a table of numbers, categories, yes or no and counts."""

import argparse

from nbmf.cli.arguments import as_typed
from nbmf.cli.cluster_and_topics import Task, folder_of, run_on
from nbmf.evaluation.component_choice import GRID
from nbmf.io.features import read_table

SMOOTHING = 1.0


def run(options: argparse.Namespace) -> None:
    """Cluster the rows, write the folder and print the summary."""
    folder = folder_of(options, ".clusters")
    smoothing = SMOOTHING if options.smoothing is None else options.smoothing
    models = {name: {"model": name, "smoothing": smoothing} for name in options.models}
    table = read_table(
        options.file,
        kinds=dict(options.kinds),
        labels=options.labels,
        ignore=options.ignore,
        header=options.header,
        index=options.index,
        missing=options.missing,
        name=options.name,
        encoding=options.encoding,
        log=lambda line: print(as_typed(line, options.command), flush=True),
    )
    run_on(table, Task(models, GRID, "component", "row"), folder, options)
