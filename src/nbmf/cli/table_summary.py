"""What a person reads first about the components of a table, or the topics of documents."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from nbmf.cli.tables import Found, by_lift
from nbmf.cli.text import wrapped
from nbmf.data.feature_columns import BERNOULLI, DISCRETE, GAUSSIAN, WORD
from nbmf.families.mixed_membership.em import OUTWEIGHS
from nbmf.families.mixed_membership.membership_parameters import MIXTURE
from nbmf.io.cells import counted
from nbmf.posterior.distinguishing import agreement, by_label, digits_of, order_of_components

COLUMNS, CATEGORIES, WORDS = 8, 3, 10  # of a component that are told
LEAST = 0.01  # nats of a column that is worth a word
OVER = 1.1  # times as frequent as in all rows, for a category to be named
LABELS = 20  # the largest ones
TITLES = {
    "mnb": "mixture: each row is in one component",
    "mmnb": "mixed memberships: each row has shares of components",
    "fast-mmnb": "mixed memberships, fast: each row has shares of components",
    "lda": "LDA: each document has shares of topics",
    "fast-lda": "Fast LDA: each document has shares of topics",
    "unigrams": "mixture of unigrams: each document is in one topic",
}


def summary(found: Found) -> str:
    """Return the text: what was chosen and why, labels, and each component."""
    parts = list(_choice(found))
    if found.model is None:
        K, model = found.choice.chosen.K, found.choice.chosen.model
        parts.append(
            f"No {found.task.component}s are shown: they would be of noise. These are, all the "
            f"same, after\n  --no-check --components {K} --model {model}"
        )
        return "\n\n".join(parts)
    parts.append("\n".join(map(wrapped, facts(found))))
    parts += _labels(found)
    parts += [text for _, text in described(found)]
    return "\n\n".join(parts)


def _choice(found: Found) -> Iterator[str]:
    """Yield the verdict, and below it how well each K predicts."""
    choice, task = found.choice, found.task
    if choice is None:
        return
    sentence = str(choice).replace("components", f"{task.component}s")
    rule = (
        f"Of all that predict as well as the best, up to a standard error, that with the fewest "
        f"{task.component}s is taken."
    )
    several = len({score.model for score in choice.scores}) > 1
    lines = [f"    K  {'model      ' if several else ''}nats per {choice.unit}   better than none by"]
    lines.append(f"    1  {'           ' if several else ''}{choice.alone:14.4f}")
    for score in choice.scores:
        mark = "  <" if score == choice.chosen else ""
        model = f"{score.model:11}" if several else ""
        gain = f"{score.gain:9.4f} ± {score.error:.4f}"
        lines.append(f"   {score.K:2}  {model}{score.loss:14.4f}   {gain}{mark}")
    shapes = ""
    if any(score.none < choice.alone for score in choice.scores):
        shapes = f"None is a single {task.component} or, if that predicts better, all of them in their mean shares. "
    told = (
        f"({choice.cells} {choice.unit}s were held out, in {choice.folds} "
        f"fold{'s' * (choice.folds > 1)}, and predicted from the rest of their {task.row}s. "
        f"{shapes}{rule if len(choice.scores) > 1 else ''}".rstrip()
        + ")"
    )
    if choice.chosen.K == max(score.K for score in choice.scores) > 2 and choice.found:
        lines.append(
            f"{choice.chosen.K} is the largest K that was tried: --components {choice.chosen.K} "
            f"{2 * choice.chosen.K} tries more"
        )
    yield "\n".join([wrapped(sentence), wrapped(told), *lines])


def facts(found: Found) -> Iterator[str]:
    """Yield what was fitted, and whether it can be relied on."""
    model, table, task = found.model, found.table, found.task
    rows, columns = table.shape
    what = "word" if WORD in table.kinds else "column"
    yield f"{found.name}: {counted(rows, task.row)} x {counted(columns, what)}"
    yield f"{TITLES[found.model_name]}; K = {model.memberships_.shape[1]}"
    K = model.memberships_.shape[1]
    if (distinct := model.distinct_components_) < K:
        yield f"COLLAPSED: of {K} {task.component}s only {distinct} differ; take fewer"
    if _is_one_mixture(found):
        yield (
            f"COLLAPSED: all {task.row}s share one mixture (the sum of alpha is "
            f"{model.prior_.sum():.3g}), so memberships mean little: take fewer {task.component}s "
            "or another --model"
        )
    if model.converged_ is False:
        yield f"not converged after {model.n_iter_} iterations: memberships may still move"
    mixed = float(np.exp(model.entropies_.mean()))
    yield f"a {task.row} has {mixed:.2f} {task.component}s on average (exp of the mean entropy)"
    yield (f"{found.seconds:.1f} s for the check and the fit" if found.choice else f"{found.seconds:.1f} s")


def _is_one_mixture(found: Found) -> bool:
    """Whether the prior of memberships outweighs the cells of a row by far."""
    model, table = found.model, found.table
    cells = table.cells.sum() if WORD in table.kinds else table.cells.size
    is_dirichlet = model.model != MIXTURE and model.prior_.size > 1
    return bool(is_dirichlet and model.prior_.sum() > OUTWEIGHS * cells / table.shape[0])


def _labels(found: Found) -> Iterator[str]:
    labels, model = found.table.row_groups, found.model
    if labels is None:
        return
    told = agreement(model, labels)
    text = (
        f"labels, which the fit has not seen: {told['micro_precision']:.1%} of the "
        f"{told['rows']} {found.task.row}s have the commonest label of their {found.task.component}"
        f" (the commonest of all has {told['largest_label']:.1%}); mutual information "
        f"{told['mutual_information']:.3f} of {told['entropy']:.3f} nats, adjusted for chance "
        f"{told['adjusted']:.2f} of 1"
    )
    table = by_label(model, labels).rename(index={"": "(none)"})
    more = len(table) - LABELS
    shown = table.iloc[:LABELS].to_string(index_names=False)
    yield "\n".join([wrapped(text), shown, *([f"... and {more} more labels"] if more > 0 else [])])


def described(found: Found) -> Iterator[tuple[str, str]]:
    """Yield title and whole text of each component, the heaviest first."""
    order = order_of_components(found.model)
    shares = found.model.memberships_.mean(axis=0)[order]
    sizes = np.bincount(found.model.clusters_, minlength=order.size)[order]
    for number, own in found.told.groupby("component"):
        title = (
            f"{found.task.component} {number}: {shares[number - 1]:.0%} of all shares; "
            f"the main one of {sizes[number - 1]} {found.task.row}s"
        )
        is_topic = WORD in found.table.kinds
        lines = _topic_lines(found, own) if is_topic else _column_lines(own)
        yield title, "\n".join([title, *lines])


def _topic_lines(found: Found, topic: pd.DataFrame) -> list[str]:
    probable = topic.nlargest(WORDS, "value")
    lifted = by_lift(found, topic, WORDS)
    lines = {
        "probable": [f"{row.column} {row.value:.3f}" for row in probable.itertuples()],
        "typical": [f"{row.column} x{row.lift:.3g}" for row in lifted.itertuples()],
    }
    return [wrapped(f"  {label:9} {', '.join(words)}", " " * 12) for label, words in lines.items() if words]


def _column_lines(component: pd.DataFrame) -> list[str]:
    """Return a line for each column that sets the component apart, the most telling first."""
    nats = component.groupby("column", sort=False)["nats"].sum()
    told = nats[nats >= LEAST].sort_values(ascending=False, kind="stable").index[:COLUMNS]
    if told.empty:
        return ["  nothing: it is as all rows are"]
    width = min(max(map(len, told)), 30)
    own = component.groupby("column", sort=False)
    lines = [(name, _value(own.get_group(name))) for name in told]
    return [wrapped(f"  {name:{width}}  {text}", " " * 6) for name, text in lines if text]


def _value(rows: pd.DataFrame) -> str:
    """Return the words for what a column is in a component, and in all rows."""
    first = rows.iloc[0]
    if first["kind"] == DISCRETE:
        over = rows[rows["lift"] >= OVER].nlargest(CATEGORIES, "nats")
        return ", ".join(f"{row.category} {row.value:.0%} (all: {row.overall:.0%})" for row in over.itertuples())
    if first["kind"] == BERNOULLI:
        return f"{first['value']:.0%} (all: {first['overall']:.0%})"
    if first["kind"] == GAUSSIAN:
        own = mean_and_sd(first["value"], first["sd"])
        return f"{own} (all: {mean_and_sd(first['overall'], first['overall_sd'])})"
    return f"{first['value']:.3g} on average (all: {first['overall']:.3g})"


def mean_and_sd(mean: float, sd: float) -> str:
    """Return "mean ± sd", with two digits of the latter."""
    digits = digits_of(sd)
    if digits is None:
        return f"{mean:.4g} ± {sd:.2g}"
    return f"{mean:z.{digits}f} ± {sd:.{digits}f}"
