"""Draw what was recorded of several chains, or of several starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nbmf.errors import ConfigError, choices
from nbmf.plotting import traces
from nbmf.plotting.names import shortened
from nbmf.posterior.chains import Chains

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

LONGEST = 20  # characters of the name of a panel


def chains(
    chains: Chains, *, quantities: str | Sequence[str] | None = None, ax: Axes | Sequence[Axes] | None = None
) -> Axes | np.ndarray:
    """Draw what was recorded of several chains, with R-hat and effective sample size; red: not converged.

    Of methods that do not sample there is a point per start, with the spread of all.

    Parameters
    ----------
    chains : Chains
        Of `nbmf.run_chains`.
    quantities : str or list of str, optional
        Names in `chains.diagnostics`; by default the objective, the log-likelihood, how many components
        there are and are active, and the quantity that has converged least.
    ax : axis, or one for each quantity, optional

    Returns
    -------
    Axes, of several quantities an array of them

    Raises
    ------
    ConfigError
        If there is no such quantity, or `chains` are no Chains.
    """
    if not isinstance(chains, Chains):
        raise ConfigError(f"chains: Chains of nbmf.run_chains are needed, not a {type(chains).__name__}")
    recorded = {quantity.name: quantity.values for quantity in chains.quantities()}
    asked = [quantities] if isinstance(quantities, str) else list(quantities or _usual(chains, list(recorded)))
    for name in asked:
        if name not in recorded:
            raise ConfigError(f"quantities: no {name!r} was recorded; {choices(name, recorded)}")
    rows = chains.diagnostics.set_index("quantity")
    labels = shortened(asked, LONGEST)
    panels = [
        traces.Panel(label, recorded[name], _notes(chains, rows.loc[name]), rows.loc[name, "converged"])
        for label, name in zip(labels, asked, strict=True)
    ]
    axes = traces.draw_chains(panels, "chain" if chains.sampled else "start", ax)
    return axes[0] if isinstance(quantities, str) else np.array(axes)


def _usual(chains: Chains, recorded: list[str]) -> list[str]:
    """Return what is drawn by default, with the quantity that a report names as not converged, if any is."""
    usual = [name for name in recorded if not name.startswith(("E[v]", "share"))]
    table = chains.diagnostics[~chains.diagnostics["converged"].astype(bool)]
    if not chains.sampled or table.empty:
        return usual
    worst = table.loc[table["r_hat"].fillna(np.inf).idxmax(), "quantity"]
    return usual if worst in usual else [*usual, worst]


def _notes(chains: Chains, row: pd.Series) -> list[str]:
    """Return what a panel says about a quantity; `row` is that of the diagnostics."""
    if chains.sampled:
        return traces.notes_of(row["r_hat"], row["ess_bulk"])
    return [] if np.isnan(row["spread"]) else [f"spread {row['spread']:.2g}"]
