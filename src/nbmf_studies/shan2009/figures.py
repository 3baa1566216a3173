"""The figures: curves over components, smoothing, entropies and flips; times."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from nbmf.plotting import style
from nbmf_studies.shan2009.names import BIN, FIFTHS, LABELS

PARTS = ("training", "test")
COLOURS = {
    "mnb": "#D55E00",
    "mmnb": "#0072B2",
    "fast-mmnb": "#009E73",
    "fast-mmnb-5": "#E69F00",
    "mmnb-from-mnb": "#56B4E9",
    "fast-mmnb-from-mnb": "#CC79A7",
    "unigrams": "#D55E00",
    "lda": "#0072B2",
    "fast-lda": "#009E73",
    "fast-lda-5": "#E69F00",
}
OF_DATASETS = dict(zip(("movielens", "foodmart", "jester"), style.COLOURS[3:], strict=False))
SAMPLED = "--"


def draw_along_K(runs: pd.DataFrame) -> Figure:
    """Draw perplexity along K, of training and of test rows: means over folds and their spread."""
    return _two_panels(runs[runs["smoothing"] == runs["smoothing"].min()], "K", "components K")


def draw_along_smoothing(runs: pd.DataFrame, K: int) -> Figure:
    """Draw the same of one number of components along the smoothing parameter."""
    return _two_panels(runs[runs["K"] == K], "smoothing", "smoothing ε", log=True)


def _two_panels(table: pd.DataFrame, along: str, label: str, log: bool = False) -> Figure:
    names = [name for name in ("mnb", "mmnb") if name in set(table["model"])]
    figure, axes = style.panel_grid(2, 2, 2.4, 0.5)
    for axis, part in zip(axes.flat, PARTS, strict=True):
        of_part = table[table["part"] == part]
        for name in names:
            _curve(axis, of_part[of_part["model"] == name], along, "perplexity", COLOURS[name], "-")
            if part == "test" and name != "mnb":
                _curve(axis, of_part[of_part["model"] == name], along, "sampled", COLOURS[name], SAMPLED)
        _finish(axis, f"{part} rows", label, "perplexity")
        if log:
            axis.set_xscale("log")
            style.plain_log_ticks(axis.xaxis)
        else:
            axis.set_xticks(sorted(table[along].unique()))
    _legend(figure, [(LABELS[name], COLOURS[name], "-") for name in names], sampled=True)
    return figure


def _curve(axis: Axes, runs: pd.DataFrame, along: str, column: str, colour: str, dash: str):
    statistics = runs.groupby(along)[column].agg(["mean", "std"])
    axis.errorbar(
        statistics.index,
        statistics["mean"],
        statistics["std"].fillna(0),
        color=colour,
        linestyle=dash,
        marker="o",
        markersize=3,
        linewidth=1.2,
        elinewidth=0.7,
        capsize=2,
    )


def _finish(axis: Axes, title: str, x: str, y: str) -> None:
    axis.set(title=title, xlabel=x, ylabel=y)
    style.draw_grid(axis)


def log_seconds(axes: Axes, side: str = "y") -> None:
    """Give the axis of seconds, "x" or "y", a logarithmic scale with plain numbers."""
    axes.set(**{f"{side}scale": "log"})
    axis = {"x": axes.xaxis, "y": axes.yaxis}[side]
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda seconds, _: f"{seconds:g}"))
    axis.set_minor_formatter(NullFormatter())


def _legend(figure: Figure, series: list[tuple[str, str, str]], sampled: bool = False) -> None:
    if sampled:
        series = [*series, ("sampled likelihood", "0.4", SAMPLED)]
    handles = [Line2D([], [], color=colour, linestyle=dash, label=label) for label, colour, dash in series]
    style.legend_below(figure, handles, 4)


def draw_surfaces(runs: pd.DataFrame) -> Figure:
    """Draw mean perplexities over K and ε: MNB and MMNB, of training and of test rows."""
    table = runs[runs["model"].isin(("mnb", "mmnb"))]
    figure, axes = style.panel_grid(4, 2, 2.6, 0.2)
    for row, part in zip(axes, PARTS, strict=True):
        of_part = table[table["part"] == part]
        means = of_part.groupby(["model", "smoothing", "K"])["perplexity"].mean()
        limits = {"vmin": means.min(), "vmax": means.max()}
        for axis, name in zip(row, ("mnb", "mmnb"), strict=True):
            surface = means[name].unstack("K")
            image = axis.imshow(surface, aspect="auto", cmap="viridis", origin="lower", **limits)
            axis.set_xticks(range(surface.shape[1]), surface.columns)
            axis.set_yticks(range(surface.shape[0]), [f"{epsilon:g}" for epsilon in surface.index])
            axis.set(title=f"{LABELS[name]}, {part} rows", xlabel="components K", ylabel="smoothing ε")
            figure.colorbar(image, ax=axis, label="perplexity")
    return figure


def draw_histogram(runs: pd.DataFrame) -> Figure:
    """Draw how many test rows of all folds have which entropy of memberships, MMNB next to NB."""
    of_test = runs[(runs["part"] == "test") & (runs["floor"] == runs["floor"].iloc[0])]
    counts = {name: _counts(of_test[of_test["model"] == name]["histogram"]) for name in ("mmnb", "mnb")}
    bins = max(map(len, counts.values()))
    figure, axes = style.panel_grid(1, 1, 2.4, 0.4)
    axis, width = axes[0, 0], 0.4 * BIN
    for side, (name, values) in zip((0.3, 0.7), counts.items(), strict=True):
        places = BIN * (np.arange(len(values)) + side)
        axis.bar(places, values, width, color=COLOURS[name], label=LABELS[name])
    axis.set_xticks(BIN * np.arange(bins + 1), [f"{BIN * n:.1f}" for n in range(bins + 1)])
    _finish(axis, "", "entropy of memberships (nats)", "points")
    axis.legend()
    return figure


def _counts(histograms: pd.Series) -> np.ndarray:
    """Return the sums of the counts of several folds."""
    folds = [[int(count) for count in str(text).split()] for text in histograms]
    summed = np.zeros(max(map(len, folds)), int)
    for counts in folds:
        summed[: len(counts)] += counts
    return summed


def draw_fifths(uci: pd.DataFrame) -> Figure:
    """Draw MMNB's perplexity of five parts of the test rows by entropy, medians over folds."""
    of_floor = uci[(uci["part"] == "test") & (uci["model"] == "mmnb")]
    of_floor = of_floor[of_floor["floor"] == of_floor["floor"].iloc[0]]
    datasets = of_floor["dataset"].drop_duplicates().tolist()
    figure, axes = style.panel_grid(len(datasets), 3, 1.7, 0.5)
    numbers = range(1, FIFTHS + 1)
    for axis, dataset in zip(axes.flat, datasets, strict=False):
        medians = of_floor[of_floor["dataset"] == dataset].median(numeric_only=True)
        for prefix, dash in (("fifth", "-"), ("sampled", SAMPLED)):
            values = np.array([medians[f"{prefix}_{n}"] for n in numbers], float)
            values[~np.isfinite(values)] = np.nan
            axis.plot(numbers, values, color=COLOURS["mmnb"], linestyle=dash, marker="o", markersize=3, linewidth=1.2)
        title = dataset.removeprefix("uci_").capitalize()
        _finish(axis, title, "fifth by entropy", "perplexity")
        axis.set_xticks(numbers)
    _legend(figure, [("MMNB, bound", COLOURS["mmnb"], "-")], sampled=True)
    return figure


