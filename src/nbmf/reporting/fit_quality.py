"""Loss and time of a fit, and whether it can be relied on, a sentence each."""

from collections.abc import Callable, Iterator

import numpy as np

from nbmf.data.matrix import BinaryMatrix
from nbmf.data.named import NamedMatrix
from nbmf.errors import Message, Setting
from nbmf.evaluation.baselines import baselines_of, predict_baseline, take_entries
from nbmf.inference.component_search import component_grid, searches_components
from nbmf.inference.declarations import Inference
from nbmf.inference.estimator import ACTIVE_SHARE, Factorization
from nbmf.inference.one_component import is_worse
from nbmf.inference.parameters import AUTO
from nbmf.likelihoods.bernoulli import loss_of
from nbmf.posterior.advice import say_losses
from nbmf.posterior.chains import Chains
from nbmf.posterior.recording import training_loss
from nbmf.posterior.scale_intervals import r_hat_of_positions
from nbmf.reporting.fit_result import ReportedFit
from nbmf.reporting.latent_classes import class_members, mode_sentences
from nbmf.reporting.missing_rows import missing_row_sentences
from nbmf.reporting.sampler_advice import listed_arguments, sampler_arguments
from nbmf.reporting.words import SCORED_BY, quote_if_ambiguous

MOST_DIFFERENT = 5  # rows that chains see most differently
AGREE = 1.05  # R-hat of positions up to which chains agree on them
MANY_MISSING = 20  # entries, of which it is said where they are
FEWER = 0.7  # of the observed entries that rows of held-out entries have, from which on those of missing ones have few
LINKED, WAYS = 0.05, 2e10  # of the ways, below which missing entries are apart; products that are quickly made
EXCHANGED = 0.05  # difference of probabilities from which on means over sweeps do not say what is predicted


def quality_sentences(result: ReportedFit, in_words: Callable[[str], str], method: str = "") -> Iterator[str]:
    """Yield the sentences; `in_words` puts advice that names Python's arguments into the reader's words.

    method : the id of the method, if it has one, which settings that are advised are those of
    """
    model, matrix = result.model, result.matrix
    if result.expectation is None:
        yield (
            f"E[V], of {matrix.words}, is not written: "
            'nbmf.load("model.npz").predict(rows, columns) gives those you name'
        )
    elif result.shows_components:  # of noise it would seem to be a success
        yield f"loss on the data that were fitted: {_describe_loss(matrix, model, result.expectation)}"
    runs = 1 if result.chains is None else len(result.chains.estimators)
    kind = "chain" if result.is_sampled else "start"
    yield f"{runs} {kind}{'s' * (runs > 1)} of {model.n_iter_} iterations, {result.seconds:.1f} s"
    if model.converged_ is False:
        changing = f"E[V] was still changing after {model.n_iter_} iterations: "
        yield in_words(Message(changing, Setting("iterations", 4 * model.n_iter_), " lets it converge"))
    if model.objective_ is not None and np.isnan(model.objective_):
        yield "THE OBJECTIVE IS NOT A NUMBER: nothing that was learned can be relied on"
    if is_worse(model.objective_, model.objective_of_one_):
        numbers = f"{model.objective_:.6g} nats, a single one {model.objective_of_one_:.6g}"
        # There is one start of a matrix without its zeros.
        is_sparse = matrix.dense is not None
        other = ["another ", Setting("seed")] if is_sparse else ["more starts (", Setting("chains"), ")"]
        words = [f"WORSE THAN ONE COMPONENT: {numbers}; take ", *other, " or fewer ", Setting("n_components")]
        yield in_words(Message(*words, ", or there is no structure"))
    yield from _chain_agreement(result, in_words, method) if result.is_sampled else _start_agreement(result, in_words)
    if model.has_classes and result.shows_components:
        one = class_members(model).removesuffix("s")
        yield from mode_sentences(model, result.intervals, result.names(one))
    yield from _missing_pattern_warnings(result)
    yield from _label_switching_warning(result, in_words)
    yield from _full_use_advice(result, in_words)


