"""nbmf compare: which method predicts held-out entries best."""

import argparse
import math
from typing import Any

import pandas as pd

from nbmf import registry
from nbmf.catalogue import CANDIDATES, COMPARED, METHODS
from nbmf.cli import pages
from nbmf.cli.output import OutputFolder
from nbmf.cli.progress import Progress
from nbmf.cli.reading import name_of, read_matrix, repeated
from nbmf.cli.settings import iteration_settings
from nbmf.cli.text import WORDS_OF_LAWS, wrapped
from nbmf.errors import ConfigError, choices
from nbmf.evaluation.baselines import LABELS
from nbmf.evaluation.compare import compare
from nbmf.evaluation.compared_fits import FitDone
from nbmf.evaluation.entries import likelihoods_of
from nbmf.evaluation.result import Comparison
from nbmf.numerics.threads import processors

PICTURE, AGAINST_K = "comparison.png", "against_K.png"
FILES = ("scores.csv", "summary.csv", PICTURE, AGAINST_K, "recommendation.txt", "report.html")


def run(options: argparse.Namespace) -> None:
    """Compare, write the folder, and print the table and the recommendation."""
    name = name_of(options)
    folder = OutputFolder(options.out or f"{name}.compare", FILES, force=options.force)
    matrix = read_matrix(options, options.methods and options.methods[0])
    if matrix.dense is not None:
        raise ConfigError(
            f"a matrix with {matrix.words} is not compared: nbmf fit tries the methods that take "
            f"it, {' and '.join(CANDIDATES[type(matrix).__name__])}, and says which predicts better"
        )
    compared = options.methods or list(COMPARED[type(matrix).__name__])
    methods = {name: {"settings": settings} for name, settings in _settings(compared, options).items()}
    rows: list[dict[str, Any]] = []
    with Progress("fits") as progress:

        def keep(fit: FitDone) -> None:
            rows.append(fit.row)
            progress.advance(1, fit.total, _seconds_left(rows, fit.total, options))

        try:
            found = compare(
                matrix,
                methods,
                options.components,
                options.masks,
                seed=options.seed,
                n_jobs=options.jobs,
                name=name,
                log=keep,
            )
        except KeyboardInterrupt:
            raise KeyboardInterrupt(_kept(folder, rows)) from None
    text = _text(found, options)
    _write(folder, found, text, options)
    print(f"\n{text}\n\nwritten to {folder.path}/; start with {pages.REPORT}")


def _seconds_left(rows: list[dict[str, Any]], total: int, options: argparse.Namespace) -> float:
    """Return how long the other fits will take, NaN before each method and K has been seen.

    Methods differ by a factor of a hundred, so each is judged by its own fits.
    """
    done: dict[tuple, list[float]] = {}
    for row in rows:
        done.setdefault((row["method"], row["K"]), []).append(row["seconds"])
    if len(done) * options.masks < total:
        return math.nan
    left = 0.0
    for seconds in done.values():
        later = seconds[1:] or seconds  # the first fit also loads the kernels
        left += (options.masks - len(seconds)) * _mean(later)
    return left / (options.jobs or processors())


def _mean(seconds: list[float]) -> float:
    """Return the mean of those that are known; a fit that failed has no time."""
    known = [each for each in seconds if not math.isnan(each)]
    return sum(known) / len(known) if known else 0.0


