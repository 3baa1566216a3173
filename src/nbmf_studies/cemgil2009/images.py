"""Figures 5 and 6: templates, reconstructions and filled patches as images."""

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from nbmf.data.count_matrix import CountMatrix
from nbmf.plotting import style
from nbmf_studies.cemgil2009.names import SHORT, WAY_COLOURS, WAYS
from nbmf_studies.cemgil2009.patches import sparseness
from nbmf_studies.framework.loaded import ShownFit

MISSING_COLOUR = "#D55E00"


@style.in_style
def draw_templates(matrix: CountMatrix, fits: list[ShownFit], bounds: pd.DataFrame, dataset: str, image: int) -> Figure:
    """Draw Figure 5: templates, the same times one image's excitations, and their sum.

    Parameters
    ----------
    matrix : CountMatrix
        Pixels x images.
    fits : list of ShownFit
        One per pair of shapes.
    bounds : DataFrame
        As `templates.tabulate` makes it.
    dataset : str
    image : int
        The column that is reconstructed.
    """
    figure, axes = style.panel_grid(3 * (len(fits) + 1), len(fits) + 1, 1.25, 0.2)
    side, truth = math.isqrt(matrix.shape[0]), matrix.tallies[:, image]
    of_dataset = bounds[bounds["dataset"] == dataset].set_index("method")["bound"]
    for (top, middle, bottom), fit in zip(axes.T, fits, strict=False):
        weighted = fit.W * fit.H[:, image]
        largest = np.maximum(fit.W.max(axis=0), 1e-12)
        _show(top, mosaic(fit.W / largest, side), 1.0)
        _show(middle, mosaic(weighted, side), float(weighted.max()))
        _show(bottom, weighted.sum(axis=1).reshape(side, side), float(truth.max()))
        top.set_title(
            f"a = {fit.label}\nB = {of_dataset[fit.method] / 1000:.1f}k\nsparseness {sparseness(fit.W):.2f}", fontsize=7
        )
    for axis, label in zip(axes[:, 0], ("templates", "weighted", "their sum"), strict=True):
        axis.set_ylabel(label)
    for axis in axes[:2, -1]:
        axis.set_axis_off()
    _show(axes[2, -1], truth.reshape(side, side), float(truth.max()))
    axes[2, -1].set_title("the image", fontsize=7)
    return figure


def mosaic(W: np.ndarray, side: int) -> np.ndarray:
    """Return columns as images side by side, NaN between them."""
    across = math.ceil(math.sqrt(W.shape[1]))
    down = math.ceil(W.shape[1] / across)
    tiled = np.full((down * (side + 1) - 1, across * (side + 1) - 1), np.nan)
    for k, column in enumerate(W.T):
        top, left = (place * (side + 1) for place in divmod(k, across))
        tiled[top : top + side, left : left + side] = column.reshape(side, side)
    return tiled


def _show(axis: Axes, picture: np.ndarray, largest: float, gaps: str = "white") -> None:
    colours = style.plt.get_cmap("gray").with_extremes(bad=gaps)
    axis.imshow(picture, cmap=colours, vmin=0.0, vmax=largest, interpolation="nearest")
    axis.set(xticks=[], yticks=[])
    axis.spines[:].set_visible(False)


@style.in_style
def draw_filled(pixels: pd.DataFrame, scores: pd.DataFrame, dataset: str, run: int, order: int) -> Figure:
    """Draw Figure 6: a person per row, filled in each way; below, what sparseness goes with it.

    Parameters
    ----------
    pixels : DataFrame
        As `filling.reconstruct` makes it.
    scores : DataFrame
        As `filling.tabulate` makes it.
    dataset, run, order
        Which of the scores belong to it.
    """
    images = dict(iter(pixels.groupby("image", sort=False)))
    figure = style.plt.figure(figsize=(style.PAGE_WIDTH, 1.08 * len(images) + 2.6), layout="constrained")
    upper, lower = figure.subfigures(2, 1, height_ratios=[1.08 * len(images), 2.3])
    axes = upper.subplots(len(images), 2 + len(WAYS), squeeze=False)
    at = scores[(scores["dataset"] == dataset) & (scores["order"] == order)]
    ratios = at[at["run"] == run].set_index("way")["snr"]
    for row, own in zip(axes, images.values(), strict=True):
        _draw_person(row, own)
    axes[0, 0].set_title("truth", fontsize=7)
    axes[0, 1].set_title("missing", fontsize=7)
    for axis, way in zip(axes[0, 2:], WAYS, strict=True):
        axis.set_title(f"{SHORT[way]}\n{ratios[way]:.1f} dB", fontsize=7)
    _draw_sparseness(lower, at)
    return figure


def _draw_person(axes, own: pd.DataFrame) -> None:
    truth, hidden = own["truth"].to_numpy(float), own["hidden"].to_numpy(bool)
    side, largest = math.isqrt(len(own)), float(truth.max())
    _show(axes[0], truth.reshape(side, side), largest)
    _show(axes[1], np.where(hidden, np.nan, truth).reshape(side, side), largest, MISSING_COLOUR)
    for axis, way in zip(axes[2:], WAYS, strict=True):
        _show(axis, np.where(hidden, own[way], truth).reshape(side, side), largest)


def _draw_sparseness(figure, at: pd.DataFrame) -> None:
    axes = figure.subplots(1, 2, sharey=True)
    for axis, (factor, words) in zip(axes, {"W": "templates", "H": "excitations"}.items(), strict=True):
        for way in WAYS:
            of_way = at[at["way"] == way]
            axis.plot(of_way[f"sparseness_{factor}"], of_way["snr"], "o", color=WAY_COLOURS[way], markersize=3.5)
        axis.set_xlabel(f"sparseness of {words}")
    axes[0].set_ylabel("SNR (dB)")
    handles = [
        Line2D([], [], color=WAY_COLOURS[way], marker="o", linestyle="", label=label) for way, label in WAYS.items()
    ]
    style.legend_below(figure, handles, 3)
