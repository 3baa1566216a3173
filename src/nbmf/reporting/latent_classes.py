"""What a report says of latent classes: of what they are, and how well they fit, in the words of their field."""

import numpy as np

from nbmf.inference.estimator import Factorization


def class_members(model: Factorization) -> str:
    """Return what the latent classes of a model are classes of."""
    return "rows" if "W" in model.distributions else "columns"


def class_facts(model: Factorization) -> str:
    """Return the log likelihood in nats, BIC and the entropy R² of a fit with latent classes.

    Of K classes of n rows with N probabilities each, p = K - 1 + K N parameters are free, BIC = p ln n - 2 ln p(V | θ),
    and the entropy R² is 1 - (the mean entropy of a row's class) / ln K.
    """
    W, H = (model.W_, model.H_) if class_members(model) == "rows" else (model.H_.T, model.W_.T)
    K, points, features = model.distinct_components_, len(W), H.shape[1]
    parameters = K - 1 + K * features
    bic = parameters * np.log(points) - 2 * model.bound_
    text = f"log likelihood {model.bound_:.1f} with {parameters} parameters, BIC {bic:.1f}"
    if K == 1:
        return text
    one = class_members(model).removesuffix("s")
    r2 = max(0.0, 1 - model.findings["mean_entropy"] / np.log(K))
    return f"{text}; entropy R² {r2:.2f} (1: the class of each {one} is certain)"
