"""The legend of groups, below a panel: groups with a colour of their own, and how many others there are."""

from collections.abc import Mapping
from typing import NamedTuple

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.transforms import ScaledTranslation

from nbmf.plotting import style
from nbmf.plotting.names import shortened

LONGEST = 26  # characters of a name
LETTER, MARK, MOST_COLUMNS = 0.062, 0.3, 4  # inches: a letter, and what comes before a name
LINE = 0.145  # inches
BELOW = 0.38  # inches, from an axis down to its legend


class GroupLegend(NamedTuple):
    """Names and colours, in so many columns."""

    names: list[str]
    colours: list[str]
    columns: int

    @classmethod
    def of(cls, of_group: Mapping[str, str], width: float) -> "GroupLegend":
        """Return the legend of a panel of a width in inches, given a colour for each group, the largest first."""
        own = [group for group, colour in of_group.items() if colour != style.OTHERS]
        others = [group for group in of_group if group not in own]
        names, colours = shortened(own, LONGEST), [of_group[group] for group in own]
        if others:
            names += shortened(others, LONGEST) if len(others) == 1 else [f"{len(others)} other groups"]
            colours.append(style.OTHERS)
        longest = max(map(len, names), default=0)
        columns = int(width / (MARK + LETTER * longest))
        return cls(names, colours, max(1, min(columns, MOST_COLUMNS, len(names))))

    @property
    def height(self) -> float:
        """Inches, 0 without groups."""
        return LINE * -(-len(self.names) // self.columns)

    def draw(self, axis: Axes) -> None:
        """Draw it below the labels of an axis."""
        if self.names:
            handles = [plt.Line2D([], [], marker="o", ls="", ms=4, color=colour) for colour in self.colours]
            axis.legend(handles, self.names, ncols=self.columns, columnspacing=1, **below(axis))


def below(axis: Axes) -> dict:
    """Return where a legend is that begins right below the label of an axis."""
    down = ScaledTranslation(0, -BELOW, axis.figure.dpi_scale_trans)
    return {
        "loc": "upper center",
        "bbox_to_anchor": (0.5, 0),
        "bbox_transform": axis.transAxes + down,
        "borderaxespad": 0,
        "handletextpad": 0.1,
    }
