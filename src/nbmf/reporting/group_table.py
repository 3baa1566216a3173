"""The table of groups, or labels, by component."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nbmf.reporting.model import Table

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 20  # groups, the largest ones


def group_table(cells: "pd.DataFrame", groups: Sequence[str], caption: str, kind: str) -> Table:
    """Return the table with the colours of the pictures.

    Parameters
    ----------
    cells : DataFrame
        Index: groups, the largest first, "" for those without one; columns: numbers of components from 1.
    groups : str array (n,)
        The group of each row, or column, of the data.
    caption : str
    kind : str
        What groups are called, if more than SHOWN are there.
    """
    from nbmf.plotting import style  # loads Matplotlib

    more, colours = len(cells) - SHOWN, style.colours_of_groups(groups)
    cells = cells.iloc[:SHOWN]
    return Table(
        ["", *map(str, cells.columns)],
        [[group or "(none)", *map(str, row)] for group, row in zip(cells.index, cells.to_numpy(), strict=True)],
        "<" + ">" * len(cells.columns),
        caption=[caption],
        note=f"... and {more} more {kind}" if more > 0 else "",
        head_colours=[style.colour_of_component(k - 1) for k in cells.columns],
        row_colours=[colours[group] for group in cells.index],
    )