def _missing_pattern_warnings(result: ReportedFit) -> Iterator[str]:
    """Yield that missing entries are where little is observed, unlike those that were held out."""
    matrix = result.matrix
    if matrix.dense is not None or result.verdict is None or result.n_missing < MANY_MISSING:
        return
    if _linkage(matrix.observed) < LINKED:
        yield (
            "hardly any rows link the missing entries to those that were held out, as where two forms of a test have "
            "no items in common: how well missing ones are predicted is not known"
        )
        return
    for axis, lines in enumerate(("rows", "columns")):
        observed = matrix.observed.sum(axis=1 - axis)
        missing = matrix.shape[1 - axis] - observed
        next_to_observed, next_to_missing = (np.average(observed, weights=each) for each in (observed, missing))
        if next_to_missing < FEWER * next_to_observed:
            yield (
                f"missing entries are in {lines} with {next_to_missing:.0f} observed entries on average, those that "
                f"were held out in {lines} with {next_to_observed:.0f}: missing ones are probably predicted less well"
            )
    yield from missing_row_sentences(matrix)


def _linkage(observed: np.ndarray) -> float:
    """Return how many ways lead from the row of a missing entry to its column, over those of an observed one.

    A way is by a column that was observed of the row, and another row of which both columns were. 1 of a matrix that
    is large, where it would take long to say.
    """
    if np.prod(observed.shape) * min(observed.shape) > WAYS:
        return 1.0
    seen = observed if observed.shape[0] >= observed.shape[1] else observed.T
    ways = seen @ (seen.T.astype(np.float32) @ seen)
    return float(ways[~seen].mean() / ways[seen].mean())


def _full_use_advice(result: ReportedFit, in_words: Callable[[str], str]) -> Iterator[str]:
    """Yield that a K which nothing chose may be too small, where all components are in use."""
    model, K = result.model, result.model.n_components_
    is_chosen = model.finds_components or result.component_search is not None
    is_poor = is_worse(model.objective_, model.objective_of_one_)
    if is_chosen or is_poor or not (result.shows_components and searches_components(model, result.matrix)):
        return
    in_use = result.components.active
    if result.scale is not None:  # of which one direction may be in all components, and none of its own in many
        in_use = np.count_nonzero(result.scale.shares >= ACTIVE_SHARE)
    if in_use >= K and 2 <= K <= component_grid(result.matrix.shape)[-1] / 2:
        auto = Setting("n_components", AUTO), " chooses their number by held-out entries"
        yield in_words(Message(f"all {K} components are in use, so that more may predict better: ", *auto))


def _label_switching_warning(result: ReportedFit, in_words: Callable[[str], str]) -> Iterator[str]:
    """Yield that means of W and H over sweeps hide what is predicted, where their product is far from E[V].

    Elsewhere than in mixtures E[V] is no product of W and H, or has no scale on which to say what is far.
    """
    model, shown = result.model, result.components.model
    is_mixture = bool(model.distributions | model.probabilities)
    if not (result.is_sampled and is_mixture and result.shows_components) or result.expectation is None:
        return
    difference = float(np.abs(shown.inverse_transform(shown.W_) - model.expectation_).max())
    if difference > EXCHANGED:
        yield in_words(
            Message(
                f"COMPONENTS EXCHANGED LABELS during sampling: W and H are means over sweeps, and W H differs from "
                f"E[V] by up to {difference:.2f}; expectation.csv has what is predicted. Fewer components (",
                Setting("n_components"),
                ") exchange labels less",
            )
        )


def _describe_loss(matrix: NamedMatrix, model: Factorization, expectation: np.ndarray) -> str:
    if model.likelihood.unit != "entry":
        return f"per {model.likelihood.unit}, not comparable"
    if not isinstance(matrix, BinaryMatrix):
        return _loss_next_to_baseline(matrix, model)
    loss = loss_of(matrix.codes, expectation, matrix.observed)
    proportion = np.count_nonzero(matrix.codes == 1) / loss.entries
    alone = loss_of(matrix.codes, np.full(matrix.shape, proportion), matrix.observed).perplexity
    return f"{loss.perplexity:.4f} nats per entry; the overall proportion of ones alone has {max(0.0, alone):.4f}"


