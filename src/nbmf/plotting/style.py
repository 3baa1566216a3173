"""The one style of all figures: sizes for print, colours that colour-blind readers can distinguish."""

import functools
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.ticker import FuncFormatter

from nbmf.errors import ConfigError
from nbmf.files import atomic_path
from nbmf.plotting import fonts, places

PAGE_WIDTH = 7.2  # inches, two columns of a journal page
PNG_DPI = 200
LABELLED_BETWEEN = ("2", "3", "5")  # first digits of ticks between powers of ten that have numbers
SHORT = 4  # a logarithmic axis that ends at less than so many times its beginning has numbers at all ticks

# Okabe and Ito's palette and some more, light colours last: of chains and lines. Those of methods are
# in methods.yaml.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7F7F7F", "#332288", "#999933", "#882255"]

# Of groups that somebody else knows, such as parties: neither like a component nor like a sign. The first two, a
# green and a purple, are those that colour-blind readers distinguish best.
GROUPS = ["#1B7837", "#762A83", "#A65A00", "#8F5BFF", "#E7298A", "#4D3319", "#4DAC26", "#00665E", "#FF3DFF"]
OTHERS, NEXT_OTHERS = "#C4C4C4", "#A3A3A3"  # beyond the last colour; components in turn, so that ends are seen

# Paul Tol's light palette and some more: of components.
PALE = ["#77AADD", "#EE8866", "#AAAA00", "#FFAABB", "#44BB99", "#EEDD88", "#BB99DD", "#99DDFF", "#CC9977", "#BBCC33"]

SIGNED = "RdBu_r"  # colour map of what has signs: blue below 0, red above

RC = {
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "pdf.fonttype": 42,  # text stays text
    "text.parse_math": False,  # "$" is a letter like others: names have it
    "figure.dpi": 150,
}


def use_no_screen() -> None:
    """Draw into files alone, for the whole process; notebooks have a screen."""
    mpl.use("agg")


def in_style(draw: Callable) -> Callable:
    """Let a function draw in the style of this module, and leave the caller's own as it was.

    But whether Matplotlib is interactive stays as the function leaves it: a notebook's backend is
    loaded by the first figure, and without its setting a notebook would show no further one.
    """

    @functools.wraps(draw)
    def drawn(*arguments: Any, **options: Any) -> Any:
        with fonts.suppress_letter_warnings(), mpl.rc_context({**RC, "font.family": fonts.families()}):
            result = draw(*arguments, **options)
            _make_tick_labels(result)
            is_interactive = mpl.is_interactive()
        mpl.interactive(is_interactive)
        return result

    return drawn


def _make_tick_labels(drawn: Any) -> None:
    """Make the texts of ticks now: when a notebook shows a figure they would be made in its style, with mathematics."""
    axes = drawn.axes if isinstance(drawn, Figure) else np.atleast_1d(np.asarray(drawn, object)).flat
    for axis in axes:
        if isinstance(axis, Axes):
            axis.get_xticklabels()
            axis.get_yticklabels()


def colours_of_groups(groups: Sequence[str], palette: Sequence[str] = GROUPS) -> dict[str, str]:
    """Return a colour for each group, the largest first; the same for every picture of `groups`.

    Where there are more groups than colours, the smallest share one.
    """
    names, sizes = np.unique(np.asarray(groups, str), return_counts=True)
    by_size = names[np.argsort(-sizes, kind="stable")]
    return {str(group): _nth(palette, number) for number, group in enumerate(by_size)}


def colour_of_component(number: int) -> str:
    """Return the colour of a component; `number` counts from 0, the heaviest.

    Those beyond the last colour have two greys in turn.
    """
    return PALE[number] if number < len(PALE) else (OTHERS, NEXT_OTHERS)[(number - len(PALE)) % 2]


def colour_of_line(number: int) -> str:
    """Return the colour of a line among several; `number` counts from 0."""
    return _nth(COLOURS, number)


def _nth(colours: Sequence[str], place: int) -> str:
    return colours[place] if place < len(colours) else OTHERS


def given_axes(ax: Any, count: int) -> list[Axes]:
    """Return the axes that a caller gives, one or several, as a list.

    Raises
    ------
    ConfigError
        If there are not `count` of them.
    """
    axes = list(np.ravel(np.asarray(ax, dtype=object)))
    wrong = [type(each).__name__ for each in axes if not isinstance(each, Axes)]
    if wrong or len(axes) != count:
        what = f"a {wrong[0]}" if wrong else f"{len(axes)} of them"
        needed = "one axis" if count == 1 else f"an array of {count} axes"
        raise ConfigError(f"ax: {what} given; this picture needs {needed} of Matplotlib")
    return axes


def given_or_new_axis(ax: Any, size: tuple[float, float]) -> Axes:
    """Return the axis that a caller gives, or that of a new figure of this size in inches."""
    if ax is None:
        return plt.subplots(figsize=size, layout="constrained")[1]
    return given_axes(ax, 1)[0]


def draw_grid(axis: Axes) -> None:
    """Draw thin horizontal lines behind everything else."""
    axis.grid(axis="y", linewidth=0.4, alpha=0.5)
    axis.set_axisbelow(True)


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


def legend_below(figure: Figure, handles: Sequence, columns: int, **options) -> Legend:
    """Draw one legend for all panels of a figure, below them; options go to Figure.legend."""
    return figure.legend(handles=handles, loc="outside lower center", ncols=columns, **options)


def plain_log_ticks(axis: Axis) -> None:
    """Let an axis of logarithmic scale show its ticks as 0.1, 1 and 10; powers of ten would need mathematics.

    An axis with fewer than two of these also shows 2, 3 and 5 times them, a short one every tick: one number, or none,
    is no scale.
    """

    def between_decades(value: float, _: int) -> str:
        low, high = sorted(axis.get_view_interval())
        if math.floor(math.log10(high)) > math.ceil(math.log10(low)):
            return ""
        return f"{value:g}" if high < SHORT * low or f"{value:e}"[0] in LABELLED_BETWEEN else ""

    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(FuncFormatter(between_decades))


def save(figure: Figure, *paths: str | os.PathLike, dpi: int = PNG_DPI) -> None:
    """Write a figure to each path (.pdf, .png), atomically and without a date inside; a PNG with `places`."""
    fonts.warn_of_missing_letters(figure)
    for path in map(Path, paths):
        with fonts.suppress_letter_warnings(), atomic_path(path) as temporary, mpl.rc_context(RC):
            figure.savefig(temporary, metadata=_metadata(figure, path.suffix, dpi), bbox_inches="tight", dpi=dpi)
    plt.close(figure)


def _metadata(figure: Figure, suffix: str, dpi: float) -> dict[str, str | None] | None:
    if suffix == ".pdf":
        return {"CreationDate": None}
    noted = places.text_of(figure, mpl.rcParams["savefig.pad_inches"], dpi)
    return {places.KEY: noted} if noted else None