# --- Flips ------------------------------------------------------------------------------------


def draw_flip_curves(flips: pd.DataFrame) -> Figure:
    """Draw MMNB's perplexity at steps of 1 %, as a share of that without flips, table by table."""
    of_mmnb = flips[(flips["model"] == "mmnb") & (flips["step"] == flips["step"].max())]
    figure, axes = style.panel_grid(1, 1, 2.8, 0.5)
    axis, series = axes[0, 0], []
    for dataset, runs in of_mmnb.groupby("dataset", sort=False):
        name = dataset.removesuffix("_binary")
        means = runs.groupby("level")["perplexity"].mean()
        colour = OF_DATASETS.get(name, "0.4")
        axis.plot(100 * runs["step"].iloc[0] * means.index, means / means[0], color=colour, marker="o", markersize=3)
        series.append((f"{name}, {means[0]:.4g} without flips", colour, "-"))
    _finish(axis, "", "flipped held-out entries (%)", "perplexity, relative")
    _legend(figure, series)
    return figure


def draw_flip_panels(runs: pd.DataFrame) -> Figure:
    """Draw the finer steps: a row of panels per step, MMNB next to LDA; means over folds."""
    steps = sorted(runs["step"].unique())[:2]
    names = [name for name in ("mmnb", "lda") if name in set(runs["model"])]
    figure, axes = style.panel_grid(len(steps) * len(names), len(names), 2.2, 0.1)
    for row, step in zip(axes, steps, strict=True):
        for axis, name in zip(row, names, strict=True):
            of_model = runs[(runs["step"] == step) & (runs["model"] == name)]
            means = of_model.groupby("level")["perplexity"].mean()
            axis.plot(100 * step * means.index, means, color=COLOURS[name], marker="o", markersize=3)
            axis.ticklabel_format(axis="y", useOffset=False)
            axis.xaxis.set_major_locator(MaxNLocator(5))
            title = f"{LABELS[name]}, steps of {100 * step:g} %"
            _finish(axis, title, "flipped held-out entries (%)", "perplexity")
    return figure


