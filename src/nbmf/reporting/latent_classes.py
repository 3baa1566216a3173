"""What a report says of latent classes: of what they are, and how well they fit, in the words of their field."""

import numpy as np
from scipy.special import entr

from nbmf.data.named import NamedMatrix
from nbmf.inference.estimator import Factorization


def class_members(model: Factorization) -> str:
    """Return what the latent classes of a model are classes of."""
    return "rows" if "W" in model.distributions else "columns"


def class_facts(model: Factorization, matrix: NamedMatrix) -> list[str]:
    """Return what is told of a fit with latent classes: the log likelihood in nats with BIC, and entropies.

    Of K classes of n rows with N probabilities each, p = K - 1 + K N parameters are free, and BIC = p ln n
    - 2 ln p(V | θ) with the θ that maximises it. Of two classes or more, with h the mean entropy of a row's
    class: the relative entropy 1 - h / ln K, and the entropy R² 1 - h / (entropy of the sizes of classes), which is 0
    where rows say nothing of their classes, however unequal these are.
    """
    distinct, log_likelihood = model.distinct_classes, model.maximum_log_likelihood(matrix)
    memberships, facts = model.memberships(model.factors_), []
    if log_likelihood is not None:
        features = model.H_.shape[1] if class_members(model) == "rows" else len(model.W_)
        parameters = distinct - 1 + distinct * features
        bic = parameters * np.log(len(memberships)) - 2 * log_likelihood
        facts.append(f"largest log likelihood {log_likelihood:.1f} with {parameters} parameters, BIC {bic:.1f}")
    if distinct > 1:
        one = class_members(model).removesuffix("s")
        mean, largest = entr(memberships).sum(axis=1).mean(), entr(memberships.mean(axis=0)).sum()
        known = f"relative entropy {max(0.0, 1 - mean / np.log(distinct)):.2f}"
        known += f", entropy R² {max(0.0, 1 - mean / largest):.2f}" if largest > 0 else ""
        facts.append(f"{known} (1: the class of each {one} is certain)")
    return facts
