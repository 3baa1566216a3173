"""Where countries stood in the UN General Assembly, year by year: the paths of docs/logistic.md.

    python benchmarks/un_paths.py data/mirror/dgrtwo/unvotes/aa7fd6fa7b4e3060c1cf00d1a977f96209e12832/data un_paths.png

reads un_votes.rda and un_roll_calls.rda of that folder, fits a DynamicOrdinalFactorGibbs to votes as they were cast
(no, abstain, yes), prints positions of some countries with 90 % intervals, and draws them.
"""

import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

import nbmf
from nbmf.data.category_matrix import CategoryMatrix
from nbmf.io.rda import read_data_frame
from nbmf.posterior.path_values import Paths
from nbmf.posterior.paths import paths_of, predict_next
from nbmf_studies.recipes._votes import read_votes

CODE_OF = {"no": 0, "abstain": 1, "yes": 2}
US, UK = "United States of America", "United Kingdom of Great Britain and Northern Ireland"
SHOWN = [US, UK, "Russian Federation", "China", "Cuba", "India", "Egypt", "South Africa", "Poland"]
YEARS = [1946, 1956, 1966, 1976, 1986, 1989, 1992, 2003]
SWEEPS = {"burn_in": 300, "n_samples": 700}


def votes_by_year(folder: Path) -> tuple[CategoryMatrix, np.ndarray]:
    """Return countries x roll calls, and the year of each roll call."""
    votes = read_votes(folder / "un_votes.rda")
    days = read_data_frame(folder / "un_roll_calls.rda", ["rcid", "date"]).set_index("rcid")["date"]
    rows, countries = pd.factorize(votes["country"], sort=True)
    columns, calls = pd.factorize(votes["rcid"], sort=True)
    codes = np.full((len(countries), len(calls)), -1, np.int8)
    codes[rows, columns] = votes["vote"].map(CODE_OF)
    years = pd.to_datetime(days.loc[calls].to_numpy(), unit="D").year
    return CategoryMatrix.from_array(codes, countries.to_numpy(), calls.astype(str)), np.asarray(years)


def _tell(paths: Paths) -> None:
    """Print where the shown countries stood in some years, and their pauses."""
    for name in SHOWN:
        if name not in paths.row_names:
            print(f"{name}: not there")
            continue
        f = list(paths.row_names).index(name)
        first, last = paths.spans[f]
        for t in [t for t, year in enumerate(paths.times) if year in YEARS and first <= t <= last]:
            numbers = ", ".join(f"{each[f, t, 0]:.2f}" for each in (paths.mean, paths.lower, paths.upper))
            print(f"{name}, {paths.period_names[t]}: {numbers}, {paths.entries[f, t]} votes")
        silent = [str(paths.period_names[t]) for t in range(first, last) if paths.entries[f, t] == 0]
        print(f"{name}: from {paths.period_names[first]} to {paths.period_names[last]}, silent in {silent or 'none'}")


def run(folder: Path, picture: Path) -> None:
    """Fit, print and draw."""
    matrix, years = votes_by_year(folder)
    model = nbmf.DynamicOrdinalFactorGibbs(1, periods=years, n_categories=3, random_state=0, **SWEEPS)
    started = time.process_time()
    draws = nbmf.posterior_draws(model, matrix, n_draws=200)
    seconds = time.process_time() - started
    cells = int(model.entries_.sum())
    print(f"{matrix.words}, {cells} votes, {years.min()} to {years.max()}: {seconds:.0f} seconds of CPU")
    print(f"step variance a year: {float(model.walk_covariance_[0, 0, 0]):.4f}")
    axis = nbmf.plot.paths(draws, names=SHOWN)
    axis.figure.savefig(picture, dpi=110)
    paths = paths_of(draws)
    np.savez(picture.with_suffix(".npz"), **paths._asdict())
    _tell(paths)
    chances = predict_next(draws)[list(paths.row_names).index(US)]
    print(f"a new roll call a year later, {US}: {chances.round(3)} of no, abstain, yes")


if __name__ == "__main__":
    run(Path(sys.argv[1]), Path(sys.argv[2]))
