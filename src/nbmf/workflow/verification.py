"""Whether a run gives the scores of the published one (reference/scores.csv)."""

import pandas as pd

KEY = ["dataset", "method", "K", "mask", "seed", "settings"]

# The same versions on the same family of CPUs give the same bits. Elsewhere variational methods
# and logPCA differ by rounding, and samplers draw other samples of the same law: then the medians
# over masks have to agree.
IDENTICAL = 1e-12
ROUNDING = 1e-3
MEDIANS = 0.02


def compare_with_reference(scores: pd.DataFrame, reference: pd.DataFrame) -> pd.DataFrame:
    """Compare perplexities, fit by fit and by their medians over masks.

    Fits are matched by dataset, method, K, mask, seed and settings; the others do not count.

    Returns
    -------
    DataFrame
        Per dataset, method and K: fits compared, the largest relative difference of a fit, the
        relative difference of the medians, and the result: "identical" (every fit within 1e-12),
        "rounding" (every fit within 1e-3), "same median" (within 2 %), or "differs".
    """
    both = scores[[*KEY, "perplexity"]].merge(
        reference[[*KEY, "perplexity"]], on=KEY, suffixes=("", "_reference")
    )
    columns = ["dataset", "method", "K"]
    rows = [
        [*key, len(fits), *_differences(fits)] for key, fits in both.groupby(columns, sort=False)
    ]
    table = pd.DataFrame(rows, columns=[*columns, "fits", "largest", "medians"])
    return table.assign(
        result=[_result(*pair) for pair in zip(table.largest, table.medians, strict=True)]
    )


def _differences(fits: pd.DataFrame) -> tuple[float, float]:
    ours, theirs = fits["perplexity"], fits["perplexity_reference"]
    largest = ((ours - theirs).abs() / theirs).max()
    return float(largest), float(abs(ours.median() - theirs.median()) / theirs.median())


def _result(largest: float, medians: float) -> str:
    if largest <= IDENTICAL:
        return "identical"
    if largest <= ROUNDING:
        return "rounding"
    return "same median" if medians <= MEDIANS else "differs"
