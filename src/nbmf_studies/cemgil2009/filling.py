"""Figures 6 and 7: how well missing patches are filled, and with what."""

import numpy as np
import pandas as pd

from nbmf.data.count_matrix import CountMatrix
from nbmf_studies.cemgil2009.names import PIXEL_MEAN
from nbmf_studies.cemgil2009.patches import half_with_patch, shown_images
from nbmf_studies.framework.gathering import Fits, reports

MEASURED = ("snr", "sparseness_W", "sparseness_H")


def tabulate(fits: Fits) -> pd.DataFrame:
    """Return how well patches were filled.

    Returns
    -------
    DataFrame
        A row per fit: dataset, run, order, way, snr (dB), sparseness_W, sparseness_H, seconds; before
        those of a run one with the mean of each pixel as a way of order 0.
    """
    rows, seen = [], set()
    for columns, report in reports(fits):
        measures, run = report["measures"], {name: columns[name] for name in ("dataset", "run")}
        if tuple(run.values()) not in seen:
            rows.append({**run, "order": 0, "way": PIXEL_MEAN, "snr": measures["snr_of_pixel_mean"]})
            seen.add(tuple(run.values()))
        rows.append({**columns, **{name: measures[name] for name in MEASURED}, "seconds": report["seconds"]})
    return pd.DataFrame(rows)


def reconstruct(matrix: CountMatrix, fits: Fits, run: int) -> pd.DataFrame:
    """Return the pixels of a typical run: one image per person with the patch missing.

    Parameters
    ----------
    matrix : CountMatrix
        The photographs that patches are missing in.
    fits : Fits
        A fit per way.
    run : int

    Returns
    -------
    DataFrame
        A row per image and pixel (in the order of the matrix): image, pixel, truth, hidden, and
        what each way predicts where it is hidden.
    """
    counts, hidden = matrix.tallies, half_with_patch(matrix, run)
    pixels_of = {columns["way"]: report["measures"]["pixels"] for columns, report in reports(fits)}
    parts = []
    for place, n in enumerate(shown_images(hidden)):
        pixels = {"image": n, "pixel": np.arange(len(counts)), "truth": counts[:, n], "hidden": hidden[:, n]}
        part = pd.DataFrame(pixels)
        for way, of_images in pixels_of.items():
            part.loc[hidden[:, n], way] = of_images[place]
        parts.append(part)
    return pd.concat(parts, ignore_index=True)
