"""What a person reads first about a fit."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from nbmf.catalogue import sampler_of
from nbmf.cli.arguments import as_typed
from nbmf.cli.described import Described, describe, describe_effects, key_of
from nbmf.cli.text import WORDS_OF_LAWS, wrapped
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.named import NamedMatrix
from nbmf.evaluation.baselines import at, baselines_of, prediction
from nbmf.evaluation.verdict import Verdict
from nbmf.inference.declarations import Alignment, Inference
from nbmf.inference.estimator import Factorization
from nbmf.likelihoods.bernoulli import loss_of
from nbmf.posterior.co_clustering import AXIS_NAMES
from nbmf.posterior.groups import association_of, by_group
from nbmf.posterior.recording import training_loss

if TYPE_CHECKING:
    import pandas as pd

    from nbmf.cli.fit import Result

DESCRIBED = 12  # components
GROUPS = 20  # the largest ones
APART = 5  # rows that chains see most differently
REST = 0.05  # of the weight outside active components that is worth a word


def summary(result: "Result") -> str:
    """Return the text of a fit with components, the verdict first."""
    matrix, fitted, components, found = result.matrix, result.fitted, result.components, result.verdict
    parts = [
        *_verdict(found, _law(result)),
        "\n".join(facts(result)),
        "\n".join(map(wrapped, quality(result))),
        *_groups(result),
        wrapped(key_of(fitted.model)),
        *map(_text_of, describe_effects(matrix, fitted)),
        *(
            _text_of(describe(number, matrix, fitted, components))
            for number in range(min(components.active, DESCRIBED))
        ),
    ]
    if components.active > DESCRIBED:
        parts.append(f"... and {components.active - DESCRIBED} more: see W.csv and H.csv")
    return "\n\n".join(parts)


def nothing_found(result: "Result", again: str) -> str:
    """Return the text where no components predict better; `again` is FILE with its options."""
    about = "\n".join(map(wrapped, [*facts(result), *quality(result)]))
    noise = "No dictionary is shown: it would be one of noise."
    advice = [
        f"{noise} Other methods may find what this one does not:",
        f"  nbmf compare {again}",
        "and this writes and draws the components all the same:",
    ]
    if result.matrix.dense is not None:  # nbmf fit compares what takes it
        advice = [f"{noise} This writes and draws the components all the same:"]
    advice.append(f"  nbmf fit {again} --no-check")
    return "\n\n".join([*_verdict(result.verdict, _law(result)), about, "\n".join(advice)])


def _law(result: "Result") -> str | None:
    return WORDS_OF_LAWS.get(result.fitted.model.likelihood.name)


def _verdict(found: Verdict | None, law: str | None) -> Iterator[str]:
    """Yield the verdict, and below it every baseline; `law` says how counts are scored."""
    if found is None:
        return
    lines = [wrapped(f"{found}")]
    every = "every entry was" if found.entries == found.observed else f"{found.entries} entries were"
    plural = "s" * (found.folds > 1)
    if found.unit == "one":
        law = "ones and as many zeros, each weighted by one over the chance of being among them"
    lines.append(
        wrapped(
            f"({every} held out, in {found.folds} fold{plural}, and predicted from the others"
            f"{f'; {law}' if law else ''})"
        )
    )
    this = f"{found.method} (this method)" if found.others else "this method"
    width = max(map(len, (this, *(each.what for each in found.compared))))
    heading = f"nats per {found.unit.removeprefix('held-out ')}"
    lines.append(f"  {'predicted by':{width}}  {heading:>14}   this method is better by")
    lines.append(f"  {this:{width}}  {found.loss:14.4f}")
    for each in found.compared:
        better = f"{each.mean:7.4f} ± {each.error:.4f}"
        lines.append(f"  {each.what:{width}}  {each.loss:14.4f}   {better}")
    yield "\n".join(lines)


def lines_by_group(result: "Result") -> Iterator[tuple[str, np.ndarray, "pd.DataFrame"]]:
    """Yield a sentence, the groups, and what each group is to each component that is shown.

    For the rows, for the columns, or not at all: where there are groups, and components.
    """
    model, shown = result.fitted.model, result.components.shown
    for axis, groups in enumerate((result.matrix.row_groups, result.column_groups)):
        if groups is None or not len(shown):
            continue
        kind, found = AXIS_NAMES[axis], by_group(model, groups, shown, axis)
        places = {"index": "group", "columns": "component", "sort": False}
        if model.alignment is Alignment.ROTATION:  # a line is somewhere on every component
            means = found.pivot_table(values="mean", **places).map("{:.2f}".format)
            yield f"{kind} by group: their mean coordinate on each component", groups, means
            continue
        counts = found.pivot_table(values=kind, aggfunc="sum", **places)
        words = f"{kind} by group and the component they are most typical of"
        if (association := association_of(model, groups, shown, axis)) is not None:
            words += f"; adjusted mutual information {association} (0: unrelated, 1: the same)"
        yield words, groups, counts


def _groups(result: "Result") -> Iterator[str]:
    for words, _, counts in lines_by_group(result):
        yield "\n".join([wrapped(words), counts.iloc[:GROUPS].to_string(index_names=False)])


def facts(result: "Result") -> Iterator[str]:
    """Yield what was fitted, and what was learned beside the factors."""
    name, matrix, fitted, components = result.name, result.matrix, result.fitted, result.components
    counts, model = matrix.counts(), fitted.model
    yield (
        f"{name}: {counts['rows']} rows x {counts['columns']} columns, {_values(matrix)}, "
        f"{counts['missing'] / math.prod(matrix.shape):.1%} missing"
    )
    held = "" if np.isnan(components.shares).any() else " (at least 1 % of all weight each)"
    plural = "s" * (components.active != 1)
    yield f"{model.title}: {components.active} active component{plural}{held}"
    if components.active and components.rest > REST:
        yield (f"the other {components.rest:.0%} of the weight lies in components that say no more than the prior does")
    for group in components.alike:
        numbers = ", ".join(str(number + 1) for number in group)
        yield f"components {numbers} say nearly the same: read them as one"
    if found := model.findings:
        texts = (f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in found.items())
        yield f"learned: {', '.join(texts)}"


def _values(matrix: NamedMatrix) -> str:
    """Return what is observed, in words."""
    counts, observed = matrix.counts(), matrix.n_observed
    if matrix.dense is not None:
        return f"{counts['ones']} ones, {counts['ones'] / counts['rows']:.3g} in a row on average"
    if isinstance(matrix, CountMatrix):
        zeros = counts["zeros"] / observed
        return f"counts with a mean of {counts['sum'] / observed:.3g}, {zeros:.1%} of them zero"
    return f"{counts['ones'] / observed:.1%} ones among the observed"


def quality(result: "Result") -> Iterator[str]:
    """Yield loss, time, and whether the fit can be relied on."""
    matrix, fitted = result.matrix, result.fitted
    model = fitted.model
    if fitted.expectation is None:
        yield (
            f"E[V], of {matrix.words}, is not written: "
            'nbmf.load("model.npz").predict(rows, columns) gives those you name'
        )
    else:
        loss = _loss(matrix, model, fitted.expectation)
        yield f"loss on the data that were fitted: {loss}"
    runs = 1 if fitted.chains is None else len(fitted.chains.estimators)
    sampled = model.inference is Inference.SAMPLER
    kind = "chain" if sampled else "start"
    yield f"{runs} {kind}{'s' * (runs > 1)} of {model.n_iter_} iterations, {fitted.seconds:.1f} s"
    if model.converged_ is False:
        yield (
            f"E[V] was still changing after {model.n_iter_} iterations: --iterations "
            f"{4 * model.n_iter_} gives it time to settle"
        )
    yield from _agreement(fitted)
    if fitted.draws is not None and not sampled:
        sampler = sampler_of(model)
        advice = f": take --method {sampler} for these" if sampler else ""
        yield f"intervals of a variational fit are too narrow{advice}"


def _loss(matrix: NamedMatrix, model: Factorization, expectation: np.ndarray) -> str:
    if model.likelihood.unit != "entry":
        return f"per {model.likelihood.unit}, not comparable"
    if isinstance(matrix, CountMatrix):
        return _loss_of_counts(matrix, model)
    found = loss_of(matrix.codes, expectation, matrix.observed)
    alone = np.count_nonzero(matrix.codes == 1) / found.entries
    share = np.full(matrix.shape, alone)
    worth = loss_of(matrix.codes, share, matrix.observed).perplexity
    return f"{found.perplexity:.4f} nats per entry; the overall share of ones alone has {worth:.4f}"


def _loss_of_counts(matrix: CountMatrix, model: Factorization) -> str:
    law, values = model.likelihood, matrix.tallies
    loss = training_loss(model, values).perplexity
    name, label = next(iter(baselines_of(law).items()))
    loss_at = law.loss_at(values, matrix.observed)
    alone = loss_at(at(prediction(name, values), loss_at.rows, loss_at.columns)).perplexity
    return f"{loss:.4f} nats per entry, {WORDS_OF_LAWS[law.name]}; {label} alone has {alone:.4f}"


def _agreement(fitted) -> Iterator[str]:
    """Yield whether the chains or starts agree, and what to do if not."""
    chains, sampled = fitted.chains, fitted.model.inference is Inference.SAMPLER
    if chains is None:
        if sampled and fitted.expectation is None:
            yield "one chain cannot show whether it has converged: another --seed gives another one"
        elif sampled:
            yield "one chain cannot show whether it has converged: take --chains 4"
        return
    if not sampled:
        if chains.converged:
            yield "the starts end in the same place"
        else:
            low, high = chains.losses.min(), chains.losses.max()
            yield (
                f"the starts end in different places, losses {low:.4f} to {high:.4f}: this is the "
                "best of them; what all have in common is the safest reading"
            )
        return
    table = chains.diagnostics
    if chains.converged:
        yield (
            f"the chains have converged: R-hat at most {table['r_hat'].max():.3f}, effective "
            f"sample size at least {table['ess_bulk'].min():.0f} (chains.csv)"
        )
        return
    yield f"NOT CONVERGED: {as_typed(chains.advice, 'fit')}"
    yield (
        "(.expectation is in expectation.csv, and predicts better than the chains do on average; "
        ".best is the chain whose components are shown, in one place of several)"
    )
    apart = chains.disagreement
    names, of_row = chains.axis_names()[0], apart.mean(axis=1)
    most = np.argsort(-of_row, kind="stable")[:APART]
    yield (
        f"the chains' E[V] differ by {apart.mean():.3f} (standard deviation), most for "
        + ", ".join(f"{names[f]} {of_row[f]:.3f}" for f in most)
    )


def _text_of(described: Described) -> str:
    """Return a component, or effects, as lines of text."""
    lines = [wrapped(f"  {label:9} {text}", " " * 12) for label, text in described.lines]
    return "\n".join([described.title, *lines])