# --- Fast inference ---------------------------------------------------------------------------


def draw_text(text: pd.DataFrame) -> Figure:
    """Draw perplexities and CPU seconds of all models, a group of bars per collection and K."""
    groups = list(dict.fromkeys(zip(text["dataset"], text["K"], strict=True)))
    names = list(dict.fromkeys(text["model"]))
    figure, axes = style.panel_grid(3, 3, 2.8, 0.5)
    columns = [("training", "perplexity"), ("test", "perplexity"), ("test", "seconds")]
    titles = ("training documents", "test documents", "time")
    for axis, (part, column), title in zip(axes.flat, columns, titles, strict=True):
        of_part = text[text["part"] == part].groupby(["dataset", "K", "model"])[column]
        statistics = of_part.agg(["mean", "std"])
        for number, name in enumerate(names):
            places = np.arange(len(groups)) + 0.8 * (number + 0.5) / len(names) - 0.4
            values = statistics.reindex([(*group, name) for group in groups])
            axis.bar(places, values["mean"], 0.8 / len(names), color=COLOURS[name])
            axis.errorbar(places, values["mean"], values["std"].fillna(0), fmt="none", ecolor="0.2", elinewidth=0.7)
        labels = [f"{dataset}\nK = {K}".replace("_", " ") for dataset, K in groups]
        axis.set_xticks(range(len(groups)), labels, rotation=45)
        _finish(axis, title, "", "CPU seconds" if column == "seconds" else "perplexity (bound)")
        if column == "seconds":
            log_seconds(axis)
    _legend(figure, [(LABELS[name], COLOURS[name], "-") for name in names])
    return figure


def draw_fast(ratings: pd.DataFrame) -> Figure:
    """Draw MMNB and its fast variants along K: perplexities and CPU seconds, a row per table."""
    first = ratings.groupby("dataset")["smoothing"].transform("min")
    table = ratings[ratings["smoothing"] == first]
    names = [name for name in LABELS if name in set(table["model"]) - {"mnb"}]
    datasets = list(dict.fromkeys(table["dataset"]))
    figure, axes = style.panel_grid(3 * len(datasets), 3, 2.0, 0.5)
    columns = [("training", "perplexity"), ("test", "perplexity"), ("test", "seconds")]
    titles = ("training rows", "test rows", "time")
    for row, dataset in zip(axes, datasets, strict=True):
        for axis, (part, column), title in zip(row, columns, titles, strict=True):
            of_dataset = table[(table["dataset"] == dataset) & (table["part"] == part)]
            for name in names:
                _curve(axis, of_dataset[of_dataset["model"] == name], "K", column, COLOURS[name], "-")
            label = "CPU seconds" if column == "seconds" else "perplexity (bound)"
            _finish(axis, f"{dataset.capitalize()}, {title}", "components K", label)
            if column == "seconds":
                log_seconds(axis)
            axis.set_xticks(sorted(of_dataset["K"].unique()))
    _legend(figure, [(LABELS[name], COLOURS[name], "-") for name in names])
    return figure
