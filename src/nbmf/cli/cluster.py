"""nbmf cluster: kinds of rows in a table of numbers, categories, yes or no and counts."""

import argparse
import functools

from nbmf.cli.tables import Task, run_on
from nbmf.evaluation.component_choice import GRID
from nbmf.io.features import read_table

SMOOTHING = 1.0


def run(options: argparse.Namespace) -> None:
    """Cluster the rows, write the folder and print the summary."""
    smoothing = SMOOTHING if options.smoothing is None else options.smoothing
    models = {name: {"model": name, "smoothing": smoothing} for name in options.models}
    run_on(options, Task(read, models, GRID, ".clusters", "component", "row"))


def read(options: argparse.Namespace):
    """Read FILE as the options say, and print what the reader reports."""
    return read_table(
        options.file,
        kinds=dict(options.kinds),
        labels=options.labels,
        ignore=options.ignore,
        header=options.header,
        index=options.index,
        missing=options.missing,
        log=functools.partial(print, flush=True),
    )
