"""What a report says of latent classes: of what they are, and how well they fit, in the words of their field."""

from collections.abc import Iterator, Mapping

import numpy as np
from scipy.special import entr

from nbmf.data.matrix import are_ties
from nbmf.data.named import NamedMatrix
from nbmf.inference.estimator import Factorization
from nbmf.reporting.words import quote_if_ambiguous

NAMED = 5


def class_members(model: Factorization) -> str:
    """Return what the latent classes of a model are classes of."""
    return "rows" if "W" in model.distributions else "columns"


def mode_sentences(
    model: Factorization, intervals: Mapping[str, tuple[np.ndarray, np.ndarray]], names: np.ndarray
) -> Iterator[str]:
    """Yield which rows the mode has in classes that the posterior mostly has not, if there are any.

    Parameters
    ----------
    model : Factorization
        With latent classes.
    intervals : dict
        From "W" and "H" to the ends of their intervals, if these are known.
    names : str array
        Of the rows, or columns, that are in classes.
    """
    factor = "W" if class_members(model) == "rows" else "H"
    if factor not in intervals:
        return
    upper = intervals[factor][1] if factor == "W" else intervals[factor][1].T
    memberships = model.memberships(model.factors_)
    outside = np.flatnonzero(upper[np.arange(len(upper)), memberships.argmax(axis=1)] < 0.5)
    if outside.size:
        named = ", ".join(map(quote_if_ambiguous, names[outside[:NAMED]])) + ", ..." * (outside.size > NAMED)
        yield (
            f"for {outside.size} of {len(memberships)} {class_members(model)} ({named}) most of the posterior is at "
            "other classes than the mode that is shown, by the intervals"
        )


def class_facts(model: Factorization, matrix: NamedMatrix) -> list[str]:
    """Return what is told of a fit with latent classes: the log likelihood in nats with BIC, and entropies.

    Not the first two of an undirected network, in which each tie would count twice.

    Of K classes of n rows with N probabilities each, p = K - 1 + K N parameters are free, and BIC = p ln n
    - 2 ln p(V | θ) with the θ that maximises it. Of two classes or more, with h the mean entropy of a row's
    class: the relative entropy 1 - h / ln K, and the entropy R² 1 - h / (entropy of the sizes of classes), which is 0
    where rows say nothing of their classes, however unequal these are.
    """
    memberships, facts = model.memberships(model.factors_), []
    if are_ties(matrix):
        facts.append("no log likelihood or BIC is told, since each tie is in two rows")
    elif (maximum := model.maximum_likelihood(matrix)) is not None:
        features = model.H_.shape[1] if class_members(model) == "rows" else len(model.W_)
        parameters = maximum.distinct - 1 + maximum.distinct * features
        bic = parameters * np.log(len(memberships)) - 2 * maximum.log_likelihood
        reached = f"log likelihood {maximum.log_likelihood:.1f} at its maximum near these classes"
        facts.append(f"{reached}, with {parameters} parameters; BIC {bic:.1f}")
    if (distinct := model.distinct_classes) > 1:
        one = class_members(model).removesuffix("s")
        mean, largest = entr(memberships).sum(axis=1).mean(), entr(memberships.mean(axis=0)).sum()
        known = f"relative entropy {max(0.0, 1 - mean / np.log(distinct)):.2f}"
        known += f", entropy R² {max(0.0, 1 - mean / largest):.2f}" if largest > 0 else ""
        facts.append(f"{known} (1: the class of each {one} is certain)")
    return facts
