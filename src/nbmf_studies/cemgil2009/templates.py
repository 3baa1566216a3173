"""Figure 5: the bounds of fits with fixed shapes of the priors."""

import pandas as pd

# At 16 x 16 pixels, 1000 iterations of the prototype from which the equations were checked.
PROTOTYPE = {(0.5, 10.0): -470e3, (10.0, 0.5): -489e3, (10.0, 0.2): -498e3, (10.0, 10.0): -512e3, (0.1, 0.1): -596e3}
OF_PROTOTYPE = "olivetti_16"


def tabulate(traces: pd.DataFrame, shapes: dict[str, list[float]]) -> pd.DataFrame:
    """Return the last bound of each fit, the best of its starts.

    Parameters
    ----------
    traces : DataFrame
        As `nbmf.evaluation.score_table.gather_traces` makes it, of unmasked fits.
    shapes : dict
        From method to [shape of W, shape of H].

    Returns
    -------
    DataFrame
        dataset, method, shape_W, shape_H, bound (nats), prototype (its bound, where there is one).
    """
    rows = []
    for (dataset, method), own in traces.groupby(["dataset", "method"], sort=False):
        pair = tuple(map(float, shapes[method]))
        last = own.loc[own.groupby("seed")["iteration"].idxmax(), "objective"]
        row = {
            "dataset": dataset,
            "method": method,
            "shape_W": pair[0],
            "shape_H": pair[1],
            "bound": last.max(),
            "prototype": PROTOTYPE.get(pair) if dataset == OF_PROTOTYPE else None,
        }
        rows.append(row)
    return pd.DataFrame(rows)
