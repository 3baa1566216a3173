"""What `nbmf info` says about a file whose lines are lists of items."""

from pathlib import Path

from nbmf.cli.info_axes import next_lines
from nbmf.cli.options import Options
from nbmf.cli.reading import file_with_options
from nbmf.errors import NbmfError
from nbmf.io.columns import open_table
from nbmf.io.layouts import BASKET
from nbmf.io.records import Records
from nbmf.reporting.text import wrap


def report(options: Options) -> list[str] | None:
    """Return the lines about lists; None if there are none."""
    try:
        records = open_table(Path(options.file).expanduser(), name=options.name, encoding=options.encoding)
        if not (isinstance(records, Records) and records.are_baskets()):
            return None
    except (NbmfError, OSError):
        return None
    opening = f"{options.file}: {records.unit}s of different lengths, whose fields come again: lists of items, no table"
    chosen = options.but(layout=BASKET)
    if options.index is not None or (kind := records.what_lists_are_of()) is None:
        return [wrap(opening), *next_lines(f"nbmf info {file_with_options(chosen)}")]
    commands = [f"nbmf info {file_with_options(chosen.but(index=True))}"]
    if kind == "node" and not options.undirected:
        opening = f"{opening}; each begins with a node, whose neighbours follow; --undirected if ties have no direction"
        commands.append(f"nbmf info {file_with_options(chosen.but(index=True, undirected=True))}")
    else:
        opening = f"{opening}; the first {'cell' if records.unit == 'row' else 'field'} of each names it"
    return [wrap(opening), *next_lines(*commands)]
