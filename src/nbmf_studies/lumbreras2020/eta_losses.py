"""What Dir-Dir with other η loses on a whole matrix."""

import pandas as pd

from nbmf_studies.framework.gathering import Fits, reports


def tabulate(fits: Fits) -> pd.DataFrame:
    """Return a row per fit: its columns, loss D(V|V^) in nats, and active components."""
    return pd.DataFrame(
        [
            {**columns, **{name: report[name] for name in ("loss", "active_components")}}
            for columns, report in reports(fits)
        ]
    )
