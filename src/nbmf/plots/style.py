"""The one style of all figures: sizes for print, colours that colour-blind readers tell apart."""

import math
import os
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from nbmf.files import atomic_path

PAGE_WIDTH = 7.2  # inches, two columns of a journal page

# Okabe and Ito's palette and some more, light colours last: of groups and chains. Those of methods
# are in methods.yaml.
COLOURS = [
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#E69F00",
    "#7F7F7F",
    "#332288",
    "#999933",
]

RC = {
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "pdf.fonttype": 42,  # text stays text
    "figure.dpi": 150,
}
plt.rcParams.update(RC)


def panel_grid(
    count: int, columns: int, row_height: float, legend_height: float, **options
) -> tuple[Figure, np.ndarray]:
    """Return a figure as wide as a page with `count` panels, and its axes, array (rows, columns).

    Heights are in inches. Axes that are left over are switched off; options go to plt.subplots.
    """
    columns = min(columns, count)
    rows = math.ceil(count / columns)
    figure, axes = plt.subplots(
        rows,
        columns,
        figsize=(PAGE_WIDTH, row_height * rows + legend_height),
        squeeze=False,
        layout="constrained",
        **options,
    )
    for axis in axes.flat[count:]:
        axis.set_axis_off()
    return figure, axes


def save(figure: Figure, *paths: str | os.PathLike, dpi: int = 200) -> None:
    """Write a figure to each path (.pdf, .png), atomically and without a date inside."""
    for path in map(Path, paths):
        metadata = {"CreationDate": None} if path.suffix == ".pdf" else None
        with atomic_path(path) as temporary:
            figure.savefig(temporary, metadata=metadata, bbox_inches="tight", dpi=dpi)
    plt.close(figure)
