"""What a person reads first about a fit."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from nbmf.cli.components import Components
from nbmf.cli.plot import title_of
from nbmf.cli.text import wrapped
from nbmf.data.matrix import BinaryMatrix
from nbmf.inference.declarations import Inference
from nbmf.inference.estimator import Factorization
from nbmf.likelihoods.bernoulli import loss_of
from nbmf.plots.overview import contrast

NAMED = 6  # rows and columns of a component
AT_LEAST = 0.1  # of the largest weight, for a row or a column to be named
DESCRIBED = 12  # components
STEADY = 0.8  # overlap of a component over draws below which its intervals mean little


def summary(name, matrix: BinaryMatrix, fitted, components: Components, held_out) -> str:
    """Return the text.

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
    held_out : dict or None
        Held-out perplexity of another fit under the key "", and of the baselines.
    """
    parts = [
        "\n".join(_facts(name, matrix, fitted, components)),
        "\n".join(wrapped(line) for line in _quality(matrix, fitted, held_out)),
        _key(fitted.model),
        *(_component(number, matrix, fitted, components) for number in _described(components)),
    ]
    if components.active > DESCRIBED:
        parts.append(f"... and {components.active - DESCRIBED} more: see W.csv and H.csv")
    return "\n\n".join(parts)


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
    plural = "s" * (components.active > 1)
    yield f"{title_of(model)}: {components.active} active component{plural}{held}"
    if found := model.findings:
        texts = (f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in found.items())
        yield f"learned: {', '.join(texts)}"


def _quality(matrix: BinaryMatrix, fitted, held_out) -> Iterator[str]:
    """Yield loss, prediction, and whether it can be relied on."""
    model = fitted.model
    loss = _loss(matrix, model, fitted.expectation)
    yield f"loss on the data that were fitted: {loss}"
    if held_out:
        baselines = ", ".join(f"{label} {value:.4f}" for label, value in held_out.items() if label)
        yield (
            f"held out: {held_out['']:.4f} nats per entry, for a quarter of the entries and a fit "
            f"that has not seen them; to beat: {baselines}"
        )
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
    yield f"NOT SETTLED: {chains.advice}"
    yield (
        "(settings are given as --set NAME=VALUE; .expectation is in expectation.csv, and .best is "
        "the chain whose components are shown)"
    )


def _has_signs(model: Factorization) -> bool:
    """Whether weights are negative as well; there may be no component at all."""
    return bool((model.W_ < 0).any())


def _key(model: Factorization) -> str:
    """Return how to read the lines of the components."""
    of_W, of_H = model.meanings
    if _has_signs(model):
        return wrapped(f"rows (W), columns (H): {of_W}, the largest (+) and the smallest (-)")
    return wrapped(
        f"rows: {of_W} (W); columns: {of_H} (H), + where it is most above that of the other "
        "components, - where most below",
    )


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
        above = contrast(model.H_[components.shown].T)[:, number]
        lines = [
            ("rows     ", rows, rows[1]),
            ("columns +", columns, above),
            ("columns -", columns, -above),
        ]
    texts = [
        str(_Line(name, names, values, importance, scale, interval))
        for name, (names, values, scale, interval), importance in lines
    ]
    return "\n".join([title, *filter(None, texts)])
