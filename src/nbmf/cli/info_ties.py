"""What `nbmf info` says about a list of ties of several networks: waves of one, or kinds of ties."""

from collections.abc import Mapping, Sequence
from itertools import combinations

from nbmf.cli.info_axes import next_lines
from nbmf.cli.info_commands import command_line, format_options
from nbmf.cli.info_records import columns_of_names
from nbmf.cli.options import Options
from nbmf.data.shared_names import shared_names
from nbmf.reporting.text import wrap

MOST_NETWORKS = 20  # different values of a column that tells networks from each other
ONCE = 0.99  # of the lines at least, of pairs that are once in each network


def report(options: Options, columns: dict[str, list], has_header: bool, opening: str) -> list[str] | None:
    """Return the lines about ties of which pairs come again, each time with another wave; None if there are none."""
    if not has_header or (nodes := columns_of_nodes(columns)) is None:
        return None
    if (wave := _column_of_networks(columns, nodes)) is None:
        return None
    said = (
        f"a list of ties between {nodes[0]!r} and {nodes[1]!r}, of {len(set(columns[wave]))} networks by {wave!r}: "
        "write the lines of one of them into a file of its own"
    )
    others = [name for name in columns if name not in (*nodes, wave)]
    if others:  # values that say what is no tie, or how strong it is
        said += f"; {', '.join(map(repr, others))} may say which lines are ties"
        return [wrap(f"{opening}, but {said}")]
    read = {"row": nodes[0], "column": nodes[1], **format_options(options)}
    together = command_line("info", options.file, layout="presence", **read)
    return [wrap(f"{opening}, but {said}; all together, a tie of any is one"), *next_lines(together)]


def columns_of_nodes(columns: Mapping[str, Sequence]) -> tuple[str, str] | None:
    """Return the first two columns of names that have the same ones; None if there are no two."""
    of_names = columns_of_names(columns)
    names = {name: set(cells) for name, cells in columns.items() if name in of_names}
    pairs = (pair for pair in combinations(names, 2) if not names[pair[0]].isdisjoint(names[pair[1]]))
    return next((pair for pair in pairs if shared_names(*map(names.__getitem__, pair))), None)


def _column_of_networks(columns: Mapping[str, Sequence], nodes: tuple[str, str]) -> str | None:
    """Return the column of few values in each of which a pair of nodes is once, while pairs come again; else None."""
    pairs = list(zip(*(columns[name] for name in nodes), strict=True))
    if len(set(pairs)) >= ONCE * len(pairs):
        return None
    for name, cells in columns.items():
        is_few = name not in nodes and 1 < len(set(cells)) <= MOST_NETWORKS and None not in cells
        if is_few and len(set(zip(pairs, cells, strict=True))) >= ONCE * len(pairs):
            return name
    return None
