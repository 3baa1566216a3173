"""Components of a table: who belongs to them, and what sets them apart."""

from collections.abc import Sequence
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from nbmf.plotting import group_names, headings, places, strips, style
from nbmf.plotting.names import shortened
from nbmf.plotting.overview import NAME_SIZE, NOTE_SIZE

PIXELS = 400  # across a row of memberships
MOST_ROWS = 2000  # drawn; of more every second, third, ... one
HEIGHT, LABELS = 4.0, 6  # of memberships: inches, and components at most in a line of the legend
LINE, MARGINS = 0.16, 1.5  # inches, of profiles
FAR = 2.0  # standard deviations at the ends of the colours
ACROSS, BAR, PANEL = 3, 0.13, 0.45  # panels of topics in a row; inches per word and per title


class Profile(NamedTuple):
    """What components say about some columns or categories.

    names : list of str (n,)
    deviations : float array (n, K), from all rows, in standard deviations
    texts : list of lists of str (n, K), the values themselves
    """

    names: list[str]
    deviations: np.ndarray
    texts: list[list[str]]


class Topic(NamedTuple):
    """The most probable words of a topic.

    title : str
    words : list of str (n,)
    values, overall : float arrays (n,), their probabilities in the topic, and in all documents
    """

    title: str
    words: list[str]
    values: np.ndarray
    overall: np.ndarray


@style.in_style
def draw_memberships(shares: np.ndarray, labels: Sequence[str], groups: np.ndarray | None = None, ax=None) -> Axes:
    """Draw a line per row, divided into its shares of components, in their colours.

    Parameters
    ----------
    shares : float array (n, K)
    labels : list of str (K,)
    groups : str array (n,), optional
        Rows are sorted by it first, the largest group on top, and a strip names them.
    ax : axis, optional
    """
    n, K = shares.shape
    main = shares.argmax(axis=1)
    keys = [-shares[np.arange(n), main], main]
    if groups is not None:
        _, number, sizes = np.unique(groups, return_inverse=True, return_counts=True)
        keys += [number, -sizes[number]]
    order = np.lexsort(keys)[:: -(-n // MOST_ROWS)]
    edges = np.cumsum(shares[order], axis=1)[:, :-1]
    at = (np.arange(PIXELS) + 0.5) / PIXELS
    component = (at[None, :, None] >= edges[:, None, :]).sum(axis=2)
    colours = np.array([to_rgb(style.colour_of_component(k)) for k in range(K)])
    ax = style.given_or_new_axis(ax, (0.6 * style.PAGE_WIDTH, HEIGHT))
    ax.imshow(colours[component], aspect="auto", interpolation="nearest", extent=(0, 1, len(order) - 0.5, -0.5))
    places.note(ax, "row", order, y=np.arange(len(order)))
    ax.set(xlabel="share of the row", xticks=[0, 0.5, 1], yticks=[])
    drawn = f", {len(order)} of them drawn" if len(order) < n else ""
    ax.set_ylabel(f"{n} rows{drawn}", labelpad=strips.WIDTH + 6)
    if groups is not None:
        shown = np.asarray(groups)[order]
        group_names.draw(ax, strips.runs_of(shown), groups, (HEIGHT - 0.6) / len(order))
    handles = [plt.Rectangle((0, 0), 1, 1, color=colour) for colour in colours]
    across = -(-K // -(-K // LABELS))  # as many in each line
    ax.legend(
        handles, labels, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=across, handlelength=1, columnspacing=1
    )
    return ax


@style.in_style
def draw_profile(profile: Profile, labels: Sequence[str], title: str = "", ax=None) -> Axes:
    """Draw a line per column or category, a field per component: red is above all rows, blue below.

    Parameters
    ----------
    profile : Profile
    labels : list of str (K,)
        Above the components.
    title : str
    ax : axis, optional
        Without it a figure with a colour bar is made.
    """
    n, K = profile.deviations.shape
    makes = ax is None
    ax = style.given_or_new_axis(ax, (max(3.4, 1.9 + 0.55 * K), LINE * n + MARGINS))
    image = ax.imshow(
        profile.deviations, cmap=style.SIGNED, vmin=-FAR, vmax=FAR, aspect="auto", interpolation="nearest"
    )
    for (place, k), deviation in np.ndenumerate(profile.deviations):
        ink = "white" if abs(deviation) > 0.7 * FAR else "black"
        ax.text(k, place, profile.texts[place][k], ha="center", va="center", fontsize=NAME_SIZE - 1, color=ink)
    ax.set_yticks(range(n), shortened(profile.names), fontsize=NAME_SIZE)
    headings.write(ax, labels, NAME_SIZE, strips.WIDTH + 2)
    ax.tick_params(axis="y", length=0)
    ax.spines[:].set_visible(False)
    ax.set_title(title, fontsize=NOTE_SIZE + 1)
    if K > 1:
        strips.draw_components(ax, np.arange(K), "top")
    if makes:
        bar = ax.figure.colorbar(image, ax=ax, location="bottom", shrink=0.6, aspect=40, pad=0.02, extend="both")
        bar.ax.tick_params(labelsize=6, length=2)
        bar.set_label("standard deviations from all rows", fontsize=NOTE_SIZE)
    headings.fit([ax])
    return ax


@style.in_style
def draw_topics(topics: Sequence[Topic], ax=None) -> list[Axes]:
    """Draw a panel per topic: a bar per word, its probability; a tick is that in all documents.

    Parameters
    ----------
    topics : list of Topic
    ax : axes, optional
        One for each topic.
    """
    if ax is None:
        words = max(len(topic.words) for topic in topics)
        _, axes = style.panel_grid(len(topics), ACROSS, BAR * words + PANEL, 0.1)
        axes = list(axes.flat[: len(topics)])
    else:
        axes = style.given_axes(ax, len(topics))
    for k, (axis, topic) in enumerate(zip(axes, topics, strict=True)):
        places = np.arange(len(topic.words))
        axis.barh(places, topic.values, color=style.colour_of_component(k), height=0.75)
        axis.scatter(topic.overall, places, marker="|", color="black", s=22, linewidths=0.9, zorder=3)
        axis.set_yticks(places, shortened(topic.words), fontsize=NAME_SIZE)
        axis.tick_params(axis="y", length=0)
        axis.set_ylim(len(topic.words) - 0.4, -0.6)
        axis.set_xlim(left=0)
        axis.locator_params(axis="x", nbins=3)
        axis.set_title(topic.title, fontsize=NOTE_SIZE + 1)
    return axes
