"""What the report says about a fit: the verdict first, then whether to rely on it, then its components."""

from collections.abc import Iterator, Sequence

import numpy as np

from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.named import NamedMatrix
from nbmf.errors import Message, Setting
from nbmf.evaluation.verdict import Verdict
from nbmf.inference.declarations import Inference, View
from nbmf.io.cells import size_phrase
from nbmf.numerics.clustered_errors import format_error
from nbmf.numerics.percent import percent
from nbmf.posterior.co_clustering import AXIS_NAMES
from nbmf.posterior.groups import association_of, summarize_groups
from nbmf.posterior.scale_shape import shape_of
from nbmf.reporting.accuracy_sentence import accuracy_sentence
from nbmf.reporting.component_entries import component_entry, effect_entries, reading_key
from nbmf.reporting.constant_rows import constant_row_sentences
from nbmf.reporting.fewer_groups import fewer_groups
from nbmf.reporting.fit_quality import quality_sentences
from nbmf.reporting.fit_result import ReportedFit
from nbmf.reporting.group_table import group_table
from nbmf.reporting.latent_classes import class_facts, class_members
from nbmf.reporting.lookups import make_lookups
from nbmf.reporting.model import Answer, Block, Figure, Lines, NextStep, Report, Section, Table
from nbmf.reporting.next_steps import next_steps
from nbmf.reporting.prediction_sentences import prediction_sentences
from nbmf.reporting.repeat_sentences import repeat_sentences
from nbmf.reporting.sampler_advice import listed_arguments, sampler_arguments
from nbmf.reporting.scale_entries import scale_blocks, shape_sentences
from nbmf.reporting.tie_table import tie_tables
from nbmf.reporting.weight_sentences import weight_sentences
from nbmf.reporting.wording import Wording
from nbmf.reporting.words import SCORED_BY, format_settings

DESCRIBED = 12  # components
TITLES = {View.GROUPS: "Components", View.SCALE: "Scale"}
VIEW_DESCRIPTIONS = {View.GROUPS: "rows as mixtures of groups", View.SCALE: "rows on a scale"}
# The sampler that estimates them: with effects of columns, but none of rows.
ITEM_PARAMETERS = (Setting("method", "logistic-gs"), Setting("settings", {"effects": "columns"}))
ITEMS = 100  # columns at most, with which the bias of variational fits is worth a word
SAMPLED_ENTRIES = "ones and as many zeros, each weighted by one over the chance of being among them"


def fit_report(
    result: ReportedFit,
    *,
    wording: Wording,
    method: str = "",
    figures: Sequence[Figure] = (),
    figure_of_other_view: Figure | None = None,
) -> Report:
    """Return the report of a fit.

    Parameters
    ----------
    result : ReportedFit
    wording : Wording
        How arguments are named, and what to type next.
    method : str
        The id of the method, which may have been left open.
    figures : sequence of Figure
    figure_of_other_view : Figure, optional
        Where the result has another view; a view without its figure is described without it.
    """
    verdict, model = result.verdict, result.model
    answer = [] if verdict is None else [_answer(verdict, result)]
    remarks = [*repeat_sentences(result.matrix), *constant_row_sentences(result.matrix, result.shows_components)]
    sections = [Section("", [*answer, *([Lines(remarks)] if remarks else [])])]
    if verdict is not None and verdict.stack is not None and (predicted := [*prediction_sentences(result)]):
        sections.append(Section("Prediction", [Lines(predicted)]))
    sections.append(
        Section("The fit", [Lines([*fit_facts(result)]), Lines([*quality_sentences(result, wording.render, method)])])
    )
    if result.shows_components:
        sections += [
            Section("Look up a row or a column", [*make_lookups(result, wording)]),
            Section("Pictures", figures),
            Section("Groups", [*group_tables(result)]),
            Section(TITLES[view_of(result)], [*_description_blocks(result, wording), *fewer_groups(result, wording)]),
        ]
        if result.other_view is not None:
            sections.append(_other_view_section(result.other_view, figure_of_other_view, wording))
    else:
        sections.append(Section("What to do next", [*next_steps(result, wording, method)]))
    made_by = [wording.made_by, format_settings({"method": method, **model.get_params()})]
    return Report(f"{result.name}: what is in it", [each for each in sections if each.blocks], made_by)


def _answer(verdict: Verdict, result: ReportedFit) -> Answer:
    """Return the verdict, with the losses of the method and of all that it was compared with."""
    model = result.model
    every = "every entry was"
    if verdict.entries != verdict.observed:
        every = f"{verdict.entries} of {verdict.observed} observed entries were"
    scored = SAMPLED_ENTRIES if verdict.unit == "one" else SCORED_BY.get(model.likelihood.name)
    folds = f"{verdict.folds} fold{'s' * (verdict.folds > 1)}"
    if 0.0 < verdict.fixed < 1.0:
        folds += f", without the {percent(verdict.fixed)} that follow from how many ones each row and column has"
    held_out = f"({every} held out, in {folds}, and predicted from the others{f'; {scored}' if scored else ''})"
    this = f"{verdict.method} (this method)" if verdict.others else "this method"
    others = [[each.what, f"{each.loss:.4f}", format_error(each.mean, each.error)] for each in verdict.compared]
    head = ["predicted by", f"nats per {verdict.unit.removeprefix('held-out ')}", "this method is better by"]
    rows = [[this, f"{verdict.loss:.4f}", ""], *others]
    evidence = Table(head, rows, "<>>", caption=[held_out], note=_how_to_read(verdict))
    return Answer(str(verdict), verdict.found, evidence, accuracy_sentence(verdict, result.matrix))


