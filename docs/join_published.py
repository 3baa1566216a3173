"""Join the fits of a run with published ones, where all fits of a study take longer than one run may.

    .venv/bin/python docs/join_published.py all_methods
    .venv/bin/python docs/publish_study.py all_methods --results results/joined --keep

Scores are those of the fits that the run has made, and the published ones of other fits of the study, but for methods
that predict otherwise than when they were published. Calibration is that of the run, where it has every fit at the
best K. Baselines are the published ones of these masks, or those of the run. What needs these tables alone is made
from them, as the workflow makes it.
"""

import argparse
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from publish import FIT, ROOT, SOURCES, path, shipped_plan
from redraw import drawn, read, read_needs

from nbmf.best_K import best_K
from nbmf.errors import NbmfError
from nbmf.evaluation.score_table import gather_calibration, gather_scores, write_table
from nbmf.fit_key import FitKey
from nbmf.fits import import_function
from nbmf.plotting import style
from nbmf_studies import all_studies
from nbmf_studies.framework.plan import Plan
from nbmf_studies.pipeline.paths import Paths

SCORE, ROUNDING = "perplexity", 1e-6  # the column that has to be the same, and by how much it may differ


def main() -> None:
    """Write figures and tables to the joined results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study", choices=sorted(all_studies()))
    parser.add_argument("--results", type=path, default=ROOT / "results", help="of the run")
    parser.add_argument("--published", type=path, default=ROOT / "reference")
    parser.add_argument("--to", type=Path, default=ROOT / "results/joined")
    options = parser.parse_args()
    key, folder = options.study, options.to / options.study
    for name in ("tables", "figures"):  # nothing of an earlier join
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir(parents=True)
    plan, published = shipped_plan(key), options.published / key
    paths = Paths(str(options.results), "")
    reports = {fit: file for fit in plan.masked_fits if os.path.isfile(file := paths.report(fit))}
    if not reports:
        raise NbmfError(f"{options.results}: none of the fits of {key} is there")
    run = gather_scores((fit.columns(), file) for fit, file in reports.items())
    scores = join_scores(plan, run, read(published / "scores.csv"))
    write_table(folder / "tables/scores.csv", scores)
    sources = describe_sources(scores, run)
    (folder / SOURCES).write_text(sources, encoding="utf-8")
    print(sources)
    write_calibration(folder / "tables/calibration.csv", fits_at_best_K(plan, scores), reports)
    made_by_run = options.results / key / "tables/baselines.csv"
    for baselines in (published / "baselines.csv", made_by_run):  # not every study shows, or publishes, them
        if baselines.exists():
            write_baselines(folder / "tables/baselines.csv", plan, read(baselines))
            break
    for made in make_products(plan, folder):
        print(made)


def join_scores(plan: Plan, run: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Return the scores of the fits of a plan, in its order.

    Raises
    ------
    NbmfError
        If neither has one of the fits.
    """
    both = run.merge(published, on=FIT, suffixes=("", "_published"))
    distance = (both[SCORE] - both[f"{SCORE}_published"]).abs()
    print(f"{len(both)} fits that are in both; the same score: {(distance == 0).sum()}")
    for method, differs in distance[distance > 0].groupby(both["method"]):
        what = "the run's alone" if differs.max() > ROUNDING else "rounding"
        print(f"{method}: {len(differs)} differ, by up to {differs.max():.2g}: {what}")
    kept = published[~published["method"].isin(both.loc[distance > ROUNDING, "method"])]
    every = pd.concat([run, kept]).drop_duplicates(FIT).set_index(FIT)
    wanted = pd.MultiIndex.from_tuples([tuple(fit) for fit in plan.masked_fits], names=FIT)
    missing = wanted.difference(every.index)
    if len(missing):
        first = "{}, {}, K = {}, mask {}, seed {}".format(*missing[0])
        raise NbmfError(f"{len(missing)} fits are in neither; the first: {first}")
    return every.loc[wanted].reset_index()[run.columns]


def describe_sources(scores: pd.DataFrame, run: pd.DataFrame) -> str:
    """Return how many of the scores are of the run."""
    both = len(scores.merge(run[FIT], on=FIT))
    return (
        f"{len(scores)} fits: {both} of the last run, {len(scores) - both} published before "
        "(`docs/join_published.py`); seconds are those of the machines that made them."
    )


def fits_at_best_K(plan: Plan, scores: pd.DataFrame) -> list[FitKey]:
    """Return the fits of each method with the K that represents it."""
    K_of = {key: best_K(fits) for key, fits in scores.groupby(["dataset", "method"])}
    return [fit for fit in plan.masked_fits if K_of[fit.dataset, fit.method] == fit.K]


def write_calibration(table: Path, fits: list[FitKey], reports: dict[FitKey, str]) -> None:
    """Write the calibration of these fits, if the run has all of them."""
    missing = sum(fit not in reports for fit in fits)
    print(f"{len(fits)} fits at the best K, of which the run lacks {missing}{': no calibration' * (missing > 0)}")
    if not missing:
        write_table(table, gather_calibration((fit.columns(), reports[fit]) for fit in fits))


def write_baselines(table: Path, plan: Plan, published: pd.DataFrame) -> None:
    """Write the published baselines of the masks of a plan."""
    of_plan = {(fit.dataset, fit.mask) for fit in plan.masked_fits}
    kept = [mask in of_plan for mask in zip(published["dataset"], published["mask"], strict=True)]
    write_table(table, published[kept])


def make_products(plan: Plan, folder: Path) -> Iterator[str]:
    """Make every table and figure that needs tables alone which are there or can be made; yield their names."""
    study = all_studies()[plan.key]
    tables = folder / "tables"
    waiting = study.tables_of(plan)
    while ready := [(table, needs) for table in waiting if (needs := read_needs(table, plan, tables)) is not None]:
        for table, needs in ready:
            content = import_function(table.make)(**needs, **table.arguments(plan))
            write_table(tables / f"{table.name}.csv", content, table.float_format)
            waiting.remove(table)
            yield table.name
    for figure in study.figures_of(plan):
        needs = read_needs(figure, plan, tables)
        if needs is not None:
            style.save(drawn(figure, plan, needs), folder / f"figures/{figure.name}.png", dpi=figure.dpi)
            yield figure.name


if __name__ == "__main__":
    style.use_no_screen()
    main()
