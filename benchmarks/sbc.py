"""Simulation-based calibration of every sampler: a table of p-values and docs/figures/sbc.png.

    .venv/bin/python benchmarks/sbc.py

Runs what the long tests of test_sbc.py run, from the same seeds: about four minutes on one
core. A curve is the share of ranks up to r / 64 less r / 64; the band holds whole curves of
uniform ranks with probability 99 % (Säilynoja, Bürkner and Vehtari 2022, arXiv:2103.10522).
"""

import argparse
import sys
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import stats

from nbmf.plotting import style

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))  # before this file's own folder: both hold a sbc.py

import sbc  # noqa: E402

BAND = 0.99
LINES = {  # statistics of the two rows of panels, and their colours
    "statistics of WH": dict(zip([0, 1, 2, 3], style.COLOURS, strict=False)),
    "statistics of W, H": dict(zip([4, 5, 6], style.COLOURS[4:], strict=False)),
}
GRID = np.arange(sbc.N_DRAWS + 2) / (sbc.N_DRAWS + 1)


def ecdf_difference(ranks: np.ndarray) -> np.ndarray:
    """Return the share of ranks (replications,) below 0, 1, .. N_DRAWS + 1, less that expected."""
    counts = np.bincount(ranks, minlength=sbc.N_DRAWS + 1)
    return np.concatenate([[0.0], np.cumsum(counts) / ranks.size]) - GRID


def simultaneous_band(n_replications: int, n_simulations: int = 20_000) -> np.ndarray:
    """Return the lower and the upper end (2, N_DRAWS + 2) of the band for the difference.

    Pointwise binomial intervals, so wide that the simulated curves stay in all of them with
    probability BAND.
    """
    rng, inner = np.random.default_rng(3), GRID[1:-1]
    uniform = np.full(sbc.N_DRAWS + 1, 1 / (sbc.N_DRAWS + 1))
    counts = rng.multinomial(n_replications, uniform, n_simulations).cumsum(axis=1)[:, :-1]
    tails = np.minimum(
        stats.binom.cdf(counts, n_replications, inner), stats.binom.sf(counts - 1, n_replications, inner)
    )
    tail = np.quantile(tails.min(axis=1), 1 - BAND)
    ends = stats.binom.ppf([[tail], [1 - tail]], n_replications, inner) / n_replications
    return np.pad(ends - inner, ((0, 0), (1, 1)))


def draw(ranks: dict[str, np.ndarray]) -> Figure:
    """Draw a column of two panels for each variant from its ranks."""
    figure, axes = plt.subplots(
        len(LINES), len(ranks), figsize=(style.PAGE_WIDTH, 3.6), sharex=True, sharey=True, layout="constrained"
    )
    band = simultaneous_band(len(next(iter(ranks.values()))))
    for row, lines in zip(axes, LINES.values(), strict=True):
        for axis, values in zip(row, ranks.values(), strict=True):
            _draw_panel(axis, values, lines, band)
    for axis, name in zip(axes[0], ranks, strict=True):
        axis.set_title(name.replace(", ", "\n"))
    for axis, name in zip(axes[:, 0], LINES, strict=True):
        axis.set_ylabel(f"{name}:\nECDF − uniform")
    axes[1, len(ranks) // 2].set_xlabel("rank of the true value among the draws, scaled to 0..1")
    handles = [
        plt.Line2D([], [], color=colour, label=sbc.STATISTICS[s])
        for lines in LINES.values()
        for s, colour in lines.items()
    ]
    handles.append(plt.Rectangle((0, 0), 1, 1, color="0.88", label=f"{BAND:.0%} of whole curves of uniform ranks"))
    figure.legend(handles=handles, loc="outside lower center", ncols=2, frameon=False)
    return figure


def _draw_panel(axis: Axes, ranks: np.ndarray, lines: dict[int, str], band: np.ndarray) -> None:
    axis.fill_between(GRID, *band, color="0.88", linewidth=0)
    axis.axhline(0, color="0.5", linewidth=0.5)
    for s, colour in lines.items():
        axis.plot(GRID, ecdf_difference(ranks[:, s]), color=colour, linewidth=1)
    axis.set_xlim(0, 1)
    axis.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])


def main() -> None:
    """Run every variant, print the table, draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", default=ROOT / "docs" / "figures" / "sbc.png")
    output = parser.parse_args().output
    print(f"{sbc.REPLICATIONS} replications, {sbc.N_DRAWS} draws, {sbc.THIN} sweeps apart\n")
    print("| sampler | statistic | chi-square p | KS p | autocorrelation time |")
    print("|---|---|---|---|---|")
    ranks, seconds = {}, {}
    for name in sbc.VARIANTS:
        started = time.perf_counter()
        calibration = sbc.full_run(name)
        seconds[name] = time.perf_counter() - started
        ranks[name] = calibration.ranks
        p = sbc.p_values(calibration.ranks)
        for s, (chi, ks), tau in zip(sbc.STATISTICS, p, calibration.times, strict=True):
            print(f"| {name} | {s} | {chi:.3f} | {ks:.3f} | {tau:.3f} |", flush=True)
    print("\n" + ", ".join(f"{name}: {s:.0f} s" for name, s in seconds.items()))
    style.save(style.in_style(draw)(ranks), output)


if __name__ == "__main__":
    main()