def _how_to_read(verdict: Verdict) -> str:
    """Return what nats, errors and p-values are."""
    coin = "" if verdict.accuracy is None else ", 0 where it was certain and 0.69 where it was a coin toss"
    per_one = ", the sum over ones and zeros divided by the number of ones" if verdict.unit == "one" else ""
    return (
        "How to read this: the loss in nats is minus the log of the probability that was predicted for what a "
        f"held-out entry turned out to be{coin}{per_one}; smaller is better. ± is a standard error, and p the "
        "probability that a method which is no better would seem better by so much."
    )


def fit_facts(result: ReportedFit) -> Iterator[str]:
    """Yield what was fitted, and what was learned besides the factors."""
    matrix, model = result.matrix, result.model
    counts = matrix.counts()
    yield (
        f"{result.name}: {size_phrase(*matrix.shape)}, {_describe_values(matrix)}, "
        f"{percent(counts['missing'] / (counts['rows'] * counts['columns']), 1)} missing"
    )
    if not result.shows_components or result.scale is not None:  # whose axes are made of components and effects
        is_single = model.inference is Inference.ASCENT and model.n_components_ == 1 < model.n_components
        yield f"fitted: {model.title}{f', chosen instead of {model.n_components}' * is_single}"
    if not result.shows_components:
        return
    if result.scale is None:
        yield _active(result)
    if result.component_search is not None:
        yield str(result.component_search)
    yield from weight_sentences(result)
    if result.scale is None and model.has_axes:
        yield from shape_sentences(shape_of(model.W_[:, : result.components.active]), result.names("row"))
    if model.has_classes:
        if facts := class_facts(model, matrix):
            yield "; ".join(facts)
        return
    # Of components that nothing is in, the priors say nothing about those that are shown.
    shown = result.components.shown
    if learned := model.findings_of(shown if len(shown) else slice(None)):
        texts = (f"{name} {v:.3g}" if isinstance(v, float) else f"{name} {v}" for name, v in learned.items())
        yield f"learned: {', '.join(texts)}"


def _active(result: ReportedFit) -> str:
    """Return how many components are active."""
    model, active, shares = result.model, result.components.active, result.components.shares
    if model.has_classes:
        each = "es" * (active != 1)
        return (
            f"{model.title}, latent class analysis: {active} class{each} of at least 1% of the {class_members(model)}"
        )
    weight = "" if np.isnan(shares).any() else " (at least 1% each of the weight that is not the prior's)"
    return f"{model.title}: {active} active component{'s' * (active != 1)}{weight}"


def _describe_values(matrix: NamedMatrix) -> str:
    """Return what is observed, in words."""
    counts, observed = matrix.counts(), matrix.n_observed
    if matrix.dense is not None:
        return f"{counts['ones']} ones, {counts['ones'] / counts['rows']:.3g} in a row on average"
    if isinstance(matrix, CountMatrix):
        zeros = counts["zeros"] / observed
        return f"counts with a mean of {counts['sum'] / observed:.3g}, {percent(zeros, 1)} of them zero"
    if isinstance(matrix, CategoryMatrix):
        return f"{matrix.n_categories} ordered categories from {matrix.categories[0]} to {matrix.categories[-1]}"
    return f"{percent(counts['ones'] / observed, 1)} ones among the observed"


def group_tables(result: ReportedFit) -> Iterator[Table]:
    """Yield what each group is to each component that is shown, of rows and of columns that have groups."""
    components = result.components
    model, shown = components.model, np.arange(components.informative)
    for axis, groups in enumerate((result.matrix.row_groups, result.column_groups)):
        if groups is None or not len(shown):
            continue
        kind = AXIS_NAMES[axis]
        table = summarize_groups(model, groups, shown, axis, coordinates=result.coordinates(axis))
        pivot = {"index": "group", "columns": "component", "sort": False}
        if model.has_axes:  # a row is somewhere on every component
            what = "coordinate on each component"
            if result.scale is not None:
                what = f"{('position', 'slope' if result.scale.has_counts else 'discrimination')[axis]} on each axis"
            words = f"{kind} by group: their mean {what}, ± standard error"
            if result.scale is not None and axis == 0 and getattr(model, "groups_in_use", None) is None:
                words += "; they are shrunk towards 0: in the population differences are 1 / reliability times as large"
            table["text"] = [_format_mean(*row) for row in zip(table["mean"], table["error"], strict=True)]
            cells = table.pivot_table(values="text", aggfunc="first", **pivot)
        else:
            words = f"{kind} by group and the component they are most typical of"
            if (association := association_of(model, groups, shown, axis)) is not None:
                value, error = association.value, association.error
                measured = format_error(value, error) if error else f"{value:z.2f}"  # 0: no row left out changes it
                words += f"; adjusted mutual information {measured} (0: unrelated, 1: the same)"
            cells = table.pivot_table(values=kind, aggfunc="sum", **pivot)
        yield group_table(cells, groups, words, "groups")


