"""What the report says about a comparison: the scores, and which method to take."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from nbmf import registry
from nbmf.evaluation.baselines import LABELS
from nbmf.evaluation.entries import likelihoods_of
from nbmf.evaluation.result import RANKED, Comparison
from nbmf.evaluation.verdict import MethodChoice
from nbmf.inference.estimator import Factorization
from nbmf.io.cells import count_phrase
from nbmf.reporting.model import Figure, Lines, NextStep, Report, Section, Table
from nbmf.reporting.words import SCORED_BY, format_settings

NOT_PREDICTED = "next, to see its components although they may predict no better than baselines:"


def comparison_report(
    comparison: Comparison,
    *,
    next_command: Callable[[str, int | None, bool], str],
    command: str = "",
    figures: Sequence[Figure] = (),
    structure: MethodChoice | None = None,
) -> Report:
    """Return the report of a comparison.

    Parameters
    ----------
    comparison : Comparison
    next_command : function
        From the method to take, its K, None where that is no choice, and whether its components are to be shown also
        where they predict no better than baselines, to the command to type next.
    command : str
        What made the comparison.
    figures : sequence of Figure
    structure : MethodChoice, optional
        Whether there is structure, by the test of `nbmf fit`: the ranking is no second one.

    Raises
    ------
    DataError
        If there is nothing to recommend.
    """
    advice, masks = comparison.recommendation, count_phrase(comparison.scores["mask"].nunique(), "mask")
    title = f"Held-out log loss of {comparison.name} over {masks}: nats per {comparison.unit}, smaller is better"
    K = None if _finds_components(comparison.methods[advice.take]) else advice.take_K
    may_show_nothing = structure is not None and not structure.verdict.is_predicted
    next_step = NextStep(NOT_PREDICTED if may_show_nothing else "next:", next_command(advice.take, K, may_show_nothing))
    sections = [
        Section("Is there structure?", [] if structure is None else [_structure(structure, comparison)]),
        Section("Held-out log loss", figures),
        Section(
            "Scores",
            [Lines([title, *_scoring_notes(comparison), *_ranking_notes(comparison)]), score_table(comparison)],
        ),
        Section("Which method to take", [Lines([advice.sentence, *comparison.remarks()]), next_step], leads=True),
    ]
    settings = "; ".join(
        f"{entry['label']}: {format_settings(entry['settings'])}" for entry in comparison.methods.values()
    )
    return Report(f"{comparison.name}: which method", [each for each in sections if each.blocks], [command, settings])


def _structure(choice: MethodChoice, comparison: Comparison) -> Lines:
    """Return the sentence of the structure test, and of which method it speaks."""
    method = choice.verdict.method
    is_compared = method.partition(", K ")[0] in {_example(entry).label for entry in comparison.methods.values()}
    apart = "" if is_compared else ", and which is not among those below"
    return Lines([f"{choice.verdict}", f"(this method: {method}, which nbmf fit takes if none is named{apart})"])


def _scoring_notes(comparison: Comparison) -> list[str]:
    """Return by which distribution each method is scored, if there are several or values are counts."""
    labels: dict[str, list[str]] = {}
    for method, likelihood in likelihoods_of(comparison.methods).items():
        if likelihood.name in SCORED_BY:
            labels.setdefault(SCORED_BY[likelihood.name], []).append(comparison.methods[method]["label"])
    return [f"{words}: {', '.join(each)}" for words, each in labels.items()]


def _ranking_notes(comparison: Comparison) -> list[str]:
    """Return what recall and NDCG are, where there are any."""
    if not set(RANKED) <= set(comparison.scores):
        return []
    return [
        "recall and NDCG are of held-out ones among the first 20 and the first 100 columns recommended to their rows, "
        "larger is better"
    ]


def _finds_components(entry: dict[str, Any]) -> bool:
    """Whether K of a method is no choice, since the data choose how many components are used."""
    return _example(entry).finds_components


def _example(entry: dict[str, Any]) -> Factorization:
    """Return the estimator of a method with its first K, not fitted."""
    return registry.make_estimator(entry["class"], entry["K"][0], entry["settings"])


def score_table(comparison: Comparison) -> Table:
    """Return the summary: a row per method and K, then the baselines."""
    summary = comparison.summary()
    scores = {"mean": "mean", "lower_quartile": "25 %", "median": "median", "upper_quartile": "75 %"}
    if summary["brier"].notna().any():  # there is none of counts
        scores["brier"] = "Brier"
    scores |= {name: label for name, label in RANKED.items() if name in summary}
    rows = []
    for row in summary.itertuples():
        entry = comparison.methods.get(row.method)
        label, K, seconds = LABELS.get(row.method), "", ""
        if entry is not None:
            label, K, seconds = entry["label"], str(row.K), f"{row.seconds:.1f}"
        values = (getattr(row, name) for name in scores)
        numbers = [
            "" if math.isnan(value) and name in ("brier", *RANKED) else f"{value:.4f}"
            for name, value in zip(scores, values, strict=True)
        ]
        rows.append([label, K, *numbers, seconds, "; ".join(_notes(row, entry))])
    return Table(["", "K", *scores.values(), "seconds", ""], rows, "<>" + ">" * len(scores) + "><")


def _notes(row: Any, entry: dict[str, Any] | None) -> Iterator[str]:
    """Yield what is unusual about the fits of a method with one K."""
    counts = {"failed": row.failed, "not converged": row.not_converged, "predicted impossible": row.saturated}
    yield from (f"{count:g} {what}" for what, count in counts.items() if count)
    unit = "entry" if entry is None else registry.estimator_class(entry["class"]).likelihoods[0].unit
    if unit != "entry":
        yield f"per {unit}: not comparable"
