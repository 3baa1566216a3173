"""Sessions that are forecast from those before them: by positions that move, positions that stay, and proportions."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from nbmf.evaluation.replications import interval
from nbmf.plotting import style
from nbmf_studies.framework.gathering import Fits, reports

ROWS, LATEST, COLUMNS = "yes of rows", "yes of last session", "yes of columns"
BASELINES = {
    LATEST: "country's proportion of yes, last session",
    ROWS: "country's proportion of yes, all sessions before",
    COLUMNS: "roll call's proportion of yes",
}
TITLES = {"none": "no vote of the session is known", "a fifth": "a fifth of its votes is known"}
HEIGHT = 3.0  # inches
BASELINE_COLOURS = {LATEST: "0.2", ROWS: "0.5", COLUMNS: "0.75"}  # greys


def tabulate(fits: Fits) -> pd.DataFrame:
    """Return a row per session and prediction.

    Returns
    -------
    DataFrame
        known (how much of the session), session (the year in which it opened), method (of the configuration, or one of
        BASELINES), yes (log loss of "yes") and own (that of three categories), nats per held-out vote; held_out, the
        number of these votes; seconds.
    """
    rows, seen = [], set()
    for columns, report in reports(fits):
        measures, where = report["measures"], {name: columns[name] for name in ("known", "session")}
        if tuple(where.values()) not in seen:
            seen.add(tuple(where.values()))
            rows += [
                {**where, "method": name, "yes": measures[name], "held_out": report["n_test"]}
                for name in BASELINES
                if (columns["known"], name) != ("none", COLUMNS)  # there is no such proportion then
            ]
        scores = {"yes": measures["yes"], "own": report["perplexity"], "held_out": report["n_test"]}
        rows.append({**columns, **scores, "seconds": report["seconds"]})
    return pd.DataFrame(rows)


def losses(forecasts: pd.DataFrame, known: str) -> pd.DataFrame:
    """Return the log loss of "yes", a row per session and a column per prediction, in the order of the table."""
    chosen = forecasts[forecasts["known"] == known]
    return chosen.pivot(index="session", columns="method", values="yes")[list(chosen["method"].unique())]


def summarise(forecasts: pd.DataFrame, labels: dict[str, str], compared: str) -> pd.DataFrame:
    """Return a row per prediction: its mean log loss of "yes" over sessions, and how it differs from one of them.

    Parameters
    ----------
    forecasts : DataFrame
        As `tabulate` makes it.
    labels : dict
        What each method is called.
    compared : str
        The method that all others are compared with.

    Returns
    -------
    DataFrame
        known; prediction; sessions; log loss of yes; that of three categories; the difference from the compared one
        with its 95 % t-interval over sessions and its p-value; in how many sessions it is lower.
    """
    rows = []
    for known, title in TITLES.items():
        of_known = losses(forecasts, known)
        for method, session_losses in of_known.items():
            chosen = forecasts[(forecasts["known"] == known) & (forecasts["method"] == method)]
            row = {"known": title, "prediction": (labels | BASELINES)[method], "sessions": len(session_losses)}
            row |= {"log loss of yes": session_losses.mean(), "log loss of three categories": chosen["own"].mean()}
            if method != compared:
                comparison = interval(session_losses - of_known[compared])
                row |= comparison.columns(f"minus {labels[compared]}")
                row["lower in sessions"] = int((session_losses < of_known[compared]).sum())
            rows.append(row)
    return pd.DataFrame(rows)


def draw(forecasts: pd.DataFrame, labels: dict[str, str], colours: dict[str, str]) -> Figure:
    """Draw the log loss of "yes" of each prediction along the sessions, a panel for each amount that is known.

    Parameters
    ----------
    forecasts : DataFrame
        As `tabulate` makes it.
    labels, colours : dict
        Of the methods.
    """
    figure, axes = style.panel_grid(len(TITLES), len(TITLES), HEIGHT, 0.6, sharey=True)
    names, shades = labels | BASELINES, colours | BASELINE_COLOURS
    for axis, (known, title) in zip(axes.flat, TITLES.items(), strict=True):
        for method, session_losses in losses(forecasts, known).items():
            axis.plot(
                session_losses.index, session_losses, color=shades[method], marker="o", markersize=3, linewidth=1.2
            )
        axis.set_title(title)
        axis.set_xticks(sorted(forecasts["session"].unique()))
        axis.set_xlabel("session, by the year in which it opened")
        axis.set_ylim(bottom=0)
        style.draw_grid(axis)
    axes.flat[0].set_ylabel("log loss of yes (nats per vote)")
    shown = [name for name in names if (forecasts["method"] == name).any()]
    handles = [Line2D([], [], color=shades[name], marker="o", markersize=3, label=names[name]) for name in shown]
    style.legend_below(figure, handles, 2)
    return figure
