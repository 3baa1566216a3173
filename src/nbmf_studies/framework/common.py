"""Tables and figures that any study may list among its own."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from nbmf import registry
from nbmf_studies.framework.declaration import Figure, Table
from nbmf_studies.framework.experiment import Case
from nbmf_studies.framework.needs import Cases, MaskedMatrices, Need, Reports, TableOf, tables
from nbmf_studies.framework.plan import Plan

RESULTS = "nbmf_studies.framework.gathering:results"
TRACES_OF_CASES = "nbmf_studies.framework.gathering:traces"
COMBINED = "nbmf_studies.framework.verdicts:combine_verdicts"
READINGS = "readings"  # the name of what is made on request


def report_table(
    name: str, title: str, make: str, needs: Callable[[Plan], dict[str, Need]], digits: int | None = None, **more
) -> Table:
    """Return a table that the report shows, its numbers with so many significant digits; None for all."""
    float_format = None if digits is None else f"%.{digits}g"
    return Table(name, title, make, needs, in_report=True, float_format=float_format, **more)


def masked_fits(plan: Plan) -> dict[str, Need]:
    """Need the reports of all fits to held-out masks."""
    return {"fits": Reports(plan.masked_fits)}


def unmasked_fits(plan: Plan) -> dict[str, Need]:
    """Need the reports of all fits to whole matrices."""
    return {"fits": Reports(plan.unmasked_fits)}


def options_of(product: str, *names: str) -> Callable[[Plan], dict[str, Any]]:
    """Return a function for `arguments`: some of the options of a product, all of them if none is named."""

    def arguments(plan: Plan) -> dict[str, Any]:
        options = plan.options[product]
        return {name: options[name] for name in names or options}

    return arguments


def claims(needs: Callable[[Plan], dict[str, Need]], **more) -> tuple[Table, Table]:
    """Return the tables of the verdicts on a paper's claims, and of their parts, from the study's module `claims`."""

    def table(name: str, title: str) -> Table:
        return report_table(name, title, f".claims:{name}", needs, **more)

    return table("claims", "Claims"), table("claims_parts", "Claims, part by part")


def readings(needs: Callable[[Plan], dict[str, Need]], **more) -> tuple[Table, ...]:
    """Return the tables of the claims judged again under other readings of a paper, from the study's module `readings`.

    They are made on request: `snakemake <study>_readings`. The third one says what both verdicts on a claim amount to.
    """

    table = partial(report_table, on_request=READINGS)
    applies = {"applies": more["applies"]} if "applies" in more else {}
    return (
        table("readings", "Claims under other readings", ".readings:readings", needs, **more),
        table("readings_parts", "Claims under other readings, part by part", ".readings:readings_parts", needs, **more),
        table("verdicts", "Verdicts, all readings considered", COMBINED, tables("claims", "readings"), **applies),
    )


def case_table(
    name: str, title: str, cases: Callable[[Plan], Iterable[Case]], make: str = RESULTS, *, in_reference=True, **more
) -> Table:
    """Return the table of all fits of an experiment; it is published as it is, unless `in_reference` is false."""
    return Table(name, title, make, lambda plan: {"fits": Cases.of(cases(plan))}, in_reference=in_reference, **more)


def has_unmasked_fits(plan: Plan) -> bool:
    """Return whether a study has any fit to a whole matrix."""
    return bool(plan.unmasked_fits)


def has_chains(plan: Plan) -> bool:
    """Return whether a study has any chain that saw a whole matrix."""
    return bool(plan.chains)


def diagnostics_needs(plan: Plan) -> dict[str, Need]:
    """Return the role of the diagnostics, for figures that mark what has not converged."""
    return {"diagnostics": TableOf("diagnostics")} if has_chains(plan) else {}


def comparison_arguments(plan: Plan) -> dict[str, Any]:
    """Return the arguments of `draw` of `nbmf.plotting.boxes` and `dots` for all methods that can be compared."""
    methods = plan.comparable(plan.methods)
    entries = {name: plan.entry(name) for name in methods}
    return {
        "methods": {name: {key: entries[name][key] for key in ("label", "K")} for name in entries},
        "datasets": plan.datasets,
        "colours": plan.colours(methods),
    }


def has_calibration(plan: Plan) -> bool:
    """Return whether any method that is compared predicts probabilities that can be checked."""
    classes = [plan.entry(method)["class"] for method in plan.comparable(plan.methods)]
    return any("calibration" in registry.further_scores(name) for name in classes)


def _labels_argument(plan: Plan) -> dict[str, Any]:
    return {"labels": plan.labels(plan.comparable(plan.methods))}


SCORES = Table(
    "scores", "Scores of the fits to held-out masks", "nbmf.evaluation.score_table:gather_scores", masked_fits
)
TRACES = Table(
    "traces", "Traces of the fits to held-out masks", "nbmf.evaluation.score_table:gather_traces", masked_fits
)
SUMMARY = report_table(
    "summary", "Held-out log loss", "nbmf.evaluation.score_table:summarise", tables("scores"), digits=6
)
BASELINES = report_table(
    "baselines",
    "Baselines",
    "nbmf.evaluation.baselines:tabulate",
    lambda plan: {"masked": MaskedMatrices(plan.masks_of(plan.datasets))},
    digits=6,
)
RANKING = report_table(
    "ranking",
    "The methods, best first",
    "nbmf.evaluation.ranking:rank",
    tables("scores", "baselines"),
    digits=6,
    arguments=_labels_argument,
)

OVERVIEW = report_table(
    "overview", "All methods and datasets", "nbmf.evaluation.ranking:overview", tables("ranking"), digits=6
)


def figure_of_compared(name: str, title: str, make: str = "nbmf.plotting.boxes:draw") -> Figure:
    """Return the figure of all that is compared, with the baselines."""
    return Figure(name, title, make, tables("scores", "baselines"), arguments=comparison_arguments, with_gaps=True)


SCORE_AND_TIME = Figure(
    "score_and_time",
    "Score and time",
    "nbmf.plotting.score_and_time:draw",
    tables("ranking"),
    arguments=lambda plan: {"datasets": plan.datasets, "colours": plan.colours(plan.comparable(plan.methods))},
)
UNMASKED_SCORES = Table(
    "unmasked_scores",
    "Scores of the fits to whole matrices",
    "nbmf.evaluation.score_table:gather_scores",
    unmasked_fits,
    applies=has_unmasked_fits,
)
UNMASKED_TRACES = Table(
    "unmasked_traces",
    "Traces of the fits to whole matrices",
    "nbmf.evaluation.score_table:gather_traces",
    unmasked_fits,
    applies=has_unmasked_fits,
)
CHAIN_TRACES = replace(  # of samplers alone: what shows how they mixed asks for no other fit
    UNMASKED_TRACES,
    title="Traces of the chains that saw whole matrices",
    needs=lambda plan: {"fits": Reports(plan.chains)},
    applies=has_chains,
)
UNMASKED_SUMMARY = report_table(
    "unmasked_summary",
    "Fits to whole matrices",
    "nbmf.evaluation.score_table:summarise_unmasked",
    tables(scores="unmasked_scores"),
    applies=has_unmasked_fits,
)


DIAGNOSTICS = report_table(
    "diagnostics",
    "Diagnostics of the chains",
    "nbmf.posterior.diagnostics:diagnose",
    tables(traces="unmasked_traces"),
    arguments=lambda plan: {"burn_in": {method: plan.estimator(method).burn_in for method in plan.samplers}},
    applies=has_chains,
)

CALIBRATION = Table(
    "calibration",
    "Held-out probabilities and proportions of ones, fit by fit",
    "nbmf.evaluation.score_table:gather_calibration",
    masked_fits,
    applies=has_calibration,
)
RELIABILITY = Table(
    "reliability",
    "Held-out probabilities and proportions of ones at the best K",
    make="nbmf.evaluation.calibration:pool",
    needs=tables("calibration", "scores"),
    arguments=_labels_argument,
    applies=has_calibration,
    in_reference=True,  # from which the figure can be drawn anew
    float_format="%.6g",
)
CALIBRATION_ERRORS = report_table(
    "calibration_errors",
    "Calibration",
    "nbmf.evaluation.calibration:tabulate",
    tables("reliability", "scores"),
    digits=6,
    arguments=_labels_argument,
    applies=has_calibration,
)
CALIBRATION_FIGURE = Figure(
    "calibration",
    "Calibration: held-out probabilities and proportions of ones",
    "nbmf.plotting.reliability:draw",
    tables("reliability"),
    arguments=lambda plan: {**_labels_argument(plan), "datasets": plan.datasets},
    applies=has_calibration,
)

CALIBRATION_TABLES = (CALIBRATION, RELIABILITY, CALIBRATION_ERRORS)
MASKED_TABLES = (SCORES, TRACES, SUMMARY)
RANKING_TABLES = (BASELINES, OVERVIEW, RANKING)
UNMASKED_TABLES = (UNMASKED_SCORES, CHAIN_TRACES, UNMASKED_SUMMARY, DIAGNOSTICS)


def traces_of_samplers(plan: Plan) -> Iterator[Figure]:
    """Yield a figure per sampler: every chain of every dataset."""
    for method in plan.samplers:
        yield Figure(
            f"traces_{method}",
            f"Traces of {plan.label(method)}",
            "nbmf.plotting.traces:draw_method",
            tables(traces="unmasked_traces", diagnostics="diagnostics"),
            caption="captions/traces.rst",
            arguments=lambda plan, method=method: {
                "method": method,
                "label": plan.label(method),
                "burn_in": plan.estimator(method).burn_in,
            },
        )
