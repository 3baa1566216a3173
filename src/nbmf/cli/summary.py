"""What a person reads first about a fit."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from nbmf.cli.components import Components
from nbmf.cli.plot import title_of
from nbmf.cli.text import wrapped
from nbmf.cli.words import in_options
from nbmf.comparison.baselines import BASELINES
from nbmf.comparison.verdict import Verdict
from nbmf.data.matrix import BinaryMatrix
from nbmf.inference.declarations import Inference
from nbmf.inference.estimator import Factorization
from nbmf.likelihoods.bernoulli import loss_of
from nbmf.plots.overview import contrast

NAMED = 6  # rows and columns of a component
AT_LEAST = 0.1  # of the largest weight, for a row or a column to be named
DESCRIBED = 12  # components
STEADY = 0.8  # overlap of a component over draws below which its intervals mean little


def summary(name, matrix: BinaryMatrix, fitted, components: Components, found) -> str:
    """Return the text of a fit with components, the verdict first.

    Parameters
    ----------
    name : str
        Of the data.
    matrix : BinaryMatrix
        The data.
    fitted : nbmf.cli.fit.Fitted
        The fit.
    components : Components
        Those of its model.
    found : Verdict or None
        None if it was not asked for.
    """
    parts = [
        *_verdict(found),
        "\n".join(_facts(name, matrix, fitted, components)),
        "\n".join(wrapped(line) for line in _quality(matrix, fitted)),
        _key(fitted.model),
        *(_component(number, matrix, fitted, components) for number in _described(components)),
    ]
    if components.active > DESCRIBED:
        parts.append(f"... and {components.active - DESCRIBED} more: see W.csv and H.csv")
    return "\n\n".join(parts)


def nothing_found(
    name, matrix: BinaryMatrix, fitted, components: Components, found: Verdict, again: str
) -> str:
    """Return the text where no components predict better; `again` is FILE with its options."""
    facts = [*_facts(name, matrix, fitted, components), *_quality(matrix, fitted)]
    advice = (
        "No dictionary is shown: it would be one of noise. Other methods may find what this one "
        "does not:",
        f"  nbmf compare {again}",
        "and this writes and draws the components all the same:",
        f"  nbmf fit {again} --no-check",
    )
    return "\n\n".join([*_verdict(found), "\n".join(map(wrapped, facts)), "\n".join(advice)])


def _verdict(found: Verdict | None) -> Iterator[str]:
    """Yield the verdict, and below it every baseline."""
    if found is None:
        return
    lines = [wrapped(f"{found}")]
    every = (
        "every entry was" if found.entries == found.observed else f"{found.entries} entries were"
    )
    plural = "s" * (found.folds > 1)
    lines.append(
        wrapped(f"({every} held out, in {found.folds} fold{plural}, and predicted from the others)")
    )
    width = max(len(BASELINES[gain.baseline]) for gain in found.gains)
    lines.append(f"  {'predicted by':{width}}  nats per entry   this method is better by")
    lines.append(f"  {'this method':{width}}  {found.loss:14.4f}")
    for gain in found.gains:
        better = f"{gain.mean:7.4f} ± {gain.error:.4f}"
        lines.append(f"  {BASELINES[gain.baseline]:{width}}  {gain.loss:14.4f}   {better}")
    yield "\n".join(lines)


def _described(components: Components) -> range:
    return range(min(components.active, DESCRIBED))


def _facts(name, matrix: BinaryMatrix, fitted, components: Components) -> Iterator[str]:
    counts, model = matrix.counts(), fitted.model
    share = counts["ones"] / (counts["ones"] + counts["zeros"])
    yield (
        f"{name}: {counts['rows']} rows x {counts['columns']} columns, {share:.1%} ones among the "
        f"observed, {counts['missing'] / matrix.codes.size:.1%} missing"
    )
    held = "" if np.isnan(components.shares).any() else " (at least 1 % of all weight each)"
    plural = "s" * (components.active != 1)
    yield f"{title_of(model)}: {components.active} active component{plural}{held}"
    for group in components.alike:
        numbers = ", ".join(str(number + 1) for number in group)
        yield f"components {numbers} say nearly the same: read them as one"
    if found := model.findings:
        texts = (f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in found.items())
        yield f"learned: {', '.join(texts)}"


def _quality(matrix: BinaryMatrix, fitted) -> Iterator[str]:
    """Yield loss, prediction, and whether it can be relied on."""
    model = fitted.model
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
        yield "intervals of a variational fit are too narrow: take --method beta-dir-gs for these"


def _loss(matrix: BinaryMatrix, model: Factorization, expectation: np.ndarray) -> str:
    if model.likelihood.unit != "entry":
        return f"per {model.likelihood.unit}, not comparable"
    found = loss_of(matrix.codes, expectation, matrix.observed)
    alone = np.count_nonzero(matrix.codes == 1) / found.entries
    share = np.full(matrix.shape, alone)
    worth = loss_of(matrix.codes, share, matrix.observed).perplexity
    return f"{found.perplexity:.4f} nats per entry; the overall share of ones alone has {worth:.4f}"


def _agreement(fitted) -> Iterator[str]:
    """Yield whether the chains or starts agree, and what to do if not."""
    chains, sampled = fitted.chains, fitted.model.inference is Inference.SAMPLER
    if chains is None:
        if sampled:
            yield "one chain cannot show whether it has settled: take --chains 4"
        return
    if not sampled:
        if chains.settled:
            yield "the starts end in the same place"
        else:
            low, high = chains.losses.min(), chains.losses.max()
            yield (
                f"the starts end in different places, losses {low:.4f} to {high:.4f}: this is the "
                "best of them; what all have in common is the safest reading"
            )
        return
    table = chains.diagnostics
    if chains.settled:
        yield (
            f"the chains have settled: R-hat at most {table['r_hat'].max():.3f}, at least "
            f"{table['ess_bulk'].min():.0f} effective draws (chains.csv)"
        )
        return
    yield f"NOT SETTLED: {in_options(chains.advice)}"
    yield "(.expectation is in expectation.csv, and .best is the chain whose components are shown)"


def _has_signs(model: Factorization) -> bool:
    """Whether weights are negative as well; there may be no component at all."""
    return bool((model.W_ < 0).any())


def _key(model: Factorization) -> str:
    """Return how to read the lines of the components."""
    of_W, of_H = model.meanings
    if _has_signs(model):
        return wrapped(f"rows (W), columns (H): {of_W}, the largest (+) and the smallest (-)")
    contrasted = _contrasted(model)
    end = (
        f"; of {contrasted} + where it is most above that of the other components, - where most "
        "below"
    )
    return wrapped(f"rows: {of_W} (W); columns: {of_H} (H){end}")


def _contrasted(model: Factorization) -> str:
    """Return the side that says what a component means, by how it differs from the others."""
    return "rows" if model.probabilities == {"W"} else "columns"


class _Line(NamedTuple):
    """Some names with their values.

    title : str
    names : str array (n,)
    values : float array (n,)
    importance : float array (n,), of which the largest are named
    scale : float, the largest absolute value of the whole factor
    interval : (lower, upper), float arrays (n,), or None
    """

    title: str
    names: np.ndarray
    values: np.ndarray
    importance: np.ndarray
    scale: float
    interval: tuple[np.ndarray, np.ndarray] | None

    def __str__(self) -> str:
        """Return the line, "" if nothing is of any importance."""
        order = np.argsort(-self.importance, kind="stable")[:NAMED]
        named = [i for i in order if self.importance[i] >= AT_LEAST * self.scale]
        texts = ", ".join(f"{self.names[i]} {self._value(i)}" for i in named)
        return wrapped(f"  {self.title} {texts}", " " * 12) if named else ""

    def _value(self, i: int) -> str:
        digits = 2 if self.scale > 0.5 else 3
        text = f"{self.values[i]:.{digits}f}"
        if self.interval is None:
            return text
        lower, upper = self.interval
        return f"{text} [{lower[i]:.{digits}f}, {upper[i]:.{digits}f}]"


def _component(number: int, matrix: BinaryMatrix, fitted, components: Components) -> str:
    """Return what a component holds and says."""
    model, k = fitted.model, components.order[number]
    share = components.shares[number]
    title = f"component {number + 1}" + ("" if np.isnan(share) else f": {share:.0%} of the weight")
    if "W" in fitted.intervals and fitted.draws.alignment.overlap[k] < STEADY:
        title += " (not the same in all draws: its intervals mean little)"
    W, H = (fitted.intervals.get(name) for name in ("W", "H"))
    W, H = W and (W[0][:, k], W[1][:, k]), H and (H[0][k], H[1][k])
    rows = matrix.row_names, model.W_[:, k], abs(model.W_).max(), W
    columns = matrix.column_names, model.H_[k], abs(model.H_).max(), H
    if _has_signs(model):
        lines = [
            ("rows    +", rows, rows[1]),
            ("rows    -", rows, -rows[1]),
            ("columns +", columns, columns[1]),
            ("columns -", columns, -columns[1]),
        ]
    else:
        lines = []
        for kind, values, lines_of_all in (
            ("rows", rows, model.W_), ("columns", columns, model.H_.T)
        ):  # fmt: skip
            if kind == _contrasted(model):
                above = contrast(lines_of_all[:, components.shown])[:, number]
                lines += [(f"{kind:7} +", values, above), (f"{kind:7} -", values, -above)]
            else:
                lines += [(f"{kind:9}", values, values[1])]
    texts = [
        str(_Line(name, names, values, importance, scale, interval))
        for name, (names, values, scale, interval), importance in lines
    ]
    return "\n".join([title, *filter(None, texts)])
