"""What the report says about the components of a table, or the topics of documents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from nbmf.data.feature_columns import BERNOULLI, DISCRETE, GAUSSIAN, WORD
from nbmf.data.feature_table import FeatureTable
from nbmf.evaluation.component_choice import ComponentChoice
from nbmf.families.mixed_membership.em import OUTWEIGHS
from nbmf.families.mixed_membership.feature_model import FeatureModel
from nbmf.families.mixed_membership.membership_parameters import MIXTURE
from nbmf.inference.one_component import is_worse
from nbmf.io.cells import count_phrase
from nbmf.numerics.clustered_errors import format_error
from nbmf.numerics.percent import percent
from nbmf.posterior.distinguishing import agreement, by_label, digits_of, order_of_components, shares_of_components
from nbmf.posterior.nearest import nearest_shares
from nbmf.reporting.group_table import group_table
from nbmf.reporting.lookups import MOST_COMPONENTS, select_for_lookup
from nbmf.reporting.model import Answer, Entry, Figure, Lines, Lookup, Measure, NextStep, Report, Section, Table
from nbmf.reporting.words import format_settings

COLUMNS, CATEGORIES, WORDS = 8, 3, 10  # of a component, at most, in a report
LEAST = 0.01  # nats of a column that is worth a word
OVER = 1.1  # times as frequent as in all rows, for a category to be named
# Of words whose lift is reported: exclusive words are many, and most are too rare to mean much.
LEAST_SHARE, LEAST_TOKENS = 1e-3, 5.0
TITLES = {
    "mnb": "mixture: each row is in one component",
    "mmnb": "mixed memberships: each row has shares of components",
    "fast-mmnb": "mixed memberships, fast: each row has shares of components",
    "lda": "LDA: each document has shares of topics",
    "fast-lda": "Fast LDA: each document has shares of topics",
    "unigrams": "mixture of unigrams: each document is in one topic",
}


@dataclass(frozen=True, eq=False)
class ClusteringResult:
    """The components of a table, or the topics of documents, and all that is reported about them.

    name : str, of the data
    table : FeatureTable, the data
    component, row : str, what these are called
    model_name : str, a key of TITLES
    choice : ComponentChoice; None if it was not asked for
    model : FeatureModel; None where nothing was found
    distinguishing : DataFrame of nbmf.distinguishing; None where nothing was found
    seconds : float
    """

    name: str
    table: FeatureTable
    component: str
    row: str
    model_name: str
    choice: ComponentChoice | None
    model: FeatureModel | None
    distinguishing: pd.DataFrame | None
    seconds: float

    @property
    def has_words(self) -> bool:
        """Whether columns are words, so that rows are documents and components topics."""
        return WORD in self.table.kinds

    @property
    def order(self) -> np.ndarray:
        """The places of the components in the model, the heaviest first, int array (K,)."""
        return order_of_components(self.model)

    @property
    def numbers(self) -> np.ndarray:
        """The number, from 1, of each component of the model in that order, int array (K,)."""
        return np.argsort(self.order) + 1

    @property
    def shares(self) -> np.ndarray:
        """The mean membership in each component, the heaviest first, float array (K,)."""
        return shares_of_components(self.model)[self.order]

    @property
    def sizes(self) -> np.ndarray:
        """How many rows have each component as their main one, int array (K,)."""
        return np.bincount(self.model.clusters_, minlength=self.order.size)[self.order]

    def most_lifted(self, topic: pd.DataFrame, count: int) -> pd.DataFrame:
        """Return the words of a topic with the largest lift, of those that are not rare in it."""
        tokens = self.shares[int(topic["component"].iloc[0]) - 1] * self.table.cells.sum()
        least = max(LEAST_SHARE, LEAST_TOKENS / max(tokens, 1.0))
        return topic[(topic["value"] >= least) & (topic["lift"] > 1)].nlargest(count, "lift")


def clustering_report(
    result: ClusteringResult, *, command: str = "", unchecked: str = "", figures: Sequence[Figure] = ()
) -> Report:
    """Return the report: what was chosen and why, labels, and each component.

    `command` has made it; `unchecked` is the one that shows the components where nothing was found.
    """
    made_by, sections = [command], [] if result.choice is None else [_choice(result, result.choice)]
    if result.model is None:
        step = NextStep(
            f"No {result.component}s are shown, because they do not predict significantly better than none. This shows "
            "them nevertheless:",
            unchecked,
        )
        sections.append(Section("What to do next", [step]))
    else:
        made_by.append(format_settings(result.model.get_params()))
        sections += [
            Section("The fit", [Lines([*clustering_facts(result)])]),
            Section(f"Look up a {result.row}", [_lookup(result)]),
            Section("Pictures", figures),
            Section("Labels", [*_labels(result)]),
            Section(f"{result.component.capitalize()}s", [*_entries(result)]),
        ]
    return Report(f"{result.name}: {result.component}s", [each for each in sections if each.blocks], made_by)


def _choice(result: ClusteringResult, choice: ComponentChoice) -> Section:
    """Return the answer, with how well each K predicts."""
    unit, scores = choice.unit, choice.scores
    shapes = rule = ""
    if any(score.none < choice.alone for score in scores):
        shapes = f" None is a single {result.component} or, if that predicts better, all of them in their mean shares."
    if len(scores) > 1:
        rule = (
            " Of all that predict as well as the best, up to a standard error, that with the fewest "
            f"{result.component}s is taken."
        )
    caption = (
        f"({choice.cells} {unit}s were held out, in {choice.folds} fold{'s' * (choice.folds > 1)}, and predicted from "
        f"the rest of their {result.row}s.{shapes}{rule})"
    )
    sentence = str(choice).replace("components", f"{result.component}s")
    blocks = [Answer(sentence, choice.found, _scores(choice, caption))]
    K = choice.chosen.K
    if K == max(score.K for score in scores) > 2 and choice.found:
        blocks.append(Lines([f"{K} is the largest K that was tried: --components {K} {2 * K} tries more"]))
    return Section("", blocks)


def _scores(choice: ComponentChoice, caption: str) -> Table:
    """Return the loss of every K and model; the model, and the loss of none, where these differ."""
    rows = [["1", "", f"{choice.alone:.4f}", "", "", ""]]
    for score in choice.scores:
        losses = f"{score.loss:.4f}", f"{score.none:.4f}"
        gain = format_error(score.gain, score.error)
        rows.append([str(score.K), score.model, *losses, gain, "<" * (score == choice.chosen)])
    head, align = ["K", "model", f"nats per {choice.unit}", "none has", "better than none by", ""], "><>>><"
    models, nones = {score.model for score in choice.scores}, {choice.alone, *(score.none for score in choice.scores)}
    kept = [0, *([1] * (len(models) > 1)), 2, *([3] * (len(nones) > 1)), 4, 5]
    shown = [[row[place] for place in kept] for row in (head, *rows)]
    return Table(shown[0], shown[1:], "".join(align[place] for place in kept), caption=[caption])


def clustering_facts(result: ClusteringResult) -> Iterator[str]:
    """Yield what was fitted, and whether it can be relied on."""
    model, component, (rows, columns) = result.model, result.component, result.table.shape
    K = model.memberships_.shape[1]
    size = f"{count_phrase(rows, result.row)} x {count_phrase(columns, 'word' if result.has_words else 'column')}"
    yield f"{result.name}: {size}"
    yield f"{TITLES[result.model_name]}; K = {K}"
    if (distinct := model.distinct_components_) < K:
        yield f"COLLAPSED: of {K} {component}s only {distinct} differ; take fewer"
    if _is_one_mixture(result):
        yield (
            f"COLLAPSED: all {result.row}s share one mixture (the sum of alpha is {model.prior_.sum():.3g}), "
            f"so memberships mean little: take fewer {component}s or another --model"
        )
    if is_worse(model.objective_, model.objective_of_one_):
        numbers = f"{model.objective_:.6g} nats, a single one {model.objective_of_one_:.6g}"
        yield (
            f"WORSE THAN ONE {component.upper()}: {numbers}; take more --starts or fewer --components, or there is no "
            "structure"
        )
    if model.converged_ is False:
        yield f"not converged after {model.n_iter_} iterations: memberships may still move"
    mixed = float(np.exp(model.entropies_.mean()))
    yield f"a {result.row} has {mixed:.2f} {component}s on average (exp of the mean entropy)"
    if {DISCRETE, BERNOULLI} & set(result.table.kinds) and model.smoothing > 0:
        times = "once" if model.smoothing == 1 else f"{model.smoothing:g} times"
        yield (
            f"percentages of categories are smoothed, as if each had been seen {times} more in every {component}: "
            f"those of few {result.row}s differ from what was counted (--smoothing)"
        )
    yield f"{result.seconds:.1f} s" + (" for the check and the fit" if result.choice else "")


def _is_one_mixture(result: ClusteringResult) -> bool:
    """Whether the prior of memberships outweighs the cells of a row by far."""
    model, table = result.model, result.table
    cells = table.cells.sum() if result.has_words else table.cells.size
    is_dirichlet = model.model != MIXTURE and model.prior_.size > 1
    return bool(is_dirichlet and model.prior_.sum() > OUTWEIGHS * cells / table.shape[0])


def _lookup(result: ClusteringResult) -> Lookup:
    """Return the memberships of each row, and the rows nearest to it."""
    shares, groups = result.model.memberships_[:, result.order], result.table.row_groups
    numbers = range(min(result.order.size, MOST_COMPONENTS))
    measures = [Measure(f"{result.component} {k + 1}", shares[:, k], is_share=True) for k in numbers]
    chosen = select_for_lookup(result.table.row_names, measures, result.order.size)
    near = nearest_shares(shares[chosen])
    more = "" if len(numbers) == result.order.size else f", the first {len(numbers)} of {result.order.size}"
    sentences = [
        f"Where a {result.row} is: its share of each {result.component}{more}.",
        f"Nearest are the {result.row}s with nearly the same shares: by the share that would have to move from some "
        f"{result.component}s to others for them to be the same; 0 where they are, at most 1.",
    ]
    return Lookup(
        noun=result.row,
        names=result.table.row_names[chosen],
        total=len(shares),
        measures=[measure.take(chosen) for measure in measures],
        sentences=sentences,
        places=chosen,
        nearest=near.places,
        distances=near.values,
        distance="difference",
        components=True,
        groups=None if groups is None else np.asarray(groups)[chosen],
    )


def _labels(result: ClusteringResult) -> Iterator[Table]:
    """Yield how far labels and components agree, if there are labels."""
    labels, model = result.table.row_groups, result.model
    if labels is None:
        return
    agreed = agreement(model, labels)
    words = (
        f"labels, which the fit has not seen: {percent(agreed['micro_precision'], 1)} of the {agreed['rows']} "
        f"{result.row}s have the commonest label of their {result.component} (the commonest of all has "
        f"{percent(agreed['largest_label'], 1)}); mutual information {agreed['mutual_information']:.3f} of "
        f"{agreed['entropy']:.3f} nats, adjusted for chance {agreed['adjusted']:.2f} of 1"
    )
    yield group_table(by_label(model, labels), labels, words, "labels")


def _entries(result: ClusteringResult) -> Iterator[Entry]:
    """Yield each component, the heaviest first."""
    from nbmf.plotting import style  # loads Matplotlib

    shares, sizes = result.shares, result.sizes
    for number, rows in result.distinguishing.groupby("component"):
        title = (
            f"{result.component} {number}: {percent(shares[number - 1])} of all shares; "
            f"the main one of {count_phrase(sizes[number - 1], result.row)}"
        )
        lines = _topic_lines(result, rows) if result.has_words else _column_lines(rows)
        yield Entry(title, [(label, text) for label, text in lines if text], style.colour_of_component(number - 1))


def _topic_lines(result: ClusteringResult, topic: pd.DataFrame) -> list[tuple[str, str]]:
    probable, lifted = topic.nlargest(WORDS, "value"), result.most_lifted(topic, WORDS)
    return [
        ("probable", ", ".join(f"{row.column} {row.value:.3f}" for row in probable.itertuples())),
        ("typical", ", ".join(f"{row.column} x{row.lift:.3g}" for row in lifted.itertuples())),
    ]


def _column_lines(component: pd.DataFrame) -> list[tuple[str, str]]:
    """Return a line for each column that sets the component apart, the most distinctive first."""
    columns = component.groupby("column", sort=False)
    nats = columns["nats"].sum()
    telling = nats[nats >= LEAST].sort_values(ascending=False, kind="stable").index[:COLUMNS]
    if telling.empty:
        return [("nothing:", "it is as all rows are")]
    return [(name, _value(columns.get_group(name))) for name in telling]


def _value(rows: pd.DataFrame) -> str:
    """Return the words for what a column is in a component, and in all rows."""
    first = rows.iloc[0]
    if first["kind"] == DISCRETE:
        over = rows[rows["lift"] >= OVER].nlargest(CATEGORIES, "nats")
        if over.empty:  # nearly all rows have the same one, in this component more of them still
            over = rows.nlargest(1, "value")
        return ", ".join(
            f"{row.category} {percent(row.value)} (all: {percent(row.overall)})" for row in over.itertuples()
        )
    if first["kind"] == BERNOULLI:
        return f"{percent(first['value'])} (all: {percent(first['overall'])})"
    if first["kind"] == GAUSSIAN:
        all_rows = mean_and_sd(first["overall"], first["overall_sd"])
        return f"{mean_and_sd(first['value'], first['sd'])} (all: {all_rows})"
    return f"{first['value']:.3g} on average (all: {first['overall']:.3g})"


def mean_and_sd(mean: float, sd: float) -> str:
    """Return "mean ± sd", with two digits of the latter."""
    digits = digits_of(sd)
    if digits is None:
        return f"{mean:.4g} ± {sd:.2g}"
    return f"{mean:z.{digits}f} ± {sd:.{digits}f}"
