"""nbmf cluster: kinds of rows in a table of numbers, categories, yes or no and counts."""

import argparse

from nbmf.cli.arguments import render_message
from nbmf.cli.cluster_and_topics import Task, prepare_folder, run_task
from nbmf.evaluation.component_choice import GRID
from nbmf.io.features import read_table

SMOOTHING = 1.0


def run(options: argparse.Namespace) -> None:
    """Cluster the rows, write the folder and print the summary."""
    folder = prepare_folder(options, ".clusters")
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
        log=lambda line: print(render_message(line, options.command), flush=True),
    )
    run_task(table, Task(models, GRID, "component", "row"), folder, options)
