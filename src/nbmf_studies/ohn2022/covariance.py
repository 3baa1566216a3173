"""The error of the posterior mean of BB', the covariance that factors explain, under either prior.

The paper's theory is of the number of features; that fewer of them predict better is a sentence of its introduction.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from nbmf.evaluation.replications import holm, interval
from nbmf.plotting import style
from nbmf_studies.ohn2022.covariance_errors import NORMS
from nbmf_studies.ohn2022.methods import CIBP, IBP

HEIGHT = 2.7  # inches
SHIFT = 0.08  # of a prior's means, where p is one step from the next


def errors_of(chains: pd.DataFrame) -> pd.DataFrame:
    """Return the errors of each data set, a row per setting, p and replication and a column per norm and prior.

    Parameters
    ----------
    chains : DataFrame
        As `chains.tabulate` makes it of chains that `covariance_errors.measure` looked at; those of the
        same data are averaged.
    """
    key = ["setting", "p", "replication"]
    return chains.pivot_table(index=key, columns="method", values=list(NORMS), sort=False)


def compare(chains: pd.DataFrame, settings: dict[str, str]) -> pd.DataFrame:
    """Return a row per setting, norm and p: the errors of both priors, and their difference on the same data.

    Parameters
    ----------
    chains : DataFrame
        As for `errors_of`.
    settings : dict
        What each setting is called.

    Returns
    -------
    DataFrame
        setting, norm, p, replications; the mean error of CIBP and of IBP, as shares of the truth's norm; CIBP minus IBP
        with its paired 95 % t-interval, its p-value and that adjusted over p by Holm; on how many data sets CIBP is
        nearer.
    """
    errors, rows = errors_of(chains), []
    for setting, label in settings.items():
        for norm in NORMS:
            cells = errors.loc[setting][norm]
            if not {CIBP, IBP} <= set(cells):
                continue
            differences = {p: interval(of_p) for p, of_p in (cells[CIBP] - cells[IBP]).groupby(level="p")}
            adjusted = holm(one.p for one in differences.values())
            for (p, one), value in zip(differences.items(), adjusted, strict=True):
                of_p = cells.loc[p]
                row = {
                    "setting": label,
                    "norm": norm.removesuffix(" error"),
                    "p": p,
                    "replications": len(of_p),
                    "CIBP": of_p[CIBP].mean(),
                    "IBP": of_p[IBP].mean(),
                    **one.columns("CIBP minus IBP"),
                    "by Holm": value,
                    "CIBP nearer": int((of_p[CIBP] < of_p[IBP]).sum()),
                }
                rows.append(row)
    return pd.DataFrame(rows)


def draw(chains: pd.DataFrame, labels: dict[str, str], colours: dict[str, str], settings: dict[str, str]) -> Figure:
    """Draw the mean Frobenius error along p with its interval over data sets, a panel per setting.

    Parameters
    ----------
    chains, settings
        As for `compare`.
    labels, colours : dict
        Of each prior, in the order of the legend.
    """
    errors = errors_of(chains)["frobenius error"]
    figure, axes = style.panel_grid(len(settings), len(settings), HEIGHT, 0.4, sharey=True)
    for axis, (setting, title) in zip(axes.flat, settings.items(), strict=True):
        _draw_panel(axis, errors.loc[setting], colours)
        axis.set_title(title)
    axes.flat[0].set_ylabel("‖E[BB'] − B₀B₀'‖ / ‖B₀B₀'‖")
    handles = [
        Line2D([], [], color=colours[method], marker="o", markersize=3, label=label) for method, label in labels.items()
    ]
    style.legend_below(figure, handles, 2)
    return figure


def _draw_panel(axis: Axes, errors: pd.DataFrame, colours: dict[str, str]) -> None:
    every_p = sorted(errors.index.unique("p"))
    for place, method in enumerate(errors):
        intervals = [interval(errors.loc[p, method]) for p in every_p]
        means, half = [one.mean for one in intervals], [one.high - one.mean for one in intervals]
        x = np.arange(len(every_p)) + SHIFT * (2 * place - 1)
        axis.errorbar(x, means, yerr=half, color=colours[method], marker="o", markersize=3, linewidth=1.2)
    axis.set_xticks(range(len(every_p)), [str(p) for p in every_p])
    axis.set_xlim(-0.5, len(every_p) - 0.5)
    axis.set_ylim(bottom=0)
    axis.set_xlabel("p, number of variables")
    style.draw_grid(axis)
