"""What is made on request: fits on which claims are judged again, their figures and tables."""

from collections.abc import Callable, Iterable
from typing import Any

from nbmf_studies.framework import common
from nbmf_studies.framework.declaration import Figure, Table
from nbmf_studies.framework.experiment import Case
from nbmf_studies.framework.needs import Need, tables
from nbmf_studies.framework.plan import Plan
from nbmf_studies.klami2015 import experiments
from nbmf_studies.klami2015.criteria import FEW
from nbmf_studies.klami2015.engines import DRAWS, EXACT, GAUSSIAN, LINE_SEARCH, describe_update
from nbmf_studies.klami2015.errors import PRESENT
from nbmf_studies.klami2015.experiments import COMPARED, MORE_PATTERNS, OBSERVED, SIZES, STARTS
from nbmf_studies.klami2015.naming import labels_argument, series_of, title_of
from nbmf_studies.klami2015.simulation import set_ups


def _reading_table(name: str, title: str, make: str, needs: Callable[[Plan], dict[str, Need]]) -> Table:
    """Return a table of the second reading, whose options are checked if it has some."""
    return common.report_table(name, title, make, needs, 4, arguments=labels_argument, **_request_options(name))


def _reading_figure(name: str, title: str, make: str, needs: Callable[[Plan], dict[str, Need]], arguments) -> Figure:
    return Figure(name, title, make, needs, arguments=arguments, **_request_options(name))


SCHEMAS = {
    COMPARED: experiments.COMPARED_OPTIONS,
    STARTS: experiments.STARTS_OPTIONS,
    MORE_PATTERNS: experiments.MORE_PATTERNS_OPTIONS,
    SIZES: experiments.SIZES_OPTIONS,
    OBSERVED: experiments.OBSERVED_OPTIONS,
}


def _request_options(name: str) -> dict[str, Any]:
    requested = {"on_request": common.READINGS}
    if name not in SCHEMAS:
        return requested
    return requested | {"options": SCHEMAS[name], "check": lambda plan: experiments.check_reading_options(plan, name)}


def _end_table(name: str, title: str, cases: Callable[[Plan], Iterable[Case]]) -> Table:
    return common.case_table(name, title, cases, ".traces:gather_ends", float_format="%.6g", on_request=common.READINGS)


def _titles(plan: Plan, names: Iterable[str]) -> dict[str, str]:
    known = set_ups(plan.options["figure_1"])
    return {name: title_of(known[name]) for name in names}


def _update_series(plan: Plan, methods: Iterable[str], searching: bool) -> dict[str, list]:
    """Return [label, colour, dash] by "method|update", of methods as they are or with the best step."""
    labels, colours, series = plan.labels(methods), plan.colours(methods), {}
    for method in methods:
        settings = plan.entry(method)["settings"]
        settings = {**settings, "step": None} if searching else settings
        update = describe_update(settings, plan.is_sampler(method))
        has_label = update in (EXACT, DRAWS)
        label = labels[method] if has_label else f"{labels[method]}, {update}"
        series[f"{method}|{update}"] = [label, colours[method], "-" if update == LINE_SEARCH or has_label else "--"]
    return series


def _start_arguments(plan: Plan) -> dict[str, Any]:
    options = plan.options[STARTS]
    series = _update_series(plan, options["methods"], False) | _update_series(plan, options["searching"], True)
    return {"set_ups": _titles(plan, options["set_ups"]), "series": series}


def _cut_arguments(plan: Plan) -> dict[str, Any]:
    options = plan.options[COMPARED]
    log_odds = [method for method in options["methods"] if method != GAUSSIAN]  # of the normal model v has another unit
    series = {key: line[:2] for key, line in _update_series(plan, log_odds, True).items()}
    factors = {"factors": plan.options["figure_1"]["K"], "usual": PRESENT}
    return {"set_ups": _titles(plan, options["set_ups"]), "series": series, **factors}


TABLES = (
    _end_table("binary_fits", "Errors at the end of the fits to new binary matrices", experiments.binary_cases),
    common.case_table(
        "new_patterns",
        "Repeated patterns, more seeds",
        experiments.more_pattern_cases,
        common.TRACES_OF_CASES,
        float_format="%.6g",
        on_request=common.READINGS,
    ),
    _end_table("size_fits", "Errors at the end of the fits to matrices of other sizes", experiments.size_cases),
    _end_table("observed_fits", "CPU times of fits to partly observed matrices", experiments.observed_cases),
    Table(
        "times",
        "CPU times of every fit",
        ".convergence:times",
        tables("traces"),
        in_reference=True,
        float_format="%.6g",
        on_request=common.READINGS,
    ),
    _reading_table(
        COMPARED,
        "Binary data again, by step or line search and scale of the start",
        ".reading_tables:binary_ends",
        tables(ends="binary_fits"),
    ),
    _reading_table(
        "bohning_ratios",
        "PG-F and Böhning on the same matrices",
        ".reading_tables:bohning_ratios",
        tables(ends="binary_fits"),
    ),
    _reading_table(
        "time_ratios",
        "Time per iteration, to convergence and to equal errors",
        ".convergence:summarise",
        tables("times"),
    ),
    _reading_table(
        "pattern_times",
        "Iterations until patterns are found",
        ".reading_tables:pattern_times",
        tables(patterns="new_patterns"),
    ),
    _reading_table(SIZES, "Matrices of other sizes", ".reading_tables:size_differences", tables(sizes="size_fits")),
    _reading_table(
        "observed_times",
        "Time per iteration where entries are missing",
        ".reading_tables:observed_times",
        tables(observed="observed_fits"),
    ),
    *common.readings(
        needs=tables(
            "traces", ends="binary_fits", patterns="new_patterns", sizes="size_fits", observed="observed_fits"
        ),
        arguments=lambda plan: {"K": plan.options["figure_1"]["K"]},
    ),
)
FIGURES = (
    _reading_figure(
        STARTS,
        "Set-up 3 by step and start",
        ".reading_figures:draw_starts",
        tables(ends="binary_fits"),
        _start_arguments,
    ),
    _reading_figure("cuts", "Number of factors by threshold", ".cuts:draw", tables(ends="binary_fits"), _cut_arguments),
    _reading_figure(
        MORE_PATTERNS,
        "Patterns found against iterations",
        ".reading_figures:draw_patterns",
        tables(patterns="new_patterns"),
        lambda plan: {"series": series_of(plan, plan.options["patterns"]["methods"]), "few": FEW},
    ),
    _reading_figure(
        OBSERVED,
        "Time per iteration and the proportion of observed entries",
        ".reading_figures:draw_observed",
        tables(observed="observed_fits"),
        lambda plan: {"series": series_of(plan, plan.options[OBSERVED]["methods"])},
    ),
)
