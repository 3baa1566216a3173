"""Draw what was recorded of several chains, or of several starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nbmf.errors import ConfigError, choices
from nbmf.plotting import traces
from nbmf.posterior.chains import Chains

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


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
        Names in `chains.diagnostics`; by default the objective, the log-likelihood, and how many
        components there are and are active.
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
    usual = [name for name in recorded if not name.startswith(("E[v]", "share"))]
    asked = [quantities] if isinstance(quantities, str) else list(quantities or usual)
    for name in asked:
        if name not in recorded:
            raise ConfigError(f"quantities: no {name!r} was recorded; {choices(name, recorded)}")
    rows = chains.diagnostics.set_index("quantity")
    panels = [
        traces.Panel(name, recorded[name], _notes(chains, rows.loc[name]), rows.loc[name, "converged"])
        for name in asked
    ]
    axes = traces.draw_chains(panels, "chain" if chains.sampled else "start", ax)
    return axes[0] if isinstance(quantities, str) else np.array(axes)


def _notes(chains: Chains, row: pd.Series) -> list[str]:
    """Return what a panel says about a quantity; `row` is that of the diagnostics."""
    if chains.sampled:
        return traces.notes_of(row["r_hat"], row["ess_bulk"])
    return [] if np.isnan(row["spread"]) else [f"spread {row['spread']:.2g}"]
