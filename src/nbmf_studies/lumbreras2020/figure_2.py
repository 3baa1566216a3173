"""Figure 2: matrices drawn from the three models, with large and with small concentrations."""

import math

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from nbmf.data.matrix import BinaryMatrix
from nbmf.plotting.ordering import clustered

COLUMNS = 2
PANEL = 2.25  # inches


def draw(matrices: dict[str, BinaryMatrix]) -> Figure:
    """Draw the figure: ones black on white, rows and columns clustered.

    Parameters
    ----------
    matrices : dict
        Title of a panel to its matrix, in reading order: one row per model, the concentrations
        in columns.
    """
    n_rows = math.ceil(len(matrices) / COLUMNS)
    figure, axes = plt.subplots(
        n_rows,
        COLUMNS,
        figsize=(COLUMNS * (PANEL + 0.15) + 0.2, n_rows * (PANEL + 0.3) + 0.2),
        squeeze=False,
        layout="constrained",
    )
    for axis, (title, matrix) in zip(axes.flat, matrices.items(), strict=False):
        ones = clustered(matrix.codes) == 1
        axis.imshow(ones, cmap="gray_r", vmin=0, vmax=1, interpolation="none")
        axis.set_title(title)
        axis.set(xticks=[], yticks=[])
        axis.spines[:].set_visible(True)
    for axis in axes.flat[len(matrices) :]:
        axis.set_axis_off()
    figure.supxlabel("columns (clustered)", fontsize=8)
    figure.supylabel("rows (clustered)", fontsize=8)
    return figure