def _settings(compared: list[str], options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Return the settings of each method; --set is for all those that have such a setting."""
    settings = {name: iteration_settings(METHODS[name]["class"], options.iterations) for name in compared}
    classes = {name: registry.estimator_class(METHODS[name]["class"]) for name in compared}
    allowed = {name: registry.settings_of(METHODS[name]["class"]) for name in compared}
    for key, value in options.settings:
        today = {name: next(iter(each.by_current_names({key: value}))) for name, each in classes.items()}
        takers = [name for name in compared if today[name] in allowed[name]]
        if not takers:
            every = sorted(set().union(*allowed.values()))
            raise ConfigError(f"--set {key}: no method compared has it; {choices(key, every)}")
        for name in takers:
            settings[name][today[name]] = value
    return settings


def _kept(folder: OutputFolder, rows: list[dict[str, Any]]) -> str:
    """Write the scores of the fits that were finished; return what to say of them."""
    if not rows:
        return "no fit was finished"
    folder.write_table("scores.csv", pd.DataFrame(rows))
    return f"the scores of {len(rows)} finished fits are in {folder.path / 'scores.csv'}"


def _write(folder: OutputFolder, found: Comparison, text: str, options: argparse.Namespace) -> None:
    from nbmf import plot
    from nbmf.plotting import style

    folder.write_table("scores.csv", found.scores)
    folder.write_table("summary.csv", found.summary())
    folder.write_text("recommendation.txt", text)
    figures = {PICTURE: found.figure()}
    pictures = {"Box plots over masks, of every K": folder.path / PICTURE}
    if any(len(entry["K"]) > 1 for entry in found.methods.values()):
        figures[AGAINST_K] = plot.score_against_K(found).figure
        pictures["Means over masks against K: a dot is a mask"] = folder.path / AGAINST_K
    for name, figure in figures.items():
        folder.write(name, lambda path, figure=figure: style.save(figure, path))
    page = pages.of_comparison(found, _table(found), laws(found), options, pictures)
    folder.write_text(pages.REPORT, page)
    folder.finish(vars(options) | {"methods": list(found.methods)})


def _text(found: Comparison, options: argparse.Namespace) -> str:
    """Return the table and the recommendation, with what to type next."""
    advice = found.recommendation
    K = "" if _finds_components(found.methods[advice.take]) else f" --components {advice.take_K}"
    command = f"nbmf fit {repeated(options)} --method {advice.take}{K}"
    title = f"Held-out perplexity of {found.name} over {options.masks} masks"
    lines = [
        f"{title}: nats per entry, smaller is better",
        *laws(found),
        "",
        _table(found),
        "",
        wrapped(advice.sentence, ""),
        *(wrapped(remark, "") for remark in found.remarks()),
        "",
        f"next: {command}",
    ]
    return "\n".join(lines)


def laws(found: Comparison) -> list[str]:
    """Return by which law each method is scored, if there are several or values are counts."""
    of_laws: dict[str, list[str]] = {}
    for method, likelihood in likelihoods_of(found.methods).items():
        if likelihood.name in WORDS_OF_LAWS:
            words = WORDS_OF_LAWS[likelihood.name]
            of_laws.setdefault(words, []).append(found.methods[method]["label"])
    return [f"{words}: {', '.join(labels)}" for words, labels in of_laws.items()]


def _finds_components(entry: dict[str, Any]) -> bool:
    """Whether K of a method is no choice, since the data choose how many components are used."""
    made = registry.make_estimator(entry["class"], entry["K"][0], entry["settings"])
    return made.finds_components


def _unit(entry: dict[str, Any]) -> str:
    """Return what a method's perplexity is per."""
    return registry.estimator_class(entry["class"]).likelihoods[0].unit


def _table(found: Comparison) -> str:
    """Return the summary as aligned text."""
    summary = found.summary()
    has_brier = summary["brier"].notna().any()  # there is none of counts
    scores = ["mean", "25 %", "median", "75 %", *(["Brier"] if has_brier else [])]
    lines = [("", "K", *scores, "seconds", "")]
    for row in summary.itertuples():
        is_baseline = row.method in LABELS
        label = LABELS[row.method] if is_baseline else found.methods[row.method]["label"]
        numbers = [f"{row.mean:.4f}", f"{row.lower_quartile:.4f}", f"{row.median:.4f}", f"{row.upper_quartile:.4f}"]
        if has_brier:
            numbers.append("" if math.isnan(row.brier) else f"{row.brier:.4f}")
        K, seconds = ("", "") if is_baseline else (str(row.K), f"{row.seconds:.1f}")
        notes = [
            f"{count:g} {what}"
            for count, what in (
                (row.failed, "failed"),
                (row.not_converged, "not converged"),
                (row.saturated, "predicted impossible"),
            )
            if count
        ]
        unit = "entry" if is_baseline else _unit(found.methods[row.method])
        if unit != "entry":
            notes.append(f"per {unit}: not comparable")
        lines.append((label, K, *numbers, seconds, "; ".join(notes)))
    first = max(len(line[0]) for line in lines)
    return "\n".join(
        f"{label:{first}} {K:>4} {' '.join(f'{cell:>8}' for cell in cells)}  {note}".rstrip()
        for label, K, *cells, note in lines
    )
