"""The figure of the second readings: perplexity along CPU time, stop by stop."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from nbmf.plotting import style
from nbmf_studies.shan2009.criteria import FASTER, WITHIN
from nbmf_studies.shan2009.figures import log_seconds
from nbmf_studies.shan2009.readings import FULL

WARM = {"never": ("#009E73", "cold E-steps"), "always": ("#E69F00", "warm E-steps")}
FULL_COLOUR, ALLOWED = "#0072B2", "0.9"


def draw_stops(**of_stops: pd.DataFrame) -> Figure:
    """Draw test perplexities of fast inference along CPU seconds, a panel per dataset and K, full inference next to it.

    Means over folds of the perplexity, medians of seconds; the ends of a curve have their numbers of rounds. What is as
    good as the claim has it is shaded: at most so much above full inference, and so many times faster.
    """
    table = pd.concat(of_stops.values(), ignore_index=True)
    groups = list(table.groupby(["dataset", "K"], sort=False))
    figure, axes = style.panel_grid(len(groups), 2, 2.6, 0.5)
    for axis, ((dataset, K), own) in zip(axes.flat, groups, strict=False):
        _panel(axis, own)
        axis.set_title(f"{dataset.capitalize()}, K = {K}")
    handles = [Line2D([], [], color=colour, marker="o", markersize=3, label=label) for colour, label in WARM.values()]
    handles.append(Line2D([], [], color=FULL_COLOUR, marker="s", linestyle="none", label="full inference"))
    words = f"at most {WITHIN:.0%} above it and {FASTER:g} times faster"
    handles.append(Patch(color=ALLOWED, label=words))
    style.legend_below(figure, handles, 2)
    return figure


def _panel(axis: Axes, own: pd.DataFrame) -> None:
    is_full = own["model"].isin(FULL)
    seconds, perplexity = own.loc[is_full, "seconds"].median(), own.loc[is_full, "test"].mean()
    axis.plot(seconds, perplexity, "s", color=FULL_COLOUR, markersize=5, zorder=3)
    for warm, (colour, _) in WARM.items():
        fast = own[~is_full & (own["warm"] == warm)].groupby("inner_max")
        means = pd.DataFrame({"seconds": fast["seconds"].median(), "test": fast["test"].mean()})
        axis.plot(means["seconds"], means["test"], color=colour, marker="o", markersize=3, linewidth=1)
        sign, side = (1, "left") if warm == "never" else (-1, "right")
        label_place = {"xytext": (4 * sign, 0), "textcoords": "offset points", "ha": side, "va": "center"}
        for rounds in {means.index.min(), means.index.max()}:
            axis.annotate(f"{rounds:g}", means.loc[rounds], fontsize=6, color=colour, **label_place)
    log_seconds(axis, "x")
    low = min(axis.get_ylim()[0], perplexity * (1 - WITHIN))
    axis.set_ylim(low, None)
    left = min(axis.get_xlim()[0], seconds / FASTER / 2)
    axis.set_xlim(left, None)
    corner = (left, low), seconds / FASTER - left, perplexity * (1 + WITHIN) - low
    axis.add_patch(Rectangle(*corner, color=ALLOWED, zorder=0))
    axis.set(xlabel="CPU seconds", ylabel="test perplexity (bound)")