def _loss_next_to_baseline(matrix: NamedMatrix, model: Factorization) -> str:
    likelihood, values = model.likelihood, getattr(matrix, matrix.field)
    loss = training_loss(model, values).perplexity
    name, label = next(iter(baselines_of(likelihood).items()))
    loss_at = likelihood.loss_at(values, matrix.observed)
    alone = loss_at(take_entries(predict_baseline(name, values), loss_at.rows, loss_at.columns)).perplexity
    scored_by = f", {SCORED_BY[likelihood.name]}" if likelihood.name in SCORED_BY else ""
    have = "have" if label.endswith("categories") else "has"
    return f"{loss:.4f} nats per entry{scored_by}; {label} alone {have} {alone:.4f}"


def _start_agreement(result: ReportedFit, in_words: Callable[[str], str]) -> Iterator[str]:
    """Yield whether the starts end together, and what intervals are worth."""
    chains = result.chains
    if chains is not None and chains.converged:
        yield "the starts end in the same place"
    elif chains is not None:
        yield f"the starts end in different places, {_how_far_apart(chains)}"
    if result.draws is not None and result.model.inference is Inference.ASCENT:
        arguments = sampler_arguments(result.model)
        advice = [": take ", *listed_arguments(arguments), " for these"] if arguments else []
        yield in_words(Message("intervals of a variational fit are too narrow", *advice))


def _how_far_apart(chains: Chains) -> str:
    """Return how far starts end apart, and what to make of it: a best place that several of them reach is no chance."""
    unsure = "what all have in common is the safest reading"
    if chains.starts is None:
        return f"{say_losses(chains.losses)}: this is the best of them; {unsure}"
    apart = f"objectives {chains.starts.spread:.4g} nats apart: this is the best of them"
    if (reaching := chains.starts.reaching) == 1:
        return f"{apart}, which no other reaches to less than a nat; {unsure}"
    return f"{apart}, which {reaching} of {len(chains.starts.objectives)} reach to less than a nat"


def _chain_agreement(result: ReportedFit, in_words: Callable[[str], str], method: str) -> Iterator[str]:
    """Yield whether the chains agree, and what to do if not."""
    chains = result.chains
    if chains is None and not result.shows_components:  # one was enough
        return
    if chains is None:
        alone = "one chain cannot show whether it has converged: "
        several = ["take ", Setting("chains", 4)]
        what = ["another ", Setting("seed"), " gives another one"] if result.expectation is None else several
        yield in_words(Message(alone, *what))
        return
    table = chains.diagnostics
    if chains.converged and table["r_hat"].isna().all():
        yield "the chains have converged: nothing that is recorded of them moves or differs (chains.csv)"
        return
    if chains.converged:
        yield (
            f"the chains have converged: R-hat at most {table['r_hat'].max():.3f}, effective "
            f"sample size at least {table['ess_bulk'].min():.0f} (chains.csv)"
        )
        return
    advice = chains.advice
    if method and any(isinstance(part, Setting) for part in getattr(advice, "parts", ())):
        advice = Message(advice, " (with ", Setting("method", method), ")")
    yield f"{_what_agrees(result)}: {in_words(advice)}"
    shown = "; .best is the chain whose components are shown, in one place of several" * result.shows_components
    yield f"(.expectation is in expectation.csv, and predicts better than the chains do on average{shown})"
    difference = chains.disagreement
    names, of_row = chains.axis_names()[0], difference.mean(axis=1)
    most = np.argsort(-of_row, kind="stable")[:MOST_DIFFERENT]
    yield (
        f"the chains' E[V] differ by {difference.mean():.3f} (standard deviation), most for "
        + ", ".join(f"{quote_if_ambiguous(names[f])} {of_row[f]:.3f}" for f in most)
    )


def _what_agrees(result: ReportedFit) -> str:
    """Return what chains that have not converged agree on: where rows lie on the axes that are shown, or nothing."""
    scale = result.scale if result.shows_components else None
    if scale is not None and scale.between_chains is not None:
        r_hat = r_hat_of_positions(scale.lower, scale.upper, scale.between_chains, scale.level)[: scale.kept].max()
        if r_hat <= AGREE:
            return f"the chains agree on the positions of rows (R-hat about {r_hat:.3f}), but not on everything"
    return "NOT CONVERGED"
