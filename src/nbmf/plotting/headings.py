"""Headings above narrow columns: they do not overlap, whatever there is room for."""

import textwrap
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

SMALLEST = 4.5  # points
APART = 1.15  # widths of a heading from the centre of one to that of the next, at least
TITLES_APART = 1.05  # likewise of titles of panels
FEWEST_LETTERS = 8  # in a line of a title


def wrapped(title: str, letters: int) -> str:
    """Return a title in lines of at most so many letters, none of which ends within "K = 8"."""
    kept = title.replace(" = ", "\xa0=\xa0")
    return textwrap.fill(kept, letters).replace("\xa0", " ")


def write(axis: Axes, headings: Sequence[str], size: float, pad: float) -> None:
    """Write a heading above each column of an image, in this size of letters until `fit` is asked."""
    axis.set_xticks(range(len(headings)), headings, fontsize=size)
    axis.tick_params(axis="x", length=0, pad=pad, labeltop=True, labelbottom=False)


def fit(axes: Sequence[Axes]) -> None:
    """Make headings smaller that overlap in the layout of the finished figure, or turn them upright."""
    axes[0].figure.draw_without_rendering()
    for axis in axes:
        texts = [tick.label2 for tick in axis.xaxis.get_major_ticks()]
        widths = np.array([text.get_window_extent().width for text in texts])
        room = axis.get_window_extent().width / len(texts)
        needed = APART * max((widths[1:] + widths[:-1]) / 2, default=0.0)
        if needed <= room:
            continue
        size = texts[0].get_fontsize() * room / needed
        if size >= SMALLEST:
            axis.tick_params(axis="x", labelsize=size)
            continue
        upright = [text.get_text().replace("\n", "  ") for text in texts]
        points = room / axis.figure.dpi * 72
        axis.set_xticks(axis.get_xticks(), upright, rotation=90, fontsize=min(texts[0].get_fontsize(), points / APART))


def fit_titles(axes: Sequence[Axes]) -> None:
    """Break titles of panels next to each other that would overlap, or leave the figure, into lines."""
    figure = axes[0].figure
    figure.draw_without_rendering()
    middles = np.array([np.mean(axis.get_window_extent().intervalx) for axis in axes])
    edges = 2 * np.minimum(middles - figure.bbox.x0, figure.bbox.x1 - middles)
    room = min([*edges, *np.diff(middles)]) / TITLES_APART
    for axis in axes:
        width, lines = axis.title.get_window_extent().width, axis.get_title().splitlines()
        if width > room:
            letters = max(int(max(map(len, lines)) * room / width), FEWEST_LETTERS)
            axis.title.set_text("\n".join(wrapped(line, letters) for line in lines))
