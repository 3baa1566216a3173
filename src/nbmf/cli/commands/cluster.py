"""nbmf cluster: kinds of rows in a table of numbers, categories, yes or no and counts."""

from nbmf.cli.cluster_and_topics import Task, prepare_folder, run_task
from nbmf.cli.options import Options
from nbmf.cli.reading import message_printer
from nbmf.evaluation.component_choice import GRID
from nbmf.io.features import read_table

SMOOTHING = 1.0


def run(options: Options) -> None:
    """Cluster the rows, write the folder and print the summary."""
    folder = prepare_folder(options, ".clusters")
    smoothing = SMOOTHING if options.smoothing is None else options.smoothing
    models = {name: {"model": name, "smoothing": smoothing} for name in options.models}
    table = read_table(
        options.file,
        kinds=dict(options.kinds),
        **options.taken("labels", "ignore", "header", "index", "missing", "name", "encoding"),
        log=message_printer(options.command),
    )
    run_task(table, Task(models, GRID, "component", "row"), folder, options)