def _format_mean(mean: float, error: float) -> str:
    """Return a mean with its standard error, of a group of one without."""
    return f"{mean:z.2f}" if np.isnan(error) else f"{mean:z.2f} ± {error:.2f}"


def view_of(result: ReportedFit) -> View:
    """Return how a fit is shown: on a scale if its rows lie on one."""
    return View.GROUPS if result.scale is None else View.SCALE


def _description_blocks(result: ReportedFit, wording: Wording) -> Iterator[Block]:
    """Yield positions on a scale, or components."""
    if result.scale is not None:
        yield from scale_blocks(result.scale)
        yield from (Lines([wording.render(message)]) for message in _discrimination_bias(result))
        yield from effect_entries(result)
        return
    yield Lines([reading_key(result.components, bool(result.intervals))])
    yield from tie_tables(result, DESCRIBED)
    yield from effect_entries(result)
    active = result.components.active
    for number in range(min(active, DESCRIBED)):
        yield component_entry(number, result)
    if active > DESCRIBED:
        yield Lines([f"... and {active - DESCRIBED} more: see W and H"])


def _discrimination_bias(result: ReportedFit) -> Iterator[Message]:
    """Yield that a fit makes discriminations too small, or too alike, and which sampler does not.

    Regressed through the origin on those that were drawn, those of column effects are 0.81 and 0.85 times as large
    with 12 columns, 0.94 and 0.95 times with 40 (300 and 2,000 rows), without effects 0.69 with 12 (300 rows) and 0.86
    with 40 (2,000). Those of ITEM_PARAMETERS are 1.13 times as large with 12 columns and 300 rows, 1.03 with 1,000,
    1.00 with 25 and 300, and their 90 % intervals hold .86 to .89 of the true ones; with effects of rows, which are an
    axis of equal discriminations, intervals hold .46 to .84. Those of a mode are 0.70 times as large with 100 rows and
    40 columns, 0.81 and 0.57 times with 300 rows and 12 or 40 columns, 0.98 and 0.93 times with 2,000 rows. Those of
    five ordered categories are 0.88 and 0.92 times as large with 300 rows and 12 or 25 columns, 0.95 with 2,000 and 12;
    of their sampler 1.01 and 0.98 times with 300. By `benchmarks/item_parameters.py`.
    """
    is_sampler = result.model.inference is Inference.SAMPLER
    if result.scale.has_counts or result.matrix.shape[1] > ITEMS:
        return
    if result.scale.categories and not is_sampler:
        yield Message(
            "a variational fit, as this one, makes discriminations too small: in tests drawn from the graded response "
            "model by 8 to 12% with 300 rows, by 5% with 2,000; for item parameters take ",
            *listed_arguments(sampler_arguments(result.model)),
        )
    if result.scale.categories or (is_sampler and not result.scale.has_row_effects):
        return
    if is_sampler:
        yield Message(
            "effects of rows, as in this model, make discriminations too alike: of tests drawn from the two-parameter "
            "model 90% intervals held 46 to 84% of them; for item parameters take ",
            *listed_arguments([*ITEM_PARAMETERS]),
        )
        return
    if result.model.inference is Inference.POINT:
        yield Message(
            "a posterior mode, as this one, makes discriminations too small, and intervals of positions too wide: in "
            "tests drawn from the two-parameter model discriminations are on average 19 to 43% too small with 100 to "
            "300 rows, 2 to 7% with 2,000; for item parameters take ",
            *listed_arguments([*ITEM_PARAMETERS]),
        )
        return
    yield Message(
        "a variational fit, as this one, makes discriminations too small, and so locations too far out: in tests drawn "
        "from the two-parameter model discriminations are on average about 15% or more too small with 12 columns, "
        "about 5% or more with 40; for item parameters take ",
        *listed_arguments([*ITEM_PARAMETERS]),
    )


def _other_view_section(other: ReportedFit, figure: Figure | None, wording: Wording) -> Section:
    """Return the same matrix shown in another way."""
    view = view_of(other)
    sentence = (
        f"{other.model.title} predicts held-out entries about as well (not significantly worse), and shows "
        f"{VIEW_DESCRIPTIONS[view]}"
    )
    alone = NextStep("all files of this view:", wording.next_command("fit", view=str(view), apart=str(view)))
    figures = [] if figure is None else [figure]
    return Section(
        f"The same matrix: {TITLES[view].lower()}",
        [Lines([sentence]), *figures, *_description_blocks(other, wording), alone],
    )
